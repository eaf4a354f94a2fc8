// LOD cuts: the clusters that stand for a model at an error, the coarsest that it allows.
//
// A group is collapsed if what it became fits the error: if the bounds of its last step, forward
// and backward, are not more together. Bounds ascend from a group to those that what it became
// belongs to, so all that a collapsed group is made from is collapsed, too. The cut consists of
// what is there, original clusters and what collapsed groups became, and is not collapsed further.
// It is a pure function of model and error.
//
// Where the error depends on the place (lod_place.h), a group that cannot be collapsed may stand in
// the cut at one of its steps, in place of its members.
//
// Every point of the original surface is within the forward bound of a part of the cut, and every
// point of such a part within its backward bound of the original surface.
#ifndef GZ_LOD_CUT_H
#define GZ_LOD_CUT_H

#include "base/memory.h"
#include "model/model_file.h"
#include "model/page_key.h"

// A cluster of a cut, or a group at a step, and its bounds.
typedef struct gz_lod_part {
    uint64_t place;       // of the middle of its box, on a curve through space
    uint32_t cluster;     // UINT32_MAX: a group
    uint32_t group, step; // else UINT32_MAX and 0
    uint32_t first;       // number of its first triangle in the cut
    float forward;        // as spreads of leaves are rounded: no leaf of it has a larger one
    float backward;
} gz_lod_part;
_Static_assert(sizeof(gz_lod_part) == 32, "two in a cache line");
typedef GZ_LIST(gz_lod_part) gz_lod_part_list;

typedef struct gz_lod_cut {
    graze_model *model;
    double share; // NaN: by place
    uint32_t part_count;
    uint32_t group_count; // of the parts, those that are groups
    uint64_t triangle_count;
    gz_lod_part *parts;   // by their places, so that neighbours are side by side
    gz_part_boxes boxes;  // of what the parts stand for: wider than they are by their bounds
    double error;         // the largest forward and backward of a part together
    float least_backward; // of a part
    uint32_t users;       // of lod_cut.c
    uint64_t turn;        // the same
} gz_lod_cut;

// Whether a part is of a coarser level. Groups at a step are.
static inline bool gz_lod_is_coarse(const gz_lod_cut *cut, uint32_t part)
{
    return cut->parts[part].cluster >= cut->model->header.cluster_count;
}

static inline gz_page_key gz_lod_page(const gz_lod_cut *cut, uint32_t part)
{
    const gz_lod_part *p = &cut->parts[part];
    return p->cluster != UINT32_MAX ? gz_cluster_key(cut->model, p->cluster)
                                    : gz_group_key(cut->model, p->group, p->step);
}

// The cut of a model at its share of an error. It is kept for a while, with a few others, when it
// is given back. NULL, with a sentence, when out of memory.
gz_lod_cut *gz_lod_cut_take(graze_model *model, double share);
void gz_lod_cut_give(gz_lod_cut *cut);

// Cuts that are kept with a model. From zeros on.
#define GZ_LOD_CUTS_KEPT 64
typedef struct gz_lod_cuts {
    pthread_mutex_t lock;
    gz_lod_cut *kept[GZ_LOD_CUTS_KEPT];
    uint64_t turn;
    bool prepared, tried_in_vain; // of lod_ladder.c
} gz_lod_cuts;
bool gz_lod_cuts_make(graze_model *model);            // with the model; false when out of memory
void gz_lod_cuts_free(graze_model *model);            // accepts none
uint64_t gz_lod_cuts_bytes(const graze_model *model); // of memory

// A bound as spreads of leaves are rounded: up, to the upper half of a float.
float gz_lod_bound(float bound);
// Both bounds of a step together, so rounded, and rounded up.
double gz_lod_error(const gz_group_step *step);

// --- Of lod_place.c

gz_lod_part gz_lod_part_cluster(const graze_model *model, uint32_t cluster);
gz_lod_part gz_lod_part_group(const graze_model *model, uint32_t group, uint32_t step);

gz_lod_cut *gz_lod_cut_make(graze_model *model, double share); // without parts; NULL: no memory
// Takes some parts out of a cut and puts others into it, both lists in any order. What becomes of
// it is the same as if it were made of these parts from the beginning. When out of memory it is
// left as it was, and false is returned.
bool gz_lod_cut_change(gz_lod_cut *cut, gz_lod_part_list *gone, gz_lod_part_list *come);
void gz_lod_cut_free(graze_context *context, gz_lod_cut *cut); // its model may be gone; NULL: fine

#endif
