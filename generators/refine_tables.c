// Places, edges, normals. See refine_tables.h.
//
// Both places and edges are found through a table of their numbers: open addressing, at most three
// quarters full, grown by doubling. Numbers are given in the order in which triangles come, so that
// nothing depends on the table.
#include "refine_tables.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "shapes_math.h"

#define NOTHING UINT32_MAX

void *refine_allocate(refine_tables *tables, uint64_t count, uint64_t size)
{
    uint64_t bytes = count * size;
    if (count > SIZE_MAX / 2 / size || bytes > tables->bytes_left)
        return NULL;
    tables->bytes_left -= bytes;
    return calloc(1, bytes > 64 ? (size_t)bytes : 64); // never nothing
}

static void vertex_position(const graze_mesh_view *view, uint64_t vertex, double out[3])
{
    for (uint64_t axis = 0; axis < 3; ++axis) // adding 0 turns -0 into 0
        out[axis] = view->precision == GRAZE_FLOAT64
                        ? ((const double *)view->positions)[3 * vertex + axis] + 0.0
                        : (double)((const float *)view->positions)[3 * vertex + axis] + 0.0;
}

void refine_place(const refine_tables *tables, uint32_t place, double out[3])
{
    vertex_position(tables->view, tables->vertex[place], out);
}

// --- The table of numbers

typedef struct number_table {
    uint32_t *slot; // NOTHING where it is empty
    uint64_t slot_count;
} number_table;

static graze_status table_make(refine_tables *tables, number_table *table, uint64_t expected)
{
    table->slot_count = 16;
    while (table->slot_count * 3 / 4 < expected)
        table->slot_count *= 2;
    table->slot = refine_allocate(tables, table->slot_count, sizeof *table->slot);
    if (table->slot == NULL)
        return GRAZE_ERROR_MEMORY;
    memset(table->slot, 0xff, (size_t)table->slot_count * sizeof *table->slot);
    return GRAZE_OK;
}

static void table_free(refine_tables *tables, number_table *table)
{
    if (table->slot != NULL)
        tables->bytes_left += table->slot_count * sizeof *table->slot;
    free(table->slot);
    *table = (number_table){0};
}

// --- Places

static uint64_t position_hash(const double position[3])
{
    uint64_t bits[3];
    memcpy(bits, position, sizeof bits);
    return shape_mix(shape_mix(shape_mix(bits[0]) ^ bits[1]) ^ bits[2]);
}

static uint32_t find_place(refine_tables *tables, number_table *table, uint32_t vertex)
{
    double here[3], other[3];
    vertex_position(tables->view, vertex, here);
    uint64_t mask = table->slot_count - 1, slot = position_hash(here) & mask;
    for (; table->slot[slot] != NOTHING; slot = (slot + 1) & mask) {
        refine_place(tables, table->slot[slot], other);
        if (here[0] == other[0] && here[1] == other[1] && here[2] == other[2])
            return table->slot[slot];
    }
    tables->vertex[tables->place_count] = vertex;
    return table->slot[slot] = tables->place_count++;
}

// Adds a triangle of the view if its corners are three places.
static void add_triangle(refine_tables *tables, number_table *table, uint32_t *place_of,
                         uint64_t triangle)
{
    uint32_t *corner = &tables->corner[3 * tables->triangle_count];
    for (int i = 0; i < 3; ++i) {
        uint32_t vertex = tables->view->corners[3 * triangle + (uint64_t)i];
        if (place_of[vertex] == NOTHING)
            place_of[vertex] = find_place(tables, table, vertex);
        corner[i] = place_of[vertex];
    }
    if (corner[0] != corner[1] && corner[1] != corner[2] && corner[2] != corner[0])
        ++tables->triangle_count;
}

static void add_objects(refine_tables *tables, number_table *table, uint32_t *place_of)
{
    const graze_mesh_view *view = tables->view;
    for (uint64_t i = 0; i < tables->object_count; ++i) {
        uint64_t first = view->object_count != 0 ? view->objects[i].first_triangle : 0;
        uint64_t count =
            view->object_count != 0 ? view->objects[i].triangle_count : view->triangle_count;
        uint64_t before = tables->triangle_count;
        for (uint64_t t = first; t < first + count; ++t)
            add_triangle(tables, table, place_of, t);
        tables->object_triangles[i] = tables->triangle_count - before;
    }
}

