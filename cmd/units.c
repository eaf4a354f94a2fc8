// Numbers with units. The command never sets a locale, so the C library's functions are safe here.
#include "units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name, *long_name;
    double metres;
} length_units[] = {{"um", "micrometres", 1e-6},
                    {"mm", "millimetres", 0.001},
                    {"cm", "centimetres", 0.01},
                    {"m", "metres", 1.0},
                    {"in", "inches", 0.0254},
                    {"ft", "feet", 0.3048},
                    {NULL, NULL, 0.0}};

// Digits with at most one point, then perhaps a scale letter: k, M, G or T. `rest` is what follows.
static bool parse_scaled(const char *text, double base, uint64_t *number, const char **rest)
{
    static const char letters[] = "kmgt";
    size_t digits = strspn(text, "0123456789.");
    if (digits == 0 || strspn(text, ".") == digits || strchr(text, '.') != strrchr(text, '.'))
        return false;
    *rest = text + digits;
    double scale = 1.0;
    const char *letter = strchr(letters, tolower((unsigned char)**rest));
    if (**rest != '\0' && letter != NULL) {
        for (const char *step = letters; step <= letter; ++step)
            scale *= base;
        ++*rest;
    }
    if (scale == 1.0 && memchr(text, '.', digits) == NULL) { // all 64 bits count
        errno = 0;
        *number = strtoull(text, NULL, 10);
        return errno == 0;
    }
    double value = strtod(text, NULL) * scale;
    *number = value < 0x1p63 ? (uint64_t)value : 0;
    return value < 0x1p63 && (double)*number == value;
}

bool parse_bytes(const char *text, uint64_t *bytes)
{
    const char *rest = NULL;
    if (!parse_scaled(text, 1024.0, bytes, &rest))
        return false;
    bool scaled = rest > text && isalpha((unsigned char)rest[-1]);
    return *rest == '\0' || strcasecmp(rest, "B") == 0 || (scaled && strcasecmp(rest, "iB") == 0);
}

bool parse_number(const char *text, uint64_t *number)
{
    const char *rest = NULL;
    return parse_scaled(text, 1000.0, number, &rest) && *rest == '\0';
}

#define LIST_MOST UINT64_C(10000000)

uint64_t parse_number_list(const char *text, uint64_t *numbers, uint64_t room)
{
    uint64_t count = 0;
    for (;;) {
        uint64_t ends[2];
        for (int i = 0; i < 2; ++i) {
            char *end = NULL;
            if (!isdigit((unsigned char)*text))
                return 0;
            errno = 0;
            ends[i] = strtoull(text, &end, 10);
            text = end;
            if (errno != 0 || ends[i] == 0 || (i == 1 && ends[1] < ends[0]))
                return 0;
            if (i == 0 && *text != '-') {
                ends[1] = ends[0];
                break;
            }
            text += i == 0;
        }
        if (ends[1] - ends[0] >= LIST_MOST || count > LIST_MOST)
            return 0;
        for (uint64_t number = ends[0]; number <= ends[1]; ++number, ++count)
            if (count < room)
                numbers[count] = number;
        if (*text == '\0')
            return count;
        if (*text++ != ',')
            return 0;
    }
}

// A finite number in decimal; `rest` is what follows.
static bool parse_decimal(const char *text, double *value, const char **rest)
{
    const char *digits = text[0] == '-' || text[0] == '+' ? text + 1 : text;
    if (!isdigit((unsigned char)digits[0]) && digits[0] != '.')
        return false;
    if (digits[0] == '0' && tolower((unsigned char)digits[1]) == 'x')
        return false;
    char *end = NULL;
    *value = strtod(text, &end);
    *rest = end;
    return end != text && isfinite(*value);
}

bool parse_real(const char *text, double *value)
{
    const char *rest = NULL;
    return parse_decimal(text, value, &rest) && *rest == '\0';
}

static bool find_unit(const char *name, double *metres)
{
    for (int i = 0; length_units[i].name != NULL; ++i)
        if (strcmp(name, length_units[i].name) == 0) {
            *metres = length_units[i].metres;
            return true;
        }
    return false;
}

bool parse_unit(const char *text, double *metres)
{
    return find_unit(text, metres) || (parse_real(text, metres) && *metres > 0.0);
}

