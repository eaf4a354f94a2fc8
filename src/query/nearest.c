// The triangle of a posed shape that is nearest to a point. See nearest.h.
//
// All is done in the frame of the model, to which the point is brought. Let R be the rotation, and
// e how far transposed(R) R is from 1, in any element. With x = transposed(R) (p - T), a point
// q = R y + T of the posed shape is |R (x - y)| from p but for 3 e |p - T|; and R stretches lengths
// by at most 3 e. So distances in the two frames differ by at most the margin and the stretch
// below; e is 1e-16 for most rotations, and never above 1e-9. How far p is from T, and the model
// from its origin, counts here; how far all of it is from the origin of the world counts for no
// more than the rounding of one sum, when a point is posed.
//
// A triangle's distance is that of a point in it, which is never less than the true one; and what
// is beyond a plane across the way to that point is not closer, which gives a bound from below.
// Boxes are visited nearest first, and left out where they are farther than what was found. Trees
// of a model's clusters are searched one after the other, each with what the ones before it found.
//
// Of a LOD cut: a leaf stands for points of the shape that are within its spread, so that these are
// closer than the leaf by that at most, and are in boxes, which are wider by it; and each point of
// a part is within the part's backward bound of the shape.
#include "query/nearest.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "geometry/triangle.h"
#include "geometry/vector.h"
#include "model/lod_cut.h"
#include "query/tree_pins.h"

#define STACK    (GZ_TREE_DEPTH * (GZ_WIDE - 1) + GZ_WIDE)
#define MODERATE 0x1p90
#define ROUNDING 0x1p-46 // of coordinates in the model's frame, when all is added up
#define POSING   0x1p-50 // of coordinates of the world: those of a posed point, and of the one asked
#define TIGHT    0x1p-40 // bounds of a distance are closer than this, unless a triangle is thin

typedef struct entry {
    double least; // no triangle is closer, in the model's frame
    uint32_t child;
} entry;

// How far off a rotation is, in any element of its product with itself.
static double defect_of(const double r[9])
{
    double defect = ROUNDING;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            double columns = r[i] * r[k] + r[3 + i] * r[3 + k] + r[6 + i] * r[6 + k];
            double rows = gz_dot3(r + 3 * i, r + 3 * k);
            double one = i == k ? 1 : 0;
            defect = fmax(defect, fmax(fabs(columns - one), fabs(rows - one)));
        }
    return defect;
}

gz_field gz_field_of(const gz_solid *posed, const graze_box *near, graze_status *status)
{
    const double *shift = posed->pose->translation;
    double reach = 0, span = 0;
    for (int i = 0; i < 3; ++i) {
        reach = fmax(reach, fmax(fabs(near->min[i]), fabs(near->max[i])));
        span = fmax(span, fmax(fabs(near->min[i] - shift[i]), fabs(near->max[i] - shift[i])));
    }
    bool paged = gz_shape_is_paged(posed->shape);
    const gz_tree *tree = paged ? &posed->shape->tree : gz_whole_now(posed->shape);
    gz_field field = {.tree = tree,
                      .visits = paged ? posed->visits : NULL,
                      .side = posed->side,
                      .pose = posed->pose,
                      .counters = posed->counters,
                      .status = status};
    double local = span + gz_largest3(tree->origin) + gz_largest3(tree->half);
    double world = reach + gz_largest3(shift) + local;
    double defect = defect_of(posed->pose->rotation), size = gz_largest3(tree->half);
    field.stretch = 4 * defect;
    field.margin = (16 * defect + ROUNDING) * local + POSING * world;
    field.sound = world < MODERATE && (size == 0 || size > 1 / MODERATE);
    return field;
}

void gz_field_coarsen(gz_field *field, const gz_lod_cut *cut, gz_visits *visits, int side)
{
    field->cut = cut;
    field->visits = visits;
    field->side = side;
    field->backward = 0;
    for (uint32_t i = 0; i < cut->part_count; ++i)
        field->backward = fmax(field->backward, (double)cut->parts[i].backward);
}

static double spread_of(const gz_tree *tree, uint32_t leaf)
{
    return tree->spread > 0 ? (double)gz_leaf_spread(gz_tree_head(tree, leaf)) : 0;
}

void gz_field_local(const gz_field *field, const double world[3], double local[3])
{
    const double *r = field->pose->rotation, *shift = field->pose->translation;
    double p[3] = {world[0] - shift[0], world[1] - shift[1], world[2] - shift[2]};
    for (int i = 0; i < 3; ++i)
        local[i] = r[i] * p[0] + r[3 + i] * p[1] + r[6 + i] * p[2];
}

