// Penetration depth: bodies whose depth is known; random poses against the deepest point that a
// search of many samples finds, with distances of its own; the same bits both ways round, for all
// widths, layouts and builds; limits, cancelling, failing memory, and what is refused.
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "asked_shapes.h"
#include "shapes.h"

#define MOST_VERTICES  2000
#define MOST_TRIANGLES 4000

typedef struct body {
    double positions[MOST_VERTICES][3];
    uint32_t corners[MOST_TRIANGLES][3];
    uint32_t vertex_count, triangle_count;
} body;

static graze_mesh_view view_of(const body *b)
{
    return (graze_mesh_view){.precision = GRAZE_FLOAT64,
                             .vertex_count = b->vertex_count,
                             .triangle_count = b->triangle_count,
                             .positions = b->positions,
                             .corners = &b->corners[0][0]};
}

static void add_box(body *b, double x0, double y0, double z0, double x1, double y1, double z1)
{
    static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                          {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                          {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    for (int t = 0; t < 12; ++t)
        for (int k = 0; k < 3; ++k)
            b->corners[b->triangle_count + (uint32_t)t][k] = b->vertex_count + faces[t][k];
    for (int v = 0; v < 8; ++v) {
        double *p = b->positions[b->vertex_count + (uint32_t)v];
        p[0] = v & 1 ? x1 : x0;
        p[1] = v & 2 ? y1 : y0;
        p[2] = v & 4 ? z1 : z0;
    }
    b->vertex_count += 8;
    b->triangle_count += 12;
}

static void add_cube(body *b, double half) { add_box(b, -half, -half, -half, half, half, half); }

// A shape of generators/, in double.
static void add_scene(body *b, const char *kind, uint64_t count, double size)
{
    graze_context *context = test_context(NULL);
    graze_mesh *mesh = NULL;
    generator_shape_def def = {
        .kind = kind, .triangle_count = count, .size = size, .precision = GRAZE_FLOAT64};
    assert_int_equal(generator_shape_make(context, &def, &mesh), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(mesh);
    assert_true(b->vertex_count + view.vertex_count <= MOST_VERTICES &&
                b->triangle_count + view.triangle_count <= MOST_TRIANGLES);
    memcpy(b->positions[b->vertex_count], view.positions, view.vertex_count * 24);
    for (uint64_t i = 0; i < 3 * view.triangle_count; ++i)
        (&b->corners[b->triangle_count][0])[i] = b->vertex_count + view.corners[i];
    b->vertex_count += (uint32_t)view.vertex_count;
    b->triangle_count += (uint32_t)view.triangle_count;
    graze_mesh_free(mesh);
    test_context_done(context);
}

typedef struct pair {
    graze_context *context;
    graze_query *query;
    graze_shape *a, *b;
} pair;

static pair open_pair(const graze_context_def *context_def, const body *a, const body *b,
                      const graze_shape_def *def)
{
    pair p = {.context = test_context(context_def)};
    graze_mesh_view view_a = view_of(a), view_b = view_of(b);
    assert_int_equal(graze_query_create(p.context, &p.query), GRAZE_OK);
    assert_int_equal(graze_shape_create(p.context, &view_a, def, &p.a), GRAZE_OK);
    assert_int_equal(graze_shape_create(p.context, &view_b, def, &p.b), GRAZE_OK);
    return p;
}

static void close_pair(pair *p)
{
    graze_shape_free(p->a);
    graze_shape_free(p->b);
    graze_query_free(p->query);
    test_context_done(p->context);
}

static graze_pose moved_by(double x, double y, double z)
{
    graze_pose pose = graze_pose_identity();
    pose.translation[0] = x;
    pose.translation[1] = y;
    pose.translation[2] = z;
    return pose;
}

static const graze_pose still = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static bool same_points(const double p[3], const double q[3])
{
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

static bool same_answer(const graze_penetration *x, const graze_penetration *y)
{
    return x->low == y->low && x->high == y->high && x->verdict == y->verdict &&
           x->defined == y->defined && same_points(x->point, y->point) &&
           same_points(x->surface, y->surface);
}

// Asks both ways round and compares.
static graze_penetration ask(const pair *p, const graze_pose *pose_a, const graze_pose *pose_b,
                             const graze_penetration_def *def)
{
    graze_penetration got, swapped;
    assert_int_equal(graze_query_penetration(p->query, graze_at(p->a, pose_a),
                                             graze_at(p->b, pose_b), def, &got),
                     GRAZE_OK);
    assert_int_equal(graze_query_penetration(p->query, graze_at(p->b, pose_b),
                                             graze_at(p->a, pose_a), def, &swapped),
                     GRAZE_OK);
    assert_true(same_answer(&got, &swapped));
    assert_true(got.low == 0 || got.holder != swapped.holder);
    assert_true(got.closed_a == swapped.closed_b && got.closed_b == swapped.closed_a);
    assert_true(got.low <= got.high && got.low >= 0);
    return got;
}

static void expect(const body *a, const body *b, double x, double y, double z, double depth,
                   uint32_t holder)
{
    pair p = open_pair(NULL, a, b, NULL);
    graze_pose pose = moved_by(x, y, z);
    graze_penetration got = ask(&p, &still, &pose, NULL);
    if (got.verdict != GRAZE_CONTACT || got.low > depth * (1 + 1e-12) ||
        got.high < depth * (1 - 1e-12) || got.high > 1.01 * got.low ||
        (holder < 2 && got.holder != holder))
        fail_msg("the depth is %g, but from %.17g to %.17g in %u was said", depth, got.low,
                 got.high, got.holder);
    close_pair(&p);
}

static void expect_verdict(const body *a, const body *b, double x, double y, double z,
                           graze_verdict verdict, double most)
{
    pair p = open_pair(NULL, a, b, NULL);
    graze_pose pose = moved_by(x, y, z);
    graze_penetration got = ask(&p, &still, &pose, NULL);
    if (got.verdict != verdict || got.low != 0 || got.high > most)
        fail_msg("verdict %d, from %g to %g", (int)got.verdict, got.low, got.high);
    close_pair(&p);
}

static void boxes_have_known_depths(void **state)
{
    (void)state;
    static body cube, large, fine, needle, plate;
    add_cube(&cube, 0.5);
    add_cube(&large, 2);
    add_scene(&fine, "box", 1200, 1);
    add_box(&needle, -0.01, -0.01, 0, 0.01, 0.01, 10);
    add_box(&plate, -3, -2.5, -0.05, 3, 2.5, 0.05);
    const body *cubes[] = {&cube, &fine};
    for (int i = 0; i < 4; ++i) {
        const body *a = cubes[i % 2], *b = cubes[i / 2];
        expect(a, b, 0, 0, 0, 0.5, 2); // one on the other
        expect(a, b, 0.75, 0.125, -0.0625, 0.25, 2);
        expect(a, b, 0.75, 0.8125, -0.875, 0.125, 2);
        expect(a, b, 0, 0.95, 0, 0.05, 2);
        expect_verdict(a, b, 1.5, 0, 0, GRAZE_APART, 0);
        expect_verdict(a, b, 1, 0.25, 0, GRAZE_WITHIN_ERROR, 1e-10);
        expect_verdict(a, b, 1, 1, 0, GRAZE_WITHIN_ERROR, 1e-10);  // along an edge
        expect_verdict(a, b, -1, 1, 1, GRAZE_WITHIN_ERROR, 1e-10); // in a corner
        expect(&large, b, 0, 0, 0, 2, 0);                          // b in the middle of a hall
        expect(b, &large, 0.5, 0, 0, 2, 1);                        // its side reaches the middle
        expect(&large, b, 1, 0, 0, 1.5, 0);
        expect(&large, b, 1.5, 0.25, -1.25, 1, 0); // its sides touch the walls from inside
    }
    expect(&large, &needle, 0.3, 0.4, 1.2, 0.8, 0); // its tip
    expect(&large, &needle, 0.3, 0.4, -5, 1.61, 0); // right through: 2 - 0.4 + 0.01
    expect(&large, &plate, 0, 0, 0, 2, 0);
    expect(&plate, &plate, 0, 0, 0.02, 0.05, 2);     // a large flat middle
    expect(&plate, &plate, 0.3, 0.2, 0.07, 0.03, 2); // large flat faces
    expect(&plate, &needle, 0.3, 0.4, -5, 0.05, 0);
}

static void cavities_are_outside(void **state)
{
    (void)state;
    static body shell, ball, many, cube;
    add_cube(&shell, 2);
    add_cube(&shell, 1); // a hole
    add_cube(&ball, 0.25);
    expect_verdict(&shell, &ball, 0, 0, 0, GRAZE_APART, 0);
    expect_verdict(&shell, &ball, 0.75, 0, 0, GRAZE_WITHIN_ERROR, 1e-3);
    expect(&shell, &ball, 0.875, 0, 0, 0.125, 2);
    expect(&shell, &ball, 1.5, 0, 0, 0.5, 0);
    // Of many parts one counts.
    for (int i = 0; i < 20; ++i)
        add_box(&many, i, 0, 0, i + 0.5, 0.5, 0.5 + 0.1 * i);
    add_box(&cube, 0, 0, 0, 0.75, 0.75, 0.75);
    expect(&many, &cube, 15.125, 0.25, 1.5, 0.25, 2);
    expect_verdict(&many, &cube, 0.125, 0.25, 1.5, GRAZE_APART, 0);
}

// --- Against samples

static double dot(const double u[3], const double v[3])
{
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

static double distance_from_segment(const double p[3], const double q[3])
{
    double way[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, at[3];
    double t = fmin(1, fmax(0, -dot(p, way) / dot(way, way)));
    for (int i = 0; i < 3; ++i)
        at[i] = p[i] + t * way[i];
    return sqrt(dot(at, at));
}

// The distance of the origin from a triangle: of its edges, or of its plane if the foot is inside,
// by the normal equations.
static double distance_of(double v[3][3])
{
    double least = HUGE_VAL, e[3], f[3], at[3];
    for (int k = 0; k < 3; ++k) {
        least = fmin(least, distance_from_segment(v[k], v[(k + 1) % 3]));
        e[k] = v[1][k] - v[0][k];
        f[k] = v[2][k] - v[0][k];
    }
    double ee = dot(e, e), ef = dot(e, f), ff = dot(f, f), det = ee * ff - ef * ef;
    double s = (ef * dot(f, v[0]) - ff * dot(e, v[0])) / det;
    double t = (ef * dot(e, v[0]) - ee * dot(f, v[0])) / det;
    for (int k = 0; k < 3; ++k)
        at[k] = v[0][k] + s * e[k] + t * f[k];
    return s >= 0 && t >= 0 && s + t <= 1 ? fmin(least, sqrt(dot(at, at))) : least;
}

typedef struct posed_body {
    const body *body;
    const graze_shape *shape;
    graze_pose pose;
    double world[MOST_VERTICES][3];
} posed_body;

static void pose_body(posed_body *p)
{
    for (uint32_t i = 0; i < p->body->vertex_count; ++i)
        graze_pose_apply(&p->pose, p->body->positions[i], p->world[i]);
}

static double distance_from(const posed_body *p, const double point[3])
{
    double least = HUGE_VAL;
    for (uint32_t t = 0; t < p->body->triangle_count; ++t) {
        double v[3][3], center[3] = {0, 0, 0}, radius = 0;
        for (int k = 0; k < 9; ++k) {
            v[k / 3][k % 3] = p->world[p->body->corners[t][k / 3]][k % 3] - point[k % 3];
            center[k % 3] += v[k / 3][k % 3] / 3;
        }
        for (int k = 0; k < 3; ++k) {
            double d[3] = {v[k][0] - center[0], v[k][1] - center[1], v[k][2] - center[2]};
            radius = fmax(radius, sqrt(dot(d, d)));
        }
        if (sqrt(dot(center, center)) - radius < least)
            least = fmin(least, distance_of(v));
    }
    return least;
}

// How deep a point is; 0 unless it is inside both.
static double depth_at(graze_query *query, const posed_body p[2], const double point[3])
{
    for (int side = 0; side < 2; ++side) {
        graze_place place;
        assert_int_equal(
            graze_query_inside(query, graze_at(p[side].shape, &p[side].pose), point, &place),
            GRAZE_OK);
        if (place != GRAZE_PLACE_INSIDE)
            return 0;
    }
    return fmax(distance_from(&p[0], point), distance_from(&p[1], point));
}

#define STARTS 4

typedef struct start {
    double depth, at[3];
} start;

// Around a point that is deep, closer and closer.
static double search_around(graze_query *query, const posed_body p[2], test_random *random,
                            start from)
{
    double step = 0.2;
    for (int i = 0; i < 500 && from.depth > 0; ++i) {
        double point[3];
        for (int k = 0; k < 3; ++k)
            point[k] = from.at[k] + step * (2 * test_unit(random) - 1);
        double depth = depth_at(query, p, point);
        step *= depth > from.depth ? 1.5 : 0.975;
        if (depth > from.depth) {
            from.depth = depth;
            memcpy(from.at, point, sizeof point);
        }
    }
    return from.depth;
}

// The deepest of many points, and of points around the deepest few.
static double search_deepest(graze_query *query, const posed_body p[2], test_random *random)
{
    start starts[STARTS] = {{0, {0}}};
    for (int i = 0; i < 800; ++i) {
        start s;
        const posed_body *one = &p[i / 2 % 2];
        const double *v = one->world[test_next(random) % one->body->vertex_count];
        for (int k = 0; k < 3; ++k) {
            s.at[k] = 1.4 * test_unit(random) - 0.7;
            s.at[k] = i % 2 == 0 ? v[k] + 0.02 * (s.at[k] - v[k]) : s.at[k];
        }
        s.depth = depth_at(query, p, s.at);
        int k = STARTS;
        for (; k > 0 && starts[k - 1].depth < s.depth; --k)
            if (k < STARTS)
                starts[k] = starts[k - 1];
        if (k < STARTS)
            starts[k] = s;
    }
    double deepest = 0;
    for (int k = 0; k < STARTS; ++k)
        deepest = fmax(deepest, search_around(query, p, random, starts[k]));
    return deepest;
}

static graze_pose random_pose(test_random *random, double spread)
{
    graze_pose pose;
    double turn[4], shift[3];
    for (int i = 0; i < 4; ++i)
        turn[i] = test_unit(random) - 0.5;
    for (int i = 0; i < 3; ++i)
        shift[i] = spread * (2 * test_unit(random) - 1);
    assert_int_equal(graze_pose_from_quaternion(turn, shift, &pose), GRAZE_OK);
    return pose;
}

// Slabs with narrow gaps between them: walls face each other, inside and outside.
static void add_slabs(body *b, test_random *random)
{
    double z = -0.5;
    for (int i = 0; i < 6 && z < 0.4; ++i) {
        double thick = 0.02 + 0.2 * test_unit(random), side = 0.3 + 0.3 * test_unit(random);
        add_box(b, -side, -0.5, z, 0.5, side, z + thick);
        z += thick + 0.04 * test_unit(random);
    }
}

// Blocks on a grid, with narrow gaps, nearly equal.
static void add_crumbs(body *b, test_random *random)
{
    uint64_t size = 2 + test_next(random) % 3;
    double cell = 1 / (double)size;
    for (uint64_t i = 0; i < size * size * size; ++i) {
        uint64_t place[3] = {i % size, i / size % size, i / size / size};
        double low[3], high[3];
        for (int k = 0; k < 3; ++k) {
            double gap = cell * (0.001 + 0.05 * test_unit(random));
            low[k] = cell * (double)place[k] - 0.5 + gap;
            high[k] = cell * (double)place[k] - 0.5 + cell - gap;
        }
        if (test_next(random) % 3 != 0 || i == 0)
            add_box(b, low[0], low[1], low[2], high[0], high[1], high[2]);
    }
}

// What is known without a search: the middle of a block is as deep as half its thinnest side, and
// counts where it is inside the other body, too.
static double deepest_middle(graze_query *query, const posed_body p[2])
{
    double deepest = 0;
    for (int side = 0; side < 2; ++side)
        for (uint32_t v = 0; v < p[side].body->vertex_count; v += 8) {
            const double *low = p[side].body->positions[v], *high = p[side].body->positions[v + 7];
            double middle[3], least = HUGE_VAL;
            graze_place place;
            for (int k = 0; k < 3; ++k) {
                middle[k] = low[k] / 2 + high[k] / 2;
                least = fmin(least, high[k] / 2 - low[k] / 2);
            }
            graze_pose_apply(&p[side].pose, middle, middle);
            assert_int_equal(graze_query_inside(query,
                                                graze_at(p[1 - side].shape, &p[1 - side].pose),
                                                middle, &place),
                             GRAZE_OK);
            if (place == GRAZE_PLACE_INSIDE)
                deepest = fmax(deepest, least);
        }
    return deepest;
}

static void blocks_are_not_missed(void **state)
{
    (void)state;
    static body a, b;
    static posed_body p[2];
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        test_random random = {seed};
        a.vertex_count = a.triangle_count = b.vertex_count = b.triangle_count = 0;
        seed % 3 == 0 ? add_crumbs(&a, &random) : add_slabs(&a, &random);
        add_crumbs(&b, &random);
        pair two = open_pair(NULL, &a, &b, NULL);
        p[0] = (posed_body){.body = &a, .shape = two.a, .pose = still};
        p[1] = (posed_body){.body = &b, .shape = two.b, .pose = random_pose(&random, 0.3)};
        if (seed % 2 == 0)
            p[1].pose = moved_by(0.3 * test_unit(&random), 0.3 * test_unit(&random), 0.01);
        graze_penetration_def def = graze_penetration_def_default();
        def.error = 0.02;
        graze_penetration got;
        assert_int_equal(graze_query_penetration(two.query, graze_at(two.a, &p[0].pose),
                                                 graze_at(two.b, &p[1].pose), &def, &got),
                         GRAZE_OK);
        double deepest = deepest_middle(two.query, p);
        if (got.high < deepest * (1 - 1e-9))
            fail_msg("seed %d: %.17g deep, but at most %.17g was said", (int)seed, deepest,
                     got.high);
        close_pair(&two);
    }
}

static const char *const kinds[] = {"sphere", "torus", "box", "knot", "cone", "gear", "cylinder"};
#define KINDS (sizeof kinds / sizeof *kinds)

static void add_random(body *b, uint64_t seed, uint64_t kind, test_random *random)
{
    b->vertex_count = b->triangle_count = 0;
    if (kind % (KINDS + 1) == KINDS)
        add_slabs(b, random);
    else
        add_scene(b, kinds[kind % (KINDS + 1)], 60 + 5 * seed % 140, 0.4 + 0.6 * test_unit(random));
}

// No sample is deeper than the bound; the point that was named is as deep as it was said.
static void samples_are_not_deeper(void **state)
{
    (void)state;
    static body a, b;
    static posed_body p[2];
    int deep = 0, near = 0;
    for (uint64_t seed = 1; seed <= (TEST_SANITIZED ? 12 : 48); ++seed) {
        test_random random = {seed};
        add_random(&a, seed, seed, &random);
        add_random(&b, 200 - seed, seed % 3 == 0 ? KINDS : 1 + seed / (KINDS + 1), &random);
        pair two = open_pair(NULL, &a, &b, NULL);
        p[0] = (posed_body){.body = &a, .shape = two.a, .pose = random_pose(&random, 0.05)};
        p[1] = (posed_body){.body = &b, .shape = two.b, .pose = random_pose(&random, 0.5)};
        pose_body(&p[0]);
        pose_body(&p[1]);
        graze_penetration_def def = graze_penetration_def_default();
        def.error = seed % 2 == 0 ? 0.01 : 0.001;
        graze_penetration got = ask(&two, &p[0].pose, &p[1].pose, &def);
        double deepest = search_deepest(two.query, p, &random);
        if (deepest > got.high * (1 + 1e-9))
            fail_msg("seed %d: %.17g is deeper than %.17g", (int)seed, deepest, got.high);
        if (got.low > 0) {
            deep++;
            near += deepest > 0.95 * got.low;
            double there = depth_at(two.query, p, got.point);
            double holder = distance_from(&p[got.holder], got.point);
            double way[3];
            for (int k = 0; k < 3; ++k)
                way[k] = got.surface[k] - got.point[k];
            if (there < got.low * (1 - 1e-9) || fabs(holder - got.low) > 1e-6 ||
                fabs(sqrt(dot(way, way)) - got.low) > 1e-9 ||
                distance_from(&p[got.holder], got.surface) > 1e-6 ||
                got.high > (1 + def.error) * got.low)
                fail_msg("seed %d: %.17g at a point that is %.17g deep", (int)seed, got.low, there);
        }
        close_pair(&two);
    }
    assert_true(deep >= (TEST_SANITIZED ? 5 : 30) &&
                near >= deep - 5); // the search by samples is no straw man
}

// --- The same bits

static void same_bits_for(const body *a, const body *b, const graze_pose *pose_a,
                          const graze_pose *pose_b)
{
    graze_penetration first = {0};
    for (int round = 0; round < 24; ++round) {
        graze_context_def def = graze_context_def_default();
        def.simd = (graze_simd)(GRAZE_SIMD_SCALAR + round / 4 % 4);
        def.thread_count = round < 16 ? 1 : 3;
        graze_context *probe = NULL;
        if (graze_context_create(&def, &probe) != GRAZE_OK)
            continue; // this machine does not have it
        graze_context_destroy(probe);
        graze_shape_def shape = graze_shape_def_default();
        shape.layout = round % 2 == 0 ? GRAZE_LAYOUT_FAST : GRAZE_LAYOUT_COMPACT;
        shape.build = round % 4 < 2 ? GRAZE_BUILD_BEST : GRAZE_BUILD_QUICK;
        pair p = open_pair(&def, a, b, &shape);
        graze_penetration got = ask(&p, pose_a, pose_b, NULL);
        assert_true(got.verdict == GRAZE_CONTACT);
        if (first.high == 0)
            first = got;
        assert_true(same_answer(&first, &got) && first.holder == got.holder);
        close_pair(&p);
    }
}

static void every_way_gives_the_same_bits(void **state)
{
    (void)state;
    static body knot, gear, fine;
    add_scene(&knot, "knot", 1500, 1);
    add_scene(&gear, "gear", 900, 1.2);
    add_scene(&fine, "box", 300, 1); // many triangles are equally near
    test_random random = {77};
    graze_pose pose = random_pose(&random, 0.3), beside = moved_by(0.5, 0.125, 0.25);
    same_bits_for(&knot, &gear, &still, &pose);
    same_bits_for(&fine, &fine, &still, &beside);
    same_bits_for(&fine, &gear, &beside, &pose);
}

// Far from the origin, and with rotations that are barely ones, bounds are wider and still hold.
static void rounding_is_inside_the_bounds(void **state)
{
    (void)state;
    static body cube, small;
    add_cube(&cube, 0.5);
    add_cube(&small, 0.5e-3);
    pair p = open_pair(NULL, &cube, &cube, NULL);
    graze_pose far = moved_by(1e6, -1e6, 3e5), other = moved_by(1e6 + 0.75, -1e6, 3e5);
    graze_penetration got = ask(&p, &far, &other, NULL);
    assert_true(got.verdict == GRAZE_CONTACT && got.low <= 0.25 && got.high >= 0.25 &&
                got.high <= 1.01 * got.low);
    other = moved_by(0.75, 0, 0);
    for (int i = 0; i < 9; ++i)
        other.rotation[i] += i % 4 == 0 ? 4e-10 : 1e-10;
    got = ask(&p, &still, &other, NULL);
    assert_true(got.verdict == GRAZE_CONTACT && got.low < 0.25 + 1e-8 && got.high > 0.25 - 1e-8);
    graze_penetration_def def = graze_penetration_def_default();
    def.error = def.floor = 1e-9; // more than this rotation allows
    def.work_limit = 20000000;
    got = ask(&p, &still, &other, &def);
    assert_true(got.verdict == GRAZE_UNDECIDED && got.low < 0.25 && got.high > 0.25);
    close_pair(&p);
    // A cube far from its own origin, where such a rotation moves it by 1e-6 of what it should.
    static body remote;
    add_box(&remote, 999.5, -0.5, -0.5, 1000.5, 0.5, 0.5);
    p = open_pair(NULL, &cube, &remote, NULL);
    for (int i = 0; i < 3; ++i) {
        const double middle[3] = {1000, 0, 0};
        double at[3];
        other = moved_by(0, 0, 0);
        other.rotation[0] += i == 0 ? 4e-10 : 0;
        other.rotation[3] = i == 1 ? 8e-10 : 0;
        other.rotation[2] = i == 2 ? 8e-10 : 0;
        graze_pose_apply(&other, middle, at);
        for (int k = 0; k < 3; ++k)
            other.translation[k] = (k == 0 ? 0.75 : 0) - at[k];
        got = ask(&p, &still, &other, &def);
        assert_true(got.low <= 0.25 + 1e-8 && got.high >= 0.25 - 1e-8 && got.low > 0.249 &&
                    got.high < 0.251);
    }
    close_pair(&p);
    // Tiny beside huge.
    p = open_pair(NULL, &cube, &small, NULL);
    other = moved_by(0.5, 0.1, 0.2);
    got = ask(&p, &still, &other, NULL);
    assert_true(got.verdict == GRAZE_CONTACT && got.low <= 0.5e-3 && got.high >= 0.5e-3);
    close_pair(&p);
    // Beyond all numbers nothing is claimed.
    static body huge;
    add_cube(&huge, 1e200);
    p = open_pair(NULL, &huge, &huge, NULL);
    got = ask(&p, &still, &still, NULL);
    assert_true(got.defined && got.verdict == GRAZE_UNDECIDED && got.low == 0 &&
                got.high == HUGE_VAL);
    close_pair(&p);
}

// --- Limits and refusals

// With any limit of work the truth is in between.
static void limits_never_pretend(void **state)
{
    (void)state;
    static body a, b;
    add_scene(&a, "sphere", 300, 1);
    add_scene(&b, "box", 48, 1);
    pair p = open_pair(NULL, &a, &b, NULL);
    graze_pose pose = moved_by(0.6, 0.1, 0.2);
    graze_penetration_def def = graze_penetration_def_default();
    graze_penetration best = ask(&p, &still, &pose, NULL), got = {0};
    int partial = 0;
    for (def.work_limit = 1; got.verdict != GRAZE_CONTACT; def.work_limit *= 2) {
        double width = got.high - got.low;
        got = ask(&p, &still, &pose, &def);
        assert_true(got.defined && got.low <= best.high && got.high >= best.low);
        assert_true(got.verdict == GRAZE_CONTACT || got.verdict == GRAZE_UNDECIDED);
        assert_true(partial == 0 || got.high - got.low <= width);
        partial += got.verdict == GRAZE_UNDECIDED;
    }
    assert_true(partial > 5 && same_answer(&best, &got));
    // A floor is enough where the depth does not matter.
    def = graze_penetration_def_default();
    def.floor = 2 * best.high;
    got = ask(&p, &still, &pose, &def);
    assert_true(got.high <= def.floor && got.high >= best.low && got.low <= best.high);
    assert_true(got.verdict != GRAZE_UNDECIDED);
    close_pair(&p);
}

static void open_shapes_have_no_depth(void **state)
{
    (void)state;
    static body grid, cube, nothing;
    add_scene(&grid, "grid", 50, 1);
    add_cube(&cube, 0.5);
    pair p = open_pair(NULL, &grid, &cube, NULL);
    graze_penetration got = ask(&p, &still, &still, NULL);
    assert_true(!got.defined && !got.closed_a && got.closed_b && got.low == 0);
    assert_true(got.high == HUGE_VAL && got.verdict == GRAZE_UNDECIDED);
    close_pair(&p);
    p = open_pair(NULL, &nothing, &cube, NULL);
    got = ask(&p, &still, &still, NULL);
    assert_true(got.defined && got.verdict == GRAZE_APART && got.high == 0);
    close_pair(&p);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static body cube;
    add_cube(&cube, 0.5);
    pair p = open_pair(NULL, &cube, &cube, NULL);
    const graze_status bad = GRAZE_ERROR_ARGUMENT;
    graze_penetration got;
    graze_pose none = {.rotation = {2}};
    const double wrong[] = {-1, (double)NAN, HUGE_VAL};
    for (int i = 0; i < 6; ++i) {
        graze_penetration_def def = graze_penetration_def_default();
        *(i < 3 ? &def.error : &def.floor) = wrong[i % 3];
        assert_int_equal(graze_query_penetration(p.query, graze_at(p.a, &still),
                                                 graze_at(p.b, &still), &def, &got),
                         bad);
        assert_string_equal(test_last_error, "graze_query_penetration: an error or a floor is "
                                             "negative or not finite");
    }
    graze_penetration_def def = {0};
    assert_int_equal(
        graze_query_penetration(p.query, graze_at(p.a, &still), graze_at(p.b, &still), &def, &got),
        bad);
    assert_int_equal(
        graze_query_penetration(p.query, graze_at(NULL, &still), graze_at(p.b, &still), NULL, &got),
        bad);
    assert_int_equal( // no pose is the identity
        graze_query_penetration(p.query, graze_at(p.a, NULL), graze_at(p.b, &still), NULL, &got),
        GRAZE_OK);
    assert_int_equal(
        graze_query_penetration(p.query, graze_at(p.a, &still), graze_at(NULL, &still), NULL, &got),
        bad);
    assert_int_equal(
        graze_query_penetration(p.query, graze_at(p.a, &still), graze_at(p.b, &none), NULL, &got),
        bad);
    assert_int_equal(
        graze_query_penetration(NULL, graze_at(p.a, &still), graze_at(p.b, &still), NULL, &got),
        bad);
    assert_int_equal(
        graze_query_penetration(p.query, graze_at(p.a, &still), graze_at(p.b, &still), NULL, NULL),
        bad);
    close_pair(&p);
}

static void warm_queries_allocate_nothing(void **state)
{
    (void)state;
    static body a, b;
    add_scene(&a, "sphere", 300, 1);
    add_scene(&b, "torus", 300, 1);
    pair p = open_pair(NULL, &a, &b, NULL);
    graze_pose pose = moved_by(0.3, 0.1, 0.2);
    (void)ask(&p, &still, &pose, NULL);
    graze_memory_use before = graze_context_memory(p.context);
    (void)ask(&p, &still, &pose, NULL);
    graze_memory_use after = graze_context_memory(p.context);
    assert_int_equal(before.current_bytes, after.current_bytes);
    assert_int_equal(before.peak_bytes, after.peak_bytes);
    close_pair(&p);
}

static int countdown;
static int cancel_at_zero(void *user)
{
    (void)user;
    return --countdown == 0;
}

// Shapes are ready when the counting begins, so that all of it is about the question.
static void it_can_be_stopped_anywhere(void **state)
{
    (void)state;
    static body a, b;
    add_scene(&a, "gear", 1500, 1);
    add_scene(&b, "torus", 900, 1);
    graze_context_def def = graze_context_def_default();
    def.cancel = cancel_at_zero;
    countdown = 0;
    pair p = open_pair(&def, &a, &b, NULL);
    graze_pose pose = moved_by(0.3, 0.1, 0.02);
    graze_penetration_def fine = graze_penetration_def_default();
    fine.error = 0.005;
    graze_penetration whole = ask(&p, &still, &pose, &fine), got;
    graze_status status = GRAZE_ERROR_CANCELLED;
    int tries = 0;
    for (int at = 1; status == GRAZE_ERROR_CANCELLED; at += 1 + at / 4, ++tries) {
        countdown = at;
        status = graze_query_penetration(p.query, graze_at(p.a, &still), graze_at(p.b, &pose),
                                         &fine, &got);
    }
    assert_int_equal(status, GRAZE_OK);
    if (tries <= 2 || !same_answer(&whole, &got))
        fail_msg("%d tries; %g to %g", tries, got.low, got.high);
    close_pair(&p);
}

static graze_status ask_how_deep(const asked_shapes *shapes, graze_query *query)
{
    graze_penetration got;
    return graze_query_penetration(query, graze_at(shapes->a, &shapes->pose_a),
                                   graze_at(shapes->b, &shapes->pose_b), NULL, &got);
}

static void failing_leaves_nothing_behind(void **state)
{
    (void)state;
    static body bodies[2];
    add_scene(&bodies[0], "sphere", 100, 1);
    add_cube(&bodies[1], 0.5);
    graze_mesh_view view[2] = {view_of(&bodies[0]), view_of(&bodies[1])};
    asked_shapes shapes = {.view_a = &view[0],
                           .view_b = &view[1],
                           .pose_a = still,
                           .pose_b = moved_by(0.7, 0.2, 0.1),
                           .ask = ask_how_deep};
    assert_true(asked_shapes_fail(&shapes) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_have_known_depths),
        cmocka_unit_test(cavities_are_outside),
        cmocka_unit_test(blocks_are_not_missed),
        cmocka_unit_test(samples_are_not_deeper),
        cmocka_unit_test(every_way_gives_the_same_bits),
        cmocka_unit_test(rounding_is_inside_the_bounds),
        cmocka_unit_test(limits_never_pretend),
        cmocka_unit_test(open_shapes_have_no_depth),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(warm_queries_allocate_nothing),
        cmocka_unit_test(it_can_be_stopped_anywhere),
        cmocka_unit_test(failing_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
