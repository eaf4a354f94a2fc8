// Knobs that tests and benchmarks turn: faults on purpose, and sizes at which small inputs take the
// ways of large ones. A context has none of them; answers are the same whatever they say.
#ifndef GZ_KNOBS_H
#define GZ_KNOBS_H

#include "base/context.h"

typedef struct gz_knobs {
    // So many allocations (reads, writes, OpenGL looks) succeed, then one fails. Negative: never.
    _Atomic int64_t allocations_left, reads_left, writes_left, draws_left;
    bool careful_only;            // text is read without the shortcut of mesh/read/lines.h
    _Atomic uint64_t plain_items; // that came by this shortcut
    uint32_t
        subtree_limit; // triangles in a part of boxtree/tree_builder.h, 16 or more; 0: as is good
    uint32_t cluster_limit;   // triangles in a cluster of model/cluster.h; 0: as is good
    bool long_regions;        // no cluster of model/levels.h but original ones stands for itself
    bool read_late;           // pages of models are read when they are needed, not ahead of time
    _Atomic bool hold_loader; // the thread of model/page_loader.h rests until this is false
    bool direct_reads;        // of models that are opened, past the system's memory
    bool try_software; // OpenGL drivers that draw on the CPU are tried as GPUs are, and at once
    uint32_t
        clash_order; // of a clash check: a gz_order_kind of scene/schedule.h and 1; 0: the best
    uint32_t record_batch; // pairs that a record takes in one transaction; 0: as is good
} gz_knobs;

// Those of a context; from the first call on it has some. Ends the program when out of memory.
gz_knobs *gz_knobs_for(graze_context *context);
void gz_knobs_free(graze_context *context);

// How they are set; zero where there are none.
#define GZ_KNOB(context, name) ((context)->knobs != NULL ? (context)->knobs->name : 0)

// True when a test asked this very one of the `allocations` (`reads`, `writes`) to fail.
#define GZ_FAULT_DUE(context, kind)                                                                \
    ((context)->knobs != NULL && gz_fault_due(&(context)->knobs->kind##_left))
static inline bool gz_fault_due(_Atomic int64_t *left)
{
    if (atomic_load_explicit(left, memory_order_relaxed) < 0)
        return false;
    return atomic_fetch_sub(left, 1) == 0;
}

#endif
