// Cuts boxes by planes, face by face. See box_cut.h.
//
// A corner of what two planes leave of a box lies on some face of the box, since it takes three
// planes to make a corner. So it is enough to cut the six faces, as polygons.
#include "query/box_cut.h"

#include <string.h>

#define MOST 8 // corners of a face: four, and one more for each cut

typedef struct face {
    double corner[MOST][3];
    int count;
} face;

static face face_of(const graze_box *box, int axis, bool upper)
{
    static const bool way[4][2] = {{false, false}, {true, false}, {true, true}, {false, true}};
    face f = {.count = 4};
    int next = (axis + 1) % 3, last = (axis + 2) % 3;
    for (int k = 0; k < 4; ++k) {
        f.corner[k][axis] = (upper ? box->max : box->min)[axis];
        f.corner[k][next] = (way[k][0] ? box->max : box->min)[next];
        f.corner[k][last] = (way[k][1] ? box->max : box->min)[last];
    }
    return f;
}

static double height_over(const gz_half_space *plane, const double p[3])
{
    return plane->normal[0] * p[0] + plane->normal[1] * p[1] + plane->normal[2] * p[2] -
           plane->height;
}

static face cut_face(const face *whole, const gz_half_space *plane)
{
    face left = {.count = 0};
    for (int k = 0; k < whole->count; ++k) {
        const double *p = whole->corner[k], *q = whole->corner[(k + 1) % whole->count];
        double here = height_over(plane, p), there = height_over(plane, q);
        if (here <= 0 && left.count < MOST)
            memcpy(left.corner[left.count++], p, 3 * sizeof *p);
        if ((here <= 0) == (there <= 0) || left.count == MOST)
            continue;
        double t = here / (here - there), *cut = left.corner[left.count++];
        for (int i = 0; i < 3; ++i)
            cut[i] = p[i] + t * (q[i] - p[i]);
    }
    return left;
}

int gz_box_cut(const graze_box *box, const gz_half_space *planes, int plane_count,
               double points[GZ_CUT_POINTS][3])
{
    int count = 0;
    for (int side = 0; side < 6; ++side) {
        if (plane_count == 0 && side != 0 && side != 3)
            continue; // two opposite faces have all corners
        face f = face_of(box, side % 3, side >= 3);
        for (int i = 0; i < plane_count; ++i)
            f = cut_face(&f, &planes[i]);
        memcpy(points[count], f.corner, sizeof *f.corner * (size_t)f.count);
        count += f.count;
    }
    return count;
}
