// Clusters and their pages. See cluster.h.
//
// The page. Numbers are stored as differences. Corners say how many vertices ago their vertex was
// new, and 0 where it is new. Coordinates are taken as integers that ascend with them, and stored
// as differences to a vertex of the same triangle, one section for each byte of significance: high
// bytes are mostly 0, low ones are noise, and each packs as well as it can. Leaves of the tree are
// stored as differences too: triangles with numbers side by side mostly share one.
#include "model/cluster.h"

#include <string.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/context.h"
#include "model/soup.h"

#define HEAD_BYTES 24u
#define SUM_AT     16u   // where the checksum is, of all that is before and behind it
#define HASH_SLOTS 8192u // a power of two, more than twice as many as vertices

_Static_assert(HASH_SLOTS > 2 * GZ_CLUSTER_VERTICES, "hashing needs free slots");

static uint32_t number_of(const uint8_t *record)
{
    return gz_get_u32(record + GZ_SOUP_CURVE_BYTES, true);
}

// Sorts records by number, byte by byte from the lowest; bytes that all have in common, as the high
// ones mostly are, cost nothing.
static void sort_by_number(const uint8_t **records, uint32_t count)
{
    const uint8_t *spare[GZ_CLUSTER_TRIANGLES];
    uint32_t all = 0;
    for (uint32_t i = 1; i < count; ++i)
        all |= number_of(records[i]) ^ number_of(records[0]);
    for (uint32_t shift = 0; shift < 32; shift += 8) {
        uint32_t place[256] = {0};
        if ((all >> shift & 255) == 0)
            continue;
        for (uint32_t i = 0; i < count; ++i)
            place[number_of(records[i]) >> shift & 255]++;
        for (uint32_t i = 0, sum = 0; i < 256; ++i) {
            uint32_t next = sum + place[i];
            place[i] = sum;
            sum = next;
        }
        for (uint32_t i = 0; i < count; ++i)
            spare[place[number_of(records[i]) >> shift & 255]++] = records[i];
        memcpy(records, spare, count * sizeof *records);
    }
}

static uint8_t *vertex_at(gz_cluster *cluster, uint32_t vertex)
{
    return (uint8_t *)&cluster->position + (uint64_t)vertex * 3 * (uint64_t)cluster->precision;
}

// The number of the vertex with these bits, a new one where there is none.
static uint16_t find_vertex(gz_cluster *cluster, uint16_t slots[HASH_SLOTS], const uint8_t *bits)
{
    uint32_t bytes = 3 * (uint32_t)cluster->precision;
    uint64_t at = gz_checksum(0, bits, bytes);
    for (;; ++at) {
        uint16_t *slot = &slots[at % HASH_SLOTS];
        if (*slot == UINT16_MAX) {
            GZ_ASSERT(cluster->vertex_count < GZ_CLUSTER_VERTICES);
            *slot = (uint16_t)cluster->vertex_count++;
            memcpy(vertex_at(cluster, *slot), bits, bytes);
            return *slot;
        }
        if (memcmp(vertex_at(cluster, *slot), bits, bytes) == 0)
            return *slot;
    }
}

void gz_cluster_gather(gz_cluster *cluster, graze_precision precision, const uint8_t **records,
                       uint32_t count)
{
    GZ_ASSERT(count <= GZ_CLUSTER_TRIANGLES);
    uint16_t slots[HASH_SLOTS];
    memset(slots, 0xff, sizeof slots);
    sort_by_number(records, count);
    cluster->precision = precision;
    cluster->triangle_count = count;
    cluster->vertex_count = cluster->step_count = cluster->spread_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        cluster->number[i] = number_of(records[i]);
        for (uint32_t c = 0; c < 3; ++c)
            cluster->corner[i][c] = find_vertex(
                cluster, slots, records[i] + GZ_SOUP_KEY_BYTES + c * 3 * (uint32_t)precision);
    }
}

graze_box gz_cluster_box(const gz_cluster *cluster)
{
    graze_box box = graze_box_empty();
    for (uint32_t v = 0; v < cluster->vertex_count; ++v)
        for (int axis = 0; axis < 3; ++axis) {
            double x = cluster->precision == GRAZE_FLOAT32
                           ? (double)cluster->position.narrow[v][axis]
                           : cluster->position.wide[v][axis];
            box.min[axis] = x < box.min[axis] ? x : box.min[axis];
            box.max[axis] = x > box.max[axis] ? x : box.max[axis];
        }
    return box;
}

