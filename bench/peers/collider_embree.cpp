// Embree's rtcCollide: two trees over user geometry give pairs of triangles whose boxes are near,
// and the caller tests them; here with the interval test in float, inlined. It has no poses: for
// each of them the vertices of B are moved, and its tree is fitted to them again. One entrant
// counts this, the other leaves it out. The search cannot be stopped at a first contact.
#include <embree3/rtcore.h>

#include <atomic>
#include <vector>

#include "collider.h"
#include "interval_test.h"

namespace
{
typedef interval_test::vector<float> point;

// One device for each, so that its memory is known.
struct body {
    const collider_mesh *mesh;
    std::vector<point> points;
    RTCDevice device = nullptr;
    RTCScene scene = nullptr;
    RTCGeometry geometry = nullptr;
    std::atomic<int64_t> bytes{0};

    static bool count_bytes(void *user, ssize_t bytes, bool)
    {
        static_cast<body *>(user)->bytes += bytes;
        return true;
    }

    static void bound(const RTCBoundsFunctionArguments *arguments)
    {
        const body *b = static_cast<const body *>(arguments->geometryUserPtr);
        const uint32_t *c = b->mesh->corners[arguments->primID];
        const float *p = b->points[c[0]].c, *q = b->points[c[1]].c, *r = b->points[c[2]].c;
        RTCBounds *out = arguments->bounds_o;
        out->lower_x = std::min({p[0], q[0], r[0]});
        out->lower_y = std::min({p[1], q[1], r[1]});
        out->lower_z = std::min({p[2], q[2], r[2]});
        out->upper_x = std::max({p[0], q[0], r[0]});
        out->upper_y = std::max({p[1], q[1], r[1]});
        out->upper_z = std::max({p[2], q[2], r[2]});
    }

    body(const collider_mesh *mesh, bool moves) : mesh(mesh)
    {
        points.resize(mesh->vertex_count);
        for (uint32_t i = 0; i < mesh->vertex_count; ++i)
            std::copy_n(mesh->vertices[i], 3, points[i].c);
        device = rtcNewDevice("threads=1,set_affinity=0");
        rtcSetDeviceMemoryMonitorFunction(device, count_bytes, this);
        scene = rtcNewScene(device);
        if (moves)
            rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_LOW);
        rtcSetSceneFlags(scene, moves ? RTC_SCENE_FLAG_DYNAMIC : RTC_SCENE_FLAG_NONE);
        geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryUserPrimitiveCount(geometry, mesh->triangle_count);
        rtcSetGeometryUserData(geometry, this);
        rtcSetGeometryBoundsFunction(geometry, bound, nullptr);
        rtcSetGeometryBuildQuality(geometry,
                                   moves ? RTC_BUILD_QUALITY_REFIT : RTC_BUILD_QUALITY_MEDIUM);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene, geometry);
        rtcCommitScene(scene);
    }
    ~body()
    {
        rtcReleaseGeometry(geometry);
        rtcReleaseScene(scene);
        rtcReleaseDevice(device);
    }

    void move(const collider_pose *pose)
    {
        float r[9], t[3];
        std::copy_n(pose->rotation, 9, r);
        std::copy_n(pose->translation, 3, t);
        for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
            const float *v = mesh->vertices[i];
            for (int axis = 0; axis < 3; ++axis)
                points[i].c[axis] =
                    r[3 * axis] * v[0] + r[3 * axis + 1] * v[1] + r[3 * axis + 2] * v[2] + t[axis];
        }
        rtcUpdateGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0);
        rtcCommitGeometry(geometry);
        rtcCommitScene(scene);
    }

    interval_test::triangle<float> triangle(uint32_t number) const
    {
        const uint32_t *c = mesh->corners[number];
        return {{points[c[0]], points[c[1]], points[c[2]]}};
    }
};

struct joined_bodies {
    const body *a;
    body b; // in the pose
    std::vector<collider_pair> pairs;

    static void test(void *user, RTCCollision *near, unsigned count)
    {
        joined_bodies *joined = static_cast<joined_bodies *>(user);
        for (unsigned i = 0; i < count; ++i) {
            interval_test::triangle_with_normal<float> a;
            static_cast<interval_test::triangle<float> &>(a) = joined->a->triangle(near[i].primID0);
            a.normal = interval_test::normal_of<float>(a);
            if (interval_test::meet<float>(a, joined->b.triangle(near[i].primID1)))
                joined->pairs.push_back({near[i].primID0, near[i].primID1});
        }
    }
};

void *build(const collider_mesh *mesh) { return new body(mesh, false); }
void drop(void *object) { delete static_cast<body *>(object); }
uint64_t bytes(void *object, uint64_t)
{
    const body *b = static_cast<body *>(object);
    return b->points.size() * sizeof(point) + uint64_t(b->bytes);
}

void *join(void *a, void *b)
{
    return new joined_bodies{static_cast<body *>(a), {static_cast<body *>(b)->mesh, true}, {}};
}
void part(void *joined) { delete static_cast<joined_bodies *>(joined); }

void place(void *joined, const collider_pose *pose)
{
    static_cast<joined_bodies *>(joined)->b.move(pose);
}

double ask_all(void *asked, const collider_pose *, double)
{
    joined_bodies *joined = static_cast<joined_bodies *>(asked);
    joined->pairs.clear();
    rtcCollide(joined->a->scene, joined->b.scene, joined_bodies::test, joined);
    return double(joined->pairs.size());
}
double ask_all_moving(void *joined, const collider_pose *pose, double)
{
    place(joined, pose);
    return ask_all(joined, pose, 0);
}

void list(void *asked, collider_pair *pairs)
{
    const joined_bodies *joined = static_cast<joined_bodies *>(asked);
    std::copy(joined->pairs.begin(), joined->pairs.end(), pairs);
}

const collider engines[] = {
    {"Embree", "collide alone", build, drop, bytes, 1, join, part, place, {ask_all}, list},
    {"Embree", "with refit", build, drop, bytes, 1, join, part, nullptr, {ask_all_moving}, list},
};
} // namespace

extern "C" const collider_list colliders_embree = {engines, sizeof engines / sizeof *engines};
