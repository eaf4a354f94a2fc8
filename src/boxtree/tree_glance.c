// Hands a glance to the kernel of the right width. See tree_glance.h.
#include "boxtree/tree_glance.h"

#include "base/width.h"

gz_glance_kernel gz_glance_kernel_scalar;
#if !defined(GZ_SCALAR_ONLY)
gz_glance_kernel gz_glance_kernel_baseline, gz_glance_kernel_avx2, gz_glance_kernel_avx512;
#endif

bool gz_trees_near(graze_simd simd, const gz_tree *a, const graze_pose *pose_a, const gz_tree *b,
                   const graze_pose *pose_b, double tolerance, gz_glance *near)
{
    return GZ_FOR_WIDTH(simd, gz_glance_kernel)(a, pose_a, b, pose_b, tolerance, near);
}
