// The lists of a model: clusters, levels, groups and their members. See model_file.h.
//
// Nothing in a file is believed. What passes here can be followed without another look: numbers are
// of things that are there, every cluster but those of the last level is a member of one group,
// every cluster but those of the finest level came from one, and bounds ascend.
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/checksum.h"
#include "base/context.h"
#include "model/group_page.h"
#include "model/model_file.h"

static uint64_t total_bytes(const gz_model_header *h)
{
    gz_list_sizes sizes = gz_list_sizes_of(h); // each below 2^39
    return sizes.clusters + sizes.levels + sizes.groups + sizes.members;
}

bool gz_lists_fit(const gz_model_header *h) { return total_bytes(h) == h->list_bytes; }

static uint64_t sum_of(const gz_model_header *h, const uint8_t *bytes)
{
    gz_list_sizes sizes = gz_list_sizes_of(h);
    const uint64_t part[] = {sizes.clusters, sizes.levels, sizes.groups, sizes.members};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; ++i) {
        sum = gz_checksum(sum, bytes, part[i]);
        if (part[i] != 0) // there may be no bytes at all
            bytes += part[i];
    }
    return sum;
}

static uint64_t all_clusters(const gz_model_header *h)
{
    return (uint64_t)h->cluster_count + h->coarse_count;
}

static graze_status senseless(const graze_model *model, const void *what, const char *sentence)
{
    uint64_t at = (uint64_t)((const uint8_t *)what - (const uint8_t *)model->clusters);
    return gz_fail(model->context, GRAZE_ERROR_FORMAT, "%s: byte %" PRIu64 ": %s", model->path,
                   model->file.base + model->header.list_offset + at, sentence);
}

static graze_status check_clusters(const graze_model *model)
{
    for (uint64_t i = 0; i < all_clusters(&model->header); ++i) {
        const gz_cluster_entry *entry = &model->clusters[i];
        bool sound = entry->triangle_count != 0 && entry->triangle_count <= GZ_CLUSTER_TRIANGLES &&
                     entry->vertex_count != 0 && entry->vertex_count <= GZ_CLUSTER_VERTICES &&
                     entry->byte_count <= GZ_PAGE_MOST_BYTES;
        for (int axis = 0; axis < 3; ++axis)
            sound &= entry->low[axis] <= entry->high[axis] && entry->low[axis] < HUGE_VALF &&
                     entry->high[axis] > -HUGE_VALF;
        if (!sound)
            return senseless(model, entry, "a cluster in the list makes no sense");
    }
    return GRAZE_OK;
}

// Levels follow each other, and have the triangles of their clusters.
static graze_status check_levels(const graze_model *model)
{
    const gz_model_header *h = &model->header;
    uint64_t cluster = 0, group = 0;
    for (uint32_t i = 0; i < h->level_count; ++i) {
        const gz_level_entry *level = &model->levels[i];
        uint64_t triangles = 0;
        bool last = i == h->level_count - 1;
        if (level->first_cluster != cluster || level->cluster_count == 0 ||
            level->cluster_count > all_clusters(h) - cluster || level->first_group != group ||
            level->group_count > h->group_count - group || (level->group_count == 0) != last ||
            (i == 0 && level->cluster_count != h->cluster_count))
            return senseless(model, level, "a level in the list makes no sense");
        for (uint32_t k = 0; k < level->cluster_count; ++k)
            triangles += model->clusters[cluster + k].triangle_count;
        if (triangles != level->triangle_count || (i == 0 && triangles != h->triangle_count))
            return senseless(model, level, "the list of clusters does not add up");
        cluster += level->cluster_count;
        group += level->group_count;
    }
    if (cluster != all_clusters(h) || group != h->group_count ||
        (h->level_count == 0) != (h->triangle_count == 0))
        return senseless(model, model->levels, "the list of levels does not add up");
    return GRAZE_OK;
}

// The members of a group are of its level, each of one group, and ascend.
static bool check_members(graze_model *model, uint32_t number, const gz_level_entry *level)
{
    const gz_group_entry *group = &model->groups[number];
    const uint32_t *members = model->members + group->first_member;
    uint64_t triangles = 0, vertices = 0;
    for (uint32_t i = 0; i < group->member_count; ++i) {
        uint32_t member = members[i];
        if (member < level->first_cluster ||
            member - level->first_cluster >= level->cluster_count ||
            (i != 0 && member <= members[i - 1]) || model->consumers[member] != UINT32_MAX)
            return false;
        model->consumers[member] = number;
        triangles += model->clusters[member].triangle_count;
        vertices += model->clusters[member].vertex_count;
    }
    return triangles == group->triangle_count && group->vertex_count != 0 &&
           group->vertex_count <= vertices && group->vertex_count <= GZ_GROUP_MOST_VERTICES;
}

