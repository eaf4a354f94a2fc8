// Makes the workloads. See pairs.h.
//
// Random triangles have edges of about 1 and lie within 100 of the origin, as in a mesh of ten
// thousands of them. Surfaces are the terrain and the knot of generators/, against a copy that was
// moved a little: neighbours of what would touch. Touching pairs have small whole coordinates, so
// that contacts in a single point exist exactly, in float as well.
#include "pairs.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "shapes.h"

#define GROUP 32u // pairs with the same a, in sets made at random

const pair_set pair_sets[] = {
    {"near", "random, boxes overlap, triangles apart", 0.1},
    {"crossing", "random, crossing", 0.1},
    {"mixed", "random, boxes overlap, as they come", 0.1},
    {"terrain", "a landscape against itself, moved", 0.2},
    {"knot", "a closed tube against itself, moved", 0.2},
    {"touching", "shared corners and edges, one plane, touching in a point or missing it by an ulp",
     7},
    {NULL, NULL, 0}};

// Chance, the same on every machine.
static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static double between(uint64_t *state, double low, double high)
{
    return low + (high - low) * ((double)(next(state) >> 11) * 0x1p-53);
}
static double whole(uint64_t *state, int low, int high)
{
    return low + (int)(next(state) % (uint64_t)(high - low + 1));
}

static bool has_room(const pair_list *list, uint32_t room) { return list->pairs.pair_count < room; }

static graze_box box_of(const graze_triangle *t)
{
    return graze_box_of_points((const double(*)[3])t->corner, 3);
}

static bool boxes_overlap(const graze_triangle *a, const graze_triangle *b)
{
    graze_box box_a = box_of(a), box_b = box_of(b);
    return graze_box_overlap(&box_a, &box_b);
}

static void begin_group(pair_list *list, const graze_triangle *a)
{
    list->a[list->pairs.group_count] = *a;
    list->group_begin[list->pairs.group_count] = list->pairs.pair_count;
}

static void add(pair_list *list, const graze_triangle *b)
{
    list->b[list->pairs.pair_count++] = *b;
}

static void end_group(pair_list *list)
{
    uint32_t group = list->pairs.group_count;
    uint32_t count = list->pairs.pair_count - list->group_begin[group];
    if (count == 0)
        return;
    list->group_begin[group + 1] = list->pairs.pair_count;
    list->group_word[group + 1] = list->group_word[group] + (count + 31) / 32;
    list->pairs.group_count++;
}

// Edges of about 1.
static graze_triangle random_triangle(uint64_t *state, const double centre[3])
{
    graze_triangle t;
    for (int corner = 0; corner < 3; ++corner)
        for (int axis = 0; axis < 3; ++axis)
            t.corner[corner][axis] = (float)(centre[axis] + between(state, -0.8, 0.8));
    return t;
}

// wanted: 0 apart, 1 meeting, 2 either.
static void make_random(pair_list *list, uint32_t room, int wanted)
{
    uint64_t state = 1 + (uint64_t)wanted;
    while (has_room(list, room)) {
        double centre[3];
        for (int axis = 0; axis < 3; ++axis)
            centre[axis] = between(&state, -100, 100);
        graze_triangle a = random_triangle(&state, centre);
        begin_group(list, &a);
        for (uint32_t i = 0; i < GROUP && has_room(list, room);) {
            double moved[3];
            for (int axis = 0; axis < 3; ++axis)
                moved[axis] = centre[axis] + between(&state, -1.2, 1.2);
            graze_triangle b = random_triangle(&state, moved);
            if (!boxes_overlap(&a, &b) || (wanted != 2 && graze_triangle_meet(&a, &b) != wanted))
                continue;
            add(list, &b);
            ++i;
        }
        end_group(list);
    }
}

static int by_least_x(const void *a, const void *b)
{
    double x = box_of(a).min[0], y = box_of(b).min[0];
    return (x > y) - (x < y);
}

// Triangle i as it is, or of a copy that is turned and shifted and rounded to float again.
static graze_triangle triangle_of(const graze_mesh_view *view, uint64_t i, const graze_pose *pose)
{
    graze_triangle t;
    for (uint32_t corner = 0; corner < 3; ++corner) {
        double local[3];
        graze_mesh_view_corner(view, i, corner, local);
        graze_pose_apply(pose, local, t.corner[corner]);
        for (int axis = 0; axis < 3; ++axis)
            t.corner[corner][axis] = (float)t.corner[corner][axis];
    }
    return t;
}

