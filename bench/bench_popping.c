// How far contacts jump when an error that varies shrinks a little: levels of detail of whole
// clusters, and with groups at steps between them.
//   bench_popping [--models FOLDER] [--triangles N] [--quick]
// Bodies are those of bench_lod: the dragon made finer until it has N triangles, 8 million unless
// told otherwise, and a turbine; where there is no dragon, a knot takes its place. Their files are
// kept in FOLDER, or where GRAZE_MODELS says. In each of 30 poses, from touching to a tenth inside,
// the error begins with 1 % of the width of the smaller body and shrinks by 1 % from question to
// question, down to 0.05 %. Two things are measured from each answer to the next:
//   surface    some contacts are taken, up to 64, evenly spaced on the list, and of each the points
//              of both bodies: how far the next cut of that body is from the point, and by which
//              angle its triangle there is turned, on the mean over all these points. A collapse
//              moves a place as far as it does; steps let fewer places move at a time
//   resultant  the mean of the middles of all contacts moves, and the sum of their normals turns.
//              Contacts are one for two leaves, so this is also about which triangles are taken
//
// Prints CSV, one line for each engine and kind. Columns:
//   triangles         of the larger body
//   poses, jumps      how many were measured, and
//   moved             those above 1e-6 of the width, or 0.01 degrees
//   mean_move         over all, percent of the width
//   moved_move, p95_move, max_move   over those that moved
//   mean_turn, moved_turn, p95_turn, max_turn   the same of directions, degrees
//   contacts, cut_a, cut_b, page_loads   of an answer, on the mean
//   mean_ms, p99_ms   of a question, with the loading of pages
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "geometry/vector.h"
#include "graze/graze.h"
#include "lod_bodies.h"
#include "lod_paths.h"
#include "option_words.h"
#include "query/query_scratch.h"
#include "stopwatch.h"

#define CACHE_BYTES (UINT64_C(256) << 20)
#define FIRST       0.01
#define LAST        0.0005
#define SHRINK      0.99
enum { WAYS = 10, DEPTHS = 3, TAKEN = 64, JUMPS = 10000 };

typedef struct bench {
    const char *models;
    uint32_t triangles;
    bool quick;
    lod_store store;
    lod_body body[2];
    graze_context *context;
    graze_model *model[2];
    graze_shape *exact[2], *shape[2];
    graze_query *query;
    lod_path path;
    double width;
} bench;

// The resultant of an answer.
typedef struct resultant {
    uint64_t count;
    double point[3], normal[3];
} resultant;

// A point of a contact, in the frame of its body.
typedef struct spot {
    int side;
    double point[3], normal[3];
} spot;

// What an answer leaves for the next one.
typedef struct memory {
    resultant all;
    spot spots[2 * TAKEN];
    uint32_t spot_count;
    uint64_t cut[2]; // triangles: cuts of as many are the same
} memory;

typedef struct jumps {
    uint32_t count;
    double move[JUMPS], turn[JUMPS];
} jumps;

typedef struct score {
    jumps surface, resultant;
    uint32_t asked;
    double seconds[JUMPS];
    double contacts, cut_a, cut_b, loads;
} score;

static double error_everywhere(void *user, const graze_box *box)
{
    (void)box;
    return *(const double *)user;
}

static resultant resultant_of(const graze_answer *answer)
{
    resultant r = {.count = answer->pair_count};
    double length = 0;
    for (uint64_t i = 0; i < answer->pair_count; ++i) {
        const graze_contact *c = &answer->contacts[i];
        for (int axis = 0; axis < 3; ++axis) {
            r.point[axis] += 0.5 * (c->point_a[axis] + c->point_b[axis]) / (double)r.count;
            r.normal[axis] += c->normal[axis];
        }
    }
    for (int axis = 0; axis < 3; ++axis)
        length += r.normal[axis] * r.normal[axis];
    for (int axis = 0; axis < 3 && length > 0; ++axis)
        r.normal[axis] /= sqrt(length);
    return r;
}

static double angle_of(const double a[3], const double b[3])
{
    double cross[3], along = 0;
    gz_cross3(a, b, cross);
    for (int axis = 0; axis < 3; ++axis)
        along += a[axis] * b[axis];
    return atan2(sqrt(gz_dot3(cross, cross)), along) * 180 / 3.14159265358979323846;
}

