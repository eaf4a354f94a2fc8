// The mesh of a group: what some clusters of one level are together, welded.
//
// Who adds the same clusters in the same order gets the same vertex numbers; the collapses of a
// group in a file rely on that.
#ifndef GZ_GROUP_MESH_H
#define GZ_GROUP_MESH_H

#include "model/cluster.h"
#include "simplify/simplify.h"
#include "simplify/welded_mesh.h"

// False when out of memory.
bool gz_group_mesh_add(gz_welded_mesh *mesh, const gz_cluster *cluster);

// The mesh of a group after some collapses: what gz_collapse_apply leaves, and behind that
// triangles that had two or three equal corners from the beginning, as long as they are few, at
// most an eighth of all. They vanish when their ends become one. Without that, one hair far from
// all else would hold its group up, and with it all above. Where nothing would be left, the first
// triangle stays.
// @param place, corner, kept  as for gz_collapse_apply.
uint32_t gz_group_mesh_collapse(const gz_patch *patch, const gz_collapse *collapses, uint64_t count,
                                uint32_t *place, uint32_t (*corner)[3], uint32_t *kept);

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
