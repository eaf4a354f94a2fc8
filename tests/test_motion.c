// Things that move through scenes, against all pairs asked one by one: what was near before, what
// changed meanwhile and how much of it may not matter.
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/knobs.h"
#include "bodies.h"
#include "faults.h"
#include "models.h"
#include "scene/clash_pair.h"
#include "scene/scene_store.h"
#include "shapes.h"

#define MOST_OBJECTS 40
#define MOST_MOVERS  5
#define SHAPES       6
#define MOTIONS      5

typedef struct world {
    graze_context *context;
    graze_scene *scene;
    graze_query *query; // of the oracle
    graze_shape *shapes[SHAPES];
    uint32_t shape_count;
    bool on_grid;                      // places are such that many gaps are equal, and 0
    double reach;                      // places are within this
    graze_object_id ids[MOST_OBJECTS]; // no order
    uint32_t count;
    graze_object_id movers[MOST_MOVERS]; // no order
    uint32_t mover_count;
    graze_motion *motions[MOTIONS];
    graze_motion_def defs[MOTIONS];
    uint32_t motion_count;
    uint64_t contacts, near; // seen in all steps: else nothing was tried
} world;

static bool same_id(graze_object_id a, graze_object_id b)
{
    return a.index1 == b.index1 && a.generation == b.generation;
}

static bool is_mover(const world *w, graze_object_id id)
{
    for (uint32_t i = 0; i < w->mover_count; ++i)
        if (same_id(w->movers[i], id))
            return true;
    return false;
}

// --- The oracle: all pairs

typedef struct held {
    graze_object_id id;
    graze_scene_object object;
    const graze_shape *shape;
    bool mover;
} held;

static uint32_t hold_all(world *w, held *all)
{
    uint32_t count = 0;
    for (graze_object_id id = graze_scene_next(w->scene, (graze_object_id){0, 0}); id.index1 != 0;
         id = graze_scene_next(w->scene, id)) {
        held *h = &all[count++];
        *h = (held){.id = id, .mover = is_mover(w, id)};
        assert_int_equal(graze_scene_get(w->scene, id, &h->object), GRAZE_OK);
        assert_int_equal(graze_scene_pin(w->scene, id, &h->shape), GRAZE_OK);
    }
    return count;
}

static void let_go(world *w, held *all, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        graze_scene_unpin(w->scene, all[i].id);
}

static bool meet(world *w, const held *a, const held *b, const graze_motion_def *def)
{
    graze_collide_def collide = graze_collide_def_default();
    graze_answer answer;
    collide.tolerance = def->tolerance;
    assert_int_equal(graze_query_collide(w->query, graze_at(a->shape, &a->object.pose),
                                         graze_at(b->shape, &b->object.pose), &collide, &answer),
                     GRAZE_OK);
    return answer.verdict == GRAZE_CONTACT;
}

static graze_clash classify(world *w, const held *a, const held *b, const graze_motion_def *def)
{
    const held *both[2] = {a, b};
    gz_clash_side sides[2];
    for (int i = 0; i < 2; ++i)
        sides[i] = (gz_clash_side){.at = graze_at(both[i]->shape, &both[i]->object.pose),
                                   .box = both[i]->object.box,
                                   .hash = both[i]->object.hash,
                                   .triangle_count = both[i]->object.triangle_count};
    gz_clash_limits limits = {def->touch < 0 ? gz_scene_touch(w->scene) : def->touch,
                              def->tolerance, 0.05, true};
    graze_clash clash;
    assert_int_equal(gz_clash_classify(w->query, &sides[0], &sides[1], &limits, &clash), GRAZE_OK);
    return clash;
}

static void compare_clashes(const graze_clash *a, const graze_clash *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_true(a->inner == b->inner && a->depth_low == b->depth_low &&
                a->depth_high == b->depth_high && a->gap == b->gap && a->length == b->length);
    assert_memory_equal(a->point_a, b->point_a, sizeof a->point_a);
    assert_memory_equal(a->point_b, b->point_b, sizeof a->point_b);
    assert_memory_equal(&a->region, &b->region, sizeof a->region);
}