// Integers in the order of the numbers that the bits stand for, and back.
static uint64_t ordered(uint64_t bits, uint32_t bytes)
{
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1), all = sign | (sign - 1);
    return (bits & sign) != 0 ? ~bits & all : bits | sign;
}
static uint64_t disordered(uint64_t value, uint32_t bytes)
{
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1), all = sign | (sign - 1);
    return (value & sign) != 0 ? value & ~sign : ~value & all;
}

static uint64_t get_bits(const gz_cluster *cluster, uint32_t vertex, uint32_t axis)
{
    uint64_t bits = 0;
    if (cluster->precision == GRAZE_FLOAT64) {
        memcpy(&bits, &cluster->position.wide[vertex][axis], 8);
        return bits;
    }
    uint32_t narrow;
    memcpy(&narrow, &cluster->position.narrow[vertex][axis], 4);
    return narrow;
}

static void set_bits(gz_cluster *cluster, uint32_t vertex, uint32_t axis, uint64_t bits)
{
    uint32_t narrow = (uint32_t)bits;
    if (cluster->precision == GRAZE_FLOAT64)
        memcpy(&cluster->position.wide[vertex][axis], &bits, 8);
    else
        memcpy(&cluster->position.narrow[vertex][axis], &narrow, 4);
}

// Small differences of both signs become small numbers.
static uint64_t fold(uint64_t difference, uint32_t bytes)
{
    uint32_t shift = 64 - 8 * bytes;
    int64_t signed_one = (int64_t)(difference << shift) >> shift;
    uint64_t all = UINT64_MAX >> shift;
    return ((uint64_t)signed_one << 1 ^ (uint64_t)(signed_one >> 63)) & all;
}
static uint64_t unfold(uint64_t folded) { return folded >> 1 ^ (0 - (folded & 1)); }

// For each vertex one that comes before it, if possible of the triangle that names it first.
static void find_references(const gz_cluster *cluster, uint16_t reference[GZ_CLUSTER_VERTICES])
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < cluster->triangle_count; ++i) {
        const uint16_t *corner = cluster->corner[i];
        uint32_t before = seen; // the vertex that was new last, unless the triangle has an old one
        for (int c = 0; c < 3; ++c)
            if (corner[c] < seen)
                before = before == seen || corner[c] > before ? corner[c] : before;
        for (int c = 0; c < 3; ++c)
            if (corner[c] == seen) {
                GZ_ASSERT(seen < cluster->vertex_count);
                reference[seen] = (uint16_t)(before < seen ? before : seen == 0 ? 0 : seen - 1);
                before = seen++;
            }
    }
}

typedef struct gz_page_scratch {
    uint8_t bytes[2][3 * GZ_CLUSTER_VERTICES];
    uint16_t reference[GZ_CLUSTER_VERTICES];
    uint64_t folded[3 * GZ_CLUSTER_VERTICES];
} scratch;

bool gz_page_writer_init(graze_context *context, gz_page_writer *writer)
{
    *writer = (gz_page_writer){.scratch = gz_allocate(context, sizeof(scratch))};
    return gz_section_packer_init(context, &writer->packer) && writer->scratch != NULL;
}

void gz_page_writer_free(gz_page_writer *writer)
{
    graze_context *context = writer->packer.context;
    if (context != NULL)
        gz_release(context, writer->scratch, sizeof(scratch));
    gz_section_packer_free(&writer->packer);
    writer->scratch = NULL;
}

bool gz_page_reader_init(graze_context *context, gz_page_reader *reader)
{
    *reader = (gz_page_reader){.scratch = gz_allocate(context, sizeof(scratch))};
    return gz_section_unpacker_init(context, &reader->unpacker) && reader->scratch != NULL;
}

void gz_page_reader_free(gz_page_reader *reader)
{
    graze_context *context = reader->unpacker.context;
    if (context != NULL)
        gz_release(context, reader->scratch, sizeof(scratch));
    gz_section_unpacker_free(&reader->unpacker);
    reader->scratch = NULL;
}

