// Finds what groups share. See seams.h.
#include "model/seams.h"

#include <string.h>

#include "base/context.h"
#include "base/sort.h"
#include "model/group_mesh.h"

#define NUMBER_BYTES 4u
#define MOST_SHARED  64u // groups of one position that are told apart at a time

static uint32_t position_bytes(graze_precision precision) { return 3 * (uint32_t)precision; }
static uint32_t record_bytes(graze_precision precision)
{
    return position_bytes(precision) + NUMBER_BYTES;
}

void gz_seams_init(graze_context *context, graze_precision precision, uint64_t memory_bytes,
                   gz_seams *seams)
{
    uint64_t least = gz_sorter_least_memory(record_bytes(precision), 0);
    *seams = (gz_seams){.context = context,
                        .precision = precision,
                        .memory_bytes = memory_bytes < least ? least : memory_bytes};
}

void gz_seams_free(gz_seams *seams)
{
    gz_sorter_close(seams->rims);
    gz_sorter_close(seams->locks);
    *seams = (gz_seams){0};
}

// Marks the vertices of edges that an odd number of triangles has. Degenerate triangles have each
// edge twice, or none.
static void mark_rim(const gz_cluster *cluster, uint8_t rim[GZ_CLUSTER_VERTICES])
{
    uint8_t keys[3 * GZ_CLUSTER_TRIANGLES][8], spare[3 * GZ_CLUSTER_TRIANGLES][8];
    uint32_t count = 0;
    for (uint32_t i = 0; i < cluster->triangle_count; ++i)
        for (int c = 0; c < 3; ++c) {
            uint32_t a = cluster->corner[i][c], b = cluster->corner[i][(c + 1) % 3];
            if (a != b)
                gz_put_number(keys[count++], a < b ? a << 16 | b : b << 16 | a, 8);
        }
    gz_sort_records(NULL, keys, count, 8, 4, gz_arena_over(spare, sizeof spare));
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && memcmp(keys[i], keys[end], 8) == 0; ++end)
            continue;
        if ((end - i) % 2 == 1) {
            rim[gz_get_number(keys[i] + 4, 2)] = 1;
            rim[gz_get_number(keys[i] + 6, 2)] = 1;
        }
    }
}

bool gz_seams_find(graze_context *context, const gz_cluster *cluster, uint32_t number,
                   gz_byte_list *records)
{
    uint8_t rim[GZ_CLUSTER_VERTICES];
    GZ_ASSERT(cluster->vertex_count <= GZ_CLUSTER_VERTICES);
    memset(rim, 0, cluster->vertex_count);
    mark_rim(cluster, rim);
    for (uint32_t v = 0; v < cluster->vertex_count; ++v) {
        if (rim[v] == 0)
            continue;
        double position[3];
        uint8_t *record = gz_list_push(context, records, record_bytes(cluster->precision));
        if (record == NULL)
            return false;
        gz_group_position(cluster, v, position);
        for (int axis = 0; axis < 3; ++axis, record += cluster->precision) {
            float narrow = (float)position[axis]; // exact where it is used
            if (cluster->precision == GRAZE_FLOAT32)
                memcpy(record, &narrow, sizeof narrow);
            else
                memcpy(record, &position[axis], sizeof position[axis]);
        }
        gz_put_number(record, number, NUMBER_BYTES);
    }
    return true;
}

static graze_status open_sorter(const gz_seams *seams, gz_sorter **sorter)
{
    gz_sorter_def def = {.record_bytes = record_bytes(seams->precision),
                         .memory_bytes = seams->memory_bytes};
    return *sorter != NULL ? GRAZE_OK : gz_sorter_open(seams->context, &def, sorter);
}

graze_status gz_seams_add(gz_seams *seams, gz_byte_list *records, uint32_t first)
{
    graze_status status = open_sorter(seams, &seams->rims);
    uint32_t bytes = record_bytes(seams->precision);
    GZ_ASSERT(records->count % bytes == 0);
    for (uint64_t i = 0; i < records->count; i += bytes) {
        uint8_t *at = (uint8_t *)records->items + i + position_bytes(seams->precision);
        gz_put_number(at, first + gz_get_number(at, NUMBER_BYTES), NUMBER_BYTES);
    }
    if (status == GRAZE_OK && records->count != 0)
        status = gz_sorter_push(seams->rims, records->items, records->count / bytes);
    return status;
}

// What is known of the position at hand.
typedef struct dealing {
    gz_seams *seams;
    const uint32_t *group_of; // each cluster
    uint32_t first;           // cluster of the level
    uint32_t cluster_count;   // of it
    uint8_t position[24];
    uint32_t groups[MOST_SHARED], group_count;
    bool any;
} dealing;

