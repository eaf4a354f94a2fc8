// Runs takers over the windows of a source. See lines.h.
#include "mesh/lines.h"

#include "base/context.h"
#include "base/memory.h"
#include "mesh/tokens.h"

#define ITEMS_BYTES   (1u << 16) // small enough for the processor's nearest caches
#define LONGEST_LINE  1024u      // longer ones are not plain
#define LONGEST_PAUSE 256u

void gz_lines_free(gz_lines *lines)
{
    if (lines->source != NULL)
        gz_release(lines->source->context, lines->items, lines->capacity * lines->item_bytes);
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

static graze_status take_from_window(gz_lines *lines, uint64_t most, uint64_t *taken)
{
    gz_source *source = lines->source;
    graze_status status = GRAZE_OK;
    uint64_t count = 0;
    while (gz_is_blank(*source->cursor)) // the careful reader stops in front of a line's end
        ++source->cursor;
    do {
        uint64_t room = most - *taken < lines->capacity ? most - *taken : lines->capacity;
        count = lines->take(lines->form, &source->cursor, source->limit, room, lines->items);
        if (count != 0)
            status = lines->pass(lines->user, lines->items, count);
        *taken += count;
    } while (count == lines->capacity && status == GRAZE_OK);
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
        status = take_from_window(lines, most, taken);
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
