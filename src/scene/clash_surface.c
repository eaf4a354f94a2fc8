// Where surfaces meet, and whether they pierce each other. See clash_surface.h.
//
// Two triangles that cross are parted by moving one of them along the shortest way out; its length
// is the depth of their contact. A single pair deeper than touch proves that the surfaces pierce
// each other. If all pairs are less deep, that proves nothing yet: a surface of small triangles, or
// with a row of corners just behind the other surface, may go on behind it. So one surface is moved
// by touch, and all of it is looked at again, or the neighbourhood of each pair that crosses: if
// nothing crosses any more, there it was no more than touch. A sheet that stands on another one,
// and reaches through it by rounding, is parted so; a wall that goes on below the floor is not.
#include "scene/clash_surface.h"

#include <math.h>
#include <string.h>

#include "geometry/predicates.h"
#include "geometry/triangle.h"
#include "geometry/vector.h"
#include "query/contacts.h"
#include "query/pair_stream.h"

#define PAIRS_SEEN 4096    // for the place of a contact
#define SHALLOW    64      // places that are looked at one by one
#define SIZE_NOISE 0x1p-40 // of the size of triangles: how well the depth of a contact is known
#define FAR_NOISE  0x1p-46 // of coordinates: what posing rounds

// --- Piercing

// A place where triangles cross, by no more than touch.
typedef struct shallow {
    graze_box box;    // of what the two have in common
    double normal[3]; // moving b this way parts them
    double depth, noise;
} shallow;

typedef struct crossing {
    double touch; // deeper ones are enough
    bool pierce;
    uint64_t shallow_count;
    shallow place[SHALLOW];
    shallow deepest;
} crossing;

static double noise_of(const graze_triangle *a, const graze_triangle *b)
{
    double size = 0, far = 0;
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 3; ++k) {
            const double *p = (side == 0 ? a : b)->corner[k];
            double way[3];
            gz_subtract3(p, a->corner[0], way);
            size = fmax(size, gz_largest3(way));
            far = fmax(far, gz_largest3(p));
        }
    return SIZE_NOISE * size + FAR_NOISE * far;
}

static void add_points(graze_box *box, const graze_intersection *common)
{
    graze_box more = graze_box_of_points(common->point, common->point_count);
    *box = graze_box_join(box, &more);
}

static void keep_shallow(crossing *c, const graze_triangle *a, const graze_triangle *b,
                         const graze_contact *contact, double noise)
{
    graze_intersection common;
    gz_triangle_intersect(a, b, &common);
    shallow found = {.box = graze_box_empty(), .depth = contact->depth, .noise = noise};
    add_points(&found.box, &common);
    memcpy(found.normal, contact->normal, sizeof found.normal);
    if (c->shallow_count < SHALLOW)
        c->place[c->shallow_count] = found;
    if (c->shallow_count == 0 || found.depth > c->deepest.depth)
        c->deepest = found;
    c->shallow_count++;
}

static bool look_at_pair(void *data, const graze_triangle *a, const graze_triangle *b)
{
    crossing *c = data;
    graze_contact contact = {0};
    gz_contact_of(a, b, &contact);
    double noise = noise_of(a, b);
    c->pierce = contact.depth > fmax(c->touch, noise);
    if (!c->pierce && contact.depth > noise)
        keep_shallow(c, a, b, &contact, noise);
    return !c->pierce;
}

// Ends at the first pair that crosses at all.
static bool look_for_any(void *data, const graze_triangle *a, const graze_triangle *b)
{
    bool *any = data;
    graze_contact contact = {0};
    gz_contact_of(a, b, &contact);
    *any = contact.depth > noise_of(a, b);
    return !*any;
}

static graze_pose moved(const graze_pose *pose, const double normal[3], double length)
{
    graze_pose at = *pose;
    for (int i = 0; i < 3; ++i)
        at.translation[i] += length * normal[i];
    return at;
}

// Whether moving all of b leaves nothing that crosses.
static graze_status part_all(graze_query *query, graze_posed a, graze_posed b,
                             const crossing *found, bool *parted)
{
    bool any = false, complete;
    graze_pose at = moved(b.pose, found->deepest.normal, found->touch);
    gz_pair_visitor visitor = {look_for_any, &any};
    graze_status status = gz_pairs_show(query, a, graze_at(b.shape, &at), 0, &visitor, &complete);
    *parted = !any;
    return status;
}

