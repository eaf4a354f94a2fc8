// Two restricted boxtrees in poses of their own: which triangles share a point? See restricted.h.
//
// The walk is the paper's: both nodes are opened at once, and the pairs of their children that
// overlap are visited, depth first. A frame of the stack holds the children of one visited pair
// with their intervals, and a bit for each pair that is still to be visited. Levels are at most
// those of the deeper tree, so the stack has a fixed size. The eight combinations of box test and
// lifting are the same source, inlined with constants.
#include <string.h>

#include "base/context.h"
#include "boxtree/papers/restricted.h"
#include "boxtree/papers/restricted_boxes.h"
#include "geometry/fpu.h"

#define INLINE static inline __attribute__((always_inline))

// The children of a node, or the node itself where it is a leaf.
typedef struct opened {
    int count;
    gz_children children;
    gz_ends ends[2];
} opened;

typedef struct frame {
    opened a, b;
    uint32_t pairs; // bit 2 i + j: child i of A and child j of B are to be visited
} frame;

typedef struct walk_scratch {
    gz_axes axes;
    frame frames[GZ_RESTRICTED_DEPTH + 1];
} walk_scratch;

typedef struct walk {
    gz_restricted_query *query;
    walk_scratch *scratch;
    const gz_restricted *a, *b;
} walk;

static void open_node(const gz_restricted *tree, gz_node_ref node, opened *out)
{
    out->count = 1;
    out->children = (gz_children){.node = {node, node}};
    if ((gz_restricted_word(tree, node) & GZ_NODE_LEAF) == 0) {
        out->count = 2;
        out->children = gz_restricted_children(tree, node);
    }
}

// What belongs to one child alone: its ends, from its parent's.
INLINE void derive_a(const gz_axes *axes, const double (*parent)[2], opened *o, int i,
                     int axis_count)
{
    memcpy(o->ends[i], parent, (size_t)axis_count * sizeof *parent);
    gz_restricted_cut cut = o->children.cut[i];
    if (o->count == 2)
        gz_move_a(&axes->a[cut], cut, o->children.plane[i], axis_count, o->ends[i]);
}

INLINE void derive_b(const gz_axes *axes, const double (*parent)[2], opened *o, int j,
                     int axis_count, bool table)
{
    memcpy(o->ends[j], parent, (size_t)axis_count * sizeof *parent);
    gz_restricted_cut cut = o->children.cut[j];
    if (o->count == 2)
        gz_move_b(axes, &axes->b[cut], cut, o->children.plane[j], axis_count, table, o->ends[j]);
}

INLINE bool children_apart(const gz_axes *axes, const frame *f, int i, int j, int axis_count)
{
    gz_restricted_cut cut_a = f->a.children.cut[i], cut_b = f->b.children.cut[j];
    const double(*a)[2] = f->a.ends[i], (*b)[2] = f->b.ends[j];
    if (f->b.count == 2 && gz_moved_apart_b(axes, &axes->b[cut_b], cut_b, axis_count, a, b))
        return true;
    return f->a.count == 2 && gz_moved_apart_a(axes, &axes->a[cut_a], cut_a, axis_count, a, b);
}

INLINE void test_children(walk *w, const double (*parent_a)[2], const double (*parent_b)[2],
                          frame *f, int axis_count, bool table, bool lifted)
{
    const gz_axes *axes = &w->scratch->axes;
    f->pairs = 0;
    for (int i = 0; i < f->a.count; ++i) {
        if (lifted)
            derive_a(axes, parent_a, &f->a, i, axis_count);
        for (int j = 0; j < f->b.count; ++j) {
            if (!lifted)
                derive_a(axes, parent_a, &f->a, i, axis_count);
            if (!lifted || i == 0)
                derive_b(axes, parent_b, &f->b, j, axis_count, table);
            if (!children_apart(axes, f, i, j, axis_count))
                f->pairs |= 1u << (2 * i + j);
        }
    }
    w->query->plain.counters.box_tests += (uint64_t)(f->a.count * f->b.count);
}

static bool roots_apart(const gz_axes *axes, int axis_count)
{
    for (int s = 0; s < axis_count; ++s)
        for (int end = 0; end < 2; ++end)
            if (gz_end_apart(axes, s, end, axes->root_a, axes->root_b))
                return true;
    return false;
}

