// Prints scores. See lod_score.h.
#include "lod_score.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIGHT 100 // pairs: fewer are light contact

typedef struct bin {
    uint32_t count;
    double seconds;
} bin;

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void lod_score_print_head(void)
{
    puts("lod_scene,engine,walk,triangles,eps_percent,poses,mean_ms,p50_ms,p99_ms,max_ms,"
         "processor_ms,memory_ms,contacts,exact_pairs,contacts_per_pair,us_per_contact,cut_a,cut_b,"
         "triangle_tests,part_pairs,page_loads,resident_mib,cache_mib,error_percent,"
         "worst_error_percent,apart_poses,light_poses,deep_poses,apart_ms,light_ms,deep_ms,wrong");
}

static void print_times(const lod_score *s, double mean)
{
    static double sorted[LOD_POSES];
    memcpy(sorted, s->seconds, s->count * sizeof *sorted);
    qsort(sorted, s->count, sizeof *sorted, by_size);
    printf("%.4f,%.4f,%.4f,%.4f,%.4f,", mean * 1e3, sorted[s->count / 2] * 1e3,
           sorted[(uint32_t)(0.99 * s->count)] * 1e3, sorted[s->count - 1] * 1e3,
           s->processor * 1e3 / s->count);
}

static void print_quotient(double a, double b)
{
    if (b > 0)
        printf("%.5g", a / b);
    printf(",");
}

static void print_bins(const bin bins[3])
{
    for (int i = 0; i < 3; ++i)
        printf("%u,", bins[i].count);
    for (int i = 0; i < 3; ++i)
        print_quotient(bins[i].seconds * 1e3, bins[i].count);
}

void lod_score_print(const lod_scene *scene, const lod_score *s)
{
    double seconds = 0, memory = 0, pairs = 0, n = s->count;
    bin bins[3] = {{0, 0}, {0, 0}, {0, 0}};
    if (s->count == 0)
        return;
    for (uint32_t i = 0; i < s->count; ++i) {
        seconds += s->seconds[i];
        if (!scene->known)
            continue;
        uint64_t exact = scene->pairs[s->pose[i]];
        memory += scene->seconds[s->pose[i]];
        pairs += (double)exact;
        bin *in = &bins[exact == 0 ? 0 : exact < LIGHT ? 1 : 2];
        in->count++;
        in->seconds += s->seconds[i];
    }
    printf("%s,%s,%s,%llu,%g,%u,", scene->name, s->engine, s->walk,
           (unsigned long long)scene->triangle_count, s->percent, s->count);
    print_times(s, seconds / n);
    print_quotient(memory * 1e3, scene->known ? n : 0);
    printf("%.2f,", s->contacts / n);
    print_quotient(pairs, scene->known ? n : 0);
    print_quotient(s->contacts, pairs);
    print_quotient(seconds * 1e6, s->contacts);
    printf("%.0f,%.0f,%.1f,%.1f,%.2f,%.1f,%.1f,%.5f,%.5f,", s->cut_a / n, s->cut_b / n,
           s->triangle_tests / n, s->part_pairs / n, s->page_loads / n, s->resident_mib,
           s->cache_mib, s->error / n / scene->width * 100, s->worst_error / scene->width * 100);
    print_bins(bins);
    printf("%llu\n", (unsigned long long)s->wrong);
    fflush(stdout);
}
