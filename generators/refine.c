// Refines and streams. See refine.h.
//
// The smooth surface is that of curved PN triangles (Vlachos and others): a cubic patch over each
// triangle from its corners and their normals. Along an edge it depends on the two ends alone.
//
// Numbers of vertices are given triangle by triangle: those of its corners and sides that none
// before it had, then those within. Three walks over the triangles do it: the first gives numbers,
// the second sends vertices, the third triangles. A place or an edge is new to a triangle if its
// number is the next one to come; so no marks are kept.
#include "refine.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "refine_relief.h"
#include "refine_tables.h"
#include "shapes_math.h"

#define BATCH   2048u
#define OCTAVES 12
#define NONE    UINT64_MAX

typedef struct refinement {
    refine_tables tables;
    refine_relief relief;
    uint64_t cuts;         // k: parts of each edge
    uint64_t *place_first; // the number of each place's vertex
    uint64_t *edge_first;  // the number of each edge's first vertex, from its lower place on
    uint64_t vertex_count;
    uint64_t *row[2]; // vertices of two rows of a triangle, cuts + 1 each
    const graze_mesh_sink *sink;
    bool wide;
    uint64_t waiting; // in the batch
    float narrow[3 * BATCH];
    double positions[3 * BATCH];
    uint64_t corners[3 * BATCH];
} refinement;

static uint64_t inner_count(const refinement *r)
{
    return r->cuts > 2 ? (r->cuts - 1) * (r->cuts - 2) / 2 : 0;
}

// --- The surface

typedef struct surface_end {
    double point[3], normal[3], length;
} surface_end;

static void take_end(const refinement *r, uint32_t place, surface_end *end)
{
    refine_place(&r->tables, place, end->point);
    memcpy(end->normal, &r->tables.normal[3 * (uint64_t)place], sizeof end->normal);
    end->length = r->tables.length[place];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The control point a third of the way to the other end, in the plane of this end.
static void control(const surface_end *end, const surface_end *other, double out[3])
{
    double way[3];
    for (int axis = 0; axis < 3; ++axis)
        way[axis] = other->point[axis] - end->point[axis];
    double rise = dot(way, end->normal);
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = end->point[axis] + (way[axis] - rise * end->normal[axis]) * (1.0 / 3.0);
}

// Moves a point of the smooth surface by the relief along a normal of any length.
static void raise(const refinement *r, double point[3], double normal[3], double length)
{
    double size = sqrt(dot(normal, normal));
    if (!(size > 0.0))
        return;
    double height = refine_relief_at(&r->relief, point, length) / size;
    for (int axis = 0; axis < 3; ++axis)
        point[axis] += height * normal[axis];
}

static void point_at_place(const refinement *r, uint32_t place, double out[3])
{
    surface_end end;
    take_end(r, place, &end);
    memcpy(out, end.point, sizeof end.point);
    raise(r, out, end.normal, end.length);
}

static void point_on_edge(const refinement *r, const surface_end end[2], double middle[2][3],
                          uint64_t step, double out[3])
{
    double t = (double)step / (double)r->cuts, s = (double)(r->cuts - step) / (double)r->cuts;
    double normal[3];
    for (int axis = 0; axis < 3; ++axis) {
        out[axis] = s * s * s * end[0].point[axis] + 3.0 * s * s * t * middle[0][axis] +
                    3.0 * s * t * t * middle[1][axis] + t * t * t * end[1].point[axis];
        normal[axis] = s * end[0].normal[axis] + t * end[1].normal[axis];
    }
    raise(r, out, normal, s * end[0].length + t * end[1].length);
}

// A patch: control[i][j] lies a third of the way from corner i to corner j; [i][i] is the corner.
typedef struct surface_patch {
    surface_end end[3];
    double control[3][3][3], middle[3];
} surface_patch;

static void make_patch(const refinement *r, const uint32_t corner[3], surface_patch *patch)
{
    double edges[3] = {0, 0, 0}, ends[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i)
        take_end(r, corner[i], &patch->end[i]);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            if (i == j)
                memcpy(patch->control[i][j], patch->end[i].point, sizeof patch->end[i].point);
            else
                control(&patch->end[i], &patch->end[j], patch->control[i][j]);
            for (int axis = 0; axis < 3; ++axis)
                (i == j ? ends : edges)[axis] += patch->control[i][j][axis];
        }
    for (int axis = 0; axis < 3; ++axis)
        patch->middle[axis] = edges[axis] * 0.25 - ends[axis] * (1.0 / 6.0);
}

