// What a culler keeps from frame to frame: memory, and nothing of what the frame was. All lists
// grow to the largest frame and stay.
//
// The triangles of an object are cut into chunks, in their order, which threads take one by one.
// What is left of a chunk stands in blocks of sixteen triangles, whose boxes lie side by side; four
// blocks are a group of neighbouring triangles, and sixteen groups of an object are a row, sixteen
// rows a tier. So all boxes are compared sixteen at a time, from tiers down to triangles.
#ifndef GZ_CULL_STATE_H
#define GZ_CULL_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "cull/cull_engine.h"
#include "cull/cull_trial.h"
#include "geometry/kernels.h"

#define GZ_CULL_CHUNK  4096u // triangles that a thread looks at at once
#define GZ_CULL_BLOCK  16u
#define GZ_CULL_GROUP  64u
#define GZ_CULL_ROW    16u
#define GZ_CULL_BUFFER 2048u // pairs that wait to be tested

// Sixteen triangles that are left; unused lanes are empty boxes.
typedef struct gz_cull_block {
    float low[3][16], high[3][16];
    uint32_t triangle[16];
} __attribute__((aligned(64))) gz_cull_block;

// Sixteen groups, or sixteen rows; unused lanes are empty boxes.
typedef struct gz_cull_row {
    float low[3][16], high[3][16];
    uint32_t first[16]; // block
    uint32_t count[16]; // of triangles
} __attribute__((aligned(64))) gz_cull_row;

typedef struct gz_cull_chunk {
    uint32_t object;
    uint32_t first, count; // triangles
    uint32_t first_block, first_row, row_count;
    uint32_t left, groups_left; // triangles and groups
    // Of vertices, of which each chunk of an object looks at some.
    uint64_t first_vertex, vertex_count;
    graze_box box;    // of these
    bool finite;      // all of them
    uint32_t largest; // of its corners' vertex numbers
} gz_cull_chunk;

// What an object has beside gz_cull_object.
typedef struct gz_cull_content {
    graze_box bounds;     // of its vertices, or of its corners, in the world
    bool by_corners;      // the latter
    gz_cull_box interest; // where its triangles may meet others
    uint32_t first_chunk, chunk_count;
    uint32_t first_row, row_count, first_tier, tier_count;
} gz_cull_content;

// Pairs that were found, in pieces that belong to one task each.
typedef struct gz_cull_found {
    struct gz_cull_found *next;  // of the same task
    struct gz_cull_found *after; // of all there are
    uint32_t count;
    graze_pair pairs[1000];
} gz_cull_found;

// Some groups of one object against all of another one.
typedef struct gz_cull_task {
    uint32_t pair;            // of objects
    uint32_t first_row, rows; // of a, counted from its first
    uint64_t count;           // of pairs that were found
    gz_cull_found *found;
} gz_cull_task;

// A pair of objects on its way to the answer.
typedef struct gz_cull_object_work {
    gz_cull_box region; // where the two may meet
    uint32_t rounds;    // it took to find it
    uint32_t first_task, task_count;
    uint64_t count, first_pair;
} gz_cull_object_work;

// One side of a question, as kernels take it.
typedef struct gz_cull_side {
    const gz_cull_row *rows, *tiers;
    uint32_t row_count, tier_count;
    const graze_mesh_view *view;
    const float *p32; // positions: one of the two
    const double *p64;
    const uint32_t *corners;
    uint8_t *marks;      // a byte for each triangle: it is in the set
    const uint8_t *keep; // a byte for each triangle: 0, it meets no other object
} gz_cull_side;

// Sixteen pairs of triangles that have a corner in common: the others, relative to it. Where they
// have two in common, t[0] and u[0] are the second one.
typedef struct gz_cull_fans16 {
    float t[2][3][16], u[2][3][16]; // corner, axis, lane
} __attribute__((aligned(64))) gz_cull_fans16;

// Pairs of triangles with common corners, which wait to be tested.
typedef struct gz_cull_fans {
    gz_cull_fans16 lanes;
    graze_pair pairs[16];
    uint32_t count;
    uint32_t edges; // a bit for each: they have two in common
} gz_cull_fans;

