// The counters of branches.h and their names.
#include "geometry/branches.h"

_Thread_local uint64_t gz_branch_count[GZ_BRANCH_COUNT] __attribute__((tls_model("initial-exec")));

const char *gz_branch_name(gz_branch branch)
{
    static const char *const names[GZ_BRANCH_COUNT] = {
        [GZ_BRANCH_ORIENT2D_SMALL] = "orient2d in 64 bits",
        [GZ_BRANCH_ORIENT3D_SMALL] = "orient3d in 64 bits",
        [GZ_BRANCH_ORIENT2D_EXACT] = "orient2d exact",
        [GZ_BRANCH_ORIENT3D_EXACT] = "orient3d exact",
        [GZ_BRANCH_WIDE_NUMBERS] = "wide numbers",
        [GZ_BRANCH_MEET_BY_SIGNS] = "meet by signs",
        [GZ_BRANCH_MEET_BY_FEATURES] = "meet by features",
        [GZ_BRANCH_VERTEX_OF_A] = "vertex of A in B",
        [GZ_BRANCH_VERTEX_OF_B] = "vertex of B in A",
        [GZ_BRANCH_EDGE_OF_A_IN_FACE] = "edge of A through B",
        [GZ_BRANCH_EDGE_OF_B_IN_FACE] = "edge of B through A",
        [GZ_BRANCH_EDGES_CROSS] = "edges cross",
        [GZ_BRANCH_POINT_A] = "A is a point",
        [GZ_BRANCH_SEGMENT_A] = "A is a segment",
        [GZ_BRANCH_POINT_B] = "B is a point",
        [GZ_BRANCH_SEGMENT_B] = "B is a segment",
        [GZ_BRANCH_WITHIN_EXACT] = "tolerance compared exactly",
        [GZ_BRANCH_VERTEX_VERTEX] = "distance vertex-vertex",
        [GZ_BRANCH_VERTEX_EDGE] = "distance vertex-edge",
        [GZ_BRANCH_VERTEX_FACE] = "distance vertex-face",
        [GZ_BRANCH_EDGE_EDGE] = "distance edge-edge",
        [GZ_BRANCH_ROUND_SUBNORMAL] = "rounded to subnormal",
        [GZ_BRANCH_ROUND_OVERFLOW] = "rounded to infinity",
        [GZ_BRANCH_BATCH_UNSURE] = "wide filter unsure",
    };
    return names[branch];
}
