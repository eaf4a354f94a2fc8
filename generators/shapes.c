// The list of kinds, and the loops that stream any of them. See shapes.h and shapes_plan.h.
#include "shapes.h"

#include <string.h>

#include "gather.h"
#include "shapes_math.h"
#include "shapes_plan.h"

#define BATCH         2048u
#define DEFAULT_COUNT 5000u

const generator_shape_kind generator_shape_kinds[] = {
    {"sphere", "an icosahedron cut finer and pushed out to a ball; closed"},
    {"torus", "a ring; closed"},
    {"knot", "a tube along the trefoil knot; closed"},
    {"box", "a cube with its faces cut into squares; closed"},
    {"cylinder", "with floor and lid; closed"},
    {"cone", "with a floor; closed"},
    {"gear", "a wheel of 24 teeth with a bore; closed"},
    {"plates", "many small parts: blocks with a round hole, each an object; closed"},
    {"turbine", "a rotor: a hub and six rows of twisted blades, each an object; closed"},
    {"cup", "a cup without a handle; closed"},
    {"spoon", "a spoon; closed"},
    {"wrinkled", "a ring with wrinkles around its tube; closed"},
    {"spiral", "a peg that winds around its axis; closed"},
    {"bowl", "half a ball, hollow; closed"},
    {"digit", "a solid digit, the last of the seed; closed"},
    {"grid", "a flat square; open"},
    {"terrain", "a fractal landscape; open"},
    {"soup", "random triangles that have nothing to do with each other"},
    {"needles", "triangles a million times as long as wide"},
    {"nasty", "one of each defect, each in an object of its own; of fixed size"},
    {NULL, NULL}};

// In the order of the kinds above.
static const struct {
    void (*make)(shape_plan *plan);
    uint64_t usual_count; // triangles, where nothing else is wished; 0: as most kinds
} planners[] = {{shape_plan_sphere, 0},     {shape_plan_torus, 0},     {shape_plan_knot, 0},
                {shape_plan_box, 0},        {shape_plan_cylinder, 0},  {shape_plan_cone, 0},
                {shape_plan_gear, 0},       {shape_plan_plates, 0},    {shape_plan_turbine, 0},
                {shape_plan_cup, 64000},    {shape_plan_spoon, 86016}, {shape_plan_wrinkled, 32000},
                {shape_plan_spiral, 32160}, {shape_plan_bowl, 12288},  {shape_plan_digit, 1080},
                {shape_plan_grid, 0},       {shape_plan_terrain, 0},   {shape_plan_soup, 0},
                {shape_plan_needles, 0},    {shape_plan_nasty, 0}};
_Static_assert(sizeof generator_shape_kinds / sizeof *generator_shape_kinds ==
                   sizeof planners / sizeof *planners + 1,
               "each kind has its planner");

int generator_shape_is_soup(const char *kind)
{
    return strcmp(kind, "soup") == 0 || strcmp(kind, "needles") == 0;
}

static graze_status make_plan(const generator_shape_def *def, shape_plan *plan)
{
    if (def->kind == NULL || def->triangle_count > GENERATOR_SHAPE_TRIANGLES ||
        !(def->size >= 0.0) || !isfinite(def->size))
        return GRAZE_ERROR_ARGUMENT;
    *plan = (shape_plan){.seed = def->seed};
    for (size_t i = 0; generator_shape_kinds[i].name != NULL; ++i)
        if (strcmp(def->kind, generator_shape_kinds[i].name) == 0) {
            uint64_t usual = planners[i].usual_count;
            plan->triangle_count = def->triangle_count != 0 ? def->triangle_count
                                                            : (usual != 0 ? usual : DEFAULT_COUNT);
            planners[i].make(plan);
            return GRAZE_OK;
        }
    return GRAZE_ERROR_ARGUMENT;
}

// Adding zero turns -0 into 0.
static graze_status send_vertices(shape_plan *plan, const generator_shape_def *def,
                                  const graze_mesh_sink *sink, uint64_t first, uint64_t count)
{
    float narrow[3 * BATCH];
    double wide[3 * BATCH];
    double size = def->size != 0.0 ? def->size : 1.0;
    bool is_double = def->precision == GRAZE_FLOAT64;
    for (uint64_t i = 0; i < count; ++i) {
        plan->vertex(plan, first + i, &wide[3 * i]);
        for (int axis = 0; axis < 3; ++axis) {
            wide[3 * i + axis] = wide[3 * i + axis] * size + 0.0;
            narrow[3 * i + axis] = (float)wide[3 * i + axis];
        }
    }
    const void *positions = is_double ? (const void *)wide : (const void *)narrow;
    return sink->vertices != NULL ? sink->vertices(sink->user, positions, count) : GRAZE_OK;
}

