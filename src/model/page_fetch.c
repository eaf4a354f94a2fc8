// Reads pages before they are needed. See page_fetch.h.
#include "model/page_fetch.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "base/knobs.h"
#include "base/memory.h"

#define RUN_PAGES    64u // bits
#define RUN_BYTES    (UINT64_C(256) << 10)
#define READER_STACK (256u << 10)

void gz_fetch_init(gz_fetch *fetch, graze_context *context, pthread_mutex_t *lock,
                   pthread_cond_t *change, uint64_t limit)
{
    memset(fetch, 0, sizeof *fetch);
    fetch->context = context;
    fetch->lock = lock;
    fetch->change = change;
    fetch->limit = limit;
    fetch->off = GZ_KNOB(context, read_late);
    pthread_cond_init(&fetch->work, NULL);
}

void gz_fetch_end(gz_fetch *fetch)
{
    GZ_ASSERT(fetch->active == 0 && fetch->bytes == 0);
    pthread_mutex_lock(fetch->lock);
    fetch->stop = true;
    pthread_cond_broadcast(&fetch->work);
    pthread_mutex_unlock(fetch->lock);
    for (uint32_t i = 0; i < fetch->reader_count; ++i)
        pthread_join(fetch->readers[i], NULL);
    pthread_cond_destroy(&fetch->work);
}

bool gz_fetch_is_sound(const gz_fetch *fetch)
{
    uint64_t bytes = 0;
    uint32_t active = 0;
    for (uint32_t i = 0; i < GZ_FETCH_RUNS; ++i) {
        const gz_fetch_run *run = &fetch->runs[i];
        if (run->state == GZ_FREE) {
            if (run->model != NULL || run->block != NULL || run->users != 0)
                return false;
            continue;
        }
        uint64_t pages = run->count < RUN_PAGES ? (UINT64_C(1) << run->count) - 1 : UINT64_MAX;
        if (run->model == NULL || run->block == NULL || run->count == 0 || run->count > RUN_PAGES ||
            (run->waiting & ~pages) != 0 || run->start < run->block ||
            run->byte_count > run->block_bytes || run->least > run->byte_count)
            return false;
        bytes += run->block_bytes;
        ++active;
    }
    return bytes == fetch->bytes && active == fetch->active;
}

static void free_if_over(gz_fetch *fetch, gz_fetch_run *run)
{
    if (run->state == GZ_READING || run->waiting != 0 || run->users != 0)
        return;
    GZ_ASSERT(run->state != GZ_FREE && fetch->active != 0 && fetch->bytes >= run->block_bytes);
    gz_release(fetch->context, run->block, run->block_bytes);
    fetch->bytes -= run->block_bytes;
    fetch->active--;
    *run = (gz_fetch_run){.state = GZ_FREE};
}

static void end_read(gz_fetch *fetch, gz_fetch_run *run)
{
    GZ_ASSERT(run->state == GZ_READING && run->done <= run->byte_count);
    run->state = run->done >= run->least ? GZ_THERE : GZ_FAILED;
    free_if_over(fetch, run);
}

static gz_fetch_run *first_queued(gz_fetch *fetch)
{
    gz_fetch_run *first = NULL;
    for (uint32_t i = 0; i < GZ_FETCH_RUNS; ++i) {
        gz_fetch_run *run = &fetch->runs[i];
        if (run->state == GZ_QUEUED && (first == NULL || run->turn < first->turn))
            first = run;
    }
    return first;
}

static void *reader(void *argument)
{
    gz_fetch *fetch = argument;
    pthread_mutex_lock(fetch->lock);
    while (!fetch->stop) {
        gz_fetch_run *run = first_queued(fetch);
        if (run == NULL) {
            pthread_cond_wait(&fetch->work, fetch->lock);
            continue;
        }
        run->state = GZ_READING;
        int file = run->model->file.descriptor;
        pthread_mutex_unlock(fetch->lock);
        ssize_t got = 1;
        while (got > 0 && run->done < run->least) { // the run is ours while it is being read
            do
                got = pread(file, run->start + run->done, (size_t)(run->byte_count - run->done),
                            (off_t)(run->offset + run->done));
            while (got < 0 && errno == EINTR);
            run->done += got > 0 ? (uint64_t)got : 0;
        }
        pthread_mutex_lock(fetch->lock);
        end_read(fetch, run);
        pthread_cond_broadcast(fetch->change);
    }
    pthread_mutex_unlock(fetch->lock);
    return NULL;
}

