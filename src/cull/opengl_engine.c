// The engine that finds the potentially colliding set by looking: the CULLIDE paper's way from
// objects over groups of neighbouring triangles to single ones, on OpenGL.
//
// What is left of a frame is a list of pieces: stretches of neighbouring triangles with a box, in
// the order of their objects. Views along the three axes, from both sides, settle pieces until
// nothing changes; what is open is cut into smaller ones, and looked at again; the last are looked
// at along other directions, too. Whatever was settled for a piece holds for its parts.
//
// Why nothing is missed. Two triangles of different objects at most the tolerance apart have points
// p and q that near. Along any direction of length 1 or less the two lie at most the tolerance
// apart, so the stretches of the two triangles along it, each grown by half of that, have a point
// in common. A view has three such directions, and maps each by a function that never falls: the
// two share a pixel, and in it neither is wholly before the other (opengl_views.h). Since pieces
// contain their triangles, none of the two is ever settled against the other, in whichever piece it
// is. Directions need not be at right angles for this. An object never hides itself: pairs within
// one are not of this engine.
#include "cull/cull_engine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#ifdef GZ_HAVE_OPENGL
#include "base/sort.h"
#include "base/threads.h"
#include "cull/opengl_context.h"
#include "cull/opengl_views.h"

#define DEFAULT_RESOLUTION 800u
#define MOST_VIEWS         3
#define EVERY_CHANGE       UINT32_MAX // parts of what was open, see look_around
#define ONE_IN_SIXTEEN     16u

typedef struct piece {
    gz_cull_box box;
    uint32_t first, count; // places of its triangles
    uint32_t object;
    uint32_t open; // questions, as GZ_VIEW_FREE_OF_... bits
} piece;

typedef GZ_LIST(piece) piece_list;

// Three directions, of length 1 or a little less: across, up, and away from the eye.
typedef struct view {
    double axes[3][3];
    int axis; // of the frame that it looks along; -1: it needs corners, not boxes
    bool from_behind;
} view;

typedef struct bounds {
    double low[3], high[3];
} bounds;

typedef struct opengl_engine {
    gz_cull_engine engine;
    graze_context *context;
    gz_views *views;
    graze_cull_passes passes;
    piece_list pieces, parts;
    GZ_LIST(bounds) stretches;  // of each piece along a view's directions
    GZ_LIST(gz_view_box) boxes; // in the order in which they are drawn
    GZ_LIST(uint32_t) order;    // and whose they are
    GZ_LIST(gz_viewed_object) objects;
    GZ_LIST(uint8_t) freed;
    GZ_LIST(uint8_t) sort_bytes;
} opengl_engine;

// ---- Pieces

static void join_boxes(gz_cull_box *box, const gz_cull_box *other)
{
    for (int axis = 0; axis < 3; ++axis) {
        if (other->low[axis] < box->low[axis])
            box->low[axis] = other->low[axis];
        if (other->high[axis] > box->high[axis])
            box->high[axis] = other->high[axis];
    }
}

static bool objects_as_pieces(opengl_engine *e, const gz_cull_frame *frame)
{
    e->pieces.count = 0;
    for (uint32_t i = 0; i < frame->object_count; ++i) {
        const gz_cull_object *object = &frame->objects[i];
        if (object->partner_count == 0 || object->triangle_count == 0)
            continue;
        piece *p = gz_list_push(e->context, &e->pieces, 1);
        if (p == NULL)
            return false;
        *p = (piece){object->box, object->first, object->triangle_count, i,
                     GZ_VIEW_FREE_OF_EARLIER | GZ_VIEW_FREE_OF_LATER};
    }
    return true;
}

static void cut_piece(const gz_cull_frame *frame, const piece *p, uint32_t most, piece *part)
{
    const gz_cull_object *object = &frame->objects[p->object];
    for (uint32_t done = 0; done < p->count; done += most, ++part) {
        uint32_t count = p->count - done < most ? p->count - done : most;
        uint32_t triangle = p->first - object->first + done;
        *part = (piece){gz_cull_triangle_box(frame, object, triangle), p->first + done, count,
                        p->object, p->open};
        for (uint32_t i = 1; i < count; ++i) {
            gz_cull_box box = gz_cull_triangle_box(frame, object, triangle + i);
            join_boxes(&part->box, &box);
        }
    }
}

