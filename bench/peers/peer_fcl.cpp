// FCL: separating axes, and the distance of two triangles as in PQP. The double forms come compiled
// in the installed library; the float forms are templates that are compiled here.
#include <fcl/narrowphase/detail/primitive_shape_algorithm/triangle_distance.h>
#include <fcl/narrowphase/detail/traversal/collision/intersect.h>

#include "peer_loop.h"

namespace
{
template <class Number> struct triangle {
    fcl::Vector3<Number> corner[3];
};

template <class Number> struct triangles {
    typedef triangle<Number> one;
    typedef triangle<Number> other;
    static one make_one(corners3 &c)
    {
        triangle<Number> t;
        for (int i = 0; i < 3; ++i)
            t.corner[i] = fcl::Vector3<Number>(Number(c[i][0]), Number(c[i][1]), Number(c[i][2]));
        return t;
    }
    static other make_other(corners3 &c) { return make_one(c); }
};

template <class Number> struct meet : triangles<Number> {
    static bool ask(const triangle<Number> &a, const triangle<Number> &b, double)
    {
        return fcl::detail::Intersect<Number>::intersect_Triangle(
            a.corner[0], a.corner[1], a.corner[2], b.corner[0], b.corner[1], b.corner[2]);
    }
};

template <class Number> struct within : triangles<Number> {
    static bool ask(const triangle<Number> &a, const triangle<Number> &b, double tolerance)
    {
        fcl::Vector3<Number> p, q;
        return double(fcl::detail::TriangleDistance<Number>::triDistance(a.corner, b.corner, p,
                                                                         q)) <= tolerance;
    }
};

const peer list[] = {
    peer_of<meet<double>>("FCL axes", "double", 0),
    peer_of<meet<float>>("FCL axes", "float", 0),
    peer_of<within<double>>("FCL distance", "double", 1),
    peer_of<within<float>>("FCL distance", "float", 1),
};
} // namespace

extern "C" const peer_list peers_fcl = {list, sizeof list / sizeof *list};
