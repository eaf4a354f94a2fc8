// What walks down two trees share: boxes of nodes and triangles of leaves, side by side. For
// *_kernels.c files, which are compiled once for each SIMD width.
//
// Two leaves. A's vertices are taken relative to the leaf's center and scaled to about 1; B's are
// brought into that frame, sixteen at once, with one bound on how far a coordinate may be off.
#ifndef GZ_TREE_LANES_H
#define GZ_TREE_LANES_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "boxtree/tree_frames.h"
#include "geometry/triangle_lanes.h"

#define GLUE(name, width)          name##_##width
#define GLUE_EXPANDED(name, width) GLUE(name, width)
#define KERNEL(name)               GLUE_EXPANDED(name, GZ_WIDTH)

// The rotation is one to 1e-9, a tolerance is rounded to float, and how far leaves are moved that
// are so far apart is rounded twice (place_leaf).
#define ROTATION_SLACK 3e-7
#define ROWS           GZ_ROWS

// Rows of one frame in the other. For a negative factor a low end comes from a high one, and high
// ends are negated already: so the halves of the row change places, and the factor loses its sign.
static inline void transform_rows(const float in[3][ROWS], const float matrix[9],
                                  const float low[3], const float high[3], float out[3][ROWS])
{
    for (int i = 0; i < 3; ++i) {
        const float *row = &matrix[3 * i];
        int swap[3] = {row[0] < 0 ? GZ_WIDE : 0, row[1] < 0 ? GZ_WIDE : 0,
                       row[2] < 0 ? GZ_WIDE : 0};
        for (int first = 0; first < ROWS; first += GZ_EIGHT) {
            gz_f8 sum = gz_f8_all(first < GZ_WIDE ? low[i] : high[i]);
            for (int j = 0; j < 3; ++j)
                sum = gz_f8_add(
                    sum, gz_f8_mul(gz_f8_all(fabsf(row[j])), gz_f8_load(&in[j][first ^ swap[j]])));
            gz_f8_store(&out[i][first], sum);
        }
    }
}

// One child of A, as rows to compare B's with: its high ends, and its low ends negated, in A's
// frame and in B's.
typedef struct probe {
    gz_f8 high[6], low[6];
} probe;

static inline probe make_probe(const float row_a[3][ROWS], const float row_b[3][ROWS],
                               uint32_t child)
{
    probe p;
    for (int axis = 0; axis < 6; ++axis) {
        const float *row = axis < 3 ? row_a[axis] : row_b[axis - 3];
        p.high[axis] = gz_f8_all(-row[GZ_ROW_HIGH(child)]);
        p.low[axis] = gz_f8_all(-row[GZ_ROW_LOW(child)]);
    }
    return p;
}

// Which of eight children of B overlap the probe? `turned` are B's rows in A's frame, `own` in B's.
static inline uint32_t overlaps(const probe *p, const float turned[3][ROWS],
                                const float own[3][ROWS])
{
    uint32_t bits = 0;
    for (int first = 0; first < GZ_WIDE; first += GZ_EIGHT) {
        gz_m8 over = gz_m8_all();
        for (int axis = 0; axis < 6; ++axis) {
            const float *row = axis < 3 ? turned[axis] : own[axis - 3];
            over = gz_f8_not_less(over, p->high[axis], gz_f8_load(&row[GZ_ROW_LOW(first)]));
            over = gz_f8_not_less(over, p->low[axis], gz_f8_load(&row[GZ_ROW_HIGH(first)]));
        }
        bits |= gz_m8_bits(over) << first;
    }
    return bits;
}

static inline uint32_t children_of(const gz_links *links)
{
    return (UINT32_C(1) << links->child_count) - 1;
}

// A leaf of A, ready to be tested.
typedef struct ready_leaf {
    float vertex[3][GZ_LEAF];                // relative to the center, scaled
    float low[3][GZ_LEAF], high[3][GZ_LEAF]; // boxes of triangles
    int32_t index[3][GZ_LEAF];               // vertex numbers of corners
    float normal[3], slab_low, slab_high;
    float half[3];    // the box of the leaf
    float turn[9];    // from directions of B to here
    float matrix[9];  // from B's vertices, relative to their center, to here
    float world;      // how far coordinates are off because those of the world are rounded
    float error;      // that, and because they are rounded here
    double tolerance; // here, without the spreads of leaves
    double spread;    // of the leaf, here
    uint32_t leaf, count;
    double center[4], scale; // a zero follows the center
} __attribute__((aligned(64))) ready_leaf;

