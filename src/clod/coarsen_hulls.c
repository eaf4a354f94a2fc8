// Coarser surfaces of convex patches. See coarsen_hulls.h.
//
// Edges are collapsed in the order of their resolution, the shortest first, by filtered edge
// collapse (Otaduy and Lin, "Sensation Preserving Simplification for Haptic Rendering", 2003): the
// vertex goes where the surface is smoothest, as far as the patches stay convex and behind the
// surface, searching back from there to the place of least quadric error. After each collapse,
// patches that it touched are joined with neighbours where that makes valid patches.
#include "clod/coarsen_hulls.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/heap.h"
#include "base/threads.h"
#include "clod/vertex_target.h"
#include "geometry/vector.h"

#define JOINED_MOST 64u  // triangles of a patch of a coarser surface
#define TURN_MOST   0.25 // cosine: triangles do not turn farther in one collapse
#define ROUGH_MOST                                                                                 \
    0.2 // of the edges' length: how far a vertex may be from the planes it stands for
#define PASS_LEAST 0.01 // of the vertices: a pass over all edges with fewer collapses is the last
#define LAST_LEVEL 0.9  // of the patches of the level before: fewer are worth one more
#define LOOK_EACH  256u // collapses: whether to go on

typedef struct waiting_edge {
    double square; // of its length
    uint32_t vertex[2], version;
} waiting_edge;

// The shortest first.
GZ_HEAP(edge_heap, waiting_edge, square, <)

typedef struct coarsening {
    graze_context *context;
    gz_patches *p;
    gz_hull_surface *s;
    gz_draft *draft;
    graze_contact_detail *detail;
    gz_quadric *quadric; // of a vertex
    uint32_t *version;   // of a vertex: the collapses that it was in
    gz_list heap;
    gz_index_list next_node; // of a draft's node, in the chain of its patch
    uint32_t level_most, level_hulls;
    uint64_t collapses;
    // The collapse that is tried.
    gz_vertex_star star;
    uint32_t shared[2], shared_count;
    gz_index_list patches; // that have a triangle in it
    gz_plane_list normals; // of the star, before
    double before[2][3];   // the places of the two vertices
    gz_target_space_list spaces;
} coarsening;

static graze_status no_memory(const coarsening *c)
{
    return gz_fail(c->context, GRAZE_ERROR_MEMORY,
                   "out of memory to make a contact detail coarser");
}

static bool push_number(const coarsening *c, gz_index_list *list, uint32_t number)
{
    uint32_t *room = gz_list_push(c->context, list, 1);
    if (room != NULL)
        *room = number;
    return room != NULL;
}

// --- Levels

static bool boxes_overlap(const graze_box *a, const graze_box *b)
{
    for (int i = 0; i < 3; ++i)
        if (a->min[i] > b->max[i] || b->min[i] > a->max[i])
            return false;
    return true;
}

// A node for the patch as it is now, without children; those of the level below stay in its chain.
static bool make_node(coarsening *c, gz_convex_patch *patch, uint32_t number)
{
    gz_patches_outline(c->p, number, GZ_NO_PATCH);
    patch->made =
        c->p->out_of_memory ? UINT32_MAX : gz_draft_patch(c->draft, c->p, c->detail->level_count);
    return patch->made != UINT32_MAX && push_number(c, &c->next_node, UINT32_MAX);
}

static gz_hull hull_of(const coarsening *c, uint32_t node)
{
    const gz_detail_node *n = &c->draft->nodes.items[node].node;
    return (gz_hull){c->draft->points.items + 3 * (uint64_t)n->first_point, n->point_count};
}

// How far a hull reaches out of another one, or infinity once that is too much.
static double reach_beyond(const gz_hull *from, const gz_hull *to, double most)
{
    double reach = 0;
    for (uint32_t i = 0; i < from->count && reach < most; ++i) {
        double point[3];
        gz_hull_point(from, i, point);
        reach = fmax(reach, gz_hull_reach(to, point, 0));
    }
    return reach < most ? reach : HUGE_VAL;
}

