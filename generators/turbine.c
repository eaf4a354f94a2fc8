// A bladed rotor: a hub that is turned, and six rows of twisted blades whose roots are in it. The
// axis is x. Hub and blades are objects, each closed. Blades have the section of the books' four-
// digit airfoils, bent along a parabola.
#include "loft.h"
#include "shapes_math.h"
#include "shapes_plan.h"

#define ROWS 6u

// One row of blades: where it is along the axis, from which radius to which it reaches, its chord,
// and the slope of the chord against the axis at root and tip (tangents of the angles).
typedef struct blade_row {
    double place, root, tip, chord, slope_root, slope_tip;
    uint64_t blades;
} blade_row;

static const blade_row rows[ROWS] = {
    {-0.36, 0.150, 0.490, 0.130, 0.50, 2.60, 22}, {-0.22, 0.190, 0.455, 0.105, 0.55, 2.20, 27},
    {-0.10, 0.215, 0.425, 0.090, 0.60, 1.90, 33}, {0.01, 0.235, 0.400, 0.080, 0.65, 1.70, 37},
    {0.11, 0.250, 0.380, 0.072, 0.70, 1.50, 41},  {0.20, 0.262, 0.365, 0.066, 0.75, 1.40, 45},
};

// The hub's outline: along the axis and radius. A spinner, a rim under each row with a groove
// before the next, a drum, a flange and a shaft.
static const double outline[][2] = {
    {-0.49, 0.030}, {-0.47, 0.075}, {-0.44, 0.120}, {-0.42, 0.140}, {-0.42, 0.155}, {-0.30, 0.195},
    {-0.30, 0.175}, {-0.28, 0.175}, {-0.28, 0.195}, {-0.17, 0.225}, {-0.17, 0.205}, {-0.15, 0.205},
    {-0.15, 0.222}, {-0.05, 0.245}, {-0.05, 0.225}, {-0.03, 0.225}, {-0.03, 0.245}, {0.05, 0.262},
    {0.05, 0.242},  {0.07, 0.242},  {0.07, 0.262},  {0.15, 0.276},  {0.15, 0.256},  {0.17, 0.256},
    {0.17, 0.274},  {0.24, 0.284},  {0.25, 0.260},  {0.25, 0.100},  {0.33, 0.080},  {0.33, 0.160},
    {0.35, 0.160},  {0.35, 0.060},  {0.47, 0.060},  {0.50, 0.050},
};
#define KEYS (sizeof outline / sizeof *outline)

#define HUB_SHARE  8u     // the hub has one triangle in so many
#define FEW_BLADES 40000u // triangles; a smaller turbine has a quarter as many blades

static uint64_t blades_of(const shape_plan *plan, uint64_t row)
{
    return rows[row].blades / plan->fewer_blades;
}

// From the number of a blade in the whole rotor to its row and its number there.
static uint64_t row_of(const shape_plan *plan, uint64_t *blade)
{
    uint64_t row = 0;
    while (*blade >= blades_of(plan, row))
        *blade -= blades_of(plan, row++);
    return row;
}

static void hub_vertex(const shape_plan *plan, uint64_t index, double out[3])
{
    uint64_t ring = (index - 1) / plan->hub.points, key = ring / plan->hub_cuts;
    double part = (double)(ring % plan->hub_cuts) / (double)plan->hub_cuts, sine = 0, cosine = 0;
    out[0] = index == 0 ? -0.5 : 0.5;
    out[1] = out[2] = 0.0;
    if (index == 0 || ring == plan->hub.rings)
        return;
    const double *from = outline[key], *to = outline[key + 1 < KEYS ? key + 1 : key];
    double radius = from[1] + part * (to[1] - from[1]);
    shape_turn((index - 1) % plan->hub.points, plan->hub.points, &sine, &cosine);
    out[0] = from[0] + part * (to[0] - from[0]);
    out[1] = radius * cosine;
    out[2] = radius * sine;
}

// A point of the section: x along the chord from 0 to 1, y across it. Points start at the trailing
// edge, which is sharp, and go over the back to the leading one.
static void section(uint64_t point, uint64_t points, double thickness, double camber, double out[2])
{
    double sine = 0.0, cosine = 0.0;
    shape_turn(point, points, &sine, &cosine);
    double x = 0.5 + 0.5 * cosine;
    double half = 5.0 * thickness *
                  (0.2969 * sqrt(x) - x * (0.1260 + x * (0.3516 - x * (0.2843 - x * 0.1036))));
    out[0] = x;
    out[1] = 4.0 * camber * x * (1.0 - x) + (2 * point < points ? half : -half);
}

