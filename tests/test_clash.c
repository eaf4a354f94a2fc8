// Clash checks of whole scenes against a check of all pairs, one by one, that knows no overlap
// graph, no cache and no order; and against what was planted.
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "models.h"
#include "plant.h"

// --- The oracle: every pair, each by itself

typedef struct plain_object {
    graze_shape *shape;
    uint64_t first, count; // triangles of the mesh
} plain_object;

typedef struct plain_scene {
    graze_context *context;
    graze_mesh *mesh;
    graze_query *query;
    plain_object *objects;
    uint32_t count;
} plain_scene;

static void plain_open(plain_scene *plain, const generator_plant *plant)
{
    plain->context = test_context(NULL);
    assert_int_equal(generator_plant_make(plain->context, plant, &plain->mesh), GRAZE_OK);
    assert_int_equal(graze_query_create(plain->context, &plain->query), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(plain->mesh);
    plain->count = (uint32_t)view.object_count;
    plain->objects = calloc(plain->count, sizeof *plain->objects);
    for (uint32_t i = 0; i < plain->count; ++i) {
        plain_object *object = &plain->objects[i];
        object->first = view.objects[i].first_triangle;
        object->count = view.objects[i].triangle_count;
        graze_mesh_view part = view;
        part.corners += 3 * object->first;
        part.triangle_count = object->count;
        part.object_count = 0;
        part.objects = NULL;
        assert_int_equal(graze_shape_create(plain->context, &part, NULL, &object->shape), GRAZE_OK);
    }
}

static void plain_close(plain_scene *plain)
{
    for (uint32_t i = 0; i < plain->count; ++i)
        graze_shape_free(plain->objects[i].shape);
    free(plain->objects);
    graze_query_free(plain->query);
    graze_mesh_free(plain->mesh);
    test_context_done(plain->context);
}

static bool same_triangles(const plain_scene *plain, const plain_object *a, const plain_object *b)
{
    graze_mesh_view view = graze_mesh_get(plain->mesh);
    if (a->count != b->count)
        return false;
    for (uint64_t i = 0; i < a->count; ++i)
        for (uint32_t c = 0; c < 3; ++c) {
            double p[3], q[3];
            graze_mesh_view_corner(&view, a->first + i, c, p);
            graze_mesh_view_corner(&view, b->first + i, c, q);
            if (memcmp(p, q, sizeof p) != 0)
                return false;
        }
    return true;
}

// What two objects may be: a bit for each kind, and how deep or how far.
typedef struct verdict {
    uint32_t kinds;
    double low, high; // depth
    double gap;
} verdict;

#define BIT(kind) (UINT32_C(1) << (kind))

static verdict plain_pair(plain_scene *plain, uint32_t i, uint32_t j, double touch,
                          double clearance)
{
    const plain_object *a = &plain->objects[i], *b = &plain->objects[j];
    graze_posed at_a = graze_at(a->shape, NULL), at_b = graze_at(b->shape, NULL);
    verdict v = {0};
    graze_distance_def def = graze_distance_def_default();
    graze_distance distance;
    graze_containment nesting;
    graze_penetration depth;
    if (a->count == 0 || b->count == 0)
        return (verdict){.kinds = BIT(GRAZE_CLASH_NONE)};
    if (same_triangles(plain, a, b))
        return (verdict){.kinds = BIT(GRAZE_CLASH_DUPLICATE)};
    assert_int_equal(graze_query_distance(plain->query, at_a, at_b, &def, &distance), GRAZE_OK);
    assert_int_equal(graze_query_contain(plain->query, at_a, at_b, &nesting), GRAZE_OK);
    v.gap = distance.distance;
    if (nesting.nesting == GRAZE_NESTING_A_IN_B || nesting.nesting == GRAZE_NESTING_B_IN_A) {
        v.kinds = BIT(GRAZE_CLASH_CONTAINED);
        return v;
    }
    bool partly = nesting.nesting == GRAZE_NESTING_PARTLY;
    if (distance.distance > 0 && !partly) {
        v.kinds = distance.distance <= touch      ? BIT(GRAZE_CLASH_TOUCHING)
                  : distance.distance < clearance ? BIT(GRAZE_CLASH_CLEARANCE)
                                                  : BIT(GRAZE_CLASH_NONE);
        return v;
    }
    graze_penetration_def deep = graze_penetration_def_default();
    deep.floor = touch / 2;
    assert_int_equal(graze_query_penetration(plain->query, at_a, at_b, &deep, &depth), GRAZE_OK);
    assert_true(depth.defined); // plants are closed
    v.low = depth.low;
    v.high = depth.high;
    if (depth.high > touch)
        v.kinds |= BIT(GRAZE_CLASH_OVERLAP);
    if (depth.low <= touch)
        v.kinds |= BIT(GRAZE_CLASH_TOUCHING);
    return v;
}

// --- A check

typedef struct found_list {
    graze_scene *scene;
    graze_clash *items;
    uint32_t *a, *b;
    uint32_t count, room;
} found_list;

static uint32_t *numbers; // of objects, by index1
static graze_status take_clash(void *user, const graze_clash *clash)
{
    found_list *list = user;
    if (list->count == list->room) {
        list->room = list->room == 0 ? 64 : 2 * list->room;
        list->items = realloc(list->items, list->room * sizeof *list->items);
        list->a = realloc(list->a, list->room * sizeof *list->a);
        list->b = realloc(list->b, list->room * sizeof *list->b);
    }
    list->a[list->count] = numbers[clash->a.index1];
    list->b[list->count] = numbers[clash->b.index1];
    list->items[list->count++] = *clash;
    return GRAZE_OK;
}

static void free_found(found_list *list)
{
    free(list->items);
    free(list->a);
    free(list->b);
    *list = (found_list){0};
}

static void number_objects(const graze_scene *scene)
{
    uint32_t count = 0;
    numbers = realloc(numbers, (graze_scene_get_info(scene).object_count + 2) * sizeof *numbers);
    for (graze_object_id id = graze_scene_next(scene, (graze_object_id){0, 0}); id.index1 != 0;
         id = graze_scene_next(scene, id))
        numbers[id.index1] = count++;
}

// All but ids, which may differ between scenes.
static bool same_clash(const graze_clash *a, const graze_clash *b)
{
    return a->kind == b->kind && a->inner == b->inner && a->depth_low == b->depth_low &&
           a->depth_high == b->depth_high && a->gap == b->gap && a->length == b->length &&
           memcmp(a->point_a, b->point_a, sizeof a->point_a) == 0 &&
           memcmp(a->point_b, b->point_b, sizeof a->point_b) == 0 &&
           memcmp(&a->region, &b->region, sizeof a->region) == 0;
}

static graze_scene *open_plant(graze_context *context, const char *path)
{
    graze_scene *scene = NULL;
    graze_scene_source source = {path, NULL, NULL};
    assert_int_equal(graze_scene_create(context, &scene), GRAZE_OK);
    assert_int_equal(graze_scene_add_source(scene, &source, NULL), GRAZE_OK);
    return scene;
}

static void check_scene(graze_scene *scene, double touch, double clearance, found_list *list,
                        graze_clash_totals *totals)
{
    graze_clash_def def = graze_clash_def_default();
    def.touch = touch;
    def.clearance = clearance;
    def.list_touching = 1;
    number_objects(scene);
    assert_int_equal(graze_scene_clash(scene, &def, take_clash, list, totals), GRAZE_OK);
}

static graze_clash *find_clash(const found_list *list, uint32_t a, uint32_t b)
{
    graze_clash *found = NULL;
    for (uint32_t i = 0; i < list->count; ++i)
        if ((list->a[i] == a && list->b[i] == b) || (list->a[i] == b && list->b[i] == a)) {
            assert_null(found); // none is told twice
            found = &list->items[i];
        }
    return found;
}

static void compare_with_plain(plain_scene *plain, const found_list *list, double touch,
                               double clearance)
{
    for (uint32_t i = 0; i < plain->count; ++i)
        for (uint32_t j = i + 1; j < plain->count; ++j) {
            verdict v = plain_pair(plain, i, j, touch, clearance);
            const graze_clash *clash = find_clash(list, i, j);
            uint32_t kind = clash == NULL ? GRAZE_CLASH_NONE : (uint32_t)clash->kind;
            if ((v.kinds >> kind & 1) == 0)
                fail_msg("objects %u and %u: kind %u, but kinds %x are true; gap %g, depth %g..%g",
                         i, j, kind, v.kinds, v.gap, v.low, v.high);
            if (kind == GRAZE_CLASH_OVERLAP)
                assert_true(clash->depth_low <= v.high && clash->depth_high >= v.low);
            if (kind == GRAZE_CLASH_CLEARANCE)
                assert_true(clash->gap == v.gap);
        }
}

static void compare_with_planted(const generator_plant *plant, const found_list *list, double touch,
                                 double clearance)
{
    for (uint64_t i = 0; i < generator_plant_planted_count(plant); ++i) {
        generator_planted p = generator_plant_planted(plant, i);
        const graze_clash *clash = find_clash(list, (uint32_t)p.a, (uint32_t)p.b);
        graze_clash_kind kind = clash == NULL ? GRAZE_CLASH_NONE : clash->kind;
        switch (p.relation) {
        case GENERATOR_CLASH:
            assert_true(kind == GRAZE_CLASH_OVERLAP || p.amount <= touch);
            assert_true(clash->depth_low <= p.amount + p.accuracy);
            break;
        case GENERATOR_TOUCH: assert_int_equal(kind, GRAZE_CLASH_TOUCHING); break;
        case GENERATOR_CLEARANCE:
            assert_int_equal(kind, p.amount < clearance ? GRAZE_CLASH_CLEARANCE : GRAZE_CLASH_NONE);
            if (kind == GRAZE_CLASH_CLEARANCE)
                assert_true(fabs(clash->gap - p.amount) <= p.accuracy + 1e-9);
            break;
        case SCENE_CONTAINED: assert_int_equal(kind, GRAZE_CLASH_CONTAINED); break;
        default: assert_int_equal(kind, GRAZE_CLASH_DUPLICATE);
        }
    }
}

// The same list, bit for bit, from another way of asking.
static void compare_lists(const found_list *a, const found_list *b)
{
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; ++i) {
        assert_true(a->a[i] == b->a[i] && a->b[i] == b->b[i]);
        assert_true(same_clash(&a->items[i], &b->items[i]));
    }
}

