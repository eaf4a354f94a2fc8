// What two convex bodies are to each other, by chance, against linear programmes.
#include "test.h"

#include <stdlib.h>

#include "clash_bodies.h"

typedef struct half_space {
    double n[3], h;
} half_space;

typedef struct convex {
    solid body;
    half_space plane[16];
    int plane_count;
} convex;

// Each triangle's plane, once.
static void find_planes(convex *c)
{
    c->plane_count = 0;
    for (uint32_t t = 0; t < c->body.triangle_count; ++t) {
        const double *p = c->body.positions[c->body.corners[t][0]];
        const double *q = c->body.positions[c->body.corners[t][1]];
        const double *r = c->body.positions[c->body.corners[t][2]];
        double e[3], f[3];
        for (int i = 0; i < 3; ++i) {
            e[i] = q[i] - p[i];
            f[i] = r[i] - p[i];
        }
        half_space s = {
            {e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]}, 0};
        double length = sqrt(s.n[0] * s.n[0] + s.n[1] * s.n[1] + s.n[2] * s.n[2]);
        double above = 0;
        for (int i = 0; i < 3; ++i)
            s.n[i] /= length;
        s.h = s.n[0] * p[0] + s.n[1] * p[1] + s.n[2] * p[2];
        for (uint32_t v = 0; v < c->body.vertex_count; ++v)
            above += s.n[0] * c->body.positions[v][0] + s.n[1] * c->body.positions[v][1] +
                     s.n[2] * c->body.positions[v][2] - s.h;
        if (above > 0) {
            for (int i = 0; i < 3; ++i)
                s.n[i] = -s.n[i];
            s.h = -s.h;
        }
        bool known = false;
        for (int k = 0; k < c->plane_count; ++k)
            known |= fabs(c->plane[k].n[0] - s.n[0]) + fabs(c->plane[k].n[1] - s.n[1]) +
                         fabs(c->plane[k].n[2] - s.n[2]) <
                     1e-9;
        assert_true(known || c->plane_count < 16);
        if (!known)
            c->plane[c->plane_count++] = s;
    }
}

static void turn(convex *c, const graze_pose *pose)
{
    for (uint32_t v = 0; v < c->body.vertex_count; ++v)
        graze_pose_apply(pose, c->body.positions[v], c->body.positions[v]);
    find_planes(c);
}

static void make_convex(convex *c, test_random *random)
{
    c->body.vertex_count = c->body.triangle_count = 0;
    double size = 0.3 + test_unit(random);
    switch (test_next(random) % 3) {
    case 0:
        add_box(&c->body, (double[]){0, 0, 0},
                (double[]){size, 0.2 + test_unit(random), 0.2 + test_unit(random)});
        break;
    case 1:
        add_tube(&c->body, 3 + (int)(test_next(random) % 4), size, 0, 0, 0.2 + test_unit(random));
        break;
    default:
        for (int i = 0; i < 4; ++i)
            add_vertex(&c->body, size * (i & 1) + 0.1 * test_unit(random),
                       size * (i >> 1) + 0.1 * test_unit(random),
                       i == 3 ? size : 0.1 * test_unit(random));
        add_triangle(&c->body, 0, 1, 2);
        add_triangle(&c->body, 0, 1, 3);
        add_triangle(&c->body, 0, 2, 3);
        add_triangle(&c->body, 1, 2, 3);
    }
    double axis[3] = {test_unit(random) - 0.5, test_unit(random) - 0.5, test_unit(random) - 0.5};
    graze_pose pose;
    assert_int_equal(graze_pose_from_axis(axis, 6 * test_unit(random), NULL, &pose), GRAZE_OK);
    turn(c, &pose);
}

