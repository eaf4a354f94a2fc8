// Cutting polygons. See polygon.h for the rules.
#include "mesh/polygon.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "geometry/predicates.h"

#define STEPS_PER_CORNER 2048
#define STEPS_FREE       100000
#define GRID_FROM        64 // crooked corners; fewer are looked at one by one
#define CELLS_PER_CORNER 2
#define NOWHERE          UINT32_MAX

void gz_cutter_free(graze_context *context, gz_cutter *cutter)
{
    gz_list_free(context, &cutter->bytes);
}

// The plane to look at the polygon in: drop `axis`, and mirror if the normal points down.
typedef struct view {
    const double (*points)[3];
    int axis;
    int sign; // 0: no area
} view;

static int turn(const view *v, uint32_t a, uint32_t b, uint32_t c)
{
    return v->sign * gz_orient2d_along(v->axis, v->points[a], v->points[b], v->points[c]);
}

// How far a coordinate is from the first corner's, in units of 2^exponent. UNSCALED is the plain
// difference; the other one cannot overflow.
#define UNSCALED INT32_MIN
static double seen_from(double first, double coordinate, int exponent)
{
    if (exponent == UNSCALED)
        return coordinate - first;
    return ldexp(coordinate * 0.5 - first * 0.5, 1 - exponent);
}

// Twice the vector area, as Newell adds it up, seen from the first corner.
static void add_up_normal(const double (*points)[3], uint32_t count, int exponent, double normal[3])
{
    double before[3] = {0};
    normal[0] = normal[1] = normal[2] = 0;
    for (uint32_t i = 1; i < count; ++i) {
        double p[3];
        for (int k = 0; k < 3; ++k)
            p[k] = seen_from(points[0][k], points[i][k], exponent);
        normal[0] += before[1] * p[2] - before[2] * p[1];
        normal[1] += before[2] * p[0] - before[0] * p[2];
        normal[2] += before[0] * p[1] - before[1] * p[0];
        memcpy(before, p, sizeof p);
    }
}

static int largest_axis(const double normal[3])
{
    int axis = 2;
    for (int k = 1; k >= 0; --k)
        if (fabs(normal[k]) > fabs(normal[axis]))
            axis = k;
    return axis;
}

// The exponent that brings the polygon's extent below 1.
static int common_exponent(const double (*points)[3], uint32_t count)
{
    double largest = 0;
    for (uint32_t i = 1; i < count; ++i)
        for (int k = 0; k < 3; ++k)
            largest = fmax(largest, fabs(points[i][k] * 0.5 - points[0][k] * 0.5));
    int exponent = 0;
    (void)frexp(largest, &exponent);
    return exponent + 1;
}

// What is lost by rounding only concerns the choice of the axis.
static view choose_view(const double (*points)[3], uint32_t count)
{
    double normal[3];
    add_up_normal(points, count, UNSCALED, normal);
    int axis = largest_axis(normal);
    if (!(fabs(normal[axis]) > 0x1p-900 && fabs(normal[axis]) < 0x1p+900)) { // also for NaN
        add_up_normal(points, count, common_exponent(points, count), normal);
        axis = largest_axis(normal);
    }
    int sign = (normal[axis] > 0) - (normal[axis] < 0);
    return (view){points, axis, sign};
}

static void put(uint32_t **out, uint32_t a, uint32_t b, uint32_t c)
{
    (*out)[0] = a;
    (*out)[1] = b;
    (*out)[2] = c;
    *out += 3;
}

static void cut_fan(uint32_t count, uint32_t *out)
{
    for (uint32_t i = 1; i + 1 < count; ++i)
        put(&out, 0, i, i + 1);
}

// How good is a cut of four corners into (a, b, c) and (c, d, a)? 2: two upright triangles, 1: one
// of them without area, 0: one upside down.
static int rate_cut(const view *v, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    int first = turn(v, a, b, c), second = turn(v, c, d, a);
    if (first < 0 || second < 0)
        return 0;
    return first > 0 && second > 0 ? 2 : 1;
}

