// Writes the files. See mesh_files.h.
#include "mesh_files.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "shapes.h"

const mesh_file mesh_files[] = {{"binary.ply", 0, 0, 0, 0},
                                {"big-endian.ply", 0, 1, 0, 0},
                                {"binary.stl", 0, 0, 0, 0},
                                {"binary.glb", 0, 0, 0, 0},
                                {"ascii.ply", 1, 0, 1, 0},
                                {"ascii.stl", 1, 0, 1, 0},
                                {"text.obj", 0, 0, 1, 0},
                                {"text.off", 0, 0, 1, 0},
                                {"binary.ply.gz", 0, 0, 0, 1},
                                {"binary.stl.gz", 0, 0, 0, 1},
                                {"text.obj.gz", 0, 0, 1, 1},
                                {"binary.ply.zst", 0, 0, 0, 1},
                                {NULL, 0, 0, 0, 0}};

// A shape in arrays, straight from its stream: the reader is not asked to make what it will read.
typedef struct arrays {
    float *positions;
    uint32_t *corners;
    uint64_t vertex_count, corner_count;
} arrays;

static graze_status begin(void *user, const graze_mesh_header *header)
{
    arrays *a = user;
    a->positions = malloc((size_t)header->vertex_count_hint * 3 * sizeof *a->positions);
    a->corners = malloc((size_t)header->triangle_count_hint * 3 * sizeof *a->corners);
    return a->positions != NULL && a->corners != NULL ? GRAZE_OK : GRAZE_ERROR_MEMORY;
}

static graze_status take_vertices(void *user, const void *positions, uint64_t count)
{
    arrays *a = user;
    memcpy(a->positions + 3 * a->vertex_count, positions, (size_t)count * 3 * sizeof(float));
    a->vertex_count += count;
    return GRAZE_OK;
}

static graze_status take_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    arrays *a = user;
    for (uint64_t i = 0; i < 3 * count; ++i)
        a->corners[a->corner_count++] = (uint32_t)corners[i];
    return GRAZE_OK;
}

// graze reads OFF but does not write it.
static graze_status write_off(const arrays *a, const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return GRAZE_ERROR_IO;
    fprintf(file, "OFF\n%" PRIu64 " %" PRIu64 " 0\n", a->vertex_count, a->corner_count / 3);
    for (uint64_t i = 0; i < a->vertex_count; ++i)
        fprintf(file, "%.9g %.9g %.9g\n", (double)a->positions[3 * i],
                (double)a->positions[3 * i + 1], (double)a->positions[3 * i + 2]);
    for (uint64_t i = 0; i < a->corner_count; i += 3)
        fprintf(file, "3 %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", a->corners[i], a->corners[i + 1],
                a->corners[i + 2]);
    bool failed = ferror(file) != 0;
    return fclose(file) == 0 && !failed ? GRAZE_OK : GRAZE_ERROR_IO;
}

static graze_status write_one(graze_context *context, const mesh_file *file, const arrays *a,
                              const char *path)
{
    if (strstr(file->name, ".off") != NULL)
        return write_off(a, path);
    graze_mesh_view view = {.precision = GRAZE_FLOAT32,
                            .vertex_count = a->vertex_count,
                            .triangle_count = a->corner_count / 3,
                            .positions = a->positions,
                            .corners = a->corners};
    graze_mesh_write_def def = graze_mesh_write_def_default();
    def.ascii = file->ascii;
    def.big_endian = file->big;
    return graze_mesh_write(context, &view, path, &def);
}

static uint64_t size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

// Also writes the plain form of a packed file for a moment, to know its size.
static graze_status make_with(graze_context *context, const mesh_file *file, const char *path,
                              uint64_t triangle_count, made_file *out)
{
    arrays a = {0};
    graze_shape_def def = {
        .kind = "terrain", .triangle_count = triangle_count, .seed = 1, .size = 1000};
    graze_mesh_sink sink = {
        .user = &a, .begin = begin, .vertices = take_vertices, .triangles = take_triangles};
    graze_status status = graze_shape_stream(&def, &sink);
    char plain[4096];
    snprintf(plain, sizeof plain, "%s", path);
    if (file->is_packed)
        *strrchr(plain, '.') = 0;
    if (status == GRAZE_OK)
        status = write_one(context, file, &a, plain);
    out->unpacked_bytes = size_of(plain);
    if (status == GRAZE_OK && file->is_packed) {
        remove(plain);
        status = write_one(context, file, &a, path);
    }
    out->file_bytes = size_of(path);
    out->triangle_count = a.corner_count / 3;
    free(a.positions);
    free(a.corners);
    return status;
}

graze_status mesh_file_make(graze_context *context, const mesh_file *file, const char *path,
                            uint64_t bytes, made_file *out)
{
    const uint64_t sample = 2000; // enough to know the bytes of a triangle
    graze_status status = make_with(context, file, path, sample, out);
    if (status != GRAZE_OK || out->unpacked_bytes == 0 || out->unpacked_bytes >= bytes)
        return status;
    double triangles = (double)bytes / (double)out->unpacked_bytes * (double)out->triangle_count;
    return make_with(context, file, path, (uint64_t)triangles, out);
}
