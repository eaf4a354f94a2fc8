// See pair_scenes.h.
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "oracle.h"
#include "pair_scenes.h"

static double between(test_random *random, double low, double high)
{
    return low + (high - low) * test_unit(random);
}

static double whole(test_random *random, int reach)
{
    return (double)(test_next(random) % (2 * (uint64_t)reach + 1)) - reach;
}

static void finish_mesh(scene_mesh *mesh, uint32_t triangle_count, bool narrow)
{
    for (uint32_t i = 0; i < 9 * triangle_count; ++i)
        mesh->narrow[i] = (float)mesh->position[i];
    for (uint32_t i = 0; i < 3 * triangle_count; ++i)
        mesh->corner[i] = i;
    mesh->view = (graze_mesh_view){
        .precision = narrow ? GRAZE_FLOAT32 : GRAZE_FLOAT64,
        .vertex_count = 3 * triangle_count,
        .triangle_count = triangle_count,
        .positions = narrow ? (const void *)mesh->narrow : (const void *)mesh->position,
        .corners = mesh->corner,
    };
}

// Triangles of about the given size in a cube of 2.
static void random_soup(test_random *random, scene_mesh *mesh, uint32_t count, double size)
{
    for (uint32_t t = 0; t < count; ++t)
        for (int axis = 0; axis < 3; ++axis) {
            double middle = between(random, -1, 1);
            for (uint32_t corner = 0; corner < 3; ++corner)
                mesh->position[9 * t + 3 * corner + (uint32_t)axis] =
                    middle + size * between(random, -0.5, 0.5);
        }
}

// Whole coordinates: shared corners and edges, one plane, points and segments.
static void whole_soup(test_random *random, scene_mesh *mesh, uint32_t count, int reach)
{
    for (uint32_t t = 0; t < count; ++t) {
        double middle[3] = {whole(random, reach), whole(random, reach), whole(random, reach)};
        for (uint32_t k = 0; k < 9; ++k)
            mesh->position[9 * t + k] = middle[k % 3] + whole(random, 1);
    }
}

static void change_all(scene_mesh *mesh, uint32_t count, double scale, double offset)
{
    for (uint32_t i = 0; i < 9 * count; ++i)
        mesh->position[i] = mesh->position[i] * scale + offset;
}

static graze_pose random_pose(test_random *random, double reach)
{
    graze_pose pose;
    double turn[4], shift[3];
    for (int i = 0; i < 4; ++i)
        turn[i] = between(random, -1, 1);
    for (int i = 0; i < 3; ++i)
        shift[i] = between(random, -reach, reach);
    assert_int_equal(graze_pose_from_quaternion(turn, shift, &pose), GRAZE_OK);
    return pose;
}

// One of the 24 turns that map axes to axes, with a whole shift.
static graze_pose square_pose(test_random *random, int reach)
{
    graze_pose pose = {.rotation = {0}};
    uint32_t first = (uint32_t)(test_next(random) % 3), second = test_next(random) % 2 == 0;
    uint32_t column[3] = {first, (first + 1 + second) % 3, (first + 2 - second) % 3};
    double sign[3] = {test_next(random) % 2 == 0 ? 1 : -1, test_next(random) % 2 == 0 ? 1 : -1, 1};
    sign[2] = sign[0] * sign[1] * (second != 0 ? -1 : 1);
    for (uint32_t i = 0; i < 3; ++i) {
        pose.rotation[3 * i + column[i]] = sign[i];
        pose.translation[i] = whole(random, reach);
    }
    assert_int_equal(graze_pose_check(&pose), GRAZE_OK);
    return pose;
}

static const char *const kind_names[] = {
    "random", "small",    "float",  "whole",      "square", "same",
    "plane",  "far away", "shifts", "huge, tiny", "sizes",  "absurd",
};

int pair_scene_kinds(void) { return (int)(sizeof kind_names / sizeof *kind_names); }
const char *pair_scene_kind_name(int kind) { return kind_names[kind]; }

