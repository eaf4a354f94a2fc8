// Dealing surfaces out to owners: parts cover their triangle, what they stand for is near their
// owner, by brute force and in long double; and who is in sight is seen. For simplified shapes,
// soups, surfaces without area, doubled, huge, tiny and far away; in both precisions, with extras,
// little patience, all SIMD widths and failing memory.
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/knobs.h"
#include "deviations.h"
#include "faults.h"
#include "patches.h"

#define SLACK (1 + 0x1p-5) // what is known may be increased by this, where parts are cut

typedef struct bench {
    graze_context *context;
    gz_deviation_query *query;
    gz_shares shares;
} bench;

static bench open_bench(graze_context *context)
{
    bench b = {.context = context};
    assert_int_equal(gz_deviation_query_create(b.context, &b.query), GRAZE_OK);
    return b;
}

static void free_shares(graze_context *context, gz_shares *shares)
{
    gz_list_free(context, &shares->shares);
    gz_list_free(context, &shares->corners);
    gz_list_free(context, &shares->sights);
}

static void close_bench(bench *b)
{
    free_shares(b->context, &b->shares);
    gz_deviation_query_destroy(b->query);
    test_context_done(b->context);
}

// --- Cases

typedef struct question {
    uint64_t seed;
    patch fine, coarse;
    uint32_t *owner, owner_count;
    float *extra; // or NULL
    graze_precision precision;
    double floor, sight; // of what is known
    bool tired;          // no patience is left when it is dealt out
    // And the answer.
    double known, most, seen; // `seen`: the distance for sights
    uint64_t given_up;
} question;

// Owners in patches, one for each triangle, or at random; with extras or without.
static question ask(patch fine, patch coarse, graze_precision precision, uint64_t seed)
{
    static const double sights[4] = {0, 0.5, 1, 4};
    question q = {.seed = seed, .fine = fine, .coarse = coarse, .precision = precision};
    test_random random = {seed};
    q.owner_count = seed % 7 == 6 ? coarse.triangle_count + 1 : 1 + (uint32_t)(seed * 5 % 23);
    patch_round(&q.fine, precision);
    patch_round(&q.coarse, precision);
    q.owner = seed % 3 != 0 ? patch_own_by_grid(&coarse, q.owner_count)
                            : patch_own_by_chance(&coarse, q.owner_count, &random);
    q.sight = sights[seed % 4];
    if (seed % 5 > 1) {
        double size = patch_largest(&fine) * pow(10, -1 - (double)(seed % 4));
        q.extra = malloc(sizeof *q.extra * (fine.triangle_count + 1));
        assert_non_null(q.extra);
        for (uint32_t t = 0; t < fine.triangle_count; ++t)
            q.extra[t] = (float)fmin(size * test_unit(&random), 0x1p120);
    }
    return q;
}

static void free_question(question *q)
{
    patch_free(&q->fine);
    patch_free(&q->coarse);
    free(q->owner);
    free(q->extra);
}

static gz_surface fine_of(const question *q)
{
    gz_surface s = patch_surface(&q->fine);
    s.extra = q->extra;
    return s;
}

static long double extra_of(const question *q, uint32_t t)
{
    return q->extra == NULL ? 0 : (long double)q->extra[t];
}

static void answer(bench *b, question *q)
{
    gz_surface to = patch_surface(&q->coarse), from = fine_of(q);
    gz_deviation d;
    assert_int_equal(gz_deviation_set_target(b->query, &to), GRAZE_OK);
    assert_int_equal(gz_deviation_from(b->query, &from, 0.05, q->floor, &d), GRAZE_OK);
    q->known = d.high;
    q->seen = q->sight * q->known;
    gz_deal deal = {&to, q->owner, q->known, q->seen, q->floor, UINT64_MAX, q->precision};
    if (q->tired)
        gz_deviation_set_patience(b->query, 0, 0);
    assert_int_equal(gz_deviation_deal(b->query, &from, &deal, &b->shares, &q->most), GRAZE_OK);
    q->given_up = gz_deviation_counted(b->query).given_up;
}

// --- What every deal keeps

