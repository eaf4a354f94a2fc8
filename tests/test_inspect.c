// The inspector against brute force: many small meshes full of defects, in memory and on disk.
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/context.h"
#include "base/sorter.h"
#include "faults.h"
#include "mesh/inspect/inspector.h"

enum { MOST_VERTICES = 1400, MOST_GAP = 400, MOST_TRIANGLES = 300, MOST_OBJECTS = 110 };

// A mesh whose coordinates are small integers, so that every check is exact in plain arithmetic.
typedef struct mesh {
    graze_format format;
    graze_precision precision;
    uint32_t vertex_count, triangle_count, object_count;
    double position[MOST_VERTICES][3];
    uint32_t corner[MOST_TRIANGLES][3];
    graze_object object[MOST_OBJECTS];
    char name[MOST_OBJECTS][24];
} mesh;

static uint32_t below(test_random *random, uint32_t limit)
{
    return (uint32_t)(test_next(random) % limit);
}

static uint32_t add_vertex(mesh *m, double x, double y, double z)
{
    double *p = m->position[m->vertex_count];
    p[0] = x, p[1] = y, p[2] = z;
    return m->vertex_count++;
}

static void add_triangle(mesh *m, uint32_t a, uint32_t b, uint32_t c)
{
    if (m->triangle_count == MOST_TRIANGLES)
        return;
    uint32_t *corner = m->corner[m->triangle_count++];
    corner[0] = a, corner[1] = b, corner[2] = c;
}

static bool has_room(const mesh *m, uint32_t vertices, uint32_t triangles)
{
    return m->vertex_count + vertices <= MOST_TRIANGLES &&
           m->triangle_count + triangles <= MOST_TRIANGLES;
}

static void add_lattice_soup(mesh *m, test_random *random)
{
    uint32_t first = m->vertex_count, count = 3 + below(random, 30), size = 1 + below(random, 4);
    for (uint32_t i = 0; i < count; ++i) {
        double p[3];
        for (int axis = 0; axis < 3; ++axis) {
            p[axis] = (double)below(random, size + 1) * (below(random, 2) == 0 ? -1.0 : 1.0);
            if (p[axis] == 0 && below(random, 2) == 0)
                p[axis] = -0.0;
        }
        add_vertex(m, p[0], p[1], p[2]);
    }
    for (uint32_t i = below(random, 60); i != 0; --i)
        add_triangle(m, first + below(random, count), first + below(random, count),
                     first + below(random, count));
}