// The same for the triangles that reach into the neighbourhood of one place.
static graze_status part_place(graze_query *query, graze_posed a, graze_posed b,
                               const shallow *place, double touch, bool *parted)
{
    graze_pose at = moved(b.pose, place->normal, touch);
    graze_contact around = {0};
    graze_collide_def def = graze_collide_def_default();
    graze_answer answer;
    def.collect = GRAZE_COLLECT_CONTACTS;
    def.pair_limit = PAIRS_SEEN;
    double size = 0;
    for (int i = 0; i < 3; ++i) {
        around.point_a[i] = place->box.min[i] / 2 + place->box.max[i] / 2;
        around.point_b[i] = around.point_a[i] + touch * place->normal[i];
        size = fmax(size, place->box.max[i] / 2 - place->box.min[i] / 2);
    }
    around.cover_a = around.cover_b = size + 2 * touch;
    graze_status status =
        graze_query_behind(query, a, graze_at(b.shape, &at), &around, &def, &answer);
    if (status != GRAZE_OK)
        return status;
    *parted = answer.complete != 0;
    for (uint64_t i = 0; i < answer.pair_count && *parted; ++i)
        *parted = answer.contacts[i].depth <= 4 * place->noise;
    return status;
}

graze_status gz_surfaces_pierce(graze_query *query, graze_posed a, graze_posed b, double touch,
                                bool *pierce)
{
    crossing found = {.touch = touch};
    bool complete, parted = true;
    gz_pair_visitor visitor = {look_at_pair, &found};
    graze_status status = gz_pairs_show(query, a, b, 0, &visitor, &complete);
    *pierce = found.pierce;
    if (status != GRAZE_OK || found.pierce || found.shallow_count == 0)
        return status;
    if (touch > 0)
        status = part_all(query, a, b, &found, &parted);
    else
        parted = false;
    if (status == GRAZE_OK && !parted && touch > 0 && found.shallow_count <= SHALLOW) {
        parted = true;
        for (uint64_t i = 0; i < found.shallow_count && parted && status == GRAZE_OK; ++i)
            status = part_place(query, a, b, &found.place[i], touch, &parted);
    }
    *pierce = !parted;
    return status;
}

// --- Meeting

typedef struct meeting {
    gz_meeting *out;
    double tolerance;
    uint64_t left;
    bool any;
} meeting;

static bool is_on_both_sides(const graze_triangle *plane, const graze_triangle *t)
{
    int sign[3];
    bool above = false, below = false;
    gz_orient3d_three(plane, t, sign);
    for (int k = 0; k < 3; ++k) {
        above |= sign[k] > 0;
        below |= sign[k] < 0;
    }
    return above && below;
}

static void add_common(meeting *m, const graze_triangle *a, const graze_triangle *b)
{
    graze_intersection common;
    gz_triangle_intersect(a, b, &common);
    add_points(&m->out->box, &common);
    graze_box here = graze_box_of_points(common.point, common.point_count);
    gz_places_add(&m->out->places, &here);
    if (!m->any) {
        graze_contact contact = {0};
        gz_contact_of(a, b, &contact);
        memcpy(m->out->point, contact.point_a, sizeof m->out->point);
    }
    if (common.point_count == 2 && is_on_both_sides(a, b) && is_on_both_sides(b, a)) {
        double way[3];
        gz_subtract3(common.point[1], common.point[0], way);
        m->out->length += gz_length3(way);
    }
}

// What of one triangle's box may be within the tolerance of the other.
static void add_near(meeting *m, const graze_triangle *a, const graze_triangle *b)
{
    graze_box box[2] = {graze_box_of_points(a->corner, 3), graze_box_of_points(b->corner, 3)};
    for (int side = 0; side < 2; ++side) {
        graze_box part = graze_box_grow(&box[1 - side], m->tolerance);
        for (int i = 0; i < 3; ++i) {
            part.min[i] = fmax(part.min[i], box[side].min[i]);
            part.max[i] = fmin(part.max[i], box[side].max[i]);
        }
        m->out->box = graze_box_join(&m->out->box, &part);
        gz_places_add(&m->out->places, &part);
    }
}

static bool add_pair(void *data, const graze_triangle *a, const graze_triangle *b)
{
    meeting *m = data;
    if (m->left == 0)
        return false;
    if (m->tolerance > 0)
        add_near(m, a, b);
    else
        add_common(m, a, b);
    m->any = true;
    m->left--;
    return true;
}

// How thick a shape is: the shortest side of its box, in its own frame.
static double thickness_of(const graze_shape *shape)
{
    graze_box box = graze_shape_get_info(shape).box;
    double least = HUGE_VAL;
    for (int i = 0; i < 3; ++i)
        least = fmin(least, box.max[i] - box.min[i]);
    return least;
}

graze_status gz_surfaces_meet(graze_query *query, graze_posed a, graze_posed b, double tolerance,
                              gz_meeting *out)
{
    *out = (gz_meeting){.box = graze_box_empty()};
    out->places.near = 1.25 * fmax(thickness_of(a.shape), thickness_of(b.shape));
    meeting m = {.out = out, .tolerance = tolerance, .left = PAIRS_SEEN};
    gz_pair_visitor visitor = {add_pair, &m};
    graze_status status = gz_pairs_show(query, a, b, tolerance, &visitor, &out->whole);
    gz_places_settle(&out->places);
    return status;
}
