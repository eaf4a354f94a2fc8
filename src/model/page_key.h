// Names of pages, as the cache knows them.
#ifndef GZ_PAGE_KEY_H
#define GZ_PAGE_KEY_H

#include <stdint.h>

#include "graze/model.h"

typedef enum gz_page_kind {
    GZ_PAGE_CLUSTER, // a cluster of any level; step is 0
    GZ_PAGE_GROUP    // the mesh of a group after a step
} gz_page_kind;

typedef struct gz_page_key {
    graze_model *model;
    gz_page_kind kind;
    uint32_t number, step;
} gz_page_key;

static inline gz_page_key gz_cluster_key(graze_model *model, uint32_t number)
{
    return (gz_page_key){.model = model, .kind = GZ_PAGE_CLUSTER, .number = number};
}
static inline gz_page_key gz_group_key(graze_model *model, uint32_t number, uint32_t step)
{
    return (gz_page_key){.model = model, .kind = GZ_PAGE_GROUP, .number = number, .step = step};
}

#endif
