// The library before the oracle: each check takes one pair and compares what the library says of it
// with the truth; the runner does that for any number of pairs on several threads. A failure names
// (seed, kind, index) and prints the pair in hexadecimal, so that it can be run again alone:
//   GRAZE_EXACT_REPLAY=seed:kind:index test_exact_meet
// GRAZE_EXACT_PAIRS sets the number of pairs of each sort (of batches a twentieth of that),
// GRAZE_EXACT_SEED the seed; GRAZE_EXACT_PART=10 takes the first tenth of the pairs.
#ifndef CHECK_H
#define CHECK_H

#include "geometry/branches.h"
#include "nasty.h"
#include "oracle.h"
#include "test.h"

typedef struct check_state {
    oracle *oracle;
    uint64_t number;       // of the pair, for what varies from pair to pair
    bool distance_known;   // of the pair that is loaded
    uint64_t pairs, met;   // how many, and how many of them met
    bool needed_exact;     // the pair that is loaded was settled in integers,
    bool needed_long;      // and long ones at that
    uint64_t exact, longs; // how many pairs were
    uint64_t branch[GZ_BRANCH_COUNT];
} check_state;

// NULL if all answers are right, else which is not; a literal.
typedef const char *check_function(check_state *state, const nasty_pair *pair);

check_function check_predicates; // graze_orient3d, graze_orient2d, graze_triangle_dimension
check_function check_meet;       // graze_triangle_meet, graze_triangle_within
check_function check_closest;    // graze_triangle_closest
check_function check_intersect;  // graze_triangle_intersect
check_function check_many;       // graze_triangle_meet_many, _within_many, against the single forms

// Contexts of all SIMD widths that this machine has, which check_many needs.
void check_contexts_open(void);
void check_contexts_close(void);
int check_context_count(void);
graze_context *check_context(int number);

typedef struct check_plan {
    const char *name;
    check_function *checks[4];
    uint64_t random_pairs, nasty_pairs;
    uint64_t batch;   // 0, or how many pairs each counts for when the environment sets their number
    unsigned threads; // 0: one for each core
    double exact_share; // at least this part of the nasty pairs needs integers,
    double long_share;  // and this part long ones
} check_plan;

// Fails the test when one pair is wrong. Adds what was counted to `total` if that is not NULL.
void check_run(const check_plan *plan, check_state *total);

// Fails unless every branch was taken, but for those listed (ended by GZ_BRANCH_COUNT).
void check_branches(const uint64_t *taken, const gz_branch *but);

// What this build can do in a test that takes `pairs` pairs when optimised and plain.
uint64_t check_affordable(uint64_t pairs);

void check_print_pair(const nasty_pair *pair);

// Calls oracle_closest, once a pair.
void check_know_distance(check_state *state);

// Notes whether the pair needed integers since `before` was taken.
typedef struct check_signs {
    uint64_t exact, longs;
} check_signs;
check_signs check_signs_now(void);
void check_note_signs(check_state *state, check_signs before);

// One of the six orders of the corners.
graze_triangle check_renumbered(const graze_triangle *triangle, uint64_t order);

// A double near the square root of numerator / denominator * 4^exponent.
double check_distance_near(const oracle *o);

#endif
