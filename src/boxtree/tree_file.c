// Saves and loads trees. See tree_file.h, and docs/format.md for the bytes.
//
// A file is a header of 256 bytes and the arrays of the tree as they are in memory, each at a
// multiple of 64. Machines whose memory has the other byte order do not read or write them.
#include "boxtree/tree_file.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/context.h"
#include "base/file.h"
#include "base/memory.h"

#define MAGIC GZ_OWN_MARK "S"

#define MOST_VERTICES (UINT64_C(1) << 40)

typedef struct header {
    char magic[8];
    uint32_t version, layout, precision, depth;
    uint64_t triangle_count, vertex_count, other_count;
    uint32_t node_count, leaf_count;
    double box[6], origin[3], half[3], scale, grain;
    uint64_t checksum; // of the arrays
    uint64_t own;      // of the header up to here
    uint8_t unused[72];
} header;
_Static_assert(sizeof(header) == 256, "a header of 256 bytes");

// One array of a tree.
typedef struct part {
    void *bytes;
    uint64_t byte_count;
} part;
enum { PARTS = 6 };

static void list_parts(const gz_tree *tree, part parts[PARTS])
{
    bool fast = tree->layout == GRAZE_LAYOUT_FAST;
    uint64_t leaf = tree->precision == GRAZE_FLOAT32 ? sizeof(gz_leaf32) : sizeof(gz_leaf64);
    parts[0] =
        (part){tree->nodes, tree->node_count * (fast ? sizeof(gz_node) : sizeof(gz_small_node))};
    parts[1] = (part){tree->leaves, tree->leaf_count * (fast ? leaf : sizeof(gz_small_leaf))};
    parts[2] = (part){tree->order, tree->triangle_count * sizeof *tree->order};
    parts[3] = (part){tree->vertices, tree->vertex_count * 3 * (uint64_t)tree->precision};
    parts[4] = (part){tree->others, tree->other_count * sizeof *tree->others};
    parts[5] = (part){tree->corners, fast ? 0 : tree->triangle_count * sizeof *tree->corners};
}

static uint64_t padded(uint64_t bytes) { return (bytes + 63) & ~UINT64_C(63); }

static header make_header(const gz_tree *tree, const part parts[PARTS])
{
    header h = {.version = GZ_SHAPE_VERSION,
                .layout = (uint32_t)tree->layout,
                .precision = (uint32_t)tree->precision,
                .depth = tree->depth,
                .triangle_count = tree->triangle_count,
                .vertex_count = tree->vertex_count,
                .other_count = tree->other_count,
                .node_count = tree->node_count,
                .leaf_count = tree->leaf_count,
                .scale = tree->scale,
                .grain = tree->grain};
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    for (int i = 0; i < 3; ++i) {
        h.box[i] = tree->box.min[i];
        h.box[3 + i] = tree->box.max[i];
        h.origin[i] = tree->origin[i];
        h.half[i] = tree->half[i];
    }
    for (int i = 0; i < PARTS; ++i)
        if (parts[i].byte_count != 0)
            h.checksum = gz_checksum(h.checksum, parts[i].bytes, parts[i].byte_count);
    h.own = gz_checksum(0, &h, offsetof(header, own));
    return h;
}

static graze_status refuse_host(graze_context *context, const char *path)
{
    return gz_fail(context, GRAZE_ERROR_UNSUPPORTED,
                   "%s: shapes are saved and loaded on little-endian machines only", path);
}

static graze_status write_all(gz_output *output, const header *h, const part parts[PARTS])
{
    static const uint8_t zeros[64] = {0};
    graze_status status = gz_output_write(output, h, sizeof *h);
    for (int i = 0; i < PARTS && status == GRAZE_OK; ++i) {
        if (parts[i].byte_count != 0)
            status = gz_output_write(output, parts[i].bytes, parts[i].byte_count);
        uint64_t rest = padded(parts[i].byte_count) - parts[i].byte_count;
        if (status == GRAZE_OK && rest != 0)
            status = gz_output_write(output, zeros, rest);
    }
    return status;
}

