// Writes STL: binary, with coordinates rounded to float, or text, with all digits of the double.
// Vertices are not shared in this format: each triangle brings its own.
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/threads.h"
#include "mesh/flat.h"
#include "mesh/read/text.h"
#include "mesh/stl.h"
#include "mesh/view.h"
#include "mesh/write/writer.h"
#include "mesh/write/writer_items.h"

#define BATCH       256u
#define FACET_BYTES (12u * (GZ_NUMBER_BYTES + 1u) + 128u)

typedef struct stl_writer {
    gz_packer *packer;
    graze_context *context;
    gz_flat flat;
    bool ascii;
    uint8_t *out; // BATCH * FACET_BYTES
    uint64_t done;
    uint64_t rounded; // coordinates that are no floats
    bool name_changed;
} stl_writer;

// Scaled to length 1 or so, so that the cross product neither overflows nor vanishes.
static bool scale_edge(double edge[3])
{
    double largest = fmax(fabs(edge[0]), fmax(fabs(edge[1]), fabs(edge[2])));
    if (!(largest > 0) || !isfinite(largest))
        return false;
    for (int axis = 0; axis < 3; ++axis)
        edge[axis] /= largest;
    return true;
}

void gz_stl_set_normal(gz_stl_facet *facet)
{
    double a[3], b[3];
    for (int axis = 0; axis < 3; ++axis) {
        a[axis] = facet->corner[1][axis] - facet->corner[0][axis];
        b[axis] = facet->corner[2][axis] - facet->corner[0][axis];
    }
    memset(facet->normal, 0, sizeof facet->normal);
    if (!scale_edge(a) || !scale_edge(b))
        return;
    double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    double length = sqrt((n[0] * n[0] + n[1] * n[1]) + n[2] * n[2]);
    for (int axis = 0; axis < 3 && length > 0; ++axis)
        facet->normal[axis] = (float)(n[axis] / length);
}

static char *put_text(char *out, const char *text)
{
    size_t length = strlen(text);
    memcpy(out, text, length);
    return out + length;
}

static uint8_t *put_facet_text(uint8_t *out, const gz_stl_facet *facet)
{
    char *text = put_text((char *)out, "facet normal");
    for (int axis = 0; axis < 3; ++axis) {
        *text++ = ' ';
        text = gz_print_float(text, facet->normal[axis]);
    }
    text = put_text(text, "\nouter loop\n");
    for (int corner = 0; corner < 3; ++corner) {
        text = put_text(text, "vertex");
        for (int axis = 0; axis < 3; ++axis) {
            *text++ = ' ';
            text = gz_print_double(text, facet->corner[corner][axis]);
        }
        *text++ = '\n';
    }
    return (uint8_t *)put_text(text, "endloop\nendfacet\n");
}

uint8_t *gz_stl_put_facet(uint8_t *out, const gz_stl_facet *facet)
{
    for (int axis = 0; axis < 3; ++axis)
        out = gz_put_float(out, facet->normal[axis], false);
    for (int i = 0; i < 9; ++i)
        out = gz_put_float(out, (float)facet->corner[i / 3][i % 3], false);
    *out++ = 0;
    *out++ = 0;
    return out;
}

graze_status gz_stl_check_rounding(graze_context *context, const char *path, uint64_t triangle,
                                   const gz_stl_facet *facet, uint64_t *rounded_count)
{
    for (int i = 0; i < 9; ++i) {
        double exact = facet->corner[i / 3][i % 3];
        float rounded = (float)exact;
        if (isfinite(exact) && !isfinite(rounded)) {
            char number[GZ_NUMBER_BYTES + 1];
            *gz_print_double(number, exact) = '\0';
            return gz_fail(context, GRAZE_ERROR_UNSUPPORTED,
                           "%s: triangle %" PRIu64
                           " has the coordinate %s, which is too large for binary STL; ASCII STL "
                           "can hold it",
                           path, triangle, number);
        }
        *rounded_count += isfinite(exact) && (double)rounded != exact;
    }
    return GRAZE_OK;
}

static graze_status make_facet(stl_writer *writer, const graze_object *object, uint64_t triangle,
                               gz_stl_facet *facet)
{
    graze_status status = GRAZE_OK;
    for (uint64_t corner = 0; corner < 3 && status == GRAZE_OK; ++corner)
        status =
            gz_flat_corner(&writer->flat, object, 3 * triangle + corner, facet->corner[corner]);
    if (status == GRAZE_OK && !writer->ascii)
        status = gz_stl_check_rounding(writer->context, writer->flat.path, writer->done, facet,
                                       &writer->rounded);
    if (status == GRAZE_OK)
        gz_stl_set_normal(facet);
    return status;
}

static graze_status write_triangles(stl_writer *writer, const graze_object *object)
{
    graze_status status = GRAZE_OK;
    for (uint64_t triangle = 0; triangle < object->triangle_count && status == GRAZE_OK;) {
        uint64_t left = object->triangle_count - triangle;
        uint64_t end = triangle + (left < BATCH ? left : BATCH);
        uint8_t *out = writer->out;
        for (; triangle < end && status == GRAZE_OK; ++triangle, ++writer->done) {
            gz_stl_facet facet;
            status = make_facet(writer, object, triangle, &facet);
            if (status == GRAZE_OK)
                out = writer->ascii ? put_facet_text(out, &facet) : gz_stl_put_facet(out, &facet);
        }
        if (status == GRAZE_OK)
            status = gz_packer_write(writer->packer, writer->out, (uint64_t)(out - writer->out));
        if (status == GRAZE_OK)
            status = gz_checkpoint(writer->context, "writing", "triangles", writer->done,
                                   writer->flat.triangle_count);
    }
    return status;
}