static void to_world(const gz_field *field, const double local[3], double world[3])
{
    const double *r = field->pose->rotation;
    for (int i = 0; i < 3; ++i)
        world[i] = gz_dot3(r + 3 * i, local);
}

// --- One triangle, seen from the origin

static void mix(const double p[3], const double q[3], double t, double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = p[i] + t * (q[i] - p[i]);
}

static void closest_on_segment(const double p[3], const double q[3], double out[3])
{
    double way[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
    double square = gz_dot3(way, way), along = -gz_dot3(p, way);
    mix(p, q, along <= 0 || !(square > 0) ? 0 : along >= square ? 1 : along / square, out);
}

static void normal_of(const double v[3][3], double out[3])
{
    double e[3], f[3];
    gz_subtract3(v[1], v[0], e);
    gz_subtract3(v[2], v[0], f);
    gz_cross3(e, f, out);
}

void gz_field_normal(const gz_field *field, const graze_triangle *t, double out[3])
{
    double normal[3];
    normal_of(t->corner, normal);
    to_world(field, normal, out);
}

// The point of the plane if it is in the triangle, by the signs of the areas around it.
static bool closest_inside(const double v[3][3], double out[3])
{
    double normal[3], weight[3];
    normal_of(v, normal);
    double square = gz_dot3(normal, normal);
    for (int k = 0; k < 3; ++k) {
        const double *p = v[(k + 1) % 3], *q = v[(k + 2) % 3];
        double cross[3];
        gz_cross3(p, q, cross);
        weight[k] = gz_dot3(normal, cross);
        if (!(weight[k] >= 0))
            return false;
    }
    double sum = weight[0] + weight[1] + weight[2];
    if (!(sum > 0 && square > 0))
        return false;
    for (int i = 0; i < 3; ++i)
        out[i] = (weight[0] * v[0][i] + weight[1] * v[1][i] + weight[2] * v[2][i]) / sum;
    return true;
}

static double closest_point(const double v[3][3], double out[3])
{
    if (closest_inside(v, out))
        return gz_length3(out);
    double least = gz_dot3(v[0], v[0]);
    memcpy(out, v[0], sizeof v[0]);
    for (int k = 0; k < 3; ++k) {
        double w[3];
        closest_on_segment(v[k], v[(k + 1) % 3], w);
        double square = gz_dot3(w, w);
        if (square < least) {
            least = square;
            memcpy(out, w, sizeof w);
        }
    }
    return sqrt(least);
}

static void seen_from(const graze_triangle *t, const double point[3], double v[3][3])
{
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
            v[k][i] = t->corner[k][i] - point[i];
}

double gz_field_farthest(const gz_field *field, const double local[3], const graze_triangle *t)
{
    double v[3][3], w[3];
    seen_from(t, local, v);
    field->counters->triangle_tests++;
    field->counters->work += 32;
    return (closest_point(v, w) + field->backward) * (1 + field->stretch + TIGHT) + field->margin;
}

// The corners are all beyond a plane across the way, this far away.
static double bound_below(const double v[3][3], const double way[3], double distance)
{
    double least = HUGE_VAL;
    for (int k = 0; k < 3; ++k)
        least = fmin(least, gz_dot3(v[k], way));
    return distance > 0 ? least / distance : 0;
}

// --- The tree

typedef struct search {
    const gz_field *field;
    const gz_tree *tree;
    double point[3]; // in the model's frame
    float rows[3];   // in the units of rows
    double slack;    // of a box in rows
    double best, least;
    double way[3];
    uint32_t number;
    graze_triangle *triangle;
    entry stack[STACK];
    uint32_t count;
} search;

static void start(search *s, const gz_tree *tree)
{
    s->tree = tree;
    s->count = 0;
    double size = 1;
    for (int i = 0; i < 3; ++i) {
        double row = (s->point[i] - tree->origin[i]) * tree->scale;
        s->rows[i] = (float)row;
        size = fmax(size, fabs(row));
    }
    s->slack = 0x1p-20 * size;
}

// Distances of eight boxes from the point, in rows, squared.
static void box_squares(const search *s, const float (*rows)[GZ_ROWS], float out[GZ_WIDE])
{
    for (int lane = 0; lane < GZ_WIDE; ++lane)
        out[lane] = 0;
    for (int axis = 0; axis < 3; ++axis)
        for (int lane = 0; lane < GZ_WIDE; ++lane) {
            float below = rows[axis][GZ_ROW_LOW(lane)] - s->rows[axis];
            float above = rows[axis][GZ_ROW_HIGH(lane)] + s->rows[axis];
            float gap = below > above ? below : above;
            gap = gap > 0 ? gap : 0;
            out[lane] += gap * gap;
        }
}

static void open_node(search *s, uint32_t node)
{
    float room[3][GZ_ROWS] __attribute__((aligned(64))), square[GZ_WIDE];
    const gz_tree *tree = s->tree;
    const gz_links *links = gz_tree_links(tree, node);
    uint32_t bottom = s->count;
    box_squares(s, gz_tree_rows(tree, node, room), square);
    s->field->counters->box_tests += links->child_count;
    double unit = (1 - 0x1p-20) / tree->scale;
    for (int lane = 0; lane < links->child_count; ++lane) {
        entry e = {((double)sqrtf(square[lane]) - s->slack) * unit, links->child[lane]};
        if (e.least > s->best)
            continue;
        uint32_t k = s->count++;
        GZ_ASSERT(k < STACK);
        for (; k > bottom && s->stack[k - 1].least < e.least; --k)
            s->stack[k] = s->stack[k - 1];
        s->stack[k] = e;
    }
}

static void open_leaf(search *s, uint32_t leaf)
{
    const gz_tree *tree = s->tree;
    uint32_t count = gz_tree_leaf_count(tree, leaf), first = gz_tree_leaf_first(tree, leaf);
    double spread = spread_of(tree, leaf);
    s->field->counters->triangle_tests += count;
    for (uint32_t slot = 0; slot < count; ++slot) {
        graze_triangle t;
        double v[3][3], w[3];
        gz_tree_triangle(tree, leaf, slot, &t);
        seen_from(&t, s->point, v);
        double distance = closest_point(v, w);
        s->least = fmin(s->least, bound_below(v, w, distance) - spread);
        uint32_t number = tree->order[first + slot];
        if (distance > s->best || (distance == s->best && number > s->number))
            continue;
        s->best = distance;
        s->number = number;
        *s->triangle = t;
        memcpy(s->way, w, sizeof w);
    }
}

static graze_status search_tree(void *data, const gz_tree *tree)
{
    search *s = data;
    start(s, tree);
    open_node(s, 0);
    while (s->count != 0) {
        entry e = s->stack[--s->count];
        if (e.least > s->best)
            continue;
        if ((e.child & GZ_IS_LEAF) != 0)
            open_leaf(s, e.child & ~GZ_IS_LEAF);
        else
            open_node(s, e.child);
    }
    return GRAZE_OK;
}

// How far a box is at least, in the model's frame. Rounding is far below what is taken off.
static double box_distance(const search *s, const gz_middle *box)
{
    double gap[3], size = 0;
    for (int i = 0; i < 3; ++i) {
        double way = fabs(s->point[i] - box->origin[i]);
        gap[i] = fmax(0, way - box->half[i]);
        size = fmax(size, fabs(s->point[i]) + fabs(box->origin[i]) + box->half[i]);
    }
    return gz_length3(gap) * (1 - 0x1p-20) - ROUNDING * size;
}

static double least_of_box(void *data, const gz_middle *box)
{
    const search *s = data;
    s->field->counters->box_tests++;
    return box_distance(s, box);
}

static double best_so_far(const void *data) { return ((const search *)data)->best; }

// All clusters of a model that may matter. False if that fails, or if something did before.
static bool visit_model(const gz_field *field, const gz_visitor *visitor)
{
    if (*field->status == GRAZE_OK)
        *field->status = gz_parts_visit(field->visits, field->side, visitor);
    return *field->status == GRAZE_OK;
}

static void count_work(const gz_field *field, const graze_counters *before)
{
    field->counters->work += 2 * (field->counters->box_tests - before->box_tests) +
                             32 * (field->counters->triangle_tests - before->triangle_tests);
}

void gz_nearest_find(const gz_field *field, const double point[3], const graze_triangle *hint,
                     gz_nearest *out)
{
    search s;
    double v[3][3], w[3];
    s.field = field;
    s.least = HUGE_VAL;
    s.number = UINT32_MAX;
    memset(s.way, 0, sizeof s.way);
    s.triangle = &out->triangle;
    graze_counters before = *field->counters;
    gz_field_local(field, point, s.point);
    s.best = HUGE_VAL;
    if (hint != NULL) { // found again on the way, with its number
        seen_from(hint, s.point, v);
        s.best = closest_point(v, w);
    }
    if (field->visits == NULL) {
        search_tree(&s, field->tree);
    } else if (!visit_model(field, &(gz_visitor){&s, least_of_box, best_so_far, search_tree})) {
        *out = (gz_nearest){.high = HUGE_VAL};
        return;
    }
    // Bounds that are as good as they should be are made the same for all orders of visits.
    double low = fmin(s.least, s.best * (1 - TIGHT));
    out->low = fmax(0, low * (1 - field->stretch) - field->margin);
    out->high = (s.best + field->backward) * (1 + field->stretch + TIGHT) + field->margin;
    out->number = s.number;
    to_world(field, s.way, out->way);
    count_work(field, &before);
}

// --- Heights

typedef struct climb {
    search s;      // for its point, tree and stack, whose entries have heights
    double radius; // in the model's frame
    double direction[3], enough, height;
} climb;

static double highest(const climb *c, const float (*rows)[GZ_ROWS], int lane)
{
    const gz_tree *tree = c->s.tree;
    double height = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double side = c->direction[axis] > 0 ? -(double)rows[axis][GZ_ROW_HIGH(lane)]
                                             : (double)rows[axis][GZ_ROW_LOW(lane)];
        height += c->direction[axis] * (tree->origin[axis] + side / tree->scale - c->s.point[axis]);
    }
    return height;
}

