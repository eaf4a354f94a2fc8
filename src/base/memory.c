// The counted, limited allocator over the user's own. See memory.h.
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/big_block.h"
#include "base/context.h"
#include "base/knobs.h"

#define ALIGNMENT 64

// glibc's malloc aligns to 16 only, and aligned_alloc cannot grow in place. Blocks are therefore
// offset by hand inside a plain block, so that realloc may move their pages instead of copying
// them: the mesh loader's peak memory depends on it. Big blocks are mappings of their own; a
// block's size says which kind it is.
typedef struct block_head {
    size_t shift; // from the start of the plain block
} block_head;

static void *aligned_place(void *start)
{
    return (void *)(((uintptr_t)start + sizeof(block_head) + ALIGNMENT - 1) &
                    ~(uintptr_t)(ALIGNMENT - 1));
}

static void *align_block(void *start)
{
    if (start == NULL)
        return NULL;
    char *data = aligned_place(start);
    ((block_head *)(void *)data)[-1].shift = (size_t)(data - (char *)start);
    return data;
}

static bool padded_size(uint64_t bytes, size_t *padded)
{
    uint64_t sum = 0;
    if (!gz_add(bytes, ALIGNMENT + sizeof(block_head), &sum) || sum > PTRDIFF_MAX)
        return false;
    *padded = (size_t)sum;
    return true;
}

static bool is_big(uint64_t bytes) { return GZ_HAS_BIG_BLOCKS && bytes >= GZ_BIG_BLOCK_LEAST; }

static void *system_allocate(void *user, uint64_t bytes)
{
    (void)user;
#if GZ_HAS_BIG_BLOCKS
    if (is_big(bytes))
        return gz_big_block_make(bytes);
#endif
    size_t padded = 0;
    return padded_size(bytes, &padded) ? align_block(malloc(padded)) : NULL;
}

static void system_release(void *user, void *block, uint64_t bytes)
{
    (void)user;
    (void)bytes;
#if GZ_HAS_BIG_BLOCKS
    if (is_big(bytes)) {
        gz_big_block_free(block, bytes);
        return;
    }
#endif
    free((char *)block - ((block_head *)block)[-1].shift);
}

// From one kind to the other: the smaller size is just below GZ_BIG_BLOCK_LEAST at most when a
// block grows step by step, so that little is copied.
static void *change_kind(void *block, uint64_t old_bytes, uint64_t new_bytes)
{
    void *made = system_allocate(NULL, new_bytes);
    if (made == NULL)
        return NULL;
    memcpy(made, block, (size_t)(old_bytes < new_bytes ? old_bytes : new_bytes));
    system_release(NULL, block, old_bytes);
    return made;
}

static void *system_resize(void *user, void *block, uint64_t old_bytes, uint64_t new_bytes)
{
    (void)user;
    if (is_big(old_bytes) != is_big(new_bytes))
        return change_kind(block, old_bytes, new_bytes);
#if GZ_HAS_BIG_BLOCKS
    if (is_big(new_bytes))
        return gz_big_block_resize(block, old_bytes, new_bytes);
#endif
    size_t padded = 0;
    if (!padded_size(new_bytes, &padded))
        return NULL;
    size_t old_shift = ((block_head *)block)[-1].shift;
    char *start = realloc((char *)block - old_shift, padded);
    if (start == NULL)
        return NULL;
    char *data = aligned_place(start);
    if ((size_t)(data - start) != old_shift) // the new start has another remainder by 64
        memmove(data, start + old_shift, (size_t)(old_bytes < new_bytes ? old_bytes : new_bytes));
    return align_block(start); // only now: the head may lie where content was
}

graze_allocator gz_system_allocator(void)
{
    return (graze_allocator){NULL, system_allocate, system_resize, system_release};
}

// Books `grow` bytes before they are asked for, so that two threads cannot both pass the limit.
static bool book(graze_context *context, uint64_t grow)
{
    uint64_t now = atomic_fetch_add(&context->memory_current, grow) + grow;
    uint64_t limit = context->def.memory_byte_limit;
    if ((limit != 0 && now > limit) || now < grow) {
        atomic_fetch_sub(&context->memory_current, grow);
        return false;
    }
    uint64_t peak = atomic_load_explicit(&context->memory_peak, memory_order_relaxed);
    while (now > peak && !atomic_compare_exchange_weak(&context->memory_peak, &peak, now)) {
    }
    return true;
}

void *gz_allocate(graze_context *context, uint64_t bytes)
{
    if (bytes == 0 || GZ_FAULT_DUE(context, allocations) || !book(context, bytes))
        return NULL;
    void *block = context->def.allocator.allocate(context->def.allocator.user, bytes);
    if (block == NULL)
        atomic_fetch_sub(&context->memory_current, bytes);
    else
        atomic_fetch_add(&context->memory_blocks, 1);
    return block;
}

