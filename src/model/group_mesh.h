// The mesh of a group: what some clusters of one level are together, welded.
//
// Who adds the same clusters in the same order gets the same vertex numbers; the collapses of a
// group in a file rely on that.
#ifndef GZ_GROUP_MESH_H
#define GZ_GROUP_MESH_H

#include "model/cluster.h"
#include "simplify/welded_mesh.h"

// False when out of memory.
bool gz_group_mesh_add(gz_welded_mesh *mesh, const gz_cluster *cluster);

// A vertex of a cluster as a group sees it.
static inline void gz_group_position(const gz_cluster *cluster, uint32_t vertex, double out[3])
{
    for (int axis = 0; axis < 3; ++axis)
        out[axis] =
            (cluster->precision == GRAZE_FLOAT32 ? (double)cluster->position.narrow[vertex][axis]
                                                 : cluster->position.wide[vertex][axis]) +
            0.0; // -0 becomes 0
}

#endif
