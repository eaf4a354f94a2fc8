// The target of deviations: building its tree and asking for distances. See deviation_target.h.
#include "simplify/deviation_target.h"

#include <math.h>
#include <string.h>

#include "base/context.h"

#define FAR 0x1p100f // of a box that is none: its square is infinite
#define LEAST_UNIT                                                                                 \
    0x1p-1020 // so that nothing overflows; halves of subnormals are off by 2^-54 of it
#define STACK       (GZ_TARGET_LEVELS * (GZ_TARGET_WIDE - 1) + GZ_TARGET_WIDE)
#define TIGHT       0x1p-40 // bounds of a distance are closer than this, before the margin
#define MOST_EXACT  16u     // exact distances for one lower bound
#define EXACT_STEPS 300u    // what each takes, compared with others
#define DIGITS      10      // of the curve, in bits, per axis

// --- Setting it

graze_status gz_surface_check(graze_context *context, const gz_surface *surface, graze_box *box)
{
    if (surface->triangle_count > GZ_DEVIATION_TRIANGLES)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT, "a surface of %u triangles is too large",
                       surface->triangle_count);
    *box = graze_box_empty();
    double strange = 0; // becomes NaN where a coordinate is not finite
    for (uint32_t t = 0; t < surface->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            uint32_t v = surface->corner[t][k];
            if (v >= surface->vertex_count)
                return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                               "triangle %u of a surface names vertex %u of %u", t, v,
                               surface->vertex_count);
            const double *p = surface->position[v];
            for (int i = 0; i < 3; ++i) {
                strange += p[i] * 0;
                box->min[i] = p[i] < box->min[i] ? p[i] : box->min[i];
                box->max[i] = p[i] > box->max[i] ? p[i] : box->max[i];
            }
        }
    if (!(strange == 0))
        return gz_fail(context, GRAZE_ERROR_ARGUMENT, "a corner of a surface is not finite");
    for (uint32_t t = 0; surface->extra != NULL && t < surface->triangle_count; ++t)
        if (!(surface->extra[t] >= 0))
            return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                           "the extra of triangle %u of a surface is below 0", t);
    return GRAZE_OK;
}

// The center and unit: half sizes are at most 1 in the unit (2 where there is no larger unit), and
// at least a half where it is not the least one.
static void set_frame(gz_target *target, const graze_box *box)
{
    double half = 0;
    int exponent = 0;
    for (int i = 0; i < 3; ++i) {
        double low = box->min[i] * 0.5, high = box->max[i] * 0.5;
        target->center[i] = low + high;
        target->half_center[i] = target->center[i] * 0.5;
        half = fmax(half, fmax(box->max[i] * 0.5 - target->center[i] * 0.5,
                               target->center[i] * 0.5 - box->min[i] * 0.5) *
                              2);
    }
    frexp(half, &exponent);
    target->unit = fmax(ldexp(1, exponent < 1023 ? exponent : 1023), LEAST_UNIT);
    target->scale = 2 / target->unit;
}

static double least3(double a, double b, double c)
{
    return a < b ? (a < c ? a : c) : b < c ? b : c;
}
static double most3(double a, double b, double c)
{
    return a > b ? (a > c ? a : c) : b > c ? b : c;
}

// Each third bit, beginning with the lowest.
static uint64_t spread(uint32_t x)
{
    uint64_t y = x;
    y = (y | y << 16) & 0x030000ff;
    y = (y | y << 8) & 0x0300f00f;
    y = (y | y << 4) & 0x030c30c3;
    y = (y | y << 2) & 0x09249249;
    return y;
}

// Where the middle of the triangle's box is on the curve, above the triangle's number.
static uint64_t key_of(const double v[3][3], uint32_t t)
{
    uint64_t code = 0;
    for (int i = 0; i < 3; ++i) {
        double middle = least3(v[0][i], v[1][i], v[2][i]) + most3(v[0][i], v[1][i], v[2][i]);
        double place = (middle + 2) * (0x1p-2 * ((1 << DIGITS) - 1));
        place = place > 0 ? place : 0;
        code |= spread(place < (1 << DIGITS) ? (uint32_t)place : (1 << DIGITS) - 1) << i;
    }
    return code << 32 | t;
}

// By the upper half, three digits of ten bits; numbers stay in order.
static void sort_keys(uint64_t *keys, uint64_t *room, uint32_t count)
{
    for (int shift = 32; shift < 32 + 3 * DIGITS; shift += DIGITS) {
        uint32_t first[1 << DIGITS] = {0}, sum = 0;
        for (uint32_t i = 0; i < count; ++i)
            first[keys[i] >> shift & ((1 << DIGITS) - 1)]++;
        for (int digit = 0; digit < 1 << DIGITS; ++digit) {
            uint32_t here = first[digit];
            first[digit] = sum;
            sum += here;
        }
        for (uint32_t i = 0; i < count; ++i)
            room[first[keys[i] >> shift & ((1 << DIGITS) - 1)]++] = keys[i];
        uint64_t *swap = keys;
        keys = room;
        room = swap;
    }
}

