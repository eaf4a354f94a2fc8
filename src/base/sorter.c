// External sorting by dealing. See sorter.h.
//
// The file is an array of blocks of equal size. A block belongs to one pile and names the block
// that was written before it for the same pile, so that a pile is a chain that starts at its last
// block, and no table of blocks is needed:
//   offset size  block, in the byte order of the machine
//        0    8  number of the block before, NO_BLOCK for the first
//        8    8  records in the block before
//       16       records
// The memory is used three ways, one after the other: as a plain array while all records fit; as
// one block buffer for each pile, and one more for reading, while dealing; as room for loaded piles
// and scratch for sorting them while handing out.
#include "base/sorter.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/threads.h"

#define MOST_PILES  256u
#define NO_BLOCK    UINT64_MAX
#define LINK_BYTES  16u
#define DISK_SECTOR 4096u // blocks of a multiple of this can be given back to the file system

typedef struct pile {
    uint64_t count;
    uint64_t last_block, last_block_count;
} pile;

// Piles by the bits from `bit` on. Levels form a stack: each divides one pile of the one below.
typedef struct level {
    uint32_t bit, bit_count;
    uint32_t next_pile; // to be handed out; those before are done
    pile piles[MOST_PILES];
} level;

// A pile, loaded and sorted.
typedef struct stretch {
    pile pile;
    uint64_t offset; // in memory, of its first record
    graze_status status;
} stretch;

struct gz_sorter {
    graze_context *context;
    gz_sorter_def def;
    uint32_t fan;         // piles a level
    uint64_t block_bytes; // of a block in memory and in the file
    uint64_t block_records;
    uint8_t *memory;
    uint64_t capacity; // of memory, at most (fan + 1) * block_bytes
    uint64_t count;    // pushed
    uint64_t handed_out;
    bool pushing_ended;
    int descriptor; // negative while all is in memory
    uint64_t block_count;
    uint64_t filled[MOST_PILES]; // records in each block buffer while dealing
    GZ_LIST(level *) levels;
    stretch batch[MOST_PILES];
    uint32_t batch_count, batch_next;
    _Atomic uint32_t batch_taken; // by the lanes that load it
    uint64_t batch_bytes;         // memory it fills; the rest is scratch
    uint32_t batch_equal_bytes;   // that all records of each stretch share
};

static uint32_t fan_bits_of(uint32_t fan_bits) { return fan_bits == 0 ? 8 : fan_bits; }

uint64_t gz_sorter_least_memory(uint32_t record_bytes, uint32_t fan_bits)
{
    uint64_t block = (LINK_BYTES + record_bytes + 63u) & ~UINT64_C(63);
    return ((UINT64_C(1) << fan_bits_of(fan_bits)) + 1) * block;
}

static graze_status out_of_memory(graze_context *context)
{
    return gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory while sorting");
}

graze_status gz_sorter_open(graze_context *context, const gz_sorter_def *def, gz_sorter **sorter)
{
    *sorter = NULL;
    GZ_ASSERT(def->memory_bytes >= gz_sorter_least_memory(def->record_bytes, def->fan_bits));
    gz_sorter *made = gz_allocate(context, sizeof *made);
    if (made == NULL)
        return out_of_memory(context);
    memset(made, 0, sizeof *made);
    made->context = context;
    made->def = *def;
    made->def.fan_bits = fan_bits_of(def->fan_bits);
    made->fan = 1u << made->def.fan_bits;
    made->block_bytes = def->memory_bytes / (made->fan + 1) & ~UINT64_C(63);
    if (made->block_bytes >= DISK_SECTOR)
        made->block_bytes &= ~(uint64_t)(DISK_SECTOR - 1);
    made->block_records = (made->block_bytes - LINK_BYTES) / def->record_bytes;
    made->descriptor = -1;
    *sorter = made;
    return GRAZE_OK;
}

static level **levels_of(const gz_sorter *sorter) { return sorter->levels.items; }

static level *top_level(const gz_sorter *sorter)
{
    return sorter->levels.count == 0 ? NULL : levels_of(sorter)[sorter->levels.count - 1];
}

static void pop_level(gz_sorter *sorter)
{
    gz_release(sorter->context, top_level(sorter), sizeof(level));
    sorter->levels.count--;
}

