// A binary STL beyond 4 GiB: counts and offsets that 32 bits cannot hold, in a few MB of memory.
#include "test.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#define TRIANGLES 100000000u // 5 GB

typedef struct last_seen {
    uint64_t triangle_count, vertex_count;
    float last[9];
    uint64_t last_corners[3];
} last_seen;

static graze_status take_vertices(void *user, const void *positions, uint64_t count)
{
    last_seen *seen = user;
    seen->vertex_count += count;
    memcpy(seen->last, (const float *)positions + 3 * (count - 3), sizeof seen->last);
    return GRAZE_OK;
}

static graze_status take_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    last_seen *seen = user;
    seen->triangle_count += count;
    memcpy(seen->last_corners, corners + 3 * (count - 1), sizeof seen->last_corners);
    return GRAZE_OK;
}

// Zeros but for the header and the last triangle: a file with holes takes no room on disk.
static const float last_triangle[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

static int make_file(char path[256])
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, 256, "%s/graze-long-stl.XXXXXX", folder != NULL ? folder : "/tmp");
    int file = mkstemp(path);
    assert_true(file >= 0);
    uint32_t count = TRIANGLES;
    off_t end = 84 + 50 * (off_t)TRIANGLES;
    assert_int_equal(ftruncate(file, end), 0);
    assert_int_equal(pwrite(file, &count, sizeof count, 80), sizeof count);
    assert_int_equal(pwrite(file, last_triangle, sizeof last_triangle, end - 38),
                     sizeof last_triangle);
    return file;
}

static void files_beyond_4_gib_are_read(void **state)
{
    (void)state;
    char path[256];
    int file = make_file(path);
    graze_context *context = test_context(NULL);
    last_seen seen = {0};
    graze_mesh_sink sink = {.user = &seen, .vertices = take_vertices, .triangles = take_triangles};
    graze_mesh_read_def def = graze_mesh_read_def_default();
    def.format = GRAZE_FORMAT_STL;
    assert_int_equal(graze_mesh_stream(context, path, &def, &sink), GRAZE_OK);
    assert_int_equal(seen.triangle_count, TRIANGLES);
    assert_int_equal(seen.vertex_count, 3 * (uint64_t)TRIANGLES);
    assert_memory_equal(seen.last, last_triangle, sizeof last_triangle);
    assert_int_equal(seen.last_corners[2], 3 * (uint64_t)TRIANGLES - 1);
    assert_true(graze_context_memory(context).peak_bytes < 4 << 20);

    assert_int_equal(ftruncate(file, 84 + 50 * (off_t)TRIANGLES - 1), 0);
    assert_int_equal(graze_mesh_stream(context, path, &def, &sink), GRAZE_ERROR_FORMAT);
    assert_non_null(strstr(test_last_error, "the file ends at byte 5000000083, after 99999999"));
    close(file);
    unlink(path);
    test_context_done(context);
}

// Starts like text and has no zero in its first 84 bytes; only its size tells what it is.
static void size_tells_binary_from_text(void **state)
{
    (void)state;
    char path[256];
    int file = make_file(path);
    const uint32_t count = 0x01010101;
    static const char header[] = "solid x\nfacet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 "
                                 "vertex 0 1 0 end";
    assert_int_equal(sizeof header - 1, 80);
    assert_int_equal(pwrite(file, header, 80, 0), 80);
    assert_int_equal(pwrite(file, &count, sizeof count, 80), sizeof count);
    assert_int_equal(ftruncate(file, 84 + 50 * (off_t)count), 0);
    graze_context *context = test_context(NULL);
    last_seen seen = {0};
    graze_mesh_sink sink = {.user = &seen, .vertices = take_vertices, .triangles = take_triangles};
    assert_int_equal(graze_mesh_stream(context, path, NULL, &sink), GRAZE_OK);
    assert_int_equal(seen.triangle_count, count);
    close(file);
    unlink(path);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_beyond_4_gib_are_read),
        cmocka_unit_test(size_tells_binary_from_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
