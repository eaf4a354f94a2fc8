// The walk down two trees at once, and the test of two leaves. Compiled once for each SIMD width.
//
// The walk. The rotation between the frames is fixed during a query, so every candidate axis is a
// fixed slab for each box, and six of them (those of both frames, the "SAT lite" of the restricted
// boxtree paper) reject nearly all that can be rejected. A node of A is visited once, with the list
// of all parts of B that overlap it: each part is brought into A's frame once, and then each child
// of A meets eight boxes of B per comparison. Lists live on one stack of bytes.
//
// Two leaves. A's vertices are taken relative to the leaf's center and scaled to about 1; B's are
// brought into that frame, sixteen at once. Slabs along the leaves' mean normals reject much of
// near-parallel surface; boxes of triangles leave few candidates, which are packed sixteen to a
// batch and go through triangle_lanes.h. What that leaves unsure is posed in double and decided
// exactly.
#include <float.h>
#include <math.h>
#include <string.h>

#include "boxtree/tree_pairs.h"
#include "geometry/triangle_lanes.h"

#define GLUE(name, width)          name##_##width
#define GLUE_EXPANDED(name, width) GLUE(name, width)
#define KERNEL(name)               GLUE_EXPANDED(name, GZ_WIDTH)

// The rotation is one to 1e-9, and a tolerance is rounded to float.
#define ROTATION_SLACK 2e-7
#define ROWS           (2 * GZ_WIDE)
#define PARTS          (ROWS / GZ_LANES)

// Some children of a node of B, by a bit each.
typedef struct entry {
    uint32_t node, lanes;
} entry;

// A node of B whose children are looked at, with its rows in A's frame.
typedef struct item {
    float row[3][ROWS];
    const gz_node *node;
    uint32_t number, lanes;
} __attribute__((aligned(64))) item;

// Rows of one frame in the other. For a negative factor a low end comes from a high one: the halves
// of the row change places and signs.
static inline void transform_rows(const float in[3][ROWS], const float matrix[9],
                                  const float low[3], const float high[3], float out[3][ROWS])
{
    for (int part = 0; part < PARTS; ++part) {
        int first = part * GZ_LANES, other = (first + GZ_WIDE) % ROWS;
        gz_fw x[3], s[3];
        for (int j = 0; j < 3; ++j) {
            x[j] = gz_fw_load(&in[j][first]);
#if GZ_LANES == 16
            s[j] = gz_fw_sub(gz_fw_all(0), gz_fw_swap_halves(x[j]));
            (void)other;
#else
            s[j] = gz_fw_sub(gz_fw_all(0), gz_fw_load(&in[j][other]));
#endif
        }
        for (int i = 0; i < 3; ++i) {
#if GZ_LANES == 16
            gz_fw sum = gz_fw_halves(low[i], high[i]);
#else
            gz_fw sum = gz_fw_all(first < GZ_WIDE ? low[i] : high[i]);
#endif
            for (int j = 0; j < 3; ++j) {
                float factor = matrix[3 * i + j];
                sum = gz_fw_add(sum, gz_fw_mul(gz_fw_all(factor), factor >= 0 ? x[j] : s[j]));
            }
            gz_fw_store(&out[i][first], sum);
        }
    }
}

// One child of A, as rows to compare B's with: its high ends, then its low ends negated, in A's
// frame and in B's.
typedef struct probe {
    float row[6][ROWS];
} __attribute__((aligned(64))) probe;

static inline void set_probe(probe *p, const float row_a[3][ROWS], const float row_b[3][ROWS],
                             uint32_t child)
{
    for (int axis = 0; axis < 6; ++axis) {
        const float *row = axis < 3 ? row_a[axis] : row_b[axis - 3];
        for (int i = 0; i < GZ_WIDE; ++i) {
            p->row[axis][GZ_ROW_LOW(i)] = -row[GZ_ROW_HIGH(child)];
            p->row[axis][GZ_ROW_HIGH(i)] = -row[GZ_ROW_LOW(child)];
        }
    }
}

