// Manifests: JSON files that say which files a scene is made of, and where they stand.
#ifndef GZ_MANIFEST_H
#define GZ_MANIFEST_H

#include "scene/sources.h"

// Appends the files of a manifest. Paths are relative to its folder. What it does not know, it
// refuses, with the byte where it stands.
graze_status gz_manifest_read(graze_context *context, const char *path, const char *group,
                              const graze_pose *pose, gz_source_list *files);

// Of sources.c: a file or a folder.
graze_status gz_sources_add_path(graze_context *context, const char *path, const char *group,
                                 const graze_pose *pose, double metres_per_unit,
                                 gz_source_list *files);
graze_status gz_sources_add_file(graze_context *context, const char *path, const char *group,
                                 const graze_pose *pose, double metres_per_unit,
                                 gz_source_list *files);
// Two texts with something between them, if both are there. NULL when out of memory.
char *gz_text_join(graze_context *context, const char *a, char between, const char *b);

#endif
