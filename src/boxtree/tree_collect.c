// Collects the vertices of triangles that are to be a leaf. See tree_leaf.h.
#include "base/context.h"
#include "boxtree/tree_leaf.h"
#include "boxtree/tree_reference.h"

// Numbers of corners, or of those that have the same position: each is looked up among all of them
// at once, so that none waits for another, and nothing is guessed.
typedef struct corner_list {
    uint32_t number[3 * GZ_LEAF];
    uint32_t count;
} __attribute__((aligned(16))) corner_list;

static uint32_t find_first(const corner_list *list, uint32_t number)
{
    uint64_t bits = gz_equal16(list->number, number);
    bits |= (uint64_t)gz_equal16(list->number + GZ_LEAF, number) << GZ_LEAF;
    bits |= (uint64_t)gz_equal16(list->number + 2 * GZ_LEAF, number) << 2 * GZ_LEAF;
    return (uint32_t)__builtin_ctzll(bits);
}

static bool number_vertices(const corner_list *list, gz_leaf_list *out)
{
    uint32_t unique[3 * GZ_LEAF], count = 0;
    uint8_t slot[3 * GZ_LEAF];
    for (uint32_t i = 0; i < list->count; ++i) {
        uint32_t first = find_first(list, list->number[i]);
        slot[i] = (uint8_t)count;
        unique[count] = list->number[i];
        count += first == i;
        slot[i] = slot[first];
        out->corner[i % 3][i / 3] = slot[i];
    }
    out->count = count;
    if (count > GZ_LEAF)
        return false;
    memcpy(out->vertex, unique, count * sizeof *unique);
    return true;
}

static void read_position(const graze_mesh_view *view, uint32_t vertex, double out[3])
{
    gz_point4 p = gz_vertex_at(view, vertex);
    out[0] = p.xy[0];
    out[1] = p.xy[1];
    out[2] = p.z[0];
}

// Where triangles do not share vertices, but positions: numbers become those of the first that is
// in the same place.
static bool join_positions(const graze_mesh_view *view, corner_list *list)
{
    double found[GZ_LEAF][3];
    uint32_t number[GZ_LEAF], count = 0;
    for (uint32_t i = 0; i < list->count; ++i) {
        double p[3];
        uint32_t v = 0;
        read_position(view, list->number[i], p);
        while (v < count && !gz_same_bits(found[v], p))
            ++v;
        if (v == GZ_LEAF)
            return false;
        if (v == count) {
            number[count] = list->number[i];
            memcpy(found[count++], p, sizeof p);
        }
        list->number[i] = number[v];
    }
    return true;
}

bool gz_leaf_collect(const graze_mesh_view *view, const uint32_t *triangles, uint32_t count,
                     gz_leaf_list *out)
{
    corner_list list = {.count = 3 * count};
    for (uint32_t t = 0; t < count; ++t)
        memcpy(list.number + 3 * t, view->corners + 3 * (uint64_t)triangles[t],
               3 * sizeof *list.number);
    for (uint32_t i = list.count; i < 3 * GZ_LEAF; ++i)
        list.number[i] = list.number[0];
    return number_vertices(&list, out) ||
           (join_positions(view, &list) && number_vertices(&list, out));
}

void gz_leaf_read(const graze_mesh_view *view, const gz_leaf_list *list, gz_leaf_vertices *out)
{
    GZ_ASSERT(list->count != 0);
    out->count = list->count;
    memcpy(out->corner, list->corner, sizeof out->corner);
    for (uint32_t i = 0; i < list->count; ++i) {
        double p[3];
        read_position(view, list->vertex[i], p);
        for (int axis = 0; axis < 3; ++axis)
            out->position[axis][i] = p[axis];
    }
}
