// Loads pages that somebody will want. See page_loader.h.
//
// The thread has a reservation of the cache while it has something to do, and pins one page at a
// time. What is wrong with a page is said by the cache, as if it had been asked for.
#include "model/page_loader.h"

#include <pthread.h>
#include <string.h>

#include "base/context.h"

struct gz_loader {
    gz_cache *cache;
    graze_context *context;
    pthread_t thread;
    pthread_mutex_t lock; // guards all below
    pthread_cond_t change;
    gz_page_key keys[GZ_LOADER_KEYS];
    uint32_t next, count;
    bool busy; // with the page before `next`
    bool stop;
};

// With the lock held, which is given up meanwhile: all that is wanted.
static void load_all(gz_loader *loader)
{
    loader->busy = true;
    pthread_mutex_unlock(&loader->lock);
    gz_cache_reservation *reservation = gz_cache_reserve(loader->cache);
    pthread_mutex_lock(&loader->lock);
    while (reservation != NULL && !loader->stop && loader->next < loader->count) {
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

static void *run(void *data)
{
    gz_loader *loader = data;
    pthread_mutex_lock(&loader->lock);
    while (!loader->stop) {
        if (loader->next < loader->count)
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
    pthread_cond_init(&loader->change, NULL);
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
    while (loader->busy) // the page at hand may be of the model
        pthread_cond_wait(&loader->change, &loader->lock);
    pthread_mutex_unlock(&loader->lock);
}
