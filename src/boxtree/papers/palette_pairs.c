// Two trees with volumes of the same kind, in poses of their own: which triangles share a point?
// See palette.h.
//
// The walk opens both nodes at once and visits the pairs of children that are not apart, depth
// first. What a volume of B is in A's frame is computed once for all its partners.
//
// Rounding, with u = 2^-53 and the sizes T, P and Q of plain_query.c, times A's scale. Coordinates
// in a tree are rounded by 4 u P and 4 u Q, the shift by 8 u (1.74 T + 3 Q + P): together less than
// a quarter of the query's error, which is there anyway. A dozen operations on coordinates (at most
// 1 and `ratio`) and the shift come to less than 256 u times their sum.
#include <string.h>

#include "base/context.h"
#include "boxtree/papers/palette.h"
#include "geometry/fpu.h"

#define UNIT  0x1p-53
#define RANGE 0x1p400

typedef struct level {
    uint32_t slot_a[2], slot_b[2];
    double turned[2][GZ_TURNED_NUMBERS];
    uint32_t pairs; // bit 2 i + j: child i of A and child j of B are to be visited
} level;

typedef struct walk_scratch {
    gz_palette_frame frame;
    double prepared[GZ_PREPARED_BYTES / sizeof(double)];
    level stack[GZ_PALETTE_DEPTH + 1];
} walk_scratch;

typedef struct walk {
    gz_plain_query *plain;
    walk_scratch *scratch;
    const gz_palette *a, *b;
    const gz_volume_kind *kind;
} walk;

// The children of a node, or the node itself where it is a leaf. Returns how many.
static int open_node(const gz_palette *tree, uint32_t slot, uint32_t slots[2])
{
    uint32_t link = gz_palette_link(tree, slot);
    if ((link & GZ_PALETTE_LEAF) != 0) {
        slots[0] = slot;
        return 1;
    }
    slots[0] = 2 * link;
    slots[1] = 2 * link + 1;
    return 2;
}

static void test_pairs(walk *w, level *f, int count_a, int count_b)
{
    const gz_palette_frame *frame = &w->scratch->frame;
    f->pairs = 0;
    for (int j = 0; j < count_b; ++j) {
        w->kind->turn(frame, gz_palette_volume(w->b, f->slot_b[j]), f->turned[j]);
        for (int i = 0; i < count_a; ++i)
            if (!w->kind->apart(frame, gz_palette_volume(w->a, f->slot_a[i]), f->turned[j]))
                f->pairs |= 1u << (2 * i + j);
    }
    w->plain->counters.box_tests += (uint64_t)(count_a * count_b);
}

static void run(walk *w)
{
    level *bottom = w->scratch->stack, *f = bottom;
    f->slot_a[0] = f->slot_b[0] = 0;
    test_pairs(w, f, 1, 1);
    for (;;) {
        while (f->pairs == 0) {
            if (f == bottom)
                return;
            --f;
        }
        int next = __builtin_ctz(f->pairs);
        f->pairs &= f->pairs - 1;
        uint32_t slot_a = f->slot_a[next / 2], slot_b = f->slot_b[next % 2];
        uint32_t link_a = gz_palette_link(w->a, slot_a), link_b = gz_palette_link(w->b, slot_b);
        if ((link_a & link_b & GZ_PALETTE_LEAF) != 0) {
            if (!gz_plain_query_triangles(w->plain, link_a & ~GZ_PALETTE_LEAF,
                                          link_b & ~GZ_PALETTE_LEAF))
                return;
            continue;
        }
        ++f;
        int count_a = open_node(w->a, slot_a, f->slot_a);
        int count_b = open_node(w->b, slot_b, f->slot_b);
        test_pairs(w, f, count_a, count_b);
    }
}

// False: numbers out of range.
static bool set_frame(walk *w)
{
    const gz_plain_query *plain = w->plain;
    gz_palette_frame *frame = &w->scratch->frame;
    double scale = w->a->scale, origin_b[3];
    frame->ratio = scale / w->b->scale;
    memcpy(frame->matrix, plain->matrix, sizeof frame->matrix);
    memcpy(frame->back, plain->back, sizeof frame->back);
    for (int i = 0; i < 3; ++i) {
        origin_b[i] = gz_dot3(&plain->matrix[3 * i], w->b->origin) + plain->shift[i];
        frame->shift[i] = (origin_b[i] - w->a->origin[i]) * scale;
    }
    double far = gz_largest3(frame->shift), error = plain->error * scale;
    frame->margin = 2 * error + 256 * UNIT * (1 + 3 * frame->ratio + far);
    frame->prepared = w->scratch->prepared;
    return frame->ratio < RANGE && frame->ratio > 1 / RANGE && far < RANGE && error < RANGE &&
           scale < RANGE * RANGE && w->b->scale < RANGE * RANGE;
}

void gz_palette_query_init(gz_palette_query *query, graze_context *context)
{
    *query = (gz_palette_query){.scratch = NULL};
    gz_plain_query_init(&query->plain, context);
}

void gz_palette_query_free(gz_palette_query *query)
{
    gz_release(query->plain.context, query->scratch, sizeof(walk_scratch));
    gz_plain_query_free(&query->plain);
}

static void run_all(walk *w)
{
    if (!set_frame(w)) {
        gz_plain_query_all(w->plain);
        return;
    }
    if (w->kind->prepare != NULL)
        w->kind->prepare(&w->scratch->frame);
    run(w);
}

graze_status gz_palette_query_run(gz_palette_query *query, const gz_palette *a,
                                  const graze_pose *pose_a, const gz_palette *b,
                                  const graze_pose *pose_b)
{
    GZ_ASSERT(a->kind == b->kind);
    gz_plain_query *plain = &query->plain;
    if (query->scratch == NULL)
        query->scratch = gz_allocate(plain->context, sizeof(walk_scratch));
    if (query->scratch == NULL)
        return gz_fail(plain->context, GRAZE_ERROR_MEMORY,
                       "out of memory for the walk down two trees of volumes");
    walk w = {.plain = plain, .scratch = query->scratch, .a = a, .b = b, .kind = a->kind};
    if (query->kind != a->kind)
        memset(w.scratch->prepared, 0, sizeof w.scratch->prepared);
    query->kind = a->kind;
    gz_fpu_state state = gz_fpu_enter();
    gz_plain_query_begin(plain, &(gz_plain_side){a->view, a->reach, *pose_a},
                         &(gz_plain_side){b->view, b->reach, *pose_b});
    if (a->triangle_count != 0 && b->triangle_count != 0)
        run_all(&w);
    gz_fpu_leave(state);
    return plain->status;
}