static void climb_node(climb *c, uint32_t node)
{
    float room[3][GZ_ROWS] __attribute__((aligned(64))), square[GZ_WIDE];
    search *s = &c->s;
    const gz_tree *tree = s->tree;
    const gz_links *links = gz_tree_links(tree, node);
    const float(*rows)[GZ_ROWS] = gz_tree_rows(tree, node, room);
    box_squares(s, rows, square);
    s->field->counters->box_tests += links->child_count;
    for (int lane = 0; lane < links->child_count; ++lane) {
        double least = ((double)sqrtf(square[lane]) * (1 - 0x1p-20) - s->slack) / tree->scale;
        double height = highest(c, rows, lane);
        if (least > c->radius || height <= c->height)
            continue;
        GZ_ASSERT(s->count < STACK);
        s->stack[s->count++] = (entry){height, links->child[lane]};
    }
}

static void climb_leaf(climb *c, uint32_t leaf)
{
    const gz_tree *tree = c->s.tree;
    uint32_t count = gz_tree_leaf_count(tree, leaf);
    double spread = spread_of(tree, leaf);
    c->s.field->counters->triangle_tests += count;
    for (uint32_t slot = 0; slot < count; ++slot) {
        graze_triangle t;
        double v[3][3], w[3], height = -HUGE_VAL;
        gz_tree_triangle(tree, leaf, slot, &t);
        seen_from(&t, c->s.point, v);
        for (int k = 0; k < 3; ++k)
            height = fmax(height, gz_dot3(v[k], c->direction));
        height += spread * (1 + c->s.field->stretch + TIGHT); // as long as the direction may be
        if (height <= c->height)
            continue;
        double distance = closest_point(v, w);
        if (bound_below(v, w, distance) - spread <= c->radius)
            c->height = height;
    }
}

