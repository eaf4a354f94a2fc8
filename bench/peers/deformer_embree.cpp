// Embree's rtcCollide for meshes that deform: trees over user geometry, built anew for each frame
// by Morton codes, its fastest way, or fitted again while the triangles stay the same. What it
// finds near is tested by the interval test in float. Either all objects are one scene that
// collides with itself, in which neighbours within an object are found as well and passed over; or
// each object is a scene, and those with overlapping boxes collide. Which one is faster depends on
// the frame.
#include <embree3/rtcore.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "deformer.h"
#include "interval_test.h"
#include "near_boxes.h"

namespace
{
enum { REFIT = 1, EACH = 2 };

typedef interval_test::triangle<float> triangle;

void bound(const RTCBoundsFunctionArguments *arguments)
{
    const collider_mesh *mesh = static_cast<const collider_mesh *>(arguments->geometryUserPtr);
    const uint32_t *c = mesh->corners[arguments->primID];
    const float *p = mesh->vertices[c[0]], *q = mesh->vertices[c[1]], *r = mesh->vertices[c[2]];
    RTCBounds *out = arguments->bounds_o;
    out->lower_x = std::min({p[0], q[0], r[0]});
    out->lower_y = std::min({p[1], q[1], r[1]});
    out->lower_z = std::min({p[2], q[2], r[2]});
    out->upper_x = std::max({p[0], q[0], r[0]});
    out->upper_y = std::max({p[1], q[1], r[1]});
    out->upper_z = std::max({p[2], q[2], r[2]});
}

triangle triangle_of(const collider_mesh &mesh, uint32_t number)
{
    triangle t;
    for (int c = 0; c < 3; ++c)
        std::copy_n(mesh.vertices[mesh.corners[number][c]], 3, t.corner[c].c);
    return t;
}

struct engine {
    uint32_t choice;
    bool self = false, same = false;
    RTCDevice device = rtcNewDevice("threads=1,set_affinity=0");
    std::vector<collider_mesh> meshes;
    std::vector<RTCGeometry> geometries;
    std::vector<RTCScene> scenes;
    std::vector<near_box> boxes;
    std::vector<deform_pair> pairs;
    uint32_t asked[2] = {0, 0}; // objects, where each is a scene

    ~engine()
    {
        forget();
        rtcReleaseDevice(device);
    }
    void forget()
    {
        for (RTCScene scene : scenes)
            rtcReleaseScene(scene);
        for (RTCGeometry geometry : geometries)
            rtcReleaseGeometry(geometry);
        scenes.clear();
        geometries.clear();
    }
    void add_scene()
    {
        RTCScene scene = rtcNewScene(device);
        rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_LOW);
        rtcSetSceneFlags(scene, RTC_SCENE_FLAG_DYNAMIC);
        scenes.push_back(scene);
    }
    void add_geometry(collider_mesh *mesh)
    {
        RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryUserPrimitiveCount(geometry, mesh->triangle_count);
        rtcSetGeometryUserData(geometry, mesh);
        rtcSetGeometryBoundsFunction(geometry, bound, nullptr);
        rtcSetGeometryBuildQuality(geometry, choice & REFIT ? RTC_BUILD_QUALITY_REFIT
                                                            : RTC_BUILD_QUALITY_LOW);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scenes.back(), geometry);
        geometries.push_back(geometry);
    }
    void build()
    {
        if (same && !geometries.empty()) {
            for (RTCGeometry geometry : geometries) {
                rtcUpdateGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0);
                rtcCommitGeometry(geometry);
            }
        } else {
            forget();
            for (collider_mesh &mesh : meshes) {
                if (scenes.empty() || choice & EACH)
                    add_scene();
                add_geometry(&mesh);
            }
        }
        for (RTCScene scene : scenes)
            rtcCommitScene(scene);
    }

    void test(deform_pair p)
    {
        const collider_mesh &one = meshes[p.object_a], &other = meshes[p.object_b];
        if (p.object_a == p.object_b && deform_neighbours(&one, p.a, p.b))
            return;
        interval_test::triangle_with_normal<float> a;
        static_cast<triangle &>(a) = triangle_of(one, p.a);
        a.normal = interval_test::normal_of<float>(a);
        if (interval_test::meet<float>(a, triangle_of(other, p.b)))
            pairs.push_back(p);
    }
    // The scene meets itself, so each two come both ways round.
    static void test_of_all(void *user, RTCCollision *near, unsigned count)
    {
        engine *e = static_cast<engine *>(user);
        for (unsigned i = 0; i < count; ++i) {
            const RTCCollision &c = near[i];
            if (c.geomID0 < c.geomID1 ||
                (e->self && c.geomID0 == c.geomID1 && c.primID0 < c.primID1))
                e->test({c.geomID0, c.geomID1, c.primID0, c.primID1});
        }
    }
    static void test_of_two(void *user, RTCCollision *near, unsigned count)
    {
        engine *e = static_cast<engine *>(user);
        for (unsigned i = 0; i < count; ++i)
            if (e->asked[0] != e->asked[1] || near[i].primID0 < near[i].primID1)
                e->test({e->asked[0], e->asked[1], near[i].primID0, near[i].primID1});
    }
    static void ask_two(void *user, uint32_t a, uint32_t b)
    {
        engine *e = static_cast<engine *>(user);
        e->asked[0] = a;
        e->asked[1] = b;
        rtcCollide(e->scenes[a], e->scenes[b], test_of_two, e);
    }
    double ask()
    {
        pairs.clear();
        build();
        if (!(choice & EACH)) {
            rtcCollide(scenes[0], scenes[0], test_of_all, this);
            return double(pairs.size());
        }
        boxes.clear();
        for (uint32_t i = 0; i < meshes.size(); ++i)
            boxes.push_back(near_box_of(&meshes[i], i));
        near_boxes_each(boxes.data(), uint32_t(boxes.size()), ask_two, this);
        for (uint32_t i = 0; i < meshes.size() && self; ++i)
            ask_two(this, i, i);
        return double(pairs.size());
    }
};

void *open(const deformer *of, uint32_t)
{
    engine *e = new engine;
    e->choice = of->choice;
    return e;
}
void close(void *opened) { delete static_cast<engine *>(opened); }
// The list of meshes stays in its place while the triangles stay, since geometries know them by
// their addresses.
void take(void *opened, const deform_frame *frame)
{
    engine *e = static_cast<engine *>(opened);
    e->self = frame->self;
    e->same = frame->same_triangles && e->meshes.size() == frame->object_count;
    if (!e->same) {
        e->forget();
        e->meshes.resize(frame->object_count);
    }
    std::copy_n(frame->objects, frame->object_count, e->meshes.begin());
}
double ask(void *opened) { return static_cast<engine *>(opened)->ask(); }
void list(void *opened, deform_pair *pairs)
{
    const engine *e = static_cast<engine *>(opened);
    std::copy(e->pairs.begin(), e->pairs.end(), pairs);
}

constexpr deformer with(const char *setting, uint32_t choice)
{
    return {"Embree", setting, 1, choice, 0, open, close, take, ask, list, nullptr};
}

const deformer engines[] = {
    with("rebuilt as one", 0),
    with("rebuilt each", EACH),
    with("refitted as one", REFIT),
    with("refitted each", REFIT | EACH),
};
} // namespace

extern "C" const deformer_list deformers_embree = {engines, sizeof engines / sizeof *engines};
