// Reads meshes into bodies. See scene_build.h.
//
// A mesh is put aside while it is read (soup.h), and then followed once, in the order of the file:
// triangles of an object stand together. Ranges of few triangles are gathered, and made into bodies
// some at a time, on all threads; the others are put aside once more, and follow one by one when
// the mesh is not in the way any more. What is few enough for that depends on memory, the bodies do
// not.
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/context.h"
#include "base/def.h"
#include "base/threads.h"
#include "geometry/pose.h"
#include "scene/scene_build.h"

#define MAKER_BYTES   (UINT64_C(8) << 20)  // that a maker takes at least,
#define LEVELS_BYTES  (UINT64_C(40) << 20) // and with levels of detail
#define MAKER_OWN     (UINT64_C(4) << 20)  // whatever the body; and for each triangle,
#define TRIANGLE_COST 700u
#define LEVELS_COST   2800u // with levels of detail
#define BATCH_COST    256u  // of a triangle that is gathered, and what it becomes
#define BATCH_MOST    262144u
#define BATCH_JOBS    16384u
#define ASIDE_BYTES   (UINT64_C(1) << 20) // of triangles that are put aside, in memory

// A body to be made.
typedef struct job {
    uint64_t first, count; // triangles
    const double *matrix;  // NULL: none is applied
    const char *name;
    uint64_t offset; // of its triangles, where they were put
    bool aside;      // that is in the spill
    graze_status status;
    gz_scene_body made;
    gz_byte_list bytes;
} job;

// What an object needs; sorted, equal ones share a job.
typedef struct need {
    uint64_t first, count;
    const double *matrix;
    uint32_t object;
} need;

typedef struct reading {
    gz_scene_build *build;
    graze_context *context;
    gz_soup soup;
    gz_feed *feed;
    need *needs;
    GZ_LIST(job) jobs;      // in the order of the file
    uint64_t at, range_end; // jobs of the range that is being gathered
    uint64_t few;           // triangles
    gz_spill aside;
    // The batch: jobs from `done` to `at`.
    gz_byte_list batch;
    uint64_t batch_triangles, batch_limit;
    uint64_t done;
    _Atomic uint64_t next;
    gz_body_maker *makers;
    uint32_t maker_count;
    uint64_t triangles_done, triangles_all;
} reading;

static graze_status out_of_memory(graze_context *context)
{
    return gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory for the objects of a scene");
}

// --- Objects

// By their bits: -0 is not 0.
static int compare_matrices(const double a[12], const double b[12])
{
    for (int i = 0; i < 12; ++i) {
        uint64_t p, q;
        memcpy(&p, &a[i], sizeof p);
        memcpy(&q, &b[i], sizeof q);
        if (p != q)
            return p < q ? -1 : 1;
    }
    return 0;
}

static int compare_needs(const void *a, const void *b)
{
    const need *p = a, *q = b;
    if (p->first != q->first)
        return p->first < q->first ? -1 : 1;
    if (p->count != q->count) // an empty one may begin where another does
        return p->count < q->count ? -1 : 1;
    if ((p->matrix == NULL) != (q->matrix == NULL))
        return p->matrix == NULL ? -1 : 1;
    int order = p->matrix == NULL ? 0 : compare_matrices(p->matrix, q->matrix);
    if (order != 0)
        return order;
    return p->object < q->object ? -1 : p->object > q->object;
}

static bool share(const need *a, const need *b)
{
    return a->first == b->first && a->count == b->count &&
           (a->matrix == NULL) == (b->matrix == NULL) &&
           (a->matrix == NULL || compare_matrices(a->matrix, b->matrix) == 0);
}

// How an object is posed. False if its matrix must be applied.
static bool pose_object(const graze_object *object, const graze_pose *outer, graze_pose *pose)
{
    graze_pose own = graze_pose_identity();
    *pose = outer == NULL ? own : *outer;
    if (object->placed == 0)
        return true;
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column)
            own.rotation[3 * row + column] = object->matrix[4 * row + column];
        own.translation[row] = object->matrix[4 * row + 3];
    }
    graze_pose both = outer == NULL ? own : graze_pose_compose(outer, &own);
    if (!gz_pose_sound(&own) || !gz_pose_sound(&both))
        return false;
    *pose = both;
    return true;
}

