// Rigid bodies: two boxes fall on a floor, and come to rest on each other.
#include <stdio.h>

#include <graze/graze.h>

#include "shapes.h"

// A cube of this size.
static graze_shape *make_box(graze_context *context, double size)
{
    generator_shape_def def = {.kind = "box", .triangle_count = 12, .size = size};
    graze_mesh *mesh = NULL;
    graze_shape *shape = NULL;
    if (generator_shape_make(context, &def, &mesh) == GRAZE_OK) {
        graze_mesh_view view = graze_mesh_get(mesh);
        graze_shape_create(context, &view, NULL, &shape);
    }
    graze_mesh_free(mesh);
    return shape;
}

static graze_status add(graze_sim *sim, const graze_shape *shape, graze_body_kind kind, double x,
                        double z)
{
    graze_body_def def = graze_body_def_default();
    def.kind = kind;
    def.shape = shape;
    def.pose.translation[0] = x;
    def.pose.translation[2] = z;
    return graze_sim_add(sim, &def, NULL);
}

int main(void)
{
    graze_context *context = NULL;
    graze_sim *sim = NULL;
    graze_sim_report report = {0};
    graze_sim_def def = graze_sim_def_default();
    if (graze_context_create(NULL, &context) != GRAZE_OK)
        return 1;
    graze_shape *box = make_box(context, 1), *floor = make_box(context, 10);
    def.step = 0.004;
    def.restitution = 0.3;
    graze_status status = graze_sim_create(context, &def, &sim);
    if (status == GRAZE_OK)
        status = add(sim, floor, GRAZE_BODY_STATIC, 0, -5);
    if (status == GRAZE_OK)
        status = add(sim, box, GRAZE_BODY_MOVING, 0, 1);
    if (status == GRAZE_OK)
        status = add(sim, box, GRAZE_BODY_MOVING, 0.2, 2.5);
    for (int i = 0; i < 750 && status == GRAZE_OK; ++i) {
        graze_body_state upper;
        status = graze_sim_step(sim, &report);
        if (status != GRAZE_OK || report.step % 125 != 0)
            continue;
        graze_sim_get_body(sim, 2, &upper);
        printf("%.1f s: the upper box is at %.2f, in contact: %s, apart: %s\n", report.time,
               upper.position[2], upper.contact_count != 0 ? "yes" : "no",
               report.gap >= report.wanted_gap ? "yes" : "no");
    }
    if (status != GRAZE_OK)
        fprintf(stderr, "%s\n", graze_context_error(context));
    graze_sim_free(sim);
    graze_shape_free(box);
    graze_shape_free(floor);
    graze_context_destroy(context);
    return status == GRAZE_OK ? 0 : 1;
}
