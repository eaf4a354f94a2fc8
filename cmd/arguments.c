// Takes a command line apart. See arguments.h.
#include "arguments.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pose_text.h"
#include "units.h"

int usage_error(const cmd_command *command, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs("graze: ", stderr);
    vfprintf(stderr, format, list);
    fprintf(stderr, "; see \"graze help%s%s\"\n", command != NULL ? " " : "",
            command != NULL ? command->name : "");
    va_end(list);
    return EXIT_USAGE;
}

static bool complain(const cmd_arguments *arguments, const char *what, const char *word,
                     const char *guess)
{
    usage_error(arguments->command, "%s \"%s\"%s%s%s", what, word,
                guess != NULL ? " (did you mean \"" : "", guess != NULL ? guess : "",
                guess != NULL ? "\"?)" : "");
    return false;
}

// Before the subcommand only the top options count.
static bool takes(const cmd_command *command, option_id id)
{
    if (command != NULL)
        return command_takes(command, id);
    for (const option_id *other = top_options; *other != OPTION_COUNT; ++other)
        if (*other == id)
            return true;
    return false;
}

static bool unknown_option(const cmd_arguments *arguments, const char *name)
{
    const char *names[OPTION_COUNT];
    size_t count = 0;
    for (option_id id = 0; id < OPTION_COUNT; ++id)
        if (takes(arguments->command, id))
            names[count++] = options[id].name;
    const char *guess = closest_name(name, names, count);
    usage_error(arguments->command, "unknown option \"--%s\"%s%s%s", name,
                guess != NULL ? " (did you mean \"--" : "", guess != NULL ? guess : "",
                guess != NULL ? "\"?)" : "");
    return false;
}

// Also lists the choices in `wanted`, for those who chose something else.
static bool is_choice(const cmd_option *option, const char *text, char wanted[128])
{
    size_t used = 0;
    for (const char *const *choice = option->choices; *choice != NULL; ++choice) {
        if (strcmp(text, *choice) == 0)
            return true;
        used +=
            (size_t)snprintf(wanted + used, 128 - used, "%s%s", used > 0 ? " or " : "", *choice);
    }
    return false;
}

// A later pose of the same shape takes the place of an earlier one. Lengths in it are understood
// when the unit of the world is known.
static bool take_pose(cmd_arguments *arguments, const char *text)
{
    pose_reading reading;
    int which = text[0] == 'a' ? 0 : 1;
    if ((text[0] != 'a' && text[0] != 'b') || text[1] != ':') {
        usage_error(arguments->command,
                    "--pose takes a: or b: and a pose, such as b:\"0.1 0 0 / 30deg about 0 0 1\", "
                    "not \"%s\"",
                    text);
        return false;
    }
    if (!parse_pose(text + 2, 1.0, &reading)) {
        usage_error(arguments->command, "--pose %s: %s", text, reading.reason);
        return false;
    }
    arguments->text[OPTION_POSE] = text;
    arguments->poses[which] = text + 2;
    return true;
}

static bool keep_pattern(cmd_arguments *arguments, option_id id, const char *text)
{
    size_t bytes = ((size_t)arguments->pattern_count + 1) * sizeof *arguments->patterns;
    cmd_pattern *patterns = realloc(arguments->patterns, bytes);
    if (patterns == NULL) {
        usage_error(arguments->command, "out of memory for --%s", options[id].name);
        return false;
    }
    arguments->patterns = patterns;
    patterns[arguments->pattern_count++] = (cmd_pattern){id, text};
    return true;
}

static bool check_value(cmd_arguments *arguments, option_id id, const char *text)
{
    const cmd_option *option = &options[id];
    bool good = true, unit_unknown = false;
    char choices[128] = "";
    const char *wanted = "something";
    double length = 0.0;
    switch (option->kind) {
    case VALUE_NONE: break;
    case VALUE_FILE:
    case VALUE_FOLDER:
        wanted = "a path";
        good = text[0] != '\0';
        break;
    case VALUE_BYTES:
        wanted = "a size in bytes, such as 512M";
        good = parse_bytes(text, &arguments->number[id]);
        break;
    case VALUE_NUMBER:
        wanted = "a whole number, such as 5000 or 20k";
        good = parse_number(text, &arguments->number[id]);
        break;
    case VALUE_LENGTH: // the unit may follow later on the line
        wanted = "a length, such as 2.5 or 25mm";
        good = parse_length(text, 1.0, &length, &unit_unknown);
        break;
    case VALUE_TOLERANCE:
        wanted = "a length, such as 0, 2.5 or 25mm";
        good = parse_tolerance(text, 1.0, &length, &unit_unknown);
        break;
    case VALUE_ERROR:
        wanted = "a length, such as 0.5 or 2mm, or a part, such as 0.1%";
        good = parse_share_of(text, 1.0, &length) ||
               parse_tolerance(text, 1.0, &length, &unit_unknown);
        break;
    case VALUE_PART:
        wanted = "a part, such as 0.01 or 1%";
        good = parse_part(text, &length);
        break;
    case VALUE_SHARE:
        wanted = "a part, such as 0, 0.05 or 5%";
        good = parse_share(text, &length);
        break;
    case VALUE_SECONDS:
        wanted = "a time above 0 with its unit, such as 500us, 1ms, 0.5s or 2min";
        good = parse_seconds(text, &length);
        break;
    case VALUE_POSE: return take_pose(arguments, text);
    case VALUE_PATTERN:
        wanted = "a pattern, such as '**/piping/*'";
        good = text[0] != '\0';
        if (good && !keep_pattern(arguments, id, text))
            return false;
        break;
    case VALUE_TEXT: break;
    case VALUE_NUMBERS:
        wanted = "numbers, such as 17 or 3,5,8-12";
        good = parse_number_list(text, NULL, 0) != 0;
        break;
    case VALUE_UNIT:
        wanted = "mm, cm, m, in, ft or a number of metres";
        good = parse_unit(text, &arguments->metres);
        break;
    case VALUE_CHOICE:
        wanted = choices;
        good = is_choice(option, text, choices);
        break;
    }
    if (!good)
        usage_error(arguments->command, "--%s takes %s, not \"%s\"", option->name, wanted, text);
    arguments->text[id] = text;
    return good;
}

