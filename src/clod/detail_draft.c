// Nodes of a hierarchy in the making. See detail_draft.h.
#include "clod/detail_draft.h"

#include <math.h>
#include <string.h>

#include "geometry/vector.h"

#define SAME_PLANE  0.9999 // cosine: directions as near as this are one
#define POINTS_MOST 32u    // of a hull above the coarsest surface: fewer than it would have
#define NEAR_ENOUGH 0.002  // of its size: points as near to the hull as this are left out

void gz_draft_free(gz_draft *draft)
{
    graze_context *context = draft->context;
    if (context == NULL)
        return;
    gz_list_free(context, &draft->nodes);
    gz_list_free(context, &draft->points);
    gz_list_free(context, &draft->areas);
    gz_list_free(context, &draft->planes);
    gz_list_free(context, &draft->hull_vertices);
    gz_list_free(context, &draft->patch_points);
    gz_list_free(context, &draft->patch_triangles);
    gz_list_free(context, &draft->faces);
    gz_list_free(context, &draft->originals);
    gz_list_free(context, &draft->level_corners);
    gz_hull_maker_free(&draft->maker);
}

static gz_draft_node *new_node(gz_draft *draft, uint32_t level)
{
    gz_draft_node *made = gz_list_push(draft->context, &draft->nodes, 1);
    if (made == NULL)
        return NULL;
    *made = (gz_draft_node){.node = {.level = level,
                                     .first_point = (uint32_t)(draft->points.count / 3),
                                     .first_normal = (uint32_t)draft->planes.count},
                            .first_child = UINT32_MAX,
                            .next_sibling = UINT32_MAX,
                            .first_patch_point = (uint32_t)draft->patch_points.count,
                            .first_patch_triangle = (uint32_t)draft->patch_triangles.count,
                            .first_face = (uint32_t)draft->faces.count,
                            .first_original = (uint32_t)draft->originals.count};
    return made;
}

void gz_draft_adopt(gz_draft *draft, uint32_t parent, uint32_t child)
{
    draft->nodes.items[child].next_sibling = draft->nodes.items[parent].first_child;
    draft->nodes.items[parent].first_child = child;
}

// The points with these numbers, side by side and filled up.
static bool push_points(gz_draft *draft, gz_detail_node *node, const double (*points)[3],
                        const uint32_t *numbers, uint32_t count)
{
    uint32_t padded = (count + GZ_HULL_LANES - 1) / GZ_HULL_LANES * GZ_HULL_LANES;
    double *room = gz_list_push(draft->context, &draft->points, 3 * (uint64_t)padded);
    double *areas = gz_list_push(draft->context, &draft->areas, padded);
    uint32_t *vertices = gz_list_push(draft->context, &draft->hull_vertices, padded);
    if (room == NULL || areas == NULL || vertices == NULL)
        return false;
    for (uint32_t i = 0; i < padded; ++i) {
        uint32_t number = numbers[i < count ? i : count - 1];
        vertices[i] = number;
        areas[i] = 0;
        for (uint32_t axis = 0; axis < 3; ++axis)
            room[axis * padded + i] = points[number][axis];
    }
    node->point_count = padded;
    return true;
}

static bool push_planes(gz_draft *draft, gz_detail_node *node, const gz_outline *outline)
{
    gz_hull hull = {draft->points.items + 3 * (uint64_t)node->first_point, node->point_count};
    for (uint64_t k = 0; k < outline->planes.count; ++k) {
        const double *normal = outline->planes.items[k];
        bool known = false;
        for (uint32_t i = 0; i < node->normal_count && !known; ++i)
            known =
                gz_dot3(draft->planes.items[node->first_normal + i].normal, normal) > SAME_PLANE;
        if (known)
            continue;
        gz_detail_plane *room = gz_list_push(draft->context, &draft->planes, 1);
        if (room == NULL)
            return false;
        memcpy(room->normal, normal, sizeof room->normal);
        gz_hull_support(&hull, normal, &room->reach);
        ++node->normal_count;
    }
    return true;
}

// Triangles of the surface, with numbers among the vertices of the outline.
static bool push_patch(gz_draft *draft, gz_draft_node *made, const gz_patches *patches)
{
    const gz_outline *o = &patches->outline;
    const gz_hull_surface *s = patches->surface;
    made->patch_point_count = (uint32_t)o->points.count;
    made->patch_triangle_count = (uint32_t)o->triangles.count;
    if (!gz_list_append(draft->context, &draft->patch_points, o->points.items, o->points.count))
        return false;
    double sum = 0;
    for (uint64_t i = 0; i < o->triangles.count; ++i) {
        uint32_t(*room)[3] = gz_list_push(draft->context, &draft->patch_triangles, 1);
        if (room == NULL)
            return false;
        for (int k = 0; k < 3; ++k) {
            const uint32_t *corner = s->corner[o->triangles.items[i]];
            uint32_t number = 0;
            while (o->vertices.items[number] != corner[k])
                ++number;
            (*room)[k] = number;
            double along[3];
            gz_subtract3(s->position[corner[(k + 1) % 3]], s->position[corner[k]], along);
            sum += gz_length3(along);
        }
    }
    made->node.resolution = 3 * (double)o->triangles.count / sum;
    return true;
}

