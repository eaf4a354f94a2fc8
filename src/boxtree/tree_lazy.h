// A tree that is built where it is asked about.
//
// Its triangles are cut down to subtrees at once, and a subtree is grown when something may be near
// it. What there is at a time is a state: a tree that never changes, in which a node without
// children stands for each subtree that is not grown yet. A question holds a state in which all is
// grown that it can have to do with, so that walks need not know of any of this. States have serial
// numbers of their own, so fronts are dropped when something has been grown.
#ifndef GZ_TREE_LAZY_H
#define GZ_TREE_LAZY_H

#include "boxtree/tree_frames.h"

typedef struct gz_lazy gz_lazy;

// What a lazy tree is at a time.
typedef struct gz_lazy_state {
    gz_tree tree;
    uint32_t users;  // guarded by the lazy tree's lock
    bool complete;   // nothing is missing
    uint8_t grown[]; // one for each subtree
} gz_lazy_state;

// Copies what it needs of the view. `frame` is the frame of the tree, and is not kept.
graze_status gz_lazy_create(graze_context *context, const graze_mesh_view *view,
                            const gz_tree *frame, gz_lazy **lazy);
void gz_lazy_free(gz_lazy *lazy); // accepts NULL; nobody holds it
uint64_t gz_lazy_bytes(gz_lazy *lazy);

// The state at present. Any number of threads may hold states; each is given back once.
const gz_lazy_state *gz_lazy_pin(gz_lazy *lazy);
void gz_lazy_unpin(gz_lazy *lazy, const gz_lazy_state *state);

// Parts and their boxes in the frame of the model; they stay the same.
uint32_t gz_lazy_subtree_count(const gz_lazy *lazy);
const gz_middle *gz_lazy_boxes(const gz_lazy *lazy);

// Grows the subtrees that are marked, one byte each; NULL: all. States held later have them. If
// that fails, there is a sentence about it, and nothing has changed.
graze_status gz_lazy_grow(gz_lazy *lazy, const uint8_t *wanted);

// The whole tree, NULL while something is missing. It stays as long as the lazy tree does.
const gz_tree *gz_lazy_whole(gz_lazy *lazy);

// Takes the whole tree out of a complete one that nobody holds, which is then freed.
void gz_lazy_take(gz_lazy *lazy, gz_tree *tree);

// A box of rows in the frame of the model: they are exact there, but for a rounding.
gz_middle gz_rows_middle(const gz_tree *frame, const float low[3], const float high[3]);

#endif
