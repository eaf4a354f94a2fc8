// Brings vertices to triangles. See feed.h.
#include "mesh/inspect/feed.h"

#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/threads.h"
#include "mesh/inspect/triples.h"

#define PATIENCE_LEAST 64u // loads that are always allowed

static bool patience_is_lost(const gz_feed *from)
{
    const gz_positions *positions = from->def.positions;
    uint64_t blocks = gz_positions_count(positions) >> positions->block_shift;
    return positions->load_count >
           blocks + PATIENCE_LEAST + from->next_triangle * from->def.patience / 1024;
}

static graze_status feed_from_cache(gz_feed *to)
{
    graze_status status = GRAZE_OK;
    if (to->corners_used == to->corners.record_count) {
        status = gz_spill_cursor_next(&to->corners);
        to->corners_used = 0;
    }
    uint64_t left = to->corners.record_count - to->corners_used;
    to->count = left < GZ_FEED_TRIANGLES ? (uint32_t)left : GZ_FEED_TRIANGLES;
    for (uint32_t i = 0; i < to->count && status == GRAZE_OK; ++i) {
        uint64_t corners[3];
        gz_triple_get(to->corners.records + to->corners_used++ * GZ_TRIPLE_BYTES, corners);
        for (int c = 0; c < 3 && status == GRAZE_OK; ++c)
            status = gz_positions_get(to->def.positions, corners[c], to->triangles[i].corner[c]);
    }
    return status;
}

// (vertex, corner) for each corner that is left.
static graze_status push_corners(gz_feed *from, gz_sorter *by_vertex)
{
    graze_status status = GRAZE_OK;
    uint64_t triangle = from->next_triangle;
    for (;;) {
        for (; from->corners_used < from->corners.record_count && status == GRAZE_OK;
             ++from->corners_used, ++triangle) {
            uint64_t corners[3];
            uint8_t records[3][2 * GZ_INDEX_BYTES];
            gz_triple_get(from->corners.records + from->corners_used * GZ_TRIPLE_BYTES, corners);
            for (uint32_t c = 0; c < 3; ++c) {
                gz_put_number(records[c], corners[c], GZ_INDEX_BYTES);
                gz_put_number(records[c] + GZ_INDEX_BYTES, 3 * triangle + c, GZ_INDEX_BYTES);
            }
            status = gz_sorter_push(by_vertex, records, 3);
        }
        if (status == GRAZE_OK)
            status = gz_checkpoint(from->context, "fetching vertices", "triangles", triangle,
                                   from->triangle_count);
        if (status == GRAZE_OK)
            status = gz_spill_cursor_next(&from->corners);
        from->corners_used = 0;
        if (status != GRAZE_OK || from->corners.record_count == 0)
            return status;
    }
}

// (corner, position) for each (vertex, corner): one pass over both in order of the vertices.
static graze_status push_positions(const gz_feed *from, gz_sorter *by_vertex, gz_sorter *by_corner)
{
    uint32_t vertex_bytes = from->def.positions->vertex_bytes;
    gz_spill_cursor vertices = {0};
    graze_status status = gz_spill_cursor_open(&from->def.positions->spill, vertex_bytes,
                                               from->def.window_bytes, &vertices);
    uint64_t window_end = 0; // the first vertex behind the window
    const uint8_t *next = NULL;
    uint64_t count = 0;
    while (status == GRAZE_OK && (status = gz_sorter_next(by_vertex, &next, &count)) == GRAZE_OK &&
           count != 0) {
        for (; count != 0 && status == GRAZE_OK; --count, next += 2 * GZ_INDEX_BYTES) {
            uint64_t vertex = gz_get_number(next, GZ_INDEX_BYTES);
            while (vertex >= window_end && status == GRAZE_OK) {
                status = gz_spill_cursor_next(&vertices);
                window_end += vertices.record_count;
            }
            if (status != GRAZE_OK)
                break;
            uint64_t place = vertex - (window_end - vertices.record_count);
            uint8_t record[GZ_INDEX_BYTES + 24];
            memcpy(record, next + GZ_INDEX_BYTES, GZ_INDEX_BYTES);
            memcpy(record + GZ_INDEX_BYTES, vertices.records + place * vertex_bytes, vertex_bytes);
            status = gz_sorter_push(by_corner, record, 1);
        }
    }
    gz_spill_cursor_close(&vertices);
    return status;
}

static graze_status start_join(gz_feed *from)
{
    const gz_feed_def *def = &from->def;
    gz_sorter *by_vertex = NULL;
    gz_sorter_def order = {.memory_bytes = def->join_bytes, .fan_bits = def->fan_bits};
    order.stage = "fetching vertices";
    order.record_bytes = 2 * GZ_INDEX_BYTES;
    order.zero_bits = gz_index_zero_bits(gz_positions_count(def->positions));
    graze_status status = gz_sorter_open(from->context, &order, &by_vertex);
    if (status == GRAZE_OK)
        status = push_corners(from, by_vertex);
    order.stage = NULL;
    order.record_bytes = GZ_INDEX_BYTES + def->positions->vertex_bytes;
    order.zero_bits = gz_index_zero_bits(3 * from->triangle_count);
    if (status == GRAZE_OK)
        status = gz_sorter_open(from->context, &order, &from->joined);
    if (status == GRAZE_OK)
        status = push_positions(from, by_vertex, from->joined);
    gz_sorter_close(by_vertex);
    return status;
}

static graze_status feed_from_join(gz_feed *to)
{
    uint32_t vertex_bytes = to->def.positions->vertex_bytes;
    uint32_t corner = 0;
    graze_status status = GRAZE_OK;
    for (; corner < 3 * GZ_FEED_TRIANGLES; ++corner) {
        if (to->joined_left == 0) {
            status = gz_sorter_next(to->joined, &to->joined_next, &to->joined_left);
            if (status != GRAZE_OK || to->joined_left == 0)
                break;
        }
        gz_position_widen(to->joined_next + GZ_INDEX_BYTES, vertex_bytes,
                          to->triangles[corner / 3].corner[corner % 3]);
        to->joined_next += GZ_INDEX_BYTES + vertex_bytes;
        to->joined_left--;
    }
    to->count = corner / 3;
    return status;
}

graze_status gz_feed_fill(gz_feed *to)
{
    to->next_triangle += to->count;
    graze_status status = gz_checkpoint(to->context, to->def.stage, "triangles", to->next_triangle,
                                        to->triangle_count);
    if (status == GRAZE_OK && to->joined == NULL && patience_is_lost(to))
        status = start_join(to);
    if (status == GRAZE_OK)
        status = to->joined == NULL ? feed_from_cache(to) : feed_from_join(to);
    return status;
}

graze_status gz_feed_open(graze_context *context, const gz_feed_def *def, gz_feed **feed)
{
    gz_feed *made = *feed = gz_allocate(context, sizeof *made);
    if (made == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory for fetching triangles");
    memset(made, 0, sizeof *made);
    made->context = context;
    made->def = *def;
    made->triangle_count = def->corners->byte_count / GZ_TRIPLE_BYTES;
    return gz_spill_cursor_open(def->corners, GZ_TRIPLE_BYTES, def->window_bytes, &made->corners);
}

void gz_feed_close(gz_feed *feed)
{
    if (feed == NULL)
        return;
    gz_spill_cursor_close(&feed->corners);
    gz_sorter_close(feed->joined);
    gz_release(feed->context, feed, sizeof *feed);
}
