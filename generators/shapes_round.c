// Round shapes: the sphere is an icosahedron cut finer, the others are sheets bent around.
#include "shapes_math.h"
#include "shapes_plan.h"

// --- The wrapped sheet

void shape_sheet_wrapped(shape_plan *plan, uint64_t rows, uint64_t columns)
{
    plan->rows = rows;
    plan->columns = columns;
    plan->vertex_count = rows * columns;
    plan->triangle_count = 2 * plan->vertex_count;
    plan->triangle = shape_triangle_wrapped;
}

void shape_triangle_wrapped(const shape_plan *plan, uint64_t index, uint64_t corners[3])
{
    uint64_t row = index / 2 / plan->columns, column = index / 2 % plan->columns;
    uint64_t next_row = row + 1 == plan->rows ? 0 : row + 1;
    uint64_t next_column = column + 1 == plan->columns ? 0 : column + 1;
    corners[0] = row * plan->columns + column;
    corners[1] =
        index % 2 == 0 ? row * plan->columns + next_column : next_row * plan->columns + next_column;
    corners[2] =
        index % 2 == 0 ? next_row * plan->columns + next_column : next_row * plan->columns + column;
}

// --- Torus: rows go around the axis, columns around the tube

static void torus_vertex(shape_plan *plan, uint64_t index, double out[3])
{
    double sine = 0.0, cosine = 0.0, up = 0.0, outward = 0.0;
    shape_turn(index / plan->columns, plan->rows, &sine, &cosine);
    shape_turn(plan->columns - 1 - index % plan->columns, plan->columns, &up, &outward);
    double radius = 0.35 + 0.15 * outward;
    out[0] = radius * cosine;
    out[1] = radius * sine;
    out[2] = 0.15 * up;
}

void shape_plan_torus(shape_plan *plan)
{
    uint64_t side = shape_side(plan->triangle_count, 6, 3);
    shape_sheet_wrapped(plan, 3 * side, side);
    plan->vertex = torus_vertex;
}

// --- Knot: a tube along the trefoil (sin t + 2 sin 2t, cos t - 2 cos 2t, -sin 3t). The frame is
// Frenet's: the trefoil is curved everywhere, so it never flips and closes after one turn.

#define KNOT_TUBE  0.5
#define KNOT_REACH (3.0 + KNOT_TUBE)

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void normalize(double v[3])
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; ++i)
        v[i] /= length;
}

static void knot_vertex(shape_plan *plan, uint64_t index, double out[3])
{
    uint64_t row = index / plan->columns, n = plan->rows;
    double s[4], c[4], around = 0.0, along = 0.0;
    for (uint64_t times = 1; times <= 3; ++times)
        shape_turn(row * times % n, n, &s[times], &c[times]);
    shape_turn(index % plan->columns, plan->columns, &around, &along);
    double center[3] = {s[1] + 2 * s[2], c[1] - 2 * c[2], -s[3]};
    double tangent[3] = {c[1] + 4 * c[2], -s[1] + 4 * s[2], -3 * c[3]};
    double bend[3] = {-s[1] - 8 * s[2], -c[1] + 8 * c[2], 9 * s[3]};
    double binormal[3], normal[3];
    cross(tangent, bend, binormal);
    cross(binormal, tangent, normal);
    normalize(binormal);
    normalize(normal);
    for (int i = 0; i < 3; ++i)
        out[i] = (center[i] + KNOT_TUBE * (along * normal[i] + around * binormal[i])) *
                 (0.5 / KNOT_REACH);
}

void shape_plan_knot(shape_plan *plan)
{
    uint64_t side = shape_side(plan->triangle_count, 16, 3);
    shape_sheet_wrapped(plan, 8 * side, side);
    plan->vertex = knot_vertex;
}

// --- Turned shapes: a pole below, rings of `columns` vertices, a pole above

static void turned_triangle(const shape_plan *plan, uint64_t index, uint64_t corners[3])
{
    uint64_t columns = plan->columns, last = plan->vertex_count - 1;
    uint64_t row = (index + columns) / (2 * columns); // ring above the triangle's strip
    uint64_t below = 1 + (row - 1) * columns, above = 1 + row * columns;
    uint64_t step = row == 0 ? index : index - (2 * row - 1) * columns;
    uint64_t column = row == 0 || row == plan->rows ? step : step / 2;
    uint64_t next = column + 1 == columns ? 0 : column + 1;
    if (row == 0) {
        corners[0] = 0;
        corners[1] = above + next;
        corners[2] = above + column;
    } else if (row == plan->rows) {
        corners[0] = last;
        corners[1] = below + column;
        corners[2] = below + next;
    } else {
        corners[0] = below + column;
        corners[1] = step % 2 == 0 ? below + next : above + next;
        corners[2] = step % 2 == 0 ? above + next : above + column;
    }
}

