// The map between the frames of two posed meshes, and the exact end of every walk. See
// plain_query.h.
//
// Rounding, with u = 2^-53, P and Q the largest coordinates of A and B, and T the sum of the
// largest coordinates of both translations. Rotations are orthonormal to 1e-9, so that their
// entries are at most about 1 and their rows, columns and inverses have about length 1.
// - Posing rounds a coordinate by at most 4 u (1.74 P + |t|); seen from A's frame, where a vector
//   turns, that is 1.74 times as much: below 7 u T + 13 u (P + Q) for both sides together.
// - The inverse by cofactors: 4 u for a cofactor, 10 u for the determinant, one division: 15 u.
// - The product of inverse and rotation: 1.74 * 15 u + 3 u = 30 u an entry, 90 u Q a coordinate.
// - The shift: 3 * 15 u T + 6 u T = 51 u T.
// Together below 58 u T + 103 u (P + Q); we take 64 u (T + 3 (P + Q)). Going back, the difference
// turns (1.74 times the error) and meets the rounding of the second inverse, 3 * 15 u (P + 1.74 T),
// which is below 1.25 times the error.
#include "boxtree/papers/plain_query.h"

#include <math.h>

#include "base/context.h"
#include "geometry/branches.h"
#include "geometry/triangle.h"

#define UNIT 0x1p-53

void gz_plain_query_init(gz_plain_query *query, graze_context *context)
{
    *query = (gz_plain_query){.context = context};
}

void gz_plain_query_free(gz_plain_query *query) { gz_list_free(query->context, &query->pairs); }

static void cofactor_inverse(const double m[9], double out[9])
{
    for (int row = 0; row < 3; ++row) {
        const double *p = &m[3 * ((row + 1) % 3)], *q = &m[3 * ((row + 2) % 3)];
        for (int column = 0; column < 3; ++column) {
            int next = (column + 1) % 3, last = (column + 2) % 3;
            out[3 * column + row] = p[next] * q[last] - p[last] * q[next];
        }
    }
    double determinant = m[0] * out[0] + m[1] * out[3] + m[2] * out[6];
    for (int k = 0; k < 9; ++k)
        out[k] /= determinant;
}

void gz_plain_query_begin(gz_plain_query *query, const gz_plain_side *a, const gz_plain_side *b)
{
    query->a = *a;
    query->b = *b;
    query->posed_a.known = query->posed_b.known = false;
    query->counters = (gz_plain_counters){0};
    query->pairs.count = 0;
    query->status = GRAZE_OK;
    double inverse[9], between[3];
    cofactor_inverse(a->pose.rotation, inverse);
    for (int i = 0; i < 3; ++i)
        between[i] = b->pose.translation[i] - a->pose.translation[i];
    for (int i = 0; i < 3; ++i) {
        query->shift[i] = gz_dot3(&inverse[3 * i], between);
        for (int j = 0; j < 3; ++j) {
            const double column[3] = {b->pose.rotation[j], b->pose.rotation[3 + j],
                                      b->pose.rotation[6 + j]};
            query->matrix[3 * i + j] = gz_dot3(&inverse[3 * i], column);
        }
    }
    cofactor_inverse(query->matrix, query->back);
    query->error = 64 * UNIT *
                   (gz_largest3(a->pose.translation) + gz_largest3(b->pose.translation) +
                    3 * (a->reach + b->reach));
}

static const graze_triangle *posed_triangle(const gz_plain_side *side, uint32_t number,
                                            gz_plain_posed *posed)
{
    if (posed->known && posed->number == number)
        return &posed->triangle;
    *posed = (gz_plain_posed){.number = number, .known = true};
    for (uint32_t corner = 0; corner < 3; ++corner) {
        double *p = posed->triangle.corner[corner];
        graze_mesh_view_corner(side->view, number, corner, p);
        graze_pose_apply(&side->pose, p, p);
    }
    return &posed->triangle;
}

bool gz_plain_query_triangles(gz_plain_query *query, uint32_t a, uint32_t b)
{
    const graze_triangle *ta = posed_triangle(&query->a, a, &query->posed_a);
    const graze_triangle *tb = posed_triangle(&query->b, b, &query->posed_b);
    uint64_t signs = gz_exact_signs();
    int meet = gz_triangle_meet(ta, tb);
    query->counters.triangle_tests++;
    query->counters.exact_tests += gz_exact_signs() != signs;
    if (meet == 0)
        return true;
    graze_pair *pair = gz_list_push(query->context, &query->pairs, 1);
    if (pair == NULL) {
        query->status =
            gz_fail(query->context, GRAZE_ERROR_MEMORY, "out of memory for pairs of triangles");
        return false;
    }
    *pair = (graze_pair){a, b};
    query->counters.contacts++;
    return true;
}

void gz_plain_query_all(gz_plain_query *query)
{
    for (uint32_t a = 0; a < query->a.view->triangle_count; ++a)
        for (uint32_t b = 0; b < query->b.view->triangle_count; ++b)
            if (!gz_plain_query_triangles(query, a, b))
                return;
}

double gz_mesh_reach(const graze_mesh_view *view)
{
    double reach = 0;
    for (uint64_t t = 0; t < view->triangle_count; ++t)
        for (uint32_t corner = 0; corner < 3; ++corner) {
            double p[3];
            graze_mesh_view_corner(view, t, corner, p);
            double largest = gz_largest3(p);
            reach = largest > reach ? largest : reach;
        }
    return reach;
}

double gz_unit_scale(double reach)
{
    int exponent;
    (void)frexp(reach, &exponent);
    return ldexp(1, exponent < -1000 ? 1000 : -exponent);
}
