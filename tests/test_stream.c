// The stream: batches, order, vertices to come, what is not finite, objects.
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "mesh/stream.h"
#include "record.h"

static gz_stream *open_stream(graze_context *context, record *r, graze_precision precision,
                              bool polygons)
{
    graze_mesh_sink sink = record_sink(r);
    gz_stream *stream = NULL;
    assert_int_equal(gz_stream_open(context, "x.ply", &sink, &stream), GRAZE_OK);
    graze_mesh_header header = {
        .format = GRAZE_FORMAT_PLY, .precision = precision, .encoding = "ASCII"};
    assert_int_equal(gz_stream_begin(stream, &header, polygons), GRAZE_OK);
    return stream;
}

static void finish_stream(gz_stream *stream)
{
    assert_int_equal(gz_stream_end(stream), GRAZE_OK);
    gz_stream_close(stream);
}

static void batches_come_through_in_order(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        test_random random = {seed};
        record r = {0};
        gz_stream *stream = open_stream(context, &r, GRAZE_FLOAT32, false);
        float vertices[30000];
        uint64_t corners[30000];
        uint64_t vertex_count = 0, triangle_count = 0, sum = 0;
        for (int step = 0; step < 40; ++step) {
            uint64_t count = test_next(&random) % (step % 4 == 0 ? 10000 : 10);
            for (uint64_t i = 0; i < 3 * count; ++i)
                vertices[i] = (float)(3 * vertex_count + i);
            assert_int_equal(gz_stream_vertices(stream, vertices, count), GRAZE_OK);
            vertex_count += count;
            count = vertex_count == 0 ? 0 : test_next(&random) % (step % 5 == 0 ? 10000 : 10);
            for (uint64_t i = 0; i < 3 * count; ++i) {
                corners[i] = test_next(&random) % vertex_count;
                sum = sum * 31 + corners[i];
            }
            assert_int_equal(gz_stream_triangles(stream, corners, count, 0), GRAZE_OK);
            triangle_count += count;
            assert_int_equal(gz_stream_triangle_count(stream), triangle_count);
            assert_int_equal(gz_stream_vertex_count(stream), vertex_count);
        }
        finish_stream(stream);
        assert_int_equal(r.vertex_count, vertex_count);
        assert_int_equal(r.triangle_count, triangle_count);
        for (uint64_t i = 0; i < 3 * vertex_count; ++i)
            assert_true(r.positions[i] == (double)i);
        uint64_t again = 0;
        for (uint64_t i = 0; i < 3 * triangle_count; ++i)
            again = again * 31 + r.corners[i];
        assert_int_equal(again, sum);
        assert_int_equal(r.object_count, 1);
        assert_string_equal(r.objects[0].name, "");
        assert_int_equal(r.objects[0].object.triangle_count, triangle_count);
        record_free(&r);
    }
    test_context_done(context);
}

static const double square[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};

static void numbers_out_of_range_fail_with_their_place(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (int done = 0; done < 2; ++done)
        for (int face = 0; face < 2; ++face) {
            record r = {0};
            gz_stream *stream = open_stream(context, &r, GRAZE_FLOAT64, true);
            assert_int_equal(gz_stream_vertices(stream, square, 4), GRAZE_OK);
            if (done)
                assert_int_equal(gz_stream_vertices_done(stream), GRAZE_OK);
            uint64_t good[3] = {0, 1, 2}, bad[4] = {0, 1, 17, 2};
            assert_int_equal(gz_stream_triangles(stream, good, 1, 100), GRAZE_OK);
            graze_status status = face ? gz_stream_face(stream, bad, 4, 312)
                                       : gz_stream_triangles(stream, bad, 1, 312);
            assert_int_equal(status, done ? GRAZE_ERROR_FORMAT : GRAZE_OK);
            if (!done) {
                assert_int_equal(gz_stream_triangles(stream, good, 1, 100), GRAZE_OK);
                assert_int_equal(gz_stream_end(stream), GRAZE_ERROR_FORMAT);
            }
            assert_string_equal(test_last_error, "x.ply: byte 312: triangle names vertex 17, but "
                                                 "there are only 4");
            assert_int_equal(r.ended, 0);
            gz_stream_close(stream);
            record_free(&r);
        }
    test_context_done(context);
}

