// Simulations as programs use them: the same for any number of threads, bad bodies refused in a
// sentence, bodies in each other, things that push, piles, and records that can be gone along.
#include "sim_bodies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static graze_context *context_of_threads(uint32_t threads)
{
    graze_context_def def = graze_context_def_default();
    def.thread_count = threads;
    return test_context(&def);
}

static void random_pose(test_random *random, const double at[3], graze_pose *pose)
{
    double axis[3] = {test_unit(random) - 0.5, test_unit(random) - 0.5, test_unit(random) - 0.4};
    assert_int_equal(graze_pose_from_axis(axis, 3 * test_unit(random), at, pose), GRAZE_OK);
}

typedef struct parts {
    graze_shape *block, *ball, *floor;
} parts;

static parts make_parts(graze_context *context)
{
    return (parts){sim_box(context, 1, 0.6, 0.4), sim_ball(context, 80, 0.4),
                   sim_box(context, 30, 30, 1)};
}

static void free_parts(parts *p)
{
    graze_shape_free(p->block);
    graze_shape_free(p->ball);
    graze_shape_free(p->floor);
}

// Things that fall on a heap, and something that moves through it.
static graze_sim *make_heap(graze_context *context, const parts *p, uint32_t count)
{
    graze_sim_def def = graze_sim_def_default();
    graze_sim *sim = NULL;
    test_random random = {11};
    def.step = 0.005;
    def.restitution = 0.4;
    assert_int_equal(graze_sim_create(context, &def, &sim), GRAZE_OK);
    graze_pose pose = sim_at(0, 0, -0.5);
    sim_add_static(sim, p->floor, &pose);
    graze_waypoint way[2] = {{0, sim_at(-4, 0, 0.6)}, {2, sim_at(4, 0, 0.6)}};
    graze_body_def pusher = graze_body_def_default();
    pusher.kind = GRAZE_BODY_ON_PATH;
    pusher.shape = p->block;
    pusher.path = way;
    pusher.path_count = 2;
    assert_int_equal(graze_sim_add(sim, &pusher, NULL), GRAZE_OK);
    for (uint32_t i = 0; i < count; ++i) {
        double at[3] = {(i % 3 - 1.0) * 1.3, (i / 3 % 3 - 1.0) * 1.3, 1.8 + 1.3 * (i / 9)};
        double spin[3] = {test_unit(&random), 3 * test_unit(&random), 0};
        random_pose(&random, at, &pose);
        sim_add_moving(sim, i % 2 != 0 ? p->ball : p->block, &pose, NULL, spin);
    }
    return sim;
}

