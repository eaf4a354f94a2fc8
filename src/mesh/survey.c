// Triangles with their coordinates. See survey.h.
//
// Vertices are looked up one by one, through a cache. Where triangles name vertices all over the
// file, most of that would be reading the same blocks again and again; then the rest of the
// triangles get their coordinates by sorting: corners by vertex, joined with the vertices, and back
// by triangle. Both ways give the same triangles in the same order.
#include "mesh/survey.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/threads.h"
#include "mesh/triples.h"

#define STAGE          "looking at triangles"
#define FEED_TRIANGLES 512u
#define RANGE_OBJECTS  64u // turned ones of a range that get a tight box
#define PATIENCE_LEAST 64u // loads that are always allowed

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

// Triangles, some at a time, with their coordinates.
typedef struct feed {
    graze_context *context;
    const gz_survey_def *def;
    gz_spill_cursor corners;
    uint64_t corners_used;   // of those the cursor handed out last
    uint64_t triangle_count; // in all
    uint64_t next_triangle;  // the first of the next batch
    gz_sorter *joined;       // NULL while the cache serves
    const uint8_t *joined_next;
    uint64_t joined_left;
    uint32_t count; // of the batch
    graze_triangle triangles[FEED_TRIANGLES];
} feed;

static bool patience_is_lost(const feed *from)
{
    const gz_positions *positions = from->def->positions;
    uint64_t blocks = gz_positions_count(positions) >> positions->block_shift;
    return positions->load_count >
           blocks + PATIENCE_LEAST + from->next_triangle * from->def->patience / 1024;
}

static graze_status feed_from_cache(feed *to)
{
    graze_status status = GRAZE_OK;
    if (to->corners_used == to->corners.record_count) {
        status = gz_spill_cursor_next(&to->corners);
        to->corners_used = 0;
    }
    uint64_t left = to->corners.record_count - to->corners_used;
    to->count = left < FEED_TRIANGLES ? (uint32_t)left : FEED_TRIANGLES;
    for (uint32_t i = 0; i < to->count && status == GRAZE_OK; ++i) {
        uint64_t corners[3];
        gz_triple_get(to->corners.records + to->corners_used++ * GZ_TRIPLE_BYTES, corners);
        for (int c = 0; c < 3 && status == GRAZE_OK; ++c)
            status = gz_positions_get(to->def->positions, corners[c], to->triangles[i].corner[c]);
    }
    return status;
}

// (vertex, corner) for each corner that is left.
static graze_status push_corners(feed *from, gz_sorter *by_vertex)
{
    graze_status status = GRAZE_OK;
    uint64_t triangle = from->next_triangle;
    for (;;) {
        for (; from->corners_used < from->corners.record_count && status == GRAZE_OK;
             ++from->corners_used, ++triangle) {
            uint64_t corners[3];
            uint8_t records[3][2 * GZ_INDEX_BYTES];
            gz_triple_get(from->corners.records + from->corners_used * GZ_TRIPLE_BYTES, corners);
            for (uint32_t c = 0; c < 3; ++c) {
                gz_put_number(records[c], corners[c], GZ_INDEX_BYTES);
                gz_put_number(records[c] + GZ_INDEX_BYTES, 3 * triangle + c, GZ_INDEX_BYTES);
            }
            status = gz_sorter_push(by_vertex, records, 3);
        }
        if (status == GRAZE_OK)
            status = gz_checkpoint(from->context, "fetching vertices", "triangles", triangle,
                                   from->triangle_count);
        if (status == GRAZE_OK)
            status = gz_spill_cursor_next(&from->corners);
        from->corners_used = 0;
        if (status != GRAZE_OK || from->corners.record_count == 0)
            return status;
    }
}

// (corner, position) for each (vertex, corner): one pass over both in order of the vertices.
static graze_status push_positions(const feed *from, gz_sorter *by_vertex, gz_sorter *by_corner)
{
    uint32_t vertex_bytes = from->def->positions->vertex_bytes;
    gz_spill_cursor vertices = {0};
    graze_status status = gz_spill_cursor_open(&from->def->positions->spill, vertex_bytes,
                                               from->def->window_bytes, &vertices);
    uint64_t window_end = 0; // the first vertex behind the window
    const uint8_t *next = NULL;
    uint64_t count = 0;
    while (status == GRAZE_OK && (status = gz_sorter_next(by_vertex, &next, &count)) == GRAZE_OK &&
           count != 0) {
        for (; count != 0 && status == GRAZE_OK; --count, next += 2 * GZ_INDEX_BYTES) {
            uint64_t vertex = gz_get_number(next, GZ_INDEX_BYTES);
            while (vertex >= window_end && status == GRAZE_OK) {
                status = gz_spill_cursor_next(&vertices);
                window_end += vertices.record_count;
            }
            if (status != GRAZE_OK)
                break;
            uint64_t place = vertex - (window_end - vertices.record_count);
            uint8_t record[GZ_INDEX_BYTES + 24];
            memcpy(record, next + GZ_INDEX_BYTES, GZ_INDEX_BYTES);
            memcpy(record + GZ_INDEX_BYTES, vertices.records + place * vertex_bytes, vertex_bytes);
            status = gz_sorter_push(by_corner, record, 1);
        }
    }
    gz_spill_cursor_close(&vertices);
    return status;
}

