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
    graze_counters *counters;
    graze_status *status; // receives the first failure, which only models have; from then on the
                          // answers are of no use
} gz_field;

// Points that are asked about are in the world, and no coordinate of them is above `reach`.
// Expects the state of geometry/fpu.h, as all of these do.
gz_field gz_field_of(const gz_solid *posed, double reach, graze_status *status);

typedef struct gz_nearest {
    double low, high;        // the distance is not less and not more
    double way[3];           // to the nearest point, in the world, to rounding
    uint32_t number;         // of the nearest triangle in the mesh; the smallest of equal ones
    graze_triangle triangle; // in the model's frame
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

#endif
