// The corners of placed objects, as a soup. See placed.h.
#include "mesh/inspect/placed.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/sort.h"
#include "base/threads.h"
#include "mesh/inspect/positions.h"
#include "mesh/inspect/survey.h"
#include "mesh/inspect/triples.h"
#include "mesh/inspect/weld.h"
#include "mesh/view.h"

#define BATCH          64u // triangles
#define MOST_KEY_BYTES (3 * sizeof(double) + 2 * GZ_INDEX_BYTES)

gz_placed gz_placed_make(graze_context *context, graze_precision precision, uint64_t triangle_bytes,
                         uint64_t object_bytes)
{
    return (gz_placed){.context = context,
                       .precision = precision,
                       .triangles = gz_spill_make(context, triangle_bytes),
                       .objects = gz_spill_make(context, object_bytes)};
}

void gz_placed_free(gz_placed *placed)
{
    gz_spill_free(&placed->triangles);
    gz_spill_free(&placed->objects);
    *placed = (gz_placed){0};
}

static uint32_t triangle_bytes(const gz_placed *placed) { return 9 * (uint32_t)placed->precision; }

void gz_placed_add_triangle(gz_placed *placed, const graze_triangle *triangle)
{
    float narrow[9];
    const void *bytes = triangle->corner;
    if (placed->precision == GRAZE_FLOAT32) { // they were widened, so that nothing is lost
        for (int i = 0; i < 9; ++i)
            narrow[i] = (float)triangle->corner[i / 3][i % 3];
        bytes = narrow;
    }
    if (placed->status == GRAZE_OK)
        placed->status = gz_spill_append(&placed->triangles, bytes, triangle_bytes(placed));
}

void gz_placed_add_object(gz_placed *placed, const gz_ranged_object *object)
{
    if (placed->status == GRAZE_OK)
        placed->status = gz_spill_append(&placed->objects, object, sizeof *object);
}

uint32_t gz_placed_key_bytes(const gz_placed *placed, bool in_world)
{
    return in_world ? gz_weld_key_bytes(GRAZE_FLOAT64)
                    : gz_weld_key_bytes(placed->precision) + GZ_INDEX_BYTES;
}

// On the way through the objects.
typedef struct walk {
    gz_placed *placed;
    bool in_world;
    gz_sorter *keys;
    gz_placed_count *count;
    uint64_t range; // number of the one at hand
    uint8_t triangles[BATCH * 9 * sizeof(double)];
    uint8_t key[3 * BATCH * MOST_KEY_BYTES];
} walk;

// A triangle as it stands in the world. False if it is not finite there.
static bool place(const gz_ranged_object *object, graze_triangle *triangle)
{
    for (int c = 0; c < 3 && object->placed != 0; ++c) {
        double *point = triangle->corner[c];
        gz_place(object->matrix, point);
        if (!isfinite(point[0]) || !isfinite(point[1]) || !isfinite(point[2]))
            return false;
    }
    return true;
}

static void put_key(const walk *at, uint8_t *key, const graze_triangle *triangle, int corner,
                    const uint8_t *as_read)
{
    uint64_t number = 3 * at->count->triangles + (uint64_t)corner;
    graze_precision precision = at->placed->precision;
    if (at->in_world) {
        gz_weld_key(key, triangle->corner[corner], GRAZE_FLOAT64, number);
        return;
    }
    gz_weld_key(key, as_read + (size_t)corner * 3 * precision, precision, at->range);
    gz_put_number(key + gz_weld_key_bytes(precision), number, GZ_INDEX_BYTES);
}

// Some triangles of an object, which are in at->triangles.
static graze_status push_some(walk *at, const gz_ranged_object *object, uint64_t count)
{
    uint32_t bytes = triangle_bytes(at->placed);
    uint32_t key_bytes = gz_placed_key_bytes(at->placed, at->in_world);
    uint8_t *key = at->key;
    uint64_t taken = 0;
    for (; taken < count; ++taken) {
        const uint8_t *as_read = at->triangles + taken * bytes;
        graze_triangle triangle;
        for (size_t c = 0; c < 3; ++c)
            gz_position_widen(as_read + c * bytes / 3, bytes / 3, triangle.corner[c]);
        if (at->in_world && !place(object, &triangle)) {
            at->count->out_of_range = true;
            break;
        }
        at->count->flat += gz_triangle_is_flat(&triangle);
        for (int c = 0; c < 3; ++c, key += key_bytes)
            put_key(at, key, &triangle, c, as_read);
        at->count->triangles++;
    }
    return gz_sorter_push(at->keys, at->key, 3 * taken);
}

static graze_status push_object(walk *at, const gz_ranged_object *object, uint64_t all)
{
    gz_placed *placed = at->placed;
    uint32_t bytes = triangle_bytes(placed);
    uint64_t next = object->first_triangle, end = next + object->triangle_count;
    graze_status status = GRAZE_OK;
    while (next < end && status == GRAZE_OK && !at->count->out_of_range) {
        uint64_t some = end - next < BATCH ? end - next : BATCH;
        status = gz_spill_read(&placed->triangles, next * bytes, at->triangles, some * bytes);
        if (status == GRAZE_OK)
            status = push_some(at, object, some);
        if (status == GRAZE_OK)
            status =
                gz_checkpoint(placed->context, "placing", "triangles", at->count->triangles, all);
        next += some;
    }
    return status;
}

graze_status gz_placed_push(gz_placed *placed, bool in_world, gz_sorter *keys,
                            gz_placed_count *count)
{
    walk at = {.placed = placed, .in_world = in_world, .keys = keys, .count = count};
    uint64_t objects = placed->objects.byte_count / sizeof(gz_ranged_object);
    uint64_t all = placed->triangles.byte_count / triangle_bytes(placed), range_end = 0;
    *count = (gz_placed_count){0};
    graze_status status = placed->status;
    for (uint64_t i = 0; i < objects && status == GRAZE_OK && !count->out_of_range; ++i) {
        gz_ranged_object object;
        status = gz_spill_read(&placed->objects, i * sizeof object, &object, sizeof object);
        if (status != GRAZE_OK)
            break;
        // Those that share a range come one after the other, and no two ranges overlap.
        bool again = object.first_triangle < range_end;
        at.range = i;
        if (in_world || !again)
            status = push_object(&at, &object, in_world ? 0 : all);
        uint64_t end = object.first_triangle + object.triangle_count;
        range_end = end > range_end ? end : range_end;
    }
    return status;
}
