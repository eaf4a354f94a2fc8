// From what is left of the objects to the pairs of triangles in contact. See cull_state.h.
//
// For each two objects the box of what is left is cut with the other's, which leaves less on both
// sides, until nothing changes. Then some groups of the one against all of the other are a task;
// what tasks find is put together in their order. Tasks are done in waves, of all of them if all is
// asked for. Where a question may end early, waves are short and the same for any number of
// threads, so that answers and counters are, too.
#include <string.h>

#include "base/context.h"
#include "base/threads.h"
#include "cull/cull_kernels.h"
#include "geometry/fpu.h"

#define TASK_ROWS   4u  // of A
#define SHORT_WAVE  64u // tasks, where a question may end early
#define ROUNDS_MOST 16u

extern const gz_cull_kernels gz_cull_kernels_scalar;
#if !defined(GZ_SCALAR_ONLY)
extern const gz_cull_kernels gz_cull_kernels_baseline, gz_cull_kernels_avx2, gz_cull_kernels_avx512;
#endif

const gz_cull_kernels *gz_cull_kernels_for(graze_simd simd)
{
#if !defined(GZ_SCALAR_ONLY)
    if (simd == GRAZE_SIMD_AVX512)
        return &gz_cull_kernels_avx512;
    if (simd == GRAZE_SIMD_AVX2)
        return &gz_cull_kernels_avx2;
    if (simd == GRAZE_SIMD_BASELINE)
        return &gz_cull_kernels_baseline;
#endif
    (void)simd;
    return &gz_cull_kernels_scalar;
}

// --- Regions

static bool same_boxes(const gz_cull_box *a, const gz_cull_box *b)
{
    for (int axis = 0; axis < 3; ++axis)
        if (a->low[axis] != b->low[axis] || a->high[axis] != b->high[axis])
            return false;
    return true;
}

static const gz_cull_row *rows_of(const graze_cull *cull, uint32_t object)
{
    return cull->rows.items + cull->contents.items[object].first_row;
}

static void find_region(void *data, uint32_t number)
{
    graze_cull *cull = data;
    const gz_cull_kernels *kernels = gz_cull_kernels_for(graze_context_simd(cull->context));
    graze_pair pair = cull->object_pairs.items[number];
    gz_cull_object_work *work = &cull->works.items[number];
    *work = (gz_cull_object_work){.region = cull->objects.items[pair.a].box};
    gz_fpu_state state = gz_fpu_enter();
    gz_cull_boxes_cut(&work->region, &cull->objects.items[pair.b].box);
    for (uint32_t round = 0; round < ROUNDS_MOST && pair.a != pair.b; ++round) {
        gz_cull_box old = work->region, reach;
        const uint32_t objects[2] = {pair.a, pair.b};
        for (int side = 0; side < 2; ++side) {
            const gz_cull_content *content = &cull->contents.items[objects[side]];
            kernels->shrink(rows_of(cull, objects[side]), content->row_count, &work->region,
                            &reach);
            work->region = reach;
        }
        work->rounds++;
        if (same_boxes(&old, &work->region))
            break;
    }
    gz_fpu_leave(state);
}

static bool is_empty(const gz_cull_box *box)
{
    return box->low[0] > box->high[0] || box->low[1] > box->high[1] || box->low[2] > box->high[2];
}

