// See path_report.h. The page says the question, what came of it, and shows each step in charts
// that share their steps.
#include "path_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "html_text.h"
#include "path_scene.h"
#include "question_error.h"
#include "svg_chart.h"
#include "units.h"

#define MOST_CHARTS    9
#define MOST_STRETCHES 30
#define WORST_STEPS    10
#define MOST_HITS      1000

// Least grave first: a column that holds several steps shows the gravest.
static const int gravity[4] = {
    [GRAZE_APART] = 0, [GRAZE_UNDECIDED] = 1, [GRAZE_WITHIN_ERROR] = 2, [GRAZE_CONTACT] = 3};

static void put_count(FILE *file, uint64_t count)
{
    char text[TEXT_BYTES];
    fputs(print_count(text, count), file);
}

// "0.12 (120 mm)"
static void put_length(FILE *file, const path_run *run, double length)
{
    char text[TEXT_BYTES];
    fprintf(file, "%.5g", length);
    if (run->two.metres_per_unit != 0.0 && length > 0.0)
        fprintf(file, " (%s)", print_metres(text, run->two.metres_per_unit * length));
}

static const char *length_unit(const path_run *run)
{
    const char *name = unit_name(run->two.metres_per_unit);
    return name != NULL ? name : "in the unit of the models";
}

// --- Words

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static void put_name(FILE *file, const char *path)
{
    fputs("<code>", file);
    html_text(file, path);
    fputs("</code>", file);
}

static void write_model(FILE *file, const cmd_side *side)
{
    put_name(file, side->path);
    fputs(", ", file);
    put_count(file, side->triangle_count);
    fprintf(file, " triangles%s", side->model != NULL ? "" : ", a mesh");
}

static void write_scene(FILE *file, const path_run *run, const cmd_side *side)
{
    put_name(file, side->path);
    fputs(", ", file);
    put_count(file, graze_scene_get_info(run->scene->scene).object_count -
                        (uint64_t)run->scene->mover_count);
    fputs(" objects with ", file);
    put_count(file, side->triangle_count);
    fputs(" triangles", file);
}

static void write_promise(FILE *file, const path_run *run)
{
    char text[TEXT_BYTES];
    const graze_collide_def *def = &run->def;
    if (def->error == 0.0 && def->time_limit == 0.0) {
        fputs("Answers are exact.", file);
        return;
    }
    if (def->time_limit != 0.0) {
        fprintf(file, "Each answer is the best that could be had in %s",
                print_seconds(text, def->time_limit));
        if (def->error != 0.0) {
            fputs(", though none is finer than an error of ", file);
            put_length(file, run, def->error);
        }
        fputs(".", file);
    } else {
        fputs("Answers may be off, to the safe side, by ", file);
        put_length(file, run, def->error);
        double width = smaller_width(&run->two);
        if (width > 0.0)
            fprintf(file, ", %.3g %% of the smaller one&#39;s width", 100.0 * (def->error / width));
        fputs(".", file);
    }
}

static void write_question(FILE *file, const path_run *run)
{
    const cmd_side *a = &run->two.sides[0], *b = &run->two.sides[1];
    fputs("<h1>", file);
    html_text(file, file_name(a->path));
    fputs(" along ", file);
    html_text(file, file_name(run->poses));
    fputs("</h1>\n<p>Where does ", file);
    write_model(file, a);
    fputs(", touch ", file);
    if (run->scene != NULL)
        write_scene(file, run, b);
    else
        write_model(file, b);
    fputs(", on its way through the ", file);
    put_count(file, run->steps.count);
    fprintf(file, " pose%s of ", run->steps.count == 1 ? "" : "s");
    put_name(file, run->poses);
    fputs("?</p>\n<p>Contact means that ", file);
    if (run->def.tolerance == 0.0) {
        fputs("two triangles share a point. ", file);
    } else {
        fputs("two triangles are at most ", file);
        put_length(file, run, run->def.tolerance);
        fputs(" apart. ", file);
    }
    write_promise(file, run);
    fputs("</p>\n", file);
    if (run->ended_early)
        fputs("<p class=\"warn\">The run ended before all poses were asked. What is here is "
              "about the steps before that.</p>\n",
              file);
}

