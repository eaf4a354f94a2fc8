// Rays, closedness, insides and depths of models: in every bit what shapes in memory answer, for
// clusters and caches of all sizes; the limit holds, and nothing is left where something fails.
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/context.h"
#include "both_ways.h"
#include "faults.h"
#include "model/model_file.h"
#include "query/closed.h"
#include "shapes.h"
#include "soups.h"
#include "two_models.h"

static const graze_pose still = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

// --- Rays

// An end of a segment: anywhere, at a corner, on an edge, in a face, or beyond.
static void choose_end(test_random *random, const soup *s, const graze_pose *pose, double scale,
                       double out[3])
{
    uint32_t number = (uint32_t)(test_next(random) % s->view.triangle_count);
    graze_triangle t = soup_triangle(s, number, pose);
    uint64_t kind = test_next(random) % 5;
    for (int i = 0; i < 3; ++i) {
        double x = t.corner[0][i], y = t.corner[1][i], z = t.corner[2][i];
        out[i] = kind == 0   ? x + soup_between(random, -9, 9) * scale
                 : kind == 1 ? x
                 : kind == 2 ? 0.5 * x + 0.5 * y
                 : kind == 3 ? x + (x - y)
                             : 0.5 * x + 0.25 * y + 0.25 * z;
    }
}

static bool same_ray(graze_ray *got, graze_ray *want)
{
    got->counters = want->counters = (graze_counters){0};
    return memcmp(got, want, sizeof *got) == 0;
}

static void rays_are_the_same(void **state)
{
    (void)state;
    static soup_case c;
    uint64_t hits = 0, misses = 0, unclean = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        soup_case_make(&c, seed, 150);
        test_random random = {seed};
        graze_context *context = both_ways_context(1, 2, 1 + (uint32_t)(seed % 23));
        graze_query *query = NULL;
        assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
        both_ways a = both_ways_make(context, &c.a.view);
        graze_box box = graze_shape_get_info(a.paged).box;
        double scale = fmax(box.max[0] - box.min[0], box.max[1] - box.min[1]) / 4;
        for (int k = 0; k < 40; ++k) {
            graze_ray_def def = graze_ray_def_default();
            def.count_all = k % 2 == 0;
            double start[3], end[3];
            graze_ray want, got;
            choose_end(&random, &c.a, &c.pose_a, scale, start);
            choose_end(&random, &c.a, &c.pose_a, scale, end);
            if (k == 0)
                memcpy(end, start, sizeof end);
            assert_int_equal(
                graze_query_ray(query, graze_at(a.in_memory, &c.pose_a), start, end, &def, &want),
                GRAZE_OK);
            assert_int_equal(
                graze_query_ray(query, graze_at(a.paged, &c.pose_a), start, end, &def, &got),
                GRAZE_OK);
            if (!same_ray(&got, &want))
                fail_msg("seed %d, ray %d: %u at %.17g, not %u at %.17g", (int)seed, k,
                         got.triangle, got.t, want.triangle, want.t);
            hits += want.hit;
            misses += !want.hit;
            unclean += want.unclean_count > 1;
        }
        both_ways_free(&a);
        graze_query_free(query);
        test_context_done(context);
    }
    assert_true(hits > 800 && misses > 200 && unclean > 100);
}

// --- Closedness and insides

enum { MOST = 4000 };

// Tetrahedra with corners on a grid, each edge of which belongs to others now and then.
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

static void add_tetrahedron(body *b, double (*const corner)[3])
{
    static const int face[12] = {0, 1, 2, 1, 0, 3, 2, 1, 3, 0, 2, 3};
    for (int i = 0; i < 12; ++i, ++b->count) {
        memcpy(b->position[b->count], corner[face[i]], sizeof *corner);
        b->corner[b->count] = b->count;
    }
}

