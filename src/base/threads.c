// A small pool: workers sleep until a loop arrives and take its indices one by one. See threads.h.
// Loops often come one after the other: whoever has nothing to do looks around for a while before
// going to sleep, since being woken takes longer.
#include "base/threads.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/last_error.h"
#include "base/memory.h"

// One loop at a time. The loop's data may live on the caller's stack: the caller closes the loop
// and leaves only when no worker is inside.
struct gz_pool {
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    pthread_t *threads;
    uint32_t thread_count, capacity;
    _Atomic uint64_t loop_number; // raised for each loop, with the lock held
    _Atomic uint32_t inside;      // workers in the current loop; changed with the lock held
    bool busy;                    // some caller has the pool
    bool open;                    // its loop is set up: workers may enter
    bool stop;
    graze_task *task;
    void *data;
    uint32_t count;
    _Atomic uint32_t next;
};

static _Thread_local bool in_parallel_loop; // a nested loop runs on its own thread

#define GLANCES 1000 // some tens of microseconds

static inline void pause_a_little(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void wait_for_loop(gz_pool *pool, uint64_t seen)
{
    for (int i = 0; i < GLANCES && atomic_load(&pool->loop_number) == seen; ++i)
        pause_a_little();
}

static void wait_for_workers(gz_pool *pool)
{
    for (int i = 0; i < GLANCES && atomic_load(&pool->inside) != 0; ++i)
        pause_a_little();
}

static void run_loop(gz_pool *pool)
{
    bool outer = in_parallel_loop;
    in_parallel_loop = true;
    for (;;) {
        uint32_t index = atomic_fetch_add(&pool->next, 1);
        if (index >= pool->count)
            break;
        pool->task(pool->data, index);
    }
    in_parallel_loop = outer;
}

static void *worker(void *argument)
{
    gz_pool *pool = argument;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->stop && (!pool->open || pool->loop_number == seen))
            pthread_cond_wait(&pool->wake, &pool->lock);
        if (pool->stop)
            break;
        seen = pool->loop_number;
        pool->inside++;
        pthread_mutex_unlock(&pool->lock);
        run_loop(pool);
        pthread_mutex_lock(&pool->lock);
        GZ_ASSERT(pool->inside != 0);
        if (--pool->inside == 0)
            pthread_cond_signal(&pool->done);
        pthread_mutex_unlock(&pool->lock);
        wait_for_loop(pool, seen);
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static gz_pool *make_pool(graze_context *context)
{
    uint32_t capacity = context->def.thread_count - 1; // the caller is one of them
    gz_pool *pool = gz_allocate(context, sizeof *pool);
    pthread_t *threads = GZ_NEW_ARRAY(context, pthread_t, capacity);
    if (pool == NULL || threads == NULL) {
        gz_release(context, pool, sizeof *pool);
        GZ_FREE_ARRAY(context, threads, capacity);
        return NULL;
    }
    memset(pool, 0, sizeof *pool);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->threads = threads;
    pool->capacity = capacity;
    while (pool->thread_count < capacity &&
           pthread_create(&threads[pool->thread_count], NULL, worker, pool) == 0)
        pool->thread_count++;
    return pool;
}

void gz_pool_destroy(graze_context *context)
{
    gz_pool *pool = context->pool;
    if (pool == NULL)
        return;
    pthread_mutex_lock(&pool->lock);
    GZ_ASSERT(!pool->busy && pool->inside == 0); // a context outlives its loops
    pool->stop = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->thread_count; ++i)
        pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_cond_destroy(&pool->done);
    pthread_mutex_destroy(&pool->lock);
    GZ_FREE_ARRAY(context, pool->threads, pool->capacity);
    gz_release(context, pool, sizeof *pool);
    context->pool = NULL;
}

// The pool, if it can be had for this loop; NULL when another thread's loop has it.
static gz_pool *acquire_pool(graze_context *context)
{
    pthread_mutex_lock(&context->pool_lock);
    if (context->pool == NULL)
        context->pool = make_pool(context);
    gz_pool *pool = context->pool;
    pthread_mutex_unlock(&context->pool_lock);
    if (pool == NULL)
        return NULL;
    pthread_mutex_lock(&pool->lock);
    bool taken = pool->busy;
    pool->busy = true;
    pthread_mutex_unlock(&pool->lock);
    return taken ? NULL : pool;
}

static void run_on_pool(gz_pool *pool, uint32_t count, graze_task *task, void *data)
{
    pthread_mutex_lock(&pool->lock);
    GZ_ASSERT(pool->busy && !pool->open && pool->inside == 0);
    pool->task = task;
    pool->data = data;
    pool->count = count;
    atomic_store(&pool->next, 0);
    pool->loop_number++;
    pool->open = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    run_loop(pool);
    wait_for_workers(pool);
    pthread_mutex_lock(&pool->lock);
    pool->open = false; // who wakes only now stays out
    while (pool->inside != 0)
        pthread_cond_wait(&pool->done, &pool->lock);
    GZ_ASSERT(atomic_load(&pool->next) >= count);
    pool->busy = false;
    pthread_mutex_unlock(&pool->lock);
}

// A task whose sentences reach the thread that began the loop.
typedef struct relayed {
    graze_task *task;
    void *data;
    gz_error_relay relay;
} relayed;

static void run_relayed(void *data, uint32_t index)
{
    relayed *r = data;
    gz_error_relay *before = gz_error_relay_set(&r->relay);
    r->task(r->data, index);
    gz_error_relay_set(before);
}

void gz_parallel(graze_context *context, uint32_t count, graze_task *task, void *data)
{
    gz_pool *pool = NULL;
    bool own_tasks = context->def.run_tasks != NULL;
    if (!own_tasks && count > 1 && context->def.thread_count > 1 && !in_parallel_loop)
        pool = acquire_pool(context);
    if (pool == NULL && !own_tasks) {
        for (uint32_t i = 0; i < count; ++i)
            task(data, i);
        return;
    }
    relayed r;
    r.task = task;
    r.data = data;
    atomic_init(&r.relay.taken, false);
    if (own_tasks)
        context->def.run_tasks(context->def.user, run_relayed, &r, count);
    else
        run_on_pool(pool, count, run_relayed, &r);
    if (atomic_load(&r.relay.taken))
        gz_error_remember(r.relay.context, r.relay.sentence);
}

graze_status gz_checkpoint(graze_context *context, const char *stage, const char *unit,
                           uint64_t done, uint64_t total)
{
    const graze_context_def *def = &context->def;
    if (def->cancel != NULL && def->cancel(def->user) != 0)
        return gz_fail(context, GRAZE_ERROR_CANCELLED, "%s: cancelled", stage);
    if (def->progress == NULL)
        return GRAZE_OK;
    uint64_t now = gz_clock_ns();
    uint64_t due = atomic_load_explicit(&context->progress_due, memory_order_relaxed);
    bool last = total != 0 && done >= total;
    if ((now >= due || last) &&
        atomic_compare_exchange_strong(&context->progress_due, &due, now + 100000000u)) {
        graze_progress progress = {stage, unit, done, total};
        def->progress(def->user, &progress);
    }
    return GRAZE_OK;
}
