// What is found in meshes with placed objects and instances. As placed: what is found in the mesh
// that graze_mesh_flatten makes of it. In the file: the sum of what is found in each range alone.
#include "test.h"

#include <math.h>
#include <stdbool.h>

#include "base/context.h"
#include "base/sorter.h"
#include "faults.h"
#include "mesh/inspect/inspector.h"

#define MOST_OBJECTS 90

static uint32_t below(test_random *random, uint32_t limit)
{
    return (uint32_t)(test_next(random) % limit);
}

// Streams a view into the inspector, objects last.
static graze_status inspect(graze_context *context, const graze_mesh_view *view,
                            const gz_inspect_plan *plan, graze_mesh_report **report)
{
    gz_inspector *inspector = NULL;
    *report = NULL;
    graze_status status = gz_inspector_open(context, plan, false, &inspector);
    if (status != GRAZE_OK)
        return status;
    graze_mesh_sink sink = gz_inspector_sink(inspector);
    graze_mesh_header header = {
        .format = GRAZE_FORMAT_GLB, .precision = view->precision, .encoding = "a test"};
    graze_mesh_losses losses = {0};
    status = sink.begin(sink.user, &header);
    if (status == GRAZE_OK)
        status = sink.vertices(sink.user, view->positions, view->vertex_count);
    for (uint64_t t = 0; t < view->triangle_count && status == GRAZE_OK; ++t) {
        const uint32_t *c = view->corners + 3 * t;
        status = sink.triangles(sink.user, (const uint64_t[]){c[0], c[1], c[2]}, 1);
    }
    for (uint64_t i = 0; i < view->object_count && status == GRAZE_OK; ++i)
        status = sink.object(sink.user, &view->objects[i]);
    if (status == GRAZE_OK)
        status = sink.end(sink.user, &losses);
    if (status == GRAZE_OK)
        status = gz_inspector_finish(inspector, report);
    gz_inspector_close(inspector);
    return status;
}

typedef struct counts {
    uint64_t of[8];
} counts;

static counts counts_of(const graze_mesh_findings *f, bool *on_disk)
{
    const graze_finding *all[] = {&f->distinct_vertices,
                                  &f->degenerate_triangles,
                                  &f->duplicate_triangles,
                                  &f->open_edges,
                                  &f->nonmanifold_edges,
                                  &f->misoriented_edges,
                                  &f->parts,
                                  &f->closed_parts};
    counts found;
    for (int i = 0; i < 8; ++i) {
        assert_int_not_equal(all[i]->extent, GRAZE_NOT_CHECKED);
        assert_null(all[i]->why);
        *on_disk |= all[i]->extent == GRAZE_CHECKED_ON_DISK;
        found.of[i] = all[i]->count;
    }
    return found;
}

static graze_mesh_findings in_file(const graze_mesh_report *r)
{
    return (graze_mesh_findings){r->distinct_vertices,
                                 r->degenerate_triangles,
                                 r->duplicate_triangles,
                                 r->open_edges,
                                 r->nonmanifold_edges,
                                 r->misoriented_edges,
                                 r->parts,
                                 r->closed_parts};
}

// What is found in a mesh without objects.
static counts plain_counts(graze_context *context, const graze_mesh_view *view)
{
    gz_inspect_plan plan = gz_inspect_plan_for(GZ_INSPECT_LEAST_BYTES);
    graze_mesh_report *report = NULL;
    bool on_disk = false;
    graze_object all = {.name = "", .group = "", .triangle_count = view->triangle_count};
    graze_mesh_view plain = *view;
    plain.objects = &all;
    plain.object_count = 1;
    assert_int_equal(inspect(context, &plain, &plan, &report), GRAZE_OK);
    assert_int_equal(report->is_placed, 0);
    graze_mesh_findings found = in_file(report);
    counts first = counts_of(&found, &on_disk), second = counts_of(&report->placed, &on_disk);
    assert_memory_equal(&first, &second, sizeof first);
    assert_int_equal(report->placed_triangle_count, view->triangle_count);
    graze_mesh_report_free(context, report);
    return first;
}

