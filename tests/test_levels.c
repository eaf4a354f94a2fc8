// Levels of detail: closed meshes stay closed at every error, bounds hold for samples of all sorts
// of meshes, levels get coarser to the last one, and lists that lie are refused or harmless.
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/context.h"
#include "base/knobs.h"
#include "coarse.h"
#include "model/group_box.h"
#include "model/model_file.h"

static const double nowhere[3] = {0, 0, 0};

static graze_context *small_context(uint32_t threads, uint32_t cluster_limit)
{
    graze_context_def def = graze_context_def_default();
    def.thread_count = threads;
    graze_context *context = test_context(&def);
    gz_knobs_for(context)->cluster_limit = cluster_limit;
    return context;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

// Errors at which a front changes: those of steps of groups, just below and just above, spread over
// all of them; 0 and infinity. Returns how many.
enum { MOST_ERRORS = 64 };
static uint32_t choose_errors(const graze_model *model, uint32_t wanted, double out[MOST_ERRORS])
{
    uint64_t count = 0;
    double *all =
        test_malloc((model->header.group_count * (uint64_t)GZ_GROUP_STEPS + 1) * sizeof *all);
    for (uint32_t g = 0; g < model->header.group_count; ++g)
        for (uint32_t i = 0; i < model->groups[g].step_count; ++i) {
            gz_group_step step = model->groups[g].steps[i];
            all[count++] = (double)fmaxf(step.forward, step.backward);
        }
    qsort(all, count, sizeof *all, by_value);
    uint32_t chosen = 0;
    out[chosen++] = 0;
    for (uint32_t i = 0; i < wanted && count != 0; ++i) {
        double error = all[(count - 1) * i / (wanted > 1 ? wanted - 1 : 1)];
        out[chosen++] = i % 3 == 0 ? nextafter(error, 0) : error;
    }
    out[chosen++] = HUGE_VAL;
    test_free(all);
    return chosen;
}

// A cube whose walls are there twice, and zeros have any sign.
static void add_doubled_cube(triangles *t)
{
    test_random random = {.state = 3};
    triangles_add_shape(t, "box", 600, 2, nowhere);
    for (uint64_t i = 0, count = t->count; i < count; ++i) {
        double again[3][3];
        memcpy(again, t->corner[i], sizeof again);
        triangles_add(t, (const double(*)[3])again);
    }
    for (uint64_t i = 0; i < 9 * t->count; ++i) {
        double *x = &t->corner[i / 9][i / 3 % 3][i % 3];
        if (*x == 0 && test_next(&random) % 2 == 0)
            *x = -*x;
    }
}

static void make_closed(int kind, triangles *t)
{
    static const double aside[3] = {0.1, 0, 0};
    static const char *const kinds[] = {"sphere", "torus", "knot", "gear"};
    if (kind < 4)
        triangles_add_shape(t, kinds[kind], 2000, 1, nowhere);
    else if (kind == 4)
        add_doubled_cube(t);
    else if (kind == 5) { // one in the other
        triangles_add_shape(t, "sphere", 1200, 1, nowhere);
        triangles_add_shape(t, "torus", 1000, 0.5, aside);
    } else if (kind == 6) { // many parts
        triangles_add_shape(t, "plates", 2000, 1, nowhere);
    } else { // corners and edges in common: four triangles have some
        static const double step[3] = {1, 1, 0};
        triangles_add_shape(t, "box", 800, 1, nowhere);
        triangles_add_shape(t, "box", 800, 1, step);
    }
}

static void check_closed(graze_model *model, int kind)
{
    double errors[MOST_ERRORS];
    uint64_t before = UINT64_MAX;
    uint32_t count = choose_errors(model, 16, errors);
    qsort(errors, count, sizeof *errors, by_value);
    for (uint32_t i = 0; i < count; ++i) {
        triangles coarse = {0};
        coarse_stream(model, errors[i], &coarse);
        uint64_t open = triangles_open_edges(&coarse);
        if (open != 0)
            fail_msg("mesh %d, error %.17g: %d open edges", kind, errors[i], (int)open);
        assert_true(coarse.count <= before); // more error, fewer triangles
        before = coarse.count;
        triangles_free(&coarse);
    }
    assert_true(before < graze_model_get_info(model).triangle_count / 8);
    for (uint32_t level = 0; level < graze_model_level_count(model); ++level) {
        triangles coarse = {0};
        coarse_level(model, level, &coarse);
        assert_int_equal(triangles_open_edges(&coarse), 0);
        triangles_free(&coarse);
    }
}

static void no_cracks(void **state)
{
    (void)state;
    test_of_one_thread();
    for (int kind = 0; kind < 8; ++kind) {
        triangles t = {0};
        make_closed(kind, &t);
        assert_int_equal(triangles_open_edges(&t), 0);
        graze_context *context = small_context(1, kind % 3 == 0 ? 24 : 8);
        graze_model *model =
            triangles_model(context, &t, kind % 2 == 0 ? GRAZE_FLOAT32 : GRAZE_FLOAT64, NULL);
        assert_true(graze_model_level_count(model) >= 3);
        check_closed(model, kind);
        graze_model_free(model);
        test_context_done(context);
        triangles_free(&t);
    }
}

// A flat sheet with needles, thinner than any sampling would see.
static void add_spikes(triangles *t)
{
    test_random random = {.state = 11};
    triangles_add_shape(t, "grid", 600, 1, nowhere);
    for (int i = 0; i < 40; ++i) {
        double x = test_unit(&random) - 0.5, y = test_unit(&random) - 0.5, z = test_unit(&random);
        double corner[3][3] = {{x, y, 0}, {x + 1e-9, y, 0}, {x, y, z}};
        triangles_add(t, (const double(*)[3])corner);
    }
}

static void add_random(triangles *t, int count, double size, const double move[3], uint64_t seed)
{
    test_random random = {.state = seed};
    for (int i = 0; i < count; ++i) {
        double corner[3][3], middle[3];
        for (int axis = 0; axis < 3; ++axis)
            middle[axis] = test_unit(&random);
        for (int k = 0; k < 9; ++k)
            corner[k / 3][k % 3] = move[k % 3] + size * (middle[k % 3] + 0.2 * test_unit(&random));
        triangles_add(t, (const double(*)[3])corner);
    }
}

// Points, segments, and triangles that are there several times.
static void add_degenerate(triangles *t)
{
    add_random(t, 200, 1, nowhere, 5);
    for (uint64_t i = 0; i < 200; ++i) {
        double corner[3][3];
        memcpy(corner, t->corner[i], sizeof corner);
        if (i % 4 == 1)
            memcpy(corner[1], corner[0], sizeof corner[0]);
        if (i % 4 == 2)
            memcpy(corner[2], corner[0], sizeof corner[0]);
        if (i % 8 == 1)
            memcpy(corner[2], corner[0], sizeof corner[0]);
        for (int k = 0; i % 4 == 3 && k < 3; ++k) // on a line
            corner[2][k] = 2 * corner[1][k] - corner[0][k];
        triangles_add(t, (const double(*)[3])corner);
    }
}

enum { BOUND_MESHES = 11 };
static void make_any(int kind, triangles *t)
{
    static const double far_away[3] = {5e6, -3e6, 1e6}, beside[3] = {3, 0, 0};
    switch (kind) {
    case 0: triangles_add_shape(t, "sphere", 1500, 1, nowhere); break;
    case 1: triangles_add_shape(t, "terrain", 1500, 1, nowhere); break;
    case 2: triangles_add_shape(t, "knot", 1500, 1, nowhere); break;
    case 3: triangles_add_shape(t, "plates", 1000, 1, nowhere); break;
    case 4: add_random(t, 500, 1, nowhere, 1); break;
    case 5: add_spikes(t); break;
    case 6: add_degenerate(t); break;
    case 7: // huge beside tiny
        add_random(t, 250, 1000, nowhere, 2);
        triangles_add_shape(t, "sphere", 500, 1e-3, beside);
        break;
    case 8: triangles_add_shape(t, "terrain", 1000, 100, far_away); break;
    case 9: triangles_add_shape(t, "needles", 300, 1, nowhere); break;
    default: triangles_add_shape(t, "torus", 1500, 1e-30, nowhere); break;
    }
}

static void check_within(const triangles *from, const triangles *to, double bound, int kind,
                         double error, const char *way)
{
    double point[3];
    if (triangles_beyond(from, to, bound, 5, point))
        fail_msg("mesh %d, error %.17g: %s: a point is %.17g away, not within %.17g", kind, error,
                 way, triangles_distance(to, point), bound);
}

static void check_front(graze_model *model, const triangles *t, double error, int kind)
{
    triangles coarse = {0};
    graze_model_detail detail = coarse_stream(model, error, &coarse);
    assert_true(coarse.count != 0);
    check_within(t, &coarse, detail.forward, kind, error, "forward");
    check_within(&coarse, t, detail.backward, kind, error, "backward");
    triangles_free(&coarse);
}

static void check_one_level(graze_model *model, const triangles *t, uint32_t level, int kind)
{
    triangles coarse = {0};
    graze_model_level about = graze_model_get_level(model, level);
    coarse_level(model, level, &coarse);
    assert_int_equal(coarse.count, about.triangle_count);
    assert_int_equal(about.cluster_count, model->levels[level].cluster_count);
    check_within(t, &coarse, about.forward, kind, -1.0 - level, "level, forward");
    check_within(&coarse, t, about.backward, kind, -1.0 - level, "level, backward");
    triangles_free(&coarse);
}

// Every original point is in a box of every level that has groups; and no point of a box is farther
// from the surface than it says.
static void check_boxes(const graze_model *model, const triangles *t, uint32_t level, int kind)
{
    const gz_level_entry *about = &model->levels[level];
    const gz_group_entry *groups = model->groups + about->first_group;
    test_random random = {.state = 17 + level};
    double origin[3], point[3];
    gz_model_origin(&model->header, origin);
    for (uint64_t i = 0; i < 6 * t->count && about->group_count != 0; ++i) {
        const double *a = t->corner[i / 6][i % 3], *b = t->corner[i / 6][(i + 1) % 3];
        bool held = false;
        for (int k = 0; k < 3; ++k)
            point[k] = i % 6 < 3 ? a[k] : 0.5 * a[k] + 0.5 * b[k];
        for (uint32_t g = 0; g < about->group_count && !held; ++g)
            held = gz_group_box_contains(&groups[g].box, origin, point);
        if (!held)
            fail_msg("mesh %d, level %u: a point is in no box", kind, level);
    }
    for (uint32_t g = 0; g < about->group_count; ++g)
        for (int n = 0; n < 12; ++n) {
            graze_obb box = gz_group_box_obb(&groups[g].box);
            for (int k = 0; k < 3; ++k)
                point[k] = origin[k] + box.center[k];
            for (int i = 0; i < 3; ++i) {
                double side = n < 8 ? (n >> i & 1) * 2 - 1 : test_unit(&random) * 2 - 1;
                for (int k = 0; k < 3; ++k)
                    point[k] += box.axis[i][k] * box.half[i] * side;
            }
            double reach = (double)groups[g].box.reach;
            if (triangles_distance(t, point) > reach * (1 + 1e-9) + 1e-300)
                fail_msg("mesh %d, level %u, group %u: a point of its box is beyond its reach",
                         kind, level, g);
        }
}

static void bounds_hold(void **state)
{
    (void)state;
    test_of_one_thread();
    for (int kind = 0; kind < BOUND_MESHES; ++kind) {
        triangles t = {0};
        make_any(kind, &t);
        bool narrow = kind < 4;
        graze_context *context = small_context(1, kind % 2 == 0 ? 8 : 16);
        graze_model *model =
            triangles_model(context, &t, narrow ? GRAZE_FLOAT32 : GRAZE_FLOAT64, NULL);
        double errors[MOST_ERRORS];
        uint32_t count = choose_errors(model, TEST_SANITIZED ? 2 : 7, errors);
        for (uint32_t i = 0; i < count; ++i)
            check_front(model, &t, errors[i], kind);
        for (uint32_t level = 0; level < graze_model_level_count(model); ++level) {
            check_one_level(model, &t, level, kind);
            check_boxes(model, &t, level, kind);
        }
        graze_model_free(model);
        test_context_done(context);
        triangles_free(&t);
    }
}

// Each level has about half of the triangles, and the last one is a cluster.
static void levels_halve(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        uint64_t count;
        double most; // of the triangles of the level before
    } rows[] = {{"sphere", 8000, 0.6},
                {"terrain", 8000, 0.6},
                {"knot", 5000, 0.6},
                {"plates", 4000, 0.6},
                {"soup", 1500, 0.6}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i += TEST_SANITIZED ? 2 : 1) {
        triangles t = {0};
        triangles_add_shape(&t, rows[i].kind, rows[i].count, 1, nowhere);
        graze_context *context = small_context(2, 64);
        graze_model *model = triangles_model(context, &t, GRAZE_FLOAT32, NULL);
        uint32_t count = graze_model_level_count(model);
        assert_true(count >= 4);
        graze_model_level before = graze_model_get_level(model, 0);
        assert_int_equal(before.triangle_count, t.count);
        assert_true(before.forward == 0 && before.backward == 0);
        for (uint32_t level = 1; level < count; ++level) {
            graze_model_level now = graze_model_get_level(model, level);
            if ((double)now.triangle_count > rows[i].most * (double)before.triangle_count)
                fail_msg("%s: level %d has %d triangles, the one before %d", rows[i].kind,
                         (int)level, (int)now.triangle_count, (int)before.triangle_count);
            assert_true(now.forward >= before.forward && now.backward >= before.backward);
            before = now;
        }
        assert_int_equal(before.cluster_count, 1);
        graze_model_level none = graze_model_get_level(model, count);
        assert_true(none.triangle_count == 0 && none.cluster_count == 0);
        graze_model_free(model);
        test_context_done(context);
        triangles_free(&t);
    }
}

