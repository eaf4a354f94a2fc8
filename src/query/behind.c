// From a contact of an answer with an error to the original pairs behind it. See graze/query.h.
//
// The triangles of each shape that reach into the box around the contact's point are gathered, and
// become two small shapes, which are asked exactly. Coordinates are the same numbers, so the answer
// is that of the large shapes, as far as it lies in the boxes.
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/def.h"
#include "geometry/fpu.h"
#include "geometry/rounding.h"
#include "query/part_pins.h"

typedef struct gathered {
    uint32_t number;
    graze_triangle corners; // as they were read
} gathered;

typedef struct gathering {
    graze_context *context;
    gz_side side;
    gz_part_pins pins;
    graze_box box; // in the world
    gz_middle middle;
    GZ_LIST(gathered) list;
} gathering;

static const graze_pose still = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static bool reaches_box(const graze_triangle *t, const graze_pose *pose, const graze_box *box)
{
    double at[3][3];
    for (int k = 0; k < 3; ++k)
        graze_pose_apply(pose, t->corner[k], at[k]);
    for (int axis = 0; axis < 3; ++axis)
        if (fmax(at[0][axis], fmax(at[1][axis], at[2][axis])) < box->min[axis] ||
            fmin(at[0][axis], fmin(at[1][axis], at[2][axis])) > box->max[axis])
            return false;
    return true;
}

static bool is_far(const gathering *g, const gz_middle *box)
{
    return gz_boxes_far(box, g->side.pose, &g->middle, &still, 0);
}

static bool gather_leaf(gathering *g, const gz_tree *tree, uint32_t leaf)
{
    for (uint32_t slot = 0; slot < gz_tree_leaf_count(tree, leaf); ++slot) {
        gathered found = {.number = tree->order[gz_tree_leaf_first(tree, leaf) + slot]};
        gz_tree_triangle(tree, leaf, slot, &found.corners);
        if (!reaches_box(&found.corners, g->side.pose, &g->box))
            continue;
        gathered *to = gz_list_push(g->context, &g->list, 1);
        if (to == NULL)
            return false;
        *to = found;
    }
    return true;
}

static bool gather_node(gathering *g, const gz_tree *tree, uint32_t node)
{
    float room[3][GZ_ROWS] __attribute__((aligned(64)));
    const gz_links *links = gz_tree_links(tree, node);
    const float(*row)[GZ_ROWS] = gz_tree_rows(tree, node, room);
    for (uint32_t i = 0; i < links->child_count; ++i) {
        float low[3], high[3];
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = row[axis][GZ_ROW_LOW(i)];
            high[axis] = -row[axis][GZ_ROW_HIGH(i)];
        }
        gz_middle box = gz_rows_middle(tree, low, high);
        if (is_far(g, &box))
            continue;
        uint32_t child = links->child[i];
        if (!((child & GZ_IS_LEAF) != 0 ? gather_leaf(g, tree, child & ~GZ_IS_LEAF)
                                        : gather_node(g, tree, child)))
            return false;
    }
    return true;
}

static graze_status gather_parts(gathering *g, gz_part_node node)
{
    gz_middle box = gz_parts_box(g->side.shape, node);
    if (is_far(g, &box))
        return GRAZE_OK;
    if (node.level == 0) {
        graze_status status = gz_parts_pin(&g->pins, 0, node.index);
        if (status == GRAZE_OK && g->pins.tree[0]->triangle_count != 0 &&
            !gather_node(g, g->pins.tree[0], 0))
            status = GRAZE_ERROR_MEMORY;
        return status;
    }
    gz_part_node below;
    uint32_t count = gz_parts_below(g->side.shape, node, &below);
    graze_status status = GRAZE_OK;
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i, ++below.index)
        status = gather_parts(g, below);
    return status;
}

static int by_number(const void *x, const void *y)
{
    const gathered *a = x, *b = y;
    return a->number < b->number ? -1 : a->number > b->number;
}

static graze_status gather(gathering *g, graze_posed posed, const double point[3], double cover)
{
    graze_status status = gz_side_set(posed, &g->side);
    if (status != GRAZE_OK)
        return status;
    for (int axis = 0; axis < 3; ++axis) {
        g->box.min[axis] = gz_step_down64(point[axis] - cover);
        g->box.max[axis] = gz_step_up64(point[axis] + cover);
        g->middle.origin[axis] = point[axis];
        g->middle.half[axis] = gz_step_up64(cover) + 0x1p-50 * fabs(point[axis]);
    }
    g->pins.side[0] = g->pins.side[1] = &g->side;
    status = gz_shape_triangle_count(posed.shape) == 0
                 ? GRAZE_OK
                 : gather_parts(g, gz_parts_root(posed.shape));
    gz_parts_unpin(&g->pins);
    if (g->list.count != 0)
        qsort(g->list.items, (size_t)g->list.count, sizeof(gathered), by_number);
    return status;
}

