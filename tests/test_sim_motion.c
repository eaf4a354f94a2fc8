// Rigid bodies before closed forms: what falls, bounces, slides, rolls, spins and rests does what
// mechanics says, and no two bodies ever come nearer than a quarter of the slop.
#include "sim_bodies.h"

#include <math.h>

#define GRAVITY 9.81

static graze_sim *make_sim(graze_context *context, double step, double restitution, double friction,
                           double slop)
{
    graze_sim_def def = graze_sim_def_default();
    graze_sim *sim = NULL;
    def.step = step;
    def.restitution = restitution;
    def.friction = friction;
    def.slop = slop;
    assert_int_equal(graze_sim_create(context, &def, &sim), GRAZE_OK);
    return sim;
}

static void check_gap(graze_context *context, const graze_sim *sim, const graze_sim_report *report)
{
    double gap = sim_least_gap(context, sim);
    if (!(gap >= report->wanted_gap))
        fail_msg("step %llu: bodies are %.17g apart, and should not be nearer than %.17g",
                 (unsigned long long)report->step, gap, report->wanted_gap);
}

// Dropped from a height, a ball with restitution e comes back to e^2 of it, e^4, and so on.
static void ball_bounces(void **state)
{
    graze_context *context = *state;
    graze_shape *ball = sim_ball(context, 320, 0.5), *floor = sim_box(context, 10, 10, 1);
    const double restitutions[] = {1, 0.8, 0.5};
    for (int k = 0; k < 3; ++k) {
        double e = restitutions[k], slop = 1e-4, top = 1, highest[4] = {0};
        graze_sim *sim = make_sim(context, 0.001, e, 0, slop);
        graze_pose low = sim_at(0, 0, -0.5), high = sim_at(0, 0, 0.5 + top);
        sim_add_static(sim, floor, &low);
        uint32_t body = sim_add_moving(sim, ball, &high, NULL, NULL);
        int bounces = 0;
        double before = 0;
        for (int i = 0; i < 2500 && bounces < 4; ++i) {
            graze_sim_report report = sim_steps(sim, 1);
            graze_body_state s = sim_state(sim, body);
            if (i % 16 == 0)
                check_gap(context, sim, &report);
            if (before < 0 && s.velocity[2] > 0)
                ++bounces;
            if (bounces > 0 && bounces < 4) {
                // the top of the flight that it is on
                double flight = s.position[2] - 0.5 + s.velocity[2] * s.velocity[2] / (2 * GRAVITY);
                highest[bounces] = flight;
            }
            before = s.velocity[2];
        }
        for (int n = 1; n < 4; ++n) {
            double expected = top * pow(e, 2 * n);
            if (!(fabs(highest[n] - expected) <= 20 * slop))
                fail_msg("e %g: bounce %d went to %.17g, and not to %.17g", e, n, highest[n],
                         expected);
        }
        graze_sim_free(sim);
    }
    graze_shape_free(ball);
    graze_shape_free(floor);
}

// A block on a slope: it stays where friction is above the tangent, and else slides with g (sin -
// mu cos).
static void block_slides(void **state)
{
    graze_context *context = *state;
    graze_shape *block = sim_box(context, 1, 0.6, 0.4), *slope = sim_box(context, 60, 10, 1);
    double angle = 0.3;
    const double frictions[] = {0, 0.1, 0.2, 0.5};
    for (int k = 0; k < 4; ++k) {
        double mu = frictions[k], time = 1;
        graze_sim *sim = make_sim(context, 0.002, 0, mu, 1e-3);
        graze_pose tilted, lifted;
        const double axis[3] = {0, 1, 0};
        assert_int_equal(graze_pose_from_axis(axis, angle, NULL, &tilted), GRAZE_OK);
        double up[3] = {sin(angle), 0, cos(angle)}, down[3] = {cos(angle), 0, -sin(angle)};
        lifted = tilted;
        for (int i = 0; i < 3; ++i)
            lifted.translation[i] = up[i] * (0.5 + 0.2 + 0.5e-3);
        sim_add_static(sim, slope, &tilted);
        uint32_t body = sim_add_moving(sim, block, &lifted, NULL, NULL);
        graze_body_state first = sim_state(sim, body);
        for (int i = 0; i < 500; i += 25) {
            graze_sim_report report = sim_steps(sim, 25);
            check_gap(context, sim, &report);
        }
        graze_body_state s = sim_state(sim, body);
        double way = 0, across = 0, speed = 0;
        for (int i = 0; i < 3; ++i) {
            way += (s.position[i] - first.position[i]) * down[i];
            speed += s.velocity[i] * down[i];
        }
        across = s.position[1] - first.position[1];
        double pull = GRAVITY * fmax(0, sin(angle) - mu * cos(angle));
        if (!(fabs(way - 0.5 * pull * time * time) <= 1e-3 + 0.002 * pull) || fabs(across) > 1e-6 ||
            fabs(speed - pull * time) > 1e-3 + 0.002 * pull)
            fail_msg("friction %g: it slid %.17g at %.17g, and not %.17g at %.17g", mu, way, speed,
                     0.5 * pull * time * time, pull * time);
        graze_sim_free(sim);
    }
    graze_shape_free(block);
    graze_shape_free(slope);
}

