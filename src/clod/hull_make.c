// Convex hulls of few points. See hull_make.h.
//
// qhull takes its memory from the system, a few kilobytes for each hull, and gives it back before
// gz_hull_make returns.
#include "clod/hull_make.h"

#include <libqhull_r/qhull_ra.h>

#include "geometry/vector.h"

#define FLAT 1e-7 // of the size: what is thinner is a polygon

void gz_hull_maker_free(gz_hull_maker *maker)
{
    gz_list_free(maker->context, &maker->vertices);
    gz_list_free(maker->context, &maker->faces);
    gz_list_free(maker->context, &maker->ring);
    if (maker->silence != NULL)
        fclose(maker->silence);
    maker->silence = NULL;
}

static bool push_vertex(gz_hull_maker *maker, uint32_t number)
{
    uint32_t *room = gz_list_push(maker->context, &maker->vertices, 1);
    if (room != NULL)
        *room = number;
    return room != NULL;
}

static bool push_face(gz_hull_maker *maker, uint32_t i, uint32_t j, uint32_t k)
{
    uint32_t(*room)[3] = gz_list_push(maker->context, &maker->faces, 1);
    if (room == NULL)
        return false;
    (*room)[0] = i;
    (*room)[1] = j;
    (*room)[2] = k;
    return true;
}

static double square_of(const double a[3], const double b[3])
{
    double off[3];
    gz_subtract3(a, b, off);
    return gz_dot3(off, off);
}

static uint32_t farthest_from(const double (*points)[3], uint32_t count, const double p[3])
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; ++i)
        if (square_of(points[i], p) > square_of(points[best], p))
            best = i;
    return best;
}

// The farthest from a line through two points; a cross product is the distance times theirs.
static uint32_t farthest_from_line(const double (*points)[3], uint32_t count, const double p[3],
                                   const double along[3], double *area)
{
    uint32_t best = 0;
    *area = -1;
    for (uint32_t i = 0; i < count; ++i) {
        double off[3], cross[3];
        gz_subtract3(points[i], p, off);
        gz_cross3(along, off, cross);
        double square = gz_dot3(cross, cross);
        if (square > *area) {
            *area = square;
            best = i;
        }
    }
    return best;
}

// --- Points in a plane, after Andrew: sorted along a direction, a chain below and one above

typedef struct flat_frame {
    const double (*points)[3];
    double origin[3], u[3], v[3];
} flat_frame;

static void flat_place(const flat_frame *f, uint32_t i, double out[2])
{
    double off[3];
    gz_subtract3(f->points[i], f->origin, off);
    out[0] = gz_dot3(off, f->u);
    out[1] = gz_dot3(off, f->v);
}

static bool comes_before(const flat_frame *f, uint32_t i, uint32_t j)
{
    double p[2], q[2];
    flat_place(f, i, p);
    flat_place(f, j, q);
    if (p[0] != q[0])
        return p[0] < q[0];
    return p[1] != q[1] ? p[1] < q[1] : i < j;
}

static double turn(const flat_frame *f, uint32_t i, uint32_t j, uint32_t k)
{
    double p[2], q[2], r[2];
    flat_place(f, i, p);
    flat_place(f, j, q);
    flat_place(f, k, r);
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
}

static bool chain(gz_hull_maker *maker, const flat_frame *f, const uint32_t *order, uint32_t count,
                  bool back, uint64_t first)
{
    for (uint32_t n = 0; n < count; ++n) {
        uint32_t i = order[back ? count - 1 - n : n];
        while (maker->vertices.count >= first + 2 &&
               !(turn(f, maker->vertices.items[maker->vertices.count - 2],
                      maker->vertices.items[maker->vertices.count - 1], i) > 0))
            --maker->vertices.count;
        if (!push_vertex(maker, i))
            return false;
    }
    --maker->vertices.count; // the last of one chain is the first of the other
    return true;
}

static void sort_numbers(uint32_t *numbers, uint64_t count)
{
    for (uint64_t i = 1; i < count; ++i) {
        uint32_t held = numbers[i];
        uint64_t k = i;
        for (; k > 0 && numbers[k - 1] > held; --k)
            numbers[k] = numbers[k - 1];
        numbers[k] = held;
    }
}

