// Floats side by side, as many as the machine does at once: GZ_LANES is 16 with AVX-512, 8 with
// AVX2, 4 with SSE2, and 1 in plain C. Which one is chosen by the macro GZ_WIDTH_... that CMake
// sets when it compiles a *_kernels.c file once for each. Only operations that IEEE 754 rounds in
// one way are here, no fused ones and no estimates, so a lane has the same bits in all widths. The
// plain form is the definition of the others.
//
// Comparisons give a gz_mw: a set of lanes. A comparison with NaN is false. Minimum and maximum
// give their second operand where one is NaN.
#ifndef GZ_SIMD_H
#define GZ_SIMD_H

#include <stdint.h>

#if defined(GZ_WIDTH_AVX512)
#include <immintrin.h>
#define GZ_LANES 16
typedef __m512 gz_fw;
typedef __mmask16 gz_mw;

static inline gz_fw gz_fw_load(const float *p) { return _mm512_load_ps(p); }
static inline gz_fw gz_fw_load_anywhere(const float *p) { return _mm512_loadu_ps(p); }
static inline gz_fw gz_fw_all(float x) { return _mm512_set1_ps(x); }
static inline gz_fw gz_fw_add(gz_fw a, gz_fw b) { return _mm512_add_ps(a, b); }
static inline gz_fw gz_fw_sub(gz_fw a, gz_fw b) { return _mm512_sub_ps(a, b); }
static inline gz_fw gz_fw_mul(gz_fw a, gz_fw b) { return _mm512_mul_ps(a, b); }
static inline gz_fw gz_fw_div(gz_fw a, gz_fw b) { return _mm512_div_ps(a, b); }
static inline gz_fw gz_fw_sqrt(gz_fw a) { return _mm512_sqrt_ps(a); }
static inline gz_fw gz_fw_min(gz_fw a, gz_fw b) { return _mm512_min_ps(a, b); }
static inline gz_fw gz_fw_max(gz_fw a, gz_fw b) { return _mm512_max_ps(a, b); }
static inline gz_fw gz_fw_abs(gz_fw a) { return _mm512_abs_ps(a); }
static inline gz_mw gz_fw_less(gz_fw a, gz_fw b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
static inline gz_mw gz_fw_not_less(gz_mw m, gz_fw a, gz_fw b) // lanes of m where a < b is false
{
    return _mm512_mask_cmp_ps_mask(m, a, b, _CMP_NLT_UQ);
}
static inline gz_mw gz_mw_all(void) { return 0xffff; }
static inline gz_fw gz_fw_select(gz_mw m, gz_fw yes, gz_fw no)
{
    return _mm512_mask_blend_ps(m, no, yes);
}
static inline gz_mw gz_mw_and(gz_mw a, gz_mw b) { return (gz_mw)(a & b); }
static inline gz_mw gz_mw_or(gz_mw a, gz_mw b) { return (gz_mw)(a | b); }
static inline uint32_t gz_mw_bits(gz_mw m) { return m; }
static inline void gz_fw_store(float *p, gz_fw a) { _mm512_store_ps(p, a); }
static inline void gz_fw_store_anywhere(float *p, gz_fw a) { _mm512_storeu_ps(p, a); }
typedef __m512i gz_iw;
static inline gz_iw gz_iw_load(const int32_t *p) { return _mm512_load_si512(p); }
static inline void gz_iw_store(int32_t *p, gz_iw a) { _mm512_store_si512(p, a); }
// Writes the numbers of the bits that are set, a byte each, and garbage up to sixteen of them.
static inline void gz_store_bit_numbers(uint8_t p[16], uint32_t bits)
{
    // Four bits a number; not with vectors, which have enough to do.
    uint64_t chosen = _pdep_u64(bits, UINT64_C(0x1111111111111111)) * 15;
    uint64_t numbers = _pext_u64(UINT64_C(0xfedcba9876543210), chosen);
    uint64_t low = _pdep_u64(numbers, UINT64_C(0x0f0f0f0f0f0f0f0f));
    uint64_t high = _pdep_u64(numbers >> 32, UINT64_C(0x0f0f0f0f0f0f0f0f));
    __builtin_memcpy(p, &low, sizeof low);
    __builtin_memcpy(p + 8, &high, sizeof high);
}
static inline gz_iw gz_iw_load_bytes(const uint8_t *p)
{
    return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p));
}
static inline gz_iw gz_iw_load_halves(const uint8_t p[8], int first)
{
    (void)first;
    __m128i low = _mm_loadl_epi64((const __m128i *)p), high = _mm_srli_epi16(low, 4);
    __m128i all = _mm_and_si128(_mm_unpacklo_epi64(low, high), _mm_set1_epi8(15));
    return _mm512_cvtepu8_epi32(all);
}
static inline gz_iw gz_iw_lookup(const int32_t table[16], gz_iw index)
{
    return _mm512_permutexvar_epi32(index, _mm512_load_si512(table));
}
static inline gz_fw gz_fw_lookup(const float table[16], gz_iw index)
{
    return _mm512_permutexvar_ps(index, _mm512_load_ps(table));
}