static void compare_contacts(world *w, const held *all, uint32_t count, const graze_motion_def *def,
                             const graze_motion_answer *answer)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < count; ++k) {
            if (!all[i].mover || i == k || (all[k].mover && k < i))
                continue;
            graze_clash clash = {0};
            bool contact;
            if (def->kinds != 0) {
                clash = classify(w, &all[i], &all[k], def);
                contact = clash.kind != GRAZE_CLASH_NONE;
            } else {
                contact = meet(w, &all[i], &all[k], def);
            }
            const graze_motion_contact *told =
                at < answer->contact_count ? &answer->contacts[at] : NULL;
            bool is_told =
                told != NULL && same_id(told->mover, all[i].id) && same_id(told->other, all[k].id);
            if (is_told != contact)
                fail_msg("objects %u and %u of %u: contact %d, told %d", i, k, count, contact,
                         is_told);
            if (!contact || told == NULL)
                continue;
            ++at;
            assert_true(same_id(told->clash.a, told->mover) && same_id(told->clash.b, told->other));
            assert_int_equal(told->clash.rule, UINT32_MAX);
            compare_clashes(&told->clash, &clash);
        }
    assert_int_equal(at, answer->contact_count);
    w->contacts += at;
    w->near += answer->near_count;
}

static void compare_nearest(world *w, const held *all, uint32_t count, const graze_motion_def *def,
                            const graze_motion_answer *answer)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < count && def->distance > 0; ++i) {
        graze_distance best = {.verdict = GRAZE_APART, .distance = HUGE_VAL, .least = HUGE_VAL};
        graze_object_id other = {0, 0};
        if (!all[i].mover)
            continue;
        for (uint32_t k = 0; k < count; ++k) {
            graze_distance_def asked = graze_distance_def_default();
            graze_distance found;
            asked.limit = def->distance;
            if (k == i)
                continue;
            assert_int_equal(
                graze_query_distance(w->query, graze_at(all[i].shape, &all[i].object.pose),
                                     graze_at(all[k].shape, &all[k].object.pose), &asked, &found),
                GRAZE_OK);
            if (found.verdict != GRAZE_CONTACT || found.distance >= best.distance)
                continue;
            best = found;
            other = all[k].id;
        }
        assert_true(at < answer->nearest_count);
        const graze_motion_nearest *told = &answer->nearest[at++];
        assert_true(same_id(told->mover, all[i].id));
        if (!same_id(told->other, other))
            fail_msg("nearest to object %u: slot %u at %.17g, told %u at %.17g", i, other.index1,
                     best.distance, told->other.index1, told->distance.distance);
        assert_int_equal(told->distance.verdict, best.verdict);
        assert_true(told->distance.distance == best.distance && told->distance.least == best.least);
        assert_true(told->distance.pair.a == best.pair.a && told->distance.pair.b == best.pair.b);
        assert_memory_equal(told->distance.point_a, best.point_a, sizeof best.point_a);
        assert_memory_equal(told->distance.point_b, best.point_b, sizeof best.point_b);
    }
    assert_int_equal(at, answer->nearest_count);
}

static void check_step(world *w, uint32_t motion)
{
    static held all[MOST_OBJECTS];
    graze_motion_answer answer;
    assert_int_equal(graze_motion_step(w->motions[motion], &answer), GRAZE_OK);
    uint32_t count = hold_all(w, all);
    assert_int_equal(count, w->count);
    compare_contacts(w, all, count, &w->defs[motion], &answer);
    compare_nearest(w, all, count, &w->defs[motion], &answer);
    let_go(w, all, count);
}

// --- Worlds

