// Records when all goes wrong: killed in the middle of any write, a disk that is full or cannot be
// read, a run that is cancelled, memory that ends. Nothing is lost, and when the same check runs
// again, the record is the same as if nothing had happened, line by line.
#include "test.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/knobs.h"
#include "broken_disk.h"
#include "faults.h"
#include "revisions.h"

#define BATCH 16

static char path[MODEL_PATH_BYTES], before[MODEL_PATH_BYTES], expected[MODEL_PATH_BYTES],
    old_scene[MODEL_PATH_BYTES], new_scene[MODEL_PATH_BYTES];

// --- One run, which may fail

typedef struct attempt {
    const char *scene;
    int64_t cancel_after; // checks of whether to go on; 0: never
    uint32_t threads;
} attempt;

// By any thread.
static int count_down(void *user)
{
    _Atomic int64_t *left = user;
    return atomic_fetch_sub(left, 1) == 1;
}

static graze_status run_with(graze_context *context, const char *scene_path,
                             const char *record_path)
{
    graze_scene *scene = NULL;
    graze_record *open = NULL;
    graze_scene_source source = {scene_path, NULL, NULL};
    graze_record_check_def def = graze_record_check_def_default();
    def.files = "plant.glb";
    graze_status status = graze_record_open(context, record_path, GRAZE_RECORD_RUN, &open);
    if (status == GRAZE_OK)
        status = graze_scene_create(context, &scene);
    if (status == GRAZE_OK)
        status = graze_scene_add_source(scene, &source, NULL);
    if (status == GRAZE_OK)
        status = graze_record_check(open, scene, &def, NULL, NULL, NULL, NULL);
    graze_scene_free(scene);
    graze_record_close(open);
    return status;
}

static graze_status try_run(const attempt *a)
{
    _Atomic int64_t left = a->cancel_after;
    graze_context_def settings = graze_context_def_default();
    settings.thread_count = a->threads == 0 ? 1 : a->threads;
    settings.user = &left;
    settings.cancel = count_down;
    graze_context *context = NULL;
    if (graze_context_create(&settings, &context) != GRAZE_OK)
        return GRAZE_ERROR_MEMORY;
    gz_knobs_for(context)->record_batch = BATCH;
    graze_status status = run_with(context, a->scene, path);
    if (status != GRAZE_OK && graze_context_error(context)[0] == '\0')
        status = GRAZE_ERROR_ARGUMENT; // no sentence: none of the tests below wants this
    graze_context_destroy(context);
    return status;
}

static graze_status note_run(void *user, const graze_record_run *run)
{
    *(graze_record_run *)user = *run;
    return GRAZE_OK;
}

// Opening it alone takes back what was half written.
static graze_record_run last_run(void)
{
    graze_context *context = test_context(NULL);
    graze_record *open = NULL;
    graze_record_run run = {0};
    assert_int_equal(graze_record_open(context, path, GRAZE_RECORD_RUN, &open), GRAZE_OK);
    assert_int_equal(graze_record_each_run(open, note_run, &run), GRAZE_OK);
    graze_record_close(open);
    test_context_done(context);
    return run;
}

// Two revisions, a record of the first, and what comes of the second.
static int make_all(void **state)
{
    static revision r;
    test_random random = {11};
    if (models_enter(state) != 0)
        return 1;
    models_path(path, "review.sqlite");
    models_path(before, "before.sqlite");
    models_path(expected, "expected.sqlite");
    models_path(old_scene, "old.glb");
    models_path(new_scene, "new.glb");
    r = (revision){.metres_per_unit = 1};
    revision_fill(&r, &random, 36, 3.2);
    revision_write(&r, old_scene);
    for (uint32_t i = 0; i < r.count; i += 2)
        r.parts[i].at[i / 2 % 3] += 0.11;
    r.parts[5].gone = r.parts[17].gone = true;
    snprintf(r.parts[7].name, sizeof r.parts[7].name, "other");
    revision_write(&r, new_scene);
    broken_disk_install();
    attempt first = {.scene = old_scene}, second = {.scene = new_scene};
    assert_int_equal(try_run(&first), GRAZE_OK);
    models_copy(path, before);
    assert_int_equal(try_run(&second), GRAZE_OK);
    models_copy(path, expected);
    return 0;
}

static int remove_all(void **state)
{
    const char *const files[] = {path, before, expected, old_scene, new_scene};
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i)
        unlink(files[i]);
    return models_leave(state);
}

