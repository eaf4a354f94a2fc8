// What this machine has.
#ifndef GZ_CPU_H
#define GZ_CPU_H

#include "graze/base.h"

graze_simd gz_cpu_widest(void); // never GRAZE_SIMD_BEST
uint32_t gz_cpu_count(void);    // cores this process may run on, at least 1
uint64_t gz_cpu_memory(void);   // bytes this process may use: RAM, address-space limit, cgroup

#endif
