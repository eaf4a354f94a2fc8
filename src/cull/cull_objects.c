// The objects of a frame: are they sound, where are they, and which are near each other? See
// cull_state.h.
//
// All vertices are looked at, not only those that triangles name: that is quicker by far, since
// they lie in a row, and a box that is too large costs time only. Where there are more vertices
// than corners, or one of them is not finite, it is done by corners.
#include <inttypes.h>
#include <math.h>

#include "base/context.h"
#include "base/sort.h"
#include "base/threads.h"
#include "boxtree/pair_sort.h"
#include "cull/cull_kernels.h"
#include "geometry/fpu.h"

// --- Chunks

static void refuse(graze_cull *cull, uint32_t number)
{
    cull->objects.items[number].refused = true;
    cull->objects.items[number].triangle_count = 0;
}

#define REFUSE(cull, number, why, ...)                                                             \
    do {                                                                                           \
        gz_log((cull)->context, GRAZE_LOG_WARNING,                                                 \
               "graze_cull_frame: object %" PRIu32 " is left out: " why, number, __VA_ARGS__);     \
        refuse(cull, number);                                                                      \
    } while (0)

static void check_view(graze_cull *cull, uint32_t number)
{
    const graze_mesh_view *view = cull->objects.items[number].view;
    if (view->precision != GRAZE_FLOAT32 && view->precision != GRAZE_FLOAT64)
        REFUSE(cull, number, "coordinates of %d bytes are not known", (int)view->precision);
    else if (view->triangle_count != 0 &&
             (view->corners == NULL || (view->vertex_count != 0 && view->positions == NULL)))
        REFUSE(cull, number, "%s", "an array is missing");
    else if (view->object_count != 0 && view->objects == NULL)
        REFUSE(cull, number, "%s", "its list of objects is missing");
    else
        for (uint64_t i = 0; i < view->object_count; ++i)
            if (view->objects[i].placed != 0) {
                REFUSE(cull, number,
                       "its own object %" PRIu64 " is placed by a matrix, which a frame cannot", i);
                return;
            }
}

// Chunks share the vertices evenly, too.
static graze_status cut_into_chunks(graze_cull *cull, uint32_t number)
{
    gz_cull_object *object = &cull->objects.items[number];
    gz_cull_content *content = &cull->contents.items[number];
    uint32_t count = object->triangle_count / GZ_CULL_CHUNK +
                     (object->triangle_count % GZ_CULL_CHUNK != 0 ? 1 : 0);
    content->first_chunk = (uint32_t)cull->chunks.count;
    content->chunk_count = count;
    content->by_corners = object->view->vertex_count > 3 * object->view->triangle_count;
    gz_cull_chunk *chunks = gz_list_push(cull->context, &cull->chunks, count);
    if (chunks == NULL && count != 0)
        return GRAZE_ERROR_MEMORY;
    uint64_t vertices = content->by_corners ? 0 : object->view->vertex_count;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t first = i * GZ_CULL_CHUNK, rest = object->triangle_count - first;
        uint64_t first_vertex = vertices * i / count;
        chunks[i] = (gz_cull_chunk){.object = number,
                                    .first = first,
                                    .count = rest < GZ_CULL_CHUNK ? rest : GZ_CULL_CHUNK,
                                    .first_vertex = first_vertex,
                                    .vertex_count = vertices * (i + 1) / count - first_vertex,
                                    .box = graze_box_empty(),
                                    .finite = true};
    }
    return GRAZE_OK;
}

// --- A look at each chunk

static void add_point(graze_box *box, bool *finite, const double point[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        box->min[axis] = point[axis] < box->min[axis] ? point[axis] : box->min[axis];
        box->max[axis] = point[axis] > box->max[axis] ? point[axis] : box->max[axis];
        *finite = *finite && isfinite(point[axis]);
    }
}

