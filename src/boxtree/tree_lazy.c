// Grows a tree subtree by subtree. See tree_lazy.h.
//
// All that changes is guarded by one lock, which is held while subtrees are grown: threads that
// need others wait. It is not held while the threads of the context work, which might run a
// question in between that wants it; so one thread grows. A new state has copies of all nodes and
// leaves, which takes a tenth of the time of growing them; the order of triangles is one array for
// all states, since a subtree's stretch of it is written before there is a state with that subtree.
#include "boxtree/tree_lazy.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/context.h"
#include "boxtree/tree_builder.h"
#include "geometry/fpu.h"

struct gz_lazy {
    graze_context *context;
    gz_tree frame;        // without arrays but for the order
    graze_mesh_view view; // of copies, until the tree is whole
    gz_tree_builder builder;
    uint32_t subtree_count;
    gz_middle *boxes;
    pthread_mutex_t lock;
    uint32_t grown_count; // the rest is guarded by the lock
    gz_lazy_state *current;
    _Atomic(gz_lazy_state *) whole; // the last state, when there is nothing left to grow
};

static uint64_t state_bytes(const gz_lazy *lazy)
{
    return sizeof(gz_lazy_state) + lazy->subtree_count;
}

static void free_state(gz_lazy *lazy, gz_lazy_state *state)
{
    state->tree.order = NULL; // it is everybody's
    gz_tree_free(&state->tree);
    gz_release(lazy->context, state, state_bytes(lazy));
}

static uint64_t position_bytes(const gz_lazy *lazy)
{
    return lazy->view.vertex_count * 3 * (uint64_t)lazy->view.precision;
}

static uint64_t corner_bytes(const gz_lazy *lazy)
{
    return lazy->view.triangle_count * 3 * sizeof(uint32_t);
}

// Lets go of what growing needs.
static void free_means(gz_lazy *lazy)
{
    gz_tree_builder_free(&lazy->builder);
    gz_release(lazy->context, (void *)(uintptr_t)lazy->view.positions, position_bytes(lazy));
    gz_release(lazy->context, (void *)(uintptr_t)lazy->view.corners, corner_bytes(lazy));
    lazy->view.positions = NULL;
    lazy->view.corners = NULL;
}

void gz_lazy_free(gz_lazy *lazy)
{
    if (lazy == NULL)
        return;
    graze_context *context = lazy->context;
    if (lazy->current != NULL)
        free_state(lazy, lazy->current);
    free_means(lazy);
    GZ_FREE_ARRAY(context, lazy->boxes, lazy->subtree_count);
    GZ_FREE_ARRAY(context, lazy->frame.order, lazy->frame.triangle_count);
    pthread_mutex_destroy(&lazy->lock);
    gz_release(context, lazy, sizeof *lazy);
}

static bool copy_mesh(gz_lazy *lazy, const graze_mesh_view *view)
{
    lazy->view = (graze_mesh_view){.precision = view->precision,
                                   .vertex_count = view->vertex_count,
                                   .triangle_count = view->triangle_count};
    void *positions = gz_allocate(lazy->context, position_bytes(lazy));
    void *corners = gz_allocate(lazy->context, corner_bytes(lazy));
    lazy->view.positions = positions;
    lazy->view.corners = corners;
    if (positions == NULL || corners == NULL)
        return false;
    memcpy(positions, view->positions, (size_t)position_bytes(lazy));
    memcpy(corners, view->corners, (size_t)corner_bytes(lazy));
    return true;
}

gz_middle gz_rows_middle(const gz_tree *frame, const float low[3], const float high[3])
{
    gz_middle box;
    double unit = 1 / frame->scale;
    for (int axis = 0; axis < 3; ++axis) {
        double below = (double)low[axis], above = (double)high[axis];
        box.origin[axis] = frame->origin[axis] + (below + above) / 2 * unit;
        box.half[axis] =
            (above - below) / 2 * unit + 0x1p-50 * (fabs(frame->origin[axis]) + 2 * unit);
    }
    return box;
}

