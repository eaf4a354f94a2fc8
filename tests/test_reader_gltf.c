// glTF and GLB: containers, accessors of all kinds, primitives, nodes.
// What is broken is in test_gltf_broken.c, other files in test_gltf_files.c.
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "faults.h"
#include "gltf_text.h"

#define ASSET "'asset':{'version':'2.0'}"

static const float corner_positions[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};

// Four positions at byte 0, then the indices 0 1 2 3 as bytes (48), shorts (52) and words (60).
static gltf_bytes square_data(void)
{
    gltf_bytes data = {0};
    gltf_put_floats(&data, 12, corner_positions);
    gltf_put_u8(&data, 4, (int[]){0, 1, 2, 3});
    gltf_put_u16(&data, 4, (int[]){0, 1, 2, 3});
    gltf_put_u32(&data, 4, (int[]){0, 1, 2, 3});
    return data;
}

#define VIEW     "'bufferViews':[{'buffer':0,'byteLength':76}]"
#define POSITION "{'bufferView':0,'componentType':5126,'type':'VEC3','count':4}"

static void read_square(graze_context *context, const char *json, record *r)
{
    gltf_bytes data = square_data();
    for (int kind = 0; kind < 2; ++kind) {
        record_free(r);
        test_last_error[0] = '\0';
        if (gltf_read(context, (gltf_kind)kind, json, &data, r) != GRAZE_OK)
            fail_msg("%s", test_last_error);
        assert_int_equal(r->header.format, kind == GLTF_GLB ? GRAZE_FORMAT_GLB : GRAZE_FORMAT_GLTF);
        assert_string_equal(r->encoding, kind == GLTF_GLB ? "binary little-endian" : "JSON");
        assert_int_equal(r->header.precision, GRAZE_FLOAT32);
        assert_true(r->header.metres_per_unit == 1);
    }
    gltf_free(&data);
}

// A square by its first `mode` corners; indices of the given component type, 0 for none.
static void read_mode(graze_context *context, int mode, int type, int count, record *r)
{
    char json[2000], indices[200] = "";
    if (type != 0)
        snprintf(indices, sizeof indices,
                 ",{'bufferView':0,'byteOffset':%d,'componentType':%d,'type':'SCALAR','count':%d}",
                 type == 5121   ? 48
                 : type == 5123 ? 52
                                : 60,
                 type, count);
    snprintf(json, sizeof json,
             "{" ASSET ",$," VIEW ",'accessors':[{'bufferView':0,'componentType':5126,"
             "'type':'VEC3','count':%d}%s],"
             "'meshes':[{'primitives':[{'mode':%d,'attributes':{'POSITION':0}%s}]}]}",
             type != 0 ? 4 : count, indices, mode, type != 0 ? ",'indices':1" : "");
    read_square(context, json, r);
}

static void every_mode_and_index_type(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    static const int types[] = {0, 5121, 5123, 5125};
    static const struct {
        int mode, count;
        uint64_t triangles, corners[6], others, empty;
    } cases[] = {
        {0, 4, 0, {0}, 4, 0},       {1, 4, 0, {0}, 2, 0}, {1, 3, 0, {0}, 1, 0},
        {2, 4, 0, {0}, 4, 0},       {3, 4, 0, {0}, 3, 0}, {4, 3, 1, {0, 1, 2}, 0, 0},
        {4, 4, 1, {0, 1, 2}, 0, 1}, {4, 2, 0, {0}, 0, 1}, {5, 4, 2, {0, 1, 2, 2, 1, 3}, 0, 0},
        {5, 3, 1, {0, 1, 2}, 0, 0}, {5, 2, 0, {0}, 0, 1}, {6, 4, 2, {0, 1, 2, 0, 2, 3}, 0, 0},
        {6, 3, 1, {0, 1, 2}, 0, 0},
    };
    record r = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        for (int t = 0; t < 4; ++t) {
            read_mode(context, cases[i].mode, types[t], cases[i].count, &r);
            record_check_triangles(&r, cases[i].triangles, cases[i].corners);
            assert_int_equal(r.losses.other_primitives, cases[i].others);
            assert_int_equal(r.losses.empty_polygons, cases[i].empty);
        }
    record_free(&r);
    test_context_done(context);
}