static void fill_lane(gz_target_node *node, uint32_t lane, const double v[3][3])
{
    for (int i = 0; i < 3; ++i) {
        node->low[i][lane] = (float)least3(v[0][i], v[1][i], v[2][i]);
        node->high[i][lane] = (float)most3(v[0][i], v[1][i], v[2][i]);
    }
}

static void clear_lane(gz_target_node *node, uint32_t lane)
{
    for (int i = 0; i < 3; ++i)
        node->low[i][lane] = node->high[i][lane] = FAR;
}

// One box over the lanes of a node that are used.
static void join_lanes(gz_target_node *node, uint32_t lane, const gz_target_node *child,
                       uint32_t used)
{
    for (int i = 0; i < 3; ++i) {
        float low = child->low[i][0], high = child->high[i][0];
        for (uint32_t k = 1; k < used; ++k) {
            low = child->low[i][k] < low ? child->low[i][k] : low;
            high = child->high[i][k] > high ? child->high[i][k] : high;
        }
        node->low[i][lane] = low;
        node->high[i][lane] = high;
    }
}

static uint32_t used_lanes(uint32_t items, uint32_t node)
{
    uint32_t left = items - node * GZ_TARGET_WIDE;
    return left < GZ_TARGET_WIDE ? left : GZ_TARGET_WIDE;
}

static void fill_level(gz_target *target, uint32_t level)
{
    gz_target_node *nodes = target->nodes.items;
    const gz_target_node *below = nodes + target->level_first[level - 1];
    uint32_t items = target->level_nodes[level - 1];
    uint32_t below_items = level == 1 ? target->triangle_count : target->level_nodes[level - 2];
    for (uint32_t n = 0; n < target->level_nodes[level]; ++n) {
        gz_target_node *node = nodes + target->level_first[level] + n;
        uint32_t used = used_lanes(items, n);
        for (uint32_t lane = 0; lane < used; ++lane) {
            uint32_t child = n * GZ_TARGET_WIDE + lane;
            join_lanes(node, lane, below + child, used_lanes(below_items, child));
        }
        for (uint32_t lane = used; lane < GZ_TARGET_WIDE; ++lane)
            clear_lane(node, lane);
    }
}

static uint32_t plan_levels(gz_target *target)
{
    uint32_t count = target->triangle_count, first = 0;
    target->level_count = 0;
    do {
        count = (count + GZ_TARGET_WIDE - 1) / GZ_TARGET_WIDE;
        GZ_ASSERT(target->level_count < GZ_TARGET_LEVELS);
        target->level_first[target->level_count] = first;
        target->level_nodes[target->level_count++] = count;
        first += count;
    } while (count > 1);
    return first;
}

static bool make_room(gz_target *target, uint32_t triangle_count, uint32_t node_count)
{
    graze_context *context = target->context;
    return gz_list_reserve(context, &target->triangles, triangle_count) &&
           gz_list_reserve(context, &target->nodes, node_count) &&
           gz_list_reserve(context, &target->open, 2 * (uint64_t)triangle_count);
}

const uint64_t *gz_target_sort(gz_target *target, const gz_surface *surface)
{
    uint32_t count = surface->triangle_count;
    if (!gz_list_reserve(target->context, &target->keys, 2 * (uint64_t)count))
        return NULL;
    uint64_t *keys = target->keys.items;
    double v[3][3];
    for (uint32_t t = 0; t < count; ++t) {
        gz_target_corners(target, surface, t, v);
        keys[t] = key_of(v, t);
    }
    sort_keys(keys, keys + count, count);
    return keys + count; // an odd number of digits ends in the other half
}

// Triangles in the order of keys, and the tree over them.
static void fill_tree(gz_target *target, const gz_surface *surface, const uint64_t *keys)
{
    uint32_t count = target->triangle_count;
    gz_target_triangle *triangles = target->triangles.items;
    gz_target_node *nodes = target->nodes.items;
    uint8_t *open = target->open.items;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t number = (uint32_t)keys[i];
        gz_target_corners(target, surface, number, triangles[i].corner);
        fill_lane(nodes + i / GZ_TARGET_WIDE, i % GZ_TARGET_WIDE, triangles[i].corner);
        open[count + i] = open[number];
    }
    for (uint32_t i = count; i % GZ_TARGET_WIDE != 0; ++i)
        clear_lane(nodes + i / GZ_TARGET_WIDE, i % GZ_TARGET_WIDE);
    for (uint32_t level = 1; level < target->level_count; ++level)
        fill_level(target, level);
}

