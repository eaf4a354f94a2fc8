// A bound of depth in a box, by cutting it along the triangles of both shapes. See shards.h.
//
// Each triangle has a sheet: all points a little above or below its plane, or beyond its edges, by
// more than rounding can do. A box is cut along the faces of the sheets that it meets, one after
// the other, into convex pieces: shards. So a shard lies in the sheet of some triangle of a shape,
// or is free of the sheets of all of them, and so of its surface. Then
//   a shard that is free of a shape is inside it with all points or with none: one point tells;
//   a shard is nowhere deeper in a shape than its corners are far from any one triangle, distance
//   from a convex set being convex: next to nothing, if it is in a sheet.
// A shard that is outside one of the shapes does not count. One that is inside, and near the plane
// of a triangle, is cut further along the edges of the triangle. Of what is left the worst is the
// bound.
//
// Corners of shards are off by less than `finest`, and sheets are thicker than that: what is free
// is so for certain, also where rounding makes shards overlap or leaves gaps between them.
// This tells what wedges do not: shapes that touch in many ways at one place, as flanges do around
// a bolt that goes through both.
#include "query/shards.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "geometry/vector.h"

#define TRIANGLES 40  // of a shape
#define WAITING   64  // shards
#define FACES     28  // of a shard
#define CORNERS   168 // of all its faces together
#define ROUND     20  // corners of a face
#define CUTS      400 // then it is given up
#define SHEET     32  // in units of rounding: what a sheet is beyond its triangle
#define TOLERANCE 4   // the same: less is not cut off
#define NEAR      0.9 // in parts of what is enough: shards so near a plane are cut along edges

// The faces of a sheet: one plane above, one below, one beyond each edge. Inside, n.x <= h.
typedef struct sheet {
    double normal[5][3], height[5];
    const double (*corner)[3];
    graze_box box;
    double area; // twice
    int side;    // which shape
} sheet;

typedef struct gz_shard {
    double corner[CORNERS][3]; // seen from the middle of the ball, face by face
    int face_end[FACES];       // in the list of corners
    int face_count;
    graze_box box;
    uint32_t next;   // sheet to look at
    bool inside[2];  // of each shape: known not to be outside, and free of it
    double bound[2]; // of the depth in each shape; infinity: not known
} shard;

typedef struct shattering {
    const gz_wedge_ball *ball;
    shard *waiting;
    int waiting_count, cuts;
    gz_seen_triangle triangle[2][TRIANGLES];
    sheet sheets[2 * TRIANGLES]; // the largest first
    uint32_t sheet_count;
    double known[2][3]; // a point whose place in each shape is known
    graze_place known_place[2];
    double slack[2], width, tolerance, enough, most;
    graze_status status;
} shattering;

static graze_box box_around(const double (*points)[3], int count)
{
    graze_box box;
    memcpy(box.min, points[0], sizeof box.min);
    memcpy(box.max, points[0], sizeof box.max);
    for (int k = 1; k < count; ++k)
        for (int i = 0; i < 3; ++i) {
            box.min[i] = points[k][i] < box.min[i] ? points[k][i] : box.min[i];
            box.max[i] = points[k][i] > box.max[i] ? points[k][i] : box.max[i];
        }
    return box;
}

// --- Sheets

static bool unit(double v[3])
{
    double length = gz_length3(v);
    for (int i = 0; i < 3; ++i)
        v[i] /= length;
    return length > 0 && length < HUGE_VAL;
}

// False for triangles too thin for this arithmetic: they must be in their sheets.
static bool make_sheet(shattering *s, const gz_seen_triangle *t, sheet *out)
{
    double e[3], f[3], *n = out->normal[0];
    out->corner = t->corner;
    gz_subtract3(t->corner[1], t->corner[0], e);
    gz_subtract3(t->corner[2], t->corner[0], f);
    gz_cross3(e, f, n);
    out->area = gz_length3(n);
    if (!unit(n))
        return false;
    double h = gz_dot3(n, t->corner[0]);
    out->height[0] = h + s->width;
    out->height[1] = -h + s->width;
    for (int i = 0; i < 3; ++i)
        out->normal[1][i] = -n[i];
    for (int k = 0; k < 3; ++k) {
        gz_subtract3(t->corner[(k + 1) % 3], t->corner[k], e);
        gz_cross3(e, n, out->normal[2 + k]);
        if (!unit(out->normal[2 + k]))
            return false;
        out->height[2 + k] = gz_dot3(out->normal[2 + k], t->corner[k]) + s->width;
    }
    out->box = box_around(t->corner, 3);
    for (int i = 0; i < 3; ++i) {
        out->box.min[i] -= s->width;
        out->box.max[i] += s->width;
    }
    for (int k = 0; k < 5; ++k)
        for (int i = 0; i < 3; ++i)
            if (gz_dot3(out->normal[k], t->corner[i]) > out->height[k] - s->width / 2)
                return false;
    return true;
}

