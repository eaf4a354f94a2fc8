// A hash table of edges. See edge_set.h.
#include "query/edge_set.h"

#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "simplify/union_find.h"

#define FEWEST 1024 // slots; a power of two

static uint64_t home_of(const gz_edge_set *set, const gz_edge *e)
{
    uint64_t hash = 0, word;
    for (int i = 0; i < 6; ++i) {
        memcpy(&word, &e->end[i / 3][i % 3], sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash & (set->capacity - 1);
}

static bool set_room(gz_edge_set *set, uint64_t capacity)
{
    set->slots = GZ_NEW_ARRAY(set->context, gz_edge, capacity);
    if (set->slots == NULL)
        return false;
    memset(set->slots, 0xff, (size_t)capacity * sizeof *set->slots);
    set->capacity = capacity;
    return true;
}

static int compare_ends(const double p[3], const double q[3])
{
    for (int i = 0; i < 3; ++i)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

// The slot of the edge, or the free one where it belongs.
static gz_edge *find(const gz_edge_set *set, const gz_edge *e)
{
    uint64_t at = home_of(set, e);
    while (!gz_edge_is_free(&set->slots[at]) &&
           (compare_ends(set->slots[at].end[0], e->end[0]) != 0 ||
            compare_ends(set->slots[at].end[1], e->end[1]) != 0))
        at = (at + 1) & (set->capacity - 1);
    return &set->slots[at];
}

static bool grow(gz_edge_set *set)
{
    gz_edge_set old = *set;
    if (!set_room(set, 2 * old.capacity)) {
        *set = old;
        return false;
    }
    for (uint64_t i = 0; i < old.capacity; ++i)
        if (!gz_edge_is_free(&old.slots[i]))
            *find(set, &old.slots[i]) = old.slots[i];
    GZ_FREE_ARRAY(old.context, old.slots, old.capacity);
    return true;
}

// Closes the gap: what stands behind it and not at home moves up.
static void take_out(gz_edge_set *set, gz_edge *slot)
{
    uint64_t mask = set->capacity - 1, gap = (uint64_t)(slot - set->slots);
    for (uint64_t at = (gap + 1) & mask; !gz_edge_is_free(&set->slots[at]); at = (at + 1) & mask) {
        uint64_t home = home_of(set, &set->slots[at]);
        if (((at - home) & mask) < ((at - gap) & mask))
            continue;
        set->slots[gap] = set->slots[at];
        gap = at;
    }
    memset(&set->slots[gap], 0xff, sizeof set->slots[gap]);
    set->count--;
}

static bool meet_edge(gz_edge_set *set, const double p[3], const double q[3], uint32_t triangle,
                      uint32_t *component)
{
    int order = compare_ends(p, q);
    if (order == 0)
        return true;
    gz_edge e = {.owner = triangle};
    for (int i = 0; i < 3; ++i) { // adding 0 makes -0 into 0
        e.end[0][i] = (order < 0 ? p : q)[i] + 0.0;
        e.end[1][i] = (order < 0 ? q : p)[i] + 0.0;
    }
    if (2 * (set->count + 1) > set->capacity && !grow(set))
        return false;
    gz_edge *slot = find(set, &e);
    if (gz_edge_is_free(slot)) {
        *slot = e;
        set->count++;
        return true;
    }
    gz_union_join(component, slot->owner, triangle);
    take_out(set, slot);
    return true;
}

bool gz_edge_set_meet(gz_edge_set *set, const double corner[3][3], uint32_t triangle,
                      uint32_t *component)
{
    for (int i = 0; i < 3; ++i)
        if (!meet_edge(set, corner[i], corner[(i + 1) % 3], triangle, component))
            return false;
    return true;
}

bool gz_edge_set_make(graze_context *context, gz_edge_set *set)
{
    *set = (gz_edge_set){.context = context};
    return set_room(set, FEWEST);
}

void gz_edge_set_clear(gz_edge_set *set)
{
    memset(set->slots, 0xff, (size_t)set->capacity * sizeof *set->slots);
    set->count = 0;
}

void gz_edge_set_free(gz_edge_set *set)
{
    if (set->slots != NULL)
        GZ_FREE_ARRAY(set->context, set->slots, set->capacity);
    *set = (gz_edge_set){0};
}
