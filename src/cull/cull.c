// Cullers, and the way of a frame through one. See graze/cull.h, and cull_state.h for what it
// keeps.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/def.h"
#include "base/threads.h"
#include "cull/cull_state.h"
#include "geometry/fpu.h"

#define RESOLUTION_LEAST 16u
#define RESOLUTION_MOST  4096u

const char *graze_cull_engine_text(graze_cull_engine engine)
{
    switch (engine) {
    case GRAZE_CULL_AUTO: return "auto";
    case GRAZE_CULL_CPU: return "cpu";
    case GRAZE_CULL_OPENGL: return "opengl";
    }
    return "unknown";
}

// --- Coming and going

static graze_status check_def(graze_context *context, const graze_cull_def *def)
{
    if ((unsigned)def->engine > GRAZE_CULL_OPENGL || (unsigned)def->passes > GRAZE_CULL_ZFAIL)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                       "graze_cull_create: there is no engine %u with passes of kind %u",
                       (unsigned)def->engine, (unsigned)def->passes);
    if (def->resolution != 0 &&
        (def->resolution < RESOLUTION_LEAST || def->resolution > RESOLUTION_MOST))
        return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                       "graze_cull_create: a resolution of %u pixels is not from %u to %u",
                       def->resolution, RESOLUTION_LEAST, RESOLUTION_MOST);
    return GRAZE_OK;
}

graze_status graze_cull_create(graze_context *context, const graze_cull_def *def, graze_cull **cull)
{
    if (cull != NULL)
        *cull = NULL;
    if (context == NULL || cull == NULL)
        return gz_fail_null(context, "graze_cull_create");
    graze_cull_def room = graze_cull_def_default();
    def = gz_def_known(context, "graze_cull_create", def, &room, (uint32_t)sizeof room);
    graze_status status = def != NULL ? check_def(context, def) : GRAZE_ERROR_ARGUMENT;
    if (status != GRAZE_OK)
        return status;
    graze_cull *made = gz_allocate(context, sizeof *made);
    if (made == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "graze_cull_create: out of memory");
    memset(made, 0, sizeof *made);
    made->context = context;
    made->def = *def;
    made->last_found = &made->first_found;
    pthread_mutex_init(&made->lock, NULL);
    if (def->engine == GRAZE_CULL_OPENGL) {
        char why[256] = "";
        status = gz_cull_opengl_create(context, &made->def, &made->engine, why);
        if (status == GRAZE_ERROR_UNSUPPORTED) {
            gz_log(context, GRAZE_LOG_WARNING, "culling is done by the CPU: %s", why);
            status = GRAZE_OK;
        } else if (status != GRAZE_OK)
            gz_fail(context, status, "graze_cull_create: out of memory");
    }
    if (status == GRAZE_OK)
        *cull = made;
    else
        graze_cull_free(made);
    return status;
}

void graze_cull_free(graze_cull *cull)
{
    if (cull == NULL)
        return;
    graze_context *context = cull->context;
    if (cull->engine != NULL)
        cull->engine->destroy(cull->engine);
    gz_list_free(context, &cull->objects);
    gz_list_free(context, &cull->contents);
    gz_list_free(context, &cull->chunks);
    gz_list_free(context, &cull->order);
    gz_list_free(context, &cull->order_room);
    gz_list_free(context, &cull->object_pairs);
    gz_list_free(context, &cull->spare);
    gz_list_free(context, &cull->keep);
    gz_list_free(context, &cull->marks);
    gz_list_free(context, &cull->pcs);
    gz_list_free(context, &cull->refused);
    gz_list_free(context, &cull->blocks);
    gz_list_free(context, &cull->rows);
    gz_list_free(context, &cull->tiers);
    gz_list_free(context, &cull->works);
    gz_list_free(context, &cull->tasks);
    gz_list_free(context, &cull->wave);
    gz_list_free(context, &cull->workers);
    gz_list_free(context, &cull->met);
    gz_list_free(context, &cull->pairs);
    gz_list_free(context, &cull->contacts);
    for (gz_cull_found *found = cull->first_found; found != NULL;) {
        gz_cull_found *after = found->after;
        gz_release(context, found, sizeof *found);
        found = after;
    }
    pthread_mutex_destroy(&cull->lock);
    gz_release(context, cull, sizeof *cull);
}

void graze_cull_keep_pcs(graze_cull *cull, int keep)
{
    if (cull != NULL)
        cull->keep_pcs = keep != 0;
}

// --- A frame

static graze_status check_question(graze_cull *cull, const graze_mesh_view *objects,
                                   uint32_t object_count, const graze_cull_frame_def *def)
{
    if (object_count != 0 && objects == NULL)
        return gz_fail_null(cull->context, "graze_cull_frame");
    if ((unsigned)def->collect > GRAZE_COLLECT_CONTACTS)
        return gz_fail(cull->context, GRAZE_ERROR_ARGUMENT,
                       "graze_cull_frame: there is nothing of number %u to collect",
                       (unsigned)def->collect);
    if (!(def->tolerance >= 0 && def->tolerance < HUGE_VAL))
        return gz_fail(cull->context, GRAZE_ERROR_ARGUMENT,
                       "graze_cull_frame: a tolerance is finite and not negative");
    return GRAZE_OK;
}

static bool is_wanted(const graze_cull *cull)
{
    return cull->engine != NULL && !cull->frame.self && cull->object_pairs.count != 0;
}

