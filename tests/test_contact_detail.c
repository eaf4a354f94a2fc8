// Contact details: built, and asked along paths of poses, against the exact engine.
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "clod/detail.h"
#include "clod/detail_file.h"
#include "faults.h"
#include "shapes.h"
#include "test.h"

typedef struct body {
    graze_mesh *mesh;
    graze_shape *shape;
    graze_contact_detail *detail;
} body;

static body make_body(graze_context *context, const char *kind, uint64_t count, uint64_t seed,
                      const graze_contact_detail_def *def)
{
    body b = {0};
    generator_shape_def shape = {.kind = kind, .triangle_count = count, .seed = seed};
    assert_int_equal(generator_shape_make(context, &shape, &b.mesh), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(b.mesh);
    assert_int_equal(graze_shape_create(context, &view, NULL, &b.shape), GRAZE_OK);
    assert_int_equal(graze_contact_detail_build(context, &view, def, &b.detail), GRAZE_OK);
    return b;
}

static void free_body(body *b)
{
    graze_contact_detail_free(b->detail);
    graze_shape_free(b->shape);
    graze_mesh_free(b->mesh);
}

static graze_detailed side(const body *b, const graze_pose *pose)
{
    return (graze_detailed){b->shape, b->detail, pose};
}

static graze_pose random_pose(test_random *random, double reach)
{
    double axis[3] = {test_unit(random) - 0.5, test_unit(random) - 0.5, test_unit(random) - 0.5};
    double shift[3];
    for (int i = 0; i < 3; ++i)
        shift[i] = reach * (2 * test_unit(random) - 1);
    graze_pose pose;
    assert_int_equal(graze_pose_from_axis(axis, 6.3 * test_unit(random), shift, &pose), GRAZE_OK);
    return pose;
}

static void exact_answers_are_exact(void **state)
{
    graze_context *context = *state;
    test_of_one_thread();
    static const char *const kinds[] = {"sphere", "box", "torus", "cup", "spoon", "digit", "gear"};
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    test_random random = {1};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        body a = make_body(context, kinds[i], 800, i, NULL);
        body b = make_body(context, kinds[(i + 1) % 7], 700, i, NULL);
        for (int turn = 0; turn < TEST_CHANCES(100); ++turn) {
            graze_pose pose_a = random_pose(&random, 0.2), pose_b = random_pose(&random, 0.7);
            graze_collide_def exact = graze_collide_def_default();
            graze_detail_collide_def def = graze_detail_collide_def_default();
            exact.tolerance = def.tolerance = turn % 3 == 0 ? 0 : 0.03 * test_unit(&random);
            graze_answer truth;
            graze_detail_answer answer;
            graze_detailed sa = side(&a, &pose_a), sb = side(&b, &pose_b);
            assert_int_equal(graze_query_collide(query, graze_at(a.shape, &pose_a),
                                                 graze_at(b.shape, &pose_b), &exact, &truth),
                             GRAZE_OK);
            assert_int_equal(graze_query_detail(query, &sa, &sb, &def, &answer), GRAZE_OK);
            assert_int_equal(truth.verdict, answer.verdict);
            assert_int_equal(answer.engine, GRAZE_ENGINE_CONTACT_DETAIL);
        }
        free_body(&a);
        free_body(&b);
    }
    graze_query_free(query);
}

// --- Nothing is missed

static bool stands_for(const graze_contact_detail *detail, uint32_t node, uint32_t triangle)
{
    const gz_detail_node *n = &detail->nodes[node];
    for (uint32_t t = 0; t < n->triangle_count; ++t)
        if (detail->numbers[n->first_triangle + t] == triangle)
            return true;
    return false;
}

// All corners of a triangle are as near to the contact's point as the contact says.
static bool is_covered(const body *b, const graze_pose *pose, uint32_t triangle,
                       const double point[3], double cover)
{
    graze_mesh_view view = graze_mesh_get(b->mesh);
    for (uint32_t k = 0; k < 3; ++k) {
        double at[3], world[3], square = 0;
        graze_mesh_view_corner(&view, triangle, k, at);
        graze_pose_apply(pose, at, world);
        for (int i = 0; i < 3; ++i)
            square += (world[i] - point[i]) * (world[i] - point[i]);
        if (sqrt(square) > cover)
            return false;
    }
    return true;
}

