// The grid of triangles and hulls. See patch_grid.h.
#include "clod/patch_grid.h"

#include <math.h>

#define NO_ENTRY   UINT32_MAX
#define MOST_CELLS (UINT64_C(1) << 22)

void gz_patch_grid_free(gz_patch_grid *grid)
{
    if (grid->context == NULL)
        return;
    GZ_FREE_ARRAY(grid->context, grid->first, grid->cell_count);
    gz_list_free(grid->context, &grid->entries);
    grid->first = NULL;
    grid->cell_count = 0;
}

// Cells are cubes. A flat box has as many as a full one would have, in fewer layers.
bool gz_patch_grid_begin(gz_patch_grid *grid, const graze_box *box, uint64_t item_count)
{
    GZ_FREE_ARRAY(grid->context, grid->first, grid->cell_count);
    grid->first = NULL;
    grid->cell_count = 0;
    grid->entries.count = 0;
    double wanted = (double)(item_count < 64 ? 64 : item_count), widest = 0;
    wanted = wanted < (double)MOST_CELLS / 8 ? wanted : (double)MOST_CELLS / 8;
    for (int i = 0; i < 3; ++i) {
        grid->origin[i] = box->min[i];
        widest = fmax(widest, box->max[i] - box->min[i]);
    }
    // A surface of so many things over a cube meets about this many cells along an edge.
    double along = sqrt(wanted / 6) + 1;
    grid->scale = widest > 0 ? along / widest : 1;
    uint64_t count = 1;
    for (int i = 0; i < 3; ++i) {
        double cells = (box->max[i] - box->min[i]) * grid->scale;
        grid->cells[i] = cells >= 1 ? (uint32_t)fmin(cells + 1, 512) : 1;
        count *= grid->cells[i];
    }
    while (count > MOST_CELLS) {
        count = 1;
        grid->scale *= 0.5;
        for (int i = 0; i < 3; ++i) {
            grid->cells[i] = grid->cells[i] / 2 + 1;
            count *= grid->cells[i];
        }
    }
    grid->first = GZ_NEW_ARRAY(grid->context, uint32_t, count);
    if (grid->first == NULL)
        return false;
    grid->cell_count = (uint32_t)count;
    for (uint64_t i = 0; i < count; ++i)
        grid->first[i] = NO_ENTRY;
    return true;
}

static void range(const gz_patch_grid *grid, const graze_box *box, uint32_t low[3],
                  uint32_t high[3])
{
    for (int i = 0; i < 3; ++i) {
        double from = (box->min[i] - grid->origin[i]) * grid->scale;
        double to = (box->max[i] - grid->origin[i]) * grid->scale;
        double last = (double)(grid->cells[i] - 1);
        low[i] = (uint32_t)fmin(fmax(from, 0), last);
        high[i] = (uint32_t)fmin(fmax(to, 0), last);
    }
}

static uint64_t cell_of(const gz_patch_grid *grid, uint32_t x, uint32_t y, uint32_t z)
{
    return ((uint64_t)z * grid->cells[1] + y) * grid->cells[0] + x;
}

bool gz_patch_grid_add(gz_patch_grid *grid, const graze_box *box, uint32_t item)
{
    uint32_t low[3], high[3];
    range(grid, box, low, high);
    for (uint32_t z = low[2]; z <= high[2]; ++z)
        for (uint32_t y = low[1]; y <= high[1]; ++y)
            for (uint32_t x = low[0]; x <= high[0]; ++x) {
                gz_grid_entry *room = gz_list_push(grid->context, &grid->entries, 1);
                if (room == NULL || grid->entries.count >= NO_ENTRY)
                    return false;
                uint64_t cell = cell_of(grid, x, y, z);
                *room = (gz_grid_entry){item, grid->first[cell]};
                grid->first[cell] = (uint32_t)(grid->entries.count - 1);
            }
    return true;
}

bool gz_patch_grid_find(const gz_patch_grid *grid, const graze_box *box, gz_index_list *out)
{
    uint32_t low[3], high[3];
    range(grid, box, low, high);
    for (uint32_t z = low[2]; z <= high[2]; ++z)
        for (uint32_t y = low[1]; y <= high[1]; ++y)
            for (uint32_t x = low[0]; x <= high[0]; ++x)
                for (uint32_t e = grid->first[cell_of(grid, x, y, z)]; e != NO_ENTRY;
                     e = grid->entries.items[e].next) {
                    uint32_t *room = gz_list_push(grid->context, out, 1);
                    if (room == NULL)
                        return false;
                    *room = grid->entries.items[e].item;
                }
    return true;
}
