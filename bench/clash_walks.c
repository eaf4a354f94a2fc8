// Walks through a plant. See clash_walks.h.
//
// The avatar is a knot, 0.6 by 0.6 by 1.75 metres. Its way goes along the aisle of the first row of
// a floor, across to the second row, back along that one, and up to the next floor. On the way it
// sways by most of the aisle's width, and rises until it is among trays and pipes: some steps are
// in contact, most are not.
#include "clash_walks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reading_cost.h"
#include "shapes.h"

#define BAY       6.0
#define ROW       12.0
#define FLOOR     5.0
#define AISLE     3.0 // its middle, from the outer side of a row
#define SWAY      1.25
#define RISE      1.5
#define FOOT      1.0 // of the avatar's middle, above the floor
#define WIDTH     0.6
#define HEIGHT    1.75
#define TRIANGLES 4000
#define TURNS     40.0 // radians of swaying, along the whole way
#define CORNERS   64

typedef struct way {
    double at[CORNERS][3];
    double length[CORNERS]; // from the first corner on
    uint32_t count;
} way;

static void add_corner(way *w, double x, double y, double z)
{
    if (w->count == CORNERS)
        return;
    double *at = w->at[w->count], *before = w->at[w->count == 0 ? 0 : w->count - 1];
    at[0] = x;
    at[1] = y;
    at[2] = z;
    double dx = at[0] - before[0], dy = at[1] - before[1], dz = at[2] - before[2];
    w->length[w->count] =
        w->count == 0 ? 0 : w->length[w->count - 1] + sqrt(dx * dx + dy * dy + dz * dz);
    w->count++;
}

// How far the building goes: rows and floors by the groups of objects, and the end along x.
static void look_at_plant(const graze_scene *scene, unsigned *rows, unsigned *floors, double *end)
{
    graze_scene_object object;
    *rows = *floors = 1;
    *end = BAY;
    graze_object_id none = {0, 0};
    for (graze_object_id id = graze_scene_next(scene, none); id.index1 != 0;
         id = graze_scene_next(scene, id)) {
        unsigned row, floor;
        const char *group;
        if (graze_scene_get(scene, id, &object) != GRAZE_OK ||
            (group = strstr(object.group, "row ")) == NULL ||
            sscanf(group, "row %u/floor %u", &row, &floor) != 2)
            continue;
        *rows = row > *rows ? row : *rows;
        *floors = floor + 1 > *floors ? floor + 1 : *floors;
        *end = fmax(*end, object.box.max[0]);
    }
}

static void lay_way(const graze_scene *scene, way *w)
{
    unsigned rows, floors;
    double end;
    w->count = 0;
    look_at_plant(scene, &rows, &floors, &end);
    double near = 1, far = fmax(end - 1, 2), first = AISLE, second = rows > 1 ? ROW - AISLE : AISLE;
    for (unsigned floor = 0; floor < floors; ++floor) {
        double z = FLOOR * floor + FOOT;
        add_corner(w, near, first, z);
        add_corner(w, far, first, z);
        add_corner(w, far, second, z);
        add_corner(w, near, second, z);
    }
}

// The pose of a step: on the way, swaying and turning.
static graze_pose pose_at(const way *w, uint32_t step, uint32_t steps)
{
    double part = (double)step / steps, length = part * w->length[w->count - 1], middle[3];
    uint32_t leg = 1;
    while (leg + 1 < w->count && w->length[leg] < length)
        ++leg;
    double from = w->length[leg - 1], to = w->length[leg];
    double along = to > from ? (length - from) / (to - from) : 0;
    for (int axis = 0; axis < 3; ++axis)
        middle[axis] = w->at[leg - 1][axis] + along * (w->at[leg][axis] - w->at[leg - 1][axis]);
    double up = sin(0.37 * TURNS * part);
    middle[1] += SWAY * sin(TURNS * part);
    middle[2] += RISE * up * up * up * up;
    static const double axis[3] = {0, 0, 1};
    graze_pose pose;
    graze_pose_from_axis(axis, 0.5 * TURNS * part, middle, &pose);
    return pose;
}

static graze_status make_avatar(graze_context *context, graze_shape **shape, uint64_t *count)
{
    generator_shape_def def = {.kind = "knot", .triangle_count = TRIANGLES, .size = 1};
    graze_mesh *mesh = NULL;
    graze_status status = generator_shape_make(context, &def, &mesh);
    if (status != GRAZE_OK)
        return status;
    graze_mesh_view view = graze_mesh_get(mesh);
    graze_box box = graze_box_empty();
    for (uint64_t i = 0; i < view.triangle_count; ++i)
        for (uint32_t k = 0; k < 3; ++k) {
            double p[1][3];
            graze_mesh_view_corner(&view, i, k, p[0]);
            graze_box here = graze_box_of_points((const double(*)[3])p, 1);
            box = graze_box_join(&box, &here);
        }
    float *stretched = malloc(3 * view.vertex_count * sizeof *stretched);
    for (uint64_t i = 0; i < 3 * view.vertex_count && stretched != NULL; ++i) {
        double size = i % 3 == 2 ? HEIGHT : WIDTH, room = box.max[i % 3] - box.min[i % 3];
        double at = (double)((const float *)view.positions)[i] - box.min[i % 3];
        stretched[i] = (float)(size * (at / room - 0.5));
    }
    view.positions = stretched;
    *count = view.triangle_count;
    status =
        stretched == NULL ? GRAZE_ERROR_MEMORY : graze_shape_create(context, &view, NULL, shape);
    free(stretched);
    graze_mesh_free(mesh);
    return status;
}

