// graze as bench_collide asks it, on one thread, with the widest SIMD and with AVX2.
// See peers/collider.h.
#include <stdlib.h>
#include <string.h>

#include "boxtree/tree_pairs.h"
#include "peers/collider.h"

typedef struct object {
    graze_context *context;
    gz_tree tree;
} object;

typedef struct joined_objects {
    const object *a, *b;
    gz_pair_query query;
} joined_objects;

static void drop(void *dropped)
{
    object *o = dropped;
    gz_tree_free(&o->tree);
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
    graze_mesh_view view = {.precision = GRAZE_FLOAT32,
                            .vertex_count = mesh->vertex_count,
                            .triangle_count = mesh->triangle_count,
                            .positions = mesh->vertices,
                            .corners = mesh->corners[0]};
    if (gz_tree_build(o->context, &view, &o->tree) != GRAZE_OK) {
        drop(o);
        return NULL;
    }
    return o;
}

static void *build_widest(const collider_mesh *mesh) { return build(mesh, GRAZE_SIMD_BEST); }

static void *build_avx2(const collider_mesh *mesh) { return build(mesh, GRAZE_SIMD_AVX2); }

static void *join(void *a, void *b)
{
    joined_objects *joined = calloc(1, sizeof *joined);
    if (joined == NULL)
        return NULL;
    joined->a = a;
    joined->b = b;
    gz_pair_query_init(&joined->query, joined->a->context);
    return joined;
}

static void part(void *parted)
{
    joined_objects *joined = parted;
    gz_pair_query_free(&joined->query);
    free(joined);
}

static double ask_all(void *asked, const collider_pose *pose, double tolerance)
{
    (void)tolerance;
    joined_objects *joined = asked;
    graze_pose fixed = graze_pose_identity(), moved;
    memcpy(moved.rotation, pose->rotation, sizeof moved.rotation);
    memcpy(moved.translation, pose->translation, sizeof moved.translation);
    if (gz_pair_query_run(&joined->query, &joined->a->tree, &fixed, &joined->b->tree, &moved) !=
        GRAZE_OK)
        return -1;
    return (double)joined->query.pairs.count;
}

static void list(void *asked, collider_pair *pairs)
{
    const joined_objects *joined = asked;
    const gz_pair *found = joined->query.pairs.items;
    for (uint64_t i = 0; i < joined->query.pairs.count; ++i)
        pairs[i] = (collider_pair){found[i].a, found[i].b};
}

#define OF_GRAZE(name, builder)                                                                    \
    {                                                                                              \
        .engine = "graze", .setting = name, .build = builder, .drop = drop, .join = join,          \
        .part = part, .ask = {[COLLIDER_ALL] = ask_all}, .list = list                              \
    }

static const collider engines[] = {OF_GRAZE("widest SIMD", build_widest),
                                   OF_GRAZE("AVX2", build_avx2)};

const collider_list colliders_graze = {engines, sizeof engines / sizeof *engines};
