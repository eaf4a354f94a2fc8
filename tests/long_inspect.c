// Files of 200 MB, inspected in 16 MiB, in a process whose address space is capped.
#include "test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shapes.h"

#define LIMIT_BYTES (UINT64_C(16) << 20)
#define SPACE_BYTES (UINT64_C(48) << 20) // for code, stacks and all

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CAPPED 0 // sanitizers need far more address space
#else
#define CAPPED 1
#endif

static char folder[] = "/tmp/graze-long-inspect-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

// What the child sends home.
typedef struct result {
    graze_status status;
    graze_mesh_report report; // without what it points to
    uint64_t peak_bytes;
} result;

static result inspect(const char *path)
{
    graze_context_def def = graze_context_def_default();
    graze_inspect_def inspect_def = graze_inspect_def_default();
    inspect_def.memory_byte_limit = LIMIT_BYTES;
    result out = {0};
    graze_context *context = NULL;
    graze_mesh_report *report = NULL;
    out.status = graze_context_create(&def, &context);
    if (out.status == GRAZE_OK)
        out.status = graze_mesh_inspect(context, path, &inspect_def, &report);
    if (out.status == GRAZE_OK) {
        out.report = *report;
        out.peak_bytes = graze_context_memory(context).peak_bytes;
        graze_mesh_report_free(context, report);
    }
    graze_context_destroy(context);
    return out;
}

static result inspect_capped(const char *path)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit cap = {SPACE_BYTES, SPACE_BYTES};
        if (CAPPED && setrlimit(RLIMIT_AS, &cap) != 0)
            _exit(1);
        result out = inspect(path);
        _exit(write(ends[1], &out, sizeof out) == (ssize_t)sizeof out ? 0 : 1);
    }
    close(ends[1]);
    result out = {.status = GRAZE_ERROR_IO};
    ssize_t got = read(ends[0], &out, sizeof out);
    close(ends[0]);
    int exit_status = 0;
    assert_int_equal(waitpid(child, &exit_status, 0), child);
    assert_int_equal(exit_status, 0);
    assert_int_equal(got, sizeof out);
    assert_int_equal(out.status, GRAZE_OK);
    assert_true(out.peak_bytes <= LIMIT_BYTES);
    return out;
}

static void check(const graze_finding *finding, graze_extent extent, uint64_t count)
{
    assert_int_equal(finding->extent, extent);
    assert_int_equal(finding->count, count);
}

// A closed ring with one vertex for two triangles.
static void check_torus(const graze_mesh_report *report, graze_extent flat_extent)
{
    assert_true(report->file_bytes > 190000000 && report->file_bytes < 230000000);
    check(&report->distinct_vertices, GRAZE_CHECKED_ON_DISK, report->triangle_count / 2);
    check(&report->degenerate_triangles, flat_extent, 0);
    check(&report->duplicate_triangles, GRAZE_CHECKED_ON_DISK, 0);
    check(&report->open_edges, GRAZE_CHECKED_ON_DISK, 0);
    check(&report->nonmanifold_edges, GRAZE_CHECKED_ON_DISK, 0);
    check(&report->misoriented_edges, GRAZE_CHECKED_ON_DISK, 0);
    check(&report->parts, GRAZE_CHECKED_ON_DISK, 1);
    check(&report->closed_parts, GRAZE_CHECKED_ON_DISK, 1);
}

// The writer's sink behind one that deals the triangles anew, so that neighbours in the file are
// far apart on the shape: the worst for looking up vertices.
typedef struct shuffler {
    graze_mesh_sink out;
    uint64_t (*corners)[3];
    uint64_t count;
} shuffler;

static graze_status gather(void *user, const uint64_t *corners, uint64_t count)
{
    shuffler *to = user;
    to->corners = realloc(to->corners, (size_t)(to->count + count) * sizeof *to->corners);
    assert_non_null(to->corners);
    memcpy(to->corners + to->count, corners, (size_t)count * sizeof *to->corners);
    to->count += count;
    return GRAZE_OK;
}

static graze_status release(void *user, const graze_object *object)
{
    shuffler *from = user;
    graze_status status = GRAZE_OK;
    uint64_t step = 7368787 % from->count; // prime, so that all are met
    for (uint64_t i = 0, at = 0; i < from->count && status == GRAZE_OK; ++i) {
        status = from->out.triangles(from->out.user, from->corners[at], 1);
        at = (at + step) % from->count;
    }
    free(from->corners);
    return status == GRAZE_OK ? from->out.object(from->out.user, object) : status;
}

static graze_status begin(void *user, const graze_mesh_header *header)
{
    shuffler *to = user;
    return to->out.begin(to->out.user, header);
}

static graze_status vertices(void *user, const void *positions, uint64_t count)
{
    shuffler *to = user;
    return to->out.vertices(to->out.user, positions, count);
}

static graze_status end(void *user, const graze_mesh_losses *losses)
{
    shuffler *to = user;
    return to->out.end(to->out.user, losses);
}

static void make_file(const char *name, uint64_t triangle_count, bool shuffled, char path[256])
{
    snprintf(path, 256, "%s/%s", folder, name);
    graze_context *context = test_context(NULL);
    graze_mesh_write_def def = graze_mesh_write_def_default();
    def.order = GRAZE_ORDER_VERTICES_FIRST;
    shuffler shuffle = {0};
    graze_mesh_writer *writer = NULL;
    assert_int_equal(graze_mesh_writer_open(context, path, &def, &shuffle.out, &writer), GRAZE_OK);
    graze_mesh_sink sink = {.user = &shuffle,
                            .begin = begin,
                            .vertices = vertices,
                            .triangles = gather,
                            .object = release,
                            .end = end};
    scene_shape_def shape = {.kind = "torus", .triangle_count = triangle_count};
    assert_int_equal(scene_shape_stream(&shape, shuffled ? &sink : &shuffle.out), GRAZE_OK);
    assert_int_equal(graze_mesh_writer_commit(writer), GRAZE_OK);
    test_context_done(context);
}

static void binary_stl(void **state)
{
    (void)state;
    char path[256];
    make_file("torus.stl", 4000000, false, path);
    result out = inspect_capped(path);
    check_torus(&out.report, GRAZE_CHECKED_IN_MEMORY); // at once, while reading
    unlink(path);
}

static void binary_ply(void **state)
{
    (void)state;
    char path[256];
    make_file("torus.ply", 10500000, false, path);
    result out = inspect_capped(path);
    check_torus(&out.report, GRAZE_CHECKED_ON_DISK);
    unlink(path);
}

static void shuffled_ply(void **state)
{
    (void)state;
    char path[256];
    make_file("shuffled.ply", 10500000, true, path);
    result out = inspect_capped(path);
    check_torus(&out.report, GRAZE_CHECKED_ON_DISK);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binary_stl),
        cmocka_unit_test(binary_ply),
        cmocka_unit_test(shuffled_ply),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
