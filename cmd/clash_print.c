// See clash_print.h. Nothing is kept from row to row: the columns of the table have fixed widths,
// and paths, which have none, come last.
#include "clash_print.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "csv_out.h"
#include "json_out.h"
#include "losses.h"
#include "terminal.h"

#define PATH_COLUMNS   44
#define SENTENCE_BYTES 1024

// --- Lengths

const char *print_length(char out[TEXT_BYTES], double length, double metres_per_unit)
{
    if (metres_per_unit == 0.0)
        snprintf(out, TEXT_BYTES, "%.4g", length);
    else if (metres_per_unit == 0.3048 && length >= 1.0)
        snprintf(out, TEXT_BYTES, "%.4g ft", length);
    else if (metres_per_unit == 0.3048 || metres_per_unit == 0.0254)
        snprintf(out, TEXT_BYTES, "%.4g in", length * metres_per_unit / 0.0254);
    else
        print_metres(out, length * metres_per_unit);
    return out;
}

// Of a depth the middle of its two bounds: JSON and CSV have both.
const char *print_amount(char out[TEXT_BYTES + 8], const clash_printer *printer,
                         const graze_clash *clash)
{
    char length[TEXT_BYTES];
    double value = 0.0;
    const char *what = NULL;
    switch (clash->kind) {
    case GRAZE_CLASH_OVERLAP:
    case GRAZE_CLASH_CONTAINED:
        value = 0.5 * (clash->depth_low + clash->depth_high);
        what = "deep";
        break;
    case GRAZE_CLASH_CROSSING:
        value = clash->length;
        what = "long";
        break;
    case GRAZE_CLASH_TOUCHING:
    case GRAZE_CLASH_CLEARANCE:
        value = clash->gap;
        what = value > 0.0 ? "apart" : NULL;
        break;
    case GRAZE_CLASH_DUPLICATE:
    case GRAZE_CLASH_NONE: break;
    }
    if (what == NULL)
        snprintf(out, TEXT_BYTES + 8, "-");
    else
        snprintf(out, TEXT_BYTES + 8, "%s %s",
                 print_length(length, value, printer->metres_per_unit), what);
    return out;
}

// To a millimetre, or finer where that is a good part of the unit.
const char *print_place(char out[PLACE_BYTES], const clash_printer *printer,
                        const graze_clash *clash)
{
    int digits = 1;
    double p[3];
    for (int axis = 0; axis < 3; ++axis)
        p[axis] = 0.5 * (clash->point_a[axis] + clash->point_b[axis]);
    for (double step = 0.1; digits < 6 && step * printer->metres_per_unit > 0.0011; step /= 10.0)
        ++digits;
    if (printer->metres_per_unit == 0.0)
        snprintf(out, PLACE_BYTES, "%.7g, %.7g, %.7g", p[0], p[1], p[2]);
    else
        snprintf(out, PLACE_BYTES, "%.*f, %.*f, %.*f", digits, p[0], digits, p[1], digits, p[2]);
    return out;
}

// --- Clashes

static int print_path(const graze_scene_object *object)
{
    return print_clean(stdout, object->path[0] != '\0' ? object->path : "(no name)", 0);
}

static void print_row(const clash_printer *printer, const graze_clash *clash,
                      const graze_scene_object *first, const graze_scene_object *second)
{
    char amount[TEXT_BYTES + 8], place[PLACE_BYTES];
    cmd_style style = clash->kind == GRAZE_CLASH_TOUCHING ? STYLE_PLAIN : STYLE_BAD;
    print_place(place, printer, clash);
    printf("%5" PRIu64 "  %s%-9s%s  %-14s  %-28s  ", printer->row_count, style_on(stdout, style),
           graze_clash_kind_text(clash->kind), style_on(stdout, STYLE_PLAIN),
           print_amount(amount, printer, clash), place);
    int printed = print_path(first);
    printf("%*s  ", printed < PATH_COLUMNS ? PATH_COLUMNS - printed : 0, "");
    print_path(second);
    putchar('\n');
}