static void point_within(const refinement *r, const surface_patch *patch, uint64_t row,
                         uint64_t place, double out[3])
{
    double n = (double)r->cuts, normal[3] = {0, 0, 0}, length = 0.0;
    double w[3] = {(double)(r->cuts - row) / n, (double)(row - place) / n, (double)place / n};
    for (int axis = 0; axis < 3; ++axis) {
        out[axis] = 6.0 * w[0] * w[1] * w[2] * patch->middle[axis];
        for (int i = 0; i < 3; ++i) {
            double sum = w[i] * patch->control[i][i][axis];
            for (int j = 0; j < 3; ++j)
                if (j != i)
                    sum += 3.0 * w[j] * patch->control[i][j][axis];
            out[axis] += w[i] * w[i] * sum;
            normal[axis] += w[i] * patch->end[i].normal[axis];
        }
    }
    for (int i = 0; i < 3; ++i)
        length += w[i] * patch->end[i].length;
    raise(r, out, normal, length);
}

// --- Sending

static graze_status flush_vertices(refinement *r)
{
    graze_status status = GRAZE_OK;
    for (uint64_t i = 0; i < 3 * r->waiting; ++i) {
        r->narrow[i] = (float)r->positions[i];
        if (!isfinite(r->positions[i]) || (!r->wide && !isfinite(r->narrow[i])))
            return GRAZE_ERROR_UNSUPPORTED;
    }
    const void *positions = r->wide ? (const void *)r->positions : (const void *)r->narrow;
    if (r->sink->vertices != NULL && r->waiting != 0)
        status = r->sink->vertices(r->sink->user, positions, r->waiting);
    r->waiting = 0;
    return status;
}

static graze_status flush_triangles(refinement *r)
{
    graze_status status = GRAZE_OK;
    if (r->sink->triangles != NULL && r->waiting != 0)
        status = r->sink->triangles(r->sink->user, r->corners, r->waiting);
    r->waiting = 0;
    return status;
}

// Room for the next vertex; the batch is sent when it is full.
static double *next_vertex(refinement *r, graze_status *status)
{
    if (r->waiting == BATCH)
        *status = flush_vertices(r);
    return &r->positions[3 * r->waiting++];
}

static graze_status send_edge(refinement *r, uint32_t edge)
{
    surface_end end[2];
    double middle[2][3];
    graze_status status = GRAZE_OK;
    for (int i = 0; i < 2; ++i)
        take_end(r, r->tables.edge[edge][i], &end[i]);
    control(&end[0], &end[1], middle[0]);
    control(&end[1], &end[0], middle[1]);
    for (uint64_t step = 1; step < r->cuts && status == GRAZE_OK; ++step)
        point_on_edge(r, end, middle, step, next_vertex(r, &status));
    return status;
}

static graze_status send_inner(refinement *r, const uint32_t corner[3])
{
    surface_patch patch;
    graze_status status = GRAZE_OK;
    make_patch(r, corner, &patch);
    for (uint64_t row = 2; row < r->cuts; ++row)
        for (uint64_t place = 1; place < row && status == GRAZE_OK; ++place)
            point_within(r, &patch, row, place, next_vertex(r, &status));
    return status;
}

static graze_status send_vertices(refinement *r)
{
    graze_status status = GRAZE_OK;
    uint64_t next = 0;
    for (uint64_t t = 0; t < r->tables.triangle_count && status == GRAZE_OK; ++t) {
        const uint32_t *corner = &r->tables.corner[3 * t], *side = &r->tables.side[3 * t];
        for (int i = 0; i < 3 && status == GRAZE_OK; ++i)
            if (r->place_first[corner[i]] == next) {
                point_at_place(r, corner[i], next_vertex(r, &status));
                ++next;
            }
        for (int i = 0; i < 3 && status == GRAZE_OK; ++i)
            if (r->edge_first[side[i]] == next && r->cuts > 1) {
                status = send_edge(r, side[i]);
                next += r->cuts - 1;
            }
        if (status == GRAZE_OK && inner_count(r) != 0)
            status = send_inner(r, corner);
        next += inner_count(r);
    }
    return status == GRAZE_OK ? flush_vertices(r) : status;
}

// --- Triangles

