// Bodies that bounce, slide and rest: a cup and a bowl, which are outlines turned about the z axis;
// a spoon and a spiral peg, which are rings along an axis; and a torus with wrinkles. All are
// closed and two-sided surfaces without seams, as contact levels of detail want them, and their
// usual counts are those of table 1 of the paper about these.
#include "shapes_math.h"
#include "shapes_plan.h"

#define MOST_KEYS 32u

// --- A smooth curve through keys, walked at even speed: cubic pieces whose ends run as the
// parabola through the neighbours does. Keys are (radius, height); both ends lie on the axis,
// level.

typedef struct outline {
    const double (*key)[2];
    uint64_t count;
} outline;

static double step_length(const outline *o, uint64_t piece)
{
    double out = o->key[piece + 1][0] - o->key[piece][0];
    double up = o->key[piece + 1][1] - o->key[piece][1];
    return sqrt(out * out + up * up);
}

static double slope_at(const outline *o, uint64_t key, int axis)
{
    if (key == 0 || key == o->count - 1)
        return axis == 1 ? 0.0 : (key == 0 ? 1.0 : -1.0);
    double before = step_length(o, key - 1), after = step_length(o, key);
    double back = (o->key[key][axis] - o->key[key - 1][axis]) / before;
    double ahead = (o->key[key + 1][axis] - o->key[key][axis]) / after;
    return (back * after + ahead * before) / (before + after);
}

// The place at a part of the whole length, from 0 to 1.
static void outline_at(const outline *o, double part, double out[2])
{
    double all = 0.0;
    for (uint64_t i = 0; i + 1 < o->count; ++i)
        all += step_length(o, i);
    double left = part * all;
    uint64_t piece = 0;
    while (piece + 2 < o->count && left > step_length(o, piece))
        left -= step_length(o, piece++);
    double length = step_length(o, piece), t = left / length, u = 1.0 - t;
    for (int axis = 0; axis < 2; ++axis) {
        double from = o->key[piece][axis], to = o->key[piece + 1][axis];
        double leave = slope_at(o, piece, axis) * length;
        double arrive = slope_at(o, piece + 1, axis) * length;
        out[axis] = from * u * u * (1.0 + 2.0 * t) + to * t * t * (3.0 - 2.0 * t) +
                    leave * t * u * u - arrive * t * t * u;
    }
}

// --- Rings between two poles. Vertex 0 and the last one are the poles; `steps` counts from pole to
// pole, and the ring's place among them comes out.

static double ring_part(const shape_plan *plan, uint64_t index, uint64_t *point)
{
    const shape_loft *loft = &plan->hub;
    uint64_t ring = index == 0 ? 0 : 1 + (index - 1) / loft->points;
    *point = index == 0 ? 0 : (index - 1) % loft->points;
    return (double)ring / (double)(loft->rings + 1);
}

static void rings_triangle(const shape_plan *plan, uint64_t index, uint64_t corners[3])
{
    loft_triangle(&plan->hub, index, corners);
}

// `share`: how many triangles there are for each 4 * 4 points around and along.
static void plan_rings(shape_plan *plan, uint64_t share)
{
    uint64_t points = 4 * shape_side(plan->triangle_count, share, 1);
    uint64_t rings = plan->triangle_count / (2 * points);
    plan->hub = (shape_loft){
        .rings = rings < MOST_KEYS ? MOST_KEYS : rings, .points = points, .end = LOFT_POLES};
    plan->vertex_count = loft_vertex_count(&plan->hub);
    plan->triangle_count = loft_triangle_count(&plan->hub);
    plan->triangle = rings_triangle;
}

static void turned(const shape_plan *plan, const outline *o, uint64_t index, double out[3])
{
    uint64_t point = 0;
    double at[2], sine = 0.0, cosine = 0.0;
    outline_at(o, ring_part(plan, index, &point), at);
    shape_turn(point, plan->hub.points, &sine, &cosine);
    double radius = index == 0 || index + 1 == plan->vertex_count ? 0.0 : at[0];
    out[0] = radius * cosine;
    out[1] = radius * sine;
    out[2] = at[1];
}

