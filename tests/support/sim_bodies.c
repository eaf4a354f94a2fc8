// Bodies for tests of simulations. See sim_bodies.h.
#include "sim_bodies.h"

#include <math.h>

#include "base/checksum.h"
#include "shapes.h"

graze_shape *sim_box(graze_context *context, double x, double y, double z)
{
    double positions[8][3];
    static const uint32_t corners[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                            {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                            {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    for (int i = 0; i < 8; ++i) {
        positions[i][0] = (i & 1) != 0 ? 0.5 * x : -0.5 * x;
        positions[i][1] = (i & 2) != 0 ? 0.5 * y : -0.5 * y;
        positions[i][2] = (i & 4) != 0 ? 0.5 * z : -0.5 * z;
    }
    graze_mesh_view view = {.precision = GRAZE_FLOAT64,
                            .vertex_count = 8,
                            .triangle_count = 12,
                            .positions = positions,
                            .corners = &corners[0][0]};
    graze_shape *shape = NULL;
    assert_int_equal(graze_shape_create(context, &view, NULL, &shape), GRAZE_OK);
    return shape;
}

graze_shape *sim_ball(graze_context *context, uint64_t triangle_count, double radius)
{
    generator_shape_def def = {.kind = "sphere",
                               .triangle_count = triangle_count,
                               .size = 2 * radius,
                               .precision = GRAZE_FLOAT64};
    graze_mesh *mesh = NULL;
    graze_shape *shape = NULL;
    assert_int_equal(generator_shape_make(context, &def, &mesh), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(mesh);
    assert_int_equal(graze_shape_create(context, &view, NULL, &shape), GRAZE_OK);
    graze_mesh_free(mesh);
    return shape;
}

graze_pose sim_at(double x, double y, double z)
{
    graze_pose pose = graze_pose_identity();
    pose.translation[0] = x;
    pose.translation[1] = y;
    pose.translation[2] = z;
    return pose;
}

uint32_t sim_add_static(graze_sim *sim, const graze_shape *shape, const graze_pose *pose)
{
    graze_body_def def = graze_body_def_default();
    uint32_t body = UINT32_MAX;
    def.kind = GRAZE_BODY_STATIC;
    def.shape = shape;
    def.pose = *pose;
    assert_int_equal(graze_sim_add(sim, &def, &body), GRAZE_OK);
    return body;
}

uint32_t sim_add_moving(graze_sim *sim, const graze_shape *shape, const graze_pose *pose,
                        const double velocity[3], const double spin[3])
{
    graze_body_def def = graze_body_def_default();
    uint32_t body = UINT32_MAX;
    def.shape = shape;
    def.pose = *pose;
    for (int i = 0; i < 3; ++i) {
        def.velocity[i] = velocity == NULL ? 0 : velocity[i];
        def.spin[i] = spin == NULL ? 0 : spin[i];
    }
    assert_int_equal(graze_sim_add(sim, &def, &body), GRAZE_OK);
    return body;
}

graze_body_state sim_state(const graze_sim *sim, uint32_t body)
{
    graze_body_state state;
    assert_int_equal(graze_sim_get_body(sim, body, &state), GRAZE_OK);
    return state;
}

graze_sim_report sim_steps(graze_sim *sim, uint32_t count)
{
    graze_sim_report report = {0};
    for (uint32_t i = 0; i < count; ++i)
        if (graze_sim_step(sim, &report) != GRAZE_OK)
            fail_msg("step %u: %s", i, test_last_error);
    return report;
}

double sim_least_gap(graze_context *context, const graze_sim *sim)
{
    graze_query *query = NULL;
    double least = HUGE_VAL;
    assert_int_equal(graze_query_create(context, &query), GRAZE_OK);
    uint32_t count = graze_sim_body_count(sim);
    for (uint32_t a = 0; a < count; ++a)
        for (uint32_t b = a + 1; b < count; ++b) {
            graze_body_state at = sim_state(sim, a), bt = sim_state(sim, b);
            graze_distance distance;
            if (graze_sim_body_kind(sim, a) != GRAZE_BODY_MOVING &&
                graze_sim_body_kind(sim, b) != GRAZE_BODY_MOVING)
                continue;
            assert_int_equal(graze_query_distance(
                                 query, graze_at(graze_sim_body_shape(sim, a), &at.pose),
                                 graze_at(graze_sim_body_shape(sim, b), &bt.pose), NULL, &distance),
                             GRAZE_OK);
            least = fmin(least, distance.distance);
        }
    graze_query_free(query);
    return least;
}

uint64_t sim_hash(const graze_sim *sim)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < graze_sim_body_count(sim); ++i) {
        graze_body_state s = sim_state(sim, i);
        double numbers[16];
        memcpy(numbers, s.position, sizeof s.position);
        memcpy(numbers + 3, s.quaternion, sizeof s.quaternion);
        memcpy(numbers + 7, s.velocity, sizeof s.velocity);
        memcpy(numbers + 10, s.momentum, sizeof s.momentum);
        numbers[13] = s.gap;
        numbers[14] = s.contact_count;
        numbers[15] = s.late;
        hash = gz_checksum(hash, numbers, sizeof numbers);
    }
    return hash;
}