// `value` is what stood behind '=' or the letter, or NULL; then the next word is taken.
static bool take_option(cmd_arguments *arguments, option_id id, const char *value, int count,
                        char **words, int *next)
{
    const cmd_option *option = &options[id];
    if (option->kind == VALUE_NONE) {
        if (value != NULL) {
            usage_error(arguments->command, "--%s takes no value", option->name);
            return false;
        }
        arguments->text[id] = "";
        return true;
    }
    if (value == NULL && *next < count)
        value = words[(*next)++];
    if (value == NULL) {
        usage_error(arguments->command, "--%s needs a value: %s", option->name,
                    option->placeholder);
        return false;
    }
    return check_value(arguments, id, value);
}

static bool take_long(cmd_arguments *arguments, const char *word, int count, char **words,
                      int *next)
{
    const char *name = word + 2, *equals = strchr(name, '=');
    size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    for (option_id id = 0; id < OPTION_COUNT; ++id)
        if (takes(arguments->command, id) && strlen(options[id].name) == length &&
            memcmp(options[id].name, name, length) == 0)
            return take_option(arguments, id, equals != NULL ? equals + 1 : NULL, count, words,
                               next);
    char shown[64];
    snprintf(shown, sizeof shown, "%.*s", (int)(length < 60 ? length : 60), name);
    return unknown_option(arguments, shown);
}

static bool take_short(cmd_arguments *arguments, const char *word, int count, char **words,
                       int *next)
{
    for (option_id id = 0; id < OPTION_COUNT; ++id)
        if (takes(arguments->command, id) && options[id].letter == word[1])
            return take_option(arguments, id, word[2] != '\0' ? word + 2 : NULL, count, words,
                               next);
    return complain(arguments, "unknown option", word, NULL);
}

static bool take_command(cmd_arguments *arguments, const char *word)
{
    arguments->command = find_command(word);
    if (arguments->command != NULL)
        return true;
    const char *names[32];
    size_t count = 0;
    for (; commands[count].name != NULL; ++count)
        names[count] = commands[count].name;
    return complain(arguments, "unknown command", word, closest_name(word, names, count));
}

static bool check_operands(const cmd_arguments *arguments)
{
    const cmd_command *command = arguments->command;
    if (command == NULL || is_given(arguments, OPTION_HELP))
        return true;
    if (command->most_operands >= 0 && arguments->operand_count > command->most_operands)
        return complain(
            arguments, "one argument too many:", arguments->operands[command->most_operands], NULL);
    if (arguments->operand_count >= command->least_operands)
        return true;
    usage_error(command, "%s needs an argument: %s", command->name, command->operands);
    return false;
}

// Operands are gathered at the front of `words`, which is the caller's to reorder.
bool parse_arguments(int count, char **words, cmd_arguments *arguments)
{
    *arguments = (struct cmd_arguments){.operands = words};
    bool options_end = false;
    for (int next = 1; next < count;) {
        char *word = words[next++];
        bool good = true;
        if (!options_end && strcmp(word, "--") == 0)
            options_end = true;
        else if (!options_end && word[0] == '-' && word[1] == '-')
            good = take_long(arguments, word, count, words, &next);
        else if (!options_end && word[0] == '-' && word[1] != '\0')
            good = take_short(arguments, word, count, words, &next);
        else if (arguments->command == NULL)
            good = take_command(arguments, word);
        else
            words[arguments->operand_count++] = word;
        if (!good)
            return false;
    }
    return check_operands(arguments);
}

void free_arguments(cmd_arguments *arguments)
{
    free(arguments->patterns);
    arguments->patterns = NULL;
    arguments->pattern_count = 0;
}