static void cut_four(const view *v, uint32_t *out)
{
    int straight = v->sign != 0 ? rate_cut(v, 0, 1, 2, 3) : 2;
    if (straight < 2 && rate_cut(v, 1, 2, 3, 0) > straight) {
        put(&out, 1, 2, 3);
        put(&out, 1, 3, 0);
    } else {
        put(&out, 0, 1, 2);
        put(&out, 0, 2, 3);
    }
}

// Strictly convex: every corner turns left, and going around once turns around once, which is seen
// by the edges changing between rightward and leftward exactly twice.
static bool is_convex(const view *v, uint32_t count)
{
    int x = (v->axis + 1) % 3, y = (v->axis + 2) % 3;
    uint32_t changes = 0;
    bool rightward = false;
    for (uint32_t i = 0; i <= count; ++i) {
        uint32_t a = i % count, b = (i + 1) % count, c = (i + 2) % count;
        if (turn(v, a, b, c) <= 0)
            return false;
        const double *p = v->points[a], *q = v->points[b];
        bool right = q[x] > p[x] || (q[x] == p[x] && q[y] > p[y]);
        changes += i > 0 && right != rightward;
        rightward = right;
    }
    return changes == 2;
}

// The polygon while ears are cut off: a ring of the corners left. Only corners that do not turn
// left (crooked ones) can lie in an ear; they are found through a grid. Corners never become
// crooked while ears are cut, so the grid is made once and crooked[] says who still is.
typedef struct ring {
    view view;
    uint32_t *next, *previous;
    uint8_t *crooked;
    uint32_t some;          // a corner of the ring
    uint32_t left;          // corners in the ring
    uint32_t *heap, *place; // corners that wait to be looked at, and where in the heap each is
    double *key;
    uint32_t heap_count;
    uint32_t *cell_start, *cell_items;
    uint32_t grid_size[2];
    double grid_min[2], grid_scale[2];
    int64_t steps_left;
} ring;

static uint32_t grid_cell(const ring *r, int k, double coordinate)
{
    if (r->grid_size[k] == 1)
        return 0;
    // Monotonous in the coordinate, whatever is rounded: what lies between two points lies in a
    // cell between theirs.
    double cell = (coordinate - r->grid_min[k]) * r->grid_scale[k];
    return cell >= r->grid_size[k] ? r->grid_size[k] - 1 : (uint32_t)cell;
}

static uint32_t cell_of(const ring *r, uint32_t corner)
{
    const double *p = r->view.points[corner];
    uint32_t x = grid_cell(r, 0, p[(r->view.axis + 1) % 3]);
    uint32_t y = grid_cell(r, 1, p[(r->view.axis + 2) % 3]);
    return y * r->grid_size[0] + x;
}

// About as many cells as crooked corners, about square. Where the extent is 0 or beyond double, one
// row or column serves as well.
static void size_grid(ring *r, uint32_t count, uint32_t crooked_count)
{
    double extent[2];
    for (int k = 0; k < 2; ++k) {
        int axis = (r->view.axis + 1 + k) % 3;
        double low = r->view.points[0][axis], high = low;
        for (uint32_t i = 1; i < count; ++i) {
            double coordinate = r->view.points[i][axis];
            low = coordinate < low ? coordinate : low;
            high = coordinate > high ? coordinate : high;
        }
        r->grid_min[k] = low;
        extent[k] = high - low;
    }
    double cells = crooked_count < GRID_FROM ? 1 : CELLS_PER_CORNER * (double)crooked_count;
    double columns = sqrt(cells * (extent[0] / extent[1]));
    columns = columns >= 1 ? columns : 1; // also for NaN
    columns = columns <= cells ? floor(columns) : cells;
    r->grid_size[0] = (uint32_t)columns;
    r->grid_size[1] = (uint32_t)(cells / columns);
    for (int k = 0; k < 2; ++k) {
        r->grid_scale[k] = r->grid_size[k] / extent[k];
        if (!(r->grid_scale[k] > 0 && isfinite(r->grid_scale[k])))
            r->grid_size[k] = 1;
    }
}

