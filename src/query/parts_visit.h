// Visits the parts that a question about one shape has to do with, the most promising first.
#ifndef GZ_PAGED_VISIT_H
#define GZ_PAGED_VISIT_H

#include "query/part_pins.h"

// Who asks. What is in a box, and in all boxes within it, counts from a place on: along a ray, or
// away from a point. What counts from beyond the horizon only, does not matter; the horizon may
// come closer with each tree that is asked.
typedef struct gz_visitor {
    void *data;
    double (*begins)(void *data, const gz_middle *box); // not later than this
    double (*horizon)(const void *data);
    graze_status (*ask)(void *data, const gz_tree *tree);
} gz_visitor;

// What visits to two shapes pin from one to the next: a part of each, with a reservation of the
// cache. So whoever has visited may not make another reservation before the end. Zero is one that
// was not begun.
typedef struct gz_visits {
    gz_side side[2];
    gz_part_pins pins;
    struct gz_visits *rival; // others of the same question, which end when these go on; NULL: none
} gz_visits;

void gz_visits_begin(gz_visits *visits, const graze_shape *a, const graze_shape *b);
void gz_visits_end(gz_visits *visits); // there may be visits again afterwards

// Visits the first or the second shape, which has many parts, and triangles.
graze_status gz_parts_visit(gz_visits *visits, int side, const gz_visitor *visitor);

#endif