// Hairs and dots far from all else, triangles with two equal corners or three, are there as long as
// they are few. Nothing near them stays finer for that.
static void hairs_hold_nothing_up(void **state)
{
    (void)state;
    uint64_t counts[2];
    for (int hairs = 0; hairs < 2; ++hairs) {
        triangles t = {0}, coarse = {0};
        test_random random = {.state = 4};
        triangles_add_shape(&t, "sphere", 8000, 1, nowhere);
        for (int i = 0; i < 9 * hairs; ++i) {
            double corner[3][3];
            for (int k = 0; k < 3; ++k) {
                corner[0][k] = corner[2][k] = 2 * test_unit(&random) - 1;
                corner[1][k] = i < 3 ? corner[0][k] : 2 * test_unit(&random) - 1;
            }
            triangles_add(&t, (const double(*)[3])corner);
        }
        graze_context *context = small_context(1, 64);
        graze_model *model = triangles_model(context, &t, GRAZE_FLOAT64, NULL);
        check_front(model, &t, 0.01, 200 + hairs);
        coarse_stream(model, 0.01, &coarse);
        counts[hairs] = coarse.count;
        triangles_free(&coarse);
        graze_model_free(model);
        test_context_done(context);
        triangles_free(&t);
    }
    if (counts[1] > counts[0] + counts[0] / 4 + 9)
        fail_msg("%d triangles with hairs, and %d without", (int)counts[1], (int)counts[0]);
}