// Solves four equations by elimination; false if they are dependent.
static bool solve(double m[4][5], double x[4])
{
    for (int i = 0; i < 4; ++i) {
        int best = i;
        for (int k = i + 1; k < 4; ++k)
            if (fabs(m[k][i]) > fabs(m[best][i]))
                best = k;
        if (fabs(m[best][i]) < 1e-9)
            return false;
        for (int j = 0; j < 5; ++j) {
            double held = m[i][j];
            m[i][j] = m[best][j];
            m[best][j] = held;
        }
        for (int k = 0; k < 4; ++k) {
            double part = k == i ? 0 : m[k][i] / m[i][i];
            for (int j = i; j < 5; ++j)
                m[k][j] -= part * m[i][j];
        }
    }
    for (int i = 0; i < 4; ++i)
        x[i] = m[i][4] / m[i][i];
    return true;
}

// The largest ball in a with its middle in b, which is moved: a linear programme in four unknowns,
// solved by looking at all its corners. Negative: there is none.
static double largest_ball(const convex *a, const convex *b, const double move[3])
{
    double row[32][5], best = -1;
    int count = 0;
    for (int k = 0; k < a->plane_count; ++k, ++count)
        memcpy(row[count],
               (double[]){a->plane[k].n[0], a->plane[k].n[1], a->plane[k].n[2], 1, a->plane[k].h},
               sizeof *row);
    for (int k = 0; k < b->plane_count; ++k, ++count) {
        const half_space *p = &b->plane[k];
        double h = p->h + p->n[0] * move[0] + p->n[1] * move[1] + p->n[2] * move[2];
        memcpy(row[count], (double[]){p->n[0], p->n[1], p->n[2], 0, h}, sizeof *row);
    }
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < i; ++j)
            for (int k = 0; k < j; ++k)
                for (int l = 0; l < k; ++l) {
                    double m[4][5], x[4];
                    memcpy(m[0], row[i], sizeof m[0]);
                    memcpy(m[1], row[j], sizeof m[1]);
                    memcpy(m[2], row[k], sizeof m[2]);
                    memcpy(m[3], row[l], sizeof m[3]);
                    if (!solve(m, x) || x[3] <= best)
                        continue;
                    bool allowed = true;
                    for (int r = 0; r < count && allowed; ++r)
                        allowed = row[r][0] * x[0] + row[r][1] * x[1] + row[r][2] * x[2] +
                                      row[r][3] * x[3] <=
                                  row[r][4] + 1e-12;
                    best = allowed ? x[3] : best;
                }
    return best;
}

static double true_depth(const convex *a, const convex *b, const double move[3])
{
    double back[3] = {-move[0], -move[1], -move[2]};
    return fmax(largest_ball(a, b, move), largest_ball(b, a, back));
}

static double true_gap(const convex *a, const convex *b, const double move[3])
{
    double least = HUGE_VAL;
    for (uint32_t t = 0; t < a->body.triangle_count; ++t)
        for (uint32_t u = 0; u < b->body.triangle_count; ++u) {
            graze_triangle p, q;
            graze_closest closest;
            for (int k = 0; k < 9; ++k) {
                p.corner[k / 3][k % 3] = a->body.positions[a->body.corners[t][k / 3]][k % 3];
                q.corner[k / 3][k % 3] =
                    b->body.positions[b->body.corners[u][k / 3]][k % 3] + move[k % 3];
            }
            graze_triangle_closest(&p, &q, &closest);
            least = fmin(least, closest.distance);
        }
    return least;
}

static bool is_within(const convex *inner, const convex *outer, const double move[3], double sign)
{
    for (uint32_t v = 0; v < inner->body.vertex_count; ++v)
        for (int k = 0; k < outer->plane_count; ++k) {
            const half_space *p = &outer->plane[k];
            double height = -p->h;
            for (int i = 0; i < 3; ++i)
                height += p->n[i] * (inner->body.positions[v][i] + sign * move[i]);
            if (height > -1e-9)
                return false;
        }
    return true;
}

// By which b must be moved along a direction, so that the depth is this; found by bisection.
static void move_until(const convex *a, const convex *b, const double direction[3], double depth,
                       double move[3])
{
    double low = 0, high = 6;
    for (int i = 0; i < 40; ++i) {
        double half = (low + high) / 2;
        for (int k = 0; k < 3; ++k)
            move[k] = half * direction[k];
        if (true_depth(a, b, move) > depth)
            low = half;
        else
            high = half;
    }
}

