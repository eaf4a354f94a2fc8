// The plant as a whole: its objects, how fine they are, and its stream. See plant.h.
#include "plant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gather.h"
#include "plant_build.h"
#include "shapes_math.h"

#define BATCH         2048u
#define COARSE        600u // triangles for each object, below which there is less of everything
#define FEWEST        60u  // objects where their number was left open, if triangles allow
#define MOST          1200u
#define EXACT_TO_HERE 16384.0 // metres: a float holds multiples of 1/1024 below

// --- Objects

static const struct {
    const char *name, *group;
} kinds[KIND_COUNT] = {
    [KIND_SLAB] = {"SLAB", "civil"},
    [KIND_COLUMN] = {"COLUMN", "steel"},
    [KIND_GIRDER] = {"GIRDER", "steel"},
    [KIND_BEAM] = {"BEAM", "steel"},
    [KIND_DECK] = {"DECK", "access"},
    [KIND_GRATING] = {"GRATING", "access"},
    [KIND_HANDRAIL] = {"HANDRAIL", "access"},
    [KIND_STAIR] = {"STAIR", "access"},
    [KIND_PIPE] = {"PIPE", "piping"},
    [KIND_FLANGE] = {"FLANGE", "piping"},
    [KIND_VALVE] = {"VALVE", "piping"},
    [KIND_SHOE] = {"SHOE", "piping"},
    [KIND_HANGER] = {"HANGER", "piping"},
    [KIND_VESSEL] = {"VESSEL", "equipment"},
    [KIND_EXCHANGER] = {"EXCHANGER", "equipment"},
    [KIND_PUMP] = {"PUMP", "equipment"},
    [KIND_CABINET] = {"CABINET", "electrical"},
    [KIND_INTERNAL] = {"COIL", "equipment"},
    [KIND_TRAY] = {"TRAY", "electrical"},
    [KIND_BRACKET] = {"BRACKET", "electrical"},
    [KIND_CONDUIT] = {"CONDUIT", "electrical"},
    [KIND_BOX] = {"BOX", "electrical"},
    [KIND_DUCT] = {"DUCT", "ventilation"},
    [KIND_TANK] = {"TANK", "equipment"},
    [KIND_CHIMNEY] = {"CHIMNEY", "civil"},
    [KIND_WALL] = {"WALL", "equipment"},
};

// Room for one more item of a list.
static bool make_room(generator_plant *plant, void *list, uint64_t *room, uint64_t needed,
                      size_t size)
{
    void *items = NULL;
    memcpy(&items, list, sizeof items);
    if (needed <= *room)
        return true;
    uint64_t wider = *room < 64 ? 128 : 2 * *room;
    while (wider < needed)
        wider *= 2;
    items = wider > SIZE_MAX / 2 / size ? NULL : realloc(items, (size_t)wider * size);
    if (items == NULL) {
        plant->failed = true;
        return false;
    }
    memcpy(list, &items, sizeof items);
    *room = wider;
    return true;
}

uint64_t plant_start(generator_plant *plant, plant_kind kind)
{
    plant->open = false;
    if (plant->failed || plant->object_count == plant->object_limit ||
        !make_room(plant, &plant->objects, &plant->object_room, plant->object_count + 1,
                   sizeof *plant->objects))
        return PLANT_NONE;
    plant->objects[plant->object_count] = (plant_object){.kind = kind,
                                                         .number = ++plant->kind_count[kind],
                                                         .row = plant->row,
                                                         .floor = plant->floor,
                                                         .first_piece = plant->piece_count};
    plant->open = true;
    return plant->object_count++;
}

plant_piece *plant_add(generator_plant *plant, piece_kind kind)
{
    plant_piece *piece = &plant->spare;
    if (plant->open && !plant->failed &&
        make_room(plant, &plant->pieces, &plant->piece_room, plant->piece_count + 1,
                  sizeof *plant->pieces)) {
        piece = &plant->pieces[plant->piece_count++];
        ++plant->objects[plant->object_count - 1].piece_count;
    }
    *piece =
        (plant_piece){.kind = kind, .u = {1, 0, 0}, .v = {0, 1, 0}, .w = {0, 0, 1}, .copies = 1};
    return piece;
}

