// Does the driver draw as it must? Boxes of all kinds, looked at in every way, beside the truth.
#ifndef GZ_OPENGL_CHECK_H
#define GZ_OPENGL_CHECK_H

#include "cull/opengl_views.h"

// With the context current. False: the driver drew something else, or failed.
bool gz_views_check(gz_views *views);

#endif