static void print_row_names(const clash_printer *printer)
{
    char where[64] = "where";
    const char *unit = printer->metres_per_unit != 0.0 ? unit_name(printer->metres_per_unit) : NULL;
    if (unit != NULL)
        snprintf(where, sizeof where, "where, in %s", unit);
    printf("%5s  %-9s  %-14s  %-28s  %s\n", "", "kind", "how much", where, "objects");
}

static void put_object(cmd_json *json, const char *key, const graze_scene_object *object)
{
    json_open(json, key, '{');
    json_text(json, "path", object->path);
    json_text(json, "name", object->name);
    json_text(json, "group", object->group);
    json_close(json, '}');
}

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

static void put_clash(const clash_printer *printer, const graze_clash *clash,
                      const graze_scene_object *a, const graze_scene_object *b)
{
    char sentence[SENTENCE_BYTES];
    cmd_json out = {.file = stdout}, *json = &out;
    graze_clash_sentence(printer->scene, clash, sentence, sizeof sentence);
    json_open(json, NULL, '{');
    json_count(json, "number", printer->row_count);
    json_text(json, "kind", graze_clash_kind_text(clash->kind));
    put_object(json, "a", a);
    put_object(json, "b", b);
    json_text(json, "inner", inner_name(clash));
    json_real(json, "depth_low", has_depth(clash) ? clash->depth_low : NAN);
    json_real(json, "depth_high", has_depth(clash) ? clash->depth_high : NAN);
    json_real(json, "gap", has_gap(clash) ? clash->gap : NAN);
    json_real(json, "length", clash->kind == GRAZE_CLASH_CROSSING ? clash->length : NAN);
    json_reals(json, "point_a", clash->point_a, 3);
    json_reals(json, "point_b", clash->point_b, 3);
    json_open(json, "region", '{');
    json_reals(json, "min", clash->region.min, 3);
    json_reals(json, "max", clash->region.max, 3);
    json_bool(json, "whole", clash->region_whole != 0);
    json_close(json, '}');
    if (clash->rule == UINT32_MAX)
        json_null(json, "rule");
    else
        json_count(json, "rule", (uint64_t)clash->rule + 1);
    json_text(json, "sentence", sentence);
    json_close(json, '}');
    json_end_line(json);
}

static void print_csv_row(const clash_printer *printer, const graze_clash *clash,
                          const graze_scene_object *a, const graze_scene_object *b)
{
    cmd_csv out = {.file = stdout}, *csv = &out;
    double lengths[4] = {has_depth(clash) ? clash->depth_low : NAN,
                         has_depth(clash) ? clash->depth_high : NAN,
                         has_gap(clash) ? clash->gap : NAN,
                         clash->kind == GRAZE_CLASH_CROSSING ? clash->length : NAN};
    csv_count(csv, printer->row_count);
    csv_text(csv, graze_clash_kind_text(clash->kind));
    csv_text(csv, a->path);
    csv_text(csv, b->path);
    csv_text(csv, inner_name(clash));
    csv_reals(csv, lengths, 4);
    csv_reals(csv, clash->point_a, 3);
    csv_reals(csv, clash->point_b, 3);
    csv_reals(csv, clash->region.min, 3);
    csv_reals(csv, clash->region.max, 3);
    if (clash->rule == UINT32_MAX)
        csv_text(csv, NULL);
    else
        csv_count(csv, (uint64_t)clash->rule + 1);
    csv_end_row(csv);
}

void print_clash_names(const clash_printer *printer)
{
    if (printer->form == CLASH_CSV)
        puts("number,kind,a,b,inner,depth_low,depth_high,gap,length,x_a,y_a,z_a,x_b,y_b,z_b,"
             "min_x,min_y,min_z,max_x,max_y,max_z,rule");
}

