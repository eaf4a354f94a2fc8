// METIS behind a fence. See metis_guard.h.
#include "scene/metis_guard.h"

#include <metis.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"

#if IDXTYPEWIDTH != 32
#error "METIS was built with 64-bit indices; gz_metis_graph has 32"
#endif

bool gz_metis_can(uint64_t node_count, uint64_t link_count)
{
    return node_count >= 2 && node_count < INT32_MAX / 2 && link_count < INT32_MAX / 2;
}

static void check_graph(const gz_metis_graph *graph)
{
    GZ_ASSERT(graph->first[0] == 0);
    uint32_t link_count = (uint32_t)graph->first[graph->node_count];
    GZ_ASSERT(gz_metis_can(graph->node_count, link_count));
    int64_t weight = 0, cost = 0;
    for (uint32_t i = 0; i < graph->node_count; ++i) {
        GZ_ASSERT(graph->first[i] <= graph->first[i + 1] && graph->weight[i] >= 1);
        weight += graph->weight[i];
        for (int32_t k = graph->first[i]; k < graph->first[i + 1]; ++k) {
            GZ_ASSERT((uint32_t)graph->neighbour[k] < graph->node_count);
            GZ_ASSERT((uint32_t)graph->neighbour[k] != i && graph->cost[k] >= 1);
            cost += graph->cost[k];
        }
    }
    GZ_ASSERT(weight < INT32_MAX && cost < INT32_MAX);
}

// The numbers are METIS's to read only, but its interface does not say so.
static int call_metis(const gz_metis_graph *graph, double share, int32_t *part)
{
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_NUMBERING] = 0;
    idx_t nodes = (idx_t)graph->node_count, constraints = 1, parts = 2, cut = 0;
    real_t shares[2] = {(real_t)share, (real_t)(1 - share)};
    return METIS_PartGraphRecursive(&nodes, &constraints, (idx_t *)graph->first,
                                    (idx_t *)graph->neighbour, (idx_t *)graph->weight, NULL,
                                    (idx_t *)graph->cost, &parts, shares, NULL, options, &cut,
                                    part);
}

// rand() has one state for the whole process, and so have signals.
static pthread_mutex_t metis_lock = PTHREAD_MUTEX_INITIALIZER;

graze_status gz_metis_bisect(graze_context *context, const gz_metis_graph *graph, double share,
                             int32_t *part)
{
    static const int taken[2] = {SIGABRT, SIGTERM};
    struct sigaction before[2];
    int32_t numbers[32]; // as much as it has by itself
    check_graph(graph);
    GZ_ASSERT(share > 0 && share < 1);
    pthread_mutex_lock(&metis_lock);
    for (int i = 0; i < 2; ++i)
        sigaction(taken[i], NULL, &before[i]);
    char *state = initstate(1, (char *)numbers, sizeof numbers);
    int result = call_metis(graph, share, part);
    setstate(state);
    for (int i = 0; i < 2; ++i)
        sigaction(taken[i], &before[i], NULL);
    pthread_mutex_unlock(&metis_lock);
    if (result != METIS_OK) // what else it may say is ruled out above
        return gz_fail(context, GRAZE_ERROR_MEMORY,
                       "no memory to cut an overlap graph of %u nodes in two", graph->node_count);
    for (uint32_t i = 0; i < graph->node_count; ++i)
        GZ_ASSERT((uint32_t)part[i] < 2);
    return GRAZE_OK;
}