void gz_sorter_close(gz_sorter *sorter)
{
    if (sorter == NULL)
        return;
    while (sorter->levels.count != 0)
        pop_level(sorter);
    gz_list_free(sorter->context, &sorter->levels);
    if (sorter->descriptor >= 0)
        close(sorter->descriptor);
    gz_release(sorter->context, sorter->memory, sorter->capacity);
    gz_release(sorter->context, sorter, sizeof *sorter);
}

uint32_t gz_sorter_record_bytes(const gz_sorter *sorter) { return sorter->def.record_bytes; }

uint64_t gz_sorter_count(const gz_sorter *sorter) { return sorter->count; }

bool gz_sorter_on_disk(const gz_sorter *sorter) { return sorter->descriptor >= 0; }

static bool set_capacity(gz_sorter *sorter, uint64_t capacity)
{
    uint8_t *memory = gz_resize(sorter->context, sorter->memory, sorter->capacity, capacity);
    if (memory == NULL)
        return false;
    sorter->memory = memory;
    sorter->capacity = capacity;
    return true;
}

static uint64_t buffer_bytes(const gz_sorter *sorter) { return sorter->fan * sorter->block_bytes; }

static uint8_t *reading_block(const gz_sorter *sorter)
{
    return sorter->memory + buffer_bytes(sorter);
}

static graze_status push_level(gz_sorter *sorter, uint32_t bit)
{
    uint32_t record_bits = sorter->def.record_bytes * 8;
    GZ_ASSERT(bit < record_bits);
    level *made = gz_allocate(sorter->context, sizeof *made);
    level **slot = made == NULL ? NULL : gz_list_push(sorter->context, &sorter->levels, 1);
    if (slot == NULL) {
        gz_release(sorter->context, made, sizeof *made);
        return out_of_memory(sorter->context);
    }
    memset(made, 0, sizeof *made);
    made->bit = bit;
    made->bit_count =
        record_bits - bit < sorter->def.fan_bits ? record_bits - bit : sorter->def.fan_bits;
    for (uint32_t i = 0; i < sorter->fan; ++i)
        made->piles[i].last_block = NO_BLOCK;
    *slot = made;
    return GRAZE_OK;
}

// Where the bits of a level lie in a record: in one byte, or in two.
typedef struct digit {
    uint32_t high, low, shift, mask;
} digit;

static digit digit_of(const level *in, uint32_t record_bytes)
{
    uint32_t high = in->bit / 8;
    return (digit){
        .high = high,
        .low = high + 1 < record_bytes ? high + 1 : high, // unused where it is not there
        .shift = 16 - in->bit % 8 - in->bit_count,
        .mask = (1u << in->bit_count) - 1,
    };
}

static inline uint32_t take_digit(const uint8_t *record, digit at)
{
    return ((uint32_t)record[at.high] << 8 | record[at.low]) >> at.shift & at.mask;
}

// Writes a block whose first LINK_BYTES bytes are free for the link.
static graze_status write_block(gz_sorter *sorter, pile *to, uint8_t *block, uint64_t count)
{
    GZ_ASSERT(count != 0 && count <= sorter->block_records);
    memcpy(block, &to->last_block, 8);
    memcpy(block + 8, &to->last_block_count, 8);
    graze_status status = gz_temporary_write(sorter->context, sorter->descriptor,
                                             sorter->block_count * sorter->block_bytes, block,
                                             LINK_BYTES + count * sorter->def.record_bytes);
    to->last_block = sorter->block_count++;
    to->last_block_count = count;
    to->count += count;
    return status;
}

// Copies 8 to 128 bytes without a call for the usual sizes.
static inline void copy_record(uint8_t *out, const uint8_t *in, uint32_t bytes)
{
    if (bytes <= 16) {
        memcpy(out, in, 8);
        memcpy(out + bytes - 8, in + bytes - 8, 8);
    } else if (bytes <= 32) {
        memcpy(out, in, 16);
        memcpy(out + bytes - 16, in + bytes - 16, 16);
    } else {
        memcpy(out, in, bytes);
    }
}