void plant_give_numbers(generator_plant *plant, plant_piece *piece, const double *numbers,
                        uint32_t count)
{
    if (piece == &plant->spare)
        return;
    if (!make_room(plant, &plant->numbers, &plant->number_room, plant->number_count + count,
                   sizeof *plant->numbers) ||
        plant->number_count > UINT32_MAX - count) {
        plant->failed = true;
        return;
    }
    memcpy(&plant->numbers[plant->number_count], numbers, count * sizeof *numbers);
    piece->first_number = (uint32_t)plant->number_count;
    piece->number_count = count;
    plant->number_count += count;
}

// --- What was planted

static void add_planted(generator_plant *plant, const generator_planted *planted)
{
    if (planted->a == PLANT_NONE || planted->b == PLANT_NONE || plant->failed ||
        !make_room(plant, &plant->planted, &plant->planted_room, plant->planted_count + 1,
                   sizeof *plant->planted))
        return;
    plant->planted[plant->planted_count++] = *planted;
}

void plant_note(generator_plant *plant, generator_relation relation, uint64_t a, uint64_t b)
{
    add_planted(plant, &(generator_planted){.relation = relation, .a = a, .b = b});
}

void plant_note_gap(generator_plant *plant, uint64_t a, uint64_t b, uint32_t direction, double gap)
{
    add_planted(plant, &(generator_planted){.relation = gap > 0.0   ? GENERATOR_CLEARANCE
                                                        : gap < 0.0 ? GENERATOR_CLASH
                                                                    : GENERATOR_TOUCH,
                                            .a = a,
                                            .b = b,
                                            .direction = direction,
                                            .amount = fabs(gap)});
}

const char *generator_relation_name(generator_relation relation)
{
    static const char *const names[] = {"clash", "touch", "clearance", "contained", "duplicate"};
    return names[relation];
}

uint64_t generator_plant_planted_count(const generator_plant *plant)
{
    return plant->planted_count;
}

// In other units than metres coordinates are rounded, each by half a unit in the last place.
generator_planted generator_plant_planted(const generator_plant *plant, uint64_t index)
{
    generator_planted planted = plant->planted[index];
    bool exact = plant->unit == 1.0 && plant->reach < EXACT_TO_HERE;
    planted.amount /= plant->unit;
    if (!exact)
        planted.accuracy =
            plant->reach / plant->unit * (plant->precision == GRAZE_FLOAT64 ? 0x1p-51 : 0x1p-22);
    return planted;
}

// --- How fine it is

static void count_up(const generator_plant *plant, piece_density density, uint64_t *vertices,
                     uint64_t *triangles)
{
    *vertices = *triangles = 0;
    for (uint64_t i = 0; i < plant->piece_count; ++i) {
        shape_loft loft = piece_loft(&plant->pieces[i], density);
        *vertices += plant->pieces[i].copies * loft_vertex_count(&loft);
        *triangles += plant->pieces[i].copies * loft_triangle_count(&loft);
    }
}

// The density that comes nearest to the wish: counts grow with it.
static void choose_density(generator_plant *plant, uint64_t wish)
{
    piece_density low = 0, high = PIECE_DENSITY_MOST;
    uint64_t vertices = 0, below = 0, above = 0;
    while (high - low > 1) {
        piece_density middle = low + (high - low) / 2;
        count_up(plant, middle, &vertices, &above);
        *(above <= wish ? &low : &high) = middle;
    }
    count_up(plant, low, &vertices, &below);
    count_up(plant, high, &vertices, &above);
    plant->density = below >= wish || wish - below <= above - wish ? low : high;
    count_up(plant, plant->density, &plant->vertex_count, &plant->triangle_count);
}

static void measure_reach(generator_plant *plant)
{
    for (uint64_t i = 0; i < plant->piece_count; ++i)
        for (int axis = 0; axis < 3; ++axis)
            if (fabs(plant->pieces[i].origin[axis]) + 64.0 > plant->reach)
                plant->reach = fabs(plant->pieces[i].origin[axis]) + 64.0;
    for (uint64_t i = 0; i < plant->number_count; ++i)
        if (fabs(plant->numbers[i]) + 64.0 > plant->reach)
            plant->reach = fabs(plant->numbers[i]) + 64.0;
}

// --- The stream

typedef struct plant_stream {
    const generator_plant *plant;
    const graze_mesh_sink *sink;
    uint64_t waiting;
    float narrow[3 * BATCH];
    double positions[3 * BATCH];
    uint64_t corners[3 * BATCH];
} plant_stream;

