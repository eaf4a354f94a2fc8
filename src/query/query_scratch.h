// A query: the scratch that questions about two shapes need, and the answer's lists.
#ifndef GZ_QUERY_SCRATCH_H
#define GZ_QUERY_SCRATCH_H

#include "base/memory.h"
#include "boxtree/tree_distance.h"
#include "boxtree/tree_front.h"
#include "boxtree/tree_pairs.h"
#include "graze/query.h"
#include "model/lod_place.h"
#include "query/part_fronts.h"
#include "query/shape_parts.h"

// Where the list of an answer begins.
typedef struct gz_listed {
    uint64_t answer, first;
} gz_listed;

typedef GZ_LIST(graze_contact) gz_contact_list;
typedef GZ_LIST(struct gz_depth_cell) gz_depth_heap;         // of penetration.c
typedef GZ_LIST(struct gz_shard) gz_shard_list;              // of shards.c
typedef GZ_LIST(struct gz_waiting_clusters) gz_cluster_heap; // of parts_distance.c
typedef GZ_LIST(struct gz_waiting_parts) gz_part_heap;       // of lod_distance.c

// One thread's part of a question about many poses.
typedef struct gz_worker {
    graze_query *query;
    gz_pair_list pairs;       // of all its answers
    gz_contact_list contacts; // the same
    GZ_LIST(gz_listed) listed;
    graze_status status;
} gz_worker;

struct graze_query {
    graze_context *context;
    gz_pair_query pairs;
    gz_distance_query distance;
    gz_pair_list sorted;                       // for sorting
    GZ_LIST(struct gz_contact_record) records; // of contacts.c, for sorting
    gz_contact_list contacts;
    gz_depth_heap cells;  // of penetration.c
    gz_shard_list shards; // of shards.c
    gz_worker *workers;
    uint32_t worker_count;
    uint32_t number;                // of this query among the workers of another; 0 for users' own
    struct gz_parts_scratch *parts; // of parts_collide.c; NULL until shapes of many parts are asked
    gz_cluster_heap heap;           // of parts_distance.c
    gz_part_heap lod_heap;          // of lod_distance.c
    gz_lod_place places[2];         // of lod_collide.c: cuts by place
    struct gz_budget_scratch *budgets; // of budget.c; NULL until there is a time limit
    struct gz_detail_run *details;     // of detail_collide.c; NULL until details are asked
    struct gz_budget *budget;          // of the question that this one is a rung of; NULL: none
};

// One front for each thread of a question about many poses; others use the first.
struct graze_front {
    graze_context *context;
    GZ_LIST(gz_front) fronts;
    GZ_LIST(gz_part_fronts) parts;   // the same for shapes of many parts
    struct gz_detail_front *details; // NULL until it is used with details
};

// The front of a worker, which is there from then on. NULL, with a sentence, when out of memory.
gz_front *gz_front_of(graze_front *front, uint32_t worker);
gz_part_fronts *gz_part_fronts_of(graze_front *front, uint32_t worker); // the same

void gz_query_free_workers(graze_query *query);
void gz_penetration_free(graze_query *query);
void gz_parts_free(graze_query *query);
void gz_parts_distance_free(graze_query *query);
void gz_details_free(graze_query *query);
void gz_detail_front_end(graze_front *front);

// GRAZE_ERROR_ARGUMENT, with a sentence, unless shapes and poses can be asked about: models are of
// the query's context, rotations are rotations, and no posed coordinate overflows. A pose that is
// NULL becomes the identity.
graze_status gz_question_check(const graze_query *query, const char *who, graze_posed *a,
                               graze_posed *b);
// GRAZE_ERROR_ARGUMENT, with a sentence, unless an error and a time limit are such.
graze_status gz_question_limits(const graze_query *query, const char *who, double error,
                                double time_limit);

static inline graze_counters gz_question_counters(const gz_pair_counters *c)
{
    return (graze_counters){
        .work = gz_pair_work(c),
        .box_tests = 64 * c->node_pairs + c->box_pairs,
        .triangle_tests = c->triangle_pairs,
        .exact_tests = c->exact_pairs,
    };
}
static inline void gz_counters_add(graze_counters *sum, const graze_counters *more)
{
    sum->work += more->work;
    sum->box_tests += more->box_tests;
    sum->triangle_tests += more->triangle_tests;
    sum->exact_tests += more->exact_tests;
    sum->part_pairs += more->part_pairs;
    sum->page_loads += more->page_loads;
    sum->page_misses += more->page_misses;
}

#endif
