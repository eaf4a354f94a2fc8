// Builds scene files. See scene_file.h.
//
// Bodies go to a temporary file as they are made. When all are there, those that are equal become
// one, and they are copied into the scene's file in the order of where they stand. So each mesh is
// read once, and neighbours in space are neighbours in the file.
#include "scene/scene_build.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/context.h"
#include "base/def.h"
#include "base/threads.h"
#include "geometry/pose.h"
#include "mesh/inspect/object_book.h"
#include "model/morton.h"
#include "scene/sources.h"

#define DEFAULT_MEMORY (UINT64_C(512) << 20)
#define READER_BYTES   (UINT64_C(16) << 20) // what reading takes beside the rest
#define COPY_BYTES     (UINT64_C(64) << 10)

// A body in its turn.
typedef struct turn {
    uint64_t place;  // on the curve
    uint32_t object; // the first that has it
    uint32_t body;
} turn;

typedef struct writing {
    gz_scene_build *build;
    graze_context *context;
    uint32_t *same;  // of each body: the one that it is equal to, maybe itself; later its number
    turn *turns;     // of those that are kept
    uint32_t *order; // bodies, equal ones side by side
    uint64_t kept;
    uint8_t copy[2][COPY_BYTES];
    gz_scene_header header;
} writing;

static graze_status out_of_memory(graze_context *context)
{
    return gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory for the bodies of a scene");
}

// --- Equal bodies

// By all that equal ones have in common, then by number.
static int compare_bodies(const gz_scene_body *a, const gz_scene_body *b)
{
    const uint64_t p[] = {a->hash,        a->triangle_count, a->precision,
                          a->model_bytes, a->point_count,    a->point_sum};
    const uint64_t q[] = {b->hash,        b->triangle_count, b->precision,
                          b->model_bytes, b->point_count,    b->point_sum};
    for (size_t i = 0; i < sizeof p / sizeof *p; ++i)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

static int compare_numbers(const void *a, const void *b, void *user)
{
    const gz_scene_body *bodies = user;
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    int order = compare_bodies(&bodies[p], &bodies[q]);
    return order != 0 ? order : p < q ? -1 : p > q;
}

// A model is a function of its triangles, and has their bits: two are equal if their bytes are.
static graze_status compare_bytes(writing *w, const gz_scene_body *a, const gz_scene_body *b,
                                  bool *equal)
{
    uint64_t bytes = gz_scene_body_bytes(a);
    graze_status status = GRAZE_OK;
    *equal = true;
    for (uint64_t at = 0; at < bytes && status == GRAZE_OK && *equal; at += COPY_BYTES) {
        uint64_t some = bytes - at < COPY_BYTES ? bytes - at : COPY_BYTES;
        status = gz_output_read(w->build->store, a->offset + at, w->copy[0], some);
        if (status == GRAZE_OK)
            status = gz_output_read(w->build->store, b->offset + at, w->copy[1], some);
        *equal = memcmp(w->copy[0], w->copy[1], (size_t)some) == 0;
    }
    return status;
}

static graze_status find_equal(writing *w)
{
    const gz_scene_body *bodies = w->build->bodies.items;
    uint32_t count = (uint32_t)w->build->bodies.count;
    graze_status status = GRAZE_OK;
    for (uint32_t i = 0; i < count; ++i)
        w->order[i] = w->same[i] = i;
    if (count != 0)
        qsort_r(w->order, count, sizeof *w->order, compare_numbers, (void *)bodies);
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i) {
        uint32_t body = w->order[i];
        bool equal = false;
        for (uint32_t k = i; k-- != 0 && !equal && status == GRAZE_OK;) {
            uint32_t other = w->order[k];
            if (compare_bodies(&bodies[other], &bodies[body]) != 0)
                break;
            if (w->same[other] != other)
                continue; // it is equal to one before it
            status = compare_bytes(w, &bodies[other], &bodies[body], &equal);
            if (equal)
                w->same[body] = other;
        }
    }
    return status;
}

// --- Their order

static bool middle_of(const gz_scene_body *body, const graze_pose *pose, double middle[3])
{
    for (int axis = 0; axis < 3; ++axis)
        middle[axis] = 0.5 * body->box[axis] + 0.5 * body->box[3 + axis];
    gz_pose_apply(pose, middle, middle);
    return body->triangle_count != 0 && isfinite(middle[0] + middle[1] + middle[2]);
}

