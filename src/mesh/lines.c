// Runs takers over the windows of a source, on one thread or on all. See lines.h.
//
// On all threads, a window is cut into pieces at the ends of lines, and every piece is taken into
// an array of its own as if all lines before it were plain. Then the arrays are passed on in order,
// as far as that is true; what was taken behind an odd line is thrown away. So the outcome is the
// same for any number of threads, and only time is lost where lines are odd.
#include "mesh/lines.h"

#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/threads.h"
#include "geometry/fpu.h"
#include "mesh/tokens.h"

#define ITEMS_BYTES       (1u << 16) // small enough for the processor's nearest caches
#define LONGEST_LINE      1024u      // longer ones are not plain
#define LONGEST_PAUSE     256u
#define PIECES            8u
#define PIECE_ITEMS_BYTES (3u << 16)
#define LEAST_ROUND       (1u << 18) // bytes in the window that are worth waking other threads for
#define CUT_AHEAD         4096u      // so far the end of a line is looked for
#define MOST_FAILURES     6u

void gz_lines_free(gz_lines *lines)
{
    if (lines->source == NULL)
        return;
    graze_context *context = lines->source->context;
    gz_release(context, lines->items, lines->capacity * lines->item_bytes);
    gz_release(context, lines->piece_items,
               lines->piece_items != NULL ? PIECES * PIECE_ITEMS_BYTES : 0);
}

// False if plain lines are not to be looked for now. No memory only means that it takes longer.
static bool is_worth_it(gz_lines *lines)
{
    if (lines->source->context->careful_only)
        return false;
    if (lines->attempts_left_out != 0) {
        lines->attempts_left_out--;
        return false;
    }
    if (lines->items == NULL) {
        uint64_t capacity = ITEMS_BYTES / lines->item_bytes;
        lines->items = gz_allocate_array(lines->source->context, capacity, lines->item_bytes);
        lines->capacity = lines->items != NULL ? capacity : 0;
    }
    return lines->items != NULL;
}

// Takes and passes on what begins before `end`.
static graze_status take_until(gz_lines *lines, const uint8_t *end, uint64_t most, uint64_t *taken)
{
    gz_source *source = lines->source;
    graze_status status = GRAZE_OK;
    uint64_t count = 0;
    do {
        uint64_t room = most - *taken < lines->capacity ? most - *taken : lines->capacity;
        count = lines->take(lines->form, &source->cursor, end, room, lines->items);
        if (count != 0)
            status = lines->pass(lines->user, lines->items, count);
        *taken += count;
    } while (count == lines->capacity && status == GRAZE_OK);
    return status;
}

typedef struct piece {
    const uint8_t *start, *end;
    const uint8_t *stop; // what was taken ends here
    uint64_t count;
} piece;

typedef struct round {
    const gz_lines *lines;
    uint32_t piece_count;
    piece pieces[PIECES];
} round;

static void *items_of_piece(const gz_lines *lines, uint32_t index)
{
    return (char *)lines->piece_items + (size_t)index * PIECE_ITEMS_BYTES;
}

static void take_piece(void *data, uint32_t index)
{
    round *r = data;
    piece *p = &r->pieces[index];
    const gz_lines *lines = r->lines;
    gz_fpu_state state = gz_fpu_enter();
    p->stop = p->start;
    p->count = lines->take(lines->form, &p->stop, p->end, PIECE_ITEMS_BYTES / lines->item_bytes,
                           items_of_piece(lines, index));
    gz_fpu_leave(state);
}

// The first line from `at` on with which an item may begin; NULL if there is none near.
static const uint8_t *find_cut(const gz_lines *lines, const uint8_t *at, const uint8_t *limit)
{
    const uint8_t *far = (uint64_t)(limit - at) > CUT_AHEAD ? at + CUT_AHEAD : limit;
    size_t length = lines->first_word != NULL ? strlen(lines->first_word) : 0;
    while ((at = memchr(at, '\n', (size_t)(far - at))) != NULL) {
        const uint8_t *word = ++at;
        while (gz_is_blank(*word))
            ++word;
        if (length == 0 || memcmp(word, lines->first_word, length) == 0)
            return at;
    }
    return NULL;
}

