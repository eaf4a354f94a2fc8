// What two objects are to each other: bodies whose depths and gaps are known, in all kinds; the
// pairs that plants are made with; meshes and models. Every pair is asked both ways round.
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "asked_shapes.h"
#include "both_ways.h"
#include "capture.h"
#include "clash_bodies.h"
#include "plant.h"

typedef struct expected {
    double x, y, z; // b is moved by
    graze_clash_kind kind;
    double amount; // depth or gap
} expected;

static void expect(const solid *a, const solid *b, const expected *cases, size_t count,
                   double clearance)
{
    gz_clash_limits limits = usual;
    limits.clearance = clearance;
    for (size_t place = 0; place < PLACES; ++place)
        for (size_t i = 0; i < count; ++i) {
            const expected *e = &cases[i];
            double far = fabs(places[place][0]) > 1e3 ? 2e-9 : 1e-12;
            graze_pose pose_a = placed(place, 0, 0, 0), pose_b = placed(place, e->x, e->y, e->z);
            graze_clash got = classify_posed(a, &pose_a, b, &pose_b, &limits);
            bool deep = got.kind == GRAZE_CLASH_OVERLAP || got.kind == GRAZE_CLASH_CONTAINED;
            bool fits = deep ? got.depth_low <= e->amount + far && got.depth_high >= e->amount - far
                             : fabs(got.gap - e->amount) <= far;
            if (got.kind != e->kind || !fits || got.depth_high > 1.05 * got.depth_low + far)
                fail_msg("case %zu at place %zu: kind %d, depth %.9g to %.9g, gap %.9g", i, place,
                         (int)got.kind, got.depth_low, got.depth_high, got.gap);
        }
}

static void boxes_of_all_kinds(void **state)
{
    (void)state;
    static solid cube, large, plate;
    add_cube(&cube, 0.5);
    add_cube(&large, 2);
    add_box(&plate, (double[]){-3, -3, -0.05}, (double[]){3, 3, 0.05});
    static const expected cubes[] = {
        {1.5, 0, 0, GRAZE_CLASH_NONE, 0},
        {1.02, 0.25, 0, GRAZE_CLASH_CLEARANCE, 0.02},
        {1.01, 1.01, 0, GRAZE_CLASH_CLEARANCE, 0.014142135623730963},
        {1.03, 0, 0, GRAZE_CLASH_NONE, 0},
        {0.75, 0.125, 0, GRAZE_CLASH_OVERLAP, 0.25},
        {0.999, 0.125, 0.3, GRAZE_CLASH_OVERLAP, 0.001},
        {0, 0, 0, GRAZE_CLASH_OVERLAP, 0.5},
    };
    static const expected halls[] = {
        {0, 0, 0, GRAZE_CLASH_CONTAINED, 2},
        {1.4, 0, 0, GRAZE_CLASH_CONTAINED, 1.1},
        {1.5, 0, 0, GRAZE_CLASH_OVERLAP, 1}, // touches the wall from inside
        {1.49995, 0, 0, GRAZE_CLASH_CONTAINED, 1.00005},
        {2.0, 0.2, 0, GRAZE_CLASH_OVERLAP, 0.5},
        {2.51, 0, 0, GRAZE_CLASH_CLEARANCE, 0.01},
    };
    static const expected plates[] = {
        {0, 0, 0.07, GRAZE_CLASH_OVERLAP, 0.03},
        {0.5, 0.25, 0.12, GRAZE_CLASH_CLEARANCE, 0.02},
    };
    expect(&cube, &cube, cubes, sizeof cubes / sizeof *cubes, 0.025);
    expect(&large, &cube, halls, sizeof halls / sizeof *halls, 0.025);
    expect(&plate, &plate, plates, sizeof plates / sizeof *plates, 0.025);
}

