// What graze clash prints: a table for people, or rows for programs, clash by clash, and totals.
#ifndef GRAZE_CMD_CLASH_PRINT_H
#define GRAZE_CMD_CLASH_PRINT_H

#include "graze/clash_record.h"
#include "units.h"

typedef enum clash_form { CLASH_TABLE, CLASH_JSON, CLASH_CSV } clash_form;

typedef struct clash_printer {
    clash_form form;
    const graze_scene *scene;
    double metres_per_unit; // 0: unknown
    uint64_t row_count;
} clash_printer;

// What the check took, besides the totals of the library.
typedef struct clash_cost {
    double read_seconds, check_seconds;
    uint64_t process_bytes; // resident at most
} clash_cost;

// The row of names of CSV; the table has its own above the first clash.
void print_clash_names(const clash_printer *printer);
void print_clash(clash_printer *printer, const graze_clash *clash);
// The last line on stdout; of CSV there is none, for every row is a clash.
// `record` is of the run that was written into a record; NULL where none was.
void print_clash_totals(const clash_printer *printer, const graze_clash_totals *totals,
                        const graze_record_totals *record, const clash_cost *cost);

// "12 objects, 30 pairs looked at: 1 duplicate, ..." without an end of line.
#define CLASH_SUMMARY_BYTES 512
void summarize_clashes(char out[CLASH_SUMMARY_BYTES], const clash_printer *printer,
                       const graze_clash_totals *totals, const clash_cost *cost);

// "run 2: 3 new, 40 active, ..." without an end of line.
void summarize_record(char out[CLASH_SUMMARY_BYTES], const graze_record_totals *record);

// All but those that only touch.
uint64_t count_clashes(const graze_clash_totals *totals);

// A length in a unit that fits; a number where the unit is not known.
const char *print_length(char out[TEXT_BYTES], double length, double metres_per_unit);

// The middle of its two points.
#define PLACE_BYTES 96
const char *print_place(char out[PLACE_BYTES], const clash_printer *printer,
                        const graze_clash *clash);

// "12.5 mm deep", "3 mm apart", or "-".
const char *print_amount(char out[TEXT_BYTES + 8], const clash_printer *printer,
                         const graze_clash *clash);

#endif
