// Pins parts, and tells how far they are apart. See part_pins.h.
#include "query/part_pins.h"

#include <math.h>

#include "base/context.h"
#include "model/lod_cut.h"
#include "query/budget.h"

graze_status gz_side_set(graze_posed posed, gz_side *side)
{
    *side = (gz_side){.shape = posed.shape, .pose = posed.pose};
    return gz_shape_is_paged(posed.shape) ? GRAZE_OK
                                          : posed.shape->kind->whole(posed.shape, &side->tree);
}

// The least gap below a node, if it is less than `least`.
static double gap_below(const gz_tree *tree, uint32_t node, const graze_pose *pose,
                        const gz_middle *box, const graze_pose *box_pose, double least)
{
    float room[3][GZ_ROWS] __attribute__((aligned(64)));
    const gz_links *links = gz_tree_links(tree, node);
    const float(*row)[GZ_ROWS] = gz_tree_rows(tree, node, room);
    double gaps[GZ_WIDE];
    for (uint32_t i = 0; i < links->child_count; ++i) {
        float low[3], high[3];
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = row[axis][GZ_ROW_LOW(i)];
            high[axis] = -row[axis][GZ_ROW_HIGH(i)];
        }
        gz_middle middle = gz_rows_middle(tree, low, high);
        gaps[i] = gz_boxes_gap(&middle, pose, box, box_pose);
    }
    for (uint32_t turn = 0; turn < links->child_count && least > 0; ++turn) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < links->child_count; ++i)
            best = gaps[i] < gaps[best] ? i : best;
        if (!(gaps[best] < least))
            break;
        least = (links->child[best] & GZ_IS_LEAF) != 0
                    ? gaps[best]
                    : gap_below(tree, links->child[best], pose, box, box_pose, least);
        gaps[best] = HUGE_VAL;
    }
    return least;
}

double gz_tree_gap(const gz_tree *tree, const graze_pose *pose, const gz_middle *box,
                   const graze_pose *box_pose)
{
    double gap = gap_below(tree, 0, pose, box, box_pose, HUGE_VAL);
    return gap < HUGE_VAL ? gap : 0;
}

double gz_parts_gap(const gz_side *a, gz_part_node node_a, const gz_side *b, gz_part_node node_b)
{
    gz_middle box_a = gz_parts_box(a->shape, node_a), box_b = gz_parts_box(b->shape, node_b);
    return gz_boxes_gap(&box_a, a->pose, &box_b, b->pose);
}

double gz_parts_leaf_gap(const gz_side *a, gz_part_node node_a, const gz_side *b,
                         gz_part_node node_b)
{
    if ((a->tree == NULL) == (b->tree == NULL))
        return 0;
    const gz_side *one = a->tree != NULL ? a : b, *many = a->tree != NULL ? b : a;
    gz_middle box = gz_parts_box(many->shape, a->tree != NULL ? node_b : node_a);
    return gz_tree_gap(one->tree, one->pose, &box, many->pose);
}

static void unpin(gz_part_pins *pins, int i)
{
    if (pins->tree[i] != NULL && pins->side[i]->tree == NULL)
        gz_cache_unpin(pins->reservation, pins->tree[i]);
    pins->tree[i] = NULL;
}

// Groups take a larger reservation, which is made before anybody knows which parts are asked.
static bool has_groups(const gz_side *side)
{
    const graze_shape *shape = side != NULL ? side->shape : NULL;
    return shape != NULL && shape->cut != NULL && shape->cut->group_count != 0;
}

static gz_cache_reservation *reserve(const gz_part_pins *pins, gz_cache *cache)
{
    return has_groups(pins->side[0]) || has_groups(pins->side[1])
               ? gz_cache_reserve_for_groups(cache)
               : gz_cache_reserve(cache);
}

graze_status gz_parts_pin(gz_part_pins *pins, int i, uint32_t part)
{
    const gz_side *side = pins->side[i];
    const graze_shape *shape = side->shape;
    if (pins->tree[i] != NULL && pins->part[i] == part)
        return GRAZE_OK;
    unpin(pins, i);
    pins->part[i] = part;
    if (side->tree != NULL) {
        pins->tree[i] = side->tree;
        return GRAZE_OK;
    }
    if (pins->reservation == NULL) {
        pins->reservation = reserve(pins, shape->context->cache);
        if (pins->reservation == NULL)
            return GRAZE_ERROR_MEMORY;
        pins->loads_before = gz_cache_loads(pins->reservation);
    }
    gz_page_key key = shape->kind->page(shape, part);
    if (pins->budget == NULL)
        return gz_cache_pin(pins->reservation, key, &pins->tree[i]);
    pins->tree[i] = gz_cache_pin_ready(pins->reservation, key);
    if (pins->tree[i] == NULL)
        gz_budget_miss(pins->budget, key);
    return GRAZE_OK;
}

graze_status gz_parts_pin_pair(gz_part_pins *pins, gz_part_pair pair)
{
    graze_status status = gz_parts_pin(pins, 0, pair.a);
    return status == GRAZE_OK ? gz_parts_pin(pins, 1, pair.b) : status;
}

void gz_parts_unpin(gz_part_pins *pins)
{
    unpin(pins, 0);
    unpin(pins, 1);
    if (pins->reservation != NULL) {
        pins->loads += gz_cache_loads(pins->reservation) - pins->loads_before;
        gz_cache_release(pins->reservation);
    }
    pins->reservation = NULL;
}
