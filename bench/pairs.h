// Workloads for bench_triangles: pairs of triangles whose boxes overlap, as the leaves of two trees
// hand them over. The same pairs on every machine. See peers/peer.h for how they are laid out.
#ifndef GRAZE_BENCH_PAIRS_H
#define GRAZE_BENCH_PAIRS_H

#include "graze/geometry.h"
#include "peers/peer.h"

typedef struct pair_set {
    const char *name, *about;
    double tolerance; // for questions about distance: what is asked in this scene
} pair_set;

extern const pair_set pair_sets[]; // ends with a NULL name

typedef struct pair_list {
    peer_pairs pairs;
    graze_triangle *a, *b;
    uint32_t *group_begin, *group_word;
    uint32_t *meet, *within; // the true answers, as engines give them
} pair_list;

// About pair_count pairs. The answers come from rational arithmetic, not from graze.
// @return 0 where memory ran out.
int pair_list_make(const char *name, uint32_t pair_count, pair_list *out);
void pair_list_free(pair_list *list);

#endif
