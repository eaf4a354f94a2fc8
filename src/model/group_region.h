// What a group stands for: the region of a finer mesh that it is measured against, and how that is
// handed on to the clusters that the group becomes. See gz_kept_region in levels.h.
#ifndef GZ_GROUP_REGION_H
#define GZ_GROUP_REGION_H

#include "model/decompose.h"
#include "model/levels.h"
#include "simplify/regions.h"

typedef struct gz_group_region {
    const gz_levels *levels;
    // What the clusters stand for that the group became; offsets count from 0.
    GZ_LIST(gz_kept_region) kept;
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
} gz_group_region;

void gz_group_region_init(const gz_levels *levels, gz_group_region *group);
void gz_group_region_free(gz_group_region *group);

// Loads what the members of a group stand for.
// @param mesh   theirs, in their order.
// @param extra  of its triangles: every point of the original surface that members stand for is
//               within that of one of them.
graze_status gz_group_region_load(gz_group_region *group, const uint32_t *members, uint32_t count,
                                  const gz_welded_mesh *mesh, const float *extra);

// Deals it to the clusters that the group becomes.
// @param query    whose target is their mesh.
// @param deal     without owners and precision.
// @param forward  receives how far what a cluster stands for may be from it: hardly more than is
//                 known for all together.
graze_status gz_group_region_deal(gz_group_region *group, gz_deviation_query *query, gz_deal *deal,
                                  const gz_bucket_cut *cut, double *forward);
// And keeps it for the next level.
graze_status gz_group_region_keep(gz_group_region *group, uint32_t cluster_count);

#endif