// Appends a text of two, joined by '/' where both are there.
static bool put_text(gz_scene_build *build, const char *before, const char *text, uint32_t *at)
{
    uint64_t first = before == NULL ? 0 : strlen(before), second = strlen(text);
    uint64_t bytes = first + (first != 0 && second != 0) + second + 1;
    if (build->texts.count + bytes > UINT32_MAX)
        return false;
    *at = (uint32_t)build->texts.count;
    uint8_t *to = gz_list_push(build->context, &build->texts, bytes);
    if (to == NULL)
        return false;
    memset(to, 0, (size_t)bytes);
    if (first != 0)
        memcpy(to, before, (size_t)first);
    if (first != 0 && second != 0)
        to[first++] = '/';
    memcpy(to + first, text, (size_t)second);
    return true;
}

// The group, which mostly is that of the object before.
static bool put_group(gz_scene_build *build, const char *before, const char *group, uint32_t *at)
{
    uint32_t made;
    if (!put_text(build, before, group, &made))
        return false;
    const char *texts = (const char *)build->texts.items;
    *at = build->last_group;
    if (build->last_group_end != 0 && strcmp(texts + build->last_group, texts + made) == 0) {
        build->texts.count = made;
        return true;
    }
    *at = build->last_group = made;
    build->last_group_end = (uint32_t)build->texts.count;
    return true;
}

static graze_status list_needs(reading *r, const gz_scene_mesh *mesh)
{
    gz_scene_build *build = r->build;
    graze_status status = gz_soup_complete_objects(&r->soup);
    if (status != GRAZE_OK)
        return status;
    uint64_t count = r->soup.objects.count;
    if (build->objects.count + count > UINT32_MAX / 2)
        return gz_fail(r->context, GRAZE_ERROR_UNSUPPORTED, "a scene has fewer than 2^31 objects");
    r->needs = GZ_NEW_ARRAY(r->context, need, count);
    gz_scene_entry *entries = gz_list_push(r->context, &build->objects, count);
    if (r->needs == NULL || entries == NULL)
        return out_of_memory(r->context);
    memset(entries, 0, (size_t)count * sizeof *entries);
    for (uint64_t i = 0; i < count; ++i) {
        const graze_object *object = &r->soup.objects.items[i];
        bool posed = pose_object(object, mesh->pose, &entries[i].pose);
        r->needs[i] =
            (need){object->first_triangle, object->triangle_count,
                   posed || object->triangle_count == 0 ? NULL : object->matrix, (uint32_t)i};
        if (!put_text(build, NULL, object->name, &entries[i].name) ||
            !put_group(build, mesh->group, object->group, &entries[i].group))
            return out_of_memory(r->context);
        if (object->triangle_count >= UINT64_C(1) << 31)
            return gz_fail(r->context, GRAZE_ERROR_UNSUPPORTED,
                           "object \"%s\" has 2^31 triangles or more", object->name);
    }
    return GRAZE_OK;
}

static graze_status list_jobs(reading *r)
{
    gz_scene_build *build = r->build;
    uint64_t count = r->soup.objects.count;
    gz_scene_entry *entries = build->objects.items + (build->objects.count - count);
    qsort(r->needs, (size_t)count, sizeof *r->needs, compare_needs);
    for (uint64_t i = 0; i < count; ++i) {
        const need *n = &r->needs[i];
        if (i == 0 || !share(n, n - 1)) {
            job *made = gz_list_push(r->context, &r->jobs, 1);
            if (made == NULL)
                return out_of_memory(r->context);
            *made = (job){.first = n->first,
                          .count = n->count,
                          .matrix = n->matrix,
                          .name = r->soup.objects.items[n->object].name};
            r->triangles_all += n->count;
        }
        entries[n->object].body = (uint32_t)(build->bodies.count + r->jobs.count - 1);
    }
    return gz_list_push(r->context, &build->bodies, r->jobs.count) != NULL
               ? GRAZE_OK
               : out_of_memory(r->context);
}

// --- Bodies of few triangles

