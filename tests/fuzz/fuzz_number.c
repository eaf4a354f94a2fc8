// Numbers in text: as the C library reads them, and printed numbers read back as the same bits.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/number.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good, const char *text)
{
    if (good)
        return;
    fprintf(stderr, "wrong: \"%s\"\n", text);
    abort();
}

static bool same_double(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static bool same_float(float a, float b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

// The C library also knows leading blanks and hexadecimal, and does not know Fortran's exponents.
static bool comparable(const char *text) { return strpbrk(text, "xXdD \t\n\v\f\r") == NULL; }

static void check_text(const char *text)
{
    double wide = 0;
    float narrow = 0;
    int64_t whole = 0;
    const uint8_t *end = gz_parse_double((const uint8_t *)text, &wide);
    const uint8_t *narrow_end = gz_parse_float((const uint8_t *)text, &narrow);
    (void)gz_parse_int64((const uint8_t *)text, &whole);
    check(end == narrow_end, text);
    if (!comparable(text))
        return;
    char *expected_end = NULL;
    double expected = strtod(text, &expected_end);
    check((end != NULL ? (const char *)end : text) == expected_end, text);
    if (end != NULL)
        check(same_double(wide, expected) && same_float(narrow, strtof(text, NULL)), text);
}

static void check_printing(const uint8_t *data)
{
    double value = 0, back = 0;
    float narrow = 0, narrow_back = 0;
    memcpy(&value, data, sizeof value);
    memcpy(&narrow, data, sizeof narrow);
    char text[GZ_NUMBER_BYTES + 1];
    *gz_print_double(text, value) = '\0';
    gz_parse_double((const uint8_t *)text, &back);
    check(same_double(value, back), text);
    *gz_print_float(text, narrow) = '\0';
    gz_parse_float((const uint8_t *)text, &narrow_back);
    check(same_float(narrow, narrow_back), text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    check_text(text);
    if (size >= 8)
        check_printing(data);
    free(text);
    return 0;
}