// A counting sort of the crooked corners into cells.
static void fill_grid(ring *r, uint32_t count, uint32_t crooked_count)
{
    uint32_t cells = r->grid_size[0] * r->grid_size[1];
    memset(r->cell_start, 0, ((size_t)cells + 1) * sizeof *r->cell_start);
    for (uint32_t i = 0; i < count; ++i)
        if (r->crooked[i])
            r->cell_start[cell_of(r, i) + 1]++;
    for (uint32_t c = 0; c < cells; ++c)
        r->cell_start[c + 1] += r->cell_start[c];
    for (uint32_t i = count; i-- > 0;)
        if (r->crooked[i])
            r->cell_items[--r->cell_start[cell_of(r, i) + 1]] = i;
    // Each start was counted down from its end, so it lies one place too late.
    memmove(r->cell_start, r->cell_start + 1, (size_t)cells * sizeof *r->cell_start);
    r->cell_start[cells] = crooked_count;
}

static bool same_place(const ring *r, uint32_t a, uint32_t b)
{
    int x = (r->view.axis + 1) % 3, y = (r->view.axis + 2) % 3;
    const double *p = r->view.points[a], *q = r->view.points[b];
    return p[x] == q[x] && p[y] == q[y];
}

// Does corner p keep the ear a, b, c from being cut? Points on its rim do, so that no edge is laid
// through a corner, except in the second round (`loose`). A point that coincides with a or c may be
// the other end of a slit and does not; one that coincides with the tip does.
static bool blocks(const ring *r, uint32_t p, uint32_t a, uint32_t b, uint32_t c, bool loose)
{
    if (p == a || p == b || p == c || same_place(r, p, a) || same_place(r, p, c))
        return false;
    int least = loose ? 1 : 0;
    const view *v = &r->view;
    return turn(v, c, a, p) >= least && turn(v, a, b, p) >= least && turn(v, b, c, p) >= least;
}

static void sort_two(double *low, double *high)
{
    if (*low > *high) {
        double swap = *low;
        *low = *high;
        *high = swap;
    }
}

typedef struct rectangle {
    double low[2], high[2];
} rectangle;

static rectangle bounds_of(const ring *r, uint32_t a, uint32_t b, uint32_t c)
{
    rectangle box;
    for (int k = 0; k < 2; ++k) {
        int axis = (r->view.axis + 1 + k) % 3;
        double low = r->view.points[a][axis], high = r->view.points[b][axis];
        double other = r->view.points[c][axis];
        sort_two(&low, &high);
        box.low[k] = other < low ? other : low;
        box.high[k] = other > high ? other : high;
    }
    return box;
}

static bool in_bounds(const ring *r, const rectangle *box, uint32_t p)
{
    const double *at = r->view.points[p];
    double x = at[(r->view.axis + 1) % 3], y = at[(r->view.axis + 2) % 3];
    return x >= box->low[0] && x <= box->high[0] && y >= box->low[1] && y <= box->high[1];
}