// The same in registers.
typedef struct loaded_probe {
    gz_fw row[6][PARTS];
} loaded_probe;

static inline loaded_probe load_probe(const probe *p)
{
    loaded_probe out;
    for (int axis = 0; axis < 6; ++axis)
        for (int part = 0; part < PARTS; ++part)
            out.row[axis][part] = gz_fw_load(&p->row[axis][part * GZ_LANES]);
    return out;
}

// Which of eight children of B overlap the probe? `turned` are B's rows in A's frame, `own` in B's.
static inline uint32_t overlaps(const loaded_probe *p, const float turned[3][ROWS],
                                const float own[3][ROWS])
{
    uint32_t apart = 0;
    for (int part = 0; part < PARTS; ++part) {
        int first = part * GZ_LANES;
        gz_mw any = gz_fw_less(p->row[0][part], gz_fw_load(&turned[0][first]));
        any = gz_mw_or(any, gz_fw_less(p->row[1][part], gz_fw_load(&turned[1][first])));
        any = gz_mw_or(any, gz_fw_less(p->row[2][part], gz_fw_load(&turned[2][first])));
        any = gz_mw_or(any, gz_fw_less(p->row[3][part], gz_fw_load(&own[0][first])));
        any = gz_mw_or(any, gz_fw_less(p->row[4][part], gz_fw_load(&own[1][first])));
        any = gz_mw_or(any, gz_fw_less(p->row[5][part], gz_fw_load(&own[2][first])));
        apart |= gz_mw_bits(any) << first;
    }
    return ~(apart | apart >> GZ_WIDE) & 0xffu;
}

static inline uint32_t children_of(const gz_node *node)
{
    return (UINT32_C(1) << node->child_count) - 1;
}

static uint32_t leaf_lanes(const gz_node *node)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < GZ_WIDE; ++i) // unused children are 0: not leaves
        lanes |= (node->child[i] >> 31) << i;
    return lanes;
}

// A leaf of A, ready to be tested.
typedef struct ready_leaf {
    float vertex[3][GZ_LEAF];                // relative to the center, scaled
    float low[3][GZ_LEAF], high[3][GZ_LEAF]; // boxes of triangles
    int32_t index[3][GZ_LEAF];               // vertex numbers of corners
    float normal[3], slab_low, slab_high;
    float box_low[3], box_high[3];
    float matrix[9];  // from B's vertices, relative to their center, to here
    float error;      // of a coordinate here
    double tolerance; // here
    uint32_t leaf, count;
    double center[3], scale;
} __attribute__((aligned(64))) ready_leaf;

// A leaf of B in the frame of the ready one.
typedef struct turned_leaf {
    float vertex[3][GZ_LEAF];
    float low[3][GZ_LEAF], high[3][GZ_LEAF];
    int32_t index[3][GZ_LEAF];
} __attribute__((aligned(64))) turned_leaf;

// Candidates from any leaves, waiting until there are sixteen. Each lane is in a frame of its own.
typedef struct stage {
    float corner[6][3][2 * GZ_LEAF];                         // three of A, three of B; axis; lane
    float error_a[2 * GZ_LEAF], error_b[2 * GZ_LEAF];        // to meet
    float within_low[2 * GZ_LEAF], within_high[2 * GZ_LEAF]; // to be within a tolerance
    uint32_t leaf_a[2 * GZ_LEAF], leaf_b[2 * GZ_LEAF];
    uint8_t slot_a[2 * GZ_LEAF], slot_b[2 * GZ_LEAF];
    uint32_t count;
} __attribute__((aligned(64))) stage;

typedef struct walk {
    gz_pair_query *query;
    unsigned char *bytes; // the stack; moves when it grows
    uint64_t used, room;
    stage stage;
} walk;

