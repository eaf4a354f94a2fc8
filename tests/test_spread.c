// Pages of coarse clusters: they have the recipes of their trees, and a bound for each leaf.
// Whatever the error, each point of the original surface is within the bound of some leaf of the
// LOD cut: by brute force, for scans with relief, shapes as in CAD, soups and nasty meshes.
#include "test.h"

#include <math.h>

#include "base/context.h"
#include "base/knobs.h"
#include "coarse.h"
#include "model/model_file.h"

static const double nowhere[3] = {0, 0, 0};

static graze_context *small_context(uint32_t cluster_limit)
{
    graze_context_def def = graze_context_def_default();
    def.thread_count = 1;
    graze_context *context = test_context(&def);
    gz_knobs_for(context)->cluster_limit = cluster_limit;
    return context;
}

static void read_cluster(graze_model *model, uint32_t number, gz_cluster *out)
{
    gz_page_reader reader;
    gz_byte_list page = {0};
    assert_true(gz_page_reader_init(model->context, &reader));
    assert_int_equal(gz_model_read_cluster(model, number, NULL, &reader, &page, out), GRAZE_OK);
    gz_page_reader_free(&reader);
    gz_list_free(model->context, &page);
}

static void coarse_pages_have_recipes(void **state)
{
    (void)state;
    triangles t = {0};
    triangles_add_shape(&t, "knot", 4000, 1, nowhere);
    graze_context *context = small_context(40);
    graze_model *model = triangles_model(context, &t, GRAZE_FLOAT32, NULL);
    gz_cluster *cluster = test_malloc(sizeof *cluster);
    assert_true(model->header.coarse_count != 0);
    for (uint32_t c = 0; c < model->header.cluster_count + model->header.coarse_count; ++c) {
        gz_tree built, made;
        read_cluster(model, c, cluster);
        assert_true(cluster->step_count != 0);
        assert_int_equal(gz_cluster_make_tree(context, cluster, &made), GRAZE_OK);
        cluster->step_count = 0;
        assert_int_equal(gz_cluster_make_tree(context, cluster, &built), GRAZE_OK);
        assert_int_equal(made.leaf_count, built.leaf_count);
        assert_int_equal(made.node_count, built.node_count);
        gz_tree_free(&built);
        gz_tree_free(&made);
    }
    test_free(cluster);
    graze_model_free(model);
    test_context_done(context);
    triangles_free(&t);
}

// --- Bounds of leaves

// Triangles of a cut, each with the bound of its leaf.
typedef struct leaves {
    triangles t;
    double *bound;
    uint32_t coarse; // leaves of coarse clusters
    double part;     // the sum of their bounds, as parts of those of their groups
} leaves;

static void add_cluster(graze_model *model, uint32_t number, leaves *to)
{
    gz_cluster *cluster = test_malloc(sizeof *cluster);
    float spread[GZ_CLUSTER_TRIANGLES], forward = 0;
    uint32_t producer = model->producers[number];
    read_cluster(model, number, cluster);
    if (producer != UINT32_MAX)
        forward = model->groups[producer].steps[model->groups[producer].step_count - 1].forward;
    assert_int_equal(cluster->spread_count,
                     producer == UINT32_MAX ? 0 : gz_cluster_leaf_count(cluster));
    gz_cluster_spreads(cluster, forward, spread);
    for (uint32_t leaf = 0; leaf < cluster->spread_count; ++leaf, ++to->coarse) {
        assert_true(spread[leaf] >= 0 && spread[leaf] <= forward);
        to->part += forward > 0 ? (double)(spread[leaf] / forward) : 1;
    }
    for (uint32_t i = 0; i < cluster->triangle_count; ++i) {
        double corner[3][3];
        for (int k = 0; k < 9; ++k) {
            uint32_t v = cluster->corner[i][k / 3];
            corner[k / 3][k % 3] = cluster->precision == GRAZE_FLOAT32
                                       ? (double)cluster->position.narrow[v][k % 3]
                                       : cluster->position.wide[v][k % 3];
        }
        triangles_add(&to->t, (const double(*)[3])corner);
        to->bound[to->t.count - 1] =
            cluster->spread_count == 0 ? 0 : (double)spread[cluster->leaf[i]];
    }
    test_free(cluster);
}

