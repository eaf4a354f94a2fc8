// Cuts a stream of triangles into buckets, and buckets into clusters. See decompose.h.
#include "model/decompose.h"

#include <string.h>

#include "base/bytes.h"
#include "base/context.h"
#include "base/sort.h"

graze_status gz_bucket_stream_open(graze_context *context, gz_sorter *sorter,
                                   gz_bucket_stream *stream)
{
    *stream = (gz_bucket_stream){.sorter = sorter, .record_bytes = gz_sorter_record_bytes(sorter)};
    stream->rest.records = gz_allocate(context, (uint64_t)GZ_BUCKET_ROOM * stream->record_bytes);
    if (stream->rest.records == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory for a bucket of triangles");
    return GRAZE_OK;
}

void gz_bucket_stream_close(graze_context *context, gz_bucket_stream *stream)
{
    gz_release(context, stream->rest.records, (uint64_t)GZ_BUCKET_ROOM * stream->record_bytes);
    *stream = (gz_bucket_stream){0};
}

static graze_status fill_rest(gz_bucket_stream *stream)
{
    while (stream->rest.count <= GZ_BUCKET_MOST && !stream->ended) {
        if (stream->left == 0) {
            graze_status status = gz_sorter_next(stream->sorter, &stream->next, &stream->left);
            if (status != GRAZE_OK)
                return status;
            stream->ended = stream->left == 0;
        }
        uint64_t room = GZ_BUCKET_MOST + 1 - stream->rest.count;
        uint64_t some = stream->left < room ? stream->left : room;
        if (some == 0)
            continue;
        memcpy(stream->rest.records + (uint64_t)stream->rest.count * stream->record_bytes,
               stream->next, (size_t)(some * stream->record_bytes));
        stream->next += some * stream->record_bytes;
        stream->left -= some;
        stream->rest.count += (uint32_t)some;
    }
    return GRAZE_OK;
}

// Where the curve crosses the border of the largest cell: there the highest bit changes.
static uint32_t find_cut(const gz_bucket_stream *stream)
{
    const gz_bucket *rest = &stream->rest;
    if (rest->count <= GZ_BUCKET_MOST)
        return rest->count;
    uint32_t best = GZ_BUCKET_LEAST;
    int highest = -1;
    uint64_t before =
        gz_get_u64(rest->records + (GZ_BUCKET_LEAST - 1) * (uint64_t)stream->record_bytes, true);
    for (uint32_t i = GZ_BUCKET_LEAST; i <= GZ_BUCKET_MOST; ++i) {
        const uint8_t *at = rest->records + (uint64_t)i * stream->record_bytes;
        uint64_t place = gz_get_u64(at, true), change = place ^ before;
        before = place;
        int bit = change == 0 ? -1 : 63 - __builtin_clzll(change);
        if (bit > highest) {
            highest = bit;
            best = i;
        }
    }
    return best;
}

graze_status gz_bucket_stream_next(gz_bucket_stream *stream, gz_bucket *bucket)
{
    graze_status status = fill_rest(stream);
    bucket->count = 0;
    if (status != GRAZE_OK)
        return status;
    gz_bucket *rest = &stream->rest;
    uint32_t count = find_cut(stream);
    uint8_t *handed_out = rest->records;
    rest->records = bucket->records;
    rest->count -= count;
    *bucket = (gz_bucket){handed_out, count};
    memcpy(rest->records, handed_out + (uint64_t)count * stream->record_bytes,
           (size_t)((uint64_t)rest->count * stream->record_bytes));
    return GRAZE_OK;
}

static void find_middles(const gz_bucket *bucket, graze_precision precision, gz_bucket_cut *cut)
{
    uint64_t record_bytes = gz_soup_record_bytes(precision);
    for (uint32_t i = 0; i < bucket->count; ++i) {
        const uint8_t *at = bucket->records + i * record_bytes + GZ_SOUP_KEY_BYTES;
        double p[9];
        for (int k = 0; k < 9; ++k) {
            float narrow;
            if (precision == GRAZE_FLOAT64) {
                memcpy(&p[k], at + 8 * k, 8);
            } else {
                memcpy(&narrow, at + 4 * k, 4);
                p[k] = (double)narrow;
            }
        }
        for (int axis = 0; axis < 3; ++axis)
            cut->middle[axis][i] =
                (float)(p[axis] / 4 + p[3 + axis] / 4 + p[6 + axis] / 4); // whatever the scale
    }
}

// Places in the order of one coordinate of the middles, equal ones in the order of the curve.
static void sort_axis(gz_bucket_cut *cut, uint32_t count, int axis)
{
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t bits;
        float x = cut->middle[axis][i] + 0; // -0 and 0 are one
        memcpy(&bits, &x, sizeof bits);
        bits = (bits >> 31) != 0 ? ~bits : bits | UINT32_C(1) << 31;
        gz_put_u64(cut->keys[0][i], (uint64_t)bits << 32 | i, true);
    }
    gz_sort_records(NULL, cut->keys[0], count, sizeof cut->keys[0][0], 0,
                    gz_arena_over(cut->keys[1], sizeof cut->keys[1]));
    for (uint32_t i = 0; i < count; ++i)
        cut->order[axis][i] = gz_get_u32(cut->keys[0][i] + 4, true);
}

static int longest_axis(const gz_bucket_cut *cut, uint32_t first, uint32_t end)
{
    int longest = 0;
    float most = -1;
    for (int axis = 0; axis < 3; ++axis) {
        const uint32_t *order = cut->order[axis];
        float extent = cut->middle[axis][order[end - 1]] - cut->middle[axis][order[first]];
        if (extent > most) {
            most = extent;
            longest = axis;
        }
    }
    return longest;
}

// Brings those below the cut to the front, and keeps the order within both parts.
static void part_order(gz_bucket_cut *cut, int axis, uint32_t first, uint32_t end)
{
    uint32_t *order = cut->order[axis], *spare = cut->spare, kept = first, moved = 0;
    for (uint32_t i = first; i < end; ++i) {
        if (cut->below[order[i]] != 0)
            order[kept++] = order[i];
        else
            spare[moved++] = order[i];
    }
    memcpy(order + kept, spare, moved * sizeof *spare);
}

// Makes `parts` clusters of the places from first to end. Counts stay in proportion, so that none
// gets more than fit.
static void split_range(gz_bucket_cut *cut, uint32_t first, uint32_t end, uint32_t parts)
{
    if (parts <= 1) {
        cut->first[cut->cluster_count++] = first;
        return;
    }
    int axis = longest_axis(cut, first, end);
    uint32_t half = parts / 2;
    uint32_t middle = first + (uint32_t)((uint64_t)(end - first) * half / parts);
    for (uint32_t i = first; i < end; ++i)
        cut->below[cut->order[axis][i]] = i < middle;
    for (int other = 0; other < 3; ++other)
        if (other != axis)
            part_order(cut, other, first, end);
    split_range(cut, first, middle, half);
    split_range(cut, middle, end, parts - half);
}

uint32_t gz_bucket_clusters(uint32_t count, uint32_t limit) { return (count + limit - 1) / limit; }

void gz_bucket_split(const gz_bucket *bucket, graze_precision precision, uint32_t limit,
                     gz_bucket_cut *cut)
{
    uint32_t count = bucket->count;
    find_middles(bucket, precision, cut);
    for (int axis = 0; axis < 3; ++axis)
        sort_axis(cut, count, axis);
    cut->cluster_count = 0;
    split_range(cut, 0, count, gz_bucket_clusters(count, limit));
    cut->first[cut->cluster_count] = count;
}
