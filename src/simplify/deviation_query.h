// What a question about deviations holds while it is answered; see deviation.h.
#ifndef GZ_DEVIATION_QUERY_H
#define GZ_DEVIATION_QUERY_H

#include "simplify/deviation_cover.h"

// A triangle of `from` that the first look did not settle.
typedef struct gz_unsettled {
    uint32_t number;
    uint32_t near;   // the target's triangle nearest to its middle
    double distance; // of the farthest point that was looked at
    double high;     // no point of it is farther
    double goal;     // for which it was not covered
} gz_unsettled;

struct gz_deviation_query {
    gz_cover_set near; // what is near a group of triangles; first, since it is aligned
    graze_context *context;
    gz_target target;
    GZ_LIST(gz_unsettled) unsettled;
    GZ_LIST(struct gz_gap_cell) cells; // of deviation_box.c
    gz_index_list owners;              // of the target's triangles as it has them
    gz_share_list taken;               // of one triangle
    struct gz_deviation_piece *pieces; // GZ_PILE_PIECES of them, see deviation_pieces.h
    // The bounds so far, in the target's coordinates. `low` has its margin taken off, and `high` is
    // that of what is settled, margins included.
    double low, high, gap, floor;
    double ceiling; // the goal is not above this
    bool rough;     // `low` need not be proved: it is no answer
    double witness[3];
    bool witnessed;
    uint64_t work_left;  // cells of a box
    uint64_t work_limit; // steps of searches
    uint64_t patience, patience_each;
    gz_deviation_counts counts;
};

// Begins an answer about something whose coordinates are at most `reach`.
void gz_deviation_begin(gz_deviation_query *query, double reach, double gap, double floor);
// What has no point farther than this is settled.
double gz_deviation_goal(const gz_deviation_query *query);
static inline void gz_deviation_settle(gz_deviation_query *query, double high)
{
    query->high = high > query->high ? high : query->high;
}
static inline bool gz_deviation_tired(const gz_deviation_query *query)
{
    return query->target.steps >= query->work_limit;
}
// The target's nearest triangle to p, or just the hint if too much was done already; p is at most
// `off` from a point that counts: raises `low`.
gz_nearby gz_deviation_look(gz_deviation_query *query, const double p[3], uint32_t hint,
                            double off);
// The same, where what is near, if that was gathered, is enough to know that p is not the farthest
// point.
gz_nearby gz_deviation_look_over(gz_deviation_query *query, const double p[3], uint32_t hint,
                                 double off);
static inline const gz_target_triangle *gz_deviation_triangle(const gz_deviation_query *query,
                                                              uint32_t t)
{
    return (const gz_target_triangle *)query->target.triangles.items + t;
}

// A few triangles that are near each other, of those sorted by keys.
enum { GZ_DEVIATION_GROUP = 32 };
typedef struct gz_deviation_group {
    double corner[GZ_DEVIATION_GROUP][3][3];
    double extra[GZ_DEVIATION_GROUP];
    uint32_t number[GZ_DEVIATION_GROUP], count;
    bool gathered; // query->near has what is near
    double goal;   // for which it was gathered
} gz_deviation_group;
// How many bits of the keys are those in a group.
int gz_deviation_group_bits(const uint64_t *keys, uint32_t count);
// Fills in the next group, of so many keys that are left, and gathers what is within the goal, or
// within `least` if that is more.
void gz_deviation_group_next(gz_deviation_query *query, const gz_surface *from,
                             const uint64_t *keys, uint32_t left, int bits, double least,
                             gz_deviation_group *g);
void gz_deviation_gather(gz_deviation_query *query, double least, gz_deviation_group *g);
double gz_deviation_extra(const gz_deviation_query *query, const gz_surface *from, uint32_t t);
// What an answer about `from` begins with. False: the answer is there already, in `out`.
graze_status gz_deviation_start(gz_deviation_query *query, const gz_surface *from, double gap,
                                double floor, gz_deviation *out, bool *done);
graze_status gz_deviation_no_memory(gz_deviation_query *query, const gz_surface *from);

// Sets `owners`, given in the order of the target's surface. False: out of memory.
bool gz_deviation_sort_owners(gz_deviation_query *query, const gz_surface *to,
                              const uint32_t *owner);

// The answer in the caller's units.
void gz_deviation_end(gz_deviation_query *query, gz_deviation *out);
void gz_deviation_free_cells(gz_deviation_query *query);
graze_status gz_deviation_check(const gz_deviation_query *query, double gap, double floor);

// Where sizes differ by more than this, the target is as good as a point: distances from it differ
// from those from its center by 2^-59 of the largest one, which is that of a corner. Each corner is
// given as half the way from the center, which cannot overflow.
#define GZ_DEVIATION_HUGE 0x1p60
void gz_deviation_halfway(const gz_deviation_query *query, const double position[3], double out[3]);
void gz_deviation_far_point(gz_deviation_query *query, const double halfway[3], double extra);
void gz_deviation_end_far(gz_deviation_query *query, gz_deviation *out);

#endif