static void add_jump(jumps *out, double move, double turn)
{
    if (out->count == JUMPS)
        return;
    out->move[out->count] = move;
    out->turn[out->count++] = turn;
}

static double box_gap(const double low[3], const double high[3], const double point[3])
{
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double d = fmax(fmax(low[axis] - point[axis], point[axis] - high[axis]), 0);
        sum += d * d;
    }
    return sqrt(sum);
}

// The nearest triangle to a point, so far. Of equally near ones that whose normal is most like one.
typedef struct nearest {
    double point[3], like[3];
    double distance, normal[3], angle;
} nearest;

static void take_nearer(nearest *n, double distance, const double normal[3])
{
    double slack = 1e-9 * gz_largest3(n->point);
    double angle = gz_dot3(n->like, n->like) > 0 ? angle_of(n->like, normal) : 0;
    if (distance > n->distance + slack || !(gz_dot3(normal, normal) > 0) ||
        (distance > n->distance - slack && angle >= n->angle))
        return;
    n->distance = fmin(distance, n->distance);
    n->angle = angle;
    memcpy(n->normal, normal, sizeof n->normal);
}

static void near_in_tree(const gz_tree *tree, nearest *n)
{
    const double *point = n->point;
    graze_triangle dot = {{{point[0], point[1], point[2]},
                           {point[0], point[1], point[2]},
                           {point[0], point[1], point[2]}}};
    for (uint32_t leaf = 0; leaf < tree->leaf_count; ++leaf)
        for (uint32_t slot = 0; slot < gz_tree_leaf_count(tree, leaf); ++slot) {
            graze_triangle t;
            graze_closest near;
            double low[3], high[3], e[3], f[3];
            gz_tree_triangle(tree, leaf, slot, &t);
            for (int axis = 0; axis < 3; ++axis) {
                double x = t.corner[0][axis], y = t.corner[1][axis], z = t.corner[2][axis];
                low[axis] = fmin(x, fmin(y, z));
                high[axis] = fmax(x, fmax(y, z));
                e[axis] = y - x;
                f[axis] = z - x;
            }
            if (box_gap(low, high, point) > n->distance + 1e-9 * gz_largest3(point))
                continue;
            double normal[3];
            graze_triangle_closest(&dot, &t, &near);
            gz_cross3(e, f, normal);
            take_nearer(n, near.distance, normal);
        }
}

// The nearest triangle of the cut that the last question made of a body.
static void near_in_cut(const bench *b, const gz_lod_cut *cut, nearest *n)
{
    gz_cache_reservation *reservation = gz_cache_reserve_for_groups(b->context->cache);
    n->distance = 4 * FIRST * b->width; // no cut is so far off
    n->angle = HUGE_VAL;
    for (uint32_t i = 0; reservation != NULL && i < cut->part_count; ++i) {
        gz_middle box = gz_part_boxes_middle(&cut->boxes, 0, i);
        double low[3], high[3];
        const gz_tree *tree = NULL;
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = box.origin[axis] - box.half[axis];
            high[axis] = box.origin[axis] + box.half[axis];
        }
        if (box_gap(low, high, n->point) > n->distance ||
            gz_cache_pin(reservation, gz_lod_page(cut, i), &tree) != GRAZE_OK)
            continue;
        near_in_tree(tree, n);
        gz_cache_unpin(reservation, tree);
    }
    if (reservation != NULL)
        gz_cache_release(reservation);
}

// The cut of a body, of which the query does not know which came first.
static const gz_lod_cut *cut_of(const bench *b, int side)
{
    for (int i = 0; i < 2; ++i)
        if (b->query->places[i].cut != NULL && b->query->places[i].cut->model == b->model[side])
            return b->query->places[i].cut;
    return NULL;
}

// Some points of an answer, as they are in the cuts that gave it.
static void take_spots(const bench *b, const graze_pose *pose, const graze_answer *answer,
                       memory *m)
{
    uint64_t step = (answer->pair_count + TAKEN - 1) / TAKEN;
    m->all = resultant_of(answer);
    m->cut[0] = answer->cut_a;
    m->cut[1] = answer->cut_b;
    m->spot_count = 0;
    for (uint64_t i = 0; i < answer->pair_count; i += step)
        for (int side = 0; side < 2; ++side) {
            const graze_contact *c = &answer->contacts[i];
            spot *s = &m->spots[m->spot_count++];
            *s = (spot){.side = side};
            for (int axis = 0; axis < 3; ++axis) {
                const double *r = pose->rotation, *t = pose->translation, *p = c->point_b;
                s->point[axis] = side == 0 ? c->point_a[axis]
                                           : r[axis] * (p[0] - t[0]) + r[3 + axis] * (p[1] - t[1]) +
                                                 r[6 + axis] * (p[2] - t[2]);
            }
            nearest n = {.point = {s->point[0], s->point[1], s->point[2]}};
            near_in_cut(b, cut_of(b, side), &n);
            memcpy(s->normal, n.normal, sizeof s->normal);
        }
}