static void cut_window(gz_lines *lines, round *r)
{
    const gz_source *source = lines->source;
    const uint8_t *start = source->cursor;
    uint64_t step = gz_source_left(source) / PIECES;
    r->lines = lines;
    r->piece_count = 0;
    for (uint32_t i = 1; i < PIECES; ++i) {
        const uint8_t *cut = find_cut(lines, source->cursor + i * step, source->limit);
        if (cut == NULL || cut <= start)
            continue;
        r->pieces[r->piece_count++] = (piece){.start = start, .end = cut};
        start = cut;
    }
    r->pieces[r->piece_count++] = (piece){.start = start, .end = source->limit};
}

// Is there enough to do for all threads, and did that go well so far?
static bool is_for_all_threads(gz_lines *lines, uint64_t most)
{
    const gz_source *source = lines->source;
    const graze_context_def *def = &source->context->def;
    if ((def->thread_count <= 1 && def->run_tasks == NULL) ||
        gz_source_offset(source, source->cursor) < lines->parallel_from ||
        most < LEAST_ROUND / 64 || (source->ended && gz_source_left(source) < LEAST_ROUND) ||
        (source->byte_count != 0 &&
         source->byte_count - gz_source_offset(source, source->cursor) < LEAST_ROUND))
        return false;
    if (lines->piece_items == NULL)
        lines->piece_items = gz_allocate(source->context, PIECES * PIECE_ITEMS_BYTES);
    if (lines->piece_items == NULL)
        lines->parallel_from = UINT64_MAX;
    return lines->piece_items != NULL;
}

// An odd line has spoiled a round: the next is begun behind this window at the earliest, and later
// if it happens again.
static void put_off_rounds(gz_lines *lines)
{
    uint64_t pause = (uint64_t)GZ_SOURCE_WINDOW << lines->failed_rounds;
    lines->parallel_from = gz_source_offset(lines->source, lines->source->cursor) + pause;
    lines->failed_rounds += lines->failed_rounds < MOST_FAILURES;
}

// One window. *whole says that nothing odd was in it.
static graze_status take_round(gz_lines *lines, uint64_t most, uint64_t *taken, bool *whole)
{
    gz_source *source = lines->source;
    round r;
    cut_window(lines, &r);
    gz_parallel(source->context, r.piece_count, take_piece, &r);
    graze_status status = GRAZE_OK;
    *whole = true;
    for (uint32_t i = 0; i < r.piece_count && *whole && status == GRAZE_OK; ++i) {
        const piece *p = &r.pieces[i];
        if (source->cursor < p->start)
            source->cursor = p->start;
        if (p->count <= most - *taken && p->count != 0) {
            source->cursor = p->stop;
            *taken += p->count;
            status = lines->pass(lines->user, items_of_piece(lines, i), p->count);
        }
        // Too many items for the piece's array, or more than are wanted: from here on one by one.
        if (status == GRAZE_OK && source->cursor < p->end)
            status = take_until(lines, p->end, most, taken);
        bool to_limit = i + 1 == r.piece_count && gz_source_left(source) < LONGEST_LINE;
        *whole = source->cursor >= p->end || to_limit;
    }
    return status;
}

static graze_status take_window(gz_lines *lines, uint64_t most, uint64_t *taken)
{
    gz_source *source = lines->source;
    while (gz_is_blank(*source->cursor)) // the careful reader stops in front of a line's end
        ++source->cursor;
    if (!is_for_all_threads(lines, most - *taken))
        return take_until(lines, source->limit, most, taken);
    graze_status status = gz_source_need(source, GZ_SOURCE_WINDOW);
    bool whole = true;
    if (status == GRAZE_OK)
        status = take_round(lines, most, taken, &whole);
    if (whole)
        lines->failed_rounds = 0;
    else if (*taken != most)
        put_off_rounds(lines);
    return status;
}

graze_status gz_lines_take(gz_lines *lines, uint64_t most, uint64_t *taken)
{
    *taken = 0;
    if (most == 0 || !is_worth_it(lines))
        return GRAZE_OK;
    gz_source *source = lines->source;
    graze_status status = GRAZE_OK;
    for (;;) {
        status = take_window(lines, most, taken);
        if (status != GRAZE_OK || *taken == most || source->ended ||
            gz_source_left(source) >= LONGEST_LINE)
            break;
        status = gz_source_need(source, LONGEST_LINE);
        if (status != GRAZE_OK)
            break;
    }
    bool in_vain = *taken < 8 && *taken != most;
    lines->pause = !in_vain                       ? 0
                   : lines->pause < LONGEST_PAUSE ? 2 * lines->pause + 1
                                                  : LONGEST_PAUSE;
    lines->attempts_left_out = lines->pause;
    return status;
}
