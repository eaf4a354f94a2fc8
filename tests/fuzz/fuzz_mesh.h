// What the fuzz targets of mesh readers share: read the input into a sink that checks what sinks
// are promised and looks at every number, under a memory limit; all memory must come back.
#ifndef GZ_FUZZ_MESH_H
#define GZ_FUZZ_MESH_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graze/mesh.h"

#define FUZZ_MEMORY_LIMIT (UINT64_C(1) << 28)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// What has come so far. Vertices are kept to be fetched, as far as they are few.
typedef struct fuzz_sink {
    uint32_t coordinate_bytes;
    uint64_t vertex_count, triangle_count, object_count;
    double sum;
    double kept[4096][3];
} fuzz_sink;

#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s does not hold\n", #condition);                                     \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static graze_status fuzz_begin(void *user, const graze_mesh_header *header)
{
    fuzz_sink *sink = user;
    FUZZ_CHECK(sink->coordinate_bytes == 0);
    sink->coordinate_bytes = header->precision;
    sink->sum += (double)strlen(header->encoding);
    return GRAZE_OK;
}

static graze_status fuzz_vertices(void *user, const void *positions, uint64_t count)
{
    fuzz_sink *sink = user;
    FUZZ_CHECK(sink->coordinate_bytes != 0 && count != 0);
    for (uint64_t i = 0; i < 3 * count; ++i) {
        double value = sink->coordinate_bytes == 4 ? (double)((const float *)positions)[i]
                                                   : ((const double *)positions)[i];
        sink->sum += value;
        if (sink->vertex_count + i / 3 < 4096)
            sink->kept[sink->vertex_count + i / 3][i % 3] = value;
    }
    sink->vertex_count += count;
    return GRAZE_OK;
}

static graze_status fuzz_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    fuzz_sink *sink = user;
    FUZZ_CHECK(count != 0);
    for (uint64_t i = 0; i < 3 * count; ++i) {
        FUZZ_CHECK(corners[i] < sink->vertex_count);
        if (corners[i] < 4096)
            for (int k = 0; k < 3; ++k)
                FUZZ_CHECK(isfinite(sink->kept[corners[i]][k]));
    }
    sink->triangle_count += count;
    return GRAZE_OK;
}

static graze_status fuzz_object(void *user, const graze_object *object)
{
    fuzz_sink *sink = user;
    FUZZ_CHECK(object->first_triangle <= sink->triangle_count &&
               object->triangle_count <= sink->triangle_count - object->first_triangle);
    sink->sum += (double)strlen(object->name) + (double)strlen(object->group);
    sink->object_count++;
    return GRAZE_OK;
}

static graze_status fuzz_end(void *user, const graze_mesh_losses *losses)
{
    fuzz_sink *sink = user;
    FUZZ_CHECK(sink->object_count != 0 || sink->triangle_count == 0);
    sink->sum += (double)losses->polygons;
    return GRAZE_OK;
}

static graze_status fuzz_position(void *user, uint64_t vertex, double out[3])
{
    fuzz_sink *sink = user;
    FUZZ_CHECK(vertex < sink->vertex_count);
    for (int k = 0; k < 3; ++k)
        out[k] = vertex < 4096 ? sink->kept[vertex][k] : 0;
    return GRAZE_OK;
}

static void fuzz_log(void *user, graze_log_level level, const char *sentence)
{
    *(int *)user += level == GRAZE_LOG_ERROR;
    FUZZ_CHECK(sentence[0] != '\0');
}

// Small inputs let the sink fetch vertices, others let the stream keep them: both ways are walked.
static inline void fuzz_mesh(graze_format format, const char *name, const uint8_t *data,
                             size_t size)
{
    int error_count = 0;
    graze_context_def def = graze_context_def_default();
    def.memory_byte_limit = FUZZ_MEMORY_LIMIT;
    def.thread_count = 1;
    def.log = fuzz_log;
    def.user = &error_count;
    graze_context *context = NULL;
    FUZZ_CHECK(graze_context_create(&def, &context) == GRAZE_OK);
    uint64_t before = graze_context_memory(context).block_count;
    static fuzz_sink state;
    memset(&state, 0, sizeof state);
    graze_mesh_sink sink = {
        .user = &state,
        .begin = fuzz_begin,
        .vertices = fuzz_vertices,
        .triangles = fuzz_triangles,
        .object = fuzz_object,
        .end = fuzz_end,
        .position = size % 2 == 0 ? fuzz_position : NULL,
    };
    graze_mesh_read_def read = graze_mesh_read_def_default();
    read.format = format;
    graze_status status = graze_mesh_stream_memory(context, name, data, size, &read, &sink);
    FUZZ_CHECK((status == GRAZE_OK) == (error_count == 0)); // one sentence for each failure
    FUZZ_CHECK(error_count <= 1);
    FUZZ_CHECK(graze_context_memory(context).block_count == before);
    graze_context_destroy(context);
}

#endif
