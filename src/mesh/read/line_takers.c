// Chooses the takers of plain lines. See line_takers.h.
#include "mesh/read/line_takers.h"

extern const gz_line_takers gz_line_takers_scalar;
#if !defined(GZ_SCALAR_ONLY)
extern const gz_line_takers gz_line_takers_baseline, gz_line_takers_avx2, gz_line_takers_avx512;
#endif

const gz_line_takers *gz_line_takers_of(const graze_context *context)
{
#if !defined(GZ_SCALAR_ONLY)
    switch (graze_context_simd(context)) {
    case GRAZE_SIMD_AVX512: return &gz_line_takers_avx512;
    case GRAZE_SIMD_AVX2: return &gz_line_takers_avx2;
    case GRAZE_SIMD_BASELINE: return &gz_line_takers_baseline;
    default: break;
    }
#endif
    (void)context;
    return &gz_line_takers_scalar;
}
