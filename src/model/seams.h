// Seams: the vertices that clusters of different groups have in common. They must stay where they
// are while groups are simplified one by one, or the surface would open between them.
//
// Only vertices at the rim of their cluster are looked at: those with an edge that an odd number of
// the cluster's triangles has. Where an even number has it, the cluster is closed there on its own,
// and collapses keep it closed. What clusters of one level have at their rims is sorted by place,
// and when it is known which clusters form groups, what several groups have is sorted by group. All
// in bounded memory.
#ifndef GZ_SEAMS_H
#define GZ_SEAMS_H

#include "base/sorter.h"
#include "model/cluster.h"
#include "model/grouping.h"

typedef struct gz_seams {
    graze_context *context;
    graze_precision precision;
    uint64_t memory_bytes;
    gz_sorter *rims;     // of clusters: position, cluster; while a level is made
    gz_sorter *locks;    // group, position; while its groups are simplified
    const uint8_t *next; // lock that was handed out last, and those behind it
    uint64_t left;
} gz_seams;

// `memory_bytes`: for each of the two sorters.
void gz_seams_init(graze_context *context, graze_precision precision, uint64_t memory_bytes,
                   gz_seams *seams);
void gz_seams_free(gz_seams *seams);

// Appends the rim of a cluster to a list of bytes, for gz_seams_add. Any thread. False when out of
// memory.
bool gz_seams_find(graze_context *context, const gz_cluster *cluster, uint32_t number,
                   gz_byte_list *records);
// The clusters in the records were numbered as if cluster `first` had the number 0.
graze_status gz_seams_add(gz_seams *seams, gz_byte_list *records, uint32_t first);

// Ends a level: clusters with numbers from `first` on are grouped so.
graze_status gz_seams_assign(gz_seams *seams, const gz_grouping *grouping, uint32_t first);
// Appends the positions, double[3], that a group must keep. Groups are asked in their order.
graze_status gz_seams_next(gz_seams *seams, uint32_t group, gz_point_list *positions);

#endif