// Patches wander while they get coarser, so a node of the level below need not be nearest to what
// became of its own patch. It goes to the one of the new nodes out of which it reaches the least.
static bool find_parent(coarsening *c, uint32_t node, uint32_t own, uint32_t *parent)
{
    gz_hull hull = hull_of(c, node), other = hull_of(c, own);
    graze_box box = graze_box_empty();
    for (uint32_t i = 0; i < hull.count; ++i) {
        double point[3];
        gz_hull_point(&hull, i, point);
        graze_box one = {{point[0], point[1], point[2]}, {point[0], point[1], point[2]}};
        box = graze_box_join(&box, &one);
    }
    double least = reach_beyond(&hull, &other, HUGE_VAL);
    *parent = own;
    c->p->near_hulls.count = 0;
    if (!gz_patch_grid_find(&c->p->hulls, &box, &c->p->near_hulls))
        return false;
    uint32_t stamp = ++c->p->stamp;
    for (uint64_t i = 0; i < c->p->near_hulls.count; ++i) {
        uint32_t number = c->p->near_hulls.items[i];
        const gz_convex_patch *patch = &c->p->patch[number];
        if (c->p->patch_stamp[number] == stamp || !patch->live || !patch->changed ||
            !boxes_overlap(&patch->box, &box))
            continue;
        c->p->patch_stamp[number] = stamp;
        other = hull_of(c, patch->made);
        double reach = reach_beyond(&hull, &other, least);
        if (reach < least || (reach == least && patch->made < *parent)) {
            least = reach;
            *parent = patch->made;
        }
    }
    return true;
}

static bool find_parents(coarsening *c)
{
    for (uint32_t i = 0; i < c->p->count; ++i) {
        const gz_convex_patch *patch = &c->p->patch[i];
        if (!patch->live || !patch->changed)
            continue;
        for (uint32_t node = patch->first_node; node != UINT32_MAX;
             node = c->next_node.items[node]) {
            uint32_t parent = 0;
            if (!find_parent(c, node, patch->made, &parent))
                return false;
            gz_draft_adopt(c->draft, parent, node);
        }
    }
    return true;
}

// The surface as it is, for measuring how far the original is from it.
static bool keep_surface(coarsening *c)
{
    const gz_hull_surface *s = c->s;
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        if (s->gone[t])
            continue;
        double(*room)[3] = gz_list_push(c->context, &c->draft->level_corners, 3);
        if (room == NULL)
            return false;
        for (int k = 0; k < 3; ++k)
            memcpy(room[k], s->position[s->corner[t][k]], sizeof room[k]);
    }
    c->draft->level_end[c->detail->level_count] = c->draft->level_corners.count / 3;
    return true;
}

// A patch that is as it was in the level below keeps its node. One whose node stands for nothing
// has none from here on.
static graze_status make_level(coarsening *c)
{
    double sum = 0;
    for (uint32_t i = 0; i < c->p->count; ++i) {
        gz_convex_patch *patch = &c->p->patch[i];
        if (patch->live && patch->changed && !make_node(c, patch, i))
            return no_memory(c);
    }
    if (!find_parents(c) || !keep_surface(c))
        return no_memory(c);
    for (uint32_t i = 0; i < c->p->count; ++i) {
        gz_convex_patch *patch = &c->p->patch[i];
        if (!patch->live)
            continue;
        if (patch->changed) {
            bool of_use = c->draft->nodes.items[patch->made].first_child != UINT32_MAX;
            patch->first_node = patch->last_node = of_use ? patch->made : UINT32_MAX;
            sum += c->draft->nodes.items[patch->made].node.resolution;
        } else if (patch->first_node != UINT32_MAX) {
            sum += c->draft->nodes.items[patch->first_node].node.resolution;
        }
        patch->changed = false;
    }
    c->detail->levels[c->detail->level_count++] =
        (graze_detail_level){.hull_count = c->p->live_count,
                             .triangle_count = c->s->live_triangles,
                             .resolution = sum / c->p->live_count};
    c->level_hulls = c->p->live_count;
    return GRAZE_OK;
}

static bool is_level_due(const coarsening *c)
{
    return c->detail->level_count < c->level_most && c->p->live_count <= c->level_hulls / 2;
}

// --- The queue

static bool push_edge(coarsening *c, uint32_t v, uint32_t w)
{
    double off[3];
    gz_subtract3(c->s->position[v], c->s->position[w], off);
    waiting_edge edge = {gz_dot3(off, off), {v, w}, c->version[v] + c->version[w]};
    return edge_heap_push(c->context, &c->heap, &edge);
}

static bool push_edges_of(coarsening *c, uint32_t v)
{
    const gz_hull_surface *s = c->s;
    for (uint32_t corner = s->first_corner[v]; corner != GZ_NO_CORNER;
         corner = s->next_corner[corner])
        if (!s->gone[corner / 3] && !push_edge(c, v, s->corner[corner / 3][(corner % 3 + 1) % 3]))
            return false;
    return true;
}