#define FAIL(q, ...)                                                                               \
    do {                                                                                           \
        print_error("seed %llu\n", (unsigned long long)(q)->seed);                                 \
        fail_msg(__VA_ARGS__);                                                                     \
    } while (0)

static const gz_share *shares_of(const bench *b) { return b->shares.shares.items; }

// The end of the shares of the same triangle.
static uint64_t end_of(const bench *b, uint64_t n)
{
    uint32_t triangle = shares_of(b)[n].triangle;
    while (n < b->shares.shares.count && shares_of(b)[n].triangle == triangle)
        n++;
    return n;
}

// Triangles have shares, those of each together; a whole triangle goes to one as it is.
static void check_form(const bench *b, const question *q)
{
    bool *there = calloc(q->fine.triangle_count + 1, sizeof *there);
    const double *x = (const double *)b->shares.corners.items;
    uint64_t all = 0, corners = 0;
    assert_non_null(there);
    for (uint64_t n = 0, end; n < b->shares.shares.count; n = end) {
        end = end_of(b, n);
        uint32_t t = shares_of(b)[n].triangle;
        if (t >= q->fine.triangle_count || there[t])
            FAIL(q, "triangle %u is dealt out twice", t);
        there[t] = true;
        all++;
        bool several = false;
        for (uint64_t k = n; k < end; ++k) {
            const gz_share *s = shares_of(b) + k;
            assert_true(s->owner < q->owner_count && s->count != 1);
            assert_true(s->count == 0 || s->first == corners);
            corners += s->count;
            several = several || s->owner != shares_of(b)[n].owner;
            if (s->count == 0 ? end != n + 1 || (long double)s->extra != extra_of(q, t)
                              : (long double)s->extra <= extra_of(q, t))
                FAIL(q, "triangle %u: extra %.9g", t, (double)s->extra);
        }
        assert_true(several == (shares_of(b)[n].count != 0));
    }
    assert_int_equal(all, q->fine.triangle_count);
    assert_int_equal(corners, b->shares.corners.count);
    for (uint64_t i = 0; i < 3 * corners; ++i) {
        volatile float narrow = (float)x[i];
        assert_true(q->precision == GRAZE_FLOAT64 ? isfinite(x[i]) : (double)narrow == x[i]);
    }
    free(there);
}

// Is the point of a triangle within a distance of what a share of it is, a fan of triangles?
static bool within_share(const bench *b, const gz_share *s, const long double point[3],
                         long double most)
{
    const double(*x)[3] = (const double(*)[3])b->shares.corners.items + s->first;
    if (s->count == 0)
        return true;
    for (uint32_t k = 1; k == 1 || k + 1 < s->count; ++k) {
        const double *fan[3] = {x[0], x[k], x[k + 1 < s->count ? k + 1 : k]};
        if (point_within(fan, point, most))
            return true;
    }
    return false;
}

// Points of triangles are within what was added to the extra of a share whose owner is near enough;
// and points of shares are as far from their owner as that allows.
static void check_nearness(const bench *b, const question *q, uint32_t samples)
{
    test_random random = {q->seed};
    long double epsilon = 0x1p-58L * fmax(patch_largest(&q->fine), patch_largest(&q->coarse));
    long double point[3];
    for (uint64_t n = 0, end; n < b->shares.shares.count; n = end) {
        end = end_of(b, n);
        const gz_share *s = shares_of(b);
        uint32_t t = s[n].triangle;
        long double extra = extra_of(q, t), most = q->most - extra + epsilon;
        for (uint32_t i = 0; i < samples; ++i) {
            bool good = false;
            patch_point(&q->fine, t, i, &random, point);
            for (uint64_t k = n; k < end && !good; ++k)
                good = within_share(b, s + k, point, s[k].extra - extra + epsilon) &&
                       patch_within(&q->coarse, q->owner, s[k].owner, point, most);
            if (!good)
                FAIL(q, "a point of triangle %u is nobody's, within %.17g", t, q->most);
        }
        for (uint64_t k = n; k < end; ++k)
            for (uint32_t i = 0; i < s[k].count; ++i) {
                const double *x = ((const double(*)[3])b->shares.corners.items)[s[k].first + i];
                long double more = s[k].extra - extra, corner[3] = {x[0], x[1], x[2]};
                if (!(patch_distance(&q->fine, t, corner) <= more + epsilon) ||
                    !patch_within(&q->coarse, q->owner, s[k].owner, corner, most + more))
                    FAIL(q, "a corner of a part of triangle %u is astray", t);
            }
    }
}

