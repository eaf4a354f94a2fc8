// The context: where memory, messages, threads and patience come from. Nothing in graze is global.
#ifndef GZ_CONTEXT_H
#define GZ_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/assertion.h"
#include "graze/base.h"

typedef struct gz_pool gz_pool;

struct graze_context {
    graze_context_def def; // as given, with defaults filled in
    char *temporary_folder;
    _Atomic uint64_t memory_current, memory_peak, memory_blocks;
    pthread_mutex_t pool_lock; // guards the creation of the pool and of the cache
    gz_pool *pool;             // NULL until the first parallel loop
    struct gz_cache *cache;    // of pages of models, while there are any; see model/page_cache.h
    _Atomic uint64_t serial;   // of what was made last, for those who must know things again
    _Atomic uint64_t progress_due; // monotonic nanoseconds of the next progress call
    // Fault injection, for tests: this many allocations (reads, writes) succeed, then one fails.
    // Negative means never.
    _Atomic int64_t allocations_left, reads_left, writes_left;
    // For tests.
    bool careful_only;            // text is read without the shortcut of mesh/lines.h
    _Atomic uint64_t plain_items; // that came by this shortcut
    uint32_t part_limit;    // triangles in a part of boxtree/tree_plan.h, 16 or more; 0: as is good
    uint32_t cluster_limit; // triangles in a cluster of model/cluster.h; 0: as is good
    bool long_regions;      // no cluster of model/levels.h but original ones stands for itself
    uint32_t fetch_way;     // of model/page_fetch.h
    bool direct_reads;      // of models that are opened, past the system's memory
};

// Log one sentence as an error and return the status, so that failing is one line.
graze_status gz_fail(graze_context *context, graze_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#ifdef __clang_analyzer__ // It cannot see in other files that failing never gives GRAZE_OK.
#define gz_fail(context, status, ...) (gz_fail(context, status, __VA_ARGS__), (status))
#endif
void gz_log(graze_context *context, graze_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// True when a test asked this very allocation (read, write) to fail.
static inline bool gz_fault_due(_Atomic int64_t *left)
{
    if (atomic_load_explicit(left, memory_order_relaxed) < 0)
        return false;
    return atomic_fetch_sub(left, 1) == 0;
}

// A def is sound if its struct_size was set and is not larger than the one we know.
#define GZ_DEF_SOUND(def, type) ((def)->struct_size != 0 && (def)->struct_size <= sizeof(type))

#endif
