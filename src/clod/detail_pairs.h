// A question to two details: the walk down the tree of hull pairs, and what it leaves for the next
// one. Sections 5.1 and 5.2 of the paper.
#ifndef GZ_DETAIL_PAIRS_H
#define GZ_DETAIL_PAIRS_H

#include "clod/detail.h"

typedef struct gz_detail_wish {
    const graze_contact_detail *detail[2];
    const graze_pose *pose[2]; // sound
    double tolerance, error;
    graze_error_function *error_function; // NULL: there is none
    void *error_user;
    uint64_t work_limit, deadline; // 0: none; nanoseconds of base/clock.h
    struct gz_detail_front *front; // NULL: none
} gz_detail_wish;

// A pair of hulls that a walk has come to.
typedef struct gz_hull_pair {
    uint32_t a, b;
    uint32_t before;      // the same pair in the walk before; UINT32_MAX: it is not known
    uint32_t first_child; // in this walk; 0: it ended here
    double ratio;         // of the weighted deviation to the one that is allowed
    double least;         // apart by so much along the axis, when the walk came by; not above 0: no
    double most;          // not farther apart than this; infinite: not known
    float axis[3];
    uint32_t exact; // 1: two leaves, of which triangles are in contact
} gz_hull_pair;
typedef GZ_LIST(gz_hull_pair) gz_hull_pair_list;

// What the last question about two details left: all pairs that it came to.
typedef struct gz_detail_front {
    uint64_t serial[2]; // of the details
    gz_hull_map map;
    gz_hull_pair_list pairs;
} gz_detail_front;

typedef struct gz_waiting_pair {
    double ratio;
    uint32_t pair;
} gz_waiting_pair;

// Scratch and answer.
typedef struct gz_detail_run {
    graze_context *context;
    gz_hull_pair_list pairs;
    gz_index_list ends; // of the walk: contacts
    GZ_LIST(gz_waiting_pair) waiting;
    GZ_LIST(graze_detail_contact) contacts;
    gz_byte_list order, order_scratch;
    graze_detail_counters counters;
    uint64_t work;
    bool stopped, proved;
} gz_detail_run;

void gz_detail_front_free(graze_context *context, gz_detail_front *front);
void gz_detail_run_free(gz_detail_run *run);

// @return GRAZE_OK, GRAZE_ERROR_MEMORY, GRAZE_ERROR_CANCELLED; with a sentence.
graze_status gz_detail_walk(gz_detail_run *run, const gz_detail_wish *wish);

// The contact of a pair of nodes, for gz_detail_walk: see detail_contact.c.
typedef struct gz_detail_frames {
    const gz_detail_wish *wish;
    gz_hull_map map; // from b to a
    double radius;   // of the two together
    double stretch;  // lengths may be longer by this part after posing
    double slack;    // all rounding of coordinates
} gz_detail_frames;

// Hulls that are farther apart than this have nothing within the tolerance.
static inline double gz_detail_reach(const gz_detail_frames *frames, const gz_detail_node *a,
                                     const gz_detail_node *b)
{
    double stray = (a->stray + b->stray) * frames->stretch;
    return (frames->wish->tolerance + stray) * frames->stretch + frames->slack;
}

void gz_detail_frames_set(gz_detail_frames *frames, const gz_detail_wish *wish);
// The area in contact where two hulls are nearest.
double gz_detail_area(const gz_detail_frames *frames, const gz_detail_node *a,
                      const gz_detail_node *b, const gz_hull_answer *nearest);
// The box of the two points, in the world.
graze_box gz_detail_place(const gz_detail_frames *frames, const gz_hull_answer *nearest);
void gz_detail_contact(const gz_detail_frames *frames, const gz_hull_pair *pair,
                       graze_detail_contact *out);
// Whether triangles of two leaves are within the tolerance, exactly.
bool gz_detail_leaves_meet(const gz_detail_frames *frames, const gz_detail_node *a,
                           const gz_detail_node *b, uint64_t *test_count);

#endif
