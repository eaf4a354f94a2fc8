// Welds vertices by a hash of their positions. See welded_mesh.h.
#include "simplify/welded_mesh.h"

#include <string.h>

#include "base/checksum.h"
#include "base/context.h"

void gz_welded_mesh_free(gz_welded_mesh *mesh)
{
    gz_list_free(mesh->context, &mesh->positions);
    gz_list_free(mesh->context, &mesh->corners);
    gz_list_free(mesh->context, &mesh->slots);
}

bool gz_welded_mesh_begin(gz_welded_mesh *mesh, uint64_t vertex_room)
{
    uint64_t slot_count = 64;
    while (slot_count < 2 * vertex_room)
        slot_count *= 2;
    mesh->positions.count = mesh->corners.count = mesh->slots.count = 0;
    if (!gz_list_reserve(mesh->context, &mesh->positions, vertex_room) ||
        gz_list_push(mesh->context, &mesh->slots, slot_count) == NULL)
        return false;
    memset(mesh->slots.items, 0xff, (size_t)slot_count * sizeof(uint32_t));
    return true;
}

// Where a position is, or the free slot where it would be.
static uint32_t *find_slot(const gz_welded_mesh *mesh, const double position[3])
{
    const double(*positions)[3] = mesh->positions.items;
    uint32_t *slots = mesh->slots.items;
    for (uint64_t at = gz_checksum(0, position, sizeof(double[3]));; ++at) {
        uint32_t *slot = &slots[at & (mesh->slots.count - 1)];
        const double *there = positions[*slot == UINT32_MAX ? 0 : *slot];
        if (*slot == UINT32_MAX ||
            (there[0] == position[0] && there[1] == position[1] && there[2] == position[2]))
            return slot;
    }
}

uint32_t gz_welded_mesh_find(const gz_welded_mesh *mesh, const double position[3])
{
    return mesh->slots.count == 0 ? UINT32_MAX : *find_slot(mesh, position);
}

uint32_t gz_welded_mesh_place(gz_welded_mesh *mesh, const double position[3])
{
    uint32_t *slot = find_slot(mesh, position);
    if (*slot != UINT32_MAX)
        return *slot;
    GZ_ASSERT(2 * mesh->positions.count < mesh->slots.count);
    double(*added)[3] = gz_list_push(mesh->context, &mesh->positions, 1);
    if (added == NULL)
        return UINT32_MAX;
    memcpy(*added, position, sizeof *added);
    return *slot = (uint32_t)(mesh->positions.count - 1);
}