// A shape of what was gathered, whose triangles are numbered in that order.
static graze_status make_shape(const gathering *g, graze_shape **shape)
{
    uint64_t count = g->list.count;
    const gathered *from = g->list.items;
    double(*positions)[3][3] = gz_allocate(g->context, count * sizeof *positions + 1);
    uint32_t *corners = gz_allocate(g->context, 3 * count * sizeof *corners + 1);
    graze_status status = GRAZE_ERROR_MEMORY;
    if (positions != NULL && corners != NULL) {
        for (uint64_t i = 0; i < count; ++i)
            memcpy(positions[i], from[i].corners.corner, sizeof positions[i]);
        for (uint64_t i = 0; i < 3 * count; ++i)
            corners[i] = (uint32_t)i;
        graze_mesh_view view = {.precision = GRAZE_FLOAT64,
                                .vertex_count = 3 * count,
                                .triangle_count = count,
                                .positions = positions,
                                .corners = corners};
        status = graze_shape_create(g->context, &view, NULL, shape);
    }
    gz_release(g->context, positions, count * sizeof *positions + 1);
    gz_release(g->context, corners, 3 * count * sizeof *corners + 1);
    return status;
}

// Numbers of what was gathered become those of the shapes. The lists are the query's.
static void rename_pairs(const gathering sides[2], graze_answer *answer)
{
    const gathered *a = sides[0].list.items, *b = sides[1].list.items;
    graze_pair *pairs = (graze_pair *)(uintptr_t)answer->pairs;
    graze_contact *contacts = (graze_contact *)(uintptr_t)answer->contacts;
    for (uint64_t i = 0; i < answer->pair_count && pairs != NULL; ++i) {
        pairs[i] = (graze_pair){a[pairs[i].a].number, b[pairs[i].b].number};
        if (contacts != NULL)
            contacts[i].pair = pairs[i];
    }
}

static graze_status ask(graze_query *query, graze_posed a, graze_posed b,
                        const graze_collide_def *def, const gathering sides[2],
                        graze_answer *answer)
{
    graze_shape *shape[2] = {NULL, NULL};
    graze_status status = make_shape(&sides[0], &shape[0]);
    if (status == GRAZE_OK)
        status = make_shape(&sides[1], &shape[1]);
    graze_collide_def exact = *def;
    exact.error = exact.time_limit = 0;
    exact.error_function = NULL;
    exact.front = NULL;
    if (status == GRAZE_OK)
        status = graze_query_collide(query, graze_at(shape[0], a.pose), graze_at(shape[1], b.pose),
                                     &exact, answer);
    if (status == GRAZE_OK)
        rename_pairs(sides, answer);
    graze_shape_free(shape[0]);
    graze_shape_free(shape[1]);
    return status;
}

graze_status graze_query_behind(graze_query *query, graze_posed a, graze_posed b,
                                const graze_contact *contact, const graze_collide_def *given,
                                graze_answer *answer)
{
    const char *who = "graze_query_behind";
    if (query == NULL || contact == NULL || answer == NULL)
        return gz_fail_null(query == NULL ? NULL : query->context, who);
    *answer = (graze_answer){0};
    graze_collide_def room = graze_collide_def_default();
    const graze_collide_def *def = gz_def_known(query->context, who, given, &room, sizeof room);
    graze_status status =
        def == NULL ? GRAZE_ERROR_ARGUMENT : gz_question_check(query, who, &a, &b);
    if (status != GRAZE_OK)
        return status;
    if (!(contact->cover_a >= 0 && contact->cover_a < HUGE_VAL && contact->cover_b >= 0 &&
          contact->cover_b < HUGE_VAL))
        return gz_fail(query->context, GRAZE_ERROR_ARGUMENT, "%s: the contact covers nothing", who);
    gathering sides[2] = {{.context = query->context}, {.context = query->context}};
    gz_fpu_state state = gz_fpu_enter();
    status = gather(&sides[0], a, contact->point_a, contact->cover_a);
    if (status == GRAZE_OK)
        status = gather(&sides[1], b, contact->point_b, contact->cover_b);
    gz_fpu_leave(state);
    if (status == GRAZE_OK)
        status = ask(query, a, b, def, sides, answer);
    gz_list_free(query->context, &sides[0].list);
    gz_list_free(query->context, &sides[1].list);
    if (status == GRAZE_ERROR_MEMORY)
        return gz_fail(query->context, status, "%s: out of memory", who);
    return status;
}
