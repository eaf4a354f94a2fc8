// Overlap graphs by chance, of all the kinds that make trouble.
#ifndef TEST_GRAPH_SOUP_H
#define TEST_GRAPH_SOUP_H

#include "scene/overlap_graph.h"
#include "test.h"

enum { GRAPH_SOUP_KINDS = 9 };

// Kind 0: sparse; 1: complete; 2: a star; 3: a chain; 4: a grid; 5: hubs that share neighbours; 6:
// no edges; 7: two complete parts; 8: sparse, and nodes of no bytes or of very many. Each node is
// an object of its own. Give it back with gz_overlap_graph_free.
gz_overlap_graph graph_soup_make(graze_context *context, test_random *random, uint32_t kind,
                                 uint32_t node_count);
uint32_t *graph_soup_order(test_random *random, const gz_overlap_graph *graph); // free()
uint64_t graph_soup_bytes(const gz_overlap_graph *graph);                       // of all nodes

#endif
