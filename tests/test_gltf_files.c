// glTF and other files: buffers beside it, packed GLB, pipes; and that nothing outside the glTF's
// own folder is ever opened.
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/context.h"
#include "faults.h"
#include "gltf_text.h"
#include "mesh/write/writer.h"

static char folder[256]; // holds in/, which holds the glTF, and beside it what must not be read

static const char *at(const char *name)
{
    static char paths[4][600];
    static int next;
    next = (next + 1) % 4;
    snprintf(paths[next], sizeof paths[next], "%s/%s", folder, name);
    return paths[next];
}

static void write_file(const char *path, const void *bytes, uint64_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, (size_t)count, file), count);
    fclose(file);
}

static const float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

static int make_folder(void **state)
{
    (void)state;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/graze-gltf.XXXXXX", parent != NULL ? parent : "/tmp");
    if (mkdtemp(folder) == NULL || mkdir(at("in"), 0700) != 0 || mkdir(at("in/sub"), 0700) != 0)
        return 1;
    write_file(at("secret.bin"), positions, sizeof positions);
    write_file(at("in/good.bin"), positions, sizeof positions);
    write_file(at("in/sub/deep file.bin"), positions, sizeof positions);
    write_file(at("in/short.bin"), positions, sizeof positions - 1);
    write_file(at("in/50%.bin"), positions, sizeof positions);
    return symlink("../secret.bin", at("in/link.bin")) != 0 || symlink("..", at("in/up")) != 0 ||
           symlink("good.bin", at("in/inner.bin")) != 0 || mkfifo(at("in/pipe.bin"), 0600) != 0 ||
           symlink("in", at("way")) != 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[400];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static const char pattern[] =
    "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"%s\"}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":3}],"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}";

// Writes a glTF that names the file, reads it, and says what happened.
static graze_status read_uri(graze_context *context, const char *uri)
{
    char json[9000];
    snprintf(json, sizeof json, pattern, uri);
    write_file(at("in/t.gltf"), json, strlen(json));
    record r = {0};
    graze_mesh_sink sink = record_sink(&r);
    test_last_error[0] = '\0';
    graze_status status = graze_mesh_stream(context, at("in/t.gltf"), NULL, &sink);
    if (status == GRAZE_OK)
        record_check_vertices(&r, 3, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0});
    record_free(&r);
    return status;
}

static void files_below_the_folder_are_read(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    static const char *const uris[] = {
        "good.bin",
        "./good.bin",
        "sub/deep%20file.bin",
        "sub/deep file.bin",
        "sub//./deep%20file.bin",
        "good%2Ebin",
        "g\\u006fod.bin",
        "50%.bin",
        "50%25.bin",
    };
    for (size_t i = 0; i < sizeof uris / sizeof *uris; ++i)
        if (read_uri(context, uris[i]) != GRAZE_OK)
            fail_msg("%s: %s", uris[i], test_last_error);
    // The way to the glTF itself may lead over links.
    record r = {0};
    graze_mesh_sink sink = record_sink(&r);
    read_uri(context, "good.bin");
    assert_int_equal(graze_mesh_stream(context, at("way/t.gltf"), NULL, &sink), GRAZE_OK);
    record_free(&r);
    // And a bare name means the current folder.
    char here[1000];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(at("in")), 0);
    sink = record_sink(&r);
    assert_int_equal(graze_mesh_stream(context, "t.gltf", NULL, &sink), GRAZE_OK);
    record_free(&r);
    assert_int_equal(chdir(here), 0);
    test_context_done(context);
}