static void make_bodies(void *data, uint32_t index)
{
    reading *r = data;
    gz_body_maker *maker = &r->makers[index];
    for (;;) {
        uint64_t number = atomic_fetch_add(&r->next, 1);
        if (number >= r->at)
            return;
        job *j = &r->jobs.items[number];
        if (j->aside)
            continue;
        gz_body_source source = {.name = j->name,
                                 .precision = r->soup.header.precision,
                                 .triangle_count = j->count,
                                 .bytes =
                                     r->batch.items == NULL ? NULL : r->batch.items + j->offset,
                                 .matrix = j->matrix};
        j->status = gz_body_make_few(maker, &source, &j->made);
        uint64_t bytes = j->status == GRAZE_OK ? gz_output_tell(maker->output) : 0;
        if (bytes != 0 &&
            (!gz_list_reserve(r->context, &j->bytes, bytes) ||
             !gz_list_append(r->context, &j->bytes, gz_output_bytes(maker->output), bytes)))
            j->status = out_of_memory(r->context);
    }
}

static graze_status keep_body(reading *r, uint64_t number, const gz_scene_body *made)
{
    gz_scene_build *build = r->build;
    build->bodies.items[build->bodies.count - r->jobs.count + number] = *made;
    r->triangles_done += made->triangle_count;
    return gz_checkpoint(r->context, "building", "triangles", r->triangles_done, r->triangles_all);
}

static graze_status end_batch(reading *r)
{
    graze_status status = GRAZE_OK;
    atomic_store(&r->next, r->done);
    gz_parallel(r->context, r->maker_count, make_bodies, r);
    for (uint64_t i = r->done; i < r->at; ++i) {
        job *j = &r->jobs.items[i];
        if (j->aside)
            continue;
        if (status == GRAZE_OK)
            status = j->status;
        j->made.offset = gz_output_tell(r->build->store);
        if (status == GRAZE_OK)
            status = gz_output_write(r->build->store, j->bytes.items, j->bytes.count);
        if (status == GRAZE_OK)
            status = keep_body(r, i, &j->made);
        gz_list_free(r->context, &j->bytes);
    }
    r->done = r->at;
    r->batch.count = 0;
    r->batch_triangles = 0;
    return status;
}

static graze_status make_makers(reading *r)
{
    const gz_scene_build *build = r->build;
    uint64_t share = build->memory_bytes / 4; // half is the mesh's, and a quarter the batch's
    uint64_t least = build->no_levels ? MAKER_BYTES : LEVELS_BYTES, most = share / least;
    most = most < r->context->def.thread_count ? most : r->context->def.thread_count;
    uint32_t count = most < 1 ? 1 : (uint32_t)most;
    r->few = (share / count - MAKER_OWN) / (build->no_levels ? TRIANGLE_COST : LEVELS_COST);
    r->few = r->few < GZ_BODY_FEW ? r->few : GZ_BODY_FEW;
    r->batch_limit = share / BATCH_COST < BATCH_MOST ? share / BATCH_COST : BATCH_MOST;
    r->makers = GZ_NEW_ARRAY(r->context, gz_body_maker, count);
    if (r->makers == NULL)
        return out_of_memory(r->context);
    memset(r->makers, 0, count * sizeof *r->makers);
    r->maker_count = count;
    graze_status status = GRAZE_OK;
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i)
        status = gz_body_maker_init(r->context, share / count, build->no_levels, &r->makers[i]);
    return status;
}

static void free_makers(reading *r)
{
    for (uint32_t i = 0; r->makers != NULL && i < r->maker_count; ++i)
        gz_body_maker_free(&r->makers[i]);
    GZ_FREE_ARRAY(r->context, r->makers, r->maker_count);
    r->makers = NULL;
}

// --- Gathering

// The next range begins: that of the job at hand, and of those that share it.
static void begin_range(reading *r)
{
    job *jobs = r->jobs.items;
    bool aside = jobs[r->at].count > r->few;
    for (r->range_end = r->at;
         r->range_end < r->jobs.count && jobs[r->range_end].first == jobs[r->at].first &&
         jobs[r->range_end].count == jobs[r->at].count;
         ++r->range_end) {
        jobs[r->range_end].aside = aside;
        jobs[r->range_end].offset = aside ? r->aside.byte_count : r->batch.count;
    }
}

