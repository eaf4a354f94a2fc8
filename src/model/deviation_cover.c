// Covering triangles: gathering what is near, the coordinates of a triangle, and the closer look at
// triangles that are partly too high. See deviation_cover.h.
#include "model/deviation_cover.h"

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
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i)
            set->corner[k][i][at] = (float)(triangle->corner[k][i] - set->center[i]);
        uint16_t *bits = &set->open[k][at / GZ_COVER_LANES];
        *bits = (uint16_t)(*bits | (open >> k & 1) << at % GZ_COVER_LANES);
    }
}

// Floats that are not negative are in the order of their bits, and the largest of numbers is found
// on all lanes at once.
static void finish(gz_cover_set *set)
{
    uint32_t most = 0;
    float size;
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i) {
            float *row = set->corner[k][i];
            uint32_t bits[GZ_COVER_MOST];
            for (uint32_t n = set->count; n % GZ_COVER_LANES != 0; ++n)
                row[n] = row[set->count - 1];
            memcpy(bits, row, set->count * sizeof *bits);
            for (uint32_t n = 0; n < set->count; ++n) {
                uint32_t here = bits[n] & 0x7fffffff;
                most = here > most ? here : most;
            }
        }
    memcpy(&size, &most, sizeof size);
    set->size = larger(set->size, (double)size);
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
    float low[3], high[3];
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
                        const double direction[3], double goal, gz_cover_frame *frame)
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
    if (direction == NULL)
        direction = normal;
    // One in the direction, where it is 1 along the normal of T.
    double slope = dot(normal, direction), size = dot(direction, direction);
    if (!(slope * slope > 0x1p-3 * size * square))
        return HUGE_VAL;
    double part = 1 / slope, length = sqrt(size);
    for (int i = 0; i < 3; ++i)
        way[i] = direction[i] * part;
    double longest = sqrt(larger(dot(edge, edge), larger(ee, ff)));
    double shrink = goal / (128 * longest), error = 0;
    shrink = shrink < LEAST_SHRINK ? LEAST_SHRINK : shrink > MOST_SHRINK ? MOST_SHRINK : shrink;
    cross(f, way, gradient);
    error += set_row(frame->u, gradient, a, set->size) * sqrt(ee);
    cross(way, e, gradient);
    error += set_row(frame->v, gradient, a, set->size) * sqrt(ff);
    for (int i = 0; i < 3; ++i)
        gradient[i] = normal[i] * (length * part);
    error += set_row(frame->h, gradient, a, set->size);
    frame->shrink = (float)shrink;
    return error + 2.01 * shrink * longest + 2 * gz_target_margin(target);
}

// --- A closer look

typedef struct spot {
    double u, v, h;
} spot;

static double inside_of(const spot *p, int side)
{
    return side == 0 ? p->u : side == 1 ? p->v : 1 - p->u - p->v;
}

static float along(const float row[4], const gz_cover_set *set, int k, uint32_t lane)
{
    float sum = row[0] * set->corner[k][0][lane] + row[1] * set->corner[k][1][lane];
    return sum + row[2] * set->corner[k][2][lane] + row[3];
}

// Lowest and highest place of the part of a triangle that is over T. T is not shrunk here, and the
// arithmetic is double, so that the part over the shrunk T is in it.
static bool heights_over(const gz_cover_set *set, const gz_cover_frame *f, uint32_t lane,
                         double *low, double *high)
{
    spot polygon[2][9];
    int count = 3, from = 0;
    double most = 0;
    for (int k = 0; k < 3; ++k) {
        polygon[0][k] = (spot){(double)along(f->u, set, k, lane), (double)along(f->v, set, k, lane),
                               (double)along(f->h, set, k, lane)};
        most = fmax(most, fabs(polygon[0][k].h));
    }
    for (int side = 0; side < 3; ++side) {
        int kept = 0;
        for (int i = 0; i < count; ++i) {
            const spot *p = &polygon[from][i], *q = &polygon[from][(i + 1) % count];
            double here = inside_of(p, side), there = inside_of(q, side);
            if (here >= 0)
                polygon[!from][kept++] = *p;
            if ((here >= 0) != (there >= 0)) {
                double t = here / (here - there);
                polygon[!from][kept++] = (spot){p->u + t * (q->u - p->u), p->v + t * (q->v - p->v),
                                                p->h + t * (q->h - p->h)};
            }
        }
        count = kept;
        from = !from;
    }
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (int i = 0; i < count; ++i) {
        *low = fmin(*low, polygon[from][i].h);
        *high = fmax(*high, polygon[from][i].h);
    }
    *low -= 0x1p-44 * most;
    *high += 0x1p-44 * most;
    return count != 0;
}

// Adds the mixed triangles to the result, if none of them leaves Q by its top or bottom.
static bool look_closer(const gz_cover_set *set, const gz_cover_frame *frame,
                        gz_cover_result *result, double *height)
{
    double limit = (double)frame->height, low, high;
    for (uint32_t n = 0; n < result->mixed_count; ++n) {
        const gz_cover_mixed *mixed = result->mixed + n;
        if (!heights_over(set, frame, mixed->lane, &low, &high) || low > limit || high < -limit)
            continue;
        if (low < -limit || high > limit)
            return false;
        *height = fmax(*height, fmax(-low, high));
        result->over += mixed->inside;
        result->unsure = result->unsure || mixed->unsure;
    }
    return true;
}

double gz_cover_height(const gz_target *target, const gz_cover_set *set, const double v[3][3],
                       const double direction[3], double goal)
{
    static const float points[4][2] = {
        {0.3331f, 0.3347f}, {0.29f, 0.41f}, {0.4523f, 0.2311f}, {0.22f, 0.27f}};
    gz_cover_frame frame;
    gz_cover_result result;
    if (set->count == 0)
        return -1;
    double lost = set_frame(target, set, v, direction, goal, &frame);
    if (!(lost < goal * 0.5))
        return -1;
    frame.height = (float)((goal - lost) * (1 - 0x1p-20));
    gz_cover_kernel *kernel = GZ_FOR_WIDTH(graze_context_simd(target->context), gz_cover_kernel);
    for (int n = 0; n < 4; ++n) {
        memcpy(frame.at, points[n], sizeof frame.at);
        kernel(set, &frame, &result);
        double height = (double)result.height;
        if (result.open || !look_closer(set, &frame, &result, &height))
            return -1;
        if (!result.unsure)
            return result.over % 2 == 1 ? height + lost : -1;
    }
    return -1;
}

uint32_t gz_cover_nearest(const gz_target *target, const gz_cover_set *set, const double p[3])
{
    gz_near_kernel *kernel = GZ_FOR_WIDTH(graze_context_simd(target->context), gz_near_kernel);
    float at[3];
    for (int i = 0; i < 3; ++i)
        at[i] = (float)(p[i] - set->center[i]);
    return set->number[kernel(set, at)];
}
