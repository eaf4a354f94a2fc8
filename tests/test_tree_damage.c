// Saved shapes that lie, with checksums that fit: each is refused, or gives the answers that its
// triangles have, to the last pair. Every byte and every number of a file is changed in turn; and
// every box is made too small by the least, for which no pair need be missed to be seen.
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "boxtree/tree_file.h"
#include "query/closed.h"
#include "query/shape_parts.h"
#include "shapes.h"

static char path[] = "/tmp/graze-test-damage-XXXXXX";

// --- A shape and what is asked of it

enum { POSES = 5, RAYS = 4, MOST = 600 };

typedef struct answers {
    uint64_t pairs[POSES], sum[POSES], closed;
    double distance[POSES];
    uint32_t hit[RAYS];
    double t[RAYS];
} answers;

// What the shape meets, which does not change.
typedef struct scene {
    graze_context *context;
    graze_query *query;
    graze_shape *other;
    graze_pose pose[POSES];
} scene;

static scene scene_make(void)
{
    scene s = {.context = test_context(NULL)};
    test_random random = {11};
    graze_mesh *mesh = NULL;
    generator_shape_def def = {.kind = "torus", .triangle_count = 160, .size = 0.9};
    assert_int_equal(generator_shape_make(s.context, &def, &mesh), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(mesh);
    assert_int_equal(graze_query_create(s.context, &s.query), GRAZE_OK);
    assert_int_equal(graze_shape_create(s.context, &view, NULL, &s.other), GRAZE_OK);
    graze_mesh_free(mesh);
    for (int i = 0; i < POSES; ++i) { // the last one is beside it
        const double turn[4] = {test_unit(&random), test_unit(&random), test_unit(&random), 1};
        const double shift[3] = {i == POSES - 1 ? 1.5 : 0.3 * test_unit(&random),
                                 0.3 * test_unit(&random), 0.2};
        assert_int_equal(graze_pose_from_quaternion(turn, shift, &s.pose[i]), GRAZE_OK);
    }
    return s;
}

static void scene_free(scene *s)
{
    graze_shape_free(s->other);
    graze_query_free(s->query);
    test_context_done(s->context);
}

static answers ask(const scene *s, const graze_shape *shape)
{
    static const graze_pose still = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    answers out;
    memset(&out, 0, sizeof out);
    for (int i = 0; i < POSES; ++i) {
        graze_collide_def def = graze_collide_def_default();
        graze_answer answer;
        graze_distance distance;
        def.collect = GRAZE_COLLECT_PAIRS;
        def.tolerance = i % 2 == 0 ? 0 : 0.02;
        bool turned = i == 1; // the other one's frame is the one that is worked in
        const graze_shape *a = turned ? s->other : shape, *b = turned ? shape : s->other;
        const graze_pose *pose_a = turned ? &s->pose[i] : &still;
        const graze_pose *pose_b = turned ? &still : &s->pose[i];
        assert_int_equal(
            graze_query_collide(s->query, graze_at(a, pose_a), graze_at(b, pose_b), &def, &answer),
            GRAZE_OK);
        assert_int_equal(answer.complete, 1);
        out.pairs[i] = answer.pair_count;
        for (uint64_t k = 0; k < answer.pair_count; ++k)
            out.sum[i] = out.sum[i] * 1000003 + answer.pairs[k].a * 613 + answer.pairs[k].b;
        def.collect = GRAZE_COLLECT_VERDICT;
        assert_int_equal(
            graze_query_collide(s->query, graze_at(a, pose_a), graze_at(b, pose_b), &def, &answer),
            GRAZE_OK);
        assert_int_equal(answer.verdict == GRAZE_CONTACT, out.pairs[i] != 0);
        assert_int_equal(graze_query_distance(s->query, graze_at(a, pose_a), graze_at(b, pose_b),
                                              NULL, &distance),
                         GRAZE_OK);
        out.distance[i] = distance.distance;
    }
    for (int i = 0; i < RAYS; ++i) {
        double start[3] = {-1, 0.2 * i - 0.3, 0.1 * i}, end[3] = {1, 0.1, 0.25 - 0.1 * i};
        graze_ray ray;
        assert_int_equal(graze_query_ray(s->query, graze_at(shape, &still), start, end, NULL, &ray),
                         GRAZE_OK);
        out.hit[i] = ray.hit ? ray.triangle + 1 : 0;
        out.t[i] = ray.t;
    }
    uint32_t closed;
    assert_int_equal(graze_shape_closed(shape, &closed), GRAZE_OK);
    out.closed = closed;
    return out;
}

// --- Files

typedef struct saved {
    uint8_t *bytes;
    uint64_t count;
} saved;

static gz_tree build(graze_context *context, graze_layout layout, graze_precision precision,
                     uint64_t triangle_count)
{
    graze_mesh *mesh = NULL;
    generator_shape_def shape = {
        .kind = "knot", .triangle_count = triangle_count, .precision = precision};
    assert_int_equal(generator_shape_make(context, &shape, &mesh), GRAZE_OK);
    graze_mesh_view view = graze_mesh_get(mesh);
    graze_shape_def def = graze_shape_def_default();
    def.layout = layout;
    gz_tree tree;
    assert_int_equal(gz_tree_build(context, &view, &def, &tree), GRAZE_OK);
    assert_true(tree.triangle_count <= MOST && tree.node_count > 3);
    graze_mesh_free(mesh);
    return tree;
}

static saved save(const gz_tree *tree)
{
    saved out;
    assert_int_equal(gz_tree_save(tree, path), GRAZE_OK);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    out.count = (uint64_t)ftell(file);
    rewind(file);
    out.bytes = test_malloc(out.count);
    assert_int_equal(fread(out.bytes, 1, out.count, file), out.count);
    assert_int_equal(fclose(file), 0);
    return out;
}

// The triangles of a tree by their numbers. Returns whether they are those of `before`.
typedef struct soup_of {
    double position[3 * MOST][3];
    uint32_t corner[3 * MOST];
    uint32_t count;
} soup_of;

static void triangles_of(const gz_tree *tree, soup_of *out)
{
    out->count = (uint32_t)tree->triangle_count;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; ++leaf)
        for (uint32_t slot = 0; slot < gz_tree_leaf_count(tree, leaf); ++slot) {
            graze_triangle t;
            uint32_t number = tree->order[gz_tree_leaf_first(tree, leaf) + slot];
            gz_tree_triangle(tree, leaf, slot, &t);
            memcpy(out->position[3 * number], t.corner, sizeof t.corner);
            for (uint32_t k = 0; k < 3; ++k)
                out->corner[3 * number + k] = 3 * number + k;
        }
}

