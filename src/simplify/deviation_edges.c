// Which edges of a surface are open: shared by an odd number of its triangles? Vertices are the
// same if they have the same number. See deviation_cover.h for what it is good for.
//
// Each edge is listed at its vertex of smaller number, three edges at a vertex on average, and
// there compared with the others. Where very many edges meet at a vertex, all of them are taken as
// open, which costs time later, and is never wrong.
#include "simplify/deviation_target.h"

#include <string.h>

#define MOST_AT_A_VERTEX 96

static bool make_room(gz_target *target, const gz_surface *surface)
{
    return gz_list_reserve(target->context, &target->stars, (uint64_t)surface->vertex_count + 2) &&
           gz_list_reserve(target->context, &target->ends, 3 * (uint64_t)surface->triangle_count);
}

// Vertex of larger number, triangle and which of its edges.
static uint64_t end_of(uint32_t a, uint32_t b, uint32_t triangle, uint32_t k)
{
    return (uint64_t)(a < b ? b : a) << 32 | triangle << 2 | k;
}

// first[v + 1] is where the edges of vertex v begin, and in the end where they end.
static void list_edges(const gz_surface *surface, uint32_t *first, uint64_t *ends)
{
    memset(first, 0, sizeof *first * ((size_t)surface->vertex_count + 2));
    for (uint32_t t = 0; t < surface->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            uint32_t a = surface->corner[t][k], b = surface->corner[t][k == 2 ? 0 : k + 1];
            first[(a < b ? a : b) + 2]++;
        }
    for (uint32_t v = 0; v < surface->vertex_count; ++v)
        first[v + 2] += first[v + 1];
    for (uint32_t t = 0; t < surface->triangle_count; ++t)
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t a = surface->corner[t][k], b = surface->corner[t][k == 2 ? 0 : k + 1];
            ends[first[(a < b ? a : b) + 1]++] = end_of(a, b, t, k);
        }
}

static void mark(uint8_t *open, uint64_t end)
{
    open[(uint32_t)end >> 2] |= (uint8_t)(1 << (end & 3));
}

static void mark_open(const uint64_t *ends, uint32_t count, uint8_t *open)
{
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t same = 0;
        for (uint32_t j = 0; j < count; ++j)
            same += (ends[i] ^ ends[j]) >> 32 == 0;
        if (same % 2 != 0)
            mark(open, ends[i]);
    }
}

bool gz_target_find_open(gz_target *target, const gz_surface *surface)
{
    if (!make_room(target, surface))
        return false;
    uint32_t *first = target->stars.items;
    uint64_t *ends = target->ends.items;
    uint8_t *open = target->open.items;
    memset(open, 0, surface->triangle_count);
    list_edges(surface, first, ends);
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        uint32_t count = first[v + 1] - first[v];
        if (count <= MOST_AT_A_VERTEX)
            mark_open(ends + first[v], count, open);
        else
            for (uint32_t i = 0; i < count; ++i)
                mark(open, ends[first[v] + i]);
    }
    return true;
}
