// Refitted shapes: their trees keep the rules, their answers are those of the oracle and of shapes
// built anew, and a refit that is refused changes nothing. For both layouts, precisions and builds,
// on one thread and on many.
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "faults.h"
#include "query/query_scratch.h"
#include "shapes.h"
#include "soups.h"

enum { WAVES, JITTER, POINT, HUGE_SCALE, TINY_SCALE, FAR_AWAY, AS_IT_WAS, WAYS };

static graze_shape *shape_of(graze_context *context, const graze_mesh_view *view, uint64_t variant)
{
    graze_shape *shape = NULL;
    graze_shape_def def = graze_shape_def_default();
    def.layout = variant % 2 == 0 ? GRAZE_LAYOUT_FAST : GRAZE_LAYOUT_COMPACT;
    def.build = variant / 2 % 2 == 0 ? GRAZE_BUILD_BEST : GRAZE_BUILD_QUICK;
    assert_int_equal(graze_shape_create(context, view, &def, &shape), GRAZE_OK);
    return shape;
}

// Where a vertex goes.
static void move(int way, double size, test_random *random, const double from[3], double to[3])
{
    for (int i = 0; i < 3; ++i)
        switch (way) {
        case WAVES: to[i] = from[i] + size / 8 * sin(3 / size * from[(i + 1) % 3]); break;
        case JITTER: to[i] = from[i] + size * soup_between(random, -0.2, 0.2); break;
        case POINT: to[i] = size / 3; break;
        case HUGE_SCALE: to[i] = from[i] * 0x1p40; break;
        case TINY_SCALE: to[i] = from[i] * 0x1p-40; break;
        case FAR_AWAY: to[i] = from[i] + 1e5 * size; break;
        default: to[i] = from[i]; break;
        }
}

static double size_of(const double *positions, uint64_t count)
{
    double size = 0x1p-1000;
    for (uint64_t i = 0; i < count; ++i)
        size = fmax(size, fabs(positions[i]));
    return size;
}

static void move_soup(soup *s, const soup *from, int way, test_random *random)
{
    double size = size_of(from->position, 3 * from->view.vertex_count);
    for (uint64_t v = 0; v < s->view.vertex_count; ++v) {
        move(way, size, random, &from->position[3 * v], &s->position[3 * v]);
        for (uint64_t i = 3 * v; i < 3 * v + 3; ++i)
            s->narrow[i] = (float)s->position[i];
    }
}

// All that two shapes of a case are asked.
static void check_answers(graze_query *query, const soup_case *c, const graze_shape *a,
                          const graze_shape *b)
{
    graze_collide_def def = graze_collide_def_default();
    graze_answer answer;
    def.tolerance = c->tolerance;
    def.collect = GRAZE_COLLECT_PAIRS;
    assert_int_equal(
        graze_query_collide(query, graze_at(a, &c->pose_a), graze_at(b, &c->pose_b), &def, &answer),
        GRAZE_OK);
    soup_case_check(c, answer.pairs, answer.pair_count, false);
    assert_int_equal(answer.pair_count, c->contacts);
    assert_int_equal(
        graze_query_collide(query, graze_at(b, &c->pose_b), graze_at(a, &c->pose_a), &def, &answer),
        GRAZE_OK);
    soup_case_check(c, answer.pairs, answer.pair_count, true);
    def.collect = GRAZE_COLLECT_VERDICT;
    assert_int_equal(
        graze_query_collide(query, graze_at(a, &c->pose_a), graze_at(b, &c->pose_b), &def, &answer),
        GRAZE_OK);
    assert_int_equal(answer.verdict, c->contacts != 0 ? GRAZE_CONTACT : GRAZE_APART);
    graze_distance distance;
    assert_int_equal(graze_query_distance(query, graze_at(a, &c->pose_a), graze_at(b, &c->pose_b),
                                          NULL, &distance),
                     GRAZE_OK);
    graze_pair closest = soup_case_closest(c, distance.distance);
    assert_true(closest.a == distance.pair.a && closest.b == distance.pair.b);
}

