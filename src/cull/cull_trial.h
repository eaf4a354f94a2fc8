// Whether a GPU is faster than the CPU, for cullers that leave it to us: found by a short trial on
// the user's own frames.
#ifndef GZ_CULL_TRIAL_H
#define GZ_CULL_TRIAL_H

#include "cull/cull_engine.h"

typedef enum gz_trial_state { GZ_TRIAL_WATCHING, GZ_TRIAL_RUNNING, GZ_TRIAL_OVER } gz_trial_state;

// Zero is the beginning of one.
typedef struct gz_cull_trial {
    gz_trial_state state;
    uint32_t frames; // of the state
    uint64_t watched_ns;
    double cpu_best, opengl_best; // nanoseconds a triangle, of the last frames
} gz_cull_trial;

// Around each frame of a culler that leaves it to us. `engine` is the culler's, NULL for the CPU:
// it may be made, and given up. Failing is no failure: the CPU goes on.
void gz_trial_before(gz_cull_trial *trial, graze_context *context, const graze_cull_def *def,
                     gz_cull_engine **engine);
void gz_trial_after(gz_cull_trial *trial, graze_context *context, gz_cull_engine **engine,
                    uint64_t nanoseconds, uint64_t triangle_count);

#endif
