// Pieces as lofts. See plant_piece.h.
#include "plant_piece.h"

#include <string.h>

#include "shapes_math.h"

// --- Density

// Around a circle: a multiple of four, so that its outermost points along the axes are vertices.
// Small circles have fewer points, but not in proportion.
static uint64_t points_around(double radius, piece_density density)
{
    uint64_t quarter = (uint64_t)((double)density * (1.0 / 256.0) * sqrt(radius));
    return 4 * (quarter > 2 ? quarter : 2);
}

static uint64_t bend_cuts(const plant_piece *piece, piece_density density)
{
    uint64_t cuts = points_around(piece->size[0], density) / 4;
    return cuts > 3 ? cuts : 3;
}

static uint64_t dome_cuts(const plant_piece *piece, piece_density density)
{
    uint64_t cuts = points_around(piece->size[0], density) / 8;
    return cuts > 2 ? cuts : 2;
}

static uint64_t bend_count(const plant_piece *piece) { return piece->number_count / 3 - 2; }

// --- Sections that are not round

static const struct {
    uint64_t points;
    uint8_t cap[10][3]; // triangles of the filled section; one with less is convex, and a fan
} sections[] = {
    [SECTION_PLATE] = {4, {{0}}},
    [SECTION_I] = {12,
                   {{0, 1, 2},
                    {0, 2, 3},
                    {0, 3, 10},
                    {0, 10, 11},
                    {3, 4, 9},
                    {3, 9, 10},
                    {7, 8, 9},
                    {7, 9, 4},
                    {7, 4, 5},
                    {7, 5, 6}}},
    [SECTION_U] = {8, {{1, 2, 3}, {1, 3, 4}, {0, 1, 4}, {0, 4, 5}, {0, 5, 6}, {0, 6, 7}}},
    [SECTION_L] = {6, {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}}},
    [SECTION_HEXAGON] = {6, {{0}}},
};

// Points in units of width, depth and thickness: x = a * width / 2 + b * thickness, y alike.
typedef struct section_point {
    int8_t x, x_thick, y, y_thick;
} section_point;

static const section_point plate_points[4] = {
    {-1, 0, -1, 0}, {1, 0, -1, 0}, {1, 0, 1, 0}, {-1, 0, 1, 0}};
// The web of an I is as thick as a flange: half to each side, so that x_thick counts halves.
static const section_point i_points[12] = {
    {-1, 0, -1, 0}, {1, 0, -1, 0}, {1, 0, -1, 2},  {0, 1, -1, 2},  {0, 1, 1, -2},  {1, 0, 1, -2},
    {1, 0, 1, 0},   {-1, 0, 1, 0}, {-1, 0, 1, -2}, {0, -1, 1, -2}, {0, -1, -1, 2}, {-1, 0, -1, 2}};
static const section_point u_points[8] = {{-1, 0, -1, 0}, {1, 0, -1, 0},  {1, 0, 1, 0},
                                          {1, -2, 1, 0},  {1, -2, -1, 2}, {-1, 2, -1, 2},
                                          {-1, 2, 1, 0},  {-1, 0, 1, 0}};
static const section_point l_points[6] = {{-1, 0, -1, 0}, {1, 0, -1, 0}, {1, 0, -1, 2},
                                          {-1, 2, -1, 2}, {-1, 2, 1, 0}, {-1, 0, 1, 0}};
static const section_point *const section_points[] = {
    [SECTION_PLATE] = plate_points,
    [SECTION_I] = i_points,
    [SECTION_U] = u_points,
    [SECTION_L] = l_points,
};

static void bar_point(const plant_piece *piece, uint64_t point, double out[2])
{
    double width = 0.5 * piece->size[0], depth = 0.5 * piece->size[1], half = 0.5 * piece->size[2];
    if (piece->section == SECTION_HEXAGON) {
        shape_turn(point, 6, &out[1], &out[0]);
        out[0] *= width;
        out[1] *= width;
        return;
    }
    const section_point *p = &section_points[piece->section][point];
    out[0] = p->x * width + p->x_thick * half;
    out[1] = p->y * depth + p->y_thick * half;
}

