// Opens scenes, holds their frames, and hands them on. See frames.h.
#include "frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames_build.h"
#include "gather.h"

const generator_frames_scene generator_frames_scenes[] = {
    {"cylinders", "100 open cylinders of 200 triangles that move and deform in a unit cube"},
    {"tori", "six rings of 20,000 triangles that do the same"},
    {"models", "a hare of 35 thousand triangles that passes through a serpent of 250 thousand"},
    {"breaking", "the same, and the serpent breaks into 128 pieces"},
    {"cloth", "a sheet of 200 thousand triangles that folds onto itself"},
    {NULL, NULL}};
static const frame_scene *const scenes[] = {&frame_scene_cylinders, &frame_scene_tori,
                                            &frame_scene_models, &frame_scene_breaking,
                                            &frame_scene_cloth};

// --- Opening

static const frame_scene *find_scene(const char *name)
{
    for (size_t i = 0; name != NULL && generator_frames_scenes[i].name != NULL; ++i)
        if (strcmp(generator_frames_scenes[i].name, name) == 0)
            return scenes[i];
    return NULL;
}

// The bounds of the counts keep their product, and all that is derived from it, small.
static bool fill_defaults(generator_frames_def *def, const frame_scene *scene)
{
    if ((def->object_count != 0 && scene->object_count == 0) ||
        (def->density != 0.0 && scene->density == 0.0))
        return false;
    if (def->frame_count == 0)
        def->frame_count = 500;
    if (def->object_count == 0)
        def->object_count = scene->object_count;
    if (def->triangle_count == 0)
        def->triangle_count = scene->triangle_count;
    if (def->density == 0.0)
        def->density = scene->density;
    uint64_t factor = def->object_count != 0 && scene->density != 0.0 ? def->object_count : 1;
    return def->object_count <= GENERATOR_FRAMES_OBJECTS &&
           def->triangle_count <= GENERATOR_FRAMES_TRIANGLES / factor && def->density >= 0.0 &&
           def->density < 1.0;
}

graze_status generator_frames_open(const generator_frames_def *def, generator_frames **frames)
{
    *frames = NULL;
    const frame_scene *scene = find_scene(def->scene);
    generator_frames filled = {.def = *def, .scene = scene};
    if (scene == NULL || !fill_defaults(&filled.def, scene))
        return GRAZE_ERROR_ARGUMENT;
    generator_frames *opened = malloc(sizeof *opened);
    if (opened == NULL)
        return GRAZE_ERROR_MEMORY;
    *opened = filled;
    graze_status status = scene->open != NULL ? scene->open(opened) : GRAZE_OK;
    if (status == GRAZE_OK)
        *frames = opened;
    else
        free(opened);
    return status;
}

void generator_frames_close(generator_frames *frames)
{
    if (frames == NULL)
        return;
    if (frames->scene->close != NULL)
        frames->scene->close(frames->story);
    free(frames->positions);
    free(frames->corners);
    free(frames->objects);
    free(frames->views);
    free((void *)frames->names);
    free(frames);
}

// --- Making a frame

static bool has_room(void **array, uint64_t *room, uint64_t count, size_t item_bytes)
{
    if (count <= *room)
        return true;
    uint64_t wanted = count + count / 4 + 16;
    if (wanted > SIZE_MAX / item_bytes)
        return false;
    void *larger = realloc(*array, (size_t)wanted * item_bytes);
    if (larger == NULL)
        return false;
    *array = larger;
    *room = wanted;
    return true;
}

graze_status frame_add(generator_frames *frames, const char *name, uint64_t number,
                       uint64_t vertex_count, uint64_t triangle_count, float **positions,
                       uint32_t **corners)
{
    void *points = frames->positions, *triangles = frames->corners, *objects = frames->objects;
    bool fits = has_room(&points, &frames->vertex_room, frames->vertex_count + vertex_count,
                         3 * sizeof *frames->positions);
    frames->positions = points;
    fits = has_room(&triangles, &frames->triangle_room, frames->triangle_count + triangle_count,
                    3 * sizeof *frames->corners) &&
           fits;
    frames->corners = triangles;
    fits = has_room(&objects, &frames->object_room, frames->object_count + 1,
                    sizeof *frames->objects) &&
           fits;
    frames->objects = objects;
    if (!fits)
        return GRAZE_ERROR_MEMORY;
    frame_object *object = &frames->objects[frames->object_count++];
    object->first_vertex = frames->vertex_count;
    object->vertex_count = vertex_count;
    object->first_triangle = frames->triangle_count;
    object->triangle_count = triangle_count;
    if (number == 0)
        snprintf(object->name, sizeof object->name, "%s", name);
    else
        snprintf(object->name, sizeof object->name, "%s %" PRIu64, name, number);
    *positions = frames->positions + 3 * frames->vertex_count;
    *corners = frames->corners + 3 * frames->triangle_count;
    frames->vertex_count += vertex_count;
    frames->triangle_count += triangle_count;
    return GRAZE_OK;
}