static void check_like_new(graze_context *context, graze_query *query, const soup_case *c,
                           const graze_shape *refitted, uint64_t variant)
{
    graze_shape *fresh = shape_of(context, &c->a.view, variant);
    const double here[3] = {0.1, 0.2, 0.3}, there[3] = {-3, -2.5, -2};
    graze_ray ray[2];
    assert_int_equal(
        graze_query_ray(query, graze_at(fresh, &c->pose_a), here, there, NULL, &ray[0]), GRAZE_OK);
    assert_int_equal(
        graze_query_ray(query, graze_at(refitted, &c->pose_a), here, there, NULL, &ray[1]),
        GRAZE_OK);
    assert_true(ray[0].hit == ray[1].hit && ray[0].triangle == ray[1].triangle &&
                ray[0].t == ray[1].t);
    graze_shape_info old = graze_shape_get_info(refitted), new = graze_shape_get_info(fresh);
    assert_memory_equal(&old.box, &new.box, sizeof old.box);
    assert_memory_equal(refitted->tree.origin, fresh->tree.origin, sizeof fresh->tree.origin);
    assert_memory_equal(refitted->tree.half, fresh->tree.half, sizeof fresh->tree.half);
    assert_true(refitted->tree.scale == fresh->tree.scale);
    graze_shape_free(fresh);
}

static void answers_equal_oracle(void **state)
{
    (void)state;
    test_of_one_thread();
    static soup_case c;
    static soup base;
    graze_context *context = test_context(NULL);
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    uint64_t done = 0, refused = 0, contacts = 0;
    for (uint64_t seed = 1; seed <= 48; ++seed) {
        soup_case_make(&c, seed, 50);
        test_random random = {seed + 1000};
        base = c.a;
        graze_shape *b = shape_of(context, &c.b.view, seed / 4);
        graze_shape *a = shape_of(context, &c.a.view, seed);
        for (int way = 0; way < WAYS; ++way) {
            soup before = c.a;
            move_soup(&c.a, &base, way, &random);
            c.a.view = base.view;
            c.a.view.positions =
                base.view.precision == GRAZE_FLOAT32 ? (void *)c.a.narrow : c.a.position;
            graze_status status = graze_shape_refit(a, &c.a.view, NULL);
            if (status != GRAZE_OK) { // it had kept equal positions once
                assert_int_equal(status, GRAZE_ERROR_ARGUMENT);
                assert_non_null(strstr(test_last_error, "has parted from others"));
                assert_int_equal(way, JITTER);
                c.a = before;
                c.a.view.positions =
                    base.view.precision == GRAZE_FLOAT32 ? (void *)c.a.narrow : c.a.position;
                refused++;
            }
            assert_int_equal(gz_tree_check(&a->tree, &c.a.view), GRAZE_OK);
            soup_case_solve(&c);
            check_answers(query, &c, a, b);
            check_like_new(context, query, &c, a, seed);
            done++;
            contacts += c.contacts;
        }
        graze_shape_free(a);
        graze_shape_free(b);
    }
    print_message("%llu refits, %llu refused, %llu contacts\n", (unsigned long long)done,
                  (unsigned long long)refused, (unsigned long long)contacts);
    assert_true(refused * 10 < done && contacts > 5000);
    graze_query_free(query);
    test_context_done(context);
}

// A mesh of a scene, with positions of our own.
typedef struct moved_mesh {
    graze_mesh *mesh;
    graze_mesh_view view;
    double *base, *wide;
    float *narrow;
} moved_mesh;

