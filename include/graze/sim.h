/// @file sim.h  Rigid bodies that fall, bounce, slide and come to rest.
///
/// Bodies are shapes with a mass. In every step their way is cut short before two of them touch:
/// surfaces that are apart stay apart, by a gap that is proved at every moment of every step and
/// not only at its end. So nothing tunnels or sinks. Bodies that are nearer than the `slop` are in
/// contact: they push each other by impulses, with restitution and Coulomb's friction, and rest at
/// half of it.
///
/// Lifetime:    graze_sim_create -> graze_sim_add, for each body -> steps -> graze_sim_free. Shapes
///              outlive the simulation, but for those that graze_sim_read made. Bodies stay.
/// Concurrency: a simulation is for one thread at a time; a step uses all threads of the context.
///              What comes out is the same in every bit for any number of them.
/// Units:       of length those of the world, seconds, and any unit of mass. Velocities are those
/// of
///              the centre of mass; spins are in radians a second, in the axes of the world.
#ifndef GRAZE_SIM_H
#define GRAZE_SIM_H

#include "graze/contact_detail.h"
#include "graze/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What keeps a body going.
typedef struct graze_mass {
    double mass;
    double center[3];  ///< of mass, in the frame of the shape
    double inertia[6]; ///< about the centre, along the axes of the shape: xx, yy, zz, xy, xz, yz
} graze_mass;

/// The mass of what a closed shape holds, by integrals over its triangles: exact but for rounding.
/// Triangles all face out, or all in. Of a model, all pages are read once.
/// @return GRAZE_OK; GRAZE_ERROR_ARGUMENT (not closed, or its triangles do not face one way, or it
///         holds nothing: give a mass then); or as graze_shape_closed.
GRAZE_API graze_status graze_mass_of_shape(const graze_shape *shape, double density,
                                           graze_mass *mass);

/// The same for a shell: each unit of area has a mass of `density`. Any triangles with area will
/// do.
GRAZE_API graze_status graze_mass_of_shell(const graze_shape *shape, double density,
                                           graze_mass *mass);

/// How contacts are found.
typedef enum graze_sim_engine {
    GRAZE_SIM_EXACT = 0, ///< by the original triangles
    GRAZE_SIM_LOD = 1,   ///< by levels of detail of models, as the errors below allow. Bounds hold
                         ///< for the original triangles all the same: gaps are larger instead
    GRAZE_SIM_DETAIL = 2 ///< pairs of bodies that both have a contact detail push each other where
                         ///< that says, at the weighted deviation that the errors below are. How
                         ///< far they may go is told by the original triangles
} graze_sim_engine;

typedef struct graze_sim_def {
    uint32_t struct_size; ///< set by graze_sim_def_default; leave alone
    graze_sim_engine engine;
    double gravity[3];
    double step; ///< seconds; 0.001 by default
    double slop; ///< bodies that are nearer are in contact; 0: 1e-3 of the smallest radius of a
                 ///< body that moves. More makes steps quicker
    double restitution;   ///< of materials that graze_sim_set_material does not know: 0 to 1
    double friction;      ///< the same: Coulomb's coefficient
    double rest_speed;    ///< what meets more slowly does not bounce; below 0: what gravity gives
                          ///< in three steps
    uint32_t iterations;  ///< of the impulses of contacts, at most; 0: 200
    uint32_t event_limit; ///< a body that has met others so often in one step stands still until
                          ///< the step ends; 0: 24
    uint32_t may_overlap; ///< 1: bodies that are in each other at the start pass through each other
                          ///< until they have parted; 0: it is refused
    double error;         ///< of the LOD engine: how far a question may be off. 0: exact
    graze_error_function *error_function; ///< the same by place, as in graze_collide_def; asked
                                          ///< with the box of a pair
    void *error_user;
    double error_by_speed; ///< above 0: the error is also what a pair moves in so many seconds, if
                           ///< that is less
    double error_by_size;  ///< above 0: and this part of the size of the smaller of a pair
    double least_error;    ///< what these two do not go below
    double time_limit;     ///< seconds, of each question of the LOD engine; 0: no limit. Runs are
                           ///< then not the same every time
} graze_sim_def;

static inline graze_sim_def graze_sim_def_default(void)
{
    graze_sim_def def = GRAZE_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.gravity[2] = -9.81;
    def.step = 0.001;
    def.friction = 0.5;
    def.rest_speed = -1;
    return def;
}

typedef struct graze_sim graze_sim;

/// @param def  NULL for the defaults: gravity of 9.81 downwards along z.
GRAZE_API graze_status graze_sim_create(graze_context *context, const graze_sim_def *def,
                                        graze_sim **sim);
GRAZE_API void graze_sim_free(graze_sim *sim); ///< Accepts NULL.

typedef enum graze_body_kind {
    GRAZE_BODY_MOVING = 0,
    GRAZE_BODY_STATIC = 1, ///< stays where it is
    GRAZE_BODY_ON_PATH = 2 ///< goes its way whatever it meets; but it waits, and is late from then
                           ///< on, where a body in its way cannot give way
} graze_body_kind;

/// Where a body on a path is at some time. Between two of them it goes straight, and turns evenly.
typedef struct graze_waypoint {
    double time;
    graze_pose pose;
} graze_waypoint;

