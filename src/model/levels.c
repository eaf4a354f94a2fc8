// Makes levels of detail. See levels.h.
//
// Some groups at a time are worked on in parallel, and their pages written in order, so that the
// file is the same whatever the number of threads.
#include "model/levels.h"

#include <string.h>

#include "base/context.h"
#include "base/threads.h"
#include "model/group_work.h"

#define GROUP_MOST    16u                     // clusters in a group
#define GROUP_LARGE   64u                     // where smaller groups do not get coarser
#define SLOT_BYTES    (UINT64_C(32) << 20)    // that a group at work takes
#define ENOUGH(count) ((count) - (count) / 7) // a level that is coarser than this was worth it

static graze_status out_of_memory(const gz_levels *l)
{
    return gz_fail(l->context, GRAZE_ERROR_MEMORY, "out of memory for levels of detail");
}

void gz_levels_free(gz_levels *l)
{
    gz_seams_free(&l->seams);
    gz_list_free(l->context, &l->clusters);
    gz_list_free(l->context, &l->offsets);
    gz_list_free(l->context, &l->bounds);
    gz_list_free(l->context, &l->kept);
    gz_spill_free(&l->regions);
    gz_spill_free(&l->next_regions);
    gz_list_free(l->context, &l->levels);
    gz_list_free(l->context, &l->groups);
    gz_list_free(l->context, &l->members);
}

typedef struct making {
    gz_levels *l;
    gz_group_work *slots;
    uint32_t slot_count;
    gz_grouping grouping;
    gz_level_entry level; // whose clusters are grouped
    uint32_t next_group;
    uint64_t done, total; // triangles
} making;

static graze_status make_slots(making *m)
{
    gz_levels *l = m->l;
    uint64_t most = l->memory_bytes / SLOT_BYTES, wanted = 2 * l->context->def.thread_count;
    most = most < wanted ? most : wanted;
    m->slot_count = most < 1 || l->context->def.thread_count == 1 ? 1 : (uint32_t)most;
    m->slots = GZ_NEW_ARRAY(l->context, gz_group_work, m->slot_count);
    if (m->slots == NULL)
        return out_of_memory(l);
    memset(m->slots, 0, m->slot_count * sizeof *m->slots);
    for (uint32_t i = 0; i < m->slot_count; ++i)
        if (!gz_group_work_init(l, &m->slots[i]))
            return out_of_memory(l);
    return GRAZE_OK;
}

static void free_slots(making *m)
{
    for (uint32_t i = 0; m->slots != NULL && i < m->slot_count; ++i)
        gz_group_work_free(&m->slots[i]);
    GZ_FREE_ARRAY(m->l->context, m->slots, m->slot_count);
}

static graze_status group_clusters(making *m, uint32_t most)
{
    gz_levels *l = m->l;
    const gz_cluster_entry *clusters = l->clusters.items;
    uint32_t count = m->level.cluster_count;
    float(*center)[3] = gz_allocate_array(l->context, count, sizeof *center);
    if (center == NULL)
        return out_of_memory(l);
    for (uint32_t i = 0; i < count; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            const gz_cluster_entry *entry = &clusters[m->level.first_cluster + i];
            float middle = 0.5f * entry->low[axis] + 0.5f * entry->high[axis];
            center[i][axis] = middle == middle ? middle : 0; // boxes may be infinite
        }
    bool made = gz_grouping_make(l->context, (const float(*)[3])center, count,
                                 (uint32_t)l->levels.count, most, &m->grouping);
    gz_release(l->context, center, count * sizeof *center);
    return made ? GRAZE_OK : out_of_memory(l);
}

static void work_on_group(void *data, uint32_t index)
{
    making *m = data;
    if (m->slots[index].member_count != 0)
        gz_group_work_run(&m->slots[index]);
}

