// One bay of one floor of the building: six metres by six, five metres high. See plant_build.h.
//
// Across a bay, from its outer side inwards: equipment from 0 to 2 metres with a rack of pipes
// above it, an aisle with cable trays and a duct to 4, equipment and pipes again to 6. Up a floor,
// from its own level: equipment and walkways, trays at 2.75, pipes along the building at 3.25,
// pipes across it at 3.94, ducts from 4.125, beams from 4.625 to 5. So nothing meets anything by
// chance.
#include <string.h>

#include "plant_build.h"
#include "shapes_math.h"

#define BAY    6.0
#define HEIGHT 5.0
#define HALF   0.15625 // of a column
#define WEB    0.015625

double place_y(const plant_place *place, double inwards)
{
    return place->y + place->side * inwards;
}

double place_chance(const plant_place *place, uint64_t what)
{
    return shape_unit(place->key, what);
}

static uint64_t pick(const plant_place *place, uint64_t what, uint64_t count)
{
    return shape_hash(place->key, what) % count;
}

// A box from one distance inwards to another.
static void box_between(generator_plant *plant, const plant_place *place, const double x[2],
                        const double inwards[2], const double z[2])
{
    double a = place_y(place, inwards[0]), b = place_y(place, inwards[1]);
    double low[3] = {place->x + x[0], a < b ? a : b, place->z + z[0]};
    double high[3] = {place->x + x[1], a < b ? b : a, place->z + z[1]};
    part_box(plant, low, high);
}

// A bar across the building. `middle` is the height of its middle.
static void bar_across(generator_plant *plant, const plant_place *place, piece_section section,
                       double x, const double inwards[2], double middle, const double size[3])
{
    double a = place_y(place, inwards[0]), b = place_y(place, inwards[1]);
    double from[3] = {place->x + x, a < b ? a : b, place->z + middle};
    part_bar(plant, section, from, 1, a < b ? b - a : a - b, size[0], size[1], size[2]);
}

// --- Steel: columns, girders between them, beams between girders

static uint64_t column(generator_plant *plant, const plant_place *place, double x, double inwards)
{
    uint64_t object = plant_start(plant, KIND_COLUMN);
    double foot[3] = {place->x + x, place_y(place, inwards), place->z};
    part_bar(plant, SECTION_I, foot, 2, HEIGHT, 2 * HALF, 2 * HALF, WEB);
    if (place->floor == 0) { // a foot plate that rests on the slab
        const double xs[2] = {x - 0.25, x + 0.25}, zs[2] = {0.0, 0.03125};
        const double ys[2] = {inwards - 0.25, inwards + 0.25};
        box_between(plant, place, xs, ys, zs);
    }
    return object;
}

static void girder_along(generator_plant *plant, const plant_place *place, double inwards)
{
    plant_start(plant, KIND_GIRDER);
    double from[3] = {place->x + HALF, place_y(place, inwards), place->z + HEIGHT - 0.1875};
    part_bar(plant, SECTION_I, from, 0, BAY - 2 * HALF, 0.1875, 0.375, WEB);
}

// Reaches from web to web of the columns, and carries the ends of the beams.
static uint64_t girder_across(generator_plant *plant, const plant_place *place, double x)
{
    uint64_t object = plant_start(plant, KIND_GIRDER);
    const double ys[2] = {0.5 * WEB, BAY - 0.5 * WEB}, size[3] = {0.1875, 0.375, WEB};
    bar_across(plant, place, SECTION_I, x, ys, HEIGHT - 0.1875, size);
    return object;
}