static bool is_ear(ring *r, uint32_t b, bool loose)
{
    uint32_t a = r->previous[b], c = r->next[b];
    if (same_place(r, a, b) || same_place(r, b, c) || same_place(r, a, c))
        return true; // a corner that comes twice, or the tip of a slit: cutting it changes nothing
    if (turn(&r->view, a, b, c) <= 0)
        return false;
    rectangle box = bounds_of(r, a, b, c);
    uint32_t left = grid_cell(r, 0, box.low[0]), right = grid_cell(r, 0, box.high[0]);
    uint32_t bottom = grid_cell(r, 1, box.low[1]), top = grid_cell(r, 1, box.high[1]);
    for (uint32_t y = bottom; y <= top; ++y) {
        uint32_t row = y * r->grid_size[0];
        uint32_t start = r->cell_start[row + left], end = r->cell_start[row + right + 1];
        r->steps_left -= 1 + (int64_t)(end - start);
        for (uint32_t i = start; i < end; ++i) {
            uint32_t p = r->cell_items[i];
            if (r->crooked[p] && in_bounds(r, &box, p) && blocks(r, p, a, b, c, loose))
                return false;
        }
    }
    return true;
}

// Candidates wait in a heap, shortest new edge first: that keeps triangles round and ears small, so
// that few corners are near one. In a simple polygon, cutting an ear only changes whether its two
// neighbours are ears, so that each ear costs two more looks, and all together take three a corner.

static bool comes_before(const ring *r, uint32_t a, uint32_t b)
{
    return r->key[a] < r->key[b] || (r->key[a] == r->key[b] && a < b);
}

static void set_place(ring *r, uint32_t place, uint32_t corner)
{
    r->heap[place] = corner;
    r->place[corner] = place;
}

static void sift_up(ring *r, uint32_t place, uint32_t corner)
{
    for (; place > 0 && comes_before(r, corner, r->heap[(place - 1) / 2]); place = (place - 1) / 2)
        set_place(r, place, r->heap[(place - 1) / 2]);
    set_place(r, place, corner);
}

static void sift_down(ring *r, uint32_t place, uint32_t corner)
{
    for (;;) {
        uint32_t child = 2 * place + 1;
        if (child >= r->heap_count)
            break;
        if (child + 1 < r->heap_count && comes_before(r, r->heap[child + 1], r->heap[child]))
            ++child;
        if (comes_before(r, corner, r->heap[child]))
            break;
        set_place(r, place, r->heap[child]);
        place = child;
    }
    set_place(r, place, corner);
}

// Into the heap, or to its new place there: its neighbours have changed.
static void enqueue(ring *r, uint32_t corner)
{
    const double *a = r->view.points[r->previous[corner]], *c = r->view.points[r->next[corner]];
    double x = c[0] - a[0], y = c[1] - a[1], z = c[2] - a[2];
    r->key[corner] = (x * x + y * y) + z * z;
    uint32_t place = r->place[corner];
    if (place == NOWHERE)
        place = r->heap_count++;
    sift_up(r, place, corner);
    sift_down(r, r->place[corner], corner);
}

static uint32_t dequeue(ring *r)
{
    uint32_t corner = r->heap[0], last = r->heap[--r->heap_count];
    if (r->heap_count != 0)
        sift_down(r, 0, last);
    r->place[corner] = NOWHERE;
    return corner;
}

static void enqueue_all(ring *r)
{
    uint32_t corner = r->some;
    for (uint32_t i = 0; i < r->left; ++i, corner = r->next[corner])
        enqueue(r, corner);
}

static void cut_off(ring *r, uint32_t b, uint32_t **out)
{
    uint32_t a = r->previous[b], c = r->next[b];
    put(out, a, b, c);
    r->next[a] = c;
    r->previous[c] = a;
    r->crooked[b] = 0;
    r->left--;
    r->some = c;
    // Both neighbours have become less crooked.
    if (r->crooked[a])
        r->crooked[a] = turn(&r->view, r->previous[a], a, c) <= 0;
    if (r->crooked[c])
        r->crooked[c] = turn(&r->view, a, c, r->next[c]) <= 0;
    enqueue(r, a);
    enqueue(r, c);
}

// Corners on the line between their neighbours, and the tips of spikes, make triangles without
// area. They are cut only where nothing else is left to cut.
static bool is_flat(const ring *r, uint32_t b)
{
    return turn(&r->view, r->previous[b], b, r->next[b]) == 0;
}

