// Collects what is streamed. See gather.h.
#include "gather.h"

#include <stdlib.h>
#include <string.h>

// The header's counts are exact, so that the arrays are made once.
typedef struct collection {
    graze_mesh_view view;
    unsigned char *positions;
    uint32_t *corners;
    graze_object *objects;
    uint64_t vertices_done, corners_done;
} collection;

static graze_status collect_begin(void *user, const graze_mesh_header *header)
{
    collection *c = user;
    if (header->vertex_count_hint > UINT32_MAX || header->triangle_count_hint > SIZE_MAX / 16)
        return GRAZE_ERROR_MEMORY;
    c->view.precision = header->precision;
    c->view.metres_per_unit = header->metres_per_unit;
    c->view.vertex_count = header->vertex_count_hint;
    c->view.triangle_count = header->triangle_count_hint;
    c->positions = calloc((size_t)header->vertex_count_hint, 3 * (size_t)header->precision);
    c->corners = calloc((size_t)header->triangle_count_hint, 3 * sizeof *c->corners);
    return c->positions != NULL && c->corners != NULL ? GRAZE_OK : GRAZE_ERROR_MEMORY;
}

static graze_status collect_vertices(void *user, const void *positions, uint64_t count)
{
    collection *c = user;
    size_t item = 3 * (size_t)c->view.precision;
    memcpy(c->positions + c->vertices_done * item, positions, (size_t)count * item);
    c->vertices_done += count;
    return GRAZE_OK;
}

static graze_status collect_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    collection *c = user;
    for (uint64_t i = 0; i < 3 * count; ++i)
        c->corners[c->corners_done++] = (uint32_t)corners[i];
    return GRAZE_OK;
}

// Name and group share one block.
static graze_status collect_object(void *user, const graze_object *object)
{
    collection *c = user;
    graze_object *objects =
        realloc(c->objects, (size_t)(c->view.object_count + 1) * sizeof *objects);
    if (objects == NULL)
        return GRAZE_ERROR_MEMORY;
    c->objects = objects;
    size_t name_bytes = strlen(object->name) + 1, group_bytes = strlen(object->group) + 1;
    char *text = malloc(name_bytes + group_bytes);
    if (text == NULL)
        return GRAZE_ERROR_MEMORY;
    memcpy(text, object->name, name_bytes);
    memcpy(text + name_bytes, object->group, group_bytes);
    objects[c->view.object_count] = *object;
    objects[c->view.object_count].name = text;
    objects[c->view.object_count].group = text + name_bytes;
    ++c->view.object_count;
    return GRAZE_OK;
}

graze_status generator_gather(graze_context *context, generator_stream *stream, const void *what,
                              graze_mesh **mesh)
{
    *mesh = NULL;
    collection c = {0};
    graze_mesh_sink sink = {.user = &c,
                            .begin = collect_begin,
                            .vertices = collect_vertices,
                            .triangles = collect_triangles,
                            .object = collect_object};
    graze_status status = stream(what, &sink);
    if (status == GRAZE_OK) {
        c.view.positions = c.positions;
        c.view.corners = c.corners;
        c.view.objects = c.objects;
        status = graze_mesh_create(context, &c.view, mesh);
    }
    for (uint64_t i = 0; i < c.view.object_count; ++i)
        free((char *)(uintptr_t)c.objects[i].name);
    free(c.objects);
    free(c.positions);
    free(c.corners);
    return status;
}