// Reads records in order and appends each to one of `fan` buffers; the heads of all of them stay in
// the cache. A full buffer becomes a block in the file.
static graze_status deal(gz_sorter *sorter, level *to, const uint8_t *records, uint64_t count)
{
    uint32_t record_bytes = sorter->def.record_bytes;
    digit at = digit_of(to, record_bytes);
    for (uint64_t i = 0; i < count; ++i) {
        const uint8_t *record = records + i * record_bytes;
        uint32_t number = take_digit(record, at);
        GZ_ASSERT(number < sorter->fan);
        uint8_t *block = sorter->memory + number * sorter->block_bytes;
        copy_record(block + LINK_BYTES + sorter->filled[number] * record_bytes, record,
                    record_bytes);
        if (++sorter->filled[number] == sorter->block_records) {
            sorter->filled[number] = 0;
            graze_status status =
                write_block(sorter, &to->piles[number], block, sorter->block_records);
            if (status != GRAZE_OK)
                return status;
        }
    }
    return GRAZE_OK;
}

static graze_status write_buffers(gz_sorter *sorter, level *of)
{
    graze_status status = GRAZE_OK;
    for (uint32_t i = 0; i < sorter->fan && status == GRAZE_OK; ++i)
        if (sorter->filled[i] != 0)
            status = write_block(sorter, &of->piles[i], sorter->memory + i * sorter->block_bytes,
                                 sorter->filled[i]);
    memset(sorter->filled, 0, sizeof sorter->filled);
    return status;
}

// Sorts the full array and writes each pile's part of it through the spare block.
static graze_status write_array(gz_sorter *sorter, uint64_t count)
{
    uint32_t record_bytes = sorter->def.record_bytes;
    uint8_t *spare = reading_block(sorter);
    gz_sort_records(sorter->context, sorter->memory, count, record_bytes, sorter->def.zero_bits / 8,
                    gz_arena_over(spare, sorter->block_bytes));
    level *to = top_level(sorter);
    digit at = digit_of(to, record_bytes);
    graze_status status = GRAZE_OK;
    for (uint64_t first = 0, end = 0; first < count && status == GRAZE_OK; first = end) {
        uint32_t number = take_digit(sorter->memory + first * record_bytes, at);
        while (end < count && end - first < sorter->block_records &&
               take_digit(sorter->memory + end * record_bytes, at) == number)
            ++end;
        memcpy(spare + LINK_BYTES, sorter->memory + first * record_bytes,
               (size_t)((end - first) * record_bytes));
        status = write_block(sorter, &to->piles[number], spare, end - first);
    }
    return status;
}

static graze_status move_to_disk(gz_sorter *sorter)
{
    GZ_ASSERT(sorter->descriptor < 0 && sorter->levels.count == 0);
    if (!set_capacity(sorter, buffer_bytes(sorter) + sorter->block_bytes))
        return out_of_memory(sorter->context);
    graze_status status = gz_temporary_file(sorter->context, &sorter->descriptor);
    if (status == GRAZE_OK)
        status = push_level(sorter, sorter->def.zero_bits);
    if (status == GRAZE_OK)
        status = write_array(sorter, sorter->count);
    return status;
}

// Room for `needed` bytes of plain array; false when they must go to disk.
static bool grow_array(gz_sorter *sorter, uint64_t needed)
{
    uint64_t most = buffer_bytes(sorter);
    if (needed > most)
        return false;
    if (needed <= sorter->capacity)
        return true;
    uint64_t generous = sorter->capacity + sorter->capacity / 2 + 4096;
    if (generous > most)
        generous = most;
    return set_capacity(sorter, generous < needed ? needed : generous);
}

graze_status gz_sorter_push(gz_sorter *sorter, const void *records, uint64_t count)
{
    GZ_ASSERT(!sorter->pushing_ended);
    if (count == 0)
        return GRAZE_OK;
    uint32_t record_bytes = sorter->def.record_bytes;
    graze_status status = GRAZE_OK;
    if (sorter->descriptor < 0) {
        uint64_t used = sorter->count * record_bytes;
        if (grow_array(sorter, used + count * record_bytes)) {
            memcpy(sorter->memory + used, records, (size_t)(count * record_bytes));
            sorter->count += count;
            return GRAZE_OK;
        }
        status = move_to_disk(sorter);
    }
    if (status == GRAZE_OK)
        status = deal(sorter, top_level(sorter), records, count);
    sorter->count += count;
    return status;
}

