// The interval test after Tomas Moeller, "A fast triangle-triangle intersection test" (1997),
// written anew so that it is compiled and inlined with everything this machine has: what a program
// gets that brings its own test. No tolerances.
//
// Each triangle is held against the plane of the other. If both are cut, the planes share a line,
// on which each triangle has an interval; they meet if the intervals do. In one plane, they meet if
// edges cross or a corner of one is in the other.
#ifndef GRAZE_BENCH_INTERVAL_TEST_H
#define GRAZE_BENCH_INTERVAL_TEST_H

#include <algorithm>
#include <cmath>

namespace interval_test
{
template <class N> struct vector {
    N c[3];
    vector operator-(const vector &o) const
    {
        return {{c[0] - o.c[0], c[1] - o.c[1], c[2] - o.c[2]}};
    }
    vector cross(const vector &o) const
    {
        return {{c[1] * o.c[2] - c[2] * o.c[1], c[2] * o.c[0] - c[0] * o.c[2],
                 c[0] * o.c[1] - c[1] * o.c[0]}};
    }
    N dot(const vector &o) const { return c[0] * o.c[0] + c[1] * o.c[1] + c[2] * o.c[2]; }
    int longest_axis() const
    {
        N x = std::fabs(c[0]), y = std::fabs(c[1]), z = std::fabs(c[2]);
        return x > y ? (x > z ? 0 : 2) : (y > z ? 1 : 2);
    }
};

template <class N> struct triangle {
    vector<N> corner[3];
};
template <class N> struct triangle_with_normal : triangle<N> {
    vector<N> normal;
};

template <class N> bool one_side(const N h[3])
{
    return (h[0] > 0 && h[1] > 0 && h[2] > 0) || (h[0] < 0 && h[1] < 0 && h[2] < 0);
}

// Where the plane cuts the triangle, as seen along one axis. h: heights of the corners over it.
template <class N> void find_interval(const triangle<N> &t, const N h[3], int axis, N interval[2])
{
    int lone; // the corner that has one side for itself
    if (h[0] * h[1] > 0)
        lone = 2;
    else if (h[0] * h[2] > 0)
        lone = 1;
    else if (h[1] * h[2] > 0 || h[0] != 0)
        lone = 0;
    else
        lone = h[1] != 0 ? 1 : 2;
    N p = t.corner[lone].c[axis];
    for (int i = 0; i < 2; ++i) {
        int other = (lone + 1 + i) % 3;
        interval[i] = p + (t.corner[other].c[axis] - p) * (h[lone] / (h[lone] - h[other]));
    }
    if (interval[0] > interval[1])
        std::swap(interval[0], interval[1]);
}

template <class N> N turn(const N a[2], const N b[2], const N c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

template <class N> bool on_segment(const N a[2], const N b[2], const N p[2])
{
    return std::min(a[0], b[0]) <= p[0] && p[0] <= std::max(a[0], b[0]) &&
           std::min(a[1], b[1]) <= p[1] && p[1] <= std::max(a[1], b[1]);
}

template <class N> bool segments_meet(const N a[2], const N b[2], const N c[2], const N d[2])
{
    N abc = turn(a, b, c), abd = turn(a, b, d), cda = turn(c, d, a), cdb = turn(c, d, b);
    if (((abc > 0 && abd < 0) || (abc < 0 && abd > 0)) &&
        ((cda > 0 && cdb < 0) || (cda < 0 && cdb > 0)))
        return true;
    return (abc == 0 && on_segment(a, b, c)) || (abd == 0 && on_segment(a, b, d)) ||
           (cda == 0 && on_segment(c, d, a)) || (cdb == 0 && on_segment(c, d, b));
}

template <class N> bool holds(const N t[3][2], const N p[2])
{
    N h[3] = {turn(t[0], t[1], p), turn(t[1], t[2], p), turn(t[2], t[0], p)};
    return one_side(h);
}

template <class N> bool meet_in_plane(const triangle<N> &a, const triangle<N> &b, int dropped)
{
    N flat[2][3][2];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 2; ++k) {
            flat[0][i][k] = a.corner[i].c[(dropped + 1 + k) % 3];
            flat[1][i][k] = b.corner[i].c[(dropped + 1 + k) % 3];
        }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (segments_meet(flat[0][i], flat[0][(i + 1) % 3], flat[1][j], flat[1][(j + 1) % 3]))
                return true;
    return holds(flat[0], flat[1][0]) || holds(flat[1], flat[0][0]);
}

template <class N> vector<N> normal_of(const triangle<N> &t)
{
    return (t.corner[1] - t.corner[0]).cross(t.corner[2] - t.corner[0]);
}

template <class N> bool meet(const triangle_with_normal<N> &a, const triangle<N> &b)
{
    N hb[3], ha[3];
    for (int i = 0; i < 3; ++i)
        hb[i] = a.normal.dot(b.corner[i] - a.corner[0]);
    if (one_side(hb))
        return false;
    if (hb[0] == 0 && hb[1] == 0 && hb[2] == 0)
        return meet_in_plane<N>(a, b, a.normal.longest_axis());
    vector<N> normal = normal_of(b);
    for (int i = 0; i < 3; ++i)
        ha[i] = normal.dot(a.corner[i] - b.corner[0]);
    if (one_side(ha))
        return false;
    if (ha[0] == 0 && ha[1] == 0 && ha[2] == 0)
        return meet_in_plane<N>(a, b, normal.longest_axis());
    int axis = a.normal.cross(normal).longest_axis();
    N ia[2], ib[2];
    find_interval<N>(a, ha, axis, ia);
    find_interval<N>(b, hb, axis, ib);
    return ia[0] <= ib[1] && ib[0] <= ia[1];
}
} // namespace interval_test

#endif
