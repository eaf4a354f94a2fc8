// Questions whose pages are read ahead of time: the same answers as without, within the limit,
// with hardly a wait; and where reading or memory fails, a page is damaged, the question is
// cancelled or the models are closed, nothing is left, and the sentence is the same.
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__) && defined(__x86_64__)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#define CAN_FORBID_THREADS 1
#endif

#include "base/context.h"
#include "base/knobs.h"
#include "model/page_cache.h"
#include "two_models.h"

static char terrain[MODEL_PATH_BYTES], grid[MODEL_PATH_BYTES];
static int errors; // that were logged
static char sentence[2048];

static void count_error(void *user, graze_log_level level, const char *text)
{
    (void)user;
    errors += level == GRAZE_LOG_ERROR;
    snprintf(sentence, sizeof sentence, "%s", text);
}

static graze_context_def ahead_def(uint64_t kib, uint32_t threads)
{
    graze_context_def def = graze_context_def_default();
    def.cache_byte_limit = kib << 10;
    def.thread_count = threads;
    return def;
}

static graze_context *ahead_context(const graze_context_def *def, bool late)
{
    graze_context *context = test_context(def);
    gz_knobs_for(context)->read_late = late;
    return context;
}

static void test_same_answers(void **state)
{
    (void)state;
    uint64_t first = 0;
    for (int late = 0; late < 2; ++late)
        for (uint64_t kib = 2048; kib <= 5120; kib += TEST_THREAD_SANITIZER ? 3072 : 1536)
            for (uint32_t threads = 1; threads <= 4; threads += 3) {
                graze_context_def def = ahead_def(kib, threads);
                graze_context *context = ahead_context(&def, late);
                two_models two;
                assert_int_equal(two_models_open(context, terrain, grid, &two), GRAZE_OK);
                uint64_t open = graze_context_memory(context).current_bytes, count = 0;
                assert_int_equal(two_models_count(&two, threads > 1, &count), GRAZE_OK);
                assert_true(count > 1000 && (first == 0 || count == first));
                first = count;
                graze_cache_use use = graze_model_cache_use(two.model[0]);
                uint64_t scratch = threads * (UINT64_C(512) << 10); // of pair queries
                assert_true(graze_context_memory(context).peak_bytes <=
                            open + use.limit_bytes + scratch);
                assert_true(use.reads + use.prefetched >= use.loads && use.loads > 0);
                if (late || kib == 2048) // where there is no room for it
                    assert_true(use.prefetched == 0 && use.reads == use.loads);
                if (!late && kib > 4096)
                    assert_true(use.prefetched > use.loads * 9 / 10 && use.reads < use.loads);
                two_models_close(&two);
                test_context_done(context);
            }
}

// The n-th read or allocation fails: the answer is right, or there is a sentence and then it is.
static void test_faults(void **state)
{
    (void)state;
    uint64_t want = 0;
    char cone[MODEL_PATH_BYTES], torus[MODEL_PATH_BYTES];
    two_models_write("cone", 9000, cone);
    two_models_write("torus", 9000, torus);
    for (int late = 0; late < 2; ++late)
        for (int reads = 0; reads < 2; ++reads) {
            bool reached = true;
            for (int64_t n = 0; reached; n += reads ? 1 : 1 + n / 8) {
                graze_context_def def = ahead_def(3072, 1);
                graze_context *context = ahead_context(&def, late);
                _Atomic int64_t *left = reads ? &gz_knobs_for(context)->reads_left
                                              : &gz_knobs_for(context)->allocations_left;
                two_models two;
                uint64_t count = 0;
                atomic_store(left, n);
                graze_status status = two_models_open(context, cone, torus, &two);
                bool open = status == GRAZE_OK;
                if (open)
                    status = two_models_count(&two, false, &count);
                reached = atomic_load(left) < 0;
                atomic_store(left, -1);
                assert_true(status == GRAZE_OK || test_last_error[0] != '\0');
                if (open && status != GRAZE_OK)
                    assert_int_equal(two_models_count(&two, false, &count), GRAZE_OK);
                want = want == 0 ? count : want;
                assert_true(!open || count == want);
                two_models_close(&two);
                test_context_done(context);
            }
        }
    unlink(cone);
    unlink(torus);
}

