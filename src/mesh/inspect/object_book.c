// Objects by name and by range. See object_book.h.
#include "mesh/inspect/object_book.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/sort.h"
#include "geometry/rounding.h"

// A record of the sorter: first triangle, triangle count, number (8 bytes each, big-endian), then
// placed (1 byte) and the matrix as it lies in memory.
#define KEY_BYTES    24u
#define MATRIX_BYTES 96u
#define RECORD_BYTES (KEY_BYTES + 1 + MATRIX_BYTES)

static graze_status out_of_memory(graze_context *context)
{
    return gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory while listing objects");
}

graze_status gz_object_book_open(graze_context *context, uint64_t list_limit,
                                 const gz_sorter_def *by_range, gz_object_book *book)
{
    *book = (gz_object_book){.context = context, .list_limit = list_limit, .listed = true};
    book->world = graze_box_empty();
    if (by_range == NULL)
        return GRAZE_OK;
    gz_sorter_def def = *by_range;
    def.record_bytes = RECORD_BYTES;
    return gz_sorter_open(context, &def, &book->by_range);
}

void gz_object_list_free(graze_context *context, graze_object_report *list, uint64_t count,
                         uint64_t capacity)
{
    for (uint64_t i = 0; i < count; ++i) {
        gz_string_free(context, (char *)list[i].object.name);
        gz_string_free(context, (char *)list[i].object.group);
    }
    GZ_FREE_ARRAY(context, list, capacity);
}

static void drop_list(gz_object_book *book)
{
    gz_object_list_free(book->context, book->list, book->list_count, book->list_capacity);
    book->list = NULL;
    book->list_count = book->list_capacity = book->name_bytes = 0;
}

void gz_object_book_close(gz_object_book *book)
{
    if (book->context == NULL)
        return;
    drop_list(book);
    gz_sorter_close(book->by_range);
    *book = (gz_object_book){0};
}

// Makes room for one more; false when it would not fit into the share, or when memory is refused.
static bool grow_list(gz_object_book *book, uint64_t more_name_bytes, graze_status *status)
{
    uint64_t room = book->list_limit - book->name_bytes; // never negative, see below
    if (more_name_bytes > room)
        return false;
    uint64_t most = (room - more_name_bytes) / sizeof *book->list;
    if (book->list_count < book->list_capacity)
        return book->list_capacity <= most;
    uint64_t capacity = book->list_capacity + book->list_capacity / 2 + 16;
    if (capacity > most)
        capacity = most;
    if (capacity <= book->list_count)
        return false;
    graze_object_report *list = gz_resize_array(book->context, book->list, book->list_capacity,
                                                capacity, sizeof *book->list);
    if (list == NULL) {
        *status = out_of_memory(book->context);
        return false;
    }
    book->list = list;
    book->list_capacity = capacity;
    return true;
}

static graze_status list_object(gz_object_book *book, const graze_object *object)
{
    graze_status status = GRAZE_OK;
    uint64_t name_bytes = strlen(object->name) + strlen(object->group) + 2;
    if (!grow_list(book, name_bytes, &status)) {
        drop_list(book);
        book->listed = false;
        return status;
    }
    graze_object_report *entry = &book->list[book->list_count++];
    graze_box nothing = graze_box_empty();
    *entry = (graze_object_report){.object = *object};
    memcpy(entry->box_min, nothing.min, sizeof nothing.min);
    memcpy(entry->box_max, nothing.max, sizeof nothing.max);
    entry->object.name = gz_string_copy(book->context, object->name);
    entry->object.group = gz_string_copy(book->context, object->group);
    book->name_bytes += name_bytes;
    if (entry->object.name == NULL || entry->object.group == NULL)
        return out_of_memory(book->context);
    return GRAZE_OK;
}

static graze_status sort_object(gz_object_book *book, const gz_ranged_object *object)
{
    uint8_t record[RECORD_BYTES];
    gz_put_number(record, object->first_triangle, 8);
    gz_put_number(record + 8, object->triangle_count, 8);
    gz_put_number(record + 16, object->number, 8);
    record[KEY_BYTES] = object->placed != 0;
    memcpy(record + KEY_BYTES + 1, object->matrix, MATRIX_BYTES);
    return gz_sorter_push(book->by_range, record, 1);
}

graze_status gz_object_book_add(gz_object_book *book, const graze_object *object,
                                const graze_box *box)
{
    gz_ranged_object ranged = {.first_triangle = object->first_triangle,
                               .triangle_count = object->triangle_count,
                               .number = book->object_count++,
                               .placed = object->placed};
    memcpy(ranged.matrix, object->matrix, sizeof ranged.matrix);
    graze_status status = book->listed ? list_object(book, object) : GRAZE_OK;
    if (status != GRAZE_OK)
        return status;
    if (box == NULL)
        return sort_object(book, &ranged);
    graze_box placed = gz_box_placed(box, &ranged);
    gz_object_book_place(book, &ranged, &placed);
    return GRAZE_OK;
}

