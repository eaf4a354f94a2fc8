// The plants of bench_clash: scene files of generated plants, without levels of detail, that are
// kept, since building a large one takes a minute.
#ifndef GRAZE_BENCH_CLASH_PLANTS_H
#define GRAZE_BENCH_CLASH_PLANTS_H

#include <stdbool.h>

#include "graze/graze.h"

enum { CLASH_NAME = 1024 };

typedef struct clash_plant {
    char scene[CLASH_NAME]; // path of the file
    char built[CLASH_NAME]; // one line about how it was built
    uint64_t triangle_count, object_count;
    double tree_bytes; // that all its triangles take in the cache, about
} clash_plant;

// Bytes of a triangle of float coordinates in the cache, with its part of the boxes.
#define CLASH_TRIANGLE_BYTES 34.0

// Finds or builds a plant.
// @return false after a sentence on stderr.
bool clash_plant_make(const char *folder, uint64_t triangle_count, uint64_t object_count,
                      clash_plant *plant);

// A context and the scene of a plant, in memory that is divided as the command does it.
typedef struct clash_opened {
    graze_context *context;
    graze_scene *scene;
} clash_opened;

typedef struct clash_room {
    uint64_t cache_bytes;  // 0: of memory_bytes, what `graze clash --memory` takes
    uint64_t memory_bytes; // of the whole process; 0: no limit
    bool direct;           // reads go past the system's memory
    uint32_t threads;      // 0: all
    uint32_t order;        // as in gz_knobs
} clash_room;

// @return GRAZE_OK, or why not; then, too, it is to be closed.
graze_status clash_plant_open(const clash_plant *plant, const clash_room *room, clash_opened *o);
void clash_plant_close(clash_opened *o);

#endif
