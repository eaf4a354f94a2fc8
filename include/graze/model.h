/// @file model.h  Models: meshes of any size, built once into a file, and asked in little memory.
///
/// A model holds the triangles of a mesh bit for bit, with their numbers and the names of their
/// objects, in clusters of neighbours that are fetched when a question comes near them. Opening it
/// reads the list of clusters only. docs/format.md has the bytes of the file.
///
/// Lifetime:    graze_model_build writes a file. graze_model_open -> graze_model_free; shapes of a
///              model end before it. The file must not change meanwhile.
/// Concurrency: any number of threads may use an open model at once.
/// Units:       lengths are those of the mesh.
#ifndef GRAZE_MODEL_H
#define GRAZE_MODEL_H

#include "graze/geometry.h"
#include "graze/mesh.h"
#include "graze/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GRAZE_MODEL_LEAST_MEMORY (UINT64_C(64) << 20) ///< for building, in bytes

typedef struct graze_model_build_def {
    uint32_t struct_size;  ///< set by graze_model_build_def_default; leave alone
    uint64_t memory_bytes; ///< for all of it, temporary files hold the rest; at least
                           ///< GRAZE_MODEL_LEAST_MEMORY; 0: 512 MiB. Formats that are trees
                           ///< (glTF, and those read by assimp) also hold the tree.
    const graze_mesh_read_def *read; ///< how to read the mesh; NULL for the defaults
    int no_levels; ///< not 0: without levels of detail, which take most of the time and
                   ///< half of the file; questions are answered as exactly
} graze_model_build_def;

static inline graze_model_build_def graze_model_build_def_default(void)
{
    graze_model_build_def def = GRAZE_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    return def;
}

/// Builds the model of a mesh file. Objects are placed as graze_mesh_flatten places them, and
/// triangles have the numbers that it gives. The same mesh makes the same file, byte for byte,
/// whatever the memory and the number of threads. The path holds what it held before, or the whole
/// model, even if the process is killed; see graze_mesh_write for what that may leave beside it.
/// @param def  NULL for the defaults.
/// @return GRAZE_OK, or as graze_mesh_stream; GRAZE_ERROR_ARGUMENT (less memory than the least),
///         GRAZE_ERROR_SPACE, GRAZE_ERROR_UNSUPPORTED (2^31 triangles and more; a big-endian
///         machine).
GRAZE_API graze_status graze_model_build(graze_context *context, const char *mesh_path,
                                         const char *model_path, const graze_model_build_def *def);

/// Not 0 if a file begins as models do, whether or not the rest of it is sound. Looks into regular
/// files only, so that no byte of a pipe is lost.
GRAZE_API int graze_model_recognise(const char *path);

typedef struct graze_model graze_model;

/// Reads the list of clusters, and checks it. Files from strangers are safe.
/// @param model  receives the model, NULL on failure.
/// @return GRAZE_OK, GRAZE_ERROR_ARGUMENT, GRAZE_ERROR_IO, GRAZE_ERROR_FORMAT (damaged, or no
///         model), GRAZE_ERROR_UNSUPPORTED (of another version), GRAZE_ERROR_MEMORY.
GRAZE_API graze_status graze_model_open(graze_context *context, const char *path,
                                        graze_model **model);
GRAZE_API void graze_model_free(graze_model *model); ///< Accepts NULL.

typedef struct graze_model_info {
    uint32_t version; ///< of the format
    graze_precision precision;
    double metres_per_unit; ///< 0 means unknown
    uint64_t triangle_count;
    uint64_t cluster_count; ///< of the original triangles
    uint64_t page_count;    ///< of clusters of all levels of detail, and of their groups
    uint64_t object_count;
    uint64_t file_bytes;
    uint64_t page_bytes;      ///< of them, those of pages
    uint64_t resident_bytes;  ///< memory that the open model takes
    graze_box box;            ///< of all triangles; empty if there are none
    graze_mesh_losses losses; ///< what was left out when the mesh was read
} graze_model_info;

GRAZE_API graze_model_info graze_model_get_info(const graze_model *model);

/// The objects of a model, in the order of their triangles; none is placed. They are read when they
/// are first asked for, and belong to the model.
/// @return GRAZE_OK, GRAZE_ERROR_IO, GRAZE_ERROR_FORMAT, GRAZE_ERROR_MEMORY.
GRAZE_API graze_status graze_model_get_objects(graze_model *model, const graze_object **objects,
                                               uint64_t *object_count);

/// What the cache has and had of the pages of all open models of a context. Its limit is the
/// context's cache_byte_limit, and holds at any moment.
typedef struct graze_cache_use {
    uint64_t limit_bytes;
    uint64_t current_bytes, peak_bytes; ///< of clusters that are ready to be asked
    uint64_t hits;                      ///< clusters that were there when they were needed
    uint64_t loads;                     ///< clusters that had to be read
    uint64_t bytes_read;                ///< of their pages
    uint64_t evictions;                 ///< clusters that made room for others
    uint64_t stalls;     ///< waits for a page to be read, or for another thread that has it
    uint64_t reads;      ///< of the file: neighbours come by one, and some are not asked for then
    uint64_t prefetched; ///< of the loads, those whose page was read ahead of time
    uint64_t triangles;  ///< of the clusters that were loaded
} graze_cache_use;