// Bytes on the stack, by offset, because the stack may move. False when out of memory.
static bool push(walk *w, uint64_t bytes, uint64_t *offset)
{
    uint64_t start = (w->used + 63) & ~UINT64_C(63);
    if (start + bytes > w->room) {
        uint64_t room = (start + bytes) * 2 + 65536;
        if (!gz_list_reserve(w->query->context, &w->query->scratch, 1, room)) {
            w->query->status = GRAZE_ERROR_MEMORY;
            w->query->stopped = true;
            return false;
        }
        w->bytes = w->query->scratch.items;
        w->room = w->query->scratch.capacity;
    }
    *offset = start;
    w->used = start + bytes;
    return true;
}

// Vertices relative to the leaf's center, as floats. Off by 2^-24 of themselves.
static inline void local_vertices(const gz_tree *tree, uint32_t leaf, float out[3][GZ_LEAF])
{
    if (tree->precision == GRAZE_FLOAT32) {
        const gz_leaf32 *l = &((const gz_leaf32 *)tree->leaves)[leaf];
        for (int axis = 0; axis < 3; ++axis) {
            gz_fw center = gz_fw_all((float)l->head.center[axis]);
            for (int first = 0; first < GZ_LEAF; first += GZ_LANES)
                gz_fw_store(&out[axis][first],
                            gz_fw_sub(gz_fw_load(&l->vertex[axis][first]), center));
        }
        return;
    }
    const gz_leaf64 *l = &((const gz_leaf64 *)tree->leaves)[leaf];
    for (int axis = 0; axis < 3; ++axis)
        for (int i = 0; i < GZ_LEAF; ++i)
            out[axis][i] = (float)(l->vertex[axis][i] - l->head.center[axis]);
}

static inline void box_triangles(const float vertex[3][GZ_LEAF], const int32_t index[3][GZ_LEAF],
                                 float low[3][GZ_LEAF], float high[3][GZ_LEAF])
{
    for (int first = 0; first < GZ_LEAF; first += GZ_LANES) {
        gz_iw i0 = gz_iw_load(&index[0][first]), i1 = gz_iw_load(&index[1][first]),
              i2 = gz_iw_load(&index[2][first]);
        for (int axis = 0; axis < 3; ++axis) {
            gz_fw p = gz_fw_lookup(vertex[axis], i0), q = gz_fw_lookup(vertex[axis], i1),
                  r = gz_fw_lookup(vertex[axis], i2);
            gz_fw_store(&low[axis][first], gz_fw_min(gz_fw_min(p, q), r));
            gz_fw_store(&high[axis][first], gz_fw_max(gz_fw_max(p, q), r));
        }
    }
}

static inline void range_of(const float x[GZ_LEAF], float *low, float *high)
{
    gz_fw least = gz_fw_load(x), most = least;
    for (int first = GZ_LANES; first < GZ_LEAF; first += GZ_LANES) {
        least = gz_fw_min(least, gz_fw_load(&x[first]));
        most = gz_fw_max(most, gz_fw_load(&x[first]));
    }
    *low = gz_fw_least(least);
    *high = gz_fw_greatest(most);
}

// Heights of sixteen vertices along a direction.
static inline void heights(const float v[3][GZ_LEAF], const float direction[3], float *low,
                           float *high)
{
    float height[GZ_LEAF] __attribute__((aligned(64)));
    for (int first = 0; first < GZ_LEAF; first += GZ_LANES) {
        gz_fw h = gz_fw_mul(gz_fw_all(direction[0]), gz_fw_load(&v[0][first]));
        h = gz_fw_add(h, gz_fw_mul(gz_fw_all(direction[1]), gz_fw_load(&v[1][first])));
        h = gz_fw_add(h, gz_fw_mul(gz_fw_all(direction[2]), gz_fw_load(&v[2][first])));
        gz_fw_store(&height[first], h);
    }
    range_of(height, low, high);
}

static void load_index(const gz_leaf_head *head, int32_t index[3][GZ_LEAF])
{
    for (int corner = 0; corner < 3; ++corner)
        for (int first = 0; first < GZ_LEAF; first += GZ_LANES)
            gz_iw_store(&index[corner][first], gz_iw_load_bytes(&head->corner[corner][first]));
}