graze_status gz_target_set(gz_target *target, const gz_surface *surface)
{
    graze_box box;
    target->triangle_count = 0;
    graze_status status = gz_surface_check(target->context, surface, &box);
    if (status != GRAZE_OK || surface->triangle_count == 0)
        return status;
    target->triangle_count = surface->triangle_count;
    set_frame(target, &box);
    const uint64_t *keys = NULL;
    if (make_room(target, target->triangle_count, plan_levels(target)) &&
        gz_target_find_open(target, surface))
        keys = gz_target_sort(target, surface);
    if (keys == NULL) {
        target->triangle_count = 0;
        return gz_fail(target->context, GRAZE_ERROR_MEMORY,
                       "no memory for a surface of %u triangles to measure against",
                       surface->triangle_count);
    }
    fill_tree(target, surface, keys);
    return GRAZE_OK;
}

double gz_target_reach(const gz_target *target, const graze_box *box)
{
    double low[3], high[3], reach = 0;
    gz_target_corner(target, box->min, low);
    gz_target_corner(target, box->max, high);
    for (int i = 0; i < 3; ++i)
        reach = fmax(reach, fmax(fabs(low[i]), fabs(high[i])));
    return reach;
}

void gz_target_free(gz_target *target)
{
    gz_list_free(target->context, &target->triangles);
    gz_list_free(target->context, &target->nodes);
    gz_list_free(target->context, &target->open);
    gz_list_free(target->context, &target->keys);
    gz_list_free(target->context, &target->stars);
    gz_list_free(target->context, &target->ends);
}

// --- One triangle

