// Two trees in poses of their own: which triangles share a point, or are at most a tolerance apart?
#ifndef GZ_TREE_PAIRS_H
#define GZ_TREE_PAIRS_H

#include "base/memory.h"
#include "boxtree/tree_frames.h"

// Where two triangles are in their trees.
typedef struct gz_pair_place {
    uint32_t leaf_a, leaf_b;
    uint32_t slot_a, slot_b;
} gz_pair_place;
typedef GZ_LIST(gz_pair_place) gz_place_list;
typedef GZ_LIST(graze_pair) gz_pair_list;

typedef struct gz_pair_counters {
    uint64_t node_pairs;     // a node against a node: 64 boxes
    uint64_t leaf_pairs;     // leaves that were taken apart
    uint64_t box_pairs;      // triangles whose boxes were compared
    uint64_t triangle_pairs; // that went through the float test
    uint64_t exact_pairs;    // that it left to the exact one
    uint64_t contacts;
} gz_pair_counters;

static inline void gz_pair_counters_add(gz_pair_counters *sum, const gz_pair_counters *more)
{
    sum->node_pairs += more->node_pairs;
    sum->leaf_pairs += more->leaf_pairs;
    sum->box_pairs += more->box_pairs;
    sum->triangle_pairs += more->triangle_pairs;
    sum->exact_pairs += more->exact_pairs;
    sum->contacts += more->contacts;
}

// Is handed pairs one by one, in the world, and keeps what it likes; false ends the walk.
typedef struct gz_pair_visitor {
    bool (*visit)(void *data, const graze_triangle *a, const graze_triangle *b);
    void *data;
} gz_pair_visitor;

// What is asked of two trees.
typedef struct gz_pair_wish {
    const gz_tree *a, *b;
    const graze_pose *pose_a, *pose_b; // they stay until it is answered
    const gz_glance *near;             // what is known of their roots; NULL: to be found out
    double tolerance;                  // 0: do they share a point?
    bool bare;                         // spreads of leaves do not add to it
    // One pair of each two leaves will do: by b's place, then a's, the first that shares a point,
    // and if there is none, the first within the tolerance.
    bool one_each;
    bool listed;                    // else they are only counted
    bool placed;                    // listed with their places in the trees, too
    const gz_pair_visitor *visitor; // of all pairs that are kept; NULL: there is none
    uint64_t pair_limit;            // stop when there are so many: at least 1
    uint64_t work_limit;
    uint64_t deadline; // of gz_clock_ns; 0: none
    bool shared;       // on all threads of the context, if there are no limits
    bool recorded;     // not tested to the end, but put on the front's lists
    bool by_front;     // of the pairs on that list only
    // Of what is recorded: pairs that stay within `inner` while nothing of B moves by more than
    // `reach`.
    double inner, reach;
} gz_pair_wish;

// All pairs that share a point, listed.
static inline gz_pair_wish gz_pair_wish_all(const gz_tree *a, const graze_pose *pose_a,
                                            const gz_tree *b, const graze_pose *pose_b)
{
    return (gz_pair_wish){.a = a,
                          .b = b,
                          .pose_a = pose_a,
                          .pose_b = pose_b,
                          .listed = true,
                          .pair_limit = UINT64_MAX,
                          .work_limit = UINT64_MAX};
}

typedef struct gz_pair_query {
    gz_pair_wish wish;
    gz_frames frames;

    graze_context *context;
    gz_byte_list scratch;
    gz_pair_list pairs;
    gz_place_list places; // one for each pair
    gz_pair_counters counters;
    uint64_t work_due;             // when to look at the limits again
    graze_status status;           // of memory and patience
    bool stopped;                  // by a limit or by the status: no more is looked for
    bool late;                     // by the deadline
    struct gz_front *front;        // NULL: none is kept
    bool with_sure;                // the front's sure pairs are to be added to those listed
    bool within;                   // the test is for a distance, not for a common point
    uint32_t last_a, last_b;       // leaves of the last pair that was kept, where one each will do
    struct gz_pair_query *helpers; // one for each further thread, kept warm
    uint32_t helper_count;
} gz_pair_query;

void gz_pair_query_init(gz_pair_query *query, graze_context *context);
void gz_pair_query_free(gz_pair_query *query);
// Fills query->pairs and query->counters; pairs come in an order that depends on the trees only.
// Sets query->stopped if there may be more.
graze_status gz_pair_query_run(gz_pair_query *query, const gz_pair_wish *wish);

// At most so far apart are two triangles in contact.
double gz_pair_tolerance(const gz_pair_query *query, uint32_t leaf_a, uint32_t leaf_b);
// For the kernels: the exact answer for two triangles, within the tolerance or sharing a point,
// contacts to keep, and for the front's lists pairs that may be in contact, and pairs that will be.
bool gz_pair_touches(const gz_pair_query *query, const gz_pair_place *place, bool within);
void gz_pair_keep(gz_pair_query *query, const gz_pair_place *places, uint32_t count);
void gz_pair_record(gz_pair_query *query, const gz_pair_place *places, uint32_t count, bool sure);
// Where one pair of two leaves will do: whether this is the first of them.
static inline bool gz_pair_is_next(gz_pair_query *query, const gz_pair_place *place)
{
    bool same = place->leaf_a == query->last_a && place->leaf_b == query->last_b;
    query->last_a = place->leaf_a;
    query->last_b = place->leaf_b;
    return !same;
}
void gz_pair_look_around(gz_pair_query *query); // at limits and cancellation

// A measure that hardly depends on the machine: about nanoseconds on a fast core of 2020.
static inline uint64_t gz_pair_work(const gz_pair_counters *c)
{
    return 1 + 16 * c->node_pairs + 64 * c->leaf_pairs + 8 * c->triangle_pairs +
           256 * c->exact_pairs;
}
static inline bool gz_pair_go_on(gz_pair_query *query)
{
    if (gz_pair_work(&query->counters) >= query->work_due)
        gz_pair_look_around(query);
    return !query->stopped;
}

// Walks the children of one node of A that `lanes` names against all of B.
typedef void gz_pair_kernel(gz_pair_query *query, uint32_t node_a, uint32_t lanes);
// Tests a list of pairs, of which those of the same leaves stand together.
typedef void gz_pair_list_kernel(gz_pair_query *query, const gz_pair_place *places, uint64_t count);

// For the query itself: one question on all threads. False where it had better be one.
bool gz_pair_run_shared(gz_pair_query *query, gz_pair_kernel *kernel);
void gz_pair_free_helpers(gz_pair_query *query);
#endif
