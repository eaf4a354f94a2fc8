// Two meshes in motion, asked both ways round, and two cubes whose contact is known to the last
// bit.
#include "demo_meshes.h"

#include <stdio.h>

#include "graze/query.h"
#include "shapes.h"
#include "terminal.h"
#include "units.h"

// Two shapes and a query to ask about them.
typedef struct couple {
    graze_shape *a, *b;
    graze_query *query;
} couple;

static graze_status make_shape(graze_context *context, const char *kind, uint64_t count,
                               graze_shape **shape)
{
    graze_mesh *mesh = NULL;
    const generator_shape_def def = {.kind = kind, .triangle_count = count};
    graze_status status = generator_shape_make(context, &def, &mesh);
    if (status == GRAZE_OK) {
        graze_mesh_view view = graze_mesh_get(mesh);
        status = graze_shape_create(context, &view, NULL, shape);
    }
    graze_mesh_free(mesh);
    return status;
}

static graze_status open_couple(graze_context *context, const char *kind_a, const char *kind_b,
                                uint64_t count, couple *c)
{
    graze_status status = make_shape(context, kind_a, count, &c->a);
    if (status == GRAZE_OK)
        status = make_shape(context, kind_b, count, &c->b);
    if (status == GRAZE_OK)
        status = graze_query_create(context, &c->query);
    return status;
}

static void close_couple(couple *c)
{
    graze_query_free(c->query);
    graze_shape_free(c->a);
    graze_shape_free(c->b);
}

// A sum over all pairs, the same in any order.
static uint64_t digest(const graze_answer *answer, bool swapped)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < answer->pair_count; ++i) {
        const graze_pair *pair = &answer->pairs[i];
        uint64_t word =
            (uint64_t)(swapped ? pair->b : pair->a) << 32 | (swapped ? pair->a : pair->b);
        word *= 0x9e3779b97f4a7c15u;
        sum += word ^ word >> 29;
    }
    return sum;
}

// All pairs with b shifted along x, and whether the same are found with b and a swapped.
static graze_status ask(couple *c, double x, graze_answer *answer, double *seconds, bool *same)
{
    graze_collide_def def = graze_collide_def_default();
    graze_pose here = graze_pose_identity(), there = graze_pose_identity();
    there.translation[0] = x;
    def.collect = GRAZE_COLLECT_PAIRS;
    graze_status status =
        graze_query_collide(c->query, graze_at(c->b, &there), graze_at(c->a, &here), &def, answer);
    uint64_t count = answer->pair_count, sum = digest(answer, true);
    double begun = now_seconds();
    if (status == GRAZE_OK)
        status = graze_query_collide(c->query, graze_at(c->a, &here), graze_at(c->b, &there), &def,
                                     answer);
    *seconds = now_seconds() - begun;
    *same = answer->pair_count == count && digest(answer, false) == sum;
    return status;
}

static graze_status show_motion(couple *c, bool *right)
{
    static const double places[] = {0, 0.2, 0.4, 0.6, 0.8, 1.1};
    char count[TEXT_BYTES];
    graze_status status = GRAZE_OK;
    printf("   %-26s %-9s %10s %12s   asked as b, a\n", "the ring shifted by", "verdict",
           "all pairs", "found in");
    for (size_t i = 0; i < sizeof places / sizeof *places && status == GRAZE_OK; ++i) {
        graze_answer answer;
        double seconds = 0;
        bool same = false;
        status = ask(c, places[i], &answer, &seconds, &same);
        if (status != GRAZE_OK)
            break;
        printf("   %-26g %-9s %10s %9.3f ms   %s\n", places[i],
               answer.verdict == GRAZE_CONTACT ? "contact" : "apart",
               print_count(count, answer.pair_count), 1e3 * seconds,
               same ? "the same" : "NOT THE SAME");
        *right = *right && same;
    }
    return status;
}

static graze_status show_cubes(couple *c, bool *right)
{
    static const struct {
        double x;
        graze_verdict truth;
    } rows[] = {{1, GRAZE_CONTACT}, {1.0000000000000002, GRAZE_APART}};
    graze_status status = GRAZE_OK;
    printf("\n   Cubes of size 1, one shifted by its size, and by the next number above that:\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == GRAZE_OK; ++i) {
        graze_answer answer;
        double seconds = 0;
        bool same = false;
        status = ask(c, rows[i].x, &answer, &seconds, &same);
        if (status != GRAZE_OK)
            break;
        bool true_answer = answer.verdict == rows[i].truth && same;
        printf("   %-26.17g %s%s\n", rows[i].x,
               answer.verdict == GRAZE_CONTACT ? "contact" : "apart",
               true_answer ? "" : ", WHICH IS WRONG");
        *right = *right && true_answer;
    }
    return status;
}

graze_status demo_meshes(graze_context *context, bool *right)
{
    couple moving = {NULL, NULL, NULL}, cubes = {NULL, NULL, NULL};
    graze_status status = open_couple(context, "knot", "torus", 200000, &moving);
    if (status == GRAZE_OK) {
        char a[TEXT_BYTES], b[TEXT_BYTES];
        bar_clear();
        printf("   A knot of %s triangles, and a ring of %s.\n\n",
               print_count(a, graze_shape_get_info(moving.a).triangle_count),
               print_count(b, graze_shape_get_info(moving.b).triangle_count));
        status = show_motion(&moving, right);
    }
    if (status == GRAZE_OK)
        status = open_couple(context, "box", "box", 1200, &cubes);
    if (status == GRAZE_OK)
        status = show_cubes(&cubes, right);
    close_couple(&moving);
    close_couple(&cubes);
    return status;
}
