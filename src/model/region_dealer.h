// What dealing regions out holds while it works; see regions.h.
#ifndef GZ_REGION_DEALER_H
#define GZ_REGION_DEALER_H

#include "model/deviation_target.h"
#include "model/regions.h"

#define GZ_NOBODY UINT32_MAX // also: no vertex, no edge

// What is seen from a point: the nearest coarse triangle, in the target's order, and whose the
// triangles are that are as near as that. A point on a border may go with any of its owners.
typedef struct gz_sight {
    uint32_t near;
    uint32_t owner[GZ_TARGET_OWNERS]; // the nearest first; unused ones are GZ_NOBODY
} gz_sight;

typedef struct gz_deal_vertex {
    double position[3];
    gz_sight sight;
    uint32_t first;  // an owner that has a piece at it, or a border
    uint32_t others; // in `meetings`
    uint32_t local;  // its number in a region
    bool passed;     // by a border that was traced
} gz_deal_vertex;

// An edge that needed a look, from one vertex to one of higher number.
typedef struct gz_deal_edge {
    uint32_t low, high;
    uint32_t next;     // in the same slot
    uint32_t at;       // a vertex where the owner changes; GZ_NOBODY: it does not
    uint32_t owner[2]; // before and behind that; GZ_NOBODY: it cannot be told
} gz_deal_edge;

typedef struct gz_deal_piece {
    uint32_t corner[3];
    uint32_t owner; // GZ_NOBODY: not known yet
    uint32_t chord; // one along which it is cut
    float extra;
} gz_deal_piece;

// A vertex where a border that was traced passes an edge.
typedef struct gz_trace_point {
    uint32_t low, high; // of the edge
    uint32_t next;      // in the same slot
    uint32_t vertex;
    double place; // from low, 0, to high, 1
} gz_trace_point;

// A part of such a border, through a piece: between corners and vertices on edges.
typedef struct gz_trace_chord {
    uint32_t next; // of the same piece
    uint32_t end[2];
} gz_trace_chord;

struct gz_dealer {
    graze_context *context;
    gz_target target;
    const gz_deal *deal;
    const uint32_t *owner; // of the target's triangles
    gz_list owners;        // uint32_t, what `owner` points to
    gz_list vertices;      // gz_deal_vertex
    gz_list slots;         // uint32_t, vertices by their positions; then edges
    uint32_t slot_mask;
    gz_list numbers;             // uint32_t, of the vertices of one surface; then lists for regions
    gz_list pieces;              // gz_deal_piece
    gz_list edges;               // gz_deal_edge
    gz_list stars, star_pieces;  // uint32_t, pieces at each vertex, before any is cut
    uint32_t star_count;         // vertices then
    gz_list points, point_slots; // gz_trace_point, uint32_t
    uint32_t point_mask;
    gz_list chords;   // gz_trace_chord
    gz_list meetings; // of guests, see regions.c
    gz_list guests;
    gz_list places; // uint64_t, where the pieces and the guests of an owner begin
    gz_deal_counts counts;
};

static inline bool gz_same_place(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// Empty slots, at least so many, a power of two. False: no memory.
bool gz_dealer_set_slots(gz_dealer *dealer, gz_list *slots, uint64_t count, uint32_t *mask);
// The vertex in this place, of those of the fine surface; GZ_NOBODY: there is none.
uint32_t gz_dealer_find_vertex(const gz_dealer *dealer, const double position[3]);

// Notes that an owner has a piece at the vertex, or a border: the others there are its guests.
bool gz_dealer_meet(gz_dealer *dealer, uint32_t v, uint32_t owner);

// --- region_borders.c: whose are points and edges?

gz_sight gz_sight_from(gz_dealer *dealer, const double position[3], uint32_t hint);
static inline bool gz_sight_on_border(const gz_sight *sight)
{
    return sight->owner[1] != GZ_NOBODY;
}

// The owner of the middle of some vertices.
uint32_t gz_owner_between(gz_dealer *dealer, const uint32_t *vertices, uint32_t count);

// The edge between two vertices, looked at once. The pointer ends with the next call. NULL: no
// memory.
const gz_deal_edge *gz_deal_edge_look(gz_dealer *dealer, uint32_t v, uint32_t w);

// A new vertex, with nothing seen from it; GZ_NOBODY: no memory.
uint32_t gz_dealer_add_vertex(gz_dealer *dealer, const double position[3]);

// Rounding to the precision, and a bound of how far that moves a point between others, with what
// the arithmetic for it does. `size` are the largest coordinates of those.
double gz_deal_rounded(const gz_dealer *dealer, double x);
double gz_deal_rounding(const gz_dealer *dealer, const double size[3]);
// The point at a fraction of an edge, in the precision, and not beyond the ends in any coordinate.
void gz_deal_place_on(const gz_dealer *dealer, uint32_t a, uint32_t b, double t, double out[3]);

// --- region_trace.c: borders of the coarse mesh on the fine surface

enum { GZ_TRACE_POINTS = 8 }; // on an edge, at most

// Gives pieces chords. False: no memory.
bool gz_trace_borders(gz_dealer *dealer);
// The vertices on an edge, in order from v to w; returns how many.
uint32_t gz_trace_points(const gz_dealer *dealer, uint32_t v, uint32_t w,
                         uint32_t out[GZ_TRACE_POINTS]);

#endif
