// Bytes side by side: sets of the 64 bytes at an address, bit i for byte i, and decimal digits made
// into numbers. For *_kernels.c, as in simd.h: CMake chooses by the macro GZ_WIDTH_.... The plain
// forms are the definition of the others.
#ifndef GZ_SIMD_BYTES_H
#define GZ_SIMD_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

#if defined(__BMI__) && defined(__x86_64__)
#define GZ_HAS_BITS 1 // the bit instructions of processors with AVX2
#include <immintrin.h>
#endif

// The sets that scanning numbers takes.
typedef struct gz_byte_sets {
    uint64_t other; // all but 0 to 9
    uint64_t minus;
} gz_byte_sets;

// The place of the lowest bit of a set; 64 if it is empty. Compilers do not see by themselves that
// one instruction does all of this.
static inline uint64_t gz_lowest_bit(uint64_t set)
{
#ifdef GZ_HAS_BITS
    return _tzcnt_u64(set);
#else
    return set != 0 ? (uint64_t)__builtin_ctzll(set) : 64;
#endif
}

// The top bits of eight bytes, in order.
static inline uint64_t gz_top_bits(uint64_t bytes)
{
    return (bytes >> 7 & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56;
}

static inline gz_byte_sets gz_byte_sets_plain(const uint8_t *at)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    gz_byte_sets sets = {0};
    for (int i = 0; i < 8; ++i) {
        uint64_t word = gz_get_u64(at + 8 * i, false);
        uint64_t digit = word ^ '0' * each, dash = word ^ '-' * each;
        sets.other |= gz_top_bits(((digit & 0x7f * each) + 0x76 * each) | digit) << 8 * i;
        sets.minus |= gz_top_bits(~(((dash & 0x7f * each) + 0x7f * each) | dash)) << 8 * i;
    }
    return sets;
}

// Blanks and control characters: all up to ' '.
static inline uint64_t gz_blanks_plain(const uint8_t *at)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t blanks = 0;
    for (int i = 0; i < 8; ++i) {
        uint64_t word = gz_get_u64(at + 8 * i, false);
        blanks |= gz_top_bits(~(((word & 0x7f * each) + 0x5f * each) | word)) << 8 * i;
    }
    return blanks;
}

static inline uint64_t gz_equal_bytes_plain(const uint8_t *at, uint8_t byte)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t equal = 0;
    for (int i = 0; i < 8; ++i) {
        uint64_t word = gz_get_u64(at + 8 * i, false) ^ byte * each;
        equal |= gz_top_bits(~(((word & 0x7f * each) + 0x7f * each) | word)) << 8 * i;
    }
    return equal;
}

// The value of the first `count` digits at `at`: 0 to 8 of them. Eight bytes are read.
static inline uint64_t gz_eight_digits(const uint8_t *at, uint32_t count)
{
    uint64_t word = gz_get_u64(at, false);
    word = count != 0 ? word << (64 - 8 * count) : 0; // the last digit to the top, zeros in front
    word = (word & UINT64_C(0x0f0f0f0f0f0f0f0f)) * 2561 >> 8;
    word = (word & UINT64_C(0x00ff00ff00ff00ff)) * 6553601 >> 16;
    return (word & UINT64_C(0x0000ffff0000ffff)) * UINT64_C(42949672960001) >> 32;
}

static const uint64_t gz_small_powers[17] = {UINT64_C(1),
                                             UINT64_C(10),
                                             UINT64_C(100),
                                             UINT64_C(1000),
                                             UINT64_C(10000),
                                             UINT64_C(100000),
                                             UINT64_C(1000000),
                                             UINT64_C(10000000),
                                             UINT64_C(100000000),
                                             UINT64_C(1000000000),
                                             UINT64_C(10000000000),
                                             UINT64_C(100000000000),
                                             UINT64_C(1000000000000),
                                             UINT64_C(10000000000000),
                                             UINT64_C(100000000000000),
                                             UINT64_C(1000000000000000),
                                             UINT64_C(10000000000000000)};

// The same for 0 to 16 digits; sixteen bytes are read.
static inline uint64_t gz_sixteen_digits_plain(const uint8_t *at, uint32_t count)
{
    if (count <= 8)
        return gz_eight_digits(at, count);
    return gz_eight_digits(at, 8) * gz_small_powers[count - 8] + gz_eight_digits(at + 8, count - 8);
}

// The digits on both sides of a point, as one number: 1 to 8 of them, then 0 to 16.
static inline uint64_t gz_decimal_digits_plain(const uint8_t *whole, uint64_t whole_count,
                                               const uint8_t *fraction, uint64_t fraction_count)
{
    return gz_eight_digits(whole, (uint32_t)whole_count) * gz_small_powers[fraction_count] +
           gz_sixteen_digits_plain(fraction, (uint32_t)fraction_count);
}

