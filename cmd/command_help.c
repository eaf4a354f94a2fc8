// graze help: explains a command, or prints the pages and scripts that are installed.
#include "arguments.h"
#include "help.h"

int command_help(const cmd_arguments *arguments)
{
    const cmd_command *about = NULL;
    if (arguments->operand_count != 0) {
        about = find_command(arguments->operands[0]);
        if (about == NULL)
            return usage_error(NULL, "there is no command \"%s\"", arguments->operands[0]);
    }
    if (is_given(arguments, OPTION_COMPLETION))
        print_completion(arguments->text[OPTION_COMPLETION]);
    else if (is_given(arguments, OPTION_MAN))
        print_manual(about);
    else
        print_help(about);
    return EXIT_NOTHING_FOUND;
}