typedef struct comparison {
    graze_query *query, *other;
    const body *a, *b;
    graze_pose pose_a, pose_b;
} comparison;

// Every pair of triangles within the tolerance is behind a contact; each contact is as near to
// something true as it says.
static void compare(comparison *c, const graze_detail_collide_def *def, int turn)
{
    graze_collide_def exact = graze_collide_def_default();
    exact.tolerance = def->tolerance;
    exact.collect = GRAZE_COLLECT_PAIRS;
    graze_answer truth;
    graze_detail_answer answer;
    graze_distance distance;
    graze_detailed a = side(c->a, &c->pose_a), b = side(c->b, &c->pose_b);
    graze_posed at_a = graze_at(c->a->shape, &c->pose_a), at_b = graze_at(c->b->shape, &c->pose_b);
    assert_int_equal(graze_query_collide(c->other, at_a, at_b, &exact, &truth), GRAZE_OK);
    assert_int_equal(graze_query_detail(c->query, &a, &b, def, &answer), GRAZE_OK);
    assert_int_equal(answer.complete, 1);
    for (uint64_t i = 0; i < truth.pair_count; ++i) {
        bool found = false;
        for (uint64_t k = 0; k < answer.contact_count && !found; ++k) {
            const graze_detail_contact *contact = &answer.contacts[k];
            found = stands_for(c->a->detail, contact->hull_a, truth.pairs[i].a) &&
                    stands_for(c->b->detail, contact->hull_b, truth.pairs[i].b);
            if (found) {
                assert_true(is_covered(c->a, &c->pose_a, truth.pairs[i].a, contact->point_a,
                                       contact->cover_a));
                assert_true(is_covered(c->b, &c->pose_b, truth.pairs[i].b, contact->point_b,
                                       contact->cover_b));
            }
        }
        if (!found)
            fail_msg("turn %d: triangles %u and %u are missed", turn, truth.pairs[i].a,
                     truth.pairs[i].b);
    }
    if (answer.verdict == GRAZE_APART)
        assert_int_equal(truth.verdict, GRAZE_APART);
    if (answer.verdict == GRAZE_CONTACT)
        assert_int_equal(truth.verdict, GRAZE_CONTACT);
    if (answer.contact_count == 0)
        return;
    assert_int_equal(graze_query_distance(c->other, at_a, at_b, NULL, &distance), GRAZE_OK);
    for (uint64_t k = 0; k < answer.contact_count; ++k) {
        const graze_detail_contact *contact = &answer.contacts[k];
        assert_true(distance.distance <= (def->tolerance + contact->error) * (1 + 1e-12));
        assert_true(contact->area >= 0 && contact->deviation >= 0);
        double square = 0;
        for (int i = 0; i < 3; ++i)
            square += contact->normal[i] * contact->normal[i];
        assert_true(fabs(square - 1) < 1e-9);
    }
}

static double nowhere_exact(void *user, const graze_box *box)
{
    double middle = box->min[0] / 2 + box->max[0] / 2;
    return *(double *)user * (0.1 + fabs(middle));
}

static void nothing_is_missed(void **state)
{
    graze_context *context = *state;
    test_of_one_thread();
    static const char *const kinds[] = {"cup", "spoon", "wrinkled", "digit", "bowl", "sphere"};
    static const double parts[] = {0, 0.00035, 0.0035, 0.035, 0.3, 5};
    comparison c = {0};
    assert_int_equal(graze_query_create(context, &c.query), GRAZE_OK);
    assert_int_equal(graze_query_create(context, &c.other), GRAZE_OK);
    test_random random = {11};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        body a = make_body(context, kinds[i], TEST_SANITIZED ? 400 : 1000, i, NULL);
        body b = make_body(context, kinds[(i + 1) % 6], TEST_SANITIZED ? 300 : 700, i, NULL);
        c.a = &a;
        c.b = &b;
        for (int turn = 0; turn < TEST_CHANCES(42); ++turn) {
            graze_detail_collide_def def = graze_detail_collide_def_default();
            double error = 0.02;
            c.pose_a = random_pose(&random, turn % 5 == 0 ? 1e5 : 0.2);
            c.pose_b = random_pose(&random, 0.7);
            for (int axis = 0; axis < 3 && turn % 5 == 0; ++axis)
                c.pose_b.translation[axis] += c.pose_a.translation[axis];
            def.tolerance = turn % 3 == 0 ? 0 : 0.02 * test_unit(&random);
            def.error_part = parts[turn % 6];
            if (turn % 7 == 0) {
                def.error_function = nowhere_exact;
                def.error_user = &error;
            }
            if (turn % 4 == 0)
                def.work_limit = 1 + test_next(&random) % 200;
            compare(&c, &def, turn);
        }
        free_body(&a);
        free_body(&b);
    }
    graze_query_free(c.query);
    graze_query_free(c.other);
}

