// Keeps trees over clusters in memory. See page_cache.h.
#include "model/page_cache.h"

#include <pthread.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

#define FREE_SEAT_BYTES (UINT64_C(512) << 10) // what a seat keeps that nobody sits on
#define AHEAD_BYTES     (UINT64_C(2) << 20)   // of pages on their way, at most

// A tree that is there, or that somebody is making.
typedef struct gz_cached {
    graze_model *model;
    uint32_t cluster;
    uint32_t holders;
    bool making;
    gz_tree tree;
    uint64_t bytes;
    struct gz_cached *older, *newer; // in a chain
} cached;

// Trees that are there, in the order in which they came.
typedef struct chain {
    cached *oldest, *newest;
    uint64_t bytes;
} chain;

struct gz_cache_seat {
    gz_cache *cache;
    gz_cache_seat *next; // of those that are free
    gz_page_reader reader;
    gz_byte_list page;
    gz_cluster cluster;
};

struct gz_cache {
    graze_context *context;
    uint64_t limit;
    uint64_t most_seats;
    uint32_t model_count;
    pthread_mutex_t lock; // guards all below, and the slots of models
    pthread_cond_t change;
    chain free; // trees that nobody holds
    chain held; // the others
    gz_cache_seat *free_seats;
    uint32_t seats_taken, seats_made;
    graze_cache_use use;
    gz_fetch fetch;
};

// Seats get what an eighth leaves, and one at least.
static void init_cache(graze_context *context, gz_cache *cache)
{
    uint64_t wish = context->def.cache_byte_limit;
    uint64_t limit = wish == 0 ? GZ_CACHE_DEFAULT_BYTES : wish;
    uint64_t ahead = limit / 8 < AHEAD_BYTES ? limit / 8 : AHEAD_BYTES;
    uint64_t seats = (limit - ahead) / GZ_CACHE_SEAT_BYTES;
    if (seats == 0) {
        seats = 1;
        ahead = limit - GZ_CACHE_SEAT_BYTES;
    }
    memset(cache, 0, sizeof *cache);
    cache->context = context;
    cache->limit = limit;
    cache->most_seats = seats;
    pthread_mutex_init(&cache->lock, NULL);
    pthread_cond_init(&cache->change, NULL);
    gz_fetch_init(&cache->fetch, context, &cache->lock, &cache->change, ahead);
}

gz_cache *gz_cache_take(graze_context *context)
{
    pthread_mutex_lock(&context->pool_lock);
    gz_cache *cache = context->cache;
    if (cache == NULL) {
        cache = gz_allocate(context, sizeof *cache);
        if (cache != NULL) {
            init_cache(context, cache);
            context->cache = cache;
        }
    }
    if (cache != NULL)
        cache->model_count++;
    pthread_mutex_unlock(&context->pool_lock);
    return cache;
}

static void free_seat(gz_cache_seat *seat)
{
    graze_context *context = seat->cache->context;
    gz_page_reader_free(&seat->reader);
    gz_list_free(context, &seat->page);
    gz_release(context, seat, sizeof *seat);
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
    GZ_ASSERT(cache->seats_taken == 0 && cache->free.oldest == NULL && cache->held.oldest == NULL);
    while (cache->free_seats != NULL) {
        gz_cache_seat *seat = cache->free_seats;
        cache->free_seats = seat->next;
        free_seat(seat);
    }
    gz_fetch_end(&cache->fetch);
    pthread_cond_destroy(&cache->change);
    pthread_mutex_destroy(&cache->lock);
    gz_release(context, cache, sizeof *cache);
}

static gz_cache_seat *make_seat(gz_cache *cache)
{
    gz_cache_seat *seat = gz_allocate(cache->context, sizeof *seat);
    if (seat == NULL)
        return NULL;
    memset(seat, 0, sizeof *seat);
    seat->cache = cache;
    if (gz_page_reader_init(cache->context, &seat->reader))
        return seat;
    free_seat(seat);
    return NULL;
}

gz_cache_seat *gz_cache_sit_down(gz_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    while (cache->seats_taken >= cache->most_seats)
        pthread_cond_wait(&cache->change, &cache->lock);
    gz_cache_seat *seat = cache->free_seats;
    if (seat != NULL) {
        cache->free_seats = seat->next;
        seat->next = NULL;
    } else if ((seat = make_seat(cache)) != NULL)
        cache->seats_made++;
    if (seat != NULL)
        cache->seats_taken++;
    pthread_mutex_unlock(&cache->lock);
    if (seat == NULL)
        gz_fail(cache->context, GRAZE_ERROR_MEMORY, "out of memory for reading pages of models");
    return seat;
}

void gz_cache_stand_up(gz_cache_seat *seat)
{
    gz_cache *cache = seat->cache;
    pthread_mutex_lock(&cache->lock);
    GZ_ASSERT(cache->seats_taken != 0 && seat->next == NULL);
    seat->next = cache->free_seats;
    cache->free_seats = seat;
    cache->seats_taken--;
    pthread_cond_broadcast(&cache->change);
    pthread_mutex_unlock(&cache->lock);
}

