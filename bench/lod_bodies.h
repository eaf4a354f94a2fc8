// The bodies of bench_lod: meshes by generators, and the models built of them, in files that are
// kept, since building the large ones takes minutes.
#ifndef GRAZE_BENCH_LOD_BODIES_H
#define GRAZE_BENCH_LOD_BODIES_H

#include <stdbool.h>

#include "graze/geometry.h"

typedef enum lod_kind {
    LOD_REFINED, // the Stanford dragon made finer, with the usual relief
    LOD_SMOOTH,  // the same without relief
    LOD_TURBINE,
    LOD_PLANT,
    LOD_FLYER // the dragon as it is, 16 times as large: 3.3 metres, for the plant
} lod_kind;

enum { LOD_NAME = 1024 };

// Where files are. Without a dragon a knot takes its place.
typedef struct lod_store {
    char folder[LOD_NAME];
    char dragon[LOD_NAME]; // "": there is none
    uint32_t first_count;  // of triangles of the dragon or the knot
} lod_store;

typedef struct lod_body {
    char mesh[LOD_NAME], model[LOD_NAME]; // paths
    uint64_t triangle_count;
    graze_box box;
    double width; // the longest side of the box
} lod_body;

// @param models  the folder of the dragon, where files are kept; NULL: they go to a new folder for
//                temporary files, and lod_store_close removes it.
// @return false after a sentence on stderr.
bool lod_store_open(const char *models, bool quick, lod_store *store);
void lod_store_close(const lod_store *store, bool kept);

// Into how many pieces edges are cut, so that there are about so many triangles.
uint32_t lod_refinement(const lod_store *store, uint64_t triangle_count);

// Finds or makes a mesh, and its model.
// @param size  the number of triangles, about; of those made finer their refinement; of the flyer 1
// @return false after a sentence on stderr.
bool lod_body_make(const lod_store *store, lod_kind kind, uint64_t size, lod_body *body);

#endif
