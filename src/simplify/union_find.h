// Connected components, as a forest over vertices, or triangles, whose roots stand for components.
#ifndef GZ_UNION_FIND_H
#define GZ_UNION_FIND_H

#include <stdbool.h>
#include <stdint.h>

static inline uint32_t gz_union_root(uint32_t *component, uint32_t v)
{
    while (component[v] != v) {
        component[v] = component[component[v]];
        v = component[v];
    }
    return v;
}

// Returns whether they were two. The smaller number stays a root.
static inline bool gz_union_join(uint32_t *component, uint32_t a, uint32_t b)
{
    a = gz_union_root(component, a);
    b = gz_union_root(component, b);
    if (a == b)
        return false;
    if (a < b)
        component[b] = a;
    else
        component[a] = b;
    return true;
}

#endif