static moved_mesh open_mesh(graze_context *context, const char *kind, uint64_t count,
                            graze_precision precision)
{
    generator_shape_def def = {.kind = kind, .triangle_count = count, .seed = 5, .size = 2};
    def.precision = precision;
    moved_mesh m = {0};
    assert_int_equal(generator_shape_make(context, &def, &m.mesh), GRAZE_OK);
    m.view = graze_mesh_get(m.mesh);
    uint64_t numbers = 3 * m.view.vertex_count;
    m.base = malloc(numbers * sizeof *m.base);
    m.wide = malloc(numbers * sizeof *m.wide);
    m.narrow = malloc(numbers * sizeof *m.narrow);
    for (uint64_t i = 0; i < numbers; ++i) {
        m.base[i] = precision == GRAZE_FLOAT32 ? (double)((const float *)m.view.positions)[i]
                                               : ((const double *)m.view.positions)[i];
        m.wide[i] = m.base[i];
        m.narrow[i] = (float)m.base[i];
    }
    m.view.positions = precision == GRAZE_FLOAT32 ? (void *)m.narrow : m.wide;
    return m;
}

static void move_mesh(moved_mesh *m, int way, uint64_t seed)
{
    test_random random = {seed};
    for (uint64_t v = 0; v < m->view.vertex_count; ++v) {
        move(way, 1, &random, &m->base[3 * v], &m->wide[3 * v]);
        for (uint64_t i = 3 * v; i < 3 * v + 3; ++i)
            m->narrow[i] = (float)m->wide[i];
    }
}

static void close_mesh(moved_mesh *m)
{
    graze_mesh_free(m->mesh);
    free(m->base);
    free(m->wide);
    free(m->narrow);
}

static uint64_t node_bytes(const gz_tree *tree)
{
    return tree->node_count *
           (tree->layout == GRAZE_LAYOUT_FAST ? sizeof(gz_node) : sizeof(gz_small_node));
}

static uint64_t leaf_bytes(const gz_tree *tree)
{
    uint64_t fast = tree->precision == GRAZE_FLOAT32 ? sizeof(gz_leaf32) : sizeof(gz_leaf64);
    return tree->leaf_count * (tree->layout == GRAZE_LAYOUT_FAST ? fast : sizeof(gz_small_leaf));
}

static void check_same_tree(const gz_tree *a, const gz_tree *b)
{
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->leaf_count, b->leaf_count);
    assert_memory_equal(a->nodes, b->nodes, node_bytes(a));
    assert_memory_equal(a->leaves, b->leaves, leaf_bytes(a));
    assert_int_equal(a->vertex_count, b->vertex_count);
    if (a->vertex_count != 0)
        assert_memory_equal(a->vertices, b->vertices, a->vertex_count * 3 * (uint64_t)a->precision);
}

// There and back again: every bit is as it was built, and boxes are no looser.
static void unmoved_trees_are_as_built(void **state)
{
    (void)state;
    graze_context_def def = graze_context_def_default();
    def.thread_count = 3;
    graze_context *context = test_context(&def);
    for (uint64_t variant = 0; variant < 8; variant += TEST_SANITIZED ? 3 : 1) {
        moved_mesh m = open_mesh(context, variant % 3 == 0 ? "gear" : "knot", 20000,
                                 variant < 4 ? GRAZE_FLOAT32 : GRAZE_FLOAT64);
        graze_shape *built = shape_of(context, &m.view, variant);
        graze_shape *moved = shape_of(context, &m.view, variant);
        double looseness = 0;
        assert_int_equal(graze_shape_refit(moved, &m.view, &looseness), GRAZE_OK);
        assert_true(looseness == 1);
        check_same_tree(&moved->tree, &built->tree);
        assert_true(fabs(moved->tree.grain / built->tree.grain - 1) < 1e-4);
        move_mesh(&m, WAVES, variant);
        assert_int_equal(graze_shape_refit(moved, &m.view, &looseness), GRAZE_OK);
        assert_true(looseness > 0.95 && looseness < 1.25);
        move_mesh(&m, AS_IT_WAS, variant);
        assert_int_equal(graze_shape_refit(moved, &m.view, &looseness), GRAZE_OK);
        assert_true(looseness == 1);
        check_same_tree(&moved->tree, &built->tree);
        graze_shape_free(built);
        graze_shape_free(moved);
        close_mesh(&m);
    }
    test_context_done(context);
}