void *gz_resize(graze_context *context, void *block, uint64_t old_bytes, uint64_t new_bytes)
{
    if (block == NULL)
        return gz_allocate(context, new_bytes);
    if (new_bytes == 0) {
        gz_release(context, block, old_bytes);
        return NULL;
    }
    if (new_bytes == old_bytes)
        return block;
    GZ_ASSERT(old_bytes != 0);
    uint64_t grow = new_bytes > old_bytes ? new_bytes - old_bytes : 0;
    if (GZ_FAULT_DUE(context, allocations) || (grow != 0 && !book(context, grow)))
        return NULL;
    void *resized =
        context->def.allocator.resize(context->def.allocator.user, block, old_bytes, new_bytes);
    if (resized == NULL)
        atomic_fetch_sub(&context->memory_current, grow);
    else if (grow == 0)
        atomic_fetch_sub(&context->memory_current, old_bytes - new_bytes);
    return resized;
}

void gz_release(graze_context *context, void *block, uint64_t bytes)
{
    if (block == NULL)
        return;
    GZ_ASSERT(bytes != 0);
    context->def.allocator.release(context->def.allocator.user, block, bytes);
    uint64_t before = atomic_fetch_sub(&context->memory_current, bytes);
    uint64_t blocks = atomic_fetch_sub(&context->memory_blocks, 1);
    GZ_ASSERT(before >= bytes && blocks != 0); // more cannot come back than went out
}

void *gz_allocate_array(graze_context *context, uint64_t count, uint64_t item_bytes)
{
    uint64_t bytes = 0;
    return gz_mul(count, item_bytes, &bytes) ? gz_allocate(context, bytes) : NULL;
}

void *gz_resize_array(graze_context *context, void *block, uint64_t old_count, uint64_t new_count,
                      uint64_t item_bytes)
{
    uint64_t bytes = 0;
    return gz_mul(new_count, item_bytes, &bytes)
               ? gz_resize(context, block, old_count * item_bytes, bytes)
               : NULL;
}

void *gz_uncounted(uint64_t bytes) { return bytes > SIZE_MAX ? NULL : calloc(1, (size_t)bytes); }

void gz_uncounted_free(void *block) { free(block); }

bool gz_items_reserve(graze_context *context, gz_list *list, uint64_t capacity)
{
    GZ_ASSERT(list->item_bytes != 0);
    if (capacity <= list->capacity)
        return true;
    void *items = gz_resize_array(context, list->items, list->capacity, capacity, list->item_bytes);
    if (items == NULL)
        return false;
    list->items = items;
    list->capacity = capacity;
    return true;
}

// Half as much again keeps pushing linear. Big lists end with a large page: what grows from within
// one would be filled with small pages up to its end.
static uint64_t generous_capacity(uint64_t capacity, uint64_t item_bytes)
{
    uint64_t generous = capacity + capacity / 2 + 16, bytes = 0;
    if (!gz_mul(generous, item_bytes, &bytes) || bytes < 2 * GZ_BIG_BLOCK_LEAST ||
        !gz_add(bytes, GZ_BIG_BLOCK_LEAST - 1, &bytes))
        return generous;
    return bytes / GZ_BIG_BLOCK_LEAST * GZ_BIG_BLOCK_LEAST / item_bytes;
}

void *gz_items_push(graze_context *context, gz_list *list, uint64_t count)
{
    GZ_ASSERT(list->item_bytes != 0 && list->count <= list->capacity);
    uint64_t needed = 0;
    if (!gz_add(list->count, count, &needed))
        return NULL;
    uint64_t least = needed == 0 ? 1 : needed; // NULL means out of memory: even nothing has a place
    if (least > list->capacity) {
        uint64_t generous = generous_capacity(list->capacity, list->item_bytes);
        // The exact need is the second try.
        if ((generous < least || !gz_items_reserve(context, list, generous)) &&
            !gz_items_reserve(context, list, least))
            return NULL;
    }
    void *slot = (char *)list->items + list->count * list->item_bytes;
    list->count = needed;
    return slot;
}

bool gz_items_append(graze_context *context, gz_list *list, const void *items, uint64_t count)
{
    if (count == 0)
        return true;
    // Items of its own may move while they are copied.
    uintptr_t from = (uintptr_t)items, own = (uintptr_t)list->items;
    GZ_ASSERT(items != NULL && (from >= own + list->capacity * list->item_bytes ||
                                from + count * list->item_bytes <= own));
    void *room = gz_items_push(context, list, count);
    if (room != NULL)
        memcpy(room, items, (size_t)(count * list->item_bytes));
    return room != NULL;
}

void gz_items_trim(graze_context *context, gz_list *list)
{
    GZ_ASSERT(list->count <= list->capacity);
    if (list->capacity == list->count)
        return;
    void *items =
        gz_resize_array(context, list->items, list->capacity, list->count, list->item_bytes);
    if (items != NULL || list->count == 0) { // a refused shrink keeps the larger block
        list->items = items;
        list->capacity = list->count;
    }
}

void gz_items_free(graze_context *context, gz_list *list)
{
    GZ_ASSERT(list->item_bytes != 0 || list->items == NULL);
    gz_release(context, list->items, list->capacity * list->item_bytes);
    *list = (gz_list){.item_bytes = list->item_bytes};
}

char *gz_string_copy(graze_context *context, const char *text)
{
    uint64_t bytes = strlen(text) + 1;
    char *copy = gz_allocate(context, bytes);
    if (copy != NULL)
        memcpy(copy, text, (size_t)bytes);
    return copy;
}

void gz_string_free(graze_context *context, char *text)
{
    if (text != NULL)
        gz_release(context, text, strlen(text) + 1);
}
