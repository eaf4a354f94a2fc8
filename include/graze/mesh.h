/// @file mesh.h  Triangles from files: as a stream of any length, or whole in memory.
///
/// A mesh is a triangle soup: vertices, triangles that name three of them, and objects that name
/// ranges of triangles. Nothing is assumed of it: no topology, orientation or closedness.
/// Coordinates stay as the file has them: float stays float, double stays double, and text that
/// declares no type (OBJ, OFF, ASCII STL) is read as double, so that no digit is lost.
///
/// Triangles are numbered from 0 in the order of the file; those that a polygon is cut into follow
/// each other. What is dropped in reading has no number, so that the numbers behind it are less
/// than in the file: graze_mesh_losses counts it, and the log gets a warning. A mesh without
/// triangles gets one, too. Where nothing is dropped and nothing is a polygon, triangle i is face
/// i.
///
/// Lifetime:    graze_mesh_read -> graze_mesh_get -> graze_mesh_free.
/// Concurrency: a mesh never changes after it was made; any thread may look at it.
/// Units:       those of the file; header.metres_per_unit is 0 where nobody knows.
#ifndef GRAZE_MESH_H
#define GRAZE_MESH_H

#include "graze/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum graze_format {
    GRAZE_FORMAT_UNKNOWN = 0,
    GRAZE_FORMAT_PLY = 1,
    GRAZE_FORMAT_STL = 2,
    GRAZE_FORMAT_OBJ = 3,
    GRAZE_FORMAT_OFF = 4,
    GRAZE_FORMAT_GLTF = 5, ///< JSON with buffers beside it
    GRAZE_FORMAT_GLB = 6,  ///< the same in one binary file
    GRAZE_FORMAT_OTHER = 7 ///< whatever assimp recognises
} graze_format;

/// Such as "PLY". Never NULL.
GRAZE_API const char *graze_format_text(graze_format format);

typedef enum graze_precision {
    GRAZE_FLOAT32 = 4, ///< coordinates are float; the value is the size in bytes
    GRAZE_FLOAT64 = 8  ///< coordinates are double
} graze_precision;

/// What is known before the first vertex.
typedef struct graze_mesh_header {
    graze_format format;
    graze_precision precision;    ///< of all vertices that follow
    double metres_per_unit;       ///< 0 means unknown
    uint64_t vertex_count_hint;   ///< a claim of the file, not to be trusted; 0 means unknown
    uint64_t triangle_count_hint; ///< the same
    const char *encoding; ///< such as "ASCII" or "binary little-endian, gzip"; ends with the call
} graze_mesh_header;

/// A named range of triangles, placed by a matrix. Several objects may share one range: those are
/// instances. Objects never overlap otherwise. Every triangle is in at least one object.
typedef struct graze_object {
    const char *name;  ///< UTF-8, may be "", never NULL
    const char *group; ///< names of the parents, outermost first, joined by '/'; may be ""
    uint64_t first_triangle;
    uint64_t triangle_count;
    double matrix[12]; ///< 3 rows of 4: world = matrix * (x, y, z, 1); identity unless placed
    uint32_t placed;   ///< 0: the matrix is the identity, coordinates are those of the file
} graze_object;

/// What was met on the way and left out or changed.
typedef struct graze_mesh_losses {
    uint64_t nonfinite_vertices;  ///< vertices with an infinity or a NaN; they are kept
    uint64_t nonfinite_triangles; ///< triangles that used one; they are dropped
    uint64_t empty_polygons;      ///< faces with fewer than three corners; dropped
    uint64_t polygons;            ///< faces with more than three corners; cut into triangles
    uint64_t other_primitives;    ///< points and lines; dropped
} graze_mesh_losses;