// By less than touch they touch, wherever they are and however numbers were rounded.
static void touching_with_noise(void **state)
{
    (void)state;
    static solid cube, slab, rod, tube, angle;
    add_cube(&cube, 0.5);
    add_box(&slab, (double[]){-2, -1, -0.1}, (double[]){2, 3, 0});
    add_tube(&rod, 48, 0.3, 0, 0, 1);
    add_tube(&tube, 24, 0.3, 0.28, 0, 1);
    add_box(&angle, (double[]){-1, -1, -0.2}, (double[]){1, 1, -0.1}); // an angle of two boxes
    add_box(&angle, (double[]){-1.1, -1, -0.1}, (double[]){-1, 1, 1});
    static const double depths[] = {0,    1e-12,  1e-9,  1e-7,  1e-6,   1e-5,
                                    5e-5, 9.9e-5, -1e-9, -1e-6, -9.9e-5};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; ++i)
        for (size_t place = 0; place < PLACES; ++place) {
            graze_pose still = placed(place, 0, 0, 0),
                       on_x = placed(place, 1 - depths[i], 0.2, 0.1);
            graze_pose on_z = placed(place, 0.3, 0.2, -depths[i]);
            graze_pose in_corner = placed(place, -0.5 - depths[i] / 2, 0.1, 0.4 - depths[i] / 2);
            graze_clash got[] = {
                classify_posed(&cube, &still, &cube, &on_x, &usual),
                classify_posed(&slab, &still, &rod, &on_z, &usual),
                classify_posed(&slab, &still, &tube, &on_z, &usual),
                classify_posed(&angle, &still, &cube, &in_corner, &usual),
            };
            for (size_t k = 0; k < sizeof got / sizeof *got; ++k)
                if (got[k].kind != GRAZE_CLASH_TOUCHING || got[k].gap > 1.01e-4)
                    fail_msg("case %zu by %g at place %zu: kind %d, depth %g to %g, gap %g", k,
                             depths[i], place, (int)got[k].kind, got[k].depth_low,
                             got[k].depth_high, got[k].gap);
        }
    static const expected more[] = {{1 - 1.02e-4, 0.2, 0.1, GRAZE_CLASH_OVERLAP, 1.02e-4},
                                    {1 - 2e-4, 0.2, 0.1, GRAZE_CLASH_OVERLAP, 2e-4},
                                    {1 + 1.001e-4, 0.2, 0.1, GRAZE_CLASH_CLEARANCE, 1.001e-4}};
    expect(&cube, &cube, more, 3, 0.001);
}

// A gap as wide as the clearance is wide enough; one as wide as touch is touching.
static void limits_are_exact(void **state)
{
    (void)state;
    static solid cube;
    add_cube(&cube, 0.5);
    gz_clash_limits limits = {.touch = 0.0625, .clearance = 0.25, .depth_error = 0.05};
    static const struct {
        double x;
        graze_clash_kind kind;
    } cases[] = {{1.25, GRAZE_CLASH_NONE},
                 {1.25 - 0x1p-52, GRAZE_CLASH_CLEARANCE},
                 {1.0625 + 0x1p-52, GRAZE_CLASH_CLEARANCE},
                 {1.0625, GRAZE_CLASH_TOUCHING},
                 {1 - 0.0625, GRAZE_CLASH_OVERLAP}, // not proved to be at most touch
                 {1 - 0.0625 * 0.99, GRAZE_CLASH_TOUCHING},
                 {1 - 0.0625 * 1.01, GRAZE_CLASH_OVERLAP}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        graze_pose pose = shifted(cases[i].x, 0, 0);
        graze_clash got = classify_posed(&cube, NULL, &cube, &pose, &limits);
        if (got.kind != cases[i].kind)
            fail_msg("%.17g: kind %d, depth %.17g to %.17g", cases[i].x, (int)got.kind,
                     got.depth_low, got.depth_high);
    }
    // Without any touch, too.
    limits.touch = limits.clearance = 0;
    graze_pose apart = shifted(1 + 0x1p-50, 0, 0), on = shifted(1, 0.5, 0);
    graze_pose in = shifted(1 - 0x1p-10, 0.5, 0);
    assert_int_equal(classify_posed(&cube, NULL, &cube, &apart, &limits).kind, GRAZE_CLASH_NONE);
    assert_int_equal(classify_posed(&cube, NULL, &cube, &on, &limits).kind, GRAZE_CLASH_TOUCHING);
    assert_int_equal(classify_posed(&cube, NULL, &cube, &in, &limits).kind, GRAZE_CLASH_OVERLAP);
}

// --- What other tools miss