static int compare_turns(const void *a, const void *b)
{
    const turn *p = a, *q = b;
    if (p->place != q->place)
        return p->place < q->place ? -1 : 1;
    return p->object < q->object ? -1 : p->object > q->object;
}

// Where the first objects that have them are, in a cube around all of these.
static void find_turns(writing *w)
{
    const gz_scene_build *build = w->build;
    const gz_scene_body *bodies = build->bodies.items;
    graze_box box = graze_box_empty();
    double middle[3], size = 0;
    w->kept = 0;
    for (uint64_t i = 0; i < build->bodies.count; ++i)
        w->order[i] = UINT32_MAX;
    for (uint64_t i = 0; i < build->objects.count; ++i) {
        const gz_scene_entry *entry = &build->objects.items[i];
        uint32_t body = w->same[entry->body];
        if (w->order[body] != UINT32_MAX)
            continue;
        w->order[body] = (uint32_t)i;
        w->turns[w->kept++] = (turn){.object = (uint32_t)i, .body = body};
        if (middle_of(&bodies[body], &entry->pose, middle))
            gz_box_add(&box, middle);
    }
    for (int axis = 0; axis < 3; ++axis)
        size = fmax(size, 0.5 * box.max[axis] - 0.5 * box.min[axis]);
    for (uint64_t i = 0; i < w->kept; ++i) {
        turn *t = &w->turns[i];
        if (!(size > 0 && size < HUGE_VAL) ||
            !middle_of(&bodies[t->body], &build->objects.items[t->object].pose, middle))
            continue;
        for (int axis = 0; axis < 3; ++axis)
            middle[axis] = (0.5 * middle[axis] - 0.5 * box.min[axis]) / size;
        t->place = gz_morton_place(middle);
    }
    if (w->kept != 0)
        qsort(w->turns, (size_t)w->kept, sizeof *w->turns, compare_turns);
}

// --- The file

// What cannot be asked about is not written.
static graze_status check_places(const gz_scene_build *build)
{
    for (uint64_t i = 0; i < build->objects.count; ++i) {
        const gz_scene_entry *entry = &build->objects.items[i];
        const gz_scene_body *body = &build->bodies.items[entry->body];
        if (body->triangle_count != 0 &&
            gz_pose_might_overflow(&entry->pose, body->box, body->box + 3))
            return gz_fail(build->context, GRAZE_ERROR_FORMAT,
                           "object \"%s\": its place is beyond the range of double",
                           (const char *)build->texts.items + entry->name);
    }
    return GRAZE_OK;
}

static graze_status copy_bodies(writing *w, gz_output *output)
{
    gz_scene_body *bodies = w->build->bodies.items;
    graze_status status = GRAZE_OK;
    for (uint64_t i = 0; i < w->kept && status == GRAZE_OK; ++i) {
        gz_scene_body *body = &bodies[w->turns[i].body];
        uint64_t from = body->offset, left = gz_scene_body_bytes(body);
        body->offset = gz_output_tell(output);
        while (left != 0 && status == GRAZE_OK) {
            uint64_t some = left < COPY_BYTES ? left : COPY_BYTES;
            status = gz_output_read(w->build->store, from, w->copy[0], some);
            if (status == GRAZE_OK)
                status = gz_output_write(output, w->copy[0], some);
            from += some;
            left -= some;
        }
        if (status == GRAZE_OK)
            status = gz_checkpoint(w->context, "writing", "objects", i + 1, w->kept);
    }
    return status;
}

static graze_status put(writing *w, gz_output *output, const void *bytes, uint64_t byte_count)
{
    if (byte_count == 0)
        return GRAZE_OK;
    w->header.directory_sum = gz_checksum(w->header.directory_sum, bytes, byte_count);
    return gz_output_write(output, bytes, byte_count);
}