static answers ask_soup(const scene *s, const soup_of *from)
{
    graze_mesh_view view = {.precision = GRAZE_FLOAT64,
                            .vertex_count = 3 * from->count,
                            .triangle_count = from->count,
                            .positions = from->position,
                            .corners = from->corner};
    graze_shape *shape = NULL;
    assert_int_equal(graze_shape_create(s->context, &view, NULL, &shape), GRAZE_OK);
    answers out = ask(s, shape);
    graze_shape_free(shape);
    return out;
}

typedef struct verdicts {
    uint64_t refused, same, changed; // changed: it has other triangles, and their answers
    uint64_t wrong;
} verdicts;

typedef struct trial {
    const scene *scene;
    soup_of soup; // of the file as it was
    answers want;
    verdicts found;
} trial;

static void try_file(trial *t, saved *file, const char *what, uint64_t at)
{
    static soup_of now;
    graze_shape *shape = NULL;
    gz_tree_file_seal(file->bytes, file->count);
    gz_tree tree;
    if (gz_tree_load_memory(t->scene->context, "lie", file->bytes, file->count, &tree) !=
        GRAZE_OK) {
        t->found.refused++;
        return;
    }
    graze_shape made = {.context = t->scene->context, .kind = &gz_shape_of_tree, .tree = tree};
    made.found = &made.own;
    shape = &made;
    triangles_of(&tree, &now);
    bool same = memcmp(now.position, t->soup.position, sizeof now.position) == 0;
    answers want = same ? t->want : ask_soup(t->scene, &now), got = ask(t->scene, shape);
    if (memcmp(&got, &want, sizeof got) != 0 && t->found.wrong++ < 5) {
        print_message("%s at byte %d:\n", what, (int)at);
        for (int i = 0; i < POSES; ++i)
            print_message("  pose %d: %d pairs at %.17g, not %d at %.17g\n", i, (int)got.pairs[i],
                          got.distance[i], (int)want.pairs[i], want.distance[i]);
    }
    if (same)
        t->found.same++;
    else
        t->found.changed++;
    gz_shape_free_components(&made);
    gz_tree_free(&made.tree);
}