// Three numbers of 1 to 8 digits: false if one is larger than `most`.
static inline bool gz_three_numbers_plain(const uint8_t *const at[3], const uint64_t count[3],
                                          uint32_t most, uint32_t out[3])
{
    bool good = true;
    for (int i = 0; i < 3; ++i) {
        out[i] = (uint32_t)gz_eight_digits(at[i], (uint32_t)count[i]);
        good = good && out[i] <= most;
    }
    return good;
}

#if defined(GZ_WIDTH_AVX2) || defined(GZ_WIDTH_AVX512)

// From which byte each place takes its digit, beginning with the place -count; those below 0
// become zero.
static const int8_t gz_digit_order[32] = {-16, -15, -14, -13, -12, -11, -10, -9, -8, -7, -6,
                                          -5,  -4,  -3,  -2,  -1,  0,   1,   2,  3,  4,  5,
                                          6,   7,   8,   9,   10,  11,  12,  13, 14, 15};
// The same for the second eight bytes of sixteen.
static const int8_t gz_upper_order[16] = {-8, -7, -6, -5, -4, -3, -2, -1,
                                          8,  9,  10, 11, 12, 13, 14, 15};

static inline __m128i gz_load16(const void *at) { return _mm_loadu_si128((const __m128i *)at); }

static inline __m128i gz_load8(const void *at) { return _mm_loadl_epi64((const __m128i *)at); }

static inline __m256i gz_two_halves(__m128i low, __m128i high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

// Bytes of text to numbers of eight digits: in each half two, in its first two places.
static inline __m256i gz_numbers_of(__m256i bytes, __m256i order)
{
    __m256i ones = _mm256_shuffle_epi8(_mm256_sub_epi8(bytes, _mm256_set1_epi8('0')), order);
    __m256i twos = _mm256_maddubs_epi16(ones, _mm256_set1_epi16(0x010a));   // 10 and 1
    __m256i fours = _mm256_madd_epi16(twos, _mm256_set1_epi32(0x00010064)); // 100 and 1
    return _mm256_madd_epi16(_mm256_packus_epi32(fours, fours), _mm256_set1_epi32(0x00012710));
}

static inline uint64_t gz_join_eights(__m128i eights)
{
    uint64_t pair = (uint64_t)_mm_cvtsi128_si64(eights);
    return (uint32_t)pair * UINT64_C(100000000) + (pair >> 32);
}

static inline __attribute__((always_inline)) uint64_t gz_decimal_digits(const uint8_t *whole,
                                                                        uint64_t whole_count,
                                                                        const uint8_t *fraction,
                                                                        uint64_t fraction_count)
{
    __m256i bytes = gz_two_halves(gz_load16(whole), gz_load16(fraction));
    __m256i order = gz_two_halves(gz_load16(gz_digit_order + whole_count),
                                  gz_load16(gz_digit_order + fraction_count));
    __m256i eights = gz_numbers_of(bytes, order);
    uint64_t front = (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(eights)) >> 32;
    return front * gz_small_powers[fraction_count] +
           gz_join_eights(_mm256_extracti128_si256(eights, 1));
}

static inline bool gz_three_numbers(const uint8_t *const at[3], const uint64_t count[3],
                                    uint32_t most, uint32_t out[3])
{
    __m128i low = _mm_unpacklo_epi64(gz_load8(at[0]), gz_load8(at[1]));
    __m128i low_order = _mm_unpacklo_epi64(gz_load8(gz_digit_order + 8 + count[0]),
                                           gz_load8(gz_upper_order + count[1]));
    __m256i eights =
        gz_numbers_of(gz_two_halves(low, gz_load8(at[2])),
                      gz_two_halves(low_order, gz_load8(gz_digit_order + 8 + count[2])));
    __m128i first = _mm256_castsi256_si128(eights), last = _mm256_extracti128_si256(eights, 1);
    _mm_storel_epi64((__m128i *)(void *)out, first);
    out[2] = (uint32_t)_mm_cvtsi128_si32(last);
    __m128i largest = _mm_max_epu32(first, _mm_shuffle_epi32(first, 1));
    return (uint32_t)_mm_cvtsi128_si32(_mm_max_epu32(largest, last)) <= most;
}

static inline uint64_t gz_sixteen_digits(const uint8_t *at, uint32_t count)
{
    __m256i bytes = _mm256_castsi128_si256(gz_load16(at));
    __m256i order = _mm256_castsi128_si256(gz_load16(gz_digit_order + count));
    return gz_join_eights(_mm256_castsi256_si128(gz_numbers_of(bytes, order)));
}
#else
static inline uint64_t gz_sixteen_digits(const uint8_t *at, uint32_t count)
{
    return gz_sixteen_digits_plain(at, count);
}
static inline uint64_t gz_decimal_digits(const uint8_t *whole, uint64_t whole_count,
                                         const uint8_t *fraction, uint64_t fraction_count)
{
    return gz_decimal_digits_plain(whole, whole_count, fraction, fraction_count);
}
static inline bool gz_three_numbers(const uint8_t *const at[3], const uint64_t count[3],
                                    uint32_t most, uint32_t out[3])
{
    return gz_three_numbers_plain(at, count, most, out);
}
#endif

#if defined(GZ_WIDTH_AVX512)

static inline gz_byte_sets gz_byte_sets_of(const uint8_t *at)
{
    __m512i bytes = _mm512_loadu_si512(at);
    __m512i digit = _mm512_sub_epi8(bytes, _mm512_set1_epi8('0'));
    return (gz_byte_sets){_mm512_cmpgt_epu8_mask(digit, _mm512_set1_epi8(9)),
                          _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('-'))};
}

