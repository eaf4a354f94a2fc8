// See svg_chart.h.
#include "svg_chart.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "html_text.h"
#include "units.h"

#define PLOT_HEIGHT 100.0 // of the SVG, which is stretched
#define MOST_TICKS  12

// From `low` at the bottom to `high` at the top.
typedef struct chart_scale {
    double low, high;
    bool logarithmic;
    double ticks[MOST_TICKS];
    int tick_count;
} chart_scale;

chart_axis chart_axis_of(uint64_t step_count)
{
    return (chart_axis){step_count, (uint32_t)(step_count < CHART_BINS ? step_count : CHART_BINS)};
}

uint64_t chart_first_step(const chart_axis *axis, uint32_t bin)
{
    return (bin * axis->step_count + axis->bin_count - 1) / axis->bin_count;
}

void chart_begin(svg_chart *chart, const char *key, const char *title, const char *unit,
                 uint64_t step_count)
{
    chart->key = key;
    chart->title = title;
    chart->unit = unit;
    chart->wide = false;
    chart->axis = chart_axis_of(step_count);
    chart->series_count = 1;
    chart->guide_count = 0;
    for (int s = 0; s < 2; ++s) {
        chart->series[s].name = NULL;
        for (uint32_t i = 0; i < CHART_BINS; ++i)
            chart->series[s].values[i] = NAN;
    }
}

void chart_put(svg_chart *chart, int series, uint64_t step, double value)
{
    uint64_t bin = step * chart->axis.bin_count / chart->axis.step_count;
    double *at = &chart->series[series].values[bin];
    *at = fmax(*at, value); // of a NaN and a number, the number
}

void chart_guide_at(svg_chart *chart, const char *name, double value)
{
    chart->guides[chart->guide_count++] = (chart_guide){name, value};
}

// --- Scales

static int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// What the values above 0 are like: the least, the middle one and the largest; 0 if there are none.
static void look_at_values(const svg_chart *chart, double *least, double *middle, double *most,
                           double *below)
{
    double sorted[2 * CHART_BINS];
    int count = 0;
    *below = 0.0;
    for (int s = 0; s < chart->series_count; ++s)
        for (uint32_t i = 0; i < chart->axis.bin_count; ++i) {
            double value = chart->series[s].values[i];
            if (value > 0.0)
                sorted[count++] = value;
            else if (value < *below)
                *below = value;
        }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_reals);
    *least = count != 0 ? sorted[0] : 0.0;
    *middle = count != 0 ? sorted[count / 2] : 0.0;
    *most = count != 0 ? sorted[count - 1] : 0.0;
    for (int i = 0; i < chart->guide_count; ++i)
        *most = fmax(*most, chart->guides[i].value);
}

// 1, 2, 2.5 or 5 times a power of ten, of which not more than so many make the range.
static double nice_step(double range, double count)
{
    double rough = range / count, power = pow(10.0, floor(log10(rough))), part = rough / power;
    if (part <= 1.0)
        return power;
    if (part <= 2.5)
        return part <= 2.0 ? 2.0 * power : 2.5 * power;
    return part <= 5.0 ? 5.0 * power : 10.0 * power;
}

// Powers of ten where the largest would hide all others, else even steps from 0.
static chart_scale find_scale(const svg_chart *chart)
{
    double least, middle, most, below;
    chart_scale scale = {0};
    look_at_values(chart, &least, &middle, &most, &below);
    scale.logarithmic = below == 0.0 && least > 0.0 && most > 40.0 * middle;
    if (scale.logarithmic) {
        double low = floor(log10(least)), high = ceil(log10(most));
        low = fmax(low, high - 6.0);
        int every = high - low > 4.0 ? 2 : 1;
        scale.low = pow(10.0, low);
        scale.high = pow(10.0, high);
        for (int i = 0; i <= (int)(high - low); i += every)
            scale.ticks[scale.tick_count++] = pow(10.0, low + i);
        return scale;
    }
    double step = most - below > 1e-290 ? nice_step(most - below, 4.0) : 0.25;
    int first = (int)floor(below / step), last = (int)ceil(most / step);
    last = last > first ? last : first + 4;
    scale.low = first * step;
    scale.high = last * step;
    for (int i = first; i <= last && scale.tick_count < MOST_TICKS; ++i)
        scale.ticks[scale.tick_count++] = i * step;
    return scale;
}

// From 0 at the top to 1 at the bottom.
static double place(const chart_scale *scale, double value)
{
    double part = (value - scale->low) / (scale->high - scale->low);
    if (scale->logarithmic)
        part = value > scale->low ? log(value / scale->low) / log(scale->high / scale->low) : 0.0;
    return 1.0 - fmin(fmax(part, 0.0), 1.0);
}

// Short numbers for an axis: 0.02, 15, 20k, 1.5M.
static const char *print_tick(char out[TEXT_BYTES], double value)
{
    double size = fabs(value);
    if (size >= 1e9)
        snprintf(out, TEXT_BYTES, "%.4gG", value / 1e9);
    else if (size >= 1e6)
        snprintf(out, TEXT_BYTES, "%.4gM", value / 1e6);
    else if (size >= 1e4)
        snprintf(out, TEXT_BYTES, "%.4gk", value / 1e3);
    else
        snprintf(out, TEXT_BYTES, "%.4g", value);
    return out;
}

// --- Drawing