static void same_for_any_threads(void **state)
{
    (void)state;
    uint64_t hashes[3];
    const uint32_t threads[] = {1, 2, 4};
    for (int k = 0; k < 3; ++k) {
        graze_context *context = context_of_threads(threads[k]);
        parts p = make_parts(context);
        graze_sim *sim = make_heap(context, &p, 9);
        hashes[k] = 0;
        for (int i = 0; i < TEST_CHANCES(200); ++i) {
            sim_steps(sim, 1);
            hashes[k] = hashes[k] * 31 + sim_hash(sim);
        }
        graze_sim_free(sim);
        free_parts(&p);
        test_context_done(context);
    }
    assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

// Behind every step nothing is nearer than the floor, and nothing gains energy that nobody gave.
static void heaps_keep_apart(void **state)
{
    graze_context *context = *state;
    parts p = make_parts(context);
    graze_sim *sim = make_heap(context, &p, 12);
    for (int i = 0; i < TEST_CHANCES(250); ++i) {
        graze_sim_report report = sim_steps(sim, 1);
        double gap = sim_least_gap(context, sim);
        if (!(gap >= report.wanted_gap) || !(report.gap <= gap * (1 + 1e-9) || report.gap > gap))
            fail_msg("step %d: %.17g apart, %.17g wanted", i, gap, report.wanted_gap);
        for (uint32_t k = 2; k < graze_sim_body_count(sim); ++k) {
            graze_body_state s = sim_state(sim, k);
            double speed = hypot(hypot(s.velocity[0], s.velocity[1]), s.velocity[2]);
            assert_true(speed < 20 && s.position[2] > 0);
        }
    }
    graze_sim_free(sim);
    free_parts(&p);
}

// Without gravity and friction against anything else, momentum is kept, and energy never grows.
static void collisions_keep_momentum(void **state)
{
    graze_context *context = *state;
    parts p = make_parts(context);
    test_random random = {5};
    for (int chance = 0; chance < TEST_CHANCES(12); ++chance) {
        graze_sim_def def = graze_sim_def_default();
        graze_sim *sim = NULL;
        def.gravity[2] = 0;
        def.restitution = chance % 3 * 0.5;
        def.friction = chance % 2 * 0.7;
        assert_int_equal(graze_sim_create(context, &def, &sim), GRAZE_OK);
        for (int i = 0; i < 3; ++i) {
            double at[3] = {1.4 * i, 0.3 * test_unit(&random), 0.3 * test_unit(&random)};
            double velocity[3] = {4 - 4.0 * i, test_unit(&random), 0}, spin[3];
            graze_pose pose;
            for (int k = 0; k < 3; ++k)
                spin[k] = 6 * test_unit(&random) - 3;
            random_pose(&random, at, &pose);
            sim_add_moving(sim, i % 2 != 0 ? p.ball : p.block, &pose, velocity, spin);
        }
        double before[3] = {0}, after[3] = {0}, mass[2] = {0.24, 0};
        graze_mass ball;
        assert_int_equal(graze_mass_of_shape(p.ball, 1, &ball), GRAZE_OK);
        mass[1] = ball.mass;
        for (int turn = 0; turn < 2; ++turn) {
            double *sum = turn == 0 ? before : after;
            double energy = graze_sim_energy(sim);
            for (uint32_t i = 0; i < 3; ++i) {
                graze_body_state s = sim_state(sim, i);
                for (int k = 0; k < 3; ++k)
                    sum[k] += mass[i % 2] * s.velocity[k];
            }
            for (int i = 0; i < 250 && turn == 0; ++i) {
                sim_steps(sim, 1);
                double now = graze_sim_energy(sim);
                if (!(now <= energy * (1 + 1e-4)))
                    fail_msg("chance %d: energy grew from %.17g to %.17g", chance, energy, now);
                energy = now;
            }
        }
        for (int k = 0; k < 3; ++k)
            if (!(fabs(after[k] - before[k]) <= 1e-9))
                fail_msg("chance %d: momentum %d went from %g to %g", chance, k, before[k],
                         after[k]);
        graze_sim_free(sim);
    }
    free_parts(&p);
}

// What is pressed against a wall cannot give way: the one that presses waits, and is late.
static void pushers_wait(void **state)
{
    graze_context *context = *state;
    parts p = make_parts(context);
    graze_sim_def def = graze_sim_def_default();
    graze_sim *sim = NULL;
    def.gravity[2] = 0;
    def.step = 0.005;
    assert_int_equal(graze_sim_create(context, &def, &sim), GRAZE_OK);
    graze_pose wall = sim_at(15, 0, 0), at = sim_at(-0.8, 0, 0);
    sim_add_static(sim, p.floor, &wall); // its side is at 0
    sim_add_moving(sim, p.block, &at, NULL, NULL);
    graze_waypoint way[2] = {{0, sim_at(-3, 0, 0)}, {1, sim_at(-0.2, 0, 0)}};
    graze_body_def pusher = graze_body_def_default();
    pusher.kind = GRAZE_BODY_ON_PATH;
    pusher.shape = p.block;
    pusher.path = way;
    pusher.path_count = 2;
    assert_int_equal(graze_sim_add(sim, &pusher, NULL), GRAZE_OK);
    for (int i = 0; i < 300; ++i) {
        graze_sim_report report = sim_steps(sim, 1);
        assert_true(sim_least_gap(context, sim) >= report.wanted_gap);
    }
    graze_body_state s = sim_state(sim, 2);
    assert_true(s.late > 0.1);
    assert_true(s.position[0] < -1.4 && s.position[0] > -1.6);
    graze_sim_free(sim);
    free_parts(&p);
}

static void refuses(graze_sim *sim, const graze_body_def *def, const char *sentence)
{
    assert_int_equal(graze_sim_add(sim, def, NULL), GRAZE_ERROR_ARGUMENT);
    if (strstr(test_last_error, sentence) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", test_last_error, sentence);
}

static void bad_bodies_are_refused(void **state)
{
    graze_context *context = *state;
    parts p = make_parts(context);
    graze_sim *sim = NULL;
    graze_sim_def bad = graze_sim_def_default();
    bad.step = 0;
    assert_int_equal(graze_sim_create(context, &bad, &sim), GRAZE_ERROR_ARGUMENT);
    bad = graze_sim_def_default();
    bad.restitution = 1.5;
    assert_int_equal(graze_sim_create(context, &bad, &sim), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_sim_create(context, NULL, &sim), GRAZE_OK);
    graze_body_def def = graze_body_def_default();
    assert_int_equal(graze_sim_add(sim, &def, NULL), GRAZE_ERROR_ARGUMENT);
    def.shape = p.block;
    def.density = 0;
    refuses(sim, &def, "density is not above 0");
    def.density = 1;
    graze_mass mass = {.mass = 0, .inertia = {1, 1, 1, 0, 0, 0}};
    def.mass = &mass;
    refuses(sim, &def, "mass is not above 0");
    mass.mass = 1;
    mass.inertia[0] = 3; // more than the other two
    refuses(sim, &def, "inertia");
    mass.inertia[0] = NAN;
    refuses(sim, &def, "inertia");
    def.mass = NULL;
    def.pose.translation[1] = NAN;
    refuses(sim, &def, "pose");
    def.pose = graze_pose_identity();
    def.velocity[0] = INFINITY;
    refuses(sim, &def, "velocity");
    def.velocity[0] = 0;
    def.kind = GRAZE_BODY_ON_PATH;
    refuses(sim, &def, "no poses");
    graze_waypoint way[2] = {{1, graze_pose_identity()}, {1, graze_pose_identity()}};
    def.path = way;
    def.path_count = 2;
    refuses(sim, &def, "back in time");
    assert_int_equal(graze_sim_body_count(sim), 0);
    sim_steps(sim, 3); // nothing is a simulation, too
    graze_sim_free(sim);
    free_parts(&p);
}

// In each other at the start: a sentence that says which; or they pass, and nothing explodes.
static void overlaps_are_told(void **state)
{
    graze_context *context = *state;
    parts p = make_parts(context);
    for (uint32_t pass = 0; pass < 2; ++pass) {
        graze_sim_def def = graze_sim_def_default();
        graze_sim *sim = NULL;
        def.may_overlap = pass;
        assert_int_equal(graze_sim_create(context, &def, &sim), GRAZE_OK);
        graze_pose low = sim_at(0, 0, -0.5), at = sim_at(0, 0, 2);
        sim_add_static(sim, p.floor, &low);
        uint32_t count = TEST_SANITIZED ? 10 : 30;
        test_random random = {2};
        for (uint32_t i = 0; i < count; ++i) {
            double shift[3] = {0.1 * test_unit(&random), 0, 2};
            random_pose(&random, shift, &at);
            sim_add_moving(sim, p.block, &at, NULL, NULL);
        }
        graze_sim_report report = {0};
        if (pass == 0) {
            assert_int_equal(graze_sim_step(sim, &report), GRAZE_ERROR_ARGUMENT);
            assert_non_null(strstr(test_last_error, "bodies 1 and 2 are in each other"));
        } else {
            report = sim_steps(sim, 500);
            for (uint32_t i = 1; i <= count; ++i) {
                graze_body_state s = sim_state(sim, i);
                double speed = hypot(hypot(s.velocity[0], s.velocity[1]), s.velocity[2]);
                assert_true(speed < 10 && s.position[2] > 0 && s.position[2] < 3);
            }
            assert_true(report.passing_count > 0);
        }
        graze_sim_free(sim);
    }
    free_parts(&p);
}

// Exact integrals: of a box, wherever it is, inside out too; and none of what is open.
static void masses_are_exact(void **state)
{
    graze_context *context = *state;
    graze_shape *block = sim_box(context, 1, 2, 3);
    graze_mass mass;
    assert_int_equal(graze_mass_of_shape(block, 2, &mass), GRAZE_OK);
    const double expected[6] = {
        12 * (4 + 9) / 12.0, 12 * (1 + 9) / 12.0, 12 * (1 + 4) / 12.0, 0, 0, 0};
    assert_true(fabs(mass.mass - 12) < 1e-12);
    for (int i = 0; i < 6; ++i)
        assert_true(fabs(mass.inertia[i] - expected[i]) < 1e-12);
    assert_int_equal(graze_mass_of_shell(block, 1, &mass), GRAZE_OK);
    assert_true(fabs(mass.mass - 22) < 1e-12);
    graze_shape_free(block);
    // A tetrahedron far away, its inertia by the closed form for right-angled ones.
    double far = 1e6,
           corners[4][3] = {
               {far, far, far}, {far + 1, far, far}, {far, far + 1, far}, {far, far, far + 1}};
    uint32_t faces[2][4][3] = {{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}},
                               {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}}};
    for (int k = 0; k < 2; ++k) {
        graze_mesh_view view = {.precision = GRAZE_FLOAT64,
                                .vertex_count = 4,
                                .triangle_count = 4,
                                .positions = corners,
                                .corners = &faces[k][0][0]};
        graze_shape *shape = NULL;
        assert_int_equal(graze_shape_create(context, &view, NULL, &shape), GRAZE_OK);
        assert_int_equal(graze_mass_of_shape(shape, 1, &mass), GRAZE_OK);
        assert_true(fabs(mass.mass - 1.0 / 6) < 1e-15);
        for (int i = 0; i < 3; ++i) {
            assert_true(fabs(mass.center[i] - far - 0.25) < 1e-9);
            assert_true(fabs(mass.inertia[i] - 1.0 / 80) < 1e-15);
            assert_true(fabs(mass.inertia[3 + i] - 1.0 / 480) < 1e-15);
        }
        graze_shape_free(shape);
        view.triangle_count = 3;
        assert_int_equal(graze_shape_create(context, &view, NULL, &shape), GRAZE_OK);
        assert_int_equal(graze_mass_of_shape(shape, 1, &mass), GRAZE_ERROR_ARGUMENT);
        assert_non_null(strstr(test_last_error, "not closed"));
        graze_shape_free(shape);
    }
    // One face turned over.
    memcpy(faces[0][3], faces[1][3], sizeof faces[0][3]);
    graze_mesh_view view = {.precision = GRAZE_FLOAT64,
                            .vertex_count = 4,
                            .triangle_count = 4,
                            .positions = corners,
                            .corners = &faces[0][0][0]};
    graze_shape *shape = NULL;
    assert_int_equal(graze_shape_create(context, &view, NULL, &shape), GRAZE_OK);
    assert_int_equal(graze_mass_of_shape(shape, 1, &mass), GRAZE_ERROR_ARGUMENT);
    assert_non_null(strstr(test_last_error, "do not face one way"));
    graze_shape_free(shape);
}

