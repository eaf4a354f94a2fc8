// Hello: read a mesh file of any format and say what is in it.
//   hello [FILE]
#include <stdio.h>

#include "graze/graze.h"

// The library never prints; what it has to say comes here, one sentence at a time.
static void print_message(void *user, graze_log_level level, const char *sentence)
{
    (void)user;
    (void)level;
    fprintf(stderr, "%s\n", sentence);
}

int main(int count, char **words)
{
    graze_context_def def = graze_context_def_default();
    def.log = print_message;
    graze_context *context = NULL;
    if (graze_context_create(&def, &context) != GRAZE_OK)
        return 1;

    graze_mesh *mesh = NULL;
    graze_status status =
        graze_mesh_read(context, count > 1 ? words[1] : "pyramid.ply", NULL, &mesh);
    if (status == GRAZE_OK) {
        graze_mesh_view view = graze_mesh_get(mesh);
        printf("%llu vertices, %llu triangles\n", (unsigned long long)view.vertex_count,
               (unsigned long long)view.triangle_count);
        double corner[3];
        graze_mesh_view_corner(&view, 0, 0, corner);
        printf("the first corner is at %g %g %g\n", corner[0], corner[1], corner[2]);
    }

    graze_mesh_free(mesh);
    graze_context_destroy(context);
    return status == GRAZE_OK ? 0 : 1;
}
