// Builds a boxtree top-down: binned surface-area splits, gathered eight at a time. See tree.h.
//
// Memory: 32 bytes a triangle while it builds, moved about in place, so each level is one pass over
// contiguous memory; below some thousand triangles a subtree stays in the cache. Time per level and
// triangle is that of the binning: two loads, three bin numbers, six updates of gz_f4 floats.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/threads.h"
#include "boxtree/tree_leaf.h"
#include "boxtree/tree_plan.h"

#define BINS        16
#define STEEP_DEPTH 64 // deeper than this, halves by count: no input makes the tree deep
#define PART_SHARE  64 // subtrees smaller than this share of the mesh are parts of their own
#define PART_LEAST  4096
#define FEW         250 // below so many triangles small parts are opened first, to fill the last nodes

// Tells how far the building is, and asks whether to go on: one thread at a time, so that the log
// gets one sentence.
static graze_status go_on(gz_plan *b)
{
    if (!atomic_flag_test_and_set(&b->asking)) {
        if (!b->cancelled && gz_checkpoint(b->context, "building", "triangles", b->done,
                                           b->view->triangle_count) != GRAZE_OK)
            b->cancelled = true;
        atomic_flag_clear(&b->asking);
    }
    return b->cancelled ? GRAZE_ERROR_CANCELLED : GRAZE_OK;
}

static uint32_t number_of(const gz_reference *r)
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
    gz_plan *b = data;
    const graze_mesh_view *view = b->view;
    uint64_t first = (uint64_t)chunk * PART_LEAST;
    uint64_t end =
        first + PART_LEAST < view->triangle_count ? first + PART_LEAST : view->triangle_count;
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
        gz_reference *r = &b->references[t];
        for (int axis = 0; axis < 3; ++axis) {
            r->low[axis] = gz_row_below(low[axis], b->origin[axis], b->scale);
            r->high[axis] = gz_row_above(high[axis], b->origin[axis], b->scale);
        }
        r->low = with_number(r->low, (uint32_t)t);
        r->high[3] = 0;
    }
}

static void bound(const gz_reference *references, gz_range *r)
{
    const gz_reference *refs = references + r->first;
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

static binning make_binning(const gz_range *r)
{
    binning b = {.base = r->least, .scale = {0, 0, 0, 0}, .bins = r->count < FEW ? BINS / 2 : BINS};
    gz_f4 extent = r->most - r->least;
    for (int axis = 0; axis < 3; ++axis)
        b.scale[axis] =
            extent[axis] > 0 && extent[axis] < FLT_MAX ? (float)b.bins * 0.9999f / extent[axis] : 0;
    return b;
}

static inline uint32_t bin_of(const gz_reference *r, int axis, const binning *b)
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

static inline void put_into(bin *into, const gz_reference *r)
{
    into->low = gz_f4_min(into->low, r->low);
    into->high = gz_f4_max(into->high, r->high);
    into->count++;
}

// The best of all splits along three axes; of many triangles, along the axis on which they spread
// most: that takes a third of the time, and hardly ever makes a difference.
static split find_split(const gz_reference *refs, uint32_t count, const binning *by, int longest)
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

static void swap(gz_reference *a, gz_reference *b)
{
    gz_reference t = *a;
    *a = *b;
    *b = t;
}

// Cuts a range in two. By count where the middles are all in one place, or where the tree is so
// deep already that something is up to no good.
static void cut(const gz_plan *b, const gz_range *whole, gz_range *lower, gz_range *upper)
{
    gz_reference *refs = b->references + whole->first;
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
    *lower = (gz_range){.first = whole->first, .count = middle, .depth = whole->depth + 1};
    *upper = (gz_range){
        .first = whole->first + middle, .count = count - middle, .depth = whole->depth + 1};
    bound(b->references, lower);
    bound(b->references, upper);
}

// By number: quick, and all that is needed where triangles share vertices.
static bool collect_numbers(const gz_plan *b, const gz_range *r, gz_leaf_vertices *out)
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
static bool collect_positions(const gz_plan *b, const gz_range *r, gz_leaf_vertices *out)
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

static bool collect_vertices(const gz_plan *b, const gz_range *r, gz_leaf_vertices *out)
{
    return r->count <= GZ_LEAF && (collect_numbers(b, r, out) || collect_positions(b, r, out));
}

static graze_status make_leaf(gz_part *s, const gz_range *r, const gz_leaf_vertices *v,
                              uint32_t *child)
{
    graze_precision precision = s->plan->view->precision;
    GZ_ASSERT(v->count != 0);
    *child = GZ_IS_LEAF | (uint32_t)s->leaves.count;
    void *leaf = gz_list_push(s->plan->context, &s->leaves, gz_leaf_bytes(precision), 1);
    if (leaf == NULL)
        return GRAZE_ERROR_MEMORY;
    gz_leaf_fill(precision, leaf, r->first, r->count, v);
    return GRAZE_OK;
}

// Opens the largest part until there are eight, or only leaves.
static uint32_t gather_parts(const gz_plan *b, const gz_range *whole, gz_range parts[GZ_WIDE])
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
        gz_range lower, upper;
        cut(b, &parts[largest], &lower, &upper);
        for (uint32_t i = count; i > (uint32_t)largest + 1; --i) // keep them in order
            parts[i] = parts[i - 1];
        parts[largest] = lower;
        parts[largest + 1] = upper;
        count++;
    }
    return count;
}

