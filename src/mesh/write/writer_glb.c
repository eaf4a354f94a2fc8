// Writes GLB: one node an object, instances share a mesh, all in one binary chunk.
//
// glTF holds coordinates as float only. Doubles that are floats are written as they are. Others are
// written relative to the centre of their block, which the node's translation puts back in double:
// so they are rounded relative to the size of the object and not to its distance from the origin,
// and a warning says by how much. glTF's unit is the metre: where the view's unit is known to be
// another one, all nodes hang below a root node named "units" that scales them.
// The same view gives the same bytes.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/context.h"
#include "base/sort.h"
#include "base/threads.h"
#include "geometry/rounding.h"
#include "mesh/number.h"
#include "mesh/view.h"
#include "mesh/write/glb.h"
#include "mesh/write/writer.h"

#define BATCH         4096u  // vertices or triangles at a time
#define MOST_NARROW   65535u // vertices; the last 16-bit index is not allowed
#define CHUNK_JSON    0x4e4f534au
#define CHUNK_BINARY  0x004e4942u
#define HEADERS_BYTES (12u + 8u + 8u) // of the file and its two chunks

graze_status gz_glb_out_of_memory(gz_glb *glb)
{
    return gz_fail(glb->context, GRAZE_ERROR_MEMORY, "%s: out of memory while writing GLB",
                   glb->path);
}

static graze_status too_large(const gz_glb *glb)
{
    return gz_fail(glb->context, GRAZE_ERROR_UNSUPPORTED,
                   "%s: the mesh takes more than 4 GiB, which is the most that GLB can hold",
                   glb->path);
}

// ---- Parts

// Objects by their triangles; among equal ones the first object comes first and makes the part.
#define RANGE_BYTES 24u

static void fill_ranges(const gz_glb *glb, uint8_t *ranges)
{
    for (uint64_t i = 0; i < glb->object_count; ++i) {
        graze_object object = gz_view_object(glb->view, i);
        gz_put_u64(ranges, object.first_triangle, true);
        gz_put_u64(ranges + 8, object.triangle_count, true);
        gz_put_u64(ranges + 16, i, true);
        ranges += RANGE_BYTES;
    }
}

// Sets part_of to the number of the first object with the same triangles.
static graze_status find_first_objects(gz_glb *glb)
{
    uint8_t *ranges = gz_allocate_array(glb->context, glb->object_count, RANGE_BYTES);
    if (ranges == NULL)
        return gz_glb_out_of_memory(glb);
    fill_ranges(glb, ranges);
    gz_sort_records(NULL, ranges, glb->object_count, RANGE_BYTES, 0, (gz_arena){NULL, NULL});
    uint32_t first = 0;
    for (uint64_t i = 0; i < glb->object_count; ++i) {
        const uint8_t *range = ranges + i * RANGE_BYTES;
        uint32_t object = (uint32_t)gz_get_u64(range + 16, true);
        if (i == 0 || memcmp(range, range - RANGE_BYTES, 16) != 0)
            first = object;
        glb->part_of[object] = gz_get_u64(range + 8, true) != 0 ? first : GZ_GLB_NONE;
    }
    gz_release(glb->context, ranges, glb->object_count * RANGE_BYTES);
    return GRAZE_OK;
}

static void find_vertices(const gz_glb *glb, gz_glb_part *part)
{
    const uint32_t *corners = glb->view->corners + 3 * part->first_triangle;
    uint32_t low = UINT32_MAX, high = 0;
    for (uint64_t i = 0; i < 3 * part->triangle_count; ++i) {
        low = corners[i] < low ? corners[i] : low;
        high = corners[i] > high ? corners[i] : high;
    }
    part->low = low;
    part->high = high;
}

static graze_status make_parts(gz_glb *glb)
{
    glb->part_of = GZ_NEW_ARRAY(glb->context, uint32_t, glb->object_count);
    if (glb->part_of == NULL)
        return gz_glb_out_of_memory(glb);
    graze_status status = find_first_objects(glb);
    if (status != GRAZE_OK)
        return status;
    uint32_t count = 0;
    for (uint32_t i = 0; i < glb->object_count; ++i)
        count += glb->part_of[i] == i;
    if (count == 0)
        return GRAZE_OK;
    glb->parts = GZ_NEW_ARRAY(glb->context, gz_glb_part, count);
    if (glb->parts == NULL)
        return gz_glb_out_of_memory(glb);
    glb->part_count = count;
    uint32_t next = 0;
    for (uint32_t i = 0; i < glb->object_count; ++i) {
        if (glb->part_of[i] == i) {
            graze_object object = gz_view_object(glb->view, i);
            glb->parts[next] = (gz_glb_part){
                .first_triangle = object.first_triangle,
                .triangle_count = object.triangle_count,
            };
            find_vertices(glb, &glb->parts[next]);
            glb->part_of[i] = next++;
        } else if (glb->part_of[i] != GZ_GLB_NONE) {
            glb->part_of[i] = glb->part_of[glb->part_of[i]]; // an earlier object, already done
        }
    }
    return GRAZE_OK;
}

