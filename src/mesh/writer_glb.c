// Writes GLB.
#include "base/context.h"
#include "mesh/writer.h"

graze_status gz_write_glb(gz_packer *packer, graze_context *context, const graze_mesh_view *view,
                          const graze_mesh_write_def *def)
{
    (void)view;
    (void)def;
    return gz_fail(context, GRAZE_ERROR_UNSUPPORTED, "%s: this build cannot write GLB",
                   gz_packer_path(packer));
}
