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
    float normal[3][ROWS]; // then the same reversed
    float row[ROWS];       // the lowest heights, then the highest ones negated
} __attribute__((aligned(64))) turned_slabs;

static inline void turn_slabs(const gz_frames *frames, const gz_node *node, turned_slabs *out)
{
    for (int first = 0; first < ROWS; first += GZ_LANES) {
        gz_fw n[3], row = gz_fw_mul(gz_fw_all(frames->ratio), gz_fw_load(&node->slab[first]));
        row = gz_fw_sub(row, gz_fw_all(frames->slack));
        for (int j = 0; j < 3; ++j)
            n[j] = gz_fw_load_mirrored(node->normal[j], first);
        for (int i = 0; i < 3; ++i) {
            const float *turn = &frames->turn[3 * i];
            gz_fw turned = gz_fw_mul(gz_fw_all(turn[0]), n[0]);
            turned = gz_fw_add(turned, gz_fw_mul(gz_fw_all(turn[1]), n[1]));
            turned = gz_fw_add(turned, gz_fw_mul(gz_fw_all(turn[2]), n[2]));
            gz_fw_store(&out->normal[i][first], turned);
            row = gz_fw_add(row, gz_fw_mul(turned, gz_fw_all(frames->origin_b[i])));
        }
        gz_fw_store(&out->row[first], row);
    }
}

// Which of eight slabs does the box of one child of A reach?
static inline uint32_t reached_slabs(const turned_slabs *slabs, const float row_a[3][ROWS],
                                     uint32_t child)
{
    uint32_t bits = 0;
    for (int first = 0; first < ROWS; first += GZ_LANES) {
        gz_fw top = gz_fw_all(0);
        for (int axis = 0; axis < 3; ++axis) {
            gz_fw n = gz_fw_load(&slabs->normal[axis][first]);
            gz_fw low = gz_fw_mul(n, gz_fw_all(row_a[axis][GZ_ROW_LOW(child)]));
            gz_fw high = gz_fw_mul(n, gz_fw_all(-row_a[axis][GZ_ROW_HIGH(child)]));
            top = gz_fw_add(top, gz_fw_max(low, high));
        }
        gz_mw in = gz_fw_not_less(gz_mw_all(), top, gz_fw_load(&slabs->row[first]));
        bits |= gz_mw_bits(in) << first;
    }
    return bits & bits >> GZ_WIDE & 0xffu;
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
    for (int part = 0; part < PARTS; ++part) {
        int first = part * GZ_LANES;
        gz_fw bottom = gz_fw_all(0);
        for (int axis = 0; axis < 3; ++axis) {
            gz_fw n = gz_fw_all(p->normal[axis]);
            gz_fw here = gz_fw_mul(n, gz_fw_load(&own[axis][first]));
#if GZ_LANES == 16
            gz_fw there = gz_fw_swap_halves(here);
#else
            gz_fw there = gz_fw_mul(n, gz_fw_load(&own[axis][(first + GZ_WIDE) % ROWS]));
#endif
            bottom = gz_fw_add(bottom, gz_fw_min(here, gz_fw_sub(gz_fw_all(0), there)));
        }
#if GZ_LANES == 16
        gz_fw limit = gz_fw_halves(p->high, p->low);
#else
        gz_fw limit = gz_fw_all(first < GZ_WIDE ? p->high : p->low);
#endif
        bits |= gz_mw_bits(gz_fw_not_less(gz_mw_all(), limit, bottom)) << first;
    }
    return bits & bits >> GZ_WIDE & 0xffu;
}

#endif
