// Makes bodies of scene files. See scene_bodies.h.
//
// The curve through a body's triangles lies in a cube around them, so a body depends on its
// triangles only. Components are found by one way for few triangles and by another for many, and
// how many are few does not depend on memory: the file would.
#include "scene/scene_bodies.h"

#include <math.h>
#include <string.h>

#include "base/checksum.h"
#include "base/context.h"
#include "base/sort.h"
#include "base/threads.h"
#include "mesh/inspect/object_book.h"
#include "mesh/view.h"
#include "query/closed.h"

#define EDGE_ROOM 16u // edges of a set for each triangle; more is too many to clear

static graze_status out_of_memory(graze_context *context)
{
    return gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory for the triangles of an object");
}

uint64_t gz_body_hash(uint64_t seed, const void *triangles, uint64_t count,
                      graze_precision precision)
{
    const uint8_t *at = triangles;
    uint64_t bytes = gz_body_triangle_bytes(precision);
    while (count != 0) {
        uint64_t some = count < GZ_BODY_HASHED ? count : GZ_BODY_HASHED;
        seed = gz_checksum(seed, at, some * bytes);
        at += some * bytes;
        count -= some;
    }
    return seed;
}

uint64_t gz_points_sum(uint64_t seed, const void *points, uint64_t count)
{
    const uint8_t *at = points;
    while (count != 0) {
        uint64_t some = count < GZ_POINTS_SUMMED ? count : GZ_POINTS_SUMMED;
        seed = gz_checksum(seed, at, some * GZ_SCENE_POINT_BYTES);
        at += some * GZ_SCENE_POINT_BYTES;
        count -= some;
    }
    return seed;
}

static void get_triangle(const uint8_t *bytes, uint64_t number, graze_precision precision,
                         graze_triangle *out)
{
    bytes += number * gz_body_triangle_bytes(precision);
    if (precision == GRAZE_FLOAT64) {
        memcpy(out->corner, bytes, sizeof out->corner);
        return;
    }
    float narrow[9];
    memcpy(narrow, bytes, sizeof narrow);
    for (int i = 0; i < 9; ++i)
        out->corner[i / 3][i % 3] = (double)narrow[i];
}

// Applies the matrix: doubles come out.
static graze_status place(graze_context *context, const gz_body_source *source,
                          const uint8_t *bytes, uint64_t count, uint8_t *out)
{
    for (uint64_t i = 0; i < count; ++i) {
        graze_triangle t;
        get_triangle(bytes, i, source->precision, &t);
        for (int c = 0; c < 3; ++c) {
            gz_place(source->matrix, t.corner[c]);
            for (int axis = 0; axis < 3; ++axis)
                if (!isfinite(t.corner[c][axis]))
                    return gz_fail(context, GRAZE_ERROR_FORMAT,
                                   "object \"%s\": its matrix leads out of the range of double",
                                   source->name);
        }
        memcpy(out + i * sizeof t.corner, t.corner, sizeof t.corner);
    }
    return GRAZE_OK;
}

static void add_to_box(const uint8_t *bytes, uint64_t count, graze_precision precision,
                       graze_box *box)
{
    for (uint64_t i = 0; i < count; ++i) {
        graze_triangle t;
        get_triangle(bytes, i, precision, &t);
        for (int c = 0; c < 3; ++c)
            gz_box_add(box, t.corner[c]);
    }
}

// A body's model has one object without a name, and no unit: those of the scene are in its
// directory.
static void describe(const gz_scene_body *entry, const graze_box *box, graze_object *object,
                     gz_model_content *content)
{
    *object = (graze_object){.name = "", .group = "", .triangle_count = entry->triangle_count};
    *content = (gz_model_content){.precision = (graze_precision)entry->precision,
                                  .triangle_count = entry->triangle_count,
                                  .box = *box,
                                  .objects = object,
                                  .object_count = 1};
}

static void set_box(gz_scene_body *entry, const graze_box *box)
{
    for (int axis = 0; axis < 3; ++axis) {
        entry->box[axis] = entry->triangle_count == 0 ? 0 : box->min[axis];
        entry->box[3 + axis] = entry->triangle_count == 0 ? 0 : box->max[axis];
    }
}

