// The gltf reader.
#include "mesh/reader.h"

#include "base/context.h"

graze_status gz_read_gltf(gz_source *source, gz_file *file, const graze_mesh_read_def *def,
                          gz_stream *stream)
{
    (void)file;
    (void)def;
    (void)stream;
    return gz_fail(source->context, GRAZE_ERROR_UNSUPPORTED, "%s: this format is not supported",
                   source->path);
}
