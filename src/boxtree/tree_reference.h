// Makes the references of a builder: boxes of triangles as rows have them. For what builds trees.
#ifndef GZ_TREE_REFERENCE_H
#define GZ_TREE_REFERENCE_H

#include <string.h>

#include "boxtree/tree_builder.h"
#include "boxtree/tree_leaf.h"

static inline uint32_t gz_reference_number(const gz_reference *r)
{
    float bits = r->low[3];
    uint32_t number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

// Three coordinates, and a fourth that means nothing.
typedef struct gz_point4 {
    gz_d2 xy, z;
} gz_point4;

static inline gz_point4 gz_vertex_at(const graze_mesh_view *view, uint64_t vertex)
{
    if (view->precision == GRAZE_FLOAT32) {
        gz_f4 p = gz_f4_load3((const float *)view->positions + 3 * vertex);
        return (gz_point4){gz_f4_low_half(p), gz_f4_high_half(p)};
    }
    const double *p = (const double *)view->positions + 3 * vertex;
    return (gz_point4){{p[0], p[1]}, {p[2], 0}};
}

// Where coordinates are equal, and are zeros, the second's.
static inline gz_point4 gz_point4_min(gz_point4 a, gz_point4 b)
{
    return (gz_point4){gz_d2_min(a.xy, b.xy), gz_d2_min(a.z, b.z)};
}
static inline gz_point4 gz_point4_max(gz_point4 a, gz_point4 b)
{
    return (gz_point4){gz_d2_max(a.xy, b.xy), gz_d2_max(a.z, b.z)};
}

// As gz_row_below does, of four coordinates that are moved and scaled already.
static inline gz_f4 gz_rows_below(gz_point4 x)
{
    const gz_i4 no_sign = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
    const gz_f4 none = {0, 0, 0, 0}, most = none + GZ_ROW_MOST;
    gz_f4 y = gz_f4_max(gz_f4_min(gz_f4_round(x.xy, x.z), most), -most);
    gz_f4 size = (gz_f4)((gz_i4)y & no_sign);
    return y - (size * GZ_ROW_SLACK + GZ_ROW_LEAST);
}

static inline gz_reference gz_make_reference(const graze_mesh_view *view, uint64_t t,
                                             const double origin[3], double scale)
{
    const uint32_t *corner = view->corners + 3 * t;
    gz_point4 p = gz_vertex_at(view, corner[0]), q = gz_vertex_at(view, corner[1]);
    gz_point4 r = gz_vertex_at(view, corner[2]);
    gz_point4 low = gz_point4_min(r, gz_point4_min(q, p));
    gz_point4 high = gz_point4_max(r, gz_point4_max(q, p));
    gz_d2 xy = {origin[0], origin[1]}, z = {origin[2], 0};
    low = (gz_point4){(low.xy - xy) * scale, (low.z - z) * scale};
    high = (gz_point4){(high.xy - xy) * -scale, (high.z - z) * -scale};
    gz_reference made = {.low = gz_rows_below(low), .high = -gz_rows_below(high)};
    uint32_t number = (uint32_t)t;
    float bits;
    memcpy(&bits, &number, sizeof bits);
    made.low[3] = bits;
    made.high[3] = 0;
    return made;
}

#endif