void plant_steel(generator_plant *plant, const plant_place *place, uint64_t *girder,
                 uint64_t *first)
{
    if (place->floor == 0) {
        plant_start(plant, KIND_SLAB);
        const double xs[2] = {place->bay == 0 ? -6.0 : 0.0, BAY};
        const double ys[2] = {-4.0, BAY}, zs[2] = {-0.25, 0.0};
        box_between(plant, place, xs, ys, zs);
    }
    *first = column(plant, place, 0.0, 0.0);
    if (place->even)
        column(plant, place, 0.0, BAY);
    if (place->last) {
        column(plant, place, BAY, 0.0);
        if (place->even)
            column(plant, place, BAY, BAY);
    }
    *girder = girder_across(plant, place, 0.0);
    if (place->last)
        girder_across(plant, place, BAY);
    girder_along(plant, place, 0.0);
    if (place->even)
        girder_along(plant, place, BAY);
    for (int i = 0; i < 2; ++i) {
        plant_start(plant, KIND_BEAM);
        double from[3] = {place->x + 0.09375, place_y(place, i == 0 ? 2.0 : 4.0),
                          place->z + HEIGHT - 0.125};
        part_bar(plant, SECTION_I, from, 0, BAY - 0.1875, 0.125, 0.25, 0.5 * WEB);
    }
}

// --- Access: what one walks on, upon the steel

// Bars on edge along x, thin ones across.
static void grating(generator_plant *plant, const plant_place *place, double x)
{
    plant_start(plant, KIND_GRATING);
    uint32_t bars = plant->coarse ? 5 : 53, ties = plant->coarse ? 3 : 25;
    double a = place_y(place, 1.96875), b = place_y(place, 4.03125), low = a < b ? a : b;
    double from[3] = {place->x + x, low + 0.00390625, place->z + HEIGHT + 0.015625};
    double pitch = (2.0625 - 0.0078125) / (double)(bars - 1);
    part_repeat(part_bar(plant, SECTION_PLATE, from, 0, 2.875, 0.0078125, 0.03125, 0.0), bars, 1,
                pitch);
    double tie[3] = {place->x + x + 0.0625, low, place->z + HEIGHT + 0.0234375};
    part_repeat(part_bar(plant, SECTION_PLATE, tie, 1, 2.0625, 0.0078125, 0.0078125, 0.0), ties, 0,
                2.75 / (double)(ties - 1));
}

// Posts that stand on the grating, two rails and a plate at the foot.
static void handrail(generator_plant *plant, const plant_place *place, double inwards)
{
    plant_start(plant, KIND_HANDRAIL);
    double radius = 0.0234375, top = place->z + HEIGHT + 0.03125;
    double post[3] = {place->x + 0.25, place_y(place, inwards), top};
    part_repeat(part_rod(plant, 0.75 * radius, post, 2, 1.0625), 5, 0, 1.375);
    double rail[3] = {place->x + 0.1875, post[1], top + 0.53125};
    part_rod(plant, radius * 0.75, rail, 0, 5.625);
    const double path[] = {rail[0],      rail[1],         top + 0.25,      rail[0],
                           rail[1],      top + 1.0625,    rail[0] + 5.625, rail[1],
                           top + 1.0625, rail[0] + 5.625, rail[1],         top + 0.25};
    part_tube(plant, radius, 0.125, path, 4);
    double plate[3] = {place->x + 0.1875, post[1], top + 0.0625};
    part_bar(plant, SECTION_PLATE, plate, 0, 5.625, 0.0078125, 0.125, 0.0);
}

static void deck(generator_plant *plant, const plant_place *place, double from, double to)
{
    plant_start(plant, KIND_DECK);
    const double xs[2] = {0.1875, BAY - 0.1875}, ys[2] = {from, to};
    const double zs[2] = {HEIGHT, HEIGHT + 0.0625};
    box_between(plant, place, xs, ys, zs);
}

void plant_access(generator_plant *plant, const plant_place *place)
{
    deck(plant, place, 0.0, 1.953125);
    deck(plant, place, 4.046875, 5.9375);
    grating(plant, place, 0.0625);
    grating(plant, place, 3.0625);
    handrail(plant, place, 2.0);
    handrail(plant, place, 4.0);
}

// --- One side: equipment, and the pipe that leaves it for the rack

typedef struct side_plan {
    int side;
    double slot;   // how far inwards the pipe is
    double middle; // and the equipment
    double floor;  // what it stands on
    double nozzle; // height of the nozzle's face
    double radius; // of the pipe
    double x;      // of nozzle and pipe
    uint64_t equipment;
} side_plan;

