// See option_words.h.
#include "option_words.h"

#include <stdlib.h>
#include <string.h>

static const option_word *find(const option_word *options, const char *word)
{
    for (; options->word != NULL; ++options)
        if (strcmp(options->word, word) == 0)
            return options;
    return NULL;
}

static void take_value(const option_word *option, const char *value)
{
    if (option->text != NULL)
        *option->text = value;
    else if (option->number != NULL)
        *option->number = (uint32_t)strtoul(value, NULL, 10);
    else
        *option->real = strtod(value, NULL);
}

bool take_option_words(int count, char **words, const option_word *options)
{
    for (int i = 1; i < count; ++i) {
        const option_word *option = find(options, words[i]);
        if (option == NULL)
            return false;
        if (option->flag != NULL)
            *option->flag = true;
        else if (i + 1 < count)
            take_value(option, words[++i]);
        else
            return false;
    }
    return true;
}

bool has_option_word(int count, char **words, const char *word)
{
    for (int i = 1; i < count; ++i)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}