static void make_kind(test_random *random, pair_scene *s, int kind)
{
    uint32_t count_a = 1 + (uint32_t)(test_next(random) % 60);
    uint32_t count_b = 1 + (uint32_t)(test_next(random) % 60);
    bool narrow = false;
    s->pose_a = random_pose(random, 0.5);
    s->pose_b = random_pose(random, 0.5);
    random_soup(random, &s->a, SCENE_TRIANGLES, between(random, 0.1, 1));
    random_soup(random, &s->b, SCENE_TRIANGLES, between(random, 0.1, 1));
    switch (kind) {
    case 0: break;
    case 2: narrow = true; __attribute__((fallthrough));
    case 1: // many, of different sizes
        count_a = count_b = SCENE_TRIANGLES;
        random_soup(random, &s->a, count_a, 0.2);
        random_soup(random, &s->b, count_b, 0.1);
        break;
    case 3: s->pose_a = s->pose_b = graze_pose_identity(); __attribute__((fallthrough));
    case 4:
        whole_soup(random, &s->a, count_a, 3);
        whole_soup(random, &s->b, count_b, 3);
        if (kind == 4) {
            s->pose_a = square_pose(random, 2);
            s->pose_b = square_pose(random, 2);
        }
        break;
    case 5: // the same triangles in the same place, turned
        whole_soup(random, &s->a, count_a, 4);
        change_all(&s->a, count_a, between(random, 0.1, 0.2), 0);
        memcpy(s->b.position, s->a.position, sizeof s->a.position);
        count_b = count_a;
        s->pose_b = s->pose_a;
        break;
    case 6: // all in one plane, which both share, turned
        whole_soup(random, &s->a, count_a, 4);
        whole_soup(random, &s->b, count_b, 4);
        for (uint32_t i = 0; i < 3 * SCENE_TRIANGLES; ++i)
            s->a.position[3 * i + 2] = s->b.position[3 * i + 2] = 0.7;
        s->pose_b = s->pose_a;
        break;
    case 7: // far from the origin of both models
        whole_soup(random, &s->a, count_a, 4);
        whole_soup(random, &s->b, count_b, 4);
        change_all(&s->a, count_a, 0.1, 1e6);
        change_all(&s->b, count_b, 0.1, 1e6);
        s->pose_b = s->pose_a;
        narrow = test_next(random) % 2 == 0;
        break;
    case 8: // far from the origin of the world, where rounding closes a gap between the models
        whole_soup(random, &s->a, count_a, 4);
        memcpy(s->b.position, s->a.position, sizeof s->a.position);
        count_b = count_a;
        change_all(&s->b, count_b, 1, between(random, 0, 1e-10));
        s->pose_a = random_pose(random, 1e6);
        s->pose_b = s->pose_a;
        break;
    case 9: // one huge triangle among tiny ones, which lie close to it
        change_all(&s->a, count_a, 1e-3, 0);
        change_all(&s->b, count_b, 1e-3, 0);
        for (uint32_t k = 0; k < 9; ++k)
            s->a.position[k] = between(random, -1, 1) * (k % 3 == 2 ? 1e-3 : 1e3);
        s->pose_a = s->pose_b = random_pose(random, 10);
        break;
    case 10: // each model on a scale of its own, with triangles through the origin
        whole_soup(random, &s->a, count_a, 1);
        whole_soup(random, &s->b, count_b, 1);
        change_all(&s->a, count_a, ldexp(1, (int)(test_next(random) % 200) - 100), 0);
        change_all(&s->b, count_b, ldexp(1, (int)(test_next(random) % 200) - 100), 0);
        s->pose_a = s->pose_b = graze_pose_identity();
        break;
    default: // beyond all that floats hold, or close to nothing
        change_all(&s->a, count_a, test_next(random) % 2 == 0 ? 0x1p1000 : 0x1p-1060, 0);
        change_all(&s->b, count_b, test_next(random) % 2 == 0 ? 0x1p1000 : 0x1p-1060, 0);
        s->pose_a = s->pose_b = graze_pose_identity();
    }
    if (kind == 9) // as if nobody had thought of sorting
        memcpy(&s->a.position[9 * (count_a - 1)], s->a.position, 9 * sizeof(double));
    finish_mesh(&s->a, count_a, narrow);
    finish_mesh(&s->b, count_b, narrow);
}

