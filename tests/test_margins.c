// Contacts that are as near to being missed as can be: each is made for one of the bounds that the
// walk leaves out triangles by, and would be missed if that bound were forgotten, or much smaller.
// All are asked in every SIMD width, both layouts, both ways round, for all pairs and for the
// first.
//
// Far from the origin, world coordinates are rounded when a triangle is posed. So two vertices that
// are apart by up to that rounding share a point in the world: in the frame of either tree, where
// floats compare boxes, they do not.
#include "test.h"

#include <math.h>

#include "boxtree/tree_pairs.h"
#include "oracle.h"
#include "soups.h"

enum { WIDTHS = 8 };

typedef struct askers {
    graze_context *context; // of the trees
    graze_context *contexts[WIDTHS];
    gz_pair_query queries[WIDTHS];
    oracle *judge;
} askers;

// Two triangles, each in its pose.
typedef struct couple {
    double position[2][3][3];
    graze_pose pose[2];
    double tolerance;
} couple;

static void open_askers(askers *all)
{
    *all = (askers){.context = test_context(NULL), .judge = oracle_create()};
    for (int simd = GRAZE_SIMD_SCALAR; simd <= GRAZE_SIMD_AVX512; ++simd) {
        all->contexts[simd] = test_context_of_width((graze_simd)simd);
        if (all->contexts[simd] != NULL)
            gz_pair_query_init(&all->queries[simd], all->contexts[simd]);
    }
}

static void close_askers(askers *all)
{
    for (int simd = 0; simd < WIDTHS; ++simd)
        if (all->contexts[simd] != NULL) {
            gz_pair_query_free(&all->queries[simd]);
            test_context_done(all->contexts[simd]);
        }
    oracle_destroy(all->judge);
    test_context_done(all->context);
}

static void pose_side(const couple *c, int side, graze_triangle *out)
{
    for (int k = 0; k < 3; ++k)
        graze_pose_apply(&c->pose[side], c->position[side][k], out->corner[k]);
}

// Are the posed triangles in contact, as the oracle has it?
static bool truth_of(askers *all, const couple *c)
{
    graze_triangle a, b;
    pose_side(c, 0, &a);
    pose_side(c, 1, &b);
    oracle_load(all->judge, &a, &b);
    oracle_closest(all->judge);
    return c->tolerance > 0 ? oracle_within(all->judge, c->tolerance) : oracle_meet(all->judge);
}

static void print_couple(const couple *c)
{
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < 9; ++k)
            print_error("%a ", c->position[side][k / 3][k % 3]);
        print_error("\n  turned by ");
        for (int k = 0; k < 9; ++k)
            print_error("%a ", c->pose[side].rotation[k]);
        print_error("\n  moved by %a %a %a\n", c->pose[side].translation[0],
                    c->pose[side].translation[1], c->pose[side].translation[2]);
    }
}

// Every way to ask gives the same answer.
static void check_couple(askers *all, const couple *c, bool contact, const char *label)
{
    static const uint32_t corner[3] = {0, 1, 2};
    gz_tree trees[2][2]; // side, layout
    for (int i = 0; i < 4; ++i) {
        graze_mesh_view view = {.precision = GRAZE_FLOAT64,
                                .vertex_count = 3,
                                .triangle_count = 1,
                                .positions = c->position[i / 2],
                                .corners = corner};
        graze_shape_def def = graze_shape_def_default();
        def.layout = (graze_layout)(i % 2);
        assert_int_equal(gz_tree_build(all->context, &view, &def, &trees[i / 2][i % 2]), GRAZE_OK);
    }
    for (int simd = 0; simd < WIDTHS; ++simd)
        for (int way = 0; way < 8 && all->contexts[simd] != NULL; ++way) {
            int first = way % 2;
            gz_pair_query *query = &all->queries[simd];
            gz_pair_wish wish =
                gz_pair_wish_all(&trees[first][way / 2 % 2], &c->pose[first],
                                 &trees[1 - first][way / 2 % 2], &c->pose[1 - first]);
            wish.tolerance = c->tolerance;
            wish.pair_limit = way < 4 ? UINT64_MAX : 1;
            assert_int_equal(gz_pair_query_run(query, &wish), GRAZE_OK);
            if (query->counters.contacts != contact) {
                print_couple(c);
                fail_msg("%s: SIMD %d, way %d: %d contacts, not %d", label, simd, way,
                         (int)query->counters.contacts, contact);
            }
        }
    for (int i = 0; i < 4; ++i)
        gz_tree_free(&trees[i / 2][i % 2]);
}

