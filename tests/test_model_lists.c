// Lists of levels, groups and members that lie, in files that are otherwise whole: refused with a
// sentence, or harmless to who asks for levels of detail. And builds and fronts that run out of
// memory or cannot read.
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/context.h"
#include "base/knobs.h"
#include "faults.h"
#include "model/model_file.h"
#include "models.h"

enum { CLUSTER = 8 };

// A small model with several levels, as bytes, and where its lists are.
typedef struct small_model {
    uint8_t *bytes;
    uint64_t count;
    gz_model_header h;
    uint64_t levels, groups, members; // offsets
} small_model;

static small_model make_small(const char *kind, uint64_t triangle_count)
{
    char mesh[MODEL_PATH_BYTES], path[MODEL_PATH_BYTES];
    small_model m;
    graze_context *context = test_context(NULL);
    gz_knobs_for(context)->cluster_limit = CLUSTER;
    models_make(kind, triangle_count, GRAZE_FLOAT32, models_path(mesh, "mesh.ply"));
    assert_int_equal(graze_model_build(context, mesh, models_path(path, "model.graze"), NULL),
                     GRAZE_OK);
    m.bytes = models_read_file(path, &m.count);
    unlink(mesh);
    unlink(path);
    test_context_done(context);
    memcpy(&m.h, m.bytes, sizeof m.h);
    gz_list_sizes sizes = gz_list_sizes_of(&m.h);
    m.levels = m.h.list_offset + sizes.clusters;
    m.groups = m.levels + sizes.levels;
    m.members = m.groups + sizes.groups;
    assert_true(m.h.level_count >= 3 && m.h.group_count >= 3);
    return m;
}

static graze_status check_corners(void *user, const uint64_t *corners, uint64_t count)
{
    for (uint64_t i = 0; i < 3 * count; ++i)
        assert_true(corners[i] < *(uint64_t *)user);
    return GRAZE_OK;
}

static graze_status count_vertices(void *user, const void *positions, uint64_t count)
{
    (void)positions;
    *(uint64_t *)user += count;
    return GRAZE_OK;
}

static graze_status stream_at(graze_model *model, double error)
{
    uint64_t vertices = 0;
    graze_model_detail detail;
    graze_mesh_sink sink = {
        .user = &vertices, .vertices = count_vertices, .triangles = check_corners};
    return graze_model_stream_coarse(model, error, &sink, &detail);
}

// Opens, checks and streams: at 0, at infinity, and at some of the steps' own bounds. What is found
// sound streams at every error.
static graze_status try_all(graze_context *context, const small_model *m)
{
    graze_model *model = NULL;
    test_last_error[0] = '\0';
    graze_status status = gz_model_open_memory(context, "bad", m->bytes, m->count, &model);
    if (status != GRAZE_OK) {
        assert_non_null(strstr(test_last_error, "bad: byte "));
        return status;
    }
    status = graze_model_check(model, NULL);
    if (status != GRAZE_OK)
        assert_non_null(strstr(test_last_error, "bad: "));
    char said[sizeof test_last_error];
    memcpy(said, test_last_error, sizeof said);
    for (uint32_t level = 0; level <= graze_model_level_count(model); ++level)
        assert_true(graze_model_get_level(model, level).forward >= 0);
    for (uint32_t i = 0; i < 6; ++i) {
        const gz_group_entry *group = &model->groups[i * 7 % m->h.group_count];
        const gz_group_step *step = &group->steps[i % group->step_count];
        double error = i == 0   ? 0
                       : i == 1 ? HUGE_VAL
                                : (double)fmaxf(step->forward, step->backward);
        graze_status streamed = stream_at(model, error);
        if (status == GRAZE_OK && streamed != GRAZE_OK)
            fail_msg("found sound, but at %g: %s", error, test_last_error);
        assert_true(streamed == GRAZE_OK || streamed == GRAZE_ERROR_FORMAT);
    }
    memcpy(test_last_error, said, sizeof said);
    graze_model_free(model);
    return status;
}

typedef void change(small_model *m, gz_level_entry *levels, gz_group_entry *groups,
                    uint32_t *members);

#define CHANGE(name, statement)                                                                    \
    static void name(small_model *m, gz_level_entry *l, gz_group_entry *g, uint32_t *k)            \
    {                                                                                              \
        (void)m, (void)l, (void)g, (void)k;                                                        \
        statement;                                                                                 \
    }
