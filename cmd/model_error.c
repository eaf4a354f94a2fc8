// See model_error.h.
#include "model_error.h"

#include <math.h>

#include "units.h"

double model_size(const graze_model *model)
{
    graze_model_info info = graze_model_get_info(model);
    double size = 0;
    for (int axis = 0; axis < 3 && info.triangle_count != 0; ++axis)
        size = fmax(size, info.box.max[axis] - info.box.min[axis]);
    return size;
}

int find_model_error(const cmd_arguments *arguments, const graze_model *model, double *error)
{
    const char *text = arguments->text[OPTION_ERROR];
    graze_model_info info = graze_model_get_info(model);
    bool unit_unknown = false;
    if (parse_share_of(text, model_size(model), error) ||
        parse_tolerance(text, info.metres_per_unit, error, &unit_unknown))
        return EXIT_NOTHING_FOUND;
    return usage_error(arguments->command, "--error %s: the model does not say its unit", text);
}