static double slot_at(int side, uint64_t slot)
{
    return (side == 0 ? 0.5625 : 4.5) + 0.3125 * (double)slot;
}

// From where it leaves the body up to its face.
static void nozzle(generator_plant *plant, const plant_place *place, const side_plan *s,
                   double from)
{
    double at[3] = {place->x + s->x, place_y(place, s->slot), place->z + from};
    part_rod(plant, s->radius, at, 2, s->nozzle - from);
    at[2] = place->z + s->nozzle - 0.03125;
    part_flange(plant, at, 2, s->radius, 0.03125);
}

// An upright vessel on four legs, with something inside now and then.
static void vessel(generator_plant *plant, const plant_place *place, side_plan *s)
{
    s->equipment = plant_start(plant, KIND_VESSEL);
    double y = place_y(place, s->middle), radius = 0.5625;
    s->nozzle = s->floor + 2.25;
    double foot[3] = {place->x + s->x, y, place->z + s->floor + 0.5};
    part_vessel(plant, foot, 2, radius, 1.25, 0.25);
    for (int i = 0; i < 4; ++i) {
        double leg[3] = {foot[0] + (i % 2 == 0 ? -0.375 : 0.375), y + (i / 2 == 0 ? -0.375 : 0.375),
                         place->z + s->floor};
        part_bar(plant, SECTION_L, leg, 2, 0.5625, 0.078125, 0.078125, 0.0078125);
    }
    const double band[] = {
        0.0,    0.0,    radius, 0.0,   radius + 0.03125, 0.0, radius + 0.03125, 0.0625,
        radius, 0.0625, 0.0,    0.0625};
    double ring[3] = {foot[0], y, foot[2] + 0.25};
    part_turned(plant, ring, 2, false, band, 6);
    nozzle(plant, place, s, s->floor + 1.75);
    if (place_chance(place, 20 + (uint64_t)s->side) < 0.4) {
        uint64_t inner = plant_start(plant, KIND_INTERNAL);
        double r = 0.03125;
        const double coil[] = {foot[0] - 0.25,  y - 0.25,        foot[2] + 0.375, foot[0] + 0.25,
                               y - 0.25,        foot[2] + 0.375, foot[0] + 0.25,  y + 0.25,
                               foot[2] + 0.375, foot[0] - 0.25,  y + 0.25,        foot[2] + 0.375,
                               foot[0] - 0.25,  y + 0.25,        foot[2] + 0.875};
        part_tube(plant, r, 0.125, coil, 5);
        plant_note(plant, SCENE_CONTAINED, inner, s->equipment);
    }
}

// A lying one on saddles; an exchanger has heads with flanges.
static void lying_vessel(generator_plant *plant, const plant_place *place, side_plan *s,
                         bool exchanger)
{
    s->equipment = plant_start(plant, exchanger ? KIND_EXCHANGER : KIND_VESSEL);
    double y = place_y(place, s->middle), radius = exchanger ? 0.4375 : 0.546875;
    double height = s->floor + 0.25 + radius;
    s->nozzle = s->floor + 1.75;
    double from[3] = {place->x + s->x - 0.75, y, place->z + height};
    part_vessel(plant, from, 0, radius, 2.5, exchanger ? 0.1875 : 0.28125);
    for (int i = 0; i < 2; ++i) {
        const double x = s->x - 0.375 + (i == 0 ? 0.0 : 1.625);
        const double xs[2] = {x, x + 0.125}, zs[2] = {s->floor, s->floor + 0.5};
        const double ys[2] = {s->middle - 0.375, s->middle + 0.375};
        box_between(plant, place, xs, ys, zs);
        double at[3] = {from[0] + (i == 0 ? 0.25 : 2.1875), y, from[2]};
        if (exchanger)
            part_flange(plant, at, 0, 0.875 * radius, 0.0625);
    }
    nozzle(plant, place, s, height + 0.25 * radius);
}

