// See cull_print.h. Nothing is kept from row to row: the columns of the table have fixed widths,
// and names, which have none, come last.
#include "cull_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv_out.h"
#include "json_out.h"
#include "losses.h"
#include "scene_files.h"
#include "terminal.h"
#include "units.h"

#define FRAME_COLUMNS 12
#define COUNT_COLUMNS 18
#define NAME_COLUMNS  24
#define INDENT        (FRAME_COLUMNS + COUNT_COLUMNS + 4)

static const char *const itself = "itself";

static const char *name_of(const cull_frame_result *result, uint32_t object)
{
    return result->objects->names[object];
}

static const char *verdict_text(graze_verdict verdict)
{
    switch (verdict) {
    case GRAZE_CONTACT: return "contact";
    case GRAZE_APART: return "apart";
    case GRAZE_WITHIN_ERROR:
    case GRAZE_UNDECIDED: break;
    }
    return "undecided";
}

static const char *engine_words(graze_cull_engine engine)
{
    return engine == GRAZE_CULL_OPENGL ? "by OpenGL" : "on the CPU";
}

// --- The table

// The first row of a frame says which one it is.
static void print_frame_name(const cull_frame_result *result, bool first)
{
    char *stem = first ? file_stem(result->path) : NULL;
    int printed = stem != NULL ? print_clean(stdout, stem, FRAME_COLUMNS) : 0;
    printf("%*s", FRAME_COLUMNS - printed, "");
    free(stem);
}

static void print_pair_row(const cull_frame_result *result, const graze_cull_objects *pair,
                           bool first)
{
    char count[TEXT_BYTES];
    print_frame_name(result, first);
    printf("  %s%*s%s  ", style_on(stdout, STYLE_BAD), COUNT_COLUMNS,
           print_count(count, pair->pair_count), style_on(stdout, STYLE_PLAIN));
    int printed = print_clean(stdout, name_of(result, pair->a), 0);
    printf("%*s  ", printed < NAME_COLUMNS ? NAME_COLUMNS - printed : 0, "");
    print_clean(stdout, pair->a == pair->b ? itself : name_of(result, pair->b), 0);
    putchar('\n');
}

static void print_triangle_rows(const graze_cull_answer *answer, const graze_cull_objects *pair)
{
    for (uint64_t i = 0; i < pair->pair_count; ++i) {
        const graze_pair *triangles = &answer->pairs[pair->first_pair + i];
        printf("%*s  triangles %" PRIu32 " and %" PRIu32 "\n", INDENT, "", triangles->a,
               triangles->b);
    }
}

static void print_stats_row(const cull_frame_result *result)
{
    const graze_cull_counters *c = &result->answer->counters;
    char all[TEXT_BYTES], objects[TEXT_BYTES], groups[TEXT_BYTES], left[TEXT_BYTES];
    char rounds[TEXT_BYTES], tests[TEXT_BYTES], exact[TEXT_BYTES], time[TEXT_BYTES];
    printf("%*s  %s objects, %s groups, %s of %s triangles left in %s rounds; %s tests, %s of them "
           "exact; %s %s\n",
           FRAME_COLUMNS, "", print_count(objects, c->objects_left),
           print_count(groups, c->groups_left), print_count(left, c->triangles_left),
           print_count(all, c->triangles), print_count(rounds, c->rounds),
           print_count(tests, c->triangle_tests), print_count(exact, c->exact_tests),
           print_seconds(time, result->seconds), engine_words(result->answer->engine));
}

static void print_table(cull_printer *printer, const cull_frame_result *result)
{
    const graze_cull_answer *answer = result->answer;
    if (printer->row_count++ == 0)
        printf("%-*s  %*s  objects\n", FRAME_COLUMNS, "frame", COUNT_COLUMNS, "pairs of triangles");
    for (uint64_t i = 0; i < answer->object_pair_count; ++i) {
        print_pair_row(result, &answer->objects[i], i == 0);
        if (printer->list_triangles)
            print_triangle_rows(answer, &answer->objects[i]);
    }
    if (answer->object_pair_count == 0) {
        print_frame_name(result, true);
        printf("  %*s  %s\n", COUNT_COLUMNS, "0", verdict_text(answer->verdict));
    }
    if (answer->complete == 0)
        printf("%*s  more than these: --limit stopped the search\n", INDENT, "");
    if (printer->stats)
        print_stats_row(result);
}

// --- JSON

