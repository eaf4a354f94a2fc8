// Triangles without a surface: random ones, slivers, and one of each defect.
#include "shapes_math.h"
#include "shapes_plan.h"

static void loose_triangle(const shape_plan *plan, uint64_t index, uint64_t corners[3])
{
    (void)plan;
    for (uint64_t i = 0; i < 3; ++i)
        corners[i] = 3 * index + i;
}

static void plan_loose(shape_plan *plan)
{
    if (plan->triangle_count == 0)
        plan->triangle_count = 1;
    plan->vertex_count = 3 * plan->triangle_count;
    plan->triangle = loose_triangle;
}

// --- Soup: triangles at random places, about as large as the space that each has to itself.
// `rows` is the number of such spaces along an edge of the cube.

static void soup_vertex(shape_plan *plan, uint64_t index, double out[3])
{
    double reach = 1.0 / (double)(plan->rows + 1);
    for (uint64_t i = 0; i < 3; ++i) {
        double center = shape_unit(plan->seed, 3 * (index / 3) + i);
        double corner = shape_unit(plan->seed + 1, 3 * index + i);
        out[i] = center * (1.0 - reach) + corner * reach - 0.5;
    }
}

void shape_plan_soup(shape_plan *plan)
{
    plan_loose(plan);
    plan->vertex = soup_vertex;
    while (plan->rows * plan->rows * plan->rows < plan->triangle_count)
        ++plan->rows;
}

// --- Needles: from one side of the cube to the other, a millionth as wide as long

static void needles_vertex(shape_plan *plan, uint64_t index, double out[3])
{
    uint64_t needle = index / 3, corner = index % 3;
    uint64_t axis = shape_hash(plan->seed, 5 * needle) % 3;
    for (uint64_t i = 1; i < 3; ++i) {
        double from = shape_unit(plan->seed, 5 * needle + 2 * i - 1) - 0.5;
        double to = shape_unit(plan->seed, 5 * needle + 2 * i) - 0.5;
        double along = corner == 0 ? 0.0 : corner == 1 ? 1.0 : 0.5;
        out[(axis + i) % 3] = from + along * (to - from) + (corner == 2 && i == 1 ? 1e-6 : 0.0);
    }
    out[axis] = corner == 0 ? -0.5 : corner == 1 ? 0.5 : 0.0;
}

void shape_plan_needles(shape_plan *plan)
{
    plan_loose(plan);
    plan->vertex = needles_vertex;
}

// --- Nasty: small objects, each with one defect. In eighths of the cube.

static const int8_t nasty_vertices[][3] = {
    {-4, -4, -4}, {-2, -4, -4}, {-4, -2, -4}, {-4, -4, -2}, // a tetrahedron without defects
    {0, -4, -4},  {1, -3, -3},  {2, -2, -2},                // three points on one line
    {-4, 0, -4},  {-2, 0, -4},  {-4, 2, -4},  {-4, 0, -2},  // a tetrahedron, one face twice
    {0, 0, 0},    {2, 0, 0},    {2, 2, 0},    {0, 2, 0},    // two triangles with an open border
    {3, -4, 0},   {3, -4, 4},   {4, -3, 2},   {3, -2, 2},   {2, -3, 2}, // three around one edge
    {-4, -4, 2},  {-2, -4, 2},  {-3, -2, 2},  {-3, -3, 4},              // a face turned over
    {0, 0, 3},    {1, 0, 3},    {0, 1, 3}, // this one's last corner is not a number
};
#define NASTY_VERTICES (sizeof nasty_vertices / sizeof *nasty_vertices)

static const uint8_t nasty_triangles[][3] = {
    {0, 2, 1},    {0, 1, 3},    {0, 3, 2},    {1, 2, 3}, // whole
    {4, 5, 6},    {4, 4, 6},                             // on one line; a corner twice
    {7, 9, 8},    {7, 8, 10},   {7, 10, 9},   {8, 9, 10},   {9, 10, 8}, // twice
    {11, 12, 13}, {11, 13, 14},                                         // open
    {15, 16, 17}, {15, 16, 18}, {15, 16, 19},                           // around one edge
    {20, 22, 21}, {20, 21, 23}, {20, 23, 22}, {21, 23, 22},             // the last is turned over
    {24, 25, 26},                                                       // not finite
};
#define NASTY_TRIANGLES (sizeof nasty_triangles / sizeof *nasty_triangles)

static const struct {
    const char *name;
    uint32_t first, count;
} nasty_parts[] = {{"sound", 0, 4},        {"degenerate", 4, 2},    {"duplicate", 6, 5},
                   {"open", 11, 2},        {"non-manifold", 13, 3}, {"misoriented", 16, 4},
                   {"not a number", 20, 1}};

static void nasty_vertex(shape_plan *plan, uint64_t index, double out[3])
{
    (void)plan;
    for (int i = 0; i < 3; ++i)
        out[i] = (double)nasty_vertices[index][i] / 8.0;
    if (index == NASTY_VERTICES - 1)
        out[2] = (double)NAN;
}

static void nasty_triangle(const shape_plan *plan, uint64_t index, uint64_t corners[3])
{
    (void)plan;
    for (int i = 0; i < 3; ++i)
        corners[i] = nasty_triangles[index][i];
}

static void nasty_part(const shape_plan *plan, uint64_t index, shape_part *part)
{
    (void)plan;
    snprintf(part->name, sizeof part->name, "%s", nasty_parts[index].name);
    part->group[0] = '\0';
    part->first_triangle = nasty_parts[index].first;
    part->triangle_count = nasty_parts[index].count;
}

void shape_plan_nasty(shape_plan *plan)
{
    plan->vertex_count = NASTY_VERTICES;
    plan->triangle_count = NASTY_TRIANGLES;
    plan->part_count = sizeof nasty_parts / sizeof *nasty_parts;
    plan->vertex = nasty_vertex;
    plan->triangle = nasty_triangle;
    plan->part = nasty_part;
}
