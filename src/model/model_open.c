// Opens models and reads their clusters and objects. See model_file.h.
//
// Nothing in a file is believed: sizes are compared with the file's before memory is taken for
// them, checksums are computed, and what passes is still checked for what it says.
#include <fcntl.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/context.h"
#include "base/knobs.h"
#include "geometry/rounding.h"
#include "model/lod_cut.h"
#include "model/page_cache.h"

static graze_status damaged(const graze_model *model, uint64_t offset, const char *what)
{
    return gz_fail(model->context, GRAZE_ERROR_FORMAT, "%s: byte %" PRIu64 ": %s", model->path,
                   model->file.base + offset, what);
}

void gz_model_origin(const gz_model_header *header, double origin[3])
{
    for (int axis = 0; axis < 3; ++axis)
        origin[axis] = 0.5 * header->box[axis] + 0.5 * header->box[3 + axis];
}

// A difference of two doubles is off by half an ulp of it, which is far less than an ulp of a
// float; the next float holds it. Beyond the range of floats boxes are infinite: they end where the
// model's box does.
gz_cluster_entry gz_cluster_entry_make(const gz_cluster *cluster, const double origin[3])
{
    graze_box box = gz_cluster_box(cluster);
    gz_cluster_entry entry = {.triangle_count = (uint16_t)cluster->triangle_count,
                              .vertex_count = (uint16_t)cluster->vertex_count};
    for (int axis = 0; axis < 3; ++axis) {
        entry.low[axis] = gz_step_down(gz_round_down(box.min[axis] - origin[axis]));
        entry.high[axis] = -gz_step_down(gz_round_down(origin[axis] - box.max[axis]));
    }
    return entry;
}

static graze_status check_header(const graze_model *model)
{
    const gz_model_header *h = &model->header;
    if (memcmp(h->magic, GZ_MODEL_MAGIC, sizeof GZ_MODEL_MAGIC) != 0)
        return damaged(model, 0,
                       memcmp(h->magic, GZ_SCENE_MAGIC, sizeof GZ_SCENE_MAGIC) == 0
                           ? "this is a scene, which keeps many objects apart, not a model"
                           : "this is not a model");
    if (h->version != GZ_MODEL_VERSION)
        return gz_fail(model->context, GRAZE_ERROR_UNSUPPORTED,
                       "%s: the model is of version %" PRIu32 ", and this program knows version %d"
                       ": build it again from its mesh",
                       model->path, h->version, GZ_MODEL_VERSION);
    if (h->own != gz_checksum(0, h, offsetof(gz_model_header, own)))
        return damaged(model, offsetof(gz_model_header, own),
                       "the header is damaged: its checksum is another one");
    if (h->file_bytes != model->file.byte_count)
        return gz_fail(model->context, GRAZE_ERROR_FORMAT,
                       "%s: byte %" PRIu64 ": the file ends here, but the model has %" PRIu64
                       " bytes",
                       model->path, model->file.base + model->file.byte_count, h->file_bytes);
    uint64_t list_end, object_end;
    if ((h->precision != GRAZE_FLOAT32 && h->precision != GRAZE_FLOAT64) ||
        h->triangle_count >= UINT64_C(1) << 31 || h->cluster_count > h->triangle_count ||
        h->object_count > UINT32_MAX / 2 || h->list_offset < sizeof *h ||
        h->level_count > GZ_LEVELS_MOST || !gz_lists_fit(h) ||
        !gz_add(h->list_offset, h->list_bytes, &list_end) || h->object_offset != list_end ||
        !gz_add(h->object_offset, h->object_bytes, &object_end) || object_end != h->file_bytes ||
        h->object_bytes == 0 || h->object_room > h->object_bytes * GZ_OBJECTS_MOST_RATIO ||
        h->object_count * (uint64_t)GZ_OBJECT_LEAST_BYTES > h->object_room)
        return damaged(model, 0, "the header makes no sense");
    for (int axis = 0; axis < 3; ++axis)
        if (!(isfinite(h->box[axis]) && isfinite(h->box[3 + axis]) &&
              h->box[axis] <= h->box[3 + axis]))
            return damaged(model, offsetof(gz_model_header, box), "the model's box makes no sense");
    if (!(h->metres_per_unit >= 0 && h->metres_per_unit < HUGE_VAL))
        return damaged(model, offsetof(gz_model_header, metres_per_unit),
                       "the model's unit makes no sense");
    return GRAZE_OK;
}

static graze_status out_of_memory(const graze_model *model)
{
    return gz_fail(model->context, GRAZE_ERROR_MEMORY, "%s: out of memory for %" PRIu32 " clusters",
                   model->path, model->header.cluster_count);
}

