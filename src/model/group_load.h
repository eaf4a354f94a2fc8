// A group of an open model, in memory: the mesh of its members, and its collapses.
#ifndef GZ_GROUP_LOAD_H
#define GZ_GROUP_LOAD_H

#include "model/group_mesh.h"
#include "model/model_file.h"
#include "simplify/deviation.h"
#include "simplify/simplify.h"

// Memory is kept for the next group. One thread each.
typedef struct gz_group_loader {
    graze_model *model;
    gz_welded_mesh mesh;
    gz_collapse_list collapses;
    gz_index_list place, kept; // of gz_collapse_apply
    gz_corner_list corner;     // the same
    gz_page_reader reader;
    gz_cluster *cluster;
    gz_byte_list bytes;
} gz_group_loader;

graze_status gz_group_loader_init(graze_model *model, gz_group_loader *loader);
void gz_group_loader_free(gz_group_loader *loader); // accepts a zero one

// Only the collapses; what is wrong with the page is logged.
graze_status gz_group_load_page(gz_group_loader *loader, uint32_t group);
// The mesh of a group as its last step is, or as its members are with step -1. The surface is valid
// until the next call.
graze_status gz_group_load_step(gz_group_loader *loader, uint32_t group, int step, gz_surface *out);
// Loads all steps, and says what is wrong with them.
graze_status gz_group_load_check(gz_group_loader *loader, uint32_t group);
// One cluster in the same form.
graze_status gz_group_load_cluster(gz_group_loader *loader, uint32_t cluster, gz_surface *out);

#endif
