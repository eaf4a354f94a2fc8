// Boxes of objects in a packed BVH, eight to a node. See node_bvh.h.
#include "scene/node_bvh.h"

#include <float.h>
#include <math.h>
#include <string.h>

// What is compared while cuts are made: the middle along an axis, then the number of the box.
typedef struct entry {
    uint64_t key; // the middle, as bits that order as numbers do
    uint32_t number;
} entry;

typedef struct cutter {
    const graze_box *boxes;
    entry *entries;
} cutter;

// Boxes may be infinite; their middle is not.
static double middle_of(const graze_box *box, int axis)
{
    double low = box->min[axis], high = box->max[axis];
    return 0.5 * (low > -DBL_MAX ? low : -DBL_MAX) + 0.5 * (high < DBL_MAX ? high : DBL_MAX);
}

static int longest_axis(const cutter *c, uint32_t first, uint32_t count)
{
    double low[3], high[3];
    for (int axis = 0; axis < 3; ++axis)
        low[axis] = high[axis] = middle_of(&c->boxes[c->entries[first].number], axis);
    for (uint32_t i = first + 1; i < first + count; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            double x = middle_of(&c->boxes[c->entries[i].number], axis);
            low[axis] = x < low[axis] ? x : low[axis];
            high[axis] = x > high[axis] ? x : high[axis];
        }
    int longest = 0;
    for (int axis = 1; axis < 3; ++axis) // halves, which do not overflow
        if (0.5 * high[axis] - 0.5 * low[axis] > 0.5 * high[longest] - 0.5 * low[longest])
            longest = axis;
    return longest;
}

static bool comes_before(const entry *a, const entry *b)
{
    return a->key != b->key ? a->key < b->key : a->number < b->number;
}

// Quickselect: the `cut` least of some entries come first. No two are equal. Which one divides is
// drawn, always the same way, so that no order of boxes is a slow one by itself.
static void select_least(entry *entries, uint32_t count, uint32_t cut)
{
    uint32_t first = 0, end = count, draw = 1;
    while (first < cut && cut < end) {
        draw = draw * 1664525u + 1013904223u;
        uint32_t at = first + (uint32_t)((uint64_t)draw * (end - first) >> 32), less = first;
        const entry pivot = entries[at];
        entries[at] = entries[end - 1];
        for (uint32_t i = first; i < end - 1; ++i) {
            const entry moved = entries[i];
            entries[i] = entries[less];
            entries[less] = moved;
            less += comes_before(&moved, &pivot);
        }
        entries[end - 1] = entries[less];
        entries[less] = pivot;
        if (cut <= less)
            end = less;
        else
            first = less + 1;
    }
}

// Cuts in the middle, at a multiple of the largest power of eight that leaves something to cut:
// so each box of a level is one of these stretches.
static void cut_stretch(const cutter *c, uint32_t first, uint32_t count)
{
    while (count > GZ_NODE_WIDE) {
        uint64_t child = GZ_NODE_WIDE;
        while (child * GZ_NODE_WIDE < count)
            child *= GZ_NODE_WIDE;
        uint64_t children = (count + child - 1) / child; // two or more
        uint32_t cut = (uint32_t)(children / 2 * child);
        int axis = longest_axis(c, first, count);
        for (uint32_t i = first; i < first + count; ++i) {
            double x = middle_of(&c->boxes[c->entries[i].number], axis) + 0.0; // -0 and 0 are one
            uint64_t bits;
            memcpy(&bits, &x, sizeof bits);
            c->entries[i].key = (bits >> 63) != 0 ? ~bits : bits | UINT64_C(1) << 63;
        }
        select_least(&c->entries[first], count, cut);
        cut_stretch(c, first, cut);
        first += cut;
        count -= cut;
    }
}

static uint32_t blocks_of(uint32_t count)
{
    return (uint32_t)(((uint64_t)count + GZ_NODE_WIDE - 1) / GZ_NODE_WIDE);
}

static void count_levels(gz_node_bvh *bvh)
{
    for (uint32_t count = bvh->count; count != 0; count = blocks_of(count)) {
        bvh->size[bvh->level_count++] = count;
        bvh->block_count += blocks_of(count);
        if (count <= GZ_NODE_WIDE)
            break;
    }
}

static void set_lane(gz_node_block *block, uint32_t lane, const graze_box *box)
{
    for (int axis = 0; axis < 3; ++axis) {
        block->low[axis][lane] = box->min[axis];
        block->high[axis][lane] = box->max[axis];
    }
}

// The box around a block. Places that are empty do not count: the minimum with NaN is the other.
static graze_box box_of(const gz_node_block *block)
{
    graze_box box;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = block->low[axis][0];
        box.max[axis] = block->high[axis][0];
        for (uint32_t lane = 1; lane < GZ_NODE_WIDE; ++lane) {
            box.min[axis] = fmin(box.min[axis], block->low[axis][lane]);
            box.max[axis] = fmax(box.max[axis], block->high[axis][lane]);
        }
    }
    return box;
}