static void put_pair_of_objects(cmd_json *json, const cull_printer *printer,
                                const cull_frame_result *result, const graze_cull_objects *pair)
{
    json_open(json, NULL, '{');
    json_text(json, "a", name_of(result, pair->a));
    json_text(json, "b", name_of(result, pair->b));
    json_count(json, "pair_count", pair->pair_count);
    if (printer->list_triangles) {
        json_open(json, "pairs", '[');
        for (uint64_t i = 0; i < pair->pair_count; ++i) {
            const graze_pair *triangles = &result->answer->pairs[pair->first_pair + i];
            json_open(json, NULL, '{');
            json_count(json, "a", triangles->a);
            json_count(json, "b", triangles->b);
            json_close(json, '}');
        }
        json_close(json, ']');
    }
    json_close(json, '}');
}

static void put_stats(cmd_json *json, const cull_frame_result *result)
{
    const graze_cull_counters *c = &result->answer->counters;
    json_open(json, "stats", '{');
    json_text(json, "engine", graze_cull_engine_text(result->answer->engine));
    json_count(json, "objects_left", c->objects_left);
    json_count(json, "groups_left", c->groups_left);
    json_count(json, "triangles_left", c->triangles_left);
    json_count(json, "rounds", c->rounds);
    json_count(json, "triangle_tests", c->triangle_tests);
    json_count(json, "exact_tests", c->exact_tests);
    json_real(json, "read_seconds", result->read_seconds);
    json_real(json, "seconds", result->seconds);
    json_close(json, '}');
}

static void put_frame(const cull_printer *printer, const cull_frame_result *result)
{
    const graze_cull_answer *answer = result->answer;
    cmd_json out = {.file = stdout}, *json = &out;
    json_open(json, NULL, '{');
    json_count(json, "frame", result->number);
    json_text(json, "file", result->path);
    json_count(json, "object_count", result->objects->count);
    json_count(json, "triangles", result->objects->triangle_count);
    json_text(json, "verdict", verdict_text(answer->verdict));
    json_bool(json, "complete", answer->complete != 0);
    json_count(json, "pair_count", answer->pair_count);
    json_open(json, "objects", '[');
    for (uint64_t i = 0; i < answer->object_pair_count; ++i)
        put_pair_of_objects(json, printer, result, &answer->objects[i]);
    json_close(json, ']');
    json_open(json, "refused", '[');
    for (uint64_t i = 0; i < answer->refused_count; ++i)
        json_text(json, NULL, name_of(result, answer->refused[i]));
    json_close(json, ']');
    if (is_anything_lost(&result->objects->losses))
        put_losses(json, "losses", &result->objects->losses);
    if (printer->stats)
        put_stats(json, result);
    json_close(json, '}');
    json_end_line(json);
}

// --- CSV

static void print_pair_rows(const cull_printer *printer, const cull_frame_result *result,
                            const graze_cull_objects *pair)
{
    cmd_csv out = {.file = stdout}, *csv = &out;
    uint64_t rows = printer->list_triangles ? pair->pair_count : 1;
    for (uint64_t i = 0; i < rows; ++i) {
        csv_count(csv, result->number);
        csv_text(csv, result->path);
        csv_text(csv, name_of(result, pair->a));
        csv_text(csv, name_of(result, pair->b));
        if (printer->list_triangles) {
            csv_count(csv, result->answer->pairs[pair->first_pair + i].a);
            csv_count(csv, result->answer->pairs[pair->first_pair + i].b);
        } else {
            csv_count(csv, pair->pair_count);
        }
        csv_end_row(csv);
    }
}

static void print_frame_row(const cull_frame_result *result)
{
    const graze_cull_answer *answer = result->answer;
    const graze_cull_counters *c = &answer->counters;
    const uint64_t counts[] = {result->objects->count,    result->objects->triangle_count,
                               answer->object_pair_count, answer->pair_count,
                               answer->complete,          answer->refused_count,
                               c->objects_left,           c->groups_left,
                               c->triangles_left,         c->rounds,
                               c->triangle_tests,         c->exact_tests};
    const double seconds[] = {result->read_seconds, result->seconds};
    cmd_csv out = {.file = stdout}, *csv = &out;
    csv_count(csv, result->number);
    csv_text(csv, result->path);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        csv_count(csv, counts[i]);
    csv_text(csv, graze_cull_engine_text(answer->engine));
    csv_reals(csv, seconds, 2);
    csv_end_row(csv);
}

// --- All of them

void print_cull_names(const cull_printer *printer)
{
    if (printer->form != CULL_CSV)
        return;
    if (printer->stats)
        puts("frame,file,object_count,triangles,object_pairs,pairs,complete,refused,objects_left,"
             "groups_left,triangles_left,rounds,triangle_tests,exact_tests,engine,read_seconds,"
             "seconds");
    else
        puts(printer->list_triangles ? "frame,file,a,b,triangle_a,triangle_b"
                                     : "frame,file,a,b,pairs");
}