static void pipes(void **state)
{
    (void)state;
    static solid tube, rod, fine, ring;
    add_tube(&tube, 32, 0.1, 0.09, 0, 1);
    add_tube(&fine, 64, 0.1, 0.09, 0, 1);
    add_tube(&rod, 32, 0.1, 0, 0, 1);
    add_tube(&ring, 32, 0.16, 0.1, 0.4, 0.45); // a flange around
    // Walls that are in each other along 50 mm, and no two triangles cross.
    double wall = 0.01 * cos(PI / 32) / 2;
    const expected in_line[] = {{0, 0, 0.95, GRAZE_CLASH_OVERLAP, wall},
                                {0, 0, 1, GRAZE_CLASH_TOUCHING, 0}, // common end caps
                                {0, 0, -1, GRAZE_CLASH_TOUCHING, 0},
                                {0, 0, 1 - 5e-5, GRAZE_CLASH_TOUCHING, 0}};
    for (size_t place = 0; place < PLACES; ++place)
        for (size_t i = 0; i < 4; ++i) {
            const expected *e = &in_line[i];
            graze_pose still = placed(place, 0, 0, 0), pose = placed(place, e->x, e->y, e->z);
            graze_clash got = classify_posed(&tube, &still, &tube, &pose, &usual);
            if (got.kind != e->kind ||
                (i == 0 && (got.depth_low > wall * 1.1 + 1e-9 || got.depth_high < wall - 1e-9)))
                fail_msg("case %zu at place %zu: kind %d, %g to %g, not %g", i, place,
                         (int)got.kind, got.depth_low, got.depth_high, wall);
            if (place == 0)
                got = classify_posed(&fine, &still, &fine, &pose, &usual);
            assert_int_equal(got.kind, e->kind);
            got = classify_posed(&rod, &still, &rod, &pose, &usual);
            assert_int_equal(got.kind, e->kind);
        }
    // Side by side, and a flange on a pipe, of the same corners.
    double apart = 0.2 * cos(PI / 32);
    graze_pose turned, beside = shifted(apart, 0, 0.3), nearer = shifted(apart - 0.002, 0, 0.3);
    assert_int_equal(graze_pose_from_axis((double[]){0, 0, 1}, PI / 32, NULL, &turned), GRAZE_OK);
    beside = graze_pose_compose(&beside, &turned);
    nearer = graze_pose_compose(&nearer, &turned);
    assert_int_equal(classify_posed(&rod, &turned, &rod, &beside, &usual).kind,
                     GRAZE_CLASH_TOUCHING);
    assert_int_equal(classify_posed(&rod, &turned, &rod, &nearer, &usual).kind,
                     GRAZE_CLASH_OVERLAP);
    for (size_t place = 0; place < PLACES; ++place) {
        graze_pose still = placed(place, 0, 0, 0), off = placed(place, 3e-5, 1e-5, 0.1);
        graze_pose far_off = placed(place, 4e-4, 0, 0.1);
        assert_int_equal(classify_posed(&rod, &still, &ring, &still, &usual).kind,
                         GRAZE_CLASH_TOUCHING);
        assert_int_equal(classify_posed(&rod, &still, &ring, &off, &usual).kind,
                         GRAZE_CLASH_TOUCHING);
        assert_int_equal(classify_posed(&rod, &still, &ring, &far_off, &usual).kind,
                         GRAZE_CLASH_OVERLAP);
    }
}

// Bolts through two flanges that face each other: inside counts mod 2, so that around the rim of
// each bolt the two shapes alternate.
static void flanges_with_bolts(void **state)
{
    (void)state;
    static solid low, high;
    add_tube(&low, 24, 0.1, 0.05, -0.03, 0);
    add_tube(&high, 24, 0.1, 0.05, 0, 0.03);
    for (int which = 0; which < 2; ++which)
        for (int i = 0; i < 4; ++i) {
            solid *s = which == 0 ? &low : &high;
            uint32_t first = s->vertex_count;
            add_tube(s, 8, 0.008, 0, -0.04, 0.04);
            for (uint32_t v = first; v < s->vertex_count; ++v)
                s->positions[v][i % 2] += i < 2 ? 0.075 : -0.075;
        }
    // The bolts of the one are those of the other, too: alike where they stand out, or nothing.
    graze_clash got = classify_posed(&low, NULL, &high, NULL, &usual);
    assert_int_equal(got.kind, GRAZE_CLASH_OVERLAP); // bolts in bolts, beyond the flanges
    static solid lower, upper;
    add_tube(&lower, 24, 0.1, 0.05, -0.03, 0);
    add_tube(&upper, 24, 0.1, 0.05, 0, 0.03);
    for (int i = 0; i < 4; ++i) {
        uint32_t first = lower.vertex_count;
        add_tube(&lower, 8, 0.008, 0, -0.04, 0.01);
        add_tube(&upper, 8, 0.008, 0, -0.01, 0.04);
        for (uint32_t v = first; v < lower.vertex_count; ++v) {
            lower.positions[v][i % 2] += i < 2 ? 0.075 : -0.075;
            upper.positions[v][i % 2] += i < 2 ? 0.075 : -0.075;
        }
    }
    got = classify_posed(&lower, NULL, &upper, NULL, &usual);
    assert_int_equal(got.kind, GRAZE_CLASH_TOUCHING);
}

