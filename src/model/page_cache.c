// Keeps the trees of pages in memory, found by a hash of their keys. See page_cache.h.
#include "model/page_cache.h"

#include <pthread.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "model/group_load.h"
#include "model/page_loader.h"

#define IDLE_BYTES  (UINT64_C(512) << 10) // what a reservation keeps that nobody has
#define AHEAD_BYTES (UINT64_C(2) << 20)   // of pages on their way, at most
// There must be room for who loads and for who asks. Where groups can be asked, that stays so.
#define LOADER_SHARES       3u
#define GROUP_LOADER_SHARES (2 * GZ_CACHE_GROUP_SHARES + 1)
#define SLOT_BYTES          (UINT64_C(32) << 10) // of the limit for each slot of the hash table

// A tree that is there, or that somebody is making.
typedef struct cached {
    gz_page_key key;
    uint32_t pins;
    bool making;
    gz_tree tree;
    uint64_t bytes;
    bool kept;                    // one of its pins is for ever
    struct cached *next;          // in the same slot
    struct cached *older, *newer; // among those that nobody has pinned
} cached;

struct gz_cache_reservation {
    gz_cache *cache;
    gz_cache_reservation *next; // of those that nobody has
    uint32_t shares;            // of the limit, of GZ_CACHE_RESERVED_BYTES each
    uint32_t pins;
    uint64_t loads; // pages that were not there
    gz_page_reader reader;
    gz_byte_list page;
    gz_cluster cluster;
};

struct gz_cache {
    graze_context *context;
    uint64_t limit;
    uint32_t most_shares;
    uint32_t least_shares; // that trees which stay leave
    uint32_t model_count;
    pthread_mutex_t lock; // guards all below
    pthread_cond_t change;
    cached **slots;
    uint64_t slot_count;      // a power of two
    cached *oldest, *newest;  // that nobody has pinned
    uint64_t free_bytes;      // of them
    uint64_t pinned_bytes;    // of the others
    uint64_t kept_bytes;      // of those of them that stay
    struct gz_loader *loader; // NULL: nobody has wanted it yet
    gz_cache_reservation *idle;
    uint32_t shares_taken, idle_count;
    graze_cache_use use;
    gz_fetch fetch;
};

// Reservations get what is left of the limit, and one at least.
static uint32_t shares_for(const gz_cache *cache)
{
    uint64_t taken = cache->fetch.limit + cache->kept_bytes;
    uint64_t shares = cache->limit > taken ? (cache->limit - taken) / GZ_CACHE_RESERVED_BYTES : 0;
    return shares == 0 ? 1 : shares < UINT32_MAX ? (uint32_t)shares : UINT32_MAX;
}

// Reservations get what an eighth leaves, and one at least.
static bool init_cache(graze_context *context, gz_cache *cache)
{
    uint64_t wish = context->def.cache_byte_limit;
    uint64_t limit = wish == 0 ? GZ_CACHE_DEFAULT_BYTES : wish;
    uint64_t ahead = limit / 8 < AHEAD_BYTES ? limit / 8 : AHEAD_BYTES;
    uint64_t shares = (limit - ahead) / GZ_CACHE_RESERVED_BYTES;
    if (shares == 0) {
        shares = 1;
        ahead = limit - GZ_CACHE_RESERVED_BYTES;
    }
    memset(cache, 0, sizeof *cache);
    cache->context = context;
    cache->limit = limit;
    cache->most_shares = shares < UINT32_MAX ? (uint32_t)shares : UINT32_MAX;
    cache->least_shares = shares < GZ_CACHE_GROUP_SHARES ? LOADER_SHARES : GZ_CACHE_GROUP_SHARES;
    cache->slot_count = 64;
    while (cache->slot_count < limit / SLOT_BYTES)
        cache->slot_count *= 2;
    cache->slots = GZ_NEW_ARRAY(context, cached *, cache->slot_count);
    if (cache->slots == NULL)
        return false;
    memset(cache->slots, 0, (size_t)cache->slot_count * sizeof(cached *));
    pthread_mutex_init(&cache->lock, NULL);
    pthread_cond_init(&cache->change, NULL);
    gz_fetch_init(&cache->fetch, context, &cache->lock, &cache->change, ahead);
    return true;
}

