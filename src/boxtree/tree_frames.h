// Two trees in poses of their own, ready to be compared in one frame: A's.
#ifndef GZ_TREE_FRAMES_H
#define GZ_TREE_FRAMES_H

#include "boxtree/tree_glance.h"
#include "graze/query.h"

// Set up in double once for each question. Floats are in the units of A's rows, or of B's.
typedef struct gz_frames {
    const gz_tree *a, *b;
    graze_pose pose_a, pose_b;
    double matrix[9], shift[4];        // from B's model frame to A's; a zero follows
    double column[3][4];               // of the matrix, each followed by a zero
    double error;                      // of a posed and transformed coordinate, in A's model units
    double reach;                      // a tolerance in A's model units, rounded up
    float forth[9], back[9];           // from B's rows to A's and back
    float forth_low[3], forth_high[3]; // shift - margin, -shift - margin
    float back_low[3], back_high[3];
    float origin_b[3]; // B's origin in A's rows
    float turn[9];     // from normals of B's slabs to A's directions
    float ratio;       // from lengths in B's rows to A's
    float slack;       // how far heights along a normal of either may be off, and the tolerance
    gz_glance near;    // as tree_glance.h has it; set by who asks for it
    bool bare;         // spreads of leaves do not count, which is for who asks to change
    bool sound;        // false: too large or too small for floats; nothing but exact tests is safe
} gz_frames;

// Boxes are made wider by the tolerance. No tree may be empty.
void gz_frames_set(gz_frames *frames, const gz_tree *a, const graze_pose *pose_a, const gz_tree *b,
                   const graze_pose *pose_b, double tolerance);

// Two boxes, each in the frame of its pose: are they proved to be farther apart than the tolerance?
typedef struct gz_middle {
    double origin[3], half[3]; // the box is origin +- half
} gz_middle;
bool gz_boxes_far(const gz_middle *a, const graze_pose *pose_a, const gz_middle *b,
                  const graze_pose *pose_b, double tolerance);
// How far they are apart at least. With an infinity or a NaN: 0.
double gz_boxes_gap(const gz_middle *a, const graze_pose *pose_a, const gz_middle *b,
                    const graze_pose *pose_b);
static inline gz_middle gz_tree_middle(const gz_tree *tree)
{
    gz_middle m;
    for (int axis = 0; axis < 3; ++axis) {
        m.origin[axis] = tree->origin[axis];
        m.half[axis] = tree->half[axis];
    }
    return m;
}

// Two triangles in the world, posed as graze_pose_apply does it.
void gz_frames_triangles(const gz_frames *frames, uint32_t leaf_a, uint32_t slot_a, uint32_t leaf_b,
                         uint32_t slot_b, graze_triangle *a, graze_triangle *b);

// The order of pairs: by the first number, then by the second.
static inline bool gz_pair_before(graze_pair p, graze_pair q)
{
    return p.a != q.a ? p.a < q.a : p.b < q.b;
}

// Numbers of two triangles in their meshes.
static inline graze_pair gz_frames_pair(const gz_frames *frames, uint32_t leaf_a, uint32_t slot_a,
                                        uint32_t leaf_b, uint32_t slot_b)
{
    return (graze_pair){frames->a->order[gz_tree_leaf_first(frames->a, leaf_a) + slot_a],
                        frames->b->order[gz_tree_leaf_first(frames->b, leaf_b) + slot_b]};
}

#endif
