// The GLB writer: exact bytes of a small mesh, and that what is written reads back the same.
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/context.h"
#include "faults.h"
#include "reading.h"
#include "record.h"

static char path[256];

static int make_path(void **state)
{
    (void)state;
    const char *parent = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/graze-glb.XXXXXX.glb", parent != NULL ? parent : "/tmp");
    int descriptor = mkstemps(path, 4);
    return descriptor < 0 || close(descriptor) != 0;
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

static void write_view(graze_context *context, const graze_mesh_view *view)
{
    if (graze_mesh_write(context, view, path, NULL) != GRAZE_OK)
        fail_msg("%s", test_last_error);
}

static void read_back(graze_context *context, record *r)
{
    graze_mesh_sink sink = record_sink(r);
    if (graze_mesh_stream(context, path, NULL, &sink) != GRAZE_OK)
        fail_msg("%s", test_last_error);
}

static char *file_bytes(size_t *count)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 20);
    *count = fread(bytes, 1, (1 << 20) - 1, file);
    bytes[*count] = '\0';
    fclose(file);
    return bytes;
}

static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 0.1f, -2.5f};
static const uint32_t three[3] = {0, 1, 2};

static void bytes_are_as_specified(void **state)
{
    (void)state;
    graze_context *context = counting_context();
    graze_object object = {.name = "a\"\\\n\xff\xc3\xa9", .group = "g//h", .triangle_count = 1};
    graze_mesh_view view = {.precision = GRAZE_FLOAT32,
                            .metres_per_unit = 0.001,
                            .vertex_count = 3,
                            .triangle_count = 1,
                            .object_count = 1,
                            .positions = triangle,
                            .corners = three,
                            .objects = &object};
    write_view(context, &view);
    static const char json[] =
        "{\"asset\":{\"version\":\"2.0\",\"generator\":\"graze 0.1.0\"},\"scene\":0,"
        "\"scenes\":[{\"nodes\":[0]}],\"nodes\":["
        "{\"name\":\"units\",\"scale\":[0.001,0.001,0.001],\"children\":[1]},"
        "{\"name\":\"g\",\"children\":[2]},{\"name\":\"\",\"children\":[3]},"
        "{\"name\":\"h\",\"children\":[4]},"
        "{\"name\":\"a\\\"\\\\\\u000a\xef\xbf\xbd\xc3\xa9\",\"mesh\":0}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"
        "\"accessors\":[{\"bufferView\":0,\"byteOffset\":0,\"componentType\":5126,"
        "\"type\":\"VEC3\",\"count\":3,\"min\":[0,0,-2.5],\"max\":[1,0.1,0]},"
        "{\"bufferView\":1,\"byteOffset\":0,\"componentType\":5123,\"type\":\"SCALAR\","
        "\"count\":3}],\"bufferViews\":[{\"buffer\":0,\"byteStride\":12,\"target\":34962,"
        "\"byteLength\":36},{\"buffer\":0,\"target\":34963,\"byteOffset\":36,\"byteLength\":6}],"
        "\"buffers\":[{\"byteLength\":44}]}";
    size_t count = 0;
    char *bytes = file_bytes(&count);
    size_t padded = (sizeof json - 1 + 3) / 4 * 4;
    assert_int_equal(count, 12 + 8 + padded + 8 + 44);
    uint32_t words[5];
    memcpy(words, bytes, sizeof words);
    assert_memory_equal(bytes, "glTF", 4);
    assert_int_equal(words[1], 2);
    assert_int_equal(words[2], count);
    assert_int_equal(words[3], padded);
    assert_memory_equal(bytes + 16, "JSON", 4);
    assert_memory_equal(bytes + 20, json, sizeof json - 1);
    const char *binary = bytes + 20 + padded;
    assert_memory_equal(binary, "\x2c\0\0\0BIN", 8);
    assert_memory_equal(binary + 8, triangle, sizeof triangle);
    assert_memory_equal(binary + 8 + 36, "\0\0\1\0\2\0\0\0", 8);
    free(bytes);

    record r = {0};
    read_back(context, &r);
    assert_int_equal(test_warning_count, 0);
    assert_string_equal(r.objects[0].name, "a\"\\\n\xef\xbf\xbd\xc3\xa9");
    assert_string_equal(r.objects[0].group, "units/g//h");
    assert_true(r.objects[0].object.matrix[0] == 0.001);
    record_free(&r);
    test_context_done(context);
}

// ---- Random views

