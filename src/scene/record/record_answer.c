// What is known of a pair, as bytes of a record; and ids made of 128 bits. See record_store.h, and
// docs/format.md for the bytes.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "scene/record/record_store.h"

#define NUMBERS 16 // of a clash

void gz_pack_doubles(uint8_t *bytes, const double *values, int count)
{
    for (int i = 0; i < count; ++i)
        bytes = gz_put_double(bytes, values[i], false);
}

void gz_unpack_doubles(const uint8_t *bytes, double *values, int count)
{
    for (int i = 0; i < count; ++i)
        values[i] = gz_get_double(bytes + 8 * i, false);
}

uint32_t gz_answer_pack(const gz_answer *answer, uint8_t bytes[GZ_ANSWER_MOST])
{
    const graze_clash *clash = &answer->clash;
    double numbers[NUMBERS] = {clash->depth_low, clash->depth_high, clash->gap, clash->length};
    memcpy(numbers + 4, clash->point_a, sizeof clash->point_a);
    memcpy(numbers + 7, clash->point_b, sizeof clash->point_b);
    memcpy(numbers + 10, clash->region.min, sizeof clash->region.min);
    memcpy(numbers + 13, clash->region.max, sizeof clash->region.max);
    gz_pack_doubles(bytes, numbers, NUMBERS);
    uint8_t *next = gz_put_u32(bytes + 8 * NUMBERS, clash->inner, false);
    next = gz_put_u32(next, clash->region_whole, false);
    next = gz_put_u32(next, answer->detailed, false);
    next = gz_put_u32(next, answer->places.count, false);
    for (uint32_t i = 0; i < answer->places.count; ++i, next += 48) {
        gz_pack_doubles(next, answer->places.box[i].min, 3);
        gz_pack_doubles(next + 24, answer->places.box[i].max, 3);
    }
    return (uint32_t)(next - bytes);
}

static bool is_box(const graze_box *box)
{
    for (int i = 0; i < 3; ++i)
        if (!isfinite(box->min[i]) || !isfinite(box->max[i]) || box->min[i] > box->max[i])
            return false;
    return true;
}

static bool unpack_places(const uint8_t *bytes, gz_places *places)
{
    for (uint32_t i = 0; i < places->count; ++i, bytes += 48) {
        gz_unpack_doubles(bytes, places->box[i].min, 3);
        gz_unpack_doubles(bytes + 24, places->box[i].max, 3);
        if (!is_box(&places->box[i]))
            return false;
    }
    return true;
}

bool gz_answer_unpack(int64_t kind, const void *from, int byte_count, gz_answer *answer)
{
    const uint8_t *bytes = from;
    double numbers[NUMBERS];
    *answer = (gz_answer){.clash.region = graze_box_empty()};
    if (kind < 0 || kind >= GRAZE_CLASH_KINDS)
        return false;
    answer->clash.kind = (graze_clash_kind)kind;
    if (byte_count == 0) // the kind says it all
        return kind == GRAZE_CLASH_NONE || kind == GRAZE_CLASH_TOUCHING;
    if (byte_count < (int)GZ_ANSWER_BYTES(0))
        return false;
    gz_unpack_doubles(bytes, numbers, NUMBERS);
    for (int i = 0; i < NUMBERS; ++i)
        if (!isfinite(numbers[i]) || (i < 4 && !(numbers[i] >= 0)))
            return false;
    graze_clash *clash = &answer->clash;
    clash->depth_low = numbers[0];
    clash->depth_high = numbers[1];
    clash->gap = numbers[2];
    clash->length = numbers[3];
    memcpy(clash->point_a, numbers + 4, sizeof clash->point_a);
    memcpy(clash->point_b, numbers + 7, sizeof clash->point_b);
    memcpy(clash->region.min, numbers + 10, sizeof clash->region.min);
    memcpy(clash->region.max, numbers + 13, sizeof clash->region.max);
    clash->inner = gz_get_u32(bytes + 8 * NUMBERS, false);
    clash->region_whole = gz_get_u32(bytes + 8 * NUMBERS + 4, false);
    answer->detailed = gz_get_u32(bytes + 8 * NUMBERS + 8, false) != 0;
    answer->places.count = gz_get_u32(bytes + 8 * NUMBERS + 12, false);
    return kind != GRAZE_CLASH_NONE && clash->inner <= 1 && clash->region_whole <= 1 &&
           clash->depth_low <= clash->depth_high && is_box(&clash->region) &&
           answer->places.count >= 1 && answer->places.count <= GZ_PLACES_MOST &&
           byte_count == (int)GZ_ANSWER_BYTES(answer->places.count) &&
           unpack_places(bytes + GZ_ANSWER_BYTES(0), &answer->places);
}

void gz_clash_swap(graze_clash *clash)
{
    double point[3];
    memcpy(point, clash->point_a, sizeof point);
    memcpy(clash->point_a, clash->point_b, sizeof point);
    memcpy(clash->point_b, point, sizeof point);
    if (clash->kind == GRAZE_CLASH_CONTAINED)
        clash->inner = 1 - clash->inner;
}

// --- Ids

static const char ifc_letters[] =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$";

void gz_digest_add(gz_digest *digest, const void *bytes, uint64_t byte_count)
{
    digest->low = gz_checksum(digest->low, bytes, byte_count);
    digest->high = gz_checksum(digest->high ^ UINT64_C(0x9e3779b97f4a7c15), bytes, byte_count);
}

void gz_digest_text(gz_digest *digest, const char *text)
{
    gz_digest_add(digest, text, strlen(text) + 1); // its end is told, too
}

void gz_digest_end(const gz_digest *digest, uint8_t bits[16])
{
    gz_put_u64(gz_put_u64(bits, digest->high, true), digest->low, true);
}

// Six bits a letter, and the first letter has two: as IFC does it.
void gz_id_short(const uint8_t bits[16], char out[23])
{
    out[0] = ifc_letters[bits[0] >> 6];
    for (uint32_t i = 1; i < 22; ++i) {
        uint32_t first = 2 + 6 * (i - 1), byte = first / 8;
        uint32_t two = (uint32_t)bits[byte] << 8 | (byte < 15 ? bits[byte + 1] : 0u);
        out[i] = ifc_letters[two >> (10 - first % 8) & 63];
    }
    out[22] = '\0';
}

// Of version 8, whose bits are up to whoever makes them.
void gz_id_long(const uint8_t bits[16], char out[37])
{
    uint8_t b[16];
    memcpy(b, bits, sizeof b);
    b[6] = (uint8_t)((b[6] & 0x0f) | 0x80);
    b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
    snprintf(out, 37, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0],
             b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
             b[14], b[15]);
}

// "IfcWall_name_2O2Fr$t4X7Zf8NOew3FNr2" is how assimp calls what comes from IFC.
const char *gz_ifc_id(const char *name)
{
    size_t length = strlen(name);
    if (strncmp(name, "Ifc", 3) != 0 || length < 3 + 1 + 22 || name[length - 23] != '_')
        return NULL;
    const char *id = name + length - 22;
    if (id[0] < '0' || id[0] > '3' || strspn(id, ifc_letters) != 22)
        return NULL;
    return id;
}