// --- Totals

static void begin_total(FILE *file, const char *term)
{
    fprintf(file, "<div><dt>%s</dt><dd>", term);
}

static void end_total(FILE *file) { fputs("</dd></div>\n", file); }

static void write_verdict_total(FILE *file, const path_run *run, graze_verdict verdict,
                                const char *term)
{
    uint64_t count = run->totals.verdicts[verdict];
    fprintf(file, "<div><dt><i class=\"dot v%d\"></i>%s</dt><dd>", (int)verdict, term);
    put_count(file, count);
    fputs("<small>of ", file);
    put_count(file, run->steps.count);
    fprintf(file, " step%s</small>", run->steps.count == 1 ? "" : "s");
    end_total(file);
}

static void write_time_totals(FILE *file, const path_run *run)
{
    char text[TEXT_BYTES];
    begin_total(file, "time a step, mean");
    fputs(print_seconds(text, run->totals.mean_seconds), file);
    end_total(file);
    begin_total(file, "time a step, p99");
    fputs(print_seconds(text, run->totals.p99_seconds), file);
    fputs("<small>99 % take no longer</small>", file);
    end_total(file);
    begin_total(file, "time, slowest step");
    fputs(print_seconds(text, run->totals.most_seconds), file);
    fprintf(file, "<small>step %" PRIu64 "</small>", run->totals.slowest + 1);
    end_total(file);
}

static void write_memory_totals(FILE *file, const path_run *run)
{
    char text[TEXT_BYTES];
    if (run->has_model) {
        begin_total(file, "cache, at most");
        fputs(print_bytes(text, run->cache.peak_bytes), file);
        fprintf(file, "<small>of %s</small>", print_bytes(text, run->cache.limit_bytes));
        end_total(file);
        begin_total(file, "pages loaded");
        put_count(file, run->cache.loads);
        fprintf(file, "<small>%s read</small>", print_bytes(text, run->cache.bytes_read));
        end_total(file);
    }
    if (run->has_model && run->def.time_limit != 0.0) {
        begin_total(file, "pages missed");
        put_count(file, run->totals.page_misses);
        fputs("<small>coarser levels answered</small>", file);
        end_total(file);
    }
    begin_total(file, "process, at most");
    fputs(print_bytes(text, run->process_bytes), file);
    fprintf(file, "<small>of it graze %s</small>", print_bytes(text, run->context_bytes));
    end_total(file);
}

static void write_totals(FILE *file, const path_run *run)
{
    const path_totals *totals = &run->totals;
    const char *unit = unit_name(run->two.metres_per_unit);
    double width = run->scene != NULL ? 0.0 : smaller_width(&run->two);
    fputs("<dl class=\"totals\">\n", file);
    write_verdict_total(file, run, GRAZE_CONTACT, "in contact");
    if (totals->verdicts[GRAZE_WITHIN_ERROR] != 0 || may_have_error(run->two.arguments))
        write_verdict_total(file, run, GRAZE_WITHIN_ERROR, "within the error");
    write_verdict_total(file, run, GRAZE_APART, "apart");
    if (totals->verdicts[GRAZE_UNDECIDED] != 0)
        write_verdict_total(file, run, GRAZE_UNDECIDED, "undecided");
    if (totals->deepest < run->steps.count) {
        begin_total(file, "deepest contact");
        fprintf(file, "%.4g<small>%s%sstep %" PRIu64 "</small>",
                run->steps.items[totals->deepest].depth, unit != NULL ? unit : "",
                unit != NULL ? ", " : "", totals->deepest + 1);
        end_total(file);
    }
    if (totals->most_error > 0.0) {
        begin_total(file, "largest error");
        fprintf(file, "%.4g<small>", totals->most_error);
        if (width > 0.0)
            fprintf(file, "%.3g %% of the smaller", 100.0 * (totals->most_error / width));
        fputs("</small>", file);
        end_total(file);
    }
    write_time_totals(file, run);
    write_memory_totals(file, run);
    fputs("</dl>\n", file);
}

