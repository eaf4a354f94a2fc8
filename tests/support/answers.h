// All that the geometry says of one pair, to be compared or hashed as a whole.
#ifndef ANSWERS_H
#define ANSWERS_H

#include "nasty.h"

enum { ANSWERS_MANY = 19 }; // relatives of the pair in one batch

typedef struct answers {
    int32_t orient3d[6], orient2d[6], dimension[2];
    int32_t meet, within;
    uint32_t meet_many, within_many; // bits
    graze_intersection intersection; // unused points are zero
    graze_closest closest;
} answers;

// Calls every function of the library that takes triangles, with the context's SIMD width.
void answers_get(graze_context *context, const nasty_pair *pair, answers *out);

// FNV-1a over the bytes of some 64-bit words, least byte first, so that it does not depend on the
// machine. Begin with ANSWERS_HASH_BEGIN.
#define ANSWERS_HASH_BEGIN UINT64_C(0xcbf29ce484222325)
uint64_t answers_hash_word(uint64_t hash, uint64_t word);
uint64_t answers_hash_double(uint64_t hash, double value);
uint64_t answers_hash_pair(uint64_t hash, const nasty_pair *pair);
uint64_t answers_hash(uint64_t hash, const answers *given);

#endif
