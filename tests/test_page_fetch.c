// Pages that are read ahead of time: the bytes of the file, within the limit, each run gone when it
// is over, and nothing lost where something fails, is given up or closed meanwhile.
#include "test.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/context.h"
#include "base/knobs.h"
#include "model/page_cache.h"
#include "two_models.h"

enum { LIMIT = 400000, HELPERS = 3 };

static char path[MODEL_PATH_BYTES];

// A fetch of its own, beside the cache that the model has.
typedef struct scene {
    graze_context *context;
    graze_model *model;
    uint8_t *file; // its bytes
    uint64_t file_bytes;
    pthread_mutex_t lock;
    pthread_cond_t change;
    gz_fetch fetch;
    gz_page_key wishes[GZ_FETCH_WISHES];
} scene;

// False where the file system does not read directly.
static bool enter(scene *s, bool direct)
{
    if (!models_exists(path))
        two_models_write("terrain", 60000, path);
    s->context = test_context(NULL);
    gz_knobs_for(s->context)->direct_reads = direct;
    graze_status status = graze_model_open(s->context, path, &s->model);
    if (direct && status == GRAZE_ERROR_IO) {
        assert_non_null(strstr(test_last_error, "past the system's memory"));
        test_context_done(s->context);
        return false;
    }
    assert_int_equal(status, GRAZE_OK);
    assert_true(s->model->header.cluster_count >= 59);
    s->file = models_read_file(path, &s->file_bytes);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->change, NULL);
    gz_fetch_init(&s->fetch, s->context, &s->lock, &s->change, LIMIT);
    pthread_mutex_lock(&s->lock);
    return true;
}

static void leave(scene *s)
{
    gz_fetch_forget(&s->fetch, s->model);
    assert_true(s->fetch.active == 0 && s->fetch.bytes == 0);
    pthread_mutex_unlock(&s->lock);
    gz_fetch_end(&s->fetch);
    pthread_cond_destroy(&s->change);
    pthread_mutex_destroy(&s->lock);
    graze_model_free(s->model);
    test_free(s->file);
    test_context_done(s->context);
}

static void start(scene *s, const uint32_t *pages, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        s->wishes[i] = gz_cluster_key(s->model, pages[i]);
    uint64_t before = s->fetch.bytes, most = gz_fetch_measure(&s->fetch, s->wishes, &count);
    gz_fetch_start(&s->fetch, s, s->wishes, count);
    assert_true(s->fetch.bytes <= before + most);
}

// Takes a page; false where it is not on its way.
static bool take(scene *s, uint32_t page)
{
    gz_fetch_run *run = gz_fetch_pin(&s->fetch, s->model, page);
    if (run == NULL)
        return false;
    const uint8_t *bytes = gz_fetch_wait(&s->fetch, run, page);
    assert_non_null(bytes);
    assert_memory_equal(bytes, s->file + s->model->offsets[page],
                        s->model->clusters[page].byte_count);
    gz_fetch_unpin(&s->fetch, run, page);
    return true;
}

// Calls a test for both ways to read: plainly, and past the system's memory.
static void each_way(void (*test)(scene *s))
{
    for (int direct = 0; direct < 2; ++direct) {
        scene *s = calloc(1, sizeof *s);
        if (enter(s, direct == 1)) {
            test(s);
            leave(s);
        }
        free(s);
    }
}

static void arrive(scene *s)
{
    static const uint32_t pages[] = {9, 3, 5, 4, 30, 5, 31, 0, 58, 7};
    start(s, pages, 10);
    assert_int_equal(s->fetch.read_count, 6); // 0, 3 to 5, 7, 9, 30 and 31, 58
    assert_int_equal(s->fetch.active, 6);
    assert_true(s->fetch.bytes > 0 && s->fetch.bytes <= LIMIT);
    assert_true(gz_fetch_has(&s->fetch, s->model, 4) && !gz_fetch_has(&s->fetch, s->model, 6));
    for (uint32_t page = 0; page < 59; ++page) {
        bool wanted = page == 0 || (page >= 3 && page <= 5) || page == 7 || page == 9 ||
                      page == 30 || page == 31 || page == 58;
        assert_int_equal(take(s, page), wanted);
        assert_false(take(s, page)); // it was taken
    }
    assert_true(s->fetch.active == 0 && s->fetch.bytes == 0);
}

static void test_arrive(void **state)
{
    (void)state;
    each_way(arrive);
}

static void keep_the_limit(scene *s)
{
    uint32_t pages[59], there = 0;
    for (uint32_t i = 0; i < 59; ++i)
        pages[i] = i * 23 % 59;
    s->fetch.limit = 50000;
    start(s, pages, 59);
    assert_true(s->fetch.bytes > 10000 && s->fetch.bytes <= s->fetch.limit);
    for (uint32_t i = 0; i < 59; ++i) {
        bool has = take(s, pages[i]);
        assert_true(has ? there == i : true); // the first of the list come first
        there += has;
    }
    assert_true(there > 2 && there < 59);
}

