// Connected pieces, as a forest over vertices, or triangles, whose roots stand for pieces.
#ifndef GZ_PIECES_H
#define GZ_PIECES_H

#include <stdbool.h>
#include <stdint.h>

static inline uint32_t gz_piece_root(uint32_t *piece, uint32_t v)
{
    while (piece[v] != v) {
        piece[v] = piece[piece[v]];
        v = piece[v];
    }
    return v;
}

// Returns whether they were two. The smaller number stays a root.
static inline bool gz_pieces_join(uint32_t *piece, uint32_t a, uint32_t b)
{
    a = gz_piece_root(piece, a);
    b = gz_piece_root(piece, b);
    if (a == b)
        return false;
    if (a < b)
        piece[b] = a;
    else
        piece[a] = b;
    return true;
}

#endif
