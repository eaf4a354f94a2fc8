// Shapes on a square lattice: the flat grid, the terrain above it, and the box.
#include "shapes_math.h"
#include "shapes_plan.h"

static double lattice(uint64_t step, uint64_t count) { return (double)step / (double)count - 0.5; }

// --- Open sheet: `rows` times `rows` quads, columns = rows + 1 vertices in a row

static void open_triangle(const shape_plan *plan, uint64_t index, uint64_t corners[3])
{
    uint64_t row = index / 2 / plan->rows, column = index / 2 % plan->rows;
    uint64_t here = row * plan->columns + column, above = here + plan->columns;
    corners[0] = here;
    corners[1] = index % 2 == 0 ? here + 1 : above + 1;
    corners[2] = index % 2 == 0 ? above + 1 : above;
}

static void grid_vertex(shape_plan *plan, uint64_t index, double out[3])
{
    out[0] = lattice(index % plan->columns, plan->rows);
    out[1] = lattice(index / plan->columns, plan->rows);
    out[2] = 0.0;
}

void shape_plan_grid(shape_plan *plan)
{
    uint64_t side = shape_side(plan->triangle_count, 2, 1);
    plan->rows = side;
    plan->columns = side + 1;
    plan->vertex_count = (side + 1) * (side + 1);
    plan->triangle_count = 2 * side * side;
    plan->vertex = grid_vertex;
    plan->triangle = open_triangle;
}

// --- Terrain: octaves of smooth noise, each twice as fine and half as high, down to two quads

#define TERRAIN_CELLS  4u   // across the coarsest octave
#define TERRAIN_HEIGHT 0.25 // of the coarsest octave

static double smooth(double t) { return t * t * t * (t * (t * 6.0 - 15.0) + 10.0); }

// Moves the octave to a cell; the four corner values are hashed only when the cell changes.
static void enter_cell(struct shape_octave *octave, uint64_t seed, uint64_t row, uint64_t column)
{
    if (octave->row == row && octave->column == column)
        return;
    octave->row = row;
    octave->column = column;
    for (uint64_t i = 0; i < 2; ++i)
        for (uint64_t j = 0; j < 2; ++j)
            octave->value[i][j] =
                shape_unit(seed, (row + i) * (octave->cell_count + 1) + column + j) - 0.5;
}

static void terrain_vertex(shape_plan *plan, uint64_t index, double out[3])
{
    grid_vertex(plan, index, out);
    uint64_t row = index / plan->columns, column = index % plan->columns;
    double height = 0.0, amplitude = TERRAIN_HEIGHT;
    for (uint32_t i = 0; i < plan->octave_count; ++i, amplitude *= 0.5) {
        struct shape_octave *octave = &plan->octave[i];
        double step = (double)octave->cell_count / (double)plan->rows;
        double u = (double)column * step, v = (double)row * step;
        uint64_t cell_u = (uint64_t)u, cell_v = (uint64_t)v;
        enter_cell(octave, plan->seed + i, cell_v, cell_u);
        double a = smooth(u - (double)cell_u), b = smooth(v - (double)cell_v);
        double near = octave->value[0][0] + a * (octave->value[0][1] - octave->value[0][0]);
        double far = octave->value[1][0] + a * (octave->value[1][1] - octave->value[1][0]);
        height += amplitude * (near + b * (far - near));
    }
    out[2] = height;
}

void shape_plan_terrain(shape_plan *plan)
{
    shape_plan_grid(plan);
    plan->vertex = terrain_vertex;
    uint64_t cells = TERRAIN_CELLS;
    do {
        plan->octave[plan->octave_count++] =
            (struct shape_octave){.row = UINT64_MAX, .cell_count = cells};
        cells *= 2;
    } while (cells <= plan->rows / 2 && plan->octave_count < SHAPE_OCTAVES);
}

// --- Box: a cube of n * n * n cells. Vertices in layers: the floor whole, rings of 4n, the lid.

static uint64_t box_place(uint64_t n, const uint64_t at[3])
{
    uint64_t whole = (n + 1) * (n + 1), x = at[0], y = at[1], z = at[2];
    if (z == 0)
        return y * (n + 1) + x;
    uint64_t first = whole + (z - 1) * 4 * n;
    if (z == n)
        return first + y * (n + 1) + x;
    if (y == 0 && x < n)
        return first + x;
    if (x == n && y < n)
        return first + n + y;
    if (y == n && x > 0)
        return first + 2 * n + (n - x);
    return first + 3 * n + (n - y);
}

static void box_vertex(shape_plan *plan, uint64_t index, double out[3])
{
    uint64_t n = plan->rows, whole = (n + 1) * (n + 1), x = 0, y = 0, z = 0;
    if (index < whole || index >= plan->vertex_count - whole) {
        z = index < whole ? 0 : n;
        uint64_t place = index < whole ? index : index - (plan->vertex_count - whole);
        x = place % (n + 1);
        y = place / (n + 1);
    } else {
        z = 1 + (index - whole) / (4 * n);
        uint64_t place = (index - whole) % (4 * n), step = place % n;
        uint64_t ring[4][2] = {{step, 0}, {n, step}, {n - step, n}, {0, n - step}};
        x = ring[place / n][0];
        y = ring[place / n][1];
    }
    out[0] = lattice(x, n);
    out[1] = lattice(y, n);
    out[2] = lattice(z, n);
}

// Two faces for each axis, at 0 and at n. Seen from outside, the quad turns left.
static void box_triangle(const shape_plan *plan, uint64_t index, uint64_t corners[3])
{
    uint64_t n = plan->rows, face = index / (2 * n * n), quad = index / 2 % (n * n);
    uint64_t axis = face / 2, row = quad / n, column = quad % n;
    static const uint64_t step[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
    for (int i = 0; i < 3; ++i) {
        const uint64_t *corner = step[index % 2][face % 2 == 1 ? i : 2 - i];
        uint64_t at[3];
        at[axis] = face % 2 == 1 ? n : 0;
        at[(axis + 1) % 3] = column + corner[0];
        at[(axis + 2) % 3] = row + corner[1];
        corners[i] = box_place(n, at);
    }
}

void shape_plan_box(shape_plan *plan)
{
    uint64_t n = shape_side(plan->triangle_count, 12, 1);
    plan->rows = n;
    plan->vertex_count = 6 * n * n + 2;
    plan->triangle_count = 12 * n * n;
    plan->vertex = box_vertex;
    plan->triangle = box_triangle;
}