// A leaf of B in the frame of the ready one.
typedef struct turned_leaf {
    float vertex[3][GZ_LEAF];
    float low[3][GZ_LEAF], high[3][GZ_LEAF]; // boxes of triangles, as much wider as is needed
    int32_t index[3][GZ_LEAF];
    float shift[3];                // of its center
    float error;                   // of a coordinate
    double spread;                 // of both leaves
    uint32_t through_a, through_b; // triangles, by a bit each, that go through the other's slab
} __attribute__((aligned(64))) turned_leaf;

// A leaf as it is worked with, whatever the layout.
typedef struct open_leaf {
    float local[3][GZ_LEAF]; // vertices relative to the center, as floats: off by 2^-24 of theirs
    double center[3];
    const gz_leaf_head *head;
    gz_leaf_head room; // for heads that must be made
} __attribute__((aligned(64))) open_leaf;

static inline void open_fast32(const gz_leaf32 *leaf, open_leaf *out)
{
    out->head = &leaf->head;
    for (int axis = 0; axis < 3; ++axis) {
        gz_fw center = gz_fw_all(leaf->head.center[axis]);
        out->center[axis] = (double)leaf->head.center[axis];
        for (int first = 0; first < GZ_LEAF; first += GZ_LANES)
            gz_fw_store(&out->local[axis][first],
                        gz_fw_sub(gz_fw_load(&leaf->vertex[axis][first]), center));
    }
}

// Lanes beyond its vertices are read as well, and then replaced.
static inline void open_fast64(const gz_tree *tree, const gz_leaf64 *leaf, open_leaf *out)
{
    static const float lanes[GZ_LEAF]
        __attribute__((aligned(64))) = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    uint32_t count = leaf->head.vertex_count;
    const double *from = (const double *)tree->vertices + 3 * leaf->first_vertex;
    out->head = &leaf->head;
    for (int axis = 0; axis < 3; ++axis, from += count) {
        float *local = out->local[axis];
        double center = leaf->center[axis];
        out->center[axis] = center;
        for (int i = 0; i < GZ_LEAF; ++i)
            local[i] = (float)(from[i] - center);
        gz_fw repeated = gz_fw_all((float)(from[0] - center));
        for (int first = 0; first < GZ_LEAF; first += GZ_LANES) {
            gz_mw beyond =
                gz_fw_not_less(gz_mw_all(), gz_fw_load(&lanes[first]), gz_fw_all((float)count));
            gz_fw_store(&local[first], gz_fw_select(beyond, repeated, gz_fw_load(&local[first])));
        }
    }
}

// The middle of some vertices and a half size that reaches all of them, rounding included. The
// slab is the box's own: it rejects nothing that the box does not.
static inline void frame_vertices(const gz_tree *tree, const double v[3][GZ_LEAF], open_leaf *out)
{
    for (int axis = 0; axis < 3; ++axis) {
        double low = v[axis][0], high = low;
        for (int i = 1; i < GZ_LEAF; ++i) {
            low = v[axis][i] < low ? v[axis][i] : low;
            high = v[axis][i] > high ? v[axis][i] : high;
        }
        double middle = low / 2 + high / 2;
        double center = tree->precision == GRAZE_FLOAT32 ? (double)(float)middle : middle;
        double up = high - center, down = center - low;
        out->center[axis] = center;
        gz_leaf_set_half(&out->room, axis, (float)(up > down ? up : down) * (1 + 4 * EPSILON));
        for (int i = 0; i < GZ_LEAF; ++i)
            out->local[axis][i] = (float)(v[axis][i] - center);
    }
    out->room.normal[0] = 32767;
    out->room.normal[1] = out->room.normal[2] = 0;
    out->room.slab_low = -gz_leaf_half(&out->room, 0);
    out->room.slab_high = gz_leaf_half(&out->room, 0);
}

