// Plants: as many objects as asked for, each closed; what was planted is there, and nothing else
// clashes; the same bits everywhere.
#include <math.h>
#include <stdlib.h>

#include "capture.h"
#include "plant.h"
#include "shapes_math.h"
#include "test.h"

// A plant with its triangles and, where they were needed, shapes of its objects.
typedef struct built_plant {
    generator_plant *plant;
    capture mesh;
    graze_context *context;
    graze_query *query;
    graze_shape **shapes;
} built_plant;

static built_plant build(graze_context *context, const generator_plant_def *def)
{
    built_plant b = {.context = context};
    assert_int_equal(generator_plant_open(def, &b.plant), GRAZE_OK);
    graze_mesh_sink sink = capture_sink(&b.mesh);
    assert_int_equal(generator_plant_stream(b.plant, &sink), GRAZE_OK);
    capture_check(&b.mesh);
    assert_true(b.mesh.object_count == generator_plant_object_count(b.plant));
    assert_true(b.mesh.triangle_count == generator_plant_triangle_count(b.plant));
    b.shapes = calloc((size_t)b.mesh.object_count, sizeof *b.shapes);
    if (context != NULL)
        assert_int_equal(graze_query_create(context, &b.query), GRAZE_OK);
    return b;
}

static void drop(built_plant *b)
{
    for (uint64_t i = 0; i < b->mesh.object_count; ++i)
        graze_shape_free(b->shapes[i]);
    free(b->shapes);
    graze_query_free(b->query);
    capture_free(&b->mesh);
    generator_plant_close(b->plant);
}

static const graze_shape *shape_of(built_plant *b, uint64_t object)
{
    const captured_object *o = &b->mesh.objects[object];
    if (b->shapes[object] == NULL) {
        uint32_t *corners = malloc((size_t)(3 * o->triangle_count) * sizeof *corners);
        graze_mesh_view view =
            capture_view(&b->mesh, o->first_triangle, o->triangle_count, corners);
        assert_int_equal(graze_shape_create(b->context, &view, NULL, &b->shapes[object]), GRAZE_OK);
        free(corners);
    }
    return b->shapes[object];
}

static void counts_are_as_asked_for(void **state)
{
    (void)state;
    static const uint64_t objects[] = {1, 2, 7, 60, 150, 1200, 3000};
    for (size_t i = 0; i < sizeof objects / sizeof *objects; ++i)
        for (uint64_t each = 400; each <= 10000; each *= 5) {
            generator_plant *plant = NULL;
            generator_plant_def def = {.object_count = objects[i],
                                       .triangle_count = each * objects[i]};
            assert_int_equal(generator_plant_open(&def, &plant), GRAZE_OK);
            assert_true(generator_plant_object_count(plant) == objects[i]);
            double part =
                (double)generator_plant_triangle_count(plant) / (double)def.triangle_count;
            if (objects[i] >= 60)
                assert_true(part > 0.9 && part < 1.1);
            generator_plant_close(plant);
        }
    generator_plant *plant = NULL;
    assert_int_equal(generator_plant_open(&(generator_plant_def){.triangle_count = 3000}, &plant),
                     GRAZE_OK);
    assert_true(generator_plant_triangle_count(plant) < 4000);
    generator_plant_close(plant);
    assert_int_equal(
        generator_plant_open(&(generator_plant_def){.triangle_count = 12800000}, &plant), GRAZE_OK);
    assert_true(generator_plant_object_count(plant) == 1200);
    assert_true(fabs((double)generator_plant_triangle_count(plant) / 12.8e6 - 1.0) < 0.01);
    generator_plant_close(plant);
}

static int by_text(const void *left, const void *right) { return strcmp(left, right); }