static graze_shape *make_shape(graze_context *context, const char *kind, uint64_t count,
                               double size)
{
    graze_shape *shape = NULL;
    graze_mesh *mesh = NULL;
    generator_shape_def def = {.kind = kind, .triangle_count = count, .size = size};
    assert_int_equal(generator_shape_make(context, &def, &mesh), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(mesh);
    assert_int_equal(graze_shape_create(context, &view, NULL, &shape), GRAZE_OK);
    graze_mesh_free(mesh);
    return shape;
}

static void open_world(world *w, const graze_context_def *settings)
{
    w->context = test_context(settings);
    assert_int_equal(graze_scene_create(w->context, &w->scene), GRAZE_OK);
    assert_int_equal(graze_query_create(w->context, &w->query), GRAZE_OK);
    static const struct {
        const char *kind;
        uint64_t triangles;
        double size;
    } kinds[SHAPES - 1] = {
        {"box", 12, 1}, {"box", 12, 3}, {"sphere", 20, 1.5}, {"grid", 8, 2}, {"torus", 60, 2}};
    for (int i = 0; i < SHAPES - 1; ++i)
        w->shapes[w->shape_count++] =
            make_shape(w->context, kinds[i].kind, kinds[i].triangles, kinds[i].size);
    graze_mesh_view empty = {.precision = GRAZE_FLOAT32};
    assert_int_equal(graze_shape_create(w->context, &empty, NULL, &w->shapes[w->shape_count++]),
                     GRAZE_OK);
}

static void close_world(world *w)
{
    for (uint32_t i = 0; i < w->motion_count; ++i)
        graze_motion_free(w->motions[i]);
    graze_query_free(w->query);
    graze_scene_free(w->scene);
    for (uint32_t i = 0; i < w->shape_count; ++i)
        graze_shape_free(w->shapes[i]);
    test_context_done(w->context);
}

static graze_pose any_pose(const world *w, test_random *random)
{
    graze_pose pose = bodies_pose(random, w->reach);
    if (!w->on_grid)
        return pose;
    graze_pose snapped = graze_pose_identity();
    for (int axis = 0; axis < 3; ++axis)
        snapped.translation[axis] = 0.5 * nearbyint(2 * pose.translation[axis]);
    return snapped;
}

static void add_object(world *w, test_random *random)
{
    graze_object_def def = graze_object_def_default();
    graze_pose pose = any_pose(w, random);
    // An empty one is rare. On a grid there are cubes only: equally near triangles take long.
    uint64_t kinds = w->on_grid ? 2 : SHAPES - 1, shape = test_next(random) % (4 * kinds + 1);
    def.name = "thing";
    def.shape = w->shapes[shape == 4 * kinds ? SHAPES - 1 : shape % kinds];
    def.pose = &pose;
    if (w->count < MOST_OBJECTS)
        assert_int_equal(graze_scene_add(w->scene, &def, &w->ids[w->count++]), GRAZE_OK);
}

static void remove_object(world *w, test_random *random)
{
    uint32_t at = (uint32_t)(test_next(random) % w->count);
    if (w->count < 8 || is_mover(w, w->ids[at]))
        return;
    assert_int_equal(graze_scene_remove(w->scene, w->ids[at]), GRAZE_OK);
    w->ids[at] = w->ids[--w->count];
}

static void move_object(world *w, test_random *random)
{
    graze_object_id id = w->ids[test_next(random) % w->count];
    graze_pose pose = any_pose(w, random);
    assert_int_equal(graze_scene_move(w->scene, id, &pose), GRAZE_OK);
}

static void add_motion(world *w, double tolerance, double distance, uint32_t kinds,
                       double look_ahead)
{
    graze_motion_def *def = &w->defs[w->motion_count];
    *def = graze_motion_def_default();
    def->tolerance = tolerance;
    def->distance = distance;
    def->kinds = kinds;
    def->touch = kinds != 0 ? 0.02 : -1;
    def->look_ahead = look_ahead;
    assert_int_equal(graze_motion_create(w->scene, def, &w->motions[w->motion_count]), GRAZE_OK);
    for (uint32_t i = 0; i < w->mover_count; ++i)
        assert_int_equal(graze_motion_add(w->motions[w->motion_count], w->movers[i]), GRAZE_OK);
    w->motion_count++;
}

static void add_mover(world *w, test_random *random)
{
    graze_object_id id = w->ids[test_next(random) % w->count];
    if (w->mover_count == MOST_MOVERS || is_mover(w, id))
        return;
    w->movers[w->mover_count++] = id;
    for (uint32_t i = 0; i < w->motion_count; ++i)
        assert_int_equal(graze_motion_add(w->motions[i], id), GRAZE_OK);
}

static void drop_object(world *w, graze_object_id id)
{
    assert_int_equal(graze_scene_remove(w->scene, id), GRAZE_OK);
    for (uint32_t i = 0; i < w->count; ++i)
        if (same_id(w->ids[i], id)) {
            w->ids[i] = w->ids[--w->count];
            return;
        }
    fail();
}

// Out of the motions only, or out of the scene, before or after that.
static void remove_mover(world *w, test_random *random)
{
    uint32_t at = (uint32_t)(test_next(random) % w->mover_count);
    uint64_t way = test_next(random) % 4;
    graze_object_id id = w->movers[at];
    if (w->mover_count == 1)
        return;
    w->movers[at] = w->movers[--w->mover_count];
    if (way >= 2)
        drop_object(w, id);
    if (way == 3)
        add_object(w, random); // in the same slot
    for (uint32_t i = 0; i < w->motion_count; ++i)
        assert_int_equal(graze_motion_remove(w->motions[i], id), GRAZE_OK);
    if (way == 1)
        drop_object(w, id);
}

static void move_movers(world *w, test_random *random)
{
    for (uint32_t i = 0; i < w->mover_count; ++i) {
        graze_scene_object object;
        assert_int_equal(graze_scene_get(w->scene, w->movers[i], &object), GRAZE_OK);
        uint64_t choice = test_next(random) % 16;
        graze_pose pose = object.pose, drawn = any_pose(w, random);
        if (choice == 0)
            pose = drawn; // teleport
        else if (choice == 1)
            continue;
        else if (choice < 5 && !w->on_grid)
            memcpy(pose.rotation, drawn.rotation, sizeof pose.rotation);
        double stride = choice < 8 ? 1 : 0.05;
        for (int axis = 0; axis < 3 && choice != 0; ++axis) {
            double way = stride * (test_unit(random) - 0.5);
            if (w->on_grid)
                way = 0.25 * nearbyint(4 * way);
            // Back towards the middle, so that it meets something.
            pose.translation[axis] += fabs(pose.translation[axis]) > w->reach
                                          ? -0.25 * copysign(1, pose.translation[axis])
                                          : way;
        }
        assert_int_equal(graze_scene_move(w->scene, w->movers[i], &pose), GRAZE_OK);
    }
}

static void change_scene(world *w, test_random *random)
{
    uint64_t choice = test_next(random) % 40;
    // Around as many as the scene's list of changes holds, and far beyond.
    uint64_t burst = choice == 0   ? GZ_SCENE_CHANGES + 200
                     : choice == 1 ? GZ_SCENE_CHANGES - 3 + test_next(random) % 6
                     : choice < 6  ? 1 + test_next(random) % 6
                                   : 0;
    for (uint64_t i = 0; i < burst; ++i)
        switch (test_next(random) % 4) {
        case 0: add_object(w, random); break;
        case 1: remove_object(w, random); break;
        default: move_object(w, random); break;
        }
    if (choice == 6)
        add_mover(w, random);
    if (choice == 7)
        remove_mover(w, random);
}

static void run_world(world *w, uint64_t seed, int steps)
{
    static const int periods[MOTIONS] = {1, 7, 3, 11, 9};
    test_random random = {seed};
    while (w->count < 16)
        add_object(w, &random);
    for (uint64_t i = 0; i < 1 + seed % MOST_MOVERS; ++i)
        add_mover(w, &random);
    add_motion(w, 0.25, 0, 0, 4);
    add_motion(w, 0.1, 0, 1, 0);
    add_motion(w, 0, 0.75, 0, 0.5);
    add_motion(w, 0, 0, 1, 2);
    add_motion(w, 0, HUGE_VAL, 0, 1);
    for (int step = 0; step < steps; ++step) {
        move_movers(w, &random);
        change_scene(w, &random);
        // The later ones look seldom, and have much to catch up with.
        for (uint32_t i = 0; i < w->motion_count; ++i)
            if (step % periods[i] == 0)
                check_step(w, i);
    }
    assert_true(w->contacts > 0 && w->near > w->contacts);
}

static void shapes_in_memory(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (TEST_SANITIZED ? 3 : 4); ++seed) {
        world w = {.on_grid = seed % 3 == 0, .reach = seed % 3 == 0 ? 3 : 4};
        open_world(&w, NULL);
        run_world(&w, seed, TEST_CHANCES(150));
        close_world(&w);
    }
}