graze_status gz_tree_save(const gz_tree *tree, const char *path)
{
    if (GZ_HOST_BIG_ENDIAN)
        return refuse_host(tree->context, path);
    part parts[PARTS];
    list_parts(tree, parts);
    header h = make_header(tree, parts);
    gz_output *output = NULL;
    graze_status status = gz_output_create(tree->context, path, &output);
    if (status != GRAZE_OK)
        return status;
    status = write_all(output, &h, parts);
    if (status == GRAZE_OK)
        return gz_output_commit(output);
    gz_output_abandon(output);
    return status;
}

static graze_status damaged(const gz_file *file, uint64_t offset, const char *what)
{
    return gz_fail(file->context, GRAZE_ERROR_FORMAT, "%s: byte %" PRIu64 ": %s", file->path,
                   offset, what);
}

static graze_status check_header(const gz_file *file, const header *h)
{
    if (memcmp(h->magic, MAGIC, sizeof MAGIC) != 0)
        return damaged(file, 0, "this is not a saved shape");
    if (h->version != GZ_SHAPE_VERSION)
        return gz_fail(file->context, GRAZE_ERROR_UNSUPPORTED,
                       "%s: byte 8: the shape is of version %" PRIu32
                       ", and this program knows version %d"
                       ": save it again",
                       file->path, h->version, GZ_SHAPE_VERSION);
    if (h->own != gz_checksum(0, h, offsetof(header, own)))
        return damaged(file, 0, "the header of the shape is damaged");
    bool empty = h->triangle_count == 0;
    if (h->layout > GRAZE_LAYOUT_COMPACT ||
        (h->precision != GRAZE_FLOAT32 && h->precision != GRAZE_FLOAT64) ||
        h->triangle_count >= GZ_IS_LEAF || h->vertex_count > MOST_VERTICES ||
        h->other_count > UINT32_MAX || h->node_count >= GZ_IS_LEAF || h->leaf_count >= GZ_IS_LEAF ||
        (h->layout == GRAZE_LAYOUT_FAST && h->other_count != 0) ||
        (h->layout == GRAZE_LAYOUT_FAST && h->precision == GRAZE_FLOAT32 && h->vertex_count != 0) ||
        empty != (h->node_count == 0) || empty != (h->leaf_count == 0))
        return damaged(file, 12, "the header gives numbers that no shape has");
    return GRAZE_OK;
}

static void take_header(const header *h, gz_tree *tree)
{
    tree->layout = (graze_layout)h->layout;
    tree->precision = (graze_precision)h->precision;
    tree->depth = h->depth;
    tree->triangle_count = h->triangle_count;
    tree->vertex_count = h->vertex_count;
    tree->other_count = h->other_count;
    tree->node_count = h->node_count;
    tree->leaf_count = h->leaf_count;
    tree->scale = h->scale;
    tree->grain = h->grain;
    for (int i = 0; i < 3; ++i) {
        tree->box.min[i] = h->box[i];
        tree->box.max[i] = h->box[3 + i];
        tree->origin[i] = h->origin[i];
        tree->half[i] = h->half[i];
    }
}

// The arrays are exactly as long as the file says, and the file is exactly as long as they are.
static graze_status read_parts(gz_file *file, const header *h, gz_tree *tree)
{
    void **arrays[PARTS] = {&tree->nodes,    &tree->leaves,          (void **)&tree->order,
                            &tree->vertices, (void **)&tree->others, (void **)&tree->corners};
    part parts[PARTS];
    list_parts(tree, parts);
    uint64_t offset = sizeof *h, hash = 0;
    for (int i = 0; i < PARTS; ++i)
        offset += padded(parts[i].byte_count);
    if (offset != file->byte_count)
        return gz_fail(file->context, GRAZE_ERROR_FORMAT,
                       "%s: byte %" PRIu64
                       ": the file ends here, but the shape in it takes %" PRIu64 " bytes",
                       file->path, file->byte_count, offset);
    offset = sizeof *h;
    graze_status status = GRAZE_OK;
    for (int i = 0; i < PARTS && status == GRAZE_OK; ++i) {
        if (parts[i].byte_count == 0)
            continue;
        *arrays[i] = gz_allocate(file->context, parts[i].byte_count);
        if (*arrays[i] == NULL)
            return gz_fail(file->context, GRAZE_ERROR_MEMORY, "%s: out of memory for the shape",
                           file->path);
        status = gz_file_read_at(file, offset, *arrays[i], parts[i].byte_count);
        if (status == GRAZE_OK)
            hash = gz_checksum(hash, *arrays[i], parts[i].byte_count);
        offset += padded(parts[i].byte_count);
    }
    if (status == GRAZE_OK && hash != h->checksum)
        return damaged(file, sizeof *h, "the shape is damaged: its checksum is another one");
    return status;
}

