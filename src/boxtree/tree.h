// The boxtree: a BVH of axis-aligned boxes, the exact hierarchy over the triangles of a mesh.
//
// Nodes have up to eight children, whose boxes lie side by side, so that one comparison settles
// eight of them. Leaves have up to 16 triangles on up to 16 different vertices. All vertices are
// kept as they were read, bit for bit. There are two layouts:
//   fast     boxes as floats; a leaf has copies of its vertices and all else that a triangle test
//            needs, in one piece of memory, or in two where coordinates are doubles;
//   compact  boxes as bytes, on a grid of the node's own that holds them; vertices once, in the
//            order in which leaves need them, so that those of a leaf mostly lie side by side.
//
// Rules: a node's box holds its children's boxes, rounding included; every triangle is in exactly
// one leaf; leaves and nodes stand in the order of a depth-first walk; depth is at most
// GZ_TREE_DEPTH. In states of lazy trees (tree_lazy.h) there are nodes without children: walks go
// in and find nothing.
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

#define GZ_ROWS (2 * GZ_WIDE)

// Where a node leads to.
typedef struct gz_links {
    uint32_t child[GZ_WIDE];
    uint8_t child_count;
    uint8_t leaves; // a bit for each child that is one
    uint8_t unused[2];
} gz_links;

// Boxes are relative to the tree's origin, times its scale. Unused lanes repeat lane 0. A child
// that is a leaf has a slab, too: it lies between two heights along its mean normal. Slabs of other
// lanes are nothing but zeros, and stop nobody.
typedef struct gz_node {
    float row[3][GZ_ROWS];     // axis; the low ends of eight children, then their high ends negated
    float slab[GZ_ROWS];       // their lowest heights, then the highest ones negated, as rows are
    int8_t normal[3][GZ_WIDE]; // times GZ_SLAB_UNIT: of length at most 1
    gz_links links;
    uint32_t unused;
} __attribute__((aligned(64))) gz_node;
_Static_assert(sizeof(gz_node) == 320, "five cache lines");
#define GZ_SLAB_UNIT (1 / 127.0f)

// The same on a grid: low ends are base + cell * 2^exponent, high ends likewise. Bases are whole
// multiples of the grid's step, and all such numbers are floats.
typedef struct gz_small_node {
    gz_links links;
    float base[3];
    int8_t exponent[3];
    uint8_t unused;
    uint8_t cell[3][GZ_ROWS]; // of low ends, then of high ends
} gz_small_node;
_Static_assert(sizeof(gz_small_node) == 100, "25 words");

// What both kinds of leaves have. The center is the middle of the leaf's box.
typedef struct gz_leaf_head {
    uint32_t first; // place of the first triangle in the tree's order
    uint8_t triangle_count, vertex_count;
    uint16_t half[3];  // upper halves of floats: no vertex is farther from the center, by axes
    int16_t normal[3]; // times GZ_NORMAL_UNIT: about the mean normal, of length about 1
    uint16_t spread;   // the upper half of a float: what the leaf stands for is so near; mostly 0
    float slab_low, slab_high;      // no vertex is beyond these heights along it, from the center
    float center[3];                // the float nearest to the center
    uint8_t corner[3][GZ_LEAF / 2]; // vertex numbers of triangles t and t + 8, four bits each;
                                    // unused ones repeat those of triangle 0
} gz_leaf_head;
_Static_assert(sizeof(gz_leaf_head) == 64, "one cache line: there is one for each 11 triangles");
#define GZ_NORMAL_UNIT (1 / 32767.0f)

// The center is a float.
typedef struct gz_leaf32 {
    gz_leaf_head head;
    float vertex[3][GZ_LEAF]; // axis, vertex; unused lanes repeat lane 0
} __attribute__((aligned(64))) gz_leaf32;
_Static_assert(sizeof(gz_leaf32) == 256, "four cache lines");

