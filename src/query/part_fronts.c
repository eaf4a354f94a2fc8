// A table of fronts by pairs of clusters. See part_fronts.h.
#include "query/part_fronts.h"

#include "base/context.h"

#define FEWEST   64u // slots
#define PATIENCE 16u // questions that an unused front outlasts

static uint64_t slot_of(const gz_part_fronts *fronts, uint32_t a, uint32_t b)
{
    uint64_t hash = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);
    return hash >> 32 & (fronts->slot_count - 1);
}

static void free_one(graze_context *context, gz_part_front *one)
{
    gz_front_free(context, &one->front);
    gz_release(context, one, sizeof *one);
}

// Lets go of those that were last used before a turn.
static void drop_older(graze_context *context, gz_part_fronts *fronts, uint64_t turn)
{
    for (uint64_t i = 0; i < fronts->slot_count; ++i)
        for (gz_part_front **at = &fronts->slots[i]; *at != NULL;) {
            gz_part_front *one = *at;
            if (one->turn >= turn) {
                at = &one->next;
                continue;
            }
            *at = one->next;
            free_one(context, one);
            fronts->count--;
        }
}

void gz_part_fronts_begin(graze_context *context, gz_part_fronts *fronts, uint64_t shape_a,
                          uint64_t shape_b)
{
    fronts->turn++;
    if (fronts->shape_a != shape_a || fronts->shape_b != shape_b)
        drop_older(context, fronts, UINT64_MAX);
    else if (fronts->turn % PATIENCE == 0)
        drop_older(context, fronts, fronts->turn - PATIENCE);
    fronts->shape_a = shape_a;
    fronts->shape_b = shape_b;
}

static bool grow(graze_context *context, gz_part_fronts *fronts)
{
    gz_part_fronts wider = *fronts;
    wider.slot_count = fronts->slot_count == 0 ? FEWEST : 2 * fronts->slot_count;
    wider.slots = GZ_NEW_ARRAY(context, gz_part_front *, wider.slot_count);
    if (wider.slots == NULL)
        return false;
    for (uint64_t i = 0; i < wider.slot_count; ++i)
        wider.slots[i] = NULL;
    for (uint64_t i = 0; i < fronts->slot_count; ++i)
        for (gz_part_front *one = fronts->slots[i], *next; one != NULL; one = next) {
            gz_part_front **to = &wider.slots[slot_of(&wider, one->a, one->b)];
            next = one->next;
            one->next = *to;
            *to = one;
        }
    GZ_FREE_ARRAY(context, fronts->slots, fronts->slot_count);
    *fronts = wider;
    return true;
}

gz_front *gz_part_fronts_find(graze_context *context, gz_part_fronts *fronts, uint32_t a,
                              uint32_t b)
{
    if (fronts->count >= fronts->slot_count && !grow(context, fronts))
        return NULL;
    gz_part_front **at = &fronts->slots[slot_of(fronts, a, b)];
    gz_part_front *one = *at;
    while (one != NULL && (one->a != a || one->b != b))
        one = one->next;
    if (one == NULL) {
        one = gz_allocate(context, sizeof *one);
        if (one == NULL)
            return NULL;
        *one = (gz_part_front){.a = a, .b = b, .next = *at};
        *at = one;
        fronts->count++;
    }
    one->turn = fronts->turn;
    return &one->front;
}

void gz_part_fronts_free(graze_context *context, gz_part_fronts *fronts)
{
    drop_older(context, fronts, UINT64_MAX);
    GZ_FREE_ARRAY(context, fronts->slots, fronts->slot_count);
    *fronts = (gz_part_fronts){0};
}