static bool push_all_edges(coarsening *c)
{
    const gz_hull_surface *s = c->s;
    c->heap.count = 0;
    for (uint32_t t = 0; t < s->triangle_count; ++t)
        for (int k = 0; k < 3 && !s->gone[t]; ++k) {
            uint32_t v = s->corner[t][k], w = s->corner[t][(k + 1) % 3];
            if (v < w && !push_edge(c, v, w))
                return false;
        }
    return true;
}

static bool add_quadrics(coarsening *c)
{
    const gz_hull_surface *s = c->s;
    memset(c->quadric, 0, s->vertex_count * sizeof *c->quadric);
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t *corner = s->corner[t];
        double u[3], v[3], cross[3];
        gz_subtract3(s->position[corner[1]], s->position[corner[0]], u);
        gz_subtract3(s->position[corner[2]], s->position[corner[0]], v);
        gz_cross3(u, v, cross);
        double area = gz_length3(cross) / 2;
        gz_quadric q = gz_quadric_of_plane(s->normal[t], s->position[corner[0]], area, area);
        for (int k = 0; k < 3; ++k)
            gz_quadric_add(&c->quadric[corner[k]], &q);
    }
    return true;
}

// --- One collapse

static bool has_corner(const gz_hull_surface *s, uint32_t t, uint32_t v)
{
    return s->corner[t][0] == v || s->corner[t][1] == v || s->corner[t][2] == v;
}

static bool note_patch(coarsening *c, uint32_t patch)
{
    for (uint64_t i = 0; i < c->patches.count; ++i)
        if (c->patches.items[i] == patch)
            return true;
    if (!push_number(c, &c->patches, patch))
        return false;
    for (uint64_t i = c->patches.count - 1; i > 0; --i) { // ascending
        uint32_t *here = &c->patches.items[i];
        if (here[-1] <= here[0])
            break;
        uint32_t held = here[0];
        here[0] = here[-1];
        here[-1] = held;
    }
    return true;
}

// The triangles around the two vertices, and the one or two that have both.
static bool gather_star(coarsening *c, uint32_t v, uint32_t w)
{
    const gz_hull_surface *s = c->s;
    c->star.vertex[0] = v;
    c->star.vertex[1] = w;
    c->star.triangles.count = c->patches.count = c->shared_count = 0;
    for (int side = 0; side < 2; ++side)
        for (uint32_t corner = s->first_corner[side == 0 ? v : w]; corner != GZ_NO_CORNER;
             corner = s->next_corner[corner]) {
            uint32_t t = corner / 3;
            if (s->gone[t])
                continue;
            bool both = has_corner(s, t, side == 0 ? w : v);
            if (both && side == 0 && c->shared_count < 2)
                c->shared[c->shared_count++] = t;
            else if (!both && !push_number(c, &c->star.triangles, t))
                return false;
            if (!note_patch(c, s->patch[t]))
                return false;
        }
    return true;
}

// Two vertices with one edge between them share two neighbours: the corners of their triangles.
static bool keeps_topology(const coarsening *c)
{
    const gz_hull_surface *s = c->s;
    gz_patches *p = c->p;
    uint32_t common = 0, v = c->star.vertex[0], w = c->star.vertex[1];
    if (c->shared_count != 2 || c->star.triangles.count < 3)
        return false;
    ++p->stamp;
    for (uint32_t corner = s->first_corner[v]; corner != GZ_NO_CORNER;
         corner = s->next_corner[corner])
        for (int k = 0; k < 3 && !s->gone[corner / 3]; ++k)
            p->vertex_stamp[s->corner[corner / 3][k]] = p->stamp;
    for (uint32_t corner = s->first_corner[w]; corner != GZ_NO_CORNER;
         corner = s->next_corner[corner])
        for (int k = 0; k < 3 && !s->gone[corner / 3]; ++k) {
            uint32_t x = s->corner[corner / 3][k];
            if (x == v || x == w || p->vertex_stamp[x] != p->stamp)
                continue;
            p->vertex_stamp[x] = p->stamp - 1;
            ++common;
        }
    return common == 2;
}

