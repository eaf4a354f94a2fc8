// graze as bench_triangles asks it: one pair at a time, one against many in each SIMD width, and
// the wide float kernels alone, on blocks that were gathered beforehand. See peers/peer.h.
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "geometry/kernels.h"
#include "graze/geometry.h"
#include "peers/peer.h"

typedef struct prepared_pairs {
    const peer_pairs *pairs;
    const graze_triangle *a, *b;
    graze_context *context;
    const gz_triangle_kernels *kernels;
    // For the kernels alone. Group g begins at block 2 * group_word[g].
    gz_triangle1 *ones;
    double *scales;
    gz_triangles16 *blocks;
    uint32_t *unsure;
} prepared_pairs;

static void finish(void *prepared)
{
    prepared_pairs *p = prepared;
    graze_context_destroy(p->context);
    free(p->ones);
    free(p->scales);
    free(p->blocks);
    free(p->unsure);
    free(p);
}

static void *prepare(const peer_pairs *pairs, graze_simd simd)
{
    prepared_pairs *p = calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->pairs = pairs;
    p->a = (const graze_triangle *)pairs->a;
    p->b = (const graze_triangle *)pairs->b;
    graze_context_def def = graze_context_def_default();
    def.simd = simd;
    def.thread_count = 1;
    if (graze_context_create(&def, &p->context) != GRAZE_OK) {
        finish(p);
        return NULL;
    }
    p->kernels = gz_triangle_kernels_for(graze_context_simd(p->context));
    return p;
}

static uint32_t group_size(const peer_pairs *pairs, uint32_t group)
{
    return pairs->group_begin[group + 1] - pairs->group_begin[group];
}

// What triangle_batch.c does before it calls a kernel; see kernels.h for what the kernel asks.
static void gather_group(prepared_pairs *p, uint32_t group)
{
    const graze_triangle *a = &p->a[group], *b = &p->b[p->pairs->group_begin[group]];
    gz_triangle1 *one = &p->ones[group];
    double relative[2][3], largest = 0;
    for (int i = 0; i < 2; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            relative[i][axis] = a->corner[i + 1][axis] - a->corner[0][axis];
            largest = fmax(largest, fabs(relative[i][axis]));
        }
    int exponent;
    (void)frexp(largest, &exponent);
    double scale = ldexp(1, -exponent);
    for (int axis = 0; axis < 3; ++axis) {
        one->corner1[axis] = (float)(relative[0][axis] * scale);
        one->corner2[axis] = (float)(relative[1][axis] * scale);
    }
    one->error = one->error_relative = 0x1p-24f * 1.001f;
    one->error_absolute = FLT_MIN;
    p->scales[group] = scale;
    gz_triangles16 *block = &p->blocks[2 * p->pairs->group_word[group]];
    uint32_t count = group_size(p->pairs, group);
    for (uint32_t i = 0; i < (count + 15) / 16 * 16; ++i)
        for (int corner = 0; corner < 3; ++corner)
            for (int axis = 0; axis < 3; ++axis)
                block[i / 16].v[corner][axis][i % 16] =
                    (float)((b[i < count ? i : count - 1].corner[corner][axis] -
                             a->corner[0][axis]) *
                            scale);
}

static void *prepare_kernel(const peer_pairs *pairs, graze_simd simd)
{
    prepared_pairs *p = prepare(pairs, simd);
    if (p == NULL)
        return NULL;
    uint32_t words = pairs->group_word[pairs->group_count];
    p->ones = malloc(pairs->group_count * sizeof *p->ones);
    p->scales = malloc(pairs->group_count * sizeof *p->scales);
    p->blocks = aligned_alloc(64, 2 * (size_t)words * sizeof *p->blocks);
    p->unsure = calloc(words, sizeof *p->unsure);
    if (p->ones == NULL || p->scales == NULL || p->blocks == NULL || p->unsure == NULL) {
        finish(p);
        return NULL;
    }
    for (uint32_t group = 0; group < pairs->group_count; ++group)
        gather_group(p, group);
    return p;
}

static const uint32_t *get_unsure(void *prepared) { return ((prepared_pairs *)prepared)->unsure; }

static inline void run_each(void *prepared, uint32_t *answers,
                            int ask(const graze_triangle *, const graze_triangle *, double))
{
    prepared_pairs *p = prepared;
    for (uint32_t group = 0; group < p->pairs->group_count; ++group) {
        const graze_triangle *b = &p->b[p->pairs->group_begin[group]];
        uint32_t *words = &answers[p->pairs->group_word[group]];
        uint32_t count = group_size(p->pairs, group);
        for (uint32_t i = 0; i < count; ++i) {
            uint32_t word = i % 32 == 0 ? 0 : words[i / 32];
            words[i / 32] = word | (uint32_t)ask(&p->a[group], &b[i], p->pairs->tolerance)
                                       << i % 32;
        }
    }
}

static int ask_meet(const graze_triangle *a, const graze_triangle *b, double tolerance)
{
    (void)tolerance;
    return graze_triangle_meet(a, b);
}

static int ask_closest(const graze_triangle *a, const graze_triangle *b, double tolerance)
{
    graze_closest closest;
    graze_triangle_closest(a, b, &closest);
    return closest.distance_squared <= tolerance * tolerance;
}

