// METIS behind a fence. It takes memory by malloc, not from the context, so graphs are those of
// nodes: some hundred bytes for each node and edge, given back before the call ends.
//
// It is asked for two parts only, and whoever wants more asks again about each. With more it has
// traps: k-way with one part divides by zero; where parts run out of nodes, for there are few or
// some are heavy, it prints to stdout. What else it does not check is checked here: numbers of
// neighbours, sums beyond 32 bits, parts that are none.
//
// What it does to the process is undone: it seeds rand(), and takes over SIGABRT and SIGTERM while
// it runs. So one call at a time; the state of rand() and both handlers are put back. A program
// that calls rand() on another thread meanwhile may get other parts: that changes in which order
// things are looked at, and no answer.
#ifndef GZ_METIS_GUARD_H
#define GZ_METIS_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "graze/base.h"

// All numbers are below 2^31, as METIS has them.
typedef struct gz_metis_graph {
    uint32_t node_count;
    const int32_t *first;     // link of each node, and one behind the last
    const int32_t *neighbour; // both ways, no loops
    const int32_t *weight;    // of nodes: 1 or more, their sum below 2^31
    const int32_t *cost;      // of links: 1 or more, their sum below 2^31, the same both ways
} gz_metis_graph;

// Are these numbers that METIS can be asked about?
bool gz_metis_can(uint64_t node_count, uint64_t link_count);

// Part of each node, 0 or 1, such that links between the two cost little; part 0 has about `share`
// of all weight, 0 < share < 1. A part may come out empty. A pure function, as far as said above.
// @return GRAZE_OK, GRAZE_ERROR_MEMORY.
graze_status gz_metis_bisect(graze_context *context, const gz_metis_graph *graph, double share,
                             int32_t *part);

#endif