// Levels whose deviation is as long as their edges look like nothing that was there before.
static bool is_close(const coarsening *c, const double place[3])
{
    double sum = 0;
    gz_quadric q = c->quadric[c->star.vertex[0]];
    gz_quadric_add(&q, &c->quadric[c->star.vertex[1]]);
    for (uint64_t i = 0; i < c->star.triangles.count; ++i) {
        uint32_t next = 0, last = 0;
        double along[3];
        gz_star_corners(c->s, &c->star, c->star.triangles.items[i], &next, &last);
        gz_subtract3(c->s->position[next], place, along);
        sum += gz_length3(along);
    }
    double edge = ROUGH_MOST * sum / (double)c->star.triangles.count;
    return gz_quadric_at(&q, place) <= edge * edge * q.term[GZ_QUADRIC_WEIGHT];
}

// False where a triangle turns over or loses its area.
static bool put_vertex(coarsening *c, const double place[3])
{
    for (int i = 0; i < 2; ++i)
        memcpy(c->s->position[c->star.vertex[i]], place, 3 * sizeof *place);
    for (uint64_t i = 0; i < c->star.triangles.count; ++i) {
        uint32_t t = c->star.triangles.items[i];
        if (!gz_hull_surface_aim(c->s, t) ||
            !(gz_dot3(c->s->normal[t], c->normals.items[i]) > TURN_MOST))
            return false;
    }
    return true;
}

// Are the patches around valid, with the vertex where it is?
static bool patches_hold(coarsening *c)
{
    for (uint64_t i = 0; i < c->patches.count; ++i) {
        uint32_t patch = c->patches.items[i];
        gz_patches_outline(c->p, patch, GZ_NO_PATCH);
        if (c->p->out_of_memory)
            return false;
        if (c->p->outline.triangles.count == 0)
            continue;
        if (!gz_outline_convex(c->p) || !gz_outline_behind(c->p, patch, GZ_NO_PATCH))
            return false;
        for (uint64_t k = 0; k < c->star.triangles.count; ++k)
            if (c->s->patch[c->star.triangles.items[k]] != patch &&
                gz_outline_is_entered(c->p, c->star.triangles.items[k]))
                return false;
    }
    return true;
}

static bool is_noted(const coarsening *c, uint32_t patch)
{
    for (uint64_t i = 0; i < c->patches.count; ++i)
        if (c->patches.items[i] == patch)
            return true;
    return false;
}

// Do triangles of the star stay out of the hulls of patches elsewhere?
static bool others_hold(coarsening *c)
{
    graze_box box = graze_box_empty();
    for (uint64_t i = 0; i < c->star.triangles.count; ++i) {
        graze_box one = gz_surface_box(c->s, c->star.triangles.items[i]);
        box = graze_box_join(&box, &one);
    }
    c->p->near_hulls.count = 0;
    if (!gz_patch_grid_find(&c->p->hulls, &box, &c->p->near_hulls)) {
        c->p->out_of_memory = true;
        return false;
    }
    uint32_t stamp = ++c->p->stamp;
    for (uint64_t i = 0; i < c->p->near_hulls.count; ++i) {
        uint32_t patch = c->p->near_hulls.items[i];
        if (c->p->patch_stamp[patch] >= stamp || !c->p->patch[patch].live || is_noted(c, patch) ||
            !boxes_overlap(&c->p->patch[patch].box, &box))
            continue;
        c->p->patch_stamp[patch] = stamp;
        gz_patches_outline(c->p, patch, GZ_NO_PATCH);
        gz_outline_draw(c->p);
        for (uint64_t k = 0; k < c->star.triangles.count; ++k)
            if (gz_outline_is_entered(c->p, c->star.triangles.items[k]))
                return false;
    }
    return true;
}

static bool is_valid_at(coarsening *c, const double place[3])
{
    return is_close(c, place) && put_vertex(c, place) && patches_hold(c) && others_hold(c);
}

// The place of least error, then the smooth one, moved to where the patches are convex.
static bool find_places(coarsening *c, double start[3], double target[3])
{
    double middle[3];
    gz_quadric sum = c->quadric[c->star.vertex[0]];
    gz_quadric_add(&sum, &c->quadric[c->star.vertex[1]]);
    for (int i = 0; i < 3; ++i)
        middle[i] = (c->before[0][i] + c->before[1][i]) / 2;
    gz_target_of_quadric(&sum, middle, start);
    for (int i = 0; i < 2; ++i)
        memcpy(c->s->position[c->star.vertex[i]], start, 3 * sizeof *start);
    gz_target_smooth(c->s, &c->star, target);
    c->spaces.count = 0;
    for (uint64_t i = 0; i < c->patches.count; ++i) {
        gz_patches_outline(c->p, c->patches.items[i], GZ_NO_PATCH);
        if (c->p->out_of_memory || !gz_target_constrain(c->p, &c->star, &c->spaces))
            return false;
    }
    gz_target_project(&c->spaces, target);
    return true;
}

