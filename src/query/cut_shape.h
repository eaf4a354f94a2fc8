// A shape over a LOD cut, for the time of a question.
#ifndef GZ_CUT_SHAPE_H
#define GZ_CUT_SHAPE_H

#include "model/lod_cut.h"
#include "query/shape_parts.h"

// @param of  the shape over the model that the cut is of.
void gz_cut_shape_set(const graze_shape *of, const gz_lod_cut *cut, graze_shape *shape);

#endif