static int by_triangle(const void *a, const void *b) { return memcmp(a, b, sizeof(double[3][3])); }

// The same triangles, bit for bit but for zeros, in any order and beginning with any corner.
static void check_original(const triangles *t, const triangles *coarse)
{
    triangles lists[2] = {{0}, {0}};
    assert_int_equal(t->count, coarse->count);
    for (int k = 0; k < 2; ++k) {
        const triangles *from = k == 0 ? t : coarse;
        for (uint64_t i = 0; i < from->count; ++i) {
            double best[3][3], turned[3][3];
            for (int turn = 0; turn < 3; ++turn) {
                for (int c = 0; c < 9; ++c)
                    turned[c / 3][c % 3] = from->corner[i][(c / 3 + turn) % 3][c % 3] + 0.0;
                if (turn == 0 || by_triangle(turned, best) < 0)
                    memcpy(best, turned, sizeof best);
            }
            triangles_add(&lists[k], (const double(*)[3])best);
        }
        if (lists[k].count != 0)
            qsort(lists[k].corner, lists[k].count, sizeof *lists[k].corner, by_triangle);
    }
    for (uint64_t i = 0; i < t->count; ++i)
        assert_int_equal(by_triangle(lists[0].corner[i], lists[1].corner[i]), 0);
    triangles_free(&lists[0]);
    triangles_free(&lists[1]);
}

