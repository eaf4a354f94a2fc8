// Puts the triangles of a stream aside and sorts them by place. See soup.h.
//
// The curve is Morton's over a cube of 2^21 cells a side; a triangle is where its middle is. The
// cube holds the box of all vertices, which is known when they have been read, so that one pass
// over the triangles finds their box and sorts them. Where that box turns out to be far smaller,
// since vertices are there that no triangle names, they are sorted once more; where objects are
// placed, a pass of its own finds the box first.
#include "model/soup.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/context.h"
#include "mesh/inspect/feed.h"
#include "mesh/inspect/object_book.h"
#include "mesh/inspect/triples.h"
#include "mesh/view.h"
#include "model/morton.h"

// How the share is divided: while reading there are positions, corners and objects; while sorting
// these and the sorter.
static uint64_t positions_share(uint64_t memory) { return memory / 8 * 3; }
static uint64_t cache_share(uint64_t memory) { return memory / 32; }
static uint64_t corners_share(uint64_t memory) { return memory / 8; }
static uint64_t join_share(uint64_t memory) { return memory / 32; }
static uint64_t sorter_share(uint64_t memory) { return memory / 4; }

void gz_soup_init(graze_context *context, uint64_t memory, gz_soup *soup)
{
    *soup = (gz_soup){.context = context,
                      .memory = memory,
                      .box = graze_box_empty(),
                      .vertex_box = graze_box_empty()};
}

static void free_object(graze_context *context, const graze_object *object)
{
    gz_string_free(context, (char *)object->name);
    gz_string_free(context, (char *)object->group);
}

void gz_soup_free(gz_soup *soup)
{
    graze_object *objects = soup->objects.items;
    for (uint64_t i = 0; i < soup->objects.count; ++i)
        free_object(soup->context, &objects[i]);
    gz_list_free(soup->context, &soup->objects);
    gz_positions_free(&soup->positions);
    gz_spill_free(&soup->corners);
    gz_string_free(soup->context, (char *)soup->header.encoding);
    *soup = (gz_soup){0};
}

static graze_status out_of_memory(const gz_soup *soup)
{
    return gz_fail(soup->context, GRAZE_ERROR_MEMORY, "out of memory while reading triangles");
}

static graze_status take_begin(void *user, const graze_mesh_header *header)
{
    gz_soup *soup = user;
    soup->header = *header;
    soup->precision = header->precision;
    soup->positions = gz_positions_make(soup->context, header->precision,
                                        positions_share(soup->memory), cache_share(soup->memory));
    soup->corners = gz_spill_make(soup->context, corners_share(soup->memory));
    soup->header.encoding = gz_string_copy(soup->context, header->encoding);
    return soup->header.encoding == NULL ? out_of_memory(soup) : GRAZE_OK;
}

static graze_status take_vertices(void *user, const void *positions, uint64_t count)
{
    gz_soup *soup = user;
    if (gz_positions_count(&soup->positions) + count > GZ_INDEX_LIMIT)
        return gz_fail(soup->context, GRAZE_ERROR_UNSUPPORTED, "more than %" PRIu64 " vertices",
                       GZ_INDEX_LIMIT);
    for (uint64_t i = 0; i < count; ++i) {
        double point[3];
        for (uint64_t axis = 0; axis < 3; ++axis)
            point[axis] = soup->header.precision == GRAZE_FLOAT32
                              ? (double)((const float *)positions)[3 * i + axis]
                              : ((const double *)positions)[3 * i + axis];
        if (isfinite(point[0]) && isfinite(point[1]) && isfinite(point[2]))
            gz_box_add(&soup->vertex_box, point);
    }
    return gz_positions_append(&soup->positions, positions, count);
}