static void take_out(chain *from, cached *entry)
{
    GZ_ASSERT(from->bytes >= entry->bytes);
    *(entry->older != NULL ? &entry->older->newer : &from->oldest) = entry->newer;
    *(entry->newer != NULL ? &entry->newer->older : &from->newest) = entry->older;
    entry->older = entry->newer = NULL;
    from->bytes -= entry->bytes;
}

static void put_last(chain *to, cached *entry)
{
    GZ_ASSERT(entry->older == NULL && entry->newer == NULL && !entry->making);
    entry->older = to->newest;
    *(to->newest != NULL ? &to->newest->newer : &to->oldest) = entry;
    to->newest = entry;
    to->bytes += entry->bytes;
}

static void free_entry(gz_cache *cache, cached *entry)
{
    GZ_ASSERT(entry->holders == 0 && entry->model->slots[entry->cluster] == entry);
    entry->model->slots[entry->cluster] = NULL;
    gz_tree_free(&entry->tree);
    gz_release(cache->context, entry, sizeof *entry);
}

static void evict(gz_cache *cache, uint64_t most)
{
    while (cache->free.oldest != NULL && cache->free.bytes > most) {
        cached *entry = cache->free.oldest;
        take_out(&cache->free, entry);
        free_entry(cache, entry);
        cache->use.evictions++;
    }
}

static bool chain_is_sound(const chain *c, bool held)
{
    uint64_t bytes = 0;
    const cached *before = NULL;
    for (const cached *entry = c->oldest; entry != NULL; before = entry, entry = entry->newer) {
        if (entry->older != before || (entry->holders != 0) != held || entry->making ||
            entry->model->slots[entry->cluster] != entry)
            return false;
        bytes += entry->bytes;
    }
    return before == c->newest && bytes == c->bytes;
}

bool gz_cache_is_sound(const gz_cache *cache)
{
    uint32_t free_seats = 0;
    for (const gz_cache_seat *seat = cache->free_seats; seat != NULL; seat = seat->next)
        if (seat->cache != cache || ++free_seats > cache->seats_made)
            return false;
    return free_seats + cache->seats_taken == cache->seats_made &&
           cache->seats_taken <= cache->most_seats && chain_is_sound(&cache->free, false) &&
           chain_is_sound(&cache->held, true) && gz_fetch_is_sound(&cache->fetch);
}

// Room for trees that nobody holds.
static uint64_t room_left(const gz_cache *cache)
{
    uint64_t taken = cache->seats_taken * GZ_CACHE_SEAT_BYTES +
                     (cache->seats_made - cache->seats_taken) * FREE_SEAT_BYTES +
                     cache->fetch.bytes;
    return cache->limit > taken ? cache->limit - taken : 0;
}

static void count_bytes(gz_cache *cache)
{
    uint64_t now = cache->free.bytes + cache->held.bytes;
    cache->use.current_bytes = now;
    if (now > cache->use.peak_bytes)
        cache->use.peak_bytes = now;
}

// Makes the tree, whose triangles get the numbers that they have in the model.
// @param page  NULL: it is to be read.
static graze_status make_tree(gz_cache_seat *seat, graze_model *model, uint32_t number,
                              const uint8_t *page, gz_tree *tree)
{
    gz_cluster *cluster = &seat->cluster;
    graze_status status =
        gz_model_read_cluster(model, number, page, &seat->reader, &seat->page, cluster);
    if (status != GRAZE_OK)
        return status;
    status = gz_cluster_make_tree(model->context, cluster, tree);
    return status == GRAZE_ERROR_FORMAT ? gz_model_page_fails(model, number, GZ_NO_TREE) : status;
}

// The bytes of a page that was read ahead, if it was; they stay until *run is let go.
static const uint8_t *take_page(gz_cache *cache, const cached *entry, gz_fetch_run **run)
{
    const uint8_t *page = NULL;
    *run = gz_fetch_hold(&cache->fetch, entry->model, entry->cluster);
    bool there = *run != NULL && (*run)->state == GZ_THERE;
    if (*run != NULL)
        page = gz_fetch_wait(&cache->fetch, *run, entry->cluster);
    cache->use.stalls += !there;
    cache->use.loads++;
    if (page != NULL) {
        cache->use.prefetched++;
    } else {
        cache->use.reads++;
        cache->use.bytes_read += entry->model->clusters[entry->cluster].byte_count;
    }
    return page;
}

// With the lock held, which is given up meanwhile.
static graze_status make_entry(gz_cache_seat *seat, cached *entry)
{
    gz_cache *cache = seat->cache;
    graze_model *model = entry->model;
    gz_fetch_run *run;
    const uint8_t *page = take_page(cache, entry, &run);
    pthread_mutex_unlock(&cache->lock);
    graze_status status = make_tree(seat, model, entry->cluster, page, &entry->tree);
    pthread_mutex_lock(&cache->lock);
    if (status == GRAZE_ERROR_MEMORY && cache->free.oldest != NULL) { // others took what was ours
        evict(cache, 0);
        pthread_mutex_unlock(&cache->lock);
        status = make_tree(seat, model, entry->cluster, page, &entry->tree);
        pthread_mutex_lock(&cache->lock);
    }
    if (run != NULL)
        gz_fetch_let_go(&cache->fetch, run, entry->cluster);
    return status;
}