// Coordinates and numbers of triangles: whatever is there, it is a shape, and one in so many is
// enough. Of all else every byte is changed.
static bool is_tried(const gz_tree *tree, uint64_t at)
{
    bool fast = tree->layout == GRAZE_LAYOUT_FAST, narrow = tree->precision == GRAZE_FLOAT32;
    uint64_t nodes = tree->node_count * (fast ? sizeof(gz_node) : sizeof(gz_small_node));
    uint64_t leaf = !fast ? sizeof(gz_small_leaf) : narrow ? sizeof(gz_leaf32) : sizeof(gz_leaf64);
    uint64_t first = 256 + (nodes + 63) / 64 * 64, end = first + tree->leaf_count * leaf;
    bool number = at < first || (at < end && (at - first) % leaf < (narrow ? 64 : leaf));
    uint64_t one_in = TEST_SANITIZED ? 13 : 1;
    return at / 4 % (number ? one_in : 23 * one_in) == 0;
}

// Every byte, in two ways that change from byte to byte.
static void change_bytes(trial *t, const gz_tree *tree, saved *file)
{
    for (uint64_t at = 8; at < file->count; ++at) {
        uint8_t kept = file->bytes[at];
        for (int way = 0; way < 2 && is_tried(tree, at); ++way) {
            uint32_t flipped = kept ^ 1u << at * 5 % 8;
            file->bytes[at] = way == 0 ? (uint8_t)flipped : at % 2 != 0 ? 255 : 0;
            try_file(t, file, "a byte", at);
            file->bytes[at] = kept;
        }
    }
}

// Every word as if it were a float: no number, infinite, nothing, and a little smaller or larger.
static void change_words(trial *t, const gz_tree *tree, saved *file)
{
    for (uint64_t at = 256; at + 4 <= file->count; at += 4) {
        float kept;
        memcpy(&kept, file->bytes + at, sizeof kept);
        const float to[] = {NAN, HUGE_VALF, -HUGE_VALF, 0, kept * 0.9f, kept * 1.1f, -kept};
        for (size_t way = 0; way < sizeof to / sizeof *to && is_tried(tree, at); ++way) {
            memcpy(file->bytes + at, &to[way], sizeof kept);
            try_file(t, file, "a word", at);
        }
        memcpy(file->bytes + at, &kept, sizeof kept);
    }
}

