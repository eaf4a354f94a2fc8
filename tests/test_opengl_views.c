// Views on OpenGL: what they settle beside what the boxes themselves say, at resolutions down to
// 16; and what is said where there is no OpenGL to be had.
#include "test.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cull/opengl_context.h"
#include "cull/opengl_views.h"

enum { MOST_BOXES = 1800, MOST_OBJECTS = 50 };

typedef struct sight {
    gz_view_box boxes[MOST_BOXES];
    gz_viewed_object objects[MOST_OBJECTS];
    uint32_t box_count, object_count;
} sight;

static uint32_t below(test_random *random, uint32_t limit)
{
    return (uint32_t)(test_next(random) % limit);
}

static gz_view_box some_box(test_random *random, uint32_t resolution, uint32_t depths)
{
    uint32_t most = below(random, 3) == 0 ? resolution : 1 + resolution / 8;
    uint32_t wide = below(random, most), tall = below(random, most);
    uint32_t left = below(random, resolution - wide), low = below(random, resolution - tall);
    uint32_t front = below(random, depths), deep = below(random, 4);
    if (below(random, 2) == 0) // the far end of the buffer
        front += GZ_VIEW_LEVELS - depths - 3;
    return (gz_view_box){(uint16_t)left, (uint16_t)(left + wide),
                         (uint16_t)low,  (uint16_t)(low + tall),
                         front,          front + deep};
}

static int farther_first(const void *a, const void *b)
{
    const gz_view_box *x = a, *y = b;
    return (x->back < y->back) - (x->back > y->back);
}

static void make_sight(sight *s, test_random *random, uint32_t resolution, bool all_open)
{
    uint32_t per_object = 1 + below(random, 12);
    uint32_t depths = 1 + below(random, 60);
    s->object_count = 1 + below(random, MOST_OBJECTS);
    s->box_count = 0;
    for (uint32_t i = 0; i < s->object_count; ++i) {
        gz_viewed_object *o = &s->objects[i];
        uint32_t ends[4] = {s->box_count};
        for (int k = 1; k < 4; ++k) {
            uint32_t count = all_open && k != 2 ? 0 : below(random, per_object);
            ends[k] = ends[k - 1] + count;
            for (uint32_t b = 0; b < count; ++b)
                s->boxes[ends[k - 1] + b] = some_box(random, resolution, depths);
            qsort(s->boxes + ends[k - 1], count, sizeof(gz_view_box), farther_first);
        }
        *o = (gz_viewed_object){ends[0], ends[1], ends[2], ends[3]};
        s->box_count = ends[3];
        assert_true(s->box_count <= MOST_BOXES);
    }
}

static bool hides(const gz_view_box *a, const gz_view_box *b) // a hides something of b
{
    return a->left <= b->right && b->left <= a->right && a->low <= b->high && b->low <= a->high &&
           a->front <= b->back;
}

// What a look must settle, and no more.
static void tell(const sight *s, uint8_t *freed)
{
    memset(freed, 0, s->box_count);
    for (uint32_t i = 0; i < s->object_count; ++i) {
        const gz_viewed_object *o = &s->objects[i];
        memset(freed + o->first, GZ_VIEW_FREE_OF_EARLIER, o->late - o->first);
        for (uint32_t k = o->both; k < o->end; ++k)
            freed[k] |= GZ_VIEW_FREE_OF_LATER;
    }
    for (uint32_t a = 0; a < s->object_count; ++a)
        for (uint32_t b = a + 1; b < s->object_count; ++b)
            for (uint32_t i = s->objects[a].both; i < s->objects[a].end; ++i)
                for (uint32_t k = s->objects[b].first; k < s->objects[b].late; ++k) {
                    if (hides(&s->boxes[i], &s->boxes[k]))
                        freed[k] &= (uint8_t)~GZ_VIEW_FREE_OF_EARLIER;
                    if (hides(&s->boxes[k], &s->boxes[i]))
                        freed[i] &= (uint8_t)~GZ_VIEW_FREE_OF_LATER;
                }
}

static gz_views *open_views(graze_context *context, uint32_t resolution)
{
    char why[256] = "";
    gz_views *views = gz_views_open(context, resolution, why);
    if (views == NULL)
        fail_msg("no OpenGL: %s", why);
    return views;
}