// An octahedron, the one closed shape with few triangles whose corners are small integers.
static void add_octahedron(mesh *m, double x, double y, double z)
{
    uint32_t top = add_vertex(m, x, y, z + 1), bottom = add_vertex(m, x, y, z - 1);
    static const double ring[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    uint32_t first = m->vertex_count;
    for (int i = 0; i < 4; ++i)
        add_vertex(m, x + ring[i][0], y + ring[i][1], z);
    for (uint32_t i = 0; i < 4; ++i) {
        add_triangle(m, first + i, first + (i + 1) % 4, top);
        add_triangle(m, first + (i + 1) % 4, first + i, bottom);
    }
}

// A torus of 4 x 4 quads, closed and connected.
static void add_torus(mesh *m, double x)
{
    static const double profile[4][2] = {{3, 0}, {4, 1}, {5, 0}, {4, -1}};
    static const double turn[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    uint32_t first = m->vertex_count;
    for (uint32_t i = 0; i < 16; ++i)
        add_vertex(m, x + profile[i % 4][0] * turn[i / 4][0], profile[i % 4][0] * turn[i / 4][1],
                   profile[i % 4][1]);
    for (uint32_t i = 0; i < 16; ++i) {
        uint32_t a = i, b = i / 4 * 4 + (i + 1) % 4, c = (i + 4) % 16, d = (b + 4) % 16;
        add_triangle(m, first + a, first + b, first + d);
        add_triangle(m, first + a, first + d, first + c);
    }
}

static void spoil(mesh *m, test_random *random)
{
    for (uint32_t i = below(random, 4); i != 0 && m->triangle_count != 0; --i) {
        uint32_t *corner = m->corner[below(random, m->triangle_count)];
        switch (below(random, 4)) {
        case 0: { // turned round
            uint32_t swap = corner[0];
            corner[0] = corner[1], corner[1] = swap;
            break;
        }
        case 1: add_triangle(m, corner[1], corner[2], corner[0]); break; // twice
        case 2: add_triangle(m, corner[1], corner[0], corner[0]); break; // a needle beside it
        default: memcpy(corner, m->corner[m->triangle_count - 1], sizeof m->corner[0]); break;
        }
    }
}

// The vertices of each triangle become its own, as in STL. Here and there, others lie between.
static void give_each_its_own(mesh *m, test_random *random)
{
    mesh copy = *m;
    m->vertex_count = 0;
    uint32_t gap_before = below(random, MOST_TRIANGLES), gap = below(random, MOST_GAP);
    for (uint32_t t = 0; t < copy.triangle_count; ++t) {
        for (uint32_t i = t == gap_before ? gap : 0; i != 0; --i)
            add_vertex(m, NAN, 0, 0);
        for (int c = 0; c < 3; ++c) {
            const double *p = copy.position[copy.corner[t][c]];
            m->corner[t][c] = add_vertex(m, p[0], p[1], p[2]);
        }
    }
}

static void shuffle(mesh *m, test_random *random)
{
    for (uint32_t i = 0; i < m->triangle_count; ++i) {
        uint32_t other = below(random, m->triangle_count), swap[3];
        memcpy(swap, m->corner[i], sizeof swap);
        memcpy(m->corner[i], m->corner[other], sizeof swap);
        memcpy(m->corner[other], swap, sizeof swap);
    }
}

static void random_matrix(test_random *random, double matrix[12])
{
    bool turned = below(random, 2) == 0;
    for (int i = 0; i < 12; ++i)
        matrix[i] = i % 4 == 3                 ? (double)below(random, 100) / 7
                    : turned || i % 4 == i / 4 ? (test_unit(random) - 0.5) * 3
                                               : 0;
}

static void add_object(mesh *m, uint32_t first, uint32_t count, test_random *random)
{
    graze_object *object = &m->object[m->object_count];
    snprintf(m->name[m->object_count], sizeof m->name[0], "part %u", m->object_count);
    *object = (graze_object){.name = m->name[m->object_count++], .group = "all/of it"};
    object->first_triangle = first;
    object->triangle_count = count;
    for (int i = 0; i < 12; i += 5)
        object->matrix[i] = 1;
    if (m->format != GRAZE_FORMAT_STL && below(random, 2) == 0) {
        object->placed = 1;
        random_matrix(random, object->matrix);
    }
}

// Objects cover all triangles in stretches; some stretches have several.
static void add_objects(mesh *m, test_random *random)
{
    bool instances = m->format != GRAZE_FORMAT_STL;
    uint32_t done = 0;
    while (m->object_count < 8 && done < m->triangle_count) {
        uint32_t count = 1 + below(random, m->triangle_count - done);
        for (uint32_t i = instances ? 1 + below(random, 3) : 1; i != 0; --i)
            add_object(m, done, count, random);
        done += count;
    }
    if (done < m->triangle_count)
        add_object(m, done, m->triangle_count - done, random);
    if (m->object_count == 0)
        add_object(m, 0, 0, random);
    for (uint32_t i = 0; instances && i < m->object_count; ++i) { // any order will do
        graze_object swap = m->object[i];
        uint32_t other = below(random, m->object_count);
        m->object[i] = m->object[other];
        m->object[other] = swap;
    }
}

static void make_mesh(uint64_t seed, mesh *m)
{
    test_random random = {seed};
    memset(m, 0, sizeof *m);
    m->precision = below(&random, 2) == 0 ? GRAZE_FLOAT32 : GRAZE_FLOAT64;
    m->format = below(&random, 2) == 0 ? GRAZE_FORMAT_STL : GRAZE_FORMAT_PLY;
    for (uint32_t pieces = below(&random, 5); pieces != 0; --pieces)
        switch (below(&random, 3)) {
        case 0:
            if (has_room(m, 40, 60))
                add_lattice_soup(m, &random);
            break;
        case 1:
            if (has_room(m, 6, 8))
                add_octahedron(m, 10.0 * below(&random, 3), 20, below(&random, 2));
            break;
        default:
            if (has_room(m, 16, 32))
                add_torus(m, 50 + 9.0 * below(&random, 3));
            break;
        }
    spoil(m, &random);
    shuffle(m, &random);
    if (m->format == GRAZE_FORMAT_STL || below(&random, 4) == 0)
        give_each_its_own(m, &random);
    if (m->format != GRAZE_FORMAT_STL && m->vertex_count < MOST_VERTICES - 3) {
        add_vertex(m, 1000, 1000, 1000); // nobody uses these
        add_vertex(m, NAN, INFINITY, 0);
        add_vertex(m, 1000, 1000, 1000);
    }
    add_objects(m, &random);
}

// Brute force.

typedef struct truth {
    uint64_t distinct, degenerate, duplicate, open, nonmanifold, misoriented, parts, closed;
} truth;

static const double *corner_of(const mesh *m, uint32_t t, int c)
{
    return m->position[m->corner[t][c]];
}

static bool same(const double *p, const double *q)
{
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

// Where objects are placed or share triangles, each range is a frame of its own.
static uint64_t frame_of(const mesh *m, uint32_t t)
{
    uint64_t sum = 0, frame = 0, placed = 0;
    for (const graze_object *o = m->object; o < m->object + m->object_count; ++o) {
        sum += o->triangle_count, placed += o->placed;
        frame = t - o->first_triangle < o->triangle_count ? o->first_triangle : frame; // may wrap
    }
    return placed != 0 || sum != m->triangle_count ? frame : 0;
}

// The first corner of all triangles in the same place, as a number.
static uint32_t place_of(const mesh *m, uint32_t t, int c)
{
    for (uint32_t i = 0; i < t * 3 + (uint32_t)c; ++i)
        if (frame_of(m, i / 3) == frame_of(m, t) &&
            same(corner_of(m, i / 3, (int)(i % 3)), corner_of(m, t, c)))
            return i;
    return t * 3 + (uint32_t)c;
}

static bool is_flat(const mesh *m, uint32_t t)
{
    const double *a = corner_of(m, t, 0), *b = corner_of(m, t, 1), *c = corner_of(m, t, 2);
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        if ((b[i] - a[i]) * (c[j] - a[j]) != (b[j] - a[j]) * (c[i] - a[i]))
            return false;
    }
    return true;
}

static bool same_set(const uint32_t *p, const uint32_t *q)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                     {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int i = 0; i < 6; ++i)
        if (p[0] == q[orders[i][0]] && p[1] == q[orders[i][1]] && p[2] == q[orders[i][2]])
            return true;
    return false;
}

// How often the edge from a to b is in a triangle in this direction.
static uint32_t count_edge(const mesh *m, uint32_t (*place)[3], uint32_t a, uint32_t b)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        const uint32_t *p = place[t];
        if (p[0] == p[1] || p[1] == p[2] || p[0] == p[2])
            continue;
        for (int c = 0; c < 3; ++c)
            count += p[c] == a && p[(c + 1) % 3] == b;
    }
    return count;
}

