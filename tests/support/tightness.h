// How tight are the bounds of levels of detail? They are compared with those of a build in which
// every group is measured against the original surface itself (`long_regions` of base/knobs.h),
// which are at most TIGHTNESS_ABOVE times the truth: the gap of measuring and the slack of dealing.
#ifndef TIGHTNESS_H
#define TIGHTNESS_H

#include <stdbool.h>

#include "graze/model.h"

#define TIGHTNESS_ABOVE (1.05 * (1 + 0x1p-5))

// Ratios of bound to truth, not below the true ones, of all steps of all groups, sorted. Steps that
// deviate by less than 2^-18 of the size are left out: they are as good as planar.
typedef struct tightness {
    double *ratio; // to be freed
    uint32_t count;
} tightness;

// False: the models have different groups, or there is no memory.
bool tightness_compare(const graze_model *usual, const graze_model *tight, bool backward,
                       tightness *out);
double tightness_part(const tightness *t, double part); // 0.5: the median

#endif
