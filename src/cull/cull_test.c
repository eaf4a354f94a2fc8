// Pairs of triangles whose boxes overlap: are they in contact? Sixteen at once in float, with
// proofs, and exactly where float cannot tell. See cull_state.h.
#include <string.h>

#include "base/context.h"
#include "base/simd.h"
#include "cull/cull_kernels.h"
#include "geometry/features.h"
#include "geometry/triangle.h"

static inline void corner_of(const gz_cull_side *side, uint32_t vertex, double out[3])
{
    for (uint64_t axis = 0; axis < 3; ++axis)
        out[axis] = side->p32 != NULL ? (double)side->p32[3 * (uint64_t)vertex + axis]
                                      : side->p64[3 * (uint64_t)vertex + axis];
}

static graze_triangle triangle_of(const gz_cull_side *side, uint32_t number)
{
    graze_triangle t;
    graze_mesh_view view = *side->view;
    for (uint32_t k = 0; k < 3; ++k)
        graze_mesh_view_corner(&view, number, k, t.corner[k]);
    return t;
}

// --- Into lanes

static inline void put_lane(gz_f4 v, uint32_t lane, float out[3][16])
{
    for (int axis = 0; axis < 3; ++axis)
        out[axis][lane] = v[axis];
}

static inline void gather32(const gz_cull_worker *worker, graze_pair pair, gz_f4 scale,
                            uint32_t lane, gz_cull_lanes16 *lanes)
{
    const uint32_t *a = worker->a.corners + 3 * (uint64_t)pair.a;
    const uint32_t *b = worker->b.corners + 3 * (uint64_t)pair.b;
    const float *p = worker->a.p32, *q = worker->b.p32;
    gz_f4 origin = gz_f4_load3(p + 3 * (uint64_t)a[0]);
    for (int k = 0; k < 2; ++k)
        put_lane((gz_f4_load3(p + 3 * (uint64_t)a[k + 1]) - origin) * scale, lane, lanes->a[k]);
    for (int k = 0; k < 3; ++k)
        put_lane((gz_f4_load3(q + 3 * (uint64_t)b[k]) - origin) * scale, lane, lanes->b[k]);
}

static void gather64(const gz_cull_worker *worker, graze_pair pair, double scale, uint32_t lane,
                     gz_cull_lanes16 *lanes)
{
    const uint32_t *a = worker->a.corners + 3 * (uint64_t)pair.a;
    const uint32_t *b = worker->b.corners + 3 * (uint64_t)pair.b;
    double origin[3], p[3];
    corner_of(&worker->a, a[0], origin);
    for (int k = 0; k < 2; ++k) {
        corner_of(&worker->a, a[k + 1], p);
        for (int axis = 0; axis < 3; ++axis)
            lanes->a[k][axis][lane] = (float)((p[axis] - origin[axis]) * scale);
    }
    for (int k = 0; k < 3; ++k) {
        corner_of(&worker->b, b[k], p);
        for (int axis = 0; axis < 3; ++axis)
            lanes->b[k][axis][lane] = (float)((p[axis] - origin[axis]) * scale);
    }
}

// --- What becomes of them

static void keep_pair(gz_cull_worker *worker, graze_pair pair)
{
    worker->task->count++;
    if (worker->cull->asked.collect == GRAZE_COLLECT_VERDICT) {
        worker->stop = true;
        return;
    }
    if (worker->cull->asked.collect < GRAZE_COLLECT_PAIRS)
        return;
    gz_cull_found *last = worker->last;
    if (last == NULL || last->count == sizeof last->pairs / sizeof *last->pairs) {
        gz_cull_found *more = gz_cull_found_take(worker->cull);
        if (more == NULL) {
            worker->status = GRAZE_ERROR_MEMORY;
            worker->stop = true;
            return;
        }
        if (last == NULL)
            worker->task->found = more;
        else
            last->next = more;
        worker->last = last = more;
    }
    if (worker->self && pair.a > pair.b)
        pair = (graze_pair){pair.b, pair.a};
    last->pairs[last->count++] = pair;
}

static void mark(uint8_t *marks, uint32_t triangle) // tasks may mark the same one
{
    __atomic_store_n(&marks[triangle], 1, __ATOMIC_RELAXED);
}

