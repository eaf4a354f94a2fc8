// Which triangles of two shapes are in contact, where one of them is over a model? See paged.h.
//
// The walk down the boxes of both fills a list of pairs of parts; when it is full, the pairs are
// asked, by one thread or by all of them, each with a list of its own. In the end the lists are
// joined and sorted: the order of the pairs of parts, and who asked them, is not to be seen. So
// every other question without a limit goes the opposite way: it begins with what the one before
// asked last, which is what the cache still has.
#include <stdatomic.h>
#include <string.h>

#include "base/context.h"
#include "base/sort.h"
#include "base/threads.h"
#include "boxtree/pair_sort.h"
#include "geometry/fpu.h"
#include "query/contacts.h"
#include "query/paged.h"

#define CHUNK       1024 // pairs of parts
#define LOOK_EACH   8    // pairs, and ahead for more
#define LEAST_AHEAD 16   // pairs: a question that only wants a verdict may end soon
#define MOST_AHEAD  (GZ_FETCH_WISHES / 2)

// What one thread finds.
typedef struct asker {
    gz_pair_query pairs;
    gz_pair_counters counters;
    gz_pair_list found;
    gz_contact_list contacts;
    gz_paged_first first; // of the pairs that were found, where only that is asked
    graze_status status;
    bool stopped;
} asker;

typedef GZ_LIST(gz_paged_pair) gz_paged_pair_list;

struct gz_paged {
    asker *askers;
    uint32_t asker_count;
    bool backward; // the way of the next question without a limit
    gz_paged_pair_list chunk;
    gz_pair_list all;                        // of all askers
    gz_contact_list contacts;                // the same
    GZ_LIST(struct gz_paged_record) records; // for sorting these
};

// A contact by its pair, and where it is in the lists of the askers.
typedef struct gz_paged_record {
    uint8_t pair[8];            // big-endian
    uint8_t asker[4], place[4]; // the same
} record;
_Static_assert(sizeof(record) == 16, "no gaps");

typedef struct question {
    graze_query *query;
    gz_paged_side a, b;
    const graze_collide_def *def;
    bool first_only; // of the pairs, and its triangles
    bool backward;   // the walk goes from the last boxes to the first
    uint64_t pair_limit, work_limit;
    uint32_t threads;
    _Atomic uint64_t next; // of the chunk
    _Atomic bool done;     // a limit was hit, or something failed
    _Atomic bool looking;  // somebody looks ahead
    uint64_t sight;        // so many pairs, which is for this one to change
} question;

static void free_askers(graze_context *context, struct gz_paged *paged)
{
    for (uint32_t i = 0; i < paged->asker_count; ++i) {
        gz_pair_query_free(&paged->askers[i].pairs);
        gz_list_free(context, &paged->askers[i].found);
        gz_list_free(context, &paged->askers[i].contacts);
    }
    GZ_FREE_ARRAY(context, paged->askers, paged->asker_count);
    paged->askers = NULL;
    paged->asker_count = 0;
}

void gz_paged_free(graze_query *query)
{
    struct gz_paged *paged = query->paged;
    if (paged == NULL)
        return;
    free_askers(query->context, paged);
    gz_list_free(query->context, &paged->chunk);
    gz_list_free(query->context, &paged->all);
    gz_list_free(query->context, &paged->contacts);
    gz_list_free(query->context, &paged->records);
    gz_release(query->context, paged, sizeof *paged);
    query->paged = NULL;
}

static bool make_askers(graze_query *query, uint32_t count)
{
    graze_context *context = query->context;
    if (query->paged == NULL) {
        query->paged = gz_allocate(context, sizeof *query->paged);
        if (query->paged == NULL)
            return false;
        *query->paged = (struct gz_paged){0};
    }
    struct gz_paged *paged = query->paged;
    if (!gz_list_reserve(context, &paged->chunk, CHUNK))
        return false;
    if (paged->asker_count < count) {
        free_askers(context, paged);
        paged->askers = GZ_NEW_ARRAY(context, asker, count);
        if (paged->askers == NULL)
            return false;
        paged->asker_count = count;
        for (uint32_t i = 0; i < count; ++i) {
            paged->askers[i] = (asker){0};
            gz_pair_query_init(&paged->askers[i].pairs, context);
        }
    }
    for (uint32_t i = 0; i < paged->asker_count; ++i) {
        asker *k = &paged->askers[i];
        k->counters = (gz_pair_counters){0};
        k->found.count = k->contacts.count = 0;
        k->first = (gz_paged_first){0};
        k->status = GRAZE_OK;
        k->stopped = false;
    }
    return true;
}