static bool write_numbers(const gz_cluster *cluster, gz_section_packer *packer, scratch *s,
                          gz_byte_list *out, uint32_t *byte_count)
{
    uint8_t *to = s->bytes[0];
    uint32_t last = 0;
    for (uint32_t i = 0; i < cluster->triangle_count; ++i) {
        GZ_ASSERT(i == 0 || cluster->number[i] > last);  // they ascend
        uint32_t difference = cluster->number[i] - last; // of the first: from 0
        last = cluster->number[i];
        for (; difference >= 128; difference >>= 7)
            *to++ = (uint8_t)(difference | 128);
        *to++ = (uint8_t)difference;
    }
    *byte_count = (uint32_t)(to - s->bytes[0]);
    GZ_ASSERT(*byte_count <= sizeof s->bytes[0]);
    return gz_section_append(packer, out, s->bytes[0], *byte_count);
}

static bool write_corners(const gz_cluster *cluster, gz_section_packer *packer, scratch *s,
                          gz_byte_list *out)
{
    uint32_t seen = 0, count = 3 * cluster->triangle_count;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t vertex = cluster->corner[i / 3][i % 3], code = seen - vertex; // 0: it is new
        GZ_ASSERT(vertex <= seen && vertex < cluster->vertex_count);
        seen += vertex == seen;
        s->bytes[0][i] = (uint8_t)code;
        s->bytes[1][i] = (uint8_t)(code >> 8);
    }
    return gz_section_append(packer, out, s->bytes[0], count) &&
           gz_section_append(packer, out, s->bytes[1], count);
}

static bool write_positions(const gz_cluster *cluster, gz_section_packer *packer, scratch *s,
                            gz_byte_list *out)
{
    uint32_t bytes = cluster->precision == GRAZE_FLOAT64 ? 8 : 4, count = cluster->vertex_count;
    find_references(cluster, s->reference);
    for (uint32_t axis = 0; axis < 3; ++axis)
        for (uint32_t v = 0; v < count; ++v) {
            uint64_t from = v == 0 ? 0 : ordered(get_bits(cluster, s->reference[v], axis), bytes);
            s->folded[axis * count + v] =
                fold(ordered(get_bits(cluster, v, axis), bytes) - from, bytes);
        }
    for (uint32_t byte = 0; byte < bytes; ++byte) {
        for (uint32_t i = 0; i < 3 * count; ++i)
            s->bytes[0][i] = (uint8_t)(s->folded[i] >> 8 * byte);
        if (!gz_section_append(packer, out, s->bytes[0], 3 * (uint64_t)count))
            return false;
    }
    return true;
}

static bool write_recipe(const gz_cluster *cluster, gz_section_packer *packer, scratch *s,
                         gz_byte_list *out)
{
    uint32_t last = 0, count = cluster->triangle_count;
    if (cluster->step_count == 0)
        return true;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t difference = cluster->leaf[i] - last;
        last = cluster->leaf[i];
        s->bytes[0][i] = (uint8_t)difference;
        s->bytes[1][i] = (uint8_t)(difference >> 8);
    }
    return gz_section_append(packer, out, cluster->step, cluster->step_count) &&
           gz_section_append(packer, out, s->bytes[0], count) &&
           (gz_cluster_leaf_count(cluster) <= 256 ||
            gz_section_append(packer, out, s->bytes[1], count));
}

static bool write_spreads(const gz_cluster *cluster, gz_section_packer *packer, gz_byte_list *out)
{
    return cluster->spread_count == 0 ||
           gz_section_append(packer, out, cluster->spread, cluster->spread_count);
}

static uint64_t page_sum(const uint8_t *bytes, uint64_t byte_count, uint32_t page)
{
    uint64_t sum = gz_checksum(page, bytes + HEAD_BYTES, byte_count - HEAD_BYTES);
    return gz_checksum(sum, bytes, SUM_AT);
}

void gz_page_seal(uint8_t *bytes, uint64_t byte_count, uint32_t page)
{
    if (byte_count >= HEAD_BYTES)
        gz_put_u64(bytes + SUM_AT, page_sum(bytes, byte_count, page), false);
}

