/// @file contact_detail.h  Contact levels of detail: how two surfaces touch, as coarsely at each
/// place as the contact there allows.
///
/// A detail is a hierarchy of convex pieces over a closed or open surface. The lower levels are
/// coarser and coarser versions of the surface, cut into convex patches; above the coarsest one
/// they are joined to one root. A question walks down two of them and stops at each contact where
/// its weighted deviation, s* = max(s / r^2 of the two pieces) / area, is at most the error: small
/// features matter less where much of the surface is in contact. Whatever the error is, no contact
/// of the original triangles is missed.
///
/// After Otaduy and Lin, "CLODs: Dual Hierarchies for Multiresolution Collision Detection", 2003.
///
/// Lifetime:    graze_contact_detail_build -> questions -> graze_contact_detail_free. A detail
/// keeps
///              its own copy of the triangles. The context outlives it.
/// Concurrency: a detail never changes. Any number of threads may ask about it, each with a query.
/// Units:       lengths are those of the mesh.
#ifndef GRAZE_CONTACT_DETAIL_H
#define GRAZE_CONTACT_DETAIL_H

#include "graze/query.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct graze_contact_detail graze_contact_detail;

typedef struct graze_contact_detail_def {
    uint32_t struct_size; ///< set by graze_contact_detail_def_default; leave alone
    uint32_t no_simplify; ///< 1: convex patches of the original surface only, without coarser ones
    uint32_t patch_most;  ///< triangles in a convex patch, at most; 0: 32
    uint32_t level_most;  ///< coarser levels, at most; 0: as many as there can be
} graze_contact_detail_def;

static inline graze_contact_detail_def graze_contact_detail_def_default(void)
{
    graze_contact_detail_def def = GRAZE_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    return def;
}

/// Builds the hierarchy. It takes about a millisecond a triangle; patches are measured on all
/// threads of the context. The same for any number of threads.
/// The surface must be an oriented 2-manifold, with or without border: no edge has three triangles
/// or two that run along it the same way, no two fans of triangles meet at one vertex only, and no
/// triangle is without area. Vertices at the same place are one.
/// @param view    as graze_shape_create takes it; placed objects are placed.
/// @param def     NULL for the defaults.
/// @param detail  receives the detail, NULL on failure; give it back with
/// graze_contact_detail_free.
/// @return GRAZE_OK; GRAZE_ERROR_UNSUPPORTED with a sentence that names the place where the surface
///         is not such a manifold: ask with its shape alone then, see graze_detailed;
///         GRAZE_ERROR_ARGUMENT, GRAZE_ERROR_MEMORY, GRAZE_ERROR_CANCELLED.
GRAZE_API graze_status graze_contact_detail_build(graze_context *context,
                                                  const graze_mesh_view *view,
                                                  const graze_contact_detail_def *def,
                                                  graze_contact_detail **detail);

/// Accepts NULL.
GRAZE_API void graze_contact_detail_free(graze_contact_detail *detail);

/// Writes the detail to a file. The path holds what it held before, or the whole detail.
/// @return GRAZE_OK, GRAZE_ERROR_ARGUMENT, GRAZE_ERROR_IO, GRAZE_ERROR_SPACE, GRAZE_ERROR_MEMORY,
///         GRAZE_ERROR_UNSUPPORTED (a big-endian machine).
GRAZE_API graze_status graze_contact_detail_save(const graze_contact_detail *detail,
                                                 const char *path);

/// Reads what graze_contact_detail_save wrote. Everything in it is checked, the bounds on which the
/// answers rest included, which takes a small part of the time of building.
/// @return as graze_contact_detail_build; GRAZE_ERROR_IO, GRAZE_ERROR_FORMAT (damaged, or no
///         detail), GRAZE_ERROR_UNSUPPORTED (of another version).
GRAZE_API graze_status graze_contact_detail_load(graze_context *context, const char *path,
                                                 graze_contact_detail **detail);

/// One level: the surface at a resolution, cut into convex patches.
typedef struct graze_detail_level {
    uint64_t hull_count, triangle_count;
    double deviation;  ///< the largest of its hulls': how far level and original are apart
    double resolution; ///< the mean of its hulls': one over the length of their edges
} graze_detail_level;

#define GRAZE_DETAIL_LEVELS 32

typedef struct graze_contact_detail_info {
    uint64_t triangle_count, hull_count; ///< of the original, and of the whole hierarchy
    uint64_t byte_count;
    uint32_t level_count; ///< surfaces: the original is the first of them
    uint32_t depth;       ///< all levels of the hierarchy, up to the root
    uint32_t closed;      ///< 1: the surface has no border
    graze_box box;
    double radius; ///< of a ball that holds the surface
    graze_detail_level levels[GRAZE_DETAIL_LEVELS];
} graze_contact_detail_info;

