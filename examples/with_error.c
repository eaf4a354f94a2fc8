// Answers with an error: by place, in a given time, and what is behind a contact.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "graze/graze.h"
#include "shapes.h"

// A shape over a model, which is built in a temporary file.
static graze_status make(graze_context *context, const char *kind, graze_model **model,
                         graze_shape **shape)
{
    char mesh_path[] = "/tmp/with_error_XXXXXX.stl", path[] = "/tmp/with_error_XXXXXX.graze";
    int files[2] = {mkstemps(mesh_path, 4), mkstemps(path, 6)};
    generator_shape_def def = {.kind = kind, .triangle_count = 20000, .seed = 1, .size = 2};
    graze_mesh *mesh = NULL;
    graze_status status = generator_shape_make(context, &def, &mesh);
    graze_mesh_view view = {0};
    if (status == GRAZE_OK)
        view = graze_mesh_get(mesh);
    if (status == GRAZE_OK)
        status = graze_mesh_write(context, &view, mesh_path, NULL);
    if (status == GRAZE_OK)
        status = graze_model_build(context, mesh_path, path, NULL);
    if (status == GRAZE_OK)
        status = graze_model_open(context, path, model);
    if (status == GRAZE_OK)
        status = graze_shape_from_model(*model, shape);
    graze_mesh_free(mesh);
    close(files[0]);
    close(files[1]);
    unlink(mesh_path);
    unlink(path);
    return status;
}

static graze_status ask(graze_query *query, graze_posed knot, graze_posed ring)
{
    graze_collide_def def = graze_collide_def_default();
    graze_answer answer, behind;
    graze_view_error view = {.eye = {0, 0, 9}, .pixel = 0.001, .pixels = 2};
    def.collect = GRAZE_COLLECT_CONTACTS;
    def.error_function = graze_error_by_view; // two pixels, as somebody sees it
    def.error_user = &view;
    graze_status status = graze_query_collide(query, knot, ring, &def, &answer);
    if (status != GRAZE_OK)
        return status;
    printf("seen from afar: %s triangles than the models have\n",
           answer.cut_a + answer.cut_b < 40000 ? "fewer" : "no fewer");

    // What is behind the first contact: the exact pairs. The answer's lists end with the question.
    graze_contact contact = answer.contacts[0];
    graze_collide_def exactly = graze_collide_def_default();
    exactly.collect = GRAZE_COLLECT_PAIRS;
    status = graze_query_behind(query, knot, ring, &contact, &exactly, &behind);
    if (status == GRAZE_OK)
        printf("behind a contact: %s\n", behind.complete ? "all pairs" : "some pairs");

    // The best answer in a second. Preparing comes before, so that it is not in the second.
    def = graze_collide_def_default();
    def.time_limit = 1;
    if (status == GRAZE_OK)
        status = graze_query_prepare(query, knot, ring, &def);
    if (status == GRAZE_OK)
        status = graze_query_collide(query, knot, ring, &def, &answer);
    if (status == GRAZE_OK)
        printf("in time: %s\n", answer.verdict == GRAZE_APART ? "apart" : "they may touch");
    return status;
}

int main(void)
{
    graze_context *context = NULL;
    graze_query *query = NULL;
    graze_model *models[2] = {NULL, NULL};
    graze_shape *shapes[2] = {NULL, NULL};
    graze_status status = graze_context_create(NULL, &context);
    if (status == GRAZE_OK)
        status = graze_query_create(context, &query);
    if (status == GRAZE_OK)
        status = make(context, "knot", &models[0], &shapes[0]);
    if (status == GRAZE_OK)
        status = make(context, "torus", &models[1], &shapes[1]);
    if (status == GRAZE_OK)
        status = ask(query, graze_at(shapes[0], NULL), graze_at(shapes[1], NULL));
    for (int i = 0; i < 2; ++i) {
        graze_shape_free(shapes[i]);
        graze_model_free(models[i]);
    }
    graze_query_free(query);
    graze_context_destroy(context);
    if (status != GRAZE_OK)
        fprintf(stderr, "%s\n", graze_status_text(status));
    return status != GRAZE_OK;
}