static void pose_here(const graze_mesh_view *view, uint64_t t, const graze_pose *pose,
                      graze_triangle *out)
{
    for (uint32_t corner = 0; corner < 3; ++corner) {
        double p[3];
        graze_mesh_view_corner(view, t, corner, p);
        for (int i = 0; i < 3; ++i) {
            const double *r = &pose->rotation[3 * i];
            out->corner[corner][i] =
                ((r[0] * p[0] + r[1] * p[1]) + r[2] * p[2]) + pose->translation[i];
        }
    }
}

// Comparing doubles is exact, and most pairs need no more.
static bool far_apart(const graze_triangle *a, const graze_triangle *b)
{
    for (int i = 0; i < 3; ++i) {
        double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
        for (int corner = 0; corner < 3; ++corner) {
            low[0] = fmin(low[0], a->corner[corner][i]);
            high[0] = fmax(high[0], a->corner[corner][i]);
            low[1] = fmin(low[1], b->corner[corner][i]);
            high[1] = fmax(high[1], b->corner[corner][i]);
        }
        if (high[0] < low[1] || high[1] < low[0])
            return true;
    }
    return false;
}

static void find_pairs(pair_scene *s)
{
    oracle *o = oracle_create();
    uint64_t most = s->a.view.triangle_count * s->b.view.triangle_count;
    s->pairs = calloc((size_t)most, sizeof *s->pairs);
    for (uint32_t i = 0; i < s->a.view.triangle_count; ++i)
        for (uint32_t j = 0; j < s->b.view.triangle_count; ++j) {
            graze_triangle a, b;
            pose_here(&s->a.view, i, &s->pose_a, &a);
            pose_here(&s->b.view, j, &s->pose_b, &b);
            if (far_apart(&a, &b))
                continue;
            oracle_load(o, &a, &b);
            oracle_closest(o);
            if (oracle_meet(o))
                s->pairs[s->pair_count++] = (scene_pair){i, j};
        }
    oracle_destroy(o);
}

pair_scene *pair_scene_make(uint64_t seed, int kind)
{
    pair_scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    test_random random = {seed * 1000 + (uint64_t)kind};
    make_kind(&random, s, kind);
    find_pairs(s);
    return s;
}

void pair_scene_free(pair_scene *s)
{
    free(s->pairs);
    free(s);
}

static int by_numbers(const void *left, const void *right)
{
    const scene_pair *p = left, *q = right;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

void pair_scene_check(const pair_scene *s, void *pairs, uint64_t count, const char *label)
{
    scene_pair *found = pairs;
    if (count != 0)
        qsort(found, (size_t)count, sizeof *found, by_numbers);
    for (uint64_t i = 0; i < count || i < s->pair_count; ++i) {
        int order = i == count ? 1 : i == s->pair_count ? -1 : by_numbers(&found[i], &s->pairs[i]);
        if (order < 0)
            fail_msg("%s: triangles %u and %u do not meet, or were listed twice", label, found[i].a,
                     found[i].b);
        if (order > 0)
            fail_msg("%s: triangles %u and %u meet", label, s->pairs[i].a, s->pairs[i].b);
    }
}

void pair_scene_nasty(int kind, uint32_t count, float *position)
{
    for (uint32_t t = 0; t < count; ++t)
        for (uint32_t k = 0; k < 9; ++k) {
            float x = (float)(k % 4); // all the same
            if (kind == 1)
                x = k % 3 == 0 ? (float)t + (float)(k / 3) : 0; // all on one line
            if (kind == 2 && t != count / 2)
                x *= 1e-6f; // one huge among tiny ones
            if (kind == 3)
                x = ldexpf((float)(k + 1), (int)(t % 250) - 125); // each on a scale of its own
            if (kind == 4)
                x = 0; // all in one point
            if (kind == 5)
                x = k % 3 == 0 ? ldexpf(1, -(int)(t % 140)) * (k < 3 ? 1.0f : 0.5f)
                               : 0; // towards 0
            position[9 * t + k] = x;
        }
}
