/// @file shape.h  A shape is a mesh made ready for queries: its triangles in a hierarchy of boxes.
///
/// Lifetime:    graze_shape_create -> queries -> graze_shape_free. A shape keeps its own copy of
///              the triangles, bit for bit; the mesh may go. The context outlives the shape.
/// Concurrency: any number of threads may query a shape at once, each with a graze_query of its
///              own. No answer about it ever changes, unless graze_shape_refit moves its vertices:
///              that call must be alone with the shape.
/// Units:       lengths are those of the mesh.
#ifndef GRAZE_SHAPE_H
#define GRAZE_SHAPE_H

#include "graze/geometry.h"
#include "graze/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a shape takes, triangles included. A bare closed mesh in float takes 18 bytes a triangle,
/// one in double 24.
/// Answers do not depend on it.
typedef enum graze_layout {
    GRAZE_LAYOUT_FAST = 0,   ///< about 29 bytes a triangle, in double 40
    GRAZE_LAYOUT_COMPACT = 1 ///< about 17, in double 23, and slower
} graze_layout;

/// How much care the boxes get, and when. Answers do not depend on it.
///
/// A lazy shape is for large meshes of which questions touch little. It takes less than a third of
/// the time to create; a question first builds the parts that it comes near to, one thread at a
/// time, and fails with GRAZE_ERROR_MEMORY or GRAZE_ERROR_CANCELLED where that does. Until all is
/// built it takes more memory than a whole one. What needs all triangles builds the rest:
/// graze_shape_closed, graze_query_contain, graze_query_penetration, graze_shape_save,
/// graze_shape_refit, and distances with a limit of work. In the compact layout a shape is always
/// built at once.
typedef enum graze_build {
    GRAZE_BUILD_BEST = 0,  ///< for shapes that are asked more than a few times
    GRAZE_BUILD_QUICK = 1, ///< coarser boxes in less time, for meshes that change
    GRAZE_BUILD_LAZY = 2   ///< created soon, and built where questions come near; see above
} graze_build;

typedef struct graze_shape_def {
    uint32_t struct_size; ///< set by graze_shape_def_default; leave alone
    graze_build build;
    graze_layout layout;
} graze_shape_def;

static inline graze_shape_def graze_shape_def_default(void)
{
    graze_shape_def def = GRAZE_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    return def;
}

typedef struct graze_shape graze_shape;

/// The easy way: reads a file of any kind, and gives the shape of what stands in it. A mesh file is
/// read, its objects are placed, and it is built as `def` says. A model stays on disk and is paged,
/// as with graze_shape_from_model; it is closed with the shape. A saved shape is loaded.
/// @param def  NULL for the defaults; of no account for models and saved shapes.
/// @return as graze_mesh_read and graze_shape_create, graze_model_open, or graze_shape_load.
GRAZE_API graze_status graze_shape_read(graze_context *context, const char *path,
                                        const graze_shape_def *def, graze_shape **shape);

/// Builds on all threads of the context. Any triangles will do: no topology, orientation or
/// closedness is assumed, and degenerate ones are the points and segments that they look like.
/// Objects stand where their matrices place them, each instance with triangles of its own.
/// @param view   triangle numbers in answers are those of this view, or, where it places or shares
///               something, those of the mesh that graze_mesh_flatten makes of it.
/// @param def    NULL for the defaults.
/// @param shape  receives the shape, NULL on failure; give it back with graze_shape_free.
/// @return GRAZE_OK, GRAZE_ERROR_ARGUMENT (a coordinate that is not finite, a corner out of range),
///         GRAZE_ERROR_MEMORY, GRAZE_ERROR_UNSUPPORTED (2^31 triangles and more),
///         GRAZE_ERROR_CANCELLED.
GRAZE_API graze_status graze_shape_create(graze_context *context, const graze_mesh_view *view,
                                          const graze_shape_def *def, graze_shape **shape);

/// Accepts NULL.
GRAZE_API void graze_shape_free(graze_shape *shape);

/// Moves the vertices of a shape, in a small part of the time that building takes. Boxes are fitted
/// to the triangles again, but which of them share boxes stays as it was built: answers are those
/// of a new shape, and found as fast while neighbours stay neighbours. No other call may use the
/// shape meanwhile. Fronts of queries notice it. Whether the shape is closed is not known any more.
/// @param view  the triangles that the shape was built of, in their order, wherever their corners
///              are now. Corners that were in one place may have to stay together: those that have
///              one vertex number always may move, others are refused if the shape keeps them once.
/// @param looseness  receives how much more boxes overlap than when the shape was built or loaded,
///              or NULL: 1 is as good as new. From about 2 on, or where questions have become slow,
///              it is time to build a new shape.
/// @return GRAZE_OK; else the shape is as it was: GRAZE_ERROR_ARGUMENT (another number of triangles
///         or precision, a coordinate that is not finite, corners that parted), GRAZE_ERROR_MEMORY,
///         GRAZE_ERROR_CANCELLED.
GRAZE_API graze_status graze_shape_refit(graze_shape *shape, const graze_mesh_view *view,
                                         double *looseness);

/// Writes the shape to a file, so that it need not be built again. The path holds what it held
/// before, or the whole shape. Later versions may not read it; they say so.
/// @return GRAZE_OK, GRAZE_ERROR_ARGUMENT, GRAZE_ERROR_IO, GRAZE_ERROR_SPACE, GRAZE_ERROR_MEMORY,
///         GRAZE_ERROR_UNSUPPORTED (a big-endian machine).
GRAZE_API graze_status graze_shape_save(const graze_shape *shape, const char *path);

/// Reads a shape that graze_shape_save wrote. Files from strangers are safe: everything in it is
/// checked, and a shape that loads gives the answers that its triangles have.
/// @return as graze_shape_create; GRAZE_ERROR_IO, GRAZE_ERROR_FORMAT (damaged, or no shape),
///         GRAZE_ERROR_UNSUPPORTED (of another version).
GRAZE_API graze_status graze_shape_load(graze_context *context, const char *path,
                                        graze_shape **shape);

typedef enum graze_knowledge { GRAZE_NOT_ASKED = 0, GRAZE_NO = 1, GRAZE_YES = 2 } graze_knowledge;

typedef struct graze_shape_info {
    uint64_t triangle_count;
    graze_precision precision;
    graze_layout layout;
    uint32_t depth;
    uint64_t node_count, leaf_count;
    uint64_t byte_count;    ///< all that the shape holds, triangles included
    graze_box box;          ///< of the triangles; empty if there are none
    graze_knowledge closed; ///< as graze_shape_closed tells, if that was ever needed
} graze_shape_info;

GRAZE_API graze_shape_info graze_shape_get_info(const graze_shape *shape);

/// Is the shape closed: does every edge belong to an even number of triangles? Ends of edges are
/// the same if their coordinates are equal. Which way triangles face plays no part. The shape keeps
/// what it found, so only the first call takes time.
/// @param closed  receives 1 or 0.
/// @return GRAZE_OK, GRAZE_ERROR_ARGUMENT, GRAZE_ERROR_MEMORY, GRAZE_ERROR_CANCELLED; of a shape
///         over a model also GRAZE_ERROR_IO, GRAZE_ERROR_FORMAT, GRAZE_ERROR_SPACE.
GRAZE_API graze_status graze_shape_closed(const graze_shape *shape, uint32_t *closed);

#ifdef __cplusplus
}
#endif
#endif
