// Builds a restricted boxtree, from the top, as section 4 of the paper says. See restricted.h.
//
// The criterion. What a split costs is the volume of the two children's boxes; both are the
// parent's, cut along one axis, so that is the sum of their lengths along the axis over the
// parent's. Three cases for each axis: a lower and an upper box, two lower ones, two upper ones. In
// each, a seed for each child is chosen at the border, and every other triangle goes to the child
// whose box grows least. The cheapest of all cases is taken.
//
// Two lower boxes both begin at the parent's low side. One of them holds the highest triangle and
// never grows, so "least growth" would leave the other one its seed alone. We take seeds far apart
// and give each triangle to the seed with the nearer end. GZ_GROW_FROM_SEEDS does so in all cases:
// then the order of the triangles plays no part, and nothing can creep.
//
// The build ends whatever the triangles are: below SHARED_DEPTH levels, or where no axis has a
// length, they are cut into equal halves as they lie.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "boxtree/papers/restricted.h"
#include "geometry/fpu.h"
#include "geometry/rounding.h"

#define SHARED_DEPTH 64 // 25 levels of halves come on top
_Static_assert(SHARED_DEPTH + 26 <= GZ_RESTRICTED_DEPTH, "halves must fit");

typedef struct item {
    double end[3][2]; // of the triangle's box
    uint32_t number;
} item;

typedef struct build {
    gz_restricted *tree;
    item *items;
    uint32_t pair_count;         // so far; pair 0 is the root's
    uint8_t *child_of, *best_of; // 0 or 1 for each place: of the case at hand, of the cheapest
} build;

// A way to share out: which end along the axis is cut for each of the two children.
typedef struct share {
    int axis, end[2];
    bool by_distance;   // from the seeds; else by growth
    uint32_t seed[2];   // places of items
    double position[2]; // how far the cuts may go: the least end of a child's triangles
    uint32_t count[2];
    double cost;
} share;

// To whom a triangle goes; `from` are the ends that it is compared with.
static int choose(const share *s, const item *t, const double from[2])
{
    double apart[2];
    for (int child = 0; child < 2; ++child) {
        apart[child] = from[child] - t->end[s->axis][s->end[child]];
        if (s->by_distance)
            apart[child] = fabs(apart[child]);
        else if (apart[child] < 0)
            apart[child] = 0;
    }
    if (apart[0] != apart[1])
        return apart[1] < apart[0];
    return s->count[1] < s->count[0];
}

// The i-th place in turns from both ends.
static uint32_t alternate(uint32_t i, uint32_t count)
{
    return i % 2 == 0 ? i / 2 : count - 1 - i / 2;
}

// Shares out all items: fills positions and counts, and says of each place whose it is.
static void share_out(const build *b, uint32_t first, uint32_t count, share *s, uint8_t *child_of)
{
    double seed_end[2];
    for (int child = 0; child < 2; ++child) {
        seed_end[child] = b->items[s->seed[child]].end[s->axis][s->end[child]];
        s->position[child] = seed_end[child];
        s->count[child] = 1;
        child_of[s->seed[child]] = (uint8_t)child;
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t place = first + (s->by_distance ? i : alternate(i, count));
        if (place == s->seed[0] || place == s->seed[1])
            continue;
        const item *t = &b->items[place];
        int child = choose(s, t, s->by_distance ? seed_end : s->position);
        double end = t->end[s->axis][s->end[child]];
        s->position[child] = end < s->position[child] ? end : s->position[child];
        s->count[child]++;
        child_of[place] = (uint8_t)child;
    }
}

// Places of the extreme items along one axis, for one end: the two greatest and the least.
typedef struct extremes {
    uint32_t most, second, least;
} extremes;

static extremes find_extremes(const build *b, uint32_t first, uint32_t count, int axis, int end)
{
    extremes x = {first, first + 1, first};
    double most = b->items[first].end[axis][end], least = most, second = -HUGE_VAL;
    for (uint32_t place = first + 1; place < first + count; ++place) {
        double e = b->items[place].end[axis][end];
        if (e > most) {
            second = most;
            x.second = x.most;
            most = e;
            x.most = place;
        } else if (e > second) {
            second = e;
            x.second = place;
        }
        if (e < least) {
            least = e;
            x.least = place;
        }
    }
    return x;
}

static double side_length(const double box[3][2], int axis) { return -box[axis][0] - box[axis][1]; }

