// The assimp reader.
#include "mesh/reader.h"

#include "base/context.h"

graze_status gz_read_assimp(gz_file *file, const graze_mesh_read_def *def, gz_stream *stream)
{
    (void)def;
    (void)stream;
    return gz_fail(file->context, GRAZE_ERROR_UNSUPPORTED, "%s: this format is not supported",
                   file->path);
}
