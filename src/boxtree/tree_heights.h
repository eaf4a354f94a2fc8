// How high the boxes of a tree's nodes reach along a direction, more closely than the boxes tell:
// what is in a box, down to a few levels, and in leaves the vertices themselves. For kernels.
//
// A box along the axes around a piece of surface that faces the direction reaches above it by about
// its own size; the surface in it, by how much it is tilted and bent. So where two smooth surfaces
// face each other, the boxes leave open as many pairs as there are triangles around, and the
// heights only some. Each is found out once for a direction, and kept in a row for each node; rows
// of other nodes may take its place.
#ifndef GZ_TREE_HEIGHTS_H
#define GZ_TREE_HEIGHTS_H

#include "boxtree/tree_distance.h"
#include "boxtree/tree_lanes.h"

#define LOOK_AHEAD 2 // levels of boxes in a box

// One tree, and a direction in the units of its rows. Heights are from its origin.
typedef struct slope {
    const gz_tree *tree;
    float direction[3];
    gz_height_row *rows;
    uint64_t number; // of the direction
    uint64_t *looks; // counts nodes and leaves that are looked at; each takes about as long as a
                     // pair of nodes does
} slope;

// The highest point of a child's box: of rows that are low ends and negated high ends, the ones
// that count are known from the sign.
static inline float box_height(const float row[3][ROWS], const float direction[3], uint32_t child)
{
    float height = 0;
    for (int axis = 0; axis < 3; ++axis)
        height -= fabsf(direction[axis]) *
                  row[axis][direction[axis] >= 0 ? GZ_ROW_HIGH(child) : GZ_ROW_LOW(child)];
    return height;
}

// Vertices are off by a rounding of their distance from the center, and their heights by three
// more.
static float leaf_height(const slope *s, uint32_t leaf)
{
    open_leaf opened;
    read_leaf(s->tree, leaf, &opened);
    gz_fw most = gz_fw_all(-HUGE_VALF);
    for (int first = 0; first < GZ_LEAF; first += GZ_LANES) {
        gz_fw h = gz_fw_all(0);
        for (int axis = 0; axis < 3; ++axis)
            h = gz_fw_add(h, gz_fw_mul(gz_fw_all(s->direction[axis]),
                                       gz_fw_load(&opened.local[axis][first])));
        most = gz_fw_max(most, h);
    }
    float lanes[GZ_LANES] __attribute__((aligned(64)));
    gz_fw_store(lanes, most);
    double highest = (double)lanes[0], size = 0;
    for (int i = 1; i < GZ_LANES; ++i)
        highest = fmax(highest, (double)lanes[i]);
    for (int axis = 0; axis < 3; ++axis) {
        double d = (double)s->direction[axis];
        highest += d * (opened.center[axis] - s->tree->origin[axis]);
        size += fabs(d) * (double)gz_leaf_half(opened.head, axis);
    }
    return (float)((highest + 8 * (double)EPSILON * size) * s->tree->scale);
}

static inline gz_height_row *row_of(const slope *s, uint32_t node)
{
    gz_height_row *row = &s->rows[(node * UINT32_C(2654435769)) >> (32 - GZ_HEIGHT_BITS)];
    if (row->number != s->number || row->node != node)
        *row = (gz_height_row){.number = s->number, .node = node};
    return row;
}

// Not below the highest vertex in a child, and not above its box.
static float child_height(const slope *s, uint32_t node, uint32_t lane, float box, int levels)
{
    const gz_height_row *known = row_of(s, node);
    if ((known->known >> lane & 1) != 0)
        return known->height[lane];
    uint32_t child = gz_tree_links(s->tree, node)->child[lane];
    float best = box;
    ++*s->looks;
    if ((child & GZ_IS_LEAF) != 0) {
        best = leaf_height(s, child & ~GZ_IS_LEAF);
    } else if (levels != 0) {
        float room[3][ROWS] __attribute__((aligned(64))), height[GZ_WIDE];
        const float(*row)[ROWS] = gz_tree_rows(s->tree, child, room);
        uint32_t left = children_of(gz_tree_links(s->tree, child));
        for (uint32_t i = 0; i < GZ_WIDE; ++i)
            height[i] = box_height(row, s->direction, i);
        for (best = -HUGE_VALF; left != 0;) { // the highest box first, until no box is higher
            uint32_t next = (uint32_t)__builtin_ctz(left);
            for (uint32_t rest = left & (left - 1); rest != 0; rest &= rest - 1) {
                uint32_t i = (uint32_t)__builtin_ctz(rest);
                next = height[i] > height[next] ? i : next;
            }
            if (!(height[next] > best))
                break;
            best = larger(best, child_height(s, child, next, height[next], levels - 1));
            left &= ~(UINT32_C(1) << next);
        }
    }
    best = best < box ? best : box;
    if (levels == LOOK_AHEAD || (child & GZ_IS_LEAF) != 0) {
        gz_height_row *row = row_of(s, node);
        row->height[lane] = best;
        row->known |= UINT32_C(1) << lane;
    }
    return best;
}

#endif
