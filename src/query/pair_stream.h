// Pairs of triangles in contact, shown one by one: no list is made, however many there are.
#ifndef GZ_PAIR_STREAM_H
#define GZ_PAIR_STREAM_H

#include "boxtree/tree_pairs.h"
#include "graze/query.h"

// Shows the visitor each pair that is at most the tolerance apart, in an order that depends on the
// two shapes only, and on which is a. The visitor may not use the query. `complete` says whether it
// has seen all of them.
// @return as graze_query_collide.
graze_status gz_pairs_show(graze_query *query, graze_posed a, graze_posed b, double tolerance,
                           const gz_pair_visitor *visitor, bool *complete);

#endif