// Large ones come first, so that shards are soon free of the rest.
static bool add_sheet(shattering *s, const gz_seen_triangle *t, int side)
{
    sheet made = {.side = side};
    uint32_t k = s->sheet_count;
    if (!make_sheet(s, t, &made))
        return false;
    for (; k > 0 && s->sheets[k - 1].area < made.area; --k)
        s->sheets[k] = s->sheets[k - 1];
    s->sheets[k] = made;
    s->sheet_count++;
    return true;
}

static bool make_sheets(shattering *s)
{
    uint32_t count[2];
    for (int side = 0; side < 2; ++side) {
        count[side] = gz_field_gather(&s->ball->field[side], s->ball->middle, s->ball->radius,
                                      s->triangle[side], TRIANGLES, &s->slack[side]);
        if (count[side] > TRIANGLES)
            return false;
    }
    double rounding = s->ball->finest + fmax(s->slack[0], s->slack[1]);
    s->width = SHEET * rounding;
    s->tolerance = TOLERANCE * rounding;
    for (int side = 0; side < 2; ++side)
        for (uint32_t k = 0; k < count[side]; ++k)
            if (!add_sheet(s, &s->triangle[side][k], side))
                return false;
    return 4 * s->width < s->enough;
}

// --- Cutting

static int corner_count(const shard *p) { return p->face_end[p->face_count - 1]; }

