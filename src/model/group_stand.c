// Hands on what groups stand for. See group_stand.h.
#include "model/group_stand.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/knobs.h"

// Larger regions are let go, whatever the memory: a build is the same in any.
#define MOST_SIZE      131072u                        // of the regions of a group
#define MOST_KEPT(own) (32768u + 2 * (uint64_t)(own)) // corners and sights of dealing

void gz_group_stand_init(const gz_levels *levels, gz_group_stand *stand)
{
    *stand = (gz_group_stand){.levels = levels};
    stand->places.context = levels->context;
}

void gz_group_stand_free(gz_group_stand *stand)
{
    if (stand->levels == NULL)
        return;
    graze_context *context = stand->levels->context;
    for (uint32_t i = 0; i < stand->region_count; ++i)
        gz_region_free(context, &stand->regions[i]);
    GZ_FREE_ARRAY(context, stand->regions, stand->region_count);
    gz_region_free(context, &stand->region);
    gz_welded_mesh_free(&stand->places);
    gz_list_free(context, &stand->stands);
    gz_list_free(context, &stand->bytes);
    gz_list_free(context, &stand->shares.shares);
    gz_list_free(context, &stand->shares.corners);
    gz_list_free(context, &stand->shares.sights);
    gz_list_free(context, &stand->owner);
    gz_list_free(context, &stand->map);
    gz_list_free(context, &stand->page);
    *stand = (gz_group_stand){0};
}

static graze_status out_of_memory(const gz_group_stand *stand)
{
    return gz_fail(stand->levels->context, GRAZE_ERROR_MEMORY,
                   "out of memory for what a group of clusters stands for");
}

static const gz_stand *stand_of(const gz_group_stand *stand, uint32_t cluster)
{
    return (const gz_stand *)stand->levels->stands.items + cluster;
}

static const gz_bounds *bounds_of(const gz_group_stand *stand, uint32_t cluster)
{
    return (const gz_bounds *)stand->levels->bounds.items + cluster;
}

static bool make_regions(gz_group_stand *stand, uint32_t wanted)
{
    uint32_t before = stand->region_count;
    if (wanted <= before)
        return true;
    gz_region *regions =
        gz_resize_array(stand->levels->context, stand->regions, before, wanted, sizeof *regions);
    if (regions == NULL)
        return false;
    memset(regions + before, 0, (wanted - before) * sizeof *regions);
    stand->regions = regions;
    stand->region_count = wanted;
    return true;
}

// --- Loading

static graze_status unpack(gz_group_stand *stand, const gz_stand *from, gz_region *region)
{
    const gz_levels *l = stand->levels;
    stand->page.count = 0;
    if (!gz_list_reserve(l->context, &stand->page, from->byte_count))
        return out_of_memory(stand);
    graze_status status =
        gz_spill_read(&l->regions, from->offset, stand->page.items, from->byte_count);
    return status == GRAZE_OK ? gz_region_unpack(l->context, stand->page.items, from->byte_count,
                                                 l->precision, region)
                              : status;
}

static graze_status load_regions(gz_group_stand *stand, const uint32_t *members, uint32_t count)
{
    graze_context *context = stand->levels->context;
    if (!make_regions(stand, count))
        return out_of_memory(stand);
    for (uint32_t i = 0; i < count; ++i) {
        graze_status status = unpack(stand, stand_of(stand, members[i]), &stand->regions[i]);
        if (status != GRAZE_OK)
            return status;
    }
    return gz_regions_join(context, stand->regions, count, &stand->places, &stand->region)
               ? GRAZE_OK
               : out_of_memory(stand);
}

// The members stand for themselves.
static graze_status load_members(gz_group_stand *stand, const uint32_t *members, uint32_t count,
                                 const gz_welded_mesh *mesh)
{
    const gz_cluster_entry *entries = stand->levels->clusters.items;
    if (!gz_region_set(stand->levels->context, mesh, &stand->region))
        return out_of_memory(stand);
    float *extra = stand->region.extras.items;
    for (uint32_t i = 0; i < count; ++i) {
        const gz_bounds *bounds = bounds_of(stand, members[i]);
        stand->backward = fmaxf(stand->backward, bounds->backward);
        for (uint32_t t = 0; t < entries[members[i]].triangle_count; ++t)
            *extra++ = bounds->forward;
    }
    return GRAZE_OK;
}

graze_status gz_group_stand_load(gz_group_stand *stand, const uint32_t *members, uint32_t count,
                                 const gz_welded_mesh *mesh)
{
    uint64_t size = 0;
    float backward = 0;
    bool regions = true;
    for (uint32_t i = 0; i < count; ++i) {
        const gz_stand *member = stand_of(stand, members[i]);
        regions = regions && member->byte_count != 0;
        size += member->size;
        backward = fmaxf(backward, member->backward);
    }
    regions = regions && (size <= MOST_SIZE || GZ_KNOB(stand->levels->context, long_regions));
    stand->backward = regions ? backward : 0;
    return regions ? load_regions(stand, members, count)
                   : load_members(stand, members, count, mesh);
}

// --- Handing on

graze_status gz_group_stand_deal(gz_group_stand *stand, gz_deviation_query *query, gz_deal *deal,
                                 const gz_bucket_cut *cut, double *forward)
{
    graze_context *context = stand->levels->context;
    gz_surface own = gz_region_own(&stand->region), around = gz_region_around(&stand->region);
    stand->owner.count = 0;
    uint32_t *owner = gz_list_push(context, &stand->owner, deal->to->triangle_count);
    if (owner == NULL || !make_regions(stand, cut->cluster_count))
        return out_of_memory(stand);
    for (uint32_t c = 0; c < cut->cluster_count; ++c)
        for (uint32_t i = cut->first[c]; i < cut->first[c + 1]; ++i)
            owner[cut->order[0][i]] = c;
    deal->owner = owner;
    deal->precision = stand->levels->precision;
    deal->most =
        GZ_KNOB(stand->levels->context, long_regions) ? UINT64_MAX : MOST_KEPT(own.triangle_count);
    graze_status status = gz_deviation_deal(query, &own, deal, &stand->shares, forward);
    if (status == GRAZE_OK)
        status = gz_deviation_see(query, &around, deal, own.triangle_count, &stand->shares);
    if (status != GRAZE_OK || stand->shares.crowded)
        return status;
    return gz_regions_deal(context, &stand->region, &stand->shares, &stand->map, stand->regions,
                           cut->cluster_count)
               ? GRAZE_OK
               : out_of_memory(stand);
}

graze_status gz_group_stand_keep(gz_group_stand *stand, uint32_t cluster_count)
{
    const gz_levels *l = stand->levels;
    bool themselves = stand->shares.crowded || (GZ_STANDS_FOR_ITSELF(l->levels.count + 1) &&
                                                !GZ_KNOB(l->context, long_regions));
    stand->stands.count = stand->bytes.count = 0;
    gz_stand *stands = gz_list_push(l->context, &stand->stands, cluster_count);
    if (stands == NULL)
        return out_of_memory(stand);
    for (uint32_t c = 0; c < cluster_count; ++c) {
        stands[c] = (gz_stand){.offset = stand->bytes.count};
        if (themselves)
            continue;
        if (!gz_region_pack(l->context, &stand->regions[c], l->precision, &stand->bytes))
            return out_of_memory(stand);
        stands[c].byte_count = (uint32_t)(stand->bytes.count - stands[c].offset);
        stands[c].size =
            (uint32_t)(stand->regions[c].corners.count + stand->regions[c].positions.count);
        stands[c].backward = stand->backward;
    }
    return GRAZE_OK;
}
