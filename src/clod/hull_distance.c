// The distance of convex hulls, after Gilbert, Johnson and Keerthi. See hull_distance.h.
//
// What is walked is the set of differences q - p, p of a and q of b: its point nearest to the
// origin is the shortest way from a to b. A simplex of up to four differences holds what is known
// of it.
#include "clod/hull_distance.h"

#include <string.h>

#include "geometry/vector.h"

#define MOST_STEPS 60
#define CONVERGED                                                                                  \
    0x1p-40              // of the squared distance: between the point found and the plane behind it
#define TOUCHING 0x1p-88 // of the squared size: a difference as short as this is none

typedef struct simplex {
    double at[4][3]; // differences
    uint32_t vertex_a[4], vertex_b[4];
    double part[4];
    int count;
} simplex;

// Four running maxima, so that no comparison waits for the one before; of equal ones the first
// counts. Points are read once, in order.
uint32_t gz_hull_support(const gz_hull *hull, const double direction[3], double *reach)
{
    const double *x = hull->points, *y = x + hull->count, *z = y + hull->count;
    double most[GZ_HULL_LANES];
    uint32_t where[GZ_HULL_LANES];
    for (uint32_t k = 0; k < GZ_HULL_LANES; ++k) {
        most[k] = direction[0] * x[k] + direction[1] * y[k] + direction[2] * z[k];
        where[k] = k;
    }
    for (uint32_t i = GZ_HULL_LANES; i < hull->count; i += GZ_HULL_LANES)
        for (uint32_t k = 0; k < GZ_HULL_LANES; ++k) {
            double here =
                direction[0] * x[i + k] + direction[1] * y[i + k] + direction[2] * z[i + k];
            bool more = here > most[k];
            most[k] = more ? here : most[k];
            where[k] = more ? i + k : where[k];
        }
    uint32_t best = 0;
    for (uint32_t k = 1; k < GZ_HULL_LANES; ++k)
        if (most[k] > most[best] || (most[k] == most[best] && where[k] < where[best]))
            best = k;
    *reach = most[best];
    return where[best];
}

// The same of b, along the reversed axis of a's frame.
static uint32_t support_b(const gz_hull *b, const gz_hull_map *map, const double axis[3],
                          double *reach)
{
    double turned[3];
    for (int i = 0; i < 3; ++i)
        turned[i] = -(map->rotation[i] * axis[0] + map->rotation[3 + i] * axis[1] +
                      map->rotation[6 + i] * axis[2]);
    uint32_t where = gz_hull_support(b, turned, reach);
    *reach -= gz_dot3(axis, map->translation);
    return where;
}

double gz_hull_gap(const gz_hull *a, const gz_hull *b, const gz_hull_map *map, const double axis[3])
{
    double reach_a = 0, reach_b = 0;
    gz_hull_support(a, axis, &reach_a);
    support_b(b, map, axis, &reach_b);
    return -reach_b - reach_a;
}

// --- The point of a simplex that is nearest to the origin. Parts of the others become 0.

static void nearest_on_segment(const simplex *s, int i, int j, double part[4])
{
    double along[3];
    gz_subtract3(s->at[j], s->at[i], along);
    double square = gz_dot3(along, along), t = -gz_dot3(s->at[i], along);
    t = t <= 0 || square <= 0 ? 0 : (t >= square ? 1 : t / square);
    part[i] = 1 - t;
    part[j] = t;
}

static double place_of(const simplex *s, const double part[4], double out[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        out[axis] = 0;
        for (int i = 0; i < s->count; ++i)
            out[axis] += part[i] * s->at[i][axis];
    }
    return gz_dot3(out, out);
}

// Of a triangle without area, where no region can be told.
static void nearest_on_edges(const simplex *s, int i, int j, int k, double part[4])
{
    const int end[3][2] = {{i, j}, {j, k}, {k, i}};
    double best = -1;
    for (int edge = 0; edge < 3; ++edge) {
        double tried[4] = {0}, place[3];
        nearest_on_segment(s, end[edge][0], end[edge][1], tried);
        double square = place_of(s, tried, place);
        if (best < 0 || square < best) {
            best = square;
            memcpy(part, tried, sizeof tried);
        }
    }
}