// ---- Blocks

#define ORDER_BYTES 8u

// Parts in the order of their first vertex; a block ends where no part reaches over.
static graze_status make_blocks(gz_glb *glb)
{
    uint64_t count = glb->part_count;
    if (count == 0)
        return GRAZE_OK;
    uint8_t *order = gz_allocate_array(glb->context, count, ORDER_BYTES);
    glb->blocks = GZ_NEW_ARRAY(glb->context, gz_glb_block, count);
    if (order == NULL || glb->blocks == NULL) {
        gz_release(glb->context, order, count * ORDER_BYTES);
        return gz_glb_out_of_memory(glb);
    }
    for (uint32_t i = 0; i < count; ++i)
        gz_put_u64(order + i * ORDER_BYTES, (uint64_t)glb->parts[i].low << 32 | i, true);
    gz_sort_records(NULL, order, count, ORDER_BYTES, 0, (gz_arena){NULL, NULL});
    gz_glb_block *block = NULL;
    for (uint32_t i = 0; i < count; ++i) {
        gz_glb_part *part = &glb->parts[(uint32_t)gz_get_u64(order + i * ORDER_BYTES, true)];
        if (block == NULL || part->low >= block->first + block->count) {
            block = &glb->blocks[glb->block_count++];
            *block = (gz_glb_block){.first = part->low};
        }
        uint64_t reach = (uint64_t)part->high + 1 - block->first;
        block->count = reach > block->count ? reach : block->count;
        part->block = glb->block_count - 1;
    }
    gz_release(glb->context, order, count * ORDER_BYTES);
    return GRAZE_OK;
}

static void grow(gz_glb_block *block, const float position[3])
{
    if (!isfinite(position[0]) || !isfinite(position[1]) || !isfinite(position[2]))
        return; // JSON has no such numbers
    for (int axis = 0; axis < 3; ++axis) {
        float value = position[axis];
        if (!block->finite || value < block->min[axis])
            block->min[axis] = value;
        if (!block->finite || value > block->max[axis])
            block->max[axis] = value;
    }
    block->finite = true;
}

static void find_float_bounds(const gz_glb *glb, gz_glb_block *block)
{
    const float *positions = (const float *)glb->view->positions + 3 * block->first;
    for (uint64_t i = 0; i < block->count; ++i)
        grow(block, positions + 3 * i);
}

// The vertex as it is written.
static void narrow_position(const gz_glb_block *block, const double *position, float out[3])
{
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = (float)(block->moved ? position[axis] - block->centre[axis] : position[axis]);
}

// Chooses between coordinates as they are, where no double is more than a float, and relative ones.
static void choose_centre(const gz_glb *glb, gz_glb_block *block)
{
    const double *positions = (const double *)glb->view->positions + 3 * block->first;
    double min[3] = {INFINITY, INFINITY, INFINITY}, max[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint64_t i = 0; i < 3 * block->count; ++i) {
        double value = positions[i];
        if (!isfinite(value))
            continue;
        uint64_t axis = i % 3;
        min[axis] = value < min[axis] ? value : min[axis];
        max[axis] = value > max[axis] ? value : max[axis];
        block->moved = block->moved || (double)(float)value != value;
    }
    for (int axis = 0; block->moved && axis < 3; ++axis) {
        double centre = min[axis] <= max[axis] ? 0.5 * min[axis] + 0.5 * max[axis] : 0;
        float rounded = (float)centre; // few digits, and most differences are exact
        block->centre[axis] = isfinite(rounded) ? (double)rounded : centre;
    }
}

