// What a group stands for: the region of a finer mesh that it is measured against, and how that is
// handed on to the clusters that the group becomes. See gz_stand in levels.h.
#ifndef GZ_GROUP_STAND_H
#define GZ_GROUP_STAND_H

#include "model/decompose.h"
#include "model/levels.h"
#include "simplify/regions.h"

typedef struct gz_group_stand {
    const gz_levels *levels;
    // What the clusters stand for that the group became; offsets count from 0.
    GZ_LIST(gz_stand) stands;
    gz_byte_list bytes; // packed regions
    // Scratch, kept for the next group.
    gz_region region;   // what the group stands for
    float backward;     // how far that may be from the original surface
    gz_region *regions; // of members, and of clusters
    uint32_t region_count;
    gz_welded_mesh places;
    gz_shares shares;
    gz_index_list owner, map;
    gz_byte_list page;
} gz_group_stand;

void gz_group_stand_init(const gz_levels *levels, gz_group_stand *stand);
void gz_group_stand_free(gz_group_stand *stand);

// Loads what the members of a group stand for.
// @param mesh  theirs, in their order.
graze_status gz_group_stand_load(gz_group_stand *stand, const uint32_t *members, uint32_t count,
                                 const gz_welded_mesh *mesh);

// Deals it to the clusters that the group becomes.
// @param query    whose target is their mesh.
// @param deal     without owners and precision.
// @param forward  receives how far what a cluster stands for may be from it: hardly more than is
//                 known for all together.
graze_status gz_group_stand_deal(gz_group_stand *stand, gz_deviation_query *query, gz_deal *deal,
                                 const gz_bucket_cut *cut, double *forward);
// And keeps it for the next level.
graze_status gz_group_stand_keep(gz_group_stand *stand, uint32_t cluster_count);

#endif
