// What graze path prints about a scene: rows of contacts for programs, stretches for people.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "clash_print.h"
#include "csv_out.h"
#include "path_scene.h"
#include "terminal.h"

#define MOST_STRETCHES 40 // that are printed; whoever has more wants rows
#define MOVER_COLUMNS  24

const char *object_path(const graze_scene *scene, graze_object_id id)
{
    graze_scene_object object;
    return graze_scene_get(scene, id, &object) == GRAZE_OK ? object.path : "";
}

static bool has_depth(const graze_clash *clash)
{
    return clash->kind == GRAZE_CLASH_OVERLAP || clash->kind == GRAZE_CLASH_CONTAINED;
}

static bool has_gap(const graze_clash *clash)
{
    return clash->kind == GRAZE_CLASH_CLEARANCE || clash->kind == GRAZE_CLASH_TOUCHING;
}

static const char *kind_name(const graze_clash *clash)
{
    return clash->kind == GRAZE_CLASH_NONE ? NULL : graze_clash_kind_text(clash->kind);
}

// The clock tells nanoseconds.
static double to_milliseconds(double seconds) { return round(1e9 * seconds) / 1e6; }

// --- Rows

void print_scene_names(FILE *file)
{
    fputs("step,line,label,what,mover,other,kind,depth_low,depth_high,gap,length,distance,"
          "x_mover,y_mover,z_mover,x_other,y_other,z_other,milliseconds\n",
          file);
}

static void begin_row(cmd_csv *csv, const path_run *run, const char *what, graze_object_id mover,
                      graze_object_id other)
{
    const path_step *step = &run->steps.items[run->steps.count - 1];
    csv_count(csv, run->steps.count);
    csv_count(csv, step->line);
    csv_text(csv, step->label);
    csv_text(csv, what);
    csv_text(csv, object_path(run->scene->scene, mover));
    csv_text(csv, object_path(run->scene->scene, other));
}

static void end_row(cmd_csv *csv, const path_run *run, const double lengths[5],
                    const double *point_a, const double *point_b)
{
    static const double none[3] = {NAN, NAN, NAN};
    double milliseconds = to_milliseconds(run->steps.items[run->steps.count - 1].seconds);
    csv_reals(csv, lengths, 5);
    csv_reals(csv, point_a != NULL ? point_a : none, 3);
    csv_reals(csv, point_b != NULL ? point_b : none, 3);
    csv_reals(csv, &milliseconds, 1);
    csv_end_row(csv);
}

static void print_contact_row(FILE *file, const path_run *run, const graze_motion_contact *contact)
{
    cmd_csv csv = {.file = file};
    const graze_clash *clash = &contact->clash;
    bool known = clash->kind != GRAZE_CLASH_NONE;
    double lengths[5] = {has_depth(clash) ? clash->depth_low : NAN,
                         has_depth(clash) ? clash->depth_high : NAN,
                         has_gap(clash) ? clash->gap : NAN,
                         clash->kind == GRAZE_CLASH_CROSSING ? clash->length : NAN, NAN};
    begin_row(&csv, run, "contact", contact->mover, contact->other);
    csv_text(&csv, kind_name(clash));
    end_row(&csv, run, lengths, known ? clash->point_a : NULL, known ? clash->point_b : NULL);
}

static void print_nearest_row(FILE *file, const path_run *run, const graze_motion_nearest *nearest)
{
    cmd_csv csv = {.file = file};
    bool known = nearest->other.index1 != 0;
    double lengths[5] = {NAN, NAN, NAN, NAN, nearest->distance.distance};
    begin_row(&csv, run, "nearest", nearest->mover, nearest->other);
    csv_text(&csv, NULL);
    end_row(&csv, run, lengths, known ? nearest->distance.point_a : NULL,
            known ? nearest->distance.point_b : NULL);
}

void print_scene_rows(FILE *file, const path_run *run)
{
    const graze_motion_answer *answer = &run->scene->answer;
    for (uint64_t i = 0; i < answer->contact_count; ++i)
        print_contact_row(file, run, &answer->contacts[i]);
    for (uint64_t i = 0; i < answer->nearest_count; ++i)
        print_nearest_row(file, run, &answer->nearest[i]);
}

// --- JSON

