// What is put aside of a mesh whose objects are placed by matrices or share their triangles: the
// triangles with their coordinates, and the objects in order of their ranges. From that its corners
// are had twice: as they lie in the file, where each range has coordinates of its own that mean
// nothing to the others, and as they stand in the world, where all of them are in one frame.
#ifndef GZ_PLACED_H
#define GZ_PLACED_H

#include "base/sorter.h"
#include "base/spill.h"
#include "mesh/inspect/object_book.h"

typedef struct gz_placed {
    graze_context *context; // NULL: nothing is put aside
    graze_precision precision;
    gz_spill triangles;  // three positions each
    gz_spill objects;    // gz_ranged_object
    graze_status status; // of the first that could not be put aside
} gz_placed;

gz_placed gz_placed_make(graze_context *context, graze_precision precision, uint64_t triangle_bytes,
                         uint64_t object_bytes);
void gz_placed_free(gz_placed *placed); // accepts a zero one

// In order, by whoever surveys the mesh. Failures are kept for later.
void gz_placed_add_triangle(gz_placed *placed, const graze_triangle *triangle);
void gz_placed_add_object(gz_placed *placed, const gz_ranged_object *object);

typedef struct gz_placed_count {
    uint64_t triangles;
    uint64_t flat;
    bool out_of_range; // a matrix leads out of the range of double: the rest was not looked at
} gz_placed_count;

// Pushes a key of weld.h for every corner of a soup: of each range once, with the range's number in
// the key, or of each object, placed.
uint32_t gz_placed_key_bytes(const gz_placed *placed, bool in_world);
graze_status gz_placed_push(gz_placed *placed, bool in_world, gz_sorter *keys,
                            gz_placed_count *count);

#endif