// By the regions of its corners and edges; Ericson, "Real-Time Collision Detection", 5.1.5.
static void nearest_on_triangle(const simplex *s, int i, int j, int k, double part[4])
{
    const double *a = s->at[i], *b = s->at[j], *c = s->at[k];
    double ab[3], ac[3];
    gz_subtract3(b, a, ab);
    gz_subtract3(c, a, ac);
    double d1 = -gz_dot3(ab, a), d2 = -gz_dot3(ac, a);
    double d3 = -gz_dot3(ab, b), d4 = -gz_dot3(ac, b);
    double d5 = -gz_dot3(ab, c), d6 = -gz_dot3(ac, c);
    double in_c = d1 * d4 - d3 * d2, in_b = d5 * d2 - d1 * d6, in_a = d3 * d6 - d5 * d4;
    double sum = in_a + in_b + in_c;
    if (d1 <= 0 && d2 <= 0) {
        part[i] = 1;
    } else if (d3 >= 0 && d4 <= d3) {
        part[j] = 1;
    } else if (d6 >= 0 && d5 <= d6) {
        part[k] = 1;
    } else if (in_c <= 0 && d1 >= 0 && d3 <= 0) {
        nearest_on_segment(s, i, j, part);
    } else if (in_b <= 0 && d2 >= 0 && d6 <= 0) {
        nearest_on_segment(s, i, k, part);
    } else if (in_a <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        nearest_on_segment(s, j, k, part);
    } else if (sum > 0) {
        part[i] = in_a / sum;
        part[j] = in_b / sum;
        part[k] = in_c / sum;
    } else {
        nearest_on_edges(s, i, j, k, part);
    }
}

// Is the origin on the side of the plane through i, j, k on which l is not, or in it?
static bool is_beyond(const simplex *s, int i, int j, int k, int l)
{
    double u[3], v[3], normal[3], to[3];
    gz_subtract3(s->at[j], s->at[i], u);
    gz_subtract3(s->at[k], s->at[i], v);
    gz_subtract3(s->at[l], s->at[i], to);
    gz_cross3(u, v, normal);
    return !(gz_dot3(normal, to) * -gz_dot3(normal, s->at[i]) > 0);
}