// The three cases of one axis; keeps the cheapest in *best, and its children in b->best_of.
static void try_axis(build *b, uint32_t first, uint32_t count, const double box[3][2], int axis,
                     share *best)
{
    static const int ends[3][2] = {{1, 0}, {1, 1}, {0, 0}}; // lower and upper, lower, upper
    extremes x[2] = {find_extremes(b, first, count, axis, 0),
                     find_extremes(b, first, count, axis, 1)};
    double length = side_length(box, axis);
    for (int kind = 0; kind < 3; ++kind) {
        share s = {.axis = axis, .end = {ends[kind][0], ends[kind][1]}};
        s.by_distance = kind != 0 || b->tree->def.growth == GZ_GROW_FROM_SEEDS;
        const extremes *one = &x[s.end[0]], *other = &x[s.end[1]];
        s.seed[0] = one->most;
        if (kind != 0)
            s.seed[1] = one->least != one->most ? one->least : one->second;
        else
            s.seed[1] = other->most != one->most ? other->most : other->second;
        share_out(b, first, count, &s, b->child_of);
        double cut = (s.position[0] - box[axis][s.end[0]]) + (s.position[1] - box[axis][s.end[1]]);
        s.cost = 2 - cut / length;
        if (s.cost < best->cost) {
            *best = s;
            memcpy(b->best_of + first, b->child_of + first, count);
        }
    }
}

// Equal halves as they lie.
static void halve(build *b, uint32_t first, uint32_t count, share *s)
{
    for (uint32_t i = 0; i < count; ++i)
        b->best_of[first + i] = i >= count / 2;
    s->count[0] = count / 2;
    s->count[1] = count - count / 2;
}

static share find_share(build *b, uint32_t first, uint32_t count, const double box[3][2],
                        uint32_t depth)
{
    share best = {.end = {1, 0}, .cost = HUGE_VAL};
    int longest = 0;
    for (int axis = 1; axis < 3; ++axis)
        if (side_length(box, axis) > side_length(box, longest))
            longest = axis;
    best.axis = longest;
    for (int axis = 0; axis < 3 && depth < SHARED_DEPTH; ++axis)
        if (side_length(box, axis) > 0 && (axis == longest || !b->tree->def.longest_axis))
            try_axis(b, first, count, box, axis, &best);
    if (best.cost == HUGE_VAL)
        halve(b, first, count, &best);
    return best;
}

// Brings the items of child 0 to the front.
static void part(build *b, uint32_t first, uint32_t count)
{
    uint32_t front = first, back = first + count;
    while (front < back) {
        if (b->best_of[front] == 0) {
            ++front;
            continue;
        }
        --back;
        item moved = b->items[front];
        b->items[front] = b->items[back];
        b->items[back] = moved;
        b->best_of[front] = b->best_of[back];
    }
}

// The largest float by which an end may move without passing the limit, in the arithmetic of the
// walk. Of planes in steps, the largest step.
static float plane_below(double end, double limit, bool stepped)
{
    float plane = (float)(limit - end);
    while (plane > 0 && end + (double)plane > limit)
        plane = gz_step_down(plane);
    if (!(plane > 0))
        return 0;
    return stepped ? gz_step(gz_step_place(plane)) : plane;
}

// A child's cut: the given one, or the one of all six that takes most. Cuts the box.
static float cut_child(const build *b, uint32_t first, uint32_t count, double box[3][2],
                       gz_restricted_cut *cut)
{
    double tight[3][2];
    memcpy(tight, b->items[first].end, sizeof tight);
    for (uint32_t i = 1; i < count; ++i)
        for (int k = 0; k < 6; ++k) {
            double e = b->items[first + i].end[k / 2][k % 2];
            tight[k / 2][k % 2] = e < tight[k / 2][k % 2] ? e : tight[k / 2][k % 2];
        }
    double most = 0;
    for (uint32_t k = 0; k < 6 && b->tree->def.perpendicular; ++k) {
        double length = side_length(box, (int)k / 2);
        double taken = length > 0 ? (tight[k / 2][k % 2] - box[k / 2][k % 2]) / length : 0;
        if (taken > most) {
            most = taken;
            *cut = k;
        }
    }
    double *end = &box[*cut / 2][*cut % 2];
    float plane = plane_below(*end, tight[*cut / 2][*cut % 2], b->tree->def.stepped);
    *end += (double)plane;
    return plane;
}

static void set_leaf(gz_restricted *tree, uint32_t slot, uint32_t number)
{
    if (tree->def.layout == GZ_PLANE_IN_CHILD)
        ((gz_narrow_node *)tree->nodes)[slot].word |= GZ_NODE_LEAF | number;
    else
        ((gz_parent_node *)tree->nodes)[slot] = (gz_parent_node){{0, 0}, GZ_NODE_LEAF | number};
}

static void set_children(gz_restricted *tree, uint32_t slot, uint32_t pair, const float plane[2],
                         const gz_restricted_cut cut[2])
{
    if (tree->def.layout == GZ_PLANE_IN_CHILD) {
        gz_narrow_node *nodes = tree->nodes;
        nodes[slot].word |= pair;
        for (uint32_t i = 0; i < 2; ++i)
            nodes[2 * pair + i] = (gz_narrow_node){plane[i], cut[i] << GZ_NODE_CUT};
        return;
    }
    ((gz_parent_node *)tree->nodes)[slot] = (gz_parent_node){
        {plane[0], plane[1]}, cut[1] << GZ_NODE_CUT | cut[0] << (GZ_NODE_CUT - 3) | pair};
}