void piece_point(const plant_piece *piece, const shape_loft *loft, uint64_t point, double out[2])
{
    if (piece->kind == PIECE_BAR) {
        bar_point(piece, point, out);
        return;
    }
    if (piece->kind == PIECE_DUCT) {
        out[0] = plate_points[point].x * 0.5 * piece->size[0];
        out[1] = plate_points[point].y * 0.5 * piece->size[2];
        return;
    }
    double radius = piece->kind == PIECE_TUBE   ? piece->size[0]
                    : piece->kind == PIECE_RING ? piece->size[1]
                                                : 1.0; // turned ones have it in each ring
    shape_turn(point, loft->points, &out[1], &out[0]);
    out[0] *= radius;
    out[1] *= radius;
}

shape_loft piece_loft(const plant_piece *piece, piece_density density)
{
    uint64_t around = points_around(piece->size[0], density), thin = 0;
    switch (piece->kind) {
    case PIECE_BAR:
        return (shape_loft){
            .rings = 2,
            .points = sections[piece->section].points,
            .end = LOFT_FLAT,
            .cap = sections[piece->section].cap[0][1] != 0 ? sections[piece->section].cap : NULL};
    case PIECE_TUBE:
    case PIECE_DUCT:
        return (shape_loft){.rings = 2 + bend_count(piece) * (bend_cuts(piece, density) + 1),
                            .points = piece->kind == PIECE_DUCT ? 4 : around,
                            .end = LOFT_FLAT};
    case PIECE_TURNED:
        return (shape_loft){
            .rings = piece->number_count / 2 - 2, .points = around, .end = LOFT_POLES};
    case PIECE_VESSEL:
        return (shape_loft){
            .rings = 2 * dome_cuts(piece, density), .points = around, .end = LOFT_POLES};
    case PIECE_RING: break;
    }
    thin = around / 2;
    return (shape_loft){.rings = around, .points = thin > 6 ? thin : 6, .end = LOFT_WRAPPED};
}

// --- Rings

static void along(double out[3], const double from[3], double far, const double way[3])
{
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = from[axis] + far * way[axis];
}

static void scaled(double out[3], double scale, const double v[3])
{
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = scale * v[axis];
}

static void ring_of_bar(const plant_piece *piece, uint64_t ring, uint64_t copy, piece_ring *out)
{
    double sine = 0.0, cosine = 1.0;
    if (piece->turned)
        shape_turn(copy, piece->copies, &sine, &cosine);
    for (int axis = 0; axis < 3; ++axis) {
        out->across[0][axis] = cosine * piece->u[axis] + sine * piece->v[axis];
        out->across[1][axis] = cosine * piece->v[axis] - sine * piece->u[axis];
    }
    along(out->centre, piece->origin, piece->offset, out->across[0]);
    along(out->centre, out->centre, ring == 0 ? 0.0 : piece->size[3], piece->w);
}

// Ring 0 is pole 0: poles are rings of their own here, see piece_ring.
static void ring_of_turned(const plant_piece *piece, const double *numbers, uint64_t ring,
                           piece_ring *out)
{
    const double *point = &numbers[piece->first_number + 2 * ring];
    along(out->centre, piece->origin, point[1], piece->w);
    scaled(out->across[0], point[0], piece->u);
    scaled(out->across[1], point[0], piece->v);
}

// Domes are halves of ellipsoids; the last ring of one and the first of the other bound the
// cylinder between.
static void ring_of_vessel(const plant_piece *piece, const shape_loft *loft, uint64_t ring,
                           piece_ring *out)
{
    uint64_t cuts = loft->rings / 2, step = ring <= cuts ? ring : 2 * cuts + 1 - ring;
    double sine = 0.0, cosine = 0.0, height = 0.0;
    shape_turn(step, 4 * cuts, &sine, &cosine);
    height = ring <= cuts ? -piece->size[2] * cosine : piece->size[1] + piece->size[2] * cosine;
    along(out->centre, piece->origin, height, piece->w);
    scaled(out->across[0], piece->size[0] * sine, piece->u);
    scaled(out->across[1], piece->size[0] * sine, piece->v);
}

