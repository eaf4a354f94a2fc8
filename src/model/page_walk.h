// A walk over the pages of clusters of a model, in their order: some at a time are read and
// unpacked on all threads, and then looked at one after the other.
#ifndef GZ_PAGE_WALK_H
#define GZ_PAGE_WALK_H

#include "model/model_file.h"

typedef struct gz_page_slot {
    uint32_t number;     // of the page
    graze_status status; // GRAZE_ERROR_FORMAT comes with what is wrong, and is not logged yet
    const char *wrong;
    gz_cluster *cluster; // if the status is good
    gz_page_reader reader;
    gz_byte_list bytes;
} gz_page_slot;

typedef struct gz_page_walk {
    graze_model *model;
    const char *stage; // for progress, a literal
    gz_page_slot *slots;
    uint32_t slot_count;
    uint32_t filled; // slots that gz_page_walk_next filled
    uint32_t next;   // page
    uint32_t end;    // behind the last page
} gz_page_walk;

// The pages of the first `page_count` clusters.
graze_status gz_page_walk_open(graze_model *model, const char *stage, uint32_t page_count,
                               gz_page_walk *walk);
// Fills slots with the next pages; walk->filled is 0 at the end. Fails where the user cancels, not
// where a page is damaged.
graze_status gz_page_walk_next(gz_page_walk *walk);
void gz_page_walk_close(gz_page_walk *walk); // accepts a zero one

#endif
