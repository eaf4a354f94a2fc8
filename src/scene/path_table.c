// Texts with numbers: open addressing, linear probing. See path_table.h.
#include "scene/path_table.h"

#include <string.h>

#include "base/checksum.h"

static uint64_t hash_of(const char *text) { return gz_checksum(0, text, strlen(text)); }

static gz_path_slot *probe(const gz_path_table *table, const char *text, uint64_t hash)
{
    uint64_t mask = table->slot_count - 1;
    for (uint64_t i = hash & mask;; i = (i + 1) & mask) {
        gz_path_slot *slot = &table->slots[i];
        if (slot->text == NULL || (slot->hash == hash && strcmp(slot->text, text) == 0))
            return slot;
    }
}

uint32_t gz_path_find(const gz_path_table *table, const char *text)
{
    if (table->count == 0)
        return GZ_PATH_NONE;
    const gz_path_slot *slot = probe(table, text, hash_of(text));
    return slot->text == NULL ? GZ_PATH_NONE : slot->value;
}

static bool grow(graze_context *context, gz_path_table *table)
{
    gz_path_table larger = {.slot_count = table->slot_count == 0 ? 64 : 2 * table->slot_count,
                            .count = table->count};
    larger.slots = GZ_NEW_ARRAY(context, gz_path_slot, larger.slot_count);
    if (larger.slots == NULL)
        return false;
    memset(larger.slots, 0, (size_t)larger.slot_count * sizeof *larger.slots);
    for (uint64_t i = 0; i < table->slot_count; ++i)
        if (table->slots[i].text != NULL)
            *probe(&larger, table->slots[i].text, table->slots[i].hash) = table->slots[i];
    GZ_FREE_ARRAY(context, table->slots, table->slot_count);
    *table = larger;
    return true;
}

bool gz_path_put(graze_context *context, gz_path_table *table, const char *text, uint32_t value)
{
    if (2 * (table->count + 1) > table->slot_count && !grow(context, table))
        return false;
    uint64_t hash = hash_of(text);
    gz_path_slot *slot = probe(table, text, hash);
    GZ_ASSERT(slot->text == NULL);
    *slot = (gz_path_slot){text, hash, value};
    table->count++;
    return true;
}

// Those behind move up where their hash allows it, so that no search ends too early.
void gz_path_remove(gz_path_table *table, const char *text)
{
    gz_path_slot *slot = probe(table, text, hash_of(text));
    GZ_ASSERT(slot->text != NULL);
    uint64_t mask = table->slot_count - 1, hole = (uint64_t)(slot - table->slots);
    for (uint64_t i = (hole + 1) & mask; table->slots[i].text != NULL; i = (i + 1) & mask) {
        uint64_t home = table->slots[i].hash & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            table->slots[hole] = table->slots[i];
            hole = i;
        }
    }
    table->slots[hole] = (gz_path_slot){0};
    table->count--;
}

void gz_path_table_free(graze_context *context, gz_path_table *table)
{
    GZ_FREE_ARRAY(context, table->slots, table->slot_count);
    *table = (gz_path_table){0};
}
