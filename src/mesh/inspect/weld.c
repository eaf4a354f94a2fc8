// Welding by sorting. See weld.h.
#include "mesh/inspect/weld.h"

#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/threads.h"
#include "mesh/inspect/triples.h"

#define PAIR_BYTES  (2 * GZ_INDEX_BYTES)
#define BATCH_PAIRS 512u
#define STAGE       "numbering vertices"

uint32_t gz_weld_key_bytes(graze_precision precision)
{
    return 3 * (uint32_t)precision + GZ_INDEX_BYTES;
}

// Two bijections that spread every bit of their input over all bits of the result.
static inline uint32_t spread32(uint32_t x)
{
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

static inline uint64_t spread64(uint64_t x)
{
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

// The first coordinate is replaced by a mixture of all three from which, given the other two, it
// could be had back: nothing is lost, and the key sorts into piles of even size.
void gz_weld_key(uint8_t *key, const void *position, graze_precision precision, uint64_t vertex)
{
    if (precision == GRAZE_FLOAT32) {
        uint32_t bits[3];
        memcpy(bits, position, sizeof bits);
        for (int axis = 0; axis < 3; ++axis)
            bits[axis] = bits[axis] == UINT32_C(1) << 31 ? 0 : bits[axis];
        bits[0] = spread32(bits[0] ^ spread32(bits[1] ^ spread32(bits[2])));
        memcpy(key, bits, sizeof bits);
    } else {
        uint64_t bits[3];
        memcpy(bits, position, sizeof bits);
        for (int axis = 0; axis < 3; ++axis)
            bits[axis] = bits[axis] == UINT64_C(1) << 63 ? 0 : bits[axis];
        bits[0] = spread64(bits[0] ^ spread64(bits[1] ^ spread64(bits[2])));
        memcpy(key, bits, sizeof bits);
    }
    gz_put_number(key + 3 * (size_t)precision, vertex, GZ_INDEX_BYTES);
}

// Pairs on their way to the sorter.
typedef struct pair_batch {
    gz_sorter *to;
    uint64_t count;
    uint8_t pairs[BATCH_PAIRS * PAIR_BYTES];
} pair_batch;

static graze_status send_batch(pair_batch *batch)
{
    graze_status status = gz_sorter_push(batch->to, batch->pairs, batch->count);
    batch->count = 0;
    return status;
}

static inline graze_status add_pair(pair_batch *batch, const uint8_t *vertex, uint64_t first)
{
    uint8_t *pair = batch->pairs + batch->count++ * PAIR_BYTES;
    memcpy(pair, vertex, GZ_INDEX_BYTES);
    gz_put_number(pair + GZ_INDEX_BYTES, first, GZ_INDEX_BYTES);
    return batch->count == BATCH_PAIRS ? send_batch(batch) : GRAZE_OK;
}

graze_status gz_weld_repeats(graze_context *context, gz_sorter *keys, const gz_sorter_def *def,
                             gz_sorter **repeats)
{
    uint32_t key_bytes = gz_sorter_record_bytes(keys), place_bytes = key_bytes - GZ_INDEX_BYTES;
    gz_sorter_def pairs = *def;
    pairs.record_bytes = PAIR_BYTES;
    graze_status status = gz_sorter_open(context, &pairs, repeats);
    if (status != GRAZE_OK)
        return status;
    pair_batch batch = {.to = *repeats};
    uint8_t place[GZ_SORT_MOST_BYTES]; // of the group at hand
    uint64_t first = GZ_INDEX_LIMIT;   // its first vertex; above all before the first group
    const uint8_t *key = NULL;
    uint64_t count = 0;
    while ((status = gz_sorter_next(keys, &key, &count)) == GRAZE_OK && count != 0) {
        for (; count != 0 && status == GRAZE_OK; --count, key += key_bytes) {
            if (first != GZ_INDEX_LIMIT && memcmp(key, place, place_bytes) == 0) {
                status = add_pair(&batch, key + place_bytes, first);
            } else {
                memcpy(place, key, place_bytes);
                first = gz_get_number(key + place_bytes, GZ_INDEX_BYTES);
            }
        }
        if (status != GRAZE_OK)
            break;
    }
    return status == GRAZE_OK ? send_batch(&batch) : status;
}

// Pairs in order of the vertex, one at a time.
typedef struct pair_stream {
    gz_sorter *from;
    const uint8_t *next;
    uint64_t left;
    uint64_t vertex, first; // of the pair at hand; vertex is GZ_INDEX_LIMIT at the end
} pair_stream;

static graze_status next_pair(pair_stream *pairs)
{
    if (pairs->left == 0) {
        graze_status status = gz_sorter_next(pairs->from, &pairs->next, &pairs->left);
        if (status != GRAZE_OK)
            return status;
    }
    if (pairs->left == 0) {
        pairs->vertex = GZ_INDEX_LIMIT;
        return GRAZE_OK;
    }
    pairs->vertex = gz_get_number(pairs->next, GZ_INDEX_BYTES);
    pairs->first = gz_get_number(pairs->next + GZ_INDEX_BYTES, GZ_INDEX_BYTES);
    pairs->next += PAIR_BYTES;
    pairs->left--;
    return GRAZE_OK;
}

// A set of numbers that knows how many of its members lie below any number: one cache line holds
// both the bits and the count of all lines before. Numbers are added in ascending order.
#define LINE_BITS 448u
typedef struct ranked_line {
    uint64_t before;
    uint64_t bits[7];
} ranked_line;
_Static_assert(sizeof(ranked_line) == 64, "a line of the cache");

typedef struct ranked_set {
    ranked_line *lines;
    uint64_t line_count, last_line;
    uint64_t count;
} ranked_set;

static uint64_t lines_for(uint64_t limit) { return limit / LINE_BITS + 1; }

static void empty_set(ranked_set *set)
{
    memset(set->lines, 0, (size_t)(set->line_count * sizeof *set->lines));
    set->last_line = set->count = 0;
}

static bool make_set(graze_context *context, uint64_t limit, ranked_set *set)
{
    *set = (ranked_set){.line_count = lines_for(limit)};
    set->lines = GZ_NEW_ARRAY(context, ranked_line, set->line_count);
    if (set->lines != NULL)
        empty_set(set);
    return set->lines != NULL;
}

static void free_set(graze_context *context, ranked_set *set)
{
    GZ_FREE_ARRAY(context, set->lines, set->line_count);
    set->lines = NULL;
}

static void add_to_set(ranked_set *set, uint64_t number)
{
    uint64_t line = number / LINE_BITS, bit = number % LINE_BITS;
    while (set->last_line < line)
        set->lines[++set->last_line].before = set->count;
    set->lines[line].bits[bit / 64] |= UINT64_C(1) << bit % 64;
    set->count++;
}

static inline bool in_set(const ranked_set *set, uint64_t number)
{
    uint64_t bit = number % LINE_BITS;
    return set->lines[number / LINE_BITS].bits[bit / 64] >> bit % 64 & 1;
}

// Members below a number that is not above the largest one added.
static inline uint64_t rank_in_set(const ranked_set *set, uint64_t number)
{
    const ranked_line *line = &set->lines[number / LINE_BITS];
    uint64_t bit = number % LINE_BITS, rank = line->before;
    for (uint64_t word = 0; word < bit / 64; ++word)
        rank += (uint64_t)__builtin_popcountll(line->bits[word]);
    return rank +
           (uint64_t)__builtin_popcountll(line->bits[bit / 64] & ((UINT64_C(1) << bit % 64) - 1));
}

// The place of the next corner of a soup. `set` holds the repeats so far; NULL keeps first
// vertices.
static graze_status soup_place(pair_stream *pairs, ranked_set *set, uint64_t vertex,
                               uint64_t *place)
{
    if (pairs->vertex != vertex) {
        *place = set == NULL ? vertex : vertex - set->count;
        return GRAZE_OK;
    }
    if (set != NULL)
        add_to_set(set, vertex); // before asking for ranks: it makes all lines up to here valid
    *place = set == NULL ? pairs->first : pairs->first - rank_in_set(set, pairs->first);
    return next_pair(pairs);
}

static graze_status place_soup(graze_context *context, pair_stream *pairs, ranked_set *set,
                               uint64_t vertex_count, gz_spill *corners)
{
    graze_status status = next_pair(pairs);
    uint8_t batch[256 * GZ_TRIPLE_BYTES];
    uint64_t batch_count = 0;
    for (uint64_t vertex = 0; vertex < vertex_count && status == GRAZE_OK; vertex += 3) {
        uint64_t places[3] = {0};
        for (uint64_t i = 0; i < 3 && status == GRAZE_OK; ++i)
            status = soup_place(pairs, set, vertex + i, &places[i]);
        gz_triple_put(batch + batch_count++ * GZ_TRIPLE_BYTES, places);
        if (status == GRAZE_OK && (batch_count == 256 || vertex + 3 == vertex_count)) {
            status = gz_spill_append(corners, batch, batch_count * GZ_TRIPLE_BYTES);
            batch_count = 0;
        }
        if (status == GRAZE_OK && vertex % (3 << 16) == 0)
            status = gz_checkpoint(context, STAGE, "vertices", vertex, vertex_count);
    }
    return status;
}

graze_status gz_weld_soup(graze_context *context, gz_sorter *repeats, uint64_t vertex_count,
                          uint64_t memory_bytes, gz_spill *corners, uint64_t *place_limit)
{
    ranked_set set = {0};
    pair_stream pairs = {.from = repeats};
    bool dense = lines_for(vertex_count) <= memory_bytes / sizeof(ranked_line) &&
                 make_set(context, vertex_count, &set);
    *place_limit = vertex_count - (dense ? gz_sorter_count(repeats) : 0);
    graze_status status = place_soup(context, &pairs, dense ? &set : NULL, vertex_count, corners);
    free_set(context, &set);
    return status;
}

// A part of the map from vertices to places, for the vertices from `start` to `end`. Vertices that
// are no repeats are their own place.
typedef struct map_window {
    uint64_t start, end;
    ranked_set repeats; // less start
    uint32_t *places;   // of the repeats, in order
    uint64_t capacity;  // of places
} map_window;

// Sizes the window so that bitmap and places fill the memory together, if repeats are spread
// evenly.
static bool make_window(graze_context *context, uint64_t vertex_count, uint64_t repeat_count,
                        uint64_t memory_bytes, map_window *window)
{
    double line_bytes = (double)sizeof(ranked_line) / LINE_BITS;
    double vertex_bytes = line_bytes + 4.0 * (double)repeat_count / (double)vertex_count;
    double range = (double)memory_bytes / vertex_bytes * 0.98;
    *window = (map_window){0};
    window->end = range < (double)vertex_count ? (uint64_t)range + 1 : vertex_count;
    uint64_t set_bytes = lines_for(window->end) * sizeof(ranked_line);
    window->capacity = set_bytes < memory_bytes ? (memory_bytes - set_bytes) / 4 : 0;
    if (window->capacity > repeat_count)
        window->capacity = repeat_count;
    if (window->capacity == 0)
        window->capacity = 1;
    window->places = GZ_NEW_ARRAY(context, uint32_t, window->capacity);
    return make_set(context, window->end, &window->repeats) && window->places != NULL;
}

// Moves the window behind its end and fills it. `range` is the most vertices it can span.
static graze_status fill_window(map_window *window, pair_stream *pairs, uint64_t range)
{
    window->start = pairs->vertex; // no repeats before that
    window->end = window->start + range;
    empty_set(&window->repeats);
    while (pairs->vertex < window->end) {
        if (window->repeats.count == window->capacity) {
            window->end = pairs->vertex;
            break;
        }
        window->places[window->repeats.count] = (uint32_t)pairs->first;
        add_to_set(&window->repeats, pairs->vertex - window->start);
        graze_status status = next_pair(pairs);
        if (status != GRAZE_OK)
            return status;
    }
    return GRAZE_OK;
}

static graze_status map_corners(graze_context *context, const map_window *window,
                                gz_spill_cursor *cursor)
{
    graze_status status = GRAZE_OK;
    while ((status = gz_spill_cursor_next(cursor)) == GRAZE_OK && cursor->record_count != 0) {
        for (uint64_t i = 0; i < cursor->record_count; ++i) {
            uint64_t corners[3];
            gz_triple_get(cursor->records + i * GZ_TRIPLE_BYTES, corners);
            for (int c = 0; c < 3; ++c) {
                uint64_t offset = corners[c] - window->start; // wraps for those before
                if (offset < window->end - window->start && in_set(&window->repeats, offset))
                    corners[c] = window->places[rank_in_set(&window->repeats, offset)];
            }
            gz_triple_put(cursor->records + i * GZ_TRIPLE_BYTES, corners);
        }
        status = gz_spill_cursor_put_back(cursor);
        if (status == GRAZE_OK)
            status = gz_checkpoint(context, STAGE, "bytes", cursor->offset, cursor->end);
        if (status != GRAZE_OK)
            break;
    }
    return status;
}

// A place is never above its repeats, so what one pass wrote is below the windows of the next ones.
graze_status gz_weld_shared(graze_context *context, gz_sorter *repeats, uint64_t vertex_count,
                            uint64_t memory_bytes, gz_spill *corners, uint64_t window_bytes)
{
    pair_stream pairs = {.from = repeats};
    graze_status status = next_pair(&pairs);
    if (status != GRAZE_OK || pairs.vertex == GZ_INDEX_LIMIT)
        return status;
    map_window window;
    if (!make_window(context, vertex_count, gz_sorter_count(repeats), memory_bytes, &window))
        status = gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory while welding vertices");
    uint64_t range = window.end;
    while (status == GRAZE_OK && pairs.vertex != GZ_INDEX_LIMIT) {
        status = fill_window(&window, &pairs, range);
        gz_spill_cursor cursor = {0};
        if (status == GRAZE_OK)
            status = gz_spill_cursor_open(corners, GZ_TRIPLE_BYTES, window_bytes, &cursor);
        if (status == GRAZE_OK)
            status = map_corners(context, &window, &cursor);
        gz_spill_cursor_close(&cursor);
    }
    free_set(context, &window.repeats);
    GZ_FREE_ARRAY(context, window.places, window.capacity);
    return status;
}
