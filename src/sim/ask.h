// What the simulation asks about two bodies: how far apart at least, and where they touch. An
// engine is these functions; all else of the simulation is the same for each.
#ifndef GZ_ASK_H
#define GZ_ASK_H

#include "sim/world.h"

typedef struct gz_question {
    graze_posed a, b;
    const graze_contact_detail *detail[2]; // NULL: none
    double error;                          // that is allowed; 0: exact
} gz_question;

typedef struct gz_sim_engine {
    // Proved: the originals are not nearer than *least. Looked for up to `limit`: infinity is
    // beyond. Without a proof, where time ran out, it is 0.
    graze_status (*separation)(gz_asker *asker, const gz_question *question, double limit,
                               double *least);
    // Appends touches of all that is within `reach` to asker->touches.
    graze_status (*touches)(gz_asker *asker, const gz_question *question, double reach);
    // Pairs of triangles into asker->triangles, if there are not more than `most`; *complete says
    // so. What none of them stands for is farther apart than `reach`, and what a pair stands for is
    // nearer than the pair by asker->offset at most. NULL: the engine has none.
    graze_status (*triangles)(gz_asker *asker, const gz_question *question, double reach,
                              uint64_t most, bool *complete);
} gz_sim_engine;

extern const gz_sim_engine gz_exact_engine, gz_lod_engine, gz_detail_engine;

// For engines: a visitor that puts pairs of triangles into asker->triangles.
typedef struct gz_collector {
    gz_asker *asker;
    uint64_t most;
    bool swapped; // b's triangle comes first
    bool full, failed;
} gz_collector;
bool gz_collect_pair(void *data, const graze_triangle *a, const graze_triangle *b);

// The engine for a pair. What is in memory is asked exactly.
const gz_sim_engine *gz_engine_of(const graze_sim *sim, const gz_near_pair *pair);

// The same, counted and timed, for a pair in the poses that its bodies have at a moment of the
// step.
graze_status gz_ask_separation(gz_asker *asker, gz_near_pair *pair, double time, double limit,
                               double *least);
graze_status gz_ask_touches(gz_asker *asker, gz_near_pair *pair, double time);
graze_status gz_ask_triangles(gz_asker *asker, gz_near_pair *pair, double time, double reach,
                              uint64_t most, bool *complete);

#endif