// Columns side by side: a line that goes up and down between steps, with gaps where there is none.
static void write_line(FILE *file, const svg_chart *chart, const chart_scale *scale, int series)
{
    const double *values = chart->series[series].values;
    bool drawing = false;
    fprintf(file, "<path class=\"line s%d\" d=\"", series + 1);
    for (uint32_t i = 0; i < chart->axis.bin_count; ++i) {
        double y = PLOT_HEIGHT * place(scale, values[i]);
        if (!isnan(values[i]))
            drawing ? fprintf(file, "V%.2fH%u", y, i + 1)
                    : fprintf(file, "M%u %.2fH%u", i, y, i + 1);
        drawing = !isnan(values[i]);
    }
    fputs("\"/>\n", file);
}

// The same, filled down to 0, if it is the only one.
static void write_area(FILE *file, const svg_chart *chart, const chart_scale *scale)
{
    double floor_at = PLOT_HEIGHT * place(scale, 0.0);
    fputs("<path class=\"area\" d=\"", file);
    for (uint32_t i = 0; i < chart->axis.bin_count; ++i) {
        double value = chart->series[0].values[i];
        if (!isnan(value))
            fprintf(file, "M%u %.2fV%.2fH%uV%.2fz", i, floor_at, PLOT_HEIGHT * place(scale, value),
                    i + 1, floor_at);
    }
    fputs("\"/>\n", file);
}

static void write_plot(FILE *file, const svg_chart *chart, const chart_scale *scale)
{
    uint32_t width = chart->axis.bin_count;
    fprintf(file,
            "<svg viewBox=\"0 0 %u 100\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"",
            width);
    html_text(file, chart->title);
    fputs(" over the steps\">\n", file);
    for (int i = 0; i < scale->tick_count; ++i)
        fprintf(file, "<path class=\"grid\" d=\"M0 %.2fH%u\"/>\n",
                PLOT_HEIGHT * place(scale, scale->ticks[i]), width);
    if (chart->series_count == 1)
        write_area(file, chart, scale);
    for (int s = 0; s < chart->series_count; ++s)
        write_line(file, chart, scale, s);
    for (int i = 0; i < chart->guide_count; ++i)
        fprintf(file, "<path class=\"guide g%d\" d=\"M0 %.2fH%u\"/>\n", i + 1,
                PLOT_HEIGHT * place(scale, chart->guides[i].value), width);
    fputs("</svg>", file);
}

static void write_legend(FILE *file, const svg_chart *chart)
{
    char number[TEXT_BYTES];
    fputs("<span class=\"legend\">", file);
    for (int s = 0; s < chart->series_count && chart->series[s].name != NULL; ++s) {
        fprintf(file, "<span><i class=\"key s%d\"></i>", s + 1);
        html_text(file, chart->series[s].name);
        fputs("</span>\n", file);
    }
    for (int i = 0; i < chart->guide_count; ++i) {
        fprintf(file, "<span><i class=\"key dash g%d\"></i>", i + 1);
        html_text(file, chart->guides[i].name);
        snprintf(number, sizeof number, " %.3g", chart->guides[i].value);
        fprintf(file, "%s %s</span>\n", number, chart->unit);
    }
    fputs("</span>", file);
}

void chart_write_steps(FILE *file, const chart_axis *axis)
{
    uint64_t count = axis->step_count;
    uint64_t every = count > 1 ? (uint64_t)fmax(1.0, ceil(nice_step((double)count, 6.0))) : 1;
    fputs("<div class=\"steps\" aria-hidden=\"true\"><span class=\"word\">step</span>", file);
    for (uint64_t step = count > every ? every : 1; step <= count; step += every) {
        double at = 100.0 * ((double)step - 0.5) / (double)count;
        fprintf(file, "<span style=\"left:%.3f%%\"%s>%" PRIu64 "</span>", at,
                at > 94.0 ? " class=\"last\"" : "", step);
    }
    fputs("</div>\n", file);
}

void chart_write(FILE *file, const svg_chart *chart)
{
    char number[TEXT_BYTES];
    chart_scale scale = find_scale(chart);
    fprintf(file, "<figure class=\"chart%s\" data-key=\"%s\">\n<figcaption><b>",
            chart->wide ? " wide" : "", chart->key);
    html_text(file, chart->title);
    fputs("</b>", file);
    if (chart->unit[0] != '\0' || scale.logarithmic) {
        fputs(" <small>", file);
        html_text(file, chart->unit);
        fprintf(file, "%s%s</small>", chart->unit[0] != '\0' && scale.logarithmic ? ", " : "",
                scale.logarithmic ? "logarithmic" : "");
    }
    fputs(" <output></output>\n", file);
    write_legend(file, chart);
    fputs("</figcaption>\n<div class=\"frame\"><div class=\"ticks\" aria-hidden=\"true\">", file);
    for (int i = 0; i < scale.tick_count; ++i)
        fprintf(file, "<span style=\"top:%.2f%%\">%s</span>", 100.0 * place(&scale, scale.ticks[i]),
                print_tick(number, scale.ticks[i]));
    fputs("</div>\n<div class=\"plot\">", file);
    write_plot(file, chart, &scale);
    fputs("<div class=\"cursor\"></div></div>\n", file);
    chart_write_steps(file, &chart->axis);
    fputs("</div></figure>\n", file);
}

void chart_write_numbers(FILE *file, const svg_chart *chart)
{
    fprintf(file, "\"%s\":[", chart->key);
    for (int s = 0; s < chart->series_count; ++s) {
        fputs(s == 0 ? "[" : ",[", file);
        for (uint32_t i = 0; i < chart->axis.bin_count; ++i) {
            double value = chart->series[s].values[i];
            if (i != 0)
                fputc(',', file);
            isfinite(value) ? (void)fprintf(file, "%.6g", value) : (void)fputs("null", file);
        }
        fputc(']', file);
    }
    fputc(']', file);
}