static graze_status send_triangles(const shape_plan *plan, const graze_mesh_sink *sink,
                                   uint64_t first, uint64_t count)
{
    uint64_t corners[3 * BATCH];
    for (uint64_t i = 0; i < count; ++i)
        plan->triangle(plan, first + i, &corners[3 * i]);
    return sink->triangles != NULL ? sink->triangles(sink->user, corners, count) : GRAZE_OK;
}

static graze_status send_objects(const shape_plan *plan, const graze_mesh_sink *sink)
{
    if (sink->object == NULL)
        return GRAZE_OK;
    for (uint64_t i = 0; i < plan->part_count || i == 0; ++i) {
        shape_part part = {.triangle_count = plan->triangle_count};
        if (plan->part_count != 0)
            plan->part(plan, i, &part);
        graze_object object = {.name = part.name,
                               .group = part.group,
                               .first_triangle = part.first_triangle,
                               .triangle_count = part.triangle_count,
                               .matrix = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
        graze_status status = sink->object(sink->user, &object);
        if (status != GRAZE_OK)
            return status;
    }
    return GRAZE_OK;
}

static uint64_t batch_at(uint64_t first, uint64_t count, uint64_t most)
{
    return count - first < most ? count - first : most;
}

// Soups go out triangle by triangle, so that a receiver can forget the vertices of each.
static graze_status send_soup(shape_plan *plan, const generator_shape_def *def,
                              const graze_mesh_sink *sink)
{
    graze_status status = GRAZE_OK;
    uint64_t step = BATCH / 3;
    for (uint64_t i = 0; i < plan->triangle_count && status == GRAZE_OK; i += step) {
        uint64_t count = batch_at(i, plan->triangle_count, step);
        status = send_vertices(plan, def, sink, 3 * i, 3 * count);
        if (status == GRAZE_OK)
            status = send_triangles(plan, sink, i, count);
    }
    return status;
}

static graze_status send_surface(shape_plan *plan, const generator_shape_def *def,
                                 const graze_mesh_sink *sink)
{
    graze_status status = GRAZE_OK;
    for (uint64_t i = 0; i < plan->vertex_count && status == GRAZE_OK; i += BATCH)
        status = send_vertices(plan, def, sink, i, batch_at(i, plan->vertex_count, BATCH));
    for (uint64_t i = 0; i < plan->triangle_count && status == GRAZE_OK; i += BATCH)
        status = send_triangles(plan, sink, i, batch_at(i, plan->triangle_count, BATCH));
    return status;
}

graze_status generator_shape_stream(const generator_shape_def *def, const graze_mesh_sink *sink)
{
    shape_plan plan;
    graze_status status = make_plan(def, &plan);
    if (status != GRAZE_OK)
        return status;
    graze_mesh_header header = {
        .format = GRAZE_FORMAT_UNKNOWN,
        .precision = def->precision == GRAZE_FLOAT64 ? GRAZE_FLOAT64 : GRAZE_FLOAT32,
        .metres_per_unit = def->metres_per_unit,
        .vertex_count_hint = plan.vertex_count,
        .triangle_count_hint = plan.triangle_count,
        .encoding = "made",
    };
    if (sink->begin != NULL)
        status = sink->begin(sink->user, &header);
    if (status == GRAZE_OK)
        status = generator_shape_is_soup(def->kind) ? send_soup(&plan, def, sink)
                                                    : send_surface(&plan, def, sink);
    if (status == GRAZE_OK)
        status = send_objects(&plan, sink);
    graze_mesh_losses losses = {0};
    if (status == GRAZE_OK && sink->end != NULL)
        status = sink->end(sink->user, &losses);
    return status;
}

static graze_status stream_def(const void *def, const graze_mesh_sink *sink)
{
    return generator_shape_stream(def, sink);
}

graze_status generator_shape_make(graze_context *context, const generator_shape_def *def,
                                  graze_mesh **mesh)
{
    return generator_gather(context, stream_def, def, mesh);
}