static void put_contact(cmd_json *json, const path_run *run, const graze_motion_contact *contact)
{
    const graze_clash *clash = &contact->clash;
    json_open(json, NULL, '{');
    json_text(json, "mover", object_path(run->scene->scene, contact->mover));
    json_text(json, "other", object_path(run->scene->scene, contact->other));
    if (run->scene->def.kinds != 0) {
        json_text(json, "kind", kind_name(clash));
        if (clash->kind == GRAZE_CLASH_CONTAINED)
            json_text(json, "inner", clash->inner == 0 ? "mover" : "other");
        json_real(json, "depth_low", has_depth(clash) ? clash->depth_low : NAN);
        json_real(json, "depth_high", has_depth(clash) ? clash->depth_high : NAN);
        json_real(json, "gap", has_gap(clash) ? clash->gap : NAN);
        json_real(json, "length", clash->kind == GRAZE_CLASH_CROSSING ? clash->length : NAN);
        json_reals(json, "point_mover", clash->point_a, 3);
        json_reals(json, "point_other", clash->point_b, 3);
    }
    json_close(json, '}');
}

static void put_nearest(cmd_json *json, const path_run *run, const graze_motion_nearest *nearest)
{
    bool known = nearest->other.index1 != 0;
    json_open(json, NULL, '{');
    json_text(json, "mover", object_path(run->scene->scene, nearest->mover));
    json_text(json, "other", known ? object_path(run->scene->scene, nearest->other) : NULL);
    json_real(json, "distance", nearest->distance.distance);
    if (known) {
        json_reals(json, "point_mover", nearest->distance.point_a, 3);
        json_reals(json, "point_other", nearest->distance.point_b, 3);
    }
    json_close(json, '}');
}

void put_scene_step(const path_run *run)
{
    const graze_motion_answer *answer = &run->scene->answer;
    const path_step *step = &run->steps.items[run->steps.count - 1];
    cmd_json out = {.file = stdout}, *json = &out;
    json_open(json, NULL, '{');
    json_count(json, "step", run->steps.count);
    json_count(json, "line", step->line);
    json_text(json, "label", step->label);
    json_text(json, "verdict", path_verdict_names[step->verdict]);
    json_open(json, "contacts", '[');
    for (uint64_t i = 0; i < answer->contact_count; ++i)
        put_contact(json, run, &answer->contacts[i]);
    json_close(json, ']');
    if (run->scene->def.distance > 0.0) {
        json_open(json, "nearest", '[');
        for (uint64_t i = 0; i < answer->nearest_count; ++i)
            put_nearest(json, run, &answer->nearest[i]);
        json_close(json, ']');
    }
    json_real(json, "milliseconds", to_milliseconds(step->seconds));
    json_count(json, "near_pairs", answer->near_count);
    json_count(json, "cluster_pairs", step->cluster_pairs);
    json_count(json, "triangle_tests", step->triangle_tests);
    json_count(json, "page_loads", step->page_loads);
    json_close(json, '}');
    json_end_line(json);
}

// --- For people

static int print_object_path(const path_run *run, graze_object_id id)
{
    const char *path = object_path(run->scene->scene, id);
    return print_clean(stdout, path[0] != '\0' ? path : "(no name)", 0);
}

static void print_object_stretch(const path_run *run, const object_stretch *stretch)
{
    char range[2 * TEXT_BYTES], amount[TEXT_BYTES + 8];
    const graze_clash *worst = &stretch->worst;
    clash_printer printer = {.metres_per_unit = run->two.metres_per_unit};
    if (stretch->first == stretch->last)
        snprintf(range, sizeof range, "%" PRIu64, stretch->first + 1);
    else
        snprintf(range, sizeof range, "%" PRIu64 " .. %" PRIu64, stretch->first + 1,
                 stretch->last + 1);
    printf("  %-16s  ", range);
    if (run->scene->def.kinds != 0)
        printf("%s%-9s%s  %-14s  ",
               style_on(stdout, worst->kind == GRAZE_CLASH_TOUCHING ? STYLE_PLAIN : STYLE_BAD),
               graze_clash_kind_text(worst->kind), style_on(stdout, STYLE_PLAIN),
               print_amount(amount, &printer, worst));
    int printed = print_object_path(run, stretch->mover);
    printf("%*s  ", printed < MOVER_COLUMNS ? MOVER_COLUMNS - printed : 0, "");
    print_object_path(run, stretch->other);
    putchar('\n');
}

void print_object_stretches(const path_run *run)
{
    char count[TEXT_BYTES];
    const path_scene *scene = run->scene;
    if (scene->count == 0)
        return;
    printf("  %-16s  ", "steps");
    if (scene->def.kinds != 0)
        printf("%-9s  %-14s  ", "worst", "how much");
    printf("%-*s  %s\n", MOVER_COLUMNS, "moving", "object");
    for (uint64_t i = 0; i < scene->count && i < MOST_STRETCHES; ++i)
        print_object_stretch(run, &scene->stretches[i]);
    if (scene->count > MOST_STRETCHES)
        printf("  and %s more; --csv has every contact\n",
               print_count(count, scene->count - MOST_STRETCHES));
}
