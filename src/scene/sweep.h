// Which boxes a few moving ones overlap, step by step (Wilson et al., section 4.4: floating nodes
// and their lists of possible overlaps). Pairs of static boxes are not kept.
//
// The paper sweeps and prunes: it keeps the ends of all boxes sorted. With few moving among many
// static ones most of that is about boxes that stay where they are. So static boxes are in a BVH
// (node_bvh.h), and a floating one asks it with a box that is larger than its own: what that finds
// are all that it can overlap until it leaves the larger box. Floating boxes among themselves are
// swept along one axis, in an order that insertion sort repairs from step to step. A step among
// 2,000 takes some tenths of a microsecond for each that moves.
//
// Boxes are grown by half of a margin, as those of the overlap graph are. Boxes may be empty, and
// then overlap nothing; no bound is NaN.
#ifndef GZ_SWEEP_H
#define GZ_SWEEP_H

#include <stdbool.h>

#include "base/memory.h"
#include "graze/geometry.h"

typedef struct gz_sweep gz_sweep;

// @param margin  finite, not negative.
// @return GRAZE_OK, GRAZE_ERROR_MEMORY.
graze_status gz_sweep_create(graze_context *context, double margin, gz_sweep **sweep);
void gz_sweep_free(gz_sweep *sweep); // accepts NULL

// @param id  receives its number: small, and used again after it was removed and a step taken.
// @return GRAZE_OK, GRAZE_ERROR_MEMORY.
graze_status gz_sweep_add(gz_sweep *sweep, const graze_box *box, bool floating, uint32_t *id);
void gz_sweep_remove(gz_sweep *sweep, uint32_t id);
// Static boxes may move, too, but that costs as much as removing and adding them.
void gz_sweep_move(gz_sweep *sweep, uint32_t id, const graze_box *box);

typedef struct gz_sweep_pair {
    uint32_t a, b; // a is floating; a < b if both are
} gz_sweep_pair;

// What became different by a step, by a, then b. Of boxes that were removed, pairs end. Valid until
// the next step.
typedef struct gz_sweep_changes {
    const gz_sweep_pair *began, *ended;
    uint64_t began_count, ended_count;
} gz_sweep_changes;

// Brings the lists up to date with all that was added, removed and moved since the last step.
// @param changes  NULL if not wanted.
// @return GRAZE_OK, GRAZE_ERROR_MEMORY: the lists are as before, and the next step does it all.
graze_status gz_sweep_step(gz_sweep *sweep, gz_sweep_changes *changes);

// What a floating box overlapped at the last step, ascending. Valid until the next step.
const uint32_t *gz_sweep_overlaps(const gz_sweep *sweep, uint32_t id, uint32_t *count);

// For prefetch (section 4.5): appends the numbers, ascending, of all boxes, as they are now, that
// box `id` meets when it is stretched along velocity times time. Both are finite.
// @return GRAZE_OK, GRAZE_ERROR_MEMORY.
graze_status gz_sweep_ahead(gz_sweep *sweep, uint32_t id, const double velocity[3], double time,
                            gz_index_list *met);

#endif
