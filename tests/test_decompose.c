// Buckets and clusters: every triangle once, none too large, neighbours together; where buckets are
// cut depends on the triangles only.
#include "test.h"

#include <stdbool.h>

#include "base/bytes.h"
#include "base/context.h"
#include "model/decompose.h"

enum { BYTES = GZ_SOUP_KEY_BYTES + 36 };

// Records with these places on the curve; the number is the order.
static gz_sorter *make_sorter(graze_context *context, uint32_t count,
                              uint64_t (*place)(uint32_t index))
{
    gz_sorter *sorter = NULL;
    gz_sorter_def def = {.record_bytes = BYTES, .zero_bits = 1, .memory_bytes = 64u << 20};
    assert_int_equal(gz_sorter_open(context, &def, &sorter), GRAZE_OK);
    for (uint32_t i = 0; i < count; ++i) {
        uint8_t record[BYTES] = {0};
        gz_put_u64(record, place(i), true);
        gz_put_u32(record + 8, i, true);
        assert_int_equal(gz_sorter_push(sorter, record, 1), GRAZE_OK);
    }
    return sorter;
}

static uint64_t all_equal(uint32_t index) { return 7 + 0 * index; }
static uint64_t each_its_own(uint32_t index) { return index; }
static uint64_t one_step(uint32_t index) { return index < 40000 ? 5 : UINT64_C(1) << 60; }

static void buckets_hold_all(void **state)
{
    (void)state;
    static const struct {
        uint32_t count;
        uint64_t (*place)(uint32_t index);
        uint32_t first; // size of the first bucket
    } rows[] = {
        {0, all_equal, 0},
        {1, all_equal, 1},
        {GZ_BUCKET_MOST, all_equal, GZ_BUCKET_MOST},
        {GZ_BUCKET_MOST + 1, all_equal, GZ_BUCKET_LEAST},
        {300000, each_its_own, GZ_BUCKET_MOST}, // there the highest bit changes
        {100000, one_step, 40000},
        {GZ_BUCKET_MOST + 1, one_step, 40000},
        {200000, all_equal, GZ_BUCKET_LEAST},
    };
    graze_context *context = test_context(NULL);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        gz_sorter *sorter = make_sorter(context, rows[r].count, rows[r].place);
        gz_bucket_stream stream;
        gz_bucket bucket = {gz_allocate(context, (uint64_t)GZ_BUCKET_ROOM * BYTES), 0};
        assert_int_equal(gz_bucket_stream_open(context, sorter, &stream), GRAZE_OK);
        uint32_t next = 0;
        for (int first = 1;; first = 0) {
            assert_int_equal(gz_bucket_stream_next(&stream, &bucket), GRAZE_OK);
            if (first)
                assert_int_equal(bucket.count, rows[r].first);
            assert_true(bucket.count <= GZ_BUCKET_MOST);
            if (next + bucket.count < rows[r].count)
                assert_true(bucket.count >= GZ_BUCKET_LEAST);
            for (uint32_t i = 0; i < bucket.count; ++i)
                assert_int_equal(gz_get_u32(bucket.records + (uint64_t)i * BYTES + 8, true),
                                 next + i);
            next += bucket.count;
            if (bucket.count == 0)
                break;
        }
        assert_int_equal(next, rows[r].count);
        gz_bucket_stream_close(context, &stream);
        gz_release(context, bucket.records, (uint64_t)GZ_BUCKET_ROOM * BYTES);
        gz_sorter_close(sorter);
    }
    test_context_done(context);
}

// Small triangles at random places of a flat box; all the same if `same`.
static void fill(gz_bucket *bucket, uint32_t count, bool same, uint64_t seed)
{
    test_random random = {.state = seed};
    bucket->count = count;
    for (uint32_t i = 0; i < count; ++i) {
        float place[3] = {(float)test_unit(&random), 4 * (float)test_unit(&random),
                          0.01f * (float)test_unit(&random)};
        for (uint32_t c = 0; c < 9; ++c) {
            float x = same ? 1 : place[c % 3] + (float)(c == 4) * 1e-4f;
            memcpy(bucket->records + (uint64_t)i * BYTES + 12 + 4 * c, &x, 4);
        }
    }
}

static double cluster_area(const gz_bucket *bucket, const gz_bucket_cut *cut, uint32_t cluster)
{
    float low[2] = {10, 10}, high[2] = {-10, -10};
    for (uint32_t i = cut->first[cluster]; i < cut->first[cluster + 1]; ++i)
        for (uint32_t axis = 0; axis < 2; ++axis) {
            float x;
            memcpy(&x, bucket->records + (uint64_t)cut->order[0][i] * BYTES + 12 + 4 * axis, 4);
            low[axis] = x < low[axis] ? x : low[axis];
            high[axis] = x > high[axis] ? x : high[axis];
        }
    return (double)(high[0] - low[0]) * (double)(high[1] - low[1]);
}

static void clusters_are_compact(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 1024, 1025, 5000, 40000, GZ_BUCKET_MOST};
    graze_context *context = test_context(NULL);
    gz_bucket bucket = {gz_allocate(context, (uint64_t)GZ_BUCKET_ROOM * BYTES), 0};
    gz_bucket_cut *cut = gz_allocate(context, sizeof *cut);
    uint8_t *seen = gz_allocate(context, GZ_BUCKET_MOST);
    for (size_t k = 0; k < 2 * sizeof counts / sizeof *counts; ++k) {
        uint32_t count = counts[k / 2];
        fill(&bucket, count, k % 2 == 1, k);
        uint32_t limit = k % 3 == 2 ? 100 : GZ_CLUSTER_TRIANGLES;
        gz_bucket_split(&bucket, GRAZE_FLOAT32, limit, cut);
        assert_int_equal(cut->cluster_count, (count + limit - 1) / limit);
        assert_int_equal(cut->cluster_count, gz_bucket_clusters(count, limit));
        assert_int_equal(cut->first[0], 0);
        assert_int_equal(cut->first[cut->cluster_count], count);
        memset(seen, 0, GZ_BUCKET_MOST);
        double area = 0;
        for (uint32_t c = 0; c < cut->cluster_count; ++c) {
            uint32_t size = cut->first[c + 1] - cut->first[c];
            assert_in_range(size, 1, limit);
            area += cluster_area(&bucket, cut, c);
        }
        for (uint32_t i = 0; i < count; ++i) {
            assert_true(cut->order[0][i] < count && seen[cut->order[0][i]] == 0);
            seen[cut->order[0][i]] = 1;
        }
        assert_true(area <= 4.0); // hardly any of them overlap
    }
    gz_release(context, seen, GZ_BUCKET_MOST);
    gz_release(context, cut, sizeof *cut);
    gz_release(context, bucket.records, (uint64_t)GZ_BUCKET_ROOM * BYTES);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_hold_all),
        cmocka_unit_test(clusters_are_compact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
