// A group of an open model, in memory: the mesh of its members, and its collapses.
#ifndef GZ_GROUP_LOAD_H
#define GZ_GROUP_LOAD_H

#include "model/group_mesh.h"
#include "model/page_cache.h"
#include "simplify/deviation.h"
#include "simplify/simplify.h"

// Memory is kept for the next group. One thread each. Pages come through a reservation of the
// cache.
typedef struct gz_group_loader {
    graze_model *model;
    gz_welded_mesh mesh;
    gz_collapse_list collapses;
    gz_index_list place, kept; // of gz_collapse_apply
    gz_corner_list corner;     // the same
    GZ_LIST(float[3]) narrow;  // positions
} gz_group_loader;

void gz_group_loader_init(graze_model *model, gz_group_loader *loader);
void gz_group_loader_free(gz_group_loader *loader); // accepts a zero one

// Only the collapses; what is wrong with the page is logged.
graze_status gz_group_load_page(gz_group_loader *loader, gz_cache_reservation *reservation,
                                uint32_t group);
// The mesh of a group as a step is, or as its members are with step -1. The surface is valid until
// the next call, and does not need the reservation.
graze_status gz_group_load_step(gz_group_loader *loader, gz_cache_reservation *reservation,
                                uint32_t group, int step, gz_surface *out);
// The tree of that mesh, in the precision of the model.
graze_status gz_group_load_tree(gz_group_loader *loader, gz_cache_reservation *reservation,
                                uint32_t group, uint32_t step, gz_tree *tree);
// Loads all steps, and says what is wrong with them.
graze_status gz_group_load_check(gz_group_loader *loader, gz_cache_reservation *reservation,
                                 uint32_t group);
// One cluster in the same form.
graze_status gz_group_load_cluster(gz_group_loader *loader, gz_cache_reservation *reservation,
                                   uint32_t cluster, gz_surface *out);

#endif
