// What tests of models have in common: a folder, meshes in it, and the way from a mesh to its model
// and back, compared bit for bit.
#ifndef GZ_TEST_MODELS_H
#define GZ_TEST_MODELS_H

#include <stdbool.h>

#include "record.h"

#define MODEL_PATH_BYTES 256

// A folder of its own, for cmocka's group functions. Leaving fails if it is not empty.
int models_enter(void **state);
int models_leave(void **state);
const char *models_path(char path[MODEL_PATH_BYTES], const char *name); // in the folder
bool models_exists(const char *path);
uint32_t models_file_count(void); // in the folder

// Writes a mesh; the ending of its name is the format.
void models_write(const graze_mesh_view *view, const char *path);
void models_write_text(const char *path, const char *text);
// A shape of generators/.
void models_make(const char *kind, uint64_t triangle_count, graze_precision precision,
                 const char *path);

void models_copy(const char *from, const char *to);
uint8_t *models_read_file(const char *path, uint64_t *byte_count); // free is test_free

// Fails the test unless the model streams what the mesh file has: every triangle by its number with
// the bits of its corners, objects, unit, losses; and unless it is sound.
void models_compare(graze_context *context, const char *mesh_path, const char *model_path);
// Builds beside the mesh, compares, and removes the model, unless `keep` names it.
void models_round_trip(const char *mesh_path, const graze_model_build_def *def, const char *keep);

#endif