static void lies_change_no_answer(void **state)
{
    (void)state;
    static trial t;
    for (int kind = 0; kind < 4; ++kind) {
        scene s = scene_make();
        gz_tree tree = build(s.context, (graze_layout)(kind % 2),
                             kind < 2 ? GRAZE_FLOAT32 : GRAZE_FLOAT64, 420);
        saved file = save(&tree);
        memset(&t, 0, sizeof t);
        t.scene = &s;
        triangles_of(&tree, &t.soup);
        t.want = ask_soup(&s, &t.soup);
        for (int i = 0; i + 1 < POSES; ++i)
            assert_true(t.want.pairs[i] > 5);
        assert_true(t.want.pairs[POSES - 1] == 0 && t.want.distance[POSES - 1] > 0);
        change_bytes(&t, &tree, &file);
        change_words(&t, &tree, &file);
        gz_tree_free(&tree);
        print_message("%d bytes: %d refused, %d the same, %d other triangles, %d wrong\n",
                      (int)file.count, (int)t.found.refused, (int)t.found.same,
                      (int)t.found.changed, (int)t.found.wrong);
        assert_true(t.found.refused > t.found.same);
        assert_int_equal(t.found.wrong, 0);
        test_free(file.bytes);
        scene_free(&s);
    }
}

// --- Lies of one kind, in memory

static void expect(const gz_tree *tree, graze_status status, const char *what)
{
    if (gz_tree_check(tree, NULL) != status)
        fail_msg("%s is %s", what, status == GRAZE_OK ? "refused" : "taken");
}

// What is below a child, in the units of rows.
static void span_below(const gz_tree *tree, uint32_t child, double low[3], double high[3])
{
    if ((child & GZ_IS_LEAF) == 0) {
        const gz_links *links = gz_tree_links(tree, child);
        for (uint32_t i = 0; i < links->child_count; ++i)
            span_below(tree, links->child[i], low, high);
        return;
    }
    uint32_t leaf = child & ~GZ_IS_LEAF;
    for (uint32_t slot = 0; slot < gz_tree_leaf_count(tree, leaf); ++slot) {
        graze_triangle t;
        gz_tree_triangle(tree, leaf, slot, &t);
        for (int i = 0; i < 9; ++i) {
            double x = (t.corner[i / 3][i % 3] - tree->origin[i % 3]) * tree->scale;
            low[i % 3] = fmin(low[i % 3], x);
            high[i % 3] = fmax(high[i % 3], x);
        }
    }
}

// An end of a box that just leaves a vertex out.
static void cut_fast(const gz_tree *tree, uint32_t node, uint32_t lane, int axis,
                     const double low[3], const double high[3])
{
    float *row = ((gz_node *)tree->nodes)[node].row[axis];
    float kept[GZ_ROWS];
    memcpy(kept, row, sizeof kept);
    for (int end = 0; end < 2; ++end) {
        double x = end == 0 ? low[axis] : -high[axis];
        float inside = (float)x;
        if ((double)inside <= x)
            inside = nextafterf(inside, HUGE_VALF);
        for (uint32_t i = 0; i < GZ_WIDE; ++i) // lanes that are not used repeat the first
            if (i == lane || (lane == 0 && i >= gz_tree_links(tree, node)->child_count))
                row[end * GZ_WIDE + i] = inside;
        expect(tree, GRAZE_ERROR_FORMAT, "a box that is too small");
        memcpy(row, kept, sizeof kept);
    }
}

// Of a grid: the last cell that leaves none out is taken, and the next is refused. Boxes on the way
// are taken, too, for which the parent's need not hold them.
static void cut_small(const gz_tree *tree, uint32_t node, uint32_t lane, int axis,
                      const double low[3], const double high[3])
{
    gz_small_node *small = &((gz_small_node *)tree->nodes)[node], kept = *small;
    uint32_t count = small->links.child_count;
    for (int end = 0; end < 2; ++end) {
        bool holds = true;
        for (int steps = 0; steps < 256 && holds; ++steps) {
            uint8_t *cell = &small->cell[axis][end * GZ_WIDE + (int)lane];
            if (*cell == (end == 0 ? 255 : 0))
                break;
            *cell = (uint8_t)(end == 0 ? *cell + 1 : *cell - 1);
            for (uint32_t i = count; i < GZ_WIDE && lane == 0; ++i)
                small->cell[axis][end * GZ_WIDE + (int)i] = *cell;
            double at = (double)small->base[axis] + ldexp(*cell, small->exponent[axis]);
            holds = end == 0 ? at < low[axis] : at > high[axis];
            expect(tree, holds ? GRAZE_OK : GRAZE_ERROR_FORMAT, "a box on a grid");
        }
        *small = kept;
    }
}

