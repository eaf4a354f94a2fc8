// The node tree: who is whose child, and where each node stands in the world. See gltf.h.
//
// Nothing here recurses. Links come in three arrays, so that a walk needs no stack but that of the
// matrices, and its depth is limited: a path of names grows with it, and each object gets one.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "mesh/gltf/gltf.h"
#include "mesh/matrix.h"

#define MOST_LEVELS      1024u
#define MOST_NAME_BYTES  4096u
#define MOST_GROUP_BYTES 16384u
#define LONGEST_ESCAPE   6u // characters for one byte: \u0041

// Links the children of a node in their order.
static graze_status link_children(gz_gltf *gltf, uint32_t node)
{
    const gz_json *json = &gltf->json;
    uint32_t list = gz_json_member(json, gltf->nodes.tokens[node], "children");
    if (list != GZ_JSON_NONE && gz_json_kind_of(json, list) != GZ_JSON_ARRAY)
        return gz_json_fail(json, list, "the children of node %" PRIu32 " are not a list", node);
    uint32_t last = GZ_GLTF_NONE;
    for (uint32_t item = gz_json_first(json, list); item != GZ_JSON_NONE;
         item = gz_json_after(json, list, item)) {
        uint32_t child = 0;
        graze_status status = gz_gltf_index_of(gltf, item, "node", gltf->nodes.count, &child);
        if (status != GRAZE_OK)
            return status;
        if (gltf->parent[child] != GZ_GLTF_NONE)
            return gz_json_fail(json, item,
                                "node %" PRIu32 " is a child of node %" PRIu32
                                ", but already one of node %" PRIu32,
                                child, node, gltf->parent[child]);
        gltf->parent[child] = node;
        if (last == GZ_GLTF_NONE)
            gltf->first_child[node] = child;
        else
            gltf->next_sibling[last] = child;
        last = child;
    }
    return GRAZE_OK;
}

// With one parent each, following parents either ends at a root or runs in a circle. Each node is
// passed once: what an earlier climb has passed is known to end.
static graze_status refuse_cycles(gz_gltf *gltf, uint32_t *climb)
{
    for (uint32_t start = 0; start < gltf->nodes.count; ++start) {
        uint32_t node = start;
        while (node != GZ_GLTF_NONE && climb[node] == GZ_GLTF_NONE) {
            climb[node] = start;
            node = gltf->parent[node];
        }
        if (node != GZ_GLTF_NONE && climb[node] == start)
            return gz_json_fail(&gltf->json, gltf->nodes.tokens[node],
                                "node %" PRIu32 " is its own ancestor", node);
    }
    return GRAZE_OK;
}

graze_status gz_gltf_tree_open(gz_gltf *gltf)
{
    uint32_t count = gltf->nodes.count;
    if (count == 0)
        return GRAZE_OK;
    gltf->parent = GZ_NEW_ARRAY(gltf->context, uint32_t, count);
    gltf->first_child = GZ_NEW_ARRAY(gltf->context, uint32_t, count);
    gltf->next_sibling = GZ_NEW_ARRAY(gltf->context, uint32_t, count);
    uint32_t *climb = GZ_NEW_ARRAY(gltf->context, uint32_t, count);
    graze_status status = GRAZE_OK;
    if (gltf->parent == NULL || gltf->first_child == NULL || gltf->next_sibling == NULL ||
        climb == NULL) {
        status = gz_gltf_out_of_memory(gltf);
        goto done;
    }
    for (uint32_t i = 0; i < count; ++i)
        gltf->parent[i] = gltf->first_child[i] = gltf->next_sibling[i] = climb[i] = GZ_GLTF_NONE;
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i)
        status = link_children(gltf, i);
    if (status == GRAZE_OK)
        status = refuse_cycles(gltf, climb);
done:
    GZ_FREE_ARRAY(gltf->context, climb, count);
    return status;
}

void gz_gltf_tree_close(gz_gltf *gltf)
{
    GZ_FREE_ARRAY(gltf->context, gltf->parent, gltf->nodes.count);
    GZ_FREE_ARRAY(gltf->context, gltf->first_child, gltf->nodes.count);
    GZ_FREE_ARRAY(gltf->context, gltf->next_sibling, gltf->nodes.count);
    gltf->parent = gltf->first_child = gltf->next_sibling = NULL;
}

