// Contacts at any coordinates: a normal and a depth part two triangles as well at 2^50 as at the
// origin. All of it is computed in rational numbers, from the doubles that came back: the way out
// along the normal, where the closest points come to be, and the mean of what is shared.
#include "test.h"

#include <float.h>
#include <math.h>

#include "geometry/fpu.h"
#include "oracle.h"
#include "query/contacts.h"
#include "soups.h"

enum { EXPONENTS = 9 };
static const int exponents[EXPONENTS] = {-20, 0, 10, 24, 32, 40, 45, 48, 50};

typedef enum far_kind {
    APART,
    NEAR, // a few steps of the coordinates apart
    CROSSING,
    TOUCHING,
    COPLANAR,
    FLAT, // on lines and in points
    MIXED,
    SLIVERS, // a hundred million times as long as wide: a way out, if not the shortest
    KINDS
} far_kind;

static const char *const names[KINDS] = {"apart",    "near", "crossing", "touching",
                                         "coplanar", "flat", "mixed",    "slivers"};

typedef struct far_case {
    graze_triangle a, b;
    far_kind kind;
    int exponent;
    uint64_t seed;
} far_case;

static void say(const far_case *c, const graze_contact *got, const char *what)
{
    for (int side = 0; side < 2; ++side)
        for (int i = 0; i < 3; ++i) {
            const double *p = (side == 0 ? &c->a : &c->b)->corner[i];
            print_message("%a, %a, %a,\n", p[0], p[1], p[2]);
        }
    fail_msg("%s at 2^%d, seed %llu: %s (normal %g %g %g, depth %g)", names[c->kind], c->exponent,
             (unsigned long long)c->seed, what, got->normal[0], got->normal[1], got->normal[2],
             got->depth);
}

// A whole number from -most to most.
static double whole(test_random *random, int most)
{
    return (double)(test_next(random) % (2 * (uint64_t)most + 1)) - most;
}

static void any_triangle(test_random *random, double size, graze_triangle *t)
{
    for (int i = 0; i < 9; ++i)
        t->corner[i / 3][i % 3] = soup_between(random, -size / 2, size / 2);
}

static void move(graze_triangle *t, const double by[3])
{
    for (int i = 0; i < 9; ++i)
        t->corner[i / 3][i % 3] += by[i % 3];
}

// Of coordinates 0, 2, 4 and 6, so that quarters of sums are whole halves.
static void lattice_triangle(test_random *random, graze_triangle *t)
{
    for (int i = 0; i < 9; ++i)
        t->corner[i / 3][i % 3] = 2 * (double)(test_next(random) % 4);
}

// b's first corner in a corner, an edge or the face of a.
static void make_touching(test_random *random, graze_triangle *a, graze_triangle *b)
{
    static const double weight[4][3] = {{4, 0, 0}, {2, 2, 0}, {1, 3, 0}, {2, 1, 1}};
    const double *w = weight[test_next(random) % 4];
    lattice_triangle(random, a);
    lattice_triangle(random, b);
    for (int axis = 0; axis < 3; ++axis)
        b->corner[0][axis] =
            (w[0] * a->corner[0][axis] + w[1] * a->corner[1][axis] + w[2] * a->corner[2][axis]) / 4;
}

static void make_coplanar(test_random *random, graze_triangle *a, graze_triangle *b)
{
    double u[3], v[3];
    for (int axis = 0; axis < 3; ++axis) {
        u[axis] = whole(random, 2) / 2;
        v[axis] = whole(random, 2) / 2;
    }
    for (int i = 0; i < 6; ++i) {
        double s = whole(random, 3), t = whole(random, 3);
        for (int axis = 0; axis < 3; ++axis)
            (i < 3 ? a : b)->corner[i % 3][axis] = s * u[axis] + t * v[axis];
    }
}

// All corners of each on one line, or in one point.
static void make_flat(test_random *random, graze_triangle *a, graze_triangle *b)
{
    for (int side = 0; side < 2; ++side) {
        double from[3], u[3];
        for (int axis = 0; axis < 3; ++axis) {
            from[axis] = whole(random, 2);
            u[axis] = test_next(random) % 4 == 0 ? 0 : whole(random, 2) / 2;
        }
        for (int i = 0; i < 3; ++i) {
            double s = whole(random, 3);
            for (int axis = 0; axis < 3; ++axis)
                (side == 0 ? a : b)->corner[i][axis] = from[axis] + s * u[axis];
        }
    }
    if (test_next(random) % 2 == 0)
        any_triangle(random, 6, b);
}

