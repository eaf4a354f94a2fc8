// How a spoon lies in a cup: contacts as coarse as the area in contact allows, and none is missed.
#include <stdio.h>

#include "graze/graze.h"
#include "shapes.h"

typedef struct body {
    graze_mesh *mesh;
    graze_shape *shape;
    graze_contact_detail *detail;
} body;

// A soup has no detail, and is asked by its shape alone: that is no failure.
static graze_status make(graze_context *context, const char *kind, uint64_t count, body *b)
{
    generator_shape_def def = {.kind = kind, .triangle_count = count};
    graze_status status = generator_shape_make(context, &def, &b->mesh);
    if (status != GRAZE_OK)
        return status;
    graze_mesh_view view = graze_mesh_get(b->mesh);
    status = graze_shape_create(context, &view, NULL, &b->shape);
    if (status == GRAZE_OK)
        status = graze_contact_detail_build(context, &view, NULL, &b->detail);
    return status == GRAZE_ERROR_UNSUPPORTED ? GRAZE_OK : status;
}

static graze_status ask(graze_query *query, const graze_detailed *cup, const graze_detailed *spoon)
{
    graze_detail_collide_def def = graze_detail_collide_def_default();
    def.tolerance = 0.002;
    def.error_part = 0.035;
    graze_detail_answer answer;
    graze_status status = graze_query_detail(query, cup, spoon, &def, &answer);
    if (status != GRAZE_OK)
        return status;
    uint64_t coarse = answer.contact_count;
    def.error_part = 0; // the same exactly
    status = graze_query_detail(query, cup, spoon, &def, &answer);
    if (status == GRAZE_OK)
        printf("%s; contacts at a coarse detail are %s\n",
               answer.verdict == GRAZE_CONTACT ? "they touch" : "they are apart",
               coarse < answer.contact_count ? "fewer" : "no fewer");
    return status;
}

int main(void)
{
    graze_context *context = NULL;
    graze_query *query = NULL;
    body cup = {0}, spoon = {0};
    graze_pose pose = graze_pose_identity();
    pose.translation[2] = -0.1; // through the cup's wall
    graze_status status = graze_context_create(NULL, &context);
    if (status == GRAZE_OK)
        status = graze_query_create(context, &query);
    if (status == GRAZE_OK)
        status = make(context, "cup", 3000, &cup);
    if (status == GRAZE_OK)
        status = make(context, "spoon", 3000, &spoon);
    graze_detailed in_place = {cup.shape, cup.detail, NULL};
    graze_detailed through = {spoon.shape, spoon.detail, &pose};
    if (status == GRAZE_OK)
        status = ask(query, &in_place, &through);
    body *bodies[2] = {&cup, &spoon};
    for (int i = 0; i < 2; ++i) {
        graze_contact_detail_free(bodies[i]->detail);
        graze_shape_free(bodies[i]->shape);
        graze_mesh_free(bodies[i]->mesh);
    }
    graze_query_free(query);
    graze_context_destroy(context);
    if (status != GRAZE_OK)
        fprintf(stderr, "%s\n", graze_status_text(status));
    return status != GRAZE_OK;
}