// The local coordinates of a point in the world: for a point that is posed to exactly it.
static bool land_on(const graze_pose *pose, const double world[3], double local[3])
{
    const double *r = pose->rotation;
    for (int step = 0; step < 20; ++step) {
        double at[3], off[3];
        graze_pose_apply(pose, local, at);
        if (at[0] == world[0] && at[1] == world[1] && at[2] == world[2])
            return true;
        for (int k = 0; k < 3; ++k)
            off[k] = world[k] - at[k];
        for (int k = 0; k < 3; ++k)
            local[k] += r[k] * off[0] + r[3 + k] * off[1] + r[6 + k] * off[2];
    }
    return false;
}

// Moves a point as far as it can go, in steps from the given one down, and is posed to where it
// was.
static void push_on(const graze_pose *pose, const double way[3], double step, double local[3])
{
    double world[3], at[3], next[3];
    graze_pose_apply(pose, local, world);
    for (int count = 0; count < 8; ++count, step /= 2) {
        for (int k = 0; k < 3; ++k)
            next[k] = local[k] + way[k] * step;
        graze_pose_apply(pose, next, at);
        if (at[0] == world[0] && at[1] == world[1] && at[2] == world[2])
            memcpy(local, next, sizeof next);
    }
}

// A direction of one frame in another.
static void turn_between(const graze_pose *from, const graze_pose *to, const double way[3],
                         double out[3])
{
    double world[3];
    for (int k = 0; k < 3; ++k)
        world[k] = from->rotation[3 * k] * way[0] + from->rotation[3 * k + 1] * way[1] +
                   from->rotation[3 * k + 2] * way[2];
    for (int k = 0; k < 3; ++k)
        out[k] = to->rotation[k] * world[0] + to->rotation[3 + k] * world[1] +
                 to->rotation[6 + k] * world[2];
}

// Corner 0 of a side is the last one of its box along a way: the others are behind it, each about a
// size away along one axis or two.
static void set_behind(test_random *random, const double way[3], double size, double corner[3][3])
{
    for (int k = 1; k < 3; ++k)
        for (int axis = 0; axis < 3; ++axis)
            corner[k][axis] = corner[0][axis] - copysign(size * test_unit(random), way[axis]);
    int axis = (int)(test_next(random) % 3);
    corner[1][axis] = corner[0][axis] - copysign(size, way[axis]);
}

// Two triangles that have a corner in common in the world, and are apart in their own frames by
// what poses round: along an axis of A's, or from one corner of a box to one of the other.
// @param far  how many of their sizes they are from the origin.
static bool make_far(test_random *random, double far, couple *c)
{
    bool along_axis = test_next(random) % 2 == 0, inside = test_next(random) % 2 == 0;
    double way[2][3] = {{0, 0, 0}, {0, 0, 0}}, size[2], world[3];
    size[0] = ldexp(1, (int)(test_next(random) % 200) - 100);
    size[1] = ldexp(size[0], -(int)(test_next(random) % 4));
    c->tolerance = 0;
    for (int side = 0; side < 2; ++side)
        c->pose[side] = soup_pose(random, far * size[0]);
    if (along_axis)
        way[0][test_next(random) % 3] = test_next(random) % 2 == 0 ? 1 : -1;
    else
        for (int k = 0; k < 3; ++k)
            way[0][k] = test_next(random) % 2 == 0 ? 1 : -1;
    turn_between(&c->pose[0], &c->pose[1], way[0], way[1]);
    for (int k = 0; k < 3; ++k) {
        way[1][k] = -way[1][k];
        c->position[0][0][k] = soup_between(random, -1, 1) * size[0];
        if (inside) // the model is far from its own origin, and the pose brings it back
            c->position[0][0][k] -= c->pose[0].translation[k];
    }
    graze_pose_apply(&c->pose[0], c->position[0][0], world);
    double distance = fmax(fabs(world[0]), fmax(fabs(world[1]), fabs(world[2])));
    for (int k = 0; k < 3; ++k) {
        c->pose[1].translation[k] = world[k] + soup_between(random, -1, 1) * size[1];
        c->position[1][0][k] = 0;
    }
    if (!land_on(&c->pose[1], world, c->position[1][0]))
        return false;
    for (int side = 0; side < 2; ++side) { // corners away from each other
        const double back[3] = {-way[side][0], -way[side][1], -way[side][2]};
        push_on(&c->pose[side], back, distance * 0x1p-52, c->position[side][0]);
        set_behind(random, way[side], size[side], c->position[side]);
    }
    return true;
}