// --- Charts

static void write_band(FILE *file, const path_run *run, const uint8_t *verdicts,
                       const chart_axis *axis)
{
    fputs("<figure class=\"chart wide band\" data-key=\"verdict\">\n<figcaption><b>Verdict</b> "
          "<output></output>\n<span class=\"legend\">",
          file);
    for (int v = 0; v < 4; ++v)
        if (run->totals.verdicts[v] != 0)
            fprintf(file, "<span><i class=\"dot v%d\"></i>%s</span>\n", v, path_verdict_names[v]);
    fprintf(file,
            "</span></figcaption>\n<div class=\"frame\"><div class=\"plot\"><svg viewBox=\"0 0 %u "
            "10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Verdict over the "
            "steps\">\n",
            axis->bin_count);
    for (uint32_t first = 0, end; first < axis->bin_count; first = end) {
        for (end = first + 1; end < axis->bin_count && verdicts[end] == verdicts[first];)
            ++end;
        fprintf(file, "<path class=\"v%u\" d=\"M%u 0H%uV10H%uz\"/>\n", verdicts[first], first, end,
                first);
    }
    fputs("</svg><div class=\"cursor\"></div></div>\n", file);
    chart_write_steps(file, axis);
    fputs("</div></figure>\n", file);
}

static void find_verdicts(const path_steps *steps, const chart_axis *axis, uint8_t *verdicts)
{
    for (uint32_t i = 0; i < axis->bin_count; ++i)
        verdicts[i] = GRAZE_APART;
    for (uint64_t i = 0; i < steps->count; ++i) {
        uint8_t *at = &verdicts[i * axis->bin_count / axis->step_count];
        if (gravity[steps->items[i].verdict] > gravity[*at])
            *at = (uint8_t)steps->items[i].verdict;
    }
}

typedef double step_value(const path_step *step);
static double time_of(const path_step *step) { return 1e3 * step->seconds; }
static double contacts_of(const path_step *step) { return (double)step->contacts; }
static double depth_of(const path_step *step) { return step->depth; }
static double error_of(const path_step *step) { return step->error; }
static double cut_a_of(const path_step *step) { return (double)step->cut_a; }
static double cut_b_of(const path_step *step) { return (double)step->cut_b; }
static double clusters_of(const path_step *step) { return (double)step->cluster_pairs; }
static double tests_of(const path_step *step) { return (double)step->triangle_tests; }
static double pages_of(const path_step *step) { return (double)step->page_loads; }
static double misses_of(const path_step *step) { return (double)step->page_misses; }

static void fill(svg_chart *chart, const path_steps *steps, int series, step_value *value)
{
    for (uint64_t i = 0; i < steps->count; ++i)
        chart_put(chart, series, i, value(&steps->items[i]));
}

static bool is_any(const path_steps *steps, step_value *value)
{
    for (uint64_t i = 0; i < steps->count; ++i)
        if (value(&steps->items[i]) > 0.0)
            return true;
    return false;
}

