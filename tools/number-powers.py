#!/usr/bin/env python3
"""Prints src/mesh/number_powers.c: the powers of ten that decimal conversion multiplies with."""

FIRST, LAST = -342, 324

print("""// Powers of ten in 128 bits. Written by tools/number-powers.py; see number_powers.h.
#include "mesh/number_powers.h"

const gz_power gz_powers_of_ten[GZ_POWER_LAST - GZ_POWER_FIRST + 1] = {""")
for q in range(FIRST, LAST + 1):
    if q >= 0:
        n = 10 ** q
        shift = n.bit_length() - 128
        f = n >> shift if shift >= 0 else n << -shift
    else:
        d = 10 ** -q
        bits = d.bit_length() + 127
        f = (1 << bits) // d
        if f >> 128:
            f = (1 << (bits - 1)) // d
    assert f >> 127 == 1
    print(f"    {{0x{f >> 64:016x}, 0x{f & (2 ** 64 - 1):016x}}}, // {q}")
print("};")