typedef struct random_view {
    graze_mesh_view view;
    float *floats;
    double *doubles;
    uint32_t *corners;
    graze_object *objects;
} random_view;

static const char *const names[] = {"", "pump", "a/b", "\xe2\x82\xac 1", "x\ty", "valve 2"};
static const char *const groups[] = {"",        "hall", "hall/north", "hall/south",
                                     "hall//x", "/",    "yard"};

static float random_float(test_random *random)
{
    uint64_t kind = test_next(random) % 8;
    return kind == 0   ? -0.0f
           : kind == 1 ? 0x1p-149f
           : kind == 2 ? FLT_MAX
                       : (float)(test_unit(random) * 100 - 50);
}

// Parts with triangles of their own; their vertices are separate, or (mixed) anywhere.
static void make_random_view(test_random *random, bool mixed, random_view *v)
{
    uint32_t part_count = (uint32_t)(1 + test_next(random) % 12);
    uint32_t counts[12], firsts[12], vertex_count = 0, triangle_count = 0;
    uint32_t part_vertices[12], part_first[12];
    for (uint32_t i = 0; i < part_count; ++i) {
        firsts[i] = triangle_count;
        counts[i] = (uint32_t)(1 + test_next(random) % 40);
        triangle_count += counts[i];
        part_first[i] = vertex_count;
        part_vertices[i] =
            test_next(random) % 20 == 0 ? 70000 : (uint32_t)(3 + test_next(random) % 60);
        vertex_count += part_vertices[i];
    }
    v->floats = calloc(3 * (size_t)vertex_count, sizeof(float));
    v->doubles = calloc(3 * (size_t)vertex_count, sizeof(double));
    v->corners = calloc(3 * (size_t)triangle_count, sizeof(uint32_t));
    for (uint32_t i = 0; i < 3 * vertex_count; ++i) {
        v->floats[i] = random_float(random);
        v->doubles[i] = (double)v->floats[i];
    }
    for (uint32_t p = 0; p < part_count; ++p)
        for (uint32_t i = 0; i < 3 * counts[p]; ++i) {
            uint32_t *corner = &v->corners[3 * firsts[p] + i];
            *corner = mixed ? (uint32_t)(test_next(random) % vertex_count)
                            : part_first[p] + (uint32_t)(test_next(random) % part_vertices[p]);
            if (!mixed && i < 2) // so that all vertices are within the range in use
                *corner = part_first[p] + (i == 0 ? 0 : part_vertices[p] - 1);
        }
    uint32_t object_count = part_count + (uint32_t)(test_next(random) % 6);
    v->objects = calloc(object_count, sizeof *v->objects);
    for (uint32_t i = 0; i < object_count; ++i) {
        uint32_t part = i < part_count ? i : (uint32_t)(test_next(random) % part_count);
        graze_object *object = &v->objects[i];
        *object = (graze_object){.name = names[test_next(random) % 6],
                                 .group = groups[test_next(random) % 7],
                                 .first_triangle = firsts[part],
                                 .triangle_count = counts[part],
                                 .matrix = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
        if (i >= part_count && test_next(random) % 4 == 0)
            object->triangle_count = 0;
        object->placed = test_next(random) % 2;
        for (int k = 0; object->placed && k < 12; ++k)
            object->matrix[k] = test_unit(random) * 10 - 5;
    }
    v->view = (graze_mesh_view){.precision = GRAZE_FLOAT32,
                                .vertex_count = vertex_count,
                                .triangle_count = triangle_count,
                                .object_count = object_count,
                                .positions = v->floats,
                                .corners = v->corners,
                                .objects = v->objects};
}

static void free_random_view(random_view *v)
{
    free(v->floats);
    free(v->doubles);
    free(v->corners);
    free(v->objects);
}

// Objects in their order with their triangles, each coordinate to the bit.
static void check_same(const random_view *v, const record *r, uint64_t seed)
{
    uint64_t next = 0;
    for (uint64_t i = 0; i < v->view.object_count; ++i) {
        const graze_object *object = &v->objects[i];
        if (object->triangle_count == 0)
            continue;
        if (next == r->object_count)
            fail_msg("seed %d: object %d is missing", (int)seed, (int)i);
        const graze_object *back = &r->objects[next++].object;
        assert_string_equal(back->name, object->name);
        assert_string_equal(back->group, object->group);
        assert_int_equal(back->placed, object->placed);
        assert_memory_equal(back->matrix, object->matrix, sizeof back->matrix);
        assert_int_equal(back->triangle_count, object->triangle_count);
        for (uint64_t k = 0; k < 3 * object->triangle_count; ++k) {
            const double *a = v->doubles + 3 * v->corners[3 * object->first_triangle + k];
            const double *b = r->positions + 3 * r->corners[3 * back->first_triangle + k];
            if (memcmp(a, b, sizeof(double[3])) != 0)
                fail_msg("seed %d: object %d, corner %d", (int)seed, (int)i, (int)k);
        }
    }
    assert_int_equal(next, r->object_count);
    assert_true(r->vertex_count <= v->view.vertex_count);
}

static void floats_read_back_the_same(void **state)
{
    (void)state;
    graze_context *context = counting_context();
    for (uint64_t seed = 1; seed <= 100; ++seed) {
        test_random random = {seed};
        random_view v = {0};
        bool mixed = seed % 3 == 0;
        make_random_view(&random, mixed, &v);
        bool wide = seed % 2; // doubles that are floats are written alike
        v.view.precision = wide ? GRAZE_FLOAT64 : GRAZE_FLOAT32;
        v.view.positions = wide ? (const void *)v.doubles : (const void *)v.floats;
        write_view(context, &v.view);
        assert_int_equal(test_warning_count, 0);
        record r = {0};
        read_back(context, &r);
        check_same(&v, &r, seed);
        if (!mixed) { // then even the numbers stay
            record_check_vertices(&r, v.view.vertex_count, v.doubles);
            assert_int_equal(r.triangle_count, v.view.triangle_count);
            for (uint64_t i = 0; i < 3 * r.triangle_count; ++i)
                assert_int_equal(r.corners[i], v.corners[i]);
        }
        record_free(&r);
        free_random_view(&v);
    }
    test_context_done(context);
}

static uint32_t position_accessors(void)
{
    size_t count = 0;
    char *bytes = file_bytes(&count);
    uint32_t found = 0;
    for (const char *at = bytes + 20; (at = strstr(at, "\"VEC3\"")) != NULL; ++at)
        ++found;
    free(bytes);
    return found;
}

static void separate_objects_carry_their_own_vertices(void **state)
{
    (void)state;
    graze_context *context = counting_context();
    const uint32_t count = 1000;
    float *positions = calloc(9 * count, sizeof *positions);
    uint32_t *corners = calloc(3 * count, sizeof *corners);
    graze_object *objects = calloc(count, sizeof *objects);
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = 0; k < 3; ++k)
            corners[3 * i + k] = 3 * i + k;
        objects[i] =
            (graze_object){.name = "o", .group = "", .first_triangle = i, .triangle_count = 1};
    }
    graze_mesh_view view = {.precision = GRAZE_FLOAT32,
                            .vertex_count = 3 * count,
                            .triangle_count = count,
                            .object_count = count,
                            .positions = positions,
                            .corners = corners,
                            .objects = objects};
    write_view(context, &view);
    assert_int_equal(position_accessors(), count);
    record r = {0};
    read_back(context, &r);
    assert_int_equal(r.vertex_count, 3 * count);
    record_free(&r);
    // Every object also uses the last vertex: now one range holds them all, once.
    for (uint32_t i = 0; i < count; ++i)
        corners[3 * i + 2] = 3 * count - 1;
    write_view(context, &view);
    assert_int_equal(position_accessors(), 1);
    read_back(context, &r);
    assert_int_equal(r.vertex_count, 3 * count);
    record_free(&r);
    free(positions);
    free(corners);
    free(objects);
    test_context_done(context);
}