CHANGE(level_begins_late, l[1].first_cluster++)
CHANGE(level_is_empty, l[1].cluster_count = 0)
CHANGE(level_is_too_large, l[1].cluster_count = UINT32_MAX)
CHANGE(level_has_no_groups, l[0].group_count = 0)
CHANGE(level_has_many_groups, l[0].group_count = UINT32_MAX)
CHANGE(last_level_has_groups, l[m->h.level_count - 1].group_count = 1)
CHANGE(level_moves_a_group, (l[0].group_count--, l[1].first_group--, l[1].group_count++))
CHANGE(level_has_other_triangles, l[1].triangle_count++)
CHANGE(group_begins_late, g[1].first_member++)
CHANGE(group_has_no_members, g[0].member_count = 0)
CHANGE(group_has_many_members, g[0].member_count = UINT32_MAX)
CHANGE(group_takes_a_member, (g[0].member_count++, g[1].first_member++, g[1].member_count--))
CHANGE(group_has_no_vertices, g[0].vertex_count = 0)
CHANGE(group_has_many_vertices, g[0].vertex_count = UINT32_MAX)
CHANGE(group_has_a_vertex_less, g[0].vertex_count--)
CHANGE(group_has_other_triangles, g[0].triangle_count++)
CHANGE(group_becomes_others, g[1].first_cluster++)
CHANGE(group_becomes_nothing, g[0].cluster_count = 0)
CHANGE(group_becomes_all, g[0].cluster_count = UINT32_MAX)
CHANGE(group_has_no_step, g[0].step_count = 0)
CHANGE(group_has_many_steps, g[0].step_count = GZ_GROUP_STEPS + 1)
CHANGE(group_has_a_large_page, g[0].byte_count = UINT32_MAX)
CHANGE(step_is_no_number, g[0].steps[0].forward = NAN)
CHANGE(step_is_no_number_back, g[0].steps[0].backward = NAN)
CHANGE(step_is_negative, g[0].steps[0].forward = -1)
CHANGE(step_descends, g[0].steps[1].forward = nextafterf(g[0].steps[0].forward, 0))
CHANGE(step_descends_back, g[0].steps[1].backward = nextafterf(g[0].steps[0].backward, 0))
CHANGE(step_goes_back, g[0].steps[0].collapse_count = g[0].steps[1].collapse_count + 1)
CHANGE(step_gets_finer, g[0].steps[1].triangle_count = g[0].steps[0].triangle_count + 1)
CHANGE(step_has_nothing, g[0].steps[g[0].step_count - 1].triangle_count = 0)
CHANGE(step_has_other_triangles, g[0].steps[0].triangle_count--)
CHANGE(step_has_other_collapses, g[0].steps[0].collapse_count--)
CHANGE(steps_collapse_all, g[0].steps[g[0].step_count - 1].collapse_count = g[0].vertex_count)
CHANGE(steps_collapse_more, g[0].steps[g[0].step_count - 1].collapse_count++)
CHANGE(group_below_its_producers, g[m->h.group_count - 1].steps[0].forward = 0)
CHANGE(group_below_its_producers_back, g[m->h.group_count - 1].steps[0].backward = 0)
CHANGE(box_is_no_number, g[0].box.center[1] = NAN)
CHANGE(box_has_a_negative_side, g[0].box.half[2] = -1)
CHANGE(box_has_no_side, g[0].box.half[0] = NAN)
CHANGE(box_is_slanted, g[0].box.axis[0][1] += 0.01f)
CHANGE(box_reaches_nowhere, g[0].box.reach = -1)
CHANGE(box_is_too_small, g[0].box.half[0] *= 0.99f)
CHANGE(member_twice, k[1] = k[0])
CHANGE(member_of_two_groups, k[g[1].first_member] = k[0])
CHANGE(member_of_another_level, k[g[0].member_count - 1] = l[1].first_cluster)
CHANGE(member_that_is_not_there, k[g[0].member_count - 1] = UINT32_MAX)
CHANGE(members_descend, {
    uint32_t other = k[0];
    k[0] = k[1];
    k[1] = other;
})
#undef CHANGE

