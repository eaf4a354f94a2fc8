// Shapes: how far the building is, and that it can be stopped at any point.
#include "test.h"

#include <stdbool.h>

#include "shapes.h"

#define TRIANGLES 60000

// Cancels at the n-th time it is asked, and watches what is told.
typedef struct watch {
    int asked, cancel_at, sentences, reports;
    uint64_t last_done;
    bool sound;
} watch;

static int on_cancel(void *user)
{
    watch *w = user;
    return ++w->asked == w->cancel_at;
}

static void on_log(void *user, graze_log_level level, const char *sentence)
{
    watch *w = user;
    w->sentences += level == GRAZE_LOG_ERROR;
    w->sound = w->sound && strcmp(sentence, "building: cancelled") == 0;
}

static void on_progress(void *user, const graze_progress *progress)
{
    watch *w = user;
    w->reports += 1;
    w->sound = w->sound && strcmp(progress->stage, "building") == 0 &&
               progress->done >= w->last_done && progress->done <= progress->total;
    w->last_done = progress->done;
}

static void building_can_be_stopped_anywhere(void **state)
{
    (void)state;
    test_of_one_thread();
    graze_context *maker = test_context(NULL);
    graze_mesh *mesh = NULL;
    const generator_shape_def shape_def = {.kind = "sphere", .triangle_count = TRIANGLES};
    assert_int_equal(generator_shape_make(maker, &shape_def, &mesh), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(mesh);
    graze_status status = GRAZE_ERROR_CANCELLED;
    int tries = 0;
    for (; status == GRAZE_ERROR_CANCELLED; ++tries) {
        watch w = {.cancel_at = tries + 1, .sound = true};
        graze_context_def def = graze_context_def_default();
        def.thread_count = 1; // one after the other: the n-th time is always the same
        def.user = &w;
        def.cancel = on_cancel;
        def.log = on_log;
        def.progress = on_progress;
        graze_context *context = NULL;
        graze_shape *shape = NULL;
        assert_int_equal(graze_context_create(&def, &context), GRAZE_OK);
        status = graze_shape_create(context, &view, NULL, &shape);
        assert_true(w.sound);
        assert_int_equal(w.sentences, status == GRAZE_OK ? 0 : 1);
        assert_int_equal(shape == NULL, status != GRAZE_OK);
        assert_true(w.reports >= 1 || w.cancel_at == 1);
        graze_shape_free(shape);
        test_context_done(context);
    }
    assert_int_equal(status, GRAZE_OK);
    assert_true(tries > 10);
    graze_mesh_free(mesh);
    test_context_done(maker);
}

static int always(void *user)
{
    (void)user;
    return 1;
}

static void many_threads_stop_with_one_sentence(void **state)
{
    (void)state;
    graze_context *maker = test_context(NULL);
    graze_mesh *mesh = NULL;
    const generator_shape_def shape_def = {.kind = "sphere", .triangle_count = TRIANGLES};
    assert_int_equal(generator_shape_make(maker, &shape_def, &mesh), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(mesh);
    graze_context_def def = graze_context_def_default();
    def.thread_count = 8;
    def.cancel = always;
    graze_context *context = test_context(&def);
    graze_shape *shape = NULL;
    assert_int_equal(graze_shape_create(context, &view, NULL, &shape), GRAZE_ERROR_CANCELLED);
    assert_string_equal(test_last_error, "building: cancelled");
    test_context_done(context);
    graze_mesh_free(mesh);
    test_context_done(maker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(building_can_be_stopped_anywhere),
        cmocka_unit_test(many_threads_stop_with_one_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