void print_cull_frame(cull_printer *printer, const cull_frame_result *result)
{
    bar_clear();
    switch (printer->form) {
    case CULL_TABLE: print_table(printer, result); break;
    case CULL_JSON: put_frame(printer, result); break;
    case CULL_CSV:
        for (uint64_t i = 0; i < result->answer->object_pair_count && !printer->stats; ++i)
            print_pair_rows(printer, result, &result->answer->objects[i]);
        if (printer->stats)
            print_frame_row(result);
        break;
    }
}

void print_cull_failure(const cull_printer *printer, uint32_t number, const char *path,
                        const char *sentence)
{
    if (printer->form != CULL_JSON)
        return;
    cmd_json json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_count(&json, "frame", number);
    json_text(&json, "file", path);
    json_text(&json, "error", sentence);
    json_close(&json, '}');
    json_end_line(&json);
}

// --- Totals

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

void summarize_cull(char out[CULL_SUMMARY_BYTES], const cull_totals *totals)
{
    char frames[TEXT_BYTES], contact[TEXT_BYTES], objects[TEXT_BYTES], pairs[TEXT_BYTES];
    char other[TEXT_BYTES], time[TEXT_BYTES];
    if (totals->answered_count == 0) {
        snprintf(out, CULL_SUMMARY_BYTES, "no answer: %s frame%s failed",
                 print_count(frames, totals->frame_count), plural(totals->frame_count));
        return;
    }
    size_t used = (size_t)snprintf(
        out, CULL_SUMMARY_BYTES, "%s frame%s of up to %s triangle%s, ",
        print_count(frames, totals->answered_count), plural(totals->answered_count),
        print_count(other, totals->most_triangles), plural(totals->most_triangles));
    if (totals->contact_count == 0)
        used += (size_t)snprintf(out + used, CULL_SUMMARY_BYTES - used, "no contact");
    else
        used += (size_t)snprintf(
            out + used, CULL_SUMMARY_BYTES - used,
            "%s with contact: %s pair%s of objects, %s%s pair%s of triangles",
            print_count(contact, totals->contact_count), print_count(objects, totals->object_pairs),
            plural(totals->object_pairs), totals->incomplete_count != 0 ? "more than " : "",
            print_count(pairs, totals->pairs), plural(totals->pairs));
    if (totals->frame_count != totals->answered_count)
        used += (size_t)snprintf(out + used, CULL_SUMMARY_BYTES - used,
                                 "; %s frame%s without an answer",
                                 print_count(other, totals->frame_count - totals->answered_count),
                                 plural(totals->frame_count - totals->answered_count));
    if (totals->refused_count != 0)
        used += (size_t)snprintf(out + used, CULL_SUMMARY_BYTES - used, "; %s object%s refused",
                                 print_count(other, totals->refused_count),
                                 plural(totals->refused_count));
    snprintf(out + used, CULL_SUMMARY_BYTES - used, "; %s a frame %s",
             print_seconds(time, totals->seconds / totals->answered_count),
             engine_words(totals->engine));
}

static void put_totals(const cull_totals *totals)
{
    cmd_json out = {.file = stdout}, *json = &out;
    json_open(json, NULL, '{');
    json_open(json, "totals", '{');
    json_count(json, "frames", totals->frame_count);
    json_count(json, "answered", totals->answered_count);
    json_count(json, "with_contact", totals->contact_count);
    json_count(json, "object_pairs", totals->object_pairs);
    json_count(json, "pair_count", totals->pairs);
    json_bool(json, "complete",
              totals->incomplete_count == 0 && totals->refused_count == 0 &&
                  totals->answered_count == totals->frame_count);
    json_count(json, "refused", totals->refused_count);
    json_text(json, "engine",
              totals->answered_count != 0 ? graze_cull_engine_text(totals->engine) : NULL);
    json_real(json, "read_seconds", totals->read_seconds);
    json_real(json, "seconds", totals->seconds);
    json_close(json, '}');
    json_close(json, '}');
    json_end_line(json);
}

void print_cull_totals(const cull_printer *printer, const cull_totals *totals)
{
    char summary[CULL_SUMMARY_BYTES];
    if (printer->form == CULL_JSON)
        put_totals(totals);
    if (printer->form != CULL_TABLE)
        return;
    summarize_cull(summary, totals);
    printf("%s%s\n", printer->row_count != 0 ? "\n" : "", summary);
}
