// Sorts clashes, the worst first. See clash_list.h.
//
// A key: kind (1 byte), how bad it is within its kind (8), the two objects (4 each), and where the
// clash lies (8). The first four tell any two apart, so that the order does not depend on when they
// were found.
#include "scene/clash_list.h"

#include <string.h>

#include "base/context.h"
#include "base/sort.h"

#define KEY_BYTES 25u

graze_status gz_clash_list_open(graze_context *context, uint64_t memory_bytes, gz_clash_list *list)
{
    *list = (gz_clash_list){.context = context};
    gz_sorter_def def = {.record_bytes = KEY_BYTES, .fan_bits = 4};
    uint64_t least = gz_sorter_least_memory(def.record_bytes, def.fan_bits);
    def.memory_bytes = memory_bytes / 4 < least ? least : memory_bytes / 4;
    graze_status status = gz_sorter_open(context, &def, &list->order);
    if (status != GRAZE_OK)
        return status;
    pthread_mutex_init(&list->lock, NULL);
    list->clashes = gz_spill_make(context, memory_bytes / 2);
    return GRAZE_OK;
}

void gz_clash_list_close(gz_clash_list *list)
{
    if (list->order == NULL)
        return;
    gz_sorter_close(list->order);
    gz_spill_free(&list->clashes);
    pthread_mutex_destroy(&list->lock);
    *list = (gz_clash_list){0};
}

// Lengths are never negative, so their bits are in their order.
uint64_t gz_clash_mildness(const graze_clash *clash)
{
    uint64_t bits;
    double worse = clash->kind == GRAZE_CLASH_CROSSING ? clash->length : clash->depth_high;
    bool is_gap = clash->kind == GRAZE_CLASH_CLEARANCE || clash->kind == GRAZE_CLASH_TOUCHING;
    double amount = is_gap ? clash->gap : worse;
    GZ_ASSERT(amount >= 0);
    amount += 0.0; // -0 is 0
    memcpy(&bits, &amount, sizeof bits);
    return is_gap ? bits : ~bits;
}

graze_status gz_clash_list_add(gz_clash_list *list, const graze_clash *clash, uint32_t a,
                               uint32_t b)
{
    uint8_t key[KEY_BYTES];
    GZ_ASSERT(clash->kind > GRAZE_CLASH_NONE && clash->kind < GRAZE_CLASH_KINDS && a < b);
    key[0] = (uint8_t)clash->kind;
    gz_put_number(key + 1, gz_clash_mildness(clash), 8);
    gz_put_number(key + 9, a, 4);
    gz_put_number(key + 13, b, 4);
    pthread_mutex_lock(&list->lock);
    gz_put_number(key + 17, list->clashes.byte_count, 8);
    list->counts[clash->kind]++;
    graze_status status = gz_spill_append(&list->clashes, clash, sizeof *clash);
    if (status == GRAZE_OK)
        status = gz_sorter_push(list->order, key, 1);
    pthread_mutex_unlock(&list->lock);
    return status;
}

graze_status gz_clash_list_report(gz_clash_list *list, graze_clash_report *report, void *user)
{
    const uint8_t *keys;
    uint64_t count;
    graze_status status = gz_sorter_next(list->order, &keys, &count);
    while (status == GRAZE_OK && count != 0) {
        for (uint64_t i = 0; i < count && status == GRAZE_OK; ++i) {
            graze_clash clash;
            uint64_t offset = gz_get_number(keys + i * KEY_BYTES + 17, 8);
            status = gz_spill_read(&list->clashes, offset, &clash, sizeof clash);
            if (status == GRAZE_OK)
                status = report(user, &clash);
        }
        if (status == GRAZE_OK)
            status = gz_sorter_next(list->order, &keys, &count);
    }
    return status;
}
