// Completion for bash, zsh and fish, from the table of options. See help.h.
#include <stdio.h>
#include <string.h>

#include "frames.h"
#include "help.h"
#include "shapes.h"

// Words that complete an operand or a value, separated by blanks; "" where files do.
static void print_choices(const char *const *choices)
{
    for (int i = 0; choices[i] != NULL; ++i)
        printf("%s%s", i > 0 ? " " : "", choices[i]);
}

static void print_shapes(void)
{
    for (const generator_shape_kind *kind = generator_shape_kinds; kind->name != NULL; ++kind)
        printf("%s%s", kind != generator_shape_kinds ? " " : "", kind->name);
    for (const generator_frames_scene *f = generator_frames_scenes; f->name != NULL; ++f)
        printf(" %s", f->name);
    for (const manual_row *scene = made_scenes; scene->term != NULL; ++scene)
        printf(" %.*s", (int)strcspn(scene->term, " "), scene->term);
}

static void print_commands(void)
{
    for (const cmd_command *command = commands; command->name != NULL; ++command)
        printf("%s%s", command != commands ? " " : "", command->name);
}

static void print_option_words(const option_id *list)
{
    for (; *list != OPTION_COUNT; ++list) {
        printf(" --%s", options[*list].name);
        if (options[*list].letter != 0)
            printf(" -%c", options[*list].letter);
    }
}

// --- bash

// Patterns of "COMMAND OPTION". An option's name may be a flag of another command.
static void print_bash_pattern(option_id id)
{
    bool alone = true, first = true;
    for (option_id other = 0; other < OPTION_COUNT; ++other)
        alone = alone && (other == id || strcmp(options[other].name, options[id].name) != 0);
    fputs("    ", stdout);
    if (alone)
        printf("*' --%s'", options[id].name);
    for (const cmd_command *command = commands; command->name != NULL && !alone; ++command)
        if (command_takes(command, id)) {
            printf("%s'%s --%s'", first ? "" : "|", command->name, options[id].name);
            if (options[id].letter != 0)
                printf("|'%s -%c'", command->name, options[id].letter);
            first = false;
        }
    if (options[id].letter != 0 && alone)
        printf("|*' -%c'", options[id].letter);
    fputs(") ", stdout);
}

static void print_bash_values(void)
{
    puts("    case \"$command $previous\" in");
    for (option_id id = 0; id < OPTION_COUNT; ++id) {
        const cmd_option *option = &options[id];
        if (option->kind == VALUE_NONE)
            continue;
        print_bash_pattern(id);
        if (option->kind == VALUE_CHOICE) {
            fputs("mapfile -t COMPREPLY < <(compgen -W '", stdout);
            print_choices(option->choices);
            fputs("' -- \"$word\"); ", stdout);
        } else if (option->kind == VALUE_UNIT) {
            fputs("mapfile -t COMPREPLY < <(compgen -W 'mm cm m in ft' -- \"$word\"); ", stdout);
        } else if (option->kind == VALUE_FOLDER) {
            fputs("mapfile -t COMPREPLY < <(compgen -d -- \"$word\"); ", stdout);
        } else if (option->kind == VALUE_FILE) {
            fputs("mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); ", stdout);
        }
        puts("return ;;");
    }
    puts("    esac");
}

static void print_bash(void)
{
    puts("# bash completion for graze\n"
         "_graze()\n"
         "{\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "    local command='' words='' other i\n"
         "    COMPREPLY=()\n"
         "    for ((i = 1; i < COMP_CWORD; ++i)); do\n"
         "        other=${COMP_WORDS[i]}\n"
         "        if [[ $other != -* ]]; then command=$other; break; fi\n"
         "    done");
    print_bash_values();
    puts("    case $command in");
    for (const cmd_command *command = commands; command->name != NULL; ++command) {
        printf("    %s)\n        if [[ $word == -* ]]; then\n            words='", command->name);
        print_option_words(command->options);
        print_option_words(general_options);
        puts("'");
        if (command->operand_kind == OPERAND_MESH_FILE) {
            puts("        else\n"
                 "            mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
                 "            return");
        } else {
            if (command->operand_kind == OPERAND_SHAPE) // behind "refine" comes a file
                puts("        elif [[ $previous == refine ]]; then\n"
                     "            mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
                     "            return");
            fputs("        else\n            words='", stdout);
            command->operand_kind == OPERAND_SHAPE ? print_shapes() : print_commands();
            puts("'");
        }
        puts("        fi ;;");
    }
    fputs("    *) words='", stdout);
    print_commands();
    print_option_words(top_options);
    puts("' ;;\n"
         "    esac\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "}\n"
         "complete -o filenames -F _graze graze");
}

// --- zsh

// Inside single quotes and brackets.
static void print_zsh_text(const char *text)
{
    for (; *text != '\0'; ++text) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr("[]:\\", *text) != NULL)
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void print_zsh_action(const cmd_option *option)
{
    if (option->kind == VALUE_NONE)
        return;
    printf(":%s:", option->placeholder);
    if (option->kind == VALUE_CHOICE) {
        putchar('(');
        print_choices(option->choices);
        putchar(')');
    } else if (option->kind == VALUE_UNIT) {
        fputs("(mm cm m in ft)", stdout);
    } else if (option->kind == VALUE_FILE) {
        fputs("_files", stdout);
    } else if (option->kind == VALUE_FOLDER) {
        fputs("_files -/", stdout);
    }
}