static graze_status flush_vertices(plant_stream *s)
{
    bool wide = s->plant->precision == GRAZE_FLOAT64;
    for (uint64_t i = 0; i < 3 * s->waiting; ++i) {
        s->positions[i] = s->positions[i] / s->plant->unit + 0.0; // -0 becomes 0
        s->narrow[i] = (float)s->positions[i];
    }
    const void *positions = wide ? (const void *)s->positions : (const void *)s->narrow;
    graze_status status = GRAZE_OK;
    if (s->sink->vertices != NULL && s->waiting != 0)
        status = s->sink->vertices(s->sink->user, positions, s->waiting);
    s->waiting = 0;
    return status;
}

static graze_status flush_triangles(plant_stream *s)
{
    graze_status status = GRAZE_OK;
    if (s->sink->triangles != NULL && s->waiting != 0)
        status = s->sink->triangles(s->sink->user, s->corners, s->waiting);
    s->waiting = 0;
    return status;
}

// The points of one ring, or the one of a pole.
static graze_status send_ring(plant_stream *s, const plant_piece *piece, const shape_loft *loft,
                              uint64_t ring, uint64_t copy)
{
    graze_status status = GRAZE_OK;
    bool pole = loft->end == LOFT_POLES && (ring == 0 || ring == loft->rings + 1);
    piece_ring at;
    piece_ring_at(piece, s->plant->numbers, loft, ring, copy, &at);
    for (uint64_t i = 0; i < (pole ? 1 : loft->points) && status == GRAZE_OK; ++i) {
        double p[2] = {0.0, 0.0};
        if (!pole)
            piece_point(piece, loft, i, p);
        if (s->waiting == BATCH)
            status = flush_vertices(s);
        double *out = &s->positions[3 * s->waiting++];
        for (int axis = 0; axis < 3; ++axis)
            out[axis] = at.centre[axis] + (p[0] * at.across[0][axis] + p[1] * at.across[1][axis]);
    }
    return status;
}

static graze_status send_vertices(plant_stream *s)
{
    graze_status status = GRAZE_OK;
    for (uint64_t i = 0; i < s->plant->piece_count; ++i) {
        const plant_piece *piece = &s->plant->pieces[i];
        shape_loft loft = piece_loft(piece, s->plant->density);
        uint64_t rings = loft.rings + (loft.end == LOFT_POLES ? 2 : 0);
        for (uint64_t copy = 0; copy < piece->copies; ++copy)
            for (uint64_t ring = 0; ring < rings && status == GRAZE_OK; ++ring)
                status = send_ring(s, piece, &loft, ring, copy);
    }
    return status == GRAZE_OK ? flush_vertices(s) : status;
}

static graze_status send_triangles(plant_stream *s)
{
    graze_status status = GRAZE_OK;
    uint64_t first = 0;
    for (uint64_t i = 0; i < s->plant->piece_count; ++i) {
        const plant_piece *piece = &s->plant->pieces[i];
        shape_loft loft = piece_loft(piece, s->plant->density);
        uint64_t triangles = loft_triangle_count(&loft);
        for (uint64_t copy = 0; copy < piece->copies; ++copy) {
            for (uint64_t t = 0; t < triangles && status == GRAZE_OK; ++t) {
                if (s->waiting == BATCH)
                    status = flush_triangles(s);
                uint64_t *corners = &s->corners[3 * s->waiting++];
                loft_triangle(&loft, t, corners);
                for (int corner = 0; corner < 3; ++corner)
                    corners[corner] += first;
            }
            first += loft_vertex_count(&loft);
        }
    }
    return status == GRAZE_OK ? flush_triangles(s) : status;
}

