// Plain lines, the fast way. Most lines of a text file have one plain form; a taker reads such
// lines, and nothing else, straight from the window into an array. It stops in front of the first
// line that is anything else, which is the careful reader's. So takers know no errors and no odd
// cases, and whether they were used at all never shows in what is read.
#ifndef GZ_LINES_H
#define GZ_LINES_H

#include "mesh/source.h"

// Takes items from lines that begin before `end`, at most `most`, and moves *at behind the last.
// Returns their number. The bytes from `end` on are either zeros or more text; GZ_SOURCE_SLACK of
// them may be read. Everything that is taken ends before the first zero byte.
typedef uint64_t gz_line_taker(const void *form, const uint8_t **at, const uint8_t *end,
                               uint64_t most, void *items);

typedef struct gz_lines {
    gz_source *source;
    gz_line_taker *take;
    const void *form;       // for the taker
    const char *first_word; // with which every item begins; NULL if each line is one item
    uint32_t item_bytes;
    graze_status (*pass)(void *user, const void *items, uint64_t count); // gets them in order
    void *user;
    // Private, at first zero.
    void *items;
    uint64_t capacity;
    uint32_t attempts_left_out; // before the next one
    uint32_t pause;             // that many are left out after an attempt in vain
    void *piece_items;
    uint64_t parallel_from; // offset in the file: before, one thread does it alone
    uint32_t failed_rounds; // of all threads, one after the other
} gz_lines;

// Works on all of the context's threads where there is much to read; `pass` is always called on the
// calling one.
//
// Passes on plain items as long as they come, at most `most`; *taken says how many. The cursor is
// then in front of what was not taken. Where attempts keep being in vain, most are left out.
graze_status gz_lines_take(gz_lines *lines, uint64_t most, uint64_t *taken);
void gz_lines_free(gz_lines *lines); // accepts one that was never used

#endif
