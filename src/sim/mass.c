// Mass, centre and inertia of a shape, by sums over its triangles. See graze/sim.h.
//
// A closed surface holds a volume that is the sum of tetrahedra between its triangles and any
// point; those that face the other way count against. Their moments are polynomials of the corners
// (Tonon, "Explicit exact formulas for the 3-D tetrahedron inertia tensor"; Mirtich, "Fast and
// accurate computation of polyhedral mass properties"). The point is the middle of the shape's box,
// so that nothing is lost where a model is far from its origin. Millions of terms are added up with
// what rounding took from each sum kept beside it.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "geometry/vector.h"
#include "model/model_file.h"
#include "model/page_walk.h"
#include "query/shape_parts.h"
#include "sim/mass.h"
#include "sim/rotation.h"

#define UNEVEN 1e-9 // areas that should cancel out do so to this part of all

// A sum, and what its roundings took away (Neumaier).
typedef struct sum {
    double all, lost;
} sum;

static void add(sum *s, double term)
{
    double all = s->all + term;
    s->lost += fabs(s->all) >= fabs(term) ? (s->all - all) + term : (term - all) + s->all;
    s->all = all;
}

static double total(const sum *s) { return s->all + s->lost; }

// Moments about the middle of the box: 1; x, y, z; xx, yy, zz, xy, xz, yz.
#define MOMENTS 10
typedef struct moments {
    double middle[3];
    bool shell;
    sum moment[MOMENTS];
    sum facing[3]; // areas by the direction in which they face
    sum area;
} moments;

static void add_triangle(moments *m, const graze_triangle *t)
{
    double p[3][3], edge[2][3], normal[3];
    for (int i = 0; i < 3; ++i)
        gz_subtract3(t->corner[i], m->middle, p[i]);
    gz_subtract3(t->corner[1], t->corner[0], edge[0]);
    gz_subtract3(t->corner[2], t->corner[0], edge[1]);
    gz_cross3(edge[0], edge[1], normal);
    double area = 0.5 * gz_length3(normal);
    for (int i = 0; i < 3; ++i)
        add(&m->facing[i], 0.5 * normal[i]);
    add(&m->area, area);
    // Weights of a tetrahedron with the middle, or of the triangle itself.
    double whole = m->shell ? area : gz_dot3(p[0], normal) / 6;
    double first = m->shell ? whole / 3 : whole / 4;
    double second = m->shell ? whole / 12 : whole / 20;
    double corners[3];
    add(&m->moment[0], whole);
    for (int i = 0; i < 3; ++i) {
        corners[i] = p[0][i] + p[1][i] + p[2][i];
        add(&m->moment[1 + i], first * corners[i]);
    }
    static const int axes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int k = 0; k < 6; ++k) {
        int i = axes[k][0], j = axes[k][1];
        double squares = p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j];
        add(&m->moment[4 + k], second * (squares + corners[i] * corners[j]));
    }
}

// --- Triangles of a shape, wherever they are

static void add_tree(const gz_tree *tree, gz_triangle_taker *take, void *data)
{
    for (uint32_t leaf = 0; leaf < tree->leaf_count; ++leaf)
        for (uint32_t slot = 0; slot < gz_tree_leaf_count(tree, leaf); ++slot) {
            graze_triangle t;
            gz_tree_triangle(tree, leaf, slot, &t);
            take(data, &t);
        }
}

static void add_cluster(const gz_cluster *cluster, gz_triangle_taker *take, void *data)
{
    for (uint32_t i = 0; i < cluster->triangle_count; ++i) {
        graze_triangle t;
        for (int k = 0; k < 3; ++k) {
            uint16_t vertex = cluster->corner[i][k];
            for (int axis = 0; axis < 3; ++axis)
                t.corner[k][axis] = cluster->precision == GRAZE_FLOAT32
                                        ? (double)cluster->position.narrow[vertex][axis]
                                        : cluster->position.wide[vertex][axis];
        }
        take(data, &t);
    }
}

static graze_status walk_model(graze_model *model, gz_triangle_taker *take, void *data)
{
    gz_page_walk walk = {0};
    graze_status status = gz_page_walk_open(
        model, "weighing", (uint32_t)graze_model_get_info(model).cluster_count, &walk);
    if (status != GRAZE_OK)
        return status;
    do {
        status = gz_page_walk_next(&walk);
        for (uint32_t i = 0; i < walk.filled && status == GRAZE_OK; ++i) {
            const gz_page_slot *slot = &walk.slots[i];
            status = slot->status;
            if (status == GRAZE_OK)
                add_cluster(slot->cluster, take, data);
            else if (slot->wrong != NULL)
                gz_fail(model->context, status, "%s: page %u: %s", model->path,
                        (unsigned)slot->number, slot->wrong);
        }
    } while (status == GRAZE_OK && walk.filled != 0);
    gz_page_walk_close(&walk);
    return status;
}

graze_status gz_shape_walk(const graze_shape *shape, gz_triangle_taker *take, void *data)
{
    const gz_tree *tree = NULL;
    if (shape->model != NULL)
        return walk_model(shape->model, take, data);
    graze_status status = shape->kind->whole(shape, &tree);
    if (status == GRAZE_OK)
        add_tree(tree, take, data);
    return status;
}