static graze_status send_objects(const generator_plant *plant, const graze_mesh_sink *sink)
{
    graze_status status = GRAZE_OK;
    char name[GENERATOR_PLANT_NAME], group[GENERATOR_PLANT_NAME];
    graze_object sent = {
        .name = name, .group = group, .matrix = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    for (uint64_t i = 0; i < plant->object_count && status == GRAZE_OK; ++i) {
        const plant_object *object = &plant->objects[i];
        generator_plant_name(plant, i, name, group);
        sent.first_triangle += sent.triangle_count;
        sent.triangle_count = 0;
        for (uint64_t p = object->first_piece; p < object->first_piece + object->piece_count; ++p) {
            shape_loft loft = piece_loft(&plant->pieces[p], plant->density);
            sent.triangle_count += plant->pieces[p].copies * loft_triangle_count(&loft);
        }
        if (sink->object != NULL)
            status = sink->object(sink->user, &sent);
    }
    return status;
}

graze_status generator_plant_stream(const generator_plant *plant, const graze_mesh_sink *sink)
{
    plant_stream *s = malloc(sizeof *s);
    if (s == NULL)
        return GRAZE_ERROR_MEMORY;
    s->plant = plant;
    s->sink = sink;
    s->waiting = 0;
    graze_mesh_header header = {
        .format = GRAZE_FORMAT_UNKNOWN,
        .precision = plant->precision,
        .metres_per_unit = plant->unit,
        .vertex_count_hint = plant->vertex_count,
        .triangle_count_hint = plant->triangle_count,
        .encoding = "made",
    };
    graze_mesh_losses losses = {0};
    graze_status status = GRAZE_OK;
    if (sink->begin != NULL)
        status = sink->begin(sink->user, &header);
    if (status == GRAZE_OK)
        status = send_vertices(s);
    if (status == GRAZE_OK)
        status = send_triangles(s);
    if (status == GRAZE_OK)
        status = send_objects(plant, sink);
    if (status == GRAZE_OK && sink->end != NULL)
        status = sink->end(sink->user, &losses);
    free(s);
    return status;
}

// --- Lifetime and looks

static graze_status stream_plant(const void *plant, const graze_mesh_sink *sink)
{
    return generator_plant_stream(plant, sink);
}

graze_status generator_plant_make(graze_context *context, const generator_plant *plant,
                                  graze_mesh **mesh)
{
    return generator_gather(context, stream_plant, plant, mesh);
}

uint64_t generator_plant_object_count(const generator_plant *plant) { return plant->object_count; }
uint64_t generator_plant_triangle_count(const generator_plant *plant)
{
    return plant->triangle_count;
}

void generator_plant_name(const generator_plant *plant, uint64_t object,
                          char name[GENERATOR_PLANT_NAME], char group[GENERATOR_PLANT_NAME])
{
    const plant_object *o = &plant->objects[object];
    snprintf(name, GENERATOR_PLANT_NAME, "%s-%04u", kinds[o->kind].name, o->number);
    if (o->row == PLANT_YARD)
        snprintf(group, GENERATOR_PLANT_NAME, "plant/yard/%s", kinds[o->kind].group);
    else
        snprintf(group, GENERATOR_PLANT_NAME, "plant/row %u/floor %u/%s", o->row + 1, o->floor,
                 kinds[o->kind].group);
}

// Small plants have rough objects, so that there are some; large ones have fine ones.
static uint64_t objects_for(uint64_t triangles)
{
    uint64_t fine = triangles / 10000, rough = 1 + triangles / 150;
    uint64_t suits = fine > FEWEST ? fine : rough < FEWEST ? rough : FEWEST;
    return suits < MOST ? suits : MOST;
}

graze_status generator_plant_open(const generator_plant_def *def, generator_plant **out)
{
    *out = NULL;
    double unit = def->metres_per_unit != 0.0 ? def->metres_per_unit : 1.0;
    if (def->object_count > GENERATOR_PLANT_OBJECTS ||
        def->triangle_count > GENERATOR_PLANT_TRIANGLES || !(unit > 0.0) || !isfinite(unit))
        return GRAZE_ERROR_ARGUMENT;
    uint64_t suits = objects_for(def->triangle_count);
    generator_plant *plant = calloc(1, sizeof *plant);
    if (plant == NULL)
        return GRAZE_ERROR_MEMORY;
    plant->precision = def->precision == GRAZE_FLOAT64 ? GRAZE_FLOAT64 : GRAZE_FLOAT32;
    plant->unit = unit;
    plant->seed = def->seed;
    plant->object_limit = def->object_count != 0     ? def->object_count
                          : def->triangle_count != 0 ? suits
                                                     : MOST / 4;
    uint64_t wish = def->triangle_count != 0 ? def->triangle_count : 1000 * plant->object_limit;
    plant->coarse = wish / plant->object_limit < COARSE;
    plant_lay_out(plant);
    if (plant->failed) {
        generator_plant_close(plant);
        return GRAZE_ERROR_MEMORY;
    }
    measure_reach(plant);
    choose_density(plant, wish);
    *out = plant;
    return GRAZE_OK;
}

void generator_plant_close(generator_plant *plant)
{
    if (plant == NULL)
        return;
    free(plant->objects);
    free(plant->pieces);
    free(plant->numbers);
    free(plant->planted);
    free(plant);
}
