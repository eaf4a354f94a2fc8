// A command line, taken apart and checked against the table of options.
#ifndef GRAZE_CMD_ARGUMENTS_H
#define GRAZE_CMD_ARGUMENTS_H

#include <stdint.h>

#include "options.h"

enum exit_code {
    EXIT_NOTHING_FOUND = 0,
    EXIT_FOUND = 1,
    EXIT_USAGE = 2,
    EXIT_BAD_INPUT = 3,
    EXIT_RESOURCES = 4,
    EXIT_STOPPED = 5
};

struct cmd_arguments {
    const cmd_command *command;     // NULL: none was named
    const char *text[OPTION_COUNT]; // as given; "" for a flag; NULL: not given
    uint64_t number[OPTION_COUNT];  // of VALUE_BYTES and VALUE_NUMBER
    double metres;                  // of --unit; 0: not given
    const char *poses[2];           // of --pose a:... and b:..., what is behind the colon
    char **operands;
    int operand_count;
    struct cmd_pattern *patterns; // of options that may be repeated, in order; NULL: none
    int pattern_count;
};

typedef struct cmd_pattern {
    option_id option;
    const char *text;
} cmd_pattern;

// Says what is wrong on stderr and returns false. Either way it ends with free_arguments.
bool parse_arguments(int count, char **words, cmd_arguments *arguments);
void free_arguments(cmd_arguments *arguments);

static inline bool is_given(const cmd_arguments *arguments, option_id id)
{
    return arguments->text[id] != NULL;
}

// "graze: <sentence>; see "graze help <command>"" on stderr. Returns EXIT_USAGE.
int usage_error(const cmd_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