// Views point into arrays that have stopped growing.
static graze_status show(generator_frames *frames, generator_frame *frame)
{
    uint64_t view_room = frames->view_room, name_room = frames->view_room;
    void *views = frames->views, *names = (void *)frames->names;
    bool fits = has_room(&views, &view_room, frames->object_count, sizeof *frames->views);
    frames->views = views;
    fits = has_room(&names, &name_room, frames->object_count, sizeof *frames->names) && fits;
    frames->names = names;
    if (!fits)
        return GRAZE_ERROR_MEMORY;
    frames->view_room = view_room;
    for (uint64_t i = 0; i < frames->object_count; ++i) {
        const frame_object *object = &frames->objects[i];
        frames->names[i] = object->name;
        frames->views[i] =
            (graze_mesh_view){.precision = GRAZE_FLOAT32,
                              .vertex_count = object->vertex_count,
                              .triangle_count = object->triangle_count,
                              .positions = frames->positions + 3 * object->first_vertex,
                              .corners = frames->corners + 3 * object->first_triangle};
    }
    *frame = (generator_frame){.object_count = (uint32_t)frames->object_count,
                               .objects = frames->views,
                               .names = frames->names,
                               .vertex_count = frames->vertex_count,
                               .triangle_count = frames->triangle_count};
    return GRAZE_OK;
}

graze_status generator_frames_at(generator_frames *frames, uint32_t number, generator_frame *frame)
{
    *frame = (generator_frame){0};
    frames->vertex_count = frames->triangle_count = frames->object_count = 0;
    graze_status status = frames->scene->make(frames, number);
    return status == GRAZE_OK ? show(frames, frame) : status;
}

// --- Handing it on

static graze_status stream_triangles(const graze_mesh_view *view, uint64_t first_vertex,
                                     const graze_mesh_sink *sink)
{
    enum { BATCH = 1024 };
    uint64_t corners[3 * BATCH];
    graze_status status = GRAZE_OK;
    for (uint64_t done = 0; status == GRAZE_OK && done < view->triangle_count;) {
        uint64_t count = view->triangle_count - done < BATCH ? view->triangle_count - done : BATCH;
        for (uint64_t i = 0; i < 3 * count; ++i)
            corners[i] = first_vertex + view->corners[3 * done + i];
        status = sink->triangles(sink->user, corners, count);
        done += count;
    }
    return status;
}

graze_status generator_frame_stream(const generator_frame *frame, const graze_mesh_sink *sink)
{
    graze_mesh_header header = {.precision = GRAZE_FLOAT32,
                                .vertex_count_hint = frame->vertex_count,
                                .triangle_count_hint = frame->triangle_count,
                                .encoding = "generated"};
    graze_status status = sink->begin != NULL ? sink->begin(sink->user, &header) : GRAZE_OK;
    for (uint32_t i = 0; i < frame->object_count && status == GRAZE_OK; ++i)
        if (sink->vertices != NULL)
            status = sink->vertices(sink->user, frame->objects[i].positions,
                                    frame->objects[i].vertex_count);
    uint64_t vertices = 0, triangles = 0;
    for (uint32_t i = 0; i < frame->object_count && status == GRAZE_OK; ++i) {
        const graze_mesh_view *view = &frame->objects[i];
        graze_object object = {.name = frame->names[i],
                               .group = "",
                               .first_triangle = triangles,
                               .triangle_count = view->triangle_count,
                               .matrix = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
        if (sink->triangles != NULL)
            status = stream_triangles(view, vertices, sink);
        if (status == GRAZE_OK && sink->object != NULL)
            status = sink->object(sink->user, &object);
        vertices += view->vertex_count;
        triangles += view->triangle_count;
    }
    if (status == GRAZE_OK && sink->end != NULL)
        status = sink->end(sink->user, &(graze_mesh_losses){0});
    return status;
}

static graze_status stream_whole(const void *what, const graze_mesh_sink *sink)
{
    return generator_frame_stream(what, sink);
}

graze_status generator_frame_make(graze_context *context, const generator_frame *frame,
                                  graze_mesh **mesh)
{
    return generator_gather(context, stream_whole, frame, mesh);
}