// --- Mass of a shape

static void take_triangle(void *data, const graze_triangle *t) { add_triangle(data, t); }

static graze_status measure(const char *who, const graze_shape *shape, double density, bool shell,
                            moments *m)
{
    if (!(density > 0 && density < HUGE_VAL))
        return gz_fail(shape->context, GRAZE_ERROR_ARGUMENT, "%s: a density is above 0, and not %g",
                       who, density);
    graze_box box = graze_shape_get_info(shape).box;
    *m = (moments){.shell = shell};
    for (int i = 0; i < 3; ++i)
        m->middle[i] = 0.5 * box.min[i] + 0.5 * box.max[i];
    return gz_shape_walk(shape, take_triangle, m);
}

// About the centre of mass instead of the middle of the box.
static void make_mass(const moments *m, double density, double sign, graze_mass *mass)
{
    double size = sign * total(&m->moment[0]), at[3], squares[6];
    for (int i = 0; i < 3; ++i)
        at[i] = sign * total(&m->moment[1 + i]) / size;
    for (int k = 0; k < 6; ++k)
        squares[k] = sign * total(&m->moment[4 + k]);
    static const int axes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int k = 0; k < 6; ++k)
        squares[k] -= size * at[axes[k][0]] * at[axes[k][1]];
    mass->mass = density * size;
    for (int i = 0; i < 3; ++i)
        mass->center[i] = m->middle[i] + at[i];
    mass->inertia[0] = density * (squares[1] + squares[2]);
    mass->inertia[1] = density * (squares[0] + squares[2]);
    mass->inertia[2] = density * (squares[0] + squares[1]);
    for (int k = 3; k < 6; ++k)
        mass->inertia[k] = -density * squares[k];
}

void gz_mass_matrix(const graze_mass *mass, double matrix[9])
{
    const double *i = mass->inertia;
    const double rows[9] = {i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]};
    memcpy(matrix, rows, sizeof rows);
}

// Inertia is a sum of squares, so its matrix is positive definite, by its three minors; and none of
// its diagonal is more than the other two, rounding aside.
bool gz_mass_sound(const graze_mass *mass)
{
    const double *i = mass->inertia;
    double m[9];
    gz_mass_matrix(mass, m);
    double minor = m[0] * m[4] - m[1] * m[3];
    double whole = m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
                   m[2] * (m[3] * m[7] - m[4] * m[6]);
    double all = i[0] + i[1] + i[2];
    bool finite = mass->mass > 0 && mass->mass < HUGE_VAL && gz_largest3(mass->center) < HUGE_VAL &&
                  all < HUGE_VAL && fabs(i[3]) + fabs(i[4]) + fabs(i[5]) < HUGE_VAL;
    return finite && m[0] > 0 && minor > 0 && whole > 0 &&
           2 * fmax(i[0], fmax(i[1], i[2])) <= all * (1 + UNEVEN);
}

graze_status graze_mass_of_shape(const graze_shape *shape, double density, graze_mass *mass)
{
    static const char who[] = "graze_mass_of_shape";
    moments m;
    uint32_t closed = 0;
    if (shape == NULL || mass == NULL)
        return gz_fail_null(shape == NULL ? NULL : shape->context, who);
    graze_status status = graze_shape_closed(shape, &closed);
    if (status == GRAZE_OK)
        status = measure(who, shape, density, false, &m);
    if (status != GRAZE_OK)
        return status;
    double facing[3];
    for (int i = 0; i < 3; ++i)
        facing[i] = total(&m.facing[i]);
    if (closed == 0 || !(gz_length3(facing) <= UNEVEN * total(&m.area)))
        return gz_fail(shape->context, GRAZE_ERROR_ARGUMENT,
                       closed == 0
                           ? "%s: the shape is not closed, so it holds no volume: give its "
                             "mass, or make it a shell"
                           : "%s: triangles of the shape do not face one way, so its volume "
                             "is not known: give its mass, or make it a shell",
                       who);
    make_mass(&m, density, total(&m.moment[0]) < 0 ? -1 : 1, mass);
    if (!gz_mass_sound(mass))
        return gz_fail(shape->context, GRAZE_ERROR_ARGUMENT,
                       "%s: the shape holds no volume: give its mass, or make it a shell", who);
    return GRAZE_OK;
}

graze_status graze_mass_of_shell(const graze_shape *shape, double density, graze_mass *mass)
{
    static const char who[] = "graze_mass_of_shell";
    moments m;
    if (shape == NULL || mass == NULL)
        return gz_fail_null(shape == NULL ? NULL : shape->context, who);
    graze_status status = measure(who, shape, density, true, &m);
    if (status != GRAZE_OK)
        return status;
    make_mass(&m, density, 1, mass);
    if (!gz_mass_sound(mass))
        return gz_fail(shape->context, GRAZE_ERROR_ARGUMENT,
                       "%s: the shape has no area that a shell could be made of", who);
    return GRAZE_OK;
}
