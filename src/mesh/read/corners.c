// Gathers faces. See corners.h.
#include "mesh/read/corners.h"

#include <inttypes.h>

#include "base/context.h"
#include "mesh/polygon.h"

void gz_corners_free(gz_corners *corners)
{
    gz_list_free(corners->source->context, &corners->numbers);
}

graze_status gz_corners_start(gz_corners *corners, int64_t length, uint64_t offset)
{
    gz_source *source = corners->source;
    corners->offset = offset;
    corners->numbers.count = 0;
    if (length < 0)
        return gz_fail(source->context, GRAZE_ERROR_FORMAT,
                       "%s: byte %" PRIu64 ": a face has %" PRId64 " corners", source->path, offset,
                       length);
    if (length > GZ_POLYGON_CORNERS)
        return gz_fail(source->context, GRAZE_ERROR_UNSUPPORTED,
                       "%s: byte %" PRIu64 ": a face has %" PRId64 " corners; up to %u are read",
                       source->path, offset, length, GZ_POLYGON_CORNERS);
    return GRAZE_OK;
}

graze_status gz_corners_negative(gz_source *source, uint64_t offset, int64_t number)
{
    return gz_fail(source->context, GRAZE_ERROR_FORMAT,
                   "%s: byte %" PRIu64 ": triangle names vertex %" PRId64, source->path, offset,
                   number);
}

graze_status gz_corners_add(gz_corners *corners, int64_t number)
{
    gz_source *source = corners->source;
    if (number < 0)
        return gz_corners_negative(source, corners->offset, number);
    uint64_t *slot = gz_list_push(source->context, &corners->numbers, 1);
    if (slot == NULL)
        return gz_fail(source->context, GRAZE_ERROR_MEMORY, "%s: out of memory for a face",
                       source->path);
    *slot = (uint64_t)number;
    return GRAZE_OK;
}

graze_status gz_corners_pass(gz_corners *corners, gz_stream *stream)
{
    return gz_stream_face(stream, corners->numbers.items, corners->numbers.count, corners->offset);
}