static void look_at_vertices(const graze_cull *cull, const graze_mesh_view *view,
                             gz_cull_chunk *chunk)
{
    if (chunk->vertex_count == 0)
        return;
    if (view->precision == GRAZE_FLOAT64) {
        const double *point = (const double *)view->positions + 3 * chunk->first_vertex;
        for (uint64_t i = 0; i < chunk->vertex_count; ++i, point += 3)
            add_point(&chunk->box, &chunk->finite, point);
        return;
    }
    float low[3], high[3];
    const float *points = (const float *)view->positions + 3 * chunk->first_vertex;
    chunk->finite = gz_cull_kernels_for(graze_context_simd(cull->context))
                        ->bounds(points, chunk->vertex_count, low, high);
    for (int axis = 0; axis < 3; ++axis) {
        chunk->box.min[axis] = (double)low[axis];
        chunk->box.max[axis] = (double)high[axis];
    }
}

static void look_at_chunk(void *data, uint32_t number)
{
    graze_cull *cull = data;
    gz_cull_chunk *chunk = &cull->chunks.items[number];
    const graze_mesh_view *view = cull->objects.items[chunk->object].view;
    const uint32_t *corners = view->corners + 3 * (uint64_t)chunk->first;
    gz_fpu_state state = gz_fpu_enter();
    uint32_t largest = 0;
    for (uint32_t i = 0; i < 3 * chunk->count; ++i)
        largest = corners[i] > largest ? corners[i] : largest;
    chunk->largest = largest;
    look_at_vertices(cull, view, chunk);
    gz_fpu_leave(state);
}

// By corners; those that name no vertex have been seen.
static void look_again(void *data, uint32_t number)
{
    graze_cull *cull = data;
    gz_cull_chunk *chunk = &cull->chunks.items[number];
    const gz_cull_object *object = &cull->objects.items[chunk->object];
    if (!cull->contents.items[chunk->object].by_corners || object->refused)
        return;
    gz_fpu_state state = gz_fpu_enter();
    chunk->box = graze_box_empty();
    chunk->finite = true;
    for (uint64_t i = chunk->first; i < (uint64_t)chunk->first + chunk->count; ++i)
        for (uint32_t k = 0; k < 3; ++k) {
            double point[3];
            graze_mesh_view_corner(object->view, i, k, point);
            add_point(&chunk->box, &chunk->finite, point);
        }
    gz_fpu_leave(state);
}

// Which triangle is the first to name such a vertex?
static uint64_t first_beyond(const graze_mesh_view *view)
{
    uint64_t i = 0;
    while (view->corners[i] < view->vertex_count)
        ++i;
    return i;
}

static uint64_t first_infinite(const graze_mesh_view *view)
{
    for (uint64_t i = 0;; ++i)
        for (uint32_t k = 0; k < 3; ++k) {
            double p[3];
            graze_mesh_view_corner(view, i, k, p);
            if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]))
                return i;
        }
}

// What its chunks have seen, put together. Returns whether it must be done by corners.
static bool judge(graze_cull *cull, uint32_t number)
{
    gz_cull_object *object = &cull->objects.items[number];
    gz_cull_content *content = &cull->contents.items[number];
    const gz_cull_chunk *chunks = cull->chunks.items + content->first_chunk;
    bool finite = true;
    uint32_t largest = 0;
    content->bounds = graze_box_empty();
    for (uint32_t i = 0; i < content->chunk_count; ++i) {
        content->bounds = graze_box_join(&content->bounds, &chunks[i].box);
        finite = finite && chunks[i].finite;
        largest = chunks[i].largest > largest ? chunks[i].largest : largest;
    }
    if (object->triangle_count == 0)
        return false;
    if (largest >= object->view->vertex_count) {
        uint64_t i = first_beyond(object->view);
        REFUSE(cull, number,
               "triangle %" PRIu64 " names vertex %" PRIu32 ", but there are only %" PRIu64, i / 3,
               object->view->corners[i], object->view->vertex_count);
        return false;
    }
    bool again = !content->by_corners && !finite;
    content->by_corners = content->by_corners || again;
    return content->by_corners;
}

