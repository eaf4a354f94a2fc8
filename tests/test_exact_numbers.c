// Exact numbers against GMP: sums, products, comparisons, and quotients rounded once.
#include "test.h"

#include <gmp.h>
#include <math.h>

#include "geometry/exact.h"

#define SPACE 65536

static gz_big random_big(test_random *random, gz_space *space, mpz_t twin)
{
    uint32_t count = (uint32_t)(test_next(random) % 9);
    uint64_t *limb = space->next;
    space->next += count;
    for (uint32_t i = 0; i < count; ++i) {
        uint64_t kind = test_next(random) % 4; // runs of ones and zeros find lost carries
        limb[i] = kind == 0 ? 0 : kind == 1 ? UINT64_MAX : test_next(random);
    }
    while (count != 0 && limb[count - 1] == 0)
        count--;
    mpz_import(twin, count, -1, 8, 0, 0, limb);
    int sign = count == 0 ? 0 : test_next(random) % 2 == 0 ? 1 : -1;
    if (sign < 0)
        mpz_neg(twin, twin);
    return (gz_big){limb, count, sign};
}

static void check_equal(gz_big a, mpz_t expected, uint64_t seed)
{
    mpz_t twin;
    mpz_init(twin);
    mpz_import(twin, a.count, -1, 8, 0, 0, a.limb);
    if (a.sign < 0)
        mpz_neg(twin, twin);
    if (mpz_cmp(twin, expected) != 0 || (a.sign == 0) != (a.count == 0))
        fail_msg("seed %llu", (unsigned long long)seed);
    mpz_clear(twin);
}

static void arithmetic_equals_gmp(void **state)
{
    (void)state;
    static uint64_t limbs[SPACE];
    mpz_t x, y, z;
    mpz_inits(x, y, z, NULL);
    for (uint64_t seed = 1; seed <= 200000; ++seed) {
        test_random random = {seed};
        gz_space space = {limbs, limbs + SPACE};
        gz_big a = random_big(&random, &space, x), b = random_big(&random, &space, y);
        mpz_add(z, x, y);
        check_equal(gz_big_add(&space, a, b), z, seed);
        mpz_sub(z, x, y);
        check_equal(gz_big_sub(&space, a, b), z, seed);
        mpz_mul(z, x, y);
        check_equal(gz_big_mul(&space, a, b), z, seed);
        int order = mpz_cmp(x, y);
        assert_int_equal(gz_big_compare(a, b), (order > 0) - (order < 0));
        assert_int_equal(gz_big_bits(a), a.sign == 0 ? 0 : (int)mpz_sizeinbase(x, 2));
    }
    mpz_clears(x, y, z, NULL);
}

static void doubles_become_their_integers(void **state)
{
    (void)state;
    static uint64_t limbs[SPACE];
    static const double values[] = {1,
                                    -1,
                                    0.1,
                                    1e300,
                                    -1e-300,
                                    0x1p-1074,
                                    0x1p52,
                                    3 << 20,
                                    -0.0,
                                    0x1p-1022,
                                    1.7976931348623157e308};
    mpz_t expected;
    mpf_t exact;
    mpz_init(expected);
    mpf_init2(exact, 4096);
    uint32_t count = sizeof values / sizeof values[0];
    int exponent = gz_common_exponent(values, count, GZ_NO_EXPONENT);
    assert_int_equal(exponent, -1074);
    for (uint32_t i = 0; i < count; ++i) {
        gz_space space = {limbs, limbs + SPACE};
        mpf_set_d(exact, values[i]);
        mpf_mul_2exp(exact, exact, 1074);
        mpz_set_f(expected, exact);
        check_equal(gz_big_of_double(&space, values[i], exponent), expected, i);
    }
    mpz_clear(expected);
    mpf_clear(exact);
}

// The exact value of a double, infinity taken as 2^1024 so that the halfway rule works for it.
static void set_double(mpq_t out, double value)
{
    if (isinf(value)) {
        mpq_set_ui(out, 1, 1);
        mpq_mul_2exp(out, out, 1024);
        if (value < 0)
            mpq_neg(out, out);
        return;
    }
    mpq_set_d(out, value);
}

static uint64_t last_bit(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits & 1;
}

// |exact - rounded| <= |exact - neighbour|, and in a tie the last bit is even.
static void check_nearest(mpq_t exact, double rounded, double neighbour, uint64_t seed)
{
    mpq_t a, b;
    mpq_inits(a, b, NULL);
    set_double(a, rounded);
    set_double(b, neighbour);
    mpq_sub(a, a, exact);
    mpq_sub(b, b, exact);
    mpq_abs(a, a);
    mpq_abs(b, b);
    int order = mpq_cmp(a, b);
    if (order > 0 || (order == 0 && last_bit(rounded) != 0 && !isinf(rounded)))
        fail_msg("seed %llu: %a", (unsigned long long)seed, rounded);
    mpq_clears(a, b, NULL);
}

static void quotients_round_to_nearest(void **state)
{
    (void)state;
    static uint64_t limbs[SPACE];
    mpz_t x, y;
    mpq_t exact;
    mpz_inits(x, y, NULL);
    mpq_init(exact);
    uint64_t subnormal = 0, infinite = 0;
    for (uint64_t seed = 1; seed <= 100000; ++seed) {
        test_random random = {seed};
        gz_space space = {limbs, limbs + SPACE};
        gz_big a = random_big(&random, &space, x), b = random_big(&random, &space, y);
        if (b.sign == 0)
            continue;
        if (test_next(&random) % 4 == 0) { // exact halves and exact quotients
            uint64_t *limb = space.next++;
            *limb = test_next(&random) >> (test_next(&random) % 12) | 1;
            a = gz_big_mul(&space, (gz_big){limb, 1, 1}, b);
            mpz_set_ui(x, *limb);
            mpz_mul(x, x, y);
        }
        int exponent = (int)(test_next(&random) % 2400) - 1300;
        double rounded = gz_big_ratio(space, a, b, exponent);
        mpq_set_num(exact, x);
        mpq_set_den(exact, y);
        mpq_canonicalize(exact);
        if (exponent >= 0)
            mpq_mul_2exp(exact, exact, (mp_bitcnt_t)exponent);
        else
            mpq_div_2exp(exact, exact, (mp_bitcnt_t)-exponent);
        check_nearest(exact, rounded, nextafter(rounded, HUGE_VAL), seed);
        check_nearest(exact, rounded, nextafter(rounded, -HUGE_VAL), seed);
        subnormal += fpclassify(rounded) == FP_SUBNORMAL;
        infinite += (uint64_t)(isinf(rounded) != 0);
    }
    assert_true(subnormal > 100 && infinite > 100);
    mpz_clears(x, y, NULL);
    mpq_clear(exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_equals_gmp),
        cmocka_unit_test(doubles_become_their_integers),
        cmocka_unit_test(quotients_round_to_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
