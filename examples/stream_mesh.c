// Measures a mesh of any size while it passes by; nothing of it is kept.
#include <inttypes.h>
#include <stdio.h>

#include "graze/graze.h"

typedef struct tally {
    graze_precision precision;
    uint64_t vertex_count, triangle_count;
    graze_box box;
} tally;

static graze_status begin(void *user, const graze_mesh_header *header)
{
    tally *sums = user;
    sums->precision = header->precision;
    sums->box = graze_box_empty();
    printf("%s, %s, %s\n", graze_format_text(header->format), header->encoding,
           header->precision == GRAZE_FLOAT32 ? "float" : "double");
    return GRAZE_OK;
}

static graze_status take_vertices(void *user, const void *positions, uint64_t count)
{
    tally *sums = user;
    sums->vertex_count += count;
    for (uint64_t i = 0; i < count; ++i) {
        double point[1][3];
        for (int axis = 0; axis < 3; ++axis)
            point[0][axis] = sums->precision == GRAZE_FLOAT32
                                 ? (double)((const float(*)[3])positions)[i][axis]
                                 : ((const double(*)[3])positions)[i][axis];
        graze_box one = graze_box_of_points((const double(*)[3])point, 1);
        sums->box = graze_box_join(&sums->box, &one);
    }
    return GRAZE_OK; // anything else would end the reading
}

static graze_status take_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    (void)corners;
    ((tally *)user)->triangle_count += count;
    return GRAZE_OK;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "octahedron.off";
    tally sums = {0};
    graze_mesh_sink sink = {
        .user = &sums, .begin = begin, .vertices = take_vertices, .triangles = take_triangles};

    graze_context *context = NULL;
    graze_status status = graze_context_create(NULL, &context);
    if (status == GRAZE_OK)
        status = graze_mesh_stream(context, path, NULL, &sink);
    if (status == GRAZE_OK)
        printf("%" PRIu64 " vertices, %" PRIu64 " triangles, %g x %g x %g\n", sums.vertex_count,
               sums.triangle_count, sums.box.max[0] - sums.box.min[0],
               sums.box.max[1] - sums.box.min[1], sums.box.max[2] - sums.box.min[2]);
    else
        fprintf(stderr, "%s: %s\n", path, graze_status_text(status));
    graze_context_destroy(context);
    return status != GRAZE_OK;
}
