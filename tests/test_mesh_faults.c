// Every allocation, then every read, then every write of reading each format fails once: nothing is
// left behind, and the status and a sentence say what happened.
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "base/context.h"
#include "faults.h"
#include "record.h"

typedef struct sample {
    const char *name;
    const void *bytes;
    size_t count;
    uint64_t triangles;
} sample;

static const char ply_text[] =
    "ply\nformat ascii 1.0\nelement face 3\nproperty list uchar int vertex_indices\n"
    "element vertex 6\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
    "3 0 1 2\n4 0 1 2 3\n5 0 1 2 4 3\n"
    "0 0 0\n4 0 0\n4 4 0\n0 4 0\n1 1 0\nnan 0 0\n";
static const char off_text[] = "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n3 0 1 2\n";
static const char obj_text[] = "o a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\ng b\nf 1 2 3\n"
                               "f 5 6 7\nv 2 0 0\nv 3 0 0\nv 3 1 0\n";
static const char stl_text[] = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n"
                               "vertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
static const char gltf_text[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"scene\":0,"
    "\"nodes\":[{\"name\":\"n\",\"mesh\":0,\"translation\":[1,2,3]}],"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
    "\"buffers\":[{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,"
    "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}]}";

static size_t pack_gzip(uint8_t *out, size_t room, const void *bytes, size_t count)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (uint8_t *)bytes;
    z.avail_in = (unsigned)count;
    z.next_out = out;
    z.avail_out = (unsigned)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return z.total_out;
}

// Through a sink that does not fetch vertices, so that the stream keeps them for polygons.
static graze_status stream_once(graze_context *context, void *data)
{
    const sample *s = data;
    record r = {.without_position = 1};
    graze_status status = record_read(context, s->name, s->bytes, s->count, 0, &r);
    if (status == GRAZE_OK)
        assert_int_equal(r.triangle_count, s->triangles);
    record_free(&r);
    return status;
}

static graze_status read_once(graze_context *context, void *data)
{
    graze_mesh *mesh = NULL;
    graze_status status = graze_mesh_read(context, data, NULL, &mesh);
    assert_int_equal(mesh == NULL, status != GRAZE_OK);
    graze_mesh_free(mesh);
    return status;
}

static void check_sample(const sample *s)
{
    sample copy = *s;
    uint64_t tried = test_all_faults(stream_once, &copy, 1);
    if (tried < 4)
        fail_msg("%s: only %d faults were reached", s->name, (int)tried);
    char path[100];
    snprintf(path, sizeof path, "/tmp/graze_faults_%d_%s", (int)getpid(), s->name);
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(s->bytes, 1, s->count, file), s->count);
    fclose(file);
    tried = test_all_faults(read_once, path, 1);
    unlink(path);
    assert_true(tried >= 4);
}

static void each_format(void **state)
{
    (void)state;
    uint8_t gzip[1000], zstd[1000], stl[84 + 100] = {0};
    stl[80] = 2;
    static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    memcpy(stl + 84 + 12, corners, sizeof corners);
    memcpy(stl + 134 + 12, corners, sizeof corners);
    const sample samples[] = {
        {"x.ply", ply_text, strlen(ply_text), 6},
        {"x.off", off_text, strlen(off_text), 3},
        {"x.obj", obj_text, strlen(obj_text), 4},
        {"x.stl", stl_text, strlen(stl_text), 1},
        {"y.stl", stl, sizeof stl, 2},
        {"x.gltf", gltf_text, strlen(gltf_text), 1},
        {"x.ply.gz", gzip, pack_gzip(gzip, sizeof gzip, ply_text, strlen(ply_text)), 6},
        {"x.ply.zst", zstd, ZSTD_compress(zstd, sizeof zstd, ply_text, strlen(ply_text), 3), 6},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; ++i)
        check_sample(&samples[i]);
}

// So many triangles before their vertices, and so many vertices for polygons, that both go to disk.
static void what_goes_to_disk(void **state)
{
    (void)state;
    enum { FACES = 270000, VERTICES = 710000 };
    char *text = malloc(FACES * 20 + VERTICES * 10 + 500);
    size_t count =
        (size_t)sprintf(text,
                        "ply\nformat ascii 1.0\nelement face %d\nproperty list uchar int "
                        "vertex_indices\nelement vertex %d\nproperty double x\nproperty "
                        "double y\nproperty double z\nend_header\n",
                        FACES, VERTICES);
    for (int i = 0; i < FACES; ++i)
        count += (size_t)sprintf(text + count, i % 5000 == 0 ? "4 0 %d 7 3\n" : "3 0 %d 7\n", i);
    for (int i = 0; i < VERTICES; ++i)
        count += (size_t)sprintf(text + count, "%d %d 0\n", i % 10, i % 7);
    sample s = {"x.ply", text, count, FACES + FACES / 5000};
    graze_context *context = test_context(NULL);
    assert_int_equal(stream_once(context, &s), GRAZE_OK);
    assert_true(graze_context_memory(context).peak_bytes < 64u << 20);
    test_context_done(context);
    assert_true(test_all_faults(stream_once, &s, TEST_SANITIZED ? 211 : 53) >= 4);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_format),
        cmocka_unit_test(what_goes_to_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
