// The writer of streams against the writers of whole meshes, byte by byte; and what it refuses.
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "base/knobs.h"
#include "test.h"

// A random mesh in plain arrays.
typedef struct arrays {
    graze_mesh_view view;
    graze_object object;
    float *floats;
    double *doubles;
    uint32_t *corners;
} arrays;

static arrays make_arrays(graze_precision precision, uint64_t triangle_count, bool soup)
{
    test_random random = {.state = 1000 * triangle_count + (uint64_t)precision};
    arrays a = {.object = {.name = "",
                           .group = "",
                           .triangle_count = triangle_count,
                           .matrix = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}}};
    uint64_t vertex_count = soup ? 3 * triangle_count : triangle_count / 2 + 3;
    a.floats = malloc((size_t)vertex_count * 3 * sizeof *a.floats);
    a.doubles = malloc((size_t)vertex_count * 3 * sizeof *a.doubles);
    a.corners = malloc((size_t)(triangle_count + 1) * 3 * sizeof *a.corners);
    for (uint64_t i = 0; i < 3 * vertex_count; ++i) {
        a.doubles[i] = test_unit(&random);
        a.floats[i] = (float)a.doubles[i];
    }
    for (uint64_t i = 0; i < 3 * triangle_count; ++i)
        a.corners[i] = soup ? (uint32_t)i : (uint32_t)(test_next(&random) % (vertex_count - 2));
    a.view = (graze_mesh_view){.precision = precision,
                               .vertex_count = vertex_count,
                               .triangle_count = triangle_count,
                               .corners = a.corners};
    a.view.positions = precision == GRAZE_FLOAT32 ? (const void *)a.floats : a.doubles;
    return a;
}

static void free_arrays(arrays *a)
{
    free(a->floats);
    free(a->doubles);
    free(a->corners);
}

static graze_status send_vertices(const arrays *a, const graze_mesh_sink *sink, uint64_t first,
                                  uint64_t count)
{
    const char *bytes = a->view.positions;
    return sink->vertices(sink->user, bytes + first * 3 * (uint64_t)a->view.precision, count);
}

static graze_status send_triangles(const arrays *a, const graze_mesh_sink *sink, uint64_t first,
                                   uint64_t count)
{
    uint64_t wide[3 * 64];
    graze_status status = GRAZE_OK;
    for (uint64_t i = 0; i < count && status == GRAZE_OK; i += 64) {
        uint64_t part = count - i < 64 ? count - i : 64;
        for (uint64_t j = 0; j < 3 * part; ++j)
            wide[j] = a->corners[3 * (first + i) + j];
        status = sink->triangles(sink->user, wide, part);
    }
    return status;
}

// Sends the whole mesh in an order that keeps the promise.
static graze_status send_all(const arrays *a, const graze_mesh_sink *sink, graze_mesh_order order)
{
    graze_mesh_header header = {.precision = a->view.precision, .encoding = "test"};
    graze_mesh_losses losses = {0};
    uint64_t n = a->view.triangle_count;
    graze_status status = sink->begin(sink->user, &header);
    if (order ==
        GRAZE_ORDER_SOUP) { // ragged steps: not every triangle follows its vertices at once
        uint64_t sent = 0, used = 0;
        for (uint64_t i = 0; used < n && status == GRAZE_OK; ++i) {
            uint64_t step = 1 + i % 5 < n - sent ? 1 + i % 5 : n - sent;
            status = send_vertices(a, sink, 3 * sent, 3 * step);
            sent += step;
            uint64_t use = i % 3 == 0 && sent < n ? (sent - used) / 2 : sent - used;
            if (status == GRAZE_OK)
                status = send_triangles(a, sink, used, use);
            used += use;
        }
    } else if (order == GRAZE_ORDER_VERTICES_FIRST) {
        if (status == GRAZE_OK)
            status = send_vertices(a, sink, 0, a->view.vertex_count);
        if (status == GRAZE_OK)
            status = send_triangles(a, sink, 0, n);
    } else { // two vertices come between triangles
        if (status == GRAZE_OK)
            status = send_vertices(a, sink, 0, a->view.vertex_count - 2);
        if (status == GRAZE_OK)
            status = send_triangles(a, sink, 0, n / 2);
        if (status == GRAZE_OK)
            status = send_vertices(a, sink, a->view.vertex_count - 2, 2);
        if (status == GRAZE_OK)
            status = send_triangles(a, sink, n / 2, n - n / 2);
    }
    if (status == GRAZE_OK)
        status = sink->object(sink->user, &a->object);
    return status == GRAZE_OK ? sink->end(sink->user, &losses) : status;
}

static char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    struct stat about;
    assert_int_equal(fstat(fileno(file), &about), 0);
    char *bytes = malloc((size_t)about.st_size + 1);
    *size = fread(bytes, 1, (size_t)about.st_size, file);
    assert_int_equal(*size, about.st_size);
    fclose(file);
    return bytes;
}

