// Sets up the search for the closest triangles, and decides exactly which of the candidates they
// are. See tree_distance.h.
#include "boxtree/tree_distance.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/threads.h"
#include "base/width.h"
#include "geometry/fpu.h"
#include "geometry/triangle.h"

#define PATIENCE 2000000 // work between two looks at the context's cancel callback
#define MANY     4096    // candidates: time to throw out those that are none any more

gz_distance_kernel gz_distance_kernel_scalar;
#if !defined(GZ_SCALAR_ONLY)
gz_distance_kernel gz_distance_kernel_baseline, gz_distance_kernel_avx2, gz_distance_kernel_avx512;
#endif

void gz_distance_query_init(gz_distance_query *query, graze_context *context)
{
    *query = (gz_distance_query){.context = context, .limit = HUGE_VAL, .work_limit = UINT64_MAX};
}

void gz_distance_query_free(gz_distance_query *query)
{
    gz_list_free(query->context, &query->heap);
    gz_list_free(query->context, &query->heights);
    gz_list_free(query->context, &query->candidates);
}

bool gz_distance_go_on(gz_distance_query *query)
{
    uint64_t work = gz_pair_work(&query->counters);
    if (query->stopped || work < query->work_due)
        return !query->stopped;
    if (work >= query->work_limit)
        query->stopped = true;
    else if (work >= PATIENCE && gz_checkpoint(query->context, "measuring", "pairs",
                                               query->candidates.count, 0) != GRAZE_OK) {
        query->status = GRAZE_ERROR_CANCELLED;
        query->stopped = true;
    }
    query->work_due = work + PATIENCE < query->work_limit ? work + PATIENCE : query->work_limit;
    return !query->stopped;
}

static void throw_out(gz_distance_query *query)
{
    gz_close_pair *pairs = query->candidates.items;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < query->candidates.count; ++i)
        if (!(pairs[i].least > query->most))
            pairs[kept++] = pairs[i];
    query->candidates.count = kept;
}

bool gz_distance_keep(gz_distance_query *query, gz_close_pair pair)
{
    if (query->candidates.count >= MANY &&
        (query->candidates.count & (query->candidates.count - 1)) == 0)
        throw_out(query);
    gz_close_pair *slot = gz_list_push(query->context, &query->candidates, 1);
    if (slot == NULL) {
        query->status = GRAZE_ERROR_MEMORY;
        query->stopped = true;
        return false;
    }
    *slot = pair;
    return true;
}

// Every pair: for trees of absurd sizes, where floats overflow.
static void keep_all(gz_distance_query *query)
{
    const gz_tree *a = query->frames.a, *b = query->frames.b;
    for (uint32_t i = 0; i < a->leaf_count; ++i)
        for (uint32_t j = 0; j < b->leaf_count && gz_distance_go_on(query); ++j)
            for (uint32_t k = 0; k < gz_tree_leaf_count(a, i); ++k)
                for (uint32_t l = 0; l < gz_tree_leaf_count(b, j); ++l)
                    if (!gz_distance_keep(query, (gz_close_pair){0, i, j, k, l}))
                        return;
}

static void triangles_of(const gz_distance_query *query, const gz_close_pair *pair,
                         graze_triangle *a, graze_triangle *b)
{
    gz_frames_triangles(&query->frames, pair->leaf_a, pair->slot_a, pair->leaf_b, pair->slot_b, a,
                        b);
}

// With bounds in double, hardly any candidate is left but those that are exactly as close.
static void sharpen(gz_distance_query *query)
{
    gz_close_pair *pairs = query->candidates.items;
    double most = HUGE_VAL;
    for (uint64_t i = 0; i < query->candidates.count; ++i) {
        graze_triangle a, b;
        double high;
        triangles_of(query, &pairs[i], &a, &b);
        gz_triangle_bounds(&a, &b, &pairs[i].least, &high);
        most = high < most ? high : most;
    }
    query->most = most;
    throw_out(query);
}

// Two posed triangles, and the two corners that are closest if that is known.
typedef struct posed_pair {
    graze_pair pair;
    graze_triangle a, b;
    bool by_corners;
    int i, j;
} posed_pair;

