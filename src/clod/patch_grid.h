// A grid of cells over a model, each with a list of what comes near it: triangles, and hulls of
// patches, by their boxes. Things that move or vanish leave entries behind that are wrong: who
// finds them looks for himself.
#ifndef GZ_PATCH_GRID_H
#define GZ_PATCH_GRID_H

#include "base/memory.h"
#include "graze/geometry.h"

typedef struct gz_grid_entry {
    uint32_t item, next;
} gz_grid_entry;

typedef struct gz_patch_grid {
    graze_context *context;
    double origin[3], scale; // cells for each unit of length
    uint32_t cells[3];
    uint32_t cell_count;
    uint32_t *first; // entry of a cell
    GZ_LIST(gz_grid_entry) entries;
} gz_patch_grid;

// An empty grid for about so many things. False when out of memory.
bool gz_patch_grid_begin(gz_patch_grid *grid, const graze_box *box, uint64_t item_count);
void gz_patch_grid_free(gz_patch_grid *grid);
bool gz_patch_grid_add(gz_patch_grid *grid, const graze_box *box, uint32_t item);
// Appends what is near a box, some of it twice or more.
bool gz_patch_grid_find(const gz_patch_grid *grid, const graze_box *box, gz_index_list *out);

#endif
