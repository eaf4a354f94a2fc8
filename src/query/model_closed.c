// Closedness and components of a model, in bounded memory. See closed.h.
//
// Within a cluster, edges are followed as in a tree. Those that an odd number of its triangles has,
// its border, go to a sorter, which brings equal ones together: if their number is odd, too, the
// model is not closed; and they join the components of their clusters. Clusters are read on all
// threads, some at a time, and gathered in their order.
//
// Components of clusters are joined as long as there is room for their numbers; those beyond stay
// components of their own. So there may be more than it takes, but each hangs together, and that is
// all that is said of them. Their points lie in a spill.
#include <string.h>

#include "base/context.h"
#include "base/sort.h"
#include "base/sorter.h"
#include "base/threads.h"
#include "model/page_cache.h"
#include "query/closed.h"
#include "query/edge_set.h"
#include "simplify/union_find.h"

#define SHARE        8 // of the cache's limit
#define LEAST_BYTES  (UINT64_C(256) << 10)
#define SLOT_BYTES   (UINT64_C(4) << 20) // of the cache's limit for each cluster at a time
#define MOST_SLOTS   64u
#define FAN_BITS     6
#define NUMBER_BYTES 4u
#define MOST_KEY     (6 * sizeof(double))
#define STAGE        "following edges"

typedef struct point {
    double at[3];
} point;
_Static_assert(sizeof(point) == GZ_COMPONENT_POINT_BYTES, "as they lie in the spill");

// A cluster at work.
typedef struct slot {
    graze_status status;
    gz_edge_set set;
    gz_list records;       // of its border: an edge, and a component of the cluster
    GZ_LIST(point) points; // of its components
    uint32_t parent[GZ_CLUSTER_TRIANGLES];
} slot;

typedef struct search {
    graze_context *context;
    graze_model *model;
    uint32_t coordinate_bytes, key_bytes, record_bytes;
    slot *slots;
    uint32_t slot_count;
    uint32_t first; // cluster in the first slot
    gz_sorter *sorter;
    gz_spill points;      // of components of clusters
    uint64_t count;       // of them
    gz_index_list parent; // of the first of them
    uint64_t most;        // so many
    uint64_t odd;         // edges
    gz_spill *chosen;     // points, one of each component
} search;

static void read_corner(const gz_cluster *cluster, uint32_t vertex, double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = cluster->precision == GRAZE_FLOAT32 ? (double)cluster->position.narrow[vertex][i]
                                                     : cluster->position.wide[vertex][i];
}

static void put_edge(const search *s, const gz_edge *e, uint32_t component, uint8_t *record)
{
    for (int i = 0; i < 6; ++i, record += s->coordinate_bytes) {
        double wide = e->end[i / 3][i % 3];
        float narrow = (float)wide; // exact where it is used
        if (s->coordinate_bytes == sizeof narrow)
            memcpy(record, &narrow, sizeof narrow);
        else
            memcpy(record, &wide, sizeof wide);
    }
    gz_put_number(record, component, NUMBER_BYTES);
}

static bool follow(const search *s, slot *k, const gz_cluster *cluster)
{
    gz_edge_set_clear(&k->set);
    for (uint32_t t = 0; t < cluster->triangle_count; ++t) {
        double corner[3][3];
        for (int i = 0; i < 3; ++i)
            read_corner(cluster, cluster->corner[t][i], corner[i]);
        k->parent[t] = t;
        if (!gz_edge_set_meet(&k->set, (const double(*)[3])corner, t, k->parent))
            return false;
    }
    uint32_t component[GZ_CLUSTER_TRIANGLES];
    for (uint32_t t = 0; t < cluster->triangle_count; ++t) {
        component[t] = (uint32_t)k->points.count;
        if (k->parent[t] != t)
            continue;
        point *p = gz_list_push(s->context, &k->points, 1);
        if (p == NULL)
            return false;
        read_corner(cluster, cluster->corner[t][0], p->at);
    }
    uint8_t *record = gz_items_push(s->context, &k->records, k->set.count);
    for (uint64_t i = 0; record != NULL && i < k->set.capacity; ++i)
        if (!gz_edge_is_free(&k->set.slots[i])) {
            uint32_t root = gz_union_root(k->parent, k->set.slots[i].owner);
            put_edge(s, &k->set.slots[i], component[root], record);
            record += s->record_bytes;
        }
    return record != NULL || k->set.count == 0;
}

