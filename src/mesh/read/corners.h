// The corners of the face at hand, gathered as they come: a length in a file is only a claim.
#ifndef GZ_CORNERS_H
#define GZ_CORNERS_H

#include "base/memory.h"
#include "mesh/read/source.h"
#include "mesh/stream.h"

typedef struct gz_corners {
    gz_source *source;
    uint64_t offset; // of the face, for messages
    GZ_LIST(uint64_t) numbers;
} gz_corners;

static inline gz_corners gz_corners_make(gz_source *source)
{
    return (gz_corners){.source = source};
}
void gz_corners_free(gz_corners *corners);

// A new face with this many corners. GRAZE_ERROR_UNSUPPORTED if they are too many for a polygon.
graze_status gz_corners_start(gz_corners *corners, int64_t length, uint64_t offset);
graze_status gz_corners_add(gz_corners *corners, int64_t number); // fails if it is negative
graze_status gz_corners_pass(gz_corners *corners, gz_stream *stream);

// "triangle names vertex -1"
graze_status gz_corners_negative(gz_source *source, uint64_t offset, int64_t number);

#endif
