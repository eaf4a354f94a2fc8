// Where the bays of a plant are, and in which order they are built: along the building, bay after
// bay with all rows and floors of it, until there are as many objects as were asked for. See
// plant_build.h.
#include <stdlib.h>

#include "plant_build.h"
#include "shapes_math.h"

#define OBJECTS_A_BAY 40u  // of one floor, about
#define YARD_FROM     150u // smaller plants have no yard

// Rows come in pairs, back to back, with the yard's pipes on either side.
#define PAIR_WIDTH 24.0

typedef struct layout {
    uint64_t bays, rows, floors;
} layout;

static layout choose(uint64_t objects)
{
    static const uint64_t most[] = {2, 8, 30, 80, 400}; // bays for one more floor
    uint64_t all = 1 + objects / OBJECTS_A_BAY, floors = 1;
    while (floors < 6 && all >= most[floors - 1])
        ++floors;
    uint64_t ground = (all + floors - 1) / floors;
    uint64_t rows = ground < 4 ? 1 : 2 * shape_side(ground, 32, 1);
    return (layout){.bays = (ground + rows - 1) / rows, .rows = rows, .floors = floors};
}

static plant_place place_of(const generator_plant *plant, const layout *l, uint64_t bay,
                            uint64_t row, uint64_t floor)
{
    uint64_t pairs = row / 2;
    double pair = PAIR_WIDTH * (double)pairs;
    return (plant_place){
        .bay = bay,
        .bays = l->bays,
        .row = row,
        .rows = l->rows,
        .floor = floor,
        .floors = l->floors,
        .x = 6.0 * (double)bay,
        .y = row % 2 == 0 ? pair : pair + 12.0,
        .z = 5.0 * (double)floor,
        .side = row % 2 == 0 ? 1.0 : -1.0,
        .last = bay + 1 == l->bays,
        .even = row % 2 == 0,
        .key = shape_hash(plant->seed, (bay * 4096 + row) * 64 + floor),
    };
}

static void lay_bay(generator_plant *plant, const plant_place *place, plant_run *runs)
{
    uint64_t girder = PLANT_NONE, column = PLANT_NONE;
    plant->row = (uint32_t)place->row;
    plant->floor = (uint32_t)place->floor;
    plant_steel(plant, place, &girder, &column);
    plant_side(plant, place, 0, runs);
    plant_services(plant, place, girder, column);
    plant_side(plant, place, 1, runs + PLANT_SLOTS);
    plant_access(plant, place);
    if (place->bay == 0 && place->even) {
        const double at[3] = {place->x, place->y, place->z};
        plant_stairs(plant, at);
    }
}

// The bays go on beyond what was planned if objects are missing.
void plant_lay_out(generator_plant *plant)
{
    layout l = choose(plant->object_limit);
    size_t run_count = (size_t)(l.rows * l.floors * 2 * PLANT_SLOTS);
    plant_run *runs = calloc(run_count, sizeof *runs);
    if (runs == NULL) {
        plant->failed = true;
        return;
    }
    if (plant->object_limit >= YARD_FROM) {
        plant->row = plant->floor = PLANT_YARD;
        plant_yard(plant, PAIR_WIDTH * (double)(l.rows + 1) / 2.0 - 12.0);
    }
    for (uint64_t bay = 0; plant->object_count < plant->object_limit && !plant->failed; ++bay)
        for (uint64_t row = 0; row < l.rows; ++row)
            for (uint64_t floor = 0; floor < l.floors; ++floor) {
                plant_place place = place_of(plant, &l, bay, row, floor);
                lay_bay(plant, &place, &runs[(row * l.floors + floor) * 2 * PLANT_SLOTS]);
            }
    free(runs);
}