// Far along all axes, or along some of them.
static void take_away(test_random *random, far_case *c)
{
    double by[3];
    for (int axis = 0; axis < 3; ++axis) {
        double whole_part = test_next(random) % 4 == 0 ? 0 : ldexp(1, c->exponent);
        if (test_next(random) % 2 == 0) // multiples of a half stay so up to 2^51
            whole_part = floor(whole_part * (1 + test_unit(random) / 2));
        by[axis] = test_next(random) % 2 == 0 ? whole_part : -whole_part;
    }
    if (c->exponent >= 0) {
        move(&c->a, by);
        move(&c->b, by);
    }
}

static void make_case(far_case *c)
{
    test_random random = {c->seed};
    double by[3];
    for (int axis = 0; axis < 3; ++axis)
        by[axis] = soup_between(&random, -9, 9);
    any_triangle(&random, 6, &c->a);
    any_triangle(&random, 6, &c->b);
    if (c->kind == APART)
        move(&c->b, by);
    if (c->kind == NEAR) {
        memcpy(c->b.corner[0], c->a.corner[test_next(&random) % 3], sizeof c->b.corner[0]);
        for (int axis = 0; axis < 3; ++axis)
            by[axis] = whole(&random, 3) * ldexp(1, c->exponent > 0 ? c->exponent - 52 : -52);
        move(&c->b, by);
    }
    if (c->kind == TOUCHING)
        make_touching(&random, &c->a, &c->b);
    if (c->kind == COPLANAR)
        make_coplanar(&random, &c->a, &c->b);
    if (c->kind == FLAT)
        make_flat(&random, &c->a, &c->b);
    if (c->kind == MIXED) {
        double smaller = ldexp(1, -(int)(test_next(&random) % 40));
        for (int i = 0; i < 9; ++i)
            c->b.corner[i / 3][i % 3] *= smaller;
        for (int axis = 0; axis < 3; ++axis)
            by[axis] = (c->a.corner[0][axis] + c->a.corner[1][axis] + c->a.corner[2][axis]) / 3;
        move(&c->b, by);
    }
    if (c->kind == SLIVERS)
        for (int axis = 0; axis < 3; ++axis) {
            double s = test_unit(&random);
            c->a.corner[2][axis] = c->a.corner[0][axis] * s + c->a.corner[1][axis] * (1 - s) +
                                   soup_between(&random, -3e-8, 3e-8);
            if (c->seed % 2 == 0)
                c->b.corner[2][axis] = c->b.corner[0][axis] + soup_between(&random, -3e-8, 3e-8);
        }
    take_away(&random, c);
    if (test_next(&random) % 2 == 0) {
        graze_triangle held = c->a;
        c->a = c->b;
        c->b = held;
    }
}

// Rational numbers.
typedef struct rational {
    mpq_t sum, term, most, least, square, depth, limit;
    oracle *o, *moved;
} rational;

static void rational_init(rational *r)
{
    mpq_inits(r->sum, r->term, r->most, r->least, r->square, r->depth, r->limit, NULL);
    r->o = oracle_create();
    r->moved = oracle_create();
}

static void rational_clear(rational *r)
{
    mpq_clears(r->sum, r->term, r->most, r->least, r->square, r->depth, r->limit, NULL);
    oracle_destroy(r->o);
    oracle_destroy(r->moved);
}

// sum += x * y
static void add_product(rational *r, double x, double y)
{
    mpq_t factor;
    mpq_init(factor);
    mpq_set_d(r->term, x);
    mpq_set_d(factor, y);
    mpq_mul(r->term, r->term, factor);
    mpq_add(r->sum, r->sum, r->term);
    mpq_clear(factor);
}

static void set_dot(rational *r, const double p[3], const double q[3])
{
    mpq_set_ui(r->sum, 0, 1);
    for (int axis = 0; axis < 3; ++axis)
        add_product(r, p[axis], q[axis]);
}

// Half of the largest extent of the two together, which may be too large for a double.
static double half_size(const graze_triangle *a, const graze_triangle *b)
{
    double size = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int i = 0; i < 3; ++i) {
            low = fmin(low, fmin(a->corner[i][axis], b->corner[i][axis]));
            high = fmax(high, fmax(a->corner[i][axis], b->corner[i][axis]));
        }
        size = fmax(size, high / 2 - low / 2);
    }
    return size;
}

static bool above(rational *r, mpq_t value, double limit)
{
    mpq_set_d(r->limit, limit);
    mpq_abs(value, value);
    return mpq_cmp(value, r->limit) > 0;
}

