// Builds a boxtree top-down: binned surface-area splits, gathered eight at a time. See tree.h.
//
// Memory: 32 bytes a triangle while it builds, moved about in place, so each level is one pass over
// contiguous memory; below some thousand triangles a subtree stays in the cache. Time per level and
// triangle is that of the binning: two loads, three bin numbers, six updates of gz_f4 floats.
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/simd.h"
#include "base/threads.h"
#include "boxtree/tree_leaf.h"

#define BINS        16
#define STEEP_DEPTH 64 // deeper than this, halves by count: no input makes the tree deep
#define TASK_SHARE  64 // subtrees smaller than this part of the mesh are tasks of their own
#define TASK_LEAST  4096
#define FEW         250 // below so many triangles small parts are opened first, to fill the last nodes

// A triangle on its way down: its box relative to the origin, rounded outward, and its number.
typedef struct reference {
    gz_f4 low; // the fourth float holds the bits of the number
    gz_f4 high;
} reference;

typedef struct range {
    gz_f4 low, high;   // of the boxes
    gz_f4 least, most; // of twice the middles of the boxes
    uint32_t first, count;
    uint32_t depth; // in halvings
    bool whole;     // is a leaf
} range;

typedef struct build {
    graze_context *context;
    const graze_mesh_view *view;
    reference *references;
    double origin[3], scale;
    uint64_t task_limit;
    bool quick;
    atomic_flag asking;    // a thread is at go_on
    atomic_bool cancelled; // and one of them heard so
    _Atomic uint64_t done; // triangles in finished tasks
} build;

// What one task makes. Children of its nodes count from its own beginning.
typedef struct subtree {
    build *shared;
    range from;
    gz_list nodes, leaves;
    uint32_t depth;
    uint32_t root; // a child value
    graze_status status;
} subtree;

// Tells how far the building is, and asks whether to go on: one thread at a time, so that the log
// gets one sentence.
static graze_status go_on(build *b)
{
    if (!atomic_flag_test_and_set(&b->asking)) {
        if (!b->cancelled && gz_checkpoint(b->context, "building", "triangles", b->done,
                                           b->view->triangle_count) != GRAZE_OK)
            b->cancelled = true;
        atomic_flag_clear(&b->asking);
    }
    return b->cancelled ? GRAZE_ERROR_CANCELLED : GRAZE_OK;
}

