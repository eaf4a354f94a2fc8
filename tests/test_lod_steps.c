// LOD cuts by place, with groups at steps: each is the one that its rule says, whatever was asked
// before; it holds the whole surface once, within its bounds, without cracks; and answers are
// complete, bounded and the same for all caches, threads, orders and histories.
#include "test.h"

#include <math.h>
#include <time.h>

#include "both_ways.h"
#include "lod_checks.h"
#include "model/lod_place.h"
#include "query/query_scratch.h"

// --- Cuts

// The share of an error in the frame of a model.
static double share_of(void *user, const graze_model *model, uint32_t group)
{
    const gz_group_box *box = &model->groups[group].box;
    graze_box at;
    for (int axis = 0; axis < 3; ++axis) {
        double half = 0;
        for (int i = 0; i < 3; ++i)
            half += fabs((double)box->axis[i][axis]) * (double)box->half[i];
        at.min[axis] = (double)box->center[axis] + model->origin[axis] - half;
        at.max[axis] = (double)box->center[axis] + model->origin[axis] + half;
    }
    return lod_error_by_place(user, &at);
}

static uint32_t fitting(const graze_model *model, uint32_t group, bool with_steps, double share)
{
    const gz_group_entry *entry = &model->groups[group];
    uint32_t fit = 0;
    for (uint32_t s = 0; s < entry->step_count; ++s)
        if (gz_lod_error(&entry->steps[s]) <= share)
            fit = s + 1;
    return with_steps || fit == entry->step_count ? fit : 0;
}

// Whether a group of which something is in the cut, or would be, is there.
static bool is_looked_at(const graze_model *model, const bool *open, uint32_t group)
{
    const gz_group_entry *entry = &model->groups[group];
    for (uint32_t i = 0; i < entry->cluster_count; ++i) {
        uint32_t consumer = model->consumers[entry->first_cluster + i];
        if (consumer == UINT32_MAX || open[consumer])
            return true;
    }
    return false;
}

// Whether one of the groups that a group is made from is open.
static bool stands_on_open(const graze_model *model, const bool *open, uint32_t group)
{
    const gz_group_entry *entry = &model->groups[group];
    for (uint32_t i = 0; i < entry->member_count; ++i) {
        uint32_t producer = model->producers[model->members[entry->first_member + i]];
        if (producer != UINT32_MAX && open[producer])
            return true;
    }
    return false;
}

// The rule as it is written down: again and again, until nothing changes.
static void check_rule(const gz_lod_place *place, const graze_model *model, bool with_steps,
                       lod_place_error *e)
{
    uint32_t count = model->header.group_count;
    bool *open = test_malloc(count + 1), *seen = test_malloc(count + 1);
    uint8_t *fit = test_malloc(count + 1);
    memset(open, 0, count + 1);
    memset(seen, 0, count + 1);
    for (uint32_t g = 0; g < count; ++g)
        fit[g] = (uint8_t)fitting(model, g, with_steps, share_of(e, model, g));
    for (bool more = true; more;) {
        more = false;
        for (uint32_t g = 0; g < count; ++g) {
            seen[g] |= is_looked_at(model, open, g);
            bool fits = fit[g] == model->groups[g].step_count;
            if (!open[g] && ((seen[g] && !fits) || stands_on_open(model, open, g)))
                more = open[g] = true;
        }
    }
    uint64_t looks = 0;
    for (uint32_t g = 0; g < count; ++g) {
        uint8_t want = GZ_LOD_GROUP_COLLAPSED;
        if (open[g])
            want = stands_on_open(model, open, g) ? GZ_LOD_GROUP_OPEN : fit[g];
        assert_int_equal(place->state[g], want);
        looks += seen[g];
    }
    assert_int_equal(place->looks, looks);
    test_free(open);
    test_free(seen);
    test_free(fit);
}