// What a group became goes into the file and the lists.
static graze_status keep_group(gz_levels *l, gz_group_work *work)
{
    uint32_t group = (uint32_t)l->groups.count, first = (uint32_t)l->clusters.count;
    uint32_t count = (uint32_t)work->entries.count;
    GZ_ASSERT(count != 0 && work->region.kept.count == count);
    GZ_ASSERT(work->member_count != 0 && work->member_count <= GZ_GROUP_MEMBERS);
    GZ_ASSERT(work->entry.step_count != 0 && work->entry.step_count <= GZ_GROUP_STEPS);
    gz_group_entry *entry = gz_list_push(l->context, &l->groups, 1);
    gz_cluster_entry *clusters = gz_list_push(l->context, &l->clusters, count);
    uint64_t *offsets = gz_list_push(l->context, &l->offsets, count);
    gz_bounds *bounds = gz_list_push(l->context, &l->bounds, count);
    gz_kept_region *kept = gz_list_push(l->context, &l->kept, count);
    uint32_t *members = gz_list_push(l->context, &l->members, work->member_count);
    if (entry == NULL || clusters == NULL || offsets == NULL || bounds == NULL || kept == NULL ||
        members == NULL)
        return out_of_memory(l);
    *entry = work->entry;
    entry->first_member = (uint32_t)(l->members.count - work->member_count);
    entry->first_cluster = first;
    memcpy(members, work->members, work->member_count * sizeof *members);
    memcpy(clusters, work->entries.items, count * sizeof *clusters);
    const gz_group_step *last = &entry->steps[entry->step_count - 1];
    uint8_t *page = work->pages.items;
    uint64_t offset = gz_output_tell(l->output) + entry->byte_count;
    gz_group_page_seal(page, entry->byte_count, group);
    page += entry->byte_count;
    for (uint32_t i = 0; i < count; ++i) {
        gz_page_seal(page, clusters[i].byte_count, first + i);
        page += clusters[i].byte_count;
        offsets[i] = offset;
        offset += clusters[i].byte_count;
        bounds[i] = (gz_bounds){last->forward, last->backward};
        kept[i] = ((const gz_kept_region *)work->region.kept.items)[i];
        kept[i].offset += l->next_regions.byte_count;
    }
    GZ_ASSERT(page == (const uint8_t *)work->pages.items + work->pages.count);
    graze_status status = gz_output_write(l->output, work->pages.items, work->pages.count);
    if (status == GRAZE_OK && work->region.bytes.count != 0)
        status =
            gz_spill_append(&l->next_regions, work->region.bytes.items, work->region.bytes.count);
    return status == GRAZE_OK ? gz_seams_add(&l->seams, &work->rims, first) : status;
}

// Original clusters stand for themselves.
static graze_status begin_stands(gz_levels *l)
{
    gz_kept_region *kept = gz_list_push(l->context, &l->kept, l->clusters.count);
    if (kept == NULL && l->clusters.count != 0)
        return out_of_memory(l);
    for (uint64_t i = 0; i < l->clusters.count; ++i)
        kept[i] = (gz_kept_region){0};
    return GRAZE_OK;
}

// The next groups, as many as there are slots.
static graze_status begin_batch(making *m)
{
    graze_status status = gz_output_flush(m->l->output);
    for (uint32_t i = 0; i < m->slot_count && status == GRAZE_OK; ++i) {
        gz_group_work *work = &m->slots[i];
        work->member_count = 0;
        if (m->next_group == m->grouping.group_count)
            continue;
        uint32_t group = m->next_group++, first = m->grouping.first[group];
        work->member_count = m->grouping.first[group + 1] - first;
        GZ_ASSERT(work->member_count <= GZ_GROUP_MEMBERS);
        for (uint32_t k = 0; k < work->member_count; ++k)
            work->members[k] = m->level.first_cluster + m->grouping.member[first + k];
        work->locks.count = 0;
        status = gz_seams_next(&m->l->seams, group, &work->locks);
    }
    return status;
}

static graze_status make_groups(making *m)
{
    graze_status status = GRAZE_OK;
    m->next_group = 0;
    while (m->next_group < m->grouping.group_count && status == GRAZE_OK) {
        status = begin_batch(m);
        if (status == GRAZE_OK)
            gz_parallel(m->l->context, m->slot_count, work_on_group, m);
        for (uint32_t i = 0; i < m->slot_count && status == GRAZE_OK; ++i) {
            gz_group_work *work = &m->slots[i];
            if (work->member_count == 0)
                continue;
            status = work->status == GRAZE_OK ? keep_group(m->l, work) : work->status;
            m->done += work->entry.triangle_count;
        }
        if (status == GRAZE_OK && !m->l->quiet)
            status = gz_checkpoint(m->l->context, "simplifying", "triangles", m->done, m->total);
    }
    return status;
}

