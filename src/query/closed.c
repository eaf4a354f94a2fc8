// Closedness and components of a shape. See closed.h.
//
// A set of edges is kept while all triangles are visited in the order of the tree: an edge that is
// not there is put in, one that is there is taken out, and the two triangles are of one component.
// What is left has an odd number of triangles. Neighbours stand close to each other in the tree, so
// the set stays small: it holds the border of what was visited. Models are followed cluster by
// cluster, in model_closed.c.
#include "query/closed.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/threads.h"
#include "query/edge_set.h"
#include "query/tree_pins.h"

#define PATIENCE 65536 // triangles between two looks at the cancel callback

static graze_status visit(const gz_tree *tree, gz_edge_set *set, uint32_t *parent)
{
    uint32_t number = 0;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; ++leaf) {
        uint32_t count = gz_tree_leaf_count(tree, leaf);
        for (uint32_t slot = 0; slot < count; ++slot, ++number) {
            graze_triangle t;
            gz_tree_triangle(tree, leaf, slot, &t);
            parent[number] = number;
            if (!gz_edge_set_meet(set, (const double(*)[3])t.corner, number, parent))
                return GRAZE_ERROR_MEMORY;
            if (number % PATIENCE == PATIENCE - 1 &&
                gz_checkpoint(set->context, "following edges", "triangles", number,
                              tree->triangle_count) != GRAZE_OK)
                return GRAZE_ERROR_CANCELLED;
        }
    }
    return GRAZE_OK;
}

// Of models places are not kept, but points.
static uint64_t bytes_of(const graze_shape *shape, uint64_t count)
{
    return sizeof(struct gz_components) +
           (gz_shape_is_paged(shape) ? 0 : count * sizeof(gz_component_place));
}

void gz_components_free(const graze_shape *shape, struct gz_components *components)
{
    gz_spill_free(&components->points);
    gz_release(shape->context, components, bytes_of(shape, components->count));
}

static struct gz_components *list_pieces(const graze_shape *shape, const gz_tree *tree,
                                         const uint32_t *parent, bool closed)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < tree->triangle_count; ++i)
        count += parent[i] == i;
    struct gz_components *made = gz_allocate(shape->context, bytes_of(shape, count));
    if (made == NULL)
        return NULL;
    *made = (struct gz_components){.closed = closed};
    uint32_t number = 0;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; ++leaf)
        for (uint32_t slot = 0; slot < gz_tree_leaf_count(tree, leaf); ++slot, ++number)
            if (parent[number] == number)
                made->first[made->count++] = (gz_component_place){leaf, slot};
    return made;
}

graze_status gz_tree_components(const graze_shape *shape, struct gz_components **made)
{
    const gz_tree *tree = NULL;
    graze_context *context = shape->context;
    gz_edge_set set = {0};
    graze_status status = shape->kind->whole(shape, &tree);
    if (status != GRAZE_OK)
        return status;
    status = GRAZE_ERROR_MEMORY;
    uint32_t *parent = GZ_NEW_ARRAY(context, uint32_t, tree->triangle_count + 1);
    if (parent != NULL && gz_edge_set_make(context, &set))
        status = visit(tree, &set, parent);
    if (status == GRAZE_OK) {
        *made = list_pieces(shape, tree, parent, set.count == 0);
        status = *made == NULL ? GRAZE_ERROR_MEMORY : GRAZE_OK;
    }
    if (parent != NULL)
        GZ_FREE_ARRAY(context, parent, tree->triangle_count + 1);
    gz_edge_set_free(&set);
    if (status == GRAZE_ERROR_MEMORY)
        return gz_fail(context, status, "out of memory for the edges of a shape");
    return status;
}

// Threads that ask at the same time find the same; one of them has its result kept.
graze_status gz_shape_components(const graze_shape *shape, const struct gz_components **components)
{
    struct gz_components *known = atomic_load(&shape->found->components), *made = NULL;
    *components = known;
    if (known != NULL)
        return GRAZE_OK;
    graze_status status = shape->kind->find_components(shape, &made);
    if (status != GRAZE_OK)
        return status;
    if (!atomic_compare_exchange_strong(&shape->found->components, &known, made)) {
        gz_components_free(shape, made);
        made = known;
    }
    *components = made;
    return GRAZE_OK;
}

graze_status gz_shape_set_components(graze_shape *shape, bool closed, uint64_t count,
                                     gz_spill *points)
{
    GZ_ASSERT(gz_shape_is_paged(shape) && atomic_load(&shape->found->components) == NULL);
    GZ_ASSERT(points->byte_count == count * GZ_COMPONENT_POINT_BYTES);
    struct gz_components *made = gz_allocate(shape->context, bytes_of(shape, count));
    if (made == NULL) {
        gz_spill_free(points);
        return gz_fail(shape->context, GRAZE_ERROR_MEMORY,
                       "out of memory for the pieces of a shape");
    }
    *made = (struct gz_components){.closed = closed, .count = count, .points = *points};
    *points = (gz_spill){0};
    atomic_store(&shape->found->components, made);
    return GRAZE_OK;
}

uint64_t gz_shape_components_bytes(const graze_shape *shape)
{
    const struct gz_components *known = atomic_load(&shape->found->components);
    return known == NULL ? 0 : bytes_of(shape, known->count) + known->points.capacity;
}

graze_knowledge gz_shape_known_closed(const graze_shape *shape)
{
    const struct gz_components *known = atomic_load(&shape->found->components);
    return known == NULL ? GRAZE_NOT_ASKED : known->closed ? GRAZE_YES : GRAZE_NO;
}

void gz_shape_free_components(graze_shape *shape)
{
    struct gz_components *known = atomic_exchange(&shape->found->components, NULL);
    if (known != NULL)
        gz_components_free(shape, known);
}

graze_status gz_component_point(const graze_shape *shape, const struct gz_components *components,
                                uint64_t component, double point[3])
{
    if (gz_shape_is_paged(shape))
        return gz_spill_read(&components->points, component * GZ_COMPONENT_POINT_BYTES, point,
                             GZ_COMPONENT_POINT_BYTES);
    graze_triangle t;
    const gz_component_place *place = &components->first[component];
    gz_tree_triangle(gz_whole_now(shape), place->leaf, place->slot, &t);
    for (int i = 0; i < 3; ++i)
        point[i] = t.corner[0][i];
    return GRAZE_OK;
}

graze_status graze_shape_closed(const graze_shape *shape, uint32_t *closed)
{
    if (shape == NULL || closed == NULL)
        return gz_fail_null(shape == NULL ? NULL : shape->context, "graze_shape_closed");
    const struct gz_components *components = NULL;
    *closed = 0;
    graze_status status = gz_shape_components(shape, &components);
    if (status == GRAZE_OK)
        *closed = components->closed;
    return status;
}