// The cut holds the whole surface once. From what its parts say only: a cluster that is needed is
// in the cut, or a member of a group that is, or all of its group became others that are needed.
static void check_whole(const gz_lod_cut *cut)
{
    const graze_model *model = cut->model;
    uint32_t all = model->header.cluster_count + model->header.coarse_count;
    uint8_t *in = test_malloc(all + 1), *need = test_malloc(all + 1);
    uint8_t *at_step = test_malloc(model->header.group_count + 1);
    memset(in, 0, all + 1);
    memset(need, 0, all + 1);
    memset(need, 1, model->header.cluster_count);
    memset(at_step, 0, model->header.group_count + 1);
    for (uint32_t i = 0; i < cut->part_count; ++i) {
        const gz_lod_part *part = &cut->parts[i];
        uint8_t *mark = part->cluster != UINT32_MAX ? &in[part->cluster] : &at_step[part->group];
        assert_int_equal(*mark, 0);
        *mark = 1;
    }
    for (uint32_t g = 0; g < model->header.group_count; ++g) {
        const gz_group_entry *entry = &model->groups[g];
        uint32_t needed = 0, there = 0;
        for (uint32_t i = 0; i < entry->member_count; ++i) {
            uint32_t member = model->members[entry->first_member + i];
            assert_true(!in[member] || need[member]);
            needed += need[member];
            there += in[member];
        }
        bool collapsed = !at_step[g] && needed == entry->member_count && there == 0;
        if (at_step[g])
            assert_true(needed == entry->member_count && there == 0);
        else if (!collapsed)
            assert_int_equal(needed, there);
        memset(need + entry->first_cluster, collapsed, entry->cluster_count);
    }
    for (uint32_t c = 0; c < all; ++c)
        if (model->consumers[c] == UINT32_MAX)
            assert_int_equal(need[c], in[c]);
    test_free(in);
    test_free(need);
    test_free(at_step);
}

static void check_equal(const gz_lod_cut *a, const gz_lod_cut *b)
{
    assert_int_equal(a->part_count, b->part_count);
    assert_int_equal(a->group_count, b->group_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_true(a->error == b->error && a->least_backward == b->least_backward);
    assert_memory_equal(a->parts, b->parts, a->part_count * sizeof *a->parts);
    assert_memory_equal(&a->boxes.whole, &b->boxes.whole, sizeof a->boxes.whole);
    assert_int_equal(a->boxes.block_count, b->boxes.block_count);
    assert_memory_equal(a->boxes.count, b->boxes.count, sizeof a->boxes.count);
    if (a->boxes.block_count != 0)
        assert_memory_equal(a->boxes.level[0], b->boxes.level[0],
                            a->boxes.block_count * sizeof(gz_part_block));
}

static void add_part(gz_cache_reservation *reservation, const gz_lod_cut *cut, uint32_t part,
                     triangles *out)
{
    const gz_tree *tree = NULL;
    gz_page_key key = gz_lod_page(cut, part);
    assert_int_equal(gz_cache_pin(reservation, key, &tree), GRAZE_OK);
    uint64_t before = out->count;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; ++leaf)
        for (uint32_t slot = 0; slot < gz_tree_leaf_count(tree, leaf); ++slot) {
            graze_triangle t;
            gz_tree_triangle(tree, leaf, slot, &t);
            triangles_add(out, (const double(*)[3])t.corner);
        }
    uint32_t end =
        part + 1 < cut->part_count ? cut->parts[part + 1].first : (uint32_t)cut->triangle_count;
    assert_int_equal(cut->parts[part].first + (out->count - before), end);
    if (key.kind == GZ_PAGE_GROUP) {
        const gz_group_step *step = &cut->model->groups[key.number].steps[key.step];
        assert_true(cut->parts[part].forward >= step->forward);
        assert_true(cut->parts[part].backward == step->backward);
        assert_true(tree->spread == (double)cut->parts[part].forward);
    }
    gz_cache_unpin(reservation, tree);
}

