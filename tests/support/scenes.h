// Meshes with many objects for tests of scenes: closed and open ones, instances, matrices of every
// kind.
#ifndef GZ_TEST_SCENES_H
#define GZ_TEST_SCENES_H

#include <stdbool.h>

#include "models.h"
#include "scene/scene_file.h"

// How an object is placed.
typedef enum scenes_matrix {
    SCENES_PLAIN,   // it is not
    SCENES_SHIFT,   // by a translation
    SCENES_RIGID,   // by a rotation and a translation
    SCENES_ROUNDED, // the same with numbers that are floats
    SCENES_SCALED,
    SCENES_MIRROR,
    SCENES_SHEAR,
    SCENES_MATRICES
} scenes_matrix;

// A mesh that grows object by object, in memory of the test's own.
typedef struct scenes_mesh {
    graze_precision precision;
    double *positions;
    uint32_t *corners;
    graze_object *objects;
    uint64_t vertex_count, triangle_count, object_count;
} scenes_mesh;

// A ball with a relief of its own, of about so many triangles, around a place; `open` leaves a
// triangle out. Coordinates are floats.
void scenes_add_ball(scenes_mesh *mesh, test_random *random, uint64_t triangle_count,
                     const double at[3], bool open, const char *name, scenes_matrix matrix);
// The same triangles as object `of` has, placed by another matrix.
void scenes_add_instance(scenes_mesh *mesh, test_random *random, uint64_t of, const char *name,
                         scenes_matrix matrix);
// Writes it; the ending of the name is the format.
void scenes_write(const scenes_mesh *mesh, const char *path);
void scenes_free(scenes_mesh *mesh);

// Some twenty objects of all kinds, up to so many triangles each.
void scenes_make(uint64_t seed, uint64_t most_triangles, scenes_mesh *mesh);

// Builds a scene file of one mesh, at a path or without a name.
graze_status scenes_build(graze_context *context, const char *mesh_path, const char *scene_path,
                          uint64_t memory_bytes, bool no_levels);

// Fails the test unless objects `first` and on of the file are those of a mesh file: names, groups,
// and all corners bit for bit, in the world as graze_mesh_flatten has them.
void scenes_compare(graze_context *context, const char *mesh_path, gz_scene_file *file,
                    uint32_t first);

#endif
