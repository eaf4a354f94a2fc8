// Takers of plain lines (see lines.h) for the formats that are read as text, one set for each SIMD
// width; they take the same lines and give the same bits.
#ifndef GZ_LINE_TAKERS_H
#define GZ_LINE_TAKERS_H

#include "mesh/read/lines.h"

// What follows the numbers of a line that matter.
typedef struct gz_line_rest {
    uint32_t words; // so many words
    bool anything;  // then anything up to the end of the line
} gz_line_rest;

// A triangle that names a vertex from `vertex_count` on is not plain.
typedef struct gz_triangle_lines {
    uint64_t vertex_count;
    gz_line_rest rest;
} gz_triangle_lines;

typedef struct gz_line_takers {
    gz_line_taker *wide_vertices;   // "x y z" and the rest, as double[3]; form: gz_line_rest
    gz_line_taker *narrow_vertices; // the same as float[3]
    gz_line_taker *triangles; // "3 a b c" and the rest, as uint64_t[3]; form: gz_triangle_lines
    gz_line_taker *narrow_triangles; // the same as uint32_t[3]
    gz_line_taker *obj_vertices;     // "v x y z", as double[3]; form: NULL
    gz_line_taker *obj_triangles;    // "f a b c", each perhaps with /d, /d/d or //d behind, counted
                                     // from 1, as uint64_t[3] from 0; form: gz_triangle_lines,
                                     // without rest
    gz_line_taker *narrow_obj_triangles; // the same as uint32_t[3]
    gz_line_taker *facets;               // of ASCII STL, with all words, as double[9]; form: NULL
    uint64_t (*count_bytes)(const uint8_t *start, const uint8_t *end, uint8_t byte);
} gz_line_takers;

const gz_line_takers *gz_line_takers_of(const graze_context *context);

#endif