static void models_without_levels(void **state)
{
    (void)state;
    test_of_one_thread();
    static const double errors[] = {0, 0.1, HUGE_VAL};
    graze_context *context = small_context(1, 16);
    graze_model_build_def def = graze_model_build_def_default();
    def.no_levels = 1;
    triangles t = {0};
    triangles_add_shape(&t, "torus", 500, 1, nowhere);
    graze_model *model = triangles_model(context, &t, GRAZE_FLOAT32, &def);
    assert_int_equal(graze_model_level_count(model), 1);
    assert_int_equal(graze_model_get_info(model).page_count,
                     graze_model_get_info(model).cluster_count);
    assert_int_equal(graze_model_check(model, NULL), GRAZE_OK);
    for (size_t i = 0; i < 3; ++i) {
        triangles coarse = {0};
        graze_model_detail detail = coarse_stream(model, errors[i], &coarse);
        assert_true(detail.forward == 0 && detail.backward == 0);
        check_original(&t, &coarse);
        triangles_free(&coarse);
    }
    graze_model_free(model);
    triangles_free(&t);
    test_context_done(context);
}

// Where nothing is flat, an error of 0 leaves all as it is; what is flat goes, and stays flat.
static void no_error(void **state)
{
    (void)state;
    test_of_one_thread();
    graze_context *context = small_context(1, 16);
    triangles t = {0}, coarse = {0};
    triangles_add_shape(&t, "sphere", 1000, 1, nowhere);
    graze_model *model = triangles_model(context, &t, GRAZE_FLOAT32, NULL);
    graze_model_detail detail = coarse_stream(model, 0, &coarse);
    assert_true(detail.forward == 0 && detail.backward == 0);
    check_original(&t, &coarse);
    graze_model_free(model);
    triangles_free(&t);
    triangles_free(&coarse);
    triangles_add_shape(&t, "grid", 1000, 1, nowhere);
    model = triangles_model(context, &t, GRAZE_FLOAT32, NULL);
    detail = coarse_stream(model, 0, &coarse);
    assert_true(detail.forward == 0 && detail.backward == 0);
    double point[3];
    assert_false(triangles_beyond(&t, &coarse, 0, 4, point));
    assert_false(triangles_beyond(&coarse, &t, 0, 4, point));
    graze_model_free(model);
    triangles_free(&t);
    triangles_free(&coarse);
    test_context_done(context);
}

