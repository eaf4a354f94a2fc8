// Does the driver draw as it must? Boxes of all kinds, looked at in every way, beside the truth.
//
// What a look finds can be told from the boxes alone: one is hidden if an earlier object has a box
// that shares a pixel with it and whose front is not behind its back. So a driver that rounds worse
// than OpenGL allows, loses thin boxes, or takes fragments out of order is found out before it is
// believed, and not used. It costs a few milliseconds, once.
#ifdef GZ_HAVE_OPENGL
#include "cull/opengl_check.h"

#include <string.h>

#include "base/memory.h"

enum { BOXES = 192, OBJECTS = 24 };

typedef struct numbers {
    uint64_t state;
} numbers;
static uint32_t next_below(numbers *n, uint32_t limit)
{
    n->state = n->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(((n->state >> 32) * limit) >> 32);
}

// One pixel, a row, a column, or more; depths so close that a rounded level shows.
static gz_view_box some_box(numbers *n, uint32_t resolution)
{
    uint32_t kind = next_below(n, 4);
    uint32_t wide = kind & 1 ? next_below(n, resolution / 2) : 0;
    uint32_t tall = kind & 2 ? next_below(n, resolution / 2) : 0;
    uint32_t left = next_below(n, resolution - wide), low = next_below(n, resolution - tall);
    uint32_t ends[3] = {0, GZ_VIEW_LEVELS / 2, GZ_VIEW_LEVELS - 16};
    uint32_t front = ends[next_below(n, 3)] + next_below(n, 12);
    return (gz_view_box){(uint16_t)left, (uint16_t)(left + wide),
                         (uint16_t)low,  (uint16_t)(low + tall),
                         front,          front + next_below(n, 4)};
}

static bool hides(const gz_view_box *a, const gz_view_box *b) // a hides something of b
{
    return a->left <= b->right && b->left <= a->right && a->low <= b->high && b->low <= a->high &&
           a->front <= b->back;
}

static void tell(const gz_view_box *boxes, const gz_viewed_object *objects, uint8_t *freed)
{
    memset(freed, GZ_VIEW_FREE_OF_EARLIER | GZ_VIEW_FREE_OF_LATER, BOXES);
    for (uint32_t a = 0; a < OBJECTS; ++a)
        for (uint32_t b = a + 1; b < OBJECTS; ++b)
            for (uint32_t i = objects[a].first; i < objects[a].end; ++i)
                for (uint32_t k = objects[b].first; k < objects[b].end; ++k) {
                    if (hides(&boxes[i], &boxes[k]))
                        freed[k] &= (uint8_t)~GZ_VIEW_FREE_OF_EARLIER;
                    if (hides(&boxes[k], &boxes[i]))
                        freed[i] &= (uint8_t)~GZ_VIEW_FREE_OF_LATER;
                }
}

static void from_back_to_front(gz_view_box *boxes, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i)
        for (uint32_t k = i; k > 0 && boxes[k].back > boxes[k - 1].back; --k) {
            gz_view_box swap = boxes[k];
            boxes[k] = boxes[k - 1];
            boxes[k - 1] = swap;
        }
}

bool gz_views_check(gz_views *views)
{
    gz_view_box boxes[BOXES];
    gz_viewed_object objects[OBJECTS];
    uint8_t found[BOXES], truth[BOXES];
    numbers n = {1};
    for (uint32_t i = 0; i < BOXES; ++i)
        boxes[i] = some_box(&n, gz_views_resolution(views));
    for (uint32_t i = 0; i < OBJECTS; ++i) {
        uint32_t first = i * BOXES / OBJECTS, end = (i + 1) * BOXES / OBJECTS;
        objects[i] = (gz_viewed_object){first, first, end, end};
        from_back_to_front(boxes + first, end - first);
    }
    tell(boxes, objects, truth);
    for (graze_cull_passes passes = GRAZE_CULL_QUERIES; passes <= GRAZE_CULL_ZFAIL; ++passes) {
        if (gz_views_look(views, passes, boxes, BOXES, objects, OBJECTS, false, found) != GRAZE_OK)
            return false;
        for (uint32_t i = 0; i < BOXES; ++i)
            if ((found[i] & ~truth[i]) != 0) // more would be settled than is true
                return false;
    }
    return true;
}
#else
typedef int gz_no_opengl_check; // a file with nothing in it is not C
#endif
