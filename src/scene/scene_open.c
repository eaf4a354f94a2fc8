// Opens scene files, and tells what their directories say. See scene_format.h.
//
// Nothing in a file is believed: sizes are compared with the file's before memory is taken for
// them, checksums are computed, and what passes is still checked for what it says. What a body says
// of itself is compared with the directory when it is opened.
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/context.h"
#include "base/knobs.h"
#include "geometry/pose.h"
#include "model/model_file.h"
#include "scene/scene_format.h"

static graze_status damaged(const gz_scene_file *file, uint64_t offset, const char *what)
{
    return gz_fail(file->context, GRAZE_ERROR_FORMAT, "%s: byte %" PRIu64 ": %s", file->path,
                   file->file.base + offset, what);
}

static uint64_t table_bytes(const gz_scene_header *h)
{
    return h->body_count * sizeof(gz_scene_body) + h->object_count * sizeof(gz_scene_entry);
}

static uint64_t sum_of(const gz_scene_header *h, const uint8_t *directory)
{
    const uint64_t part[] = {h->body_count * sizeof(gz_scene_body),
                             h->object_count * sizeof(gz_scene_entry), h->text_bytes};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; ++i) {
        if (part[i] == 0)
            continue;
        sum = gz_checksum(sum, directory, part[i]);
        directory += part[i];
    }
    return sum;
}

// Whether the directory is within the file and as large as its parts.
static bool directory_fits(const gz_scene_header *h, uint64_t byte_count)
{
    return h->directory_offset >= sizeof *h && h->directory_offset <= byte_count &&
           h->text_bytes <= byte_count &&
           table_bytes(h) + h->text_bytes == byte_count - h->directory_offset;
}

static graze_status check_header(const gz_scene_file *file)
{
    const gz_scene_header *h = &file->header;
    if (memcmp(h->magic, GZ_SCENE_MAGIC, sizeof GZ_SCENE_MAGIC) != 0)
        return damaged(file, 0, "this is not a scene");
    if (h->version != GZ_SCENE_VERSION)
        return gz_fail(file->context, GRAZE_ERROR_UNSUPPORTED,
                       "%s: the scene is of version %" PRIu32 ", and this program knows version %d"
                       ": build it again from its meshes",
                       file->path, h->version, GZ_SCENE_VERSION);
    if (h->own != gz_checksum(0, h, offsetof(gz_scene_header, own)))
        return damaged(file, offsetof(gz_scene_header, own),
                       "the header is damaged: its checksum is another one");
    if (h->file_bytes != file->file.byte_count)
        return gz_fail(file->context, GRAZE_ERROR_FORMAT,
                       "%s: byte %" PRIu64 ": the file ends here, but the scene has %" PRIu64
                       " bytes",
                       file->path, file->file.byte_count, h->file_bytes);
    if (h->body_count > UINT32_MAX / 2 || h->object_count > UINT32_MAX / 2 ||
        h->text_bytes > UINT32_MAX || !directory_fits(h, h->file_bytes))
        return damaged(file, 0, "the header makes no sense");
    if (!(h->metres_per_unit >= 0 && h->metres_per_unit < HUGE_VAL))
        return damaged(file, offsetof(gz_scene_header, metres_per_unit),
                       "the scene's unit makes no sense");
    for (size_t i = 0; i < sizeof h->more_unused / sizeof *h->more_unused; ++i)
        if (h->more_unused[i] != 0 || h->unused != 0)
            return damaged(file, 0, "the header makes no sense");
    return GRAZE_OK;
}

static uint64_t offset_in_file(const gz_scene_file *file, const void *item)
{
    return file->header.directory_offset + (uint64_t)((const uint8_t *)item - file->directory);
}

// Bodies stand one behind the other, from the header to the directory.
static graze_status check_bodies(const gz_scene_file *file)
{
    uint64_t offset = sizeof file->header, end = file->header.directory_offset;
    for (uint32_t i = 0; i < file->header.body_count; ++i) {
        const gz_scene_body *body = &file->bodies[i];
        uint64_t left = end - offset;
        bool sound = body->offset == offset && body->model_bytes >= sizeof(gz_model_header) &&
                     body->model_bytes <= left &&
                     body->point_count <= (left - body->model_bytes) / GZ_SCENE_POINT_BYTES &&
                     body->point_count <= body->triangle_count &&
                     (body->point_count == 0) == (body->triangle_count == 0) &&
                     body->triangle_count < UINT64_C(1) << 31 &&
                     body->cluster_count <= body->triangle_count && body->closed <= 1 &&
                     (body->precision == GRAZE_FLOAT32 || body->precision == GRAZE_FLOAT64);
        for (int axis = 0; axis < 3; ++axis)
            sound = sound && isfinite(body->box[axis]) && isfinite(body->box[3 + axis]) &&
                    body->box[axis] <= body->box[3 + axis];
        if (!sound)
            return damaged(file, offset_in_file(file, body), "a body in the table makes no sense");
        offset += gz_scene_body_bytes(body);
    }
    return offset == end ? GRAZE_OK
                         : damaged(file, file->header.directory_offset,
                                   "the table of bodies does not add up");
}

