// Whether a GPU is faster than the CPU, for cullers that leave it to us: found by a short trial on
// the user's own frames.
//
// Loading a driver takes tens of milliseconds and as many megabytes. So the CPU begins, and nothing
// is loaded before it has worked for as long as makes the difference worth knowing. A driver that
// draws on the CPU would take from us the cores that we use better ourselves: it is not tried. The
// trial decides about time alone; answers are those of either.
#include "cull/cull_trial.h"

#include "base/knobs.h"

#define WATCHED_FRAMES UINT32_C(8)
#define WATCHED_NS     UINT64_C(250000000)
#define TRIED_FRAMES   UINT32_C(4) // the first one is not counted: drivers compile then

static void stay(gz_cull_trial *trial, graze_context *context, const char *why)
{
    trial->state = GZ_TRIAL_OVER;
    gz_log(context, GRAZE_LOG_NOTE, "culling stays on the CPU: %s", why);
}

static void try_opengl(gz_cull_trial *trial, graze_context *context, const graze_cull_def *def,
                       gz_cull_engine **engine)
{
    char why[256] = "";
    bool any_driver = GZ_KNOB(context, try_software);
    if (!any_driver && !gz_cull_opengl_may_help()) {
        stay(trial, context, "there is no GPU with OpenGL");
        return;
    }
    if (gz_cull_opengl_create(context, def, engine, why) != GRAZE_OK) {
        stay(trial, context, why[0] != 0 ? why : "out of memory for another engine");
        return;
    }
    if ((*engine)->software && !any_driver) {
        stay(trial, context, "the only OpenGL driver draws on the CPU itself");
        (*engine)->destroy(*engine);
        *engine = NULL;
        return;
    }
    trial->state = GZ_TRIAL_RUNNING;
    trial->frames = 0;
}

void gz_trial_before(gz_cull_trial *trial, graze_context *context, const graze_cull_def *def,
                     gz_cull_engine **engine)
{
    if (trial->state == GZ_TRIAL_WATCHING && trial->frames >= WATCHED_FRAMES &&
        (trial->watched_ns >= WATCHED_NS || GZ_KNOB(context, try_software)))
        try_opengl(trial, context, def, engine);
}

static void decide(gz_cull_trial *trial, graze_context *context, gz_cull_engine **engine)
{
    trial->state = GZ_TRIAL_OVER;
    bool faster = trial->opengl_best < trial->cpu_best;
    gz_log(context, GRAZE_LOG_NOTE,
           "culling %s: %.3g nanoseconds a triangle on the CPU, %.3g with OpenGL by %s",
           faster ? "goes on with OpenGL" : "stays on the CPU", trial->cpu_best, trial->opengl_best,
           (*engine)->name);
    if (!faster) {
        (*engine)->destroy(*engine);
        *engine = NULL;
    }
}

void gz_trial_after(gz_cull_trial *trial, graze_context *context, gz_cull_engine **engine,
                    uint64_t nanoseconds, uint64_t triangle_count)
{
    if (trial->state == GZ_TRIAL_OVER || triangle_count == 0)
        return;
    if (trial->state == GZ_TRIAL_RUNNING && *engine == NULL) { // it broke, and has said so
        trial->state = GZ_TRIAL_OVER;
        return;
    }
    double each = (double)nanoseconds / (double)triangle_count;
    double *best = *engine == NULL ? &trial->cpu_best : &trial->opengl_best;
    uint32_t frame = trial->frames++;
    if (trial->state == GZ_TRIAL_WATCHING) {
        trial->watched_ns += nanoseconds;
        if (frame % TRIED_FRAMES == 0 || each < *best)
            *best = each;
        return;
    }
    if (frame == 1 || (frame > 1 && each < *best))
        *best = each;
    if (trial->frames == TRIED_FRAMES && *engine != NULL)
        decide(trial, context, engine);
}