// Where there are no threads to be had, nothing is read ahead.
static void start_readers(gz_fetch *fetch)
{
    pthread_attr_t attributes;
    fetch->off = true;
    if (pthread_attr_init(&attributes) != 0)
        return;
    (void)pthread_attr_setstacksize(&attributes, READER_STACK);
    while (fetch->reader_count < GZ_FETCH_READERS &&
           pthread_create(&fetch->readers[fetch->reader_count], &attributes, reader, fetch) == 0)
        fetch->reader_count++;
    pthread_attr_destroy(&attributes);
    fetch->off = fetch->reader_count == 0;
}

bool gz_fetch_has_room(const gz_fetch *fetch)
{
    return fetch->limit != 0 && !fetch->off && fetch->bytes <= fetch->limit / 2 &&
           fetch->active <= GZ_FETCH_RUNS / 2;
}

static gz_fetch_run *find(gz_fetch *fetch, const graze_model *model, uint32_t page)
{
    for (uint32_t i = 0; fetch->active != 0 && i < GZ_FETCH_RUNS; ++i) {
        gz_fetch_run *run = &fetch->runs[i];
        if (run->model == model && page - run->first < run->count &&
            (run->waiting >> (page - run->first) & 1) != 0)
            return run;
    }
    return NULL;
}

bool gz_fetch_has(gz_fetch *fetch, const graze_model *model, uint32_t page)
{
    return find(fetch, model, page) != NULL;
}

// Where pages are in the file, and in memory: direct reads are of whole blocks, into such.
static void place_run(gz_fetch_run *run)
{
    const graze_model *model = run->model;
    uint64_t unit = model->file.direct ? GZ_DIRECT_BYTES : 1;
    uint32_t last = run->first + run->count - 1;
    GZ_ASSERT(run->count != 0 && last < model->header.cluster_count + model->header.coarse_count);
    uint64_t base = model->file.base;
    uint64_t end = base + model->offsets[last] + model->clusters[last].byte_count;
    run->offset = (base + model->offsets[run->first]) / unit * unit;
    run->least = end - run->offset;
    run->byte_count = (run->least + unit - 1) / unit * unit;
    run->block_bytes = run->byte_count + unit - 1;
}

// Between coarse clusters there are pages of another kind.
static bool has_gap(const gz_fetch_run *run)
{
    const graze_model *model = run->model;
    uint32_t last = run->first + run->count - 1;
    return run->count > 1 &&
           model->offsets[last - 1] + model->clusters[last - 1].byte_count != model->offsets[last];
}

static void begin_run(gz_fetch *fetch, gz_fetch_run *run)
{
    uint64_t unit = run->model->file.direct ? GZ_DIRECT_BYTES : 1;
    run->start = run->block + (unit - (uintptr_t)run->block % unit) % unit;
    run->waiting = run->count == RUN_PAGES ? UINT64_MAX : (UINT64_C(1) << run->count) - 1;
    fetch->bytes += run->block_bytes;
    fetch->bytes_read += run->byte_count;
    fetch->read_count++;
    fetch->active++;
    if (GZ_FAULT_DUE(fetch->context, reads)) {
        run->state = GZ_FAILED;
    } else {
        run->state = GZ_QUEUED;
        pthread_cond_signal(&fetch->work);
    }
}

static bool before(const gz_page_key *a, const gz_page_key *b)
{
    return a->model != b->model ? (uintptr_t)a->model < (uintptr_t)b->model : a->number < b->number;
}

