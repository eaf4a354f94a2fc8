// Shapes over LOD cuts: a model at an error. One part for each cluster of the cut, or group at a
// step.
//
// They live as long as a question does, on its stack.
#include "query/cut_shape.h"

#include "base/context.h"
#include "boxtree/tree_leaf.h"

static gz_page_key page_of(const graze_shape *shape, uint32_t part)
{
    return gz_lod_page(shape->cut, part);
}

static graze_status refuse_whole(const graze_shape *shape, const gz_tree **tree)
{
    *tree = NULL;
    return gz_fail(shape->context, GRAZE_ERROR_UNSUPPORTED, "%s: a level of detail has many trees",
                   shape->cut->model->path);
}

const gz_shape_kind gz_shape_of_cut = {.page = page_of, .whole = refuse_whole};

void gz_cut_shape_set(const graze_shape *of, const gz_lod_cut *cut, graze_shape *shape)
{
    *shape = (graze_shape){.context = of->context,
                           .kind = &gz_shape_of_cut,
                           .boxes = &cut->boxes,
                           .model = of->model,
                           .cut = cut,
                           .tree = of->tree};
    shape->tree.triangle_count = cut->triangle_count;
}
