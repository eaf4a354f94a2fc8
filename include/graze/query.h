/// @file query.h  Two shapes in poses: do they touch, where, and how far apart are they? Rays,
/// and what is inside.
///
/// Each shape is posed into the world on its own, vertex by vertex, with graze_pose_apply. For
/// these coordinates every answer is exact: touching, coplanar and degenerate triangles included.
/// It is the same for any number of threads, SIMD width, layout, order of the two shapes, and
/// whatever the query was asked before. docs/guarantees.md says why.
///
/// Lifetime:    graze_query_create -> any number of questions -> graze_query_free. Lists in an
///              answer belong to the query and end with its next question.
/// Concurrency: a query is scratch: one a thread. Shapes may be shared by any number of queries.
/// Units:       lengths are those of the world that the poses lead to.
#ifndef GRAZE_QUERY_H
#define GRAZE_QUERY_H

#include "graze/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A shape where it is: the one argument of all questions.
typedef struct graze_posed {
    const graze_shape *shape;
    const graze_pose *pose; ///< NULL: where it was made
} graze_posed;

static inline graze_posed graze_at(const graze_shape *shape, const graze_pose *pose)
{
    graze_posed posed = GRAZE_ZERO;
    posed.shape = shape;
    posed.pose = pose;
    return posed;
}

/// What one pair of shapes remembers from question to question: worth it where poses change little
/// from one to the next. A front is a cache only: answers are the same without it. One a pair of
/// shapes and tolerance; asked about another pair, it begins anew. One thread at a time.
typedef struct graze_front graze_front;

GRAZE_API graze_status graze_front_create(graze_context *context, graze_front **front);
GRAZE_API void graze_front_free(graze_front *front); ///< Accepts NULL.

/// How far an answer may be off near a place, to the safe side only: the least of what is allowed
/// at the points of a box. It depends on the box only, and is called from the thread that asks.
/// @param box  of a part of a shape, in the world.
typedef double graze_error_function(void *user, const graze_box *box);

typedef enum graze_verdict {
    GRAZE_UNDECIDED = 0,   ///< a limit was hit: nothing is proved
    GRAZE_APART = 1,       ///< proved: every pair is farther than the tolerance
    GRAZE_CONTACT = 2,     ///< proved: at least one pair is within the tolerance
    GRAZE_WITHIN_ERROR = 3 ///< a pair is within tolerance + error; no more is known
} graze_verdict;

/// What a question collects. Each includes those before it.
typedef enum graze_collect {
    GRAZE_COLLECT_VERDICT = 0, ///< yes or no: stops at the first contact
    GRAZE_COLLECT_COUNT = 1,   ///< how many pairs of triangles are in contact
    GRAZE_COLLECT_PAIRS = 2,   ///< which
    GRAZE_COLLECT_CONTACTS = 3 ///< and where
} graze_collect;

typedef struct graze_collide_def {
    uint32_t struct_size; ///< set by graze_collide_def_default; leave alone
    graze_collect collect;
    double tolerance;     ///< contact means: at most this far apart; 0: sharing a point
    uint64_t pair_limit;  ///< stop after so many pairs; 0 means no limit
    uint64_t work_limit;  ///< stop after so much work, as counters.work counts it; 0: no limit
    uint32_t use_threads; ///< 1: this one question on all threads of the context, if it has no
                          ///< limits; worth it from about a millisecond on
    uint32_t any_order;   ///< 1: pairs need not be sorted, which is 5 to 10 % of the time
    graze_front *front;   ///< what the last question about this pair left; NULL: nothing is kept
    double error;         ///< how far the answer may be off, to the safe side; 0: exact. See below
    double time_limit;    ///< seconds; 0: no limit. The best answer that can be had in this time,
                          ///< with the error that it reached, but none finer than `error`
    graze_error_function *error_function; ///< an error by place, where it is less than `error`
                                          ///< (0: there is no other); NULL: the same everywhere
    void *error_user;                     ///< handed to that function
    uint32_t no_steps; ///< 1: with an error_function, too, levels of detail are whole clusters.
                       ///< Their pages are quicker to load, but contacts move in larger steps as
                       ///< the error changes
} graze_collide_def;