graze_status gz_cache_hold(gz_cache_seat *seat, graze_model *model, uint32_t cluster,
                           const gz_tree **tree)
{
    gz_cache *cache = seat->cache;
    graze_status status = GRAZE_OK;
    pthread_mutex_lock(&cache->lock);
    while (model->slots[cluster] != NULL && model->slots[cluster]->making) {
        cache->use.stalls++;
        pthread_cond_wait(&cache->change, &cache->lock);
    }
    cached *entry = model->slots[cluster];
    if (entry != NULL) {
        cache->use.hits++;
        if (entry->holders++ == 0) {
            take_out(&cache->free, entry);
            put_last(&cache->held, entry);
        }
    } else {
        entry = gz_allocate(cache->context, sizeof *entry);
        if (entry == NULL) {
            pthread_mutex_unlock(&cache->lock);
            return gz_fail(cache->context, GRAZE_ERROR_MEMORY, "out of memory for a cluster");
        }
        *entry = (cached){.model = model, .cluster = cluster, .holders = 1, .making = true};
        model->slots[cluster] = entry;
        evict(cache, room_left(cache));
        status = make_entry(seat, entry);
        entry->making = false;
        if (status != GRAZE_OK) {
            model->slots[cluster] = NULL;
            gz_release(cache->context, entry, sizeof *entry);
        } else {
            entry->bytes = sizeof *entry - sizeof entry->tree + gz_tree_bytes(&entry->tree);
            put_last(&cache->held, entry);
        }
        pthread_cond_broadcast(&cache->change);
    }
    count_bytes(cache);
    GZ_VALIDATE(gz_cache_is_sound(cache));
    pthread_mutex_unlock(&cache->lock);
    *tree = status == GRAZE_OK ? &entry->tree : NULL;
    return status;
}

void gz_cache_let_go(gz_cache_seat *seat, graze_model *model, uint32_t cluster)
{
    gz_cache *cache = seat->cache;
    pthread_mutex_lock(&cache->lock);
    cached *entry = model->slots[cluster];
    GZ_ASSERT(entry != NULL && entry->holders != 0 && !entry->making);
    if (--entry->holders == 0) {
        take_out(&cache->held, entry);
        put_last(&cache->free, entry);
        evict(cache, room_left(cache));
    }
    GZ_VALIDATE(gz_cache_is_sound(cache));
    pthread_mutex_unlock(&cache->lock);
}

graze_status gz_cache_read(gz_cache_seat *seat, graze_model *model, uint32_t cluster,
                           const gz_cluster **out)
{
    gz_cache *cache = seat->cache;
    pthread_mutex_lock(&cache->lock);
    cache->use.stalls++;
    cache->use.loads++;
    cache->use.reads++;
    cache->use.bytes_read += model->clusters[cluster].byte_count;
    evict(cache, room_left(cache));
    pthread_mutex_unlock(&cache->lock);
    *out = &seat->cluster;
    return gz_model_read_cluster(model, cluster, NULL, &seat->reader, &seat->page, &seat->cluster);
}

bool gz_cache_read_ahead(gz_cache *cache, const void *owner, const gz_page_wish *wishes,
                         uint32_t count)
{
    gz_fetch *fetch = &cache->fetch;
    gz_page_wish missing[GZ_FETCH_WISHES];
    uint32_t missing_count = 0;
    pthread_mutex_lock(&cache->lock);
    bool wanted = gz_fetch_has_room(fetch);
    for (uint32_t i = 0; wanted && i < count; ++i) {
        graze_model *model = wishes[i].model;
        if (model->slots[wishes[i].page] == NULL && model->file.memory == NULL &&
            !gz_fetch_has(fetch, model, wishes[i].page))
            missing[missing_count++] = wishes[i];
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

void gz_cache_forget(graze_model *model)
{
    gz_cache *cache = model->context->cache;
    pthread_mutex_lock(&cache->lock);
    gz_fetch_forget(&cache->fetch, model);
    for (uint32_t i = 0; i < model->header.cluster_count; ++i)
        if (model->slots[i] != NULL) {
            GZ_ASSERT(model->slots[i]->holders == 0);
            take_out(&cache->free, model->slots[i]);
            free_entry(cache, model->slots[i]);
        }
    GZ_VALIDATE(gz_cache_is_sound(cache));
    pthread_mutex_unlock(&cache->lock);
}

graze_cache_use gz_cache_get_use(gz_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    graze_cache_use use = cache->use;
    use.limit_bytes = cache->limit;
    use.current_bytes = cache->free.bytes + cache->held.bytes;
    use.reads += cache->fetch.read_count;
    use.bytes_read += cache->fetch.bytes_read;
    pthread_mutex_unlock(&cache->lock);
    return use;
}

uint64_t gz_cache_limit(const gz_cache *cache) { return cache->limit; }