// Columns in the file, rows here. The fourth row must be that of a matrix that moves points.
static graze_status read_matrix(gz_gltf *gltf, uint32_t token, double out[12])
{
    double columns[16];
    graze_status status = gz_gltf_numbers(gltf, token, "matrix", 16, columns);
    if (status != GRAZE_OK)
        return status;
    if (columns[3] != 0 || columns[7] != 0 || columns[11] != 0 || columns[15] != 1)
        return gz_json_fail(&gltf->json, token, "a matrix whose last row is not 0 0 0 1");
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 4; ++column)
            out[4 * row + column] = columns[4 * column + row];
    return GRAZE_OK;
}

static graze_status read_transform(gz_gltf *gltf, uint32_t node, double out[12])
{
    const gz_json *json = &gltf->json;
    uint32_t token = gltf->nodes.tokens[node];
    uint32_t matrix = gz_json_member(json, token, "matrix");
    static const char *const keys[3] = {"translation", "rotation", "scale"};
    static const uint32_t lengths[3] = {3, 4, 3};
    double parts[3][4] = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    bool any = false;
    for (int i = 0; i < 3; ++i) {
        uint32_t part = gz_json_member(json, token, keys[i]);
        if (part == GZ_JSON_NONE)
            continue;
        any = true;
        graze_status status = gz_gltf_numbers(gltf, part, keys[i], lengths[i], parts[i]);
        if (status != GRAZE_OK)
            return status;
    }
    if (matrix != GZ_JSON_NONE) {
        if (any)
            return gz_json_fail(json, matrix,
                                "node %" PRIu32 " has a matrix beside a translation, rotation or "
                                "scale",
                                node);
        return read_matrix(gltf, matrix, out);
    }
    if (!gz_matrix_compose(parts[0], parts[1], parts[2], out))
        return gz_json_fail(json, token, "node %" PRIu32 " has a rotation without length", node);
    return GRAZE_OK;
}

// What a node hands down to its children.
typedef struct level {
    double matrix[12];
    uint32_t group_bytes;
    bool grouped; // some node above has a name, be it empty
} level;

// A walk in progress.
typedef struct walk {
    gz_gltf *gltf;
    graze_status (*visit)(gz_gltf *gltf, const gz_gltf_visit *visit);
    level levels[MOST_LEVELS + 1]; // [0] is the world's
    uint32_t depth;                // of the node that is being looked at; roots are at 1
    char name[MOST_NAME_BYTES * LONGEST_ESCAPE + 1];
    char group[MOST_GROUP_BYTES + 1];
} walk;

// The name of a node or mesh; *there is false if it has none.
static graze_status read_name(gz_gltf *gltf, uint32_t object, char *out, bool *there)
{
    uint32_t token = gz_json_member(&gltf->json, object, "name");
    *there = gz_json_kind_of(&gltf->json, token) == GZ_JSON_STRING;
    if (!*there)
        return GRAZE_OK;
    const gz_json_token *t = &gltf->json.tokens[token];
    uint32_t length = t->end - t->start;
    if (length <= MOST_NAME_BYTES * LONGEST_ESCAPE)
        length = gz_json_decode(&gltf->json, token, out);
    if (length > MOST_NAME_BYTES)
        return gz_fail(gltf->context, GRAZE_ERROR_UNSUPPORTED,
                       "%s: byte %" PRIu64 ": a name of %" PRIu32 " bytes; the limit is %u",
                       gltf->path, gz_json_offset(&gltf->json, token), length, MOST_NAME_BYTES);
    return GRAZE_OK;
}

static graze_status name_object(walk *w, uint32_t node, uint32_t mesh)
{
    gz_gltf *gltf = w->gltf;
    bool there = false;
    graze_status status = GRAZE_OK;
    if (node != GZ_GLTF_NONE)
        status = read_name(gltf, gltf->nodes.tokens[node], w->name, &there);
    if (status == GRAZE_OK && !there)
        status = read_name(gltf, gltf->meshes.tokens[mesh], w->name, &there);
    if (status == GRAZE_OK && !there)
        snprintf(w->name, sizeof w->name, node != GZ_GLTF_NONE ? "node %" PRIu32 : "mesh %" PRIu32,
                 node != GZ_GLTF_NONE ? node : mesh);
    return status;
}