static void check_convex(const convex *a, const convex *b, const double move[3], uint64_t seed,
                         uint64_t seen[GRAZE_CLASH_KINDS])
{
    gz_clash_limits limits = {
        .touch = 1e-3, .clearance = 0.1, .depth_error = 0.05, .list_touching = true};
    double depth = true_depth(a, b, move), gap = depth < 0 ? true_gap(a, b, move) : 0;
    graze_pose pose = shifted(move[0], move[1], move[2]);
    graze_clash got = classify_posed(&a->body, NULL, &b->body, &pose, &limits);
    graze_clash_kind kind = depth > limits.touch     ? GRAZE_CLASH_OVERLAP
                            : gap <= limits.touch    ? GRAZE_CLASH_TOUCHING
                            : gap < limits.clearance ? GRAZE_CLASH_CLEARANCE
                                                     : GRAZE_CLASH_NONE;
    bool a_in = is_within(a, b, (double[]){-move[0], -move[1], -move[2]}, 1);
    bool b_in = is_within(b, a, move, 1);
    if (a_in || b_in)
        kind = GRAZE_CLASH_CONTAINED;
    bool good = got.kind == kind;
    if (good && (kind == GRAZE_CLASH_OVERLAP || kind == GRAZE_CLASH_CONTAINED))
        good = got.depth_low <= depth + 1e-9 && got.depth_high >= depth - 1e-9 &&
               got.depth_high <= 1.05 * got.depth_low + 1e-9;
    if (good && kind == GRAZE_CLASH_CLEARANCE)
        good = fabs(got.gap - gap) <= 1e-9;
    if (good && kind == GRAZE_CLASH_CONTAINED)
        good = got.inner == (b_in ? 1 : 0);
    if (!good)
        fail_msg("seed %llu: kind %d, depth %g to %g, gap %g; it is %d, %g, %g",
                 (unsigned long long)seed, (int)got.kind, got.depth_low, got.depth_high, got.gap,
                 (int)kind, depth, gap);
    seen[kind]++;
}

static void random_convex_bodies(void **state)
{
    (void)state;
    static convex a, b;
    static const double depths[] = {0.5e-3, 0.9e-3, 0.99e-3, 1.01e-3, 1.2e-3, 5e-3, 0.05};
    uint64_t seen[GRAZE_CLASH_KINDS] = {0};
    for (uint64_t seed = 1; seed <= TEST_CHANCES(150); ++seed) {
        test_random random = {seed};
        make_convex(&a, &random);
        make_convex(&b, &random);
        for (uint32_t v = 0; v < b.body.vertex_count && seed % 5 == 0; ++v)
            for (int i = 0; i < 3; ++i)
                b.body.positions[v][i] *= 0.1;
        find_planes(&b);
        double direction[3], move[3], length = 0;
        for (int i = 0; i < 3; ++i) {
            direction[i] = test_unit(&random) - 0.5;
            length += direction[i] * direction[i];
        }
        for (int i = 0; i < 3; ++i)
            direction[i] /= sqrt(length);
        for (int i = 0; i < 3; ++i)
            move[i] = 2 * test_unit(&random) - 1;
        check_convex(&a, &b, move, seed, seen);
        for (int i = 0; i < 3; ++i)
            move[i] = 0.2 * test_unit(&random);
        check_convex(&a, &b, move, seed, seen);
        if (true_depth(&a, &b, (double[]){0, 0, 0}) < 0.06)
            continue;
        move_until(&a, &b, direction, depths[seed % 7], move);
        check_convex(&a, &b, move, seed, seen);
    }
    assert_true(TEST_SANITIZED || (seen[GRAZE_CLASH_NONE] > 5 && seen[GRAZE_CLASH_CONTAINED] > 2));
    assert_true(TEST_SANITIZED ||
                (seen[GRAZE_CLASH_OVERLAP] > 20 && seen[GRAZE_CLASH_CLEARANCE] > 2));
    assert_true(TEST_SANITIZED || seen[GRAZE_CLASH_TOUCHING] > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_convex_bodies)};
    return cmocka_run_group_tests(tests, enter, leave);
}
