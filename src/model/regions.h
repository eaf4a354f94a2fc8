// Regions: which part of a fine surface belongs to which part of a coarse one? A coarse mesh is cut
// into clusters, its owners here. The fine surface is dealt out to them, each point to the owner
// that is nearest, so that distances between an owner and its region bound those between the
// surfaces. That it is the nearest one is not certain, for the distances are measured afterwards.
// That nothing of the fine surface is left out is certain.
//
// A region is made of pieces, triangles that share vertices by number: those of the fine surface,
// or parts of them where the border between owners passes. First come its own pieces, then guests:
// pieces of neighbours that touch one of its own. Each piece has an extra: no point that it stands
// for is farther from it. Vertices are numbered in the order in which pieces name them first.
#ifndef GZ_REGIONS_H
#define GZ_REGIONS_H

#include "base/memory.h"
#include "graze/mesh.h"
#include "model/deviation.h"

// Zero is the empty one.
typedef struct gz_region {
    gz_list positions; // double[3]
    gz_list corners;   // uint32_t[3], of own pieces first
    gz_list extras;    // float, one a piece
    uint32_t own_count;
} gz_region;

void gz_region_free(graze_context *context, gz_region *region);
void gz_region_clear(gz_region *region); // of its pieces; the memory is kept

// The pieces with their extras, valid until the region changes.
gz_surface gz_region_own(const gz_region *region);
gz_surface gz_region_all(const gz_region *region); // with guests

// --- Dealing

// Scratch that is used again. One thread each.
typedef struct gz_dealer gz_dealer;

graze_status gz_dealer_create(graze_context *context, gz_dealer **dealer);
void gz_dealer_destroy(gz_dealer *dealer); // accepts NULL

typedef struct gz_deal {
    gz_surface coarse;
    const uint32_t *owner; // of each triangle of the coarse mesh, below owner_count
    uint32_t owner_count;  // an owner may have no triangle
    // The fine surface, in parts: meshes, or the own pieces of regions. Vertices in the same
    // place become one.
    const gz_surface *fine;
    uint32_t fine_count;
    // Of positions that are made where pieces are cut: each is rounded to it, and the extra of such
    // pieces grows by as much.
    graze_precision precision;
} gz_deal;

// Deals the fine surface out. An owner may get nothing, even if it has triangles.
// @param regions  one for each owner, zero or used before; empty after a failure.
// @return GRAZE_ERROR_ARGUMENT for surfaces that are none (as gz_deviation_set_target), an extra
//         below 0, an owner that is none, or a surface without owners; GRAZE_ERROR_MEMORY.
graze_status gz_deal_regions(gz_dealer *dealer, const gz_deal *deal, gz_region *regions);

// What the last deal took, for tests and benches.
typedef struct gz_deal_counts {
    uint64_t pieces, cut; // of the fine surface, and how many of them were cut
    uint64_t searches;    // for the nearest triangle of a point
} gz_deal_counts;

gz_deal_counts gz_deal_counted(const gz_dealer *dealer);

// --- Regions as bytes

// Appends the region to a list of bytes, with positions in this precision, in which they must be
// exact. False when out of memory; the list is as before then.
bool gz_region_pack(graze_context *context, const gz_region *region, graze_precision precision,
                    gz_list *bytes);

// @param region  zero or used before; empty after a failure.
// @return GRAZE_ERROR_FORMAT for bytes that are no region, GRAZE_ERROR_MEMORY; no more memory is
//         taken than a region of so many bytes can need.
graze_status gz_region_unpack(graze_context *context, const uint8_t *bytes, uint64_t byte_count,
                              graze_precision precision, gz_region *region);

#endif
