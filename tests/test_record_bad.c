// Files that are no records, or no sound ones, or not free: one sentence each, and nothing is
// changed. What is said in reviews, and what cannot be.
#include "test.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "revisions.h"
#include "scene/record/record_schema.h"

static char path[MODEL_PATH_BYTES], good[MODEL_PATH_BYTES];
static revision scene_parts;

static int make_good(void **state)
{
    test_random random = {5};
    if (models_enter(state) != 0)
        return 1;
    models_path(path, "review.sqlite");
    models_path(good, "good.sqlite");
    scene_parts = (revision){.metres_per_unit = 1};
    revision_fill(&scene_parts, &random, 30, 3);
    (void)revision_run(good, &scene_parts, NULL, NULL);
    scene_parts.parts[3].at[0] += 0.1;
    (void)revision_run(good, &scene_parts, NULL, NULL);
    return 0;
}

static int remove_good(void **state)
{
    unlink(good);
    unlink(path);
    return models_leave(state);
}

static void run_sql(const char *file, const char *text)
{
    sqlite3 *db = NULL;
    char *words = NULL;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    if (sqlite3_exec(db, text, NULL, NULL, &words) != SQLITE_OK)
        fail_msg("%s: %s", text, words);
    sqlite3_close(db);
}

// --- Asking

static graze_status ignore_clash(void *user, const graze_record_clash *clash)
{
    graze_record *open = user;
    (void)clash;
    (void)open;
    return GRAZE_OK;
}
static graze_status ignore_run(void *user, const graze_record_run *run)
{
    (void)user;
    (void)run;
    return GRAZE_OK;
}
static graze_status ignore_line(void *user, const char *line)
{
    (void)user;
    (void)line;
    return GRAZE_OK;
}

// Opens the file at the path, and asks for all of it. A run is made where it is opened for one.
static graze_status use_all(graze_record_use use)
{
    graze_context *context = test_context(NULL);
    graze_record *open = NULL;
    graze_scene *scene = NULL;
    uint64_t first = 1;
    graze_record_say say = graze_record_say_default();
    say.comment = "seen";
    graze_status status = graze_record_open(context, path, use, &open);
    if (status == GRAZE_OK)
        status = graze_record_each_run(open, ignore_run, NULL);
    if (status == GRAZE_OK)
        status = graze_record_each_clash(open, NULL, ignore_clash, NULL);
    if (status == GRAZE_OK)
        status = graze_record_each_found(open, ignore_clash, NULL);
    if (status == GRAZE_OK)
        status = graze_record_dump(open, ignore_line, NULL);
    if (status == GRAZE_OK && use != GRAZE_RECORD_READ)
        status = graze_record_review(open, &first, 1, &say);
    if (status == GRAZE_OK && use == GRAZE_RECORD_RUN) {
        scene = revision_open(context, &scene_parts);
        status = graze_record_check(open, scene, NULL, NULL, NULL, NULL, NULL);
    }
    graze_scene_free(scene);
    graze_record_close(open);
    assert_true(status == GRAZE_OK || test_last_error[0] != '\0');
    test_context_done(context);
    return status;
}

static void check_refused(graze_record_use use, graze_status expected, const char *words)
{
    uint64_t bytes = 0, bytes_now = 0;
    uint8_t *was = models_read_file(path, &bytes);
    graze_status status = use_all(use);
    if (status != expected || strstr(test_last_error, words) == NULL)
        fail_msg("status %d: %s", (int)status, test_last_error);
    uint8_t *now = models_read_file(path, &bytes_now);
    assert_int_equal(bytes, bytes_now);
    assert_memory_equal(was, now, bytes);
    test_free(was);
    test_free(now);
}

// --- No records

static void files_of_others(void **state)
{
    (void)state;
    unlink(path);
    run_sql(path, "CREATE TABLE songs(title TEXT); INSERT INTO songs VALUES('one');");
    for (uint32_t use = 0; use < 3; ++use)
        check_refused((graze_record_use)use, GRAZE_ERROR_FORMAT, "of another program");
    run_sql(path, "PRAGMA application_id=1234");
    check_refused(GRAZE_RECORD_RUN, GRAZE_ERROR_FORMAT, "of another program");
    models_write_text(path, "solid cube\nendsolid, and some more that is not a database at all\n");
    for (uint32_t use = 0; use < 3; ++use)
        check_refused((graze_record_use)use, GRAZE_ERROR_FORMAT, "not an SQLite database");
    models_write_text(path, "");
    check_refused(GRAZE_RECORD_READ, GRAZE_ERROR_FORMAT, "is empty");
    check_refused(GRAZE_RECORD_REVIEW, GRAZE_ERROR_FORMAT, "is empty");
    unlink(path);
    assert_int_equal(use_all(GRAZE_RECORD_READ), GRAZE_ERROR_IO);
    assert_int_equal(use_all(GRAZE_RECORD_REVIEW), GRAZE_ERROR_IO);
    assert_false(models_exists(path)); // nothing is made where nothing is
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(use_all(GRAZE_RECORD_RUN), GRAZE_ERROR_IO);
    assert_int_equal(rmdir(path), 0);
}

