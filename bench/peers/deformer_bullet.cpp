// Bullet's GImpact for meshes that deform: its trees of quantised boxes, built anew for each frame;
// its search for overlapping boxes, and its test of two triangles by axes. Objects with overlapping
// boxes are asked. See collider_bullet.cpp about the test, margins, and why meshes are enlarged:
// here when a frame is taken, outside of the clock. Trees can be fitted again in a third of the
// time, but keep the quantisation that they were built with, and miss what moves beyond it: of the
// first scene three quarters of all pairs.
#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <BulletCollision/Gimpact/gim_tri_collision.h>

#include <memory>
#include <vector>

#include "deformer.h"
#include "near_boxes.h"

namespace
{
const float enlarged = 1024;

struct body {
    collider_mesh mesh;
    std::vector<float> points;
    std::vector<uint32_t> corners;
    std::unique_ptr<btTriangleIndexVertexArray> arrays;
    std::unique_ptr<btGImpactMeshShapePart> shape;

    ~body() { forget(); }
    void forget()
    {
        if (shape)
            shape->unlockChildShapes();
        shape.reset();
        arrays.reset();
    }
    void take(const collider_mesh &taken, bool same)
    {
        if (!same)
            forget();
        mesh = taken;
        if (!same)
            corners.assign(mesh.corners[0], mesh.corners[0] + 3 * size_t(mesh.triangle_count));
        points.resize(3 * size_t(mesh.vertex_count));
        for (size_t i = 0; i < points.size(); ++i)
            points[i] = enlarged * mesh.vertices[0][i];
    }
    void build()
    {
        if (shape) {
            const_cast<btGImpactBoxSet *>(shape->getBoxSet())->buildSet();
            return;
        }
        arrays.reset(new btTriangleIndexVertexArray(int(mesh.triangle_count), (int *)corners.data(),
                                                    3 * sizeof(int), int(mesh.vertex_count),
                                                    points.data(), 3 * sizeof(float)));
        shape.reset(new btGImpactMeshShapePart(arrays.get(), 0));
        shape->setMargin(0);
        shape->updateBound();
        shape->lockChildShapes();
    }
};

struct engine {
    bool self = false;
    std::vector<std::unique_ptr<body>> bodies;
    std::vector<near_box> boxes;
    btPairSet near;
    std::vector<deform_pair> pairs;

    static GIM_TRIANGLE triangle(const body &of, int number)
    {
        btPrimitiveTriangle t;
        of.shape->getPrimitiveTriangle(number, t);
        GIM_TRIANGLE out;
        out.m_margin = 0;
        for (int c = 0; c < 3; ++c)
            out.m_vertices[c] = t.m_vertices[c];
        return out;
    }
    static void ask_two(void *user, uint32_t a, uint32_t b)
    {
        engine *e = static_cast<engine *>(user);
        const body &one = *e->bodies[a], &other = *e->bodies[b];
        const btTransform here = btTransform::getIdentity();
        e->near.clear();
        btGImpactBoxSet::find_collision(one.shape->getBoxSet(), here, other.shape->getBoxSet(),
                                        here, e->near);
        for (int i = 0; i < e->near.size(); ++i) {
            uint32_t p = uint32_t(e->near[i].m_index1), q = uint32_t(e->near[i].m_index2);
            if (a == b && (p >= q || deform_neighbours(&one.mesh, p, q)))
                continue;
            GIM_TRIANGLE_CONTACT_DATA contact;
            if (triangle(one, int(p)).collide_triangle_hard_test(triangle(other, int(q)), contact))
                e->pairs.push_back({a, b, p, q});
        }
    }
    double ask()
    {
        pairs.clear();
        boxes.clear();
        for (uint32_t i = 0; i < bodies.size(); ++i) {
            bodies[i]->build();
            boxes.push_back(near_box_of(&bodies[i]->mesh, i));
        }
        near_boxes_each(boxes.data(), uint32_t(boxes.size()), ask_two, this);
        for (uint32_t i = 0; i < bodies.size() && self; ++i)
            ask_two(this, i, i);
        return double(pairs.size());
    }
};

void *open(const deformer *, uint32_t) { return new engine; }
void close(void *opened) { delete static_cast<engine *>(opened); }
void take(void *opened, const deform_frame *frame)
{
    engine *e = static_cast<engine *>(opened);
    bool same = frame->same_triangles && e->bodies.size() == frame->object_count;
    e->self = frame->self;
    e->bodies.resize(frame->object_count);
    for (uint32_t i = 0; i < frame->object_count; ++i) {
        if (!e->bodies[i])
            e->bodies[i].reset(new body);
        e->bodies[i]->take(frame->objects[i], same);
    }
}
double ask(void *opened) { return static_cast<engine *>(opened)->ask(); }
void list(void *opened, deform_pair *pairs)
{
    const engine *e = static_cast<engine *>(opened);
    std::copy(e->pairs.begin(), e->pairs.end(), pairs);
}

const deformer engines[] = {
    {"Bullet", "GImpact rebuilt", 1, 0, 0, open, close, take, ask, list, nullptr},
};
} // namespace

extern "C" const deformer_list deformers_bullet = {engines, sizeof engines / sizeof *engines};