// --- Scenes from files, with a small cache

static void list_objects(world *w)
{
    for (graze_object_id id = graze_scene_next(w->scene, (graze_object_id){0, 0}); id.index1 != 0;
         id = graze_scene_next(w->scene, id))
        w->ids[w->count++] = id;
}

static void scenes_from_files(void **state)
{
    (void)state;
    char mesh[MODEL_PATH_BYTES], file[MODEL_PATH_BYTES];
    models_make("plates", 1500, GRAZE_FLOAT32, models_path(mesh, "plates.glb"));
    models_path(file, "plates.graze");
    for (uint64_t seed = 1; seed <= (TEST_SANITIZED ? 2 : 4); ++seed) {
        graze_context_def settings = graze_context_def_default();
        settings.cache_byte_limit = UINT64_C(4) << 20;
        world w = {.reach = 2};
        open_world(&w, &settings);
        gz_knobs_for(w.context)->cluster_limit = 32;
        graze_scene_source source = {mesh, NULL, NULL};
        if (seed % 2 == 0) {
            assert_int_equal(graze_scene_build(w.context, &source, 1, file, NULL), GRAZE_OK);
            source.path = file;
        }
        graze_pose turned = bodies_pose(&(test_random){seed}, 0.5);
        source.pose = &turned;
        assert_int_equal(graze_scene_add_source(w.scene, &source, NULL), GRAZE_OK);
        list_objects(&w);
        assert_true(w.count > 2 && w.count < MOST_OBJECTS / 2);
        run_world(&w, seed, TEST_CHANCES(60));
        close_world(&w);
        if (seed % 2 == 0)
            unlink(file);
    }
    unlink(mesh);
}