static uint32_t number_of(const reference *r)
{
    float bits = r->low[3];
    uint32_t number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static gz_f4 with_number(gz_f4 low, uint32_t number)
{
    float bits;
    memcpy(&bits, &number, sizeof bits);
    low[3] = bits;
    return low;
}

static void make_references(void *data, uint32_t chunk)
{
    build *b = data;
    const graze_mesh_view *view = b->view;
    uint64_t first = (uint64_t)chunk * TASK_LEAST;
    uint64_t end =
        first + TASK_LEAST < view->triangle_count ? first + TASK_LEAST : view->triangle_count;
    for (uint64_t t = first; t < end; ++t) {
        double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
        double high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
        for (uint32_t corner = 0; corner < 3; ++corner) {
            double p[3];
            graze_mesh_view_corner(view, t, corner, p);
            for (int axis = 0; axis < 3; ++axis) {
                low[axis] = p[axis] < low[axis] ? p[axis] : low[axis];
                high[axis] = p[axis] > high[axis] ? p[axis] : high[axis];
            }
        }
        reference *r = &b->references[t];
        for (int axis = 0; axis < 3; ++axis) {
            r->low[axis] = gz_row_below(low[axis], b->origin[axis], b->scale);
            r->high[axis] = gz_row_above(high[axis], b->origin[axis], b->scale);
        }
        r->low = with_number(r->low, (uint32_t)t);
        r->high[3] = 0;
    }
}

static void bound(const reference *references, range *r)
{
    const reference *refs = references + r->first;
    gz_f4 low = refs[0].low, high = refs[0].high, least = low + high, most = least;
    for (uint32_t i = 1; i < r->count; ++i) {
        gz_f4 middle = refs[i].low + refs[i].high;
        low = gz_f4_min(low, refs[i].low);
        high = gz_f4_max(high, refs[i].high);
        least = gz_f4_min(least, middle);
        most = gz_f4_max(most, middle);
    }
    r->low = low;
    r->high = high;
    r->least = least;
    r->most = most;
}

static inline float half_area(gz_f4 low, gz_f4 high)
{
    gz_f4 d = high - low;
    return d[0] * d[1] + d[1] * d[2] + d[2] * d[0];
}

typedef struct bin {
    gz_f4 low, high;
    uint32_t count;
} bin;

typedef struct split {
    int axis, bin; // the first bin of the upper part; axis -1: there is none
    float cost;
} split;

// How the middles of a range fall into bins.
typedef struct binning {
    gz_f4 base, scale;
    int bins;
} binning;

static binning make_binning(const range *r)
{
    binning b = {.base = r->least, .scale = {0, 0, 0, 0}, .bins = r->count < FEW ? BINS / 2 : BINS};
    gz_f4 extent = r->most - r->least;
    for (int axis = 0; axis < 3; ++axis)
        b.scale[axis] =
            extent[axis] > 0 && extent[axis] < FLT_MAX ? (float)b.bins * 0.9999f / extent[axis] : 0;
    return b;
}

static inline uint32_t bin_of(const reference *r, int axis, const binning *b)
{
    float x = (r->low[axis] + r->high[axis] - b->base[axis]) * b->scale[axis];
    if (!(x >= 0))
        return 0; // also where a coordinate is not a number
    return x < (float)b->bins ? (uint32_t)x : (uint32_t)b->bins - 1;
}

static const bin nothing = {.low = {FLT_MAX, FLT_MAX, FLT_MAX, 0},
                            .high = {-FLT_MAX, -FLT_MAX, -FLT_MAX, 0}};

static inline void join_bin(bin *sum, const bin *more)
{
    sum->low = gz_f4_min(sum->low, more->low);
    sum->high = gz_f4_max(sum->high, more->high);
    sum->count += more->count;
}

// Along axes from the first to the last one.
static split best_split(const bin bins[3][BINS], int bin_count, int first, int last)
{
    split best = {-1, 0, FLT_MAX};
    for (int axis = first; axis <= last; ++axis) {
        float area_above[BINS];
        uint32_t count_above[BINS];
        bin sum = nothing;
        for (int i = bin_count - 1; i > 0; --i) {
            join_bin(&sum, &bins[axis][i]);
            area_above[i] = half_area(sum.low, sum.high);
            count_above[i] = sum.count;
        }
        sum = nothing;
        for (int i = 1; i < bin_count; ++i) {
            join_bin(&sum, &bins[axis][i - 1]);
            if (sum.count == 0 || count_above[i] == 0)
                continue;
            float cost = half_area(sum.low, sum.high) * (float)sum.count +
                         area_above[i] * (float)count_above[i];
            if (cost < best.cost)
                best = (split){axis, i, cost};
        }
    }
    return best;
}

static inline void put_into(bin *into, const reference *r)
{
    into->low = gz_f4_min(into->low, r->low);
    into->high = gz_f4_max(into->high, r->high);
    into->count++;
}

// The best of all splits along three axes; of many triangles, along the axis on which they spread
// most: that takes a third of the time, and hardly ever makes a difference.
static split find_split(const reference *refs, uint32_t count, const binning *by, int longest)
{
    bin bins[3][BINS];
    for (int axis = 0; axis < 3; ++axis)
        for (int i = 0; i < BINS; ++i)
            bins[axis][i] = nothing;
    if (count >= FEW) {
        for (uint32_t i = 0; i < count; ++i)
            put_into(&bins[longest][bin_of(&refs[i], longest, by)], &refs[i]);
        return best_split((const bin(*)[BINS])bins, by->bins, longest, longest);
    }
    for (uint32_t i = 0; i < count; ++i)
        for (int axis = 0; axis < 3; ++axis)
            put_into(&bins[axis][bin_of(&refs[i], axis, by)], &refs[i]);
    return best_split((const bin(*)[BINS])bins, by->bins, 0, 2);
}

static void swap(reference *a, reference *b)
{
    reference t = *a;
    *a = *b;
    *b = t;
}

// Cuts a range in two. By count where the middles are all in one place, or where the tree is so
// deep already that something is up to no good.
static void cut(const build *b, const range *whole, range *lower, range *upper)
{
    reference *refs = b->references + whole->first;
    uint32_t count = whole->count;
    binning by = make_binning(whole);
    split best = {-1, 0, 0};
    gz_f4 extent = whole->most - whole->least;
    int longest = extent[1] > extent[0] ? 1 : 0;
    longest = extent[2] > extent[longest] ? 2 : longest;
    if (whole->depth >= STEEP_DEPTH)
        best.axis = -1;
    else if (!b->quick)
        best = find_split(refs, count, &by, longest);
    else if (by.scale[longest] > 0)
        best = (split){longest, by.bins / 2, 0};
    uint32_t middle = count / 2;
    if (best.axis >= 0) {
        uint32_t i = 0, j = count;
        while (i < j) {
            if (bin_of(&refs[i], best.axis, &by) < (uint32_t)best.bin)
                ++i;
            else
                swap(&refs[i], &refs[--j]);
        }
        middle = i;
    }
    *lower = (range){.first = whole->first, .count = middle, .depth = whole->depth + 1};
    *upper =
        (range){.first = whole->first + middle, .count = count - middle, .depth = whole->depth + 1};
    bound(b->references, lower);
    bound(b->references, upper);
}

// By number: quick, and all that is needed where triangles share vertices.
static bool collect_numbers(const build *b, const range *r, gz_leaf_vertices *out)
{
    uint32_t numbers[GZ_LEAF], count = 0;
    for (uint32_t t = 0; t < r->count; ++t) {
        const uint32_t *corners =
            b->view->corners + 3 * (uint64_t)number_of(&b->references[r->first + t]);
        for (uint32_t corner = 0; corner < 3; ++corner) {
            uint32_t v = 0;
            while (v < count && numbers[v] != corners[corner])
                ++v;
            if (v == GZ_LEAF)
                return false;
            if (v == count)
                numbers[count++] = corners[corner];
            out->corner[corner][t] = (uint8_t)v;
        }
    }
    out->count = count;
    for (uint32_t v = 0; v < count; ++v)
        for (int axis = 0; axis < 3; ++axis)
            out->position[axis][v] =
                b->view->precision == GRAZE_FLOAT32
                    ? (double)((const float *)
                                   b->view->positions)[3 * (uint64_t)numbers[v] + (uint32_t)axis]
                    : ((const double *)
                           b->view->positions)[3 * (uint64_t)numbers[v] + (uint32_t)axis];
    return true;
}

// By position, where they do not.
static bool collect_positions(const build *b, const range *r, gz_leaf_vertices *out)
{
    double found[GZ_LEAF][3];
    out->count = 0;
    for (uint32_t t = 0; t < r->count; ++t) {
        uint32_t number = number_of(&b->references[r->first + t]);
        for (uint32_t corner = 0; corner < 3; ++corner) {
            double p[3];
            graze_mesh_view_corner(b->view, number, corner, p);
            uint32_t v = 0;
            while (v < out->count && !gz_same_bits(found[v], p))
                ++v;
            if (v == GZ_LEAF)
                return false;
            if (v == out->count)
                memcpy(found[out->count++], p, sizeof p);
            out->corner[corner][t] = (uint8_t)v;
        }
    }
    for (uint32_t v = 0; v < out->count; ++v)
        for (int axis = 0; axis < 3; ++axis)
            out->position[axis][v] = found[v][axis];
    return true;
}

static bool collect_vertices(const build *b, const range *r, gz_leaf_vertices *out)
{
    return r->count <= GZ_LEAF && (collect_numbers(b, r, out) || collect_positions(b, r, out));
}

static uint64_t leaf_bytes(graze_precision precision)
{
    return precision == GRAZE_FLOAT32 ? sizeof(gz_leaf32) : sizeof(gz_leaf64);
}

static graze_status make_leaf(subtree *s, const range *r, const gz_leaf_vertices *v,
                              uint32_t *child)
{
    graze_precision precision = s->shared->view->precision;
    GZ_ASSERT(v->count != 0);
    *child = GZ_IS_LEAF | (uint32_t)s->leaves.count;
    void *leaf = gz_list_push(s->shared->context, &s->leaves, leaf_bytes(precision), 1);
    if (leaf == NULL)
        return GRAZE_ERROR_MEMORY;
    gz_leaf_fill(precision, leaf, r->first, r->count, v);
    return GRAZE_OK;
}

// Opens the largest part until there are eight, or only leaves.
static uint32_t gather_parts(const build *b, const range *whole, range parts[GZ_WIDE])
{
    uint32_t count = 1;
    parts[0] = *whole;
    parts[0].whole = false;
    while (count < GZ_WIDE) {
        int largest = -1;
        float area = -1;
        for (uint32_t i = 0; i < count; ++i) {
            float mine = whole->count < FEW ? 1 / (float)parts[i].count
                                            : half_area(parts[i].low, parts[i].high);
            if (!parts[i].whole && !(mine <= area)) {
                area = mine;
                largest = (int)i;
            }
        }
        if (largest < 0)
            break;
        gz_leaf_vertices vertices;
        if (collect_vertices(b, &parts[largest], &vertices)) {
            parts[largest].whole = true;
            continue;
        }
        range lower, upper;
        cut(b, &parts[largest], &lower, &upper);
        for (uint32_t i = count; i > (uint32_t)largest + 1; --i) // keep them in order
            parts[i] = parts[i - 1];
        parts[largest] = lower;
        parts[largest + 1] = upper;
        count++;
    }
    return count;
}

static void fill_node(gz_node *node, const range *parts, uint32_t count)
{
    memset(node, 0, sizeof *node);
    node->links.child_count = (uint8_t)count;
    for (uint32_t i = 0; i < GZ_WIDE; ++i) {
        const range *part = &parts[i < count ? i : 0];
        for (int axis = 0; axis < 3; ++axis) {
            node->row[axis][GZ_ROW_LOW(i)] = part->low[axis];
            node->row[axis][GZ_ROW_HIGH(i)] = -part->high[axis];
        }
    }
}

static void set_child(gz_node *node, uint32_t index, uint32_t child)
{
    node->links.child[index] = child;
    if ((child & GZ_IS_LEAF) != 0)
        node->links.leaves |= (uint8_t)(1u << index);
}

static graze_status grow(subtree *s, const range *r, uint32_t depth, uint32_t *child);

static graze_status grow_node(subtree *s, const range *r, uint32_t depth, uint32_t *child)
{
    range parts[GZ_WIDE];
    uint32_t count = gather_parts(s->shared, r, parts);
    uint32_t number = (uint32_t)s->nodes.count;
    gz_node *node = gz_list_push(s->shared->context, &s->nodes, sizeof *node, 1);
    if (node == NULL)
        return GRAZE_ERROR_MEMORY;
    fill_node(node, parts, count);
    graze_status status = GRAZE_OK;
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i) {
        uint32_t made = 0;
        status = grow(s, &parts[i], depth + 1, &made);
        set_child(&((gz_node *)s->nodes.items)[number], i, made);
    }
    *child = number;
    return status;
}