static uint64_t count_parts(const opengl_engine *e, uint32_t most)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < e->pieces.count; ++i)
        count += (e->pieces.items[i].count - 1) / most + 1;
    return count;
}

// Into parts of at most so many triangles, or of more where a look could not have so many parts.
static bool cut_pieces(opengl_engine *e, const gz_cull_frame *frame, uint32_t most)
{
    while (count_parts(e, most) > gz_views_most_boxes(e->views) && most < frame->place_count)
        most *= 2;
    uint64_t count = count_parts(e, most);
    e->parts.count = 0;
    piece *parts = gz_list_push(e->context, &e->parts, count);
    if (parts == NULL && count != 0)
        return false;
    for (uint64_t i = 0; parts != NULL && i < e->pieces.count; ++i) {
        cut_piece(frame, &e->pieces.items[i], most, parts);
        parts += (e->pieces.items[i].count - 1) / most + 1;
    }
    piece_list swap = e->pieces;
    e->pieces = e->parts;
    e->parts = swap;
    return true;
}

// Those without a question are in no contact; the others close up.
static void drop_settled(opengl_engine *e, const gz_cull_frame *frame)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < e->pieces.count; ++i) {
        const piece *p = &e->pieces.items[i];
        if (p->open == 0)
            memset(frame->keep + p->first, 0, p->count);
        else
            e->pieces.items[kept++] = *p;
    }
    e->pieces.count = kept;
}

// ---- Stretches along the directions of a view

static void stretch_of_box(const gz_cull_box *box, int axis, bounds *out)
{
    for (int k = 0; k < 3; ++k) {
        int from = (axis + 1 + k) % 3; // the axis itself comes last: away from the eye
        out->low[k] = (double)box->low[from];
        out->high[k] = (double)box->high[from];
    }
}