void print_clash(clash_printer *printer, const graze_clash *clash)
{
    graze_scene_object a = {.path = ""}, b = {.path = ""};
    (void)graze_scene_get(printer->scene, clash->a, &a);
    (void)graze_scene_get(printer->scene, clash->b, &b);
    bool b_first = clash->kind == GRAZE_CLASH_CONTAINED && clash->inner != 0;
    if (printer->row_count++ == 0) {
        bar_clear();
        if (printer->form == CLASH_TABLE)
            print_row_names(printer);
    }
    switch (printer->form) {
    case CLASH_TABLE: print_row(printer, clash, b_first ? &b : &a, b_first ? &a : &b); break;
    case CLASH_JSON: put_clash(printer, clash, &a, &b); break;
    case CLASH_CSV: print_csv_row(printer, clash, &a, &b); break;
    }
}

// --- Totals

uint64_t count_clashes(const graze_clash_totals *totals)
{
    uint64_t count = 0;
    for (int kind = GRAZE_CLASH_NONE + 1; kind < GRAZE_CLASH_TOUCHING; ++kind)
        count += totals->counts[kind];
    return count;
}

void summarize_clashes(char out[CLASH_SUMMARY_BYTES], const clash_printer *printer,
                       const graze_clash_totals *totals, const clash_cost *cost)
{
    static const char *const names[GRAZE_CLASH_KINDS][2] = {
        [GRAZE_CLASH_DUPLICATE] = {"duplicate", "duplicates"},
        [GRAZE_CLASH_CONTAINED] = {"contained", "contained"},
        [GRAZE_CLASH_OVERLAP] = {"overlap", "overlaps"},
        [GRAZE_CLASH_CROSSING] = {"crossing", "crossings"},
        [GRAZE_CLASH_CLEARANCE] = {"clearance", "clearances"},
        [GRAZE_CLASH_TOUCHING] = {"touching", "touching"},
    };
    char text[TEXT_BYTES], other[TEXT_BYTES], memory[TEXT_BYTES], read[TEXT_BYTES];
    size_t used = (size_t)snprintf(
        out, CLASH_SUMMARY_BYTES,
        "%s object%s, %s pair%s looked at: ", print_count(text, totals->object_count),
        totals->object_count == 1 ? "" : "s", print_count(other, totals->asked_pairs),
        totals->asked_pairs == 1 ? "" : "s");
    if (count_clashes(totals) == 0)
        used += (size_t)snprintf(out + used, CLASH_SUMMARY_BYTES - used, "no clash, ");
    for (int kind = GRAZE_CLASH_NONE + 1; kind < GRAZE_CLASH_KINDS; ++kind)
        if (totals->counts[kind] != 0 || kind == GRAZE_CLASH_TOUCHING)
            used += (size_t)snprintf(out + used, CLASH_SUMMARY_BYTES - used, "%s %s%s",
                                     print_count(text, totals->counts[kind]),
                                     names[kind][totals->counts[kind] != 1],
                                     kind < GRAZE_CLASH_TOUCHING ? ", " : "");
    snprintf(out + used, CLASH_SUMMARY_BYTES - used, " (touch is %s); %s, %s of memory, %s read",
             print_length(text, totals->touch, printer->metres_per_unit),
             print_seconds(other, cost->read_seconds + cost->check_seconds),
             print_bytes(memory, cost->process_bytes), print_bytes(read, totals->bytes_read));
}

// Statuses that nobody has are not told, but for those that a reader waits for.
void summarize_record(char out[CLASH_SUMMARY_BYTES], const graze_record_totals *record)
{
    char text[TEXT_BYTES], other[TEXT_BYTES];
    size_t used = (size_t)snprintf(out, CLASH_SUMMARY_BYTES, "run %u%s: ", record->run,
                                   record->resumed ? ", which went on" : "");
    for (uint32_t i = 1; i < GRAZE_RECORD_STATUSES; ++i)
        if (record->statuses[i] != 0 || i == GRAZE_RECORD_NEW || i == GRAZE_RECORD_RESOLVED)
            used += (size_t)snprintf(out + used, CLASH_SUMMARY_BYTES - used, "%s %s%s",
                                     print_count(text, record->statuses[i]),
                                     graze_record_status_text((graze_record_status)i),
                                     i == GRAZE_RECORD_NOT_RECHECKED ? "" : ", ");
    while (used > 0 && (out[used - 1] == ' ' || out[used - 1] == ','))
        --used;
    snprintf(out + used, CLASH_SUMMARY_BYTES - used,
             "; %s of %s pairs checked, the others as before",
             print_count(text, record->checked_count), print_count(other, record->pair_count));
}

