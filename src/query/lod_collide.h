// Questions with an error: shapes over models are asked as the LOD cuts that fit it.
#ifndef GZ_LOD_COLLIDE_H
#define GZ_LOD_COLLIDE_H

#include "query/cut_shape.h"
#include "query/lod_contact.h"

// How far an answer may be off.
typedef struct gz_lod_error_def {
    double error;                   // everywhere; 0 with a function: it alone
    graze_error_function *function; // NULL: none
    void *user;
    bool no_steps; // cuts by place consist of whole clusters
} gz_lod_error_def;

static inline bool gz_lod_is_asked(graze_posed a, graze_posed b, const gz_lod_error_def *error)
{
    return (error->error > 0 || error->function != NULL) &&
           (gz_shape_is_paged(a.shape) || gz_shape_is_paged(b.shape));
}

// Two shapes at an error, in the order of the answer's sides or the other way round: of two shapes
// always the same one comes first, whichever the user names first.
typedef struct gz_lod_sides {
    gz_lod_question question;
    gz_lod_cut *cut[2];
    graze_shape shape[2];
    graze_posed posed[2];
    bool by_place; // the cuts are the query's
} gz_lod_sides;

// Both take half of the error; where one is exact, the other takes all of it. The sides end with
// gz_lod_sides_end, which is needed after a failure, too.
graze_status gz_lod_sides_set(graze_query *query, graze_posed a, graze_posed b,
                              const gz_lod_error_def *error, double tolerance, gz_lod_sides *sides);
void gz_lod_sides_end(gz_lod_sides *sides);

graze_status gz_lod_collide(graze_query *query, graze_posed a, graze_posed b,
                            const graze_collide_def *def, graze_answer *answer);
graze_status gz_lod_distance(graze_query *query, graze_posed a, graze_posed b,
                             const graze_distance_def *def, graze_distance *out);

#endif
