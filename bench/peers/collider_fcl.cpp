// FCL: trees of oriented boxes for contacts, of swept rectangles for distances.
//
// Of its volumes these are the fastest here; those along the axes (AABB, kDOP) have the whole model
// copied and its tree made anew for every query. Contacts are asked for without points and normals,
// which leaves a test of yes or no for two triangles. The double forms come compiled in the
// installed library; the float forms are templates that are compiled here, for this machine.
// Eigen's types must have the alignment they have in the library: see peers.cmake.
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/math/bv/OBB.h>
#include <fcl/math/bv/RSS.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include "collider.h"

namespace
{
template <class Volume> struct engine {
    typedef typename Volume::S number;
    typedef fcl::BVHModel<Volume> model;

    struct joined_models {
        const model *a, *b;
        fcl::CollisionResult<number> contacts;
    };

    static void *build(const collider_mesh *mesh)
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
        model *made = new model;
        made->beginModel(int(triangles.size()), int(vertices.size()));
        made->addSubModel(vertices, triangles);
        made->endModel();
        return made;
    }
    static void drop(void *object) { delete static_cast<model *>(object); }

    static void *join(void *a, void *b)
    {
        return new joined_models{static_cast<model *>(a), static_cast<model *>(b), {}};
    }
    static void part(void *joined) { delete static_cast<joined_models *>(joined); }

    static fcl::Transform3<number> transform(const collider_pose *pose)
    {
        fcl::Transform3<number> t = fcl::Transform3<number>::Identity();
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j)
                t.linear()(i, j) = number(pose->rotation[3 * i + j]);
            t.translation()[i] = number(pose->translation[i]);
        }
        return t;
    }

    static double collide(void *asked, const collider_pose *pose, size_t most)
    {
        joined_models *joined = static_cast<joined_models *>(asked);
        joined->contacts.clear();
        return double(fcl::collide(joined->a, fcl::Transform3<number>::Identity(), joined->b,
                                   transform(pose), fcl::CollisionRequest<number>(most, false),
                                   joined->contacts));
    }
    static double ask_all(void *joined, const collider_pose *pose, double)
    {
        return collide(joined, pose, SIZE_MAX);
    }
    static double ask_first(void *joined, const collider_pose *pose, double)
    {
        return collide(joined, pose, 1);
    }
    static double ask_distance(void *asked, const collider_pose *pose, double)
    {
        joined_models *joined = static_cast<joined_models *>(asked);
        fcl::DistanceResult<number> result;
        fcl::distance(joined->a, fcl::Transform3<number>::Identity(), joined->b, transform(pose),
                      fcl::DistanceRequest<number>(false), result);
        return double(result.min_distance);
    }
    static void list(void *asked, collider_pair *pairs)
    {
        joined_models *joined = static_cast<joined_models *>(asked);
        for (size_t i = 0; i < joined->contacts.numContacts(); ++i) {
            const fcl::Contact<number> &contact = joined->contacts.getContact(i);
            pairs[i] = {uint32_t(contact.b1), uint32_t(contact.b2)};
        }
    }

    static constexpr collider contacts(const char *setting)
    {
        return {"FCL", setting, build, drop,    nullptr,
                0,     join,    part,  nullptr, {ask_all, ask_first, nullptr, nullptr},
                list};
    }
    static constexpr collider distances(const char *setting)
    {
        return {"FCL", setting, build, drop,    nullptr,
                0,     join,    part,  nullptr, {nullptr, nullptr, ask_distance, nullptr},
                list};
    }
};

const collider engines[] = {
    engine<fcl::OBB<float>>::contacts("OBB float"),
    engine<fcl::OBB<double>>::contacts("OBB double"),
    engine<fcl::RSS<float>>::distances("RSS float"),
    engine<fcl::RSS<double>>::distances("RSS double"),
};
} // namespace

extern "C" const collider_list colliders_fcl = {engines, sizeof engines / sizeof *engines};
