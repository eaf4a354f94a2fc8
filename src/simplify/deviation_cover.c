// Covering triangles: gathering what is near, the coordinates of a triangle, and the closer look at
// triangles that are partly too high. See deviation_cover.h.
#include "simplify/deviation_cover.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/width.h"

#define LEAST_SHRINK 0x1p-14 // far above the rounding of 1 - u - v
#define MOST_SHRINK  0x1p-4
#define STACK        (GZ_TARGET_LEVELS * GZ_TARGET_WIDE)

static double dot(const double u[3], const double v[3])
{
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

static void cross(const double u[3], const double v[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
}

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

// --- Gathering

static uint32_t meeting_lanes(const gz_target_node *node, const float low[3], const float high[3])
{
    uint32_t apart = 0;
    for (int half = 0; half < 2; ++half)
        for (int i = 0; i < 3; ++i)
            apart |= (gz_f4_less(gz_target_all(high[i]), node->low4[i][half]) |
                      gz_f4_less(node->high4[i][half], gz_target_all(low[i])))
                     << 4 * half;
    return ~apart & 255u;
}

// Puts a triangle into the set; the differences are rounded by 2^-24 of themselves.
static void put(gz_cover_set *set, uint32_t at, const gz_target_triangle *triangle, uint32_t open)
{
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
            set->corner[k][i][at] = (float)(triangle->corner[k][i] - set->center[i]);
    for (int k = 0; k < 3 && open != 0; ++k) {
        uint16_t *bits = &set->open[k][at / GZ_COVER_LANES];
        *bits = (uint16_t)(*bits | (open >> k & 1) << at % GZ_COVER_LANES);
    }
}

// Widens the box of a block by that of a triangle.
static void widen(gz_cover_set *set, uint32_t at, const gz_target_node *node, uint32_t lane,
                  float slack)
{
    float *low = set->low[at / GZ_COVER_LANES], *high = set->high[at / GZ_COVER_LANES];
    bool first = at % GZ_COVER_LANES == 0;
    for (int i = 0; i < 3; ++i) {
        float below = node->low[i][lane] - slack, above = node->high[i][lane] + slack;
        low[i] = first || below < low[i] ? below : low[i];
        high[i] = first || above > high[i] ? above : high[i];
    }
}

static void finish(gz_cover_set *set)
{
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
            for (uint32_t n = set->count; n % GZ_COVER_LANES != 0; ++n)
                set->corner[k][i][n] = set->corner[k][i][set->count - 1];
    for (uint32_t block = 0; block * GZ_COVER_LANES < set->count; ++block)
        for (int i = 0; i < 3; ++i) {
            set->size = larger(set->size, (double)set->high[block][i] - set->center[i]);
            set->size = larger(set->size, set->center[i] - (double)set->low[block][i]);
        }
}

bool gz_cover_gather(const gz_target *target, const graze_box *group, double goal,
                     gz_cover_set *set)
{
    struct {
        uint32_t level, node;
    } stack[STACK];
    const gz_target_node *nodes = target->nodes.items;
    const gz_target_triangle *triangles = target->triangles.items;
    const uint8_t *open = (const uint8_t *)target->open.items + target->triangle_count;
    float low[3], high[3], slack = (float)(0x1p-21 * target->reach);
    double wide = goal + 0x1p-20 * target->reach; // boxes and these numbers are rounded to floats
    set->count = 0;
    set->size = 0;
    memset(set->open, 0, sizeof set->open);
    for (int i = 0; i < 3; ++i) {
        set->center[i] = (group->min[i] + group->max[i]) * 0.5;
        set->size = fmax(set->size, group->max[i] - group->min[i]);
        low[i] = (float)(group->min[i] - wide);
        high[i] = (float)(group->max[i] + wide);
    }
    stack[0].level = target->level_count - 1;
    stack[0].node = 0;
    for (uint32_t count = 1; count != 0;) {
        uint32_t level = stack[--count].level, node = stack[count].node;
        uint32_t lanes = meeting_lanes(nodes + target->level_first[level] + node, low, high);
        for (; lanes != 0; lanes &= lanes - 1) {
            uint32_t child = node * GZ_TARGET_WIDE + (uint32_t)__builtin_ctz(lanes);
            if (level != 0) {
                stack[count].level = level - 1;
                stack[count++].node = child;
                continue;
            }
            if (set->count == GZ_COVER_MOST)
                return false;
            widen(set, set->count, nodes + node, child % GZ_TARGET_WIDE, slack);
            set->number[set->count] = child;
            put(set, set->count++, triangles + child, open[child]);
        }
    }
    if (set->count != 0)
        finish(set);
    return true;
}

// --- Coordinates of a triangle

// One coordinate as a function of points relative to the center: gradient . (p - a). How far it may
// be off: factors and constant are rounded once, sums and products four times, of numbers that are
// at most the size times the gradient's sum: ten roundings in all. 2^-20 is more than that.
static double set_row(float row[4], const double gradient[3], const double a[3], double size)
{
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        row[i] = (float)gradient[i];
        sum += fabs(gradient[i]);
    }
    row[3] = (float)-dot(gradient, a);
    return sum * size * 0x1p-20;
}

// Returns what is lost by errors and shrinking, or infinity. A point of T is at most two thirds of
// the longest edge from the middle, and moves by three times that and the shrinking. Triangles
// whose edges are nearly parallel have large errors, so they are left to others.
static double set_frame(const gz_target *target, const gz_cover_set *set, const double v[3][3],
                        double goal, gz_cover_frame *frame)
{
    double a[3], e[3], f[3], normal[3], way[3], gradient[3];
    for (int i = 0; i < 3; ++i) {
        a[i] = v[0][i] - set->center[i];
        e[i] = v[1][i] - v[0][i];
        f[i] = v[2][i] - v[0][i];
    }
    double edge[3] = {f[0] - e[0], f[1] - e[1], f[2] - e[2]};
    double ee = dot(e, e), ff = dot(f, f);
    cross(e, f, normal);
    double square = dot(normal, normal);
    if (!(square > 0x1p-16 * ee * ff && square > 0x1p-400))
        return HUGE_VAL;
    double part = 1 / square, length = sqrt(square);
    for (int i = 0; i < 3; ++i)
        way[i] = normal[i] * part;
    double longest = sqrt(larger(dot(edge, edge), larger(ee, ff)));
    double shrink = goal / (128 * longest), error = 0;
    shrink = shrink < LEAST_SHRINK ? LEAST_SHRINK : shrink > MOST_SHRINK ? MOST_SHRINK : shrink;
    cross(f, way, gradient);
    error += set_row(frame->u, gradient, a, set->size) * sqrt(ee);
    cross(way, e, gradient);
    error += set_row(frame->v, gradient, a, set->size) * sqrt(ff);
    for (int i = 0; i < 3; ++i)
        gradient[i] = way[i] * length;
    error += set_row(frame->h, gradient, a, set->size);
    frame->shrink = (float)shrink;
    for (int i = 0; i < 3; ++i) {
        double wide = goal + 0x1p-21 * target->reach;
        frame->low[i] = (float)(smaller(v[0][i], smaller(v[1][i], v[2][i])) - wide);
        frame->high[i] = (float)(larger(v[0][i], larger(v[1][i], v[2][i])) + wide);
    }
    return error + 2.01 * shrink * longest + 2 * gz_target_margin(target);
}

// --- A closer look

typedef struct spot {
    double u, v, h;
} spot;

// The part of a polygon with u >= 0, or with v >= 0, or with u + v <= 1.
static int clip(const spot *from, int count, int side, spot *to)
{
    double here[8];
    int kept = 0;
    for (int i = 0; i < count; ++i)
        here[i] = side == 0 ? from[i].u : side == 1 ? from[i].v : 1 - from[i].u - from[i].v;
    for (int i = count - 1, next = 0; next < count; i = next++) {
        const spot *p = from + i, *q = from + next;
        if ((here[i] >= 0) != (here[next] >= 0)) {
            double t = here[i] / (here[i] - here[next]);
            to[kept++] = (spot){p->u + t * (q->u - p->u), p->v + t * (q->v - p->v),
                                p->h + t * (q->h - p->h)};
        }
        if (here[next] >= 0)
            to[kept++] = *q;
    }
    return kept;
}

// Heights of the triangle's plane at the three corners of T, between which those over T are. Slopes
// are off by less than 2^-32 of the largest height, divided by the largest coordinate, unless the
// triangle is a sliver: false.
static bool plane_heights(const spot v[3], double most, double *low, double *high)
{
    double eu = v[1].u - v[0].u, ev = v[1].v - v[0].v, eh = v[1].h - v[0].h;
    double fu = v[2].u - v[0].u, fv = v[2].v - v[0].v, fh = v[2].h - v[0].h;
    double area = eu * fv - ev * fu, size = 1;
    for (int k = 0; k < 3; ++k)
        size = larger(size, larger(fabs(v[k].u), fabs(v[k].v)));
    if (!(fabs(area) > 0x1p-8 * size * size))
        return false;
    double slope_u = (eh * fv - fh * ev) / area, slope_v = (fh * eu - eh * fu) / area;
    double h = v[0].h - slope_u * v[0].u - slope_v * v[0].v;
    double at_u = h + slope_u, at_v = h + slope_v, error = 0x1p-28 * most;
    *low = smaller(h, smaller(at_u, at_v)) - error;
    *high = larger(h, larger(at_u, at_v)) + error;
    return true;
}

// Lowest and highest place of the part of a mixed triangle that is over T, or a little beyond if
// that is within the limit already. T is not shrunk here, and the arithmetic is double, so that the
// part over the shrunk T is in it.
static bool heights_over(const gz_cover_result *r, uint32_t n, double limit, double *low,
                         double *high)
{
    spot polygon[2][8];
    double most = 0;
    for (int k = 0; k < 3; ++k) {
        polygon[0][k] = (spot){(double)r->u[k][n], (double)r->v[k][n], (double)r->h[k][n]};
        most = larger(most, fabs(polygon[0][k].h));
    }
    if (plane_heights(polygon[0], most, low, high) && *low >= -limit && *high <= limit)
        return true;
    int count = clip(polygon[0], 3, 0, polygon[1]);
    count = clip(polygon[1], count, 1, polygon[0]);
    count = clip(polygon[0], count, 2, polygon[1]);
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (int i = 0; i < count; ++i) {
        double h = polygon[1][i].h;
        *low = h < *low ? h : *low;
        *high = h > *high ? h : *high;
    }
    *low -= 0x1p-44 * most;
    *high += 0x1p-44 * most;
    return count != 0;
}

// Adds the mixed triangles to the result, if none of them leaves Q by its top or bottom.
static bool look_closer(gz_cover_result *r, double limit, double *height)
{
    double low, high;
    uint32_t counted = r->settled, left = ((UINT32_C(1) << r->mixed_count) - 1) & ~r->beside;
    for (uint32_t bits = r->settled; bits != 0; bits &= bits - 1)
        *height = larger(*height, (double)r->high[__builtin_ctz(bits)]);
    for (left &= ~r->settled; left != 0; left &= left - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(left);
        if (!heights_over(r, n, limit, &low, &high) || low > limit || high < -limit)
            continue;
        if (low < -limit || high > limit)
            return false;
        r->high[n] = (float)(larger(-low, high) * (1 + 0x1p-20));
        *height = larger(*height, larger(-low, high));
        counted |= UINT32_C(1) << n;
    }
    r->over += (uint32_t)__builtin_popcount(r->inside & counted);
    r->unsure = r->unsure || (r->doubtful & counted) != 0;
    r->counted = counted;
    return true;
}

// The height, or -1; without what is lost.
static double find_height(const gz_target *target, gz_cover_set *set, const double v[3][3],
                          double goal, double fine, double *lost)
{
    static const float points[4][2] = {
        {0.3331f, 0.3347f}, {0.29f, 0.41f}, {0.4523f, 0.2311f}, {0.22f, 0.27f}};
    gz_cover_frame frame = {.shrink = 0};
    gz_cover_result *result = &set->result;
    if (set->count == 0)
        return -1;
    *lost = set_frame(target, set, v, goal, &frame);
    if (!(*lost < goal * 0.5))
        return -1;
    frame.height = (float)((goal - *lost) * (1 - 0x1p-20));
    frame.fine = (float)((double)frame.height * fine);
    gz_cover_kernel *kernel = GZ_FOR_WIDTH(graze_context_simd(target->context), gz_cover_kernel);
    for (int n = 0; n < 4; ++n) {
        memcpy(frame.at, points[n], sizeof frame.at);
        kernel(set, &frame, result);
        double height = (double)result->height;
        if (result->open || !look_closer(result, (double)frame.height, &height))
            return -1;
        if (!result->unsure)
            return result->over % 2 == 1 ? height : -1;
    }
    return -1;
}

double gz_cover_height(const gz_target *target, gz_cover_set *set, const double v[3][3],
                       double goal)
{
    double lost, height = find_height(target, set, v, goal, 1, &lost);
    return height < 0 ? -1 : height + lost;
}

bool gz_cover_heights(const gz_target *target, gz_cover_set *set, const double v[3][3], double goal,
                      double fine, double *lost)
{
    return find_height(target, set, v, goal, fine, lost) >= 0;
}

uint32_t gz_cover_nearest(const gz_target *target, const gz_cover_set *set, const double p[3])
{
    gz_near_kernel *kernel = GZ_FOR_WIDTH(graze_context_simd(target->context), gz_near_kernel);
    float at[3];
    for (int i = 0; i < 3; ++i)
        at[i] = (float)(p[i] - set->center[i]);
    return set->number[kernel(set, at)];
}
