// The stream: what every reader writes into, and what a sink receives.
// It stands between the two so that each rule is kept in one place: batches, vertex numbers in
// range, non-finite triangles dropped and counted, polygons cut always the same way, triangles that
// name later vertices held back, every triangle in an object.
#ifndef GZ_STREAM_H
#define GZ_STREAM_H

#include <stdbool.h>

#include "graze/mesh.h"

typedef struct gz_stream gz_stream;

// `path` is for messages. The sink is copied.
graze_status gz_stream_open(graze_context *context, const char *path, const graze_mesh_sink *sink,
                            gz_stream **stream);
void gz_stream_close(gz_stream *stream); // accepts NULL; no sink call

// Must come first. `polygons`: the format can have faces of more than three corners, so vertices
// must stay reachable (through the sink's position callback, or in a copy).
graze_status gz_stream_begin(gz_stream *stream, const graze_mesh_header *header, bool polygons);

// Any number of vertices, floats or doubles as the header said. Cheapest in batches of a thousand.
// The second is for those who know that all are finite.
graze_status gz_stream_vertices(gz_stream *stream, const void *positions, uint64_t count);
graze_status gz_stream_finite_vertices(gz_stream *stream, const void *positions, uint64_t count);
uint64_t gz_stream_vertex_count(const gz_stream *stream);
// No more vertices will come: from here on a number out of range fails at once. Readers that know
// it say so; gz_stream_end implies it.
graze_status gz_stream_vertices_done(gz_stream *stream);

// Vertex numbers of the whole stream. They may name vertices that have not arrived; those that
// never arrive fail the stream with their `offset` (in the file) in the sentence.
graze_status gz_stream_triangles(gz_stream *stream, const uint64_t *corners, uint64_t count,
                                 uint64_t offset);
// The same for triangles that name no vertex from `bound` on.
graze_status gz_stream_bounded_triangles(gz_stream *stream, const uint64_t *corners, uint64_t count,
                                         uint64_t bound);
// The same for triangles that lie `stride` bytes apart in the file, so that the one that fails can
// be named.
graze_status gz_stream_triangle_run(gz_stream *stream, const uint64_t *corners, uint64_t count,
                                    uint64_t offset, uint64_t stride);
// Vertices and triangles that the reader puts into the sink's memory itself, with any number of
// threads: for sinks that are meshes in memory. The vertices are finite; the triangles name none
// from `bound` on, and those of the room itself from `first_vertex` on.
typedef struct gz_room {
    uint64_t vertex_count, triangle_count, bound; // what is asked for
    void *positions;                              // NULL: there is no such room now, nor later
    uint32_t *corners;                            // NULL as well
    uint64_t first_vertex;
} gz_room;

// Nothing else goes to the stream between the two. gz_stream_room_filled comes only after a room
// that was given; it says how much of it there is, from the front.
bool gz_stream_has_rooms(const gz_stream *stream); // false: there never is one
graze_status gz_stream_room(gz_stream *stream, gz_room *room);
graze_status gz_stream_room_filled(gz_stream *stream, const gz_room *room, uint64_t vertex_count,
                                   uint64_t triangle_count);

// One face: fewer than three corners are counted and dropped, more are cut into triangles.
graze_status gz_stream_face(gz_stream *stream, const uint64_t *corners, uint64_t corner_count,
                            uint64_t offset);
// Triangles so far, as the sink will number them (dropped ones do not count). Exact while no
// triangle has named a vertex that has not arrived.
uint64_t gz_stream_triangle_count(const gz_stream *stream);
void gz_stream_count_other(gz_stream *stream, uint64_t count); // points and lines left out

// From here on triangles belong to a new object of this name. Ends the one before; an object
// without triangles vanishes, unless it was the only one. For formats with objects as sections.
graze_status gz_stream_start_object(gz_stream *stream, const char *name, const char *group);
// A complete object over any range of triangles: for formats with instances. A reader uses either
// this or gz_stream_start_object.
graze_status gz_stream_object(gz_stream *stream, const graze_object *object);

// All has been said: checks what was held back, closes the last object, warns of what was left out
// and of a mesh without triangles, calls the sink's end.
graze_status gz_stream_end(gz_stream *stream);

#endif
