// Help on the terminal, from the table of options. See help.h.
#include "help.h"

#include <stdio.h>
#include <string.h>

#include "frames.h"
#include "shapes.h"

#define WIDTH        79
#define TERM_COLUMN  2
#define ABOUT_COLUMN 26

void print_wrapped(const char *text, int column, int indent)
{
    bool line_begins = true;
    while (*text != '\0') {
        int length = (int)strcspn(text, " ");
        if (!line_begins && column + 1 + length > WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
            line_begins = true;
        }
        printf("%s%.*s", line_begins ? "" : " ", length, text);
        column += length + (line_begins ? 0 : 1);
        line_begins = false;
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}

static void print_row(const char *term, const char *about, int about_column)
{
    int column = TERM_COLUMN + (int)strlen(term);
    printf("%*s%s", TERM_COLUMN, "", term);
    if (column + 2 > about_column) {
        putchar('\n');
        column = 0;
    }
    printf("%*s", about_column - column, "");
    print_wrapped(about, about_column, about_column);
}

static void print_rows(const char *title, const manual_row *rows, int about_column)
{
    printf("\n%s\n", title);
    for (; rows->term != NULL; ++rows)
        print_row(rows->term, rows->meaning, about_column);
}

static void print_options(const char *title, const option_id *list)
{
    printf("\n%s\n", title);
    for (; *list != OPTION_COUNT; ++list) {
        const cmd_option *option = &options[*list];
        char term[64], letter[8] = "    ";
        if (option->letter != 0)
            snprintf(letter, sizeof letter, "-%c, ", option->letter);
        snprintf(term, sizeof term, "%s--%s%s%s", letter, option->name,
                 option->placeholder != NULL ? " " : "",
                 option->placeholder != NULL ? option->placeholder : "");
        print_row(term, option->help, ABOUT_COLUMN);
    }
}

static void print_examples(const manual_row *examples)
{
    puts("\nExamples:");
    for (; examples->term != NULL; ++examples)
        printf("  %s\n      %s\n", examples->term, examples->meaning);
}

static void print_command_help(const cmd_command *command)
{
    printf("Usage: graze %s [OPTION...]%s%s\n", command->name,
           command->operands[0] != '\0' ? " " : "", command->operands);
    for (const char *const *text = command->description; *text != NULL; ++text) {
        putchar('\n');
        print_wrapped(*text, 0, 0);
    }
    if (command->operand_kind == OPERAND_SHAPE) {
        puts("\nShapes:");
        for (const generator_shape_kind *kind = generator_shape_kinds; kind->name != NULL; ++kind)
            print_row(kind->name, kind->about, 14);
        for (const generator_frames_scene *f = generator_frames_scenes; f->name != NULL; ++f)
            print_row(f->name, f->about, 14);
        for (const manual_row *scene = made_scenes; scene->term != NULL; ++scene)
            print_row(scene->term, scene->meaning, 14);
    }
    print_options("Options:", command->options);
    print_options("General options:", general_options);
    print_examples(command->examples);
}

static void print_program_help(void)
{
    printf("graze: %s\n\n", program_summary);
    puts("Usage: graze COMMAND [OPTION...] [ARGUMENT...]\n"
         "       graze --version [--verbose]");
    for (const char *const *text = program_description; *text != NULL; ++text) {
        putchar('\n');
        print_wrapped(*text, 0, 0);
    }
    puts("\nCommands:");
    for (const cmd_command *command = commands; command->name != NULL; ++command)
        print_row(command->name, command->summary, 14);
    print_options("Options of every command:", general_options);
    print_rows("Exit codes:", exit_codes, 8);
    print_examples(program_examples);
    puts("\n\"graze help COMMAND\" explains a command.");
}

void print_help(const cmd_command *command)
{
    if (command != NULL)
        print_command_help(command);
    else
        print_program_help();
}
