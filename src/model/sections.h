// Sections: stretches of bytes of one kind, packed one by one, so that each gets a code that suits
// it. A section is its packed size (4 bytes, little-endian) and the packed bytes, or the bytes
// themselves where packing gains nothing; its size when unpacked is known to who reads it.
#ifndef GZ_SECTIONS_H
#define GZ_SECTIONS_H

#include <stdbool.h>

#include "base/memory.h"

// What packs or unpacks. One a thread.
typedef struct gz_section_packer {
    graze_context *context;
    void *zstd;
} gz_section_packer;
typedef struct gz_section_unpacker {
    graze_context *context;
    void *zstd;
} gz_section_unpacker;

// False when out of memory; freeing accepts zero ones.
bool gz_section_packer_init(graze_context *context, gz_section_packer *packer);
void gz_section_packer_free(gz_section_packer *packer);
bool gz_section_unpacker_init(graze_context *context, gz_section_unpacker *unpacker);
void gz_section_unpacker_free(gz_section_unpacker *unpacker);

// Appends a section to a list of bytes. False when out of memory.
bool gz_section_append(gz_section_packer *packer, gz_byte_list *out, const void *bytes,
                       uint64_t byte_count);
// The same without packing.
bool gz_section_append_plain(gz_section_packer *packer, gz_byte_list *out, const void *bytes,
                             uint64_t byte_count);

// Bytes that are still to be read.
typedef struct gz_section_reader {
    const uint8_t *next, *end;
} gz_section_reader;

// False where the section does not unpack to exactly this many bytes.
bool gz_section_read(gz_section_unpacker *unpacker, gz_section_reader *from, void *out,
                     uint64_t byte_count);

#endif
