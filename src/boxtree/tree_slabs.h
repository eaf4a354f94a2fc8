// Slabs of leaves in their parents, side by side: leaves whose boxes overlap are often known to be
// apart before they are read. For *_kernels.c files, which are compiled once for each SIMD width.
//
// A leaf lies between two heights along its mean normal. What a box spans along that normal is
// compared with these: a box of A with eight slabs of B, and eight boxes of B with a slab of A. The
// slack of the frames holds all roundings.
#ifndef GZ_TREE_SLABS_H
#define GZ_TREE_SLABS_H

#include "boxtree/tree_lanes.h"

// The slabs of a node of B in A's frame.
typedef struct turned_slabs {
    float normal[3][GZ_WIDE];
    float row[ROWS]; // the lowest heights, then the highest ones negated
} __attribute__((aligned(64))) turned_slabs;

static inline void turn_slabs(const gz_frames *frames, const gz_node *node, turned_slabs *out)
{
    for (int first = 0; first < GZ_WIDE; first += GZ_EIGHT) {
        gz_f8 n[3], base = gz_f8_all(0), ratio = gz_f8_all(frames->ratio);
        for (int j = 0; j < 3; ++j)
            n[j] = gz_f8_load_bytes(&node->normal[j][first]);
        for (int i = 0; i < 3; ++i) {
            const float *turn = &frames->turn[3 * i];
            gz_f8 turned = gz_f8_mul(gz_f8_all(turn[0]), n[0]);
            turned = gz_f8_add(turned, gz_f8_mul(gz_f8_all(turn[1]), n[1]));
            turned = gz_f8_add(turned, gz_f8_mul(gz_f8_all(turn[2]), n[2]));
            gz_f8_store(&out->normal[i][first], turned);
            base = gz_f8_add(base, gz_f8_mul(turned, gz_f8_all(frames->origin_b[i])));
        }
        gz_f8 slack = gz_f8_all(frames->slack);
        gz_f8 low = gz_f8_mul(ratio, gz_f8_load(&node->slab[GZ_ROW_LOW(first)]));
        gz_f8 high = gz_f8_mul(ratio, gz_f8_load(&node->slab[GZ_ROW_HIGH(first)]));
        gz_f8_store(&out->row[GZ_ROW_LOW(first)], gz_f8_add(gz_f8_sub(low, slack), base));
        gz_f8_store(&out->row[GZ_ROW_HIGH(first)], gz_f8_sub(gz_f8_sub(high, slack), base));
    }
}

// Which of eight slabs does the box of one child of A reach?
static inline uint32_t reached_slabs(const turned_slabs *slabs, const float row_a[3][ROWS],
                                     uint32_t child)
{
    uint32_t bits = 0;
    gz_f8 zero = gz_f8_all(0);
    for (int first = 0; first < GZ_WIDE; first += GZ_EIGHT) {
        gz_f8 top = zero, bottom = zero;
        for (int axis = 0; axis < 3; ++axis) {
            gz_f8 n = gz_f8_load(&slabs->normal[axis][first]);
            gz_f8 low = gz_f8_mul(n, gz_f8_all(row_a[axis][GZ_ROW_LOW(child)]));
            gz_f8 high = gz_f8_mul(n, gz_f8_all(-row_a[axis][GZ_ROW_HIGH(child)]));
            top = gz_f8_add(top, gz_f8_max(low, high));
            bottom = gz_f8_add(bottom, gz_f8_min(low, high));
        }
        gz_m8 in = gz_f8_not_less(gz_m8_all(), top, gz_f8_load(&slabs->row[GZ_ROW_LOW(first)]));
        in = gz_f8_not_less(in, gz_f8_sub(zero, bottom),
                            gz_f8_load(&slabs->row[GZ_ROW_HIGH(first)]));
        bits |= gz_m8_bits(in) << first;
    }
    return bits;
}

// The slab of one child of A, as B's rows are compared with it.
typedef struct slab_probe {
    float normal[3]; // as B's rows have it, in A's units
    float high, low; // above its highest height, and below its lowest, negated
} slab_probe;

static inline slab_probe make_slab_probe(const gz_frames *frames, const gz_node *node,
                                         uint32_t child)
{
    slab_probe p;
    float n[3], base = 0;
    for (int i = 0; i < 3; ++i) {
        n[i] = (float)node->normal[i][child] * GZ_SLAB_UNIT;
        base += n[i] * frames->origin_b[i];
    }
    for (int j = 0; j < 3; ++j)
        p.normal[j] =
            n[0] * frames->forth[j] + n[1] * frames->forth[3 + j] + n[2] * frames->forth[6 + j];
    p.high = frames->slack - node->slab[GZ_ROW_HIGH(child)] - base;
    p.low = frames->slack - node->slab[GZ_ROW_LOW(child)] + base;
    return p;
}

// Which of eight boxes of B reach the slab?
static inline uint32_t boxes_in_slab(const slab_probe *p, const float own[3][ROWS])
{
    uint32_t bits = 0;
    gz_f8 zero = gz_f8_all(0);
    for (int first = 0; first < GZ_WIDE; first += GZ_EIGHT) {
        gz_f8 bottom = zero, top = zero; // the top is negated
        for (int axis = 0; axis < 3; ++axis) {
            gz_f8 n = gz_f8_all(p->normal[axis]);
            gz_f8 low = gz_f8_mul(n, gz_f8_load(&own[axis][GZ_ROW_LOW(first)]));
            gz_f8 high = gz_f8_mul(n, gz_f8_load(&own[axis][GZ_ROW_HIGH(first)]));
            bottom = gz_f8_add(bottom, gz_f8_min(low, gz_f8_sub(zero, high)));
            top = gz_f8_add(top, gz_f8_min(high, gz_f8_sub(zero, low)));
        }
        gz_m8 in = gz_f8_not_less(gz_m8_all(), gz_f8_all(p->high), bottom);
        in = gz_f8_not_less(in, gz_f8_all(p->low), top);
        bits |= gz_m8_bits(in) << first;
    }
    return bits;
}

#endif
