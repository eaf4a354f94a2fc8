// Builds small glTF files for tests. JSON is written with ' for " and $ for the list of buffers, so
// that one text serves all three kinds of files.
#ifndef GZ_TEST_GLTF_TEXT_H
#define GZ_TEST_GLTF_TEXT_H

#include "record.h"

typedef struct gltf_bytes {
    uint8_t *bytes;
    uint64_t count, capacity;
} gltf_bytes;

void gltf_put(gltf_bytes *to, const void *bytes, uint64_t count);
void gltf_put_u8(gltf_bytes *to, uint32_t count, const int *values);
void gltf_put_u16(gltf_bytes *to, uint32_t count, const int *values);
void gltf_put_u32(gltf_bytes *to, uint32_t count, const int *values);
void gltf_put_floats(gltf_bytes *to, uint32_t count, const float *values);
void gltf_free(gltf_bytes *bytes);

typedef enum gltf_kind { GLTF_TEXT, GLTF_GLB } gltf_kind;

// The file of this JSON and binary data: base64 in the text, or a binary chunk.
gltf_bytes gltf_build(gltf_kind kind, const char *json, const gltf_bytes *data);
gltf_bytes gltf_glb(const char *json, uint64_t json_bytes, const void *binary,
                    uint64_t binary_bytes);

// Builds and reads in one go. The record must be empty.
graze_status gltf_read(graze_context *context, gltf_kind kind, const char *json,
                       const gltf_bytes *data, record *r);

// A sink for large files: it keeps counts and the sum of all x only.
typedef struct gltf_tally {
    uint64_t vertex_count, triangle_count;
    double sum;
} gltf_tally;

graze_mesh_sink gltf_tally_sink(gltf_tally *tally);

#endif
