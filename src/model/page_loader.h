// A thread that loads pages into the cache, for those who cannot wait for them: what they wanted is
// there when they ask again.
#ifndef GZ_PAGE_LOADER_H
#define GZ_PAGE_LOADER_H

#include "model/page_cache.h"

#define GZ_LOADER_KEYS 512u

typedef struct gz_loader gz_loader;

// NULL where there is no memory or no thread for it: then nothing is loaded ahead.
gz_loader *gz_loader_create(gz_cache *cache);
void gz_loader_free(gz_loader *loader); // accepts NULL; waits for the page at hand

// What is wanted now, the most urgent first; what was wanted before and is not there is forgotten.
void gz_loader_want(gz_loader *loader, const gz_page_key *keys, uint32_t count);
// Nothing of a model is loaded from then on. Accepts NULL.
void gz_loader_forget(gz_loader *loader, const graze_model *model);

#endif
