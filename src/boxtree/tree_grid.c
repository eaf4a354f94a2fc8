// The first cuts of a large mesh, made on a grid. See tree_builder.h.
//
// Each cut of many triangles reads and writes them all, and for the first some cuts they come from
// far away in memory. So the first cuts are made of the cells of a grid: one pass over the mesh
// finds what is in each cell, the cells are cut as triangles are, and then each triangle is written
// once to where the last of these cuts wants it. A cell's triangles stay together, so cuts end
// where cells are too few for a choice.
#include <string.h>

#include "base/context.h"
#include "boxtree/tree_bins.h"
#include "boxtree/tree_reference.h"

#define CELL_SHARE 64  // triangles for a cell, about
#define MOST_CELLS 128 // along the longest axis
#define FEW_CELLS  256 // ranges with fewer are cut as triangles

typedef struct cell {
    bin box;
    middles between;
    uint32_t next; // place of its next triangle
} cell;

typedef struct grid {
    gz_tree_builder *builder;
    gz_f4 base, scale, last; // of twice the middles
    uint32_t stride[3], slot_count;
    uint32_t *slots; // number of the cell, plus one; 0: empty
    GZ_LIST(cell) cells;
} grid;

// Cells are cubes. A surface goes through about twice the square of their number along an axis.
static void lay_grid(grid *g, const gz_range *all)
{
    uint32_t along = 1, stride = 1;
    while (along < MOST_CELLS && 8 * along * along * CELL_SHARE <= all->count)
        along *= 2;
    gz_f4 extent = 2 * (all->high - all->low);
    float longest = extent[longest_axis(all)];
    g->base = 2 * all->low;
    for (int axis = 0; axis < 3; ++axis) {
        float scale = longest > 0 && longest < FLT_MAX ? (float)along / longest : 0;
        g->scale[axis] = scale;
        g->last[axis] = (float)(int)(extent[axis] * scale);
        g->last[axis] = g->last[axis] < (float)along ? g->last[axis] : (float)(along - 1);
        g->stride[axis] = stride;
        stride *= (uint32_t)g->last[axis] + 1;
    }
    g->slot_count = stride;
}

static uint32_t slot_of(const grid *g, gz_f4 middle)
{
    gz_f4 none = {0, 0, 0, 0};
    gz_f4 x = gz_f4_min(gz_f4_max((middle - g->base) * g->scale, none), g->last);
    return (uint32_t)(int)x[0] + g->stride[1] * (uint32_t)(int)x[1] +
           g->stride[2] * (uint32_t)(int)x[2];
}

static cell *add_cell(grid *g, uint32_t *slot)
{
    cell *fresh = gz_list_push(g->builder->context, &g->cells, 1);
    if (fresh == NULL)
        return NULL;
    *fresh = (cell){.box = nothing, .between = {most_of_all, -most_of_all}};
    *slot = (uint32_t)g->cells.count;
    return fresh;
}

// Sets the places to numbers of cells, for now.
static graze_status fill_cells(grid *g)
{
    gz_tree_builder *builder = g->builder;
    for (uint64_t t = 0; t < builder->view->triangle_count; ++t) {
        gz_reference r = gz_make_reference(builder->view, t, builder->origin, builder->scale);
        gz_f4 middle = r.low + r.high;
        uint32_t *slot = &g->slots[slot_of(g, middle)];
        cell *c = *slot == 0 ? add_cell(g, slot) : (cell *)g->cells.items + (*slot - 1);
        if (c == NULL)
            return GRAZE_ERROR_MEMORY;
        put_into(&c->box, &r);
        join_middles(&c->between, &(middles){middle, middle});
        builder->places[t] = *slot - 1;
    }
    return GRAZE_OK;
}

static gz_f4 middle_of(const cell *c) { return 0.5f * c->between.least + 0.5f * c->between.most; }