static void compare(const bench *b, const memory *before, const graze_answer *answer, score *out)
{
    resultant all = resultant_of(answer), *now = &all;
    if (before->all.count != 0 && now->count != 0) {
        double sum = 0;
        for (int axis = 0; axis < 3; ++axis)
            sum += pow(now->point[axis] - before->all.point[axis], 2);
        add_jump(&out->resultant, 100 * sqrt(sum) / b->width,
                 angle_of(before->all.normal, now->normal));
    }
    double move = 0, turn = 0;
    for (uint32_t i = 0; i < before->spot_count; ++i) {
        const spot *s = &before->spots[i];
        nearest n = {.point = {s->point[0], s->point[1], s->point[2]},
                     .like = {s->normal[0], s->normal[1], s->normal[2]}};
        if (before->cut[s->side] == (s->side == 0 ? answer->cut_a : answer->cut_b))
            continue;
        near_in_cut(b, cut_of(b, s->side), &n);
        move += 100 * n.distance / b->width / before->spot_count;
        turn += n.angle / before->spot_count;
    }
    if (before->spot_count != 0)
        add_jump(&out->surface, move, turn);
}

static graze_status ask(const bench *b, const graze_pose *pose, double error, bool with_steps,
                        graze_answer *answer)
{
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_CONTACTS;
    def.error_function = error_everywhere;
    def.error_user = &error;
    def.no_steps = !with_steps;
    return graze_query_collide(b->query, graze_at(b->shape[0], NULL), graze_at(b->shape[1], pose),
                               &def, answer);
}