static void objects_are_closed_and_have_names(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3; ++seed) {
        generator_plant_def def = {.object_count = 500,
                                   .triangle_count = TEST_CHANCES(300000 + 400000 * seed),
                                   .seed = seed};
        def.precision = seed == 1 ? GRAZE_FLOAT64 : GRAZE_FLOAT32;
        built_plant b = build(NULL, &def);
        assert_true(b.mesh.header.metres_per_unit == 1.0);
        char(*names)[64] = malloc((size_t)b.mesh.object_count * sizeof *names);
        for (uint64_t i = 0; i < b.mesh.object_count; ++i) {
            const captured_object *o = &b.mesh.objects[i];
            assert_true(o->triangle_count >= 12);
            capture_check_closed(&b.mesh, o->first_triangle, o->triangle_count);
            assert_true(capture_volume(&b.mesh, o->first_triangle, o->triangle_count) > 0.0);
            assert_memory_equal(o->group, "plant/", 6);
            memcpy(names[i], o->name, sizeof *names);
        }
        qsort(names, (size_t)b.mesh.object_count, sizeof *names, by_text);
        for (uint64_t i = 1; i < b.mesh.object_count; ++i)
            assert_string_not_equal(names[i - 1], names[i]);
        free(names);
        drop(&b);
    }
}

// --- What was planted

static graze_pose moved(uint32_t direction, double way)
{
    graze_pose pose = graze_pose_identity();
    pose.translation[direction % 3] = direction < 3 ? way : -way;
    return pose;
}

static double distance_after(built_plant *b, const generator_planted *p, double way)
{
    graze_pose pose = moved(p->direction, way), stay = graze_pose_identity();
    graze_distance out;
    assert_int_equal(graze_query_distance(b->query, graze_at(shape_of(b, p->a), &pose),
                                          graze_at(shape_of(b, p->b), &stay), NULL, &out),
                     GRAZE_OK);
    assert_int_equal(out.verdict, GRAZE_CONTACT);
    return out.distance;
}

static void check_contained(built_plant *b, const generator_planted *p)
{
    graze_pose stay = graze_pose_identity();
    graze_containment out;
    assert_int_equal(graze_query_contain(b->query, graze_at(shape_of(b, p->a), &stay),
                                         graze_at(shape_of(b, p->b), &stay), &out),
                     GRAZE_OK);
    assert_int_equal(out.nesting, GRAZE_NESTING_A_IN_B);
}

static void check_duplicate(built_plant *b, const generator_planted *p)
{
    const captured_object *one = &b->mesh.objects[p->a], *two = &b->mesh.objects[p->b];
    assert_true(one->triangle_count == two->triangle_count);
    for (uint64_t i = 0; i < 3 * one->triangle_count; ++i) {
        uint64_t v = b->mesh.corners[3 * one->first_triangle + i];
        uint64_t w = b->mesh.corners[3 * two->first_triangle + i];
        assert_memory_equal(&b->mesh.positions[3 * v], &b->mesh.positions[3 * w], 24);
    }
}

static double depth_of(built_plant *b, uint64_t one, uint64_t two)
{
    graze_pose stay = graze_pose_identity();
    graze_penetration out;
    graze_penetration_def def = graze_penetration_def_default();
    def.error = 0.5;
    def.floor = 1e-3;
    assert_int_equal(graze_query_penetration(b->query, graze_at(shape_of(b, one), &stay),
                                             graze_at(shape_of(b, two), &stay), &def, &out),
                     GRAZE_OK);
    assert_true(out.defined);
    return out.low;
}

// A small step, in the unit of the plant: moved by what was said and a step more, the distance is
// the step; moved by a step less, they are in each other.
static void check_gap(built_plant *b, const generator_planted *p, double unit)
{
    double step = 0.0009765625 / 4 / unit, rounding = p->accuracy + 1e-12 / unit;
    if (p->relation == GENERATOR_CLEARANCE) {
        assert_true(p->amount > 0.0);
        assert_true(fabs(distance_after(b, p, 0.0) - p->amount) <= rounding);
        assert_true(fabs(distance_after(b, p, step) - p->amount - step) <= rounding);
        return;
    }
    assert_true(p->relation == GENERATOR_TOUCH ? p->amount == 0.0 : p->amount > 0.0);
    assert_true(distance_after(b, p, 0.0) == 0.0);
    assert_true(fabs(distance_after(b, p, p->amount + step) - step) <= rounding);
    assert_true(distance_after(b, p, p->amount - step) == 0.0);
    if (p->accuracy == 0.0)
        assert_true(distance_after(b, p, p->amount) == 0.0);
    if (p->relation == GENERATOR_TOUCH && unit == 1.0)
        assert_true(depth_of(b, p->a, p->b) == 0.0);
}