static double extent_of(const question *q)
{
    patch both = patch_join(&q->fine, &q->coarse);
    double from[3], most = 0;
    memcpy(from, both.position[both.corner[0][0]], sizeof from);
    for (uint32_t t = 0; t < both.triangle_count; ++t)
        for (int k = 0; k < 9; ++k)
            most = fmax(most, fabs(both.position[both.corner[t][k / 3]][k % 3] - from[k % 3]));
    patch_free(&both);
    return most;
}

static void check_most(const question *q)
{
    double least = fmax(q->known * SLACK, q->floor) + 2e-13 * extent_of(q);
    if (!(q->most >= q->known) || (q->given_up == 0 && !(q->most <= least * (1 + 1e-9))))
        FAIL(q, "known %.17g became %.17g", q->known, q->most);
}

static uint32_t find_seen(const question *q, const patch *from, uint32_t t, bool *seen)
{
    memset(seen, 0, q->owner_count * sizeof *seen);
    return patch_see(from, t, &q->coarse, q->owner, q->seen, seen);
}

// Those that triangles of `from`, numbered from `first` on, see are listed, each once; those of
// triangles that see one owner only if `all`. Lists at least that owner where it got no share.
static void check_sights(const bench *b, const question *q, const patch *from, uint32_t first,
                         bool all)
{
    const gz_sight *sight = b->shares.sights.items;
    uint64_t n = 0;
    bool *seen = calloc(q->owner_count + 1, sizeof *seen);
    uint32_t *times = calloc(q->owner_count + 1, sizeof *times),
             *order = calloc((size_t)from->triangle_count + 1, sizeof *order), groups = 0;
    assert_true(seen != NULL && times != NULL && order != NULL);
    while (n < b->shares.sights.count && sight[n].triangle < first)
        n++;
    for (; n < b->shares.sights.count;) {
        uint32_t t = sight[n].triangle - first;
        assert_true(t < from->triangle_count && order[t] == 0);
        order[t] = ++groups;
        memset(times, 0, q->owner_count * sizeof *times);
        for (; n < b->shares.sights.count && sight[n].triangle == first + t; ++n) {
            assert_true(sight[n].owner < q->owner_count);
            times[sight[n].owner]++;
        }
        find_seen(q, from, t, seen);
        for (uint32_t owner = 0; owner < q->owner_count; ++owner)
            if (times[owner] > 1 || (times[owner] == 0 && seen[owner]))
                FAIL(q, "triangle %u has owner %u %u times in its sight", t, owner, times[owner]);
    }
    for (uint32_t t = 0; t < from->triangle_count; ++t) // those without any
        if (order[t] == 0 && find_seen(q, from, t, seen) > (all ? 0 : 1))
            FAIL(q, "triangle %u sees nobody", t);
    free(seen);
    free(times);
    free(order);
}

// What is beside the fine surface sees others than that does.
static void check_see(bench *b, const question *q)
{
    gz_surface to = patch_surface(&q->coarse);
    gz_deal deal = {&to, q->owner, q->known, q->seen, q->floor, UINT64_MAX, q->precision};
    patch aside = patch_copy(&q->fine);
    const double shift[3] = {1.5 * q->seen, 0, 0};
    patch_transform(&aside, 1, shift);
    gz_surface s = patch_surface(&aside);
    uint64_t before = b->shares.sights.count;
    uint32_t first = q->fine.triangle_count;
    assert_int_equal(gz_deviation_see(b->query, &s, &deal, first, &b->shares), GRAZE_OK);
    check_sights(b, q, &aside, first, true);
    b->shares.sights.count = before;
    patch_free(&aside);
}

static void check(bench *b, question *q, uint32_t samples)
{
    answer(b, q);
    check_form(b, q);
    check_most(q);
    check_nearness(b, q, samples);
    check_sights(b, q, &q->fine, 0, false);
    check_see(b, q);
}