graze_status gz_body_maker_init(graze_context *context, uint64_t memory_bytes, bool no_levels,
                                gz_body_maker *maker)
{
    gz_model_writer_def def = {.memory_bytes = memory_bytes, .no_levels = no_levels, .quiet = true};
    *maker = (gz_body_maker){.context = context};
    graze_status status = gz_model_writer_create(context, &def, &maker->writer);
    return status == GRAZE_OK ? gz_output_create_memory(context, &maker->output) : status;
}

void gz_body_maker_free(gz_body_maker *maker)
{
    graze_context *context = maker->context;
    if (context == NULL)
        return;
    gz_model_writer_free(maker->writer);
    gz_output_abandon(maker->output);
    gz_list_free(context, &maker->placed);
    gz_list_free(context, &maker->records);
    gz_list_free(context, &maker->scratch);
    gz_list_free(context, &maker->parent);
    gz_edge_set_free(&maker->edges);
    *maker = (gz_body_maker){0};
}

// An empty set. One that grew for a larger body is not cleared, but made anew.
static bool clear_edges(gz_body_maker *maker, uint64_t triangle_count)
{
    gz_edge_set *set = &maker->edges;
    if (set->slots != NULL && set->capacity > 1024 && set->capacity / EDGE_ROOM > triangle_count)
        gz_edge_set_free(set);
    if (set->slots == NULL)
        return gz_edge_set_make(maker->context, set);
    if (set->count != 0)
        gz_edge_set_clear(set);
    return true;
}

graze_status gz_body_components(gz_body_maker *maker, const uint8_t *triangles, uint64_t count,
                                graze_precision precision, bool *closed, gz_byte_list *points)
{
    graze_context *context = maker->context;
    maker->parent.count = 0;
    uint32_t *parent = gz_list_push(context, &maker->parent, count);
    bool done = (parent != NULL || count == 0) && clear_edges(maker, count);
    for (uint32_t i = 0; i < count && done; ++i) {
        graze_triangle t;
        get_triangle(triangles, i, precision, &t);
        parent[i] = i;
        done = gz_edge_set_meet(&maker->edges, (const double(*)[3])t.corner, i, parent);
    }
    *closed = maker->edges.count == 0;
    for (uint32_t i = 0; i < count && done; ++i) {
        if (parent[i] != i)
            continue;
        graze_triangle t;
        get_triangle(triangles, i, precision, &t);
        done = gz_list_append(context, points, (const uint8_t *)t.corner[0], GZ_SCENE_POINT_BYTES);
    }
    return done ? GRAZE_OK
                : gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory for the edges of an object");
}

// Records in the order of the curve.
static bool sort_few(gz_body_maker *maker, const uint8_t *triangles, const gz_scene_body *entry,
                     const graze_box *box)
{
    graze_precision precision = (graze_precision)entry->precision;
    uint32_t record_bytes = gz_soup_record_bytes(precision);
    uint64_t bytes = entry->triangle_count * record_bytes;
    maker->records.count = 0;
    uint8_t *records = gz_list_push(maker->context, &maker->records, bytes);
    if (bytes == 0)
        return true;
    if (records == NULL || !gz_list_reserve(maker->context, &maker->scratch, bytes))
        return false;
    gz_soup_cube cube = gz_soup_cube_of(box);
    for (uint32_t i = 0; i < entry->triangle_count; ++i) {
        graze_triangle t;
        get_triangle(triangles, i, precision, &t);
        gz_soup_put_record(&cube, precision, i, &t, records + (uint64_t)i * record_bytes);
    }
    gz_sort_records(NULL, records, entry->triangle_count, record_bytes, 0,
                    gz_arena_over(maker->scratch.items, maker->scratch.capacity));
    return true;
}

