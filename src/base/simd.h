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
static inline gz_fw gz_fw_select(gz_mw m, gz_fw yes, gz_fw no)
{
    return _mm512_mask_blend_ps(m, no, yes);
}
static inline gz_mw gz_mw_and(gz_mw a, gz_mw b) { return (gz_mw)(a & b); }
static inline gz_mw gz_mw_or(gz_mw a, gz_mw b) { return (gz_mw)(a | b); }
static inline uint32_t gz_mw_bits(gz_mw m) { return m; }

#elif defined(GZ_WIDTH_AVX2)
#include <immintrin.h>
#define GZ_LANES 8
typedef __m256 gz_fw;
typedef __m256 gz_mw; // all bits of a lane, or none

static inline gz_fw gz_fw_load(const float *p) { return _mm256_load_ps(p); }
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
static inline gz_fw gz_fw_select(gz_mw m, gz_fw yes, gz_fw no)
{
    return _mm256_blendv_ps(no, yes, m);
}
static inline gz_mw gz_mw_and(gz_mw a, gz_mw b) { return _mm256_and_ps(a, b); }
static inline gz_mw gz_mw_or(gz_mw a, gz_mw b) { return _mm256_or_ps(a, b); }
static inline uint32_t gz_mw_bits(gz_mw m) { return (uint32_t)_mm256_movemask_ps(m); }

#elif defined(GZ_WIDTH_BASELINE)
#include <emmintrin.h>
#define GZ_LANES 4
typedef __m128 gz_fw;
typedef __m128 gz_mw; // all bits of a lane, or none

static inline gz_fw gz_fw_load(const float *p) { return _mm_load_ps(p); }
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
static inline gz_fw gz_fw_select(gz_mw m, gz_fw yes, gz_fw no)
{
    return _mm_or_ps(_mm_and_ps(m, yes), _mm_andnot_ps(m, no));
}
static inline gz_mw gz_mw_and(gz_mw a, gz_mw b) { return _mm_and_ps(a, b); }
static inline gz_mw gz_mw_or(gz_mw a, gz_mw b) { return _mm_or_ps(a, b); }
static inline uint32_t gz_mw_bits(gz_mw m) { return (uint32_t)_mm_movemask_ps(m); }

#else // one lane, in plain C: what the others mean
#include <math.h>
#define GZ_LANES 1
typedef float gz_fw;
typedef uint32_t gz_mw;

static inline gz_fw gz_fw_load(const float *p) { return *p; }
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
static inline gz_fw gz_fw_select(gz_mw m, gz_fw yes, gz_fw no) { return m != 0 ? yes : no; }
static inline gz_mw gz_mw_and(gz_mw a, gz_mw b) { return a & b; }
static inline gz_mw gz_mw_or(gz_mw a, gz_mw b) { return a | b; }
static inline uint32_t gz_mw_bits(gz_mw m) { return m; }
#endif

#endif