static void duplicates(void **state)
{
    (void)state;
    static solid tube, other;
    add_tube(&tube, 6, 0.5, 0.4, -1, 1);
    add_tube(&other, 6, 0.5, 0.4, -1, 1.25);
    graze_shape *one = shape_of(&tube), *two = shape_of(&tube), *longer = shape_of(&other);
    graze_pose near, turned, far = shifted(0, 2e-4, 0), base = shifted(5, 6, 7);
    near = shifted(5, 6 + 0.9e-4, 7);
    assert_int_equal(graze_pose_from_axis((double[]){1, 2, 0}, 6e-5, NULL, &turned), GRAZE_OK);
    far = graze_pose_compose(&base, &far);
    turned = graze_pose_compose(&base, &turned);
    const struct {
        const graze_shape *shape;
        const graze_pose *pose;
        uint64_t hash;
        graze_clash_kind kind;
    } cases[] = {
        {two, &base, 77, GRAZE_CLASH_DUPLICATE},  {two, &near, 77, GRAZE_CLASH_DUPLICATE},
        {one, &near, 0, GRAZE_CLASH_DUPLICATE},   {two, &turned, 77, GRAZE_CLASH_DUPLICATE},
        {two, &far, 77, GRAZE_CLASH_OVERLAP},     {two, &base, 0, GRAZE_CLASH_OVERLAP},
        {longer, &base, 78, GRAZE_CLASH_OVERLAP}, {two, &base, 76, GRAZE_CLASH_OVERLAP}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        gz_clash_side a = side_at(one, &base, cases[i].shape == one ? 0 : 77);
        gz_clash_side b = side_at(cases[i].shape, cases[i].pose, cases[i].hash);
        graze_clash got = classify(&a, &b, &usual);
        if (got.kind != cases[i].kind)
            fail_msg("case %zu: kind %d", i, (int)got.kind);
    }
    graze_shape_free(one);
    graze_shape_free(two);
    graze_shape_free(longer);
}

// --- Shapes that are not closed

