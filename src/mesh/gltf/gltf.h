// What the parts of the glTF reader share. The flow: reader_gltf.c takes the container apart and
// checks what the file asks for; gltf_nodes.c walks the node tree; gltf_mesh.c turns primitives
// into vertices and triangles; gltf_accessor.c finds their elements; gltf_buffer.c finds the bytes.
//
// Memory: the JSON text and its tokens are held, and a few words for each node, mesh, accessor and
// buffer. All else passes through buffers of fixed size. All checks that need no look at the binary
// data are made before the first vertex is handed on.
#ifndef GZ_GLTF_H
#define GZ_GLTF_H

#include "base/json.h"
#include "base/spill.h"
#include "mesh/read/source.h"
#include "mesh/stream.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "glTF data is read as it lies in memory");

#define GZ_GLTF_NONE        UINT32_MAX
#define GZ_GLTF_PIECE_BYTES (1u << 18) // binary data passes through pieces of this size
#define GZ_GLTF_BATCH       12288u // elements at a time: whole triangles, and small enough for L2

// The items of a top-level array, so that they can be found by number.
typedef struct gz_gltf_table {
    uint32_t *tokens;
    uint32_t count;
} gz_gltf_table;

// A buffer, opened when it is first used.
typedef struct gz_gltf_buffer {
    uint32_t token;
    uint64_t byte_count; // as the JSON claims; once `known`, that many are there
    bool known;          // it has been opened before
    bool open;
    uint32_t opened_as;    // the how manieth file
    gz_file *file;         // the bytes lie here from `start` on;
    const gz_spill *spill; // or they are all of this;
    const char *base64;    // or characters in the JSON text
    uint64_t base64_count;
    uint64_t start; // where the bytes begin in the file that `path` names
    const char *path;
    char *own_path;
    gz_file own_file; // open if `file` points here
} gz_gltf_buffer;

typedef struct gz_gltf {
    graze_context *context;
    gz_source *source;
    gz_file *file;
    gz_stream *stream;
    const char *path;
    char *text; // the JSON, with a zero byte behind it
    uint64_t text_bytes, text_capacity;
    gz_json json;
    gz_gltf_table buffer_views, accessors, meshes, nodes;
    gz_gltf_buffer *buffers;
    uint32_t buffer_count;
    uint32_t files_opened; // so far, to close the oldest
    bool quantized;        // KHR_mesh_quantization is in use
    bool noted_skin, noted_morph, noted_no_position;

    // The binary chunk of a GLB: a part of the file itself, or unpacked into a spill.
    bool glb, has_binary;
    uint64_t binary_start, binary_bytes; // in the unpacked file
    gz_spill spill;

    // The tree: GZ_GLTF_NONE where there is nothing. A node has at most one parent, and no cycles.
    uint32_t *parent, *first_child, *next_sibling;

    // What has been handed on: by accessor its first vertex, by mesh its triangles.
    uint64_t *first_vertex, *first_triangle, *triangle_count; // UINT64_MAX: not yet
    uint64_t planned_vertices, planned_triangles;
    uint64_t planned_bytes, there_bytes, done_bytes;

    uint8_t *piece;    // GZ_GLTF_PIECE_BYTES of raw data
    uint8_t *elements; // GZ_GLTF_BATCH elements of at most 16 bytes
    float *positions;  // GZ_GLTF_BATCH positions
    uint64_t *corners; // GZ_GLTF_BATCH vertex numbers
    uint64_t *faces;   // the same, for triangles made of strips and fans
} gz_gltf;

graze_status gz_gltf_out_of_memory(gz_gltf *gltf);
// The member `key` as a whole number up to `limit`; *value stays as it is where there is none.
graze_status gz_gltf_uint(gz_gltf *gltf, uint32_t object, const char *key, uint64_t limit,
                          uint64_t *value);
// The same where there must be one.
graze_status gz_gltf_require_uint(gz_gltf *gltf, uint32_t object, const char *key, uint64_t limit,
                                  uint64_t *value);
// The member `key` as a number below `count` of the things called `what`; GZ_GLTF_NONE if absent.
graze_status gz_gltf_index(gz_gltf *gltf, uint32_t object, const char *key, const char *what,
                           uint32_t count, uint32_t *index);
graze_status gz_gltf_index_of(gz_gltf *gltf, uint32_t token, const char *what, uint32_t count,
                              uint32_t *index);
// Numbers of an array; exactly `count` finite ones. `what` is for the sentence.
graze_status gz_gltf_numbers(gz_gltf *gltf, uint32_t token, const char *what, uint32_t count,
                             double *values);

// Counts bytes that will be asked for, so that a small file cannot ask for the same ones for ever.
void gz_gltf_layout_bytes(gz_gltf *gltf, uint64_t count, uint32_t element_bytes);
void gz_gltf_note_once(gz_gltf *gltf, bool *noted, const char *sentence);