static void boxes_hold_all_that_is_below(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (int kind = 0; kind < 4; ++kind) {
        gz_tree tree =
            build(context, (graze_layout)(kind % 2), kind < 2 ? GRAZE_FLOAT32 : GRAZE_FLOAT64, 420);
        uint32_t inner = 0;
        expect(&tree, GRAZE_OK, "a tree");
        for (uint32_t node = 0; node < tree.node_count; ++node)
            for (uint32_t lane = 0; lane < gz_tree_links(&tree, node)->child_count; ++lane) {
                double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
                double high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
                span_below(&tree, gz_tree_links(&tree, node)->child[lane], low, high);
                inner += (gz_tree_links(&tree, node)->child[lane] & GZ_IS_LEAF) == 0;
                for (int axis = 0; axis < 3; ++axis)
                    if (kind % 2 == 0)
                        cut_fast(&tree, node, lane, axis, low, high);
                    else
                        cut_small(&tree, node, lane, axis, low, high);
            }
        assert_true(inner >= 3);
        expect(&tree, GRAZE_OK, "a tree");
        gz_tree_free(&tree);
    }
    test_context_done(context);
}

// Kernels look at all lanes: a number in one that nobody has must not count.
static void unused_lanes_repeat(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (int layout = 0; layout < 2; ++layout) {
        gz_tree tree = build(context, (graze_layout)layout, GRAZE_FLOAT32, 420);
        uint32_t changed = 0;
        for (uint32_t node = 0; node < tree.node_count; ++node)
            for (uint32_t i = gz_tree_links(&tree, node)->child_count; i < GZ_WIDE; ++i) {
                gz_node *fast = &((gz_node *)tree.nodes)[node], kept;
                gz_small_node *small = &((gz_small_node *)tree.nodes)[node];
                void *here = layout == 0 ? (void *)fast : (void *)small;
                uint64_t size = layout == 0 ? sizeof *fast : sizeof *small;
                memcpy(&kept, here, size);
                for (int way = 0; way < 2 + 2 * (layout == 0); ++way) {
                    if (layout != 0)
                        small->cell[way][GZ_ROW_LOW(i)] ^= 1;
                    else if (way < 2)
                        fast->row[1][way == 0 ? GZ_ROW_LOW(i) : GZ_ROW_HIGH(i)] = NAN;
                    else if (way == 2)
                        fast->slab[GZ_ROW_LOW(i)] = 1;
                    else
                        fast->normal[0][i] = 1;
                    expect(&tree, GRAZE_ERROR_FORMAT, "a lane that does not repeat the first");
                    memcpy(here, &kept, size);
                    ++changed;
                }
            }
        assert_true(changed > 10);
        gz_tree_free(&tree);
    }
    test_context_done(context);
}