static graze_status start_join(feed *from)
{
    const gz_survey_def *def = from->def;
    gz_sorter *by_vertex = NULL;
    gz_sorter_def order = {.memory_bytes = def->join_bytes, .fan_bits = def->fan_bits};
    order.stage = "fetching vertices";
    order.record_bytes = 2 * GZ_INDEX_BYTES;
    order.zero_bits = gz_index_zero_bits(gz_positions_count(def->positions));
    graze_status status = gz_sorter_open(from->context, &order, &by_vertex);
    if (status == GRAZE_OK)
        status = push_corners(from, by_vertex);
    order.stage = NULL;
    order.record_bytes = GZ_INDEX_BYTES + def->positions->vertex_bytes;
    order.zero_bits = gz_index_zero_bits(3 * from->triangle_count);
    if (status == GRAZE_OK)
        status = gz_sorter_open(from->context, &order, &from->joined);
    if (status == GRAZE_OK)
        status = push_positions(from, by_vertex, from->joined);
    gz_sorter_close(by_vertex);
    return status;
}

static graze_status feed_from_join(feed *to)
{
    uint32_t vertex_bytes = to->def->positions->vertex_bytes;
    uint32_t corner = 0;
    graze_status status = GRAZE_OK;
    for (; corner < 3 * FEED_TRIANGLES; ++corner) {
        if (to->joined_left == 0) {
            status = gz_sorter_next(to->joined, &to->joined_next, &to->joined_left);
            if (status != GRAZE_OK || to->joined_left == 0)
                break;
        }
        gz_position_widen(to->joined_next + GZ_INDEX_BYTES, vertex_bytes,
                          to->triangles[corner / 3].corner[corner % 3]);
        to->joined_next += GZ_INDEX_BYTES + vertex_bytes;
        to->joined_left--;
    }
    to->count = corner / 3;
    return status;
}

static graze_status fill_feed(feed *to)
{
    to->next_triangle += to->count;
    graze_status status =
        gz_checkpoint(to->context, STAGE, "triangles", to->next_triangle, to->triangle_count);
    if (status == GRAZE_OK && to->joined == NULL && patience_is_lost(to))
        status = start_join(to);
    if (status == GRAZE_OK)
        status = to->joined == NULL ? feed_from_cache(to) : feed_from_join(to);
    return status;
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
    feed *from;
    uint32_t used; // of the feed's batch
    uint64_t flat_count;
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
    feed *from = at->from;
    if (end > from->triangle_count)
        end = from->triangle_count;
    while (from->next_triangle + at->used < end) {
        if (at->used == from->count) {
            graze_status status = fill_feed(from);
            if (status != GRAZE_OK)
                return status;
            at->used = 0;
            GZ_ASSERT(from->count != 0);
        }
        const graze_triangle *triangle = &from->triangles[at->used++];
        add_to_range(&at->range, triangle);
        if (from->def->count_flat && gz_triangle_is_flat(triangle))
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
static graze_status end_range(const range *ended, gz_object_book *book, gz_ranged_object *next,
                              bool *found)
{
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
    }
    graze_status status = GRAZE_OK;
    while (status == GRAZE_OK && *found && next->first_triangle == ended->first &&
           next->triangle_count == ended->count) {
        graze_box box = gz_box_placed(&ended->box, next);
        gz_object_book_place(book, next, &box);
        status = gz_object_book_next(book, next, found);
    }
    return status;
}

// Triangles of no object, if there are any.
static graze_status walk_loose(walk *at, uint64_t end, gz_object_book *book)
{
    at->range.box = graze_box_empty();
    at->range.turned_count = 0;
    graze_status status = walk_to(at, end);
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
            status = end_range(&at->range, book, &next, &found);
    }
    return status == GRAZE_OK ? walk_loose(at, at->from->triangle_count, book) : status;
}

graze_status gz_survey_run(graze_context *context, const gz_survey_def *def,
                           gz_survey_result *result)
{
    *result = (gz_survey_result){0};
    feed *from = gz_allocate(context, sizeof *from);
    walk *at = gz_allocate(context, sizeof *at);
    if (from == NULL || at == NULL) {
        gz_release(context, from, sizeof *from);
        gz_release(context, at, sizeof *at);
        return gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory while looking at triangles");
    }
    memset(from, 0, sizeof *from);
    from->context = context;
    from->def = def;
    from->triangle_count = def->corners->byte_count / GZ_TRIPLE_BYTES;
    memset(at, 0, sizeof *at);
    at->from = from;
    graze_status status =
        gz_spill_cursor_open(def->corners, GZ_TRIPLE_BYTES, def->window_bytes, &from->corners);
    if (status == GRAZE_OK)
        status = walk_objects(at, def->book);
    result->flat_count = at->flat_count;
    result->joined = from->joined != NULL;
    gz_spill_cursor_close(&from->corners);
    gz_sorter_close(from->joined);
    gz_release(context, from, sizeof *from);
    gz_release(context, at, sizeof *at);
    return status;
}
