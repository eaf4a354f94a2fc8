// The page cache: the one way to the pages of models. What is made of a page, a boxtree, is kept
// while there is room. One cache for all models of a context, with a limit in bytes that holds at
// any moment.
//
// A page is named by a key: model, kind, number, step. It is pinned while it is used, and unpinned
// afterwards; what nobody has pinned goes when room is needed, the least recently used first.
//
// Whoever uses the cache makes a reservation first. It holds what it takes to read a page and to
// make a tree of it, and its bytes are set aside, with those of the two trees that it may pin at a
// time. So whoever has a reservation never waits for memory that others hold, and there are as many
// reservations as the limit allows. Who has one does not ask for another. Groups take more, so they
// need a larger reservation.
//
// Pages that will be needed soon are read ahead of time (page_fetch.h). Their bytes count as well:
// up to an eighth of the limit, and 2 MiB at most; trees make room for them.
#ifndef GZ_PAGE_CACHE_H
#define GZ_PAGE_CACHE_H

#include "boxtree/tree.h"
#include "model/model_file.h"
#include "model/page_fetch.h"
#include "model/page_key.h"

#define GZ_CACHE_DEFAULT_BYTES  (UINT64_C(64) << 20)
#define GZ_CACHE_RESERVED_BYTES (UINT64_C(2) << 20) // of one reservation; the least limit
#define GZ_CACHE_GROUP_SHARES   6u                  // reservations that one for groups stands for

typedef struct gz_cache gz_cache;
typedef struct gz_cache_reservation gz_cache_reservation;

// The cache of the context, made for its first model and gone with its last one. NULL when out of
// memory.
gz_cache *gz_cache_take(graze_context *context);
void gz_cache_give(graze_context *context);

// Waits until there is room for it. NULL, with a sentence, when out of memory.
gz_cache_reservation *gz_cache_reserve(gz_cache *cache);
// The same for pages of groups, too. Also NULL, with a sentence, where the limit is too small.
gz_cache_reservation *gz_cache_reserve_for_groups(gz_cache *cache);
void gz_cache_release(gz_cache_reservation *reservation);
bool gz_cache_takes_groups(const gz_cache *cache); // whether its limit is large enough

// The tree of a page, until it is unpinned. A reservation pins two at a time at most. Triangles of
// clusters of the finest level have the numbers that they have in the mesh, others those of the
// page.
graze_status gz_cache_pin(gz_cache_reservation *reservation, gz_page_key key, const gz_tree **tree);
void gz_cache_unpin(gz_cache_reservation *reservation, const gz_tree *tree);
// How many pages were loaded for the reservation, since it was made.
uint64_t gz_cache_loads(const gz_cache_reservation *reservation);

// The same without waiting: NULL if it is not there.
const gz_tree *gz_cache_pin_ready(gz_cache_reservation *reservation, gz_page_key key);
// Has pages loaded meanwhile, the most urgent first, instead of those that were wanted before: of
// clusters, or of groups. Does nothing in a cache that is too small for it.
void gz_cache_want(gz_cache *cache, const gz_page_key *keys, uint32_t count);
// Has a LOD cut worked out meanwhile, or the ladder (share 0): see page_loader.h. False where
// nobody does: in a cache that is too small for it.
bool gz_cache_want_cut(gz_cache *cache, graze_model *model, double share);
// Waits for cuts that are wanted of a model, until a time of gz_clock_ns at the most.
void gz_cache_await_cuts(gz_cache *cache, const graze_model *model, uint64_t deadline);
// Unpins a tree that stays, from then on, until the model is forgotten; unless such trees would
// take more than a quarter of the limit.
typedef enum gz_kept { GZ_KEPT, GZ_KEPT_ALREADY, GZ_KEPT_NO_ROOM } gz_kept;
gz_kept gz_cache_keep(gz_cache_reservation *reservation, const gz_tree *tree);

// A cluster as it is in its page, of which no tree is made or kept.
// @param cluster  the caller's, or gz_cache_cluster.
// @param wrong    receives what is wrong with the page, with GRAZE_ERROR_FORMAT, or NULL; if it is
// NULL
//                 itself, that is logged.
graze_status gz_cache_read_cluster(gz_cache_reservation *reservation, graze_model *model,
                                   uint32_t number, gz_cluster *cluster, const char **wrong);
gz_cluster *gz_cache_cluster(gz_cache_reservation *reservation); // room for one
// The bytes of the page of a group, until the reservation is used again.
graze_status gz_cache_read_group(gz_cache_reservation *reservation, graze_model *model,
                                 uint32_t group, const uint8_t **bytes);
gz_page_reader *gz_cache_reader(gz_cache_reservation *reservation);

// Has pages of clusters read while the caller does something else. Returns whether it was time to
// ask for more. `owner` is whoever gives up, with gz_cache_stop_ahead, what was not needed after
// all.
bool gz_cache_read_ahead(gz_cache *cache, const void *owner, const gz_page_key *keys,
                         uint32_t count);
void gz_cache_stop_ahead(gz_cache *cache, const void *owner);

// Lets go of all that is kept of a model, of which nothing may be pinned.
void gz_cache_forget(graze_model *model);

// For GZ_VALIDATE, with its lock held: chains lead both ways, counts and bytes add up.
bool gz_cache_is_sound(gz_cache *cache);

graze_context *gz_cache_context(const gz_cache *cache);
graze_cache_use gz_cache_get_use(gz_cache *cache);
uint64_t gz_cache_limit(const gz_cache *cache);

#endif
