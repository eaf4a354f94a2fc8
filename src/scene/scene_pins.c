// Bodies that are open: pinned ones, and those that were, while there is room. See scene_file.h.
//
// Whoever finds a body that is not open opens it, without the lock, and others wait for it. Small
// bodies that stand side by side in the file form bundles; the first of them that is opened reads
// the bundle, which stays as long as one of them is open. What nobody has pinned is in a list, the
// oldest first, and closes when the list has too many bytes.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "model/page_cache.h"
#include "query/closed.h"
#include "scene/scene_format.h"

#define LEAST_OPEN   (UINT64_C(4) << 20)
#define POINTS_BYTES (UINT64_C(64) << 10) // of an open body's points, in memory

bool gz_scene_pins_make(gz_scene_file *file)
{
    uint32_t count = file->header.body_count;
    uint64_t cache = file->context->def.cache_byte_limit;
    cache = (cache == 0 ? GZ_CACHE_DEFAULT_BYTES : cache) / 4;
    file->open_limit = cache < LEAST_OPEN ? LEAST_OPEN : cache;
    if (count == 0)
        return true;
    file->bundle_first = GZ_NEW_ARRAY(file->context, uint32_t, count);
    file->open = GZ_NEW_ARRAY(file->context, gz_open_body *, count);
    file->bundles = GZ_NEW_ARRAY(file->context, gz_scene_bundle *, count);
    if (file->bundle_first == NULL || file->open == NULL || file->bundles == NULL)
        return false;
    uint64_t bundle_bytes = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint64_t bytes = gz_scene_body_bytes(&file->bodies[i]);
        file->open[i] = NULL;
        file->bundles[i] = NULL;
        file->bundle_first[i] = UINT32_MAX;
        if (bytes >= GZ_BUNDLE_BODY_BYTES)
            continue;
        bool joins = i != 0 && file->bundle_first[i - 1] != UINT32_MAX &&
                     bundle_bytes + bytes <= GZ_BUNDLE_MOST_BYTES;
        file->bundle_first[i] = joins ? file->bundle_first[i - 1] : i;
        bundle_bytes = joins ? bundle_bytes + bytes : bytes;
    }
    return true;
}

// --- Bundles

static void free_bundle(const gz_scene_file *file, gz_scene_bundle *bundle)
{
    gz_release(file->context, bundle->bytes, bundle->byte_count);
    gz_release(file->context, bundle, sizeof *bundle);
}

static graze_status no_memory(const gz_scene_file *file, uint32_t body)
{
    return gz_fail(file->context, GRAZE_ERROR_MEMORY, "%s: out of memory for body %" PRIu32,
                   file->path, body);
}

// With one user. Its place in the file is that of its bodies, which stand one behind the other.
static gz_scene_bundle *make_bundle(const gz_scene_file *file, uint32_t first)
{
    gz_scene_bundle *made = gz_allocate(file->context, sizeof *made);
    if (made == NULL)
        return NULL;
    *made = (gz_scene_bundle){.first_body = first, .users = 1};
    while (first + made->body_count < file->header.body_count &&
           file->bundle_first[first + made->body_count] == first)
        made->byte_count += gz_scene_body_bytes(&file->bodies[first + made->body_count++]);
    made->bytes = gz_allocate(file->context, made->byte_count);
    if (made->bytes != NULL)
        return made;
    gz_release(file->context, made, sizeof *made);
    return NULL;
}

// With the lock: one user less. Returns what must be freed without it.
static gz_scene_bundle *leave_bundle(gz_scene_file *file, gz_scene_bundle *bundle)
{
    GZ_ASSERT(bundle->users != 0);
    if (--bundle->users != 0)
        return NULL;
    if (file->bundles[bundle->first_body] == bundle)
        file->bundles[bundle->first_body] = NULL;
    if (bundle->ready)
        file->open_bytes -= bundle->byte_count;
    return bundle;
}

// The bundle, if it is there, or when whoever reads it has done so; NULL: it is to be read. One
// user more either way. With the lock.
static gz_scene_bundle *wait_for_bundle(gz_scene_file *file, uint32_t first)
{
    gz_scene_bundle *bundle = file->bundles[first];
    if (bundle == NULL)
        return NULL;
    bundle->users++;
    while (!bundle->ready && !bundle->failed)
        pthread_cond_wait(&file->change, &file->lock);
    return bundle;
}