// Boxes of parts hold what parts stand for, and those above hold them.
static void check_boxes(const gz_lod_cut *cut, uint32_t part, const triangles *t)
{
    gz_middle box = gz_part_boxes_middle(&cut->boxes, 0, part);
    double by = (double)cut->parts[part].forward;
    for (uint64_t i = 0; i < 9 * t->count; ++i) {
        double at = t->corner[i / 9][i / 3 % 3][i % 3], off = at - box.origin[i % 3];
        assert_true(fabs(off) + by <= box.half[i % 3] * LOD_LOOSE + 1e-12);
    }
    for (uint32_t level = 1; level < cut->boxes.level_count; ++level) {
        part /= GZ_PART_WIDE;
        gz_middle above = gz_part_boxes_middle(&cut->boxes, level, part);
        for (int axis = 0; axis < 3; ++axis)
            assert_true(fabs(box.origin[axis] - above.origin[axis]) + box.half[axis] <=
                        above.half[axis] * LOD_LOOSE + 1e-12);
    }
}

// Samples of the original are within the forward bound of a part, samples of a part within its
// backward bound of the original; and an original without open edges has a cut without.
static void check_surface(const body *b, const gz_lod_cut *cut, test_random *random)
{
    gz_cache_reservation *reservation = gz_cache_reserve_for_groups(cut->model->cache);
    triangles all = {0}, *parts = test_malloc((cut->part_count + 1) * sizeof *parts);
    double point[3];
    for (uint32_t i = 0; i < cut->part_count; ++i) {
        parts[i] = (triangles){0};
        add_part(reservation, cut, i, &parts[i]);
        check_boxes(cut, i, &parts[i]);
        assert_false(triangles_beyond(&parts[i], &b->t, (double)cut->parts[i].backward, 0, point));
        for (uint64_t k = 0; k < parts[i].count; ++k)
            triangles_add(&all, (const double(*)[3])parts[i].corner[k]);
    }
    for (uint64_t i = test_next(random) % 7; i < b->t.count; i += 7) {
        double at[3];
        for (int axis = 0; axis < 3; ++axis)
            at[axis] =
                (b->t.corner[i][0][axis] + b->t.corner[i][1][axis] + b->t.corner[i][2][axis]) / 3;
        bool held = false;
        for (uint32_t k = 0; k < cut->part_count && !held; ++k)
            held = triangles_distance(&parts[k], at) <=
                   (double)cut->parts[k].forward * LOD_LOOSE + 1e-9;
        assert_true(held);
    }
    if (triangles_open_edges(&b->t) == 0)
        assert_int_equal(triangles_open_edges(&all), 0);
    for (uint32_t i = 0; i < cut->part_count; ++i)
        triangles_free(&parts[i]);
    triangles_free(&all);
    test_free(parts);
    gz_cache_release(reservation);
}

static lod_place_error random_error(const body *b, test_random *random)
{
    lod_place_error e = {.slope = b->size * ldexp(0.2, -(int)(test_next(random) % 8)),
                         .odd = test_next(random) % 5 == 0};
    for (int axis = 0; axis < 3; ++axis)
        e.point[axis] = b->size * (2 * test_unit(random) - 1);
    return e;
}

// Mostly a little beside the last one.
static void move_error(const body *b, lod_place_error *e, test_random *random)
{
    if (test_next(random) % 16 == 0)
        *e = random_error(b, random);
    for (int axis = 0; axis < 3; ++axis)
        e->point[axis] += 0.02 * b->size * (test_unit(random) - 0.5);
    e->slope *= 1 + 0.1 * (test_unit(random) - 0.5);
}

// A walk of errors: the cut that follows is the one that is made anew.
static void walk(const body *b, test_random *random, uint64_t groups[2])
{
    gz_lod_place followed = {0};
    lod_place_error e = random_error(b, random);
    for (uint32_t i = 0; i < TEST_CHANCES(40); ++i) {
        bool with_steps = i % 23 != 22;
        gz_lod_place anew = {0};
        assert_true(gz_lod_place_cut(&followed, b->model, with_steps, share_of, &e));
        assert_true(gz_lod_place_cut(&anew, b->model, with_steps, share_of, &e));
        check_equal(followed.cut, anew.cut);
        check_rule(&followed, b->model, with_steps, &e);
        check_whole(followed.cut);
        if (i % 20 == 3)
            check_surface(b, followed.cut, random);
        groups[0] += followed.cut->group_count;
        groups[1] += followed.cut->part_count;
        if (!with_steps)
            assert_int_equal(followed.cut->group_count, 0);
        gz_lod_place_free(&anew);
        move_error(b, &e, random);
    }
    gz_lod_place_free(&followed);
}