// A power of two near 1 / radius, so that coordinates are about 1.
static double scale_for(float radius)
{
    int exponent;
    if (!(radius > FLT_MIN && radius < FLT_MAX))
        return 1;
    (void)frexpf(radius, &exponent);
    return ldexp(1, -exponent);
}

static void prepare_leaf(const gz_pair_query *query, uint32_t leaf, ready_leaf *out)
{
    const gz_leaf_head *head = gz_tree_leaf(query->a, leaf);
    out->leaf = leaf;
    out->count = head->triangle_count;
    out->scale = scale_for(head->radius);
    float local[3][GZ_LEAF] __attribute__((aligned(64)));
    local_vertices(query->a, leaf, local);
    gz_fw scale = gz_fw_all((float)out->scale);
    for (int axis = 0; axis < 3; ++axis) {
        for (int first = 0; first < GZ_LEAF; first += GZ_LANES)
            gz_fw_store(&out->vertex[axis][first],
                        gz_fw_mul(gz_fw_load(&local[axis][first]), scale));
        range_of(out->vertex[axis], &out->box_low[axis], &out->box_high[axis]);
        out->center[axis] = head->center[axis];
        out->normal[axis] = head->normal[axis];
    }
    load_index(head, out->index);
    box_triangles(out->vertex, out->index, out->low, out->high);
    heights(out->vertex, out->normal, &out->slab_low, &out->slab_high);
    for (int k = 0; k < 9; ++k)
        out->matrix[k] = (float)(query->matrix[k] * out->scale);
    out->error = (float)(query->error * out->scale) + 2 * EPSILON;
    out->tolerance = query->reach * out->scale;
}

// The center of a leaf of B in the frame of the ready leaf, and how far coordinates there are off.
// Terms of a coordinate: three products of a rounded factor and a rounded local coordinate, three
// sums, and the shift: below 8 roundings of the radius times the row of the matrix, and 3 of the
// shift.
static void place_leaf(const gz_pair_query *query, const ready_leaf *a, const gz_leaf_head *head,
                       float shift[3], float *error)
{
    float largest = 0;
    for (int i = 0; i < 3; ++i) {
        const double *row = &query->matrix[3 * i];
        double x = row[0] * head->center[0] + row[1] * head->center[1] + row[2] * head->center[2];
        shift[i] = (float)((x + query->shift[i] - a->center[i]) * a->scale);
        largest = fabsf(shift[i]) > largest ? fabsf(shift[i]) : largest;
    }
    float reach = (float)(3 * (double)head->radius * a->scale);
    *error = EPSILON * (12 * reach + 4 * largest) + a->error;
}

static void turn_leaf(const ready_leaf *a, const float local[3][GZ_LEAF], const float shift[3],
                      float out[3][GZ_LEAF])
{
    for (int first = 0; first < GZ_LEAF; first += GZ_LANES) {
        gz_fw x = gz_fw_load(&local[0][first]), y = gz_fw_load(&local[1][first]),
              z = gz_fw_load(&local[2][first]);
        for (int i = 0; i < 3; ++i) {
            gz_fw sum = gz_fw_mul(gz_fw_all(a->matrix[3 * i]), x);
            sum = gz_fw_add(sum, gz_fw_mul(gz_fw_all(a->matrix[3 * i + 1]), y));
            sum = gz_fw_add(sum, gz_fw_mul(gz_fw_all(a->matrix[3 * i + 2]), z));
            gz_fw_store(&out[i][first], gz_fw_add(sum, gz_fw_all(shift[i])));
        }
    }
}

