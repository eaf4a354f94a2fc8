// Lists of pairs before the referee. See cull_judge.h.
#include "cull_judge.h"

#include <stdlib.h>

#define JUDGED_MAX 50 // of one list; a case takes about 50 microseconds

static int compare(const void *left, const void *right)
{
    const deform_pair *l = left, *r = right;
    if (l->object_a != r->object_a)
        return l->object_a < r->object_a ? -1 : 1;
    if (l->object_b != r->object_b)
        return l->object_b < r->object_b ? -1 : 1;
    if (l->a != r->a)
        return l->a < r->a ? -1 : 1;
    return l->b < r->b ? -1 : l->b > r->b;
}

bool deform_pairs_take(deform_pairs *pairs, const deformer *from, void *opened, uint64_t count)
{
    if (count > pairs->room) {
        free(pairs->pairs);
        pairs->room = 2 * count;
        pairs->pairs = malloc(pairs->room * sizeof *pairs->pairs);
        if (pairs->pairs == NULL) {
            pairs->room = pairs->count = 0;
            return false;
        }
    }
    pairs->count = count;
    if (count == 0)
        return true;
    from->list(opened, pairs->pairs);
    qsort(pairs->pairs, count, sizeof *pairs->pairs, compare);
    return true;
}

static graze_triangle triangle_of(const collider_mesh *mesh, uint32_t number)
{
    graze_triangle t;
    for (int c = 0; c < 3; ++c)
        for (int axis = 0; axis < 3; ++axis)
            t.corner[c][axis] = mesh->vertices[mesh->corners[number][c]][axis];
    return t;
}

static int common_corners(const graze_triangle *a, const graze_triangle *b)
{
    int count = 0;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            count += a->corner[i][0] == b->corner[k][0] && a->corner[i][1] == b->corner[k][1] &&
                     a->corner[i][2] == b->corner[k][2];
    return count;
}

// Two corners in common have the edge between them in common, which is a segment, and so on: what
// is shared has more corners if it is more. (Of triangles with area.)
static bool really_meet(oracle *referee, const deform_frame *frame, deform_pair pair)
{
    graze_triangle one = triangle_of(&frame->objects[pair.object_a], pair.a);
    graze_triangle other = triangle_of(&frame->objects[pair.object_b], pair.b);
    int common = pair.object_a == pair.object_b ? common_corners(&one, &other) : 0;
    oracle_load(referee, &one, &other);
    if (common == 0) {
        oracle_closest(referee);
        return oracle_meet(referee);
    }
    oracle_intersect(referee);
    return common < 3 && referee->corner_count > common;
}

static bool passed_over(const deform_frame *frame, deform_pair pair)
{
    return pair.object_a == pair.object_b &&
           deform_neighbours(&frame->objects[pair.object_a], pair.a, pair.b);
}

deform_verdict deform_pairs_judge(oracle *referee, const deform_frame *frame,
                                  const deform_pairs *known, const deform_pairs *found,
                                  bool all_common)
{
    deform_verdict verdict = {0, 0, 0};
    uint64_t i = 0, k = 0, judged = 0;
    while (i < known->count || k < found->count) {
        int order = i == known->count   ? 1
                    : k == found->count ? -1
                                        : compare(&known->pairs[i], &found->pairs[k]);
        deform_pair pair = order > 0 ? found->pairs[k] : known->pairs[i];
        if (order != 0 && (all_common || !passed_over(frame, pair))) {
            verdict.missed += order < 0;
            verdict.surplus += order > 0;
            if (judged++ < JUDGED_MAX)
                verdict.refuted += really_meet(referee, frame, pair) != (order < 0);
        }
        i += order <= 0;
        k += order >= 0;
    }
    return verdict;
}