static void cuts_follow_errors(void **state)
{
    (void)state;
    test_random random = {.state = 3};
    graze_context *context = both_ways_context(1, 16, 12);
    uint64_t groups[2] = {0, 0};
    for (int kind = 0; kind < BODY_KINDS; ++kind) {
        body b;
        body_make(context, kind, kind % 2 == 0 ? GRAZE_FLOAT32 : GRAZE_FLOAT64, 1500, &b);
        walk(&b, &random, groups);
        body_free(&b);
    }
    assert_true(groups[0] > 100 && groups[1] > 2 * groups[0]);
    test_context_done(context);
}

static double same_everywhere(void *user, const graze_model *model, uint32_t group)
{
    (void)model;
    (void)group;
    return *(const double *)user;
}

// Where the error is the same everywhere, a cut by place without steps is the one at that error.
static void constant_errors(void **state)
{
    (void)state;
    graze_context *context = both_ways_context(1, 16, 12);
    gz_lod_place place = {0};
    body b;
    body_make(context, 0, GRAZE_FLOAT32, 3000, &b);
    for (double share = 1; share > 1e-6; share *= 0.8) {
        gz_lod_cut *want = gz_lod_cut_take(b.model, share);
        assert_true(gz_lod_place_cut(&place, b.model, false, same_everywhere, &share));
        check_equal(place.cut, want);
        gz_lod_cut_give(want);
        uint64_t whole = place.cut->triangle_count;
        assert_true(gz_lod_place_cut(&place, b.model, true, same_everywhere, &share));
        assert_true(place.cut->triangle_count <= whole && place.cut->error <= share);
    }
    gz_lod_place_free(&place);
    body_free(&b);
    test_context_done(context);
}

// --- Answers

// What was answered, for good.
typedef struct answered {
    graze_verdict verdict;
    uint64_t count, cut_a, cut_b;
    double error;
    graze_contact *contacts;
} answered;

static answered keep(const graze_answer *answer)
{
    answered kept = {answer->verdict, answer->pair_count, answer->cut_a,
                     answer->cut_b,   answer->error,      NULL};
    kept.contacts = test_malloc(kept.count * sizeof *kept.contacts + 1);
    if (kept.count != 0)
        memcpy(kept.contacts, answer->contacts, kept.count * sizeof *kept.contacts);
    return kept;
}

static void check_answer(const answered *want, const graze_answer *got)
{
    assert_true(got->complete == 1 && got->verdict == want->verdict);
    assert_true(got->pair_count == want->count && got->error == want->error);
    assert_true(got->cut_a == want->cut_a && got->cut_b == want->cut_b);
    if (want->count != 0)
        assert_memory_equal(got->contacts, want->contacts, want->count * sizeof *want->contacts);
}

static graze_collide_def question_about(const lod_scene *s, lod_place_error *e)
{
    graze_collide_def def = graze_collide_def_default();
    def.tolerance = s->tolerance;
    def.collect = GRAZE_COLLECT_CONTACTS;
    def.error_function = lod_error_by_place;
    def.error_user = e;
    return def;
}

static uint64_t groups_in(const graze_query *query)
{
    uint64_t sum = 0;
    for (int i = 0; i < 2; ++i)
        if (query->places[i].cut != NULL)
            sum += query->places[i].cut->group_count;
    return sum;
}

// Complete, bounded and true; and each contact keeps to what is allowed where it is.
static answered check_promises(const lod_scene *s, lod_place_error *e, test_random *random)
{
    graze_collide_def def = question_about(s, e);
    graze_answer want, got;
    def.error_function = NULL;
    assert_int_equal(graze_query_collide(s->exact, graze_at(s->a->exact, &s->pose_a),
                                         graze_at(s->b->exact, &s->pose_b), &def, &want),
                     GRAZE_OK);
    def.error_function = lod_error_by_place;
    assert_int_equal(graze_query_collide(s->query, lod_side(s, 0), lod_side(s, 1), &def, &got),
                     GRAZE_OK);
    lod_scene reached = *s;
    reached.error = got.error;
    lod_check_complete(&reached, &want, &got, random);
    lod_check_bounded(&reached, &got, random);
    lod_check_verdict(&reached, got.verdict, &want);
    for (uint64_t k = 0; k < got.pair_count && !e->odd; ++k) {
        const graze_contact *c = &got.contacts[k];
        graze_box at_a = lod_box_at(c->point_a), at_b = lod_box_at(c->point_b);
        double most = lod_error_at(e, &at_a) + lod_error_at(e, &at_b);
        assert_true(c->error <= (s->way == 2 ? most / 2 : most) * LOD_LOOSE + 1e-9);
    }
    return keep(&got);
}