// Every direction shows it: nothing of a node is farther out than its hull and its stray.
static void hulls_stray_as_they_say(void **state)
{
    graze_context *context = *state;
    test_of_one_thread();
    static const char *const kinds[] = {"cup", "spoon", "digit", "gear"};
    test_random random = {2};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        body b = make_body(context, kinds[i], 800, i, NULL);
        const graze_contact_detail *d = b.detail;
        assert_int_equal(gz_detail_check(d), GRAZE_OK);
        assert_true(d->level_count > 1);
        for (uint32_t n = 0; n < d->node_count; ++n) {
            const gz_detail_node *node = &d->nodes[n];
            gz_hull hull = gz_detail_hull(d, node);
            for (int turn = 0; turn < 5; ++turn) {
                double axis[3], square = 0, reach = 0;
                for (int k = 0; k < 3; ++k) {
                    axis[k] = test_unit(&random) - 0.5;
                    square += axis[k] * axis[k];
                }
                for (int k = 0; k < 3; ++k)
                    axis[k] /= sqrt(square);
                gz_hull_support(&hull, axis, &reach);
                for (uint32_t t = 0; t < node->triangle_count; ++t) {
                    double at[3];
                    gz_detail_local(d, d->corners[node->first_triangle + t][turn % 3], at);
                    assert_true(axis[0] * at[0] + axis[1] * at[1] + axis[2] * at[2] <=
                                reach + node->stray + 1e-14);
                }
            }
        }
        free_body(&b);
    }
}

// --- The same answer

static void same_answers(const graze_detail_answer *a, const graze_detail_answer *b, int turn)
{
    if (a->verdict != b->verdict || a->contact_count != b->contact_count || a->work != b->work ||
        (a->contact_count != 0 &&
         memcmp(a->contacts, b->contacts, a->contact_count * sizeof *a->contacts) != 0))
        fail_msg("turn %d: %llu contacts after %llu refinements, and %llu after %llu", turn,
                 (unsigned long long)a->contact_count, (unsigned long long)a->work,
                 (unsigned long long)b->contact_count, (unsigned long long)b->work);
}

// Along a path that slides, jumps and stands still.
static void fronts_change_nothing(void **state)
{
    graze_context *context = *state;
    test_of_one_thread();
    graze_query *with = NULL, *without = NULL;
    graze_front *front = NULL;
    assert_int_equal(graze_query_create(context, &with), GRAZE_OK);
    assert_int_equal(graze_query_create(context, &without), GRAZE_OK);
    assert_int_equal(graze_front_create(context, &front), GRAZE_OK);
    body a = make_body(context, "cup", 2000, 0, NULL),
         b = make_body(context, "spoon", 2000, 0, NULL);
    test_random random = {21};
    uint64_t distances[2] = {0, 0};
    for (int turn = 0; turn < TEST_CHANCES(250); ++turn) {
        double angle = 0.002 * turn + (turn % 50 == 0 ? test_unit(&random) : 0);
        double axis[3] = {0.2, 1, 0.1}, shift[3] = {0.15 + 0.0003 * turn, 0, 0.1 - 0.0005 * turn};
        graze_pose pose;
        assert_int_equal(graze_pose_from_axis(axis, turn % 10 == 9 ? 0.1 : angle, shift, &pose),
                         GRAZE_OK);
        graze_detailed sa = side(&a, NULL), sb = side(&b, &pose);
        graze_detail_collide_def def = graze_detail_collide_def_default();
        graze_detail_answer first, second;
        def.tolerance = 0.002;
        def.error_part = turn % 100 < 50 ? 0.035 : (turn % 2 == 0 ? 0 : 0.001);
        def.work_limit = turn % 20 == 3 ? 50 : 0;
        assert_int_equal(graze_query_detail(without, &sa, &sb, &def, &first), GRAZE_OK);
        def.front = front;
        assert_int_equal(graze_query_detail(with, &sa, &sb, &def, &second), GRAZE_OK);
        same_answers(&first, &second, turn);
        distances[0] += first.counters.hull_distances;
        distances[1] += second.counters.hull_distances;
    }
    assert_true(distances[1] < distances[0] / 2); // it is of use
    free_body(&a);
    free_body(&b);
    graze_front_free(front);
    graze_query_free(with);
    graze_query_free(without);
}

