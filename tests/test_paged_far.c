// Models with coordinates of all sizes, beyond the range of floats, too: boxes of clusters, which
// are floats, then have infinite ends. Rays, insides, pairs, distances and depths are in every bit
// what shapes in memory answer, and rays and pairs what all triangles say one by one.
#include "test.h"

#include <math.h>
#include <unistd.h>

#include "base/context.h"
#include "both_ways.h"
#include "geometry/segment.h"
#include "geometry/triangle.h"
#include "model/model_file.h"
#include "soups.h"

enum { MOST = 1200 };

// Tetrahedra, small ones near the origin and large ones far out.
typedef struct body {
    double position[MOST][3];
    uint32_t corner[MOST];
    uint32_t count; // corners
} body;

static graze_mesh_view view_of(const body *b)
{
    return (graze_mesh_view){.precision = GRAZE_FLOAT64,
                             .vertex_count = b->count,
                             .triangle_count = b->count / 3,
                             .positions = b->position,
                             .corners = b->corner};
}

static void add_tetrahedron(body *b, test_random *random, const double place[3], double size)
{
    static const int face[12] = {0, 1, 2, 1, 0, 3, 2, 1, 3, 0, 2, 3};
    double corner[4][3];
    for (int k = 0; k < 12; ++k)
        corner[k / 3][k % 3] = place[k % 3] + size * ((double)(test_next(random) % 9) - 4);
    for (int i = 0; i < 12; ++i, ++b->count) {
        memcpy(b->position[b->count], corner[face[i]], sizeof *corner);
        b->corner[b->count] = b->count;
    }
}

// Sizes on both sides of the largest float, 3.4e38, and of where boxes are no longer compared.
static const double sizes[] = {1,    1e-30, 1e20,  3e37,  8e37,  1.2e38,  3e38,   1e39,
                               1e45, 1e90,  1e140, 1e160, 1e300, 0x1p127, 0x1p100};
enum { SIZES = sizeof sizes / sizeof *sizes };

// Of the sizes below a limit; the world is on one side of the origin, or around it.
static void make_body(test_random *random, body *b, uint32_t count, double largest)
{
    bool one_sided = test_next(random) % 3 == 0;
    b->count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        double size = largest, place[3];
        for (int tries = 0; i != 0 && tries < 20; ++tries) {
            size = sizes[test_next(random) % SIZES];
            if (size <= largest)
                break;
            size = largest;
        }
        for (int k = 0; k < 3; ++k) {
            double at = (double)(test_next(random) % 9) - 4;
            place[k] = size * (one_sided ? fabs(at) : at);
        }
        add_tetrahedron(b, random, place, test_next(random) % 2 == 0 ? size : size * 0x1p-6);
    }
}

static double largest_of(uint64_t seed) { return sizes[seed % SIZES]; }

static graze_triangle triangle_of(const body *b, uint32_t t, const graze_pose *pose)
{
    graze_triangle out;
    for (int k = 0; k < 3; ++k)
        graze_pose_apply(pose, b->position[3 * t + (uint32_t)k], out.corner[k]);
    return out;
}

// No shift that loses the small ones, or one that does.
static graze_pose choose_pose(test_random *random, double largest)
{
    graze_pose pose = soup_pose(random, 1);
    if (test_next(random) % 2 == 0) // turned by a quarter
        pose = (graze_pose){.rotation = {0, -1, 0, 1, 0, 0, 0, 0, 1}};
    soup_bend(&pose, test_next(random) % 4);
    uint64_t kind = test_next(random) % 3;
    for (int i = 0; i < 3; ++i)
        pose.translation[i] =
            kind == 0 ? 0 : (kind == 1 ? 1 : largest) * soup_between(random, -1, 1);
    return pose;
}

// --- Boxes

// Exactly: where the rounded difference is the half size, the part that was rounded off decides.
static bool is_within(double x, double origin, double half)
{
    double gap = fabs(x - origin), more = x - origin; // what follows is the error of that sum
    double back = more - x, error = (x - (more - back)) - (origin + back);
    return gap < half || (gap == half && (more < 0 ? -error : error) <= 0);
}

