// Asks the machine and the system what they have. See cpu.h.
#include "base/cpu.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

graze_simd gz_cpu_widest(void)
{
#if defined(GZ_SCALAR_ONLY)
    return GRAZE_SIMD_SCALAR;
#elif defined(__x86_64__)
    __builtin_cpu_init();
    bool rest = __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                __builtin_cpu_supports("fma");
    if (rest && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
        return GRAZE_SIMD_AVX512;
    if (rest && __builtin_cpu_supports("avx2"))
        return GRAZE_SIMD_AVX2;
    return GRAZE_SIMD_BASELINE;
#else
    return GRAZE_SIMD_SCALAR;
#endif
}

uint32_t gz_cpu_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        int count = CPU_COUNT(&set);
        if (count > 0)
            return (uint32_t)count;
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}

static uint64_t cgroup_limit(void)
{
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "re");
    if (file == NULL)
        return UINT64_MAX;
    unsigned long long bytes = 0;
    int fields = fscanf(file, "%llu", &bytes); // "max" reads as no field
    fclose(file);
    return fields == 1 ? bytes : UINT64_MAX;
}

uint64_t gz_cpu_memory(void)
{
    uint64_t bytes = cgroup_limit();
    long pages = sysconf(_SC_PHYS_PAGES);
    long page_bytes = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page_bytes > 0 && (uint64_t)pages * (uint64_t)page_bytes < bytes)
        bytes = (uint64_t)pages * (uint64_t)page_bytes;
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < bytes)
        bytes = limit.rlim_cur;
    return bytes;
}