static bool make_flat(gz_hull_maker *maker, const flat_frame *f, uint32_t count)
{
    gz_index_list *ring = &maker->ring;
    ring->count = 0;
    uint32_t *order = gz_list_push(maker->context, ring, count);
    if (order == NULL)
        return false;
    for (uint32_t i = 0; i < count; ++i) { // few: they are put in their places one by one
        uint32_t k = i;
        for (; k > 0 && comes_before(f, i, order[k - 1]); --k)
            order[k] = order[k - 1];
        order[k] = i;
    }
    if (!chain(maker, f, order, count, false, 0) ||
        !chain(maker, f, order, count, true, maker->vertices.count))
        return false;
    const uint32_t *v = maker->vertices.items;
    for (uint64_t i = 1; i + 1 < maker->vertices.count; ++i)
        if (!push_face(maker, v[0], v[i], v[i + 1]) || !push_face(maker, v[0], v[i + 1], v[i]))
            return false;
    sort_numbers(maker->vertices.items, maker->vertices.count);
    return true;
}

// --- All others

// True where all came off well; what qhull cannot do leaves no vertices.
static bool run_qhull(gz_hull_maker *maker, const double (*points)[3], uint32_t count,
                      bool *has_memory)
{
    qhT whole;
    qhT *qh = &whole;
    char options[] = "qhull Qt Pp";
    bool memory = true;
    if (maker->silence == NULL)
        maker->silence = fopen("/dev/null", "w");
    if (maker->silence == NULL)
        return false;
    qh_zero(qh, maker->silence);
    // Its interface does not say that points are only read.
    int code =
        qh_new_qhull(qh, 3, (int)count, (coordT *)points, False, options, NULL, maker->silence);
    facetT *facet = NULL;
    vertexT *vertex = NULL;
    if (code == 0) {
        FORALLvertices
        {
            memory = memory && push_vertex(maker, (uint32_t)qh_pointid(qh, vertex->point));
        }
        FORALLfacets
        {
            uint32_t corner[3] = {0, 0, 0};
            vertexT **vertexp = NULL;
            int k = 0;
            // In this order or its reverse they turn left as seen from outside.
            setT *ordered = qh_facet3vertex(qh, facet);
            FOREACHvertex_(ordered)
            {
                if (k < 3)
                    corner[k++] = (uint32_t)qh_pointid(qh, vertex->point);
            }
            qh_settempfree(qh, &ordered);
            memory = memory && push_face(maker, corner[0], corner[1], corner[2]);
        }
        sort_numbers(maker->vertices.items, maker->vertices.count);
    }
    int left = 0, total = 0;
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &left, &total);
    *has_memory = memory;
    return code == 0;
}

// All points as vertices, and no faces.
static bool keep_all(gz_hull_maker *maker, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        if (!push_vertex(maker, i))
            return false;
    return true;
}

bool gz_hull_make(gz_hull_maker *maker, const double (*points)[3], uint32_t count)
{
    maker->vertices.count = maker->faces.count = 0;
    uint32_t first = farthest_from(points, count, points[0]);
    uint32_t second = farthest_from(points, count, points[first]);
    double along[3], off[3], area = 0, size = sqrt(square_of(points[first], points[second]));
    gz_subtract3(points[second], points[first], along);
    uint32_t third = farthest_from_line(points, count, points[first], along, &area);
    if (!(size > 0) || !(sqrt(area) > FLAT * size * size)) { // a segment, or a point
        return push_vertex(maker, first < second ? first : second) &&
               (first == second || push_vertex(maker, first < second ? second : first)) &&
               push_face(maker, first, second, second);
    }
    flat_frame f = {.points = points};
    double normal[3], thick = 0;
    gz_subtract3(points[third], points[first], off);
    gz_cross3(along, off, normal);
    double length = gz_length3(normal);
    for (int i = 0; i < 3; ++i) {
        f.origin[i] = points[first][i];
        f.u[i] = along[i] / size;
        normal[i] /= length;
    }
    gz_cross3(normal, f.u, f.v);
    for (uint32_t i = 0; i < count; ++i) {
        gz_subtract3(points[i], points[first], off);
        thick = fmax(thick, fabs(gz_dot3(off, normal)));
    }
    if (thick <= FLAT * size)
        return make_flat(maker, &f, count);
    bool memory = true;
    if (run_qhull(maker, points, count, &memory))
        return memory;
    maker->vertices.count = maker->faces.count = 0;
    return keep_all(maker, count);
}