static void check_boxes(graze_model *model, uint64_t seed)
{
    static gz_cluster cluster;
    gz_page_reader reader;
    gz_byte_list bytes = {0};
    assert_true(gz_page_reader_init(model->context, &reader));
    for (uint32_t i = 0; i < model->header.cluster_count; ++i) {
        assert_int_equal(gz_model_read_cluster(model, i, NULL, &reader, &bytes, &cluster),
                         GRAZE_OK);
        graze_box box = gz_cluster_box(&cluster);
        for (uint32_t level = 0, at = i; level < model->boxes.level_count; ++level, at /= 8) {
            gz_middle m = gz_part_boxes_middle(&model->boxes, level, at);
            for (int axis = 0; axis < 3; ++axis)
                if (!is_within(box.min[axis], m.origin[axis], m.half[axis]) ||
                    !is_within(box.max[axis], m.origin[axis], m.half[axis]))
                    fail_msg("seed %d: cluster %u is not in its box of level %u", (int)seed, i,
                             level);
        }
    }
    gz_list_free(model->context, &bytes);
    gz_page_reader_free(&reader);
}

// Boxes of clusters hold them to the last bit, also where coordinates are steps of the last bit.
static void boxes_hold_their_clusters(void **state)
{
    (void)state;
    static body b;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        test_random random = {seed};
        graze_context *context = both_ways_context(1, 2, 1 + (uint32_t)(seed % 9));
        double far[3], step[3];
        make_body(&random, &b, 10 + (uint32_t)(seed % 50), largest_of(seed));
        for (int k = 0; k < 3; ++k) {
            far[k] = soup_between(&random, -1, 1) * (seed % 4 < 2 ? 1e9 : 1e300);
            step[k] = nextafter(fabs(far[k]), HUGE_VAL) - fabs(far[k]);
        }
        for (uint32_t i = 0; i < b.count && seed % 2 == 0; ++i)
            for (int k = 0; k < 3; ++k)
                b.position[i][k] = far[k] + step[k] * (double)(test_next(&random) % 9);
        graze_mesh_view view = view_of(&b);
        both_ways a = both_ways_make(context, &view);
        check_boxes(a.model, seed);
        both_ways_free(&a);
        test_context_done(context);
    }
}

// --- Rays and insides

// In a triangle, at a corner of it, beside it, or anywhere.
static void choose_point(test_random *random, const body *b, const graze_pose *pose, double largest,
                         double out[3])
{
    graze_triangle t = triangle_of(b, (uint32_t)(test_next(random) % (b->count / 3)), pose);
    uint64_t kind = test_next(random) % 5;
    for (int i = 0; i < 3; ++i) {
        double x = t.corner[0][i], y = t.corner[1][i], z = t.corner[2][i];
        out[i] = kind == 0   ? largest * soup_between(random, -5, 5)
                 : kind == 1 ? x
                 : kind == 2 ? x + (x - y)
                 : kind == 3 ? x * 0x1p-4
                             : 0.5 * x + 0.25 * y + 0.25 * z;
    }
}

static uint64_t count_hits(const body *b, const graze_pose *pose, const double start[3],
                           const double end[3])
{
    uint64_t hits = 0;
    for (uint32_t t = 0; t < b->count / 3; ++t) {
        graze_triangle posed = triangle_of(b, t, pose);
        hits += gz_segment_meet(start, end, &posed) != GZ_SEGMENT_MISSES;
    }
    return hits;
}

