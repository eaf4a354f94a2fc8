// The objects of a stream and their boxes in the world. Objects are listed with their names while
// they fit into memory. Where their boxes come later, from a survey of the triangles, they are also
// sorted by the range of triangles that they name, in memory or on disk.
#ifndef GZ_OBJECT_BOOK_H
#define GZ_OBJECT_BOOK_H

#include <stdbool.h>

#include "base/sorter.h"
#include "graze/geometry.h"
#include "graze/inspect.h"

typedef struct gz_object_book {
    graze_context *context;
    uint64_t object_count;
    bool listed; // false: there were too many, and the list is gone
    graze_object_report *list;
    uint64_t list_count, list_capacity;
    uint64_t name_bytes; // of all names and groups in the list
    uint64_t list_limit; // bytes for the list and its names
    gz_sorter *by_range; // NULL where boxes are known when objects arrive
    const uint8_t *next; // what the sorter handed out
    uint64_t left;
    graze_box world; // of all objects whose box is known, placed
} gz_object_book;

// An object as the sorter knows it.
typedef struct gz_ranged_object {
    uint64_t first_triangle, triangle_count;
    uint64_t number; // in order of arrival, from 0
    uint32_t placed;
    double matrix[12];
} gz_ranged_object;

// `by_range` NULL: boxes are known when objects arrive. Else it gives memory and fan of the sorter.
graze_status gz_object_book_open(graze_context *context, uint64_t list_limit,
                                 const gz_sorter_def *by_range, gz_object_book *book);
void gz_object_book_close(gz_object_book *book); // accepts a zero one

// `box` holds the object's triangles before placing; NULL if it comes later.
graze_status gz_object_book_add(gz_object_book *book, const graze_object *object,
                                const graze_box *box);

// The objects sorted by range, for gz_object_book_place. *found is false at the end.
graze_status gz_object_book_next(gz_object_book *book, gz_ranged_object *object, bool *found);
// Gives an object its box: lists it, joins it to the world.
void gz_object_book_place(gz_object_book *book, const gz_ranged_object *object,
                          const graze_box *placed);

void gz_object_list_free(graze_context *context, graze_object_report *list, uint64_t count,
                         uint64_t capacity);

static inline void gz_box_add(graze_box *box, const double point[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        box->min[axis] = point[axis] < box->min[axis] ? point[axis] : box->min[axis];
        box->max[axis] = point[axis] > box->max[axis] ? point[axis] : box->max[axis];
    }
}

// Holds every point of the box after the object was placed, rounding included; tight up to
// rounding, unless the object is turned.
graze_box gz_box_placed(const graze_box *box, const gz_ranged_object *object);
// True if the object's matrix does more than map axes to axes.
bool gz_object_is_turned(const gz_ranged_object *object);
// Adds a placed point, with all that it may be off by rounding.
void gz_box_add_placed(graze_box *box, const double matrix[12], const double point[3]);

#endif