static void the_list_is_true(void **state)
{
    static const double units[] = {1.0, 0.001, 0.0254};
    uint64_t seen[5] = {0};
    for (uint64_t seed = 0; seed < 6; ++seed) {
        double unit = units[seed % 3];
        generator_plant_def def = {.object_count = 500 + 200 * (seed % 2),
                                   .triangle_count = 200000 + 150000 * seed,
                                   .seed = seed,
                                   .precision = seed < 4 ? GRAZE_FLOAT32 : GRAZE_FLOAT64,
                                   .metres_per_unit = unit};
        built_plant b = build(*state, &def);
        assert_true(generator_plant_planted_count(b.plant) > 20);
        for (uint64_t i = 0; i < generator_plant_planted_count(b.plant); ++i) {
            generator_planted p = generator_plant_planted(b.plant, i);
            ++seen[p.relation];
            assert_true(p.accuracy == 0.0 || unit != 1.0);
            assert_true(p.accuracy <= 1e-4 / unit);
            if (p.relation == SCENE_CONTAINED)
                check_contained(&b, &p);
            else if (p.relation == SCENE_DUPLICATE)
                check_duplicate(&b, &p);
            else
                check_gap(&b, &p, unit);
        }
        drop(&b);
    }
    for (int i = 0; i < 5; ++i) {
        print_message("%s: %llu\n", generator_relation_name((generator_relation)i),
                      (unsigned long long)seen[i]);
        assert_true(seen[i] > 0);
    }
}

// --- Nothing else

static void box_of(const capture *c, const captured_object *o, double box[2][3])
{
    for (int axis = 0; axis < 3; ++axis) {
        box[0][axis] = INFINITY;
        box[1][axis] = -INFINITY;
    }
    for (uint64_t i = 3 * o->first_triangle; i < 3 * (o->first_triangle + o->triangle_count); ++i)
        for (int axis = 0; axis < 3; ++axis) {
            double x = c->positions[3 * c->corners[i] + (uint64_t)axis];
            box[0][axis] = fmin(box[0][axis], x);
            box[1][axis] = fmax(box[1][axis], x);
        }
}

static bool is_planted(const built_plant *b, uint64_t one, uint64_t two)
{
    for (uint64_t i = 0; i < generator_plant_planted_count(b->plant); ++i) {
        generator_planted p = generator_plant_planted(b->plant, i);
        if ((p.a == one && p.b == two) || (p.a == two && p.b == one))
            return true;
    }
    return false;
}

// Boxes that share more than a tenth of a millimetre along every axis.
static bool boxes_meet(double (*boxes)[2][3], uint64_t one, uint64_t two)
{
    for (int axis = 0; axis < 3; ++axis)
        if (!(boxes[one][0][axis] + 1e-4 < boxes[two][1][axis] &&
              boxes[two][0][axis] + 1e-4 < boxes[one][1][axis]))
            return false;
    return true;
}

static void nothing_else_clashes(void **state)
{
    generator_plant_def def = {
        .object_count = TEST_CHANCES(600), .triangle_count = TEST_CHANCES(150000), .seed = 3};
    built_plant b = build(*state, &def);
    uint64_t count = b.mesh.object_count, clashes = 0, asked = 0;
    double(*boxes)[2][3] = malloc((size_t)count * sizeof *boxes);
    for (uint64_t i = 0; i < count; ++i)
        box_of(&b.mesh, &b.mesh.objects[i], boxes[i]);
    for (uint64_t i = 0; i < count; ++i)
        for (uint64_t j = 0; j < i; ++j) {
            if (!boxes_meet(boxes, i, j) || is_planted(&b, i, j))
                continue;
            ++asked;
            double depth = depth_of(&b, i, j);
            if (depth > 0.0) {
                print_error("%s and %s: %g\n", b.mesh.objects[i].name, b.mesh.objects[j].name,
                            depth);
                ++clashes;
            }
        }
    print_message("%llu pairs asked\n", (unsigned long long)asked);
    assert_int_equal(clashes, 0);
    free(boxes);
    drop(&b);
}

