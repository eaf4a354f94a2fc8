// See picture_pcs.h. As in figure 5 of the CULLIDE paper; only that what is behind something is
// seen through it.
#include "picture_pcs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cull_ask.h"
#include "frame_objects.h"
#include "picture_raster.h"
#include "written_path.h"

// What is known of each triangle: bytes, object after object.
typedef struct marks {
    uint8_t **contact; // of each object
    uint8_t *all;
} marks;

static graze_status make_marks(const frame_objects *frame, marks *made)
{
    uint8_t *next = calloc((size_t)frame->triangle_count + 1, 1);
    *made =
        (marks){.contact = calloc((size_t)frame->count + 1, sizeof *made->contact), .all = next};
    if (made->contact == NULL || next == NULL)
        return GRAZE_ERROR_MEMORY;
    for (uint32_t i = 0; i < frame->count; ++i) {
        made->contact[i] = next;
        next += frame->views[i].triangle_count;
    }
    return GRAZE_OK;
}

static void free_marks(marks *made)
{
    free((void *)made->contact);
    free(made->all);
}

static void mark_contacts(const graze_cull_answer *answer, const marks *made)
{
    for (uint64_t i = 0; i < answer->object_pair_count; ++i) {
        const graze_cull_objects *two = &answer->objects[i];
        for (uint64_t k = 0; k < two->pair_count; ++k) {
            const graze_pair *pair = &answer->pairs[two->first_pair + k];
            made->contact[two->a][pair->a] = 1;
            made->contact[two->b][pair->b] = 1;
        }
    }
}

// --- Drawing

static bool is_finite(const double corner[3][3])
{
    bool finite = true;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            finite = finite && isfinite(corner[i][k]);
    return finite;
}

static void take_corners(const graze_mesh_view *view, uint64_t triangle, double corner[3][3])
{
    for (uint32_t i = 0; i < 3; ++i)
        graze_mesh_view_corner(view, triangle, i, corner[i]);
}

static graze_box box_of(const frame_objects *frame)
{
    graze_box box = graze_box_empty();
    for (uint32_t i = 0; i < frame->count; ++i)
        for (uint64_t t = 0; t < frame->views[i].triangle_count; ++t) {
            double corner[3][3];
            take_corners(&frame->views[i], t, corner);
            for (int c = 0; c < 3 && is_finite(corner); ++c)
                for (int k = 0; k < 3; ++k) {
                    box.min[k] = fmin(box.min[k], corner[c][k]);
                    box.max[k] = fmax(box.max[k], corner[c][k]);
                }
        }
    return box;
}

static void draw_triangle(raster *r, const graze_mesh_view *view, uint64_t triangle,
                          raster_paint paint)
{
    double corner[3][3];
    float place[3][3];
    take_corners(view, triangle, corner);
    if (!is_finite(corner))
        return;
    for (int i = 0; i < 3; ++i)
        raster_place(r, corner[i], place[i]);
    r->paint = paint;
    raster_draw(r, place[0], place[1], place[2]);
}

static int draw_frame(const frame_objects *frame, const graze_cull_answer *answer,
                      const marks *made, pcs_picture *picture)
{
    for (uint32_t i = 0; i < frame->count; ++i) {
        raster_paint own = (raster_paint)(PAINT_OBJECT + i % PAINT_OBJECTS);
        for (uint64_t t = 0; t < frame->views[i].triangle_count; ++t) {
            bool meets = made->contact[i][t] != 0, left = meets || answer->pcs[i][t] != 0;
            picture->left_count += left;
            picture->contact_count += meets;
            int layer = meets ? LAYER_CONTACT : left ? LAYER_LEFT : LAYER_CULLED;
            draw_triangle(&picture->layers[layer], &frame->views[i], t,
                          meets  ? PAINT_CONTACT
                          : left ? own
                                 : PAINT_PALE);
        }
        if (is_stopped())
            return EXIT_STOPPED;
    }
    return EXIT_NOTHING_FOUND;
}

// --- All of it

static int cull_and_draw(cmd_session *session, const cmd_arguments *arguments,
                         const frame_objects *frame, graze_cull *cull, pcs_picture *picture)
{
    graze_cull_frame_def def = cull_question(arguments, GRAZE_COLLECT_PAIRS);
    graze_cull_answer answer;
    marks made = {NULL, NULL};
    int code = take_cull_tolerance(arguments, frame->metres_per_unit, &def);
    if (code == EXIT_NOTHING_FOUND) {
        graze_cull_keep_pcs(cull, 1);
        code = session_result(session,
                              graze_cull_frame(cull, frame->views, frame->count, &def, &answer));
    }
    if (code == EXIT_NOTHING_FOUND)
        code = session_result(session, make_marks(frame, &made));
    if (code == EXIT_NOTHING_FOUND) {
        graze_box box = box_of(frame);
        mark_contacts(&answer, &made);
        for (int i = 0; i < PCS_LAYERS && code == EXIT_NOTHING_FOUND; ++i)
            code = open_picture_raster(session, arguments, &box, &picture->layers[i]);
    }
    if (code == EXIT_NOTHING_FOUND)
        code = draw_frame(frame, &answer, &made, picture);
    free_marks(&made);
    return code;
}

int draw_pcs(cmd_session *session, const cmd_arguments *arguments, pcs_picture *picture)
{
    const char *path = arguments->operands[0];
    frame_objects frame = {.count = 0};
    graze_cull *cull = NULL;
    int code = check_is_no_model(session, path);
    if (code == EXIT_NOTHING_FOUND)
        code = session_result(session, read_frame_objects(session, arguments, path, 0.0, &frame));
    if (code == EXIT_NOTHING_FOUND)
        code = open_culler(session, arguments, &cull);
    if (code == EXIT_NOTHING_FOUND) {
        picture->losses = frame.losses;
        code = cull_and_draw(session, arguments, &frame, cull, picture);
    }
    graze_cull_free(cull);
    free_frame_objects(&frame);
    return code;
}

void close_pcs(pcs_picture *picture)
{
    for (int i = 0; i < PCS_LAYERS; ++i)
        raster_close(&picture->layers[i]);
}
