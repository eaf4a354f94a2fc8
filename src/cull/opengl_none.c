// The OpenGL engine of a build without it. See cull_engine.h.
#include <stdio.h>

#include "cull/cull_engine.h"

graze_status gz_cull_opengl_create(graze_context *context, const graze_cull_def *def,
                                   gz_cull_engine **engine, char why[256])
{
    (void)context;
    (void)def;
    *engine = NULL;
    snprintf(why, 256, "this build of graze has no OpenGL engine");
    return GRAZE_ERROR_UNSUPPORTED;
}
