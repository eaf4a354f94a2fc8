// See coarse.h.
#include "coarse.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "model/group_load.h"
#include "shapes.h"

void triangles_add(triangles *to, const double corner[3][3])
{
    if (to->count == to->room) {
        to->room = 2 * to->room + 64;
        to->corner = realloc(to->corner, to->room * sizeof *to->corner);
        assert_non_null(to->corner);
    }
    memcpy(to->corner[to->count++], corner, sizeof *to->corner);
}

void triangles_add_view(triangles *to, const graze_mesh_view *view)
{
    for (uint64_t t = 0; t < view->triangle_count; ++t) {
        double corner[3][3];
        for (uint32_t c = 0; c < 3; ++c)
            graze_mesh_view_corner(view, t, c, corner[c]);
        triangles_add(to, (const double(*)[3])corner);
    }
}

void triangles_add_shape(triangles *to, const char *kind, uint64_t count, double size,
                         const double move[3])
{
    graze_context *context = test_context(NULL);
    graze_mesh *mesh = NULL;
    generator_shape_def def = {
        .kind = kind, .triangle_count = count, .size = size, .precision = GRAZE_FLOAT32};
    assert_int_equal(generator_shape_make(context, &def, &mesh), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(mesh);
    uint64_t first = to->count;
    triangles_add_view(to, &view);
    for (uint64_t t = first; t < to->count; ++t)
        for (int k = 0; k < 9; ++k)
            to->corner[t][k / 3][k % 3] += move[k % 3];
    graze_mesh_free(mesh);
    test_context_done(context);
}

void triangles_free(triangles *t)
{
    free(t->corner);
    *t = (triangles){0};
}

graze_model *triangles_model(graze_context *context, const triangles *from,
                             graze_precision precision, const graze_model_build_def *def)
{
    char mesh[MODEL_PATH_BYTES], path[MODEL_PATH_BYTES];
    uint32_t *corners = test_malloc((3 * from->count + 1) * sizeof *corners);
    float *narrow = test_malloc((9 * from->count + 1) * sizeof *narrow);
    for (uint64_t i = 0; i < 3 * from->count; ++i)
        corners[i] = (uint32_t)i;
    for (uint64_t i = 0; i < 9 * from->count; ++i)
        narrow[i] = (float)from->corner[i / 9][i / 3 % 3][i % 3];
    graze_mesh_view view = {.precision = precision,
                            .vertex_count = 3 * from->count,
                            .triangle_count = from->count,
                            .positions =
                                precision == GRAZE_FLOAT32 ? (void *)narrow : (void *)from->corner,
                            .corners = corners};
    graze_model *model = NULL;
    models_write(&view, models_path(mesh, "coarse.ply"));
    if (graze_model_build(context, mesh, models_path(path, "coarse.graze"), def) != GRAZE_OK)
        fail_msg("%s", test_last_error);
    assert_int_equal(graze_model_open(context, path, &model), GRAZE_OK);
    unlink(mesh);
    unlink(path); // an open model needs no name
    test_free(corners);
    test_free(narrow);
    return model;
}

graze_model_detail coarse_stream(graze_model *model, double error, triangles *out)
{
    record got = {0};
    graze_mesh_sink sink = record_sink(&got);
    graze_model_detail detail;
    if (graze_model_stream_coarse(model, error, &sink, &detail) != GRAZE_OK)
        fail_msg("error %g: %s", error, test_last_error);
    graze_model_info info = graze_model_get_info(model);
    assert_true(got.begun == 1 && got.ended == 1 && got.header.precision == info.precision);
    assert_true(got.header.metres_per_unit == info.metres_per_unit);
    assert_int_equal(got.object_count, 1);
    assert_int_equal(got.objects[0].object.triangle_count, got.triangle_count);
    assert_int_equal(detail.triangle_count, got.triangle_count);
    assert_true(detail.forward >= 0 && detail.forward <= error);
    assert_true(detail.backward >= 0 && detail.backward <= error);
    for (uint64_t t = 0; t < got.triangle_count; ++t) {
        double corner[3][3];
        for (int c = 0; c < 3; ++c)
            memcpy(corner[c], got.positions + 3 * got.corners[3 * t + c], sizeof corner[c]);
        triangles_add(out, (const double(*)[3])corner);
    }
    record_free(&got);
    return detail;
}

void coarse_level(graze_model *model, uint32_t level, triangles *out)
{
    gz_group_loader loader;
    const gz_level_entry *entry = &model->levels[level];
    gz_cache_reservation *reservation = gz_cache_reserve(model->cache);
    assert_non_null(reservation);
    gz_group_loader_init(model, &loader);
    for (uint32_t i = 0; i < entry->cluster_count; ++i) {
        gz_surface s;
        assert_int_equal(gz_group_load_cluster(&loader, reservation, entry->first_cluster + i, &s),
                         GRAZE_OK);
        for (uint32_t t = 0; t < s.triangle_count; ++t) {
            double corner[3][3];
            for (int c = 0; c < 3; ++c)
                memcpy(corner[c], s.position[s.corner[t][c]], sizeof corner[c]);
            triangles_add(out, (const double(*)[3])corner);
        }
    }
    gz_group_loader_free(&loader);
    gz_cache_release(reservation);
}

typedef struct welded_edge {
    double end[2][3]; // the lower one first
} welded_edge;

static int by_position(const void *a, const void *b) { return memcmp(a, b, sizeof(double[3])); }
static int by_bytes(const void *a, const void *b) { return memcmp(a, b, sizeof(welded_edge)); }

uint64_t triangles_open_edges(const triangles *t)
{
    welded_edge *edges = test_malloc((3 * t->count + 1) * sizeof *edges);
    uint64_t count = 0, open = 0;
    for (uint64_t i = 0; i < 3 * t->count; ++i) {
        welded_edge *e = &edges[count];
        for (int axis = 0; axis < 3; ++axis) {
            e->end[0][axis] = t->corner[i / 3][i % 3][axis] + 0.0;
            e->end[1][axis] = t->corner[i / 3][(i + 1) % 3][axis] + 0.0;
        }
        int order = by_position(e->end[0], e->end[1]);
        if (order > 0) {
            double other[3];
            memcpy(other, e->end[0], sizeof other);
            memcpy(e->end[0], e->end[1], sizeof other);
            memcpy(e->end[1], other, sizeof other);
        }
        count += order != 0; // edges without a length are none
    }
    qsort(edges, count, sizeof *edges, by_bytes);
    for (uint64_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && by_bytes(&edges[i], &edges[end]) == 0; ++end)
            continue;
        open += (end - i) % 2;
    }
    test_free(edges);
    return open;
}