// Reads the last block of a chain to `to`, which has room, and moves on to the one before. The link
// lands in the bytes in front of `to`, which are put back.
static graze_status read_block(gz_sorter *sorter, pile *from, uint8_t *to)
{
    uint8_t before[LINK_BYTES];
    memcpy(before, to - LINK_BYTES, LINK_BYTES);
    uint64_t offset = from->last_block * sorter->block_bytes;
    graze_status status =
        gz_temporary_read(sorter->context, sorter->descriptor, offset, to - LINK_BYTES,
                          LINK_BYTES + from->last_block_count * sorter->def.record_bytes);
    from->count -= from->last_block_count;
    memcpy(&from->last_block, to - LINK_BYTES, 8);
    memcpy(&from->last_block_count, to - LINK_BYTES + 8, 8);
    memcpy(to - LINK_BYTES, before, LINK_BYTES);
    // What was read is never read again. Giving it back early keeps the file small and saves the
    // system from writing it out at all; where that is not supported, nothing is lost.
    if (sorter->block_bytes % DISK_SECTOR == 0)
        (void)fallocate(sorter->descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                        (off_t)offset, (off_t)sorter->block_bytes);
    return status;
}

static graze_status load_pile(gz_sorter *sorter, stretch *into)
{
    pile from = into->pile;
    uint8_t *to = sorter->memory + into->offset;
    graze_status status = GRAZE_OK;
    while (from.count != 0 && status == GRAZE_OK) {
        uint64_t count = from.last_block_count;
        status = read_block(sorter, &from, to);
        to += count * sorter->def.record_bytes;
    }
    return status;
}

static void load_and_sort(gz_sorter *sorter, stretch *into, graze_context *threads,
                          gz_arena scratch)
{
    into->status = load_pile(sorter, into);
    if (into->status == GRAZE_OK)
        gz_sort_records(threads, sorter->memory + into->offset, into->pile.count,
                        sorter->def.record_bytes, sorter->batch_equal_bytes, scratch);
}

static gz_arena batch_scratch(const gz_sorter *sorter)
{
    return gz_arena_over(sorter->memory + sorter->batch_bytes,
                         sorter->capacity - sorter->batch_bytes);
}

static void load_lane(void *data, uint32_t lane)
{
    gz_sorter *sorter = data;
    gz_arena scratch =
        gz_arena_part(batch_scratch(sorter), lane, sorter->context->def.thread_count);
    for (uint32_t i; (i = atomic_fetch_add(&sorter->batch_taken, 1)) < sorter->batch_count;)
        load_and_sort(sorter, &sorter->batch[i], NULL, scratch);
}

static uint64_t pile_bytes(const gz_sorter *sorter, const pile *of)
{
    return LINK_BYTES + of->count * sorter->def.record_bytes;
}

// Takes piles of a level into the batch while they fit: one alone may fill all memory, several only
// half, so that they are sorted with scratch of their own size.
static void gather_batch(gz_sorter *sorter, level *from)
{
    sorter->batch_count = sorter->batch_next = 0;
    sorter->batch_bytes = 0;
    sorter->batch_equal_bytes = (from->bit + from->bit_count) / 8;
    for (; from->next_pile < sorter->fan; from->next_pile++) {
        const pile *next = &from->piles[from->next_pile];
        if (next->count == 0)
            continue;
        uint64_t bytes = pile_bytes(sorter, next);
        uint64_t room = sorter->batch_count == 0 ? sorter->capacity : sorter->capacity / 2;
        if (bytes > room || sorter->batch_bytes > room - bytes)
            break;
        sorter->batch[sorter->batch_count++] =
            (stretch){.pile = *next, .offset = sorter->batch_bytes + LINK_BYTES};
        sorter->batch_bytes += bytes;
    }
}

static graze_status load_batch(gz_sorter *sorter)
{
    if (sorter->batch_count == 1) {
        load_and_sort(sorter, &sorter->batch[0], sorter->context, batch_scratch(sorter));
        return sorter->batch[0].status;
    }
    atomic_store(&sorter->batch_taken, 0);
    gz_parallel(sorter->context, sorter->context->def.thread_count, load_lane, sorter);
    for (uint32_t i = 0; i < sorter->batch_count; ++i)
        if (sorter->batch[i].status != GRAZE_OK)
            return sorter->batch[i].status;
    return GRAZE_OK;
}