static void surfaces_with_holes(void **state)
{
    (void)state;
    static solid open, cube, small, fine, fence, deep_fence, sheet, needle;
    add_cube(&cube, 0.5);
    add_cube(&small, 0.25);
    add_cube(&open, 1);
    open.triangle_count -= 2; // without the side of the largest x
    add_sheet(&sheet, 1, 2);
    add_sheet(&fine, 20, 2);
    add_tube(&needle, 3, 1e-5, 0, -1, 1);
    // A fence of two rows: the corners between them are just below the sheet.
    for (int row = 0; row < 3; ++row)
        for (int k = 0; k < 2; ++k) {
            double z = row == 0 ? 1 : row == 1 ? -5e-5 : -1;
            add_vertex(&deep_fence, k - 0.5, 0.1, z);
            if (row < 2)
                add_vertex(&fence, k - 0.5, 0.1, z);
        }
    add_quad(&fence, 0, 1, 3, 2);
    add_quad(&deep_fence, 0, 1, 3, 2);
    add_quad(&deep_fence, 2, 3, 5, 4);
    static const gz_clash_limits limits = {
        .touch = TOUCH, .clearance = 0.025, .depth_error = 0.05, .list_touching = true};
    const struct {
        const solid *a, *b;
        double x, y, z;
        graze_clash_kind kind;
        double length; // at least 0.99 of this
    } cases[] = {
        {&open, &small, -1, 0, 0, GRAZE_CLASH_CROSSING, 2}, // through a wall
        {&open, &small, 0, 0, 0, GRAZE_CLASH_NONE, 0},      // nobody knows what is inside
        {&open, &small, -0.75, 0, 0, GRAZE_CLASH_TOUCHING, 0},
        {&open, &small, -0.75 - 5e-5, 0, 0, GRAZE_CLASH_TOUCHING, 0},
        {&open, &small, -0.75 - 3e-4, 0, 0, GRAZE_CLASH_CROSSING, 0},
        {&open, &small, -1.26, 0, 0, GRAZE_CLASH_CLEARANCE, 0},
        {&open, &small, 1.1, 0, 0, GRAZE_CLASH_NONE, 0}, // in the hole
        {&cube, &sheet, 0, 0, 0.1, GRAZE_CLASH_CROSSING, 4},
        {&cube, &fine, 0, 0, 0.1, GRAZE_CLASH_CROSSING, 4},
        {&cube, &sheet, 0, 0, 0.5, GRAZE_CLASH_TOUCHING, 0},
        {&cube, &fine, 0, 0, 0.5, GRAZE_CLASH_TOUCHING, 0},
        {&cube, &fine, 0, 0, 0.5 - 9e-5, GRAZE_CLASH_TOUCHING, 0},
        {&cube, &fine, 0, 0, 0.5 - 1.2e-4, GRAZE_CLASH_CROSSING, 4},
        {&fence, &sheet, 0, 0, 0, GRAZE_CLASH_TOUCHING, 0}, // ends below the sheet
        {&fence, &fine, 0, 0, 0, GRAZE_CLASH_TOUCHING, 0},
        {&deep_fence, &sheet, 0, 0, 0, GRAZE_CLASH_CROSSING, 0.5}, // goes on
        {&deep_fence, &fine, 0, 0, 0, GRAZE_CLASH_CROSSING, 0.5},
        {&needle, &sheet, 0.3, 0.4, 0, GRAZE_CLASH_CROSSING, 0}, // thinner than touch
        {&sheet, &fine, 0.3, 0, 0, GRAZE_CLASH_TOUCHING, 0},     // in one plane
    };
    for (size_t place = 0; place < PLACES; ++place)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
            graze_pose still = placed(place, 0, 0, 0);
            graze_pose pose = placed(place, cases[i].x, cases[i].y, cases[i].z);
            graze_clash got = classify_posed(cases[i].a, &still, cases[i].b, &pose, &limits);
            if (got.kind != cases[i].kind || got.length < 0.99 * cases[i].length ||
                (cases[i].length > 0 && got.length > 1.01 * cases[i].length &&
                 cases[i].a != &deep_fence))
                fail_msg("case %zu at place %zu: kind %d, length %g", i, place, (int)got.kind,
                         got.length);
        }
}

// An open sheet in a closed hall; and some parts of a shape inside.
static void inside_without_touching(void **state)
{
    (void)state;
    static solid hall, sheet, parts;
    add_cube(&hall, 2);
    add_sheet(&sheet, 2, 1);
    add_cube(&parts, 0.25);
    add_box(&parts, (double[]){5, 5, 5}, (double[]){6, 6, 6});
    graze_clash got = classify_posed(&hall, NULL, &sheet, NULL, &usual);
    assert_int_equal(got.kind, GRAZE_CLASH_CONTAINED);
    assert_int_equal(got.inner, 1);
    assert_true(got.depth_high == 0 && got.region_whole == 1);
    graze_pose pose = shifted(0.5, 0, 0);
    got = classify_posed(&parts, &pose, &hall, NULL, &usual);
    assert_int_equal(got.kind, GRAZE_CLASH_OVERLAP);
    assert_true(got.depth_low <= 1.75 + 1e-12 && got.depth_high >= 1.75);
    static solid open_parts;
    memcpy(&open_parts, &parts, sizeof parts);
    open_parts.triangle_count--;
    got = classify_posed(&hall, NULL, &open_parts, &pose, &usual);
    assert_int_equal(got.kind, GRAZE_CLASH_CROSSING);
    for (int i = 0; i < 3; ++i)
        assert_true(fabs(got.point_a[i]) < 2);
}

