// Matrices applied and instances copied on the way out. See flat.h.
#include "mesh/flat.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "mesh/view.h"

static bool all_finite(const double point[3])
{
    return isfinite(point[0]) && isfinite(point[1]) && isfinite(point[2]);
}

static graze_status placed_position(gz_flat *flat, const graze_object *object, uint64_t vertex,
                                    double out[3])
{
    const graze_mesh_view *view = flat->view;
    for (uint64_t axis = 0; axis < 3; ++axis)
        out[axis] = view->precision == GRAZE_FLOAT32
                        ? (double)((const float *)view->positions)[3 * vertex + axis]
                        : ((const double *)view->positions)[3 * vertex + axis];
    if (object->placed == 0)
        return GRAZE_OK;
    bool finite = all_finite(out);
    gz_place(object->matrix, out);
    if (finite && !all_finite(out))
        return gz_fail(flat->context, GRAZE_ERROR_ARGUMENT,
                       "%s: the matrix of object \"%.200s\" takes vertices out of the range of "
                       "double",
                       flat->path, object->name);
    return GRAZE_OK;
}

void gz_flat_start(gz_flat *flat, gz_flat_walk *walk)
{
    *walk = (gz_flat_walk){0};
    if (!flat->plain)
        memset(flat->numbers, 0, (size_t)(flat->view->vertex_count * sizeof *flat->numbers));
}

bool gz_flat_next_object(gz_flat *flat, gz_flat_walk *walk)
{
    if (walk->next_object == gz_view_object_count(flat->view))
        return false;
    walk->object = gz_view_object(flat->view, walk->next_object++);
    walk->corner = 0;
    walk->first_number = walk->next_number;
    return true;
}

// The number of a vertex within the object at hand; *first_use tells whether it is new there.
static uint64_t number_vertex(gz_flat *flat, gz_flat_walk *walk, uint64_t vertex, bool *first_use)
{
    *first_use = flat->numbers[vertex] <= walk->first_number;
    if (*first_use)
        flat->numbers[vertex] = ++walk->next_number;
    return flat->numbers[vertex] - 1;
}

static uint64_t corner_vertex(const gz_flat *flat, const graze_object *object, uint64_t corner)
{
    return flat->view->corners[3 * object->first_triangle + corner];
}

graze_status gz_flat_corner(gz_flat *flat, const graze_object *object, uint64_t corner,
                            double out[3])
{
    return placed_position(flat, object, corner_vertex(flat, object, corner), out);
}

uint64_t gz_flat_corners(gz_flat *flat, gz_flat_walk *walk, uint64_t *corners, uint64_t capacity)
{
    uint64_t left = walk->object.triangle_count - walk->corner / 3;
    uint64_t count = left < capacity ? left : capacity;
    for (uint64_t i = 0; i < 3 * count; ++i) {
        bool first_use = false;
        uint64_t vertex = corner_vertex(flat, &walk->object, walk->corner++);
        corners[i] = flat->plain ? vertex : number_vertex(flat, walk, vertex, &first_use);
    }
    return count;
}

static void put_position(const gz_flat *flat, void *positions, uint64_t index,
                         const double point[3])
{
    for (uint64_t axis = 0; axis < 3; ++axis)
        if (flat->precision == GRAZE_FLOAT32)
            ((float *)positions)[3 * index + axis] = (float)point[axis];
        else
            ((double *)positions)[3 * index + axis] = point[axis];
}

// Vertices of the object at hand at their first use, until the object or the room ends.
static graze_status object_vertices(gz_flat *flat, gz_flat_walk *walk, void *positions,
                                    uint64_t capacity, uint64_t *count)
{
    graze_status status = GRAZE_OK;
    while (walk->corner < 3 * walk->object.triangle_count && *count < capacity &&
           status == GRAZE_OK) {
        bool first_use = false;
        uint64_t vertex = corner_vertex(flat, &walk->object, walk->corner++);
        number_vertex(flat, walk, vertex, &first_use);
        if (!first_use)
            continue;
        double point[3];
        status = placed_position(flat, &walk->object, vertex, point);
        if (positions != NULL)
            put_position(flat, positions, *count, point);
        *count += 1;
    }
    return status;
}

graze_status gz_flat_vertices(gz_flat *flat, gz_flat_walk *walk, void *positions, uint64_t capacity,
                              uint64_t *count)
{
    *count = 0;
    if (flat->plain) {
        uint64_t left = flat->view->vertex_count - walk->next_number;
        uint64_t bytes = 3 * (uint64_t)flat->view->precision;
        *count = left < capacity ? left : capacity;
        if (*count != 0)
            memcpy(positions, (const char *)flat->view->positions + walk->next_number * bytes,
                   (size_t)(*count * bytes));
        walk->next_number += *count;
        return GRAZE_OK;
    }
    graze_status status = GRAZE_OK;
    while (*count < capacity && status == GRAZE_OK) {
        if (walk->corner == 3 * walk->object.triangle_count && !gz_flat_next_object(flat, walk))
            break;
        status = object_vertices(flat, walk, positions, capacity, count);
    }
    return status;
}

graze_status gz_flat_open(graze_context *context, const char *path, const graze_mesh_view *view,
                          bool vertices, gz_flat *flat)
{
    *flat = (gz_flat){.context = context, .path = path, .view = view};
    flat->precision = view->precision;
    flat->plain = gz_view_is_plain(view);
    for (uint64_t i = 0; i < gz_view_object_count(view); ++i) {
        graze_object object = gz_view_object(view, i);
        flat->triangle_count += object.triangle_count;
        if (object.placed != 0)
            flat->precision = GRAZE_FLOAT64;
    }
    if (view->vertex_count == 0 || !vertices)
        flat->plain = true;
    flat->vertex_count = view->vertex_count;
    if (flat->plain)
        return GRAZE_OK;

    flat->numbers = GZ_NEW_ARRAY(context, uint64_t, view->vertex_count);
    if (flat->numbers == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY,
                       "%s: out of memory for placing the objects of the mesh", path);
    gz_flat_walk walk;
    gz_flat_start(flat, &walk);
    graze_status status = gz_flat_vertices(flat, &walk, NULL, UINT64_MAX, &flat->vertex_count);
    if (status != GRAZE_OK)
        gz_flat_close(flat);
    return status;
}

void gz_flat_close(gz_flat *flat)
{
    GZ_FREE_ARRAY(flat->context, flat->numbers, flat->view->vertex_count);
    flat->numbers = NULL;
}
