// Checks views of meshes and names their objects. See view.h.
#include "mesh/view.h"

#include <inttypes.h>
#include <math.h>

#include "base/bytes.h"
#include "base/context.h"
#include "base/sort.h"

// The triangles of an object: first, end and the object's number, big-endian for sorting.
#define RANGE_BYTES 24u

static void put_range(uint8_t *out, const graze_object *object, uint64_t number)
{
    out = gz_put_u64(out, object->first_triangle, true);
    out = gz_put_u64(out, object->first_triangle + object->triangle_count, true);
    gz_put_u64(out, number, true);
}

static graze_status check_object(graze_context *context, const char *who,
                                 const graze_mesh_view *view, uint64_t index)
{
    const graze_object *object = &view->objects[index];
    if (object->name == NULL || object->group == NULL)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT, "%s: object %" PRIu64 " has no name", who,
                       index);
    if (object->first_triangle > view->triangle_count ||
        object->triangle_count > view->triangle_count - object->first_triangle)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                       "%s: object %" PRIu64 " ends behind the last triangle", who, index);
    for (int i = 0; object->placed != 0 && i < 12; ++i)
        if (!isfinite(object->matrix[i]))
            return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                           "%s: object %" PRIu64 " has a matrix that is not finite", who, index);
    return GRAZE_OK;
}

// The sorted ranges must tile the triangles, equal ones counting as one.
static graze_status check_tiling(graze_context *context, const char *who, const uint8_t *ranges,
                                 uint64_t count, uint64_t triangle_count)
{
    uint64_t first = 0, end = 0;
    for (const uint8_t *range = ranges; count-- != 0; range += RANGE_BYTES) {
        uint64_t next_first = gz_get_u64(range, true), next_end = gz_get_u64(range + 8, true);
        if (next_first == first && next_end == end)
            continue;
        if (next_first < end)
            return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                           "%s: object %" PRIu64
                           " shares some of its triangles with another object, but not all",
                           who, gz_get_u64(range + 16, true));
        if (next_first > end)
            break;
        first = next_first;
        end = next_end;
    }
    if (end != triangle_count)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT, "%s: triangle %" PRIu64 " is in no object",
                       who, end);
    return GRAZE_OK;
}

static graze_status check_objects(graze_context *context, const char *who,
                                  const graze_mesh_view *view)
{
    uint8_t *ranges = gz_allocate_array(context, view->object_count, RANGE_BYTES);
    if (ranges == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY,
                       "%s: out of memory for checking %" PRIu64 " objects", who,
                       view->object_count);
    graze_status status = GRAZE_OK;
    uint64_t count = 0;
    for (uint64_t i = 0; i < view->object_count && status == GRAZE_OK; ++i) {
        status = check_object(context, who, view, i);
        if (status == GRAZE_OK && view->objects[i].triangle_count != 0)
            put_range(ranges + RANGE_BYTES * count++, &view->objects[i], i);
    }
    if (status == GRAZE_OK) {
        gz_sort_records(NULL, ranges, count, RANGE_BYTES, 0, (gz_arena){NULL, NULL});
        status = check_tiling(context, who, ranges, count, view->triangle_count);
    }
    gz_release(context, ranges, view->object_count * RANGE_BYTES);
    return status;
}

// One branch-free pass finds the largest number; only a wrong one is looked for again.
static graze_status check_corners(graze_context *context, const char *who,
                                  const graze_mesh_view *view)
{
    uint64_t corner_count = 3 * view->triangle_count;
    uint32_t largest = 0;
    for (uint64_t i = 0; i < corner_count; ++i)
        largest = view->corners[i] > largest ? view->corners[i] : largest;
    if (corner_count == 0 || largest < view->vertex_count)
        return GRAZE_OK;
    uint64_t wrong = 0;
    while (view->corners[wrong] < view->vertex_count)
        ++wrong;
    return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                   "%s: triangle %" PRIu64 " names vertex %" PRIu32 ", but there are only %" PRIu64,
                   who, wrong / 3, view->corners[wrong], view->vertex_count);
}

graze_status gz_view_check(graze_context *context, const char *who, const graze_mesh_view *view)
{
    uint64_t bytes = 0;
    if (view->precision != GRAZE_FLOAT32 && view->precision != GRAZE_FLOAT64)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT, "%s: coordinates of %d bytes are not known",
                       who, (int)view->precision);
    if (view->vertex_count > UINT64_C(1) << 32)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                       "%s: %" PRIu64 " vertices are more than a mesh can have", who,
                       view->vertex_count);
    if (!gz_mul(view->triangle_count, 3 * sizeof(uint32_t), &bytes) || bytes > SIZE_MAX)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                       "%s: %" PRIu64 " triangles are more than memory can hold", who,
                       view->triangle_count);
    if ((view->vertex_count != 0 && view->positions == NULL) ||
        (view->triangle_count != 0 && view->corners == NULL) ||
        (view->object_count != 0 && view->objects == NULL))
        return gz_fail(context, GRAZE_ERROR_ARGUMENT, "%s: an array of the mesh is missing", who);
    graze_status status = check_corners(context, who, view);
    if (status == GRAZE_OK && view->object_count != 0)
        status = check_objects(context, who, view);
    return status;
}

uint64_t gz_view_object_count(const graze_mesh_view *view)
{
    return view->object_count != 0 ? view->object_count : 1;
}

graze_object gz_view_object(const graze_mesh_view *view, uint64_t index)
{
    if (view->object_count != 0)
        return view->objects[index];
    return (graze_object){.name = "",
                          .group = "",
                          .triangle_count = view->triangle_count,
                          .matrix = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
}

bool gz_view_is_plain(const graze_mesh_view *view)
{
    uint64_t triangles = 0;
    for (uint64_t i = 0; i < gz_view_object_count(view); ++i) {
        graze_object object = gz_view_object(view, i);
        triangles += object.triangle_count;
        if (object.placed != 0)
            return false;
    }
    return triangles == view->triangle_count;
}
