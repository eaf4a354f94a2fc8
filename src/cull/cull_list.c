// From what tasks have found to the lists of an answer: pairs of two objects side by side, sorted,
// and their contacts. See cull_state.h.
#include <string.h>

#include "base/context.h"
#include "base/threads.h"
#include "boxtree/pair_sort.h"
#include "cull/cull_state.h"
#include "geometry/contact.h"
#include "geometry/fpu.h"

#define TASK  64u   // contacts that a thread takes at once
#define BLOCK 4096u // contacts between two looks at the cancel callback

// Pairs of all tasks of two objects, sorted.
static void list_pairs(void *data, uint32_t number)
{
    graze_cull *cull = data;
    const gz_cull_object_work *work = &cull->works.items[number];
    graze_pair *pairs = cull->pairs.items + work->first_pair;
    uint64_t count = 0;
    if (work->count == 0)
        return;
    for (uint32_t i = 0; i < work->task_count; ++i)
        for (const gz_cull_found *found = cull->tasks.items[work->first_task + i].found;
             found != NULL; found = found->next) {
            memcpy(pairs + count, found->pairs, found->count * sizeof *pairs);
            count += found->count;
        }
    GZ_ASSERT(count == work->count);
    graze_pair *spare = cull->spare.items + work->first_pair;
    graze_pair objects = cull->object_pairs.items[number];
    if (gz_pairs_sort(pairs, spare, count, cull->objects.items[objects.a].triangle_count,
                      cull->objects.items[objects.b].triangle_count) == spare)
        memcpy(pairs, spare, (size_t)count * sizeof *pairs);
}

typedef struct contact_block {
    graze_cull *cull;
    uint64_t first, end;
} contact_block;

// Which objects a pair belongs to: the last that begins at or before it.
static const graze_cull_objects *owner_of(const graze_cull *cull, uint64_t pair)
{
    uint64_t low = 0, high = cull->met.count;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (cull->met.items[middle].first_pair <= pair)
            low = middle;
        else
            high = middle;
    }
    return &cull->met.items[low];
}

static void take_corners(const graze_mesh_view *view, uint32_t triangle, graze_triangle *out)
{
    for (uint32_t k = 0; k < 3; ++k)
        graze_mesh_view_corner(view, triangle, k, out->corner[k]);
}

static void make_contacts(void *data, uint32_t number)
{
    const contact_block *block = data;
    graze_cull *cull = block->cull;
    uint64_t first = block->first + (uint64_t)number * TASK;
    uint64_t end = first + TASK < block->end ? first + TASK : block->end;
    const graze_cull_objects *owner = owner_of(cull, first);
    gz_fpu_state state = gz_fpu_enter();
    for (uint64_t i = first; i < end; ++i) {
        graze_triangle a, b;
        while (i >= owner->first_pair + owner->pair_count)
            ++owner;
        graze_contact *contact = &cull->contacts.items[i];
        contact->pair = cull->pairs.items[i];
        take_corners(cull->objects.items[owner->a].view, contact->pair.a, &a);
        take_corners(cull->objects.items[owner->b].view, contact->pair.b, &b);
        gz_contact_of(&a, &b, contact);
    }
    gz_fpu_leave(state);
}

static graze_status list_contacts(graze_cull *cull)
{
    uint64_t count = cull->pairs.count;
    graze_status status = GZ_CULL_SIZE(cull, contacts, count);
    for (uint64_t first = 0; first < count && status == GRAZE_OK; first += BLOCK) {
        contact_block block = {cull, first, count - first < BLOCK ? count : first + BLOCK};
        gz_parallel(cull->context, (uint32_t)((block.end - first + TASK - 1) / TASK), make_contacts,
                    &block);
        status = gz_checkpoint(cull->context, "locating", "contacts", block.end, count);
    }
    return status;
}

// The pairs of objects that meet, and where their pairs of triangles will be. Beyond the limit
// there are none.
static graze_status list_objects(graze_cull *cull, uint64_t *total)
{
    uint64_t limit = cull->asked.pair_limit != 0 ? cull->asked.pair_limit : UINT64_MAX;
    *total = 0;
    cull->met.count = 0;
    for (uint64_t i = 0; i < cull->works.count; ++i) {
        gz_cull_object_work *work = &cull->works.items[i];
        work->first_pair = *total;
        if (work->count == 0)
            continue;
        if (*total < limit) {
            graze_cull_objects *met = gz_list_push(cull->context, &cull->met, 1);
            if (met == NULL)
                return GRAZE_ERROR_MEMORY;
            uint64_t rest = limit - *total;
            *met = (graze_cull_objects){.a = cull->object_pairs.items[i].a,
                                        .b = cull->object_pairs.items[i].b,
                                        .first_pair = *total,
                                        .pair_count = work->count < rest ? work->count : rest};
        }
        *total += work->count;
    }
    return GRAZE_OK;
}

graze_status gz_cull_list(graze_cull *cull)
{
    uint64_t total = 0, limit = cull->asked.pair_limit;
    graze_status status = list_objects(cull, &total);
    bool listed = cull->asked.collect >= GRAZE_COLLECT_PAIRS;
    if (status == GRAZE_OK)
        status = GZ_CULL_SIZE(cull, pairs, listed ? total : 0);
    if (status == GRAZE_OK)
        status = GZ_CULL_SIZE(cull, spare, listed ? total : 0);
    if (status != GRAZE_OK)
        return status;
    if (listed && total != 0)
        gz_parallel(cull->context, (uint32_t)cull->works.count, list_pairs, cull);
    if (limit != 0 && total > limit)
        total = limit;
    cull->found_count = total;
    if (listed)
        cull->pairs.count = total;
    return cull->asked.collect >= GRAZE_COLLECT_CONTACTS ? list_contacts(cull) : GRAZE_OK;
}
