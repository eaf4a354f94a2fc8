// What a person sees: clean text, colour where it is wanted, and a bar of progress.
#ifndef GRAZE_CMD_TERMINAL_H
#define GRAZE_CMD_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#include "graze/base.h"

// Text from files or paths, safe for a terminal: control characters become '?', bytes that are not
// UTF-8 become U+FFFD. At most `columns` code points are printed, the last one "…" if some were
// left out; 0: all. Returns how many.
int print_clean(FILE *file, const char *text, int columns);
int count_clean(const char *text); // code points that print_clean would print

// Reads one code point at *text and moves behind it. Broken UTF-8 gives U+FFFD and moves one byte.
uint32_t next_code_point(const char **text);

// Escape sequences, or "" where the stream is no terminal or NO_COLOR is set.
typedef enum cmd_style { STYLE_PLAIN, STYLE_BOLD, STYLE_GOOD, STYLE_BAD } cmd_style;
const char *style_on(FILE *file, cmd_style style);
bool is_terminal(FILE *file); // and one that understands escape sequences

int terminal_columns(FILE *file); // 80 where it is not known

double now_seconds(void); // of a clock that only goes forward

// The bar on stderr. Calls from any thread; draws at most ten times a second.
void bar_allow(bool allowed); // off until then
void bar_update(const graze_progress *progress);
void bar_clear(void); // before anything else is written to the terminal

#endif
