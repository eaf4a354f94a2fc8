// What the files of graze simulate share: a scene on its way.
#ifndef GRAZE_CMD_SIMULATE_RUN_H
#define GRAZE_CMD_SIMULATE_RUN_H

#include "aside_file.h"
#include "graze/graze.h"
#include "raster.h"
#include "session.h"

// The triangles of a file, to draw: three points each.
typedef struct drawn_file {
    const char *path; // of the scene
    float *points;
    uint64_t count, capacity; // of points
    double *vertices;         // while it is read
    uint64_t vertex_count, vertex_capacity;
    graze_precision precision;
} drawn_file;

typedef struct simulate_run {
    cmd_session session;
    const cmd_arguments *arguments;
    graze_sim_scene *scene;
    graze_sim_setting setting;
    graze_sim *sim;
    uint64_t step_count; // to be made
    aside_file record;
    bool recording;
    // Pictures.
    drawn_file *files; // one for each body; those of the same file share
    uint32_t *file_of;
    uint32_t file_count;
    double low[3], high[3];
    uint8_t *sheet;
    uint32_t sheet_width, sheet_height, cell_width, cell_height, cell_count;
    uint64_t frame_count;
    // What is told.
    graze_sim_report last;
    uint64_t event_count, held_steps, query_count, contact_steps, late_switches;
    double least_gap, query_seconds, longest_query, begun_energy;
    double *step_seconds; // of each step
    uint64_t steps_done;
} simulate_run;

// Each says what is wrong and returns the exit code; 0 is good.
int open_record(simulate_run *run);
int record_step(simulate_run *run, const graze_sim_report *report);
int close_record(simulate_run *run, bool keep);
// Goes along a record instead of making steps.
int replay_record(simulate_run *run);

int open_pictures(simulate_run *run);
// Draws what is due at this step.
int draw_step(simulate_run *run, uint64_t step);
int close_pictures(simulate_run *run, bool keep);
void free_pictures(simulate_run *run);

#endif