// --- Shapes

static void simplified(void **state)
{
    (void)state;
    static const char *const kinds[6] = {"sphere", "torus", "knot", "terrain", "plates", "needles"};
    bench b = open_bench(test_context(NULL));
    uint64_t parts = 0;
    for (uint64_t seed = 1; seed <= (TEST_SANITIZED ? 6 : 24); ++seed) {
        patch fine = patch_shape(kinds[seed % 6], 500);
        patch coarse = patch_simplify(&fine, fine.triangle_count / (2 + (uint32_t)(seed % 3)));
        if (seed % 4 == 1) { // far away, where floats have few digits left
            const double shift[3] = {300, -20, 1};
            patch_transform(&fine, 1, shift);
            patch_transform(&coarse, 1, shift);
        }
        question q = ask(fine, coarse, seed / 6 % 2 ? GRAZE_FLOAT64 : GRAZE_FLOAT32, seed);
        q.floor = seed % 2 == 0 ? 1e-6 : 0;
        check(&b, &q, 8);
        parts += b.shares.shares.count - q.fine.triangle_count;
        free_question(&q);
    }
    assert_true(TEST_SANITIZED || parts > 1000);
    close_bench(&b);
}

static void soups(void **state)
{
    (void)state;
    bench b = open_bench(test_context(NULL));
    for (uint64_t seed = 1; seed <= TEST_CHANCES(100); ++seed) {
        test_random random = {seed};
        patch fine = patch_of_chance(&random, 1 + (uint32_t)(test_next(&random) % 40));
        patch coarse = patch_of_chance(&random, 1 + (uint32_t)(test_next(&random) % 40));
        if (seed % 4 == 0) { // a part of the fine one
            patch_free(&coarse);
            coarse = patch_copy(&fine);
            coarse.triangle_count = (fine.triangle_count + 1) / 2;
        }
        question q = ask(fine, coarse, seed % 2 ? GRAZE_FLOAT64 : GRAZE_FLOAT32, seed);
        check(&b, &q, 20);
        free_question(&q);
    }
    close_bench(&b);
}

// Needles and dots beside a relief; and a surface that is there twice, so that owners are as near
// as others.
static void degenerate_and_doubled(void **state)
{
    (void)state;
    bench b = open_bench(test_context(NULL));
    for (uint64_t seed = 1; seed <= TEST_CHANCES(12); ++seed) {
        test_random random = {seed};
        patch base = patch_relief(8, 0.1, seed), half = patch_simplify(&base, 40);
        patch fine = patch_join(&base, &base), coarse = patch_join(&half, &half);
        for (uint32_t t = 0; t < fine.triangle_count && seed % 2 == 0; ++t)
            fine.corner[t][2] = fine.corner[t][test_next(&random) % 2];
        for (uint32_t t = 0; t < coarse.triangle_count && seed % 4 > 1; ++t)
            coarse.corner[t][test_next(&random) % 3] = coarse.corner[t][0];
        question q = ask(fine, coarse, seed % 3 ? GRAZE_FLOAT64 : GRAZE_FLOAT32, seed);
        check(&b, &q, 9);
        free_question(&q);
        patch_free(&base);
        patch_free(&half);
    }
    close_bench(&b);
}

// Huge beside tiny, more of the target near a triangle than is gathered, numbers next to the
// largest and the smallest, and so far away that the target is as good as a point.
static void odd_sizes(void **state)
{
    (void)state;
    static const double sizes[9][3] = {
        {30, 1, 0},           {1e-3, 1, 0},        {1, 1e-5, 0},        {0x1p500, 0x1p500, 0},
        {0x1p-500, 1, 1},     {0x1p40, 1, 0x1p41}, {0x1p70, 1, 0x1p80}, {0x1p-1000, 0x1p-1000, 0},
        {0x1p-40, 1, 0x1p-9},
    };
    bench b = open_bench(test_context(NULL));
    for (uint64_t seed = 1; seed <= (TEST_SANITIZED ? 9 : 36); ++seed) {
        const double *size = sizes[seed % 9], shift[3] = {size[2], size[2], 0},
                     middle[3] = {-0.3 * size[0], -0.4 * size[0], 0}, zero[3] = {0, 0, 0};
        patch fine = patch_relief(seed % 9 == 0 ? 1 : 5, 0.05, seed);
        patch coarse = patch_relief(seed % 9 == 0 ? 24 : 6, 0.1, seed);
        patch_transform(&fine, size[0], middle);
        patch_transform(&coarse, size[1], zero);
        patch_transform(&fine, 1, shift);
        question q = ask(fine, coarse, GRAZE_FLOAT64, seed);
        answer(&b, &q);
        check_form(&b, &q);
        check_nearness(&b, &q, 12);
        if (size[0] < 0x1p60 * size[1]) {
            check_most(&q);
            check_sights(&b, &q, &q.fine, 0, false);
            check_see(&b, &q);
        }
        free_question(&q);
    }
    close_bench(&b);
}

