// What graze cull prints: a table for people, or rows for programs, frame by frame, and totals.
#ifndef GRAZE_CMD_CULL_PRINT_H
#define GRAZE_CMD_CULL_PRINT_H

#include "frame_objects.h"
#include "graze/cull.h"

typedef enum cull_form { CULL_TABLE, CULL_JSON, CULL_CSV } cull_form;

typedef struct cull_printer {
    cull_form form;
    bool list_triangles, stats;
    uint64_t row_count;
} cull_printer;

// A frame that was answered.
typedef struct cull_frame_result {
    uint32_t number; // from 1
    const char *path;
    const frame_objects *objects;
    const graze_cull_answer *answer;
    double read_seconds, seconds;
} cull_frame_result;

typedef struct cull_totals {
    uint32_t frame_count, answered_count, contact_count, incomplete_count;
    uint64_t refused_count; // objects, of all frames
    uint64_t object_pairs, pairs, most_triangles;
    graze_cull_engine engine; // of the last frame
    double read_seconds, seconds;
} cull_totals;

// The row of names of CSV; the table has its own above the first row.
void print_cull_names(const cull_printer *printer);
void print_cull_frame(cull_printer *printer, const cull_frame_result *result);
// A frame that could not be answered, for programs; people have seen the sentence.
void print_cull_failure(const cull_printer *printer, uint32_t number, const char *path,
                        const char *sentence);
// The last line on stdout; of CSV there is none.
void print_cull_totals(const cull_printer *printer, const cull_totals *totals);

#define CULL_SUMMARY_BYTES 512
void summarize_cull(char out[CULL_SUMMARY_BYTES], const cull_totals *totals);

#endif
