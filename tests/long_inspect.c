// Files of 200 MB, inspected in 16 MiB, in a process whose address space is capped.
#include "test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "large_files.h"

#define LIMIT_BYTES (UINT64_C(16) << 20)
#define SPACE_BYTES (UINT64_C(48) << 20) // for code, stacks and all

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

static void inspect(const void *path, void *result_out)
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
    memcpy(result_out, &out, sizeof out);
}

static result inspect_capped(const char *path)
{
    result out;
    large_run_capped(SPACE_BYTES, inspect, path, &out, sizeof out);
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

static void make_file(const char *name, uint64_t triangle_count, bool shuffled, char path[256])
{
    snprintf(path, 256, "%s/%s", folder, name);
    large_make("torus", triangle_count, GRAZE_FLOAT32, shuffled, path);
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
