// Pairs of triangles whose boxes overlap: are they in contact? Sixteen at once in float, with
// proofs, and exactly where float cannot tell. See cull_state.h.
#include <string.h>

#include "base/context.h"
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

static void gather32(const gz_cull_worker *worker, graze_pair pair, float scale, uint32_t lane,
                     gz_cull_lanes16 *lanes)
{
    const uint32_t *a = worker->a.corners + 3 * (uint64_t)pair.a;
    const uint32_t *b = worker->b.corners + 3 * (uint64_t)pair.b;
    const float *origin = worker->a.p32 + 3 * (uint64_t)a[0];
    for (int k = 0; k < 2; ++k) {
        const float *p = worker->a.p32 + 3 * (uint64_t)a[k + 1];
        for (int axis = 0; axis < 3; ++axis)
            lanes->a[k][axis][lane] = (p[axis] - origin[axis]) * scale;
    }
    for (int k = 0; k < 3; ++k) {
        const float *p = worker->b.p32 + 3 * (uint64_t)b[k];
        for (int axis = 0; axis < 3; ++axis)
            lanes->b[k][axis][lane] = (p[axis] - origin[axis]) * scale;
    }
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

static bool have_common_corner(const graze_triangle *a, const graze_triangle *b)
{
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            if (a->corner[i][0] == b->corner[k][0] && a->corner[i][1] == b->corner[k][1] &&
                a->corner[i][2] == b->corner[k][2])
                return true;
    return false;
}

// Settles the lanes that float left open, and in `equal` those whose triangles may share corners.
static uint32_t settle(gz_cull_worker *worker, const graze_pair *pairs, uint32_t open,
                       uint32_t equal)
{
    uint32_t yes = 0;
    for (uint32_t lanes = open | equal; lanes != 0; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        graze_triangle a = triangle_of(&worker->a, pairs[lane].a);
        graze_triangle b = triangle_of(&worker->b, pairs[lane].b);
        bool in_contact;
        worker->counters.exact_tests++;
        if ((equal >> lane & 1) != 0 && have_common_corner(&a, &b))
            in_contact = gz_cull_folds(&a, &b);
        else
            in_contact = gz_triangle_within(&a, &b, worker->cull->frame.tolerance) != 0;
        yes |= (uint32_t)in_contact << lane;
    }
    return yes;
}

static void mark(uint8_t *marks, uint32_t triangle) // tasks may mark the same one
{
    __atomic_store_n(&marks[triangle], 1, __ATOMIC_RELAXED);
}

static void test_some(gz_cull_worker *worker, const graze_pair *pairs, uint32_t count)
{
    const graze_cull *cull = worker->cull;
    const gz_cull_kernels *kernels = gz_cull_kernels_for(graze_context_simd(cull->context));
    gz_cull_lanes16 lanes;
    bool single = worker->a.p32 != NULL && worker->b.p32 != NULL;
    for (uint32_t lane = 0; lane < 16; ++lane) {
        graze_pair pair = pairs[lane < count ? lane : count - 1];
        if (single)
            gather32(worker, pair, (float)cull->test_scale, lane, &lanes);
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
    uint32_t open = ~(found.yes | found.no) & every;
    uint32_t yes = (found.yes & every & ~equal) | settle(worker, pairs, open, equal & every);
    worker->counters.triangle_tests += count;
    for (; yes != 0 && !worker->stop; yes &= yes - 1)
        keep_pair(worker, pairs[__builtin_ctz(yes)]);
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
    for (uint32_t first = 0; first < count && !worker->stop; first += 16)
        test_some(worker, pairs + first, count - first < 16 ? count - first : 16);
    worker->pair_count = 0;
}
