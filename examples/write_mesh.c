// Writes arrays of the program's own as a file, with two objects that share their triangles.
#include <stdio.h>

#include "graze/graze.h"

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "tetrahedra.glb";
    static const float positions[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const uint32_t corners[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    static const graze_object objects[2] = {
        {.name = "here",
         .group = "",
         .triangle_count = 4,
         .matrix = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
        {.name = "there",
         .group = "",
         .triangle_count = 4,
         .matrix = {1, 0, 0, 5, 0, 1, 0, 0, 0, 0, 1, 0},
         .placed = 1},
    };
    graze_mesh_view view = {
        .precision = GRAZE_FLOAT32,
        .metres_per_unit = 0.001, // millimetres
        .vertex_count = 4,
        .triangle_count = 4,
        .object_count = 2,
        .positions = positions,
        .corners = corners[0],
        .objects = objects,
    };

    graze_context *context = NULL;
    graze_mesh *mesh = NULL;
    graze_status status = graze_context_create(NULL, &context);
    if (status == GRAZE_OK)
        status = graze_mesh_write(context, &view, path, NULL);
    if (status == GRAZE_OK)
        status = graze_mesh_read(context, path, NULL, &mesh);
    if (status == GRAZE_OK) {
        graze_mesh_view back = graze_mesh_get(mesh);
        for (uint64_t i = 0; i < back.object_count; ++i)
            printf("%s/%s is moved by %g m\n", back.objects[i].group, back.objects[i].name,
                   back.objects[i].matrix[3]);
    } else {
        fprintf(stderr, "%s: %s\n", path, graze_status_text(status));
    }
    graze_mesh_free(mesh);
    graze_context_destroy(context);
    return status != GRAZE_OK;
}