// A plate on either side; the far one is nearest to what has no extra. Everything within what is
// known for all must be looked at, not what is left of it by the largest extra.
static void plates(void **state)
{
    (void)state;
    bench b = open_bench(test_context(NULL));
    patch left = patch_relief(1, 0, 1), right = patch_copy(&left);
    for (uint32_t v = 0; v < left.vertex_count; ++v) {
        left.position[v][0] *= 0.3;
        left.position[v][2] = 0.1;
        right.position[v][0] = 0.3 + 0.7 * right.position[v][0];
        right.position[v][2] = -0.5;
    }
    question q = ask(patch_relief(2, 0, 1), patch_join(&left, &right), GRAZE_FLOAT64, 2);
    for (uint32_t t = 0; t < q.fine.triangle_count; ++t) {
        const uint32_t *c = q.fine.corner[t];
        q.extra[t] = 0.4f;
        for (int k = 0; k < 3; ++k)
            q.extra[t] = q.fine.position[c[k]][0] > 0.5 ? 0 : q.extra[t];
    }
    for (uint32_t t = 0; t < q.coarse.triangle_count; ++t)
        q.owner[t] = t < left.triangle_count ? 0 : 1;
    q.sight = 0;
    check(&b, &q, 50);
    patch_free(&left);
    patch_free(&right);
    free_question(&q);
    close_bench(&b);
}

// Small around the origin, on a large plane whose center is elsewhere: what is lost by rounding has
// to do with the plane, not with the small coordinates.
static void rounded_by_target(void **state)
{
    (void)state;
    bench b = open_bench(test_context(NULL));
    uint64_t parts = 0;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        const double down[3] = {-0.25, -0.25, 0}, tiny[3] = {-0.3 * 0x1p-20, -0.4 * 0x1p-20, 0};
        patch fine = patch_relief(6, 0.02, seed), coarse = patch_relief(4, 0, seed);
        patch_transform(&coarse, 1, down);
        patch_transform(&fine, 0x1p-20, tiny);
        question q = ask(fine, coarse, GRAZE_FLOAT64, 3 * seed); // owners by chance
        check(&b, &q, 20);
        parts += b.shares.corners.count;
        free_question(&q);
    }
    assert_true(parts > 100);
    close_bench(&b);
}

// --- Who gets what

// Of one owner nothing is cut; of a surface that is the same, nearly nothing.
static void whole_triangles(void **state)
{
    (void)state;
    bench b = open_bench(test_context(NULL));
    patch fine = patch_relief(20, 0.05, 3);
    question q = ask(fine, patch_simplify(&fine, 400), GRAZE_FLOAT32, 7);
    memset(q.owner, 0, q.coarse.triangle_count * sizeof *q.owner);
    answer(&b, &q);
    assert_int_equal(b.shares.shares.count, fine.triangle_count);
    assert_int_equal(b.shares.corners.count + b.shares.sights.count, 0);
    check_form(&b, &q);
    free_question(&q);
    fine = patch_relief(20, 0.05, 3);
    q = ask(fine, patch_copy(&fine), GRAZE_FLOAT64, 10); // owners in patches, no extras
    q.floor = 1e-9;
    check(&b, &q, 6);
    uint32_t others = 0;
    for (uint64_t n = 0; n < b.shares.shares.count; ++n)
        others += shares_of(&b)[n].owner != q.owner[shares_of(&b)[n].triangle];
    assert_true(b.shares.shares.count == fine.triangle_count && others == 0);
    // Few see several: those at the borders of patches.
    assert_true(b.shares.sights.count < fine.triangle_count);
    free_question(&q);
    close_bench(&b);
}