static void make_body(test_random *random, body *b, uint32_t count, double step, double spread)
{
    b->count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        double place[3], corner[4][3];
        for (int k = 0; k < 3; ++k)
            place[k] = spread * ((double)(test_next(random) % 5) - 2);
        for (int k = 0; k < 12; ++k)
            corner[k / 3][k % 3] = place[k % 3] + step * ((double)(test_next(random) % 5) - 2);
        add_tetrahedron(b, corner);
    }
    for (uint32_t i = 0; i < b->count; ++i)
        for (int k = 0; k < 3; ++k)
            if (b->position[i][k] == 0 && test_next(random) % 2 == 0)
                b->position[i][k] = -0.0;
    uint64_t change = test_next(random) % 8;
    if (change == 0) // one triangle is missing
        b->count -= 3;
    if (change == 1) { // one is there twice
        memcpy(b->position[b->count], b->position[0], 3 * sizeof *b->position);
        for (uint32_t k = 0; k < 3; ++k)
            b->corner[b->count + k] = b->count + k;
        b->count += 3;
    }
    if (change == 2) // one has moved by less than a float can tell
        b->position[b->count - 1][0] += 0x1p-40;
}

static uint32_t closed_of(const graze_shape *shape)
{
    uint32_t closed = 2;
    assert_int_equal(graze_shape_closed(shape, &closed), GRAZE_OK);
    return closed;
}

static void compare_points(graze_query *query, const both_ways *a, const graze_pose *pose,
                           test_random *random, uint64_t found[4])
{
    for (int k = 0; k < 30; ++k) {
        double p[3], world[3];
        for (int i = 0; i < 3; ++i)
            p[i] = (double)(test_next(random) % 23) / 4 - 2.75;
        graze_pose_apply(pose, p, world);
        graze_place want, got;
        assert_int_equal(graze_query_inside(query, graze_at(a->in_memory, pose), world, &want),
                         GRAZE_OK);
        assert_int_equal(graze_query_inside(query, graze_at(a->paged, pose), world, &got),
                         GRAZE_OK);
        assert_int_equal(got, want);
        found[want]++;
    }
}

static void compare_nesting(graze_query *query, const both_ways *a, const both_ways *b,
                            const graze_pose *pose, uint64_t found[6])
{
    graze_containment want, got;
    assert_int_equal(graze_query_contain(query, graze_at(a->in_memory, &still),
                                         graze_at(b->in_memory, pose), &want),
                     GRAZE_OK);
    found[want.nesting]++;
    for (int way = 0; way < WAYS; ++way) {
        assert_int_equal(graze_query_contain(query, graze_at(both_ways_side(a, way, 0), &still),
                                             graze_at(both_ways_side(b, way, 1), pose), &got),
                         GRAZE_OK);
        assert_int_equal(got.nesting, want.nesting);
        assert_true(got.closed_a == want.closed_a && got.closed_b == want.closed_b);
    }
}

static void insides_are_the_same(void **state)
{
    (void)state;
    static body large, small;
    uint64_t places[4] = {0}, nestings[6] = {0}, open = 0;
    const graze_pose turned = {.rotation = {0, -1, 0, 1, 0, 0, 0, 0, 1},
                               .translation = {8, 16, -4}};
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        test_random random = {seed};
        graze_context *context =
            both_ways_context(1 + (uint32_t)(seed % 2), 2 + seed % 3, 1 + (uint32_t)(seed % 13));
        graze_query *query = NULL;
        assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
        make_body(&random, &large, 1 + (uint32_t)(seed % 40), 1, seed % 3 == 0 ? 0.5 : 0);
        make_body(&random, &small, 1 + (uint32_t)(seed % 5), 0x1p-8, 0.25);
        graze_mesh_view view[2] = {view_of(&large), view_of(&small)};
        both_ways a = both_ways_make(context, &view[0]), b = both_ways_make(context, &view[1]);
        assert_int_equal(closed_of(a.paged), closed_of(a.in_memory));
        assert_int_equal(graze_shape_get_info(a.paged).closed,
                         graze_shape_get_info(a.in_memory).closed);
        open += !closed_of(a.paged);
        compare_points(query, &a, seed % 2 == 0 ? &still : &turned, &random, places);
        for (int k = 0; k < 6; ++k) {
            graze_pose pose = still;
            for (int i = 0; i < 3; ++i)
                pose.translation[i] = (double)(test_next(&random) % 7) * 0.171875 - 0.5;
            compare_nesting(query, &a, &b, &pose, nestings);
            compare_nesting(query, &b, &a, &pose, nestings);
        }
        both_ways_free(&a);
        both_ways_free(&b);
        graze_query_free(query);
        test_context_done(context);
    }
    for (int i = 0; i < 4; ++i)
        assert_true(places[i] > 20);
    for (int i = 0; i < 6; ++i)
        assert_true(nestings[i] > 5);
    assert_true(open > 5 && open < 40);
}