static graze_status check_tree(const gz_file *file, const gz_tree *tree)
{
    graze_status status = gz_tree_check(tree, NULL);
    if (status == GRAZE_ERROR_FORMAT)
        return damaged(file, sizeof(header), "the shape breaks the rules of its own tree");
    if (status == GRAZE_ERROR_MEMORY)
        return gz_fail(file->context, status, "%s: out of memory to check the shape", file->path);
    return status;
}

// Arrays that were not read yet are not there.
static void free_parts(gz_tree *tree)
{
    part parts[PARTS];
    list_parts(tree, parts);
    for (int i = 0; i < PARTS; ++i)
        if (parts[i].bytes != NULL)
            gz_release(tree->context, parts[i].bytes, parts[i].byte_count);
    *tree = (gz_tree){0};
}

static graze_status load(gz_file *file, gz_tree *tree)
{
    header h;
    *tree = (gz_tree){.context = file->context};
    if (GZ_HOST_BIG_ENDIAN)
        return refuse_host(file->context, file->path);
    if (!file->seekable || file->byte_count < sizeof h)
        return damaged(file, file->byte_count, "the file ends here: this is not a saved shape");
    graze_status status = gz_file_read_at(file, 0, &h, sizeof h);
    if (status == GRAZE_OK)
        status = check_header(file, &h);
    if (status != GRAZE_OK)
        return status;
    take_header(&h, tree);
    tree->serial = atomic_fetch_add(&file->context->serial, 1) + 1;
    status = read_parts(file, &h, tree);
    if (status == GRAZE_OK)
        status = check_tree(file, tree);
    if (status != GRAZE_OK)
        free_parts(tree);
    return status;
}

bool gz_tree_recognise(const char *path) { return gz_file_begins(path, MAGIC, sizeof MAGIC); }

graze_status gz_tree_load(graze_context *context, const char *path, gz_tree *tree)
{
    gz_file file;
    graze_status status = gz_file_open(context, path, &file);
    if (status != GRAZE_OK)
        return status;
    status = load(&file, tree);
    gz_file_close(&file);
    return status;
}

graze_status gz_tree_load_memory(graze_context *context, const char *name, const void *bytes,
                                 uint64_t byte_count, gz_tree *tree)
{
    gz_file file;
    gz_file_open_memory(context, name, bytes, byte_count, &file);
    graze_status status = load(&file, tree);
    gz_file_close(&file);
    return status;
}

void gz_tree_file_seal(uint8_t *bytes, uint64_t byte_count)
{
    header h;
    if (byte_count < sizeof h)
        return;
    memcpy(&h, bytes, sizeof h);
    gz_tree tree = {.layout = GRAZE_LAYOUT_FAST};
    take_header(&h, &tree);
    part parts[PARTS];
    list_parts(&tree, parts);
    uint64_t offset = sizeof h;
    h.checksum = 0;
    for (int i = 0; i < PARTS && parts[i].byte_count <= byte_count - offset; ++i) {
        if (parts[i].byte_count != 0)
            h.checksum = gz_checksum(h.checksum, bytes + offset, parts[i].byte_count);
        if (padded(parts[i].byte_count) > byte_count - offset)
            break;
        offset += padded(parts[i].byte_count);
    }
    h.own = gz_checksum(0, &h, offsetof(header, own));
    memcpy(bytes, &h, sizeof h);
}