static void heads_that_lie(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (int kind = 0; kind < 2; ++kind) {
        gz_tree tree =
            build(context, GRAZE_LAYOUT_FAST, kind == 0 ? GRAZE_FLOAT32 : GRAZE_FLOAT64, 420);
        for (uint32_t leaf = 0; leaf < tree.leaf_count; ++leaf) {
            gz_leaf_head *head = (gz_leaf_head *)gz_tree_head(&tree, leaf), kept = *head;
            for (int axis = 0; axis < 3; ++axis) {
                head->half[axis] -= 2; // the least, and one for what it was rounded up by
                expect(&tree, GRAZE_ERROR_FORMAT, "a leaf with a smaller half");
                head->half[axis] = 0x7f80;
                head->slab_low = -HUGE_VALF;
                head->slab_high = HUGE_VALF;
                expect(&tree, GRAZE_ERROR_FORMAT, "an infinite leaf");
                *head = kept;
            }
            head->slab_low = nextafterf(nextafterf(head->slab_low, 1), 1);
            expect(&tree, GRAZE_ERROR_FORMAT, "a slab that begins too high");
            *head = kept;
            head->slab_high = nextafterf(nextafterf(head->slab_high, -1), -1);
            expect(&tree, GRAZE_ERROR_FORMAT, "a slab that ends too low");
            *head = kept;
            head->slab_low = -9;
            head->slab_high = 9;
            expect(&tree, GRAZE_OK, "a slab that is too wide");
            for (int axis = 0; axis < 3; ++axis)
                head->normal[axis] = 32767;
            expect(&tree, GRAZE_ERROR_FORMAT, "a normal that is too long");
            *head = kept;
            if (head->triangle_count < GZ_LEAF) {
                head->corner[0][7] ^= 0x10; // of the last lane
                expect(&tree, GRAZE_ERROR_FORMAT, "a triangle that is not there");
                *head = kept;
            }
            if (kind == 0 && head->vertex_count < GZ_LEAF) {
                float *x = &((gz_leaf32 *)tree.leaves)[leaf].vertex[2][GZ_LEAF - 1], was = *x;
                *x = ((gz_leaf32 *)tree.leaves)[leaf].head.center[2];
                expect(&tree, *x == was ? GRAZE_OK : GRAZE_ERROR_FORMAT, "a vertex nobody has");
                *x = was;
            }
        }
        expect(&tree, GRAZE_OK, "a tree");
        gz_tree_free(&tree);
    }
    test_context_done(context);
}

// Two vertices prove a contact, so each must be of a triangle.
static void vertices_without_triangles(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    gz_tree tree = build(context, GRAZE_LAYOUT_COMPACT, GRAZE_FLOAT32, 420);
    for (uint32_t leaf = 0; leaf < tree.leaf_count; ++leaf) {
        const gz_small_leaf *small = &((const gz_small_leaf *)tree.leaves)[leaf];
        for (uint32_t v = 0; v < small->vertex_count; ++v) {
            uint16_t *corners = tree.corners + small->first, kept[GZ_LEAF];
            memcpy(kept, corners, small->triangle_count * sizeof *kept);
            for (uint32_t i = 0; i < 3u * small->triangle_count; ++i) // another one takes its place
                if ((kept[i / 3] >> 4 * (i % 3) & 15u) == v)
                    corners[i / 3] ^= (uint16_t)((v ^ (v == 0 ? 1u : 0u)) << 4 * (i % 3));
            expect(&tree, GRAZE_ERROR_FORMAT, "a vertex without a triangle");
            memcpy(corners, kept, small->triangle_count * sizeof *kept);
        }
    }
    expect(&tree, GRAZE_OK, "a tree");
    gz_tree_free(&tree);
    tree = build(context, GRAZE_LAYOUT_FAST, GRAZE_FLOAT32, 420);
    for (uint32_t leaf = 0; leaf < tree.leaf_count; ++leaf) {
        gz_leaf_head *head = (gz_leaf_head *)gz_tree_head(&tree, leaf);
        if (head->vertex_count == GZ_LEAF)
            continue;
        head->vertex_count++; // which repeats the first
        expect(&tree, GRAZE_ERROR_FORMAT, "a vertex without a triangle");
        head->vertex_count--;
    }
    gz_tree_free(&tree);
    test_context_done(context);
}