// Its vertices are outside it, among those of the tree, and no more than it has: from three times
// `first_vertex` on all x, then all y, then all z.
typedef struct gz_leaf64 {
    gz_leaf_head head;
    double center[3];
    uint64_t first_vertex;
} gz_leaf64;
_Static_assert(sizeof(gz_leaf64) == 96, "one and a half cache lines");
#define GZ_LOOSE_VERTICES 6u // at the end, which nobody has: lanes are read whole

// A leaf of the compact layout. Its vertices are some of its own, side by side, and some that
// earlier leaves have.
typedef struct gz_small_leaf {
    uint32_t first;       // place of the first triangle in the tree's order
    uint32_t first_own;   // vertex
    uint32_t first_other; // in the list of vertices of others
    uint8_t triangle_count, vertex_count, own_count;
    uint8_t unused;
} gz_small_leaf;
_Static_assert(sizeof(gz_small_leaf) == 16, "four words");

typedef struct gz_tree {
    graze_context *context;
    graze_precision precision;
    graze_layout layout;
    uint64_t triangle_count;
    uint64_t serial;   // no other tree of the context has or had it
    double grain;      // how large leaves are, on the average
    double spread;     // the largest of its leaves, see gz_tree_spread; 0: there is none
    double built_cost; // of its boxes before its first refit, as tree_refit.c has it; 0: none yet
    uint32_t node_count, leaf_count, depth;
    graze_box box; // of all triangles
    double origin[3];
    double half[3];  // the root's box is origin +- half
    double scale;    // rows are in units of 1 / scale, a power of two that makes them about 1
    void *nodes;     // gz_node or gz_small_node, as the layout says; the root is the first
    void *leaves;    // gz_leaf32 or gz_leaf64, as the precision says, or gz_small_leaf
    uint32_t *order; // place -> number of the triangle in the mesh
    void *vertices;  // compact, and fast of doubles: three coordinates each
    uint64_t vertex_count;
    // Compact only.
    uint32_t *others;  // vertices that leaves share with earlier ones
    uint16_t *corners; // place -> numbers of the three vertices in the leaf, four bits each
    uint64_t other_count;
} gz_tree;

// The mesh may go afterwards. Triangle numbers are those of the view; objects are not looked at.
graze_status gz_tree_build(graze_context *context, const graze_mesh_view *view,
                           const graze_shape_def *def, gz_tree *tree);
void gz_tree_free(gz_tree *tree);
uint64_t gz_tree_bytes(const gz_tree *tree);

// Turns a fast tree of the mesh into a compact one. It stays as it was if memory runs out.
graze_status gz_tree_compact(gz_tree *tree, const graze_mesh_view *view);

// Puts the boxes of a node, rounded outward, on the finest grid that holds them.
void gz_small_node_fit(gz_small_node *node, const float row[3][GZ_ROWS]);

// Moves the vertices to where the triangles of the view have them; which triangles share leaves and
// nodes stays. The tree gets a new serial number. It stays as it was if that fails: if a coordinate
// is not finite, or corners that were one vertex of a leaf, or of a compact tree, no longer are.
// The view is sound, and has the tree's precision and triangle count.
// @param looseness  of the boxes: what is spent on boxes, relative to before the first refit.
graze_status gz_tree_refit(gz_tree *tree, const graze_mesh_view *view, double *looseness);

// Leaves of a coarser surface stand for points of a finer one, which are at most `spread` away, for
// each leaf its own. From then on boxes and slabs of the nodes hold these points, too, and pairs of
// leaves are asked at a tolerance that is larger by the spreads of both. Of the fast layout only.
void gz_tree_spread(gz_tree *tree, const float *spread);

static inline const gz_links *gz_tree_links(const gz_tree *tree, uint32_t node)
{
    return tree->layout == GRAZE_LAYOUT_FAST ? &((const gz_node *)tree->nodes)[node].links
                                             : &((const gz_small_node *)tree->nodes)[node].links;
}

