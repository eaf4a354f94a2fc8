// The interval test in interval_test.h, pair by pair. The normal of a is prepared.
#include "interval_test.h"
#include "peer_loop.h"

namespace
{
using interval_test::triangle;
using interval_test::triangle_with_normal;

template <class N> struct meet {
    typedef triangle_with_normal<N> one;
    typedef triangle<N> other;

    static other make_other(corners3 &c)
    {
        triangle<N> t;
        for (int i = 0; i < 3; ++i)
            for (int axis = 0; axis < 3; ++axis)
                t.corner[i].c[axis] = N(c[i][axis]);
        return t;
    }
    static one make_one(corners3 &c)
    {
        one t;
        static_cast<other &>(t) = make_other(c);
        t.normal = interval_test::normal_of<N>(t);
        return t;
    }
    static bool ask(const one &a, const other &b, double) { return interval_test::meet<N>(a, b); }
};

const peer list[] = {
    peer_of<meet<float>>("interval test", "float", 0),
    peer_of<meet<double>>("interval test", "double", 0),
};
} // namespace

extern "C" const peer_list peers_interval = {list, sizeof list / sizeof *list};
