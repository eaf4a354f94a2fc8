// Writes OBJ: all vertices first, with all digits of the double, then the faces of each object.
// An object without a group is an `o`; one within a group is a `g` below the `o` of the group, as
// the reader takes them. The last line says that the file ends, which nothing else in OBJ does.
#include <string.h>

#include "base/context.h"
#include "mesh/read/text.h"
#include "mesh/write/batches.h"

#define END_MARK "# end of file\n"

typedef struct obj_writer {
    gz_batches batches;
    char above[GZ_NAME_BYTES + 1]; // the `o` that a `g` would belong to
    bool any_above, name_changed;
} obj_writer;

// The reader takes doubles, so that a float needs the digits of its double.
static uint8_t *put_vertex(const void *user, uint8_t *out, const double position[3])
{
    (void)user;
    *out++ = 'v';
    for (int axis = 0; axis < 3; ++axis) {
        *out++ = ' ';
        out = (uint8_t *)gz_print_double((char *)out, position[axis]);
    }
    *out++ = '\n';
    return out;
}

static uint8_t *put_face(const void *user, uint8_t *out, const uint64_t corners[3])
{
    (void)user;
    *out++ = 'f';
    for (int i = 0; i < 3; ++i) {
        *out++ = ' ';
        out = (uint8_t *)gz_print_uint64((char *)out, corners[i] + 1);
    }
    *out++ = '\n';
    return out;
}

static graze_status write_name(obj_writer *writer, char statement, const char *name)
{
    char line[GZ_NAME_BYTES + 4];
    size_t length = strlen(name);
    line[0] = statement;
    line[1] = ' ';
    memcpy(line + 2, name, length);
    line[2 + length] = '\n';
    return gz_packer_write(writer->batches.packer, line, length + 3);
}

static void hold_name(obj_writer *writer, const char *name, char held[GZ_NAME_BYTES + 1])
{
    writer->name_changed |= gz_text_keep_name(name, held);
    size_t length = strlen(held);
    if (length != 0 && held[length - 1] == '\\') { // would continue the line
        held[length - 1] = '_';
        writer->name_changed = true;
    }
}

static graze_status write_names(obj_writer *writer, const graze_object *object, bool first)
{
    char name[GZ_NAME_BYTES + 1], group[GZ_NAME_BYTES + 1];
    hold_name(writer, object->name, name);
    hold_name(writer, object->group, group);
    if (first && name[0] == '\0' && group[0] == '\0')
        return GRAZE_OK;
    graze_status status = GRAZE_OK;
    const char *above = group[0] != '\0' ? group : name;
    if (above == name || !writer->any_above || strcmp(above, writer->above) != 0) {
        status = write_name(writer, 'o', above);
        memcpy(writer->above, above, strlen(above) + 1);
        writer->any_above = true;
    }
    if (status == GRAZE_OK && above == group)
        status = write_name(writer, 'g', name);
    return status;
}

static graze_status write_objects(obj_writer *writer)
{
    gz_flat *flat = &writer->batches.flat;
    gz_flat_walk walk;
    gz_flat_start(flat, &walk);
    graze_status status = GRAZE_OK;
    while (status == GRAZE_OK && gz_flat_next_object(flat, &walk)) {
        status = write_names(writer, &walk.object, walk.next_object == 1);
        if (status == GRAZE_OK)
            status = gz_batches_triangles(&writer->batches, &walk, put_face, NULL);
    }
    if (status == GRAZE_OK && writer->name_changed)
        gz_text_warn_names(writer->batches.context, flat->path);
    return status;
}

graze_status gz_write_obj(gz_packer *packer, graze_context *context, const graze_mesh_view *view,
                          const graze_mesh_write_def *def)
{
    (void)def; // there is one way only
    obj_writer writer = {.any_above = false};
    graze_status status = gz_batches_open(packer, context, view, &writer.batches);
    if (status != GRAZE_OK)
        return status;
    status = gz_batches_vertices(&writer.batches, put_vertex, NULL);
    if (status == GRAZE_OK)
        status = write_objects(&writer);
    if (status == GRAZE_OK)
        status = gz_packer_write(packer, END_MARK, sizeof END_MARK - 1);
    gz_batches_close(&writer.batches);
    return status;
}