gz_cache *gz_cache_take(graze_context *context)
{
    pthread_mutex_lock(&context->pool_lock);
    gz_cache *cache = context->cache;
    if (cache == NULL) {
        cache = gz_allocate(context, sizeof *cache);
        if (cache != NULL && !init_cache(context, cache)) {
            gz_release(context, cache, sizeof *cache);
            cache = NULL;
        }
        context->cache = cache;
    }
    if (cache != NULL)
        cache->model_count++;
    pthread_mutex_unlock(&context->pool_lock);
    return cache;
}

static void free_reservation(gz_cache_reservation *reservation)
{
    graze_context *context = reservation->cache->context;
    gz_page_reader_free(&reservation->reader);
    gz_list_free(context, &reservation->page);
    gz_release(context, reservation, sizeof *reservation);
}

void gz_cache_give(graze_context *context)
{
    pthread_mutex_lock(&context->pool_lock);
    gz_cache *cache = context->cache;
    GZ_ASSERT(cache != NULL && cache->model_count != 0);
    bool last = --cache->model_count == 0;
    if (last)
        context->cache = NULL;
    pthread_mutex_unlock(&context->pool_lock);
    if (!last)
        return;
    gz_loader_free(cache->loader);
    GZ_ASSERT(cache->shares_taken == 0 && cache->oldest == NULL && cache->pinned_bytes == 0);
    while (cache->idle != NULL) {
        gz_cache_reservation *reservation = cache->idle;
        cache->idle = reservation->next;
        free_reservation(reservation);
    }
    GZ_FREE_ARRAY(context, cache->slots, cache->slot_count);
    gz_fetch_end(&cache->fetch);
    pthread_cond_destroy(&cache->change);
    pthread_mutex_destroy(&cache->lock);
    gz_release(context, cache, sizeof *cache);
}

static gz_cache_reservation *make_reservation(gz_cache *cache)
{
    gz_cache_reservation *reservation = gz_allocate(cache->context, sizeof *reservation);
    if (reservation == NULL)
        return NULL;
    memset(reservation, 0, sizeof *reservation);
    reservation->cache = cache;
    if (gz_page_reader_init(cache->context, &reservation->reader))
        return reservation;
    free_reservation(reservation);
    return NULL;
}

static gz_cache_reservation *reserve(gz_cache *cache, uint32_t shares)
{
    pthread_mutex_lock(&cache->lock);
    while (cache->most_shares - cache->shares_taken < shares)
        pthread_cond_wait(&cache->change, &cache->lock);
    gz_cache_reservation *reservation = cache->idle;
    if (reservation != NULL) {
        cache->idle = reservation->next;
        cache->idle_count--;
    } else {
        reservation = make_reservation(cache);
    }
    if (reservation != NULL) {
        reservation->shares = shares;
        cache->shares_taken += shares;
    }
    pthread_mutex_unlock(&cache->lock);
    if (reservation == NULL)
        gz_fail(cache->context, GRAZE_ERROR_MEMORY, "out of memory for reading pages of models");
    return reservation;
}

gz_cache_reservation *gz_cache_reserve(gz_cache *cache) { return reserve(cache, 1); }

bool gz_cache_takes_groups(const gz_cache *cache)
{
    return cache->least_shares == GZ_CACHE_GROUP_SHARES;
}

gz_cache_reservation *gz_cache_reserve_for_groups(gz_cache *cache)
{
    if (gz_cache_takes_groups(cache))
        return reserve(cache, GZ_CACHE_GROUP_SHARES);
    gz_fail(cache->context, GRAZE_ERROR_MEMORY,
            "a cache of %llu bytes is too small for groups of clusters, which take %llu MiB",
            (unsigned long long)cache->limit,
            (unsigned long long)(GZ_CACHE_GROUP_SHARES * GZ_CACHE_RESERVED_BYTES >> 20));
    return NULL;
}

void gz_cache_release(gz_cache_reservation *reservation)
{
    gz_cache *cache = reservation->cache;
    GZ_ASSERT(reservation->pins == 0);
    pthread_mutex_lock(&cache->lock);
    reservation->next = cache->idle;
    cache->idle = reservation;
    cache->idle_count++;
    cache->shares_taken -= reservation->shares;
    pthread_cond_broadcast(&cache->change);
    pthread_mutex_unlock(&cache->lock);
}