// Cuts the comment that pads the header of a streamed PLY.
static size_t cut_comment(char *bytes, size_t size)
{
    char *comment = memmem(bytes, size < 64 ? size : 64, "comment", 7);
    if (comment == NULL)
        return size;
    char *end = (char *)memchr(comment, '\n', size - (size_t)(comment - bytes)) + 1;
    memmove(comment, end, size - (size_t)(end - bytes));
    return size - (size_t)(end - comment);
}

static graze_status stream_to(graze_context *context, const arrays *a, const char *path,
                              const graze_mesh_write_def *def)
{
    graze_mesh_sink sink;
    graze_mesh_writer *writer = NULL;
    graze_status status = graze_mesh_writer_open(context, path, def, &sink, &writer);
    if (status != GRAZE_OK)
        return status;
    status = send_all(a, &sink, def->order);
    if (status == GRAZE_OK)
        return graze_mesh_writer_commit(writer);
    graze_mesh_writer_abandon(writer);
    return status;
}

static void compare_files(const char *left, const char *right)
{
    size_t left_size = 0, right_size = 0;
    char *a = read_whole(left, &left_size), *b = read_whole(right, &right_size);
    a[left_size] = b[right_size] = '\0';
    left_size = cut_comment(a, left_size);
    assert_int_equal(left_size, right_size);
    assert_memory_equal(a, b, left_size);
    free(a);
    free(b);
}

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/graze-test.XXXXXX");
    return mkdtemp(folder) == NULL;
}

// Also proves that nothing was left behind.
static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static const struct kind {
    const char *extension;
    uint32_t ascii, big_endian;
} kinds[] = {{"ply", 0, 0}, {"ply", 0, 1}, {"stl", 0, 0}, {"ply", 1, 0},
             {"stl", 1, 0}, {"obj", 0, 0}, {"glb", 0, 0}, {"stl.zst", 0, 0}};
#define KINDS (sizeof kinds / sizeof *kinds)

static void stream_both_ways(graze_context *context, const struct kind *kind,
                             graze_mesh_order order, graze_precision precision, uint64_t count)
{
    graze_mesh_write_def def = graze_mesh_write_def_default();
    def.ascii = kind->ascii;
    def.big_endian = kind->big_endian;
    def.order = order;
    arrays a = make_arrays(precision, count, order == GRAZE_ORDER_SOUP);
    char streamed[128], whole[128];
    snprintf(streamed, sizeof streamed, "%s/a.%s", folder, kind->extension);
    snprintf(whole, sizeof whole, "%s/b.%s", folder, kind->extension);
    assert_int_equal(stream_to(context, &a, streamed, &def), GRAZE_OK);
    assert_int_equal(graze_mesh_write(context, &a.view, whole, &def), GRAZE_OK);
    compare_files(streamed, whole);
    unlink(streamed);
    unlink(whole);
    free_arrays(&a);
}

static void streamed_and_whole_files_are_equal(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    static const uint64_t counts[] = {0, 1, 1024, 1025};
    for (size_t kind = 0; kind < KINDS; ++kind)
        for (int order = GRAZE_ORDER_ANY; order <= GRAZE_ORDER_SOUP; ++order)
            for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
                stream_both_ways(context, &kinds[kind], (graze_mesh_order)order, GRAZE_FLOAT32,
                                 counts[i]);
                stream_both_ways(context, &kinds[kind], (graze_mesh_order)order, GRAZE_FLOAT64,
                                 counts[i]);
            }
    test_context_done(context);
}

static void triangles_that_wait_go_to_disk(void **state)
{
    (void)state;
    graze_context_def tight = graze_context_def_default();
    tight.memory_byte_limit = 2 << 20; // 13 bytes a triangle do not fit into a quarter of it
    for (int stl = 0; stl < 2; ++stl) {
        graze_context *context = test_context(&tight);
        arrays a = make_arrays(GRAZE_FLOAT64, 90000, false);
        graze_mesh_write_def def = graze_mesh_write_def_default();
        char streamed[128], whole[128];
        snprintf(streamed, sizeof streamed, "%s/a.%s", folder, stl ? "stl" : "ply");
        snprintf(whole, sizeof whole, "%s/b.%s", folder, stl ? "stl" : "ply");
        assert_int_equal(stream_to(context, &a, streamed, &def), GRAZE_OK);
        assert_int_equal(graze_mesh_write(context, &a.view, whole, &def), GRAZE_OK);
        compare_files(streamed, whole);
        unlink(streamed);
        unlink(whole);
        free_arrays(&a);
        test_context_done(context);
    }
}

