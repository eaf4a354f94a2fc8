// Checks scene files: all that opening does not look at. See scene_file.h.
#include <inttypes.h>
#include <string.h>

#include "base/context.h"
#include "query/closed.h"
#include "scene/scene_bodies.h"

#define CHECK_BYTES (UINT64_C(64) << 20) // for the triangles of a body

typedef struct check {
    gz_scene_file *file;
    graze_context *context;
    uint32_t number;
    const gz_scene_body *body;
    graze_model *model;
    const graze_shape *shape;
    gz_body_maker maker; // for components
    gz_byte_list batch;  // triangles that are to be hashed, or all of a few
    gz_byte_list points;
} check;

static graze_status fails(const check *c, const char *what)
{
    return gz_fail(c->context, GRAZE_ERROR_FORMAT, "%s: byte %" PRIu64 ": body %" PRIu32 ": %s",
                   c->file->path, c->file->file.base + c->body->offset, c->number, what);
}

static graze_status out_of_memory(const check *c)
{
    return gz_fail(c->context, GRAZE_ERROR_MEMORY, "%s: out of memory for checking a body",
                   c->file->path);
}

static bool keep_triangle(check *c, const graze_triangle *t)
{
    uint64_t bytes = gz_body_triangle_bytes((graze_precision)c->body->precision);
    uint8_t *to = gz_list_push(c->context, &c->batch, bytes);
    if (to == NULL)
        return false;
    for (int i = 0; i < 9; ++i) {
        double wide = t->corner[i / 3][i % 3];
        float narrow = (float)wide; // it was one, where it is used
        if (c->body->precision == GRAZE_FLOAT64)
            memcpy(to + i * (int)sizeof wide, &wide, sizeof wide);
        else
            memcpy(to + i * (int)sizeof narrow, &narrow, sizeof narrow);
    }
    return true;
}

// The hash of all triangles in order. Those of a few stay in the batch.
static graze_status hash_triangles(check *c, gz_soup *soup, uint64_t *hash)
{
    graze_precision precision = (graze_precision)c->body->precision;
    bool few = c->body->triangle_count <= GZ_BODY_FEW;
    uint64_t bytes = gz_body_triangle_bytes(precision);
    gz_feed *feed = NULL;
    graze_status status = gz_soup_open_feed(soup, "checking", &feed);
    *hash = 0;
    c->batch.count = 0;
    while (status == GRAZE_OK && (status = gz_feed_fill(feed)) == GRAZE_OK && feed->count != 0) {
        for (uint32_t i = 0; i < feed->count && status == GRAZE_OK; ++i)
            if (!keep_triangle(c, &feed->triangles[i]))
                status = out_of_memory(c);
        uint64_t whole = c->batch.count / bytes / GZ_BODY_HASHED * GZ_BODY_HASHED;
        if (few || whole == 0 || status != GRAZE_OK)
            continue;
        *hash = gz_body_hash(*hash, c->batch.items, whole, precision);
        c->batch.count -= whole * bytes;
        memmove(c->batch.items, c->batch.items + whole * bytes, (size_t)c->batch.count);
    }
    gz_feed_close(feed);
    if (status == GRAZE_OK)
        *hash = gz_body_hash(*hash, c->batch.items, c->batch.count / bytes, precision);
    return status;
}

static graze_status check_hash(check *c)
{
    gz_soup soup;
    uint64_t hash = 0;
    gz_soup_init(c->context, CHECK_BYTES, &soup);
    graze_mesh_sink sink = gz_soup_sink(&soup);
    graze_status status = graze_model_stream(c->model, CHECK_BYTES, &sink);
    if (status == GRAZE_OK)
        status = hash_triangles(c, &soup, &hash);
    gz_soup_free(&soup);
    if (status == GRAZE_OK && hash != c->body->hash)
        status = fails(c, "its hash is not that of its triangles");
    return status;
}

