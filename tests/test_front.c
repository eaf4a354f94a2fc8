// Fronts: along paths of small steps, jumps and rests, with tolerances and other questions in
// between, a query that keeps a front gives the lists of one that does not.
#include "test.h"

#include <math.h>
#include <stdbool.h>

#include "faults.h"
#include "query/query_scratch.h"
#include "shapes.h"

typedef struct path {
    graze_context *context;
    graze_shape *a, *b;
    graze_query *kept, *fresh;
    test_random random;
    graze_pose pose_a, pose_b;
    graze_collide_def def;
    uint64_t contacts;
    uint64_t sure, tested; // on the lists of the front, each time that it was used
    graze_front *front;    // of the query that keeps one
} path;

static const gz_front *front_of(graze_front *front) { return gz_front_of(front, 0); }

static graze_shape *make_shape(graze_context *context, const char *kind, uint64_t count,
                               graze_layout layout)
{
    generator_shape_def def = {.kind = kind, .triangle_count = count, .seed = 3, .size = 2};
    graze_mesh *mesh = NULL;
    assert_int_equal(generator_shape_make(context, &def, &mesh), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(mesh);
    graze_shape *shape = NULL;
    graze_shape_def shape_def = graze_shape_def_default();
    shape_def.layout = layout;
    assert_int_equal(graze_shape_create(context, &view, &shape_def, &shape), GRAZE_OK);
    graze_mesh_free(mesh);
    return shape;
}

static void check_lists(const graze_answer *x, const graze_answer *y)
{
    assert_int_equal(x->verdict, y->verdict);
    assert_int_equal(x->pair_count, y->pair_count);
    assert_true(x->complete && y->complete);
    assert_int_equal(x->pairs == NULL, y->pairs == NULL);
    if (x->pair_count != 0 && x->pairs != NULL)
        assert_memory_equal(x->pairs, y->pairs, x->pair_count * sizeof(graze_pair));
    assert_int_equal(x->contacts == NULL, y->contacts == NULL);
    for (uint64_t i = 0; i < x->pair_count && x->contacts != NULL; ++i) {
        const graze_contact *p = &x->contacts[i], *q = &y->contacts[i];
        assert_true(p->pair.a == q->pair.a && p->pair.b == q->pair.b && p->depth == q->depth);
        assert_memory_equal(p->point_a, q->point_a, sizeof p->point_a);
        assert_memory_equal(p->normal, q->normal, sizeof p->normal);
    }
}

static void ask_both(path *p)
{
    graze_answer with, without;
    p->def.front = p->front;
    assert_int_equal(graze_query_collide(p->kept, graze_at(p->a, &p->pose_a),
                                         graze_at(p->b, &p->pose_b), &p->def, &with),
                     GRAZE_OK);
    p->def.front = NULL;
    assert_int_equal(graze_query_collide(p->fresh, graze_at(p->a, &p->pose_a),
                                         graze_at(p->b, &p->pose_b), &p->def, &without),
                     GRAZE_OK);
    check_lists(&with, &without);
    p->contacts += with.pair_count;
    if (front_of(p->front)->usable) {
        p->sure += front_of(p->front)->sure.count;
        p->tested += front_of(p->front)->places.count;
    }
}

static void move(path *p, graze_pose *pose, double step)
{
    double axis[3], shift[3];
    for (int i = 0; i < 3; ++i) {
        axis[i] = test_unit(&p->random) - 0.5;
        shift[i] = (test_unit(&p->random) - 0.5) * step;
    }
    graze_pose by;
    assert_int_equal(graze_pose_from_axis(axis, step * test_unit(&p->random), shift, &by),
                     GRAZE_OK);
    *pose = graze_pose_compose(&by, pose);
}

static void open_path_of(path *p, const char *kind_a, const char *kind_b, uint64_t count,
                         uint64_t seed)
{
    *p = (path){.context = test_context(NULL), .random = {seed}};
    p->a = make_shape(p->context, kind_a, count, GRAZE_LAYOUT_FAST);
    p->b = make_shape(p->context, kind_b, count * 2 / 3, GRAZE_LAYOUT_COMPACT);
    assert_int_equal(graze_query_create(p->context, &p->kept), GRAZE_OK);
    assert_int_equal(graze_front_create(p->context, &p->front), GRAZE_OK);
    assert_int_equal(graze_query_create(p->context, &p->fresh), GRAZE_OK);
    p->pose_a = p->pose_b = graze_pose_identity();
    p->pose_b.translation[0] = 0.7;
    p->def = graze_collide_def_default();
    p->def.collect = GRAZE_COLLECT_PAIRS;
}

static void open_path(path *p, const char *kind_a, const char *kind_b, uint64_t seed)
{
    open_path_of(p, kind_a, kind_b, 3000, seed);
}

static void close_path(path *p)
{
    graze_front_free(p->front);
    graze_query_free(p->kept);
    graze_query_free(p->fresh);
    graze_shape_free(p->a);
    graze_shape_free(p->b);
    test_context_done(p->context);
}

static void small_steps(void **state)
{
    (void)state;
    for (int round = 0; round < 4; ++round) {
        path p;
        open_path(&p, round % 2 ? "knot" : "gear", "torus", 10 + (uint64_t)round);
        p.def.tolerance = round / 2 * 0.01;
        for (int i = 0; i < 300; ++i) {
            move(&p, &p.pose_b, 1e-4);
            if (i % 3 == 0)
                move(&p, &p.pose_a, 1e-4);
            p.def.collect = i % 20 == 19 ? GRAZE_COLLECT_CONTACTS : GRAZE_COLLECT_PAIRS;
            ask_both(&p);
        }
        print_message("%llu of 300 by the front, %llu contacts\n",
                      (unsigned long long)front_of(p.front)->uses, (unsigned long long)p.contacts);
        assert_true(front_of(p.front)->uses > 250 && p.contacts > 1000);
        close_path(&p);
    }
}

static void any_steps(void **state)
{
    (void)state;
    path p;
    open_path(&p, "knot", "gear", 20);
    for (int i = 0; i < 400; ++i) {
        double step = ldexp(1, -(int)(test_next(&p.random) % 20));
        if (test_next(&p.random) % 4 != 0)
            step = i % 100 < 70 ? 2e-4 : 0;
        move(&p, test_next(&p.random) % 3 == 0 ? &p.pose_a : &p.pose_b, step + 1e-12);
        p.def.tolerance = test_next(&p.random) % 50 == 0 ? 0.005
                          : i % 150 < 75                 ? 0
                                                         : p.def.tolerance;
        p.def.collect =
            test_next(&p.random) % 10 == 0 ? GRAZE_COLLECT_VERDICT : GRAZE_COLLECT_PAIRS;
        if (p.def.collect == GRAZE_COLLECT_VERDICT) {
            graze_answer answer;
            assert_int_equal(graze_query_collide(p.kept, graze_at(p.b, &p.pose_b),
                                                 graze_at(p.a, &p.pose_a), &p.def, &answer),
                             GRAZE_OK);
        } else {
            ask_both(&p);
        }
        if (fabs(p.pose_b.translation[0]) > 2 || fabs(p.pose_a.translation[0]) > 2)
            p.pose_a = p.pose_b = graze_pose_identity();
    }
    assert_true(front_of(p.front)->uses > 50 && p.contacts > 1000);
    close_path(&p);
}

// Straight on and round and round, until a front is worn out: pairs that it takes for granted are
// close to parting then. Few large triangles, so that one in ten of them is.
static void straight_on(void **state)
{
    (void)state;
    path sum = {0};
    for (uint64_t seed = 1; seed <= TEST_CHANCES(UINT64_C(150)); ++seed) {
        path p;
        open_path_of(&p, "soup", "soup", 60, seed);
        p.def.tolerance = seed % 3 == 0 ? 0.05 : 0;
        p.pose_b.translation[0] = 0;
        double axis[3], shift[3], speed = ldexp(1, -(int)(seed % 4)) * 4e-3;
        for (int i = 0; i < 3; ++i) {
            axis[i] = test_unit(&p.random) - 0.5;
            shift[i] = (test_unit(&p.random) - 0.5) * speed;
        }
        graze_pose by;
        double angle = seed % 2 == 0 ? 0 : speed / 4;
        assert_int_equal(graze_pose_from_axis(axis, angle, shift, &by), GRAZE_OK);
        for (int i = 0; i < 60; ++i) {
            p.pose_b = graze_pose_compose(&by, &p.pose_b);
            p.def.collect = i % 20 == 19  ? GRAZE_COLLECT_CONTACTS
                            : i % 20 == 9 ? GRAZE_COLLECT_COUNT
                                          : GRAZE_COLLECT_PAIRS;
            ask_both(&p);
        }
        sum.sure += p.sure;
        sum.tested += p.tested;
        sum.contacts += p.contacts;
        close_path(&p);
    }
    print_message("%llu contacts, %llu of them sure, %llu pairs tested\n",
                  (unsigned long long)sum.contacts, (unsigned long long)sum.sure,
                  (unsigned long long)sum.tested);
    assert_true(sum.sure > sum.contacts / 4 && sum.tested > sum.contacts / 4);
}

// A context of one of the SIMD widths, by turns.
static graze_context *context_for(uint64_t turn)
{
    graze_context *context =
        test_context_of_width((graze_simd)(GRAZE_SIMD_SCALAR + (int)(turn % 4)));
    return context != NULL ? context : test_context(NULL);
}

// A shape of small bunches of triangles, all over a cube: large ones, and such as are a thirtieth
// of them.
enum { BUNCH = 5, MIXED = 60 * BUNCH };
static graze_shape *make_mixed(graze_context *context, test_random *random)
{
    static float position[3 * MIXED][3];
    static uint32_t corner[3 * MIXED];
    float middle[3] = {0, 0, 0};
    for (uint32_t i = 0; i < 3 * MIXED; ++i) {
        float size = i / (3 * BUNCH) % 2 == 0 ? 1 : 0.03f;
        for (int axis = 0; axis < 3; ++axis) {
            if (i % (3 * BUNCH) == 0)
                middle[axis] = (float)test_unit(random) - 0.5f;
            position[i][axis] = middle[axis] + size * ((float)test_unit(random) - 0.5f);
        }
        corner[i] = i;
    }
    graze_mesh_view view = {.precision = GRAZE_FLOAT32,
                            .vertex_count = UINT64_C(3) * MIXED,
                            .triangle_count = MIXED,
                            .positions = position,
                            .corners = corner};
    graze_shape *shape = NULL;
    assert_int_equal(graze_shape_create(context, &view, NULL, &shape), GRAZE_OK);
    return shape;
}

// Large and small leaves side by side: the same motion is much to the small ones, and each pair of
// triangles has to be told what it is to its own leaf.
static void small_beside_large(void **state)
{
    (void)state;
    path sum = {0};
    for (uint64_t seed = 1; seed <= TEST_CHANCES(UINT64_C(60)); ++seed) {
        path p = {.context = context_for(seed), .random = {seed}};
        p.a = make_mixed(p.context, &p.random);
        p.b = make_mixed(p.context, &p.random);
        assert_int_equal(graze_query_create(p.context, &p.kept), GRAZE_OK);
        assert_int_equal(graze_front_create(p.context, &p.front), GRAZE_OK);
        assert_int_equal(graze_query_create(p.context, &p.fresh), GRAZE_OK);
        p.pose_a = p.pose_b = graze_pose_identity();
        p.def = graze_collide_def_default();
        p.def.collect = GRAZE_COLLECT_PAIRS;
        double shift[3], speed = ldexp(1, -(int)(seed % 4)) * 2e-3;
        for (int i = 0; i < 3; ++i)
            shift[i] = (test_unit(&p.random) - 0.5) * speed;
        for (int i = 0; i < 40; ++i) {
            for (int k = 0; k < 3; ++k)
                p.pose_b.translation[k] += shift[k];
            ask_both(&p);
        }
        sum.sure += p.sure;
        sum.contacts += p.contacts;
        close_path(&p);
    }
    print_message("%llu contacts, %llu of them sure\n", (unsigned long long)sum.contacts,
                  (unsigned long long)sum.sure);
    assert_true(sum.sure > sum.contacts / 8);
}

// A front is about a tolerance, too: another one is asked for while the front is good, a larger
// one, for which it has too few pairs, and a smaller one, for which it is sure of too many.
static void other_tolerances(void **state)
{
    (void)state;
    static const double tolerances[] = {0, 0.02, 0.01, 0, 0.03, 0.02};
    path p;
    uint64_t changed = 0, last = 0;
    open_path(&p, "gear", "torus", 40);
    for (int i = 0; i < 72; ++i) {
        bool usable = front_of(p.front)->usable, other = i % 6 == 0;
        p.def.tolerance = tolerances[i / 6 % 6];
        move(&p, &p.pose_b, 1e-5);
        uint64_t before = p.contacts;
        ask_both(&p);
        if (other && usable)
            changed += p.contacts - before != last;
        last = p.contacts - before;
    }
    assert_true(changed > 8 && front_of(p.front)->uses > 30);
    close_path(&p);
}

// A front is about two shapes; others that come to lie where those were are not mistaken for them.
static void other_shapes(void **state)
{
    (void)state;
    path p;
    open_path(&p, "gear", "torus", 30);
    for (int i = 0; i < 60; ++i) {
        move(&p, &p.pose_b, 1e-4);
        ask_both(&p);
        if (i % 7 == 6) {
            graze_shape_free(p.b);
            p.b = make_shape(p.context, i % 2 ? "torus" : "gear", 2000, GRAZE_LAYOUT_FAST);
        }
    }
    assert_true(front_of(p.front)->uses > 10);
    close_path(&p);
}

// Whatever allocation fails, the question says so, and nothing is left behind.
static graze_status walk_in_want(graze_context *context, void *data)
{
    (void)data;
    generator_shape_def soup = {.kind = "soup", .triangle_count = 200, .seed = 3, .size = 2};
    graze_mesh *mesh = NULL;
    graze_shape *shape = NULL;
    graze_query *query = NULL;
    graze_status status = generator_shape_make(context, &soup, &mesh);
    if (status == GRAZE_OK) {
        graze_mesh_view view = graze_mesh_get(mesh);
        status = graze_shape_create(context, &view, NULL, &shape);
    }
    if (status == GRAZE_OK)
        status = graze_query_create(context, &query);
    graze_collide_def def = graze_collide_def_default();
    graze_front *front = NULL;
    if (status == GRAZE_OK)
        status = graze_front_create(context, &front);
    def.front = front;
    graze_pose fixed = graze_pose_identity(), moved = graze_pose_identity();
    for (int i = 0; i < 6 && status == GRAZE_OK; ++i) {
        graze_answer answer;
        moved.translation[0] = 0.1 + i * 1e-4;
        def.collect = i < 4 ? GRAZE_COLLECT_PAIRS : GRAZE_COLLECT_CONTACTS;
        status = graze_query_collide(query, graze_at(shape, &fixed), graze_at(shape, &moved), &def,
                                     &answer);
        if (status == GRAZE_OK)
            assert_true(answer.pair_count != 0);
    }
    if (status == GRAZE_OK)
        assert_true(front_of(front)->uses > 3 && front_of(front)->sure.count != 0);
    graze_front_free(front);
    graze_query_free(query);
    graze_shape_free(shape);
    graze_mesh_free(mesh);
    return status;
}

static void want_of_memory(void **state)
{
    (void)state;
    assert_true(test_all_faults(walk_in_want, NULL, 1) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_steps),      cmocka_unit_test(any_steps),
        cmocka_unit_test(straight_on),      cmocka_unit_test(small_beside_large),
        cmocka_unit_test(other_tolerances), cmocka_unit_test(other_shapes),
        cmocka_unit_test(want_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
