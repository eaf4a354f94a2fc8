// Saves and loads contact details. See detail_file.h, and docs/format.md for the bytes.
//
// A file is a header and the arrays of the detail as they are in memory, each at a multiple of 64.
// Machines whose memory has the other byte order do not read or write them.
#include "clod/detail_file.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/context.h"
#include "base/file.h"
#include "geometry/fpu.h"

#define MAGIC      GZ_OWN_MARK "H"
#define MOST_ITEMS (UINT32_C(1) << 30) // of each array

typedef struct header {
    char magic[8];
    uint32_t version, precision;
    uint32_t vertex_count, triangle_count, node_count, point_count, plane_count;
    uint32_t level_count, depth, closed;
    double center[3], radius, box[6];
    graze_detail_level levels[GRAZE_DETAIL_LEVELS];
    uint64_t checksum; // of the arrays
    uint64_t own;      // of the header up to here
    uint8_t unused[48];
} header;
_Static_assert(sizeof(header) == 1216, "a header of 1216 bytes");

static uint64_t padded(uint64_t bytes) { return (bytes + 63) & ~UINT64_C(63); }

static header make_header(graze_contact_detail *d, const gz_detail_part parts[GZ_DETAIL_PARTS])
{
    header h = {.version = GZ_DETAIL_VERSION,
                .precision = (uint32_t)d->precision,
                .vertex_count = d->vertex_count,
                .triangle_count = d->triangle_count,
                .node_count = d->node_count,
                .point_count = d->point_count,
                .plane_count = d->plane_count,
                .level_count = d->level_count,
                .depth = d->depth,
                .closed = d->closed,
                .radius = d->radius};
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    memcpy(h.levels, d->levels, sizeof h.levels);
    for (int i = 0; i < 3; ++i) {
        h.center[i] = d->center[i];
        h.box[i] = d->box.min[i];
        h.box[3 + i] = d->box.max[i];
    }
    for (int i = 0; i < GZ_DETAIL_PARTS; ++i)
        if (parts[i].byte_count != 0)
            h.checksum = gz_checksum(h.checksum, *parts[i].bytes, parts[i].byte_count);
    h.own = gz_checksum(0, &h, offsetof(header, own));
    return h;
}

static graze_status refuse_host(graze_context *context, const char *path)
{
    return gz_fail(context, GRAZE_ERROR_UNSUPPORTED,
                   "%s: contact details are saved and loaded on little-endian machines only", path);
}

static graze_status write_all(gz_output *output, const header *h,
                              const gz_detail_part parts[GZ_DETAIL_PARTS])
{
    static const uint8_t zeros[64] = {0};
    graze_status status = gz_output_write(output, h, sizeof *h);
    for (int i = 0; i < GZ_DETAIL_PARTS && status == GRAZE_OK; ++i) {
        if (parts[i].byte_count != 0)
            status = gz_output_write(output, *parts[i].bytes, parts[i].byte_count);
        uint64_t rest = padded(parts[i].byte_count) - parts[i].byte_count;
        if (status == GRAZE_OK && rest != 0)
            status = gz_output_write(output, zeros, rest);
    }
    return status;
}

graze_status graze_contact_detail_save(const graze_contact_detail *detail, const char *path)
{
    if (detail == NULL || path == NULL)
        return gz_fail_null(detail == NULL ? NULL : detail->context, "graze_contact_detail_save");
    if (GZ_HOST_BIG_ENDIAN)
        return refuse_host(detail->context, path);
    graze_contact_detail copy = *detail; // parts are given as places, to be filled in
    gz_detail_part parts[GZ_DETAIL_PARTS];
    gz_detail_parts(&copy, parts);
    header h = make_header(&copy, parts);
    gz_output *output = NULL;
    graze_status status = gz_output_create(detail->context, path, &output);
    if (status != GRAZE_OK)
        return status;
    status = write_all(output, &h, parts);
    if (status == GRAZE_OK)
        return gz_output_commit(output);
    gz_output_abandon(output);
    return status;
}

// --- Loading

static graze_status damaged(const gz_file *file, uint64_t offset, const char *what)
{
    return gz_fail(file->context, GRAZE_ERROR_FORMAT, "%s: byte %" PRIu64 ": %s", file->path,
                   offset, what);
}

static graze_status check_header(const gz_file *file, const header *h)
{
    if (memcmp(h->magic, MAGIC, sizeof MAGIC) != 0)
        return damaged(file, 0, "this is not a saved contact detail");
    if (h->version != GZ_DETAIL_VERSION)
        return gz_fail(file->context, GRAZE_ERROR_UNSUPPORTED,
                       "%s: byte 8: the contact detail is of version %" PRIu32
                       ", and this program knows version %d: save it again",
                       file->path, h->version, GZ_DETAIL_VERSION);
    if (h->own != gz_checksum(0, h, offsetof(header, own)))
        return damaged(file, 0, "the header of the contact detail is damaged");
    if ((h->precision != GRAZE_FLOAT32 && h->precision != GRAZE_FLOAT64) || h->closed > 1 ||
        h->vertex_count == 0 || h->vertex_count > MOST_ITEMS || h->triangle_count == 0 ||
        h->triangle_count > MOST_ITEMS || h->node_count == 0 || h->node_count > MOST_ITEMS ||
        h->point_count == 0 || h->point_count > MOST_ITEMS || h->plane_count > MOST_ITEMS ||
        h->level_count == 0 || h->level_count > GRAZE_DETAIL_LEVELS)
        return damaged(file, 12, "the header gives numbers that no contact detail has");
    return GRAZE_OK;
}