static void far_corners_touch(void **state)
{
    (void)state;
    askers all;
    test_random random = {11};
    uint64_t made = 0;
    open_askers(&all);
    for (uint64_t round = 0; round < TEST_CHANCES(UINT64_C(3000)); ++round) {
        couple c;
        double far = ldexp(soup_between(&random, 1, 2), 20 + (int)(round % 26));
        if (!make_far(&random, far, &c))
            continue;
        made++;
        assert_true(truth_of(&all, &c));
        check_couple(&all, &c, true, "far");
    }
    print_message("%llu contacts\n", (unsigned long long)made);
    assert_true(made > TEST_CHANCES(UINT64_C(2000)));
    close_askers(&all);
}

// One triangle has a corner of its box on a face of the other one's. Boxes are turned in float,
// into the frame of either: these are those for which that goes wrong by the most that a search
// found, in the units of the margin between two frames. The first ones where products and sums are
// rounded apart, the last ones where they are not.
typedef struct on_face {
    int axis;                  // of the face
    double quaternion[4];      // of the one with the face; the other one is not turned
    double corner[3], face[3]; // half sizes of the boxes
    double at[3];              // where on the face the corner is, relative to the half size
} on_face;

static const on_face worst_turned[] = {
    {0,
     {0x1.76088b9d476d7p-1, 0x1.148fc0b8f1121p-2, 0x1.ad8c34ab55d6p-1, 0x1.b59373b4c7754p-3},
     {0x1.bd06f0ed7b917p-8, 0x1.1999c0fa3f659p-4, 0x1.3e00bef7e880fp+0},
     {0x1.e6ff704481923p-11, 0x1.c2f355872e7c2p-23, 0x1.a137a441015a9p-21},
     {0x1.bc7b9ea720f2dp-19, 0x1.4f6f9b74cf036p-32, -0x1.239d66a0cd262p-38}},
    {1,
     {0x1.3b041a3e14ed7p-1, -0x1.370b3ef38e068p-7, -0x1.8be282b59b4abp-2, -0x1.39d70fec0d9cap-1},
     {0x1.05f682e9be223p-8, 0x1.3df362e8ea562p-9, 0x1.35f080ffff37p+0},
     {0x1.1d3707cf556bcp-22, 0x1.96f6fbb29bffbp-15, 0x1.e9cf685631092p-17},
     {-0x1.c0066be5dc03fp-43, -0x1.1f61d364e28d4p-22, 0x1.569c9ae8e7e75p-49}},
    {1,
     {-0x1.99bd3b1dfd18p-3, 0x1.6501958058bd8p-1, 0x1.6e0405102d5a6p-2, -0x1.5ba989cb15f06p-4},
     {0x1.2dab9af81cd8dp-9, 0x1.ab898ab916b7fp-11, 0x1.3f0d26fffbea8p-1},
     {0x1.900560b4d66c6p-23, 0x1.2ffa4f7f0cba4p-14, 0x1.f639c34b74924p-21},
     {0x1.83e72c54daf9dp-19, -0x1.5e103bc817f3bp-41, 0x1.94f96201104bep-22}},
    {0,
     {0x1.12e86502f00d8p-3, -0x1.e90511d7d642bp-1, -0x1.781907c7cf413p-3, 0x1.a0f48804ccae3p-1},
     {0x1.17bad4fcfe316p-4, 0x1.9dc31022375d5p-10, 0x1.33b874ffb03bdp-1},
     {0x1.2eefe00acd7d4p-11, 0x1.2815e8c21fa61p-20, 0x1.fff1b434f7853p-11},
     {-0x1.d3298099946c9p-16, -0x1.3de80efc979e6p-36, -0x1.fffa3f3a8ef47p-1}},
    {1,
     {0x1.3cb090ed13139p-1, -0x1.59780a8a4b02ap+0, 0x1.8d1120f58782fp-1, -0x1.32a085c9bbd4p+0},
     {0x1.a519fb176efb8p-5, 0x1.e5ba78e73df14p-7, 0x1.3d2864f8cb6b5p-1},
     {0x1.e21265fd45874p-21, 0x1.952ff85ed95b4p-8, 0x1.17e5de271db3p-21},
     {0x1.90cf941342e31p-50, -0x1.b41f79ad80f67p-54, 0x1.11bff7a9dbd8bp-31}},
};

static void make_on_face(const on_face *o, couple *c)
{
    const double nowhere[3] = {0, 0, 0};
    *c = (couple){.pose = {graze_pose_identity()}};
    graze_pose *pose = &c->pose[1];
    assert_int_equal(graze_pose_from_quaternion(o->quaternion, nowhere, pose), GRAZE_OK);
    for (int k = 0; k < 3; ++k) {
        double out = copysign(o->corner[k], pose->rotation[3 * k + o->axis]);
        c->position[0][0][k] = out;
        c->position[0][1][k] = -out;
        c->position[0][2][k] = k == 1 ? out : -out;
        c->position[1][0][k] = k == o->axis ? -o->face[k] : o->face[k] * o->at[k];
        c->position[1][1][k] = o->face[k];
        c->position[1][2][k] = k == o->axis ? o->face[k] * 0.3 : -o->face[k];
    }
    bool there = false;
    for (int step = 0; step < 10 && !there; ++step) { // until the two corners are one
        double world[3];
        graze_pose_apply(pose, c->position[1][0], world);
        there = true;
        for (int k = 0; k < 3; ++k) {
            there = there && world[k] == c->position[0][0][k];
            pose->translation[k] += c->position[0][0][k] - world[k];
        }
    }
    assert_true(there);
}

