// What stands before the building: a boiler with its drum and flue, a chimney, tanks, a coal
// bunker with its conveyor; and the stairs at the building's end. See plant_build.h.
#include "plant_build.h"
#include "shapes_math.h"

#define FRONT (-36.0) // x of the chimney

// Upright tubes side by side between two headers.
static void boiler_wall(generator_plant *plant, double x, double y, int axis, double width)
{
    plant_start(plant, KIND_WALL);
    uint32_t tubes = plant->coarse ? 12 : 80;
    double radius = plant->coarse ? 0.125 : 0.046875;
    double foot[3] = {x, y, 2.0};
    foot[axis] += 0.25;
    part_repeat(part_rod(plant, radius, foot, 2, 16.0), tubes, axis,
                (width - 0.5) / (double)(tubes - 1));
    for (int i = 0; i < 2; ++i) {
        double header[3] = {x, y, i == 0 ? 2.0 : 18.0};
        part_rod(plant, 0.1875, header, axis, width);
    }
    for (int i = 0; i < 3; ++i) { // belts of steel around
        double belt[3] = {x, y, 6.0 + 4.0 * (double)i};
        part_bar(plant, SECTION_I, belt, axis, width, 0.25, 0.375, 0.015625);
    }
}

static void boiler(generator_plant *plant, double x, double y)
{
    boiler_wall(plant, x, y, 0, 10.0);
    boiler_wall(plant, x, y + 10.0, 0, 10.0);
    boiler_wall(plant, x, y + 0.5, 1, 9.0);
    boiler_wall(plant, x + 10.0, y + 0.5, 1, 9.0);
    plant_start(plant, KIND_VESSEL); // the drum
    double drum[3] = {x + 7.0, y - 1.5, 19.5};
    part_vessel(plant, drum, 1, 0.875, 13.0, 0.5);
    for (int i = 0; i < 2; ++i) { // on straps from the girders
        double strap[3] = {x + 7.0, y + (i == 0 ? -1.0 : 11.0), 19.5};
        part_bar(plant, SECTION_PLATE, strap, 2, 1.625, 0.25, 0.25, 0.0);
    }
    plant_start(plant, KIND_DECK);
    const double low[3] = {x - 0.5, y - 0.5, 0.0}, high[3] = {x + 10.5, y + 10.5, 0.5};
    part_box(plant, low, high);
    for (int i = 0; i < 4; ++i) {
        plant_start(plant, KIND_COLUMN);
        double foot[3] = {x + (i % 2 == 0 ? -1.0 : 11.0), y + (i / 2 == 0 ? -1.0 : 11.0), 0.0};
        part_bar(plant, SECTION_I, foot, 2, 22.0, 0.625, 0.625, 0.03125);
    }
    for (int i = 0; i < 2; ++i) { // they carry the drum
        plant_start(plant, KIND_GIRDER);
        double from[3] = {x - 0.6875, y + (i == 0 ? -1.0 : 11.0), 21.5};
        part_bar(plant, SECTION_I, from, 0, 11.375, 0.375, 0.75, 0.03125);
    }
}

// The steam leaves the drum for the building.
static void steam_pipes(generator_plant *plant, double x, double y)
{
    for (int i = 0; i < 3; ++i) {
        plant_start(plant, KIND_PIPE);
        double r = 0.1875, at = y + 2.0 + 3.0 * (double)i, down = x + 13.5 + 0.5 * (double)i;
        const double path[] = {x + 7.875, at, 19.5, down, at, 19.5, down, at, 1.5, -7.0, at, 1.5};
        part_tube(plant, r, 0.625, path, 4);
        plant_start(plant, KIND_FLANGE);
        double end[3] = {-7.0, at, 1.5};
        part_flange(plant, end, 0, r, 0.0625);
    }
}