static void what_names_later_vertices_waits_in_order(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    record r = {0};
    gz_stream *stream = open_stream(context, &r, GRAZE_FLOAT64, true);
    uint64_t a[3] = {0, 1, 2}, b[3] = {1, 2, 3}, quad[4] = {4, 5, 6, 7};
    assert_int_equal(gz_stream_vertices(stream, square, 3), GRAZE_OK);
    assert_int_equal(gz_stream_start_object(stream, "first", "g"), GRAZE_OK);
    assert_int_equal(gz_stream_triangles(stream, a, 1, 1), GRAZE_OK);
    assert_int_equal(gz_stream_triangles(stream, b, 1, 2), GRAZE_OK); // 3 is to come
    assert_int_equal(gz_stream_start_object(stream, "second", ""), GRAZE_OK);
    assert_int_equal(gz_stream_triangles(stream, a, 1, 3), GRAZE_OK); // waits as well
    assert_int_equal(gz_stream_triangle_count(stream), 3);
    assert_int_equal(gz_stream_vertices(stream, square[3], 1), GRAZE_OK);
    assert_int_equal(gz_stream_triangle_count(stream), 3);
    assert_int_equal(gz_stream_face(stream, quad, 4, 4), GRAZE_OK); // 4 to 7 are to come
    assert_int_equal(gz_stream_start_object(stream, "third", ""), GRAZE_OK);
    assert_int_equal(gz_stream_triangles(stream, b, 1, 5), GRAZE_OK);
    assert_int_equal(gz_stream_vertices(stream, square, 4), GRAZE_OK);
    finish_stream(stream);
    const uint64_t expected[] = {0, 1, 2, 1, 2, 3, 0, 1, 2, 4, 5, 6, 4, 6, 7, 1, 2, 3};
    record_check_triangles(&r, 6, expected);
    assert_int_equal(r.object_count, 3);
    const char *names[] = {"first", "second", "third"};
    const uint64_t firsts[] = {0, 2, 5}, counts[] = {2, 3, 1};
    for (int i = 0; i < 3; ++i) {
        assert_string_equal(r.objects[i].name, names[i]);
        assert_int_equal(r.objects[i].object.first_triangle, firsts[i]);
        assert_int_equal(r.objects[i].object.triangle_count, counts[i]);
    }
    assert_string_equal(r.objects[0].group, "g");
    record_free(&r);
    test_context_done(context);
}

// All faces before all vertices, more than is kept in memory.
static void a_million_triangles_wait_on_disk(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    record r = {.without_position = 1};
    gz_stream *stream = open_stream(context, &r, GRAZE_FLOAT32, true);
    enum { VERTICES = 1500000, FACES = 1000000 };
    for (uint64_t i = 0; i < FACES; ++i) {
        uint64_t v = i * 7919 % (VERTICES - 2);
        uint64_t corners[4] = {v, v + 1, v + 2, (v + 77777) % VERTICES};
        assert_int_equal(gz_stream_face(stream, corners, 3 + (i % 16 == 0), i), GRAZE_OK);
    }
    assert_true(graze_context_memory(context).peak_bytes < 40u << 20);
    for (uint64_t i = 0; i < VERTICES; ++i) {
        float vertex[3] = {(float)(i % 1000), (float)(i / 1000), 0};
        assert_int_equal(gz_stream_vertices(stream, vertex, 1), GRAZE_OK);
    }
    assert_int_equal(gz_stream_end(stream), GRAZE_OK);
    assert_true(graze_context_memory(context).peak_bytes < 64u << 20);
    gz_stream_close(stream);
    assert_int_equal(r.triangle_count, FACES + FACES / 16);
    uint64_t next = 0;
    for (uint64_t i = 0; i < FACES; ++i) {
        uint64_t v = i * 7919 % (VERTICES - 2);
        assert_true(r.corners[3 * next] == v || i % 16 == 0);
        next += 1 + (i % 16 == 0);
    }
    record_free(&r);
    test_context_done(context);
}

