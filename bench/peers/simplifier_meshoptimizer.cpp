// meshoptimizer: edge collapses by quadrics, with any error.
#include "simplifier.h"

#include <meshoptimizer.h>

extern "C" uint32_t simplify_by_meshoptimizer(const float (*vertices)[3], uint32_t vertex_count,
                                              const uint32_t (*corners)[3], uint32_t triangle_count,
                                              uint32_t target, uint32_t (*out)[3])
{
    size_t left =
        meshopt_simplify(&out[0][0], &corners[0][0], 3 * (size_t)triangle_count, &vertices[0][0],
                         vertex_count, sizeof *vertices, 3 * (size_t)target, 1e10f, 0u, nullptr);
    return (uint32_t)(left / 3);
}
