// From a draft to a detail: nodes in their order, and measured. See detail_draft.h.
//
// Each node is measured by itself against the original triangles that it stands for, so that bounds
// do not add up from level to level: how far they stray from its hull, which is exact up to
// rounding, since the distance from a convex hull is largest at a corner. How far the hull's faces
// and the patch's triangles are from the original surface, and the node's originals from the
// surface of its level, are proven bounds of simplify/deviation.h.
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/context.h"
#include "base/threads.h"
#include "clod/detail_draft.h"
#include "geometry/fpu.h"
#include "geometry/vector.h"
#include "simplify/deviation.h"

#define TASKS 16u  // share the nodes
#define GAP   0.25 // of a deviation: bounds need not come closer
#define FLOOR 0.02 // of the length of a patch's edges: or closer than this

// --- The order

typedef struct ordering {
    const gz_draft *draft;
    graze_contact_detail *detail;
    uint32_t *order; // number in the draft of each node
} ordering;

// Children get their places when their parent has its own.
static void place_nodes(ordering *o, uint32_t root)
{
    uint32_t count = 1, level_end = 1;
    o->order[0] = root;
    o->detail->depth = 1;
    for (uint32_t i = 0; i < count; ++i) {
        if (i == level_end) {
            level_end = count;
            ++o->detail->depth;
        }
        const gz_draft_node *from = &o->draft->nodes.items[o->order[i]];
        gz_detail_node *node = &o->detail->nodes[i];
        *node = from->node;
        node->first_child = count;
        for (uint32_t c = from->first_child; c != UINT32_MAX;
             c = o->draft->nodes.items[c].next_sibling)
            o->order[count++] = c;
        node->child_count = count - node->first_child;
        if (node->child_count == 0)
            node->first_child = 0;
    }
    o->detail->node_count = count;
}

static void place_triangles(const ordering *o, const gz_hull_surface *original)
{
    graze_contact_detail *d = o->detail;
    for (uint32_t i = d->node_count; i-- != 0;) {
        gz_detail_node *node = &d->nodes[i];
        for (uint32_t c = 0; c < node->child_count; ++c)
            node->triangle_count += d->nodes[node->first_child + c].triangle_count;
    }
    d->nodes[0].first_triangle = 0;
    for (uint32_t i = 0; i < d->node_count; ++i) {
        const gz_detail_node *node = &d->nodes[i];
        uint32_t first = node->first_triangle;
        for (uint32_t c = 0; c < node->child_count; ++c) {
            d->nodes[node->first_child + c].first_triangle = first;
            first += d->nodes[node->first_child + c].triangle_count;
        }
        if (node->child_count != 0)
            continue;
        const uint32_t *from =
            o->draft->originals.items + o->draft->nodes.items[o->order[i]].first_original;
        for (uint32_t t = 0; t < node->triangle_count; ++t) {
            d->numbers[first + t] = from[t];
            memcpy(d->corners[first + t], original->corner[from[t]], sizeof d->corners[0]);
        }
    }
}

// --- Measuring

// An original triangle: its middle, and its normal as long as its area.
typedef struct facing {
    double middle[3], normal[3];
} facing;

typedef struct measuring {
    const ordering *o;
    const gz_hull_surface *original;
    uint32_t *by_level;    // numbers of nodes, those of a level together
    uint32_t (*threes)[3]; // 0, 1, 2; 3, 4, 5; and so on
    _Atomic bool failed;
} measuring;

typedef struct scratch {
    graze_context *context;
    const measuring *m;
    gz_deviation_query *whole, *coarse; // against the original, and against the surface of a level
    uint32_t coarse_level;              // which that is; UINT32_MAX: none yet
    gz_point_list points;               // of the node's originals
    gz_corner_list corners;
    GZ_LIST(facing) facings;
    uint32_t *number; // of a vertex among the points, valid where `seen` says so
    uint32_t *seen, stamp;
} scratch;