typedef struct scene {
    graze_mesh_view view;
    float narrow[3 * 200];
    double wide[3 * 200];
    uint32_t corners[3 * 200];
    graze_object objects[MOST_OBJECTS];
} scene;

static void add_object(scene *s, uint64_t first, uint64_t count, test_random *random)
{
    graze_object *object = &s->objects[s->view.object_count++];
    *object = (graze_object){.name = "", .group = "", .first_triangle = first};
    object->triangle_count = count;
    for (int i = 0; i < 12; i += 5)
        object->matrix[i] = 1;
    if (below(random, 4) == 0)
        return;
    // Axes to axes, and shifts by so little that objects meet: places coincide exactly.
    object->placed = 1;
    uint32_t turn = below(random, 3);
    double size = below(random, 6) == 0 ? 0 : below(random, 2) == 0 ? -1 : 1;
    for (uint32_t row = 0; row < 3; ++row) {
        for (uint32_t column = 0; column < 3; ++column)
            object->matrix[4 * row + column] = (row + turn) % 3 == column ? size : 0;
        object->matrix[4 * row + 3] = below(random, 3);
    }
}

// Triangles of a small lattice, which meet in many ways.
static void make_scene(uint64_t seed, scene *s)
{
    test_random random = {seed};
    uint32_t vertices = 3 + below(&random, 60), triangles = 1 + below(&random, 60), done = 0;
    for (uint32_t i = 0; i < 3 * vertices; ++i) {
        s->wide[i] = below(&random, 3);
        s->narrow[i] = (float)s->wide[i];
    }
    for (uint32_t i = 0; i < 3 * triangles; ++i)
        s->corners[i] = below(&random, vertices);
    bool narrow = below(&random, 2) == 0;
    s->view = (graze_mesh_view){.precision = narrow ? GRAZE_FLOAT32 : GRAZE_FLOAT64,
                                .vertex_count = vertices,
                                .triangle_count = triangles,
                                .positions = narrow ? (void *)s->narrow : (void *)s->wide,
                                .corners = s->corners,
                                .objects = s->objects};
    while (done < triangles) {
        uint32_t count = 1 + below(&random, 12);
        bool last = s->view.object_count % 70 >= 10; // there is room for all of them
        count = count < triangles - done && !last ? count : triangles - done;
        bool many = below(&random, 30) == 0 && s->view.object_count == 0;
        uint32_t copies = many ? 70 : 1 + below(&random, 3);
        for (; copies != 0 && s->view.object_count < MOST_OBJECTS; --copies)
            add_object(s, done, count, &random);
        if (below(&random, 5) == 0 && s->view.object_count < MOST_OBJECTS)
            add_object(s, done, 0, &random);
        done += count;
    }
    for (uint64_t i = 0; i < s->view.object_count; ++i) { // in any order
        uint64_t other = below(&random, (uint32_t)s->view.object_count);
        graze_object swap = s->objects[i];
        s->objects[i] = s->objects[other];
        s->objects[other] = swap;
    }
}

static counts truth_in_world(graze_context *context, const scene *s)
{
    graze_mesh *flat = NULL;
    if (graze_mesh_flatten(context, &s->view, &flat) != GRAZE_OK)
        fail_msg("%s", test_last_error);
    graze_mesh_view view = graze_mesh_get(flat);
    counts found = plain_counts(context, &view);
    graze_mesh_free(flat);
    return found;
}

// Ranges that are placed, or of which some are, each alone; else all at once.
static counts truth_in_file(graze_context *context, const scene *s, bool is_placed)
{
    counts sum = {{0}};
    if (!is_placed)
        return plain_counts(context, &s->view);
    for (uint64_t t = 0; t < s->view.triangle_count;) {
        graze_mesh_view range = s->view;
        for (uint64_t i = 0; i < s->view.object_count; ++i)
            if (s->objects[i].first_triangle == t && s->objects[i].triangle_count != 0)
                range.triangle_count = s->objects[i].triangle_count;
        range.corners += 3 * t;
        counts of_range = plain_counts(context, &range);
        for (int i = 0; i < 8; ++i)
            sum.of[i] += of_range.of[i];
        t += range.triangle_count;
    }
    return sum;
}

