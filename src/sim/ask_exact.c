// The engine that asks the original triangles. See ask.h.
#include <math.h>

#include "query/pair_stream.h"
#include "sim/ask.h"
#include "sim/touches.h"

bool gz_collect_pair(void *data, const graze_triangle *a, const graze_triangle *b)
{
    gz_collector *c = data;
    c->full = c->asker->triangles.count / 2 >= c->most;
    if (c->full)
        return false;
    graze_triangle *room = gz_list_push(c->asker->sim->context, &c->asker->triangles, 2);
    c->failed = room == NULL;
    if (room == NULL)
        return false;
    room[0] = *(c->swapped ? b : a);
    room[1] = *(c->swapped ? a : b);
    return true;
}

static graze_status exact_triangles(gz_asker *asker, const gz_question *question, double reach,
                                    uint64_t most, bool *complete)
{
    gz_collector c = {.asker = asker, .most = most};
    const gz_pair_visitor visitor = {gz_collect_pair, &c};
    asker->triangles.count = 0;
    asker->offset = 0;
    graze_status status =
        gz_pairs_show(asker->query, question->a, question->b, reach, &visitor, complete);
    *complete = *complete && !c.full;
    return c.failed ? GRAZE_ERROR_MEMORY : status;
}

static graze_status exact_separation(gz_asker *asker, const gz_question *question, double limit,
                                     double *least)
{
    graze_distance_def def = graze_distance_def_default();
    graze_distance distance;
    def.limit = limit;
    def.value_only = 1;
    graze_status status =
        graze_query_distance(asker->query, question->a, question->b, &def, &distance);
    if (status == GRAZE_OK)
        *least = distance.verdict == GRAZE_APART ? HUGE_VAL : distance.least;
    return status;
}

static graze_status exact_touches(gz_asker *asker, const gz_question *question, double reach)
{
    bool complete;
    graze_status status = exact_triangles(asker, question, reach, UINT64_MAX, &complete);
    return status == GRAZE_OK ? gz_touches_make(asker, reach) : status;
}

const gz_sim_engine gz_exact_engine = {exact_separation, exact_touches, exact_triangles};