// Lanes whose boxes overlap a given box.
static inline uint32_t boxes_near(const float low[3][GZ_LEAF], const float high[3][GZ_LEAF],
                                  const float box_low[3], const float box_high[3])
{
    uint32_t bits = 0;
    for (int first = 0; first < GZ_LEAF; first += GZ_LANES) {
        gz_mw apart = gz_fw_less(gz_fw_all(box_high[0]), gz_fw_load(&low[0][first]));
        apart = gz_mw_or(apart, gz_fw_less(gz_fw_load(&high[0][first]), gz_fw_all(box_low[0])));
        for (int axis = 1; axis < 3; ++axis) {
            apart = gz_mw_or(apart,
                             gz_fw_less(gz_fw_all(box_high[axis]), gz_fw_load(&low[axis][first])));
            apart = gz_mw_or(apart,
                             gz_fw_less(gz_fw_load(&high[axis][first]), gz_fw_all(box_low[axis])));
        }
        bits |= gz_mw_bits(apart) << first;
    }
    return ~bits & 0xffffu;
}

static inline vector stage_corner(const stage *s, int corner, int first)
{
    return (vector){gz_fw_load(&s->corner[corner][0][first]),
                    gz_fw_load(&s->corner[corner][1][first]),
                    gz_fw_load(&s->corner[corner][2][first])};
}

// Do they share a point? Differences to corner 0 of A carry both errors, and a rounding of their
// own.
static gz_lanes meet_staged(const stage *s, int first)
{
    vector origin = stage_corner(s, 0, first);
    vector corner[3];
    for (int k = 0; k < 3; ++k)
        corner[k] = minus(stage_corner(s, 3 + k, first), origin);
    lane_errors errors = {gz_fw_load(&s->error_a[first]), all(EPSILON),
                          gz_fw_load(&s->error_b[first])};
    return meet_lanes(minus(stage_corner(s, 1, first), origin),
                      minus(stage_corner(s, 2, first), origin), corner, errors);
}

static gz_lanes within_staged(const stage *s, int first)
{
    vector va[3], vb[3];
    for (int k = 0; k < 3; ++k) {
        va[k] = stage_corner(s, k, first);
        vb[k] = stage_corner(s, 3 + k, first);
    }
    return within_lanes(va, vb, gz_fw_load(&s->within_low[first]),
                        gz_fw_load(&s->within_high[first]));
}

// Tests the first sixteen candidates, or all that are left.
static void settle_stage(gz_pair_query *query, stage *s)
{
    gz_lanes lanes = {0, 0};
    uint32_t count = s->count < GZ_LEAF ? s->count : GZ_LEAF;
    for (int first = 0; (uint32_t)first < count; first += GZ_LANES) {
        gz_lanes part = query->wish.tolerance > 0 ? within_staged(s, first) : meet_staged(s, first);
        lanes.yes |= part.yes << first;
        lanes.no |= part.no << first;
    }
    uint32_t valid = (UINT32_C(1) << count) - 1;
    query->counters.triangle_pairs += count;
    for (uint32_t open = ~(lanes.yes | lanes.no) & valid; open != 0; open &= open - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(open);
        query->counters.exact_pairs++;
        if (gz_pair_touches(query, s->leaf_a[i], s->slot_a[i], s->leaf_b[i], s->slot_b[i]))
            lanes.yes |= UINT32_C(1) << i;
    }
    for (uint32_t yes = lanes.yes & valid; yes != 0; yes &= yes - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(yes);
        gz_pair_keep(query, s->leaf_a[i], s->slot_a[i], s->leaf_b[i], s->slot_b[i]);
    }
    s->count -= count;
    if (s->count == 0)
        return;
    for (int k = 0; k < 6; ++k)
        for (int axis = 0; axis < 3; ++axis)
            memcpy(s->corner[k][axis], &s->corner[k][axis][GZ_LEAF], GZ_LEAF * sizeof(float));
    memcpy(s->error_a, &s->error_a[GZ_LEAF], GZ_LEAF * sizeof(float));
    memcpy(s->error_b, &s->error_b[GZ_LEAF], GZ_LEAF * sizeof(float));
    memcpy(s->within_low, &s->within_low[GZ_LEAF], GZ_LEAF * sizeof(float));
    memcpy(s->within_high, &s->within_high[GZ_LEAF], GZ_LEAF * sizeof(float));
    memcpy(s->leaf_a, &s->leaf_a[GZ_LEAF], GZ_LEAF * sizeof(uint32_t));
    memcpy(s->leaf_b, &s->leaf_b[GZ_LEAF], GZ_LEAF * sizeof(uint32_t));
    memcpy(s->slot_a, &s->slot_a[GZ_LEAF], GZ_LEAF);
    memcpy(s->slot_b, &s->slot_b[GZ_LEAF], GZ_LEAF);
}