static inline bool same_place(const double p[3], const double q[3])
{
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

static bool have_common_corner(const graze_triangle *a, const graze_triangle *b)
{
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            if (same_place(a->corner[i], b->corner[k]))
                return true;
    return false;
}

// The exact answer. Triangles of two objects may have equal corners, too, but these are not common.
static void settle(gz_cull_worker *worker, graze_pair pair)
{
    graze_triangle a = triangle_of(&worker->a, pair.a), b = triangle_of(&worker->b, pair.b);
    bool in_contact = false;
    worker->counters.exact_tests++;
    if (worker->self && have_common_corner(&a, &b))
        in_contact = gz_cull_folds(&a, &b);
    else
        in_contact = gz_triangle_within(&a, &b, worker->cull->frame.tolerance) != 0;
    if (in_contact)
        keep_pair(worker, pair);
}

// --- Triangles of one object with common corners: nearly all of them share nothing else.

static void test_fans(gz_cull_worker *worker)
{
    gz_cull_fans *fans = &worker->fans;
    const gz_cull_kernels *kernels = gz_cull_kernels_for(graze_context_simd(worker->cull->context));
    if (fans->count == 0)
        return;
    uint32_t open = ~kernels->spread_out(&fans->lanes, fans->edges);
    open &= (UINT32_C(1) << fans->count) - 1;
    worker->counters.triangle_tests += fans->count;
    for (; open != 0 && !worker->stop; open &= open - 1)
        settle(worker, fans->pairs[__builtin_ctz(open)]);
    fans->count = fans->edges = 0;
}

// The others of a and b, relative to a[0], which is their common corner.
static inline void gather_fan(const gz_cull_worker *worker, const uint32_t a[3],
                              const uint32_t b[2], uint32_t lane, gz_cull_fans16 *out)
{
    if (worker->a.p32 != NULL) {
        const float *p = worker->a.p32;
        float s = (float)worker->cull->test_scale;
        gz_f4 scale = {s, s, s, s}, origin = gz_f4_load3(p + 3 * (uint64_t)a[0]);
        put_lane((gz_f4_load3(p + 3 * (uint64_t)a[1]) - origin) * scale, lane, out->t[0]);
        put_lane((gz_f4_load3(p + 3 * (uint64_t)a[2]) - origin) * scale, lane, out->t[1]);
        put_lane((gz_f4_load3(p + 3 * (uint64_t)b[0]) - origin) * scale, lane, out->u[0]);
        put_lane((gz_f4_load3(p + 3 * (uint64_t)b[1]) - origin) * scale, lane, out->u[1]);
        return;
    }
    const double *p = worker->a.p64, *origin = p + 3 * (uint64_t)a[0];
    double scale = worker->cull->test_scale;
    for (uint64_t axis = 0; axis < 3; ++axis) {
        out->t[0][axis][lane] = (float)((p[3 * (uint64_t)a[1] + axis] - origin[axis]) * scale);
        out->t[1][axis][lane] = (float)((p[3 * (uint64_t)a[2] + axis] - origin[axis]) * scale);
        out->u[0][axis][lane] = (float)((p[3 * (uint64_t)b[0] + axis] - origin[axis]) * scale);
        out->u[1][axis][lane] = (float)((p[3 * (uint64_t)b[1] + axis] - origin[axis]) * scale);
    }
}

// Corner i of A is corner k of B where bit 3 * i + k is set. Other than one or two common corners,
// such as those of doubled and of degenerate triangles, go the exact way.
static inline void add_fan(gz_cull_worker *worker, graze_pair pair, uint32_t common)
{
    const uint32_t *a = worker->a.corners + 3 * (uint64_t)pair.a;
    const uint32_t *b = worker->b.corners + 3 * (uint64_t)pair.b;
    uint32_t first = (uint32_t)__builtin_ctz(common), rest = common & (common - 1);
    uint32_t i = first / 3, k = first % 3, next_i = (i + 1) % 3, next_k = (k + 1) % 3;
    bool edge = rest != 0;
    if (edge) {
        uint32_t second = (uint32_t)__builtin_ctz(rest);
        next_i = second / 3;
        next_k = second % 3;
        if ((rest & (rest - 1)) != 0 || next_i == i || next_k == k) {
            settle(worker, pair);
            return;
        }
    }
    gz_cull_fans *fans = &worker->fans;
    uint32_t lane = fans->count++;
    fans->pairs[lane] = pair;
    fans->edges |= (uint32_t)edge << lane;
    const uint32_t of_a[3] = {a[i], a[next_i], a[3 - i - next_i]};
    const uint32_t of_b[2] = {b[next_k], b[3 - k - next_k]};
    gather_fan(worker, of_a, of_b, lane, &fans->lanes);
    if (fans->count == 16)
        test_fans(worker);
}

// Those of equal numbers.
static inline uint32_t common_numbers(const gz_cull_worker *worker, graze_pair pair)
{
    const uint32_t *a = worker->a.corners + 3 * (uint64_t)pair.a;
    const uint32_t *b = worker->b.corners + 3 * (uint64_t)pair.b;
    uint32_t common = 0;
    for (uint32_t i = 0; i < 3; ++i)
        for (uint32_t k = 0; k < 3; ++k)
            common |= (uint32_t)(a[i] == b[k]) << (3 * i + k);
    return common;
}

static uint32_t common_places(const gz_cull_worker *worker, graze_pair pair)
{
    graze_triangle a = triangle_of(&worker->a, pair.a), b = triangle_of(&worker->b, pair.b);
    uint32_t common = 0;
    for (uint32_t i = 0; i < 3; ++i)
        for (uint32_t k = 0; k < 3; ++k)
            common |= (uint32_t)same_place(a.corner[i], b.corner[k]) << (3 * i + k);
    return common;
}

// Sorts out those that have common corners of equal numbers. Returns how many are left.
static uint32_t sort_out_fans(gz_cull_worker *worker, graze_pair *pairs, uint32_t count)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < count && !worker->stop; ++i) {
        graze_pair pair = pairs[i];
        uint32_t common = common_numbers(worker, pair);
        if (common != 0) {
            mark(worker->a.marks, pair.a);
            mark(worker->b.marks, pair.b);
            add_fan(worker, pair, common);
        } else {
            pairs[left++] = pair;
        }
    }
    return left;
}