static graze_status end_range(reading *r)
{
    if (!r->jobs.items[r->at].aside)
        r->batch_triangles += (r->range_end - r->at) * r->jobs.items[r->at].count;
    r->at = r->range_end;
    return r->batch_triangles >= r->batch_limit || r->at - r->done >= BATCH_JOBS ? end_batch(r)
                                                                                 : GRAZE_OK;
}

static graze_status put_triangle(reading *r, bool aside, const graze_triangle *triangle)
{
    uint8_t bytes[72];
    uint32_t count = gz_body_triangle_bytes(r->soup.header.precision);
    if (r->soup.header.precision == GRAZE_FLOAT64) {
        memcpy(bytes, triangle->corner, 72);
    } else {
        float narrow[9];
        for (int i = 0; i < 9; ++i)
            narrow[i] = (float)triangle->corner[i / 3][i % 3]; // it was one
        memcpy(bytes, narrow, sizeof narrow);
    }
    if (aside)
        return gz_spill_append(&r->aside, bytes, count);
    uint8_t *to = gz_list_push(r->context, &r->batch, count);
    if (to == NULL)
        return out_of_memory(r->context);
    memcpy(to, bytes, count);
    return GRAZE_OK;
}

// Ranges without triangles that are next.
static graze_status pass_empty(reading *r)
{
    graze_status status = GRAZE_OK;
    while (status == GRAZE_OK && r->at < r->jobs.count && r->jobs.items[r->at].count == 0) {
        begin_range(r);
        status = end_range(r);
    }
    return status;
}

static graze_status take(reading *r, uint64_t number, const graze_triangle *triangle)
{
    graze_status status = GRAZE_OK;
    if (r->at == r->jobs.count)
        return GRAZE_OK; // a triangle of no object
    const job *j = &r->jobs.items[r->at];
    if (number < j->first)
        return GRAZE_OK;
    GZ_ASSERT(number - j->first < j->count); // ranges do not overlap
    if (number == j->first)
        begin_range(r);
    status = put_triangle(r, j->aside, triangle);
    if (status == GRAZE_OK && number - j->first == j->count - 1) {
        status = end_range(r);
        if (status == GRAZE_OK)
            status = pass_empty(r);
    }
    return status;
}

static graze_status gather(reading *r)
{
    graze_status status = gz_soup_open_feed(&r->soup, "building", &r->feed);
    if (status == GRAZE_OK)
        status = pass_empty(r);
    while (status == GRAZE_OK && (status = gz_feed_fill(r->feed)) == GRAZE_OK &&
           r->feed->count != 0)
        for (uint32_t i = 0; i < r->feed->count && status == GRAZE_OK; ++i)
            status = take(r, r->feed->next_triangle + i, &r->feed->triangles[i]);
    gz_feed_close(r->feed);
    GZ_ASSERT(status != GRAZE_OK || r->at == r->jobs.count);
    return status == GRAZE_OK ? end_batch(r) : status;
}

// --- What was put aside

static graze_status make_from_spill(reading *r, const gz_body_source *source, gz_scene_body *made)
{
    gz_scene_build *build = r->build;
    gz_body_maker maker = {0};
    uint64_t bytes = source->triangle_count * gz_body_triangle_bytes(source->precision);
    uint8_t *triangles = gz_allocate(r->context, bytes);
    gz_body_source few = *source;
    few.bytes = triangles;
    graze_status status = triangles == NULL ? out_of_memory(r->context) : GRAZE_OK;
    if (status == GRAZE_OK)
        status = gz_spill_read(source->spill, source->offset, triangles, bytes);
    if (status == GRAZE_OK)
        status = gz_body_maker_init(r->context, build->memory_bytes / 4, build->no_levels, &maker);
    if (status == GRAZE_OK)
        status = gz_body_make_few(&maker, &few, made);
    made->offset = gz_output_tell(build->store);
    if (status == GRAZE_OK)
        status = gz_output_write(build->store, gz_output_bytes(maker.output),
                                 gz_output_tell(maker.output));
    gz_body_maker_free(&maker);
    gz_release(r->context, triangles, bytes);
    return status;
}