static void looseness_tells(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (uint64_t variant = 0; variant < 2; ++variant) {
        moved_mesh m = open_mesh(context, "sphere", 10000, GRAZE_FLOAT32);
        graze_shape *shape = shape_of(context, &m.view, variant);
        double looseness = 0;
        move_mesh(&m, HUGE_SCALE, 1);
        assert_int_equal(graze_shape_refit(shape, &m.view, &looseness), GRAZE_OK);
        assert_true(fabs(looseness - 1) < 1e-3);
        move_mesh(&m, JITTER, 1);
        assert_int_equal(graze_shape_refit(shape, &m.view, &looseness), GRAZE_OK);
        assert_true(looseness > 3);
        move_mesh(&m, POINT, 1);
        assert_int_equal(graze_shape_refit(shape, &m.view, &looseness), GRAZE_OK);
        assert_true(looseness > 0 && looseness < HUGE_VAL);
        assert_int_equal(gz_tree_check(&shape->tree, &m.view), GRAZE_OK);
        graze_shape_free(shape);
        close_mesh(&m);
    }
    test_context_done(context);
}

static void threads_make_no_difference(void **state)
{
    (void)state;
    graze_context *contexts[2];
    for (uint32_t i = 0; i < 2; ++i) {
        graze_context_def def = graze_context_def_default();
        def.thread_count = 1 + 3 * i;
        contexts[i] = test_context(&def);
    }
    for (uint64_t variant = 0; variant < 4; variant += TEST_SANITIZED ? 3 : 1) {
        graze_shape *shapes[2];
        moved_mesh m = open_mesh(contexts[0], "torus", 30000,
                                 variant % 2 == 0 ? GRAZE_FLOAT32 : GRAZE_FLOAT64);
        for (int i = 0; i < 2; ++i)
            shapes[i] = shape_of(contexts[i], &m.view, variant / 2);
        for (int way = 0; way < WAYS; ++way) {
            move_mesh(&m, way, variant);
            for (int i = 0; i < 2; ++i)
                assert_int_equal(graze_shape_refit(shapes[i], &m.view, NULL), GRAZE_OK);
            check_same_tree(&shapes[0]->tree, &shapes[1]->tree);
            assert_true(shapes[0]->tree.grain == shapes[1]->tree.grain);
            assert_int_equal(gz_tree_check(&shapes[1]->tree, &m.view), GRAZE_OK);
        }
        graze_shape_free(shapes[0]);
        graze_shape_free(shapes[1]);
        close_mesh(&m);
    }
    test_context_done(contexts[1]);
    test_context_done(contexts[0]);
}

// Asks a query that keeps a front, and one that never saw the shapes before.
static void fronts_are_dropped(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    moved_mesh m = open_mesh(context, "knot", 3000, GRAZE_FLOAT32);
    graze_shape *a = shape_of(context, &m.view, 0), *b = shape_of(context, &m.view, 1);
    graze_query *kept = NULL, *fresh = NULL;
    graze_front *front = NULL;
    graze_pose pose = graze_pose_identity(), still = pose;
    assert_int_equal(graze_query_create(context, &kept), GRAZE_OK);
    assert_int_equal(graze_front_create(context, &front), GRAZE_OK);
    assert_int_equal(graze_query_create(context, &fresh), GRAZE_OK);
    pose.translation[0] = 0.4;
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_PAIRS;
    uint64_t contacts = 0;
    for (int i = 0; i < 60; ++i) {
        if (i % 7 == 6) {
            move_mesh(&m, i % 2 ? WAVES : AS_IT_WAS, 1);
            assert_int_equal(graze_shape_refit(i % 3 ? a : b, &m.view, NULL), GRAZE_OK);
        }
        pose.translation[1] += 1e-4;
        graze_answer x, y;
        def.front = front;
        assert_int_equal(
            graze_query_collide(kept, graze_at(a, &still), graze_at(b, &pose), &def, &x), GRAZE_OK);
        def.front = NULL;
        assert_int_equal(
            graze_query_collide(fresh, graze_at(a, &still), graze_at(b, &pose), &def, &y),
            GRAZE_OK);
        assert_int_equal(x.pair_count, y.pair_count);
        if (x.pair_count != 0)
            assert_memory_equal(x.pairs, y.pairs, x.pair_count * sizeof *x.pairs);
        contacts += x.pair_count;
    }
    assert_true(gz_front_of(front, 0)->uses > 10 && contacts > 1000);
    graze_front_free(front);
    graze_query_free(kept);
    graze_query_free(fresh);
    graze_shape_free(a);
    graze_shape_free(b);
    close_mesh(&m);
    test_context_done(context);
}

