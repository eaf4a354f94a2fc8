// Records over revisions: what becomes of clashes when objects move, come, go and are renamed, held
// against checks from scratch; and that a record is the same for any number of threads.
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "revisions.h"

static char path[MODEL_PATH_BYTES];

static int start(void **state)
{
    (void)state;
    unlink(models_path(path, "review.sqlite"));
    return 0;
}

static int finish(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

// --- Clashes of a record

typedef struct kept_clash {
    uint64_t number, problem, problem_count;
    graze_record_status status, before;
    char a[96], b[96], a_id[32], b_id[32], id[40], reason[256], assigned[64];
    double place[3];
    graze_clash clash;
    uint32_t first_run, last_run, checked_run;
} kept_clash;

typedef struct kept_list {
    kept_clash items[2000];
    uint32_t count;
} kept_list;

static graze_status keep_clash(void *user, const graze_record_clash *clash)
{
    kept_list *list = user;
    assert_true(list->count < 2000);
    kept_clash *kept = &list->items[list->count++];
    *kept = (kept_clash){.number = clash->number,
                         .problem = clash->problem,
                         .problem_count = clash->problem_count,
                         .status = clash->status,
                         .before = clash->before,
                         .clash = clash->clash,
                         .first_run = clash->first_run,
                         .last_run = clash->last_run,
                         .checked_run = clash->checked_run};
    snprintf(kept->a, sizeof kept->a, "%s", clash->a.path);
    snprintf(kept->b, sizeof kept->b, "%s", clash->b.path);
    snprintf(kept->a_id, sizeof kept->a_id, "%s", clash->a.id);
    snprintf(kept->b_id, sizeof kept->b_id, "%s", clash->b.id);
    snprintf(kept->id, sizeof kept->id, "%s", clash->id);
    snprintf(kept->reason, sizeof kept->reason, "%s", clash->reason);
    snprintf(kept->assigned, sizeof kept->assigned, "%s", clash->assigned);
    memcpy(kept->place, clash->place, sizeof kept->place);
    assert_int_equal(strlen(clash->id), 36);
    assert_int_equal(strlen(clash->a.id), 22);
    return GRAZE_OK;
}

static void read_kept(kept_list *list)
{
    graze_context *context = test_context(NULL);
    graze_record *open = NULL;
    graze_record_filter filter = graze_record_filter_default();
    filter.by_number = 1;
    list->count = 0;
    assert_int_equal(graze_record_open(context, path, GRAZE_RECORD_READ, &open), GRAZE_OK);
    assert_int_equal(graze_record_each_clash(open, &filter, keep_clash, list), GRAZE_OK);
    graze_record_close(open);
    test_context_done(context);
}

static kept_list kept; // too large for a stack

static const kept_clash *kept_of(uint64_t number)
{
    assert_true(number >= 1 && number <= kept.count);
    assert_int_equal(kept.items[number - 1].number, number);
    return &kept.items[number - 1];
}

static void say(uint64_t number, graze_record_status status, const char *comment)
{
    graze_context *context = test_context(NULL);
    graze_record *open = NULL;
    graze_record_say what = graze_record_say_default();
    what.status = status;
    what.comment = comment;
    what.author = "anna";
    what.time = 1700000001;
    assert_int_equal(graze_record_open(context, path, GRAZE_RECORD_REVIEW, &open), GRAZE_OK);
    assert_int_equal(graze_record_review(open, &number, 1, &what), GRAZE_OK);
    graze_record_close(open);
    test_context_done(context);
}

static void check_status(uint64_t number, graze_record_status status)
{
    read_kept(&kept);
    if (kept_of(number)->status != status)
        fail_msg("clash %u is %s (%s), not %s", (unsigned)number,
                 graze_record_status_text(kept_of(number)->status), kept_of(number)->reason,
                 graze_record_status_text(status));
}

// --- One scene

static void same_scene_twice(void **state)
{
    (void)state;
    static revision r;
    test_random random = {1};
    told_list scratch, first, second;
    r = (revision){.metres_per_unit = 1};
    revision_fill(&r, &random, 60, 4);
    revision_check(&r, NULL, &scratch);
    assert_true(scratch.count > 20);
    graze_record_totals totals = revision_run(path, &r, NULL, &first);
    told_check_same(&scratch, &first);
    assert_int_equal(totals.run, 1);
    assert_int_equal(totals.objects_new, 60);
    assert_int_equal(totals.checked_count, totals.pair_count);
    assert_true(totals.statuses[GRAZE_RECORD_NEW] >= scratch.count);
    assert_int_equal(totals.statuses[GRAZE_RECORD_NEW], totals.found_new);
    read_kept(&kept);
    uint32_t count = kept.count;
    for (uint32_t i = 1; i < count; ++i) // the worst has the lowest number
        assert_true(kept.items[i - 1].clash.kind <= kept.items[i].clash.kind);
    totals = revision_run(path, &r, NULL, &second);
    told_check_same(&scratch, &second);
    assert_int_equal(totals.run, 2);
    assert_int_equal(totals.objects_same, 60);
    assert_int_equal(totals.checked_count, 0);
    assert_int_equal(totals.statuses[GRAZE_RECORD_ACTIVE], count);
    static kept_list before;
    before = kept;
    read_kept(&kept);
    for (uint32_t i = 0; i < count; ++i) {
        assert_string_equal(before.items[i].id, kept.items[i].id);
        assert_int_equal(kept.items[i].first_run, 1);
        assert_int_equal(kept.items[i].last_run, 2);
    }
    told_free(&scratch);
    told_free(&first);
    told_free(&second);
}

// --- Revisions

typedef struct change {
    bool moved[PARTS_MOST], added[PARTS_MOST], renamed[PARTS_MOST];
} change;

static uint32_t pick(const revision *r, test_random *random, const change *c)
{
    for (;;) {
        uint32_t i = (uint32_t)(test_next(random) % r->count);
        if (!r->parts[i].gone && !c->moved[i] && !c->added[i] && !c->renamed[i])
            return i;
    }
}

static void change_some(revision *r, test_random *random, change *c, uint32_t each, double cube)
{
    *c = (change){0};
    for (uint32_t i = 0; i < 2 * each; ++i) {
        uint32_t p = pick(r, random, c);
        c->moved[p] = true;
        for (int k = 0; k < 3; ++k)
            r->parts[p].at[k] += (double)(float)(0.6 * (test_unit(random) - 0.5));
    }
    for (uint32_t i = 0; i < each; ++i) {
        uint32_t p = pick(r, random, c);
        c->renamed[p] = true;
        snprintf(r->parts[p].name, sizeof r->parts[p].name, "renamed %u of %u", p, r->count);
        if (i % 2 == 0)
            snprintf(r->parts[p].group, sizeof r->parts[p].group, "plant/elsewhere");
    }
    for (uint32_t i = 0; i < each; ++i)
        r->parts[pick(r, random, c)].gone = true;
    uint32_t before = r->count;
    revision_fill(r, random, each, cube);
    for (uint32_t i = before; i < r->count; ++i)
        c->added[i] = true;
}

// The unresolved clashes of two parts, by their paths.
static uint32_t find_kept(const revision *r, uint32_t a, uint32_t b, const kept_clash *out[16])
{
    char x[200], y[200];
    uint32_t count = 0;
    snprintf(x, sizeof x, "%s/%s", r->parts[a].group, r->parts[a].name);
    snprintf(y, sizeof y, "%s/%s", r->parts[b].group, r->parts[b].name);
    for (uint32_t i = 0; i < kept.count && count < 16; ++i) {
        const kept_clash *at = &kept.items[i];
        if (at->status != GRAZE_RECORD_RESOLVED &&
            ((strcmp(at->a, x) == 0 && strcmp(at->b, y) == 0) ||
             (strcmp(at->a, y) == 0 && strcmp(at->b, x) == 0)))
            out[count++] = at;
    }
    return count;
}

static void check_revision(const revision *r, const change *c, const told_list *old,
                           const told_list *now, uint32_t run)
{
    uint32_t unresolved = 0;
    read_kept(&kept);
    for (uint32_t i = 0; i < now->count; ++i) {
        const told_clash *told = &now->items[i];
        const kept_clash *found[16];
        uint32_t count = find_kept(r, told->a, told->b, found);
        bool was = old != NULL && told_find(old, told->a, told->b) != NULL;
        bool still = !c->moved[told->a] && !c->moved[told->b];
        assert_true(count >= 1); // nothing is missing
        unresolved += count;
        for (uint32_t k = 0; k < count; ++k) {
            assert_int_equal(found[k]->last_run, run);
            assert_int_equal(found[k]->clash.kind, told->clash.kind);
            assert_true(found[k]->clash.depth_low == told->clash.depth_low &&
                        found[k]->clash.depth_high == told->clash.depth_high &&
                        found[k]->clash.length == told->clash.length);
            if (!was)
                assert_true(found[k]->status == GRAZE_RECORD_NEW ||
                            (found[k]->status == GRAZE_RECORD_ACTIVE && found[k]->first_run < run));
            else if (still)
                assert_int_equal(found[k]->status, GRAZE_RECORD_ACTIVE);
        }
    }
    for (uint32_t i = 0; i < kept.count; ++i) { // and nothing is there that should not be
        const kept_clash *at = &kept.items[i];
        if (at->status == GRAZE_RECORD_RESOLVED)
            continue;
        assert_int_not_equal(at->status, GRAZE_RECORD_NOT_RECHECKED);
        assert_int_not_equal(unresolved, 0);
        --unresolved;
    }
    assert_int_equal(unresolved, 0);
}

// Moving, deleting, adding and renaming, revision after revision. Statuses against checks from
// scratch, lists in every bit; and only pairs of what has moved or come are looked at.
static void revisions_of_a_plant(void **state)
{
    (void)state;
    static revision r;
    uint64_t pairs = 0, checked = 0;
    for (uint64_t seed = 1; seed <= TEST_CHANCES(5); ++seed) {
        test_random random = {seed};
        told_list old = {0}, now, list;
        change c = {0};
        r = (revision){.metres_per_unit = 1};
        unlink(path);
        revision_fill(&r, &random, 120, 6);
        for (uint32_t run = 1; run <= 5; ++run) {
            run_setup setup = {.threads = 1 + (uint32_t)(seed + run) % 2, .batch = run % 3 * 10};
            if (run > 1)
                change_some(&r, &random, &c, 4, 6);
            revision_check(&r, NULL, &now);
            graze_record_totals totals = revision_run(path, &r, &setup, &list);
            told_check_same(&now, &list);
            check_revision(&r, &c, run == 1 ? NULL : &old, &now, run);
            if (run > 1) {
                pairs += totals.pair_count;
                checked += totals.checked_count;
                assert_int_equal(totals.objects_renamed, 4);
                assert_int_equal(totals.objects_moved, 8);
                assert_int_equal(totals.objects_new, 4);
                assert_int_equal(totals.objects_gone, 4);
                assert_int_equal(totals.objects_changed, 0);
            }
            told_free(&list);
            told_free(&old);
            old = now;
        }
        told_free(&old);
    }
    // 12 of 120 objects take part: less than a quarter of all pairs.
    assert_true(checked > 0 && 4 * checked < pairs);
}

static void renaming_costs_nothing(void **state)
{
    (void)state;
    static revision r;
    test_random random = {7};
    r = (revision){.metres_per_unit = 1};
    revision_fill(&r, &random, 40, 3.5);
    (void)revision_run(path, &r, NULL, NULL);
    read_kept(&kept);
    static kept_list before;
    before = kept;
    for (uint32_t i = 0; i < r.count; ++i) {
        snprintf(r.parts[i].name, sizeof r.parts[i].name, "other %u", r.count - i);
        snprintf(r.parts[i].group, sizeof r.parts[i].group, "all/new");
    }
    graze_record_totals totals = revision_run(path, &r, NULL, NULL);
    assert_int_equal(totals.checked_count, 0);
    assert_int_equal(totals.objects_renamed, 40);
    assert_int_equal(totals.found_new, 0);
    read_kept(&kept);
    assert_int_equal(kept.count, before.count);
    for (uint32_t i = 0; i < kept.count; ++i) {
        assert_string_equal(kept.items[i].a_id, before.items[i].a_id);
        assert_int_equal(kept.items[i].status, GRAZE_RECORD_ACTIVE);
        assert_memory_equal(kept.items[i].a, "all/new/", 8);
    }
}

// Objects of one name have numbers; when one goes, the others are still who they are.
static void numbers_that_shift(void **state)
{
    (void)state;
    static revision r;
    r = (revision){.metres_per_unit = 1};
    for (uint32_t i = 0; i < 5; ++i) // the same box five times, each in a beam of its own
        revision_add(&r, "pipes", "pipe", 1, 1, 1, 5.0 * i, 0, 0);
    for (uint32_t i = 0; i < 5; ++i)
        revision_add(&r, "steel", "beam", 0.2, 0.2, 3 + 0.1 * i, 5.0 * i, 0.05 * i, 0);
    (void)revision_run(path, &r, NULL, NULL);
    read_kept(&kept);
    assert_int_equal(kept.count, 5);
    r.parts[0].gone = true;
    graze_record_totals totals = revision_run(path, &r, NULL, NULL);
    assert_int_equal(totals.objects_gone, 1);
    assert_int_equal(totals.objects_new, 0);
    assert_int_equal(totals.checked_count, 0);
    assert_int_equal(totals.found_new, 0);
    assert_int_equal(totals.resolved_count, 1);
    assert_int_equal(totals.statuses[GRAZE_RECORD_ACTIVE], 4);
}

// Objects in another order have the numbers that they had: what is known of a pair is turned round.
static void objects_in_another_order(void **state)
{
    (void)state;
    static revision r, turned;
    test_random random = {9};
    told_list scratch, list;
    graze_clash_def clash = graze_clash_def_default();
    run_setup setup = {.clash = &clash};
    clash.clearance = 0.3;
    r = (revision){.metres_per_unit = 1};
    revision_fill(&r, &random, 40, 4);
    revision_add(&r, "", "large", 2, 2, 2, 20, 0, 0);
    revision_add(&r, "", "inside of large", 0.5, 0.5, 0.5, 20, 0, 0);
    turned = r;
    for (uint32_t i = 0; i < r.count; ++i)
        turned.parts[i] = r.parts[r.count - 1 - i];
    (void)revision_run(path, &r, &setup, NULL);
    revision_check(&turned, &clash, &scratch);
    graze_record_totals totals = revision_run(path, &turned, &setup, &list);
    assert_int_equal(totals.checked_count, 0);
    assert_int_equal(totals.objects_same, 42);
    told_check_same(&scratch, &list);
    told_free(&scratch);
    told_free(&list);
}

// --- Approval

static void deeper_than_approved(void **state)
{
    (void)state;
    static revision r;
    graze_clash_def clash = graze_clash_def_default();
    run_setup setup = {.clash = &clash};
    clash.touch = 0.001;
    r = (revision){.metres_per_unit = 1};
    revision_add(&r, "", "wall", 1, 4, 4, 0, 0, 0);
    part *pipe = revision_add(&r, "", "pipe", 1, 0.5, 0.5, 0.98, 0, 0); // 20 mm in the wall
    (void)revision_run(path, &r, &setup, NULL);
    check_status(1, GRAZE_RECORD_NEW);
    say(1, GRAZE_RECORD_APPROVED, "agreed");
    (void)revision_run(path, &r, &setup, NULL);
    check_status(1, GRAZE_RECORD_APPROVED);
    pipe->at[0] = 0.9795; // deeper by half of touch
    (void)revision_run(path, &r, &setup, NULL);
    check_status(1, GRAZE_RECORD_APPROVED);
    pipe->at[0] = 0.9798; // creeping is held against what was approved
    (void)revision_run(path, &r, &setup, NULL);
    check_status(1, GRAZE_RECORD_APPROVED);
    pipe->at[0] = 0.99;
    (void)revision_run(path, &r, &setup, NULL);
    check_status(1, GRAZE_RECORD_APPROVED);
    pipe->at[0] = 0.975;
    graze_record_totals totals = revision_run(path, &r, &setup, NULL);
    check_status(1, GRAZE_RECORD_ACTIVE);
    assert_int_equal(totals.worse_count, 1);
    assert_non_null(strstr(kept_of(1)->reason, "deeper"));
    assert_int_equal(kept.count, 1);
    say(1, GRAZE_RECORD_APPROVED, NULL);
    (void)revision_run(path, &r, &setup, NULL);
    check_status(1, GRAZE_RECORD_APPROVED);
    // Creeping by less than touch each time.
    for (int i = 0; i < 2; ++i) {
        pipe->at[0] -= 0.0006;
        (void)revision_run(path, &r, &setup, NULL);
        check_status(1, i == 0 ? GRAZE_RECORD_APPROVED : GRAZE_RECORD_ACTIVE);
    }
    pipe->at[0] = 1.2; // apart
    (void)revision_run(path, &r, &setup, NULL);
    check_status(1, GRAZE_RECORD_RESOLVED);
    pipe->at[0] = 0.98;
    totals = revision_run(path, &r, &setup, NULL);
    check_status(1, GRAZE_RECORD_ACTIVE);
    assert_int_equal(totals.found_again, 1);
    say(1, GRAZE_RECORD_RESOLVED, "moved on site");
    check_status(1, GRAZE_RECORD_RESOLVED);
    (void)revision_run(path, &r, &setup, NULL); // saying so does not make it so
    check_status(1, GRAZE_RECORD_ACTIVE);
    say(1, GRAZE_RECORD_REVIEWED, NULL);
    (void)revision_run(path, &r, &setup, NULL);
    check_status(1, GRAZE_RECORD_REVIEWED);
}

// --- What nobody looked at

static graze_clash_rules *parse(graze_context *context, const char *text)
{
    graze_clash_rules *rules = NULL;
    assert_int_equal(graze_clash_rules_parse(context, "rules", text, strlen(text), 1, &rules),
                     GRAZE_OK);
    return rules;
}

static graze_record_totals run_by_rules(const revision *r, const char *text)
{
    graze_context *context = test_context(NULL);
    graze_clash_def clash = graze_clash_def_default();
    graze_clash_rules *rules = parse(context, text);
    run_setup setup = {.clash = &clash};
    clash.rules = rules;
    graze_record_totals totals = revision_run(path, r, &setup, NULL);
    graze_clash_rules_free(rules);
    test_context_done(context);
    return totals;
}

static void not_looked_at(void **state)
{
    (void)state;
    static const char all[] = "{}", kinds[] = "{\"ignore\": {\"kinds\": [\"overlap\"]}}",
                      pairs[] = "{\"ignore\": {\"pairs\": [[\"site/wall\", \"pipes/pipe\"]]}}",
                      sets[] = "{\"sets\": {\"w\": [\"site/*\"], \"p\": [\"pipes/*\"]}, \"rules\": "
                               "[{\"a\": \"w\", \"b\": \"p\"}]}";
    static revision r;
    r = (revision){.metres_per_unit = 1};
    revision_add(&r, "site", "wall", 1, 4, 4, 0, 0, 0);
    part *pipe = revision_add(&r, "pipes", "pipe", 1, 0.5, 0.5, 0.9, 0, 0);
    revision_add(&r, "site", "floor", 4, 4, 1, 20, 0, -2.4);
    (void)run_by_rules(&r, all);
    say(1, GRAZE_RECORD_APPROVED, NULL);
    (void)run_by_rules(&r, pairs);
    check_status(1, GRAZE_RECORD_NOT_RECHECKED);
    assert_int_equal(kept_of(1)->before, GRAZE_RECORD_APPROVED);
    (void)run_by_rules(&r, kinds);
    check_status(1, GRAZE_RECORD_NOT_RECHECKED);
    (void)run_by_rules(&r, all); // what it was comes back
    check_status(1, GRAZE_RECORD_APPROVED);
    (void)run_by_rules(&r, sets); // another rule has clashes of its own
    check_status(1, GRAZE_RECORD_NOT_RECHECKED);
    check_status(2, GRAZE_RECORD_NEW);
    (void)run_by_rules(&r, all);
    check_status(1, GRAZE_RECORD_APPROVED);
    check_status(2, GRAZE_RECORD_NOT_RECHECKED);
    pipe->gone = true; // all of its group: it may not have been in the files
    (void)run_by_rules(&r, all);
    check_status(1, GRAZE_RECORD_NOT_RECHECKED);
    assert_non_null(strstr(kept_of(1)->reason, "nothing of \"pipes\""));
    pipe->gone = false;
    (void)run_by_rules(&r, all);
    check_status(1, GRAZE_RECORD_APPROVED);
    revision_add(&r, "pipes", "other pipe", 2, 0.5, 0.5, 40, 0, 0);
    pipe->gone = true; // it alone
    (void)run_by_rules(&r, all);
    check_status(1, GRAZE_RECORD_RESOLVED);
    assert_non_null(strstr(kept_of(1)->reason, "not there any more"));
    pipe->gone = false;
    (void)run_by_rules(&r, all);
    check_status(1, GRAZE_RECORD_ACTIVE);
    pipe->at[0] = 9; // their boxes are far apart: nobody has to look
    (void)run_by_rules(&r, all);
    check_status(1, GRAZE_RECORD_RESOLVED);
    pipe->at[0] = 1.0; // touching
    (void)run_by_rules(&r, all);
    check_status(1, GRAZE_RECORD_RESOLVED);
    assert_int_equal(kept.count, 2);
}

// --- Places

// A bracket with two legs through a plate: two clashes of one pair.
static void two_places_of_a_pair(void **state)
{
    (void)state;
    static revision r;
    r = (revision){.metres_per_unit = 1};
    part *plate = revision_add(&r, "", "plate", 10, 10, 0.2, 0, 0, 0);
    part *bracket = &r.parts[r.count++];
    *bracket = (part){.name = "bracket", .at = {0, 0, 0}};
    revision_add_box(bracket, (double[]){-2, -0.1, -1}, (double[]){-1.8, 0.1, 1});
    revision_add_box(bracket, (double[]){1.8, -0.1, -1}, (double[]){2, 0.1, 1});
    revision_add_box(bracket, (double[]){-1.9, -0.05, 0.5}, (double[]){1.9, 0.05, 0.6});
    graze_record_totals totals = revision_run(path, &r, NULL, NULL);
    assert_int_equal(totals.found_new, 2);
    read_kept(&kept);
    uint64_t right = kept.items[0].place[0] > 0 ? 1 : 2, left = 3 - right;
    assert_true(fabs(kept_of(right)->place[0] - 1.9) < 0.05);
    assert_true(fabs(kept_of(left)->place[0] + 1.9) < 0.05);
    assert_string_not_equal(kept_of(1)->id, kept_of(2)->id);
    say(left, GRAZE_RECORD_REVIEWED, NULL);
    bracket->at[1] = 0.05; // moved a little
    totals = revision_run(path, &r, NULL, NULL);
    assert_int_equal(totals.found_new, 0);
    check_status(right, GRAZE_RECORD_ACTIVE);
    check_status(left, GRAZE_RECORD_REVIEWED);
    plate->at[0] = bracket->at[0] = 100; // all is moved at once
    totals = revision_run(path, &r, NULL, NULL);
    assert_int_equal(totals.found_new, 0);
    check_status(left, GRAZE_RECORD_REVIEWED);
    plate->at[0] = 106; // only the right leg goes through it
    (void)revision_run(path, &r, NULL, NULL);
    check_status(left, GRAZE_RECORD_RESOLVED);
    check_status(right, GRAZE_RECORD_ACTIVE);
    plate->at[0] = 94; // and now only the left one
    totals = revision_run(path, &r, NULL, NULL);
    check_status(left, GRAZE_RECORD_ACTIVE);
    check_status(right, GRAZE_RECORD_RESOLVED);
    assert_int_equal(totals.found_new, 0);
    // The first that is known of the two is at the left; what comes then is another one.
    unlink(path);
    (void)revision_run(path, &r, NULL, NULL);
    plate->at[0] = 106;
    (void)revision_run(path, &r, NULL, NULL);
    check_status(1, GRAZE_RECORD_RESOLVED);
    check_status(2, GRAZE_RECORD_NEW);
}

// --- Problems

static void a_pipe_through_beams(void **state)
{
    (void)state;
    static revision r;
    r = (revision){.metres_per_unit = 1};
    for (uint32_t i = 0; i < 10; ++i) {
        char name[32];
        snprintf(name, sizeof name, "beam %u", i);
        revision_add(&r, "steel", name, 0.2, 3 + 0.1 * i, 0.2, 2.0 * i, 0, 0);
    }
    revision_add(&r, "piping", "pipe", 30, 0.1, 0.1, 9, 0, 0);
    revision_add(&r, "piping", "other", 0.5, 0.1, 0.1, 4, 1, 0); // crosses one beam
    revision_add(&r, "rooms", "wall", 0.1, 1, 1, 23, 0, 0);      // the pipe goes through it, too
    (void)revision_run(path, &r, NULL, NULL);
    read_kept(&kept);
    uint32_t in_problem = 0;
    for (uint32_t i = 0; i < kept.count; ++i)
        if (kept.items[i].problem != 0) {
            assert_int_equal(kept.items[i].problem_count, 10);
            assert_string_equal(kept.items[i].b, "piping/pipe");
            ++in_problem;
        }
    assert_int_equal(in_problem, 10);
    assert_int_equal(kept.count, 12);
    uint64_t problem = 0;
    for (uint32_t i = 0; i < kept.count && problem == 0; ++i)
        problem = kept.items[i].problem;
    r.parts[0].gone = true;
    (void)revision_run(path, &r, NULL, NULL);
    read_kept(&kept);
    in_problem = 0;
    for (uint32_t i = 0; i < kept.count; ++i)
        if (kept.items[i].problem != 0) {
            assert_int_equal(kept.items[i].problem, problem); // it keeps its number
            assert_int_equal(kept.items[i].problem_count, 9);
            ++in_problem;
        }
    assert_int_equal(in_problem, 9);
}

// --- Ids

static void ids_of_ifc(void **state)
{
    (void)state;
    static revision r;
    r = (revision){.metres_per_unit = 1};
    revision_add(&r, "a", "IfcWall_Wall 1_2O2Fr$t4X7Zf8NOew3FNr2", 1, 4, 4, 0, 0, 0);
    revision_add(&r, "a", "IfcPipeSegment_P_0jf0rYHfX3RAB3bSIRjmp5", 1, 0.5, 0.5, 0.9, 0, 0);
    (void)revision_run(path, &r, NULL, NULL);
    read_kept(&kept);
    assert_string_equal(kept_of(1)->a_id, "2O2Fr$t4X7Zf8NOew3FNr2");
    assert_string_equal(kept_of(1)->b_id, "0jf0rYHfX3RAB3bSIRjmp5");
    // Another name, another group, another shape, another place: the id says that it is the same.
    part *pipe = &r.parts[1];
    snprintf(pipe->name, sizeof pipe->name, "IfcPipeFitting_Q_0jf0rYHfX3RAB3bSIRjmp5");
    snprintf(pipe->group, sizeof pipe->group, "b/c");
    pipe->box[0][5] += 0.05;
    pipe->at[1] += 0.05;
    graze_record_totals totals = revision_run(path, &r, NULL, NULL);
    assert_int_equal(totals.objects_new, 0);
    assert_int_equal(totals.objects_renamed, 1);
    check_status(1, GRAZE_RECORD_ACTIVE);
    assert_int_equal(kept.count, 1);
    // The same in all but the id is another one.
    snprintf(pipe->name, sizeof pipe->name, "IfcPipeFitting_Q_1jf0rYHfX3RAB3bSIRjmp5");
    totals = revision_run(path, &r, NULL, NULL);
    assert_int_equal(totals.objects_new, 1);
    assert_int_equal(totals.objects_gone, 1);
    check_status(2, GRAZE_RECORD_NEW);
}

// --- Threads

static void same_for_any_threads(void **state)
{
    (void)state;
    static revision r;
    char other[MODEL_PATH_BYTES];
    models_path(other, "other.sqlite");
    for (uint32_t threads = 2; threads <= 3; ++threads) {
        test_random random = {30 + threads};
        unlink(path);
        unlink(other);
        r = (revision){.metres_per_unit = 1};
        revision_fill(&r, &random, 80, 4.5);
        for (uint32_t run = 0; run < 3; ++run) {
            change c;
            run_setup one = {.threads = 1}, more = {.threads = threads, .batch = 7};
            (void)revision_run(path, &r, &one, NULL);
            (void)revision_run(other, &r, &more, NULL);
            change_some(&r, &random, &c, 3, 4.5);
        }
        record_check_same(path, other);
    }
    unlink(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_scene_twice, start, finish),
        cmocka_unit_test_setup_teardown(revisions_of_a_plant, start, finish),
        cmocka_unit_test_setup_teardown(renaming_costs_nothing, start, finish),
        cmocka_unit_test_setup_teardown(numbers_that_shift, start, finish),
        cmocka_unit_test_setup_teardown(objects_in_another_order, start, finish),
        cmocka_unit_test_setup_teardown(deeper_than_approved, start, finish),
        cmocka_unit_test_setup_teardown(not_looked_at, start, finish),
        cmocka_unit_test_setup_teardown(two_places_of_a_pair, start, finish),
        cmocka_unit_test_setup_teardown(a_pipe_through_beams, start, finish),
        cmocka_unit_test_setup_teardown(ids_of_ifc, start, finish),
        cmocka_unit_test_setup_teardown(same_for_any_threads, start, finish),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
