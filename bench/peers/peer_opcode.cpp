// OPCODE inside ODE: Moeller's test in float, as its tree collider calls it for two leaves.
//
// The test itself is inlined into AABBTreeCollider::PrimTest, which takes two triangle numbers,
// fetches the corners, turns those of the second mesh into the frame of the first, and notes the
// pair if they meet.
#include "opcode_layout.h"
#include "peer_loop.h"

namespace
{
using Opcode::AABBTreeCollider;

struct scene {
    const peer_pairs *pairs;
    std::vector<IceMaths::Point> points[2];
    std::vector<IceMaths::IndexedTriangle> triangles[2];
    Opcode::MeshInterface mesh[2];
    AABBTreeCollider collider;

    void add(int side, corners3 &c)
    {
        uint32_t first = uint32_t(points[side].size());
        triangles[side].push_back({{first, first + 1, first + 2}});
        for (int i = 0; i < 3; ++i)
            points[side].push_back({float(c[i][0]), float(c[i][1]), float(c[i][2])});
    }
};

void *prepare(const peer_pairs *pairs)
{
    scene *s = new scene;
    s->pairs = pairs;
    for (uint32_t i = 0; i < pairs->group_count; ++i)
        s->add(0, pairs->a[i]);
    for (uint32_t i = 0; i < pairs->pair_count; ++i)
        s->add(1, pairs->b[i]);
    for (int side = 0; side < 2; ++side)
        s->mesh[side].SetPointers(s->triangles[side].data(), s->points[side].data());
    s->collider.mesh0 = &s->mesh[0];
    s->collider.mesh1 = &s->mesh[1];
    for (int i = 0; i < 3; ++i) {
        s->collider.shift[i] = 0;
        for (int j = 0; j < 3; ++j)
            s->collider.turn[i][j] = i == j;
    }
    return s;
}

bool ask(AABBTreeCollider &collider, uint32_t a, uint32_t b)
{
    collider.pair_entries = 0;
    collider.PrimTest(a, b);
    return collider.pair_entries != 0;
}

void run(void *prepared, uint32_t *answers)
{
    scene *s = static_cast<scene *>(prepared);
    const peer_pairs *pairs = s->pairs;
    for (uint32_t group = 0; group < pairs->group_count; ++group) {
        uint32_t *words = answers + pairs->group_word[group];
        uint32_t begin = pairs->group_begin[group];
        uint32_t count = pairs->group_begin[group + 1] - begin;
        for (uint32_t i = 0; i < count; ++i) {
            uint32_t word = i % 32 == 0 ? 0 : words[i / 32];
            words[i / 32] = word | uint32_t(ask(s->collider, group, begin + i)) << i % 32;
        }
    }
}

void finish(void *prepared) { delete static_cast<scene *>(prepared); }

const peer list[] = {{"ODE OPCODE", "float", 0, prepare, run, finish, nullptr}};
} // namespace

extern "C" const peer_list peers_opcode = {list, 1};