static int64_t count_operations(disk_fault fault)
{
    attempt second = {.scene = new_scene};
    models_copy(before, path);
    broken_disk_break(fault, INT64_MAX / 2);
    assert_int_equal(try_run(&second), GRAZE_OK);
    return broken_disk_mend();
}

// --- Killed

static void killed_in_any_write(void **state)
{
    (void)state;
    test_of_one_thread();
    attempt second = {.scene = new_scene};
    uint64_t partial = 0, killed = 0;
    int64_t count = count_operations(DISK_KILLS), step = TEST_SANITIZED ? 29 : 6;
    assert_true(count > 50);
    for (int64_t n = 0; n < count; n += n + step < count ? step : 1) {
        models_copy(before, path);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            broken_disk_break(DISK_KILLS, n);
            _exit(try_run(&second) == GRAZE_OK ? 0 : 1);
        }
        int result = 0;
        assert_int_equal(waitpid(child, &result, 0), child);
        assert_true(WIFSIGNALED(result) && WTERMSIG(result) == SIGKILL);
        ++killed;
        graze_record_run run = last_run();
        assert_true(run.run == 1 || run.run == 2);
        partial += run.run == 2 && run.complete == 0 && run.checked_count > 0;
        if (run.run == 1 || run.complete == 0)
            assert_int_equal(try_run(&second), GRAZE_OK);
        record_check_same(path, expected);
    }
    assert_true(killed >= 4 && partial >= 2);
}

// The same where the record is only being made.
static void killed_while_it_is_made(void **state)
{
    (void)state;
    test_of_one_thread();
    attempt first = {.scene = old_scene};
    unlink(path);
    broken_disk_break(DISK_KILLS, INT64_MAX / 2);
    assert_int_equal(try_run(&first), GRAZE_OK);
    int64_t count = broken_disk_mend(), step = TEST_SANITIZED ? 31 : 7;
    for (int64_t n = 0; n < count; n += step) {
        unlink(path);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            broken_disk_break(DISK_KILLS, n);
            _exit(try_run(&first) == GRAZE_OK ? 0 : 1);
        }
        int result = 0;
        assert_int_equal(waitpid(child, &result, 0), child);
        graze_record_run run = last_run();
        if (run.complete == 0)
            assert_int_equal(try_run(&first), GRAZE_OK);
        record_check_same(path, before);
    }
}

// --- Disks

static void sweep_disk(disk_fault fault, int64_t step)
{
    attempt second = {.scene = new_scene};
    int64_t count = count_operations(fault);
    uint64_t kept = 0;
    for (int64_t n = 0; n < count; n += step) {
        models_copy(before, path);
        broken_disk_break(fault, n);
        graze_status status = try_run(&second);
        broken_disk_mend();
        if (status != GRAZE_OK) {
            if (status != (fault == DISK_FULL ? GRAZE_ERROR_SPACE : GRAZE_ERROR_IO) &&
                status != GRAZE_ERROR_IO)
                fail_msg("operation %d: status %d", (int)n, (int)status);
            graze_record_run run = last_run();
            kept += run.run == 2 && run.checked_count != 0;
            if (run.run == 1 || run.complete == 0)
                assert_int_equal(try_run(&second), GRAZE_OK);
        }
        record_check_same(path, expected);
    }
    if (fault == DISK_FULL)
        assert_true(kept > 2);
}

static void full_at_any_write(void **state)
{
    (void)state;
    test_of_one_thread();
    sweep_disk(DISK_FULL, TEST_SANITIZED ? 29 : 6);
}

static void unreadable_at_any_read(void **state)
{
    (void)state;
    test_of_one_thread();
    sweep_disk(DISK_UNREADABLE, TEST_SANITIZED ? 37 : 11);
}

// --- Cancelled

static graze_status count_found(void *user, const graze_record_clash *clash)
{
    assert_int_equal(clash->number, 0);
    ++*(uint64_t *)user;
    return GRAZE_OK;
}

static uint64_t found_so_far(void)
{
    graze_context *context = test_context(NULL);
    graze_record *open = NULL;
    uint64_t found = 0;
    assert_int_equal(graze_record_open(context, path, GRAZE_RECORD_READ, &open), GRAZE_OK);
    assert_int_equal(graze_record_each_found(open, count_found, &found), GRAZE_OK);
    graze_record_close(open);
    test_context_done(context);
    return found;
}

