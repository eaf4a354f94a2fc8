// Cuts the clusters of a level into groups, always across the longest side. See grouping.h.
#include "model/grouping.h"

#include <string.h>

#include "base/sort.h"

typedef struct work {
    const float (*center)[3];
    uint8_t (*keys)[8]; // of the clusters: what they are sorted by, and their numbers
    uint8_t (*spare)[8];
    uint32_t *first;
    uint32_t group_count;
    uint32_t level, most;
} work;

static uint32_t number_at(const work *w, uint32_t place)
{
    return (uint32_t)gz_get_number(w->keys[place] + 4, 4);
}

// Sorts a stretch by one coordinate, and equal ones by number.
static void sort_stretch(const work *w, uint32_t first, uint32_t count, int axis)
{
    for (uint32_t i = first; i < first + count; ++i) {
        uint32_t number = number_at(w, i), bits;
        float x = w->center[number][axis] + 0.0f; // -0 and 0 are one
        memcpy(&bits, &x, sizeof bits);
        bits = (bits >> 31) != 0 ? ~bits : bits | UINT32_C(1) << 31;
        gz_put_number(w->keys[i], bits, 4);
    }
    gz_sort_records(NULL, w->keys[first], count, 8, 0,
                    gz_arena_over(w->spare[first], (uint64_t)count * 8));
}

static int longest_axis(const work *w, uint32_t first, uint32_t count)
{
    int longest = 0;
    float most = -1;
    for (int axis = 0; axis < 3; ++axis) {
        float low = w->center[number_at(w, first)][axis], high = low;
        for (uint32_t i = first + 1; i < first + count; ++i) {
            float x = w->center[number_at(w, i)][axis];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        if (high - low > most) {
            most = high - low;
            longest = axis;
        }
    }
    return longest;
}

// Where a stretch is cut: at a half, or to one side of it, on each level elsewhere.
static uint32_t cut_place(const work *w, uint32_t count)
{
    static const uint32_t sixteenths[4] = {8, 6, 10, 7};
    uint32_t least = w->most / 2;
    uint32_t cut = (uint32_t)((uint64_t)count * sixteenths[w->level % 4] / 16);
    cut = cut < least ? least : cut;
    return cut > count - least ? count - least : cut;
}

static void cut_stretch(work *w, uint32_t first, uint32_t count)
{
    while (count > w->most) { // the second part goes on here, so that the depth stays small
        sort_stretch(w, first, count, longest_axis(w, first, count));
        uint32_t cut = cut_place(w, count);
        cut_stretch(w, first, cut);
        first += cut;
        count -= cut;
    }
    for (uint32_t i = first; i < first + count; ++i)
        memset(w->keys[i], 0, 4); // so that it is sorted by number
    gz_sort_records(NULL, w->keys[first], count, 8, 0,
                    gz_arena_over(w->spare[first], (uint64_t)count * 8));
    w->first[w->group_count++] = first;
}

bool gz_grouping_make(graze_context *context, const float (*center)[3], uint32_t cluster_count,
                      uint32_t level, uint32_t most, gz_grouping *out)
{
    *out = (gz_grouping){.cluster_count = cluster_count};
    if (cluster_count == 0)
        return true;
    work w = {.center = center, .level = level, .most = most < 2 ? 2 : most};
    w.keys = gz_allocate_array(context, cluster_count, sizeof *w.keys);
    w.spare = gz_allocate_array(context, cluster_count, sizeof *w.spare);
    out->member = GZ_NEW_ARRAY(context, uint32_t, cluster_count);
    out->first = GZ_NEW_ARRAY(context, uint32_t, (uint64_t)cluster_count + 1);
    bool made = w.keys != NULL && w.spare != NULL && out->member != NULL && out->first != NULL;
    if (made) {
        w.first = out->first;
        for (uint32_t i = 0; i < cluster_count; ++i)
            gz_put_number(w.keys[i], i, 8);
        cut_stretch(&w, 0, cluster_count);
        out->group_count = w.group_count;
        out->first[w.group_count] = cluster_count;
        for (uint32_t i = 0; i < cluster_count; ++i)
            out->member[i] = number_at(&w, i);
    }
    GZ_FREE_ARRAY(context, w.keys, cluster_count);
    GZ_FREE_ARRAY(context, w.spare, cluster_count);
    if (!made)
        gz_grouping_free(context, out);
    return made;
}

void gz_grouping_free(graze_context *context, gz_grouping *grouping)
{
    GZ_FREE_ARRAY(context, grouping->member, grouping->cluster_count);
    GZ_FREE_ARRAY(context, grouping->first, (uint64_t)grouping->cluster_count + 1);
    *grouping = (gz_grouping){0};
}
