// Where two hulls are in contact, and whether two leaves are. See detail_pairs.h.
//
// Everything about hulls is computed in the frame of a. Rotations are what they are: `stretch` and
// `slack` have in them how far each is from being one, and all rounding from the stored coordinates
// to the answer. With L, the sum of all translations, centers and radii, a coordinate of either
// frame is off by less than 2^-47 L, as is one that is posed into the world.
#include <math.h>
#include <string.h>

#include "clod/detail_pairs.h"
#include "geometry/pose.h"
#include "geometry/triangle.h"
#include "geometry/vector.h"

// The largest entry of R^T R - 1 bounds how far R is from a rotation.
static double off_rotation(const double r[9])
{
    double most = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double dot = r[i] * r[j] + r[3 + i] * r[3 + j] + r[6 + i] * r[6 + j];
            most = fmax(most, fabs(dot - (i == j ? 1 : 0)));
        }
    return 3 * most + 0x1p-48;
}

static double sum3(const double v[3]) { return fabs(v[0]) + fabs(v[1]) + fabs(v[2]); }

void gz_detail_frames_set(gz_detail_frames *frames, const gz_detail_wish *wish)
{
    const graze_contact_detail *a = wish->detail[0], *b = wish->detail[1];
    const double *ra = wish->pose[0]->rotation, *rb = wish->pose[1]->rotation;
    double at_a[3], at_b[3], apart[3];
    frames->wish = wish;
    gz_pose_apply(wish->pose[0], a->center, at_a);
    gz_pose_apply(wish->pose[1], b->center, at_b);
    gz_subtract3(at_b, at_a, apart);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            frames->map.rotation[3 * i + j] =
                ra[i] * rb[j] + ra[3 + i] * rb[3 + j] + ra[6 + i] * rb[6 + j];
        frames->map.translation[i] = ra[i] * apart[0] + ra[3 + i] * apart[1] + ra[6 + i] * apart[2];
    }
    double off = fmax(off_rotation(ra), off_rotation(rb));
    double length = sum3(wish->pose[0]->translation) + sum3(wish->pose[1]->translation) +
                    sum3(a->center) + sum3(b->center) + a->radius + b->radius;
    frames->radius = a->radius + b->radius;
    frames->stretch = 1 + 4 * off;
    frames->slack = 4 * off * (frames->radius + sum3(frames->map.translation)) + 0x1p-45 * length;
}

static void to_world(const gz_detail_frames *frames, const double local[3], double world[3])
{
    double at[3];
    for (int i = 0; i < 3; ++i)
        at[i] = local[i] + frames->wish->detail[0]->center[i];
    gz_pose_apply(frames->wish->pose[0], at, world);
}

static void turn_to_world(const gz_detail_frames *frames, const double local[3], double world[3])
{
    const double *r = frames->wish->pose[0]->rotation;
    for (int i = 0; i < 3; ++i)
        world[i] = gz_row_times(&r[3 * i], local[0], local[1], local[2]);
    double length = gz_length3(world);
    for (int i = 0; i < 3; ++i)
        world[i] /= length;
}

double gz_detail_area(const gz_detail_frames *frames, const gz_detail_node *a,
                      const gz_detail_node *b, const gz_hull_answer *nearest)
{
    const double *areas_a = frames->wish->detail[0]->areas + a->first_point;
    const double *areas_b = frames->wish->detail[1]->areas + b->first_point;
    double sum_a = 0, sum_b = 0;
    for (uint32_t i = 0; i < nearest->count; ++i) {
        sum_a += nearest->part[i] * areas_a[nearest->vertex_a[i]];
        sum_b += nearest->part[i] * areas_b[nearest->vertex_b[i]];
    }
    return sum_a < sum_b ? sum_a : sum_b;
}

graze_box gz_detail_place(const gz_detail_frames *frames, const gz_hull_answer *nearest)
{
    double at[2][3];
    to_world(frames, nearest->point_a, at[0]);
    to_world(frames, nearest->point_b, at[1]);
    return graze_box_of_points((const double(*)[3])at, 2);
}

// --- Contacts

typedef struct meeting {
    const gz_detail_frames *frames;
    const gz_detail_node *node[2];
    gz_hull hull[2];
    double normal[3], depth, point[2][3]; // in the frame of a
} meeting;