static void long_strips_and_fans_cross_batches(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (int mode = 4; mode <= 6; ++mode) {
        const uint32_t count = 40000;
        gltf_bytes data = {0};
        for (uint32_t i = 0; i < count; ++i)
            gltf_put_floats(&data, 3, (float[]){(float)i, 0, 1});
        for (uint32_t i = 0; i < count; ++i)
            gltf_put_u16(&data, 1, (int[]){(int)((i * 7919u) % count)});
        char json[1000];
        snprintf(json, sizeof json,
                 "{" ASSET ",$,'bufferViews':[{'buffer':0,'byteLength':480000},"
                 "{'buffer':0,'byteOffset':480000,'byteLength':80000}],'accessors':["
                 "{'bufferView':0,'componentType':5126,'type':'VEC3','count':40000},"
                 "{'bufferView':1,'componentType':5123,'type':'SCALAR','count':40000}],"
                 "'meshes':[{'primitives':[{'mode':%d,'attributes':{'POSITION':0},'indices':1}]}]}",
                 mode);
        record r = {0};
        assert_int_equal(gltf_read(context, GLTF_GLB, json, &data, &r), GRAZE_OK);
        assert_int_equal(r.vertex_count, count);
        assert_int_equal(r.triangle_count, mode == 4 ? count / 3 : count - 2);
        for (uint64_t i = 0; i < r.triangle_count; ++i) {
            uint64_t a = mode == 4 ? 3 * i : mode == 5 ? i + i % 2 : 0;
            uint64_t b = mode == 4 ? 3 * i + 1 : mode == 5 ? i + 1 - i % 2 : i + 1;
            uint64_t c = mode == 4 ? 3 * i + 2 : i + 2;
            assert_int_equal(r.corners[3 * i], a * 7919 % count);
            assert_int_equal(r.corners[3 * i + 1], b * 7919 % count);
            assert_int_equal(r.corners[3 * i + 2], c * 7919 % count);
        }
        record_free(&r);
        gltf_free(&data);
    }
    test_context_done(context);
}

// An accessor of random layout, and the floats that it stands for.
typedef struct random_accessor {
    gltf_bytes data;
    char json[2000];
    float expected[3000];
    uint32_t count;
} random_accessor;

static float random_component(test_random *random, int type, int normalized, uint8_t bytes[4])
{
    uint32_t bits = (uint32_t)test_next(random);
    if (test_next(random) % 8 == 0)
        bits = test_next(random) % 2 ? 0x80808080u : 0x7f7f7f7fu;
    memcpy(bytes, &bits, 4);
    switch (type) {
    case 5120: {
        float value = (int8_t)bits;
        return normalized ? fmaxf(value / 127.0f, -1.0f) : value;
    }
    case 5121: return normalized ? (float)(uint8_t)bits / 255.0f : (float)(uint8_t)bits;
    case 5122: {
        float value = (int16_t)bits;
        return normalized ? fmaxf(value / 32767.0f, -1.0f) : value;
    }
    case 5123: return normalized ? (float)(uint16_t)bits / 65535.0f : (float)(uint16_t)bits;
    default: {
        float value = (float)(test_unit(random) * 1000 - 500);
        memcpy(bytes, &value, 4);
        return value;
    }
    }
}

