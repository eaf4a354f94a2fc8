// Lists of pairs before the referee. See collide_judge.h.
#include "collide_judge.h"

#include <stdlib.h>
#include <string.h>

#define JUDGED_MAX 200 // of one list; a case takes about 50 microseconds

static int compare(const void *left, const void *right)
{
    const collider_pair *l = left, *r = right;
    if (l->a != r->a)
        return l->a < r->a ? -1 : 1;
    return l->b < r->b ? -1 : l->b > r->b;
}

void pair_list_sort(pair_list *list)
{
    qsort(list->pairs, list->count, sizeof *list->pairs, compare);
}

static graze_triangle posed(const collider_mesh *mesh, uint32_t triangle, const graze_pose *pose)
{
    graze_triangle out;
    for (int c = 0; c < 3; ++c) {
        const float *v = mesh->vertices[mesh->corners[triangle][c]];
        graze_pose_apply(pose, (double[3]){v[0], v[1], v[2]}, out.corner[c]);
    }
    return out;
}

static int really_meet(oracle *referee, const collider_mesh *a, const collider_mesh *b,
                       const collider_pose *pose, collider_pair pair)
{
    graze_pose fixed = graze_pose_identity(), moved;
    memcpy(moved.rotation, pose->rotation, sizeof moved.rotation);
    memcpy(moved.translation, pose->translation, sizeof moved.translation);
    graze_triangle one = posed(a, pair.a, &fixed), other = posed(b, pair.b, &moved);
    oracle_load(referee, &one, &other);
    oracle_closest(referee);
    return oracle_meet(referee);
}

pair_verdict pair_list_judge(oracle *referee, const collider_mesh *a, const collider_mesh *b,
                             const collider_pose *pose, const pair_list *ours,
                             const pair_list *theirs)
{
    pair_verdict verdict = {0};
    uint64_t i = 0, j = 0;
    while (i < ours->count || j < theirs->count) {
        int order;
        if (i == ours->count || j == theirs->count)
            order = i < ours->count ? -1 : 1;
        else
            order = compare(&ours->pairs[i], &theirs->pairs[j]);
        if (order != 0 && verdict.different++ < JUDGED_MAX) {
            collider_pair pair = order < 0 ? ours->pairs[i] : theirs->pairs[j];
            verdict.judged += 1;
            verdict.refuted += really_meet(referee, a, b, pose, pair) != (order < 0);
        }
        i += order <= 0;
        j += order >= 0;
    }
    return verdict;
}
