// LOD cuts where the error depends on the place.
//
// A group is looked at if something that it became would be in the cut: from the top down, as far
// as groups are open. One that does not fit the error at its own box is open, and so are all that
// what it became is a member of. All others are collapsed. So a cut is one for any function,
// however odd, a pure function of the model and that one; and only groups above the cut, and those
// that it is made of, are looked at.
//
// An open group whose members are all there stands in the cut at the coarsest step that fits, in
// place of them, if one does: between levels, cuts change in smaller steps. Vertices that groups
// share are locked, so there are no cracks.
#ifndef GZ_LOD_PLACE_H
#define GZ_LOD_PLACE_H

#include "model/lod_cut.h"

// The share of an error at a group's box. The same group has the same within one cut.
typedef double gz_lod_share(void *user, const graze_model *model, uint32_t group);

// What a group is in a cut: one of these, or the number of a step, from 1 on.
enum { GZ_LOD_GROUP_OPEN = 0, GZ_LOD_GROUP_COLLAPSED = 255 };

// A cut by place. It belongs to the caller, and follows the error from question to question: what
// changed is taken out and put in, and the cut is as if it were made from the beginning. From zeros
// on.
typedef struct gz_lod_place {
    graze_context *context; // NULL: there is nothing
    uint64_t serial;        // of the model, which may be gone
    uint32_t group_count;
    uint32_t top_count, open_count;
    uint32_t *tops;  // groups of which something is in no other group
    uint32_t *open;  // groups of this cut
    uint8_t *fit;    // for each group, how many steps fit; 255: it was not looked at
    double *share;   // for each group that was looked at
    uint8_t *state;  // for each group
    uint8_t *before; // of the cut that is there
    gz_lod_part_list gone, come;
    uint64_t looks; // at groups, for the last cut
    gz_lod_cut *cut;
} gz_lod_place;

// @param with_steps  false: the cut consists of whole clusters.
// @return false, with a sentence, when out of memory.
bool gz_lod_place_cut(gz_lod_place *place, graze_model *model, bool with_steps, gz_lod_share *share,
                      void *user);
void gz_lod_place_free(gz_lod_place *place); // accepts a zero one

// Groups at steps that would be in the cut instead of one of its parts if the error were larger or
// smaller by a tenth: worth loading ahead. Returns how many there are.
uint32_t gz_lod_place_next(const gz_lod_place *place, uint32_t part, gz_page_key keys[2]);

#endif