// Where a page is, or would be, in the chain of its slot.
static cached **find(gz_cache *cache, gz_page_key key)
{
    uint64_t hash = (uint64_t)(uintptr_t)key.model >> 4;
    hash = (hash * 31 + key.kind) * UINT64_C(0x9e3779b97f4a7c15) + key.number;
    hash = (hash * 31 + key.step) * UINT64_C(0x9e3779b97f4a7c15);
    cached **at = &cache->slots[hash >> 32 & (cache->slot_count - 1)];
    while (*at != NULL && ((*at)->key.model != key.model || (*at)->key.kind != key.kind ||
                           (*at)->key.number != key.number || (*at)->key.step != key.step))
        at = &(*at)->next;
    return at;
}

static cached *entry_of(const gz_tree *tree)
{
    return (cached *)((char *)(uintptr_t)tree - offsetof(cached, tree));
}

static void unlink_free(gz_cache *cache, cached *entry)
{
    GZ_ASSERT(cache->free_bytes >= entry->bytes);
    *(entry->older != NULL ? &entry->older->newer : &cache->oldest) = entry->newer;
    *(entry->newer != NULL ? &entry->newer->older : &cache->newest) = entry->older;
    entry->older = entry->newer = NULL;
    cache->free_bytes -= entry->bytes;
}

static void link_free(gz_cache *cache, cached *entry)
{
    GZ_ASSERT(entry->older == NULL && entry->newer == NULL && entry->pins == 0 && !entry->making);
    entry->older = cache->newest;
    *(cache->newest != NULL ? &cache->newest->newer : &cache->oldest) = entry;
    cache->newest = entry;
    cache->free_bytes += entry->bytes;
}

static void free_entry(gz_cache *cache, cached *entry)
{
    cached **at = find(cache, entry->key);
    GZ_ASSERT(*at == entry && entry->pins == 0);
    *at = entry->next;
    gz_tree_free(&entry->tree);
    gz_release(cache->context, entry, sizeof *entry);
}

static void evict(gz_cache *cache, uint64_t most)
{
    while (cache->oldest != NULL && cache->free_bytes > most) {
        cached *entry = cache->oldest;
        unlink_free(cache, entry);
        free_entry(cache, entry);
        cache->use.evictions++;
    }
}

// Room for trees that nobody has pinned.
static uint64_t room_left(const gz_cache *cache)
{
    uint64_t taken = cache->shares_taken * GZ_CACHE_RESERVED_BYTES +
                     cache->idle_count * IDLE_BYTES + cache->slot_count * sizeof(cached *) +
                     cache->fetch.bytes + cache->kept_bytes;
    return cache->limit > taken ? cache->limit - taken : 0;
}

static uint64_t bytes_of(const cached *entry)
{
    return sizeof *entry - sizeof entry->tree + gz_tree_bytes(&entry->tree);
}

// Those that nobody has pinned stand in a chain that leads both ways.
static bool chain_is_sound(gz_cache *cache)
{
    uint64_t bytes = 0;
    const cached *before = NULL;
    for (const cached *entry = cache->oldest; entry != NULL; before = entry, entry = entry->newer) {
        if (entry->older != before || entry->pins != 0 || entry->making ||
            *find(cache, entry->key) != entry)
            return false;
        bytes += entry->bytes;
    }
    return before == cache->newest && bytes == cache->free_bytes;
}

bool gz_cache_is_sound(gz_cache *cache)
{
    uint64_t pinned = 0, idle = 0;
    for (uint64_t i = 0; i < cache->slot_count; ++i)
        for (const cached *entry = cache->slots[i]; entry != NULL; entry = entry->next) {
            if (!entry->making && entry->bytes != bytes_of(entry))
                return false;
            pinned += entry->pins != 0 ? entry->bytes : 0;
        }
    for (const gz_cache_reservation *r = cache->idle; r != NULL; r = r->next) {
        if (r->pins != 0)
            return false;
        ++idle;
    }
    return pinned == cache->pinned_bytes && idle == cache->idle_count &&
           cache->shares_taken <= cache->most_shares && chain_is_sound(cache) &&
           gz_fetch_is_sound(&cache->fetch);
}

