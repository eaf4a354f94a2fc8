// The objects of bench_collide, and the poses of the paper's procedure.
#ifndef GRAZE_BENCH_COLLIDE_MODELS_H
#define GRAZE_BENCH_COLLIDE_MODELS_H

#include "graze/geometry.h"
#include "graze/mesh.h"
#include "peers/collider.h"

typedef struct model_def {
    const char *name;        // of a file in the folder of models, or of a kind of shape
    uint32_t triangle_count; // of a shape: about; 0: it is a file
} model_def;

typedef struct collide_scene {
    const char *name;
    model_def a, b; // b without a name: a again
    uint32_t quick; // about as many triangles under --quick; 0: left out there
} collide_scene;

extern const collide_scene collide_scenes[]; // ends with a NULL name

// Centred, and scaled evenly, so that the longest side of its box is 2; rounded to float.
typedef struct collide_model {
    collider_mesh mesh;
    float (*vertices)[3];
    uint32_t (*corners)[3];
} collide_model;

// @param folder  of files; NULL: there is none.
// @param quick   0, or the number of triangles of shapes.
// @return 0 after a sentence on stderr.
int collide_model_make(graze_context *context, const char *folder, const model_def *def,
                       uint32_t quick, collide_model *model);
void collide_model_free(collide_model *model);

// The same for graze.
graze_mesh_view collider_mesh_view(const collider_mesh *mesh);
static inline graze_pose collider_graze_pose(const collider_pose *pose)
{
    const double *r = pose->rotation, *t = pose->translation;
    return (graze_pose){.rotation = {r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]},
                        .translation = {t[0], t[1], t[2]}};
}

// Turn `index` of `count`, a power of two, in which B tumbles about z and x; its centre lies
// `distance` along x. The first few of them are spread over the whole turn, and none is the
// identity, in which two equal objects would coincide.
collider_pose collide_pose(double distance, uint32_t index, uint32_t count);

#endif