/// Receives a mesh piece by piece. Functions left NULL are not called, except where noted. A status
/// other than GRAZE_OK ends the reading and is handed on. Order: begin, then vertices, triangles
/// and objects mixed, then end. A triangle only names vertices that have arrived, an object only
/// triangles that have arrived. Arrays end with the call.
typedef struct graze_mesh_sink {
    void *user;
    graze_status (*begin)(void *user, const graze_mesh_header *header);
    /// `positions`: 3 * count floats or doubles, as the header said.
    graze_status (*vertices)(void *user, const void *positions, uint64_t count);
    /// `corners`: 3 * count vertex numbers, counted from 0 over the whole stream.
    graze_status (*triangles)(void *user, const uint64_t *corners, uint64_t count);
    graze_status (*object)(void *user, const graze_object *object);
    graze_status (*end)(void *user, const graze_mesh_losses *losses);
    /// Fetches a vertex that was delivered before; cutting a polygon into triangles needs this. If
    /// NULL, formats with polygons keep a copy of all vertices.
    graze_status (*position)(void *user, uint64_t vertex, double out[3]);
} graze_mesh_sink;

typedef struct graze_mesh_read_def {
    uint32_t struct_size;   ///< set by graze_mesh_read_def_default; leave alone
    graze_format format;    ///< GRAZE_FORMAT_UNKNOWN: by content, then by name
    double metres_per_unit; ///< for files that do not say; 0 means unknown
    /// Compressed files may grow to this many times their size beyond the first 256 MiB.
    uint64_t expansion_limit;
} graze_mesh_read_def;

static inline graze_mesh_read_def graze_mesh_read_def_default(void)
{
    graze_mesh_read_def def = GRAZE_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.expansion_limit = 200;
    return def;
}

/// Read a file of any size in bounded memory (a few MB; formats that are trees, glTF and those
/// read by assimp, also hold the tree). Plain, gzip and zstd files alike.
/// @param def  NULL for the defaults.
/// @return GRAZE_OK, GRAZE_ERROR_ARGUMENT, GRAZE_ERROR_IO, GRAZE_ERROR_FORMAT,
///         GRAZE_ERROR_UNSUPPORTED, GRAZE_ERROR_MEMORY, GRAZE_ERROR_CANCELLED, or what the sink
///         said.
GRAZE_API graze_status graze_mesh_stream(graze_context *context, const char *path,
                                         const graze_mesh_read_def *def,
                                         const graze_mesh_sink *sink);

/// The same from memory. `name` stands for the path in messages and for the name's extension;
/// a glTF read this way opens no other files.
GRAZE_API graze_status graze_mesh_stream_memory(graze_context *context, const char *name,
                                                const void *bytes, uint64_t byte_count,
                                                const graze_mesh_read_def *def,
                                                const graze_mesh_sink *sink);

typedef struct graze_mesh graze_mesh;

/// A look at a mesh, or at arrays of your own: what writers and queries take.
typedef struct graze_mesh_view {
    graze_precision precision;
    double metres_per_unit; ///< 0 means unknown
    uint64_t vertex_count;  ///< at most 2^32
    uint64_t triangle_count;
    uint64_t object_count;
    const void *positions;       ///< 3 * vertex_count floats or doubles
    const uint32_t *corners;     ///< 3 * triangle_count vertex numbers
    const graze_object *objects; ///< may be NULL if object_count is 0: all is one object
} graze_mesh_view;

/// Read a whole file into memory. Takes the mesh's own size and a few MB.
GRAZE_API graze_status graze_mesh_read(graze_context *context, const char *path,
                                       const graze_mesh_read_def *def, graze_mesh **mesh);

/// Copy a view into a mesh of its own, checking every vertex number and range.
GRAZE_API graze_status graze_mesh_create(graze_context *context, const graze_mesh_view *view,
                                         graze_mesh **mesh);

/// The mesh as it stands in the world: objects placed by their matrices, each instance with
/// triangles of its own, object after object in the order of the view. Matrices are applied by one
/// fixed sequence of double operations, ((m0 * x + m1 * y) + m2 * z) + m3 for each row; one placed
/// object makes all coordinates double. A mesh that places nothing and shares nothing keeps its
/// vertices as they are.
/// @return as graze_mesh_create; GRAZE_ERROR_ARGUMENT also where a matrix leads out of the range of
///         double. GRAZE_ERROR_UNSUPPORTED (more than 2^32 vertices), GRAZE_ERROR_CANCELLED.
GRAZE_API graze_status graze_mesh_flatten(graze_context *context, const graze_mesh_view *view,
                                          graze_mesh **mesh);