graze_status gz_object_book_next(gz_object_book *book, gz_ranged_object *object, bool *found)
{
    *found = false;
    if (book->left == 0) {
        graze_status status = gz_sorter_next(book->by_range, &book->next, &book->left);
        if (status != GRAZE_OK || book->left == 0)
            return status;
    }
    object->first_triangle = gz_get_number(book->next, 8);
    object->triangle_count = gz_get_number(book->next + 8, 8);
    object->number = gz_get_number(book->next + 16, 8);
    object->placed = book->next[KEY_BYTES];
    memcpy(object->matrix, book->next + KEY_BYTES + 1, MATRIX_BYTES);
    book->next += RECORD_BYTES;
    book->left--;
    *found = true;
    return GRAZE_OK;
}

void gz_object_book_place(gz_object_book *book, const gz_ranged_object *object,
                          const graze_box *placed)
{
    graze_box box = *placed;
    for (int axis = 0; axis < 3; ++axis) { // -0 becomes 0, whichever of the two came first
        box.min[axis] += 0.0;
        box.max[axis] += 0.0;
    }
    book->world = graze_box_join(&book->world, &box);
    if (!book->listed)
        return;
    memcpy(book->list[object->number].box_min, box.min, sizeof box.min);
    memcpy(book->list[object->number].box_max, box.max, sizeof box.max);
}

static double step(double x, double side) { return side < 0 ? gz_step_down64(x) : gz_step_up64(x); }

// A number that is at most (side < 0) or at least (side > 0) the true one: `rounded` is the nearest
// double and `error` has the sign of what it lacks.
static double toward(double rounded, double error, double side)
{
    return error * side > 0 ? step(rounded, side) : rounded;
}

static double product(double a, double b, double side)
{
    double rounded = a * b;
    // Below this the error itself may be lost to underflow.
    if (a != 0 && b != 0 && fabs(rounded) < 1e-280)
        return step(rounded, side);
    return toward(rounded, fma(a, b, -rounded), side);
}

static double sum(double a, double b, double side)
{
    double rounded = a + b;
    double b_part = rounded - a, a_part = rounded - b_part;
    return toward(rounded, (a - a_part) + (b - b_part), side);
}

graze_box gz_box_placed(const graze_box *box, const gz_ranged_object *object)
{
    if (object->placed == 0 || box->min[0] > box->max[0])
        return *box;
    graze_box out;
    for (int row = 0; row < 3; ++row) {
        const double *m = object->matrix + (size_t)row * 4;
        double low = 0, high = 0;
        for (int axis = 0; axis < 3; ++axis) {
            bool flip = m[axis] < 0;
            low = sum(low, product(m[axis], flip ? box->max[axis] : box->min[axis], -1), -1);
            high = sum(high, product(m[axis], flip ? box->min[axis] : box->max[axis], 1), 1);
        }
        low = sum(low, m[3], -1);
        high = sum(high, m[3], 1);
        // An overflow on the way leaves no number, or one whose error is none: nothing is known.
        out.min[row] = isfinite(low) ? low : -INFINITY;
        out.max[row] = isfinite(high) ? high : INFINITY;
    }
    return out;
}

bool gz_object_is_turned(const gz_ranged_object *object)
{
    for (int row = 0; row < 3 && object->placed != 0; ++row) {
        const double *m = object->matrix + (size_t)row * 4;
        if ((m[0] != 0) + (m[1] != 0) + (m[2] != 0) > 1)
            return true;
    }
    return false;
}

void gz_box_add_placed(graze_box *box, const double matrix[12], const double point[3])
{
    for (int row = 0; row < 3; ++row) {
        const double *m = matrix + (size_t)row * 4;
        double x = m[0] * point[0], y = m[1] * point[1], z = m[2] * point[2];
        double value = x + y + z + m[3];
        // Six roundings, in whatever mode, and one more when the error is added.
        double error = 2e-15 * (fabs(x) + fabs(y) + fabs(z) + fabs(m[3])) + 1e-290;
        double low = value - error, high = value + error;
        if (!isfinite(low) || !isfinite(high)) { // an overflow: nothing is known
            low = -INFINITY;
            high = INFINITY;
        }
        box->min[row] = low < box->min[row] ? low : box->min[row];
        box->max[row] = high > box->max[row] ? high : box->max[row];
    }
}