static graze_status grow(gz_part *s, const gz_range *r, uint32_t depth, uint32_t *child);

static graze_status grow_node(gz_part *s, const gz_range *r, uint32_t depth, uint32_t *child)
{
    gz_range parts[GZ_WIDE];
    uint32_t count = gather_parts(s->plan, r, parts);
    uint32_t number = (uint32_t)s->nodes.count;
    gz_node *node = gz_list_push(s->plan->context, &s->nodes, sizeof *node, 1);
    if (node == NULL)
        return GRAZE_ERROR_MEMORY;
    gz_node_fill(node, parts, count);
    graze_status status = GRAZE_OK;
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i) {
        uint32_t made = 0;
        status = grow(s, &parts[i], depth + 1, &made);
        if (status == GRAZE_OK)
            gz_node_set_child(s->plan, s->leaves.items, &((gz_node *)s->nodes.items)[number], i,
                              made);
    }
    *child = number;
    return status;
}

static graze_status grow(gz_part *s, const gz_range *r, uint32_t depth, uint32_t *child)
{
    s->depth = depth > s->depth ? depth : s->depth;
    gz_leaf_vertices vertices;
    if (collect_vertices(s->plan, r, &vertices))
        return make_leaf(s, r, &vertices, child);
    return grow_node(s, r, depth, child);
}

// The tree above the parts is made first, on one thread.
static graze_status plan_child(gz_plan *p, const gz_range *r, uint32_t depth, uint32_t *child)
{
    if (r->count <= p->part_limit) {
        *child = GZ_IS_PART | (uint32_t)p->parts.count;
        gz_part *part = gz_list_push(p->context, &p->parts, sizeof *part, 1);
        if (part == NULL)
            return GRAZE_ERROR_MEMORY;
        *part = (gz_part){.plan = p, .from = *r, .depth = depth};
        return GRAZE_OK;
    }
    graze_status status = go_on(p);
    if (status != GRAZE_OK)
        return status;
    gz_range parts[GZ_WIDE];
    uint32_t count = gather_parts(p, r, parts);
    uint32_t number = (uint32_t)p->nodes.count;
    gz_node *node = gz_list_push(p->context, &p->nodes, sizeof *node, 1);
    if (node == NULL)
        return GRAZE_ERROR_MEMORY;
    gz_node_fill(node, parts, count);
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i) {
        uint32_t made = 0;
        status = plan_child(p, &parts[i], depth + 1, &made);
        ((gz_node *)p->nodes.items)[number].links.child[i] = made;
    }
    *child = number;
    return status;
}