// Charts that would show nothing are left out. Returns how many there are.
static int make_charts(const path_run *run, svg_chart *charts)
{
    const path_steps *steps = &run->steps;
    svg_chart *chart = charts;
    bool coarse = run->totals.most_error > 0.0;
    chart_begin(chart, "time", "Time a step", "ms", steps->count);
    chart->wide = true;
    fill(chart, steps, 0, time_of);
    chart_guide_at(chart, "mean", 1e3 * run->totals.mean_seconds);
    chart_guide_at(chart, "p99", 1e3 * run->totals.p99_seconds);
    if (run->def.time_limit != 0.0)
        chart_guide_at(chart, "budget", 1e3 * run->def.time_limit);
    chart_begin(++chart, "contacts", "Contacts",
                run->scene != NULL ? "pairs of objects"
                : coarse           ? "pairs of leaves"
                                   : "pairs of triangles",
                steps->count);
    fill(chart, steps, 0, contacts_of);
    if (run->totals.deepest < steps->count) {
        chart_begin(++chart, "depth", "Deepest contact", length_unit(run), steps->count);
        fill(chart, steps, 0, depth_of);
    }
    if (coarse) {
        chart_begin(++chart, "error", "Error reached", length_unit(run), steps->count);
        fill(chart, steps, 0, error_of);
        if (run->def.error != 0.0)
            chart_guide_at(chart, "asked for", run->def.error);
        chart_begin(++chart, "cut", "Size of the cuts", "triangles", steps->count);
        chart->series_count = 2;
        chart->series[0].name = "moving";
        chart->series[1].name = "fixed";
        fill(chart, steps, 0, cut_a_of);
        fill(chart, steps, 1, cut_b_of);
    }
    if (is_any(steps, clusters_of)) {
        chart_begin(++chart, "clusters", "Pairs of clusters", "a step", steps->count);
        fill(chart, steps, 0, clusters_of);
    }
    chart_begin(++chart, "tests", "Tests of triangles", "a step", steps->count);
    fill(chart, steps, 0, tests_of);
    if (is_any(steps, pages_of)) {
        chart_begin(++chart, "pages", "Pages loaded", "a step", steps->count);
        fill(chart, steps, 0, pages_of);
    }
    if (is_any(steps, misses_of)) {
        chart_begin(++chart, "misses", "Pages missed", "a step", steps->count);
        fill(chart, steps, 0, misses_of);
    }
    int count = (int)(chart - charts) + 1;
    chart->wide = count % 2 == 0; // the first is wide: this one would be alone in its row
    return count;
}

static void write_script(FILE *file, const path_run *run, const svg_chart *charts, int chart_count,
                         const uint8_t *verdicts)
{
    const chart_axis *axis = &charts->axis;
    bool labelled = path_steps_labelled(&run->steps);
    fprintf(file, "<script>\nvar D={\"steps\":%" PRIu64 ",\"bins\":%u,\"names\":[",
            axis->step_count, axis->bin_count);
    for (int v = 0; v < 4; ++v)
        fprintf(file, "%s\"%s\"", v == 0 ? "" : ",", path_verdict_names[v]);
    fputs("],\"verdict\":[", file);
    for (uint32_t i = 0; i < axis->bin_count; ++i)
        fprintf(file, "%s%u", i == 0 ? "" : ",", verdicts[i]);
    fputs("],\n\"labels\":", file);
    fputs(labelled ? "[" : "null", file);
    for (uint32_t i = 0; labelled && i < axis->bin_count; ++i) {
        const char *label = run->steps.items[chart_first_step(axis, i)].label;
        fputs(i == 0 ? "" : ",", file);
        script_text(file, label != NULL ? label : "");
    }
    fputs(labelled ? "]" : "", file);
    for (int i = 0; i < chart_count; ++i) {
        fputs(",\n", file);
        chart_write_numbers(file, &charts[i]);
    }
    fprintf(file, "};\n%s</script>\n", report_script);
}

// --- Tables

static void write_step_cells(FILE *file, const path_run *run, uint64_t number, bool labelled)
{
    const path_step *step = &run->steps.items[number];
    fprintf(file, "<tr><td>%" PRIu64 "</td>", number + 1);
    if (labelled) {
        fputs("<td class=\"t l\">", file);
        html_text(file, step->label != NULL ? step->label : "");
        fputs("</td>", file);
    }
    fprintf(file, "<td class=\"t\"><i class=\"dot v%d\"></i>%s</td><td>", (int)step->verdict,
            path_verdict_names[step->verdict]);
    put_count(file, step->contacts);
    fputs("</td><td>", file);
    if (!isnan(step->depth))
        fprintf(file, "%.4g", step->depth);
    fprintf(file, "</td><td>%.4g</td><td>", 1e3 * step->seconds);
    if (step->error > 0.0)
        fprintf(file, "%.4g", step->error);
    else
        fputs(step->verdict != GRAZE_UNDECIDED ? "exact" : "", file);
    fputs("</td></tr>\n", file);
}

