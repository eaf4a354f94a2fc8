// Errors by place: what is allowed at a box is the least of what is allowed at its points. Points
// are sampled, and moved about the box until none is better.
#include "test.h"

#include <math.h>
#include <stdbool.h>

#include "graze/error.h"

// What is allowed at one point, by the words of the header.
typedef double at_point(const void *user, const double p[3]);

static double view_at(const void *user, const double p[3])
{
    const graze_view_error *view = user;
    return view->pixels * view->pixel *
           hypot(hypot(p[0] - view->eye[0], p[1] - view->eye[1]), p[2] - view->eye[2]);
}

static double speed_at(const void *user, const double p[3])
{
    const graze_speed_error *s = user;
    double r[3], v[3];
    for (int i = 0; i < 3; ++i)
        r[i] = p[i] - s->center[i];
    for (int i = 0; i < 3; ++i)
        v[i] = s->velocity[i] + s->spin[(i + 1) % 3] * r[(i + 2) % 3] -
               s->spin[(i + 2) % 3] * r[(i + 1) % 3];
    return fmax(s->least, s->seconds * hypot(hypot(v[0], v[1]), v[2]));
}

static double size_at(const void *user, const double p[3])
{
    const graze_size_error *size = user;
    double least = size->most;
    for (uint64_t i = 0; i < size->count; ++i) {
        const graze_box *o = &size->objects[i];
        bool in = true;
        double longest = 0;
        for (int axis = 0; axis < 3; ++axis) {
            in = in && o->min[axis] <= p[axis] && p[axis] <= o->max[axis];
            longest = fmax(longest, o->max[axis] - o->min[axis]);
        }
        if (in)
            least = fmin(least, size->part * longest);
    }
    return least;
}

static double least_at(const void *user, const double p[3])
{
    const graze_least_error *all = user;
    return fmin(view_at(all->users[0], p), speed_at(all->users[1], p));
}

// One coordinate after the other, each to where it is best: a way down that ends at the bottom if
// there is one only.
static double go_down(at_point *at, const void *user, const graze_box *box, double p[3])
{
    for (int turn = 0; turn < 60; ++turn)
        for (int axis = 0; axis < 3; ++axis) {
            double low = box->min[axis], high = box->max[axis];
            for (int step = 0; step < 40; ++step) {
                double third = (high - low) / 3;
                double q[3] = {p[0], p[1], p[2]}, r[3] = {p[0], p[1], p[2]};
                q[axis] = low + third;
                r[axis] = high - third;
                if (at(user, q) <= at(user, r))
                    high = r[axis];
                else
                    low = q[axis];
            }
            p[axis] = low + (high - low) / 2;
        }
    return at(user, p);
}

static graze_box random_box(test_random *random, double reach)
{
    graze_box box;
    double size = ldexp(1, -(int)(test_next(random) % 6));
    for (int axis = 0; axis < 3; ++axis) {
        double at = reach * (2 * test_unit(random) - 1);
        bool flat = test_next(random) % 8 == 0;
        box.min[axis] = at;
        box.max[axis] = flat ? at : at + size * test_unit(random);
    }
    return box;
}

static void point_in(test_random *random, const graze_box *box, double p[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        double t = test_next(random) % 3 == 0 ? (double)(test_next(random) % 2) : test_unit(random);
        p[axis] = box->min[axis] + t * (box->max[axis] - box->min[axis]);
    }
}

// No point of the box is allowed less, and some is allowed no more, `slack` aside.
static void check_box(graze_error_function *function, void *user, at_point *at, test_random *random,
                      double slack)
{
    graze_box box = random_box(random, 2);
    double got = function(user, &box), best = HUGE_VAL;
    for (int i = 0; i < 100; ++i) {
        double p[3];
        point_in(random, &box, p);
        best = fmin(best, at(user, p));
    }
    for (int i = 0; i < 2; ++i) {
        double p[3];
        point_in(random, &box, p);
        best = fmin(best, go_down(at, user, &box, p));
    }
    if (!(got <= best * (1 + 1e-12) + 1e-12))
        fail_msg("%.17g is allowed at the box, %.17g at a point of it", got, best);
    if (!(got >= best - slack))
        fail_msg("%.17g is allowed at the box, and %.17g at its points", got, best);
}

static void random_vector(test_random *random, double scale, double out[3])
{
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = scale * (2 * test_unit(random) - 1);
}

static graze_view_error random_view(test_random *random)
{
    graze_view_error view = {.pixel = 0.001, .pixels = 1 + test_unit(random)};
    random_vector(random, 3, view.eye);
    return view;
}

