// FCL for meshes that deform: its dynamic tree of boxes along the axes finds pairs of objects,
// trees of their triangles are built anew for each frame or fitted again while the triangles stay
// the same. fcl::collide copies models with boxes along the axes for each question, so those are
// walked by FCL's own walk without this detour, which may stay as nothing is posed; and they are
// built in less time than oriented boxes. See collider_fcl.cpp about float and alignment.
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/math/bv/OBB.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/detail/traversal/collision/mesh_collision_traversal_node.h>
#include <fcl/narrowphase/detail/traversal/collision_node.h>

#include <memory>
#include <vector>

#include "deformer.h"

namespace
{
enum { REFIT = 1 };

// Pairs within a mesh come both ways round, with those of neighbours.
template <class Base> struct filtered : Base {
    const collider_mesh *within = nullptr;
    void leafTesting(int b1, int b2) const override
    {
        if (within != nullptr) {
            uint32_t a = uint32_t(this->model1->getBV(b1).primitiveId());
            uint32_t b = uint32_t(this->model2->getBV(b2).primitiveId());
            if (a >= b || deform_neighbours(within, a, b))
                return;
        }
        Base::leafTesting(b1, b2);
    }
};

typedef fcl::detail::MeshCollisionTraversalNode<fcl::AABB<float>> walk_of_axes;
typedef fcl::detail::MeshCollisionTraversalNodeOBB<float> walk_of_oriented;

template <class Volume, class Walk> struct engine {
    typedef fcl::BVHModel<Volume> model;
    typedef fcl::CollisionObject<float> body;

    struct object {
        collider_mesh mesh;
        std::vector<fcl::Vector3<float>> vertices;
        std::vector<fcl::Triangle> triangles;
        std::shared_ptr<model> tree;
        std::unique_ptr<body> placed;
    };

    bool refit, self = false;
    std::vector<object> objects;
    std::vector<deform_pair> pairs;

    static void build(object &o, uint32_t number, bool refit)
    {
        if (refit && o.tree) {
            o.tree->beginReplaceModel();
            o.tree->replaceSubModel(o.vertices);
            o.tree->endReplaceModel(true, true);
        } else {
            o.tree = std::make_shared<model>();
            o.tree->beginModel(int(o.triangles.size()), int(o.vertices.size()));
            o.tree->addSubModel(o.vertices, o.triangles);
            o.tree->endModel();
        }
        o.placed.reset(new body(o.tree));
        o.placed->setUserData(reinterpret_cast<void *>(uintptr_t(number)));
        o.placed->computeAABB();
    }

    void ask_two(uint32_t a, uint32_t b)
    {
        fcl::CollisionRequest<float> request(SIZE_MAX, false);
        fcl::CollisionResult<float> result;
        fcl::Transform3<float> here = fcl::Transform3<float>::Identity(), there = here;
        filtered<Walk> walk;
        fcl::detail::initialize(static_cast<Walk &>(walk), *objects[a].tree, here, *objects[b].tree,
                                there, request, result);
        if (a == b)
            walk.within = &objects[a].mesh;
        fcl::detail::collide(&walk);
        for (size_t i = 0; i < result.numContacts(); ++i) {
            const fcl::Contact<float> &contact = result.getContact(i);
            pairs.push_back({a, b, uint32_t(contact.b1), uint32_t(contact.b2)});
        }
    }
    static bool near(body *one, body *other, void *data)
    {
        engine *e = static_cast<engine *>(data);
        uint32_t a = uint32_t(uintptr_t(one->getUserData()));
        uint32_t b = uint32_t(uintptr_t(other->getUserData()));
        e->ask_two(std::min(a, b), std::max(a, b));
        return false;
    }
    double ask_all()
    {
        pairs.clear();
        std::vector<body *> bodies;
        for (uint32_t i = 0; i < objects.size(); ++i) {
            build(objects[i], i, refit);
            bodies.push_back(objects[i].placed.get());
        }
        fcl::DynamicAABBTreeCollisionManager<float> manager;
        manager.registerObjects(bodies);
        manager.setup();
        manager.collide(this, near);
        for (uint32_t i = 0; i < objects.size() && self; ++i)
            ask_two(i, i);
        return double(pairs.size());
    }

    static void *open(const deformer *of, uint32_t)
    {
        engine *e = new engine;
        e->refit = of->choice & REFIT;
        return e;
    }
    static void close(void *opened) { delete static_cast<engine *>(opened); }
    static void take(void *opened, const deform_frame *frame)
    {
        engine *e = static_cast<engine *>(opened);
        bool same = frame->same_triangles && e->objects.size() == frame->object_count;
        e->self = frame->self;
        e->objects.resize(frame->object_count);
        for (uint32_t k = 0; k < frame->object_count; ++k) {
            object &o = e->objects[k];
            o.mesh = frame->objects[k];
            if (!same)
                o.tree.reset();
            o.vertices.clear();
            for (uint32_t i = 0; i < o.mesh.vertex_count; ++i)
                o.vertices.emplace_back(o.mesh.vertices[i][0], o.mesh.vertices[i][1],
                                        o.mesh.vertices[i][2]);
            o.triangles.clear();
            for (uint32_t i = 0; i < o.mesh.triangle_count; ++i)
                o.triangles.emplace_back(o.mesh.corners[i][0], o.mesh.corners[i][1],
                                         o.mesh.corners[i][2]);
        }
    }
    static double ask(void *opened) { return static_cast<engine *>(opened)->ask_all(); }
    static void list(void *opened, deform_pair *pairs)
    {
        const engine *e = static_cast<engine *>(opened);
        std::copy(e->pairs.begin(), e->pairs.end(), pairs);
    }
    static constexpr deformer with(const char *setting, uint32_t choice)
    {
        return {"FCL", setting, 1, choice, 0, open, close, take, ask, list, nullptr};
    }
};

const deformer engines[] = {
    engine<fcl::AABB<float>, walk_of_axes>::with("AABB rebuilt", 0),
    engine<fcl::AABB<float>, walk_of_axes>::with("AABB refitted", REFIT),
    engine<fcl::OBB<float>, walk_of_oriented>::with("OBB rebuilt", 0),
};
} // namespace

extern "C" const deformer_list deformers_fcl = {engines, sizeof engines / sizeof *engines};
