// See record_rows.h.
#include "record_rows.h"

#include <math.h>
#include <string.h>
#include <time.h>

const char *print_moment(char out[MOMENT_BYTES], int64_t moment)
{
    time_t seconds = (time_t)moment;
    struct tm parts;
    if (moment == 0 || gmtime_r(&seconds, &parts) == NULL ||
        strftime(out, MOMENT_BYTES, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        out[0] = '\0';
    return out;
}

// --- What a kind has

static bool has_depth(const graze_clash *clash)
{
    return clash->kind == GRAZE_CLASH_OVERLAP || clash->kind == GRAZE_CLASH_CONTAINED;
}

static bool has_gap(const graze_clash *clash)
{
    return clash->kind == GRAZE_CLASH_CLEARANCE || clash->kind == GRAZE_CLASH_TOUCHING;
}

static const char *inner_name(const graze_clash *clash)
{
    if (clash->kind != GRAZE_CLASH_CONTAINED)
        return NULL;
    return clash->inner == 0 ? "a" : "b";
}

// --- CSV

void csv_record_names(cmd_csv *csv)
{
    static const char *const names[] = {"number",
                                        "status",
                                        "kind",
                                        "a",
                                        "b",
                                        "depth_low",
                                        "depth_high",
                                        "gap",
                                        "length",
                                        "x",
                                        "y",
                                        "z",
                                        "reason",
                                        "assigned",
                                        "comments",
                                        "problem",
                                        "problem_clashes",
                                        "problem_reason",
                                        "rule_a",
                                        "rule_b",
                                        "first_run",
                                        "last_run",
                                        "checked_run",
                                        "id",
                                        "a_id",
                                        "b_id",
                                        "inner"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        csv_text(csv, names[i]);
    csv_end_row(csv);
}

void csv_record_clash(cmd_csv *csv, const graze_record_clash *record)
{
    const graze_clash *clash = &record->clash;
    double lengths[4] = {has_depth(clash) ? clash->depth_low : NAN,
                         has_depth(clash) ? clash->depth_high : NAN,
                         has_gap(clash) ? clash->gap : NAN,
                         clash->kind == GRAZE_CLASH_CROSSING ? clash->length : NAN};
    csv_count(csv, record->number);
    csv_text(csv, graze_record_status_text(record->status));
    csv_text(csv, graze_clash_kind_text(clash->kind));
    csv_cell(csv, record->a.path);
    csv_cell(csv, record->b.path);
    csv_reals(csv, lengths, 4);
    csv_reals(csv, record->place, 3);
    csv_cell(csv, record->reason);
    csv_cell(csv, record->assigned);
    csv_count(csv, record->comment_count);
    if (record->problem == 0) {
        for (int i = 0; i < 3; ++i)
            csv_text(csv, NULL);
    } else {
        csv_count(csv, record->problem);
        csv_count(csv, record->problem_count);
        csv_cell(csv, record->problem_reason);
    }
    csv_cell(csv, record->rule_a);
    csv_cell(csv, record->rule_b);
    csv_count(csv, record->first_run);
    csv_count(csv, record->last_run);
    csv_count(csv, record->checked_run);
    csv_text(csv, record->id);
    csv_text(csv, record->a.id);
    csv_text(csv, record->b.id);
    csv_text(csv, inner_name(clash));
    csv_end_row(csv);
}

// --- JSON

// "IfcWall_..." is how assimp calls what comes from IFC.
static void put_class(cmd_json *json, const char *key, const graze_record_object *object)
{
    char name[64] = "";
    size_t length = strcspn(object->name, "_");
    if (strncmp(object->name, "Ifc", 3) == 0 && length < sizeof name)
        memcpy(name, object->name, length);
    json_text(json, key, name[0] != '\0' ? name : NULL);
}

static void put_object(cmd_json *json, const char *key, const graze_record_object *object)
{
    json_open(json, key, '{');
    json_text(json, "id", object->id);
    json_text(json, "path", object->path);
    json_text(json, "group", object->group);
    json_bool(json, "present", object->present != 0);
    json_close(json, '}');
}

// Where depths are, IfcClash has them as negative distances.
static double distance_of(const graze_clash *clash)
{
    return has_depth(clash) ? -clash->depth_high : has_gap(clash) ? clash->gap : 0.0;
}

static void put_lengths(cmd_json *json, const graze_clash *clash)
{
    json_text(json, "inner", inner_name(clash));
    json_real(json, "depth_low", has_depth(clash) ? clash->depth_low : NAN);
    json_real(json, "depth_high", has_depth(clash) ? clash->depth_high : NAN);
    json_real(json, "gap", has_gap(clash) ? clash->gap : NAN);
    json_real(json, "length", clash->kind == GRAZE_CLASH_CROSSING ? clash->length : NAN);
    json_open(json, "region", '{');
    json_reals(json, "min", clash->region.min, 3);
    json_reals(json, "max", clash->region.max, 3);
    json_bool(json, "whole", clash->region_whole != 0);
    json_close(json, '}');
}

void json_record_clash(cmd_json *json, const graze_record_clash *record)
{
    json_text(json, "a_global_id", record->a.id);
    json_text(json, "b_global_id", record->b.id);
    put_class(json, "a_ifc_class", &record->a);
    put_class(json, "b_ifc_class", &record->b);
    json_text(json, "a_name", record->a.name);
    json_text(json, "b_name", record->b.name);
    json_text(json, "type", graze_clash_kind_text(record->clash.kind));
    json_reals(json, "p1", record->clash.point_a, 3);
    json_reals(json, "p2", record->clash.point_b, 3);
    json_real(json, "distance", distance_of(&record->clash));
    if (record->number == 0)
        json_null(json, "number");
    else
        json_count(json, "number", record->number);
    json_text(json, "id", record->number == 0 ? NULL : record->id);
    json_text(json, "status", graze_record_status_text(record->status));
    json_text(json, "status_before", graze_record_status_text(record->before));
    json_text(json, "reason", record->reason);
    put_object(json, "a", &record->a);
    put_object(json, "b", &record->b);
    put_lengths(json, &record->clash);
    json_text(json, "rule_a", record->rule_a);
    json_text(json, "rule_b", record->rule_b);
    json_count(json, "first_run", record->first_run);
    json_count(json, "last_run", record->last_run);
    json_count(json, "checked_run", record->checked_run);
    json_text(json, "assigned", record->assigned[0] != '\0' ? record->assigned : NULL);
    if (record->problem == 0) {
        json_null(json, "problem");
    } else {
        json_open(json, "problem", '{');
        json_count(json, "number", record->problem);
        json_count(json, "clashes", record->problem_count);
        json_text(json, "reason", record->problem_reason);
        json_close(json, '}');
    }
}

void json_record_event(cmd_json *json, const graze_record_event *event)
{
    char moment[MOMENT_BYTES];
    json_open(json, NULL, '{');
    json_text(json, "what", event->what);
    if (event->run == 0)
        json_null(json, "run");
    else
        json_count(json, "run", event->run);
    json_text(json, "author", event->author[0] != '\0' ? event->author : NULL);
    json_text(json, "time", event->time != 0 ? print_moment(moment, event->time) : NULL);
    json_text(json, "from", event->from[0] != '\0' ? event->from : NULL);
    json_text(json, "to", event->to);
    json_text(json, "reason", event->text[0] != '\0' ? event->text : NULL);
    json_close(json, '}');
}

void json_record_run(cmd_json *json, const char *key, const graze_record_run *run)
{
    char moment[MOMENT_BYTES];
    json_open(json, key, '{');
    json_count(json, "run", run->run);
    json_bool(json, "complete", run->complete != 0);
    json_text(json, "files", run->files);
    json_text(json, "version", run->version);
    json_text(json, "begun", run->begun != 0 ? print_moment(moment, run->begun) : NULL);
    json_text(json, "ended", run->ended != 0 ? print_moment(moment, run->ended) : NULL);
    json_real(json, "touch", run->touch);
    json_real(json, "clearance", run->clearance);
    json_real(json, "depth_error", run->depth_error);
    json_real(json, "metres_per_unit", run->metres_per_unit > 0 ? run->metres_per_unit : NAN);
    json_count(json, "objects", run->object_count);
    json_count(json, "pairs", run->pair_count);
    json_count(json, "pairs_checked", run->checked_count);
    json_count(json, "clashes", run->clash_count);
    json_close(json, '}');
}
