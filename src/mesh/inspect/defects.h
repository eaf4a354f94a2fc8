// From the places of vertices to findings: welding, edges, duplicates, parts. Everything but flat
// triangles, which are found by their coordinates.
#ifndef GZ_DEFECTS_H
#define GZ_DEFECTS_H

#include "base/sorter.h"
#include "base/spill.h"
#include "mesh/inspect/inspector.h"

typedef struct gz_defects_def {
    const gz_inspect_plan *plan;
    bool soup;             // corner i is vertex i, and `corners` is empty
    uint64_t vertex_count; // of a soup: three a triangle
    gz_sorter *keys;       // of vertices, or of the corners of a soup; closed when drained
    gz_spill *corners;     // vertex numbers become places; of a soup they come here
    bool on_disk;          // keys or corners came from a file
} gz_defects_def;

// True: in full; false: there are too many places to tell apart, and `why` says so.
graze_status gz_defects_find(graze_context *context, const gz_defects_def *def,
                             graze_mesh_findings *findings, bool *found, char why[128]);

static inline graze_finding gz_found(uint64_t count, bool on_disk)
{
    return (graze_finding){
        .extent = on_disk ? GRAZE_CHECKED_ON_DISK : GRAZE_CHECKED_IN_MEMORY,
        .count = count,
    };
}

#endif