static inline void open_small(const gz_tree *tree, const gz_small_leaf *leaf, open_leaf *out)
{
    double v[3][GZ_LEAF];
    for (uint32_t i = 0; i < GZ_LEAF; ++i) {
        uint64_t number = gz_small_leaf_vertex(tree, leaf, i < leaf->vertex_count ? i : 0);
        for (uint32_t axis = 0; axis < 3; ++axis)
            v[axis][i] = tree->precision == GRAZE_FLOAT32
                             ? (double)((const float *)tree->vertices)[3 * number + axis]
                             : ((const double *)tree->vertices)[3 * number + axis];
    }
    frame_vertices(tree, (const double(*)[GZ_LEAF])v, out);
    out->head = &out->room;
    out->room.triangle_count = leaf->triangle_count;
    for (uint32_t t = 0; t < GZ_LEAF / 2; ++t) {
        uint32_t low = t < leaf->triangle_count ? t : 0;
        uint32_t high = t + GZ_LEAF / 2 < leaf->triangle_count ? t + GZ_LEAF / 2 : 0;
        uint32_t corners[2] = {tree->corners[leaf->first + low], tree->corners[leaf->first + high]};
        for (int k = 0; k < 3; ++k)
            out->room.corner[k][t] =
                (uint8_t)((corners[0] >> 4 * k & 15) | (corners[1] >> 4 * k & 15) << 4);
    }
}

static inline void read_leaf(const gz_tree *tree, uint32_t leaf, open_leaf *out)
{
    if (tree->layout == GRAZE_LAYOUT_COMPACT)
        open_small(tree, &((const gz_small_leaf *)tree->leaves)[leaf], out);
    else if (tree->precision == GRAZE_FLOAT32)
        open_fast32(&((const gz_leaf32 *)tree->leaves)[leaf], out);
    else
        open_fast64(tree, &((const gz_leaf64 *)tree->leaves)[leaf], out);
}

// The boxes of all triangles, wider by the slack.
static inline void box_triangles(const float vertex[3][GZ_LEAF], const int32_t index[3][GZ_LEAF],
                                 float slack, float low[3][GZ_LEAF], float high[3][GZ_LEAF])
{
    gz_fw more = gz_fw_all(slack);
    for (int first = 0; first < GZ_LEAF; first += GZ_LANES) {
        gz_iw i0 = gz_iw_load(&index[0][first]), i1 = gz_iw_load(&index[1][first]),
              i2 = gz_iw_load(&index[2][first]);
        for (int axis = 0; axis < 3; ++axis) {
            gz_fw p = gz_fw_lookup(vertex[axis], i0), q = gz_fw_lookup(vertex[axis], i1),
                  r = gz_fw_lookup(vertex[axis], i2);
            gz_fw_store(&low[axis][first], gz_fw_sub(gz_fw_min(gz_fw_min(p, q), r), more));
            gz_fw_store(&high[axis][first], gz_fw_add(gz_fw_max(gz_fw_max(p, q), r), more));
        }
    }
}

static inline void load_index(const gz_leaf_head *head, int32_t index[3][GZ_LEAF])
{
    for (int corner = 0; corner < 3; ++corner)
        for (int first = 0; first < GZ_LEAF; first += GZ_LANES)
            gz_iw_store(&index[corner][first], gz_iw_load_halves(head->corner[corner], first));
}

static inline float larger(float a, float b) { return a > b ? a : b; }

static inline float radius_of(const gz_leaf_head *head)
{
    return larger(gz_leaf_half(head, 0), larger(gz_leaf_half(head, 1), gz_leaf_half(head, 2)));
}

// A power of two near 1 / radius, so that coordinates are about 1.
static inline double scale_for(float radius)
{
    if (!(radius > FLT_MIN && radius < FLT_MAX))
        return 1;
    uint32_t bits;
    memcpy(&bits, &radius, sizeof bits);
    uint64_t wide = (UINT64_C(1023) + 126 - (bits >> 23)) << 52; // 2^-exponent, as frexp has it
    double scale;
    memcpy(&scale, &wide, sizeof scale);
    return scale;
}

