// CGAL: B is posed in double, and the box tree of A is asked for the box of each of its triangles
// that reaches A's; then pairs of triangles are tested. With exact predicates this is the question
// that graze answers, so that the pairs must be the same.
//
// Asking the tree for a triangle took one and a half to five times as long, and sweeping over both
// lists of boxes (box_intersection_d) seven to fourteen times.
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Simple_cartesian.h>

#include <vector>

#include "collider.h"

namespace
{
template <class Kernel> struct engine {
    typedef typename Kernel::Point_3 point;
    typedef typename Kernel::Triangle_3 triangle;
    typedef typename std::vector<triangle>::const_iterator iterator;
    typedef CGAL::AABB_triangle_primitive<Kernel, iterator> primitive;
    typedef CGAL::AABB_tree<CGAL::AABB_traits<Kernel, primitive>> tree;

    struct body {
        const collider_mesh *mesh;
        std::vector<triangle> triangles;
        tree boxes;
    };
    struct joined_bodies {
        const body *a, *b;
        std::vector<point> posed;
        std::vector<iterator> near;
        std::vector<collider_pair> pairs;
    };

    static void *build(const collider_mesh *mesh)
    {
        body *made = new body{mesh};
        made->triangles.reserve(mesh->triangle_count);
        for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
            point p[3];
            for (int c = 0; c < 3; ++c) {
                const float *v = mesh->vertices[mesh->corners[i][c]];
                p[c] = point(v[0], v[1], v[2]);
            }
            made->triangles.emplace_back(p[0], p[1], p[2]);
        }
        made->boxes.insert(made->triangles.cbegin(), made->triangles.cend());
        made->boxes.build();
        return made;
    }
    static void drop(void *object) { delete static_cast<body *>(object); }

    static void *join(void *a, void *b)
    {
        body *other = static_cast<body *>(b);
        return new joined_bodies{static_cast<body *>(a), other,
                                 std::vector<point>(other->mesh->vertex_count)};
    }
    static void part(void *joined) { delete static_cast<joined_bodies *>(joined); }

    static void pose_all(joined_bodies *joined, const collider_pose *pose)
    {
        const double *r = pose->rotation, *t = pose->translation;
        const collider_mesh *mesh = joined->b->mesh;
        for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
            double x = mesh->vertices[i][0], y = mesh->vertices[i][1], z = mesh->vertices[i][2];
            joined->posed[i] =
                point(r[0] * x + r[1] * y + r[2] * z + t[0], r[3] * x + r[4] * y + r[5] * z + t[1],
                      r[6] * x + r[7] * y + r[8] * z + t[2]);
        }
    }

    // Calls see(number, triangle) for those whose boxes reach A's, until it says true.
    template <class See> static void for_near(joined_bodies *joined, See see)
    {
        const collider_mesh *mesh = joined->b->mesh;
        CGAL::Bbox_3 all = joined->a->boxes.bbox();
        for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
            const uint32_t *c = mesh->corners[i];
            const point &p = joined->posed[c[0]], &q = joined->posed[c[1]],
                        &r = joined->posed[c[2]];
            CGAL::Bbox_3 box = p.bbox() + q.bbox() + r.bbox();
            if (CGAL::do_overlap(box, all) && see(i, triangle(p, q, r), box))
                return;
        }
    }

    static double ask_all(void *asked, const collider_pose *pose, double)
    {
        joined_bodies *joined = static_cast<joined_bodies *>(asked);
        joined->pairs.clear();
        pose_all(joined, pose);
        iterator begin = joined->a->triangles.cbegin();
        for_near(joined, [=](uint32_t number, const triangle &t, const CGAL::Bbox_3 &box) {
            joined->near.clear();
            joined->a->boxes.all_intersected_primitives(box, std::back_inserter(joined->near));
            for (iterator found : joined->near)
                if (CGAL::do_intersect(*found, t))
                    joined->pairs.push_back({uint32_t(found - begin), number});
            return false;
        });
        return double(joined->pairs.size());
    }
    static double ask_first(void *asked, const collider_pose *pose, double)
    {
        joined_bodies *joined = static_cast<joined_bodies *>(asked);
        pose_all(joined, pose);
        bool meet = false;
        for_near(joined, [&](uint32_t, const triangle &t, const CGAL::Bbox_3 &) {
            return meet = joined->a->boxes.do_intersect(t);
        });
        return meet;
    }

    static void list(void *asked, collider_pair *pairs)
    {
        const joined_bodies *joined = static_cast<joined_bodies *>(asked);
        std::copy(joined->pairs.begin(), joined->pairs.end(), pairs);
    }

    static constexpr collider entry(const char *setting)
    {
        return {"CGAL", setting, build, drop, nullptr, 1, join, part, nullptr, {ask_all, ask_first},
                list};
    }
};

const collider engines[] = {
    engine<CGAL::Simple_cartesian<double>>::entry("plain double"),
    engine<CGAL::Exact_predicates_inexact_constructions_kernel>::entry("exact predicates"),
};
} // namespace

extern "C" const collider_list colliders_cgal = {engines, sizeof engines / sizeof *engines};
