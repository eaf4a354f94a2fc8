// What a kind of shape is made of: functions that give any vertex and any triangle by its number.
// Numbers are all they need, so that shapes of any size are streamed without being stored.
#ifndef GRAZE_GENERATORS_SHAPES_PLAN_H
#define GRAZE_GENERATORS_SHAPES_PLAN_H

#include <stdbool.h>
#include <stdio.h>

#include "loft.h"
#include "shapes.h"

#define SHAPE_OCTAVES 20 // of the terrain

typedef struct shape_plan shape_plan;

typedef struct shape_part {
    char name[32], group[32];
    uint64_t first_triangle, triangle_count;
} shape_part;

struct shape_plan {
    uint64_t vertex_count, triangle_count;
    uint64_t part_count; // 0: all is one object without a name
    uint64_t seed;
    uint64_t rows, columns; // each kind has its own use for them
    // Coordinates within the cube from -0.5 to 0.5; the caller applies the size.
    void (*vertex)(shape_plan *plan, uint64_t index, double out[3]);
    void (*triangle)(const shape_plan *plan, uint64_t index, uint64_t corners[3]);
    void (*part)(const shape_plan *plan, uint64_t index, shape_part *part);
    // The terrain's place in each octave, so that a step along a row costs few hashes.
    struct shape_octave {
        uint64_t row, column, cell_count;
        double v, value[2][2];
    } octave[SHAPE_OCTAVES];
    uint32_t octave_count;
    shape_loft hub, blade; // of the turbine; all of a cup, a spoon and their like is the first
    uint64_t hub_cuts, fewer_blades;
};

// Each fills a plan whose triangle_count holds the wish and whose seed is set. All else is zero.
void shape_plan_sphere(shape_plan *plan);
void shape_plan_torus(shape_plan *plan);
void shape_plan_knot(shape_plan *plan);
void shape_plan_cylinder(shape_plan *plan);
void shape_plan_cone(shape_plan *plan);
void shape_plan_grid(shape_plan *plan);
void shape_plan_terrain(shape_plan *plan);
void shape_plan_box(shape_plan *plan);
void shape_plan_gear(shape_plan *plan);
void shape_plan_plates(shape_plan *plan);
void shape_plan_turbine(shape_plan *plan);
void shape_plan_cup(shape_plan *plan);
void shape_plan_spoon(shape_plan *plan);
void shape_plan_wrinkled(shape_plan *plan);
void shape_plan_spiral(shape_plan *plan);
void shape_plan_bowl(shape_plan *plan);
void shape_plan_digit(shape_plan *plan);
void shape_plan_soup(shape_plan *plan);
void shape_plan_needles(shape_plan *plan);
void shape_plan_nasty(shape_plan *plan);

// Sheets that several kinds share. Vertex (row, column) has the number row * columns + column.
// Wrapped: `rows` times `columns` quads, joined at both ends, closed like a torus.
void shape_sheet_wrapped(shape_plan *plan, uint64_t rows, uint64_t columns);
void shape_triangle_wrapped(const shape_plan *plan, uint64_t index, uint64_t corners[3]);

#endif