// Rings of a radius at a height; poles of no radius.
static void turned_vertex(const shape_plan *plan, uint64_t index, double radius, double height,
                          double out[3])
{
    double sine = 0.0, cosine = 0.0;
    shape_turn((index + plan->columns - 1) % plan->columns, plan->columns, &sine, &cosine);
    out[0] = radius * cosine;
    out[1] = radius * sine;
    out[2] = height;
}

// Steps along the profile: 0 is the lower pole, rows + 1 the upper one.
static uint64_t turned_step(const shape_plan *plan, uint64_t index)
{
    return index == 0 ? 0 : 1 + (index - 1) / plan->columns;
}

static void plan_turned(shape_plan *plan, uint64_t rows, uint64_t columns)
{
    plan->rows = rows;
    plan->columns = columns;
    plan->vertex_count = 2 + rows * columns;
    plan->triangle_count = 2 * rows * columns;
    plan->triangle = turned_triangle;
}

// A third of the profile goes out along the floor, a third up, a third in along the lid.
static void cylinder_vertex(shape_plan *plan, uint64_t index, double out[3])
{
    uint64_t step = turned_step(plan, index), third = (plan->rows + 1) / 3;
    double part = (double)(step % third) / (double)third;
    double radius = 0.5, height = part - 0.5;
    if (step < third)
        radius = 0.5 * part, height = -0.5;
    else if (step >= 2 * third)
        radius = step == 3 * third ? 0.0 : 0.5 * (1.0 - part), height = 0.5;
    turned_vertex(plan, index, radius, height, out);
}

void shape_plan_cylinder(shape_plan *plan)
{
    uint64_t side = shape_side(plan->triangle_count, 18, 1);
    plan_turned(plan, 3 * side - 1, side == 1 ? 5 : 3 * side);
    plan->vertex = cylinder_vertex;
}

// Half of the profile goes out along the floor, half up to the tip.
static void cone_vertex(shape_plan *plan, uint64_t index, double out[3])
{
    uint64_t step = turned_step(plan, index), half = (plan->rows + 1) / 2;
    double part = (double)(step % half) / (double)half;
    double radius = 0.5 * (1.0 - part), height = part - 0.5;
    if (step < half)
        radius = 0.5 * part, height = -0.5;
    else if (step == 2 * half)
        radius = 0.0, height = 0.5;
    turned_vertex(plan, index, radius, height, out);
}

void shape_plan_cone(shape_plan *plan)
{
    uint64_t side = shape_side(plan->triangle_count, 12, 1);
    plan_turned(plan, 2 * side - 1, side == 1 ? 5 : 3 * side);
    plan->vertex = cone_vertex;
}

// --- Sphere: an icosahedron with each edge cut into `rows` parts, pushed out to the sphere.
// Vertices are numbered: 12 corners, then the inner points of 30 edges, then those of 20 faces. A
// face is a lattice of rows 0 .. n; row r has the places 0 .. r; the place (r, p) weighs its three
// corners by n - r, r - p and p.

static const uint8_t ico_face[20][3] = {
    {0, 1, 2},  {0, 2, 3},  {0, 3, 4},  {0, 4, 5},  {0, 5, 1},   {1, 6, 2},  {2, 6, 7},
    {2, 7, 3},  {3, 7, 8},  {3, 8, 4},  {4, 8, 9},  {4, 9, 5},   {5, 9, 10}, {5, 10, 1},
    {1, 10, 6}, {6, 11, 7}, {7, 11, 8}, {8, 11, 9}, {9, 11, 10}, {10, 11, 6}};

static const uint8_t ico_edge[30][2] = {
    {0, 1}, {0, 2}, {0, 3}, {0, 4},  {0, 5},  {1, 2},  {2, 3},  {3, 4},  {4, 5},  {1, 5},
    {1, 6}, {2, 6}, {2, 7}, {3, 7},  {3, 8},  {4, 8},  {4, 9},  {5, 9},  {5, 10}, {1, 10},
    {6, 7}, {7, 8}, {8, 9}, {9, 10}, {6, 10}, {6, 11}, {7, 11}, {8, 11}, {9, 11}, {10, 11}};

