// graze's own trees as rivals of its culling: what a program does that asks the exact query about
// each two objects whose boxes overlap. Trees are built anew for each frame, quickly or where
// questions come near, or fitted again while the triangles stay the same; one whose boxes overlap
// more than twice as much as when it was built is built anew with the next frame.
//
// Within one object the query tells all pairs, each both ways round, with those that have corners
// in common. These are decided here, by the rule of graze/cull.h. The edge or face that two
// triangles have in common is known by corners of equal position; what more they share is asked of
// the edges beyond a common corner, which is exact, and of the intersection for a common edge.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graze/graze.h"
#include "peers/deformer.h"
#include "peers/near_boxes.h"

enum { REBUILT, LAZY, REFITTED };

typedef struct engine {
    uint32_t choice;
    graze_context *context;
    graze_query *query;
    deform_frame frame;
    graze_shape **shapes;
    double *looseness;
    near_box *boxes;
    uint32_t room, shape_count;
    deform_pair *pairs;
    uint64_t pair_count, pair_room;
    graze_status status;
} engine;

static void forget(engine *e)
{
    for (uint32_t i = 0; i < e->shape_count; ++i)
        graze_shape_free(e->shapes[i]);
    e->shape_count = 0;
}

static void close_engine(void *opened)
{
    engine *e = opened;
    forget(e);
    graze_query_free(e->query);
    graze_context_destroy(e->context);
    free(e->shapes);
    free(e->looseness);
    free(e->boxes);
    free(e->pairs);
    free(e);
}

static void *open_engine(const deformer *of, uint32_t resolution)
{
    (void)resolution;
    engine *e = calloc(1, sizeof *e);
    graze_context_def def = graze_context_def_default();
    def.thread_count = of->threads;
    if (e == NULL)
        return NULL;
    e->choice = of->choice;
    if (graze_context_create(&def, &e->context) == GRAZE_OK &&
        graze_query_create(e->context, &e->query) == GRAZE_OK)
        return e;
    close_engine(e);
    return NULL;
}

static void *larger(void *array, uint64_t count, size_t item_bytes)
{
    void *grown = realloc(array, (size_t)count * item_bytes);
    if (grown == NULL)
        abort();
    return grown;
}

static void take(void *opened, const deform_frame *frame)
{
    engine *e = opened;
    bool same = frame->same_triangles && e->shape_count == frame->object_count;
    if (!same || e->choice != REFITTED)
        forget(e);
    e->frame = *frame;
    if (frame->object_count > e->room) {
        e->room = frame->object_count;
        e->shapes = larger(e->shapes, e->room, sizeof *e->shapes);
        e->looseness = larger(e->looseness, e->room, sizeof *e->looseness);
        e->boxes = larger(e->boxes, e->room, sizeof *e->boxes);
    }
}

static graze_mesh_view view_of(const collider_mesh *mesh)
{
    return (graze_mesh_view){.precision = GRAZE_FLOAT32,
                             .metres_per_unit = 1,
                             .vertex_count = mesh->vertex_count,
                             .triangle_count = mesh->triangle_count,
                             .positions = mesh->vertices,
                             .corners = (const uint32_t *)mesh->corners};
}

// --- Triangles of one object that have corners in common

static graze_triangle triangle_of(const collider_mesh *mesh, uint32_t number)
{
    graze_triangle t;
    for (int c = 0; c < 3; ++c)
        for (int axis = 0; axis < 3; ++axis)
            t.corner[c][axis] = mesh->vertices[mesh->corners[number][c]][axis];
    return t;
}

