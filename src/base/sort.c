// A radix sort, most significant byte first. See sort.h.
//
// Stretches that fit into the scratch are dealt from one array into the other and back: each record
// moves once a byte, and moves do not wait for each other. Longer stretches are dealt in place
// ("American flag"), half as fast, so that an array may fill nearly all of a memory budget. Short
// stretches are finished by insertion. In place, the largest pile is continued in the same loop and
// only the others are recursed into: the stack stays below log2(count) frames there, and below one
// small frame for each byte of a record in the scratch.
#include "base/sort.h"

#include <string.h>

#include "base/context.h"
#include "base/threads.h"

#define PILES          256
#define INSERTION_MOST 40      // records; below this, clearing the piles costs more than moving
#define PARALLEL_LEAST 100000u // records worth waking threads for

static inline uint64_t load_big_endian(const uint8_t *bytes)
{
    uint64_t word = 0;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

// Compares from `from` on; the bytes before are equal, so the last word may reach back into them.
static inline __attribute__((always_inline)) bool comes_before(const uint8_t *a, const uint8_t *b,
                                                               size_t size, size_t from)
{
    for (; from + 8 <= size; from += 8) {
        uint64_t word_a = load_big_endian(a + from), word_b = load_big_endian(b + from);
        if (word_a != word_b)
            return word_a < word_b;
    }
    return load_big_endian(a + size - 8) < load_big_endian(b + size - 8);
}

static inline __attribute__((always_inline)) void insertion(uint8_t *records, uint64_t count,
                                                            size_t size, size_t from)
{
    uint8_t moving[GZ_SORT_MOST_BYTES];
    for (uint64_t i = 1; i < count; ++i) {
        uint8_t *place = records + i * size;
        if (!comes_before(place, place - size, size, from))
            continue;
        memcpy(moving, place, size);
        do {
            memcpy(place, place - size, size);
            place -= size;
        } while (place != records && comes_before(moving, place - size, size, from));
        memcpy(place, moving, size);
    }
}

// Counts the values of byte `at` and turns the counts into the start and end of each pile.
// Returns false if all records are in one pile.
static inline __attribute__((always_inline)) bool count_piles(const uint8_t *records,
                                                              uint64_t count, size_t size,
                                                              size_t at, uint64_t *start,
                                                              uint64_t *end)
{
    memset(start, 0, PILES * sizeof *start);
    for (uint64_t i = 0; i < count; ++i)
        start[records[i * size + at]]++;
    bool several = start[records[at]] != count;
    uint64_t sum = 0;
    for (int pile = 0; pile < PILES; ++pile) {
        uint64_t pile_count = start[pile];
        start[pile] = sum;
        sum += pile_count;
        end[pile] = sum;
    }
    return several;
}

// Brings records with equal byte `at` together, in place.
static inline __attribute__((always_inline)) void
deal_in_place(uint8_t *records, uint64_t count, size_t size, size_t at, uint64_t *end)
{
    uint64_t next[PILES];
    if (!count_piles(records, count, size, at, next, end))
        return;
    uint8_t hand[GZ_SORT_MOST_BYTES], taken[GZ_SORT_MOST_BYTES];
    for (int pile = 0; pile < PILES; ++pile) {
        while (next[pile] < end[pile]) {
            uint8_t *hole = records + next[pile] * size;
            memcpy(hand, hole, size);
            while (hand[at] != pile) {
                uint8_t *place = records + next[hand[at]]++ * size;
                memcpy(taken, place, size);
                memcpy(place, hand, size);
                memcpy(hand, taken, size);
            }
            memcpy(hole, hand, size);
            next[pile]++;
        }
    }
}

// The same from one array to another. Returns false, with nothing moved, if there is one pile only.
static inline __attribute__((always_inline)) bool deal_across(const uint8_t *records, uint8_t *out,
                                                              uint64_t count, size_t size,
                                                              size_t at, uint64_t *end)
{
    uint64_t next[PILES];
    if (!count_piles(records, count, size, at, next, end))
        return false;
    for (uint64_t i = 0; i < count; ++i) {
        const uint8_t *record = records + i * size;
        memcpy(out + next[record[at]]++ * size, record, size);
    }
    return true;
}

// The same loops for each record size in use, so that copies are a few plain moves.
typedef struct kernels {
    void (*insertion)(uint8_t *records, uint64_t count, size_t size, size_t from);
    void (*in_place)(uint8_t *records, uint64_t count, size_t size, size_t at, uint64_t *end);
    bool (*across)(const uint8_t *records, uint8_t *out, uint64_t count, size_t size, size_t at,
                   uint64_t *end);
} kernels;

#define KERNELS_OF(NAME, SIZE)                                                                     \
    static void insertion_##NAME(uint8_t *records, uint64_t count, size_t size, size_t from)       \
    {                                                                                              \
        (void)size;                                                                                \
        insertion(records, count, SIZE, from);                                                     \
    }                                                                                              \
    static void in_place_##NAME(uint8_t *records, uint64_t count, size_t size, size_t at,          \
                                uint64_t *end)                                                     \
    {                                                                                              \
        (void)size;                                                                                \
        deal_in_place(records, count, SIZE, at, end);                                              \
    }                                                                                              \
    static bool across_##NAME(const uint8_t *records, uint8_t *out, uint64_t count, size_t size,   \
                              size_t at, uint64_t *end)                                            \
    {                                                                                              \
        (void)size;                                                                                \
        return deal_across(records, out, count, SIZE, at, end);                                    \
    }                                                                                              \
    static const kernels kernels_##NAME = {insertion_##NAME, in_place_##NAME, across_##NAME};