GRAZE_API graze_cache_use graze_model_cache_use(const graze_model *model);

/// A shape over a model, for all questions of query.h, which give the answers that they give for a
/// shape over the mesh. Clusters come through the cache of the context, whose limit must be 2 MiB
/// at least; what else the questions need, lists of pairs above all, is memory of the query. Asked
/// for the first time whether it is closed (graze_shape_closed, graze_query_inside,
/// graze_query_contain, graze_query_penetration), a shape reads all clusters once, in an eighth of
/// the cache's limit, or 256 KiB if that is more, beside it; temporary files hold the rest. Only
/// saving and refitting are GRAZE_ERROR_UNSUPPORTED: they need all triangles in memory.
/// @param shape  receives the shape, NULL on failure; it ends before the model.
GRAZE_API graze_status graze_shape_from_model(graze_model *model, graze_shape **shape);

/// What graze_model_check found.
typedef struct graze_model_report {
    uint64_t pages_checked;
    uint64_t pages_damaged;
    uint64_t first_damaged;   ///< number of the first damaged page, if there is one
    uint64_t triangles_found; ///< in pages that are sound
} graze_model_report;

/// Reads every page and checks all that can be: checksums, that they unpack, that clusters keep to
/// their boxes, and that every triangle is there once. Each damaged page is logged with its place
/// in the file.
/// @param report  filled in whatever is found; NULL if not wanted.
/// @return GRAZE_OK if all is sound; GRAZE_ERROR_FORMAT, GRAZE_ERROR_IO, GRAZE_ERROR_MEMORY,
///         GRAZE_ERROR_CANCELLED.
GRAZE_API graze_status graze_model_check(graze_model *model, graze_model_report *report);

/// Streams the triangles of a model into a sink, as they were read: in the order of their numbers,
/// with their objects, after all vertices. Vertices that have the same bits are one where they are
/// of one cluster. Pages are not read for a sink that takes neither vertices nor triangles.
/// @param memory_bytes  for putting triangles in order; temporary files hold the rest. 0: 512 MiB.
GRAZE_API graze_status graze_model_stream(graze_model *model, uint64_t memory_bytes,
                                          const graze_mesh_sink *sink);

/// A level of detail. Level 0 is the original mesh; each other one has about half the triangles of
/// the one before it.
typedef struct graze_model_level {
    uint64_t triangle_count;
    uint64_t cluster_count;
    double forward;  ///< no point of the original mesh is farther from the level
    double backward; ///< no point of the level is farther from the original mesh
} graze_model_level;

GRAZE_API uint32_t graze_model_level_count(const graze_model *model);
GRAZE_API graze_model_level graze_model_get_level(const graze_model *model, uint32_t level);

/// What graze_model_stream_coarse gave.
typedef struct graze_model_detail {
    uint64_t triangle_count;
    double forward;  ///< no point of the original mesh is farther from it; not above the error
    double backward; ///< no point of it is farther from the original mesh; not above the error
} graze_model_detail;

/// Streams a coarser mesh into a sink, coarse as the error allows in each part of the model. It has
/// no cracks: an edge that an even number of triangles has in the original mesh, with -0 taken as 0
/// and equal positions as one, has an even number or none. Vertices are some of the original ones;
/// those of neighbouring groups are repeated. There is one object, without a name. Vertices and
/// triangles come mixed.
/// @param error   the largest distance, from 0 up. 0 may still leave out degenerate triangles and
///                flat detail.
/// @param detail  receives what became of it; NULL if not wanted.
/// @return as graze_model_stream; GRAZE_ERROR_ARGUMENT for an error that is none.
GRAZE_API graze_status graze_model_stream_coarse(graze_model *model, double error,
                                                 const graze_mesh_sink *sink,
                                                 graze_model_detail *detail);

/// Which cut graze_model_stream_cut streams.
typedef struct graze_model_cut_def {
    uint32_t struct_size; ///< set by graze_model_cut_def_default; leave alone
    int alone;            ///< not 0: the other shape of the question is a mesh, so that all of the
                          ///< error is this model's; else it is half of it
    double error;         ///< of the answer, the same everywhere; 0: the original clusters
    /// Told before the vertices of each cluster: all triangles up to the next call are of this
    /// level, as in graze_model_get_level. `user` is that of the sink. NULL: not wanted.
    graze_status (*level)(void *user, uint32_t level);
} graze_model_cut_def;

static inline graze_model_cut_def graze_model_cut_def_default(void)
{
    graze_model_cut_def def = GRAZE_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    return def;
}

/// Streams what takes part in an answer with an error (graze_collide_def), cluster by cluster: all
/// triangles of the model's LOD cut, though not in the order of their numbers in its pairs.
/// Clusters share no vertices: triangles name those that came since the last call of `level`. For
/// the rest as graze_model_stream_coarse, which is coarser at the same error and has all of it for
/// each of the two bounds.
/// @param def  NULL for the defaults.
/// @return as graze_model_stream_coarse; GRAZE_ERROR_ARGUMENT also for a def that is none.
GRAZE_API graze_status graze_model_stream_cut(graze_model *model, const graze_model_cut_def *def,
                                              const graze_mesh_sink *sink,
                                              graze_model_detail *detail);

#ifdef __cplusplus
}
#endif
#endif