// After b has moved by depth times normal, a plane across the normal touches both.
static void check_way_out(rational *r, const far_case *c, const graze_contact *got, double slack)
{
    for (int i = 0; i < 3; ++i) {
        set_dot(r, got->normal, c->a.corner[i]);
        if (i == 0 || mpq_cmp(r->sum, r->most) > 0)
            mpq_set(r->most, r->sum);
        set_dot(r, got->normal, c->b.corner[i]);
        if (i == 0 || mpq_cmp(r->sum, r->least) < 0)
            mpq_set(r->least, r->sum);
    }
    set_dot(r, got->normal, got->normal);
    mpq_set(r->square, r->sum);
    mpq_set_d(r->depth, got->depth);
    mpq_mul(r->depth, r->depth, r->square);
    mpq_sub(r->sum, r->most, r->least);
    mpq_sub(r->sum, r->sum, r->depth);
    if (above(r, r->sum, slack))
        say(c, got, "b has not come to the plane");
    mpq_set_ui(r->term, 1, 1);
    mpq_sub(r->square, r->square, r->term);
    if (above(r, r->square, 0x1p-50))
        say(c, got, "the normal is not of length 1");
}

// The oracle's closest points, which are as far apart as those of any closest pair and in the same
// direction: moved by depth times normal, they fall together.
static void check_closest(rational *r, const far_case *c, const graze_contact *got, double slack)
{
    oracle *o = r->o;
    oracle_points(o);
    for (int axis = 0; axis < 3; ++axis) {
        mpz_sub(mpq_numref(r->square), o->closest[1].x.c[axis], o->closest[0].x.c[axis]);
        mpz_set(mpq_denref(r->square), o->closest[0].w);
        mpq_canonicalize(r->square);
        if (o->exponent >= 0)
            mpq_mul_2exp(r->square, r->square, (mp_bitcnt_t)o->exponent);
        else
            mpq_div_2exp(r->square, r->square, (mp_bitcnt_t)-o->exponent);
        mpq_set_ui(r->sum, 0, 1);
        add_product(r, got->depth, got->normal[axis]);
        mpq_add(r->sum, r->sum, r->square);
        if (above(r, r->sum, slack))
            say(c, got, "b has not come to a");
    }
    oracle_closest_set(o);
    for (int axis = 0; axis < 3 && o->corner_count == 1; ++axis)
        for (int side = 0; side < 2; ++side) {
            const exact_point *p = &o->closest[side];
            double truth = exact_round(p->x.c[axis], p->w, o->exponent);
            if (truth != (side == 0 ? got->point_a : got->point_b)[axis])
                say(c, got, "a point is not the closest one, rounded");
        }
}

// The mean of the corners of what is shared, each rounded: an ulp, and a rounding of the size.
static void check_middle(rational *r, const far_case *c, const graze_contact *got, double size)
{
    oracle *o = r->o;
    oracle_intersect(o);
    for (int axis = 0; axis < 3; ++axis) {
        if (got->point_a[axis] != got->point_b[axis])
            say(c, got, "the two points differ");
        mpq_set_ui(r->sum, 0, 1);
        for (int i = 0; i < o->corner_count; ++i) {
            const exact_point *p = &o->intersection[i];
            add_product(r, exact_round(p->x.c[axis], p->w, o->exponent), 1);
        }
        mpq_set_ui(r->term, 1, (unsigned long)o->corner_count);
        mpq_mul(r->sum, r->sum, r->term);
        mpq_set_d(r->term, got->point_a[axis]);
        mpq_sub(r->sum, r->sum, r->term);
        double x = fabs(got->point_a[axis]), ulp = nextafter(x, HUGE_VAL) - x;
        if (above(r, r->sum, ulp + 0x1p-49 * size))
            say(c, got, "not the middle of what is shared");
    }
}

// Triangles that share points touch after b has moved, if the way is the shortest. Seen from a
// corner of a, where a rounding is one of the size.
static void check_touch(rational *r, const far_case *c, const graze_contact *got, double slack)
{
    graze_triangle a, b;
    double part = c->exponent > 1000 ? 0.125 : 1;
    for (int i = 0; i < 9; ++i) {
        int k = i / 3, axis = i % 3;
        double zero = c->a.corner[0][axis] * part;
        a.corner[k][axis] = c->a.corner[k][axis] * part - zero;
        b.corner[k][axis] =
            c->b.corner[k][axis] * part - zero + got->depth * part * got->normal[axis];
    }
    oracle_load(r->moved, &a, &b);
    oracle_closest(r->moved);
    if (!oracle_within(r->moved, slack * part))
        say(c, got, "b has gone too far");
}

