// Three views of the table of options: help, manual pages, shell completion. All go to stdout.
#ifndef GRAZE_CMD_HELP_H
#define GRAZE_CMD_HELP_H

#include "options.h"

// `command` NULL: of graze itself.
void print_help(const cmd_command *command);
void print_manual(const cmd_command *command);
void print_completion(const char *shell);

// Words broken into lines of at most 79 columns. The cursor stands at `column`; further lines are
// indented. Ends with a newline.
void print_wrapped(const char *text, int column, int indent);

#endif
