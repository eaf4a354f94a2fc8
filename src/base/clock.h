// The time that goes on evenly.
#ifndef GZ_CLOCK_H
#define GZ_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t gz_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

#endif