// What a thread works with.
typedef struct gz_cull_worker {
    gz_cull_fans fans; // first, and boxes before pointers: so there are no gaps
    gz_cull_box region;
    struct graze_cull *cull;
    gz_cull_task *task;
    gz_cull_found *last; // of the task
    const gz_cull_block *blocks;
    gz_cull_side a, b;
    graze_cull_counters counters;
    graze_status status;
    bool self; // a and b are one
    bool stop; // no more is looked for
    uint32_t pair_count;
    graze_pair pairs[GZ_CULL_BUFFER];
} gz_cull_worker;

struct graze_cull {
    graze_context *context;
    graze_cull_def def;
    gz_cull_engine *engine; // NULL: the CPU
    gz_cull_trial trial;
    bool keep_pcs;
    graze_cull_frame_def asked;
    gz_cull_frame frame;
    double test_scale; // what makes distances in the world handy for floats: a power of two
    graze_cull_counters counters;

    GZ_LIST(gz_cull_object) objects;
    GZ_LIST(gz_cull_content) contents;
    GZ_LIST(gz_cull_chunk) chunks;
    GZ_LIST(uint64_t) order;      // of objects along an axis
    GZ_LIST(uint64_t) order_room; // to sort them in
    GZ_LIST(graze_pair) object_pairs;
    GZ_LIST(graze_pair) spare;
    gz_byte_list keep, marks;
    GZ_LIST(const uint8_t *) pcs;
    gz_index_list refused;
    GZ_LIST(gz_cull_block) blocks;
    GZ_LIST(gz_cull_row) rows, tiers;
    GZ_LIST(gz_cull_object_work) works;
    GZ_LIST(gz_cull_task) tasks;
    gz_index_list wave; // of tasks
    GZ_LIST(gz_cull_worker) workers;
    _Atomic uint32_t next; // task of the wave
    _Atomic bool failed;

    pthread_mutex_t lock;                    // of the two below
    gz_cull_found *first_found, *next_found; // all there are, and those that are free
    gz_cull_found **last_found;              // where another one is added
    uint64_t found_count;                    // pairs of the frame
    uint64_t done;                           // tasks
    GZ_LIST(graze_cull_objects) met;
    GZ_LIST(graze_pair) pairs;
    GZ_LIST(graze_contact) contacts;
};

// Makes a list as long as this; what is in it is anything. GRAZE_ERROR_MEMORY without a sentence.
#define GZ_CULL_SIZE(cull, list_name, wanted)                                                      \
    (gz_list_reserve((cull)->context, &(cull)->list_name, wanted)                                  \
         ? ((cull)->list_name.count = (wanted), GRAZE_OK)                                          \
         : GRAZE_ERROR_MEMORY)

// The steps of a frame; see cull_frame.h. Failures other than of memory have been said.
graze_status gz_cull_take_objects(graze_cull *cull, const graze_mesh_view *views, uint32_t count);
graze_status gz_cull_pair_objects(graze_cull *cull);
graze_status gz_cull_sift(graze_cull *cull);
graze_status gz_cull_join(graze_cull *cull);
graze_status gz_cull_list(graze_cull *cull);

gz_cull_found *gz_cull_found_take(graze_cull *cull); // NULL: out of memory
// Tests the pairs that wait in a worker.
void gz_cull_test(gz_cull_worker *worker);
// Triangles of one object, of which some corners are at the same place: do they share more than
// these, and what lies between?
bool gz_cull_folds(const graze_triangle *a, const graze_triangle *b);

static inline void gz_cull_boxes_cut(gz_cull_box *box, const gz_cull_box *by)
{
    for (int axis = 0; axis < 3; ++axis) {
        box->low[axis] = box->low[axis] > by->low[axis] ? box->low[axis] : by->low[axis];
        box->high[axis] = box->high[axis] < by->high[axis] ? box->high[axis] : by->high[axis];
    }
}
static inline void gz_cull_boxes_join(gz_cull_box *box, const gz_cull_box *with)
{
    for (int axis = 0; axis < 3; ++axis) {
        box->low[axis] = box->low[axis] < with->low[axis] ? box->low[axis] : with->low[axis];
        box->high[axis] = box->high[axis] > with->high[axis] ? box->high[axis] : with->high[axis];
    }
}
static inline gz_cull_box gz_cull_box_none(void)
{
    const float far = __builtin_inff();
    return (gz_cull_box){{far, far, far, 0}, {-far, -far, -far, 0}};
}

#endif
