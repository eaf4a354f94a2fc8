/// @file base.h  The ground everything else stands on: version, status, context.
///
/// Lifetime:    graze_context_create -> everything else -> graze_context_destroy. The context
///              outlives every object made with it.
/// Concurrency: a context may be used from any number of threads at once. Its callbacks may be
///              called from any of them.
/// Units:       bytes are bytes; lengths are model units, never assumed to be metres.
#ifndef GRAZE_BASE_H
#define GRAZE_BASE_H

#include <stddef.h>
#include <stdint.h>

#define GRAZE_VERSION_MAJOR 0
#define GRAZE_VERSION_MINOR 1
#define GRAZE_VERSION_PATCH 0

#define GRAZE_API __attribute__((visibility("default")))

#ifdef __cplusplus
#define GRAZE_ZERO                                                                                 \
    {                                                                                              \
    }
extern "C" {
#else
#define GRAZE_ZERO                                                                                 \
    {                                                                                              \
        0                                                                                          \
    }
#endif

/// How a call ended. Anything but GRAZE_OK comes with one sentence, in the context's log and from
/// graze_context_error.
typedef enum graze_status {
    GRAZE_OK = 0,
    GRAZE_ERROR_ARGUMENT = 1, ///< the caller broke a rule of the header
    GRAZE_ERROR_MEMORY = 2,   ///< the allocator refused, or the context's memory limit was reached
    GRAZE_ERROR_IO = 3,       ///< a file could not be opened, read or written
    GRAZE_ERROR_FORMAT = 4,   ///< a file is damaged, hostile, or not what it says it is
    GRAZE_ERROR_UNSUPPORTED = 5, ///< valid, but beyond this build or this format
    GRAZE_ERROR_SPACE = 6,       ///< no room left to write: disk full, quota, file size limit
    GRAZE_ERROR_CANCELLED = 7    ///< the context's cancel callback said so
} graze_status;

/// A short English phrase, such as "out of memory". Never NULL.
GRAZE_API const char *graze_status_text(graze_status status);

/// The version of the library that is linked, such as "0.1.0".
GRAZE_API const char *graze_version(void);

/// What this build has: compilers, SIMD widths, optional libraries. Several lines of text.
GRAZE_API const char *graze_build_info(void);

/// Where memory comes from. All three functions must be given, or none.
typedef struct graze_allocator {
    void *user; ///< handed back to each function
    /// At least `bytes` bytes (never 0), aligned to 64; NULL refuses.
    void *(*allocate)(void *user, uint64_t bytes);
    /// Grow or shrink, keeping the content; NULL refuses and leaves the old block as it was.
    void *(*resize)(void *user, void *block, uint64_t old_bytes, uint64_t new_bytes);
    /// Give back a block of exactly `bytes` bytes. `block` is never NULL.
    void (*release)(void *user, void *block, uint64_t bytes);
} graze_allocator;

typedef enum graze_log_level {
    GRAZE_LOG_ERROR = 1,   ///< the sentence that explains a failing status
    GRAZE_LOG_WARNING = 2, ///< the call goes on, but the user should know
    GRAZE_LOG_NOTE = 3     ///< what is being done, and why this way
} graze_log_level;

/// How far a long call has come. `total` is 0 while it is not known.
typedef struct graze_progress {
    const char *stage; ///< such as "reading"; a literal
    const char *unit;  ///< of done and total, such as "bytes" or "triangles"; a literal
    uint64_t done;
    uint64_t total;
} graze_progress;

/// The widest SIMD instructions that may be used. Answers are the same bits for all of them.
typedef enum graze_simd {
    GRAZE_SIMD_BEST = 0, ///< the widest that this machine has
    GRAZE_SIMD_SCALAR = 1,
    GRAZE_SIMD_BASELINE = 2, ///< what every machine of this architecture has: SSE2 on x86-64
    GRAZE_SIMD_AVX2 = 3,
    GRAZE_SIMD_AVX512 = 4
} graze_simd;

typedef void graze_task(void *data, uint32_t index);

typedef struct graze_context_def {
    uint32_t struct_size;       ///< set by graze_context_def_default; leave alone
    uint32_t thread_count;      ///< 0 means one for each core this process may use
    uint64_t memory_byte_limit; ///< of all that the context allocates; 0 means no limit
    graze_allocator allocator;  ///< all NULL means the C library's
    graze_simd simd;
    void *user; ///< handed to the callbacks below; each may be NULL
    void (*log)(void *user, graze_log_level level, const char *sentence);
    /// Called now and then during long work, about ten times a second.
    void (*progress)(void *user, const graze_progress *progress);
    /// Called often during long work; not 0 ends it with GRAZE_ERROR_CANCELLED.
    int (*cancel)(void *user);
    /// Your own task system: call task(data, i) for each i below count, in any order and on any
    /// threads, and return when all are done. NULL makes the context use threads of its own.
    void (*run_tasks)(void *user, graze_task *task, void *data, uint32_t count);
    const char *temporary_folder; ///< for spill files; NULL means $TMPDIR, else /tmp. Copied.
    uint64_t cache_byte_limit;    ///< of what is kept of the pages of models, see graze/model.h; 0
                                  ///< means 64 MiB
} graze_context_def;

static inline graze_context_def graze_context_def_default(void)
{
    graze_context_def def = GRAZE_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    return def;
}

typedef struct graze_context graze_context;

/// @param def  NULL for the defaults.
/// @return GRAZE_OK, GRAZE_ERROR_ARGUMENT (struct_size is 0 or too large, half an allocator, a
///         SIMD width this machine does not have), GRAZE_ERROR_MEMORY.
GRAZE_API graze_status graze_context_create(const graze_context_def *def, graze_context **context);

/// Accepts NULL. Everything made with the context must have been given back before.
GRAZE_API void graze_context_destroy(graze_context *context);

/// The sentence of the last call of this thread that failed, for programs without a log. A sentence
/// of a worker thread is handed on to the thread that asked.
/// @param context  the context of that call; NULL for calls that have none, or that were given
/// none:
///         graze_context_create, graze_pose_from_axis.
/// @return never NULL; empty if nothing has failed. Valid until the next call of this thread fails.
GRAZE_API const char *graze_context_error(const graze_context *context);

/// What the context's allocator holds now and held at most, in bytes.
typedef struct graze_memory_use {
    uint64_t current_bytes;
    uint64_t peak_bytes;
    uint64_t block_count; ///< blocks not given back yet
} graze_memory_use;

GRAZE_API graze_memory_use graze_context_memory(const graze_context *context);

/// The SIMD width in use: never GRAZE_SIMD_BEST.
GRAZE_API graze_simd graze_context_simd(const graze_context *context);

#ifdef __cplusplus
}
#endif
#endif
