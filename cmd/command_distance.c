// graze distance: how far apart are two meshes, and where?
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "question_error.h"
#include "terminal.h"
#include "two_shapes.h"
#include "units.h"

typedef struct distance_run {
    graze_distance_def def;
    graze_distance answers[POSE_BATCH];
} distance_run;

static bool is_found(const graze_distance *answer)
{
    return answer->verdict == GRAZE_CONTACT || answer->verdict == GRAZE_WITHIN_ERROR;
}

// An interval and no number.
static bool is_interval(const graze_distance *answer)
{
    return is_found(answer) && answer->least < answer->distance;
}

static const char *verdict_name(const graze_distance *answer)
{
    if (is_found(answer))
        return is_interval(answer) ? "within error" : "measured";
    return answer->verdict == GRAZE_APART ? "farther" : "undecided";
}

// "0.0123, which is 12.3 mm"
static void print_length(const two_shapes *two, double length)
{
    char number[TEXT_BYTES], metres[TEXT_BYTES];
    fputs(print_real(number, length), stdout);
    if (two->metres_per_unit != 0.0 && length != 0.0)
        printf(", which is %s", print_metres(metres, two->metres_per_unit * length));
}

static void print_point(const two_shapes *two, int side, uint32_t triangle, const double point[3])
{
    char x[TEXT_BYTES], y[TEXT_BYTES], z[TEXT_BYTES];
    const graze_object *object = find_object(&two->sides[side], triangle);
    printf("  on %c   %s %s %s, of triangle %" PRIu32, "ab"[side], print_real(x, point[0]),
           print_real(y, point[1]), print_real(z, point[2]), triangle);
    if (object != NULL) {
        fputs(" in ", stdout);
        print_object(object);
    }
    putchar('\n');
}

// Points of levels of detail are near the true ones, and are of none of their triangles.
static void print_near(int side, const double point[3])
{
    char x[TEXT_BYTES], y[TEXT_BYTES], z[TEXT_BYTES];
    printf("  near %c %s %s %s\n", "ab"[side], print_real(x, point[0]), print_real(y, point[1]),
           print_real(z, point[2]));
}

// "distance: from 0.1 to 0.12, which is 100 mm to 120 mm", both rounded outward.
static void print_interval(const two_shapes *two, const graze_distance *answer)
{
    char low[TEXT_BYTES], high[TEXT_BYTES];
    printf("distance: from %s to %s", print_bound(low, answer->least, -1),
           print_bound(high, answer->distance, 1));
    if (two->metres_per_unit != 0.0)
        printf(", which is %s to %s", print_metres(low, two->metres_per_unit * answer->least),
               print_metres(high, two->metres_per_unit * answer->distance));
    puts(answer->least == 0.0 ? ", they may touch" : "");
    print_near(0, answer->point_a);
    print_near(1, answer->point_b);
}

static void print_answer(const two_shapes *two, const graze_distance_def *def,
                         const graze_distance *answer)
{
    char low[TEXT_BYTES], high[TEXT_BYTES];
    if (is_interval(answer)) {
        print_interval(two, answer);
    } else if (is_found(answer)) {
        fputs("distance: ", stdout);
        print_length(two, answer->distance);
        puts(answer->distance == 0.0 ? ", they touch" : "");
        print_point(two, 0, answer->pair.a, answer->point_a);
        print_point(two, 1, answer->pair.b, answer->point_b);
    } else if (answer->verdict == GRAZE_UNDECIDED) {
        printf("undecided: at least %s", print_real(low, answer->least));
        if (isfinite(answer->distance))
            printf(" and at most %s", print_real(high, answer->distance));
        printf("; stopped by %s\n", what_stopped(two->arguments));
    } else if (isfinite(def->limit)) {
        fputs("distance: more than ", stdout);
        print_length(two, def->limit);
        putchar('\n');
    } else {
        puts("distance: none, since a mesh without triangles is nowhere");
    }
}

// "label   0.0123   12   40": the triangles behind the distance.
static void print_row(const path_pose *at, const graze_distance *answer)
{
    char number[TEXT_BYTES], high[TEXT_BYTES];
    print_pose_name(at);
    if (is_interval(answer))
        printf("%s to %s\n", print_bound(number, answer->least, -1),
               print_bound(high, answer->distance, 1));
    else if (is_found(answer))
        printf("%-22s  triangles %" PRIu32 " and %" PRIu32 "\n",
               print_real(number, answer->distance), answer->pair.a, answer->pair.b);
    else
        puts(verdict_name(answer));
}

