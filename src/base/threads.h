// Parallel loops on the user's task system or on threads of the context's own.
#ifndef GZ_THREADS_H
#define GZ_THREADS_H

#include "graze/base.h"

// Calls task(data, i) once for each i below count, on all threads, and returns when all are done.
// Never fails: where no thread can be had, the calling one does the work. Nested loops run on the
// calling thread. Tasks fill places of their own; joining them in order of i keeps answers
// independent of the thread count.
void gz_parallel(graze_context *context, uint32_t count, graze_task *task, void *data);

void gz_pool_destroy(graze_context *context);

// Reports progress at most ten times a second, and asks whether to go on.
// @return GRAZE_OK or GRAZE_ERROR_CANCELLED, the latter already logged.
graze_status gz_checkpoint(graze_context *context, const char *stage, const char *unit,
                           uint64_t done, uint64_t total);

#endif
