// Numbers in text against the C library's own conversion, which is exact in the C locale.
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "mesh/number.h"

static uint64_t bits_of(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t float_bits_of(float value)
{
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float float_of(uint32_t bits)
{
    float value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void check_text(const char *text, uint64_t seed)
{
    double wide = 0;
    float narrow = 0;
    const uint8_t *end = gz_parse_double((const uint8_t *)text, &wide);
    const uint8_t *narrow_end = gz_parse_float((const uint8_t *)text, &narrow);
    char *expected_end = NULL;
    double expected = strtod(text, &expected_end);
    float expected_narrow = strtof(text, NULL);
    bool same = end == (const uint8_t *)expected_end && narrow_end == end &&
                (isnan(expected) ? isnan(wide) != 0 : bits_of(expected) == bits_of(wide)) &&
                (isnan(expected) ? isnan(narrow) != 0
                                 : float_bits_of(expected_narrow) == float_bits_of(narrow));
    if (!same)
        fail_msg("seed %llu: \"%s\" reads as %a and %a, not as %a and %a", (unsigned long long)seed,
                 text, wide, (double)narrow, expected, (double)expected_narrow);
}

static void forms_are_recognised(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "+0",
        "1",
        "1.",
        ".5",
        "-.5",
        "1.5",
        "00012",
        "1e5",
        "1E5",
        "1e+5",
        "1e-5",
        "1e",
        "1e+",
        "1e-x",
        "1.e3",
        ".5e1",
        "inf",
        "-inf",
        "+Inf",
        "INFINITY",
        "infinit",
        "nan",
        "NaN",
        "-nan",
        "nan(abc)",
        "nan(",
        "nan(1_x)",
        "nan(-)",
        "1.5 2.5",
        "1,5",
        "12abc",
        "0.0",
        "0e99999999999",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "0.1e-400",
        "1e309",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "1.797693134862315807e308",
        "1.797693134862315808e308",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "3.4028235e38",
        "3.4028236e38",
        "1.4e-45",
        "7.0064923e-46",
        "7.006493e-46",
        "9007199254740993",
        "9007199254740992.999999999999999999",
        "9007199254740993.00000000000000000000000000001",
        "12345678901234567890",
        "1234567890123456789012345678901234567890",
        "100000000000000000000000000000000000000000000",
        "0.00000000000000000000000000000000000000000000001234567890123456789",
        "0000000000000000000000000000000000000.0000000000000000000000000000000000000000000012",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "1.0000000000000001110223024625156540423631668.0908203126",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        check_text(texts[i], i);
}

static void what_is_no_number_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",  " 1",  "-",   "+", ".",  "-.", "e5", ".e5",
                                        "x", "--1", "+-1", "i", "in", "na", "\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        double wide = 0;
        float narrow = 0;
        assert_null(gz_parse_double((const uint8_t *)texts[i], &wide));
        assert_null(gz_parse_float((const uint8_t *)texts[i], &narrow));
    }
    double value = 0;
    assert_non_null(gz_parse_double((const uint8_t *)"1.5d3", &value)); // Fortran
    assert_true(value == 1500);
    assert_non_null(gz_parse_double((const uint8_t *)"-25D-1", &value));
    assert_true(value == -2.5);
    // A hexadecimal number is a zero and a letter here.
    const uint8_t *text = (const uint8_t *)"0x10";
    assert_true(gz_parse_double(text, &value) == text + 1);
}

static void random_doubles_read_back(void **state)
{
    (void)state;
    test_random random = {1};
    for (int i = 0; i < TEST_CHANCES(400000); ++i) {
        uint64_t seed = random.state;
        double value = double_of(test_next(&random));
        char text[64];
        snprintf(text, sizeof text, "%.*g", (int)(test_next(&random) % 25) + 1, value);
        check_text(text, seed);
        float narrow = float_of((uint32_t)test_next(&random));
        snprintf(text, sizeof text, "%.*g", (int)(test_next(&random) % 12) + 1, (double)narrow);
        check_text(text, seed);
    }
}

// As they stand in files: few digits, small exponents.
static void everyday_numbers_read_back(void **state)
{
    (void)state;
    test_random random = {2};
    for (int i = 0; i < TEST_CHANCES(500000); ++i) {
        uint64_t seed = random.state;
        char text[64];
        int digits = (int)(test_next(&random) % 19);
        double value = (test_unit(&random) - 0.5) * pow(10, (double)(test_next(&random) % 12) - 3);
        snprintf(text, sizeof text, test_next(&random) % 4 != 0 ? "%.*f" : "%.*e", digits, value);
        check_text(text, seed);
    }
}

static void random_digits_read_back(void **state)
{
    (void)state;
    test_random random = {3};
    char text[1200];
    for (int i = 0; i < TEST_CHANCES(300000); ++i) {
        uint64_t seed = random.state;
        uint64_t length =
            i % 100 == 0 ? 700 + test_next(&random) % 200 : 1 + test_next(&random) % 40;
        uint64_t point = test_next(&random) % (length + 1);
        uint64_t zeros = test_next(&random) % 3 == 0 ? test_next(&random) % length : 0;
        char *out = text;
        for (uint64_t k = 0; k < length; ++k) {
            if (k == point)
                *out++ = '.';
            *out++ = k < zeros ? '0' : (char)('0' + test_next(&random) % 10);
        }
        int exponent = (int)(test_next(&random) % 800) - 400;
        if (test_next(&random) % 4 == 0)
            *out = '\0';
        else
            snprintf(out, 10, "e%d", exponent);
        check_text(text, seed);
    }
}

// Text, then the same a little less and a little more: last digit, and a digit far behind.
static void check_around(const char *text, uint64_t seed)
{
    char changed[2600];
    check_text(text, seed);
    size_t mantissa = strcspn(text, "e");
    const char *tail = text + mantissa;
    snprintf(changed, sizeof changed, "%.*s%0*d%s", (int)mantissa, text, (int)(seed % 900) + 1, 1,
             tail);
    check_text(changed, seed);
    snprintf(changed, sizeof changed, "%s", text);
    size_t last = mantissa - 1;
    while (last > 0 && (changed[last] == '0' || changed[last] == '.'))
        --last;
    if (changed[last] >= '1' && changed[last] <= '9') {
        changed[last]--;
        check_text(changed, seed);
        snprintf(changed, sizeof changed, "%.*s%c%0*d%s", (int)last, text, (char)(text[last] - 1),
                 (int)(seed % 700) + 1, 9, tail);
        check_text(changed, seed);
    }
}

#if LDBL_MANT_DIG >= 64
// The middle between two neighbours is where only exact arithmetic decides.
static void middles_round_to_even(void **state)
{
    (void)state;
    test_random random = {4};
    char text[1400];
    for (int i = 0; i < TEST_CHANCES(20000); ++i) {
        uint64_t seed = random.state;
        uint64_t bits = test_next(&random) % bits_of(INFINITY);
        if (i % 4 == 0)
            bits %= UINT64_C(1) << 53; // subnormals and the smallest normal ones
        if (i % 4 == 1)
            bits = bits_of(
                ldexp((double)(test_next(&random) >> 11), (int)(test_next(&random) % 60) - 40));
        long double middle = ((long double)double_of(bits) + (long double)double_of(bits + 1)) / 2;
        if (bits + 1 >= bits_of(INFINITY))
            continue;
        snprintf(text, sizeof text, i % 4 == 1 ? "%.1100Lf" : "%.800Le", middle);
        check_around(text, seed);
        uint32_t narrow = (uint32_t)(test_next(&random) % float_bits_of(INFINITY));
        if (i % 4 == 0)
            narrow %= 1u << 24;
        if (narrow + 1 >= float_bits_of(INFINITY))
            continue;
        double narrow_middle = ((double)float_of(narrow) + (double)float_of(narrow + 1)) / 2;
        snprintf(text, sizeof text, "%.160e", narrow_middle);
        check_around(text, seed);
        snprintf(text, sizeof text, "%.17g", narrow_middle);
        check_around(text, seed);
    }
}
#endif

static void integers_keep_their_range(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
        int64_t value;
        int length;
    } cases[] = {
        {"0", true, 0, 1},
        {"-1", true, -1, 2},
        {"+7x", true, 7, 2},
        {"9223372036854775807", true, INT64_MAX, 19},
        {"-9223372036854775808", true, INT64_MIN, 20},
        {"00000000000000000000000000012", true, 12, 29},
        {"9223372036854775808", false, 0, 0},
        {"-9223372036854775809", false, 0, 0},
        {"99999999999999999999999", false, 0, 0},
        {"", false, 0, 0},
        {"-", false, 0, 0},
        {"a", false, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const uint8_t *text = (const uint8_t *)cases[i].text;
        int64_t value = 0;
        const uint8_t *end = gz_parse_int64(text, &value);
        assert_int_equal(end != NULL, cases[i].good);
        if (end != NULL) {
            assert_int_equal(value, cases[i].value);
            assert_int_equal(end - text, cases[i].length);
        }
    }
}

// Significant digits only: no sign, point, exponent or zeros at the ends.
static void keep_digits(const char *text, char *digits)
{
    char *out = digits;
    for (; *text != '\0' && *text != 'e'; ++text)
        if (*text >= '0' && *text <= '9' && (out > digits || *text != '0'))
            *out++ = *text;
    while (out > digits && out[-1] == '0')
        --out;
    *out = '\0';
}

static void check_shortest(const char *text, double value, bool narrow, uint64_t seed)
{
    char reference[64], digits[64], reference_digits[64];
    int count = 0;
    bool back = false;
    do {
        snprintf(reference, sizeof reference, "%.*e", count++, value);
        back = narrow ? strtof(reference, NULL) == (float)value : strtod(reference, NULL) == value;
    } while (!back);
    keep_digits(text, digits);
    keep_digits(reference, reference_digits);
    if (strlen(digits) > strlen(reference_digits) ||
        (strlen(digits) == strlen(reference_digits) && strcmp(digits, reference_digits) != 0))
        fail_msg("seed %llu: %s is printed as %s", (unsigned long long)seed, reference, text);
}

static void check_print(double value, uint64_t seed)
{
    char text[GZ_NUMBER_BYTES + 1];
    char *end = gz_print_double(text, value);
    assert_true(end - text <= GZ_NUMBER_BYTES);
    *end = '\0';
    double back = strtod(text, NULL);
    if (bits_of(back) != bits_of(value) && !isnan(value))
        fail_msg("seed %llu: %a is printed as %s", (unsigned long long)seed, value, text);
    if (isfinite(value) && value != 0)
        check_shortest(text, value, false, seed);
}

static void check_print_float(float value, uint64_t seed)
{
    char text[GZ_NUMBER_BYTES + 1];
    char *end = gz_print_float(text, value);
    assert_true(end - text <= GZ_NUMBER_BYTES);
    *end = '\0';
    float back = strtof(text, NULL);
    if (float_bits_of(back) != float_bits_of(value) && !isnan(value))
        fail_msg("seed %llu: %a is printed as %s", (unsigned long long)seed, (double)value, text);
    if (isfinite(value) && value != 0)
        check_shortest(text, (double)value, true, seed);
}

static void printed_numbers_read_back_and_are_short(void **state)
{
    (void)state;
    test_random random = {5};
    for (int i = 0; i < TEST_CHANCES(60000); ++i) {
        uint64_t seed = random.state;
        check_print(double_of(test_next(&random)), seed);
        check_print(double_of(test_next(&random) % (UINT64_C(1) << 54)), seed);
        check_print((double)(int64_t)test_next(&random) * 0x1p-10, seed);
        check_print((double)(test_next(&random) % 100000) / 1000.0, seed);
        check_print_float(float_of((uint32_t)test_next(&random)), seed);
        check_print_float(float_of((uint32_t)test_next(&random) % (1u << 25)), seed);
        check_print_float((float)(test_unit(&random) * 100), seed);
    }
    for (uint64_t exponent = 0; exponent < 2047; ++exponent) // where neighbours are lopsided
        for (int64_t step = -1; step <= 1; ++step)
            check_print(double_of(((exponent << 52) + (uint64_t)step) & INT64_MAX), exponent);
    for (uint32_t exponent = 0; exponent < 255; ++exponent)
        for (uint32_t step = 0; step < 3; ++step)
            check_print_float(float_of((exponent << 23) + step), exponent);
}

static void printed_forms(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-12.5, "-12.5"},
        {0.1, "0.1"},
        {100, "100"},
        {1e16, "10000000000000000"},
        {1e17, "1e17"},
        {1e-5, "0.00001"},
        {1e-6, "1e-6"},
        {1.5e300, "1.5e300"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e308"},
        {0.1 + 0.2, "0.30000000000000004"},
        {9007199254740993.0, "9007199254740992"},
        {-1.2345678901234564e-5, "-0.000012345678901234564"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[GZ_NUMBER_BYTES + 1];
        *gz_print_double(text, cases[i].value) = '\0';
        assert_string_equal(text, cases[i].text);
    }
    char text[GZ_NUMBER_BYTES + 1];
    *gz_print_float(text, 0.1f) = '\0';
    assert_string_equal(text, "0.1");
    *gz_print_double(text, NAN) = '\0';
    assert_non_null(strstr(text, "nan"));
    *gz_print_uint64(text, UINT64_MAX) = '\0';
    assert_string_equal(text, "18446744073709551615");
    *gz_print_uint64(text, 0) = '\0';
    assert_string_equal(text, "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_are_recognised),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(random_doubles_read_back),
        cmocka_unit_test(everyday_numbers_read_back),
        cmocka_unit_test(random_digits_read_back),
#if LDBL_MANT_DIG >= 64
        cmocka_unit_test(middles_round_to_even),
#endif
        cmocka_unit_test(integers_keep_their_range),
        cmocka_unit_test(printed_numbers_read_back_and_are_short),
        cmocka_unit_test(printed_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