// Cells from one end and from the other change places, until the two meet. Returns where.
static uint32_t deal_cells(const grid *g, uint32_t *order, uint32_t count, const split *by,
                           const binning *bins)
{
    const cell *cells = g->cells.items;
    uint32_t i = 0, j = count;
    while (i < j) {
        if (bins_of(middle_of(&cells[order[i]]), bins)[by->axis] < (float)by->bin) {
            ++i;
        } else {
            uint32_t above = order[i];
            order[i] = order[--j];
            order[j] = above;
        }
    }
    return i;
}

static void set_places(grid *g, const gz_range *r, const uint32_t *order, uint32_t count)
{
    uint32_t next = r->first;
    for (uint32_t i = 0; i < count; ++i) {
        cell *c = (cell *)g->cells.items + order[i];
        c->next = next;
        next += c->box.count;
    }
}

static graze_status cut_cells(grid *g, gz_range *r, uint32_t *order, uint32_t count)
{
    const cell *cells = g->cells.items;
    gz_range lower = {.first = r->first, .depth = r->depth + 1}, upper = lower;
    int axis = longest_axis(r);
    binning by = make_binning(r);
    many_bins m;
    clear_bins(&m, by.count);
    for (uint32_t i = 0; i < count; ++i) {
        const cell *c = &cells[order[i]];
        int place = (int)bins_of(middle_of(c), &by)[axis];
        join_bin(&m.bins[0][place], &c->box);
        join_middles(&m.between[0][place], &c->between);
    }
    split best = split_bins(&m, by.count, axis, &lower, &upper);
    if (count < FEW_CELLS || r->depth >= STEEP_DEPTH || best.axis < 0) {
        set_places(g, r, order, count);
        return GRAZE_OK;
    }
    upper.first += lower.count;
    uint32_t number = (uint32_t)g->builder->cuts.count;
    if (gz_list_push(g->builder->context, &g->builder->cuts, 1) == NULL)
        return GRAZE_ERROR_MEMORY;
    uint32_t below = deal_cells(g, order, count, &best, &by);
    graze_status status = cut_cells(g, &lower, order, below);
    if (status == GRAZE_OK)
        status = cut_cells(g, &upper, order + below, count - below);
    ((gz_grid_cut *)g->builder->cuts.items)[number] = (gz_grid_cut){lower, upper};
    r->cut = number + 1;
    return status;
}

static graze_status cut_all(grid *g, gz_range *all)
{
    graze_context *context = g->builder->context;
    uint32_t count = (uint32_t)g->cells.count;
    uint32_t *order = GZ_NEW_ARRAY(context, uint32_t, count);
    const cell *cells = g->cells.items;
    if (order == NULL)
        return GRAZE_ERROR_MEMORY;
    bin box = nothing;
    middles between = {most_of_all, -most_of_all};
    for (uint32_t i = 0; i < count; ++i) {
        order[i] = i;
        join_bin(&box, &cells[i].box);
        join_middles(&between, &cells[i].between);
    }
    all->low = box.low;
    all->high = box.high;
    all->least = between.least;
    all->most = between.most;
    graze_status status = cut_cells(g, all, order, count);
    GZ_FREE_ARRAY(context, order, count);
    return status;
}

graze_status gz_grid_make(gz_tree_builder *builder, gz_range *all)
{
    grid g = {.builder = builder};
    lay_grid(&g, all);
    g.slots = GZ_NEW_ARRAY(builder->context, uint32_t, g.slot_count);
    builder->places = GZ_NEW_ARRAY(builder->context, uint32_t, all->count);
    graze_status status =
        g.slots == NULL || builder->places == NULL ? GRAZE_ERROR_MEMORY : GRAZE_OK;
    if (status == GRAZE_OK) {
        memset(g.slots, 0, g.slot_count * sizeof *g.slots);
        status = fill_cells(&g);
    }
    if (status == GRAZE_OK)
        status = cut_all(&g, all);
    for (uint32_t t = 0; t < all->count && status == GRAZE_OK; ++t)
        builder->places[t] = ((cell *)g.cells.items)[builder->places[t]].next++;
    gz_list_free(builder->context, &g.cells);
    GZ_FREE_ARRAY(builder->context, g.slots, g.slot_count);
    return status;
}
