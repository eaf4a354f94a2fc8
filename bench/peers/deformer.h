// What bench_cull asks of an engine about frames of meshes that may all be different from those of
// the frame before: which triangles meet? graze's culling, its trees and each rival answer this.
// Plain C, so that C++ rivals can be linked to the program.
#ifndef GRAZE_BENCH_DEFORMER_H
#define GRAZE_BENCH_DEFORMER_H

#include "collider.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct deform_frame {
    const collider_mesh *objects; // arrays that end with the next frame
    uint32_t object_count;
    int self;           // 1: triangles of one object against each other, too
    int same_triangles; // 1: objects and their triangles are those of the frame before, moved
} deform_frame;

// Triangle `a` of one object and `b` of another: of the one with the smaller number and of the
// other. Within one object a < b.
typedef struct deform_pair {
    uint32_t object_a, object_b, a, b;
} deform_pair;

// What graze_cull_counters has.
typedef struct deform_counters {
    uint64_t objects_left, groups_left, triangles_left, rounds, triangle_tests, exact_tests;
    uint64_t context_bytes; // allocated, at most
} deform_counters;

typedef struct deformer {
    const char *engine;  // as the tables show it
    const char *setting; // which of its trees, and what becomes of it from frame to frame
    uint32_t threads;
    uint32_t choice; // what tells settings of one engine apart
    int all_common;  // 1: of two triangles with a common corner it tells whether they share more.
                     // 0: it passes over those
    // @return NULL if this machine cannot.
    void *(*open)(const struct deformer *of, uint32_t resolution);
    void (*close)(void *opened);
    // Gets the next frame, and may copy it to where it likes its data. Not timed. Arrays stay until
    // pairs were listed.
    void (*take)(void *opened, const deform_frame *frame);
    // The timed part: all pairs of triangles that share a point, kept for `list`, and how many.
    // Below 0: it cannot.
    double (*ask)(void *opened);
    void (*list)(void *opened, deform_pair *pairs);         // in any order
    void (*count)(void *opened, deform_counters *counters); // of the last frame. NULL: none
} deformer;

typedef struct deformer_list {
    const deformer *deformers;
    uint32_t count;
} deformer_list;

// Those of others may be missing: CMake says by a macro which are linked.
extern const deformer_list deformers_trees, deformers_cull, deformers_embree, deformers_fcl,
    deformers_bullet;

// Triangles of one mesh that have a vertex in common.
static inline int deform_neighbours(const collider_mesh *mesh, uint32_t a, uint32_t b)
{
    const uint32_t *p = mesh->corners[a], *q = mesh->corners[b];
    return p[0] == q[0] || p[0] == q[1] || p[0] == q[2] || p[1] == q[0] || p[1] == q[1] ||
           p[1] == q[2] || p[2] == q[0] || p[2] == q[1] || p[2] == q[2];
}

#ifdef __cplusplus
}
#endif
#endif