static graze_status grow(subtree *s, const range *r, uint32_t depth, uint32_t *child)
{
    s->depth = depth > s->depth ? depth : s->depth;
    gz_leaf_vertices vertices;
    if (collect_vertices(s->shared, r, &vertices))
        return make_leaf(s, r, &vertices, child);
    return grow_node(s, r, depth, child);
}

// The tree above the tasks is grown first, on one thread; its lowest children are tasks.
#define IS_TASK 0x40000000u

typedef struct plan {
    build *shared;
    subtree top;
    gz_list tasks; // subtree
} plan;

static graze_status plan_child(plan *p, const range *r, uint32_t depth, uint32_t *child)
{
    if (r->count <= p->shared->task_limit) {
        *child = IS_TASK | (uint32_t)p->tasks.count;
        subtree *task = gz_list_push(p->shared->context, &p->tasks, sizeof *task, 1);
        if (task == NULL)
            return GRAZE_ERROR_MEMORY;
        *task = (subtree){.shared = p->shared, .from = *r, .depth = depth};
        return GRAZE_OK;
    }
    graze_status status = go_on(p->shared);
    if (status != GRAZE_OK)
        return status;
    range parts[GZ_WIDE];
    uint32_t count = gather_parts(p->shared, r, parts);
    uint32_t number = (uint32_t)p->top.nodes.count;
    gz_node *node = gz_list_push(p->shared->context, &p->top.nodes, sizeof *node, 1);
    if (node == NULL)
        return GRAZE_ERROR_MEMORY;
    fill_node(node, parts, count);
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i) {
        uint32_t made = 0;
        status = plan_child(p, &parts[i], depth + 1, &made);
        ((gz_node *)p->top.nodes.items)[number].links.child[i] = made;
    }
    *child = number;
    return status;
}

