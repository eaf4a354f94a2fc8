/// @file scene.h  Scenes: thousands of objects, each a shape at a place, in bounded memory.
///
/// An object has a shape, a pose, a name and a group: the names of its parents, outermost first,
/// joined by '/'. Its path is group and name joined, with "#2" behind it for the second object of
/// the same group and name, "#3" for the third: no two objects of a scene have one path, and it is
/// the same as long as the files name their objects so. Several objects may have one shape: those
/// are instances.
///
/// Shapes come from files, whose triangles stay on disk and come through the cache of the context
/// (cache_byte_limit), or from you. A scene file (graze_scene_build) holds each shape once, as a
/// model of its own, in the order of where objects stand. A model file is a scene of one object.
///
/// Lifetime:    graze_scene_create -> objects are added -> questions -> graze_scene_free. The
///              context outlives the scene; shapes that you add outlive it, too.
/// Concurrency: one thread at a time may change a scene, and nobody may ask meanwhile. Any number
///              of threads may ask.
/// Units:       lengths are those of the scene, see graze_scene_info.
#ifndef GRAZE_SCENE_H
#define GRAZE_SCENE_H

#include "graze/model.h"
#include "graze/query.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct graze_scene graze_scene;

/// Names an object. All zero is none. The name of an object that was removed is never used again.
typedef struct graze_object_id {
    uint32_t index1; ///< its place and 1
    uint32_t generation;
} graze_object_id;

GRAZE_API graze_status graze_scene_create(graze_context *context, graze_scene **scene);
GRAZE_API void graze_scene_free(graze_scene *scene); ///< Accepts NULL.

/// Where objects come from.
typedef struct graze_scene_source {
    const char *path;  ///< a mesh file of any format, a model, a scene file, a folder with such
                       ///< files (in the order of their names), or a manifest: see docs/format.md
    const char *group; ///< goes before the groups of its objects; NULL: nothing does
    const graze_pose *pose; ///< where all of it is put; NULL: where it is
} graze_scene_source;

typedef struct graze_scene_build_def {
    uint32_t struct_size;            ///< set by graze_scene_build_def_default; leave alone
    uint64_t memory_bytes;           ///< as in graze_model_build_def
    const graze_mesh_read_def *read; ///< how to read meshes; NULL for the defaults
    int no_levels;                   ///< not 0: without levels of detail
} graze_scene_build_def;

static inline graze_scene_build_def graze_scene_build_def_default(void)
{
    graze_scene_build_def def = GRAZE_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    return def;
}

/// Builds a scene file of meshes: each object keeps to itself, with clusters and levels of detail
/// of its own, and objects with the same triangles share them. An object that its matrix turns and
/// shifts is stored as it is and posed; where a matrix does more, it is applied. The same meshes
/// make the same file, byte for byte, whatever the memory and the number of threads. The path holds
/// what it held before, or the whole scene.
/// @param sources  meshes, folders and manifests of meshes.
/// @param def      NULL for the defaults.
/// @return as graze_model_build; GRAZE_ERROR_FORMAT for sources in different units, a manifest with
///         errors, and models and scene files among the sources.
GRAZE_API graze_status graze_scene_build(graze_context *context, const graze_scene_source *sources,
                                         uint32_t source_count, const char *scene_path,
                                         const graze_scene_build_def *def);

/// What graze_scene_check found.
typedef struct graze_scene_report {
    uint64_t file_bytes; ///< 0: it could not be opened, and all else is 0, too
    uint64_t object_count;
    uint64_t shape_count;
    uint64_t shapes_damaged;
    uint64_t stored_count; ///< triangles of all shapes
} graze_scene_report;

/// Reads all of a scene file and checks all that can be: the directory, each shape as
/// graze_model_check does, and that what is known of shapes is what their triangles say. Each
/// damaged shape is logged with its place in the file.
/// @param report  filled in whatever is found; NULL if not wanted.
/// @return GRAZE_OK if all is sound; GRAZE_ERROR_FORMAT, GRAZE_ERROR_UNSUPPORTED, GRAZE_ERROR_IO,
///         GRAZE_ERROR_MEMORY, GRAZE_ERROR_CANCELLED.
GRAZE_API graze_status graze_scene_check(graze_context *context, const char *path,
                                         graze_scene_report *report);

