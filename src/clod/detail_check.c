// Does a contact detail keep its rules? Nothing in a file is believed: see detail.h for what
// answers rest on.
#include <math.h>

#include "base/context.h"
#include "base/threads.h"
#include "clod/detail.h"
#include "geometry/vector.h"

#define MOST_COORDINATE 0x1p300
#define LOOK_EACH       1024u // nodes: whether to go on

static bool is_length(double x) { return x >= 0 && x < MOST_COORDINATE; }
static bool is_coordinate(double x) { return fabs(x) < MOST_COORDINATE; }

static bool frame_sound(const graze_contact_detail *d)
{
    bool sound = is_length(d->radius) && d->radius > 0;
    for (int i = 0; i < 3; ++i)
        sound = sound && is_coordinate(d->center[i]) && is_coordinate(d->box.min[i]) &&
                is_coordinate(d->box.max[i]) && d->box.min[i] <= d->box.max[i];
    for (uint32_t i = 0; i < GRAZE_DETAIL_LEVELS; ++i)
        sound = sound && d->levels[i].deviation >= 0 && d->levels[i].resolution >= 0;
    return sound;
}

// All vertices are in the box and the ball, and all that is stored is a number.
static bool numbers_sound(const graze_contact_detail *d)
{
    for (uint32_t v = 0; v < d->vertex_count; ++v) {
        double at[3], local[3];
        gz_detail_position(d, v, at);
        gz_detail_local(d, v, local);
        for (int i = 0; i < 3; ++i)
            if (!(at[i] >= d->box.min[i] && at[i] <= d->box.max[i]))
                return false;
        if (!(gz_length3(local) <= d->radius))
            return false;
    }
    for (uint64_t i = 0; i < 3 * (uint64_t)d->point_count; ++i)
        if (!(fabs(d->points[i]) <= d->radius))
            return false;
    for (uint32_t i = 0; i < d->point_count; ++i)
        if (!(d->areas[i] >= 0 && d->areas[i] < HUGE_VAL))
            return false;
    for (uint32_t i = 0; i < d->plane_count; ++i)
        if (!(fabs(gz_length3(d->planes[i].normal) - 1) < 1e-6) ||
            !is_coordinate(d->planes[i].reach))
            return false;
    for (uint32_t t = 0; t < d->triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
            if (d->corners[t][k] >= d->vertex_count)
                return false;
    return true;
}

// Each number of the view occurs once.
static graze_status check_permutation(const graze_contact_detail *d)
{
    bool *seen = GZ_NEW_ARRAY(d->context, bool, d->triangle_count);
    if (seen == NULL)
        return GRAZE_ERROR_MEMORY;
    bool sound = true;
    for (uint32_t t = 0; t < d->triangle_count; ++t)
        seen[t] = false;
    for (uint32_t t = 0; t < d->triangle_count && sound; ++t) {
        sound = d->numbers[t] < d->triangle_count && !seen[d->numbers[t]];
        if (sound)
            seen[d->numbers[t]] = true;
    }
    GZ_FREE_ARRAY(d->context, seen, d->triangle_count);
    return sound ? GRAZE_OK : GRAZE_ERROR_FORMAT;
}

static bool measures_sound(const graze_contact_detail *d, const gz_detail_node *n)
{
    bool leaf = n->child_count == 0, above = n->level == GZ_DETAIL_ABOVE;
    bool sound = is_length(n->radius) && is_length(n->stray) && is_length(n->spread) &&
                 is_length(n->thickness) && n->resolution >= 0 && n->resolution < HUGE_VAL &&
                 n->deviation >= 0 && n->weight >= 0 && n->area >= 0 && n->area < HUGE_VAL;
    for (int i = 0; i < 3; ++i)
        sound = sound && is_coordinate(n->center[i]);
    return sound && (above ? !leaf && n->weight == HUGE_VAL : n->level < d->level_count) &&
           leaf == (n->level == 0) && (!leaf || n->weight == 0);
}

static bool ranges_sound(const graze_contact_detail *d, const gz_detail_node *n)
{
    return n->point_count != 0 && n->point_count % GZ_HULL_LANES == 0 &&
           n->first_point <= d->point_count && n->point_count <= d->point_count - n->first_point &&
           n->first_normal <= d->plane_count &&
           n->normal_count <= d->plane_count - n->first_normal && n->triangle_count != 0 &&
           n->first_triangle <= d->triangle_count &&
           n->triangle_count <= d->triangle_count - n->first_triangle;
}

// Children lie behind all nodes that were named before, and share the triangles of their parent.
static bool tree_sound(const graze_contact_detail *d)
{
    uint64_t next = 1, level_end = 1;
    uint32_t depth = 1;
    if (d->nodes[0].first_triangle != 0 || d->nodes[0].triangle_count != d->triangle_count)
        return false;
    for (uint32_t i = 0; i < d->node_count; ++i) {
        const gz_detail_node *n = &d->nodes[i];
        if (i == level_end) {
            level_end = next;
            ++depth;
        }
        if (i >= next || !ranges_sound(d, n) || !measures_sound(d, n))
            return false;
        if (n->child_count == 0)
            continue;
        if (n->first_child != next || n->child_count > d->node_count - next)
            return false;
        uint64_t first = n->first_triangle;
        for (uint32_t c = 0; c < n->child_count; ++c) {
            if (d->nodes[next + c].first_triangle != first)
                return false;
            first += d->nodes[next + c].triangle_count;
        }
        if (first != (uint64_t)n->first_triangle + n->triangle_count)
            return false;
        next += n->child_count;
    }
    return next == d->node_count && depth == d->depth;
}

// What is computed here is what was computed when the detail was built, to the last bit.
static bool bounds_sound(const graze_contact_detail *d, const gz_detail_node *n)
{
    gz_hull hull = gz_detail_hull(d, n);
    double off[3];
    for (uint32_t i = 0; i < hull.count; ++i) {
        double point[3];
        gz_hull_point(&hull, i, point);
        gz_subtract3(point, n->center, off);
        if (!(gz_length3(off) <= n->radius))
            return false;
    }
    for (uint32_t t = 0; t < n->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            double point[3];
            gz_detail_local(d, d->corners[n->first_triangle + t][k], point);
            gz_subtract3(point, n->center, off);
            if (!(gz_length3(off) <= n->radius) ||
                !(gz_hull_reach(&hull, point, d->radius) <= n->stray))
                return false;
        }
    return true;
}

graze_status gz_detail_check(const graze_contact_detail *d)
{
    if (!frame_sound(d) || !numbers_sound(d) || !tree_sound(d))
        return GRAZE_ERROR_FORMAT;
    graze_status status = check_permutation(d);
    for (uint32_t i = 0; i < d->node_count && status == GRAZE_OK; ++i) {
        if (!bounds_sound(d, &d->nodes[i]))
            return GRAZE_ERROR_FORMAT;
        if (i % LOOK_EACH == 0)
            status =
                gz_checkpoint(d->context, "checking a contact detail", "hulls", i, d->node_count);
    }
    return status;
}