static void run_task(void *data, uint32_t index)
{
    plan *p = data;
    subtree *task = (subtree *)p->tasks.items + index;
    task->status = go_on(p->shared);
    if (task->status == GRAZE_OK)
        task->status = grow(task, &task->from, task->depth, &task->root);
    p->shared->done += task->from.count;
}

// Adds a task's place in the whole to a child it made.
static uint32_t shifted(uint32_t child, uint32_t nodes, uint32_t leaves)
{
    return (child & GZ_IS_LEAF) != 0 ? child + leaves : child + nodes;
}

static graze_status join(plan *p, gz_tree *tree)
{
    graze_context *context = p->shared->context;
    uint64_t bytes = leaf_bytes(tree->precision);
    uint64_t node_count = p->top.nodes.count, leaves = 0;
    subtree *tasks = p->tasks.items;
    for (uint64_t t = 0; t < p->tasks.count; ++t) {
        node_count += tasks[t].nodes.count;
        leaves += tasks[t].leaves.count;
        tree->depth = tasks[t].depth > tree->depth ? tasks[t].depth : tree->depth;
    }
    GZ_ASSERT(node_count < IS_TASK && leaves < GZ_IS_LEAF);
    if (node_count == 0)
        node_count = 1; // a root over the only leaf
    gz_node *nodes = GZ_NEW_ARRAY(context, gz_node, node_count);
    tree->nodes = nodes;
    tree->leaves = gz_allocate_array(context, leaves, bytes);
    tree->node_count = (uint32_t)node_count;
    tree->leaf_count = (uint32_t)leaves;
    if (tree->nodes == NULL || tree->leaves == NULL)
        return GRAZE_ERROR_MEMORY;
    uint32_t node = (uint32_t)p->top.nodes.count, leaf = 0;
    uint32_t *roots = GZ_NEW_ARRAY(context, uint32_t, p->tasks.count);
    if (roots == NULL)
        return GRAZE_ERROR_MEMORY;
    for (uint64_t t = 0; t < p->tasks.count; ++t) {
        roots[t] = shifted(tasks[t].root, node, leaf);
        const gz_node *from = tasks[t].nodes.items;
        for (uint64_t i = 0; i < tasks[t].nodes.count; ++i) {
            gz_node *to = &nodes[node + i];
            *to = from[i];
            for (uint32_t k = 0; k < to->links.child_count; ++k)
                to->links.child[k] = shifted(from[i].links.child[k], node, leaf);
        }
        if (tasks[t].leaves.count != 0)
            memcpy((char *)tree->leaves + leaf * bytes, tasks[t].leaves.items,
                   (size_t)(tasks[t].leaves.count * bytes));
        node += (uint32_t)tasks[t].nodes.count;
        leaf += (uint32_t)tasks[t].leaves.count;
        gz_list_free(context, &tasks[t].nodes, sizeof(gz_node));
        gz_list_free(context, &tasks[t].leaves, bytes);
    }
    for (uint64_t i = 0; i < p->top.nodes.count; ++i) {
        gz_node *to = &nodes[i];
        *to = ((const gz_node *)p->top.nodes.items)[i];
        for (uint32_t k = 0; k < to->links.child_count; ++k)
            if ((to->links.child[k] & IS_TASK) != 0)
                set_child(to, k, roots[to->links.child[k] & ~IS_TASK]);
    }
    if (p->top.nodes.count == 0 && (roots[0] & GZ_IS_LEAF) != 0) {
        fill_node(&nodes[0], &tasks[0].from, 1);
        set_child(&nodes[0], 0, roots[0]);
    }
    GZ_FREE_ARRAY(context, roots, p->tasks.count);
    return GRAZE_OK;
}