static void keep_first(asker *k)
{
    const graze_pair *pairs = k->pairs.pairs.items;
    const gz_pair_place *places = k->pairs.places.items;
    for (uint64_t i = 0; i < k->pairs.pairs.count; ++i) {
        if (k->first.found && !gz_pair_before(pairs[i], k->first.pair))
            continue;
        k->first.found = true;
        k->first.pair = pairs[i];
        gz_frames_triangles(&k->pairs.frames, places[i].leaf_a, places[i].slot_a, places[i].leaf_b,
                            places[i].slot_b, &k->first.a, &k->first.b);
    }
}

// What the pair of parts found goes to the end of the asker's lists.
static bool keep_found(const question *q, asker *k)
{
    const gz_pair_query *pairs = &k->pairs;
    uint64_t count = pairs->pairs.count;
    graze_context *context = q->query->context;
    if (q->first_only)
        keep_first(k);
    if (q->first_only || q->def->collect < GRAZE_COLLECT_PAIRS || count == 0)
        return true;
    if (q->def->collect == GRAZE_COLLECT_PAIRS) {
        graze_pair *to = gz_list_push(context, &k->found, count);
        if (to != NULL)
            memcpy(to, pairs->pairs.items, (size_t)count * sizeof *to);
        return to != NULL;
    }
    graze_contact *to = gz_list_push(context, &k->contacts, count);
    const gz_pair_place *places = pairs->places.items;
    for (uint64_t i = 0; to != NULL && i < count; ++i) {
        graze_triangle t, u;
        gz_frames_triangles(&pairs->frames, places[i].leaf_a, places[i].slot_a, places[i].leaf_b,
                            places[i].slot_b, &t, &u);
        to[i].pair = ((const graze_pair *)pairs->pairs.items)[i];
        gz_contact_of(&t, &u, &to[i]);
    }
    return to != NULL;
}

static graze_status ask_pair(const question *q, asker *k, const gz_paged_hold *hold)
{
    gz_pair_wish wish = gz_pair_wish_all(hold->tree[0], q->a.pose, hold->tree[1], q->b.pose);
    uint64_t work = gz_pair_work(&k->counters);
    wish.tolerance = q->def->tolerance;
    wish.listed = q->first_only || q->def->collect >= GRAZE_COLLECT_PAIRS;
    wish.placed = q->first_only || q->def->collect == GRAZE_COLLECT_CONTACTS;
    if (q->pair_limit != UINT64_MAX)
        wish.pair_limit = q->pair_limit - k->counters.contacts;
    if (q->work_limit != UINT64_MAX)
        wish.work_limit = q->work_limit > work ? q->work_limit - work : 1;
    graze_status status = gz_pair_query_run(&k->pairs, &wish);
    gz_pair_counters_add(&k->counters, &k->pairs.counters);
    k->stopped |= k->pairs.stopped;
    if (status == GRAZE_OK && !keep_found(q, k))
        status = GRAZE_ERROR_MEMORY;
    return status;
}

// Tells the cache which pages the next pairs need, if there is nobody else who does.
static void look_ahead(question *q, uint64_t at)
{
    const gz_paged_pair_list *chunk = &q->query->paged->chunk;
    const gz_paged_pair *pairs = chunk->items;
    gz_page_wish wishes[GZ_FETCH_WISHES];
    uint32_t count = 0;
    if (at % LOOK_EACH != 0 || atomic_exchange(&q->looking, true))
        return;
    uint64_t end = at + q->sight < chunk->count ? at + q->sight : chunk->count;
    for (uint64_t i = at; i < end; ++i) {
        if (q->a.model != NULL && (i == at || pairs[i].a != pairs[i - 1].a))
            wishes[count++] = (gz_page_wish){q->a.model, pairs[i].a};
        if (q->b.model != NULL && (i == at || pairs[i].b != pairs[i - 1].b))
            wishes[count++] = (gz_page_wish){q->b.model, pairs[i].b};
    }
    if (gz_cache_read_ahead(q->query->context->cache, q, wishes, count) && q->sight < MOST_AHEAD)
        q->sight *= 2;
    atomic_store(&q->looking, false);
}

static void ask_some(void *data, uint32_t number)
{
    question *q = data;
    asker *k = &q->query->paged->askers[number];
    const gz_paged_pair_list *chunk = &q->query->paged->chunk;
    gz_paged_hold hold = {.side = {&q->a, &q->b}};
    gz_fpu_state state = gz_fpu_enter();
    while (!atomic_load(&q->done)) {
        uint64_t i = atomic_fetch_add(&q->next, 1);
        if (i >= chunk->count)
            break;
        look_ahead(q, i);
        k->status = gz_paged_hold_pair(&hold, ((const gz_paged_pair *)chunk->items)[i]);
        if (k->status == GRAZE_OK)
            k->status = ask_pair(q, k, &hold);
        if (k->status != GRAZE_OK || k->stopped)
            atomic_store(&q->done, true);
    }
    gz_fpu_leave(state);
    gz_paged_hold_end(&hold);
}