static void bad_arguments(void **state)
{
    (void)state;
    test_of_one_thread();
    static const double bad[] = {-1, -1e-300, -HUGE_VAL};
    graze_context *context = small_context(1, 16);
    triangles t = {0};
    triangles_add_shape(&t, "torus", 200, 1, nowhere);
    graze_model *model = triangles_model(context, &t, GRAZE_FLOAT32, NULL);
    graze_mesh_sink sink = {0};
    for (int i = 0; i < 4; ++i) {
        double error = i < 3 ? bad[i] : (double)NAN;
        test_last_error[0] = '\0';
        assert_int_equal(graze_model_stream_coarse(model, error, &sink, NULL),
                         GRAZE_ERROR_ARGUMENT);
        assert_non_null(strstr(test_last_error, "is a number from 0 up"));
    }
    assert_int_equal(graze_model_stream_coarse(NULL, 0, &sink, NULL), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_model_stream_coarse(model, 0, NULL, NULL), GRAZE_ERROR_ARGUMENT);
    graze_model_detail detail;
    assert_int_equal(graze_model_stream_coarse(model, -0.0, &sink, &detail), GRAZE_OK);
    assert_int_equal(detail.triangle_count, t.count); // a sink that takes nothing
    graze_model_free(model);
    triangles_free(&t);
    test_context_done(context);
}

