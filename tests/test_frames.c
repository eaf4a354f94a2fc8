// Frames of things that deform, break and fold: as large as the paper has them, the same bits in
// any order and on every machine, and nothing in them that is not a triangle.
#include <math.h>
#include <stdlib.h>

#include "capture.h"
#include "frames.h"
#include "test.h"

static generator_frames *open_scene(generator_frames_def def)
{
    generator_frames *frames = NULL;
    assert_int_equal(generator_frames_open(&def, &frames), GRAZE_OK);
    return frames;
}

static generator_frame frame_at(generator_frames *frames, uint32_t number)
{
    generator_frame frame;
    assert_int_equal(generator_frames_at(frames, number, &frame), GRAZE_OK);
    return frame;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; ++i)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_frame(const generator_frame *frame)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i < frame->object_count; ++i) {
        const graze_mesh_view *view = &frame->objects[i];
        hash = hash_bytes(hash, frame->names[i], strlen(frame->names[i]) + 1);
        hash = hash_bytes(hash, view->positions, 12 * view->vertex_count);
        hash = hash_bytes(hash, view->corners, 12 * view->triangle_count);
    }
    return hash;
}

static void check_frame(const generator_frame *frame, double low, double high)
{
    uint64_t vertices = 0, triangles = 0;
    for (uint32_t i = 0; i < frame->object_count; ++i) {
        const graze_mesh_view *view = &frame->objects[i];
        const float *positions = view->positions;
        for (uint64_t k = 0; k < 3 * view->vertex_count; ++k)
            assert_true((double)positions[k] >= low && (double)positions[k] <= high);
        for (uint64_t k = 0; k < 3 * view->triangle_count; ++k)
            assert_true(view->corners[k] < view->vertex_count);
        for (uint32_t k = 0; k < i; ++k)
            assert_string_not_equal(frame->names[i], frame->names[k]);
        vertices += view->vertex_count;
        triangles += view->triangle_count;
    }
    assert_true(vertices == frame->vertex_count && triangles == frame->triangle_count);
}