static graze_mesh *scene(graze_context *context, const char *kind, uint64_t count, double size)
{
    graze_mesh *mesh = NULL;
    generator_shape_def def = {.kind = kind, .triangle_count = count, .size = size};
    assert_int_equal(generator_shape_make(context, &def, &mesh), GRAZE_OK);
    return mesh;
}

static both_ways scene_both(graze_context *context, const char *kind, uint64_t count, double size)
{
    graze_mesh *mesh = scene(context, kind, count, size);
    graze_mesh_view view = graze_mesh_get(mesh);
    both_ways made = both_ways_make(context, &view);
    graze_mesh_free(mesh);
    return made;
}

// A surface is one piece, however many clusters it has; so that one point of it is enough.
static void pieces_are_joined(void **state)
{
    (void)state;
    static const char *const kinds[] = {"sphere", "torus", "knot", "box", "grid", "plates"};
    graze_context *context = both_ways_context(2, 16, 60);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        both_ways a = scene_both(context, kinds[i], 6000, 1);
        const struct gz_components *want = NULL, *got = NULL;
        assert_int_equal(gz_shape_components(a.in_memory, &want), GRAZE_OK);
        assert_int_equal(gz_shape_components(a.paged, &got), GRAZE_OK);
        assert_true(got->closed == want->closed && got->count == want->count);
        assert_true(a.model->header.cluster_count > 90);
        both_ways_free(&a);
    }
    test_context_done(context);
}

// More pieces than there is room for numbers of, and for points: all of them are looked at.
static void many_pieces(void **state)
{
    (void)state;
    enum { PIECES = 9000 };
    test_random random = {5};
    graze_context *context = both_ways_context(2, 2, 0);
    float(*position)[3] = calloc(4 * PIECES, sizeof *position);
    uint32_t(*corner)[3] = calloc(4 * PIECES, sizeof *corner);
    static const uint32_t face[4][3] = {{0, 1, 2}, {1, 0, 3}, {2, 1, 3}, {0, 2, 3}};
    for (uint32_t i = 0; i < PIECES; ++i) {
        double place[3];
        for (int k = 0; k < 3; ++k)
            place[k] = test_unit(&random) - 0.5;
        for (uint32_t k = 0; k < 12; ++k) {
            position[4 * i + k / 3][k % 3] = (float)(place[k % 3] + 0.01 * test_unit(&random));
            corner[4 * i + k / 3][k % 3] = 4 * i + face[k / 3][k % 3];
        }
    }
    graze_mesh_view view = {.precision = GRAZE_FLOAT32,
                            .vertex_count = 4 * PIECES,
                            .triangle_count = 4 * PIECES,
                            .positions = position,
                            .corners = &corner[0][0]};
    both_ways cloud = both_ways_make(context, &view), ball = scene_both(context, "sphere", 800, 3);
    const struct gz_components *pieces = NULL;
    assert_int_equal(gz_shape_components(cloud.paged, &pieces), GRAZE_OK);
    assert_true(pieces->closed && pieces->count >= PIECES && pieces->count < PIECES * 5 / 4);
    assert_true(gz_spill_on_disk(&pieces->points));
    graze_query *query = NULL;
    graze_containment got;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    assert_int_equal(graze_query_contain(query, graze_at(ball.paged, &still),
                                         graze_at(cloud.paged, &still), &got),
                     GRAZE_OK);
    assert_int_equal(got.nesting, GRAZE_NESTING_B_IN_A);
    both_ways_free(&cloud);
    for (int i = 0; i < 3; ++i) // the last of them is beside the ball
        for (uint32_t k = 0; k < 4; ++k)
            position[4 * (PIECES - 1) + k][i] += 3;
    cloud = both_ways_make(context, &view);
    assert_int_equal(graze_query_contain(query, graze_at(ball.paged, &still),
                                         graze_at(cloud.paged, &still), &got),
                     GRAZE_OK);
    assert_int_equal(got.nesting, GRAZE_NESTING_PARTLY);
    both_ways_free(&cloud);
    both_ways_free(&ball);
    graze_query_free(query);
    free(position);
    free(corner);
    test_context_done(context);
}