static graze_status join_cache(graze_model *model)
{
    uint64_t limit = model->context->def.cache_byte_limit;
    if (limit != 0 && limit < GZ_CACHE_RESERVED_BYTES)
        return gz_fail(model->context, GRAZE_ERROR_ARGUMENT,
                       "a cache for models takes at least %" PRIu64 " MiB, not %" PRIu64 " bytes",
                       GZ_CACHE_RESERVED_BYTES >> 20, limit);
    model->cache = gz_cache_take(model->context);
    return model->cache == NULL ? out_of_memory(model) : GRAZE_OK;
}

static bool make_boxes(graze_model *model)
{
    gz_part_boxes *boxes = &model->boxes;
    const double *ends = model->header.box;
    graze_box whole = {{ends[0], ends[1], ends[2]}, {ends[3], ends[4], ends[5]}};
    if (!gz_part_boxes_make(model->context, model->origin, &whole, model->header.cluster_count,
                            boxes))
        return false;
    for (uint32_t i = 0; i < model->header.cluster_count; ++i)
        gz_part_boxes_set(boxes, i, model->clusters[i].low, model->clusters[i].high);
    gz_part_boxes_join(boxes, 0, boxes->count[0]);
    return true;
}

static graze_status read_model(graze_model *model)
{
    gz_model_header *h = &model->header;
    if (!model->file.seekable)
        return gz_fail(model->context, GRAZE_ERROR_IO,
                       "%s: a model is read at any place, so it "
                       "cannot come through a pipe",
                       model->path);
    if (model->file.byte_count < sizeof *h)
        return damaged(model, model->file.byte_count, "this is not a model: it is too short");
    graze_status status = gz_file_read_at(&model->file, 0, h, sizeof *h);
    if (status == GRAZE_OK)
        status = check_header(model);
    if (status != GRAZE_OK)
        return status;
    gz_model_origin(h, model->origin);
    status = gz_lists_read(model);
    if (status == GRAZE_OK && !make_boxes(model))
        status = out_of_memory(model);
    return status == GRAZE_OK ? join_cache(model) : status;
}

int graze_model_recognise(const char *path)
{
    return path != NULL && gz_file_begins(path, GZ_MODEL_MAGIC, sizeof GZ_MODEL_MAGIC);
}

graze_status gz_model_open_file(graze_context *context, const char *path, const gz_file *file,
                                graze_model **model)
{
    *model = NULL;
    if (GZ_HOST_BIG_ENDIAN)
        return gz_fail(context, GRAZE_ERROR_UNSUPPORTED,
                       "models are built and opened on little-endian machines only");
    graze_model *made = gz_allocate(context, sizeof *made);
    if (made == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "graze_model_open: out of memory");
    *made = (graze_model){.context = context, .path = gz_string_copy(context, path)};
    made->serial = atomic_fetch_add(&context->serial, 1) + 1;
    pthread_mutex_init(&made->object_lock, NULL);
    graze_status status = GRAZE_OK;
    if (made->path == NULL || !gz_lod_cuts_make(made))
        status = gz_fail(context, GRAZE_ERROR_MEMORY, "%s: out of memory", path);
    else if (file != NULL)
        made->file = *file;
    else
        status = gz_file_open(context, made->path, &made->file);
    made->file.path = made->path;
    if (status == GRAZE_OK && GZ_KNOB(context, direct_reads) && file == NULL)
        status = gz_file_make_direct(&made->file);
    if (status == GRAZE_OK)
        status = read_model(made);
    if (status == GRAZE_OK)
        *model = made;
    else
        graze_model_free(made);
    return status;
}

graze_status gz_model_open_memory(graze_context *context, const char *name, const void *bytes,
                                  uint64_t byte_count, graze_model **model)
{
    gz_file file;
    gz_file_open_memory(context, name, bytes, byte_count, &file);
    return gz_model_open_file(context, name, &file, model);
}

graze_status graze_model_open(graze_context *context, const char *path, graze_model **model)
{
    if (model != NULL)
        *model = NULL;
    if (context == NULL || path == NULL || model == NULL)
        return gz_fail_null(context, "graze_model_open");
    return gz_model_open_file(context, path, NULL, model);
}

void graze_model_free(graze_model *model)
{
    if (model == NULL)
        return;
    graze_context *context = model->context;
    if (model->cache != NULL) {
        gz_cache_forget(model);
        gz_cache_give(context);
    }
    gz_file_close(&model->file);
    gz_lod_cuts_free(model);
    gz_part_boxes_free(context, &model->boxes);
    gz_lists_free(model);
    gz_model_free_objects(context, &model->objects);
    pthread_mutex_destroy(&model->object_lock);
    gz_string_free(context, model->path);
    gz_release(context, model, sizeof *model);
}

