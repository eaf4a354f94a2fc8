// Meshes in memory: a sink that keeps what it gets. Vertices stay as read, vertex numbers shrink to
// 32 bits, and at the end the arrays are cut to what they hold.
#include <inttypes.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "mesh/collect.h"
#include "mesh/read/reader.h"
#include "mesh/view.h"

#define LEAST_VERTEX_BYTES   6 // "0 0 0\n"
#define LEAST_TRIANGLE_BYTES 8 // "3 0 1 2\n"

struct graze_mesh {
    graze_context *context;
    const char *path; // for messages while reading
    uint64_t file_bytes;
    graze_precision precision;
    double metres_per_unit;
    graze_mesh_losses losses;
    gz_list positions; // three coordinates each
    gz_corner_list corners;
    GZ_LIST(graze_object) objects; // with names of our own
};

static uint64_t vertex_bytes(const graze_mesh *mesh) { return 3 * (uint64_t)mesh->precision; }

static void set_precision(graze_mesh *mesh, graze_precision precision)
{
    GZ_ASSERT(mesh->positions.capacity == 0);
    mesh->precision = precision;
    mesh->positions = gz_list_of(vertex_bytes(mesh));
}

static graze_status out_of_memory(const graze_mesh *mesh, const char *what, uint64_t count)
{
    return gz_fail(mesh->context, GRAZE_ERROR_MEMORY, "%s: out of memory for %" PRIu64 " %s",
                   mesh->path, count, what);
}

// Room for what the file claims to hold, if it is long enough for that; a claim that is refused
// does no harm, because the arrays also grow as data come.
static void reserve(graze_mesh *mesh, const graze_mesh_header *header)
{
    uint64_t vertices = 0, triangles = 0, bytes = 0;
    bool believable = gz_mul(header->vertex_count_hint, LEAST_VERTEX_BYTES, &vertices) &&
                      gz_mul(header->triangle_count_hint, LEAST_TRIANGLE_BYTES, &triangles) &&
                      gz_add(vertices, triangles, &bytes) && bytes <= mesh->file_bytes;
    if (!believable)
        return;
    (void)gz_items_reserve(mesh->context, &mesh->positions, header->vertex_count_hint);
    (void)gz_list_reserve(mesh->context, &mesh->corners, header->triangle_count_hint);
}

static graze_status keep_header(void *user, const graze_mesh_header *header)
{
    graze_mesh *mesh = user;
    set_precision(mesh, header->precision);
    mesh->metres_per_unit = header->metres_per_unit;
    reserve(mesh, header);
    return GRAZE_OK;
}

static bool has_numbers_for(const graze_mesh *mesh, uint64_t count)
{
    return mesh->positions.count + count <= UINT64_C(1) << 32;
}

void *gz_mesh_vertex_room(graze_mesh *mesh, uint64_t count)
{
    if (!has_numbers_for(mesh, count))
        return NULL;
    return gz_items_push(mesh->context, &mesh->positions, count);
}

uint32_t *gz_mesh_triangle_room(graze_mesh *mesh, uint64_t count)
{
    return (uint32_t *)gz_list_push(mesh->context, &mesh->corners, count);
}

void gz_mesh_give_back(graze_mesh *mesh, uint64_t vertex_count, uint64_t triangle_count)
{
    mesh->positions.count -= vertex_count;
    mesh->corners.count -= triangle_count;
}

static graze_status keep_vertices(void *user, const void *positions, uint64_t count)
{
    graze_mesh *mesh = user;
    if (!has_numbers_for(mesh, count))
        return gz_fail(mesh->context, GRAZE_ERROR_UNSUPPORTED,
                       "%s: more than 4294967296 vertices do not fit into a mesh in memory",
                       mesh->path);
    void *room = gz_mesh_vertex_room(mesh, count);
    if (room == NULL)
        return out_of_memory(mesh, "vertices", mesh->positions.count + count);
    memcpy(room, positions, (size_t)(count * vertex_bytes(mesh)));
    return GRAZE_OK;
}

static graze_status keep_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    graze_mesh *mesh = user;
    uint32_t *room = gz_mesh_triangle_room(mesh, count);
    if (room == NULL)
        return out_of_memory(mesh, "triangles", mesh->corners.count + count);
    for (uint64_t i = 0; i < 3 * count; ++i)
        room[i] = (uint32_t)corners[i];
    return GRAZE_OK;
}

static graze_status keep_object(void *user, const graze_object *object)
{
    graze_mesh *mesh = user;
    graze_object copy = *object;
    char *name = gz_string_copy(mesh->context, object->name);
    char *group = gz_string_copy(mesh->context, object->group);
    graze_object *room = NULL;
    if (name != NULL && group != NULL)
        room = gz_list_push(mesh->context, &mesh->objects, 1);
    if (room == NULL) {
        gz_string_free(mesh->context, name);
        gz_string_free(mesh->context, group);
        return out_of_memory(mesh, "objects", mesh->objects.count + 1);
    }
    copy.name = name;
    copy.group = group;
    *room = copy;
    return GRAZE_OK;
}

static graze_status keep_losses(void *user, const graze_mesh_losses *losses)
{
    ((graze_mesh *)user)->losses = *losses;
    return GRAZE_OK;
}

static graze_status fetch_position(void *user, uint64_t vertex, double out[3])
{
    const graze_mesh *mesh = user;
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = mesh->precision == GRAZE_FLOAT32
                        ? (double)((const float *)mesh->positions.items)[3 * vertex + axis]
                        : ((const double *)mesh->positions.items)[3 * vertex + axis];
    return GRAZE_OK;
}