// Motor and pump on a frame.
static void pump(generator_plant *plant, const plant_place *place, side_plan *s)
{
    s->equipment = plant_start(plant, KIND_PUMP);
    double y = place_y(place, s->slot);
    const double xs[2] = {s->x - 0.375, s->x + 1.375}, zs[2] = {s->floor, s->floor + 0.1875};
    const double ys[2] = {s->slot - 0.28125, s->slot + 0.28125};
    box_between(plant, place, xs, ys, zs);
    s->nozzle = s->floor + 1.125;
    const double casing[] = {0.0,     -0.1875, 0.15625, -0.1875, 0.28125, -0.09375, 0.3125, 0.0,
                             0.28125, 0.09375, 0.125,   0.1875,  0.09375, 0.375,    0.0,    0.375};
    double at[3] = {place->x + s->x, y, place->z + s->floor + 0.5};
    part_turned(plant, at, 0, false, casing, 8);
    const double motor[] = {0.0,     0.0,     0.0625,  0.0,     0.0625, 0.125,
                            0.21875, 0.15625, 0.25,    0.21875, 0.25,   0.6875,
                            0.21875, 0.75,    0.15625, 0.875,   0.0,    0.875};
    at[0] += 0.375;
    part_turned(plant, at, 0, false, motor, 9);
    double fin[3] = {at[0] + 0.28125, y, at[2]};
    for (int i = 0; i < 6; ++i, fin[0] += 0.0625)
        part_ring(plant, fin, 0, 0.25, 0.015625);
    const double stand[2] = {s->x + 0.625, s->x + 1.0},
                 up[2] = {s->floor + 0.1875, s->floor + 0.375};
    const double wide[2] = {s->slot - 0.15625, s->slot + 0.15625};
    box_between(plant, place, stand, wide, up);
    nozzle(plant, place, s, s->floor + 0.625);
}

// A row of cabinets with doors and handles; no pipe leaves them.
static void cabinet(generator_plant *plant, const plant_place *place, side_plan *s)
{
    s->equipment = plant_start(plant, KIND_CABINET);
    double aisle = s->side == 0 ? 1.0 : -1.0; // towards the aisle
    for (int i = 0; i < 4; ++i) {
        double x = 1.0 + 0.8125 * (double)i, front = s->middle + 0.3125 * aisle;
        const double xs[2] = {x, x + 0.78125}, ys[2] = {s->middle - 0.3125, s->middle + 0.3125};
        const double zs[2] = {s->floor, s->floor + 2.125};
        box_between(plant, place, xs, ys, zs);
        const double door[2] = {x + 0.03125, x + 0.75};
        const double sheet[2] = {aisle > 0 ? front : front - 0.015625,
                                 aisle > 0 ? front + 0.015625 : front};
        const double tall[2] = {s->floor + 0.125, s->floor + 2.0625};
        box_between(plant, place, door, sheet, tall);
        double handle[3] = {place->x + x + 0.6875, place_y(place, front + 0.046875 * aisle),
                            place->z + s->floor + 1.0};
        part_rod(plant, 0.0078125, handle, 2, 0.1875);
    }
    s->nozzle = 0.0;
}

// Between the equipment and its pipe: a flange, a valve with its wheel, a flange.
static double valve(generator_plant *plant, const plant_place *place, const side_plan *s)
{
    double r = s->radius, y = place_y(place, s->slot), z = place->z + s->nozzle;
    double at[3] = {place->x + s->x, y, z};
    plant_start(plant, KIND_FLANGE);
    part_flange(plant, at, 2, r, 0.03125);
    plant_start(plant, KIND_VALVE);
    const double body[] = {0.0,   0.0,      r,      0.0,      r,    0.0625,  1.5 * r,
                           0.125, 1.75 * r, 0.1875, 1.75 * r, 0.25, 1.5 * r, 0.3125,
                           r,     0.375,    r,      0.4375,   0.0,  0.4375};
    at[2] = z + 0.03125;
    part_turned(plant, at, 2, false, body, 10);
    const double bonnet[] = {0.0,      0.0,     0.8 * r,  0.0,     0.8 * r,  1.5 * r,
                             1.25 * r, 1.5 * r, 1.25 * r, 2.0 * r, 0.25 * r, 2.0 * r,
                             0.25 * r, 4.5 * r, 0.0,      4.5 * r};
    at[2] = z + 0.25;
    part_turned(plant, at, 0, false, bonnet, 8);
    at[0] += 4.25 * r;
    part_ring(plant, at, 0, 1.75 * r, 0.2 * r);
    for (int axis = 1; axis < 3; ++axis) { // spokes
        double spoke[3] = {at[0], at[1], at[2]};
        spoke[axis] -= 1.75 * r;
        part_rod(plant, 0.125 * r, spoke, axis, 3.5 * r);
    }
    at[0] = place->x + s->x;
    at[2] = z + 0.46875;
    plant_start(plant, KIND_FLANGE);
    part_flange(plant, at, 2, r, 0.03125);
    return s->nozzle + 0.5;
}

