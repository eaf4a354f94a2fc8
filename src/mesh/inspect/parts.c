// Connected parts in bounded memory. See parts.h.
//
// A forest of disjoint sets over a window of the places, from the highest window down to 0. A link
// joins two places of a triangle. With both ends in the window it joins their sets. With one end
// below, the set is hung on that place; a set that is hung already hands a link between the two
// lower places down to the next window, and forgets the second. Links below the window are handed
// down as they are. So each window settles its own places: a set that is not hung on anything is a
// part, and one that is hung sends what is known of it down as a mark. If all places fit into one
// window, nothing is handed down at all.
#include "mesh/inspect/parts.h"

#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/threads.h"
#include "mesh/inspect/triples.h"

#define STAGE "joining parts"

// A link with high > low is an edge of a triangle with three different places; low > high says the
// same of places that are connected without that, and low == high that a place is in use.
typedef struct link {
    uint32_t high, low;
} link;

// Entry i stands for place first + i. up[i] is
//   i                the set's root,
//   below count      an entry nearer to the root,
//   count + place    the root of a set that hangs on a place below the window.
// The sum stays below 2^32, because place < first and first + count is a number of places.
typedef struct window {
    uint64_t first;
    uint32_t count, capacity;
    uint32_t *up;
    uint64_t *flags[3]; // bits: used, solid, open; those of a set are gathered at its root
    gz_spill *below;    // links for the windows below
} window;

static const uint32_t flag_names[3] = {GZ_PART_USED, GZ_PART_SOLID, GZ_PART_OPEN};

static uint64_t words_for(uint64_t count) { return (count + 63) / 64; }

static bool make_window(graze_context *context, uint64_t count, window *in)
{
    *in = (window){.capacity = (uint32_t)count};
    in->up = GZ_NEW_ARRAY(context, uint32_t, count);
    bool made = in->up != NULL;
    for (int i = 0; i < 3; ++i) {
        in->flags[i] = GZ_NEW_ARRAY(context, uint64_t, words_for(count));
        made = made && in->flags[i] != NULL;
    }
    return made;
}

static void free_window(graze_context *context, window *in)
{
    for (int i = 0; i < 3; ++i)
        GZ_FREE_ARRAY(context, in->flags[i], words_for(in->capacity));
    GZ_FREE_ARRAY(context, in->up, in->capacity);
}

static void start_window(window *in, uint64_t end)
{
    in->count = end < in->capacity ? (uint32_t)end : in->capacity;
    in->first = end - in->count;
    for (uint32_t i = 0; i < in->count; ++i)
        in->up[i] = i;
    for (int i = 0; i < 3; ++i)
        memset(in->flags[i], 0, (size_t)words_for(in->count) * 8);
}

static inline bool has_flag(const window *in, int flag, uint32_t entry)
{
    return in->flags[flag][entry / 64] >> entry % 64 & 1;
}

static inline void set_flag(window *in, int flag, uint32_t entry)
{
    in->flags[flag][entry / 64] |= UINT64_C(1) << entry % 64;
}

static inline bool is_root(const window *in, uint32_t entry)
{
    return in->up[entry] == entry || in->up[entry] >= in->count;
}

// Every second entry on the way is lifted to its grandparent, which keeps ways short.
static inline uint32_t find_root(window *in, uint32_t entry)
{
    while (!is_root(in, entry)) {
        uint32_t above = in->up[entry];
        if (is_root(in, above))
            return above;
        entry = in->up[entry] = in->up[above];
    }
    return entry;
}

static graze_status hand_down(window *in, uint32_t high, uint32_t low)
{
    link made = {high, low};
    return gz_spill_append(in->below, &made, sizeof made);
}

static graze_status hang(window *in, uint32_t root, uint32_t place)
{
    uint32_t hung = in->up[root];
    if (hung < in->count) {
        in->up[root] = in->count + place;
        return GRAZE_OK;
    }
    uint32_t other = hung - in->count;
    if (other == place)
        return GRAZE_OK;
    return other < place ? hand_down(in, other, place) : hand_down(in, place, other);
}

static graze_status unite(window *in, uint32_t a, uint32_t b)
{
    uint32_t upper = find_root(in, a), lower = find_root(in, b);
    if (upper == lower)
        return GRAZE_OK;
    if (upper < lower) {
        uint32_t swap = upper;
        upper = lower, lower = swap;
    }
    uint32_t hung = in->up[upper];
    in->up[upper] = lower;
    return hung < in->count ? GRAZE_OK : hang(in, lower, hung - in->count);
}

static inline graze_status take_link(window *in, uint64_t a, uint64_t b, bool solid)
{
    uint64_t high = a > b ? a : b, low = a > b ? b : a;
    if (high < in->first)
        return solid ? hand_down(in, (uint32_t)high, (uint32_t)low)
                     : hand_down(in, (uint32_t)low, (uint32_t)high);
    uint32_t entry = (uint32_t)(high - in->first);
    set_flag(in, 0, entry);
    if (solid)
        set_flag(in, 1, entry);
    if (low < in->first)
        return hang(in, find_root(in, entry), (uint32_t)low);
    uint32_t other = (uint32_t)(low - in->first);
    set_flag(in, 0, other);
    return unite(in, entry, other);
}