static void judge_corners(graze_cull *cull, uint32_t number)
{
    gz_cull_content *content = &cull->contents.items[number];
    gz_cull_object *object = &cull->objects.items[number];
    if (!content->by_corners || object->refused || object->triangle_count == 0)
        return;
    judge(cull, number);
    for (uint32_t i = 0; i < content->chunk_count; ++i)
        if (!cull->chunks.items[content->first_chunk + i].finite) {
            REFUSE(cull, number, "triangle %" PRIu64 " has a coordinate that is not finite",
                   first_infinite(object->view));
            return;
        }
}

// --- Units of the frame

// A power of two that makes the frame about 2^16 large, and has a reciprocal, as a float has to
// have where it is one.
static double scale_for(const graze_box *all, bool raw)
{
    double half = 0;
    for (int axis = 0; axis < 3; ++axis)
        half = fmax(half, all->max[axis] / 2 - all->min[axis] / 2);
    int exponent = 0, most = raw ? 120 : 1000;
    if (!(half > 0))
        return 1;
    (void)frexp(half, &exponent);
    exponent = 15 - exponent;
    return ldexp(1, exponent > most ? most : exponent < -most ? -most : exponent);
}

static void choose_units(graze_cull *cull)
{
    gz_cull_frame *frame = &cull->frame;
    graze_box all = graze_box_empty();
    frame->raw = true;
    for (uint64_t i = 0; i < cull->objects.count; ++i) {
        const gz_cull_object *object = &cull->objects.items[i];
        if (object->triangle_count == 0)
            continue;
        frame->raw = frame->raw && object->view->precision == GRAZE_FLOAT32;
        all = graze_box_join(&all, &cull->contents.items[i].bounds);
    }
    cull->test_scale = scale_for(&all, frame->raw);
    frame->scale = frame->raw ? 1 : cull->test_scale;
    for (int axis = 0; axis < 3; ++axis)
        frame->origin[axis] = !frame->raw && all.min[axis] <= all.max[axis]
                                  ? all.min[axis] / 2 + all.max[axis] / 2
                                  : 0;
    // Half of it may be lost to underflow.
    double half = frame->tolerance / 2 * frame->scale;
    frame->grow = frame->tolerance > 0 ? gz_step_up(gz_round_up(half)) : 0;
}

static gz_cull_box box_in_frame(const gz_cull_frame *frame, const graze_box *bounds)
{
    gz_cull_box box = {{0}, {0}};
    for (int axis = 0; axis < 3; ++axis) {
        double low = (bounds->min[axis] - frame->origin[axis]) * frame->scale;
        double high = (bounds->max[axis] - frame->origin[axis]) * frame->scale;
        box.low[axis] = gz_round_down(low);
        box.high[axis] = gz_round_up(high);
        if (!frame->raw) {
            box.low[axis] = gz_step_down(box.low[axis]);
            box.high[axis] = gz_step_up(box.high[axis]);
        }
    }
    gz_cull_box_grow(&box, frame->grow);
    return box;
}

// Places in the masks, and rows, of all objects and chunks.
static graze_status give_places(graze_cull *cull)
{
    uint64_t places = 0, rows = 0, tiers = 0;
    for (uint64_t i = 0; i < cull->objects.count; ++i) {
        gz_cull_object *object = &cull->objects.items[i];
        gz_cull_content *content = &cull->contents.items[i];
        object->first = (uint32_t)places;
        content->first_row = (uint32_t)rows;
        content->first_tier = (uint32_t)tiers;
        if (object->triangle_count == 0)
            content->chunk_count = 0;
        for (uint32_t k = 0; k < content->chunk_count; ++k) {
            gz_cull_chunk *chunk = &cull->chunks.items[content->first_chunk + k];
            chunk->first_block = (uint32_t)(places / GZ_CULL_BLOCK);
            chunk->first_row = (uint32_t)rows;
            chunk->row_count =
                (chunk->count + GZ_CULL_GROUP * GZ_CULL_ROW - 1) / (GZ_CULL_GROUP * GZ_CULL_ROW);
            places += (chunk->count + GZ_CULL_BLOCK - 1) / GZ_CULL_BLOCK * GZ_CULL_BLOCK;
            rows += chunk->row_count;
        }
        content->row_count = (uint32_t)(rows - content->first_row);
        content->tier_count = (content->row_count + GZ_CULL_ROW - 1) / GZ_CULL_ROW;
        tiers += content->tier_count;
    }
    cull->frame.place_count = places;
    cull->rows.count = rows; // they are made later
    cull->tiers.count = tiers;
    return places < UINT32_MAX ? GRAZE_OK : GRAZE_ERROR_UNSUPPORTED;
}