// Bodies, objects, and texts.
static graze_status write_directory(writing *w, gz_output *output)
{
    gz_scene_build *build = w->build;
    w->header.directory_offset = gz_output_tell(output);
    gz_scene_body *table = GZ_NEW_ARRAY(w->context, gz_scene_body, w->kept);
    if (table == NULL && w->kept != 0)
        return out_of_memory(w->context);
    for (uint64_t i = 0; i < w->kept; ++i) {
        w->order[w->turns[i].body] = (uint32_t)i; // its number from here on
        table[i] = build->bodies.items[w->turns[i].body];
    }
    for (uint64_t i = 0; i < build->objects.count; ++i) {
        gz_scene_entry *entry = &build->objects.items[i];
        entry->body = w->order[w->same[entry->body]];
    }
    graze_status status = put(w, output, table, w->kept * sizeof *table);
    if (status == GRAZE_OK)
        status = put(w, output, build->objects.items,
                     build->objects.count * sizeof *build->objects.items);
    if (status == GRAZE_OK)
        status = put(w, output, build->texts.items, build->texts.count);
    GZ_FREE_ARRAY(w->context, table, w->kept);
    return status;
}

static graze_status write_file(writing *w, gz_output *output)
{
    gz_scene_build *build = w->build;
    gz_scene_header *h = &w->header;
    const graze_mesh_losses *losses = &build->losses;
    uint64_t kept[5] = {losses->nonfinite_vertices, losses->nonfinite_triangles,
                        losses->empty_polygons, losses->polygons, losses->other_primitives};
    *h = (gz_scene_header){.version = GZ_SCENE_VERSION,
                           .body_count = (uint32_t)w->kept,
                           .object_count = (uint32_t)build->objects.count,
                           .text_bytes = build->texts.count,
                           .metres_per_unit = build->metres_per_unit};
    memcpy(h->magic, GZ_SCENE_MAGIC, sizeof GZ_SCENE_MAGIC);
    memcpy(h->losses, kept, sizeof kept);
    graze_status status = gz_output_write(output, h, sizeof *h);
    if (status == GRAZE_OK)
        status = copy_bodies(w, output);
    if (status == GRAZE_OK)
        status = write_directory(w, output);
    h->file_bytes = gz_output_tell(output);
    h->own = gz_checksum(0, h, offsetof(gz_scene_header, own));
    return status == GRAZE_OK ? gz_output_patch(output, 0, h, sizeof *h) : status;
}

static graze_status write_scene(gz_scene_build *build, gz_output *output)
{
    graze_context *context = build->context;
    uint64_t count = build->bodies.count;
    writing *w = gz_allocate(context, sizeof *w);
    if (w == NULL)
        return out_of_memory(context);
    w->build = build;
    w->context = context;
    w->same = GZ_NEW_ARRAY(context, uint32_t, count);
    w->order = GZ_NEW_ARRAY(context, uint32_t, count);
    w->turns = GZ_NEW_ARRAY(context, turn, count);
    bool made = count == 0 || (w->same != NULL && w->order != NULL && w->turns != NULL);
    graze_status status = made ? gz_output_flush(build->store) : out_of_memory(context);
    if (status == GRAZE_OK)
        status = check_places(build);
    if (status == GRAZE_OK)
        status = find_equal(w);
    if (status == GRAZE_OK) {
        find_turns(w);
        status = write_file(w, output);
    }
    GZ_FREE_ARRAY(context, w->same, count);
    GZ_FREE_ARRAY(context, w->order, count);
    GZ_FREE_ARRAY(context, w->turns, count);
    gz_release(context, w, sizeof *w);
    return status;
}

static graze_status check_arguments(graze_context *context, const gz_scene_mesh *meshes,
                                    uint32_t count, const graze_scene_build_def *def)
{
    if (def->memory_bytes != 0 && def->memory_bytes < GRAZE_MODEL_LEAST_MEMORY)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                       "building a scene takes at least %" PRIu64 " MiB of memory, not %" PRIu64
                       " bytes",
                       GRAZE_MODEL_LEAST_MEMORY >> 20, def->memory_bytes);
    if (GZ_HOST_BIG_ENDIAN)
        return gz_fail(context, GRAZE_ERROR_UNSUPPORTED,
                       "scenes are built and opened on little-endian machines only");
    for (uint32_t i = 0; i < count; ++i) {
        if (meshes[i].path == NULL)
            return gz_fail_null(context, "graze_scene_build");
        if (meshes[i].pose != NULL && !gz_pose_sound(meshes[i].pose))
            return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                           "%s: its pose is not a rotation and a translation", meshes[i].path);
        if (graze_model_recognise(meshes[i].path) != 0)
            return gz_fail(context, GRAZE_ERROR_FORMAT,
                           "%s: this is a model: scene files are built of meshes", meshes[i].path);
        if (graze_scene_recognise(meshes[i].path) != 0)
            return gz_fail(context, GRAZE_ERROR_FORMAT,
                           "%s: this is a scene already: scene files are built of meshes",
                           meshes[i].path);
    }
    return GRAZE_OK;
}