static void run_meet(void *prepared, uint32_t *answers) { run_each(prepared, answers, ask_meet); }
static void run_within(void *prepared, uint32_t *answers)
{
    run_each(prepared, answers, graze_triangle_within);
}
static void run_closest(void *prepared, uint32_t *answers)
{
    run_each(prepared, answers, ask_closest);
}

static void run_meet_many(void *prepared, uint32_t *answers)
{
    prepared_pairs *p = prepared;
    for (uint32_t group = 0; group < p->pairs->group_count; ++group)
        graze_triangle_meet_many(p->context, &p->a[group], &p->b[p->pairs->group_begin[group]],
                                 group_size(p->pairs, group),
                                 &answers[p->pairs->group_word[group]]);
}

static void run_within_many(void *prepared, uint32_t *answers)
{
    prepared_pairs *p = prepared;
    for (uint32_t group = 0; group < p->pairs->group_count; ++group)
        graze_triangle_within_many(p->context, &p->a[group], &p->b[p->pairs->group_begin[group]],
                                   group_size(p->pairs, group), p->pairs->tolerance,
                                   &answers[p->pairs->group_word[group]]);
}

// Stores what the kernel said about block `block` of a group.
static inline void store(gz_lanes lanes, uint32_t block, uint32_t count, uint32_t *answers,
                         uint32_t *unsure)
{
    uint32_t used = count - 16 * block < 16 ? (1u << (count - 16 * block)) - 1 : 0xffffu;
    uint32_t yes = lanes.yes & used, open = ~(lanes.yes | lanes.no) & used;
    if (block % 2 == 0) {
        answers[block / 2] = yes;
        unsure[block / 2] = open;
    } else {
        answers[block / 2] |= yes << 16;
        unsure[block / 2] |= open << 16;
    }
}

static void run_meet_kernel(void *prepared, uint32_t *answers)
{
    prepared_pairs *p = prepared;
    for (uint32_t group = 0; group < p->pairs->group_count; ++group) {
        uint32_t first = p->pairs->group_word[group], count = group_size(p->pairs, group);
        for (uint32_t block = 0; block < (count + 15) / 16; ++block)
            store(p->kernels->meet16(&p->ones[group], &p->blocks[2 * first + block]), block, count,
                  answers + first, p->unsure + first);
    }
}

static void run_within_kernel(void *prepared, uint32_t *answers)
{
    prepared_pairs *p = prepared;
    for (uint32_t group = 0; group < p->pairs->group_count; ++group) {
        uint32_t first = p->pairs->group_word[group], count = group_size(p->pairs, group);
        double tolerance = p->pairs->tolerance * p->scales[group];
        float low = (float)(tolerance * (1 - 0x1p-23)), high = (float)(tolerance * (1 + 0x1p-23));
        for (uint32_t block = 0; block < (count + 15) / 16; ++block)
            store(p->kernels->within16(&p->ones[group], &p->blocks[2 * first + block], low, high),
                  block, count, answers + first, p->unsure + first);
    }
}

#define WIDTH(name, simd)                                                                          \
    static void *prepare_##name(const peer_pairs *pairs) { return prepare(pairs, simd); }          \
    static void *prepare_kernel_##name(const peer_pairs *pairs)                                    \
    {                                                                                              \
        return prepare_kernel(pairs, simd);                                                        \
    }
WIDTH(scalar, GRAZE_SIMD_SCALAR)
WIDTH(baseline, GRAZE_SIMD_BASELINE)
WIDTH(avx2, GRAZE_SIMD_AVX2)
WIDTH(avx512, GRAZE_SIMD_AVX512)

#define MANY(engine, distance, run)                                                                \
    {engine, "scalar", distance, prepare_scalar, run, finish, NULL},                               \
        {engine, "baseline", distance, prepare_baseline, run, finish, NULL},                       \
        {engine, "avx2", distance, prepare_avx2, run, finish, NULL},                               \
    {                                                                                              \
        engine, "avx512", distance, prepare_avx512, run, finish, NULL                              \
    }
#define KERNEL(engine, distance, run)                                                              \
    {engine, "scalar", distance, prepare_kernel_scalar, run, finish, get_unsure},                  \
        {engine, "baseline", distance, prepare_kernel_baseline, run, finish, get_unsure},          \
        {engine, "avx2", distance, prepare_kernel_avx2, run, finish, get_unsure},                  \
    {                                                                                              \
        engine, "avx512", distance, prepare_kernel_avx512, run, finish, get_unsure                 \
    }

static const peer list[] = {
    {"graze one", "double", 0, prepare_scalar, run_meet, finish, NULL},
    MANY("graze many", 0, run_meet_many),
    KERNEL("graze kernel", 0, run_meet_kernel),
    {"graze one", "double", 1, prepare_scalar, run_within, finish, NULL},
    {"graze closest", "double", 1, prepare_scalar, run_closest, finish, NULL},
    MANY("graze many", 1, run_within_many),
    KERNEL("graze kernel", 1, run_within_kernel),
};

const peer_list peers_graze = {list, sizeof list / sizeof *list};