// --- Cubes at places that are known

static void add_cubes(world *w, int count)
{
    for (int i = 0; i < count; ++i) {
        graze_object_def def = graze_object_def_default();
        def.shape = w->shapes[0];
        assert_int_equal(graze_scene_add(w->scene, &def, &w->ids[w->count++]), GRAZE_OK);
    }
}

static void put_cube(world *w, int number, double x, double y, double z)
{
    graze_pose pose = graze_pose_identity();
    pose.translation[0] = x;
    pose.translation[1] = y;
    pose.translation[2] = z;
    assert_int_equal(graze_scene_move(w->scene, w->ids[number], &pose), GRAZE_OK);
}

// Of two that are equally near the first of the scene is told, whichever was nearest before. The
// distance, the root of 3, is rounded down.
static void equally_near(void **state)
{
    (void)state;
    world w = {.reach = 3};
    graze_motion_answer answer;
    open_world(&w, NULL);
    add_cubes(&w, 3);
    w.movers[w.mover_count++] = w.ids[2];
    add_motion(&w, 0, HUGE_VAL, 0, 1);
    for (int step = 0; step < 4; ++step) {
        put_cube(&w, 0, step % 2 == 0 ? 9 : 2, 2, 2);
        put_cube(&w, 1, -2, step == 3 ? -9 : -2, -2);
        check_step(&w, 0);
        assert_int_equal(graze_motion_step(w.motions[0], &answer), GRAZE_OK);
        assert_true(same_id(answer.nearest[0].other, w.ids[step % 2 == 0]));
        assert_true(answer.nearest[0].distance.distance == sqrt(3));
    }
    close_world(&w);
}

// Boxes that are apart, and objects that touch all the same.
static void gaps_below_touch(void **state)
{
    (void)state;
    world w = {.reach = 3};
    graze_motion_answer answer;
    open_world(&w, NULL);
    add_cubes(&w, 2);
    w.movers[w.mover_count++] = w.ids[0];
    add_motion(&w, 0, 0, 1, 0); // touch is 0.02
    add_motion(&w, 0.25, 0, 1, 0);
    for (int step = 0; step < 60; ++step) {
        put_cube(&w, 0, 1 + 0.005 * step, 0, 0);
        check_step(&w, 0);
        check_step(&w, 1);
        assert_int_equal(graze_motion_step(w.motions[0], &answer), GRAZE_OK);
        if (step != 4) // rounding says
            assert_int_equal(answer.contact_count, step < 4);
    }
    close_world(&w);
}