// --- Depths

static bool same_depth(graze_penetration *got, graze_penetration *want)
{
    got->counters = want->counters = (graze_counters){0};
    return memcmp(got, want, sizeof *got) == 0;
}

static void depths_are_the_same(void **state)
{
    (void)state;
    static const char *const kinds[] = {"sphere", "torus", "knot", "box", "cone", "grid"};
    uint64_t verdicts[4] = {0};
    for (uint64_t seed = 1; seed <= (TEST_SANITIZED ? 4 : 18); ++seed) {
        test_random random = {seed};
        graze_context *context =
            both_ways_context(1 + (uint32_t)(seed % 2), 2 + seed % 3, 20 + (uint32_t)(seed % 90));
        graze_query *query = NULL;
        assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
        both_ways a = scene_both(context, kinds[test_next(&random) % 5], 900, 1);
        both_ways b = scene_both(context, kinds[test_next(&random) % 6], 500, 0.75);
        graze_penetration_def def = graze_penetration_def_default();
        def.error = 0.1;
        for (int k = 0; k < 3; ++k) {
            graze_pose pose_a = soup_pose(&random, 0.7), pose_b = soup_pose(&random, 0.7);
            if (k == 2) // then nothing but their age tells which of the two is looked at first
                pose_b = pose_a;
            graze_penetration want, got;
            assert_int_equal(graze_query_penetration(query, graze_at(a.in_memory, &pose_a),
                                                     graze_at(b.in_memory, &pose_b), &def, &want),
                             GRAZE_OK);
            verdicts[want.verdict]++;
            for (int way = 0; way < WAYS; ++way) {
                assert_int_equal(graze_query_penetration(
                                     query, graze_at(both_ways_side(&a, way, 0), &pose_a),
                                     graze_at(both_ways_side(&b, way, 1), &pose_b), &def, &got),
                                 GRAZE_OK);
                if (!same_depth(&got, &want))
                    fail_msg("seed %d, pose %d, way %d: %.17g to %.17g, not %.17g to %.17g",
                             (int)seed, k, way, got.low, got.high, want.low, want.high);
            }
            assert_int_equal(graze_query_penetration(query, graze_at(b.paged, &pose_b),
                                                     graze_at(a.paged, &pose_a), &def, &got),
                             GRAZE_OK);
            assert_true(got.low == want.low && got.high == want.high);
            assert_memory_equal(got.point, want.point, sizeof got.point);
        }
        both_ways_free(&a);
        both_ways_free(&b);
        graze_query_free(query);
        test_context_done(context);
    }
    assert_true(TEST_SANITIZED || (verdicts[GRAZE_CONTACT] > 20 && verdicts[GRAZE_APART] > 5));
}

// --- Limits and failures

typedef struct asked {
    graze_status status;
    graze_ray ray;
    graze_place place;
    graze_containment nesting;
    graze_penetration depth;
} asked;

// A ray, a point, and how two models lie to each other.
static asked ask_all(const two_models *two)
{
    asked out = {0};
    graze_pose moved = still, beside = still;
    graze_ray_def all = graze_ray_def_default();
    graze_penetration_def rough = graze_penetration_def_default();
    double start[3] = {-2, -0.0625, 0.25}, end[3] = {2, 0.125, -0.25}, point[3] = {0.125, 0, 0.25};
    moved.translation[0] = 0.375;
    beside.translation[0] = 0.001;
    all.count_all = 1;
    rough.error = 0.5;
    out.status =
        graze_query_ray(two->query, graze_at(two->shape[0], &still), start, end, &all, &out.ray);
    if (out.status == GRAZE_OK)
        out.status =
            graze_query_inside(two->query, graze_at(two->shape[0], &still), point, &out.place);
    if (out.status == GRAZE_OK)
        out.status = graze_query_contain(two->query, graze_at(two->shape[0], &still),
                                         graze_at(two->shape[1], &beside), &out.nesting);
    if (out.status == GRAZE_OK)
        out.status = graze_query_penetration(two->query, graze_at(two->shape[0], &still),
                                             graze_at(two->shape[1], &moved), &rough, &out.depth);
    return out;
}