static void check_sight(gz_views *views, const sight *s, bool all_open, uint64_t seed)
{
    uint8_t truth[MOST_BOXES], found[MOST_BOXES];
    tell(s, truth);
    for (int kind = 0; kind < 3; ++kind) {
        graze_cull_passes passes = (graze_cull_passes)kind;
        assert_int_equal(gz_views_look(views, passes, s->boxes, s->box_count, s->objects,
                                       s->object_count, false, found),
                         GRAZE_OK);
        bool may_settle_less = passes == GRAZE_CULL_ZFAIL && !all_open;
        for (uint32_t i = 0; i < s->box_count; ++i)
            if (may_settle_less ? (found[i] & ~truth[i]) != 0 : found[i] != truth[i])
                fail_msg("seed %llu, passes %d, box %u: %d instead of %d", (unsigned long long)seed,
                         kind, i, found[i], truth[i]);
    }
}

static void looks_settle_what_the_boxes_say(void **state)
{
    static const uint32_t resolutions[] = {16, 64, 97, 800};
    for (size_t r = 0; r < sizeof resolutions / sizeof *resolutions; ++r) {
        gz_views *views = open_views(*state, resolutions[r]);
        assert_true(gz_views_enter(views));
        for (uint64_t seed = 1; seed <= TEST_CHANCES(40); ++seed) {
            test_random random = {seed};
            sight s;
            make_sight(&s, &random, resolutions[r], seed % 2 == 0);
            check_sight(views, &s, seed % 2 == 0, seed);
        }
        gz_views_leave(views);
        gz_views_close(views);
    }
}

// A question for a whole object is settled for all its boxes or for none.
static void whole_objects_are_settled_together(void **state)
{
    gz_views *views = open_views(*state, 64);
    assert_true(gz_views_enter(views));
    for (uint64_t seed = 1; seed <= TEST_CHANCES(40); ++seed) {
        test_random random = {seed};
        uint8_t truth[MOST_BOXES], found[MOST_BOXES];
        sight s;
        make_sight(&s, &random, 64, false);
        tell(&s, truth);
        assert_int_equal(gz_views_look(views, GRAZE_CULL_QUERIES, s.boxes, s.box_count, s.objects,
                                       s.object_count, true, found),
                         GRAZE_OK);
        for (uint32_t i = 0; i < s.object_count; ++i) {
            const gz_viewed_object *o = &s.objects[i];
            uint8_t earlier = GZ_VIEW_FREE_OF_EARLIER, later = GZ_VIEW_FREE_OF_LATER;
            for (uint32_t k = o->first; k < o->end; ++k) {
                earlier &= k < o->late ? truth[k] : earlier;
                later &= k >= o->both ? truth[k] : later;
            }
            for (uint32_t k = o->first; k < o->end; ++k)
                assert_int_equal(found[k],
                                 (k < o->late ? earlier : 0) | (k >= o->both ? later : 0));
        }
    }
    gz_views_leave(views);
    gz_views_close(views);
}

// More boxes than there are queries: neighbours share one, and only less is settled.
static void many_boxes_share_queries(void **state)
{
    enum { COUNT = 40000 };
    static gz_view_box boxes[2 * COUNT];
    static uint8_t found[2 * COUNT];
    gz_viewed_object objects[2] = {{0, 0, COUNT, COUNT}, {COUNT, COUNT, 2 * COUNT, 2 * COUNT}};
    test_random random = {1};
    uint64_t settled = 0;
    for (uint32_t i = 0; i < 2 * COUNT; ++i) {
        uint16_t x = (uint16_t)(i % COUNT / 800), y = (uint16_t)below(&random, 800);
        uint32_t front = i < COUNT ? 100 : 50 + 100 * (x < 10);
        boxes[i] = (gz_view_box){x, x, y, y, front, front};
    }
    gz_views *views = open_views(*state, 800);
    assert_true(gz_views_enter(views));
    assert_int_equal(
        gz_views_look(views, GRAZE_CULL_QUERIES, boxes, 2 * COUNT, objects, 2, false, found),
        GRAZE_OK);
    for (uint32_t i = 0; i < 2 * COUNT; ++i) {
        settled += (found[i] & GZ_VIEW_FREE_OF_LATER) != 0;
        if (boxes[i].left > 10 && i >= COUNT)
            assert_int_equal(found[i], GZ_VIEW_FREE_OF_EARLIER | GZ_VIEW_FREE_OF_LATER);
        for (uint32_t k = 0; k < COUNT && i >= COUNT && i % 97 == 0; ++k)
            if ((found[i] & GZ_VIEW_FREE_OF_EARLIER) != 0)
                assert_false(hides(&boxes[k], &boxes[i]));
    }
    assert_true(settled > COUNT);
    gz_views_leave(views);
    gz_views_close(views);
}

