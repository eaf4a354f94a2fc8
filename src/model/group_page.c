// Collapses as bytes. See group_page.h.
//
// The page: a head of 16 bytes (the number of collapses, the size of the page, the checksum), and
// six sections: the low, middle and high bytes of the vertices that are moved, then of those that
// they are moved onto. High bytes are mostly 0, and neighbours have similar ones.
#include "model/group_page.h"

#include <string.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/context.h"

#define HEAD_BYTES 16u
#define SUM_AT     8u
#define PLANES     6 // sections

static uint64_t page_sum(const uint8_t *bytes, uint64_t byte_count, uint32_t group)
{
    uint64_t sum = gz_checksum(~(uint64_t)group, bytes + HEAD_BYTES, byte_count - HEAD_BYTES);
    return gz_checksum(sum, bytes, SUM_AT);
}

void gz_group_page_seal(uint8_t *bytes, uint64_t byte_count, uint32_t group)
{
    if (byte_count >= HEAD_BYTES)
        gz_put_u64(bytes + SUM_AT, page_sum(bytes, byte_count, group), false);
}

bool gz_group_page_write(gz_section_packer *packer, const gz_collapse *collapses, uint32_t count,
                         gz_byte_list *out)
{
    graze_context *context = packer->context;
    uint64_t start = out->count;
    GZ_ASSERT(count < GZ_GROUP_MOST_VERTICES);
    uint8_t *head = gz_list_push(context, out, HEAD_BYTES);
    uint8_t *plane = gz_allocate(context, count);
    bool made = head != NULL && (plane != NULL || count == 0);
    for (int p = 0; p < PLANES && made; ++p) {
        for (uint32_t i = 0; i < count; ++i) {
            uint32_t vertex = p < 3 ? collapses[i].from : collapses[i].to;
            plane[i] = (uint8_t)(vertex >> 8 * (p % 3));
        }
        made = gz_section_append(packer, out, plane, count);
    }
    gz_release(context, plane, count);
    if (!made)
        return false;
    head = (uint8_t *)out->items + start;
    gz_put_u32(head, count, false);
    gz_put_u32(head + 4, (uint32_t)(out->count - start), false);
    memset(head + SUM_AT, 0, 8);
    return true;
}

// No vertex is moved twice, or onto one that is gone. `gone` is zeroed, a byte a vertex.
static bool are_sound(const gz_collapse *collapses, uint32_t count, uint32_t vertex_count,
                      uint8_t *gone)
{
    for (uint32_t i = 0; i < count; ++i) {
        gz_collapse c = collapses[i];
        if (c.from >= vertex_count || c.to >= vertex_count || c.from == c.to || gone[c.from] ||
            gone[c.to])
            return false;
        gone[c.from] = 1;
    }
    return true;
}

const char *gz_group_page_read(gz_section_unpacker *unpacker, const uint8_t *bytes,
                               uint64_t byte_count, uint32_t group, uint32_t collapse_count,
                               uint32_t vertex_count, gz_collapse_list *collapses)
{
    if (byte_count < HEAD_BYTES || gz_get_u32(bytes + 4, false) != byte_count)
        return "the page has another size than it says";
    if (gz_get_u64(bytes + SUM_AT, false) != page_sum(bytes, byte_count, group))
        return "the page is damaged: its checksum is another one";
    if (gz_get_u32(bytes, false) != collapse_count || collapse_count >= vertex_count)
        return "the page has another number of collapses than the list of groups";
    graze_context *context = unpacker->context;
    uint8_t *plane = gz_allocate(context, vertex_count); // more than collapses
    gz_collapse *added = gz_list_push(context, collapses, collapse_count);
    const char *wrong = plane != NULL && (added != NULL || collapse_count == 0) ? NULL : "";
    gz_section_reader from = {bytes + HEAD_BYTES, bytes + byte_count};
    for (uint32_t i = 0; i < collapse_count && wrong == NULL; ++i)
        added[i] = (gz_collapse){0, 0};
    for (int p = 0; p < PLANES && wrong == NULL; ++p) {
        if (!gz_section_read(unpacker, &from, plane, collapse_count))
            wrong = "the collapses of the page do not unpack";
        for (uint32_t i = 0; i < collapse_count && wrong == NULL; ++i)
            *(p < 3 ? &added[i].from : &added[i].to) |= (uint32_t)plane[i] << 8 * (p % 3);
    }
    if (wrong == NULL && from.next != from.end)
        wrong = "the page has bytes behind its end";
    if (wrong == NULL) {
        memset(plane, 0, vertex_count);
        if (!are_sound(added, collapse_count, vertex_count, plane))
            wrong = "a collapse of the page names a vertex that is not there";
    }
    gz_release(context, plane, vertex_count);
    return wrong;
}