graze_status gz_cull_take_objects(graze_cull *cull, const graze_mesh_view *views, uint32_t count)
{
    graze_status status = GZ_CULL_SIZE(cull, objects, count);
    if (status == GRAZE_OK)
        status = GZ_CULL_SIZE(cull, contents, count);
    cull->chunks.count = cull->refused.count = 0;
    uint64_t triangles = 0;
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i) {
        cull->objects.items[i] = (gz_cull_object){.view = &views[i]};
        cull->contents.items[i] = (gz_cull_content){.chunk_count = 0};
        triangles += views[i].triangle_count < (UINT64_C(1) << 31) ? views[i].triangle_count
                                                                   : UINT64_C(1) << 31;
        if (triangles >= UINT64_C(1) << 31)
            return gz_fail(cull->context, GRAZE_ERROR_UNSUPPORTED,
                           "graze_cull_frame: a frame has less than 2^31 triangles");
        check_view(cull, i);
        if (!cull->objects.items[i].refused)
            cull->objects.items[i].triangle_count = (uint32_t)views[i].triangle_count;
        status = cut_into_chunks(cull, i);
    }
    if (status != GRAZE_OK)
        return status;
    cull->counters.triangles = triangles;
    gz_parallel(cull->context, (uint32_t)cull->chunks.count, look_at_chunk, cull);
    bool again = false;
    for (uint32_t i = 0; i < count; ++i)
        again = judge(cull, i) || again;
    if (again)
        gz_parallel(cull->context, (uint32_t)cull->chunks.count, look_again, cull);
    for (uint32_t i = 0; i < count; ++i) {
        if (again)
            judge_corners(cull, i);
        if (!cull->objects.items[i].refused)
            continue;
        uint32_t *refused = gz_list_push(cull->context, &cull->refused, 1);
        if (refused == NULL)
            return GRAZE_ERROR_MEMORY;
        *refused = i;
    }
    choose_units(cull);
    for (uint32_t i = 0; i < count; ++i)
        cull->objects.items[i].box =
            cull->objects.items[i].triangle_count == 0
                ? gz_cull_box_none()
                : box_in_frame(&cull->frame, &cull->contents.items[i].bounds);
    return give_places(cull);
}

// --- Pairs of objects, by sweeping along an axis

// The axis along which boxes are spread most, compared with how long they are.
static int choose_axis(const graze_cull *cull)
{
    double best = -1;
    int chosen = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double low = HUGE_VAL, high = -HUGE_VAL, lengths = 0;
        for (uint64_t i = 0; i < cull->order.count; ++i) {
            const gz_cull_box *box = &cull->objects.items[cull->order.items[i]].box;
            low = fmin(low, (double)box->low[axis]);
            high = fmax(high, (double)box->high[axis]);
            lengths += (double)box->high[axis] - (double)box->low[axis];
        }
        double merit = lengths > 0 ? (high - low) / lengths : HUGE_VAL;
        if (merit > best) {
            best = merit;
            chosen = axis;
        }
    }
    return chosen;
}

// Bits that are ordered as the numbers are.
static uint32_t ordered(float x)
{
    int32_t bits;
    x += 0.0f; // of two zeros one
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? ~(uint32_t)bits : (uint32_t)bits | UINT32_C(1) << 31;
}

