// Two meshes: which of their triangles are in contact, and how does that change with the pose?
//   two_meshes [FILE FILE]
#include <stdio.h>

#include "graze/graze.h"

static graze_status ask(graze_query *query, const graze_shape *a, const graze_shape *b, double x)
{
    graze_pose pose = graze_pose_identity();
    pose.translation[0] = x;

    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_PAIRS;
    graze_answer answer;
    graze_status status =
        graze_query_collide(query, graze_at(a, NULL), graze_at(b, &pose), &def, &answer);
    if (status != GRAZE_OK)
        return status;
    printf("b at x = %.17g: %llu pairs in contact\n", x, (unsigned long long)answer.pair_count);
    for (uint64_t i = 0; i < answer.pair_count && i < 3; ++i)
        printf("  triangle %u of a and %u of b\n", answer.pairs[i].a, answer.pairs[i].b);
    return GRAZE_OK;
}

int main(int count, char **words)
{
    graze_context *context = NULL;
    graze_shape *a = NULL, *b = NULL;
    graze_query *query = NULL;
    graze_status status = graze_context_create(NULL, &context);
    if (status == GRAZE_OK)
        status = graze_shape_read(context, count > 2 ? words[1] : "pyramid.ply", NULL, &a);
    if (status == GRAZE_OK)
        status = graze_shape_read(context, count > 2 ? words[2] : "pyramid.ply", NULL, &b);
    if (status == GRAZE_OK)
        status = graze_query_create(context, &query);

    // The pyramid is 1 wide: at 1 they just touch, and at the next number above they do not.
    static const double places[] = {0.75, 1, 1.0000000000000002};
    for (int i = 0; i < 3 && status == GRAZE_OK; ++i)
        status = ask(query, a, b, places[i]);

    graze_query_free(query);
    graze_shape_free(a);
    graze_shape_free(b);
    graze_context_destroy(context);
    return status == GRAZE_OK ? 0 : 1;
}
