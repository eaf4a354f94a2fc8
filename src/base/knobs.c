// Knobs of a context. See knobs.h.
#include "base/knobs.h"

#include "base/memory.h"

gz_knobs *gz_knobs_for(graze_context *context)
{
    if (context->knobs != NULL)
        return context->knobs;
    gz_knobs *made = gz_uncounted(sizeof *made);
    GZ_ASSERT(made != NULL);
    *made =
        (gz_knobs){.allocations_left = -1, .reads_left = -1, .writes_left = -1, .draws_left = -1};
    return context->knobs = made;
}

void gz_knobs_free(graze_context *context)
{
    gz_uncounted_free(context->knobs);
    context->knobs = NULL;
}
