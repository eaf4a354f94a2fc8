// The survey: every triangle is looked at once with its coordinates, in order. It finds the
// triangles without area and the boxes of the objects.
#ifndef GZ_SURVEY_H
#define GZ_SURVEY_H

#include "mesh/object_book.h"
#include "mesh/positions.h"

// 1 if the corners are on one line, exactly.
bool gz_triangle_is_flat(const graze_triangle *triangle);

typedef struct gz_survey_def {
    gz_positions *positions;
    gz_spill *corners; // vertex numbers
    gz_object_book *book;
    bool count_flat;
    uint64_t window_bytes; // for reading corners
    uint64_t join_bytes;   // for each of two sorters, used where vertices lie too far apart
    uint32_t fan_bits;
    uint64_t patience; // block loads allowed beyond one each, per 1024 triangles
} gz_survey_def;

typedef struct gz_survey_result {
    uint64_t flat_count;
    bool joined; // the cache did not help, so vertices were brought to triangles by sorting
} gz_survey_result;

graze_status gz_survey_run(graze_context *context, const gz_survey_def *def,
                           gz_survey_result *result);

#endif
