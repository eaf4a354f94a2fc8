// Memory for libraries that give blocks back without saying how large they are. Counted and limited
// like all other memory of the context.
#ifndef GZ_FOREIGN_H
#define GZ_FOREIGN_H

#include "graze/base.h"

void *gz_foreign_allocate(graze_context *context, uint64_t bytes); // NULL when refused
void gz_foreign_release(graze_context *context, void *block);      // accepts NULL

#endif
