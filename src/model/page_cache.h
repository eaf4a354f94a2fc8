// The page cache: trees over clusters of models, made when they are first asked for and kept while
// there is room. One for all models of a context, with a limit in bytes that holds at any moment.
//
// Seats. Whoever uses the cache sits down first. A seat has what it takes to read a page and make a
// tree of it, and its bytes are set aside, with those of the two trees that it may hold at a time;
// so whoever has a seat never waits for memory that others hold, and there are as many seats as the
// limit allows. What the seats leave is for trees that nobody holds, of which those that were not
// used for the longest time go first.
//
// Pages that will be needed soon are read ahead of time (page_fetch.h). Their bytes count as well:
// up to an eighth of the limit, and 2 MiB at most; trees make room for them.
#ifndef GZ_PAGE_CACHE_H
#define GZ_PAGE_CACHE_H

#include "boxtree/tree.h"
#include "model/model_file.h"
#include "model/page_fetch.h"

#define GZ_CACHE_DEFAULT_BYTES (UINT64_C(64) << 20)
#define GZ_CACHE_SEAT_BYTES    (UINT64_C(2) << 20) // the least limit

typedef struct gz_cache gz_cache;
typedef struct gz_cache_seat gz_cache_seat;

// The cache of the context, made for its first model and gone with its last one. NULL when out of
// memory.
gz_cache *gz_cache_take(graze_context *context);
void gz_cache_give(graze_context *context);

// Waits for a free seat. NULL when out of memory, with a sentence.
gz_cache_seat *gz_cache_sit_down(gz_cache *cache);
void gz_cache_stand_up(gz_cache_seat *seat);

// The tree of a cluster, until it is let go. Numbers of its triangles are those of the model. A
// seat holds two at a time at most.
graze_status gz_cache_hold(gz_cache_seat *seat, graze_model *model, uint32_t cluster,
                           const gz_tree **tree);
void gz_cache_let_go(gz_cache_seat *seat, graze_model *model, uint32_t cluster);

// A cluster as it is in its page, of which no tree is made, until the seat is used again.
graze_status gz_cache_read(gz_cache_seat *seat, graze_model *model, uint32_t cluster,
                           const gz_cluster **out);

// Pages that will be needed, in this order, GZ_FETCH_WISHES at most, by somebody who ends it with
// gz_cache_stop_ahead. Those that are neither there nor on their way begin to be read, as far as
// there is room. False when enough are on their way for now.
bool gz_cache_read_ahead(gz_cache *cache, const void *owner, const gz_page_wish *wishes,
                         uint32_t count);
// What was read ahead for somebody and not asked for is given up.
void gz_cache_stop_ahead(gz_cache *cache, const void *owner);

// Nobody will ask for clusters of this model any more.
void gz_cache_forget(graze_model *model);

// For GZ_VALIDATE, with its lock held: chains lead both ways, counts and bytes add up.
bool gz_cache_is_sound(const gz_cache *cache);

graze_cache_use gz_cache_get_use(gz_cache *cache);
uint64_t gz_cache_limit(const gz_cache *cache); // in bytes

#endif