static graze_status push_shared(dealing *d)
{
    uint8_t records[MOST_SHARED][24 + NUMBER_BYTES], *next = records[0];
    if (d->group_count < 2)
        return GRAZE_OK;
    for (uint32_t i = 0; i < d->group_count; ++i, next += record_bytes(d->seams->precision)) {
        gz_put_number(next, d->groups[i], NUMBER_BYTES);
        memcpy(next + NUMBER_BYTES, d->position, position_bytes(d->seams->precision));
    }
    return gz_sorter_push(d->seams->locks, records, d->group_count);
}

static graze_status deal_record(dealing *d, const uint8_t *record)
{
    uint32_t bytes = position_bytes(d->seams->precision);
    graze_status status = GRAZE_OK;
    if (!d->any || memcmp(d->position, record, bytes) != 0) {
        status = push_shared(d);
        memcpy(d->position, record, bytes);
        d->group_count = 0;
        d->any = true;
    }
    uint64_t cluster = gz_get_number(record + bytes, NUMBER_BYTES);
    GZ_ASSERT(cluster >= d->first && cluster - d->first < d->cluster_count);
    uint32_t group = d->group_of[cluster - d->first];
    for (uint32_t i = 0; i < d->group_count; ++i)
        if (d->groups[i] == group)
            return status;
    if (d->group_count == MOST_SHARED && status == GRAZE_OK) { // it has company: say so, go on
        status = push_shared(d);
        d->groups[0] = d->groups[MOST_SHARED - 1]; // and one stays, so that the next has company
        d->group_count = 1;
    }
    GZ_ASSERT(d->group_count < MOST_SHARED);
    d->groups[d->group_count++] = group;
    return status;
}

static graze_status deal_all(gz_seams *seams, const uint32_t *group_of, uint32_t first,
                             uint32_t cluster_count)
{
    dealing d = {
        .seams = seams, .group_of = group_of, .first = first, .cluster_count = cluster_count};
    const uint8_t *records = NULL;
    uint64_t count = 0;
    graze_status status = GRAZE_OK;
    while (status == GRAZE_OK &&
           (status = gz_sorter_next(seams->rims, &records, &count)) == GRAZE_OK && count != 0)
        for (uint64_t i = 0; i < count && status == GRAZE_OK; ++i)
            status = deal_record(&d, records + i * record_bytes(seams->precision));
    return status == GRAZE_OK ? push_shared(&d) : status;
}

graze_status gz_seams_assign(gz_seams *seams, const gz_grouping *grouping, uint32_t first)
{
    gz_sorter_close(seams->locks);
    seams->locks = NULL;
    seams->left = 0;
    if (grouping->cluster_count == 0)
        return GRAZE_OK;
    uint32_t *group_of = GZ_NEW_ARRAY(seams->context, uint32_t, grouping->cluster_count);
    if (group_of == NULL)
        return gz_fail(seams->context, GRAZE_ERROR_MEMORY, "out of memory for groups of clusters");
    for (uint32_t g = 0; g < grouping->group_count; ++g)
        for (uint32_t i = grouping->first[g]; i < grouping->first[g + 1]; ++i) {
            GZ_ASSERT(grouping->member[i] < grouping->cluster_count);
            group_of[grouping->member[i]] = g;
        }
    graze_status status = open_sorter(seams, &seams->locks);
    if (status == GRAZE_OK)
        status = open_sorter(seams, &seams->rims);
    if (status == GRAZE_OK)
        status = deal_all(seams, group_of, first, grouping->cluster_count);
    GZ_FREE_ARRAY(seams->context, group_of, grouping->cluster_count);
    gz_sorter_close(seams->rims);
    seams->rims = NULL;
    return status;
}

graze_status gz_seams_next(gz_seams *seams, uint32_t group, gz_point_list *positions)
{
    uint32_t bytes = record_bytes(seams->precision);
    for (;;) {
        if (seams->left == 0) {
            graze_status status = gz_sorter_next(seams->locks, &seams->next, &seams->left);
            if (status != GRAZE_OK || seams->left == 0)
                return status;
        }
        if (gz_get_number(seams->next, NUMBER_BYTES) > group)
            return GRAZE_OK;
        GZ_ASSERT(gz_get_number(seams->next, NUMBER_BYTES) == group); // none was left behind
        double(*added)[3] = gz_list_push(seams->context, positions, 1);
        if (added == NULL)
            return gz_fail(seams->context, GRAZE_ERROR_MEMORY,
                           "out of memory for what groups of clusters share");
        const uint8_t *from = seams->next + NUMBER_BYTES;
        for (int axis = 0; axis < 3; ++axis, from += seams->precision) {
            float narrow;
            if (seams->precision == GRAZE_FLOAT32) {
                memcpy(&narrow, from, sizeof narrow);
                (*added)[axis] = (double)narrow;
            } else {
                memcpy(&(*added)[axis], from, sizeof **added);
            }
        }
        seams->next += bytes;
        seams->left--;
    }
}
