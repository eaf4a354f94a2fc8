// Finds commands, options and what somebody may have meant. See options.h.
#include <string.h>

#include "options.h"

const cmd_command *find_command(const char *name)
{
    for (const cmd_command *command = commands; command->name != NULL; ++command)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

static bool contains(const option_id *list, option_id id)
{
    while (*list != OPTION_COUNT && *list != id)
        ++list;
    return *list == id;
}

bool command_takes(const cmd_command *command, option_id id)
{
    return contains(command->options, id) || contains(general_options, id);
}

// Edits (insert, delete, replace, swap neighbours) that turn one word into the other.
static size_t edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 32 };
    size_t rows[3][LONGEST + 1], a_length = strlen(a), b_length = strlen(b);
    if (a_length > LONGEST || b_length > LONGEST)
        return LONGEST;
    for (size_t i = 0; i <= a_length; ++i)
        for (size_t j = 0; j <= b_length; ++j) {
            size_t *here = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
            size_t best = i + j;
            if (i > 0 && above[j] + 1 < best)
                best = above[j] + 1;
            if (j > 0 && here[j - 1] + 1 < best)
                best = here[j - 1] + 1;
            if (i > 0 && j > 0 && above[j - 1] + (a[i - 1] != b[j - 1]) < best)
                best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                two_above[j - 2] + 1 < best)
                best = two_above[j - 2] + 1;
            here[j] = best;
        }
    return rows[a_length % 3][b_length];
}

const char *closest_name(const char *word, const char *const *names, size_t count)
{
    const char *closest = NULL;
    size_t fewest = (strlen(word) < 6 ? 1 : strlen(word) / 3) + 1; // a third may be wrong
    for (size_t i = 0; i < count; ++i) {
        size_t edits = edit_distance(word, names[i]);
        if (edits < fewest) {
            fewest = edits;
            closest = names[i];
        }
    }
    return closest;
}