// When patience ends, bounds are wider and still true.
static void little_patience(void **state)
{
    (void)state;
    bench b = open_bench(test_context(NULL));
    uint64_t given_up = 0;
    for (uint64_t seed = 1; seed <= (TEST_SANITIZED ? 6 : 18); ++seed) {
        test_random random = {seed};
        patch fine = seed % 2 ? patch_shape("torus", 150) : patch_of_chance(&random, 30);
        patch coarse = patch_simplify(&fine, fine.triangle_count / 2);
        question q = ask(fine, coarse, GRAZE_FLOAT64, seed);
        q.tired = true;
        if (seed % 3 == 0) // from the beginning
            gz_deviation_set_patience(b.query, 1, 0);
        check(&b, &q, 10);
        gz_deviation_set_patience(b.query, UINT64_C(10000000), 0);
        given_up += q.given_up;
        free_question(&q);
    }
    assert_true(TEST_SANITIZED || given_up > 100);
    close_bench(&b);
}

// Nothing is dealt out when there is more than may be kept; what is known stays true.
static void too_much(void **state)
{
    (void)state;
    bench b = open_bench(test_context(NULL));
    test_random random = {5};
    for (uint32_t seed = 1; seed <= 8; ++seed) {
        patch fine = patch_of_chance(&random, 200);
        patch coarse = patch_simplify(&fine, 100);
        question q = ask(fine, coarse, GRAZE_FLOAT64, 3);
        answer(&b, &q);
        uint64_t corners = b.shares.corners.count, sights = b.shares.sights.count;
        uint64_t largest = corners > sights ? corners : sights;
        assert_false(b.shares.crowded);
        assert_true(largest > 100);
        gz_surface from = fine_of(&q), to = patch_surface(&q.coarse);
        gz_deal deal = {&to, q.owner, q.known, q.seen, q.floor, largest + 1, q.precision};
        for (int n = 0; n < 3; ++n, deal.most = n == 1 ? largest / 2 : 0) {
            double most;
            assert_int_equal(gz_deviation_deal(b.query, &from, &deal, &b.shares, &most), GRAZE_OK);
            assert_true(b.shares.crowded == (n > 0));
            assert_true(most >= q.known && most <= q.most);
            assert_true(b.shares.corners.count <= deal.most + 16);
            assert_true(b.shares.sights.count <= deal.most + 1);
            assert_int_equal(gz_deviation_see(b.query, &from, &deal, 0, &b.shares), GRAZE_OK);
            assert_true(b.shares.sights.count <= deal.most + 1);
        }
        free_question(&q);
    }
    close_bench(&b);
}

// Nothing is dealt out, or to nobody; what is around is seen even so.
static void nothing(void **state)
{
    (void)state;
    bench b = open_bench(test_context(NULL));
    patch relief = patch_relief(12, 0.1, 1), none = patch_make(0, 0);
    uint32_t *owner = patch_own_by_grid(&relief, 4);
    gz_surface s = patch_surface(&relief), e = patch_surface(&none);
    gz_deal deal = {&s, owner, 0, 0.01, 0, UINT64_MAX, GRAZE_FLOAT64},
            nobody = {&e, owner, 0, 0, 0, UINT64_MAX, 0};
    double most = -1;
    assert_int_equal(gz_deviation_set_target(b.query, &s), GRAZE_OK);
    assert_int_equal(gz_deviation_deal(b.query, &e, &deal, &b.shares, &most), GRAZE_OK);
    assert_int_equal(b.shares.shares.count + b.shares.sights.count, 0);
    assert_true(most == 0);
    question q = {.fine = relief, .coarse = relief, .owner = owner, .owner_count = 4};
    q.seen = 0.01;
    assert_int_equal(gz_deviation_see(b.query, &s, &deal, 0, &b.shares), GRAZE_OK);
    check_sights(&b, &q, &relief, 0, true);
    assert_int_equal(gz_deviation_set_target(b.query, &e), GRAZE_OK);
    assert_int_equal(gz_deviation_deal(b.query, &s, &nobody, &b.shares, &most), GRAZE_OK);
    assert_int_equal(gz_deviation_see(b.query, &s, &nobody, 0, &b.shares), GRAZE_OK);
    assert_int_equal(b.shares.shares.count + b.shares.sights.count, 0);
    relief.position[3][1] = NAN;
    assert_int_equal(gz_deviation_deal(b.query, &s, &nobody, &b.shares, &most),
                     GRAZE_ERROR_ARGUMENT);
    free(owner);
    patch_free(&relief);
    patch_free(&none);
    close_bench(&b);
}