static void take_header(const header *h, graze_contact_detail *d)
{
    d->precision = (graze_precision)h->precision;
    d->vertex_count = h->vertex_count;
    d->triangle_count = h->triangle_count;
    d->node_count = h->node_count;
    d->point_count = h->point_count;
    d->plane_count = h->plane_count;
    d->level_count = h->level_count;
    d->depth = h->depth;
    d->closed = h->closed != 0;
    d->radius = h->radius;
    memcpy(d->levels, h->levels, sizeof d->levels);
    for (int i = 0; i < 3; ++i) {
        d->center[i] = h->center[i];
        d->box.min[i] = h->box[i];
        d->box.max[i] = h->box[3 + i];
    }
}

// The arrays are exactly as long as the header says, and the file is exactly as long as they are.
static graze_status read_parts(gz_file *file, const header *h, graze_contact_detail *d)
{
    gz_detail_part parts[GZ_DETAIL_PARTS];
    gz_detail_parts(d, parts);
    uint64_t offset = sizeof *h, hash = 0;
    for (int i = 0; i < GZ_DETAIL_PARTS; ++i)
        offset += padded(parts[i].byte_count);
    if (offset != file->byte_count)
        return gz_fail(file->context, GRAZE_ERROR_FORMAT,
                       "%s: byte %" PRIu64
                       ": the file ends here, but the contact detail in it takes %" PRIu64 " bytes",
                       file->path, file->byte_count, offset);
    offset = sizeof *h;
    graze_status status = GRAZE_OK;
    for (int i = 0; i < GZ_DETAIL_PARTS && status == GRAZE_OK; ++i) {
        if (parts[i].byte_count == 0)
            continue;
        *parts[i].bytes = gz_allocate(file->context, parts[i].byte_count);
        if (*parts[i].bytes == NULL)
            return gz_fail(file->context, GRAZE_ERROR_MEMORY,
                           "%s: out of memory for the contact detail", file->path);
        status = gz_file_read_at(file, offset, *parts[i].bytes, parts[i].byte_count);
        if (status == GRAZE_OK)
            hash = gz_checksum(hash, *parts[i].bytes, parts[i].byte_count);
        offset += padded(parts[i].byte_count);
    }
    if (status == GRAZE_OK && hash != h->checksum)
        return damaged(file, sizeof *h,
                       "the contact detail is damaged: its checksum is another one");
    return status;
}

static graze_status check_detail(const gz_file *file, const graze_contact_detail *d)
{
    gz_fpu_state state = gz_fpu_enter();
    graze_status status = gz_detail_check(d);
    gz_fpu_leave(state);
    if (status == GRAZE_ERROR_FORMAT)
        return damaged(file, sizeof(header), "the contact detail breaks its own rules");
    if (status == GRAZE_ERROR_MEMORY)
        return gz_fail(file->context, status, "%s: out of memory to check the contact detail",
                       file->path);
    return status;
}

static graze_status load(gz_file *file, graze_contact_detail **detail)
{
    header h;
    if (GZ_HOST_BIG_ENDIAN)
        return refuse_host(file->context, file->path);
    if (!file->seekable || file->byte_count < sizeof h)
        return damaged(file, file->byte_count,
                       "the file ends here: this is not a saved contact detail");
    graze_status status = gz_file_read_at(file, 0, &h, sizeof h);
    if (status == GRAZE_OK)
        status = check_header(file, &h);
    if (status != GRAZE_OK)
        return status;
    graze_contact_detail *made = gz_allocate(file->context, sizeof *made);
    if (made == NULL)
        return gz_fail(file->context, GRAZE_ERROR_MEMORY,
                       "%s: out of memory for the contact detail", file->path);
    *made = (graze_contact_detail){.context = file->context};
    take_header(&h, made);
    made->serial = atomic_fetch_add(&file->context->serial, 1) + 1;
    status = read_parts(file, &h, made);
    if (status == GRAZE_OK)
        status = check_detail(file, made);
    if (status == GRAZE_OK)
        *detail = made;
    else
        graze_contact_detail_free(made);
    return status;
}

graze_status graze_contact_detail_load(graze_context *context, const char *path,
                                       graze_contact_detail **detail)
{
    gz_file file;
    if (detail != NULL)
        *detail = NULL;
    if (context == NULL || path == NULL || detail == NULL)
        return gz_fail_null(context, "graze_contact_detail_load");
    graze_status status = gz_file_open(context, path, &file);
    if (status != GRAZE_OK)
        return status;
    status = load(&file, detail);
    gz_file_close(&file);
    return status;
}

graze_status gz_detail_load_memory(graze_context *context, const char *name, const void *bytes,
                                   uint64_t byte_count, graze_contact_detail **detail)
{
    gz_file file;
    *detail = NULL;
    gz_file_open_memory(context, name, bytes, byte_count, &file);
    graze_status status = load(&file, detail);
    gz_file_close(&file);
    return status;
}

void gz_detail_file_seal(uint8_t *bytes, uint64_t byte_count)
{
    header h;
    if (byte_count < sizeof h)
        return;
    memcpy(&h, bytes, sizeof h);
    graze_contact_detail d = {0};
    take_header(&h, &d);
    gz_detail_part parts[GZ_DETAIL_PARTS];
    gz_detail_parts(&d, parts);
    uint64_t offset = sizeof h;
    h.checksum = 0;
    for (int i = 0; i < GZ_DETAIL_PARTS && parts[i].byte_count <= byte_count - offset; ++i) {
        if (parts[i].byte_count != 0)
            h.checksum = gz_checksum(h.checksum, bytes + offset, parts[i].byte_count);
        if (padded(parts[i].byte_count) > byte_count - offset)
            break;
        offset += padded(parts[i].byte_count);
    }
    h.own = gz_checksum(0, &h, offsetof(header, own));
    memcpy(bytes, &h, sizeof h);
}
