// Clashes of a record as programs read them: rows of CSV, objects of JSON. What review prints and
// report writes is the same.
#ifndef GRAZE_CMD_RECORD_ROWS_H
#define GRAZE_CMD_RECORD_ROWS_H

#include "csv_out.h"
#include "graze/clash_record.h"
#include "json_out.h"

void csv_record_names(cmd_csv *csv);
void csv_record_clash(cmd_csv *csv, const graze_record_clash *clash);

// The members of an object that is open: first those that IfcClash has, then ours.
void json_record_clash(cmd_json *json, const graze_record_clash *clash);
void json_record_event(cmd_json *json, const graze_record_event *event); // an object of its own
void json_record_run(cmd_json *json, const char *key, const graze_record_run *run);

// "2026-11-18T19:00:00Z"; "" where no time was said.
#define MOMENT_BYTES 40
const char *print_moment(char out[MOMENT_BYTES], int64_t moment);

#endif
