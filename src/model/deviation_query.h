// What a question about deviations holds while it is answered; see deviation.h.
#ifndef GZ_DEVIATION_QUERY_H
#define GZ_DEVIATION_QUERY_H

#include "model/deviation_cover.h"

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
    gz_list unsettled; // gz_unsettled
    gz_list cells;     // of deviation_box.c
    // The bounds so far, in the target's coordinates. `low` has its margin taken off, and `high` is
    // that of what is settled, margins included.
    double low, high, gap, floor;
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
