// A table of texts, each with a number. Texts stay the caller's, and must not change while they are
// in the table.
#ifndef GZ_PATH_TABLE_H
#define GZ_PATH_TABLE_H

#include <stdbool.h>

#include "base/memory.h"

#define GZ_PATH_NONE UINT32_MAX // no such text

typedef struct gz_path_slot {
    const char *text; // NULL: free
    uint64_t hash;
    uint32_t value;
} gz_path_slot;

// Zero is the empty one. Rules: at most half of the slots are taken; a text is in the first free
// slot from its hash on when it is put in, and no slot between is free afterwards.
typedef struct gz_path_table {
    gz_path_slot *slots;
    uint64_t slot_count; // a power of two, or 0
    uint64_t count;
} gz_path_table;

uint32_t gz_path_find(const gz_path_table *table, const char *text);
// The text is not in the table yet. False when out of memory.
bool gz_path_put(graze_context *context, gz_path_table *table, const char *text, uint32_t value);
void gz_path_remove(gz_path_table *table, const char *text); // it is there
void gz_path_table_free(graze_context *context, gz_path_table *table);

#endif
