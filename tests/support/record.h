// A sink that keeps all it gets and checks the order that sinks are promised. For tests of readers.
#ifndef GZ_TEST_RECORD_H
#define GZ_TEST_RECORD_H

#include "test.h"

typedef struct record_object {
    char *name, *group;
    graze_object object; // its strings are the copies above
} record_object;

typedef struct record {
    graze_mesh_header header;
    char encoding[100];
    double *positions; // widened
    uint64_t vertex_count;
    uint64_t *corners;
    uint64_t triangle_count;
    record_object *objects;
    uint64_t object_count;
    graze_mesh_losses losses;
    int begun, ended;
    int without_position; // set before reading: the sink does not fetch vertices
} record;

graze_mesh_sink record_sink(record *r);
void record_free(record *r); // leaves an empty one

// Reads from memory into an empty record.
graze_status record_read(graze_context *context, const char *name, const void *bytes,
                         uint64_t byte_count, graze_format format, record *r);
// The same for text.
graze_status record_read_text(graze_context *context, const char *name, const char *text,
                              record *r);

// Checks a whole mesh: counts and each number.
void record_check_vertices(const record *r, uint64_t count, const double *positions);
void record_check_triangles(const record *r, uint64_t count, const uint64_t *corners);

#endif
