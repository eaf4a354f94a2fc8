// A feed: the triangles of a stream that was put aside, in order, some at a time, with their
// coordinates. Vertices are looked up one by one, through a cache. Where triangles name vertices
// all over the file, most of that would be reading the same blocks again and again; then the rest
// of the triangles get their coordinates by sorting: corners by vertex, joined with the vertices,
// and back by triangle. Both ways give the same triangles in the same order.
#ifndef GZ_FEED_H
#define GZ_FEED_H

#include "base/sorter.h"
#include "graze/geometry.h"
#include "mesh/inspect/positions.h"

#define GZ_FEED_TRIANGLES 512u

typedef struct gz_feed_def {
    gz_positions *positions;
    gz_spill *corners;     // vertex numbers, as triples.h has them
    const char *stage;     // for progress, a literal
    uint64_t window_bytes; // for reading corners
    uint64_t join_bytes;   // for each of two sorters, used where vertices lie too far apart
    uint32_t fan_bits;
    uint64_t patience; // block loads allowed beyond one each, per 1024 triangles
} gz_feed_def;

typedef struct gz_feed {
    graze_context *context;
    gz_feed_def def;
    gz_spill_cursor corners;
    uint64_t corners_used;   // of those the cursor handed out last
    uint64_t triangle_count; // in all
    uint64_t next_triangle;  // number of the first of this batch
    gz_sorter *joined;       // NULL while the cache serves
    const uint8_t *joined_next;
    uint64_t joined_left;
    uint32_t count; // of this batch; 0 at the end
    graze_triangle triangles[GZ_FEED_TRIANGLES];
} gz_feed;

// The first batch comes with the first gz_feed_fill.
graze_status gz_feed_open(graze_context *context, const gz_feed_def *def, gz_feed **feed);
void gz_feed_close(gz_feed *feed); // accepts NULL
graze_status gz_feed_fill(gz_feed *feed);

#endif
