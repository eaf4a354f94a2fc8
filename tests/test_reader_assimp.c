// Formats of others, through assimp: small files by hand, and every file of the test models that
// assimp comes with, each in a process of its own with a cap on memory and time.
#include "test.h"

#include <dlfcn.h>
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/context.h"
#include "faults.h"
#include "mesh/write/writer.h"
#include "record.h"

#define MODELS "/usr/share/assimp/models"

static bool assimp_is_there(void)
{
    void *handle = strstr(graze_build_info(), "assimp: yes") != NULL
                       ? dlopen("libassimp.so.5", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)
                       : NULL;
    if (handle != NULL)
        dlclose(handle);
    return handle != NULL;
}

static void skip_without_assimp(void)
{
    if (!assimp_is_there()) {
        print_message("skipped: assimp is not installed, or was not when this was built\n");
        skip();
    }
}

// AC3D: a tree with a placed group, polygons, and a line.
static const char ac3d[] =
    "AC3Db\n"
    "MATERIAL \"m\" rgb 1 1 1 amb 1 1 1 emis 0 0 0 spec 0 0 0 shi 0 trans 0\n"
    "OBJECT world\nkids 1\n"
    "OBJECT group\nname \"hall\"\nloc 10 20 30\nkids 1\n"
    "OBJECT poly\nname \"plate\"\nnumvert 5\n"
    "0 0 0\n4 0 0\n4 4 0\n0 4 0\n1 1 0\n"
    "numsurf 1\nSURF 0x20\nmat 0\nrefs 5\n0 0 0\n1 0 0\n2 0 0\n3 0 0\n4 0 0\n"
    "kids 0\n";

static void objects_and_polygons_come_through(void **state)
{
    (void)state;
    skip_without_assimp();
    graze_context *context = test_context(NULL);
    record r = {0};
    if (record_read_text(context, "t.ac", ac3d, &r) != GRAZE_OK)
        fail_msg("%s", test_last_error);
    assert_int_equal(r.header.format, GRAZE_FORMAT_OTHER);
    assert_int_equal(r.header.precision, GRAZE_FLOAT32);
    assert_int_equal(r.vertex_count, 5);
    assert_int_equal(r.triangle_count, 3);
    assert_int_equal(r.losses.polygons, 1);
    double area = 0; // of a concave polygon: only a right cut gives it
    for (uint64_t i = 0; i < r.triangle_count; ++i) {
        const double *a = r.positions + 3 * r.corners[3 * i];
        const double *b = r.positions + 3 * r.corners[3 * i + 1];
        const double *c = r.positions + 3 * r.corners[3 * i + 2];
        area += fabs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
    }
    assert_true(area == 14);
    assert_int_equal(r.object_count, 1);
    assert_string_equal(r.objects[0].name, "plate");
    assert_string_equal(r.objects[0].group, "hall");
    assert_true(r.objects[0].object.matrix[3] == 10 && r.objects[0].object.matrix[7] == 20 &&
                r.objects[0].object.matrix[11] == 30);
    assert_int_equal(r.objects[0].object.placed, 1);
    record_free(&r);
    test_context_done(context);
}

// COLLADA, in inches: one triangle, 2 by 2.
static const char collada[] =
    "<?xml version=\"1.0\"?>\n"
    "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">\n"
    "<asset><unit meter=\"0.0254\" name=\"inch\"/><up_axis>Y_UP</up_axis></asset>\n"
    "<library_geometries><geometry id=\"g\"><mesh>\n"
    "<source id=\"p\"><float_array id=\"a\" count=\"9\">0 0 0 2 0 0 0 2 0</float_array>\n"
    "<technique_common><accessor source=\"#a\" count=\"3\" stride=\"3\">\n"
    "<param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/>\n"
    "<param name=\"Z\" type=\"float\"/></accessor></technique_common></source>\n"
    "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>\n"
    "<triangles count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>\n"
    "<p>0 1 2</p></triangles></mesh></geometry></library_geometries>\n"
    "<library_visual_scenes><visual_scene id=\"s\"><node id=\"n\" name=\"tile\">\n"
    "<instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes>\n"
    "<scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>\n";