// How deep b is under a plane of a, and where.
static void try_plane_a(meeting *m, const gz_detail_plane *plane)
{
    double turned[3], reach = 0, point[3];
    const gz_hull_map *map = &m->frames->map;
    for (int i = 0; i < 3; ++i)
        turned[i] =
            -(map->rotation[i] * plane->normal[0] + map->rotation[3 + i] * plane->normal[1] +
              map->rotation[6 + i] * plane->normal[2]);
    uint32_t deepest = gz_hull_support(&m->hull[1], turned, &reach);
    double depth = plane->reach + reach - gz_dot3(plane->normal, map->translation);
    if (!(depth < m->depth))
        return;
    m->depth = depth;
    memcpy(m->normal, plane->normal, sizeof m->normal);
    gz_hull_point(&m->hull[1], deepest, point);
    gz_hull_map_apply(map, point, m->point[1]);
    for (int i = 0; i < 3; ++i)
        m->point[0][i] = m->point[1][i] + depth * m->normal[i];
}

// The same the other way round.
static void try_plane_b(meeting *m, const gz_detail_plane *plane)
{
    double normal[3], reach = 0;
    const gz_hull_map *map = &m->frames->map;
    for (int i = 0; i < 3; ++i)
        normal[i] = -(map->rotation[3 * i] * plane->normal[0] +
                      map->rotation[3 * i + 1] * plane->normal[1] +
                      map->rotation[3 * i + 2] * plane->normal[2]);
    uint32_t deepest = gz_hull_support(&m->hull[0], normal, &reach);
    double depth = reach + plane->reach - gz_dot3(normal, map->translation);
    if (!(depth < m->depth))
        return;
    m->depth = depth;
    memcpy(m->normal, normal, sizeof m->normal);
    gz_hull_point(&m->hull[0], deepest, m->point[0]);
    for (int i = 0; i < 3; ++i)
        m->point[1][i] = m->point[0][i] - depth * normal[i];
}

// Hulls that overlap are parted along the normal of one of the patches' triangles, whichever is the
// shortest way. Faces of a hull behind its patch are no way out: that would be through the body.
static void find_depth(meeting *m, const gz_hull_answer *nearest)
{
    m->depth = HUGE_VAL;
    for (int side = 0; side < 2; ++side) {
        const graze_contact_detail *d = m->frames->wish->detail[side];
        for (uint32_t k = 0; k < m->node[side]->normal_count; ++k) {
            const gz_detail_plane *plane = &d->planes[m->node[side]->first_normal + k];
            side == 0 ? try_plane_a(m, plane) : try_plane_b(m, plane);
        }
    }
    if (m->depth < HUGE_VAL)
        return;
    // Hulls above the coarsest surface have no patch: from middle to middle.
    double middle[3], along[3];
    gz_hull_map_apply(&m->frames->map, m->node[1]->center, middle);
    gz_subtract3(middle, m->node[0]->center, along);
    double length = gz_length3(along);
    for (int i = 0; i < 3; ++i)
        m->normal[i] = length > 0 ? along[i] / length : (i == 2 ? 1 : 0);
    m->depth = -gz_hull_gap(&m->hull[0], &m->hull[1], &m->frames->map, m->normal);
    memcpy(m->point[0], nearest->point_a, sizeof m->point[0]);
    memcpy(m->point[1], nearest->point_b, sizeof m->point[1]);
}

static double cover_of(const meeting *m, int side)
{
    double middle[3], off[3];
    if (side == 0)
        memcpy(middle, m->node[0]->center, sizeof middle);
    else
        gz_hull_map_apply(&m->frames->map, m->node[1]->center, middle);
    gz_subtract3(m->point[side], middle, off);
    return (gz_length3(off) + m->node[side]->radius) * m->frames->stretch + m->frames->slack;
}

// Originals are near the faces of both hulls where these are apart; where they overlap, near each
// point of them, since a face is never farther from it than the hull is thick.
static double error_of(const meeting *m, double distance)
{
    const gz_detail_node *a = m->node[0], *b = m->node[1];
    double sum = a->spread + b->spread + distance;
    if (!(distance > 0))
        sum += a->thickness + b->thickness;
    sum = sum * m->frames->stretch + m->frames->slack;
    double tolerance = m->frames->wish->tolerance;
    return sum > tolerance ? sum - tolerance : 0;
}

