// The JSON of a GLB: nodes, meshes, and where their data lies. See glb.h.
//
// The names in an object's group become nodes above it. Objects that follow each other share the
// nodes of the names that their groups begin with; sharing over a distance would change the order
// in which a reader meets the objects.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/utf8.h"
#include "mesh/number.h"
#include "mesh/view.h"
#include "mesh/write/glb.h"

#define MOST_NAME_BYTES  4096u // what the reader takes
#define MOST_GROUP_BYTES 16000u
#define MOST_LEVELS      1000u

// A node of the tree that is being made: a group or an object.
typedef struct node {
    const char *name; // not ended by a zero byte
    uint32_t name_bytes;
    uint32_t object; // GZ_GLB_NONE for groups
    uint32_t first_child, last_child, next_sibling;
} node;

typedef struct writer {
    gz_glb *glb;
    GZ_LIST(node) nodes; // those without a parent hang below `roots`
    node roots;
    uint32_t path[MOST_LEVELS]; // the groups around the last object, as nodes
    uint32_t depth;
    bool scaled; // node 0 is "units", above all others
    bool failed; // out of memory
} writer;

// ---- Text. Once out of memory, what follows is dropped, and the end notices.

static void put_bytes(writer *w, const char *bytes, uint64_t count)
{
    char *room =
        w->failed || count == 0 ? NULL : gz_list_push(w->glb->context, &w->glb->json, count);
    if (room != NULL)
        memcpy(room, bytes, (size_t)count);
    w->failed = w->failed || (room == NULL && count != 0);
}

static void put(writer *w, const char *text) { put_bytes(w, text, strlen(text)); }

static void put_uint(writer *w, uint64_t value)
{
    char digits[GZ_NUMBER_BYTES];
    put_bytes(w, digits, (uint64_t)(gz_print_uint64(digits, value) - digits));
}

static void put_double(writer *w, double value)
{
    char digits[GZ_NUMBER_BYTES];
    put_bytes(w, digits, (uint64_t)(gz_print_double(digits, value) - digits));
}

static void put_key(writer *w, const char *key, uint64_t value)
{
    put(w, key);
    put_uint(w, value);
}

