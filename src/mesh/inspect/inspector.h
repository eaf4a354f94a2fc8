// The inspector: a sink that finds out what is in a mesh and what is wrong with it, whatever its
// size, in a memory budget. While the stream flows, it counts and puts aside what it will need;
// gz_inspector_finish does the rest. The passes, each in a file of its own:
//   object_book.c  objects, their names and boxes
//   positions.c    vertices by number
//   feed.c         triangles with coordinates
//   survey.c       looks at them: flat ones, boxes
//   placed.c       corners of placed objects, in the file and in the world
//   defects.c      the next three, in turn
//   weld.c         vertices in the same place become one
//   edges.c        edges and duplicate triangles
//   parts.c        connected parts
// All of them stand on the spills and sorters of base/, which take to disk what does not fit. The
// report is the same for every budget and thread count, but for the words "in memory, on disk".
#ifndef GZ_INSPECTOR_H
#define GZ_INSPECTOR_H

#include <stdbool.h>

#include "graze/inspect.h"

// How the memory is shared out, in bytes. What is in use at the same time stays below the limit:
//   reading:   list, object_order, positions, cache, corners, keys, and the reader itself
//   soups:     list, soup_keys, recent, positions, cache, and the reader
//   survey:    as reading, with join twice in place of the reader, and what is placed, which stays,
//              in place of keys and the rest of the reader
//   placed:    as soups, twice
//   welding:   list, corners, keys (or soup_keys without corners), repeats; then map for keys
//   edges:     list, corners, triangles, edges, marks
//   parts:     list, corners, marks, links twice, forest
typedef struct gz_inspect_plan {
    uint64_t list, object_order, positions, cache, corners, keys, soup_keys, recent, join, repeats,
        map, triangles, edges, marks, links, forest, placed_triangles, placed_objects;
    uint64_t window;       // for reading a spill from front to back
    uint32_t fan_bits;     // of the sorters
    uint64_t patience;     // of the survey
    uint64_t place_limit;  // the most places that can be told apart
    uint64_t placed_limit; // triangles of all objects, if they are placed; 0: as inspect.h says
} gz_inspect_plan;

#define GZ_INSPECT_LEAST_BYTES (UINT64_C(16) << 20)

gz_inspect_plan gz_inspect_plan_for(uint64_t memory_bytes);

typedef struct gz_inspector gz_inspector;

graze_status gz_inspector_open(graze_context *context, const gz_inspect_plan *plan,
                               bool counts_only, gz_inspector **inspector);
void gz_inspector_close(gz_inspector *inspector); // accepts NULL
graze_mesh_sink gz_inspector_sink(gz_inspector *inspector);
// After the sink's end. The report is given back with graze_mesh_report_free.
graze_status gz_inspector_finish(gz_inspector *inspector, graze_mesh_report **report);

#endif
