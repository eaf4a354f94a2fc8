// Two model files, opened and asked against each other.
#ifndef GZ_TEST_TWO_MODELS_H
#define GZ_TEST_TWO_MODELS_H

#include "models.h"

// Builds the model of a shape of generators/, without levels of detail, in the folder of models.h.
void two_models_write(const char *kind, uint64_t triangles, char path[MODEL_PATH_BYTES]);

typedef struct two_models {
    graze_model *model[2];
    graze_shape *shape[2];
    graze_query *query;
} two_models;

graze_status two_models_open(graze_context *context, const char *a, const char *b, two_models *out);
void two_models_close(two_models *two);

// How many pairs of triangles touch, with the second moved a little.
graze_status two_models_count(const two_models *two, bool threads, uint64_t *count);

#endif