static bool set_boxes(gz_lazy *lazy)
{
    lazy->boxes = GZ_NEW_ARRAY(lazy->context, gz_middle, lazy->builder.subtrees.count);
    if (lazy->boxes == NULL)
        return false;
    lazy->subtree_count = (uint32_t)lazy->builder.subtrees.count;
    for (uint32_t i = 0; i < lazy->subtree_count; ++i) {
        const gz_range *from = &((const gz_subtree *)lazy->builder.subtrees.items)[i].from;
        float low[3] = {from->low[0], from->low[1], from->low[2]};
        float high[3] = {from->high[0], from->high[1], from->high[2]};
        lazy->boxes[i] = gz_rows_middle(&lazy->frame, low, high);
    }
    return true;
}

// A state of what is joined or grown.
static gz_lazy_state *make_state(gz_lazy *lazy)
{
    gz_lazy_state *made = gz_allocate(lazy->context, state_bytes(lazy));
    if (made == NULL)
        return NULL;
    made->tree = lazy->frame;
    made->tree.serial = atomic_fetch_add(&lazy->context->serial, 1) + 1;
    made->users = 0;
    if (gz_tree_builder_join(&lazy->builder, lazy->current == NULL ? NULL : &lazy->current->tree,
                             &made->tree) != GRAZE_OK) {
        free_state(lazy, made);
        return NULL;
    }
    made->tree.grain = gz_tree_mean_size(&made->tree);
    made->complete = true;
    for (uint32_t i = 0; i < lazy->subtree_count; ++i) {
        made->grown[i] = ((const gz_subtree *)lazy->builder.subtrees.items)[i].joined;
        made->complete &= made->grown[i] != 0;
    }
    return made;
}

static graze_status set_up(gz_lazy *lazy, const graze_mesh_view *view)
{
    lazy->frame.order = GZ_NEW_ARRAY(lazy->context, uint32_t, view->triangle_count);
    if (lazy->frame.order == NULL || !copy_mesh(lazy, view))
        return GRAZE_ERROR_MEMORY;
    lazy->builder = (gz_tree_builder){.context = lazy->context, .view = &lazy->view, .quick = true};
    graze_status status = gz_tree_builder_make(&lazy->builder, &lazy->frame);
    if (status != GRAZE_OK)
        return status;
    lazy->builder.quick = false; // below the cuts there is care
    if (!set_boxes(lazy))
        return GRAZE_ERROR_MEMORY;
    lazy->current = make_state(lazy);
    return lazy->current == NULL ? GRAZE_ERROR_MEMORY : GRAZE_OK;
}

graze_status gz_lazy_create(graze_context *context, const graze_mesh_view *view,
                            const gz_tree *frame, gz_lazy **lazy)
{
    graze_status status = GRAZE_ERROR_MEMORY;
    gz_lazy *made = gz_allocate(context, sizeof *made);
    *lazy = NULL;
    if (made != NULL) {
        memset(made, 0, sizeof *made);
        made->context = context;
        made->frame = *frame;
        made->builder.context = context;
        made->builder.view = &made->view;
        pthread_mutex_init(&made->lock, NULL);
        status = set_up(made, view);
    }
    if (status == GRAZE_OK)
        *lazy = made;
    else
        gz_lazy_free(made);
    if (status == GRAZE_ERROR_MEMORY)
        return gz_fail(context, status, "out of memory for the tree of %llu triangles",
                       (unsigned long long)view->triangle_count);
    return status;
}

uint64_t gz_lazy_bytes(gz_lazy *lazy)
{
    pthread_mutex_lock(&lazy->lock);
    uint64_t bytes = sizeof *lazy + state_bytes(lazy) - sizeof lazy->current->tree +
                     gz_tree_bytes(&lazy->current->tree) + lazy->subtree_count * sizeof(gz_middle);
    if (lazy->builder.references != NULL)
        bytes += lazy->view.triangle_count * sizeof(gz_reference) + position_bytes(lazy) +
                 corner_bytes(lazy) + lazy->builder.subtrees.capacity * sizeof(gz_subtree) +
                 lazy->builder.nodes.capacity * sizeof(gz_node) +
                 lazy->builder.cuts.capacity * sizeof(gz_grid_cut);
    pthread_mutex_unlock(&lazy->lock);
    return bytes;
}

