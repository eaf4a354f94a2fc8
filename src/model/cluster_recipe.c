// Trees of clusters, and their recipes. See cluster.h.
#include "model/cluster.h"

typedef struct wide_corners {
    uint32_t number[3 * GZ_CLUSTER_TRIANGLES];
} wide_corners;

static graze_mesh_view view_of(const gz_cluster *cluster, wide_corners *corners)
{
    for (uint32_t i = 0; i < 3 * cluster->triangle_count; ++i)
        corners->number[i] = cluster->corner[i / 3][i % 3];
    return (graze_mesh_view){.precision = cluster->precision,
                             .vertex_count = cluster->vertex_count,
                             .triangle_count = cluster->triangle_count,
                             .positions = &cluster->position,
                             .corners = corners->number};
}

graze_status gz_cluster_keep_recipe(graze_context *context, gz_cluster *cluster)
{
    gz_tree tree;
    wide_corners corners;
    graze_mesh_view view = view_of(cluster, &corners);
    graze_shape_def def = graze_shape_def_default();
    graze_status status = gz_tree_build(context, &view, &def, &tree);
    if (status != GRAZE_OK)
        return status;
    cluster->step_count = gz_recipe_write(&tree, cluster->leaf, cluster->step);
    gz_tree_free(&tree);
    return GRAZE_OK;
}

graze_status gz_cluster_make_tree(graze_context *context, const gz_cluster *cluster, gz_tree *tree)
{
    wide_corners corners;
    graze_mesh_view view = view_of(cluster, &corners);
    gz_recipe recipe = {cluster->leaf, cluster->step, cluster->step_count};
    graze_shape_def def = graze_shape_def_default();
    graze_status status = cluster->step_count != 0 ? gz_recipe_follow(context, &view, &recipe, tree)
                                                   : gz_tree_build(context, &view, &def, tree);
    for (uint64_t i = 0; status == GRAZE_OK && i < tree->triangle_count; ++i)
        tree->order[i] = cluster->number[tree->order[i]];
    return status;
}