// Asks the pairs of the chunk, and empties it.
static graze_status ask_chunk(question *q)
{
    graze_context *context = q->query->context;
    struct gz_paged *paged = q->query->paged;
    atomic_store(&q->next, 0);
    if (q->threads > 1)
        gz_parallel(context, q->threads, ask_some, q);
    else
        ask_some(q, 0);
    paged->chunk.count = 0;
    gz_cache_stop_ahead(q->query->context->cache, q);
    for (uint32_t i = 0; i < q->threads; ++i)
        if (paged->askers[i].status != GRAZE_OK)
            return paged->askers[i].status;
    return gz_checkpoint(context, "asking", "clusters", 0, 0);
}

// Part of a tree's own shape that is near a cluster? Its box says little, so its leaves are asked.
static bool leaves_are_near(const question *q, gz_paged_node a, gz_paged_node b)
{
    if ((q->a.model == NULL) == (q->b.model == NULL))
        return true;
    const gz_paged_side *tree = q->a.model == NULL ? &q->a : &q->b;
    const gz_paged_side *model = q->a.model == NULL ? &q->b : &q->a;
    gz_middle box = gz_paged_middle(model, q->a.model == NULL ? b : a);
    return !(gz_tree_gap(tree->tree, tree->pose, &box, model->pose) > q->def->tolerance);
}

static graze_status walk(question *q, gz_paged_node a, gz_paged_node b)
{
    gz_middle middle_a = gz_paged_middle(&q->a, a), middle_b = gz_paged_middle(&q->b, b);
    if (atomic_load(&q->done) ||
        gz_boxes_far(&middle_a, q->a.pose, &middle_b, q->b.pose, q->def->tolerance))
        return GRAZE_OK;
    graze_status status = GRAZE_OK;
    if (a.level == 0 && b.level == 0) {
        if (!leaves_are_near(q, a, b))
            return GRAZE_OK;
        gz_paged_pair_list *chunk = &q->query->paged->chunk;
        ((gz_paged_pair *)chunk->items)[chunk->count++] = (gz_paged_pair){a.index, b.index};
        return chunk->count == CHUNK ? ask_chunk(q) : GRAZE_OK;
    }
    bool open_a = a.level >= b.level;
    gz_paged_node below;
    uint32_t count = open_a ? gz_paged_below(&q->a, a, &below) : gz_paged_below(&q->b, b, &below);
    uint32_t first = below.index;
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i) {
        below.index = first + (q->backward ? count - 1 - i : i);
        status = open_a ? walk(q, below, b) : walk(q, a, below);
    }
    return status;
}

static graze_status join_pairs(question *q, graze_answer *answer)
{
    graze_query *query = q->query;
    struct gz_paged *paged = query->paged;
    paged->all.count = 0;
    for (uint32_t i = 0; i < q->threads; ++i) {
        const gz_pair_list *found = &paged->askers[i].found;
        graze_pair *to =
            found->count == 0 ? NULL : gz_list_push(query->context, &paged->all, found->count);
        if (found->count != 0 && to == NULL)
            return GRAZE_ERROR_MEMORY;
        if (to != NULL)
            memcpy(to, found->items, (size_t)found->count * sizeof *to);
    }
    if (!gz_list_reserve(query->context, &query->sorted, paged->all.count))
        return GRAZE_ERROR_MEMORY;
    answer->pairs = gz_pairs_sort(paged->all.items, query->sorted.items, paged->all.count,
                                  q->a.triangle_count, q->b.triangle_count);
    return GRAZE_OK;
}

static graze_status join_contacts(question *q, graze_answer *answer)
{
    graze_query *query = q->query;
    struct gz_paged *paged = query->paged;
    uint64_t count = 0, at = 0;
    for (uint32_t i = 0; i < q->threads; ++i)
        count += paged->askers[i].contacts.count;
    if (!gz_list_reserve(query->context, &paged->records, count) ||
        !gz_list_reserve(query->context, &paged->contacts, count) ||
        !gz_list_reserve(query->context, &paged->all, count))
        return GRAZE_ERROR_MEMORY;
    record *records = paged->records.items;
    for (uint32_t i = 0; i < q->threads; ++i) {
        const graze_contact *from = paged->askers[i].contacts.items;
        for (uint64_t k = 0; k < paged->askers[i].contacts.count; ++k, ++at) {
            gz_put_number(records[at].pair, from[k].pair.a, 4);
            gz_put_number(records[at].pair + 4, from[k].pair.b, 4);
            gz_put_number(records[at].asker, i, 4);
            gz_put_number(records[at].place, k, 4);
        }
    }
    gz_sort_records(NULL, records, count, sizeof *records, 0,
                    gz_arena_over(paged->contacts.items, count * sizeof(graze_contact)));
    graze_contact *contacts = paged->contacts.items;
    graze_pair *pairs = paged->all.items;
    for (uint64_t i = 0; i < count; ++i) {
        uint64_t asker_number = gz_get_number(records[i].asker, 4);
        const graze_contact *from = paged->askers[asker_number].contacts.items;
        contacts[i] = from[gz_get_number(records[i].place, 4)];
        pairs[i] = contacts[i].pair;
    }
    answer->pairs = pairs;
    answer->contacts = contacts;
    return GRAZE_OK;
}

