// Does a shape have an inside, and which pieces is it made of? Found out once, when first asked.
#ifndef GZ_CLOSED_H
#define GZ_CLOSED_H

#include <stdbool.h>

#include "base/spill.h"
#include "query/shape_parts.h"

#define GZ_PIECE_POINT_BYTES (3 * sizeof(double))

typedef struct gz_piece_place {
    uint32_t leaf, slot;
} gz_piece_place;

// Pieces hang together through common edges. Two of them may touch in other ways, so there may be
// more than it seems, but no piece has two parts that are apart.
struct gz_pieces {
    bool closed; // every edge belongs to an even number of triangles
    uint64_t count;
    gz_spill points;        // of a model: a point of each piece, three doubles
    gz_piece_place first[]; // of a tree: a triangle of each piece
};

// Belongs to the shape. Any number of threads may ask at once.
// GRAZE_ERROR_MEMORY and GRAZE_ERROR_CANCELLED are said with a sentence.
graze_status gz_shape_pieces(const graze_shape *shape, const struct gz_pieces **pieces);
// A point of a piece, in the frame of the shape.
graze_status gz_piece_point(const graze_shape *shape, const struct gz_pieces *pieces,
                            uint64_t piece, double point[3]);
void gz_shape_free_pieces(graze_shape *shape); // and forgets them
uint64_t gz_shape_pieces_bytes(const graze_shape *shape);
graze_knowledge gz_shape_known_closed(const graze_shape *shape);

// How kinds of shapes find them: of one tree,
graze_status gz_tree_pieces(const graze_shape *shape, struct gz_pieces **made);
// and of a shape over a model, in an eighth of the memory that its cache has, beside the cache's
// own; temporary files hold the rest.
graze_status gz_model_pieces(const graze_shape *shape, struct gz_pieces **made);

#endif
