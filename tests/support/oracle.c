// Loading a pair, its hulls, signs of determinants, and the questions about single faces that the
// distance and the intersection both ask. See oracle.h.
#include "oracle.h"

#include <stdlib.h>

static void hull_init(oracle_hull *hull)
{
    for (int i = 0; i < 3; ++i)
        exact_vector_init(&hull->edge[i]);
    exact_vector_init(&hull->normal);
}

static void hull_clear(oracle_hull *hull)
{
    for (int i = 0; i < 3; ++i)
        exact_vector_clear(&hull->edge[i]);
    exact_vector_clear(&hull->normal);
}

oracle *oracle_create(void)
{
    oracle *o = calloc(1, sizeof *o);
    if (o == NULL)
        abort();
    for (int side = 0; side < 2; ++side) {
        for (int i = 0; i < 3; ++i) {
            exact_vector_init(&o->corner[side][i]);
            exact_vector_init(&o->moved[side][i]);
        }
        hull_init(&o->hull[side]);
        hull_init(&o->face[side]);
        mpz_inits(o->parameter[side], o->place[side], NULL);
        exact_point_init(&o->closest[side]);
    }
    for (int i = 0; i <= ORACLE_CORNERS_MAX; ++i)
        exact_point_init(&o->intersection[i]);
    exact_vector *vectors[] = {&o->direction, &o->t0, &o->t1, &o->t2, &o->t3};
    for (int i = 0; i < 5; ++i)
        exact_vector_init(vectors[i]);
    mpz_inits(o->numerator, o->denominator, o->unit, o->place_unit, o->s0, o->s1, o->s2, o->s3,
              o->s4, NULL);
    return o;
}

void oracle_destroy(oracle *o)
{
    for (int side = 0; side < 2; ++side) {
        for (int i = 0; i < 3; ++i) {
            exact_vector_clear(&o->corner[side][i]);
            exact_vector_clear(&o->moved[side][i]);
        }
        hull_clear(&o->hull[side]);
        hull_clear(&o->face[side]);
        mpz_clears(o->parameter[side], o->place[side], NULL);
        exact_point_clear(&o->closest[side]);
    }
    for (int i = 0; i <= ORACLE_CORNERS_MAX; ++i)
        exact_point_clear(&o->intersection[i]);
    exact_vector *vectors[] = {&o->direction, &o->t0, &o->t1, &o->t2, &o->t3};
    for (int i = 0; i < 5; ++i)
        exact_vector_clear(vectors[i]);
    mpz_clears(o->numerator, o->denominator, o->unit, o->place_unit, o->s0, o->s1, o->s2, o->s3,
               o->s4, NULL);
    free(o);
}

void oracle_hull_finish(oracle_hull *hull, int count)
{
    hull->count = count;
    hull->edge_count = count == 3 ? 3 : count - 1;
    for (int i = 0; i < hull->edge_count; ++i)
        exact_subtract(&hull->edge[i], hull->vertex[(i + 1) % 3], hull->vertex[i]);
    if (count == 3)
        exact_cross(&hull->normal, &hull->edge[0], &hull->edge[1]);
}

// Finds the extreme corners of a triangle. Three corners on one line: the two farthest apart are
// the ends of the segment.
static void hull_of_corners(oracle *o, int side)
{
    oracle_hull *hull = &o->hull[side];
    for (int i = 0; i < 3; ++i) {
        hull->corner[i] = i;
        hull->vertex[i] = &o->corner[side][i];
    }
    oracle_hull_finish(hull, 3);
    if (!exact_is_zero(&hull->normal))
        return;
    int longest = 0;
    for (int i = 0; i < 3; ++i) {
        exact_dot(o->s0, &hull->edge[i], &hull->edge[i]);
        if (i == 0 || mpz_cmp(o->s0, o->s1) > 0) {
            mpz_set(o->s1, o->s0);
            longest = i;
        }
    }
    hull->corner[0] = longest;
    hull->corner[1] = (longest + 1) % 3;
    for (int i = 0; i < 2; ++i)
        hull->vertex[i] = &o->corner[side][hull->corner[i]];
    oracle_hull_finish(hull, mpz_sgn(o->s1) == 0 ? 1 : 2);
}

void oracle_load(oracle *o, const graze_triangle *a, const graze_triangle *b)
{
    o->given[0] = *a;
    o->given[1] = *b;
    const double *all = &o->given[0].corner[0][0];
    long least = INT32_MAX;
    for (int i = 0; i < 18; ++i) {
        long exponent = 0;
        exact_split(all[i], &exponent);
        if (exponent < least)
            least = exponent;
    }
    o->exponent = least == INT32_MAX ? 0 : least;
    for (int i = 0; i < 18; ++i)
        exact_set(o->corner[i / 9][i / 3 % 3].c[i % 3], all[i], o->exponent);
    hull_of_corners(o, 0);
    hull_of_corners(o, 1);
}