static inline void prepare_leaf(const gz_frames *frames, uint32_t leaf, ready_leaf *out)
{
    open_leaf opened;
    read_leaf(frames->a, leaf, &opened);
    const gz_leaf_head *head = opened.head;
    out->leaf = leaf;
    out->count = head->triangle_count;
    out->scale = scale_for(radius_of(head));
    float scale = (float)out->scale;
    for (int axis = 0; axis < 3; ++axis) {
        for (int first = 0; first < GZ_LEAF; first += GZ_LANES)
            gz_fw_store(&out->vertex[axis][first],
                        gz_fw_mul(gz_fw_load(&opened.local[axis][first]), gz_fw_all(scale)));
        out->center[axis] = opened.center[axis];
        out->normal[axis] = (float)head->normal[axis] * GZ_NORMAL_UNIT;
        out->half[axis] = gz_leaf_half(head, axis) * scale;
    }
    out->center[3] = 0;
    out->slab_low = head->slab_low * scale;
    out->slab_high = head->slab_high * scale;
    load_index(head, out->index);
    box_triangles(out->vertex, out->index, 0, out->low, out->high);
    for (int k = 0; k < 9; ++k) {
        out->turn[k] = (float)frames->matrix[k];
        out->matrix[k] = (float)(frames->matrix[k] * out->scale);
    }
    out->world = (float)(frames->error * out->scale) * (1 + 4 * EPSILON);
    out->error = out->world + 0.51f * EPSILON; // below 1, numbers are off by half of that
    out->tolerance = frames->reach * out->scale;
    out->spread = frames->bare ? 0 : (double)gz_leaf_spread(head) * out->scale;
}

// The center of a leaf of B in the frame of the ready leaf, and how far coordinates there are off.
// Terms of a coordinate: three products of a rounded factor and a rounded local coordinate, and
// three sums: 6 roundings of at most sqrt(3) r, where r is B's radius, for the factors are a row of
// a rotation; and the shift, which is rounded twice. If the leaves touch, no coordinate of it is
// above 1 + sqrt(3) r. Together that is 2 + 13.9 r, of which a search finds 0.95. If they are
// within a tolerance, or at a distance, it is two roundings of that more: ROTATION_SLACK has them,
// and so has what distances are loosened by.
//
// Boxes of triangles are compared. Let x, below 1, be where A's ends. B's coordinate, before the
// last sum is rounded, is above x by d at most: a rounding of the shift, and 5 of sqrt(3) r,
// together 1 + 10.4 r. A is rounded, and B, and B less the slack: all three to nearest, so that B
// comes out above A only if the slack is below d and half a digit of B, 2 + 10.4 r. The errors of
// both are more.
static inline void place_leaf(const gz_frames *frames, const ready_leaf *a, const open_leaf *leaf,
                              turned_leaf *b)
{
    const double *center = leaf->center;
    double shift[4];
    for (int i = 0; i < 4; ++i) { // four, for there are registers of four
        double x = frames->column[0][i] * center[0] + frames->column[1][i] * center[1] +
                   frames->column[2][i] * center[2];
        shift[i] = (x + frames->shift[i] - a->center[i]) * a->scale;
    }
    for (int i = 0; i < 3; ++i)
        b->shift[i] = (float)shift[i];
    float radius = radius_of(leaf->head) * (float)a->scale;
    b->error = EPSILON * (14 * radius + 2.01f) + a->world;
    b->spread = a->spread;
    if (!frames->bare)
        b->spread += (double)gz_leaf_spread(leaf->head) * a->scale;
}

static inline void turn_leaf(const ready_leaf *a, const float local[3][GZ_LEAF], turned_leaf *b)
{
    for (int first = 0; first < GZ_LEAF; first += GZ_LANES) {
        gz_fw x = gz_fw_load(&local[0][first]), y = gz_fw_load(&local[1][first]),
              z = gz_fw_load(&local[2][first]);
        for (int i = 0; i < 3; ++i) {
            gz_fw sum = gz_fw_mul(gz_fw_all(a->matrix[3 * i]), x);
            sum = gz_fw_add(sum, gz_fw_mul(gz_fw_all(a->matrix[3 * i + 1]), y));
            sum = gz_fw_add(sum, gz_fw_mul(gz_fw_all(a->matrix[3 * i + 2]), z));
            gz_fw_store(&b->vertex[i][first], gz_fw_add(sum, gz_fw_all(b->shift[i])));
        }
    }
}