graze_status gz_plan_make(gz_plan *plan, const gz_tree *frame)
{
    uint32_t count = (uint32_t)plan->view->triangle_count, root = 0;
    memcpy(plan->origin, frame->origin, sizeof plan->origin);
    plan->scale = frame->scale;
    atomic_flag_clear(&plan->asking);
    plan->part_limit = count / PART_SHARE;
    if (plan->part_limit < PART_LEAST)
        plan->part_limit = PART_LEAST;
    if (plan->context->part_limit != 0)
        plan->part_limit = plan->context->part_limit;
    plan->references = GZ_NEW_ARRAY(plan->context, gz_reference, count);
    if (plan->references == NULL)
        return GRAZE_ERROR_MEMORY;
    gz_parallel(plan->context, (count + PART_LEAST - 1) / PART_LEAST, make_references, plan);
    gz_range all = {.first = 0, .count = count};
    bound(plan->references, &all);
    return plan_child(plan, &all, 1, &root);
}

void gz_plan_grow(gz_plan *plan, uint32_t number)
{
    gz_part *part = (gz_part *)plan->parts.items + number;
    part->status = go_on(plan);
    if (part->status == GRAZE_OK)
        part->status = grow(part, &part->from, part->depth, &part->root);
    part->grown = part->status == GRAZE_OK;
    if (!part->grown)
        gz_part_clear(part);
    plan->done += part->from.count;
}

void gz_plan_order(const gz_plan *plan, uint32_t number, uint32_t *order)
{
    const gz_range *from = &((const gz_part *)plan->parts.items)[number].from;
    for (uint32_t i = from->first; i < from->first + from->count; ++i)
        order[i] = number_of(&plan->references[i]);
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

graze_status gz_plan_frame(graze_context *context, const graze_mesh_view *view, gz_tree *tree)
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
    return GRAZE_OK;
}

static void grow_one(void *data, uint32_t index) { gz_plan_grow(data, index); }

static graze_status build_all(gz_plan *plan, gz_tree *tree)
{
    graze_status status = gz_plan_make(plan, tree);
    if (status != GRAZE_OK)
        return status;
    gz_parallel(plan->context, (uint32_t)plan->parts.count, grow_one, plan);
    for (uint64_t i = 0; i < plan->parts.count && status == GRAZE_OK; ++i)
        status = ((gz_part *)plan->parts.items)[i].status;
    if (status == GRAZE_OK)
        status = gz_plan_join(plan, NULL, tree);
    for (uint64_t i = 0; i < plan->parts.count && status == GRAZE_OK; ++i)
        gz_plan_order(plan, (uint32_t)i, tree->order);
    return status;
}

graze_status gz_tree_build(graze_context *context, const graze_mesh_view *view,
                           const graze_shape_def *def, gz_tree *tree)
{
    graze_status status = gz_plan_frame(context, view, tree);
    if (status != GRAZE_OK || view->triangle_count == 0)
        return status;
    gz_plan plan = {.context = context, .view = view, .quick = def->build == GRAZE_BUILD_QUICK};
    tree->order = GZ_NEW_ARRAY(context, uint32_t, view->triangle_count);
    status = tree->order == NULL ? GRAZE_ERROR_MEMORY : build_all(&plan, tree);
    gz_plan_free(&plan);
    if (status == GRAZE_OK)
        tree->grain = gz_tree_mean_size(tree);
    if (status == GRAZE_OK && def->layout == GRAZE_LAYOUT_COMPACT)
        status = gz_tree_compact(tree, view);
    if (status != GRAZE_OK)
        gz_tree_free(tree);
    if (status == GRAZE_ERROR_MEMORY)
        return gz_fail(context, status, "out of memory for the tree of %llu triangles",
                       (unsigned long long)view->triangle_count);
    return status;
}
