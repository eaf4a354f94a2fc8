// See picture_raster.h.
#include "picture_raster.h"

#include <string.h>

enum { USUAL_WIDTH = 1200, LEAST_WIDTH = 16, MOST_WIDTH = 16384 };

static raster_view view_of(const cmd_arguments *arguments, raster_view usual)
{
    const char *const *choices = options[OPTION_VIEW].choices;
    int view = 0;
    if (!is_given(arguments, OPTION_VIEW))
        return usual;
    while (choices[view + 1] != NULL && strcmp(choices[view], arguments->text[OPTION_VIEW]) != 0)
        view++;
    return (raster_view)view;
}

int read_picture_frame(const cmd_arguments *arguments, raster_view usual, picture_frame *frame)
{
    uint64_t width =
        is_given(arguments, OPTION_WIDTH) ? arguments->number[OPTION_WIDTH] : USUAL_WIDTH;
    if (width < LEAST_WIDTH || width > MOST_WIDTH)
        return usage_error(arguments->command, "a picture is from %d to %d pixels wide",
                           LEAST_WIDTH, MOST_WIDTH);
    *frame = (picture_frame){view_of(arguments, usual),
                             is_given(arguments, OPTION_UP) &&
                                 strcmp(arguments->text[OPTION_UP], "z") == 0,
                             (uint32_t)width};
    return EXIT_NOTHING_FOUND;
}

int open_picture_raster(cmd_session *session, const cmd_arguments *arguments, const graze_box *box,
                        raster *r)
{
    static const double none[3] = {0, 0, 0};
    bool empty = !(box->min[0] <= box->max[0]);
    picture_frame frame = {.width = 0};
    int code = read_picture_frame(arguments, VIEW_FRONT, &frame);
    if (code != EXIT_NOTHING_FOUND)
        return code;
    if (raster_open(r, empty ? none : box->min, empty ? none : box->max, frame.view, frame.z_up,
                    frame.width))
        return EXIT_NOTHING_FOUND;
    session_error(session, "out of memory for a picture");
    return EXIT_RESOURCES;
}
