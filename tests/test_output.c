// Files that are written aside and take their name when complete: what a process leaves behind that
// is killed, at the worst moments, and what becomes of it. The calls that matter are caught here,
// since the library is linked into this program.
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

static bool die_at_rename, no_unnamed_files;

int rename(const char *from, const char *to);
int rename(const char *from, const char *to)
{
    if (die_at_rename)
        kill(getpid(), SIGKILL);
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

// O_TMPFILE as a file system has it that does not know it.
static int open_it(const char *path, int flags, mode_t mode)
{
    if (no_unnamed_files && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
    va_end(list);
    return open_it(path, flags, mode);
}

static char folder[200];

static int enter(void **state)
{
    (void)state;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.150s/graze.XXXXXX", parent != NULL ? parent : "/tmp");
    die_at_rename = no_unnamed_files = false;
    return mkdtemp(folder) == NULL;
}

static int leave(void **state)
{
    (void)state;
    return rmdir(folder); // fails if anything is left
}

static const char *at(const char *name)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

// All names in the folder, sorted, with a blank behind each.
static const char *names(void)
{
    static char text[1000];
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, NULL, alphasort);
    assert_true(count >= 0);
    text[0] = '\0';
    for (int i = 0; i < count; ++i) {
        if (strcmp(entries[i]->d_name, ".") != 0 && strcmp(entries[i]->d_name, "..") != 0)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s ", entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return text;
}

static void check_content(const char *name, const char *content)
{
    char text[100] = "";
    FILE *file = fopen(at(name), "rb");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_string_equal(text, content);
}

static graze_status write_it(const char *name, const char *content)
{
    graze_context *context = test_context(NULL);
    gz_output *output = NULL;
    graze_status status = gz_output_create(context, at(name), &output);
    if (status == GRAZE_OK) {
        status = gz_output_write(output, content, strlen(content));
        if (status == GRAZE_OK)
            status = gz_output_commit(output);
        else
            gz_output_abandon(output);
    }
    test_context_done(context);
    return status;
}

// Writes in a process of its own, which is killed when it is about to give the file its name, or
// when it has written all.
static void write_and_die(const char *name, const char *content, bool at_rename)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        graze_context *context = NULL;
        gz_output *output = NULL;
        die_at_rename = at_rename;
        if (graze_context_create(NULL, &context) == GRAZE_OK &&
            gz_output_create(context, at(name), &output) == GRAZE_OK &&
            gz_output_write(output, content, strlen(content)) == GRAZE_OK &&
            gz_output_flush(output) == GRAZE_OK) {
            if (!at_rename)
                kill(getpid(), SIGKILL);
            (void)gz_output_commit(output);
        }
        _exit(1);
    }
    int result = 0;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFSIGNALED(result) && WTERMSIG(result) == SIGKILL);
}

static void killed_while_it_takes_its_name(void **state)
{
    (void)state;
    assert_int_equal(write_it("k.ply", "old"), GRAZE_OK);
    assert_string_equal(names(), "k.ply ");
    for (int again = 0; again < 2; ++again) {
        write_and_die("k.ply", "half", true);
        check_content("k.ply", "old");
        assert_string_equal(names(), ".k.ply.graze-part k.ply ");
    }
    // Of another file it is none of our business.
    assert_int_equal(write_it("other.ply", "other"), GRAZE_OK);
    assert_string_equal(names(), ".k.ply.graze-part k.ply other.ply ");
    assert_int_equal(write_it("k.ply", "new"), GRAZE_OK);
    check_content("k.ply", "new");
    assert_string_equal(names(), "k.ply other.ply ");
    // The file itself was removed in between.
    write_and_die("k.ply", "half", true);
    unlink(at("k.ply"));
    assert_int_equal(write_it("k.ply", "newer"), GRAZE_OK);
    check_content("k.ply", "newer");
    assert_string_equal(names(), "k.ply other.ply ");
    unlink(at("k.ply"));
    unlink(at("other.ply"));
}

static void killed_before_that_leaves_nothing(void **state)
{
    (void)state;
    write_and_die("k.ply", "half", false);
    assert_string_equal(names(), "");
    assert_int_equal(write_it("k.ply", "old"), GRAZE_OK);
    write_and_die("k.ply", "half", false);
    assert_string_equal(names(), "k.ply ");
    check_content("k.ply", "old");
    unlink(at("k.ply"));
}