static graze_status climb_tree(void *data, const gz_tree *tree)
{
    climb *c = data;
    start(&c->s, tree);
    climb_node(c, 0);
    while (c->s.count != 0 && c->height < c->enough) {
        entry e = c->s.stack[--c->s.count];
        if (e.least <= c->height)
            continue;
        if ((e.child & GZ_IS_LEAF) != 0)
            climb_leaf(c, e.child & ~GZ_IS_LEAF);
        else
            climb_node(c, e.child);
    }
    return GRAZE_OK;
}

// The highest boxes come first; those that are too far away do not come.
static double depth_of_box(void *data, const gz_middle *box)
{
    const climb *c = data;
    double height = 0, size = 0;
    for (int i = 0; i < 3; ++i) {
        double middle = box->origin[i] - c->s.point[i];
        height += c->direction[i] * middle + fabs(c->direction[i]) * box->half[i];
        size += fabs(box->origin[i]) + box->half[i] + fabs(c->s.point[i]);
    }
    c->s.field->counters->box_tests++;
    return box_distance(&c->s, box) > c->radius ? HUGE_VAL : -height - ROUNDING * size;
}

static double depth_so_far(const void *data)
{
    const climb *c = data;
    return c->height < c->enough ? fmin(-c->height, DBL_MAX) : -HUGE_VAL;
}

