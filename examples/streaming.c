// Stream: look at a file of any size, triangle by triangle, without keeping it in memory.
// Prints the box around it, and counts what comes by.
//   streaming [FILE]
#include <float.h>
#include <stdio.h>

#include "graze/graze.h"

typedef struct tally {
    graze_precision precision;
    unsigned long long vertices, triangles, objects;
    double min[3], max[3];
} tally;

static graze_status on_begin(void *user, const graze_mesh_header *header)
{
    tally *seen = user;
    seen->precision = header->precision; // of all positions that follow
    printf("%s, %s\n", graze_format_text(header->format), header->encoding);
    return GRAZE_OK;
}

static graze_status on_vertices(void *user, const void *positions, uint64_t count)
{
    tally *seen = user;
    for (uint64_t i = 0; i < 3 * count; ++i) {
        double value = seen->precision == GRAZE_FLOAT32 ? (double)((const float *)positions)[i]
                                                        : ((const double *)positions)[i];
        int axis = (int)(i % 3);
        seen->min[axis] = value < seen->min[axis] ? value : seen->min[axis];
        seen->max[axis] = value > seen->max[axis] ? value : seen->max[axis];
    }
    seen->vertices += count;
    return GRAZE_OK;
}

static graze_status on_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    (void)corners; // 3 * count vertex numbers
    ((tally *)user)->triangles += count;
    return GRAZE_OK; // anything else would end the reading
}

static graze_status on_object(void *user, const graze_object *object)
{
    (void)object;
    ++((tally *)user)->objects;
    return GRAZE_OK;
}

int main(int count, char **words)
{
    graze_context *context = NULL;
    if (graze_context_create(NULL, &context) != GRAZE_OK)
        return 1;
    tally seen = {.min = {DBL_MAX, DBL_MAX, DBL_MAX}, .max = {-DBL_MAX, -DBL_MAX, -DBL_MAX}};
    graze_mesh_sink sink = {.user = &seen,
                            .begin = on_begin,
                            .vertices = on_vertices,
                            .triangles = on_triangles,
                            .object = on_object};
    graze_status status =
        graze_mesh_stream(context, count > 1 ? words[1] : "pyramid.ply", NULL, &sink);
    if (status == GRAZE_OK) {
        printf("%llu vertices, %llu triangles, %llu objects\n", seen.vertices, seen.triangles,
               seen.objects);
        printf("x from %g to %g, y from %g to %g, z from %g to %g\n", seen.min[0], seen.max[0],
               seen.min[1], seen.max[1], seen.min[2], seen.max[2]);
    } else {
        fprintf(stderr, "%s\n", graze_status_text(status));
    }
    graze_context_destroy(context);
    return status == GRAZE_OK ? 0 : 1;
}