// The hangers of the rack, on which pipes lie upon shoes.
#define RACK_TOP  3.125
#define RACK_PIPE 3.25 // the lowest line of every pipe
static const double rack_at[2] = {1.5, 4.5};

static void hangers(generator_plant *plant, const plant_place *place, int side)
{
    double first = side == 0 ? 0.25 : 4.1875;
    for (int i = 0; i < 2; ++i) {
        plant_start(plant, KIND_HANGER);
        const double ys[2] = {first - 0.0625, first + 1.625}, size[3] = {0.125, 0.125, 0.0078125};
        bar_across(plant, place, SECTION_I, rack_at[i], ys, RACK_TOP - 0.0625, size);
        for (int rod = 0; rod < 2; ++rod) {
            double from[3] = {place->x + rack_at[i],
                              place_y(place, first + (rod == 0 ? 0.0 : 1.5625)),
                              place->z + RACK_TOP};
            part_rod(plant, 0.0078125, from, 2, HEIGHT - RACK_TOP);
        }
    }
}

static void shoes(generator_plant *plant, const plant_place *place, const side_plan *s, double end)
{
    for (uint64_t bay = 0; (double)bay * BAY < end; ++bay)
        for (int i = 0; i < 2; ++i) {
            double x = (double)bay * BAY + rack_at[i];
            if (x < s->x + 0.375 || x > end - 0.375)
                continue;
            plant_start(plant, KIND_SHOE);
            const double xs[2] = {x - 0.125, x + 0.125}, zs[2] = {RACK_TOP, RACK_PIPE};
            const double ys[2] = {s->slot - 0.015625, s->slot + 0.015625};
            box_between(plant, place, xs, ys, zs);
            const double wide[2] = {s->slot - 0.0546875, s->slot + 0.0546875};
            const double sole[2] = {RACK_TOP, RACK_TOP + 0.015625};
            box_between(plant, place, xs, wide, sole);
        }
}

// How far along x the pipe goes, and whether it leaves the building there.
static double run_length(const plant_place *place, const side_plan *s, uint64_t *bays, bool *leaves)
{
    uint64_t slot = place->bay % PLANT_SLOTS,
             left = place->bay + 1 < place->bays ? place->bays - 1 - place->bay : 0;
    *bays = pick(place, 30 + (uint64_t)s->side, PLANT_SLOTS - 1); // further ones
    if (*bays > left)
        *bays = left;
    *leaves = s->side == 0 || *bays > 0;
    double last = (double)*bays * BAY;
    if (s->side == 0)
        return last + 4.875 + 0.28125 * (double)slot;
    if (!*leaves)
        return last + 5.0;
    *bays -= 1; // it turns before the middle of the bay
    return last + 0.3125 + 0.28125 * (double)slot;
}

