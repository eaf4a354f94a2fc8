// Parts: the pieces that triangles form where they share places, and which of them are closed.
#ifndef GZ_PARTS_H
#define GZ_PARTS_H

#include "base/spill.h"
#include "graze/base.h"

// What is known of the part that a place belongs to.
#define GZ_PART_USED  1u // by a triangle
#define GZ_PART_SOLID 2u // by one with three different places
#define GZ_PART_OPEN  4u // some edge has not exactly two triangles, oppositely oriented

typedef struct gz_part_mark {
    uint32_t place, flags;
} gz_part_mark;

typedef struct gz_parts_def {
    gz_spill *corners; // places, below place_limit, which is at most 2^32 - 1
    uint64_t place_limit;
    gz_spill *marks;       // of type gz_part_mark; more are added
    uint64_t memory_bytes; // for the window
    uint64_t link_bytes;   // for each of two spills
    uint64_t window_bytes; // for reading corners
} gz_parts_def;

typedef struct gz_parts_result {
    uint64_t places; // in use
    uint64_t parts, closed_parts;
    bool on_disk;
} gz_parts_result;

graze_status gz_parts_count(graze_context *context, const gz_parts_def *def,
                            gz_parts_result *result);

#endif