void gz_detail_contact(const gz_detail_frames *frames, const gz_hull_pair *pair,
                       graze_detail_contact *out)
{
    const gz_detail_wish *wish = frames->wish;
    meeting m = {.frames = frames,
                 .node = {&wish->detail[0]->nodes[pair->a], &wish->detail[1]->nodes[pair->b]}};
    m.hull[0] = gz_detail_hull(wish->detail[0], m.node[0]);
    m.hull[1] = gz_detail_hull(wish->detail[1], m.node[1]);
    gz_hull_answer nearest;
    gz_hull_distance(&m.hull[0], &m.hull[1], &frames->map,
                     gz_detail_reach(frames, m.node[0], m.node[1]), &nearest);
    if (nearest.high > 0x1p-40 * (m.node[0]->radius + m.node[1]->radius)) {
        m.depth = -nearest.high;
        memcpy(m.normal, nearest.axis, sizeof m.normal);
        memcpy(m.point[0], nearest.point_a, sizeof m.point[0]);
        memcpy(m.point[1], nearest.point_b, sizeof m.point[1]);
    } else {
        find_depth(&m, &nearest);
    }
    double area = gz_detail_area(frames, m.node[0], m.node[1], &nearest);
    double weight = fmax(m.node[0]->weight, m.node[1]->weight);
    *out = (graze_detail_contact){.depth = m.depth,
                                  .area = area,
                                  .deviation = weight > 0 ? weight / area : 0,
                                  .error = pair->exact ? 0 : error_of(&m, nearest.high),
                                  .cover_a = cover_of(&m, 0),
                                  .cover_b = cover_of(&m, 1),
                                  .level_a = m.node[0]->level,
                                  .level_b = m.node[1]->level,
                                  .hull_a = pair->a,
                                  .hull_b = pair->b};
    to_world(frames, m.point[0], out->point_a);
    to_world(frames, m.point[1], out->point_b);
    turn_to_world(frames, m.normal, out->normal);
}

// --- Leaves

static void pose_triangle(const gz_detail_frames *frames, int side, uint32_t triangle,
                          graze_triangle *out, graze_box *box)
{
    const graze_contact_detail *d = frames->wish->detail[side];
    for (int k = 0; k < 3; ++k) {
        double at[3];
        gz_detail_position(d, d->corners[triangle][k], at);
        gz_pose_apply(frames->wish->pose[side], at, out->corner[k]);
    }
    for (int i = 0; i < 3; ++i) {
        double a = out->corner[0][i], b = out->corner[1][i], c = out->corner[2][i];
        double low = a < b ? a : b, high = a < b ? b : a;
        box->min[i] = low < c ? low : c;
        box->max[i] = high > c ? high : c;
    }
}

// Boxes that are farther apart than the tolerance, and rounding, settle most.
static bool boxes_near(const graze_box *a, const graze_box *b, double tolerance)
{
    for (int i = 0; i < 3; ++i) {
        double gap = fmax(a->min[i] - b->max[i], b->min[i] - a->max[i]);
        if (gap > tolerance * (1 + 0x1p-50))
            return false;
    }
    return true;
}

bool gz_detail_leaves_meet(const gz_detail_frames *frames, const gz_detail_node *a,
                           const gz_detail_node *b, uint64_t *test_count)
{
    double tolerance = frames->wish->tolerance;
    for (uint32_t i = 0; i < a->triangle_count; ++i) {
        graze_triangle mine, other;
        graze_box my_box, other_box;
        pose_triangle(frames, 0, a->first_triangle + i, &mine, &my_box);
        for (uint32_t j = 0; j < b->triangle_count; ++j) {
            pose_triangle(frames, 1, b->first_triangle + j, &other, &other_box);
            if (!boxes_near(&my_box, &other_box, tolerance))
                continue;
            ++*test_count;
            if (gz_triangle_within(&mine, &other, tolerance))
                return true;
        }
    }
    return false;
}