// A box that was set down does not move, however long.
static void box_rests(void **state)
{
    graze_context *context = *state;
    graze_shape *block = sim_box(context, 1, 1, 1), *floor = sim_box(context, 20, 20, 1);
    graze_sim *sim = make_sim(context, 0.005, 0.3, 0.5, 0);
    graze_pose low = sim_at(0, 0, -0.5), high = sim_at(0.3, 0.2, 0.6);
    sim_add_static(sim, floor, &low);
    uint32_t body = sim_add_moving(sim, block, &high, NULL, NULL);
    sim_steps(sim, 400);
    graze_body_state first = sim_state(sim, body);
    for (int i = 0; i < 10; ++i) {
        graze_sim_report report = sim_steps(sim, 200);
        check_gap(context, sim, &report);
    }
    graze_body_state s = sim_state(sim, body);
    for (int i = 0; i < 3; ++i) {
        if (!(fabs(s.position[i] - first.position[i]) <= (i == 2 ? 1e-6 : 1e-10)) ||
            fabs(s.velocity[i]) > 1e-8)
            fail_msg("along %d it crept by %g, at %g", i, s.position[i] - first.position[i],
                     s.velocity[i]);
    }
    assert_true(s.contact_count >= 3);
    graze_sim_free(sim);
    graze_shape_free(block);
    graze_shape_free(floor);
}

// A box that turns about its middle axis tumbles over and over (Dzhanibekov): angular momentum
// stays in every bit, energy comes back.
static void box_tumbles(void **state)
{
    graze_context *context = *state;
    graze_shape *block = sim_box(context, 1, 2, 3);
    graze_sim_def def = graze_sim_def_default();
    graze_sim *sim = NULL;
    def.gravity[2] = 0;
    assert_int_equal(graze_sim_create(context, &def, &sim), GRAZE_OK);
    graze_pose at = sim_at(0, 0, 0);
    const double spin[3] = {1e-3, 10, 1e-3};
    uint32_t body = sim_add_moving(sim, block, &at, NULL, spin);
    graze_body_state first = sim_state(sim, body);
    double energy = graze_sim_energy(sim), worst = 0, lowest = 10;
    for (int i = 0; i < 8000; ++i) {
        sim_steps(sim, 1);
        graze_body_state s = sim_state(sim, body);
        assert_memory_equal(s.momentum, first.momentum, sizeof s.momentum);
        worst = fmax(worst, fabs(graze_sim_energy(sim) / energy - 1));
        // the spin about its own middle axis
        const double *r = s.pose.rotation;
        lowest = fmin(lowest, r[1] * s.spin[0] + r[4] * s.spin[1] + r[7] * s.spin[2]);
    }
    if (worst > 1e-4)
        fail_msg("energy was off by %g", worst);
    if (lowest > -9)
        fail_msg("it never turned over: %g", lowest);
    graze_sim_free(sim);
    graze_shape_free(block);
}

// Bullets against a thin plate, from all sides, spinning, however fast.
static void bullets_stop(void **state)
{
    graze_context *context = *state;
    graze_shape *bullet = sim_box(context, 0.1, 0.02, 0.02), *plate = sim_box(context, 0.001, 4, 4);
    test_random random = {7};
    for (int k = 0; k < TEST_CHANCES(40); ++k) {
        graze_sim *sim = make_sim(context, 0.01, test_unit(&random), test_unit(&random), 0);
        double side = k % 2 == 0 ? 1 : -1, speed = pow(10, 1 + 3 * test_unit(&random));
        double velocity[3] = {-side * speed, 0.3 * speed * (test_unit(&random) - 0.5), 0};
        double spin[3], where = side * (0.2 + 2 * test_unit(&random));
        for (int i = 0; i < 3; ++i)
            spin[i] = 1000 * (test_unit(&random) - 0.5);
        graze_pose at = sim_at(where, 0, 0), middle = sim_at(0, 0, 0);
        sim_add_static(sim, plate, &middle);
        uint32_t body = sim_add_moving(sim, bullet, &at, velocity, spin);
        for (int i = 0; i < 12; ++i) {
            graze_sim_report report = sim_steps(sim, 1);
            graze_body_state s = sim_state(sim, body);
            check_gap(context, sim, &report);
            if (fabs(s.position[1]) < 1.9 && s.position[0] * side <= 0)
                fail_msg("chance %d: it is through, at %g, from %g at %g", k, s.position[0], where,
                         speed);
        }
        graze_sim_free(sim);
    }
    graze_shape_free(bullet);
    graze_shape_free(plate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ball_bounces, test_context_enter, test_context_leave),
        cmocka_unit_test_setup_teardown(block_slides, test_context_enter, test_context_leave),
        cmocka_unit_test_setup_teardown(box_rests, test_context_enter, test_context_leave),
        cmocka_unit_test_setup_teardown(box_tumbles, test_context_enter, test_context_leave),
        cmocka_unit_test_setup_teardown(bullets_stop, test_context_enter, test_context_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
