// Coarser and coarser surfaces of convex patches: the loop of section 4.2 of the paper.
#ifndef GZ_COARSEN_HULLS_H
#define GZ_COARSEN_HULLS_H

#include "clod/detail_draft.h"

// Collapses edges and joins patches as long as that goes, and makes the nodes of a level whenever
// the number of patches has halved. At the end each patch has one node, of the last level.
graze_status gz_coarsen_hulls(gz_patches *patches, gz_draft *draft,
                              const graze_contact_detail_def *def, graze_contact_detail *detail);

#endif