static graze_status shrink(const bench *b, bool with_steps, score *out)
{
    graze_status status = GRAZE_OK;
    for (uint32_t i = 0; i < b->path.count && status == GRAZE_OK; ++i) {
        memory before = {.spot_count = 0};
        for (double part = FIRST; part >= LAST && out->asked < JUMPS; part *= SHRINK) {
            graze_answer answer;
            double start = seconds_of(CLOCK_MONOTONIC);
            status = ask(b, &b->path.pose[i], part * b->width, with_steps, &answer);
            if (status != GRAZE_OK)
                break;
            out->seconds[out->asked++] = seconds_of(CLOCK_MONOTONIC) - start;
            compare(b, &before, &answer, out);
            if (answer.cut_a != before.cut[0] || answer.cut_b != before.cut[1])
                take_spots(b, &b->path.pose[i], &answer, &before);
            out->contacts += (double)answer.pair_count;
            out->cut_a += (double)answer.cut_a;
            out->cut_b += (double)answer.cut_b;
            out->loads += (double)answer.counters.page_loads;
        }
    }
    return status;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_sorted(double *jump, uint32_t count, double least)
{
    double sum = 0, moved = 0;
    uint32_t first = 0;
    qsort(jump, count, sizeof *jump, by_size);
    while (first < count && jump[first] <= least)
        sum += jump[first++];
    for (uint32_t i = first; i < count; ++i)
        moved += jump[i];
    uint32_t left = count - first;
    printf("%u,%.6f,%.5f,%.5f,%.5f,", left, (sum + moved) / count, left != 0 ? moved / left : 0,
           left != 0 ? jump[first + (uint32_t)(0.95 * left)] : 0, jump[count - 1]);
}

static void print_score(const bench *b, const char *name, const char *kind, score *s, jumps *j)
{
    double sum = 0;
    uint64_t triangles = b->body[0].triangle_count > b->body[1].triangle_count
                             ? b->body[0].triangle_count
                             : b->body[1].triangle_count;
    if (j->count == 0)
        return;
    printf("%s,%s,%llu,%u,%u,", name, kind, (unsigned long long)triangles, b->path.count, j->count);
    print_sorted(j->move, j->count, 1e-4);
    print_sorted(j->turn, j->count, 1e-2);
    for (uint32_t i = 0; i < s->asked; ++i)
        sum += s->seconds[i];
    qsort(s->seconds, s->asked, sizeof *s->seconds, by_size);
    printf("%.1f,%.0f,%.0f,%.2f,%.3f,%.3f\n", s->contacts / s->asked, s->cut_a / s->asked,
           s->cut_b / s->asked, s->loads / s->asked, 1e3 * sum / s->asked,
           1e3 * s->seconds[(uint32_t)(0.99 * s->asked)]);
    fflush(stdout);
}

// The poses, by exact answers.
static bool make_path(bench *b)
{
    lod_pair pair = {b->query, b->exact[0], b->exact[1]};
    lod_path *path = malloc(sizeof *path);
    bool good = path != NULL && lod_path_deep(&pair, b->quick ? 3 : WAYS, 20, path);
    for (uint32_t i = 0; good && i < path->count; ++i)
        if (i % 20 < DEPTHS)
            b->path.pose[b->path.count++] = path->pose[i];
    free(path);
    return good;
}

static graze_status open_all(bench *b)
{
    graze_context_def def = graze_context_def_default();
    def.cache_byte_limit = CACHE_BYTES;
    def.thread_count = 1;
    graze_status status = graze_context_create(&def, &b->context);
    for (int i = 0; i < 2 && status == GRAZE_OK; ++i) {
        status = graze_shape_read(b->context, b->body[i].mesh, NULL, &b->exact[i]);
        if (status == GRAZE_OK)
            status = graze_model_open(b->context, b->body[i].model, &b->model[i]);
        if (status == GRAZE_OK)
            status = graze_shape_from_model(b->model[i], &b->shape[i]);
    }
    return status == GRAZE_OK ? graze_query_create(b->context, &b->query) : status;
}

static bool run(bench *b)
{
    if (!lod_body_make(&b->store, LOD_TURBINE, b->quick ? 20000 : 1700000, &b->body[0]) ||
        !lod_body_make(&b->store, LOD_REFINED, lod_refinement(&b->store, b->triangles),
                       &b->body[1]))
        return false;
    b->width = fmin(b->body[0].width, b->body[1].width);
    graze_status status = open_all(b);
    if (status == GRAZE_OK && !make_path(b))
        status = GRAZE_ERROR_ARGUMENT;
    puts("popping,kind,triangles,poses,jumps,moved,mean_move,moved_move,p95_move,max_move,turned,"
         "mean_turn,turned_turn,p95_turn,max_turn,contacts,cut_a,cut_b,page_loads,mean_ms,p99_ms");
    for (int turn = 0; turn < 2 && status == GRAZE_OK; ++turn) {
        score *s = calloc(1, sizeof *s);
        const char *name = turn == 0 ? "whole" : "steps";
        status = s == NULL ? GRAZE_ERROR_MEMORY : shrink(b, turn == 1, s);
        if (status == GRAZE_OK) {
            print_score(b, name, "surface", s, &s->surface);
            print_score(b, name, "resultant", s, &s->resultant);
        }
        free(s);
    }
    if (status != GRAZE_OK)
        fprintf(stderr, "bench_popping: %s\n", graze_context_error(b->context));
    graze_query_free(b->query);
    for (int i = 0; i < 2; ++i) {
        graze_shape_free(b->exact[i]);
        graze_shape_free(b->shape[i]);
        graze_model_free(b->model[i]);
    }
    graze_context_destroy(b->context);
    return status == GRAZE_OK;
}

int main(int count, char **words)
{
    bench *b = calloc(1, sizeof *b);
    if (b == NULL)
        return 1;
    const option_word options[] = {
        {.word = "--models", .text = &b->models},
        {.word = "--triangles", .number = &b->triangles},
        {.word = "--quick", .flag = &b->quick},
        {.word = NULL},
    };
    b->triangles = has_option_word(count, words, "--quick") ? 32000 : 8000000;
    if (!take_option_words(count, words, options)) {
        fprintf(stderr, "usage: bench_popping [--models FOLDER] [--triangles N] [--quick]\n");
        free(b);
        return 2;
    }
    if (b->models == NULL && !b->quick)
        b->models = getenv("GRAZE_MODELS");
    bool good = lod_store_open(b->models, b->quick, &b->store) && run(b);
    lod_store_close(&b->store, b->models != NULL);
    free(b);
    return !good;
}
