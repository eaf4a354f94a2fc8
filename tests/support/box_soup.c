// Boxes by chance. See box_soup.h.
#include "box_soup.h"

#include <float.h>
#include <math.h>

static double any_huge(test_random *random)
{
    static const double huge[] = {-HUGE_VAL, HUGE_VAL, 1e300, -1e300, DBL_MAX, -DBL_MAX, 0.0, -0.0};
    return huge[test_next(random) % 8] * (test_next(random) % 2 == 0 ? 1 : 0.5);
}

static graze_box random_box(test_random *random, uint32_t kind, uint32_t index)
{
    graze_box box;
    uint32_t along = (uint32_t)(test_next(random) % 3);
    for (uint32_t axis = 0; axis < 3; ++axis) {
        double at = test_unit(random), size = 0;
        switch (kind) {
        case 0: size = 0.5 * pow(test_unit(random), 4); break;
        case 1:
            at = floor(6 * at);
            size = (double)(1 + test_next(random) % 2);
            break;
        case 2:
            at = 7;
            size = 1;
            break;
        case 3:
            at = fmin(any_huge(random), DBL_MAX);
            size = -at + fmax(at, any_huge(random));
            size = isnan(size) ? 0 : size;
            break;
        case 4:
            at = floor(5 * at);
            size = axis == along ? (double)(test_next(random) % 2) : 0;
            break;
        case 5: size = axis == along ? 0.6 : 0.01; break;
        case 6:
            at = 1e6 * at;
            size = 1;
            break;
        case 7:
            at = floor(8 * at) * DBL_TRUE_MIN;
            size = (double)(test_next(random) % 2) * DBL_TRUE_MIN;
            break;
        default:
            at = axis == 0 ? index : 0;
            size = 1;
            break;
        }
        box.min[axis] = at;
        box.max[axis] = fmax(at, at + size);
    }
    return box;
}

graze_box box_soup_next(test_random *random, uint32_t kind, uint32_t index)
{
    graze_box box = random_box(random, kind, index);
    if (kind != 2 && test_next(random) % 16 == 0) { // empty, in one way or another
        uint64_t axis = test_next(random) % 4;
        if (axis == 3 || !(box.max[axis] < HUGE_VAL))
            return graze_box_empty();
        box.min[axis] = HUGE_VAL;
    }
    return box;
}
