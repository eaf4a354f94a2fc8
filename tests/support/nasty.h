// Triangle pairs by number: random ones, and nasty ones that are constructed to touch, to miss by
// one unit in the last place, to be degenerate, or to have numbers of extreme size. Each pair is a
// function of (seed, kind, index), on every machine the same.
#ifndef NASTY_H
#define NASTY_H

#include <stdint.h>

#include "graze/geometry.h"

typedef struct nasty_pair {
    graze_triangle a, b;
    double tolerance; // worth asking about: where the kind knows the distance, exactly that
} nasty_pair;

// Kinds below nasty_random_count() are random, those from there to nasty_kind_count() nasty.
int nasty_random_count(void);
int nasty_kind_count(void);
const char *nasty_kind_name(int kind);

void nasty_make(uint64_t seed, int kind, uint64_t index, nasty_pair *out);

#endif