static gz_inspect_plan tiny_plan(uint64_t seed)
{
    test_random random = {seed};
    gz_inspect_plan plan = gz_inspect_plan_for(GZ_INSPECT_LEAST_BYTES);
    plan.fan_bits = 1 + below(&random, 4);
    uint64_t *sorters[] = {&plan.object_order, &plan.keys,      &plan.soup_keys, &plan.join,
                           &plan.repeats,      &plan.triangles, &plan.edges};
    for (size_t i = 0; i < sizeof sorters / sizeof *sorters; ++i)
        *sorters[i] = gz_sorter_least_memory(121, plan.fan_bits) + below(&random, 900);
    uint64_t *spills[] = {&plan.positions, &plan.corners,          &plan.marks,
                          &plan.links,     &plan.placed_triangles, &plan.placed_objects};
    for (size_t i = 0; i < sizeof spills / sizeof *spills; ++i)
        *spills[i] = 64 + below(&random, 3000);
    plan.map = 64 + below(&random, 700);
    plan.forest = 40 + below(&random, 2000);
    plan.window = 15 + below(&random, 600);
    return plan;
}

static void findings_are_those_of_the_flat_mesh(void **state)
{
    (void)state;
    static scene s;
    uint64_t on_disk_count = 0, placed_count = 0;
    for (uint64_t seed = 1; seed <= TEST_CHANCES(150); ++seed) {
        graze_context *context = test_context(NULL);
        make_scene(seed, &s);
        for (uint64_t budget = 0; budget < 3; ++budget) {
            gz_inspect_plan plan = budget == 0 ? gz_inspect_plan_for(GZ_INSPECT_LEAST_BYTES)
                                               : tiny_plan(3 * seed + budget);
            graze_mesh_report *report = NULL;
            assert_int_equal(inspect(context, &s.view, &plan, &report), GRAZE_OK);
            bool on_disk = false;
            uint64_t sum = 0;
            for (uint64_t i = 0; i < s.view.object_count; ++i)
                sum += s.objects[i].triangle_count;
            assert_int_equal(report->placed_triangle_count, sum);
            graze_mesh_findings of_file = in_file(report);
            counts file = counts_of(&of_file, &on_disk);
            counts world = counts_of(&report->placed, &on_disk);
            counts true_world = truth_in_world(context, &s);
            counts true_file = truth_in_file(context, &s, report->is_placed);
            for (int i = 0; i < 8; ++i)
                if (file.of[i] != true_file.of[i] || world.of[i] != true_world.of[i])
                    fail_msg("seed %llu, finding %d: %llu, %llu in the file; %llu, %llu placed",
                             (unsigned long long)seed, i, (unsigned long long)file.of[i],
                             (unsigned long long)true_file.of[i], (unsigned long long)world.of[i],
                             (unsigned long long)true_world.of[i]);
            if (budget == 0)
                assert_false(on_disk);
            on_disk_count += on_disk;
            placed_count += report->is_placed;
            graze_mesh_report_free(context, report);
        }
        test_context_done(context);
    }
    assert_true(on_disk_count > TEST_CHANCES(150) && placed_count > TEST_CHANCES(150));
}