// --- Cuts of answers

// A cut as it comes: its triangles, and the level that each was told to be of.
typedef struct cut_record {
    triangles all;
    uint8_t *levels;
    double (*points)[3];
    uint64_t count, first; // vertices of this cluster, and before it
    uint32_t level;
    bool narrow;
} cut_record;

static graze_status cut_begins(void *user, const graze_mesh_header *header)
{
    ((cut_record *)user)->narrow = header->precision == GRAZE_FLOAT32;
    return GRAZE_OK;
}

static graze_status cut_level(void *user, uint32_t level)
{
    cut_record *r = user;
    r->first += r->count;
    r->count = 0;
    r->level = level;
    return GRAZE_OK;
}

static graze_status cut_vertices(void *user, const void *positions, uint64_t count)
{
    cut_record *r = user;
    r->points = realloc(r->points, (r->count + count + 1) * sizeof *r->points);
    assert_non_null(r->points);
    for (uint64_t i = 0; i < 3 * count; ++i)
        r->points[r->count + i / 3][i % 3] =
            r->narrow ? (double)((const float *)positions)[i] : ((const double *)positions)[i];
    r->count += count;
    return GRAZE_OK;
}

static graze_status cut_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    cut_record *r = user;
    r->levels = realloc(r->levels, r->all.count + count + 1);
    assert_non_null(r->levels);
    for (uint64_t t = 0; t < count; ++t) {
        double corner[3][3];
        for (int c = 0; c < 3; ++c) {
            uint64_t vertex = corners[3 * t + (uint64_t)c];
            assert_true(vertex >= r->first && vertex - r->first < r->count); // of this cluster
            memcpy(corner[c], r->points[vertex - r->first], sizeof corner[c]);
        }
        r->levels[r->all.count] = (uint8_t)r->level;
        triangles_add(&r->all, (const double(*)[3])corner);
    }
    return GRAZE_OK;
}

static void record_cut(graze_model *model, double error, int alone, cut_record *r)
{
    graze_mesh_sink sink = {
        .user = r, .begin = cut_begins, .vertices = cut_vertices, .triangles = cut_triangles};
    graze_model_cut_def def = graze_model_cut_def_default();
    graze_model_detail detail;
    *r = (cut_record){.level = UINT32_MAX};
    def.error = error;
    def.alone = alone;
    def.level = cut_level;
    assert_int_equal(graze_model_stream_cut(model, &def, &sink, &detail), GRAZE_OK);
    assert_int_equal(detail.triangle_count, r->all.count);
    assert_true(detail.forward + detail.backward <= (alone ? error : error / 2));
}

static void free_cut(cut_record *r)
{
    triangles_free(&r->all);
    free(r->levels);
    free(r->points);
}

static int by_corners(const void *a, const void *b) { return memcmp(a, b, sizeof(double[3][3])); }

// How many triangles of a cut are not of the level that they were said to be of.
static uint64_t count_strays(graze_model *model, const cut_record *r)
{
    uint64_t strays = 0;
    for (uint32_t level = 0; level < graze_model_level_count(model); ++level) {
        triangles whole = {0};
        coarse_level(model, level, &whole);
        qsort(whole.corner, whole.count, sizeof *whole.corner, by_corners);
        for (uint64_t t = 0; t < r->all.count; ++t)
            strays += r->levels[t] == level && bsearch(r->all.corner[t], whole.corner, whole.count,
                                                       sizeof *whole.corner, by_corners) == NULL;
        triangles_free(&whole);
    }
    return strays;
}