static void ring_of_torus(const plant_piece *piece, const shape_loft *loft, uint64_t ring,
                          piece_ring *out)
{
    double sine = 0.0, cosine = 0.0;
    shape_turn(ring, loft->rings, &sine, &cosine);
    memcpy(out->across[0], piece->w, sizeof piece->w);
    for (int axis = 0; axis < 3; ++axis)
        out->across[1][axis] = cosine * piece->u[axis] + sine * piece->v[axis];
    along(out->centre, piece->origin, piece->size[0], out->across[1]);
}

// --- Paths: their stretches run along the axes, so that a frame of axes is kept exactly

typedef struct path_frame {
    double forward[3], across[2][3];
} path_frame;

static void direction(const double *from, const double *to, double out[3])
{
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = to[axis] > from[axis] ? 1.0 : to[axis] < from[axis] ? -1.0 : 0.0;
}

// Turns what is across by a part of the bend from one direction to the next.
static void turn_frame(path_frame *frame, const double next[3], double sine, double cosine)
{
    for (int i = 0; i < 2; ++i) {
        double share = frame->across[i][0] * next[0] + frame->across[i][1] * next[1] +
                       frame->across[i][2] * next[2];
        for (int axis = 0; axis < 3; ++axis)
            frame->across[i][axis] +=
                share * ((cosine - 1.0) * next[axis] - sine * frame->forward[axis]);
    }
}

// The first frame: across[0] is the axis that follows that of the path.
static void start_frame(const double *path, path_frame *frame)
{
    direction(&path[0], &path[3], frame->forward);
    memset(frame->across, 0, sizeof frame->across);
    int axis = frame->forward[0] != 0.0 ? 0 : frame->forward[1] != 0.0 ? 1 : 2;
    frame->across[0][(axis + 1) % 3] = 1.0;
    frame->across[1][(axis + 2) % 3] = frame->forward[axis];
}

static void ring_of_path(const plant_piece *piece, const double *numbers, const shape_loft *loft,
                         uint64_t ring, piece_ring *out)
{
    const double *path = &numbers[piece->first_number];
    uint64_t bends = bend_count(piece), per_bend = bends != 0 ? (loft->rings - 2) / bends : 1;
    uint64_t bend = ring == 0 ? 0 : (ring - 1) / per_bend;
    path_frame frame;
    double next[3], sine = 0.0, cosine = 1.0, radius = piece->size[1];
    start_frame(path, &frame);
    for (uint64_t i = 0; i < bend && i < bends; ++i) {
        direction(&path[3 * i + 3], &path[3 * i + 6], next);
        turn_frame(&frame, next, 1.0, 0.0);
        memcpy(frame.forward, next, sizeof next);
    }
    if (ring == 0 || ring + 1 == loft->rings) {
        memcpy(out->centre, ring == 0 ? path : &path[3 * (bends + 1)], sizeof out->centre);
    } else {
        const double *corner = &path[3 * bend + 3];
        direction(corner, corner + 3, next);
        shape_turn((ring - 1) % per_bend, 4 * (per_bend - 1), &sine, &cosine);
        turn_frame(&frame, next, sine, cosine);
        for (int axis = 0; axis < 3; ++axis)
            out->centre[axis] = corner[axis] + radius * ((sine - 1.0) * frame.forward[axis] +
                                                         (1.0 - cosine) * next[axis]);
    }
    memcpy(out->across, frame.across, sizeof out->across);
}

void piece_ring_at(const plant_piece *piece, const double *numbers, const shape_loft *loft,
                   uint64_t ring, uint64_t copy, piece_ring *out)
{
    switch (piece->kind) {
    case PIECE_BAR: ring_of_bar(piece, ring, copy, out); break;
    case PIECE_TUBE:
    case PIECE_DUCT: ring_of_path(piece, numbers, loft, ring, out); break;
    case PIECE_TURNED: ring_of_turned(piece, numbers, ring, out); break;
    case PIECE_VESSEL: ring_of_vessel(piece, loft, ring, out); break;
    case PIECE_RING: ring_of_torus(piece, loft, ring, out); break;
    }
    if (!piece->turned)
        along(out->centre, out->centre, (double)copy, piece->step);
}