static graze_status make_aside(reading *r)
{
    gz_scene_build *build = r->build;
    graze_status status = GRAZE_OK;
    for (uint64_t i = 0; i < r->jobs.count && status == GRAZE_OK; ++i) {
        const job *j = &r->jobs.items[i];
        if (!j->aside)
            continue;
        gz_body_source source = {.name = j->name,
                                 .precision = r->soup.header.precision,
                                 .triangle_count = j->count,
                                 .spill = &r->aside,
                                 .offset = j->offset,
                                 .matrix = j->matrix};
        gz_scene_body made = {0};
        status = j->count <= GZ_BODY_FEW
                     ? make_from_spill(r, &source, &made)
                     : gz_body_make_many(r->context, &source, build->memory_bytes / 4,
                                         build->no_levels, build->store, &made);
        if (status == GRAZE_OK)
            status = keep_body(r, i, &made);
    }
    return status;
}

// --- All of it

static graze_status check_unit(gz_scene_build *build, const char *path, double metres_per_unit)
{
    if (metres_per_unit == 0 && build->metres_per_unit != 0)
        gz_log(build->context, GRAZE_LOG_WARNING,
               "%s: it does not say its unit, which is taken to be that of the scene, %g m", path,
               build->metres_per_unit);
    if (metres_per_unit == 0)
        return GRAZE_OK;
    if (build->metres_per_unit != 0 && build->metres_per_unit != metres_per_unit)
        return gz_fail(build->context, GRAZE_ERROR_FORMAT,
                       "%s has a unit of %g metres, and %s one of %g metres: a scene has one unit",
                       build->unit_path, build->metres_per_unit, path, metres_per_unit);
    if (build->metres_per_unit == 0)
        build->unit_path = path;
    build->metres_per_unit = metres_per_unit;
    return GRAZE_OK;
}

static void add_losses(graze_mesh_losses *sum, const graze_mesh_losses *losses)
{
    sum->nonfinite_vertices += losses->nonfinite_vertices;
    sum->nonfinite_triangles += losses->nonfinite_triangles;
    sum->empty_polygons += losses->empty_polygons;
    sum->polygons += losses->polygons;
    sum->other_primitives += losses->other_primitives;
}

static graze_status read_mesh(reading *r, const gz_scene_mesh *mesh)
{
    gz_scene_build *build = r->build;
    graze_mesh_sink sink = gz_soup_sink(&r->soup);
    graze_mesh_read_def room = graze_mesh_read_def_default();
    const graze_mesh_read_def *given =
        gz_def_known(r->context, "graze_scene_build", build->read, &room, sizeof room);
    if (given == NULL)
        return GRAZE_ERROR_ARGUMENT;
    room = *given;
    if (mesh->metres_per_unit != 0)
        room.metres_per_unit = mesh->metres_per_unit;
    graze_status status = graze_mesh_stream(r->context, mesh->path, &room, &sink);
    if (status == GRAZE_OK)
        status = check_unit(build, mesh->path, r->soup.header.metres_per_unit);
    if (status == GRAZE_OK)
        status = list_needs(r, mesh);
    if (status == GRAZE_OK)
        status = list_jobs(r);
    if (status == GRAZE_OK)
        status = make_makers(r);
    if (status == GRAZE_OK)
        status = gather(r);
    free_makers(r);
    gz_list_free(r->context, &r->batch);
    gz_positions_free(&r->soup.positions);
    gz_spill_free(&r->soup.corners);
    if (status == GRAZE_OK)
        status = make_aside(r);
    add_losses(&build->losses, &r->soup.losses);
    return status;
}

graze_status gz_scene_read_mesh(gz_scene_build *build, const gz_scene_mesh *mesh)
{
    graze_context *context = build->context;
    reading *r = gz_allocate(context, sizeof *r);
    if (r == NULL)
        return out_of_memory(context);
    *r =
        (reading){.build = build, .context = context, .aside = gz_spill_make(context, ASIDE_BYTES)};
    gz_soup_init(context, build->memory_bytes / 2, &r->soup);
    graze_status status = read_mesh(r, mesh);
    for (uint64_t i = 0; i < r->jobs.count; ++i)
        gz_list_free(context, &r->jobs.items[i].bytes);
    gz_list_free(context, &r->jobs);
    GZ_FREE_ARRAY(context, r->needs, r->soup.objects.count);
    gz_spill_free(&r->aside);
    gz_soup_free(&r->soup);
    gz_release(context, r, sizeof *r);
    return status;
}
