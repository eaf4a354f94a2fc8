// Boxes over clusters, eight by eight. See model_file.h.
#include <math.h>

#include "base/context.h"
#include "model/model_file.h"

#define WIDE 8u

static uint64_t count_levels(gz_cluster_tree *tree, uint32_t clusters)
{
    uint64_t sum = 0;
    tree->level_count = 0;
    for (uint32_t count = clusters; count != 0; count = (count + WIDE - 1) / WIDE) {
        tree->count[tree->level_count++] = count;
        sum += count;
        if (count == 1)
            break;
    }
    return sum;
}

static gz_cluster_span join(const gz_cluster_span *spans, uint32_t count)
{
    gz_cluster_span sum = spans[0];
    for (uint32_t i = 1; i < count; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            sum.low[axis] = fminf(sum.low[axis], spans[i].low[axis]);
            sum.high[axis] = fmaxf(sum.high[axis], spans[i].high[axis]);
        }
    return sum;
}

bool gz_cluster_tree_make(graze_model *model)
{
    gz_cluster_tree *tree = &model->tree;
    tree->span_count = count_levels(tree, model->header.cluster_count);
    if (tree->span_count == 0)
        return true;
    gz_cluster_span *next = GZ_NEW_ARRAY(model->context, gz_cluster_span, tree->span_count);
    tree->level[0] = next;
    if (next == NULL) {
        *tree = (gz_cluster_tree){0};
        return false;
    }
    for (uint32_t i = 0; i < tree->count[0]; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            next[i].low[axis] = model->clusters[i].low[axis];
            next[i].high[axis] = model->clusters[i].high[axis];
        }
    for (uint32_t level = 1; level < tree->level_count; ++level) {
        uint32_t below = tree->count[level - 1];
        const gz_cluster_span *from = tree->level[level - 1];
        tree->level[level] = tree->level[level - 1] + below;
        for (uint32_t i = 0; i < tree->count[level]; ++i) {
            uint32_t first = i * WIDE, count = below - first < WIDE ? below - first : WIDE;
            tree->level[level][i] = join(from + first, count);
        }
    }
    return true;
}

// The ends of a box from the model's origin. Floats do not reach everything: where a box has no
// end, the model has one, since nothing is outside its box. So no end is infinite.
static void ends_of(const graze_model *model, const gz_cluster_span *span, int axis, double *low,
                    double *high)
{
    const double *box = model->header.box, origin = model->origin[axis];
    *low = isinf(span->low[axis]) ? box[axis] - origin : (double)span->low[axis];
    *high = isinf(span->high[axis]) ? box[3 + axis] - origin : (double)span->high[axis];
}

// Ends of the model's box are off by half an ulp of themselves. With that, the middle is off by
// less than three halves of an ulp of the largest number in it, and the half size by two.
gz_middle gz_cluster_tree_middle(const graze_model *model, uint32_t level, uint32_t index)
{
    const gz_cluster_span *span = &model->tree.level[level][index];
    gz_middle m;
    for (int axis = 0; axis < 3; ++axis) {
        double low, high;
        ends_of(model, span, axis, &low, &high);
        double middle = 0.5 * low + 0.5 * high, origin = model->origin[axis] + middle;
        m.origin[axis] = origin;
        m.half[axis] = (0.5 * high - 0.5 * low) * (1 + 0x1p-50) +
                       0x1p-51 * (fabs(model->origin[axis]) + fabs(middle));
    }
    return m;
}
