// Edges by sorting. See edges.h.
//
// A triangle whose places are a < b < c, once sorted, has the edges ab, bc and ac. It is kept as
// (a, b, c, turn) in one sorter, where its duplicates come next to it and which also brings the
// edge ab; bc and ac go to the other sorter. Both streams are sorted by edge first, so one pass
// over the two meets each edge with all its triangles, whatever their number.
//   turn 1: the triangle runs a, b, c; turn 0: it runs c, b, a; turn 2: two places are equal. Such
//   a triangle may have duplicates, but has no edges.
#include "mesh/inspect/edges.h"

#include <string.h>

#include "base/context.h"
#include "base/sort.h"
#include "base/sorter.h"
#include "base/threads.h"
#include "mesh/inspect/parts.h"
#include "mesh/inspect/triples.h"

#define PLACE_BYTES    4u
#define TRIANGLE_BYTES (3 * PLACE_BYTES + 1)
#define EDGE_BYTES     (2 * PLACE_BYTES + 1)
#define BATCH          256u
#define NO_EDGES       2u
#define AT_END         UINT64_MAX // no edge: its two ends would be equal

typedef struct sorted_triangle {
    uint64_t place[3];
    uint32_t turn;
} sorted_triangle;

static sorted_triangle sort_triangle(const uint64_t corners[3])
{
    uint64_t a = corners[0], b = corners[1], c = corners[2];
    uint32_t turn = 1; // each swap turns it round
    if (b < a) {
        uint64_t swap = a;
        a = b, b = swap, turn ^= 1;
    }
    if (c < b) {
        uint64_t swap = b;
        b = c, c = swap, turn ^= 1;
    }
    if (b < a) {
        uint64_t swap = a;
        a = b, b = swap, turn ^= 1;
    }
    return (sorted_triangle){{a, b, c}, a == b || b == c ? NO_EDGES : turn};
}

// Records on their way to the sorters.
typedef struct edge_batch {
    uint64_t triangle_count, edge_count;
    uint8_t triangles[BATCH * TRIANGLE_BYTES];
    uint8_t edges[2 * BATCH * EDGE_BYTES];
} edge_batch;

static void add_edge(edge_batch *batch, uint64_t low, uint64_t high, uint32_t upward)
{
    uint8_t *edge = batch->edges + batch->edge_count++ * EDGE_BYTES;
    gz_put_number(edge, low, PLACE_BYTES);
    gz_put_number(edge + PLACE_BYTES, high, PLACE_BYTES);
    edge[2 * PLACE_BYTES] = (uint8_t)upward;
}

static void add_triangle(edge_batch *batch, const uint64_t corners[3])
{
    sorted_triangle t = sort_triangle(corners);
    uint8_t *record = batch->triangles + batch->triangle_count++ * TRIANGLE_BYTES;
    for (uint32_t i = 0; i < 3; ++i)
        gz_put_number(record + i * PLACE_BYTES, t.place[i], PLACE_BYTES);
    record[3 * PLACE_BYTES] = (uint8_t)t.turn;
    if (t.turn == NO_EDGES)
        return;
    add_edge(batch, t.place[1], t.place[2], t.turn);
    add_edge(batch, t.place[0], t.place[2], t.turn ^ 1u);
}

static graze_status push_triangles(graze_context *context, const gz_edges_def *def,
                                   gz_sorter *triangles, gz_sorter *edges)
{
    gz_spill_cursor cursor;
    graze_status status =
        gz_spill_cursor_open(def->corners, GZ_TRIPLE_BYTES, def->window_bytes, &cursor);
    while (status == GRAZE_OK && (status = gz_spill_cursor_next(&cursor)) == GRAZE_OK &&
           cursor.record_count != 0) {
        for (uint64_t i = 0; i < cursor.record_count && status == GRAZE_OK;) {
            edge_batch batch = {0};
            for (; batch.triangle_count < BATCH && i < cursor.record_count; ++i) {
                uint64_t corners[3];
                gz_triple_get(cursor.records + i * GZ_TRIPLE_BYTES, corners);
                add_triangle(&batch, corners);
            }
            status = gz_sorter_push(triangles, batch.triangles, batch.triangle_count);
            if (status == GRAZE_OK)
                status = gz_sorter_push(edges, batch.edges, batch.edge_count);
        }
        if (status == GRAZE_OK)
            status = gz_checkpoint(context, "gathering edges", "bytes", cursor.offset, cursor.end);
    }
    gz_spill_cursor_close(&cursor);
    return status;
}

