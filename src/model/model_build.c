// Builds models. See graze/model.h.
//
// The way: stream -> soup -> sorted by place -> buckets -> clusters -> pages -> levels of detail,
// see levels.h. Buckets are worked on several at a time, and their pages written in order.
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/context.h"
#include "base/def.h"
#include "base/knobs.h"
#include "base/threads.h"
#include "model/decompose.h"
#include "model/levels.h"
#include "model/model_file.h"

#define DEFAULT_MEMORY (UINT64_C(512) << 20)
#define WORKER_BYTES   (sizeof(gz_bucket_cut) + (UINT64_C(2) << 20)) // beside its bucket
#define READER_BYTES   (UINT64_C(16) << 20) // what reading takes beside the soup

// One bucket at work.
typedef struct worker {
    gz_bucket bucket;
    gz_bucket_cut *cut;
    gz_cluster *cluster;
    const uint8_t **records; // of the cluster at hand
    gz_page_writer writer;
    gz_byte_list pages;
    GZ_LIST(gz_cluster_entry) entries;
    gz_byte_list rims; // for gz_seams_add
    uint32_t first;    // number of its first cluster
    bool failed;       // out of memory
    bool told;         // which has been said
} worker;

typedef struct build {
    graze_context *context;
    gz_model_header header;
    graze_precision precision;
    gz_output *output;
    gz_bucket_stream stream;
    worker *workers;
    uint32_t worker_count;
    gz_levels levels;
    uint64_t done;   // triangles
    uint64_t memory; // for workers
    uint32_t cluster_limit;
    bool no_levels;
} build;

static graze_status out_of_memory(graze_context *context)
{
    return gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory while building a model");
}

static void free_workers(build *b)
{
    graze_context *context = b->context;
    for (uint32_t i = 0; b->workers != NULL && i < b->worker_count; ++i) {
        worker *w = &b->workers[i];
        gz_release(context, w->bucket.records,
                   (uint64_t)GZ_BUCKET_ROOM * gz_soup_record_bytes(b->precision));
        gz_release(context, w->cut, sizeof *w->cut);
        gz_release(context, w->cluster, sizeof *w->cluster);
        GZ_FREE_ARRAY(context, w->records, GZ_CLUSTER_TRIANGLES);
        gz_page_writer_free(&w->writer);
        gz_list_free(context, &w->pages);
        gz_list_free(context, &w->entries);
        gz_list_free(context, &w->rims);
    }
    GZ_FREE_ARRAY(context, b->workers, b->worker_count);
    b->workers = NULL;
}

static bool make_workers(build *b)
{
    graze_context *context = b->context;
    uint64_t most =
        b->memory / (WORKER_BYTES + (uint64_t)GZ_BUCKET_ROOM * gz_soup_record_bytes(b->precision));
    most = most < context->def.thread_count ? most : context->def.thread_count;
    b->worker_count = most < 1 ? 1 : (uint32_t)most;
    b->workers = GZ_NEW_ARRAY(context, worker, b->worker_count);
    if (b->workers == NULL)
        return false;
    memset(b->workers, 0, b->worker_count * sizeof *b->workers);
    bool made = true;
    for (uint32_t i = 0; i < b->worker_count; ++i) {
        worker *w = &b->workers[i];
        w->bucket.records =
            gz_allocate_array(context, GZ_BUCKET_ROOM, gz_soup_record_bytes(b->precision));
        w->cut = gz_allocate(context, sizeof *w->cut);
        w->cluster = gz_allocate(context, sizeof *w->cluster);
        w->records = GZ_NEW_ARRAY(context, const uint8_t *, GZ_CLUSTER_TRIANGLES);
        made &= gz_page_writer_init(context, &w->writer) && w->bucket.records != NULL &&
                w->cut != NULL && w->cluster != NULL && w->records != NULL;
    }
    return made;
}

