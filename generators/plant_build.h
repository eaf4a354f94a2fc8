// How a plant is put together: objects, their pieces, and the list of what was planted.
#ifndef GRAZE_GENERATORS_PLANT_BUILD_H
#define GRAZE_GENERATORS_PLANT_BUILD_H

#include "plant.h"
#include "plant_piece.h"

#define PLANT_NONE UINT64_MAX

typedef enum plant_kind {
    KIND_SLAB,
    KIND_COLUMN,
    KIND_GIRDER,
    KIND_BEAM,
    KIND_DECK,
    KIND_GRATING,
    KIND_HANDRAIL,
    KIND_STAIR,
    KIND_PIPE,
    KIND_FLANGE,
    KIND_VALVE,
    KIND_SHOE,
    KIND_HANGER,
    KIND_VESSEL,
    KIND_EXCHANGER,
    KIND_PUMP,
    KIND_CABINET,
    KIND_INTERNAL,
    KIND_TRAY,
    KIND_BRACKET,
    KIND_CONDUIT,
    KIND_BOX,
    KIND_DUCT,
    KIND_TANK,
    KIND_CHIMNEY,
    KIND_WALL,
    KIND_COUNT
} plant_kind;

typedef struct plant_object {
    plant_kind kind;
    uint32_t number;     // of its kind, from 1
    uint32_t row, floor; // from 0; YARD: neither
    uint32_t piece_count;
    uint64_t first_piece;
} plant_object;
#define PLANT_YARD UINT32_MAX

// Rules: nothing is added beyond object_limit, nor after failed was set; what is added to an object
// that does not exist vanishes. So the layout need not look.
struct generator_plant {
    graze_precision precision;
    double unit;  // metres
    double reach; // no coordinate is larger, in metres
    uint64_t seed;
    uint64_t object_limit;
    bool coarse; // few triangles for each object: things that come in dozens come in a few
    bool failed; // out of memory
    plant_object *objects;
    plant_piece *pieces;
    double *numbers;
    generator_planted *planted;
    uint64_t object_count, piece_count, number_count, planted_count;
    uint64_t object_room, piece_room, number_room, planted_room;
    uint32_t kind_count[KIND_COUNT];
    uint32_t row, floor; // of the next object
    bool open;           // pieces go to the last object
    plant_piece spare;   // takes what vanishes
    piece_density density;
    uint64_t vertex_count, triangle_count;
};

// Starts an object. Its number, or PLANT_NONE.
uint64_t plant_start(generator_plant *plant, plant_kind kind);
// Adds a piece with an identity frame and one copy. Never NULL.
plant_piece *plant_add(generator_plant *plant, piece_kind kind);
void plant_give_numbers(generator_plant *plant, plant_piece *piece, const double *numbers,
                        uint32_t count);
// Notes what was planted, if both exist. The amount is in metres: above 0 a clearance, below 0 a
// clash, 0 a touch. Directions as in generator_planted.
void plant_note_gap(generator_plant *plant, uint64_t a, uint64_t b, uint32_t direction, double gap);
void plant_note(generator_plant *plant, generator_relation relation, uint64_t a, uint64_t b);

// --- Pieces (plant_parts.c). Axes are 0 x, 1 y, 2 z.

void part_box(generator_plant *plant, const double low[3], const double high[3]);
// A section that starts at a point, in the middle of the section, and runs along an axis. Depth is
// along z, or along x if it stands.
plant_piece *part_bar(generator_plant *plant, piece_section section, const double from[3], int axis,
                      double length, double width, double depth, double thickness);
// Between any two points that are not one above the other: width is level, depth across both.
void part_slope(generator_plant *plant, piece_section section, const double from[3],
                const double to[3], double width, double depth, double thickness);
plant_piece *part_tube(generator_plant *plant, double radius, double bend, const double *path,
                       uint32_t points);
plant_piece *part_rod(generator_plant *plant, double radius, const double from[3], int axis,
                      double length);
// An outline of radius and height about an axis; reversed it runs the other way.
plant_piece *part_turned(generator_plant *plant, const double origin[3], int axis, bool reversed,
                         const double *outline, uint32_t points);
plant_piece *part_vessel(generator_plant *plant, const double origin[3], int axis, double radius,
                         double length, double dome);
plant_piece *part_ring(generator_plant *plant, const double origin[3], int axis, double radius,
                       double thickness);
plant_piece *part_repeat(plant_piece *piece, uint32_t copies, int axis, double step);
// A flange about an axis, with bolts.
void part_flange(generator_plant *plant, const double origin[3], int axis, double bore,
                 double thickness);

// --- The layout (plant_layout.c, plant_yard.c, plant_bay.c)

void plant_lay_out(generator_plant *plant);
void plant_yard(generator_plant *plant, double width);
void plant_stairs(generator_plant *plant, const double at[3]);

// One bay of one floor.
typedef struct plant_place {
    uint64_t bay, bays; // bays: as many are planned
    uint64_t row, rows, floor, floors;
    double x, y, z;  // its corner; y is that of its outer side
    double side;     // 1: inwards is along y, -1: against it
    bool last, even; // the last bay of its row; its inner columns are its own
    uint64_t key;    // of chance
} plant_place;

// Pipes that lie on the rack of a side, by slot.
#define PLANT_SLOTS 4u
typedef struct plant_run {
    uint64_t pipe, first_bay, last_bay; // where it passes the middle of a bay
    double top;
} plant_run;

void plant_steel(generator_plant *plant, const plant_place *place, uint64_t *girder,
                 uint64_t *column);
void plant_access(generator_plant *plant, const plant_place *place);
// One side of the bay: 0 the outer one, 1 the inner one; `runs` has PLANT_SLOTS of them.
void plant_side(generator_plant *plant, const plant_place *place, int side, plant_run *runs);
void plant_services(generator_plant *plant, const plant_place *place, uint64_t girder,
                    uint64_t column);

double place_y(const plant_place *place, double inwards); // y in the world
double place_chance(const plant_place *place, uint64_t what);

#endif