static truth brute_force(const mesh *m)
{
    static uint32_t place[MOST_TRIANGLES][3], part[MOST_TRIANGLES];
    static bool solid[MOST_TRIANGLES], open[MOST_TRIANGLES];
    truth found = {0};
    uint32_t n = m->triangle_count;
    for (uint32_t t = 0; t < n; ++t) {
        for (int c = 0; c < 3; ++c) {
            place[t][c] = place_of(m, t, c);
            found.distinct += place[t][c] == t * 3 + (uint32_t)c;
        }
        found.degenerate += is_flat(m, t);
        part[t] = t;
        solid[t] = open[t] = false;
        for (uint32_t s = 0; s < t; ++s)
            if (same_set(place[s], place[t])) {
                found.duplicate++;
                break;
            }
    }
    for (bool changed = true; changed;) { // the lowest triangle of a part spreads
        changed = false;
        for (uint32_t s = 0; s < n; ++s)
            for (uint32_t t = 0; t < n; ++t)
                for (int i = 0; i < 9 && part[s] < part[t]; ++i)
                    if (place[s][i / 3] == place[t][i % 3]) {
                        part[t] = part[s];
                        changed = true;
                    }
    }
    for (uint32_t t = 0; t < n; ++t)
        for (int c = 0; c < 3; ++c) {
            uint32_t a = place[t][c], b = place[t][(c + 1) % 3];
            const uint32_t *p = place[t];
            if (p[0] == p[1] || p[1] == p[2] || p[0] == p[2])
                continue;
            solid[part[t]] = true;
            uint32_t there = count_edge(m, place, a, b), back = count_edge(m, place, b, a);
            if (there != 1 || back != 1)
                open[part[t]] = true;
            // Each edge is counted at its first triangle.
            bool first = true;
            for (uint32_t s = 0; s <= t && first; ++s)
                for (int d = 0; d < 3 && first; ++d) {
                    const uint32_t *q = place[s];
                    bool flat = q[0] == q[1] || q[1] == q[2] || q[0] == q[2];
                    if (s == t && d == c)
                        break;
                    first = flat || !((q[d] == a && q[(d + 1) % 3] == b) ||
                                      (q[d] == b && q[(d + 1) % 3] == a));
                }
            found.open += first && there + back == 1;
            found.nonmanifold += first && there + back > 2;
            found.misoriented += first && there + back == 2 && there != 1;
        }
    for (uint32_t t = 0; t < n; ++t) {
        found.parts += part[t] == t;
        found.closed += part[t] == t && solid[t] && !open[t];
    }
    return found;
}

// Feeding the sink, in pieces of random size.

static graze_status feed_vertices(const mesh *m, const graze_mesh_sink *sink, uint32_t first,
                                  uint32_t count)
{
    float floats[3 * MOST_VERTICES];
    for (uint32_t i = 0; i < 3 * count; ++i)
        floats[i] = (float)m->position[first + i / 3][i % 3];
    return m->precision == GRAZE_FLOAT32 ? sink->vertices(sink->user, floats, count)
                                         : sink->vertices(sink->user, m->position[first], count);
}