static void make_random_accessor(test_random *random, random_accessor *a)
{
    static const int types[] = {5120, 5121, 5122, 5123, 5126};
    int type = types[test_next(random) % 5], normalized = (int)(test_next(random) % 2);
    uint32_t size = type <= 5121 ? 1 : type <= 5123 ? 2 : 4;
    uint32_t stride =
        test_next(random) % 2 ? 3 * size : (uint32_t)(3 * size + test_next(random) % 30);
    uint32_t view_offset = (uint32_t)(test_next(random) % 20);
    uint32_t offset = (uint32_t)(test_next(random) % 20);
    bool dense = test_next(random) % 4 != 0, sparse = !dense || test_next(random) % 2;
    a->count = (uint32_t)(1 + test_next(random) % 900);
    a->data.count = 0;
    memset(a->expected, 0, sizeof a->expected);
    uint8_t filler[512] = {0xee, 0xee, 0xee};
    gltf_put(&a->data, filler, view_offset + offset);
    for (uint32_t i = 0; dense && i < a->count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            uint8_t bytes[4];
            a->expected[3 * i + (uint32_t)axis] = random_component(random, type, normalized, bytes);
            gltf_put(&a->data, bytes, size);
        }
        if (i + 1 < a->count)
            gltf_put(&a->data, filler, stride - 3 * size);
    }
    uint64_t view_bytes = a->data.count - view_offset;
    char sparse_json[500] = "", view_json[200] = "", stride_json[50] = "";
    uint32_t replaced = 0, index_size = a->count <= 256 ? 1 : a->count % 2 ? 2 : 4;
    uint64_t indices_at = a->data.count, values_at = 0;
    uint32_t chosen[1000];
    for (uint32_t i = 0; sparse && i < a->count; ++i)
        if (test_next(random) % 3 == 0)
            chosen[replaced++] = i;
    for (uint32_t i = 0; i < replaced; ++i)
        gltf_put(&a->data, &chosen[i], index_size);
    values_at = a->data.count;
    for (uint32_t i = 0; i < replaced; ++i)
        for (uint32_t axis = 0; axis < 3; ++axis) {
            uint8_t bytes[4];
            a->expected[3 * chosen[i] + axis] = random_component(random, type, normalized, bytes);
            gltf_put(&a->data, bytes, size);
        }
    gltf_put(&a->data, filler, 1); // a buffer is never empty
    if (replaced != 0)
        snprintf(sparse_json, sizeof sparse_json,
                 ",'sparse':{'count':%u,'indices':{'bufferView':1,'componentType':%d},"
                 "'values':{'bufferView':2}}",
                 replaced,
                 index_size == 1   ? 5121
                 : index_size == 2 ? 5123
                                   : 5125);
    if (dense)
        snprintf(view_json, sizeof view_json, "'bufferView':0,'byteOffset':%u,", offset);
    if (stride != 3 * size || test_next(random) % 2)
        snprintf(stride_json, sizeof stride_json, ",'byteStride':%u", stride);
    snprintf(a->json, sizeof a->json,
             "{" ASSET ",'extensionsUsed':['KHR_mesh_quantization'],$,'bufferViews':["
             "{'buffer':0,'byteOffset':%u,'byteLength':%llu%s},"
             "{'buffer':0,'byteOffset':%llu,'byteLength':%u},"
             "{'buffer':0,'byteOffset':%llu,'byteLength':%u}],'accessors':["
             "{%s'componentType':%d,'normalized':%s,'type':'VEC3','count':%u%s}],"
             "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]}",
             view_offset, (unsigned long long)view_bytes, stride_json,
             (unsigned long long)indices_at, replaced * index_size, (unsigned long long)values_at,
             replaced * 3 * size, view_json, type, normalized ? "true" : "false", a->count,
             sparse_json);
}

static void every_accessor_layout(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    static random_accessor a;
    for (uint64_t seed = 1; seed <= 600; ++seed) {
        test_random random = {seed};
        make_random_accessor(&random, &a);
        record r = {0};
        graze_status status = gltf_read(context, (gltf_kind)(seed % 2), a.json, &a.data, &r);
        if (status != GRAZE_OK)
            fail_msg("seed %d: %s\n%s", (int)seed, test_last_error, a.json);
        assert_int_equal(r.vertex_count, a.count);
        for (uint32_t i = 0; i < 3 * a.count; ++i)
            if (r.positions[i] != (double)a.expected[i])
                fail_msg("seed %d: coordinate %u is %g, not %g\n%s", (int)seed, i, r.positions[i],
                         (double)a.expected[i], a.json);
        record_free(&r);
    }
    gltf_free(&a.data);
    test_context_done(context);
}

// The widest stride there is: a batch then takes several reads.
static void wide_strides_cross_pieces(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    const uint32_t count = 5000;
    gltf_bytes data = {0};
    static uint8_t filler[240];
    for (uint32_t i = 0; i < count; ++i) {
        gltf_put_floats(&data, 3, (float[]){(float)i, -1, 1});
        gltf_put(&data, filler, sizeof filler);
    }
    record r = {0};
    assert_int_equal(
        gltf_read(context, GLTF_GLB,
                  "{" ASSET ",$,'bufferViews':[{'buffer':0,'byteLength':1260000,'byteStride':252}],"
                  "'accessors':[{'bufferView':0,'componentType':5126,'type':'VEC3','count':5000}],"
                  "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]}",
                  &data, &r),
        GRAZE_OK);
    assert_int_equal(r.vertex_count, count);
    for (uint32_t i = 0; i < count; ++i)
        assert_true(r.positions[3 * i] == (double)i && r.positions[3 * i + 2] == 1);
    record_free(&r);
    gltf_free(&data);
    test_context_done(context);
}

