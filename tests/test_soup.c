// Triangles put aside and sorted along the curve: all of them, as flattening numbers and places
// them, in the same order for every share of memory; and cut into buckets and clusters of
// neighbours.
#include "test.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/context.h"
#include "model/decompose.h"
#include "model/soup.h"

#define VERTICES  400
#define TRIANGLES 3000

// A soup with objects out of order, instances, and empty objects within others.
typedef struct scene {
    float positions[3 * VERTICES];
    uint32_t corners[3 * TRIANGLES];
    graze_object objects[12];
    graze_mesh_view view;
} scene;

static void add_object(scene *s, uint64_t first, uint64_t count, double shift)
{
    graze_object *object = &s->objects[s->view.object_count++];
    *object = (graze_object){.name = "thing",
                             .group = "all",
                             .first_triangle = first,
                             .triangle_count = count,
                             .matrix = {1, 0, 0, shift, 0, 1, 0, 0, 0, 0, 1, 0},
                             .placed = shift != 0};
}

static void make_scene(scene *s, uint64_t seed, bool placed)
{
    test_random random = {.state = seed};
    memset(s, 0, sizeof *s);
    s->view = (graze_mesh_view){.precision = GRAZE_FLOAT32,
                                .vertex_count = VERTICES,
                                .triangle_count = TRIANGLES,
                                .positions = s->positions,
                                .corners = s->corners,
                                .objects = s->objects};
    for (int i = 0; i < 3 * VERTICES; ++i)
        s->positions[i] = (float)test_unit(&random);
    for (int i = 0; i < 3 * TRIANGLES; ++i) // the last vertex is far away, and nobody's
        s->corners[i] = (uint32_t)(test_next(&random) % (VERTICES - 1));
    for (int i = 0; i < 3; ++i)
        s->positions[3 * VERTICES - 3 + i] = seed % 2 == 0 ? 1e6f : 0.5f;
    add_object(s, 2000, 1000, 0);
    add_object(s, 5, 0, 0);
    add_object(s, 0, 1500, placed ? 0.25 : 0);
    add_object(s, 1500, 500, 0);
    add_object(s, 2000, 1000, placed ? -3 : 0);
    add_object(s, 2000, 0, 0);
    add_object(s, TRIANGLES, 0, 0);
}

static void feed(const scene *s, gz_soup *soup)
{
    graze_mesh_sink sink = gz_soup_sink(soup);
    graze_mesh_header header = {.precision = GRAZE_FLOAT32, .encoding = "own"};
    graze_mesh_losses losses = {0};
    uint64_t corners[3 * 100];
    assert_int_equal(sink.begin(soup, &header), GRAZE_OK);
    assert_int_equal(sink.vertices(soup, s->positions, VERTICES), GRAZE_OK);
    for (uint64_t t = 0; t < TRIANGLES; t += 100) {
        for (uint64_t i = 0; i < 300; ++i)
            corners[i] = s->corners[3 * t + i];
        assert_int_equal(sink.triangles(soup, corners, 100), GRAZE_OK);
    }
    for (uint64_t i = 0; i < s->view.object_count; ++i)
        assert_int_equal(sink.object(soup, &s->objects[i]), GRAZE_OK);
    assert_int_equal(sink.end(soup, &losses), GRAZE_OK);
}

// All records in their order. test_free ends them.
static uint8_t *sort_scene(graze_context *context, const scene *s, uint64_t memory, uint64_t *count,
                           graze_precision *precision, bool *on_disk)
{
    gz_soup soup;
    gz_sorter *sorter = NULL;
    gz_soup_init(context, memory, &soup);
    feed(s, &soup);
    assert_int_equal(gz_soup_sort(&soup, &sorter), GRAZE_OK);
    uint32_t bytes = gz_soup_record_bytes(soup.precision);
    uint8_t *all = test_malloc((size_t)soup.triangle_count * bytes);
    *count = 0;
    *on_disk = gz_sorter_on_disk(sorter);
    for (;;) {
        const uint8_t *some = NULL;
        uint64_t found = 0;
        assert_int_equal(gz_sorter_next(sorter, &some, &found), GRAZE_OK);
        if (found == 0)
            break;
        memcpy(all + *count * bytes, some, (size_t)(found * bytes));
        *count += found;
    }
    assert_int_equal(*count, soup.triangle_count);
    *precision = soup.precision;
    gz_sorter_close(sorter);
    gz_soup_free(&soup);
    return all;
}

