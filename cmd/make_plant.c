// graze make plant: a whole plant, and the list of what was planted in it. See plant.h.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "aside_file.h"
#include "json_out.h"
#include "make_scene.h"
#include "output.h"
#include "plant.h"
#include "written_path.h"

static int take_def(const cmd_arguments *arguments, generator_plant_def *def)
{
    *def = (generator_plant_def){
        .object_count = arguments->number[OPTION_OBJECT_COUNT],
        .triangle_count = arguments->number[OPTION_TRIANGLES],
        .seed = arguments->number[OPTION_SEED],
        .precision = is_given(arguments, OPTION_DOUBLE) ? GRAZE_FLOAT64 : GRAZE_FLOAT32,
        .metres_per_unit = arguments->metres,
    };
    if (is_given(arguments, OPTION_OBJECT_COUNT) &&
        (def->object_count == 0 || def->object_count > GENERATOR_PLANT_OBJECTS))
        return usage_error(arguments->command, "--objects takes a number from 1 to 1000000");
    if (is_given(arguments, OPTION_TRIANGLES) &&
        (def->triangle_count == 0 || def->triangle_count > GENERATOR_PLANT_TRIANGLES))
        return usage_error(arguments->command, "--triangles takes a number from 1 to 68719476736");
    return EXIT_NOTHING_FOUND;
}

static void print_object(cmd_json *json, const char *key, const generator_plant *plant,
                         uint64_t object)
{
    char name[GENERATOR_PLANT_NAME], group[GENERATOR_PLANT_NAME];
    generator_plant_name(plant, object, name, group);
    json_open(json, key, '{');
    json_count(json, "number", object);
    json_text(json, "name", name);
    json_text(json, "group", group);
    json_close(json, '}');
}

static void print_planted(cmd_json *json, const generator_plant *plant,
                          const generator_planted *planted)
{
    static const char *const directions[] = {"+x", "+y", "+z", "-x", "-y", "-z"};
    bool moves = planted->relation == GENERATOR_CLASH || planted->relation == GENERATOR_TOUCH ||
                 planted->relation == GENERATOR_CLEARANCE;
    json_open(json, NULL, '{');
    json_text(json, "relation", generator_relation_name(planted->relation));
    print_object(json, "a", plant, planted->a);
    print_object(json, "b", plant, planted->b);
    if (moves)
        json_text(json, "direction", directions[planted->direction]);
    if (planted->relation == GENERATOR_CLASH || planted->relation == GENERATOR_CLEARANCE) {
        json_real(json, planted->relation == GENERATOR_CLASH ? "depth" : "clearance",
                  planted->amount);
        json_real(json, "accuracy", planted->accuracy);
    }
    json_close(json, '}');
}

// One object of JSON; each pair starts a line.
static bool print_list(FILE *file, const cmd_arguments *arguments, const generator_plant *plant)
{
    cmd_json json = {.file = file};
    json_open(&json, NULL, '{');
    json_real(&json, "metres_per_unit", arguments->metres != 0.0 ? arguments->metres : 1.0);
    json_count(&json, "object_count", generator_plant_object_count(plant));
    json_count(&json, "triangles", generator_plant_triangle_count(plant));
    json_count(&json, "seed", arguments->number[OPTION_SEED]);
    json_open(&json, "planted", '[');
    for (uint64_t i = 0; i < generator_plant_planted_count(plant); ++i) {
        generator_planted planted = generator_plant_planted(plant, i);
        fputc('\n', file);
        print_planted(&json, plant, &planted);
    }
    json_close(&json, ']');
    json_close(&json, '}');
    json_end_line(&json);
    return ferror(file) == 0;
}

static int write_list(cmd_session *session, const cmd_arguments *arguments,
                      const generator_plant *plant, aside_file *list)
{
    const char *path = arguments->text[OPTION_LIST];
    if (path == NULL)
        return EXIT_NOTHING_FOUND;
    int error = aside_open(list, path);
    if (error != 0) {
        session_error(session, "%s: cannot create: %s", path, strerror(error));
        return EXIT_BAD_INPUT;
    }
    errno = 0;
    if (print_list(list->file, arguments, plant) && fflush(list->file) == 0)
        return EXIT_NOTHING_FOUND;
    session_error(session, "%s: cannot write: %s", path, strerror(errno != 0 ? errno : EIO));
    aside_abandon(list);
    return EXIT_RESOURCES;
}

// The list comes first, since it is the smaller one to fail, and takes its name last.
static int make(cmd_session *session, const cmd_arguments *arguments, const generator_plant *plant)
{
    cmd_output output = {0};
    aside_file list = {0};
    int code = output_open(&output, session, arguments, GRAZE_ORDER_VERTICES_FIRST, true);
    if (code != EXIT_NOTHING_FOUND)
        return code;
    code = write_list(session, arguments, plant, &list);
    if (code != EXIT_NOTHING_FOUND) {
        graze_mesh_writer_abandon(output.writer);
        return code;
    }
    code = output_close(&output, arguments, generator_plant_stream(plant, &output.sink));
    if (!is_given(arguments, OPTION_LIST))
        return code;
    if (code != EXIT_NOTHING_FOUND) {
        aside_abandon(&list);
        return code;
    }
    int error = aside_commit(&list);
    if (error == 0)
        return EXIT_NOTHING_FOUND;
    session_error(session, "%s: cannot write: %s", arguments->text[OPTION_LIST], strerror(error));
    return EXIT_RESOURCES;
}

static int check_list(const cmd_arguments *arguments)
{
    const char *list = arguments->text[OPTION_LIST], *path = arguments->text[OPTION_OUTPUT];
    int code = EXIT_NOTHING_FOUND;
    if (list != NULL)
        code = check_ending(arguments, list, "a list as JSON", ".json");
    if (list != NULL && path != NULL && code == EXIT_NOTHING_FOUND)
        code = check_not_both(arguments, list, path);
    return code;
}

int make_plant(const cmd_arguments *arguments)
{
    generator_plant_def def;
    generator_plant *plant = NULL;
    cmd_session session = {0};
    int code = take_def(arguments, &def);
    if (code == EXIT_NOTHING_FOUND)
        code = check_list(arguments);
    if (code == EXIT_NOTHING_FOUND)
        code = session_open(&session, arguments);
    if (code == EXIT_NOTHING_FOUND)
        code = session_result(&session, generator_plant_open(&def, &plant));
    if (code == EXIT_NOTHING_FOUND)
        code = make(&session, arguments, plant);
    generator_plant_close(plant);
    session_close(&session);
    return code;
}
