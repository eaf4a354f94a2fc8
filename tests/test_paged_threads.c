// Threads that ask the same models about rays, insides and depths at once, in a cache that has
// reservations for fewer than there are: each gets its answer, and the right one.
#include "test.h"

#include <pthread.h>

#include "both_ways.h"
#include "shapes.h"

enum { THREADS = 4 };

static const graze_pose still = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

typedef struct nest {
    graze_context *context;
    both_ways ball, ring;
} nest;

static both_ways scene_both(graze_context *context, const char *kind, uint64_t count, double size)
{
    graze_mesh *mesh = NULL;
    generator_shape_def def = {.kind = kind, .triangle_count = count, .size = size};
    assert_int_equal(generator_shape_make(context, &def, &mesh), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(mesh);
    both_ways made = both_ways_make(context, &view);
    graze_mesh_free(mesh);
    return made;
}

static bool ask(graze_query *query, const graze_shape *ball, const graze_shape *ring)
{
    static const double middle[3] = {0.0625, 0.03125, 0}, above[3] = {0.125, 0.0625, 9};
    graze_pose apart = still, moved = still;
    apart.translation[0] = 5;
    moved.translation[0] = 1.5;
    graze_containment in, beside;
    graze_penetration depth;
    graze_place place;
    graze_ray ray;
    graze_penetration_def rough = graze_penetration_def_default();
    rough.error = 0.5;
    return graze_query_contain(query, graze_at(ball, &still), graze_at(ring, &still), &in) ==
               GRAZE_OK &&
           in.nesting == GRAZE_NESTING_B_IN_A &&
           graze_query_contain(query, graze_at(ring, &apart), graze_at(ball, &still), &beside) ==
               GRAZE_OK &&
           beside.nesting == GRAZE_NESTING_NONE &&
           graze_query_inside(query, graze_at(ball, &still), middle, &place) == GRAZE_OK &&
           place == GRAZE_PLACE_INSIDE &&
           graze_query_ray(query, graze_at(ball, &still), middle, above, NULL, &ray) == GRAZE_OK &&
           ray.hit == 1 &&
           graze_query_penetration(query, graze_at(ball, &still), graze_at(ring, &moved), &rough,
                                   &depth) == GRAZE_OK &&
           depth.verdict == GRAZE_CONTACT;
}

static void *ask_models(void *data)
{
    const nest *n = data;
    graze_query *query = NULL;
    bool right = graze_query_create(n->context, &query) == GRAZE_OK &&
                 ask(query, n->ball.paged, n->ring.paged) &&
                 graze_model_cache_use(n->ball.model).loads != 0 && // while others load more
                 ask(query, n->ball.in_memory, n->ring.paged) &&
                 ask(query, n->ball.paged, n->ring.in_memory);
    graze_query_free(query);
    return right ? data : NULL;
}

static void threads_may_ask_at_once(void **state)
{
    (void)state;
    for (uint64_t mib = 2; mib <= 5; mib += 3) {
        nest n = {.context = both_ways_context(2, mib, 100)};
        n.ball = scene_both(n.context, "sphere", 1200, 3);
        n.ring = scene_both(n.context, "torus", 600, 1);
        pthread_t thread[THREADS];
        for (int i = 0; i < THREADS; ++i)
            assert_int_equal(pthread_create(&thread[i], NULL, ask_models, &n), 0);
        for (int i = 0; i < THREADS; ++i) {
            void *right = NULL;
            assert_int_equal(pthread_join(thread[i], &right), 0);
            assert_non_null(right);
        }
        both_ways_free(&n.ball);
        both_ways_free(&n.ring);
        test_context_done(n.context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_may_ask_at_once)};
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
