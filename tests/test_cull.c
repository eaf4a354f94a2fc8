// graze_cull_frame: pairs, counts and verdicts against the oracle, for all widths and numbers of
// threads, of different objects and of one.
#include "test.h"

#include <math.h>

#include "frame_soups.h"
#include "nasty.h"

static graze_cull *make_cull(graze_context *context)
{
    graze_cull *cull = NULL;
    assert_int_equal(graze_cull_create(context, NULL, &cull), GRAZE_OK);
    return cull;
}

static graze_cull_answer ask(graze_cull *cull, const frame_case *c, graze_cull_frame_def def)
{
    graze_cull_answer answer;
    assert_int_equal(graze_cull_frame(cull, c->views, c->object_count, &def, &answer), GRAZE_OK);
    assert_int_equal(answer.refused_count, 0);
    return answer;
}

static void ask_all_ways(graze_cull *cull, const frame_case *c)
{
    graze_cull_frame_def def = graze_cull_frame_def_default();
    def.tolerance = c->tolerance;
    for (uint32_t way = 0; way < 3; ++way) {
        def.self = way != 0;
        def.only_self = way == 2;
        def.collect = GRAZE_COLLECT_PAIRS;
        graze_cull_answer answer = ask(cull, c, def);
        frame_case_check(c, &answer, def.self, def.only_self);
        uint64_t pairs = answer.pair_count, objects = answer.object_pair_count;

        def.collect = GRAZE_COLLECT_CONTACTS;
        answer = ask(cull, c, def);
        frame_case_check(c, &answer, def.self, def.only_self);

        def.collect = GRAZE_COLLECT_COUNT;
        answer = ask(cull, c, def);
        assert_true(answer.pair_count == pairs && answer.pairs == NULL && answer.complete);
        assert_int_equal(answer.object_pair_count, objects);

        def.collect = GRAZE_COLLECT_VERDICT;
        answer = ask(cull, c, def);
        assert_true(answer.pair_count == objects && answer.object_pair_count == objects);
        assert_int_equal(answer.verdict, objects != 0 ? GRAZE_CONTACT : GRAZE_APART);
    }
}

// One for each width and for one to three threads.
enum { CULLS = 6 };

typedef struct culls {
    graze_context *context[CULLS];
    graze_cull *cull[CULLS];
    uint32_t count;
} culls;

static int open_culls(void **state)
{
    static culls c;
    c = (culls){.count = 0};
    for (uint32_t i = 0; i < 3; ++i) {
        graze_context_def def = graze_context_def_default();
        def.thread_count = i + 1;
        c.context[c.count++] = test_context(&def);
    }
    for (int simd = GRAZE_SIMD_SCALAR; simd <= GRAZE_SIMD_AVX2; ++simd)
        if ((c.context[c.count] = test_context_of_width((graze_simd)simd)) != NULL)
            c.count++;
    for (uint32_t i = 0; i < c.count; ++i)
        c.cull[i] = make_cull(c.context[i]);
    *state = &c;
    return 0;
}

static int close_culls(void **state)
{
    culls *c = *state;
    for (uint32_t i = 0; i < c->count; ++i) {
        graze_cull_free(c->cull[i]);
        test_context_done(c->context[i]);
    }
    return 0;
}

static void answers_are_those_of_the_oracle(void **state)
{
    culls *k = *state;
    static frame_case c;
    uint64_t contacts[2] = {0, 0};
    for (uint64_t seed = 1; seed <= TEST_CHANCES(240); ++seed) {
        frame_case_make(&c, seed, seed % 4 == 0 ? FRAME_TRIANGLES : 12);
        frame_case_solve(&c);
        ask_all_ways(k->cull[seed % k->count], &c);
        ask_all_ways(k->cull[(seed / 7 + 1) % k->count], &c);
        contacts[0] += c.contacts[0];
        contacts[1] += c.contacts[1];
    }
    assert_true(contacts[0] > 1000 && contacts[1] > 1000);
}

