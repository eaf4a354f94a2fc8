// Views: which boxes lie wholly before all others of other objects, asked of OpenGL. The CULLIDE
// paper's 4.1 to 4.5, made conservative.
//
// The driver is handed whole numbers only. A box covers pixels left to right and low to high, each
// inclusive, and the depths front to back, each a level below GZ_VIEW_LEVELS. Who makes boxes of
// that kind has mapped coordinates to numbers by a function that never falls, however it rounds: so
// two boxes that share a point share a pixel, and there the back of the one is not before the front
// of the other. That is the whole proof that nothing falls between pixels, at any resolution; for
// the driver's part in it see opengl_views.c.
//
// Objects stand in an order. Of a pair of objects it is the later one's boxes that are tested
// against the earlier one's in the forward pass, and the other way around in the reverse pass. So a
// box has two questions open: does it meet an earlier object, and does it meet a later one? Each
// view may answer one, both, or none; what a view has settled no other needs to ask again. Settled
// boxes are not drawn for others to be tested against either, as these cannot meet them. This goes
// beyond the paper, where a box has to be free both ways in one and the same view.
#ifndef GZ_OPENGL_VIEWS_H
#define GZ_OPENGL_VIEWS_H

#include "base/context.h"
#include "graze/cull.h"

#define GZ_VIEW_LEVELS (1u << 20)

typedef struct gz_view_box {
    uint16_t left, right; // pixels, both covered
    uint16_t low, high;
    uint32_t front, back; // levels: before all of it, and behind
} gz_view_box;
_Static_assert(sizeof(gz_view_box) == 16, "as the shaders read it");

// Boxes of one object, in three stretches: those with only the question of earlier objects open,
// those with both, and those with only the one of later objects.
typedef struct gz_viewed_object {
    uint32_t first, both, late, end; // first <= both <= late <= end
} gz_viewed_object;

enum { GZ_VIEW_FREE_OF_EARLIER = 1, GZ_VIEW_FREE_OF_LATER = 2 };

typedef struct gz_views gz_views;

// NULL, with a sentence in `why`, where OpenGL is not there, or does not draw as it must: some
// boxes are drawn and compared on the spot. Nothing is logged.
gz_views *gz_views_open(graze_context *context, uint32_t resolution, char why[256]);
void gz_views_close(gz_views *views); // accepts NULL
bool gz_views_software(const gz_views *views);
const char *gz_views_renderer(const gz_views *views);
uint32_t gz_views_resolution(const gz_views *views);
uint32_t gz_views_most_boxes(const gz_views *views); // in one look

// Around all looks of a frame: makes the context current, and what was before. What cannot go on
// has a sentence in gz_views_why.
bool gz_views_enter(gz_views *views);
void gz_views_leave(gz_views *views);
const char *gz_views_why(const gz_views *views);

// Both passes over boxes in the order of their objects. `freed` gets for each box what was settled.
// `whole`: one question an object, where that is cheaper; its boxes are settled together.
// In zfail mode the boxes of each stretch must lie from back to front (falling `back`): so an
// object does not hide from itself. Out of order, less is settled, and nothing wrongly.
// GRAZE_ERROR_UNSUPPORTED: the driver failed, and the views are of no more use. GRAZE_ERROR_MEMORY.
// Neither is logged.
graze_status gz_views_look(gz_views *views, graze_cull_passes passes, const gz_view_box *boxes,
                           uint32_t box_count, const gz_viewed_object *objects,
                           uint32_t object_count, bool whole, uint8_t *freed);

#endif