KERNELS_OF(9, 9)
KERNELS_OF(10, 10)
KERNELS_OF(13, 13)
KERNELS_OF(17, 17)
KERNELS_OF(29, 29)
KERNELS_OF(any, size)

static const kernels *kernels_of(uint32_t record_bytes)
{
    switch (record_bytes) {
    case 9: return &kernels_9;
    case 10: return &kernels_10;
    case 13: return &kernels_13;
    case 17: return &kernels_17;
    case 29: return &kernels_29;
    default: return &kernels_any;
    }
}

static int largest_pile(const uint64_t *end)
{
    int largest = 0;
    uint64_t largest_count = end[0];
    for (int pile = 1; pile < PILES; ++pile)
        if (end[pile] - end[pile - 1] > largest_count) {
            largest_count = end[pile] - end[pile - 1];
            largest = pile;
        }
    return largest;
}

// Sorts from byte `at` on. The records lie in `records` and end in `other` if `to_other`, else
// where they are; both have room for them.
static void sort_across(const kernels *kernel, uint8_t *records, uint8_t *other, uint64_t count,
                        size_t size, size_t at, bool to_other)
{
    uint64_t end[PILES];
    while (count > INSERTION_MOST && at < size) {
        if (kernel->across(records, other, count, size, at++, end)) {
            for (uint64_t pile = 0, start = 0; pile < PILES; start = end[pile++])
                if (end[pile] != start)
                    sort_across(kernel, other + start * size, records + start * size,
                                end[pile] - start, size, at, !to_other);
            return;
        }
    }
    if (at < size)
        kernel->insertion(records, count, size, at);
    if (to_other)
        memcpy(other, records, (size_t)(count * size));
}

static void sort_from(const kernels *kernel, uint8_t *records, uint64_t count, size_t size,
                      size_t at, gz_arena scratch)
{
    uint64_t scratch_count = (uint64_t)(scratch.end - scratch.next) / size;
    while (count > scratch_count && count > INSERTION_MOST && at < size) {
        uint64_t end[PILES];
        kernel->in_place(records, count, size, at, end);
        ++at;
        int largest = largest_pile(end);
        for (int pile = 0; pile < PILES; ++pile) {
            uint64_t start = pile == 0 ? 0 : end[pile - 1];
            if (pile != largest && end[pile] - start > 1)
                sort_from(kernel, records + start * size, end[pile] - start, size, at, scratch);
        }
        uint64_t start = largest == 0 ? 0 : end[largest - 1];
        count = end[largest] - start;
        records += start * size;
    }
    sort_across(kernel, records, scratch.next, count, size, at, false);
}

// A loop over the piles of the first byte that differs. Each lane has its own part of the scratch.
typedef struct pile_loop {
    const kernels *kernel;
    uint8_t *records;
    size_t size, at;
    uint64_t end[PILES];
    gz_arena scratch;
    uint32_t lane_count;
    _Atomic int next_pile;
} pile_loop;

static void sort_piles(void *data, uint32_t lane)
{
    pile_loop *loop = data;
    gz_arena scratch = gz_arena_part(loop->scratch, lane, loop->lane_count);
    for (int pile; (pile = atomic_fetch_add(&loop->next_pile, 1)) < PILES;) {
        uint64_t start = pile == 0 ? 0 : loop->end[pile - 1];
        if (loop->end[pile] != start)
            sort_from(loop->kernel, loop->records + start * loop->size, loop->end[pile] - start,
                      loop->size, loop->at, scratch);
    }
}

void gz_sort_records(graze_context *context, void *records, uint64_t count, uint32_t record_bytes,
                     uint32_t equal_bytes, gz_arena scratch)
{
    GZ_ASSERT(record_bytes >= GZ_SORT_LEAST_BYTES && record_bytes <= GZ_SORT_MOST_BYTES);
    const kernels *kernel = kernels_of(record_bytes);
    if (context == NULL || count < PARALLEL_LEAST) {
        sort_from(kernel, records, count, record_bytes, equal_bytes, scratch);
        return;
    }
    pile_loop loop = {.kernel = kernel, .records = records, .size = record_bytes};
    loop.at = equal_bytes;
    loop.scratch = scratch;
    loop.lane_count = context->def.thread_count;
    bool several = false; // skip bytes that are the same in all records: they give one pile
    while (!several && loop.at < record_bytes) {
        kernel->in_place(records, count, record_bytes, loop.at++, loop.end);
        int largest = largest_pile(loop.end);
        several = loop.end[largest] - (largest == 0 ? 0 : loop.end[largest - 1]) != count;
    }
    if (several)
        gz_parallel(context, loop.lane_count, sort_piles, &loop);
}