static graze_status feed_triangles(const mesh *m, const graze_mesh_sink *sink, uint32_t first,
                                   uint32_t count)
{
    uint64_t corners[3 * MOST_TRIANGLES];
    for (uint32_t i = 0; i < 3 * count; ++i)
        corners[i] = m->corner[first + i / 3][i % 3];
    return sink->triangles(sink->user, corners, count);
}

// Vertices run ahead of their triangles by anything up to the end of the object.
static graze_status feed_soup(const mesh *m, const graze_mesh_sink *sink)
{
    graze_status status = GRAZE_OK;
    test_random random = {m->vertex_count};
    uint32_t vertex = 0, triangle = 0;
    for (uint32_t i = 0; i < m->object_count && status == GRAZE_OK; ++i) {
        uint32_t end = triangle + (uint32_t)m->object[i].triangle_count;
        while (triangle < end && status == GRAZE_OK) {
            uint32_t ready = triangle;
            while (ready < end && m->corner[ready][2] < vertex)
                ++ready;
            if (ready == triangle || (ready < end && below(&random, 3) != 0)) {
                uint32_t most = m->corner[end - 1][2] + 1 - vertex;
                uint32_t count = 1 + below(&random, most < 50 ? most : 50);
                status = feed_vertices(m, sink, vertex, count);
                vertex += count;
            } else {
                status = feed_triangles(m, sink, triangle, ready - triangle);
                triangle = ready;
            }
        }
        if (status == GRAZE_OK)
            status = sink->object(sink->user, &m->object[i]);
    }
    return status;
}

static graze_status feed_shared(const mesh *m, const graze_mesh_sink *sink)
{
    graze_status status = GRAZE_OK;
    for (uint32_t first = 0, count = 0; first < m->vertex_count && status == GRAZE_OK;
         first += count) {
        count = m->vertex_count - first < 100 ? m->vertex_count - first : 100;
        status = feed_vertices(m, sink, first, count);
        double p[3]; // the newest and the oldest can be had back
        if (status == GRAZE_OK)
            status = sink->position(sink->user, first + count - 1, p);
        if (status == GRAZE_OK && isfinite(m->position[first + count - 1][0]))
            assert_true(same(p, m->position[first + count - 1]));
        if (status == GRAZE_OK)
            status = sink->position(sink->user, first / 2, p);
        if (status == GRAZE_OK && isfinite(m->position[first / 2][0]))
            assert_true(same(p, m->position[first / 2]));
    }
    if (status == GRAZE_OK)
        status = feed_triangles(m, sink, 0, m->triangle_count);
    for (uint32_t i = 0; i < m->object_count && status == GRAZE_OK; ++i)
        status = sink->object(sink->user, &m->object[i]);
    return status;
}

static graze_status inspect(graze_context *context, const mesh *m, const gz_inspect_plan *plan,
                            bool counts_only, graze_mesh_report **report)
{
    *report = NULL;
    gz_inspector *inspector = NULL;
    graze_status status = gz_inspector_open(context, plan, counts_only, &inspector);
    if (status != GRAZE_OK)
        return status;
    graze_mesh_sink sink = gz_inspector_sink(inspector);
    graze_mesh_header header = {
        .format = m->format, .precision = m->precision, .encoding = "a test"};
    status = sink.begin(sink.user, &header);
    if (status == GRAZE_OK)
        status = m->format == GRAZE_FORMAT_STL ? feed_soup(m, &sink) : feed_shared(m, &sink);
    graze_mesh_losses losses = {.polygons = 3};
    if (status == GRAZE_OK)
        status = sink.end(sink.user, &losses);
    if (status == GRAZE_OK)
        status = gz_inspector_finish(inspector, report);
    gz_inspector_close(inspector);
    return status;
}

// Plans: ample memory, or next to none.
static gz_inspect_plan tiny_plan(uint64_t seed)
{
    test_random random = {seed};
    gz_inspect_plan plan = gz_inspect_plan_for(GZ_INSPECT_LEAST_BYTES);
    plan.fan_bits = 1 + below(&random, 4);
    uint64_t *sorters[] = {&plan.object_order, &plan.keys,      &plan.soup_keys, &plan.join,
                           &plan.repeats,      &plan.triangles, &plan.edges};
    for (size_t i = 0; i < sizeof sorters / sizeof *sorters; ++i)
        *sorters[i] = gz_sorter_least_memory(121, plan.fan_bits) + below(&random, 900);
    uint64_t *spills[] = {&plan.positions, &plan.corners, &plan.marks, &plan.links};
    for (size_t i = 0; i < sizeof spills / sizeof *spills; ++i)
        *spills[i] = 64 + below(&random, 3000);
    plan.recent = 24 * (3 + below(&random, 100));
    plan.map = 64 + below(&random, 700);
    plan.forest = 40 + below(&random, 2000);
    plan.cache = below(&random, 4000);
    plan.window = 15 + below(&random, 600);
    plan.patience = below(&random, 3) == 0 ? 0 : 1024;
    return plan;
}

