// The pieces that a plant is made of. Each is a loft, given by a few numbers and the density of its
// tessellation; vertices and triangles come from these by number, so that none are stored.
#ifndef GRAZE_GENERATORS_PLANT_PIECE_H
#define GRAZE_GENERATORS_PLANT_PIECE_H

#include <stdbool.h>

#include "loft.h"

typedef enum piece_kind {
    PIECE_BAR,    // a section, straight along w
    PIECE_TUBE,   // a round pipe along a path with bends
    PIECE_DUCT,   // the same with a rectangle
    PIECE_TURNED, // an outline turned about w: the first and the last point are on the axis
    PIECE_VESSEL, // a cylinder along w with domed ends
    PIECE_RING    // a torus about w
} piece_kind;

typedef enum piece_section {
    SECTION_PLATE, // a rectangle
    SECTION_I,     // two flanges and a web
    SECTION_U,     // a channel, open towards v
    SECTION_L,     // an angle
    SECTION_HEXAGON
} piece_section;

// Lengths in metres. Which numbers mean what depends on the kind:
//   bar     size: width along u, depth along v, thickness, length; offset from the origin along u
//   tube    size: radius, radius of the bends; numbers: the path
//   duct    size: width, radius of the bends (to the middle), height; numbers: the path
//   turned  numbers: radius and height of each point of the outline; size: largest radius
//   vessel  size: radius, length between the domes, height of a dome
//   ring    size: radius, thickness (half of it)
typedef struct plant_piece {
    piece_kind kind;
    piece_section section;
    double origin[3], u[3], v[3], w[3]; // a right-handed frame
    double size[4], offset;
    uint32_t first_number, number_count; // in the plant's numbers
    uint32_t copies;                     // at least 1
    bool turned;                         // copies stand around w; else each is a step farther
    double step[3];
} plant_piece;

// How fine round things are: points around a circle of one metre's radius, by 64.
typedef uint64_t piece_density;
#define PIECE_DENSITY_MOST (UINT64_C(1) << 21)

shape_loft piece_loft(const plant_piece *piece, piece_density density);

// A ring of a piece: where its points are. Point i is centre + across[0] * p + across[1] * q, where
// (p, q) is the point i of the section, see piece_point. A pole is its centre.
typedef struct piece_ring {
    double centre[3], across[2][3];
} piece_ring;

void piece_ring_at(const plant_piece *piece, const double *numbers, const shape_loft *loft,
                   uint64_t ring, uint64_t copy, piece_ring *out);
void piece_point(const plant_piece *piece, const shape_loft *loft, uint64_t point, double out[2]);

#endif