static const exact_vector *loaded(const oracle *o, int i) { return &o->corner[i / 3][i % 3]; }

int oracle_orient3d(oracle *o, int i, int j, int k, int l)
{
    exact_subtract(&o->t0, loaded(o, i), loaded(o, l));
    exact_subtract(&o->t1, loaded(o, j), loaded(o, l));
    exact_subtract(&o->t2, loaded(o, k), loaded(o, l));
    exact_cross(&o->t3, &o->t1, &o->t2);
    exact_dot(o->s0, &o->t0, &o->t3);
    return mpz_sgn(o->s0);
}

int oracle_orient2d(oracle *o, int i, int j, int k, int x, int y)
{
    exact_subtract(&o->t0, loaded(o, j), loaded(o, i));
    exact_subtract(&o->t1, loaded(o, k), loaded(o, i));
    mpz_mul(o->s0, o->t0.c[x], o->t1.c[y]);
    mpz_submul(o->s0, o->t0.c[y], o->t1.c[x]);
    return mpz_sgn(o->s0);
}

bool oracle_coplanar(oracle *o)
{
    if (o->hull[0].count < 3 || o->hull[1].count < 3)
        return false;
    for (int i = 0; i < 3; ++i) {
        exact_subtract(&o->t0, o->hull[1].vertex[i], o->hull[0].vertex[0]);
        exact_dot(o->s0, &o->t0, &o->hull[0].normal);
        if (mpz_sgn(o->s0) != 0)
            return false;
    }
    return true;
}

// With d = q - p and n = u x v: d = s u - t v + k n, so that (d x v) . n = s n.n and
// (d x u) . n = t n.n. The unit of s and t is n.n.
bool oracle_edges_cross(oracle *o, const oracle_hull *a, int i, const oracle_hull *b, int j)
{
    exact_vector *n = &o->t0, *d = &o->t1, *moment = &o->t2;
    exact_cross(n, &a->edge[i], &b->edge[j]);
    if (exact_is_zero(n))
        return false;
    exact_subtract(d, b->vertex[j], a->vertex[i]);
    exact_dot(o->unit, n, n);
    exact_cross(moment, d, &b->edge[j]);
    exact_dot(o->parameter[0], moment, n);
    if (mpz_sgn(o->parameter[0]) < 0 || mpz_cmp(o->parameter[0], o->unit) > 0)
        return false;
    exact_cross(moment, d, &a->edge[i]);
    exact_dot(o->parameter[1], moment, n);
    if (mpz_sgn(o->parameter[1]) < 0 || mpz_cmp(o->parameter[1], o->unit) > 0)
        return false;
    exact_dot(o->s0, n, d);
    return true;
}

// With h0 and h1 the levels of the ends above the plane, on different sides of it or on it, the
// point is p + |h0| / |h0 - h1| u.
bool oracle_edge_pierces(oracle *o, const oracle_hull *a, int i, const oracle_hull *b)
{
    exact_subtract(&o->t0, a->vertex[i], b->vertex[0]);
    exact_dot(o->parameter[0], &o->t0, &b->normal);
    exact_dot(o->s1, &a->edge[i], &b->normal); // h1 - h0
    mpz_add(o->s2, o->parameter[0], o->s1);    // h1
    if (mpz_sgn(o->s1) == 0 || mpz_sgn(o->parameter[0]) * mpz_sgn(o->s2) > 0)
        return false;
    mpz_abs(o->parameter[0], o->parameter[0]);
    mpz_abs(o->unit, o->s1);
    for (int k = 0; k < 3; ++k) {
        exact_subtract(&o->t0, a->vertex[i], b->vertex[k]);
        exact_scale(&o->t1, o->unit, &o->t0);
        exact_add_scaled(&o->t1, o->parameter[0], &a->edge[i]);
        exact_cross(&o->t2, &b->normal, &b->edge[k]); // points inward
        exact_dot(o->s0, &o->t1, &o->t2);
        if (mpz_sgn(o->s0) < 0)
            return false;
    }
    return true;
}

bool oracle_foot_inside(oracle *o, const exact_vector *p, const oracle_hull *hull)
{
    for (int k = 0; k < 3; ++k) {
        exact_subtract(&o->t0, p, hull->vertex[k]);
        exact_cross(&o->t1, &hull->normal, &hull->edge[k]); // points inward
        exact_dot(o->s0, &o->t0, &o->t1);
        if (mpz_sgn(o->s0) < 0)
            return false;
    }
    return true;
}