// --- Cup and bowl: from the middle of the bottom up the outside, over the rim, down the inside

static const double cup_keys[][2] = {
    {0.000, -0.480}, {0.120, -0.480}, {0.230, -0.470}, {0.300, -0.410}, {0.335, -0.300},
    {0.355, -0.160}, {0.370, -0.020}, {0.382, 0.120},  {0.392, 0.260},  {0.400, 0.400},
    {0.402, 0.465},  {0.395, 0.484},  {0.380, 0.490},  {0.365, 0.484},  {0.358, 0.465},
    {0.354, 0.400},  {0.346, 0.260},  {0.336, 0.120},  {0.324, -0.020}, {0.308, -0.160},
    {0.285, -0.280}, {0.235, -0.370}, {0.130, -0.410}, {0.000, -0.415}};

static void cup_vertex(shape_plan *plan, uint64_t index, double out[3])
{
    turned(plan, &(outline){cup_keys, sizeof cup_keys / sizeof *cup_keys}, index, out);
}

void shape_plan_cup(shape_plan *plan)
{
    plan_rings(plan, 62);
    plan->vertex = cup_vertex;
}

// Two balls within each other, of radius 0.49 and 0.46, cut at the same height.
static const double bowl_keys[][2] = {
    {0.0000, -0.2900}, {0.1268, -0.2733}, {0.2450, -0.2243}, {0.3465, -0.1465}, {0.4243, -0.0450},
    {0.4733, 0.0732},  {0.4900, 0.2000},  {0.4863, 0.2110},  {0.4750, 0.2160},  {0.4637, 0.2110},
    {0.4600, 0.2000},  {0.4443, 0.0809},  {0.3984, -0.0300}, {0.3253, -0.1253}, {0.2300, -0.1984},
    {0.1191, -0.2443}, {0.0000, -0.2600}};

static void bowl_vertex(shape_plan *plan, uint64_t index, double out[3])
{
    turned(plan, &(outline){bowl_keys, sizeof bowl_keys / sizeof *bowl_keys}, index, out);
}

void shape_plan_bowl(shape_plan *plan)
{
    plan_rings(plan, 48);
    plan->vertex = bowl_vertex;
}

// --- Spoon: along x. Sections are lenses that hang down in the middle of the scoop.

static double smooth_step(double from, double to, double x)
{
    double t = (x - from) / (to - from);
    t = t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t);
    return t * t * (3.0 - 2.0 * t);
}

static double round_hump(double middle, double reach, double x)
{
    double off = (x - middle) / reach;
    return off * off < 1.0 ? 1.0 - off * off : 0.0;
}

static void spoon_vertex(shape_plan *plan, uint64_t index, double out[3])
{
    uint64_t point = 0, ring = 0, steps = plan->hub.rings + 1;
    double sine = 0.0, cosine = 0.0, ignored = 0.0, turn = 0.0;
    (void)ring_part(plan, index, &point);
    ring = index == 0 ? 0 : 1 + (index - 1) / plan->hub.points;
    // Rings are closer where the ends close.
    shape_turn(ring, 2 * steps, &ignored, &turn);
    double even = (double)ring / (double)steps, x = 0.7 * even + 0.3 * (0.5 - 0.5 * turn);
    double scoop = round_hump(0.17, 0.17, x), grip = smooth_step(0.22, 0.45, x);
    double end = sqrt(round_hump(0.0, 0.04, x < 0.96 ? 0.0 : x - 0.96));
    double grip_half = (0.018 + 0.020 * smooth_step(0.4, 0.95, x)) * grip * end;
    double half = sqrt(0.11 * 0.11 * scoop + grip_half * grip_half);
    double thick = 0.007 * sqrt(scoop) * (1.0 - grip) + 0.012 * grip * end;
    double hang = 0.055 * scoop,
           lift = 0.10 * smooth_step(0.25, 0.60, x) - 0.06 * (x - 0.6) * (x - 0.6);
    shape_turn(point, plan->hub.points, &sine, &cosine);
    bool is_pole = index == 0 || index + 1 == plan->vertex_count;
    out[0] = x - 0.5;
    out[1] = is_pole ? 0.0 : half * cosine;
    out[2] = lift - hang * (is_pole ? 1.0 : sine * sine) + (is_pole ? 0.0 : thick * sine);
}