static graze_status find_double_bounds(gz_glb *glb, gz_glb_block *block, double *error)
{
    choose_centre(glb, block);
    const double *positions = (const double *)glb->view->positions + 3 * block->first;
    for (uint64_t i = 0; i < block->count; ++i, positions += 3) {
        float written[3];
        narrow_position(block, positions, written);
        for (int axis = 0; axis < 3; ++axis) {
            if (!isfinite(positions[axis]))
                continue;
            if (!isfinite(written[axis]))
                return gz_fail(glb->context, GRAZE_ERROR_UNSUPPORTED,
                               "%s: vertex %" PRIu64 " is farther away than glTF's float can hold",
                               glb->path, block->first + i);
            double wanted = block->moved ? positions[axis] - block->centre[axis] : positions[axis];
            double off = fabs(wanted - (double)written[axis]);
            *error = off > *error ? off : *error;
        }
        grow(block, written);
    }
    return GRAZE_OK;
}

static void warn_of_rounding(const gz_glb *glb, double error)
{
    if (error == 0)
        return;
    char digits[GZ_NUMBER_BYTES + 1];
    *gz_print_float(digits, gz_round_up(error)) = '\0';
    gz_log(glb->context, GRAZE_LOG_WARNING,
           "%s: glTF holds coordinates as float: they were rounded by up to %s units", glb->path,
           digits);
}

static graze_status find_bounds(gz_glb *glb)
{
    double error = 0;
    graze_status status = GRAZE_OK;
    for (uint32_t i = 0; i < glb->block_count && status == GRAZE_OK; ++i)
        if (glb->view->precision == GRAZE_FLOAT32)
            find_float_bounds(glb, &glb->blocks[i]);
        else
            status = find_double_bounds(glb, &glb->blocks[i], &error);
    if (status == GRAZE_OK)
        warn_of_rounding(glb, error);
    return status;
}

// Gives each block and part its place. The sums cannot overflow: all of it lies in memory.
static void lay_out(gz_glb *glb)
{
    for (uint32_t i = 0; i < glb->block_count; ++i) {
        glb->blocks[i].byte_offset = glb->position_bytes;
        glb->position_bytes += glb->blocks[i].count * 3 * sizeof(float);
    }
    for (uint32_t i = 0; i < glb->part_count; ++i) {
        gz_glb_part *part = &glb->parts[i];
        part->narrow = glb->blocks[part->block].count <= MOST_NARROW;
        uint64_t *bytes = part->narrow ? &glb->narrow_bytes : &glb->wide_bytes;
        part->byte_offset = *bytes;
        *bytes +=
            part->triangle_count * (part->narrow ? 3 * sizeof(uint16_t) : 3 * sizeof(uint32_t));
    }
    uint64_t bytes = glb->position_bytes + glb->wide_bytes + glb->narrow_bytes;
    glb->binary_bytes = (bytes + 3) / 4 * 4;
}

static void note_unused(const gz_glb *glb)
{
    uint64_t written = glb->position_bytes / (3 * sizeof(float));
    if (written < glb->view->vertex_count)
        gz_log(glb->context, GRAZE_LOG_NOTE,
               "%s: %" PRIu64 " vertices that no triangle uses are left out", glb->path,
               glb->view->vertex_count - written);
}

// ---- Writing

typedef struct output {
    gz_packer *packer;
    gz_glb *glb;
    uint64_t done, total;
} output;

static graze_status put(output *out, const void *bytes, uint64_t byte_count)
{
    graze_status status =
        gz_checkpoint(out->glb->context, "writing", "bytes", out->done, out->total);
    if (status == GRAZE_OK)
        status = gz_packer_write(out->packer, bytes, byte_count);
    out->done += byte_count;
    return status;
}

static graze_status put_words(output *out, const uint32_t *words, uint32_t count)
{
    uint8_t bytes[12];
    for (uint32_t i = 0; i < count; ++i)
        gz_put_u32(bytes + 4 * i, words[i], false);
    return put(out, bytes, 4 * (uint64_t)count);
}

static graze_status put_block(output *out, const gz_glb_block *block)
{
    const graze_mesh_view *view = out->glb->view;
    graze_status status = GRAZE_OK;
    float batch[BATCH * 3];
    for (uint64_t i = 0; i < block->count && status == GRAZE_OK; i += BATCH) {
        uint64_t count = block->count - i < BATCH ? block->count - i : BATCH;
        const void *from = batch;
        if (view->precision == GRAZE_FLOAT32)
            from = (const float *)view->positions + 3 * (block->first + i);
        for (uint64_t k = 0; view->precision == GRAZE_FLOAT64 && k < count; ++k)
            narrow_position(block, (const double *)view->positions + 3 * (block->first + i + k),
                            batch + 3 * k);
        status = put(out, from, count * 3 * sizeof(float));
    }
    return status;
}

