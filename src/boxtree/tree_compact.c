// Makes a compact tree of a fast one. See tree.h.
//
// Leaves are taken one by one. A vertex that no leaf had before becomes the leaf's own; the others
// are named. Vertices are known by their number in the mesh, so triangles that repeat positions
// under new numbers, as soups do, bring new vertices.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "boxtree/tree.h"

#define UNKNOWN     UINT32_MAX
#define LAST_CELL   255.0
#define FLOAT_STEPS 22 // a base has at most 2^22 steps, so that base and cells add up to a float

// The finest grid on which eight boxes fit into bytes, rounded outward.
static void fit_grid(const float row[GZ_ROWS], gz_small_node *to, int axis)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < GZ_WIDE; ++i) {
        low = fmin(low, (double)row[GZ_ROW_LOW(i)]);
        high = fmax(high, -(double)row[GZ_ROW_HIGH(i)]);
    }
    int exponent = -126, size;
    double largest = fmax(fabs(low), fabs(high));
    (void)frexp(largest, &size);
    if (largest > 0 && size - FLOAT_STEPS > exponent)
        exponent = size - FLOAT_STEPS;
    while (ceil(high / ldexp(1, exponent)) - floor(low / ldexp(1, exponent)) > LAST_CELL)
        ++exponent;
    double step = ldexp(1, exponent), base = floor(low / step);
    to->base[axis] = (float)(base * step);
    to->exponent[axis] = (int8_t)exponent;
    for (int i = 0; i < GZ_WIDE; ++i) {
        to->cell[axis][GZ_ROW_LOW(i)] = (uint8_t)(floor((double)row[GZ_ROW_LOW(i)] / step) - base);
        to->cell[axis][GZ_ROW_HIGH(i)] =
            (uint8_t)(ceil(-(double)row[GZ_ROW_HIGH(i)] / step) - base);
    }
}

void gz_small_node_fit(gz_small_node *node, const float row[3][GZ_ROWS])
{
    for (int axis = 0; axis < 3; ++axis)
        fit_grid(row[axis], node, axis);
}

static gz_small_node *make_nodes(const gz_tree *tree)
{
    gz_small_node *nodes = GZ_NEW_ARRAY(tree->context, gz_small_node, tree->node_count);
    for (uint32_t i = 0; i < tree->node_count && nodes != NULL; ++i) {
        const gz_node *from = &((const gz_node *)tree->nodes)[i];
        nodes[i] = (gz_small_node){.links = from->links};
        gz_small_node_fit(&nodes[i], from->row);
    }
    return nodes;
}

// What is made while the leaves are gone through. Lists grow; the rest is as long as it will be.
typedef struct making {
    const gz_tree *tree;
    const graze_mesh_view *view;
    gz_small_leaf *leaves;
    uint16_t *corners;
    uint32_t *known;       // vertex of the mesh -> vertex of the tree
    gz_index_list numbers; // vertex of the tree -> vertex of the mesh
    gz_index_list others;
} making;

// For each vertex of a leaf, one of the numbers that it has in the mesh.
static void numbers_in_mesh(const making *m, uint32_t leaf, uint32_t numbers[GZ_LEAF])
{
    const gz_leaf_head *head = gz_tree_head(m->tree, leaf);
    for (uint32_t t = head->triangle_count; t-- > 0;) {
        uint64_t triangle = m->tree->order[head->first + t];
        for (uint32_t k = 3; k-- > 0;)
            numbers[gz_leaf_corner(head, k, t)] = m->view->corners[3 * triangle + k];
    }
}

