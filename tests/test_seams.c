// Seams, against brute force: what a group must keep is what the rims of its clusters share with
// rims of clusters of other groups.
#include "test.h"

#include <stdlib.h>

#include "base/context.h"
#include "model/seams.h"

enum { MOST_TRIANGLES = 60000, MOST_CLUSTERS = 3000 };

// Triangles of one level, and the cluster that each is in.
typedef struct scene {
    double (*corner)[3][3]; // of triangles
    uint32_t *cluster;
    uint32_t triangle_count, cluster_count;
    graze_precision precision;
} scene;

static scene scene_make(uint32_t triangle_count, uint32_t cluster_count, graze_precision precision)
{
    scene s = {
        .triangle_count = triangle_count, .cluster_count = cluster_count, .precision = precision};
    s.corner = test_malloc(triangle_count * sizeof *s.corner);
    s.cluster = test_malloc(triangle_count * sizeof *s.cluster);
    return s;
}

static void scene_free(scene *s)
{
    test_free(s->corner);
    test_free(s->cluster);
}

static void put_position(gz_cluster *cluster, uint32_t v, const double from[3])
{
    for (int axis = 0; axis < 3; ++axis)
        if (cluster->precision == GRAZE_FLOAT32)
            cluster->position.narrow[v][axis] = (float)from[axis];
        else
            cluster->position.wide[v][axis] = from[axis];
}

static bool same_bits(const gz_cluster *cluster, uint32_t a, uint32_t b)
{
    const uint8_t *bytes = (const uint8_t *)&cluster->position;
    uint64_t size = 3 * (uint64_t)cluster->precision;
    return memcmp(bytes + a * size, bytes + b * size, size) == 0;
}

// As gz_cluster_gather would make it: vertices with the same bits are one.
static void add_triangle(gz_cluster *cluster, const double (*corner)[3])
{
    uint32_t t = cluster->triangle_count++;
    cluster->number[t] = t;
    for (int c = 0; c < 3; ++c) {
        uint32_t v = 0, last = cluster->vertex_count;
        put_position(cluster, last, corner[c]);
        while (!same_bits(cluster, v, last))
            ++v;
        cluster->vertex_count += v == last;
        cluster->corner[t][c] = (uint16_t)v;
    }
}

// An edge of a cluster, for the brute force: ends as doubles with their bits, lower end first.
typedef struct edge {
    uint32_t cluster;
    double end[2][3];
} edge;

static int by_bytes(const void *a, const void *b) { return memcmp(a, b, sizeof(edge)); }

// A position that a cluster of this group has at its rim; 0 for -0.
typedef struct place {
    double at[3];
    uint32_t group, unused;
} place;

static int by_position(const void *a, const void *b) { return memcmp(a, b, sizeof(double[3])); }
static int by_place(const void *a, const void *b) { return memcmp(a, b, sizeof(place)); }

static void list_edges(const scene *s, edge *edges, uint64_t *count)
{
    for (uint32_t t = 0; t < s->triangle_count; ++t)
        for (int c = 0; c < 3; ++c) {
            const double *a = s->corner[t][c], *b = s->corner[t][(c + 1) % 3];
            int order = by_position(a, b);
            if (order == 0)
                continue;
            edge *e = &edges[(*count)++];
            memset(e, 0, sizeof *e);
            e->cluster = s->cluster[t];
            memcpy(e->end[0], order < 0 ? a : b, sizeof e->end[0]);
            memcpy(e->end[1], order < 0 ? b : a, sizeof e->end[1]);
        }
    qsort(edges, *count, sizeof *edges, by_bytes);
}

// Sorts and leaves out what is there twice.
static uint64_t make_unique(place *places, uint64_t count)
{
    uint64_t kept = 0;
    if (count != 0)
        qsort(places, count, sizeof *places, by_place);
    for (uint64_t i = 0; i < count; ++i)
        if (i == 0 || by_place(&places[i], &places[i - 1]) != 0)
            places[kept++] = places[i];
    return kept;
}

static bool same_position(const place *a, const place *b) { return by_position(a->at, b->at) == 0; }

