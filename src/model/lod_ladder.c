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

gz_ladder_state gz_ladder_get_state(graze_model *model)
{
    pthread_mutex_lock(&model->cuts->lock);
    gz_ladder_state state = model->cuts->prepared        ? GZ_LADDER_READY
                            : model->cuts->tried_in_vain ? GZ_LADDER_FAILED
                                                         : GZ_LADDER_NONE;
    pthread_mutex_unlock(&model->cuts->lock);
    return model->header.triangle_count == 0 ? GZ_LADDER_READY : state;
}

static void set_state(graze_model *model, graze_status status)
{
    pthread_mutex_lock(&model->cuts->lock);
    model->cuts->prepared = status == GRAZE_OK;
    model->cuts->tried_in_vain = status != GRAZE_OK;
    pthread_mutex_unlock(&model->cuts->lock);
}

graze_status gz_ladder_prepare(graze_model *model, uint64_t *page_loads)
{
    if (gz_ladder_get_state(model) == GZ_LADDER_READY)
        return GRAZE_OK;
    gz_cache_reservation *reservation = gz_cache_reserve(model->cache);
    if (reservation == NULL)
        return GRAZE_ERROR_MEMORY;
    uint64_t before = gz_cache_loads(reservation);
    graze_status status = prepare(model, reservation);
    *page_loads += gz_cache_loads(reservation) - before;
    gz_cache_release(reservation);
    set_state(model, status);
    return status;
}

void gz_ladder_try(graze_model *model)
{
    uint64_t page_loads = 0;
    if (gz_ladder_prepare(model, &page_loads) != GRAZE_OK)
        set_state(model, GRAZE_ERROR_MEMORY);
}

bool gz_ladder_has(graze_model *model, double share)
{
    bool found = false;
    pthread_mutex_lock(&model->cuts->lock);
    for (int i = 0; i < GZ_LOD_CUTS_KEPT && !found; ++i)
        found = model->cuts->kept[i] != NULL && model->cuts->kept[i]->share == share;
    pthread_mutex_unlock(&model->cuts->lock);
    return found;
}