static void broken_promises_are_refused(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_mesh_header header = {.precision = GRAZE_FLOAT64, .encoding = "test"};
    const double corner[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint64_t good[3] = {0, 1, 2}, turned[3] = {1, 2, 0}, late[3] = {0, 1, 3};
    char path[128];
    snprintf(path, sizeof path, "%s/a.stl", folder);
    for (int rule = 0; rule < 6; ++rule) {
        graze_mesh_write_def def = graze_mesh_write_def_default();
        def.order = rule == 0   ? GRAZE_ORDER_VERTICES_FIRST
                    : rule == 1 ? GRAZE_ORDER_SOUP
                                : GRAZE_ORDER_ANY;
        graze_mesh_sink sink;
        graze_mesh_writer *writer = NULL;
        assert_int_equal(graze_mesh_writer_open(context, path, &def, &sink, &writer), GRAZE_OK);
        if (rule == 4) { // no begin
            assert_int_equal(sink.vertices(sink.user, corner, 3), GRAZE_ERROR_ARGUMENT);
            graze_mesh_writer_abandon(writer);
            continue;
        }
        assert_int_equal(sink.begin(sink.user, &header), GRAZE_OK);
        assert_int_equal(sink.vertices(sink.user, corner, 3), GRAZE_OK);
        if (rule == 0) {
            assert_int_equal(sink.triangles(sink.user, good, 1), GRAZE_OK);
            assert_int_equal(sink.vertices(sink.user, corner, 3), GRAZE_ERROR_ARGUMENT);
        } else if (rule == 1) {
            assert_int_equal(sink.triangles(sink.user, turned, 1), GRAZE_ERROR_ARGUMENT);
        } else if (rule == 2) {
            assert_int_equal(sink.triangles(sink.user, late, 1), GRAZE_ERROR_ARGUMENT);
        } else if (rule == 3) {
            graze_object object = {.name = "", .group = "", .placed = 1};
            assert_int_equal(sink.object(sink.user, &object), GRAZE_ERROR_ARGUMENT);
        }
        graze_mesh_losses losses = {0};
        if (rule < 4) // a failure is not forgotten
            assert_int_equal(sink.end(sink.user, &losses), GRAZE_ERROR_ARGUMENT);
        assert_int_equal(graze_mesh_writer_commit(writer), GRAZE_ERROR_ARGUMENT);
        assert_non_null(strstr(test_last_error, "a.stl"));
        assert_int_not_equal(access(path, F_OK), 0);
    }
    assert_int_equal(graze_mesh_writer_commit(NULL), GRAZE_ERROR_ARGUMENT);
    graze_mesh_writer_abandon(NULL);
    test_context_done(context);
}

static void names_are_kept_or_missed(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    arrays a = make_arrays(GRAZE_FLOAT32, 3, false);
    a.object.name = "bolt";
    a.view.objects = &a.object;
    a.view.object_count = 1;
    graze_mesh_write_def def = graze_mesh_write_def_default();
    char path[128], whole[128];
    snprintf(path, sizeof path, "%s/a.stl", folder);
    snprintf(whole, sizeof whole, "%s/b.stl", folder);
    assert_int_equal(stream_to(context, &a, path, &def), GRAZE_OK);
    assert_int_equal(graze_mesh_write(context, &a.view, whole, &def), GRAZE_OK);
    compare_files(path, whole);
    assert_string_equal(test_last_error, "");
    unlink(path);
    unlink(whole);
    snprintf(path, sizeof path, "%s/a.ply", folder);
    assert_int_equal(stream_to(context, &a, path, &def), GRAZE_OK);
    assert_non_null(strstr(test_last_error, "\"bolt\" is left out"));
    unlink(path);
    free_arrays(&a);
    test_context_done(context);
}

// Each allocation and each write fails once; nothing stays behind, in memory or on disk.
static void failures_leave_nothing_behind(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    arrays a = make_arrays(GRAZE_FLOAT64, 3000, false);
    for (size_t kind = 0; kind < KINDS; ++kind) {
        char path[128];
        snprintf(path, sizeof path, "%s/a.%s", folder, kinds[kind].extension);
        graze_mesh_write_def def = graze_mesh_write_def_default();
        def.ascii = kinds[kind].ascii;
        for (int writes = 0; writes < 2; ++writes) {
            _Atomic int64_t *left = writes ? &gz_knobs_for(context)->writes_left
                                           : &gz_knobs_for(context)->allocations_left;
            graze_status status = GRAZE_OK;
            int64_t step = 0;
            do {
                *left = step++;
                status = stream_to(context, &a, path, &def);
                *left = -1;
                bool there = access(path, F_OK) == 0;
                assert_true(there == (status == GRAZE_OK));
                assert_true(graze_context_memory(context).block_count <= 3);
            } while (status == (writes ? GRAZE_ERROR_SPACE : GRAZE_ERROR_MEMORY));
            assert_int_equal(status, GRAZE_OK);
            assert_true(step > 1);
            unlink(path);
        }
    }
    free_arrays(&a);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streamed_and_whole_files_are_equal),
        cmocka_unit_test(triangles_that_wait_go_to_disk),
        cmocka_unit_test(broken_promises_are_refused),
        cmocka_unit_test(names_are_kept_or_missed),
        cmocka_unit_test(failures_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