static void test_limit(void **state)
{
    (void)state;
    each_way(keep_the_limit);
}

// Given up: at once, while somebody waits, and by others.
static void give_up(scene *s)
{
    static const uint32_t pages[] = {1, 2, 3, 20, 21, 40};
    start(s, pages, 6);
    gz_fetch_drop(&s->fetch, &pages); // of somebody else
    assert_true(gz_fetch_has(&s->fetch, s->model, 20));
    gz_fetch_run *run = gz_fetch_pin(&s->fetch, s->model, 20);
    gz_fetch_drop(&s->fetch, s);
    for (uint32_t i = 0; i < 6; ++i)
        assert_null(gz_fetch_pin(&s->fetch, s->model, pages[i]));
    const uint8_t *bytes = gz_fetch_wait(&s->fetch, run, 20);
    assert_non_null(bytes);
    assert_memory_equal(bytes, s->file + s->model->offsets[20], s->model->clusters[20].byte_count);
    gz_fetch_unpin(&s->fetch, run, 20);
    start(s, pages, 6); // and closed with these under way
}

static void test_give_up(void **state)
{
    (void)state;
    for (int turn = 0; turn < 20; ++turn)
        each_way(give_up);
}

// Runs that cannot be read give nothing, and say nothing; so do blocks that cannot be had.
static void fail_quietly(scene *s)
{
    static const uint32_t pages[] = {10, 20, 30};
    atomic_store(&gz_knobs_for(s->context)->reads_left, 1);
    start(s, pages, 3);
    for (uint32_t i = 0; i < 3; ++i) {
        gz_fetch_run *run = gz_fetch_pin(&s->fetch, s->model, pages[i]);
        assert_int_equal(gz_fetch_wait(&s->fetch, run, pages[i]) == NULL, i == 1);
        gz_fetch_unpin(&s->fetch, run, pages[i]);
    }
    assert_true(s->fetch.active == 0 && test_last_error[0] == '\0');
    atomic_store(&gz_knobs_for(s->context)->allocations_left, 1);
    start(s, pages, 3);
    atomic_store(&gz_knobs_for(s->context)->allocations_left, -1);
    assert_int_equal(s->fetch.active, 1);
    assert_true(take(s, 10) && test_last_error[0] == '\0');
}

static void test_fail_quietly(void **state)
{
    (void)state;
    each_way(fail_quietly);
}

// The file got shorter: the run that reaches beyond its end fails, others do not.
static void shorten(scene *s)
{
    static const uint32_t pages[] = {39, 40, 41, 20};
    assert_int_equal(truncate(path, (off_t)s->model->offsets[40] + 9), 0);
    start(s, pages, 4);
    assert_int_equal(s->fetch.active, 2);
    for (uint32_t page = 39; page <= 41; ++page) {
        gz_fetch_run *run = gz_fetch_pin(&s->fetch, s->model, page);
        assert_null(gz_fetch_wait(&s->fetch, run, page));
        gz_fetch_unpin(&s->fetch, run, page);
    }
    assert_true(take(s, 20));
    unlink(path);
}

static void test_shorten(void **state)
{
    (void)state;
    each_way(shorten);
}

static void *helper(void *data)
{
    scene *s = data;
    for (uint32_t turn = 0; turn < 300; ++turn) {
        pthread_mutex_lock(&s->lock);
        uint32_t first = turn * 7 % 50, pages[8];
        for (uint32_t i = 0; i < 8; ++i)
            pages[i] = first + i;
        gz_page_key wishes[8];
        uint32_t count = 0;
        for (uint32_t i = 0; i < 8; ++i)
            if (!gz_fetch_has(&s->fetch, s->model, pages[i]))
                wishes[count++] = gz_cluster_key(s->model, pages[i]);
        if (gz_fetch_has_room(&s->fetch) && gz_fetch_measure(&s->fetch, wishes, &count) != 0)
            gz_fetch_start(&s->fetch, wishes, wishes, count);
        for (uint32_t i = 0; i < 8; ++i)
            if (i != turn % 8)
                take(s, pages[i]);
        gz_fetch_drop(&s->fetch, wishes);
        pthread_mutex_unlock(&s->lock);
    }
    return NULL;
}

static void take_together(scene *s)
{
    pthread_t threads[HELPERS];
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < HELPERS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, helper, s), 0);
    for (int i = 0; i < HELPERS; ++i)
        pthread_join(threads[i], NULL);
    pthread_mutex_lock(&s->lock);
    assert_true(s->fetch.read_count > 100);
}

static void test_threads(void **state)
{
    (void)state;
    each_way(take_together);
}

static int remove_model(void **state)
{
    unlink(path);
    return models_leave(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrive),  cmocka_unit_test(test_limit),
        cmocka_unit_test(test_give_up), cmocka_unit_test(test_fail_quietly),
        cmocka_unit_test(test_shorten), cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, models_enter, remove_model);
}
