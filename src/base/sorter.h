// A sorter: takes records of fixed size in any number and order, and hands them back sorted by
// their bytes (see sort.h). What does not fit into its memory is dealt by leading bits into piles
// in a file without a name; each pile is then sorted in memory, several at a time on all threads.
// A pile that is too large is dealt once more by the next bits, as often as it takes: any
// distribution of keys works, and only records that are equal in all bytes stay together.
#ifndef GZ_SORTER_H
#define GZ_SORTER_H

#include <stdbool.h>

#include "graze/base.h"

typedef struct gz_sorter gz_sorter;

typedef struct gz_sorter_def {
    uint32_t record_bytes; // see sort.h for the smallest and largest
    uint32_t zero_bits;    // leading bits that are known to be 0 in all records
    uint32_t fan_bits;     // piles are 2^fan_bits, 1 to 8; 0 means 8
    uint64_t memory_bytes; // at least gz_sorter_least_memory
    const char *stage;     // for progress, a literal; NULL if whoever drains it reports
} gz_sorter_def;

// Bookkeeping of a few KiB for each round of dealing comes on top of memory_bytes.
uint64_t gz_sorter_least_memory(uint32_t record_bytes, uint32_t fan_bits);

graze_status gz_sorter_open(graze_context *context, const gz_sorter_def *def, gz_sorter **sorter);
void gz_sorter_close(gz_sorter *sorter); // accepts NULL

graze_status gz_sorter_push(gz_sorter *sorter, const void *records, uint64_t count);
uint32_t gz_sorter_record_bytes(const gz_sorter *sorter);
uint64_t gz_sorter_count(const gz_sorter *sorter); // records pushed
bool gz_sorter_on_disk(const gz_sorter *sorter);

// The next sorted stretch; *count is 0 when all were handed out. The first call ends the pushing.
// Pointers end with the next call.
graze_status gz_sorter_next(gz_sorter *sorter, const uint8_t **records, uint64_t *count);

#endif