// True if the simplex holds the origin.
static bool nearest_on_tetrahedron(const simplex *s, double part[4])
{
    static const int face[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    double best = -1;
    for (int f = 0; f < 4; ++f) {
        const int *c = face[f];
        if (!is_beyond(s, c[0], c[1], c[2], c[3]))
            continue;
        double tried[4] = {0}, place[3];
        nearest_on_triangle(s, c[0], c[1], c[2], tried);
        double square = place_of(s, tried, place);
        if (best < 0 || square < best) {
            best = square;
            memcpy(part, tried, sizeof tried);
        }
    }
    return best < 0;
}

// Leaves in the simplex what the nearest point needs; gives its squared distance, below 0 if the
// origin is inside.
static double reduce(simplex *s, double nearest[3])
{
    double part[4] = {0};
    if (s->count == 1)
        part[0] = 1;
    else if (s->count == 2)
        nearest_on_segment(s, 0, 1, part);
    else if (s->count == 3)
        nearest_on_triangle(s, 0, 1, 2, part);
    else if (nearest_on_tetrahedron(s, part))
        return -1;
    double square = place_of(s, part, nearest);
    int kept = 0;
    for (int i = 0; i < s->count; ++i) {
        if (!(part[i] > 0))
            continue;
        if (kept != i) {
            memcpy(s->at[kept], s->at[i], sizeof s->at[i]);
            s->vertex_a[kept] = s->vertex_a[i];
            s->vertex_b[kept] = s->vertex_b[i];
        }
        s->part[kept++] = part[i];
    }
    s->count = kept;
    return square;
}

static void push(simplex *s, const gz_hull *a, uint32_t i, const gz_hull *b, uint32_t j,
                 const gz_hull_map *map)
{
    double p[3], q[3], in_a[3];
    gz_hull_point(a, i, p);
    gz_hull_point(b, j, q);
    gz_hull_map_apply(map, q, in_a);
    gz_subtract3(in_a, p, s->at[s->count]);
    s->vertex_a[s->count] = i;
    s->vertex_b[s->count] = j;
    s->part[s->count++] = 1;
}

static bool holds(const simplex *s, uint32_t i, uint32_t j)
{
    for (int k = 0; k < s->count; ++k)
        if (s->vertex_a[k] == i && s->vertex_b[k] == j)
            return true;
    return false;
}

// Where the parts of the simplex are on the two hulls.
static void take_points(const simplex *s, const gz_hull *a, const gz_hull *b,
                        const gz_hull_map *map, gz_hull_answer *out)
{
    double p[3], q[3], in_a[3];
    memset(out->point_a, 0, sizeof out->point_a);
    memset(out->point_b, 0, sizeof out->point_b);
    out->count = (uint32_t)s->count;
    for (int i = 0; i < s->count; ++i) {
        gz_hull_point(a, s->vertex_a[i], p);
        gz_hull_point(b, s->vertex_b[i], q);
        gz_hull_map_apply(map, q, in_a);
        out->vertex_a[i] = s->vertex_a[i];
        out->vertex_b[i] = s->vertex_b[i];
        out->part[i] = s->part[i];
        for (int axis = 0; axis < 3; ++axis) {
            out->point_a[axis] += s->part[i] * p[axis];
            out->point_b[axis] += s->part[i] * in_a[axis];
        }
    }
}

// Of a simplex that holds the origin: the volumes that the origin has with its faces.
static void find_parts(simplex *s)
{
    static const int others[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    double sum = 0;
    for (int i = 0; i < 4; ++i) {
        double cross[3];
        gz_cross3(s->at[others[i][1]], s->at[others[i][2]], cross);
        s->part[i] = fabs(gz_dot3(s->at[others[i][0]], cross));
        sum += s->part[i];
    }
    for (int i = 0; i < 4; ++i)
        s->part[i] = sum > 0 ? s->part[i] / sum : 0.25;
}

static void take_overlap(simplex *s, const gz_hull *a, const gz_hull *b, const gz_hull_map *map,
                         gz_hull_answer *out)
{
    if (s->count == 4)
        find_parts(s);
    take_points(s, a, b, map, out);
    out->low = out->high = 0;
    memset(out->axis, 0, sizeof out->axis);
}

// Each step asks both hulls for their farthest points along the shortest way known. What they say
// bounds the distance from below; the best of these bounds is kept with its direction.
void gz_hull_distance(const gz_hull *a, const gz_hull *b, const gz_hull_map *map, double enough,
                      gz_hull_answer *out)
{
    simplex s = {.count = 0};
    double nearest[3], largest = 0;
    push(&s, a, 0, b, 0, map);
    double square = reduce(&s, nearest);
    out->low = -HUGE_VAL;
    for (int step = 0; step < MOST_STEPS; ++step) {
        double newest = gz_dot3(s.at[s.count - 1], s.at[s.count - 1]);
        largest = newest > largest ? newest : largest;
        if (!(square > TOUCHING * largest)) {
            take_overlap(&s, a, b, map, out);
            return;
        }
        double length = sqrt(square), axis[3], reach_a = 0, reach_b = 0;
        for (int i = 0; i < 3; ++i)
            axis[i] = nearest[i] / length;
        uint32_t i = gz_hull_support(a, axis, &reach_a);
        uint32_t j = support_b(b, map, axis, &reach_b);
        double low = -reach_b - reach_a;
        if (low > out->low) {
            out->low = low;
            memcpy(out->axis, axis, sizeof axis);
        }
        if (low > enough || length - low <= CONVERGED * length || holds(&s, i, j))
            break;
        simplex before = s;
        push(&s, a, i, b, j, map);
        double next[3], less = reduce(&s, next);
        if (less < 0) {
            take_overlap(&s, a, b, map, out);
            return;
        }
        if (!(less < square)) { // rounding: it comes no nearer
            s = before;
            break;
        }
        square = less;
        memcpy(nearest, next, sizeof next);
    }
    out->high = sqrt(square);
    take_points(&s, a, b, map, out);
}

double gz_hull_reach(const gz_hull *hull, const double point[3], double radius)
{
    const double four[12] = {point[0], point[0], point[0], point[0], point[1], point[1],
                             point[1], point[1], point[2], point[2], point[2], point[2]};
    const gz_hull lone = {four, GZ_HULL_LANES};
    static const gz_hull_map same = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
    gz_hull_answer answer;
    double off[3];
    gz_hull_distance(hull, &lone, &same, HUGE_VAL, &answer);
    // The parts add up to 1 but for some ulps; so the point that they make is so near the hull.
    gz_subtract3(point, answer.point_a, off);
    return (gz_length3(off) + 0x1p-48 * radius) * (1 + 0x1p-48);
}
