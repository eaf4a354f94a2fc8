// The survey: every triangle is looked at once with its coordinates, in order. It finds the
// triangles without area and the boxes of the objects.
#ifndef GZ_SURVEY_H
#define GZ_SURVEY_H

#include "mesh/inspect/feed.h"
#include "mesh/inspect/object_book.h"
#include "mesh/inspect/placed.h"

// 1 if the corners are on one line, exactly.
bool gz_triangle_is_flat(const graze_triangle *triangle);

typedef struct gz_survey_def {
    gz_feed_def feed;
    gz_object_book *book;
    bool count_flat;
    gz_placed *aside; // gets all triangles and objects; NULL if that is not needed
} gz_survey_def;

typedef struct gz_survey_result {
    uint64_t flat_count;
    bool joined; // the cache did not help, so vertices were brought to triangles by sorting
} gz_survey_result;

graze_status gz_survey_run(graze_context *context, const gz_survey_def *def,
                           gz_survey_result *result);

#endif