static void chimney(generator_plant *plant, double y)
{
    plant_start(plant, KIND_CHIMNEY);
    const double outline[] = {0.0,   0.0,  3.5,  0.0,  3.5, 1.0,  3.0,   1.0,  2.75,  10.0,
                              2.5,   20.0, 2.25, 30.0, 2.0, 40.0, 1.875, 49.0, 2.125, 49.5,
                              2.125, 50.0, 1.5,  50.0, 1.5, 48.0, 0.0,   48.0};
    const double foot[3] = {FRONT, y, 0.0};
    part_turned(plant, foot, 2, false, outline, 14);
    for (int i = 0; i < 2; ++i) {
        double at[3] = {FRONT, y, 24.0 + 20.0 * (double)i}, wide = 3.5 - 0.5 * (double)i;
        const double platform[] = {0.0, 0.0, wide, 0.0, wide, 0.125, 0.0, 0.125};
        part_turned(plant, at, 2, false, platform, 4);
        at[2] += 1.0;
        part_ring(plant, at, 2, wide - 0.0625, 0.03125);
    }
    plant_start(plant, KIND_DUCT); // the flue
    plant_piece *flue = plant_add(plant, PIECE_DUCT);
    const double path[] = {-28.0, y, 15.0, -31.0, y, 15.0, -31.0, y, 5.0, FRONT + 3.0, y, 5.0};
    flue->size[0] = 2.5;
    flue->size[1] = 1.4;
    flue->size[2] = 2.0;
    plant_give_numbers(plant, flue, path, 12);
}

static void tank(generator_plant *plant, double x, double y, double radius)
{
    plant_start(plant, KIND_TANK);
    double height = 1.75 * radius;
    const double outline[] = {0.0,
                              0.0,
                              radius + 0.25,
                              0.0,
                              radius + 0.25,
                              0.25,
                              radius,
                              0.25,
                              radius,
                              height,
                              radius + 0.125,
                              height,
                              radius + 0.125,
                              height + 0.125,
                              radius,
                              height + 0.125,
                              0.5,
                              1.25 * height,
                              0.0,
                              1.25 * height};
    const double foot[3] = {x, y, 0.0};
    part_turned(plant, foot, 2, false, outline, 10);
    for (int i = 1; i < 4; ++i) {
        double ring[3] = {x, y, 0.25 * height * (double)i};
        part_ring(plant, ring, 2, radius, 0.0625);
    }
    plant_start(plant, KIND_STAIR); // a ladder
    uint32_t rungs = plant->coarse ? 6 : 32;
    double rung[3] = {x + radius + 0.25, y - 0.25, 0.5};
    part_repeat(part_rod(plant, 0.015625, rung, 1, 0.5), rungs, 2,
                (height - 0.5) / (double)(rungs - 1));
    double rail[3] = {x + radius + 0.25, y - 0.25, 0.25};
    part_repeat(part_rod(plant, 0.03125, rail, 2, height + 1.0), 2, 1, 0.5);
}

// Coal comes up a sloping gallery and falls into a bunker.
static void bunker(generator_plant *plant, double x, double y)
{
    plant_start(plant, KIND_TANK);
    const double outline[] = {0.0, 4.0, 0.5, 4.0, 3.0, 8.0, 3.0, 16.0, 2.5, 17.0, 0.0, 17.0};
    const double foot[3] = {x, y, 0.0};
    part_turned(plant, foot, 2, false, outline, 6);
    for (int i = 0; i < 4; ++i) {
        double leg[3] = {x + (i % 2 == 0 ? -2.5 : 2.5), y + (i / 2 == 0 ? -2.5 : 2.5), 0.0};
        part_bar(plant, SECTION_I, leg, 2, 9.0, 0.375, 0.375, 0.015625);
    }
    plant_start(plant, KIND_WALL);
    const double low[3] = {x, y - 40.0, 1.5}, high[3] = {x, y - 3.75, 18.5};
    part_slope(plant, SECTION_PLATE, low, high, 2.5, 2.25, 0.0);
    for (int i = 1; i < 4; ++i) { // trestles
        double at[3] = {x - 1.0, y - 40.0 + 10.0 * (double)i, 0.0};
        double top = 1.5 + 17.0 / 36.25 * 10.0 * (double)i;
        for (int leg = 0; leg < 2; ++leg, at[0] += 2.0)
            part_bar(plant, SECTION_I, at, 2, top - 1.0, 0.25, 0.25, 0.015625);
    }
}

