// Joins clusters to the mesh of a group. See group_mesh.h.
#include "model/group_mesh.h"

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
