// What a tree holds, however it is laid out. See tree.h.
#include "boxtree/tree.h"

#include "base/memory.h"

static uint64_t node_bytes(const gz_tree *tree)
{
    return tree->layout == GRAZE_LAYOUT_FAST ? sizeof(gz_node) : sizeof(gz_small_node);
}

static uint64_t leaf_bytes(const gz_tree *tree)
{
    if (tree->layout == GRAZE_LAYOUT_COMPACT)
        return sizeof(gz_small_leaf);
    return tree->precision == GRAZE_FLOAT32 ? sizeof(gz_leaf32) : sizeof(gz_leaf64);
}

static uint64_t vertex_bytes(const gz_tree *tree) { return 3 * (uint64_t)tree->precision; }

void gz_tree_free(gz_tree *tree)
{
    graze_context *context = tree->context;
    if (context == NULL)
        return;
    gz_release(context, tree->nodes, tree->node_count * node_bytes(tree));
    gz_release(context, tree->leaves, tree->leaf_count * leaf_bytes(tree));
    GZ_FREE_ARRAY(context, tree->order, tree->triangle_count);
    gz_release(context, tree->vertices, tree->vertex_count * vertex_bytes(tree));
    GZ_FREE_ARRAY(context, tree->others, tree->other_count);
    if (tree->corners != NULL)
        GZ_FREE_ARRAY(context, tree->corners, tree->triangle_count);
    *tree = (gz_tree){0};
}

uint64_t gz_tree_bytes(const gz_tree *tree)
{
    uint64_t bytes =
        sizeof *tree + tree->node_count * node_bytes(tree) + tree->leaf_count * leaf_bytes(tree) +
        tree->triangle_count * sizeof *tree->order + tree->vertex_count * vertex_bytes(tree);
    if (tree->layout == GRAZE_LAYOUT_COMPACT)
        bytes +=
            tree->other_count * sizeof *tree->others + tree->triangle_count * sizeof *tree->corners;
    return bytes;
}

static void small_triangle(const gz_tree *tree, uint32_t leaf, uint32_t slot, graze_triangle *out)
{
    const gz_small_leaf *small = &((const gz_small_leaf *)tree->leaves)[leaf];
    uint32_t corners = tree->corners[small->first + slot];
    for (int corner = 0; corner < 3; ++corner) {
        uint64_t v = gz_small_leaf_vertex(tree, small, corners >> 4 * corner & 15);
        for (uint32_t axis = 0; axis < 3; ++axis)
            out->corner[corner][axis] = tree->precision == GRAZE_FLOAT32
                                            ? (double)((const float *)tree->vertices)[3 * v + axis]
                                            : ((const double *)tree->vertices)[3 * v + axis];
    }
}

void gz_tree_triangle(const gz_tree *tree, uint32_t leaf, uint32_t slot, graze_triangle *out)
{
    if (tree->layout == GRAZE_LAYOUT_COMPACT) {
        small_triangle(tree, leaf, slot, out);
        return;
    }
    const gz_leaf_head *head = gz_tree_head(tree, leaf);
    const double *wide = tree->vertices;
    if (tree->precision == GRAZE_FLOAT64)
        wide += 3 * ((const gz_leaf64 *)tree->leaves)[leaf].first_vertex;
    for (uint32_t corner = 0; corner < 3; ++corner)
        for (uint32_t axis = 0; axis < 3; ++axis) {
            uint32_t v = gz_leaf_corner(head, corner, slot);
            out->corner[corner][axis] =
                tree->precision == GRAZE_FLOAT32
                    ? (double)((const gz_leaf32 *)tree->leaves)[leaf].vertex[axis][v]
                    : wide[axis * head->vertex_count + v];
        }
}
