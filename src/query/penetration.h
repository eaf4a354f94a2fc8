// How deep two shapes are in each other, with a limit of its own.
#ifndef GZ_PENETRATION_H
#define GZ_PENETRATION_H

#include "graze/query.h"

// As graze_query_penetration; undecided, with bounds that hold, after so many cells were cut.
// Unlike a limit of work this ends at the same place for any cache.
graze_status gz_penetration_limited(graze_query *query, graze_posed a, graze_posed b,
                                    const graze_penetration_def *def, uint64_t cell_limit,
                                    graze_penetration *out);

#endif
