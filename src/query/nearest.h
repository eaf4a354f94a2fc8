// How far is a point from the triangles of a posed shape?
#ifndef GZ_NEAREST_H
#define GZ_NEAREST_H

#include "query/contain.h"

// A posed shape, ready to be asked. It must have triangles, and its closedness must be known.
typedef struct gz_field {
    const gz_tree *tree; // of a model its frame only
    gz_visits *visits;   // of a model; NULL: a tree
    int side;            // of them
    const graze_pose *pose;
    double stretch; // lengths change by less than this part on the way into the model's frame
    double margin;  // and by this length
    bool sound;     // false: numbers are too large or too small for all this; ask nothing
    const struct gz_lod_cut *cut; // triangles are those of a LOD cut, and answers are about what it
                                  // stands for; NULL: they are those of the shape
    double backward;              // the largest of the cut's
    graze_counters *counters;
    graze_status *status; // receives the first failure, which only models have; from then on the
                          // answers are of no use
} gz_field;

// Points that are asked about are in the world, in this box. Expects the state of geometry/fpu.h,
// as all of these do.
gz_field gz_field_of(const gz_solid *posed, const graze_box *near, graze_status *status);

// A field over a LOD cut of the shape: bounds are then wider by those of the cut's leaves and
// parts. `visits` are of the cut. Everything else is as it was.
void gz_field_coarsen(gz_field *field, const struct gz_lod_cut *cut, gz_visits *visits, int side);

typedef struct gz_nearest {
    double low, high;        // the distance is not less and not more
    double way[3];           // to the nearest point, in the world, to rounding
    uint32_t number;         // of the nearest triangle in the mesh; the smallest of equal ones
    graze_triangle triangle; // in the model's frame
    // Of a cut: the number in the page, the way and the triangle are the cut's.
} gz_nearest;

// The same for every layout, if no triangle is so thin that arithmetic is lost in it. `hint` is a
// triangle of the shape in the model's frame that may well be near, or NULL.
void gz_nearest_find(const gz_field *field, const double point[3], const graze_triangle *hint,
                     gz_nearest *out);

// A point of the world in the model's frame, and how far it is from a triangle there, at most.
void gz_field_local(const gz_field *field, const double world[3], double local[3]);
double gz_field_farthest(const gz_field *field, const double local[3], const graze_triangle *t);
// The normal of a triangle of the model in the world, of any length.
void gz_field_normal(const gz_field *field, const graze_triangle *t, double out[3]);

// The largest height, along a direction from a point, of all triangles that may meet the ball of
// that radius around the point; not above `enough`, where the search ends. All of it in the world.
double gz_field_height(const gz_field *field, const double point[3], double radius,
                       const double direction[3], double enough);

// A triangle near a point: its corners as seen from there, along the axes of the world.
typedef struct gz_seen_triangle {
    double corner[3][3];
    uint32_t number; // in the mesh
} gz_seen_triangle;

// All triangles that may meet the ball of that radius around a point, sorted by their numbers.
// Returns how many there are; `most` + 1 if there are more than `most`, or if something failed. All
// points of them that are in the ball are where the corners say, but for *slack. Of a cut: all
// triangles that stand for points of the shape in the ball, each of which is within *slack of one.
uint32_t gz_field_gather(const gz_field *field, const double point[3], double radius,
                         gz_seen_triangle *out, uint32_t most, double *slack);

#endif