// Adds the node's name to the group that its children are in; nameless ones add nothing.
static graze_status enter_group(walk *w, uint32_t node)
{
    gz_gltf *gltf = w->gltf;
    const level *above = &w->levels[w->depth - 1];
    level *here = &w->levels[w->depth];
    here->group_bytes = above->group_bytes;
    here->grouped = above->grouped;
    bool there = false;
    graze_status status = read_name(gltf, gltf->nodes.tokens[node], w->name, &there);
    if (status != GRAZE_OK || !there)
        return status;
    uint32_t length = (uint32_t)strlen(w->name);
    uint32_t start = above->group_bytes + above->grouped;
    if (start + length > MOST_GROUP_BYTES)
        return gz_fail(gltf->context, GRAZE_ERROR_UNSUPPORTED,
                       "%s: byte %" PRIu64 ": the names of node %" PRIu32
                       " and its parents take more than %u bytes",
                       gltf->path, gz_json_offset(&gltf->json, gltf->nodes.tokens[node]), node,
                       MOST_GROUP_BYTES);
    if (above->grouped)
        w->group[above->group_bytes] = '/';
    memcpy(w->group + start, w->name, length);
    here->group_bytes = start + length;
    here->grouped = true;
    return GRAZE_OK;
}

// Places the node and shows it if it has a mesh.
static graze_status enter_node(walk *w, uint32_t node)
{
    gz_gltf *gltf = w->gltf;
    uint32_t token = gltf->nodes.tokens[node], mesh = GZ_GLTF_NONE;
    if (w->depth > MOST_LEVELS)
        return gz_fail(gltf->context, GRAZE_ERROR_UNSUPPORTED,
                       "%s: byte %" PRIu64 ": node %" PRIu32 " lies more than %u levels deep",
                       gltf->path, gz_json_offset(&gltf->json, token), node, MOST_LEVELS);
    double local[12];
    graze_status status = read_transform(gltf, node, local);
    if (status != GRAZE_OK)
        return status;
    level *here = &w->levels[w->depth];
    if (!gz_matrix_product(w->levels[w->depth - 1].matrix, local, here->matrix))
        return gz_json_fail(&gltf->json, token,
                            "the place of node %" PRIu32 " is beyond all numbers", node);
    status = gz_gltf_index(gltf, token, "mesh", "mesh", gltf->meshes.count, &mesh);
    if (status != GRAZE_OK || mesh == GZ_GLTF_NONE)
        return status;
    if (gz_json_member(&gltf->json, token, "skin") != GZ_JSON_NONE)
        gz_gltf_note_once(gltf, &gltf->noted_skin, "skins are left out: meshes are read unposed");
    status = name_object(w, node, mesh);
    if (status != GRAZE_OK)
        return status;
    w->group[w->levels[w->depth - 1].group_bytes] = '\0';
    gz_gltf_visit visit = {token, mesh, w->name, w->group, here->matrix};
    return w->visit(gltf, &visit);
}

// A root and all below it.
static graze_status walk_tree(walk *w, uint32_t root)
{
    const gz_gltf *gltf = w->gltf;
    w->depth = 1;
    for (uint32_t node = root;;) {
        graze_status status = enter_node(w, node);
        if (status == GRAZE_OK && gltf->first_child[node] != GZ_GLTF_NONE)
            status = enter_group(w, node);
        if (status != GRAZE_OK)
            return status;
        if (gltf->first_child[node] != GZ_GLTF_NONE) {
            node = gltf->first_child[node];
            w->depth++;
            continue;
        }
        while (node != root && gltf->next_sibling[node] == GZ_GLTF_NONE) {
            node = gltf->parent[node];
            w->depth--;
        }
        if (node == root)
            return GRAZE_OK;
        node = gltf->next_sibling[node];
    }
}