static void free_plan(plan *p)
{
    graze_context *context = p->shared->context;
    subtree *tasks = p->tasks.items;
    for (uint64_t t = 0; t < p->tasks.count; ++t) {
        gz_list_free(context, &tasks[t].nodes, sizeof(gz_node));
        gz_list_free(context, &tasks[t].leaves, leaf_bytes(p->shared->view->precision));
    }
    gz_list_free(context, &p->tasks, sizeof(subtree));
    gz_list_free(context, &p->top.nodes, sizeof(gz_node));
}

// Finds what holds all triangles. False if a coordinate is not finite.
static bool find_box(const graze_mesh_view *view, graze_box *box)
{
    bool finite = true;
    for (uint64_t t = 0; t < view->triangle_count; ++t)
        for (uint32_t corner = 0; corner < 3; ++corner) {
            double p[3];
            graze_mesh_view_corner(view, t, corner, p);
            for (int axis = 0; axis < 3; ++axis) {
                finite &= p[axis] - p[axis] == 0;
                box->min[axis] = p[axis] < box->min[axis] ? p[axis] : box->min[axis];
                box->max[axis] = p[axis] > box->max[axis] ? p[axis] : box->max[axis];
            }
        }
    return finite;
}

static graze_status build_all(build *b, gz_tree *tree)
{
    graze_context *context = b->context;
    uint32_t count = (uint32_t)tree->triangle_count;
    gz_parallel(context, (count + TASK_LEAST - 1) / TASK_LEAST, make_references, b);
    range all = {.first = 0, .count = count};
    bound(b->references, &all);
    plan p = {.shared = b};
    uint32_t root = 0;
    graze_status status = plan_child(&p, &all, 1, &root);
    if (status == GRAZE_OK)
        gz_parallel(context, (uint32_t)p.tasks.count, run_task, &p);
    for (uint64_t t = 0; t < p.tasks.count && status == GRAZE_OK; ++t)
        status = ((subtree *)p.tasks.items)[t].status;
    if (status == GRAZE_OK)
        status = join(&p, tree);
    free_plan(&p);
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i)
        tree->order[i] = number_of(&b->references[i]);
    return status;
}

