// Joins clusters to the mesh of a group. See group_mesh.h.
#include "model/group_mesh.h"

#include <string.h>

bool gz_group_mesh_add(gz_welded_mesh *mesh, const gz_cluster *cluster)
{
    uint32_t place[GZ_CLUSTER_VERTICES];
    uint32_t(*corners)[3] = gz_list_push(mesh->context, &mesh->corners, cluster->triangle_count);
    if (corners == NULL)
        return false;
    for (uint32_t v = 0; v < cluster->vertex_count; ++v) {
        double position[3];
        gz_group_position(cluster, v, position);
        place[v] = gz_welded_mesh_place(mesh, position);
        if (place[v] == UINT32_MAX)
            return false;
    }
    for (uint32_t i = 0; i < cluster->triangle_count; ++i)
        for (int c = 0; c < 3; ++c)
            corners[i][c] = place[cluster->corner[i][c]];
    return true;
}

static bool is_hair(const uint32_t corner[3])
{
    return corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0];
}

// Corners that were apart still are.
static bool is_there(const uint32_t before[3], const uint32_t now[3])
{
    for (int k = 0; k < 3; ++k)
        if (before[k] != before[(k + 1) % 3] && now[k] == now[(k + 1) % 3])
            return false;
    return true;
}

uint32_t gz_group_mesh_collapse(const gz_patch *patch, const gz_collapse *collapses, uint64_t count,
                                uint32_t *place, uint32_t (*corner)[3], uint32_t *kept)
{
    uint32_t left = gz_collapse_apply(patch, collapses, count, place, corner, kept), hairs = 0;
    for (uint32_t t = 0; t < patch->triangle_count; ++t)
        hairs += is_hair(patch->corner[t]);
    bool few = hairs <= patch->triangle_count / 8;
    for (uint32_t t = 0; t < patch->triangle_count && hairs != 0 && few; ++t) {
        const uint32_t *before = patch->corner[t];
        uint32_t now[3] = {place[before[0]], place[before[1]], place[before[2]]};
        if (!is_hair(before) || !is_there(before, now))
            continue;
        memcpy(corner[left], now, sizeof now);
        kept[left++] = t;
    }
    if (left == 0 && patch->triangle_count != 0) {
        memcpy(corner[0], patch->corner[0], sizeof corner[0]);
        kept[left++] = 0;
    }
    return left;
}