// NULL when out of memory, with a sentence.
static graze_mesh *make_mesh(graze_context *context, const char *path)
{
    graze_mesh *made = gz_allocate(context, sizeof *made);
    if (made == NULL)
        gz_log(context, GRAZE_LOG_ERROR, "%s: out of memory", path);
    else {
        *made = (graze_mesh){.context = context, .path = path};
        set_precision(made, GRAZE_FLOAT32);
    }
    return made;
}

// Ends the making: gives back what was reserved in vain, or everything if it went wrong.
static graze_status finish_mesh(graze_status status, graze_mesh *made, graze_mesh **mesh)
{
    if (status != GRAZE_OK) {
        graze_mesh_free(made);
        return status;
    }
    gz_items_trim(made->context, &made->positions);
    gz_list_trim(made->context, &made->corners);
    gz_list_trim(made->context, &made->objects);
    made->path = NULL;
    *mesh = made;
    return GRAZE_OK;
}

graze_status gz_mesh_collect(graze_context *context, const char *path, uint64_t file_bytes,
                             graze_mesh **mesh, graze_mesh_sink *sink)
{
    graze_mesh *made = make_mesh(context, path);
    *mesh = made;
    if (made == NULL)
        return GRAZE_ERROR_MEMORY;
    made->file_bytes = file_bytes;
    *sink = (graze_mesh_sink){
        .user = made,
        .begin = keep_header,
        .vertices = keep_vertices,
        .triangles = keep_triangles,
        .object = keep_object,
        .end = keep_losses,
        .position = fetch_position,
    };
    return GRAZE_OK;
}

graze_mesh *gz_mesh_of_sink(const graze_mesh_sink *sink)
{
    return sink->vertices == keep_vertices ? sink->user : NULL;
}

static graze_status read_file(gz_file *file, const graze_mesh_read_def *def, graze_mesh **mesh)
{
    graze_mesh *made = NULL;
    graze_mesh_sink sink;
    graze_status status =
        gz_mesh_collect(file->context, file->path, file->byte_count, &made, &sink);
    if (status != GRAZE_OK)
        return status;
    return finish_mesh(gz_mesh_stream_file(file, def, &sink), made, mesh);
}

graze_status graze_mesh_read(graze_context *context, const char *path,
                             const graze_mesh_read_def *def, graze_mesh **mesh)
{
    if (mesh != NULL)
        *mesh = NULL;
    if (context == NULL || path == NULL || mesh == NULL)
        return gz_fail_null(context, "graze_mesh_read");
    gz_file file;
    graze_status status = gz_file_open(context, path, &file);
    if (status != GRAZE_OK)
        return status;
    status = read_file(&file, def, mesh);
    gz_file_close(&file);
    return status;
}

static graze_status copy_view(graze_mesh *made, const graze_mesh_view *view)
{
    set_precision(made, view->precision);
    made->metres_per_unit = view->metres_per_unit;
    uint64_t bytes = 0;
    if (!gz_mul(view->vertex_count, vertex_bytes(made), &bytes) || bytes > SIZE_MAX ||
        !gz_items_reserve(made->context, &made->positions, view->vertex_count))
        return out_of_memory(made, "vertices", view->vertex_count);
    if (!gz_list_reserve(made->context, &made->corners, view->triangle_count))
        return out_of_memory(made, "triangles", view->triangle_count);
    made->positions.count = view->vertex_count;
    made->corners.count = view->triangle_count;
    if (bytes != 0)
        memcpy(made->positions.items, view->positions, (size_t)bytes);
    if (view->triangle_count != 0)
        memcpy(made->corners.items, view->corners,
               (size_t)view->triangle_count * sizeof(uint32_t[3]));
    graze_status status = GRAZE_OK;
    for (uint64_t i = 0; i < gz_view_object_count(view) && status == GRAZE_OK; ++i) {
        graze_object object = gz_view_object(view, i);
        status = keep_object(made, &object);
    }
    return status;
}

graze_status graze_mesh_create(graze_context *context, const graze_mesh_view *view,
                               graze_mesh **mesh)
{
    if (mesh != NULL)
        *mesh = NULL;
    if (context == NULL || view == NULL || mesh == NULL)
        return gz_fail_null(context, "graze_mesh_create");
    graze_status status = gz_view_check(context, "graze_mesh_create", view);
    if (status != GRAZE_OK)
        return status;
    graze_mesh *made = make_mesh(context, "graze_mesh_create");
    if (made == NULL)
        return GRAZE_ERROR_MEMORY;
    return finish_mesh(copy_view(made, view), made, mesh);
}

void graze_mesh_free(graze_mesh *mesh)
{
    if (mesh == NULL)
        return;
    graze_context *context = mesh->context;
    graze_object *objects = mesh->objects.items;
    for (uint64_t i = 0; i < mesh->objects.count; ++i) {
        gz_string_free(context, (char *)objects[i].name);
        gz_string_free(context, (char *)objects[i].group);
    }
    gz_items_free(context, &mesh->positions);
    gz_list_free(context, &mesh->corners);
    gz_list_free(context, &mesh->objects);
    gz_release(context, mesh, sizeof *mesh);
}

graze_mesh_view graze_mesh_get(const graze_mesh *mesh)
{
    return (graze_mesh_view){
        .precision = mesh->precision,
        .metres_per_unit = mesh->metres_per_unit,
        .vertex_count = mesh->positions.count,
        .triangle_count = mesh->corners.count,
        .object_count = mesh->objects.count,
        .positions = mesh->positions.items,
        .corners = (const uint32_t *)mesh->corners.items,
        .objects = mesh->objects.items,
    };
}

graze_mesh_losses graze_mesh_get_losses(const graze_mesh *mesh) { return mesh->losses; }