static void take_cluster(void *data, uint32_t index)
{
    const search *s = data;
    slot *k = &s->slots[index];
    gz_cache_reservation *reservation = gz_cache_reserve(s->model->cache);
    k->records.count = k->points.count = 0;
    k->status = GRAZE_ERROR_MEMORY;
    if (reservation == NULL)
        return;
    gz_cluster *cluster = gz_cache_cluster(reservation);
    k->status = gz_cache_read_cluster(reservation, s->model, s->first + index, cluster, NULL);
    if (k->status == GRAZE_OK && !follow(s, k, cluster))
        k->status = GRAZE_ERROR_MEMORY;
    gz_cache_release(reservation);
}

// Components get the next numbers.
static graze_status gather(search *s, slot *k)
{
    uint8_t *record = k->records.items;
    for (uint64_t i = 0; i < k->records.count; ++i, record += s->record_bytes) {
        uint8_t *number = record + s->key_bytes;
        gz_put_number(number, s->count + gz_get_number(number, NUMBER_BYTES), NUMBER_BYTES);
    }
    for (uint64_t i = 0; i < k->points.count && s->parent.count < s->most; ++i) {
        uint32_t *parent = gz_list_push(s->context, &s->parent, 1);
        if (parent == NULL)
            return GRAZE_ERROR_MEMORY;
        *parent = (uint32_t)(s->parent.count - 1);
    }
    s->count += k->points.count;
    graze_status status =
        gz_spill_append(&s->points, k->points.items, k->points.count * sizeof(point));
    return status == GRAZE_OK ? gz_sorter_push(s->sorter, k->records.items, k->records.count)
                              : status;
}

static graze_status read_clusters(search *s)
{
    uint32_t all = s->model->header.cluster_count;
    graze_status status = GRAZE_OK;
    for (s->first = 0; s->first < all && status == GRAZE_OK; s->first += s->slot_count) {
        uint32_t count = all - s->first < s->slot_count ? all - s->first : s->slot_count;
        status = gz_checkpoint(s->context, STAGE, "clusters", s->first, all);
        if (status != GRAZE_OK)
            return status;
        gz_parallel(s->context, count, take_cluster, s);
        for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i) {
            status = s->slots[i].status;
            if (status == GRAZE_OK)
                status = gather(s, &s->slots[i]);
        }
    }
    return status;
}

static void join(search *s, uint64_t one, uint64_t other)
{
    if (one < s->parent.count && other < s->parent.count)
        gz_union_join(s->parent.items, (uint32_t)one, (uint32_t)other);
}

// Equal edges come one after the other.
static graze_status match(search *s)
{
    const uint8_t *record = NULL;
    uint64_t count = 0, times = 0, last_piece = 0;
    uint8_t last[MOST_KEY];
    graze_status status = GRAZE_OK;
    while (status == GRAZE_OK &&
           (status = gz_sorter_next(s->sorter, &record, &count)) == GRAZE_OK && count != 0)
        for (uint64_t i = 0; i < count; ++i, record += s->record_bytes) {
            uint64_t component = gz_get_number(record + s->key_bytes, NUMBER_BYTES);
            if (times != 0 && memcmp(last, record, s->key_bytes) == 0) {
                join(s, last_piece, component);
                times++;
            } else {
                s->odd += times % 2;
                times = 1;
                memcpy(last, record, s->key_bytes);
            }
            last_piece = component;
        }
    s->odd += times % 2;
    return status;
}

// Of each component the first point.
static graze_status choose_points(search *s, uint64_t window_bytes, uint64_t *count)
{
    gz_spill_cursor cursor;
    const uint32_t *parent = s->parent.items;
    uint64_t component = 0;
    *count = 0;
    graze_status status = gz_spill_cursor_open(&s->points, sizeof(point), window_bytes, &cursor);
    while (status == GRAZE_OK && (status = gz_spill_cursor_next(&cursor)) == GRAZE_OK &&
           cursor.record_count != 0)
        for (uint64_t i = 0; i < cursor.record_count && status == GRAZE_OK; ++i, ++component) {
            if (component < s->parent.count && parent[component] != component)
                continue;
            status = gz_spill_append(s->chosen, cursor.records + i * sizeof(point), sizeof(point));
            ++*count;
        }
    gz_spill_cursor_close(&cursor);
    return status;
}

