// Bounds of the directed distance between surfaces. See deviation.h.
//
// Why the bounds hold: deviation_pieces.c and deviation_cover.h say it for a triangle, and every
// triangle of `from` is settled by the one or the other.
//
// Below: any point's distance is a lower bound of the largest one. The corners at which pieces are
// not settled are such points.
//
// What a triangle adds to the distances of its points, its extra, is added wherever a distance is
// compared with a bound; it is not larger than the reach, so that margins are enough for the sum.
#include "simplify/deviation_pieces.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "geometry/rounding.h"

enum { IN_A_CELL = 12 };                      // triangles looked at together, about
enum { SAMPLED = 32 };                        // one in so many is looked at before all others
#define FARTHEST      (4 * GZ_DEVIATION_HUGE) // nothing is so far away
#define PATIENCE      UINT64_C(10000000)      // distances of triangles that an answer may compute
#define PATIENCE_EACH UINT64_C(10000)         // for each triangle that is asked about

// --- The query

graze_status gz_deviation_query_create(graze_context *context, gz_deviation_query **query)
{
    *query = gz_allocate(context, sizeof **query);
    if (*query == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "no memory for a query of deviations");
    memset(*query, 0, sizeof **query);
    (*query)->context = context;
    (*query)->target.context = context;
    (*query)->pieces = GZ_NEW_ARRAY(context, gz_deviation_piece, GZ_PILE_PIECES);
    if ((*query)->pieces == NULL) {
        gz_deviation_query_destroy(*query);
        *query = NULL;
        return gz_fail(context, GRAZE_ERROR_MEMORY, "no memory for a query of deviations");
    }
    gz_deviation_set_patience(*query, PATIENCE, PATIENCE_EACH);
    return GRAZE_OK;
}

void gz_deviation_query_destroy(gz_deviation_query *query)
{
    if (query == NULL)
        return;
    gz_target_free(&query->target);
    gz_list_free(query->context, &query->unsettled);
    gz_list_free(query->context, &query->owners);
    gz_list_free(query->context, &query->taken);
    gz_deviation_free_cells(query);
    if (query->pieces != NULL)
        GZ_FREE_ARRAY(query->context, query->pieces, GZ_PILE_PIECES);
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
    query->ceiling = FARTHEST; // unused lanes of nodes are beyond that
    query->rough = false;
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
    return goal < query->ceiling ? goal : query->ceiling;
}

static void raise_low(gz_deviation_query *query, const double p[3], double low)
{
    if (!(low > query->low))
        return;
    query->low = low;
    query->witnessed = true;
    memcpy(query->witness, p, sizeof query->witness);
}

gz_nearby gz_deviation_look(gz_deviation_query *query, const double p[3], uint32_t hint, double off)
{
    gz_nearby near = {gz_target_distance(gz_deviation_triangle(query, hint), p), hint};
    if (near.distance - off <= query->low || gz_deviation_tired(query))
        return near; // what is nearest makes no difference, or would take too long
    near = gz_target_nearest(&query->target, p, hint);
    if (query->rough)
        raise_low(query, p, near.distance - off);
    else if (near.distance - off > query->low)
        raise_low(query, p, gz_target_at_least(&query->target, p, near.distance) - off);
    return near;
}

gz_nearby gz_deviation_look_over(gz_deviation_query *query, const double p[3], uint32_t hint,
                                 double off)
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

static double rounded_down(double x) { return x > 0 ? gz_step_down64(x) : 0; }

// Multiplying by a power of two is exact but for subnormals and overflow, hence one step further.
void gz_deviation_end(gz_deviation_query *query, gz_deviation *out)
{
    const gz_target *target = &query->target;
    out->low = rounded_down(query->low * target->unit);
    out->high = gz_step_up64(query->high * target->unit);
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
    out->high = gz_step_up64(fmax(query->high, query->low * (1 + 0x1p-47) * 2));
}

// --- Triangles

double gz_deviation_extra(const gz_deviation_query *query, const gz_surface *from, uint32_t t)
{
    return from->extra == NULL ? 0 : (double)from->extra[t] / query->target.unit;
}

graze_status gz_deviation_no_memory(gz_deviation_query *query, const gz_surface *from)
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
    gz_nearby near = gz_deviation_look_over(query, middle, hint, 2 * margin - extra);
    const gz_target_triangle *triangle = gz_deviation_triangle(query, near.triangle);
    for (int k = 0; k < 3; ++k)
        distance[k] = gz_target_distance(triangle, v[k]);
    uint32_t worst = distance[1] > distance[0] ? 1 : 0;
    worst = distance[2] > distance[worst] ? 2 : worst;
    gz_unsettled found = {number, near.triangle, near.distance + extra,
                          distance[worst] + margin + extra, 0};
    if (distance[worst] + extra > query->low) {
        gz_nearby corner = gz_deviation_look_over(query, v[worst], near.triangle, margin - extra);
        found.distance = fmax(found.distance, corner.distance + extra);
    }
    return found;
}

void gz_deviation_gather(gz_deviation_query *query, double least, gz_deviation_group *g)
{
    graze_box box = graze_box_empty();
    double extra = g->extra[0];
    for (uint32_t n = 0; n < g->count; ++n) {
        extra = g->extra[n] < extra ? g->extra[n] : extra;
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i < 3; ++i) {
                double x = g->corner[n][k][i];
                box.min[i] = x < box.min[i] ? x : box.min[i];
                box.max[i] = x > box.max[i] ? x : box.max[i];
            }
    }
    g->goal = gz_deviation_goal(query);
    double distance = fmin(fmax(g->goal - extra, least), FARTHEST); // as in the goal
    g->gathered = gz_cover_gather(&query->target, &box, distance, &query->near);
    if (!g->gathered)
        query->near.count = 0;
}