static bool take_originals(scratch *s, const gz_detail_node *node)
{
    const graze_contact_detail *d = s->m->o->detail;
    s->points.count = s->corners.count = s->facings.count = 0;
    ++s->stamp;
    for (uint32_t t = 0; t < node->triangle_count; ++t) {
        const uint32_t *corner = d->corners[node->first_triangle + t];
        uint32_t(*local)[3] = gz_list_push(s->context, &s->corners, 1);
        if (local == NULL)
            return false;
        for (int k = 0; k < 3; ++k) {
            uint32_t v = corner[k];
            if (s->seen[v] != s->stamp) {
                double(*point)[3] = gz_list_push(s->context, &s->points, 1);
                if (point == NULL)
                    return false;
                memcpy(*point, s->m->original->position[v], sizeof *point);
                s->seen[v] = s->stamp;
                s->number[v] = (uint32_t)s->points.count - 1;
            }
            (*local)[k] = s->number[v];
        }
    }
    return true;
}

static bool take_facings(scratch *s)
{
    facing *room = gz_list_push(s->context, &s->facings, s->corners.count);
    for (uint64_t t = 0; t < s->corners.count && room != NULL; ++t) {
        const double *a = s->points.items[s->corners.items[t][0]];
        const double *b = s->points.items[s->corners.items[t][1]];
        const double *c = s->points.items[s->corners.items[t][2]];
        double u[3], v[3];
        gz_subtract3(b, a, u);
        gz_subtract3(c, a, v);
        gz_cross3(u, v, room[t].normal);
        for (int i = 0; i < 3; ++i) {
            room[t].middle[i] = (a[i] + b[i] + c[i]) / 3;
            room[t].normal[i] /= 2;
        }
    }
    return room != NULL;
}

static void measure_ball(const scratch *s, gz_detail_node *node, const gz_hull *hull)
{
    graze_box box = graze_box_of_points((const double(*)[3])s->points.items, s->points.count);
    double off[3], most = 0;
    for (int i = 0; i < 3; ++i)
        node->center[i] = box.min[i] + (box.max[i] - box.min[i]) / 2;
    for (uint64_t i = 0; i < s->points.count; ++i) {
        gz_subtract3(s->points.items[i], node->center, off);
        most = fmax(most, gz_length3(off));
    }
    for (uint32_t i = 0; i < hull->count; ++i) {
        double point[3];
        gz_hull_point(hull, i, point);
        gz_subtract3(point, node->center, off);
        most = fmax(most, gz_length3(off));
    }
    node->radius = most * (1 + 0x1p-48) + s->m->o->detail->radius * 0x1p-50;
}

static void measure_stray(const scratch *s, gz_detail_node *node, const gz_hull *hull)
{
    node->stray = 0;
    for (uint64_t i = 0; i < s->points.count; ++i)
        node->stray =
            fmax(node->stray, gz_hull_reach(hull, s->points.items[i], s->m->o->detail->radius));
}

static void measure_thickness(const graze_contact_detail *d, gz_detail_node *node,
                              const gz_hull *hull)
{
    node->thickness = 2 * node->radius;
    for (uint32_t k = 0; k < node->normal_count; ++k) {
        const gz_detail_plane *plane = &d->planes[node->first_normal + k];
        double back[3] = {-plane->normal[0], -plane->normal[1], -plane->normal[2]}, reach = 0;
        gz_hull_support(hull, back, &reach);
        node->thickness = fmin(node->thickness, plane->reach + reach);
    }
    node->thickness += 0x1p-46 * d->radius;
}

// How far triangles that are drawn from the patch's points may be from the original.
static graze_status measure_from(const scratch *s, const gz_draft_node *from,
                                 const uint32_t (*triangles)[3], uint32_t count, double *high)
{
    const gz_draft *draft = s->m->o->draft;
    gz_surface surface = {.position = (const double(*)[3])draft->patch_points.items +
                                      from->first_patch_point,
                          .corner = triangles,
                          .vertex_count = from->patch_point_count,
                          .triangle_count = count};
    gz_deviation found = {0, 0};
    graze_status status =
        gz_deviation_from(s->whole, &surface, GAP, FLOOR / from->node.resolution, &found);
    *high = found.high * (1 + 0x1p-48);
    return status;
}

