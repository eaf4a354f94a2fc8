// See capture.h.
#include "capture.h"

#include <stdio.h>
#include <stdlib.h>

#include "test.h"

static void hash_bytes(uint64_t *hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        *hash = (*hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
}

static graze_status take_begin(void *user, const graze_mesh_header *header)
{
    capture *c = user;
    c->header = *header;
    c->positions = malloc((size_t)header->vertex_count_hint * 3 * sizeof(double));
    c->corners = malloc((size_t)header->triangle_count_hint * 3 * sizeof(uint64_t));
    c->hash = 0xcbf29ce484222325u;
    return GRAZE_OK;
}

static graze_status take_vertices(void *user, const void *positions, uint64_t count)
{
    capture *c = user;
    assert_true(c->vertex_count + count <= c->header.vertex_count_hint);
    assert_true(c->soup || c->triangle_count == 0);
    for (uint64_t i = 0; i < 3 * count; ++i)
        c->positions[3 * c->vertex_count + i] = c->header.precision == GRAZE_FLOAT64
                                                    ? ((const double *)positions)[i]
                                                    : (double)((const float *)positions)[i];
    hash_bytes(&c->hash, positions, (size_t)count * 3 * (size_t)c->header.precision);
    c->vertex_count += count;
    return GRAZE_OK;
}

static graze_status take_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    capture *c = user;
    assert_true(c->triangle_count + count <= c->header.triangle_count_hint);
    for (uint64_t i = 0; i < 3 * count; ++i) {
        assert_true(corners[i] < c->vertex_count);
        assert_true(!c->soup || corners[i] == 3 * c->triangle_count + i);
        c->corners[3 * c->triangle_count + i] = corners[i];
    }
    hash_bytes(&c->hash, corners, (size_t)count * 3 * sizeof *corners);
    c->triangle_count += count;
    return GRAZE_OK;
}

static graze_status take_object(void *user, const graze_object *object)
{
    capture *c = user;
    assert_true(object->first_triangle == c->object_triangles);
    c->object_triangles += object->triangle_count;
    if ((c->object_count & (c->object_count - 1)) == 0) // room for the next power of two
        c->objects = realloc(c->objects, (size_t)(2 * c->object_count + 1) * sizeof *c->objects);
    captured_object *taken = &c->objects[c->object_count++];
    *taken = (captured_object){.first_triangle = object->first_triangle,
                               .triangle_count = object->triangle_count};
    snprintf(taken->name, sizeof taken->name, "%s", object->name);
    snprintf(taken->group, sizeof taken->group, "%s", object->group);
    return GRAZE_OK;
}

graze_mesh_sink capture_sink(capture *c)
{
    return (graze_mesh_sink){c, take_begin, take_vertices, take_triangles, take_object, NULL, NULL};
}

void capture_check(const capture *c)
{
    assert_true(c->vertex_count == c->header.vertex_count_hint);
    assert_true(c->triangle_count == c->header.triangle_count_hint);
    assert_true(c->object_triangles == c->triangle_count);
}

void capture_free(capture *c)
{
    free(c->positions);
    free(c->corners);
    free(c->objects);
    *c = (capture){0};
}

typedef struct directed_edge {
    uint64_t from, to;
} directed_edge;

static int by_ends(const void *left, const void *right)
{
    const directed_edge *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

void capture_check_closed(const capture *c, uint64_t first_triangle, uint64_t triangle_count)
{
    uint64_t count = 3 * triangle_count;
    const uint64_t *corners = &c->corners[3 * first_triangle];
    directed_edge *edges = malloc((size_t)count * sizeof *edges);
    for (uint64_t i = 0; i < count; ++i)
        edges[i] = (directed_edge){corners[i], corners[i % 3 == 2 ? i - 2 : i + 1]};
    qsort(edges, (size_t)count, sizeof *edges, by_ends);
    for (uint64_t i = 0; i < count; ++i) {
        assert_true(edges[i].from != edges[i].to);
        assert_true(i == 0 || by_ends(&edges[i - 1], &edges[i]) != 0);
        directed_edge back = {edges[i].to, edges[i].from};
        assert_non_null(bsearch(&back, edges, (size_t)count, sizeof back, by_ends));
    }
    free(edges);
}

double capture_volume(const capture *c, uint64_t first_triangle, uint64_t triangle_count)
{
    double volume = 0.0;
    for (uint64_t t = first_triangle; t < first_triangle + triangle_count; ++t) {
        const double *p = &c->positions[3 * c->corners[3 * t]];
        const double *q = &c->positions[3 * c->corners[3 * t + 1]];
        const double *r = &c->positions[3 * c->corners[3 * t + 2]];
        volume += p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) +
                  p[2] * (q[0] * r[1] - q[1] * r[0]);
    }
    return volume / 6.0;
}

graze_mesh_view capture_view(const capture *c, uint64_t first_triangle, uint64_t triangle_count,
                             uint32_t *corners)
{
    const uint64_t *from = &c->corners[3 * first_triangle];
    uint64_t low = UINT64_MAX, high = 0;
    for (uint64_t i = 0; i < 3 * triangle_count; ++i) {
        low = from[i] < low ? from[i] : low;
        high = from[i] > high ? from[i] : high;
    }
    for (uint64_t i = 0; i < 3 * triangle_count; ++i)
        corners[i] = (uint32_t)(from[i] - low);
    return (graze_mesh_view){.precision = GRAZE_FLOAT64,
                             .vertex_count = high - low + 1,
                             .triangle_count = triangle_count,
                             .positions = &c->positions[3 * low],
                             .corners = corners};
}