// Answers with an error. Models are asked at the coarsest levels of detail that the error allows:
// their LOD cuts. Contacts are then of triangles of the cuts, one for each two leaves of at most 16
// triangles that are in contact; a mesh in memory takes part as it is. What holds:
//   complete  for all points p of a and q of b within the tolerance there is a contact with p
//             within its cover_a of its point_a, and q within cover_b of point_b;
//   bounded   each contact has points of a and b at most tolerance + error apart, within its error
//             of its two triangles;
//   the same  for any threads, cache, order of the shapes, and front.
// Where the error is a function of the place, groups of clusters take part at steps between two
// levels, so that contacts move less as the error changes. They need a cache of 14 MiB at least; in
// a smaller one the question fails, if it is not asked with no_steps.
//
// What is complete is so for coordinates as the world has them, rounded. What that rounds away from
// the levels, some 1e-14 of the largest coordinate, is part of each contact's error, and may come
// on top of yours.
//
// With a time limit, errors are powers of two, from a coarse one down to `error`: the last that was
// finished in time is the answer, which says its error. Nothing is read from disk meanwhile: pages
// that are missing are loaded by another thread, for the next question. If not even the coarsest
// answer was there, it is undecided, of infinite error. Of two meshes in memory the answer is
// exact, and undecided if the time ends before.
// What such questions need of a model is worked out by that thread, too: the first question waits
// for it, but not beyond its time, and is undecided then. graze_query_prepare does it before. Only
// where the cache is below 7 MiB, so that there is no other thread, the first question does it
// itself, however long it takes; its counters have the pages that it loaded. Cuts for an error
// function are worked out in the question: some milliseconds for a large model, on top of the time.

static inline graze_collide_def graze_collide_def_default(void)
{
    graze_collide_def def = GRAZE_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    return def;
}

/// Numbers of two triangles, as in the views that the shapes were made from. In an answer with an
/// error, of a model: numbers in its LOD cut, which count through its clusters.
typedef struct graze_pair {
    uint32_t a, b;
} graze_pair;

/// Where two triangles are in contact, in the world. All of it depends on the two posed triangles
/// only. Asked the other way round, the points are swapped, the normal is reversed, and the depth
/// is the same, in every bit; only where both triangles have the same corners in the same order is
/// the normal the same, since nothing tells them apart.
typedef struct graze_contact {
    graze_pair pair;
    /// If the two share points: the mean of the corners of what they share, as
    /// graze_triangle_intersect gives them, within an ulp and 1e-15 of the size; twice the same.
    /// Else: a pair of closest points, each coordinate rounded to nearest, as of
    /// graze_triangle_closest.
    double point_a[3], point_b[3];
    /// The direction of the shortest way to part the two, of length 1: moving b by depth times
    /// normal leaves them touching, with a plane across the normal between them. Where they are
    /// apart it points from a to b. Where several ways are equally short (two triangles that only
    /// touch, or nearly: by 1e-13 of the size), the one that best follows a's normal and b's normal
    /// reversed; normals are those of corners that look counter-clockwise. It is true to 1e-12 of
    /// the size of the two together, wherever in the world they are.
    double normal[3];
    /// The length of this way: at least 0 if the two share points, and 0, to rounding, if they only
    /// touch or lie in one plane; else minus the distance. It is about two triangles, not about
    /// what they bound.
    double depth;
    /// In an answer with an error: no original point that the two triangles stand for, nor any of
    /// theirs, is farther off than its share of this. In an exact one 0, as are the two below.
    double error;
    double cover_a, cover_b; ///< see graze_collide_def: what this contact stands for is this near
} graze_contact;

/// What an answer cost. Of two shapes that are not lazy, on one thread and without a front, it is
/// the same on every machine: for any SIMD width, compiler, number of threads that built the
/// shapes, and whatever the query was asked before. So a question with a work_limit ends at the
/// same place wherever it is asked again. It depends on the layout and the build of the shapes, and
/// on which of them is a; with use_threads, work and box_tests depend on the number of threads;
/// with a front, for lazy shapes and for models all of it depends on what was asked before.
typedef struct graze_counters {
    uint64_t work;           ///< a measure of time: about a nanosecond's worth each
    uint64_t box_tests;      ///< of boxes against boxes
    uint64_t triangle_tests; ///< of triangles against triangles
    uint64_t exact_tests;    ///< of them, those that float arithmetic left open
    uint64_t part_pairs;     ///< pairs of clusters that were asked; a mesh counts as one
    uint64_t page_loads;     ///< pages of models that were not in the cache
    uint64_t page_misses;    ///< with a time limit: pages that were not there and not waited for. A
                             ///< coarser level answered for what they hold, or nothing did
} graze_counters;