static void check_finding(const graze_finding *finding, uint64_t count, const char *what,
                          uint64_t seed)
{
    if (finding->extent == GRAZE_NOT_CHECKED || finding->count != count || finding->why != NULL)
        fail_msg("%s: %llu found, %llu true, extent %d, seed %llu", what,
                 (unsigned long long)finding->count, (unsigned long long)count,
                 (int)finding->extent, (unsigned long long)seed);
}

static void check_findings(const mesh *m, const graze_mesh_report *report, uint64_t seed)
{
    truth expected = brute_force(m);
    check_finding(&report->distinct_vertices, expected.distinct, "distinct vertices", seed);
    check_finding(&report->degenerate_triangles, expected.degenerate, "degenerate", seed);
    check_finding(&report->duplicate_triangles, expected.duplicate, "duplicate", seed);
    check_finding(&report->open_edges, expected.open, "open edges", seed);
    check_finding(&report->nonmanifold_edges, expected.nonmanifold, "non-manifold", seed);
    check_finding(&report->misoriented_edges, expected.misoriented, "misoriented", seed);
    check_finding(&report->parts, expected.parts, "parts", seed);
    check_finding(&report->closed_parts, expected.closed, "closed parts", seed);
}

static void place(const graze_object *object, const double *p, long double out[3])
{
    for (int row = 0; row < 3; ++row) {
        const double *r = object->matrix + (size_t)row * 4;
        out[row] =
            (long double)r[0] * p[0] + (long double)r[1] * p[1] + (long double)r[2] * p[2] + r[3];
    }
}

static void check_object(const mesh *m, const graze_object_report *report, long double slack,
                         uint64_t seed)
{
    const graze_object *object = &report->object;
    long double low[3] = {INFINITY, INFINITY, INFINITY},
                high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint64_t t = 0; t < object->triangle_count; ++t)
        for (int c = 0; c < 3; ++c) {
            long double p[3];
            place(object, corner_of(m, (uint32_t)(object->first_triangle + t), c), p);
            for (int axis = 0; axis < 3; ++axis) {
                low[axis] = p[axis] < low[axis] ? p[axis] : low[axis];
                high[axis] = p[axis] > high[axis] ? p[axis] : high[axis];
            }
        }
    for (int axis = 0; axis < 3; ++axis) {
        double min = report->box_min[axis], max = report->box_max[axis];
        long double doubt = 1e-16L; // of the sums above; far less than one step of a double
        if (object->triangle_count == 0)
            assert_true(min > max);
        else if (!object->placed)
            assert_true(low[axis] == min && high[axis] == max);
        else if (min > low[axis] + doubt || max < high[axis] - doubt || min < low[axis] - slack ||
                 max > high[axis] + slack)
            fail_msg("object box %g %g for %Lg %Lg, seed %llu", min, max, low[axis], high[axis],
                     (unsigned long long)seed);
    }
}

static void check_objects(const mesh *m, const graze_mesh_report *report, uint64_t seed)
{
    assert_int_equal(report->object_count, m->object_count);
    assert_int_equal(report->objects_listed, m->object_count);
    double min[3] = {INFINITY, INFINITY, INFINITY}, max[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < m->object_count; ++i) {
        const graze_object_report *object = &report->objects[i];
        assert_string_equal(object->object.name, m->object[i].name);
        assert_string_equal(object->object.group, "all/of it");
        assert_memory_equal(object->object.matrix, m->object[i].matrix, sizeof(double[12]));
        check_object(m, object, 1e-11L, seed);
        for (int axis = 0; axis < 3; ++axis) {
            min[axis] = fmin(min[axis], object->box_min[axis]);
            max[axis] = fmax(max[axis], object->box_max[axis]);
        }
    }
    if (m->triangle_count != 0) {
        assert_true(same(report->box_min, min) && same(report->box_max, max));
    } else {
        assert_true(report->box_min[0] > report->box_max[0]);
    }
}

static void check_report(const mesh *m, const graze_mesh_report *report, uint64_t seed)
{
    assert_int_equal(report->vertex_count, m->vertex_count);
    assert_int_equal(report->triangle_count, m->triangle_count);
    assert_int_equal(report->losses.polygons, 3);
    assert_string_equal(report->header.encoding, "a test");
    check_findings(m, report, seed);
    check_objects(m, report, seed);
}