static void nothing_else_is_opened(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    char absolute[600], file_uri[600], long_name[5000];
    snprintf(absolute, sizeof absolute, "%s", at("in/good.bin"));
    snprintf(file_uri, sizeof file_uri, "file://%s", at("in/good.bin"));
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    const struct {
        const char *uri, *problem;
        graze_status status;
    } cases[] = {
        {absolute, "is an absolute path", GRAZE_ERROR_FORMAT},
        {"%2Fetc%2Fpasswd", "is an absolute path", GRAZE_ERROR_FORMAT},
        {file_uri, "is no relative path", GRAZE_ERROR_FORMAT},
        {"http://example.org/x.bin", "is no relative path", GRAZE_ERROR_FORMAT},
        {"C:/x.bin", "is no relative path", GRAZE_ERROR_FORMAT},
        {"", "is no file name", GRAZE_ERROR_FORMAT},
        {"../secret.bin", "leads out of the folder", GRAZE_ERROR_FORMAT},
        {"sub/../../secret.bin", "leads out of the folder", GRAZE_ERROR_FORMAT},
        {"sub/../good.bin", "leads out of the folder", GRAZE_ERROR_FORMAT},
        {"%2e%2e/secret.bin", "leads out of the folder", GRAZE_ERROR_FORMAT},
        {"\\u002e\\u002e/secret.bin", "leads out of the folder", GRAZE_ERROR_FORMAT},
        {"..%2Fsecret.bin", "leads out of the folder", GRAZE_ERROR_FORMAT},
        {"sub/..", "leads out of the folder", GRAZE_ERROR_FORMAT},
        {"link.bin", "is a symbolic link", GRAZE_ERROR_IO},
        {"inner.bin", "is a symbolic link", GRAZE_ERROR_IO},
        {"up/secret.bin", "Not a directory", GRAZE_ERROR_IO},
        {"pipe.bin", "is not a regular file", GRAZE_ERROR_IO},
        {"sub", "is not a regular file", GRAZE_ERROR_IO},
        {".", "is not a regular file", GRAZE_ERROR_IO},
        {"none.bin", "No such file or directory", GRAZE_ERROR_IO},
        {"good.bin/x", "Not a directory", GRAZE_ERROR_IO},
        {long_name, "File name too long", GRAZE_ERROR_IO},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        graze_status status = read_uri(context, cases[i].uri);
        if (status != cases[i].status || strstr(test_last_error, cases[i].problem) == NULL)
            fail_msg("%.100s: status %d, %s", cases[i].uri, (int)status, test_last_error);
        char expected[600]; // the place of the string in the text
        snprintf(expected, sizeof expected, "%s: byte 61: buffer 0 lies in \"", at("in/t.gltf"));
        assert_memory_equal(test_last_error, expected, strlen(expected));
    }
    assert_int_equal(read_uri(context, "short.bin"), GRAZE_ERROR_FORMAT);
    assert_non_null(
        strstr(test_last_error, "short.bin: byte 35: the file ends here, but buffer 0"));
    test_context_done(context);
}

static void a_path_of_a_glTF_in_memory_opens_nothing(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    char json[1000];
    snprintf(json, sizeof json, pattern, "good.bin");
    record r = {0};
    assert_int_equal(record_read_text(context, at("in/t.gltf"), json, &r), GRAZE_ERROR_FORMAT);
    assert_non_null(strstr(test_last_error, "opens no other files"));
    record_free(&r);
    test_context_done(context);
}

// More buffers than may be open at once, and each of them used twice.
static void many_files_take_turns(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    const int count = 100;
    char *json = malloc(100000), *end = json;
    end += sprintf(end, "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[");
    for (int i = 0; i < count; ++i) {
        char name[20];
        float moved[9];
        for (int k = 0; k < 9; ++k)
            moved[k] = (float)i + positions[k];
        snprintf(name, sizeof name, "in/b%d.bin", i);
        write_file(at(name), moved, sizeof moved);
        end += sprintf(end, "%s{\"byteLength\":36,\"uri\":\"%s\"}", i == 0 ? "" : ",", name + 3);
    }
    end += sprintf(end, "],\"bufferViews\":[");
    for (int i = 0; i < count; ++i)
        end += sprintf(end, "%s{\"buffer\":%d,\"byteLength\":36}", i == 0 ? "" : ",", i);
    end += sprintf(end, "],\"accessors\":[");
    for (int i = 0; i < 2 * count; ++i)
        end += sprintf(end,
                       "%s{\"bufferView\":%d,\"componentType\":5126,\"type\":\"VEC3\",\"count\":3}",
                       i == 0 ? "" : ",", i % count);
    end += sprintf(end, "],\"meshes\":[{\"primitives\":[");
    for (int i = 0; i < 2 * count; ++i)
        end += sprintf(end, "%s{\"attributes\":{\"POSITION\":%d}}", i == 0 ? "" : ",", i);
    sprintf(end, "]}]}");
    write_file(at("in/many.gltf"), json, strlen(json));
    free(json);
    record r = {0};
    graze_mesh_sink sink = record_sink(&r);
    assert_int_equal(graze_mesh_stream(context, at("in/many.gltf"), NULL, &sink), GRAZE_OK);
    assert_int_equal(r.vertex_count, 600);
    for (int i = 0; i < 600; ++i)
        assert_true(r.positions[3 * i + 2] == (double)(i / 3 % count));
    record_free(&r);
    test_context_done(context);
}

