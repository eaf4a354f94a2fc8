// Which of the functions that were compiled once for each SIMD width is the one to call?
#ifndef GZ_WIDTH_H
#define GZ_WIDTH_H

#include "graze/base.h"

// name_avx512, name_avx2, name_baseline or name_scalar, as the context says.
#if defined(GZ_SCALAR_ONLY)
#define GZ_FOR_WIDTH(simd, name) ((void)(simd), name##_scalar)
#else
#define GZ_FOR_WIDTH(simd, name)                                                                   \
    ((simd) == GRAZE_SIMD_AVX512     ? name##_avx512                                               \
     : (simd) == GRAZE_SIMD_AVX2     ? name##_avx2                                                 \
     : (simd) == GRAZE_SIMD_BASELINE ? name##_baseline                                             \
                                     : name##_scalar)
#endif

#endif
