// One question about two trees on all threads: A is cut into tasks, each of which is walked
// against all of B. Pairs come in any order, since lists are sorted in the end. Contacts and tests
// of triangles are counted as on one thread; nodes more often, since each task begins at B's root.
#include <stdatomic.h>
#include <string.h>

#include "base/context.h"
#include "base/threads.h"
#include "boxtree/tree_pairs.h"

// Enough to share evenly, and no more: each is walked from the root of B.
#define PIECES_EACH 24 // about so many for a thread
#define PIECES      256

// A child of a node of A.
typedef struct task {
    uint32_t node, lane;
} task;

typedef struct shared_run {
    gz_pair_query *query;
    gz_pair_kernel *kernel;
    task tasks[PIECES + GZ_WIDE];
    uint32_t count;
    _Atomic uint32_t next;
    _Atomic bool stopped;
} shared_run;

static void add_children(shared_run *run, uint32_t node)
{
    uint32_t lanes = (UINT32_C(1) << gz_tree_links(run->query->frames.a, node)->child_count) - 1;
    for (lanes &= node == 0 ? run->query->frames.near.a : lanes; lanes != 0; lanes &= lanes - 1)
        run->tasks[run->count++] = (task){node, (uint32_t)__builtin_ctz(lanes)};
}

// Opens tasks, first come first, until there are enough; leaves stay.
static void cut(shared_run *run, uint32_t threads)
{
    const gz_tree *a = run->query->frames.a;
    uint32_t wanted = threads < PIECES / PIECES_EACH ? threads * PIECES_EACH : PIECES;
    add_children(run, 0);
    for (uint32_t first = 0; first < run->count && run->count < wanted; ++first) {
        task p = run->tasks[first];
        uint32_t child = gz_tree_links(a, p.node)->child[p.lane];
        if ((child & GZ_IS_LEAF) != 0)
            continue;
        add_children(run, child);
        run->tasks[first].lane = UINT32_MAX; // opened
    }
}

static void work(void *data, uint32_t index)
{
    shared_run *run = data;
    gz_pair_query *query = index == 0 ? run->query : &run->query->helpers[index - 1];
    for (;;) {
        uint32_t next = atomic_fetch_add(&run->next, 1);
        if (next >= run->count || query->stopped || atomic_load(&run->stopped))
            break;
        if (run->tasks[next].lane != UINT32_MAX)
            run->kernel(query, run->tasks[next].node, UINT32_C(1) << run->tasks[next].lane);
    }
    if (query->stopped)
        atomic_store(&run->stopped, true);
}

static bool have_helpers(gz_pair_query *query, uint32_t count)
{
    if (query->helper_count >= count)
        return true;
    gz_pair_free_helpers(query);
    query->helpers = GZ_NEW_ARRAY(query->context, gz_pair_query, count);
    if (query->helpers == NULL)
        return false;
    query->helper_count = count;
    for (uint32_t i = 0; i < count; ++i)
        gz_pair_query_init(&query->helpers[i], query->context);
    return true;
}

static void prepare_helper(gz_pair_query *helper, const gz_pair_query *query)
{
    helper->wish = query->wish;
    helper->frames = query->frames;
    helper->within = query->within;
    helper->last_a = helper->last_b = UINT32_MAX;
    helper->counters = (gz_pair_counters){0};
    helper->pairs.count = helper->places.count = helper->scratch.count = 0;
    helper->status = GRAZE_OK;
    helper->stopped = false;
    helper->work_due = 0;
}

static void join(gz_pair_query *query, const gz_pair_query *helper)
{
    gz_pair_counters_add(&query->counters, &helper->counters);
    if (query->status == GRAZE_OK)
        query->status = helper->status;
    if (query->status == GRAZE_OK &&
        (!gz_list_append(query->context, &query->pairs, helper->pairs.items, helper->pairs.count) ||
         !gz_list_append(query->context, &query->places, helper->places.items,
                         helper->places.count)))
        query->status = GRAZE_ERROR_MEMORY;
    if (query->status != GRAZE_OK)
        query->stopped = true;
}

bool gz_pair_run_shared(gz_pair_query *query, gz_pair_kernel *kernel)
{
    uint32_t threads = query->context->def.thread_count;
    if (threads < 2 || query->wish.pair_limit != UINT64_MAX ||
        query->wish.work_limit != UINT64_MAX || !have_helpers(query, threads - 1))
        return false;
    shared_run run = {.query = query, .kernel = kernel};
    cut(&run, threads);
    for (uint32_t i = 0; i < threads - 1; ++i)
        prepare_helper(&query->helpers[i], query);
    gz_parallel(query->context, threads, work, &run);
    for (uint32_t i = 0; i < threads - 1; ++i)
        join(query, &query->helpers[i]);
    return true;
}

void gz_pair_free_helpers(gz_pair_query *query)
{
    for (uint32_t i = 0; i < query->helper_count; ++i)
        gz_pair_query_free(&query->helpers[i]);
    GZ_FREE_ARRAY(query->context, query->helpers, query->helper_count);
    query->helpers = NULL;
    query->helper_count = 0;
}
