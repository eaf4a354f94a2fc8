// What graze path prints: rows of steps for programs, stretches and totals for people.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "csv_out.h"
#include "path_scene.h"
#include "question_error.h"
#include "terminal.h"
#include "units.h"

#define MOST_STRETCHES 40 // that are printed; whoever has more wants rows

void print_step_names(FILE *file)
{
    fputs("step,line,label,verdict,contacts,complete,depth,milliseconds,error_reached,cut_a,cut_b,"
          "cluster_pairs,triangle_tests,page_loads,page_misses\n",
          file);
}

// The clock tells nanoseconds.
static double to_milliseconds(double seconds) { return round(1e9 * seconds) / 1e6; }

void print_step_row(FILE *file, uint64_t number, const path_step *step)
{
    cmd_csv csv = {.file = file};
    double milliseconds = to_milliseconds(step->seconds);
    csv_count(&csv, number);
    csv_count(&csv, step->line);
    csv_text(&csv, step->label);
    csv_text(&csv, path_verdict_names[step->verdict]);
    csv_count(&csv, step->contacts);
    csv_count(&csv, step->complete);
    csv_reals(&csv, &step->depth, 1);
    csv_reals(&csv, &milliseconds, 1);
    csv_reals(&csv, &step->error, 1);
    csv_count(&csv, step->cut_a);
    csv_count(&csv, step->cut_b);
    csv_count(&csv, step->cluster_pairs);
    csv_count(&csv, step->triangle_tests);
    csv_count(&csv, step->page_loads);
    csv_count(&csv, step->page_misses);
    csv_end_row(&csv);
}

void put_step(uint64_t number, const path_step *step)
{
    cmd_json out = {.file = stdout}, *json = &out;
    json_open(json, NULL, '{');
    json_count(json, "step", number);
    json_count(json, "line", step->line);
    json_text(json, "label", step->label);
    json_text(json, "verdict", path_verdict_names[step->verdict]);
    json_count(json, "contacts", step->contacts);
    json_bool(json, "complete", step->complete);
    json_real(json, "depth", step->depth);
    json_real(json, "milliseconds", to_milliseconds(step->seconds));
    json_real(json, "error_reached", step->error);
    json_count(json, "cut_a", step->cut_a);
    json_count(json, "cut_b", step->cut_b);
    json_count(json, "cluster_pairs", step->cluster_pairs);
    json_count(json, "triangle_tests", step->triangle_tests);
    json_count(json, "page_loads", step->page_loads);
    json_count(json, "page_misses", step->page_misses);
    json_close(json, '}');
    json_end_line(json);
}

static void print_label(const path_step *step)
{
    print_clean(stdout, step->label != NULL ? step->label : "-", 24);
}

static void print_stretch(const path_steps *steps, const path_stretch *stretch, bool labelled)
{
    char range[2 * TEXT_BYTES], depth[TEXT_BYTES] = "-", count[TEXT_BYTES];
    uint64_t last = stretch->first + stretch->count;
    bool found = stretch->verdict == GRAZE_CONTACT || stretch->verdict == GRAZE_WITHIN_ERROR;
    if (stretch->count == 1)
        snprintf(range, sizeof range, "%" PRIu64, last);
    else
        snprintf(range, sizeof range, "%" PRIu64 " .. %" PRIu64, stretch->first + 1, last);
    if (!isnan(stretch->depth))
        snprintf(depth, sizeof depth, "%.6g", stretch->depth);
    printf("  %-16s  %s%-12s%s  %10s  %11s  %9.3f  %9.3f", range,
           style_on(stdout, found ? STYLE_BAD : STYLE_GOOD), path_verdict_names[stretch->verdict],
           style_on(stdout, STYLE_PLAIN), print_count(count, stretch->most_contacts), depth,
           1e3 * stretch->mean_seconds, 1e3 * stretch->most_seconds);
    if (labelled) {
        fputs("   ", stdout);
        print_label(&steps->items[stretch->first]);
        if (stretch->count > 1) {
            fputs(" .. ", stdout);
            print_label(&steps->items[last - 1]);
        }
    }
    putchar('\n');
}

