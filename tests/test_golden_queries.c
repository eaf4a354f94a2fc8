// The same question about two meshes gives the same bits: answers and counters, for gcc and clang,
// -O0 and -O3, every SIMD width, and where work runs out. Answers are also the same for both
// layouts and any number of threads. That they are right is for test_pairs, test_distance and
// others to show.
#include "test.h"

#include <math.h>

#include "answers.h"
#include "shapes.h"
#include "soups.h"

// Changes when an answer changes: a new choice, where the library is free to choose, goes into
// CHANGELOG.md.
static const uint64_t golden_answers = UINT64_C(0xfbe1b86d394605bf);
// Of the fast and of the compact layout. They change with the way in which answers are found, which
// is no more than a reason to look twice.
static const uint64_t golden_counters[2] = {UINT64_C(0x36af9025e4fa2411),
                                            UINT64_C(0xad2725b8fb608bd1)};
static const uint64_t golden_limited[2] = {UINT64_C(0x9df43c094b1dd21e),
                                           UINT64_C(0xa2b81460ff91d8f6)};
static const uint64_t golden_size_answers = UINT64_C(0x6a2563c0fe3b42bd);
static const uint64_t golden_size_counters[2] = {UINT64_C(0x77916bf9135ab7c6),
                                                 UINT64_C(0x77916bf9135ab7c6)};
static const uint64_t golden_front_answers = UINT64_C(0x7d21cfc60e4f99f7);
static const uint64_t golden_front_counters[2] = {UINT64_C(0xd4007bdc5a3694ca),
                                                  UINT64_C(0x562a4f90ff45d593)};
static const uint64_t golden_near_answers = UINT64_C(0xa7b1a6a50679ceb7);
static const uint64_t golden_near_counters[2] = {UINT64_C(0x7a9eeb8f17086d8c),
                                                 UINT64_C(0xa28fa712899d42bd)};

// Two meshes, and poses of both.
enum { SCENES = 5, POSES = 6, SOUP = 60 };
typedef struct scene {
    const graze_mesh_view *view[2];
    graze_pose pose[POSES][2];
} scene;

static graze_context *maker;
static graze_mesh *meshes[4];
static graze_mesh_view views[4];
static soup soups[2];
static scene scenes[SCENES];

static void make_mesh(int number, const char *kind, graze_precision precision)
{
    generator_shape_def def = {
        .kind = kind, .triangle_count = 900, .size = 2, .precision = precision};
    assert_int_equal(generator_shape_make(maker, &def, &meshes[number]), GRAZE_OK);
    views[number] = graze_mesh_get(meshes[number]);
}

// Turned anyhow, from apart to deep in each other.
static void scene_make(scene *s, uint64_t seed, const graze_mesh_view *a, const graze_mesh_view *b)
{
    test_random random = {seed};
    s->view[0] = a;
    s->view[1] = b;
    for (int i = 0; i < POSES; ++i)
        for (int side = 0; side < 2; ++side) {
            double turn[4], shift[3];
            for (int k = 0; k < 4; ++k)
                turn[k] = soup_between(&random, -1, 1);
            for (int k = 0; k < 3; ++k)
                shift[k] =
                    (side == 0 ? -1 : 1) * (POSES - 1 - i) * soup_between(&random, 0.05, 0.25);
            graze_pose_from_quaternion(turn, shift, &s->pose[i][side]);
        }
}

static int make_scenes(void **state)
{
    (void)state;
    test_random random = {77};
    maker = test_context(NULL);
    make_mesh(0, "sphere", GRAZE_FLOAT32);
    make_mesh(1, "knot", GRAZE_FLOAT64);
    make_mesh(2, "gear", GRAZE_FLOAT32);
    make_mesh(3, "sphere", GRAZE_FLOAT64);
    for (int i = 0; i < 2; ++i)
        soup_make(&random, &soups[i], SOUP, 0.5, 0, i == 0);
    scene_make(&scenes[0], 1, &views[0], &views[1]);
    scene_make(&scenes[1], 2, &views[2], &views[3]);
    scene_make(&scenes[2], 3, &views[1], &views[2]);
    scene_make(&scenes[3], 4, &soups[0].view, &soups[1].view);
    scene_make(&scenes[4], 5, &views[2], &soups[1].view);
    return 0;
}