static graze_status aim_at_level(scratch *s, uint32_t level)
{
    const gz_draft *draft = s->m->o->draft;
    if (s->coarse_level == level)
        return GRAZE_OK;
    s->coarse_level = level;
    uint64_t first = draft->level_end[level - 1];
    uint32_t count = (uint32_t)(draft->level_end[level] - first);
    gz_surface surface = {.position = (const double(*)[3])draft->level_corners.items + 3 * first,
                          .corner = (const uint32_t(*)[3])s->m->threes,
                          .vertex_count = 3 * count,
                          .triangle_count = count};
    return gz_deviation_set_target(s->coarse, &surface);
}

// How far the node's originals may be from the surface of its level.
static graze_status measure_to_level(scratch *s, const gz_detail_node *node, double *high)
{
    gz_surface originals = {.position = (const double(*)[3])s->points.items,
                            .corner = (const uint32_t(*)[3])s->corners.items,
                            .vertex_count = (uint32_t)s->points.count,
                            .triangle_count = (uint32_t)s->corners.count};
    gz_deviation found = {0, 0};
    graze_status status = aim_at_level(s, node->level);
    if (status == GRAZE_OK)
        status = gz_deviation_from(s->coarse, &originals, GAP, FLOOR / node->resolution, &found);
    *high = found.high * (1 + 0x1p-48);
    return status;
}

static graze_status measure_patch(scratch *s, const gz_draft_node *from, gz_detail_node *node)
{
    const gz_draft *draft = s->m->o->draft;
    const uint32_t(*faces)[3] = (const uint32_t(*)[3])draft->faces.items + from->first_face;
    const uint32_t(*patch)[3] =
        (const uint32_t(*)[3])draft->patch_triangles.items + from->first_patch_triangle;
    double back = 0, forward = 0;
    graze_status status = GRAZE_OK;
    node->spread = 2 * node->radius;
    if (from->face_count != 0)
        status = measure_from(s, from, faces, from->face_count, &node->spread);
    // Faces are those of the hull but for what hull_make.h leaves out.
    node->spread = fmin(node->spread + 1e-6 * node->radius, 2 * node->radius);
    if (status == GRAZE_OK && node->level != 0)
        status = measure_from(s, from, patch, from->patch_triangle_count, &back);
    if (status == GRAZE_OK && node->level != 0)
        status = measure_to_level(s, node, &forward);
    node->deviation = fmax(back, forward);
    node->weight = node->deviation / (node->resolution * node->resolution);
    return status;
}

// About how much of the surface touches something flat that is pressed against it at a corner: what
// is not more than the deviation below the plane there, and at least a third of the triangles
// around.
static double support_area(const scratch *s, const gz_draft_node *from, const double point[3],
                           uint32_t number, double depth)
{
    const gz_draft *draft = s->m->o->draft;
    double(*at)[3] = draft->patch_points.items + from->first_patch_point;
    double normal[3] = {0}, sum = 0;
    for (uint32_t t = 0; t < from->patch_triangle_count; ++t) {
        const uint32_t *corner = draft->patch_triangles.items[from->first_patch_triangle + t];
        if (corner[0] != number && corner[1] != number && corner[2] != number)
            continue;
        double u[3], v[3], cross[3];
        gz_subtract3(at[corner[1]], at[corner[0]], u);
        gz_subtract3(at[corner[2]], at[corner[0]], v);
        gz_cross3(u, v, cross);
        for (int i = 0; i < 3; ++i)
            normal[i] += cross[i] / 2;
    }
    double length = gz_length3(normal);
    if (!(length > 0))
        return 0;
    for (int i = 0; i < 3; ++i)
        normal[i] /= length;
    for (uint64_t t = 0; t < s->facings.count; ++t) {
        double off[3], part = gz_dot3(s->facings.items[t].normal, normal);
        gz_subtract3(point, s->facings.items[t].middle, off);
        if (part > 0 && gz_dot3(off, normal) <= depth)
            sum += part;
    }
    return fmax(sum, length / 3);
}