// Eight at once, where there are no more: children of a node. Not with bits for lanes, which are
// slower as long as they are not needed one by one.
#define GZ_EIGHT 8
typedef __m256 gz_f8;
typedef __m256 gz_m8; // all bits of a lane, or none
static inline gz_f8 gz_f8_load(const float *p) { return _mm256_load_ps(p); }
static inline gz_f8 gz_f8_load_bytes(const int8_t *p)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)p)));
}
static inline void gz_f8_store(float *p, gz_f8 a) { _mm256_store_ps(p, a); }
static inline gz_f8 gz_f8_all(float x) { return _mm256_set1_ps(x); }
static inline gz_f8 gz_f8_add(gz_f8 a, gz_f8 b) { return _mm256_add_ps(a, b); }
static inline gz_f8 gz_f8_sub(gz_f8 a, gz_f8 b) { return _mm256_sub_ps(a, b); }
static inline gz_f8 gz_f8_mul(gz_f8 a, gz_f8 b) { return _mm256_mul_ps(a, b); }
static inline gz_f8 gz_f8_min(gz_f8 a, gz_f8 b) { return _mm256_min_ps(a, b); }
static inline gz_f8 gz_f8_max(gz_f8 a, gz_f8 b) { return _mm256_max_ps(a, b); }
static inline gz_m8 gz_m8_all(void) { return _mm256_castsi256_ps(_mm256_set1_epi32(-1)); }
static inline gz_m8 gz_f8_not_less(gz_m8 m, gz_f8 a, gz_f8 b)
{
    return _mm256_and_ps(m, _mm256_cmp_ps(a, b, _CMP_NLT_UQ));
}
static inline uint32_t gz_m8_bits(gz_m8 m) { return (uint32_t)_mm256_movemask_ps(m); }

#elif defined(GZ_WIDTH_AVX2)
#include <immintrin.h>
#define GZ_LANES 8
typedef __m256 gz_fw;
typedef __m256 gz_mw; // all bits of a lane, or none

