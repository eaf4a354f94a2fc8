// Bridges, by a grid. See bridges.h.
//
// A cell is twice as wide as the reach, so what is in reach of a vertex lies in eight cells. A cell
// remembers one vertex of each of the first few components in it: however crowded it is, looking
// takes a fixed time, and who asks finds another component if there is one. Small cells hold few
// vertices, so what is near is found early, while the reach still is short.
#include "simplify/bridges.h"

#include <math.h>
#include <string.h>

#include "simplify/collapse_cost.h"
#include "simplify/union_find.h"

#define PIECES_A_CELL 4

typedef struct cell {
    uint64_t key; // EMPTY for none
    uint32_t vertex[PIECES_A_CELL];
} cell;
#define EMPTY UINT64_MAX

typedef struct grid {
    cell *cells;
    uint64_t mask; // a power of two, less 1
    double scale;  // cells a unit
} grid;

static uint64_t cell_count(uint64_t vertex_count)
{
    uint64_t count = 16;
    while (count < 2 * vertex_count)
        count *= 2;
    return count;
}

uint64_t gz_bridges_bytes(uint64_t vertex_count)
{
    return 64 + cell_count(vertex_count) * sizeof(cell);
}

// Coordinates are between 0 and 2, and there are at most 2^20 cells along an axis.
static uint64_t key_of(const uint64_t place[3])
{
    return place[0] << 42 | place[1] << 21 | place[2];
}

static cell *find_cell(const grid *g, uint64_t key)
{
    uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15);
    at ^= at >> 32;
    for (;; ++at) {
        cell *c = g->cells + (at & g->mask);
        if (c->key == key || c->key == EMPTY)
            return c;
    }
}

static void insert(const grid *g, gz_work *work, uint32_t v)
{
    uint64_t place[3];
    for (int k = 0; k < 3; ++k)
        place[k] = (uint64_t)(work->position[v][k] * g->scale);
    cell *c = find_cell(g, key_of(place));
    if (c->key == EMPTY) {
        c->key = key_of(place);
        for (int i = 0; i < PIECES_A_CELL; ++i)
            c->vertex[i] = GZ_NONE;
    }
    uint32_t component = gz_union_root(work->component, v);
    for (int i = 0; i < PIECES_A_CELL; ++i) {
        if (c->vertex[i] == GZ_NONE)
            c->vertex[i] = v;
        if (gz_union_root(work->component, c->vertex[i]) == component)
            return;
    }
}

static uint32_t nearest(const grid *g, gz_work *work, uint32_t v)
{
    uint32_t component = gz_union_root(work->component, v), best = GZ_NONE;
    double best_square = INFINITY;
    uint64_t low[3];
    for (int k = 0; k < 3; ++k) { // the lower of the two cells to look at
        double at = work->position[v][k] * g->scale;
        low[k] = (uint64_t)(at + 0.5) - (at >= 0.5);
    }
    for (unsigned corner = 0; corner < 8; ++corner) {
        uint64_t place[3] = {low[0] + (corner & 1), low[1] + (corner >> 1 & 1),
                             low[2] + (corner >> 2)};
        const cell *c = find_cell(g, key_of(place));
        for (int i = 0; i < PIECES_A_CELL && c->key != EMPTY && c->vertex[i] != GZ_NONE; ++i) {
            uint32_t u = c->vertex[i];
            double square = gz_squared_distance(work->position[v], work->position[u]);
            if (gz_union_root(work->component, u) != component &&
                (square < best_square || (square == best_square && u < best))) {
                best = u;
                best_square = square;
            }
        }
    }
    return best;
}

void gz_bridges_find(gz_work *work, double reach, gz_arena scratch)
{
    uint32_t vertex_count = work->stars.vertex_count;
    grid g = {.mask = cell_count(vertex_count) - 1, .scale = 0.5 / reach};
    g.cells = gz_arena_array(&scratch, cell, g.mask + 1);
    memset(g.cells, 0xff, (size_t)(g.mask + 1) * sizeof *g.cells);
    for (uint32_t v = 0; v < vertex_count; ++v)
        if (work->stars.star[v].live != 0)
            insert(&g, work, v);
    for (uint32_t v = 0; v < vertex_count; ++v)
        if (work->stars.star[v].live != 0 && (work->locked == NULL || !work->locked[v]))
            work->bridge[v] = nearest(&g, work, v);
}
