// The triangles of a frame that reach to where another object may be: blocks of sixteen, with their
// boxes, in the rows of their object. See cull_state.h.
//
// Each triangle is read once, in order. What is kept of it stands in a small array until there are
// sixteen, which are then turned into a block: boxes of one axis side by side.
#include <string.h>

#include "base/simd.h"
#include "base/threads.h"
#include "cull/cull_state.h"
#include "geometry/fpu.h"

// What is written to: the block of the chunk that is being filled, and the group that holds it.
typedef struct sieve {
    gz_cull_box boxes[GZ_CULL_BLOCK + 1]; // the last one may be overwritten
    gz_cull_box group;
    graze_cull *cull;
    gz_cull_chunk *chunk;
    gz_cull_block *block; // the next
    uint32_t triangles[GZ_CULL_BLOCK + 1];
    uint32_t waiting;
    uint32_t group_first, group_count; // block; triangles
} sieve;

static void end_group(sieve *s)
{
    if (s->group_count == 0)
        return;
    uint32_t number = s->chunk->groups_left++;
    gz_cull_row *row = &s->cull->rows.items[s->chunk->first_row + number / GZ_CULL_ROW];
    uint32_t lane = number % GZ_CULL_ROW;
    for (int axis = 0; axis < 3; ++axis) {
        row->low[axis][lane] = s->group.low[axis];
        row->high[axis][lane] = s->group.high[axis];
    }
    row->first[lane] = s->group_first;
    row->count[lane] = s->group_count;
    s->group_count = 0;
}

static void end_block(sieve *s)
{
    if (s->waiting == 0)
        return;
    gz_cull_box none = gz_cull_box_none();
    uint32_t first_block = (uint32_t)(s->block - s->cull->blocks.items);
    if (s->group_count == 0) {
        s->group = none;
        s->group_first = first_block;
    }
    for (uint32_t i = 0; i < GZ_CULL_BLOCK; ++i) {
        const gz_cull_box *box = i < s->waiting ? &s->boxes[i] : &none;
        for (int axis = 0; axis < 3; ++axis) {
            s->block->low[axis][i] = box->low[axis];
            s->block->high[axis][i] = box->high[axis];
        }
        s->block->triangle[i] = i < s->waiting ? s->triangles[i] : 0;
        gz_cull_boxes_join(&s->group, box);
    }
    s->group_count += s->waiting;
    s->chunk->left += s->waiting;
    s->block++;
    s->waiting = 0;
    if (s->group_count >= GZ_CULL_GROUP)
        end_group(s);
}

// Floats as they are, and no tolerance.
static void sift_plain(sieve *s, const gz_cull_object *object, const gz_cull_box *interest,
                       const uint8_t *keep)
{
    const float *positions = object->view->positions;
    const uint32_t *corner = object->view->corners + 3 * (uint64_t)s->chunk->first;
    gz_f4 least = gz_f4_load3(interest->low), most = gz_f4_load3(interest->high);
    for (uint32_t i = 0; i < s->chunk->count; ++i, corner += 3) {
        gz_f4 p = gz_f4_load3(positions + 3 * (uint64_t)corner[0]);
        gz_f4 q = gz_f4_load3(positions + 3 * (uint64_t)corner[1]);
        gz_f4 r = gz_f4_load3(positions + 3 * (uint64_t)corner[2]);
        gz_f4 low = gz_f4_min(gz_f4_min(p, q), r), high = gz_f4_max(gz_f4_max(p, q), r);
        uint32_t apart = gz_f4_less(most, low) | gz_f4_less(high, least);
        memcpy(s->boxes[s->waiting].low, &low, sizeof low);
        memcpy(s->boxes[s->waiting].high, &high, sizeof high);
        s->triangles[s->waiting] = s->chunk->first + i;
        s->waiting += (apart == 0) & (keep == NULL || keep[i] != 0);
        if (s->waiting == GZ_CULL_BLOCK)
            end_block(s);
    }
}

static void sift_any(sieve *s, const gz_cull_object *object, const gz_cull_box *interest,
                     const uint8_t *keep)
{
    for (uint32_t i = 0; i < s->chunk->count; ++i) {
        uint32_t triangle = s->chunk->first + i;
        gz_cull_box box = gz_cull_triangle_box(&s->cull->frame, object, triangle);
        s->boxes[s->waiting] = box;
        s->triangles[s->waiting] = triangle;
        s->waiting += !gz_cull_boxes_apart(&box, interest) && (keep == NULL || keep[i] != 0);
        if (s->waiting == GZ_CULL_BLOCK)
            end_block(s);
    }
}

