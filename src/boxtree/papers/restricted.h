// The restricted boxtree of "Minimal Hierarchical Collision Detection" (Zachmann, 2002): a binary
// tree of boxes along the axes in which a node's box is its parent's, cut by one plane. A node
// stores the plane's distance from the side of the parent that it replaces, which side that is, and
// where its two children lie side by side: 8 bytes. Every leaf holds one triangle.
//
// Boxes are kept as "ends": the low end and the negated high end along each axis. Cutting is then
// always adding a distance that is not negative, and two intervals are apart if an end of one plus
// the other end of the other is positive. Ends are doubles in units of 1 / scale; planes are
// floats, rounded so that a box holds its triangles, bit for bit.
//
// Rules: a box, computed from the root by `end + (double)plane`, holds its triangles; every
// triangle is in exactly one leaf; depth is at most GZ_RESTRICTED_DEPTH.
#ifndef GZ_RESTRICTED_H
#define GZ_RESTRICTED_H

#include <stdbool.h>

#include "boxtree/papers/plain_query.h"

#define GZ_RESTRICTED_DEPTH     96
#define GZ_RESTRICTED_TRIANGLES (UINT32_C(1) << 25)

// Where planes are stored: section 3.1, or the end of section 3.2.5 of the paper.
typedef enum gz_restricted_layout {
    GZ_PLANE_IN_CHILD,   // 8 bytes a node: to see a child's box, look at the child
    GZ_PLANES_IN_PARENT, // 12 bytes a node, the planes of both children among them
} gz_restricted_layout;

// How triangles are shared out, section 4.2.
typedef enum gz_restricted_growth {
    GZ_GROW_FROM_SEEDS, // to the nearer of two seeds
    GZ_GROW_RUNNING, // to the box that grows least, boxes growing as we go, from both ends of the
                     // array in turn
} gz_restricted_growth;

typedef struct gz_restricted_def {
    gz_restricted_layout layout;
    gz_restricted_growth growth;
    bool longest_axis;  // split along the longest side of the box only
    bool perpendicular; // each child is cut on the side where that takes most, not along the split
    bool stepped; // planes are rounded to the 1024 distances of the look-up tables, section 3.2.2
} gz_restricted_def;

// The distances that look-up tables hold: six significant bits, from 2^-30 to 4. A deep node's
// planes are as fine as the root's; in the paper's equal steps they would all be 0. The place of a
// distance is that of the largest step that is not greater.
#define GZ_STEPS 1024

static inline uint32_t gz_step_place(float distance)
{
    union {
        float value;
        uint32_t bits;
    } c = {distance};
    uint32_t place = c.bits >> 18, first = 97u << 5; // exponent and five bits after the point
    return place > first ? place - first : 0;
}

static inline float gz_step(uint32_t place)
{
    union {
        uint32_t bits;
        float value;
    } c = {place == 0 ? 0 : (place + (97u << 5)) << 18};
    return c.value;
}

// Which end of which axis is cut: 2 * axis + end, where end 0 is the low one (an "upper box").
typedef uint32_t gz_restricted_cut;

// In GZ_PLANE_IN_CHILD: one node, with its own plane.
typedef struct gz_narrow_node {
    float plane;
    uint32_t word; // GZ_NODE_LEAF | cut << 28 | pair of children or triangle
} gz_narrow_node;
_Static_assert(sizeof(gz_narrow_node) == 8, "as the paper promises");

// In GZ_PLANES_IN_PARENT: one node, with its children's planes.
typedef struct gz_parent_node {
    float plane[2];
    uint32_t word; // GZ_NODE_LEAF | cut of child 1 << 28 | cut of child 0 << 25 | pair or triangle
} gz_parent_node;
_Static_assert(sizeof(gz_parent_node) == 12, "as the paper promises");

#define GZ_NODE_LEAF (UINT32_C(1) << 31)
#define GZ_NODE_CUT  28
#define GZ_NODE_PAIR (GZ_RESTRICTED_TRIANGLES - 1)

