// A simulation from inside: bodies, how they move within a step, pairs that may meet, and what was
// found about them. See graze/sim.h for what it is for, and docs/internals.md for how a step goes.
//
// Lengths of a contact, in parts of the slop, the gap at which bodies push each other: they rest at
// GZ_REST of it, their way ends where less than GZ_FLOOR would be left, and a way that ended there
// ended within GZ_BAND above.
#ifndef GZ_WORLD_H
#define GZ_WORLD_H

#include <stdbool.h>

#include "base/memory.h"
#include "graze/sim.h"

#define GZ_REST      0.5
#define GZ_FLOOR     0.25
#define GZ_BAND      0.125
#define GZ_MATERIALS 64u

// How a body moves from a moment of the step on: the centre with an even acceleration, the rotation
// evenly. Velocity and angular momentum are what impulses made of them, and change evenly as well;
// `drift` and what is more in the spin only move it to where contacts want it, and are no speed.
typedef struct gz_course {
    double begin; // seconds into the step
    double center[3], turn[4];
    double velocity[3], change[3], drift[3];
    double momentum[3], torque[3];
    double spin[3];
} gz_course;

typedef struct gz_body {
    graze_body_kind kind;
    const graze_shape *shape;
    const graze_contact_detail *detail; // NULL: none
    char *name;
    uint32_t material;
    graze_box box;    // in the frame of the shape
    double middle[3]; // of mass, in that frame
    double radius;    // no point of it is farther from the middle
    double mass, inverse_mass;
    double inertia[9], inverse_inertia[9]; // about the middle, along the axes of the frame
    double center[3], turn[4], velocity[3], momentum[3]; // where it is between steps
    gz_course course;                                    // in the step
    graze_waypoint *path;
    uint64_t path_count;
    double clock;    // of its path
    uint32_t swept;  // number of its box in the sweep
    graze_box boxed; // that box: it holds the body and what is near, until the step ends
    uint32_t events; // in this step
    bool held;       // for the rest of it
    double held_from;
    uint32_t contact_count; // as the last look found it
    double gap;
    double query_seconds;
} gz_body;

// Where two bodies are in contact: points of both, in the world.
typedef struct gz_touch {
    double point[2][3];
    double normal[3]; // from a to b
    double gap;       // proved not to be more than it is
} gz_touch;
typedef GZ_LIST(gz_touch) gz_touch_list;

typedef struct gz_near_pair {
    uint32_t a, b;  // a < b
    bool passing;   // they were in each other at the start
    bool seen;      // an error was chosen once
    double error;   // of the level that is active
    double wanted;  // of the one that should be
    bool switching; // its way ends because of the error that it should have
    bool fresh;     // it became near within the step, and its way was not looked at
    double safe;    // seconds into the step: until then they do not come below the floor
    bool hit;       // and then they may
    double asked;   // the moment of the step at which its touches are
    uint32_t list;  // of the asker that has its touches
    uint64_t first, count;
    double gap;     // proved, looked for up to the slop
    double seconds; // of questions about it since the step began
    double slowest; // of them
} gz_near_pair;
typedef GZ_LIST(gz_near_pair) gz_near_list;

// Where a body was.
typedef struct gz_body_place {
    double center[3], turn[4], velocity[3], momentum[3], clock;
} gz_body_place;

typedef struct gz_material_pair {
    uint32_t a, b;
    double restitution, friction;
} gz_material_pair;

// A thread's part of the questions.
typedef struct gz_asker {
    struct graze_sim *sim;
    graze_query *query;
    gz_touch_list touches;             // of pairs that it looked at, from the last look on
    GZ_LIST(graze_triangle) triangles; // pairs of them: a, b, a, b
    double offset; // originals of these are nearer to each other than they are by this at most
    gz_touch_list found; // for making touches
    uint64_t query_count, switch_count, late_count;
    double seconds, longest;
    graze_status status;
} gz_asker;

struct graze_sim {
    graze_context *context;
    graze_sim_def def;
    double slop, rest_speed;
    bool begun;  // the start was looked at
    bool looked; // pairs and touches are of where bodies are now
    uint64_t step_count;
    double time;
    GZ_LIST(gz_body) bodies;
    GZ_LIST(gz_material_pair) materials;
    struct gz_sweep *sweep;
    gz_index_list owner; // of boxes of the sweep: bodies
    gz_near_list pairs;  // by a, then b
    gz_near_list spare;
    GZ_LIST(struct gz_body_place) places; // of bodies before the step
    gz_index_list chosen[2];              // pairs and bodies of a meeting
    GZ_LIST(bool) flags;                  // of these bodies
    gz_asker *askers;
    uint32_t asker_count;
    struct gz_impulse_room *room; // of sim_response.c
    graze_sim_report report;
    GZ_LIST(graze_sim_contact) contacts; // for graze_sim_get_contacts
};

static inline bool gz_body_moves(const gz_body *body) { return body->kind == GRAZE_BODY_MOVING; }

#endif
