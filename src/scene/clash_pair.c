// What two objects are to each other. See clash_pair.h and graze/clash.h.
//
// A cascade, each step only where the one before left it open: the same triangles in the same
// place; nothing within touch or clearance, which ends most pairs; no common point, then one is
// inside the other or there is a gap; both closed, then the depth tells an overlap from a touch;
// else whether the surfaces pierce each other. Places and regions are looked for in the end, and
// only of what is told.
//
// The two are first put in an order of their own, so that every step is the same both ways round.
#include "scene/clash_pair.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "geometry/fpu.h"
#include "query/closed.h"
#include "query/contain.h"
#include "query/penetration.h"
#include "scene/clash_surface.h"

#define BORDER_ERROR 0x1p-9  // depths near touch are known to this part of them
#define LEAST_FLOOR  0x1p-30 // of the smaller diagonal: less deep is touching, if touch is less
#define CELLS        20000   // of a search for a depth: some tenths of a second
#define NEAR         0x1p-50 // gaps this near to a limit, relatively, are compared exactly

typedef struct couple {
    graze_query *query;
    const gz_clash_side *side[2];
    graze_posed at[2];
    const gz_clash_limits *limits;
    graze_clash *out;
    gz_places places;
} couple;

static const graze_pose still = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

// --- Boxes

static graze_box common_box(const graze_box *a, const graze_box *b)
{
    graze_box common;
    for (int i = 0; i < 3; ++i) {
        common.min[i] = fmax(a->min[i], b->min[i]);
        common.max[i] = fmin(a->max[i], b->max[i]);
    }
    return common;
}

static bool is_empty(const graze_box *box)
{
    return box->min[0] > box->max[0] || box->min[1] > box->max[1] || box->min[2] > box->max[2];
}

static bool boxes_meet(const couple *c)
{
    return graze_box_overlap(&c->side[0]->box, &c->side[1]->box) != 0;
}

static double diagonal_of(const graze_box *box)
{
    double x = box->max[0] - box->min[0], y = box->max[1] - box->min[1],
           z = box->max[2] - box->min[2];
    return sqrt(x * x + y * y + z * z);
}

static double smaller_diagonal(const couple *c)
{
    return fmin(diagonal_of(&c->side[0]->box), diagonal_of(&c->side[1]->box));
}

// No ball in an object is larger.
static double thickest(const couple *c)
{
    double most = 0;
    for (int side = 0; side < 2; ++side) {
        const graze_box *box = &c->side[side]->box;
        double least = HUGE_VAL;
        for (int i = 0; i < 3; ++i)
            least = fmin(least, box->max[i] / 2 - box->min[i] / 2);
        most = fmax(most, least);
    }
    return most * (1 + 0x1p-50);
}

// --- The order of the two

