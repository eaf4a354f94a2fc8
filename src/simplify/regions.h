// Regions: the part of a finer mesh that a cluster stands for, so that distances between the two
// can be measured. Each original point belongs to one cluster of every level: it is in the region
// of that cluster, or near it.
//
// A region is made of whole triangles of the finer mesh, and of parts: pieces of triangles that
// clusters share. What is measured against a region is measured against its whole triangles and
// those around it: other triangles of the finer mesh near the cluster, each once, those that parts
// are of among them. So there are no cracks, and what is nearest to the cluster is there.
#ifndef GZ_REGIONS_H
#define GZ_REGIONS_H

#include "simplify/deviation.h"
#include "simplify/welded_mesh.h"

typedef GZ_LIST(float) gz_extra_list;

// Zero is the empty one. Vertices are numbered in the order in which triangles name them first.
typedef struct gz_region {
    gz_point_list positions;
    gz_corner_list corners; // of parts, then of whole triangles, then of those around
    gz_extra_list extras;   // of parts and whole triangles: no point that it stands for is
                            // farther from it
    uint32_t part_count, whole_count;
} gz_region;

void gz_region_free(graze_context *context, gz_region *region);
void gz_region_clear(gz_region *region); // the memory is kept

// What it is made of, and what it is to be measured against. Valid until the region changes.
gz_surface gz_region_own(const gz_region *region);
gz_surface gz_region_target(const gz_region *region);
gz_surface gz_region_around(const gz_region *region); // only what is around it

// All of a mesh is whole triangles. False: out of memory, here and below.
bool gz_region_set(graze_context *context, const gz_welded_mesh *mesh, gz_region *region);

// Joins regions to one.
// @param places  scratch, in which vertices in the same place become one.
bool gz_regions_join(graze_context *context, const gz_region *from, uint32_t count,
                     gz_welded_mesh *places, gz_region *to);

// Deals a region out to owners by the shares of gz_region_own, and the sights of gz_region_own and
// gz_region_around, which are numbered from the end of the former on.
// @param map  scratch.
// @param to   of each owner.
bool gz_regions_deal(graze_context *context, const gz_region *from, const gz_shares *shares,
                     gz_index_list *map, gz_region *to, uint32_t owner_count);

// --- Regions as bytes

// Appends the region to a list of bytes, with positions in this precision, in which they must be
// exact. False when out of memory; the list is as before then.
bool gz_region_pack(graze_context *context, const gz_region *region, graze_precision precision,
                    gz_byte_list *bytes);

// @param region  zero or used before; empty after a failure.
// @return GRAZE_ERROR_FORMAT for bytes that are no region, GRAZE_ERROR_MEMORY; no more memory is
//         taken than a region of so many bytes can need.
graze_status gz_region_unpack(graze_context *context, const uint8_t *bytes, uint64_t byte_count,
                              graze_precision precision, gz_region *region);

#endif
