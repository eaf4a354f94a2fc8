// Which leaves of two LOD cuts are in contact? See lod_collide.h.
//
// LodCollide of "Fast Collision Detection between Massive Models using Dynamic Simplification"
// (Yoon, Salomon, Lin and Manocha, 2004), with bounds that hold: the cuts are asked for what is
// within the tolerance and the forward bounds of both leaves. docs/guarantees.md has the proof.
#include "query/lod_collide.h"

#include <string.h>

#include "base/context.h"

static int compare_numbers(const double *a, const double *b, int count)
{
    for (int i = 0; i < count; ++i)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

// An order of posed shapes by what they are: which comes first does not depend on who is asked.
static int compare_sides(graze_posed posed_a, graze_posed posed_b)
{
    const graze_shape *a = posed_a.shape, *b = posed_b.shape;
    const graze_box *box_a = &a->tree.box, *box_b = &b->tree.box;
    if (a->tree.triangle_count != b->tree.triangle_count)
        return a->tree.triangle_count > b->tree.triangle_count ? -1 : 1;
    if (gz_shape_is_paged(a) != gz_shape_is_paged(b))
        return gz_shape_is_paged(a) ? -1 : 1;
    int order = compare_numbers(box_a->min, box_b->min, 3);
    if (order == 0)
        order = compare_numbers(box_a->max, box_b->max, 3);
    if (order == 0)
        order = compare_numbers(posed_a.pose->translation, posed_b.pose->translation, 3);
    if (order == 0)
        order = compare_numbers(posed_a.pose->rotation, posed_b.pose->rotation, 9);
    if (order == 0 && gz_shape_is_paged(a)) // its checksums tell models apart that look alike
        order = memcmp(&a->model->header, &b->model->header, sizeof a->model->header);
    return order;
}

graze_status gz_lod_sides_set(graze_posed a, graze_posed b, double error, double tolerance,
                              gz_lod_sides *sides)
{
    bool swapped = compare_sides(a, b) > 0;
    *sides =
        (gz_lod_sides){.question = {.error = error, .tolerance = tolerance, .swapped = swapped},
                       .posed = {swapped ? b : a, swapped ? a : b}};
    bool both = gz_shape_is_paged(a.shape) && gz_shape_is_paged(b.shape);
    for (int i = 0; i < 2; ++i) {
        const graze_shape *shape = sides->posed[i].shape;
        if (!gz_shape_is_paged(shape))
            continue;
        sides->cut[i] = gz_lod_cut_take(shape->model, both ? error / 2 : error);
        if (sides->cut[i] == NULL)
            return GRAZE_ERROR_MEMORY;
        sides->question.cut[i] = sides->cut[i];
        gz_cut_shape_set(shape, sides->cut[i], &sides->shape[i]);
        sides->posed[i].shape = &sides->shape[i];
    }
    gz_lod_question_set(&sides->question, sides->posed);
    return GRAZE_OK;
}

void gz_lod_sides_end(gz_lod_sides *sides)
{
    gz_lod_cut_give(sides->cut[0]);
    gz_lod_cut_give(sides->cut[1]);
}

graze_status gz_lod_collide(graze_query *query, graze_posed a, graze_posed b,
                            const graze_collide_def *def, graze_answer *answer)
{
    gz_lod_sides sides;
    graze_status status = gz_lod_sides_set(a, b, def->error, def->tolerance, &sides);
    if (status == GRAZE_OK)
        status = gz_parts_collide_lod(query, sides.posed[0], sides.posed[1], def, &sides.question,
                                      answer);
    if (status == GRAZE_OK) {
        bool swapped = sides.question.swapped;
        answer->error = def->error;
        answer->cut_a = gz_shape_triangle_count(sides.posed[swapped ? 1 : 0].shape);
        answer->cut_b = gz_shape_triangle_count(sides.posed[swapped ? 0 : 1].shape);
    }
    gz_lod_sides_end(&sides);
    return status;
}
