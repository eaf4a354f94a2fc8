// Looks at every triangle. See survey.h.
#include "mesh/inspect/survey.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

#define RANGE_OBJECTS 64u // turned ones of a range that get a tight box

bool gz_triangle_is_flat(const graze_triangle *triangle)
{
    const double(*p)[3] = triangle->corner;
    double u[3], v[3];
    for (int axis = 0; axis < 3; ++axis) {
        u[axis] = p[1][axis] - p[0][axis];
        v[axis] = p[2][axis] - p[0][axis];
    }
    // One component of the normal that is surely not 0 will do. The true error is below 4e-16 of
    // the products, and underflow below 1e-300; infinities and NaN fail the comparison.
    for (int axis = 0; axis < 3; ++axis) {
        int i = (axis + 1) % 3, j = (axis + 2) % 3;
        double left = u[i] * v[j], right = u[j] * v[i];
        if (fabs(left - right) > 2e-15 * (fabs(left) + fabs(right)) + 1e-290)
            return false;
    }
    return graze_triangle_dimension(triangle) < 2;
}

// Objects that share a range of triangles. Those that are turned have a box of their own.
typedef struct range {
    uint64_t first, count;
    graze_box box; // before placing
    uint32_t object_count, turned_count;
    gz_ranged_object objects[RANGE_OBJECTS];
    uint32_t turned[RANGE_OBJECTS]; // which of them
    graze_box turned_box[RANGE_OBJECTS];
} range;

// Where a walk over the feed stands.
typedef struct walk {
    gz_feed *from;
    uint32_t used; // of the feed's batch
    bool count_flat;
    uint64_t flat_count;
    gz_placed *aside; // may be NULL
    range range;
} walk;

static void add_to_range(range *to, const graze_triangle *triangle)
{
    for (int c = 0; c < 3; ++c) {
        gz_box_add(&to->box, triangle->corner[c]);
        for (uint32_t i = 0; i < to->turned_count; ++i)
            gz_box_add_placed(&to->turned_box[i], to->objects[to->turned[i]].matrix,
                              triangle->corner[c]);
    }
}

// Adds the triangles up to number `end` to the range.
static graze_status walk_to(walk *at, uint64_t end)
{
    gz_feed *from = at->from;
    if (end > from->triangle_count)
        end = from->triangle_count;
    while (from->next_triangle + at->used < end) {
        if (at->used == from->count) {
            graze_status status = gz_feed_fill(from);
            if (status != GRAZE_OK)
                return status;
            at->used = 0;
            GZ_ASSERT(from->count != 0);
        }
        const graze_triangle *triangle = &from->triangles[at->used++];
        add_to_range(&at->range, triangle);
        if (at->aside != NULL)
            gz_placed_add_triangle(at->aside, triangle);
        if (at->count_flat && gz_triangle_is_flat(triangle))
            at->flat_count++;
    }
    return GRAZE_OK;
}

// The next range, with as many of its objects as fit.
static graze_status start_range(range *made, gz_object_book *book, gz_ranged_object *next,
                                bool *found)
{
    made->first = next->first_triangle;
    made->count = next->triangle_count;
    made->box = graze_box_empty();
    made->object_count = made->turned_count = 0;
    graze_status status = GRAZE_OK;
    while (status == GRAZE_OK && *found && next->first_triangle == made->first &&
           next->triangle_count == made->count && made->object_count < RANGE_OBJECTS) {
        if (gz_object_is_turned(next)) {
            made->turned_box[made->turned_count] = graze_box_empty();
            made->turned[made->turned_count++] = made->object_count;
        }
        made->objects[made->object_count++] = *next;
        status = gz_object_book_next(book, next, found);
    }
    return status;
}

// Gives their boxes to the objects of a range, and to those that did not fit.
static graze_status end_range(const walk *at, gz_object_book *book, gz_ranged_object *next,
                              bool *found)
{
    const range *ended = &at->range;
    for (uint32_t i = 0, turned = 0; i < ended->object_count; ++i) {
        graze_box box = gz_box_placed(&ended->box, &ended->objects[i]);
        if (turned < ended->turned_count && ended->turned[turned] == i) {
            const graze_box *tight = &ended->turned_box[turned++];
            for (int axis = 0; axis < 3; ++axis) { // both hold the object
                box.min[axis] = fmax(box.min[axis], tight->min[axis]);
                box.max[axis] = fmin(box.max[axis], tight->max[axis]);
            }
        }
        gz_object_book_place(book, &ended->objects[i], &box);
        if (at->aside != NULL)
            gz_placed_add_object(at->aside, &ended->objects[i]);
    }
    graze_status status = GRAZE_OK;
    while (status == GRAZE_OK && *found && next->first_triangle == ended->first &&
           next->triangle_count == ended->count) {
        graze_box box = gz_box_placed(&ended->box, next);
        gz_object_book_place(book, next, &box);
        if (at->aside != NULL)
            gz_placed_add_object(at->aside, next);
        status = gz_object_book_next(book, next, found);
    }
    return status;
}

// Triangles of no object, if there are any.
static graze_status walk_loose(walk *at, uint64_t end, gz_object_book *book)
{
    at->range.box = graze_box_empty();
    at->range.turned_count = 0;
    gz_ranged_object loose = {.first_triangle = at->from->next_triangle + at->used};
    graze_status status = walk_to(at, end);
    loose.triangle_count = at->from->next_triangle + at->used - loose.first_triangle;
    if (at->aside != NULL && loose.triangle_count != 0)
        gz_placed_add_object(at->aside, &loose);
    book->world = graze_box_join(&book->world, &at->range.box);
    return status;
}

static graze_status walk_objects(walk *at, gz_object_book *book)
{
    gz_ranged_object next;
    bool found = false;
    graze_status status = gz_object_book_next(book, &next, &found);
    while (status == GRAZE_OK && found) {
        status = walk_loose(at, next.first_triangle, book);
        if (status == GRAZE_OK)
            status = start_range(&at->range, book, &next, &found);
        if (status == GRAZE_OK)
            status = walk_to(at, at->range.first + at->range.count);
        if (status == GRAZE_OK)
            status = end_range(at, book, &next, &found);
    }
    return status == GRAZE_OK ? walk_loose(at, at->from->triangle_count, book) : status;
}

graze_status gz_survey_run(graze_context *context, const gz_survey_def *def,
                           gz_survey_result *result)
{
    *result = (gz_survey_result){0};
    walk *at = gz_allocate(context, sizeof *at);
    if (at == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory while looking at triangles");
    memset(at, 0, sizeof *at);
    at->count_flat = def->count_flat;
    at->aside = def->aside;
    graze_status status = gz_feed_open(context, &def->feed, &at->from);
    if (status == GRAZE_OK)
        status = walk_objects(at, def->book);
    result->flat_count = at->flat_count;
    result->joined = at->from != NULL && at->from->joined != NULL;
    gz_feed_close(at->from);
    gz_release(context, at, sizeof *at);
    return status;
}