/// Not 0 if a file begins as scene files do.
GRAZE_API int graze_scene_recognise(const char *path);

/// Adds the objects of a source. Meshes are built, without levels of detail, into a file without a
/// name in the context's temporary folder, which ends with the scene; models and scene files are
/// opened. On failure the scene is as it was.
/// @param def  NULL for the defaults; for meshes only.
/// @return as graze_scene_build, graze_model_open.
GRAZE_API graze_status graze_scene_add_source(graze_scene *scene, const graze_scene_source *source,
                                              const graze_scene_build_def *def);

typedef struct graze_object_def {
    uint32_t struct_size; ///< set by graze_object_def_default; leave alone
    const char *name;     ///< copied; NULL: ""
    const char *group;    ///< copied; NULL: ""
    const graze_shape *shape;
    const graze_pose *pose; ///< NULL: where the shape was made
} graze_object_def;

static inline graze_object_def graze_object_def_default(void)
{
    graze_object_def def = GRAZE_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    return def;
}

/// Adds an object of your own.
/// @param id  receives its name; NULL if not wanted.
/// @return GRAZE_OK, GRAZE_ERROR_ARGUMENT (no shape, a pose that is none), GRAZE_ERROR_MEMORY.
GRAZE_API graze_status graze_scene_add(graze_scene *scene, const graze_object_def *def,
                                       graze_object_id *id);
/// @return GRAZE_OK, GRAZE_ERROR_ARGUMENT (no such object any more, a pose that is none).
GRAZE_API graze_status graze_scene_move(graze_scene *scene, graze_object_id id,
                                        const graze_pose *pose);
GRAZE_API graze_status graze_scene_remove(graze_scene *scene, graze_object_id id);

/// The object behind another one, in the order in which they were added; the first one behind
/// none. None behind the last.
GRAZE_API graze_object_id graze_scene_next(const graze_scene *scene, graze_object_id id);
/// The object of a path; none if there is no such object.
GRAZE_API graze_object_id graze_scene_find(const graze_scene *scene, const char *path);

/// What is known of an object without reading its triangles. Texts belong to the scene.
typedef struct graze_scene_object {
    const char *name, *group, *path;
    graze_pose pose;
    graze_box box; ///< in the world, rounded outward; empty if it has no triangles
    uint64_t triangle_count;
    uint64_t hash; ///< of the triangles in the object's own frame; 0: not known
    graze_knowledge closed;
} graze_scene_object;

/// @return GRAZE_OK, GRAZE_ERROR_ARGUMENT (no such object any more).
GRAZE_API graze_status graze_scene_get(const graze_scene *scene, graze_object_id id,
                                       graze_scene_object *object);

/// The shape of an object, for all questions of query.h, until it is unpinned.
GRAZE_API graze_status graze_scene_pin(graze_scene *scene, graze_object_id id,
                                       const graze_shape **shape);
GRAZE_API void graze_scene_unpin(graze_scene *scene, graze_object_id id);

/// Streams the triangles of an object, in its own frame: graze_scene_get tells its pose.
/// @param error   as in graze_model_stream_coarse. Shapes of your own that are not of a model, and
///                objects that were built without levels of detail, come as they are; triangles
///                are in any order.
/// @param detail  receives what became of it; NULL if not wanted.
/// @return as graze_model_stream_coarse and graze_scene_pin.
GRAZE_API graze_status graze_scene_stream(graze_scene *scene, graze_object_id id, double error,
                                          const graze_mesh_sink *sink, graze_model_detail *detail);

typedef struct graze_scene_info {
    uint64_t object_count;
    uint64_t shape_count;     ///< objects that share theirs count once
    uint64_t triangle_count;  ///< of all objects
    uint64_t stored_count;    ///< triangles of all shapes
    double metres_per_unit;   ///< 0 means unknown
    graze_box box;            ///< of all objects
    uint64_t file_bytes;      ///< of scene files and models
    uint64_t resident_bytes;  ///< memory that the scene takes now, without the cache
    graze_mesh_losses losses; ///< what was left out when meshes were read
} graze_scene_info;

GRAZE_API graze_scene_info graze_scene_get_info(const graze_scene *scene);

/// What the cache has and had of the pages of all open models of the context, see graze/model.h.
GRAZE_API graze_cache_use graze_scene_cache_use(const graze_scene *scene);

#ifdef __cplusplus
}
#endif
#endif