static void sort_along(graze_cull *cull, int axis)
{
    uint64_t count = cull->order.count;
    for (uint64_t i = 0; i < count; ++i) {
        uint64_t number = cull->order.items[i];
        uint8_t *key = (uint8_t *)&cull->order.items[i];
        gz_put_number(key, ordered(cull->objects.items[number].box.low[axis]), 4);
        gz_put_number(key + 4, number, 4);
    }
    gz_sort_records(cull->context, cull->order.items, count, sizeof *cull->order.items, 0,
                    gz_arena_over(cull->order_room.items, count * sizeof(uint64_t)));
    for (uint64_t i = 0; i < count; ++i)
        cull->order.items[i] = gz_get_number((uint8_t *)&cull->order.items[i] + 4, 4);
}

static graze_status add_pair(graze_cull *cull, uint32_t a, uint32_t b)
{
    graze_pair *pair = gz_list_push(cull->context, &cull->object_pairs, 1);
    if (pair == NULL)
        return GRAZE_ERROR_MEMORY;
    *pair = a < b ? (graze_pair){a, b} : (graze_pair){b, a};
    if (a != b) {
        cull->objects.items[a].partner_count++;
        cull->objects.items[b].partner_count++;
    }
    return GRAZE_OK;
}

static graze_status sweep(graze_cull *cull)
{
    const gz_cull_object *objects = cull->objects.items;
    int axis = choose_axis(cull);
    sort_along(cull, axis);
    graze_status status = GRAZE_OK;
    for (uint64_t i = 0; i < cull->order.count && status == GRAZE_OK; ++i) {
        uint32_t a = (uint32_t)cull->order.items[i];
        for (uint64_t k = i + 1; k < cull->order.count && status == GRAZE_OK; ++k) {
            uint32_t b = (uint32_t)cull->order.items[k];
            if (objects[a].box.high[axis] < objects[b].box.low[axis])
                break;
            if (!gz_cull_boxes_apart(&objects[a].box, &objects[b].box))
                status = add_pair(cull, a, b);
        }
        if (i % 4096 == 4095 && status == GRAZE_OK)
            status = gz_checkpoint(cull->context, "culling", "objects", i, cull->order.count);
    }
    return status;
}

graze_status gz_cull_pair_objects(graze_cull *cull)
{
    uint64_t count = cull->objects.count;
    graze_status status = GZ_CULL_SIZE(cull, order, count);
    if (status == GRAZE_OK)
        status = GZ_CULL_SIZE(cull, order_room, count);
    if (status != GRAZE_OK)
        return status;
    cull->object_pairs.count = cull->order.count = 0;
    for (uint64_t i = 0; i < count; ++i)
        if (cull->objects.items[i].triangle_count != 0)
            cull->order.items[cull->order.count++] = i;
    for (uint64_t i = 0; i < cull->order.count && cull->frame.self && status == GRAZE_OK; ++i)
        status = add_pair(cull, (uint32_t)cull->order.items[i], (uint32_t)cull->order.items[i]);
    if (!cull->frame.only_self && status == GRAZE_OK && cull->order.count > 1)
        status = sweep(cull);
    if (status == GRAZE_OK)
        status = GZ_CULL_SIZE(cull, spare, cull->object_pairs.count);
    if (status != GRAZE_OK)
        return status;
    if (cull->object_pairs.count != 0 &&
        gz_pairs_sort(cull->object_pairs.items, cull->spare.items, cull->object_pairs.count, count,
                      count) == cull->spare.items)
        memcpy(cull->object_pairs.items, cull->spare.items,
               (size_t)cull->object_pairs.count * sizeof *cull->spare.items);
    for (uint64_t i = 0; i < count; ++i)
        if (cull->objects.items[i].partner_count != 0 ||
            (cull->frame.self && cull->objects.items[i].triangle_count != 0))
            cull->counters.objects_left++;
    cull->counters.rounds++;
    cull->frame.pairs = cull->object_pairs.items;
    cull->frame.pair_count = cull->object_pairs.count;
    return GRAZE_OK;
}