static int same_place(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// Turns corners so that those in common come first, in the same order.
static int common_corners(graze_triangle *a, graze_triangle *b)
{
    int count = 0;
    for (int i = 0; i < 3; ++i)
        for (int k = count; k < 3; ++k)
            if (same_place(a->corner[i], b->corner[k])) {
                double swapped[3];
                memcpy(swapped, b->corner[count], sizeof swapped);
                memcpy(b->corner[count], b->corner[k], sizeof swapped);
                memcpy(b->corner[k], swapped, sizeof swapped);
                memcpy(swapped, a->corner[count], sizeof swapped);
                memcpy(a->corner[count], a->corner[i], sizeof swapped);
                memcpy(a->corner[i], swapped, sizeof swapped);
                ++count;
                break;
            }
    return count;
}

// Both lie within the cones that they span from the common corner. What they share reaches, if
// beyond that corner, as far as the opposite edge of one of them.
static int share_beyond_corner(const graze_triangle *a, const graze_triangle *b)
{
    graze_triangle edge_a = *a, edge_b = *b;
    memcpy(edge_a.corner[0], a->corner[1], sizeof edge_a.corner[0]);
    memcpy(edge_b.corner[0], b->corner[1], sizeof edge_b.corner[0]);
    return graze_triangle_meet(&edge_a, b) || graze_triangle_meet(&edge_b, a);
}

// Only in one plane. Where they are far from it, doubles say so.
static int share_beyond_edge(const graze_triangle *a, const graze_triangle *b)
{
    double u[3], v[3], w[3], size = 0;
    for (int axis = 0; axis < 3; ++axis) {
        u[axis] = a->corner[1][axis] - a->corner[0][axis];
        v[axis] = a->corner[2][axis] - a->corner[0][axis];
        w[axis] = b->corner[2][axis] - a->corner[0][axis];
        size += (u[axis] < 0 ? -u[axis] : u[axis]) + (v[axis] < 0 ? -v[axis] : v[axis]) +
                (w[axis] < 0 ? -w[axis] : w[axis]);
    }
    double volume = u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
                    u[2] * (v[0] * w[1] - v[1] * w[0]);
    if ((volume < 0 ? -volume : volume) > 1e-13 * size * size * size)
        return 0;
    graze_intersection shared;
    graze_triangle_intersect(a, b, &shared);
    return shared.point_count > 2;
}

static int in_contact(const collider_mesh *mesh, uint32_t one, uint32_t other)
{
    graze_triangle a = triangle_of(mesh, one), b = triangle_of(mesh, other);
    switch (common_corners(&a, &b)) {
    case 0: return 1; // as the query says
    case 1: return share_beyond_corner(&a, &b);
    case 2: return share_beyond_edge(&a, &b);
    default: return 0;
    }
}

// --- Questions

static void add_pair(engine *e, deform_pair pair)
{
    if (e->pair_count == e->pair_room) {
        e->pair_room = 2 * e->pair_room + 1024;
        e->pairs = larger(e->pairs, e->pair_room, sizeof *e->pairs);
    }
    e->pairs[e->pair_count++] = pair;
}

static void ask_two(void *user, uint32_t a, uint32_t b)
{
    engine *e = user;
    graze_collide_def def = graze_collide_def_default();
    graze_answer answer;
    def.collect = GRAZE_COLLECT_PAIRS;
    def.any_order = 1;
    if (e->status == GRAZE_OK)
        e->status = graze_query_collide(e->query, graze_at(e->shapes[a], NULL),
                                        graze_at(e->shapes[b], NULL), &def, &answer);
    if (e->status != GRAZE_OK)
        return;
    for (uint64_t i = 0; i < answer.pair_count; ++i) {
        graze_pair pair = answer.pairs[i];
        if (a == b && (pair.a >= pair.b || !in_contact(&e->frame.objects[a], pair.a, pair.b)))
            continue;
        add_pair(e, (deform_pair){a, b, pair.a, pair.b});
    }
}

static graze_status make_shape(engine *e, uint32_t number)
{
    graze_mesh_view view = view_of(&e->frame.objects[number]);
    if (number < e->shape_count && e->looseness[number] <= 2 &&
        graze_shape_refit(e->shapes[number], &view, &e->looseness[number]) == GRAZE_OK)
        return GRAZE_OK;
    graze_shape_def def = graze_shape_def_default();
    def.build = e->choice == LAZY ? GRAZE_BUILD_LAZY : GRAZE_BUILD_QUICK;
    if (number < e->shape_count)
        graze_shape_free(e->shapes[number]);
    e->looseness[number] = 1;
    e->shapes[number] = NULL;
    return graze_shape_create(e->context, &view, &def, &e->shapes[number]);
}

static double ask(void *opened)
{
    engine *e = opened;
    uint32_t count = e->frame.object_count;
    e->pair_count = 0;
    e->status = GRAZE_OK;
    for (uint32_t i = 0; i < count && e->status == GRAZE_OK; ++i) {
        e->status = make_shape(e, i);
        e->boxes[i] = near_box_of(&e->frame.objects[i], i);
        e->shape_count = i + 1 > e->shape_count ? i + 1 : e->shape_count;
    }
    if (e->status == GRAZE_OK)
        near_boxes_each(e->boxes, count, ask_two, e);
    for (uint32_t i = 0; i < count && e->frame.self && e->status == GRAZE_OK; ++i)
        ask_two(e, i, i);
    if (e->status == GRAZE_OK)
        return (double)e->pair_count;
    fprintf(stderr, "bench_cull: trees: %s\n", graze_context_error(e->context));
    return -1;
}

static void list(void *opened, deform_pair *pairs)
{
    const engine *e = opened;
    if (e->pair_count > 0)
        memcpy(pairs, e->pairs, e->pair_count * sizeof *pairs);
}

#define TREES(name, way)                                                                           \
    {                                                                                              \
        .engine = "graze trees", .setting = name, .threads = 1, .choice = way, .all_common = 1,    \
        .open = open_engine, .close = close_engine, .take = take, .ask = ask, .list = list         \
    }

static const deformer engines[] = {
    TREES("rebuilt", REBUILT),
    TREES("built where asked", LAZY),
    TREES("refitted", REFITTED),
};

const deformer_list deformers_trees = {engines, sizeof engines / sizeof *engines};