// The level that the groups became.
static gz_level_entry next_level(const making *m)
{
    const gz_cluster_entry *clusters = m->l->clusters.items;
    gz_level_entry next = {.first_cluster = m->level.first_cluster + m->level.cluster_count,
                           .first_group = (uint32_t)m->l->groups.count};
    next.cluster_count = (uint32_t)m->l->clusters.count - next.first_cluster;
    for (uint32_t i = 0; i < next.cluster_count; ++i)
        next.triangle_count += clusters[next.first_cluster + i].triangle_count;
    return next;
}

static graze_status make_level(making *m, uint32_t group_most)
{
    gz_levels *l = m->l;
    graze_status status = group_clusters(m, group_most);
    l->next_regions = gz_spill_make(l->context, l->memory_bytes / 8);
    if (status == GRAZE_OK)
        status = gz_seams_assign(&l->seams, &m->grouping, m->level.first_cluster);
    if (status == GRAZE_OK)
        status = make_groups(m);
    m->level.group_count = m->grouping.group_count;
    gz_grouping_free(l->context, &m->grouping);
    gz_spill_free(&l->regions);
    l->regions = l->next_regions;
    l->next_regions = (gz_spill){0};
    return status;
}

static graze_status keep_level(making *m)
{
    gz_level_entry *kept = gz_list_push(m->l->context, &m->l->levels, 1);
    if (kept == NULL)
        return out_of_memory(m->l);
    *kept = m->level;
    return GRAZE_OK;
}

bool gz_levels_are_sound(const gz_levels *l)
{
    uint64_t cluster = 0, group = 0, member = 0, made = 0;
    for (uint64_t i = 0; i < l->levels.count; ++i) {
        const gz_level_entry *level = &l->levels.items[i];
        uint64_t end = (uint64_t)level->first_cluster + level->cluster_count;
        if (level->first_cluster != cluster || level->first_group != group ||
            end > l->clusters.count || (i != 0 && end != made))
            return false;
        made = end;
        for (uint32_t g = 0; g < level->group_count; ++g, ++group) {
            const gz_group_entry *entry = &l->groups.items[group];
            if (group >= l->groups.count || entry->first_member != member ||
                entry->first_cluster != made)
                return false;
            for (uint32_t k = 0; k < entry->member_count; ++k, ++member)
                if (member >= l->members.count || l->members.items[member] < cluster ||
                    l->members.items[member] >= end)
                    return false;
            made += entry->cluster_count;
        }
        cluster = end;
    }
    return made == l->clusters.count && group == l->groups.count && member == l->members.count;
}

graze_status gz_levels_make(gz_levels *l)
{
    making m = {.l = l, .total = 2 * l->triangle_count};
    m.level = (gz_level_entry){.cluster_count = (uint32_t)l->clusters.count,
                               .triangle_count = l->triangle_count};
    bool wanted = !l->only_finest && m.level.cluster_count > 1;
    graze_status status = wanted ? make_slots(&m) : GRAZE_OK;
    if (status == GRAZE_OK && wanted)
        status = begin_stands(l);
    uint32_t group_most = GROUP_MOST;
    while (status == GRAZE_OK && wanted && m.level.cluster_count > 1 && group_most <= GROUP_LARGE &&
           l->levels.count < GZ_LEVELS_MOST - 1) {
        status = make_level(&m, group_most);
        if (status == GRAZE_OK)
            status = keep_level(&m);
        gz_level_entry next = next_level(&m);
        if (next.triangle_count > ENOUGH(m.level.triangle_count))
            group_most *= 2; // borders are in the way: larger groups have fewer
        m.level = next;
    }
    if (status == GRAZE_OK && m.level.cluster_count != 0)
        status = keep_level(&m);
    GZ_VALIDATE(status != GRAZE_OK || gz_levels_are_sound(l));
    free_slots(&m);
    return status;
}
