// See path_steps.h.
#include "path_steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const path_verdict_names[4] = {"undecided", "apart", "contact", "within error"};

static double deepest_of(const graze_answer *answer)
{
    double depth = NAN;
    for (uint64_t i = 0; answer->contacts != NULL && i < answer->pair_count; ++i)
        depth = fmax(depth, answer->contacts[i].depth); // of a NaN and a number, the number
    return depth;
}

bool path_steps_add(path_steps *steps, const path_pose *at, const graze_answer *answer,
                    double seconds)
{
    if (steps->count == steps->room) {
        uint64_t room = steps->room == 0 ? 256 : 2 * steps->room;
        path_step *items = realloc(steps->items, (size_t)room * sizeof *items);
        if (items == NULL)
            return false;
        steps->items = items;
        steps->room = room;
    }
    char *label = at->label != NULL ? strdup(at->label) : NULL;
    if (at->label != NULL && label == NULL)
        return false;
    steps->items[steps->count++] = (path_step){
        .line = at->line,
        .label = label,
        .verdict = answer->verdict,
        .complete = answer->complete != 0,
        .contacts = answer->pair_count,
        .depth = deepest_of(answer),
        .seconds = seconds,
        .error = answer->error,
        .cut_a = answer->cut_a,
        .cut_b = answer->cut_b,
        .cluster_pairs = answer->counters.part_pairs,
        .triangle_tests = answer->counters.triangle_tests,
        .page_loads = answer->counters.page_loads,
        .page_misses = answer->counters.page_misses,
    };
    return true;
}

bool path_steps_labelled(const path_steps *steps)
{
    for (uint64_t i = 0; i < steps->count; ++i)
        if (steps->items[i].label != NULL)
            return true;
    return false;
}

void path_steps_free(path_steps *steps)
{
    for (uint64_t i = 0; i < steps->count; ++i)
        free(steps->items[i].label);
    free(steps->items);
    *steps = (path_steps){0};
}

static int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bool path_steps_sum(const path_steps *steps, path_totals *totals)
{
    double *times = malloc((size_t)steps->count * sizeof *times), sum = 0.0;
    if (times == NULL)
        return false;
    *totals = (path_totals){.deepest = steps->count};
    for (uint64_t i = 0; i < steps->count; ++i) {
        const path_step *step = &steps->items[i];
        times[i] = step->seconds;
        sum += step->seconds;
        totals->verdicts[step->verdict] += 1;
        totals->page_loads += step->page_loads;
        totals->page_misses += step->page_misses;
        totals->most_error = fmax(totals->most_error, step->error);
        if (step->seconds > steps->items[totals->slowest].seconds)
            totals->slowest = i;
        if (!isnan(step->depth) &&
            (totals->deepest == steps->count || step->depth > steps->items[totals->deepest].depth))
            totals->deepest = i;
    }
    qsort(times, (size_t)steps->count, sizeof *times, compare_reals);
    uint64_t rank = (steps->count * 99 + 99) / 100; // the least that 99 % are not above
    totals->mean_seconds = sum / (double)steps->count;
    totals->p99_seconds = times[rank - 1];
    totals->most_seconds = times[steps->count - 1];
    free(times);
    return true;
}

path_stretch path_stretch_at(const path_steps *steps, uint64_t first)
{
    path_stretch stretch = {.first = first, .verdict = steps->items[first].verdict, .depth = NAN};
    double sum = 0.0;
    for (uint64_t i = first; i < steps->count && steps->items[i].verdict == stretch.verdict; ++i) {
        const path_step *step = &steps->items[i];
        stretch.count += 1;
        stretch.depth = fmax(stretch.depth, step->depth);
        stretch.most_seconds = fmax(stretch.most_seconds, step->seconds);
        sum += step->seconds;
        if (step->contacts > stretch.most_contacts)
            stretch.most_contacts = step->contacts;
    }
    stretch.mean_seconds = sum / (double)stretch.count;
    return stretch;
}