// The sections lie flat, one behind the other along the radius, and turn on their way: the slope
// of the chord changes steadily from root to tip.
static void blade_vertex(const shape_plan *plan, uint64_t index, double out[3])
{
    uint64_t each = loft_vertex_count(&plan->blade), blade = index / each;
    uint64_t row = row_of(plan, &blade), ring = index % each / plan->blade.points;
    const blade_row *r = &rows[row];
    double part = (double)ring / (double)(plan->blade.rings - 1), at[2];
    section(index % plan->blade.points, plan->blade.points, 0.14 - 0.08 * part, 0.09 - 0.06 * part,
            at);
    double slope = r->slope_root + part * (r->slope_tip - r->slope_root);
    double along = 1.0 / sqrt(1.0 + slope * slope), across = slope * along;
    double chord = r->chord * (1.0 - 0.25 * part), x = chord * (at[0] - 0.4), y = chord * at[1];
    double radius = r->root + part * (r->tip - r->root), side = x * across - y * along;
    double sine = 0.0, cosine = 0.0;
    shape_turn(blade, blades_of(plan, row), &sine, &cosine);
    out[0] = r->place + x * along + y * across;
    out[1] = radius * cosine - side * sine;
    out[2] = radius * sine + side * cosine;
}

static void turbine_vertex(shape_plan *plan, uint64_t index, double out[3])
{
    uint64_t hub = loft_vertex_count(&plan->hub);
    index < hub ? hub_vertex(plan, index, out) : blade_vertex(plan, index - hub, out);
}

static void turbine_triangle(const shape_plan *plan, uint64_t index, uint64_t corners[3])
{
    uint64_t hub = loft_triangle_count(&plan->hub), each = loft_triangle_count(&plan->blade);
    if (index < hub) {
        loft_triangle(&plan->hub, index, corners);
        return;
    }
    loft_triangle(&plan->blade, (index - hub) % each, corners);
    for (int i = 0; i < 3; ++i)
        corners[i] +=
            loft_vertex_count(&plan->hub) + (index - hub) / each * loft_vertex_count(&plan->blade);
}

static void turbine_part(const shape_plan *plan, uint64_t index, shape_part *part)
{
    if (index == 0) {
        snprintf(part->name, sizeof part->name, "hub");
        snprintf(part->group, sizeof part->group, "rotor");
        part->triangle_count = loft_triangle_count(&plan->hub);
        return;
    }
    uint64_t blade = index - 1, row = row_of(plan, &blade);
    part->triangle_count = loft_triangle_count(&plan->blade);
    part->first_triangle = loft_triangle_count(&plan->hub) + (index - 1) * part->triangle_count;
    snprintf(part->name, sizeof part->name, "blade %u-%u", (unsigned)row + 1, (unsigned)blade + 1);
    snprintf(part->group, sizeof part->group, "rotor/row %u", (unsigned)row + 1);
}

// Blades get a point around for each ring, about, and the hub what is left.
void shape_plan_turbine(shape_plan *plan)
{
    uint64_t wish = plan->triangle_count, blades = 0;
    plan->fewer_blades = wish < FEW_BLADES ? 4 : 1;
    for (uint64_t row = 0; row < ROWS; ++row)
        blades += blades_of(plan, row);
    uint64_t each = (wish - wish / HUB_SHARE) / blades, side = shape_side(each, 2, 3);
    uint64_t points = 2 * ((side + 1) / 2), around = 2 * points; // even: a point at either edge
    uint64_t bands = each > around ? (each - around) / around : 0;
    plan->blade =
        (shape_loft){.rings = bands + 2, .points = points < 6 ? 6 : points, .end = LOFT_FLAT};
    uint64_t all = blades * loft_triangle_count(&plan->blade);
    uint64_t rest = wish > all + wish / (2 * HUB_SHARE) ? wish - all : wish / HUB_SHARE;
    plan->hub_cuts = shape_side(rest, 8 * KEYS * KEYS, 1);
    plan->hub = (shape_loft){.rings = (KEYS - 1) * plan->hub_cuts + 1, .end = LOFT_POLES};
    plan->hub.points = (rest + plan->hub.rings) / (2 * plan->hub.rings);
    if (plan->hub.points < 5)
        plan->hub.points = 5;
    plan->part_count = 1 + blades;
    plan->vertex_count = loft_vertex_count(&plan->hub) + blades * loft_vertex_count(&plan->blade);
    plan->triangle_count = all + loft_triangle_count(&plan->hub);
    plan->vertex = turbine_vertex;
    plan->triangle = turbine_triangle;
    plan->part = turbine_part;
}
