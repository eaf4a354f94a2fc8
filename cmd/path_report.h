// The page of graze path --report: one HTML file that needs nothing else, with charts of all steps.
#ifndef GRAZE_CMD_PATH_REPORT_H
#define GRAZE_CMD_PATH_REPORT_H

#include "path_run.h"

// Of a run with one step at least. False: out of memory; whether writing went well, the file knows.
bool write_path_report(FILE *file, const path_run *run);

// What every page has: see report_page.c.
extern const char *const report_style, *const report_script;

#endif