// The reader brings its lengths to metres, so --unit has nothing to say.
static void units_of_files_are_known(void **state)
{
    (void)state;
    skip_without_assimp();
    graze_context *context = test_context(NULL);
    graze_mesh_read_def def = graze_mesh_read_def_default();
    def.metres_per_unit = 0.001;
    for (int said = 0; said < 2; ++said) {
        graze_mesh *mesh = NULL;
        FILE *file = fopen("test_unit.dae", "w");
        assert_non_null(file);
        fputs(collada, file);
        fclose(file);
        graze_status status = graze_mesh_read(context, "test_unit.dae", said ? &def : NULL, &mesh);
        unlink("test_unit.dae");
        if (status != GRAZE_OK)
            fail_msg("%s", test_last_error);
        graze_mesh *flat = NULL;
        graze_mesh_view view = graze_mesh_get(mesh);
        assert_true(view.metres_per_unit == 1);
        assert_int_equal(graze_mesh_flatten(context, &view, &flat), GRAZE_OK);
        double corner[3];
        view = graze_mesh_get(flat);
        graze_mesh_view_corner(&view, 0, 1, corner);
        assert_true(fabs(corner[0] - 0.0508) < 1e-6);
        graze_mesh_free(flat);
        graze_mesh_free(mesh);
    }
    // Others do not say, and are what we are told.
    record r = {0};
    assert_int_equal(record_read_text(context, "t.ac", ac3d, &r), GRAZE_OK);
    assert_true(r.header.metres_per_unit == 0);
    record_free(&r);
    test_context_done(context);
}

static void check_raw(void)
{
    graze_context *context = test_context(NULL);
    record r = {0};
    if (record_read_text(context, "t.raw",
                         "one\n0.5 0.5 0.5 0 0 0 0 1 0 1 0 0\n0.1 0 0 0 0 3 0 1 3 1 0 3\n"
                         "two\n0 1 0 0 3 0 0 4 0 1 3 0\n0 0 1 0 3 3 0 4 3 1 3 3\n",
                         &r) != GRAZE_OK)
        fail_msg("%s", test_last_error);
    assert_int_equal(r.triangle_count, 2);
    assert_string_equal(r.objects[0].name, "two");
    assert_string_equal(test_last_error,
                        "t.raw: assimp shows 1 of 2 meshes nowhere, so they are left out");
    record_free(&r);
    test_context_done(context);
}

// assimp's RAW reader puts all nodes in one place and leaves NULL pointers in the others. It also
// forgets the memory of all but the last, so it gets a process that no sanitizer looks at.
static void scenes_with_holes_come_through(void **state)
{
    (void)state;
    skip_without_assimp();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        check_raw(); // a failure ends in the parent's frame, and then not with 42
        _exit(42);
    }
    int result = 0;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 42);
}

static void packed_files_are_unpacked(void **state)
{
    (void)state;
    skip_without_assimp();
    const char *parent = getenv("TMPDIR");
    char path[256];
    snprintf(path, sizeof path, "%s/graze-assimp.XXXXXX.ac.gz", parent != NULL ? parent : "/tmp");
    int descriptor = mkstemps(path, 6);
    assert_true(descriptor >= 0);
    close(descriptor);
    graze_context *context = test_context(NULL);
    gz_packer *packer = NULL;
    assert_int_equal(gz_packer_open(context, path, &packer), GRAZE_OK);
    assert_int_equal(gz_packer_write(packer, ac3d, sizeof ac3d - 1), GRAZE_OK);
    assert_int_equal(gz_packer_commit(packer), GRAZE_OK);
    record r = {0};
    graze_mesh_sink sink = record_sink(&r);
    if (graze_mesh_stream(context, path, NULL, &sink) != GRAZE_OK)
        fail_msg("%s", test_last_error);
    assert_int_equal(r.triangle_count, 3);
    record_free(&r);
    unlink(path);
    test_context_done(context);
}