// ---- As a guest

// Whatever the caller has current, in either API, is so again after each frame.
static void the_callers_context_stays_current(void **state)
{
    static gz_opengl callers; // any context would do: here it is one of ours
    assert_true(gz_opengl_open(&callers));
    for (int round = 0; round < 3; ++round) {
        EGLenum api = round == 2 ? EGL_OPENGL_ES_API : EGL_OPENGL_API;
        EGLContext wanted = round == 1 ? callers.context : EGL_NO_CONTEXT;
        EGLDisplay display = round == 1 ? callers.display : EGL_NO_DISPLAY;
        if (round == 1)
            assert_true(gz_opengl_enter(&callers));
        callers.egl.BindAPI(api);
        gz_views *views = open_views(*state, 64);
        for (int step = 0; step < 2; ++step) {
            assert_ptr_equal(callers.egl.GetCurrentContext(), wanted);
            assert_ptr_equal(callers.egl.GetCurrentDisplay(), display);
            assert_int_equal(callers.egl.QueryAPI(), api);
            if (step == 0) {
                assert_true(gz_views_enter(views));
                assert_ptr_not_equal(callers.egl.GetCurrentContext(), wanted);
                gz_views_leave(views);
            }
        }
        gz_views_close(views);
        assert_ptr_equal(callers.egl.GetCurrentContext(), wanted);
        if (round == 1)
            gz_opengl_leave(&callers);
    }
    callers.egl.BindAPI(EGL_OPENGL_API);
    gz_opengl_close(&callers);
}

// A context that is current in another thread cannot be entered, and says so; when it was left it
// can.
static void *enter_elsewhere(void *views)
{
    bool entered = gz_views_enter(views);
    if (entered)
        gz_views_leave(views);
    return entered ? views : NULL;
}

static void views_go_from_thread_to_thread(void **state)
{
    gz_views *views = open_views(*state, 64);
    pthread_t other;
    void *entered = NULL;
    assert_true(gz_views_enter(views));
    gz_views_leave(views);
    assert_int_equal(pthread_create(&other, NULL, enter_elsewhere, views), 0);
    assert_int_equal(pthread_join(other, &entered), 0);
    assert_ptr_equal(entered, views);
    assert_true(gz_views_enter(views));
    assert_int_equal(pthread_create(&other, NULL, enter_elsewhere, views), 0);
    assert_int_equal(pthread_join(other, &entered), 0);
    assert_null(entered);
    assert_non_null(strstr(gz_views_why(views), "made current"));
    gz_views_leave(views);
    gz_views_close(views);
}

// ---- Where there is none

static void expect_no_views(const char *variable, const char *value, const char *sentence)
{
    pid_t child = fork();
    if (child == 0) {
        char why[256] = "";
        graze_context *context = NULL;
        setenv(variable, value, 1);
        if (graze_context_create(NULL, &context) != GRAZE_OK)
            _exit(2);
        gz_views *views = gz_views_open(context, 64, why);
        bool right = views == NULL && strstr(why, sentence) != NULL;
        if (!right)
            fprintf(stderr, "%s=%s: \"%s\"\n", variable, value, why);
        gz_views_close(views);
        graze_context_destroy(context);
        _exit(right ? 0 : 1);
    }
    int result = -1;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
}

// In processes of their own, before this one has loaded a driver.
static void there_is_a_sentence_where_there_is_no_opengl(void **state)
{
    (void)state;
    test_of_one_thread();
    expect_no_views("__EGL_VENDOR_LIBRARY_DIRS", "/nowhere", "EGL finds no driver");
    expect_no_views("MESA_GL_VERSION_OVERRIDE", "3.3", "OpenGL 4.3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_a_sentence_where_there_is_no_opengl),
        cmocka_unit_test_setup_teardown(looks_settle_what_the_boxes_say, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(whole_objects_are_settled_together, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(the_callers_context_stays_current, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(views_go_from_thread_to_thread, test_context_enter,
                                        test_context_leave),
        cmocka_unit_test_setup_teardown(many_boxes_share_queries, test_context_enter,
                                        test_context_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
