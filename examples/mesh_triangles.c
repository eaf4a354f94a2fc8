// Takes the triangles of a mesh and asks how many others the first one meets.
#include <inttypes.h>
#include <stdio.h>

#include "graze/graze.h"

static void print_message(void *user, graze_log_level level, const char *sentence)
{
    (void)user;
    if (level <= GRAZE_LOG_WARNING)
        fprintf(stderr, "%s\n", sentence);
}

static graze_triangle get_triangle(const graze_mesh_view *view, uint64_t number)
{
    graze_triangle triangle;
    for (uint32_t corner = 0; corner < 3; ++corner)
        graze_mesh_view_corner(view, number, corner, triangle.corner[corner]);
    return triangle;
}

static void look_at(const graze_mesh_view *view)
{
    printf("%" PRIu64 " vertices, %" PRIu64 " triangles\n", view->vertex_count,
           view->triangle_count);
    uint64_t meeting = 0;
    for (uint64_t i = 1; i < view->triangle_count; ++i) {
        graze_triangle first = get_triangle(view, 0), other = get_triangle(view, i);
        meeting += (uint64_t)graze_triangle_meet(&first, &other);
    }
    printf("the first triangle meets %" PRIu64 " others\n", meeting);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "pyramid.ply";
    graze_context_def def = graze_context_def_default();
    def.log = print_message;
    graze_context *context = NULL;
    graze_mesh *mesh = NULL;

    graze_status status = graze_context_create(&def, &context);
    if (status == GRAZE_OK)
        status = graze_mesh_read(context, path, NULL, &mesh);
    if (status == GRAZE_OK) {
        graze_mesh_view view = graze_mesh_get(mesh);
        look_at(&view);
    }
    graze_mesh_free(mesh); // accepts NULL, as all functions do that give something back
    graze_context_destroy(context);
    return status != GRAZE_OK;
}