// Triangles of the surface in an order of chance, each with all triangles of the copy whose boxes
// overlap its own. Sorted by x, those begin at most one box width before it.
static void pair_surfaces(pair_list *list, uint32_t room, const graze_mesh_view *view,
                          graze_triangle *copy)
{
    graze_pose pose = graze_pose_identity(), moved;
    const double axis[3] = {0.3, -0.2, 1}, shift[3] = {0.41, -0.23, 0.17};
    (void)graze_pose_from_axis(axis, 0.02, shift, &moved);
    uint64_t count = view->triangle_count;
    for (uint64_t i = 0; i < count; ++i)
        copy[i] = triangle_of(view, i, &moved);
    qsort(copy, (size_t)count, sizeof *copy, by_least_x);
    double widest = 0;
    for (uint64_t i = 0; i < count; ++i) {
        graze_box box = box_of(&copy[i]);
        widest = fmax(widest, box.max[0] - box.min[0]);
    }
    uint64_t state = 9;
    for (uint64_t tries = 0; has_room(list, room) && tries < 100 * (uint64_t)room; ++tries) {
        graze_triangle a = triangle_of(view, next(&state) % count, &pose);
        graze_box box = box_of(&a);
        uint64_t low = 0, high = count;
        while (low < high) {
            uint64_t middle = (low + high) / 2;
            if (box_of(&copy[middle]).min[0] < box.min[0] - widest)
                low = middle + 1;
            else
                high = middle;
        }
        begin_group(list, &a);
        for (; low < count && has_room(list, room); ++low) {
            if (box_of(&copy[low]).min[0] > box.max[0])
                break;
            if (boxes_overlap(&a, &copy[low]))
                add(list, &copy[low]);
        }
        end_group(list);
    }
}

static bool make_surface(pair_list *list, uint32_t room, const char *kind)
{
    // Edges of about 1.
    generator_shape_def def = {.kind = kind, .triangle_count = 40000, .seed = 1, .size = 140};
    if (strcmp(kind, "knot") == 0)
        def.size = 40;
    graze_context *context = NULL;
    graze_mesh *mesh = NULL;
    graze_triangle *copy = NULL;
    if (graze_context_create(NULL, &context) == GRAZE_OK &&
        generator_shape_make(context, &def, &mesh) == GRAZE_OK) {
        graze_mesh_view view = graze_mesh_get(mesh);
        copy = malloc((size_t)view.triangle_count * sizeof *copy);
        if (copy != NULL)
            pair_surfaces(list, room, &view, copy);
    }
    bool good = copy != NULL;
    free(copy);
    graze_mesh_free(mesh);
    graze_context_destroy(context);
    return good;
}

// u and v span a plane with the normal n, whose length is 7.
static const double u[3] = {3, -2, 0}, v[3] = {0, 2, -1}, n[3] = {2, 3, 6};

// Corners on a lattice of one plane, lifted by so many normals. Quarters of edges are whole.
static graze_triangle plane_triangle(uint64_t *state, double lift)
{
    graze_triangle t;
    for (int corner = 0; corner < 3; ++corner) {
        double i = 4 * whole(state, -40, 40), j = 4 * whole(state, -40, 40);
        for (int axis = 0; axis < 3; ++axis)
            t.corner[corner][axis] = i * u[axis] + j * v[axis] + lift * n[axis];
    }
    return t;
}

static void whole_corner(uint64_t *state, double out[3])
{
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = whole(state, -400, 400);
}

