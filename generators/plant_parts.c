// Pieces in the ways in which the layout wants them. See plant_build.h.
#include <string.h>

#include "plant_build.h"
#include "shapes_math.h"

// The frame whose w is an axis: v is up where w lies, so that sections stand as they are drawn. An
// upright section has its depth along x.
static void set_frame(plant_piece *piece, int axis)
{
    static const double frames[3][3][3] = {
        {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}},
        {{-1, 0, 0}, {0, 0, 1}, {0, 1, 0}},
        {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}},
    };
    memcpy(piece->u, frames[axis][0], sizeof piece->u);
    memcpy(piece->v, frames[axis][1], sizeof piece->v);
    memcpy(piece->w, frames[axis][2], sizeof piece->w);
}

static plant_piece *add_at(generator_plant *plant, piece_kind kind, const double origin[3],
                           int axis)
{
    plant_piece *piece = plant_add(plant, kind);
    memcpy(piece->origin, origin, sizeof piece->origin);
    set_frame(piece, axis);
    return piece;
}

plant_piece *part_bar(generator_plant *plant, piece_section section, const double from[3], int axis,
                      double length, double width, double depth, double thickness)
{
    plant_piece *piece = add_at(plant, PIECE_BAR, from, axis);
    piece->section = section;
    piece->size[0] = width;
    piece->size[1] = depth;
    piece->size[2] = thickness;
    piece->size[3] = length;
    return piece;
}

void part_box(generator_plant *plant, const double low[3], const double high[3])
{
    double from[3] = {low[0], 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])};
    part_bar(plant, SECTION_PLATE, from, 0, high[0] - low[0], high[1] - low[1], high[2] - low[2],
             0.0);
}

void part_slope(generator_plant *plant, piece_section section, const double from[3],
                const double to[3], double width, double depth, double thickness)
{
    double way[3], length = 0.0, level = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        way[axis] = to[axis] - from[axis];
        length += way[axis] * way[axis];
    }
    length = sqrt(length);
    level = sqrt(way[0] * way[0] + way[1] * way[1]);
    plant_piece *piece = part_bar(plant, section, from, 0, length, width, depth, thickness);
    double u[3] = {-way[1] / level, way[0] / level, 0.0};
    for (int axis = 0; axis < 3; ++axis) {
        piece->w[axis] = way[axis] / length;
        piece->u[axis] = u[axis];
    }
    for (int axis = 0; axis < 3; ++axis) {
        int next = (axis + 1) % 3, last = (axis + 2) % 3;
        piece->v[axis] = piece->w[next] * piece->u[last] - piece->w[last] * piece->u[next];
    }
}

plant_piece *part_tube(generator_plant *plant, double radius, double bend, const double *path,
                       uint32_t points)
{
    plant_piece *piece = plant_add(plant, PIECE_TUBE);
    piece->size[0] = radius;
    piece->size[1] = bend;
    plant_give_numbers(plant, piece, path, 3 * points);
    return piece;
}

plant_piece *part_rod(generator_plant *plant, double radius, const double from[3], int axis,
                      double length)
{
    double path[6] = {from[0], from[1], from[2], from[0], from[1], from[2]};
    path[3 + axis] += length;
    return part_tube(plant, radius, 0.0, path, 2);
}

plant_piece *part_turned(generator_plant *plant, const double origin[3], int axis, bool reversed,
                         const double *outline, uint32_t points)
{
    plant_piece *piece = add_at(plant, PIECE_TURNED, origin, axis);
    for (int i = 0; i < 3 && reversed; ++i) { // u and w turn round: still right-handed
        piece->u[i] = -piece->u[i];
        piece->w[i] = -piece->w[i];
    }
    for (uint32_t i = 0; i < points; ++i)
        if (outline[2 * i] > piece->size[0])
            piece->size[0] = outline[2 * i];
    plant_give_numbers(plant, piece, outline, 2 * points);
    return piece;
}

plant_piece *part_vessel(generator_plant *plant, const double origin[3], int axis, double radius,
                         double length, double dome)
{
    plant_piece *piece = add_at(plant, PIECE_VESSEL, origin, axis);
    piece->size[0] = radius;
    piece->size[1] = length;
    piece->size[2] = dome;
    return piece;
}

plant_piece *part_ring(generator_plant *plant, const double origin[3], int axis, double radius,
                       double thickness)
{
    plant_piece *piece = add_at(plant, PIECE_RING, origin, axis);
    piece->size[0] = radius;
    piece->size[1] = thickness;
    return piece;
}

plant_piece *part_repeat(plant_piece *piece, uint32_t copies, int axis, double step)
{
    piece->copies = copies > 1 ? copies : 1;
    piece->step[axis] = step;
    return piece;
}

// The bolts are through the flange, and stand out on both sides.
void part_flange(generator_plant *plant, const double origin[3], int axis, double bore,
                 double thickness)
{
    double rim = 1.25 * bore + 0.015625, hub = bore + 0.0078125, chamfer = 0.125 * thickness;
    const double outline[] = {0.0,           0.0,       hub,     0.0,       rim - chamfer,
                              0.0,           rim,       chamfer, rim,       thickness - chamfer,
                              rim - chamfer, thickness, hub,     thickness, 0.0,
                              thickness};
    part_turned(plant, origin, axis, false, outline, 8);
    if (plant->coarse)
        return;
    double from[3] = {origin[0], origin[1], origin[2]}, over = 0.0078125;
    from[axis] -= over;
    plant_piece *bolt = part_bar(plant, SECTION_HEXAGON, from, axis, thickness + 2.0 * over,
                                 0.25 * (rim - bore), 0.0, 0.0);
    bolt->offset = 0.5 * (rim + hub);
    bolt->turned = true;
    bolt->copies = bore > 0.0625 ? 12 : 8;
}