// The way of this question; the next goes the other one.
static bool turn_around(struct gz_paged *paged)
{
    paged->backward = !paged->backward;
    return !paged->backward;
}

static graze_status answer_all(question *q, graze_answer *answer)
{
    graze_status status = GRAZE_OK;
    if (q->pair_limit == UINT64_MAX && q->work_limit == UINT64_MAX)
        q->backward = turn_around(q->query->paged);
    if (q->a.triangle_count != 0 && q->b.triangle_count != 0) {
        status = walk(q, gz_paged_root(&q->a), gz_paged_root(&q->b));
        if (status == GRAZE_OK && !atomic_load(&q->done))
            status = ask_chunk(q);
    }
    if (status == GRAZE_OK && q->def->collect == GRAZE_COLLECT_PAIRS)
        status = join_pairs(q, answer);
    if (status == GRAZE_OK && q->def->collect == GRAZE_COLLECT_CONTACTS)
        status = join_contacts(q, answer);
    if (status != GRAZE_OK)
        return status;
    gz_pair_counters sum = {0};
    bool stopped = false;
    for (uint32_t i = 0; i < q->threads; ++i) {
        gz_pair_counters_add(&sum, &q->query->paged->askers[i].counters);
        stopped |= q->query->paged->askers[i].stopped;
    }
    answer->verdict = sum.contacts != 0 ? GRAZE_CONTACT : stopped ? GRAZE_UNDECIDED : GRAZE_APART;
    answer->complete = !stopped;
    answer->pair_count = sum.contacts;
    answer->counters = gz_question_counters(&sum);
    return GRAZE_OK;
}

static graze_status ask(question *q, const graze_shape *a, const graze_pose *pose_a,
                        const graze_shape *b, const graze_pose *pose_b, graze_answer *answer)
{
    graze_status status = gz_paged_side_set(a, pose_a, &q->a);
    if (status == GRAZE_OK)
        status = gz_paged_side_set(b, pose_b, &q->b);
    q->sight = LEAST_AHEAD;
    gz_fpu_state state = gz_fpu_enter();
    if (status == GRAZE_OK)
        status = make_askers(q->query, q->threads) ? answer_all(q, answer) : GRAZE_ERROR_MEMORY;
    gz_fpu_leave(state);
    return status;
}

graze_status gz_paged_collide(graze_query *query, const graze_shape *a, const graze_pose *pose_a,
                              const graze_shape *b, const graze_pose *pose_b,
                              const graze_collide_def *def, graze_answer *answer)
{
    question q = {.query = query,
                  .def = def,
                  .pair_limit = def->pair_limit == 0 ? UINT64_MAX : def->pair_limit,
                  .work_limit = def->work_limit == 0 ? UINT64_MAX : def->work_limit};
    if (def->collect == GRAZE_COLLECT_VERDICT)
        q.pair_limit = 1;
    bool limited = q.pair_limit != UINT64_MAX || q.work_limit != UINT64_MAX;
    q.threads = def->use_threads != 0 && !limited ? query->context->def.thread_count : 1;
    graze_status status = ask(&q, a, pose_a, b, pose_b, answer);
    if (status == GRAZE_ERROR_MEMORY)
        return gz_fail(query->context, status, "graze_query_collide: out of memory");
    return status;
}

graze_status gz_paged_find_first(graze_query *query, const graze_shape *a, const graze_pose *pose_a,
                                 const graze_shape *b, const graze_pose *pose_b,
                                 uint64_t work_limit, gz_paged_first *first, graze_answer *answer)
{
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_COUNT;
    question q = {.query = query,
                  .def = &def,
                  .first_only = true,
                  .pair_limit = UINT64_MAX,
                  .work_limit = work_limit,
                  .threads = 1};
    graze_status status = ask(&q, a, pose_a, b, pose_b, answer);
    if (status == GRAZE_OK)
        *first = query->paged->askers[0].first;
    return status;
}
