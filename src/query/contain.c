// Is a point, or a whole shape, inside another shape? See graze/query.h.
//
// A closed shape parts space in two: whoever goes from a point to a place beyond the shape's box,
// and pierces an odd number of triangles, comes from inside. A way through an edge or a corner
// tells nothing, so another one is tried. Ways are fixed ones, out through the nearest side of the
// box, and what they meet is exact, so the answer is never a guess.
//
// A component of a shape that does not meet another one is inside it with all its points or with
// none: one point of each component tells.
#include "query/contain.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/threads.h"
#include "geometry/fpu.h"
#include "query/closed.h"
#include "query/ray.h"

#define TRIES    32
#define SIMPLE   4
#define PATIENCE 256 // points between two looks at the cancel callback

// A number from -1 to 1, the same everywhere. The first few are simple ones, which shapes on a grid
// may well be hit by at an edge; later ones have all their digits.
static double tilt_of(uint64_t attempt, int axis)
{
    uint64_t z = (3 * attempt + (uint64_t)axis + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z ^= z >> 27;
    return attempt < SIMPLE ? (double)(z >> 60) * 0.125 - 1 : (double)(z >> 11) * 0x1p-52 - 1;
}

// An end beyond the box, for one of the ways; false if numbers are too large or too small for it.
static bool choose_end(const graze_box *box, const double point[3], uint64_t attempt, double end[3])
{
    double size = 0, least = HUGE_VAL;
    int out = 0;
    bool up = false;
    for (int axis = 0; axis < 3; ++axis) {
        double above = box->max[axis] - point[axis], below = point[axis] - box->min[axis];
        size = fmax(size, box->max[axis] - box->min[axis]);
        if (fmin(above, below) < least) {
            least = fmin(above, below);
            out = axis;
            up = above < below;
        }
    }
    double side = up ? box->max[out] : box->min[out], beyond = 0.125 * size + 0x1p-10 * fabs(side);
    for (int axis = 0; axis < 3; ++axis)
        end[axis] = point[axis] + 0.25 * (least + beyond) * tilt_of(attempt, axis);
    end[out] = side + (up ? beyond : -beyond);
    for (int axis = 0; axis < 3; ++axis)
        if (!(fabs(end[axis]) < 0x1p1022))
            return false;
    return up ? end[out] > side : end[out] < side;
}

static bool is_in_box(const graze_box *box, const double point[3])
{
    for (int axis = 0; axis < 3; ++axis)
        if (point[axis] < box->min[axis] || point[axis] > box->max[axis])
            return false;
    return true;
}

static graze_status cast(const gz_solid *p, gz_ray_wish *wish, graze_ray *ray)
{
    ray->counters = *p->counters;
    wish->shape = p->shape;
    wish->pose = p->pose;
    wish->visits = p->visits;
    wish->side = p->side;
    wish->counted = wish->only_clean = true;
    graze_status status = gz_ray_run(p->context, wish, ray);
    *p->counters = ray->counters;
    return status;
}

graze_status gz_place_free_point(const gz_solid *p, const double point[3], graze_place *place)
{
    graze_ray ray;
    graze_status status = GRAZE_OK;
    *place = GRAZE_PLACE_OUTSIDE;
    if (gz_shape_triangle_count(p->shape) == 0 || !is_in_box(&p->box, point))
        return GRAZE_OK;
    *place = GRAZE_PLACE_UNKNOWN;
    const struct gz_components *components = NULL;
    if (gz_shape_known_closed(p->shape) == GRAZE_NOT_ASKED)
        gz_visits_end(p->visits); // following edges makes reservations of its own
    status = gz_shape_components(p->shape, &components);
    if (status != GRAZE_OK || !components->closed)
        return status;
    for (uint64_t attempt = 0; attempt < TRIES && status == GRAZE_OK; ++attempt) {
        double end[3];
        if (!choose_end(&p->box, point, attempt, end))
            continue;
        status = cast(p, &(gz_ray_wish){.start = point, .end = end}, &ray);
        if (ray.unclean_count != 0)
            continue;
        *place = ray.hit_count % 2 != 0 ? GRAZE_PLACE_INSIDE : GRAZE_PLACE_OUTSIDE;
        break;
    }
    return status;
}

graze_status gz_place_point(const gz_solid *p, const double point[3], graze_place *place)
{
    graze_ray ray;
    *place = GRAZE_PLACE_OUTSIDE;
    if (gz_shape_triangle_count(p->shape) == 0 || !is_in_box(&p->box, point))
        return GRAZE_OK;
    graze_status status = cast(p, &(gz_ray_wish){.start = point, .end = point}, &ray);
    *place = ray.hit_count != 0 ? GRAZE_PLACE_SURFACE : GRAZE_PLACE_UNKNOWN;
    return status != GRAZE_OK || ray.hit_count != 0 ? status : gz_place_free_point(p, point, place);
}

gz_solid gz_solid_of(const graze_query *query, graze_posed posed, graze_counters *counters,
                     gz_visits *visits, int side)
{
    graze_box box = graze_box_posed(&posed.shape->tree.box, posed.pose);
    return (gz_solid){query->context, posed.shape, posed.pose, box, counters, visits, side};
}

graze_status graze_query_inside(graze_query *query, graze_posed posed, const double point[3],
                                graze_place *place)
{
    const char *who = "graze_query_inside";
    if (query == NULL || place == NULL)
        return gz_fail_null(query == NULL ? NULL : query->context, "graze_query_inside");
    *place = GRAZE_PLACE_UNKNOWN;
    graze_status status = gz_question_check(query, who, &posed, &posed);
    if (status == GRAZE_OK)
        status = gz_point_check(query, who, point);
    if (status != GRAZE_OK)
        return status;
    gz_fpu_state state = gz_fpu_enter();
    graze_counters counters = {0};
    gz_visits visits;
    gz_visits_begin(&visits, posed.shape, posed.shape);
    gz_solid p = gz_solid_of(query, posed, &counters, &visits, 0);
    status = gz_place_point(&p, point, place);
    gz_fpu_leave(state);
    gz_visits_end(&visits);
    return status;
}

// How much of a shape is inside the other one?
typedef enum share { SHARE_UNKNOWN, SHARE_NONE, SHARE_SOME, SHARE_ALL } share;

// If something of it is inside, `witness` is a point there.
static graze_status share_inside(const gz_solid *inner, const gz_solid *outer, share *out,
                                 double witness[3])
{
    uint64_t in = 0, beside = 0;
    const struct gz_components *components = NULL;
    *out = SHARE_UNKNOWN;
    graze_status status = gz_shape_components(inner->shape, &components);
    if (status != GRAZE_OK)
        return status;
    for (uint64_t i = 0; i < components->count && (in == 0 || beside == 0); ++i) {
        double point[3];
        graze_place place = GRAZE_PLACE_UNKNOWN;
        status = gz_component_point(inner->shape, components, i, point);
        graze_pose_apply(inner->pose, point, point);
        if (status == GRAZE_OK)
            status = gz_place_point(outer, point, &place);
        if (status == GRAZE_OK && i % PATIENCE == PATIENCE - 1)
            status = gz_checkpoint(inner->context, "nesting", "components", i, components->count);
        if (status != GRAZE_OK || place == GRAZE_PLACE_UNKNOWN)
            return status;
        if (place == GRAZE_PLACE_INSIDE && in == 0)
            memcpy(witness, point, sizeof point);
        in += place == GRAZE_PLACE_INSIDE;
        beside += place == GRAZE_PLACE_OUTSIDE;
    }
    *out = in == 0 ? SHARE_NONE : beside == 0 ? SHARE_ALL : SHARE_SOME;
    return status;
}

static graze_nesting nesting_of(share a, share b)
{
    if (a == SHARE_ALL || b == SHARE_ALL)
        return a == SHARE_ALL ? GRAZE_NESTING_A_IN_B : GRAZE_NESTING_B_IN_A;
    if (a == SHARE_UNKNOWN || b == SHARE_UNKNOWN)
        return GRAZE_NESTING_UNKNOWN;
    return a == SHARE_SOME || b == SHARE_SOME ? GRAZE_NESTING_PARTLY : GRAZE_NESTING_NONE;
}

static graze_status nest(const gz_solid *a, const gz_solid *b, bool touching,
                         graze_containment *out, double inner[3])
{
    share share_a = SHARE_UNKNOWN, share_b = SHARE_UNKNOWN;
    graze_status status = graze_shape_closed(a->shape, &out->closed_a);
    if (status == GRAZE_OK)
        status = graze_shape_closed(b->shape, &out->closed_b);
    if (status == GRAZE_OK && touching) {
        out->nesting = GRAZE_NESTING_TOUCHING;
        return GRAZE_OK;
    }
    if (status == GRAZE_OK)
        status = share_inside(a, b, &share_a, inner);
    if (status == GRAZE_OK)
        status = share_inside(b, a, &share_b, inner);
    if (status == GRAZE_OK)
        out->nesting = nesting_of(share_a, share_b);
    return status;
}

static graze_status nest_posed(graze_query *query, graze_posed a, graze_posed b, bool touching,
                               graze_containment *out, double inner[3])
{
    gz_fpu_state state = gz_fpu_enter();
    gz_visits visits;
    gz_visits_begin(&visits, a.shape, b.shape);
    gz_solid solid_a = gz_solid_of(query, a, &out->counters, &visits, 0);
    gz_solid solid_b = gz_solid_of(query, b, &out->counters, &visits, 1);
    graze_status status = nest(&solid_a, &solid_b, touching, out, inner);
    gz_fpu_leave(state);
    gz_visits_end(&visits);
    return status;
}

graze_status gz_nesting_apart(graze_query *query, graze_posed a, graze_posed b,
                              graze_containment *out, double inner[3])
{
    *out = (graze_containment){0};
    return nest_posed(query, a, b, false, out, inner);
}

graze_status graze_query_contain(graze_query *query, graze_posed a, graze_posed b,
                                 graze_containment *out)
{
    if (query == NULL || out == NULL)
        return gz_fail_null(query == NULL ? NULL : query->context, "graze_query_contain");
    *out = (graze_containment){0};
    graze_answer answer;
    double inner[3];
    graze_status status = gz_question_check(query, "graze_query_contain", &a, &b);
    if (status == GRAZE_OK)
        status = graze_query_collide(query, a, b, NULL, &answer);
    if (status != GRAZE_OK)
        return status;
    out->counters = answer.counters;
    return nest_posed(query, a, b, answer.verdict == GRAZE_CONTACT, out, inner);
}
