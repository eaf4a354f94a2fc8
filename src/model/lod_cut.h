// LOD cuts: the clusters that stand for a model at an error, the coarsest that it allows.
//
// A group is collapsed if what it became fits the error: if the bounds of its last step, forward
// and backward, are not more together. Bounds ascend from a group to those that what it became
// belongs to, so all that a collapsed group is made from is collapsed, too. The cut consists of
// what is there, original clusters and what collapsed groups became, and is not collapsed further.
// It is a pure function of model and error.
//
// Where the error depends on the place, a group is collapsed if it fits the error of its own box,
// and all that it is made from is collapsed: so the cut is one for any function, however odd.
//
// Every point of the original surface is within the forward bound of a cluster of the cut, and
// every point of such a cluster within its backward bound of the original surface.
#ifndef GZ_LOD_CUT_H
#define GZ_LOD_CUT_H

#include "model/model_file.h"

// A cluster of a cut, and its bounds.
typedef struct gz_lod_part {
    uint32_t cluster;
    uint32_t first; // number of its first triangle in the cut
    float forward;  // as spreads of leaves are rounded: no leaf of it has a larger one
    float backward;
} gz_lod_part;

typedef struct gz_lod_cut {
    graze_model *model;
    double share; // NaN: by place
    uint32_t part_count;
    uint64_t triangle_count;
    gz_lod_part *parts;   // neighbours side by side
    gz_part_boxes boxes;  // of what the parts stand for: wider than they are by their bounds
    double error;         // the largest forward and backward of a part together
    float least_backward; // of a part
    uint32_t users;       // of lod_cut.c
    uint64_t turn;        // the same
} gz_lod_cut;

// Whether a part is of a coarser level.
static inline bool gz_lod_is_coarse(const gz_lod_cut *cut, uint32_t part)
{
    return cut->parts[part].cluster >= cut->model->header.cluster_count;
}

// The cut of a model at its share of an error. It is kept for a while, with a few others, when it
// is given back. NULL, with a sentence, when out of memory.
gz_lod_cut *gz_lod_cut_take(graze_model *model, double share);
void gz_lod_cut_give(gz_lod_cut *cut);

// The share of an error at a group's box. The same group has the same within one cut.
typedef double gz_lod_share(void *user, const graze_model *model, uint32_t group);

// A cut by place. It belongs to the caller, and is made anew only if groups changed sides.
typedef struct gz_lod_place {
    graze_context *context; // NULL: there is nothing
    uint64_t serial;        // of the model, which may be gone
    uint8_t *collapsed;     // for each group
    uint8_t *before;        // of the cut that is there
    uint32_t group_count;
    gz_lod_cut *cut;
} gz_lod_place;
// False, with a sentence, when out of memory.
bool gz_lod_place_cut(gz_lod_place *place, graze_model *model, gz_lod_share *share, void *user);
void gz_lod_place_free(gz_lod_place *place); // accepts a zero one

// Cuts that are kept with a model. From zeros on.
#define GZ_LOD_CUTS_KEPT 64
typedef struct gz_lod_cuts {
    pthread_mutex_t lock;
    gz_lod_cut *kept[GZ_LOD_CUTS_KEPT];
    uint64_t turn;
    bool prepared; // of lod_ladder.c
} gz_lod_cuts;
bool gz_lod_cuts_make(graze_model *model);            // with the model; false when out of memory
void gz_lod_cuts_free(graze_model *model);            // accepts none
uint64_t gz_lod_cuts_bytes(const graze_model *model); // of memory

// A bound as spreads of leaves are rounded: up, to the upper half of a float.
float gz_lod_bound(float bound);
// Both bounds of a step together, so rounded, and rounded up.
double gz_lod_error(const gz_group_step *step);

#endif