// The truth, sorted. Receives an array for test_free.
static uint64_t brute_force(const scene *s, const uint32_t *group_of, place **out)
{
    uint64_t edge_count = 0, count = 0, kept = 0;
    edge *edges = test_malloc(3 * (uint64_t)s->triangle_count * sizeof *edges);
    place *places = test_calloc(6 * (uint64_t)s->triangle_count, sizeof *places);
    list_edges(s, edges, &edge_count);
    for (uint64_t i = 0, end; i < edge_count; i = end) {
        for (end = i + 1; end < edge_count && by_bytes(&edges[i], &edges[end]) == 0; ++end)
            continue;
        for (int k = 0; k < 2 && (end - i) % 2 == 1; ++k) {
            for (int axis = 0; axis < 3; ++axis)
                places[count].at[axis] = edges[i].end[k][axis] + 0.0;
            places[count++].group = group_of[edges[i].cluster];
        }
    }
    count = make_unique(places, count);
    for (uint64_t i = 0, end; i < count; i = end) { // in place: kept <= i
        for (end = i + 1; end < count && same_position(&places[i], &places[end]); ++end)
            continue;
        if (end - i >= 2) {
            memmove(places + kept, places + i, (end - i) * sizeof *places);
            kept += end - i;
        }
    }
    test_free(edges);
    *out = places;
    return kept;
}

// Hands a level to the seams, some clusters at a time, and groups it. Says whether rims went to
// disk.
static bool give_level(gz_seams *seams, const scene *s, const gz_grouping *grouping, uint32_t first)
{
    static gz_cluster cluster;
    gz_byte_list records = {0};
    uint32_t *order = test_malloc(s->triangle_count * sizeof *order);
    uint32_t *end = test_calloc(s->cluster_count + 2, sizeof *end); // of the clusters in the order
    for (uint32_t t = 0; t < s->triangle_count; ++t)
        end[s->cluster[t] + 2]++;
    for (uint32_t c = 0; c < s->cluster_count; ++c)
        end[c + 2] += end[c + 1];
    for (uint32_t t = 0; t < s->triangle_count; ++t)
        order[end[s->cluster[t] + 1]++] = t;
    for (uint32_t c = 0; c < s->cluster_count; ++c) {
        cluster.precision = s->precision;
        cluster.triangle_count = cluster.vertex_count = 0;
        for (uint32_t i = end[c]; i < end[c + 1]; ++i)
            add_triangle(&cluster, (const double(*)[3])s->corner[order[i]]);
        assert_true(gz_seams_find(seams->context, &cluster, c % 5, &records));
        if (c % 5 == 4 || c + 1 == s->cluster_count) {
            assert_int_equal(gz_seams_add(seams, &records, first + c - c % 5), GRAZE_OK);
            records.count = 0;
        }
    }
    bool on_disk = seams->rims != NULL && gz_sorter_on_disk(seams->rims);
    assert_int_equal(gz_seams_assign(seams, grouping, first), GRAZE_OK);
    gz_list_free(seams->context, &records);
    test_free(end);
    test_free(order);
    return on_disk;
}

// What the seams say, sorted, each once.
static uint64_t ask(gz_seams *seams, uint32_t group_count, place **out)
{
    gz_point_list positions = {0};
    place *places = test_calloc(6 * MOST_TRIANGLES, sizeof *places);
    uint64_t count = 0;
    for (uint32_t g = 0; g < group_count; ++g) {
        positions.count = 0;
        assert_int_equal(gz_seams_next(seams, g, &positions), GRAZE_OK);
        const double(*at)[3] = positions.items;
        for (uint64_t i = 0; i < positions.count; ++i) {
            assert_true(count < 6 * MOST_TRIANGLES);
            memcpy(places[count].at, at[i], sizeof at[i]);
            places[count++].group = g;
        }
    }
    gz_list_free(seams->context, &positions);
    *out = places;
    return make_unique(places, count);
}