// Up to 16 candidates of one pair of leaves.
typedef struct batch {
    uint8_t a[GZ_LEAF], b[GZ_LEAF];
    uint32_t count;
} batch;

// Points of A are off by sqrt(3) times the error of a coordinate, and so are those of B.
static void stage_batch(gz_pair_query *query, stage *s, const ready_leaf *a, const turned_leaf *b,
                        uint32_t leaf_b, float error, batch *candidates)
{
    double slack = 2 * ((double)a->error + (double)error);
    float within_low = (float)((a->tolerance - slack) * (1 - ROTATION_SLACK));
    float within_high = (float)((a->tolerance + slack) * (1 + ROTATION_SLACK));
    for (int first = 0; (uint32_t)first < candidates->count; first += GZ_LANES) {
        uint32_t to = s->count + (uint32_t)first;
        gz_iw triangle_a = gz_iw_load_bytes(&candidates->a[first]);
        gz_iw triangle_b = gz_iw_load_bytes(&candidates->b[first]);
        for (int k = 0; k < 3; ++k) {
            gz_iw i = gz_iw_lookup(a->index[k], triangle_a);
            gz_iw j = gz_iw_lookup(b->index[k], triangle_b);
            for (int axis = 0; axis < 3; ++axis) {
                gz_fw_store_anywhere(&s->corner[k][axis][to], gz_fw_lookup(a->vertex[axis], i));
                gz_fw_store_anywhere(&s->corner[3 + k][axis][to], gz_fw_lookup(b->vertex[axis], j));
            }
        }
        gz_fw_store_anywhere(&s->error_a[to], all(2 * a->error + 2 * EPSILON));
        gz_fw_store_anywhere(&s->error_b[to], all(a->error + error));
        gz_fw_store_anywhere(&s->within_low[to], all(within_low));
        gz_fw_store_anywhere(&s->within_high[to], all(within_high));
    }
    memcpy(&s->slot_a[s->count], candidates->a, GZ_LEAF);
    memcpy(&s->slot_b[s->count], candidates->b, GZ_LEAF);
    for (uint32_t i = 0; i < candidates->count; ++i) {
        s->leaf_a[s->count + i] = a->leaf;
        s->leaf_b[s->count + i] = leaf_b;
    }
    s->count += candidates->count;
    candidates->count = 0;
    if (s->count >= GZ_LEAF)
        settle_stage(query, s);
}

// Do all heights of some vertices along a direction lie beyond a slab?
static inline bool beyond_slab(const float v[3][GZ_LEAF], const float direction[3], float low,
                               float high)
{
    uint32_t above = 0xffffu, below = 0xffffu;
    for (int first = 0; first < GZ_LEAF; first += GZ_LANES) {
        gz_fw h = gz_fw_mul(gz_fw_all(direction[0]), gz_fw_load(&v[0][first]));
        h = gz_fw_add(h, gz_fw_mul(gz_fw_all(direction[1]), gz_fw_load(&v[1][first])));
        h = gz_fw_add(h, gz_fw_mul(gz_fw_all(direction[2]), gz_fw_load(&v[2][first])));
        uint32_t lanes = (UINT32_C(1) << GZ_LANES) - 1;
        above &= ~((~gz_mw_bits(gz_fw_less(gz_fw_all(high), h)) & lanes) << first);
        below &= ~((~gz_mw_bits(gz_fw_less(h, gz_fw_all(low))) & lanes) << first);
    }
    return above == 0xffffu || below == 0xffffu;
}