// --- Steps

static void add_to_sum(uint64_t *sum, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; ++i)
        *sum = (*sum ^ at[i]) * UINT64_C(1099511628211);
}

static void keep_answer(const graze_motion_answer *answer, clash_walked *out)
{
    for (uint64_t i = 0; i < answer->contact_count; ++i)
        add_to_sum(&out->sum, &answer->contacts[i].other, sizeof answer->contacts[i].other);
    add_to_sum(&out->sum, &answer->contact_count, sizeof answer->contact_count);
    for (uint64_t i = 0; i < answer->nearest_count; ++i) {
        add_to_sum(&out->sum, &answer->nearest[i].other, sizeof answer->nearest[i].other);
        add_to_sum(&out->sum, &answer->nearest[i].distance.distance, sizeof(double));
        out->nearest += answer->nearest[i].distance.distance;
    }
    out->near_pairs += answer->near_count;
    out->contacts += answer->contact_count;
    out->page_loads += answer->counters.page_loads;
    out->triangle_tests += answer->counters.triangle_tests;
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void tell_times(double *seconds, uint32_t count, double processor, clash_walked *out)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; ++i)
        sum += seconds[i];
    qsort(seconds, count, sizeof *seconds, compare_times);
    out->mean = 1e6 * sum / count;
    out->median = 1e6 * seconds[count / 2];
    out->p99 = 1e6 * seconds[(uint32_t)(0.99 * count)];
    out->most = 1e6 * seconds[count - 1];
    out->processor = 1e6 * processor / count;
    out->nearest /= count;
}

static graze_status take_steps(graze_scene *scene, graze_motion *motion, graze_object_id avatar,
                               uint32_t steps, clash_walked *out)
{
    way w;
    double seconds[CLASH_STEPS];
    graze_status status = GRAZE_OK;
    lay_way(scene, &w);
    reading_forget_peak();
    graze_cache_use before = graze_scene_cache_use(scene);
    double processor = processor_seconds();
    for (uint32_t i = 0; i < steps && status == GRAZE_OK; ++i) {
        graze_pose pose = pose_at(&w, i, steps);
        graze_motion_answer answer;
        double start = seconds_of(CLOCK_MONOTONIC);
        status = graze_scene_move(scene, avatar, &pose);
        if (status == GRAZE_OK)
            status = graze_motion_step(motion, &answer);
        seconds[i] = seconds_of(CLOCK_MONOTONIC) - start;
        if (status == GRAZE_OK)
            keep_answer(&answer, out);
    }
    if (status != GRAZE_OK)
        return status;
    tell_times(seconds, steps, processor_seconds() - processor, out);
    out->use = graze_scene_cache_use(scene);
    out->use.loads -= before.loads;
    out->use.bytes_read -= before.bytes_read;
    out->use.stalls -= before.stalls;
    out->use.prefetched -= before.prefetched;
    out->resident_mib = (double)reading_peak() / 1048576;
    return status;
}

graze_status clash_walk_take(const clash_plant *plant, const clash_walk *walk, clash_walked *out)
{
    clash_opened o;
    clash_room room = {.memory_bytes = walk->memory_bytes, .direct = walk->direct};
    graze_shape *shape = NULL;
    graze_motion *motion = NULL;
    graze_object_id avatar = {0, 0};
    *out = (clash_walked){.sum = UINT64_C(14695981039346656037)};
    graze_status status = clash_plant_open(plant, &room, &o);
    if (status == GRAZE_OK)
        status = make_avatar(o.context, &shape, &out->avatar_count);
    if (status == GRAZE_OK) {
        graze_object_def def = graze_object_def_default();
        def.name = "avatar";
        def.shape = shape;
        status = graze_scene_add(o.scene, &def, &avatar);
    }
    if (status == GRAZE_OK)
        status = graze_motion_create(o.scene, &walk->def, &motion);
    if (status == GRAZE_OK)
        status = graze_motion_add(motion, avatar);
    if (status == GRAZE_OK)
        status = take_steps(o.scene, motion, avatar, walk->steps, out);
    if (status != GRAZE_OK && o.context != NULL)
        fprintf(stderr, "bench_clash: %s\n", graze_context_error(o.context));
    graze_motion_free(motion);
    graze_scene_free(o.scene);
    o.scene = NULL;
    graze_shape_free(shape);
    clash_plant_close(&o);
    return status;
}