// The steps with the largest values, in that order; at most WORST_STEPS. Returns how many.
static int find_worst(const path_steps *steps, step_value *value, uint64_t worst[WORST_STEPS])
{
    int count = 0;
    for (uint64_t i = 0; i < steps->count; ++i) {
        double here = value(&steps->items[i]);
        if (isnan(here))
            continue;
        int at = count;
        while (at > 0 && value(&steps->items[worst[at - 1]]) < here)
            --at;
        if (at == WORST_STEPS)
            continue;
        count += count < WORST_STEPS;
        for (int move = count - 1; move > at; --move)
            worst[move] = worst[move - 1];
        worst[at] = i;
    }
    return count;
}

static void write_worst(FILE *file, const path_run *run, const char *title, step_value *value)
{
    uint64_t worst[WORST_STEPS];
    int count = find_worst(&run->steps, value, worst);
    bool labelled = path_steps_labelled(&run->steps);
    if (count == 0)
        return;
    fprintf(file, "<section><h2>%s</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th>step</th>",
            title);
    fputs(labelled ? "<th class=\"t l\">label</th>" : "", file);
    fputs("<th class=\"t\">verdict</th><th>contacts</th><th>depth</th><th>ms</th><th>error</th>"
          "</tr></thead>\n<tbody>\n",
          file);
    for (int i = 0; i < count; ++i)
        write_step_cells(file, run, worst[i], labelled);
    fputs("</tbody></table></div></section>\n", file);
}

static void write_stretches(FILE *file, const path_run *run)
{
    uint64_t stretches = 0;
    fputs("<h2>Stretches</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th class=\"t\">steps</th>"
          "<th class=\"t\">verdict</th><th>most contacts</th><th>depth</th><th class=\"l\">ms, "
          "mean</th><th>ms, "
          "most</th></tr></thead>\n<tbody>\n",
          file);
    for (uint64_t first = 0; first < run->steps.count; ++stretches) {
        path_stretch stretch = path_stretch_at(&run->steps, first);
        first += stretch.count;
        if (stretches >= MOST_STRETCHES)
            continue;
        fprintf(file, "<tr><td class=\"t\">%" PRIu64, stretch.first + 1);
        if (stretch.count > 1)
            fprintf(file, " to %" PRIu64, stretch.first + stretch.count);
        fprintf(file, "</td><td class=\"t\"><i class=\"dot v%d\"></i>%s</td><td>",
                (int)stretch.verdict, path_verdict_names[stretch.verdict]);
        put_count(file, stretch.most_contacts);
        fputs("</td><td>", file);
        if (!isnan(stretch.depth))
            fprintf(file, "%.4g", stretch.depth);
        fprintf(file, "</td><td class=\"l\">%.3g</td><td>%.3g</td></tr>\n",
                1e3 * stretch.mean_seconds, 1e3 * stretch.most_seconds);
    }
    fputs("</tbody></table></div>\n", file);
    if (stretches > MOST_STRETCHES)
        fprintf(file, "<p class=\"soft\">and %" PRIu64 " more</p>\n", stretches - MOST_STRETCHES);
}

// Which objects were hit, the first ones first.
static void write_hits(FILE *file, const path_run *run)
{
    object_hits *hits = path_scene_hits(run->scene);
    if (hits == NULL)
        return;
    fputs("<h2>Objects that were hit</h2>\n<div class=\"scroll\"><table>\n<thead><tr>"
          "<th class=\"t\">object</th><th>steps</th><th>first step</th></tr></thead>\n<tbody>\n",
          file);
    for (uint64_t i = 0; i < run->scene->hit_count && i < MOST_HITS; ++i) {
        fputs("<tr><td class=\"t\">", file);
        html_text(file, object_path(run->scene->scene, hits[i].other));
        fputs("</td><td>", file);
        put_count(file, hits[i].step_count);
        fprintf(file, "</td><td>%" PRIu64 "</td></tr>\n", hits[i].first + 1);
    }
    fputs("</tbody></table></div>\n", file);
    if (run->scene->hit_count > MOST_HITS)
        fprintf(file, "<p class=\"soft\">and %" PRIu64 " more</p>\n",
                run->scene->hit_count - MOST_HITS);
    free(hits);
}