uint32_t gz_draft_patch(gz_draft *draft, const gz_patches *patches, uint32_t level)
{
    const gz_outline *o = &patches->outline;
    gz_draft_node *made = new_node(draft, level);
    draft->maker.context = draft->context;
    if (made == NULL || !push_patch(draft, made, patches) ||
        !gz_hull_make(&draft->maker, (const double(*)[3])o->points.items,
                      (uint32_t)o->points.count))
        return UINT32_MAX;
    const gz_hull_maker *maker = &draft->maker;
    made->face_count = (uint32_t)maker->faces.count;
    if (!gz_list_append(draft->context, &draft->faces, maker->faces.items, maker->faces.count) ||
        !push_points(draft, &made->node, (const double(*)[3])o->points.items, maker->vertices.items,
                     (uint32_t)maker->vertices.count) ||
        !push_planes(draft, &made->node, o))
        return UINT32_MAX;
    if (level == 0) {
        made->node.triangle_count = (uint32_t)o->triangles.count;
        if (!gz_list_append(draft->context, &draft->originals, o->triangles.items,
                            o->triangles.count))
            return UINT32_MAX;
    }
    return (uint32_t)draft->nodes.count - 1;
}

// --- Above the coarsest surface: halves by the middle of the longest side, whatever is in them

static void middle_of(const gz_draft *draft, uint32_t number, double out[3])
{
    const gz_detail_node *node = &draft->nodes.items[number].node;
    const gz_hull hull = {draft->points.items + 3 * (uint64_t)node->first_point, node->point_count};
    memset(out, 0, 3 * sizeof *out);
    for (uint32_t i = 0; i < hull.count; ++i) {
        double point[3];
        gz_hull_point(&hull, i, point);
        for (int axis = 0; axis < 3; ++axis)
            out[axis] += point[axis] / hull.count;
    }
}

typedef struct placed_top {
    double at[3];
    uint32_t number;
} placed_top;

static bool before(const placed_top *a, const placed_top *b, int axis)
{
    return a->at[axis] != b->at[axis] ? a->at[axis] < b->at[axis] : a->number < b->number;
}

// Moves the `half` first ones to the front. After Hoare; no two are equal.
static void part_at(placed_top *tops, uint32_t count, uint32_t half, int axis)
{
    int64_t low = 0, high = (int64_t)count - 1, wanted = (int64_t)half - 1;
    while (low < high) {
        placed_top pivot = tops[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (before(&tops[i], &pivot, axis))
                ++i;
            while (before(&pivot, &tops[j], axis))
                --j;
            if (i <= j) {
                placed_top held = tops[i];
                tops[i++] = tops[j];
                tops[j--] = held;
            }
        }
        if (wanted <= j)
            high = j;
        else if (wanted >= i)
            low = i;
        else
            return;
    }
}

static int longest_side(const placed_top *tops, uint32_t count)
{
    double low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = high[axis] = tops[0].at[axis];
        for (uint32_t i = 1; i < count; ++i) {
            low[axis] = fmin(low[axis], tops[i].at[axis]);
            high[axis] = fmax(high[axis], tops[i].at[axis]);
        }
    }
    int best = 0;
    for (int axis = 1; axis < 3; ++axis)
        if (high[axis] - low[axis] > high[best] - low[best])
            best = axis;
    return best;
}

typedef struct stretch {
    uint32_t first, count, parent;
} stretch;
typedef GZ_LIST(stretch) stretch_list;

// The tree without points, parents before their children.
static bool split_tops(gz_draft *draft, placed_top *tops, uint32_t count, stretch_list *waiting)
{
    stretch *begin = gz_list_push(draft->context, waiting, 1);
    if (begin == NULL)
        return false;
    *begin = (stretch){0, count, UINT32_MAX};
    while (waiting->count != 0) {
        stretch now = waiting->items[--waiting->count];
        uint32_t number = tops[now.first].number;
        if (now.count > 1) {
            number = (uint32_t)draft->nodes.count;
            if (new_node(draft, GZ_DETAIL_ABOVE) == NULL)
                return false;
            uint32_t half = now.count / 2;
            part_at(tops + now.first, now.count, half, longest_side(tops + now.first, now.count));
            stretch *room = gz_list_push(draft->context, waiting, 2);
            if (room == NULL)
                return false;
            room[0] = (stretch){now.first, half, number};
            room[1] = (stretch){now.first + half, now.count - half, number};
        }
        if (now.parent != UINT32_MAX)
            gz_draft_adopt(draft, now.parent, number);
    }
    return true;
}

