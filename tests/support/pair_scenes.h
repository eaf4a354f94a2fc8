// Two meshes in poses, and the pairs of triangles that share a point: by brute force, posed here
// and judged by the oracle, which shares nothing with the library.
#ifndef PAIR_SCENES_H
#define PAIR_SCENES_H

#include "graze/geometry.h"
#include "graze/mesh.h"

enum { SCENE_TRIANGLES = 150 };

typedef struct scene_mesh {
    graze_mesh_view view;
    double position[9 * SCENE_TRIANGLES];
    float narrow[9 * SCENE_TRIANGLES];
    uint32_t corner[3 * SCENE_TRIANGLES];
} scene_mesh;

typedef struct scene_pair {
    uint32_t a, b;
} scene_pair;

typedef struct pair_scene {
    scene_mesh a, b;
    graze_pose pose_a, pose_b;
    uint64_t pair_count;
    scene_pair *pairs; // by number of a, then of b
} pair_scene;

int pair_scene_kinds(void);
const char *pair_scene_kind_name(int kind);
// A function of seed and kind, on every machine the same. The scene moves nowhere: its views point
// into it.
pair_scene *pair_scene_make(uint64_t seed, int kind);
void pair_scene_free(pair_scene *scene);

// Sorts pairs, two uint32_t each, and compares; fails the test with `label` where they differ.
void pair_scene_check(const pair_scene *scene, void *pairs, uint64_t count, const char *label);

// Positions of soups that builders do not like: nine numbers a triangle.
enum { SCENE_NASTY_KINDS = 6 };
void pair_scene_nasty(int kind, uint32_t count, float *position);

#endif