// Bytes that are no UTF-8 become U+FFFD.
static void put_string(writer *w, const char *text, uint32_t byte_count)
{
    put(w, "\"");
    for (uint32_t i = 0; i < byte_count;) {
        uint8_t c = (uint8_t)text[i];
        uint32_t length = gz_utf8_length((const uint8_t *)text + i, byte_count - i);
        if (length == 0) {
            put(w, "\xef\xbf\xbd");
            length = 1;
        } else if (c < 0x20) {
            static const char hex[] = "0123456789abcdef";
            put_bytes(w, (char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6);
        } else {
            if (c == '"' || c == '\\')
                put(w, "\\");
            put_bytes(w, text + i, length);
        }
        i += length;
    }
    put(w, "\"");
}

static void put_numbers(writer *w, const char *key, const double *values, uint32_t count)
{
    put(w, key);
    for (uint32_t i = 0; i < count; ++i) {
        put(w, i == 0 ? "[" : ",");
        put_double(w, values[i]);
    }
    put(w, "]");
}

// ---- The tree

static node *node_at(const writer *w, uint32_t index) { return (node *)w->nodes.items + index; }

// A new node below `parent` (GZ_GLB_NONE: a root); GZ_GLB_NONE when out of memory.
static uint32_t add_node(writer *w, uint32_t parent, const char *name, uint64_t name_bytes,
                         uint32_t object)
{
    if (w->nodes.count >= GZ_GLB_NONE - 1)
        return GZ_GLB_NONE;
    node *made = gz_list_push(w->glb->context, &w->nodes, 1);
    if (made == NULL)
        return GZ_GLB_NONE;
    *made = (node){name, (uint32_t)name_bytes, object, GZ_GLB_NONE, GZ_GLB_NONE, GZ_GLB_NONE};
    uint32_t index = (uint32_t)w->nodes.count - 1;
    node *above = parent == GZ_GLB_NONE ? &w->roots : node_at(w, parent);
    if (above->last_child == GZ_GLB_NONE)
        above->first_child = index;
    else
        node_at(w, above->last_child)->next_sibling = index;
    above->last_child = index;
    return index;
}

static uint32_t top(const writer *w) { return w->scaled ? 0 : GZ_GLB_NONE; }

static graze_status refuse_name(const writer *w, const char *name)
{
    return gz_fail(w->glb->context, GRAZE_ERROR_UNSUPPORTED,
                   "%s: the name \"%.50s...\" or its group is too long", w->glb->path, name);
}

static bool same_name(const node *group, const char *name, uint64_t bytes)
{
    return group->name_bytes == bytes && memcmp(group->name, name, (size_t)bytes) == 0;
}

// Makes w->path the nodes of a group. An empty group has none; else there is one more than it has
// slashes, and names may be empty.
static graze_status enter_group(writer *w, const char *group)
{
    uint32_t depth = 0;
    bool shared = true;
    for (const char *at = group; *group != '\0';) {
        size_t bytes = strcspn(at, "/");
        if (depth == MOST_LEVELS || bytes > MOST_NAME_BYTES ||
            (size_t)(at - group) + bytes > MOST_GROUP_BYTES)
            return refuse_name(w, group);
        shared = shared && depth < w->depth && same_name(node_at(w, w->path[depth]), at, bytes);
        if (!shared)
            w->path[depth] =
                add_node(w, depth != 0 ? w->path[depth - 1] : top(w), at, bytes, GZ_GLB_NONE);
        if (w->path[depth] == GZ_GLB_NONE)
            return gz_glb_out_of_memory(w->glb);
        ++depth;
        if (at[bytes] == '\0')
            break;
        at += bytes + 1;
    }
    w->depth = depth;
    return GRAZE_OK;
}

static graze_status make_tree(writer *w)
{
    double scale = w->glb->view->metres_per_unit;
    w->roots = (node){.first_child = GZ_GLB_NONE, .last_child = GZ_GLB_NONE};
    w->scaled = isfinite(scale) && scale > 0 && scale != 1;
    if (w->scaled && add_node(w, GZ_GLB_NONE, "units", 5, GZ_GLB_NONE) == GZ_GLB_NONE)
        return gz_glb_out_of_memory(w->glb);
    for (uint32_t i = 0; i < w->glb->object_count; ++i) {
        graze_object object = gz_view_object(w->glb->view, i);
        size_t bytes = strlen(object.name);
        if (bytes > MOST_NAME_BYTES)
            return refuse_name(w, object.name);
        graze_status status = enter_group(w, object.group);
        if (status != GRAZE_OK)
            return status;
        uint32_t parent = w->depth != 0 ? w->path[w->depth - 1] : top(w);
        if (add_node(w, parent, object.name, bytes, i) == GZ_GLB_NONE)
            return gz_glb_out_of_memory(w->glb);
    }
    return GRAZE_OK;
}

// ---- The lists

static void put_children(writer *w, const char *key, const node *above)
{
    const char *before = key;
    for (uint32_t i = above->first_child; i != GZ_GLB_NONE; i = node_at(w, i)->next_sibling) {
        put_key(w, before, i);
        before = ",";
    }
    if (above->first_child != GZ_GLB_NONE)
        put(w, "]");
}

// The object's own place, and the centre that its coordinates are relative to.
static graze_status put_place(writer *w, const graze_object *object, const gz_glb_block *block)
{
    static const double origin[3] = {0, 0, 0};
    double moved[3];
    memcpy(moved, block != NULL && block->moved ? block->centre : origin, sizeof moved);
    if (!object->placed) {
        if (block != NULL && block->moved)
            put_numbers(w, ",\"translation\":", moved, 3);
        return GRAZE_OK;
    }
    gz_place(object->matrix, moved);
    double columns[16] = {[15] = 1};
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column)
            columns[4 * column + row] = object->matrix[4 * row + column];
        columns[12 + row] = moved[row];
        if (!isfinite(moved[row]))
            return gz_fail(w->glb->context, GRAZE_ERROR_UNSUPPORTED,
                           "%s: the place of object \"%.50s\" is beyond all numbers", w->glb->path,
                           object->name);
    }
    put_numbers(w, ",\"matrix\":", columns, 16);
    return GRAZE_OK;
}

static graze_status put_node(writer *w, uint32_t index)
{
    const node *n = node_at(w, index);
    graze_status status = GRAZE_OK;
    put(w, index == 0 ? "{\"name\":" : ",{\"name\":");
    put_string(w, n->name, n->name_bytes);
    if (n->object != GZ_GLB_NONE) {
        graze_object object = gz_view_object(w->glb->view, n->object);
        uint32_t part = w->glb->part_of[n->object];
        if (part != GZ_GLB_NONE)
            put_key(w, ",\"mesh\":", part);
        status = put_place(w, &object,
                           part != GZ_GLB_NONE ? &w->glb->blocks[w->glb->parts[part].block] : NULL);
    } else if (w->scaled && index == 0) {
        double scale = w->glb->view->metres_per_unit;
        put_numbers(w, ",\"scale\":", (double[]){scale, scale, scale}, 3);
    }
    put_children(w, ",\"children\":[", n);
    put(w, "}");
    return status;
}