static void lists_that_lie(void **state)
{
    (void)state;
    static const char level[] = "a level in the list makes no sense",
                      group[] = "a group in the list makes no sense", sum[] = "does not add up",
                      groups[] = "groups of a level do not add up",
                      step[] = "a step has another number of triangles than it says";
    static const struct {
        change *make;
        const char *words;
    } rows[] = {{level_begins_late, level},
                {level_is_empty, level},
                {level_is_too_large, level},
                {level_has_no_groups, level},
                {level_has_many_groups, level},
                {last_level_has_groups, level},
                {level_moves_a_group, groups},
                {level_has_other_triangles, sum},
                {group_begins_late, group},
                {group_has_no_members, group},
                {group_has_many_members, group},
                {group_takes_a_member, group},
                {group_has_no_vertices, group},
                {group_has_many_vertices, group},
                {group_has_a_vertex_less, "have another number of vertices together"},
                {group_has_other_triangles, group},
                {group_becomes_others, group},
                {group_becomes_nothing, group},
                {group_becomes_all, group},
                {group_has_no_step, group},
                {group_has_many_steps, group},
                {group_has_a_large_page, group},
                {step_is_no_number, group},
                {step_is_no_number_back, group},
                {step_is_negative, group},
                {step_descends, group},
                {step_descends_back, group},
                {step_goes_back, group},
                {step_gets_finer, group},
                {step_has_nothing, group},
                {step_has_other_triangles, step},
                {step_has_other_collapses, step},
                {steps_collapse_all, group},
                {steps_collapse_more, "another number of collapses than the list of groups"},
                {group_below_its_producers, group},
                {group_below_its_producers_back, group},
                {box_is_no_number, group},
                {box_has_a_negative_side, group},
                {box_has_no_side, group},
                {box_is_slanted, group},
                {box_reaches_nowhere, group},
                {box_is_too_small, "is not in its box"},
                {member_twice, group},
                {member_of_two_groups, group},
                {member_of_another_level, group},
                {member_that_is_not_there, group},
                {members_descend, group}};
    graze_context *context = test_context(NULL);
    small_model good = make_small("torus", 800);
    assert_int_equal(try_all(context, &good), GRAZE_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        small_model m = good;
        m.bytes = test_malloc(good.count);
        memcpy(m.bytes, good.bytes, good.count);
        gz_level_entry *l = test_malloc(good.groups - good.levels);
        gz_group_entry *g = test_malloc(good.members - good.groups);
        uint32_t *k = test_malloc(good.h.member_count * sizeof *k);
        memcpy(l, m.bytes + m.levels, m.groups - m.levels);
        memcpy(g, m.bytes + m.groups, m.members - m.groups);
        memcpy(k, m.bytes + m.members, m.h.member_count * sizeof *k);
        assert_true(g[0].step_count >= 2);
        rows[i].make(&m, l, g, k);
        memcpy(m.bytes + m.levels, l, m.groups - m.levels);
        memcpy(m.bytes + m.groups, g, m.members - m.groups);
        memcpy(m.bytes + m.members, k, m.h.member_count * sizeof *k);
        gz_model_file_seal(m.bytes, m.count);
        graze_status status = try_all(context, &m);
        if (status != GRAZE_ERROR_FORMAT || strstr(test_last_error, rows[i].words) == NULL)
            fail_msg("change %d: status %d: \"%s\" is not in \"%s\"", (int)i, (int)status,
                     rows[i].words, test_last_error);
        test_free(l);
        test_free(g);
        test_free(k);
        test_free(m.bytes);
    }
    test_free(good.bytes);
    test_context_done(context);
}

// Numbers that programs trip over, in every word of the lists, and any words in any places.
static void made_up_lists(void **state)
{
    (void)state;
    test_of_one_thread();
    static const uint32_t values[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0x7f800000};
    graze_context_def def = graze_context_def_default();
    def.thread_count = 1;
    graze_context *context = test_context(&def);
    small_model good = make_small("torus", 400), m = good;
    m.bytes = test_malloc(good.count);
    uint64_t words = (good.h.list_offset + good.h.list_bytes - good.levels) / 4, sound = 0;
    uint64_t rounds = 7 * words + TEST_CHANCES(1500);
    for (uint64_t round = 0; round < rounds; ++round) {
        test_random random = {.state = round};
        memcpy(m.bytes, good.bytes, good.count);
        if (round < 7 * words) {
            memcpy(m.bytes + m.levels + round / 7 * 4, &values[round % 7], 4);
        } else {
            for (uint64_t i = 1 + test_next(&random) % 3; i != 0; --i) {
                uint64_t at = m.levels + test_next(&random) % words * 4;
                uint32_t word;
                memcpy(&word, m.bytes + at, 4);
                word += (uint32_t)(test_next(&random) % 5) - 2;
                memcpy(m.bytes + at, &word, 4);
            }
        }
        gz_model_file_seal(m.bytes, m.count);
        graze_status status = try_all(context, &m);
        if (status != GRAZE_OK && status != GRAZE_ERROR_FORMAT)
            fail_msg("round %d: status %d: %s", (int)round, (int)status, test_last_error);
        sound += status == GRAZE_OK;
    }
    assert_true(sound < rounds / 2);
    assert_true(graze_context_memory(context).peak_bytes < 8u << 20);
    test_free(m.bytes);
    test_free(good.bytes);
    test_context_done(context);
}

static graze_status build_and_stream(graze_context *context, void *data)
{
    char path[MODEL_PATH_BYTES];
    graze_model *model = NULL;
    gz_knobs_for(context)->cluster_limit = CLUSTER;
    graze_status status = graze_model_build(context, data, models_path(path, "faulty.graze"), NULL);
    if (status == GRAZE_OK)
        status = graze_model_open(context, path, &model);
    if (status == GRAZE_OK)
        status = stream_at(model, 0.05);
    if (status == GRAZE_OK)
        status = graze_model_check(model, NULL);
    graze_model_free(model);
    unlink(path);
    return status;
}

static void whatever_fails(void **state)
{
    (void)state;
    char mesh[MODEL_PATH_BYTES];
    models_make("torus", 300, GRAZE_FLOAT32, models_path(mesh, "mesh.ply"));
    uint64_t step = TEST_THREAD_SANITIZER ? 120 : TEST_SANITIZED ? 17 : 3;
    assert_true(test_all_faults(build_and_stream, mesh, step) > 300 / step);
    unlink(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_that_lie),
        cmocka_unit_test(made_up_lists),
        cmocka_unit_test(whatever_fails),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
