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
    struct gz_knobs *knobs;        // NULL but in tests and benchmarks; see base/knobs.h
};

// Log one sentence as an error and return the status, so that failing is one line. Without a
// context the sentence is kept for graze_context_error(NULL).
graze_status gz_fail(graze_context *context, graze_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#ifdef __clang_analyzer__ // It cannot see in other files that failing never gives GRAZE_OK.
#define gz_fail(context, status, ...) (gz_fail(context, status, __VA_ARGS__), (status))
#endif
// The same for a pointer that may not be NULL: "who: an argument is NULL".
graze_status gz_fail_null(graze_context *context, const char *who);
void gz_log(graze_context *context, graze_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