// A triangle that touches a, or nearly so. The way it does is `kind`.
static graze_triangle touching_triangle(uint64_t *state, const graze_triangle *a, uint32_t kind)
{
    graze_triangle b;
    for (int corner = 0; corner < 3; ++corner)
        whole_corner(state, b.corner[corner]);
    uint64_t first = next(state) % 3;
    const double *p = a->corner[first], *q = a->corner[(first + 1) % 3],
                 *r = a->corner[(first + 2) % 3];
    int quarters = (int)whole(state, 0, 4);
    double share = quarters / 4.0, other = whole(state, 0, 4 - quarters) / 4.0;
    switch (kind % 7) {
    case 0: memcpy(b.corner[0], p, sizeof b.corner[0]); break;
    case 1:
        memcpy(b.corner[0], p, sizeof b.corner[0]);
        memcpy(b.corner[1], q, sizeof b.corner[1]);
        break;
    case 2: return plane_triangle(state, 0); // the plane of a
    case 3: return plane_triangle(state, 1); // exactly 7 above it
    case 4:                                  // a corner in the face, or on its border
        for (int axis = 0; axis < 3; ++axis)
            b.corner[0][axis] = p[axis] + share * (q[axis] - p[axis]) + other * (r[axis] - p[axis]);
        break;
    case 5: // an edge through a point of an edge
        for (int axis = 0; axis < 3; ++axis) {
            double point = p[axis] + share * (q[axis] - p[axis]);
            b.corner[1][axis] = 2 * point - b.corner[0][axis];
        }
        break;
    default: // as 4, missed by an ulp of float
        for (int axis = 0; axis < 3; ++axis) {
            double point = p[axis] + share * (q[axis] - p[axis]) + other * (r[axis] - p[axis]);
            b.corner[0][axis] = nextafterf((float)point, next(state) & 1 ? 1e9f : -1e9f);
        }
    }
    return b;
}

static void make_touching(pair_list *list, uint32_t room)
{
    uint64_t state = 77;
    while (has_room(list, room)) {
        graze_triangle a = plane_triangle(&state, 0);
        if (graze_triangle_dimension(&a) != 2)
            continue;
        begin_group(list, &a);
        for (uint32_t i = 0; i < GROUP && has_room(list, room);) {
            graze_triangle b = touching_triangle(&state, &a, i);
            if (graze_triangle_dimension(&b) != 2 || !boxes_overlap(&a, &b))
                continue;
            add(list, &b);
            ++i;
        }
        end_group(list);
    }
}

// The true answers.
static bool ask_oracle(pair_list *list, double tolerance)
{
    uint32_t words = list->group_word[list->pairs.group_count];
    list->meet = calloc(words, sizeof *list->meet);
    list->within = calloc(words, sizeof *list->within);
    oracle *o = oracle_create();
    bool good = list->meet != NULL && list->within != NULL && o != NULL;
    for (uint32_t group = 0; good && group < list->pairs.group_count; ++group)
        for (uint32_t i = list->group_begin[group]; i < list->group_begin[group + 1]; ++i) {
            uint32_t bit = i - list->group_begin[group];
            uint32_t word = list->group_word[group] + bit / 32;
            oracle_load(o, &list->a[group], &list->b[i]);
            oracle_closest(o);
            list->meet[word] |= (uint32_t)oracle_meet(o) << bit % 32;
            list->within[word] |= (uint32_t)oracle_within(o, tolerance) << bit % 32;
        }
    oracle_destroy(o);
    return good;
}

int pair_list_make(const char *name, uint32_t pair_count, pair_list *out)
{
    const pair_set *set = pair_sets;
    while (set->name != NULL && strcmp(set->name, name) != 0)
        ++set;
    // No group is empty, so there are no more groups than pairs.
    *out = (pair_list){.a = malloc(pair_count * sizeof *out->a),
                       .b = malloc(pair_count * sizeof *out->b),
                       .group_begin = calloc(pair_count + 1, sizeof *out->group_begin),
                       .group_word = calloc(pair_count + 1, sizeof *out->group_word)};
    bool good = set->name != NULL && out->a != NULL && out->b != NULL && out->group_begin != NULL &&
                out->group_word != NULL;
    if (good && strcmp(name, "touching") == 0)
        make_touching(out, pair_count);
    else if (good && (strcmp(name, "terrain") == 0 || strcmp(name, "knot") == 0))
        good = make_surface(out, pair_count, name);
    else if (good)
        make_random(out, pair_count,
                    strcmp(name, "near") == 0       ? 0
                    : strcmp(name, "crossing") == 0 ? 1
                                                    : 2);
    if (!good || !ask_oracle(out, set->tolerance)) {
        pair_list_free(out);
        return 0;
    }
    out->pairs.a = (const double(*)[3][3])out->a;
    out->pairs.b = (const double(*)[3][3])out->b;
    out->pairs.group_begin = out->group_begin;
    out->pairs.group_word = out->group_word;
    return 1;
}

void pair_list_free(pair_list *list)
{
    free(list->a);
    free(list->b);
    free(list->group_begin);
    free(list->group_word);
    free(list->meet);
    free(list->within);
    *list = (pair_list){0};
}