static void where_files_need_names(void **state)
{
    (void)state;
    no_unnamed_files = true;
    for (int at_rename = 0; at_rename < 2; ++at_rename) {
        write_and_die("k.ply", "half", at_rename);
        assert_string_equal(names(), ".k.ply.graze-part ");
        assert_int_equal(write_it("k.ply", "n"), GRAZE_OK);
        assert_string_equal(names(), "k.ply ");
        check_content("k.ply", "n"); // nothing is left of what was there before
        write_and_die("k.ply", "half", at_rename);
        check_content("k.ply", "n");
        assert_int_equal(write_it("k.ply", "new"), GRAZE_OK);
        assert_string_equal(names(), "k.ply ");
        unlink(at("k.ply"));
    }
    // Two at once do not get in each other's way.
    graze_context *context = test_context(NULL);
    gz_output *first = NULL, *second = NULL;
    assert_int_equal(gz_output_create(context, at("k.ply"), &first), GRAZE_OK);
    assert_int_equal(gz_output_write(first, "first", 5), GRAZE_OK);
    assert_int_equal(gz_output_flush(first), GRAZE_OK);
    assert_int_equal(gz_output_create(context, at("k.ply"), &second), GRAZE_OK);
    assert_int_equal(gz_output_write(second, "second", 6), GRAZE_OK);
    assert_int_equal(gz_output_commit(first), GRAZE_OK);
    check_content("k.ply", "first");
    assert_int_equal(gz_output_commit(second), GRAZE_OK);
    check_content("k.ply", "second");
    assert_string_equal(names(), "k.ply ");
    assert_int_equal(gz_output_create(context, at("k.ply"), &first), GRAZE_OK);
    gz_output_abandon(first);
    assert_string_equal(names(), "k.ply ");
    test_context_done(context);
    unlink(at("k.ply"));
}

// Names that only look like left-overs, or that cannot be used, do no harm.
static void names_that_are_taken(void **state)
{
    (void)state;
    for (int named = 0; named < 2; ++named) {
        no_unnamed_files = named == 1;
        FILE *file = fopen(at("victim"), "wb");
        assert_true(file != NULL && fputs("keep me", file) >= 0 && fclose(file) == 0);
        assert_int_equal(symlink("victim", at(".k.ply.graze-part")), 0);
        assert_int_equal(write_it("k.ply", "old"), GRAZE_OK);
        assert_int_equal(write_it("k.ply", "new"), GRAZE_OK);
        check_content("k.ply", "new");
        check_content("victim", "keep me");
        unlink(at("victim"));
        assert_int_equal(write_it("k.ply", "newer"), GRAZE_OK); // the link leads nowhere
        assert_string_equal(names(), ".k.ply.graze-part k.ply ");
        unlink(at(".k.ply.graze-part"));
        unlink(at("k.ply"));
    }
}

// Processes that write one file at the same time: it is always whole, and nothing else is left.
static void many_write_one_file(void **state)
{
    (void)state;
    static const char *const contents[] = {"aaaaaaaaaaaaaaaa", "bb", "cccccccc"};
    for (int named = 0; named < 2; ++named) {
        no_unnamed_files = named == 1;
        pid_t children[3];
        for (int i = 0; i < 3; ++i) {
            children[i] = fork();
            assert_true(children[i] >= 0);
            if (children[i] == 0) {
                for (int k = 0; k < 100; ++k)
                    if (write_it("k.ply", contents[i]) != GRAZE_OK)
                        _exit(1);
                _exit(0);
            }
        }
        for (int i = 0; i < 3; ++i) {
            int result = 0;
            assert_int_equal(waitpid(children[i], &result, 0), children[i]);
            assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
        }
        char text[100] = "";
        FILE *file = fopen(at("k.ply"), "rb");
        assert_true(file != NULL && fgets(text, sizeof text, file) != NULL);
        fclose(file);
        assert_true(strcmp(text, contents[0]) == 0 || strcmp(text, contents[1]) == 0 ||
                    strcmp(text, contents[2]) == 0);
        assert_string_equal(names(), "k.ply ");
        unlink(at("k.ply"));
    }
}

static void what_cannot_be_replaced(void **state)
{
    (void)state;
    assert_int_equal(mkdir(at("taken"), 0700), 0);
    for (int named = 0; named < 2; ++named) {
        no_unnamed_files = named == 1;
        assert_int_equal(write_it("taken", "x"), GRAZE_ERROR_IO);
        assert_non_null(strstr(test_last_error, "taken: cannot "));
        assert_string_equal(names(), "taken ");
    }
    rmdir(at("taken"));
}

int main(void)
{
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, leave)
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(killed_while_it_takes_its_name),
        IN_A_FOLDER(killed_before_that_leaves_nothing),
        IN_A_FOLDER(where_files_need_names),
        IN_A_FOLDER(names_that_are_taken),
        IN_A_FOLDER(many_write_one_file),
        IN_A_FOLDER(what_cannot_be_replaced),
    };
    return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