// Answers count the triangles of this cut, and contacts are on it.
static void check_answer(graze_context *context, graze_model *model, const cut_record *r,
                         double error)
{
    graze_shape *shape = NULL;
    graze_query *query = NULL;
    graze_collide_def def = graze_collide_def_default();
    graze_answer answer;
    graze_pose pose = graze_pose_identity();
    pose.translation[0] = 0.5;
    def.error = error;
    def.collect = GRAZE_COLLECT_CONTACTS;
    assert_int_equal(graze_shape_from_model(model, &shape), GRAZE_OK);
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    assert_int_equal(
        graze_query_collide(query, graze_at(shape, NULL), graze_at(shape, &pose), &def, &answer),
        GRAZE_OK);
    assert_true(answer.pair_count > 0 && answer.cut_a == r->all.count);
    for (uint64_t i = 0; i < answer.pair_count; i += 1 + answer.pair_count / 50) {
        const graze_contact *contact = &answer.contacts[i];
        assert_true(contact->pair.a < r->all.count);
        if (contact->depth >= 0) // they share points, which are on both
            assert_true(triangles_distance(&r->all, contact->point_a) < 1e-9);
    }
    graze_query_free(query);
    graze_shape_free(shape);
}

static void levels_of_a_cut(void **state)
{
    (void)state;
    test_of_one_thread();
    graze_context *context = small_context(1, 16);
    triangles t = {0};
    uint32_t seen = 0;
    triangles_add_shape(&t, "torus", 3000, 1, nowhere);
    triangles_add_shape(&t, "box", 600, 0.5, nowhere); // flat: coarser than the torus
    graze_model *model = triangles_model(context, &t, GRAZE_FLOAT64, NULL);
    for (double error = 0; error < 1; error = error == 0 ? 0.002 : 3 * error)
        for (int alone = 0; alone < 2; ++alone) {
            cut_record r;
            record_cut(model, error, alone, &r);
            assert_int_equal(count_strays(model, &r), 0);
            uint32_t some = 0;
            for (uint64_t i = 0; i < r.all.count; ++i)
                some |= 1u << r.levels[i];
            assert_true(r.all.count == 0 || some < 1u << graze_model_level_count(model));
            if (error == 0)
                check_original(&t, &r.all);
            else if (alone == 0)
                check_answer(context, model, &r, error);
            seen |= some;
            free_cut(&r);
        }
    assert_true((seen & (seen - 1)) != 0 && (seen & 1) != 0); // several levels
    graze_model_free(model);
    triangles_free(&t);
    test_context_done(context);
}

static void bad_cuts(void **state)
{
    (void)state;
    test_of_one_thread();
    graze_context *context = small_context(1, 16);
    triangles t = {0};
    triangles_add_shape(&t, "torus", 200, 1, nowhere);
    graze_model *model = triangles_model(context, &t, GRAZE_FLOAT32, NULL);
    graze_mesh_sink sink = {0};
    graze_model_cut_def def = graze_model_cut_def_default();
    graze_model_detail detail;
    assert_int_equal(graze_model_stream_cut(model, NULL, &sink, &detail), GRAZE_OK);
    assert_int_equal(detail.triangle_count, t.count); // a sink that takes nothing
    assert_int_equal(graze_model_stream_cut(NULL, &def, &sink, NULL), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_model_stream_cut(model, &def, NULL, NULL), GRAZE_ERROR_ARGUMENT);
    for (int i = 0; i < 2; ++i) {
        def.error = i == 0 ? -1e-300 : (double)NAN;
        assert_int_equal(graze_model_stream_cut(model, &def, &sink, NULL), GRAZE_ERROR_ARGUMENT);
    }
    def = (graze_model_cut_def){0};
    assert_int_equal(graze_model_stream_cut(model, &def, &sink, NULL), GRAZE_ERROR_ARGUMENT);
    assert_non_null(strstr(test_last_error, "struct_size is not set"));
    def.struct_size = sizeof def + 8;
    assert_int_equal(graze_model_stream_cut(model, &def, &sink, NULL), GRAZE_ERROR_ARGUMENT);
    graze_model_free(model);
    triangles_free(&t);
    test_context_done(context);
}

