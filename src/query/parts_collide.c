// Which triangles of two shapes are in contact, where one of them has many parts? See part_pins.h.
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
#include "query/budget.h"
#include "query/contacts.h"
#include "query/lod_contact.h"
#include "query/part_frames.h"

#define CHUNK       1024 // pairs of parts
#define LOOK_EACH   8    // pairs, and ahead for more
#define LEAST_AHEAD 16   // pairs: a question that only wants a verdict may end soon
#define MOST_AHEAD  (GZ_FETCH_WISHES / 2)
#define MOST_NEXT   16 // pages of groups

// What one thread finds.
typedef struct asker {
    gz_pair_query pairs;
    gz_pair_counters counters;
    gz_pair_list found;
    gz_contact_list contacts;
    gz_first_pair first; // of the pairs that were found, where only that is asked
    uint64_t part_pairs, page_loads;
    graze_status status;
    bool stopped;
    bool proved; // of LOD cuts: originals are within the tolerance
} asker;

typedef GZ_LIST(gz_part_pair) gz_part_pair_list;

struct gz_parts_scratch {
    asker *askers;
    uint32_t asker_count;
    bool backward; // the way of the next question without a limit
    gz_part_pair_list chunk;
    gz_pair_list all;                       // of all askers
    gz_contact_list contacts;               // the same
    GZ_LIST(struct gz_part_record) records; // for sorting these
    gz_page_key next[MOST_NEXT];            // groups that may soon be asked at these steps
    uint32_t next_count;
};

// A contact by its pair, and where it is in the lists of the askers.
typedef struct gz_part_record {
    uint8_t pair[8];            // big-endian
    uint8_t asker[4], place[4]; // the same
} record;
_Static_assert(sizeof(record) == 16, "no gaps");

typedef struct question {
    graze_query *query;
    gz_side a, b;
    gz_part_frames frames;
    const graze_collide_def *def;
    const gz_lod_question *lod;     // NULL: the shapes are no LOD cuts
    bool first_only;                // of the pairs, and its triangles
    const gz_pair_visitor *visitor; // of all pairs; NULL: there is none
    bool backward;                  // the walk goes from the last boxes to the first
    uint64_t pair_limit, work_limit;
    uint32_t threads;
    _Atomic uint64_t next;  // of the chunk
    _Atomic bool done;      // a limit was hit, or something failed
    _Atomic bool looking;   // somebody looks ahead
    _Atomic bool loading;   // a page was not there since somebody did
    uint64_t sight;         // so many pairs, which is for this one to change
    uint64_t visits;        // of the walk down the boxes
    gz_part_fronts *fronts; // NULL: none are kept
} question;

static void free_askers(graze_context *context, struct gz_parts_scratch *parts)
{
    for (uint32_t i = 0; i < parts->asker_count; ++i) {
        gz_pair_query_free(&parts->askers[i].pairs);
        gz_list_free(context, &parts->askers[i].found);
        gz_list_free(context, &parts->askers[i].contacts);
    }
    GZ_FREE_ARRAY(context, parts->askers, parts->asker_count);
    parts->askers = NULL;
    parts->asker_count = 0;
}

void gz_parts_free(graze_query *query)
{
    struct gz_parts_scratch *parts = query->parts;
    if (parts == NULL)
        return;
    free_askers(query->context, parts);
    gz_list_free(query->context, &parts->chunk);
    gz_list_free(query->context, &parts->all);
    gz_list_free(query->context, &parts->contacts);
    gz_list_free(query->context, &parts->records);
    gz_release(query->context, parts, sizeof *parts);
    query->parts = NULL;
}

