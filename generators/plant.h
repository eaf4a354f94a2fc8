// A plant: a building of steel, with the pipes, vessels, ducts, trays, walkways and stairs of a
// power station, as many named objects as are asked for. Most touch their neighbours or are near
// them, as in real plants, and some clash on purpose; there is a list of those. The same bits on
// every machine.
//
// Every object is made of closed pieces. The coordinates that decide about contacts are multiples
// of 1/1024 metre, so that single precision holds them: what touches touches exactly.
#ifndef GRAZE_GENERATORS_PLANT_H
#define GRAZE_GENERATORS_PLANT_H

#include "graze/mesh.h"

#define GENERATOR_PLANT_OBJECTS   UINT64_C(1000000)   // the most that may be asked for
#define GENERATOR_PLANT_TRIANGLES (UINT64_C(1) << 36) // the same

typedef struct generator_plant_def {
    uint64_t object_count;   // exactly as many; 0: as suits the triangles
    uint64_t triangle_count; // about as many; 0: a thousand for each object
    uint64_t seed;
    graze_precision precision; // 0: GRAZE_FLOAT32
    double metres_per_unit;    // of the coordinates; 0: 1
} generator_plant_def;

typedef struct generator_plant generator_plant;

// @return GRAZE_OK, GRAZE_ERROR_ARGUMENT (counts above the most, a unit that is not positive and
//         finite), GRAZE_ERROR_MEMORY.
graze_status generator_plant_open(const generator_plant_def *def, generator_plant **plant);
void generator_plant_close(generator_plant *plant); // accepts NULL

// Streams it in bounded memory, with exact counts in the header, all vertices before the first
// triangle, and one object after the other.
graze_status generator_plant_stream(const generator_plant *plant, const graze_mesh_sink *sink);
graze_status generator_plant_make(graze_context *context, const generator_plant *plant,
                                  graze_mesh **mesh);

uint64_t generator_plant_object_count(const generator_plant *plant);
uint64_t generator_plant_triangle_count(const generator_plant *plant);

// Name and group of an object, as the stream has them.
#define GENERATOR_PLANT_NAME 48
void generator_plant_name(const generator_plant *plant, uint64_t object,
                          char name[GENERATOR_PLANT_NAME], char group[GENERATOR_PLANT_NAME]);

typedef enum generator_relation {
    GENERATOR_CLASH,     // they are in each other
    GENERATOR_TOUCH,     // they share points, but nothing inside
    GENERATOR_CLEARANCE, // they are apart by `amount`
    SCENE_CONTAINED,     // a is inside b and does not touch it
    SCENE_DUPLICATE      // they are the same triangles
} generator_relation;

typedef struct generator_planted {
    generator_relation relation;
    uint64_t a, b; // objects
    // Which way a moves away from b: 0 x, 1 y, 2 z; 3 to 5 the other way. Not of contained ones and
    // duplicates.
    uint32_t direction;
    // In units of the coordinates. Clash: moved by so much in the direction, a only touches b.
    // Clearance: the distance of the two, which is one along the direction. Else 0.
    double amount;
    double accuracy; // the amount is right to this; 0: exactly
} generator_planted;

const char *generator_relation_name(generator_relation relation);
uint64_t generator_plant_planted_count(const generator_plant *plant);
generator_planted generator_plant_planted(const generator_plant *plant, uint64_t index);

#endif