// The boxes of a node: its own, or made from the grid in `room`. Both are aligned to 64 bytes.
static inline const float (*gz_tree_rows(const gz_tree *tree, uint32_t node,
                                         float room[3][GZ_ROWS]))[GZ_ROWS]
{
    if (tree->layout == GRAZE_LAYOUT_FAST)
        return ((const gz_node *)tree->nodes)[node].row;
    const gz_small_node *small = &((const gz_small_node *)tree->nodes)[node];
    for (int axis = 0; axis < 3; ++axis) {
        uint32_t bits = (uint32_t)(127 + small->exponent[axis]) << 23;
        float step, base = small->base[axis];
        __builtin_memcpy(&step, &bits, sizeof step);
        for (int i = 0; i < GZ_WIDE; ++i)
            room[axis][i] = base + step * (float)small->cell[axis][i];
        for (int i = GZ_WIDE; i < GZ_ROWS; ++i)
            room[axis][i] = -(base + step * (float)small->cell[axis][i]);
    }
    return (const float(*)[GZ_ROWS])room;
}

static inline uint32_t gz_leaf_corner(const gz_leaf_head *head, uint32_t k, uint32_t triangle)
{
    return head->corner[k][triangle % 8] >> triangle / 8 * 4 & 15;
}

static inline float gz_leaf_half(const gz_leaf_head *head, int axis)
{
    uint32_t bits = (uint32_t)head->half[axis] << 16;
    float half;
    __builtin_memcpy(&half, &bits, sizeof half);
    return half;
}

// Rounded up.
static inline void gz_leaf_set_half(gz_leaf_head *head, int axis, float half)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &half, sizeof bits);
    head->half[axis] = (uint16_t)((bits + 0xffff) >> 16);
}

// No point that the leaf stands for is farther from its triangles.
static inline float gz_leaf_spread(const gz_leaf_head *head)
{
    uint32_t bits = (uint32_t)head->spread << 16;
    float spread;
    __builtin_memcpy(&spread, &bits, sizeof spread);
    return spread;
}

// The head of a leaf of the fast layout.
static inline const gz_leaf_head *gz_tree_head(const gz_tree *tree, uint32_t leaf)
{
    return tree->precision == GRAZE_FLOAT32 ? &((const gz_leaf32 *)tree->leaves)[leaf].head
                                            : &((const gz_leaf64 *)tree->leaves)[leaf].head;
}

static inline uint32_t gz_tree_leaf_first(const gz_tree *tree, uint32_t leaf)
{
    return tree->layout == GRAZE_LAYOUT_FAST ? gz_tree_head(tree, leaf)->first
                                             : ((const gz_small_leaf *)tree->leaves)[leaf].first;
}

static inline uint32_t gz_tree_leaf_count(const gz_tree *tree, uint32_t leaf)
{
    return tree->layout == GRAZE_LAYOUT_FAST
               ? gz_tree_head(tree, leaf)->triangle_count
               : ((const gz_small_leaf *)tree->leaves)[leaf].triangle_count;
}

// Which vertex of the compact layout is vertex `v` of a leaf?
static inline uint32_t gz_small_leaf_vertex(const gz_tree *tree, const gz_small_leaf *leaf,
                                            uint32_t v)
{
    return v < leaf->own_count ? leaf->first_own + v
                               : tree->others[leaf->first_other + (v - leaf->own_count)];
}

// The corners of a triangle as they were read.
void gz_tree_triangle(const gz_tree *tree, uint32_t leaf, uint32_t slot, graze_triangle *out);

// Walks the whole tree and checks the rules above, and that it holds the triangles of the view,
// unless that is NULL. GRAZE_OK, GRAZE_ERROR_FORMAT or GRAZE_ERROR_MEMORY, without a sentence.
graze_status gz_tree_check(const gz_tree *tree, const graze_mesh_view *view);
// The same for GZ_VALIDATE: no memory of the context is taken, and none at all is no fault.
bool gz_tree_is_sound(const gz_tree *tree, const graze_mesh_view *view);

#endif
