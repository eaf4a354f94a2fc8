// What contacts of LOD cuts stand for. See lod_contact.h; docs/guarantees.md has the proofs.
#include "query/lod_contact.h"

#include <float.h>
#include <math.h>

#include "boxtree/tree_leaf.h"
#include "geometry/rounding.h"
#include "geometry/vector.h"
#include "query/contacts.h"
#include "query/shape_parts.h"

#define SLACK 1e-9 // of lengths that are computed here; they have some ten roundings

static float backward_of(const gz_lod_question *lod, int side, uint32_t part)
{
    return lod->cut[side] == NULL ? 0 : lod->cut[side]->parts[part].backward;
}

static float least_backward(const gz_lod_cut *cut) { return cut == NULL ? 0 : cut->least_backward; }

// A bound between two surfaces holds in the frame of their model. In the world all corners are
// rounded: a coordinate has 6 roundings of 2^-53 of what is summed up, which both surfaces may be
// off by, in the opposite way and along three axes: 21 of them together. And the rotation, which is
// one to 1e-9, makes lengths longer by not more than half of what its rows are off.
static double rounding_of(const gz_lod_cut *cut, graze_posed posed)
{
    const graze_box *box = cut != NULL ? &cut->boxes.whole : &posed.shape->tree.box;
    const double *r = posed.pose->rotation;
    double size = gz_largest3(posed.pose->translation), off = 0;
    for (int i = 0; i < 3; ++i) {
        size += fmax(fabs(box->min[i]), fabs(box->max[i]));
        for (int j = 0; j < 3; ++j)
            off += fabs(r[3 * i] * r[3 * j] + r[3 * i + 1] * r[3 * j + 1] +
                        r[3 * i + 2] * r[3 * j + 2] - (i == j ? 1 : 0));
    }
    double longest = cut != NULL ? cut->error : 0;
    int exponent; // a power of two, so that it stays the same from pose to pose, as fronts like it
    (void)frexp(0x1p-48 * size + (off + 0x1p-48) * longest + DBL_MIN, &exponent);
    return ldexp(1, exponent);
}

void gz_lod_question_set(gz_lod_question *lod, const graze_posed posed[2])
{
    for (int i = 0; i < 2; ++i)
        lod->rounding[i] = rounding_of(lod->cut[i], posed[i]);
    double least = (double)least_backward(lod->cut[0]) + (double)least_backward(lod->cut[1]);
    lod->may_prove = least <= lod->tolerance;
}

static double rounding_at(const gz_lod_question *lod, int side, uint32_t part)
{
    const gz_lod_cut *cut = lod->cut[side];
    return cut != NULL && gz_lod_is_coarse(cut, part) ? lod->rounding[side] : 0;
}

double gz_lod_rounding(const gz_lod_question *lod, const uint32_t part[2])
{
    double sum = rounding_at(lod, 0, part[0]) + rounding_at(lod, 1, part[1]);
    return sum > 0 ? gz_step_up64(sum) : 0;
}

double gz_lod_tolerance(const gz_lod_question *lod, const uint32_t part[2])
{
    double more = gz_lod_rounding(lod, part);
    return more > 0 ? gz_step_up64(lod->tolerance + more) : lod->tolerance;
}

double gz_lod_proof(const gz_lod_question *lod, const uint32_t part[2])
{
    double more = gz_lod_rounding(lod, part);
    if (more == 0)
        return lod->tolerance;
    double back = (double)backward_of(lod, 0, part[0]) + (double)backward_of(lod, 1, part[1]);
    return gz_step_down64(lod->tolerance - gz_step_up64(gz_step_up64(back) + more));
}