static uint64_t compare_ray(graze_query *query, const both_ways *a, const body *b,
                            const graze_pose *pose, const double start[3], const double end[3],
                            bool all, uint64_t seed)
{
    graze_ray_def def = graze_ray_def_default();
    graze_ray want, got;
    def.count_all = all;
    assert_int_equal(graze_query_ray(query, graze_at(a->in_memory, pose), start, end, &def, &want),
                     GRAZE_OK);
    assert_int_equal(graze_query_ray(query, graze_at(a->paged, pose), start, end, &def, &got),
                     GRAZE_OK);
    uint64_t hits = count_hits(b, pose, start, end);
    if (want.hit != (hits != 0) || (all && want.hit_count != hits))
        fail_msg("seed %d: in memory the ray has %d hits, not %d", (int)seed, (int)want.hit_count,
                 (int)hits);
    got.counters = want.counters = (graze_counters){0};
    if (memcmp(&got, &want, sizeof got) != 0)
        fail_msg("seed %d: hit %u, triangle %u at %.17g, not %u, %u at %.17g", (int)seed, got.hit,
                 got.triangle, got.t, want.hit, want.triangle, want.t);
    return hits;
}

static void rays_and_insides(void **state)
{
    (void)state;
    static body b;
    uint64_t hits = 0, misses = 0, places[4] = {0}, infinite = 0;
    uint64_t rounds = TEST_CHANCES(60);
    for (uint64_t seed = 1; seed <= rounds; ++seed) {
        test_random random = {seed};
        double largest = largest_of(seed);
        make_body(&random, &b, 4 + (uint32_t)(test_next(&random) % 30), largest);
        graze_context *context = both_ways_context(1, 2, 1 + (uint32_t)(seed % 13));
        graze_query *query = NULL;
        assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
        graze_mesh_view view = view_of(&b);
        both_ways a = both_ways_make(context, &view);
        for (uint32_t i = 0; i < a.model->header.cluster_count; ++i)
            infinite += isinf(a.model->clusters[i].low[0]) || isinf(a.model->clusters[i].high[1]);
        for (int k = 0; k < 24; ++k) {
            graze_pose pose = choose_pose(&random, largest);
            double start[3], end[3];
            choose_point(&random, &b, &pose, largest, start);
            choose_point(&random, &b, &pose, largest, end);
            uint64_t met = compare_ray(query, &a, &b, &pose, start, end, k % 2 == 0, seed);
            hits += met != 0;
            misses += met == 0;
            graze_place want, got;
            assert_int_equal(graze_query_inside(query, graze_at(a.in_memory, &pose), start, &want),
                             GRAZE_OK);
            assert_int_equal(graze_query_inside(query, graze_at(a.paged, &pose), start, &got),
                             GRAZE_OK);
            if (got != want)
                fail_msg("seed %d: a point is in place %d, not %d", (int)seed, got, want);
            places[want]++;
        }
        both_ways_free(&a);
        graze_query_free(query);
        test_context_done(context);
    }
    print_message("%d hits, %d misses, %d infinite boxes; places %d %d %d %d\n", (int)hits,
                  (int)misses, (int)infinite, (int)places[0], (int)places[1], (int)places[2],
                  (int)places[3]);
    assert_true(hits > 8 * rounds && misses > rounds && infinite > 3 * rounds);
    assert_true(places[GRAZE_PLACE_INSIDE] > rounds && places[GRAZE_PLACE_OUTSIDE] > rounds);
}

// --- Two of them

static uint64_t count_pairs(const body *a, const graze_pose *pose_a, const body *b,
                            const graze_pose *pose_b, double tolerance)
{
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < a->count / 3; ++i)
        for (uint32_t k = 0; k < b->count / 3; ++k) {
            graze_triangle p = triangle_of(a, i, pose_a), q = triangle_of(b, k, pose_b);
            pairs += graze_triangle_within(&p, &q, tolerance) != 0;
        }
    return pairs;
}

typedef struct asked {
    graze_answer pairs;
    graze_distance distance;
    graze_containment nesting;
    graze_penetration depth;
} asked;

