// Slow motion: which triangles are in contact at each of a thousand small steps? A front, which the
// query keeps from one question to the next, saves most of the work and changes no answer.
//   slow_motion
#include <stdio.h>

#include "graze/graze.h"
#include "shapes.h"

static graze_status make_shape(graze_context *context, const char *kind, graze_shape **shape)
{
    generator_shape_def def = {.kind = kind, .triangle_count = 20000, .seed = 1, .size = 2};
    graze_mesh *mesh = NULL;
    graze_status status = generator_shape_make(context, &def, &mesh);
    if (status != GRAZE_OK)
        return status;
    graze_mesh_view view = graze_mesh_get(mesh);
    status = graze_shape_create(context, &view, NULL, shape);
    graze_mesh_free(mesh);
    return status;
}

static graze_status walk(graze_query *query, const graze_shape *a, const graze_shape *b,
                         graze_front *front)
{
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_PAIRS;
    def.front = front;
    uint64_t contacts = 0, tests = 0;
    graze_pose fixed = graze_pose_identity(), moved = graze_pose_identity();
    for (int step = 0; step < 1000; ++step) {
        moved.translation[0] = 0.7 + step * 1e-6; // the triangles are about 0.02 long
        graze_answer answer;
        graze_status status =
            graze_query_collide(query, graze_at(a, &fixed), graze_at(b, &moved), &def, &answer);
        if (status != GRAZE_OK)
            return status;
        contacts += answer.pair_count;
        tests += answer.counters.triangle_tests;
    }
    printf("%s a front: %llu contacts in 1000 steps, and %s tests of triangles than that\n",
           front != NULL ? "with" : "without", (unsigned long long)contacts,
           tests > contacts ? "more" : "fewer");
    return GRAZE_OK;
}

int main(void)
{
    graze_context *context = NULL;
    graze_shape *a = NULL, *b = NULL;
    graze_query *query = NULL;
    graze_front *front = NULL;
    graze_status status = graze_context_create(NULL, &context);
    if (status == GRAZE_OK)
        status = make_shape(context, "knot", &a);
    if (status == GRAZE_OK)
        status = make_shape(context, "torus", &b);
    if (status == GRAZE_OK)
        status = graze_query_create(context, &query);
    if (status == GRAZE_OK)
        status = graze_front_create(context, &front); // one for this pair of shapes
    if (status == GRAZE_OK)
        status = walk(query, a, b, NULL);
    if (status == GRAZE_OK)
        status = walk(query, a, b, front);

    graze_front_free(front);
    graze_query_free(query);
    graze_shape_free(a);
    graze_shape_free(b);
    graze_context_destroy(context);
    return status == GRAZE_OK ? 0 : 1;
}