void shape_plan_spoon(shape_plan *plan)
{
    plan_rings(plan, 84);
    plan->vertex = spoon_vertex;
}

// --- Spiral peg: level discs whose middles go around the axis, with round ends

#define SPIRAL_TURNS 4u
#define SPIRAL_ROD   0.07
#define SPIRAL_ARM   0.06

static void spiral_vertex(shape_plan *plan, uint64_t index, double out[3])
{
    uint64_t point = 0, ring = index == 0 ? 0 : 1 + (index - 1) / plan->hub.points;
    uint64_t steps = plan->hub.rings + 1, dome = steps / 20 + 2;
    double sine = 0.0, cosine = 0.0, around = 0.0, along = 0.0, out_part = 1.0, height = 0.0;
    (void)ring_part(plan, index, &point);
    uint64_t from_end = ring < steps - ring ? ring : steps - ring;
    if (from_end < dome) { // a quarter of a turn from pole to side
        shape_turn(from_end, 4 * dome, &out_part, &height);
        height = 0.5 - SPIRAL_ROD + SPIRAL_ROD * height;
        height = ring < steps - ring ? -height : height;
    } else {
        height =
            (0.5 - SPIRAL_ROD) * (2.0 * (double)(ring - dome) / (double)(steps - 2 * dome) - 1.0);
    }
    shape_turn(point, plan->hub.points, &sine, &cosine);
    uint64_t turned_by = SPIRAL_TURNS * ring;
    while (turned_by >= steps)
        turned_by -= steps;
    shape_turn(turned_by, steps, &around, &along);
    out[0] = SPIRAL_ARM * along + SPIRAL_ROD * out_part * cosine;
    out[1] = SPIRAL_ARM * around + SPIRAL_ROD * out_part * sine;
    out[2] = height;
}

void shape_plan_spiral(shape_plan *plan)
{
    plan_rings(plan, 80);
    plan->vertex = spiral_vertex;
}

// --- Wrinkled torus: rows go around the axis. Wrinkles run around the tube; on one side of the
// ring they are twice as many, and in between they merge.

#define WRINKLES 20u

static void wrinkled_vertex(shape_plan *plan, uint64_t index, double out[3])
{
    uint64_t row = index / plan->columns, column = index % plan->columns;
    double sine = 0.0, cosine = 0.0, up = 0.0, outward = 0.0, ignored = 0.0, few = 0.0, many = 0.0;
    shape_turn(row, plan->rows, &sine, &cosine);
    shape_turn(plan->columns - 1 - column, plan->columns, &up, &outward);
    shape_turn(WRINKLES * row % plan->rows, plan->rows, &ignored, &few);
    shape_turn(2 * WRINKLES * row % plan->rows, plan->rows, &ignored, &many);
    double side = 0.5 + 0.5 * cosine;
    double tube = 0.13 + 0.008 * (side * few + (1.0 - side) * many);
    double radius = 0.36 + tube * outward;
    out[0] = radius * cosine;
    out[1] = radius * sine;
    out[2] = tube * up;
}

void shape_plan_wrinkled(shape_plan *plan)
{
    uint64_t side = shape_side(plan->triangle_count, 20, 2);
    shape_sheet_wrapped(plan, 5 * side, 2 * side);
    plan->vertex = wrinkled_vertex;
}