// A box of twelve triangles with vertices of their own: 36 numbers in 8 places.
static const uint8_t box_corner[36] = {0, 1, 3, 0, 3, 2, 4, 7, 5, 4, 6, 7, 0, 4, 5, 0, 5, 1,
                                       2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};

static graze_mesh_view make_box(float position[108], uint32_t corner[36])
{
    for (uint32_t i = 0; i < 36; ++i) {
        corner[i] = i;
        for (uint32_t axis = 0; axis < 3; ++axis)
            position[3 * i + axis] = (float)(box_corner[i] >> axis & 1) + 0.5f;
    }
    return (graze_mesh_view){.precision = GRAZE_FLOAT32,
                             .vertex_count = 36,
                             .triangle_count = 12,
                             .positions = position,
                             .corners = corner};
}

static void what_parts_is_refused(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (uint64_t variant = 0; variant < 2; ++variant) {
        float position[108], twice[108];
        uint32_t corner[36];
        graze_mesh_view view = make_box(position, corner);
        graze_shape *shape = shape_of(context, &view, variant);
        uint32_t closed = 0;
        assert_int_equal(graze_shape_closed(shape, &closed), GRAZE_OK);
        assert_int_equal(closed, 1);
        // All vertices of one place go together.
        graze_mesh_view moved = view;
        moved.positions = twice;
        for (int i = 0; i < 108; ++i)
            twice[i] = 2 * position[i];
        assert_int_equal(graze_shape_refit(shape, &moved, NULL), GRAZE_OK);
        assert_int_equal(gz_tree_check(&shape->tree, &moved), GRAZE_OK);
        // One goes alone: that cannot be where twelve triangles have eight vertices.
        float old = twice[40];
        twice[40] = 7;
        assert_int_equal(graze_shape_refit(shape, &moved, NULL), GRAZE_ERROR_ARGUMENT);
        assert_non_null(strstr(test_last_error, "has parted from others"));
        twice[40] = old;
        assert_int_equal(gz_tree_check(&shape->tree, &moved), GRAZE_OK);
        graze_shape_free(shape);
    }
    test_context_done(context);
}

