// Two triangles: do they meet, where, and how far apart are they?
#include <stdio.h>

#include "graze/graze.h"

int main(void)
{
    graze_triangle floor_tile = {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}};
    graze_triangle spike = {{{1, 1, 0}, {1, 1, 3}, {2, 1, 3}}}; // its tip just touches the tile

    printf("they meet: %s\n", graze_triangle_meet(&floor_tile, &spike) ? "yes" : "no");

    graze_intersection common;
    graze_triangle_intersect(&floor_tile, &spike, &common);
    printf("in %u point: %g %g %g\n", common.point_count, common.point[0][0], common.point[0][1],
           common.point[0][2]);

    for (int corner = 0; corner < 3; ++corner)
        spike.corner[corner][2] += 1e-300; // lifted by next to nothing
    graze_closest closest;
    graze_triangle_closest(&floor_tile, &spike, &closest);
    printf("now they meet: %s\n", graze_triangle_meet(&floor_tile, &spike) ? "yes" : "no");
    printf("the distance is %g\n", closest.distance);
    printf("within 1e-300: %s\n",
           graze_triangle_within(&floor_tile, &spike, 1e-300) ? "yes" : "no");
    return 0;
}