static inline gz_fw gz_fw_load(const float *p) { return _mm256_load_ps(p); }
static inline gz_fw gz_fw_load_anywhere(const float *p) { return _mm256_loadu_ps(p); }
static inline gz_fw gz_fw_all(float x) { return _mm256_set1_ps(x); }
static inline gz_fw gz_fw_add(gz_fw a, gz_fw b) { return _mm256_add_ps(a, b); }
static inline gz_fw gz_fw_sub(gz_fw a, gz_fw b) { return _mm256_sub_ps(a, b); }
static inline gz_fw gz_fw_mul(gz_fw a, gz_fw b) { return _mm256_mul_ps(a, b); }
static inline gz_fw gz_fw_div(gz_fw a, gz_fw b) { return _mm256_div_ps(a, b); }
static inline gz_fw gz_fw_sqrt(gz_fw a) { return _mm256_sqrt_ps(a); }
static inline gz_fw gz_fw_min(gz_fw a, gz_fw b) { return _mm256_min_ps(a, b); }
static inline gz_fw gz_fw_max(gz_fw a, gz_fw b) { return _mm256_max_ps(a, b); }
static inline gz_fw gz_fw_abs(gz_fw a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
static inline gz_mw gz_fw_less(gz_fw a, gz_fw b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
static inline gz_mw gz_fw_not_less(gz_mw m, gz_fw a, gz_fw b)
{
    return _mm256_and_ps(m, _mm256_cmp_ps(a, b, _CMP_NLT_UQ));
}
static inline gz_mw gz_mw_all(void) { return _mm256_castsi256_ps(_mm256_set1_epi32(-1)); }
static inline gz_fw gz_fw_select(gz_mw m, gz_fw yes, gz_fw no)
{
    return _mm256_blendv_ps(no, yes, m);
}
static inline gz_mw gz_mw_and(gz_mw a, gz_mw b) { return _mm256_and_ps(a, b); }
static inline gz_mw gz_mw_or(gz_mw a, gz_mw b) { return _mm256_or_ps(a, b); }
static inline uint32_t gz_mw_bits(gz_mw m) { return (uint32_t)_mm256_movemask_ps(m); }
static inline void gz_fw_store(float *p, gz_fw a) { _mm256_store_ps(p, a); }
static inline void gz_fw_store_anywhere(float *p, gz_fw a) { _mm256_storeu_ps(p, a); }
typedef __m256i gz_iw;
static inline gz_iw gz_iw_load(const int32_t *p) { return _mm256_load_si256((const __m256i *)p); }
static inline void gz_iw_store(int32_t *p, gz_iw a) { _mm256_store_si256((__m256i *)p, a); }
static inline gz_iw gz_iw_load_bytes(const uint8_t *p)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)p));
}
static inline gz_iw gz_iw_load_halves(const uint8_t p[8], int first)
{
    __m256i all = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)p));
    return first == 0 ? _mm256_and_si256(all, _mm256_set1_epi32(15)) : _mm256_srli_epi32(all, 4);
}
static inline gz_iw gz_iw_lookup(const int32_t table[16], gz_iw index)
{
    __m256i low = _mm256_permutevar8x32_epi32(_mm256_load_si256((const __m256i *)table), index);
    __m256i high =
        _mm256_permutevar8x32_epi32(_mm256_load_si256((const __m256i *)(table + 8)), index);
    return _mm256_blendv_epi8(low, high, _mm256_cmpgt_epi32(index, _mm256_set1_epi32(7)));
}
static inline gz_fw gz_fw_lookup(const float table[16], gz_iw index)
{
    __m256 low = _mm256_permutevar8x32_ps(_mm256_load_ps(table), index);
    __m256 high = _mm256_permutevar8x32_ps(_mm256_load_ps(table + 8), index);
    return _mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(index, 28)));
}

static inline gz_fw gz_fw_load_small(const int8_t *p)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)p)));
}

#elif defined(GZ_WIDTH_BASELINE)
#include <emmintrin.h>
#define GZ_LANES 4
typedef __m128 gz_fw;
typedef __m128 gz_mw; // all bits of a lane, or none

