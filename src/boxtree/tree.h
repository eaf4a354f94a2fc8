// The boxtree: the exact hierarchy over the triangles of a mesh.
//
// Nodes have up to eight children, whose boxes lie side by side, so that one comparison settles
// eight of them. Leaves have up to 16 triangles on up to 16 different vertices and hold these
// vertices as they were read, bit for bit: a leaf is all that a triangle test needs, in one piece
// of memory.
//
// Rules: a node's box holds its children's boxes, rounding included; every triangle is in exactly
// one leaf; leaves and nodes stand in the order of a depth-first walk; depth is at most
// GZ_TREE_DEPTH.
#ifndef GZ_TREE_H
#define GZ_TREE_H

#include <stdbool.h>

#include "graze/geometry.h"
#include "graze/mesh.h"
#include "graze/shape.h"

#define GZ_TREE_DEPTH  128
#define GZ_WIDE        8
#define GZ_LEAF        16
#define GZ_IS_LEAF     0x80000000u // in a child: the rest is the number of a leaf
#define GZ_ROW_LOW(i)  (i)
#define GZ_ROW_HIGH(i) (8 + (i))

// Boxes are relative to the tree's origin, times its scale. Unused lanes repeat lane 0.
typedef struct gz_node {
    float row[3][2 * GZ_WIDE]; // axis; the low ends of eight children, then their high ends negated
    uint32_t child[GZ_WIDE];
    uint32_t child_count;
    uint32_t leaves; // a bit for each child that is one
    uint32_t unused[6];
} __attribute__((aligned(64))) gz_node;
_Static_assert(sizeof(gz_node) == 256, "four cache lines");

// What both kinds of leaves have. The center is the middle of the leaf's box.
typedef struct gz_leaf_head {
    uint32_t first; // place of the first triangle in the tree's order
    uint8_t triangle_count, vertex_count;
    int16_t normal[3];          // times GZ_NORMAL_UNIT: about the mean normal, of length about 1
    float slab_low, slab_high;  // no vertex is beyond these heights along it, from the center
    float half[3];              // nor beyond these of the center, along the axes
    float center[3];            // the float nearest to the center
    uint8_t corner[3][GZ_LEAF]; // vertex numbers; unused lanes repeat lane 0
    uint32_t unused;
} gz_leaf_head;
_Static_assert(sizeof(gz_leaf_head) == 96,
               "as small as it gets: there is one for each 11 triangles");
#define GZ_NORMAL_UNIT (1 / 32767.0f)

// The center is a float.
typedef struct gz_leaf32 {
    gz_leaf_head head;
    float vertex[3][GZ_LEAF]; // axis, vertex; unused lanes repeat lane 0
} __attribute__((aligned(32))) gz_leaf32;
_Static_assert(sizeof(gz_leaf32) == 288, "four and a half cache lines");

typedef struct gz_leaf64 {
    gz_leaf_head head;
    double center[3];
    double unused;
    double vertex[3][GZ_LEAF];
} __attribute__((aligned(64))) gz_leaf64;
_Static_assert(sizeof(gz_leaf64) == 512, "eight cache lines");

typedef struct gz_tree {
    graze_context *context;
    graze_precision precision;
    uint64_t triangle_count;
    uint32_t node_count, leaf_count, depth;
    graze_box box; // of all triangles
    double origin[3];
    double half[3];  // the root's box is origin +- half
    double scale;    // rows are in units of 1 / scale, a power of two that makes them about 1
    gz_node *nodes;  // the root is nodes[0]
    void *leaves;    // gz_leaf32 or gz_leaf64, as the precision says
    uint32_t *order; // place -> number of the triangle in the mesh
} gz_tree;

// The mesh may go afterwards. Triangle numbers are those of the view; objects are not looked at.
graze_status gz_tree_build(graze_context *context, const graze_mesh_view *view, graze_build build,
                           gz_tree *tree);
void gz_tree_free(gz_tree *tree);
uint64_t gz_tree_bytes(const gz_tree *tree);

static inline const gz_leaf_head *gz_tree_leaf(const gz_tree *tree, uint32_t leaf)
{
    return tree->precision == GRAZE_FLOAT32 ? &((const gz_leaf32 *)tree->leaves)[leaf].head
                                            : &((const gz_leaf64 *)tree->leaves)[leaf].head;
}

static inline void gz_tree_leaf_center(const gz_tree *tree, uint32_t leaf, double out[3])
{
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = tree->precision == GRAZE_FLOAT32
                        ? (double)((const gz_leaf32 *)tree->leaves)[leaf].head.center[axis]
                        : ((const gz_leaf64 *)tree->leaves)[leaf].center[axis];
}

// The corners of a triangle as they were read.
void gz_tree_triangle(const gz_tree *tree, uint32_t leaf, uint32_t slot, graze_triangle *out);

// Walks the whole tree and checks the rules above. For tests.
bool gz_tree_valid(const gz_tree *tree, const graze_mesh_view *view);

#endif