// The corners' bounds, projected. Each product and each sum is off by at most 2^-53 of its size,
// and no size is above three times `largest`: so 2^-48 of that is room enough, and for the growing,
// too.
static void stretch_of_corners(const gz_cull_frame *frame, const piece *p, const view *v,
                               double largest, bounds *out)
{
    const gz_cull_object *object = &frame->objects[p->object];
    const uint32_t *corners = object->view->corners + 3 * (uint64_t)(p->first - object->first);
    double room = (double)frame->grow + largest * 0x1p-48;
    *out = (bounds){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (uint64_t i = 0; i < 3 * (uint64_t)p->count; ++i) {
        float low[3], high[3];
        gz_cull_corner(frame, object->view, corners[i], low, high);
        for (int k = 0; k < 3; ++k) {
            double least = -room, most = room;
            for (int axis = 0; axis < 3; ++axis) {
                double x = v->axes[k][axis];
                least += x * (double)(x < 0 ? high[axis] : low[axis]);
                most += x * (double)(x < 0 ? low[axis] : high[axis]);
            }
            if (least < out->low[k])
                out->low[k] = least;
            if (most > out->high[k])
                out->high[k] = most;
        }
    }
}

static double largest_coordinate(const opengl_engine *e)
{
    double largest = 0;
    for (uint64_t i = 0; i < e->pieces.count; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            const gz_cull_box *box = &e->pieces.items[i].box;
            largest =
                fmax(largest, fmax(fabs((double)box->low[axis]), fabs((double)box->high[axis])));
        }
    return largest;
}

static bool make_stretches(opengl_engine *e, const gz_cull_frame *frame, const view *v,
                           bounds *around)
{
    double largest = v->axis < 0 ? largest_coordinate(e) : 0;
    e->stretches.count = 0;
    bounds *stretches = gz_list_push(e->context, &e->stretches, e->pieces.count);
    if (stretches == NULL)
        return false;
    *around = (bounds){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (uint64_t i = 0; i < e->pieces.count; ++i) {
        const piece *p = &e->pieces.items[i];
        if (v->axis >= 0)
            stretch_of_box(&p->box, v->axis, &stretches[i]);
        else
            stretch_of_corners(frame, p, v, largest, &stretches[i]);
        for (int k = 0; k < 3; ++k) {
            around->low[k] = fmin(around->low[k], stretches[i].low[k]);
            around->high[k] = fmax(around->high[k], stretches[i].high[k]);
        }
    }
    return true;
}

// ---- Boxes of whole numbers

// From coordinates to numbers below `count`. Never falls, however it rounds: a difference, a
// product with a scale of at least 0, and cutting off do not.
typedef struct ruler {
    double low, scale;
    uint32_t last;
} ruler;

static ruler ruler_for(double low, double high, uint32_t count)
{
    double scale = (double)count / (high - low);
    return (ruler){low, high > low && scale < HUGE_VAL ? scale : 0, count - 1};
}

static uint32_t number_of(const ruler *r, double x)
{
    double number = (x - r->low) * r->scale;
    return number <= 0 ? 0 : number >= (double)r->last ? r->last : (uint32_t)number;
}

static gz_view_box view_box_of(const bounds *stretch, const ruler rulers[3], bool from_behind)
{
    uint32_t low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = number_of(&rulers[k], stretch->low[k]);
        high[k] = number_of(&rulers[k], stretch->high[k]);
    }
    uint32_t last = GZ_VIEW_LEVELS - 1;
    return (gz_view_box){(uint16_t)low[0],
                         (uint16_t)high[0],
                         (uint16_t)low[1],
                         (uint16_t)high[1],
                         from_behind ? last - high[2] : low[2],
                         from_behind ? last - low[2] : high[2]};
}

// ---- The order of drawing

// Which stretch of its object a piece is drawn in.
static uint32_t place_among(const piece *p)
{
    return p->open == GZ_VIEW_FREE_OF_EARLIER ? 0 : p->open == GZ_VIEW_FREE_OF_LATER ? 2 : 1;
}

// Object by object, and in each by the questions that are open.
static bool order_pieces(opengl_engine *e)
{
    uint32_t count = (uint32_t)e->pieces.count, end = 0, next = 0;
    e->order.count = e->objects.count = 0;
    uint32_t *order = gz_list_push(e->context, &e->order, count);
    if (order == NULL)
        return false;
    for (uint32_t first = 0; first < count; first = end) {
        const piece *pieces = e->pieces.items;
        gz_viewed_object *object = gz_list_push(e->context, &e->objects, 1);
        uint32_t starts[3];
        if (object == NULL)
            return false;
        for (end = first; end < count && pieces[end].object == pieces[first].object; ++end)
            continue;
        for (uint32_t place = 0; place < 3; ++place) {
            starts[place] = next;
            for (uint32_t i = first; i < end; ++i)
                if (place_among(&pieces[i]) == place)
                    order[next++] = i;
        }
        *object = (gz_viewed_object){starts[0], starts[1], starts[2], next};
    }
    return true;
}

enum { RECORD_BYTES = 12 };

// Within these stretches from back to front: so an object does not hide itself where it is tested
// and written in one draw.
static bool sort_by_depth(opengl_engine *e, const view *v, const ruler rulers[3])
{
    uint64_t count = e->order.count, bytes = count * RECORD_BYTES;
    e->sort_bytes.count = 0;
    uint8_t *records = gz_list_push(e->context, &e->sort_bytes, 2 * bytes + 64);
    if (records == NULL)
        return false;
    for (uint64_t i = 0; i < count; ++i) {
        uint32_t index = e->order.items[i];
        const piece *p = &e->pieces.items[index];
        gz_view_box box = view_box_of(&e->stretches.items[index], rulers, v->from_behind);
        gz_put_number(records + i * RECORD_BYTES, p->object, 4);
        gz_put_number(records + i * RECORD_BYTES + 4,
                      place_among(p) * GZ_VIEW_LEVELS + (GZ_VIEW_LEVELS - 1 - box.back), 4);
        gz_put_number(records + i * RECORD_BYTES + 8, index, 4);
    }
    gz_sort_records(e->context, records, count, RECORD_BYTES, 0,
                    gz_arena_over(records + bytes, bytes + 64));
    for (uint64_t i = 0; i < count; ++i)
        e->order.items[i] = (uint32_t)gz_get_number(records + i * RECORD_BYTES + 8, 4);
    return true;
}

// ---- Looking

// Looks once, and closes the questions that this answers. `settled` counts them.
static graze_status look(opengl_engine *e, const gz_cull_frame *frame, const view *v, bool whole,
                         uint64_t *settled)
{
    bounds around;
    ruler rulers[3];
    uint32_t count = (uint32_t)e->pieces.count;
    if (count == 0)
        return GRAZE_OK;
    graze_status status = gz_checkpoint(e->context, "culling", "pieces", 0, 0);
    if (status != GRAZE_OK)
        return status;
    e->boxes.count = e->freed.count = 0;
    gz_view_box *boxes = gz_list_push(e->context, &e->boxes, count);
    uint8_t *freed = gz_list_push(e->context, &e->freed, count);
    if (boxes == NULL || freed == NULL || !make_stretches(e, frame, v, &around) || !order_pieces(e))
        return GRAZE_ERROR_MEMORY;
    for (int k = 0; k < 3; ++k)
        rulers[k] = ruler_for(around.low[k], around.high[k],
                              k == 2 ? GZ_VIEW_LEVELS : gz_views_resolution(e->views));
    if (e->passes == GRAZE_CULL_ZFAIL && !sort_by_depth(e, v, rulers))
        return GRAZE_ERROR_MEMORY;
    for (uint32_t i = 0; i < count; ++i)
        boxes[i] = view_box_of(&e->stretches.items[e->order.items[i]], rulers, v->from_behind);
    status = gz_views_look(e->views, e->passes, boxes, count, e->objects.items,
                           (uint32_t)e->objects.count, whole, freed);
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i) {
        piece *p = &e->pieces.items[e->order.items[i]];
        *settled += (uint64_t)__builtin_popcount(p->open & freed[i]);
        p->open &= ~(uint32_t)freed[i];
    }
    drop_settled(e, frame);
    return status;
}

