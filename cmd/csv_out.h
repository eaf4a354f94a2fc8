// Writes CSV as RFC 4180 has it, but for ends of lines, which are "\n": one value after the other.
#ifndef GRAZE_CMD_CSV_OUT_H
#define GRAZE_CMD_CSV_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct cmd_csv {
    FILE *file;
    bool filled; // the row has a value already
} cmd_csv;

void csv_text(cmd_csv *csv, const char *text); // quoted where it must be; NULL gives an empty field
// The same for spreadsheets, which take a text that begins with =, +, - or @ for a formula: a '
// before it makes it a text.
void csv_cell(cmd_csv *csv, const char *text);
void csv_count(cmd_csv *csv, uint64_t count);
void csv_reals(cmd_csv *csv, const double *values, int count); // not finite gives an empty field
void csv_end_row(cmd_csv *csv);

#endif