static void fill_levels(gz_node_bvh *bvh, const graze_box *boxes)
{
    for (uint64_t i = 0; i < bvh->block_count; ++i)
        for (uint32_t lane = 0; lane < GZ_NODE_WIDE; ++lane)
            set_lane(&bvh->level[0][i], lane, &(graze_box){{NAN, NAN, NAN}, {NAN, NAN, NAN}});
    for (uint32_t i = 0; i < bvh->count; ++i)
        set_lane(&bvh->level[0][i / GZ_NODE_WIDE], i % GZ_NODE_WIDE, &boxes[bvh->number[i]]);
    for (uint32_t level = 1; level < bvh->level_count; ++level) {
        bvh->level[level] = bvh->level[level - 1] + blocks_of(bvh->size[level - 1]);
        for (uint32_t i = 0; i < bvh->size[level]; ++i) {
            graze_box box = box_of(&bvh->level[level - 1][i]);
            set_lane(&bvh->level[level][i / GZ_NODE_WIDE], i % GZ_NODE_WIDE, &box);
        }
    }
}

bool gz_node_bvh_make(graze_context *context, const graze_box *boxes, uint32_t box_count,
                      gz_node_bvh *bvh)
{
    *bvh = (gz_node_bvh){0};
    cutter c = {.boxes = boxes};
    for (uint32_t i = 0; i < box_count; ++i) {
        GZ_ASSERT(gz_box_is_ordered(&boxes[i]));
        bvh->count += !gz_box_is_empty(&boxes[i]);
    }
    if (bvh->count == 0)
        return true;
    count_levels(bvh);
    c.entries = GZ_NEW_ARRAY(context, entry, bvh->count);
    bvh->number = GZ_NEW_ARRAY(context, uint32_t, bvh->count);
    bvh->level[0] = GZ_NEW_ARRAY(context, gz_node_block, bvh->block_count);
    bool made = c.entries != NULL && bvh->number != NULL && bvh->level[0] != NULL;
    if (made) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < box_count; ++i)
            if (!gz_box_is_empty(&boxes[i]))
                c.entries[count++].number = i;
        cut_stretch(&c, 0, count);
        for (uint32_t i = 0; i < count; ++i)
            bvh->number[i] = c.entries[i].number;
        fill_levels(bvh, boxes);
    }
    GZ_FREE_ARRAY(context, c.entries, bvh->count);
    if (!made)
        gz_node_bvh_free(context, bvh);
    return made;
}

void gz_node_bvh_free(graze_context *context, gz_node_bvh *bvh)
{
    GZ_FREE_ARRAY(context, bvh->number, bvh->count);
    GZ_FREE_ARRAY(context, bvh->level[0], bvh->block_count);
    *bvh = (gz_node_bvh){0};
}

void gz_node_bvh_clear(gz_node_bvh *bvh, uint32_t place)
{
    GZ_ASSERT(place < bvh->count);
    set_lane(&bvh->level[0][place / GZ_NODE_WIDE], place % GZ_NODE_WIDE,
             &(graze_box){{NAN, NAN, NAN}, {NAN, NAN, NAN}});
}

// Bit i is set when box i of the eight shares a point with `box`. Written so that compilers take
// several lanes at once.
static uint32_t hits_of(const gz_node_block *block, const graze_box *box)
{
    int64_t hit[GZ_NODE_WIDE];
    for (uint32_t lane = 0; lane < GZ_NODE_WIDE; ++lane)
        hit[lane] = (block->low[0][lane] <= box->max[0]) & (block->high[0][lane] >= box->min[0]) &
                    (block->low[1][lane] <= box->max[1]) & (block->high[1][lane] >= box->min[1]) &
                    (block->low[2][lane] <= box->max[2]) & (block->high[2][lane] >= box->min[2]);
    uint32_t bits = 0;
    for (uint32_t lane = 0; lane < GZ_NODE_WIDE; ++lane)
        bits |= (uint32_t)hit[lane] << lane;
    return bits;
}

// Each step reads one block of 384 bytes. The stack holds what is left of each level: seven at most
// of each but the last.
bool gz_node_bvh_find(const gz_node_bvh *bvh, const graze_box *box, uint32_t first,
                      gz_node_visit *visit, void *user)
{
    struct {
        uint32_t level, block;
    } stack[GZ_NODE_LEVELS * GZ_NODE_WIDE];
    uint32_t depth = 0;
    if (bvh->level_count != 0) {
        stack[depth].level = bvh->level_count - 1;
        stack[depth++].block = 0;
    }
    while (depth != 0) {
        uint32_t level = stack[--depth].level, block = stack[depth].block;
        for (uint32_t bits = hits_of(&bvh->level[level][block], box); bits != 0; bits &= bits - 1) {
            uint32_t at = block * GZ_NODE_WIDE + (uint32_t)__builtin_ctz(bits);
            if (((uint64_t)at + 1) << 3 * level <= first) // all of it lies before
                continue;
            if (level == 0) {
                if (!visit(user, at))
                    return false;
            } else {
                GZ_ASSERT(depth < sizeof stack / sizeof *stack);
                stack[depth].level = level - 1;
                stack[depth++].block = at;
            }
        }
    }
    return true;
}