static bool fits(const graze_model *model, uint32_t group, double error)
{
    if (group == UINT32_MAX)
        return false;
    const gz_group_entry *entry = &model->groups[group];
    const gz_group_step *last = &entry->steps[entry->step_count - 1];
    return (double)last->forward <= error && (double)last->backward <= error;
}

static leaves cut_at(graze_model *model, double error)
{
    uint32_t all = model->header.cluster_count + model->header.coarse_count;
    uint64_t room = 0;
    for (uint32_t c = 0; c < all; ++c)
        room += model->clusters[c].triangle_count;
    leaves cut = {.bound = test_malloc((room + 1) * sizeof *cut.bound)};
    for (uint32_t c = 0; c < all; ++c) {
        uint32_t producer = model->producers[c];
        if ((producer == UINT32_MAX || fits(model, producer, error)) &&
            !fits(model, model->consumers[c], error))
            add_cluster(model, c, &cut);
    }
    return cut;
}

static bool is_beside(const double t[3][3], const double p[3], double most)
{
    for (int k = 0; k < 3; ++k)
        if (p[k] + most < fmin(t[0][k], fmin(t[1][k], t[2][k])) ||
            p[k] - most > fmax(t[0][k], fmax(t[1][k], t[2][k])))
            return true;
    return false;
}

// Begins where the last one was found: the next sample is near.
static bool is_held(const leaves *cut, const double point[3], double slack, uint64_t *hint)
{
    for (uint64_t i = 0; i < cut->t.count; ++i) {
        uint64_t n = (*hint + i) % cut->t.count;
        triangles one = {.corner = cut->t.corner + n, .count = 1};
        if (!is_beside((const double(*)[3])one.corner[0], point, cut->bound[n] + slack) &&
            triangles_distance(&one, point) <= cut->bound[n] + slack) {
            *hint = n;
            return true;
        }
    }
    return false;
}

// The samples and the distances are off by a few roundings of the largest coordinate.
static void check_cut(graze_model *model, const triangles *t, double error, int kind, leaves *total)
{
    leaves cut = cut_at(model, error);
    test_random random = {.state = 5 + (uint64_t)kind};
    double extent = 0;
    uint64_t hint = 0;
    for (uint64_t i = 0; i < 9 * t->count; ++i)
        extent = fmax(extent, fabs(t->corner[i / 9][i / 3 % 3][i % 3]));
    for (uint64_t i = 0; i < t->count; ++i)
        for (int n = 0; n < (TEST_SANITIZED ? 5 : 9); ++n) {
            double u = test_unit(&random), v = test_unit(&random) * (1 - u), point[3];
            double weight[3] = {u, n < 6 ? 1 - u : v, n < 6 ? 0 : 1 - u - v};
            for (int k = 0; k < 3; ++k)
                point[k] = n < 3 ? t->corner[i][n][k]
                                 : weight[0] * t->corner[i][n % 3][k] +
                                       weight[1] * t->corner[i][(n + 1) % 3][k] +
                                       weight[2] * t->corner[i][(n + 2) % 3][k];
            if (!is_held(&cut, point, 0x1p-48 * extent, &hint))
                fail_msg("mesh %d, error %.17g: a point of triangle %d is within no leaf's bound",
                         kind, error, (int)i);
        }
    total->coarse += cut.coarse;
    total->part += cut.part;
    triangles_free(&cut.t);
    test_free(cut.bound);
}

