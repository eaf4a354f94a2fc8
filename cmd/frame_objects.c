// See frame_objects.h.
#include "frame_objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lay_out.h"

// --- Names

typedef struct named {
    char *name;
    uint32_t object;
} named;

// "group/name"; an object without either is called by its number.
static char *name_object(const graze_object *object, uint32_t number)
{
    size_t bytes = strlen(object->group) + strlen(object->name) + 24;
    char *name = malloc(bytes);
    const char *between = object->group[0] != '\0' && object->name[0] != '\0' ? "/" : "";
    if (name != NULL && object->group[0] == '\0' && object->name[0] == '\0')
        snprintf(name, bytes, "object %" PRIu32, number);
    else if (name != NULL)
        snprintf(name, bytes, "%s%s%s", object->group, between, object->name);
    return name;
}

static int by_name(const void *left, const void *right)
{
    const named *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : a->object < b->object ? -1 : 1;
}

static char *numbered(const char *name, uint32_t number)
{
    size_t bytes = strlen(name) + 16;
    char *longer = malloc(bytes);
    if (longer != NULL)
        snprintf(longer, bytes, "%s#%" PRIu32, name, number);
    return longer;
}

// The second of one name has #2 behind it, in the order of the file.
static graze_status tell_apart(frame_objects *frame)
{
    named *all = malloc(frame->count * sizeof *all + 1);
    if (all == NULL)
        return GRAZE_ERROR_MEMORY;
    for (uint32_t i = 0; i < frame->count; ++i)
        all[i] = (named){frame->names[i], i};
    qsort(all, frame->count, sizeof *all, by_name);
    graze_status status = GRAZE_OK;
    for (uint32_t first = 0, i = 1; i < frame->count && status == GRAZE_OK; ++i) {
        if (strcmp(all[first].name, all[i].name) != 0) {
            first = i;
            continue;
        }
        char *longer = numbered(all[first].name, i - first + 1);
        if (longer == NULL)
            status = GRAZE_ERROR_MEMORY;
        else
            frame->names[all[i].object] = longer;
    }
    for (uint32_t i = 0; i < frame->count; ++i)
        if (frame->names[all[i].object] != all[i].name)
            free(all[i].name);
    free(all);
    return status;
}

static graze_status take_names(frame_objects *frame, const graze_mesh_view *view)
{
    frame->names = calloc((size_t)frame->count + 1, sizeof *frame->names);
    graze_status status = frame->names != NULL ? GRAZE_OK : GRAZE_ERROR_MEMORY;
    for (uint32_t i = 0; i < frame->count && status == GRAZE_OK; ++i) {
        frame->names[i] = name_object(&view->objects[i], i + 1);
        if (frame->names[i] == NULL)
            status = GRAZE_ERROR_MEMORY;
    }
    return status == GRAZE_OK ? tell_apart(frame) : status;
}

// --- Triangles

// From the first to the last vertex that an object names.
typedef struct vertex_range {
    uint64_t first, count;
} vertex_range;

static vertex_range range_of(const graze_mesh_view *view, const graze_object *object)
{
    uint64_t low = UINT64_MAX, high = 0;
    const uint32_t *corners = view->corners + 3 * object->first_triangle;
    for (uint64_t i = 0; i < 3 * object->triangle_count; ++i) {
        low = corners[i] < low ? corners[i] : low;
        high = corners[i] > high ? corners[i] : high;
    }
    return object->triangle_count == 0 ? (vertex_range){0, 0} : (vertex_range){low, high - low + 1};
}

static void *take_bytes(const frame_objects *frame, uint64_t count, size_t item_bytes)
{
    uint64_t most = frame->most_bytes != 0 ? frame->most_bytes : SIZE_MAX;
    return count < most / item_bytes ? malloc((size_t)count * item_bytes + 1) : NULL;
}

static void view_range(frame_objects *frame, const graze_mesh_view *view, uint32_t number)
{
    const graze_object *object = &view->objects[number];
    vertex_range range = range_of(view, object);
    uint32_t *corners = frame->corners + 3 * object->first_triangle;
    for (uint64_t i = 0; i < 3 * object->triangle_count; ++i)
        corners[i] = view->corners[3 * object->first_triangle + i] - (uint32_t)range.first;
    frame->views[number].vertex_count = range.count;
    frame->views[number].positions =
        (const char *)view->positions + 3 * range.first * view->precision;
    frame->views[number].corners = corners;
}