static graze_status check_objects(const gz_scene_file *file)
{
    const gz_scene_header *h = &file->header;
    if (h->text_bytes != 0 && file->texts[h->text_bytes - 1] != '\0')
        return damaged(file, h->file_bytes - 1, "the texts do not end");
    for (uint32_t i = 0; i < h->object_count; ++i) {
        const gz_scene_entry *entry = &file->objects[i];
        if (entry->name >= h->text_bytes || entry->group >= h->text_bytes)
            return damaged(file, offset_in_file(file, entry), "an object's name is not there");
        if (entry->body >= h->body_count || entry->unused != 0)
            return damaged(file, offset_in_file(file, entry), "an object makes no sense");
        if (!gz_pose_sound(&entry->pose))
            return damaged(file, offset_in_file(file, entry),
                           "an object's pose is not a rotation and a translation");
        const gz_scene_body *body = &file->bodies[entry->body];
        if (body->triangle_count != 0 &&
            gz_pose_might_overflow(&entry->pose, body->box, body->box + 3))
            return damaged(file, offset_in_file(file, entry),
                           "an object's place is beyond the range of double");
    }
    return GRAZE_OK;
}

static graze_status read_directory(gz_scene_file *file)
{
    gz_scene_header *h = &file->header;
    uint64_t bytes = h->file_bytes - h->directory_offset;
    file->directory = gz_allocate(file->context, bytes);
    if (file->directory == NULL && bytes != 0)
        return gz_fail(file->context, GRAZE_ERROR_MEMORY,
                       "%s: out of memory for %" PRIu32 " objects", file->path, h->object_count);
    file->directory_bytes = bytes;
    graze_status status = GRAZE_OK;
    if (bytes != 0)
        status = gz_file_read_at(&file->file, h->directory_offset, file->directory, bytes);
    if (status == GRAZE_OK && h->directory_sum != sum_of(h, file->directory))
        status = damaged(file, h->directory_offset,
                         "the directory is damaged: its checksum is another one");
    if (status != GRAZE_OK || bytes == 0)
        return status;
    file->bodies = (const gz_scene_body *)file->directory;
    file->objects =
        (const gz_scene_entry *)(file->directory + h->body_count * sizeof(gz_scene_body));
    file->texts = (const char *)file->directory + table_bytes(h);
    status = check_bodies(file);
    return status == GRAZE_OK ? check_objects(file) : status;
}

static graze_status read_scene(gz_scene_file *file)
{
    if (GZ_HOST_BIG_ENDIAN)
        return gz_fail(file->context, GRAZE_ERROR_UNSUPPORTED,
                       "scenes are built and opened on little-endian machines only");
    if (!file->file.seekable)
        return gz_fail(file->context, GRAZE_ERROR_IO,
                       "%s: a scene is read at any place, so it cannot come through a pipe",
                       file->path);
    if (file->file.byte_count < sizeof file->header)
        return damaged(file, file->file.byte_count, "this is not a scene: it is too short");
    graze_status status = gz_file_read_at(&file->file, 0, &file->header, sizeof file->header);
    if (status == GRAZE_OK)
        status = check_header(file);
    if (status == GRAZE_OK)
        status = read_directory(file);
    if (status == GRAZE_OK && !gz_scene_pins_make(file))
        status =
            gz_fail(file->context, GRAZE_ERROR_MEMORY, "%s: out of memory for %" PRIu32 " bodies",
                    file->path, file->header.body_count);
    return status;
}

