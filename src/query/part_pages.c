// Boxes over parts against a box of the world. See part_pages.h.
#include "query/part_pages.h"

#include "base/context.h"
#include "geometry/fpu.h"
#include "geometry/rounding.h"

#define STACK (GZ_PART_LEVELS * GZ_PART_WIDE)

static gz_middle middle_of(const graze_box *box)
{
    gz_middle m;
    for (int axis = 0; axis < 3; ++axis) {
        m.origin[axis] = 0.5 * box->min[axis] + 0.5 * box->max[axis];
        m.half[axis] = (0.5 * box->max[axis] - 0.5 * box->min[axis]) * (1 + 0x1p-50);
    }
    return m;
}

uint32_t gz_part_pages_near(const graze_shape *shape, const graze_pose *pose, const graze_box *box,
                            double distance, gz_page_key *keys, uint32_t most)
{
    if (!gz_shape_is_paged(shape) || gz_shape_triangle_count(shape) == 0)
        return 0;
    gz_fpu_state state = gz_fpu_enter();
    graze_pose world = graze_pose_identity();
    gz_middle target = middle_of(box);
    gz_part_node stack[STACK];
    uint32_t count = 1, found = 0;
    stack[0] = gz_parts_root(shape);
    while (count != 0 && found < most) {
        gz_part_node node = stack[--count], below;
        gz_middle part = gz_parts_box(shape, node);
        if (gz_boxes_far(&part, pose, &target, &world, distance))
            continue;
        if (node.level == 0) {
            keys[found++] = shape->kind->page(shape, node.index);
            continue;
        }
        uint32_t children = gz_parts_below(shape, node, &below);
        GZ_ASSERT(count + children <= STACK);
        below.index += children;
        for (uint32_t i = 0; i < children; ++i) { // the first one on top
            below.index--;
            stack[count++] = below;
        }
    }
    gz_fpu_leave(state);
    return found;
}

static void add_middle(graze_box *box, const gz_middle *m)
{
    graze_box part;
    for (int axis = 0; axis < 3; ++axis) {
        part.min[axis] = gz_step_down64(m->origin[axis] - m->half[axis]);
        part.max[axis] = gz_step_up64(m->origin[axis] + m->half[axis]);
    }
    *box = graze_box_join(box, &part);
}

uint32_t gz_part_stretches(const graze_shape *shape, uint64_t triangles, gz_part_stretch *out,
                           uint32_t most)
{
    uint32_t parts = gz_shape_is_paged(shape) ? shape->boxes->count[0] : 1, count = 0;
    uint64_t all = gz_shape_triangle_count(shape), done = 0;
    if (all == 0 || most == 0)
        return 0;
    uint64_t wanted = triangles == 0 ? 0 : all / triangles;
    wanted = wanted > parts ? parts : wanted > most ? most : wanted == 0 ? 1 : wanted;
    for (uint32_t part = 0; part < parts; ++part) {
        gz_middle m = gz_parts_box(shape, (gz_part_node){0, part});
        // Parts have about as many triangles each.
        if (count == 0 || (uint64_t)part * wanted / parts != (uint64_t)(part - 1) * wanted / parts)
            out[count++] = (gz_part_stretch){.box = graze_box_empty()};
        uint64_t end = all * ((uint64_t)part + 1) / parts;
        out[count - 1].triangle_count += end - done;
        done = end;
        add_middle(&out[count - 1].box, &m);
    }
    return count;
}