// --- As many changes between two steps as the scene remembers, one more, and so on

static void many_changes(void **state)
{
    (void)state;
    world w = {.reach = 3};
    test_random random = {1};
    open_world(&w, NULL);
    add_cubes(&w, 3);
    w.movers[w.mover_count++] = w.ids[0];
    add_motion(&w, 0, 0, 0, 0);
    check_step(&w, 0);
    for (uint32_t count = GZ_SCENE_CHANGES - 4; count < GZ_SCENE_CHANGES + 8; ++count) {
        // The second goes away, or comes back; then all others are about the third.
        put_cube(&w, 1, count % 2 == 0 ? 5 : 0.5, 0, 0);
        for (uint32_t i = 1; i < count; ++i)
            put_cube(&w, 2, 2 * test_unit(&random), 0, 0);
        check_step(&w, 0);
    }
    close_world(&w);
}

// --- Want of memory

// Steps in which everything changes; each that fails is asked again, and then is right.
static graze_status steps_with_faults(graze_context *context, void *data)
{
    world *w = data;
    test_random random = {11};
    graze_motion *motion = NULL;
    graze_motion_def def = graze_motion_def_default();
    graze_motion_answer answer;
    graze_status first = GRAZE_OK, status;
    _Atomic int64_t *left = &gz_knobs_for(context)->allocations_left;
    def.tolerance = 0.1;
    def.distance = 0.3;
    status = graze_motion_create(w->scene, &def, &motion);
    if (status != GRAZE_OK) {
        first = status;
        assert_int_equal(graze_motion_create(w->scene, &def, &motion), GRAZE_OK);
    }
    for (uint32_t i = 0; i < w->mover_count; ++i) {
        status = graze_motion_add(motion, w->movers[i]);
        first = first != GRAZE_OK ? first : status;
        if (status != GRAZE_OK)
            assert_int_equal(graze_motion_add(motion, w->movers[i]), GRAZE_OK);
    }
    w->motions[0] = motion;
    w->defs[0] = def;
    for (int step = 0; step < 6; ++step) {
        if (step != 3)
            move_movers(w, &random);
        // Off and on again, when it is tracked, and nothing else brings it to mind.
        for (int way = 0; way < 40 && step == 3; ++way) {
            status = way % 2 == 0 ? graze_motion_remove(motion, w->movers[0])
                                  : graze_motion_add(motion, w->movers[0]);
            first = first != GRAZE_OK ? first : status;
            if (status != GRAZE_OK) {
                status = way % 2 == 0 ? graze_motion_remove(motion, w->movers[0])
                                      : graze_motion_add(motion, w->movers[0]);
                assert_int_equal(status, GRAZE_OK);
            }
        }
        status = graze_motion_step(motion, &answer);
        first = first != GRAZE_OK ? first : status;
        if (status == GRAZE_OK && step < 5)
            continue;
        int64_t kept = atomic_exchange(left, -1); // not for the oracle
        check_step(w, 0);
        atomic_store(left, kept);
    }
    graze_motion_free(motion);
    return first;
}

static graze_status world_with_faults(graze_context *context, void *data)
{
    (void)data;
    world w = {.context = context, .reach = 3};
    test_random random = {5};
    _Atomic int64_t *left = &gz_knobs_for(context)->allocations_left;
    int64_t kept = atomic_exchange(left, -1); // what is made before is not meant
    assert_int_equal(graze_scene_create(context, &w.scene), GRAZE_OK);
    assert_int_equal(graze_query_create(context, &w.query), GRAZE_OK);
    for (int i = 0; i < SHAPES; ++i)
        w.shapes[w.shape_count++] = make_shape(context, "box", 12, 0.5 + 0.1 * i);
    while (w.count < 40)
        add_object(&w, &random);
    while (w.mover_count < 2)
        add_mover(&w, &random);
    atomic_store(left, kept);
    graze_status status = steps_with_faults(context, &w);
    kept = atomic_exchange(left, -1);
    graze_query_free(w.query);
    graze_scene_free(w.scene);
    for (uint32_t i = 0; i < w.shape_count; ++i)
        graze_shape_free(w.shapes[i]);
    atomic_store(left, kept);
    return status;
}