typedef struct graze_answer {
    graze_verdict verdict;
    uint32_t complete;             ///< 1: count and lists are of all pairs in contact; 0: of some
    uint64_t pair_count;           ///< 0 or 1 if only a verdict was asked for
    const graze_pair *pairs;       ///< sorted by a, then b, unless any order will do; NULL if not
                                   ///< asked for
    const graze_contact *contacts; ///< in the order of the pairs; NULL if not asked for
    double error;                  ///< reached: the answer is that of a question with this error,
                                   ///< and so can be asked for again. 0: it is exact
    uint64_t cut_a, cut_b;         ///< triangles of the LOD cuts; of a mesh, all it has
    graze_counters counters;
} graze_answer;

typedef struct graze_query graze_query;

GRAZE_API graze_status graze_query_create(graze_context *context, graze_query **query);
GRAZE_API void graze_query_free(graze_query *query); ///< Accepts NULL.

/// Which triangles of two shapes are in contact? A warm query allocates nothing on one thread:
/// memory grows to the largest answer and stays with the query. On several it may still grow, since
/// the work falls to them differently each time.
/// @param def     NULL for the defaults: a verdict at tolerance 0.
/// @param answer  filled in for GRAZE_OK.
/// @return GRAZE_OK; GRAZE_ERROR_ARGUMENT (a pose that is none, a tolerance that is negative or not
///         finite, coordinates that overflow when posed, an error or a time limit that is none);
///         GRAZE_ERROR_MEMORY; GRAZE_ERROR_CANCELLED.
GRAZE_API graze_status graze_query_collide(graze_query *query, graze_posed a, graze_posed b,
                                           const graze_collide_def *def, graze_answer *answer);

/// Which original pairs are behind a contact of an answer with an error? All that are within the
/// tolerance, of triangles of a that reach into the box of cover_a around point_a, and of b
/// likewise: an exact answer, with the numbers of the meshes.
/// @param contact  of an answer about the same shapes in the same poses.
/// @param def      NULL for the defaults; the error, the time limit and the front are not looked
/// at.
/// @return as graze_query_collide.
GRAZE_API graze_status graze_query_behind(graze_query *query, graze_posed a, graze_posed b,
                                          const graze_contact *contact,
                                          const graze_collide_def *def, graze_answer *answer);

/// Works out what questions of this kind need once for each model: its LOD cut at the error, and
/// for a time limit a ladder of cuts, of which the coarsest are loaded to stay in the cache. It
/// takes milliseconds. The first question with an error does it otherwise, and takes so much
/// longer; the first with a time limit is undecided if it is not done in time.
/// @param def  as of the questions to come; only the error and the time limit are looked at.
/// @return as graze_query_collide.
GRAZE_API graze_status graze_query_prepare(graze_query *query, graze_posed a, graze_posed b,
                                           const graze_collide_def *def);

/// The same for many poses of b, on all threads of the context. Each answer is what
/// graze_query_collide gives for it; use_threads is not looked at. A front is kept for each thread,
/// so poses that follow each other should be like each other. Memory grows with the lists that are
/// asked for.
/// @param answers  as many as poses; filled in for GRAZE_OK. Their lists belong to the query.
GRAZE_API graze_status graze_query_collide_many(graze_query *query, graze_posed a,
                                                const graze_shape *b, const graze_pose *poses,
                                                uint64_t pose_count, const graze_collide_def *def,
                                                graze_answer *answers);

typedef struct graze_distance_def {
    uint32_t struct_size; ///< set by graze_distance_def_default; leave alone
    double limit;         ///< do not look farther than this; infinity by default
    uint64_t work_limit;  ///< as above
    uint32_t value_only;  ///< 1: the distance will do, without a pair and its points. Shapes that
                          ///< share points are then quicker to ask, since any two will do.
    double error;         ///< how far the distance may be off; 0: exact. The answer is then an
                          ///< interval, from `least` to `distance`, not wider than this
    double time_limit;    ///< seconds; 0: no limit. The narrowest interval in this time
} graze_distance_def;

static inline graze_distance_def graze_distance_def_default(void)
{
    graze_distance_def def = GRAZE_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.limit = __builtin_inf();
    return def;
}

/// How far apart two shapes are, and where.
typedef struct graze_distance {
    graze_verdict verdict; ///< contact: the closest pair is below, at most the limit apart; apart:
                           ///< everything is farther than the limit; undecided: work ran out
    double distance;       ///< within 1 ulp of the true one; infinity if nothing was found; if
                           ///< undecided, the best so far
    double least;          ///< proved: nothing is closer than this; the distance unless undecided
    graze_pair pair;       ///< of equally close ones the first: smallest a, then smallest b
    double point_a[3], point_b[3]; ///< as graze_triangle_closest gives them for this pair
    graze_counters counters;
} graze_distance;