static graze_status take_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    gz_soup *soup = user;
    uint8_t triples[256 * GZ_TRIPLE_BYTES];
    graze_status status = GRAZE_OK;
    soup->file_triangle_count += count;
    while (count != 0 && status == GRAZE_OK) {
        uint64_t some = count < 256 ? count : 256;
        for (uint64_t i = 0; i < some; ++i)
            gz_triple_put(triples + i * GZ_TRIPLE_BYTES, corners + 3 * i);
        status = gz_spill_append(&soup->corners, triples, some * GZ_TRIPLE_BYTES);
        corners += 3 * some;
        count -= some;
    }
    return status;
}

static graze_status take_object(void *user, const graze_object *object)
{
    gz_soup *soup = user;
    graze_object copy = *object;
    copy.name = gz_string_copy(soup->context, object->name);
    copy.group = gz_string_copy(soup->context, object->group);
    graze_object *slot = NULL;
    if (copy.name != NULL && copy.group != NULL)
        slot = gz_list_push(soup->context, &soup->objects, 1);
    if (slot == NULL) {
        free_object(soup->context, &copy);
        return out_of_memory(soup);
    }
    *slot = copy;
    return GRAZE_OK;
}

static graze_status take_end(void *user, const graze_mesh_losses *losses)
{
    gz_soup *soup = user;
    soup->losses = *losses;
    soup->ended = true;
    return GRAZE_OK;
}

static graze_status take_position(void *user, uint64_t vertex, double out[3])
{
    return gz_positions_get(&((gz_soup *)user)->positions, vertex, out);
}

graze_mesh_sink gz_soup_sink(gz_soup *soup)
{
    return (graze_mesh_sink){.user = soup,
                             .begin = take_begin,
                             .vertices = take_vertices,
                             .triangles = take_triangles,
                             .object = take_object,
                             .end = take_end,
                             .position = take_position};
}

// An object by its range in the file, and the number of its first triangle in the world.
typedef struct span {
    uint64_t first, count, number;
    uint32_t object;
} span;

static int compare_spans(const void *a, const void *b)
{
    const span *p = a, *q = b;
    if (p->first != q->first)
        return p->first < q->first ? -1 : 1;
    if (p->count != q->count) // an empty one may begin where another does
        return p->count < q->count ? -1 : 1;
    return p->number < q->number ? -1 : p->number > q->number;
}

// What a pass does with a triangle that stands in the world.
typedef graze_status look(void *user, uint64_t number, const graze_triangle *triangle);

typedef struct pass {
    gz_soup *soup;
    const span *spans; // sorted by range
    uint64_t span_count;
    uint64_t at; // the first whose range is not behind the triangle
    look *look;
    void *user;
} pass;

static graze_status look_placed(pass *p, uint64_t file_number, const graze_triangle *triangle)
{
    const graze_object *objects = p->soup->objects.items;
    graze_status status = GRAZE_OK;
    while (p->at < p->span_count && p->spans[p->at].first + p->spans[p->at].count <= file_number)
        p->at++;
    for (uint64_t i = p->at; i < p->span_count && p->spans[i].first <= file_number; ++i) {
        const span *s = &p->spans[i];
        if (file_number - s->first >= s->count)
            continue; // an empty one may lie within another
        const graze_object *object = &objects[s->object];
        graze_triangle placed = *triangle;
        if (object->placed != 0)
            for (int c = 0; c < 3; ++c) {
                gz_place(object->matrix, placed.corner[c]);
                for (int axis = 0; axis < 3; ++axis)
                    if (!isfinite(placed.corner[c][axis]))
                        return gz_fail(p->soup->context, GRAZE_ERROR_FORMAT,
                                       "object \"%s\": its matrix leads out of the range of double",
                                       object->name);
            }
        status = p->look(p->user, s->number + (file_number - s->first), &placed);
        if (status != GRAZE_OK)
            break;
    }
    return status;
}

graze_status gz_soup_open_feed(gz_soup *soup, const char *stage, gz_feed **feed)
{
    gz_feed_def def = {.positions = &soup->positions,
                       .corners = &soup->corners,
                       .stage = stage,
                       .window_bytes = soup->memory / 64,
                       .join_bytes = join_share(soup->memory),
                       .patience = 32};
    return gz_feed_open(soup->context, &def, feed);
}