static void count_bytes(gz_cache *cache)
{
    uint64_t now = cache->free_bytes + cache->pinned_bytes;
    cache->use.current_bytes = now;
    if (now > cache->use.peak_bytes)
        cache->use.peak_bytes = now;
}

// What a cluster of a coarser level stands for is as far from its leaves as their spreads tell, or,
// without such, as its group does.
static void spread_tree(gz_page_key key, const gz_cluster *cluster, gz_tree *tree)
{
    const gz_group_entry *group = &key.model->groups[key.model->producers[key.number]];
    float spread[GZ_CLUSTER_TRIANGLES], forward = group->steps[group->step_count - 1].forward;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; ++leaf)
        spread[leaf] = forward;
    if (cluster->spread_count == tree->leaf_count)
        gz_cluster_spreads(cluster, forward, spread);
    gz_tree_spread(tree, spread);
}

// The tree of a cluster, whose triangles get the numbers that they have in the model.
// @param page  NULL: it is to be read.
static graze_status make_cluster_tree(gz_cache_reservation *reservation, gz_page_key key,
                                      const uint8_t *page, gz_tree *tree)
{
    gz_cluster *cluster = &reservation->cluster;
    graze_status status = gz_model_read_cluster(key.model, key.number, page, &reservation->reader,
                                                &reservation->page, cluster);
    if (status != GRAZE_OK)
        return status;
    status = gz_cluster_make_tree(key.model->context, cluster, tree);
    if (status == GRAZE_ERROR_FORMAT)
        return gz_model_page_fails(key.model, key.number, GZ_NO_TREE);
    if (status == GRAZE_OK && key.model->producers[key.number] != UINT32_MAX)
        spread_tree(key, cluster, tree);
    return status;
}

// A group at a step has one bound for all its leaves.
static graze_status spread_group(gz_page_key key, gz_tree *tree)
{
    graze_context *context = key.model->context;
    float *spread = GZ_NEW_ARRAY(context, float, tree->leaf_count);
    if (spread == NULL) {
        gz_tree_free(tree);
        return gz_fail(context, GRAZE_ERROR_MEMORY, "%s: out of memory for a group",
                       key.model->path);
    }
    for (uint32_t leaf = 0; leaf < tree->leaf_count; ++leaf)
        spread[leaf] = key.model->groups[key.number].steps[key.step].forward;
    gz_tree_spread(tree, spread);
    GZ_FREE_ARRAY(context, spread, tree->leaf_count);
    return GRAZE_OK;
}

static graze_status make_group_tree(gz_cache_reservation *reservation, gz_page_key key,
                                    gz_tree *tree)
{
    gz_group_loader loader;
    gz_group_loader_init(key.model, &loader);
    graze_status status = gz_group_load_tree(&loader, reservation, key.number, key.step, tree);
    gz_group_loader_free(&loader);
    return status == GRAZE_OK ? spread_group(key, tree) : status;
}

static void count_read(gz_cache *cache, uint64_t byte_count)
{
    cache->use.reads++;
    cache->use.bytes_read += byte_count;
}

// The bytes of a page that was read ahead, if it was; they stay until *run is unpinned.
static const uint8_t *take_page(gz_cache *cache, gz_page_key key, gz_fetch_run **run)
{
    const uint8_t *page = NULL;
    *run = key.kind != GZ_PAGE_CLUSTER ? NULL : gz_fetch_pin(&cache->fetch, key.model, key.number);
    bool there = *run != NULL && (*run)->state == GZ_THERE;
    if (*run != NULL)
        page = gz_fetch_wait(&cache->fetch, *run, key.number);
    cache->use.stalls += !there;
    cache->use.loads++;
    if (key.kind == GZ_PAGE_CLUSTER)
        cache->use.triangles += key.model->clusters[key.number].triangle_count;
    if (page != NULL)
        cache->use.prefetched++;
    else if (key.kind == GZ_PAGE_CLUSTER)
        count_read(cache, key.model->clusters[key.number].byte_count);
    return page;
}

static graze_status make_tree(gz_cache_reservation *reservation, gz_page_key key,
                              const uint8_t *page, gz_tree *tree)
{
    return key.kind == GZ_PAGE_CLUSTER ? make_cluster_tree(reservation, key, page, tree)
                                       : make_group_tree(reservation, key, tree);
}

