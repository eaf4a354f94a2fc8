// Hands poses out to threads. See many_poses.h.
#include "query/many_poses.h"

#include <stdatomic.h>
#include <string.h>

#include "base/context.h"
#include "base/threads.h"

#define RUN 16 // poses that a thread takes at once

typedef struct many {
    graze_query *query;
    uint64_t count;
    gz_pose_answer *answer;
    void *data;
    _Atomic uint64_t next;
    _Atomic bool failed;
} many;

// A question that is quickly answered does not look whether it should go on; so each run begins by
// looking.
static void work(void *data, uint32_t number)
{
    many *m = data;
    gz_worker *worker = &m->query->workers[number];
    while (!atomic_load(&m->failed)) {
        uint64_t first = atomic_fetch_add(&m->next, RUN);
        if (first >= m->count)
            return;
        uint64_t end = m->count - first < RUN ? m->count : first + RUN;
        worker->status = gz_checkpoint(m->query->context, "asking", "poses", first, m->count);
        for (uint64_t i = first; i < end && worker->status == GRAZE_OK; ++i)
            worker->status = m->answer(m->data, worker, i);
        if (worker->status != GRAZE_OK)
            atomic_store(&m->failed, true);
    }
}

static graze_status have_workers(graze_query *query, const char *who, uint32_t count)
{
    if (query->worker_count < count) {
        gz_query_free_workers(query);
        query->workers = GZ_NEW_ARRAY(query->context, gz_worker, count);
        if (query->workers == NULL)
            return gz_fail(query->context, GRAZE_ERROR_MEMORY, "%s: out of memory", who);
        memset(query->workers, 0, count * sizeof *query->workers);
        query->worker_count = count;
    }
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        gz_worker *worker = &query->workers[i];
        worker->pairs.count = worker->contacts.count = worker->listed.count = 0;
        worker->status = GRAZE_OK;
        if (worker->query == NULL) {
            graze_status status = graze_query_create(query->context, &worker->query);
            if (status != GRAZE_OK)
                return status;
            worker->query->number = i;
        }
    }
    return GRAZE_OK;
}

graze_status gz_many_poses(graze_query *query, const char *who, uint64_t count,
                           gz_pose_answer *answer, void *data)
{
    graze_status status = have_workers(query, who, query->context->def.thread_count);
    if (status != GRAZE_OK)
        return status;
    many m = {.query = query, .count = count, .answer = answer, .data = data};
    gz_parallel(query->context, query->worker_count, work, &m);
    for (uint32_t i = 0; i < query->worker_count && status == GRAZE_OK; ++i)
        status = query->workers[i].status;
    return status;
}

void gz_query_free_workers(graze_query *query)
{
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        gz_worker *worker = &query->workers[i];
        graze_query_free(worker->query);
        gz_list_free(query->context, &worker->pairs);
        gz_list_free(query->context, &worker->contacts);
        gz_list_free(query->context, &worker->listed);
    }
    GZ_FREE_ARRAY(query->context, query->workers, query->worker_count);
    query->workers = NULL;
    query->worker_count = 0;
}
