// The colours of a picture of a clash: three layers of triangles, and a mark, become pixels.
#ifndef GRAZE_CMD_CLASH_PAINT_H
#define GRAZE_CMD_CLASH_PAINT_H

#include "raster.h"

// The two objects of the clash, and all others. Layers of one picture have one view and size.
enum { LAYER_A, LAYER_B, LAYER_REST, LAYER_COUNT };

extern const char *const layer_colours[2]; // their names, of a and b

// What layers and pixels take, at most, for a picture of this width of a cube.
uint64_t clash_paint_bytes(uint32_t width);

// Places in the picture, as raster_place tells them.
typedef struct clash_mark {
    float from[3], to[3]; // the two points of the clash: a dot, or a line between two
    float middle[3];      // of the ring,
    float reach;          // which is not nearer to it than this
} clash_mark;

// Red, green and blue of each pixel, row after row from the top; to be freed. NULL: no memory.
// What stands before the two objects is seen through.
uint8_t *clash_paint(const raster layers[LAYER_COUNT], const clash_mark *mark);

// The mark alone, on the pixels of a raster.
void clash_mark_put(const raster *r, const clash_mark *mark, uint8_t *pixels);

#endif