// With the lock held, which is given up meanwhile.
static graze_status make_entry(gz_cache_reservation *reservation, cached *entry)
{
    gz_cache *cache = reservation->cache;
    gz_page_key key = entry->key;
    gz_fetch_run *run;
    const uint8_t *page = take_page(cache, key, &run);
    reservation->loads++;
    pthread_mutex_unlock(&cache->lock);
    graze_status status = make_tree(reservation, key, page, &entry->tree);
    pthread_mutex_lock(&cache->lock);
    if (status == GRAZE_ERROR_MEMORY && cache->oldest != NULL) { // others took what was ours
        evict(cache, 0);
        pthread_mutex_unlock(&cache->lock);
        status = make_tree(reservation, key, page, &entry->tree);
        pthread_mutex_lock(&cache->lock);
    }
    if (run != NULL)
        gz_fetch_unpin(&cache->fetch, run, key.number);
    return status;
}

static void check_key(const gz_cache_reservation *reservation, gz_page_key key)
{
    const gz_model_header *h = &key.model->header;
    if (key.kind == GZ_PAGE_CLUSTER) {
        GZ_ASSERT(key.number < (uint64_t)h->cluster_count + h->coarse_count && key.step == 0);
        return;
    }
    GZ_ASSERT(key.kind == GZ_PAGE_GROUP && key.number < h->group_count &&
              key.step < key.model->groups[key.number].step_count &&
              reservation->shares == GZ_CACHE_GROUP_SHARES);
}

// With the lock held: an entry for a page that is not there. NULL: it could not be made.
static cached *add_entry(gz_cache_reservation *reservation, gz_page_key key, graze_status *status)
{
    gz_cache *cache = reservation->cache;
    cached *entry = gz_allocate(cache->context, sizeof *entry);
    if (entry == NULL) {
        *status = gz_fail(cache->context, GRAZE_ERROR_MEMORY, "out of memory for a page");
        return NULL;
    }
    *entry = (cached){.key = key, .pins = 1, .making = true};
    *find(cache, key) = entry;
    evict(cache, room_left(cache));
    *status = make_entry(reservation, entry);
    entry->making = false;
    pthread_cond_broadcast(&cache->change);
    if (*status == GRAZE_OK) {
        entry->bytes = bytes_of(entry);
        cache->pinned_bytes += entry->bytes;
        return entry;
    }
    *find(cache, key) = entry->next;
    gz_release(cache->context, entry, sizeof *entry);
    return NULL;
}

// With the lock held: one more pin of a page that is there.
static void take_pin(gz_cache *cache, cached *entry)
{
    if (entry->pins++ == 0) {
        unlink_free(cache, entry);
        cache->pinned_bytes += entry->bytes;
    }
}

graze_status gz_cache_pin(gz_cache_reservation *reservation, gz_page_key key, const gz_tree **tree)
{
    gz_cache *cache = reservation->cache;
    graze_status status = GRAZE_OK;
    check_key(reservation, key);
    GZ_ASSERT(reservation->pins < 2);
    pthread_mutex_lock(&cache->lock);
    cached *entry = *find(cache, key);
    while (entry != NULL && entry->making) {
        cache->use.stalls++;
        pthread_cond_wait(&cache->change, &cache->lock);
        entry = *find(cache, key);
    }
    if (entry == NULL) {
        entry = add_entry(reservation, key, &status);
    } else {
        cache->use.hits++;
        take_pin(cache, entry);
    }
    reservation->pins += entry != NULL;
    count_bytes(cache);
    GZ_VALIDATE(gz_cache_is_sound(cache));
    pthread_mutex_unlock(&cache->lock);
    *tree = entry != NULL ? &entry->tree : NULL;
    return status;
}

const gz_tree *gz_cache_pin_ready(gz_cache_reservation *reservation, gz_page_key key)
{
    gz_cache *cache = reservation->cache;
    check_key(reservation, key);
    GZ_ASSERT(reservation->pins < 2);
    pthread_mutex_lock(&cache->lock);
    cached *entry = *find(cache, key);
    if (entry != NULL && entry->making)
        entry = NULL;
    if (entry != NULL) {
        cache->use.hits++;
        take_pin(cache, entry);
        reservation->pins++;
    }
    pthread_mutex_unlock(&cache->lock);
    return entry != NULL ? &entry->tree : NULL;
}