static uint64_t count_open(const opengl_engine *e)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < e->pieces.count; ++i)
        count += (uint64_t)__builtin_popcount(e->pieces.items[i].open);
    return count;
}

// Rounds of views, each from both sides, until nothing changes that would be worth it: a view is
// looked from again when of what was open at its last look such a part is settled. The first
// round settles most, as the paper says, too.
static graze_status look_around(opengl_engine *e, const gz_cull_frame *frame, view *views,
                                uint32_t view_count, uint32_t part, bool whole, uint64_t *rounds)
{
    graze_status status = GRAZE_OK;
    uint64_t open = count_open(e), left_open[2 * MOST_VIEWS];
    bool again = true;
    for (uint32_t i = 0; i < 2 * view_count; ++i)
        left_open[i] = UINT64_MAX;
    while (again && status == GRAZE_OK) {
        again = false;
        for (uint32_t i = 0; i < 2 * view_count && open != 0 && status == GRAZE_OK; ++i) {
            uint64_t settled = 0;
            if (open == left_open[i] || open > left_open[i] - left_open[i] / part)
                continue;
            views[i / 2].from_behind = i % 2 != 0;
            status = look(e, frame, &views[i / 2], whole, &settled);
            left_open[i] = open -= settled;
            again = true;
        }
        *rounds += again;
    }
    return status;
}

// ---- Directions

typedef struct directions {
    view axes[MOST_VIEWS], others[MOST_VIEWS];
} directions;

// Any will do; these are the same in every frame. Lengths end up just below 1.
static void choose_directions(directions *d)
{
    uint64_t state = 1;
    for (int i = 0; i < 3; ++i)
        d->axes[i] = (view){.axis = i};
    for (int i = 0; i < MOST_VIEWS; ++i) {
        d->others[i] = (view){.axis = -1};
        for (int k = 0; k < 3; ++k) {
            double *x = d->others[i].axes[k];
            for (int axis = 0; axis < 3; ++axis) {
                state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                x[axis] = (double)(state >> 33) * 0x1p-30 - 1;
            }
            double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) * (1 + 0x1p-40);
            for (int axis = 0; axis < 3; ++axis)
                x[axis] = length > 0 ? x[axis] / length : 0;
        }
    }
}

// ---- The engine