// --- Boxes on a grid

#define GRID 12

// A shape of boxes on a grid, inside being counted mod 2, and the cells that are inside. No two
// boxes of one shape have a face in the same plane.
typedef struct grid_body {
    solid body;
    bool cell[GRID][GRID][GRID];
} grid_body;

static void make_grid_body(grid_body *g, test_random *random)
{
    memset(g, 0, sizeof *g);
    for (uint64_t i = 0, count = 1 + test_next(random) % 3; i < count; ++i) {
        double min[3], max[3];
        for (int axis = 0; axis < 3; ++axis) {
            uint64_t from = test_next(random) % 3, to = from + 1 + test_next(random) % (3 - from);
            min[axis] = (double)(i + 3 * from);
            max[axis] = (double)(i + 3 * to);
        }
        add_box(&g->body, min, max);
        for (int c = 0; c < GRID * GRID * GRID; ++c) {
            int at[3] = {c / GRID / GRID, c / GRID % GRID, c % GRID};
            bool in = true;
            for (int axis = 0; axis < 3; ++axis)
                in &= at[axis] >= min[axis] && at[axis] < max[axis];
            g->cell[at[0]][at[1]][at[2]] ^= in;
        }
    }
}

// Faces in faces, edges on edges, corners in corners, in all ways: what is inside both is a cell of
// the grid, or nothing.
static void boxes_on_a_grid(void **state)
{
    (void)state;
    static grid_body a, b;
    static const double noises[] = {0, 1e-12, 1e-8, 1e-6, 3e-5};
    uint64_t seen[GRAZE_CLASH_KINDS] = {0};
    for (uint64_t seed = 1; seed <= TEST_CHANCES(400); ++seed) {
        test_random random = {seed};
        make_grid_body(&a, &random);
        make_grid_body(&b, &random);
        bool deep = false;
        for (int c = 0; c < GRID * GRID * GRID; ++c)
            deep |= (&a.cell[0][0][0])[c] && (&b.cell[0][0][0])[c];
        double noise = noises[seed % 5];
        size_t place = test_next(&random) % PLACES;
        graze_pose still = placed(place, 0, 0, 0), pose = still;
        pose = placed(place, noise * (test_unit(&random) - 0.5), noise * (test_unit(&random) - 0.5),
                      noise * (test_unit(&random) - 0.5));
        graze_clash got = classify_posed(&a.body, &still, &b.body, &pose, &usual);
        bool is_deep = got.kind == GRAZE_CLASH_OVERLAP || got.kind == GRAZE_CLASH_CONTAINED;
        if (deep != is_deep || (deep && got.depth_low < 0.4) ||
            (!deep && got.kind != GRAZE_CLASH_TOUCHING && got.kind != GRAZE_CLASH_NONE))
            fail_msg("seed %llu: %s, but kind %d, depth %g to %g", (unsigned long long)seed,
                     deep ? "in each other" : "not in each other", (int)got.kind, got.depth_low,
                     got.depth_high);
        seen[got.kind]++;
    }
    assert_true(TEST_SANITIZED ||
                (seen[GRAZE_CLASH_TOUCHING] > 20 && seen[GRAZE_CLASH_OVERLAP] > 20));
}

// --- Plants

static bool is_planted(const generator_plant *plant, uint64_t one, uint64_t two,
                       generator_planted *planted)
{
    for (uint64_t i = 0; i < generator_plant_planted_count(plant); ++i) {
        *planted = generator_plant_planted(plant, i);
        if ((planted->a == one && planted->b == two) || (planted->a == two && planted->b == one))
            return true;
    }
    return false;
}

// Any number will do that is the same for the same triangles.
static uint64_t hash_of(const capture *c, const captured_object *o)
{
    uint64_t hash = 14695981039346656037u;
    for (uint64_t i = 3 * o->first_triangle; i < 3 * (o->first_triangle + o->triangle_count); ++i)
        for (int axis = 0; axis < 3; ++axis) {
            uint64_t bits;
            memcpy(&bits, &c->positions[3 * c->corners[i] + (uint64_t)axis], 8);
            hash = (hash ^ bits) * 1099511628211u;
            hash ^= hash >> 29;
        }
    return hash;
}