bool gz_cluster_write(const gz_cluster *cluster, uint32_t page, gz_page_writer *writer,
                      gz_byte_list *out)
{
    GZ_ASSERT(cluster->triangle_count != 0 && cluster->triangle_count <= GZ_CLUSTER_TRIANGLES);
    uint64_t start = out->count;
    uint32_t number_bytes = 0;
    gz_section_packer *packer = &writer->packer;
    if (gz_list_push(packer->context, out, HEAD_BYTES) == NULL ||
        !write_numbers(cluster, packer, writer->scratch, out, &number_bytes) ||
        !write_corners(cluster, packer, writer->scratch, out) ||
        !write_positions(cluster, packer, writer->scratch, out) ||
        !write_recipe(cluster, packer, writer->scratch, out) ||
        !write_spreads(cluster, packer, out))
        return false;
    uint8_t *head = (uint8_t *)out->items + start;
    gz_put_u32(head, cluster->triangle_count | cluster->spread_count << 16, false);
    gz_put_u32(head + 4, cluster->vertex_count | cluster->step_count << 16, false);
    gz_put_u32(head + 8, number_bytes, false);
    gz_put_u32(head + 12, (uint32_t)(out->count - start), false);
    gz_page_seal(head, out->count - start, page);
    return true;
}

static const char *read_numbers(const scratch *s, uint32_t byte_count, uint64_t limit,
                                gz_cluster *cluster)
{
    const uint8_t *from = s->bytes[0], *end = from + byte_count;
    uint64_t number = 0;
    for (uint32_t i = 0; i < cluster->triangle_count; ++i) {
        uint64_t difference = 0;
        for (uint32_t shift = 0;; shift += 7) {
            if (from == end || shift > 28)
                return "the triangle numbers of the page make no sense";
            difference |= (uint64_t)(*from & 127u) << shift;
            if ((*from++ & 128u) == 0)
                break;
        }
        number += difference;
        if (number >= limit || (difference == 0 && i != 0))
            return "the page names a triangle twice, or one that the model does not have";
        cluster->number[i] = (uint32_t)number;
    }
    return from == end ? NULL : "the page has more triangle numbers than triangles";
}

static const char *read_corners(const scratch *s, gz_cluster *cluster)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < 3 * cluster->triangle_count; ++i) {
        uint32_t code = s->bytes[0][i] | (uint32_t)s->bytes[1][i] << 8;
        if (code > seen || (code == 0 && seen == cluster->vertex_count))
            return "a triangle of the page names a vertex that is not there";
        cluster->corner[i / 3][i % 3] = (uint16_t)(seen - code);
        seen += code == 0;
    }
    return seen == cluster->vertex_count ? NULL : "the page has vertices that no triangle names";
}

static const char *read_positions(gz_section_unpacker *unpacker, gz_section_reader *from,
                                  scratch *s, gz_cluster *cluster)
{
    uint32_t bytes = cluster->precision == GRAZE_FLOAT64 ? 8 : 4, count = cluster->vertex_count;
    find_references(cluster, s->reference);
    memset(s->folded, 0, 3 * (size_t)count * sizeof *s->folded);
    for (uint32_t byte = 0; byte < bytes; ++byte) {
        if (!gz_section_read(unpacker, from, s->bytes[0], 3 * (uint64_t)count))
            return "the coordinates of the page do not unpack";
        for (uint32_t i = 0; i < 3 * count; ++i)
            s->folded[i] |= (uint64_t)s->bytes[0][i] << 8 * byte;
    }
    uint64_t all = bytes == 8 ? UINT64_MAX : UINT32_MAX;
    uint64_t exponent = bytes == 8 ? UINT64_C(0x7ff) << 52 : UINT64_C(0xff) << 23;
    for (uint32_t axis = 0; axis < 3; ++axis)
        for (uint32_t v = 0; v < count; ++v) {
            uint64_t before = v == 0 ? 0 : ordered(get_bits(cluster, s->reference[v], axis), bytes);
            uint64_t bits = disordered((before + unfold(s->folded[axis * count + v])) & all, bytes);
            if ((bits & exponent) == exponent)
                return "the page has a coordinate that is not finite";
            set_bits(cluster, v, axis, bits);
        }
    return NULL;
}

