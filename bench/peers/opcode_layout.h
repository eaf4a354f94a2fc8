// OPCODE inside ODE as far as the benchmarks use it.
//
// The library exports the functions, but no header is installed. So the classes are declared here,
// as they are laid out in ODE 0.16.2 on x86-64; CMake uses this file for that version only.
#ifndef GRAZE_BENCH_OPCODE_LAYOUT_H
#define GRAZE_BENCH_OPCODE_LAYOUT_H

#include <cstddef>
#include <cstdint>

namespace IceMaths
{
struct Point {
    float x, y, z;
};
struct IndexedTriangle {
    uint32_t corner[3];
};
struct Matrix4x4 {
    float m[4][4]; // rows times this; the last row is the shift
};
} // namespace IceMaths

namespace Opcode
{
class MeshInterface
{
  public:
    MeshInterface();
    ~MeshInterface();
    bool SetPointers(const IceMaths::IndexedTriangle *triangles, const IceMaths::Point *points);

    uint32_t triangle_count, point_count;

  private:
    char fields[56];
};

struct OPCODECREATE {
    MeshInterface *mesh;
    uint32_t limit, rules; // triangles in a leaf; how to split
    bool no_leaf, quantized, keep_original, can_remap;
};

class Model
{
  public:
    Model();
    virtual ~Model();
    virtual bool Build(const OPCODECREATE &create);

  private:
    char fields[32];
};

struct BVTCache {
    uint32_t last[2];
    const Model *model[2];
};

class AABBTreeCollider
{
  public:
    AABBTreeCollider();
    virtual ~AABBTreeCollider();
    virtual const char *ValidateSettings();
    void PrimTest(uint32_t triangle0, uint32_t triangle1);
    bool Collide(BVTCache &cache, const IceMaths::Matrix4x4 *world0,
                 const IceMaths::Matrix4x4 *world1);

    uint32_t flags; // bit 0: stop at the first contact; bit 2: contact
    char fields0[20];
    uint32_t pair_room, pair_entries;
    uint32_t *pairs;
    char fields1[8];
    const MeshInterface *mesh0, *mesh1;
    char fields2[84];
    float turn[3][3]; // from mesh 1 to mesh 0
    char fields3[12];
    float shift[3];
    char fields4[88];
    bool full_box_test, full_triangle_test; // all 15 axes, and not just the faces'
    char fields5[38];
};

static_assert(sizeof(MeshInterface) == 64, "layout of ODE 0.16.2");
static_assert(sizeof(Model) == 40, "layout of ODE 0.16.2");
static_assert(offsetof(AABBTreeCollider, flags) == 0x8, "layout of ODE 0.16.2");
static_assert(offsetof(AABBTreeCollider, pair_entries) == 0x24, "layout of ODE 0.16.2");
static_assert(offsetof(AABBTreeCollider, mesh0) == 0x38, "layout of ODE 0.16.2");
static_assert(offsetof(AABBTreeCollider, turn) == 0x9c, "layout of ODE 0.16.2");
static_assert(offsetof(AABBTreeCollider, shift) == 0xcc, "layout of ODE 0.16.2");
static_assert(offsetof(AABBTreeCollider, full_box_test) == 0x130, "layout of ODE 0.16.2");
} // namespace Opcode

#endif
