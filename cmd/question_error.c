// See question_error.h.
#include "question_error.h"

#include <math.h>

#include "units.h"

bool may_have_error(const cmd_arguments *arguments)
{
    return is_given(arguments, OPTION_ANSWER_ERROR) || is_given(arguments, OPTION_BUDGET);
}

double smaller_width(const two_shapes *two)
{
    double smaller = HUGE_VAL;
    for (int i = 0; i < 2; ++i) {
        graze_shape_info info = graze_shape_get_info(two->sides[i].shape);
        double width = 0.0;
        for (int axis = 0; axis < 3; ++axis)
            width = fmax(width, info.box.max[axis] - info.box.min[axis]);
        if (info.triangle_count != 0)
            smaller = fmin(smaller, width);
    }
    return isfinite(smaller) ? smaller : 0.0;
}

static int prepare(two_shapes *two, double error, double time_limit)
{
    graze_collide_def def = graze_collide_def_default();
    def.error = error;
    def.time_limit = time_limit;
    if (time_limit == 0.0)
        return EXIT_NOTHING_FOUND;
    return session_result(&two->session,
                          graze_query_prepare(two->query, graze_at(two->sides[0].shape, NULL),
                                              graze_at(two->sides[1].shape, NULL), &def));
}

int find_question_error(two_shapes *two, double *error, double *time_limit)
{
    const char *text = two->arguments->text[OPTION_ANSWER_ERROR];
    const char *budget = two->arguments->text[OPTION_BUDGET];
    int code = EXIT_NOTHING_FOUND;
    *error = *time_limit = 0.0;
    if (budget != NULL)
        (void)parse_seconds(budget, time_limit); // it was checked when the line was taken apart
    if (text != NULL && !parse_share_of(text, smaller_width(two), error))
        code = two_shapes_length(two, OPTION_ANSWER_ERROR, error);
    return code == EXIT_NOTHING_FOUND ? prepare(two, *error, *time_limit) : code;
}

void print_error(FILE *file, const two_shapes *two, double error)
{
    char number[TEXT_BYTES], metres[TEXT_BYTES];
    double width = smaller_width(two);
    fputs(print_bound(number, error, 1), file);
    if (two->metres_per_unit != 0.0)
        fprintf(file, ", which is %s", print_metres(metres, two->metres_per_unit * error));
    if (width > 0.0)
        fprintf(file, ", %.3g %% of the smaller one's width", 100.0 * (error / width));
}

const char *what_stopped(const cmd_arguments *arguments)
{
    bool budget = is_given(arguments, OPTION_BUDGET);
    if (budget && arguments->number[OPTION_WORK_LIMIT] != 0)
        return "a limit";
    return budget ? "--budget" : "--work-limit";
}

static void print_cut(const two_shapes *two, int side, uint64_t cut)
{
    char count[TEXT_BYTES], all[TEXT_BYTES];
    uint64_t whole = two->sides[side].triangle_count;
    printf("  cut of %c        %s of %s triangle%s", "ab"[side], print_count(count, cut),
           print_count(all, whole), whole == 1 ? "" : "s");
    if (two->sides[side].model == NULL)
        fputs(", a mesh, which takes part as it is", stdout);
    else if (whole != 0 && cut < whole)
        printf(", %.3g %%", 100.0 * (double)cut / (double)whole);
    putchar('\n');
}

void print_reached(const two_shapes *two, const graze_answer *answer)
{
    if (!may_have_error(two->arguments) || answer->verdict == GRAZE_UNDECIDED)
        return;
    fputs("  error reached   ", stdout);
    if (answer->error == 0.0) {
        puts("none: this answer is exact");
        return;
    }
    print_error(stdout, two, answer->error);
    putchar('\n');
    print_cut(two, 0, answer->cut_a);
    print_cut(two, 1, answer->cut_b);
}

void put_reached(cmd_json *json, const two_shapes *two, const graze_answer *answer)
{
    if (!may_have_error(two->arguments))
        return;
    json_real(json, "error_reached", answer->error);
    json_open(json, "cut", '{');
    json_count(json, "a", answer->cut_a);
    json_count(json, "b", answer->cut_b);
    json_close(json, '}');
}
