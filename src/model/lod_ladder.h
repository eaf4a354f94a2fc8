// The ladder: LOD cuts at shares that are powers of two, from the coarsest on. Who has little time
// goes down it as far as the time reaches.
#ifndef GZ_LOD_LADDER_H
#define GZ_LOD_LADDER_H

#include "model/lod_cut.h"
#include "model/page_cache.h"

#define GZ_LADDER_RUNGS     40      // from the top
#define GZ_LADDER_TRIANGLES 100000u // cuts of not more stay in memory

// The exponent of the coarsest share: at this one everything is collapsed that can be.
int gz_ladder_top(const graze_model *model);

// Works out the cuts of the ladder, and loads those of few triangles, which stay in the cache if it
// has room. Once for a model; quick from then on. `page_loads` grows by pages that were not there.
graze_status gz_ladder_prepare(graze_model *model, uint64_t *page_loads);

// The same for somebody else, who does not wait for it: what fails is not said, but remembered.
void gz_ladder_try(graze_model *model);
typedef enum gz_ladder_state { GZ_LADDER_NONE, GZ_LADDER_READY, GZ_LADDER_FAILED } gz_ladder_state;
gz_ladder_state gz_ladder_get_state(graze_model *model);

// Whether the cut at a share is kept with the model, so that it is quick to take.
bool gz_ladder_has(graze_model *model, double share);

#endif
