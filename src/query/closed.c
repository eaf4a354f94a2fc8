// Closedness and pieces of a shape. See closed.h.
//
// A set of edges is kept while all triangles are visited in the order of the tree: an edge that is
// not there is put in, one that is there is taken out, and the two triangles are of one piece. What
// is left has an odd number of triangles. Neighbours stand close to each other in the tree, so the
// set stays small: it holds the border of what was visited. Edges are known by the coordinates of
// their ends, bit for bit but for the sign of zero. Those that are points do not count.
#include "query/closed.h"

#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/threads.h"
#include "query/hold.h"

#define FEWEST   1024 // slots of a set; a power of two
#define PATIENCE 65536

// Two ends, the smaller first; the first number of a free slot is not one.
typedef struct edge {
    double end[2][3];
    uint32_t triangle;
    uint32_t unused;
} edge;
_Static_assert(sizeof(edge) == 56, "no gaps");

typedef struct edge_set {
    graze_context *context;
    edge *slots;
    uint64_t capacity, count;
} edge_set;

static bool is_free(const edge *slot) { return slot->end[0][0] != slot->end[0][0]; }

static uint64_t home_of(const edge_set *set, const edge *e)
{
    uint64_t hash = 0, word;
    for (int i = 0; i < 6; ++i) {
        memcpy(&word, &e->end[i / 3][i % 3], sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash & (set->capacity - 1);
}

static bool set_room(edge_set *set, uint64_t capacity)
{
    set->slots = GZ_NEW_ARRAY(set->context, edge, capacity);
    if (set->slots == NULL)
        return false;
    memset(set->slots, 0xff, (size_t)capacity * sizeof *set->slots);
    set->capacity = capacity;
    return true;
}

static int compare_ends(const double p[3], const double q[3])
{
    for (int i = 0; i < 3; ++i)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

// The slot of the edge, or the free one where it belongs.
static edge *find(const edge_set *set, const edge *e)
{
    uint64_t at = home_of(set, e);
    while (!is_free(&set->slots[at]) && (compare_ends(set->slots[at].end[0], e->end[0]) != 0 ||
                                         compare_ends(set->slots[at].end[1], e->end[1]) != 0))
        at = (at + 1) & (set->capacity - 1);
    return &set->slots[at];
}

static bool grow(edge_set *set)
{
    edge_set old = *set;
    if (!set_room(set, 2 * old.capacity)) {
        *set = old;
        return false;
    }
    for (uint64_t i = 0; i < old.capacity; ++i)
        if (!is_free(&old.slots[i]))
            *find(set, &old.slots[i]) = old.slots[i];
    GZ_FREE_ARRAY(old.context, old.slots, old.capacity);
    return true;
}

// Closes the gap: what stands behind it and not at home moves up.
static void take_out(edge_set *set, edge *slot)
{
    uint64_t mask = set->capacity - 1, gap = (uint64_t)(slot - set->slots);
    for (uint64_t at = (gap + 1) & mask; !is_free(&set->slots[at]); at = (at + 1) & mask) {
        uint64_t home = home_of(set, &set->slots[at]);
        if (((at - home) & mask) < ((at - gap) & mask))
            continue;
        set->slots[gap] = set->slots[at];
        gap = at;
    }
    memset(&set->slots[gap], 0xff, sizeof set->slots[gap]);
    set->count--;
}

// Triangles in the order of the visit; each leads to an earlier one of its piece, or to itself.
static uint32_t root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void join(uint32_t *parent, uint32_t i, uint32_t k)
{
    i = root_of(parent, i);
    k = root_of(parent, k);
    parent[i > k ? i : k] = i > k ? k : i;
}

static bool meet_edge(edge_set *set, uint32_t *parent, const double p[3], const double q[3],
                      uint32_t triangle)
{
    int order = compare_ends(p, q);
    if (order == 0)
        return true;
    edge e = {.triangle = triangle};
    for (int i = 0; i < 3; ++i) { // adding 0 makes -0 into 0
        e.end[0][i] = (order < 0 ? p : q)[i] + 0.0;
        e.end[1][i] = (order < 0 ? q : p)[i] + 0.0;
    }
    if (2 * (set->count + 1) > set->capacity && !grow(set))
        return false;
    edge *slot = find(set, &e);
    if (is_free(slot)) {
        *slot = e;
        set->count++;
        return true;
    }
    join(parent, slot->triangle, triangle);
    take_out(set, slot);
    return true;
}

static graze_status visit(const gz_tree *tree, edge_set *set, uint32_t *parent)
{
    uint32_t number = 0;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; ++leaf) {
        uint32_t count = gz_tree_leaf_count(tree, leaf);
        for (uint32_t slot = 0; slot < count; ++slot, ++number) {
            graze_triangle t;
            gz_tree_triangle(tree, leaf, slot, &t);
            parent[number] = number;
            for (int i = 0; i < 3; ++i)
                if (!meet_edge(set, parent, t.corner[i], t.corner[(i + 1) % 3], number))
                    return GRAZE_ERROR_MEMORY;
            if (number % PATIENCE == PATIENCE - 1 &&
                gz_checkpoint(set->context, "following edges", "triangles", number,
                              tree->triangle_count) != GRAZE_OK)
                return GRAZE_ERROR_CANCELLED;
        }
    }
    return GRAZE_OK;
}

static uint64_t bytes_of(uint64_t count)
{
    return sizeof(struct gz_pieces) + count * sizeof(gz_piece_place);
}

static struct gz_pieces *list_pieces(graze_context *context, const gz_tree *tree,
                                     const uint32_t *parent, bool closed)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < tree->triangle_count; ++i)
        count += parent[i] == i;
    struct gz_pieces *made = gz_allocate(context, bytes_of(count));
    if (made == NULL)
        return NULL;
    made->closed = closed;
    made->count = 0;
    uint32_t number = 0;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; ++leaf)
        for (uint32_t slot = 0; slot < gz_tree_leaf_count(tree, leaf); ++slot, ++number)
            if (parent[number] == number)
                made->first[made->count++] = (gz_piece_place){leaf, slot};
    return made;
}