static int free_scenes(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i)
        graze_mesh_free(meshes[i]);
    test_context_done(maker);
    return 0;
}

// What is hashed, apart: answers that depend on the question alone, and the rest.
typedef struct hashes {
    uint64_t answers, counters;
    uint64_t unlike[3]; // answers by verdict
} hashes;

typedef struct asked {
    graze_query *query;
    graze_shape *shape[2];
    const graze_pose *pose[2];
    uint32_t use_threads;
    hashes *out;
} asked;

static uint64_t hash_vector(uint64_t hash, const double v[3])
{
    for (int i = 0; i < 3; ++i)
        hash = answers_hash_double(hash, v[i]);
    return hash;
}

static void hash_counters(hashes *out, const graze_counters *c)
{
    const uint64_t words[4] = {c->work, c->box_tests, c->triangle_tests, c->exact_tests};
    for (int i = 0; i < 4; ++i)
        out->counters = answers_hash_word(out->counters, words[i]);
}

static uint64_t hash_answer(uint64_t hash, const graze_answer *answer)
{
    const uint64_t words[3] = {answer->verdict, answer->complete, answer->pair_count};
    for (int i = 0; i < 3; ++i)
        hash = answers_hash_word(hash, words[i]);
    for (uint64_t i = 0; i < answer->pair_count && answer->pairs != NULL; ++i)
        hash = answers_hash_word(hash, (uint64_t)answer->pairs[i].a << 32 | answer->pairs[i].b);
    for (uint64_t i = 0; i < answer->pair_count && answer->contacts != NULL; ++i) {
        const graze_contact *c = &answer->contacts[i];
        hash = hash_vector(hash_vector(hash, c->point_a), c->point_b);
        hash = answers_hash_double(hash_vector(hash, c->normal), c->depth);
    }
    return hash;
}

// Which pairs are listed, where not all are, depends on the way in which they are found.
static void ask_collide(const asked *a, graze_collide_def def)
{
    graze_answer answer;
    def.use_threads = a->use_threads;
    assert_int_equal(graze_query_collide(a->query, graze_at(a->shape[0], a->pose[0]),
                                         graze_at(a->shape[1], a->pose[1]), &def, &answer),
                     GRAZE_OK);
    bool whole = answer.complete || def.collect == GRAZE_COLLECT_VERDICT;
    whole = whole && def.work_limit == 0;
    uint64_t *hash = whole ? &a->out->answers : &a->out->counters;
    *hash = hash_answer(*hash, &answer);
    hash_counters(a->out, &answer.counters);
    a->out->unlike[answer.verdict]++;
}

static void ask_distance(const asked *a, graze_distance_def def)
{
    graze_distance d;
    assert_int_equal(graze_query_distance(a->query, graze_at(a->shape[0], a->pose[0]),
                                          graze_at(a->shape[1], a->pose[1]), &def, &d),
                     GRAZE_OK);
    uint64_t hash = answers_hash_word(ANSWERS_HASH_BEGIN, d.verdict);
    hash = answers_hash_double(answers_hash_double(hash, d.distance), d.least);
    if (!def.value_only && d.distance < HUGE_VAL) {
        hash = answers_hash_word(hash, (uint64_t)d.pair.a << 32 | d.pair.b);
        hash = hash_vector(hash_vector(hash, d.point_a), d.point_b);
    }
    uint64_t *to = def.work_limit != 0 ? &a->out->counters : &a->out->answers;
    *to = answers_hash_word(*to, hash);
    hash_counters(a->out, &d.counters);
    a->out->unlike[d.verdict]++;
}

static void ask_rays(const asked *a)
{
    for (int i = 0; i < 12; ++i) {
        const double start[3] = {-2 + 0.03 * i, 0.1 * i - 0.6, 3}, end[3] = {2, 0.5 - 0.1 * i, -3};
        graze_ray_def def = graze_ray_def_default();
        def.count_all = (uint32_t)i % 2;
        graze_ray ray;
        assert_int_equal(graze_query_ray(a->query, graze_at(a->shape[i % 3 % 2], a->pose[0]), start,
                                         end, &def, &ray),
                         GRAZE_OK);
        const uint64_t words[4] = {ray.hit, ray.triangle, ray.hit_count, ray.unclean_count};
        for (int k = 0; k < 4; ++k)
            a->out->answers = answers_hash_word(a->out->answers, words[k]);
        a->out->answers = hash_vector(answers_hash_double(a->out->answers, ray.t), ray.point);
        hash_counters(a->out, &ray.counters);
    }
}

