// The obj reader.
#include "mesh/reader.h"

#include "base/context.h"

graze_status gz_read_obj(gz_source *source, const graze_mesh_read_def *def, gz_stream *stream)
{
    (void)def;
    (void)stream;
    return gz_fail(source->context, GRAZE_ERROR_UNSUPPORTED, "%s: this format is not supported",
                   source->path);
}