static void order_of_objects_changes_their_numbers_only(void **state)
{
    culls *k = *state;
    static frame_case c, turned;
    for (uint64_t seed = 1; seed <= TEST_CHANCES(60); ++seed) {
        frame_case_make(&c, seed, 12);
        frame_case_solve(&c);
        turned = c;
        uint32_t n = c.object_count, shift = n != 0 ? (uint32_t)(seed % n) : 0;
        for (uint32_t a = 0; a < n; ++a) {
            uint32_t new_a = n - 1 - (a + shift) % n;
            turned.views[new_a] = c.views[a];
            for (uint32_t b = a; b < n; ++b) {
                uint32_t new_b = n - 1 - (b + shift) % n;
                for (uint32_t t = 0; t < FRAME_TRIANGLES; ++t)
                    for (uint32_t u = 0; u < FRAME_TRIANGLES; ++u)
                        if (new_a <= new_b)
                            turned.contact[new_a][new_b][t][u] = c.contact[a][b][t][u];
                        else
                            turned.contact[new_b][new_a][u][t] = c.contact[a][b][t][u];
            }
        }
        ask_all_ways(k->cull[seed % k->count], &turned);
    }
}

// --- Single pairs that are constructed to be hard, as two objects and as one.

static const uint32_t six[6] = {0, 1, 2, 3, 4, 5};

static graze_mesh_view view_of(const graze_triangle *triangles, uint64_t count)
{
    return (graze_mesh_view){.precision = GRAZE_FLOAT64,
                             .vertex_count = 3 * count,
                             .triangle_count = count,
                             .positions = triangles,
                             .corners = six};
}

static void check_pair(graze_cull *cull, oracle *o, const graze_triangle pair[2], double tolerance)
{
    graze_cull_frame_def def = graze_cull_frame_def_default();
    graze_cull_answer answer;
    def.tolerance = tolerance;
    graze_mesh_view two[2] = {view_of(&pair[0], 1), view_of(&pair[1], 1)}, one = view_of(pair, 2);
    assert_int_equal(graze_cull_frame(cull, two, 2, &def, &answer), GRAZE_OK);
    assert_int_equal(answer.pair_count, frame_in_contact(o, &pair[0], &pair[1], false, tolerance));
    def.self = 1;
    assert_int_equal(graze_cull_frame(cull, &one, 1, &def, &answer), GRAZE_OK);
    assert_int_equal(answer.pair_count, frame_in_contact(o, &pair[0], &pair[1], true, tolerance));
}

static void nasty_pairs_are_those_of_the_oracle(void **state)
{
    culls *k = *state;
    oracle *o = oracle_create();
    for (int kind = 0; kind < nasty_kind_count(); ++kind)
        for (uint64_t i = 0; i < TEST_CHANCES(40); ++i) {
            nasty_pair p;
            nasty_make(5, kind, i, &p);
            const graze_triangle pair[2] = {p.a, p.b};
            graze_cull *cull = k->cull[i % k->count];
            check_pair(cull, o, pair, 0);
            check_pair(cull, o, pair, p.tolerance);
        }
    oracle_destroy(o);
}

// Two triangles on corners of which some are the same, on a grid, nearly flat, or anywhere.
static void neighbours_are_those_of_the_oracle(void **state)
{
    culls *k = *state;
    oracle *o = oracle_create();
    test_random random = {77};
    uint64_t in_contact = 0, rounds = TEST_CHANCES(8000);
    for (uint64_t i = 0; i < rounds; ++i) {
        graze_triangle pair[2];
        double flat = i % 3 == 0 ? 1 : i % 3 == 1 ? 0x1p-30 : 0x1p-52;
        for (int t = 0; t < 2; ++t)
            for (int c = 0; c < 3; ++c)
                for (int axis = 0; axis < 3; ++axis) {
                    double x = i % 2 == 0 ? (double)(test_next(&random) % 5) - 2
                                          : soup_between(&random, -2, 2);
                    pair[t].corner[c][axis] = axis == (int)(i / 6 % 3) ? x * flat : x;
                }
        for (uint64_t c = 0; c < 1 + i / 2 % 3; ++c)
            memcpy(pair[1].corner[test_next(&random) % 3], pair[0].corner[test_next(&random) % 3],
                   sizeof pair[0].corner[0]);
        bool yes = frame_in_contact(o, &pair[0], &pair[1], true, 0);
        graze_cull_frame_def def = graze_cull_frame_def_default();
        graze_cull_answer answer;
        graze_mesh_view one = view_of(pair, 2);
        def.only_self = 1;
        def.tolerance = i % 5 == 0 ? 0.5 : 0; // they have corners in common: it plays no role
        assert_int_equal(graze_cull_frame(k->cull[i % k->count], &one, 1, &def, &answer), GRAZE_OK);
        assert_int_equal(answer.pair_count, yes);
        in_contact += yes;
    }
    assert_true(in_contact > rounds / 20 && in_contact < rounds * 19 / 20);
    oracle_destroy(o);
}

