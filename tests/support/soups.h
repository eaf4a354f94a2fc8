// Two small soups in poses, and the truth about all their pairs of triangles: posed by plain
// arithmetic of our own and decided by the oracle, with nothing of the library in between.
#ifndef GZ_SOUPS_H
#define GZ_SOUPS_H

#include <stdbool.h>

#include "test.h"

enum { SOUP_TRIANGLES = 200 };

// Triangles on a few vertices, on a grid or anywhere; some degenerate, some doubled.
typedef struct soup {
    graze_mesh_view view;
    double position[3 * 3 * SOUP_TRIANGLES + 6];
    float narrow[3 * 3 * SOUP_TRIANGLES + 6];
    uint32_t corner[3 * SOUP_TRIANGLES];
} soup;

double soup_between(test_random *random, double low, double high);
void soup_make(test_random *random, soup *s, uint32_t triangle_count, double scale, double offset,
               bool narrow);
graze_pose soup_pose(test_random *random, double reach);
// Makes its rotation as wrong as one may be: 1 too long, 2 too short, 3 slanted.
void soup_bend(graze_pose *pose, uint64_t kind);
// A triangle in the world, by plain arithmetic.
graze_triangle soup_triangle(const soup *s, uint32_t t, const graze_pose *pose);
// None, one that whole distances on a grid reach exactly, or any.
double soup_tolerance(test_random *random, double scale);

// Two soups and a question, varied by the seed: sizes, scales from 2^-600 to 2^600, far from the
// origin, tiny beside large, in one pose, turned, touching.
typedef struct soup_case {
    soup a, b;
    graze_pose pose_a, pose_b;
    double tolerance;
    uint64_t seed, contacts;
    bool contact[SOUP_TRIANGLES][SOUP_TRIANGLES]; // of triangles of a and b
} soup_case;

void soup_case_make(soup_case *c, uint64_t seed, uint32_t most);
void soup_case_solve(soup_case *c); // by the oracle
// The true closest pair, of equal ones the first by numbers; fails the test unless the distance is
// within one ulp of theirs.
graze_pair soup_case_closest(const soup_case *c, double distance);
// Fails the test unless these pairs, in any order, are exactly those in contact. `swapped`: the
// question was asked the other way round.
void soup_case_check(const soup_case *c, const graze_pair *pairs, uint64_t count, bool swapped);

#endif
