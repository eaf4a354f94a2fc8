// The error bounds hold for IEEE arithmetic: round to nearest, subnormals kept. A caller may have
// changed either, so public functions set the state they need and put the caller's back. Looking
// costs a few cycles, setting about twenty; inside the library the state is taken as set.
#ifndef GZ_FPU_H
#define GZ_FPU_H

#include <stdint.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
typedef uint32_t gz_fpu_state;
#define GZ_FPU_MASK 0xe040u // rounding control, flush to zero, denormals are zero

// The empty statement keeps the compiler from loading operands, and so from computing, too early.
static inline gz_fpu_state gz_fpu_enter(void)
{
    gz_fpu_state state = _mm_getcsr();
    if (__builtin_expect((state & GZ_FPU_MASK) != 0, 0))
        _mm_setcsr(state & ~GZ_FPU_MASK);
    __asm__ volatile("" ::: "memory");
    return state;
}

static inline void gz_fpu_leave(gz_fpu_state state)
{
    __asm__ volatile("" ::: "memory");
    if (__builtin_expect((state & GZ_FPU_MASK) != 0, 0))
        _mm_setcsr((_mm_getcsr() & ~GZ_FPU_MASK) | (state & GZ_FPU_MASK));
}
#else
#include <fenv.h>
typedef int gz_fpu_state;

static inline gz_fpu_state gz_fpu_enter(void)
{
    gz_fpu_state state = fegetround();
    if (state != FE_TONEAREST)
        fesetround(FE_TONEAREST);
    return state;
}

static inline void gz_fpu_leave(gz_fpu_state state)
{
    if (state != FE_TONEAREST)
        fesetround(state);
}
#endif

#endif