GRAZE_API void graze_contact_detail_get_info(const graze_contact_detail *detail,
                                             graze_contact_detail_info *info);

/// One side of a question: a shape and its detail, both of the same view.
typedef struct graze_detailed {
    const graze_shape *shape;           ///< may be NULL if both sides have a detail
    const graze_contact_detail *detail; ///< NULL: there is none, the question is put to the shapes
    const graze_pose *pose;             ///< NULL: where it was made
} graze_detailed;

typedef enum graze_detail_engine {
    GRAZE_ENGINE_CONTACT_DETAIL = 0,
    GRAZE_ENGINE_EXACT = 1, ///< graze_query_collide without an error
    GRAZE_ENGINE_LOD = 2    ///< graze_query_collide with one
} graze_detail_engine;

typedef struct graze_detail_collide_def {
    uint32_t struct_size; ///< set by graze_detail_collide_def_default; leave alone
    double tolerance;     ///< contact means: at most this far apart
    double error;         ///< the weighted deviation s* that contacts may have, a length; 0: exact
    double error_part;    ///< the same as a part of the smaller of the two radii; 0: there is none
    graze_error_function *error_function; ///< the same by place, called with the box of a contact's
                                          ///< two points; the least of all counts. See error.h
    void *error_user;                     ///< handed to that function
    uint64_t work_limit; ///< stop after so many hull pairs were refined, the worst first; 0: none
    double time_limit;   ///< seconds; 0: none. The answer is that of the work_limit it reports
    graze_front *front;  ///< what the last question about this pair left; NULL: nothing is kept
} graze_detail_collide_def;

static inline graze_detail_collide_def graze_detail_collide_def_default(void)
{
    graze_detail_collide_def def = GRAZE_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    return def;
}

/// Where two convex pieces are in contact, in the world.
typedef struct graze_detail_contact {
    double point_a[3], point_b[3]; ///< on the two pieces: the closest, or the deepest of one and
                                   ///< the place over it on the other
    double normal[3];              ///< from a to b, of length 1; where they overlap, that of a face
    double depth;     ///< moving b by depth times normal leaves the pieces touching; if they are
                      ///< apart, minus their distance
    double area;      ///< about how much of the surfaces is in contact
    double deviation; ///< s*, the weighted deviation reached here; 0: exact
    double error;     ///< the originals behind the two pieces have points at most tolerance + error
                      ///< apart. 0 where triangles of both are proved to be in contact
    double cover_a, cover_b; ///< the original surface that the pieces stand for is within these of
                             ///< the two points
    uint32_t level_a, level_b; ///< 0: the original; UINT32_MAX: above the coarsest level
    uint32_t hull_a, hull_b;   ///< numbers in the hierarchies; from other engines: of the triangles
} graze_detail_contact;

typedef struct graze_detail_counters {
    uint64_t hull_pairs;     ///< that were looked at
    uint64_t hull_distances; ///< of them, those whose distance was computed
    uint64_t refined;        ///< of them, those that were replaced by pairs below
    uint64_t front;          ///< pairs at which the walk ended
    uint64_t triangle_tests; ///< of original triangles against each other
} graze_detail_counters;

typedef struct graze_detail_answer {
    graze_verdict verdict; ///< contact: proved of the originals; apart: proved; within error: only
                           ///< pieces are in contact; undecided: that, after a limit was hit
    graze_detail_engine engine;
    uint32_t complete; ///< 1: every two original points within the tolerance are behind a contact
    uint32_t reached;  ///< 1: all contacts have the deviation that was asked for
    uint64_t contact_count;
    const graze_detail_contact *contacts; ///< belong to the query; end with its next question
    uint64_t work;                        ///< the work limit that gives this answer again
    graze_detail_counters counters;
} graze_detail_answer;

/// How are two surfaces in contact? With details on both sides the answer depends on them, the
/// poses and the def only: it is the same with a front and without, whatever was asked before.
/// Without a detail on one side, graze_query_collide answers with the same tolerance and error.
/// At an error of 0 the verdict is that of graze_query_collide.
/// @param def     NULL for the defaults: exact, at tolerance 0.
/// @param answer  filled in for GRAZE_OK.
/// @return as graze_query_collide; GRAZE_ERROR_ARGUMENT also where neither shapes nor details will
///         do, or a shape and its detail are not of one mesh.
GRAZE_API graze_status graze_query_detail(graze_query *query, const graze_detailed *a,
                                          const graze_detailed *b,
                                          const graze_detail_collide_def *def,
                                          graze_detail_answer *answer);

#ifdef __cplusplus
}
#endif
#endif
