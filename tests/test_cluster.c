// Clusters and pages: gathered, written, read back; in the wrong place or of another model,
// refused.
#include "test.h"

#include <math.h>

#include "base/bytes.h"
#include "base/context.h"
#include "model/cluster.h"
#include "model/soup.h"

static uint8_t storage[GZ_CLUSTER_TRIANGLES][GZ_SOUP_KEY_BYTES + 72];
static const uint8_t *records[GZ_CLUSTER_TRIANGLES];
static gz_cluster made, read_back;

// Records of random triangles on few places, so that many share vertices; numbers in any order.
static void make_records(uint64_t seed, uint32_t count, graze_precision precision,
                         uint32_t number_limit)
{
    test_random random = {.state = seed};
    uint32_t places = 1 + (uint32_t)(test_next(&random) % (seed % 3 == 0 ? 4 : 3 * count));
    uint32_t step = number_limit / count, number = 0;
    for (uint32_t i = 0; i < count; ++i) {
        number += 1 + (uint32_t)(test_next(&random) % step);
        gz_put_u64(storage[i], test_next(&random), true);
        gz_put_u32(storage[i] + 8, number - 1, true);
        for (uint32_t c = 0; c < 9; ++c) {
            double wide = (double)(test_next(&random) % places) / 7 - 3;
            float narrow = (float)wide;
            if (precision == GRAZE_FLOAT64)
                memcpy(storage[i] + 12 + 8 * c, &wide, 8);
            else
                memcpy(storage[i] + 12 + 4 * c, &narrow, 4);
        }
        records[i] = storage[i];
    }
    for (uint32_t i = count - 1; i > 0; --i) {
        uint32_t j = (uint32_t)(test_next(&random) % (i + 1));
        const uint8_t *other = records[i];
        records[i] = records[j];
        records[j] = other;
    }
}

static const uint8_t *vertex(const gz_cluster *cluster, uint32_t v)
{
    return (const uint8_t *)&cluster->position + (uint64_t)v * 3 * cluster->precision;
}

// Against the records in their storage, which is in the order of numbers.
static void check_gathered(uint32_t count, graze_precision precision)
{
    uint32_t bytes = 3 * precision, next = 0;
    assert_int_equal(made.triangle_count, count);
    assert_int_equal(made.precision, precision);
    for (uint32_t i = 0; i < count; ++i) {
        assert_int_equal(made.number[i], gz_get_u32(storage[i] + 8, true));
        for (uint32_t c = 0; c < 3; ++c) {
            assert_true(made.corner[i][c] <= next && made.corner[i][c] < made.vertex_count);
            next += made.corner[i][c] == next;
            assert_memory_equal(vertex(&made, made.corner[i][c]), storage[i] + 12 + c * bytes,
                                bytes);
        }
    }
    assert_int_equal(next, made.vertex_count);
    for (uint32_t i = 0; i < made.vertex_count && made.vertex_count < 300; ++i)
        for (uint32_t j = 0; j < i; ++j)
            assert_memory_not_equal(vertex(&made, i), vertex(&made, j), bytes);
}

// With a recipe or without, the tree has all triangles, by their numbers in the mesh.
static void check_tree(graze_context *context, const gz_cluster *cluster)
{
    gz_tree tree;
    uint32_t found = 0;
    assert_int_equal(gz_cluster_make_tree(context, cluster, &tree), GRAZE_OK);
    for (uint32_t leaf = 0; leaf < tree.leaf_count; ++leaf)
        for (uint32_t i = 0; i < gz_tree_leaf_count(&tree, leaf); ++i, ++found) {
            uint32_t number = tree.order[gz_tree_leaf_first(&tree, leaf) + i], t = 0;
            graze_triangle triangle;
            while (t < cluster->triangle_count && cluster->number[t] != number)
                ++t;
            assert_true(t < cluster->triangle_count);
            gz_tree_triangle(&tree, leaf, i, &triangle);
            for (int k = 0; k < 9; ++k) {
                uint32_t v = cluster->corner[t][k / 3];
                assert_true(triangle.corner[k / 3][k % 3] ==
                            (cluster->precision == GRAZE_FLOAT32
                                 ? (double)cluster->position.narrow[v][k % 3]
                                 : cluster->position.wide[v][k % 3]));
            }
        }
    assert_int_equal(found, cluster->triangle_count);
    gz_tree_free(&tree);
}

