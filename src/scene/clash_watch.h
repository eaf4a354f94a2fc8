// Watching a clash check: what is known of pairs already, and what it finds out about the others.
#ifndef GZ_CLASH_WATCH_H
#define GZ_CLASH_WATCH_H

#include "scene/clash_places.h"
#include "scene/clash_plan.h"

// Each may fail, which ends the check.
typedef struct gz_clash_watch {
    void *user;
    // First: what will be asked. Both live until `end`; pairs leave the plan when they are settled.
    graze_status (*begin)(void *user, const gz_clash_plan *plan, const gz_rules_applied *rules);
    // Then for each pair: is it known? If so, `clash` is what gz_clash_classify would say; only the
    // kind matters where the pair touches and that is not listed.
    graze_status (*settle)(void *user, gz_clash_pair pair, const gz_rule_limits *limits,
                           graze_clash *clash, bool *known);
    // For each other pair what it is, on any thread. Its objects and its rule are not set.
    graze_status (*found)(void *user, gz_clash_pair pair, const gz_rule_limits *limits,
                          const graze_clash *clash, const gz_places *places);
    // All pairs are settled; before clashes are reported.
    graze_status (*end)(void *user);
} gz_clash_watch;

// graze_scene_clash, watched. `def` is whole; `report` may be NULL.
graze_status gz_scene_clash_watched(graze_scene *scene, const graze_clash_def *def,
                                    const gz_clash_watch *watch, graze_clash_report *report,
                                    void *user, graze_clash_totals *totals);

#endif