/// @param def  NULL for the defaults.
/// @return as graze_query_collide. Two shapes of which one is empty are apart, at infinity.
GRAZE_API graze_status graze_query_distance(graze_query *query, graze_posed a, graze_posed b,
                                            const graze_distance_def *def, graze_distance *out);

/// The same for many poses of b, on all threads of the context. Each answer is what
/// graze_query_distance gives for it; limits are those of each.
/// Warm, it allocates nothing on one thread; on several, as graze_query_collide.
/// @param distances  as many as poses; filled in for GRAZE_OK.
GRAZE_API graze_status graze_query_distance_many(graze_query *query, graze_posed a,
                                                 const graze_shape *b, const graze_pose *poses,
                                                 uint64_t pose_count, const graze_distance_def *def,
                                                 graze_distance *distances);

typedef struct graze_ray_def {
    uint32_t struct_size; ///< set by graze_ray_def_default; leave alone
    uint32_t count_all;   ///< 1: count all triangles that are met, beyond the first, too
    double error;         ///< how far the answer may be off, to the safe side; 0: exact. See below
} graze_ray_def;

static inline graze_ray_def graze_ray_def_default(void)
{
    graze_ray_def def = GRAZE_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    return def;
}

/// What a ray meets.
typedef struct graze_ray {
    uint32_t hit;           ///< 1: it meets the triangle below; 0: it meets none
    uint32_t triangle;      ///< the first; of those met in one point that of the smallest number
    double t;               ///< where: start + t (end - start); rounded to nearest
    double point[3];        ///< the exact point of the segment, each coordinate rounded to nearest
    uint64_t hit_count;     ///< triangles that share a point with the segment; 0 unless counted
    uint64_t unclean_count; ///< of them, those that it does not pierce from side to side: met at a
                            ///< border or at an end of the segment, or seen edge-on
    graze_verdict verdict;  ///< contact: it meets the shape, at t; apart: it does not; within
                            ///< error: see below
    double error;           ///< of the hit: 0, or see below
    graze_counters counters;
} graze_ray;

// Rays with an error ask a model at its LOD cut, the coarsest that the error allows; a mesh in
// memory is asked as it is. What holds:
//   never misses  `apart` is a proof; and before t the segment meets nothing of the model;
//   bounded       at t some point of the model is within the hit's error of the segment's point,
//                 and that is not more than the error asked for, rounding aside;
//   contact       is said where the triangle is one of the model itself: t is then the exact one.
// Within error says that the segment comes so near for the first time at t, and no more: it may
// pass by, or meet the model later. Triangles are then numbered as in the cut, and those that are
// counted are near enough to be met; none of them is unclean.

/// Which triangle of a shape does a ray meet first? A ray is the segment between two points, ends
/// included: for these points, and the posed triangles, the answer is exact. Borders belong to
/// triangles, both sides count, and degenerate ones are what they look like. To look in a direction
/// as far as the shape reaches, take an end beyond its box. Allocates nothing, but for the clusters
/// of a model.
/// @param def  NULL for the defaults: the first triangle only.
/// @return as graze_query_collide; GRAZE_ERROR_ARGUMENT for coordinates that are not finite, or of
///         2^1022 and more, and for an error that is none.
GRAZE_API graze_status graze_query_ray(graze_query *query, graze_posed shape, const double start[3],
                                       const double end[3], const graze_ray_def *def,
                                       graze_ray *out);

/// Where a point is. A closed shape parts space in two: a way from an inner point to anywhere
/// beyond the shape pierces an odd number of triangles. So the space between two spheres of one
/// shape, one in the other, is inside, and what the small one holds is not.
typedef enum graze_place {
    GRAZE_PLACE_UNKNOWN = 0, ///< the shape is not closed; or no way out missed all edges: see below
    GRAZE_PLACE_OUTSIDE = 1,
    GRAZE_PLACE_INSIDE = 2,
    GRAZE_PLACE_SURFACE = 3 ///< in a triangle
} graze_place;

/// Is a point inside a shape? Exact for the point and the posed triangles. Of a shape that is not
/// closed, only points beyond its box are known to be outside. If none of 32 ways out misses all
/// edges and corners, the place is not known.
/// @return as graze_query_ray; GRAZE_ERROR_MEMORY while closedness is looked at for the first time.
GRAZE_API graze_status graze_query_inside(graze_query *query, graze_posed shape,
                                          const double point[3], graze_place *place);