// The same with corners of equal numbers: a fan around one vertex, closed and flat but for a
// little, so that all pairs have one or two of them.
static void fans_are_those_of_the_oracle(void **state)
{
    culls *k = *state;
    oracle *o = oracle_create();
    test_random random = {78};
    for (uint64_t round = 0; round < TEST_CHANCES(400); ++round) {
        enum { SPOKES = 7 };
        float position[SPOKES + 1][3] = {{0, 0, 0}};
        uint32_t corners[SPOKES][3];
        float height = round % 3 == 0 ? 0 : round % 3 == 1 ? 1e-6f : 0.3f;
        double turns =
            round % 4 == 3 ? 2.0 / SPOKES : 1.0 / SPOKES; // twice around: it meets itself
        int up = (int)(round % 3);
        for (uint32_t i = 0; i < SPOKES; ++i) {
            double angle = 6.283185307179586 * ((double)i * turns + 0.05 * test_unit(&random));
            position[i + 1][(up + 1) % 3] = (float)cos(angle);
            position[i + 1][(up + 2) % 3] = (float)sin(angle);
            position[i + 1][up] = height * (float)soup_between(&random, -1, 1);
            corners[i][0] = 0;
            corners[i][1] = i + 1;
            corners[i][2] = (i + 1) % SPOKES + 1;
        }
        graze_mesh_view view = {.precision = GRAZE_FLOAT32,
                                .vertex_count = SPOKES + 1,
                                .triangle_count = SPOKES,
                                .positions = position,
                                .corners = corners[0]};
        graze_cull_frame_def def = graze_cull_frame_def_default();
        graze_cull_answer answer;
        def.self = 1;
        assert_int_equal(graze_cull_frame(k->cull[round % k->count], &view, 1, &def, &answer),
                         GRAZE_OK);
        uint64_t next = 0;
        for (uint32_t t = 0; t < SPOKES; ++t)
            for (uint32_t u = t + 1; u < SPOKES; ++u) {
                graze_triangle a, b;
                for (uint32_t c = 0; c < 3; ++c) {
                    graze_mesh_view_corner(&view, t, c, a.corner[c]);
                    graze_mesh_view_corner(&view, u, c, b.corner[c]);
                }
                if (!frame_in_contact(o, &a, &b, true, 0))
                    continue;
                assert_true(next < answer.pair_count && answer.pairs[next].a == t &&
                            answer.pairs[next].b == u);
                ++next;
            }
        assert_int_equal(next, answer.pair_count);
    }
    oracle_destroy(o);
}

// --- Many objects

static void thousands_of_objects_are_paired(void **state)
{
    culls *k = *state;
    enum { MOST = 3000 };
    static graze_triangle triangles[MOST];
    static graze_mesh_view views[MOST];
    test_random random = {79};
    for (uint32_t count = 0; count <= TEST_CHANCES(MOST); count = 5 * count / 2 + 1) {
        uint64_t expected = 0, next = 0;
        for (uint32_t i = 0; i < count; ++i) {
            double middle[3], reach = 1.5 / cbrt(count);
            for (int axis = 0; axis < 3; ++axis)
                middle[axis] = test_unit(&random);
            for (int c = 0; c < 9; ++c)
                triangles[i].corner[c / 3][c % 3] =
                    middle[c % 3] + soup_between(&random, -reach, reach) / 2;
            views[i] = view_of(&triangles[i], 1);
        }
        graze_cull_answer answer;
        assert_int_equal(graze_cull_frame(k->cull[count % k->count], views, count, NULL, &answer),
                         GRAZE_OK);
        for (uint32_t a = 0; a < count; ++a)
            for (uint32_t b = a + 1; b < count; ++b)
                if (graze_triangle_meet(&triangles[a], &triangles[b])) {
                    assert_true(next < answer.object_pair_count && answer.objects[next].a == a &&
                                answer.objects[next].b == b);
                    ++next;
                    ++expected;
                }
        assert_int_equal(answer.object_pair_count, expected);
        assert_int_equal(answer.pair_count, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_the_oracle),
        cmocka_unit_test(order_of_objects_changes_their_numbers_only),
        cmocka_unit_test(nasty_pairs_are_those_of_the_oracle),
        cmocka_unit_test(neighbours_are_those_of_the_oracle),
        cmocka_unit_test(fans_are_those_of_the_oracle),
        cmocka_unit_test(thousands_of_objects_are_paired),
    };
    return cmocka_run_group_tests(tests, open_culls, close_culls);
}
