// Shapes as machines have them: a gear, and a shelf full of plates with holes. Each is a ring: its
// outline and its hole have the same number of points, so that it is a wrapped sheet.
#include "shapes_math.h"
#include "shapes_plan.h"

// --- Gear: columns go around the axis, rows around the section: up the teeth, in along the top,
// down the bore, out along the bottom

#define GEAR_TEETH     24u
#define GEAR_ROOT      0.4
#define GEAR_TIP       0.5
#define GEAR_BORE      0.15
#define GEAR_THICKNESS 0.15

// A tooth has four stretches of equal angle: root, rising flank, tip, falling flank.
static double gear_radius(const shape_plan *plan, uint64_t column)
{
    uint64_t per_stretch = plan->columns / (4u * GEAR_TEETH);
    uint64_t stretch = column / per_stretch % 4;
    double part = (double)(column % per_stretch) / (double)per_stretch;
    switch (stretch) {
    case 0: return GEAR_ROOT;
    case 1: return GEAR_ROOT + part * (GEAR_TIP - GEAR_ROOT);
    case 2: return GEAR_TIP;
    default: return GEAR_TIP - part * (GEAR_TIP - GEAR_ROOT);
    }
}

static void gear_vertex(shape_plan *plan, uint64_t index, double out[3])
{
    uint64_t row = index / plan->columns, column = index % plan->columns;
    uint64_t eighth = plan->rows / 8;
    double sine = 0.0, cosine = 0.0;
    shape_turn(column, plan->columns, &sine, &cosine);
    double outer = gear_radius(plan, column), radius = outer, height = 0.0;
    if (row < eighth) { // up the teeth
        height = (double)row / (double)eighth;
    } else if (row < 4 * eighth) { // in
        radius = outer + (double)(row - eighth) / (double)(3 * eighth) * (GEAR_BORE - outer);
        height = 1.0;
    } else if (row < 5 * eighth) { // down the bore
        radius = GEAR_BORE;
        height = 1.0 - (double)(row - 4 * eighth) / (double)eighth;
    } else { // out
        radius =
            GEAR_BORE + (double)(row - 5 * eighth) / (double)(3 * eighth) * (outer - GEAR_BORE);
    }
    out[0] = radius * cosine;
    out[1] = radius * sine;
    out[2] = GEAR_THICKNESS * (height - 0.5);
}

void shape_plan_gear(shape_plan *plan)
{
    uint64_t columns = 4 * GEAR_TEETH * shape_side(plan->triangle_count, 16u * 4u * GEAR_TEETH, 1);
    uint64_t eighth = (plan->triangle_count + 8 * columns) / (16 * columns);
    shape_sheet_wrapped(plan, 8 * (eighth > 0 ? eighth : 1), columns);
    plan->vertex = gear_vertex;
}

// --- Plates: one in each cell of a cubic lattice, turned along one of the axes, each an object

#define PLATE_POINTS    16u // of the outline, and of the hole
#define PLATE_VERTICES  (4u * PLATE_POINTS)
#define PLATE_TRIANGLES (8u * PLATE_POINTS)

// Walks the square from -1 to 1 in sixteen steps, corners included, with the hole's angles.
static void plate_outline(uint64_t column, double out[2])
{
    static const double step[16][2] = {
        {1, 0},  {1, 0.5},   {1, 1},   {0.5, 1},   {0, 1},  {-0.5, 1}, {-1, 1}, {-1, 0.5},
        {-1, 0}, {-1, -0.5}, {-1, -1}, {-0.5, -1}, {0, -1}, {0.5, -1}, {1, -1}, {1, -0.5}};
    out[0] = step[column][0];
    out[1] = step[column][1];
}

static void plates_vertex(shape_plan *plan, uint64_t index, double out[3])
{
    uint64_t part = index / PLATE_VERTICES, row = index / PLATE_POINTS % 4;
    uint64_t column = index % PLATE_POINTS, cells = plan->rows;
    double width = 0.25 + 0.2 * shape_unit(plan->seed, 4 * part);
    double depth = 0.25 + 0.2 * shape_unit(plan->seed, 4 * part + 1);
    double thickness = 0.05 + 0.1 * shape_unit(plan->seed, 4 * part + 2);
    uint64_t axis = shape_hash(plan->seed, 4 * part + 3) % 3;
    double across[2], sine = 0.0, cosine = 0.0;
    plate_outline(column, across);
    shape_turn(column, PLATE_POINTS, &sine, &cosine);
    bool hole = row == 2 || row == 3; // rows: outline below, above, hole above, below
    double local[3];
    local[axis] = row == 1 || row == 2 ? thickness : -thickness;
    local[(axis + 1) % 3] = hole ? 0.15 * cosine : width * across[0];
    local[(axis + 2) % 3] = hole ? 0.15 * sine : depth * across[1];
    uint64_t cell[3] = {part % cells, part / cells % cells, part / cells / cells};
    for (int i = 0; i < 3; ++i)
        out[i] = ((double)cell[i] + 0.5 + local[i]) / (double)cells - 0.5;
}

static void plates_triangle(const shape_plan *plan, uint64_t index, uint64_t corners[3])
{
    uint64_t part = index / PLATE_TRIANGLES;
    shape_plan sheet = {.rows = 4, .columns = PLATE_POINTS};
    (void)plan;
    shape_triangle_wrapped(&sheet, index % PLATE_TRIANGLES, corners);
    for (int i = 0; i < 3; ++i)
        corners[i] += part * PLATE_VERTICES;
}

static void plates_part(const shape_plan *plan, uint64_t index, shape_part *part)
{
    uint64_t layer = index / plan->rows / plan->rows;
    snprintf(part->name, sizeof part->name, "plate %llu", (unsigned long long)index + 1);
    snprintf(part->group, sizeof part->group, "shelf/layer %llu", (unsigned long long)layer + 1);
    part->first_triangle = index * PLATE_TRIANGLES;
    part->triangle_count = PLATE_TRIANGLES;
}

void shape_plan_plates(shape_plan *plan)
{
    uint64_t parts = (plan->triangle_count + PLATE_TRIANGLES / 2) / PLATE_TRIANGLES, cells = 1;
    if (parts == 0)
        parts = 1;
    while (cells * cells * cells < parts)
        ++cells;
    plan->rows = cells;
    plan->part_count = parts;
    plan->vertex_count = parts * PLATE_VERTICES;
    plan->triangle_count = parts * PLATE_TRIANGLES;
    plan->vertex = plates_vertex;
    plan->triangle = plates_triangle;
    plan->part = plates_part;
}
