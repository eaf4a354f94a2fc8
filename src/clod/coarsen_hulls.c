// Coarser surfaces. See coarsen_hulls.h.
#include "clod/coarsen_hulls.h"

graze_status gz_coarsen_hulls(gz_patches *patches, gz_draft *draft,
                              const graze_contact_detail_def *def, graze_contact_detail *detail)
{
    (void)patches;
    (void)draft;
    (void)def;
    (void)detail;
    return GRAZE_OK;
}