static void of_other_versions(void **state)
{
    (void)state;
    models_copy(good, path);
    run_sql(path, "PRAGMA user_version=99");
    for (uint32_t use = 0; use < 3; ++use)
        check_refused((graze_record_use)use, GRAZE_ERROR_UNSUPPORTED, "version 99");
    // Of version 1, with a clash in it: reading alone does not change it, a review does.
    unlink(path);
    run_sql(path, gz_record_steps[0]);
    run_sql(path, "PRAGMA application_id=1736077923; PRAGMA user_version=1;"
                  "INSERT INTO runs VALUES(1, 1, zeroblob(16), 'f', '0', 0, 0, 0.1, 0, 1, 2, 1, 1);"
                  "INSERT INTO rules VALUES(1, '*', '*');"
                  "INSERT INTO run_rules VALUES(1, 0, 1, 0, 0, 0);"
                  "INSERT INTO objects VALUES(1, 'a', 'made', 1), (2, 'b', 'made', 1);"
                  "INSERT INTO states SELECT object, 1, 1, id, id, '', NULL, 0, 0, zeroblob(96), "
                  "zeroblob(48) FROM objects;"
                  "INSERT INTO clashes VALUES(1, 'c', 1, 1, 2, 0,0,0, 0,0,0, 0,0,0, 1, 'approved', "
                  "'approved', '', 1, 1, 1, 1, '');"
                  "INSERT INTO occurrences VALUES(1, 1, 1, 3, 0, zeroblob(192));");
    check_refused(GRAZE_RECORD_READ, GRAZE_ERROR_UNSUPPORTED, "version 1");
    run_sql(path, "UPDATE occurrences SET answer = "
                  "CAST(zeroblob(140) || x'01000000' || zeroblob(48) AS BLOB)");
    assert_int_equal(use_all(GRAZE_RECORD_REVIEW), GRAZE_OK);
    assert_int_equal(use_all(GRAZE_RECORD_READ), GRAZE_OK);
    char *text = record_text(path);
    assert_non_null(strstr(text, "\"approved\""));
    assert_non_null(strstr(text, "problem="));
    free(text);
}

// --- Damage

static bool is_failure_of_files(graze_status status)
{
    return status == GRAZE_OK || status == GRAZE_ERROR_FORMAT || status == GRAZE_ERROR_IO ||
           status == GRAZE_ERROR_UNSUPPORTED || status == GRAZE_ERROR_ARGUMENT ||
           status == GRAZE_ERROR_SPACE;
}

static void damaged_bytes(void **state)
{
    (void)state;
    uint64_t bytes = 0, refused = 0;
    uint8_t *whole = models_read_file(good, &bytes), *copy = test_malloc(bytes);
    test_random random = {3};
    for (int i = 0; i < TEST_CHANCES(60); ++i) {
        memcpy(copy, whole, bytes);
        uint64_t at = test_next(&random) % bytes, length = 1 + test_next(&random) % 300;
        uint64_t end = i % 4 == 0 ? at : bytes; // some are cut off
        for (uint64_t k = at; i % 4 != 0 && k < bytes && k < at + length; ++k)
            copy[k] = (uint8_t)(i % 4 == 1 ? 0 : test_next(&random));
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(copy, 1, end, file), end);
        fclose(file);
        for (uint32_t use = 0; use < 3; ++use) {
            graze_status status = use_all((graze_record_use)use);
            if (!is_failure_of_files(status))
                fail_msg("chance %d: status %d, %s", i, (int)status, test_last_error);
            refused += status != GRAZE_OK;
        }
    }
    assert_true(refused > 3);
    test_free(whole);
    test_free(copy);
    // A page in the middle of the file, so that all looks well at first.
    models_copy(good, path);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, 4096 * 5, SEEK_SET), 0);
    for (int i = 0; i < 4096; ++i)
        fputc(0xa5, file);
    fclose(file);
    check_refused(GRAZE_RECORD_RUN, GRAZE_ERROR_FORMAT, "damaged");
    check_refused(GRAZE_RECORD_READ, GRAZE_ERROR_FORMAT, "damaged");
}

