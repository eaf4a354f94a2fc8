// Time for benchmarks, in seconds since some moment.
#ifndef GRAZE_BENCH_STOPWATCH_H
#define GRAZE_BENCH_STOPWATCH_H

#include <time.h>

static inline double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Of this process, on all its threads: others on the same machine disturb it least.
static inline double processor_seconds(void) { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

#endif
