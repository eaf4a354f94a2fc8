// Morton's curve through a cube of 2^21 cells a side: neighbours on it are mostly near each other.
#ifndef GZ_MORTON_H
#define GZ_MORTON_H

#include <stdint.h>

#define GZ_MORTON_BITS  21
#define GZ_MORTON_CELLS (UINT64_C(1) << GZ_MORTON_BITS)

// Spreads 21 bits, two zeros behind each.
static inline uint64_t gz_morton_bits(uint64_t x)
{
    x = (x | x << 32) & UINT64_C(0x1f00000000ffff);
    x = (x | x << 16) & UINT64_C(0x1f0000ff0000ff);
    x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
    x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (x | x << 2) & UINT64_C(0x1249249249249249);
}

// The cell of a coordinate that is counted in cells; what is outside, or NaN, is at an end.
static inline uint64_t gz_morton_cell(double cell)
{
    return cell >= (double)(GZ_MORTON_CELLS - 1) ? GZ_MORTON_CELLS - 1
           : cell > 0                            ? (uint64_t)cell
                                                 : 0;
}

// The place of a point of the cube from 0 to 1.
static inline uint64_t gz_morton_place(const double at[3])
{
    uint64_t place = 0;
    for (int axis = 0; axis < 3; ++axis)
        place |= gz_morton_bits(gz_morton_cell(at[axis] * (double)GZ_MORTON_CELLS)) << axis;
    return place;
}

#endif
