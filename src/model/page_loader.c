// Loads pages that somebody will want. See page_loader.h.
//
// The thread has a reservation of the cache while it has something to do, one for groups if there
// are such, and pins one page at a time. What is wrong with a page is said by the cache, as if it
// had been asked for. Cuts are worked out without a reservation; the ladder takes one of its own.
#include "model/page_loader.h"

#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/knobs.h"
#include "model/lod_ladder.h"

typedef struct wanted_cut {
    graze_model *model;
    double share;
} wanted_cut;

struct gz_loader {
    gz_cache *cache;
    graze_context *context;
    pthread_t thread;
    pthread_mutex_t lock; // guards all below
    pthread_cond_t change;
    gz_page_key keys[GZ_LOADER_KEYS];
    uint32_t next, count;
    wanted_cut cuts[GZ_LOADER_CUTS]; // the first one is at hand while `making`
    uint32_t cut_count;
    bool busy;   // with the page before `next`
    bool making; // the first of the cuts
    bool stop;
};

// With the lock held: whether the next pages are those of groups. Lists are of one kind.
static bool are_groups(const gz_loader *loader)
{
    return loader->keys[loader->next].kind == GZ_PAGE_GROUP;
}

// With the lock held, which is given up meanwhile: all that is wanted of one kind.
static void load_all(gz_loader *loader)
{
    bool groups = are_groups(loader);
    loader->busy = true;
    pthread_mutex_unlock(&loader->lock);
    gz_cache_reservation *reservation =
        groups ? gz_cache_reserve_for_groups(loader->cache) : gz_cache_reserve(loader->cache);
    pthread_mutex_lock(&loader->lock);
    while (reservation != NULL && !loader->stop && loader->cut_count == 0 &&
           loader->next < loader->count && are_groups(loader) == groups) {
        gz_page_key key = loader->keys[loader->next++];
        pthread_mutex_unlock(&loader->lock);
        const gz_tree *tree;
        if (gz_cache_pin(reservation, key, &tree) == GRAZE_OK)
            gz_cache_unpin(reservation, tree);
        pthread_mutex_lock(&loader->lock);
    }
    if (reservation == NULL)
        loader->count = 0;
    else
        gz_cache_release(reservation);
    loader->busy = false;
    pthread_cond_broadcast(&loader->change);
}

// With the lock held, which is given up meanwhile: the first of the cuts.
static void make_cut(gz_loader *loader)
{
    wanted_cut at = loader->cuts[0];
    loader->making = true;
    pthread_mutex_unlock(&loader->lock);
    if (at.share > 0)
        gz_lod_cut_give(gz_lod_cut_take(at.model, at.share));
    else
        gz_ladder_try(at.model);
    pthread_mutex_lock(&loader->lock);
    loader->making = false;
    loader->cut_count--;
    memmove(loader->cuts, loader->cuts + 1, loader->cut_count * sizeof *loader->cuts);
    pthread_cond_broadcast(&loader->change);
}

static struct timespec time_of(uint64_t ns)
{
    const uint64_t second = UINT64_C(1000000000);
    return (struct timespec){(time_t)(ns / second), (long)(ns % second)};
}

// With the lock held, which is given up meanwhile: a millisecond.
static void rest(gz_loader *loader)
{
    struct timespec until = time_of(gz_clock_ns() + 1000000);
    pthread_cond_timedwait(&loader->change, &loader->lock, &until);
}

static void *run(void *data)
{
    gz_loader *loader = data;
    pthread_mutex_lock(&loader->lock);
    while (!loader->stop) {
        if (GZ_KNOB(loader->context, hold_loader))
            rest(loader);
        else if (loader->cut_count != 0)
            make_cut(loader);
        else if (loader->next < loader->count)
            load_all(loader);
        else
            pthread_cond_wait(&loader->change, &loader->lock);
    }
    pthread_mutex_unlock(&loader->lock);
    return NULL;
}

gz_loader *gz_loader_create(gz_cache *cache)
{
    graze_context *context = gz_cache_context(cache);
    gz_loader *loader = gz_allocate(context, sizeof *loader);
    if (loader == NULL)
        return NULL;
    *loader = (gz_loader){.cache = cache, .context = context};
    pthread_mutex_init(&loader->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC); // as gz_clock_ns
    pthread_cond_init(&loader->change, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&loader->thread, NULL, run, loader) == 0)
        return loader;
    pthread_cond_destroy(&loader->change);
    pthread_mutex_destroy(&loader->lock);
    gz_release(context, loader, sizeof *loader);
    return NULL;
}

void gz_loader_free(gz_loader *loader)
{
    if (loader == NULL)
        return;
    pthread_mutex_lock(&loader->lock);
    loader->stop = true;
    pthread_cond_broadcast(&loader->change);
    pthread_mutex_unlock(&loader->lock);
    pthread_join(loader->thread, NULL);
    pthread_cond_destroy(&loader->change);
    pthread_mutex_destroy(&loader->lock);
    gz_release(loader->context, loader, sizeof *loader);
}

void gz_loader_want(gz_loader *loader, const gz_page_key *keys, uint32_t count)
{
    pthread_mutex_lock(&loader->lock);
    loader->count = count < GZ_LOADER_KEYS ? count : GZ_LOADER_KEYS;
    loader->next = 0;
    memcpy(loader->keys, keys, loader->count * sizeof *keys);
    pthread_cond_broadcast(&loader->change);
    pthread_mutex_unlock(&loader->lock);
}

void gz_loader_want_cut(gz_loader *loader, graze_model *model, double share)
{
    pthread_mutex_lock(&loader->lock);
    bool known = loader->cut_count == GZ_LOADER_CUTS;
    for (uint32_t i = 0; i < loader->cut_count && !known; ++i)
        known = loader->cuts[i].model == model && loader->cuts[i].share == share;
    if (!known)
        loader->cuts[loader->cut_count++] = (wanted_cut){model, share};
    pthread_cond_broadcast(&loader->change);
    pthread_mutex_unlock(&loader->lock);
}

// With the lock held.
static bool wants_cut_of(const gz_loader *loader, const graze_model *model)
{
    for (uint32_t i = 0; i < loader->cut_count; ++i)
        if (loader->cuts[i].model == model)
            return true;
    return false;
}

void gz_loader_await_cuts(gz_loader *loader, const graze_model *model, uint64_t deadline)
{
    struct timespec until = time_of(deadline);
    int late = 0;
    pthread_mutex_lock(&loader->lock);
    while (late == 0 && wants_cut_of(loader, model))
        late = pthread_cond_timedwait(&loader->change, &loader->lock, &until);
    pthread_mutex_unlock(&loader->lock);
}

// With the lock held: those cuts that are not at hand.
static void forget_cuts(gz_loader *loader, const graze_model *model)
{
    uint32_t kept = loader->making ? 1 : 0;
    for (uint32_t i = kept; i < loader->cut_count; ++i)
        if (loader->cuts[i].model != model)
            loader->cuts[kept++] = loader->cuts[i];
    loader->cut_count = kept;
}

void gz_loader_forget(gz_loader *loader, const graze_model *model)
{
    if (loader == NULL)
        return;
    pthread_mutex_lock(&loader->lock);
    uint32_t kept = 0;
    for (uint32_t i = loader->next; i < loader->count; ++i)
        if (loader->keys[i].model != model)
            loader->keys[kept++] = loader->keys[i];
    loader->next = 0;
    loader->count = kept;
    forget_cuts(loader, model);
    while (loader->busy || loader->making) // what is at hand may be of the model
        pthread_cond_wait(&loader->change, &loader->lock);
    pthread_mutex_unlock(&loader->lock);
}