static inline gz_fw gz_fw_load(const float *p) { return _mm_load_ps(p); }
static inline gz_fw gz_fw_load_anywhere(const float *p) { return _mm_loadu_ps(p); }
static inline gz_fw gz_fw_all(float x) { return _mm_set1_ps(x); }
static inline gz_fw gz_fw_add(gz_fw a, gz_fw b) { return _mm_add_ps(a, b); }
static inline gz_fw gz_fw_sub(gz_fw a, gz_fw b) { return _mm_sub_ps(a, b); }
static inline gz_fw gz_fw_mul(gz_fw a, gz_fw b) { return _mm_mul_ps(a, b); }
static inline gz_fw gz_fw_div(gz_fw a, gz_fw b) { return _mm_div_ps(a, b); }
static inline gz_fw gz_fw_sqrt(gz_fw a) { return _mm_sqrt_ps(a); }
static inline gz_fw gz_fw_min(gz_fw a, gz_fw b) { return _mm_min_ps(a, b); }
static inline gz_fw gz_fw_max(gz_fw a, gz_fw b) { return _mm_max_ps(a, b); }
static inline gz_fw gz_fw_abs(gz_fw a) { return _mm_andnot_ps(_mm_set1_ps(-0.0f), a); }
static inline gz_mw gz_fw_less(gz_fw a, gz_fw b) { return _mm_cmplt_ps(a, b); }
static inline gz_mw gz_fw_not_less(gz_mw m, gz_fw a, gz_fw b)
{
    return _mm_and_ps(m, _mm_cmpnlt_ps(a, b));
}
static inline gz_mw gz_mw_all(void) { return _mm_castsi128_ps(_mm_set1_epi32(-1)); }
static inline gz_fw gz_fw_select(gz_mw m, gz_fw yes, gz_fw no)
{
    return _mm_or_ps(_mm_and_ps(m, yes), _mm_andnot_ps(m, no));
}
static inline gz_mw gz_mw_and(gz_mw a, gz_mw b) { return _mm_and_ps(a, b); }
static inline gz_mw gz_mw_or(gz_mw a, gz_mw b) { return _mm_or_ps(a, b); }
static inline uint32_t gz_mw_bits(gz_mw m) { return (uint32_t)_mm_movemask_ps(m); }
static inline void gz_fw_store(float *p, gz_fw a) { _mm_store_ps(p, a); }
static inline void gz_fw_store_anywhere(float *p, gz_fw a) { _mm_storeu_ps(p, a); }
typedef struct gz_iw {
    int32_t lane[4];
} gz_iw;
static inline gz_iw gz_iw_load(const int32_t *p) { return (gz_iw){{p[0], p[1], p[2], p[3]}}; }
static inline void gz_iw_store(int32_t *p, gz_iw a)
{
    for (int i = 0; i < 4; ++i)
        p[i] = a.lane[i];
}
static inline gz_iw gz_iw_load_bytes(const uint8_t *p) { return (gz_iw){{p[0], p[1], p[2], p[3]}}; }
static inline gz_iw gz_iw_load_halves(const uint8_t p[8], int first)
{
    const uint8_t *from = &p[first % 8];
    int shift = first < 8 ? 0 : 4;
    return (gz_iw){{from[0] >> shift & 15, from[1] >> shift & 15, from[2] >> shift & 15,
                    from[3] >> shift & 15}};
}
static inline gz_iw gz_iw_lookup(const int32_t table[16], gz_iw i)
{
    return (gz_iw){{table[i.lane[0]], table[i.lane[1]], table[i.lane[2]], table[i.lane[3]]}};
}
static inline gz_fw gz_fw_lookup(const float table[16], gz_iw i)
{
    return _mm_setr_ps(table[i.lane[0]], table[i.lane[1]], table[i.lane[2]], table[i.lane[3]]);
}

static inline gz_fw gz_fw_load_small(const int8_t *p)
{
    return _mm_setr_ps(p[0], p[1], p[2], p[3]);
}

#else // one lane, in plain C: what the others mean
#include <math.h>
#define GZ_LANES 1
typedef float gz_fw;
typedef uint32_t gz_mw;