typedef struct gz_restricted {
    graze_context *context;
    const graze_mesh_view *view; // the caller's
    gz_restricted_def def;
    uint32_t triangle_count, depth;
    double reach, scale;
    double root[3][2]; // ends
    void *nodes;       // in pairs: slots 2 k and 2 k + 1; the root is slot 0, slot 1 is unused
} gz_restricted;

// A NULL def is all zero.
// @return GRAZE_OK, GRAZE_ERROR_MEMORY, or GRAZE_ERROR_UNSUPPORTED for too many triangles.
graze_status gz_restricted_build(graze_context *context, const graze_mesh_view *view,
                                 const gz_restricted_def *def, gz_restricted *tree);
void gz_restricted_free(gz_restricted *tree);
// Beyond the mesh.
uint64_t gz_restricted_bytes(const gz_restricted *tree);
// Walks the whole tree and checks the rules above. For tests.
bool gz_restricted_valid(const gz_restricted *tree);

// A node while walking: the word of a narrow node, the slot of another.
typedef uint32_t gz_node_ref;

static inline gz_node_ref gz_restricted_root(const gz_restricted *tree)
{
    return tree->def.layout == GZ_PLANE_IN_CHILD ? ((const gz_narrow_node *)tree->nodes)[0].word
                                                 : 0;
}

// GZ_NODE_LEAF and the triangle's number, or less.
static inline uint32_t gz_restricted_word(const gz_restricted *tree, gz_node_ref node)
{
    return tree->def.layout == GZ_PLANE_IN_CHILD ? node
                                                 : ((const gz_parent_node *)tree->nodes)[node].word;
}

typedef struct gz_children {
    float plane[2];
    gz_restricted_cut cut[2];
    gz_node_ref node[2];
} gz_children;

static inline gz_children gz_restricted_children(const gz_restricted *tree, gz_node_ref node)
{
    if (tree->def.layout == GZ_PLANE_IN_CHILD) {
        const gz_narrow_node *pair =
            (const gz_narrow_node *)tree->nodes + 2 * (node & GZ_NODE_PAIR);
        return (gz_children){
            {pair[0].plane, pair[1].plane},
            {pair[0].word >> GZ_NODE_CUT & 7, pair[1].word >> GZ_NODE_CUT & 7},
            {pair[0].word, pair[1].word},
        };
    }
    const gz_parent_node *parent = (const gz_parent_node *)tree->nodes + node;
    uint32_t first = 2 * (parent->word & GZ_NODE_PAIR);
    return (gz_children){
        {parent->plane[0], parent->plane[1]},
        {parent->word >> (GZ_NODE_CUT - 3) & 7, parent->word >> GZ_NODE_CUT & 7},
        {first, first + 1},
    };
}

// The box tests of section 3.2.
typedef enum gz_box_test {
    GZ_TEST_ALIGNED, // 3.2.1: B's box in a box along A's axes
    GZ_TEST_TABLE,   // 3.2.2: the same with look-up tables instead of products
    GZ_TEST_SAT,     // 3.2.3: all 15 separating axes
    GZ_TEST_LITE,    // 3.2.4: the six axes of both frames
    GZ_TEST_COUNT
} gz_box_test;

typedef struct gz_restricted_query {
    gz_plain_query plain;
    gz_box_test test;
    bool lifted;   // 3.2.5: what belongs to one node is computed once, not for each pair
    void *scratch; // of the walk; NULL before the first
} gz_restricted_query;

void gz_restricted_query_init(gz_restricted_query *query, graze_context *context);
void gz_restricted_query_free(gz_restricted_query *query);
// Fills query->plain.pairs and query->plain.counters.
graze_status gz_restricted_query_run(gz_restricted_query *query, const gz_restricted *a,
                                     const graze_pose *pose_a, const gz_restricted *b,
                                     const graze_pose *pose_b);

#endif