static bool make_slots(search *s, uint64_t limit)
{
    uint64_t most = 2 * (uint64_t)s->context->def.thread_count;
    most = most < limit / SLOT_BYTES ? most : limit / SLOT_BYTES;
    most = most < MOST_SLOTS ? most : MOST_SLOTS;
    s->slot_count = most == 0 ? 1 : (uint32_t)most;
    s->slots = GZ_NEW_ARRAY(s->context, slot, s->slot_count);
    if (s->slots == NULL)
        return false;
    for (uint32_t i = 0; i < s->slot_count; ++i)
        s->slots[i] = (slot){.records = gz_list_of(s->record_bytes)};
    for (uint32_t i = 0; i < s->slot_count; ++i)
        if (!gz_edge_set_make(s->context, &s->slots[i].set))
            return false;
    return true;
}

static void free_slots(search *s)
{
    for (uint32_t i = 0; s->slots != NULL && i < s->slot_count; ++i) {
        gz_edge_set_free(&s->slots[i].set);
        gz_items_free(s->context, &s->slots[i].records);
        gz_list_free(s->context, &s->slots[i].points);
    }
    if (s->slots != NULL)
        GZ_FREE_ARRAY(s->context, s->slots, s->slot_count);
    s->slots = NULL;
}

// Half of the memory is for the sorter, a quarter for numbers of components, the rest for their
// points.
static graze_status run(search *s, uint64_t limit, struct gz_components *made)
{
    uint64_t bytes = limit / SHARE > LEAST_BYTES ? limit / SHARE : LEAST_BYTES;
    gz_sorter_def def = {.record_bytes = s->record_bytes,
                         .fan_bits = FAN_BITS,
                         .memory_bytes = bytes / 2,
                         .stage = STAGE};
    s->most = bytes / 8 / sizeof(uint32_t); // a list is there twice while it grows
    s->points = gz_spill_make(s->context, bytes / 16);
    made->points = gz_spill_make(s->context, bytes / 16);
    s->chosen = &made->points;
    graze_status status = make_slots(s, limit) ? GRAZE_OK : GRAZE_ERROR_MEMORY;
    if (status == GRAZE_OK)
        status = gz_sorter_open(s->context, &def, &s->sorter);
    if (status == GRAZE_OK)
        status = read_clusters(s);
    free_slots(s);
    if (status == GRAZE_OK)
        status = match(s);
    if (status == GRAZE_OK)
        status = choose_points(s, bytes / 16, &made->count);
    made->closed = s->odd == 0;
    gz_sorter_close(s->sorter);
    gz_spill_free(&s->points);
    gz_list_free(s->context, &s->parent);
    return status;
}

graze_status gz_model_components(const graze_shape *shape, struct gz_components **made)
{
    return gz_model_components_in(shape, gz_cache_limit(shape->model->cache), made);
}

graze_status gz_model_components_in(const graze_shape *shape, uint64_t cache_bytes,
                                    struct gz_components **made)
{
    search s = {.context = shape->context, .model = shape->model};
    s.coordinate_bytes =
        (uint32_t)(shape->tree.precision == GRAZE_FLOAT32 ? sizeof(float) : sizeof(double));
    s.key_bytes = 6 * s.coordinate_bytes;
    s.record_bytes = s.key_bytes + NUMBER_BYTES;
    *made = gz_allocate(shape->context, sizeof **made);
    graze_status status = *made == NULL ? GRAZE_ERROR_MEMORY : GRAZE_OK;
    if (status == GRAZE_OK) {
        **made = (struct gz_components){0};
        status = run(&s, cache_bytes, *made);
    }
    if (status != GRAZE_OK && *made != NULL) {
        gz_spill_free(&(*made)->points);
        gz_release(shape->context, *made, sizeof **made);
        *made = NULL;
    }
    if (status == GRAZE_ERROR_MEMORY)
        return gz_fail(shape->context, status, "out of memory for the edges of a model");
    return status;
}