static inline gz_fw gz_fw_load(const float *p) { return *p; }
static inline gz_fw gz_fw_load_anywhere(const float *p) { return *p; }
static inline gz_fw gz_fw_all(float x) { return x; }
static inline gz_fw gz_fw_add(gz_fw a, gz_fw b) { return a + b; }
static inline gz_fw gz_fw_sub(gz_fw a, gz_fw b) { return a - b; }
static inline gz_fw gz_fw_mul(gz_fw a, gz_fw b) { return a * b; }
static inline gz_fw gz_fw_div(gz_fw a, gz_fw b) { return a / b; }
static inline gz_fw gz_fw_sqrt(gz_fw a) { return sqrtf(a); }
static inline gz_fw gz_fw_min(gz_fw a, gz_fw b) { return a < b ? a : b; }
static inline gz_fw gz_fw_max(gz_fw a, gz_fw b) { return a > b ? a : b; }
static inline gz_fw gz_fw_abs(gz_fw a) { return fabsf(a); }
static inline gz_mw gz_fw_less(gz_fw a, gz_fw b) { return a < b; }
static inline gz_mw gz_fw_not_less(gz_mw m, gz_fw a, gz_fw b) { return m & !(a < b); }
static inline gz_mw gz_mw_all(void) { return 1; }
static inline gz_fw gz_fw_select(gz_mw m, gz_fw yes, gz_fw no) { return m != 0 ? yes : no; }
static inline gz_mw gz_mw_and(gz_mw a, gz_mw b) { return a & b; }
static inline gz_mw gz_mw_or(gz_mw a, gz_mw b) { return a | b; }
static inline uint32_t gz_mw_bits(gz_mw m) { return m; }
static inline void gz_fw_store(float *p, gz_fw a) { *p = a; }
static inline void gz_fw_store_anywhere(float *p, gz_fw a) { *p = a; }
typedef int32_t gz_iw;
static inline gz_iw gz_iw_load(const int32_t *p) { return *p; }
static inline void gz_iw_store(int32_t *p, gz_iw a) { *p = a; }
static inline gz_iw gz_iw_load_bytes(const uint8_t *p) { return *p; }
// Of sixteen numbers of four bits, the low halves of eight bytes and then the high ones, those from
// `first` on.
static inline gz_iw gz_iw_load_halves(const uint8_t p[8], int first)
{
    return p[first % 8] >> (first < 8 ? 0 : 4) & 15;
}
static inline gz_iw gz_iw_lookup(const int32_t table[16], gz_iw index) { return table[index]; }
static inline gz_fw gz_fw_lookup(const float table[16], gz_iw index) { return table[index]; }
static inline gz_fw gz_fw_load_small(const int8_t *p) { return *p; } // small whole numbers
#endif

// The larger of two absolute values. AVX-512 has an instruction for it, which is not faster here
// and treats NaN in another way.
static inline gz_fw gz_fw_max_abs(gz_fw a, gz_fw b)
{
    return gz_fw_max(gz_fw_abs(a), gz_fw_abs(b));
}

#if GZ_LANES != 16
// Up to eight at once.
#define GZ_EIGHT         GZ_LANES
#define gz_f8            gz_fw
#define gz_m8            gz_mw
#define gz_f8_load       gz_fw_load
#define gz_f8_load_bytes gz_fw_load_small
#define gz_f8_store      gz_fw_store
#define gz_f8_all        gz_fw_all
#define gz_f8_add        gz_fw_add
#define gz_f8_sub        gz_fw_sub
#define gz_f8_mul        gz_fw_mul
#define gz_f8_min        gz_fw_min
#define gz_f8_max        gz_fw_max
#define gz_m8_all        gz_mw_all
#define gz_f8_not_less   gz_fw_not_less
#define gz_m8_bits       gz_mw_bits

// Writes the numbers of the bits that are set, a byte each, and garbage up to sixteen of them. Four
// bits at a time and without a branch: how many there are is hard to foresee, and a wrong guess
// costs more than the rest.
static inline void gz_store_bit_numbers(uint8_t p[16], uint32_t bits)
{
    static const uint32_t set_bits[16] = {
        0, 0,        1,        0x000100, 2,        0x000200, 0x000201, 0x020100,
        3, 0x000300, 0x000301, 0x030100, 0x000302, 0x030200, 0x030201, 0x03020100};
    for (uint32_t four = 0; four < 16; four += 4) {
        uint32_t some = bits >> four & 15, numbers = set_bits[some] + four * 0x01010101u;
        __builtin_memcpy(p, &numbers, sizeof numbers);
        p += __builtin_popcount(some);
    }
}
#endif

// Four floats for code that is compiled once: what every machine of the architecture has. Lanes can
// be read and set with [].
typedef float gz_f4 __attribute__((vector_size(16)));
typedef double gz_d2 __attribute__((vector_size(16)));
typedef int32_t gz_i4 __attribute__((vector_size(16)));
typedef int64_t gz_l2 __attribute__((vector_size(16)));