// What is wrong with a file that changed while it was open is said once, in the same words.
static void check_sentence(void (*change)(const char *path, const graze_model *model),
                           graze_status expected)
{
    char path[MODEL_PATH_BYTES], first[sizeof sentence] = "";
    models_path(path, "changed.graze");
    for (int late = 0; late < 2; ++late) {
        models_copy(terrain, path);
        graze_context_def def = ahead_def(8192, 1);
        def.log = count_error;
        graze_context *context = ahead_context(&def, late);
        two_models two;
        uint64_t count = 0;
        assert_int_equal(two_models_open(context, path, grid, &two), GRAZE_OK);
        change(path, two.model[0]);
        errors = 0;
        assert_int_equal(two_models_count(&two, false, &count), expected);
        assert_int_equal(errors, 1);
        if (first[0] == '\0')
            snprintf(first, sizeof first, "%s", sentence);
        assert_string_equal(sentence, first);
        two_models_close(&two);
        test_context_done(context);
        unlink(path);
    }
}

static void shorten(const char *path, const graze_model *model)
{
    assert_int_equal(truncate(path, (off_t)model->offsets[20] + 7), 0);
}

static void damage(const char *path, const graze_model *model)
{
    int file = open(path, O_WRONLY);
    assert_true(file >= 0);
    for (uint32_t i = 20; i < model->header.cluster_count; ++i)
        assert_int_equal(pwrite(file, "wrong", 5, (off_t)model->offsets[i] + 100), 5);
    close(file);
}

static void test_sentences(void **state)
{
    (void)state;
    check_sentence(shorten, GRAZE_ERROR_FORMAT);
    assert_non_null(strstr(sentence, "the file ends here"));
    check_sentence(damage, GRAZE_ERROR_FORMAT);
    assert_non_null(strstr(sentence, "the page is damaged"));
}

static int stop_after(void *user) { return (*(int *)user)-- <= 0; }

static void test_cancelling(void **state)
{
    (void)state;
    for (int patience = 0; patience < 3; ++patience) {
        int left = 1000000;
        graze_context_def def = ahead_def(4096, 1);
        def.user = &left;
        def.cancel = stop_after;
        graze_context *context = ahead_context(&def, false);
        two_models two;
        uint64_t count = 0;
        assert_int_equal(two_models_open(context, terrain, grid, &two), GRAZE_OK);
        left = patience;
        graze_status status = two_models_count(&two, false, &count);
        assert_true(status == GRAZE_ERROR_CANCELLED || (status == GRAZE_OK && patience > 0));
        two_models_close(&two);
        test_context_done(context);
    }
}

// A verdict is there long before the pages that were asked for, and the models close at once.
static void test_closing(void **state)
{
    (void)state;
    graze_pose still = graze_pose_identity(), moved = still;
    moved.translation[0] = 0.01;
    for (int turn = 0; turn < 10; ++turn) {
        graze_context_def def = ahead_def(8192, 1);
        graze_context *context = ahead_context(&def, false);
        two_models two;
        graze_answer answer;
        assert_int_equal(two_models_open(context, terrain, grid, &two), GRAZE_OK);
        assert_int_equal(graze_query_collide(two.query, graze_at(two.shape[0], &still),
                                             graze_at(two.shape[1], &moved), NULL, &answer),
                         GRAZE_OK);
        assert_int_equal(answer.verdict, GRAZE_CONTACT);
        gz_page_key wishes[30];
        for (uint32_t i = 0; i < 30; ++i)
            wishes[i] = gz_cluster_key(two.model[i % 2], 5 + i);
        gz_cache_read_ahead(two.model[0]->cache, wishes, wishes, 30);
        if (turn % 2 != 0)
            gz_cache_stop_ahead(two.model[0]->cache, wishes);
        two_models_close(&two);
        test_context_done(context);
    }
}