// A part has a point in its box, and an original point is not farther from that than the bound
// back. So originals are not farther apart than the middles, both half diagonals and both bounds.
// Squares that underflow say nothing.
gz_lod_glance gz_lod_look(const gz_lod_question *lod, const gz_middle *box_a,
                          const graze_pose *pose_a, const gz_middle *box_b,
                          const graze_pose *pose_b, const uint32_t part[2])
{
    double middle_a[3], middle_b[3], apart = 0, half_a = 0, half_b = 0, size = 0;
    graze_pose_apply(pose_a, box_a->origin, middle_a);
    graze_pose_apply(pose_b, box_b->origin, middle_b);
    for (int axis = 0; axis < 3; ++axis) {
        double d = middle_a[axis] - middle_b[axis];
        apart += d * d;
        half_a += box_a->half[axis] * box_a->half[axis];
        half_b += box_b->half[axis] * box_b->half[axis];
        size += fabs(middle_a[axis]) + fabs(middle_b[axis]);
    }
    double most = sqrt(apart) + sqrt(half_a) + sqrt(half_b) + (double)backward_of(lod, 0, part[0]) +
                  (double)backward_of(lod, 1, part[1]);
    most = most * (1 + SLACK) + SLACK * size + lod->rounding[0] + lod->rounding[1];
    if (!(most > 0x1p-400))
        return GZ_LOD_OPEN;
    if (most <= lod->tolerance)
        return GZ_LOD_CONTACT;
    return most <= lod->tolerance + lod->error ? GZ_LOD_WITHIN_ERROR : GZ_LOD_OPEN;
}

// How far the points that a leaf stands for may be from a point: as far as the farthest of its
// corners, and its spread. Where squares are not good numbers, a cube around the point will do.
static double cover_of(const gz_tree *tree, const graze_pose *pose, uint32_t leaf, double spread,
                       const double point[3])
{
    double most = 0, side = 0, size = 0;
    for (uint32_t slot = 0; slot < gz_tree_leaf_count(tree, leaf); ++slot) {
        graze_triangle t;
        gz_tree_triangle(tree, leaf, slot, &t);
        for (int corner = 0; corner < 3; ++corner) {
            double at[3], sum = 0;
            graze_pose_apply(pose, t.corner[corner], at);
            for (int axis = 0; axis < 3; ++axis) {
                sum += (at[axis] - point[axis]) * (at[axis] - point[axis]);
                side = fmax(side, fabs(at[axis] - point[axis]));
                size = fmax(size, fabs(at[axis]));
            }
            most = fmax(most, sum);
        }
    }
    double radius = most > 0x1p-800 && most < 0x1p800 ? sqrt(most) : 2 * side;
    return (radius + spread) * (1 + SLACK) + 0x1p-48 * size;
}

// The number of a triangle: in the cut, or in its mesh.
static uint32_t number_of(const gz_lod_cut *cut, const gz_tree *tree, uint32_t part, uint32_t leaf,
                          uint32_t slot)
{
    uint32_t place = gz_tree_leaf_first(tree, leaf) + slot;
    return cut == NULL ? tree->order[place] : cut->parts[part].first + place;
}

static double spread_of(const gz_tree *tree, uint32_t leaf)
{
    return tree->spread > 0 ? (double)gz_leaf_spread(gz_tree_head(tree, leaf)) : 0;
}

static void swap_sides(graze_contact *c)
{
    graze_contact was = *c;
    c->pair = (graze_pair){was.pair.b, was.pair.a};
    for (int axis = 0; axis < 3; ++axis) {
        c->point_a[axis] = was.point_b[axis];
        c->point_b[axis] = was.point_a[axis];
        c->normal[axis] = -was.normal[axis];
    }
    c->cover_a = was.cover_b;
    c->cover_b = was.cover_a;
}

void gz_lod_contact(const gz_lod_question *lod, const gz_pair_query *pairs, const uint32_t part[2],
                    const gz_pair_place *place, bool with_points, graze_contact *out)
{
    const gz_frames *f = &pairs->frames;
    *out = (graze_contact){0};
    out->pair.a = number_of(lod->cut[0], f->a, part[0], place->leaf_a, place->slot_a);
    out->pair.b = number_of(lod->cut[1], f->b, part[1], place->leaf_b, place->slot_b);
    if (with_points) {
        graze_triangle t, u;
        double spread_a = spread_of(f->a, place->leaf_a) + rounding_at(lod, 0, part[0]);
        double spread_b = spread_of(f->b, place->leaf_b) + rounding_at(lod, 1, part[1]);
        gz_frames_triangles(f, place->leaf_a, place->slot_a, place->leaf_b, place->slot_b, &t, &u);
        gz_contact_of(&t, &u, out);
        out->error = (spread_a + spread_b + (double)backward_of(lod, 0, part[0]) +
                      (double)backward_of(lod, 1, part[1])) *
                     (1 + 0x1p-50);
        out->cover_a = cover_of(f->a, &f->pose_a, place->leaf_a, spread_a, out->point_a);
        out->cover_b = cover_of(f->b, &f->pose_b, place->leaf_b, spread_b, out->point_b);
    }
    if (lod->swapped)
        swap_sides(out);
}