static graze_status find_places(refine_tables *tables)
{
    const graze_mesh_view *view = tables->view;
    number_table table = {0};
    uint32_t *place_of = refine_allocate(tables, view->vertex_count, sizeof *place_of);
    graze_status status = table_make(tables, &table, view->vertex_count);
    if (status == GRAZE_OK && place_of != NULL) {
        memset(place_of, 0xff, (size_t)view->vertex_count * sizeof *place_of);
        add_objects(tables, &table, place_of);
    } else {
        status = GRAZE_ERROR_MEMORY;
    }
    table_free(tables, &table);
    tables->bytes_left += place_of != NULL ? view->vertex_count * sizeof *place_of : 0;
    free(place_of);
    return status;
}

// --- Edges

static uint64_t edge_slot(const number_table *table, const uint32_t ends[2])
{
    return shape_mix((uint64_t)ends[0] << 32 | ends[1]) & (table->slot_count - 1);
}

static graze_status grow_edges(refine_tables *tables, number_table *table)
{
    number_table wider = {0};
    graze_status status = table_make(tables, &wider, table->slot_count);
    if (status != GRAZE_OK)
        return status;
    for (uint32_t i = 0; i < tables->edge_count; ++i) {
        uint64_t slot = edge_slot(&wider, tables->edge[i]);
        while (wider.slot[slot] != NOTHING)
            slot = (slot + 1) & (wider.slot_count - 1);
        wider.slot[slot] = i;
    }
    table_free(tables, table);
    *table = wider;
    return GRAZE_OK;
}

static graze_status find_edge(refine_tables *tables, number_table *table, uint32_t a, uint32_t b,
                              uint32_t *edge)
{
    uint32_t ends[2] = {a < b ? a : b, a < b ? b : a};
    if (tables->edge_count >= table->slot_count * 3 / 4) {
        graze_status status = grow_edges(tables, table);
        if (status != GRAZE_OK)
            return status;
    }
    uint64_t slot = edge_slot(table, ends);
    for (; table->slot[slot] != NOTHING; slot = (slot + 1) & (table->slot_count - 1))
        if (memcmp(tables->edge[table->slot[slot]], ends, sizeof ends) == 0) {
            *edge = table->slot[slot];
            return GRAZE_OK;
        }
    memcpy(tables->edge[tables->edge_count], ends, sizeof ends);
    *edge = table->slot[slot] = tables->edge_count++;
    return GRAZE_OK;
}

// Three edges a triangle are room for the worst; half of it is given back where all is closed.
static void trim_edges(refine_tables *tables)
{
    uint64_t bytes = tables->edge_count * sizeof *tables->edge;
    void *trimmed = bytes != 0 ? realloc(tables->edge, (size_t)bytes) : NULL;
    if (trimmed == NULL)
        return;
    tables->edge = trimmed;
    tables->bytes_left += 3 * tables->triangle_count * sizeof *tables->edge - bytes;
}

static graze_status find_edges(refine_tables *tables)
{
    number_table table = {0};
    tables->edge = refine_allocate(tables, 3 * tables->triangle_count, sizeof *tables->edge);
    tables->side = refine_allocate(tables, 3 * tables->triangle_count, sizeof *tables->side);
    graze_status status = table_make(tables, &table, 3 * tables->triangle_count / 2);
    if (tables->edge == NULL || tables->side == NULL)
        status = GRAZE_ERROR_MEMORY;
    for (uint64_t i = 0; i < 3 * tables->triangle_count && status == GRAZE_OK; ++i)
        status = find_edge(tables, &table, tables->corner[i],
                           tables->corner[i % 3 == 2 ? i - 2 : i + 1], &tables->side[i]);
    table_free(tables, &table);
    if (status == GRAZE_OK)
        trim_edges(tables);
    return status;
}