// The same by another query, on threads, with a front, in the other order, as verdict and count.
static void check_same(const lod_scene *s, graze_query *other, graze_front *front,
                       lod_place_error *e, const answered *want)
{
    graze_collide_def def = question_about(s, e);
    graze_answer got;
    def.use_threads = 1;
    assert_int_equal(graze_query_collide(s->query, lod_side(s, 0), lod_side(s, 1), &def, &got),
                     GRAZE_OK);
    check_answer(want, &got);
    def.use_threads = 0;
    def.front = front;
    assert_int_equal(graze_query_collide(other, lod_side(s, 0), lod_side(s, 1), &def, &got),
                     GRAZE_OK);
    check_answer(want, &got);
    def.front = NULL;
    assert_int_equal(graze_query_collide(other, lod_side(s, 1), lod_side(s, 0), &def, &got),
                     GRAZE_OK);
    assert_true(got.pair_count == want->count && got.verdict == want->verdict &&
                got.cut_a == want->cut_b && got.cut_b == want->cut_a);
    def.collect = GRAZE_COLLECT_COUNT;
    assert_int_equal(graze_query_collide(other, lod_side(s, 0), lod_side(s, 1), &def, &got),
                     GRAZE_OK);
    assert_true(got.pair_count == want->count && got.verdict == want->verdict);
    def.collect = GRAZE_COLLECT_VERDICT;
    assert_int_equal(graze_query_collide(other, lod_side(s, 0), lod_side(s, 1), &def, &got),
                     GRAZE_OK);
    if (want->verdict != GRAZE_WITHIN_ERROR)
        assert_int_equal(got.verdict, want->verdict);
}

// A place from which errors grow, near where the bodies meet.
static lod_place_error error_near(const lod_scene *s, test_random *random)
{
    lod_place_error e = {.slope = ldexp(0.2, -(int)(test_next(random) % 6)),
                         .odd = test_next(random) % 8 == 0};
    for (int axis = 0; axis < 3; ++axis)
        e.point[axis] = 0.5 * (s->pose_a.translation[axis] + s->pose_b.translation[axis]) +
                        s->a->size * (test_unit(random) - 0.5);
    return e;
}

static void check_bodies(graze_context *context, const body *a, const body *b, test_random *random,
                         uint64_t sums[2])
{
    graze_query *query[3];
    graze_front *front = NULL;
    for (int i = 0; i < 3; ++i)
        assert_int_equal(graze_query_create(context, &query[i]), GRAZE_OK);
    assert_int_equal(graze_front_create(context, &front), GRAZE_OK);
    for (uint32_t i = 0; i < TEST_CHANCES(15); ++i) {
        lod_scene s = {.a = a, .b = b, .query = query[0], .exact = query[1], .way = (int)i % WAYS};
        s.pose_a = bodies_pose(random, 0.3 * a->size);
        s.pose_b = bodies_pose(random, 0.3 * a->size);
        s.tolerance = i % 2 == 0 ? 0 : 0.02 * a->size;
        lod_place_error e = error_near(&s, random);
        for (int turn = 0; turn < 3; ++turn) {
            answered want = check_promises(&s, &e, random);
            sums[0] += groups_in(query[0]);
            sums[1] += want.count;
            check_same(&s, query[2], front, &e, &want);
            test_free(want.contacts);
            e.slope *= 0.9;
            s.pose_b.translation[0] += 0.001 * a->size;
        }
    }
    graze_front_free(front);
    for (int i = 0; i < 3; ++i)
        graze_query_free(query[i]);
}

