// Reports of mesh files, for people and for programs.
#ifndef GRAZE_CMD_REPORT_H
#define GRAZE_CMD_REPORT_H

#include <stdbool.h>

#include "graze/inspect.h"
#include "graze/scene.h"
#include "graze/shape.h"

#define SUMMARY_BYTES 512

// "closed, 1 part, no defects". Returns the number of defects found.
uint64_t summarize_report(const graze_mesh_report *report, char text[SUMMARY_BYTES]);

// What a mesh becomes for collide.
typedef struct shape_report {
    graze_shape_info info;
    graze_layout layout;
    uint64_t mesh_bytes; // of vertices and their numbers, as they stand in memory
    double build_seconds;
} shape_report;

// On stdout, with or without the list of objects and the shape, which may be NULL.
void print_report(const char *path, const graze_mesh_report *report, const shape_report *shape,
                  bool objects);
// One line. The members are described in the manual page, from command_table.c.
void print_json_report(const char *path, const graze_mesh_report *report, const shape_report *shape,
                       bool objects);

// The same for a model file, with its objects fetched from it if they are wanted. Prints nothing
// where they cannot be read.
graze_status print_model_report(const char *path, graze_model *model, bool as_json, bool objects);
// The same for a scene of one file.
void print_scene_report(const char *path, const graze_scene *scene, bool as_json, bool objects);

#endif