// The spreads of leaves, which are not below what was found, and hardly above it.
static void keep_spreads(uint64_t seed)
{
    static const float forwards[] = {1, 0.1f, 3e-41f, 3e38f, HUGE_VALF, 0, 1e-45f};
    static double found[GZ_CLUSTER_TRIANGLES];
    static float spread[GZ_CLUSTER_TRIANGLES];
    test_random random = {.state = seed};
    float forward = forwards[seed % 7];
    uint32_t count = gz_cluster_leaf_count(&made);
    for (uint32_t i = 0; i < count; ++i) {
        double part = i % 3 == 0 ? (double)(test_next(&random) % 257) / 256 : test_unit(&random);
        part = i % 5 == 0 ? nextafter(part, i % 2) : part;
        found[i] = part == 0 ? 0 : fmin((double)forward, part * (double)forward);
    }
    gz_cluster_keep_spreads(&made, forward, found);
    assert_int_equal(made.spread_count, count);
    gz_cluster_spreads(&made, forward, spread);
    for (uint32_t i = 0; i < count; ++i) {
        assert_true((double)spread[i] >= found[i] && spread[i] <= forward);
        assert_true(!(forward < HUGE_VALF && forward > 1e-30f) ||
                    (double)spread[i] <= found[i] + (double)forward * (0x1p-8 + 0x1p-23));
    }
}

static void pages_come_back(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    gz_page_writer writer;
    gz_page_reader reader;
    gz_byte_list bytes = {0};
    uint32_t wide = 0; // pages whose leaves need two bytes
    assert_true(gz_page_writer_init(context, &writer) && gz_page_reader_init(context, &reader));
    for (uint64_t seed = 1; seed <= 120; ++seed) {
        uint32_t count = seed % 4 == 0   ? GZ_CLUSTER_TRIANGLES
                         : seed % 4 == 1 ? 1 + (uint32_t)seed % 5
                                         : 1 + (uint32_t)(seed * 37 % GZ_CLUSTER_TRIANGLES);
        graze_precision precision = seed % 2 == 0 ? GRAZE_FLOAT32 : GRAZE_FLOAT64;
        uint32_t limit = seed % 5 == 0 ? (UINT32_C(1) << 31) - 1 : seed % 5 == 1 ? count : 100000;
        make_records(seed, count, precision, limit);
        gz_cluster_gather(&made, precision, records, count);
        check_gathered(count, precision);
        assert_int_equal(made.step_count, 0);
        if (seed % 8 < 6)
            assert_int_equal(gz_cluster_keep_recipe(context, &made), GRAZE_OK);
        assert_int_equal(made.spread_count, 0);
        if (seed % 8 < 4)
            keep_spreads(seed);
        assert_true(gz_list_reserve(context, &bytes, 3));
        bytes.count = 3; // it appends
        assert_true(gz_cluster_write(&made, (uint32_t)seed, &writer, &bytes));
        const uint8_t *page = (const uint8_t *)bytes.items + 3;
        uint64_t size = bytes.count - 3;
        assert_true(size <= GZ_PAGE_MOST_BYTES);
        memset(&read_back, 0xcc, sizeof read_back);
        const char *wrong =
            gz_cluster_read(page, size, (uint32_t)seed, precision, limit, &reader, &read_back);
        if (wrong != NULL)
            fail_msg("seed %d: %s", (int)seed, wrong);
        assert_int_equal(read_back.triangle_count, count);
        assert_int_equal(read_back.vertex_count, made.vertex_count);
        assert_memory_equal(read_back.number, made.number, 4 * count);
        assert_memory_equal(read_back.corner, made.corner, 6 * count);
        assert_memory_equal(&read_back.position, &made.position,
                            made.vertex_count * 3 * (uint64_t)precision);
        assert_int_equal(read_back.step_count, made.step_count);
        assert_memory_equal(read_back.step, made.step, made.step_count);
        for (uint32_t i = 0; i < count && made.step_count != 0; ++i) {
            assert_int_equal(read_back.leaf[i], made.leaf[i]);
            wide += made.leaf[i] == 256;
        }
        assert_int_equal(read_back.spread_count, made.spread_count);
        assert_memory_equal(read_back.spread, made.spread, made.spread_count);
        check_tree(context, &read_back);
        graze_box a = gz_cluster_box(&made), b = gz_cluster_box(&read_back);
        assert_memory_equal(&a, &b, sizeof a);
        // Another number, another precision, fewer triangles than its numbers, one byte less.
        assert_non_null(
            gz_cluster_read(page, size, (uint32_t)seed + 1, precision, limit, &reader, &read_back));
        graze_precision other = precision == GRAZE_FLOAT32 ? GRAZE_FLOAT64 : GRAZE_FLOAT32;
        assert_non_null(
            gz_cluster_read(page, size, (uint32_t)seed, other, limit, &reader, &read_back));
        assert_non_null(gz_cluster_read(page, size, (uint32_t)seed, precision,
                                        made.number[count - 1], &reader, &read_back));
        assert_non_null(
            gz_cluster_read(page, size - 1, (uint32_t)seed, precision, limit, &reader, &read_back));
    }
    assert_true(wide > 0);
    gz_list_free(context, &bytes);
    gz_page_writer_free(&writer);
    gz_page_reader_free(&reader);
    test_context_done(context);
}

