// See scene_files.h.
#include "scene_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "units.h"

#define SLACK_PART   16
#define THREAD_BYTES (UINT64_C(256) << 10)
#define LEAST_MEMORY (UINT64_C(24) << 20)

// Bytes of this process that are in memory; a guess where the system does not tell.
static uint64_t resident_bytes(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%*u %llu", &pages) != 1)
        pages = 2048;
    if (file != NULL)
        fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

int share_memory(const cmd_arguments *arguments, const char *what, uint64_t *share)
{
    uint64_t memory = arguments->number[OPTION_MEMORY];
    uint64_t threads = arguments->number[OPTION_THREADS];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    *share = 0;
    if (!is_given(arguments, OPTION_MEMORY) || memory == 0)
        return EXIT_NOTHING_FOUND;
    if (threads == 0)
        threads = cores > 0 ? (uint64_t)cores : 1;
    uint64_t before = resident_bytes() + threads * THREAD_BYTES + memory / SLACK_PART;
    if (memory < LEAST_MEMORY || before > memory / 2) {
        say("%s takes --memory %dM at least, and more with many threads", what,
            (int)(LEAST_MEMORY >> 20));
        return EXIT_RESOURCES;
    }
    *share = memory - before;
    return EXIT_NOTHING_FOUND;
}

char *file_stem(const char *path)
{
    char *copy = strdup(path), *name = copy, *slash = NULL;
    if (copy == NULL)
        return NULL;
    for (size_t length = strlen(copy); length > 1 && copy[length - 1] == '/'; --length)
        copy[length - 1] = '\0';
    slash = strrchr(copy, '/');
    if (slash != NULL && slash[1] != '\0')
        name = slash + 1;
    for (int i = 0; i < 2; ++i) {
        char *point = strrchr(name, '.');
        if (point == NULL || point == name)
            break;
        bool packed = strcasecmp(point, ".gz") == 0 || strcasecmp(point, ".zst") == 0;
        *point = '\0';
        if (!packed)
            break;
    }
    memmove(copy, name, strlen(name) + 1);
    return copy;
}

// --- Files with several objects

static graze_status begin_count(void *user, const graze_mesh_header *header)
{
    (void)user;
    bool one = header->format == GRAZE_FORMAT_PLY || header->format == GRAZE_FORMAT_OFF;
    return one ? GRAZE_ERROR_CANCELLED : GRAZE_OK;
}

static graze_status count_object(void *user, const graze_object *object)
{
    uint64_t *count = user;
    (void)object;
    return ++*count < 2 ? GRAZE_OK : GRAZE_ERROR_CANCELLED; // two are enough to know
}

// Polygons are cut somehow: their triangles do not matter, and no vertex is kept for them.
static graze_status no_position(void *user, uint64_t vertex, double out[3])
{
    (void)user;
    (void)vertex;
    out[0] = out[1] = out[2] = 0.0;
    return GRAZE_OK;
}

bool has_several_objects(cmd_session *session, const char *path)
{
    uint64_t count = 0;
    graze_mesh_sink sink = {
        .user = &count, .begin = begin_count, .object = count_object, .position = no_position};
    session->muted = session->own_bar = true;
    (void)graze_mesh_stream(session->context, path, NULL, &sink);
    session->muted = session->own_bar = false;
    return count > 1;
}

// --- Scenes

graze_status open_scene(graze_context *context, const char *path, graze_scene **scene)
{
    graze_scene_source source = {.path = path};
    graze_status status = graze_scene_create(context, scene);
    if (status == GRAZE_OK)
        status = graze_scene_add_source(*scene, &source, NULL);
    if (status != GRAZE_OK) {
        graze_scene_free(*scene);
        *scene = NULL;
    }
    return status;
}

graze_status refuse_scene(cmd_session *session, const char *operand)
{
    graze_scene *scene = NULL;
    char count[TEXT_BYTES];
    const char *path = input_path(operand);
    if (graze_scene_recognise(path) == 0)
        return GRAZE_OK;
    graze_status status = open_scene(session->context, path, &scene);
    if (status != GRAZE_OK)
        return status;
    uint64_t objects = graze_scene_get_info(scene).object_count;
    graze_scene_free(scene);
    session_error(session,
                  "%s: this is a scene of %s %s: graze clash and graze path ask about scenes, and "
                  "graze build --one makes a single model of a mesh",
                  operand, print_count(count, objects), objects == 1 ? "object" : "objects");
    return GRAZE_ERROR_FORMAT;
}

void warn_of_empty_objects(const cmd_session *session, const graze_scene *scene)
{
    uint64_t count = 0;
    char number[TEXT_BYTES], first[256] = "";
    graze_scene_object object;
    for (graze_object_id id = graze_scene_next(scene, (graze_object_id){0});
         id.index1 != 0 && graze_scene_get(scene, id, &object) == GRAZE_OK;
         id = graze_scene_next(scene, id))
        if (object.triangle_count == 0 && count++ == 0)
            snprintf(first, sizeof first, "%s", object.path);
    if (count == 1)
        note(session, "warning: \"%s\" has no triangles", first);
    else if (count > 1)
        note(session, "warning: %s objects have no triangles; the first is \"%s\"",
             print_count(number, count), first);
}
