// The steps of a path that was asked: what each answer was and cost, and what they come to.
#ifndef GRAZE_CMD_PATH_STEPS_H
#define GRAZE_CMD_PATH_STEPS_H

#include "graze/query.h"
#include "pose_path.h"

typedef struct path_step {
    uint64_t line; // of the pose
    char *label;   // NULL: it has none
    graze_verdict verdict;
    bool complete;     // the contacts are all there are
    uint64_t contacts; // how many
    double depth;      // of the deepest; NaN if there is none
    double seconds;
    double error; // reached
    uint64_t cut_a, cut_b;
    uint64_t cluster_pairs, triangle_tests, page_loads, page_misses;
} path_step;

typedef struct path_steps {
    path_step *items;
    uint64_t count, room;
} path_steps;

// Steps first .. first + count - 1, in a row and of one verdict.
typedef struct path_stretch {
    uint64_t first, count;
    graze_verdict verdict;
    uint64_t most_contacts;
    double depth; // of the deepest; NaN if there is none
    double mean_seconds, most_seconds;
} path_stretch;

typedef struct path_totals {
    uint64_t verdicts[4]; // how many of each
    double mean_seconds, p99_seconds, most_seconds;
    uint64_t slowest, deepest; // numbers of steps, from 0; `deepest` is `count` if none is deep
    double most_error;
    uint64_t page_loads, page_misses;
} path_totals;

extern const char *const path_verdict_names[4];

// False: out of memory.
bool path_steps_add(path_steps *steps, const path_pose *at, const graze_answer *answer,
                    double seconds);
bool path_steps_labelled(const path_steps *steps); // some pose has a label
void path_steps_free(path_steps *steps);

// False: out of memory. There is one step at least.
bool path_steps_sum(const path_steps *steps, path_totals *totals);

// The stretch that begins at a step.
path_stretch path_stretch_at(const path_steps *steps, uint64_t first);

#endif
