// Plain lines, the fast way. Most lines of a text file have one plain form; a taker reads such
// lines, and nothing else, straight from the window into an array. It stops in front of the first
// line that is anything else, which is the careful reader's. So takers know no errors and no odd
// cases, and whether they were used at all never shows in what is read. Binary items of one size
// are taken in the same way.
#ifndef GZ_LINES_H
#define GZ_LINES_H

#include "mesh/read/source.h"
#include "mesh/stream.h"

// Takes items from lines that begin before `end`, at most `most`, and moves *at behind the last.
// Returns their number. The bytes from `end` on are either zeros or more text; GZ_SOURCE_SLACK of
// them may be read. Everything that is taken ends before the first zero byte; binary items end
// before `end`. All coordinates are finite.
typedef uint64_t gz_line_taker(const void *form, const uint8_t **at, const uint8_t *end,
                               uint64_t most, void *items);

#define GZ_LINE_PIECES 16u // of a window, at most

typedef struct gz_line_chunk {
    const uint8_t *start, *end;
    uint64_t marks;      // between the two
    uint64_t most;       // items that are wanted of it
    void *items;         // where they go
    const uint8_t *stop; // what was taken ends here
    uint64_t count;
} gz_line_chunk;

typedef struct gz_line_cuts {
    uint32_t count;
    uint64_t end_offset; // in the file, of the last piece's end; 0 if there are none
    gz_line_chunk pieces[GZ_LINE_PIECES];
} gz_line_cuts;

typedef struct gz_lines {
    gz_source *source;
    gz_stream *stream;
    gz_line_taker *take;
    const void *form;       // for the taker
    const char *first_word; // with which every item begins; NULL if each line is one item
    uint32_t item_bytes;
    graze_status (*pass)(void *user, const void *items, uint64_t count); // gets them in order
    void *user;
    // Items may also go straight into a mesh in memory: to the positions of a gz_room, or to its
    // corners if they have no vertices. Corners that are not taken count up from 0.
    gz_line_taker *take_to_room;
    uint32_t room_item_bytes;
    uint32_t vertices, triangles; // of each item
    uint64_t bound;               // of the triangles' numbers, without the room's own
    uint8_t mark;                 // each item has this byte exactly `marks_per_item` times
    uint32_t marks_per_item;
    uint32_t stride;                   // of binary items, which have no lines and marks; else 0
    graze_status (*flush)(void *user); // passes on what comes before; may be NULL
    // Private, at first zero.
    void *items;
    uint64_t capacity;
    uint32_t attempts_left_out; // before the next one
    uint32_t pause;             // that many are left out after an attempt in vain
    void *piece_items;
    uint64_t parallel_from; // offset in the file: before, one thread does it alone
    uint32_t failed_rounds; // of all threads, one after the other
    gz_line_cuts cuts, next_cuts;
    bool fetches; // the next window, in this round
    bool in_room; // this round's items go there
    gz_room room;
} gz_lines;

// Works on all of the context's threads where there is much to read; `pass` is always called on the
// calling one.
//
// Passes on plain items as long as they come, at most `most`; *taken says how many. The cursor is
// then in front of what was not taken. Where attempts keep being in vain, most are left out.
graze_status gz_lines_take(gz_lines *lines, uint64_t most, uint64_t *taken);
void gz_lines_free(gz_lines *lines); // accepts one that was never used

#endif
