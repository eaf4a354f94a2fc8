// graze make: one of the shapes or scenes of generators/, into a file or a file a frame.
#include <string.h>

#include "frames.h"
#include "make_scene.h"
#include "output.h"
#include "shapes.h"
#include "units.h"

// What can be made, by who takes the same options.
enum { TAKES_SHAPE = 1, TAKES_PLANT = 2, TAKES_REFINE = 4, TAKES_FRAMES = 8 };

static const struct {
    const char *name;
    int (*make)(const cmd_arguments *arguments);
    int operand_count, takes;
} scenes[] = {{"refine", make_refine, 2, TAKES_REFINE}, {"plant", make_plant, 1, TAKES_PLANT}};

static const struct {
    option_id id;
    int takers;
} special_options[] = {{OPTION_FACTOR, TAKES_REFINE},
                       {OPTION_RELIEF, TAKES_REFINE},
                       {OPTION_OBJECT_COUNT, TAKES_PLANT | TAKES_FRAMES},
                       {OPTION_LIST, TAKES_PLANT},
                       {OPTION_SIZE, TAKES_SHAPE},
                       {OPTION_DOUBLE, TAKES_SHAPE | TAKES_PLANT | TAKES_REFINE},
                       {OPTION_UNIT, TAKES_SHAPE | TAKES_PLANT | TAKES_REFINE},
                       {OPTION_FRAMES, TAKES_FRAMES},
                       {OPTION_FRAME, TAKES_FRAMES},
                       {OPTION_FORMAT, TAKES_FRAMES},
                       {OPTION_DENSITY, TAKES_FRAMES},
                       {OPTION_REPLACE, TAKES_FRAMES}};

static int check_options(const cmd_arguments *arguments, int taker)
{
    for (size_t i = 0; i < sizeof special_options / sizeof *special_options; ++i)
        if (is_given(arguments, special_options[i].id) && (special_options[i].takers & taker) == 0)
            return usage_error(arguments->command, "%s takes no --%s", arguments->operands[0],
                               options[special_options[i].id].name);
    return EXIT_NOTHING_FOUND;
}

static int check_operands(const cmd_arguments *arguments, int count)
{
    if (arguments->operand_count <= count)
        return EXIT_NOTHING_FOUND;
    return usage_error(arguments->command, "one argument too many: \"%s\"",
                       arguments->operands[count]);
}

static bool is_shape(const char *name)
{
    for (const generator_shape_kind *kind = generator_shape_kinds; kind->name != NULL; ++kind)
        if (strcmp(kind->name, name) == 0)
            return true;
    return false;
}

static int unknown_shape(const cmd_arguments *arguments, const char *name)
{
    const char *names[64];
    size_t count = 0;
    for (; generator_shape_kinds[count].name != NULL; ++count)
        names[count] = generator_shape_kinds[count].name;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i)
        names[count++] = scenes[i].name;
    for (size_t i = 0; generator_frames_scenes[i].name != NULL; ++i)
        names[count++] = generator_frames_scenes[i].name;
    const char *guess = closest_name(name, names, count);
    return usage_error(arguments->command, "there is no shape \"%s\"%s%s%s", name,
                       guess != NULL ? " (did you mean \"" : "", guess != NULL ? guess : "",
                       guess != NULL ? "\"?)" : "");
}

// From the command line to what is to be made. Returns the exit code.
static int take_shape(const cmd_arguments *arguments, generator_shape_def *def)
{
    const char *name = arguments->operands[0];
    if (!is_shape(name))
        return unknown_shape(arguments, name);
    int code = check_operands(arguments, 1);
    if (code == EXIT_NOTHING_FOUND)
        code = check_options(arguments, TAKES_SHAPE);
    if (code != EXIT_NOTHING_FOUND)
        return code;
    if (arguments->number[OPTION_TRIANGLES] > GENERATOR_SHAPE_TRIANGLES)
        return usage_error(arguments->command, "--triangles takes a number up to 1099511627776");
    *def = (generator_shape_def){
        .kind = name,
        .triangle_count = arguments->number[OPTION_TRIANGLES],
        .seed = arguments->number[OPTION_SEED],
        .precision = is_given(arguments, OPTION_DOUBLE) ? GRAZE_FLOAT64 : GRAZE_FLOAT32,
        .metres_per_unit = arguments->metres,
    };
    bool unit_unknown = false;
    const char *size = arguments->text[OPTION_SIZE];
    if (size == NULL || parse_length(size, arguments->metres, &def->size, &unit_unknown))
        return EXIT_NOTHING_FOUND;
    if (unit_unknown)
        return usage_error(arguments->command, "--size %s needs --unit, the unit of the file",
                           size);
    return usage_error(arguments->command, "--size %s is too large", size);
}

static int make_shape(const cmd_arguments *arguments)
{
    generator_shape_def def = {0};
    cmd_session session = {0};
    cmd_output output = {0};
    int code = take_shape(arguments, &def);
    if (code == EXIT_NOTHING_FOUND)
        code = session_open(&session, arguments);
    if (code == EXIT_NOTHING_FOUND)
        code = output_open(&output, &session, arguments,
                           generator_shape_is_soup(def.kind) ? GRAZE_ORDER_SOUP
                                                             : GRAZE_ORDER_VERTICES_FIRST,
                           true);
    if (code == EXIT_NOTHING_FOUND)
        code = output_close(&output, arguments, generator_shape_stream(&def, &output.sink));
    session_close(&session);
    return code;
}

static bool is_frames(const char *name)
{
    const generator_frames_scene *scene = generator_frames_scenes;
    while (scene->name != NULL && strcmp(scene->name, name) != 0)
        ++scene;
    return scene->name != NULL;
}

static int make_scene(const cmd_arguments *arguments, int (*make)(const cmd_arguments *arguments),
                      int operand_count, int takes)
{
    int code = check_operands(arguments, operand_count);
    if (code == EXIT_NOTHING_FOUND)
        code = check_options(arguments, takes);
    return code == EXIT_NOTHING_FOUND ? make(arguments) : code;
}

int command_make(const cmd_arguments *arguments)
{
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i)
        if (strcmp(arguments->operands[0], scenes[i].name) == 0)
            return make_scene(arguments, scenes[i].make, scenes[i].operand_count, scenes[i].takes);
    if (is_frames(arguments->operands[0]))
        return make_scene(arguments, make_frames, 1, TAKES_FRAMES);
    return make_shape(arguments);
}
