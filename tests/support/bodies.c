// Bodies for tests of levels of detail. See bodies.h.
#include "bodies.h"

#include <math.h>

static const double nowhere[3] = {0, 0, 0};

static double bumpy(double x, double y, double z)
{
    return 0.03 * sin(17 * x + 3 * y) * cos(13 * y - 5 * z) * sin(11 * z + 7 * x);
}

// A sphere with a relief, which no level of detail keeps for long.
static void add_scan(triangles *t, uint64_t count)
{
    triangles_add_shape(t, "sphere", count, 2, nowhere);
    for (uint64_t i = 0; i < 3 * t->count; ++i) {
        double *p = t->corner[i / 3][i % 3];
        double by = 1 + bumpy(p[0], p[1], p[2]);
        for (int axis = 0; axis < 3; ++axis)
            p[axis] *= by;
    }
}

static void add_soup(triangles *t, uint64_t count, test_random *random)
{
    for (uint64_t i = 0; i < count; ++i) {
        double corner[3][3], at[3];
        for (int axis = 0; axis < 3; ++axis)
            at[axis] = 2 * test_unit(random) - 1;
        for (int k = 0; k < 9; ++k)
            corner[k / 3][k % 3] = at[k % 3] + 0.1 * (test_unit(random) - 0.5);
        triangles_add(t, (const double(*)[3])corner);
    }
}

// Triangles of no area: an edge there and back, or a point.
static void add_hairs(triangles *t, uint64_t count, test_random *random)
{
    for (uint64_t i = 0; i < count; ++i) {
        double corner[3][3];
        for (int k = 0; k < 6; ++k)
            corner[k / 3][k % 3] = 2 * test_unit(random) - 1;
        for (int axis = 0; axis < 3; ++axis) {
            if (i % 3 != 0)
                corner[1][axis] = corner[0][axis] + 0.1 * corner[1][axis];
            corner[2][axis] = corner[i % 2][axis];
        }
        triangles_add(t, (const double(*)[3])corner);
    }
}

static void add_twice(triangles *t)
{
    for (uint64_t i = 0, count = t->count; i < count; ++i) {
        double again[3][3];
        memcpy(again, t->corner[i], sizeof again);
        triangles_add(t, (const double(*)[3])again);
    }
}

static void add_dust(triangles *t, uint64_t count, test_random *random)
{
    for (uint64_t i = 0; i < 12; ++i) {
        double at[3];
        for (int axis = 0; axis < 3; ++axis)
            at[axis] = 4 * test_unit(random) - 2;
        triangles_add_shape(t, i % 2 == 0 ? "box" : "sphere", count / 12, ldexp(1, -(int)i), at);
    }
}

static void add_kind(triangles *t, int kind, uint64_t count)
{
    test_random random = {.state = (uint64_t)kind + 7};
    switch (kind) {
    case 0: add_scan(t, count); break;
    case 1: triangles_add_shape(t, "gear", count, 2, nowhere); break;
    case 2: triangles_add_shape(t, "terrain", count, 2, nowhere); break;
    case 3: add_soup(t, count / 2, &random); break;
    case 4:
        triangles_add_shape(t, "torus", count, 2, nowhere);
        add_hairs(t, count / 20 + 1, &random);
        break;
    case 5:
        triangles_add_shape(t, "box", count / 2, 2, nowhere);
        add_twice(t);
        break;
    case 6: add_dust(t, count, &random); break;
    case 7: triangles_add_shape(t, "grid", count, 2, nowhere); break;
    default: triangles_add_shape(t, "knot", count, 2, nowhere); break;
    }
}

// As the model has it: rounded to its precision.
static graze_shape *shape_of(graze_context *context, triangles *t, graze_precision precision)
{
    uint32_t *corners = test_malloc((3 * t->count + 1) * sizeof *corners);
    for (uint64_t i = 0; i < 3 * t->count; ++i)
        corners[i] = (uint32_t)i;
    for (uint64_t i = 0; i < 9 * t->count && precision == GRAZE_FLOAT32; ++i) {
        double *x = &t->corner[i / 9][i / 3 % 3][i % 3];
        *x = (double)(float)*x;
    }
    graze_mesh_view view = {.precision = GRAZE_FLOAT64,
                            .vertex_count = 3 * t->count,
                            .triangle_count = t->count,
                            .positions = t->corner,
                            .corners = corners};
    graze_shape *shape = NULL;
    assert_int_equal(graze_shape_create(context, &view, NULL, &shape), GRAZE_OK);
    test_free(corners);
    return shape;
}

void body_make(graze_context *context, int kind, graze_precision precision, uint64_t triangle_count,
               body *out)
{
    graze_model_build_def def = graze_model_build_def_default();
    *out = (body){0};
    add_kind(&out->t, kind, triangle_count);
    out->exact = shape_of(context, &out->t, precision);
    out->model = triangles_model(context, &out->t, precision, &def);
    assert_int_equal(graze_shape_from_model(out->model, &out->paged), GRAZE_OK);
    graze_box box = graze_model_get_info(out->model).box;
    for (int axis = 0; axis < 3; ++axis)
        out->size = fmax(out->size, box.max[axis] - box.min[axis]);
}

void body_free(body *b)
{
    graze_shape_free(b->exact);
    graze_shape_free(b->paged);
    graze_model_free(b->model);
    triangles_free(&b->t);
}

// A rotation by a quaternion.
graze_pose bodies_pose(test_random *random, double reach)
{
    double q[4], sum = 0;
    graze_pose pose;
    for (int i = 0; i < 4; ++i) {
        q[i] = test_unit(random) - 0.5;
        sum += q[i] * q[i];
    }
    for (int i = 0; i < 4; ++i)
        q[i] /= sqrt(sum);
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double rotation[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(pose.rotation, rotation, sizeof rotation);
    for (int axis = 0; axis < 3; ++axis)
        pose.translation[axis] = reach * (2 * test_unit(random) - 1);
    return pose;
}