const gz_lazy_state *gz_lazy_pin(gz_lazy *lazy)
{
    gz_lazy_state *state = atomic_load(&lazy->whole);
    if (state != NULL)
        return state;
    pthread_mutex_lock(&lazy->lock);
    state = lazy->current;
    state->users++;
    pthread_mutex_unlock(&lazy->lock);
    return state;
}

void gz_lazy_unpin(gz_lazy *lazy, const gz_lazy_state *state)
{
    if (state == NULL || state->complete)
        return; // it stays
    pthread_mutex_lock(&lazy->lock);
    gz_lazy_state *mine = (gz_lazy_state *)(uintptr_t)state;
    if (--mine->users == 0 && mine != lazy->current)
        free_state(lazy, mine);
    pthread_mutex_unlock(&lazy->lock);
}

uint32_t gz_lazy_subtree_count(const gz_lazy *lazy) { return lazy->subtree_count; }

const gz_middle *gz_lazy_boxes(const gz_lazy *lazy) { return lazy->boxes; }

static void replace_state(gz_lazy *lazy, gz_lazy_state *made)
{
    gz_lazy_state *old = lazy->current;
    lazy->current = made;
    if (old->users == 0)
        free_state(lazy, old);
    if (made->complete) {
        free_means(lazy);
        atomic_store(&lazy->whole, made);
    }
}

// Under the lock.
static graze_status grow_wanted(gz_lazy *lazy, const uint8_t *wanted)
{
    gz_subtree *subtrees = lazy->builder.subtrees.items;
    graze_status status = GRAZE_OK;
    uint32_t count = 0;
    lazy->builder.cancelled = false;
    for (uint32_t i = 0; i < lazy->subtree_count && status == GRAZE_OK; ++i) {
        if (lazy->current->grown[i] != 0 || (wanted != NULL && wanted[i] == 0))
            continue;
        gz_tree_builder_grow(&lazy->builder, i);
        status = subtrees[i].status;
        count++;
    }
    if (count == 0)
        return GRAZE_OK; // by others, meanwhile
    for (uint32_t i = 0; i < lazy->subtree_count; ++i)
        if (subtrees[i].grown)
            gz_tree_builder_order(&lazy->builder, i, lazy->frame.order);
    gz_lazy_state *made = status == GRAZE_OK ? make_state(lazy) : NULL;
    if (made != NULL) {
        replace_state(lazy, made);
        return GRAZE_OK;
    }
    lazy->builder.done = 0;
    for (uint32_t i = 0; i < lazy->subtree_count; ++i) {
        gz_subtree_clear(&subtrees[i]);
        lazy->builder.done += subtrees[i].joined ? subtrees[i].from.count : 0;
    }
    return status == GRAZE_OK ? GRAZE_ERROR_MEMORY : status;
}

graze_status gz_lazy_grow(gz_lazy *lazy, const uint8_t *wanted)
{
    graze_status status = GRAZE_OK;
    gz_fpu_state state = gz_fpu_enter();
    pthread_mutex_lock(&lazy->lock);
    if (!lazy->current->complete)
        status = grow_wanted(lazy, wanted);
    pthread_mutex_unlock(&lazy->lock);
    gz_fpu_leave(state);
    if (status == GRAZE_ERROR_MEMORY)
        return gz_fail(lazy->context, status,
                       "out of memory for more of a tree that is built lazily");
    return status;
}

const gz_tree *gz_lazy_whole(gz_lazy *lazy)
{
    const gz_lazy_state *state = atomic_load(&lazy->whole);
    return state == NULL ? NULL : &state->tree;
}

void gz_lazy_take(gz_lazy *lazy, gz_tree *tree)
{
    *tree = lazy->current->tree;
    lazy->current->tree.nodes = lazy->current->tree.leaves = NULL;
    lazy->current->tree.vertices = NULL;
    lazy->frame.order = NULL;
    gz_lazy_free(lazy);
}
