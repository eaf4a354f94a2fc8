// The plan of a clash check: which pairs of objects are asked, in which order.
#ifndef GZ_CLASH_PLAN_H
#define GZ_CLASH_PLAN_H

#include "scene/clash_rules.h"
#include "scene/scene_store.h"
#include "scene/schedule.h"

// Two objects by their numbers, in the order of graze_scene_next; a < b.
typedef struct gz_clash_pair {
    uint32_t a, b;
} gz_clash_pair;

typedef struct gz_clash_plan {
    uint32_t *slots; // of the scene, by number of object
    uint32_t object_count;
    gz_clash_pair *pairs; // in the order in which they are asked
    uint32_t pair_count, pair_room;
    gz_order_kind order;
    uint64_t box_pairs;       // pairs of objects whose boxes are near, whether asked or not
    uint64_t partition_count; // localised subgraphs
} gz_clash_plan;

// @return GRAZE_OK, GRAZE_ERROR_MEMORY, GRAZE_ERROR_UNSUPPORTED (too many pairs), or what reading
//         an object's list of clusters gives. On failure the plan is empty.
graze_status gz_clash_plan_make(graze_scene *scene, const gz_rules_applied *rules,
                                gz_order_kind order, gz_clash_plan *plan);
void gz_clash_plan_free(graze_context *context, gz_clash_plan *plan);

#endif
