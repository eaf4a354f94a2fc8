// 24-DOPs: the points between twelve pairs of parallel planes of fixed directions. A volume of the
// palette; see palette.h.
//
// A volume is its support: the largest value of normal . x for each of 24 normals. B's support
// along a normal n of A is that along v = (ratio matrix)^T n in B's frame. v lies between three of
// the 24 normals, v = w0 n0 + w1 n1 + w2 n2 with weights that are not negative, so that the support
// is at most the same sum of theirs ("dynamically aligned", Zachmann 1998). Which three, and the
// weights, depend on the frame only. Which triples have nothing else between them is found once, as
// the faces of the convex hull of the normals.
//
// Rounding. Weights are rounded; the rest v - sum is computed, too, and its absolute coordinates
// are added to the support, as coordinates are at most 1. The normals' coordinates add up to at
// most 3, so that errors of coordinates count three times.
#include <math.h>

#include "boxtree/papers/palette.h"
#include "geometry/vector.h"

enum { DIRECTIONS = 12, NORMALS = 24, FACES_MAX = 128 };

static const double directions[DIRECTIONS][3] = {
    {1, 0, 0},  {0, 1, 0},  {0, 0, 1},  {1, 1, 0},  {1, 0, 1},  {0, 1, 1},
    {1, -1, 0}, {1, 0, -1}, {0, 1, -1}, {1, 1, -1}, {1, -1, 1}, {-1, 1, 1},
};

typedef struct dop {
    float support[NORMALS]; // of direction i: 2 i along it, 2 i + 1 against it
} dop;

typedef struct face {
    uint32_t normal[3];
    double inverse[9]; // of the matrix whose columns are the normals: its product with v: weights
} face;

// How B's volumes are bounded along one normal of A.
typedef struct bound {
    uint32_t normal[3];
    double weight[3], constant;
} bound;

typedef struct dop_frame {
    uint32_t face_count; // 0: not yet found
    face faces[FACES_MAX];
    bound bounds[NORMALS];
} dop_frame;
_Static_assert(sizeof(dop_frame) <= GZ_PREPARED_BYTES, "the query has room");

static void set_normal(uint32_t number, double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = number % 2 == 0 ? directions[number / 2][k] : -directions[number / 2][k];
}

static void fit_dop(const double (*points)[3], uint64_t count, void *volume)
{
    dop *d = volume;
    for (uint32_t i = 0; i < DIRECTIONS; ++i) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (uint64_t k = 0; k < count; ++k) {
            double height = gz_dot3(directions[i], points[k]);
            low = height < low ? height : low;
            high = height > high ? height : high;
        }
        d->support[2 * i] = gz_round_up(high + 0x1p-50);
        d->support[2 * i + 1] = gz_round_up(0x1p-50 - low);
    }
}

static bool dop_holds(const void *volume, const double p[3])
{
    const dop *d = volume;
    for (uint32_t i = 0; i < DIRECTIONS; ++i) {
        double height = gz_dot3(directions[i], p);
        if (!(height <= (double)d->support[2 * i] && -height <= (double)d->support[2 * i + 1]))
            return false;
    }
    return true;
}

// Rows of the inverse of a matrix are cross products of its columns over the determinant. False if
// the three are in one plane.
static bool invert_columns(const double (*column)[3], double inverse[9])
{
    for (int i = 0; i < 3; ++i)
        gz_cross3(column[(i + 1) % 3], column[(i + 2) % 3], &inverse[3 * i]);
    double determinant = gz_dot3(column[0], inverse);
    if (fabs(determinant) < 0.5) // of whole numbers
        return false;
    for (int k = 0; k < 9; ++k)
        inverse[k] /= determinant;
    return true;
}

// Is the triple a face of the hull of all normals, brought to length 1? On the plane through the
// three, the sum of weights is 1 for vectors of their lengths.
static bool is_face(const uint32_t triple[3], const double inverse[9])
{
    double plane[3] = {0};
    for (int i = 0; i < 3; ++i) {
        double n[3];
        set_normal(triple[i], n);
        double length = gz_length3(n);
        for (int k = 0; k < 3; ++k)
            plane[k] += length * inverse[3 * i + k];
    }
    for (uint32_t other = 0; other < NORMALS; ++other) {
        double n[3];
        set_normal(other, n);
        if (gz_dot3(plane, n) > gz_length3(n) * (1 + 1e-9))
            return false;
    }
    return true;
}

