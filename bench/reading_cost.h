// What a process that reads one file says about itself, for bench_readers and its rivals. Each file
// is read in a process of its own, so that the peak of memory belongs to that reading alone.
#ifndef GRAZE_BENCH_READING_COST_H
#define GRAZE_BENCH_READING_COST_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include "stopwatch.h"

typedef struct reading {
    double seconds, processor_seconds;
    uint64_t start_bytes, peak_bytes; // resident memory of the process: before, and the most
    uint64_t mesh_bytes;              // what the result itself holds
    uint64_t vertex_count, triangle_count;
} reading;

#define READING_FORMAT "%lf %lf %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64

// The most memory that this program ever had resident. (getrusage would count what the process had
// before it became this program.)
static inline uint64_t reading_peak(void)
{
    uint64_t kibibytes = 0;
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (sscanf(line, "VmHWM: %" SCNu64, &kibibytes) == 1)
            break;
    if (status != NULL)
        fclose(status);
    return kibibytes * 1024;
}

// From here on the peak is anew.
static inline void reading_forget_peak(void)
{
    FILE *peaks = fopen("/proc/self/clear_refs", "w");
    if (peaks == NULL)
        return;
    fputs("5", peaks);
    fclose(peaks);
}

static inline void reading_begin(reading *r)
{
    *r = (reading){.start_bytes = reading_peak()};
    r->seconds = seconds_of(CLOCK_MONOTONIC);
    r->processor_seconds = processor_seconds();
}

static inline void reading_end(reading *r)
{
    r->seconds = seconds_of(CLOCK_MONOTONIC) - r->seconds;
    r->processor_seconds = processor_seconds() - r->processor_seconds;
    r->peak_bytes = reading_peak();
}

static inline void reading_print(const reading *r)
{
    printf("%.6f %.6f %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", r->seconds,
           r->processor_seconds, r->start_bytes, r->peak_bytes, r->mesh_bytes, r->vertex_count,
           r->triangle_count);
}

#endif