// --- All others

static void test_some(gz_cull_worker *worker, const graze_pair *pairs, uint32_t count)
{
    const graze_cull *cull = worker->cull;
    const gz_cull_kernels *kernels = gz_cull_kernels_for(graze_context_simd(cull->context));
    gz_cull_lanes16 lanes;
    bool single = worker->a.p32 != NULL && worker->b.p32 != NULL;
    float s = (float)cull->test_scale;
    gz_f4 scale = {s, s, s, s};
    for (uint32_t lane = 0; lane < 16; ++lane) {
        graze_pair pair = pairs[lane < count ? lane : count - 1];
        if (single)
            gather32(worker, pair, scale, lane, &lanes);
        else
            gather64(worker, pair, cull->test_scale, lane, &lanes);
        mark(worker->a.marks, pair.a);
        mark(worker->b.marks, pair.b);
    }
    uint32_t every = (UINT32_C(1) << count) - 1, equal = 0;
    gz_lanes found = kernels->meet(&lanes, worker->self ? &equal : NULL);
    double tolerance = cull->frame.tolerance * cull->test_scale;
    if (tolerance > 0) {
        float low = gz_round_down(tolerance), high = gz_round_up(tolerance);
        gz_lanes closer = kernels->within(&lanes, low, high > 0x1p-126f ? high : 0x1p-126f);
        found.yes |= closer.yes;
        found.no = closer.no & ~found.yes;
    }
    equal &= every;
    uint32_t open = ~(found.yes | found.no) & every & ~equal, yes = found.yes & every & ~equal;
    worker->counters.triangle_tests += count;
    for (; yes != 0 && !worker->stop; yes &= yes - 1)
        keep_pair(worker, pairs[__builtin_ctz(yes)]);
    for (; open != 0 && !worker->stop; open &= open - 1)
        settle(worker, pairs[__builtin_ctz(open)]);
    for (; equal != 0 && !worker->stop; equal &= equal - 1) {
        graze_pair pair = pairs[__builtin_ctz(equal)];
        uint32_t common = common_places(worker, pair);
        if (common != 0)
            add_fan(worker, pair, common);
        else
            settle(worker, pair);
    }
}

void gz_cull_test(gz_cull_worker *worker)
{
    graze_pair *pairs = worker->pairs;
    uint32_t count = worker->pair_count;
    if (worker->cull->engine != NULL && worker->cull->frame.self && !worker->self) {
        count = 0; // not sifted out, since the object is asked about itself, too
        for (uint32_t i = 0; i < worker->pair_count; ++i) {
            pairs[count] = pairs[i];
            count += worker->a.keep[pairs[i].a] != 0 && worker->b.keep[pairs[i].b] != 0;
        }
    }
    if (worker->self)
        count = sort_out_fans(worker, pairs, count);
    for (uint32_t first = 0; first < count && !worker->stop; first += 16)
        test_some(worker, pairs + first, count - first < 16 ? count - first : 16);
    if (worker->self && !worker->stop)
        test_fans(worker);
    worker->pair_count = 0;
}
