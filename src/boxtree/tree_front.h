// What a question about two trees leaves for the next one, when the poses change little.
//
// A front is a list of pairs of triangles, made at a pose in the past: all that were not proved to
// be farther apart than the tolerance and a reach. While nothing has moved by more than the reach
// since, relative to each other, every pair in contact is on the list. Most of those that are in
// contact stay so whatever moves by no more than the reach: the float test proves it. These need no
// test; the others on the list are all that must be tested. Where one pair of two leaves will do,
// the list ends, for each two leaves, with the first pair that stays in contact; all are tested. So
// a front saves time and never changes an answer.
#ifndef GZ_TREE_FRONT_H
#define GZ_TREE_FRONT_H

#include "boxtree/tree_pairs.h"

typedef struct gz_front {
    gz_place_list places;    // to be tested; pairs of the same leaves stand together
    gz_place_list sure;      // in contact
    gz_pair_list sure_pairs; // the same, sorted
    gz_pair_list spare;      // for sorting
    uint64_t tree_a, tree_b; // serial numbers: 0 for none
    double tolerance, reach;
    bool one_each;  // as of the wish
    gz_frames made; // the frames it was made in
    gz_frames last; // those of the last question, to tell how fast things move
    bool usable;    // the list is there
    uint64_t uses;  // questions that it answered
} gz_front;

void gz_front_free(graze_context *context, gz_front *front);

// Answers a question with the help of the query's front, and keeps the front up to date. Sets
// query->with_sure if the sorted sure pairs are to be added to those in the query's list.
graze_status gz_front_run(gz_pair_query *query, const gz_pair_wish *wish);

#endif
