// Pieces of triangles: a triangle is cut into convex polygons, until each of them is near enough to
// one triangle of the target.
#ifndef GZ_DEVIATION_PIECES_H
#define GZ_DEVIATION_PIECES_H

#include "simplify/deviation_query.h"

// A long triangle in a heap of small parts is cut more than a hundred times. Patience ends the
// search where that does not help.
enum { GZ_PIECE_CORNERS = 12, GZ_PIECE_DEPTH = 240 };

typedef struct gz_deviation_piece {
    double corner[GZ_PIECE_CORNERS][3];
    double distance[GZ_PIECE_CORNERS]; // from one triangle of the target
    uint32_t near;                     // that one
    uint32_t count, depth;
} gz_deviation_piece;

// Takes a piece that is settled, the target's triangle that it is near to, and how far from that no
// point of it is, with its extra and all errors.
typedef void gz_piece_taker(void *data, const gz_deviation_piece *piece, uint32_t near,
                            double high);

// The pieces themselves are those of the query, which are too many for a stack.
#define GZ_PILE_PIECES (GZ_PIECE_DEPTH + 2)
typedef struct gz_pile {
    uint32_t count;
    double extra;         // of the triangle that they are pieces of
    gz_piece_taker *take; // NULL: nobody
    void *data;
} gz_pile;

// How far a piece may be from the exact one: exact ones make up the triangle.
double gz_piece_off(const gz_deviation_query *query, const gz_deviation_piece *piece);

// Settles a triangle, of which one in the target, `near`, is near.
void gz_pile_settle(gz_deviation_query *query, gz_pile *pile, const double corner[3][3],
                    double extra, uint32_t near);

#endif