static void pin_all(gz_cache_reservation *reservation, graze_model *model, uint32_t first)
{
    const gz_tree *tree;
    for (uint32_t i = first; i < model->header.cluster_count; ++i) {
        assert_int_equal(gz_cache_pin(reservation, gz_cluster_key(model, i), &tree), GRAZE_OK);
        gz_cache_unpin(reservation, tree);
    }
}

// Pages take room from trees from the moment that they are asked for, until they are given up.
static void test_room_for_pages(void **state)
{
    (void)state;
    gz_page_key wishes[30];
    graze_context_def def = ahead_def(3072, 1);
    graze_context *context = ahead_context(&def, false);
    two_models two;
    assert_int_equal(two_models_open(context, terrain, grid, &two), GRAZE_OK);
    gz_cache *cache = two.model[0]->cache;
    for (uint32_t i = 0; i < 30; ++i)
        wishes[i] = gz_cluster_key(two.model[0], i);
    uint64_t before = graze_context_memory(context).current_bytes;
    gz_cache_read_ahead(cache, wishes, wishes, 30);
    uint64_t pages = graze_model_cache_use(two.model[0]).bytes_read, now = 0;
    assert_true(pages != 0);
    gz_cache_stop_ahead(cache, wishes);
    for (int i = 0; i < 600000 && (now = graze_context_memory(context).current_bytes) != before;
         ++i) {
        gz_cache_read_ahead(cache, wishes, wishes, 0); // looks at what has arrived
        usleep(1000);
    }
    assert_int_equal(now, before);
    gz_cache_read_ahead(cache, wishes, wishes, 30);
    gz_cache_reservation *reservation = gz_cache_reserve(cache);
    pin_all(reservation, two.model[1], 0);
    pin_all(reservation, two.model[0], 30);
    uint64_t trees = graze_model_cache_use(two.model[0]).current_bytes;
    assert_true(trees + pages + GZ_CACHE_RESERVED_BYTES <= def.cache_byte_limit);
    pin_all(reservation, two.model[0], 0); // takes them
    pin_all(reservation, two.model[1], 0);
    trees = graze_model_cache_use(two.model[0]).current_bytes;
    assert_true(trees + pages + GZ_CACHE_RESERVED_BYTES > def.cache_byte_limit);
    gz_cache_release(reservation);
    two_models_close(&two);
    test_context_done(context);
}

#ifdef CAN_FORBID_THREADS
static bool forbid_threads(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1), // EPERM
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof rules / sizeof *rules, .filter = rules};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// In a process of its own. 0 if the answer came, and nothing was read ahead.
static int ask_without_threads(void)
{
    if (!forbid_threads())
        return 0;
    alarm(60); // who waits for pages that nobody reads waits in vain
    graze_context_def def = ahead_def(8192, 1);
    graze_context *context = ahead_context(&def, false);
    two_models two;
    uint64_t count = 0;
    if (two_models_open(context, terrain, grid, &two) != GRAZE_OK ||
        two_models_count(&two, false, &count) != GRAZE_OK || count < 1000)
        return 2;
    if (graze_model_cache_use(two.model[0]).prefetched != 0)
        return 3;
    two_models_close(&two);
    test_context_done(context);
    return 0;
}

static void test_where_threads_are_forbidden(void **state)
{
    (void)state;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(ask_without_threads());
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}
#endif

static int set_up(void **state)
{
    if (models_enter(state) != 0)
        return 1;
    two_models_write("terrain", 40000, terrain); // in contact nearly everywhere
    two_models_write("grid", 40000, grid);
    return 0;
}

static int tear_down(void **state)
{
    unlink(terrain);
    unlink(grid);
    return models_leave(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_answers),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_cancelling),
        cmocka_unit_test(test_closing),
        cmocka_unit_test(test_room_for_pages),
#ifdef CAN_FORBID_THREADS
        cmocka_unit_test(test_where_threads_are_forbidden),
#endif
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