bool parse_shift(const char *text, double metres_per_unit, double *length, bool *unit_unknown)
{
    const char *rest = NULL;
    double metres = 0.0;
    *unit_unknown = false;
    if (!parse_decimal(text, length, &rest))
        return false;
    if (*rest == '\0')
        return true;
    if (!find_unit(rest, &metres))
        return false;
    *unit_unknown = metres_per_unit == 0.0;
    if (metres != metres_per_unit) // 25mm in a model of millimetres is 25, without rounding
        *length *= metres / metres_per_unit;
    return !*unit_unknown && isfinite(*length);
}

bool parse_length(const char *text, double metres_per_unit, double *length, bool *unit_unknown)
{
    return parse_shift(text, metres_per_unit, length, unit_unknown) && *length > 0.0;
}

bool parse_tolerance(const char *text, double metres_per_unit, double *length, bool *unit_unknown)
{
    return parse_shift(text, metres_per_unit, length, unit_unknown) && *length >= 0.0;
}

bool parse_share(const char *text, double *part)
{
    const char *rest = NULL;
    if (!parse_decimal(text, part, &rest))
        return false;
    bool percent = strcmp(rest, "%") == 0;
    *part = percent ? *part / 100.0 : *part;
    return (percent || *rest == '\0') && *part >= 0.0 && *part <= 1.0;
}

bool parse_share_of(const char *text, double whole, double *length)
{
    if (strchr(text, '%') == NULL || !parse_share(text, length))
        return false;
    *length *= whole;
    return true;
}

bool parse_part(const char *text, double *part) { return parse_share(text, part) && *part > 0.0; }

bool parse_angle(const char *text, double *angle, bool *degrees)
{
    const char *rest = NULL;
    if (!parse_decimal(text, angle, &rest))
        return false;
    *degrees = strcmp(rest, "deg") == 0;
    return *degrees || strcmp(rest, "rad") == 0;
}

bool parse_seconds(const char *text, double *seconds)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}, {"min", 60.0}};
    const char *rest = NULL;
    double number = 0.0;
    if (!parse_decimal(text, &number, &rest) || !(number > 0.0))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
        if (strcmp(rest, units[i].name) == 0) {
            *seconds = number * units[i].seconds;
            return *seconds > 0.0 && isfinite(*seconds);
        }
    return false;
}

const char *print_count(char out[TEXT_BYTES], uint64_t count)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, count), at = 0;
    for (int i = 0; i < length; ++i) {
        if (i > 0 && (length - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

const char *print_bytes(char out[TEXT_BYTES], uint64_t bytes)
{
    static const char *const names[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes;
    size_t scale = 0;
    for (; value >= 999.95 && scale + 1 < sizeof names / sizeof *names; ++scale)
        value /= 1000.0;
    if (scale == 0)
        snprintf(out, TEXT_BYTES, "%" PRIu64 " %s", bytes, bytes == 1 ? "byte" : "bytes");
    else
        snprintf(out, TEXT_BYTES, "%.1f %s", value, names[scale]);
    return out;
}

const char *print_real(char out[TEXT_BYTES], double value)
{
    for (int digits = 1; digits <= 17; ++digits) {
        snprintf(out, TEXT_BYTES, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
    return out;
}

const char *print_bound(char out[TEXT_BYTES], double value, int side)
{
    double step = value > 0.0 ? pow(10.0, floor(log10(value)) - 6.0) : 0.0, read = value;
    for (int i = 0; i < 3; ++i) {
        snprintf(out, TEXT_BYTES, "%.7g", value + side * i * step);
        if (parse_real(out, &read) && (read - value) * side >= 0.0)
            return out;
    }
    return print_real(out, value);
}

const char *print_seconds(char out[TEXT_BYTES], double seconds)
{
    if (seconds < 999.5e-6)
        snprintf(out, TEXT_BYTES, "%.3g us", seconds * 1e6);
    else if (seconds < 0.9995)
        snprintf(out, TEXT_BYTES, "%.3g ms", seconds * 1e3);
    else
        snprintf(out, TEXT_BYTES, seconds < 999.5 ? "%.3g s" : "%.0f s", seconds);
    return out;
}

const char *print_metres(char out[TEXT_BYTES], double metres)
{
    if (metres == 0.0 || (metres >= 1.0 && metres < 1e4))
        snprintf(out, TEXT_BYTES, "%.4g m", metres);
    else if (metres >= 1e4)
        snprintf(out, TEXT_BYTES, "%.4g km", metres / 1000.0);
    else
        snprintf(out, TEXT_BYTES, "%.4g mm", metres * 1000.0);
    return out;
}

const char *unit_name(double metres_per_unit)
{
    for (int i = 0; length_units[i].name != NULL; ++i)
        if (metres_per_unit == length_units[i].metres)
            return length_units[i].long_name;
    return NULL;
}
