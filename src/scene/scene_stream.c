// Streams the triangles of an object of a scene, wherever its shape comes from. See graze/scene.h.
#include "base/context.h"
#include "query/shape_parts.h"
#include "scene/scene_store.h"

// A leaf of a tree, as vertices and triangles of its own.
static graze_status pass_leaf(const gz_tree *tree, uint32_t leaf, uint64_t first,
                              const graze_mesh_sink *sink)
{
    graze_triangle triangles[GZ_LEAF];
    uint64_t corners[GZ_LEAF][3];
    uint32_t count = gz_tree_leaf_count(tree, leaf);
    for (uint32_t t = 0; t < count; ++t) {
        gz_tree_triangle(tree, leaf, t, &triangles[t]);
        for (uint64_t k = 0; k < 3; ++k)
            corners[t][k] = first + 3 * (uint64_t)t + k;
    }
    graze_status status = GRAZE_OK;
    if (sink->vertices != NULL)
        status = sink->vertices(sink->user, triangles, 3 * (uint64_t)count);
    if (status == GRAZE_OK && sink->triangles != NULL)
        status = sink->triangles(sink->user, corners[0], count);
    return status;
}

// Coordinates are doubles, whatever they were: each has the same value.
static graze_status pass_tree(const gz_tree *tree, const graze_mesh_sink *sink)
{
    graze_mesh_header header = {.format = GRAZE_FORMAT_UNKNOWN,
                                .precision = GRAZE_FLOAT64,
                                .encoding = "shape",
                                .vertex_count_hint = 3 * tree->triangle_count,
                                .triangle_count_hint = tree->triangle_count};
    graze_object object = {.name = "", .group = "", .triangle_count = tree->triangle_count};
    graze_mesh_losses losses = {0};
    graze_status status = sink->begin == NULL ? GRAZE_OK : sink->begin(sink->user, &header);
    uint64_t vertex_count = 0;
    for (uint32_t leaf = 0; leaf < tree->leaf_count && status == GRAZE_OK; ++leaf) {
        status = pass_leaf(tree, leaf, vertex_count, sink);
        vertex_count += 3 * (uint64_t)gz_tree_leaf_count(tree, leaf);
    }
    for (int axis = 0; axis < 3; ++axis)
        object.matrix[5 * axis] = 1;
    if (status == GRAZE_OK && sink->object != NULL)
        status = sink->object(sink->user, &object);
    if (status == GRAZE_OK && sink->end != NULL)
        status = sink->end(sink->user, &losses);
    return status;
}

static graze_status pass_own_shape(const graze_shape *shape, double error,
                                   const graze_mesh_sink *sink, graze_model_detail *detail)
{
    const gz_tree *tree = NULL;
    if (shape->model != NULL && shape->cut == NULL)
        return graze_model_stream_coarse(shape->model, error, sink, detail);
    graze_status status = shape->kind->whole(shape, &tree);
    if (status != GRAZE_OK)
        return status;
    if (detail != NULL)
        *detail = (graze_model_detail){.triangle_count = tree->triangle_count};
    return pass_tree(tree, sink);
}

static graze_status pass_body(const gz_scene_origin *origin, uint32_t body, double error,
                              const graze_mesh_sink *sink, graze_model_detail *detail)
{
    const graze_shape *shape = NULL;
    if (origin->file == NULL)
        return graze_model_stream_coarse(origin->model, error, sink, detail);
    graze_status status = gz_scene_file_pin(origin->file, body, &shape);
    if (status != GRAZE_OK)
        return status;
    status =
        graze_model_stream_coarse(gz_scene_file_model(origin->file, body), error, sink, detail);
    gz_scene_file_unpin(origin->file, body);
    return status;
}

graze_status graze_scene_stream(graze_scene *scene, graze_object_id id, double error,
                                const graze_mesh_sink *sink, graze_model_detail *detail)
{
    static const char who[] = "graze_scene_stream";
    if (scene == NULL || sink == NULL)
        return gz_fail_null(scene == NULL ? NULL : scene->context, who);
    const gz_scene_slot *slot = gz_scene_slot_of(scene, id);
    if (slot == NULL)
        return gz_fail(scene->context, GRAZE_ERROR_ARGUMENT,
                       "%s: there is no object of this id, or not any more", who);
    if (!(error >= 0))
        return gz_fail(scene->context, GRAZE_ERROR_ARGUMENT, "%s: the error is a number from 0 up",
                       who);
    if (slot->origin == GZ_OWN_SHAPE)
        return pass_own_shape(slot->shape, error, sink, detail);
    return pass_body(&scene->origins.items[slot->origin], slot->body, error, sink, detail);
}
