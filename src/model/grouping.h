// Grouping: which clusters of a level are simplified together. Groups are neighbours in space, of
// nearly equal size. On each level the cuts between groups lie elsewhere than on the level below,
// so that what was a border, and had to stay as it was, comes to lie inside and can be simplified.
#ifndef GZ_GROUPING_H
#define GZ_GROUPING_H

#include "base/memory.h"

typedef struct gz_grouping {
    uint32_t *member; // numbers of clusters, from 0; group after group, ascending in each
    uint32_t *first;  // of each group in `member`, and the end
    uint32_t group_count, cluster_count;
} gz_grouping;

// Groups have at most `most` clusters, at least 2, and where there are so many, at least half as
// many. `center` is the middle of each cluster. The same for every thread count.
// @return false when out of memory.
bool gz_grouping_make(graze_context *context, const float (*center)[3], uint32_t cluster_count,
                      uint32_t level, uint32_t most, gz_grouping *out);
void gz_grouping_free(graze_context *context, gz_grouping *grouping);

#endif