static int compare_numbers(const double *x, const double *y, int count)
{
    for (int i = 0; i < count; ++i)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

// By what they are and where: two that are alike in all of this are the same in the same place.
static int compare_sides(const gz_clash_side *a, const graze_pose *pose_a, const gz_clash_side *b,
                         const graze_pose *pose_b)
{
    if (a->triangle_count != b->triangle_count)
        return a->triangle_count < b->triangle_count ? -1 : 1;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    int order = compare_numbers(a->box.min, b->box.min, 3);
    if (order == 0)
        order = compare_numbers(a->box.max, b->box.max, 3);
    if (order == 0)
        order = compare_numbers(pose_a->rotation, pose_b->rotation, 9);
    return order != 0 ? order : compare_numbers(pose_a->translation, pose_b->translation, 3);
}

// --- Duplicates

// A shift and a turn move no point of a box farther than one of its corners: the way between the
// two places of a point is linear in the point, and its length convex.
static bool same_place(const couple *c)
{
    const graze_box *own = &c->at[0].shape->tree.box;
    for (int corner = 0; corner < 8; ++corner) {
        double local[3], p[3], q[3], square = 0;
        for (int i = 0; i < 3; ++i)
            local[i] = corner >> i & 1 ? own->max[i] : own->min[i];
        graze_pose_apply(c->at[0].pose, local, p);
        graze_pose_apply(c->at[1].pose, local, q);
        for (int i = 0; i < 3; ++i)
            square += (p[i] - q[i]) * (p[i] - q[i]);
        if (!(sqrt(square) <= c->limits->touch))
            return false;
    }
    return true;
}

static bool are_duplicates(const couple *c)
{
    const gz_clash_side *a = c->side[0], *b = c->side[1];
    bool same = a->at.shape == b->at.shape || (a->hash != 0 && a->hash == b->hash);
    return same && a->triangle_count == b->triangle_count && same_place(c);
}

// --- What the library is asked

static graze_status are_within(couple *c, double tolerance, bool *within)
{
    graze_collide_def def = graze_collide_def_default();
    graze_answer answer;
    def.tolerance = tolerance;
    graze_status status = graze_query_collide(c->query, c->at[0], c->at[1], &def, &answer);
    *within = answer.verdict != GRAZE_APART;
    return status;
}

static graze_status find_depth(couple *c, double error, graze_penetration *depth)
{
    graze_penetration_def def = graze_penetration_def_default();
    def.error = error;
    def.floor = fmax(c->limits->touch, LEAST_FLOOR * smaller_diagonal(c));
    def.floor = fmax(def.floor, 0x1p-1000); // 0 would be the default
    graze_status status = gz_penetration_limited(c->query, c->at[0], c->at[1], &def, CELLS, depth);
    depth->high = fmin(depth->high, thickest(c));
    return status;
}

// --- What is told

static void tell_points(couple *c, const double a[3], const double b[3])
{
    memcpy(c->out->point_a, a, sizeof c->out->point_a);
    memcpy(c->out->point_b, b, sizeof c->out->point_b);
}

// Within both boxes; of a gap, within the box around both.
static void tell_region(couple *c, const graze_box *found, bool whole, bool gap)
{
    const graze_box *a = &c->side[0]->box, *b = &c->side[1]->box;
    graze_box room = common_box(a, b);
    if (gap || is_empty(&room)) // flat duplicates may have boxes beside each other
        room = graze_box_join(a, b);
    graze_box region = common_box(found, &room);
    c->out->region = is_empty(&region) ? room : region;
    c->out->region_whole = whole && !is_empty(&region);
}

// Several places are told only where all of the contact was seen: who knows what is between?
static void tell_places(couple *c, const gz_meeting *meeting)
{
    if (meeting->whole && c->out->region_whole != 0)
        c->places = meeting->places;
    for (uint32_t i = 0; i < c->places.count; ++i) {
        graze_box box = common_box(&c->places.box[i], &c->out->region);
        if (!is_empty(&box)) // of what rounding has left outside, the box stays
            c->places.box[i] = box;
    }
}

static void tell_depth(couple *c, const graze_penetration *depth)
{
    c->out->depth_low = depth->low;
    c->out->depth_high = depth->high;
}

// Where they share points. A point that is known already is in the region, too.
static graze_status tell_meeting(couple *c, const double *point)
{
    gz_meeting meeting;
    graze_status status = gz_surfaces_meet(c->query, c->at[0], c->at[1], 0, &meeting);
    if (status != GRAZE_OK)
        return status;
    if (point != NULL) {
        graze_box here = graze_box_of_points((const double(*)[3])point, 1);
        meeting.box = graze_box_join(&meeting.box, &here);
    }
    const double *place = point != NULL ? point : meeting.point;
    tell_points(c, place, place);
    tell_region(c, &meeting.box, meeting.whole, false);
    tell_places(c, &meeting);
    if (c->out->kind == GRAZE_CLASH_CROSSING)
        c->out->length = meeting.length;
    return GRAZE_OK;
}

static graze_status tell_gap(couple *c, graze_clash_kind kind, const graze_distance *distance)
{
    gz_meeting meeting;
    double points[2][3],
        reach = kind == GRAZE_CLASH_TOUCHING ? c->limits->touch : c->limits->clearance;
    c->out->kind = kind;
    c->out->gap = distance->distance;
    if (kind == GRAZE_CLASH_TOUCHING && !c->limits->list_touching)
        return GRAZE_OK;
    tell_points(c, distance->point_a, distance->point_b);
    graze_status status = gz_surfaces_meet(c->query, c->at[0], c->at[1], reach, &meeting);
    memcpy(points[0], distance->point_a, sizeof points[0]);
    memcpy(points[1], distance->point_b, sizeof points[1]);
    graze_box here = graze_box_of_points((const double(*)[3])points, 2);
    graze_box found = graze_box_join(&meeting.box, &here);
    tell_region(c, &found, meeting.whole, true);
    tell_places(c, &meeting);
    return status;
}

static graze_status tell_duplicate(couple *c)
{
    const struct gz_components *components = NULL;
    double point[3] = {0};
    graze_status status = gz_shape_components(c->at[0].shape, &components);
    if (status == GRAZE_OK && components->count != 0)
        status = gz_component_point(c->at[0].shape, components, 0, point);
    graze_pose_apply(c->at[0].pose, point, point);
    c->out->kind = GRAZE_CLASH_DUPLICATE;
    tell_points(c, point, point);
    graze_box all = common_box(&c->side[0]->box, &c->side[1]->box);
    tell_region(c, &all, true, false);
    return status;
}

// --- The steps

// Something of one is inside the other, and the two share no point.
static graze_status decide_nested(couple *c, const graze_containment *nested, const double inner[3])
{
    graze_penetration depth = {0};
    graze_status status = GRAZE_OK;
    bool both_closed = nested->closed_a && nested->closed_b;
    if (both_closed)
        status = find_depth(c, c->limits->depth_error, &depth);
    if (status != GRAZE_OK)
        return status;
    const double *place = depth.low > 0 ? depth.point : inner;
    tell_depth(c, &depth);
    tell_points(c, place, place);
    graze_box all = common_box(&c->side[0]->box, &c->side[1]->box);
    tell_region(c, &all, true, false);
    c->out->kind = GRAZE_CLASH_CONTAINED;
    c->out->inner = nested->nesting == GRAZE_NESTING_B_IN_A;
    if (nested->nesting == GRAZE_NESTING_PARTLY)
        c->out->kind = both_closed ? GRAZE_CLASH_OVERLAP : GRAZE_CLASH_CROSSING;
    return GRAZE_OK;
}

// They share no point. `nested` says whether that was all there is to tell.
static graze_status look_inside(couple *c, bool *nested)
{
    graze_containment found;
    double inner[3] = {0};
    *nested = false;
    if (!boxes_meet(c))
        return GRAZE_OK;
    graze_status status = gz_nesting_apart(c->query, c->at[0], c->at[1], &found, inner);
    if (status != GRAZE_OK)
        return status;
    *nested = found.nesting != GRAZE_NESTING_NONE && found.nesting != GRAZE_NESTING_UNKNOWN;
    return *nested ? decide_nested(c, &found, inner) : GRAZE_OK;
}

// Is the gap at most a length? What is known of it is exact to a rounding.
static graze_status is_gap_within(couple *c, double gap, double length, bool *within)
{
    *within = gap <= length;
    return fabs(gap - length) <= NEAR * length ? are_within(c, length, within) : GRAZE_OK;
}

static graze_status decide_gap(couple *c)
{
    graze_distance_def def = graze_distance_def_default();
    graze_distance distance;
    bool touching = false, near = false;
    def.limit = fmax(c->limits->touch, c->limits->clearance);
    graze_status status = graze_query_distance(c->query, c->at[0], c->at[1], &def, &distance);
    if (status == GRAZE_OK)
        status = is_gap_within(c, distance.distance, c->limits->touch, &touching);
    if (status == GRAZE_OK && touching)
        return tell_gap(c, GRAZE_CLASH_TOUCHING, &distance);
    // A gap that is as wide as the clearance is wide enough.
    if (status == GRAZE_OK && c->limits->clearance > 0)
        status = is_gap_within(c, distance.distance, nextafter(c->limits->clearance, 0), &near);
    return status == GRAZE_OK && near ? tell_gap(c, GRAZE_CLASH_CLEARANCE, &distance) : status;
}

static graze_status tell_touching(couple *c)
{
    c->out->kind = GRAZE_CLASH_TOUCHING;
    return c->limits->list_touching ? tell_meeting(c, NULL) : GRAZE_OK;
}

// Both are closed and share points.
static graze_status decide_depth(couple *c)
{
    graze_penetration depth;
    double touch = c->limits->touch;
    graze_status status = find_depth(c, c->limits->depth_error, &depth);
    if (status == GRAZE_OK && depth.low <= touch && depth.high > touch &&
        c->limits->depth_error > BORDER_ERROR)
        status = find_depth(c, BORDER_ERROR, &depth);
    if (status != GRAZE_OK)
        return status;
    if (depth.high <= touch || depth.verdict == GRAZE_WITHIN_ERROR || depth.verdict == GRAZE_APART)
        return tell_touching(c);
    c->out->kind = GRAZE_CLASH_OVERLAP;
    tell_depth(c, &depth);
    return tell_meeting(c, depth.low > 0 ? depth.point : NULL);
}

static graze_status decide_meeting(couple *c)
{
    uint32_t closed[2] = {0, 0};
    bool pierce = false;
    graze_status status = graze_shape_closed(c->at[0].shape, &closed[0]);
    if (status == GRAZE_OK)
        status = graze_shape_closed(c->at[1].shape, &closed[1]);
    if (status != GRAZE_OK)
        return status;
    if (closed[0] && closed[1])
        return decide_depth(c);
    status = gz_surfaces_pierce(c->query, c->at[0], c->at[1], c->limits->touch, &pierce);
    if (status != GRAZE_OK || !pierce)
        return status == GRAZE_OK ? tell_touching(c) : status;
    c->out->kind = GRAZE_CLASH_CROSSING;
    return tell_meeting(c, NULL);
}

static graze_status decide(couple *c)
{
    double reach = fmax(c->limits->touch, c->limits->clearance);
    bool near = false, meet = false, nested = false;
    if (graze_box_distance(&c->side[0]->box, &c->side[1]->box) > reach)
        return GRAZE_OK; // one that has no triangles has an empty box
    graze_status status = are_within(c, reach, &near);
    if (status == GRAZE_OK && near && are_duplicates(c))
        return tell_duplicate(c);
    meet = near;
    if (status == GRAZE_OK && near && reach > 0)
        status = are_within(c, 0, &meet);
    if (status == GRAZE_OK && meet)
        return decide_meeting(c);
    if (status == GRAZE_OK)
        status = look_inside(c, &nested);
    return status == GRAZE_OK && near && !nested ? decide_gap(c) : status;
}

graze_status gz_clash_classify(graze_query *query, const gz_clash_side *a, const gz_clash_side *b,
                               const gz_clash_limits *limits, graze_clash *out)
{
    gz_places places;
    return gz_clash_classify_places(query, a, b, limits, out, &places);
}

graze_status gz_clash_classify_places(graze_query *query, const gz_clash_side *a,
                                      const gz_clash_side *b, const gz_clash_limits *limits,
                                      graze_clash *out, gz_places *places)
{
    GZ_ASSERT(limits->touch >= 0 && limits->clearance >= 0 && limits->depth_error >= 0);
    *out = (graze_clash){.region = graze_box_empty()};
    const graze_pose *pose_a = a->at.pose == NULL ? &still : a->at.pose;
    const graze_pose *pose_b = b->at.pose == NULL ? &still : b->at.pose;
    bool swapped = compare_sides(a, pose_a, b, pose_b) > 0;
    couple c = {.query = query, .limits = limits, .out = out};
    c.side[swapped] = a;
    c.side[!swapped] = b;
    c.at[swapped] = graze_at(a->at.shape, pose_a);
    c.at[!swapped] = graze_at(b->at.shape, pose_b);
    gz_fpu_state state = gz_fpu_enter();
    graze_status status = decide(&c);
    gz_fpu_leave(state);
    *places = c.places;
    if (places->count == 0 && !is_empty(&out->region))
        gz_places_add(places, &out->region);
    if (swapped) {
        double point[3];
        memcpy(point, out->point_a, sizeof point);
        memcpy(out->point_a, out->point_b, sizeof point);
        memcpy(out->point_b, point, sizeof point);
        if (out->kind == GRAZE_CLASH_CONTAINED)
            out->inner = 1 - out->inner;
    }
    return status;
}
