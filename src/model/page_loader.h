// A thread that loads pages into the cache, and works out LOD cuts, for those who cannot wait for
// them: what they wanted is there when they ask again.
#ifndef GZ_PAGE_LOADER_H
#define GZ_PAGE_LOADER_H

#include "model/page_cache.h"

#define GZ_LOADER_KEYS 512u
#define GZ_LOADER_CUTS 16u

typedef struct gz_loader gz_loader;

// NULL where there is no memory or no thread for it: then nothing is loaded ahead.
gz_loader *gz_loader_create(gz_cache *cache);
void gz_loader_free(gz_loader *loader); // accepts NULL; waits for the page at hand

// What is wanted now, the most urgent first; what was wanted before and is not there is forgotten.
void gz_loader_want(gz_loader *loader, const gz_page_key *keys, uint32_t count);
// A LOD cut of a model, which is kept with it, at a share; 0: its ladder (lod_ladder.h). Cuts come
// before pages. What there is no room for may be wanted again.
void gz_loader_want_cut(gz_loader *loader, graze_model *model, double share);
// Waits until no cut of a model is wanted any more, or until a time of gz_clock_ns.
void gz_loader_await_cuts(gz_loader *loader, const graze_model *model, uint64_t deadline);
// Nothing of a model is loaded from then on. Accepts NULL.
void gz_loader_forget(gz_loader *loader, const graze_model *model);

#endif
