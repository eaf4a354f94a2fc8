// Boxes by chance, of all the kinds that make trouble, for tests of scenes.
#ifndef TEST_BOX_SOUP_H
#define TEST_BOX_SOUP_H

#include "graze/geometry.h"
#include "test.h"

enum { BOX_SOUP_KINDS = 9 };

// Kind 0: of many sizes; 1: on a lattice, many touch; 2: all the same; 3: 1e300 away and infinite;
// 4: points and sheets on a lattice; 5: long ones, crossing; 6: far apart; 7: subnormal numbers; 8:
// in a row, each touching the next. A box in sixteen is empty, but for kind 2.
graze_box box_soup_next(test_random *random, uint32_t kind, uint32_t index);

#endif
