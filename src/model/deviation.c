// Bounds of the directed distance between surfaces. See deviation.h.
//
// Why the bounds hold. The distance from one triangle of the target is a convex function, since the
// triangle is convex; so on a convex polygon it is largest at a corner, and the distance from the
// whole target is not larger than that from one of its triangles. A triangle of `from` is settled
// when all its corners are near enough to one triangle of the target. Else it is cut into two
// convex polygons, which are looked at on their own. Where the cut goes does not matter for the
// proof: it is made where the one of two triangles of the target becomes nearer than the other,
// which is next to their common edge if they are neighbours, so that few cuts do what many halvings
// would.
//
// Rounding: a corner of a piece that comes from a cut is off from the exact point of the edge by
// less than 2^-50 reach, beyond what the ends of the edge are off. So the corners of a piece that
// was cut n times are within n 2^-50 reach of the corners of an exact one, the same holds for all
// points between them, and the exact pieces cover the triangle. The margin of distances is in
// deviation_target.h.
//
// Below: any point's distance is a lower bound of the largest one. The corners at which pieces are
// not settled are such points.
//
// What a triangle adds to the distances of its points, its extra, is added wherever a distance is
// compared with a bound; it is not larger than the reach, so that margins are enough for the sum.
#include "model/deviation_query.h"

#include <math.h>
#include <string.h>

#include "base/context.h"

enum { MOST_CORNERS = 12, DEPTH = 48 };
enum { GROUP = 32, IN_A_CELL = 12 };          // triangles looked at together, at most and about
enum { SAMPLED = 32 };                        // one in so many is looked at before all others
#define FARTHEST      (4 * GZ_DEVIATION_HUGE) // nothing is so far away
#define PATIENCE      UINT64_C(10000000)      // distances of triangles that an answer may compute
#define PATIENCE_EACH UINT64_C(10000)         // for each triangle that is asked about

typedef struct piece {
    double corner[MOST_CORNERS][3];
    double distance[MOST_CORNERS]; // from one triangle of the target
    uint32_t near;                 // that one
    uint32_t count, depth;
} piece;

typedef struct piece_pile {
    piece pieces[DEPTH + 2];
    uint32_t count;
    double extra; // of the triangle that they are pieces of
} piece_pile;

// --- The query

graze_status gz_deviation_query_create(graze_context *context, gz_deviation_query **query)
{
    *query = gz_allocate(context, sizeof **query);
    if (*query == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "no memory for a query of deviations");
    memset(*query, 0, sizeof **query);
    (*query)->context = context;
    (*query)->target.context = context;
    gz_deviation_set_patience(*query, PATIENCE, PATIENCE_EACH);
    return GRAZE_OK;
}

void gz_deviation_query_destroy(gz_deviation_query *query)
{
    if (query == NULL)
        return;
    gz_target_free(&query->target);
    gz_list_free(query->context, &query->unsettled, sizeof(gz_unsettled));
    gz_deviation_free_cells(query);
    gz_release(query->context, query, sizeof *query);
}

graze_status gz_deviation_set_target(gz_deviation_query *query, const gz_surface *to)
{
    return gz_target_set(&query->target, to);
}

int gz_deviation_witness(const gz_deviation_query *query, double point[3])
{
    memcpy(point, query->witness, sizeof query->witness);
    return query->witnessed;
}

gz_deviation_counts gz_deviation_counted(const gz_deviation_query *query) { return query->counts; }

graze_status gz_deviation_check(const gz_deviation_query *query, double gap, double floor)
{
    if (!(gap >= 0 && floor >= 0))
        return gz_fail(query->context, GRAZE_ERROR_ARGUMENT,
                       "the gap and the floor of a deviation are numbers from 0 up");
    return GRAZE_OK;
}