// --- Normals and lengths

// Twice the area times the normal of each triangle is added to its corners.
static void add_normals(refine_tables *tables)
{
    for (uint64_t t = 0; t < tables->triangle_count; ++t) {
        const uint32_t *corner = &tables->corner[3 * t];
        double p[3][3], a[3], b[3];
        for (int i = 0; i < 3; ++i)
            refine_place(tables, corner[i], p[i]);
        for (int axis = 0; axis < 3; ++axis) {
            a[axis] = p[1][axis] - p[0][axis];
            b[axis] = p[2][axis] - p[0][axis];
        }
        double cross[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                           a[0] * b[1] - a[1] * b[0]};
        for (int i = 0; i < 3; ++i)
            for (int axis = 0; axis < 3; ++axis)
                tables->normal[3 * (uint64_t)corner[i] + (uint64_t)axis] += cross[axis];
    }
}

static double length_of(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static void trim_normals(refine_tables *tables)
{
    for (uint64_t i = 0; i < tables->place_count; ++i) {
        double *normal = &tables->normal[3 * i], length = length_of(normal);
        for (int axis = 0; axis < 3; ++axis)
            normal[axis] = length > 0.0 && isfinite(length) ? normal[axis] / length : 0.0;
    }
}

static void measure_edges(refine_tables *tables, uint32_t *degree)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < tables->edge_count; ++i) {
        double from[3], to[3];
        refine_place(tables, tables->edge[i][0], from);
        refine_place(tables, tables->edge[i][1], to);
        for (int axis = 0; axis < 3; ++axis)
            to[axis] -= from[axis];
        double length = length_of(to);
        sum += length;
        for (int end = 0; end < 2; ++end) {
            tables->length[tables->edge[i][end]] += length;
            ++degree[tables->edge[i][end]];
        }
    }
    tables->mean_length = sum / (double)tables->edge_count;
    for (uint32_t i = 0; i < tables->place_count; ++i)
        tables->length[i] /= degree[i] != 0 ? degree[i] : 1;
}

static graze_status measure(refine_tables *tables)
{
    uint64_t count = tables->place_count;
    tables->normal = refine_allocate(tables, 3 * count, sizeof *tables->normal);
    tables->length = refine_allocate(tables, count, sizeof *tables->length);
    uint32_t *degree = refine_allocate(tables, count, sizeof *degree);
    graze_status status = GRAZE_ERROR_MEMORY;
    if (tables->normal != NULL && tables->length != NULL && degree != NULL) {
        add_normals(tables);
        trim_normals(tables);
        measure_edges(tables, degree);
        status = GRAZE_OK;
    }
    free(degree);
    return status;
}

graze_status refine_tables_make(refine_tables *tables)
{
    const graze_mesh_view *view = tables->view;
    if (view->triangle_count > UINT32_MAX / 3 || view->vertex_count >= NOTHING)
        return GRAZE_ERROR_UNSUPPORTED;
    tables->object_count = view->object_count != 0 ? view->object_count : 1;
    tables->corner = refine_allocate(tables, 3 * view->triangle_count, sizeof *tables->corner);
    tables->vertex = refine_allocate(tables, view->vertex_count, sizeof *tables->vertex);
    tables->object_triangles =
        refine_allocate(tables, tables->object_count, sizeof *tables->object_triangles);
    if (tables->corner == NULL || tables->vertex == NULL || tables->object_triangles == NULL)
        return GRAZE_ERROR_MEMORY;
    graze_status status = find_places(tables);
    if (status == GRAZE_OK && tables->triangle_count == 0)
        status = GRAZE_ERROR_FORMAT;
    if (status == GRAZE_OK)
        status = find_edges(tables);
    if (status == GRAZE_OK)
        status = measure(tables);
    return status;
}

void refine_tables_free(refine_tables *tables)
{
    free(tables->object_triangles);
    free(tables->corner);
    free(tables->side);
    free(tables->vertex);
    free(tables->normal);
    free(tables->length);
    free(tables->edge);
    *tables = (refine_tables){0};
}