static posed_pair pose_pair(const gz_distance_query *query, const gz_close_pair *place)
{
    posed_pair p;
    triangles_of(query, place, &p.a, &p.b);
    p.pair =
        gz_frames_pair(&query->frames, place->leaf_a, place->slot_a, place->leaf_b, place->slot_b);
    p.by_corners = gz_triangle_corners_closest(&p.a, &p.b, &p.i, &p.j);
    return p;
}

static bool same_place(const double p[3], const double q[3])
{
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

// Around a corner there are many triangles, and all of them are as close as the corner is.
static int compare(gz_distance_query *query, const posed_pair *p, const posed_pair *q)
{
    if (p->by_corners && q->by_corners && same_place(p->a.corner[p->i], q->a.corner[q->i]) &&
        same_place(p->b.corner[p->j], q->b.corner[q->j]))
        return 0;
    query->counters.exact_pairs++;
    return gz_triangle_compare(&p->a, &p->b, &q->a, &q->b);
}

// The closest pair, exactly; of equal ones the first by numbers.
static void decide(gz_distance_query *query, graze_distance *out)
{
    const gz_close_pair *places = query->candidates.items;
    posed_pair best = pose_pair(query, &places[0]);
    for (uint64_t i = 1; i < query->candidates.count; ++i) {
        posed_pair rival = pose_pair(query, &places[i]);
        int order = compare(query, &rival, &best);
        if (order < 0 || (order == 0 && gz_pair_before(rival.pair, best.pair)))
            best = rival;
    }
    graze_closest closest;
    gz_triangle_closest(&best.a, &best.b, &closest);
    query->closest_a = best.a;
    query->closest_b = best.b;
    out->pair = best.pair;
    out->distance = out->least = closest.distance;
    for (int axis = 0; axis < 3; ++axis) {
        out->point_a[axis] = closest.point_a[axis];
        out->point_b[axis] = closest.point_b[axis];
    }
    // The distance is rounded; whether it is within the limit is not.
    out->verdict = gz_triangle_within(&best.a, &best.b, fmin(query->limit, DBL_MAX)) ? GRAZE_CONTACT
                                                                                     : GRAZE_APART;
}

static bool have_heights(gz_distance_query *query)
{
    uint64_t count = UINT64_C(2) << GZ_HEIGHT_BITS;
    if (query->heights.count != 0)
        return true;
    void *rows = gz_list_push(query->context, &query->heights, count);
    if (rows != NULL)
        memset(rows, 0, (size_t)(count * sizeof(gz_height_row)));
    return rows != NULL;
}

static void search(gz_distance_query *query)
{
    query->counters = (gz_pair_counters){0};
    query->heap.count = query->candidates.count = 0;
    query->status = have_heights(query) ? GRAZE_OK : GRAZE_ERROR_MEMORY;
    query->stopped = query->status != GRAZE_OK;
    query->work_due = 0;
    query->least_open = 0;
    for (int axis = 0; axis < 3; ++axis)
        query->direction[axis] = 0;
    query->direction_number++;
    query->most = query->limit * (1 + 1e-6); // posing may turn lengths by 1e-8
    if (query->stopped)
        return;
    if (query->frames.sound)
        GZ_FOR_WIDTH(graze_context_simd(query->context), gz_distance_kernel)(query);
    else
        keep_all(query);
}

graze_status gz_distance_query_run(gz_distance_query *query, const gz_tree *a,
                                   const graze_pose *pose_a, const gz_tree *b,
                                   const graze_pose *pose_b, graze_distance *out)
{
    gz_fpu_state state = gz_fpu_enter();
    gz_frames_set(&query->frames, a, pose_a, b, pose_b, 0);
    search(query);
    throw_out(query);
    if (query->status == GRAZE_OK && query->candidates.count != 0) {
        sharpen(query);
        decide(query, out);
    } else {
        out->verdict = GRAZE_APART;
        out->distance = HUGE_VAL;
        out->least = query->limit;
    }
    if (query->stopped) {
        out->verdict = GRAZE_UNDECIDED;
        out->least = query->least_open * (1 - 1e-6);
    }
    gz_fpu_leave(state);
    return query->status;
}