// ---- gltf_buffer.c
// Reads the list of buffers; looks at no data.
graze_status gz_gltf_buffers_open(gz_gltf *gltf);
void gz_gltf_buffers_close(gz_gltf *gltf);
// Makes sure that the buffer is there with all the bytes it claims.
graze_status gz_gltf_buffer_check(gz_gltf *gltf, uint32_t buffer);
// The range must lie in a checked buffer.
graze_status gz_gltf_buffer_read(gz_gltf *gltf, uint32_t buffer, uint64_t offset, void *out,
                                 uint64_t bytes);
// Logs "<file>: byte <place in that file>: <sentence>" and returns GRAZE_ERROR_FORMAT.
graze_status gz_gltf_buffer_fail(gz_gltf *gltf, uint32_t buffer, uint64_t offset,
                                 const char *format, ...) __attribute__((format(printf, 4, 5)));

// ---- gltf_accessor.c
typedef struct gz_gltf_span {
    uint32_t buffer; // GZ_GLTF_NONE: all zeros
    uint32_t stride;
    uint64_t offset; // in the buffer
} gz_gltf_span;

typedef struct gz_gltf_accessor {
    uint32_t index, token;
    uint64_t count;
    uint32_t component_type; // 5120 to 5126, as in the file
    uint32_t component_bytes, components;
    uint32_t element_bytes; // at most 16
    bool normalized;
    gz_gltf_span span;
    uint64_t sparse_count;
    uint32_t sparse_index_bytes;
    gz_gltf_span sparse_indices, sparse_values;
} gz_gltf_accessor;

// Checks every number and that the data is there. Only scalars and vectors.
graze_status gz_gltf_accessor_open(gz_gltf *gltf, uint32_t index, gz_gltf_accessor *accessor);

#define GZ_GLTF_SPARSE_PIECE 256u

// Hands out the elements from front to back.
typedef struct gz_gltf_cursor {
    const gz_gltf_accessor *accessor;
    uint64_t next;        // element
    uint64_t sparse_next; // of the replaced elements, the first that is not in the arrays below
    uint32_t sparse_at, sparse_held;
    int64_t sparse_last; // the last replaced element, to see that they rise
    uint32_t sparse_index[GZ_GLTF_SPARSE_PIECE];
    uint8_t sparse_value[GZ_GLTF_SPARSE_PIECE * 16];
} gz_gltf_cursor;

void gz_gltf_cursor_start(gz_gltf_cursor *cursor, const gz_gltf_accessor *accessor);
// The next `count` elements (at most GZ_GLTF_BATCH and what is left), packed, as in the file.
// Also the place where progress is reported and cancelling is noticed.
graze_status gz_gltf_cursor_read(gz_gltf *gltf, gz_gltf_cursor *cursor, uint32_t count,
                                 uint8_t *out);
// Components of packed elements as float, by the formulas of glTF where they are normalized.
void gz_gltf_to_float(const gz_gltf_accessor *accessor, const uint8_t *elements, uint64_t count,
                      float *out);

// ---- gltf_mesh.c
// Checks a mesh and adds what it will hand on to the plan; nothing the second time.
graze_status gz_gltf_mesh_plan(gz_gltf *gltf, uint32_t mesh);
// Hands on its vertices and triangles; nothing the second time.
graze_status gz_gltf_mesh_stream(gz_gltf *gltf, uint32_t mesh);

// ---- gltf_nodes.c
// Reads parents and children, and refuses all that is not a forest.
graze_status gz_gltf_tree_open(gz_gltf *gltf);
void gz_gltf_tree_close(gz_gltf *gltf);

// A node with a mesh. Strings end with the call.
typedef struct gz_gltf_visit {
    uint32_t node_token; // GZ_JSON_NONE for a mesh without nodes
    uint32_t mesh;
    const char *name, *group;
    const double *matrix; // 3 rows of 4
} gz_gltf_visit;

// Calls `visit` for each node with a mesh, parents before children, in the order of the file.
graze_status gz_gltf_walk(gz_gltf *gltf,
                          graze_status (*visit)(gz_gltf *gltf, const gz_gltf_visit *visit));

// ---- gltf_instances.c
// EXT_mesh_gpu_instancing: the extension's object in a node, or GZ_JSON_NONE.
uint32_t gz_gltf_instancing(const gz_gltf *gltf, uint32_t node_token);
graze_status gz_gltf_instances_plan(gz_gltf *gltf, uint32_t extension);
// Hands on one object for each instance; `object` is what they have in common.
graze_status gz_gltf_instances_stream(gz_gltf *gltf, uint32_t extension,
                                      const graze_object *object);

#endif
