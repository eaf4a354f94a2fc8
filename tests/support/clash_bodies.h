// Bodies for tests of clashes, and asking about two of them, both ways round.
#ifndef GZ_TEST_CLASH_BODIES_H
#define GZ_TEST_CLASH_BODIES_H

#include <math.h>
#include <stdbool.h>

#include "scene/clash_pair.h"
#include "test.h"

#define MOST_VERTICES  1200
#define MOST_TRIANGLES 2400
#define TOUCH          1e-4
#define PI             3.14159265358979323846

typedef struct solid {
    double positions[MOST_VERTICES][3];
    uint32_t corners[MOST_TRIANGLES][3];
    uint32_t vertex_count, triangle_count;
} solid;

static const gz_clash_limits usual = {.touch = TOUCH, .depth_error = 0.05, .list_touching = true};

static inline uint32_t add_vertex(solid *s, double x, double y, double z)
{
    assert_true(s->vertex_count < MOST_VERTICES);
    double *p = s->positions[s->vertex_count];
    p[0] = x;
    p[1] = y;
    p[2] = z;
    return s->vertex_count++;
}

static inline void add_triangle(solid *s, uint32_t a, uint32_t b, uint32_t c)
{
    assert_true(s->triangle_count < MOST_TRIANGLES);
    uint32_t *t = s->corners[s->triangle_count++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

static inline void add_quad(solid *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    add_triangle(s, a, b, c);
    add_triangle(s, a, c, d);
}

static inline void add_box(solid *s, const double min[3], const double max[3])
{
    uint32_t v[8];
    for (int i = 0; i < 8; ++i)
        v[i] = add_vertex(s, i & 1 ? max[0] : min[0], i & 2 ? max[1] : min[1],
                          i & 4 ? max[2] : min[2]);
    add_quad(s, v[0], v[2], v[3], v[1]);
    add_quad(s, v[4], v[5], v[7], v[6]);
    add_quad(s, v[0], v[1], v[5], v[4]);
    add_quad(s, v[2], v[6], v[7], v[3]);
    add_quad(s, v[0], v[4], v[6], v[2]);
    add_quad(s, v[1], v[3], v[7], v[5]);
}

static inline void add_cube(solid *s, double half)
{
    add_box(s, (double[]){-half, -half, -half}, (double[]){half, half, half});
}

// Around the z axis; an inner radius of 0 makes a rod, which has no bore.
static inline void add_tube(solid *s, int sides, double outer, double inner, double z0, double z1)
{
    uint32_t first = s->vertex_count, count = (uint32_t)sides;
    for (int i = 0; i < sides; ++i) {
        double x = cos(2 * PI * i / sides), y = sin(2 * PI * i / sides);
        add_vertex(s, outer * x, outer * y, z0);
        add_vertex(s, outer * x, outer * y, z1);
        add_vertex(s, inner * x, inner * y, z0);
        add_vertex(s, inner * x, inner * y, z1);
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t a = first + 4 * i, b = first + 4 * ((i + 1) % count);
        add_quad(s, a, b, b + 1, a + 1);
        if (inner > 0) {
            add_quad(s, a + 2, a + 3, b + 3, b + 2);
            add_quad(s, a, a + 2, b + 2, b);
            add_quad(s, a + 1, b + 1, b + 3, a + 3);
        } else if (i >= 2) {
            add_triangle(s, first, a, first + 4 * (i - 1));
            add_triangle(s, first + 1, first + 4 * (i - 1) + 1, a + 1);
        }
    }
}

// A flat sheet in the plane z = 0, of cells by cells.
static inline void add_sheet(solid *s, uint32_t cells, double half)
{
    uint32_t first = s->vertex_count;
    for (uint32_t i = 0; i <= cells; ++i)
        for (uint32_t k = 0; k <= cells; ++k)
            add_vertex(s, half * (2.0 * i / cells - 1), half * (2.0 * k / cells - 1), 0);
    for (uint32_t i = 0; i < cells; ++i)
        for (uint32_t k = 0; k < cells; ++k) {
            uint32_t v = first + i * (cells + 1) + k;
            add_quad(s, v, v + cells + 1, v + cells + 2, v + 1);
        }
}

static inline graze_mesh_view view_of(const solid *s)
{
    return (graze_mesh_view){.precision = GRAZE_FLOAT64,
                             .vertex_count = s->vertex_count,
                             .triangle_count = s->triangle_count,
                             .positions = s->positions,
                             .corners = &s->corners[0][0]};
}

// --- Asking

static graze_context *context;
static graze_query *query;

static inline int enter(void **state)
{
    (void)state;
    context = test_context(NULL);
    return graze_query_create(context, &query) == GRAZE_OK ? 0 : -1;
}

static inline int leave(void **state)
{
    (void)state;
    graze_query_free(query);
    test_context_done(context);
    return 0;
}

static inline gz_clash_side side_at(const graze_shape *shape, const graze_pose *pose, uint64_t hash)
{
    graze_shape_info info = graze_shape_get_info(shape);
    gz_clash_side side = {.at = graze_at(shape, pose),
                          .box = info.box,
                          .hash = hash,
                          .triangle_count = info.triangle_count};
    if (pose != NULL)
        side.box = graze_box_posed(&info.box, pose);
    return side;
}

static inline bool same_points(const double p[3], const double q[3])
{
    return memcmp(p, q, 24) == 0;
}

// In every bit, points and the inner one swapped.
static inline void check_swapped(const graze_clash *x, const graze_clash *y)
{
    assert_int_equal(x->kind, y->kind);
    assert_true(x->kind != GRAZE_CLASH_CONTAINED || x->inner != y->inner);
    assert_true(x->depth_low == y->depth_low && x->depth_high == y->depth_high);
    assert_true(x->gap == y->gap && x->length == y->length);
    assert_true(same_points(x->point_a, y->point_b) && same_points(x->point_b, y->point_a));
    assert_memory_equal(&x->region, &y->region, sizeof x->region);
    assert_int_equal(x->region_whole, y->region_whole);
}

// What holds for every answer, whatever the two are.
static inline void check_sound(const gz_clash_side *a, const gz_clash_side *b,
                               const graze_clash *got, const gz_clash_limits *limits)
{
    bool has_depth = got->kind == GRAZE_CLASH_OVERLAP || got->kind == GRAZE_CLASH_CONTAINED;
    assert_true(got->depth_low >= 0 && got->depth_low <= got->depth_high);
    assert_true(has_depth || got->depth_high == 0);
    assert_true(got->length >= 0 && (got->kind == GRAZE_CLASH_CROSSING || got->length == 0));
    if (got->kind == GRAZE_CLASH_OVERLAP)
        assert_true(got->depth_high > limits->touch);
    if (got->kind == GRAZE_CLASH_CLEARANCE)
        assert_true(got->gap > limits->touch && got->gap < limits->clearance);
    if (got->kind == GRAZE_CLASH_NONE ||
        (got->kind == GRAZE_CLASH_TOUCHING && !limits->list_touching))
        return;
    graze_box both = graze_box_join(&a->box, &b->box);
    for (int i = 0; i < 3; ++i) {
        assert_true(got->region.min[i] <= got->region.max[i]);
        assert_true(got->region.min[i] >= both.min[i] && got->region.max[i] <= both.max[i]);
        assert_true(got->point_a[i] >= a->box.min[i] - 1e-9 * fabs(a->box.min[i]) - limits->touch);
        assert_true(got->point_b[i] <= b->box.max[i] + 1e-9 * fabs(b->box.max[i]) + limits->touch);
    }
}

static inline graze_clash classify(const gz_clash_side *a, const gz_clash_side *b,
                                   const gz_clash_limits *limits)
{
    graze_clash got, swapped, quiet;
    assert_int_equal(gz_clash_classify(query, a, b, limits, &got), GRAZE_OK);
    assert_int_equal(gz_clash_classify(query, b, a, limits, &swapped), GRAZE_OK);
    check_swapped(&got, &swapped);
    check_sound(a, b, &got, limits);
    gz_clash_limits brief = *limits;
    brief.list_touching = false;
    assert_int_equal(gz_clash_classify(query, a, b, &brief, &quiet), GRAZE_OK);
    assert_int_equal(quiet.kind, got.kind);
    return got;
}

static inline graze_shape *shape_of(const solid *s)
{
    graze_shape *shape = NULL;
    graze_mesh_view view = view_of(s);
    assert_int_equal(graze_shape_create(context, &view, NULL, &shape), GRAZE_OK);
    return shape;
}

static inline graze_clash classify_posed(const solid *a, const graze_pose *pose_a, const solid *b,
                                         const graze_pose *pose_b, const gz_clash_limits *limits)
{
    graze_shape *shape_a = shape_of(a), *shape_b = shape_of(b);
    gz_clash_side side_a = side_at(shape_a, pose_a, 1), side_b = side_at(shape_b, pose_b, 2);
    graze_clash got = classify(&side_a, &side_b, limits);
    graze_shape_free(shape_a);
    graze_shape_free(shape_b);
    return got;
}

static inline graze_pose shifted(double x, double y, double z)
{
    graze_pose pose = graze_pose_identity();
    pose.translation[0] = x;
    pose.translation[1] = y;
    pose.translation[2] = z;
    return pose;
}

// Both are put elsewhere in the world, in the same way.
static const double places[][6] = {{0, 0, 0, 0, 0, 0},
                                   {1e6, -2e6, 1.5e5, 0, 0, 0},
                                   {3, 4, 5, 0.3, -0.5, 0.2},
                                   {1e6, 3e5, -1e6, 1, 2, 3}};
#define PLACES (sizeof places / sizeof *places)

static inline graze_pose placed(size_t place, double x, double y, double z)
{
    const double *p = places[place];
    graze_pose world = graze_pose_identity(), inner = shifted(x, y, z);
    if (p[3] != 0)
        assert_int_equal(graze_pose_from_axis(p + 3, 0.7, NULL, &world), GRAZE_OK);
    memcpy(world.translation, p, sizeof world.translation);
    return graze_pose_compose(&world, &inner);
}

#endif