// Steps get coarser, and no bound is below that of what the members came from.
static bool check_steps(const graze_model *model, const gz_group_entry *group)
{
    gz_group_step before = {.triangle_count = group->triangle_count};
    if (group->step_count == 0 || group->step_count > GZ_GROUP_STEPS)
        return false;
    for (uint32_t i = 0; i < group->step_count; ++i) {
        gz_group_step step = group->steps[i];
        if (step.collapse_count < before.collapse_count || step.triangle_count == 0 ||
            step.triangle_count > before.triangle_count || !(step.forward >= before.forward) ||
            !(step.backward >= before.backward))
            return false;
        before = step;
    }
    if (before.collapse_count >= group->vertex_count)
        return false;
    for (uint32_t i = 0; i < group->member_count; ++i) {
        uint32_t from = model->producers[model->members[group->first_member + i]];
        if (from == UINT32_MAX)
            continue;
        const gz_group_entry *producer = &model->groups[from];
        gz_group_step last = producer->steps[producer->step_count - 1];
        if (!(group->steps[0].forward >= last.forward) ||
            !(group->steps[0].backward >= last.backward))
            return false;
    }
    return true;
}

// The box is one: numbers, axes of length 1 that are perpendicular to each other, sides that are
// not negative. All to rounding.
static bool check_box(const gz_group_box *box)
{
    bool sound = box->reach >= 0;
    for (int i = 0; i < 3; ++i) {
        sound = sound && isfinite(box->center[i]) && box->half[i] >= 0;
        for (int j = 0; j < 3; ++j) {
            double sum = i == j ? -1 : 0;
            for (int k = 0; k < 3; ++k)
                sum += (double)box->axis[i][k] * (double)box->axis[j][k];
            sound = sound && fabs(sum) < 0x1p-20;
        }
    }
    return sound;
}

// What a group became is of the next level, and has the triangles of its last step.
static bool check_clusters_of(graze_model *model, uint32_t number, uint64_t first)
{
    const gz_group_entry *group = &model->groups[number];
    uint64_t triangles = 0;
    if (group->first_cluster != first || group->cluster_count == 0 ||
        group->cluster_count > all_clusters(&model->header) - first)
        return false;
    for (uint32_t i = 0; i < group->cluster_count; ++i) {
        triangles += model->clusters[first + i].triangle_count;
        model->producers[first + i] = number;
    }
    return triangles == group->steps[group->step_count - 1].triangle_count;
}

static graze_status check_groups(graze_model *model)
{
    const gz_model_header *h = &model->header;
    uint64_t cluster = h->cluster_count, member = 0, number = 0;
    for (uint64_t i = 0; i < all_clusters(h); ++i)
        model->producers[i] = model->consumers[i] = UINT32_MAX;
    for (uint32_t l = 0; l < h->level_count; ++l) {
        const gz_level_entry *level = &model->levels[l];
        uint64_t members_end = member + level->cluster_count;
        for (uint32_t i = 0; i < level->group_count; ++i, ++number) {
            const gz_group_entry *group = &model->groups[number];
            if (group->first_member != member || group->member_count == 0 ||
                group->member_count > h->member_count - member ||
                !check_members(model, (uint32_t)number, level) || !check_steps(model, group) ||
                !check_box(&group->box) || !check_clusters_of(model, (uint32_t)number, cluster))
                return senseless(model, group, "a group in the list makes no sense");
            member += group->member_count;
            cluster += group->cluster_count;
        }
        if (level->group_count != 0 &&
            (member != members_end ||
             cluster != (uint64_t)level[1].first_cluster + level[1].cluster_count))
            return senseless(model, level, "the groups of a level do not add up");
    }
    return member == h->member_count
               ? GRAZE_OK
               : senseless(model, model->groups, "the list of groups does not add up");
}

// Pages stand one behind the other and end where the lists begin.
static graze_status place_pages(graze_model *model)
{
    const gz_model_header *h = &model->header;
    uint64_t offset = sizeof *h;
    for (uint32_t i = 0; i < h->cluster_count; ++i) {
        model->offsets[i] = offset;
        offset += model->clusters[i].byte_count;
    }
    for (uint32_t g = 0; g < h->group_count; ++g) {
        const gz_group_entry *group = &model->groups[g];
        uint32_t collapses = group->steps[group->step_count - 1].collapse_count;
        if (group->byte_count > GZ_GROUP_PAGE_MOST_BYTES(collapses))
            return senseless(model, group, "a group in the list makes no sense");
        model->group_offsets[g] = offset;
        offset += group->byte_count;
        for (uint32_t i = group->first_cluster; i < group->first_cluster + group->cluster_count;
             ++i) {
            model->offsets[i] = offset;
            offset += model->clusters[i].byte_count;
        }
    }
    return offset == h->list_offset
               ? GRAZE_OK
               : senseless(model, model->clusters, "the list of clusters does not add up");
}