void print_stretches(const path_run *run)
{
    char count[TEXT_BYTES];
    uint64_t stretches = 0;
    bool labelled = path_steps_labelled(&run->steps);
    printf("  %-16s  %-12s  %10s  %11s  %9s  %9s%s\n", "steps", "verdict", "contacts", "depth",
           "ms, mean", "most", labelled ? "   labels" : "");
    for (uint64_t first = 0; first < run->steps.count; ++stretches) {
        path_stretch stretch = path_stretch_at(&run->steps, first);
        if (stretches < MOST_STRETCHES)
            print_stretch(&run->steps, &stretch, labelled);
        first += stretch.count;
    }
    if (stretches > MOST_STRETCHES)
        printf("  and %s more; --csv has every step\n",
               print_count(count, stretches - MOST_STRETCHES));
}

void summarize_path(const path_run *run, char out[256])
{
    static const graze_verdict order[] = {GRAZE_CONTACT, GRAZE_WITHIN_ERROR, GRAZE_APART,
                                          GRAZE_UNDECIDED};
    static const char *const names[] = {"undecided", "apart", "in contact", "within the error"};
    char count[TEXT_BYTES];
    size_t used = (size_t)snprintf(out, 256, "%s step%s:", print_count(count, run->steps.count),
                                   run->steps.count == 1 ? "" : "s");
    const char *before = " ";
    for (size_t i = 0; i < sizeof order / sizeof *order; ++i) {
        uint64_t some = run->totals.verdicts[order[i]];
        if (some == 0 && order[i] != GRAZE_CONTACT && order[i] != GRAZE_APART)
            continue;
        used += (size_t)snprintf(out + used, 256 - used, "%s%s %s", before,
                                 print_count(count, some), names[order[i]]);
        before = ", ";
    }
    if (run->scene != NULL && run->scene->hit_count != 0)
        used += (size_t)snprintf(out + used, 256 - used, "; %s object%s hit",
                                 print_count(count, run->scene->hit_count),
                                 run->scene->hit_count == 1 ? "" : "s");
    if (run->ended_early)
        snprintf(out + used, 256 - used, "; ended early");
}

void print_totals(const path_run *run)
{
    char text[256], mean[TEXT_BYTES], p99[TEXT_BYTES], most[TEXT_BYTES], limit[TEXT_BYTES];
    const path_totals *totals = &run->totals;
    summarize_path(run, text);
    printf("\n%s\n", text);
    printf("time a step: mean %s, p99 %s, most %s, of step %" PRIu64 "\n",
           print_seconds(mean, totals->mean_seconds), print_seconds(p99, totals->p99_seconds),
           print_seconds(most, totals->most_seconds), totals->slowest + 1);
    if (may_have_error(run->two.arguments)) {
        fputs("error reached: ", stdout);
        if (totals->most_error > 0.0) {
            fputs("at most ", stdout);
            print_error(stdout, &run->two, totals->most_error);
            putchar('\n');
        } else {
            puts("none: all answers are exact");
        }
    }
    printf("memory: process at most %s, of it graze %s", print_bytes(most, run->process_bytes),
           print_bytes(mean, run->context_bytes));
    if (run->has_model)
        printf(", cache %s of %s", print_bytes(p99, run->cache.peak_bytes),
               print_bytes(limit, run->cache.limit_bytes));
    putchar('\n');
    if (run->has_model)
        printf("pages: %s loaded, %s read", print_count(mean, run->cache.loads),
               print_bytes(most, run->cache.bytes_read));
    if (run->has_model && run->def.time_limit != 0.0)
        printf(", %s missed, for which coarser levels answered",
               print_count(p99, run->totals.page_misses));
    if (run->has_model)
        putchar('\n');
}

void note_totals(const path_run *run)
{
    char text[256], mean[TEXT_BYTES], p99[TEXT_BYTES], most[TEXT_BYTES];
    summarize_path(run, text);
    note(&run->two.session, "%s; a step took %s, p99 %s, most %s", text,
         print_seconds(mean, run->totals.mean_seconds), print_seconds(p99, run->totals.p99_seconds),
         print_seconds(most, run->totals.most_seconds));
}