static void reports_are_true(void **state)
{
    (void)state;
    static mesh m;
    int on_disk = 0, closed = 0, joined = 0;
    for (uint64_t seed = 1; seed <= TEST_CHANCES(300); ++seed) {
        make_mesh(seed, &m);
        graze_context_def def = graze_context_def_default();
        def.thread_count = 1 + (uint32_t)(seed % 3);
        graze_context *context = test_context(&def);
        for (uint64_t budget = 0; budget < 4; ++budget) {
            gz_inspect_plan plan = budget == 0 ? gz_inspect_plan_for(GZ_INSPECT_LEAST_BYTES)
                                               : tiny_plan(seed * 4 + budget);
            graze_mesh_report *report = NULL;
            assert_int_equal(inspect(context, &m, &plan, false, &report), GRAZE_OK);
            check_report(&m, report, seed);
            on_disk += report->parts.extent == GRAZE_CHECKED_ON_DISK;
            joined += report->degenerate_triangles.extent == GRAZE_CHECKED_ON_DISK;
            closed += report->closed_parts.count != 0;
            if (budget == 0)
                assert_int_equal(report->parts.extent, GRAZE_CHECKED_IN_MEMORY);
            graze_mesh_report_free(context, report);
        }
        test_context_done(context);
    }
    assert_true(on_disk > TEST_CHANCES(300) && closed > TEST_CHANCES(200) &&
                joined > TEST_CHANCES(100));
}

static void counts_only_skips_findings(void **state)
{
    (void)state;
    static mesh m;
    graze_context *context = test_context(NULL);
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        make_mesh(seed, &m);
        gz_inspect_plan plan = tiny_plan(seed);
        graze_mesh_report *report = NULL;
        assert_int_equal(inspect(context, &m, &plan, true, &report), GRAZE_OK);
        check_objects(&m, report, seed);
        assert_int_equal(report->parts.extent, GRAZE_NOT_CHECKED);
        assert_int_equal(report->degenerate_triangles.extent, GRAZE_NOT_CHECKED);
        assert_string_equal(report->open_edges.why, "not asked for");
        graze_mesh_report_free(context, report);
    }
    test_context_done(context);
}

// Where there are more places than can be numbered, findings say so instead of guessing.
static void too_many_places_are_not_checked(void **state)
{
    (void)state;
    static mesh m;
    graze_context *context = test_context(NULL);
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        make_mesh(seed, &m);
        gz_inspect_plan plan = gz_inspect_plan_for(GZ_INSPECT_LEAST_BYTES);
        plan.place_limit = 3;
        graze_mesh_report *report = NULL;
        assert_int_equal(inspect(context, &m, &plan, false, &report), GRAZE_OK);
        truth expected = brute_force(&m);
        check_finding(&report->degenerate_triangles, expected.degenerate, "degenerate", seed);
        if (m.triangle_count != 0 && expected.distinct > 3) {
            assert_int_equal(report->open_edges.extent, GRAZE_NOT_CHECKED);
            assert_int_equal(report->parts.extent, GRAZE_NOT_CHECKED);
            assert_non_null(strstr(report->parts.why, "more than 3"));
        }
        check_objects(&m, report, seed);
        graze_mesh_report_free(context, report);
    }
    test_context_done(context);
}

static void too_many_objects_are_counted(void **state)
{
    (void)state;
    static mesh m;
    graze_context *context = test_context(NULL);
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        make_mesh(seed, &m);
        gz_inspect_plan plan = tiny_plan(seed), ample = gz_inspect_plan_for(GZ_INSPECT_LEAST_BYTES);
        plan.list = 3 * sizeof(graze_object_report);
        graze_mesh_report *report = NULL, *full = NULL;
        assert_int_equal(inspect(context, &m, &plan, false, &report), GRAZE_OK);
        assert_int_equal(inspect(context, &m, &ample, false, &full), GRAZE_OK);
        assert_int_equal(report->object_count, m.object_count);
        assert_int_equal(report->objects_listed, m.object_count > 2 ? 0 : m.object_count);
        assert_memory_equal(report->box_min, full->box_min, sizeof full->box_min);
        assert_memory_equal(report->box_max, full->box_max, sizeof full->box_max);
        check_findings(&m, report, seed);
        graze_mesh_report_free(context, report);
        graze_mesh_report_free(context, full);
    }
    test_context_done(context);
}

static graze_status run_faulty(graze_context *context, void *data)
{
    const mesh *m = data;
    gz_inspect_plan plan = tiny_plan(m->triangle_count);
    plan.fan_bits = 1; // few files, many writes
    plan.recent = sizeof m->position;
    graze_mesh_report *report = NULL;
    graze_status status = inspect(context, m, &plan, false, &report);
    if (status == GRAZE_OK && report->parts.extent == GRAZE_NOT_CHECKED)
        assert_non_null(strstr(report->parts.why, "a temporary file in "));
    else if (status == GRAZE_OK)
        check_report(m, report, 0);
    else if (m->format == GRAZE_FORMAT_STL) // only findings need files, and they are not vital
        assert_int_equal(status, GRAZE_ERROR_MEMORY);
    graze_mesh_report_free(context, report);
    return status;
}