// Any grouping: clusters are dealt to groups by chance, each gets one at least.
static void group_randomly(test_random *random, uint32_t group_count, gz_grouping *grouping,
                           uint32_t *group_of)
{
    uint32_t count = grouping->cluster_count, next = 0;
    for (uint32_t c = 0; c < count; ++c)
        group_of[c] = c < group_count ? c : (uint32_t)(test_next(random) % group_count);
    for (uint32_t g = 0; g < group_count; ++g) {
        grouping->first[g] = next;
        for (uint32_t c = 0; c < count; ++c)
            if (group_of[c] == g)
                grouping->member[next++] = c;
    }
    grouping->first[group_count] = next;
    grouping->group_count = group_count;
}

// Returns how many locks there were. `to_disk`: rims must not fit into memory.
static uint64_t check_level(gz_seams *seams, const scene *s, uint32_t group_count, uint64_t seed,
                            bool to_disk)
{
    static uint32_t member[MOST_CLUSTERS], first[MOST_CLUSTERS + 1], group_of[MOST_CLUSTERS];
    test_random random = {.state = seed};
    gz_grouping grouping = {.member = member, .first = first, .cluster_count = s->cluster_count};
    group_randomly(&random, group_count, &grouping, group_of);
    bool on_disk = give_level(seams, s, &grouping, (uint32_t)(seed % 3) * 1000);
    assert_true(on_disk || !to_disk);
    place *want, *got;
    uint64_t want_count = brute_force(s, group_of, &want),
             got_count = ask(seams, group_count, &got);
    want_count = make_unique(want, want_count);
    if (got_count != want_count || memcmp(got, want, want_count * sizeof *got) != 0)
        fail_msg("seed %d: %d locks, and not %d, or others", (int)seed, (int)got_count,
                 (int)want_count);
    test_free(want);
    test_free(got);
    return want_count;
}

// Triangles on few places, of which some are -0.
static void random_soups(void **state)
{
    (void)state;
    uint64_t locks = 0, rounds = 0;
    for (uint64_t seed = 1; seed <= TEST_CHANCES(300); ++seed) {
        graze_context *context = test_context(NULL);
        gz_seams seams;
        graze_precision precision = seed % 2 == 0 ? GRAZE_FLOAT32 : GRAZE_FLOAT64;
        gz_seams_init(context, precision, 0, &seams);
        test_random random = {.state = seed};
        for (int level = 0; level < 2; ++level) { // and once more with the same seams
            uint32_t clusters = 1 + (uint32_t)(test_next(&random) % 20);
            uint32_t groups = 1 + (uint32_t)(test_next(&random) % clusters);
            scene s = scene_make(1 + (uint32_t)(test_next(&random) % 200), clusters, precision);
            uint32_t side = 2 + (uint32_t)(seed % 4);
            for (uint32_t t = 0; t < s.triangle_count; ++t) {
                s.cluster[t] = (uint32_t)(test_next(&random) % clusters);
                for (uint32_t k = 0; k < 9; ++k) {
                    double x = (double)(test_next(&random) % side) / 4;
                    s.corner[t][k / 3][k % 3] = x == 0 && test_next(&random) % 2 == 0 ? -0.0 : x;
                }
            }
            locks += check_level(&seams, &s, groups, seed, false);
            ++rounds;
            scene_free(&s);
        }
        gz_seams_free(&seams);
        test_context_done(context);
    }
    assert_true(locks > rounds);
}

// A sheet cut into blocks: rims are its outer border and the lines between blocks.
static scene make_sheet(uint32_t side, uint32_t block, graze_precision precision)
{
    uint32_t across = (side + block - 1) / block;
    scene s = scene_make(2 * side * side, across * across, precision);
    for (uint32_t i = 0; i < side * side; ++i) {
        uint32_t x = i % side, y = i / side;
        static const uint32_t step[2][3][2] = {{{0, 0}, {1, 0}, {0, 1}}, {{1, 1}, {0, 1}, {1, 0}}};
        for (int half = 0; half < 2; ++half) {
            s.cluster[2 * i + half] = y / block * across + x / block;
            for (int c = 0; c < 3; ++c) {
                double at[3] = {(double)(x + step[half][c][0]) / 64,
                                (double)(y + step[half][c][1]) / 64, (x + y) % 2 == 0 ? 0.0 : -0.0};
                memcpy(s.corner[2 * i + half][c], at, sizeof at);
            }
        }
    }
    return s;
}