static void same_detail(const graze_contact_detail *a, const graze_contact_detail *b)
{
    graze_contact_detail copy[2] = {*a, *b};
    gz_detail_part parts[2][GZ_DETAIL_PARTS];
    for (int i = 0; i < 2; ++i)
        gz_detail_parts(&copy[i], parts[i]);
    for (int i = 0; i < GZ_DETAIL_PARTS; ++i) {
        assert_int_equal(parts[0][i].byte_count, parts[1][i].byte_count);
        assert_memory_equal(*parts[0][i].bytes, *parts[1][i].bytes, parts[0][i].byte_count);
    }
    assert_memory_equal(a->levels, b->levels, sizeof a->levels);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    graze_context_def one = graze_context_def_default(), three = graze_context_def_default();
    one.thread_count = 1;
    three.thread_count = 3;
    graze_context *few = test_context(&one), *many = test_context(&three);
    body a = make_body(few, "spoon", 1500, 0, NULL), b = make_body(many, "spoon", 1500, 0, NULL);
    same_detail(a.detail, b.detail);
    free_body(&a);
    free_body(&b);
    test_context_done(few);
    test_context_done(many);
}

static void limits_can_be_replayed(void **state)
{
    graze_context *context = *state;
    test_of_one_thread();
    graze_query *query = NULL, *again = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    assert_int_equal(graze_query_create(context, &again), GRAZE_OK);
    body a = make_body(context, "wrinkled", 2000, 0, NULL);
    graze_pose pose = graze_pose_identity();
    pose.translation[0] = 0.3;
    graze_detailed sa = side(&a, NULL), sb = side(&a, &pose);
    graze_detail_collide_def def = graze_detail_collide_def_default();
    graze_detail_answer first, second;
    def.tolerance = 0.01;
    def.time_limit = 1e-5;
    assert_int_equal(graze_query_detail(query, &sa, &sb, &def, &first), GRAZE_OK);
    assert_true(first.contact_count > 0);
    def.time_limit = 0;
    def.work_limit = first.work;
    if (first.work != 0) {
        assert_int_equal(graze_query_detail(again, &sa, &sb, &def, &second), GRAZE_OK);
        same_answers(&first, &second, 0);
        assert_int_equal(first.reached, second.reached);
    }
    // More work comes nearer to what was asked for, and then is not needed.
    def.work_limit = 20;
    assert_int_equal(graze_query_detail(query, &sa, &sb, &def, &first), GRAZE_OK);
    assert_int_equal(first.work, 20);
    assert_int_equal(first.reached, 0);
    assert_int_equal(first.verdict, GRAZE_UNDECIDED);
    def.work_limit = UINT64_MAX;
    assert_int_equal(graze_query_detail(query, &sa, &sb, &def, &first), GRAZE_OK);
    def.work_limit = 0;
    assert_int_equal(graze_query_detail(again, &sa, &sb, &def, &second), GRAZE_OK);
    same_answers(&first, &second, 1);
    assert_int_equal(first.reached, 1);
    assert_int_equal(first.verdict, GRAZE_CONTACT);
    free_body(&a);
    graze_query_free(query);
    graze_query_free(again);
}