void plant_yard(generator_plant *plant, double width)
{
    double middle = 6.0;
    boiler(plant, -26.0, middle - 5.0);
    chimney(plant, middle);
    steam_pipes(plant, -26.0, middle - 5.0);
    tank(plant, -22.0, middle - 15.0, 4.5);
    tank(plant, -22.0, middle + 16.0, 4.5);
    tank(plant, -34.0, middle + 16.0, 3.0);
    bunker(plant, -12.0, middle - 16.0);
    for (double y = middle + 28.0; y < width; y += 12.0) // the wider the plant, the more tanks
        tank(plant, -20.0, y, 4.5);
}

// --- Stairs: two flights with a landing between them, for one floor

// The stringers keep clear of the floors: their ends are cut across.
static void flight(generator_plant *plant, const double foot[3], double run, double rise)
{
    plant_start(plant, KIND_STAIR);
    uint32_t steps = 12;
    double going = run / (double)steps, up = rise / (double)steps;
    double short_run = 11.0 * going, short_rise = 11.0 * up;
    for (int i = 0; i < 2; ++i) {
        const double from[3] = {foot[0] + 0.5 * going, foot[1] + (i == 0 ? 0.015625 : 0.859375),
                                foot[2] + 0.5 * up + 0.109375};
        const double to[3] = {from[0] + short_run, from[1], from[2] + short_rise};
        part_slope(plant, SECTION_PLATE, from, to, 0.03125, 0.25, 0.0);
        const double rail[3] = {from[0], from[1], from[2] + 1.0};
        const double rail_end[3] = {to[0], to[1], to[2] + 1.0};
        part_slope(plant, SECTION_HEXAGON, rail, rail_end, 0.0625, 0.0, 0.0);
        part_repeat(part_rod(plant, 0.015625, from, 2, 1.0), 4, 0, short_run / 3.0)->step[2] =
            short_rise / 3.0;
    }
    double tread[3] = {foot[0] + 0.5 * going, foot[1] + 0.03125, foot[2] + 0.5 * up};
    part_repeat(part_bar(plant, SECTION_PLATE, tread, 1, 0.8125, 0.25, 0.03125, 0.0), steps, 0,
                going)
        ->step[2] = up;
}

static void landing(generator_plant *plant, const double low[3], const double high[3])
{
    plant_start(plant, KIND_GRATING);
    part_box(plant, low, high);
    for (int i = 0; i < 2; ++i) {
        double from[3] = {low[0], i == 0 ? low[1] + 0.0625 : high[1] - 0.0625, low[2] - 0.125};
        part_bar(plant, SECTION_U, from, 0, high[0] - low[0], 0.125, 0.25, 0.015625);
    }
}

void plant_stairs(generator_plant *plant, const double at[3])
{
    double x = at[0] - 0.9375, y = at[1] + 2.0;
    const double first[3] = {x, y, at[2]}, second[3] = {x - 3.0, y + 1.125, at[2] + 2.5};
    flight(plant, first, -3.0, 2.5);
    flight(plant, second, 3.0, 2.5);
    const double low[3] = {x - 4.25, y, at[2] + 2.5}, high[3] = {x - 3.0, y + 2.0, at[2] + 2.53125};
    landing(plant, low, high);
    const double low_top[3] = {x, y, at[2] + 5.0},
                 high_top[3] = {at[0] - 0.1875, y + 2.0, at[2] + 5.03125};
    landing(plant, low_top, high_top);
    for (int i = 0; i < 4; ++i) {
        plant_start(plant, KIND_COLUMN);
        double foot[3] = {i % 2 == 0 ? x - 4.375 : x - 3.0, i / 2 == 0 ? y - 0.1875 : y + 2.1875,
                          at[2]};
        part_bar(plant, SECTION_I, foot, 2, 5.0, 0.1875, 0.1875, 0.015625);
    }
}