// Every triangle gets vertices of its own.
static void view_soup(frame_objects *frame, const graze_mesh_view *view, uint32_t number)
{
    const graze_object *object = &view->objects[number];
    size_t vertex_bytes = 3 * (size_t)view->precision;
    char *positions = (char *)frame->positions + 3 * object->first_triangle * vertex_bytes;
    uint32_t *corners = frame->corners + 3 * object->first_triangle;
    for (uint64_t i = 0; i < 3 * object->triangle_count; ++i) {
        uint64_t vertex = view->corners[3 * object->first_triangle + i];
        memcpy(positions + i * vertex_bytes, (const char *)view->positions + vertex * vertex_bytes,
               vertex_bytes);
        corners[i] = (uint32_t)i;
    }
    frame->views[number].vertex_count = 3 * object->triangle_count;
    frame->views[number].positions = positions;
    frame->views[number].corners = corners;
}

// Most files have the vertices of an object in a row: then they stay where they are. Objects that
// pick theirs from all over the file would have to look at all of it, each.
static graze_status take_views(frame_objects *frame, const graze_mesh_view *view)
{
    uint64_t seen = 0;
    frame->views = malloc(frame->count * sizeof *frame->views + 1);
    if (frame->views == NULL)
        return GRAZE_ERROR_MEMORY;
    for (uint32_t i = 0; i < frame->count; ++i) {
        frame->views[i] = *view;
        frame->views[i].triangle_count = view->objects[i].triangle_count;
        frame->views[i].object_count = 0;
        frame->views[i].objects = NULL;
        seen += range_of(view, &view->objects[i]).count;
    }
    if (frame->count <= 1)
        return GRAZE_OK;
    frame->corners = take_bytes(frame, 3 * view->triangle_count, sizeof *frame->corners);
    bool rows = seen <= 2 * view->vertex_count || seen <= 3 * view->triangle_count;
    if (!rows)
        frame->positions = take_bytes(frame, 3 * view->triangle_count, 3 * (size_t)view->precision);
    if (frame->corners == NULL || (!rows && frame->positions == NULL))
        return GRAZE_ERROR_MEMORY;
    for (uint32_t i = 0; i < frame->count; ++i)
        (rows ? view_range : view_soup)(frame, view, i);
    return GRAZE_OK;
}

// --- Files

graze_status read_frame_objects(cmd_session *session, const cmd_arguments *arguments,
                                const char *path, double metres, frame_objects *frame)
{
    graze_mesh_read_def def = graze_mesh_read_def_default();
    def.metres_per_unit = arguments->metres;
    graze_status status = graze_mesh_read(session->context, input_path(path), &def, &frame->mesh);
    if (status != GRAZE_OK)
        return status;
    frame->losses = graze_mesh_get_losses(frame->mesh);
    frame->metres_per_unit = graze_mesh_get(frame->mesh).metres_per_unit;
    double scale = 1.0;
    if (metres > 0.0 && frame->metres_per_unit > 0.0)
        scale = frame->metres_per_unit / metres;
    status = lay_out(session->context, &frame->mesh, scale);
    if (status != GRAZE_OK)
        return status;
    graze_mesh_view view = graze_mesh_get(frame->mesh);
    if (view.object_count > UINT32_MAX)
        return GRAZE_ERROR_UNSUPPORTED;
    frame->count = (uint32_t)view.object_count;
    frame->triangle_count = view.triangle_count;
    status = take_names(frame, &view);
    return status == GRAZE_OK ? take_views(frame, &view) : status;
}

void free_frame_objects(frame_objects *frame)
{
    for (uint32_t i = 0; frame->names != NULL && i < frame->count; ++i)
        free(frame->names[i]);
    free(frame->names);
    free(frame->views);
    free(frame->corners);
    free(frame->positions);
    graze_mesh_free(frame->mesh);
    *frame = (frame_objects){.most_bytes = frame->most_bytes};
}