// Whether it is the recipe of a tree shows when it is followed.
static const char *read_recipe(gz_section_unpacker *unpacker, gz_section_reader *from, scratch *s,
                               gz_cluster *cluster)
{
    uint32_t last = 0, count = cluster->triangle_count;
    if (cluster->step_count == 0)
        return NULL;
    if (cluster->step_count > sizeof cluster->step ||
        !gz_section_read(unpacker, from, cluster->step, cluster->step_count) ||
        !gz_section_read(unpacker, from, s->bytes[0], count))
        return "the tree of the page does not unpack";
    bool wide = gz_cluster_leaf_count(cluster) > 256;
    if (wide && !gz_section_read(unpacker, from, s->bytes[1], count))
        return "the tree of the page does not unpack";
    for (uint32_t i = 0; i < count; ++i) {
        last += s->bytes[0][i] | (wide ? (uint32_t)s->bytes[1][i] << 8 : 0);
        last &= wide ? 0xffff : 0xff;
        cluster->leaf[i] = (uint16_t)last;
    }
    return NULL;
}

static const char *read_spreads(gz_section_unpacker *unpacker, gz_section_reader *from,
                                gz_cluster *cluster)
{
    uint32_t count = cluster->spread_count;
    if (count == 0)
        return NULL;
    if (count > sizeof cluster->spread || count != gz_cluster_leaf_count(cluster))
        return "the page has bounds of other leaves than its tree has";
    return gz_section_read(unpacker, from, cluster->spread, count)
               ? NULL
               : "the bounds of the page do not unpack";
}

static const char *read_sections(const uint8_t *head, gz_section_reader *from, uint64_t limit,
                                 gz_section_unpacker *unpacker, scratch *s, gz_cluster *cluster)
{
    uint32_t number_bytes = gz_get_u32(head + 8, false), corners = 3 * cluster->triangle_count;
    const char *wrong = NULL;
    if (number_bytes > sizeof s->bytes[0] ||
        !gz_section_read(unpacker, from, s->bytes[0], number_bytes))
        return "the triangle numbers of the page do not unpack";
    wrong = read_numbers(s, number_bytes, limit, cluster);
    if (wrong != NULL)
        return wrong;
    if (!gz_section_read(unpacker, from, s->bytes[0], corners) ||
        !gz_section_read(unpacker, from, s->bytes[1], corners))
        return "the corners of the page do not unpack";
    wrong = read_corners(s, cluster);
    if (wrong == NULL)
        wrong = read_positions(unpacker, from, s, cluster);
    if (wrong == NULL)
        wrong = read_recipe(unpacker, from, s, cluster);
    if (wrong == NULL)
        wrong = read_spreads(unpacker, from, cluster);
    if (wrong == NULL && from->next != from->end)
        wrong = "the page has bytes behind its end";
    return wrong;
}

const char *gz_cluster_read(const uint8_t *bytes, uint64_t byte_count, uint32_t page,
                            graze_precision precision, uint64_t number_limit,
                            gz_page_reader *reader, gz_cluster *cluster)
{
    if (byte_count < HEAD_BYTES || gz_get_u32(bytes + 12, false) != byte_count)
        return "the page has another size than it says";
    if (gz_get_u64(bytes + SUM_AT, false) != page_sum(bytes, byte_count, page))
        return "the page is damaged: its checksum is another one";
    cluster->precision = precision;
    cluster->triangle_count = gz_get_u32(bytes, false) & 0xffff;
    cluster->spread_count = gz_get_u32(bytes, false) >> 16;
    cluster->vertex_count = gz_get_u32(bytes + 4, false) & 0xffff;
    cluster->step_count = gz_get_u32(bytes + 4, false) >> 16;
    if (cluster->triangle_count == 0 || cluster->triangle_count > GZ_CLUSTER_TRIANGLES ||
        cluster->vertex_count == 0 || cluster->vertex_count > GZ_CLUSTER_VERTICES)
        return "the page has no triangles, or too many";
    gz_section_reader from = {bytes + HEAD_BYTES, bytes + byte_count};
    return read_sections(bytes, &from, number_limit, &reader->unpacker, reader->scratch, cluster);
}