static void check_plant(uint64_t objects, uint64_t triangles, uint64_t seed, double touch,
                        double clearance, bool all_pairs)
{
    generator_plant *plant = NULL;
    generator_plant_def def = {.object_count = objects, .triangle_count = triangles, .seed = seed};
    assert_int_equal(generator_plant_open(&def, &plant), GRAZE_OK);
    plain_scene plain = {0};
    plain_open(&plain, plant);
    char path[MODEL_PATH_BYTES];
    graze_mesh_view view = graze_mesh_get(plain.mesh);
    models_write(&view, models_path(path, "plant.glb"));
    found_list first = {0};
    for (uint32_t way = 0; way < (TEST_SANITIZED ? 2 : 4); ++way) {
        graze_context_def settings = graze_context_def_default();
        settings.thread_count = 1 + way % 3;
        settings.cache_byte_limit = UINT64_C(1) << (way == 0 ? 26 : 21 + way);
        graze_context *context = test_context(&settings);
        graze_scene *scene = open_plant(context, path);
        found_list list = {0};
        graze_clash_totals totals;
        check_scene(scene, touch, clearance, &list, &totals);
        assert_int_equal(totals.object_count, plain.count);
        uint64_t sum = 0;
        for (int kind = 1; kind < GRAZE_CLASH_KINDS; ++kind)
            sum += totals.counts[kind];
        assert_int_equal(sum, list.count);
        assert_true(graze_scene_cache_use(scene).peak_bytes <= settings.cache_byte_limit);
        graze_scene_free(scene);
        test_context_done(context);
        if (way == 0) {
            first = list;
            compare_with_planted(plant, &first, touch, clearance);
            if (all_pairs)
                compare_with_plain(&plain, &first, touch, clearance);
        } else {
            compare_lists(&first, &list);
            free_found(&list);
        }
    }
    // Worst first.
    for (uint32_t i = 1; i < first.count; ++i)
        assert_true(first.items[i - 1].kind <= first.items[i].kind);
    free_found(&first);
    unlink(path);
    plain_close(&plain);
    generator_plant_close(plant);
}

static void plants_of_all_sizes(void **state)
{
    (void)state;
    check_plant(60, 3000, 1, 1e-4, 0.05, true);
    check_plant(150, 20000, 2, 1e-3, 0.025, true);
}

static void larger_plant(void **state)
{
    (void)state;
    check_plant(400, TEST_SANITIZED ? 20000 : 100000, 3, 1e-4, 0.025, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plants_of_all_sizes),
        cmocka_unit_test(larger_plant),
    };
    int failed = cmocka_run_group_tests(tests, models_enter, models_leave);
    free(numbers);
    return failed;
}