static bool make_leaf(making *m, uint32_t leaf)
{
    graze_context *context = m->tree->context;
    const gz_leaf_head *head = gz_tree_head(m->tree, leaf);
    uint32_t numbers[GZ_LEAF] = {0}, place[GZ_LEAF], own = 0, other = 0;
    numbers_in_mesh(m, leaf, numbers);
    gz_small_leaf made = {.first = head->first,
                          .first_own = (uint32_t)m->numbers.count,
                          .first_other = (uint32_t)m->others.count,
                          .triangle_count = head->triangle_count,
                          .vertex_count = head->vertex_count};
    for (uint32_t v = 0; v < head->vertex_count; ++v) {
        uint32_t *known = &m->known[numbers[v]];
        bool is_new = *known == UNKNOWN;
        uint32_t *slot = gz_list_push(context, is_new ? &m->numbers : &m->others, 1);
        if (slot == NULL)
            return false;
        if (is_new) {
            *slot = numbers[v];
            *known = (uint32_t)m->numbers.count - 1;
            place[v] = own++;
        } else {
            *slot = *known;
            place[v] = UNKNOWN;
        }
    }
    for (uint32_t v = 0; v < head->vertex_count; ++v)
        if (place[v] == UNKNOWN)
            place[v] = own + other++;
    made.own_count = (uint8_t)own;
    m->leaves[leaf] = made;
    for (uint32_t t = 0; t < head->triangle_count; ++t)
        m->corners[head->first + t] =
            (uint16_t)(place[gz_leaf_corner(head, 0, t)] | place[gz_leaf_corner(head, 1, t)] << 4 |
                       place[gz_leaf_corner(head, 2, t)] << 8);
    return true;
}

static void *copy_vertices(const making *m)
{
    uint64_t bytes = 3 * (uint64_t)m->tree->precision;
    char *copy = gz_allocate_array(m->tree->context, m->numbers.count, bytes);
    const uint32_t *numbers = m->numbers.items;
    for (uint64_t v = 0; v < m->numbers.count && copy != NULL; ++v)
        memcpy(copy + v * bytes, (const char *)m->view->positions + numbers[v] * bytes,
               (size_t)bytes);
    return copy;
}

static bool make_leaves(making *m)
{
    graze_context *context = m->tree->context;
    m->leaves = GZ_NEW_ARRAY(context, gz_small_leaf, m->tree->leaf_count);
    m->corners = GZ_NEW_ARRAY(context, uint16_t, m->tree->triangle_count);
    m->known = GZ_NEW_ARRAY(context, uint32_t, m->view->vertex_count);
    if (m->leaves == NULL || m->corners == NULL || m->known == NULL)
        return false;
    memset(m->known, 0xff, (size_t)m->view->vertex_count * sizeof *m->known);
    for (uint32_t leaf = 0; leaf < m->tree->leaf_count; ++leaf)
        if (!make_leaf(m, leaf))
            return false;
    return true;
}

graze_status gz_tree_compact(gz_tree *tree, const graze_mesh_view *view)
{
    graze_context *context = tree->context;
    making m = {.tree = tree, .view = view};
    gz_small_node *nodes = make_nodes(tree);
    void *vertices = NULL;
    if (nodes != NULL && make_leaves(&m))
        vertices = copy_vertices(&m);
    gz_list_trim(context, &m.others);
    if (vertices != NULL && m.others.capacity != m.others.count) { // the tree knows the count only
        gz_release(context, vertices, m.numbers.count * 3 * (uint64_t)tree->precision);
        vertices = NULL;
    }
    if (m.known != NULL)
        GZ_FREE_ARRAY(context, m.known, view->vertex_count);
    if (vertices == NULL) {
        if (nodes != NULL)
            GZ_FREE_ARRAY(context, nodes, tree->node_count);
        if (m.leaves != NULL)
            GZ_FREE_ARRAY(context, m.leaves, tree->leaf_count);
        if (m.corners != NULL)
            GZ_FREE_ARRAY(context, m.corners, tree->triangle_count);
        gz_list_free(context, &m.numbers);
        gz_list_free(context, &m.others);
        return GRAZE_ERROR_MEMORY;
    }
    gz_tree compact = *tree;
    uint32_t *order = tree->order;
    tree->order = NULL; // it stays
    compact.layout = GRAZE_LAYOUT_COMPACT;
    compact.nodes = nodes;
    compact.leaves = m.leaves;
    compact.corners = m.corners;
    compact.vertices = vertices;
    compact.vertex_count = m.numbers.count;
    compact.others = m.others.items;
    compact.other_count = m.others.count;
    gz_list_free(context, &m.numbers);
    gz_tree_free(tree);
    *tree = compact;
    tree->order = order;
    return GRAZE_OK;
}
