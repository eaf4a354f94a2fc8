// See cull_ask.h.
#include "cull_ask.h"

#include <string.h>

#include "units.h"

enum { LEAST_RESOLUTION = 16, MOST_RESOLUTION = 4096 };

// The choices of an option are in the order of an enum that begins with 0, which is the default.
static int choice_of(const cmd_arguments *arguments, option_id id)
{
    int choice = 0;
    for (int i = 0; is_given(arguments, id) && options[id].choices[i] != NULL; ++i)
        if (strcmp(options[id].choices[i], arguments->text[id]) == 0)
            choice = i;
    return choice;
}

int check_cull_options(const cmd_arguments *arguments)
{
    uint64_t resolution = arguments->number[OPTION_RESOLUTION];
    if (is_given(arguments, OPTION_SELF) && is_given(arguments, OPTION_ONLY_SELF))
        return usage_error(arguments->command, "--self and --only-self cannot go together");
    if (is_given(arguments, OPTION_RESOLUTION) &&
        (resolution < LEAST_RESOLUTION || resolution > MOST_RESOLUTION))
        return usage_error(arguments->command, "--resolution takes a number from %d to %d",
                           LEAST_RESOLUTION, MOST_RESOLUTION);
    if (choice_of(arguments, OPTION_ENGINE) == GRAZE_CULL_CPU &&
        (is_given(arguments, OPTION_RESOLUTION) || is_given(arguments, OPTION_PASSES)))
        return usage_error(arguments->command, "--passes and --resolution are for --engine opengl");
    return EXIT_NOTHING_FOUND;
}

int open_culler(cmd_session *session, const cmd_arguments *arguments, graze_cull **cull)
{
    graze_cull_def def = graze_cull_def_default();
    def.engine = (graze_cull_engine)choice_of(arguments, OPTION_ENGINE);
    def.passes = (graze_cull_passes)choice_of(arguments, OPTION_PASSES);
    def.resolution = (uint32_t)arguments->number[OPTION_RESOLUTION];
    if (def.engine == GRAZE_CULL_OPENGL &&
        (is_given(arguments, OPTION_SELF) || is_given(arguments, OPTION_ONLY_SELF)))
        note(session, "warning: each object hides itself: with --%s the CPU culls",
             is_given(arguments, OPTION_SELF) ? "self" : "only-self");
    return session_result(session, graze_cull_create(session->context, &def, cull));
}

int take_cull_tolerance(const cmd_arguments *arguments, double metres_per_unit,
                        graze_cull_frame_def *def)
{
    const char *text = arguments->text[OPTION_TOLERANCE];
    bool unit_unknown = false;
    if (text == NULL || parse_tolerance(text, metres_per_unit, &def->tolerance, &unit_unknown))
        return EXIT_NOTHING_FOUND;
    if (unit_unknown)
        return usage_error(arguments->command,
                           "--tolerance %s: the files do not say their unit of length; --unit does",
                           text);
    return usage_error(arguments->command, "--tolerance %s is too large", text);
}

graze_cull_frame_def cull_question(const cmd_arguments *arguments, graze_collect collect)
{
    graze_cull_frame_def def = graze_cull_frame_def_default();
    def.collect = collect;
    def.self = is_given(arguments, OPTION_SELF) || is_given(arguments, OPTION_ONLY_SELF);
    def.only_self = is_given(arguments, OPTION_ONLY_SELF);
    def.pair_limit = arguments->number[OPTION_LIMIT];
    return def;
}
