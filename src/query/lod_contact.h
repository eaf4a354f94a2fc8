// Contacts of LOD cuts: which pairs of clusters are to be asked, and what a contact of two leaves
// stands for.
#ifndef GZ_LOD_CONTACT_H
#define GZ_LOD_CONTACT_H

#include "model/lod_cut.h"
#include "query/part_pins.h"

typedef struct gz_lod_question {
    const gz_lod_cut *cut[2]; // NULL: that side is exact
    double error;             // that is allowed anywhere
    double reached;           // the largest of both cuts together
    double tolerance;
    double rounding[2]; // how far bounds are off in the world, where coordinates are rounded
    bool swapped;       // the sides were: the answer's a is the question's b
    bool may_prove;     // some pair of clusters may prove that originals are within the tolerance
} gz_lod_question;

// @param posed  of both sides, the cuts.
void gz_lod_question_set(gz_lod_question *lod, const graze_posed posed[2]);

// How far bounds of two parts are off in the world, together. 0 where both are original.
double gz_lod_rounding(const gz_lod_question *lod, const uint32_t part[2]);
// The tolerance at which triangles of two parts are asked: spreads of their leaves come on top.
double gz_lod_tolerance(const gz_lod_question *lod, const uint32_t part[2]);
// The tolerance at which triangles of two parts prove a contact of the originals; below 0: at none.
double gz_lod_proof(const gz_lod_question *lod, const uint32_t part[2]);

// What boxes alone say about two parts.
typedef enum gz_lod_glance {
    GZ_LOD_OPEN,         // nothing
    GZ_LOD_WITHIN_ERROR, // some of the originals are within tolerance and error
    GZ_LOD_CONTACT       // within the tolerance
} gz_lod_glance;
gz_lod_glance gz_lod_look(const gz_lod_question *lod, const gz_middle *box_a,
                          const graze_pose *pose_a, const gz_middle *box_b,
                          const graze_pose *pose_b, const uint32_t part[2]);

// The contact of two leaves, in which two triangles at `place` are. Without points if only the pair
// is asked for.
void gz_lod_contact(const gz_lod_question *lod, const gz_pair_query *pairs, const uint32_t part[2],
                    const gz_pair_place *place, bool with_points, graze_contact *out);

// The question of gz_parts_collide about LOD cuts, of which one may be a shape of triangles in
// memory. Contacts are one of two leaves. `lod` NULL: about shapes as they are.
graze_status gz_parts_collide_lod(graze_query *query, graze_posed a, graze_posed b,
                                  const graze_collide_def *def, const gz_lod_question *lod,
                                  graze_answer *answer);

#endif
