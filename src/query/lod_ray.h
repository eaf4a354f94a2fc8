// Segments against LOD cuts: where one comes near enough to a triangle to meet what that stands
// for.
#ifndef GZ_LOD_RAY_H
#define GZ_LOD_RAY_H

#include "query/lod_contact.h"

// A model at an error, for the time of a question. Ends with gz_lod_one_end, which accepts a zero
// one.
typedef struct gz_lod_one {
    gz_lod_question question; // of the first side
    gz_lod_cut *cut;
    graze_shape shape;
} gz_lod_one;

// The shape is over a model, and takes all of the error. False, with a sentence, when out of
// memory.
bool gz_lod_one_set(graze_posed posed, double error, gz_lod_one *one);
void gz_lod_one_end(gz_lod_one *one);

// How far the bounds of a part are off in the world; 0 if it is original.
double gz_lod_one_rounding(const gz_lod_question *lod, uint32_t part);

// Where a segment comes within a radius above 0 of a triangle for the first time: not before *at,
// and at the point there it is not farther away than the radius and *off. False: nowhere.
bool gz_segment_near(const double start[3], const double end[3], const graze_triangle *t,
                     double radius, double *at, double *off);
// The point at a part of the way.
void gz_segment_point(const double start[3], const double end[3], double at, double out[3]);

#endif