// The bundle of a body, with one user more.
static graze_status join_bundle(gz_scene_file *file, uint32_t body, gz_scene_bundle **joined)
{
    uint32_t first = file->bundle_first[body];
    gz_scene_bundle *bundle = NULL, *left = NULL;
    *joined = NULL;
    pthread_mutex_lock(&file->lock);
    while ((bundle = wait_for_bundle(file, first)) != NULL && bundle->failed) {
        left = leave_bundle(file, bundle); // try it oneself, and see why
        if (left != NULL)
            free_bundle(file, left);
    }
    bool reads = bundle == NULL;
    if (reads) {
        bundle = file->bundles[first] = make_bundle(file, first);
        file->read_count++;
    }
    pthread_mutex_unlock(&file->lock);
    if (bundle == NULL)
        return no_memory(file, body);
    *joined = bundle;
    if (!reads)
        return GRAZE_OK;
    graze_status status =
        gz_file_read_at(&file->file, file->bodies[first].offset, bundle->bytes, bundle->byte_count);
    left = NULL;
    pthread_mutex_lock(&file->lock);
    bundle->ready = status == GRAZE_OK;
    bundle->failed = !bundle->ready;
    if (bundle->ready) {
        file->open_bytes += bundle->byte_count;
    } else {
        file->bundles[first] = NULL;
        left = leave_bundle(file, bundle);
        *joined = NULL;
    }
    pthread_cond_broadcast(&file->change);
    pthread_mutex_unlock(&file->lock);
    if (left != NULL)
        free_bundle(file, left);
    return status;
}

// --- Bodies

static graze_status body_fails(const gz_scene_file *file, uint32_t number, uint64_t offset,
                               const char *what)
{
    return gz_fail(file->context, GRAZE_ERROR_FORMAT, "%s: byte %" PRIu64 ": body %" PRIu32 ": %s",
                   file->path, file->file.base + offset, number, what);
}

// Whether the model is what the table says.
static graze_status compare_with_table(const gz_scene_file *file, uint32_t number,
                                       const graze_model *model)
{
    const gz_scene_body *body = &file->bodies[number];
    const gz_model_header *h = &model->header;
    bool same = h->triangle_count == body->triangle_count && h->precision == body->precision &&
                h->cluster_count == body->cluster_count && h->object_count == 1;
    for (int i = 0; i < 6; ++i)
        same = same && h->box[i] == body->box[i];
    return same ? GRAZE_OK
                : body_fails(file, number, body->offset,
                             "the model is another one than the directory says");
}

// Points are within the box, so that whoever asks from there asks about the body.
static bool points_fit(const gz_scene_body *body, const double (*points)[3], uint64_t count)
{
    for (uint64_t i = 0; i < count; ++i)
        for (int axis = 0; axis < 3; ++axis)
            if (!(points[i][axis] >= body->box[axis] && points[i][axis] <= body->box[3 + axis]))
                return false;
    return true;
}

static graze_status set_components(gz_scene_file *file, uint32_t number, gz_file *whole,
                                   uint64_t start, graze_shape *shape)
{
    const gz_scene_body *body = &file->bodies[number];
    gz_spill kept = gz_spill_make(file->context, POINTS_BYTES);
    graze_status status = GRAZE_OK;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < body->point_count && status == GRAZE_OK;) {
        double points[GZ_POINTS_SUMMED][3];
        uint64_t left = body->point_count - i;
        uint64_t some = left < GZ_POINTS_SUMMED ? left : GZ_POINTS_SUMMED;
        status = gz_file_read_at(whole, start + i * GZ_SCENE_POINT_BYTES, points,
                                 some * GZ_SCENE_POINT_BYTES);
        sum = status == GRAZE_OK ? gz_points_sum(sum, points, some) : 0;
        if (status == GRAZE_OK && !points_fit(body, (const double(*)[3])points, some))
            status = body_fails(file, number, body->offset + body->model_bytes,
                                "a component is not where the body is");
        if (status == GRAZE_OK)
            status = gz_spill_append(&kept, points, some * GZ_SCENE_POINT_BYTES);
        i += some;
    }
    if (status == GRAZE_OK && sum != body->point_sum)
        status = body_fails(file, number, body->offset + body->model_bytes,
                            "its components are damaged: their checksum is another one");
    if (status == GRAZE_OK)
        return gz_shape_set_components(shape, body->closed != 0, body->point_count, &kept);
    gz_spill_free(&kept);
    return status;
}

