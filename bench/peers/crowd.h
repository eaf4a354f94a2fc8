// What bench_clash asks of an engine that collides many meshes with each other: which of them share
// a point? Plain C, so that C++ rivals can be linked to the program.
#ifndef GRAZE_BENCH_CROWD_H
#define GRAZE_BENCH_CROWD_H

#include "collider.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crowd {
    const char *engine;  // as the tables show it
    const char *setting; // which of its trees, and its arithmetic
    // All meshes, and the tree of their boxes. They outlive it. NULL if memory ran out.
    void *(*build)(const collider_mesh *meshes, uint32_t count);
    void (*drop)(void *crowd);
    // All pairs of meshes that share a point, by their numbers, each once in any order and either
    // way round. At most `room` are told; the number of all is returned.
    uint64_t (*ask)(void *crowd, collider_pair *pairs, uint64_t room);
} crowd;

typedef struct crowd_list {
    const crowd *crowds;
    uint32_t count;
} crowd_list;

extern const crowd_list crowds_fcl;

#ifdef __cplusplus
}
#endif
#endif