static void faults_leave_nothing(void **state)
{
    (void)state;
    static mesh m;
    int formats[2] = {0};
    for (uint64_t seed = 1; formats[0] == 0 || formats[1] == 0; ++seed) {
        make_mesh(seed, &m);
        bool soup = m.format == GRAZE_FORMAT_STL;
        if (formats[soup] != 0 || m.triangle_count < 30 || m.triangle_count > 60)
            continue;
        formats[soup] = 1;
        assert_true(test_all_faults(run_faulty, &m, 1) > 60);
    }
}

static int countdown;

static int cancel_after(void *user)
{
    (void)user;
    return --countdown < 0;
}

static void cancelling_anywhere_leaves_nothing(void **state)
{
    (void)state;
    static mesh m;
    graze_context_def def = graze_context_def_default();
    def.cancel = cancel_after;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        make_mesh(seed, &m);
        gz_inspect_plan plan = tiny_plan(seed);
        graze_status status = GRAZE_ERROR_CANCELLED;
        for (int n = 0; status != GRAZE_OK; ++n) {
            graze_context *context = test_context(&def);
            graze_mesh_report *report = NULL;
            countdown = n;
            status = inspect(context, &m, &plan, false, &report);
            assert_true(status == GRAZE_OK || status == GRAZE_ERROR_CANCELLED);
            graze_mesh_report_free(context, report);
            test_context_done(context);
        }
    }
}

// A larger mesh, to see that the memory stays below the limit: a bumpy sheet, in soup or shared.
static graze_status feed_sheet(const graze_mesh_sink *sink, bool soup, uint32_t side)
{
    graze_mesh_header header = {.format = soup ? GRAZE_FORMAT_STL : GRAZE_FORMAT_PLY,
                                .precision = GRAZE_FLOAT32,
                                .encoding = "a test"};
    graze_status status = sink->begin(sink->user, &header);
    float row[3 * 1024];
    for (uint32_t y = 0; y <= side && !soup && status == GRAZE_OK; ++y) {
        for (uint32_t x = 0; x <= side; ++x) {
            row[3 * x] = (float)x, row[3 * x + 1] = (float)y, row[3 * x + 2] = (float)(x * y % 7);
        }
        status = sink->vertices(sink->user, row, side + 1);
    }
    uint64_t number = 0;
    for (uint32_t i = 0; i < 2 * side * side && status == GRAZE_OK; ++i) {
        uint32_t x = i / 2 % side, y = i / 2 / side;
        uint32_t corner[3][2] = {{x, y}, {x + 1, y + i % 2}, {x + 1 - i % 2, y + 1}};
        float three[9];
        uint64_t corners[3];
        for (int c = 0; c < 3; ++c) {
            three[3 * c] = (float)corner[c][0], three[3 * c + 1] = (float)corner[c][1];
            three[3 * c + 2] = (float)(corner[c][0] * corner[c][1] % 7);
            corners[c] = soup ? number++ : corner[c][0] + (uint64_t)corner[c][1] * (side + 1);
        }
        if (soup)
            status = sink->vertices(sink->user, three, 3);
        if (status == GRAZE_OK)
            status = sink->triangles(sink->user, corners, 1);
    }
    graze_object all = {.name = "", .group = "", .triangle_count = 2 * side * side};
    graze_mesh_losses losses = {0};
    if (status == GRAZE_OK)
        status = sink->object(sink->user, &all);
    return status == GRAZE_OK ? sink->end(sink->user, &losses) : status;
}

static void memory_stays_below_the_limit(void **state)
{
    (void)state;
    if (TEST_THREAD_SANITIZER) // reports_are_true goes to disk with threads, too
        skip();
    const uint64_t side = 700;
    for (int soup = 0; soup < 2; ++soup) {
        graze_context *context = test_context(NULL);
        gz_inspect_plan plan = gz_inspect_plan_for(GZ_INSPECT_LEAST_BYTES);
        gz_inspector *inspector = NULL;
        assert_int_equal(gz_inspector_open(context, &plan, false, &inspector), GRAZE_OK);
        graze_mesh_sink sink = gz_inspector_sink(inspector);
        assert_int_equal(feed_sheet(&sink, soup != 0, (uint32_t)side), GRAZE_OK);
        graze_mesh_report *report = NULL;
        assert_int_equal(gz_inspector_finish(inspector, &report), GRAZE_OK);
        gz_inspector_close(inspector);
        check_finding(&report->distinct_vertices, (side + 1) * (side + 1), "vertices", 0);
        check_finding(&report->open_edges, 4 * side, "open", 0);
        check_finding(&report->nonmanifold_edges, 0, "non-manifold", 0);
        check_finding(&report->misoriented_edges, 0, "misoriented", 0);
        check_finding(&report->duplicate_triangles, 0, "duplicate", 0);
        check_finding(&report->parts, 1, "parts", 0);
        check_finding(&report->closed_parts, 0, "closed", 0);
        assert_int_equal(report->parts.extent, GRAZE_CHECKED_ON_DISK);
        graze_mesh_report_free(context, report);
        uint64_t peak = graze_context_memory(context).peak_bytes;
        if (peak > GZ_INSPECT_LEAST_BYTES)
            fail_msg("%llu bytes", (unsigned long long)peak);
        test_context_done(context);
    }
}