static graze_status run_pass(pass *p, const char *stage)
{
    gz_feed *feed = NULL;
    graze_status status = gz_soup_open_feed(p->soup, stage, &feed);
    while (status == GRAZE_OK && (status = gz_feed_fill(feed)) == GRAZE_OK && feed->count != 0)
        for (uint32_t i = 0; i < feed->count && status == GRAZE_OK; ++i)
            status = look_placed(p, feed->next_triangle + i, &feed->triangles[i]);
    gz_feed_close(feed);
    p->at = 0;
    return status;
}

static graze_status add_to_box(void *user, uint64_t number, const graze_triangle *triangle)
{
    (void)number;
    for (int c = 0; c < 3; ++c)
        gz_box_add(user, triangle->corner[c]);
    return GRAZE_OK;
}

typedef struct sorting {
    gz_sorter *sorter;
    graze_precision precision;
    graze_box *box; // of the triangles so far
    gz_soup_cube cube;
} sorting;

static uint64_t place_on_curve(const gz_soup_cube *cube, const graze_triangle *triangle)
{
    uint64_t place = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double(*p)[3] = triangle->corner;
        // Halves, so that nothing overflows.
        double middle = (0.5 * p[0][axis] + 0.5 * p[1][axis] + 0.5 * p[2][axis]) * (2.0 / 3);
        double cell = (0.5 * middle - 0.5 * cube->low[axis]) * cube->step;
        place |= gz_morton_bits(gz_morton_cell(cell)) << axis;
    }
    return place;
}

void gz_soup_put_record(const gz_soup_cube *cube, graze_precision precision, uint32_t number,
                        const graze_triangle *triangle, uint8_t *record)
{
    gz_put_u64(record, place_on_curve(cube, triangle), true);
    gz_put_u32(record + GZ_SOUP_CURVE_BYTES, number, true);
    if (precision == GRAZE_FLOAT64) {
        memcpy(record + GZ_SOUP_KEY_BYTES, triangle->corner, 72);
    } else {
        float narrow[9];
        for (int i = 0; i < 9; ++i)
            narrow[i] = (float)triangle->corner[i / 3][i % 3]; // it was one
        memcpy(record + GZ_SOUP_KEY_BYTES, narrow, sizeof narrow);
    }
}

static graze_status push_triangle(void *user, uint64_t number, const graze_triangle *triangle)
{
    sorting *s = user;
    uint8_t record[GZ_SOUP_KEY_BYTES + 72];
    add_to_box(s->box, number, triangle);
    gz_soup_put_record(&s->cube, s->precision, (uint32_t)number, triangle, record);
    return gz_sorter_push(s->sorter, record, 1);
}

// One without a name if there are none.
graze_status gz_soup_complete_objects(gz_soup *soup)
{
    if (soup->objects.count != 0)
        return GRAZE_OK;
    graze_object whole = {.name = "", .group = "", .triangle_count = soup->file_triangle_count};
    for (int axis = 0; axis < 3; ++axis)
        whole.matrix[5 * axis] = 1;
    return take_object(soup, &whole);
}

// Where objects are in the file and in the world.
static graze_status list_spans(gz_soup *soup, span **spans, uint64_t *count)
{
    graze_context *context = soup->context;
    graze_status status = gz_soup_complete_objects(soup);
    if (status != GRAZE_OK)
        return status;
    *count = soup->objects.count;
    *spans = GZ_NEW_ARRAY(context, span, *count);
    if (*spans == NULL)
        return out_of_memory(soup);
    const graze_object *objects = soup->objects.items;
    soup->triangle_count = 0;
    for (uint64_t i = 0; i < *count; ++i) {
        (*spans)[i] = (span){objects[i].first_triangle, objects[i].triangle_count,
                             soup->triangle_count, (uint32_t)i};
        soup->triangle_count += objects[i].triangle_count;
        if (objects[i].placed != 0)
            soup->precision = GRAZE_FLOAT64;
    }
    qsort(*spans, (size_t)*count, sizeof **spans, compare_spans);
    if (soup->triangle_count >= UINT64_C(1) << 31)
        return gz_fail(context, GRAZE_ERROR_UNSUPPORTED,
                       "%" PRIu64 " triangles: a model has fewer than 2^31", soup->triangle_count);
    return GRAZE_OK;
}

