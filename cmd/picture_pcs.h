// graze picture --pcs: what culling leaves of a frame, in colours.
#ifndef GRAZE_CMD_PICTURE_PCS_H
#define GRAZE_CMD_PICTURE_PCS_H

#include "graze/mesh.h"
#include "raster.h"
#include "session.h"

// The potentially colliding set has a colour for each object; all that was culled is pale.
enum { LAYER_CONTACT, LAYER_LEFT, LAYER_CULLED, PCS_LAYERS };

typedef struct pcs_picture {
    raster layers[PCS_LAYERS];
    uint64_t left_count, contact_count; // the first holds the second
    graze_mesh_losses losses;
} pcs_picture;

// Says what is wrong and returns the exit code; 0 is good. close_pcs ends it either
// way.
int draw_pcs(cmd_session *session, const cmd_arguments *arguments, pcs_picture *picture);
void close_pcs(pcs_picture *picture);

#endif