static void print_zsh_options(const option_id *list, const char *indent)
{
    for (; *list != OPTION_COUNT; ++list) {
        const cmd_option *option = &options[*list];
        bool valued = option->kind != VALUE_NONE;
        printf("%s'--%s%s[", indent, option->name, valued ? "=" : "");
        print_zsh_text(option->help);
        putchar(']');
        print_zsh_action(option);
        puts("' \\");
        if (option->letter == 0)
            continue;
        printf("%s'-%c%s[", indent, option->letter, valued ? "+" : "");
        print_zsh_text(option->help);
        putchar(']');
        print_zsh_action(option);
        puts("' \\");
    }
}

static void print_zsh(void)
{
    puts("#compdef graze\n"
         "_graze()\n"
         "{\n"
         "    local context state line\n"
         "    typeset -A opt_args\n"
         "    _arguments -C \\");
    print_zsh_options(top_options, "        ");
    puts("        '1:command:->command' \\\n"
         "        '*::argument:->argument'\n"
         "    case $state in\n"
         "    command)\n"
         "        local -a list=(");
    for (const cmd_command *command = commands; command->name != NULL; ++command) {
        printf("            '%s:", command->name);
        print_zsh_text(command->summary);
        puts("'");
    }
    puts("        )\n"
         "        _describe command list ;;\n"
         "    argument)\n"
         "        case $words[1] in");
    for (const cmd_command *command = commands; command->name != NULL; ++command) {
        printf("        %s)\n            _arguments \\\n", command->name);
        print_zsh_options(command->options, "                ");
        print_zsh_options(general_options, "                ");
        if (command->operand_kind == OPERAND_SHAPE)
            puts("                '2:file:_files' \\");
        fputs(command->operand_kind == OPERAND_SHAPE ? "                '1:argument:"
                                                     : "                '*:argument:",
              stdout);
        if (command->operand_kind == OPERAND_MESH_FILE) {
            fputs("_files", stdout);
        } else {
            putchar('(');
            command->operand_kind == OPERAND_SHAPE ? print_shapes() : print_commands();
            putchar(')');
        }
        puts("' ;;");
    }
    puts("        esac ;;\n"
         "    esac\n"
         "}\n"
         "if [ \"$funcstack[1]\" = _graze ]; then _graze \"$@\"; else compdef _graze graze; fi");
}

// --- fish

// Inside single quotes.
static void print_fish_text(const char *text)
{
    for (; *text != '\0'; ++text) {
        if (*text == '\'' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
}

static void print_fish_options(const char *condition, const option_id *list)
{
    for (; *list != OPTION_COUNT; ++list) {
        const cmd_option *option = &options[*list];
        printf("complete -c graze -n '%s' -l %s", condition, option->name);
        if (option->letter != 0)
            printf(" -s %c", option->letter);
        if (option->kind == VALUE_CHOICE) {
            fputs(" -x -a '", stdout);
            print_choices(option->choices);
            putchar('\'');
        } else if (option->kind == VALUE_UNIT) {
            fputs(" -x -a 'mm cm m in ft'", stdout);
        } else if (option->kind == VALUE_FILE) {
            fputs(" -r -F", stdout);
        } else if (option->kind == VALUE_FOLDER) {
            fputs(" -x -a '(__fish_complete_directories)'", stdout);
        } else if (option->kind != VALUE_NONE) {
            fputs(" -x", stdout);
        }
        fputs(" -d '", stdout);
        print_fish_text(option->help);
        puts("'");
    }
}

static void print_fish(void)
{
    puts("# fish completion for graze\n"
         "complete -c graze -f");
    print_fish_options("__fish_use_subcommand", top_options);
    for (const cmd_command *command = commands; command->name != NULL; ++command) {
        char condition[80];
        snprintf(condition, sizeof condition, "__fish_seen_subcommand_from %s", command->name);
        printf("complete -c graze -n __fish_use_subcommand -a %s -d '", command->name);
        print_fish_text(command->summary);
        puts("'");
        print_fish_options(condition, command->options);
        print_fish_options(condition, general_options);
        printf("complete -c graze -n '%s' ", condition);
        if (command->operand_kind == OPERAND_MESH_FILE) {
            puts("-F");
        } else {
            if (command->operand_kind == OPERAND_SHAPE)
                printf("-n '__fish_seen_subcommand_from refine' -F\n"
                       "complete -c graze -n '%s' ",
                       condition);
            fputs("-a '", stdout);
            command->operand_kind == OPERAND_SHAPE ? print_shapes() : print_commands();
            puts("'");
        }
    }
}

void print_completion(const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        print_bash();
    else if (strcmp(shell, "zsh") == 0)
        print_zsh();
    else
        print_fish();
}