static void sizes_are_those_of_the_paper(void **state)
{
    (void)state;
    static const struct {
        const char *scene;
        uint32_t objects;
        uint64_t triangles, within;
        double low, high; // of coordinates
    } rows[] = {{"cylinders", 100, 20000, 0, 0.0, 1.0},
                {"tori", 6, 120000, 0, 0.0, 1.0},
                {"models", 2, 285000, 500, -2.0, 2.0},
                {"breaking", 2, 285000, 500, -2.0, 2.0},
                {"cloth", 1, 200000, 500, -1.0, 1.0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        generator_frames *frames = open_scene((generator_frames_def){.scene = rows[i].scene});
        generator_frame frame = frame_at(frames, 0);
        assert_int_equal(frame.object_count, rows[i].objects);
        assert_true(frame.triangle_count + rows[i].within >= rows[i].triangles &&
                    frame.triangle_count <= rows[i].triangles + rows[i].within);
        for (uint32_t number = 0; number < 600; number += 299) {
            frame = frame_at(frames, number);
            check_frame(&frame, rows[i].low, rows[i].high);
        }
        generator_frames_close(frames);
    }
}

// The whole serpent first; then more and more pieces, none of whose triangles are lost.
static void things_break_into_smaller_and_smaller_pieces(void **state)
{
    (void)state;
    generator_frames *frames = open_scene(
        (generator_frames_def){.scene = "breaking", .frame_count = 40, .triangle_count = 20000});
    generator_frame frame = frame_at(frames, 0);
    uint64_t triangles = frame.triangle_count;
    uint32_t last = frame.object_count, steps = 0;
    assert_string_equal(frame.names[0], "serpent");
    assert_string_equal(frame.names[1], "hare");
    for (uint32_t number = 1; number < 45; ++number) {
        frame = frame_at(frames, number);
        assert_true(frame.object_count >= last && frame.triangle_count == triangles);
        steps += frame.object_count > last;
        last = frame.object_count;
    }
    assert_int_equal(last, 129);
    assert_true(steps > 10);
    generator_frames_close(frames);
}

static void a_frame_is_the_same_in_any_order(void **state)
{
    (void)state;
    for (const generator_frames_scene *scene = generator_frames_scenes; scene->name != NULL;
         ++scene) {
        generator_frames_def def = {
            .scene = scene->name, .frame_count = 30, .triangle_count = 600, .seed = 7};
        generator_frames *forward = open_scene(def), *alone = open_scene(def);
        uint64_t hashes[30];
        for (uint32_t number = 0; number < 30; ++number) {
            generator_frame frame = frame_at(forward, number);
            hashes[number] = hash_frame(&frame);
            assert_true(number == 0 || strcmp(scene->name, "breaking") == 0 ||
                        hashes[number] != hashes[number - 1]);
        }
        for (uint32_t number = 30; number-- > 0;) {
            generator_frame frame = frame_at(alone, number);
            assert_true(hash_frame(&frame) == hashes[number]);
        }
        def.seed = 8;
        generator_frames *other = open_scene(def);
        generator_frame frame = frame_at(other, 20);
        assert_true(hash_frame(&frame) != hashes[20]);
        generator_frames_close(other);
        generator_frames_close(forward);
        generator_frames_close(alone);
    }
}

static void bits_are_the_same_on_every_machine(void **state)
{
    (void)state;
    static const struct {
        const char *scene;
        uint64_t hash;
    } rows[] = {{"cylinders", UINT64_C(0x57ba3528624b1236)},
                {"tori", UINT64_C(0x467bf16bca682ac1)},
                {"models", UINT64_C(0x2c8e4df5695670de)},
                {"breaking", UINT64_C(0xfb38a4939437f961)},
                {"cloth", UINT64_C(0x00359e73f87a24e2)}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        generator_frames *frames = open_scene((generator_frames_def){
            .scene = rows[i].scene, .frame_count = 100, .triangle_count = 2000, .seed = 3});
        generator_frame frame = frame_at(frames, 60);
        uint64_t hash = hash_frame(&frame);
        if (hash != rows[i].hash)
            fail_msg("%s has the hash 0x%016llx", rows[i].scene, (unsigned long long)hash);
        generator_frames_close(frames);
    }
}

// In one file all objects share one row of vertices and one of triangles.
static void streams_hold_what_views_hold(void **state)
{
    graze_context *context = *state;
    generator_frames *frames = open_scene((generator_frames_def){
        .scene = "breaking", .frame_count = 10, .triangle_count = 2000, .object_count = 8});
    generator_frame frame = frame_at(frames, 9);
    assert_int_equal(frame.object_count, 9);
    capture mesh = {0};
    graze_mesh_sink sink = capture_sink(&mesh);
    assert_int_equal(generator_frame_stream(&frame, &sink), GRAZE_OK);
    capture_check(&mesh);
    assert_true(mesh.object_count == 9 && mesh.triangle_count == frame.triangle_count);
    capture_free(&mesh);
    graze_mesh *whole = NULL;
    assert_int_equal(generator_frame_make(context, &frame, &whole), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(whole);
    for (uint32_t i = 0; i < frame.object_count; ++i) {
        const graze_object *object = &view.objects[i];
        assert_string_equal(object->name, frame.names[i]);
        assert_true(object->triangle_count == frame.objects[i].triangle_count);
        for (uint64_t k = 0; k < object->triangle_count; ++k) {
            double a[3], b[3];
            graze_mesh_view_corner(&view, object->first_triangle + k, 1, a);
            graze_mesh_view_corner(&frame.objects[i], k, 1, b);
            assert_memory_equal(a, b, sizeof a);
        }
    }
    graze_mesh_free(whole);
    generator_frames_close(frames);
}

static void what_cannot_be_made_is_refused(void **state)
{
    (void)state;
    static const generator_frames_def bad[] = {
        {.scene = NULL},
        {.scene = "cubes"},
        {.scene = "cloth", .object_count = 2},
        {.scene = "models", .object_count = 2},
        {.scene = "breaking", .density = 0.1},
        {.scene = "tori", .density = 1.0},
        {.scene = "tori", .density = -0.1},
        {.scene = "tori", .density = NAN},
        {.scene = "cylinders", .object_count = GENERATOR_FRAMES_OBJECTS + 1},
        {.scene = "cylinders", .object_count = 1000000, .triangle_count = 2000},
        {.scene = "cloth", .triangle_count = GENERATOR_FRAMES_TRIANGLES + 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        generator_frames *frames = NULL;
        assert_int_equal(generator_frames_open(&bad[i], &frames), GRAZE_ERROR_ARGUMENT);
        assert_null(frames);
    }
    generator_frames_close(NULL);
    // The least that can be had, each.
    for (const generator_frames_scene *scene = generator_frames_scenes; scene->name != NULL;
         ++scene)
        for (uint32_t count = 1; count <= 3; ++count) {
            generator_frames *frames = open_scene((generator_frames_def){
                .scene = scene->name, .triangle_count = count, .frame_count = count});
            generator_frame frame = frame_at(frames, UINT32_MAX);
            assert_true(frame.triangle_count > 0);
            check_frame(&frame, -3.0, 3.0);
            generator_frames_close(frames);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_the_paper),
        cmocka_unit_test(things_break_into_smaller_and_smaller_pieces),
        cmocka_unit_test(a_frame_is_the_same_in_any_order),
        cmocka_unit_test(bits_are_the_same_on_every_machine),
        cmocka_unit_test_setup_teardown(streams_hold_what_views_hold, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test(what_cannot_be_made_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
