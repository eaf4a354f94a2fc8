// Charts over the steps of a path, as SVG inside HTML. The plot is SVG that stretches to the room
// it has; its labels are HTML around it, so that they keep their size on a narrow screen.
#ifndef GRAZE_CMD_SVG_CHART_H
#define GRAZE_CMD_SVG_CHART_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CHART_BINS 600 // more steps than these share columns, each as high as its highest step

// Columns of a chart: step i falls into column i * bins / steps.
typedef struct chart_axis {
    uint64_t step_count;
    uint32_t bin_count;
} chart_axis;

chart_axis chart_axis_of(uint64_t step_count);
uint64_t chart_first_step(const chart_axis *axis, uint32_t bin); // from 0

typedef struct chart_series {
    const char *name;          // in the legend; NULL: the only one
    double values[CHART_BINS]; // NaN: none here
} chart_series;

// A line across, with its value in the legend.
typedef struct chart_guide {
    const char *name;
    double value;
} chart_guide;

typedef struct svg_chart {
    const char *title, *unit; // unit "" for counts
    const char *key;          // of its numbers in the script
    bool wide;                // takes the whole row
    chart_axis axis;
    chart_series series[2];
    int series_count;
    chart_guide guides[3];
    int guide_count;
} svg_chart;

// Begins with nothing in it.
void chart_begin(svg_chart *chart, const char *key, const char *title, const char *unit,
                 uint64_t step_count);
// The value of a step; the largest in a column counts.
void chart_put(svg_chart *chart, int series, uint64_t step, double value);
void chart_guide_at(svg_chart *chart, const char *name, double value);

void chart_write(FILE *file, const svg_chart *chart);
// The numbers behind it, for the script: "key":[[...],[...]].
void chart_write_numbers(FILE *file, const svg_chart *chart);

// Numbers of steps under a plot; for the band of verdicts, too.
void chart_write_steps(FILE *file, const chart_axis *axis);

#endif