// From the target back to the start, by halves; once a place is good, one step to the target again.
static bool search_place(coarsening *c, const double start[3], const double target[3])
{
    static const double parts[] = {1, 0.5, 0.25, 0};
    double place[3];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        for (int axis = 0; axis < 3; ++axis)
            place[axis] = start[axis] + parts[i] * (target[axis] - start[axis]);
        if (is_valid_at(c, place))
            return true;
        if (c->p->out_of_memory)
            return false;
    }
    return false;
}

static void put_back(coarsening *c)
{
    for (int i = 0; i < 2; ++i)
        memcpy(c->s->position[c->star.vertex[i]], c->before[i], sizeof c->before[i]);
    for (uint64_t i = 0; i < c->star.triangles.count; ++i)
        memcpy(c->s->normal[c->star.triangles.items[i]], c->normals.items[i],
               sizeof c->normals.items[i]);
    for (uint32_t i = 0; i < c->shared_count; ++i)
        c->s->gone[c->shared[i]] = false;
}

// The corners of the star become the chain of the vertex that stays.
static void commit_surface(coarsening *c)
{
    gz_hull_surface *s = c->s;
    uint32_t v = c->star.vertex[0], w = c->star.vertex[1];
    s->first_corner[v] = s->first_corner[w] = GZ_NO_CORNER;
    for (uint64_t i = c->star.triangles.count; i-- != 0;) {
        uint32_t t = c->star.triangles.items[i];
        for (uint32_t k = 0; k < 3; ++k)
            if (s->corner[t][k] == v || s->corner[t][k] == w) {
                s->corner[t][k] = v;
                s->next_corner[3 * t + k] = s->first_corner[v];
                s->first_corner[v] = 3 * t + k;
            }
    }
    s->live_triangles -= c->shared_count;
    gz_quadric_add(&c->quadric[v], &c->quadric[w]);
    ++c->version[v];
    ++c->version[w];
    ++c->collapses;
}

// The patch beside a triangle that has vanished: of those of the star that have its third corner.
static uint32_t heir_of(const coarsening *c, uint32_t patch)
{
    const gz_hull_surface *s = c->s;
    uint32_t heir = UINT32_MAX, any = UINT32_MAX;
    for (uint64_t i = 0; i < c->star.triangles.count; ++i) {
        uint32_t t = c->star.triangles.items[i], mine = s->patch[t];
        any = mine < any ? mine : any;
        for (uint32_t k = 0; k < c->shared_count; ++k)
            for (int corner = 0; corner < 3 && s->patch[c->shared[k]] == patch; ++corner) {
                uint32_t x = s->corner[c->shared[k]][corner];
                if (x != c->star.vertex[0] && x != c->star.vertex[1] && has_corner(s, t, x) &&
                    mine < heir)
                    heir = mine;
            }
    }
    return heir != UINT32_MAX ? heir : any;
}

static bool commit_patches(coarsening *c)
{
    for (uint64_t i = 0; i < c->star.triangles.count; ++i) {
        graze_box box = gz_surface_box(c->s, c->star.triangles.items[i]);
        if (!gz_patch_grid_add(&c->p->triangles, &box, c->star.triangles.items[i]))
            return false;
    }
    for (uint64_t i = 0; i < c->patches.count; ++i) {
        uint32_t patch = c->patches.items[i];
        if (!gz_patches_moved(c->p, patch))
            return false;
        if (c->p->patch[patch].triangle_count == 0)
            gz_patches_give(c->p, patch, heir_of(c, patch), c->next_node.items);
    }
    for (uint64_t i = 0; i < c->patches.count; ++i)
        if (c->p->patch[c->patches.items[i]].live)
            gz_patches_join_around(c->p, c->patches.items[i], JOINED_MOST, c->next_node.items);
    return !c->p->out_of_memory;
}

static bool save_star(coarsening *c)
{
    c->normals.count = 0;
    double(*room)[4] = gz_list_push(c->context, &c->normals, c->star.triangles.count);
    for (uint64_t i = 0; i < c->star.triangles.count && room != NULL; ++i)
        memcpy(room[i], c->s->normal[c->star.triangles.items[i]], sizeof room[i]);
    for (int i = 0; i < 2; ++i)
        memcpy(c->before[i], c->s->position[c->star.vertex[i]], sizeof c->before[i]);
    return room != NULL;
}