static void find_faces(dop_frame *d)
{
    for (uint32_t i = 0; i < NORMALS; ++i)
        for (uint32_t j = i + 1; j < NORMALS; ++j)
            for (uint32_t k = j + 1; k < NORMALS; ++k) {
                face f = {.normal = {i, j, k}};
                double column[3][3];
                for (int c = 0; c < 3; ++c)
                    set_normal(f.normal[c], column[c]);
                if (d->face_count < FACES_MAX &&
                    invert_columns((const double(*)[3])column, f.inverse) &&
                    is_face(f.normal, f.inverse))
                    d->faces[d->face_count++] = f;
            }
}

// The face that holds v, or comes closest to it, with the weights.
static bound find_bound(const dop_frame *d, const double v[3])
{
    bound best = {.constant = 0};
    double best_least = -HUGE_VAL;
    for (uint32_t i = 0; i < d->face_count; ++i) {
        const face *f = &d->faces[i];
        double weight[3], least = HUGE_VAL;
        for (int k = 0; k < 3; ++k) {
            weight[k] = gz_dot3(&f->inverse[3 * k], v);
            least = fmin(least, weight[k]);
        }
        if (least > best_least) {
            best_least = least;
            for (int k = 0; k < 3; ++k) {
                best.normal[k] = f->normal[k];
                best.weight[k] = fmax(weight[k], 0);
            }
        }
    }
    double rest[3] = {v[0], v[1], v[2]};
    for (int k = 0; k < 3; ++k) {
        double n[3];
        set_normal(best.normal[k], n);
        for (int axis = 0; axis < 3; ++axis)
            rest[axis] -= best.weight[k] * n[axis];
    }
    best.constant = fabs(rest[0]) + fabs(rest[1]) + fabs(rest[2]);
    return best;
}

static void prepare_dop(gz_palette_frame *frame)
{
    dop_frame *d = frame->prepared;
    if (d->face_count == 0)
        find_faces(d);
    for (uint32_t i = 0; i < NORMALS; i += 2) {
        double n[3], v[3];
        set_normal(i, n);
        for (int k = 0; k < 3; ++k) {
            const double column[3] = {frame->matrix[k], frame->matrix[3 + k], frame->matrix[6 + k]};
            v[k] = frame->ratio * gz_dot3(column, n);
        }
        bound along = find_bound(d, v), against = along;
        for (int k = 0; k < 3; ++k)
            against.normal[k] ^= 1; // what holds for a normal holds mirrored for its opposite
        along.constant += gz_dot3(n, frame->shift);
        against.constant -= gz_dot3(n, frame->shift);
        d->bounds[i] = along;
        d->bounds[i + 1] = against;
    }
}

// Turned: B's support along A's normals.
static void turn_dop(const gz_palette_frame *frame, const void *b, double *turned)
{
    const dop_frame *d = frame->prepared;
    const float *support = ((const dop *)b)->support;
    for (uint32_t i = 0; i < NORMALS; ++i) {
        const bound *x = &d->bounds[i];
        turned[i] = x->weight[0] * (double)support[x->normal[0]] +
                    x->weight[1] * (double)support[x->normal[1]] +
                    x->weight[2] * (double)support[x->normal[2]] + x->constant;
    }
}

static bool dops_apart(const gz_palette_frame *frame, const void *a, const double *turned)
{
    const float *support = ((const dop *)a)->support;
    double limit = -4 * frame->margin;
    for (uint32_t i = 0; i < NORMALS; ++i)
        if ((double)support[i] + turned[i ^ 1] < limit)
            return true;
    return false;
}

const gz_volume_kind gz_volume_dop24 = {
    .name = "24-DOP",
    .bytes = sizeof(dop),
    .fit = fit_dop,
    .holds = dop_holds,
    .prepare = prepare_dop,
    .turn = turn_dop,
    .apart = dops_apart,
};