static bool make_askers(graze_query *query, uint32_t count)
{
    graze_context *context = query->context;
    if (query->parts == NULL) {
        query->parts = gz_allocate(context, sizeof *query->parts);
        if (query->parts == NULL)
            return false;
        *query->parts = (struct gz_parts_scratch){0};
    }
    struct gz_parts_scratch *parts = query->parts;
    if (!gz_list_reserve(context, &parts->chunk, CHUNK))
        return false;
    parts->chunk.count = 0; // a question may end in the middle of one
    parts->next_count = 0;
    if (parts->asker_count < count) {
        free_askers(context, parts);
        parts->askers = GZ_NEW_ARRAY(context, asker, count);
        if (parts->askers == NULL)
            return false;
        parts->asker_count = count;
        for (uint32_t i = 0; i < count; ++i) {
            parts->askers[i] = (asker){0};
            gz_pair_query_init(&parts->askers[i].pairs, context);
        }
    }
    for (uint32_t i = 0; i < parts->asker_count; ++i) {
        asker *k = &parts->askers[i];
        k->counters = (gz_pair_counters){0};
        k->found.count = k->contacts.count = 0;
        k->first = (gz_first_pair){0};
        k->part_pairs = k->page_loads = 0;
        k->status = GRAZE_OK;
        k->stopped = k->proved = false;
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

static void set_limits(const question *q, const asker *k, gz_pair_wish *wish)
{
    uint64_t work = gz_pair_work(&k->counters);
    if (q->pair_limit != UINT64_MAX)
        wish->pair_limit = q->pair_limit - k->counters.contacts;
    if (q->work_limit != UINT64_MAX)
        wish->work_limit = q->work_limit > work ? q->work_limit - work : 1;
    if (q->query->budget != NULL)
        wish->deadline = q->query->budget->deadline;
}

// Contacts of LOD cuts, to the end of the asker's lists.
static bool keep_lod(const question *q, asker *k, const gz_part_pins *pins)
{
    graze_context *context = q->query->context;
    const gz_pair_place *places = k->pairs.places.items;
    bool with_points = q->def->collect == GRAZE_COLLECT_CONTACTS;
    for (uint64_t i = 0; i < k->pairs.places.count; ++i) {
        graze_contact contact;
        if (q->query->budget != NULL && i % 16 == 15 && gz_budget_is_late(q->query->budget))
            return true;
        gz_lod_contact(q->lod, &k->pairs, pins->part, &places[i], with_points, &contact);
        graze_pair *pair = with_points ? NULL : gz_list_push(context, &k->found, 1);
        graze_contact *to = with_points ? gz_list_push(context, &k->contacts, 1) : NULL;
        if (pair == NULL && to == NULL)
            return false;
        if (pair != NULL)
            *pair = contact.pair;
        else
            *to = contact;
    }
    return true;
}

// Whether two parts prove that originals are within the tolerance. One proof is enough.
static graze_status prove(const question *q, asker *k, const gz_part_pins *pins)
{
    gz_pair_wish wish = gz_pair_wish_all(pins->tree[0], q->a.pose, pins->tree[1], q->b.pose);
    wish.tolerance = gz_lod_proof(q->lod, pins->part);
    wish.bare = true;
    wish.listed = false;
    if (k->proved || k->stopped || !(wish.tolerance >= 0))
        return GRAZE_OK;
    set_limits(q, k, &wish);
    wish.pair_limit = 1;
    k->pairs.front = NULL;
    graze_status status = gz_pair_query_run(&k->pairs, &wish);
    k->proved = k->pairs.counters.contacts != 0;
    k->stopped = !k->proved && k->pairs.stopped;
    k->pairs.counters.contacts = 0;
    gz_pair_counters_add(&k->counters, &k->pairs.counters);
    return status;
}

// Two parts of LOD cuts, where a verdict is asked for: it stands when a contact is proved, or when
// one within the error is found and nothing more can be.
static graze_status ask_lod_verdict(const question *q, asker *k, const gz_part_pins *pins)
{
    graze_status status = prove(q, k, pins);
    if (status == GRAZE_OK && !k->proved && !k->stopped && k->counters.contacts == 0) {
        gz_pair_wish wish = gz_pair_wish_all(pins->tree[0], q->a.pose, pins->tree[1], q->b.pose);
        wish.tolerance = gz_lod_tolerance(q->lod, pins->part);
        wish.listed = false;
        set_limits(q, k, &wish);
        wish.pair_limit = 1;
        status = gz_pair_query_run(&k->pairs, &wish);
        gz_pair_counters_add(&k->counters, &k->pairs.counters);
        k->stopped = k->pairs.stopped && k->pairs.counters.contacts == 0; // by the limit of work
    }
    if (k->proved)
        k->counters.contacts = 1;
    k->stopped |= k->proved || (k->counters.contacts != 0 && !q->lod->may_prove);
    return status;
}

// The page of a part: cuts of a model have it in common. Fronts know trees by their serials, so two
// pages may share a number.
static uint32_t page_of(const gz_side *side, uint32_t part)
{
    if (side->tree != NULL)
        return 0;
    gz_page_key key = side->shape->kind->page(side->shape, part);
    if (key.kind == GZ_PAGE_CLUSTER)
        return key.number;
    return UINT32_MAX - (key.number * GZ_GROUP_STEPS + key.step);
}

// Asks two trees, with the help of their front if there is one. Sure pairs of fronts are listed
// with the others, since they are placed.
static graze_status run_wish(const question *q, asker *k, const gz_part_pins *pins,
                             gz_pair_wish *wish)
{
    k->pairs.front = NULL;
    if (q->fronts != NULL)
        k->pairs.front =
            gz_part_fronts_find(q->query->context, q->fronts, page_of(&q->a, pins->part[0]),
                                page_of(&q->b, pins->part[1]));
    if (k->pairs.front == NULL)
        return gz_pair_query_run(&k->pairs, wish);
    wish->placed = wish->listed;
    return gz_front_run(&k->pairs, wish);
}

// Two parts of LOD cuts, where contacts are asked for.
static graze_status ask_lod(const question *q, asker *k, const gz_part_pins *pins)
{
    gz_pair_wish wish = gz_pair_wish_all(pins->tree[0], q->a.pose, pins->tree[1], q->b.pose);
    wish.tolerance = gz_lod_tolerance(q->lod, pins->part);
    wish.one_each = true;
    wish.listed = wish.placed = q->def->collect >= GRAZE_COLLECT_PAIRS;
    set_limits(q, k, &wish);
    graze_status status = run_wish(q, k, pins, &wish);
    uint64_t found = k->pairs.counters.contacts;
    gz_pair_counters_add(&k->counters, &k->pairs.counters);
    k->stopped |= k->pairs.stopped;
    if (status == GRAZE_OK && wish.listed && !keep_lod(q, k, pins))
        status = GRAZE_ERROR_MEMORY;
    return status == GRAZE_OK && found != 0 ? prove(q, k, pins) : status;
}

static graze_status ask_pair(const question *q, asker *k, const gz_part_pins *pins)
{
    k->part_pairs++;
    if (q->lod != NULL)
        return q->def->collect == GRAZE_COLLECT_VERDICT ? ask_lod_verdict(q, k, pins)
                                                        : ask_lod(q, k, pins);
    gz_pair_wish wish = gz_pair_wish_all(pins->tree[0], q->a.pose, pins->tree[1], q->b.pose);
    wish.tolerance = q->def->tolerance;
    wish.listed = q->first_only || q->def->collect >= GRAZE_COLLECT_PAIRS;
    wish.placed = q->first_only || q->def->collect == GRAZE_COLLECT_CONTACTS;
    wish.visitor = q->visitor;
    set_limits(q, k, &wish);
    graze_status status = run_wish(q, k, pins, &wish);
    gz_pair_counters_add(&k->counters, &k->pairs.counters);
    k->stopped |= k->pairs.stopped;
    if (status == GRAZE_OK && !keep_found(q, k))
        status = GRAZE_ERROR_MEMORY;
    return status;
}

// The page of a part, if it can be read ahead: groups have many pages.
static uint32_t page_ahead(const gz_side *side, uint32_t part, gz_page_key *key)
{
    if (side->tree != NULL)
        return 0;
    *key = side->shape->kind->page(side->shape, part);
    return key->kind == GZ_PAGE_CLUSTER;
}

// Tells the cache which pages the next pairs need, if there is nobody else who does. While all
// pages are there, nobody needs to.
static void look_ahead(question *q, uint64_t at)
{
    const gz_part_pair_list *chunk = &q->query->parts->chunk;
    const gz_part_pair *pairs = chunk->items;
    gz_page_key keys[GZ_FETCH_WISHES];
    uint32_t count = 0;
    if (at % LOOK_EACH != 0 || (at != 0 && !atomic_load(&q->loading)) ||
        atomic_exchange(&q->looking, true))
        return;
    atomic_store(&q->loading, false);
    uint64_t end = at + q->sight < chunk->count ? at + q->sight : chunk->count;
    for (uint64_t i = at; i < end; ++i) {
        if (i == at || pairs[i].a != pairs[i - 1].a)
            count += page_ahead(&q->a, pairs[i].a, &keys[count]);
        if (i == at || pairs[i].b != pairs[i - 1].b)
            count += page_ahead(&q->b, pairs[i].b, &keys[count]);
    }
    if (gz_cache_read_ahead(q->query->context->cache, q, keys, count) && q->sight < MOST_AHEAD)
        q->sight *= 2;
    atomic_store(&q->looking, false);
}

static void ask_some(void *data, uint32_t number)
{
    question *q = data;
    asker *k = &q->query->parts->askers[number];
    const gz_part_pair_list *chunk = &q->query->parts->chunk;
    gz_budget *budget = q->query->budget;
    gz_part_pins pins = {.side = {&q->a, &q->b}, .budget = budget};
    gz_fpu_state state = gz_fpu_enter();
    while (!atomic_load(&q->done)) {
        uint64_t i = atomic_fetch_add(&q->next, 1);
        if (i >= chunk->count)
            break;
        if (budget != NULL && gz_budget_is_late(budget))
            break;
        if (budget == NULL)
            look_ahead(q, i);
        uint64_t loads = gz_parts_loads(&pins);
        k->status = gz_parts_pin_pair(&pins, ((const gz_part_pair *)chunk->items)[i]);
        if (gz_parts_loads(&pins) != loads)
            atomic_store(&q->loading, true);
        if (k->status == GRAZE_OK && (pins.tree[0] == NULL || pins.tree[1] == NULL))
            continue;
        if (k->status == GRAZE_OK)
            k->status = ask_pair(q, k, &pins);
        if (budget != NULL)
            budget->late |= k->pairs.late;
        if (k->status != GRAZE_OK || k->stopped)
            atomic_store(&q->done, true);
    }
    gz_fpu_leave(state);
    gz_parts_unpin(&pins);
    k->page_loads += pins.loads;
}

static void note_next(struct gz_parts_scratch *parts, gz_page_key key)
{
    for (uint32_t i = 0; i < parts->next_count; ++i)
        if (parts->next[i].model == key.model && parts->next[i].number == key.number &&
            parts->next[i].step == key.step)
            return;
    if (parts->next_count < MOST_NEXT)
        parts->next[parts->next_count++] = key;
}

// Of cuts by place: which groups would be asked if the error were a little larger or smaller.
static void look_beyond(question *q)
{
    struct gz_parts_scratch *parts = q->query->parts;
    const gz_part_pair *pairs = parts->chunk.items;
    for (int side = 0; side < 2; ++side) {
        const gz_lod_place *place = &q->query->places[side];
        if (q->lod == NULL || q->lod->cut[side] == NULL || place->cut != q->lod->cut[side])
            continue;
        uint32_t before = UINT32_MAX;
        for (uint64_t i = 0; i < parts->chunk.count && parts->next_count < MOST_NEXT; ++i) {
            uint32_t part = side == 0 ? pairs[i].a : pairs[i].b;
            gz_page_key keys[2];
            uint32_t count = part == before ? 0 : gz_lod_place_next(place, part, keys);
            for (uint32_t k = 0; k < count; ++k)
                note_next(parts, keys[k]);
            before = part;
        }
    }
}

// Asks the pairs of the chunk, and empties it.
static graze_status ask_chunk(question *q)
{
    graze_context *context = q->query->context;
    struct gz_parts_scratch *parts = q->query->parts;
    if (!q->def->no_steps && q->query->budget == NULL)
        look_beyond(q);
    atomic_store(&q->next, 0);
    if (q->threads > 1)
        gz_parallel(context, q->threads, ask_some, q);
    else
        ask_some(q, 0);
    parts->chunk.count = 0;
    gz_cache_stop_ahead(q->query->context->cache, q);
    for (uint32_t i = 0; i < q->threads; ++i)
        if (parts->askers[i].status != GRAZE_OK)
            return parts->askers[i].status;
    return gz_checkpoint(context, "asking", "clusters", 0, 0);
}

// Of LOD cuts: whether the boxes of two parts say enough where a verdict is asked for.
static bool settled_by_boxes(question *q, gz_part_node a, gz_part_node b)
{
    if (q->lod == NULL || q->def->collect != GRAZE_COLLECT_VERDICT)
        return false;
    asker *k = &q->query->parts->askers[0];
    gz_middle box_a = gz_parts_box(q->a.shape, a), box_b = gz_parts_box(q->b.shape, b);
    gz_lod_glance seen = gz_lod_look(q->lod, &box_a, q->a.pose, &box_b, q->b.pose,
                                     (const uint32_t[]){a.index, b.index});
    if (seen == GZ_LOD_OPEN)
        return false;
    k->counters.contacts = 1;
    k->proved = seen == GZ_LOD_CONTACT;
    k->stopped = k->proved || !q->lod->may_prove;
    atomic_store(&q->done, k->stopped);
    return k->stopped;
}

// Two parts that may be near each other.
static graze_status ask_later(question *q, gz_part_node a, gz_part_node b)
{
    gz_part_pair_list *chunk = &q->query->parts->chunk;
    if (settled_by_boxes(q, a, b) || gz_parts_leaf_gap(&q->a, a, &q->b, b) > q->def->tolerance)
        return GRAZE_OK;
    ((gz_part_pair *)chunk->items)[chunk->count++] = (gz_part_pair){a.index, b.index};
    return chunk->count == CHUNK ? ask_chunk(q) : GRAZE_OK;
}

static graze_status walk(question *q, gz_part_node a, gz_part_node b)
{
    if (q->query->budget != NULL && ++q->visits % 64 == 0 && gz_budget_is_late(q->query->budget))
        atomic_store(&q->done, true);
    if (atomic_load(&q->done))
        return GRAZE_OK;
    if (a.level == 0 && b.level == 0)
        return ask_later(q, a, b);
    int side = a.level >= b.level ? 0 : 1;
    gz_part_node node = side == 0 ? a : b, other = side == 0 ? b : a;
    gz_part_node below = {node.level - 1, 0};
    graze_status status = GRAZE_OK;
    uint32_t near = gz_parts_near(&q->frames, side, node, other);
    while (near != 0 && status == GRAZE_OK) {
        uint32_t k =
            q->backward ? 31 - (uint32_t)__builtin_clz(near) : (uint32_t)__builtin_ctz(near);
        near &= ~(1u << k);
        below.index = node.index * GZ_PART_WIDE + k;
        status = side == 0 ? walk(q, below, b) : walk(q, a, below);
    }
    return status;
}

static graze_status walk_all(question *q)
{
    gz_part_node a = gz_parts_root(q->a.shape), b = gz_parts_root(q->b.shape);
    gz_middle box_a = gz_parts_box(q->a.shape, a), box_b = gz_parts_box(q->b.shape, b);
    if (gz_boxes_far(&box_a, q->a.pose, &box_b, q->b.pose, q->def->tolerance))
        return GRAZE_OK;
    gz_part_frames_set(&q->frames, &q->a, &q->b, q->def->tolerance);
    return walk(q, a, b);
}

static graze_status join_pairs(question *q, graze_answer *answer)
{
    graze_query *query = q->query;
    struct gz_parts_scratch *parts = query->parts;
    parts->all.count = 0;
    for (uint32_t i = 0; i < q->threads; ++i) {
        const gz_pair_list *found = &parts->askers[i].found;
        graze_pair *to =
            found->count == 0 ? NULL : gz_list_push(query->context, &parts->all, found->count);
        if (found->count != 0 && to == NULL)
            return GRAZE_ERROR_MEMORY;
        if (to != NULL)
            memcpy(to, found->items, (size_t)found->count * sizeof *to);
    }
    if (!gz_list_reserve(query->context, &query->sorted, parts->all.count))
        return GRAZE_ERROR_MEMORY;
    bool swapped = q->lod != NULL && q->lod->swapped;
    const graze_shape *a = swapped ? q->b.shape : q->a.shape;
    const graze_shape *b = swapped ? q->a.shape : q->b.shape;
    answer->pairs = gz_pairs_sort(parts->all.items, query->sorted.items, parts->all.count,
                                  gz_shape_triangle_count(a), gz_shape_triangle_count(b));
    return GRAZE_OK;
}

static graze_status join_contacts(question *q, graze_answer *answer)
{
    graze_query *query = q->query;
    struct gz_parts_scratch *parts = query->parts;
    uint64_t count = 0, at = 0;
    for (uint32_t i = 0; i < q->threads; ++i)
        count += parts->askers[i].contacts.count;
    if (!gz_list_reserve(query->context, &parts->records, count) ||
        !gz_list_reserve(query->context, &parts->contacts, count) ||
        !gz_list_reserve(query->context, &parts->all, count))
        return GRAZE_ERROR_MEMORY;
    record *records = parts->records.items;
    for (uint32_t i = 0; i < q->threads; ++i) {
        const graze_contact *from = parts->askers[i].contacts.items;
        for (uint64_t k = 0; k < parts->askers[i].contacts.count; ++k, ++at) {
            gz_put_number(records[at].pair, from[k].pair.a, 4);
            gz_put_number(records[at].pair + 4, from[k].pair.b, 4);
            gz_put_number(records[at].asker, i, 4);
            gz_put_number(records[at].place, k, 4);
        }
    }
    gz_sort_records(NULL, records, count, sizeof *records, 0,
                    gz_arena_over(parts->contacts.items, count * sizeof(graze_contact)));
    graze_contact *contacts = parts->contacts.items;
    graze_pair *pairs = parts->all.items;
    for (uint64_t i = 0; i < count; ++i) {
        uint64_t asker_number = gz_get_number(records[i].asker, 4);
        const graze_contact *from = parts->askers[asker_number].contacts.items;
        contacts[i] = from[gz_get_number(records[i].place, 4)];
        pairs[i] = contacts[i].pair;
    }
    answer->pairs = pairs;
    answer->contacts = contacts;
    return GRAZE_OK;
}

// The way of this question; the next goes the other one.
static bool turn_around(struct gz_parts_scratch *parts)
{
    parts->backward = !parts->backward;
    return !parts->backward;
}

static void sum_up(const question *q, graze_answer *answer)
{
    gz_pair_counters sum = {0};
    const gz_budget *budget = q->query->budget;
    bool stopped = budget != NULL && (budget->late || budget->missing), proved = q->lod == NULL;
    uint64_t part_pairs = 0, page_loads = 0;
    for (uint32_t i = 0; i < q->threads; ++i) {
        const asker *k = &q->query->parts->askers[i];
        gz_pair_counters_add(&sum, &k->counters);
        stopped |= k->stopped;
        proved |= k->proved;
        part_pairs += k->part_pairs;
        page_loads += k->page_loads;
    }
    if (sum.contacts != 0)
        answer->verdict = proved ? GRAZE_CONTACT : GRAZE_WITHIN_ERROR;
    else
        answer->verdict = stopped ? GRAZE_UNDECIDED : GRAZE_APART;
    if (q->lod != NULL && q->def->collect == GRAZE_COLLECT_VERDICT && sum.contacts != 0) {
        sum.contacts = 1;
        stopped = true; // one is enough
    }
    answer->complete = !stopped;
    answer->pair_count = sum.contacts;
    answer->counters = gz_question_counters(&sum);
    answer->counters.part_pairs = part_pairs;
    answer->counters.page_loads = page_loads;
}

static graze_status answer_all(question *q, graze_answer *answer)
{
    graze_status status = GRAZE_OK;
    if (q->pair_limit == UINT64_MAX && q->work_limit == UINT64_MAX && q->visitor == NULL)
        q->backward = turn_around(q->query->parts);
    if (gz_shape_triangle_count(q->a.shape) != 0 && gz_shape_triangle_count(q->b.shape) != 0) {
        status = walk_all(q);
        if (status == GRAZE_OK && !atomic_load(&q->done))
            status = ask_chunk(q);
    }
    if (status == GRAZE_OK && q->def->collect == GRAZE_COLLECT_PAIRS)
        status = join_pairs(q, answer);
    if (status == GRAZE_OK && q->def->collect == GRAZE_COLLECT_CONTACTS)
        status = join_contacts(q, answer);
    if (status != GRAZE_OK)
        return status;
    sum_up(q, answer);
    if (q->query->parts->next_count != 0) // loaded meanwhile, so that the next question has them
        gz_cache_want(q->query->context->cache, q->query->parts->next, q->query->parts->next_count);
    return GRAZE_OK;
}

static uint64_t serial_of(const gz_side *side)
{
    return side->tree != NULL ? side->tree->serial : side->shape->model->serial;
}

// Fronts are for one thread and for whole answers, as those of trees.
static graze_status begin_fronts(question *q)
{
    bool limited = q->pair_limit != UINT64_MAX || q->work_limit != UINT64_MAX;
    if (q->def->front == NULL || limited || q->threads > 1 || q->query->budget != NULL)
        return GRAZE_OK;
    q->fronts = gz_part_fronts_of(q->def->front, q->query->number);
    if (q->fronts == NULL)
        return GRAZE_ERROR_MEMORY;
    gz_part_fronts_begin(q->query->context, q->fronts, serial_of(&q->a), serial_of(&q->b));
    return GRAZE_OK;
}

static graze_status ask(question *q, graze_posed a, graze_posed b, graze_answer *answer)
{
    graze_status status = gz_side_set(a, &q->a);
    if (status == GRAZE_OK)
        status = gz_side_set(b, &q->b);
    q->sight = LEAST_AHEAD;
    if (status == GRAZE_OK)
        status = begin_fronts(q);
    gz_fpu_state state = gz_fpu_enter();
    if (status == GRAZE_OK)
        status = make_askers(q->query, q->threads) ? answer_all(q, answer) : GRAZE_ERROR_MEMORY;
    gz_fpu_leave(state);
    return status;
}

graze_status gz_parts_collide(graze_query *query, graze_posed a, graze_posed b,
                              const graze_collide_def *def, graze_answer *answer)
{
    return gz_parts_collide_lod(query, a, b, def, NULL, answer);
}

graze_status gz_parts_collide_lod(graze_query *query, graze_posed a, graze_posed b,
                                  const graze_collide_def *def, const gz_lod_question *lod,
                                  graze_answer *answer)
{
    question q = {.query = query,
                  .def = def,
                  .lod = lod,
                  .pair_limit = def->pair_limit == 0 ? UINT64_MAX : def->pair_limit,
                  .work_limit = def->work_limit == 0 ? UINT64_MAX : def->work_limit};
    if (def->collect == GRAZE_COLLECT_VERDICT)
        q.pair_limit = 1;
    bool limited = q.pair_limit != UINT64_MAX || q.work_limit != UINT64_MAX;
    if (query->budget != NULL)
        limited = true;
    q.threads = def->use_threads != 0 && !limited ? query->context->def.thread_count : 1;
    graze_status status = ask(&q, a, b, answer);
    if (status == GRAZE_ERROR_MEMORY)
        return gz_fail(query->context, status, "graze_query_collide: out of memory");
    return status;
}

graze_status gz_parts_find_first(graze_query *query, graze_posed a, graze_posed b,
                                 uint64_t work_limit, gz_first_pair *first, graze_answer *answer)
{
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_COUNT;
    question q = {.query = query,
                  .def = &def,
                  .first_only = true,
                  .pair_limit = UINT64_MAX,
                  .work_limit = work_limit,
                  .threads = 1};
    graze_status status = ask(&q, a, b, answer);
    if (status == GRAZE_OK)
        *first = query->parts->askers[0].first;
    return status;
}

graze_status gz_parts_show(graze_query *query, graze_posed a, graze_posed b, double tolerance,
                           const gz_pair_visitor *visitor, graze_answer *answer)
{
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_COUNT;
    def.tolerance = tolerance;
    question q = {.query = query,
                  .def = &def,
                  .visitor = visitor,
                  .pair_limit = UINT64_MAX,
                  .work_limit = UINT64_MAX,
                  .threads = 1};
    return ask(&q, a, b, answer);
}
