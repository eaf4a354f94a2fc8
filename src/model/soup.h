// A soup: all triangles of a file as they stand in the world, put aside while they are read, and
// then sorted by where they are. It is the same for every memory limit and thread count.
//
// Numbers. Objects are placed by their matrices, each instance has triangles of its own, and they
// are numbered object after object, as graze_mesh_flatten does it: a model has the triangle numbers
// of the mesh in memory. One placed object makes all coordinates double.
#ifndef GZ_SOUP_H
#define GZ_SOUP_H

#include "base/memory.h"
#include "base/sorter.h"
#include "graze/geometry.h"
#include "mesh/inspect/feed.h"
#include "mesh/inspect/positions.h"

// A triangle in the sorter: its place on a curve through space (8 bytes, big-endian), its number (4
// bytes, big-endian), and its nine coordinates as they lie in memory, float or double.
#define GZ_SOUP_CURVE_BYTES 8u
#define GZ_SOUP_KEY_BYTES   12u
static inline uint32_t gz_soup_record_bytes(graze_precision precision)
{
    return GZ_SOUP_KEY_BYTES + 9 * (uint32_t)precision;
}

typedef struct gz_soup {
    graze_context *context;
    graze_mesh_header header;
    graze_mesh_losses losses;
    graze_precision precision; // of what the sorter has
    gz_positions positions;
    gz_spill corners;
    GZ_LIST(graze_object) objects; // in the order of the file, names copied
    uint64_t file_triangle_count;
    uint64_t triangle_count; // in the world
    graze_box vertex_box;    // of all vertices of the file that are finite
    graze_box box;           // of all triangles, in the world; known after sorting
    uint64_t memory;         // the share in bytes
    bool ended;
} gz_soup;

// `memory`: bytes for all of it at any time. The reader's own few MB come on top.
void gz_soup_init(graze_context *context, uint64_t memory, gz_soup *soup);
void gz_soup_free(gz_soup *soup);
graze_mesh_sink gz_soup_sink(gz_soup *soup);

// A file that names no object has one without a name, from here on.
graze_status gz_soup_complete_objects(gz_soup *soup);
// The triangles as the file has them, in its order and not placed. After the sink's end.
graze_status gz_soup_open_feed(gz_soup *soup, const char *stage, gz_feed **feed);

// The cube through which the curve runs: it holds a box.
typedef struct gz_soup_cube {
    double low[3], step; // cells in a unit
} gz_soup_cube;
gz_soup_cube gz_soup_cube_of(const graze_box *box);
void gz_soup_put_record(const gz_soup_cube *cube, graze_precision precision, uint32_t number,
                        const graze_triangle *triangle, uint8_t *record);
// For such records. More memory than given where that is too little.
graze_status gz_soup_open_sorter(graze_context *context, graze_precision precision,
                                 uint64_t memory_bytes, gz_sorter **sorter);

// After the sink's end. Triangles come out in the order of the curve, then of numbers.
// @param sorter  to be drained by the caller, and closed.
graze_status gz_soup_sort(gz_soup *soup, gz_sorter **sorter);

#endif
