// Memory: three kinds, three owners.
//   Long-lived blocks come from the context's allocator (gz_allocate and friends) and are counted
//   against its limit. Scratch is a gz_arena passed by value: returning from the function gives it
//   back. Sizes are 64-bit, and products of sizes go through the checked helpers.
#ifndef GZ_MEMORY_H
#define GZ_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/assertion.h"
#include "graze/base.h"

// Sets *out to a * b or a + b; false when that does not fit.
static inline bool gz_mul(uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}
static inline bool gz_add(uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

graze_allocator gz_system_allocator(void);

// Like malloc, realloc and free, but sized, counted, limited and aligned to 64. Zero bytes give
// NULL and are no failure for gz_resize; gz_release accepts NULL. They log nothing: the caller
// knows what the memory was for.
void *gz_allocate(graze_context *context, uint64_t bytes);
void *gz_resize(graze_context *context, void *block, uint64_t old_bytes, uint64_t new_bytes);
void gz_release(graze_context *context, void *block, uint64_t bytes);

// The same for arrays, with the product checked.
void *gz_allocate_array(graze_context *context, uint64_t count, uint64_t item_bytes);
void *gz_resize_array(graze_context *context, void *block, uint64_t old_count, uint64_t new_count,
                      uint64_t item_bytes);
#define GZ_NEW_ARRAY(context, type, count) ((type *)gz_allocate_array(context, count, sizeof(type)))
#define GZ_FREE_ARRAY(context, array, count)                                                       \
    gz_release(context, array, (uint64_t)(count) * sizeof *(array))

// Zeros that no context counts, for knobs of tests and for GZ_VALIDATE, which change nothing else.
void *gz_uncounted(uint64_t bytes);
void gz_uncounted_free(void *block); // accepts NULL

// An array that grows at its end. It knows the size of its items: that is stated once, where the
// list is declared, and what is pushed has their type. Zero is the empty one.
//   GZ_LIST(gz_share) shares = {0};  gz_share *room = gz_list_push(context, &shares, 2);
// Items whose size is known at run time only: gz_list leaves = gz_list_of(bytes), and
// gz_items_push.
typedef struct gz_list {
    void *items;
    uint64_t count, capacity;
    uint64_t item_bytes; // 0 until it is known
} gz_list;

#define GZ_LIST(type)                                                                              \
    union {                                                                                        \
        gz_list list;                                                                              \
        struct {                                                                                   \
            __typeof__(type) *items;                                                               \
            uint64_t count, capacity, item_bytes;                                                  \
        };                                                                                         \
    }

// Lists that are passed on have a name.
typedef GZ_LIST(uint8_t) gz_byte_list;
typedef GZ_LIST(uint32_t) gz_index_list;
typedef GZ_LIST(uint32_t[3]) gz_corner_list; // of triangles
typedef GZ_LIST(double[3]) gz_point_list;

static inline gz_list gz_list_of(uint64_t item_bytes)
{
    GZ_ASSERT(item_bytes != 0);
    return (gz_list){.item_bytes = item_bytes};
}

// Room for `count` more items at the end, uninitialised and already counted; NULL when out of
// memory, with the list unchanged. Pointers into the list end with the call.
#define gz_list_push(context, typed, count)                                                        \
    ((__typeof__((typed)->items))gz_items_push(context, GZ_ITEMS(typed), count))
#define gz_list_reserve(context, typed, capacity)                                                  \
    gz_items_reserve(context, GZ_ITEMS(typed), capacity)
#define gz_list_trim(context, typed) gz_items_trim(context, GZ_ITEMS(typed)) // capacity = count
#define gz_list_free(context, typed) gz_items_free(context, &(typed)->list)
// Copies items to the end; false when out of memory. None at all is no failure.
#define gz_list_append(context, typed, from, count)                                                \
    gz_items_append(context, GZ_ITEMS(typed), (1 ? (from) : (typed)->items), count)

// The same for items of any size.
void *gz_items_push(graze_context *context, gz_list *list, uint64_t count);
bool gz_items_reserve(graze_context *context, gz_list *list, uint64_t capacity);
void gz_items_trim(graze_context *context, gz_list *list);
void gz_items_free(graze_context *context, gz_list *list); // it can be used again
bool gz_items_append(graze_context *context, gz_list *list, const void *items, uint64_t count);

// A list without its type. Items of another size than before are a mistake of ours.
#define GZ_ITEMS(typed) gz_items_of(&(typed)->list, sizeof *(typed)->items)
static inline gz_list *gz_items_of(gz_list *list, uint64_t item_bytes)
{
    GZ_ASSERT(list->item_bytes == item_bytes || (list->item_bytes == 0 && list->capacity == 0));
    list->item_bytes = item_bytes;
    return list;
}

char *gz_string_copy(graze_context *context, const char *text); // NULL when out of memory
void gz_string_free(graze_context *context, char *text);        // accepts NULL

// Scratch. An arena is a stretch of bytes; passing it by value hands out a copy of "what is left",
// so what a function takes ends with the function.
typedef struct gz_arena {
    unsigned char *next, *end;
} gz_arena;

// Over nothing at all, NULL will do.
static inline gz_arena gz_arena_over(void *bytes, uint64_t byte_count)
{
    unsigned char *first = bytes;
    return (gz_arena){first, byte_count == 0 ? first : first + byte_count};
}

// NULL when it does not fit. Aligned to 64.
static inline void *gz_arena_take(gz_arena *arena, uint64_t count, uint64_t item_bytes)
{
    uint64_t bytes = 0;
    uintptr_t start = ((uintptr_t)arena->next + 63u) & ~(uintptr_t)63u;
    if (!gz_mul(count, item_bytes, &bytes) || start > (uintptr_t)arena->end ||
        bytes > (uint64_t)((uintptr_t)arena->end - start))
        return NULL;
    arena->next = (unsigned char *)start + bytes;
    return (void *)start;
}
#define gz_arena_array(arena, type, count) ((type *)gz_arena_take(arena, count, sizeof(type)))

#endif