/// How two shapes lie to each other.
typedef enum graze_nesting {
    GRAZE_NESTING_UNKNOWN = 0, ///< one of them is not closed, and what it holds is not known
    GRAZE_NESTING_NONE = 1,    ///< no point of one is inside the other
    GRAZE_NESTING_A_IN_B = 2,  ///< all of a is inside b
    GRAZE_NESTING_B_IN_A = 3,  ///< all of b is inside a
    GRAZE_NESTING_PARTLY = 4,  ///< some components of one are inside the other, and
                               ///< some are not
    GRAZE_NESTING_TOUCHING = 5 ///< they share points
} graze_nesting;

typedef struct graze_containment {
    graze_nesting nesting;
    uint32_t closed_a, closed_b; ///< 1: as graze_shape_closed tells
    graze_counters counters;
} graze_containment;

/// Is one of two shapes inside the other without touching it? Inside means what it means for a
/// point. The inner one need not be closed. An empty one is inside nothing.
/// @return as graze_query_collide.
GRAZE_API graze_status graze_query_contain(graze_query *query, graze_posed a, graze_posed b,
                                           graze_containment *out);

#define GRAZE_PENETRATION_FLOOR 1e-3 ///< of the smaller diagonal, unless told otherwise

typedef struct graze_penetration_def {
    uint32_t struct_size; ///< set by graze_penetration_def_default; leave alone
    double error;         ///< stop when high <= (1 + error) low; 0.01 by default
    double floor;         ///< or when high is not above this length; 0: GRAZE_PENETRATION_FLOOR
                          ///< times the diagonal of the smaller of the two boxes in the world
    uint64_t work_limit;  ///< as above, once it is known whether the two touch
    double deviation;     ///< a length that the bounds may be farther apart; 0: none. Distances are
                          ///< then asked of the LOD cuts of models. See below
} graze_penetration_def;

static inline graze_penetration_def graze_penetration_def_default(void)
{
    graze_penetration_def def = GRAZE_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.error = 0.01;
    return def;
}

/// How deep two closed shapes are in each other: the radius of the largest ball that lies in one of
/// them and has its middle in the other. In other words: no point that is inside both is deeper in
/// either of them than this, and some point is as deep. It is 0 exactly if the insides have no
/// point in common, grows if one of them grows, is never more than the largest ball in the thicker
/// of them, and has nothing to do with the order of the two. It is a length and no way to part
/// them. Closed is what graze_shape_closed calls so, every edge in an even number of triangles;
/// closed parts in a graze_mesh_report have exactly two to an edge, oppositely oriented.
typedef struct graze_penetration {
    uint32_t defined; ///< 0: a shape is not closed, so it has no inside, and there is no depth
    uint32_t closed_a, closed_b; ///< 1: as graze_shape_closed tells
    graze_verdict verdict; ///< apart: proved that they neither touch nor hold each other, so that
                           ///< the depth is 0; contact: low is above 0, and high within the error;
                           ///< within error: low is 0, and high not above the floor: they touch, or
                           ///< are hardly in each other; undecided: work ran out, rounding
                           ///< allows no better, or not defined
    double low, high;      ///< proved, rounding included: the depth is not less and not more
    uint32_t holder;       ///< which one holds a ball of radius `low`: 0 a, 1 b; if low is above 0
    double point[3];       ///< the ball's middle: inside both
    double surface[3];     ///< the nearest point of the holder's surface, to rounding
    graze_counters counters;
} graze_penetration;

// With a deviation, bounds still hold for the originals: distances from them are known by LOD cuts,
// to an error that the bounds include. Whether a point is inside is asked of the original triangles
// even so, with pages along a ray for each: a cut is closed if its original is, but need not hold
// the same space, since a wall that is thinner than the error may take another one's place. Whether
// the two touch at all, and whether they are closed, is exact as well. So this saves time where the
// search takes long, not the first look at a model. high is at most (1 + error) low + deviation
// then, or not above the floor; `surface` is within the deviation of the holder's; and `within
// error` also says that low is 0, and high not above the deviation. Meshes in memory are asked as
// they are.

/// Bounds on the depth, as close as is asked for, or as the work allows. All but `counters` is the
/// same for any order of the shapes, SIMD width and layout, as long as no limit is hit.
/// A warm query allocates nothing, but for the clusters of a model. The first question about a
/// shape looks at its edges: see graze_shape_closed.
/// @param def  NULL for the defaults.
/// @return as graze_query_collide; GRAZE_ERROR_ARGUMENT also for an error, a floor or a deviation
///         that is negative or not finite.
GRAZE_API graze_status graze_query_penetration(graze_query *query, graze_posed a, graze_posed b,
                                               const graze_penetration_def *def,
                                               graze_penetration *out);

#ifdef __cplusplus
}
#endif
#endif