static void add_random(triangles *t, int count, uint64_t seed)
{
    test_random random = {.state = seed};
    for (int i = 0; i < count; ++i) {
        double corner[3][3], middle[3];
        for (int axis = 0; axis < 3; ++axis)
            middle[axis] = test_unit(&random);
        for (int k = 0; k < 9; ++k)
            corner[k / 3][k % 3] = middle[k % 3] + 0.1 * test_unit(&random);
        if (i % 5 == 1)
            memcpy(corner[2], corner[0], sizeof corner[0]); // a hair
        if (i % 10 == 2)
            memcpy(corner[2], memcpy(corner[1], corner[0], sizeof corner[0]), sizeof corner[0]);
        triangles_add(t, (const double(*)[3])corner);
    }
}

// A smooth surface with relief, rough at one end.
static void add_scan(triangles *t, uint64_t count)
{
    triangles_add_shape(t, "torus", count, 1, nowhere);
    for (uint64_t i = 0; i < 3 * t->count; ++i) {
        double *p = t->corner[i / 3][i % 3];
        double rough = 0.01 * (p[0] > 0 ? p[0] : 0) * sin(91 * p[1] + 37 * p[2]) * cos(83 * p[0]);
        for (int k = 0; k < 3; ++k)
            p[k] *= 1 + rough;
    }
}

enum { MESHES = 9 };
static void make_mesh(int kind, triangles *t)
{
    static const double far_away[3] = {5e5, -3e5, 1e5}, aside[3] = {0.5, 0.1, 0};
    switch (kind) {
    case 0: add_scan(t, 3000); break;
    case 1: triangles_add_shape(t, "terrain", 2500, 1, nowhere); break;
    case 2: triangles_add_shape(t, "gear", 2500, 1, nowhere); break;
    case 3: triangles_add_shape(t, "plates", 2000, 1, nowhere); break;
    case 4: triangles_add_shape(t, "turbine", 3000, 1, nowhere); break;
    case 5: add_random(t, 800, 7); break;
    case 6: triangles_add_shape(t, "nasty", 1, 1, nowhere); break;
    case 7:
        add_scan(t, 1200);
        triangles_add_shape(t, "needles", 200, 1, aside);
        break;
    default: triangles_add_shape(t, "terrain", 1500, 10, far_away); break;
    }
}

// Models have no others.
static void keep_finite(triangles *t)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < t->count; ++i) {
        double sum = 0;
        for (int k = 0; k < 9; ++k)
            sum += t->corner[i][k / 3][k % 3] * 0;
        if (sum == 0)
            memmove(t->corner[kept++], t->corner[i], sizeof *t->corner);
    }
    t->count = kept;
}

static void leaves_hold_what_they_stand_for(void **state)
{
    (void)state;
    test_of_one_thread();
    for (int kind = 0; kind < MESHES; ++kind) {
        triangles t = {0};
        leaves total = {0};
        make_mesh(kind, &t);
        keep_finite(&t);
        graze_context *context = small_context(kind % 3 == 2 ? 40 : 100);
        graze_precision precision = kind < 4 ? GRAZE_FLOAT32 : GRAZE_FLOAT64;
        graze_model *model = triangles_model(context, &t, precision, NULL);
        const gz_model_header *h = &model->header;
        for (uint64_t i = 0; i < 9 * t.count && precision == GRAZE_FLOAT32; ++i) {
            double *x = &t.corner[i / 9][i / 3 % 3][i % 3];
            *x = (double)(float)*x;
        }
        // The last step of each level's first and last group is one.
        for (uint32_t level = 0; level + 1 < h->level_count; ++level)
            for (uint32_t k = 0; k < 2; ++k) {
                const gz_group_entry *g = &model->groups[model->levels[level].first_group];
                g += k * (model->levels[level].group_count - 1);
                const gz_group_step *last = &g->steps[g->step_count - 1];
                check_cut(model, &t, (double)fmaxf(last->forward, last->backward), kind, &total);
            }
        check_cut(model, &t, HUGE_VAL, kind, &total);
        if (kind < 5) // the most that a leaf has is not what all have
            assert_true(total.coarse > 20 && total.part / total.coarse < 0.85);
        graze_model_free(model);
        test_context_done(context);
        triangles_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coarse_pages_have_recipes),
        cmocka_unit_test(leaves_hold_what_they_stand_for),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