// 1 if they share points, 2 if they do more than touch.
static int check_case(rational *r, const far_case *c)
{
    graze_contact got = {.depth = 0}, swapped = {.depth = 0};
    gz_fpu_state state = gz_fpu_enter();
    gz_contact_of(&c->a, &c->b, &got);
    gz_contact_of(&c->b, &c->a, &swapped);
    gz_fpu_leave(state);
    double size = half_size(&c->a, &c->b), slack = 2e-12 * size;
    oracle_load(r->o, &c->a, &c->b);
    oracle_closest(r->o);
    bool meet = oracle_meet(r->o);
    if (meet != (got.depth >= 0))
        say(c, &got, "the sign is wrong");
    if (isinf(got.depth)) {
        assert_false(oracle_within(r->o, DBL_MAX));
        return 0;
    }
    check_way_out(r, c, &got, slack);
    if (meet) {
        check_middle(r, c, &got, size);
        if (c->kind != SLIVERS)
            check_touch(r, c, &got, 2e-10 * size);
    } else {
        check_closest(r, c, &got, slack);
    }
    bool same = true;
    for (int i = 0; i < 9; ++i)
        same = same && c->a.corner[i / 3][i % 3] == c->b.corner[i / 3][i % 3];
    if (swapped.depth != got.depth)
        say(c, &got, "swapped, the depth is another");
    for (int i = 0; i < 3; ++i)
        if (got.point_a[i] != swapped.point_b[i] || got.point_b[i] != swapped.point_a[i] ||
            got.normal[i] != (same ? 1 : -1) * swapped.normal[i])
            say(c, &got, "swapped, it is another contact");
    return !meet ? 0 : got.depth > slack ? 2 : 1;
}

static void check_kind(far_kind kind, int least_apart, int least_touching, int least_crossing)
{
    test_of_one_thread();
    rational r;
    rational_init(&r);
    for (int k = 0; k < EXPONENTS; ++k) {
        int count = TEST_CHANCES(400), seen[3] = {0, 0, 0};
        for (int i = 0; i < count; ++i) {
            far_case c = {.kind = kind, .exponent = exponents[k], .seed = (uint64_t)i + 1};
            make_case(&c);
            seen[check_case(&r, &c)]++;
        }
        int least[3] = {least_apart, least_touching, least_crossing};
        for (int i = 0; i < 3; ++i)
            if (seen[i] * 100 < least[i] * count)
                fail_msg("%s at 2^%d: only %d of %d", names[kind], exponents[k], seen[i], count);
    }
    rational_clear(&r);
}

// At least so many of a hundred are apart, only touch, or do more.
static void those_apart(void **state)
{
    (void)state;
    check_kind(APART, 60, 0, 0);
}
static void those_nearly_touching(void **state)
{
    (void)state;
    check_kind(NEAR, 20, 0, 0);
}
static void those_that_cross(void **state)
{
    (void)state;
    check_kind(CROSSING, 10, 0, 10);
}
static void those_that_touch(void **state)
{
    (void)state;
    check_kind(TOUCHING, 0, 20, 10);
}
static void those_in_one_plane(void **state)
{
    (void)state;
    check_kind(COPLANAR, 10, 20, 0);
}
static void flat_ones(void **state)
{
    (void)state;
    check_kind(FLAT, 20, 2, 0);
}
static void small_beside_large(void **state)
{
    (void)state;
    check_kind(MIXED, 5, 0, 5);
}

static void slivers(void **state)
{
    (void)state;
    check_kind(SLIVERS, 20, 0, 0);
}

// Coordinates whose differences overflow, and some that are nearly nothing.
static void at_the_ends_of_the_doubles(void **state)
{
    (void)state;
    static const int scales[] = {1020, 1000, 300, -300, -1000};
    test_of_one_thread();
    rational r;
    rational_init(&r);
    int seen[3] = {0, 0, 0};
    for (int i = 0; i < TEST_CHANCES(1000); ++i) {
        far_case c = {
            .kind = i % 2 == 0 ? APART : CROSSING, .exponent = -20, .seed = (uint64_t)i + 1};
        make_case(&c);
        c.exponent = scales[i % 5] + (i % 10 == 5 ? 2 : 0);
        for (int k = 0; k < 9; ++k) {
            c.a.corner[k / 3][k % 3] = ldexp(1.3 * c.a.corner[k / 3][k % 3], c.exponent);
            c.b.corner[k / 3][k % 3] = ldexp(1.3 * c.b.corner[k / 3][k % 3], c.exponent);
        }
        seen[check_case(&r, &c)]++;
    }
    assert_true(seen[0] > 10 && seen[2] > 10);
    rational_clear(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_apart),
        cmocka_unit_test(those_nearly_touching),
        cmocka_unit_test(those_that_cross),
        cmocka_unit_test(those_that_touch),
        cmocka_unit_test(those_in_one_plane),
        cmocka_unit_test(flat_ones),
        cmocka_unit_test(small_beside_large),
        cmocka_unit_test(slivers),
        cmocka_unit_test(at_the_ends_of_the_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
