// Sorts pairs by radix: a few passes over all of them, from the lowest digit of b to the highest of
// a. Digits that all numbers must have as zero are left out.
#include "query/pair_sort.h"

#include <stdbool.h>
#include <string.h>

#define DIGIT_BITS 11
#define DIGITS     (1u << DIGIT_BITS)
#define FEW        64 // below this, insertion is quicker

static inline uint64_t key_of(graze_pair p) { return (uint64_t)p.a << 32 | p.b; }

static void insert_all(graze_pair *pairs, uint64_t count)
{
    for (uint64_t i = 1; i < count; ++i) {
        graze_pair p = pairs[i];
        uint64_t k = i;
        for (; k > 0 && key_of(pairs[k - 1]) > key_of(p); --k)
            pairs[k] = pairs[k - 1];
        pairs[k] = p;
    }
}

static inline uint32_t digit_of(graze_pair p, bool of_a, int shift)
{
    return (of_a ? p.a : p.b) >> shift & (DIGITS - 1);
}

static void pass(const graze_pair *from, graze_pair *to, uint64_t count, bool of_a, int shift)
{
    uint64_t place[DIGITS] = {0};
    for (uint64_t i = 0; i < count; ++i)
        place[digit_of(from[i], of_a, shift)]++;
    uint64_t before = 0;
    for (uint32_t d = 0; d < DIGITS; ++d) {
        uint64_t here = place[d];
        place[d] = before;
        before += here;
    }
    for (uint64_t i = 0; i < count; ++i)
        to[place[digit_of(from[i], of_a, shift)]++] = from[i];
}

graze_pair *gz_pairs_sort(graze_pair *pairs, graze_pair *spare, uint64_t count, uint64_t limit_a,
                          uint64_t limit_b)
{
    if (count < FEW) {
        insert_all(pairs, count);
        return pairs;
    }
    for (int of_a = 0; of_a < 2; ++of_a) {
        uint64_t limit = of_a ? limit_a : limit_b;
        for (int shift = 0; shift < 32 && (limit - 1) >> shift != 0; shift += DIGIT_BITS) {
            pass(pairs, spare, count, of_a, shift);
            graze_pair *sorted = spare;
            spare = pairs;
            pairs = sorted;
        }
    }
    return pairs;
}