/// Accepts NULL. Ends every pointer obtained from the mesh.
GRAZE_API void graze_mesh_free(graze_mesh *mesh);

GRAZE_API graze_mesh_view graze_mesh_get(const graze_mesh *mesh);
GRAZE_API graze_mesh_losses graze_mesh_get_losses(const graze_mesh *mesh);

/// Corner `corner` (0, 1, 2) of a triangle, as read, widened to double.
static inline void graze_mesh_view_corner(const graze_mesh_view *view, uint64_t triangle,
                                          uint32_t corner, double out[3])
{
    uint64_t vertex = view->corners[3 * triangle + corner];
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = view->precision == GRAZE_FLOAT32
                        ? (double)((const float *)view->positions)[3 * vertex + (uint64_t)axis]
                        : ((const double *)view->positions)[3 * vertex + (uint64_t)axis];
}

/// What a stream promises to a graze_mesh_writer about its order, so that less must be kept.
typedef enum graze_mesh_order {
    GRAZE_ORDER_ANY = 0,
    GRAZE_ORDER_VERTICES_FIRST = 1, ///< no vertex comes after the first triangle
    GRAZE_ORDER_SOUP = 2            ///< triangle i has the vertices 3i, 3i + 1 and 3i + 2
} graze_mesh_order;

typedef struct graze_mesh_write_def {
    uint32_t struct_size;   ///< set by graze_mesh_write_def_default; leave alone
    graze_format format;    ///< GRAZE_FORMAT_UNKNOWN: by the path's extension
    uint32_t ascii;         ///< text where the format has both; numbers read back bit for bit
    uint32_t big_endian;    ///< PLY only
    graze_mesh_order order; ///< of a graze_mesh_writer's stream; a broken promise is an error
} graze_mesh_write_def;

static inline graze_mesh_write_def graze_mesh_write_def_default(void)
{
    graze_mesh_write_def def = GRAZE_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    return def;
}

/// Write PLY, STL, OBJ or GLB; a name ending in .gz or .zst compresses. Written aside and renamed
/// at the end: the path holds the old file or the whole new one, never half of it. A process that
/// is killed while the file takes the place of an older one, or at any time on file systems without
/// O_TMPFILE, leaves `.NAME.graze-part` beside it, which the next write to the path removes.
/// Objects that are placed are written with their matrix where the format can (GLB), else with the
/// matrix applied. What the format cannot hold (double in STL and GLB, names in STL binary) is
/// logged as a warning.
GRAZE_API graze_status graze_mesh_write(graze_context *context, const graze_mesh_view *view,
                                        const char *path, const graze_mesh_write_def *def);

/// Writes a mesh that comes piece by piece, through a sink: one of graze_mesh_stream, or of your
/// own making. Binary PLY and STL files that are not compressed take a few MB of memory for a mesh
/// of any size, with the help of temporary files; all others, and meshes read from formats that
/// place objects (glTF, and those read by assimp), are held in memory until the end.
typedef struct graze_mesh_writer graze_mesh_writer;

/// @param def   NULL for the defaults.
/// @param sink  receives what to stream into; it ends with the writer. The functions that are not
///              NULL must be called in the order that graze_mesh_sink states.
GRAZE_API graze_status graze_mesh_writer_open(graze_context *context, const char *path,
                                              const graze_mesh_write_def *def,
                                              graze_mesh_sink *sink, graze_mesh_writer **writer);
/// Finishes the file, which takes its name only now, and frees the writer whatever happens.
/// @return GRAZE_ERROR_ARGUMENT if the sink's end was not called, or one of its calls failed;
///         else as graze_mesh_write.
GRAZE_API graze_status graze_mesh_writer_commit(graze_mesh_writer *writer);
/// Frees the writer and leaves no trace of the file. Accepts NULL.
GRAZE_API void graze_mesh_writer_abandon(graze_mesh_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