static void measure_areas(const scratch *s, const gz_draft_node *from, gz_detail_node *node)
{
    const graze_contact_detail *d = s->m->o->detail;
    gz_hull hull = gz_detail_hull(d, node);
    for (uint32_t i = 0; i < hull.count; ++i) {
        double point[3];
        gz_hull_point(&hull, i, point);
        d->areas[node->first_point + i] =
            support_area(s, from, point, s->m->o->draft->hull_vertices.items[node->first_point + i],
                         node->deviation);
        node->area = fmax(node->area, d->areas[node->first_point + i]);
    }
}

static graze_status measure_node(scratch *s, uint32_t number)
{
    const graze_contact_detail *d = s->m->o->detail;
    const gz_draft_node *from = &s->m->o->draft->nodes.items[s->m->o->order[number]];
    gz_detail_node *node = &d->nodes[number];
    gz_hull hull = gz_detail_hull(d, node);
    if (!take_originals(s, node) || !take_facings(s))
        return GRAZE_ERROR_MEMORY;
    measure_ball(s, node, &hull);
    measure_stray(s, node, &hull);
    measure_thickness(d, node, &hull);
    if (node->level == GZ_DETAIL_ABOVE) {
        node->spread = 2 * node->radius;
        node->deviation = node->weight = HUGE_VAL;
        return GRAZE_OK;
    }
    graze_status status = measure_patch(s, from, node);
    if (status == GRAZE_OK)
        measure_areas(s, from, node);
    return status;
}

static graze_status open_scratch(scratch *s)
{
    const gz_hull_surface *original = s->m->original;
    gz_surface whole = {.position = (const double(*)[3])original->position,
                        .corner = (const uint32_t(*)[3])original->corner,
                        .vertex_count = original->vertex_count,
                        .triangle_count = original->triangle_count};
    s->number = GZ_NEW_ARRAY(s->context, uint32_t, original->vertex_count);
    s->seen = GZ_NEW_ARRAY(s->context, uint32_t, original->vertex_count);
    if (s->number == NULL || s->seen == NULL)
        return GRAZE_ERROR_MEMORY;
    memset(s->seen, 0, original->vertex_count * sizeof *s->seen);
    graze_status status = gz_deviation_query_create(s->context, &s->whole);
    if (status == GRAZE_OK)
        status = gz_deviation_query_create(s->context, &s->coarse);
    if (status != GRAZE_OK)
        return status;

    return gz_deviation_set_target(s->whole, &whole);
}

static void close_scratch(scratch *s)
{
    gz_deviation_query_destroy(s->whole);
    gz_deviation_query_destroy(s->coarse);
    GZ_FREE_ARRAY(s->context, s->number, s->m->original->vertex_count);
    GZ_FREE_ARRAY(s->context, s->seen, s->m->original->vertex_count);
    gz_list_free(s->context, &s->points);
    gz_list_free(s->context, &s->corners);
    gz_list_free(s->context, &s->facings);
}

static void measure_some(void *data, uint32_t task)
{
    measuring *m = data;
    uint64_t count = m->o->detail->node_count;
    uint64_t first = count * task / TASKS, end = count * (task + 1) / TASKS;
    scratch s = {.context = m->o->draft->context, .m = m, .coarse_level = UINT32_MAX};
    gz_fpu_state state = gz_fpu_enter();
    graze_status status = first < end ? open_scratch(&s) : GRAZE_OK;
    for (uint64_t i = first; i < end && status == GRAZE_OK; ++i)
        status = measure_node(&s, m->by_level[i]);
    if (status != GRAZE_OK)
        atomic_store(&m->failed, true);
    close_scratch(&s);
    gz_fpu_leave(state);
}

// --- All of it

static void sum_levels(graze_contact_detail *d)
{
    double sum = 0;
    for (uint32_t i = 0; i < d->node_count; ++i) {
        const gz_detail_node *node = &d->nodes[i];
        if (node->level >= d->level_count)
            continue;
        graze_detail_level *level = &d->levels[node->level];
        level->deviation = fmax(level->deviation, node->deviation);
        sum += node->level == 0 ? node->resolution : 0;
    }
    d->levels[0].resolution = sum / (double)d->levels[0].hull_count;
}