void gz_deviation_begin(gz_deviation_query *query, double reach, double gap, double floor)
{
    query->target.reach = fmax(1, reach);
    query->target.searches = query->target.steps = 0;
    query->low = query->high = 0;
    query->gap = gap;
    query->floor = floor / query->target.unit;
    query->witnessed = false;
    query->work_limit = UINT64_MAX;
    query->counts = (gz_deviation_counts){0};
}

double gz_deviation_goal(const gz_deviation_query *query)
{
    double goal = query->low * (1 + query->gap) * (1 - 0x1p-50);
    goal = goal > query->floor ? goal : query->floor;
    double least = 4 * gz_target_margin(&query->target); // bounds do not come closer
    goal = goal > least ? goal : least;
    return goal < FARTHEST ? goal : FARTHEST; // unused lanes of nodes are beyond that
}

static void raise_low(gz_deviation_query *query, const double p[3], double low)
{
    if (!(low > query->low))
        return;
    query->low = low;
    query->witnessed = true;
    memcpy(query->witness, p, sizeof query->witness);
}

static const gz_target_triangle *triangle_at(const gz_deviation_query *query, uint32_t t)
{
    return (const gz_target_triangle *)query->target.triangles.items + t;
}

gz_nearby gz_deviation_look(gz_deviation_query *query, const double p[3], uint32_t hint, double off)
{
    gz_nearby near = {gz_target_distance(triangle_at(query, hint), p), hint};
    if (near.distance - off <= query->low || gz_deviation_tired(query))
        return near; // what is nearest makes no difference, or would take too long
    near = gz_target_nearest(&query->target, p, hint);
    if (near.distance - off > query->low)
        raise_low(query, p, gz_target_at_least(&query->target, p, near.distance) - off);
    return near;
}

// What is near is enough to know that p is not the farthest point.
static gz_nearby glance(gz_deviation_query *query, const double p[3], uint32_t hint, double off)
{
    if (query->near.count == 0)
        return gz_deviation_look(query, p, hint, off);
    const gz_target_triangle *triangles = query->target.triangles.items;
    gz_nearby near = {.triangle = gz_cover_nearest(&query->target, &query->near, p)};
    near.distance = gz_target_distance(triangles + near.triangle, p);
    if (near.distance - off <= query->low)
        return near;
    return gz_deviation_look(query, p, near.triangle, off);
}

static double rounded_down(double x) { return x > 0 ? nextafter(x, 0) : 0; }

// Multiplying by a power of two is exact but for subnormals and overflow, hence one step further.
void gz_deviation_end(gz_deviation_query *query, gz_deviation *out)
{
    const gz_target *target = &query->target;
    out->low = rounded_down(query->low * target->unit);
    out->high = nextafter(query->high * target->unit, HUGE_VAL);
    query->counts.searches = target->searches;
    for (int i = 0; i < 3; ++i)
        query->witness[i] = query->witness[i] * target->unit + target->center[i];
}