// The bytes of a page, as docs/format.md has them: one triangle, nothing packed.
static void a_page_is_what_the_format_says(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    gz_page_writer writer;
    gz_byte_list bytes = {0};
    static const float corners[9] = {1, 0, 0, 1, 2, 0, 1, 2, -3};
    assert_true(gz_page_writer_init(context, &writer));
    gz_put_u64(storage[0], 5, true);
    gz_put_u32(storage[0] + 8, 200, true);
    memcpy(storage[0] + 12, corners, sizeof corners);
    records[0] = storage[0];
    gz_cluster_gather(&made, GRAZE_FLOAT32, records, 1);
    assert_int_equal(gz_cluster_keep_recipe(context, &made), GRAZE_OK);
    gz_cluster_keep_spreads(&made, 1, &(double){0.25});
    assert_true(gz_cluster_write(&made, 0, &writer, &bytes));
    // 1 is 0xbf800000 in order, 0 is 0x80000000, 2 is 0xc0000000, -3 is 0x3fbfffff.
    static const uint8_t expected[] = {
        1, 0, 1, 0, 3,    0, 2, 0,    2,    0, 0,    0, 24 + 6 + 14 + 52 + 11 + 5,
        0, 0, 0,                                              // head, but for the checksum
        2, 0, 0, 0, 200,  1,                                  // number
        3, 0, 0, 0, 0,    0, 0,                               // corners: all new
        3, 0, 0, 0, 0,    0, 0,                               //
        9, 0, 0, 0, 0xff, 0, 0, 0xff, 0,    0, 0xff, 0, 0x01, // low bytes
        9, 0, 0, 0, 0xff, 0, 0, 0xff, 0,    0, 0xff, 0, 0,    //
        9, 0, 0, 0, 0xff, 0, 0, 0xff, 0,    0, 0xff, 0, 0x80, //
        9, 0, 0, 0, 0x80, 0, 0, 0xff, 0x80, 0, 0xff, 0, 0x80, //
        2, 0, 0, 0, 1,    0,                                  // a node with one child, a leaf
        1, 0, 0, 0, 0,                                        // where the triangle is
        1, 0, 0, 0, 63,                                       // 64 parts of 256
    };
    const uint8_t *page = bytes.items;
    assert_int_equal(bytes.count, sizeof expected + 8);
    assert_memory_equal(page, expected, 16);
    assert_memory_equal(page + 24, expected + 16, sizeof expected - 16);
    gz_list_free(context, &bytes);
    gz_page_writer_free(&writer);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_come_back),
        cmocka_unit_test(a_page_is_what_the_format_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