static inline uint64_t gz_blanks_of(const uint8_t *at)
{
    return _mm512_cmple_epu8_mask(_mm512_loadu_si512(at), _mm512_set1_epi8(' '));
}

static inline uint64_t gz_equal_bytes(const uint8_t *at, uint8_t byte)
{
    return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(at), _mm512_set1_epi8((char)byte));
}

#elif defined(GZ_WIDTH_AVX2)

static inline gz_byte_sets gz_byte_sets_of(const uint8_t *at)
{
    gz_byte_sets sets = {0};
    for (int i = 0; i < 2; ++i) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(at + 32 * i));
        __m256i digit = _mm256_sub_epi8(bytes, _mm256_set1_epi8('0'));
        __m256i is_digit = _mm256_cmpeq_epi8(_mm256_min_epu8(digit, _mm256_set1_epi8(9)), digit);
        __m256i is_minus = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('-'));
        sets.other |= (uint64_t) ~(uint32_t)_mm256_movemask_epi8(is_digit) << 32 * i;
        sets.minus |= (uint64_t)(uint32_t)_mm256_movemask_epi8(is_minus) << 32 * i;
    }
    return sets;
}

static inline uint64_t gz_blanks_of(const uint8_t *at)
{
    uint64_t blanks = 0;
    for (int i = 0; i < 2; ++i) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(at + 32 * i));
        __m256i is_blank = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(' ')), bytes);
        blanks |= (uint64_t)(uint32_t)_mm256_movemask_epi8(is_blank) << 32 * i;
    }
    return blanks;
}

static inline uint64_t gz_equal_bytes(const uint8_t *at, uint8_t byte)
{
    uint64_t equal = 0;
    for (int i = 0; i < 2; ++i) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(at + 32 * i));
        __m256i is_equal = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8((char)byte));
        equal |= (uint64_t)(uint32_t)_mm256_movemask_epi8(is_equal) << 32 * i;
    }
    return equal;
}

#elif defined(GZ_WIDTH_BASELINE)
#include <emmintrin.h>

static inline gz_byte_sets gz_byte_sets_of(const uint8_t *at)
{
    gz_byte_sets sets = {0};
    for (int i = 0; i < 4; ++i) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + 16 * i));
        __m128i digit = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
        __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit);
        __m128i is_minus = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('-'));
        sets.other |= (uint64_t)(uint32_t)(_mm_movemask_epi8(is_digit) ^ 0xffff) << 16 * i;
        sets.minus |= (uint64_t)(uint32_t)_mm_movemask_epi8(is_minus) << 16 * i;
    }
    return sets;
}

static inline uint64_t gz_blanks_of(const uint8_t *at)
{
    uint64_t blanks = 0;
    for (int i = 0; i < 4; ++i) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + 16 * i));
        __m128i is_blank = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(' ')), bytes);
        blanks |= (uint64_t)(uint32_t)_mm_movemask_epi8(is_blank) << 16 * i;
    }
    return blanks;
}

static inline uint64_t gz_equal_bytes(const uint8_t *at, uint8_t byte)
{
    uint64_t equal = 0;
    for (int i = 0; i < 4; ++i) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + 16 * i));
        __m128i is_equal = _mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)byte));
        equal |= (uint64_t)(uint32_t)_mm_movemask_epi8(is_equal) << 16 * i;
    }
    return equal;
}

#else
static inline gz_byte_sets gz_byte_sets_of(const uint8_t *at) { return gz_byte_sets_plain(at); }
static inline uint64_t gz_blanks_of(const uint8_t *at) { return gz_blanks_plain(at); }
static inline uint64_t gz_equal_bytes(const uint8_t *at, uint8_t byte)
{
    return gz_equal_bytes_plain(at, byte);
}
#endif

#endif
