// Bodies: triangles become what stands in a scene file, a model and a point of each component. Few
// triangles are worked on in memory, one body on each thread; many by way of temporary files.
#ifndef GZ_SCENE_BODIES_H
#define GZ_SCENE_BODIES_H

#include "base/spill.h"
#include "model/model_writer.h"
#include "query/edge_set.h"
#include "scene/scene_format.h"

#define GZ_BODY_FEW                                                                                \
    GZ_BUCKET_MOST // triangles that are worked on in memory, wherever they come from

// For gz_model_components_in, of those that are not few: how many components stay apart must not
// depend on the context.
#define GZ_BODY_COMPONENT_LIMIT (UINT64_C(16) << 20)

// Triangles as a mesh file has them: nine coordinates each, one behind the other.
typedef struct gz_body_source {
    const char *name; // of an object that has them, for messages
    graze_precision precision;
    uint64_t triangle_count;
    const uint8_t *bytes; // of a few
    gz_spill *spill;      // of many, from `offset` on
    uint64_t offset;
    const double *matrix; // to be applied; NULL: none is. Coordinates become double
} gz_body_source;

static inline uint32_t gz_body_triangle_bytes(graze_precision precision)
{
    return 9 * (uint32_t)precision;
}

// The hash of triangles: the checksum of their coordinates' bits in order, of so many triangles at
// a time, each with that of those before them as seed.
#define GZ_BODY_HASHED 1024u
uint64_t gz_body_hash(uint64_t seed, const void *triangles, uint64_t count,
                      graze_precision precision);

// What makes bodies; one a thread.
typedef struct gz_body_maker {
    graze_context *context;
    gz_model_writer *writer;
    gz_output *output; // in memory: the model, then the points
    gz_byte_list placed, records, scratch;
    gz_index_list parent;
    gz_edge_set edges;
} gz_body_maker;
graze_status gz_body_maker_init(graze_context *context, uint64_t memory_bytes, bool no_levels,
                                gz_body_maker *maker);
void gz_body_maker_free(gz_body_maker *maker); // accepts a zero one

// Of GZ_BODY_FEW triangles at most, from `bytes`. The body is in the maker's output then, and the
// entry has all but the offset.
graze_status gz_body_make_few(gz_body_maker *maker, const gz_body_source *source,
                              gz_scene_body *entry);
// Of any number, from `spill`, to the end of `output`, which is in a file.
graze_status gz_body_make_many(graze_context *context, const gz_body_source *source,
                               uint64_t memory_bytes, bool no_levels, gz_output *output,
                               gz_scene_body *entry);

// Whether a few triangles are closed; a point of each component is appended to `points`.
graze_status gz_body_components(gz_body_maker *maker, const uint8_t *triangles, uint64_t count,
                                graze_precision precision, bool *closed, gz_byte_list *points);

#endif