double gz_field_height(const gz_field *field, const double point[3], double radius,
                       const double direction[3], double enough)
{
    climb c;
    graze_counters before = *field->counters;
    c.s.field = field;
    gz_field_local(field, point, c.s.point);
    double slack = field->stretch * radius + 2 * field->margin;
    c.radius = radius + slack;
    c.enough = enough;
    c.height = -HUGE_VAL;
    const double *r = field->pose->rotation;
    for (int i = 0; i < 3; ++i)
        c.direction[i] = r[i] * direction[0] + r[3 + i] * direction[1] + r[6 + i] * direction[2];
    if (field->visits == NULL)
        climb_tree(&c, field->tree);
    else if (!visit_model(field, &(gz_visitor){&c, depth_of_box, depth_so_far, climb_tree}))
        return enough;
    count_work(field, &before);
    return c.height + slack;
}

// --- All of them

typedef struct gathering {
    search s;
    double radius; // in the model's frame
    double spread; // the largest of leaves that triangles came from
    gz_seen_triangle *out;
    uint32_t count, most;
} gathering;

static void gather_node(gathering *g, uint32_t node)
{
    float room[3][GZ_ROWS] __attribute__((aligned(64))), square[GZ_WIDE];
    search *s = &g->s;
    const gz_tree *tree = s->tree;
    const gz_links *links = gz_tree_links(tree, node);
    box_squares(s, gz_tree_rows(tree, node, room), square);
    s->field->counters->box_tests += links->child_count;
    for (int lane = 0; lane < links->child_count; ++lane) {
        double least = ((double)sqrtf(square[lane]) * (1 - 0x1p-20) - s->slack) / tree->scale;
        if (least > g->radius)
            continue;
        GZ_ASSERT(s->count < STACK);
        s->stack[s->count++] = (entry){least, links->child[lane]};
    }
}

static void gather_leaf(gathering *g, uint32_t leaf)
{
    const gz_tree *tree = g->s.tree;
    uint32_t count = gz_tree_leaf_count(tree, leaf), first = gz_tree_leaf_first(tree, leaf);
    double spread = spread_of(tree, leaf);
    g->s.field->counters->triangle_tests += count;
    for (uint32_t slot = 0; slot < count && g->count <= g->most; ++slot) {
        graze_triangle t;
        double v[3][3], w[3];
        gz_tree_triangle(tree, leaf, slot, &t);
        seen_from(&t, g->s.point, v);
        double distance = closest_point(v, w);
        if (bound_below(v, w, distance) - spread > g->radius)
            continue;
        g->spread = fmax(g->spread, spread);
        if (g->count++ == g->most)
            return;
        uint32_t number = tree->order[first + slot], k = g->count - 1;
        for (; k > 0 && g->out[k - 1].number > number; --k)
            g->out[k] = g->out[k - 1];
        g->out[k].number = number;
        for (int i = 0; i < 3; ++i)
            to_world(g->s.field, v[i], g->out[k].corner[i]);
    }
}

static graze_status gather_tree(void *data, const gz_tree *tree)
{
    gathering *g = data;
    start(&g->s, tree);
    gather_node(g, 0);
    while (g->s.count != 0 && g->count <= g->most) {
        entry e = g->s.stack[--g->s.count];
        if ((e.child & GZ_IS_LEAF) != 0)
            gather_leaf(g, e.child & ~GZ_IS_LEAF);
        else
            gather_node(g, e.child);
    }
    return GRAZE_OK;
}

static double distance_of_box(void *data, const gz_middle *box)
{
    const gathering *g = data;
    g->s.field->counters->box_tests++;
    return box_distance(&g->s, box);
}

static double radius_left(const void *data)
{
    const gathering *g = data;
    return g->count <= g->most ? g->radius : -HUGE_VAL;
}

uint32_t gz_field_gather(const gz_field *field, const double point[3], double radius,
                         gz_seen_triangle *out, uint32_t most, double *slack)
{
    gathering g;
    graze_counters before = *field->counters;
    g.s.field = field;
    gz_field_local(field, point, g.s.point);
    *slack = field->stretch * radius + 2 * field->margin;
    g.radius = radius + *slack;
    g.out = out;
    g.most = most;
    g.count = 0;
    g.spread = 0;
    if (field->visits == NULL)
        gather_tree(&g, field->tree);
    else if (!visit_model(field, &(gz_visitor){&g, distance_of_box, radius_left, gather_tree}))
        return most + 1;
    *slack += g.spread * (1 + field->stretch + TIGHT);
    count_work(field, &before);
    return g.count;
}
