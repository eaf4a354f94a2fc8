/// @file cull.h  Objects that deform, break, appear and vanish: which triangles meet in this frame?
///
/// Nothing is prepared, and nothing is assumed of how things move: each frame hands over its
/// objects as triangle arrays, which may all differ from those of the frame before, in positions,
/// triangles and number. A potentially colliding set (PCS) is found by culling, and what is left is
/// decided exactly, as everywhere in graze: touching, coplanar and degenerate triangles included.
/// The answer is the same for any engine, resolution, number of threads, SIMD width, order of the
/// objects (but for their numbers), and whatever frames came before.
///
/// Lifetime:    graze_cull_create -> graze_cull_frame for each frame -> graze_cull_free. The arrays
///              of a frame are only looked at during the call. Lists in an answer belong to the
///              culler and end with its next frame.
/// Concurrency: a culler is for one thread at a time; a frame uses all threads of the context.
/// Units:       lengths are those of the arrays; all objects stand in one world.
#ifndef GRAZE_CULL_H
#define GRAZE_CULL_H

#include "graze/query.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Who finds the potentially colliding set. Answers do not depend on it.
typedef enum graze_cull_engine {
    GRAZE_CULL_AUTO = 0,  ///< the CPU, unless a short trial finds a GPU to be faster
    GRAZE_CULL_CPU = 1,   ///< SIMD on all threads
    GRAZE_CULL_OPENGL = 2 ///< visibility queries, as in the CULLIDE paper; needs EGL. Frames that
                          ///< are asked about objects with themselves are for the CPU
} graze_cull_engine;

/// How the OpenGL engine asks what is fully visible. Answers do not depend on it.
typedef enum graze_cull_passes {
    GRAZE_CULL_QUERIES =
        0, ///< two passes in forward and reverse order, an occlusion query for each
    GRAZE_CULL_BATCHED = 1, ///< the same, counted in one buffer for all
    GRAZE_CULL_ZFAIL = 2    ///< test and write in one draw: failing fragments are counted
} graze_cull_passes;

/// Such as "cpu". Never NULL.
GRAZE_API const char *graze_cull_engine_text(graze_cull_engine engine);

typedef struct graze_cull_def {
    uint32_t struct_size; ///< set by graze_cull_def_default; leave alone
    graze_cull_engine engine;
    graze_cull_passes passes; ///< of the OpenGL engine
    uint32_t resolution;      ///< of its views, in pixels, 16 to 4096; 0: 800
} graze_cull_def;

static inline graze_cull_def graze_cull_def_default(void)
{
    graze_cull_def def = GRAZE_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    return def;
}

typedef struct graze_cull graze_cull;

/// Where OpenGL is wanted and cannot be had, the CPU does it, and the log gets one sentence that
/// says why.
/// @param def  NULL for the defaults.
/// @return GRAZE_OK, GRAZE_ERROR_ARGUMENT, GRAZE_ERROR_MEMORY.
GRAZE_API graze_status graze_cull_create(graze_context *context, const graze_cull_def *def,
                                         graze_cull **cull);
GRAZE_API void graze_cull_free(graze_cull *cull); ///< Accepts NULL.

/// What a frame is asked for.
typedef struct graze_cull_frame_def {
    uint32_t struct_size;  ///< set by graze_cull_frame_def_default; leave alone
    graze_collect collect; ///< verdict: which objects meet; count, pairs: of triangles; contacts:
                           ///< and where
    double tolerance;      ///< contact means: at most this far apart; 0: sharing a point
    uint32_t self;         ///< 1: triangles of one object against each other, too; see below
    uint32_t only_self;    ///< 1: and nothing else
    uint64_t pair_limit;   ///< the first so many pairs of the full answer; 0 means no limit
} graze_cull_frame_def;

// Triangles of one object. Two that have no corner in common are in contact as triangles of two
// objects are. Corners are common where their positions are equal, whatever their numbers. Two that
// have some in common always share these, and what lies between: they are in contact if they share
// any other point, and the tolerance plays no role. So neighbours that fold flat onto each other
// are found, and a smooth surface does not touch itself. A triangle and its double, on the same
// three corners, have nothing else to share: they are not in contact.

static inline graze_cull_frame_def graze_cull_frame_def_default(void)
{
    graze_cull_frame_def def = GRAZE_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.collect = GRAZE_COLLECT_PAIRS;
    return def;
}

/// Two objects in contact; the same twice where an object meets itself.
typedef struct graze_cull_objects {
    uint32_t a, b;       ///< numbers in the frame; a <= b
    uint64_t first_pair; ///< of the frame's pairs, these are of the two, from here on
    uint64_t pair_count; ///< 0 or 1 if only a verdict was asked for
} graze_cull_objects;

/// What a frame cost: sizes of the potentially colliding set as it shrank. It is the same on every
/// machine, for one engine and number of threads.
typedef struct graze_cull_counters {
    uint64_t triangles;      ///< of the frame
    uint64_t objects_left;   ///< after culling objects
    uint64_t groups_left;    ///< groups of neighbouring triangles, after culling these
    uint64_t triangles_left; ///< single triangles: the PCS
    uint64_t rounds;         ///< of culling, of all kinds together
    uint64_t triangle_tests; ///< of pairs of triangles
    uint64_t exact_tests;    ///< of them, those that float arithmetic left open
} graze_cull_counters;

typedef struct graze_cull_answer {
    graze_verdict verdict;    ///< of any two, or of one with itself
    uint32_t complete;        ///< 1: lists hold all; 0: pair_limit was hit
    graze_cull_engine engine; ///< that did it
    uint64_t object_pair_count;
    const graze_cull_objects *objects; ///< sorted by a, then b
    uint64_t pair_count;           ///< if only a verdict was asked for: one for each two objects
    const graze_pair *pairs;       ///< a is of the object a; of each two objects sorted by a,
                                   ///< then b; within one object a < b. NULL if not asked for
    const graze_contact *contacts; ///< in the order of the pairs; NULL if not asked for
    uint64_t refused_count;
    const uint32_t *refused;   ///< objects that were left out: a coordinate is not finite,
                               ///< or a corner is out of range. The log says where; all
                               ///< others are answered
    const uint8_t *const *pcs; ///< for each object a byte for each triangle, 1: it was left
                               ///< after culling; NULL unless graze_cull_keep_pcs was asked
    graze_cull_counters counters;
} graze_cull_answer;

/// Which triangles meet in this frame? A warm frame allocates nothing, once no frame is larger than
/// those before; memory is linear in the triangles and pairs of the largest one.
/// @param objects  each stands where its positions are; one that places objects of its own is
///                 refused.
/// @param def      NULL for the defaults.
/// @return GRAZE_OK, also where objects were refused; GRAZE_ERROR_ARGUMENT, GRAZE_ERROR_MEMORY,
///         GRAZE_ERROR_UNSUPPORTED (2^31 triangles and more), GRAZE_ERROR_CANCELLED.
GRAZE_API graze_status graze_cull_frame(graze_cull *cull, const graze_mesh_view *objects,
                                        uint32_t object_count, const graze_cull_frame_def *def,
                                        graze_cull_answer *answer);

/// From the next frame on: keep which triangles were left after culling, to be shown.
GRAZE_API void graze_cull_keep_pcs(graze_cull *cull, int keep);

#ifdef __cplusplus
}
#endif
#endif