static void check_same(asked *got, asked *want)
{
    assert_true(same_ray(&got->ray, &want->ray) && got->ray.hit_count >= 2);
    assert_true(got->place == want->place && got->place == GRAZE_PLACE_INSIDE);
    assert_true(got->nesting.nesting == want->nesting.nesting);
    assert_true(same_depth(&got->depth, &want->depth) && got->depth.low > 0.01);
}

// All that the context holds stays within the cache's limit, and an eighth of it while edges are
// followed, beside what open models and the query hold; with the same answers for every size.
static void limit_holds(void **state)
{
    (void)state;
    char a[MODEL_PATH_BYTES], b[MODEL_PATH_BYTES];
    two_models_write("sphere", 40000, a);
    two_models_write("torus", 30000, b);
    asked first = {0};
    for (uint64_t mib = 2; mib <= 32; mib *= 4) {
        graze_context *context = both_ways_context(2, mib, 0);
        two_models two;
        assert_int_equal(two_models_open(context, a, b, &two), GRAZE_OK);
        uint64_t open = graze_context_memory(context).current_bytes;
        asked got = ask_all(&two);
        assert_int_equal(got.status, GRAZE_OK);
        if (mib == 2)
            first = got;
        check_same(&got, &first);
        graze_cache_use use = graze_model_cache_use(two.model[0]);
        assert_true(use.peak_bytes <= use.limit_bytes && use.loads > 60);
        uint64_t edges = use.limit_bytes / 8 + (UINT64_C(256) << 10), scratch = UINT64_C(1) << 20;
        assert_true(graze_context_memory(context).peak_bytes <=
                    open + use.limit_bytes + edges + scratch);
        two_models_close(&two);
        test_context_done(context);
    }
    unlink(a);
    unlink(b);
}

static char path_a[MODEL_PATH_BYTES], path_b[MODEL_PATH_BYTES];

static graze_status open_and_ask(graze_context *context, void *data)
{
    two_models two;
    context->def.cache_byte_limit = UINT64_C(4) << 20;
    graze_status status = two_models_open(context, path_a, path_b, &two);
    if (status == GRAZE_OK) {
        asked got = ask_all(&two);
        status = got.status;
        if (status == GRAZE_OK)
            check_same(&got, data);
    }
    two_models_close(&two);
    return status;
}

static int cancel_after(void *user) { return (*(int64_t *)user)-- <= 0; }

static asked ask_two(uint32_t sphere, uint32_t torus)
{
    two_models_write("sphere", sphere, path_a);
    two_models_write("torus", torus, path_b);
    graze_context *context = both_ways_context(1, 2, 0);
    two_models two;
    assert_int_equal(two_models_open(context, path_a, path_b, &two), GRAZE_OK);
    asked want = ask_all(&two);
    assert_int_equal(want.status, GRAZE_OK);
    two_models_close(&two);
    test_context_done(context);
    return want;
}

static void failing_leaves_nothing(void **state)
{
    (void)state;
    asked want = ask_two(4000, 3000);
    assert_true(test_all_faults(open_and_ask, &want, 1) > 100);
    unlink(path_a);
    unlink(path_b);
}

static void cancelling_leaves_nothing(void **state)
{
    (void)state;
    asked want = ask_two(20000, 15000);
    graze_status status = GRAZE_ERROR_CANCELLED;
    int rounds = 0;
    for (int64_t patience = 0; status == GRAZE_ERROR_CANCELLED; patience += 1 + patience / 4) {
        int64_t left = patience;
        graze_context_def def = graze_context_def_default();
        def.user = &left;
        def.cancel = cancel_after;
        graze_context *context = test_context(&def);
        status = open_and_ask(context, &want);
        test_context_done(context);
        rounds++;
    }
    assert_int_equal(status, GRAZE_OK);
    assert_true(rounds > 8);
    unlink(path_a);
    unlink(path_b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_are_the_same),      cmocka_unit_test(insides_are_the_same),
        cmocka_unit_test(pieces_are_joined),      cmocka_unit_test(many_pieces),
        cmocka_unit_test(depths_are_the_same),    cmocka_unit_test(limit_holds),
        cmocka_unit_test(failing_leaves_nothing), cmocka_unit_test(cancelling_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
