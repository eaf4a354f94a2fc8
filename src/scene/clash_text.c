// Clashes in words. See graze/clash.h.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/assertion.h"
#include "graze/clash.h"

#define LENGTH_BYTES 48

static const char *const kind_texts[GRAZE_CLASH_KINDS] = {
    [GRAZE_CLASH_NONE] = "none",           [GRAZE_CLASH_DUPLICATE] = "duplicate",
    [GRAZE_CLASH_CONTAINED] = "contained", [GRAZE_CLASH_OVERLAP] = "overlap",
    [GRAZE_CLASH_CROSSING] = "crossing",   [GRAZE_CLASH_CLEARANCE] = "clearance",
    [GRAZE_CLASH_TOUCHING] = "touching",
};

const char *graze_clash_kind_text(graze_clash_kind kind)
{
    return (uint32_t)kind < GRAZE_CLASH_KINDS ? kind_texts[kind] : "unknown";
}

// Four digits, rounded to one side (-1 down, 1 up, 0 to the nearest), so that a bound stays one.
static double round_digits(double value, int side)
{
    if (!(value > 0.0) || !isfinite(value))
        return value;
    double step = pow(10.0, floor(log10(value)) - 3.0), units = value / step;
    units = side < 0 ? floor(units) : side > 0 ? ceil(units) : nearbyint(units);
    return units * step;
}

// A length in a unit that fits: mm, m or km, or feet and inches where the scene is in those.
static const char *length_text(char out[LENGTH_BYTES], double length, double metres_per_unit,
                               int side)
{
    static const struct {
        const char *name;
        double metres, least; // from how many metres on
    } units[] = {{"km", 1000.0, 1e4}, {"m", 1.0, 1.0}, {"mm", 0.001, 0.0}},
      feet[] = {{"ft", 0.3048, 0.3048}, {"in", 0.0254, 0.0254}, {"in", 0.0254, 0.0}};
    double metres = length * metres_per_unit;
    bool imperial = metres_per_unit == 0.0254 || metres_per_unit == 0.3048;
    if (!(metres_per_unit > 0.0)) {
        snprintf(out, LENGTH_BYTES, "%.4g", round_digits(length, side));
        return out;
    }
    for (int i = 0; i < 3; ++i) {
        double least = imperial ? feet[i].least : units[i].least;
        if (metres < least)
            continue;
        snprintf(out, LENGTH_BYTES, "%.4g %s",
                 round_digits(metres / (imperial ? feet[i].metres : units[i].metres), side),
                 imperial ? feet[i].name : units[i].name);
        break;
    }
    return out;
}

static void depth_text(char out[2 * LENGTH_BYTES + 16], const graze_clash *clash, double metres)
{
    char low[LENGTH_BYTES], high[LENGTH_BYTES];
    length_text(low, clash->depth_low, metres, -1);
    length_text(high, clash->depth_high, metres, 1);
    if (clash->depth_low == clash->depth_high)
        snprintf(out, 2 * LENGTH_BYTES + 16, "%s", length_text(low, clash->depth_low, metres, 0));
    else
        snprintf(out, 2 * LENGTH_BYTES + 16, "%s to %s", low, high);
}

uint64_t graze_clash_sentence(const graze_scene *scene, const graze_clash *clash, char *text,
                              uint64_t byte_count)
{
    graze_scene_object a = {.path = "?"}, b = {.path = "?"};
    char length[LENGTH_BYTES], depth[2 * LENGTH_BYTES + 16];
    int count = 0;
    if (scene == NULL || clash == NULL || (text == NULL && byte_count != 0))
        return 0;
    (void)graze_scene_get(scene, clash->a, &a);
    (void)graze_scene_get(scene, clash->b, &b);
    double metres = graze_scene_get_info(scene).metres_per_unit;
    size_t room = (size_t)byte_count;
    depth_text(depth, clash, metres);
    switch (clash->kind) {
    case GRAZE_CLASH_DUPLICATE:
        count = snprintf(text, room, "\"%s\" and \"%s\" have the same triangles at the same place.",
                         a.path, b.path);
        break;
    case GRAZE_CLASH_CONTAINED:
        count = snprintf(text, room, "\"%s\" is inside \"%s\", %s deep.",
                         clash->inner == 0 ? a.path : b.path, clash->inner == 0 ? b.path : a.path,
                         depth);
        break;
    case GRAZE_CLASH_OVERLAP:
        count = snprintf(text, room, "\"%s\" and \"%s\" are %s deep in each other.", a.path, b.path,
                         depth);
        break;
    case GRAZE_CLASH_CROSSING:
        count = snprintf(text, room,
                         "The surfaces of \"%s\" and \"%s\" pierce each other along %s; there is "
                         "no depth, for one of the two is not closed.",
                         a.path, b.path, length_text(length, clash->length, metres, -1));
        break;
    case GRAZE_CLASH_CLEARANCE:
        count = snprintf(text, room, "\"%s\" and \"%s\" are %s apart, which is too near.", a.path,
                         b.path, length_text(length, clash->gap, metres, 0));
        break;
    case GRAZE_CLASH_TOUCHING:
        if (clash->gap > 0.0)
            count = snprintf(text, room, "\"%s\" and \"%s\" touch: they are %s apart.", a.path,
                             b.path, length_text(length, clash->gap, metres, 0));
        else
            count = snprintf(text, room, "\"%s\" and \"%s\" touch.", a.path, b.path);
        break;
    case GRAZE_CLASH_NONE:
        count = snprintf(text, room, "\"%s\" and \"%s\" do not clash.", a.path, b.path);
        break;
    }
    GZ_ASSERT(count >= 0);
    return (uint64_t)count;
}
