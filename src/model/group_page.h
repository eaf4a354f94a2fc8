// The page of a group in a file: its collapses, in the order in which they are done. They name the
// vertices of the mesh of the group's clusters, see group_mesh.h.
#ifndef GZ_GROUP_PAGE_H
#define GZ_GROUP_PAGE_H

#include "model/sections.h"
#include "simplify/simplify.h"

#define GZ_GROUP_MOST_VERTICES (UINT32_C(1) << 24)
// No page of so many collapses is larger: its head, six bytes a collapse, and six sizes.
#define GZ_GROUP_PAGE_MOST_BYTES(collapses) (16u + 6 * (uint64_t)(collapses) + 6 * 4)

// Appends the page. False when out of memory; the caller seals it when its number is known.
bool gz_group_page_write(gz_section_packer *packer, const gz_collapse *collapses, uint32_t count,
                         gz_byte_list *out);
// Gives a page the checksum that belongs to it.
void gz_group_page_seal(uint8_t *bytes, uint64_t byte_count, uint32_t group);

// What is wrong with a page, in words, "" when out of memory; NULL if nothing is. Appends the
// collapses; each moves a vertex below vertex_count, that was not moved before, onto another one
// that was not.
const char *gz_group_page_read(gz_section_unpacker *unpacker, const uint8_t *bytes,
                               uint64_t byte_count, uint32_t group, uint32_t collapse_count,
                               uint32_t vertex_count, gz_collapse_list *collapses);

#endif