// Nothing, one triangle, and those that are points or segments only.
static void next_to_nothing(void **state)
{
    (void)state;
    test_of_one_thread();
    static const double errors[] = {0, 1e-3, HUGE_VAL};
    graze_context *context = small_context(1, 8);
    for (int kind = 0; kind < 5; ++kind) {
        triangles t = {0};
        uint64_t count = kind == 0 ? 0 : kind == 1 ? 1 : 300;
        test_random random = {.state = 17};
        for (uint64_t i = 0; i < count; ++i) {
            double corner[3][3], x = test_unit(&random), y = test_unit(&random);
            for (int k = 0; k < 9; ++k)
                corner[k / 3][k % 3] = kind == 1   ? (double)(k % 4)
                                       : kind == 2 ? x * (k % 3 + 1)           // points
                                       : kind == 3 ? (k / 3 == 0 ? x : y)      // segments
                                                   : (double)(k / 3 == k % 3); // all the same one
            triangles_add(&t, (const double(*)[3])corner);
        }
        graze_model *model = triangles_model(context, &t, GRAZE_FLOAT64, NULL);
        assert_int_equal(graze_model_check(model, NULL), GRAZE_OK);
        assert_int_equal(graze_model_level_count(model) == 0, count == 0);
        for (size_t i = 0; i < 3 && count != 0; ++i)
            check_front(model, &t, errors[i], 100 + kind);
        if (count == 0) {
            triangles coarse = {0};
            graze_model_detail detail = coarse_stream(model, 1, &coarse);
            assert_true(detail.triangle_count == 0 && detail.forward == 0 && detail.backward == 0);
        }
        graze_model_free(model);
        triangles_free(&t);
    }
    test_context_done(context);
}

static uint8_t *build_bytes(uint32_t threads, uint64_t memory_bytes, const char *kind,
                            uint64_t *byte_count)
{
    char mesh[MODEL_PATH_BYTES], path[MODEL_PATH_BYTES];
    graze_context *context = small_context(threads, 16);
    graze_model_build_def def = graze_model_build_def_default();
    def.memory_bytes = memory_bytes;
    models_make(kind, 1500, GRAZE_FLOAT32, models_path(mesh, "same.ply"));
    assert_int_equal(graze_model_build(context, mesh, models_path(path, "same.graze"), &def),
                     GRAZE_OK);
    uint8_t *bytes = models_read_file(path, byte_count);
    unlink(mesh);
    unlink(path);
    test_context_done(context);
    return bytes;
}

static void the_same_bytes(void **state)
{
    (void)state;
    static const char *const kinds[] = {"knot", "soup"};
    for (size_t k = 0; k < 2; ++k) {
        uint64_t want_count, count;
        uint8_t *want = build_bytes(1, 0, kinds[k], &want_count);
        const uint32_t fewest = TEST_SANITIZED ? 2 : 1, most = TEST_SANITIZED ? 3 : 4;
        for (uint32_t threads = fewest; threads <= most; ++threads) {
            uint64_t memory = threads % 2 == 0 ? GRAZE_MODEL_LEAST_MEMORY : UINT64_C(1) << 30;
            uint8_t *bytes = build_bytes(threads, memory, kinds[k], &count);
            assert_int_equal(count, want_count);
            assert_memory_equal(bytes, want, count);
            test_free(bytes);
        }
        test_free(want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_cracks),
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(levels_halve),
        cmocka_unit_test(hairs_hold_nothing_up),
        cmocka_unit_test(models_without_levels),
        cmocka_unit_test(no_error),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(levels_of_a_cut),
        cmocka_unit_test(bad_cuts),
        cmocka_unit_test(next_to_nothing),
        cmocka_unit_test(the_same_bytes),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
