// The clashes of a check: put aside as they are found, handed out the worst first. What does not
// fit into its memory goes to temporary files.
#ifndef GZ_CLASH_LIST_H
#define GZ_CLASH_LIST_H

#include <pthread.h>

#include "base/sorter.h"
#include "base/spill.h"
#include "graze/clash.h"

typedef struct gz_clash_list {
    graze_context *context;
    pthread_mutex_t lock;
    gz_sorter *order; // what they are sorted by, and where they lie
    gz_spill clashes;
    uint64_t counts[GRAZE_CLASH_KINDS];
} gz_clash_list;

// Orders clashes of one kind: the larger, the less bad.
uint64_t gz_clash_mildness(const graze_clash *clash);

graze_status gz_clash_list_open(graze_context *context, uint64_t memory_bytes, gz_clash_list *list);
void gz_clash_list_close(gz_clash_list *list); // also of one that was not opened, if it is zero

// Any thread. `a` and `b` are the numbers of the objects, which settle ties.
graze_status gz_clash_list_add(gz_clash_list *list, const graze_clash *clash, uint32_t a,
                               uint32_t b);
// When all were added.
graze_status gz_clash_list_report(gz_clash_list *list, graze_clash_report *report, void *user);

#endif
