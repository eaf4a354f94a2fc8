// CGAL's triangles, with three kernels: exact predicates on doubles, plain double, plain float.
// CGAL asks for triangles with area. Its squared distance is constructed, and so rounded, also with
// the exact predicates.
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Simple_cartesian.h>
#include <CGAL/squared_distance_3.h>

#include "peer_loop.h"

namespace
{
template <class Kernel> struct triangles {
    typedef typename Kernel::Triangle_3 one;
    typedef typename Kernel::Triangle_3 other;
    typedef typename Kernel::FT number;

    static one make_one(corners3 &c)
    {
        typename Kernel::Point_3 p[3];
        for (int i = 0; i < 3; ++i)
            p[i] = typename Kernel::Point_3(number(c[i][0]), number(c[i][1]), number(c[i][2]));
        return one(p[0], p[1], p[2]);
    }
    static other make_other(corners3 &c) { return make_one(c); }
};

template <class Kernel> struct meet : triangles<Kernel> {
    typedef typename Kernel::Triangle_3 triangle;
    static bool ask(const triangle &a, const triangle &b, double)
    {
        return CGAL::do_intersect(a, b);
    }
};

template <class Kernel> struct within : triangles<Kernel> {
    typedef typename Kernel::Triangle_3 triangle;
    static bool ask(const triangle &a, const triangle &b, double tolerance)
    {
        return CGAL::to_double(CGAL::squared_distance(a, b)) <= tolerance * tolerance;
    }
};

typedef CGAL::Exact_predicates_inexact_constructions_kernel epick;
typedef CGAL::Simple_cartesian<double> plain_double;
typedef CGAL::Simple_cartesian<float> plain_float;

const peer list[] = {
    peer_of<meet<epick>>("CGAL exact predicates", "double", 0),
    peer_of<meet<plain_double>>("CGAL plain", "double", 0),
    peer_of<meet<plain_float>>("CGAL plain", "float", 0),
    peer_of<within<epick>>("CGAL exact predicates", "double", 1),
    peer_of<within<plain_double>>("CGAL plain", "double", 1),
    peer_of<within<plain_float>>("CGAL plain", "float", 1),
};
} // namespace

extern "C" const peer_list peers_cgal = {list, sizeof list / sizeof *list};