static bool visit_leaves(walk *w, uint32_t word_a, uint32_t word_b)
{
    return gz_plain_query_triangles(&w->query->plain, word_a & GZ_NODE_PAIR, word_b & GZ_NODE_PAIR);
}

INLINE void run(walk *w, int axis_count, bool table, bool lifted)
{
    const gz_axes *axes = &w->scratch->axes;
    w->query->plain.counters.box_tests++;
    if (roots_apart(axes, axis_count))
        return;
    frame *bottom = w->scratch->frames, *f = bottom;
    f->a = (opened){.count = 1, .children.node = {gz_restricted_root(w->a)}};
    f->b = (opened){.count = 1, .children.node = {gz_restricted_root(w->b)}};
    memcpy(f->a.ends[0], axes->root_a, sizeof axes->root_a);
    memcpy(f->b.ends[0], axes->root_b, sizeof axes->root_b);
    f->pairs = 1;
    for (;;) {
        while (f->pairs == 0) {
            if (f == bottom)
                return;
            --f;
        }
        int next = __builtin_ctz(f->pairs), i = next / 2, j = next % 2;
        f->pairs &= f->pairs - 1;
        gz_node_ref node_a = f->a.children.node[i], node_b = f->b.children.node[j];
        uint32_t word_a = gz_restricted_word(w->a, node_a);
        uint32_t word_b = gz_restricted_word(w->b, node_b);
        if ((word_a & word_b & GZ_NODE_LEAF) != 0) {
            if (!visit_leaves(w, word_a, word_b))
                return;
            continue;
        }
        open_node(w->a, node_a, &f[1].a);
        open_node(w->b, node_b, &f[1].b);
        test_children(w, f->a.ends[i], f->b.ends[j], f + 1, axis_count, table, lifted);
        ++f;
    }
}

static void run_plain(walk *w)
{
    switch (w->query->test) {
    case GZ_TEST_TABLE: run(w, GZ_AXES_ALIGNED, true, false); break;
    case GZ_TEST_SAT: run(w, GZ_AXES, false, false); break;
    case GZ_TEST_LITE: run(w, GZ_AXES_LITE, false, false); break;
    default: run(w, GZ_AXES_ALIGNED, false, false);
    }
}

static void run_lifted(walk *w)
{
    switch (w->query->test) {
    case GZ_TEST_TABLE: run(w, GZ_AXES_ALIGNED, true, true); break;
    case GZ_TEST_SAT: run(w, GZ_AXES, false, true); break;
    case GZ_TEST_LITE: run(w, GZ_AXES_LITE, false, true); break;
    default: run(w, GZ_AXES_ALIGNED, false, true);
    }
}

void gz_restricted_query_init(gz_restricted_query *query, graze_context *context)
{
    *query = (gz_restricted_query){.test = GZ_TEST_LITE, .lifted = true};
    gz_plain_query_init(&query->plain, context);
}

void gz_restricted_query_free(gz_restricted_query *query)
{
    gz_release(query->plain.context, query->scratch, sizeof(walk_scratch));
    gz_plain_query_free(&query->plain);
}

graze_status gz_restricted_query_run(gz_restricted_query *query, const gz_restricted *a,
                                     const graze_pose *pose_a, const gz_restricted *b,
                                     const graze_pose *pose_b)
{
    gz_plain_query *plain = &query->plain;
    if (query->scratch == NULL)
        query->scratch = gz_allocate(plain->context, sizeof(walk_scratch));
    if (query->scratch == NULL)
        return gz_fail(plain->context, GRAZE_ERROR_MEMORY,
                       "out of memory for the walk down two restricted boxtrees");
    gz_fpu_state state = gz_fpu_enter();
    walk w = {.query = query, .scratch = query->scratch, .a = a, .b = b};
    gz_plain_query_begin(plain, &(gz_plain_side){a->view, a->reach, *pose_a},
                         &(gz_plain_side){b->view, b->reach, *pose_b});
    if (a->triangle_count != 0 && b->triangle_count != 0) {
        gz_axes_set(&w.scratch->axes, query->test, plain, a, b);
        if (!w.scratch->axes.sound)
            gz_plain_query_all(plain);
        else if (query->lifted)
            run_lifted(&w);
        else
            run_plain(&w);
    }
    gz_fpu_leave(state);
    return plain->status;
}