static graze_status put_part(output *out, const gz_glb_part *part)
{
    const uint32_t *corners = out->glb->view->corners + 3 * part->first_triangle;
    uint32_t first = (uint32_t)out->glb->blocks[part->block].first;
    uint64_t total = 3 * part->triangle_count;
    graze_status status = GRAZE_OK;
    uint32_t wide[BATCH * 3];
    uint16_t narrow[BATCH * 3];
    for (uint64_t i = 0; i < total && status == GRAZE_OK; i += 3 * BATCH) {
        uint64_t count = total - i < 3 * BATCH ? total - i : 3 * BATCH;
        for (uint64_t k = 0; k < count; ++k) {
            wide[k] = corners[i + k] - first;
            narrow[k] = (uint16_t)wide[k];
        }
        status = part->narrow ? put(out, narrow, count * sizeof *narrow)
                              : put(out, wide, count * sizeof *wide);
    }
    return status;
}

static graze_status put_parts(output *out, bool narrow)
{
    graze_status status = GRAZE_OK;
    for (uint32_t i = 0; i < out->glb->part_count && status == GRAZE_OK; ++i)
        if (out->glb->parts[i].narrow == narrow)
            status = put_part(out, &out->glb->parts[i]);
    return status;
}

static graze_status put_binary(output *out)
{
    const gz_glb *glb = out->glb;
    if (glb->binary_bytes == 0)
        return GRAZE_OK;
    graze_status status =
        put_words(out, (uint32_t[]){(uint32_t)glb->binary_bytes, CHUNK_BINARY}, 2);
    for (uint32_t i = 0; i < glb->block_count && status == GRAZE_OK; ++i)
        status = put_block(out, &glb->blocks[i]);
    if (status == GRAZE_OK)
        status = put_parts(out, false);
    if (status == GRAZE_OK)
        status = put_parts(out, true);
    uint64_t bytes = glb->position_bytes + glb->wide_bytes + glb->narrow_bytes;
    if (status == GRAZE_OK && bytes != glb->binary_bytes)
        status = put(out, "\0\0\0", glb->binary_bytes - bytes);
    return status;
}

static graze_status put_all(gz_packer *packer, gz_glb *glb)
{
    uint64_t total = HEADERS_BYTES + glb->json.count + glb->binary_bytes;
    if (glb->binary_bytes == 0)
        total -= 8; // then there is no binary chunk
    if (total > UINT32_MAX)
        return too_large(glb);
    output out = {packer, glb, 0, total};
    graze_status status = put(&out, "glTF", 4);
    if (status == GRAZE_OK)
        status = put_words(&out, (uint32_t[]){2, (uint32_t)total}, 2);
    if (status == GRAZE_OK)
        status = put_words(&out, (uint32_t[]){(uint32_t)glb->json.count, CHUNK_JSON}, 2);
    if (status == GRAZE_OK)
        status = put(&out, glb->json.items, glb->json.count);
    return status == GRAZE_OK ? put_binary(&out) : status;
}

static graze_status write_all(gz_packer *packer, gz_glb *glb)
{
    if (glb->object_count >= GZ_GLB_NONE)
        return too_large(glb);
    graze_status status = make_parts(glb);
    if (status == GRAZE_OK)
        status = make_blocks(glb);
    if (status != GRAZE_OK)
        return status;
    lay_out(glb);
    if (glb->binary_bytes > UINT32_MAX)
        return too_large(glb);
    note_unused(glb);
    status = find_bounds(glb);
    if (status == GRAZE_OK)
        status = gz_glb_describe(glb);
    return status == GRAZE_OK ? put_all(packer, glb) : status;
}

graze_status gz_write_glb(gz_packer *packer, graze_context *context, const graze_mesh_view *view,
                          const graze_mesh_write_def *def)
{
    (void)def; // glTF leaves no choice
    gz_glb glb = {
        .context = context,
        .path = gz_packer_path(packer),
        .view = view,
        .object_count = gz_view_object_count(view),
    };
    graze_status status = write_all(packer, &glb);
    uint64_t most_blocks = glb.part_count; // as make_blocks took them
    GZ_FREE_ARRAY(context, glb.part_of, glb.object_count);
    GZ_FREE_ARRAY(context, glb.parts, glb.part_count);
    GZ_FREE_ARRAY(context, glb.blocks, most_blocks);
    gz_list_free(context, &glb.json);
    return status;
}