// From the valve up, along the rack, up again, out of the building, and down to the ground.
static void pipe_run(generator_plant *plant, const plant_place *place, const side_plan *s,
                     double start, plant_run *run)
{
    uint64_t bays = 0;
    bool leaves = false;
    double end = run_length(place, s, &bays, &leaves), r = s->radius;
    double x = place->x + s->x, y = place_y(place, s->slot), z = place->z + RACK_PIPE + r;
    double out = place_y(place, -0.5625 - 0.3125 * (double)place->floor);
    double over = place->z + 3.9375, far = place->x + end;
    const double path[] = {
        x,   y,   place->z + start, x, y, z, far, y, z, far, y, over, far, out, over,
        far, out, 0.28125};
    uint64_t pipe = plant_start(plant, KIND_PIPE);
    part_tube(plant, r, 2.5 * r, path, leaves ? 6 : 3);
    *run = (plant_run){.pipe = pipe,
                       .first_bay = place->bay,
                       .last_bay = place->bay + bays,
                       .top = RACK_PIPE + 2.0 * r};
    shoes(plant, place, s, end);
    plant_start(plant, KIND_FLANGE); // a blind one, or one upon a block of concrete
    double foot[3] = {far, leaves ? out : y, leaves ? 0.25 : z};
    part_flange(plant, foot, leaves ? 2 : 0, r, 0.03125);
    if (leaves) {
        plant_start(plant, KIND_SLAB);
        double low[3] = {far - 0.1328125, out - 0.1484375, 0.0};
        double high[3] = {far + 0.1328125, out + 0.1484375, 0.2421875};
        part_box(plant, low, high);
    }
}

// A conduit across the pipes of the rack, a little above the highest of them, or not quite above.
static void conduit(generator_plant *plant, const plant_place *place, int side,
                    const plant_run *runs)
{
    static const double gaps[] = {-0.0234375,  -0.0078125, -0.0009765625, 0.0,
                                  0.001953125, 0.0078125,  0.015625,      0.03125};
    double top = 0.0, gap = gaps[pick(place, 40 + (uint64_t)side, 8)], radius = 0.015625;
    for (uint64_t i = 0; i < PLANT_SLOTS; ++i)
        if (runs[i].first_bay <= place->bay && place->bay <= runs[i].last_bay && runs[i].top > top)
            top = runs[i].top;
    if (top == 0.0)
        return;
    uint64_t object = plant_start(plant, KIND_CONDUIT);
    double a = place_y(place, side == 0 ? 0.375 : 4.3125),
           b = place_y(place, side == 0 ? 1.6875 : 5.625);
    double from[3] = {place->x + 3.0, a < b ? a : b, place->z + top + gap + radius};
    part_rod(plant, radius, from, 1, a < b ? b - a : a - b);
    for (uint64_t i = 0; i < PLANT_SLOTS; ++i)
        if (runs[i].first_bay <= place->bay && place->bay <= runs[i].last_bay &&
            gap + top - runs[i].top < 0.05)
            plant_note_gap(plant, object, runs[i].pipe, 2, gap + (top - runs[i].top));
}

void plant_side(generator_plant *plant, const plant_place *place, int side, plant_run *runs)
{
    static const double radii[] = {0.046875, 0.0625, 0.078125, 0.09375};
    uint64_t slot = place->bay % PLANT_SLOTS, kind = pick(place, 10 + (uint64_t)side, 9);
    side_plan s = {.side = side,
                   .slot = slot_at(side, slot),
                   .middle = side == 0 ? 1.03125 : 4.96875,
                   .floor = place->floor == 0 ? 0.0 : 0.0625,
                   .radius = radii[pick(place, 14 + (uint64_t)side, 4)],
                   .x = 2.0};
    hangers(plant, place, side);
    if (kind < 3)
        vessel(plant, place, &s);
    else if (kind < 6)
        lying_vessel(plant, place, &s, kind == 5);
    else if (kind < 8)
        pump(plant, place, &s);
    else
        cabinet(plant, place, &s);
    if (s.nozzle > 0.0)
        pipe_run(plant, place, &s, valve(plant, place, &s), &runs[slot]);
    if (place_chance(place, 44 + (uint64_t)side) < 0.5)
        conduit(plant, place, side, runs);
}

// --- What hangs in the aisle: tray, duct, and boxes on columns