// `given` NULL: the file of the path.
static graze_status open_scene(graze_context *context, const char *path, gz_file *given,
                               gz_scene_file **file)
{
    gz_scene_file *made = gz_allocate(context, sizeof *made);
    *file = NULL;
    if (made != NULL) {
        *made = (gz_scene_file){.context = context, .path = gz_string_copy(context, path)};
        pthread_mutex_init(&made->lock, NULL);
        pthread_cond_init(&made->change, NULL);
    }
    if (made == NULL || made->path == NULL) {
        if (given != NULL)
            gz_file_close(given);
        gz_scene_file_free(made);
        return gz_fail(context, GRAZE_ERROR_MEMORY, "%s: out of memory", path);
    }
    graze_status status = GRAZE_OK;
    if (given != NULL)
        made->file = *given;
    else
        status = gz_file_open(context, made->path, &made->file);
    made->file.path = made->path;
    if (status == GRAZE_OK && GZ_KNOB(context, direct_reads) && made->file.memory == NULL)
        status = gz_file_make_direct(&made->file);
    if (status == GRAZE_OK)
        status = read_scene(made);
    if (status == GRAZE_OK)
        *file = made;
    else
        gz_scene_file_free(made);
    return status;
}

graze_status gz_scene_file_open_file(graze_context *context, const char *path, gz_file *file,
                                     gz_scene_file **scene)
{
    return open_scene(context, path, file, scene);
}

graze_status gz_scene_file_open(graze_context *context, const char *path, gz_scene_file **file)
{
    return open_scene(context, path, NULL, file);
}

graze_status gz_scene_file_open_memory(graze_context *context, const char *name, const void *bytes,
                                       uint64_t byte_count, gz_scene_file **file)
{
    gz_file memory;
    gz_file_open_memory(context, name, bytes, byte_count, &memory);
    return open_scene(context, name, &memory, file);
}

void gz_scene_file_free(gz_scene_file *file)
{
    if (file == NULL)
        return;
    gz_scene_pins_free(file);
    gz_file_close(&file->file);
    gz_release(file->context, file->directory, file->directory_bytes);
    pthread_cond_destroy(&file->change);
    pthread_mutex_destroy(&file->lock);
    gz_string_free(file->context, file->path);
    gz_release(file->context, file, sizeof *file);
}

const char *gz_scene_file_path(const gz_scene_file *file) { return file->path; }

gz_scene_file_info gz_scene_file_get_info(gz_scene_file *file)
{
    const gz_scene_header *h = &file->header;
    gz_scene_file_info info = {
        .version = h->version,
        .object_count = h->object_count,
        .body_count = h->body_count,
        .metres_per_unit = h->metres_per_unit,
        .losses = {h->losses[0], h->losses[1], h->losses[2], h->losses[3], h->losses[4]},
        .file_bytes = h->file_bytes,
    };
    for (uint32_t i = 0; i < h->body_count; ++i)
        info.stored_count += file->bodies[i].triangle_count;
    pthread_mutex_lock(&file->lock);
    info.resident_bytes =
        sizeof *file + strlen(file->path) + 1 + file->directory_bytes +
        h->body_count * (sizeof *file->bundle_first + sizeof *file->open + sizeof *file->bundles) +
        file->open_bytes;
    info.read_count = file->read_count;
    pthread_mutex_unlock(&file->lock);
    return info;
}

gz_file_object gz_scene_file_object(const gz_scene_file *file, uint32_t number)
{
    GZ_ASSERT(number < file->header.object_count);
    const gz_scene_entry *entry = &file->objects[number];
    return (gz_file_object){.name = file->texts + entry->name,
                            .group = file->texts + entry->group,
                            .body = entry->body,
                            .pose = entry->pose};
}

gz_body_info gz_scene_file_body(const gz_scene_file *file, uint32_t number)
{
    GZ_ASSERT(number < file->header.body_count);
    const gz_scene_body *body = &file->bodies[number];
    gz_body_info info = {.triangle_count = body->triangle_count,
                         .hash = body->hash,
                         .file_bytes = gz_scene_body_bytes(body),
                         .component_count = body->point_count,
                         .cluster_count = body->cluster_count,
                         .box = graze_box_empty(),
                         .closed = body->closed != 0,
                         .precision = (graze_precision)body->precision};
    for (int axis = 0; axis < 3 && body->triangle_count != 0; ++axis) {
        info.box.min[axis] = body->box[axis];
        info.box.max[axis] = body->box[3 + axis];
    }
    return info;
}

void gz_scene_file_seal(uint8_t *bytes, uint64_t byte_count)
{
    gz_scene_header h;
    if (byte_count < sizeof h)
        return;
    memcpy(&h, bytes, sizeof h);
    if (directory_fits(&h, byte_count))
        h.directory_sum = sum_of(&h, bytes + h.directory_offset);
    h.own = gz_checksum(0, &h, offsetof(gz_scene_header, own));
    memcpy(bytes, &h, sizeof h);
}
