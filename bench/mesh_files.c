// Writes the files. See mesh_files.h.
#include "mesh_files.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "shapes.h"

const mesh_file mesh_files[] = {{"binary.ply", 0, 0, 0},
                                {"big-endian.ply", 0, 1, 0},
                                {"binary.stl", 0, 0, 0},
                                {"binary.glb", 0, 0, 0},
                                {"ascii.ply", 1, 0, 0},
                                {"ascii.stl", 1, 0, 0},
                                {"text.obj", 0, 0, 0},
                                {"text.off", 0, 0, 0},
                                {"binary.ply.gz", 0, 0, 1},
                                {"binary.stl.gz", 0, 0, 1},
                                {"text.obj.gz", 0, 0, 1},
                                {"binary.ply.zst", 0, 0, 1},
                                {NULL, 0, 0, 0}};

// graze reads OFF but does not write it.
static graze_status write_off(const graze_mesh_view *view, const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return GRAZE_ERROR_IO;
    fprintf(file, "OFF\n%" PRIu64 " %" PRIu64 " 0\n", view->vertex_count, view->triangle_count);
    const float *p = view->positions;
    for (const float *end = p + 3 * view->vertex_count; p < end; p += 3)
        fprintf(file, "%.9g %.9g %.9g\n", (double)p[0], (double)p[1], (double)p[2]);
    const uint32_t *c = view->corners;
    for (const uint32_t *end = c + 3 * view->triangle_count; c < end; c += 3)
        fprintf(file, "3 %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", c[0], c[1], c[2]);
    bool failed = ferror(file) != 0;
    return fclose(file) == 0 && !failed ? GRAZE_OK : GRAZE_ERROR_IO;
}

static graze_status write_one(graze_context *context, const mesh_file *file,
                              const graze_mesh_view *view, const char *path)
{
    if (strstr(file->name, ".off") != NULL)
        return write_off(view, path);
    graze_mesh_write_def def = graze_mesh_write_def_default();
    def.ascii = file->ascii;
    def.big_endian = file->big;
    return graze_mesh_write(context, view, path, &def);
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
    generator_shape_def def = {
        .kind = "terrain", .triangle_count = triangle_count, .seed = 1, .size = 1000};
    graze_mesh *mesh = NULL;
    graze_status status = generator_shape_make(context, &def, &mesh);
    if (status != GRAZE_OK)
        return status;
    graze_mesh_view view = graze_mesh_get(mesh);
    char plain[4096];
    snprintf(plain, sizeof plain, "%s", path);
    if (file->is_packed)
        *strrchr(plain, '.') = 0;
    status = write_one(context, file, &view, plain);
    *out = (made_file){.unpacked_bytes = size_of(plain), .triangle_count = view.triangle_count};
    if (status == GRAZE_OK && file->is_packed) {
        remove(plain);
        status = write_one(context, file, &view, path);
    }
    out->file_bytes = size_of(path);
    graze_mesh_free(mesh);
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
