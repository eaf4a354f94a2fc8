// See asked_shapes.h.
#include "asked_shapes.h"

#include "faults.h"

static graze_status build_and_ask(graze_context *context, void *data)
{
    asked_shapes *shapes = data;
    graze_query *query = NULL;
    shapes->a = shapes->b = NULL;
    graze_status status = graze_shape_create(context, shapes->view_a, shapes->def_a, &shapes->a);
    if (status == GRAZE_OK)
        status = graze_shape_create(context, shapes->view_b, shapes->def_b, &shapes->b);
    if (status == GRAZE_OK)
        status = graze_query_create(context, &query);
    if (status == GRAZE_OK)
        status = shapes->ask(shapes, query);
    graze_query_free(query);
    graze_shape_free(shapes->b);
    graze_shape_free(shapes->a);
    return status;
}

uint64_t asked_shapes_fail(asked_shapes *shapes)
{
    return test_all_faults(build_and_ask, shapes, 1);
}
