// How often each rare branch of the exact geometry was taken, for tests and for the counters of
// queries. Counted per thread: no atomics, and a query reads the difference over its own work.
#ifndef GZ_BRANCHES_H
#define GZ_BRANCHES_H

#include <stdint.h>

typedef enum gz_branch {
    GZ_BRANCH_ORIENT2D_SMALL, // the double filter could not tell the sign; 64-bit integers did
    GZ_BRANCH_ORIENT3D_SMALL, // the same in space
    GZ_BRANCH_ORIENT2D_EXACT, // it took integers of any length
    GZ_BRANCH_ORIENT3D_EXACT, // the same in space
    GZ_BRANCH_WIDE_NUMBERS,   // exact numbers of more than four limbs: extreme exponents
    GZ_BRANCH_MEET_BY_SIGNS,  // planes cross: settled by signs of orientations, some of them exact
    GZ_BRANCH_MEET_BY_FEATURES,  // coplanar or degenerate: settled feature by feature
    GZ_BRANCH_VERTEX_OF_A,       // a corner of the intersection: a vertex of A in B
    GZ_BRANCH_VERTEX_OF_B,       // a vertex of B in A
    GZ_BRANCH_EDGE_OF_A_IN_FACE, // an edge of A pierces the face B
    GZ_BRANCH_EDGE_OF_B_IN_FACE, // an edge of B pierces the face A
    GZ_BRANCH_EDGES_CROSS,       // an edge of A crosses an edge of B
    GZ_BRANCH_POINT_A,           // A is a single point
    GZ_BRANCH_SEGMENT_A,         // A is a segment
    GZ_BRANCH_POINT_B,
    GZ_BRANCH_SEGMENT_B,
    GZ_BRANCH_WITHIN_EXACT,  // a tolerance was compared in exact arithmetic
    GZ_BRANCH_VERTEX_VERTEX, // the exact distance of two vertices was looked at
    GZ_BRANCH_VERTEX_EDGE,
    GZ_BRANCH_VERTEX_FACE,
    GZ_BRANCH_EDGE_EDGE,
    GZ_BRANCH_ROUND_SUBNORMAL, // an exact ratio was rounded to a subnormal or to zero
    GZ_BRANCH_ROUND_OVERFLOW,  // an exact ratio was too large for a double
    GZ_BRANCH_BATCH_UNSURE,    // the wide float filter passed a pair on
    GZ_BRANCH_COUNT
} gz_branch;

extern _Thread_local uint64_t gz_branch_count[GZ_BRANCH_COUNT]
    __attribute__((tls_model("initial-exec")));

static inline void gz_took(gz_branch branch) { gz_branch_count[branch]++; }

// Signs on this thread that the double filter left to integers, short or long.
static inline uint64_t gz_exact_signs(void)
{
    return gz_branch_count[GZ_BRANCH_ORIENT2D_SMALL] + gz_branch_count[GZ_BRANCH_ORIENT3D_SMALL] +
           gz_branch_count[GZ_BRANCH_ORIENT2D_EXACT] + gz_branch_count[GZ_BRANCH_ORIENT3D_EXACT];
}

const char *gz_branch_name(gz_branch branch);

#endif