// A box of eight vertices and twelve triangles.
static const float box[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0,
                              0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
#define BOX(o)                                                                                     \
    o + 0, o + 2, o + 1, o + 1, o + 2, o + 3, o + 4, o + 5, o + 6, o + 5, o + 7, o + 6, o + 0,     \
        o + 1, o + 4, o + 1, o + 5, o + 4, o + 2, o + 6, o + 3, o + 3, o + 6, o + 7, o + 0, o + 4, \
        o + 2, o + 2, o + 4, o + 6, o + 1, o + 3, o + 5, o + 3, o + 7, o + 5

static graze_object placed_at(uint64_t first, double x)
{
    return (graze_object){.name = "",
                          .group = "",
                          .first_triangle = first,
                          .triangle_count = 12,
                          .matrix = {1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0},
                          .placed = x != 0};
}

static void check_boxes(const graze_object objects[2], bool two_meshes, const counts *file,
                        const counts *world)
{
    float positions[48];
    memcpy(positions, box, sizeof box);
    memcpy(positions + 24, box, sizeof box);
    static const uint32_t corners[72] = {BOX(0), BOX(8)};
    graze_mesh_view view = {.precision = GRAZE_FLOAT32,
                            .vertex_count = 16,
                            .triangle_count = two_meshes ? 24 : 12,
                            .object_count = 2,
                            .positions = positions,
                            .corners = corners,
                            .objects = objects};
    graze_context *context = test_context(NULL);
    gz_inspect_plan plan = gz_inspect_plan_for(GZ_INSPECT_LEAST_BYTES);
    graze_mesh_report *report = NULL;
    bool on_disk = false;
    assert_int_equal(inspect(context, &view, &plan, &report), GRAZE_OK);
    assert_int_equal(report->is_placed, 1);
    assert_int_equal(report->placed_triangle_count, 24);
    graze_mesh_findings of_file = in_file(report);
    counts found = counts_of(&of_file, &on_disk);
    assert_memory_equal(&found, file, sizeof found);
    found = counts_of(&report->placed, &on_disk);
    assert_memory_equal(&found, world, sizeof found);
    graze_mesh_report_free(context, report);
    test_context_done(context);
}

static void two_boxes(void **state)
{
    (void)state;
    const counts one = {{8, 0, 0, 0, 0, 0, 1, 1}}, two = {{16, 0, 0, 0, 0, 0, 2, 2}};
    // Ten apart: one mesh that is there twice, or two that are alike.
    check_boxes((const graze_object[]){placed_at(0, 0), placed_at(0, 10)}, false, &one, &two);
    check_boxes((const graze_object[]){placed_at(0, 0), placed_at(12, 10)}, true, &two, &two);
    // In the same place: everything is there twice.
    const counts twice = {{8, 0, 12, 0, 18, 0, 1, 0}};
    check_boxes((const graze_object[]){placed_at(0, 3), placed_at(0, 3)}, false, &one, &twice);
    check_boxes((const graze_object[]){placed_at(0, 0), placed_at(0, 0)}, false, &one, &twice);
    check_boxes((const graze_object[]){placed_at(0, 3), placed_at(12, 3)}, true, &two, &twice);
    // Side by side: a face and its two triangles, five edges, four corners in common.
    const counts touching = {{12, 0, 2, 0, 5, 0, 1, 0}};
    graze_object mirror = placed_at(0, 2);
    mirror.matrix[0] = -1;
    check_boxes((const graze_object[]){placed_at(0, 0), mirror}, false, &one, &touching);
}

// Too many, or out of range: not checked, and it says why; what lies in the file is.
static void what_cannot_be_checked(void **state)
{
    (void)state;
    static const uint32_t corners[36] = {BOX(0)};
    graze_object objects[3] = {placed_at(0, 1), placed_at(0, 2), placed_at(0, 3)};
    graze_mesh_view view = {.precision = GRAZE_FLOAT32,
                            .vertex_count = 8,
                            .triangle_count = 12,
                            .object_count = 3,
                            .positions = box,
                            .corners = corners,
                            .objects = objects};
    for (int far = 0; far < 2; ++far) {
        graze_context *context = test_context(NULL);
        gz_inspect_plan plan = gz_inspect_plan_for(GZ_INSPECT_LEAST_BYTES);
        graze_mesh_report *report = NULL;
        plan.placed_limit = far ? 36 : 35;
        objects[1].matrix[0] = objects[1].matrix[3] = far ? 1.5e308 : 1;
        assert_int_equal(inspect(context, &view, &plan, &report), GRAZE_OK);
        assert_int_equal(report->open_edges.extent, GRAZE_CHECKED_IN_MEMORY);
        assert_int_equal(report->closed_parts.count, 1);
        assert_int_equal(report->placed.open_edges.extent, GRAZE_NOT_CHECKED);
        assert_int_equal(report->placed.degenerate_triangles.extent, GRAZE_NOT_CHECKED);
        assert_string_equal(report->placed.parts.why,
                            far ? "a matrix takes vertices out of the range of double"
                                : "the objects have 36 triangles, more than 35");
        graze_mesh_report_free(context, report);
        test_context_done(context);
    }
}

static graze_status run_faulty(graze_context *context, void *data)
{
    static scene s;
    make_scene(*(const uint64_t *)data, &s);
    gz_inspect_plan plan = tiny_plan(*(const uint64_t *)data);
    graze_mesh_report *report = NULL;
    graze_status status = inspect(context, &s.view, &plan, &report);
    if (status == GRAZE_OK && report->placed.parts.extent == GRAZE_NOT_CHECKED &&
        strstr(report->placed.parts.why, "a temporary file in ") == NULL)
        fail_msg("%s", report->placed.parts.why);
    graze_mesh_report_free(context, report);
    return status;
}

static void faults_leave_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (TEST_SANITIZED ? 1 : 2); ++seed)
        assert_true(test_all_faults(run_faulty, &seed, TEST_SANITIZED ? 401 : 61) > 20);
}