static graze_speed_error random_speed(test_random *random)
{
    graze_speed_error speed = {.seconds = test_unit(random),
                               .least = test_next(random) % 2 == 0 ? 0 : 0.01};
    random_vector(random, (double)(test_next(random) % 3), speed.velocity);
    random_vector(random, (double)(test_next(random) % 4) / 2, speed.spin);
    if (test_next(random) % 4 == 0) // about an axis of the world
        speed.spin[test_next(random) % 3] = speed.spin[test_next(random) % 3] = 0;
    random_vector(random, 2, speed.center);
    return speed;
}

static void views(void **state)
{
    (void)state;
    test_random random = {.state = 21};
    for (uint64_t i = 0; i < TEST_CHANCES(400); ++i) {
        graze_view_error view = random_view(&random);
        check_box(graze_error_by_view, &view, view_at, &random, 1e-9);
    }
}

static void speeds(void **state)
{
    (void)state;
    test_random random = {.state = 22};
    for (uint64_t i = 0; i < TEST_CHANCES(400); ++i) {
        graze_speed_error speed = random_speed(&random);
        check_box(graze_error_by_speed, &speed, speed_at, &random, 1e-3);
    }
}

// The slowest point of a turning wheel is at its axle, wherever that is; and what turns about
// itself while it moves has a point that rests.
static void slowest_points(void **state)
{
    (void)state;
    graze_box box = {{1, 2, -5}, {3, 4, 5}};
    graze_speed_error wheel = {.spin = {0, 0, 2}, .seconds = 1};
    assert_true(fabs(graze_error_by_speed(&wheel, &box) - 2 * hypot(1, 2)) < 1e-12);
    graze_box over = {{-1, -1, -1}, {1, 1, 1}};
    assert_true(graze_error_by_speed(&wheel, &over) == 0);
    wheel.velocity[2] = 3; // a screw
    assert_true(fabs(graze_error_by_speed(&wheel, &over) - 3) < 1e-12);
    graze_speed_error rolling = {.velocity = {1, 0, 0}, .spin = {0, 0, -1}, .seconds = 1};
    graze_box road = {{-0.1, -1.1, -1}, {0.1, -0.9, 1}};
    assert_true(graze_error_by_speed(&rolling, &road) == 0);
}

static void sizes(void **state)
{
    (void)state;
    test_random random = {.state = 23};
    for (uint64_t i = 0; i < TEST_CHANCES(400); ++i) {
        graze_box objects[5];
        graze_size_error size = {.objects = objects, .count = i % 6, .part = 0.01, .most = 0.005};
        for (int k = 0; k < 5; ++k)
            objects[k] = random_box(&random, 2);
        graze_box box = random_box(&random, 2);
        double got = graze_error_by_size(&size, &box), want = size.most;
        // The least is at a point of what the box and an object share.
        for (uint64_t k = 0; k < size.count; ++k) {
            double p[3];
            bool meet = true;
            for (int axis = 0; axis < 3; ++axis) {
                p[axis] = fmax(box.min[axis], objects[k].min[axis]);
                meet = meet && p[axis] <= fmin(box.max[axis], objects[k].max[axis]);
            }
            want = meet ? fmin(want, size_at(&size, p)) : want;
        }
        assert_true(got == want);
    }
}

static void least_of_several(void **state)
{
    (void)state;
    test_random random = {.state = 24};
    for (uint64_t i = 0; i < TEST_CHANCES(200); ++i) {
        graze_view_error view = random_view(&random);
        graze_speed_error speed = random_speed(&random);
        graze_error_function *functions[] = {graze_error_by_view, graze_error_by_speed};
        void *users[] = {&view, &speed};
        graze_least_error all = {functions, users, 2};
        graze_box box = random_box(&random, 2);
        double got = graze_error_by_least(&all, &box);
        assert_true(got ==
                    fmin(graze_error_by_view(&view, &box), graze_error_by_speed(&speed, &box)));
        for (int k = 0; k < 50; ++k) {
            double p[3];
            point_in(&random, &box, p);
            assert_true(got <= least_at(&all, p) * (1 + 1e-12) + 1e-12);
        }
        all.count = 0;
        assert_true(graze_error_by_least(&all, &box) == HUGE_VAL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views),
        cmocka_unit_test(speeds),
        cmocka_unit_test(slowest_points),
        cmocka_unit_test(sizes),
        cmocka_unit_test(least_of_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
