// Runs takers over the windows of a source, on one thread or on all. See lines.h.
//
// On all threads, a window is cut into pieces at the ends of lines, and every piece is taken as if
// all lines before it were plain; beside that, one task fetches the next window. Items go to an
// array for each piece, or to their place in the mesh: how many a piece has is known before, by
// counting a byte that each item has. Then they are passed on in order, as far as all was true;
// what was taken behind an odd line is thrown away. So the outcome is the same for any number of
// threads, and only time is lost where lines are odd.
#include "mesh/read/lines.h"

#include <string.h>

#include "base/context.h"
#include "base/knobs.h"
#include "base/memory.h"
#include "base/threads.h"
#include "geometry/fpu.h"
#include "mesh/read/line_takers.h"
#include "mesh/read/tokens.h"

#define ITEMS_BYTES       (1u << 16) // small enough for the processor's nearest caches
#define LONGEST_LINE      1024u      // longer ones are not plain
#define LONGEST_PAUSE     256u
#define PIECE_ITEMS_BYTES (2u << 16)
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
               lines->piece_items != NULL ? GZ_LINE_PIECES * PIECE_ITEMS_BYTES : 0);
}

// False if plain lines are not to be looked for now. No memory only means that it takes longer.
static bool is_worth_it(gz_lines *lines)
{
    if (GZ_KNOB(lines->source->context, careful_only))
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

// Straight into a mesh.

// Where `count` items may go; *items is NULL if there is no such place.
static graze_status ask_for_room(gz_lines *lines, uint64_t count, void **items)
{
    *items = NULL;
    gz_room *room = &lines->room;
    graze_status status = lines->flush != NULL ? lines->flush(lines->user) : GRAZE_OK;
    if (status != GRAZE_OK || count == 0)
        return status;
    *room = (gz_room){.vertex_count = lines->vertices * count,
                      .triangle_count = lines->triangles * count,
                      .bound = lines->bound};
    status = gz_stream_room(lines->stream, room);
    *items = lines->vertices != 0 ? room->positions : room->corners;
    return status;
}

static graze_status say_filled(gz_lines *lines, uint64_t count)
{
    return gz_stream_room_filled(lines->stream, &lines->room, lines->vertices * count,
                                 lines->triangles * count);
}

// Takes items to the room; `items` is one of its places.
static uint64_t take_to_room(const gz_lines *lines, const uint8_t **at, const uint8_t *end,
                             uint64_t most, void *items)
{
    uint64_t count = lines->take_to_room(lines->form, at, end, most, items);
    const gz_room *room = &lines->room;
    if (lines->vertices == 0 || lines->triangles == 0)
        return count;
    uint64_t first = (uint64_t)((char *)items - (char *)room->positions) / lines->room_item_bytes;
    uint32_t *corners = room->corners + 3 * first;
    uint32_t number = (uint32_t)(room->first_vertex + 3 * first);
    for (uint64_t i = 0; i < 3 * count; ++i)
        corners[i] = number + (uint32_t)i;
    return count;
}

// One thread.

// Takes and passes on what begins before `end`.
static graze_status take_until(gz_lines *lines, const uint8_t *end, uint64_t most, uint64_t *taken)
{
    const uint8_t **at = &lines->source->cursor;
    graze_status status = GRAZE_OK;
    uint64_t count = 0, wanted = 0;
    do {
        wanted = most - *taken < lines->capacity ? most - *taken : lines->capacity;
        void *place = NULL;
        status = ask_for_room(lines, wanted, &place);
        if (status != GRAZE_OK)
            return status;
        if (place != NULL) {
            count = take_to_room(lines, at, end, wanted, place);
            status = say_filled(lines, count);
        } else {
            count = lines->take(lines->form, at, end, wanted, lines->items);
            if (count != 0)
                status = lines->pass(lines->user, lines->items, count);
        }
        *taken += count;
    } while (count == wanted && *taken != most && status == GRAZE_OK);
    return status;
}

// All threads.

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

static uint64_t count_marks(const gz_lines *lines, const uint8_t *start, const uint8_t *end)
{
    return gz_line_takers_of(lines->source->context)->count_bytes(start, end, lines->mark);
}

// Whole items; what is left over at the end goes with the last piece.
static void cut_binary(const gz_lines *lines, const uint8_t *start, const uint8_t *limit,
                       gz_line_cuts *cuts)
{
    uint64_t left = (uint64_t)(limit - start) / lines->stride;
    uint64_t step = (left + GZ_LINE_PIECES - 1) / GZ_LINE_PIECES;
    for (cuts->count = 0; left != 0;) {
        uint64_t marks = left < step ? left : step;
        left -= marks;
        const uint8_t *end = left != 0 ? start + marks * lines->stride : limit;
        cuts->pieces[cuts->count++] = (gz_line_chunk){.start = start, .end = end, .marks = marks};
        start = end;
    }
}

static void cut(const gz_lines *lines, const uint8_t *start, const uint8_t *limit,
                gz_line_cuts *cuts)
{
    if (lines->stride != 0) {
        cut_binary(lines, start, limit, cuts);
        return;
    }
    uint64_t step = (uint64_t)(limit - start) / GZ_LINE_PIECES;
    const uint8_t *first = start;
    cuts->count = 0;
    for (uint32_t i = 1; i <= GZ_LINE_PIECES; ++i) {
        const uint8_t *end = limit;
        if (i < GZ_LINE_PIECES)
            end = find_cut(lines, first + i * step, limit);
        if (end == NULL || end <= start)
            continue;
        cuts->pieces[cuts->count++] =
            (gz_line_chunk){.start = start, .end = end, .marks = count_marks(lines, start, end)};
        start = end;
    }
}

// The window ahead is cut while it is still in the processor's cache.
static void fetch_and_cut(gz_lines *lines)
{
    gz_source *source = lines->source;
    const uint8_t *start = NULL, *limit = NULL;
    gz_source_fetch_ahead(source, &start, &limit);
    if (lines->stride != 0)
        return;
    cut(lines, start, limit, &lines->next_cuts);
    lines->next_cuts.end_offset =
        gz_source_offset(source, source->limit) + (uint64_t)(limit - start);
}

// The cuts of the window from the cursor on: those made ahead, if it is that window.
static void cut_window(gz_lines *lines)
{
    const gz_source *source = lines->source;
    const uint8_t *cursor = source->cursor;
    gz_line_cuts *cuts = &lines->cuts;
    *cuts = lines->next_cuts;
    lines->next_cuts.end_offset = 0;
    if (cuts->end_offset == 0 || cuts->end_offset != gz_source_offset(source, source->limit) ||
        cuts->count == 0 || cuts->pieces[cuts->count - 1].end != source->limit ||
        cursor >= cuts->pieces[0].end) {
        cut(lines, cursor, source->limit, cuts);
        return;
    }
    gz_line_chunk *first = &cuts->pieces[0];
    if (cursor <= first->start)
        first->marks += count_marks(lines, cursor, first->start);
    else
        first->marks -= count_marks(lines, first->start, cursor);
    first->start = cursor;
}

// An array for each piece. False if there is no memory for them: one thread does it then.
static bool give_arrays(gz_lines *lines)
{
    if (lines->piece_items == NULL)
        lines->piece_items =
            gz_allocate(lines->source->context, PIECE_ITEMS_BYTES * GZ_LINE_PIECES);
    if (lines->piece_items == NULL)
        lines->parallel_from = UINT64_MAX;
    char *place = lines->piece_items;
    for (uint32_t i = 0; i < lines->cuts.count && place != NULL; ++i, place += PIECE_ITEMS_BYTES) {
        lines->cuts.pieces[i].items = place;
        lines->cuts.pieces[i].most = PIECE_ITEMS_BYTES / lines->item_bytes;
    }
    return place != NULL;
}

// A place in one room for each piece, if there is a room; `in_room` says if.
static graze_status give_places(gz_lines *lines, uint64_t most)
{
    gz_line_cuts *cuts = &lines->cuts;
    uint64_t all = 0;
    for (uint32_t i = 0; i < cuts->count; ++i) {
        gz_line_chunk *p = &cuts->pieces[i];
        p->most = p->marks / lines->marks_per_item;
        p->most = p->most < most - all ? p->most : most - all;
        all += p->most;
    }
    void *first = NULL;
    graze_status status = ask_for_room(lines, all, &first);
    lines->in_room = first != NULL;
    char *place = first;
    for (uint32_t i = 0; i < cuts->count && place != NULL; ++i) {
        cuts->pieces[i].items = place;
        place += cuts->pieces[i].most * lines->room_item_bytes;
    }
    return status;
}

static void take_piece(gz_lines *lines, uint32_t index)
{
    gz_line_chunk *p = &lines->cuts.pieces[index];
    gz_fpu_state state = gz_fpu_enter();
    p->stop = p->start;
    if (lines->in_room)
        p->count = take_to_room(lines, &p->stop, p->end, p->most, p->items);
    else
        p->count = lines->take(lines->form, &p->stop, p->end, p->most, p->items);
    gz_fpu_leave(state);
}

static void do_task(void *data, uint32_t index)
{
    gz_lines *lines = data;
    if (lines->fetches && index == 0)
        fetch_and_cut(lines);
    else
        take_piece(lines, index - (lines->fetches ? 1 : 0));
}

// Is there enough to do for all threads, and did that go well so far?
static bool is_for_all_threads(const gz_lines *lines, uint64_t most)
{
    const gz_source *source = lines->source;
    const graze_context_def *def = &source->context->def;
    uint64_t offset = gz_source_offset(source, source->cursor);
    return (def->thread_count > 1 || def->run_tasks != NULL) && offset >= lines->parallel_from &&
           most >= LEAST_ROUND / 64 && (!source->ended || gz_source_left(source) >= LEAST_ROUND) &&
           (source->byte_count == 0 || source->byte_count - offset >= LEAST_ROUND);
}

// An odd line has spoiled a round: the next is begun behind this window at the earliest, and later
// if it happens again.
static void put_off_rounds(gz_lines *lines)
{
    uint64_t pause = (uint64_t)GZ_SOURCE_WINDOW << lines->failed_rounds;
    lines->parallel_from = gz_source_offset(lines->source, lines->source->cursor) + pause;
    lines->failed_rounds += lines->failed_rounds < MOST_FAILURES;
}

// The last piece of a window mostly ends within an item, which the next window has whole.
static bool is_whole(const gz_lines *lines, uint32_t index)
{
    const gz_source *source = lines->source;
    const gz_line_cuts *cuts = &lines->cuts;
    return source->cursor >= cuts->pieces[index].end ||
           (index + 1 == cuts->count && gz_source_left(source) < LONGEST_LINE);
}

// Each of the next two sets *whole to false if something odd was in the window.

static graze_status pass_pieces(gz_lines *lines, uint64_t most, uint64_t *taken, bool *whole)
{
    gz_source *source = lines->source;
    graze_status status = GRAZE_OK;
    for (uint32_t i = 0; i < lines->cuts.count && *whole && status == GRAZE_OK; ++i) {
        const gz_line_chunk *p = &lines->cuts.pieces[i];
        if (source->cursor < p->start)
            source->cursor = p->start;
        if (p->count <= most - *taken && p->count != 0) {
            source->cursor = p->stop;
            *taken += p->count;
            status = lines->pass(lines->user, p->items, p->count);
        }
        // Too many items for the piece's array, or more than are wanted: from here on one by one.
        if (status == GRAZE_OK && source->cursor < p->end)
            status = take_until(lines, p->end, most, taken);
        *whole = is_whole(lines, i);
    }
    return status;
}

// They are in their places already; those behind an odd line do not count.
static graze_status count_pieces(gz_lines *lines, uint64_t *taken, bool *whole)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < lines->cuts.count && *whole; ++i) {
        const gz_line_chunk *p = &lines->cuts.pieces[i];
        if (p->count != 0)
            lines->source->cursor = p->stop;
        count += p->count;
        *whole = is_whole(lines, i) && (p->count == p->most || i + 1 == lines->cuts.count);
    }
    *taken += count;
    return say_filled(lines, count);
}

// One window.
static graze_status take_round(gz_lines *lines, uint64_t most, uint64_t *taken, bool *whole)
{
    cut_window(lines);
    lines->fetches = gz_source_prepare_ahead(lines->source);
    graze_status status = give_places(lines, most - *taken);
    if (status != GRAZE_OK)
        return status;
    if (!lines->in_room && !give_arrays(lines))
        return take_until(lines, lines->source->limit, most, taken);
    gz_parallel(lines->source->context, lines->cuts.count + (lines->fetches ? 1 : 0), do_task,
                lines);
    return lines->in_room ? count_pieces(lines, taken, whole)
                          : pass_pieces(lines, most, taken, whole);
}

static graze_status take_window(gz_lines *lines, uint64_t most, uint64_t *taken)
{
    gz_source *source = lines->source;
    while (lines->stride == 0 && gz_is_blank(*source->cursor))
        ++source->cursor; // the careful reader stops in front of a line's end
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
    if (source->context->knobs != NULL)
        atomic_fetch_add(&source->context->knobs->plain_items, *taken);
    return status;
}
