// The header of a PLY file: which elements follow, how often, and what each consists of.
#ifndef GZ_PLY_HEADER_H
#define GZ_PLY_HEADER_H

#include "base/memory.h"
#include "mesh/read/source.h"

typedef enum gz_ply_encoding { GZ_PLY_ASCII, GZ_PLY_LITTLE, GZ_PLY_BIG } gz_ply_encoding;

typedef enum gz_ply_type {
    GZ_PLY_INT8,
    GZ_PLY_UINT8,
    GZ_PLY_INT16,
    GZ_PLY_UINT16,
    GZ_PLY_INT32,
    GZ_PLY_UINT32,
    GZ_PLY_FLOAT32,
    GZ_PLY_FLOAT64
} gz_ply_type;
static inline uint32_t gz_ply_type_bytes(gz_ply_type type)
{
    static const uint8_t bytes[] = {1, 1, 2, 2, 4, 4, 4, 8};
    return bytes[type];
}

typedef enum gz_ply_property_role {
    GZ_PLY_X,
    GZ_PLY_Y,
    GZ_PLY_Z,
    GZ_PLY_INDICES, // a list of vertex numbers
    GZ_PLY_OTHER    // read past
} gz_ply_property_role;

typedef struct gz_ply_property {
    gz_ply_property_role role;
    bool list;
    gz_ply_type count_type; // of lists
    gz_ply_type type;
} gz_ply_property;

typedef enum gz_ply_element_role {
    GZ_PLY_VERTICES,
    GZ_PLY_FACES,
    GZ_PLY_STRIPS,
    GZ_PLY_EDGES,
    GZ_PLY_REST
} gz_ply_element_role;

#define GZ_PLY_NAME_BYTES 32

typedef struct gz_ply_element {
    gz_ply_element_role role;
    uint64_t count;
    uint32_t first_property, property_count;
    bool has_list;
    uint32_t item_bytes;          // in binary files, lists left out
    char name[GZ_PLY_NAME_BYTES]; // for messages; cut if it is longer
} gz_ply_element;

typedef struct gz_ply_header {
    gz_ply_encoding encoding;
    GZ_LIST(gz_ply_element) elements;
    GZ_LIST(gz_ply_property) properties; // of all elements
} gz_ply_header;

// Reads up to and with the line "end_header". Exactly one property of each role X, Y, Z in vertex
// elements, none of them a list; INDICES are lists; one vertex element at most: all checked.
graze_status gz_ply_header_read(gz_source *source, gz_ply_header *header);
void gz_ply_header_free(graze_context *context, gz_ply_header *header); // also after a failure

#endif
