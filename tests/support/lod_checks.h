// What answers with an error promise, held against exact ones.
#ifndef GZ_TEST_LOD_CHECKS_H
#define GZ_TEST_LOD_CHECKS_H

#include "bodies.h"

#define LOD_LOOSE (1 + 1e-9)

// Two bodies where they are.
typedef struct lod_scene {
    const body *a, *b;
    graze_pose pose_a, pose_b;
    double tolerance, error;
    int way; // which of the two are models: as in both_ways.h
    graze_query *query, *exact;
} lod_scene;

graze_posed lod_side(const lod_scene *s, int which);
double lod_apart(const double p[3], const double q[3]);

// Complete: closest points of pairs in contact, and others of them that are within the tolerance,
// are covered.
// @param exact  the exact answer, with contacts.
void lod_check_complete(const lod_scene *s, const graze_answer *exact, const graze_answer *got,
                        test_random *random);
// Bounded: points of the originals are near the points of the contact.
void lod_check_bounded(const lod_scene *s, const graze_answer *got, test_random *random);
void lod_check_verdict(const lod_scene *s, graze_verdict got, const graze_answer *exact);

// An error by place: it grows with the distance from a point, or is anything.
typedef struct lod_place_error {
    double point[3], slope;
    bool odd;
    uint64_t calls;
} lod_place_error;

double lod_error_at(const lod_place_error *e, const graze_box *box);
double lod_error_by_place(void *user, const graze_box *box); // of a lod_place_error
graze_box lod_box_at(const double p[3]);

#endif