static void check_planted(const generator_planted *p, const graze_clash *got)
{
    static const graze_clash_kind kinds[] = {GRAZE_CLASH_OVERLAP, GRAZE_CLASH_TOUCHING,
                                             GRAZE_CLASH_CLEARANCE, GRAZE_CLASH_CONTAINED,
                                             GRAZE_CLASH_DUPLICATE};
    if (got->kind != kinds[p->relation])
        fail_msg("%s %llu and %llu: kind %d, depth %g to %g, gap %g",
                 generator_relation_name(p->relation), (unsigned long long)p->a,
                 (unsigned long long)p->b, (int)got->kind, got->depth_low, got->depth_high,
                 got->gap);
    if (p->relation == GENERATOR_CLASH)
        assert_true(got->depth_high > TOUCH && got->depth_low <= p->amount);
    if (p->relation == GENERATOR_CLEARANCE)
        assert_true(fabs(got->gap - p->amount) <= 1e-12);
}

static void planted_pairs(void **state)
{
    (void)state;
    uint64_t seen[5] = {0};
    for (uint64_t seed = 0; seed < 2; ++seed) {
        generator_plant_def def = {.object_count = TEST_SANITIZED ? 120 : 250,
                                   .triangle_count = TEST_SANITIZED ? 40000 : 80000,
                                   .seed = seed};
        generator_plant *plant = NULL;
        capture mesh = {0};
        assert_int_equal(generator_plant_open(&def, &plant), GRAZE_OK);
        graze_mesh_sink sink = capture_sink(&mesh);
        assert_int_equal(generator_plant_stream(plant, &sink), GRAZE_OK);
        uint64_t count = mesh.object_count;
        graze_shape **shapes = calloc((size_t)count, sizeof *shapes);
        gz_clash_side *sides = calloc((size_t)count, sizeof *sides);
        for (uint64_t i = 0; i < count; ++i) {
            const captured_object *o = &mesh.objects[i];
            uint32_t *corners = malloc((size_t)o->triangle_count * 12);
            graze_mesh_view view =
                capture_view(&mesh, o->first_triangle, o->triangle_count, corners);
            assert_int_equal(graze_shape_create(context, &view, NULL, &shapes[i]), GRAZE_OK);
            free(corners);
            sides[i] = side_at(shapes[i], NULL, hash_of(&mesh, o));
        }
        gz_clash_limits limits = usual;
        limits.clearance = 0.02;
        for (uint64_t i = 0; i < count; ++i)
            for (uint64_t k = 0; k < i; ++k) {
                generator_planted planted;
                bool known = is_planted(plant, i, k, &planted);
                if (known && planted.relation == GENERATOR_CLEARANCE)
                    limits.clearance = 2 * planted.amount;
                graze_clash got = {.kind = GRAZE_CLASH_NONE};
                if (known || graze_box_distance(&sides[i].box, &sides[k].box) <= TOUCH)
                    got = classify(&sides[i], &sides[k], &limits);
                if (known) {
                    check_planted(&planted, &got);
                    seen[planted.relation]++;
                } else if (got.kind != GRAZE_CLASH_NONE && got.kind != GRAZE_CLASH_TOUCHING &&
                           got.kind != GRAZE_CLASH_CLEARANCE) {
                    fail_msg("%s and %s: kind %d, depth %g to %g", mesh.objects[i].name,
                             mesh.objects[k].name, (int)got.kind, got.depth_low, got.depth_high);
                }
            }
        for (uint64_t i = 0; i < count; ++i)
            graze_shape_free(shapes[i]);
        free(shapes);
        free(sides);
        capture_free(&mesh);
        generator_plant_close(plant);
    }
    for (int i = 0; i < 5; ++i)
        assert_true(seen[i] > 0 || TEST_SANITIZED);
}

// --- Models, failures