// Longer numbers than elsewhere: the plane of a needle is not well known otherwise.
typedef long double real;

static real dot(const real a[3], const real b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void minus(const double a[3], const double b[3], real out[3])
{
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = (real)a[axis] - (real)b[axis];
}

static void cross(const real a[3], const real b[3], real out[3])
{
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = a[(axis + 1) % 3] * b[(axis + 2) % 3] - a[(axis + 2) % 3] * b[(axis + 1) % 3];
}

static real segment_distance(const double a[3], const double b[3], const double p[3])
{
    real along[3], to[3], off[3];
    minus(b, a, along);
    minus(p, a, to);
    real length = dot(along, along);
    real t = length > 0 ? fminl(1, fmaxl(0, dot(to, along) / length)) : 0;
    for (int axis = 0; axis < 3; ++axis)
        off[axis] = to[axis] - t * along[axis];
    return sqrtl(dot(off, off));
}

// The nearest point is on an edge, or inside and straight below.
static double triangle_distance(const double t[3][3], const double p[3])
{
    real ab[3], ac[3], normal[3], to[3] = {0}, side[3], edge[3];
    real best = HUGE_VALL;
    for (int c = 0; c < 3; ++c)
        best = fminl(best, segment_distance(t[c], t[(c + 1) % 3], p));
    minus(t[1], t[0], ab);
    minus(t[2], t[0], ac);
    cross(ab, ac, normal);
    real length = sqrtl(dot(normal, normal));
    for (int c = 0; c < 3 && length > 0; ++c) {
        minus(t[(c + 1) % 3], t[c], edge);
        minus(p, t[c], to);
        cross(edge, to, side);
        if (!(dot(side, normal) > 0))
            return (double)best;
    }
    return (double)(length > 0 ? fminl(best, fabsl(dot(to, normal)) / length) : best);
}

// Not farther than the triangle.
static double box_distance(const double t[3][3], const double p[3])
{
    double most = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double low = fmin(t[0][axis], fmin(t[1][axis], t[2][axis]));
        double high = fmax(t[0][axis], fmax(t[1][axis], t[2][axis]));
        most = fmax(most, fmax(low - p[axis], p[axis] - high));
    }
    return most;
}

double triangles_distance(const triangles *to, const double point[3])
{
    double best = HUGE_VAL;
    for (uint64_t t = 0; t < to->count; ++t) {
        const double(*corner)[3] = (const double(*)[3])to->corner[t];
        if (box_distance(corner, point) < best)
            best = fmin(best, triangle_distance(corner, point));
    }
    return best;
}

// Begins where the last one was found: the next sample is near.
static bool is_within(const triangles *to, const double point[3], double bound, uint64_t *hint)
{
    for (uint64_t i = 0; i < to->count; ++i) {
        uint64_t t = *hint + i < to->count ? *hint + i : *hint + i - to->count;
        const double(*corner)[3] = (const double(*)[3])to->corner[t];
        if (box_distance(corner, point) <= bound && triangle_distance(corner, point) <= bound) {
            *hint = t;
            return true;
        }
    }
    return false;
}

static void mix(const double t[3][3], const double weight[3], double out[3])
{
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = weight[0] * t[0][axis] + weight[1] * t[1][axis] + weight[2] * t[2][axis];
}

bool triangles_beyond(const triangles *from, const triangles *to, double bound, uint32_t random,
                      double point[3])
{
    static const double fixed[6][3] = {{1, 0, 0},       {0, 1, 0},     {0, 0, 1},
                                       {0.5, 0.5, 0.0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}};
    test_random state = {.state = from->count};
    double extent = 0;
    uint64_t hint = 0;
    for (uint64_t i = 0; i < 9 * from->count; ++i)
        extent = fmax(extent, fabs(from->corner[i / 9][i / 3 % 3][i % 3]));
    double allowed = bound + 1e-12 * extent;
    for (uint64_t t = 0; t < from->count; ++t)
        for (uint32_t k = 0; k < 6 + random; ++k) {
            double u = test_unit(&state), v = test_unit(&state);
            double any[3] = {u + v > 1 ? 1 - u : u, u + v > 1 ? 1 - v : v, 0};
            any[2] = 1 - any[0] - any[1];
            mix((const double(*)[3])from->corner[t], k < 6 ? fixed[k] : any, point);
            if (!is_within(to, point, allowed, &hint))
                return true;
        }
    return false;
}