static bool take_arrays(const gz_draft *draft, graze_contact_detail *d)
{
    d->point_count = (uint32_t)(draft->points.count / 3);
    d->plane_count = (uint32_t)draft->planes.count;
    d->node_count = (uint32_t)draft->nodes.count;
    for (uint64_t i = 0; i < draft->points.count; ++i) // coarser hulls may reach beyond the mesh
        d->radius = fmax(d->radius, fabs(draft->points.items[i]));
    d->nodes = GZ_NEW_ARRAY(draft->context, gz_detail_node, d->node_count);
    d->points = GZ_NEW_ARRAY(draft->context, double, 3 * (uint64_t)d->point_count);
    d->areas = GZ_NEW_ARRAY(draft->context, double, d->point_count);
    d->planes = GZ_NEW_ARRAY(draft->context, gz_detail_plane, d->plane_count);
    d->corners = gz_allocate_array(draft->context, d->triangle_count, sizeof *d->corners);
    d->numbers = GZ_NEW_ARRAY(draft->context, uint32_t, d->triangle_count);
    if (d->nodes == NULL || d->points == NULL || d->areas == NULL ||
        (d->planes == NULL && d->plane_count != 0) || d->corners == NULL || d->numbers == NULL)
        return false;
    memcpy(d->points, draft->points.items, 3 * sizeof *d->points * d->point_count);
    memcpy(d->areas, draft->areas.items, d->point_count * sizeof *d->areas);
    if (d->plane_count != 0)
        memcpy(d->planes, draft->planes.items, d->plane_count * sizeof *d->planes);
    return true;
}

static graze_status no_memory(const gz_draft *draft)
{
    return gz_fail(draft->context, GRAZE_ERROR_MEMORY, "out of memory for a contact detail");
}

// Those above the coarsest surface come last.
static void sort_by_level(const graze_contact_detail *d, uint32_t *by_level)
{
    uint32_t count = 0;
    for (uint32_t level = 0; level <= d->level_count; ++level)
        for (uint32_t i = 0; i < d->node_count; ++i)
            if (d->nodes[i].level == (level < d->level_count ? level : GZ_DETAIL_ABOVE))
                by_level[count++] = i;
    GZ_ASSERT(count == d->node_count);
}

static graze_status measure(const ordering *o, const gz_hull_surface *original)
{
    graze_context *context = o->draft->context;
    measuring m = {.o = o, .original = original};
    uint64_t nodes = o->detail->node_count, threes = original->triangle_count;
    m.by_level = GZ_NEW_ARRAY(context, uint32_t, nodes);
    m.threes = gz_allocate_array(context, threes, sizeof *m.threes);
    bool fits = m.by_level != NULL && m.threes != NULL;
    if (fits) {
        for (uint32_t t = 0; t < threes; ++t)
            for (uint32_t k = 0; k < 3; ++k)
                m.threes[t][k] = 3 * t + k;
        sort_by_level(o->detail, m.by_level);
        gz_parallel(context, TASKS, measure_some, &m);
    }
    GZ_FREE_ARRAY(context, m.by_level, nodes);
    GZ_FREE_ARRAY(context, m.threes, threes);
    return fits && !atomic_load(&m.failed) ? GRAZE_OK : no_memory(o->draft);
}

// The list of nodes may have some that nobody adopted.
graze_status gz_draft_finish(gz_draft *draft, const gz_hull_surface *original, uint32_t root,
                             graze_contact_detail *detail)
{
    graze_context *context = draft->context;
    uint64_t count = draft->nodes.count;
    if (draft->points.count / 3 >= UINT32_MAX || draft->planes.count >= UINT32_MAX ||
        !take_arrays(draft, detail))
        return no_memory(draft);
    ordering o = {draft, detail, GZ_NEW_ARRAY(context, uint32_t, count)};
    if (o.order == NULL)
        return no_memory(draft);
    place_nodes(&o, root);
    detail->nodes =
        gz_resize_array(context, detail->nodes, count, detail->node_count, sizeof *detail->nodes);
    place_triangles(&o, original);
    GZ_ASSERT(detail->nodes[0].triangle_count == detail->triangle_count);
    graze_status status = measure(&o, original);
    GZ_FREE_ARRAY(context, o.order, count);
    if (status == GRAZE_OK)
        sum_levels(detail);
    return status;
}
