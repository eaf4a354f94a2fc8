// Pairs of triangles in contact, shown one by one. See pair_stream.h.
#include "query/pair_stream.h"

#include "base/context.h"
#include "geometry/fpu.h"
#include "query/part_pins.h"
#include "query/tree_pins.h"

static graze_status show_trees(graze_query *query, graze_posed a, graze_posed b, double tolerance,
                               const gz_pair_visitor *visitor, bool *complete)
{
    gz_tree_pins pins = {0};
    graze_status status = gz_pin_near(&pins, a, b, tolerance);
    if (status == GRAZE_OK) {
        gz_pair_wish wish = gz_pair_wish_all(pins.tree[0], a.pose, pins.tree[1], b.pose);
        wish.tolerance = tolerance;
        wish.listed = false;
        wish.visitor = visitor;
        query->pairs.front = NULL;
        gz_fpu_state state = gz_fpu_enter();
        status = gz_pair_query_run(&query->pairs, &wish);
        gz_fpu_leave(state);
        *complete = !query->pairs.stopped;
    }
    gz_pin_end(&pins);
    return status;
}

graze_status gz_pairs_show(graze_query *query, graze_posed a, graze_posed b, double tolerance,
                           const gz_pair_visitor *visitor, bool *complete)
{
    graze_answer answer = {0};
    *complete = false;
    graze_status status = gz_question_check(query, "showing pairs", &a, &b);
    if (status != GRAZE_OK)
        return status;
    if (!gz_shape_is_paged(a.shape) && !gz_shape_is_paged(b.shape)) {
        status = show_trees(query, a, b, tolerance, visitor, complete);
    } else {
        status = gz_parts_show(query, a, b, tolerance, visitor, &answer);
        *complete = answer.complete != 0;
    }
    if (status == GRAZE_ERROR_MEMORY)
        return gz_fail(query->context, status, "out of memory for pairs of triangles");
    return status;
}