static void ask(graze_query *query, const graze_shape *a, const graze_pose *pose_a,
                const graze_shape *b, const graze_pose *pose_b, double tolerance, asked *out)
{
    graze_collide_def all = graze_collide_def_default();
    graze_penetration_def rough = graze_penetration_def_default();
    all.collect = GRAZE_COLLECT_COUNT;
    all.tolerance = tolerance;
    rough.error = 0.5;
    rough.work_limit = 200000;
    assert_int_equal(
        graze_query_collide(query, graze_at(a, pose_a), graze_at(b, pose_b), &all, &out->pairs),
        GRAZE_OK);
    assert_int_equal(
        graze_query_distance(query, graze_at(a, pose_a), graze_at(b, pose_b), NULL, &out->distance),
        GRAZE_OK);
    assert_int_equal(
        graze_query_contain(query, graze_at(a, pose_a), graze_at(b, pose_b), &out->nesting),
        GRAZE_OK);
    assert_int_equal(graze_query_penetration(query, graze_at(a, pose_a), graze_at(b, pose_b),
                                             &rough, &out->depth),
                     GRAZE_OK);
}

static void compare(const asked *got, const asked *want, uint64_t seed, int way)
{
    if (got->pairs.pair_count != want->pairs.pair_count ||
        got->pairs.verdict != want->pairs.verdict || got->pairs.complete != want->pairs.complete)
        fail_msg("seed %d, way %d: %d pairs, not %d", (int)seed, way, (int)got->pairs.pair_count,
                 (int)want->pairs.pair_count);
    const graze_distance *d = &got->distance, *e = &want->distance;
    if (d->verdict != e->verdict || !(d->distance == e->distance) || d->pair.a != e->pair.a ||
        d->pair.b != e->pair.b || memcmp(d->point_a, e->point_a, sizeof d->point_a) != 0)
        fail_msg("seed %d, way %d: distance %.17g, not %.17g", (int)seed, way, d->distance,
                 e->distance);
    if (got->nesting.nesting != want->nesting.nesting)
        fail_msg("seed %d, way %d: nesting %d, not %d", (int)seed, way, got->nesting.nesting,
                 want->nesting.nesting);
    // A limit of work may end the search of the one earlier than that of the other.
    bool ended = got->depth.verdict == GRAZE_UNDECIDED || want->depth.verdict == GRAZE_UNDECIDED;
    if (ended ? got->depth.low > want->depth.high || want->depth.low > got->depth.high
              : got->depth.verdict != want->depth.verdict || got->depth.low != want->depth.low ||
                    got->depth.high != want->depth.high)
        fail_msg("seed %d, way %d: depth %.17g to %.17g, not %.17g to %.17g", (int)seed, way,
                 got->depth.low, got->depth.high, want->depth.low, want->depth.high);
}

static void two_of_them(void **state)
{
    (void)state;
    static body body_a, body_b;
    uint64_t contacts = 0, apart = 0, nestings[6] = {0};
    uint64_t rounds = TEST_CHANCES(60);
    for (uint64_t seed = 1; seed <= rounds; ++seed) {
        test_random random = {seed};
        double largest = largest_of(seed);
        make_body(&random, &body_a, 1 + (uint32_t)(test_next(&random) % 12), largest);
        make_body(&random, &body_b, 1 + (uint32_t)(test_next(&random) % 6), largest_of(seed / 3));
        graze_context *context =
            both_ways_context(1 + (uint32_t)(seed % 2), 2, 1 + (uint32_t)(seed % 7));
        graze_query *query = NULL;
        assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
        graze_mesh_view view[2] = {view_of(&body_a), view_of(&body_b)};
        both_ways a = both_ways_make(context, &view[0]), b = both_ways_make(context, &view[1]);
        for (int k = 0; k < 3; ++k) {
            graze_pose pose_a = choose_pose(&random, largest),
                       pose_b = choose_pose(&random, largest);
            double tolerance = k == 0 ? 0 : largest * soup_between(&random, 0, 2);
            asked want, got;
            ask(query, a.in_memory, &pose_a, b.in_memory, &pose_b, tolerance, &want);
            assert_int_equal(want.pairs.pair_count,
                             count_pairs(&body_a, &pose_a, &body_b, &pose_b, tolerance));
            for (int way = 0; way < WAYS; ++way) {
                ask(query, both_ways_side(&a, way, 0), &pose_a, both_ways_side(&b, way, 1), &pose_b,
                    tolerance, &got);
                compare(&got, &want, seed, way);
            }
            contacts += want.pairs.pair_count != 0;
            apart += want.pairs.pair_count == 0;
            nestings[want.nesting.nesting]++;
        }
        both_ways_free(&a);
        both_ways_free(&b);
        graze_query_free(query);
        test_context_done(context);
    }
    print_message("%d in contact, %d apart; nestings %d %d %d %d %d %d\n", (int)contacts,
                  (int)apart, (int)nestings[0], (int)nestings[1], (int)nestings[2],
                  (int)nestings[3], (int)nestings[4], (int)nestings[5]);
    assert_true(contacts > rounds / 3 && apart > rounds / 3);
}

