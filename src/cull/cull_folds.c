// Two triangles of one object that have corners in common: are they in contact? See graze/cull.h
// for the rule: they are if they share any point beside these corners and what lies between.
//
// What two triangles share is convex, and so is what lies between the common corners, which is a
// part of it. The two are the same if all extreme points of the first are common corners: then what
// is shared lies between them. If one extreme point is none, the two share it, and it does not lie
// between common corners: an extreme point lies between others never.
//
// An extreme point that is a corner of one of the two is a common one if the other has a corner at
// the same place. All others are none, but for one case: two triangles without area, which are
// segments, cross in a corner that lies on the inside of both. Then this point is all that they
// share. So a single extreme point always is the common corner.
#include "cull/cull_state.h"
#include "geometry/features.h"

static bool has_corner(const graze_triangle *t, const double point[3])
{
    for (int i = 0; i < 3; ++i)
        if (t->corner[i][0] == point[0] && t->corner[i][1] == point[1] &&
            t->corner[i][2] == point[2])
            return true;
    return false;
}

bool gz_cull_folds(const graze_triangle *a, const graze_triangle *b)
{
    gz_corner corners[GZ_CORNERS_MOST];
    gz_simplex piece_a = gz_simplex_of(a), piece_b = gz_simplex_of(b);
    int count = gz_common_corners(&piece_a, &piece_b, GZ_CORNERS_MOST, corners);
    for (int i = 0; i < count && count > 1; ++i) {
        if (corners[i].kind == GZ_BRANCH_VERTEX_OF_A) {
            if (!has_corner(b, piece_a.vertex[corners[i].a]))
                return true;
        } else if (corners[i].kind == GZ_BRANCH_VERTEX_OF_B) {
            if (!has_corner(a, piece_b.vertex[corners[i].b]))
                return true;
        } else {
            return true;
        }
    }
    return false;
}
