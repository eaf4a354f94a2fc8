// The trees of the papers beside each other, on one thread: the restricted boxtree with its box
// tests and ways to build, the palette's volumes, and graze's own tree, all on the same poses, all
// lists of pairs compared.
//   bench_variants [--scene TEXT] [--model FILE] [--models FOLDER] [--tree TEXT] [--test TEXT]
//                  [--poses N] [--rounds N] [--quick]
// It corresponds to figures 6, 9 and 10 of the paper on restricted boxtrees, and follows its
// section 5: two equal objects in a cube of size 2, their centres 0 to 2.4 apart in steps of 0.2,
// one of them tumbling about z and x. --scene, --tree and --test choose by a part of the name;
// --model takes a file instead of the scenes. Of scenes of more than 100 thousand triangles only
// the trees of figure 10 are measured, with the best of their box tests. FOLDER, or else the
// environment variable GRAZE_MODELS, holds the files of the dragon.
//
// Prints CSV, one line for each scene, tree, test, distance and round. Columns:
//   microseconds    mean processor time of a question for all pairs
//   box_tests, triangle_tests, exact_tests, contacts   mean counts of a question
// and one line for each tree, with the test `build` and no distance:
//   build_ms            processor time
//   bytes_per_triangle  of the tree, beyond vertices and corner numbers, which all but graze's own
//                       tree go on to read; graze's has its vertices in it
//   depth               of the tree
// The exit code is 1 if some list of pairs differs from that of graze.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boxtree/papers/palette.h"
#include "boxtree/papers/restricted.h"
#include "collide_models.h"
#include "graze/graze.h"
#include "option_words.h"
#include "stopwatch.h"

#define DISTANCES 13
#define STEP      0.2
#define LARGE     500000
enum { POSES_MAX = 256 };

typedef struct settings {
    const char *scene, *model, *folder, *tree, *test; // NULL: all; none
    uint32_t pose_count, round_count;
    bool quick;
} settings;

static const collide_scene scenes[] = {
    {"knot-20k", {"knot", 20000}, {NULL, 0}, 0},
    {"torus-20k", {"torus", 20000}, {NULL, 0}, 0},
    {"gear-20k", {"gear", 20000}, {NULL, 0}, 0},
    {"gear-80k", {"gear", 80000}, {NULL, 0}, 2000},
    {"plates-60k", {"plates", 60000}, {NULL, 0}, 3000},
    {"dragon-11k", {"dragon_vrip_res4.ply.gz", 0}, {NULL, 0}, 0},
    {"dragon-48k", {"dragon_vrip_res3.ply.gz", 0}, {NULL, 0}, 0},
    {"dragon-203k", {"dragon_vrip_res2.ply.gz", 0}, {NULL, 0}, 0},
    {"dragon-871k", {"dragon_vrip.ply.gz", 0}, {NULL, 0}, 0},
    {NULL, {NULL, 0}, {NULL, 0}, 0},
};

// What a question gave.
typedef struct outcome {
    uint64_t box_tests, triangle_tests, exact_tests, contacts;
    uint64_t digest; // of the pairs in any order
} outcome;

typedef union any_tree {
    graze_shape *shape;
    gz_restricted restricted;
    gz_palette palette;
} any_tree;

typedef union any_query {
    graze_query *query;
    gz_restricted_query restricted;
    gz_palette_query palette;
} any_query;

// One kind of tree: a name and one of three engines.
typedef struct tree_kind {
    const char *name;
    const gz_volume_kind *volume; // of the palette; else NULL
    const gz_restricted_def *def; // of the restricted boxtree; else NULL; both NULL: graze's own
    bool everywhere;              // false: on thorough scenes only
    uint32_t tests;               // a bit for each of box_tests; 0: there are none to choose from
} tree_kind;

static const gz_restricted_def any_plane = {.perpendicular = true},
                               split_plane = {.perpendicular = false},
                               running = {.growth = GZ_GROW_RUNNING, .perpendicular = true},
                               longest = {.longest_axis = true, .perpendicular = true},
                               in_parent = {.layout = GZ_PLANES_IN_PARENT, .perpendicular = true},
                               stepped = {.perpendicular = true, .stepped = true};

typedef struct box_test {
    const char *name;
    gz_box_test test;
    bool lifted;
} box_test;