static bool covered(gz_deviation_query *query, const gz_deviation_group *g, uint32_t n)
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
// small that few are in each.
int gz_deviation_group_bits(const uint64_t *keys, uint32_t count)
{
    uint32_t changes[65] = {0}, cells = 1;
    for (uint32_t n = 1; n < count; ++n)
        changes[64 - __builtin_clzll((keys[n] ^ keys[n - 1]) | 1)]++;
    int bits = 64;
    while (bits > 32 && (uint64_t)cells * IN_A_CELL < count)
        cells += changes[bits--];
    return bits < 63 ? bits : 63;
}

void gz_deviation_group_next(gz_deviation_query *query, const gz_surface *from,
                             const uint64_t *keys, uint32_t left, int bits, double least,
                             gz_deviation_group *g)
{
    g->count = 1;
    while (g->count < GZ_DEVIATION_GROUP && g->count < left &&
           keys[g->count] >> bits == keys[0] >> bits)
        g->count++;
    for (uint32_t n = 0; n < g->count; ++n) {
        g->number[n] = (uint32_t)keys[n];
        gz_target_corners(&query->target, from, g->number[n], g->corner[n]);
        g->extra[n] = gz_deviation_extra(query, from, g->number[n]);
    }
    gz_deviation_gather(query, least, g);
}

static graze_status look_at_group(gz_deviation_query *query, const gz_surface *from,
                                  const gz_deviation_group *g, uint32_t *hint)
{
    for (uint32_t n = 0; n < g->count; ++n) {
        if (covered(query, g, n))
            continue;
        gz_unsettled found = examine(query, g->corner[n], g->extra[n], g->number[n], *hint);
        *hint = found.near;
        found.goal = g->goal;
        if (found.high <= gz_deviation_goal(query)) {
            gz_deviation_settle(query, found.high);
            continue;
        }
        gz_unsettled *left = gz_list_push(query->context, &query->unsettled, 1);
        if (left == NULL)
            return gz_deviation_no_memory(query, from);
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
    gz_deviation_group g;
    const uint64_t *keys = gz_target_sort(&query->target, from);
    if (keys == NULL)
        return gz_deviation_no_memory(query, from);
    query->near.count = 0;
    for (uint32_t n = 0; n < count; n += SAMPLED) {
        uint32_t t = (uint32_t)keys[n];
        gz_target_corners(&query->target, from, t, g.corner[0]);
        hint = examine(query, g.corner[0], gz_deviation_extra(query, from, t), t, hint).near;
    }
    query->unsettled.count = 0;
    int bits = gz_deviation_group_bits(keys, count);
    for (uint32_t first = 0; first < count && status == GRAZE_OK; first += g.count) {
        gz_deviation_group_next(query, from, keys + first, count - first, bits, 0, &g);
        status = look_at_group(query, from, &g, &hint);
    }
    return status;
}

static void refine_triangle(gz_deviation_query *query, const gz_surface *from,
                            const gz_unsettled *left, gz_pile *pile)
{
    gz_deviation_group g = {.count = 1};
    gz_target_corners(&query->target, from, left->number, g.corner[0]);
    g.extra[0] = gz_deviation_extra(query, from, left->number);
    gz_deviation_gather(query, 0, &g);
    if (g.goal > left->goal * (1 + 0x1p-10) &&
        covered(query, &g, 0)) // the lower bound is better now
        return;
    query->counts.refined++;
    gz_pile_settle(query, pile, (const double(*)[3])g.corner[0], g.extra[0], left->near);
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
    gz_pile pile;
    double bar = query->low * 0.5;
    pile.take = NULL;
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
    raise_low(query, v[0], gz_deviation_extra(query, from, largest));
}

static uint32_t largest_extra(const gz_surface *from)
{
    uint32_t largest = 0;
    for (uint32_t t = 1; from->extra != NULL && t < from->triangle_count; ++t)
        largest = from->extra[t] > from->extra[largest] ? t : largest;
    return largest;
}

graze_status gz_deviation_start(gz_deviation_query *query, const gz_surface *from, double gap,
                                double floor, gz_deviation *out, bool *done)
{
    graze_box box;
    *done = true;
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
    double reach =
        fmax(gz_target_reach(&query->target, &box), gz_deviation_extra(query, from, largest));
    if (!(reach < GZ_DEVIATION_HUGE)) {
        far_triangles(query, from);
        gz_deviation_end_far(query, out);
        return GRAZE_OK;
    }
    gz_deviation_begin(query, reach, gap, floor);
    start_with_extras(query, from, largest);
    query->work_limit = query->patience + query->patience_each * from->triangle_count;
    *done = false;
    return GRAZE_OK;
}

graze_status gz_deviation_from(gz_deviation_query *query, const gz_surface *from, double gap,
                               double floor, gz_deviation *out)
{
    bool done;
    graze_status status = gz_deviation_start(query, from, gap, floor, out, &done);
    if (status == GRAZE_OK && !done)
        status = first_look(query, from);
    if (status != GRAZE_OK || done)
        return status;
    refine_all(query, from);
    gz_deviation_end(query, out);
    return GRAZE_OK;
}