#if defined(__SSE2__) && !defined(GZ_SCALAR_ONLY)
#include <emmintrin.h>
static inline gz_f4 gz_f4_min(gz_f4 a, gz_f4 b) { return _mm_min_ps(a, b); }
static inline gz_f4 gz_f4_max(gz_f4 a, gz_f4 b) { return _mm_max_ps(a, b); }
static inline uint32_t gz_f4_less(gz_f4 a, gz_f4 b) // bit i: lane i of a is less
{
    return (uint32_t)_mm_movemask_ps(_mm_cmplt_ps(a, b));
}
static inline gz_f4 gz_f4_load3(const float p[3]) // and a zero
{
    return _mm_movelh_ps(_mm_castsi128_ps(_mm_loadu_si64(p)), _mm_load_ss(p + 2));
}
static inline gz_d2 gz_f4_low_half(gz_f4 a) { return _mm_cvtps_pd(a); }
static inline gz_d2 gz_f4_high_half(gz_f4 a) { return _mm_cvtps_pd(_mm_movehl_ps(a, a)); }
static inline gz_f4 gz_f4_round(gz_d2 low, gz_d2 high) // to the nearest floats
{
    return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
}
static inline gz_d2 gz_d2_min(gz_d2 a, gz_d2 b) { return _mm_min_pd(a, b); }
static inline gz_d2 gz_d2_max(gz_d2 a, gz_d2 b) { return _mm_max_pd(a, b); }
static inline uint32_t gz_equal16(const uint32_t p[16], uint32_t x) // bit i: p[i] is x; p aligned
{
    const __m128i *q = (const __m128i *)p;
    __m128i all = _mm_set1_epi32((int)x);
    __m128i a = _mm_packs_epi32(_mm_cmpeq_epi32(q[0], all), _mm_cmpeq_epi32(q[1], all));
    __m128i b = _mm_packs_epi32(_mm_cmpeq_epi32(q[2], all), _mm_cmpeq_epi32(q[3], all));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(a, b));
}
#else
static inline gz_f4 gz_f4_min(gz_f4 a, gz_f4 b)
{
    for (int i = 0; i < 4; ++i)
        a[i] = a[i] < b[i] ? a[i] : b[i];
    return a;
}
static inline gz_f4 gz_f4_max(gz_f4 a, gz_f4 b)
{
    for (int i = 0; i < 4; ++i)
        a[i] = a[i] > b[i] ? a[i] : b[i];
    return a;
}
static inline uint32_t gz_f4_less(gz_f4 a, gz_f4 b)
{
    uint32_t bits = 0;
    for (int i = 0; i < 4; ++i)
        bits |= (uint32_t)(a[i] < b[i]) << i;
    return bits;
}
static inline gz_f4 gz_f4_load3(const float p[3]) { return (gz_f4){p[0], p[1], p[2], 0}; }
static inline gz_d2 gz_f4_low_half(gz_f4 a) { return (gz_d2){(double)a[0], (double)a[1]}; }
static inline gz_d2 gz_f4_high_half(gz_f4 a) { return (gz_d2){(double)a[2], (double)a[3]}; }
static inline gz_f4 gz_f4_round(gz_d2 low, gz_d2 high)
{
    // volatile: gcc 12 drops the rounding where it turns this and a way back into vectors.
    volatile float a = (float)low[0], b = (float)low[1], c = (float)high[0], d = (float)high[1];
    return (gz_f4){a, b, c, d};
}
static inline gz_d2 gz_d2_min(gz_d2 a, gz_d2 b)
{
    return (gz_d2){a[0] < b[0] ? a[0] : b[0], a[1] < b[1] ? a[1] : b[1]};
}
static inline gz_d2 gz_d2_max(gz_d2 a, gz_d2 b)
{
    return (gz_d2){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]};
}
static inline uint32_t gz_equal16(const uint32_t p[16], uint32_t x)
{
    uint32_t bits = 0;
    for (int i = 0; i < 16; ++i)
        bits |= (uint32_t)(p[i] == x) << i;
    return bits;
}
#endif

#endif
