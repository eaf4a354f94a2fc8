// Parts of shapes: their boxes, how far they are apart, and their trees. See paged.h.
#include "query/paged.h"

#include <math.h>

#include "base/context.h"
#include "query/hold.h"

#define WIDE 8u

graze_status gz_paged_side_set(const graze_shape *shape, const graze_pose *pose,
                               gz_paged_side *side)
{
    *side = (gz_paged_side){
        .model = shape->model, .pose = pose, .triangle_count = shape->tree.triangle_count};
    return shape->model == NULL ? gz_shape_whole(shape, &side->tree) : GRAZE_OK;
}

gz_paged_node gz_paged_root(const gz_paged_side *side)
{
    return (gz_paged_node){side->model == NULL ? 0 : side->model->tree.level_count - 1, 0};
}

gz_middle gz_paged_middle(const gz_paged_side *side, gz_paged_node node)
{
    return side->model == NULL ? gz_tree_middle(side->tree)
                               : gz_cluster_tree_middle(side->model, node.level, node.index);
}

uint32_t gz_paged_below(const gz_paged_side *side, gz_paged_node node, gz_paged_node *first)
{
    uint32_t all = side->model->tree.count[node.level - 1];
    *first = (gz_paged_node){node.level - 1, node.index * WIDE};
    return all - first->index < WIDE ? all - first->index : WIDE;
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

double gz_paged_gap(const gz_paged_side *a, gz_paged_node node_a, const gz_paged_side *b,
                    gz_paged_node node_b)
{
    gz_middle middle_a = gz_paged_middle(a, node_a), middle_b = gz_paged_middle(b, node_b);
    return gz_boxes_gap(&middle_a, a->pose, &middle_b, b->pose);
}

static void let_go(gz_paged_hold *hold, int i)
{
    if (hold->tree[i] != NULL && hold->side[i]->model != NULL)
        gz_cache_let_go(hold->seat, hold->side[i]->model, hold->part[i]);
    hold->tree[i] = NULL;
}

graze_status gz_paged_hold_part(gz_paged_hold *hold, int i, uint32_t part)
{
    const gz_paged_side *side = hold->side[i];
    if (hold->tree[i] != NULL && hold->part[i] == part)
        return GRAZE_OK;
    let_go(hold, i);
    hold->part[i] = part;
    if (side->model == NULL) {
        hold->tree[i] = side->tree;
        return GRAZE_OK;
    }
    if (hold->seat == NULL)
        hold->seat = gz_cache_sit_down(side->model->cache);
    if (hold->seat == NULL)
        return GRAZE_ERROR_MEMORY;
    return gz_cache_hold(hold->seat, side->model, part, &hold->tree[i]);
}

graze_status gz_paged_hold_pair(gz_paged_hold *hold, gz_paged_pair pair)
{
    graze_status status = gz_paged_hold_part(hold, 0, pair.a);
    return status == GRAZE_OK ? gz_paged_hold_part(hold, 1, pair.b) : status;
}

void gz_paged_hold_end(gz_paged_hold *hold)
{
    let_go(hold, 0);
    let_go(hold, 1);
    if (hold->seat != NULL)
        gz_cache_stand_up(hold->seat);
    hold->seat = NULL;
}