// The roots that a scene lists. A node inside another's tree would stand there without its
// parents, and one listed twice would be there twice: neither is allowed.
static graze_status walk_scene(walk *w, uint32_t scene)
{
    gz_gltf *gltf = w->gltf;
    const gz_json *json = &gltf->json;
    uint32_t list = gz_json_member(json, scene, "nodes");
    if (list != GZ_JSON_NONE && gz_json_kind_of(json, list) != GZ_JSON_ARRAY)
        return gz_json_fail(json, list, "the nodes of a scene are not a list");
    uint64_t room = gltf->nodes.count;
    bool *listed = GZ_NEW_ARRAY(gltf->context, bool, room);
    if (listed == NULL && room != 0)
        return gz_gltf_out_of_memory(gltf);
    if (listed != NULL)
        memset(listed, 0, (size_t)room);
    graze_status status = GRAZE_OK;
    for (uint32_t item = gz_json_first(json, list); status == GRAZE_OK && item != GZ_JSON_NONE;
         item = gz_json_after(json, list, item)) {
        uint32_t node = 0;
        status = gz_gltf_index_of(gltf, item, "node", gltf->nodes.count, &node);
        if (status != GRAZE_OK)
            break;
        if (gltf->parent[node] != GZ_GLTF_NONE)
            status = gz_json_fail(
                json, item, "a scene begins at node %" PRIu32 ", which is a child of node %" PRIu32,
                node, gltf->parent[node]);
        else if (listed[node])
            status = gz_json_fail(json, item, "a scene lists node %" PRIu32 " twice", node);
        else
            status = walk_tree(w, node);
        listed[node] = true;
    }
    GZ_FREE_ARRAY(gltf->context, listed, room);
    return status;
}

// The scene that the file names, else its first; GZ_JSON_NONE if it has none.
static graze_status choose_scene(gz_gltf *gltf, uint32_t *scene)
{
    const gz_json *json = &gltf->json;
    uint32_t list = gz_json_member(json, 0, "scenes"), chosen = GZ_GLTF_NONE;
    graze_status status =
        gz_gltf_index(gltf, 0, "scene", "scene", gz_json_count(json, list), &chosen);
    *scene = gz_json_first(json, list);
    for (; status == GRAZE_OK && chosen != GZ_GLTF_NONE && chosen != 0; --chosen)
        *scene = gz_json_after(json, list, *scene);
    return status;
}

static graze_status walk_roots(walk *w)
{
    graze_status status = GRAZE_OK;
    for (uint32_t node = 0; status == GRAZE_OK && node < w->gltf->nodes.count; ++node)
        if (w->gltf->parent[node] == GZ_GLTF_NONE)
            status = walk_tree(w, node);
    return status;
}

static graze_status walk_meshes(walk *w)
{
    graze_status status = GRAZE_OK;
    for (uint32_t mesh = 0; status == GRAZE_OK && mesh < w->gltf->meshes.count; ++mesh) {
        status = name_object(w, GZ_GLTF_NONE, mesh);
        gz_gltf_visit visit = {GZ_JSON_NONE, mesh, w->name, "", gz_matrix_identity};
        if (status == GRAZE_OK)
            status = w->visit(w->gltf, &visit);
    }
    return status;
}

graze_status gz_gltf_walk(gz_gltf *gltf,
                          graze_status (*visit)(gz_gltf *gltf, const gz_gltf_visit *visit))
{
    walk *w = gz_allocate(gltf->context, sizeof *w);
    if (w == NULL)
        return gz_gltf_out_of_memory(gltf);
    w->gltf = gltf;
    w->visit = visit;
    memcpy(w->levels[0].matrix, gz_matrix_identity, sizeof gz_matrix_identity);
    w->levels[0].group_bytes = 0;
    w->levels[0].grouped = false;
    uint32_t scene = GZ_JSON_NONE;
    graze_status status = choose_scene(gltf, &scene);
    if (status == GRAZE_OK && gltf->nodes.count == 0)
        status = walk_meshes(w);
    else if (status == GRAZE_OK)
        status = scene != GZ_JSON_NONE ? walk_scene(w, scene) : walk_roots(w);
    gz_release(gltf->context, w, sizeof *w);
    return status;
}