// The same triangles under other numbers: three vertices of its own for each.
static void numbers_may_change(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    moved_mesh m = open_mesh(context, "sphere", 2000, GRAZE_FLOAT32);
    uint64_t corners = 3 * m.view.triangle_count;
    float *position = malloc(3 * corners * sizeof *position);
    uint32_t *corner = malloc(corners * sizeof *corner);
    for (uint64_t i = 0; i < corners; ++i) {
        corner[i] = (uint32_t)i;
        memcpy(&position[3 * i], &m.narrow[3 * (uint64_t)m.view.corners[i]], 3 * sizeof *position);
    }
    graze_mesh_view apart = m.view;
    apart.vertex_count = corners;
    apart.positions = position;
    apart.corners = corner;
    for (uint64_t variant = 0; variant < 2; ++variant) {
        graze_shape *shape = shape_of(context, &m.view, variant);
        assert_int_equal(graze_shape_refit(shape, &apart, NULL), GRAZE_OK);
        assert_int_equal(gz_tree_check(&shape->tree, &m.view), GRAZE_OK);
        uint64_t refused = 0;
        for (uint64_t i = 0; i < corners; i += 7) { // alone, from its neighbours in other leaves
            float old = position[3 * i];
            position[3 * i] = old + 0.5f;
            graze_status status = graze_shape_refit(shape, &apart, NULL);
            assert_int_equal(gz_tree_check(&shape->tree, &apart),
                             status == GRAZE_OK ? GRAZE_OK : GRAZE_ERROR_FORMAT);
            position[3 * i] = old;
            refused += status != GRAZE_OK;
            if (status == GRAZE_OK)
                assert_int_equal(graze_shape_refit(shape, &apart, NULL), GRAZE_OK);
        }
        assert_int_equal(gz_tree_check(&shape->tree, &m.view), GRAZE_OK);
        assert_true(refused > 100 && (variant == 0 || refused == (corners + 6) / 7));
        graze_shape_free(shape);
    }
    free(position);
    free(corner);
    close_mesh(&m);
    test_context_done(context);
}

// Four triangles have room for vertices of their own: one may go its own way.
static void closedness_is_asked_again(void **state)
{
    (void)state;
    static const uint8_t places[12] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};
    graze_context *context = test_context(NULL);
    float position[36];
    uint32_t corner[12];
    for (uint32_t i = 0; i < 12; ++i) {
        corner[i] = i;
        for (uint32_t axis = 0; axis < 3; ++axis)
            position[3 * i + axis] = places[i] == axis + 1 ? 1 : 0;
    }
    graze_mesh_view view = {.precision = GRAZE_FLOAT32,
                            .vertex_count = 12,
                            .triangle_count = 4,
                            .positions = position,
                            .corners = corner};
    for (uint64_t variant = 0; variant < 2; ++variant) {
        graze_shape *shape = shape_of(context, &view, variant);
        for (int round = 0; round < 4; ++round) {
            uint32_t closed = 7;
            assert_int_equal(graze_shape_get_info(shape).closed, GRAZE_NOT_ASKED);
            assert_int_equal(graze_shape_closed(shape, &closed), GRAZE_OK);
            assert_int_equal(closed, round % 2 == 0);
            position[2] += round % 2 == 0 ? 0.25f : -0.25f;
            assert_int_equal(graze_shape_refit(shape, &view, NULL), GRAZE_OK);
        }
        graze_shape_free(shape);
    }
    test_context_done(context);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (uint64_t variant = 0; variant < 4; ++variant) {
        moved_mesh m =
            open_mesh(context, "sphere", 500, variant / 2 == 0 ? GRAZE_FLOAT32 : GRAZE_FLOAT64);
        graze_shape *shape = shape_of(context, &m.view, variant % 2);
        uint64_t serial = shape->tree.serial;
        for (int i = 0; i < 3; ++i) {
            double bad = i == 0 ? (double)NAN : i == 1 ? (double)INFINITY : -(double)INFINITY;
            m.wide[100 * (i + 1)] = bad;
            m.narrow[100 * (i + 1)] = (float)bad;
            assert_int_equal(graze_shape_refit(shape, &m.view, NULL), GRAZE_ERROR_ARGUMENT);
            assert_non_null(strstr(test_last_error, "infinite or not a number"));
            move_mesh(&m, AS_IT_WAS, 1);
        }
        graze_mesh_view other = m.view;
        other.triangle_count--;
        other.object_count = 0;
        assert_int_equal(graze_shape_refit(shape, &other, NULL), GRAZE_ERROR_ARGUMENT);
        assert_non_null(strstr(test_last_error, "triangles, the mesh "));
        other = m.view;
        other.precision = variant / 2 == 0 ? GRAZE_FLOAT64 : GRAZE_FLOAT32;
        other.positions = variant / 2 == 0 ? (void *)m.wide : m.narrow;
        assert_int_equal(graze_shape_refit(shape, &other, NULL), GRAZE_ERROR_ARGUMENT);
        assert_non_null(strstr(test_last_error, "bytes, the mesh of "));
        other = m.view;
        other.vertex_count = 10;
        assert_int_equal(graze_shape_refit(shape, &other, NULL), GRAZE_ERROR_ARGUMENT);
        assert_int_equal(graze_shape_refit(shape, NULL, NULL), GRAZE_ERROR_ARGUMENT);
        assert_int_equal(graze_shape_refit(NULL, &m.view, NULL), GRAZE_ERROR_ARGUMENT);
        assert_int_equal(gz_tree_check(&shape->tree, &m.view), GRAZE_OK);
        assert_int_equal(shape->tree.serial, serial);
        graze_shape_free(shape);
        close_mesh(&m);
    }
    graze_mesh_view nothing = {.precision = GRAZE_FLOAT32};
    graze_shape *empty = shape_of(context, &nothing, 0);
    double looseness = 0;
    assert_int_equal(graze_shape_refit(empty, &nothing, &looseness), GRAZE_OK);
    assert_true(looseness == 1);
    graze_shape_free(empty);
    test_context_done(context);
}

