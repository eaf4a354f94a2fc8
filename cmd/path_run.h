// A run of graze path: the question, its steps, and what it took. What is printed and what the
// report shows come from here.
#ifndef GRAZE_CMD_PATH_RUN_H
#define GRAZE_CMD_PATH_RUN_H

#include "path_steps.h"
#include "two_shapes.h"

typedef struct path_run {
    two_shapes two;           // a moves, b stands
    struct path_scene *scene; // b has several objects, see path_scene.h; NULL: it is one
    graze_collide_def def;
    const char *poses; // the file, for people
    path_steps steps;
    path_totals totals; // of a run with steps, when it has ended
    bool ended_early;   // by a signal or a failure: there may be more poses
    bool has_model;     // else nothing below is known
    graze_cache_use cache;
    uint64_t context_bytes, process_bytes; // at most
} path_run;

// One row a step, as CSV or as JSON.
void print_step_names(FILE *file);
void print_step_row(FILE *file, uint64_t number, const path_step *step);
void put_step(uint64_t number, const path_step *step);

void print_stretches(const path_run *run); // for people
void print_totals(const path_run *run);
void note_totals(const path_run *run); // on stderr, in one line

// "contact in 12 of 40 steps", as it fits.
void summarize_path(const path_run *run, char out[256]);

#endif