static void bits_never_change(void **state)
{
    (void)state;
    static const uint64_t golden[] = {0x4d9751847a1550e5, 0xa82cf69ae83c2c95, 0x4d1845e9474121b6};
    int wrong = 0;
    for (uint64_t seed = 0; seed < 3; ++seed) {
        generator_plant_def def = {.object_count = 100 + 300 * seed,
                                   .triangle_count = 100000 + 200000 * seed,
                                   .seed = seed,
                                   .metres_per_unit = seed == 1 ? 0.001 : 0.0};
        def.precision = seed == 2 ? GRAZE_FLOAT64 : GRAZE_FLOAT32;
        built_plant b = build(NULL, &def);
        uint64_t hash = b.mesh.hash;
        for (uint64_t i = 0; i < generator_plant_planted_count(b.plant); ++i) {
            generator_planted p = generator_plant_planted(b.plant, i);
            uint64_t amount = (uint64_t)(p.amount * 0x1p20);
            hash = shape_mix(hash + p.a + 8191 * p.b + amount + p.direction + p.relation);
        }
        if (hash != golden[seed])
            print_error("0x%016llx\n", (unsigned long long)hash);
        wrong += hash != golden[seed];
        drop(&b);
    }
    assert_int_equal(wrong, 0);
}

static graze_status refuse(void *user, const uint64_t *corners, uint64_t count)
{
    (void)corners;
    *(uint64_t *)user += count;
    return *(uint64_t *)user > 5000 ? GRAZE_ERROR_SPACE : GRAZE_OK;
}

static void bad_wishes_and_refusals_are_handed_on(void **state)
{
    (void)state;
    static const generator_plant_def wishes[] = {{.object_count = GENERATOR_PLANT_OBJECTS + 1},
                                                 {.triangle_count = GENERATOR_PLANT_TRIANGLES + 1},
                                                 {.metres_per_unit = -1.0},
                                                 {.metres_per_unit = INFINITY},
                                                 {.metres_per_unit = NAN}};
    generator_plant *plant = NULL;
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; ++i) {
        assert_int_equal(generator_plant_open(&wishes[i], &plant), GRAZE_ERROR_ARGUMENT);
        assert_null(plant);
    }
    uint64_t seen = 0;
    graze_mesh_sink sink = {.user = &seen, .triangles = refuse};
    assert_int_equal(generator_plant_open(&(generator_plant_def){.object_count = 60}, &plant),
                     GRAZE_OK);
    assert_int_equal(generator_plant_stream(plant, &sink), GRAZE_ERROR_SPACE);
    assert_true(seen < 10000);
    generator_plant_close(plant);
    generator_plant_close(NULL);
}

static void a_plant_is_a_mesh(void **state)
{
    generator_plant *plant = NULL;
    graze_mesh *mesh = NULL;
    assert_int_equal(generator_plant_open(&(generator_plant_def){.object_count = 80}, &plant),
                     GRAZE_OK);
    assert_int_equal(generator_plant_make(*state, plant, &mesh), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(mesh);
    assert_true(view.object_count == 80);
    assert_true(view.triangle_count == generator_plant_triangle_count(plant));
    char name[GENERATOR_PLANT_NAME], group[GENERATOR_PLANT_NAME];
    generator_plant_name(plant, 17, name, group);
    assert_string_equal(view.objects[17].name, name);
    assert_string_equal(view.objects[17].group, group);
    graze_mesh_free(mesh);
    generator_plant_close(plant);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_as_asked_for),
        cmocka_unit_test(objects_are_closed_and_have_names),
        cmocka_unit_test_setup_teardown(the_list_is_true, test_context_enter, test_context_leave),
        cmocka_unit_test_setup_teardown(nothing_else_clashes, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test(bits_never_change),
        cmocka_unit_test(bad_wishes_and_refusals_are_handed_on),
        cmocka_unit_test_setup_teardown(a_plant_is_a_mesh, test_context_enter, test_context_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
