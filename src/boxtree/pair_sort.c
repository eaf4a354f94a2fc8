// Sorts pairs by radix: a few passes over all of them, from the lowest digit of b to the highest of
// a. Digits are no wider than the numbers need them to be.
#include "boxtree/pair_sort.h"

#include <stdbool.h>
#include <string.h>

#define DIGIT_BITS  11u // at most
#define DIGITS_MOST 3   // of a number of 32 bits
#define FEW         64  // below this, insertion is quicker

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

// Some bits of one of the two numbers.
typedef struct digit {
    uint32_t shift, mask;
    bool of_a;
} digit;

static inline uint32_t value_of(graze_pair p, digit d)
{
    return (d.of_a ? p.a : p.b) >> d.shift & d.mask;
}

static void pass(const graze_pair *from, graze_pair *to, uint64_t count, digit d)
{
    uint64_t place[1u << DIGIT_BITS];
    memset(place, 0, ((size_t)d.mask + 1) * sizeof *place);
    for (uint64_t i = 0; i < count; ++i)
        place[value_of(from[i], d)]++;
    uint64_t before = 0;
    for (uint32_t v = 0; v <= d.mask; ++v) {
        uint64_t here = place[v];
        place[v] = before;
        before += here;
    }
    for (uint64_t i = 0; i < count; ++i)
        to[place[value_of(from[i], d)]++] = from[i];
}

// As many digits as numbers below a limit need, of about equal width.
static uint32_t list_digits(uint64_t limit, bool of_a, digit *digits)
{
    uint32_t bits = 0;
    while (bits < 32 && (limit - 1) >> bits != 0)
        ++bits;
    uint32_t count = (bits + DIGIT_BITS - 1) / DIGIT_BITS;
    for (uint32_t i = 0, done = 0; i < count; ++i) {
        uint32_t width = (bits - done) / (count - i);
        digits[i] = (digit){done, (UINT32_C(1) << width) - 1, of_a};
        done += width;
    }
    return count;
}

graze_pair *gz_pairs_sort(graze_pair *pairs, graze_pair *spare, uint64_t count, uint64_t limit_a,
                          uint64_t limit_b)
{
    if (count < FEW) {
        insert_all(pairs, count);
        return pairs;
    }
    digit digits[2 * DIGITS_MOST];
    uint32_t digit_count = list_digits(limit_b, false, digits);
    digit_count += list_digits(limit_a, true, digits + digit_count);
    for (uint32_t d = 0; d < digit_count; ++d) {
        pass(pairs, spare, count, digits[d]);
        graze_pair *sorted = spare;
        spare = pairs;
        pairs = sorted;
    }
    return pairs;
}

void gz_pairs_merge(const graze_pair *many, uint64_t many_count, const graze_pair *few,
                    uint64_t few_count, graze_pair *out)
{
    uint64_t next = 0;
    for (uint64_t i = 0; i < few_count; ++i) {
        while (next < many_count && key_of(many[next]) < key_of(few[i]))
            *out++ = many[next++];
        *out++ = few[i];
    }
    if (next < many_count)
        memcpy(out, many + next, (size_t)(many_count - next) * sizeof *out);
}