static void put_record(cmd_json *json, const graze_record_totals *record)
{
    json_open(json, "record", '{');
    json_count(json, "run", record->run);
    json_bool(json, "resumed", record->resumed != 0);
    json_count(json, "pairs", record->pair_count);
    json_count(json, "pairs_checked", record->checked_count);
    json_count(json, "pairs_reused", record->reused_count);
    json_count(json, "objects_same", record->objects_same);
    json_count(json, "objects_moved", record->objects_moved);
    json_count(json, "objects_changed", record->objects_changed);
    json_count(json, "objects_renamed", record->objects_renamed);
    json_count(json, "objects_new", record->objects_new);
    json_count(json, "objects_gone", record->objects_gone);
    json_count(json, "found_new", record->found_new);
    json_count(json, "found_again", record->found_again);
    json_count(json, "worse", record->worse_count);
    json_count(json, "resolved", record->resolved_count);
    json_open(json, "statuses", '{');
    for (uint32_t i = 1; i < GRAZE_RECORD_STATUSES; ++i)
        json_count(json, graze_record_status_text((graze_record_status)i), record->statuses[i]);
    json_close(json, '}');
    json_close(json, '}');
}

static void put_totals(const clash_printer *printer, const graze_clash_totals *totals,
                       const graze_record_totals *record, const clash_cost *cost)
{
    cmd_json out = {.file = stdout}, *json = &out;
    graze_scene_info info = graze_scene_get_info(printer->scene);
    json_open(json, NULL, '{');
    json_open(json, "totals", '{');
    json_count(json, "clashes", count_clashes(totals));
    for (int kind = GRAZE_CLASH_NONE + 1; kind < GRAZE_CLASH_KINDS; ++kind)
        json_count(json, graze_clash_kind_text((graze_clash_kind)kind), totals->counts[kind]);
    json_real(json, "touch", totals->touch);
    json_real(json, "metres_per_unit",
              printer->metres_per_unit != 0.0 ? printer->metres_per_unit : NAN);
    json_count(json, "object_count", totals->object_count);
    json_count(json, "shape_count", info.shape_count);
    json_count(json, "triangles", info.triangle_count);
    json_count(json, "box_pairs", totals->box_pairs);
    json_count(json, "asked_pairs", totals->asked_pairs);
    json_count(json, "partitions", totals->partition_count);
    json_count(json, "triangles_loaded", totals->triangles_loaded);
    json_count(json, "triangles_stored", totals->triangles_stored);
    json_count(json, "bytes_read", totals->bytes_read);
    json_real(json, "read_seconds", cost->read_seconds);
    json_real(json, "check_seconds", cost->check_seconds);
    json_count(json, "process_bytes", cost->process_bytes);
    put_losses(json, "losses", &info.losses);
    json_close(json, '}');
    if (record != NULL)
        put_record(json, record);
    json_close(json, '}');
    json_end_line(json);
}

void print_clash_totals(const clash_printer *printer, const graze_clash_totals *totals,
                        const graze_record_totals *record, const clash_cost *cost)
{
    char summary[CLASH_SUMMARY_BYTES];
    if (printer->form == CLASH_JSON)
        put_totals(printer, totals, record, cost);
    if (printer->form != CLASH_TABLE)
        return;
    summarize_clashes(summary, printer, totals, cost);
    printf("%s%s\n", printer->row_count != 0 ? "\n" : "", summary);
    if (record == NULL)
        return;
    summarize_record(summary, record);
    printf("%s\n", summary);
}