// Splits a bucket and makes its pages. They need their numbers, which are known beforehand: how
// many clusters a bucket gives depends on its size only.
static void work_on_bucket(void *data, uint32_t index)
{
    build *b = data;
    worker *w = &b->workers[index];
    uint64_t record_bytes = gz_soup_record_bytes(b->precision);
    w->pages.count = w->entries.count = w->rims.count = 0;
    if (w->bucket.count == 0)
        return;
    gz_bucket_split(&w->bucket, b->precision, b->cluster_limit, w->cut);
    GZ_ASSERT(w->cut->cluster_count == gz_bucket_clusters(w->bucket.count, b->cluster_limit));
    for (uint32_t c = 0; c < w->cut->cluster_count && !w->failed; ++c) {
        uint32_t first = w->cut->first[c], count = w->cut->first[c + 1] - first;
        for (uint32_t i = 0; i < count; ++i)
            w->records[i] = w->bucket.records + w->cut->order[0][first + i] * record_bytes;
        gz_cluster_gather(w->cluster, b->precision, w->records, count);
        w->failed = w->told = gz_cluster_keep_recipe(b->context, w->cluster) != GRAZE_OK;
        uint64_t start = w->pages.count;
        gz_cluster_entry *entry = gz_list_push(b->context, &w->entries, 1);
        if (w->failed || entry == NULL ||
            !gz_cluster_write(w->cluster, w->first + c, &w->writer, &w->pages) ||
            !gz_seams_find(b->context, w->cluster, c, &w->rims)) {
            w->failed = true;
            break;
        }
        *entry = gz_cluster_entry_make(w->cluster, b->levels.origin);
        entry->byte_count = (uint32_t)(w->pages.count - start);
    }
}

static graze_status keep_clusters(build *b, const worker *w)
{
    gz_levels *l = &b->levels;
    const gz_cluster_entry *from = w->entries.items;
    uint64_t offset = gz_output_tell(b->output), count = w->entries.count;
    gz_cluster_entry *entries = gz_list_push(b->context, &l->clusters, count);
    uint64_t *offsets = gz_list_push(b->context, &l->offsets, count);
    gz_bounds *bounds = gz_list_push(b->context, &l->bounds, count);
    if (entries == NULL || offsets == NULL || bounds == NULL)
        return out_of_memory(b->context);
    for (uint64_t i = 0; i < count; ++i) {
        entries[i] = from[i];
        offsets[i] = offset;
        offset += from[i].byte_count;
        bounds[i] = (gz_bounds){0, 0};
    }
    GZ_ASSERT(offset == gz_output_tell(b->output) + w->pages.count);
    return GRAZE_OK;
}

static graze_status write_batch(build *b)
{
    graze_status status = GRAZE_OK;
    for (uint32_t i = 0; i < b->worker_count && status == GRAZE_OK; ++i) {
        worker *w = &b->workers[i];
        if (w->failed)
            return w->told ? GRAZE_ERROR_MEMORY : out_of_memory(b->context);
        if (w->bucket.count == 0)
            continue;
        GZ_ASSERT(w->first == b->levels.clusters.count);
        status = keep_clusters(b, w);
        if (status == GRAZE_OK)
            status = gz_output_write(b->output, w->pages.items, w->pages.count);
        if (status == GRAZE_OK)
            status = gz_seams_add(&b->levels.seams, &w->rims, w->first);
        b->done += w->bucket.count;
    }
    if (status == GRAZE_OK)
        status =
            gz_checkpoint(b->context, "building", "triangles", b->done, b->header.triangle_count);
    return status;
}

static graze_status make_clusters(build *b)
{
    graze_status status = GRAZE_OK;
    for (bool more = true; more && status == GRAZE_OK;) {
        uint32_t first = (uint32_t)b->levels.clusters.count;
        for (uint32_t i = 0; i < b->worker_count && status == GRAZE_OK; ++i) {
            worker *w = &b->workers[i];
            status = gz_bucket_stream_next(&b->stream, &w->bucket);
            w->first = first;
            first += gz_bucket_clusters(w->bucket.count, b->cluster_limit);
            more = w->bucket.count != 0;
        }
        if (status != GRAZE_OK)
            break;
        gz_parallel(b->context, b->worker_count, work_on_bucket, b);
        status = write_batch(b);
    }
    return status;
}