graze_status graze_model_get_objects(graze_model *model, const graze_object **objects,
                                     uint64_t *object_count)
{
    if (model == NULL || objects == NULL || object_count == NULL)
        return gz_fail_null(model == NULL ? NULL : model->context, "graze_model_get_objects");
    graze_status status = GRAZE_OK;
    pthread_mutex_lock(&model->object_lock);
    if (!model->objects_read)
        status = gz_model_read_objects(model, &model->objects);
    model->objects_read = status == GRAZE_OK;
    *objects = model->objects.objects;
    *object_count = model->objects.object_count;
    pthread_mutex_unlock(&model->object_lock);
    return status;
}

graze_cache_use graze_model_cache_use(const graze_model *model)
{
    return gz_cache_get_use(model->cache);
}

graze_model_info graze_model_get_info(const graze_model *model)
{
    const gz_model_header *h = &model->header;
    graze_model_info info = {
        .version = h->version,
        .precision = (graze_precision)h->precision,
        .metres_per_unit = h->metres_per_unit,
        .triangle_count = h->triangle_count,
        .cluster_count = h->cluster_count,
        .page_count = (uint64_t)h->cluster_count + h->coarse_count + h->group_count,
        .object_count = h->object_count,
        .file_bytes = h->file_bytes,
        .page_bytes = h->list_offset - sizeof *h,
        .resident_bytes = sizeof *model + strlen(model->path) + 1 + gz_lists_bytes(model) +
                          gz_lod_cuts_bytes(model) + gz_part_boxes_bytes(&model->boxes),
        .box = graze_box_empty(),
        .losses = {h->losses[0], h->losses[1], h->losses[2], h->losses[3], h->losses[4]},
    };
    for (int axis = 0; axis < 3 && h->triangle_count != 0; ++axis) {
        info.box.min[axis] = h->box[axis];
        info.box.max[axis] = h->box[3 + axis];
    }
    return info;
}

// What is wrong with a cluster that was read, compared with the list and the header. Coarser levels
// have vertices of the finest.
static const char *compare_with_list(const graze_model *model, uint32_t number,
                                     const gz_cluster *cluster)
{
    const gz_cluster_entry *entry = &model->clusters[number];
    const double *whole = model->header.box;
    graze_box box = gz_cluster_box(cluster);
    if (cluster->triangle_count != entry->triangle_count ||
        cluster->vertex_count != entry->vertex_count)
        return "the page has another number of triangles or vertices than the list of clusters";
    gz_cluster_entry fits = gz_cluster_entry_make(cluster, model->origin);
    for (int axis = 0; axis < 3; ++axis)
        if (!(fits.low[axis] >= entry->low[axis] && fits.high[axis] <= entry->high[axis]))
            return "the page has triangles outside the box of its cluster";
    for (int axis = 0; axis < 3; ++axis)
        if (!(box.min[axis] >= whole[axis] && box.max[axis] <= whole[3 + axis]))
            return "the page has triangles outside the model's box";
    return NULL;
}

static graze_status unpack_cluster(const graze_model *model, uint32_t number, const uint8_t *bytes,
                                   gz_page_reader *reader, gz_cluster *cluster, const char **wrong)
{
    const gz_cluster_entry *entry = &model->clusters[number];
    *wrong =
        gz_cluster_read(bytes, entry->byte_count, number, (graze_precision)model->header.precision,
                        model->header.triangle_count, reader, cluster);
    if (*wrong == NULL)
        *wrong = compare_with_list(model, number, cluster);
    return *wrong == NULL ? GRAZE_OK : GRAZE_ERROR_FORMAT;
}

graze_status gz_model_try_cluster(graze_model *model, uint32_t number, gz_page_reader *reader,
                                  gz_byte_list *bytes, gz_cluster *cluster, const char **wrong)
{
    const gz_cluster_entry *entry = &model->clusters[number];
    *wrong = NULL;
    bytes->count = 0;
    if (!gz_list_reserve(model->context, bytes, entry->byte_count))
        return gz_fail(model->context, GRAZE_ERROR_MEMORY, "%s: out of memory for a page",
                       model->path);
    graze_status status =
        gz_file_read_at(&model->file, model->offsets[number], bytes->items, entry->byte_count);
    if (status != GRAZE_OK)
        return status;
    return unpack_cluster(model, number, bytes->items, reader, cluster, wrong);
}

graze_status gz_model_page_fails(graze_model *model, uint32_t number, const char *wrong)
{
    return gz_fail(model->context, GRAZE_ERROR_FORMAT, "%s: byte %" PRIu64 ": page %" PRIu32 ": %s",
                   model->path, model->file.base + model->offsets[number], number, wrong);
}

