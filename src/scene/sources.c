// Folders and manifests become lists of files. See sources.h.
//
// A folder gives its files in the order of their names, each as a group of its own, and then its
// folders in the same way. A manifest is JSON, see docs/format.md.
#include "scene/sources.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/context.h"
#include "base/file.h"
#include "base/json.h"
#include "geometry/pose.h"
#include "mesh/number.h"
#include "scene/manifest.h"

#define DEEPEST 64 // folders in folders; links may lead round and round

void gz_sources_free(graze_context *context, gz_source_list *files)
{
    for (uint64_t i = 0; i < files->count; ++i) {
        gz_string_free(context, files->items[i].path);
        gz_string_free(context, files->items[i].group);
    }
    gz_list_free(context, files);
}

static bool moves_nothing(const graze_pose *pose)
{
    bool same = true;
    for (int i = 0; i < 9; ++i)
        same &= pose->rotation[i] == (i % 4 == 0 ? 1 : 0);
    for (int i = 0; i < 3; ++i)
        same &= pose->translation[i] == 0;
    return same;
}

gz_scene_mesh gz_source_mesh(const gz_source_file *file)
{
    return (gz_scene_mesh){.path = file->path,
                           .group = file->group,
                           .pose = moves_nothing(&file->pose) ? NULL : &file->pose,
                           .metres_per_unit = file->metres_per_unit};
}

static graze_status out_of_memory(graze_context *context)
{
    return gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory for the files of a scene");
}

// Two texts with something between them, if both are there. NULL when out of memory.
char *gz_text_join(graze_context *context, const char *a, char between, const char *b)
{
    uint64_t room = strlen(a) + strlen(b) + 2;
    char *text = gz_allocate(context, room);
    if (text == NULL)
        return NULL;
    char middle[2] = {*a != 0 && *b != 0 ? between : 0, 0};
    snprintf(text, (size_t)room, "%s%s%s", a, middle, b);
    char *copy = gz_string_copy(context, text);
    gz_release(context, text, room);
    return copy;
}

// --- Names

// Endings of files that may be meshes; those of packed ones follow them.
static bool may_be_mesh(const char *name)
{
    static const char *const endings[] = {"ply", "stl", "obj",   "off",  "gltf", "glb", "graze",
                                          "ifc", "dae", "fbx",   "3ds",  "3mf",  "x3d", "x3db",
                                          "dxf", "lwo", "blend", "ms3d", "ac",   "x",   "step",
                                          "stp", "wrl", "q3o",   "nff",  "raw",  "smd", "md5mesh"};
    size_t length = strlen(name);
    if (length > 3 && strcasecmp(name + length - 3, ".gz") == 0)
        length -= 3;
    else if (length > 4 && strcasecmp(name + length - 4, ".zst") == 0)
        length -= 4;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
        size_t more = strlen(endings[i]);
        if (length > more + 1 && name[length - more - 1] == '.' &&
            strncasecmp(name + length - more, endings[i], more) == 0)
            return true;
    }
    return false;
}

static bool is_manifest(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && strcasecmp(path + length - 5, ".json") == 0;
}

// The name of a file without its folder and its ending, and what packed it: "pipes" for
// "parts/pipes.obj.gz". NULL when out of memory.
static char *copy_stem(graze_context *context, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = gz_string_copy(context, slash == NULL ? path : slash + 1);
    if (name == NULL)
        return NULL;
    size_t length = strlen(name), stem = length;
    for (bool packed = true; packed;) {
        size_t point = stem;
        while (point > 0 && name[point - 1] != '.')
            --point;
        if (point <= 1) // no ending, or nothing before it
            break;
        packed = stem == length &&
                 (strcasecmp(name + point, "gz") == 0 || strcasecmp(name + point, "zst") == 0);
        stem = point - 1;
    }
    char kept = name[stem];
    name[stem] = 0;
    char *copy = gz_string_copy(context, name);
    name[stem] = kept; // strings know their size by their length
    gz_string_free(context, name);
    return copy;
}

// --- Files

graze_status gz_sources_add_file(graze_context *context, const char *path, const char *group,
                                 const graze_pose *pose, double metres_per_unit,
                                 gz_source_list *files)
{
    gz_source_file *file = gz_list_push(context, files, 1);
    if (file == NULL)
        return out_of_memory(context);
    *file = (gz_source_file){.kind = graze_scene_recognise(path) != 0   ? GZ_SOURCE_SCENE
                                     : graze_model_recognise(path) != 0 ? GZ_SOURCE_MODEL
                                                                        : GZ_SOURCE_MESH,
                             .path = gz_string_copy(context, path),
                             .group = gz_string_copy(context, group),
                             .pose = *pose,
                             .metres_per_unit = metres_per_unit};
    return file->path == NULL || file->group == NULL ? out_of_memory(context) : GRAZE_OK;
}

// --- Folders

typedef struct name_list {
    GZ_LIST(char *) names;
} name_list;

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_names(graze_context *context, name_list *list)
{
    for (uint64_t i = 0; i < list->names.count; ++i)
        gz_string_free(context, list->names.items[i]);
    gz_list_free(context, &list->names);
}