static void build_node(build *b, uint32_t slot, uint32_t first, uint32_t count,
                       const double box[3][2], uint32_t depth)
{
    gz_restricted *tree = b->tree;
    tree->depth = depth > tree->depth ? depth : tree->depth;
    if (count == 1) {
        set_leaf(tree, slot, b->items[first].number);
        return;
    }
    share s = find_share(b, first, count, box, depth);
    part(b, first, count);
    const uint32_t starts[2] = {first, first + s.count[0]};
    double boxes[2][3][2];
    float plane[2];
    gz_restricted_cut cut[2];
    for (int child = 0; child < 2; ++child) {
        cut[child] = (gz_restricted_cut)(2 * s.axis + s.end[child]);
        memcpy(boxes[child], box, sizeof boxes[child]);
        plane[child] = cut_child(b, starts[child], s.count[child], boxes[child], &cut[child]);
    }
    uint32_t pair = ++b->pair_count;
    set_children(tree, slot, pair, plane, cut);
    for (uint32_t child = 0; child < 2; ++child)
        build_node(b, 2 * pair + child, starts[child], s.count[child],
                   (const double(*)[2])boxes[child], depth + 1);
}

// Boxes of all triangles, scaled, which is exact but for numbers that vanish beside the others.
static void make_items(build *b)
{
    gz_restricted *tree = b->tree;
    for (int k = 0; k < 6; ++k)
        tree->root[k / 2][k % 2] = HUGE_VAL;
    for (uint32_t t = 0; t < tree->triangle_count; ++t) {
        item *out = &b->items[t];
        out->number = t;
        for (int k = 0; k < 6; ++k)
            out->end[k / 2][k % 2] = HUGE_VAL;
        for (uint32_t corner = 0; corner < 3; ++corner) {
            double p[3];
            graze_mesh_view_corner(tree->view, t, corner, p);
            for (int axis = 0; axis < 3; ++axis) {
                double x = p[axis] * tree->scale;
                out->end[axis][0] = fmin(out->end[axis][0], x);
                out->end[axis][1] = fmin(out->end[axis][1], -x);
            }
        }
        for (int k = 0; k < 6; ++k)
            tree->root[k / 2][k % 2] = fmin(tree->root[k / 2][k % 2], out->end[k / 2][k % 2]);
    }
}

static uint64_t node_bytes(gz_restricted_layout layout)
{
    return layout == GZ_PLANE_IN_CHILD ? sizeof(gz_narrow_node) : sizeof(gz_parent_node);
}

static uint64_t slot_count(const gz_restricted *tree) { return 2 * (uint64_t)tree->triangle_count; }

static void build_all(build *b)
{
    gz_restricted *tree = b->tree;
    gz_fpu_state state = gz_fpu_enter();
    tree->reach = gz_mesh_reach(tree->view);
    tree->scale = gz_unit_scale(tree->reach);
    memset(tree->nodes, 0, (size_t)(slot_count(tree) * node_bytes(tree->def.layout)));
    make_items(b);
    build_node(b, 0, 0, tree->triangle_count, (const double(*)[2])tree->root, 1);
    gz_fpu_leave(state);
}

graze_status gz_restricted_build(graze_context *context, const graze_mesh_view *view,
                                 const gz_restricted_def *def, gz_restricted *tree)
{
    uint64_t count = view->triangle_count;
    *tree = (gz_restricted){.context = context, .view = view};
    if (def != NULL)
        tree->def = *def;
    if (count > GZ_RESTRICTED_TRIANGLES)
        return gz_fail(context, GRAZE_ERROR_UNSUPPORTED,
                       "a restricted boxtree holds at most %u triangles", GZ_RESTRICTED_TRIANGLES);
    tree->triangle_count = (uint32_t)count;
    if (count == 0)
        return GRAZE_OK;
    build b = {.tree = tree};
    tree->nodes = gz_allocate_array(context, slot_count(tree), node_bytes(tree->def.layout));
    b.items = GZ_NEW_ARRAY(context, item, count);
    b.child_of = GZ_NEW_ARRAY(context, uint8_t, count);
    b.best_of = GZ_NEW_ARRAY(context, uint8_t, count);
    bool ready = tree->nodes != NULL && b.items != NULL && b.child_of != NULL && b.best_of != NULL;
    if (ready)
        build_all(&b);
    GZ_FREE_ARRAY(context, b.items, count);
    GZ_FREE_ARRAY(context, b.child_of, count);
    GZ_FREE_ARRAY(context, b.best_of, count);
    if (ready)
        return GRAZE_OK;
    gz_restricted_free(tree);
    return gz_fail(context, GRAZE_ERROR_MEMORY,
                   "out of memory for the restricted boxtree of %llu triangles",
                   (unsigned long long)count);
}

void gz_restricted_free(gz_restricted *tree)
{
    if (tree->context == NULL)
        return;
    gz_release(tree->context, tree->nodes, slot_count(tree) * node_bytes(tree->def.layout));
    *tree = (gz_restricted){0};
}

uint64_t gz_restricted_bytes(const gz_restricted *tree)
{
    return sizeof *tree + slot_count(tree) * node_bytes(tree->def.layout);
}