static void ask_nesting(const asked *a)
{
    graze_containment c;
    assert_int_equal(graze_query_contain(a->query, graze_at(a->shape[0], a->pose[0]),
                                         graze_at(a->shape[1], a->pose[1]), &c),
                     GRAZE_OK);
    a->out->answers = answers_hash_word(a->out->answers, c.nesting);
    hash_counters(a->out, &c.counters);
}

static void ask_penetration(const asked *a, uint64_t work_limit)
{
    graze_penetration_def def = graze_penetration_def_default();
    def.error = 0.1;
    def.work_limit = work_limit;
    graze_penetration p;
    assert_int_equal(graze_query_penetration(a->query, graze_at(a->shape[0], a->pose[0]),
                                             graze_at(a->shape[1], a->pose[1]), &def, &p),
                     GRAZE_OK);
    uint64_t hash = answers_hash_word(ANSWERS_HASH_BEGIN, (uint64_t)p.verdict << 32 | p.defined);
    hash = answers_hash_double(answers_hash_double(hash, p.low), p.high);
    if (p.low > 0)
        hash = hash_vector(hash_vector(hash, p.point), p.surface);
    uint64_t *to = work_limit != 0 ? &a->out->counters : &a->out->answers;
    *to = answers_hash_word(*to, hash);
    hash_counters(a->out, &p.counters);
}

static const double tolerances[3] = {0, 0.002, 0.1};

static void ask_everything(const asked *a)
{
    graze_collide_def collide = graze_collide_def_default();
    for (int i = 0; i < 11; ++i) { // no contacts within the largest: they are many
        collide.collect = (graze_collect)(i % 4);
        collide.tolerance = tolerances[i / 4];
        ask_collide(a, collide);
    }
    collide.collect = GRAZE_COLLECT_PAIRS;
    collide.pair_limit = 7;
    ask_collide(a, collide);
    graze_distance_def distance = graze_distance_def_default();
    ask_distance(a, distance);
    distance.value_only = 1;
    ask_distance(a, distance);
    distance.limit = 0.05;
    ask_distance(a, distance);
    ask_rays(a);
    ask_nesting(a);
}

// As much work as was asked for, from next to nothing to more than it takes.
static void ask_limited(const asked *a)
{
    graze_collide_def collide = graze_collide_def_default();
    graze_distance_def distance = graze_distance_def_default();
    uint32_t turn = 0;
    for (uint64_t limit = 1; limit < 400000; limit += limit / 2 + 1, ++turn) {
        collide.collect = (graze_collect)(turn % 4);
        collide.tolerance = tolerances[turn / 4 % (turn % 4 == GRAZE_COLLECT_CONTACTS ? 2 : 3)];
        collide.work_limit = distance.work_limit = limit;
        distance.value_only = turn % 2;
        ask_collide(a, collide);
        ask_distance(a, distance);
    }
}

static const hashes nothing = {ANSWERS_HASH_BEGIN, ANSWERS_HASH_BEGIN, {0, 0, 0}};

// Two shapes and a query, without poses.
static asked begin(graze_context *context, graze_layout layout, const graze_mesh_view *a,
                   const graze_mesh_view *b, hashes *out)
{
    asked made = {.out = out};
    graze_shape_def def = graze_shape_def_default();
    def.layout = layout;
    assert_int_equal(graze_shape_create(context, a, &def, &made.shape[0]), GRAZE_OK);
    assert_int_equal(graze_shape_create(context, b, &def, &made.shape[1]), GRAZE_OK);
    assert_int_equal(graze_query_create(context, &made.query), GRAZE_OK);
    return made;
}

static void end(asked *a)
{
    graze_query_free(a->query);
    graze_shape_free(a->shape[0]);
    graze_shape_free(a->shape[1]);
}

typedef void asking(const asked *a);