// --- Widths and memory

static void same_for_all_widths(void **state)
{
    (void)state;
    bench first = open_bench(test_context_of_width(GRAZE_SIMD_SCALAR));
    patch fine = patch_shape("knot", 1500);
    question q = ask(fine, patch_simplify(&fine, 700), GRAZE_FLOAT32, 8);
    q.floor = 1e-6;
    answer(&first, &q);
    assert_true(first.shares.shares.count > fine.triangle_count);
    for (int simd = GRAZE_SIMD_SCALAR; simd <= (int)GRAZE_SIMD_AVX512; ++simd) {
        graze_context *context = test_context_of_width((graze_simd)simd);
        if (context == NULL)
            continue;
        bench b = open_bench(context);
        for (int round = 0; round < 2; ++round) {
            question again = q;
            answer(&b, &again);
            assert_true(again.most == q.most && again.known == q.known);
            const gz_list *lists[2][3] = {
                {&b.shares.shares.list, &b.shares.corners.list, &b.shares.sights.list},
                {&first.shares.shares.list, &first.shares.corners.list, &first.shares.sights.list}};
            for (int k = 0; k < 3; ++k) {
                assert_int_equal(lists[0][k]->count, lists[1][k]->count);
                assert_memory_equal(lists[0][k]->items, lists[1][k]->items,
                                    lists[0][k]->item_bytes * lists[0][k]->count);
            }
            atomic_store(&gz_knobs_for(b.context)->allocations_left,
                         0); // the second time needs none
        }
        close_bench(&b);
    }
    free_question(&q);
    close_bench(&first);
}

static graze_status whole_deal(graze_context *context, void *data)
{
    const question *q = data;
    gz_surface from = fine_of(q), to = patch_surface(&q->coarse);
    gz_deal deal = {&to, q->owner, 0, 0, 0, UINT64_MAX, q->precision};
    gz_deviation d;
    gz_shares shares = {.crowded = false};
    gz_deviation_query *query = NULL;
    graze_status status = gz_deviation_query_create(context, &query);
    if (status == GRAZE_OK)
        status = gz_deviation_set_target(query, &to);
    if (status == GRAZE_OK)
        status = gz_deviation_from(query, &from, 0.05, 0, &d);
    if (status == GRAZE_OK) {
        deal.known = deal.sight = d.high;
        status = gz_deviation_deal(query, &from, &deal, &shares, &d.high);
    }
    if (status == GRAZE_OK)
        status = gz_deviation_see(query, &from, &deal, from.triangle_count, &shares);
    free_shares(context, &shares);
    gz_deviation_query_destroy(query);
    return status;
}

static void failing_memory(void **state)
{
    (void)state;
    patch fine = patch_relief(12, 0.05, 2);
    question q = ask(fine, patch_simplify(&fine, 100), GRAZE_FLOAT32, 4);
    assert_true(test_all_faults(whole_deal, &q, 1) > 10);
    free_question(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simplified),
        cmocka_unit_test(soups),
        cmocka_unit_test(degenerate_and_doubled),
        cmocka_unit_test(odd_sizes),
        cmocka_unit_test(plates),
        cmocka_unit_test(rounded_by_target),
        cmocka_unit_test(whole_triangles),
        cmocka_unit_test(little_patience),
        cmocka_unit_test(too_much),
        cmocka_unit_test(nothing),
        cmocka_unit_test(same_for_all_widths),
        cmocka_unit_test(failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
