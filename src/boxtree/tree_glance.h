// A glance at two posed trees, before anything is set up: one separating axis, the line of their
// middles. Are they apart along it, and if not, which children of the roots can have to do with
// each other?
#ifndef GZ_TREE_GLANCE_H
#define GZ_TREE_GLANCE_H

#include "boxtree/tree.h"

// Children of two roots, by a bit each: no triangle below another child is within the tolerance of
// any triangle of the other tree.
typedef struct gz_glance {
    uint32_t a, b;
} gz_glance;

// False if none of their triangles are within the tolerance. No tree may be empty. With an infinity
// or a NaN everything is near.
typedef bool gz_glance_kernel(const gz_tree *a, const graze_pose *pose_a, const gz_tree *b,
                              const graze_pose *pose_b, double tolerance, gz_glance *near);

// The same, by the kernel of a width.
bool gz_trees_near(graze_simd simd, const gz_tree *a, const graze_pose *pose_a, const gz_tree *b,
                   const graze_pose *pose_b, double tolerance, gz_glance *near);

#endif
