// A shape: a list of parts. See graze/shape.h.
//
// A part is a boxtree and its box. Over the boxes of parts stands a hierarchy of boxes, eight to
// one. Every engine walks these boxes, and pins the trees of parts while it asks them; it does not
// know what is behind a part. A shape whose triangles are in memory is one part. A shape over a
// model has one for each cluster; they are pages of the cache.
//
// What a shape stands on is known to the file of its kind, and to nobody else: shape.c (a tree),
// lazy_shape.c (a tree that grows), model_shape.c (a model), cut_shape.c (a model at an error).
#ifndef GZ_SHAPE_PARTS_H
#define GZ_SHAPE_PARTS_H

#include <stdatomic.h>

#include "boxtree/tree_lazy.h"
#include "graze/shape.h"
#include "model/page_cache.h"

// What is found out when it is first asked for: the only part of a shape that changes.
typedef struct gz_shape_found {
    _Atomic(struct gz_components *) components; // of closed.h
} gz_shape_found;

typedef struct gz_shape_kind {
    // Which page a part is. NULL: there is one part, in memory.
    gz_page_key (*page)(const graze_shape *shape, uint32_t part);
    // The one tree of all triangles, which stays as long as the shape does. Fails, with a sentence,
    // where they are not to be had at once.
    graze_status (*whole)(const graze_shape *shape, const gz_tree **tree);
    graze_status (*find_components)(const graze_shape *shape,
                                    struct gz_components **made); // of closed.h
    uint64_t (*bytes)(const graze_shape *shape);                  // without the shape itself
    void (*free)(graze_shape *shape);                             // the same
} gz_shape_kind;

struct graze_shape {
    graze_context *context;
    const gz_shape_kind *kind;
    gz_tree tree; // the tree of the one part; else its frame only: what is known from the beginning
    const gz_part_boxes *boxes; // over the parts; NULL: there is one
    gz_lazy *lazy;              // of lazy_shape.c
    struct graze_model *model;  // of model_shape.c
    bool owns_model;
    const struct gz_lod_cut *cut; // of cut_shape.c
    gz_shape_found own;
    gz_shape_found *found; // the own one, which may change where the shape is const
};

extern const gz_shape_kind gz_shape_of_tree, gz_shape_of_lazy, gz_shape_of_model, gz_shape_of_cut;

// NULL, with a sentence, when out of memory.
graze_shape *gz_shape_make(graze_context *context, const gz_shape_kind *kind, const char *who);

static inline bool gz_shape_is_paged(const graze_shape *shape) { return shape->boxes != NULL; }
static inline uint64_t gz_shape_triangle_count(const graze_shape *shape)
{
    return shape->tree.triangle_count;
}

// --- Boxes over parts

// A box: level 0 has those of the parts themselves.
typedef struct gz_part_node {
    uint32_t level, index;
} gz_part_node;

static inline gz_part_node gz_parts_root(const graze_shape *shape)
{
    return (gz_part_node){shape->boxes == NULL ? 0 : shape->boxes->level_count - 1, 0};
}

static inline gz_middle gz_parts_box(const graze_shape *shape, gz_part_node node)
{
    return shape->boxes == NULL ? gz_tree_middle(&shape->tree)
                                : gz_part_boxes_middle(shape->boxes, node.level, node.index);
}

// The boxes below a node above level 0: so many from `first` on, one level down.
static inline uint32_t gz_parts_below(const graze_shape *shape, gz_part_node node,
                                      gz_part_node *first)
{
    uint32_t all = shape->boxes->count[node.level - 1];
    *first = (gz_part_node){node.level - 1, node.index * GZ_PART_WIDE};
    return all - first->index < GZ_PART_WIDE ? all - first->index : GZ_PART_WIDE;
}

#endif
