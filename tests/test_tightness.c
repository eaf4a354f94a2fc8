// Bounds of levels of detail are tight, half of them within 1.5 times the truth and nearly all
// within 2.5 times, on smooth and rough surfaces, on many parts and on triangles that have nothing
// to do with each other.
#include "test.h"

#include <stdlib.h>

#include "base/context.h"
#include "base/knobs.h"
#include "coarse.h"
#include "tightness.h"

static graze_model *build(const triangles *t, bool long_regions, graze_context **context)
{
    *context = test_context(NULL);
    gz_knobs_for((*context))->cluster_limit = 64;
    gz_knobs_for((*context))->long_regions = long_regions;
    return triangles_model(*context, t, GRAZE_FLOAT32, NULL);
}

// The ratios of all meshes together.
typedef struct ratios {
    double value[4096];
    uint32_t count;
} ratios;

static void add(ratios *all, const graze_model *usual, const graze_model *tight, bool backward,
                const char *kind)
{
    tightness t;
    assert_true(tightness_compare(usual, tight, backward, &t));
    print_message("%-8s %-8s %4u steps: median %.2f, 95 %% below %.2f\n", kind,
                  backward ? "backward" : "forward", t.count, tightness_part(&t, 0.5),
                  tightness_part(&t, 0.95));
    bool good = t.count > 20 && tightness_part(&t, 0.5) <= 1.5;
    for (uint32_t i = 0; i < t.count && all->count < 4096; ++i)
        all->value[all->count++] = t.ratio[i];
    free(t.ratio);
    assert_true(good);
}

static void compare(const char *kind, uint64_t triangle_count, ratios all[2])
{
    static const double nowhere[3] = {0, 0, 0};
    triangles t = {0};
    graze_context *context[2];
    triangles_add_shape(&t, kind, triangle_count, 1, nowhere);
    graze_model *usual = build(&t, false, &context[0]), *tight = build(&t, true, &context[1]);
    for (int backward = 0; backward < 2; ++backward)
        add(&all[backward], usual, tight, backward == 1, kind);
    graze_model_free(usual);
    graze_model_free(tight);
    test_context_done(context[0]);
    test_context_done(context[1]);
    triangles_free(&t);
}

static void bounds_are_tight(void **state)
{
    (void)state;
    static ratios all[2];
    compare("terrain", 8000, all);
    if (TEST_SANITIZED) // it is about numbers, and one mesh takes the paths
        return;
    compare("knot", 8000, all);
    compare("torus", 4000, all);
    compare("gear", 8000, all);
    compare("plates", 8000, all);
    compare("soup", 4000, all);
    for (int backward = 0; backward < 2; ++backward) {
        uint32_t beyond = 0;
        for (uint32_t i = 0; i < all[backward].count; ++i)
            beyond += all[backward].value[i] > 2.5;
        assert_true(20 * beyond <= all[backward].count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_are_tight)};
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