static graze_status make_tasks(graze_cull *cull)
{
    cull->tasks.count = 0;
    for (uint64_t i = 0; i < cull->object_pairs.count; ++i) {
        gz_cull_object_work *work = &cull->works.items[i];
        const gz_cull_content *a = &cull->contents.items[cull->object_pairs.items[i].a];
        cull->counters.rounds += work->rounds;
        work->first_task = (uint32_t)cull->tasks.count;
        if (is_empty(&work->region))
            continue;
        work->task_count = (a->row_count + TASK_ROWS - 1) / TASK_ROWS;
        gz_cull_task *tasks = gz_list_push(cull->context, &cull->tasks, work->task_count);
        if (tasks == NULL && work->task_count != 0)
            return GRAZE_ERROR_MEMORY;
        for (uint32_t k = 0; k < work->task_count; ++k) {
            uint32_t rest = a->row_count - k * TASK_ROWS;
            tasks[k] = (gz_cull_task){.pair = (uint32_t)i,
                                      .first_row = k * TASK_ROWS,
                                      .rows = rest < TASK_ROWS ? rest : TASK_ROWS};
        }
    }
    return cull->tasks.count < UINT32_MAX ? GRAZE_OK : GRAZE_ERROR_UNSUPPORTED;
}

// --- Tasks

gz_cull_found *gz_cull_found_take(graze_cull *cull)
{
    pthread_mutex_lock(&cull->lock);
    gz_cull_found *found = cull->next_found;
    if (found == NULL) {
        found = gz_allocate(cull->context, sizeof *found);
        if (found != NULL) {
            found->after = NULL;
            *cull->last_found = found;
            cull->last_found = &found->after;
        }
    } else {
        cull->next_found = found->after;
    }
    pthread_mutex_unlock(&cull->lock);
    if (found != NULL) {
        found->next = NULL;
        found->count = 0;
    }
    return found;
}

static gz_cull_side side_of(graze_cull *cull, uint32_t number)
{
    const gz_cull_object *object = &cull->objects.items[number];
    const gz_cull_content *content = &cull->contents.items[number];
    bool single = object->view->precision == GRAZE_FLOAT32;
    return (gz_cull_side){.rows = rows_of(cull, number),
                          .tiers = cull->tiers.items + content->first_tier,
                          .row_count = content->row_count,
                          .tier_count = content->tier_count,
                          .view = object->view,
                          .p32 = single ? object->view->positions : NULL,
                          .p64 = single ? NULL : object->view->positions,
                          .corners = object->view->corners,
                          .marks = cull->marks.items + object->first,
                          .keep = cull->engine != NULL ? cull->keep.items + object->first : NULL};
}

static void run_task(gz_cull_worker *worker, uint32_t number)
{
    graze_cull *cull = worker->cull;
    gz_cull_task *task = &cull->tasks.items[number];
    graze_pair pair = cull->object_pairs.items[task->pair];
    worker->task = task;
    worker->a = side_of(cull, pair.a);
    worker->b = side_of(cull, pair.b);
    worker->region = cull->works.items[task->pair].region;
    worker->blocks = cull->blocks.items;
    worker->self = pair.a == pair.b;
    worker->stop = false;
    worker->pair_count = worker->fans.count = worker->fans.edges = 0;
    worker->last = NULL;
    gz_cull_kernels_for(graze_context_simd(cull->context))->join(worker);
    if (!worker->stop)
        gz_cull_test(worker);
}

static void work(void *data, uint32_t number)
{
    graze_cull *cull = data;
    gz_cull_worker *worker = &cull->workers.items[number];
    gz_fpu_state state = gz_fpu_enter();
    while (!atomic_load_explicit(&cull->failed, memory_order_relaxed)) {
        uint32_t next = atomic_fetch_add(&cull->next, 1);
        if (next >= cull->wave.count)
            break;
        worker->status =
            gz_checkpoint(cull->context, "culling", "tasks", cull->done + next, cull->tasks.count);
        if (worker->status == GRAZE_OK)
            run_task(worker, cull->wave.items[next]);
        if (worker->status != GRAZE_OK)
            atomic_store(&cull->failed, true);
    }
    gz_fpu_leave(state);
}

static graze_status run_wave(graze_cull *cull)
{
    uint32_t threads = cull->context->def.thread_count;
    threads = threads < cull->wave.count ? threads : (uint32_t)cull->wave.count;
    atomic_store(&cull->next, 0);
    gz_parallel(cull->context, threads, work, cull);
    cull->done += cull->wave.count;
    graze_status status = GRAZE_OK;
    for (uint64_t i = 0; i < cull->workers.count && status == GRAZE_OK; ++i)
        status = cull->workers.items[i].status;
    return status;
}

