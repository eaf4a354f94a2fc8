// Prepares the cuts of a model at powers of two. See lod_ladder.h.
#include "model/lod_ladder.h"

#include <math.h>

#include "base/context.h"

int gz_ladder_top(const graze_model *model)
{
    double most = 0;
    for (uint32_t g = 0; g < model->header.group_count; ++g) {
        const gz_group_entry *group = &model->groups[g];
        double error = gz_lod_error(&group->steps[group->step_count - 1]);
        if (error < HUGE_VAL)
            most = fmax(most, error);
    }
    int exponent = 0;
    (void)frexp(most, &exponent); // most < 2^exponent
    return most > 0 ? exponent : 0;
}

static graze_status keep_pages(const gz_lod_cut *cut, gz_cache_reservation *reservation, bool *room)
{
    for (uint32_t i = 0; i < cut->part_count && *room; ++i) {
        const gz_tree *tree;
        graze_status status =
            gz_cache_pin(reservation, gz_cluster_key(cut->model, cut->parts[i].cluster), &tree);
        if (status != GRAZE_OK)
            return status;
        *room = gz_cache_keep(reservation, tree) != GZ_KEPT_NO_ROOM;
    }
    return GRAZE_OK;
}

static graze_status prepare(graze_model *model, gz_cache_reservation *reservation)
{
    int top = gz_ladder_top(model);
    bool room = true;
    graze_status status = GRAZE_OK;
    for (int rung = 0; rung < GZ_LADDER_RUNGS && status == GRAZE_OK; ++rung) {
        gz_lod_cut *cut = gz_lod_cut_take(model, ldexp(1, top - rung));
        if (cut == NULL)
            return GRAZE_ERROR_MEMORY;
        if (rung == 0 || cut->triangle_count <= GZ_LADDER_TRIANGLES)
            status = keep_pages(cut, reservation, &room);
        bool original = !(cut->error > 0);
        gz_lod_cut_give(cut);
        if (original)
            break;
    }
    return status;
}

graze_status gz_ladder_prepare(graze_model *model)
{
    pthread_mutex_lock(&model->cuts->lock);
    bool prepared = model->cuts->prepared;
    pthread_mutex_unlock(&model->cuts->lock);
    if (prepared || model->header.triangle_count == 0)
        return GRAZE_OK;
    gz_cache_reservation *reservation = gz_cache_reserve(model->cache);
    if (reservation == NULL)
        return GRAZE_ERROR_MEMORY;
    graze_status status = prepare(model, reservation);
    gz_cache_release(reservation);
    pthread_mutex_lock(&model->cuts->lock);
    model->cuts->prepared = status == GRAZE_OK;
    pthread_mutex_unlock(&model->cuts->lock);
    return status;
}