// Sound databases with rows that graze never writes.
static void rows_of_strangers(void **state)
{
    (void)state;
    static const char *const strange[] = {
        "UPDATE checked SET answer = zeroblob(192) WHERE answer IS NOT NULL",
        "UPDATE checked SET answer = x'00' WHERE answer IS NOT NULL",
        "UPDATE checked SET answer = randomblob(length(answer)) WHERE kind > 0",
        "UPDATE occurrences SET answer = zeroblob(3)",
        "UPDATE occurrences SET answer = randomblob(192)",
        "DELETE FROM occurrences",
        "PRAGMA foreign_keys=OFF; DELETE FROM states",
        "PRAGMA foreign_keys=OFF; DELETE FROM states WHERE object = 1",
        "PRAGMA foreign_keys=OFF; UPDATE clashes SET rule = 77",
        "PRAGMA foreign_keys=OFF; UPDATE clashes SET a = 1000000, b = 2000000",
        "PRAGMA foreign_keys=OFF; DELETE FROM objects WHERE object = 2",
        "PRAGMA ignore_check_constraints=ON; UPDATE clashes SET status = 'odd'",
        "PRAGMA ignore_check_constraints=ON; UPDATE states SET pose = x'00'",
        "PRAGMA ignore_check_constraints=ON; UPDATE checked SET kind = 99",
        "PRAGMA ignore_check_constraints=ON; UPDATE checked SET proof = x'00'",
        "DELETE FROM run_rules",
        "UPDATE runs SET complete = 0",
        "UPDATE runs SET run = 4000000000 WHERE run = 2",
        "DROP TABLE events",
        "DROP INDEX clashes_of_pairs",
    };
    for (size_t i = 0; i < sizeof strange / sizeof *strange; ++i) {
        models_copy(good, path);
        sqlite3 *db = NULL;
        assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
        sqlite3_exec(db, strange[i], NULL, NULL, NULL);
        sqlite3_close(db);
        for (uint32_t use = 0; use < 3; ++use) {
            graze_status status = use_all((graze_record_use)use);
            if (!is_failure_of_files(status))
                fail_msg("%s: status %d, %s", strange[i], (int)status, test_last_error);
        }
    }
}

// --- Others

// In a child process that says one byte when it is ready, and ends with its parent's pipe.
static pid_t hold_record(int *until, graze_record_use use)
{
    int ready[2], done[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(done), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        graze_context *context = NULL;
        graze_record *open = NULL;
        close(done[1]);
        if (graze_context_create(NULL, &context) != GRAZE_OK ||
            graze_record_open(context, path, use, &open) != GRAZE_OK)
            _exit(1);
        (void)!write(ready[1], "x", 1);
        (void)!read(done[0], &byte, 1);
        _exit(0); // as if it were killed: nothing is closed
    }
    close(ready[1]);
    close(done[0]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    *until = done[1];
    return child;
}

static void locked_by_a_run(void **state)
{
    (void)state;
    int until = -1, result = 0;
    models_copy(good, path);
    pid_t child = hold_record(&until, GRAZE_RECORD_RUN);
    for (uint32_t use = 0; use < 3; ++use)
        check_refused((graze_record_use)use, GRAZE_ERROR_IO, "another run");
    close(until);
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(use_all(GRAZE_RECORD_RUN), GRAZE_OK); // a process that ended holds nothing
    child = hold_record(&until, GRAZE_RECORD_READ);
    assert_int_equal(use_all(GRAZE_RECORD_REVIEW), GRAZE_OK); // readers are in nobody's way
    close(until);
    assert_int_equal(waitpid(child, &result, 0), child);
}

// Whoever comes first has it; the others are told so, or come later.
static void runs_at_once(void **state)
{
    (void)state;
    enum { RUNS = 3 };
    pid_t children[RUNS];
    uint32_t done = 0;
    unlink(path);
    for (int i = 0; i < RUNS; ++i) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            graze_context *context = NULL;
            graze_record *open = NULL;
            graze_status status = graze_context_create(NULL, &context);
            if (status == GRAZE_OK)
                status = graze_record_open(context, path, GRAZE_RECORD_RUN, &open);
            if (status == GRAZE_OK) {
                graze_scene *scene = NULL;
                char file[MODEL_PATH_BYTES + 20];
                snprintf(file, sizeof file, "%s.%d.glb", path, i);
                revision_write(&scene_parts, file);
                graze_scene_source source = {file, NULL, NULL};
                status = graze_scene_create(context, &scene);
                if (status == GRAZE_OK)
                    status = graze_scene_add_source(scene, &source, NULL);
                unlink(file);
                if (status == GRAZE_OK)
                    status = graze_record_check(open, scene, NULL, NULL, NULL, NULL, NULL);
                graze_scene_free(scene);
            }
            graze_record_close(open);
            _exit((int)status);
        }
    }
    for (int i = 0; i < RUNS; ++i) {
        int result = 0;
        assert_int_equal(waitpid(children[i], &result, 0), children[i]);
        assert_true(WIFEXITED(result));
        assert_true(WEXITSTATUS(result) == GRAZE_OK || WEXITSTATUS(result) == GRAZE_ERROR_IO);
        done += WEXITSTATUS(result) == GRAZE_OK;
    }
    assert_true(done >= 1);
    graze_record_totals totals = revision_run(path, &scene_parts, NULL, NULL);
    assert_int_equal(totals.run, done + 1); // each that said it was done is there
    assert_int_equal(totals.checked_count, 0);
}