static void corners_touch_faces(void **state)
{
    (void)state;
    askers all;
    open_askers(&all);
    for (size_t i = 0; i < sizeof worst_turned / sizeof *worst_turned; ++i) {
        couple c;
        make_on_face(&worst_turned[i], &c);
        assert_true(truth_of(&all, &c));
        check_couple(&all, &c, true, "a corner on a face");
    }
    close_askers(&all);
}

// Two boxes share a corner, and nothing is turned. Along the way from middle to middle heights of
// boxes are sums of floats: these are those that come out the lowest that a search found, relative
// to the sizes of the boxes. The first box is around the origin.
static const double worst_heights[][2][3] = {
    {{0x1.010326ffd0f3ap-6, 0x1.b8bbc6293d56ep-18, 0x1.9fcc8ca74cf53p-17},
     {0x1.4b0016dff731ap-20, 0x1.2ec1084d0afcfp-17, 0x1.1a3801c7bfbfbp-20}},
    {{0x1.006036fd40a45p-2, 0x1.51a086fbc81a2p-10, 0x1.184fde63986c5p-13},
     {0x1.17015efffafb2p-16, 0x1.15528cfc3862fp-12, 0x1.7ddeaef931237p-17}},
    {{0x1.00f38affe731p-2, 0x1.fc92e80d3a299p-15, 0x1.f132e9a09b13dp-15},
     {0x1.38c002ffe170cp-14, 0x1.b7bbcc0a1f433p-20, 0x1.e04761ae427f9p-18}},
};

static void corners_touch_corners(void **state)
{
    (void)state;
    askers all;
    open_askers(&all);
    for (size_t i = 0; i < sizeof worst_heights / sizeof *worst_heights; ++i) {
        const double *p = worst_heights[i][0], *size = worst_heights[i][1];
        couple c = {.position = {{{p[0], p[1], p[2]}, {-p[0], -p[1], -p[2]}, {-p[0], p[1], -p[2]}},
                                 {{p[0], p[1], p[2]},
                                  {p[0] + size[0], p[1] + size[1], p[2]},
                                  {p[0], p[1], p[2] + size[2]}}},
                    .pose = {graze_pose_identity(), graze_pose_identity()}};
        assert_true(truth_of(&all, &c));
        check_couple(&all, &c, true, "a corner on a corner");
    }
    close_askers(&all);
}

// A triangle that is tiny beside the other, and touches it where its box ends. It is brought into
// the other one's frame in float: what is lost is lost from how far it is moved.
static void tiny_ones_touch(void **state)
{
    (void)state;
    askers all;
    test_random random = {13};
    uint64_t made = 0;
    open_askers(&all);
    for (uint64_t round = 0; round < TEST_CHANCES(UINT64_C(1000)); ++round) {
        couple c = {.pose = {soup_pose(&random, 1), soup_pose(&random, 1)}};
        double way[2][3] = {{0, 0, 0}, {0, 0, 0}}, size = ldexp(1, -(int)(20 + round % 10)),
               world[3];
        way[0][round % 3] = round % 2 == 0 ? 1 : -1;
        turn_between(&c.pose[0], &c.pose[1], way[0], way[1]);
        for (int k = 0; k < 3; ++k) {
            way[1][k] = -way[1][k];
            c.position[0][0][k] = soup_between(&random, -1, 1);
        }
        graze_pose_apply(&c.pose[0], c.position[0][0], world);
        for (int k = 0; k < 3; ++k)
            c.pose[1].translation[k] = world[k];
        if (!land_on(&c.pose[1], world, c.position[1][0]))
            continue;
        set_behind(&random, way[0], 1, c.position[0]);
        set_behind(&random, way[1], size, c.position[1]);
        made++;
        assert_true(truth_of(&all, &c));
        check_couple(&all, &c, true, "tiny");
    }
    assert_true(made > TEST_CHANCES(UINT64_C(900)));
    close_askers(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_corners_touch),
        cmocka_unit_test(corners_touch_faces),
        cmocka_unit_test(corners_touch_corners),
        cmocka_unit_test(tiny_ones_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