static graze_status check_in(gz_sorter *sorter)
{
    if (sorter->def.stage == NULL)
        return GRAZE_OK;
    return gz_checkpoint(sorter->context, sorter->def.stage, "records", sorter->handed_out,
                         sorter->count);
}

// Deals a pile that is too large for memory by its next bits.
static graze_status divide(gz_sorter *sorter, pile *large, uint32_t bit)
{
    graze_status status = push_level(sorter, bit);
    uint8_t *to = reading_block(sorter) + LINK_BYTES;
    while (large->count != 0 && status == GRAZE_OK) {
        uint64_t count = large->last_block_count;
        status = read_block(sorter, large, to);
        if (status == GRAZE_OK)
            status = deal(sorter, top_level(sorter), to, count);
        if (status == GRAZE_OK)
            status = check_in(sorter);
    }
    return status == GRAZE_OK ? write_buffers(sorter, top_level(sorter)) : status;
}

// A pile whose bits are used up holds equal records only: they are sorted as they lie.
static graze_status load_equal(gz_sorter *sorter, pile *large)
{
    uint64_t count = large->last_block_count;
    sorter->batch[0] = (stretch){.offset = LINK_BYTES, .pile.count = count};
    sorter->batch_count = 1;
    sorter->batch_next = 0;
    return read_block(sorter, large, sorter->memory + LINK_BYTES);
}

static graze_status fill_batch(gz_sorter *sorter)
{
    while (sorter->levels.count != 0) {
        graze_status status = check_in(sorter);
        if (status != GRAZE_OK)
            return status;
        level *from = top_level(sorter);
        gather_batch(sorter, from);
        if (sorter->batch_count != 0)
            return load_batch(sorter);
        if (from->next_pile == sorter->fan) {
            pop_level(sorter);
            continue;
        }
        pile *large = &from->piles[from->next_pile];
        uint32_t next_bit = from->bit + from->bit_count;
        if (next_bit == sorter->def.record_bytes * 8)
            return load_equal(sorter, large);
        status = divide(sorter, large, next_bit);
        if (status != GRAZE_OK)
            return status;
    }
    return GRAZE_OK;
}

// All is in memory: one batch. Scratch is whatever the share has left.
static graze_status sort_array(gz_sorter *sorter)
{
    uint64_t bytes = sorter->count * sorter->def.record_bytes;
    uint64_t spare = sorter->def.memory_bytes - sorter->capacity;
    uint64_t scratch_bytes = bytes < spare ? bytes : spare;
    uint8_t *scratch = gz_allocate(sorter->context, scratch_bytes);
    gz_sort_records(sorter->context, sorter->memory, sorter->count, sorter->def.record_bytes,
                    sorter->def.zero_bits / 8,
                    gz_arena_over(scratch, scratch == NULL ? 0 : scratch_bytes));
    gz_release(sorter->context, scratch, scratch_bytes);
    sorter->batch[0] = (stretch){.pile.count = sorter->count};
    sorter->batch_count = 1;
    return check_in(sorter);
}

static graze_status end_pushing(gz_sorter *sorter)
{
    sorter->pushing_ended = true;
    if (sorter->count == 0)
        return GRAZE_OK;
    return sorter->descriptor < 0 ? sort_array(sorter) : write_buffers(sorter, top_level(sorter));
}

graze_status gz_sorter_next(gz_sorter *sorter, const uint8_t **records, uint64_t *count)
{
    graze_status status = sorter->pushing_ended ? GRAZE_OK : end_pushing(sorter);
    *records = NULL;
    *count = 0;
    if (status == GRAZE_OK && sorter->batch_next == sorter->batch_count)
        status = fill_batch(sorter);
    if (status != GRAZE_OK || sorter->batch_next == sorter->batch_count)
        return status;
    const stretch *next = &sorter->batch[sorter->batch_next++];
    *records = sorter->memory + next->offset;
    *count = next->pile.count;
    sorter->handed_out += next->pile.count;
    return GRAZE_OK;
}