// From the first call on there is one, or NULL; for pages of groups there must be more room.
static gz_loader *loader_of(gz_cache *cache, bool groups)
{
    pthread_mutex_lock(&cache->lock);
    if (cache->most_shares < (groups ? GROUP_LOADER_SHARES : LOADER_SHARES)) {
        pthread_mutex_unlock(&cache->lock);
        return NULL;
    }
    if (cache->loader == NULL)
        cache->loader = gz_loader_create(cache);
    gz_loader *loader = cache->loader;
    pthread_mutex_unlock(&cache->lock);
    return loader;
}

void gz_cache_want(gz_cache *cache, const gz_page_key *keys, uint32_t count)
{
    gz_loader *loader = loader_of(cache, count != 0 && keys[0].kind == GZ_PAGE_GROUP);
    if (loader != NULL)
        gz_loader_want(loader, keys, count);
}

bool gz_cache_want_cut(gz_cache *cache, graze_model *model, double share)
{
    gz_loader *loader = loader_of(cache, false);
    if (loader != NULL)
        gz_loader_want_cut(loader, model, share);
    return loader != NULL;
}

void gz_cache_await_cuts(gz_cache *cache, const graze_model *model, uint64_t deadline)
{
    gz_loader *loader = loader_of(cache, false);
    if (loader != NULL)
        gz_loader_await_cuts(loader, model, deadline);
}

gz_kept gz_cache_keep(gz_cache_reservation *reservation, const gz_tree *tree)
{
    gz_cache *cache = reservation->cache;
    cached *entry = entry_of(tree);
    pthread_mutex_lock(&cache->lock);
    uint64_t kept = cache->kept_bytes, bytes = entry->kept ? 0 : entry->bytes;
    cache->kept_bytes += bytes;
    uint32_t shares = shares_for(cache);
    bool keep = bytes != 0 && kept + bytes <= cache->limit / 4 && shares >= cache->least_shares &&
                shares >= cache->shares_taken;
    if (keep) {
        entry->kept = true;
        reservation->pins--;
        cache->most_shares = shares;
        evict(cache, room_left(cache));
    } else {
        cache->kept_bytes = kept;
    }
    pthread_mutex_unlock(&cache->lock);
    if (!keep)
        gz_cache_unpin(reservation, tree);
    return keep ? GZ_KEPT : bytes == 0 ? GZ_KEPT_ALREADY : GZ_KEPT_NO_ROOM;
}

void gz_cache_unpin(gz_cache_reservation *reservation, const gz_tree *tree)
{
    gz_cache *cache = reservation->cache;
    cached *entry = entry_of(tree);
    pthread_mutex_lock(&cache->lock);
    GZ_ASSERT(entry->pins != 0 && reservation->pins != 0);
    reservation->pins--;
    if (--entry->pins == 0) {
        cache->pinned_bytes -= entry->bytes;
        link_free(cache, entry);
        evict(cache, room_left(cache));
    }
    GZ_VALIDATE(gz_cache_is_sound(cache));
    pthread_mutex_unlock(&cache->lock);
}

// Counts a page that is read past the trees that are kept.
static void pass_by(gz_cache *cache, uint64_t byte_count)
{
    pthread_mutex_lock(&cache->lock);
    cache->use.stalls++;
    cache->use.loads++;
    count_read(cache, byte_count);
    evict(cache, room_left(cache));
    pthread_mutex_unlock(&cache->lock);
}

gz_cluster *gz_cache_cluster(gz_cache_reservation *reservation) { return &reservation->cluster; }
gz_page_reader *gz_cache_reader(gz_cache_reservation *reservation) { return &reservation->reader; }

graze_status gz_cache_read_cluster(gz_cache_reservation *reservation, graze_model *model,
                                   uint32_t number, gz_cluster *cluster, const char **wrong)
{
    const char *found;
    check_key(reservation, gz_cluster_key(model, number));
    pass_by(reservation->cache, model->clusters[number].byte_count);
    graze_status status = gz_model_try_cluster(model, number, &reservation->reader,
                                               &reservation->page, cluster, &found);
    if (wrong != NULL)
        *wrong = found;
    return wrong == NULL && found != NULL ? gz_model_page_fails(model, number, found) : status;
}