static void errors_are_kept(void **state)
{
    graze_context *context = *state;
    test_of_one_thread();
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    body a = make_body(context, "cup", 2000, 0, NULL),
         b = make_body(context, "spoon", 2000, 0, NULL);
    graze_pose pose = graze_pose_identity();
    pose.translation[0] = 0.2;
    graze_detailed sa = side(&a, NULL), sb = side(&b, &pose);
    static const double errors[] = {1e-6, 1e-4, 1e-3, 1e-2, 0.1};
    uint64_t before = UINT64_MAX;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i) {
        graze_detail_collide_def def = graze_detail_collide_def_default();
        graze_detail_answer answer;
        def.tolerance = 0.005;
        def.error = errors[i];
        assert_int_equal(graze_query_detail(query, &sa, &sb, &def, &answer), GRAZE_OK);
        assert_int_equal(answer.reached, 1);
        for (uint64_t k = 0; k < answer.contact_count; ++k)
            assert_true(answer.contacts[k].deviation <= errors[i] * (1 + 1e-9));
        assert_true(answer.counters.refined <= before); // coarser is never more work
        before = answer.counters.refined;
    }
    free_body(&a);
    free_body(&b);
    graze_query_free(query);
}

// --- What cannot be had

static void refuse_mesh(graze_context *context, const double (*points)[3], uint64_t point_count,
                        const uint32_t *corners, uint64_t triangle_count, const char *why)
{
    graze_mesh_view view = {.precision = GRAZE_FLOAT64,
                            .vertex_count = point_count,
                            .triangle_count = triangle_count,
                            .positions = points,
                            .corners = corners};
    graze_contact_detail *detail = NULL;
    assert_int_equal(graze_contact_detail_build(context, &view, NULL, &detail),
                     GRAZE_ERROR_UNSUPPORTED);
    assert_null(detail);
    if (strstr(test_last_error, why) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", test_last_error, why);
}

static void other_surfaces_are_refused_with_a_sentence(void **state)
{
    graze_context *context = *state;
    test_of_one_thread();
    static const double points[7][3] = {{0, 0, 0},  {1, 0, 0},  {0, 1, 0}, {0, 0, 1},
                                        {0, -1, 0}, {-1, 0, 0}, {2, 0, 0}};
    refuse_mesh(context, points, 7, (const uint32_t[]){0, 1, 2, 1, 0, 3, 0, 1, 4}, 3,
                "more than two triangles");
    refuse_mesh(context, points, 7, (const uint32_t[]){0, 1, 2, 0, 1, 4}, 2, "opposite sides");
    refuse_mesh(context, points, 7, (const uint32_t[]){0, 1, 2, 0, 5, 4}, 2, "share no edge");
    refuse_mesh(context, points, 7, (const uint32_t[]){0, 1, 6}, 1, "triangle 0 has no area");
    refuse_mesh(context, points, 7, NULL, 0, "no triangles");
}

// Soups and half a pair: the same call, another engine.
static void others_are_asked_by_their_shapes(void **state)
{
    graze_context *context = *state;
    test_of_one_thread();
    graze_query *query = NULL, *other = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    assert_int_equal(graze_query_create(context, &other), GRAZE_OK);
    body a = make_body(context, "cup", 900, 0, NULL), soup = {0};
    generator_shape_def shape = {.kind = "soup", .triangle_count = 300, .seed = 1};
    assert_int_equal(generator_shape_make(context, &shape, &soup.mesh), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(soup.mesh);
    assert_int_equal(graze_shape_create(context, &view, NULL, &soup.shape), GRAZE_OK);
    graze_detailed sa = side(&a, NULL), sb = side(&soup, NULL);
    graze_detail_collide_def def = graze_detail_collide_def_default();
    graze_collide_def exact = graze_collide_def_default();
    graze_detail_answer answer;
    graze_answer truth;
    exact.collect = GRAZE_COLLECT_CONTACTS;
    def.tolerance = exact.tolerance = 0.001;
    assert_int_equal(graze_query_detail(query, &sa, &sb, &def, &answer), GRAZE_OK);
    assert_int_equal(graze_query_collide(other, graze_at(a.shape, NULL), graze_at(soup.shape, NULL),
                                         &exact, &truth),
                     GRAZE_OK);
    assert_int_equal(answer.engine, GRAZE_ENGINE_EXACT);
    assert_int_equal(answer.verdict, truth.verdict);
    assert_int_equal(answer.contact_count, truth.pair_count);
    assert_true(answer.contact_count > 0);
    assert_memory_equal(answer.contacts[0].point_a, truth.contacts[0].point_a, 24);
    sa.shape = NULL;
    assert_int_equal(graze_query_detail(query, &sa, &sb, &def, &answer), GRAZE_ERROR_ARGUMENT);
    sa.shape = soup.shape; // not of the detail's mesh
    assert_int_equal(graze_query_detail(query, &sa, &sb, &def, &answer), GRAZE_ERROR_ARGUMENT);
    free_body(&a);
    free_body(&soup);
    graze_query_free(query);
    graze_query_free(other);
}

static void bad_wishes_are_refused(void **state)
{
    graze_context *context = *state;
    test_of_one_thread();
    graze_query *query = NULL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    body a = make_body(context, "box", 12, 0, NULL);
    graze_pose bent = graze_pose_identity();
    bent.rotation[0] = 2;
    graze_detailed sa = side(&a, NULL), sb = side(&a, &bent), none = {NULL, NULL, NULL};
    graze_detail_collide_def def = graze_detail_collide_def_default();
    graze_detail_answer answer;
    assert_int_equal(graze_query_detail(query, &sa, &sb, &def, &answer), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_query_detail(query, &sa, &none, &def, &answer), GRAZE_ERROR_ARGUMENT);
    def.tolerance = -1;
    assert_int_equal(graze_query_detail(query, &sa, &sa, &def, &answer), GRAZE_ERROR_ARGUMENT);
    def.tolerance = 0;
    def.error = (double)NAN;
    assert_int_equal(graze_query_detail(query, &sa, &sa, &def, &answer), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_query_detail(query, NULL, &sa, NULL, &answer), GRAZE_ERROR_ARGUMENT);
    graze_query_free(query);
    free_body(&a);
}

// --- Files and memory

static void saved_details_come_back(void **state)
{
    graze_context *context = *state;
    test_of_one_thread();
    char path[] = "/tmp/test_contact_detail_XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    body a = make_body(context, "spoon", 600, 0, NULL);
    graze_contact_detail *loaded = NULL;
    assert_int_equal(graze_contact_detail_save(a.detail, path), GRAZE_OK);
    assert_int_equal(graze_contact_detail_load(context, path, &loaded), GRAZE_OK);
    same_detail(a.detail, loaded);
    graze_contact_detail_free(loaded);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    size_t count = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(count), *copy = malloc(count);
    assert_true(bytes != NULL && copy != NULL && fread(bytes, 1, count, file) == count);
    fclose(file);
    test_random random = {4};
    for (int turn = 0; turn < TEST_CHANCES(400); ++turn) {
        memcpy(copy, bytes, count);
        size_t place = turn % 4 == 0 ? test_next(&random) % 1216 : test_next(&random) % count;
        copy[place] = (uint8_t)(copy[place] ^ (1u << test_next(&random) % 8));
        graze_status status = gz_detail_load_memory(context, "flipped", copy, count, &loaded);
        // Bytes between arrays, and those of the header that are not used, are of no account.
        assert_true(status == GRAZE_OK || status == GRAZE_ERROR_FORMAT ||
                    status == GRAZE_ERROR_UNSUPPORTED);
        if (status == GRAZE_OK)
            same_detail(a.detail, loaded);
        graze_contact_detail_free(loaded);
        gz_detail_file_seal(copy, count);
        (void)gz_detail_load_memory(context, "sealed", copy, count, &loaded);
        graze_contact_detail_free(loaded);
        size_t cut = test_next(&random) % count;
        assert_int_equal(gz_detail_load_memory(context, "cut", bytes, cut, &loaded),
                         GRAZE_ERROR_FORMAT);
    }
    // A bound that is too small is noticed, though all checksums are right.
    graze_contact_detail *lying = a.detail;
    double held = lying->nodes[0].stray;
    lying->nodes[0].stray = held / 2;
    assert_int_equal(graze_contact_detail_save(lying, path), GRAZE_OK);
    assert_int_equal(graze_contact_detail_load(context, path, &loaded), GRAZE_ERROR_FORMAT);
    lying->nodes[0].stray = held;
    free(bytes);
    free(copy);
    unlink(path);
    free_body(&a);
}

static graze_status build_and_ask(graze_context *context, void *data)
{
    const graze_mesh_view *view = data;
    graze_contact_detail *detail = NULL, *loaded = NULL;
    graze_query *query = NULL;
    graze_front *front = NULL;
    graze_detail_answer answer;
    graze_status status = graze_contact_detail_build(context, view, NULL, &detail);
    if (status == GRAZE_OK)
        status = graze_contact_detail_save(detail, "/tmp/test_contact_detail_faults");
    if (status == GRAZE_OK)
        status = graze_contact_detail_load(context, "/tmp/test_contact_detail_faults", &loaded);
    if (status == GRAZE_OK)
        status = graze_query_create(context, &query);
    if (status == GRAZE_OK)
        status = graze_front_create(context, &front);
    graze_detailed a = {NULL, detail, NULL}, b = {NULL, loaded, NULL};
    graze_detail_collide_def def = graze_detail_collide_def_default();
    def.front = front;
    if (status == GRAZE_OK)
        status = graze_query_detail(query, &a, &b, &def, &answer);
    graze_front_free(front);
    graze_query_free(query);
    graze_contact_detail_free(detail);
    graze_contact_detail_free(loaded);
    return status;
}

static void faults_leave_nothing(void **state)
{
    graze_context *context = *state;
    test_of_one_thread();
    graze_mesh *mesh = NULL;
    generator_shape_def shape = {.kind = "digit", .triangle_count = 90, .seed = 8};
    assert_int_equal(generator_shape_make(context, &shape, &mesh), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(mesh);
    assert_true(test_all_faults(build_and_ask, &view, TEST_SANITIZED ? 37 : 5) > 20);
    unlink("/tmp/test_contact_detail_faults");
    graze_mesh_free(mesh);
}

static void boxes_and_placed_objects(void **state)
{
    graze_context *context = *state;
    test_of_one_thread();
    body a = make_body(context, "box", 12, 0, NULL);
    graze_contact_detail_info info;
    graze_contact_detail_get_info(a.detail, &info);
    assert_int_equal(info.triangle_count, 12);
    assert_int_equal(info.levels[0].hull_count, 1); // it is convex
    assert_int_equal(info.closed, 1);
    assert_true(info.byte_count > 0 && fabs(info.radius - sqrt(0.75)) < 1e-6);
    graze_contact_detail_get_info(NULL, &info);
    assert_int_equal(info.hull_count, 0);
    graze_mesh_view view = graze_mesh_get(a.mesh);
    graze_object objects[2] = {{.name = "here",
                                .group = "",
                                .triangle_count = 12,
                                .matrix = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
                               {.name = "there",
                                .group = "",
                                .triangle_count = 12,
                                .matrix = {1, 0, 0, 3, 0, 1, 0, 0, 0, 0, 1, 0},
                                .placed = 1}};
    view.objects = objects;
    view.object_count = 2;
    graze_contact_detail *two = NULL;
    assert_int_equal(graze_contact_detail_build(context, &view, NULL, &two), GRAZE_OK);
    graze_contact_detail_get_info(two, &info);
    assert_int_equal(info.triangle_count, 24);
    assert_int_equal(info.levels[0].hull_count, 2);
    graze_contact_detail_free(two);
    free_body(&a);
}

#define WITH_CONTEXT(test)                                                                         \
    cmocka_unit_test_setup_teardown(test, test_context_enter, test_context_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(exact_answers_are_exact),
        WITH_CONTEXT(nothing_is_missed),
        WITH_CONTEXT(hulls_stray_as_they_say),
        WITH_CONTEXT(fronts_change_nothing),
        cmocka_unit_test(threads_change_nothing),
        WITH_CONTEXT(limits_can_be_replayed),
        WITH_CONTEXT(errors_are_kept),
        WITH_CONTEXT(other_surfaces_are_refused_with_a_sentence),
        WITH_CONTEXT(others_are_asked_by_their_shapes),
        WITH_CONTEXT(bad_wishes_are_refused),
        WITH_CONTEXT(faults_leave_nothing),
        WITH_CONTEXT(saved_details_come_back),
        WITH_CONTEXT(boxes_and_placed_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