static void empty_row(gz_cull_row *row)
{
    const float far = __builtin_inff();
    for (int axis = 0; axis < 3; ++axis)
        for (uint32_t lane = 0; lane < GZ_CULL_ROW; ++lane) {
            row->low[axis][lane] = far;
            row->high[axis][lane] = -far;
        }
    memset(row->first, 0, sizeof row->first);
    memset(row->count, 0, sizeof row->count);
}

static void sift_chunk(void *data, uint32_t number)
{
    graze_cull *cull = data;
    gz_cull_chunk *chunk = &cull->chunks.items[number];
    const gz_cull_object *object = &cull->objects.items[chunk->object];
    if (object->triangle_count == 0 || (object->partner_count == 0 && !cull->frame.self))
        return;
    gz_fpu_state state = gz_fpu_enter();
    for (uint32_t i = 0; i < chunk->row_count; ++i)
        empty_row(&cull->rows.items[chunk->first_row + i]);
    sieve s = {.cull = cull, .chunk = chunk, .block = cull->blocks.items + chunk->first_block};
    const gz_cull_box *interest = &cull->contents.items[chunk->object].interest;
    // What an engine cleared still may meet triangles of its own object.
    const uint8_t *keep = cull->engine != NULL && !cull->frame.self
                              ? cull->frame.keep + object->first + chunk->first
                              : NULL;
    if (cull->frame.raw && !(cull->frame.grow > 0))
        sift_plain(&s, object, interest, keep);
    else
        sift_any(&s, object, interest, keep);
    end_block(&s);
    end_group(&s);
    gz_fpu_leave(state);
}

static gz_cull_box row_box(const gz_cull_row *row)
{
    gz_cull_box box = gz_cull_box_none();
    for (uint32_t lane = 0; lane < GZ_CULL_ROW; ++lane) {
        gz_cull_box one = {{row->low[0][lane], row->low[1][lane], row->low[2][lane], 0},
                           {row->high[0][lane], row->high[1][lane], row->high[2][lane], 0}};
        gz_cull_boxes_join(&box, &one);
    }
    return box;
}

static void build_tiers(graze_cull *cull, const gz_cull_content *content)
{
    for (uint32_t t = 0; t < content->tier_count; ++t) {
        gz_cull_row *tier = &cull->tiers.items[content->first_tier + t];
        empty_row(tier);
        for (uint32_t lane = 0; lane < GZ_CULL_ROW && t * GZ_CULL_ROW + lane < content->row_count;
             ++lane) {
            gz_cull_box box =
                row_box(&cull->rows.items[content->first_row + t * GZ_CULL_ROW + lane]);
            for (int axis = 0; axis < 3; ++axis) {
                tier->low[axis][lane] = box.low[axis];
                tier->high[axis][lane] = box.high[axis];
            }
        }
    }
}

// Where an object may meet others: in what its box has in common with each of theirs.
static void find_interests(graze_cull *cull)
{
    const gz_cull_object *objects = cull->objects.items;
    for (uint64_t i = 0; i < cull->objects.count; ++i)
        cull->contents.items[i].interest = gz_cull_box_none();
    for (uint64_t i = 0; i < cull->object_pairs.count; ++i) {
        graze_pair pair = cull->object_pairs.items[i];
        gz_cull_box common = objects[pair.a].box;
        gz_cull_boxes_cut(&common, &objects[pair.b].box);
        gz_cull_boxes_join(&cull->contents.items[pair.a].interest, &common);
        gz_cull_boxes_join(&cull->contents.items[pair.b].interest, &common);
    }
}

graze_status gz_cull_sift(graze_cull *cull)
{
    uint64_t rows = cull->rows.count, tiers = cull->tiers.count;
    if (GZ_CULL_SIZE(cull, blocks, cull->frame.place_count / GZ_CULL_BLOCK) != GRAZE_OK ||
        GZ_CULL_SIZE(cull, rows, rows) != GRAZE_OK || GZ_CULL_SIZE(cull, tiers, tiers) != GRAZE_OK)
        return GRAZE_ERROR_MEMORY;
    find_interests(cull);
    gz_parallel(cull->context, (uint32_t)cull->chunks.count, sift_chunk, cull);
    for (uint64_t i = 0; i < cull->objects.count; ++i) {
        const gz_cull_object *object = &cull->objects.items[i];
        if (object->partner_count != 0 || cull->frame.self)
            build_tiers(cull, &cull->contents.items[i]);
    }
    for (uint64_t i = 0; i < cull->chunks.count; ++i)
        cull->counters.groups_left += cull->chunks.items[i].groups_left;
    return GRAZE_OK;
}
