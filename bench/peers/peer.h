// What an engine looks like to bench_triangles: graze's own ones in C, those of others in C++.
//
// All engines get the same pairs. A pair is a triangle of `a` and one of `b`; pairs with the same a
// stand together, as a traversal of two trees finds them, and make a group. Every coordinate is a
// float widened to double, so that engines in float are asked about the same triangles.
#ifndef GRAZE_BENCH_PEER_H
#define GRAZE_BENCH_PEER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_pairs {
    uint32_t group_count, pair_count;
    const double (*a)[3][3];     // group_count triangles: corner, axis
    const double (*b)[3][3];     // pair_count triangles
    const uint32_t *group_begin; // group_count + 1 numbers of pairs
    const uint32_t *group_word;  // group_count + 1 numbers of words: each group begins a word
    double tolerance;            // 0 asks whether they share a point
} peer_pairs;

typedef struct peer {
    const char *engine;   // as the table shows it
    const char *width;    // of its arithmetic: "float", "double", or lanes, such as "float x16"
    int answers_distance; // 0: answers whether they meet; 1: whether they are within the tolerance
    // Bring the pairs into the engine's own form; not timed. They outlive what is returned. NULL
    // means that the engine does not run on this machine.
    void *(*prepare)(const peer_pairs *pairs);
    // The timed part. Bit i of a group's words is the answer for its pair i; other bits are 0.
    void (*run)(void *prepared, uint32_t *answers);
    void (*finish)(void *prepared);
    // NULL, or the pairs that the last run left open, as answers are given.
    const uint32_t *(*unsure)(void *prepared);
} peer;

typedef struct peer_list {
    const peer *peers;
    uint32_t count;
} peer_list;

// Each may be missing: CMake says by a macro which are linked.
extern const peer_list peers_graze, peers_interval, peers_cgal, peers_bullet, peers_fcl,
    peers_opcode;

#ifdef __cplusplus
}
#endif
#endif