// The same of models, through a small cache.
static void meshes_and_models_alike(void **state)
{
    (void)state;
    graze_context *own = both_ways_context(1, 2, 64);
    graze_query *asked = NULL;
    assert_int_equal(graze_query_create(own, &asked), GRAZE_OK);
    static solid tube, slab, open;
    add_tube(&tube, 16, 0.3, 0.25, 0, 1);
    add_box(&slab, (double[]){-1, -1, -0.2}, (double[]){1, 1, 0});
    add_sheet(&open, 12, 1);
    const solid *bodies[] = {&tube, &slab, &open};
    both_ways both[3];
    for (int i = 0; i < 3; ++i) {
        graze_mesh_view view = view_of(bodies[i]);
        both[i] = both_ways_make(own, &view);
    }
    static const double shifts[][3] = {{0, 0, 0},      {0, 0, 1},      {0, 0, 5e-5},
                                       {0.1, 0, -0.3}, {0.2, 0, 0.01}, {0, 0.1, -0.1},
                                       {0.05, 0, 0.95}};
    graze_query *held = query;
    query = asked;
    for (int i = 0; i < 9; ++i)
        for (size_t k = (size_t)i % 3; k < sizeof shifts / sizeof *shifts; k += 3) {
            gz_clash_limits limits = usual;
            limits.clearance = 0.02;
            graze_clash first;
            graze_pose pose = shifted(shifts[k][0], shifts[k][1], shifts[k][2]);
            for (int way = -1; way < WAYS; ++way) {
                const both_ways *x = &both[i / 3], *y = &both[i % 3];
                const graze_shape *p = way < 0 ? x->in_memory : both_ways_side(x, way, 0);
                const graze_shape *q = way < 0 ? y->in_memory : both_ways_side(y, way, 1);
                gz_clash_side a = side_at(p, NULL, (uint64_t)i / 3 + 1);
                gz_clash_side b = side_at(q, &pose, (uint64_t)i % 3 + 1);
                graze_clash got = classify(&a, &b, &limits);
                if (way < 0)
                    first = got;
                assert_int_equal(got.kind, first.kind);
                assert_true(got.depth_low == first.depth_low && got.depth_high == first.depth_high);
                assert_true(got.gap == first.gap && got.inner == first.inner);
                assert_true(fabs(got.length - first.length) <= 1e-9 * first.length);
            }
        }
    query = held;
    for (int i = 0; i < 3; ++i)
        both_ways_free(&both[i]);
    graze_query_free(asked);
    test_context_done(own);
}

static graze_status ask_both(const asked_shapes *shapes, graze_query *asked)
{
    gz_clash_side a = side_at(shapes->a, &shapes->pose_a, 1);
    gz_clash_side b = side_at(shapes->b, &shapes->pose_b, 2);
    graze_clash got;
    graze_status status = gz_clash_classify(asked, &a, &b, &usual, &got);
    assert_true(status != GRAZE_OK || got.kind != GRAZE_CLASH_NONE);
    return status;
}

static void failures_are_handed_on(void **state)
{
    (void)state;
    static solid tube, open;
    add_tube(&tube, 5, 0.3, 0.2, 0, 1);
    add_cube(&open, 0.5);
    open.triangle_count -= 2;
    graze_mesh_view view_a = view_of(&tube), view_b = view_of(&open);
    const graze_mesh_view *second[] = {&view_a, &view_b};
    for (int i = 0; i < 2; ++i) {
        asked_shapes shapes = {.view_a = &view_a,
                               .view_b = second[i],
                               .pose_a = shifted(0.1, 0.2, 0.3),
                               .pose_b = shifted(0.2, 0.2, 0.4),
                               .ask = ask_both};
        assert_true(asked_shapes_fail(&shapes) > 3);
    }
    graze_pose none = {.translation = {NAN, 0, 0}};
    graze_shape *shape = shape_of(&tube);
    gz_clash_side a = side_at(shape, NULL, 1), b = a;
    graze_clash got;
    b.at.pose = &none;
    assert_int_equal(gz_clash_classify(query, &a, &b, &usual, &got), GRAZE_ERROR_ARGUMENT);
    graze_shape_free(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_of_all_kinds),
        cmocka_unit_test(touching_with_noise),
        cmocka_unit_test(limits_are_exact),
        cmocka_unit_test(pipes),
        cmocka_unit_test(flanges_with_bolts),
        cmocka_unit_test(duplicates),
        cmocka_unit_test(surfaces_with_holes),
        cmocka_unit_test(inside_without_touching),
        cmocka_unit_test(boxes_on_a_grid),
        cmocka_unit_test(planted_pairs),
        cmocka_unit_test_setup_teardown(meshes_and_models_alike, models_enter, models_leave),
        cmocka_unit_test(failures_are_handed_on),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