enum {
    LITE,
    LITE_LIFTED,
    ALIGNED,
    ALIGNED_LIFTED,
    SAT,
    SAT_LIFTED,
    TABLE,
    TABLE_LIFTED,
    BOX_TESTS
};
static const box_test box_tests[BOX_TESTS] = {
    [LITE] = {"SAT lite", GZ_TEST_LITE, false},
    [LITE_LIFTED] = {"SAT lite lifted", GZ_TEST_LITE, true},
    [ALIGNED] = {"aligned", GZ_TEST_ALIGNED, false},
    [ALIGNED_LIFTED] = {"aligned lifted", GZ_TEST_ALIGNED, true},
    [SAT] = {"SAT", GZ_TEST_SAT, false},
    [SAT_LIFTED] = {"SAT lifted", GZ_TEST_SAT, true},
    [TABLE] = {"table", GZ_TEST_TABLE, false},
    [TABLE_LIFTED] = {"table lifted", GZ_TEST_TABLE, true},
};

static const tree_kind trees[] = {
    {"graze", NULL, NULL, true, 0},
    {"restricted", NULL, &any_plane, true,
     1 << LITE | 1 << LITE_LIFTED | 1 << ALIGNED | 1 << ALIGNED_LIFTED | 1 << SAT |
         1 << SAT_LIFTED},
    {"restricted (planes in the parent)", NULL, &in_parent, false, 1 << LITE | 1 << LITE_LIFTED},
    {"restricted (planes along the split)", NULL, &split_plane, false, 1 << LITE_LIFTED},
    {"restricted (running growth)", NULL, &running, false, 1 << LITE_LIFTED},
    {"restricted (longest axis)", NULL, &longest, true, 1 << LITE_LIFTED},
    {"restricted (planes in steps)", NULL, &stepped, false,
     1 << ALIGNED | 1 << ALIGNED_LIFTED | 1 << TABLE | 1 << TABLE_LIFTED},
    {"sphere", &gz_volume_sphere, NULL, true, 0},
    {"AABB", &gz_volume_aabb, NULL, true, 0},
    {"OBB", &gz_volume_obb, NULL, true, 0},
    {"24-DOP", &gz_volume_dop24, NULL, true, 0},
};

// All that a scene's measurements share.
typedef struct stage {
    const settings *set;
    const char *name;
    graze_context *context;
    graze_mesh_view view;
    uint32_t round;
    bool known; // is there a truth to compare with?
    outcome truth[DISTANCES][POSES_MAX];
} stage;

static uint64_t digest_pairs(const void *pairs, uint64_t count)
{
    const graze_pair *pair = pairs;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; ++i) {
        uint64_t z = ((uint64_t)pair[i].a << 32 | pair[i].b) + 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        sum += z ^ (z >> 31);
    }
    return sum;
}

static graze_status build_tree(stage *s, const tree_kind *kind, any_tree *tree)
{
    if (kind->def != NULL)
        return gz_restricted_build(s->context, &s->view, kind->def, &tree->restricted);
    if (kind->volume != NULL)
        return gz_palette_build(s->context, &s->view, kind->volume, &tree->palette);
    return graze_shape_create(s->context, &s->view, NULL, &tree->shape);
}

static void free_tree(const tree_kind *kind, any_tree *tree)
{
    if (kind->def != NULL)
        gz_restricted_free(&tree->restricted);
    else if (kind->volume != NULL)
        gz_palette_free(&tree->palette);
    else
        graze_shape_free(tree->shape);
}

static void describe_tree(const tree_kind *kind, const any_tree *tree, uint64_t *bytes,
                          uint32_t *depth)
{
    if (kind->def != NULL) {
        *bytes = gz_restricted_bytes(&tree->restricted);
        *depth = tree->restricted.depth;
    } else if (kind->volume != NULL) {
        *bytes = gz_palette_bytes(&tree->palette);
        *depth = tree->palette.depth;
    } else {
        graze_shape_info info = graze_shape_get_info(tree->shape);
        *bytes = info.byte_count;
        *depth = info.depth;
    }
}

static bool open_query(stage *s, const tree_kind *kind, const box_test *test, any_query *query)
{
    if (kind->def != NULL) {
        gz_restricted_query_init(&query->restricted, s->context);
        query->restricted.test = test->test;
        query->restricted.lifted = test->lifted;
        return true;
    }
    if (kind->volume != NULL) {
        gz_palette_query_init(&query->palette, s->context);
        return true;
    }
    return graze_query_create(s->context, &query->query) == GRAZE_OK;
}