// A large tetrahedron around the origin, and small ones in it.
static void one_in_the_other(void **state)
{
    (void)state;
    static const double corner[4][3] = {{4, 4, 4}, {4, -4, -4}, {-4, 4, -4}, {-4, -4, 4}};
    static const int face[12] = {0, 1, 2, 1, 0, 3, 2, 1, 3, 0, 2, 3};
    static body large, small;
    const graze_pose still = graze_pose_identity();
    for (uint64_t seed = 0; seed < SIZES; ++seed) {
        test_random random = {seed};
        double size = largest_of(seed), origin[3] = {0, 0, 0};
        large.count = small.count = 0;
        for (uint32_t i = 0; i < 12; ++i, ++large.count) {
            large.corner[i] = i;
            for (int k = 0; k < 3; ++k)
                large.position[i][k] = size * corner[face[i]][k];
        }
        for (int i = 0; i < 3; ++i)
            add_tetrahedron(&small, &random, origin, size * 0x1p-6);
        graze_context *context = both_ways_context(1, 2, 1 + (uint32_t)(seed % 3));
        graze_query *query = NULL;
        assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
        graze_mesh_view view[2] = {view_of(&large), view_of(&small)};
        both_ways a = both_ways_make(context, &view[0]), b = both_ways_make(context, &view[1]);
        asked want, got;
        ask(query, a.in_memory, &still, b.in_memory, &still, 0, &want);
        assert_int_equal(want.nesting.nesting, GRAZE_NESTING_B_IN_A);
        for (int way = 0; way < WAYS; ++way) {
            ask(query, both_ways_side(&a, way, 0), &still, both_ways_side(&b, way, 1), &still, 0,
                &got);
            compare(&got, &want, seed, way);
        }
        both_ways_free(&a);
        both_ways_free(&b);
        graze_query_free(query);
        test_context_done(context);
    }
}

// Levels of detail are made of all sizes, too; boxes of clusters have no middle there. All pages
// are sound, and the mesh comes back.
static void levels_can_be_made(void **state)
{
    (void)state;
    static body b;
    uint64_t levels = 0;
    for (uint64_t seed = 0; seed < SIZES; ++seed) {
        test_random random = {seed};
        char mesh[MODEL_PATH_BYTES];
        graze_context *context = both_ways_context(1, 2, 3);
        make_body(&random, &b, 90, largest_of(seed));
        graze_mesh_view view = view_of(&b);
        models_write(&view, models_path(mesh, "far.ply"));
        char path[MODEL_PATH_BYTES];
        graze_model *model = NULL;
        graze_model_report report;
        models_path(path, "far.graze");
        assert_int_equal(graze_model_build(context, mesh, path, NULL), GRAZE_OK);
        assert_int_equal(graze_model_open(context, path, &model), GRAZE_OK);
        assert_int_equal(graze_model_check(model, &report), GRAZE_OK);
        levels += model->header.level_count;
        graze_model_free(model);
        models_compare(context, mesh, path);
        unlink(mesh);
        unlink(path);
        test_context_done(context);
    }
    assert_true(levels > 2 * SIZES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_hold_their_clusters),
        cmocka_unit_test(rays_and_insides),
        cmocka_unit_test(two_of_them),
        cmocka_unit_test(one_in_the_other),
        cmocka_unit_test(levels_can_be_made),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
