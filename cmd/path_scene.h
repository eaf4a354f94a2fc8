// graze path through a scene: movers, and which objects they are in contact with, step by step.
#ifndef GRAZE_CMD_PATH_SCENE_H
#define GRAZE_CMD_PATH_SCENE_H

#include "graze/motion.h"
#include "path_run.h"

typedef struct path_mover {
    const char *path; // as given
    graze_mesh *mesh; // while it becomes a shape
    graze_model *model;
    graze_shape *shape;
    graze_object_id id;
} path_mover;

// Steps in a row, from 0, in which a mover is in contact with an object.
typedef struct object_stretch {
    graze_object_id mover, other;
    uint64_t first, last;
    graze_clash worst; // with --kinds
} object_stretch;

typedef struct path_scene {
    graze_scene *scene;
    graze_motion *motion;
    graze_motion_def def;
    path_mover *movers;
    int mover_count;
    object_stretch *stretches; // in the order of their first steps
    uint64_t count, room;
    uint64_t *open; // numbers of stretches that reach the last step
    uint64_t open_count, open_room;
    uint64_t hit_count;         // objects that were in contact; known when the run has ended
    graze_motion_answer answer; // of the last step
} path_scene;

// Whether what stands is a scene, or options or operands are only for scenes. Says what is wrong
// and returns the exit code; 0 is good.
int find_path_scene(const cmd_arguments *arguments, bool *is_scene);
// In any case path_scene_close must be called.
int path_scene_open(path_run *run);
void path_scene_close(path_run *run);

// Asks one step, whose first pose has been read, and adds it to the steps. With several movers the
// poses of the others are on the next lines.
int path_scene_ask(path_run *run, pose_path *path, const path_pose *at);

// Rows of the last step: contacts and nearest objects.
void print_scene_names(FILE *file);
void print_scene_rows(FILE *file, const path_run *run);
void put_scene_step(const path_run *run);
void print_object_stretches(const path_run *run); // for people
const char *object_path(const graze_scene *scene, graze_object_id id);

// An object that was hit, and in how many steps by any mover.
typedef struct object_hits {
    graze_object_id other;
    uint64_t step_count, first;
} object_hits;
// Of all objects that were hit, by their first step; their number is hit_count. NULL: out of
// memory, or there are none.
object_hits *path_scene_hits(path_scene *scene);

#endif