// The next tasks, from *next on. A question with a limit needs all tasks of two objects, for the
// limit is one of pairs in their order; a verdict needs none of two that are known to meet.
static graze_status choose_wave(graze_cull *cull, uint64_t *next)
{
    bool verdict = cull->asked.collect == GRAZE_COLLECT_VERDICT;
    uint64_t most = verdict || cull->asked.pair_limit != 0 ? SHORT_WAVE : UINT64_MAX;
    cull->wave.count = 0;
    for (; *next < cull->tasks.count; ++*next) {
        uint32_t pair = cull->tasks.items[*next].pair;
        const gz_cull_object_work *known = &cull->works.items[pair];
        if (cull->wave.count >= most && (verdict || *next == known->first_task))
            break;
        if (verdict && known->count != 0)
            continue;
        uint32_t *slot = gz_list_push(cull->context, &cull->wave, 1);
        if (slot == NULL)
            return GRAZE_ERROR_MEMORY;
        *slot = (uint32_t)*next;
    }
    return GRAZE_OK;
}

static graze_status have_workers(graze_cull *cull)
{
    uint64_t count = cull->context->def.thread_count;
    if (GZ_CULL_SIZE(cull, workers, count) != GRAZE_OK)
        return GRAZE_ERROR_MEMORY;
    for (uint64_t i = 0; i < count; ++i) {
        gz_cull_worker *worker = &cull->workers.items[i];
        worker->cull = cull;
        worker->status = GRAZE_OK;
        worker->counters = (graze_cull_counters){0};
    }
    return GRAZE_OK;
}

static uint64_t count_marks(const uint8_t *marks, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; ++i)
        sum += marks[i];
    return sum;
}

graze_status gz_cull_join(graze_cull *cull)
{
    uint64_t places = cull->frame.place_count, next = 0;
    if (GZ_CULL_SIZE(cull, works, cull->object_pairs.count) != GRAZE_OK ||
        GZ_CULL_SIZE(cull, marks, places) != GRAZE_OK || have_workers(cull) != GRAZE_OK)
        return GRAZE_ERROR_MEMORY;
    if (places != 0) // a frame without triangles has no marks
        memset(cull->marks.items, 0, (size_t)places);
    cull->next_found = cull->first_found;
    cull->found_count = 0;
    cull->done = 0;
    atomic_store(&cull->failed, false);
    gz_parallel(cull->context, (uint32_t)cull->object_pairs.count, find_region, cull);
    graze_status status = make_tasks(cull);
    bool enough = false;
    while (status == GRAZE_OK && next < cull->tasks.count && !enough) {
        status = choose_wave(cull, &next);
        if (status == GRAZE_OK && cull->wave.count != 0)
            status = run_wave(cull);
        for (uint64_t i = 0; i < cull->wave.count && status == GRAZE_OK; ++i) {
            const gz_cull_task *task = &cull->tasks.items[cull->wave.items[i]];
            gz_cull_object_work *of = &cull->works.items[task->pair];
            uint64_t more = task->count;
            if (cull->asked.collect == GRAZE_COLLECT_VERDICT)
                more = of->count == 0 && more != 0 ? 1 : 0;
            of->count += more;
            cull->found_count += more;
        }
        enough = cull->asked.pair_limit != 0 && cull->found_count >= cull->asked.pair_limit;
    }
    for (uint64_t i = 0; i < cull->workers.count; ++i) {
        cull->counters.triangle_tests += cull->workers.items[i].counters.triangle_tests;
        cull->counters.exact_tests += cull->workers.items[i].counters.exact_tests;
    }
    cull->counters.triangles_left = count_marks(cull->marks.items, places);
    return status;
}