// The engine's part. All triangles are kept where there is none.
static graze_status prune(graze_cull *cull)
{
    if (cull->engine == NULL)
        return GRAZE_OK;
    if (cull->frame.place_count == 0)
        return GRAZE_OK;
    if (GZ_CULL_SIZE(cull, keep, cull->frame.place_count) != GRAZE_OK)
        return GRAZE_ERROR_MEMORY;
    memset(cull->keep.items, 0, (size_t)cull->keep.count);
    for (uint64_t i = 0; i < cull->objects.count; ++i) {
        const gz_cull_object *object = &cull->objects.items[i];
        if (object->partner_count != 0)
            memset(cull->keep.items + object->first, 1, object->triangle_count);
    }
    cull->frame.keep = cull->keep.items;
    cull->frame.objects = cull->objects.items;
    cull->frame.object_count = (uint32_t)cull->objects.count;
    if (!is_wanted(cull))
        return GRAZE_OK;
    graze_status status = cull->engine->prune(cull->engine, &cull->frame, &cull->counters.rounds);
    if (status != GRAZE_ERROR_UNSUPPORTED)
        return status;
    cull->engine->destroy(cull->engine);
    cull->engine = NULL;
    return GRAZE_OK;
}

static graze_status run(graze_cull *cull, const graze_mesh_view *objects, uint32_t object_count)
{
    graze_status status = gz_checkpoint(cull->context, "culling", "triangles", 0, 0);
    if (status == GRAZE_OK)
        status = gz_cull_take_objects(cull, objects, object_count);
    if (status == GRAZE_OK)
        status = gz_cull_pair_objects(cull);
    if (status == GRAZE_OK)
        status = prune(cull);
    if (status == GRAZE_OK)
        status = gz_cull_sift(cull);
    if (status == GRAZE_OK)
        status = gz_cull_join(cull);
    if (status == GRAZE_OK)
        status = gz_cull_list(cull);
    return status;
}

// What an engine has left, or else what had a box in common with that of another triangle.
static graze_status list_pcs(graze_cull *cull)
{
    if (GZ_CULL_SIZE(cull, pcs, cull->objects.count) != GRAZE_OK)
        return GRAZE_ERROR_MEMORY;
    const uint8_t *bytes =
        cull->engine != NULL && !cull->frame.self ? cull->keep.items : cull->marks.items;
    for (uint64_t i = 0; i < cull->objects.count; ++i) // without any triangle there are no bytes
        cull->pcs.items[i] = bytes != NULL ? bytes + cull->objects.items[i].first : NULL;
    return GRAZE_OK;
}

static void fill_answer(const graze_cull *cull, graze_cull_answer *answer)
{
    const graze_cull_frame_def *asked = &cull->asked;
    bool limited = asked->pair_limit != 0 && cull->found_count >= asked->pair_limit;
    *answer = (graze_cull_answer){
        .verdict = cull->found_count != 0 ? GRAZE_CONTACT : GRAZE_APART,
        .complete = limited ? 0 : 1,
        .engine = cull->engine != NULL && !cull->frame.self ? cull->engine->kind : GRAZE_CULL_CPU,
        .object_pair_count = cull->met.count,
        .objects = cull->met.items,
        .pair_count = cull->found_count,
        .pairs = asked->collect >= GRAZE_COLLECT_PAIRS ? cull->pairs.items : NULL,
        .contacts = asked->collect >= GRAZE_COLLECT_CONTACTS ? cull->contacts.items : NULL,
        .refused_count = cull->refused.count,
        .refused = cull->refused.items,
        .pcs = cull->keep_pcs ? cull->pcs.items : NULL,
        .counters = cull->counters};
}

graze_status graze_cull_frame(graze_cull *cull, const graze_mesh_view *objects,
                              uint32_t object_count, const graze_cull_frame_def *def,
                              graze_cull_answer *answer)
{
    if (cull == NULL || answer == NULL)
        return gz_fail_null(cull != NULL ? cull->context : NULL, "graze_cull_frame");
    graze_cull_frame_def room = graze_cull_frame_def_default();
    *answer = (graze_cull_answer){0};
    def = gz_def_known(cull->context, "graze_cull_frame", def, &room, (uint32_t)sizeof room);
    if (def == NULL)
        return GRAZE_ERROR_ARGUMENT;
    graze_status status = check_question(cull, objects, object_count, def);
    if (status != GRAZE_OK)
        return status;
    cull->asked = *def;
    cull->counters = (graze_cull_counters){0};
    cull->frame = (gz_cull_frame){.context = cull->context,
                                  .tolerance = def->tolerance,
                                  .self = def->self != 0 || def->only_self != 0,
                                  .only_self = def->only_self != 0};
    // Who asks for an object against itself is answered by the CPU, which tells nothing of a GPU.
    bool watched = cull->def.engine == GRAZE_CULL_AUTO && !cull->frame.self;
    uint64_t start = watched ? gz_clock_ns() : 0;
    if (watched)
        gz_trial_before(&cull->trial, cull->context, &cull->def, &cull->engine);
    gz_fpu_state state = gz_fpu_enter();
    status = run(cull, objects, object_count);
    gz_fpu_leave(state);
    uint64_t taken = watched ? gz_clock_ns() - start : 0;
    if (status == GRAZE_OK && cull->keep_pcs)
        status = list_pcs(cull);
    if (status == GRAZE_OK)
        fill_answer(cull, answer);
    if (status == GRAZE_OK && watched) // after the answer, which says whose it is
        gz_trial_after(&cull->trial, cull->context, &cull->engine, taken, cull->counters.triangles);
    else if (status == GRAZE_ERROR_MEMORY)
        gz_fail(cull->context, status, "graze_cull_frame: out of memory for %llu triangles",
                (unsigned long long)cull->counters.triangles);
    return status;
}