// False when out of memory.
static bool try_collapse(coarsening *c, uint32_t v, uint32_t w)
{
    double start[3], target[3];
    if (c->s->border[v] || c->s->border[w])
        return true;
    if (!gather_star(c, v, w))
        return false;
    if (!keeps_topology(c))
        return true;
    if (!save_star(c))
        return false;
    for (uint32_t i = 0; i < c->shared_count; ++i)
        c->s->gone[c->shared[i]] = true;
    bool memory = find_places(c, start, target);
    if (!memory || !search_place(c, start, target)) {
        put_back(c);
        return memory && !c->p->out_of_memory;
    }
    commit_surface(c);
    return commit_patches(c) && push_edges_of(c, v);
}

// --- The loop

static graze_status join_all(coarsening *c)
{
    for (uint32_t i = 0; i < c->p->count; ++i)
        if (c->p->patch[i].live)
            gz_patches_join_around(c->p, i, JOINED_MOST, c->next_node.items);
    if (c->p->out_of_memory)
        return no_memory(c);
    return is_level_due(c) ? make_level(c) : GRAZE_OK;
}

static graze_status pass(coarsening *c)
{
    waiting_edge edge;
    uint64_t popped = 0;
    if (!push_all_edges(c))
        return no_memory(c);
    while (c->heap.count != 0 && c->p->live_count > 1 && c->detail->level_count < c->level_most) {
        edge_heap_pop(&c->heap, &edge);
        if (edge.version != c->version[edge.vertex[0]] + c->version[edge.vertex[1]])
            continue;
        if (!try_collapse(c, edge.vertex[0], edge.vertex[1]))
            return no_memory(c);
        graze_status status = is_level_due(c) ? make_level(c) : GRAZE_OK;
        if (status == GRAZE_OK && ++popped % LOOK_EACH == 0)
            status =
                gz_checkpoint(c->context, "making hulls coarser", "triangles",
                              c->s->triangle_count - c->s->live_triangles, c->s->triangle_count);
        if (status != GRAZE_OK)
            return status;
    }
    return GRAZE_OK;
}

static graze_status coarsen(coarsening *c)
{
    graze_status status = join_all(c);
    while (status == GRAZE_OK) {
        uint64_t before = c->collapses, vertices = c->s->live_triangles / 2;
        status = pass(c);
        if ((double)(c->collapses - before) <= PASS_LEAST * (double)vertices)
            break;
    }
    if (status == GRAZE_OK && c->p->live_count < c->level_hulls)
        status = make_level(c); // a patch has one node, whatever was joined
    return status;
}

graze_status gz_coarsen_hulls(gz_patches *patches, gz_draft *draft,
                              const graze_contact_detail_def *def, graze_contact_detail *detail)
{
    gz_hull_surface *s = patches->surface;
    coarsening c = {.context = patches->context,
                    .p = patches,
                    .s = s,
                    .draft = draft,
                    .detail = detail,
                    .heap = gz_list_of(sizeof(waiting_edge)),
                    .level_hulls = patches->live_count,
                    .level_most = GRAZE_DETAIL_LEVELS};
    if (def->level_most != 0 && def->level_most < GRAZE_DETAIL_LEVELS)
        c.level_most = def->level_most + 1;
    c.quadric = GZ_NEW_ARRAY(c.context, gz_quadric, s->vertex_count);
    c.version = GZ_NEW_ARRAY(c.context, uint32_t, s->vertex_count);
    bool fits = c.quadric != NULL && c.version != NULL;
    for (uint64_t i = 0; i < draft->nodes.count && fits; ++i)
        fits = push_number(&c, &c.next_node, UINT32_MAX);
    graze_status status = fits ? GRAZE_OK : no_memory(&c);
    if (status == GRAZE_OK) {
        memset(c.version, 0, s->vertex_count * sizeof *c.version);
        add_quadrics(&c);
        status = coarsen(&c);
    }
    GZ_FREE_ARRAY(c.context, c.quadric, s->vertex_count);
    GZ_FREE_ARRAY(c.context, c.version, s->vertex_count);
    gz_items_free(c.context, &c.heap);
    gz_list_free(c.context, &c.next_node);
    gz_list_free(c.context, &c.star.triangles);
    gz_list_free(c.context, &c.patches);
    gz_list_free(c.context, &c.normals);
    gz_list_free(c.context, &c.spaces);
    return status;
}