static graze_status open_body(gz_scene_file *file, gz_open_body *open)
{
    const gz_scene_body *body = &file->bodies[open->number];
    gz_file whole = file->file; // of the bodies that were read, or of all
    uint64_t start = body->offset;
    graze_status status = GRAZE_OK;
    if (file->bundle_first[open->number] != UINT32_MAX) {
        status = join_bundle(file, open->number, &open->bundle);
        if (status != GRAZE_OK)
            return status;
        uint64_t from = file->bodies[open->bundle->first_body].offset;
        gz_file_open_memory(file->context, file->path, open->bundle->bytes,
                            open->bundle->byte_count, &whole);
        whole.base = file->file.base + from; // for messages
        start -= from;
    }
    gz_file window = gz_file_window(&whole, start, body->model_bytes);
    status = gz_model_open_file(file->context, file->path, &window, &open->model);
    if (status == GRAZE_OK)
        status = compare_with_table(file, open->number, open->model);
    if (status == GRAZE_OK)
        status = graze_shape_from_model(open->model, &open->shape);
    if (status == GRAZE_OK)
        status = set_components(file, open->number, &whole, start + body->model_bytes, open->shape);
    if (status == GRAZE_OK)
        open->bytes = sizeof *open + graze_shape_get_info(open->shape).byte_count;
    return status;
}

// Without the lock, when nobody can find it any more.
static void close_body(gz_scene_file *file, gz_open_body *open)
{
    gz_scene_bundle *left = NULL;
    graze_shape_free(open->shape);
    graze_model_free(open->model);
    if (open->bundle != NULL) {
        pthread_mutex_lock(&file->lock);
        if (open->leaving)
            open->bundle->leaving--;
        left = leave_bundle(file, open->bundle);
        pthread_mutex_unlock(&file->lock);
    }
    if (left != NULL)
        free_bundle(file, left);
    gz_release(file->context, open, sizeof *open);
}

// --- The list of those that nobody has pinned

static void leave_list(gz_scene_file *file, gz_open_body *open)
{
    *(open->older != NULL ? &open->older->newer : &file->oldest) = open->newer;
    *(open->newer != NULL ? &open->newer->older : &file->newest) = open->older;
    open->older = open->newer = NULL;
}

static void enter_list(gz_scene_file *file, gz_open_body *open)
{
    open->older = file->newest;
    open->newer = NULL;
    *(file->newest != NULL ? &file->newest->newer : &file->oldest) = open;
    file->newest = open;
}

// With the lock: takes out what is too much, the oldest first, in a chain by `newer`.
static gz_open_body *take_surplus(gz_scene_file *file)
{
    gz_open_body *surplus = NULL;
    uint64_t bytes = file->open_bytes;
    while (file->oldest != NULL && bytes > file->open_limit) {
        gz_open_body *open = file->oldest;
        leave_list(file, open);
        file->open[open->number] = NULL;
        file->open_bytes -= open->bytes;
        bytes -= open->bytes;
        open->leaving = true;
        if (open->bundle != NULL && ++open->bundle->leaving == open->bundle->users)
            bytes -= open->bundle->byte_count; // it will go, too
        open->newer = surplus;
        surplus = open;
    }
    return surplus;
}

static void close_chain(gz_scene_file *file, gz_open_body *chain)
{
    while (chain != NULL) {
        gz_open_body *next = chain->newer;
        close_body(file, chain);
        chain = next;
    }
}

// --- Pinning

// Puts a body that is being opened into the table, and opens it.
static graze_status pin_new(gz_scene_file *file, gz_open_body *open)
{
    graze_status status = open_body(file, open);
    pthread_mutex_lock(&file->lock);
    open->opening = false;
    if (status == GRAZE_OK) {
        file->open_bytes += open->bytes;
        file->read_count += open->bundle == NULL;
    } else {
        file->open[open->number] = NULL;
    }
    gz_open_body *surplus = take_surplus(file);
    pthread_cond_broadcast(&file->change);
    pthread_mutex_unlock(&file->lock);
    if (status != GRAZE_OK)
        close_body(file, open);
    close_chain(file, surplus);
    return status;
}