// The vertex so many steps from corner `from` of a triangle to corner `to`, both excluded.
static uint64_t side_vertex(const refinement *r, const uint32_t *corner, uint32_t side, int from,
                            int to, uint64_t step)
{
    uint64_t steps = corner[from] < corner[to] ? step : r->cuts - step;
    return r->edge_first[side] + steps - 1;
}

// Row 0 is corner 0, row `cuts` the side from corner 1 to corner 2. `inner` is the first vertex
// within the triangle.
static void fill_row(const refinement *r, uint64_t triangle, uint64_t inner, uint64_t row,
                     uint64_t *out)
{
    const uint32_t *corner = &r->tables.corner[3 * triangle], *side = &r->tables.side[3 * triangle];
    if (row == 0) {
        out[0] = r->place_first[corner[0]];
        return;
    }
    bool last = row == r->cuts;
    out[0] = last ? r->place_first[corner[1]] : side_vertex(r, corner, side[0], 0, 1, row);
    out[row] = last ? r->place_first[corner[2]] : side_vertex(r, corner, side[2], 0, 2, row);
    for (uint64_t place = 1; place < row; ++place)
        out[place] = last ? side_vertex(r, corner, side[1], 1, 2, place)
                          : inner + (row - 1) * (row - 2) / 2 + place - 1;
}

static graze_status send_triangle(refinement *r, uint64_t a, uint64_t b, uint64_t c)
{
    graze_status status = r->waiting == BATCH ? flush_triangles(r) : GRAZE_OK;
    uint64_t *corners = &r->corners[3 * r->waiting++];
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
    return status;
}

static graze_status send_pieces(refinement *r, uint64_t triangle, uint64_t inner)
{
    graze_status status = GRAZE_OK;
    fill_row(r, triangle, inner, 0, r->row[0]);
    for (uint64_t row = 0; row < r->cuts && status == GRAZE_OK; ++row) {
        const uint64_t *above = r->row[row % 2];
        uint64_t *below = r->row[(row + 1) % 2];
        fill_row(r, triangle, inner, row + 1, below);
        for (uint64_t place = 0; place <= row && status == GRAZE_OK; ++place) {
            status = send_triangle(r, above[place], below[place], below[place + 1]);
            if (place < row && status == GRAZE_OK)
                status = send_triangle(r, above[place], below[place + 1], above[place + 1]);
        }
    }
    return status;
}

// Passes over the vertices that are new to a triangle; returns the first one within it.
static uint64_t pass_outline(const refinement *r, uint64_t triangle, uint64_t next)
{
    for (uint64_t i = 3 * triangle; i < 3 * triangle + 3; ++i)
        next += r->place_first[r->tables.corner[i]] == next;
    for (uint64_t i = 3 * triangle; i < 3 * triangle + 3; ++i)
        if (r->edge_first[r->tables.side[i]] == next)
            next += r->cuts - 1;
    return next;
}

static graze_status send_triangles(refinement *r)
{
    graze_status status = GRAZE_OK;
    uint64_t next = 0;
    for (uint64_t t = 0; t < r->tables.triangle_count && status == GRAZE_OK; ++t) {
        uint64_t inner = pass_outline(r, t, next);
        status = send_pieces(r, t, inner);
        next = inner + inner_count(r);
    }
    return status == GRAZE_OK ? flush_triangles(r) : status;
}