static graze_status list_folder(graze_context *context, const char *path, name_list *list)
{
    DIR *folder = opendir(path);
    if (folder == NULL)
        return gz_fail(context, GRAZE_ERROR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    graze_status status = GRAZE_OK;
    const struct dirent *entry;
    while (status == GRAZE_OK && (errno = 0, entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        char *copy = gz_string_copy(context, entry->d_name);
        char **slot = copy == NULL ? NULL : gz_list_push(context, &list->names, 1);
        if (slot == NULL) {
            gz_string_free(context, copy);
            status = out_of_memory(context);
        } else {
            *slot = copy;
        }
    }
    if (status == GRAZE_OK && errno != 0)
        status = gz_fail(context, GRAZE_ERROR_IO, "%s: cannot be read: %s", path, strerror(errno));
    (void)closedir(folder);
    if (status == GRAZE_OK && list->names.count > 1)
        qsort(list->names.items, (size_t)list->names.count, sizeof(char *), compare_names);
    return status;
}

typedef struct folder_walk {
    graze_context *context;
    gz_source_list *files;
    const graze_pose *pose;
    double metres_per_unit;
    uint64_t skipped;
    uint64_t found;
} folder_walk;

static graze_status walk_folder(folder_walk *walk, const char *path, const char *group, int depth);

// One name of a folder: a file in the first round, a folder in the second.
static graze_status walk_name(folder_walk *walk, const char *folder, const char *name,
                              const char *group, bool folders, int depth)
{
    graze_context *context = walk->context;
    struct stat about;
    graze_status status = GRAZE_OK;
    size_t length = strlen(folder);
    bool ended = length != 0 && folder[length - 1] == '/'; // "parts/" is "parts"
    char *path = gz_text_join(context, folder, (char)(ended ? 0 : '/'), name);
    char *stem = folders ? gz_string_copy(context, name) : copy_stem(context, name);
    char *inner = path == NULL || stem == NULL ? NULL : gz_text_join(context, group, '/', stem);
    if (inner == NULL)
        status = out_of_memory(context);
    else if (stat(path, &about) != 0)
        status =
            gz_fail(context, GRAZE_ERROR_IO, "%s: cannot be looked at: %s", path, strerror(errno));
    else if (S_ISDIR(about.st_mode) && folders)
        status = walk_folder(walk, path, inner, depth + 1);
    else if (!S_ISDIR(about.st_mode) && !folders) {
        if (S_ISREG(about.st_mode) && may_be_mesh(name)) {
            walk->found++;
            status = gz_sources_add_file(context, path, inner, walk->pose, walk->metres_per_unit,
                                         walk->files);
        } else {
            if (walk->skipped++ == 0)
                gz_log(context, GRAZE_LOG_WARNING, "%s: left out: its name is not that of a mesh",
                       path);
        }
    }
    gz_string_free(context, path);
    gz_string_free(context, stem);
    gz_string_free(context, inner);
    return status;
}

static graze_status walk_folder(folder_walk *walk, const char *path, const char *group, int depth)
{
    if (depth > DEEPEST)
        return gz_fail(walk->context, GRAZE_ERROR_UNSUPPORTED, "%s: folders are more than %d deep",
                       path, DEEPEST);
    name_list list = {0};
    graze_status status = list_folder(walk->context, path, &list);
    for (int folders = 0; folders < 2; ++folders)
        for (uint64_t i = 0; i < list.names.count && status == GRAZE_OK; ++i)
            status = walk_name(walk, path, list.names.items[i], group, folders != 0, depth);
    free_names(walk->context, &list);
    return status;
}

static graze_status expand_folder(graze_context *context, const char *path, const char *group,
                                  const graze_pose *pose, double metres_per_unit,
                                  gz_source_list *files)
{
    folder_walk walk = {context, files, pose, metres_per_unit, 0, 0};
    graze_status status = walk_folder(&walk, path, group, 1);
    if (status == GRAZE_OK && walk.skipped > 1)
        gz_log(context, GRAZE_LOG_WARNING,
               "%s: %" PRIu64 " files were left out: their names are not those of meshes", path,
               walk.skipped);
    if (status == GRAZE_OK && walk.found == 0)
        status = gz_fail(context, GRAZE_ERROR_FORMAT, "%s: there is no mesh in this folder", path);
    return status;
}

graze_status gz_sources_add_path(graze_context *context, const char *path, const char *group,
                                 const graze_pose *pose, double metres_per_unit,
                                 gz_source_list *files)
{
    struct stat about;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return expand_folder(context, path, group, pose, metres_per_unit, files);
    return gz_sources_add_file(context, path, group, pose, metres_per_unit, files);
}

graze_status gz_sources_expand(graze_context *context, const graze_scene_source *source,
                               gz_source_list *files)
{
    if (source->path == NULL)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT, "a source of a scene has no path");
    graze_pose pose = source->pose == NULL ? graze_pose_identity() : *source->pose;
    if (!gz_pose_sound(&pose))
        return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                       "%s: the pose of this source is not a rotation and a translation",
                       source->path);
    const char *group = source->group == NULL ? "" : source->group;
    if (is_manifest(source->path))
        return gz_manifest_read(context, source->path, group, &pose, files);
    return gz_sources_add_path(context, source->path, group, &pose, 0, files);
}
