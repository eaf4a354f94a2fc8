// Works out leaves and frames from vertices. See tree_leaf.h.
#include "boxtree/tree_leaf.h"

#include <math.h>

// Vertices with lanes that are not used repeating the first, so that loops have one length.
typedef double lanes[3][GZ_LEAF];

// The mean normal, as the head keeps it; along x where there is none.
static void find_normal(gz_leaf_head *head, const lanes v)
{
    double n[3] = {0, 0, 0};
    for (uint32_t t = 0; t < head->triangle_count; ++t) {
        uint32_t p = gz_leaf_corner(head, 0, t), q = gz_leaf_corner(head, 1, t);
        uint32_t r = gz_leaf_corner(head, 2, t);
        double u[3] = {v[0][q] - v[0][p], v[1][q] - v[1][p], v[2][q] - v[2][p]};
        double w[3] = {v[0][r] - v[0][p], v[1][r] - v[1][p], v[2][r] - v[2][p]};
        n[0] += u[1] * w[2] - u[2] * w[1];
        n[1] += u[2] * w[0] - u[0] * w[2];
        n[2] += u[0] * w[1] - u[1] * w[0];
    }
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(length > 1e-150 && length < 1e150)) {
        n[0] = length = 1;
        n[1] = n[2] = 0;
    }
    for (int axis = 0; axis < 3; ++axis)
        head->normal[axis] = (int16_t)(n[axis] / length * 32767);
}

static void find_slab(gz_leaf_head *head, const lanes v, const double center[3])
{
    double low, high, size = 0, height[GZ_LEAF], n[3];
    for (int axis = 0; axis < 3; ++axis) {
        n[axis] = (double)((float)head->normal[axis] * GZ_NORMAL_UNIT);
        size += (double)gz_leaf_half(head, axis);
    }
    for (int i = 0; i < GZ_LEAF; ++i)
        height[i] = n[0] * (v[0][i] - center[0]) + n[1] * (v[1][i] - center[1]) +
                    n[2] * (v[2][i] - center[2]);
    gz_span(height, &low, &high);
    head->slab_low = gz_round_down(low - 1e-14 * size);
    head->slab_high = gz_round_up(high + 1e-14 * size);
}

static void fill_head(gz_leaf_head *head, const lanes v, graze_precision precision,
                      double center[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        double low, high;
        gz_span(v[axis], &low, &high);
        double middle = low / 2 + high / 2;
        head->center[axis] = (float)middle;
        center[axis] = precision == GRAZE_FLOAT32 ? (double)head->center[axis] : middle;
        double half = fmax(high - center[axis], center[axis] - low);
        gz_leaf_set_half(head, axis, gz_round_up(half * (1 + 1e-14)));
    }
    find_normal(head, v);
    find_slab(head, v, center);
}

void gz_leaf_fill(const gz_leaf_store *store, uint32_t leaf, uint64_t first_vertex, uint32_t first,
                  uint32_t triangle_count, const gz_leaf_vertices *v)
{
    lanes all;
    gz_leaf_head head = {.first = first,
                         .triangle_count = (uint8_t)triangle_count,
                         .vertex_count = (uint8_t)v->count};
    for (int axis = 0; axis < 3; ++axis)
        for (uint32_t i = 0; i < GZ_LEAF; ++i)
            all[axis][i] = v->position[axis][i < v->count ? i : 0];
    for (uint32_t k = 0; k < 3; ++k)
        for (uint32_t t = 0; t < GZ_LEAF / 2; ++t) {
            uint32_t high = t + GZ_LEAF / 2 < triangle_count ? t + GZ_LEAF / 2 : 0;
            head.corner[k][t] =
                (uint8_t)(v->corner[k][t < triangle_count ? t : 0] | v->corner[k][high] << 4);
        }
    if (store->precision == GRAZE_FLOAT32) {
        gz_leaf32 *narrow = &((gz_leaf32 *)store->leaves)[leaf];
        double center[3];
        fill_head(&head, (const double(*)[GZ_LEAF])all, GRAZE_FLOAT32, center);
        narrow->head = head;
        for (int axis = 0; axis < 3; ++axis)
            for (int i = 0; i < GZ_LEAF; ++i)
                narrow->vertex[axis][i] = (float)all[axis][i];
        return;
    }
    gz_leaf64 *wide = &((gz_leaf64 *)store->leaves)[leaf];
    fill_head(&head, (const double(*)[GZ_LEAF])all, GRAZE_FLOAT64, wide->center);
    wide->head = head;
    wide->first_vertex = first_vertex;
    for (int axis = 0; axis < 3; ++axis)
        memcpy(store->vertices + 3 * first_vertex + (uint32_t)axis * v->count, all[axis],
               v->count * sizeof(double));
}

void gz_leaf_positions(const gz_leaf_store *store, uint32_t leaf, double at[3][GZ_LEAF])
{
    if (store->precision == GRAZE_FLOAT64) {
        const gz_leaf64 *wide = &((const gz_leaf64 *)store->leaves)[leaf];
        const double *from = store->vertices + 3 * wide->first_vertex;
        uint32_t count = wide->head.vertex_count;
        for (int axis = 0; axis < 3; ++axis, from += count)
            for (uint32_t i = 0; i < GZ_LEAF; ++i)
                at[axis][i] = from[i < count ? i : 0];
        return;
    }
    const gz_leaf32 *narrow = &((const gz_leaf32 *)store->leaves)[leaf];
    for (int axis = 0; axis < 3; ++axis)
        for (int i = 0; i < GZ_LEAF; ++i)
            at[axis][i] = (double)narrow->vertex[axis][i];
}

// Rounding the normal towards nothing makes it no longer. Heights are about 1 and have some eight
// roundings.
void gz_node_set_slab(gz_node *node, uint32_t lane, const gz_leaf_head *head,
                      const double at[3][GZ_LEAF], const double origin[3], double scale)
{
    double low, high, height[GZ_LEAF];
    for (int axis = 0; axis < 3; ++axis)
        node->normal[axis][lane] = (int8_t)((double)head->normal[axis] * (127 / 32767.0));
    for (int i = 0; i < GZ_LEAF; ++i) {
        double p[3] = {at[0][i], at[1][i], at[2][i]};
        height[i] = gz_slab_height(node, lane, p, origin, scale);
    }
    gz_span(height, &low, &high);
    node->slab[GZ_ROW_LOW(lane)] = gz_round_down(low - 1e-14);
    node->slab[GZ_ROW_HIGH(lane)] = -gz_round_up(high + 1e-14);
}

// The origin is the middle of all, so that boxes lose as little as can be to float.
void gz_tree_set_frame(gz_tree *tree, const graze_box *box)
{
    double size = 0;
    for (int axis = 0; axis < 3; ++axis) {
        tree->origin[axis] = box->min[axis] / 2 + box->max[axis] / 2;
        tree->half[axis] = gz_step_up64(
            fmax(box->max[axis] - tree->origin[axis], tree->origin[axis] - box->min[axis]));
        size = fmax(size, tree->half[axis]);
    }
    int exponent;
    (void)frexp(size, &exponent);
    tree->scale = ldexp(1, exponent > 1000 ? -1000 : exponent < -1000 ? 1000 : -exponent);
    tree->box = *box;
}