graze_status gz_model_read_cluster(graze_model *model, uint32_t number, const uint8_t *page,
                                   gz_page_reader *reader, gz_byte_list *bytes, gz_cluster *cluster)
{
    const char *wrong;
    graze_status status = page != NULL
                              ? unpack_cluster(model, number, page, reader, cluster, &wrong)
                              : gz_model_try_cluster(model, number, reader, bytes, cluster, &wrong);
    return wrong == NULL ? status : gz_model_page_fails(model, number, wrong);
}

// Texts are within the section and end in it.
static const char *check_objects(const gz_model_header *h, const uint8_t *bytes)
{
    uint64_t entries = h->object_count * sizeof(gz_object_entry), sum = 0;
    if (h->object_count != 0 && bytes[h->object_room - 1] != 0)
        return "the objects make no sense";
    for (uint32_t i = 0; i < h->object_count; ++i) {
        gz_object_entry entry;
        memcpy(&entry, bytes + i * sizeof entry, sizeof entry);
        if (entry.name >= h->object_room - entries || entry.group >= h->object_room - entries)
            return "an object's name is not there";
        if (entry.triangle_count > h->triangle_count - sum)
            return "the objects have more triangles than the model";
        sum += entry.triangle_count;
    }
    return sum == h->triangle_count ? NULL : "the objects have fewer triangles than the model";
}

static graze_status no_memory_for_objects(const graze_model *model)
{
    return gz_fail(model->context, GRAZE_ERROR_MEMORY, "%s: out of memory for objects",
                   model->path);
}

static graze_status unpack_objects(graze_model *model, gz_model_objects *out)
{
    const gz_model_header *h = &model->header;
    gz_section_unpacker unpacker = {0};
    uint8_t *packed = gz_allocate(model->context, h->object_bytes);
    graze_status status = GRAZE_OK;
    if (packed == NULL || !gz_section_unpacker_init(model->context, &unpacker))
        status = no_memory_for_objects(model);
    if (status == GRAZE_OK)
        status = gz_file_read_at(&model->file, h->object_offset, packed, h->object_bytes);
    if (status == GRAZE_OK && gz_checksum(0, packed, h->object_bytes) != h->object_sum)
        status = damaged(model, h->object_offset,
                         "the objects are damaged: their checksum is another one");
    gz_section_reader from = {packed, packed + h->object_bytes};
    if (status == GRAZE_OK &&
        (!gz_section_read(&unpacker, &from, out->block, h->object_room) || from.next != from.end))
        status = damaged(model, h->object_offset, "the objects do not unpack");
    gz_section_unpacker_free(&unpacker);
    gz_release(model->context, packed, h->object_bytes);
    return status;
}

static void list_objects(const gz_model_header *h, gz_model_objects *out)
{
    const uint8_t *bytes = out->block;
    const char *texts = (const char *)bytes + h->object_count * sizeof(gz_object_entry);
    uint64_t first = 0;
    for (uint32_t i = 0; i < h->object_count; ++i) {
        gz_object_entry entry;
        memcpy(&entry, bytes + i * sizeof entry, sizeof entry);
        out->objects[i] = (graze_object){.name = texts + entry.name,
                                         .group = texts + entry.group,
                                         .first_triangle = first,
                                         .triangle_count = entry.triangle_count};
        for (int axis = 0; axis < 3; ++axis)
            out->objects[i].matrix[5 * axis] = 1;
        first += entry.triangle_count;
    }
}

graze_status gz_model_read_objects(graze_model *model, gz_model_objects *out)
{
    const gz_model_header *h = &model->header;
    *out = (gz_model_objects){.object_count = h->object_count, .block_bytes = h->object_room};
    out->block = gz_allocate(model->context, out->block_bytes);
    graze_status status = GRAZE_OK;
    if (out->block == NULL && h->object_room != 0)
        status = no_memory_for_objects(model);
    if (status == GRAZE_OK)
        status = unpack_objects(model, out);
    const char *wrong = status == GRAZE_OK ? check_objects(h, out->block) : NULL;
    if (wrong != NULL)
        status = damaged(model, h->object_offset, wrong);
    if (status == GRAZE_OK) { // the count is true, so now memory may be taken for it
        out->objects = GZ_NEW_ARRAY(model->context, graze_object, out->object_count);
        if (out->objects == NULL && h->object_count != 0)
            status = no_memory_for_objects(model);
    }
    if (status == GRAZE_OK)
        list_objects(h, out);
    else
        gz_model_free_objects(model->context, out);
    return status;
}

void gz_model_free_objects(graze_context *context, gz_model_objects *objects)
{
    GZ_FREE_ARRAY(context, objects->objects, objects->object_count);
    gz_release(context, objects->block, objects->block_bytes);
    *objects = (gz_model_objects){0};
}