// What a state says is where the body is, and the same is in contact.
static void places_are_taken_back(void **state)
{
    graze_context *context = *state;
    parts p = make_parts(context);
    graze_sim *sim = make_heap(context, &p, 6), *again = make_heap(context, &p, 6);
    graze_sim_report report;
    for (int i = 0; i < 150; ++i) {
        sim_steps(sim, 1);
        if (i % 10 != 0)
            continue;
        for (uint32_t k = 1; k < graze_sim_body_count(sim); ++k) {
            graze_body_state s = sim_state(sim, k);
            assert_int_equal(graze_sim_place(again, k, &s), GRAZE_OK);
        }
        assert_int_equal(graze_sim_look(again, &report), GRAZE_OK);
        for (uint32_t k = 0; k < graze_sim_body_count(sim); ++k) {
            graze_body_state s = sim_state(sim, k), t = sim_state(again, k);
            assert_int_equal(s.contact_count, t.contact_count);
            assert_true(s.gap == t.gap);
        }
    }
    const graze_sim_contact *contacts;
    uint64_t count;
    assert_int_equal(graze_sim_get_contacts(sim, &contacts, &count), GRAZE_OK);
    for (uint64_t i = 0; i < count; ++i)
        assert_true(contacts[i].a < contacts[i].b && contacts[i].gap > 0);
    graze_sim_free(sim);
    graze_sim_free(again);
    free_parts(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_for_any_threads),
        cmocka_unit_test_setup_teardown(heaps_keep_apart, test_context_enter, test_context_leave),
        cmocka_unit_test_setup_teardown(collisions_keep_momentum, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(pushers_wait, test_context_enter, test_context_leave),
        cmocka_unit_test_setup_teardown(bad_bodies_are_refused, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(overlaps_are_told, test_context_enter, test_context_leave),
        cmocka_unit_test_setup_teardown(masses_are_exact, test_context_enter, test_context_leave),
        cmocka_unit_test_setup_teardown(places_are_taken_back, test_context_enter,
                                        test_context_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
