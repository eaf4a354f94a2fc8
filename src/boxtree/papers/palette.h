// The palette: a plain binary tree over triangles whose volumes are exchangeable, after section 5.1
// of "Partitioning and Handling Massive Models for Interactive Collision Detection" (Wilson,
// Larsen, Manocha and Lin, 1999). To try a new volume, write a gz_volume_kind and name it in
// gz_volume_kinds; all that follows, tests and benchmark included, then takes it.
//
// Coordinates in a tree are relative to its origin and scaled to lie between -1 and 1. Volumes are
// made of floats: a node is its volume and four bytes.
//
// Rules: a node's volume holds all triangles below it, rounding included; every leaf has one
// triangle, every triangle one leaf; children lie side by side; depth is at most GZ_PALETTE_DEPTH.
#ifndef GZ_PALETTE_H
#define GZ_PALETTE_H

#include <stdbool.h>

#include "boxtree/papers/plain_query.h"
#include "geometry/rounding.h"

#define GZ_PALETTE_DEPTH     96
#define GZ_PALETTE_TRIANGLES (UINT32_C(1) << 30)

// One question: from B's coordinates to A's, x_a = ratio * matrix x_b + shift.
typedef struct gz_palette_frame {
    double matrix[9]; // a rotation to 1e-8
    double back[9];   // its inverse
    double ratio;     // of the units, a power of two
    double shift[3];
    // Where posed triangles meet, |x_a - (ratio * matrix x_b + shift)| is at most this in each
    // coordinate, and a sum of a dozen coordinates and products is off by less.
    double margin;
    void *prepared; // what gz_volume_kind.prepare made
} gz_palette_frame;

enum { GZ_TURNED_NUMBERS = 24, GZ_PREPARED_BYTES = 16384 };

typedef struct gz_volume_kind {
    const char *name;
    uint32_t bytes; // of a volume, a multiple of 4
    // The volume that holds all these points, which are at least one.
    void (*fit)(const double (*points)[3], uint64_t count, void *volume);
    bool (*holds)(const void *volume, const double point[3]); // for tests
    // What a frame alone decides, kept in frame->prepared, which is all zero before the first
    // question of a query and keeps what is in it. NULL: nothing.
    void (*prepare)(gz_palette_frame *frame);
    // What a frame and a volume of B decide: at most GZ_TURNED_NUMBERS numbers. Done once for each
    // visited pair's children, whatever the number of partners.
    void (*turn)(const gz_palette_frame *frame, const void *b, double *turned);
    // True only if no point of `a` is in the turned volume, all errors included.
    bool (*apart)(const gz_palette_frame *frame, const void *a, const double *turned);
} gz_volume_kind;

extern const gz_volume_kind gz_volume_sphere, gz_volume_aabb, gz_volume_obb, gz_volume_dop24;
extern const gz_volume_kind *const gz_volume_kinds[]; // ends with NULL

typedef struct gz_palette {
    graze_context *context;
    const graze_mesh_view *view; // the caller's
    const gz_volume_kind *kind;
    uint32_t triangle_count, depth;
    double reach, origin[3], scale;
    unsigned char *nodes; // in pairs: slots 2 k and 2 k + 1; the root is slot 0, slot 1 is unused
} gz_palette;

#define GZ_PALETTE_LEAF (UINT32_C(1) << 31) // in a link: the rest is the triangle's number

// @return GRAZE_OK, GRAZE_ERROR_MEMORY, or GRAZE_ERROR_UNSUPPORTED for too many triangles.
graze_status gz_palette_build(graze_context *context, const graze_mesh_view *view,
                              const gz_volume_kind *kind, gz_palette *tree);
void gz_palette_free(gz_palette *tree);
uint64_t gz_palette_bytes(const gz_palette *tree); // beyond the mesh
// Walks the whole tree and checks the rules above. For tests.
bool gz_palette_valid(const gz_palette *tree);

static inline uint64_t gz_palette_node_bytes(const gz_palette *tree)
{
    return tree->kind->bytes + sizeof(uint32_t);
}

static inline const void *gz_palette_volume(const gz_palette *tree, uint32_t slot)
{
    return tree->nodes + slot * gz_palette_node_bytes(tree) + sizeof(uint32_t);
}

// GZ_PALETTE_LEAF and a triangle, or the number of the pair of children.
static inline uint32_t gz_palette_link(const gz_palette *tree, uint32_t slot)
{
    return *(const uint32_t *)(const void *)(tree->nodes + slot * gz_palette_node_bytes(tree));
}

// A point of the mesh in the tree's coordinates.
static inline void gz_palette_place(const gz_palette *tree, const double point[3], double out[3])
{
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = (point[axis] - tree->origin[axis]) * tree->scale;
}

typedef struct gz_palette_query {
    gz_plain_query plain;
    const gz_volume_kind *kind; // of the last question
    void *scratch;              // of the walk; NULL before the first
} gz_palette_query;

void gz_palette_query_init(gz_palette_query *query, graze_context *context);
void gz_palette_query_free(gz_palette_query *query);
// Both trees have the same kind of volume. Fills query->plain.pairs and query->plain.counters.
graze_status gz_palette_query_run(gz_palette_query *query, const gz_palette *a,
                                  const graze_pose *pose_a, const gz_palette *b,
                                  const graze_pose *pose_b);

// For volumes: floats on the safe side of a double.

#endif