// A sheet, many times over: more than fits, in memory that is limited.
static void memory_stays_below_the_limit(void **state)
{
    (void)state;
    enum { SIDE = TEST_SANITIZED ? 100 : 250, COPIES = 4 };
    static float positions[(SIDE + 1) * (SIDE + 1)][3];
    static uint32_t corners[2 * SIDE * SIDE][3];
    for (uint32_t i = 0; i < (SIDE + 1) * (SIDE + 1); ++i) {
        uint32_t x = i % (SIDE + 1), y = i / (SIDE + 1);
        positions[i][0] = (float)x, positions[i][1] = (float)y;
        positions[i][2] = (float)(x * y % 7);
    }
    for (uint32_t i = 0; i < 2 * SIDE * SIDE; ++i) {
        uint32_t x = i / 2 % SIDE, y = i / 2 / SIDE, row = SIDE + 1;
        corners[i][0] = x + y * row;
        corners[i][1] = x + 1 + (y + i % 2) * row;
        corners[i][2] = x + 1 - i % 2 + (y + 1) * row;
    }
    graze_object objects[COPIES];
    for (int i = 0; i < COPIES; ++i) {
        objects[i] = placed_at(0, SIDE * i); // one beside the other; the rims do not meet
        objects[i].triangle_count = 2 * SIDE * SIDE;
        objects[i].matrix[11] = 100.0 * i;
    }
    graze_mesh_view view = {.precision = GRAZE_FLOAT32,
                            .vertex_count = (SIDE + 1) * (SIDE + 1),
                            .triangle_count = 2 * SIDE * SIDE,
                            .object_count = COPIES,
                            .positions = positions,
                            .corners = corners[0],
                            .objects = objects};
    graze_context *context = test_context(NULL);
    gz_inspect_plan plan = gz_inspect_plan_for(GZ_INSPECT_LEAST_BYTES);
    graze_mesh_report *report = NULL;
    assert_int_equal(inspect(context, &view, &plan, &report), GRAZE_OK);
    assert_int_equal(report->open_edges.count, 4 * SIDE);
    assert_int_equal(report->placed.open_edges.count, 4 * SIDE * COPIES);
    assert_int_equal(report->placed.distinct_vertices.count, COPIES * (SIDE + 1) * (SIDE + 1));
    assert_int_equal(report->placed.parts.count, COPIES);
    assert_int_equal(report->placed.nonmanifold_edges.count, 0);
    if (!TEST_SANITIZED)
        assert_int_equal(report->placed.parts.extent, GRAZE_CHECKED_ON_DISK);
    graze_mesh_report_free(context, report);
    uint64_t peak = graze_context_memory(context).peak_bytes;
    if (peak > GZ_INSPECT_LEAST_BYTES)
        fail_msg("%llu bytes", (unsigned long long)peak);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_are_those_of_the_flat_mesh),
        cmocka_unit_test(two_boxes),
        cmocka_unit_test(what_cannot_be_checked),
        cmocka_unit_test(faults_leave_nothing),
        cmocka_unit_test(memory_stays_below_the_limit),
    };
    return cmocka_run_group_tests_name("placed", tests, NULL, NULL);
}
