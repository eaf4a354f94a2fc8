// The digits 0 to 9 as closed solids: cells of a board of 3 by 5, drawn up to a slab, cut into a
// lattice, slanted and bent. The seed's last digit says which one.
//
// A digit is its filled cells; no two of them touch only at a corner, so the surface is a manifold.
// Vertices are numbered layer by layer: all lattice points of the first layer, those on the rim of
// each layer between, all of the last one; within a layer row by row. Rows inside a row of cells
// are all alike, which is what makes a point's number a sum of few terms.
#include "shapes_math.h"
#include "shapes_plan.h"

#define BOARD_WIDTH  3u
#define BOARD_HEIGHT 5u

// Rows from below, one bit for each cell from the left.
static const uint8_t boards[10][BOARD_HEIGHT] = {
    {7, 5, 5, 5, 7}, {7, 2, 2, 2, 3}, {7, 1, 7, 4, 7}, {7, 4, 7, 4, 7}, {4, 4, 7, 5, 5},
    {7, 4, 7, 1, 7}, {7, 5, 7, 1, 7}, {4, 4, 4, 4, 7}, {7, 5, 7, 5, 7}, {7, 4, 7, 5, 7}};

// The cells below and above a lattice row; inside a row of cells both are that row.
typedef struct lattice_row {
    unsigned below, above;
} lattice_row;

static unsigned cells_at(const shape_plan *plan, uint64_t board_row)
{
    return board_row < BOARD_HEIGHT ? boards[plan->seed][board_row] : 0u;
}

// Into how many parts the edge of a cell is cut.
static uint64_t cut_count(const shape_plan *plan) { return plan->rows > 0 ? plan->rows : 1; }

static lattice_row row_of(const shape_plan *plan, uint64_t y)
{
    uint64_t n = cut_count(plan), cell = y / n;
    unsigned above = cells_at(plan, cell);
    if (y % n != 0)
        return (lattice_row){above, above};
    return (lattice_row){cell == 0 ? 0u : cells_at(plan, cell - 1), above};
}

// Of the cells around a lattice point (two where it is inside a column of cells), how many there
// are and how many of them are filled. Bit 0 of `shifted` is the empty column left of the board.
static void around_point(const shape_plan *plan, lattice_row row, uint64_t x, unsigned *all,
                         unsigned *filled)
{
    uint64_t n = cut_count(plan), column = x / n;
    unsigned shifted[2] = {row.below << 1, row.above << 1};
    *all = *filled = 0;
    for (int i = 0; i < 2; ++i) {
        *all += 1;
        *filled += (shifted[i] >> (column + 1)) & 1u;
        if (x % n == 0) {
            *all += 1;
            *filled += (shifted[i] >> column) & 1u;
        }
    }
}

static bool has_point(const shape_plan *plan, lattice_row row, uint64_t x, bool rim_only)
{
    unsigned all = 0, filled = 0;
    around_point(plan, row, x, &all, &filled);
    return filled > 0 && !(rim_only && filled == all);
}

// How many points a row has left of x: those on lines between columns one by one, those inside a
// column all alike.
static uint64_t points_before(const shape_plan *plan, lattice_row row, uint64_t x, bool rim_only)
{
    uint64_t n = plan->rows, count = 0;
    for (uint64_t column = 0; column * n < x; ++column) {
        uint64_t inside = x - column * n - 1 < n - 1 ? x - column * n - 1 : n - 1;
        count += has_point(plan, row, column * n, rim_only);
        if (n > 1 && column < BOARD_WIDTH && has_point(plan, row, column * n + 1, rim_only))
            count += inside;
    }
    return count;
}

static uint64_t row_count(const shape_plan *plan, uint64_t y, bool rim_only)
{
    return points_before(plan, row_of(plan, y), BOARD_WIDTH * plan->rows + 1, rim_only);
}

// How many points a layer has below row y.
static uint64_t rows_before(const shape_plan *plan, uint64_t y, bool rim_only)
{
    uint64_t n = plan->rows, count = 0;
    for (uint64_t cell = 0; cell * n < y; ++cell) {
        uint64_t inside = y - cell * n - 1 < n - 1 ? y - cell * n - 1 : n - 1;
        count += row_count(plan, cell * n, rim_only);
        if (inside > 0 && cell < BOARD_HEIGHT)
            count += inside * row_count(plan, cell * n + 1, rim_only);
    }
    return count;
}

static uint64_t layer_count(const shape_plan *plan, bool rim_only)
{
    return rows_before(plan, BOARD_HEIGHT * plan->rows + 1, rim_only);
}

static bool is_rim_layer(const shape_plan *plan, uint64_t z) { return z > 0 && z < plan->rows; }

static uint64_t number_of(const shape_plan *plan, const uint64_t at[3])
{
    bool rim = is_rim_layer(plan, at[2]);
    uint64_t first = 0;
    if (at[2] > 0)
        first = layer_count(plan, false) + (at[2] - 1) * layer_count(plan, true);
    return first + rows_before(plan, at[1], rim) +
           points_before(plan, row_of(plan, at[1]), at[0], rim);
}