// The objects as one stretch of bytes: entries, then texts.
static bool list_objects(const gz_soup *soup, gz_byte_list *out)
{
    const graze_object *objects = soup->objects.items;
    uint64_t count = soup->objects.count, text = 0;
    for (uint64_t i = 0; i < count; ++i) {
        void *entry = gz_list_push(soup->context, out, sizeof(gz_object_entry));
        if (entry == NULL)
            return false;
        gz_object_entry made = {.triangle_count = objects[i].triangle_count,
                                .name = (uint32_t)text};
        text += strlen(objects[i].name) + 1;
        made.group = (uint32_t)text;
        text += strlen(objects[i].group) + 1;
        memcpy(entry, &made, sizeof made);
    }
    for (uint64_t i = 0; i < 2 * count && text <= UINT32_MAX; ++i) {
        const char *from = i % 2 == 0 ? objects[i / 2].name : objects[i / 2].group;
        uint64_t bytes = strlen(from) + 1;
        void *to = gz_list_push(soup->context, out, bytes);
        if (to == NULL)
            return false;
        memcpy(to, from, (size_t)bytes);
    }
    return text <= UINT32_MAX;
}

static graze_status write_objects(build *b, const gz_soup *soup)
{
    gz_byte_list plain = {0}, packed = {0};
    gz_section_packer packer = {0};
    bool made = list_objects(soup, &plain) && gz_section_packer_init(b->context, &packer) &&
                plain.count <= UINT32_MAX &&
                gz_section_append(&packer, &packed, plain.items, plain.count);
    if (made && plain.count > packed.count * GZ_OBJECTS_MOST_RATIO) {
        packed.count = 0;
        made = gz_section_append_plain(&packer, &packed, plain.items, plain.count);
    }
    graze_status status = made ? GRAZE_OK : out_of_memory(b->context);
    b->header.object_offset = gz_output_tell(b->output);
    b->header.object_bytes = packed.count;
    b->header.object_room = plain.count;
    if (made) {
        b->header.object_sum = gz_checksum(0, packed.items, packed.count);
        status = gz_output_write(b->output, packed.items, packed.count);
    }
    gz_section_packer_free(&packer);
    gz_list_free(b->context, &plain);
    gz_list_free(b->context, &packed);
    return status;
}

static graze_status write_lists(build *b)
{
    gz_model_header *h = &b->header;
    const gz_levels *l = &b->levels;
    const gz_list *const parts[] = {&l->clusters.list, &l->levels.list, &l->groups.list,
                                    &l->members.list};
    h->coarse_count = (uint32_t)l->clusters.count - h->cluster_count;
    h->level_count = (uint32_t)l->levels.count;
    h->group_count = (uint32_t)l->groups.count;
    h->member_count = (uint32_t)l->members.count;
    h->list_offset = gz_output_tell(b->output);
    graze_status status = GRAZE_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == GRAZE_OK; ++i) {
        uint64_t bytes = parts[i]->count * parts[i]->item_bytes;
        h->list_sum = gz_checksum(h->list_sum, parts[i]->items, bytes); // as gz_lists_sum
        h->list_bytes += bytes;
        if (bytes != 0)
            status = gz_output_write(b->output, parts[i]->items, bytes);
    }
    return status;
}

static void set_header(build *b, const gz_soup *soup)
{
    gz_model_header *h = &b->header;
    memcpy(h->magic, GZ_MODEL_MAGIC, sizeof GZ_MODEL_MAGIC);
    h->version = GZ_MODEL_VERSION;
    h->precision = (uint32_t)soup->precision;
    h->triangle_count = soup->triangle_count;
    h->object_count = (uint32_t)soup->objects.count;
    h->metres_per_unit = soup->header.metres_per_unit;
    for (int axis = 0; axis < 3; ++axis) {
        h->box[axis] = soup->triangle_count == 0 ? 0 : soup->box.min[axis];
        h->box[3 + axis] = soup->triangle_count == 0 ? 0 : soup->box.max[axis];
    }
    const graze_mesh_losses *losses = &soup->losses;
    uint64_t kept[5] = {losses->nonfinite_vertices, losses->nonfinite_triangles,
                        losses->empty_polygons, losses->polygons, losses->other_primitives};
    memcpy(h->losses, kept, sizeof kept);
    b->precision = soup->precision;
    gz_levels *l = &b->levels;
    l->context = b->context;
    l->output = b->output;
    l->precision = soup->precision;
    l->memory_bytes = b->memory;
    l->triangle_count = soup->triangle_count;
    l->cluster_limit = b->cluster_limit;
    l->only_finest = b->no_levels;
    gz_model_origin(h, l->origin);
    for (int axis = 0; axis < 3; ++axis)
        l->half_size = fmax(l->half_size, 0.5 * h->box[3 + axis] - 0.5 * h->box[axis]);
    gz_seams_init(b->context, soup->precision, b->memory / 4, &l->seams);
}

