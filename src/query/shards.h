// How deep two shapes can be in each other inside a box, found by cutting it along their triangles.
#ifndef GZ_SHARDS_H
#define GZ_SHARDS_H

#include "query/query_scratch.h"
#include "query/wedge.h"

// No point of the box, which is in the ball, that is inside both shapes is deeper in either of them
// than this, if it is at most `enough`; else infinity. Warm, it allocates nothing.
graze_status gz_shards_bound(graze_query *query, const gz_wedge_ball *ball, const graze_box *box,
                             double enough, double *bound);

#endif