// By shells: the list is short, and its neighbours often are in order.
static void sort_wishes(gz_page_key *wishes, uint32_t count)
{
    for (uint32_t gap = 121; gap > 0; gap /= 3)
        for (uint32_t i = gap; i < count; ++i) {
            gz_page_key wish = wishes[i];
            uint32_t at = i;
            for (; at >= gap && before(&wish, &wishes[at - gap]); at -= gap)
                wishes[at] = wishes[at - gap];
            wishes[at] = wish;
        }
}

uint64_t gz_fetch_measure(const gz_fetch *fetch, const gz_page_key *wishes, uint32_t *count)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < *count; ++i) {
        gz_fetch_run run = {.model = wishes[i].model, .first = wishes[i].number, .count = 1};
        place_run(&run);
        if (fetch->bytes + bytes + run.block_bytes > fetch->limit)
            *count = i;
        else
            bytes += run.block_bytes;
    }
    return bytes;
}

void gz_fetch_start(gz_fetch *fetch, const void *owner, gz_page_key *wishes, uint32_t count)
{
    if (!fetch->off && fetch->reader_count == 0)
        start_readers(fetch);
    if (fetch->off)
        return;
    sort_wishes(wishes, count);
    uint32_t slot = 0;
    for (uint32_t i = 0, next; i < count; i = next) {
        while (slot < GZ_FETCH_RUNS && fetch->runs[slot].state != GZ_FREE)
            ++slot;
        if (slot == GZ_FETCH_RUNS)
            return;
        gz_fetch_run run = {
            .model = wishes[i].model, .owner = owner, .first = wishes[i].number, .count = 1};
        place_run(&run);
        for (next = i + 1; next < count && wishes[next].model == run.model; ++next) {
            gz_fetch_run longer = run;
            longer.count = wishes[next].number - run.first + 1;
            if (longer.count > run.count + 1 || longer.count > RUN_PAGES)
                break;
            place_run(&longer);
            if (longer.block_bytes > RUN_BYTES || has_gap(&longer))
                break;
            run = longer;
        }
        run.turn = ++fetch->turn;
        run.block = gz_allocate(fetch->context, run.block_bytes);
        if (run.block == NULL)
            return;
        GZ_ASSERT(fetch->bytes + run.block_bytes <= fetch->limit);
        fetch->runs[slot] = run;
        begin_run(fetch, &fetch->runs[slot]);
    }
}

gz_fetch_run *gz_fetch_pin(gz_fetch *fetch, graze_model *model, uint32_t page)
{
    gz_fetch_run *run = find(fetch, model, page);
    if (run != NULL)
        run->users++;
    return run;
}

const uint8_t *gz_fetch_wait(gz_fetch *fetch, gz_fetch_run *run, uint32_t page)
{
    run->turn = 0; // no longer ahead of time
    while (run->state == GZ_QUEUED || run->state == GZ_READING)
        pthread_cond_wait(fetch->change, fetch->lock);
    uint64_t at = run->model->file.base + run->model->offsets[page];
    return run->state == GZ_THERE ? run->start + (at - run->offset) : NULL;
}

void gz_fetch_unpin(gz_fetch *fetch, gz_fetch_run *run, uint32_t page)
{
    GZ_ASSERT(run->users != 0 && page - run->first < run->count);
    run->users--;
    run->waiting &= ~(UINT64_C(1) << (page - run->first));
    free_if_over(fetch, run);
}

static void drop(gz_fetch *fetch, gz_fetch_run *run)
{
    run->waiting = 0;
    free_if_over(fetch, run);
}

void gz_fetch_drop(gz_fetch *fetch, const void *owner)
{
    for (uint32_t i = 0; i < GZ_FETCH_RUNS; ++i)
        if (fetch->runs[i].state != GZ_FREE && fetch->runs[i].owner == owner)
            drop(fetch, &fetch->runs[i]);
}

void gz_fetch_forget(gz_fetch *fetch, const graze_model *model)
{
    for (uint32_t i = 0; i < GZ_FETCH_RUNS; ++i) {
        gz_fetch_run *run = &fetch->runs[i];
        if (run->model == model)
            drop(fetch, run);
        while (run->model == model) // which goes when the read has ended
            pthread_cond_wait(fetch->change, fetch->lock);
    }
}
