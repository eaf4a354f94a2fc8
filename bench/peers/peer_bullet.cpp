// Bullet's triangle tests, in float. The Moeller style is not among them: GIMPACT tests the planes
// and then clips one triangle by the other (btPrimitiveTriangle), or looks for a separating axis
// (GIM_TRIANGLE). Both make contact points, which is their purpose. Margins are 0. As in its own
// mesh collider, the plane of b is made for each pair; that of a is made beforehand. For distances
// Bullet has GJK.
#include <BulletCollision/CollisionShapes/btTriangleShape.h>
#include <BulletCollision/Gimpact/btTriangleShapeEx.h>
#include <BulletCollision/Gimpact/gim_tri_collision.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>

#include "peer_loop.h"

namespace
{
btVector3 point(const double c[3])
{
    return btVector3(btScalar(c[0]), btScalar(c[1]), btScalar(c[2]));
}

template <class Triangle> struct triangles {
    typedef Triangle one;
    typedef Triangle other;
    static other make_other(corners3 &c)
    {
        Triangle t;
        t.m_margin = 0;
        for (int i = 0; i < 3; ++i)
            t.m_vertices[i] = point(c[i]);
        return t;
    }
};

struct clip : triangles<btPrimitiveTriangle> {
    static one make_one(corners3 &c)
    {
        btPrimitiveTriangle t = make_other(c);
        t.buildTriPlane();
        return t;
    }
    static bool ask(one &a, other &b, double)
    {
        b.buildTriPlane();
        if (!a.overlap_test_conservative(b))
            return false;
        GIM_TRIANGLE_CONTACT contact;
        return a.find_triangle_collision_clip_method(b, contact);
    }
};

struct axes : triangles<GIM_TRIANGLE> {
    static one make_one(corners3 &c) { return make_other(c); }
    static bool ask(const one &a, const other &b, double)
    {
        GIM_TRIANGLE_CONTACT_DATA contact;
        return a.collide_triangle_hard_test(b, contact);
    }
};

// Without a solver for penetration, GJK gives no result for triangles that meet.
struct gjk {
    typedef btTriangleShape one;
    typedef btTriangleShape other;
    static other make_other(corners3 &c)
    {
        btTriangleShape t(point(c[0]), point(c[1]), point(c[2]));
        t.setMargin(0);
        return t;
    }
    static one make_one(corners3 &c) { return make_other(c); }
    static bool ask(const one &a, const other &b, double tolerance)
    {
        btVoronoiSimplexSolver simplex;
        btGjkPairDetector detector(&a, &b, &simplex, nullptr);
        btGjkPairDetector::ClosestPointInput input;
        input.m_transformA.setIdentity();
        input.m_transformB.setIdentity();
        btPointCollector result;
        detector.getClosestPoints(input, result, nullptr);
        return !result.m_hasResult || result.m_distance <= btScalar(tolerance);
    }
};

const peer list[] = {
    peer_of<clip>("Bullet clipping", "float", 0),
    peer_of<axes>("Bullet axes", "float", 0),
    peer_of<gjk>("Bullet GJK", "float", 1),
};
} // namespace

extern "C" const peer_list peers_bullet = {list, sizeof list / sizeof *list};