static graze_status read_points(const struct gz_components *components, check *c)
{
    uint64_t bytes = components->count * GZ_SCENE_POINT_BYTES;
    uint8_t *to = gz_list_push(c->context, &c->points, bytes);
    if (to == NULL && bytes != 0)
        return out_of_memory(c);
    return bytes == 0 ? GRAZE_OK : gz_spill_read(&components->points, 0, to, bytes);
}

// Found once more, in the way that they were found in.
static graze_status check_components(check *c)
{
    const gz_scene_body *body = c->body;
    struct gz_components *found = NULL;
    bool closed = false;
    graze_status status = GRAZE_OK;
    c->points.count = 0;
    if (body->triangle_count <= GZ_BODY_FEW) {
        status = gz_body_components(&c->maker, c->batch.items, body->triangle_count,
                                    (graze_precision)body->precision, &closed, &c->points);
    } else {
        status = gz_model_components_in(c->shape, GZ_BODY_COMPONENT_LIMIT, &found);
        if (status == GRAZE_OK)
            status = read_points(found, c);
        closed = found != NULL && found->closed;
    }
    if (found != NULL)
        gz_components_free(c->shape, found);
    if (status != GRAZE_OK)
        return status;
    if (closed != (body->closed != 0))
        return fails(c, "whether it is closed is not what its triangles say");
    uint64_t count = c->points.count / GZ_SCENE_POINT_BYTES;
    return count == body->point_count && gz_points_sum(0, c->points.items, count) == body->point_sum
               ? GRAZE_OK
               : fails(c, "its components are not those of its triangles");
}

static graze_status check_body(check *c)
{
    graze_status status = gz_scene_file_pin(c->file, c->number, &c->shape);
    if (status != GRAZE_OK)
        return status;
    c->model = gz_scene_file_model(c->file, c->number);
    status = graze_model_check(c->model, NULL);
    if (status == GRAZE_OK)
        status = check_hash(c);
    if (status == GRAZE_OK)
        status = check_components(c);
    gz_scene_file_unpin(c->file, c->number);
    return status;
}

graze_status gz_scene_file_check(gz_scene_file *file, uint32_t *damaged)
{
    check c = {.file = file, .context = file->context};
    uint32_t count = 0;
    graze_status status = gz_body_maker_init(file->context, 0, true, &c.maker), first = GRAZE_OK;
    for (c.number = 0; c.number < file->header.body_count && status == GRAZE_OK; ++c.number) {
        c.body = &file->bodies[c.number];
        status = check_body(&c);
        if (status != GRAZE_ERROR_FORMAT && status != GRAZE_ERROR_UNSUPPORTED)
            continue;
        first = status; // said; the others are looked at, too
        status = GRAZE_OK;
        count++;
    }
    gz_body_maker_free(&c.maker);
    gz_list_free(file->context, &c.batch);
    gz_list_free(file->context, &c.points);
    if (damaged != NULL)
        *damaged = count;
    return status == GRAZE_OK ? first : status;
}

graze_status graze_scene_check(graze_context *context, const char *path, graze_scene_report *report)
{
    graze_scene_report room;
    if (report == NULL)
        report = &room;
    *report = (graze_scene_report){0};
    if (context == NULL || path == NULL)
        return gz_fail_null(context, "graze_scene_check");
    gz_scene_file *file = NULL;
    uint32_t damaged = 0;
    graze_status status = gz_scene_file_open(context, path, &file);
    if (status != GRAZE_OK)
        return status;
    gz_scene_file_info info = gz_scene_file_get_info(file);
    status = gz_scene_file_check(file, &damaged);
    *report = (graze_scene_report){.file_bytes = info.file_bytes,
                                   .object_count = info.object_count,
                                   .shape_count = info.body_count,
                                   .shapes_damaged = damaged,
                                   .stored_count = info.stored_count};
    gz_scene_file_free(file);
    return status;
}