static double dot(const double u[3], const double v[3])
{
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

static void difference(const double u[3], const double v[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = u[i] - v[i];
}

// From p to a point of the segment, as seen from p.
static double along_segment(const double a[3], const double b[3], const double p[3], double way[3])
{
    double edge[3], from[3];
    difference(b, a, edge);
    difference(a, p, from);
    double square = dot(edge, edge), along = -dot(from, edge);
    double t = along <= 0 || !(square > 0) ? 0 : along >= square ? 1 : along / square;
    for (int i = 0; i < 3; ++i)
        way[i] = from[i] + t * edge[i];
    return dot(way, way);
}

// The way from p to a point of the triangle, whose weights are not negative and sum to 1 but for
// rounding: the point is in the triangle but for 2^-50 of its edges, whatever became of the digits
// of the weights. With the differences and the length it is off by less than 2^-49 reach in all.
// The point is the nearest one unless rounding has changed the sign of a weight that is next to 0,
// or the triangle is so thin that nothing is left of its area; then it is that of an edge.
static double way_to(const gz_target_triangle *t, const double p[3], double way[3])
{
    const double *a = t->corner[0], *b = t->corner[1], *c = t->corner[2];
    double ab[3], ac[3], pa[3], other[3];
    difference(b, a, ab);
    difference(c, a, ac);
    difference(a, p, pa);
    double d1 = -dot(ab, pa), d2 = -dot(ac, pa);
    double bb = dot(ab, ab), bc = dot(ab, ac), cc = dot(ac, ac);
    double v = cc * d1 - bc * d2, w = bb * d2 - bc * d1, all = bb * cc - bc * bc;
    double u = all - v - w;
    if (u >= 0 && v >= 0 && w >= 0 && all > 0) {
        double s = v / all, r = w / all;
        for (int i = 0; i < 3; ++i)
            way[i] = pa[i] + s * ab[i] + r * ac[i];
        return dot(way, way);
    }
    double best = along_segment(a, b, p, way), square;
    for (int k = 1; k < 3; ++k) {
        square = along_segment(t->corner[k], t->corner[(k + 1) % 3], p, other);
        if (square < best) {
            best = square;
            memcpy(way, other, sizeof other);
        }
    }
    return best;
}

double gz_target_distance(const gz_target_triangle *triangle, const double p[3])
{
    double way[3];
    return sqrt(way_to(triangle, p, way));
}

// All corners are beyond a plane across the way to the nearest point, this far from p. If the way
// was not the right one, this is too little: then the exact distance, from the geometry, which
// takes long and is not done more often than `exact` says.
static double at_least(const gz_target_triangle *t, const double p[3], uint32_t *exact)
{
    double way[3], from[3];
    double distance = sqrt(way_to(t, p, way)), least = HUGE_VAL;
    if (!(distance > 0))
        return 0;
    for (int k = 0; k < 3; ++k) {
        difference(t->corner[k], p, from);
        least = fmin(least, dot(from, way) / distance);
    }
    if (least >= distance * (1 - TIGHT) || *exact == 0)
        return fmax(least, 0);
    --*exact;
    graze_triangle point, triangle;
    graze_closest closest;
    for (int k = 0; k < 3; ++k)
        memcpy(point.corner[k], p, sizeof point.corner[k]);
    memcpy(triangle.corner, t->corner, sizeof triangle.corner);
    graze_triangle_closest(&point, &triangle, &closest);
    return closest.distance;
}

// --- All of them

// Squares of distances of eight boxes from a point; returns the lanes that are not beyond the
// limit.
static uint32_t lanes_within(const gz_target_node *node, const float p[3], float limit,
                             float square[GZ_TARGET_WIDE])
{
    uint32_t bits = 0;
    for (int half = 0; half < 2; ++half) {
        gz_f4 sum = gz_target_all(0);
        for (int i = 0; i < 3; ++i) {
            gz_f4 at = gz_target_all(p[i]);
            gz_f4 gap = gz_f4_max(node->low4[i][half] - at, at - node->high4[i][half]);
            gap = gz_f4_max(gap, gz_target_all(0));
            sum += gap * gap;
        }
        memcpy(square + 4 * half, &sum, sizeof sum);
        bits |= (~gz_f4_less(gz_target_all(limit), sum) & 15u) << 4 * half;
    }
    return bits;
}

typedef struct entry {
    float square;
    uint32_t level, node;
} entry;

// Boxes and the point are rounded to floats, by 2^-24 of themselves, their differences as much, and
// squares a little more. What is farther than this is farther than `distance`.
static float limit_of(const gz_target *target, double distance)
{
    double wide = distance + 0x1p-20 * target->reach;
    return (float)(wide * wide * (1 + 0x1p-20));
}

typedef struct walk {
    float p[3];
    entry stack[STACK];
    uint32_t count;
} walk;

static void start(const gz_target *target, walk *w, const double p[3])
{
    for (int i = 0; i < 3; ++i)
        w->p[i] = (float)p[i];
    w->stack[0] = (entry){0, target->level_count - 1, 0};
    w->count = 1;
}

static const gz_target_node *node_at(const gz_target *target, entry e)
{
    const gz_target_node *nodes = target->nodes.items;
    return nodes + target->level_first[e.level] + e.node;
}

// Children that are not beyond the limit, the nearest on top.
static void open_node(gz_target *target, walk *w, entry e, float limit)
{
    target->steps++;
    float square[GZ_TARGET_WIDE];
    uint32_t lanes = lanes_within(node_at(target, e), w->p, limit, square), bottom = w->count;
    for (; lanes != 0; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes), k = w->count++;
        for (; k > bottom && w->stack[k - 1].square < square[lane]; --k)
            w->stack[k] = w->stack[k - 1];
        w->stack[k] = (entry){square[lane], e.level - 1, e.node * GZ_TARGET_WIDE + lane};
    }
}

gz_nearby gz_target_nearest(gz_target *target, const double p[3], uint32_t hint)
{
    const gz_target_triangle *triangles = target->triangles.items;
    gz_nearby best = {gz_target_distance(triangles + hint, p), hint};
    float limit = limit_of(target, best.distance), square[GZ_TARGET_WIDE];
    walk w;
    start(target, &w, p);
    target->searches++;
    while (w.count != 0) {
        entry e = w.stack[--w.count];
        if (e.square > limit)
            continue;
        if (e.level != 0) {
            open_node(target, &w, e, limit);
            continue;
        }
        uint32_t lanes = lanes_within(node_at(target, e), w.p, limit, square);
        target->steps += (uint64_t)__builtin_popcount(lanes) + 1;
        for (; lanes != 0; lanes &= lanes - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(lanes), t = e.node * GZ_TARGET_WIDE + lane;
            if (square[lane] > limit || t == hint)
                continue;
            gz_nearby near = {gz_target_distance(triangles + t, p), t};
            if (near.distance < best.distance) {
                best = near;
                limit = limit_of(target, near.distance);
            }
        }
    }
    return best;
}

double gz_target_at_least(gz_target *target, const double p[3], double distance)
{
    const gz_target_triangle *triangles = target->triangles.items;
    float limit = limit_of(target, distance), square[GZ_TARGET_WIDE];
    double least = distance;
    uint32_t exact = MOST_EXACT;
    walk w;
    start(target, &w, p);
    while (w.count != 0) {
        entry e = w.stack[--w.count];
        if (e.level != 0) {
            open_node(target, &w, e, limit);
            continue;
        }
        uint32_t lanes = lanes_within(node_at(target, e), w.p, limit, square);
        target->steps += (uint64_t)__builtin_popcount(lanes) + 1;
        for (; lanes != 0; lanes &= lanes - 1) {
            uint32_t t = e.node * GZ_TARGET_WIDE + (uint32_t)__builtin_ctz(lanes);
            least = fmin(least, at_least(triangles + t, p, &exact));
        }
    }
    target->steps += (uint64_t)(MOST_EXACT - exact) * EXACT_STEPS;
    return least - gz_target_margin(target);
}