// Closes the sorter when all of it is in clusters: its memory is needed.
static graze_status write_model(build *b, const gz_soup *soup, gz_sorter **sorter)
{
    set_header(b, soup);
    graze_status status = gz_bucket_stream_open(b->context, *sorter, &b->stream);
    if (status == GRAZE_OK && !make_workers(b))
        status = out_of_memory(b->context);
    if (status == GRAZE_OK)
        status = gz_output_write(b->output, &b->header, sizeof b->header);
    if (status == GRAZE_OK)
        status = make_clusters(b);
    free_workers(b);
    gz_bucket_stream_close(b->context, &b->stream);
    gz_sorter_close(*sorter);
    *sorter = NULL;
    b->header.cluster_count = (uint32_t)b->levels.clusters.count;
    if (status == GRAZE_OK)
        status = gz_levels_make(&b->levels);
    if (status == GRAZE_OK)
        status = write_lists(b);
    if (status == GRAZE_OK)
        status = write_objects(b, soup);
    b->header.file_bytes = gz_output_tell(b->output);
    b->header.own = gz_checksum(0, &b->header, offsetof(gz_model_header, own));
    if (status == GRAZE_OK)
        status = gz_output_patch(b->output, 0, &b->header, sizeof b->header);
    gz_levels_free(&b->levels);
    return status;
}

static graze_status check_arguments(graze_context *context, const graze_model_build_def *def)
{
    if (def->memory_bytes != 0 && def->memory_bytes < GRAZE_MODEL_LEAST_MEMORY)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                       "building a model takes at least %" PRIu64 " MiB of memory, not %" PRIu64
                       " bytes",
                       GRAZE_MODEL_LEAST_MEMORY >> 20, def->memory_bytes);
    if (GZ_HOST_BIG_ENDIAN)
        return gz_fail(context, GRAZE_ERROR_UNSUPPORTED,
                       "models are built and opened on little-endian machines only");
    return GRAZE_OK;
}

graze_status graze_model_build(graze_context *context, const char *mesh_path,
                               const char *model_path, const graze_model_build_def *given)
{
    if (context == NULL || mesh_path == NULL || model_path == NULL)
        return gz_fail_null(context, "graze_model_build");
    graze_model_build_def room = graze_model_build_def_default();
    const graze_model_build_def *def =
        gz_def_known(context, "graze_model_build", given, &room, sizeof room);
    if (def == NULL)
        return GRAZE_ERROR_ARGUMENT;
    graze_status status = check_arguments(context, def);
    if (status != GRAZE_OK)
        return status;
    if (graze_model_recognise(mesh_path) != 0)
        return gz_fail(context, GRAZE_ERROR_FORMAT, "%s: this is a model already, not a mesh",
                       mesh_path);
    uint64_t memory = def->memory_bytes == 0 ? DEFAULT_MEMORY : def->memory_bytes;
    build b = {.context = context,
               .memory = memory / 4,
               .cluster_limit = GZ_KNOB(context, cluster_limit),
               .no_levels = def->no_levels != 0};
    if (b.cluster_limit == 0)
        b.cluster_limit = GZ_CLUSTER_TRIANGLES;
    gz_soup soup;
    gz_sorter *sorter = NULL;
    gz_soup_init(context, memory - READER_BYTES, &soup);
    graze_mesh_sink sink = gz_soup_sink(&soup);
    status =
        gz_output_create(context, model_path, &b.output); // it would be a pity to find out later
    if (status == GRAZE_OK)
        status = graze_mesh_stream(context, mesh_path, def->read, &sink);
    if (status == GRAZE_OK)
        status = gz_soup_sort(&soup, &sorter);
    if (status == GRAZE_OK)
        status = write_model(&b, &soup, &sorter);
    gz_sorter_close(sorter);
    gz_soup_free(&soup);
    if (status == GRAZE_OK)
        return gz_output_commit(b.output);
    gz_output_abandon(b.output);
    return status;
}
