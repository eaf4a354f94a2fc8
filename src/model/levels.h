// Levels of detail, made from the finest one up. Clusters of a level form groups, each group is
// simplified to about a half and cut into clusters of the next level, until one cluster is left, or
// nothing gets much coarser. Vertices that groups share stay, see seams.h; so any choice of groups
// that are simplified, where a group comes after those that its members came from, is as closed as
// the original.
#ifndef GZ_LEVELS_H
#define GZ_LEVELS_H

#include "base/spill.h"
#include "model/model_file.h"
#include "model/seams.h"

typedef struct gz_bounds {
    float forward, backward;
} gz_bounds;

// What a cluster stands for: the part of a finer mesh that it is measured against. That is its
// region of a mesh some levels finer, or, after some levels or where regions get too large, the
// cluster itself.
typedef struct gz_kept_region {
    uint64_t offset;     // of its region
    uint32_t byte_count; // of that; 0: the cluster itself
    uint32_t size;       // of that: triangles and vertices
    float backward;      // no point of what its region is part of is farther from the original
                         // surface
} gz_kept_region;

// What building levels takes and gives. All lists have the finest level when it begins.
typedef struct gz_levels {
    graze_context *context;
    gz_output *output; // pages go there, and are read back
    graze_precision precision;
    double origin[3];        // of boxes
    double half_size;        // of the model, along its longest side
    uint64_t memory_bytes;   // for what is at work
    uint64_t triangle_count; // of the finest level
    uint32_t cluster_limit;  // triangles
    bool only_finest;        // no other level is wanted
    bool quiet;              // progress is reported by somebody else
    gz_seams seams;          // with the rims of the finest level
    GZ_LIST(gz_cluster_entry) clusters;
    GZ_LIST(uint64_t) offsets;    // of the pages of clusters
    GZ_LIST(gz_bounds) bounds;    // of each cluster
    GZ_LIST(gz_kept_region) kept; // of each cluster
    gz_spill regions;             // packed, of the clusters that are grouped
    gz_spill next_regions;        // of those that they become
    GZ_LIST(gz_level_entry) levels;
    GZ_LIST(gz_group_entry) groups;
    gz_index_list members;
} gz_levels;

// Every third level. The first one comes early, since regions are largest on the levels below it.
#define GZ_STANDS_FOR_ITSELF(level) ((level) % 3 == 2)

graze_status gz_levels_make(gz_levels *levels);
// For GZ_VALIDATE: stretches of the lists follow each other, without a gap and without overlap.
bool gz_levels_are_sound(const gz_levels *l);
void gz_levels_free(gz_levels *levels);

#endif
