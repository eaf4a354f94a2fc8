// Writes models. See model_writer.h.
//
// The way: sorted by place -> buckets -> clusters -> pages -> levels of detail, see levels.h.
// Buckets are worked on several at a time, and their pages written in order.
#include "model/model_writer.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/checksum.h"
#include "base/context.h"
#include "base/knobs.h"
#include "base/threads.h"
#include "model/levels.h"

#define WORKER_BYTES (sizeof(gz_bucket_cut) + (UINT64_C(2) << 20)) // beside its bucket

// One bucket at work.
typedef struct worker {
    gz_bucket bucket;
    uint64_t room_bytes; // of the bucket; 0: it is somebody else's
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

struct gz_model_writer {
    graze_context *context;
    gz_model_writer_def def;
    uint32_t cluster_limit;
    worker own; // of gz_model_writer_few, kept for the next model
    // The model at hand.
    const gz_model_content *content;
    gz_model_header header;
    gz_output *output;
    uint64_t base; // where it begins in the output
    bool rims;     // are needed: there may be other levels
    worker *workers;
    uint32_t worker_count;
    gz_bucket_stream stream;
    gz_levels levels;
    uint64_t done; // triangles
};

static graze_status out_of_memory(graze_context *context)
{
    return gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory while building a model");
}

static void free_worker(graze_context *context, worker *w)
{
    gz_release(context, w->bucket.records, w->room_bytes);
    gz_release(context, w->cut, sizeof *w->cut);
    gz_release(context, w->cluster, sizeof *w->cluster);
    GZ_FREE_ARRAY(context, w->records, GZ_CLUSTER_TRIANGLES);
    gz_page_writer_free(&w->writer);
    gz_list_free(context, &w->pages);
    gz_list_free(context, &w->entries);
    gz_list_free(context, &w->rims);
    *w = (worker){0};
}

static void free_workers(gz_model_writer *b)
{
    for (uint32_t i = 0; b->workers != NULL && i < b->worker_count; ++i)
        free_worker(b->context, &b->workers[i]);
    GZ_FREE_ARRAY(b->context, b->workers, b->worker_count);
    b->workers = NULL;
}

// All but its bucket.
static bool make_worker(graze_context *context, worker *w)
{
    w->cut = gz_allocate(context, sizeof *w->cut);
    w->cluster = gz_allocate(context, sizeof *w->cluster);
    w->records = GZ_NEW_ARRAY(context, const uint8_t *, GZ_CLUSTER_TRIANGLES);
    return gz_page_writer_init(context, &w->writer) && w->cut != NULL && w->cluster != NULL &&
           w->records != NULL;
}

static bool make_workers(gz_model_writer *b)
{
    graze_context *context = b->context;
    uint64_t room_bytes = (uint64_t)GZ_BUCKET_ROOM * gz_soup_record_bytes(b->content->precision);
    uint64_t most = b->def.memory_bytes / (WORKER_BYTES + room_bytes);
    most = most < context->def.thread_count ? most : context->def.thread_count;
    b->worker_count = most < 1 ? 1 : (uint32_t)most;
    b->workers = GZ_NEW_ARRAY(context, worker, b->worker_count);
    if (b->workers == NULL)
        return false;
    memset(b->workers, 0, b->worker_count * sizeof *b->workers);
    bool made = true;
    for (uint32_t i = 0; i < b->worker_count; ++i) {
        worker *w = &b->workers[i];
        w->room_bytes = room_bytes;
        w->bucket.records = gz_allocate(context, room_bytes);
        made &= make_worker(context, w) && w->bucket.records != NULL;
    }
    return made;
}

// Splits a bucket and makes its pages. They need their numbers, which are known beforehand: how
// many clusters a bucket gives depends on its size only.
static void make_pages(gz_model_writer *b, worker *w)
{
    graze_precision precision = b->content->precision;
    uint64_t record_bytes = gz_soup_record_bytes(precision);
    w->pages.count = w->entries.count = w->rims.count = 0;
    if (w->bucket.count == 0)
        return;
    gz_bucket_split(&w->bucket, precision, b->cluster_limit, w->cut);
    GZ_ASSERT(w->cut->cluster_count == gz_bucket_clusters(w->bucket.count, b->cluster_limit));
    for (uint32_t c = 0; c < w->cut->cluster_count && !w->failed; ++c) {
        uint32_t first = w->cut->first[c], count = w->cut->first[c + 1] - first;
        for (uint32_t i = 0; i < count; ++i)
            w->records[i] = w->bucket.records + w->cut->order[0][first + i] * record_bytes;
        gz_cluster_gather(w->cluster, precision, w->records, count);
        w->failed = w->told = gz_cluster_keep_recipe(b->context, w->cluster) != GRAZE_OK;
        uint64_t start = w->pages.count;
        gz_cluster_entry *entry = gz_list_push(b->context, &w->entries, 1);
        if (w->failed || entry == NULL ||
            !gz_cluster_write(w->cluster, w->first + c, &w->writer, &w->pages) ||
            (b->rims && !gz_seams_find(b->context, w->cluster, c, &w->rims))) {
            w->failed = true;
            break;
        }
        *entry = gz_cluster_entry_make(w->cluster, b->levels.origin);
        entry->byte_count = (uint32_t)(w->pages.count - start);
    }
}

static void work_on_bucket(void *data, uint32_t index)
{
    gz_model_writer *b = data;
    make_pages(b, &b->workers[index]);
}

static graze_status keep_clusters(gz_model_writer *b, const worker *w)
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

static graze_status write_pages(gz_model_writer *b, worker *w)
{
    if (w->failed)
        return w->told ? GRAZE_ERROR_MEMORY : out_of_memory(b->context);
    if (w->bucket.count == 0)
        return GRAZE_OK;
    GZ_ASSERT(w->first == b->levels.clusters.count);
    graze_status status = keep_clusters(b, w);
    if (status == GRAZE_OK)
        status = gz_output_write(b->output, w->pages.items, w->pages.count);
    if (status == GRAZE_OK && b->rims)
        status = gz_seams_add(&b->levels.seams, &w->rims, w->first);
    b->done += w->bucket.count;
    return status;
}

static graze_status write_batch(gz_model_writer *b)
{
    graze_status status = GRAZE_OK;
    for (uint32_t i = 0; i < b->worker_count && status == GRAZE_OK; ++i)
        status = write_pages(b, &b->workers[i]);
    if (status == GRAZE_OK && !b->def.quiet)
        status =
            gz_checkpoint(b->context, "building", "triangles", b->done, b->header.triangle_count);
    return status;
}

static graze_status make_clusters(gz_model_writer *b)
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
static bool list_objects(const gz_model_writer *b, gz_byte_list *out)
{
    const graze_object *objects = b->content->objects;
    uint64_t count = b->content->object_count, text = 0;
    for (uint64_t i = 0; i < count; ++i) {
        void *entry = gz_list_push(b->context, out, sizeof(gz_object_entry));
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
        void *to = gz_list_push(b->context, out, bytes);
        if (to == NULL)
            return false;
        memcpy(to, from, (size_t)bytes);
    }
    return text <= UINT32_MAX;
}

static graze_status write_objects(gz_model_writer *b, gz_section_packer *packer)
{
    gz_byte_list plain = {0}, packed = {0};
    bool made = list_objects(b, &plain) && plain.count <= UINT32_MAX &&
                gz_section_append(packer, &packed, plain.items, plain.count);
    if (made && plain.count > packed.count * GZ_OBJECTS_MOST_RATIO) {
        packed.count = 0;
        made = gz_section_append_plain(packer, &packed, plain.items, plain.count);
    }
    graze_status status = made ? GRAZE_OK : out_of_memory(b->context);
    b->header.object_offset = gz_output_tell(b->output) - b->base;
    b->header.object_bytes = packed.count;
    b->header.object_room = plain.count;
    if (made) {
        b->header.object_sum = gz_checksum(0, packed.items, packed.count);
        status = gz_output_write(b->output, packed.items, packed.count);
    }
    gz_list_free(b->context, &plain);
    gz_list_free(b->context, &packed);
    return status;
}

static graze_status write_lists(gz_model_writer *b)
{
    gz_model_header *h = &b->header;
    const gz_levels *l = &b->levels;
    const gz_list *const parts[] = {&l->clusters.list, &l->levels.list, &l->groups.list,
                                    &l->members.list};
    h->coarse_count = (uint32_t)l->clusters.count - h->cluster_count;
    h->level_count = (uint32_t)l->levels.count;
    h->group_count = (uint32_t)l->groups.count;
    h->member_count = (uint32_t)l->members.count;
    h->list_offset = gz_output_tell(b->output) - b->base;
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

static void begin(gz_model_writer *b, const gz_model_content *content, gz_output *output)
{
    GZ_ASSERT(content->triangle_count < UINT64_C(1) << 31);
    b->content = content;
    b->output = output;
    b->base = gz_output_tell(output);
    b->done = 0;
    b->rims = !b->def.no_levels && content->triangle_count > b->cluster_limit;
    gz_model_header *h = &b->header;
    *h = (gz_model_header){0};
    memcpy(h->magic, GZ_MODEL_MAGIC, sizeof GZ_MODEL_MAGIC);
    h->version = GZ_MODEL_VERSION;
    h->precision = (uint32_t)content->precision;
    h->triangle_count = content->triangle_count;
    h->object_count = (uint32_t)content->object_count;
    h->metres_per_unit = content->metres_per_unit;
    for (int axis = 0; axis < 3; ++axis) {
        h->box[axis] = content->triangle_count == 0 ? 0 : content->box.min[axis];
        h->box[3 + axis] = content->triangle_count == 0 ? 0 : content->box.max[axis];
    }
    const graze_mesh_losses *losses = &content->losses;
    uint64_t kept[5] = {losses->nonfinite_vertices, losses->nonfinite_triangles,
                        losses->empty_polygons, losses->polygons, losses->other_primitives};
    memcpy(h->losses, kept, sizeof kept);
    gz_levels *l = &b->levels;
    *l = (gz_levels){.context = b->context,
                     .output = output,
                     .precision = content->precision,
                     .memory_bytes = b->def.memory_bytes,
                     .triangle_count = content->triangle_count,
                     .cluster_limit = b->cluster_limit,
                     .only_finest = b->def.no_levels,
                     .quiet = b->def.quiet};
    gz_model_origin(h, l->origin);
    for (int axis = 0; axis < 3; ++axis)
        l->half_size = fmax(l->half_size, 0.5 * h->box[3 + axis] - 0.5 * h->box[axis]);
    gz_seams_init(b->context, content->precision, b->def.memory_bytes / 4, &l->seams);
}

// What comes behind the pages of the finest level, and the header.
static graze_status end(gz_model_writer *b, gz_section_packer *packer)
{
    b->header.cluster_count = (uint32_t)b->levels.clusters.count;
    graze_status status = gz_levels_make(&b->levels);
    if (status == GRAZE_OK)
        status = write_lists(b);
    if (status == GRAZE_OK)
        status = write_objects(b, packer);
    b->header.file_bytes = gz_output_tell(b->output) - b->base;
    b->header.own = gz_checksum(0, &b->header, offsetof(gz_model_header, own));
    if (status == GRAZE_OK)
        status = gz_output_patch(b->output, b->base, &b->header, sizeof b->header);
    return status;
}

graze_status gz_model_writer_sorted(gz_model_writer *b, const gz_model_content *content,
                                    gz_sorter **sorter, gz_output *output)
{
    gz_section_packer packer = {0};
    begin(b, content, output);
    graze_status status = gz_bucket_stream_open(b->context, *sorter, &b->stream);
    if (status == GRAZE_OK && !make_workers(b))
        status = out_of_memory(b->context);
    if (status == GRAZE_OK)
        status = gz_output_write(output, &b->header, sizeof b->header);
    if (status == GRAZE_OK)
        status = make_clusters(b);
    free_workers(b);
    gz_bucket_stream_close(b->context, &b->stream);
    gz_sorter_close(*sorter);
    *sorter = NULL;
    if (status == GRAZE_OK && !gz_section_packer_init(b->context, &packer))
        status = out_of_memory(b->context);
    if (status == GRAZE_OK)
        status = end(b, &packer);
    gz_section_packer_free(&packer);
    gz_levels_free(&b->levels);
    return status;
}

graze_status gz_model_writer_few(gz_model_writer *b, const gz_model_content *content,
                                 uint8_t *records, gz_output *output)
{
    GZ_ASSERT(content->triangle_count <= GZ_BUCKET_MOST);
    worker *w = &b->own;
    if (w->cut == NULL && !make_worker(b->context, w)) {
        free_worker(b->context, w);
        return out_of_memory(b->context);
    }
    begin(b, content, output);
    w->bucket = (gz_bucket){records, (uint32_t)content->triangle_count};
    w->failed = w->told = false;
    make_pages(b, w);
    graze_status status = gz_output_write(output, &b->header, sizeof b->header);
    if (status == GRAZE_OK)
        status = write_pages(b, w);
    w->bucket = (gz_bucket){0}; // it is the caller's
    if (status == GRAZE_OK)
        status = end(b, &w->writer.packer);
    gz_levels_free(&b->levels);
    return status;
}

graze_status gz_model_writer_create(graze_context *context, const gz_model_writer_def *def,
                                    gz_model_writer **writer)
{
    *writer = gz_allocate(context, sizeof **writer);
    if (*writer == NULL)
        return out_of_memory(context);
    **writer = (gz_model_writer){
        .context = context, .def = *def, .cluster_limit = GZ_KNOB(context, cluster_limit)};
    if ((*writer)->cluster_limit == 0)
        (*writer)->cluster_limit = GZ_CLUSTER_TRIANGLES;
    return GRAZE_OK;
}

void gz_model_writer_free(gz_model_writer *writer)
{
    if (writer == NULL)
        return;
    free_worker(writer->context, &writer->own);
    gz_release(writer->context, writer, sizeof *writer);
}