static graze_status write_few(gz_body_maker *maker, const uint8_t *triangles, const graze_box *box,
                              gz_scene_body *entry)
{
    graze_object object;
    gz_model_content content;
    gz_byte_list points = {0};
    bool closed = false;
    describe(entry, box, &object, &content);
    graze_status status =
        gz_model_writer_few(maker->writer, &content, maker->records.items, maker->output);
    entry->model_bytes = gz_output_tell(maker->output);
    if (status == GRAZE_OK)
        status = gz_body_components(maker, triangles, entry->triangle_count, content.precision,
                                    &closed, &points);
    if (status == GRAZE_OK)
        status = gz_output_write(maker->output, points.items, points.count);
    if (status == GRAZE_OK) {
        gz_model_header header;
        memcpy(&header, gz_output_bytes(maker->output), sizeof header);
        entry->cluster_count = header.cluster_count;
        entry->closed = closed;
        entry->point_count = points.count / GZ_SCENE_POINT_BYTES;
        entry->point_sum = gz_points_sum(0, points.items, entry->point_count);
    }
    gz_list_free(maker->context, &points);
    return status;
}

graze_status gz_body_make_few(gz_body_maker *maker, const gz_body_source *source,
                              gz_scene_body *entry)
{
    uint64_t count = source->triangle_count;
    GZ_ASSERT(count <= GZ_BODY_FEW);
    const uint8_t *triangles = source->bytes;
    graze_precision precision = source->precision;
    graze_status status = GRAZE_OK;
    gz_output_clear(maker->output);
    if (source->matrix != NULL) {
        precision = GRAZE_FLOAT64;
        maker->placed.count = 0;
        uint8_t *placed =
            gz_list_push(maker->context, &maker->placed, count * gz_body_triangle_bytes(precision));
        if (placed == NULL && count != 0)
            return out_of_memory(maker->context);
        status = place(maker->context, source, source->bytes, count, placed);
        triangles = placed;
    }
    if (status != GRAZE_OK)
        return status;
    graze_box box = graze_box_empty();
    add_to_box(triangles, count, precision, &box);
    *entry = (gz_scene_body){.triangle_count = count,
                             .precision = (uint16_t)precision,
                             .hash = gz_body_hash(0, triangles, count, precision)};
    set_box(entry, &box);
    if (!sort_few(maker, triangles, entry, &box))
        return out_of_memory(maker->context);
    return write_few(maker, triangles, &box, entry);
}

// --- Many

// The next triangles of a source, placed. Reads of a whole number of hashed ones.
typedef struct walk {
    graze_context *context;
    const gz_body_source *source;
    uint64_t next;
    uint8_t raw[GZ_BODY_HASHED * 72], placed[GZ_BODY_HASHED * 72];
    const uint8_t *triangles;
    uint64_t count;
} walk;

static graze_status walk_on(walk *w)
{
    const gz_body_source *source = w->source;
    uint64_t bytes = gz_body_triangle_bytes(source->precision),
             left = source->triangle_count - w->next;
    w->count = left < GZ_BODY_HASHED ? left : GZ_BODY_HASHED;
    if (w->count == 0)
        return GRAZE_OK;
    graze_status status =
        gz_spill_read(source->spill, source->offset + w->next * bytes, w->raw, w->count * bytes);
    w->triangles = w->raw;
    if (status == GRAZE_OK && source->matrix != NULL) {
        status = place(w->context, source, w->raw, w->count, w->placed);
        w->triangles = w->placed;
    }
    w->next += w->count;
    if (status == GRAZE_OK)
        status = gz_checkpoint(w->context, "sorting", "triangles", w->next, source->triangle_count);
    return status;
}

static graze_status measure(walk *w, gz_scene_body *entry, graze_box *box)
{
    graze_precision precision = (graze_precision)entry->precision;
    graze_status status = GRAZE_OK;
    *box = graze_box_empty();
    w->next = 0;
    while (status == GRAZE_OK && (status = walk_on(w)) == GRAZE_OK && w->count != 0) {
        add_to_box(w->triangles, w->count, precision, box);
        entry->hash = gz_body_hash(entry->hash, w->triangles, w->count, precision);
    }
    set_box(entry, box);
    return status;
}

static graze_status sort_many(walk *w, graze_precision precision, const graze_box *box,
                              gz_sorter *sorter)
{
    gz_soup_cube cube = gz_soup_cube_of(box);
    uint64_t number = 0;
    graze_status status = GRAZE_OK;
    w->next = 0;
    while (status == GRAZE_OK && (status = walk_on(w)) == GRAZE_OK && w->count != 0)
        for (uint64_t i = 0; i < w->count && status == GRAZE_OK; ++i, ++number) {
            uint8_t record[GZ_SOUP_KEY_BYTES + 72];
            graze_triangle t;
            get_triangle(w->triangles, i, precision, &t);
            gz_soup_put_record(&cube, precision, (uint32_t)number, &t, record);
            status = gz_sorter_push(sorter, record, 1);
        }
    return status;
}

