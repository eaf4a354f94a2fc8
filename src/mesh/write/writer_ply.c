// Writes PLY: one vertex element of float or double, one face element of triangles.
// Numbers keep their bits: binary ones are copied, text has as many digits as it takes.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/context.h"
#include "mesh/write/batches.h"
#include "mesh/write/writer_items.h"

#define SIGNED_INDICES (UINT64_C(1) << 31) // for up to this many vertices all readers know the type

uint32_t gz_ply_header_text(char text[GZ_PLY_HEADER_BYTES + 1], const gz_ply_kind *kind,
                            uint64_t vertex_count, uint64_t triangle_count, uint32_t length)
{
    const char *scalar = kind->floats ? "float" : "double";
    const char *encoding = kind->ascii        ? "ascii"
                           : kind->big_endian ? "binary_big_endian"
                                              : "binary_little_endian";
    char elements[GZ_PLY_HEADER_BYTES];
    int bytes = snprintf(elements, sizeof elements,
                         "element vertex %" PRIu64 "\n"
                         "property %s x\n"
                         "property %s y\n"
                         "property %s z\n"
                         "element face %" PRIu64 "\n"
                         "property list uchar %s vertex_indices\n"
                         "end_header\n",
                         vertex_count, scalar, scalar, scalar, triangle_count,
                         vertex_count <= SIGNED_INDICES ? "int" : "uint");
    int used = snprintf(text, GZ_PLY_HEADER_BYTES + 1, "ply\nformat %s 1.0\n", encoding);
    if (length != 0) {
        int blanks = (int)length - used - bytes - (int)strlen("comment\n");
        GZ_ASSERT(blanks >= 0);
        used += snprintf(text + used, GZ_PLY_HEADER_BYTES + 1 - (size_t)used, "comment%*s\n",
                         blanks, "");
    }
    used += snprintf(text + used, GZ_PLY_HEADER_BYTES + 1 - (size_t)used, "%s", elements);
    return (uint32_t)used;
}

uint8_t *gz_ply_put_vertex(const void *user, uint8_t *out, const double position[3])
{
    const gz_ply_kind *kind = user;
    for (int axis = 0; axis < 3; ++axis) {
        if (kind->ascii) {
            char *text = kind->floats ? gz_print_float((char *)out, (float)position[axis])
                                      : gz_print_double((char *)out, position[axis]);
            *text++ = axis < 2 ? ' ' : '\n';
            out = (uint8_t *)text;
        } else if (kind->floats) {
            out = gz_put_float(out, (float)position[axis], kind->big_endian);
        } else {
            out = gz_put_double(out, position[axis], kind->big_endian);
        }
    }
    return out;
}

uint8_t *gz_ply_put_face(const void *user, uint8_t *out, const uint64_t corners[3])
{
    const gz_ply_kind *kind = user;
    *out++ = kind->ascii ? '3' : 3;
    for (int i = 0; i < 3; ++i) {
        if (kind->ascii) {
            *out++ = ' ';
            out = (uint8_t *)gz_print_uint64((char *)out, corners[i]);
        } else {
            out = gz_put_u32(out, (uint32_t)corners[i], kind->big_endian);
        }
    }
    if (kind->ascii)
        *out++ = '\n';
    return out;
}

static graze_status write_faces(gz_batches *batches, const gz_ply_kind *kind)
{
    gz_flat_walk walk;
    gz_flat_start(&batches->flat, &walk);
    graze_status status = GRAZE_OK;
    while (status == GRAZE_OK && gz_flat_next_object(&batches->flat, &walk))
        status = gz_batches_triangles(batches, &walk, gz_ply_put_face, kind);
    return status;
}

void gz_ply_warn(graze_context *context, const char *path, uint64_t object_count,
                 const graze_object *first)
{
    if (object_count > 1)
        gz_log(context, GRAZE_LOG_WARNING,
               "%s: PLY holds no objects: %" PRIu64 " of them become one, without their names",
               path, object_count);
    else if (object_count == 1 && (first->name[0] != '\0' || first->group[0] != '\0'))
        gz_log(context, GRAZE_LOG_WARNING, "%s: PLY holds no names: \"%.200s\" is left out", path,
               first->name);
}

graze_status gz_ply_check_count(graze_context *context, const char *path, uint64_t vertex_count)
{
    if (vertex_count <= UINT64_C(1) << 32)
        return GRAZE_OK;
    return gz_fail(context, GRAZE_ERROR_UNSUPPORTED,
                   "%s: PLY numbers at most 4294967296 vertices, but there are %" PRIu64, path,
                   vertex_count);
}

static graze_status write_header(gz_batches *batches, const gz_ply_kind *kind)
{
    char text[GZ_PLY_HEADER_BYTES + 1];
    uint32_t length =
        gz_ply_header_text(text, kind, batches->flat.vertex_count, batches->flat.triangle_count, 0);
    return gz_packer_write(batches->packer, text, length);
}

graze_status gz_write_ply(gz_packer *packer, graze_context *context, const graze_mesh_view *view,
                          const graze_mesh_write_def *def)
{
    gz_batches batches;
    graze_status status = gz_batches_open(packer, context, view, &batches);
    if (status != GRAZE_OK)
        return status;
    gz_ply_kind kind = {.ascii = def->ascii != 0,
                        .big_endian = def->big_endian != 0,
                        .floats = batches.flat.precision == GRAZE_FLOAT32};
    gz_ply_warn(context, batches.flat.path, view->object_count, view->objects);
    status = gz_ply_check_count(context, batches.flat.path, batches.flat.vertex_count);
    if (status == GRAZE_OK)
        status = write_header(&batches, &kind);
    if (status == GRAZE_OK)
        status = gz_batches_vertices(&batches, gz_ply_put_vertex, &kind);
    if (status == GRAZE_OK)
        status = write_faces(&batches, &kind);
    gz_batches_close(&batches);
    return status;
}
