// The graze command: takes the line apart, hands it to a subcommand, and makes sure that what was
// printed has arrived.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "graze/base.h"
#include "help.h"
#include "session.h"

static int run_top(const cmd_arguments *arguments)
{
    if (is_given(arguments, OPTION_VERSION)) {
        printf("graze %s\n", graze_version());
        if (is_given(arguments, OPTION_VERBOSE))
            printf("%s", graze_build_info());
        return EXIT_NOTHING_FOUND;
    }
    if (is_given(arguments, OPTION_HELP)) {
        print_help(NULL);
        return EXIT_NOTHING_FOUND;
    }
    return usage_error(NULL, "no command was given");
}

static int run(const cmd_arguments *arguments)
{
    if (arguments->command == NULL)
        return run_top(arguments);
    if (is_given(arguments, OPTION_HELP)) {
        print_help(arguments->command);
        return EXIT_NOTHING_FOUND;
    }
    return arguments->command->run(arguments);
}

// A result that could not be written is no result.
static int finish_output(int code)
{
    errno = 0;
    bool failed = fflush(stdout) != 0;
    if (!failed && ferror(stdout) == 0)
        return code;
    if (errno != 0)
        say("cannot write to standard output: %s", strerror(errno));
    else
        say("cannot write to standard output");
    return EXIT_RESOURCES;
}

int main(int count, char **words)
{
    cmd_arguments arguments;
    prepare_process();
    int code = EXIT_USAGE;
    if (parse_arguments(count, words, &arguments))
        code = finish_output(run(&arguments));
    free_arguments(&arguments);
    return code;
}
