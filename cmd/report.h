// Reports of mesh files, for people and for programs.
#ifndef GRAZE_CMD_REPORT_H
#define GRAZE_CMD_REPORT_H

#include <stdbool.h>

#include "graze/inspect.h"

#define SUMMARY_BYTES 512

// "closed, 1 part, no defects". Returns the number of defects found.
uint64_t summarize_report(const graze_mesh_report *report, char text[SUMMARY_BYTES]);

// On stdout, with or without the list of objects.
void print_report(const char *path, const graze_mesh_report *report, bool objects);
// One line. The members are described in the manual page, from options.c.
void print_json_report(const char *path, const graze_mesh_report *report, bool objects);

#endif
