// A sink that keeps all it receives and a log that counts, for tests of readers and writers.
#ifndef GZ_COLLECT_H
#define GZ_COLLECT_H

#include <stdbool.h>

#include "test.h"

// A context that counts its messages. The last error is in test_last_error, as always.
graze_context *collecting_context(void);
extern uint32_t collected_errors, collected_warnings;
extern char collected_warning[2048]; // the last one

typedef struct collected_object {
    char name[128], group[128]; // cut where they are longer
    uint64_t first_triangle, triangle_count;
} collected_object;

typedef struct collected {
    graze_mesh_header header; // the encoding is the one below
    char encoding[64];
    double *positions; // widened where they are floats
    uint64_t vertex_count;
    uint64_t *corners;
    uint64_t triangle_count;
    collected_object *objects;
    uint64_t object_count;
    graze_mesh_losses losses;
    bool ended;
} collected;

// Reads into *out, which is freed with collected_free whatever the status.
graze_status collect_memory(graze_context *context, const char *name, const void *bytes,
                            uint64_t byte_count, graze_format format, collected *out);
graze_status collect_file(graze_context *context, const char *path, collected *out);
void collected_free(collected *data);

// The corner's coordinates; fails the test where there is no such corner.
const double *collected_corner(const collected *data, uint64_t triangle, uint32_t corner);

#endif
