// An engine that finds the potentially colliding set of a frame, for what is beyond the CPU's own
// way. See cull_frame.h for the steps of a frame.
#ifndef GZ_CULL_ENGINE_H
#define GZ_CULL_ENGINE_H

#include "cull/cull_frame.h"

typedef struct gz_cull_engine gz_cull_engine;
struct gz_cull_engine {
    graze_cull_engine kind;
    bool software;  // it draws on the CPU
    char name[128]; // of who does it, for the log
    // Clears bytes of frame->keep that are 1, for triangles of objects with partners. A triangle
    // keeps its byte unless it is proved to be farther than the tolerance from all triangles of
    // other objects. Counts its rounds. It is not called where an object is only asked about
    // itself; what it clears is not cleared for such questions.
    // @return GRAZE_OK; GRAZE_ERROR_UNSUPPORTED: it is broken for good, `keep` is all 1 again, and
    //         the CPU does this frame and all that come (the engine has logged why, as a warning);
    //         GRAZE_ERROR_MEMORY, GRAZE_ERROR_CANCELLED: the frame fails.
    graze_status (*prune)(gz_cull_engine *engine, const gz_cull_frame *frame, uint64_t *rounds);
    void (*destroy)(gz_cull_engine *engine);
};

// @return GRAZE_OK; GRAZE_ERROR_UNSUPPORTED, with one sentence in `why` for the log: it is not
// built
//         in, or there is no driver that can do it; GRAZE_ERROR_MEMORY.
graze_status gz_cull_opengl_create(graze_context *context, const graze_cull_def *def,
                                   gz_cull_engine **engine, char why[256]);

// Whether there may be a GPU: cheap, and may be wrong to say yes.
bool gz_cull_opengl_may_help(void);

#endif
