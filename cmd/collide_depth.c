// See collide_depth.h.
#include "collide_depth.h"

#include <math.h>
#include <stdio.h>

#include "units.h"

static const char *const verdict_names[] = {"undecided", "apart", "contact", "within error"};

graze_penetration_def depth_def(const cmd_arguments *arguments)
{
    graze_penetration_def def = graze_penetration_def_default();
    if (is_given(arguments, OPTION_DEPTH_ERROR))
        (void)parse_part(arguments->text[OPTION_DEPTH_ERROR], &def.error);
    def.work_limit = arguments->number[OPTION_WORK_LIMIT];
    return def;
}

int depth_code(const graze_penetration *depth)
{
    if (depth->defined && depth->verdict == GRAZE_UNDECIDED)
        return EXIT_STOPPED;
    return depth->low > 0.0 ? EXIT_FOUND : EXIT_NOTHING_FOUND;
}

static const char *who_is_open(const graze_penetration *depth)
{
    if (depth->closed_a || depth->closed_b)
        return depth->closed_a ? "b is not closed" : "a is not closed";
    return "neither is closed";
}

// "from 0.2 to 0.21, which is 20 cm to 21 cm"
static void print_bounds(const two_shapes *two, const graze_penetration *depth)
{
    char low[TEXT_BYTES], high[TEXT_BYTES];
    if (depth->low > 0.0)
        printf("from %s to %s", print_bound(low, depth->low, -1),
               print_bound(high, depth->high, 1));
    else
        printf("at most %s", print_bound(high, depth->high, 1));
    if (two->metres_per_unit == 0.0 || depth->high == 0.0)
        return;
    print_metres(low, two->metres_per_unit * depth->low);
    print_metres(high, two->metres_per_unit * depth->high);
    printf(", which is %s%s%s", depth->low > 0.0 ? low : "", depth->low > 0.0 ? " to " : "", high);
}

static void print_point(const char *term, const double point[3])
{
    char x[TEXT_BYTES], y[TEXT_BYTES], z[TEXT_BYTES];
    printf("  %-16s%s %s %s\n", term, print_real(x, point[0]), print_real(y, point[1]),
           print_real(z, point[2]));
}

void print_depth(const two_shapes *two, const graze_penetration *depth)
{
    fputs("depth: ", stdout);
    if (!depth->defined) {
        printf("none, since %s\n", who_is_open(depth));
        return;
    }
    if (depth->verdict == GRAZE_APART)
        fputs("0, no point is inside both", stdout);
    else if (isfinite(depth->high))
        print_bounds(two, depth);
    else
        fputs("not known: coordinates are too large or too small", stdout);
    if (depth->verdict == GRAZE_UNDECIDED && isfinite(depth->high))
        fputs(is_given(two->arguments, OPTION_WORK_LIMIT) ? "; stopped by --work-limit"
                                                          : "; rounding allows no better",
              stdout);
    putchar('\n');
    if (depth->low > 0.0) {
        print_point(depth->holder == 0 ? "inside a at" : "inside b at", depth->point);
        print_point("its surface at", depth->surface);
    }
}

void print_depth_column(const graze_penetration *depth)
{
    char low[TEXT_BYTES], high[TEXT_BYTES];
    if (!depth->defined)
        fputs("  depth none", stdout);
    else if (depth->verdict == GRAZE_APART)
        fputs("  depth 0", stdout);
    else if (!isfinite(depth->high))
        fputs("  depth not known", stdout);
    else
        printf("  depth %s to %s%s", print_bound(low, depth->low, -1),
               print_bound(high, depth->high, 1),
               depth->verdict == GRAZE_UNDECIDED ? ", stopped" : "");
}

void put_depth(cmd_json *json, const graze_penetration *depth)
{
    json_open(json, "depth", '{');
    json_bool(json, "defined", depth->defined != 0);
    json_bool(json, "closed_a", depth->closed_a != 0);
    json_bool(json, "closed_b", depth->closed_b != 0);
    if (depth->defined) {
        json_text(json, "verdict", verdict_names[depth->verdict]);
        json_real(json, "low", depth->low);
        json_real(json, "high", depth->high);
    }
    if (depth->low > 0.0) {
        json_text(json, "holder", depth->holder == 0 ? "a" : "b");
        json_reals(json, "point", depth->point, 3);
        json_reals(json, "surface", depth->surface, 3);
    }
    json_close(json, '}');
}
