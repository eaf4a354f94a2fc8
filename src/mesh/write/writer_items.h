// How PLY and binary STL look on disk, item by item: shared by the writers of whole meshes
// (writer_ply.c, writer_stl.c) and the one of streams (writer_stream.c).
#ifndef GZ_WRITER_ITEMS_H
#define GZ_WRITER_ITEMS_H

#include <stdbool.h>

#include "graze/mesh.h"

// What a vertex or a face of a PLY looks like.
typedef struct gz_ply_kind {
    bool ascii, big_endian, floats;
} gz_ply_kind;

#define GZ_PLY_HEADER_BYTES 240u

// Writes the header and returns its length. `length` not 0: a comment makes it that long, so that
// counts can be filled in later without moving what follows. GZ_PLY_HEADER_BYTES always fit.
uint32_t gz_ply_header_text(char text[GZ_PLY_HEADER_BYTES + 1], const gz_ply_kind *kind,
                            uint64_t vertex_count, uint64_t triangle_count, uint32_t length);
// Each writes one item at `out` and returns the byte behind it. `user` is a gz_ply_kind.
uint8_t *gz_ply_put_vertex(const void *user, uint8_t *out, const double position[3]);
uint8_t *gz_ply_put_face(const void *user, uint8_t *out, const uint64_t corners[3]);
// GRAZE_ERROR_UNSUPPORTED with a sentence if there are more vertices than a face can name.
graze_status gz_ply_check_count(graze_context *context, const char *path, uint64_t vertex_count);
// The format has one object without a name; what is more than that is lost, with a warning.
void gz_ply_warn(graze_context *context, const char *path, uint64_t object_count,
                 const graze_object *first);

typedef struct gz_stl_facet {
    double corner[3][3];
    float normal[3];
} gz_stl_facet;

// For programs that look at it; zero where the triangle has none. Readers of graze do not care.
void gz_stl_set_normal(gz_stl_facet *facet);
// Adds the coordinates that binary STL rounds to *rounded. One that becomes infinite is no rounding
// but GRAZE_ERROR_UNSUPPORTED, with a sentence.
graze_status gz_stl_check_rounding(graze_context *context, const char *path, uint64_t triangle,
                                   const gz_stl_facet *facet, uint64_t *rounded);
uint8_t *gz_stl_put_facet(uint8_t *out, const gz_stl_facet *facet); // binary
// Header and count, as stl.h has them. The header holds the name if there is one object whose name
// it can hold, else zeros.
void gz_stl_put_start(uint8_t *out, uint64_t triangle_count, uint64_t object_count,
                      const graze_object *first);
graze_status gz_stl_check_count(graze_context *context, const char *path, uint64_t triangle_count);
// Warns of what binary STL could not hold.
void gz_stl_warn(graze_context *context, const char *path, uint64_t object_count,
                 const graze_object *first, uint64_t triangle_count, uint64_t rounded);

#endif