static void shared_accessors_and_meshes_come_once(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    record r = {0};
    read_square(context,
                "{" ASSET ",$," VIEW ",'accessors':[" POSITION ","
                "{'bufferView':0,'byteOffset':48,'componentType':5121,'type':'SCALAR','count':3},"
                "{'bufferView':0,'byteOffset':54,'componentType':5123,'type':'SCALAR','count':3}],"
                "'meshes':[{'name':'unused','primitives':[{'attributes':{'POSITION':2}}]},"
                "{'name':'m','primitives':[{'attributes':{'POSITION':0},'indices':1},"
                "{'attributes':{'POSITION':0},'indices':2},"
                "{'mode':0,'attributes':{'POSITION':0}}]}],"
                "'nodes':[{'mesh':1,'name':'one'},{'mesh':1,'translation':[1,2,3]},"
                "{'name':'camera'}]}",
                &r);
    assert_int_equal(r.vertex_count, 4);
    record_check_triangles(&r, 2, (uint64_t[]){0, 1, 2, 1, 2, 3});
    assert_int_equal(r.losses.other_primitives, 4);
    assert_int_equal(r.object_count, 2);
    assert_string_equal(r.objects[0].name, "one");
    assert_string_equal(r.objects[1].name, "m");
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(r.objects[i].object.first_triangle, 0);
        assert_int_equal(r.objects[i].object.triangle_count, 2);
        assert_int_equal(r.objects[i].object.placed, i);
    }
    record_free(&r);
    test_context_done(context);
}

#define MESH                                                                                       \
    ASSET ",$," VIEW ",'accessors':[" POSITION "],"                                                \
          "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]"

static void check_matrix(const record *r, uint64_t object, const double expected[12])
{
    for (int i = 0; i < 12; ++i)
        if (fabs(r->objects[object].object.matrix[i] - expected[i]) > 1e-15)
            fail_msg("object %d: entry %d is %.17g, not %.17g", (int)object, i,
                     r->objects[object].object.matrix[i], expected[i]);
}