// A mesh before it moves, and after.
typedef struct two_views {
    graze_mesh_view before, after;
    graze_layout layout;
} two_views;

static graze_status refit_once(graze_context *context, void *data)
{
    const two_views *views = data;
    graze_shape *shape = NULL;
    graze_shape_def def = graze_shape_def_default();
    def.layout = views->layout;
    graze_status status = graze_shape_create(context, &views->before, &def, &shape);
    if (status != GRAZE_OK)
        return status;
    status = graze_shape_refit(shape, &views->after, NULL);
    const graze_mesh_view *now = status == GRAZE_OK ? &views->after : &views->before;
    graze_status sound = gz_tree_check(&shape->tree, now);
    assert_true(sound == GRAZE_OK || sound == GRAZE_ERROR_MEMORY);
    graze_shape_free(shape);
    return status;
}

static void failing_changes_nothing(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    moved_mesh before = open_mesh(context, "gear", 800, GRAZE_FLOAT32);
    moved_mesh after = open_mesh(context, "gear", 800, GRAZE_FLOAT32);
    move_mesh(&after, JITTER, 3);
    for (int layout = 0; layout < 2; ++layout) {
        two_views views = {before.view, after.view, (graze_layout)layout};
        assert_true(test_all_faults(refit_once, &views, 1) > 5);
    }
    close_mesh(&before);
    close_mesh(&after);
    test_context_done(context);
}

static int impatient(void *user) { return *(int *)user; }

static void cancelling_changes_nothing(void **state)
{
    (void)state;
    int cancel = 0;
    graze_context_def def = graze_context_def_default();
    def.user = &cancel;
    def.cancel = impatient;
    graze_context *context = test_context(&def);
    moved_mesh m = open_mesh(context, "sphere", 3000, GRAZE_FLOAT32);
    for (uint64_t variant = 0; variant < 2; ++variant) {
        graze_shape *shape = shape_of(context, &m.view, variant);
        cancel = 1;
        move_mesh(&m, WAVES, 1);
        assert_int_equal(graze_shape_refit(shape, &m.view, NULL), GRAZE_ERROR_CANCELLED);
        move_mesh(&m, AS_IT_WAS, 1);
        assert_int_equal(gz_tree_check(&shape->tree, &m.view), GRAZE_OK);
        cancel = 0;
        graze_shape_free(shape);
    }
    close_mesh(&m);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_equal_oracle),
        cmocka_unit_test(unmoved_trees_are_as_built),
        cmocka_unit_test(looseness_tells),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(fronts_are_dropped),
        cmocka_unit_test(what_parts_is_refused),
        cmocka_unit_test(numbers_may_change),
        cmocka_unit_test(closedness_is_asked_again),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(failing_changes_nothing),
        cmocka_unit_test(cancelling_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