static void triangles_that_are_not_finite_are_dropped(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (int narrow = 0; narrow < 2; ++narrow) {
        record r = {0};
        gz_stream *stream = open_stream(context, &r, narrow ? GRAZE_FLOAT32 : GRAZE_FLOAT64, true);
        uint64_t bad = 0;
        for (uint64_t i = 0; i < 10000; ++i) {
            double x = i % 1000 == 77 ? (i % 2000 == 77 ? INFINITY : NAN) : (double)i;
            double wide[3] = {i % 3 == 0 ? x : 0, i % 3 == 1 ? x : 0, i % 3 == 2 ? x : 0};
            float floats[3] = {(float)wide[0], (float)wide[1], (float)wide[2]};
            const void *vertex = narrow ? (const void *)floats : (const void *)wide;
            assert_int_equal(gz_stream_vertices(stream, vertex, 1), GRAZE_OK);
            bad += i % 1000 == 77;
        }
        for (uint64_t i = 0; i + 3 < 10000; ++i) {
            uint64_t corners[4] = {i, i + 1, i + 2, i + 3};
            assert_int_equal(gz_stream_triangles(stream, corners, 1, 0), GRAZE_OK);
        }
        uint64_t quad[4] = {76, 77, 78, 79}, pair[2] = {1, 2};
        assert_int_equal(gz_stream_face(stream, quad, 4, 0), GRAZE_OK);
        assert_int_equal(gz_stream_face(stream, pair, 2, 0), GRAZE_OK);
        assert_int_equal(gz_stream_face(stream, pair, 0, 0), GRAZE_OK);
        gz_stream_count_other(stream, 5);
        finish_stream(stream);
        assert_int_equal(r.vertex_count, 10000);
        assert_int_equal(r.triangle_count, 9997 - 3 * bad);
        for (uint64_t i = 0; i < 3 * r.triangle_count; ++i)
            assert_int_not_equal(r.corners[i] % 1000, 77);
        assert_int_equal(r.losses.nonfinite_vertices, bad);
        assert_int_equal(r.losses.nonfinite_triangles, 3 * bad + 2);
        assert_int_equal(r.losses.polygons, 1);
        assert_int_equal(r.losses.empty_polygons, 2);
        assert_int_equal(r.losses.other_primitives, 5);
        record_free(&r);
    }
    test_context_done(context);
}

// The set of vertices that are not finite ends with the last of them.
static void the_last_one_counts(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (uint64_t bad = 0; bad < 200; ++bad) {
        record r = {0};
        gz_stream *stream = open_stream(context, &r, GRAZE_FLOAT64, false);
        for (uint64_t i = 0; i < 200; ++i) {
            double vertex[3] = {0, i == bad ? NAN : 1, 0};
            assert_int_equal(gz_stream_vertices(stream, vertex, 1), GRAZE_OK);
        }
        uint64_t corners[6] = {bad, (bad + 1) % 200, (bad + 2) % 200, 0, 0, 0};
        corners[3] = corners[4] = corners[5] = (bad + 199) % 200;
        assert_int_equal(gz_stream_triangles(stream, corners, 2, 0), GRAZE_OK);
        finish_stream(stream);
        record_check_triangles(&r, 1, corners + 3);
        assert_int_equal(r.losses.nonfinite_triangles, 1);
        record_free(&r);
    }
    test_context_done(context);
}