// Offsets beyond 4 GiB, in a file that is mostly a hole.
static void large_files_are_jumped_about_in(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    const int64_t far = INT64_C(5) << 30;
    int descriptor = open(at("in/large.bin"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(descriptor >= 0);
    assert_int_equal(pwrite(descriptor, positions, sizeof positions, far), sizeof positions);
    close(descriptor);
    char json[1000];
    snprintf(json, sizeof json,
             "{\"asset\":{\"version\":\"2.0\"},"
             "\"buffers\":[{\"byteLength\":5368709156,\"uri\":\"large.bin\"}],"
             "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":4831838208,\"byteLength\":536870948}],"
             "\"accessors\":[{\"bufferView\":0,\"byteOffset\":536870912,"
             "\"componentType\":5126,\"type\":\"VEC3\",\"count\":3}],"
             "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}");
    write_file(at("in/large.gltf"), json, strlen(json));
    record r = {0};
    graze_mesh_sink sink = record_sink(&r);
    if (graze_mesh_stream(context, at("in/large.gltf"), NULL, &sink) != GRAZE_OK)
        fail_msg("%s", test_last_error);
    record_check_vertices(&r, 3, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0});
    record_free(&r);
    test_context_done(context);
}

static graze_status read_files(graze_context *context, void *data)
{
    (void)data;
    record r = {0};
    graze_mesh_sink sink = record_sink(&r);
    graze_status status = graze_mesh_stream(context, at("in/t.gltf"), NULL, &sink);
    record_free(&r);
    return status;
}

static uint32_t open_descriptors(void)
{
    DIR *folder_of_them = opendir("/proc/self/fd");
    assert_non_null(folder_of_them);
    uint32_t count = 0;
    while (readdir(folder_of_them) != NULL)
        ++count;
    closedir(folder_of_them);
    return count;
}

static void every_fault_is_survived(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    assert_int_equal(read_uri(context, "good.bin"), GRAZE_OK);
    test_context_done(context);
    uint32_t before = open_descriptors();
    assert_true(test_all_faults(read_files, NULL, 1) > 15);
    assert_int_equal(open_descriptors(), before);
}

// ---- Packed files and pipes: the binary chunk cannot be jumped about in

static gltf_bytes large_glb(uint32_t vertex_count)
{
    gltf_bytes data = {0};
    for (uint32_t i = 0; i < vertex_count; ++i)
        gltf_put_floats(&data, 3, (float[]){(float)i, 1, 2});
    char json[1000];
    snprintf(json, sizeof json,
             "{'asset':{'version':'2.0'},$,'bufferViews':[{'buffer':0,'byteLength':%u}],"
             "'accessors':[{'bufferView':0,'componentType':5126,'type':'VEC3','count':%u}],"
             "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]}",
             12 * vertex_count, vertex_count);
    gltf_bytes glb = gltf_build(GLTF_GLB, json, &data);
    gltf_free(&data);
    return glb;
}

static void pack(graze_context *context, const char *path, const gltf_bytes *glb)
{
    gz_packer *packer = NULL;
    assert_int_equal(gz_packer_open(context, path, &packer), GRAZE_OK);
    assert_int_equal(gz_packer_write(packer, glb->bytes, glb->count), GRAZE_OK);
    assert_int_equal(gz_packer_commit(packer), GRAZE_OK);
}

static void check_large(graze_context *context, const char *path, uint32_t vertex_count)
{
    gltf_tally tally = {0};
    graze_mesh_sink sink = gltf_tally_sink(&tally);
    if (graze_mesh_stream(context, path, NULL, &sink) != GRAZE_OK)
        fail_msg("%s", test_last_error);
    assert_int_equal(tally.vertex_count, vertex_count);
    assert_true(tally.sum == (double)vertex_count * (vertex_count - 1) / 2);
}

static void count_of_more(void *user, graze_log_level level, const char *sentence)
{
    *(uint32_t *)user += level == GRAZE_LOG_WARNING &&
                         strstr(sentence, "the GLB ends here, what follows is not read") != NULL;
}

static void packed_files_are_unpacked_first(void **state)
{
    (void)state;
    static const uint32_t counts[] = {3, 1000, 1500000}; // the last one goes to disk
    for (int i = 0; i < 3; ++i)
        for (int zstd = 0; zstd < 2; ++zstd) {
            graze_context *context = test_context(NULL);
            const char *path = at(zstd ? "in/l.glb.zst" : "in/l.glb.gz");
            gltf_bytes glb = large_glb(counts[i]);
            pack(context, path, &glb);
            test_context_done(context);
            graze_context_def def = graze_context_def_default();
            def.memory_byte_limit = 30u << 20;
            def.log = count_of_more;
            uint32_t warnings_of_more = 0;
            def.user = &warnings_of_more;
            context = test_context(&def);
            check_large(context, path, counts[i]);
            assert_int_equal(warnings_of_more, 0);
            gltf_put(&glb, "x", 1);
            pack(context, path, &glb);
            check_large(context, path, counts[i]);
            assert_int_equal(warnings_of_more, 1);
            gltf_free(&glb);
            test_context_done(context);
        }
}

static void *fill_pipe(void *data)
{
    const gltf_bytes *glb = data;
    int descriptor = open(at("in/pipe.bin"), O_WRONLY);
    uint64_t done = 0;
    while (done < glb->count) {
        ssize_t count = write(descriptor, glb->bytes + done, (size_t)(glb->count - done));
        if (count <= 0)
            break;
        done += (uint64_t)count;
    }
    close(descriptor);
    return NULL;
}

static void pipes_are_read_from_front_to_back(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    gltf_bytes glb = large_glb(100000);
    char path[600];
    snprintf(path, sizeof path, "%s", at("in/pipe.bin"));
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, fill_pipe, &glb), 0);
    check_large(context, path, 100000);
    pthread_join(writer, NULL);
    // Cut short, it is told where.
    glb.count -= 100;
    assert_int_equal(pthread_create(&writer, NULL, fill_pipe, &glb), 0);
    record r = {0};
    graze_mesh_sink sink = record_sink(&r);
    assert_int_equal(graze_mesh_stream(context, path, NULL, &sink), GRAZE_ERROR_FORMAT);
    assert_non_null(strstr(test_last_error, "100 more bytes of the binary chunk were promised"));
    pthread_join(writer, NULL);
    record_free(&r);
    gltf_free(&glb);
    test_context_done(context);
}

static graze_status read_packed(graze_context *context, void *data)
{
    record r = {0};
    graze_mesh_sink sink = record_sink(&r);
    graze_status status = graze_mesh_stream(context, data, NULL, &sink);
    record_free(&r);
    return status;
}

static void faults_while_unpacking_are_survived(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    gltf_bytes glb = large_glb(3);
    char path[600];
    snprintf(path, sizeof path, "%s", at("in/f.glb.gz"));
    pack(context, path, &glb);
    test_context_done(context);
    assert_true(test_all_faults(read_packed, path, 1) > 15);
    gltf_free(&glb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_below_the_folder_are_read),
        cmocka_unit_test(nothing_else_is_opened),
        cmocka_unit_test(a_path_of_a_glTF_in_memory_opens_nothing),
        cmocka_unit_test(many_files_take_turns),
        cmocka_unit_test(large_files_are_jumped_about_in),
        cmocka_unit_test(every_fault_is_survived),
        cmocka_unit_test(packed_files_are_unpacked_first),
        cmocka_unit_test(pipes_are_read_from_front_to_back),
        cmocka_unit_test(faults_while_unpacking_are_survived),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