graze_status gz_scene_file_pin(gz_scene_file *file, uint32_t body, const graze_shape **shape)
{
    GZ_ASSERT(body < file->header.body_count);
    *shape = NULL;
    pthread_mutex_lock(&file->lock);
    gz_open_body *open = file->open[body];
    while (open != NULL && open->opening) {
        pthread_cond_wait(&file->change, &file->lock);
        open = file->open[body]; // it may have failed, and be gone
    }
    bool is_new = open == NULL;
    if (is_new) {
        open = file->open[body] = gz_allocate(file->context, sizeof *open);
        if (open != NULL)
            *open = (gz_open_body){.number = body, .pins = 1, .opening = true};
    } else if (open->pins++ == 0) {
        leave_list(file, open);
    }
    pthread_mutex_unlock(&file->lock);
    if (open == NULL)
        return no_memory(file, body);
    graze_status status = is_new ? pin_new(file, open) : GRAZE_OK;
    if (status == GRAZE_OK)
        *shape = open->shape;
    return status;
}

void gz_scene_file_unpin(gz_scene_file *file, uint32_t body)
{
    gz_open_body *surplus = NULL;
    pthread_mutex_lock(&file->lock);
    gz_open_body *open = file->open[body];
    GZ_ASSERT(open != NULL && open->pins != 0);
    if (--open->pins == 0) {
        enter_list(file, open);
        surplus = take_surplus(file);
    }
    pthread_mutex_unlock(&file->lock);
    close_chain(file, surplus);
}

void gz_scene_file_limit(gz_scene_file *file, uint64_t open_bytes)
{
    pthread_mutex_lock(&file->lock);
    file->open_limit = open_bytes;
    gz_open_body *surplus = take_surplus(file);
    pthread_mutex_unlock(&file->lock);
    close_chain(file, surplus);
}

void gz_scene_pins_free(gz_scene_file *file)
{
    uint32_t count = file->header.body_count;
    bool made = file->bundle_first != NULL && file->bundles != NULL && file->open != NULL;
    for (uint32_t i = 0; made && i < count; ++i) {
        gz_open_body *open = file->open[i];
        if (open == NULL)
            continue;
        GZ_ASSERT(open->pins == 0);
        leave_list(file, open);
        file->open_bytes -= open->bytes;
        close_body(file, open);
    }
    GZ_ASSERT(file->open_bytes == 0);
    GZ_FREE_ARRAY(file->context, file->bundle_first, count);
    GZ_FREE_ARRAY(file->context, file->open, count);
    GZ_FREE_ARRAY(file->context, file->bundles, count);
}

// --- What a pinned body has

static const gz_open_body *pinned(const gz_scene_file *file, uint32_t body)
{
    GZ_ASSERT(body < file->header.body_count);
    pthread_mutex_t *lock = &((gz_scene_file *)file)->lock;
    pthread_mutex_lock(lock);
    const gz_open_body *open = file->open[body];
    GZ_ASSERT(open != NULL && open->pins != 0);
    pthread_mutex_unlock(lock);
    return open;
}

graze_model *gz_scene_file_model(const gz_scene_file *file, uint32_t body)
{
    return pinned(file, body)->model;
}

uint32_t gz_scene_file_cluster_count(const gz_scene_file *file, uint32_t body)
{
    return pinned(file, body)->model->header.cluster_count;
}

graze_box gz_scene_file_cluster_box(const gz_scene_file *file, uint32_t body, uint32_t cluster)
{
    const graze_model *model = pinned(file, body)->model;
    GZ_ASSERT(cluster < model->header.cluster_count);
    gz_middle middle = gz_part_boxes_middle(&model->boxes, 0, cluster);
    graze_box box, whole = graze_model_get_info(model).box;
    for (int axis = 0; axis < 3; ++axis) {
        double low = nextafter(middle.origin[axis] - middle.half[axis], -HUGE_VAL);
        double high = nextafter(middle.origin[axis] + middle.half[axis], HUGE_VAL);
        box.min[axis] = fmax(low, whole.min[axis]);
        box.max[axis] = fmin(high, whole.max[axis]);
    }
    return box;
}