static void answers_are_complete(void **state)
{
    (void)state;
    test_random random = {.state = 11};
    uint64_t sums[2] = {0, 0};
    for (int kind = 0; kind < BODY_KINDS; ++kind) {
        graze_context *context = both_ways_context(1 + (uint32_t)kind % 3, 14 + 7 * (uint64_t)kind,
                                                   8 + 8 * ((uint32_t)kind % 3));
        body a, b;
        body_make(context, kind, GRAZE_FLOAT32, 900, &a);
        body_make(context, (kind + 4) % BODY_KINDS, GRAZE_FLOAT64, 600, &b);
        check_bodies(context, &a, &b, &random, sums);
        body_free(&a);
        body_free(&b);
        test_context_done(context);
    }
    assert_true(sums[0] > 100 && sums[1] > 1000);
}

// Two bodies in contact, and an error that takes groups at steps.
typedef struct stage {
    graze_context *context;
    graze_query *query;
    body a, b;
    lod_scene scene;
    lod_place_error error;
} stage;

static void stage_make(uint64_t cache_mib, stage *s)
{
    test_random random = {.state = 21};
    s->context = both_ways_context(1, cache_mib, 12);
    assert_int_equal(graze_query_create(s->context, &s->query), GRAZE_OK);
    body_make(s->context, 0, GRAZE_FLOAT32, 1500, &s->a);
    body_make(s->context, 8, GRAZE_FLOAT32, 900, &s->b);
    s->scene = (lod_scene){.a = &s->a, .b = &s->b, .way = 2};
    s->scene.pose_a = bodies_pose(&random, 0.2);
    s->scene.pose_b = bodies_pose(&random, 0.2);
    s->error = (lod_place_error){.slope = 0.05, .point = {3, 0, 0}};
}

static void stage_free(stage *s)
{
    graze_query_free(s->query);
    body_free(&s->a);
    body_free(&s->b);
    test_context_done(s->context);
}

static graze_status stage_ask(stage *s, bool no_steps, graze_answer *answer)
{
    graze_collide_def def = question_about(&s->scene, &s->error);
    def.no_steps = no_steps;
    return graze_query_collide(s->query, lod_side(&s->scene, 0), lod_side(&s->scene, 1), &def,
                               answer);
}

// A cache that is too small for groups says so, and answers without steps.
static void small_caches(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {2, 13, 14, 64};
    answered want[2] = {{.count = 0}, {.count = 0}};
    for (int i = 3; i >= 0; --i) {
        stage s;
        graze_answer got;
        stage_make(sizes[i], &s);
        for (int no_steps = 0; no_steps < 2; ++no_steps) {
            if (sizes[i] < 14 && no_steps == 0) {
                assert_int_equal(stage_ask(&s, false, &got), GRAZE_ERROR_MEMORY);
                assert_non_null(strstr(test_last_error, "too small for groups"));
                continue;
            }
            assert_int_equal(stage_ask(&s, no_steps != 0, &got), GRAZE_OK);
            assert_int_equal(groups_in(s.query) == 0, no_steps);
            if (i == 3)
                want[no_steps] = keep(&got);
            check_answer(&want[no_steps], &got);
        }
        stage_free(&s);
    }
    assert_true(want[0].count > 10);
    test_free(want[0].contacts);
    test_free(want[1].contacts);
}

// While nobody asks, another thread loads groups that a slightly different error would take.
static void groups_are_loaded_ahead(void **state)
{
    (void)state;
    stage s;
    graze_answer got;
    stage_make(64, &s);
    assert_int_equal(stage_ask(&s, false, &got), GRAZE_OK);
    for (int i = 0; i < 1000; ++i) {
        if (graze_model_cache_use(s.a.model).loads > got.counters.page_loads)
            break;
        struct timespec moment = {.tv_nsec = 10000000};
        nanosleep(&moment, NULL);
    }
    assert_true(graze_model_cache_use(s.a.model).loads > got.counters.page_loads);
    stage_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_follow_errors),      cmocka_unit_test(constant_errors),
        cmocka_unit_test(answers_are_complete),    cmocka_unit_test(small_caches),
        cmocka_unit_test(groups_are_loaded_ahead),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
