// Streams a model as the mesh that it was built from. See graze/model.h.
//
// Vertices go to the sink page by page, and with them the numbers of the corners are known; so
// what is sorted by number is small: a triangle's number and its corners.
#include <inttypes.h>

#include "base/context.h"
#include "base/sort.h"
#include "base/sorter.h"
#include "base/threads.h"
#include "mesh/inspect/triples.h"
#include "model/page_walk.h"

#define DEFAULT_MEMORY (UINT64_C(512) << 20)
#define NUMBER_BYTES   4u
#define RECORD_BYTES   (NUMBER_BYTES + GZ_TRIPLE_BYTES) // number, big-endian, and corners
#define BATCH          1024u

typedef struct streaming {
    graze_model *model;
    const graze_mesh_sink *sink;
    gz_sorter *sorter;
    uint64_t vertex_count; // delivered
    uint64_t triangle_count;
} streaming;

static graze_status begin(const streaming *s)
{
    const gz_model_header *h = &s->model->header;
    graze_mesh_header header = {.format = GRAZE_FORMAT_UNKNOWN,
                                .precision = (graze_precision)h->precision,
                                .metres_per_unit = h->metres_per_unit,
                                .triangle_count_hint = h->triangle_count,
                                .encoding = "model"};
    for (uint32_t i = 0; i < h->cluster_count; ++i)
        header.vertex_count_hint += s->model->clusters[i].vertex_count;
    return s->sink->begin == NULL ? GRAZE_OK : s->sink->begin(s->sink->user, &header);
}

static graze_status push_cluster(streaming *s, const gz_cluster *cluster)
{
    uint8_t records[GZ_CLUSTER_TRIANGLES][RECORD_BYTES];
    for (uint32_t i = 0; i < cluster->triangle_count; ++i) {
        uint64_t corners[3];
        for (int c = 0; c < 3; ++c)
            corners[c] = s->vertex_count + cluster->corner[i][c];
        gz_put_number(records[i], cluster->number[i], NUMBER_BYTES);
        gz_triple_put(records[i] + NUMBER_BYTES, corners);
    }
    s->vertex_count += cluster->vertex_count;
    graze_status status = GRAZE_OK;
    if (s->sink->vertices != NULL)
        status = s->sink->vertices(s->sink->user, &cluster->position, cluster->vertex_count);
    return status == GRAZE_OK ? gz_sorter_push(s->sorter, records, cluster->triangle_count)
                              : status;
}

static graze_status stream_pages(streaming *s)
{
    gz_page_walk walk;
    graze_status status =
        gz_page_walk_open(s->model, "unpacking", s->model->header.cluster_count, &walk);
    while (status == GRAZE_OK && (status = gz_page_walk_next(&walk)) == GRAZE_OK &&
           walk.filled != 0)
        for (uint32_t i = 0; i < walk.filled && status == GRAZE_OK; ++i) {
            const gz_page_slot *slot = &walk.slots[i];
            if (slot->wrong != NULL)
                status = gz_model_page_fails(s->model, slot->number, slot->wrong);
            else if (slot->status != GRAZE_OK)
                status = slot->status;
            else
                status = push_cluster(s, slot->cluster);
        }
    gz_page_walk_close(&walk);
    return status;
}

// There are as many records as the model has triangles, and each number is below that: where one is
// missing, another is there twice.
static graze_status pass_batch(streaming *s, const uint8_t *records, uint64_t count)
{
    uint64_t corners[BATCH][3];
    for (uint64_t i = 0; i < count; ++i, ++s->triangle_count) {
        const uint8_t *record = records + i * RECORD_BYTES;
        if (gz_get_number(record, NUMBER_BYTES) != s->triangle_count)
            return gz_fail(s->model->context, GRAZE_ERROR_FORMAT,
                           "%s: triangle %" PRIu64 " is in no page, and another is in two",
                           s->model->path, s->triangle_count);
        gz_triple_get(record + NUMBER_BYTES, corners[i]);
    }
    graze_status status = gz_checkpoint(s->model->context, "streaming", "triangles",
                                        s->triangle_count, s->model->header.triangle_count);
    if (status == GRAZE_OK && s->sink->triangles != NULL)
        status = s->sink->triangles(s->sink->user, corners[0], count);
    return status;
}

static graze_status stream_triangles(streaming *s)
{
    const uint8_t *records = NULL;
    uint64_t count = 0;
    graze_status status = GRAZE_OK;
    while (status == GRAZE_OK &&
           (status = gz_sorter_next(s->sorter, &records, &count)) == GRAZE_OK && count != 0)
        for (uint64_t done = 0; done < count && status == GRAZE_OK; done += BATCH)
            status = pass_batch(s, records + done * RECORD_BYTES,
                                count - done < BATCH ? count - done : BATCH);
    return status;
}

static graze_status open_sorter(streaming *s, uint64_t memory_bytes)
{
    uint64_t triangles = s->model->header.triangle_count;
    gz_sorter_def def = {.record_bytes = RECORD_BYTES,
                         .zero_bits = gz_index_zero_bits(triangles) - 8 * (GZ_INDEX_BYTES - 4),
                         .memory_bytes = memory_bytes == 0 ? DEFAULT_MEMORY : memory_bytes};
    uint64_t least = gz_sorter_least_memory(def.record_bytes, def.fan_bits);
    if (def.memory_bytes < least)
        def.memory_bytes = least;
    return gz_sorter_open(s->model->context, &def, &s->sorter);
}

static graze_status stream_geometry(streaming *s, uint64_t memory_bytes)
{
    graze_status status = open_sorter(s, memory_bytes);
    if (status == GRAZE_OK)
        status = stream_pages(s);
    if (status == GRAZE_OK)
        status = stream_triangles(s);
    gz_sorter_close(s->sorter);
    return status;
}

static graze_status stream_all(streaming *s, uint64_t memory_bytes, const gz_model_objects *objects)
{
    graze_status status = begin(s);
    if (status == GRAZE_OK && (s->sink->vertices != NULL || s->sink->triangles != NULL))
        status = stream_geometry(s, memory_bytes);
    for (uint64_t i = 0; i < objects->object_count && status == GRAZE_OK; ++i)
        if (s->sink->object != NULL)
            status = s->sink->object(s->sink->user, &objects->objects[i]);
    graze_mesh_losses losses = graze_model_get_info(s->model).losses;
    if (status == GRAZE_OK && s->sink->end != NULL)
        status = s->sink->end(s->sink->user, &losses);
    return status;
}

graze_status graze_model_stream(graze_model *model, uint64_t memory_bytes,
                                const graze_mesh_sink *sink)
{
    if (model == NULL || sink == NULL)
        return gz_fail_null(model == NULL ? NULL : model->context, "graze_model_stream");
    streaming s = {.model = model, .sink = sink};
    gz_model_objects objects;
    graze_status status = gz_model_read_objects(model, &objects);
    if (status == GRAZE_OK)
        status = stream_all(&s, memory_bytes, &objects);
    gz_model_free_objects(model->context, &objects);
    return status;
}