static void test_leaves(gz_pair_query *query, stage *s, const ready_leaf *a, uint32_t leaf_b)
{
    const gz_leaf_head *head = gz_tree_leaf(query->b, leaf_b);
    query->counters.leaf_pairs++;
    float local[3][GZ_LEAF] __attribute__((aligned(64)));
    local_vertices(query->b, leaf_b, local);
    float shift[3], error;
    place_leaf(query, a, head, shift, &error);
    turned_leaf b;
    turn_leaf(a, local, shift, b.vertex);
    float tolerance = (float)(a->tolerance * (1 + ROTATION_SLACK));
    float slack = 4 * error + 8 * EPSILON + tolerance * 1.0001f;
    if (beyond_slab(b.vertex, a->normal, a->slab_low - slack, a->slab_high + slack))
        return;
    load_index(head, b.index);
    box_triangles(b.vertex, b.index, b.low, b.high);
    float slack_box = 2 * error + tolerance * 1.0001f, low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = a->box_low[axis] - slack_box;
        high[axis] = a->box_high[axis] + slack_box;
    }
    uint32_t near =
        boxes_near(b.low, b.high, low, high) & ((UINT32_C(1) << head->triangle_count) - 1);
    uint32_t valid = (UINT32_C(1) << a->count) - 1;
    batch candidates = {.count = 0};
    for (; near != 0; near &= near - 1) {
        uint32_t j = (uint32_t)__builtin_ctz(near);
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = b.low[axis][j] - slack_box;
            high[axis] = b.high[axis][j] + slack_box;
        }
        uint32_t hits = boxes_near(a->low, a->high, low, high) & valid;
        query->counters.box_pairs += GZ_LEAF;
        for (; hits != 0; hits &= hits - 1) {
            candidates.a[candidates.count] = (uint8_t)__builtin_ctz(hits);
            candidates.b[candidates.count++] = (uint8_t)j;
            if (candidates.count == GZ_LEAF)
                stage_batch(query, s, a, &b, leaf_b, error, &candidates);
        }
    }
    if (candidates.count != 0)
        stage_batch(query, s, a, &b, leaf_b, error, &candidates);
}

// All leaves of B below some children of a node that overlap one leaf of A.
static void gather_leaves(walk *w, const loaded_probe *p, entry from, uint64_t *list,
                          uint64_t *count)
{
    gz_pair_query *query = w->query;
    const gz_node *node = &query->b->nodes[from.node];
    for (uint32_t lanes = from.lanes; lanes != 0; lanes &= lanes - 1) {
        uint32_t child = node->child[__builtin_ctz(lanes)];
        if ((child & GZ_IS_LEAF) != 0) {
            uint64_t offset;
            if (!push(w, sizeof(uint32_t), &offset))
                return;
            w->used = offset + sizeof(uint32_t);
            memcpy(w->bytes + offset, &(uint32_t){child & ~GZ_IS_LEAF}, sizeof child);
            if ((*count)++ == 0)
                *list = offset;
            continue;
        }
        const gz_node *below = &query->b->nodes[child];
        float turned[3][ROWS] __attribute__((aligned(64)));
        transform_rows(below->row, query->forth, query->forth_low, query->forth_high, turned);
        query->counters.node_pairs++;
        uint32_t hits = overlaps(p, (const float(*)[ROWS])turned, below->row) & children_of(below);
        if (hits != 0)
            gather_leaves(w, p, (entry){child, hits}, list, count);
        if (query->stopped)
            return;
    }
}

static void visit_leaf(walk *w, const probe *p, uint32_t leaf, uint64_t entries, uint64_t count)
{
    uint64_t list = 0, leaf_count = 0;
    loaded_probe loaded = load_probe(p);
    for (uint64_t i = 0; i < count && !w->query->stopped; ++i)
        gather_leaves(w, &loaded, ((const entry *)(w->bytes + entries))[i], &list, &leaf_count);
    if (leaf_count == 0)
        return;
    ready_leaf ready;
    prepare_leaf(w->query, leaf, &ready);
    for (uint64_t i = 0; i < leaf_count && !w->query->stopped; ++i) {
        uint32_t other;
        memcpy(&other, w->bytes + list + i * 64, sizeof other);
        if (i + 2 < leaf_count) {
            uint32_t soon;
            memcpy(&soon, w->bytes + list + (i + 2) * 64, sizeof soon);
            const char *ahead = (const char *)gz_tree_leaf(w->query->b, soon);
            __builtin_prefetch(ahead - 192);
            __builtin_prefetch(ahead - 128);
            __builtin_prefetch(ahead - 64);
            __builtin_prefetch(ahead);
        }
        test_leaves(w->query, &w->stage, &ready, other);
    }
}