static graze_status build_into(graze_context *context, const gz_scene_mesh *meshes, uint32_t count,
                               const graze_scene_build_def *given, const char *path,
                               gz_output **output)
{
    graze_scene_build_def room = graze_scene_build_def_default();
    const graze_scene_build_def *def =
        gz_def_known(context, "graze_scene_build", given, &room, sizeof room);
    *output = NULL;
    if (def == NULL)
        return GRAZE_ERROR_ARGUMENT;
    graze_status status = check_arguments(context, meshes, count, def);
    if (status != GRAZE_OK)
        return status;
    uint64_t memory = def->memory_bytes == 0 ? DEFAULT_MEMORY : def->memory_bytes;
    gz_scene_build build = {.context = context,
                            .memory_bytes = memory - READER_BYTES,
                            .no_levels = def->no_levels != 0,
                            .read = def->read};
    status = path == NULL ? gz_output_create_temporary(context, output)
                          : gz_output_create(context, path, output);
    if (status == GRAZE_OK)
        status = gz_output_create_temporary(context, &build.store);
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i)
        status = gz_scene_read_mesh(&build, &meshes[i]);
    if (status == GRAZE_OK)
        status = write_scene(&build, *output);
    gz_output_abandon(build.store);
    gz_list_free(context, &build.bodies);
    gz_list_free(context, &build.objects);
    gz_list_free(context, &build.texts);
    if (status != GRAZE_OK) {
        gz_output_abandon(*output);
        *output = NULL;
    }
    return status;
}

graze_status gz_scene_file_build(graze_context *context, const gz_scene_mesh *meshes,
                                 uint32_t count, const char *path, const graze_scene_build_def *def)
{
    gz_output *output = NULL;
    graze_status status = build_into(context, meshes, count, def, path, &output);
    return status == GRAZE_OK ? gz_output_commit(output) : status;
}

graze_status gz_scene_file_build_temporary(graze_context *context, const gz_scene_mesh *meshes,
                                           uint32_t count, const graze_scene_build_def *def,
                                           gz_scene_file **file)
{
    gz_output *output = NULL;
    *file = NULL;
    graze_status status = build_into(context, meshes, count, def, NULL, &output);
    if (status != GRAZE_OK)
        return status;
    status = gz_output_flush(output);
    if (status != GRAZE_OK) {
        gz_output_abandon(output);
        return status;
    }
    gz_file whole = gz_output_take_file(output);
    return gz_scene_file_open_file(context, whole.path, &whole, file);
}

graze_status graze_scene_build(graze_context *context, const graze_scene_source *sources,
                               uint32_t source_count, const char *scene_path,
                               const graze_scene_build_def *def)
{
    if (context == NULL || (sources == NULL && source_count != 0) || scene_path == NULL)
        return gz_fail_null(context, "graze_scene_build");
    gz_source_list files = {0};
    gz_scene_mesh *meshes = NULL;
    graze_status status = GRAZE_OK;
    for (uint32_t i = 0; i < source_count && status == GRAZE_OK; ++i)
        status = gz_sources_expand(context, &sources[i], &files);
    uint64_t count = files.count;
    if (status == GRAZE_OK && count > UINT32_MAX)
        status = gz_fail(context, GRAZE_ERROR_UNSUPPORTED, "a scene of more than 2^32 files");
    if (status == GRAZE_OK && count != 0) {
        meshes = GZ_NEW_ARRAY(context, gz_scene_mesh, count);
        if (meshes == NULL)
            status = out_of_memory(context);
    }
    for (uint64_t i = 0; i < count && status == GRAZE_OK; ++i)
        meshes[i] = gz_source_mesh(&files.items[i]);
    if (status == GRAZE_OK)
        status = gz_scene_file_build(context, meshes, (uint32_t)count, scene_path, def);
    if (meshes != NULL)
        GZ_FREE_ARRAY(context, meshes, count);
    gz_sources_free(context, &files);
    return status;
}

int graze_scene_recognise(const char *path)
{
    return path != NULL && gz_file_begins(path, GZ_SCENE_MAGIC, sizeof GZ_SCENE_MAGIC);
}
