// What bench_collide asks of an engine that collides whole meshes: graze itself and each rival.
// Object A stays as it is; object B has a pose. Both are made of float vertices that all engines
// share. Plain C, so that C++ rivals can be linked to the program.
#ifndef GRAZE_BENCH_COLLIDER_H
#define GRAZE_BENCH_COLLIDER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct collider_mesh {
    const float (*vertices)[3];
    const uint32_t (*corners)[3]; // of each triangle: three vertex numbers
    uint32_t vertex_count, triangle_count;
} collider_mesh;

typedef struct collider_pose {
    double rotation[9]; // three rows
    double translation[3];
} collider_pose;

typedef struct collider_pair {
    uint32_t a, b; // triangle numbers
} collider_pair;

typedef enum collider_question {
    COLLIDER_ALL,      // how many pairs of triangles share a point; `list` names them afterwards
    COLLIDER_FIRST,    // 1 if some do, else 0
    COLLIDER_DISTANCE, // the smallest distance; 0 if some do
    COLLIDER_WITHIN,   // 1 if some are at most the tolerance apart, else 0
    COLLIDER_QUESTIONS
} collider_question;

typedef struct collider {
    const char *engine;  // as the tables show it
    const char *setting; // which of its trees and tests, and its arithmetic
    // An object, from a mesh that outlives it. NULL if this machine cannot, or memory ran out.
    void *(*build)(const collider_mesh *mesh);
    void (*drop)(void *object);
    // Bytes of an object, where it knows better than malloc. NULL: what came from there.
    uint64_t (*bytes)(void *object, uint64_t from_malloc);
    // Arrays of the mesh that the engine goes on to read: 1. It has all in its own: 0.
    int needs_mesh;
    // Two objects, maybe the same one twice, and the room that questions need.
    void *(*join)(void *a, void *b);
    void (*part)(void *joined);
    // Work on a new pose that is not part of the answer's time. NULL: none.
    void (*place)(void *joined, const collider_pose *pose);
    // The timed part. NULL: the engine does not answer this.
    double (*ask[COLLIDER_QUESTIONS])(void *joined, const collider_pose *pose, double tolerance);
    // After COLLIDER_ALL: writes as many pairs as it said.
    void (*list)(void *joined, collider_pair *pairs);
} collider;

typedef struct collider_list {
    const collider *colliders;
    uint32_t count;
} collider_list;

// Each may be missing: CMake says by a macro which are linked.
extern const collider_list colliders_graze, colliders_fcl, colliders_bullet, colliders_opcode,
    colliders_cgal, colliders_embree;

#ifdef __cplusplus
}
#endif
#endif
