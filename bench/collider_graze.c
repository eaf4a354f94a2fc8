// graze as bench_collide asks it, on one thread, with the widest SIMD and with AVX2. Pairs come in
// any order, as those of all others do, and once more sorted.
// See peers/collider.h.
#include <stdlib.h>

#include "collide_models.h"
#include "graze/graze.h"
#include "peers/collider.h"

typedef struct object {
    graze_context *context;
    graze_shape *shape;
} object;

typedef struct joined_objects {
    const object *a, *b;
    graze_pose fixed; // of A
    graze_query *query;
    graze_answer answer;
} joined_objects;

static void drop(void *dropped)
{
    object *o = dropped;
    graze_shape_free(o->shape);
    graze_context_destroy(o->context);
    free(o);
}

static void *build(const collider_mesh *mesh, graze_simd simd)
{
    object *o = calloc(1, sizeof *o);
    if (o == NULL)
        return NULL;
    graze_context_def def = graze_context_def_default();
    def.thread_count = 1;
    def.simd = simd;
    if (graze_context_create(&def, &o->context) != GRAZE_OK) {
        free(o);
        return NULL;
    }
    graze_mesh_view view = collider_mesh_view(mesh);
    if (graze_shape_create(o->context, &view, NULL, &o->shape) != GRAZE_OK) {
        drop(o);
        return NULL;
    }
    return o;
}

static void *build_widest(const collider_mesh *mesh) { return build(mesh, GRAZE_SIMD_BEST); }

static void *build_avx2(const collider_mesh *mesh) { return build(mesh, GRAZE_SIMD_AVX2); }

// Large blocks do not come from malloc.
static uint64_t bytes(void *object_, uint64_t from_malloc)
{
    (void)from_malloc;
    return graze_shape_get_info(((const object *)object_)->shape).byte_count;
}

static void *join(void *a, void *b)
{
    joined_objects *joined = calloc(1, sizeof *joined);
    if (joined == NULL)
        return NULL;
    joined->a = a;
    joined->b = b;
    joined->fixed = graze_pose_identity();
    if (graze_query_create(joined->a->context, &joined->query) != GRAZE_OK) {
        free(joined);
        return NULL;
    }
    return joined;
}

static void part(void *parted)
{
    joined_objects *joined = parted;
    graze_query_free(joined->query);
    free(joined);
}

static double ask(joined_objects *joined, const collider_pose *pose, graze_collect collect,
                  double tolerance, uint32_t any_order)
{
    graze_pose moved = collider_graze_pose(pose);
    graze_collide_def def = graze_collide_def_default();
    def.collect = collect;
    def.tolerance = tolerance;
    def.any_order = any_order;
    if (graze_query_collide(joined->query, graze_at(joined->a->shape, &joined->fixed),
                            graze_at(joined->b->shape, &moved), &def, &joined->answer) != GRAZE_OK)
        return -1;
    return (double)joined->answer.pair_count;
}

static double ask_all(void *asked, const collider_pose *pose, double tolerance)
{
    (void)tolerance;
    return ask(asked, pose, GRAZE_COLLECT_PAIRS, 0, 1);
}

static double ask_all_sorted(void *asked, const collider_pose *pose, double tolerance)
{
    (void)tolerance;
    return ask(asked, pose, GRAZE_COLLECT_PAIRS, 0, 0);
}

static double ask_first(void *asked, const collider_pose *pose, double tolerance)
{
    (void)tolerance;
    return ask(asked, pose, GRAZE_COLLECT_VERDICT, 0, 0);
}

static double ask_within(void *asked, const collider_pose *pose, double tolerance)
{
    return ask(asked, pose, GRAZE_COLLECT_VERDICT, tolerance, 0);
}

static double ask_distance(void *asked, const collider_pose *pose, double tolerance)
{
    (void)tolerance;
    joined_objects *joined = asked;
    graze_pose moved = collider_graze_pose(pose);
    graze_distance_def def = graze_distance_def_default();
    def.value_only = 1;
    graze_distance answer;
    if (graze_query_distance(joined->query, graze_at(joined->a->shape, &joined->fixed),
                             graze_at(joined->b->shape, &moved), &def, &answer) != GRAZE_OK)
        return -1;
    return answer.distance;
}

static void list(void *asked, collider_pair *pairs)
{
    const joined_objects *joined = asked;
    for (uint64_t i = 0; i < joined->answer.pair_count; ++i)
        pairs[i] = (collider_pair){joined->answer.pairs[i].a, joined->answer.pairs[i].b};
}

#define OF_GRAZE(name, builder)                                                                    \
    .engine = "graze", .setting = name, .build = builder, .drop = drop, .bytes = bytes,            \
    .join = join, .part = part, .list = list

static const collider engines[] = {
    {OF_GRAZE("widest SIMD", build_widest), .ask = {ask_all, ask_first, ask_distance, ask_within}},
    {OF_GRAZE("AVX2", build_avx2), .ask = {ask_all, ask_first, ask_distance, ask_within}},
    {OF_GRAZE("sorted pairs", build_widest), .ask = {ask_all_sorted}},
};

const collider_list colliders_graze = {engines, sizeof engines / sizeof *engines};
