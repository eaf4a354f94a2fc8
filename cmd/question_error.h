// Answers with an error: what --error and --budget ask for, and what an answer tells about it.
#ifndef GRAZE_CMD_QUESTION_ERROR_H
#define GRAZE_CMD_QUESTION_ERROR_H

#include "two_shapes.h"

// True if an answer may have an error.
bool may_have_error(const cmd_arguments *arguments);

// The longest side of the box of the smaller of the two, in the unit of the world. A side without
// triangles does not count; 0 if neither has any.
double smaller_width(const two_shapes *two);

// --error in the unit of the world, and --budget in seconds; 0 where not given. With a budget the
// models are prepared for it, before its time begins. Says what is wrong and returns the exit code;
// 0 is good.
int find_question_error(two_shapes *two, double *error, double *time_limit);

// "0.12, which is 0.04 % of the smaller": the error, rounded up.
void print_error(FILE *file, const two_shapes *two, double error);

// What stopped a question that is not decided: "--budget", "--work-limit" or "a limit".
const char *what_stopped(const cmd_arguments *arguments);

// With --error or --budget: a line with the error that was reached, and, unless it is 0, two with
// the sizes of the cuts.
void print_reached(const two_shapes *two, const graze_answer *answer);
// The same as members: "error_reached" and "cut".
void put_reached(cmd_json *json, const two_shapes *two, const graze_answer *answer);

#endif
