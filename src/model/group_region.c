// Hands on what groups stand for. See group_region.h.
#include "model/group_region.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/knobs.h"

// Larger regions are let go, whatever the memory: a build is the same in any.
#define MOST_SIZE      131072u                        // of the regions of a group
#define MOST_KEPT(own) (32768u + 2 * (uint64_t)(own)) // corners and sights of dealing

void gz_group_region_init(const gz_levels *levels, gz_group_region *group)
{
    *group = (gz_group_region){.levels = levels};
    group->places.context = levels->context;
}

void gz_group_region_free(gz_group_region *group)
{
    if (group->levels == NULL)
        return;
    graze_context *context = group->levels->context;
    for (uint32_t i = 0; i < group->region_count; ++i)
        gz_region_free(context, &group->regions[i]);
    GZ_FREE_ARRAY(context, group->regions, group->region_count);
    gz_region_free(context, &group->region);
    gz_welded_mesh_free(&group->places);
    gz_list_free(context, &group->kept);
    gz_list_free(context, &group->bytes);
    gz_list_free(context, &group->shares.shares);
    gz_list_free(context, &group->shares.corners);
    gz_list_free(context, &group->shares.sights);
    gz_list_free(context, &group->owner);
    gz_list_free(context, &group->map);
    gz_list_free(context, &group->page);
    *group = (gz_group_region){0};
}

static graze_status out_of_memory(const gz_group_region *group)
{
    return gz_fail(group->levels->context, GRAZE_ERROR_MEMORY,
                   "out of memory for what a group of clusters stands for");
}

static const gz_kept_region *kept_of(const gz_group_region *group, uint32_t cluster)
{
    return (const gz_kept_region *)group->levels->kept.items + cluster;
}

static const gz_bounds *bounds_of(const gz_group_region *group, uint32_t cluster)
{
    return (const gz_bounds *)group->levels->bounds.items + cluster;
}

static bool make_regions(gz_group_region *group, uint32_t wanted)
{
    uint32_t before = group->region_count;
    if (wanted <= before)
        return true;
    gz_region *regions =
        gz_resize_array(group->levels->context, group->regions, before, wanted, sizeof *regions);
    if (regions == NULL)
        return false;
    memset(regions + before, 0, (wanted - before) * sizeof *regions);
    group->regions = regions;
    group->region_count = wanted;
    return true;
}

// --- Loading

static graze_status unpack(gz_group_region *group, const gz_kept_region *from, gz_region *region)
{
    const gz_levels *l = group->levels;
    group->page.count = 0;
    if (!gz_list_reserve(l->context, &group->page, from->byte_count))
        return out_of_memory(group);
    graze_status status =
        gz_spill_read(&l->regions, from->offset, group->page.items, from->byte_count);
    return status == GRAZE_OK ? gz_region_unpack(l->context, group->page.items, from->byte_count,
                                                 l->precision, region)
                              : status;
}

static graze_status load_regions(gz_group_region *group, const uint32_t *members, uint32_t count)
{
    graze_context *context = group->levels->context;
    if (!make_regions(group, count))
        return out_of_memory(group);
    for (uint32_t i = 0; i < count; ++i) {
        graze_status status = unpack(group, kept_of(group, members[i]), &group->regions[i]);
        if (status != GRAZE_OK)
            return status;
    }
    return gz_regions_join(context, group->regions, count, &group->places, &group->region)
               ? GRAZE_OK
               : out_of_memory(group);
}

// The members stand for themselves.
static graze_status load_members(gz_group_region *group, const uint32_t *members, uint32_t count,
                                 const gz_welded_mesh *mesh, const float *extra)
{
    if (!gz_region_set(group->levels->context, mesh, &group->region))
        return out_of_memory(group);
    for (uint32_t i = 0; i < count; ++i)
        group->backward = fmaxf(group->backward, bounds_of(group, members[i])->backward);
    if (mesh->corners.count != 0)
        memcpy(group->region.extras.items, extra, (size_t)mesh->corners.count * sizeof *extra);
    return GRAZE_OK;
}

graze_status gz_group_region_load(gz_group_region *group, const uint32_t *members, uint32_t count,
                                  const gz_welded_mesh *mesh, const float *extra)
{
    uint64_t size = 0;
    float backward = 0;
    bool regions = true;
    for (uint32_t i = 0; i < count; ++i) {
        const gz_kept_region *member = kept_of(group, members[i]);
        regions = regions && member->byte_count != 0;
        size += member->size;
        backward = fmaxf(backward, member->backward);
    }
    regions = regions && (size <= MOST_SIZE || GZ_KNOB(group->levels->context, long_regions));
    group->backward = regions ? backward : 0;
    return regions ? load_regions(group, members, count)
                   : load_members(group, members, count, mesh, extra);
}

// --- Handing on

graze_status gz_group_region_deal(gz_group_region *group, gz_deviation_query *query, gz_deal *deal,
                                  const gz_bucket_cut *cut, double *forward)
{
    graze_context *context = group->levels->context;
    gz_surface own = gz_region_own(&group->region), around = gz_region_around(&group->region);
    group->owner.count = 0;
    uint32_t *owner = gz_list_push(context, &group->owner, deal->to->triangle_count);
    if (owner == NULL || !make_regions(group, cut->cluster_count))
        return out_of_memory(group);
    for (uint32_t c = 0; c < cut->cluster_count; ++c)
        for (uint32_t i = cut->first[c]; i < cut->first[c + 1]; ++i)
            owner[cut->order[0][i]] = c;
    deal->owner = owner;
    deal->precision = group->levels->precision;
    deal->most =
        GZ_KNOB(group->levels->context, long_regions) ? UINT64_MAX : MOST_KEPT(own.triangle_count);
    graze_status status = gz_deviation_deal(query, &own, deal, &group->shares, forward);
    if (status == GRAZE_OK)
        status = gz_deviation_see(query, &around, deal, own.triangle_count, &group->shares);
    if (status != GRAZE_OK || group->shares.crowded)
        return status;
    return gz_regions_deal(context, &group->region, &group->shares, &group->map, group->regions,
                           cut->cluster_count)
               ? GRAZE_OK
               : out_of_memory(group);
}

graze_status gz_group_region_keep(gz_group_region *group, uint32_t cluster_count)
{
    const gz_levels *l = group->levels;
    bool themselves = group->shares.crowded || (GZ_STANDS_FOR_ITSELF(l->levels.count + 1) &&
                                                !GZ_KNOB(l->context, long_regions));
    group->kept.count = group->bytes.count = 0;
    gz_kept_region *kept = gz_list_push(l->context, &group->kept, cluster_count);
    if (kept == NULL)
        return out_of_memory(group);
    for (uint32_t c = 0; c < cluster_count; ++c) {
        kept[c] = (gz_kept_region){.offset = group->bytes.count};
        if (themselves)
            continue;
        if (!gz_region_pack(l->context, &group->regions[c], l->precision, &group->bytes))
            return out_of_memory(group);
        kept[c].byte_count = (uint32_t)(group->bytes.count - kept[c].offset);
        kept[c].size =
            (uint32_t)(group->regions[c].corners.count + group->regions[c].positions.count);
        kept[c].backward = group->backward;
    }
    return GRAZE_OK;
}