static void check_records(graze_context *context, const scene *s, const uint8_t *all,
                          uint64_t count, graze_precision precision)
{
    graze_mesh *mesh = NULL;
    assert_int_equal(graze_mesh_flatten(context, &s->view, &mesh), GRAZE_OK);
    graze_mesh_view flat = graze_mesh_get(mesh);
    uint32_t bytes = gz_soup_record_bytes(precision);
    bool *seen = test_calloc((size_t)count, sizeof *seen);
    assert_int_equal(count, flat.triangle_count);
    assert_int_equal(precision, flat.precision);
    uint64_t last = 0, distinct = 0;
    for (uint64_t i = 0; i < count; ++i) {
        const uint8_t *record = all + i * bytes;
        uint64_t place = gz_get_u64(record, true);
        uint32_t number = gz_get_u32(record + 8, true);
        assert_true(place >= last && number < count && !seen[number]);
        distinct += place != last;
        last = place;
        seen[number] = true;
        for (uint32_t c = 0; c < 9; ++c) {
            double expected[3], got;
            float narrow;
            graze_mesh_view_corner(&flat, number, c / 3, expected);
            memcpy(&got, record + 12 + 8 * c, precision == GRAZE_FLOAT64 ? 8 : 0);
            memcpy(&narrow, record + 12 + 4 * c, 4);
            got = precision == GRAZE_FLOAT64 ? got : (double)narrow;
            assert_memory_equal(&got, &expected[c % 3], sizeof got);
        }
    }
    assert_true(distinct > TRIANGLES * 9 / 10); // a far vertex does not spoil the curve
    test_free(seen);
    graze_mesh_free(mesh);
}

static void all_triangles_are_sorted(void **state)
{
    (void)state;
    static scene s;
    graze_context *context = test_context(NULL);
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        uint64_t counts[2];
        graze_precision precisions[2];
        bool on_disk[2];
        make_scene(&s, seed, seed % 4 < 2);
        uint8_t *large =
            sort_scene(context, &s, 64u << 20, &counts[0], &precisions[0], &on_disk[0]);
        uint8_t *small = sort_scene(context, &s, 1u << 17, &counts[1], &precisions[1], &on_disk[1]);
        assert_true(!on_disk[0] && on_disk[1]);
        assert_int_equal(precisions[0], seed % 4 < 2 ? GRAZE_FLOAT64 : GRAZE_FLOAT32);
        assert_int_equal(counts[0], counts[1]);
        assert_memory_equal(large, small, counts[0] * gz_soup_record_bytes(precisions[0]));
        check_records(context, &s, large, counts[0], precisions[0]);
        test_free(large);
        test_free(small);
    }
    test_context_done(context);
}

static void matrices_that_lead_too_far(void **state)
{
    (void)state;
    static scene s;
    graze_context *context = test_context(NULL);
    make_scene(&s, 1, true);
    s.objects[2].matrix[0] = 1e308;
    s.objects[2].matrix[3] = 1.7e308;
    gz_soup soup;
    gz_sorter *sorter = NULL;
    gz_soup_init(context, 64u << 20, &soup);
    feed(&s, &soup);
    assert_int_equal(gz_soup_sort(&soup, &sorter), GRAZE_ERROR_FORMAT);
    assert_null(sorter);
    assert_non_null(strstr(test_last_error, "leads out of the range of double"));
    gz_soup_free(&soup);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_triangles_are_sorted),
        cmocka_unit_test(matrices_that_lead_too_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
