// Contact details in files: docs/format.md has the bytes.
#ifndef GZ_DETAIL_FILE_H
#define GZ_DETAIL_FILE_H

#include "clod/detail.h"

#define GZ_DETAIL_VERSION 1 // of the format; docs/format.md

// graze_contact_detail_load from bytes in memory, called `name` in messages.
graze_status gz_detail_load_memory(graze_context *context, const char *name, const void *bytes,
                                   uint64_t byte_count, graze_contact_detail **detail);

// For tests: gives a changed file the checksums that belong to it.
void gz_detail_file_seal(uint8_t *bytes, uint64_t byte_count);

#endif
