// The engine that pushes where contact details are in contact. See ask.h, and
// graze/contact_detail.h.
//
// A detail says where two surfaces are in contact, and how large that place is, by pieces that
// stray from the originals: what it calls a depth is one of pieces. So it decides where bodies push
// and how far apart they come to rest, but not how far they may go: that is proved by the original
// triangles.
#include <string.h>

#include "base/context.h"
#include "sim/ask.h"
#include "sim/touches.h"

static graze_status detail_separation(gz_asker *asker, const gz_question *question, double limit,
                                      double *least)
{
    return gz_exact_engine.separation(asker, question, limit, least);
}

static graze_status detail_triangles(gz_asker *asker, const gz_question *question, double reach,
                                     uint64_t most, bool *complete)
{
    return gz_exact_engine.triangles(asker, question, reach, most, complete);
}

static graze_status detail_touches(gz_asker *asker, const gz_question *question, double reach)
{
    graze_detail_collide_def def = graze_detail_collide_def_default();
    graze_detail_answer answer;
    const graze_detailed a = {question->a.shape, question->detail[0], question->a.pose};
    const graze_detailed b = {question->b.shape, question->detail[1], question->b.pose};
    def.tolerance = reach;
    def.error = question->error;
    graze_status status = graze_query_detail(asker->query, &a, &b, &def, &answer);
    if (status != GRAZE_OK)
        return status;
    asker->found.count = 0;
    gz_touch *touches = gz_list_push(asker->sim->context, &asker->found, answer.contact_count);
    if (touches == NULL && answer.contact_count != 0)
        return GRAZE_ERROR_MEMORY;
    for (uint64_t i = 0; i < answer.contact_count; ++i) {
        const graze_detail_contact *c = &answer.contacts[i];
        memcpy(touches[i].point[0], c->point_a, sizeof c->point_a);
        memcpy(touches[i].point[1], c->point_b, sizeof c->point_b);
        memcpy(touches[i].normal, c->normal, sizeof c->normal);
        touches[i].gap = -c->depth;
    }
    return gz_touches_thin(asker);
}

const gz_sim_engine gz_detail_engine = {detail_separation, detail_touches, detail_triangles};
