// Many poses, on all threads. Poses are handed out in runs, so that threads seldom meet; each
// thread has a query of its own and keeps the lists of its answers one behind the other. Where the
// lists are is told in the end, when they do not move any more.
#include <stdatomic.h>
#include <string.h>

#include "base/context.h"
#include "base/threads.h"
#include "query/query_scratch.h"

#define RUN 16 // poses that a thread takes at once

typedef struct many {
    graze_query *query;
    const graze_shape *a, *b;
    const graze_pose *poses;
    uint64_t count;
    const graze_collide_def *def;
    graze_answer *answers;
    _Atomic uint64_t next;
    _Atomic bool failed;
} many;

// Copies a list of an answer to the end of the worker's, if there is one.
static bool keep(const many *m, gz_list *to, const void *from, const graze_answer *answer,
                 uint64_t item_bytes)
{
    if (from == NULL)
        return true;
    void *room = gz_list_push(m->query->context, to, item_bytes, answer->pair_count);
    if (room != NULL)
        memcpy(room, from, (size_t)(answer->pair_count * item_bytes));
    return room != NULL;
}

static graze_status answer_one(many *m, gz_worker *worker, uint64_t index)
{
    const graze_pose still = graze_pose_identity();
    graze_answer *answer = &m->answers[index];
    graze_status status =
        graze_query_collide(worker->query, m->a, &still, m->b, &m->poses[index], m->def, answer);
    if (status != GRAZE_OK || answer->pairs == NULL || answer->pair_count == 0)
        return status;
    uint64_t first = worker->pairs.count;
    gz_listed *listed = NULL;
    if (keep(m, &worker->pairs, answer->pairs, answer, sizeof(graze_pair)) &&
        keep(m, &worker->contacts, answer->contacts, answer, sizeof(graze_contact)))
        listed = gz_list_push(m->query->context, &worker->listed, sizeof *listed, 1);
    if (listed == NULL)
        return gz_fail(m->query->context, GRAZE_ERROR_MEMORY,
                       "graze_query_collide_many: out of memory for the lists of pairs");
    *listed = (gz_listed){index, first};
    return GRAZE_OK;
}

static void work(void *data, uint32_t number)
{
    many *m = data;
    gz_worker *worker = &m->query->workers[number];
    while (!atomic_load(&m->failed)) {
        uint64_t first = atomic_fetch_add(&m->next, RUN);
        if (first >= m->count)
            return;
        uint64_t end = m->count - first < RUN ? m->count : first + RUN;
        for (uint64_t i = first; i < end && worker->status == GRAZE_OK; ++i)
            worker->status = answer_one(m, worker, i);
        if (worker->status != GRAZE_OK)
            atomic_store(&m->failed, true);
    }
}

static graze_status have_workers(graze_query *query, uint32_t count)
{
    if (query->worker_count < count) {
        gz_query_free_workers(query);
        query->workers = GZ_NEW_ARRAY(query->context, gz_worker, count);
        if (query->workers == NULL)
            return gz_fail(query->context, GRAZE_ERROR_MEMORY,
                           "graze_query_collide_many: out of memory");
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
        }
    }
    return GRAZE_OK;
}

// Tells answers where their lists are. The status is that of the first worker that failed.
static graze_status finish(const many *m)
{
    graze_status status = GRAZE_OK;
    for (uint32_t i = 0; i < m->query->worker_count; ++i) {
        const gz_worker *worker = &m->query->workers[i];
        const gz_listed *listed = worker->listed.items;
        for (uint64_t k = 0; k < worker->listed.count; ++k) {
            graze_answer *answer = &m->answers[listed[k].answer];
            answer->pairs = (const graze_pair *)worker->pairs.items + listed[k].first;
            if (answer->contacts != NULL)
                answer->contacts = (const graze_contact *)worker->contacts.items + listed[k].first;
        }
        if (status == GRAZE_OK)
            status = worker->status;
    }
    return status;
}

graze_status graze_query_collide_many(graze_query *query, const graze_shape *a,
                                      const graze_shape *b, const graze_pose *poses,
                                      uint64_t pose_count, const graze_collide_def *def,
                                      graze_answer *answers)
{
    if (query == NULL || ((poses == NULL || answers == NULL) && pose_count != 0))
        return GRAZE_ERROR_ARGUMENT;
    graze_status status = have_workers(query, query->context->def.thread_count);
    if (status != GRAZE_OK)
        return status;
    graze_collide_def alone = def == NULL ? graze_collide_def_default() : *def;
    alone.use_threads = 0;
    many m = {.query = query,
              .a = a,
              .b = b,
              .poses = poses,
              .count = pose_count,
              .def = &alone,
              .answers = answers};
    gz_parallel(query->context, query->worker_count, work, &m);
    return finish(&m);
}

void gz_query_free_workers(graze_query *query)
{
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        gz_worker *worker = &query->workers[i];
        graze_query_free(worker->query);
        gz_list_free(query->context, &worker->pairs, sizeof(graze_pair));
        gz_list_free(query->context, &worker->contacts, sizeof(graze_contact));
        gz_list_free(query->context, &worker->listed, sizeof(gz_listed));
    }
    GZ_FREE_ARRAY(query->context, query->workers, query->worker_count);
    query->workers = NULL;
    query->worker_count = 0;
}