static graze_status find_pieces(const graze_shape *shape, struct gz_pieces **made)
{
    const gz_tree *tree = NULL;
    graze_context *context = shape->context;
    edge_set set = {.context = context};
    graze_status status = gz_shape_whole(shape, &tree);
    if (status != GRAZE_OK)
        return status;
    status = GRAZE_ERROR_MEMORY;
    uint32_t *parent = GZ_NEW_ARRAY(context, uint32_t, tree->triangle_count + 1);
    if (parent != NULL && set_room(&set, FEWEST))
        status = visit(tree, &set, parent);
    if (status == GRAZE_OK) {
        *made = list_pieces(context, tree, parent, set.count == 0);
        status = *made == NULL ? GRAZE_ERROR_MEMORY : GRAZE_OK;
    }
    if (parent != NULL)
        GZ_FREE_ARRAY(context, parent, tree->triangle_count + 1);
    if (set.slots != NULL)
        GZ_FREE_ARRAY(context, set.slots, set.capacity);
    if (status == GRAZE_ERROR_MEMORY)
        return gz_fail(context, status, "out of memory for the edges of a shape");
    return status;
}

// Threads that ask at the same time find the same; one of them has its result kept.
graze_status gz_shape_pieces(const graze_shape *shape, const struct gz_pieces **pieces)
{
    struct gz_pieces *known = atomic_load(&shape->found->pieces), *made = NULL;
    *pieces = known;
    if (known != NULL)
        return GRAZE_OK;
    graze_status status = find_pieces(shape, &made);
    if (status != GRAZE_OK)
        return status;
    if (!atomic_compare_exchange_strong(&shape->found->pieces, &known, made)) {
        gz_release(shape->context, made, bytes_of(made->count));
        made = known;
    }
    *pieces = made;
    return GRAZE_OK;
}

uint64_t gz_shape_pieces_bytes(const graze_shape *shape)
{
    const struct gz_pieces *known = atomic_load(&shape->found->pieces);
    return known == NULL ? 0 : bytes_of(known->count);
}

graze_knowledge gz_shape_known_closed(const graze_shape *shape)
{
    const struct gz_pieces *known = atomic_load(&shape->found->pieces);
    return known == NULL ? GRAZE_NOT_ASKED : known->closed ? GRAZE_YES : GRAZE_NO;
}

void gz_shape_free_pieces(graze_shape *shape)
{
    struct gz_pieces *known = atomic_exchange(&shape->found->pieces, NULL);
    if (known != NULL)
        gz_release(shape->context, known, bytes_of(known->count));
}

graze_status graze_shape_closed(const graze_shape *shape, uint32_t *closed)
{
    if (shape == NULL || closed == NULL)
        return GRAZE_ERROR_ARGUMENT;
    const struct gz_pieces *pieces = NULL;
    *closed = 0;
    graze_status status = gz_shape_pieces(shape, &pieces);
    if (status == GRAZE_OK)
        *closed = pieces->closed;
    return status;
}