static graze_status write_line(stl_writer *writer, const char *word, const char *name)
{
    char line[GZ_NAME_BYTES + 32];
    char *end = put_text(line, word);
    if (name[0] != '\0') {
        *end++ = ' ';
        end = put_text(end, name);
    }
    *end++ = '\n';
    return gz_packer_write(writer->packer, line, (uint64_t)(end - line));
}

// "facet normal" would end the name: the two words are joined.
static void hold_name(stl_writer *writer, const char *name, char held[GZ_NAME_BYTES + 1])
{
    writer->name_changed |= gz_text_keep_name(name, held);
    for (char *at = held; *at != '\0'; ++at)
        if (gz_stl_facet_starts((uint8_t *)at)) {
            at[strlen("facet")] = '_';
            writer->name_changed = true;
        }
}

static graze_status write_solids(stl_writer *writer)
{
    gz_flat_walk walk;
    gz_flat_start(&writer->flat, &walk);
    graze_status status = GRAZE_OK;
    bool group_lost = false;
    while (status == GRAZE_OK && gz_flat_next_object(&writer->flat, &walk)) {
        char name[GZ_NAME_BYTES + 1];
        hold_name(writer, walk.object.name, name);
        group_lost |= walk.object.group[0] != '\0';
        status = write_line(writer, "solid", name);
        if (status == GRAZE_OK)
            status = write_triangles(writer, &walk.object);
        if (status == GRAZE_OK)
            status = write_line(writer, "endsolid", name);
    }
    if (status == GRAZE_OK && writer->name_changed)
        gz_text_warn_names(writer->context, writer->flat.path);
    if (status == GRAZE_OK && group_lost)
        gz_log(writer->context, GRAZE_LOG_WARNING,
               "%s: STL holds no groups of objects: their names are left out", writer->flat.path);
    return status;
}

// The header can carry one short name. Other programs take "solid" for the start of a text file.
static bool header_holds(const graze_object *object)
{
    char held[GZ_NAME_BYTES + 1];
    return object->group[0] == '\0' && strlen(object->name) <= GZ_STL_HEADER_BYTES &&
           !gz_text_keep_name(object->name, held) && strncasecmp(object->name, "solid", 5) != 0;
}

void gz_stl_put_start(uint8_t *out, uint64_t triangle_count, uint64_t object_count,
                      const graze_object *first)
{
    memset(out, 0, GZ_STL_START_BYTES);
    if (object_count == 1 && header_holds(first))
        memcpy(out, first->name, strlen(first->name));
    gz_put_u32(out + GZ_STL_HEADER_BYTES, (uint32_t)triangle_count, false);
}

graze_status gz_stl_check_count(graze_context *context, const char *path, uint64_t triangle_count)
{
    if (triangle_count <= UINT32_MAX)
        return GRAZE_OK;
    return gz_fail(context, GRAZE_ERROR_UNSUPPORTED,
                   "%s: binary STL holds at most 4294967295 triangles, but there are %" PRIu64,
                   path, triangle_count);
}

void gz_stl_warn(graze_context *context, const char *path, uint64_t object_count,
                 const graze_object *first, uint64_t triangle_count, uint64_t rounded)
{
    if (object_count > 1)
        gz_log(context, GRAZE_LOG_WARNING,
               "%s: binary STL holds no objects: %" PRIu64 " of them become one, without their "
               "names",
               path, object_count);
    else if (object_count == 1 && !header_holds(first))
        gz_log(context, GRAZE_LOG_WARNING,
               "%s: binary STL cannot hold the name \"%.200s\": it is left out", path, first->name);
    if (rounded != 0)
        gz_log(context, GRAZE_LOG_WARNING,
               "%s: binary STL holds floats: %" PRIu64 " of %" PRIu64 " coordinates are rounded",
               path, rounded, 9 * triangle_count);
}

static graze_status write_binary(stl_writer *writer)
{
    graze_context *context = writer->context;
    const graze_mesh_view *view = writer->flat.view;
    const char *path = writer->flat.path;
    uint64_t triangle_count = writer->flat.triangle_count;
    uint8_t start[GZ_STL_START_BYTES];
    graze_status status = gz_stl_check_count(context, path, triangle_count);
    if (status != GRAZE_OK)
        return status;
    gz_stl_put_start(start, triangle_count, view->object_count, view->objects);
    status = gz_packer_write(writer->packer, start, sizeof start);
    gz_flat_walk walk;
    gz_flat_start(&writer->flat, &walk);
    while (status == GRAZE_OK && gz_flat_next_object(&writer->flat, &walk))
        status = write_triangles(writer, &walk.object);
    if (status == GRAZE_OK)
        gz_stl_warn(context, path, view->object_count, view->objects, triangle_count,
                    writer->rounded);
    return status;
}

graze_status gz_write_stl(gz_packer *packer, graze_context *context, const graze_mesh_view *view,
                          const graze_mesh_write_def *def)
{
    const char *path = gz_packer_path(packer);
    stl_writer writer = {.packer = packer, .context = context, .ascii = def->ascii != 0};
    graze_status status = gz_flat_open(context, path, view, false, &writer.flat);
    if (status != GRAZE_OK)
        return status;
    writer.out = gz_allocate(context, BATCH * FACET_BYTES);
    if (writer.out == NULL)
        status = gz_fail(context, GRAZE_ERROR_MEMORY, "%s: out of memory", path);
    else
        status = writer.ascii ? write_solids(&writer) : write_binary(&writer);
    gz_release(context, writer.out, BATCH * FACET_BYTES);
    gz_flat_close(&writer.flat);
    return status;
}
