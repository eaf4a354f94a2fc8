// A binary heap in a list: the item that comes before all others is the first.
//   GZ_HEAP(heap, waiting, bound, <)
// makes heap_push and heap_pop for items `waiting`, those with the least `bound` first. Equal keys
// come out in an order that depends on the pushes and pops so far only. Keys do not change while
// they wait; heaps whose keys do know where each item is: simplify/vertex_queue.h, mesh/polygon.c.
#ifndef GZ_HEAP_H
#define GZ_HEAP_H

#include "base/memory.h"

// NOLINTBEGIN(bugprone-macro-parentheses): items are a type
#define GZ_HEAP(name, item, key, before)                                                           \
    /* False when out of memory, with the heap unchanged. */                                       \
    static inline bool name##_push(graze_context *context, gz_list *list, const item *pushed)      \
    {                                                                                              \
        GZ_ASSERT(list->item_bytes == sizeof(item));                                               \
        if (gz_items_push(context, list, 1) == NULL)                                               \
            return false;                                                                          \
        item *items = (item *)list->items;                                                         \
        uint64_t at = list->count - 1;                                                             \
        for (; at > 0 && pushed->key before items[(at - 1) / 2].key; at = (at - 1) / 2)            \
            items[at] = items[(at - 1) / 2];                                                       \
        items[at] = *pushed;                                                                       \
        return true;                                                                               \
    }                                                                                              \
    /* Takes out the first; there is one. */                                                       \
    static inline void name##_pop(gz_list *list, item *first)                                      \
    {                                                                                              \
        GZ_ASSERT(list->count != 0 && list->item_bytes == sizeof(item));                           \
        item *items = (item *)list->items;                                                         \
        uint64_t count = --list->count, at = 0;                                                    \
        const item last = items[count];                                                            \
        *first = items[0];                                                                         \
        for (uint64_t child = 1; child < count; child = 2 * at + 1) {                              \
            if (child + 1 < count && items[child + 1].key before items[child].key)                 \
                ++child;                                                                           \
            if (!(items[child].key before last.key))                                               \
                break;                                                                             \
            items[at] = items[child];                                                              \
            at = child;                                                                            \
        }                                                                                          \
        items[at] = last;                                                                          \
    }
// NOLINTEND(bugprone-macro-parentheses)

#endif
