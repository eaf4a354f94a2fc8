// The options of a benchmark: a table of words, and where their values go.
#ifndef GRAZE_BENCH_OPTION_WORDS_H
#define GRAZE_BENCH_OPTION_WORDS_H

#include <stdbool.h>
#include <stdint.h>

// One of the four is set. A flag has no value behind it.
typedef struct option_word {
    const char *word; // NULL ends a table
    const char **text;
    uint32_t *number;
    double *real;
    bool *flag;
} option_word;

// @return false if a word is not in the table, or its value is missing.
bool take_option_words(int count, char **words, const option_word *options);
// Is it there? So that --quick can change what holds where other options say nothing.
bool has_option_word(int count, char **words, const char *word);

#endif
