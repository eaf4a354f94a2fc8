// Where two objects meet, told apart by distance. See clash_places.h.
//
// Pairs of triangles in contact lie along curves, each near the one before or one that came
// earlier. Their boxes are joined where they are near for their size: small ones only where they
// all but touch, so that a curve that is seen in bits is several places at first, and one at last.
// What goes through a wall meets it where it comes in and where it goes out: that is one place, so
// what is no farther away than a wall is thick is near, too.
#include "scene/clash_places.h"

#include <math.h>

static double diagonal_of(const graze_box *box)
{
    double x = box->max[0] - box->min[0], y = box->max[1] - box->min[1],
           z = box->max[2] - box->min[2];
    return sqrt(x * x + y * y + z * z);
}

// How far two boxes are from being near: 0 and less if they are.
static double apartness(const gz_places *places, const graze_box *a, const graze_box *b)
{
    return graze_box_distance(a, b) - fmax(fmax(diagonal_of(a), diagonal_of(b)) / 2, places->near);
}

// The two that are nearest to being one.
static double nearest_two(const gz_places *places, uint32_t *first, uint32_t *second)
{
    double best = HUGE_VAL;
    for (uint32_t i = 0; i < places->count; ++i)
        for (uint32_t j = i + 1; j < places->count; ++j) {
            double apart = apartness(places, &places->box[i], &places->box[j]);
            if (apart < best) {
                best = apart;
                *first = i;
                *second = j;
            }
        }
    return best;
}

static void join_two(gz_places *places, uint32_t first, uint32_t second)
{
    places->box[first] = graze_box_join(&places->box[first], &places->box[second]);
    places->box[second] = places->box[--places->count];
}

void gz_places_settle(gz_places *places)
{
    uint32_t first = 0, second = 0;
    while (places->count > 1 && nearest_two(places, &first, &second) <= 0)
        join_two(places, first, second);
}

void gz_places_add(gz_places *places, const graze_box *more)
{
    uint32_t first = 0, second = 0;
    if (more->min[0] > more->max[0])
        return;
    for (uint32_t i = 0; i < places->count; ++i)
        if (apartness(places, &places->box[i], more) <= 0) {
            places->box[i] = graze_box_join(&places->box[i], more);
            return;
        }
    if (places->count == GZ_PLACES_MOST) {
        nearest_two(places, &first, &second);
        join_two(places, first, second);
    }
    places->box[places->count++] = *more;
}