uint64_t gz_lists_bytes(const graze_model *model)
{
    const gz_model_header *h = &model->header;
    return h->list_bytes + all_clusters(h) * (sizeof(uint64_t) + 2 * sizeof(uint32_t)) +
           h->group_count * sizeof(uint64_t);
}

void gz_lists_free(graze_model *model)
{
    graze_context *context = model->context;
    const gz_model_header *h = &model->header;
    gz_release(context, model->clusters, h->list_bytes);
    GZ_FREE_ARRAY(context, model->offsets, all_clusters(h));
    GZ_FREE_ARRAY(context, model->group_offsets, h->group_count);
    GZ_FREE_ARRAY(context, model->producers, all_clusters(h));
    GZ_FREE_ARRAY(context, model->consumers, all_clusters(h));
}

static bool take_memory(graze_model *model)
{
    graze_context *context = model->context;
    const gz_model_header *h = &model->header;
    uint64_t count = all_clusters(h);
    gz_list_sizes sizes = gz_list_sizes_of(h);
    uint8_t *block = gz_allocate(context, h->list_bytes);
    model->clusters = (gz_cluster_entry *)block;
    model->offsets = GZ_NEW_ARRAY(context, uint64_t, count);
    model->group_offsets = GZ_NEW_ARRAY(context, uint64_t, h->group_count);
    model->producers = GZ_NEW_ARRAY(context, uint32_t, count);
    model->consumers = GZ_NEW_ARRAY(context, uint32_t, count);
    if (h->list_bytes == 0)
        return true;
    if (block == NULL)
        return false;
    model->levels = (gz_level_entry *)(block + sizes.clusters);
    model->groups = (gz_group_entry *)(block + sizes.clusters + sizes.levels);
    model->members = (uint32_t *)(block + sizes.clusters + sizes.levels + sizes.groups);
    return (count == 0 ||
            (model->offsets != NULL && model->producers != NULL && model->consumers != NULL)) &&
           (h->group_count == 0 || model->group_offsets != NULL);
}

graze_status gz_lists_read(graze_model *model)
{
    const gz_model_header *h = &model->header;
    if (!take_memory(model))
        return gz_fail(model->context, GRAZE_ERROR_MEMORY,
                       "%s: out of memory for %" PRIu64 " clusters", model->path, all_clusters(h));
    graze_status status = GRAZE_OK;
    if (h->list_bytes != 0)
        status = gz_file_read_at(&model->file, h->list_offset, model->clusters, h->list_bytes);
    if (status == GRAZE_OK && h->list_sum != sum_of(h, (const uint8_t *)model->clusters))
        return senseless(model, model->clusters,
                         "the list of clusters is damaged: its checksum is another one");
    if (status == GRAZE_OK)
        status = check_clusters(model);
    if (status == GRAZE_OK)
        status = check_levels(model);
    if (status == GRAZE_OK)
        status = check_groups(model);
    return status == GRAZE_OK ? place_pages(model) : status;
}

// Pages as the lists have them, as far as they are in the file.
static void seal_pages(uint8_t *bytes, uint64_t byte_count, const gz_model_header *h)
{
    gz_list_sizes sizes = gz_list_sizes_of(h);
    const uint8_t *clusters = bytes + h->list_offset,
                  *groups = clusters + sizes.clusters + sizes.levels;
    uint64_t offset = sizeof *h;
    uint32_t next = 0, end = h->cluster_count;
    for (uint32_t g = 0;; ++g) {
        for (; next < end && next < all_clusters(h); ++next) {
            gz_cluster_entry entry;
            memcpy(&entry, clusters + next * sizeof entry, sizeof entry);
            if (entry.byte_count > byte_count - offset)
                return;
            gz_page_seal(bytes + offset, entry.byte_count, next);
            offset += entry.byte_count;
        }
        gz_group_entry group;
        if (g == h->group_count)
            return;
        memcpy(&group, groups + g * sizeof group, sizeof group);
        if (group.byte_count > byte_count - offset)
            return;
        gz_group_page_seal(bytes + offset, group.byte_count, g);
        offset += group.byte_count;
        end = next + group.cluster_count;
    }
}

void gz_model_file_seal(uint8_t *bytes, uint64_t byte_count)
{
    gz_model_header h;
    if (byte_count < sizeof h)
        return;
    memcpy(&h, bytes, sizeof h);
    if (h.list_offset <= byte_count && h.list_bytes <= byte_count - h.list_offset &&
        gz_lists_fit(&h)) {
        seal_pages(bytes, byte_count, &h); // first: a list that is not where it was may be in one
        h.list_sum = sum_of(&h, bytes + h.list_offset);
    }
    if (h.object_offset <= byte_count && h.object_bytes <= byte_count - h.object_offset)
        h.object_sum = gz_checksum(0, bytes + h.object_offset, h.object_bytes);
    h.own = gz_checksum(0, &h, offsetof(gz_model_header, own));
    memcpy(bytes, &h, sizeof h);
}