// A run is cancelled again and again, and gets a little farther each time, on one thread or two.
static void cancelled_again_and_again(void **state)
{
    (void)state;
    uint64_t rounds = 0, found = 0, checked = 0;
    graze_status status = GRAZE_ERROR_CANCELLED;
    models_copy(before, path);
    for (; status != GRAZE_OK; ++rounds) {
        attempt a = {.scene = new_scene,
                     .cancel_after = 12 + (int64_t)rounds * 2,
                     .threads = 1 + (uint32_t)rounds % 2};
        status = try_run(&a);
        assert_true(status == GRAZE_OK || status == GRAZE_ERROR_CANCELLED);
        graze_record_run run = last_run();
        if (run.run < 2)
            continue; // cancelled before it began
        assert_true(run.checked_count >= checked);
        checked = run.checked_count;
        if (status != GRAZE_OK) {
            assert_true(found_so_far() >= found);
            found = found_so_far();
        }
    }
    assert_true(rounds > 3 && found > 0);
    record_check_same(path, expected);
}

typedef struct tally {
    uint64_t by_status[GRAZE_RECORD_STATUSES], of_run;
    uint32_t run;
} tally;

static graze_status tally_clash(void *user, const graze_record_clash *clash)
{
    tally *t = user;
    t->by_status[clash->status]++;
    t->of_run += clash->last_run == t->run;
    return GRAZE_OK;
}

static tally take_tally(uint32_t run)
{
    graze_context *context = test_context(NULL);
    graze_record *open = NULL;
    tally t = {.run = run};
    assert_int_equal(graze_record_open(context, path, GRAZE_RECORD_READ, &open), GRAZE_OK);
    assert_int_equal(graze_record_each_clash(open, NULL, tally_clash, &t), GRAZE_OK);
    graze_record_close(open);
    test_context_done(context);
    return t;
}

static uint64_t count_resolved_by_two(void)
{
    uint64_t count = 0;
    char *text = record_text(path), *rest = text;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        count += strncmp(line, "events ", 7) == 0 && strstr(line, " run=2 ") != NULL &&
                 strstr(line, "now=\"resolved\"") != NULL;
    free(text);
    return count;
}

// A partial run that does not go on is kept for what it found: the next run is another one.
static void another_run_comes_between(void **state)
{
    (void)state;
    attempt second = {.scene = new_scene, .cancel_after = 1}, first = {.scene = old_scene};
    models_copy(before, path);
    tally was = take_tally(1);
    for (;; second.cancel_after += 2) {
        assert_int_equal(try_run(&second), GRAZE_ERROR_CANCELLED);
        graze_record_run run = last_run();
        if (run.run == 2 && run.checked_count > 3 && found_so_far() > 0)
            break;
    }
    uint64_t looked_at = last_run().checked_count;
    assert_true(2 * looked_at < was.by_status[GRAZE_RECORD_NEW]); // so few that it matters
    assert_int_equal(try_run(&first), GRAZE_OK);                  // run 3, of the scene of run 1
    graze_record_run run = last_run();
    assert_int_equal(run.run, 3);
    assert_int_equal(run.complete, 1);
    // Pairs that the partial run had asked about are asked again, and no others.
    assert_true(run.checked_count > 0 && run.checked_count < run.pair_count);
    tally now = take_tally(3);
    assert_int_equal(now.of_run, was.of_run); // the same scene has the same clashes
    assert_int_equal(now.by_status[GRAZE_RECORD_ACTIVE], was.by_status[GRAZE_RECORD_NEW]);
    assert_int_equal(found_so_far(), 0);
    assert_true(count_resolved_by_two() <= looked_at); // nobody has looked at the others
}

// --- Memory

static graze_status make_record(graze_context *context, void *data)
{
    (void)data;
    char made[MODEL_PATH_BYTES];
    models_path(made, "made.sqlite");
    graze_status status = run_with(context, old_scene, made);
    unlink(made);
    return status;
}

static void memory_ends(void **state)
{
    (void)state;
    test_of_one_thread();
    assert_true(test_all_faults(make_record, NULL, TEST_SANITIZED ? 97 : 23) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_in_any_write),
        cmocka_unit_test(killed_while_it_is_made),
        cmocka_unit_test(full_at_any_write),
        cmocka_unit_test(unreadable_at_any_read),
        cmocka_unit_test(cancelled_again_and_again),
        cmocka_unit_test(another_run_comes_between),
        cmocka_unit_test(memory_ends),
    };
    return cmocka_run_group_tests(tests, make_all, remove_all);
}