static void make_box(const gz_wedge_ball *ball, const graze_box *box, shard *out)
{
    static const int way[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    *out = (shard){.face_count = 6, .bound = {HUGE_VAL, HUGE_VAL}};
    for (int face = 0; face < 6; ++face) {
        int axis = face / 2, next = (axis + 1) % 3, last = (axis + 2) % 3;
        for (int k = 0; k < 4; ++k) {
            double *p = out->corner[4 * face + k];
            p[axis] = (face % 2 ? box->max : box->min)[axis] - ball->middle[axis];
            p[next] = (way[k][0] ? box->max : box->min)[next] - ball->middle[next];
            p[last] = (way[k][1] ? box->max : box->min)[last] - ball->middle[last];
        }
        out->face_end[face] = 4 * (face + 1);
    }
    out->box = box_around((const double(*)[3])out->corner, corner_count(out));
}

static bool add_corner(shard *out, int *count, const double p[3])
{
    if (*count == CORNERS)
        return false;
    memcpy(out->corner[(*count)++], p, 3 * sizeof *p);
    return true;
}

// An order of directions in a plane, without angles.
static double turn_of(double x, double y)
{
    double size = fabs(x) + fabs(y), part = size > 0 ? y / size : 0;
    return x < 0 ? 2 - part : y < 0 ? 4 + part : part;
}

// The face along the cut: its corners, put in order around their middle.
static bool add_lid(shard *out, int *count, const double normal[3], double (*lid)[3], int lid_count)
{
    double middle[3] = {0}, e[3] = {0}, f[3], turn[ROUND * 2];
    int axis = fabs(normal[0]) < fabs(normal[1]) ? 0 : 1;
    axis = fabs(normal[2]) < fabs(normal[axis]) ? 2 : axis;
    double across[3] = {axis == 0, axis == 1, axis == 2};
    gz_cross3(normal, across, e);
    gz_cross3(normal, e, f);
    for (int k = 0; k < lid_count; ++k)
        for (int i = 0; i < 3; ++i)
            middle[i] += lid[k][i] / lid_count;
    for (int k = 0; k < lid_count; ++k) {
        double way[3];
        gz_subtract3(lid[k], middle, way);
        turn[k] = turn_of(gz_dot3(way, e), gz_dot3(way, f));
        for (int j = k; j > 0 && turn[j - 1] > turn[j]; --j) {
            double held = turn[j], point[3];
            turn[j] = turn[j - 1];
            turn[j - 1] = held;
            memcpy(point, lid[j], sizeof point);
            memcpy(lid[j], lid[j - 1], sizeof point);
            memcpy(lid[j - 1], point, sizeof point);
        }
    }
    for (int k = 0; k < lid_count; ++k)
        if (k == 0 || lid[k][0] != lid[k - 1][0] || lid[k][1] != lid[k - 1][1] ||
            lid[k][2] != lid[k - 1][2])
            if (!add_corner(out, count, lid[k]))
                return false;
    out->face_end[out->face_count++] = *count;
    return true;
}

// A cut through a shard: how high its corners are above a plane.
typedef struct cut {
    const double *normal;
    double above[CORNERS], low, high;
} cut;

static void find_heights(const shard *p, const double normal[3], double height, cut *out)
{
    int count = corner_count(p);
    out->normal = normal;
    out->low = HUGE_VAL;
    out->high = -HUGE_VAL;
    for (int k = 0; k < count; ++k) {
        double above = gz_dot3(normal, p->corner[k]) - height;
        out->above[k] = above;
        out->low = above < out->low ? above : out->low;
        out->high = above > out->high ? above : out->high;
    }
}

// The part of a shard that is below a plane, or above it. Both have the same corners along the cut.
// False if it has too many.
static bool cut_off(const shard *whole, const cut *c, bool upper, shard *out)
{
    double lid[ROUND * 2][3];
    int count = 0, lid_count = 0, begin = 0;
    out->face_count = 0;
    out->next = whole->next;
    memcpy(out->bound, whole->bound, sizeof out->bound);
    memcpy(out->inside, whole->inside, sizeof out->inside);
    for (int face = 0; face < whole->face_count; begin = whole->face_end[face++]) {
        int size = whole->face_end[face] - begin, first = count;
        for (int k = 0; k < size; ++k) {
            int next = k + 1 == size ? 0 : k + 1;
            const double *p = whole->corner[begin + k], *q = whole->corner[begin + next];
            double here = c->above[begin + k], there = c->above[begin + next];
            if ((here > 0 ? upper : !upper || here == 0) && !add_corner(out, &count, p))
                return false;
            if ((here <= 0) == (there <= 0))
                continue;
            // From the lower end, whichever way the face goes round.
            double low = here <= 0 ? here : there, high = here <= 0 ? there : here;
            const double *from = here <= 0 ? p : q, *to = here <= 0 ? q : p;
            double t = low / (low - high), at[3];
            for (int i = 0; i < 3; ++i)
                at[i] = from[i] + t * (to[i] - from[i]);
            if (lid_count == ROUND * 2 || !add_corner(out, &count, at))
                return false;
            memcpy(lid[lid_count++], at, sizeof at);
        }
        if (count - first > ROUND || out->face_count == FACES - 1)
            return false;
        if (count - first >= 3)
            out->face_end[out->face_count++] = count;
        else
            count = first;
    }
    if (lid_count >= 3 && !add_lid(out, &count, c->normal, lid, lid_count))
        return false;
    if (out->face_count != 0)
        out->box = box_around((const double(*)[3])out->corner, count);
    return true;
}

// --- Shards

static bool boxes_apart(const graze_box *a, const graze_box *b)
{
    return a->max[0] < b->min[0] || a->max[1] < b->min[1] || a->max[2] < b->min[2] ||
           b->max[0] < a->min[0] || b->max[1] < a->min[1] || b->max[2] < a->min[2];
}

// A box is beyond a plane if its lowest corner is.
static bool is_box_beyond(const graze_box *box, const double normal[3], double height)
{
    double low = 0;
    for (int i = 0; i < 3; ++i)
        low += normal[i] * (normal[i] > 0 ? box->min[i] : box->max[i]);
    return low >= height;
}

static double square_from_segment(const double x[3], const double p[3], const double q[3])
{
    double way[3], from[3];
    gz_subtract3(q, p, way);
    gz_subtract3(x, p, from);
    double t = gz_dot3(from, way) / gz_dot3(way, way);
    t = t > 0 ? fmin(t, 1) : 0;
    for (int i = 0; i < 3; ++i)
        from[i] -= t * way[i];
    return gz_dot3(from, from);
}

// How far a point is from a triangle.
static double distance_from(const double x[3], const sheet *t, double width)
{
    bool above = true;
    for (int k = 2; k < 5; ++k)
        above &= gz_dot3(t->normal[k], x) <= t->height[k] - width;
    if (above)
        return fabs(gz_dot3(t->normal[0], x) - t->height[0] + width);
    double least = HUGE_VAL;
    for (int k = 0; k < 3; ++k)
        least = fmin(least, square_from_segment(x, t->corner[k], t->corner[(k + 1) % 3]));
    return sqrt(least);
}

// How far a shard reaches from a shape that has this triangle, or one near to it if the triangle is
// that of a cut; rounding included.
static double farthest(const shattering *s, const shard *p, const sheet *t)
{
    double most = 0;
    for (int k = 0; k < corner_count(p); ++k)
        most = fmax(most, distance_from(p->corner[k], t, s->width));
    const gz_field *field = &s->ball->field[t->side];
    double backward = field->backward * (1 + field->stretch);
    return (most + backward) * (1 + 0x1p-40) + 4 * (s->slack[t->side] + s->ball->finest);
}

// Does the way between two points pierce a triangle? 1 yes, 0 no, -1 it is too close to tell.
static int pierces(const shattering *s, const sheet *t, const double p[3], const double q[3])
{
    double plane = t->height[0] - s->width, here = gz_dot3(t->normal[0], p) - plane,
           there = gz_dot3(t->normal[0], q) - plane;
    if ((here > s->width && there > s->width) || (here < -s->width && there < -s->width))
        return 0;
    if (fabs(here) <= s->width || fabs(there) <= s->width)
        return -1;
    double part = here / (here - there), at[3];
    int inner = 0;
    for (int i = 0; i < 3; ++i)
        at[i] = p[i] + part * (q[i] - p[i]);
    for (int k = 2; k < 5; ++k) {
        double height = gz_dot3(t->normal[k], at) - t->height[k];
        if (height > s->width)
            return 0;
        inner += height < -2 * s->width;
    }
    return inner == 3 ? 1 : -1;
}

// The place of a point of the ball, from that of another one: all triangles that the way between
// them might pierce are at hand. UNKNOWN if it comes too close to an edge, and where the triangles
// are those of a cut, which do not tell what is inside the original.
static graze_place place_by_way(const shattering *s, const double point[3], int side)
{
    graze_place place =
        s->ball->field[side].cut != NULL ? GRAZE_PLACE_UNKNOWN : s->known_place[side];
    for (uint32_t k = 0; k < s->sheet_count && place != GRAZE_PLACE_UNKNOWN; ++k) {
        if (s->sheets[k].side != side)
            continue;
        int pierced = pierces(s, &s->sheets[k], s->known[side], point);
        if (pierced < 0)
            return GRAZE_PLACE_UNKNOWN;
        if (pierced != 0)
            place = place == GRAZE_PLACE_INSIDE ? GRAZE_PLACE_OUTSIDE : GRAZE_PLACE_INSIDE;
    }
    return place;
}

// Of a shard that is free.
static graze_place place_of(shattering *s, const shard *p, int side)
{
    double point[3] = {0}, world[3];
    int count = corner_count(p);
    for (int k = 0; k < count; ++k)
        for (int i = 0; i < 3; ++i)
            point[i] += p->corner[k][i] / count;
    graze_place place = place_by_way(s, point, side);
    if (place != GRAZE_PLACE_UNKNOWN)
        return place;
    for (int i = 0; i < 3; ++i)
        world[i] = point[i] + s->ball->middle[i];
    graze_status status = gz_place_free_point(&s->ball->solid[side], world, &place);
    if (s->status == GRAZE_OK)
        s->status = status;
    memcpy(s->known[side], point, sizeof point);
    s->known_place[side] = place;
    return place;
}

// Cuts off what is beyond faces of a sheet, to wait for its turn, from sheet `next` on; the rest
// stays. *beyond: all of it is. False: it has become too much.
static bool split(shattering *s, shard *p, const sheet *t, int first_face, uint32_t next,
                  bool *beyond)
{
    cut c;
    *beyond = boxes_apart(&p->box, &t->box);
    for (int face = first_face; face < 5 && !*beyond; ++face)
        *beyond = is_box_beyond(&p->box, t->normal[face], t->height[face]);
    for (int face = first_face; face < 5 && !*beyond; ++face) {
        find_heights(p, t->normal[face], t->height[face], &c);
        *beyond = c.low >= -s->tolerance;
    }
    for (int face = first_face; face < 5 && !*beyond; ++face) {
        shard rest;
        find_heights(p, t->normal[face], t->height[face], &c);
        *beyond = c.low >= -s->tolerance;
        if (*beyond || c.high <= s->tolerance)
            continue;
        if (s->waiting_count == WAITING || ++s->cuts > CUTS)
            return false;
        shard *off = &s->waiting[s->waiting_count];
        if (!cut_off(p, &c, true, off) || !cut_off(p, &c, false, &rest) || rest.face_count < 4)
            return false;
        off->next = next;
        s->waiting_count += off->face_count >= 4;
        *p = rest;
    }
    return true;
}

static bool is_near_plane(const shattering *s, const shard *p, const sheet *t)
{
    cut c;
    find_heights(p, t->normal[0], t->height[0] - s->width, &c);
    return c.low > -NEAR * s->enough && c.high < NEAR * s->enough;
}

// A shard that is inside a shape: how deep? What is beyond the edges of the triangle that tells it
// waits to come here again. False: it cannot be told.
static bool bound_inside(shattering *s, shard *p, int side)
{
    const sheet *end = s->sheets + s->sheet_count;
    for (const sheet *t = s->sheets; t != end && p->bound[side] > s->enough; ++t) {
        bool beyond = false;
        if (t->side != side || !is_near_plane(s, p, t))
            continue;
        p->bound[side] = farthest(s, p, t);
        if (p->bound[side] > s->enough && !split(s, p, t, 2, p->next, &beyond))
            return false;
        if (!beyond)
            p->bound[side] = farthest(s, p, t);
    }
    return p->bound[side] <= s->enough;
}

// Whether boxes say that a shard is free of the sheets of a shape that are still to come.
static bool is_free(const shattering *s, const shard *p, int side)
{
    for (uint32_t k = p->next; k < s->sheet_count; ++k)
        if (s->sheets[k].side == side && !boxes_apart(&p->box, &s->sheets[k].box))
            return false;
    return true;
}

// True: it is outside a shape, and does not count.
static bool is_outside(shattering *s, shard *p)
{
    for (int side = 0; side < 2; ++side) {
        if (p->inside[side] || p->bound[side] < HUGE_VAL || !is_free(s, p, side))
            continue;
        if (place_of(s, p, side) == GRAZE_PLACE_OUTSIDE)
            return true;
        p->inside[side] = true;
    }
    return false;
}

// Takes a shard through all sheets. False: it cannot be told.
static bool take_apart(shattering *s, shard *p)
{
    if (is_outside(s, p))
        return true;
    for (; p->next < s->sheet_count; ++p->next) {
        const sheet *t = &s->sheets[p->next];
        bool beyond;
        if (p->inside[t->side] || p->bound[t->side] < HUGE_VAL)
            continue;
        if (!split(s, p, t, 0, p->next + 1, &beyond))
            return false;
        if (!beyond)
            p->bound[t->side] = farthest(s, p, t);
    }
    if (is_outside(s, p))
        return true;
    for (int side = 0; side < 2; ++side) {
        if (p->bound[side] == HUGE_VAL && !bound_inside(s, p, side))
            return false;
        s->most = fmax(s->most, p->bound[side]);
    }
    return s->most <= s->enough;
}

graze_status gz_shards_bound(graze_query *query, const gz_wedge_ball *ball, const graze_box *box,
                             double enough, double *bound)
{
    shattering s = {.ball = ball, .enough = enough};
    shard p;
    *bound = HUGE_VAL;
    if (!make_sheets(&s) || *ball->field[0].status != GRAZE_OK)
        return GRAZE_OK;
    if (!gz_list_reserve(query->context, &query->shards, WAITING))
        return gz_fail(query->context, GRAZE_ERROR_MEMORY,
                       "graze_query_penetration: out of memory");
    s.waiting = query->shards.items;
    make_box(ball, box, &s.waiting[s.waiting_count++]);
    while (s.waiting_count != 0 && s.status == GRAZE_OK) {
        p = s.waiting[--s.waiting_count];
        if (!take_apart(&s, &p))
            return s.status;
    }
    *bound = s.most + ball->finest;
    return s.status;
}