static void put_meshes(writer *w)
{
    const gz_glb *glb = w->glb;
    for (uint32_t i = 0; i < glb->part_count; ++i) {
        put(w, i == 0 ? ",\"meshes\":[" : ",");
        put_key(w, "{\"primitives\":[{\"attributes\":{\"POSITION\":", glb->parts[i].block);
        put_key(w, "},\"indices\":", (uint64_t)glb->block_count + i);
        put(w, "}]}");
    }
    if (glb->part_count != 0)
        put(w, "]");
}

static void put_floats(writer *w, const char *key, const float values[3])
{
    put(w, key);
    for (int axis = 0; axis < 3; ++axis) {
        char digits[GZ_NUMBER_BYTES];
        put(w, axis == 0 ? "[" : ",");
        put_bytes(w, digits, (uint64_t)(gz_print_float(digits, values[axis]) - digits));
    }
    put(w, "]");
}

// Positions first, then indices: one accessor a block, one a part.
static void put_accessors(writer *w)
{
    const gz_glb *glb = w->glb;
    for (uint32_t i = 0; i < glb->block_count; ++i) {
        const gz_glb_block *block = &glb->blocks[i];
        put(w, i == 0 ? ",\"accessors\":[" : ",");
        put_key(w, "{\"bufferView\":0,\"byteOffset\":", block->byte_offset);
        put_key(w, ",\"componentType\":5126,\"type\":\"VEC3\",\"count\":", block->count);
        if (block->finite) {
            put_floats(w, ",\"min\":", block->min);
            put_floats(w, ",\"max\":", block->max);
        }
        put(w, "}");
    }
    uint32_t narrow_view = glb->wide_bytes != 0 ? 2 : 1;
    for (uint32_t i = 0; i < glb->part_count; ++i) {
        const gz_glb_part *part = &glb->parts[i];
        put_key(w, ",{\"bufferView\":", part->narrow ? narrow_view : 1);
        put_key(w, ",\"byteOffset\":", part->byte_offset);
        put_key(w, ",\"componentType\":", part->narrow ? 5123 : 5125);
        put_key(w, ",\"type\":\"SCALAR\",\"count\":", 3 * part->triangle_count);
        put(w, "}");
    }
    if (glb->part_count != 0)
        put(w, "]");
}

static void put_buffers(writer *w)
{
    const gz_glb *glb = w->glb;
    if (glb->binary_bytes == 0)
        return;
    put_key(w, ",\"bufferViews\":[{\"buffer\":0,\"byteStride\":12,\"target\":34962,\"byteLength\":",
            glb->position_bytes);
    uint64_t offset = glb->position_bytes;
    const uint64_t sizes[2] = {glb->wide_bytes, glb->narrow_bytes};
    for (int i = 0; i < 2; ++i) {
        if (sizes[i] == 0)
            continue;
        put_key(w, "},{\"buffer\":0,\"target\":34963,\"byteOffset\":", offset);
        put_key(w, ",\"byteLength\":", sizes[i]);
        offset += sizes[i];
    }
    put_key(w, "}],\"buffers\":[{\"byteLength\":", glb->binary_bytes);
    put(w, "}]");
}

static graze_status put_document(writer *w)
{
    put(w, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"graze ");
    put(w, graze_version());
    put(w, "\"},\"scene\":0,\"scenes\":[{");
    put_children(w, "\"nodes\":[", &w->roots);
    put(w, "}],\"nodes\":[");
    graze_status status = GRAZE_OK;
    for (uint32_t i = 0; i < w->nodes.count && status == GRAZE_OK; ++i)
        status = put_node(w, i);
    put(w, "]");
    put_meshes(w);
    put_accessors(w);
    put_buffers(w);
    put(w, "}");
    while (!w->failed && w->glb->json.count % 4 != 0)
        put(w, " ");
    if (status == GRAZE_OK && w->failed)
        status = gz_glb_out_of_memory(w->glb);
    return status;
}

graze_status gz_glb_describe(gz_glb *glb)
{
    writer *w = gz_allocate(glb->context, sizeof *w);
    if (w == NULL)
        return gz_glb_out_of_memory(glb);
    *w = (writer){.glb = glb};
    graze_status status = make_tree(w);
    if (status == GRAZE_OK)
        status = put_document(w);
    gz_list_free(glb->context, &w->nodes);
    gz_release(glb->context, w, sizeof *w);
    return status;
}