// Far from the origin: rounded relative to the object, and told so.
static void doubles_are_rounded_near_their_centre(void **state)
{
    (void)state;
    for (int placed = 0; placed < 2; ++placed) {
        graze_context *context = counting_context();
        double positions[12] = {1e6 + 0.1, 5e6, -3e6, 1e6 + 1.1, 5e6 + 0.7, -3e6,
                                1e6,       5e6, NAN,  1e6 + 0.3, 5e6 + 0.2, -3e6 + 1.0 / 3};
        static const uint32_t corners[3] = {0, 1, 3};
        graze_object object = {.name = "far",
                               .group = "",
                               .triangle_count = 1,
                               .matrix = {0, -2, 0, 7, 2, 0, 0, 8, 0, 0, 2, 9},
                               .placed = (uint32_t)placed};
        graze_mesh_view view = {.precision = GRAZE_FLOAT64,
                                .vertex_count = 4,
                                .triangle_count = 1,
                                .object_count = 1,
                                .positions = positions,
                                .corners = corners,
                                .objects = &object};
        write_view(context, &view);
        assert_int_equal(test_warning_count, 1);
        assert_non_null(strstr(test_last_warning, "glTF holds coordinates as float"));
        record r = {0};
        read_back(context, &r);
        assert_int_equal(r.triangle_count, 1);
        assert_int_equal(r.objects[0].object.placed, 1);
        for (int i = 0; i < 3; ++i) {
            const double *p = r.positions + 3 * r.corners[i], *m = r.objects[0].object.matrix;
            const double *q = positions + 3 * corners[i], *o = object.matrix;
            for (int axis = 0; axis < 3; ++axis) {
                double got = m[4 * axis] * p[0] + m[4 * axis + 1] * p[1] + m[4 * axis + 2] * p[2] +
                             m[4 * axis + 3];
                double wanted = placed ? o[4 * axis] * q[0] + o[4 * axis + 1] * q[1] +
                                             o[4 * axis + 2] * q[2] + o[4 * axis + 3]
                                       : q[axis];
                assert_true(fabs(got - wanted) < 2e-7);
            }
        }
        record_free(&r);
        test_context_done(context);
    }
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    graze_context *context = counting_context();
    static const double positions[9] = {0, 0, 0, 1e300, 0, 0, -1e300, 1, 0.1};
    graze_mesh_view view = {.precision = GRAZE_FLOAT64,
                            .vertex_count = 3,
                            .triangle_count = 1,
                            .positions = positions,
                            .corners = three};
    assert_int_equal(graze_mesh_write(context, &view, path, NULL), GRAZE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(test_last_error, "farther away than glTF's float can hold"));

    // More than 4 GiB: refused before a position is looked at, which would end in a trap.
    uint64_t vertex_count = 400000000, bytes = vertex_count * 12;
    void *nothing =
        mmap(NULL, (size_t)bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(nothing != MAP_FAILED);
    uint32_t corners[3] = {0, 1, 399999999};
    view = (graze_mesh_view){.precision = GRAZE_FLOAT32,
                             .vertex_count = vertex_count,
                             .triangle_count = 1,
                             .positions = nothing,
                             .corners = corners};
    assert_int_equal(graze_mesh_write(context, &view, path, NULL), GRAZE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(test_last_error, "more than 4 GiB"));
    munmap(nothing, (size_t)bytes);

    static char name[5000];
    memset(name, 'n', sizeof name - 1);
    graze_object object = {.name = name, .group = "", .triangle_count = 1};
    view = (graze_mesh_view){.precision = GRAZE_FLOAT32,
                             .vertex_count = 3,
                             .triangle_count = 1,
                             .object_count = 1,
                             .positions = triangle,
                             .corners = three,
                             .objects = &object};
    assert_int_equal(graze_mesh_write(context, &view, path, NULL), GRAZE_ERROR_UNSUPPORTED);
    memset(name, '/', sizeof name - 1);
    object.name = "";
    object.group = name;
    assert_int_equal(graze_mesh_write(context, &view, path, NULL), GRAZE_ERROR_UNSUPPORTED);
    name[900] = '\0';
    write_view(context, &view);
    record r = {0};
    read_back(context, &r);
    assert_string_equal(r.objects[0].group, name);
    record_free(&r);
    test_context_done(context);
}

static void nothing_can_be_written_too(void **state)
{
    (void)state;
    graze_context *context = counting_context();
    graze_mesh_view view = {.precision = GRAZE_FLOAT32, .vertex_count = 3, .positions = triangle};
    write_view(context, &view);
    record r = {0};
    read_back(context, &r);
    assert_int_equal(r.vertex_count, 0);
    assert_int_equal(r.triangle_count, 0);
    record_free(&r);
    test_context_done(context);
}

static graze_status write_some(graze_context *context, void *data)
{
    return graze_mesh_write(context, data, path, NULL);
}

static void every_fault_is_survived(void **state)
{
    (void)state;
    test_random random = {7};
    random_view v = {0};
    make_random_view(&random, true, &v);
    assert_true(test_all_faults(write_some, &v.view, 1) > 8);
    free_random_view(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_as_specified),
        cmocka_unit_test(floats_read_back_the_same),
        cmocka_unit_test(separate_objects_carry_their_own_vertices),
        cmocka_unit_test(doubles_are_rounded_near_their_centre),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(nothing_can_be_written_too),
        cmocka_unit_test(every_fault_is_survived),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