static graze_status send_objects(const refinement *r)
{
    const graze_mesh_view *view = r->tables.view;
    graze_object object = {.name = "", .group = "", .matrix = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    for (uint64_t i = 0; i < r->tables.object_count && r->sink->object != NULL; ++i) {
        if (view->object_count != 0) {
            object.name = view->objects[i].name;
            object.group = view->objects[i].group;
        }
        object.triangle_count = r->tables.object_triangles[i] * r->cuts * r->cuts;
        graze_status status =
            object.triangle_count != 0 ? r->sink->object(r->sink->user, &object) : GRAZE_OK;
        if (status != GRAZE_OK)
            return status;
        object.first_triangle += object.triangle_count;
    }
    return GRAZE_OK;
}

// --- All of it

static graze_status give_numbers(refinement *r)
{
    refine_tables *tables = &r->tables;
    r->place_first = refine_allocate(tables, tables->place_count, sizeof *r->place_first);
    r->edge_first = refine_allocate(tables, tables->edge_count, sizeof *r->edge_first);
    r->row[0] = refine_allocate(tables, r->cuts + 1, sizeof *r->row[0]);
    r->row[1] = refine_allocate(tables, r->cuts + 1, sizeof *r->row[1]);
    if (r->place_first == NULL || r->edge_first == NULL || r->row[0] == NULL || r->row[1] == NULL)
        return GRAZE_ERROR_MEMORY;
    memset(r->place_first, 0xff, (size_t)tables->place_count * sizeof *r->place_first);
    memset(r->edge_first, 0xff, (size_t)tables->edge_count * sizeof *r->edge_first);
    for (uint64_t t = 0; t < tables->triangle_count; ++t) {
        for (uint64_t i = 3 * t; i < 3 * t + 3; ++i)
            if (r->place_first[tables->corner[i]] == NONE)
                r->place_first[tables->corner[i]] = r->vertex_count++;
        for (uint64_t i = 3 * t; i < 3 * t + 3; ++i)
            if (r->edge_first[tables->side[i]] == NONE) {
                r->edge_first[tables->side[i]] = r->vertex_count;
                r->vertex_count += r->cuts - 1;
            }
        r->vertex_count += inner_count(r);
    }
    return GRAZE_OK;
}

static graze_status plan(refinement *r, const generator_refine_def *def)
{
    uint64_t triangles = r->tables.triangle_count;
    r->cuts = def->triangle_count != 0 ? shape_side(def->triangle_count, triangles, 1)
                                       : shape_side(def->factor != 0 ? def->factor : 4, 1, 1);
    if (r->cuts * r->cuts > GENERATOR_REFINE_TRIANGLES / triangles)
        return GRAZE_ERROR_ARGUMENT;
    r->relief = (refine_relief){.seed = shape_mix(def->seed + 1),
                                .height = def->relief,
                                .mean_length = r->tables.mean_length,
                                .cuts = (double)r->cuts,
                                .octaves = 2};
    refine_place(&r->tables, 0, r->relief.centre);
    for (uint64_t cuts = r->cuts; cuts > 1 && r->relief.octaves < OCTAVES; cuts /= 2)
        ++r->relief.octaves;
    return give_numbers(r);
}

static graze_status send_all(refinement *r)
{
    const graze_mesh_view *view = r->tables.view;
    graze_mesh_header header = {
        .format = GRAZE_FORMAT_UNKNOWN,
        .precision = r->wide ? GRAZE_FLOAT64 : GRAZE_FLOAT32,
        .metres_per_unit = view->metres_per_unit,
        .vertex_count_hint = r->vertex_count,
        .triangle_count_hint = r->tables.triangle_count * r->cuts * r->cuts,
        .encoding = "made",
    };
    graze_status status = GRAZE_OK;
    graze_mesh_losses losses = {0};
    if (r->sink->begin != NULL)
        status = r->sink->begin(r->sink->user, &header);
    if (status == GRAZE_OK)
        status = send_vertices(r);
    if (status == GRAZE_OK)
        status = send_triangles(r);
    if (status == GRAZE_OK)
        status = send_objects(r);
    if (status == GRAZE_OK && r->sink->end != NULL)
        status = r->sink->end(r->sink->user, &losses);
    return status;
}

graze_status generator_refine_stream(const graze_mesh_view *view, const generator_refine_def *def,
                                     const graze_mesh_sink *sink)
{
    if (!(def->relief >= 0.0) || !isfinite(def->relief) ||
        def->factor > GENERATOR_REFINE_TRIANGLES ||
        def->triangle_count > GENERATOR_REFINE_TRIANGLES)
        return GRAZE_ERROR_ARGUMENT;
    refinement *r = calloc(1, sizeof *r);
    if (r == NULL)
        return GRAZE_ERROR_MEMORY;
    r->sink = sink;
    r->wide = (def->precision != 0 ? def->precision : view->precision) == GRAZE_FLOAT64;
    r->tables.view = view;
    r->tables.bytes_left = def->memory_byte_limit != 0 ? def->memory_byte_limit : UINT64_MAX;
    graze_status status = refine_tables_make(&r->tables);
    if (status == GRAZE_OK)
        status = plan(r, def);
    if (status == GRAZE_OK)
        status = send_all(r);
    free(r->place_first);
    free(r->edge_first);
    free(r->row[0]);
    free(r->row[1]);
    refine_tables_free(&r->tables);
    free(r);
    return status;
}
