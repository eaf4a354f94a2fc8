// One frame as the parts of a culler share it. The way of a frame:
//   1. cull.c, cull_objects.c   objects are checked, get boxes, and pairs of boxes that overlap
//   2. an engine                clears the bytes of triangles that it proves to meet no other
//   object
//   3. cull_sift.c ...          pairs among the triangles that are left are found, and tested
//   exactly
// The second step is optional: what is left after it is right if no byte of a triangle was cleared
// that is in contact with a triangle of another object. The CPU needs no engine, since its third
// step begins with all triangles and shrinks boxes as the paper shrinks its set.
#ifndef GZ_CULL_FRAME_H
#define GZ_CULL_FRAME_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "geometry/rounding.h"
#include "graze/cull.h"

// Along the axes, in floats, rounded outward. The fourth numbers are padding, or what their owner
// says. Empty where low > high.
typedef struct gz_cull_box {
    float low[4], high[4];
} __attribute__((aligned(32))) gz_cull_box;
_Static_assert(sizeof(gz_cull_box) == 32, "two to a cache line");

typedef struct gz_cull_object {
    const graze_mesh_view *view;
    uint32_t first;          // place of its first triangle in `keep`: a multiple of 16
    uint32_t triangle_count; // 0 where it is refused
    uint32_t partner_count;  // objects whose boxes overlap its own; 0: it is culled
    bool refused;
    gz_cull_box box; // of all its triangles, as gz_cull_triangle_box has theirs
} gz_cull_object;

typedef struct gz_cull_frame {
    graze_context *context;
    const gz_cull_object *objects;
    uint32_t object_count;
    const graze_pair *pairs; // of objects whose boxes overlap: a < b, or a == b where an object is
                             // asked about itself; sorted by a, then b
    uint64_t pair_count;
    uint8_t *keep;        // a byte for each place: 0, it is proved to be in no contact with others
    uint64_t place_count; // a multiple of 16; places behind the triangles of an object are 0
    double tolerance;
    bool self, only_self;
    // Boxes are in the units of the frame: of x in the world they hold (x - origin) * scale. Both
    // are trivial if all objects are in float. The scale is a power of two.
    bool raw; // they are trivial
    double origin[3], scale;
    float grow; // boxes are grown by so much: at least half the tolerance
} gz_cull_frame;

// A corner of a triangle, in the units of the frame: bounds, rounded outward where need be.
static inline void gz_cull_corner(const gz_cull_frame *frame, const graze_mesh_view *view,
                                  uint32_t vertex, float low[3], float high[3])
{
    for (uint64_t axis = 0; axis < 3; ++axis) {
        uint64_t at = 3 * (uint64_t)vertex + axis;
        if (frame->raw) {
            low[axis] = high[axis] = ((const float *)view->positions)[at];
            continue;
        }
        double x = view->precision == GRAZE_FLOAT32 ? (double)((const float *)view->positions)[at]
                                                    : ((const double *)view->positions)[at];
        // The difference is rounded, and so may be the product where it is below all floats.
        double moved = (x - frame->origin[axis]) * frame->scale;
        low[axis] = gz_step_down(gz_round_down(moved));
        high[axis] = gz_step_up(gz_round_up(moved));
    }
}

// Of numbers beyond those that are finite the last one is as good: all are moved in one direction,
// so that what overlaps goes on doing so. Only empty boxes have infinities.
static inline float gz_cull_finite(float x)
{
    return x > FLT_MAX ? FLT_MAX : x < -FLT_MAX ? -FLT_MAX : x;
}

static inline void gz_cull_box_grow(gz_cull_box *box, float by)
{
    for (int axis = 0; axis < 3; ++axis) {
        if (by > 0) {
            box->low[axis] = gz_step_down(box->low[axis] - by);
            box->high[axis] = gz_step_up(box->high[axis] + by);
        }
        box->low[axis] = gz_cull_finite(box->low[axis]);
        box->high[axis] = gz_cull_finite(box->high[axis]);
    }
}

// The box of a triangle, grown: those of two that are within the tolerance overlap.
static inline gz_cull_box gz_cull_triangle_box(const gz_cull_frame *frame,
                                               const gz_cull_object *object, uint64_t triangle)
{
    const uint32_t *corners = object->view->corners + 3 * triangle;
    gz_cull_box box = {{0}, {0}};
    for (int corner = 0; corner < 3; ++corner) {
        float low[3], high[3];
        gz_cull_corner(frame, object->view, corners[corner], low, high);
        for (int axis = 0; axis < 3; ++axis) {
            if (corner == 0 || low[axis] < box.low[axis])
                box.low[axis] = low[axis];
            if (corner == 0 || high[axis] > box.high[axis])
                box.high[axis] = high[axis];
        }
    }
    gz_cull_box_grow(&box, frame->grow);
    return box;
}

static inline bool gz_cull_boxes_apart(const gz_cull_box *a, const gz_cull_box *b)
{
    for (int axis = 0; axis < 3; ++axis)
        if (a->high[axis] < b->low[axis] || b->high[axis] < a->low[axis])
            return true;
    return false;
}

#endif