// All leaves are gone through where edges are followed: one more than there are triangles for would
// lead out of arrays.
static void leaves_that_nobody_reaches(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (int layout = 0; layout < 2; ++layout) {
        gz_tree tree = build(context, (graze_layout)layout, GRAZE_FLOAT32, 420), more = tree;
        uint64_t leaf = layout == 0 ? sizeof(gz_leaf32) : sizeof(gz_small_leaf);
        uint64_t node = layout == 0 ? sizeof(gz_node) : sizeof(gz_small_node);
        char *leaves = aligned_alloc(64, (tree.leaf_count + 64) * leaf);
        char *nodes = aligned_alloc(64, (tree.node_count + 64) * node / 64 * 64);
        assert_true(leaves != NULL && nodes != NULL);
        memcpy(leaves, tree.leaves, tree.leaf_count * leaf);
        memcpy(leaves + tree.leaf_count * leaf, leaves, leaf);
        memcpy(nodes, tree.nodes, tree.node_count * node);
        memcpy(nodes + tree.node_count * node, nodes, node);
        more.leaves = leaves;
        more.leaf_count++;
        expect(&more, GRAZE_ERROR_FORMAT, "a leaf that nobody reaches");
        more.leaf_count--;
        more.nodes = nodes;
        expect(&more, GRAZE_OK, "the same tree");
        more.node_count++;
        expect(&more, GRAZE_ERROR_FORMAT, "a node that nobody reaches");
        free(leaves);
        free(nodes);
        gz_tree_free(&tree);
    }
    test_context_done(context);
}

static void frames_that_lie(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (int layout = 0; layout < 2; ++layout) {
        gz_tree tree = build(context, (graze_layout)layout, GRAZE_FLOAT64, 420), kept = tree;
        tree.scale *= 0.5;
        expect(&tree, GRAZE_ERROR_FORMAT, "another scale");
        tree = kept;
        tree.half[1] *= 2;
        expect(&tree, GRAZE_ERROR_FORMAT, "another half");
        tree = kept;
        tree.origin[2] = nextafter(tree.origin[2], 1);
        expect(&tree, GRAZE_ERROR_FORMAT, "another origin");
        tree = kept;
        tree.box.max[0] = nextafter(tree.box.max[0], 1);
        expect(&tree, GRAZE_ERROR_FORMAT, "another box");
        gz_tree_free(&kept);
    }
    test_context_done(context);
}

// Shapes of all sizes come back, also where rows are not about 1.
static void all_sizes_come_back(void **state)
{
    (void)state;
    static const double sizes[] = {1,    1e-300, 1e-320, 1e-45, 1e30,
                                   1e39, 1e200,  1e300,  1e303, 3e307};
    graze_context *context = test_context(NULL);
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; ++i) {
        graze_mesh *mesh = NULL;
        generator_shape_def shape = {.kind = "knot",
                                     .triangle_count = 420,
                                     .precision = GRAZE_FLOAT64,
                                     .size = sizes[i / 2]};
        assert_int_equal(generator_shape_make(context, &shape, &mesh), GRAZE_OK);
        graze_mesh_view view = graze_mesh_get(mesh);
        graze_shape_def def = graze_shape_def_default();
        def.layout = (graze_layout)(i % 2);
        gz_tree tree, loaded;
        assert_int_equal(gz_tree_build(context, &view, &def, &tree), GRAZE_OK);
        assert_int_equal(gz_tree_save(&tree, path), GRAZE_OK);
        if (gz_tree_load(context, path, &loaded) != GRAZE_OK)
            fail_msg("a shape of size %g: %s", sizes[i / 2], test_last_error);
        assert_int_equal(gz_tree_check(&loaded, &view), GRAZE_OK);
        gz_tree_free(&loaded);
        gz_tree_free(&tree);
        graze_mesh_free(mesh);
    }
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lies_change_no_answer),
        cmocka_unit_test(boxes_hold_all_that_is_below),
        cmocka_unit_test(unused_lanes_repeat),
        cmocka_unit_test(heads_that_lie),
        cmocka_unit_test(vertices_without_triangles),
        cmocka_unit_test(leaves_that_nobody_reaches),
        cmocka_unit_test(frames_that_lie),
        cmocka_unit_test(all_sizes_come_back),
    };
    int descriptor = mkstemp(path);
    if (descriptor >= 0)
        close(descriptor);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)unlink(path);
    return failed;
}