// Through a file and its reader.
static graze_mesh_report *inspect_file(graze_context *context, const char *name, const char *text)
{
    char path[] = "/tmp/graze-test-inspect-XXXXXX.ply";
    int descriptor = mkstemps(path, 4);
    assert_true(descriptor >= 0);
    size_t bytes = strlen(text);
    assert_int_equal(write(descriptor, text, bytes), bytes);
    close(descriptor);
    graze_inspect_def def = graze_inspect_def_default();
    def.memory_byte_limit = GZ_INSPECT_LEAST_BYTES;
    graze_mesh_report *report = NULL;
    graze_status status = graze_mesh_inspect(context, path, &def, &report);
    unlink(path);
    if (status != GRAZE_OK)
        fail_msg("%s: %s", name, test_last_error);
    assert_int_equal(report->file_bytes, bytes);
    return report;
}

// A cube of quads, one corner of which is there twice, and a quad with a corner that is no number.
static void files_are_inspected(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_mesh_report *report = inspect_file(
        context, "cube",
        "ply\nformat ascii 1.0\nelement vertex 10\nproperty double x\nproperty double y\n"
        "property double z\nelement face 7\nproperty list uchar int vertex_indices\n"
        "end_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n-0 0 0\nnan 0 0\n"
        "4 0 3 2 1\n4 4 5 6 7\n4 8 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 8 4 7\n4 0 1 2 9\n");
    assert_int_equal(report->header.format, GRAZE_FORMAT_PLY);
    assert_int_equal(report->vertex_count, 10);
    assert_int_equal(report->triangle_count, 12);
    assert_int_equal(report->losses.nonfinite_vertices, 1);
    assert_int_equal(report->losses.nonfinite_triangles, 2);
    check_finding(&report->distinct_vertices, 8, "vertices", 0);
    check_finding(&report->open_edges, 0, "open", 0);
    check_finding(&report->closed_parts, 1, "closed", 0);
    for (int axis = 0; axis < 3; ++axis)
        assert_true(report->box_min[axis] == 0 && report->box_max[axis] == 1);
    graze_mesh_report_free(context, report);
    test_context_done(context);
}

// Beyond 64 turned objects of one range, boxes still hold their objects.
static void many_instances_have_boxes(void **state)
{
    (void)state;
    static mesh m;
    test_random random = {5};
    graze_context *context = test_context(NULL);
    memset(&m, 0, sizeof m);
    m.format = GRAZE_FORMAT_PLY;
    m.precision = GRAZE_FLOAT64;
    add_octahedron(&m, 1, 2, 3);
    while (m.object_count < 100)
        add_object(&m, 0, m.triangle_count, &random);
    gz_inspect_plan plan = tiny_plan(1);
    graze_mesh_report *report = NULL;
    assert_int_equal(inspect(context, &m, &plan, true, &report), GRAZE_OK);
    assert_int_equal(report->objects_listed, 100);
    for (uint32_t i = 0; i < 100; ++i)
        check_object(&m, &report->objects[i], i < 64 ? 1e-11L : 100, 5);
    graze_mesh_report_free(context, report);
    test_context_done(context);
}

static void limits_are_checked(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_mesh_report *report = NULL;
    graze_inspect_def def = graze_inspect_def_default();
    def.memory_byte_limit = GZ_INSPECT_LEAST_BYTES - 1;
    assert_int_equal(graze_mesh_inspect(context, "x.stl", &def, &report), GRAZE_ERROR_ARGUMENT);
    assert_non_null(strstr(test_last_error, "memory limit"));
    def = graze_inspect_def_default();
    def.struct_size = 0;
    assert_int_equal(graze_mesh_inspect(context, "x.stl", &def, &report), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_mesh_inspect(context, NULL, NULL, &report), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_mesh_inspect(context, "x.stl", NULL, NULL), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_mesh_inspect(context, "/no/such.stl", NULL, &report), GRAZE_ERROR_IO);
    assert_null(report);
    graze_mesh_report_free(context, NULL);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_are_true),
        cmocka_unit_test(counts_only_skips_findings),
        cmocka_unit_test(too_many_places_are_not_checked),
        cmocka_unit_test(too_many_objects_are_counted),
        cmocka_unit_test(faults_leave_nothing),
        cmocka_unit_test(cancelling_anywhere_leaves_nothing),
        cmocka_unit_test(memory_stays_below_the_limit),
        cmocka_unit_test(files_are_inspected),
        cmocka_unit_test(many_instances_have_boxes),
        cmocka_unit_test(limits_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