// One query for all poses of a scene, or a fresh one for each.
static hashes ask_scenes(graze_context *context, graze_layout layout, uint32_t use_threads,
                         bool fresh, asking *ask, uint64_t work_limit)
{
    hashes out = nothing;
    for (int i = 0; i < SCENES; ++i) {
        asked a = begin(context, layout, scenes[i].view[0], scenes[i].view[1], &out);
        a.use_threads = use_threads;
        for (int k = 0; k < POSES; ++k) {
            a.pose[0] = &scenes[i].pose[k][0];
            a.pose[1] = &scenes[i].pose[k][1];
            ask(&a);
            if (i < 2 && k == POSES - 2)
                ask_penetration(&a, work_limit);
            if (!fresh)
                continue;
            graze_query_free(a.query);
            assert_int_equal(graze_query_create(context, &a.query), GRAZE_OK);
        }
        end(&a);
    }
    return out;
}

static hashes everything(graze_context *context, graze_layout layout)
{
    hashes out = ask_scenes(context, layout, 0, false, ask_everything, 0);
    assert_true(out.unlike[GRAZE_APART] > 20 && out.unlike[GRAZE_CONTACT] > 100);
    return out;
}

static hashes limited(graze_context *context, graze_layout layout)
{
    hashes out = ask_scenes(context, layout, 0, false, ask_limited, 20000);
    assert_true(out.unlike[GRAZE_UNDECIDED] > 50 && out.unlike[GRAZE_CONTACT] > 50);
    return out;
}

// A mesh that has moved from itself by about what floats can tell: whether they leave a pair of
// triangles open is then a matter of their last bits.
static hashes nearly_the_same(graze_context *context, graze_layout layout)
{
    hashes out = nothing;
    asked a = begin(context, layout, &views[1], &views[1], &out);
    for (int i = 0; i < 14 * POSES; ++i) {
        graze_pose pose = scenes[i % 5].pose[i % POSES][0], moved = pose;
        for (int axis = 0; axis < 3; ++axis)
            moved.translation[axis] += ldexp(axis + 1, -8 - i / POSES);
        a.pose[0] = &pose;
        a.pose[1] = &moved;
        graze_collide_def def = graze_collide_def_default();
        def.collect = GRAZE_COLLECT_COUNT;
        ask_collide(&a, def);
    }
    end(&a);
    return out;
}

// Slow motion with a front, which now and then a question with a limit comes into.
static hashes along_a_path(graze_context *context, graze_layout layout)
{
    hashes out = nothing;
    asked a = begin(context, layout, scenes[2].view[0], scenes[2].view[1], &out);
    graze_front *front = NULL;
    assert_int_equal(graze_front_create(context, &front), GRAZE_OK);
    a.pose[0] = &scenes[2].pose[4][0];
    for (int i = 0; i < 60; ++i) {
        graze_pose moved = scenes[2].pose[4][1];
        moved.translation[0] += 1e-4 * i;
        a.pose[1] = &moved;
        graze_collide_def def = graze_collide_def_default();
        def.collect = GRAZE_COLLECT_PAIRS;
        def.front = front;
        def.tolerance = i < 30 ? 0 : 0.01;
        def.work_limit = i % 7 == 6 ? 5000 : 0;
        ask_collide(&a, def);
    }
    graze_front_free(front);
    end(&a);
    return out;
}

// Tiny triangles beside others, and huge ones: in the frame of a tiny leaf floats overflow, and
// infinities make NaN.
static hashes of_all_sizes(graze_context *context, graze_layout layout)
{
    static soup uneven, huge;
    test_random random = {5};
    hashes out = nothing;
    soup_make(&random, &uneven, SOUP, 1, 0, false);
    soup_make(&random, &huge, SOUP / 6, 1, 0, false);
    for (uint32_t i = 0; i < 3 * uneven.view.vertex_count; ++i)
        uneven.position[i] *= i % 5 == 0 ? 1 : i % 2 == 0 ? 0x1p-70 : 0x1p-40;
    for (uint32_t i = 0; i < 3 * huge.view.vertex_count; ++i)
        huge.position[i] *= i % 4 == 0 ? 0x1p90 : i % 4 == 1 ? 0x1p60 : 1;
    asked a = begin(context, layout, &uneven.view, &huge.view, &out);
    for (int i = 0; i < 3 * POSES; ++i) {
        a.pose[0] = &scenes[0].pose[i % POSES][0];
        a.pose[1] = &scenes[0].pose[i % POSES][1];
        graze_collide_def def = graze_collide_def_default();
        def.collect = (graze_collect)(i / POSES % 2);
        def.tolerance = i / POSES == 2 ? 0.01 : 0;
        ask_collide(&a, def);
        ask_distance(&a, graze_distance_def_default());
    }
    end(&a);
    return out;
}