static uint64_t tray(generator_plant *plant, const plant_place *place)
{
    uint64_t object = plant_start(plant, KIND_TRAY);
    double y = place_y(place, 2.5), bottom = place->z + 2.75;
    for (int i = 0; i < 2; ++i) {
        double from[3] = {place->x, y + (i == 0 ? -0.203125 : 0.203125), bottom + 0.0546875};
        part_bar(plant, SECTION_PLATE, from, 0, BAY, 0.0078125, 0.109375, 0.0);
    }
    uint32_t rungs = plant->coarse ? 6 : 24;
    double rung[3] = {place->x + 0.125, y - 0.203125, bottom + 0.015625};
    plant_piece *bar = part_bar(plant, SECTION_U, rung, 1, 0.40625, 0.03125, 0.03125, 0.00390625);
    part_repeat(bar, rungs, 0, (BAY - 0.25) / (double)(rungs - 1));
    for (uint64_t i = 0; i < 3; ++i) { // cables
        double radius = 0.0078125 * (double)(1 + pick(place, 50 + i, 3));
        double from[3] = {place->x, y - 0.125 + 0.125 * (double)i, bottom + 0.03125 + radius};
        part_rod(plant, radius, from, 0, BAY);
    }
    return object;
}

// Hangs from a beam and reaches below the tray.
static void bracket(generator_plant *plant, const plant_place *place, double x)
{
    plant_start(plant, KIND_BRACKET);
    double from[3] = {place->x + x, place_y(place, 2.0), place->z + 2.6875};
    part_bar(plant, SECTION_PLATE, from, 2, HEIGHT - 0.25 - 2.6875, 0.046875, 0.046875, 0.0);
    const double ys[2] = {2.0, 2.75}, size[3] = {0.046875, 0.0625, 0.0};
    bar_across(plant, place, SECTION_PLATE, x, ys, 2.71875, size);
}

// Hangs below the girder across: with room, with little, or in it.
static void duct(generator_plant *plant, const plant_place *place, uint64_t girder)
{
    static const double gaps[] = {0.125,     0.125,      0.125,    0.03125,
                                  0.0078125, -0.0078125, -0.03125, 0.0};
    double gap = gaps[pick(place, 60, 8)], top = HEIGHT - 0.375 - gap;
    uint64_t object = plant_start(plant, KIND_DUCT);
    const double xs[2] = {-0.5, 5.5}, ys[2] = {2.375, 3.625}, zs[2] = {top - 0.375, top};
    box_between(plant, place, xs, ys, zs);
    for (int i = 0; i < 3; ++i) { // stiffeners, below and beside
        double x = 0.75 + 1.75 * (double)i;
        const double at[2] = {x, x + 0.046875}, wide[2] = {2.34375, 3.65625};
        const double tall[2] = {top - 0.40625, top - 0.03125};
        box_between(plant, place, at, wide, tall);
    }
    if (gap < 0.1)
        plant_note_gap(plant, object, girder, 5, gap);
    plant_start(plant, KIND_DUCT); // an outlet
    const double outlet[2] = {2.9375, 3.4375}, square[2] = {2.75, 3.25};
    const double low[2] = {top - 0.5625, top - 0.375};
    box_between(plant, place, outlet, square, low);
}

// On the column's face: it touches, is a little off, or sits in the steel; or it is there twice.
static void junction_box(generator_plant *plant, const plant_place *place, uint64_t of)
{
    static const double gaps[] = {0.0, 0.0, 0.00390625, 0.015625, -0.0078125, 0.0};
    uint64_t which = pick(place, 70, 6);
    double x = HALF + gaps[which], height = 1.25 + 0.25 * (double)pick(place, 71, 3);
    const double xs[2] = {x, x + 0.15625}, ys[2] = {-0.125, 0.125},
                 zs[2] = {height, height + 0.375};
    uint64_t object = plant_start(plant, KIND_BOX);
    box_between(plant, place, xs, ys, zs);
    plant_note_gap(plant, object, of, 0, gaps[which]);
    if (which != 5)
        return;
    uint64_t again = plant_start(plant, KIND_BOX);
    box_between(plant, place, xs, ys, zs);
    plant_note(plant, SCENE_DUPLICATE, again, object);
}

void plant_services(generator_plant *plant, const plant_place *place, uint64_t girder, uint64_t of)
{
    tray(plant, place);
    bracket(plant, place, 1.0);
    bracket(plant, place, 4.0);
    duct(plant, place, girder);
    junction_box(plant, place, of);
}