// The largest value up to `most` at which `before` is at most `rank`, in halves.
static uint64_t last_at_most(const shape_plan *plan, const uint64_t *row, bool rim, uint64_t most,
                             uint64_t rank)
{
    uint64_t low = 0, high = most;
    while (low < high) {
        uint64_t middle = high - (high - low) / 2;
        uint64_t before = row == NULL ? rows_before(plan, middle, rim)
                                      : points_before(plan, row_of(plan, *row), middle, rim);
        if (before <= rank)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void digit_vertex(shape_plan *plan, uint64_t index, double out[3])
{
    uint64_t n = plan->rows, whole = layer_count(plan, false), rim = layer_count(plan, true), z = 0;
    if (index >= whole) {
        index -= whole;
        z = 1 + (rim > 0 ? index / rim : 0);
        z = z < n ? z : n;
        index -= (z - 1) * rim;
    }
    bool rim_only = is_rim_layer(plan, z);
    uint64_t y = last_at_most(plan, NULL, rim_only, BOARD_HEIGHT * n, index);
    index -= rows_before(plan, y, rim_only);
    uint64_t x = last_at_most(plan, &y, rim_only, BOARD_WIDTH * n, index);
    double a = (double)x / (double)n - 1.5, b = (double)y / (double)n - 2.5;
    double c = (double)z / (double)n - 0.5;
    // Slanted to the right, bulged along, and bent like a saddle; within the cube of size 1.
    out[0] = (a * (1.0 + 0.03 * b) + 0.12 * b) / 6.0;
    out[1] = b / 5.4;
    out[2] = (c * (1.0 + 0.04 * (a - b)) + 0.06 * (a * a - 0.4 * b * b)) / 6.0;
}

// --- Faces: two quads of a cell's lattice square for each layer end, one for each side square

static uint64_t cell_count(const shape_plan *plan)
{
    uint64_t count = 0;
    for (uint64_t row = 0; row < BOARD_HEIGHT; ++row)
        for (unsigned column = 0; column < BOARD_WIDTH; ++column)
            count += (cells_at(plan, row) >> column) & 1u;
    return count;
}

// The faces of the board in a fixed order: each filled cell has its side `d` open where the next
// cell that way is empty. Sides: 0 right, 1 above, 2 left, 3 below.
static bool find_side(const shape_plan *plan, uint64_t wanted, uint64_t cell[2], unsigned *side,
                      uint64_t *found)
{
    *found = 0;
    for (uint64_t y = 0; y < BOARD_HEIGHT; ++y)
        for (unsigned x = 0; x < BOARD_WIDTH; ++x)
            for (unsigned d = 0; d < 4; ++d) {
                unsigned here = cells_at(plan, y) << 1, next = here;
                if (d == 1 || d == 3)
                    next = (d == 1 ? cells_at(plan, y + 1) : (y > 0 ? cells_at(plan, y - 1) : 0))
                           << 1;
                unsigned step = d == 0 ? x + 2 : (d == 2 ? x : x + 1);
                if (((here >> (x + 1)) & 1u) == 0 || ((next >> step) & 1u) != 0)
                    continue;
                if ((*found)++ == wanted) {
                    cell[0] = x;
                    cell[1] = y;
                    *side = d;
                    return true;
                }
            }
    return false;
}

static void find_cell(const shape_plan *plan, uint64_t wanted, uint64_t cell[2])
{
    for (uint64_t y = 0; y < BOARD_HEIGHT; ++y)
        for (unsigned x = 0; x < BOARD_WIDTH; ++x)
            if (((cells_at(plan, y) >> x) & 1u) != 0 && wanted-- == 0) {
                cell[0] = x;
                cell[1] = y;
                return;
            }
}

// The corners of a square, turning left as seen from outside; u and v are steps within the cell.
static void digit_triangle(const shape_plan *plan, uint64_t index, uint64_t corners[3])
{
    static const uint64_t step[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
    uint64_t n = plan->rows, square = index / 2, u = square % n, v = square / n % n;
    uint64_t face = square / (n * n), lids = 2 * cell_count(plan), cell[2] = {0, 0}, found = 0;
    unsigned side = 0;
    if (face < lids)
        find_cell(plan, face / 2, cell);
    else
        (void)find_side(plan, face - lids, cell, &side, &found);
    for (int i = 0; i < 3; ++i) {
        uint64_t along = u + step[index % 2][i][0], up = v + step[index % 2][i][1];
        uint64_t at[3] = {cell[0] * n + along, cell[1] * n + up, 0};
        if (face < lids) {
            at[2] = face % 2 == 0 ? 0 : n;
            if (face % 2 == 0) { // the first layer is seen from below
                at[0] = cell[0] * n + up;
                at[1] = cell[1] * n + along;
            }
        } else {
            uint64_t way = side == 0 || side == 3 ? along : n - along;
            at[side % 2] = cell[side % 2] * n + (side < 2 ? n : 0);
            at[1 - side % 2] = cell[1 - side % 2] * n + way;
            at[2] = up;
        }
        corners[i] = number_of(plan, at);
    }
}

void shape_plan_digit(shape_plan *plan)
{
    uint64_t cell[2], faces = 0;
    unsigned side = 0;
    plan->seed %= 10;
    (void)find_side(plan, UINT64_MAX, cell, &side, &faces);
    faces += 2 * cell_count(plan);
    uint64_t n = shape_side(plan->triangle_count, 2 * faces, 1);
    plan->rows = n;
    plan->vertex_count = 2 * layer_count(plan, false) + (n - 1) * layer_count(plan, true);
    plan->triangle_count = 2 * faces * n * n;
    plan->vertex = digit_vertex;
    plan->triangle = digit_triangle;
}
