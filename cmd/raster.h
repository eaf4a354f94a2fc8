// Draws triangles: as seen from afar along an axis, the nearest one in front, shaded by how they
// face the light, with their edges where they are large enough to be told apart.
#ifndef GRAZE_CMD_RASTER_H
#define GRAZE_CMD_RASTER_H

#include <stdbool.h>
#include <stdint.h>

typedef enum raster_view {
    VIEW_FRONT, // x to the right, y up
    VIEW_BACK,
    VIEW_LEFT,
    VIEW_RIGHT,
    VIEW_TOP, // x to the right, z down
    VIEW_BOTTOM,
    VIEW_CORNER // from the right, above and in front
} raster_view;

// What a triangle is drawn in. Objects that are told apart have colours in turn, none of them red.
typedef enum raster_paint {
    PAINT_GREY,
    PAINT_PALE,
    PAINT_CONTACT,                 // red
    PAINT_OBJECT,                  // the first of PAINT_OBJECTS
    PAINT_LEVEL = PAINT_OBJECT + 6 // the first of PAINT_LEVELS; then come the same once more, so
                                   // that two models can be told apart
} raster_paint;
enum { PAINT_OBJECTS = PAINT_LEVEL - PAINT_OBJECT, PAINT_LEVELS = 8 };

typedef struct raster {
    uint32_t width, height; // of the picture
    double pixel;           // the side of one, in the scene's unit
    // Each pixel is drawn as several.
    uint32_t columns, rows;
    float *depth, *shade;
    uint8_t *paints;
    raster_paint paint; // of what is drawn next
    double axis[3][3];  // to the right, up, and to the viewer
    double middle[3];   // of what is seen, along these
    double scale;       // of what is drawn, to the unit
    uint64_t triangle_count;
} raster;

// Makes room for a picture of what is in the box. With `z_up`, views are those of someone for whom
// z is up and y to the back. The height follows from the width. False: no
// memory.
bool raster_open(raster *r, const double low[3], const double high[3], raster_view view, bool z_up,
                 uint32_t width);
void raster_close(raster *r);

// Where a point is in the picture, and how near.
void raster_place(const raster *r, const double point[3], float out[3]);
void raster_draw(raster *r, const float a[3], const float b[3], const float c[3]);

// Red, green and blue of each pixel, row after row from the top; to be freed. NULL: no memory.
uint8_t *raster_pixels(const raster *r);
// The same of several layers from one side, the first one the most important: where it is behind
// others it is seen through them, weaker.
uint8_t *raster_pixels_of(const raster *layers, int count);

#endif
