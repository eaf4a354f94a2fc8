// Sources of a scene: files, folders and manifests become a list of files. See graze/scene.h.
#ifndef GZ_SOURCES_H
#define GZ_SOURCES_H

#include "base/memory.h"
#include "graze/scene.h"
#include "scene/scene_file.h"

typedef enum gz_source_kind { GZ_SOURCE_MESH, GZ_SOURCE_MODEL, GZ_SOURCE_SCENE } gz_source_kind;

// A file, what goes before the groups of its objects, and where it is put.
typedef struct gz_source_file {
    gz_source_kind kind;
    char *path, *group;
    graze_pose pose;
    double metres_per_unit; // where the file does not say; 0: nobody knows
} gz_source_file;

typedef GZ_LIST(gz_source_file) gz_source_list;

// Appends the files of a source, in an order that depends on names only. What cannot be a mesh by
// its name is left out of folders, with a warning.
// @return GRAZE_OK, GRAZE_ERROR_IO, GRAZE_ERROR_FORMAT (a manifest with errors),
// GRAZE_ERROR_MEMORY.
graze_status gz_sources_expand(graze_context *context, const graze_scene_source *source,
                               gz_source_list *files);
// A file as a mesh to build of; texts and pose stay those of the file.
gz_scene_mesh gz_source_mesh(const gz_source_file *file);
void gz_sources_free(graze_context *context, gz_source_list *files);

#endif