graze_status gz_cache_read_group(gz_cache_reservation *reservation, graze_model *model,
                                 uint32_t group, const uint8_t **bytes)
{
    GZ_ASSERT(group < model->header.group_count);
    uint64_t byte_count = model->groups[group].byte_count;
    pass_by(reservation->cache, byte_count);
    reservation->page.count = 0;
    if (!gz_list_reserve(model->context, &reservation->page, byte_count))
        return gz_fail(model->context, GRAZE_ERROR_MEMORY, "%s: out of memory for a page",
                       model->path);
    *bytes = reservation->page.items;
    return gz_file_read_at(&model->file, model->group_offsets[group], reservation->page.items,
                           byte_count);
}

bool gz_cache_read_ahead(gz_cache *cache, const void *owner, const gz_page_key *keys,
                         uint32_t count)
{
    gz_fetch *fetch = &cache->fetch;
    gz_page_key missing[GZ_FETCH_WISHES];
    uint32_t missing_count = 0;
    pthread_mutex_lock(&cache->lock);
    bool wanted = gz_fetch_has_room(fetch);
    for (uint32_t i = 0; wanted && i < count; ++i) {
        GZ_ASSERT(keys[i].kind == GZ_PAGE_CLUSTER);
        if (keys[i].model->file.memory == NULL && *find(cache, keys[i]) == NULL &&
            !gz_fetch_has(fetch, keys[i].model, keys[i].number))
            missing[missing_count++] = keys[i];
    }
    if (missing_count != 0) {
        uint64_t room = room_left(cache);
        uint64_t more = gz_fetch_measure(fetch, missing, &missing_count);
        evict(cache, room > more ? room - more : 0);
        gz_fetch_start(fetch, owner, missing, missing_count);
    }
    GZ_VALIDATE(gz_cache_is_sound(cache));
    pthread_mutex_unlock(&cache->lock);
    return wanted;
}

void gz_cache_stop_ahead(gz_cache *cache, const void *owner)
{
    pthread_mutex_lock(&cache->lock);
    gz_fetch_drop(&cache->fetch, owner);
    pthread_mutex_unlock(&cache->lock);
}

// With the lock held: what stays of a model is to go as others.
static void release_kept(gz_cache *cache, const graze_model *model)
{
    for (uint64_t i = 0; i < cache->slot_count && cache->kept_bytes != 0; ++i)
        for (cached *entry = cache->slots[i]; entry != NULL; entry = entry->next) {
            if (!entry->kept || entry->key.model != model)
                continue;
            GZ_ASSERT(entry->pins == 1);
            entry->kept = false;
            entry->pins = 0;
            cache->kept_bytes -= entry->bytes;
            cache->pinned_bytes -= entry->bytes;
            link_free(cache, entry);
        }
    cache->most_shares = shares_for(cache);
}

void gz_cache_forget(graze_model *model)
{
    gz_cache *cache = model->context->cache;
    pthread_mutex_lock(&cache->lock);
    gz_loader *loader = cache->loader;
    pthread_mutex_unlock(&cache->lock);
    gz_loader_forget(loader, model);
    pthread_mutex_lock(&cache->lock);
    gz_fetch_forget(&cache->fetch, model);
    release_kept(cache, model);
    for (cached *entry = cache->oldest, *newer; entry != NULL; entry = newer) {
        newer = entry->newer;
        if (entry->key.model != model)
            continue;
        unlink_free(cache, entry);
        free_entry(cache, entry);
    }
    pthread_mutex_unlock(&cache->lock);
}

graze_context *gz_cache_context(const gz_cache *cache) { return cache->context; }

uint64_t gz_cache_loads(const gz_cache_reservation *reservation) { return reservation->loads; }

graze_cache_use gz_cache_get_use(gz_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    graze_cache_use use = cache->use;
    use.limit_bytes = cache->limit;
    use.current_bytes = cache->free_bytes + cache->pinned_bytes;
    use.reads += cache->fetch.read_count;
    use.bytes_read += cache->fetch.bytes_read;
    pthread_mutex_unlock(&cache->lock);
    return use;
}

uint64_t gz_cache_limit(const gz_cache *cache) { return cache->limit; }