static void nodes_place_and_name_objects(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    record r = {0};
    read_square(context,
                "{" MESH ",'scene':1,'scenes':[{'nodes':[0]},{'nodes':[5,1]}],'nodes':["
                "{'mesh':0,'name':'other scene'},"
                "{'name':'hall','children':[2,3],'translation':[10,0,0]},"
                "{'mesh':0,'rotation':[0,0,0.70710678,0.70710678],'scale':[2,3,4],'name':'a/b'},"
                "{'children':[4]},"
                "{'mesh':0,'name':'','matrix':[0,1,0,0,-1,0,0,0,0,0,1,0,5,6,7,1],'children':[6]},"
                "{'mesh':0,'rotation':[0,0,0,-1]},"
                "{'name':'leaf','children':[7]},{'mesh':0}]}",
                &r);
    assert_int_equal(r.object_count, 4);
    static const char *const names[] = {"node 5", "a/b", "", "node 7"};
    static const char *const groups[] = {"", "hall", "hall", "hall//leaf"};
    for (int i = 0; i < 4; ++i) {
        assert_string_equal(r.objects[i].name, names[i]);
        assert_string_equal(r.objects[i].group, groups[i]);
        assert_int_equal(r.objects[i].object.placed, i != 0);
    }
    check_matrix(&r, 0, (double[]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
    check_matrix(&r, 1, (double[]){0, -3, 0, 10, 2, 0, 0, 0, 0, 0, 4, 0});
    check_matrix(&r, 2, (double[]){0, -1, 0, 15, 1, 0, 0, 6, 0, 0, 1, 7});
    check_matrix(&r, 3, (double[]){0, -1, 0, 15, 1, 0, 0, 6, 0, 0, 1, 7});
    // A rotation that is not of length 1, and turns x to y, y to z and z to x.
    read_square(context, "{" MESH ",'nodes':[{'mesh':0,'rotation':[3,3,3,3]}]}", &r);
    check_matrix(&r, 0, (double[]){0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0});
    record_free(&r);
    test_context_done(context);
}

static void without_scene_all_roots_count(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    record r = {0};
    read_square(context,
                "{" MESH ",'nodes':[{'mesh':0,'name':'child'},{'children':[0],'name':'root'},"
                "{'mesh':0,'name':'second'}]}",
                &r);
    assert_int_equal(r.object_count, 2);
    assert_string_equal(r.objects[0].name, "child");
    assert_string_equal(r.objects[0].group, "root");
    assert_string_equal(r.objects[1].name, "second");
    read_square(context, "{" MESH "}", &r);
    assert_int_equal(r.object_count, 1);
    assert_string_equal(r.objects[0].name, "mesh 0");
    read_square(context, "{" MESH ",'scenes':[{}],'nodes':[{'mesh':0}]}", &r);
    assert_int_equal(r.triangle_count, 0);
    record_free(&r);
    test_context_done(context);
}

static void instances_become_objects(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    gltf_bytes data = square_data(); // 76 bytes
    for (int i = 0; i < 100; ++i)
        gltf_put_floats(&data, 3, (float[]){(float)i, 0.5f, 0}); // to 1276
    for (int i = 0; i < 100; ++i)
        gltf_put_u16(&data, 4, (int[]){0, 0, i % 2 ? 32767 : 0, i % 2 ? 0 : 32767});
    record r = {0};
    assert_int_equal(
        gltf_read(context, GLTF_GLB,
                  "{" ASSET ",$,'extensionsRequired':['EXT_mesh_gpu_instancing'],"
                  "'bufferViews':[{'buffer':0,'byteLength':2076}],'accessors':[" POSITION ","
                  "{'bufferView':0,'byteOffset':76,'componentType':5126,'type':'VEC3','count':100},"
                  "{'bufferView':0,'byteOffset':1276,'componentType':5122,'normalized':true,"
                  "'type':'VEC4','count':100}],"
                  "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}],"
                  "'nodes':[{'name':'bolt','mesh':0,'scale':[2,2,2],'extensions':{"
                  "'EXT_mesh_gpu_instancing':{'attributes':{'TRANSLATION':1,'ROTATION':2}}}}]}",
                  &data, &r),
        GRAZE_OK);
    assert_int_equal(r.object_count, 100);
    assert_int_equal(r.triangle_count, 1);
    for (int i = 0; i < 100; ++i) {
        char name[20];
        snprintf(name, sizeof name, "bolt [%d]", i);
        assert_string_equal(r.objects[i].name, name);
        double s = i % 2 ? -2 : 2;
        check_matrix(&r, (uint64_t)i, (double[]){s, 0, 0, 2.0 * i, 0, s, 0, 1, 0, 0, 2, 0});
    }
    record_free(&r);
    gltf_free(&data);
    test_context_done(context);
}

static void data_uris_may_be_escaped_and_unpadded(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    // Three positions, 36 bytes: 0 0 0, 1 0 0, 0 1 0, and '/' and '+' in what is not used.
    static const char *const uris[] = {
        "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA//+-",
        "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\\/\\/\\u002b+",
        "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA%2F/%2B=",
        "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAA",
        "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA",
    };
    for (size_t i = 0; i < sizeof uris / sizeof *uris; ++i) {
        char json[2000], quoted[2000];
        snprintf(json, sizeof json,
                 "{" ASSET ",'buffers':[{'byteLength':36,'uri':'data:;base64,%s'}],"
                 "'bufferViews':[{'buffer':0,'byteLength':36}],"
                 "'accessors':[{'bufferView':0,'componentType':5126,'type':'VEC3','count':3}],"
                 "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]}",
                 uris[i]);
        for (size_t k = 0; k <= strlen(json); ++k)
            quoted[k] = (char)(json[k] == '\'' ? '"' : json[k]);
        record r = {0};
        graze_status status = record_read_text(context, "t.gltf", quoted, &r);
        assert_int_equal(status, i == 0 ? GRAZE_ERROR_FORMAT : GRAZE_OK); // '-' is not base64
        if (status == GRAZE_OK)
            record_check_vertices(&r, 3, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0});
        record_free(&r);
    }
    test_context_done(context);
}

static void what_is_not_finite_is_dropped(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    gltf_bytes data = {0};
    gltf_put_floats(&data, 18,
                    (float[]){0, 0, 0, 1, 0, 0, 0, 1, 0, NAN, 0, 0, 1, 0, 0, 0, INFINITY, 0});
    record r = {0};
    assert_int_equal(gltf_read(context, GLTF_GLB,
                               "{" ASSET
                               ",$,'bufferViews':[{'buffer':0,'byteLength':72}],'accessors':["
                               "{'bufferView':0,'componentType':5126,'type':'VEC3','count':6}],"
                               "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]}",
                               &data, &r),
                     GRAZE_OK);
    assert_int_equal(r.triangle_count, 1);
    assert_int_equal(r.losses.nonfinite_triangles, 1);
    assert_int_equal(r.losses.nonfinite_vertices, 2);
    assert_int_equal(r.objects[0].object.triangle_count, 1);
    record_free(&r);
    gltf_free(&data);
    test_context_done(context);
}

// 24 MB of positions pass through a context that may take 8 MB.
static void memory_stays_bounded(void **state)
{
    (void)state;
    graze_context_def def = graze_context_def_default();
    def.memory_byte_limit = 8u << 20;
    graze_context *context = test_context(&def);
    gltf_bytes data = {0};
    float row[3000];
    for (int i = 0; i < 2000; ++i) {
        for (int k = 0; k < 3000; ++k)
            row[k] = (float)(i + k);
        gltf_put_floats(&data, 3000, row);
    }
    gltf_bytes file =
        gltf_build(GLTF_GLB,
                   "{" ASSET ",$,'bufferViews':[{'buffer':0,'byteLength':24000000}],'accessors':["
                   "{'bufferView':0,'componentType':5126,'type':'VEC3','count':2000000}],"
                   "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]}",
                   &data);
    gltf_tally tally = {0};
    graze_mesh_sink sink = gltf_tally_sink(&tally);
    if (graze_mesh_stream_memory(context, "t.glb", file.bytes, file.count, NULL, &sink) != GRAZE_OK)
        fail_msg("%s", test_last_error);
    assert_int_equal(tally.vertex_count, 2000000);
    assert_int_equal(tally.triangle_count, 666666);
    assert_true(tally.sum == 2000000 * (1999.0 / 2 + 2997.0 / 2));
    assert_true(graze_context_memory(context).peak_bytes < 4u << 20);
    gltf_free(&file);
    gltf_free(&data);
    test_context_done(context);
}

static graze_status read_all_kinds(graze_context *context, void *data)
{
    record r = {0};
    graze_status status =
        gltf_read(context, GLTF_GLB,
                  "{" ASSET ",'extensionsUsed':['KHR_mesh_quantization'],$," VIEW
                  ",'accessors':[" POSITION ","
                  "{'bufferView':0,'byteOffset':48,'componentType':5121,'type':'SCALAR','count':3},"
                  "{'componentType':5121,'type':'VEC3','count':4,'sparse':{'count':2,"
                  "'indices':{'bufferView':0,'byteOffset':49,'componentType':5121},"
                  "'values':{'bufferView':0}}}],"
                  "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1},"
                  "{'mode':5,'attributes':{'POSITION':2}}]}],'scenes':[{'nodes':[0]}],"
                  "'nodes':[{'children':[1],'name':'top'},{'mesh':0}]}",
                  data, &r);
    record_free(&r);
    return status;
}

static void every_fault_is_survived(void **state)
{
    (void)state;
    gltf_bytes data = square_data();
    assert_true(test_all_faults(read_all_kinds, &data, 1) > 15);
    gltf_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mode_and_index_type),
        cmocka_unit_test(long_strips_and_fans_cross_batches),
        cmocka_unit_test(every_accessor_layout),
        cmocka_unit_test(wide_strides_cross_pieces),
        cmocka_unit_test(shared_accessors_and_meshes_come_once),
        cmocka_unit_test(nodes_place_and_name_objects),
        cmocka_unit_test(without_scene_all_roots_count),
        cmocka_unit_test(instances_become_objects),
        cmocka_unit_test(data_uris_may_be_escaped_and_unpadded),
        cmocka_unit_test(what_is_not_finite_is_dropped),
        cmocka_unit_test(memory_stays_bounded),
        cmocka_unit_test(every_fault_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