static graze_context *context_of(graze_simd simd, uint32_t threads)
{
    graze_context *probe = test_context_of_width(simd);
    if (probe == NULL)
        return NULL;
    test_context_done(probe);
    graze_context_def def = graze_context_def_default();
    def.simd = simd;
    def.thread_count = threads;
    return test_context(&def);
}

static int wrong_hash(const char *what, int simd, int layout, uint64_t hash, uint64_t golden)
{
    if (hash == golden)
        return 0;
    print_message("SIMD width %d, layout %d: %s hash to 0x%016llx\n", simd, layout, what,
                  (unsigned long long)hash);
    return 1;
}

// By every width that there is, in both layouts.
static void check_golden(hashes (*hash)(graze_context *context, graze_layout layout),
                         uint64_t golden, const uint64_t counters[2])
{
    int wrong = 0;
    for (int simd = GRAZE_SIMD_SCALAR; simd <= GRAZE_SIMD_AVX512; ++simd) {
        graze_context *context = context_of((graze_simd)simd, 1);
        for (int layout = 0; layout < 2 && context != NULL; ++layout) {
            hashes h = hash(context, (graze_layout)layout);
            wrong += wrong_hash("answers", simd, layout, h.answers, golden);
            wrong += wrong_hash("counters", simd, layout, h.counters, counters[layout]);
        }
        if (context != NULL)
            test_context_done(context);
    }
    assert_int_equal(wrong, 0);
}

static void answers_and_counters_are_golden(void **state)
{
    (void)state;
    test_of_one_thread();
    check_golden(everything, golden_answers, golden_counters);
}

// The same question with the same limit: as far, and no farther. What comes out whole depends on
// how far that is, which is another matter for each layout.
static void limits_of_work_are_golden(void **state)
{
    (void)state;
    test_of_one_thread();
    check_golden(limited, ANSWERS_HASH_BEGIN, golden_limited);
}

static void last_bits_are_golden(void **state)
{
    (void)state;
    test_of_one_thread();
    check_golden(nearly_the_same, golden_near_answers, golden_near_counters);
}

static void fronts_are_golden(void **state)
{
    (void)state;
    test_of_one_thread();
    check_golden(along_a_path, golden_front_answers, golden_front_counters);
}

static void all_sizes_are_golden(void **state)
{
    (void)state;
    test_of_one_thread();
    check_golden(of_all_sizes, golden_size_answers, golden_size_counters);
}

// On threads boxes are compared more than once, so answers only; shapes that threads have built are
// the same, and so are counters then, whatever a query was asked before.
static void threads_are_golden(void **state)
{
    (void)state;
    int wrong = 0;
    graze_context *context = context_of(GRAZE_SIMD_BEST, 3);
    for (int layout = 0; layout < 2; ++layout) {
        hashes h = ask_scenes(context, (graze_layout)layout, 1, false, ask_everything, 0);
        wrong += wrong_hash("answers on threads", 0, layout, h.answers, golden_answers);
        h = ask_scenes(context, (graze_layout)layout, 0, true, ask_everything, 0);
        wrong += wrong_hash("answers of fresh queries", 0, layout, h.answers, golden_answers);
        wrong += wrong_hash("counters", 0, layout, h.counters, golden_counters[layout]);
    }
    test_context_done(context);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_and_counters_are_golden),
        cmocka_unit_test(limits_of_work_are_golden),
        cmocka_unit_test(last_bits_are_golden),
        cmocka_unit_test(fronts_are_golden),
        cmocka_unit_test(all_sizes_are_golden),
        cmocka_unit_test(threads_are_golden),
    };
    return cmocka_run_group_tests(tests, make_scenes, free_scenes);
}