static void want_of_memory(void **state)
{
    (void)state;
    assert_true(test_all_faults(world_with_faults, NULL, 1) > 20);
}

// --- Mistakes

static void mistakes_have_sentences(void **state)
{
    (void)state;
    world w = {.reach = 3};
    test_random random = {3};
    graze_motion *motion = NULL;
    graze_motion_answer answer;
    open_world(&w, NULL);
    while (w.count < 10)
        add_object(&w, &random);
    const double bad[] = {-1, __builtin_nan(""), HUGE_VAL};
    for (int i = 0; i < 15; ++i) {
        graze_motion_def def = graze_motion_def_default();
        double *members[] = {&def.tolerance, &def.distance, &def.touch, &def.look_ahead};
        if (i / 3 < 4)
            *members[i / 3] = bad[i % 3];
        else
            def.struct_size = 0;
        bool fine = (i / 3 == 1 && i % 3 == 2) || (i / 3 == 2 && i % 3 == 0);
        test_last_error[0] = '\0';
        assert_int_equal(graze_motion_create(w.scene, &def, &motion),
                         fine ? GRAZE_OK : GRAZE_ERROR_ARGUMENT);
        assert_true(fine == (test_last_error[0] == '\0') && fine == (motion != NULL));
        graze_motion_free(motion);
    }
    assert_int_equal(graze_motion_create(NULL, NULL, &motion), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_motion_create(w.scene, NULL, NULL), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_motion_create(w.scene, NULL, &motion), GRAZE_OK);
    assert_int_equal(graze_motion_step(motion, NULL), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_motion_step(motion, &answer), GRAZE_OK); // nobody moves
    assert_true(answer.contact_count == 0 && answer.nearest_count == 0);
    assert_int_equal(graze_motion_add(NULL, w.ids[0]), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_motion_add(motion, (graze_object_id){0, 0}), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_motion_add(motion, (graze_object_id){99, 1}), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_motion_add(motion, w.ids[0]), GRAZE_OK);
    assert_int_equal(graze_motion_add(motion, w.ids[0]), GRAZE_ERROR_ARGUMENT);
    assert_non_null(strstr(test_last_error, "already"));
    assert_int_equal(graze_motion_remove(motion, w.ids[1]), GRAZE_ERROR_ARGUMENT);
    assert_non_null(strstr(test_last_error, "no mover"));
    assert_int_equal(graze_motion_step(motion, &answer), GRAZE_OK);
    // A mover that is gone is said, as often as it is asked, until it is removed here, too.
    assert_int_equal(graze_scene_remove(w.scene, w.ids[0]), GRAZE_OK);
    for (int i = 0; i < 2; ++i) {
        test_last_error[0] = '\0';
        assert_int_equal(graze_motion_step(motion, &answer), GRAZE_ERROR_ARGUMENT);
        assert_non_null(strstr(test_last_error, "removed from the scene"));
    }
    graze_object_id old = w.ids[0];
    graze_object_def def = graze_object_def_default();
    def.shape = w.shapes[0];
    assert_int_equal(graze_scene_add(w.scene, &def, &w.ids[0]), GRAZE_OK); // in the same slot
    assert_int_equal(w.ids[0].index1, old.index1);
    assert_int_equal(graze_motion_step(motion, &answer), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_motion_add(motion, w.ids[0]), GRAZE_OK);
    assert_int_equal(graze_motion_remove(motion, old), GRAZE_OK);
    w.movers[w.mover_count++] = w.ids[0];
    w.defs[w.motion_count] = graze_motion_def_default();
    w.motions[w.motion_count++] = motion;
    check_step(&w, 0);
    graze_motion_free(NULL);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_have_sentences), cmocka_unit_test(equally_near),
        cmocka_unit_test(gaps_below_touch),        cmocka_unit_test(many_changes),
        cmocka_unit_test(want_of_memory),          cmocka_unit_test(scenes_from_files),
        cmocka_unit_test(shapes_in_memory),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