// Corner 0 is the top, 1 to 5 the upper ring, 6 to 10 the lower one, half a step on, 11 the bottom.
static void ico_corner(uint64_t corner, double out[3])
{
    double height = 1.0 / sqrt(5.0), sine = 0.0, cosine = 0.0;
    if (corner == 0 || corner == 11) {
        out[0] = out[1] = 0.0;
        out[2] = corner == 0 ? 1.0 : -1.0;
        return;
    }
    shape_turn(corner < 6 ? 2 * (corner - 1) : 2 * (corner - 6) + 1, 10, &sine, &cosine);
    out[0] = 2.0 * height * cosine;
    out[1] = 2.0 * height * sine;
    out[2] = corner < 6 ? height : -height;
}

static uint64_t edge_vertex(const shape_plan *plan, uint64_t from, uint64_t to, uint64_t step)
{
    uint64_t edge = 0, n = plan->rows;
    uint64_t low = from < to ? from : to, high = from < to ? to : from;
    while (ico_edge[edge][0] != low || ico_edge[edge][1] != high)
        ++edge;
    return 12 + edge * (n - 1) + (from < to ? step : n - step) - 1;
}

static uint64_t sphere_place(const shape_plan *plan, uint64_t face, uint64_t row, uint64_t place)
{
    uint64_t n = plan->rows;
    const uint8_t *corner = ico_face[face];
    if (row == 0)
        return corner[0];
    if (row == n && (place == 0 || place == n))
        return corner[place == 0 ? 1 : 2];
    if (place == 0)
        return edge_vertex(plan, corner[0], corner[1], row);
    if (place == row)
        return edge_vertex(plan, corner[0], corner[2], row);
    if (row == n)
        return edge_vertex(plan, corner[1], corner[2], place);
    return 12 + 30 * (n - 1) + face * ((n - 1) * (n - 2) / 2) + (row - 1) * (row - 2) / 2 + place -
           1;
}

static void sphere_triangle(const shape_plan *plan, uint64_t index, uint64_t corners[3])
{
    uint64_t face = index / (plan->rows * plan->rows), rest = index % (plan->rows * plan->rows);
    uint64_t row = shape_root(rest), place = (rest - row * row) / 2;
    bool up = (rest - row * row) % 2 == 0;
    corners[0] = sphere_place(plan, face, row, place);
    corners[1] = sphere_place(plan, face, row + 1, up ? place : place + 1);
    corners[2] = up ? sphere_place(plan, face, row + 1, place + 1)
                    : sphere_place(plan, face, row, place + 1);
}

static void sphere_vertex(shape_plan *plan, uint64_t index, double out[3])
{
    uint64_t n = plan->rows, inner = (n - 1) * (n - 2) / 2;
    uint64_t corner[3] = {index, 0, 0};
    double weight[3] = {1.0, 0.0, 0.0};
    if (index >= 12 + 30 * (n - 1)) {
        uint64_t face = (index - 12 - 30 * (n - 1)) / inner;
        uint64_t rest = (index - 12 - 30 * (n - 1)) % inner;
        uint64_t row = (shape_root(8 * rest + 1) - 1) / 2; // rest = row (row + 1) / 2 + place
        uint64_t place = rest - row * (row + 1) / 2 + 1;
        row += 2;
        for (int i = 0; i < 3; ++i)
            corner[i] = ico_face[face][i];
        weight[0] = (double)(n - row);
        weight[1] = (double)(row - place);
        weight[2] = (double)place;
    } else if (index >= 12) {
        uint64_t edge = (index - 12) / (n - 1), step = (index - 12) % (n - 1) + 1;
        corner[0] = ico_edge[edge][0];
        corner[1] = ico_edge[edge][1];
        weight[0] = (double)(n - step);
        weight[1] = (double)step;
    }
    double sum[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3; ++i) {
        double position[3];
        ico_corner(corner[i], position);
        for (int axis = 0; axis < 3; ++axis)
            sum[axis] += weight[i] * position[axis];
    }
    normalize(sum);
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = 0.5 * sum[axis];
}

void shape_plan_sphere(shape_plan *plan)
{
    uint64_t n = shape_side(plan->triangle_count, 20, 1);
    plan->rows = n;
    plan->vertex_count = 10 * n * n + 2;
    plan->triangle_count = 20 * n * n;
    plan->vertex = sphere_vertex;
    plan->triangle = sphere_triangle;
}
