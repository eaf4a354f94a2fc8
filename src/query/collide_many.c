// Contacts in many poses, on all threads. Each thread keeps the lists of its answers one behind the
// other; where they are is told in the end, when they do not move any more.
#include <string.h>

#include "base/context.h"
#include "base/def.h"
#include "query/many_poses.h"

typedef struct many_answers {
    graze_query *query;
    graze_posed a;
    const graze_shape *b;
    const graze_pose *poses;
    const graze_collide_def *def;
    graze_answer *answers;
} many_answers;

static graze_status answer_one(void *data, gz_worker *worker, uint64_t index)
{
    const many_answers *m = data;
    graze_answer *answer = &m->answers[index];
    graze_status status =
        graze_query_collide(worker->query, m->a, graze_at(m->b, &m->poses[index]), m->def, answer);
    if (status != GRAZE_OK || answer->pairs == NULL || answer->pair_count == 0)
        return status;
    uint64_t first = worker->pairs.count;
    gz_listed *listed = NULL;
    graze_context *context = m->query->context;
    if (gz_list_append(context, &worker->pairs, answer->pairs, answer->pair_count) &&
        (answer->contacts == NULL ||
         gz_list_append(context, &worker->contacts, answer->contacts, answer->pair_count)))
        listed = gz_list_push(context, &worker->listed, 1);
    if (listed == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY,
                       "graze_query_collide_many: out of memory for the lists of pairs");
    *listed = (gz_listed){index, first};
    return GRAZE_OK;
}

static void tell_lists(const many_answers *m)
{
    for (uint32_t i = 0; i < m->query->worker_count; ++i) {
        const gz_worker *worker = &m->query->workers[i];
        const gz_listed *listed = worker->listed.items;
        for (uint64_t k = 0; k < worker->listed.count; ++k) {
            graze_answer *answer = &m->answers[listed[k].answer];
            answer->pairs = (const graze_pair *)worker->pairs.items + listed[k].first;
            if (answer->contacts != NULL)
                answer->contacts = (const graze_contact *)worker->contacts.items + listed[k].first;
        }
    }
}

// Threads find the fronts of all of them made.
static bool make_fronts(const graze_query *query, graze_front *front)
{
    return front == NULL || gz_front_of(front, query->context->def.thread_count - 1) != NULL;
}

graze_status graze_query_collide_many(graze_query *query, graze_posed a, const graze_shape *b,
                                      const graze_pose *poses, uint64_t pose_count,
                                      const graze_collide_def *given, graze_answer *answers)
{
    const char *who = "graze_query_collide_many";
    if (query == NULL || ((poses == NULL || answers == NULL) && pose_count != 0))
        return gz_fail_null(query == NULL ? NULL : query->context, who);
    graze_collide_def room = graze_collide_def_default();
    const graze_collide_def *def = gz_def_known(query->context, who, given, &room, sizeof room);
    if (def == NULL)
        return GRAZE_ERROR_ARGUMENT;
    graze_collide_def alone = *def;
    alone.use_threads = 0;
    if (!make_fronts(query, alone.front))
        return GRAZE_ERROR_MEMORY;
    many_answers m = {query, a, b, poses, &alone, answers};
    graze_status status = gz_many_poses(query, who, pose_count, answer_one, &m);
    if (status == GRAZE_OK)
        tell_lists(&m);
    return status;
}
