// The work on one group: its mesh, simplified in steps, with bounds of how far each step strays
// from the original surface, and cut into the clusters of the next level.
#ifndef GZ_GROUP_WORK_H
#define GZ_GROUP_WORK_H

#include "model/decompose.h"
#include "model/group_mesh.h"
#include "model/group_page.h"
#include "model/group_region.h"
#include "simplify/deviation.h"

#define GZ_GROUP_MEMBERS 64u // at most

typedef struct gz_group_work {
    const gz_levels *levels; // what is known already; does not change while groups are worked on
    // What to work on.
    uint32_t members[GZ_GROUP_MEMBERS], member_count;
    gz_point_list locks; // vertices that must stay
    // What became of it. The page of the group and those of its clusters are not sealed.
    graze_status status;
    gz_group_entry entry; // without what depends on the groups before it
    GZ_LIST(gz_cluster_entry) entries;
    gz_byte_list pages;
    gz_byte_list rims;      // of the clusters, for gz_seams_add
    gz_group_region region; // what it was measured against, and what its clusters stand for
    // Scratch, kept for the next group.
    gz_welded_mesh mesh;
    gz_extra_list extras;          // of its triangles: the spreads of their leaves
    gz_byte_list locked;           // of each vertex
    gz_collapse_list collapses;    // of gz_simplify
    gz_collapse_state_list states; // the same
    gz_index_list place, kept;     // of gz_collapse_apply
    gz_corner_list corner;         // the same
    gz_list records;               // of soup.h: triangles to be cut into clusters
    gz_index_list parts;           // of gz_deviation_spread
    gz_corner_list own_corners;    // the same: those of a cluster
    GZ_LIST(double) spreads;       // and its answer
    gz_simplifier simplifier;
    gz_deviation_query *to_coarse, *to_fine; // with a step as target, and with its region
    gz_bucket_cut *cut;
    gz_cluster *cluster;
    gz_page_reader reader;
    gz_page_writer writer;
    gz_byte_list page; // as read
} gz_group_work;

bool gz_group_work_init(const gz_levels *levels, gz_group_work *work); // false: out of memory
void gz_group_work_free(gz_group_work *work);
void gz_group_work_run(gz_group_work *work); // any thread

#endif