static graze_status take_triangle(window *in, const uint8_t *record)
{
    uint64_t c[3];
    gz_triple_get(record, c);
    bool solid = c[0] != c[1] && c[1] != c[2] && c[0] != c[2];
    graze_status status = take_link(in, c[0], c[1], solid);
    return status == GRAZE_OK ? take_link(in, c[1], c[2], solid) : status;
}

static graze_status take_link_record(window *in, const uint8_t *record)
{
    link taken;
    memcpy(&taken, record, sizeof taken);
    return take_link(in, taken.high, taken.low, taken.high > taken.low);
}

static graze_status take_mark(window *in, const uint8_t *record)
{
    gz_part_mark mark;
    memcpy(&mark, record, sizeof mark);
    uint64_t entry = mark.place - in->first; // wraps for those below
    if (entry < in->count)
        for (int i = 0; i < 3; ++i)
            if ((mark.flags & flag_names[i]) != 0)
                set_flag(in, i, (uint32_t)entry);
    return GRAZE_OK;
}

static graze_status take_all(graze_context *context, window *in, gz_spill *from,
                             uint32_t record_bytes, uint64_t window_bytes,
                             graze_status (*take)(window *in, const uint8_t *record))
{
    gz_spill_cursor cursor;
    graze_status status = gz_spill_cursor_open(from, record_bytes, window_bytes, &cursor);
    while (status == GRAZE_OK && (status = gz_spill_cursor_next(&cursor)) == GRAZE_OK &&
           cursor.record_count != 0) {
        for (uint64_t i = 0; i < cursor.record_count && status == GRAZE_OK; ++i)
            status = take(in, cursor.records + i * record_bytes);
        if (status == GRAZE_OK)
            status = gz_checkpoint(context, STAGE, "bytes", cursor.offset, cursor.end);
    }
    gz_spill_cursor_close(&cursor);
    return status;
}

// All is known about the window: counts its parts, and sends down what is not settled. A root is
// the lowest entry of its set, so it is counted as used or not before it gathers the others' flags.
static graze_status settle(window *in, gz_spill *marks, gz_parts_result *result)
{
    for (uint32_t i = 0; i < in->count; ++i) {
        result->places += has_flag(in, 0, i);
        uint32_t root = find_root(in, i);
        for (int flag = 0; flag < 3; ++flag)
            if (has_flag(in, flag, i))
                set_flag(in, flag, root);
    }
    for (uint32_t i = 0; i < in->count; ++i) {
        if (!is_root(in, i) || !has_flag(in, 0, i))
            continue;
        bool solid = has_flag(in, 1, i), open = has_flag(in, 2, i);
        if (in->up[i] >= in->count) {
            gz_part_mark mark = {in->up[i] - in->count, GZ_PART_USED};
            mark.flags |= (solid ? GZ_PART_SOLID : 0) | (open ? GZ_PART_OPEN : 0);
            graze_status status = gz_spill_append(marks, &mark, sizeof mark);
            if (status != GRAZE_OK)
                return status;
        } else {
            result->parts++;
            result->closed_parts += solid && !open;
        }
    }
    return GRAZE_OK;
}

static graze_status run_window(graze_context *context, const gz_parts_def *def, window *in,
                               gz_spill *links, gz_parts_result *result)
{
    graze_status status =
        links == NULL
            ? take_all(context, in, def->corners, GZ_TRIPLE_BYTES, def->window_bytes, take_triangle)
            : take_all(context, in, links, sizeof(link), def->window_bytes, take_link_record);
    if (status == GRAZE_OK)
        status =
            take_all(context, in, def->marks, sizeof(gz_part_mark), def->window_bytes, take_mark);
    return status == GRAZE_OK ? settle(in, def->marks, result) : status;
}

graze_status gz_parts_count(graze_context *context, const gz_parts_def *def,
                            gz_parts_result *result)
{
    *result = (gz_parts_result){0};
    if (def->place_limit == 0)
        return GRAZE_OK;
    // 4 bytes and 3 bits a place; 27 bits are spared for the last words.
    uint64_t most = def->memory_bytes * 8 / 35;
    most = most > 192 ? most - 192 : 1;
    uint64_t count = def->place_limit < most ? def->place_limit : most;
    window in;
    gz_spill links[2] = {gz_spill_make(context, def->link_bytes),
                         gz_spill_make(context, def->link_bytes)};
    graze_status status = GRAZE_OK;
    if (!make_window(context, count, &in))
        status = gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory while joining parts");
    uint64_t end = def->place_limit;
    for (int turn = 0; end != 0 && status == GRAZE_OK; turn ^= 1) {
        bool top = end == def->place_limit;
        start_window(&in, end);
        in.below = &links[turn];
        status = run_window(context, def, &in, top ? NULL : &links[turn ^ 1], result);
        result->on_disk = result->on_disk || gz_spill_on_disk(&links[0]) ||
                          gz_spill_on_disk(&links[1]) || gz_spill_on_disk(def->marks);
        gz_spill_free(&links[turn ^ 1]);
        links[turn ^ 1] = gz_spill_make(context, def->link_bytes);
        end = in.first;
    }
    free_window(context, &in);
    gz_spill_free(&links[0]);
    gz_spill_free(&links[1]);
    return status;
}
