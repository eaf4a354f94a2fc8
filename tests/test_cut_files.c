// A file that was cut off is refused, or told of by a warning, or what is missing had no part in
// the mesh: never is a shorter mesh read in silence. A file of each format is cut at every byte.
#include "test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "gltf_text.h"
#include "reading.h"

static char folder[200];

static int make_folder(void **state)
{
    (void)state;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.150s/graze.XXXXXX", parent != NULL ? parent : "/tmp");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static const char *at(const char *name)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static bool same_mesh(const record *a, const record *b)
{
    if (a->vertex_count != b->vertex_count || a->triangle_count != b->triangle_count ||
        a->object_count != b->object_count ||
        memcmp(a->positions, b->positions, (size_t)a->vertex_count * 3 * sizeof(double)) != 0 ||
        memcmp(a->corners, b->corners, (size_t)a->triangle_count * 3 * sizeof(uint64_t)) != 0)
        return false;
    for (uint64_t i = 0; i < a->object_count; ++i) {
        const record_object *of_a = &a->objects[i], *of_b = &b->objects[i];
        if (strcmp(of_a->name, of_b->name) != 0 || strcmp(of_a->group, of_b->group) != 0 ||
            of_a->object.first_triangle != of_b->object.first_triangle ||
            of_a->object.triangle_count != of_b->object.triangle_count ||
            memcmp(of_a->object.matrix, of_b->object.matrix, sizeof of_a->object.matrix) != 0)
            return false;
    }
    return true;
}

// True if the first bytes of a file are read as another mesh without a word.
static bool is_silent(const char *name, const uint8_t *bytes, uint64_t count, const record *whole)
{
    graze_context *context = counting_context();
    record cut = {0};
    graze_status status = record_read(context, name, bytes, count, GRAZE_FORMAT_UNKNOWN, &cut);
    assert_int_equal(status != GRAZE_OK, test_error_count != 0); // a refusal has one sentence
    bool silent = status == GRAZE_OK && test_warning_count == 0 && !same_mesh(&cut, whole);
    record_free(&cut);
    test_context_done(context);
    return silent;
}

// The same through a mesh in memory, which takes lines and triangles another way.
static bool is_silent_mesh(const char *path, const record *whole)
{
    graze_context *context = counting_context();
    graze_mesh *mesh = NULL;
    graze_status status = graze_mesh_read(context, path, NULL, &mesh);
    bool silent = status == GRAZE_OK && test_warning_count == 0;
    if (silent) {
        graze_mesh_view view = graze_mesh_get(mesh);
        bool same = view.vertex_count == whole->vertex_count &&
                    view.triangle_count == whole->triangle_count;
        for (uint64_t t = 0; same && t < view.triangle_count; ++t)
            for (uint32_t c = 0; same && c < 3; ++c)
                same = view.corners[3 * t + c] == whole->corners[3 * t + c];
        silent = !same;
    }
    graze_mesh_free(mesh);
    test_context_done(context);
    return silent;
}

// Cuts at every byte. Returns how many cuts went unnoticed; *last is where the last of them was.
// `warnings`: how many the whole file has.
static uint32_t count_silent(const char *name, const void *bytes, uint64_t count, uint32_t warnings,
                             uint64_t *last)
{
    record whole = {0};
    graze_context *context = counting_context();
    if (record_read(context, name, bytes, count, GRAZE_FORMAT_UNKNOWN, &whole) != GRAZE_OK)
        fail_msg("%s: %s", name, test_last_error);
    if (test_warning_count != warnings)
        fail_msg("%s: %u warnings: %s", name, test_warning_count, test_last_warning);
    test_context_done(context);
    assert_true(whole.triangle_count != 0);

    FILE *file = fopen(at(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
    uint32_t silent = 0;
    for (uint64_t length = count; length-- > 0;) {
        assert_int_equal(truncate(at(name), (off_t)length), 0);
        bool missed = is_silent(name, bytes, length, &whole);
        if (length % (TEST_SANITIZED ? 7 : 1) == 0) // each is a file that is opened and read
            missed = is_silent_mesh(at(name), &whole) || missed;
        silent += missed;
        if (missed)
            *last = length;
    }
    unlink(at(name));
    record_free(&whole);
    return silent;
}

static void check_every_cut(const char *name, const void *bytes, uint64_t count, uint32_t warnings)
{
    uint64_t last = 0;
    uint32_t silent = count_silent(name, bytes, count, warnings, &last);
    if (silent != 0)
        fail_msg("%s of %llu bytes: %u cuts are silent, one at byte %llu", name,
                 (unsigned long long)count, silent, (unsigned long long)last);
}

// Numbers of several digits, so that one may lose its end and still be a number.
#define VERTICES(v)                                                                                \
    v "0.25 0.125 10.5\n" v "1.25 0 0\n" v "0 1.75 0\n" v "0 0 1.25\n" v "10.5 0 0\n" v            \
      "0 22.5 0\n" v "0 0 33.25\n" v "4 4 4\n" v "5 5 15\n" v "6 6 16\n" v "7 7 17\n" v            \
      "8.125 8.25 118.5\n"
#define OBJ_FACES "f 1 2 3\nf 4 5 6\nf 7/1/1 8/2/2 9/3/3\nf 9 10 11 12\nf 10 11 12"
#define FACES     "3 0 1 2\n3 3 4 5\n3 6 7 8\n4 8 9 10 11\n3 9 10 11"

static void obj_files(void **state)
{
    (void)state;
    static const char plain[] = "# made by hand\no first\n" VERTICES("v ") "s off\n" OBJ_FACES;
    check_every_cut("a.obj", plain, strlen(plain), 1);
    static const char line[] = VERTICES("v ") OBJ_FACES "\n";
    check_every_cut("b.obj", line, strlen(line), 1);
    // What says that it ends is believed, as some programs write it.
    static const char *const ends[] = {"# End of file", "#EOF\r", "# end\n\n", "#  END OF FILE \n"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        char text[1000];
        snprintf(text, sizeof text, "%s%s", line, ends[i]);
        check_every_cut("c.obj", text, strlen(text), 0);
    }
    // Words like it elsewhere are nothing of the kind.
    static const char *const others[] = {"# end of file\nf 1 2 3\n", "# the end of file\n",
                                         "# end of files\n", "# end of file \\\n# more\n"};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        char text[1000];
        snprintf(text, sizeof text, "%s%s", line, others[i]);
        uint64_t last = 0;
        (void)count_silent("d.obj", text, strlen(text), 1, &last);
    }
}

// A mark, and then many plain lines, which go another way.
static void more_after_the_end_mark(void **state)
{
    (void)state;
    static char text[20000];
    size_t used = (size_t)sprintf(text, VERTICES("v "));
    for (int line = 0; line < 1000; ++line)
        used += (size_t)sprintf(text + used, "%sf 1 2 3\n", line == 500 ? "# end of file\n" : "");
    assert_true(used < sizeof text);
    record out;
    read_good(&(test_input){"x.obj", GRAZE_FORMAT_OBJ, text, used}, &out);
    assert_int_equal(out.triangle_count, 1000);
    assert_string_equal(test_warnings, "x.obj: OBJ files do not say where they end: if lines are "
                                       "missing at the end, nothing shows it\n");
    record_free(&out);
}

static void a_cut_face_is_refused(void **state)
{
    (void)state;
    static const char *const ends[] = {"f", "f ", "f 6", "f 6 ", "f 6 7", "f 6/1 7/1/", "fo 6"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        char text[1000], sentence[200];
        snprintf(text, sizeof text, VERTICES("v ") "f 1 2 3\n%s", ends[i]);
        snprintf(sentence, sizeof sentence,
                 "x.obj: byte %zu: the file ends in the middle of a face: a face has three corners "
                 "at least",
                 strlen(text));
        check_refused(&(test_input){"x.obj", GRAZE_FORMAT_OBJ, text, strlen(text)}, sentence);
    }
    // On a line that has its end it is a face of nothing, which is counted.
    static const char text[] = VERTICES("v ") "f 6\nf 1 2 3\nf 6 7\n# end of file\n";
    record out;
    read_good(&(test_input){"x.obj", GRAZE_FORMAT_OBJ, text, strlen(text)}, &out);
    assert_int_equal(out.losses.empty_polygons, 2);
    record_free(&out);
}

static void text_with_counts(void **state)
{
    (void)state;
    static const char ply[] = "ply\nformat ascii 1.0\nelement vertex 12\nproperty float x\n"
                              "property float y\nproperty float z\nelement face 5\n"
                              "property list uchar int vertex_indices\nend_header\n" VERTICES("");
    char text[2000];
    static const char *const ends[] = {"", "\n", "\r\n", "\n\n"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        snprintf(text, sizeof text, "%s" FACES "%s", ply, ends[i]);
        check_every_cut("a.ply", text, strlen(text), i == 0);
        snprintf(text, sizeof text, "OFF\n12 5 0\n" VERTICES("") FACES "%s", ends[i]);
        check_every_cut("a.off", text, strlen(text), i == 0);
    }
    // The last number is one of a property that is passed over, or of a colour.
    snprintf(text, sizeof text, "OFF\n12 5 0\n" VERTICES("") FACES " 255 0 12\n");
    check_every_cut("b.off", text, strlen(text), 0);
}

static void stl_text(void **state)
{
    (void)state;
#define FACET                                                                                      \
    "facet normal 0 0 1\nouter loop\nvertex 0 0 0.25\nvertex 1.5 0 0\nvertex 0 1 12\nendloop\n"    \
    "endfacet\n"
    static const char one[] = "solid a b\n" FACET FACET "endsolid a b\n";
    check_every_cut("a.stl", one, strlen(one), 0);
    static const char bare[] = "solid\nfacet\nvertex 0 0 1\nvertex 1 0 1\nvertex 0 1 1\nfacet\n"
                               "vertex 0 0 1\nvertex 1 0 1\nvertex 0 1 12\nendsolid";
    check_every_cut("b.stl", bare, strlen(bare), 0);
    // Between two solids nothing tells that another one should come; see guarantees.md.
    static const char two[] = "solid a\n" FACET "endsolid a\nsolid b\n" FACET "endsolid b\n";
    uint64_t last = 0, between = (uint64_t)(strstr(two, "solid b") - two);
    assert_int_equal(count_silent("c.stl", two, strlen(two), 0, &last), 1 + strlen(" a\n"));
    assert_int_equal(last, between - strlen(" a\n"));
}

static void off_binary(void **state)
{
    (void)state;
    static const uint8_t start[] = "OFF BINARY\n";
    uint8_t bytes[200];
    size_t count = sizeof start - 1;
    memcpy(bytes, start, count);
    static const uint32_t numbers[] = {3, 1,          0, 0, 0, 0, 0x3f800000, 0, 0,
                                       0, 0x3f800000, 0, 3, 0, 1, 2,          1, 7};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        for (int byte = 3; byte >= 0; --byte)
            bytes[count++] = (uint8_t)(numbers[i] >> (8 * byte));
    check_every_cut("a.off", bytes, count, 0);
}

static void gltf_text_and_binary(void **state)
{
    (void)state;
    static const char json[] =
        "{'asset':{'version':'2.0'},$,'bufferViews':[{'buffer':0,'byteLength':36},"
        "{'buffer':0,'byteOffset':36,'byteLength':12}],'accessors':[{'bufferView':0,"
        "'componentType':5126,'count':3,'type':'VEC3'},{'bufferView':1,'componentType':5125,"
        "'count':3,'type':'SCALAR'}],'meshes':[{'primitives':[{'attributes':{'POSITION':0},"
        "'indices':1}]}],'nodes':[{'name':'one','mesh':0},{'name':'two','mesh':0}],"
        "'scenes':[{'nodes':[0,1]}],'scene':0}\n";
    gltf_bytes data = {0};
    gltf_put_floats(&data, 9, (const float[]){0, 0, 0, 1, 0, 0, 0, 1, 0});
    gltf_put_u32(&data, 3, (const int[]){0, 1, 2});
    for (int kind = 0; kind < 2; ++kind) {
        gltf_bytes file = gltf_build((gltf_kind)kind, json, &data);
        check_every_cut(kind == GLTF_TEXT ? "a.gltf" : "a.glb", file.bytes, file.count, 0);
        gltf_free(&file);
    }
    gltf_free(&data);
}

static uint8_t *load(const char *path, uint64_t *count)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *count = (uint64_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc((size_t)*count);
    assert_int_equal(fread(bytes, 1, (size_t)*count, file), *count);
    fclose(file);
    return bytes;
}

// Everything that graze writes says where it ends.
static void what_graze_writes(void **state)
{
    (void)state;
    static const float positions[] = {0.5f, 0, 0, 10.25f, 0, 0, 0, 1, 0, 0, 0, 1,
                                      2,    2, 2, 3,      3, 3, 4, 4, 4, 5, 5, 5,
                                      6,    6, 6, 7,      7, 7, 8, 8, 8, 9, 9, 12};
    static const uint32_t corners[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    graze_mesh_view view = {.precision = GRAZE_FLOAT32,
                            .vertex_count = 12,
                            .triangle_count = 4,
                            .positions = positions,
                            .corners = corners};
    static const char *const names[] = {"k.obj",     "k.obj.gz",  "k.obj.zst", "k.ply",
                                        "k.ply.gz",  "k.ply.zst", "k.stl",     "k.stl.gz",
                                        "k.stl.zst", "k.glb",     "k.glb.gz",  "k.glb.zst"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        for (uint32_t ascii = 0; ascii < 2; ++ascii) {
            graze_context *context = counting_context();
            graze_mesh_write_def def = graze_mesh_write_def_default();
            def.ascii = ascii;
            if (graze_mesh_write(context, &view, at(names[i]), &def) != GRAZE_OK)
                fail_msg("%s", test_last_error);
            test_context_done(context);
            uint64_t count = 0;
            uint8_t *bytes = load(at(names[i]), &count);
            check_every_cut(names[i], bytes, count, 0);
            free(bytes);
        }
}

// The end of the file may come with a piece that was read, or with nothing behind it.
static void ends_at_the_end_of_a_window(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1 << 18, 1 << 19, (1 << 20) + (1 << 18), 3 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        for (uint64_t count = sizes[i] - 2; count <= sizes[i] + 2; ++count) {
            // A long comment, and then plain lines up to the end, which are taken many at a time.
            char *text = malloc((size_t)count + 1);
            size_t used = (size_t)sprintf(text, "%s", VERTICES("v ")), end = (size_t)count;
            size_t lines = (end - used - 2) / 8;
            memset(text + used, '#', end - used);
            for (size_t line = 1; line <= lines; ++line)
                memcpy(text + end - 8 * line, "f 1 2 3\n", 8);
            text[end - 8 * lines - 1] = '\n';
            for (uint32_t k = 0; k < 4; ++k) {
                uint32_t open = k / 2;
                graze_context *context = counting_context_of(1 + k % 2);
                record out = {0};
                if (open != 0)
                    memcpy(text + end - 8, "f 1 2 12", 8);
                assert_int_equal(record_read(context, "x.obj", text, count, 0, &out), GRAZE_OK);
                assert_int_equal(test_warning_count, 1);
                if ((strstr(test_last_warning, "the last line has no end") != NULL) != (open == 1))
                    fail_msg("%llu bytes: %s", (unsigned long long)count, test_last_warning);
                record_free(&out);
                test_context_done(context);
            }
            free(text);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_files),
        cmocka_unit_test(more_after_the_end_mark),
        cmocka_unit_test(a_cut_face_is_refused),
        cmocka_unit_test(text_with_counts),
        cmocka_unit_test(stl_text),
        cmocka_unit_test(off_binary),
        cmocka_unit_test(gltf_text_and_binary),
        cmocka_unit_test(what_graze_writes),
        cmocka_unit_test(ends_at_the_end_of_a_window),
    };
    return cmocka_run_group_tests_name("cut files", tests, make_folder, remove_folder);
}