static void sheets(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        graze_precision precision = seed % 2 == 0 ? GRAZE_FLOAT32 : GRAZE_FLOAT64;
        scene s = make_sheet(40, (uint32_t)(2 + seed), precision);
        gz_seams seams;
        gz_seams_init(context, precision, 1 << 20, &seams);
        uint32_t groups = 1 + (uint32_t)(seed * 5 % s.cluster_count);
        uint64_t locks = check_level(&seams, &s, groups, seed, false);
        assert_true((locks != 0) == (groups > 1));
        gz_seams_free(&seams);
        scene_free(&s);
    }
    test_context_done(context);
}

// More rims than there is memory for.
static void rims_on_disk(void **state)
{
    (void)state;
    for (uint32_t threads = TEST_SANITIZED ? 2 : 1; threads <= 2; ++threads) {
        graze_context_def def = graze_context_def_default();
        def.thread_count = threads;
        graze_context *context = test_context(&def);
        graze_precision precision = threads == 1 ? GRAZE_FLOAT32 : GRAZE_FLOAT64;
        scene s = make_sheet(150, 3, precision);
        gz_seams seams;
        gz_seams_init(context, precision, 0, &seams);
        assert_true(check_level(&seams, &s, 150, 1, true) > 5000);
        gz_seams_free(&seams);
        scene_free(&s);
        test_context_done(context);
    }
}

// One vertex that so many groups have, in clusters of one triangle.
static void many_groups_at_one_vertex(void **state)
{
    (void)state;
    static const uint32_t counts[] = {2, 63, 64, 65, 66, 100, 127, 128, 129, 400};
    graze_context *context = test_context(NULL);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k)
        for (uint32_t each = 1; each <= 3; ++each) {
            scene s = scene_make(counts[k] * each, counts[k] * each, GRAZE_FLOAT32);
            for (uint32_t t = 0; t < s.triangle_count; ++t) {
                double x = 2 * t + 1;
                double corner[3][3] = {{t % 2 == 0 ? 0.0 : -0.0, 0, 0}, {x, 1, 0}, {x + 1, 1, 0}};
                memcpy(s.corner[t], corner, sizeof corner);
                s.cluster[t] = t;
            }
            gz_seams seams;
            gz_seams_init(context, GRAZE_FLOAT32, 0, &seams);
            assert_int_equal(check_level(&seams, &s, counts[k], 5 + k, false), counts[k]);
            gz_seams_free(&seams);
            scene_free(&s);
        }
    test_context_done(context);
}

// A closed cluster has no rim, and groups of nothing no locks.
static void nothing_to_share(void **state)
{
    (void)state;
    static const double corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static gz_cluster cluster = {.precision = GRAZE_FLOAT64};
    graze_context *context = test_context(NULL);
    gz_byte_list records = {0};
    for (int skip = 0; skip < 4; ++skip) {
        double triangle[3][3];
        for (int c = 0, k = 0; c < 4; ++c)
            if (c != skip)
                memcpy(triangle[k++], corner[c], sizeof corner[c]);
        add_triangle(&cluster, (const double(*)[3])triangle);
    }
    assert_true(gz_seams_find(context, &cluster, 0, &records));
    assert_int_equal(records.count, 0);
    gz_seams seams;
    gz_seams_init(context, GRAZE_FLOAT64, 0, &seams);
    gz_grouping none = {0};
    assert_int_equal(gz_seams_assign(&seams, &none, 0), GRAZE_OK);
    gz_seams_free(&seams);
    gz_list_free(context, &records);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_soups),     cmocka_unit_test(sheets),
        cmocka_unit_test(rims_on_disk),     cmocka_unit_test(many_groups_at_one_vertex),
        cmocka_unit_test(nothing_to_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
