// Bullet's GImpact, in float: its trees of quantised boxes, its search for overlapping boxes, and
// its triangle test, without the manifolds that its collision algorithm goes on to fill. Margins
// are 0. It cannot be stopped at a first contact.
//
// Of its two triangle tests, the one by separating axes is faster than the one that clips, by 15 to
// 25 %, and errs less often. It has an absolute epsilon, so the meshes are enlarged, by a power of
// two.
#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <BulletCollision/Gimpact/gim_tri_collision.h>

#include <vector>

#include "collider.h"

namespace
{
const float enlarged = 1024;

struct body {
    std::vector<float> points;
    std::vector<uint32_t> corners;
    btTriangleIndexVertexArray arrays;
    btGImpactMeshShapePart shape;

    body(const collider_mesh *mesh)
        : points(mesh->vertices[0], mesh->vertices[0] + 3 * size_t(mesh->vertex_count)),
          corners(mesh->corners[0], mesh->corners[0] + 3 * size_t(mesh->triangle_count)),
          arrays(int(mesh->triangle_count), (int *)corners.data(), 3 * sizeof(int),
                 int(mesh->vertex_count), points.data(), 3 * sizeof(float)),
          shape(&arrays, 0)
    {
        for (float &x : points)
            x *= enlarged;
        shape.setMargin(0);
        shape.updateBound();
        shape.lockChildShapes();
    }
    ~body() { shape.unlockChildShapes(); }
};

struct joined_bodies {
    const body *a, *b;
    btPairSet near;
    std::vector<collider_pair> pairs;
};

void *build(const collider_mesh *mesh) { return new body(mesh); }
void drop(void *object) { delete static_cast<body *>(object); }
void *join(void *a, void *b)
{
    return new joined_bodies{static_cast<body *>(a), static_cast<body *>(b), {}, {}};
}
void part(void *joined) { delete static_cast<joined_bodies *>(joined); }

btTransform transform(const collider_pose *pose)
{
    const double *r = pose->rotation, *t = pose->translation;
    return btTransform(btMatrix3x3(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]),
                       btVector3(t[0], t[1], t[2]) * enlarged);
}

bool meet(const joined_bodies *joined, const btTransform &pose, int i, int k)
{
    btPrimitiveTriangle a, b;
    joined->a->shape.getPrimitiveTriangle(i, a);
    joined->b->shape.getPrimitiveTriangle(k, b);
    GIM_TRIANGLE one, other;
    one.m_margin = other.m_margin = 0;
    for (int c = 0; c < 3; ++c) {
        one.m_vertices[c] = a.m_vertices[c];
        other.m_vertices[c] = pose(b.m_vertices[c]);
    }
    GIM_TRIANGLE_CONTACT_DATA contact;
    return one.collide_triangle_hard_test(other, contact);
}

double ask_all(void *asked, const collider_pose *pose, double)
{
    joined_bodies *joined = static_cast<joined_bodies *>(asked);
    btTransform moved = transform(pose);
    joined->near.clear();
    joined->pairs.clear();
    btGImpactBoxSet::find_collision(joined->a->shape.getBoxSet(), btTransform::getIdentity(),
                                    joined->b->shape.getBoxSet(), moved, joined->near);
    for (int i = 0; i < joined->near.size(); ++i) {
        const GIM_PAIR &pair = joined->near[i];
        if (meet(joined, moved, pair.m_index1, pair.m_index2))
            joined->pairs.push_back({uint32_t(pair.m_index1), uint32_t(pair.m_index2)});
    }
    return double(joined->pairs.size());
}

void list(void *asked, collider_pair *pairs)
{
    const joined_bodies *joined = static_cast<joined_bodies *>(asked);
    std::copy(joined->pairs.begin(), joined->pairs.end(), pairs);
}

const collider engines[] = {
    {"Bullet", "GImpact float", build, drop, nullptr, 0, join, part, nullptr, {ask_all}, list}};
} // namespace

extern "C" const collider_list colliders_bullet = {engines, sizeof engines / sizeof *engines};