// One of the two streams: the record at hand, and its edge as one number.
typedef struct edge_stream {
    gz_sorter *from;
    uint32_t record_bytes;
    const uint8_t *record;
    uint64_t left; // with the one at hand
    uint64_t edge; // AT_END behind the last
} edge_stream;

static inline graze_status step(edge_stream *stream)
{
    if (stream->left > 1) {
        stream->left--;
        stream->record += stream->record_bytes;
    } else {
        graze_status status = gz_sorter_next(stream->from, &stream->record, &stream->left);
        if (status != GRAZE_OK)
            return status;
    }
    stream->edge = stream->left == 0 ? AT_END : gz_get_number(stream->record, 2 * PLACE_BYTES);
    return GRAZE_OK;
}

// What is known of the edge at hand.
typedef struct edge_tally {
    uint64_t count, upward;
} edge_tally;

static inline void tally(edge_tally *edge, const edge_stream *stream)
{
    uint32_t direction = stream->record[stream->record_bytes - 1];
    edge->count += direction != NO_EDGES;
    edge->upward += direction == 1;
}

typedef struct mark_list {
    gz_spill *to;
    uint64_t last; // the place marked last: neighbours in the list are often the same
} mark_list;

static graze_status judge(edge_tally edge, uint64_t low, mark_list *marks, gz_edges_result *result)
{
    if (edge.count == 0 || (edge.count == 2 && edge.upward == 1))
        return GRAZE_OK;
    result->open += edge.count == 1;
    result->misoriented += edge.count == 2;
    result->nonmanifold += edge.count > 2;
    if (marks->last == low)
        return GRAZE_OK;
    marks->last = low;
    gz_part_mark mark = {(uint32_t)low, GZ_PART_OPEN};
    return gz_spill_append(marks->to, &mark, sizeof mark);
}

static graze_status match(edge_stream *triangles, edge_stream *edges, gz_spill *marks,
                          gz_edges_result *result)
{
    uint8_t last[3 * PLACE_BYTES];
    bool any = false;
    mark_list list = {.to = marks, .last = AT_END};
    graze_status status = step(triangles);
    if (status == GRAZE_OK)
        status = step(edges);
    while (status == GRAZE_OK && (triangles->edge != AT_END || edges->edge != AT_END)) {
        uint64_t edge = triangles->edge < edges->edge ? triangles->edge : edges->edge;
        edge_tally found = {0};
        while (triangles->edge == edge && status == GRAZE_OK) {
            result->duplicates += any && memcmp(last, triangles->record, sizeof last) == 0;
            memcpy(last, triangles->record, sizeof last);
            any = true;
            tally(&found, triangles);
            status = step(triangles);
        }
        while (edges->edge == edge && status == GRAZE_OK) {
            tally(&found, edges);
            status = step(edges);
        }
        if (status == GRAZE_OK)
            status = judge(found, edge >> 32, &list, result);
    }
    return status;
}

graze_status gz_edges_count(graze_context *context, const gz_edges_def *def,
                            gz_edges_result *result)
{
    *result = (gz_edges_result){0};
    gz_sorter *triangles = NULL, *edges = NULL;
    gz_sorter_def order = {.fan_bits = def->fan_bits};
    order.zero_bits = gz_index_zero_bits(def->place_limit) - 8 * (GZ_INDEX_BYTES - PLACE_BYTES);
    order.record_bytes = TRIANGLE_BYTES;
    order.memory_bytes = def->triangle_bytes;
    graze_status status = gz_sorter_open(context, &order, &triangles);
    order.stage = "matching edges"; // one of the two reports for both
    order.record_bytes = EDGE_BYTES;
    order.memory_bytes = def->edge_bytes;
    if (status == GRAZE_OK)
        status = gz_sorter_open(context, &order, &edges);
    if (status == GRAZE_OK)
        status = push_triangles(context, def, triangles, edges);
    edge_stream by_triangle = {.from = triangles, .record_bytes = TRIANGLE_BYTES};
    edge_stream by_edge = {.from = edges, .record_bytes = EDGE_BYTES};
    if (status == GRAZE_OK)
        status = match(&by_triangle, &by_edge, def->marks, result);
    result->on_disk = (triangles != NULL && gz_sorter_on_disk(triangles)) ||
                      (edges != NULL && gz_sorter_on_disk(edges));
    gz_sorter_close(triangles);
    gz_sorter_close(edges);
    return status;
}