static graze_status append_points(const struct gz_components *components, gz_output *output,
                                  gz_scene_body *entry)
{
    graze_status status = GRAZE_OK;
    entry->closed = components->closed;
    entry->point_count = components->count;
    entry->point_sum = 0;
    for (uint64_t i = 0; i < components->count && status == GRAZE_OK;) {
        double points[3 * GZ_POINTS_SUMMED];
        uint64_t left = components->count - i,
                 some = left < GZ_POINTS_SUMMED ? left : GZ_POINTS_SUMMED;
        status = gz_spill_read(&components->points, i * GZ_SCENE_POINT_BYTES, points,
                               some * GZ_SCENE_POINT_BYTES);
        if (status == GRAZE_OK)
            status = gz_output_write(output, points, some * GZ_SCENE_POINT_BYTES);
        entry->point_sum = gz_points_sum(entry->point_sum, points, some);
        i += some;
    }
    return status;
}

// Asks the model that was just written.
static graze_status find_components(graze_context *context, uint64_t base, gz_output *output,
                                    gz_scene_body *entry)
{
    graze_status status = gz_output_flush(output);
    if (status != GRAZE_OK)
        return status;
    gz_file whole = gz_output_file(output),
            window = gz_file_window(&whole, base, entry->model_bytes);
    graze_model *model = NULL;
    graze_shape *shape = NULL;
    struct gz_components *components = NULL;
    status = gz_model_open_file(context, whole.path, &window, &model);
    if (status == GRAZE_OK)
        status = graze_shape_from_model(model, &shape);
    if (status == GRAZE_OK)
        status = gz_model_components_in(shape, GZ_BODY_COMPONENT_LIMIT, &components);
    if (status == GRAZE_OK) {
        entry->cluster_count = (uint32_t)graze_model_get_info(model).cluster_count;
        status = append_points(components, output, entry);
    }
    if (components != NULL)
        gz_components_free(shape, components);
    graze_shape_free(shape);
    graze_model_free(model);
    return status;
}

static graze_status write_many(graze_context *context, walk *w, const gz_model_writer_def *def,
                               gz_output *output, gz_scene_body *entry)
{
    graze_box box;
    graze_object object;
    gz_model_content content;
    gz_sorter *sorter = NULL;
    gz_model_writer *writer = NULL;
    uint64_t base = gz_output_tell(output);
    graze_status status = measure(w, entry, &box);
    describe(entry, &box, &object, &content);
    if (status == GRAZE_OK)
        status = gz_soup_open_sorter(context, content.precision, def->memory_bytes, &sorter);
    if (status == GRAZE_OK)
        status = sort_many(w, content.precision, &box, sorter);
    if (status == GRAZE_OK)
        status = gz_model_writer_create(context, def, &writer);
    if (status == GRAZE_OK)
        status = gz_model_writer_sorted(writer, &content, &sorter, output);
    gz_sorter_close(sorter);
    gz_model_writer_free(writer);
    entry->model_bytes = gz_output_tell(output) - base;
    return status == GRAZE_OK ? find_components(context, base, output, entry) : status;
}

graze_status gz_body_make_many(graze_context *context, const gz_body_source *source,
                               uint64_t memory_bytes, bool no_levels, gz_output *output,
                               gz_scene_body *entry)
{
    gz_model_writer_def def = {.memory_bytes = memory_bytes, .no_levels = no_levels};
    graze_precision precision = source->matrix == NULL ? source->precision : GRAZE_FLOAT64;
    *entry = (gz_scene_body){.triangle_count = source->triangle_count,
                             .precision = (uint16_t)precision,
                             .offset = gz_output_tell(output)};
    walk *w = gz_allocate(context, sizeof *w);
    if (w == NULL)
        return out_of_memory(context);
    w->context = context;
    w->source = source;
    graze_status status = write_many(context, w, &def, output, entry);
    gz_release(context, w, sizeof *w);
    return status;
}