typedef enum kind { EARS, LOOSE_EARS, FLAT_CORNERS } kind;

// Looks at every corner; stops at the first flat one, because that may make ears again.
static void cut_all(ring *r, kind what, uint32_t **out)
{
    enqueue_all(r);
    while (r->heap_count != 0 && r->left > 3 && r->steps_left > 0) {
        uint32_t b = dequeue(r);
        r->steps_left--;
        if (what == FLAT_CORNERS ? is_flat(r, b) : is_ear(r, b, what == LOOSE_EARS)) {
            cut_off(r, b, out);
            if (what == FLAT_CORNERS)
                break;
        }
    }
    while (r->heap_count != 0)
        (void)dequeue(r);
}

static void cut_ring(ring *r, uint32_t *out)
{
    uint32_t before = 0;
    do {
        before = r->left;
        cut_all(r, EARS, &out);
        cut_all(r, LOOSE_EARS, &out);
        cut_all(r, FLAT_CORNERS, &out);
    } while (r->left < before && r->left > 3 && r->steps_left > 0);
    for (uint32_t b = r->next[r->some]; r->left >= 3; r->left--, b = r->next[b])
        put(&out, r->some, b, r->next[b]);
}

static void *take(unsigned char **next, uint64_t bytes)
{
    void *taken = *next;
    *next += (bytes + 7) / 8 * 8;
    return taken;
}

static graze_status cut_crooked(graze_context *context, gz_cutter *cutter, const view *v,
                                uint32_t count, uint32_t *out)
{
    // All arrays of the ring, each rounded up to 8.
    uint64_t need =
        (uint64_t)count * ((5 + CELLS_PER_CORNER) * sizeof(uint32_t) + sizeof(double) + 1) + 72;
    if (!gz_list_reserve(context, &cutter->bytes, need))
        return GRAZE_ERROR_MEMORY;
    unsigned char *room = cutter->bytes.items;
    ring r = {.view = *v, .left = count};
    r.next = take(&room, (uint64_t)count * sizeof(uint32_t));
    r.previous = take(&room, (uint64_t)count * sizeof(uint32_t));
    r.cell_items = take(&room, (uint64_t)count * sizeof(uint32_t));
    r.cell_start = take(&room, ((uint64_t)count * CELLS_PER_CORNER + 1) * sizeof(uint32_t));
    r.heap = take(&room, (uint64_t)count * sizeof(uint32_t));
    r.place = take(&room, (uint64_t)count * sizeof(uint32_t));
    r.key = take(&room, (uint64_t)count * sizeof(double));
    r.crooked = take(&room, count);
    memset(r.place, 0xff, (size_t)count * sizeof(uint32_t)); // NOWHERE
    r.steps_left = (int64_t)count * STEPS_PER_CORNER + STEPS_FREE;
    uint32_t crooked_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        r.next[i] = i + 1 < count ? i + 1 : 0;
        r.previous[i] = i > 0 ? i - 1 : count - 1;
        r.crooked[i] = turn(v, r.previous[i], i, r.next[i]) <= 0;
        crooked_count += r.crooked[i];
    }
    size_grid(&r, count, crooked_count);
    fill_grid(&r, count, crooked_count);
    cut_ring(&r, out);
    cutter->gave_up = r.steps_left <= 0;
    return GRAZE_OK;
}

graze_status gz_polygon_cut(graze_context *context, gz_cutter *cutter, const double (*points)[3],
                            uint32_t count, uint32_t *triangles)
{
    GZ_ASSERT(count >= 4 && count <= GZ_POLYGON_CORNERS);
    cutter->gave_up = false;
    view v = choose_view(points, count);
    if (count == 4)
        cut_four(&v, triangles);
    else if (v.sign == 0 || is_convex(&v, count))
        cut_fan(count, triangles);
    else
        return cut_crooked(context, cutter, &v, count, triangles);
    return GRAZE_OK;
}