// Files of somebody else, whom we may not disturb. Root may write everything.
static void read_only(void **state)
{
    (void)state;
    int result = 0;
    char *folder = strdup(path);
    *strrchr(folder, '/') = '\0';
    models_copy(good, path);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(folder, 0755), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(3);
        graze_context *context = NULL;
        graze_record *open = NULL;
        if (graze_context_create(NULL, &context) != GRAZE_OK)
            _exit(1);
        bool right =
            graze_record_open(context, path, GRAZE_RECORD_RUN, &open) == GRAZE_ERROR_IO &&
            strstr(graze_context_error(context), "cannot be written") != NULL &&
            graze_record_open(context, path, GRAZE_RECORD_REVIEW, &open) == GRAZE_ERROR_IO &&
            graze_record_open(context, path, GRAZE_RECORD_READ, &open) == GRAZE_OK &&
            graze_record_each_clash(open, NULL, ignore_clash, NULL) == GRAZE_OK;
        graze_record_close(open);
        graze_context_destroy(context);
        _exit(right ? 0 : 2);
    }
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_true(WEXITSTATUS(result) == 0 || WEXITSTATUS(result) == 3);
    chmod(folder, 0700);
    chmod(path, 0600);
    free(folder);
}

// --- Reviews

static graze_status note_event(void *user, const graze_record_event *event)
{
    char *out = user;
    size_t used = strlen(out);
    snprintf(out + used, 2000 - used, "%s/%u/%s/%d/%s/%s;", event->what, event->run, event->author,
             event->time != 0, event->from, event->to);
    return GRAZE_OK;
}

static void what_is_said(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_record *open = NULL;
    graze_record_say say = graze_record_say_default();
    uint64_t clashes[3] = {1, 2, 1000};
    char events[2000] = "";
    models_copy(good, path);
    assert_int_equal(graze_record_open(context, path, GRAZE_RECORD_REVIEW, &open), GRAZE_OK);
    say.status = GRAZE_RECORD_APPROVED;
    say.comment = "a, \"b\"\n=c";
    say.assign = "ben";
    say.author = "anna";
    say.time = 1234567890;
    char *was = record_text(path);
    assert_int_equal(graze_record_review(open, clashes, 3, &say), GRAZE_ERROR_ARGUMENT);
    assert_non_null(strstr(test_last_error, "no clash 1000"));
    char *now = record_text(path);
    assert_string_equal(was, now); // all of it, or nothing
    free(was);
    free(now);
    assert_int_equal(graze_record_review(open, clashes, 2, &say), GRAZE_OK);
    assert_int_equal(graze_record_each_event(open, 2, note_event, events), GRAZE_OK);
    assert_non_null(strstr(events, "status/0/anna/1/active/approved;assigned/0/anna/1//ben;"
                                   "comment/0/anna/1//a, \"b\"\n=c;"));
    assert_non_null(strstr(events, "status/1//1//new;status/2//1/new/active;"));
    say.status = GRAZE_RECORD_NEW;
    assert_int_equal(graze_record_review(open, clashes, 2, &say), GRAZE_ERROR_ARGUMENT);
    say.status = GRAZE_RECORD_NOT_RECHECKED;
    assert_int_equal(graze_record_review(open, clashes, 2, &say), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_record_review(open, NULL, 2, &say), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_record_review(open, clashes, 2, NULL), GRAZE_ERROR_ARGUMENT);
    graze_record_close(open);
    assert_int_equal(graze_record_open(context, path, GRAZE_RECORD_READ, &open), GRAZE_OK);
    say.status = GRAZE_RECORD_ACTIVE;
    assert_int_equal(graze_record_review(open, clashes, 2, &say), GRAZE_ERROR_ARGUMENT);
    graze_record_close(open);
    graze_record_close(NULL);
    assert_int_equal(graze_record_open(context, path, (graze_record_use)9, &open),
                     GRAZE_ERROR_ARGUMENT);
    assert_string_equal(graze_record_status_text((graze_record_status)9), "unknown");
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_others), cmocka_unit_test(of_other_versions),
        cmocka_unit_test(damaged_bytes),   cmocka_unit_test(rows_of_strangers),
        cmocka_unit_test(locked_by_a_run), cmocka_unit_test(runs_at_once),
        cmocka_unit_test(read_only),       cmocka_unit_test(what_is_said),
    };
    return cmocka_run_group_tests(tests, make_good, remove_good);
}