// Pieces are objects, groups of neighbouring triangles, smaller groups, single triangles.
static graze_status cull_by_looking(opengl_engine *e, const gz_cull_frame *frame, uint64_t *rounds)
{
    static const uint32_t most_triangles[] = {64, 8, 1};
    directions d;
    choose_directions(&d);
    if (!objects_as_pieces(e, frame))
        return GRAZE_ERROR_MEMORY;
    if (e->pieces.count > gz_views_most_boxes(e->views))
        return GRAZE_OK; // objects beyond number: nothing is cleared
    graze_status status = look_around(e, frame, d.axes, 3, EVERY_CHANGE, false, rounds);
    for (uint32_t i = 0; i < 3 && status == GRAZE_OK; ++i) {
        if (!cut_pieces(e, frame, most_triangles[i]))
            return GRAZE_ERROR_MEMORY;
        // With a query for each box, whole objects are asked about first: that is far fewer.
        if (i == 0 && e->passes == GRAZE_CULL_QUERIES)
            status = look_around(e, frame, d.axes, 3, ONE_IN_SIXTEEN, true, rounds);
        if (status == GRAZE_OK)
            status = look_around(e, frame, d.axes, 3, ONE_IN_SIXTEEN, false, rounds);
    }
    if (status == GRAZE_OK)
        status = look_around(e, frame, d.others, MOST_VIEWS, ONE_IN_SIXTEEN, false, rounds);
    return status;
}

static void keep_all(const gz_cull_frame *frame)
{
    for (uint32_t i = 0; i < frame->object_count; ++i)
        memset(frame->keep + frame->objects[i].first, 1, frame->objects[i].triangle_count);
}

static graze_status prune(gz_cull_engine *engine, const gz_cull_frame *frame, uint64_t *rounds)
{
    opengl_engine *e = (opengl_engine *)engine;
    graze_status status = GRAZE_ERROR_UNSUPPORTED;
    if (gz_views_enter(e->views)) {
        status = cull_by_looking(e, frame, rounds);
        gz_views_leave(e->views);
    }
    if (status == GRAZE_ERROR_UNSUPPORTED) {
        keep_all(frame);
        gz_log(e->context, GRAZE_LOG_WARNING, "OpenGL culls no more, the CPU does: %s",
               gz_views_why(e->views));
    }
    return status;
}

static void destroy(gz_cull_engine *engine)
{
    opengl_engine *e = (opengl_engine *)engine;
    gz_views_close(e->views);
    gz_list_free(e->context, &e->pieces);
    gz_list_free(e->context, &e->parts);
    gz_list_free(e->context, &e->stretches);
    gz_list_free(e->context, &e->boxes);
    gz_list_free(e->context, &e->order);
    gz_list_free(e->context, &e->objects);
    gz_list_free(e->context, &e->freed);
    gz_list_free(e->context, &e->sort_bytes);
    GZ_FREE_ARRAY(e->context, e, 1);
}

graze_status gz_cull_opengl_create(graze_context *context, const graze_cull_def *def,
                                   gz_cull_engine **engine, char why[256])
{
    *engine = NULL;
    opengl_engine *e = GZ_NEW_ARRAY(context, opengl_engine, 1);
    if (e == NULL)
        return GRAZE_ERROR_MEMORY;
    *e = (opengl_engine){.engine = {.kind = GRAZE_CULL_OPENGL, .prune = prune, .destroy = destroy},
                         .context = context,
                         .passes = def->passes};
    e->views =
        gz_views_open(context, def->resolution != 0 ? def->resolution : DEFAULT_RESOLUTION, why);
    if (e->views == NULL) {
        destroy(&e->engine);
        return GRAZE_ERROR_UNSUPPORTED;
    }
    e->engine.software = gz_views_software(e->views);
    snprintf(e->engine.name, sizeof e->engine.name, "%s", gz_views_renderer(e->views));
    gz_log(context, GRAZE_LOG_NOTE, "OpenGL culls, by %s, at %u by %u pixels", e->engine.name,
           gz_views_resolution(e->views), gz_views_resolution(e->views));
    *engine = &e->engine;
    return GRAZE_OK;
}

bool gz_cull_opengl_may_help(void) { return gz_opengl_may_have_gpu(); }
#else
bool gz_cull_opengl_may_help(void) { return false; }

graze_status gz_cull_opengl_create(graze_context *context, const graze_cull_def *def,
                                   gz_cull_engine **engine, char why[256])
{
    (void)context;
    (void)def;
    *engine = NULL;
    snprintf(why, 256, "this build of graze has no OpenGL engine");
    return GRAZE_ERROR_UNSUPPORTED;
}
#endif