static double half_size(const graze_box *box)
{
    double size = 0;
    for (int axis = 0; axis < 3; ++axis)
        size = fmax(size, 0.5 * box->max[axis] - 0.5 * box->min[axis]);
    return size; // 0 of an empty box
}

gz_soup_cube gz_soup_cube_of(const graze_box *box)
{
    gz_soup_cube cube = {{box->min[0], box->min[1], box->min[2]}, 0};
    double size = half_size(box);
    if (size > 0 && (double)GZ_MORTON_CELLS / size < HUGE_VAL)
        cube.step = (double)GZ_MORTON_CELLS / size;
    return cube;
}

graze_status gz_soup_open_sorter(graze_context *context, graze_precision precision,
                                 uint64_t memory_bytes, gz_sorter **sorter)
{
    gz_sorter_def def = {.record_bytes = gz_soup_record_bytes(precision),
                         .zero_bits = 64 - 3 * GZ_MORTON_BITS,
                         .memory_bytes = memory_bytes,
                         .stage = "sorting"};
    uint64_t least = gz_sorter_least_memory(def.record_bytes, def.fan_bits);
    if (def.memory_bytes < least)
        def.memory_bytes = least;
    return gz_sorter_open(context, &def, sorter);
}

static graze_status open_sorter(gz_soup *soup, const graze_box *cube, sorting *s)
{
    s->box = &soup->box;
    s->precision = soup->precision;
    s->cube = gz_soup_cube_of(cube);
    return gz_soup_open_sorter(soup->context, soup->precision, sorter_share(soup->memory),
                               &s->sorter);
}

static graze_status sort_in_cube(pass *p, const graze_box *cube, sorting *s)
{
    graze_box copy = *cube; // the soup's box is found anew
    p->soup->box = graze_box_empty();
    graze_status status = open_sorter(p->soup, &copy, s);
    p->look = push_triangle;
    p->user = s;
    return status == GRAZE_OK ? run_pass(p, "sorting") : status;
}

static graze_status sort_all(pass *p, sorting *s)
{
    gz_soup *soup = p->soup;
    bool placed = false;
    for (uint64_t i = 0; i < soup->objects.count; ++i)
        placed |= ((const graze_object *)soup->objects.items)[i].placed != 0;
    if (placed) {
        p->look = add_to_box;
        p->user = &soup->box;
        graze_status status = run_pass(p, "measuring");
        return status == GRAZE_OK ? sort_in_cube(p, &soup->box, s) : status;
    }
    graze_status status = sort_in_cube(p, &soup->vertex_box, s);
    if (status != GRAZE_OK || half_size(&soup->box) >= half_size(&soup->vertex_box) / 4)
        return status;
    gz_sorter_close(s->sorter);
    s->sorter = NULL;
    return sort_in_cube(p, &soup->box, s);
}

graze_status gz_soup_sort(gz_soup *soup, gz_sorter **sorter)
{
    GZ_ASSERT(soup->ended);
    *sorter = NULL;
    span *spans = NULL;
    uint64_t span_count = 0;
    sorting s = {0};
    graze_status status = list_spans(soup, &spans, &span_count);
    pass p = {.soup = soup, .spans = spans, .span_count = span_count};
    if (status == GRAZE_OK)
        status = sort_all(&p, &s);
    GZ_FREE_ARRAY(soup->context, spans, span_count);
    gz_positions_free(&soup->positions);
    gz_spill_free(&soup->corners);
    if (status != GRAZE_OK) {
        gz_sorter_close(s.sorter);
        return status;
    }
    *sorter = s.sorter;
    return GRAZE_OK;
}
