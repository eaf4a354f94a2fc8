// Trees of clusters, their recipes, and what is known about their leaves. See cluster.h.
#include "model/cluster.h"

#include <math.h>

#include "base/context.h"
#include "geometry/rounding.h"

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

uint32_t gz_cluster_leaf_count(const gz_cluster *cluster)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < cluster->step_count; ++i)
        count += cluster->step[i] == 0;
    return count;
}

// Exact, unless it is infinite: 24 bits times 8.
static double part_of(float forward, uint32_t part) { return (double)forward * (part + 1) / 256; }

void gz_cluster_keep_spreads(gz_cluster *cluster, float forward, const double *spread)
{
    cluster->spread_count = gz_cluster_leaf_count(cluster);
    GZ_ASSERT(cluster->spread_count <= GZ_CLUSTER_TRIANGLES);
    for (uint32_t leaf = 0; leaf < cluster->spread_count; ++leaf) {
        GZ_ASSERT(spread[leaf] <= (double)forward);
        uint32_t part = 255;
        if (spread[leaf] < (double)forward && forward < HUGE_VALF)
            part = (uint32_t)(spread[leaf] / (double)forward * 256);
        part = part < 255 ? part : 255;
        while (part != 0 && part_of(forward, part - 1) >= spread[leaf])
            part--;
        while (part_of(forward, part) < spread[leaf])
            part++;
        cluster->spread[leaf] = (uint8_t)part;
    }
}

void gz_cluster_spreads(const gz_cluster *cluster, float forward, float *out)
{
    for (uint32_t leaf = 0; leaf < cluster->spread_count; ++leaf)
        out[leaf] = gz_round_up(part_of(forward, cluster->spread[leaf]));
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