static void put_answer(const two_shapes *two, const path_pose *at, const graze_distance *answer,
                       double seconds)
{
    cmd_json out = {.file = stdout}, *json = &out;
    json_open(json, NULL, '{');
    put_question(json, two, at);
    json_text(json, "verdict", verdict_name(answer));
    json_real(json, "distance", answer->distance);
    json_real(json, "least", answer->least);
    if (is_found(answer) && !is_interval(answer))
        put_pair(json, "pair", two, &answer->pair);
    if (is_found(answer)) {
        json_reals(json, "point_a", answer->point_a, 3);
        json_reals(json, "point_b", answer->point_b, 3);
    }
    put_stats(json, two, seconds, &answer->counters);
    json_close(json, '}');
    json_end_line(json);
}

static int show_answer(two_shapes *two, const graze_distance_def *def, const path_pose *at,
                       const graze_distance *answer, double seconds)
{
    two_shapes_spent(two, seconds, &answer->counters);
    if (is_given(two->arguments, OPTION_JSON))
        put_answer(two, at, answer, seconds);
    else if (at != NULL)
        print_row(at, answer);
    else
        print_answer(two, def, answer);
    if (answer->verdict == GRAZE_UNDECIDED)
        return EXIT_STOPPED;
    bool found = is_found(answer) && (answer->least == 0.0 || isfinite(def->limit));
    return found ? EXIT_FOUND : EXIT_NOTHING_FOUND;
}

static int answer_one(two_shapes *two, const path_pose *at, const graze_distance_def *def)
{
    const cmd_side *a = &two->sides[0];
    cmd_side *b = &two->sides[1];
    graze_distance answer;
    double begun = now_seconds();
    if (at != NULL)
        b->pose = at->pose;
    int code =
        two_shapes_result(two, graze_query_distance(two->query, graze_at(a->shape, &a->pose),
                                                    graze_at(b->shape, &b->pose), def, &answer));
    return two->failed ? code : show_answer(two, def, at, &answer, now_seconds() - begun);
}

static graze_status distance_many(two_shapes *two, const graze_pose *poses, uint64_t count,
                                  void *data)
{
    distance_run *run = data;
    return graze_query_distance_many(two->query, graze_at(two->sides[0].shape, NULL),
                                     two->sides[1].shape, poses, count, &run->def, run->answers);
}

// What each pose costs is told only where they are asked for one after the other.
static int answer_some(two_shapes *two, const path_pose *at, uint64_t count, void *data)
{
    distance_run *run = data;
    int worst = EXIT_NOTHING_FOUND;
    double seconds;
    bool alone = run->def.time_limit != 0.0 ||
                 (is_given(two->arguments, OPTION_STATS) && is_given(two->arguments, OPTION_JSON));
    bool together =
        count > 1 && !alone && two_shapes_ask_many(two, at, count, distance_many, run, &seconds);
    for (uint64_t i = 0; i < count && !two->failed; ++i) {
        const path_pose *pose = at != NULL ? at + i : NULL;
        int code = together ? show_answer(two, &run->def, pose, &run->answers[i], seconds)
                            : answer_one(two, pose, &run->def);
        worst = code > worst || two->failed ? code : worst;
    }
    return worst;
}

int command_distance(const cmd_arguments *arguments)
{
    two_shapes two = {.arguments = arguments};
    distance_run run = {.def = graze_distance_def_default()};
    int code = two_shapes_open(&two, arguments, true);
    run.def.work_limit = arguments->number[OPTION_WORK_LIMIT];
    if (code == EXIT_NOTHING_FOUND)
        code = two_shapes_length(&two, OPTION_WITHIN, &run.def.limit);
    if (code == EXIT_NOTHING_FOUND)
        code = find_question_error(&two, &run.def.error, &run.def.time_limit);
    if (code == EXIT_NOTHING_FOUND)
        code = two_shapes_ask(&two, answer_some, &run);
    print_stats(&two);
    two_shapes_close(&two, code);
    return code;
}