static void write_words(FILE *file, const path_run *run)
{
    fputs("<h2>How to read this</h2>\n<dl class=\"words\">\n"
          "<dt>apart</dt><dd>Proved: all triangles of one are farther than the tolerance from all "
          "of the other. This is about surfaces: a model that is inside the other and touches "
          "nothing is apart from it.</dd>\n"
          "<dt>contact</dt><dd>Proved: at least two triangles are within the tolerance.</dd>\n",
          file);
    if (may_have_error(run->two.arguments))
        fputs("<dt>within error</dt><dd>Some triangles are at most tolerance and error apart. "
              "Whether they are within the tolerance takes a smaller error to tell.</dd>\n"
              "<dt>error</dt><dd>How far an answer may be off, to the safe side: contact may be "
              "told where the two are this far apart, but none is missed.</dd>\n"
              "<dt>cut</dt><dd>The triangles that stand for a model: the coarsest of its levels of "
              "detail that the error allows.</dd>\n",
              file);
    fputs("<dt>depth</dt><dd>Of a contact: how far its two triangles have to be moved to part. It "
          "is about two triangles, and not about what they bound; below 0, they are apart by so "
          "much.</dd>\n"
          "<dt>time</dt><dd>Of the question alone, on this machine. What the last step found is "
          "kept for the next; the first step also loads what it needs.</dd>\n</dl>\n",
          file);
}

// --- The page

static void write_head(FILE *file, const path_run *run)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
          file);
    html_text(file, file_name(run->two.sides[0].path));
    fputs(" along ", file);
    html_text(file, file_name(run->poses));
    fprintf(file, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", report_style);
}

static void write_foot(FILE *file)
{
    char date[64] = "";
    time_t now = time(NULL);
    struct tm calendar;
    if (gmtime_r(&now, &calendar) != NULL)
        strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &calendar);
    fprintf(file, "<footer>graze %s, %s</footer>\n", graze_version(), date);
}

bool write_path_report(FILE *file, const path_run *run)
{
    svg_chart *charts = calloc(MOST_CHARTS, sizeof *charts);
    if (charts == NULL)
        return false;
    uint8_t verdicts[CHART_BINS] = {0};
    int chart_count = make_charts(run, charts);
    const chart_axis *axis = &charts->axis;
    find_verdicts(&run->steps, axis, verdicts);
    write_head(file, run);
    write_question(file, run);
    write_totals(file, run);
    fputs("<h2>Along the path</h2>\n", file);
    if (axis->bin_count < axis->step_count)
        fprintf(file,
                "<p class=\"soft\">From left to right are the steps. Up to %" PRIu64
                " of them share a column, which shows the gravest verdict and the largest "
                "number.</p>\n",
                (axis->step_count + axis->bin_count - 1) / axis->bin_count);
    fputs("<div class=\"charts\">\n", file);
    write_band(file, run, verdicts, axis);
    for (int i = 0; i < chart_count; ++i)
        chart_write(file, &charts[i]);
    fputs("</div>\n", file);
    write_stretches(file, run);
    if (run->scene != NULL)
        write_hits(file, run);
    fputs("<div class=\"tables\">\n", file);
    write_worst(file, run, "Deepest steps", depth_of);
    write_worst(file, run, "Slowest steps", time_of);
    fputs("</div>\n", file);
    write_words(file, run);
    write_foot(file);
    write_script(file, run, charts, chart_count, verdicts);
    fputs("</body>\n</html>\n", file);
    free(charts);
    return true;
}
