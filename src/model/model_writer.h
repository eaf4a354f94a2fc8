// A model writer: triangles in, the bytes of a model out, behind what the output has already. One
// writer makes any number of models one after the other, and keeps its memory for the next.
#ifndef GZ_MODEL_WRITER_H
#define GZ_MODEL_WRITER_H

#include "model/decompose.h"
#include "model/model_file.h"

// What a model holds beside its triangles.
typedef struct gz_model_content {
    graze_precision precision;
    uint64_t triangle_count; // less than 2^31
    graze_box box;           // of all triangles
    double metres_per_unit;
    graze_mesh_losses losses;
    const graze_object *objects; // their texts and numbers of triangles are looked at
    uint64_t object_count;
} gz_model_content;

typedef struct gz_model_writer_def {
    uint64_t memory_bytes; // for what is at work
    bool no_levels;
    bool quiet; // reports no progress, and does not ask whether to go on
} gz_model_writer_def;

typedef struct gz_model_writer gz_model_writer;
graze_status gz_model_writer_create(graze_context *context, const gz_model_writer_def *def,
                                    gz_model_writer **writer);
void gz_model_writer_free(gz_model_writer *writer); // accepts NULL

// Of triangles that a sorter has, records of soup.h. It is closed when all of it is in clusters:
// its memory is needed.
graze_status gz_model_writer_sorted(gz_model_writer *writer, const gz_model_content *content,
                                    gz_sorter **sorter, gz_output *output);
// The same of a few in memory, GZ_BUCKET_MOST at most, in the order in which a sorter would have
// them; on the calling thread. The same triangles give the same bytes both ways.
graze_status gz_model_writer_few(gz_model_writer *writer, const gz_model_content *content,
                                 uint8_t *records, gz_output *output);

#endif
