// Compares bounds of levels of detail. See tightness.h.
#include "tightness.h"

#include <math.h>
#include <stdlib.h>

#include "model/model_file.h"

#define PLANAR 0x1p-18

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static double size_of(const gz_model_header *h)
{
    double size = 0;
    for (int axis = 0; axis < 3; ++axis)
        size = fmax(size, h->box[3 + axis] - h->box[axis]);
    return size;
}

bool tightness_compare(const graze_model *usual, const graze_model *tight, bool backward,
                       tightness *out)
{
    uint32_t groups = usual->header.group_count;
    double least = PLANAR * size_of(&usual->header);
    *out = (tightness){malloc(((size_t)groups * GZ_GROUP_STEPS + 1) * sizeof(double)), 0};
    if (out->ratio == NULL || tight->header.group_count != groups)
        return false;
    for (uint32_t g = 0; g < groups; ++g) {
        const gz_group_entry *a = &usual->groups[g], *b = &tight->groups[g];
        if (a->step_count != b->step_count)
            return false;
        for (uint32_t i = 0; i < a->step_count; ++i) {
            const gz_group_step *u = &a->steps[i], *v = &b->steps[i];
            double bound = (double)(backward ? u->backward : u->forward);
            double truth = (double)(backward ? v->backward : v->forward);
            if (u->triangle_count != v->triangle_count)
                return false;
            if (truth > least)
                out->ratio[out->count++] = bound / truth * TIGHTNESS_ABOVE;
        }
    }
    qsort(out->ratio, out->count, sizeof(double), by_value);
    return true;
}

double tightness_part(const tightness *t, double part)
{
    return t->count == 0 ? 0 : t->ratio[(uint32_t)(part * (t->count - 1))];
}