static void close_query(const tree_kind *kind, any_query *query)
{
    if (kind->def != NULL)
        gz_restricted_query_free(&query->restricted);
    else if (kind->volume != NULL)
        gz_palette_query_free(&query->palette);
    else
        graze_query_free(query->query);
}

// One question; the digest is made after the clock was read.
static bool ask(const tree_kind *kind, const any_tree *tree, any_query *query,
                const graze_pose *pose_b, outcome *out, double *seconds)
{
    graze_pose pose_a = graze_pose_identity();
    const gz_plain_query *plain = NULL;
    graze_answer answer = {0};
    graze_status status;
    double start = processor_seconds();
    if (kind->def != NULL) {
        plain = &query->restricted.plain;
        status = gz_restricted_query_run(&query->restricted, &tree->restricted, &pose_a,
                                         &tree->restricted, pose_b);
    } else if (kind->volume != NULL) {
        plain = &query->palette.plain;
        status =
            gz_palette_query_run(&query->palette, &tree->palette, &pose_a, &tree->palette, pose_b);
    } else {
        graze_collide_def def = graze_collide_def_default();
        def.collect = GRAZE_COLLECT_PAIRS;
        status = graze_query_collide(query->query, graze_at(tree->shape, &pose_a),
                                     graze_at(tree->shape, pose_b), &def, &answer);
    }
    *seconds += processor_seconds() - start;
    if (plain != NULL)
        *out = (outcome){plain->counters.box_tests, plain->counters.triangle_tests,
                         plain->counters.exact_tests, plain->pairs.count,
                         digest_pairs(plain->pairs.items, plain->pairs.count)};
    else
        *out = (outcome){answer.counters.box_tests, answer.counters.triangle_tests,
                         answer.counters.exact_tests, answer.pair_count,
                         digest_pairs(answer.pairs, answer.pair_count)};
    return status == GRAZE_OK;
}

static bool agrees(stage *s, uint32_t step, uint32_t pose, const outcome *found)
{
    outcome *truth = &s->truth[step][pose];
    if (!s->known)
        *truth = *found;
    return truth->contacts == found->contacts && truth->digest == found->digest;
}

static bool run_distance(stage *s, const tree_kind *kind, const any_tree *tree, any_query *query,
                         const char *test, uint32_t step)
{
    uint32_t count = s->set->pose_count;
    outcome sum = {0};
    double seconds = 0;
    bool good = true;
    for (uint32_t i = 0; i < count; ++i) {
        collider_pose given = collide_pose(step * STEP, i, count);
        graze_pose pose = collider_graze_pose(&given);
        outcome found;
        good = ask(kind, tree, query, &pose, &found, &seconds) && good;
        good = agrees(s, step, i, &found) && good;
        sum.box_tests += found.box_tests;
        sum.triangle_tests += found.triangle_tests;
        sum.exact_tests += found.exact_tests;
        sum.contacts += found.contacts;
    }
    printf("%s,%llu,%s,%s,%.1f,%u,%u,%.3f,%.1f,%.1f,%.1f,%.1f,,,\n", s->name,
           (unsigned long long)s->view.triangle_count, kind->name, test, step * STEP, s->round,
           count, seconds * 1e6 / count, (double)sum.box_tests / count,
           (double)sum.triangle_tests / count, (double)sum.exact_tests / count,
           (double)sum.contacts / count);
    fflush(stdout);
    return good;
}

static bool is_wanted(const char *part, const char *name)
{
    return part == NULL || strstr(name, part) != NULL;
}

// @param test  NULL where there are none to choose from.
static bool run_test(stage *s, const tree_kind *kind, const any_tree *tree, const box_test *test)
{
    any_query query;
    const char *name = test != NULL ? test->name : "";
    if (!open_query(s, kind, test, &query))
        return false;
    bool good = true;
    for (uint32_t step = 0; step < DISTANCES; ++step)
        good = run_distance(s, kind, tree, &query, name, step) && good;
    close_query(kind, &query);
    if (!good)
        fprintf(stderr, "bench_variants: %s: %s, %s: other pairs than graze\n", s->name, kind->name,
                name);
    return good;
}

static bool is_thorough(const stage *s)
{
    return s->set->quick || s->set->model != NULL || strcmp(s->name, "gear-20k") == 0 ||
           strcmp(s->name, "dragon-48k") == 0;
}

