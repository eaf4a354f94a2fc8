// Creates and destroys contexts, formats their messages. See context.h.
#include "base/context.h"
#include "base/knobs.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/def.h"
#include "base/last_error.h"
#include "base/memory.h"
#include "base/threads.h"

#define GZ_STRING_OF(x) #x
#define GZ_STRING(x)    GZ_STRING_OF(x)

const char *graze_status_text(graze_status status)
{
    switch (status) {
    case GRAZE_OK: return "ok";
    case GRAZE_ERROR_ARGUMENT: return "wrong argument";
    case GRAZE_ERROR_MEMORY: return "out of memory";
    case GRAZE_ERROR_IO: return "cannot read or write a file";
    case GRAZE_ERROR_FORMAT: return "damaged or unknown file";
    case GRAZE_ERROR_UNSUPPORTED: return "not supported";
    case GRAZE_ERROR_SPACE: return "no room left to write";
    case GRAZE_ERROR_CANCELLED: return "cancelled";
    }
    return "unknown status";
}

const char *graze_version(void)
{
    return GZ_STRING(GRAZE_VERSION_MAJOR) "." GZ_STRING(GRAZE_VERSION_MINOR) "." GZ_STRING(
        GRAZE_VERSION_PATCH);
}

void gz_assertion_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "graze: internal error: %s does not hold (%s:%d)\n", condition, file, line);
    abort();
}

static void log_sentence(graze_context *context, graze_log_level level, const char *format,
                         va_list arguments)
{
    bool heard = context != NULL && context->def.log != NULL;
    if (!heard && level != GRAZE_LOG_ERROR)
        return;
    char sentence[GZ_SENTENCE_BYTES];
    vsnprintf(sentence, sizeof sentence, format, arguments);
    if (level == GRAZE_LOG_ERROR)
        gz_error_remember(context, sentence);
    if (heard)
        context->def.log(context->def.user, level, sentence);
}

graze_status(gz_fail)(graze_context *context, graze_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_sentence(context, GRAZE_LOG_ERROR, format, arguments);
    va_end(arguments);
    return status;
}

graze_status gz_fail_null(graze_context *context, const char *who)
{
    return gz_fail(context, GRAZE_ERROR_ARGUMENT, "%s: an argument is NULL", who);
}

void gz_log(graze_context *context, graze_log_level level, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_sentence(context, level, format, arguments);
    va_end(arguments);
}

// There is no context yet: who has no log asks graze_context_error(NULL).
static graze_status refuse(const graze_context_def *def, graze_status status, const char *sentence)
{
    gz_error_remember(NULL, sentence);
    if (def != NULL && def->log != NULL)
        def->log(def->user, GRAZE_LOG_ERROR, sentence);
    return status;
}

static graze_status take_def(const graze_context_def *given, graze_context_def *def)
{
    graze_context_def room = graze_context_def_default();
    const graze_context_def *known =
        gz_def_known(NULL, "graze_context_create", given, &room, sizeof room);
    if (known == NULL)
        return GRAZE_ERROR_ARGUMENT;
    *def = *known;
    const graze_allocator *a = &def->allocator;
    int functions = (a->allocate != NULL) + (a->resize != NULL) + (a->release != NULL);
    if (functions == 0)
        def->allocator = gz_system_allocator();
    else if (functions != 3)
        return refuse(def, GRAZE_ERROR_ARGUMENT,
                      "graze_context_create: an allocator has three functions, or none is given");
    if (def->simd == GRAZE_SIMD_BEST)
        def->simd = gz_cpu_widest();
    if (def->simd < GRAZE_SIMD_SCALAR || def->simd > gz_cpu_widest())
        return refuse(def, GRAZE_ERROR_ARGUMENT,
                      "graze_context_create: this machine does not have that SIMD width");
    if (def->thread_count == 0)
        def->thread_count = gz_cpu_count();
    return GRAZE_OK;
}

static const char *default_temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder != NULL && folder[0] != '\0' ? folder : "/tmp";
}

graze_status graze_context_create(const graze_context_def *given, graze_context **context)
{
    static const char no_memory[] = "graze_context_create: out of memory";
    if (context == NULL)
        return gz_fail(NULL, GRAZE_ERROR_ARGUMENT,
                       "graze_context_create: there is no place for the context");
    *context = NULL;
    graze_context_def def;
    graze_status status = take_def(given, &def);
    if (status != GRAZE_OK)
        return status;

    GZ_ASSERT(def.allocator.allocate != NULL);
    graze_context *made = def.allocator.allocate(def.allocator.user, sizeof *made);
    if (made == NULL)
        return refuse(&def, GRAZE_ERROR_MEMORY, no_memory);
    memset(made, 0, sizeof *made);
    made->def = def;
    if (pthread_mutex_init(&made->pool_lock, NULL) != 0) {
        def.allocator.release(def.allocator.user, made, sizeof *made);
        return refuse(&def, GRAZE_ERROR_MEMORY, no_memory);
    }
    const char *folder =
        def.temporary_folder != NULL ? def.temporary_folder : default_temporary_folder();
    made->temporary_folder = gz_string_copy(made, folder);
    if (made->temporary_folder == NULL) {
        graze_context_destroy(made);
        return refuse(&def, GRAZE_ERROR_MEMORY, no_memory);
    }
    *context = made;
    return GRAZE_OK;
}

void graze_context_destroy(graze_context *context)
{
    if (context == NULL)
        return;
    gz_pool_destroy(context);
    gz_error_forget(context);
    gz_string_free(context, context->temporary_folder);
    gz_knobs_free(context);
    pthread_mutex_destroy(&context->pool_lock);
    // Otherwise a block was given back with another size than it had.
    GZ_ASSERT(context->memory_blocks != 0 || context->memory_current == 0);
    graze_allocator allocator = context->def.allocator;
    allocator.release(allocator.user, context, sizeof *context);
}

graze_memory_use graze_context_memory(const graze_context *context)
{
    return (graze_memory_use){
        .current_bytes = atomic_load(&context->memory_current),
        .peak_bytes = atomic_load(&context->memory_peak),
        .block_count = atomic_load(&context->memory_blocks),
    };
}

graze_simd graze_context_simd(const graze_context *context) { return context->def.simd; }
