// Pages of coarse clusters: they have the recipes of their trees.
#include "test.h"

#include <math.h>

#include "base/context.h"
#include "base/knobs.h"
#include "coarse.h"
#include "model/model_file.h"

static const double nowhere[3] = {0, 0, 0};

static graze_context *small_context(uint32_t cluster_limit)
{
    graze_context_def def = graze_context_def_default();
    def.thread_count = 1;
    graze_context *context = test_context(&def);
    gz_knobs_for(context)->cluster_limit = cluster_limit;
    return context;
}

static void read_cluster(graze_model *model, uint32_t number, gz_cluster *out)
{
    gz_page_reader reader;
    gz_byte_list page = {0};
    assert_true(gz_page_reader_init(model->context, &reader));
    assert_int_equal(gz_model_read_cluster(model, number, NULL, &reader, &page, out), GRAZE_OK);
    gz_page_reader_free(&reader);
    gz_list_free(model->context, &page);
}

static void coarse_pages_have_recipes(void **state)
{
    (void)state;
    triangles t = {0};
    triangles_add_shape(&t, "knot", 4000, 1, nowhere);
    graze_context *context = small_context(40);
    graze_model *model = triangles_model(context, &t, GRAZE_FLOAT32, NULL);
    gz_cluster *cluster = test_malloc(sizeof *cluster);
    assert_true(model->header.coarse_count != 0);
    for (uint32_t c = 0; c < model->header.cluster_count + model->header.coarse_count; ++c) {
        gz_tree built, made;
        read_cluster(model, c, cluster);
        assert_true(cluster->step_count != 0);
        assert_int_equal(gz_cluster_make_tree(context, cluster, &made), GRAZE_OK);
        cluster->step_count = 0;
        assert_int_equal(gz_cluster_make_tree(context, cluster, &built), GRAZE_OK);
        assert_int_equal(made.leaf_count, built.leaf_count);
        assert_int_equal(made.node_count, built.node_count);
        gz_tree_free(&built);
        gz_tree_free(&made);
    }
    test_free(cluster);
    graze_model_free(model);
    test_context_done(context);
    triangles_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coarse_pages_have_recipes),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