typedef struct graze_body_def {
    uint32_t struct_size; ///< set by graze_body_def_default; leave alone
    graze_body_kind kind;
    const graze_shape *shape;
    const graze_contact_detail *detail; ///< of the same triangles, for that engine; NULL: none
    const char *name;                   ///< for messages; copied. NULL: its number
    graze_pose pose;
    double velocity[3], spin[3];
    double density;             ///< of a closed shape; 1 by default
    const graze_mass *mass;     ///< instead of the density; copied. NULL: by the density
    uint32_t material;          ///< below 64
    const graze_waypoint *path; ///< of a body on a path, by time; copied. Before the first and
                                ///< behind the last it stands still
    uint64_t path_count;
} graze_body_def;

static inline graze_body_def graze_body_def_default(void)
{
    graze_body_def def = GRAZE_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.pose = graze_pose_identity();
    def.density = 1;
    return def;
}

/// @param body  receives its number, counted from 0; NULL if not wanted.
/// @return GRAZE_OK, GRAZE_ERROR_ARGUMENT (a mass that is not above 0, an inertia that no body has,
/// a
///         pose that is none, a path that goes back in time), or as graze_mass_of_shape.
GRAZE_API graze_status graze_sim_add(graze_sim *sim, const graze_body_def *def, uint32_t *body);

/// What holds where two materials meet; the order of the two does not matter.
/// @return GRAZE_OK; GRAZE_ERROR_ARGUMENT (restitution not from 0 to 1, friction below 0 or not
///         finite, a material of 64 and more).
GRAZE_API graze_status graze_sim_set_material(graze_sim *sim, uint32_t a, uint32_t b,
                                              double restitution, double friction);

/// What a step did. Contacts and gaps are those at its end.
typedef struct graze_sim_report {
    uint64_t step; ///< how many steps were made
    double time;
    uint64_t contact_count; ///< points where bodies are in contact
    double gap;        ///< proved: the originals of no two bodies that meet are nearer than this;
                       ///< not more than the slop is looked for
    double wanted_gap; ///< no step leads below it: a quarter of the slop
    double slop;
    uint64_t near_count;        ///< pairs that were looked at
    uint64_t event_count;       ///< collisions within the step
    uint32_t held_count;        ///< bodies that the limit of events made stand still
    uint32_t passing_count;     ///< pairs that were in each other at the start, and still are
    uint64_t switch_count;      ///< pairs whose error changed
    uint64_t late_switch_count; ///< and those that had to stay at the old one for now, see
                                ///< docs/internals.md
    double error;               ///< the largest that was used
    uint64_t query_count;
    double query_seconds; ///< of all questions, summed over threads
    double longest_query; ///< the longest of them, in seconds
} graze_sim_report;

/// One step on. On failure bodies stay where they were before it, and it may be asked again.
/// @param report  filled in for GRAZE_OK; NULL if not wanted.
/// @return GRAZE_OK; GRAZE_ERROR_ARGUMENT (bodies are in each other at the start: the sentence says
///         which); or as graze_query_collide.
GRAZE_API graze_status graze_sim_step(graze_sim *sim, graze_sim_report *report);

/// No step: asks what is in contact where bodies are now. It is what the last step told, if nothing
/// was placed since.
GRAZE_API graze_status graze_sim_look(graze_sim *sim, graze_sim_report *report);

typedef struct graze_body_state {
    graze_pose pose;
    double position[3];   ///< of the centre of mass; of one that has none, the pose's translation
    double quaternion[4]; ///< of the rotation: x, y, z, w
    double velocity[3], spin[3];
    double momentum[3]; ///< angular, about its centre
    uint32_t contact_count;
    uint32_t held;        ///< 1: it met others too often in the last step
    double gap;           ///< to what is nearest, as in graze_sim_report
    double late;          ///< seconds that a body on a path is behind its time
    double query_seconds; ///< of the last step's questions about it
} graze_body_state;

GRAZE_API uint32_t graze_sim_body_count(const graze_sim *sim);
GRAZE_API const char *graze_sim_body_name(const graze_sim *sim, uint32_t body);
GRAZE_API const graze_shape *graze_sim_body_shape(const graze_sim *sim, uint32_t body);
GRAZE_API graze_body_kind graze_sim_body_kind(const graze_sim *sim, uint32_t body);
/// @return GRAZE_OK; GRAZE_ERROR_ARGUMENT: there is no such body.
GRAZE_API graze_status graze_sim_get_body(const graze_sim *sim, uint32_t body,
                                          graze_body_state *state);
/// Puts a body where a state says, as a record has it: position, quaternion, velocity and spin.
GRAZE_API graze_status graze_sim_place(graze_sim *sim, uint32_t body,
                                       const graze_body_state *state);

/// Kinetic energy of all bodies that move, and what gravity can give them, from the origin on.
GRAZE_API double graze_sim_energy(const graze_sim *sim);

/// Where two bodies are in contact, as of the last step or look.
typedef struct graze_sim_contact {
    uint32_t a, b;
    double point_a[3], point_b[3];
    double normal[3]; ///< from a to b
    double gap;
} graze_sim_contact;

/// @param contacts  belongs to the simulation, until its next step or look.
GRAZE_API graze_status graze_sim_get_contacts(graze_sim *sim, const graze_sim_contact **contacts,
                                              uint64_t *count);

#ifdef __cplusplus
}
#endif
#endif