static void what_nobody_knows_is_refused(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    record r = {0};
    graze_status status = record_read_text(context, "t.xyz", "what is this", &r);
    assert_int_equal(status, assimp_is_there() ? GRAZE_ERROR_FORMAT : GRAZE_ERROR_UNSUPPORTED);
    assert_memory_equal(test_last_error, "t.xyz: not a format of ours, and ", 33);
    record_free(&r);
    test_context_done(context);
}

static graze_status read_ac3d(graze_context *context, void *data)
{
    (void)data;
    record r = {0};
    graze_status status = record_read_text(context, "t.ac", ac3d, &r);
    record_free(&r);
    return status;
}

static void every_fault_is_survived(void **state)
{
    (void)state;
    skip_without_assimp();
    assert_true(test_all_faults(read_ac3d, NULL, 1) > 10);
}

// ---- The models

typedef struct tally {
    uint64_t triangle_count, object_count;
} tally;

static graze_status tally_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    (void)corners;
    ((tally *)user)->triangle_count += count;
    return GRAZE_OK;
}

static graze_status tally_object(void *user, const graze_object *object)
{
    ((tally *)user)->object_count += object->name != NULL;
    return GRAZE_OK;
}

// Ends the process: 0 read, 1 refused with a sentence, 2 refused without.
static void read_model(const char *path)
{
#if !TEST_SANITIZED // they need far more
    struct rlimit cap = {UINT64_C(1) << 30, UINT64_C(1) << 30};
    setrlimit(RLIMIT_AS, &cap);
#endif
    static const int signals[] = {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i)
        signal(signals[i], SIG_DFL); // the test frame catches them
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    struct rlimit patience = {300, 300}; // seconds of processor time: the machine may be busy
    setrlimit(RLIMIT_CPU, &patience);
    tally t = {0};
    graze_mesh_sink sink = {.user = &t, .triangles = tally_triangles, .object = tally_object};
    graze_context *context = test_context(NULL);
    graze_status status = graze_mesh_stream(context, path, NULL, &sink);
    bool clean = graze_context_memory(context).block_count <= 3;
    if (getenv("GRAZE_TEST_VERBOSE") != NULL)
        printf("%s: %d, %llu triangles in %llu objects, %s\n", path, (int)status,
               (unsigned long long)t.triangle_count, (unsigned long long)t.object_count,
               status != GRAZE_OK ? test_last_error : "");
    fflush(NULL);
    _exit(status == GRAZE_OK && clean ? 0 : test_last_error[0] != '\0' && clean ? 1 : 2);
}

static int read_count, refused_count, silent_count, crashed_count;

static int try_model(const char *path, const struct stat *about, int kind)
{
    (void)about;
    if (kind != FTW_F)
        return 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        read_model(path);
    int result = 0;
    assert_int_equal(waitpid(child, &result, 0), child);
    if (!WIFEXITED(result)) {
        ++crashed_count;
        print_message("crashed by signal %d: %s\n", WTERMSIG(result), path);
    } else if (WEXITSTATUS(result) == 0) {
        ++read_count;
    } else if (WEXITSTATUS(result) == 1) {
        ++refused_count;
    } else {
        ++silent_count;
        print_message("exit code %d: %s\n", WEXITSTATUS(result), path);
    }
    return 0;
}

static void test_models_do_not_crash(void **state)
{
    (void)state;
    skip_without_assimp();
    if (access(MODELS, R_OK) != 0) {
        print_message("skipped: the package assimp-testmodels is not installed\n");
        skip();
    }
    assert_int_equal(ftw(MODELS, try_model, 20), 0);
    print_message("test models: %d read, %d refused, %d crashed\n", read_count, refused_count,
                  crashed_count);
    assert_int_equal(silent_count, 0);
    assert_int_equal(crashed_count, 0);
    assert_true(read_count > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_and_polygons_come_through),
        cmocka_unit_test(units_of_files_are_known),
        cmocka_unit_test(scenes_with_holes_come_through),
        cmocka_unit_test(packed_files_are_unpacked),
        cmocka_unit_test(what_nobody_knows_is_refused),
        cmocka_unit_test(every_fault_is_survived),
        cmocka_unit_test(test_models_do_not_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
