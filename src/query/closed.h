// Does a shape have an inside, and which components is it made of? Found out once, when first
// asked.
#ifndef GZ_CLOSED_H
#define GZ_CLOSED_H

#include <stdbool.h>

#include "base/spill.h"
#include "query/shape_parts.h"

#define GZ_COMPONENT_POINT_BYTES (3 * sizeof(double))

typedef struct gz_component_place {
    uint32_t leaf, slot;
} gz_component_place;

// Components hang together through common edges. Two of them may touch in other ways, so there may
// be more than it seems, but no component has two parts that are apart.
struct gz_components {
    bool closed; // every edge belongs to an even number of triangles
    uint64_t count;
    gz_spill points;            // of a model: a point of each component, three doubles
    gz_component_place first[]; // of a tree: a triangle of each component
};

// Belongs to the shape. Any number of threads may ask at once.
// GRAZE_ERROR_MEMORY and GRAZE_ERROR_CANCELLED are said with a sentence.
graze_status gz_shape_components(const graze_shape *shape, const struct gz_components **components);
// A point of a component, in the frame of the shape.
graze_status gz_component_point(const graze_shape *shape, const struct gz_components *components,
                                uint64_t component, double point[3]);
void gz_shape_free_components(graze_shape *shape); // and forgets them
uint64_t gz_shape_components_bytes(const graze_shape *shape);
graze_knowledge gz_shape_known_closed(const graze_shape *shape);

// How kinds of shapes find them: of one tree,
graze_status gz_tree_components(const graze_shape *shape, struct gz_components **made);
// and of a shape over a model, in an eighth of the memory that its cache has, beside the cache's
// own; temporary files hold the rest.
graze_status gz_model_components(const graze_shape *shape, struct gz_components **made);
// The same as if the cache had another limit, which decides how many components stay apart.
graze_status gz_model_components_in(const graze_shape *shape, uint64_t cache_bytes,
                                    struct gz_components **made);
void gz_components_free(const graze_shape *shape, struct gz_components *components);
// Tells a shape over a model, before anybody asks it, what was found out before. It takes the
// spill, which has `count` points. GRAZE_ERROR_MEMORY is said with a sentence, and the spill is
// freed.
graze_status gz_shape_set_components(graze_shape *shape, bool closed, uint64_t count,
                                     gz_spill *points);

#endif