static bool run_tree(stage *s, const tree_kind *kind)
{
    any_tree tree;
    double start = processor_seconds();
    if (build_tree(s, kind, &tree) != GRAZE_OK)
        return false;
    double seconds = processor_seconds() - start;
    uint64_t bytes;
    uint32_t depth;
    describe_tree(kind, &tree, &bytes, &depth);
    printf("%s,%llu,%s,build,,%u,,,,,,,%.3f,%.1f,%u\n", s->name,
           (unsigned long long)s->view.triangle_count, kind->name, s->round, seconds * 1e3,
           (double)bytes / (double)s->view.triangle_count, depth);
    bool good = kind->tests != 0 || run_test(s, kind, &tree, NULL);
    for (int i = 0; i < BOX_TESTS; ++i)
        if ((kind->tests >> i & 1) != 0 && (i == LITE_LIFTED || is_thorough(s)) &&
            is_wanted(s->set->test, box_tests[i].name))
            good = run_test(s, kind, &tree, &box_tests[i]) && good;
    free_tree(kind, &tree);
    return good;
}

// graze comes first, whatever is chosen: its pairs are the reference.
static bool run_rounds(stage *s)
{
    bool good = true;
    uint32_t rounds = s->view.triangle_count > LARGE ? 1 : s->set->round_count;
    for (s->round = 1; s->round <= rounds; ++s->round)
        for (size_t i = 0; i < sizeof trees / sizeof *trees; ++i)
            if (i == 0 || (is_wanted(s->set->tree, trees[i].name) &&
                           (trees[i].everywhere || is_thorough(s)))) {
                good = run_tree(s, &trees[i]) && good;
                s->known = true;
            }
    return good;
}

// A scene whose file is missing is left out.
static bool run_scene(const settings *set, graze_context *context, const collide_scene *scene,
                      const char *folder)
{
    collide_model model;
    if (!collide_model_make(context, folder, &scene->a, set->quick ? scene->quick : 0, &model))
        return set->model == NULL;
    fprintf(stderr, "bench_variants: %s\n", scene->name);
    stage *s = calloc(1, sizeof *s);
    bool good = s != NULL;
    if (good) {
        s->set = set;
        s->name = scene->name;
        s->context = context;
        s->view = collider_mesh_view(&model.mesh);
        good = run_rounds(s);
    }
    free(s);
    collide_model_free(&model);
    return good;
}

static bool parse(int count, char **words, settings *out)
{
    if (has_option_word(count, words, "--quick")) {
        out->pose_count = 2;
        out->round_count = 1;
    }
    const option_word options[] = {
        {"--scene", .text = &out->scene},
        {"--model", .text = &out->model},
        {"--models", .text = &out->folder},
        {"--tree", .text = &out->tree},
        {"--test", .text = &out->test},
        {"--poses", .number = &out->pose_count},
        {"--rounds", .number = &out->round_count},
        {"--quick", .flag = &out->quick},
        {.word = NULL},
    };
    if (!take_option_words(count, words, options))
        return false;
    uint32_t poses = out->pose_count;
    return poses > 0 && poses <= POSES_MAX && (poses & (poses - 1)) == 0;
}

static bool run_all(const settings *set, graze_context *context)
{
    if (set->model != NULL) {
        collide_scene scene = {.name = set->model, .a = {set->model, 0}};
        return run_scene(set, context, &scene, set->model[0] == '/' ? "" : ".");
    }
    bool good = true;
    for (const collide_scene *scene = scenes; scene->name != NULL; ++scene)
        if (is_wanted(set->scene, scene->name) && (!set->quick || scene->quick != 0))
            good = run_scene(set, context, scene, set->folder) && good;
    return good;
}

int main(int count, char **words)
{
    settings set = {.folder = getenv("GRAZE_MODELS"), .pose_count = 8, .round_count = 2};
    if (!parse(count, words, &set)) {
        fprintf(stderr, "usage: bench_variants [--scene TEXT] [--model FILE] [--models FOLDER] "
                        "[--tree TEXT] [--test TEXT] [--poses N] [--rounds N] [--quick]\n");
        return 2;
    }
    graze_context_def def = graze_context_def_default();
    def.thread_count = 1;
    graze_context *context = NULL;
    if (graze_context_create(&def, &context) != GRAZE_OK)
        return 1;
    printf("variant_scene,triangles,tree,test,distance,round,poses,microseconds,box_tests,triangle_"
           "tests,"
           "exact_tests,contacts,build_ms,bytes_per_triangle,depth\n");
    bool good = run_all(&set, context);
    graze_context_destroy(context);
    return good ? 0 : 1;
}
