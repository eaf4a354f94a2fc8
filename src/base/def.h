// Defs as callers hand them over: made by this version, by an older one, or not at all.
#ifndef GZ_DEF_H
#define GZ_DEF_H

#include <string.h>

#include "base/context.h"

// The def to read: the caller's own where it is of this version, else `room`, which holds the
// defaults and receives what an older caller knows of. NULL, with a sentence, where struct_size was
// not set or is of a newer version.
static inline const void *gz_def_known(graze_context *context, const char *who, const void *given,
                                       void *room, uint32_t bytes)
{
    uint32_t size;
    if (given == NULL)
        return room;
    memcpy(&size, given, sizeof size);
    if (size == bytes)
        return given;
    if (size < sizeof size || size > bytes) {
        gz_fail(context, GRAZE_ERROR_ARGUMENT,
                size > bytes
                    ? "%s: the def is of a newer version of graze"
                    : "%s: the def's struct_size is not set: begin with its default function",
                who);
        return NULL;
    }
    memcpy((char *)room + sizeof size, (const char *)given + sizeof size, size - sizeof size);
    return room;
}

#endif