typedef struct chosen_points {
    double at[3 * POINTS_MOST];
    uint32_t number[POINTS_MOST], count;
} chosen_points;

static void choose(chosen_points *chosen, const double (*points)[3], uint32_t number)
{
    for (uint32_t i = 0; i < chosen->count; ++i)
        if (chosen->number[i] == number)
            return;
    chosen->number[chosen->count++] = number;
    uint32_t padded = (chosen->count + GZ_HULL_LANES - 1) / GZ_HULL_LANES * GZ_HULL_LANES;
    for (uint32_t i = 0; i < padded; ++i)
        for (uint32_t axis = 0; axis < 3; ++axis)
            chosen->at[axis * padded + i] =
                points[chosen->number[i < chosen->count ? i : chosen->count - 1]][axis];
}

static gz_hull hull_of(const chosen_points *chosen)
{
    return (gz_hull){chosen->at,
                     (chosen->count + GZ_HULL_LANES - 1) / GZ_HULL_LANES * GZ_HULL_LANES};
}

// The extremes along the axes, then always the point that is farthest from the hull so far.
static void choose_points(const double (*points)[3], uint32_t count, chosen_points *chosen)
{
    double size = 0;
    chosen->count = 0;
    for (int axis = 0; axis < 3; ++axis) {
        uint32_t low = 0, high = 0;
        for (uint32_t i = 1; i < count; ++i) {
            low = points[i][axis] < points[low][axis] ? i : low;
            high = points[i][axis] > points[high][axis] ? i : high;
        }
        size = fmax(size, points[high][axis] - points[low][axis]);
        choose(chosen, points, low);
        choose(chosen, points, high);
    }
    while (chosen->count < POINTS_MOST) {
        gz_hull hull = hull_of(chosen);
        double most = NEAR_ENOUGH * size;
        uint32_t farthest = UINT32_MAX;
        for (uint32_t i = 0; i < count; ++i) {
            double reach = gz_hull_reach(&hull, points[i], 0);
            if (reach > most) {
                most = reach;
                farthest = i;
            }
        }
        if (farthest == UINT32_MAX)
            return;
        choose(chosen, points, farthest);
    }
}

// Points of children are known: they come later in the list.
static bool give_points(gz_draft *draft, uint32_t number, gz_point_list *points)
{
    points->count = 0;
    for (uint32_t c = draft->nodes.items[number].first_child; c != UINT32_MAX;
         c = draft->nodes.items[c].next_sibling) {
        const gz_detail_node *node = &draft->nodes.items[c].node;
        const gz_hull hull = {draft->points.items + 3 * (uint64_t)node->first_point,
                              node->point_count};
        double(*room)[3] = gz_list_push(draft->context, points, hull.count);
        if (room == NULL)
            return false;
        for (uint32_t i = 0; i < hull.count; ++i)
            gz_hull_point(&hull, i, room[i]);
    }
    chosen_points chosen;
    choose_points((const double(*)[3])points->items, (uint32_t)points->count, &chosen);
    gz_detail_node *node = &draft->nodes.items[number].node;
    node->first_point = (uint32_t)(draft->points.count / 3);
    node->first_normal = (uint32_t)draft->planes.count;
    return push_points(draft, node, (const double(*)[3])points->items, chosen.number, chosen.count);
}

uint32_t gz_draft_join(gz_draft *draft, uint32_t *tops, uint32_t count)
{
    if (count == 1)
        return tops[0];
    uint32_t root = (uint32_t)draft->nodes.count;
    stretch_list waiting = {0};
    gz_point_list points = {0};
    placed_top *placed = GZ_NEW_ARRAY(draft->context, placed_top, count);
    bool fits = placed != NULL;
    for (uint32_t i = 0; i < count && fits; ++i) {
        placed[i].number = tops[i];
        middle_of(draft, tops[i], placed[i].at);
    }
    fits = fits && split_tops(draft, placed, count, &waiting);
    for (uint64_t i = draft->nodes.count; fits && i-- != root;)
        fits = give_points(draft, (uint32_t)i, &points);
    GZ_FREE_ARRAY(draft->context, placed, count);
    gz_list_free(draft->context, &waiting);
    gz_list_free(draft->context, &points);
    return fits ? root : UINT32_MAX;
}
