// Manual pages in mdoc, from the table of options. See help.h.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "graze/base.h"
#include "help.h"
#include "shapes.h"

#define LINE_BYTES 78 // of the source

// A word for roff: backslashes are escaped, a line never begins with a control character, and the
// dashes of options are the ones that can be searched for and copied. Returns the bytes printed.
static int print_word(const char *word, int length, bool line_begins)
{
    int bytes = 0;
    if (line_begins && (word[0] == '.' || word[0] == '\''))
        bytes += printf("\\&");
    for (int i = 0; i < length; ++i) {
        bool dash = word[i] == '-' && (i == 0 || word[i - 1] == '-' || word[i + 1] == '-');
        if (word[i] == '\\')
            bytes += printf("\\e");
        else
            bytes += printf(dash ? "\\-" : "%c", word[i]);
    }
    return bytes;
}

// Filled lines; a new sentence begins on a new line, as roff likes it.
static void print_text(const char *text)
{
    int column = 0;
    while (*text != '\0') {
        int length = (int)strcspn(text, " ");
        if (column > 0)
            putchar(column + length >= LINE_BYTES ? '\n' : ' ');
        column = column + length >= LINE_BYTES ? 0 : column;
        column += print_word(text, length, column == 0) + 1;
        bool ends = text[length - 1] == '.' && text[length] == ' ';
        text += length;
        text += strspn(text, " ");
        if (ends) {
            putchar('\n');
            column = 0;
        }
    }
    putchar('\n');
}

static void print_paragraphs(const char *const *paragraphs)
{
    for (int i = 0; paragraphs != NULL && paragraphs[i] != NULL; ++i) {
        if (i > 0)
            puts(".Pp");
        print_text(paragraphs[i]);
    }
}

// An argument of a macro may hold blanks only in quotes, and neither quotes of its own nor
// backslashes. A single mark would be taken for one that ends a sentence.
static void print_item(const char *macro, const char *term)
{
    printf(".It %s \"%s", macro, strlen(term) == 1 ? "\\&" : "");
    for (; *term != '\0'; ++term) {
        if (*term == '"')
            fputs("\\(dq", stdout);
        else if (*term == '\\')
            fputs("\\e", stdout);
        else
            putchar(*term);
    }
    puts("\"");
}

static void print_rows(const char *macro, const manual_row *rows)
{
    puts(".Bl -tag -width Ds");
    for (; rows->term != NULL; ++rows) {
        print_item(macro, rows->term);
        print_text(rows->meaning);
    }
    puts(".El");
}

static void print_option_name(const cmd_option *option)
{
    if (option->letter != 0)
        printf("Fl %c , ", option->letter);
    printf("Fl Fl %s", option->name);
    if (option->placeholder != NULL)
        printf(" Ar %s", option->placeholder);
    putchar('\n');
}

static void print_option_rows(const option_id *list)
{
    for (; *list != OPTION_COUNT; ++list) {
        fputs(".It ", stdout);
        print_option_name(&options[*list]);
        print_text(options[*list].help);
    }
}

static void print_examples(const manual_row *examples)
{
    puts(".Sh EXAMPLES");
    for (; examples->term != NULL; ++examples) {
        char capital = (char)toupper((unsigned char)examples->meaning[0]);
        printf("%c", capital);
        print_text(examples->meaning + 1);
        printf(".Pp\n.Dl ");
        print_text(examples->term);
        if (examples[1].term != NULL)
            puts(".Pp");
    }
}

static void print_section(const manual_section *section)
{
    printf(".Sh %s\n", section->title);
    print_paragraphs(section->paragraphs);
    if (section->rows != NULL)
        print_rows("Sy", section->rows);
}

static void print_shapes(void)
{
    puts(".Bl -tag -width Ds");
    for (const generator_shape_kind *kind = generator_shape_kinds; kind->name != NULL; ++kind) {
        print_item("Sy", kind->name);
        print_text(kind->about);
    }
    for (const generator_frames_scene *scene = generator_frames_scenes; scene->name != NULL;
         ++scene) {
        print_item("Sy", scene->name);
        print_text(scene->about);
    }
    for (const manual_row *scene = made_scenes; scene->term != NULL; ++scene) {
        print_item("Sy", scene->term);
        print_text(scene->meaning);
    }
    puts(".El");
}