void gz_deviation_halfway(const gz_deviation_query *query, const double position[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = position[i] * 0.5 - query->target.center[i] * 0.5;
}

void gz_deviation_far_point(gz_deviation_query *query, const double halfway[3], double extra)
{
    double most = fmax(fabs(halfway[0]), fmax(fabs(halfway[1]), fabs(halfway[2])));
    if (!((halfway[0] + halfway[1] + halfway[2]) * 0 == 0)) { // beyond all numbers
        query->high = HUGE_VAL;
        return;
    }
    double half = extra * 0.5;
    if (most > 0) {
        double x = halfway[0] / most, y = halfway[1] / most, z = halfway[2] / most;
        half += most * sqrt(x * x + y * y + z * z); // may be infinite
    }
    if (!(half > query->low))
        return;
    query->low = half;
    query->witnessed = true;
    for (int i = 0; i < 3; ++i)
        query->witness[i] = (halfway[i] + query->target.center[i] * 0.5) * 2;
}

void gz_deviation_end_far(gz_deviation_query *query, gz_deviation *out)
{
    double low = query->low < 0x1p1023 ? query->low : 0x1p1023;
    out->low = rounded_down(low * (1 - 0x1p-47) * 2);
    out->high = nextafter(fmax(query->high, query->low * (1 + 0x1p-47) * 2), HUGE_VAL);
}

// --- Pieces

static double off_of(const gz_deviation_query *query, const piece *p)
{
    return 0x1p-50 * query->target.reach * p->depth;
}

static uint32_t farthest(const double *distance, uint32_t count)
{
    uint32_t worst = 0;
    for (uint32_t i = 1; i < count; ++i)
        worst = distance[i] > distance[worst] ? i : worst;
    return worst;
}

// A corner of a piece: where it is, and how far from the nearer triangle of both.
static void add_corner(piece *to, const double corner[3], double distance)
{
    GZ_ASSERT(to->count < MOST_CORNERS);
    memcpy(to->corner[to->count], corner, sizeof to->corner[0]);
    to->distance[to->count++] = distance;
}

static double dot(const double u[3], const double v[3])
{
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

static void cross(const double u[3], const double v[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
}

static void between(const double a[3], const double b[3], double t, double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = a[i] + t * (b[i] - a[i]);
}

// Cuts a piece through two places on its border, each on an edge (from a corner to the next) or, if
// the fraction is 0, at its first corner. The first part is from place 0 to place 1. Each part is
// measured from the triangle named for it; `distance` are those of the corners.
typedef struct cut {
    uint32_t edge[2];
    double fraction[2];
    uint32_t near[2];
    const double *distance[2]; // of the corners from `near`
} cut;

static void cut_piece(const gz_deviation_query *query, const piece *from, const cut *c,
                      piece part[2])
{
    double place[2][3];
    for (int k = 0; k < 2; ++k)
        between(from->corner[c->edge[k]], from->corner[(c->edge[k] + 1) % from->count],
                c->fraction[k], place[k]);
    for (int side = 0; side < 2; ++side) {
        piece *to = part + side;
        const gz_target_triangle *near = triangle_at(query, c->near[side]);
        to->count = 0;
        to->depth = from->depth + 1;
        to->near = c->near[side];
        uint32_t last = c->edge[!side];
        add_corner(to, place[side], gz_target_distance(near, place[side]));
        for (uint32_t i = c->edge[side]; i != last;) {
            i = (i + 1) % from->count;
            if (i != last || c->fraction[!side] > 0)
                add_corner(to, from->corner[i], c->distance[side][i]);
        }
        add_corner(to, place[!side], gz_target_distance(near, place[!side]));
    }
}

// How much nearer the other triangle is. Of two triangles in one plane that share an edge, this is
// how far a point beside them is from the edge, on the one side or the other.
static double lead(double distance, double other)
{
    double square = (distance - other) * (distance + other);
    return square < 0 ? -sqrt(-square) : sqrt(square);
}

// Where the sign of a number at the corners changes: true if at two edges, so that there is a cut
// between them. The first part is where it is positive.
static bool cut_by_sign(const piece *p, const double *number, cut *c)
{
    uint32_t changes = 0;
    for (uint32_t i = 0; i < p->count; ++i) {
        uint32_t next = i + 1 == p->count ? 0 : i + 1;
        double here = number[i], there = number[next];
        if ((here > 0) == (there > 0))
            continue;
        if (++changes > 2)
            return false;
        int side = here > 0; // leaving the first part is place 1
        c->edge[side] = i;
        c->fraction[side] = here / (here - there);
        if (!(c->fraction[side] < 1)) { // at the next corner
            c->edge[side] = next;
            c->fraction[side] = 0;
        }
    }
    return changes == 2;
}

// Between where the one triangle is nearer and where the other is.
static bool cut_by_difference(const piece *p, const double *other, cut *c)
{
    double number[MOST_CORNERS];
    for (uint32_t i = 0; i < p->count; ++i)
        number[i] = lead(p->distance[i], other[i]);
    return cut_by_sign(p, number, c);
}

// Between what is over a triangle of the target and what is beside it: along the plane through one
// of its edges, across to it. What is over it is as far as its height says, so that a piece that is
// about as large as the triangle needs few of these cuts. Nothing that is narrower than `least` is
// cut off.
static bool cut_by_edge(const piece *p, const gz_target_triangle *t, double least, cut *c)
{
    double edge[3][3], normal[3], inward[3], number[3][MOST_CORNERS], most = least;
    int best = -1;
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
            edge[k][i] = t->corner[(k + 1) % 3][i] - t->corner[k][i];
    cross(edge[0], edge[1], normal);
    for (int k = 0; k < 3; ++k) {
        cross(normal, edge[k], inward);
        double length = sqrt(dot(inward, inward)), low = 0, high = 0;
        if (!(length > 0))
            return false;
        for (uint32_t n = 0; n < p->count; ++n) {
            double sum = 0;
            for (int i = 0; i < 3; ++i)
                sum += (p->corner[n][i] - t->corner[k][i]) * inward[i];
            number[k][n] = sum / length;
            low = number[k][n] < low ? number[k][n] : low;
            high = number[k][n] > high ? number[k][n] : high;
        }
        if (-low > most && high > least) {
            most = -low;
            best = k;
        }
    }
    return best >= 0 && cut_by_sign(p, number[best], c);
}

static double longest_edge(const gz_target_triangle *t)
{
    double most = 0;
    for (int k = 0; k < 3; ++k) {
        const double *a = t->corner[k], *b = t->corner[(k + 1) % 3];
        double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2], square = x * x + y * y + z * z;
        most = square > most ? square : most;
    }
    return sqrt(most);
}

// Halves the longest edge, and cuts to the corner opposite. A piece may have two corners only.
// Returns the length of that edge.
static double cut_in_half(const piece *p, cut *c)
{
    double most = -1;
    for (uint32_t i = 0; i < p->count; ++i) {
        const double *a = p->corner[i], *b = p->corner[(i + 1) % p->count];
        double square = 0;
        for (int axis = 0; axis < 3; ++axis)
            square += (a[axis] - b[axis]) * (a[axis] - b[axis]);
        if (square > most) {
            most = square;
            c->edge[0] = i;
        }
    }
    c->edge[1] = (c->edge[0] + 1 + (p->count - 1) / 2) % p->count;
    c->fraction[0] = 0.5;
    c->fraction[1] = 0;
    return sqrt(most);
}

// How the piece is cut, where the triangle nearest to its worst corner is c->near[0].
static void choose_cut(const gz_deviation_query *query, const piece *p, double goal, cut *c)
{
    const gz_target_triangle *near = triangle_at(query, c->near[0]);
    cut half = *c;
    double length = cut_in_half(p, &half);
    // Other cuts may leave slivers: now and then a piece is cut in half.
    if (p->count + 2 <= MOST_CORNERS && length < 4 * longest_edge(near)) {
        if (p->depth % 16 < 12 && cut_by_edge(p, near, 0.25 * goal, c))
            return;
        if (p->depth % 4 != 3 && cut_by_difference(p, c->distance[0], c))
            return;
    }
    *c = half;
}

// Measures the piece from another triangle, which is better somewhere.
static void measure(const gz_deviation_query *query, const piece *p, uint32_t near,
                    double distance[MOST_CORNERS])
{
    const gz_target_triangle *triangle = triangle_at(query, near);
    for (uint32_t i = 0; i < p->count; ++i)
        distance[i] = gz_target_distance(triangle, p->corner[i]);
}

// Settles the topmost piece, or puts two in its place. Its distances are those from the triangle
// `near` of the target; where one is too large, the triangle that is nearest there is tried, too.
static void refine(gz_deviation_query *query, piece_pile *pile)
{
    piece p = pile->pieces[--pile->count];
    double other[MOST_CORNERS] = {0};
    double margin = gz_target_margin(&query->target), off = off_of(query, &p), extra = pile->extra;
    for (int replaced = 0;; ++replaced) {
        uint32_t worst = farthest(p.distance, p.count);
        double high = p.distance[worst] + margin + off + extra;
        if (high <= gz_deviation_goal(query)) {
            gz_deviation_settle(query, high);
            return;
        }
        if (gz_deviation_tired(query) || p.depth == DEPTH) {
            gz_deviation_settle(query, high);
            query->counts.given_up++;
            return;
        }
        gz_nearby near = glance(query, p.corner[worst], p.near, margin + off - extra);
        if (near.distance + 2 * margin >= p.distance[worst]) // then the best there is
            near = gz_deviation_look(query, p.corner[worst], near.triangle, margin + off - extra);
        // That corner alone proves that the value is as large as this, but for rounding.
        if (high <= gz_deviation_goal(query) || near.distance + 2 * margin >= p.distance[worst]) {
            gz_deviation_settle(query, high);
            return;
        }
        measure(query, &p, near.triangle, other);
        double other_high = other[farthest(other, p.count)] + margin + off + extra;
        if (other_high <= gz_deviation_goal(query)) {
            gz_deviation_settle(query, other_high);
            return;
        }
        if (other_high < high && replaced < 2) {
            bool better = true;
            for (uint32_t i = 0; i < p.count; ++i)
                better = better && other[i] <= p.distance[i];
            if (better) {
                p.near = near.triangle;
                memcpy(p.distance, other, sizeof other);
                continue;
            }
        }
        cut c = {.near = {near.triangle, p.near}, .distance = {other, p.distance}};
        choose_cut(query, &p, gz_deviation_goal(query) - extra, &c);
        cut_piece(query, &p, &c, pile->pieces + pile->count);
        pile->count += 2;
        query->counts.pieces += 2;
        return;
    }
}

// --- Triangles

static double extra_of(const gz_deviation_query *query, const gz_surface *from, uint32_t t)
{
    return from->extra == NULL ? 0 : (double)from->extra[t] / query->target.unit;
}

static graze_status no_memory(gz_deviation_query *query, const gz_surface *from)
{
    return gz_fail(query->context, GRAZE_ERROR_MEMORY,
                   "no memory for the deviation of %u triangles", from->triangle_count);
}

// Looks at the middle of a triangle, and at the corner that is farthest from what is nearest there.
static gz_unsettled examine(gz_deviation_query *query, const double v[3][3], double extra,
                            uint32_t number, uint32_t hint)
{
    double margin = gz_target_margin(&query->target), middle[3], distance[3];
    for (int i = 0; i < 3; ++i)
        middle[i] = (v[0][i] + v[1][i] + v[2][i]) / 3;
    gz_nearby near = glance(query, middle, hint, 2 * margin - extra);
    const gz_target_triangle *triangle = triangle_at(query, near.triangle);
    for (int k = 0; k < 3; ++k)
        distance[k] = gz_target_distance(triangle, v[k]);
    uint32_t worst = farthest(distance, 3);
    gz_unsettled found = {number, near.triangle, near.distance + extra,
                          distance[worst] + margin + extra, 0};
    if (distance[worst] + extra > query->low) {
        gz_nearby corner = glance(query, v[worst], near.triangle, margin - extra);
        found.distance = fmax(found.distance, corner.distance + extra);
    }
    return found;
}

// A group of triangles that are near each other.
typedef struct group {
    double corner[GROUP][3][3];
    double extra[GROUP];
    uint32_t count;
    bool gathered;
    double goal; // for which it was gathered
} group;

static void gather(gz_deviation_query *query, group *g)
{
    graze_box box = graze_box_empty();
    double least = g->extra[0];
    for (uint32_t n = 0; n < g->count; ++n) {
        least = g->extra[n] < least ? g->extra[n] : least;
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i < 3; ++i) {
                double x = g->corner[n][k][i];
                box.min[i] = x < box.min[i] ? x : box.min[i];
                box.max[i] = x > box.max[i] ? x : box.max[i];
            }
    }
    g->goal = gz_deviation_goal(query);
    g->gathered = gz_cover_gather(&query->target, &box, g->goal - least, &query->near);
    if (!g->gathered)
        query->near.count = 0;
}

static bool covered(gz_deviation_query *query, const group *g, uint32_t n)
{
    double goal = g->goal - g->extra[n], height = -1;
    if (g->gathered && goal > 0)
        height = gz_cover_height(&query->target, &query->near, g->corner[n], goal);
    if (height < 0)
        return false;
    gz_deviation_settle(query, height + g->extra[n]);
    query->counts.covered++;
    return true;
}

// Triangles are in one group if they are in one cell of the grid that the curve fills, the cells so
// small that few are in each. Returns how many bits of keys are those in a cell.
static int cell_bits(const uint64_t *keys, uint32_t count)
{
    uint32_t changes[65] = {0}, cells = 1;
    for (uint32_t n = 1; n < count; ++n)
        changes[64 - __builtin_clzll((keys[n] ^ keys[n - 1]) | 1)]++;
    int bits = 64;
    while (bits > 32 && (uint64_t)cells * IN_A_CELL < count)
        cells += changes[bits--];
    return bits < 63 ? bits : 63;
}

static graze_status look_at_group(gz_deviation_query *query, const gz_surface *from, group *g,
                                  const uint64_t *keys, uint32_t *hint)
{
    for (uint32_t n = 0; n < g->count; ++n) {
        gz_target_corners(&query->target, from, (uint32_t)keys[n], g->corner[n]);
        g->extra[n] = extra_of(query, from, (uint32_t)keys[n]);
    }
    gather(query, g);
    for (uint32_t n = 0; n < g->count; ++n) {
        if (covered(query, g, n))
            continue;
        gz_unsettled found = examine(query, g->corner[n], g->extra[n], (uint32_t)keys[n], *hint);
        *hint = found.near;
        found.goal = g->goal;
        if (found.high <= gz_deviation_goal(query)) {
            gz_deviation_settle(query, found.high);
            continue;
        }
        gz_unsettled *left =
            gz_list_push(query->context, &query->unsettled, sizeof(gz_unsettled), 1);
        if (left == NULL)
            return no_memory(query, from);
        *left = found;
    }
    return GRAZE_OK;
}

// The first look at all triangles, in an order in which neighbours are together. Before it, some of
// them are examined, so that there is a lower bound to compare with.
static graze_status first_look(gz_deviation_query *query, const gz_surface *from)
{
    uint32_t count = from->triangle_count, hint = 0;
    graze_status status = GRAZE_OK;
    group g;
    const uint64_t *keys = gz_target_sort(&query->target, from);
    if (keys == NULL)
        return no_memory(query, from);
    query->near.count = 0;
    for (uint32_t n = 0; n < count; n += SAMPLED) {
        uint32_t t = (uint32_t)keys[n];
        gz_target_corners(&query->target, from, t, g.corner[0]);
        hint = examine(query, g.corner[0], extra_of(query, from, t), t, hint).near;
    }
    query->unsettled.count = 0;
    int bits = cell_bits(keys, count);
    for (uint32_t first = 0; first < count && status == GRAZE_OK; first += g.count) {
        g.count = 1;
        while (g.count < GROUP && first + g.count < count &&
               keys[first + g.count] >> bits == keys[first] >> bits)
            g.count++;
        status = look_at_group(query, from, &g, keys + first, &hint);
    }
    return status;
}

static void refine_triangle(gz_deviation_query *query, const gz_surface *from,
                            const gz_unsettled *left, piece_pile *pile)
{
    piece *whole = pile->pieces;
    group g = {.count = 1};
    gz_target_corners(&query->target, from, left->number, g.corner[0]);
    g.extra[0] = pile->extra = extra_of(query, from, left->number);
    gather(query, &g);
    if (g.goal > left->goal * (1 + 0x1p-10) &&
        covered(query, &g, 0)) // the lower bound is better now
        return;
    memcpy(whole->corner, g.corner[0], sizeof g.corner[0]);
    whole->near = left->near;
    whole->count = 3;
    whole->depth = 0;
    measure(query, whole, left->near, whole->distance);
    pile->count = 1;
    query->counts.refined++;
    while (pile->count != 0)
        refine(query, pile);
}

void gz_deviation_set_patience(gz_deviation_query *query, uint64_t fixed, uint64_t each)
{
    query->patience = fixed;
    query->patience_each = each;
}

// Those that are far at their middle come first: they raise the lower bound, which settles others.
static void refine_all(gz_deviation_query *query, const gz_surface *from)
{
    const gz_unsettled *left = query->unsettled.items;
    uint64_t count = query->unsettled.count;
    piece_pile pile;
    double bar = query->low * 0.5;
    for (int pass = 0; pass < 2; ++pass)
        for (uint64_t i = 0; i < count; ++i) {
            if ((left[i].distance >= bar) == (pass != 0))
                continue;
            if (left[i].high <= gz_deviation_goal(query))
                gz_deviation_settle(query, left[i].high);
            else
                refine_triangle(query, from, left + i, &pile);
        }
}

static void far_triangles(gz_deviation_query *query, const gz_surface *from)
{
    double halfway[3];
    for (uint32_t t = 0; t < from->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            gz_deviation_halfway(query, from->position[from->corner[t][k]], halfway);
            gz_deviation_far_point(query, halfway,
                                   from->extra == NULL ? 0 : (double)from->extra[t]);
        }
}

// The largest extra is a lower bound already: distances are not below 0.
static void start_with_extras(gz_deviation_query *query, const gz_surface *from, uint32_t largest)
{
    double v[3][3];
    gz_target_corners(&query->target, from, largest, v);
    raise_low(query, v[0], extra_of(query, from, largest));
}

static uint32_t largest_extra(const gz_surface *from)
{
    uint32_t largest = 0;
    for (uint32_t t = 1; from->extra != NULL && t < from->triangle_count; ++t)
        largest = from->extra[t] > from->extra[largest] ? t : largest;
    return largest;
}

graze_status gz_deviation_from(gz_deviation_query *query, const gz_surface *from, double gap,
                               double floor, gz_deviation *out)
{
    graze_box box;
    graze_status status = gz_deviation_check(query, gap, floor);
    if (status == GRAZE_OK)
        status = gz_surface_check(query->context, from, &box);
    if (status != GRAZE_OK)
        return status;
    gz_deviation_begin(query, 1, gap, floor);
    *out = (gz_deviation){0, 0};
    if (from->triangle_count == 0)
        return GRAZE_OK;
    if (query->target.triangle_count == 0) {
        *out = (gz_deviation){HUGE_VAL, HUGE_VAL};
        return GRAZE_OK;
    }
    uint32_t largest = largest_extra(from);
    double reach = fmax(gz_target_reach(&query->target, &box), extra_of(query, from, largest));
    if (!(reach < GZ_DEVIATION_HUGE)) {
        far_triangles(query, from);
        gz_deviation_end_far(query, out);
        return GRAZE_OK;
    }
    gz_deviation_begin(query, reach, gap, floor);
    start_with_extras(query, from, largest);
    query->work_limit = query->patience + query->patience_each * from->triangle_count;
    status = first_look(query, from);
    if (status != GRAZE_OK)
        return status;
    refine_all(query, from);
    gz_deviation_end(query, out);
    return GRAZE_OK;
}
