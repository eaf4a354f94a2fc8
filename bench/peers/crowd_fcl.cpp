// FCL: its dynamic tree of boxes along the axes finds pairs of objects, trees of oriented boxes
// tell whether they collide. The callback asks for one contact without a point, which ends with the
// first two triangles that meet. See collider_fcl.cpp about trees, float and alignment.
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/math/bv/OBB.h>
#include <fcl/narrowphase/collision.h>

#include <memory>
#include <vector>

#include "crowd.h"

namespace
{
template <class Volume> struct engine {
    typedef typename Volume::S number;
    typedef fcl::BVHModel<Volume> model;
    typedef fcl::CollisionObject<number> body;

    struct many {
        std::vector<std::unique_ptr<body>> bodies;
        fcl::DynamicAABBTreeCollisionManager<number> manager;
        collider_pair *pairs;
        uint64_t room, found;
    };

    static std::shared_ptr<model> build_one(const collider_mesh *mesh)
    {
        std::vector<fcl::Vector3<number>> vertices;
        std::vector<fcl::Triangle> triangles;
        vertices.reserve(mesh->vertex_count);
        triangles.reserve(mesh->triangle_count);
        for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
            const float *v = mesh->vertices[i];
            vertices.emplace_back(number(v[0]), number(v[1]), number(v[2]));
        }
        for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
            const uint32_t *c = mesh->corners[i];
            triangles.emplace_back(c[0], c[1], c[2]);
        }
        std::shared_ptr<model> made = std::make_shared<model>();
        made->beginModel(int(triangles.size()), int(vertices.size()));
        made->addSubModel(vertices, triangles);
        made->endModel();
        return made;
    }

    static void *build(const collider_mesh *meshes, uint32_t count)
    {
        many *m = new many;
        std::vector<body *> all;
        for (uint32_t i = 0; i < count; ++i) {
            m->bodies.emplace_back(new body(build_one(&meshes[i])));
            m->bodies[i]->setUserData(reinterpret_cast<void *>(uintptr_t(i)));
            m->bodies[i]->computeAABB();
            all.push_back(m->bodies[i].get());
        }
        m->manager.registerObjects(all);
        m->manager.setup();
        return m;
    }
    static void drop(void *crowd) { delete static_cast<many *>(crowd); }

    static bool meet(body *a, body *b, void *data)
    {
        many *m = static_cast<many *>(data);
        fcl::CollisionResult<number> result;
        if (fcl::collide(a, b, fcl::CollisionRequest<number>(1, false), result) == 0)
            return false;
        if (m->found < m->room)
            m->pairs[m->found] = {uint32_t(uintptr_t(a->getUserData())),
                                  uint32_t(uintptr_t(b->getUserData()))};
        m->found++;
        return false;
    }
    static uint64_t ask(void *crowd, collider_pair *pairs, uint64_t room)
    {
        many *m = static_cast<many *>(crowd);
        m->pairs = pairs;
        m->room = room;
        m->found = 0;
        m->manager.collide(m, meet);
        return m->found;
    }

    static constexpr crowd all(const char *setting) { return {"FCL", setting, build, drop, ask}; }
};

const crowd engines[] = {
    engine<fcl::OBB<float>>::all("AABB tree and OBB float"),
    engine<fcl::OBB<double>>::all("AABB tree and OBB double"),
};
} // namespace

extern "C" const crowd_list crowds_fcl = {engines, sizeof engines / sizeof *engines};
