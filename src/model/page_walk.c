// Reads all pages of a model. See page_walk.h.
#include "model/page_walk.h"

#include <string.h>

#include "base/context.h"
#include "base/threads.h"

#define SLOTS_A_THREAD 4u // so that a slow page keeps nobody waiting for long
#define MOST_SLOTS     128u

static bool make_slots(gz_page_walk *walk)
{
    graze_context *context = walk->model->context;
    walk->slots = GZ_NEW_ARRAY(context, gz_page_slot, walk->slot_count);
    if (walk->slots == NULL)
        return walk->slot_count == 0;
    memset(walk->slots, 0, walk->slot_count * sizeof *walk->slots);
    for (uint32_t i = 0; i < walk->slot_count; ++i) {
        gz_page_slot *slot = &walk->slots[i];
        slot->cluster = gz_allocate(context, sizeof *slot->cluster);
        if (slot->cluster == NULL)
            return false;
    }
    return true;
}

graze_status gz_page_walk_open(graze_model *model, const char *stage, uint32_t page_count,
                               gz_page_walk *walk)
{
    uint64_t most = (uint64_t)model->context->def.thread_count * SLOTS_A_THREAD;
    most = most < MOST_SLOTS ? most : MOST_SLOTS;
    *walk = (gz_page_walk){.model = model,
                           .stage = stage,
                           .slot_count = most < page_count ? (uint32_t)most : page_count,
                           .end = page_count};
    if (make_slots(walk))
        return GRAZE_OK;
    gz_page_walk_close(walk);
    return gz_fail(model->context, GRAZE_ERROR_MEMORY, "%s: out of memory for pages", model->path);
}

void gz_page_walk_close(gz_page_walk *walk)
{
    for (uint32_t i = 0; walk->slots != NULL && i < walk->slot_count; ++i) {
        gz_page_slot *slot = &walk->slots[i];
        gz_release(walk->model->context, slot->cluster, sizeof *slot->cluster);
    }
    if (walk->slots != NULL)
        GZ_FREE_ARRAY(walk->model->context, walk->slots, walk->slot_count);
    *walk = (gz_page_walk){0};
}

static void fill_slot(void *data, uint32_t index)
{
    gz_page_walk *walk = data;
    gz_page_slot *slot = &walk->slots[index];
    slot->number = walk->next + index;
    slot->wrong = NULL;
    slot->status = GRAZE_ERROR_MEMORY;
    gz_cache_reservation *reservation = gz_cache_reserve(walk->model->cache);
    if (reservation == NULL)
        return;
    slot->status =
        gz_cache_read_cluster(reservation, walk->model, slot->number, slot->cluster, &slot->wrong);
    gz_cache_release(reservation);
}

graze_status gz_page_walk_next(gz_page_walk *walk)
{
    walk->next += walk->filled;
    GZ_ASSERT(walk->next <= walk->end);
    uint32_t left = walk->end - walk->next;
    walk->filled = walk->slot_count < left ? walk->slot_count : left;
    graze_status status =
        gz_checkpoint(walk->model->context, walk->stage, "pages", walk->next, walk->end);
    if (status == GRAZE_OK)
        gz_parallel(walk->model->context, walk->filled, fill_slot, walk);
    else
        walk->filled = 0;
    return status;
}