// Lanes of boxes that overlap a given box.
static inline uint32_t boxes_near(const float low[3][GZ_LEAF], const float high[3][GZ_LEAF],
                                  const float box_low[3], const float box_high[3])
{
    uint32_t bits = 0;
    for (int first = 0; first < GZ_LEAF; first += GZ_LANES) {
        gz_mw over = gz_mw_all();
        for (int axis = 0; axis < 3; ++axis) {
            over = gz_fw_not_less(over, gz_fw_all(box_high[axis]), gz_fw_load(&low[axis][first]));
            over = gz_fw_not_less(over, gz_fw_load(&high[axis][first]), gz_fw_all(box_low[axis]));
        }
        bits |= gz_mw_bits(over) << first;
    }
    return bits;
}

// Triangles, by a bit each, that a slab along a direction does not leave all above or all below.
static inline uint32_t through_slab(const float vertex[3][GZ_LEAF], const int32_t index[3][GZ_LEAF],
                                    const float direction[3], float low, float high)
{
    float height[GZ_LEAF] __attribute__((aligned(64)));
    for (int first = 0; first < GZ_LEAF; first += GZ_LANES) {
        gz_fw h = gz_fw_mul(gz_fw_all(direction[0]), gz_fw_load(&vertex[0][first]));
        h = gz_fw_add(h, gz_fw_mul(gz_fw_all(direction[1]), gz_fw_load(&vertex[1][first])));
        h = gz_fw_add(h, gz_fw_mul(gz_fw_all(direction[2]), gz_fw_load(&vertex[2][first])));
        gz_fw_store(&height[first], h);
    }
    uint32_t bits = 0;
    for (int first = 0; first < GZ_LEAF; first += GZ_LANES) {
        gz_fw p = gz_fw_lookup(height, gz_iw_load(&index[0][first]));
        gz_fw q = gz_fw_lookup(height, gz_iw_load(&index[1][first]));
        gz_fw r = gz_fw_lookup(height, gz_iw_load(&index[2][first]));
        gz_mw in = gz_fw_not_less(gz_mw_all(), gz_fw_all(high), gz_fw_min(gz_fw_min(p, q), r));
        in = gz_fw_not_less(in, gz_fw_max(gz_fw_max(p, q), r), gz_fw_all(low));
        bits |= gz_mw_bits(in) << first;
    }
    return bits;
}

// Triangles of A that go through the slab of B's leaf, whose heights are from B's center.
static inline uint32_t through_slab_of(const gz_leaf_head *head, const ready_leaf *a,
                                       const turned_leaf *b, float slack)
{
    float n[3], direction[3], base = 0;
    for (int k = 0; k < 3; ++k)
        n[k] = (float)head->normal[k] * GZ_NORMAL_UNIT;
    for (int i = 0; i < 3; ++i) {
        direction[i] =
            a->turn[3 * i] * n[0] + a->turn[3 * i + 1] * n[1] + a->turn[3 * i + 2] * n[2];
        base += direction[i] * b->shift[i];
    }
    float scale = (float)a->scale;
    return through_slab(a->vertex, a->index, direction, base + head->slab_low * scale - slack,
                        base + head->slab_high * scale + slack);
}

// Candidates of one pair of leaves, as numbers of triangles.
typedef struct candidates {
    uint8_t a[GZ_LEAF * GZ_LEAF + GZ_LEAF], b[GZ_LEAF * GZ_LEAF + GZ_LEAF];
    uint32_t count;
} candidates;

// Triangles of A by a bit each, with one of B.
static inline void add_candidates(candidates *c, uint32_t hits, uint32_t triangle_b)
{
    gz_store_bit_numbers(&c->a[c->count], hits);
    memset(&c->b[c->count], (int)triangle_b, GZ_LEAF);
    c->count += (uint32_t)__builtin_popcount(hits);
}

// A leaf of B in the frame of the ready one: vertices and corners.
static inline void bring_leaf(const gz_frames *frames, const ready_leaf *a, uint32_t leaf_b,
                              open_leaf *opened, turned_leaf *b)
{
    read_leaf(frames->b, leaf_b, opened);
    place_leaf(frames, a, opened, b);
    turn_leaf(a, (const float(*)[GZ_LEAF])opened->local, b);
    load_index(opened->head, b->index);
}

