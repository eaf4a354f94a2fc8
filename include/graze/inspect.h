/// @file inspect.h  What is in a mesh file, and what is wrong with it, in bounded memory.
///
/// Vertices count as one where their coordinates are equal (-0 equals +0), whatever numbers they
/// have in the file.
///
/// Where objects are placed by matrices, or share their triangles, all checks are made twice. In
/// the file: each range of triangles on its own, before it is placed, however many objects have it;
/// what two ranges have at the same coordinates is not the same place. And as placed: all objects
/// in the world, each with triangles of its own, as graze_mesh_flatten lays them out; what touches
/// there shares its places. Boxes are of the world. For all other files the two are one: all
/// triangles in one frame.
///
/// Lifetime:    graze_mesh_inspect -> look at the report -> graze_mesh_report_free.
/// Concurrency: a report never changes.
#ifndef GRAZE_INSPECT_H
#define GRAZE_INSPECT_H

#include "graze/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How far a check went. Counts of a check that was not made are 0 and mean nothing.
typedef enum graze_extent {
    GRAZE_NOT_CHECKED = 0,       ///< `why` says what was missing
    GRAZE_CHECKED_IN_MEMORY = 1, ///< in full
    GRAZE_CHECKED_ON_DISK = 2    ///< in full, with the help of temporary files
} graze_extent;

typedef struct graze_finding {
    graze_extent extent;
    uint64_t count;
    const char *why; ///< NULL, or why it was not checked
} graze_finding;

/// Everything that is checked.
typedef struct graze_mesh_findings {
    graze_finding distinct_vertices, degenerate_triangles, duplicate_triangles, open_edges,
        nonmanifold_edges, misoriented_edges, parts, closed_parts;
} graze_mesh_findings;

/// One object of the file with its extent in the world (its matrix applied).
typedef struct graze_object_report {
    graze_object object;
    /// Holds the object, rounding included, and is tight, unless it is one of more than 64 objects
    /// that share their triangles and is turned by other than right angles. box_min > box_max where
    /// the object is empty.
    double box_min[3], box_max[3];
} graze_object_report;

typedef struct graze_mesh_report {
    graze_mesh_header header;
    graze_mesh_losses losses;
    uint64_t file_bytes;     ///< as it lies on disk
    uint64_t vertex_count;   ///< as in the file
    uint64_t triangle_count; ///< dropped ones left out
    uint64_t object_count;
    const graze_object_report *objects;
    uint32_t objects_listed; ///< 0: there were too many for the memory given, and `objects` is NULL
    double box_min[3], box_max[3]; ///< of all placed objects; box_min > box_max if there is nothing

    /// In the file; see above.
    graze_finding distinct_vertices;    ///< count: different positions in use by triangles
    graze_finding degenerate_triangles; ///< no area, exactly: corners equal or on one line
    graze_finding duplicate_triangles;  ///< same three positions as an earlier one, in any order
    /// Edges are those of triangles with three different positions; flat ones count, too.
    graze_finding open_edges;        ///< edges of one triangle only
    graze_finding nonmanifold_edges; ///< edges of three and more triangles
    graze_finding misoriented_edges; ///< edges of two triangles that run through them the same way
    graze_finding parts;             ///< pieces connected through shared positions
    /// Parts with edges, each of which has exactly two triangles, oppositely oriented.
    graze_finding closed_parts;

    uint32_t is_placed;             ///< 0: no object is placed or shares triangles
    uint64_t placed_triangle_count; ///< of all objects, each with triangles of its own
    graze_mesh_findings placed;     ///< as placed; if !is_placed, those above once more
} graze_mesh_report;

typedef struct graze_inspect_def {
    uint32_t struct_size;            ///< set by graze_inspect_def_default; leave alone
    uint32_t counts_only;            ///< skip the findings; they say "not asked for"
    uint64_t memory_byte_limit;      ///< 0: half of what this process may use
    const graze_mesh_read_def *read; ///< how to read the mesh; NULL for the defaults
    /// As placed is not checked where all objects together have more triangles than this; 0: 2^26,
    /// or four times as many as the file has, if that is more.
    uint64_t placed_triangle_limit;
} graze_inspect_def;

static inline graze_inspect_def graze_inspect_def_default(void)
{
    graze_inspect_def def = GRAZE_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    return def;
}

/// Reads the file once and says what is in it. Memory stays below the limit; what does not fit
/// goes to unnamed files in the context's temporary folder, of two to three times the size of a
/// binary mesh, or of the mesh as placed. Where writing them fails, findings are not checked and
/// say so; vertices that triangles share must be kept, and the call fails.
/// @return as graze_mesh_stream; GRAZE_ERROR_ARGUMENT for a limit below 16 MiB; GRAZE_ERROR_SPACE.
GRAZE_API graze_status graze_mesh_inspect(graze_context *context, const char *path,
                                          const graze_inspect_def *def, graze_mesh_report **report);
GRAZE_API void graze_mesh_report_free(graze_context *context, graze_mesh_report *report);

#ifdef __cplusplus
}
#endif
#endif