static bool add_item(walk *w, uint32_t number, uint32_t lanes, uint64_t *items, uint64_t *count)
{
    uint64_t offset;
    if (!push(w, sizeof(item), &offset))
        return false;
    if ((*count)++ == 0)
        *items = offset;
    item *made = (item *)(w->bytes + offset);
    made->node = &w->query->b->nodes[number];
    made->number = number;
    made->lanes = lanes;
    const gz_pair_query *q = w->query;
    transform_rows(made->node->row, q->forth, q->forth_low, q->forth_high, made->row);
    return true;
}

// The children of a node of A that `chosen` names, and parts of B.
static void visit(walk *w, const gz_node *node, uint32_t chosen, uint64_t entries,
                  uint64_t entry_count)
{
    gz_pair_query *query = w->query;
    uint64_t bottom = w->used, items = 0, item_count = 0;
    for (uint64_t i = 0; i < entry_count; ++i) {
        entry e = ((const entry *)(w->bytes + entries))[i];
        const gz_node *other = &query->b->nodes[e.node];
        uint32_t leaves = leaf_lanes(other) & e.lanes;
        if (leaves != 0 && !add_item(w, e.node, leaves, &items, &item_count))
            return;
        for (uint32_t lanes = e.lanes & ~leaves; lanes != 0; lanes &= lanes - 1) {
            uint32_t child = other->child[__builtin_ctz(lanes)];
            if (!add_item(w, child, children_of(&query->b->nodes[child]), &items, &item_count))
                return;
        }
    }
    query->counters.node_pairs += item_count;
    float back[3][ROWS] __attribute__((aligned(64)));
    transform_rows(node->row, query->back, query->back_low, query->back_high, back);
    for (; chosen != 0 && gz_pair_go_on(query); chosen &= chosen - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(chosen);
        probe p;
        set_probe(&p, node->row, (const float(*)[ROWS])back, i);
        loaded_probe loaded = load_probe(&p);
        uint64_t top = w->used, list = 0, count = 0;
        if (!push(w, item_count * sizeof(entry), &list))
            return;
        for (uint64_t k = 0; k < item_count; ++k) {
            const item *other = (const item *)(w->bytes + items) + k;
            uint32_t hits = overlaps(&loaded, (const float(*)[ROWS])other->row, other->node->row) &
                            other->lanes;
            ((entry *)(w->bytes + list))[count] = (entry){other->number, hits};
            count += hits != 0;
        }
        if (count != 0) {
            uint32_t child = node->child[i];
            if ((child & GZ_IS_LEAF) != 0)
                visit_leaf(w, &p, child & ~GZ_IS_LEAF, list, count);
            else
                visit(w, &query->a->nodes[child], children_of(&query->a->nodes[child]), list,
                      count);
        }
        w->used = top;
    }
    w->used = bottom;
}

gz_pair_kernel KERNEL(gz_pair_kernel);
void KERNEL(gz_pair_kernel)(gz_pair_query *query, uint32_t node_a, uint32_t lanes)
{
    walk w;
    w.query = query;
    w.bytes = query->scratch.items;
    w.used = 0;
    w.room = query->scratch.capacity;
    w.stage.count = 0;
    uint64_t offset;
    if (!push(&w, sizeof(entry), &offset))
        return;
    *(entry *)(w.bytes + offset) = (entry){0, children_of(&query->b->nodes[0])};
    visit(&w, &query->a->nodes[node_a], lanes, offset, 1);
    if (!query->stopped && w.stage.count != 0)
        settle_stage(query, &w.stage);
}