static void empty_objects_vanish(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    record r = {0};
    gz_stream *stream = open_stream(context, &r, GRAZE_FLOAT64, false);
    uint64_t a[3] = {0, 1, 2};
    assert_int_equal(gz_stream_vertices(stream, square, 4), GRAZE_OK);
    assert_int_equal(gz_stream_triangles(stream, a, 1, 0), GRAZE_OK); // before any object
    assert_int_equal(gz_stream_start_object(stream, "empty", ""), GRAZE_OK);
    assert_int_equal(gz_stream_start_object(stream, "full", ""), GRAZE_OK);
    assert_int_equal(gz_stream_triangles(stream, a, 1, 0), GRAZE_OK);
    assert_int_equal(gz_stream_start_object(stream, "last", ""), GRAZE_OK);
    finish_stream(stream);
    assert_int_equal(r.object_count, 2);
    assert_string_equal(r.objects[0].name, "");
    assert_string_equal(r.objects[1].name, "full");
    assert_int_equal(r.objects[1].object.placed, 0);
    assert_true(r.objects[1].object.matrix[0] == 1 && r.objects[1].object.matrix[1] == 0);
    record_free(&r);

    stream = open_stream(context, &r, GRAZE_FLOAT64, false);
    assert_int_equal(gz_stream_start_object(stream, "only", "g"), GRAZE_OK);
    finish_stream(stream);
    assert_int_equal(r.object_count, 1);
    assert_string_equal(r.objects[0].name, "only");
    assert_int_equal(r.objects[0].object.triangle_count, 0);
    record_free(&r);
    test_context_done(context);
}

static void instances_are_passed_on(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    record r = {0};
    gz_stream *stream = open_stream(context, &r, GRAZE_FLOAT64, false);
    uint64_t a[3] = {0, 1, 2};
    assert_int_equal(gz_stream_vertices(stream, square, 4), GRAZE_OK);
    assert_int_equal(gz_stream_triangles(stream, a, 1, 0), GRAZE_OK);
    graze_object object = {
        .name = "a", .group = "b/c", .triangle_count = 1, .matrix = {2}, .placed = 1};
    assert_int_equal(gz_stream_object(stream, &object), GRAZE_OK);
    object.name = "again";
    assert_int_equal(gz_stream_object(stream, &object), GRAZE_OK);
    uint64_t later[3] = {0, 1, 4};
    assert_int_equal(gz_stream_triangles(stream, later, 1, 0), GRAZE_OK);
    object = (graze_object){.name = "c", .group = "", .first_triangle = 1, .triangle_count = 1};
    assert_int_equal(gz_stream_object(stream, &object), GRAZE_OK); // waits for vertex 4
    assert_int_equal(gz_stream_vertices(stream, square, 1), GRAZE_OK);
    finish_stream(stream);
    assert_int_equal(r.object_count, 3);
    assert_string_equal(r.objects[1].name, "again");
    assert_string_equal(r.objects[1].group, "b/c");
    assert_true(r.objects[1].object.matrix[0] == 2);
    assert_string_equal(r.objects[2].name, "c");
    record_free(&r);
    test_context_done(context);
}

static graze_status refuse(void *user, const uint64_t *corners, uint64_t count)
{
    (void)user;
    (void)corners;
    (void)count;
    return GRAZE_ERROR_SPACE;
}

static void a_sink_may_say_no(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_mesh_sink sink = {.triangles = refuse};
    gz_stream *stream = NULL;
    assert_int_equal(gz_stream_open(context, "x", &sink, &stream), GRAZE_OK);
    graze_mesh_header header = {.precision = GRAZE_FLOAT64, .encoding = ""};
    assert_int_equal(gz_stream_begin(stream, &header, false), GRAZE_OK);
    uint64_t a[3] = {0, 1, 2};
    assert_int_equal(gz_stream_vertices(stream, square, 4), GRAZE_OK);
    assert_int_equal(gz_stream_triangles(stream, a, 1, 0), GRAZE_OK);
    assert_int_equal(gz_stream_end(stream), GRAZE_ERROR_SPACE);
    gz_stream_close(stream);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_come_through_in_order),
        cmocka_unit_test(numbers_out_of_range_fail_with_their_place),
        cmocka_unit_test(what_names_later_vertices_waits_in_order),
        cmocka_unit_test(a_million_triangles_wait_on_disk),
        cmocka_unit_test(triangles_that_are_not_finite_are_dropped),
        cmocka_unit_test(the_last_one_counts),
        cmocka_unit_test(empty_objects_vanish),
        cmocka_unit_test(instances_are_passed_on),
        cmocka_unit_test(a_sink_may_say_no),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