// Of leaves; 0 where they are too large for floats.
static double mean_size(const gz_tree *tree)
{
    double sum = 0;
    for (uint32_t i = 0; i < tree->leaf_count; ++i)
        sum += (double)gz_tree_head(tree, i)->half[i % 3] / tree->leaf_count;
    return sum < HUGE_VAL ? sum : 0;
}

graze_status gz_tree_build(graze_context *context, const graze_mesh_view *view,
                           const graze_shape_def *def, gz_tree *tree)
{
    *tree = (gz_tree){.context = context,
                      .precision = view->precision,
                      .triangle_count = view->triangle_count,
                      .serial = atomic_fetch_add(&context->serial, 1) + 1,
                      .box = graze_box_empty()};
    if (view->triangle_count == 0)
        return GRAZE_OK;
    if (view->triangle_count >= GZ_IS_LEAF)
        return gz_fail(context, GRAZE_ERROR_UNSUPPORTED,
                       "a tree in memory holds at most 2147483647 triangles");
    graze_box box = graze_box_empty();
    if (!find_box(view, &box))
        return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                       "a tree cannot be made: a coordinate is infinite or not a number");
    gz_tree_set_frame(tree, &box);
    build b = {.context = context,
               .view = view,
               .quick = def->build == GRAZE_BUILD_QUICK,
               .asking = ATOMIC_FLAG_INIT};
    memcpy(b.origin, tree->origin, sizeof b.origin);
    b.scale = tree->scale;
    b.task_limit = view->triangle_count / TASK_SHARE;
    if (b.task_limit < TASK_LEAST)
        b.task_limit = TASK_LEAST;
    tree->order = GZ_NEW_ARRAY(context, uint32_t, view->triangle_count);
    b.references = GZ_NEW_ARRAY(context, reference, view->triangle_count);
    graze_status status = GRAZE_ERROR_MEMORY;
    if (tree->order != NULL && b.references != NULL)
        status = build_all(&b, tree);
    GZ_FREE_ARRAY(context, b.references, view->triangle_count);
    if (status == GRAZE_OK)
        tree->grain = mean_size(tree);
    if (status == GRAZE_OK && def->layout == GRAZE_LAYOUT_COMPACT)
        status = gz_tree_compact(tree, view);
    if (status != GRAZE_OK)
        gz_tree_free(tree);
    if (status == GRAZE_ERROR_MEMORY)
        return gz_fail(context, status, "out of memory for the tree of %llu triangles",
                       (unsigned long long)view->triangle_count);
    return status;
}
