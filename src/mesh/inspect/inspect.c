// What is in a mesh file: reads it through an inspector. See graze/inspect.h.
#include "graze/inspect.h"

#include <string.h>
#include <sys/stat.h>

#include "base/context.h"
#include "base/cpu.h"
#include "base/def.h"
#include "geometry/fpu.h"
#include "mesh/inspect/inspector.h"

// Half of what this process may use, and no more than the context may still hand out.
static uint64_t default_limit(graze_context *context)
{
    uint64_t limit = gz_cpu_memory() / 2;
    uint64_t most = context->def.memory_byte_limit,
             used = graze_context_memory(context).current_bytes;
    if (most != 0 && limit > most - used)
        limit = most - used;
    return limit < GZ_INSPECT_LEAST_BYTES ? GZ_INSPECT_LEAST_BYTES : limit;
}

static graze_status take_def(graze_context *context, const graze_inspect_def *given,
                             graze_inspect_def *def)
{
    graze_inspect_def room = graze_inspect_def_default();
    const graze_inspect_def *known =
        gz_def_known(context, "graze_mesh_inspect", given, &room, sizeof room);
    if (known == NULL)
        return GRAZE_ERROR_ARGUMENT;
    *def = *known;
    if (def->memory_byte_limit == 0)
        def->memory_byte_limit = default_limit(context);
    if (def->memory_byte_limit < GZ_INSPECT_LEAST_BYTES)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                       "a memory limit of %llu bytes is below the least of %llu",
                       (unsigned long long)def->memory_byte_limit,
                       (unsigned long long)GZ_INSPECT_LEAST_BYTES);
    return GRAZE_OK;
}

static uint64_t size_on_disk(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
}

graze_status graze_mesh_inspect(graze_context *context, const char *path,
                                const graze_inspect_def *given, graze_mesh_report **report)
{
    if (report != NULL)
        *report = NULL;
    if (context == NULL || path == NULL || report == NULL)
        return gz_fail_null(context, "graze_mesh_inspect");
    graze_inspect_def def;
    graze_status status = take_def(context, given, &def);
    if (status != GRAZE_OK)
        return status;
    gz_inspect_plan plan = gz_inspect_plan_for(def.memory_byte_limit);
    plan.placed_limit = def.placed_triangle_limit;
    gz_inspector *inspector = NULL;
    status = gz_inspector_open(context, &plan, def.counts_only != 0, &inspector);
    if (status != GRAZE_OK)
        return status;
    graze_mesh_sink sink = gz_inspector_sink(inspector);
    gz_fpu_state state = gz_fpu_enter();
    status = graze_mesh_stream(context, path, def.read, &sink);
    if (status == GRAZE_OK)
        status = gz_inspector_finish(inspector, report);
    gz_fpu_leave(state);
    gz_inspector_close(inspector);
    if (status == GRAZE_OK)
        (*report)->file_bytes = size_on_disk(path);
    return status;
}
