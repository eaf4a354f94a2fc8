// Pins the trees of two shapes of one part while a question is answered. Of a tree that grows it is
// a state in which all is there that the question can have to do with.
#ifndef GZ_TREE_PINS_H
#define GZ_TREE_PINS_H

#include "graze/query.h"
#include "query/shape_parts.h"

typedef struct gz_tree_pins {
    const graze_shape *shape[2];
    const gz_lazy_state *state[2]; // NULL for trees that do not grow
    const gz_tree *tree[2];
} gz_tree_pins;

// What follows, where a tree grows. A tolerance below 0 asks for some of each.
graze_status gz_pin_grown(gz_tree_pins *pins, graze_posed a, graze_posed b, double tolerance);
void gz_unpin_grown(gz_tree_pins *pins);

// What is missing is proved to be farther from the other shape than the tolerance. Pins may be
// renewed; they end with gz_pin_end, also after a failure.
static inline graze_status gz_pin_near(gz_tree_pins *pins, graze_posed a, graze_posed b,
                                       double tolerance)
{
    pins->tree[0] = &a.shape->tree;
    pins->tree[1] = &b.shape->tree;
    if (a.shape->lazy == NULL && b.shape->lazy == NULL)
        return GRAZE_OK;
    return gz_pin_grown(pins, a, b, tolerance);
}

// Some of each, so that there is a distance.
static inline graze_status gz_pin_some(gz_tree_pins *pins, graze_posed a, graze_posed b)
{
    return gz_pin_near(pins, a, b, -1);
}

static inline void gz_pin_end(gz_tree_pins *pins)
{
    if (pins->state[0] != NULL || pins->state[1] != NULL)
        gz_unpin_grown(pins);
}

static inline bool gz_pin_is_whole(const gz_tree_pins *pins)
{
    return (pins->state[0] == NULL || pins->state[0]->complete) &&
           (pins->state[1] == NULL || pins->state[1]->complete);
}

// The whole tree of a shape of one part, NULL while some of it is missing. Of a shape whose
// closedness is known it is never missing.
static inline const gz_tree *gz_whole_now(const graze_shape *shape)
{
    return shape->lazy == NULL ? &shape->tree : gz_lazy_whole(shape->lazy);
}

#endif