static void print_top(const char *name, const char *summary)
{
    char title[64];
    snprintf(title, sizeof title, "%s", name);
    for (char *letter = title; *letter != '\0'; ++letter)
        *letter = (char)toupper((unsigned char)*letter);
    printf(".Dd %s\n.Dt %s 1\n.Os graze %s\n", manual_date, title, graze_version());
    printf(".Sh NAME\n.Nm %s\n.Nd %s\n.Sh SYNOPSIS\n", name, summary);
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void print_see_also(const cmd_command *except)
{
    const char *names[32];
    size_t count = 0;
    for (const cmd_command *command = commands; command->name != NULL; ++command)
        if (command != except)
            names[count++] = command->name;
    qsort(names, count, sizeof *names, by_name);
    puts(".Sh SEE ALSO");
    if (except != NULL)
        puts(".Xr graze 1 ,");
    for (size_t i = 0; i < count; ++i)
        printf(".Xr graze-%s 1%s\n", names[i], i + 1 < count ? " ," : "");
}

// One synopsis: flags in brackets, then operands.
static void print_synopsis(const cmd_command *command)
{
    printf(".Nm graze %s\n", command->name);
    for (const option_id *id = command->options; *id != OPTION_COUNT; ++id) {
        const cmd_option *option = &options[*id];
        if (*id == OPTION_OUTPUT) // the one that must be given
            printf(".Fl %c", option->letter);
        else if (*id == OPTION_POSES)
            printf(".Fl Fl %s", option->name);
        else
            printf(".Op Fl Fl %s", option->name);
        if (option->placeholder != NULL)
            printf(" Ar %s", option->placeholder);
        putchar('\n');
    }
    if (command->operands[0] == '[')
        printf(".Op Ar %.*s\n", (int)strlen(command->operands) - 2, command->operands + 1);
    else if (command->operands[0] != '\0')
        printf(".Ar %.*s\n", (int)strcspn(command->operands, "."), command->operands);
    if (strchr(command->operands, '.') != NULL)
        puts(".Ar ...");
}

static void print_command_manual(const cmd_command *command)
{
    char name[64];
    snprintf(name, sizeof name, "graze-%s", command->name);
    print_top(name, command->summary);
    print_synopsis(command);
    puts(".Sh DESCRIPTION");
    print_paragraphs(command->description);
    puts(".Pp\nThe options are:\n.Bl -tag -width Ds");
    print_option_rows(command->options);
    print_option_rows(general_options);
    puts(".El");
    for (const manual_section *section = command->sections; section->title != NULL; ++section) {
        print_section(section);
        if (command->operand_kind == OPERAND_SHAPE && section == command->sections)
            print_shapes();
    }
    puts(".Sh EXIT STATUS");
    print_rows("Sy", exit_codes);
    print_examples(command->examples);
    print_see_also(command);
}

static void print_program_manual(void)
{
    print_top("graze", program_summary);
    puts(".Nm graze\n.Ar command\n.Op Ar option ...\n.Op Ar argument ...");
    puts(".Nm graze\n.Fl Fl version\n.Op Fl Fl verbose");
    puts(".Sh DESCRIPTION");
    print_paragraphs(program_description);
    puts(".Pp\nThe commands are:\n.Bl -tag -width Ds");
    for (const cmd_command *command = commands; command->name != NULL; ++command) {
        printf(".It Xr graze-%s 1\n", command->name);
        print_text(command->summary);
    }
    puts(".El\n.Pp\nThese options mean the same for every command:\n.Bl -tag -width Ds");
    print_option_rows(general_options);
    puts(".El");
    for (const manual_section *section = program_sections; section->title != NULL; ++section)
        print_section(section);
    puts(".Sh ENVIRONMENT");
    print_rows("Ev", environment);
    puts(".Sh EXIT STATUS");
    print_rows("Sy", exit_codes);
    print_examples(program_examples);
    print_see_also(NULL);
}

void print_manual(const cmd_command *command)
{
    if (command != NULL)
        print_command_manual(command);
    else
        print_program_manual();
}