// Which triangles of each leaf go through the slab of the other? Both are set whatever comes out
// first: that is cheaper than a branch that is hard to foresee.
static inline void meet_slabs(const ready_leaf *a, const gz_leaf_head *head, float tolerance,
                              turned_leaf *b)
{
    float slack = 8 * b->error + 32 * EPSILON + tolerance;
    b->through_b =
        through_slab((const float(*)[GZ_LEAF])b->vertex, (const int32_t(*)[GZ_LEAF])b->index,
                     a->normal, a->slab_low - slack, a->slab_high + slack) &
        ((UINT32_C(1) << head->triangle_count) - 1);
    b->through_a = through_slab_of(head, a, b, slack) & ((UINT32_C(1) << a->count) - 1);
}

// Of B's triangles that go through A's slab, those whose boxes overlap the box of A's leaf.
static inline uint32_t meet_boxes(const ready_leaf *a, float tolerance, turned_leaf *b)
{
    box_triangles((const float(*)[GZ_LEAF])b->vertex, (const int32_t(*)[GZ_LEAF])b->index,
                  a->error + b->error + tolerance, b->low, b->high);
    float low[3] = {-a->half[0], -a->half[1], -a->half[2]};
    return boxes_near((const float(*)[GZ_LEAF])b->low, (const float(*)[GZ_LEAF])b->high, low,
                      a->half) &
           b->through_b;
}

// Some of B's triangles with those of A's whose boxes overlap theirs. Returns how many boxes were
// compared.
static inline uint32_t list_candidates(const ready_leaf *a, const turned_leaf *b, uint32_t near,
                                       candidates *c)
{
    uint32_t compared = 0;
    c->count = 0;
    for (; near != 0; near &= near - 1, compared += GZ_LEAF) {
        uint32_t j = (uint32_t)__builtin_ctz(near);
        float low[3], high[3];
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = b->low[axis][j];
            high[axis] = b->high[axis][j];
        }
        add_candidates(c, boxes_near(a->low, a->high, low, high) & b->through_a, j);
    }
    memset(&c->a[c->count], 0, GZ_LEAF); // whole batches are looked up
    memset(&c->b[c->count], 0, GZ_LEAF);
    return compared;
}

// Triangles of two leaves that are not proved to be farther apart than a tolerance. Returns how
// many boxes of triangles were compared.
static inline uint32_t find_candidates(const ready_leaf *a, const gz_leaf_head *head,
                                       float tolerance, turned_leaf *b, candidates *c)
{
    c->count = 0;
    meet_slabs(a, head, tolerance, b);
    if (b->through_a == 0 || b->through_b == 0)
        return 0;
    return GZ_LEAF + list_candidates(a, b, meet_boxes(a, tolerance, b), c);
}

// For gcc 12, which drops calls of functions that do nothing but prefetch.
#define ALWAYS_INLINE inline __attribute__((always_inline))

static ALWAYS_INLINE void prefetch_node(const gz_tree *tree, uint32_t node)
{
    bool fast = tree->layout == GRAZE_LAYOUT_FAST;
    uint64_t size = fast ? sizeof(gz_node) : sizeof(gz_small_node);
    const char *bytes = (const char *)tree->nodes + node * size;
    for (uint64_t i = 0; i < size; i += 64)
        __builtin_prefetch(bytes + i);
}

// All lines of a leaf, wherever they begin. Vertices outside it are not known yet; fetching those
// of pairs that wait was tried, and does not pay.
static ALWAYS_INLINE void prefetch_leaf(const gz_tree *tree, uint32_t leaf)
{
    if (tree->layout == GRAZE_LAYOUT_COMPACT) {
        __builtin_prefetch(&((const gz_small_leaf *)tree->leaves)[leaf]);
        return;
    }
    const char *bytes = (const char *)gz_tree_head(tree, leaf);
    uint64_t size = tree->precision == GRAZE_FLOAT32 ? sizeof(gz_leaf32) : sizeof(gz_leaf64);
    for (uint64_t i = 0; i < size; i += 64)
        __builtin_prefetch(bytes + i);
    __builtin_prefetch(bytes + size - 1);
}

#endif
