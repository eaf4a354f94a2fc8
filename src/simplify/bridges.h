// Bridges: for each vertex, a near vertex of another connected component, onto which it may be
// moved.
#ifndef GZ_BRIDGES_H
#define GZ_BRIDGES_H

#include "simplify/simplify_work.h"

// Bytes of scratch for a patch.
uint64_t gz_bridges_bytes(uint64_t vertex_count);

// Looks for bridges no longer than `reach`, and for some that are up to four times as long. Finds
// one for a vertex if there is one, but not always the shortest. Takes linear time.
void gz_bridges_find(gz_work *work, double reach, gz_arena scratch);

#endif
