// Trees of shapes, held while a question is answered: of shapes that are built lazily, in a state
// in which all is there that the question can have to do with.
#ifndef GZ_HOLD_H
#define GZ_HOLD_H

#include "query/shape_tree.h"

typedef struct gz_hold {
    const graze_shape *shape[2];
    const gz_lazy_state *state[2]; // NULL for shapes that are not lazy
    const gz_tree *tree[2];
} gz_hold;

// What follows, where a shape is lazy. A tolerance below 0 asks for one part of each.
graze_status gz_hold_parts(gz_hold *hold, const graze_shape *a, const graze_pose *pose_a,
                           const graze_shape *b, const graze_pose *pose_b, double tolerance);
void gz_hold_drop(gz_hold *hold);

// Parts that are missing are proved to be farther from the other shape than the tolerance. A hold
// that is held already may be renewed; it ends with gz_hold_end, also after a failure.
static inline graze_status gz_hold_near(gz_hold *hold, const graze_shape *a,
                                        const graze_pose *pose_a, const graze_shape *b,
                                        const graze_pose *pose_b, double tolerance)
{
    hold->tree[0] = &a->tree;
    hold->tree[1] = &b->tree;
    if (a->lazy == NULL && b->lazy == NULL)
        return GRAZE_OK;
    return gz_hold_parts(hold, a, pose_a, b, pose_b, tolerance);
}

// At least one part of each, so that there is a distance.
static inline graze_status gz_hold_some(gz_hold *hold, const graze_shape *a,
                                        const graze_pose *pose_a, const graze_shape *b,
                                        const graze_pose *pose_b)
{
    return gz_hold_near(hold, a, pose_a, b, pose_b, -1);
}

static inline void gz_hold_end(gz_hold *hold)
{
    if (hold->state[0] != NULL || hold->state[1] != NULL)
        gz_hold_drop(hold);
}

static inline bool gz_hold_is_whole(const gz_hold *hold)
{
    return (hold->state[0] == NULL || hold->state[0]->complete) &&
           (hold->state[1] == NULL || hold->state[1]->complete);
}

// The whole tree, which stays as long as the shape does.
graze_status gz_shape_whole(const graze_shape *shape, const gz_tree **tree);

#endif
