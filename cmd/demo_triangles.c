// Triangles that nearly touch, made so that the truth is known without any computation.
//
// All coordinates are whole numbers times a power of two. One triangle lies in the plane
// x + y + z = S exactly. The other has one corner at a point inside of it ("touches"), or with a z
// that is one larger ("hovers"), and two corners with larger sums. So the sums alone, which are
// whole numbers, prove whether the two share a point.
#include "demo_triangles.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "graze/geometry.h"
#include "shapes_math.h"
#include "terminal.h"
#include "units.h"

#define PAIRS 10000u

// --- The textbook test in plain double precision: an edge of one crosses the face of the other if
// its ends lie on different sides of the plane, and it passes all three edges on the same side. In
// exact arithmetic this is right for every pair here.

static double plain_orientation(const double *a, const double *b, const double *c, const double *d)
{
    double u[3], v[3], w[3];
    for (int i = 0; i < 3; ++i) {
        u[i] = a[i] - d[i];
        v[i] = b[i] - d[i];
        w[i] = c[i] - d[i];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

static bool plain_edge_meets(const double *p, const double *q, const graze_triangle *t)
{
    double above = plain_orientation(t->corner[0], t->corner[1], t->corner[2], p);
    double below = plain_orientation(t->corner[0], t->corner[1], t->corner[2], q);
    if ((above > 0.0 && below > 0.0) || (above < 0.0 && below < 0.0))
        return false;
    int left = 0, right = 0;
    for (int i = 0; i < 3; ++i) {
        double side = plain_orientation(p, q, t->corner[i], t->corner[(i + 1) % 3]);
        left += side > 0.0;
        right += side < 0.0;
    }
    return left == 0 || right == 0;
}

static bool plain_meet(const graze_triangle *a, const graze_triangle *b)
{
    for (int i = 0; i < 3; ++i)
        if (plain_edge_meets(a->corner[i], a->corner[(i + 1) % 3], b) ||
            plain_edge_meets(b->corner[i], b->corner[(i + 1) % 3], a))
            return true;
    return false;
}

// --- Pairs

static int64_t whole(uint64_t seed, uint64_t index, int64_t low, int64_t high)
{
    return low + (int64_t)(shape_hash(seed, index) % (uint64_t)(high - low + 1));
}

static void set_corner(double corner[3], int64_t x, int64_t y, int64_t z, double scale)
{
    corner[0] = (double)x * scale;
    corner[1] = (double)y * scale;
    corner[2] = (double)z * scale;
}

// Whole numbers stay below 2^52, so that they and their sums are exact. The first triangle is long
// and slanted, and `width` wide. The first corner of the other is a mean of its corners, with the
// weights 1/4, 1/4 and 1/2: corners are multiples of 4.
static void make_pair(uint64_t seed, bool touches, double scale, graze_triangle *a,
                      graze_triangle *b)
{
    const int64_t n = INT64_C(1) << 46, width = n / 512;
    int64_t sum = 4 * whole(seed, 0, -n / 4, n / 4), x[3], y[3];
    for (int i = 0; i < 2; ++i) {
        x[i] = (i == 0 ? -8 : 8) * n + 4 * whole(seed, 1 + (uint64_t)i, -n / 4, n / 4);
        y[i] = (i == 0 ? -7 : 7) * n + 4 * whole(seed, 3 + (uint64_t)i, -n / 4, n / 4);
    }
    x[2] = x[1] - 4 * whole(seed, 5, width / 8, width / 4);
    y[2] = y[1] + 4 * whole(seed, 6, width / 8, width / 4);
    for (int i = 0; i < 3; ++i)
        set_corner(a->corner[i], x[i], y[i], sum - x[i] - y[i], scale);
    int64_t inside_x = (x[0] + x[1] + 2 * x[2]) / 4, inside_y = (y[0] + y[1] + 2 * y[2]) / 4;
    set_corner(b->corner[0], inside_x, inside_y, sum - inside_x - inside_y + (touches ? 0 : 1),
               scale);
    for (int i = 1; i < 3; ++i) {
        int64_t to_x = whole(seed, 7 + (uint64_t)i, -8 * n, 8 * n);
        int64_t to_y = whole(seed, 9 + (uint64_t)i, -8 * n, 8 * n);
        int64_t above = whole(seed, 11 + (uint64_t)i, n, 4 * n);
        set_corner(b->corner[i], to_x, to_y, sum - to_x - to_y + above, scale);
    }
}

// --- The table

static const struct kind {
    const char *about, *mistake;
    bool touches;
    double scale;
} kinds[] = {
    {"a corner lies in the other's face", "missed", true, 0x1p-50},
    {"a corner hovers 5e-16 above it", "imagined", false, 0x1p-50},
    {"the same in a tiny model, of size 1e-110", "imagined", false, 0x1p-415},
    {"the same in a huge one, of size 1e+110", "imagined", false, 0x1p+315},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static void show_one(const graze_triangle *a, const graze_triangle *b)
{
    graze_closest closest;
    graze_triangle_closest(a, b, &closest);
    puts("   One of the hovering pairs on which plain arithmetic was wrong:");
    for (int t = 0; t < 2; ++t) {
        const graze_triangle *triangle = t == 0 ? a : b;
        for (int i = 0; i < 3; ++i)
            printf("     %s  % .17f  % .17f  % .17f\n",
                   i > 0    ? " "
                   : t == 0 ? "A"
                            : "B",
                   triangle->corner[i][0], triangle->corner[i][1], triangle->corner[i][2]);
    }
    printf("   graze: they do not meet; their distance is %.17g.\n", closest.distance);
}

unsigned demo_triangles(void)
{
    unsigned graze_wrong = 0;
    bool found = false;
    graze_triangle a, b, shown_a, shown_b;
    printf("   %-40s  %-16s  %s\n", "10,000 pairs each", "   plain double", "  graze");
    for (size_t kind = 0; kind < KINDS; ++kind) {
        unsigned plain = 0, exact = 0;
        for (uint64_t i = 0; i < PAIRS; ++i) {
            make_pair(PAIRS * kind + i, kinds[kind].touches, kinds[kind].scale, &a, &b);
            bool plain_is_wrong = plain_meet(&a, &b) != kinds[kind].touches;
            plain += plain_is_wrong;
            exact += (graze_triangle_meet(&a, &b) != 0) != kinds[kind].touches;
            if (plain_is_wrong && !found && !kinds[kind].touches) {
                shown_a = a;
                shown_b = b;
                found = true;
            }
        }
        char wrong[TEXT_BYTES], right[TEXT_BYTES];
        printf("   %-40s  %s%7s %-8s%s  %s%3s wrong%s\n", kinds[kind].about,
               style_on(stdout, STYLE_BAD), print_count(wrong, plain), kinds[kind].mistake,
               style_on(stdout, STYLE_PLAIN), style_on(stdout, STYLE_GOOD),
               print_count(right, exact), style_on(stdout, STYLE_PLAIN));
        graze_wrong += exact;
    }
    puts("");
    if (found)
        show_one(&shown_a, &shown_b);
    return graze_wrong;
}
