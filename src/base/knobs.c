// Knobs of a context. See knobs.h.
#include "base/knobs.h"

gz_knobs *gz_knobs_for(graze_context *context)
{
    if (context->knobs != NULL)
        return context->knobs;
    gz_knobs *made = malloc(sizeof *made); // not counted: they change nothing
    GZ_ASSERT(made != NULL);
    *made = (gz_knobs){.allocations_left = -1, .reads_left = -1, .writes_left = -1};
    return context->knobs = made;
}

void gz_knobs_free(graze_context *context)
{
    free(context->knobs);
    context->knobs = NULL;
}
