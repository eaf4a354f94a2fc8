// What is worked out from the vertices of a tree, when it is built and when they have moved: the
// numbers of a leaf, and the rounding of boxes.
#ifndef GZ_TREE_LEAF_H
#define GZ_TREE_LEAF_H

#include <math.h>
#include <string.h>

#include "boxtree/tree.h"
#include "geometry/rounding.h"

// The vertices of a leaf, each position once, and the corners of its triangles among them.
typedef struct gz_leaf_vertices {
    double position[3][GZ_LEAF]; // axis, vertex
    uint32_t count;
    uint8_t corner[3][GZ_LEAF];
} gz_leaf_vertices;

// Leaves of the fast layout: gz_leaf32 or gz_leaf64 and their vertices.
typedef struct gz_leaf_store {
    graze_precision precision;
    void *leaves;
    double *vertices; // of doubles only
} gz_leaf_store;
static inline gz_leaf_store gz_tree_store(const gz_tree *tree)
{
    return (gz_leaf_store){tree->precision, tree->leaves, tree->vertices};
}
static inline gz_leaf_head *gz_store_head(const gz_leaf_store *store, uint32_t leaf)
{
    return store->precision == GRAZE_FLOAT32 ? &((gz_leaf32 *)store->leaves)[leaf].head
                                             : &((gz_leaf64 *)store->leaves)[leaf].head;
}

// Makes a whole leaf of triangles that begin at the place `first`.
// @param first_vertex  where its vertices go; of doubles only.
void gz_leaf_fill(const gz_leaf_store *store, uint32_t leaf, uint64_t first_vertex, uint32_t first,
                  uint32_t triangle_count, const gz_leaf_vertices *v);

// The vertices of triangles that are to be a leaf, by their numbers in the mesh.
typedef struct gz_leaf_list {
    uint32_t vertex[GZ_LEAF];
    uint32_t count;
    uint8_t corner[3][GZ_LEAF];
} gz_leaf_list;
// 1 to GZ_LEAF triangles. False if they have too many vertices.
bool gz_leaf_collect(const graze_mesh_view *view, const uint32_t *triangles, uint32_t count,
                     gz_leaf_list *out);
void gz_leaf_read(const graze_mesh_view *view, const gz_leaf_list *list, gz_leaf_vertices *out);

// The vertices of a leaf; lanes that are not used repeat the first.
void gz_leaf_positions(const gz_leaf_store *store, uint32_t leaf, double at[3][GZ_LEAF]);

// Sets the slab of one child of a node, a leaf with these vertices. The frame is the tree's.
void gz_node_set_slab(gz_node *node, uint32_t lane, const gz_leaf_head *head,
                      const double at[3][GZ_LEAF], const double origin[3], double scale);

// Heights along the normal of a slab, as rows are. Those of a tree's vertices are about 1.
static inline double gz_slab_height(const gz_node *node, uint32_t lane, const double at[3],
                                    const double origin[3], double scale)
{
    double height = 0;
    for (int axis = 0; axis < 3; ++axis)
        height += (double)node->normal[axis][lane] * ((at[axis] - origin[axis]) * scale);
    return height / 127;
}

// The least and the most of sixteen numbers, by halves: loops without a chain from one to the next.
static inline void gz_span(const double x[GZ_LEAF], double *low, double *high)
{
    double least[GZ_LEAF / 2], most[GZ_LEAF / 2];
    for (int i = 0; i < GZ_LEAF / 2; ++i) {
        double y = x[i], z = x[i + GZ_LEAF / 2];
        least[i] = y < z ? y : z;
        most[i] = y > z ? y : z;
    }
    for (int count = GZ_LEAF / 4; count > 0; count /= 2)
        for (int i = 0; i < count; ++i) {
            least[i] = least[i] < least[i + count] ? least[i] : least[i + count];
            most[i] = most[i] > most[i + count] ? most[i] : most[i + count];
        }
    *low = least[0];
    *high = most[0];
}

// As bits: -0 and +0 stay apart, they were read so.
static inline bool gz_same_bits(const double a[3], const double b[3])
{
    uint64_t x[3], y[3];
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    return x[0] == y[0] && x[1] == y[1] && x[2] == y[2];
}

// A coordinate in the units of rows, rounded outward: by 4 units of 2^-24 of its own. The rounding
// of the float, and of this, take at most 1.6 of them back, for a number that is 1.25 times a power
// of two, and the difference in double next to nothing; tree_frames.c counts on the other 2.4. And
// by so much that none is subnormal, as an end that is 0 would be if it were only moved on by a
// step: machines are slow at those. Rows of trees that are too large for floats, whose boxes nobody
// asks, are finite all the same.
#define GZ_ROW_SLACK 0x1p-22f
#define GZ_ROW_LEAST 0x1p-60f
#define GZ_ROW_MOST  0x1p100f
static inline float gz_row_below(double x, double origin, double scale)
{
    float y = (float)((x - origin) * scale);
    y = y < GZ_ROW_MOST ? y : GZ_ROW_MOST;
    y = y > -GZ_ROW_MOST ? y : -GZ_ROW_MOST;
    return y - (fabsf(y) * GZ_ROW_SLACK + GZ_ROW_LEAST);
}
static inline float gz_row_above(double x, double origin, double scale)
{
    return -gz_row_below(-x, -origin, scale);
}

// Room for the vertices of leaves of doubles, and the loose ones.
graze_status gz_tree_make_vertices(gz_tree *tree, uint64_t count);

// Sets all boxes and slabs of a tree of the fast layout, whose leaves and links are there.
void gz_tree_bound(gz_tree *tree);

// Sets the box of all triangles, and origin, half size and scale by it.
void gz_tree_set_frame(gz_tree *tree, const graze_box *box);

#endif
