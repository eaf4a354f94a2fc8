// Sources become objects of a scene: files are opened, meshes are built first. See graze/scene.h.
#include <inttypes.h>
#include <string.h>

#include "base/context.h"
#include "base/def.h"
#include "query/shape_parts.h"
#include "scene/manifest.h"
#include "scene/scene_store.h"
#include "scene/sources.h"

static const char who[] = "graze_scene_add_source";

typedef struct adding {
    graze_scene *scene;
    graze_context *context;
    const graze_scene_build_def *def;
    uint64_t first_origin; // of this source
    uint32_t last1;        // object before
    double metres_per_unit;
    const char *unit_path; // who said so
} adding;

// Two files that say different units do not make one scene.
static graze_status agree_on_unit(adding *a, double metres, const char *path)
{
    if (metres == 0 && a->metres_per_unit != 0)
        gz_log(a->context, GRAZE_LOG_WARNING,
               "%s: it does not say its unit, which is taken to be that of the scene, %g m", path,
               a->metres_per_unit);
    if (metres == 0 || a->metres_per_unit == metres)
        return GRAZE_OK;
    if (a->metres_per_unit != 0)
        return gz_fail(a->context, GRAZE_ERROR_FORMAT,
                       "%s: its unit is %g m, but %s %s %g m: one scene has one unit", path, metres,
                       a->unit_path == NULL ? "the scene's" : a->unit_path,
                       a->unit_path == NULL ? "is" : "has", a->metres_per_unit);
    a->metres_per_unit = metres;
    a->unit_path = path;
    return GRAZE_OK;
}

static gz_scene_origin *push_origin(const adding *a)
{
    gz_scene_origin *origin = gz_list_push(a->context, &a->scene->origins, 1);
    if (origin != NULL)
        *origin = (gz_scene_origin){0};
    return origin;
}

static graze_status out_of_memory(const adding *a)
{
    return gz_fail(a->context, GRAZE_ERROR_MEMORY, "out of memory for the files of a scene");
}

// The objects of a scene file, put somewhere.
static graze_status add_objects(const adding *a, const char *group, const graze_pose *pose)
{
    graze_scene *scene = a->scene;
    uint32_t origin = (uint32_t)(scene->origins.count - 1);
    gz_scene_file *file = scene->origins.items[origin].file;
    graze_status status = GRAZE_OK;
    uint32_t count = gz_scene_file_get_info(file).object_count;
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i) {
        gz_file_object object = gz_scene_file_object(file, i);
        gz_body_info body = gz_scene_file_body(file, object.body);
        char *whole = gz_text_join(a->context, group, '/', object.group);
        if (whole == NULL)
            return out_of_memory(a);
        gz_new_object entry = {
            .name = object.name,
            .group = whole,
            .origin = origin,
            .body = object.body,
            .pose = pose == NULL ? object.pose : graze_pose_compose(pose, &object.pose),
            .own_box = body.box,
            .triangle_count = body.triangle_count,
            .hash = body.hash,
            .wide = body.precision == GRAZE_FLOAT64,
        };
        status = gz_scene_add_entry(scene, &entry, NULL);
        gz_string_free(a->context, whole);
    }
    return status;
}

static void add_losses(graze_mesh_losses *sum, const graze_mesh_losses *more)
{
    sum->nonfinite_vertices += more->nonfinite_vertices;
    sum->nonfinite_triangles += more->nonfinite_triangles;
    sum->empty_polygons += more->empty_polygons;
    sum->polygons += more->polygons;
    sum->other_primitives += more->other_primitives;
}

static graze_status agree_on_file(adding *a, gz_scene_file *file, const char *path)
{
    gz_scene_file_info info = gz_scene_file_get_info(file);
    add_losses(&a->scene->losses, &info.losses);
    return agree_on_unit(a, info.metres_per_unit, path);
}

// Meshes of one source that follow each other are built together.
static graze_status add_meshes(adding *a, const gz_source_file *files, uint32_t count)
{
    gz_scene_mesh *meshes = GZ_NEW_ARRAY(a->context, gz_scene_mesh, count);
    gz_scene_origin *origin = push_origin(a);
    if (meshes == NULL || origin == NULL) {
        GZ_FREE_ARRAY(a->context, meshes, count);
        return out_of_memory(a);
    }
    for (uint32_t i = 0; i < count; ++i)
        meshes[i] = gz_source_mesh(&files[i]);
    graze_scene_build_def def = *a->def;
    def.no_levels = 1;
    graze_status status =
        gz_scene_file_build_temporary(a->context, meshes, count, &def, &origin->file);
    GZ_FREE_ARRAY(a->context, meshes, count);
    if (status == GRAZE_OK)
        status = agree_on_file(a, origin->file, files[0].path);
    return status == GRAZE_OK ? add_objects(a, "", NULL) : status;
}

static graze_status add_scene(adding *a, const gz_source_file *file)
{
    gz_scene_origin *origin = push_origin(a);
    if (origin == NULL)
        return out_of_memory(a);
    graze_status status = gz_scene_file_open(a->context, file->path, &origin->file);
    if (status == GRAZE_OK)
        status = agree_on_file(a, origin->file, file->path);
    return status == GRAZE_OK ? add_objects(a, file->group, &file->pose) : status;
}

// One object, called as the file is.
static graze_status add_model(adding *a, const gz_source_file *file)
{
    gz_scene_origin *origin = push_origin(a);
    if (origin == NULL)
        return out_of_memory(a);
    graze_status status = graze_model_open(a->context, file->path, &origin->model);
    if (status == GRAZE_OK)
        status = graze_shape_from_model(origin->model, &origin->shape);
    if (status != GRAZE_OK)
        return status;
    graze_model_info info = graze_model_get_info(origin->model);
    status = agree_on_unit(a, info.metres_per_unit, file->path);
    if (status != GRAZE_OK)
        return status;
    add_losses(&a->scene->losses, &info.losses);
    const char *slash = strrchr(file->path, '/');
    gz_new_object entry = {.name = slash == NULL ? file->path : slash + 1,
                           .group = file->group,
                           .origin = (uint32_t)(a->scene->origins.count - 1),
                           .shape = origin->shape,
                           .pose = file->pose,
                           .own_box = info.box,
                           .triangle_count = info.triangle_count,
                           .wide = info.precision == GRAZE_FLOAT64};
    return gz_scene_add_entry(a->scene, &entry, NULL);
}

static graze_status add_files(adding *a, const gz_source_list *files)
{
    graze_status status = GRAZE_OK;
    uint32_t more = 1;
    for (uint64_t i = 0; i < files->count && status == GRAZE_OK; i += more) {
        const gz_source_file *file = &files->items[i];
        more = 1;
        if (file->kind == GZ_SOURCE_MESH) {
            while (i + more < files->count && file[more].kind == GZ_SOURCE_MESH)
                ++more;
            status = add_meshes(a, file, more);
        } else {
            status = file->kind == GZ_SOURCE_SCENE ? add_scene(a, file) : add_model(a, file);
        }
    }
    return status;
}

// The scene as it was before.
static void take_back(const adding *a, const graze_mesh_losses *losses)
{
    graze_scene *scene = a->scene;
    while (scene->last1 != a->last1)
        (void)graze_scene_remove(scene, gz_scene_id(scene, scene->last1));
    while (scene->origins.count > a->first_origin) {
        gz_scene_origin *origin = &scene->origins.items[--scene->origins.count];
        gz_scene_file_free(origin->file);
        graze_shape_free(origin->shape);
        graze_model_free(origin->model);
    }
    scene->losses = *losses;
}

graze_status graze_scene_add_source(graze_scene *scene, const graze_scene_source *source,
                                    const graze_scene_build_def *given)
{
    if (scene == NULL || source == NULL)
        return gz_fail_null(scene == NULL ? NULL : scene->context, who);
    graze_scene_build_def room = graze_scene_build_def_default();
    const graze_scene_build_def *def = gz_def_known(scene->context, who, given, &room, sizeof room);
    if (def == NULL)
        return GRAZE_ERROR_ARGUMENT;
    adding a = {.scene = scene,
                .context = scene->context,
                .def = def,
                .first_origin = scene->origins.count,
                .last1 = scene->last1,
                .metres_per_unit = scene->metres_per_unit};
    graze_mesh_losses losses = scene->losses;
    gz_source_list files = {0};
    graze_status status = gz_sources_expand(scene->context, source, &files);
    if (status == GRAZE_OK)
        status = add_files(&a, &files);
    if (status == GRAZE_OK)
        scene->metres_per_unit = a.metres_per_unit;
    else
        take_back(&a, &losses);
    gz_sources_free(scene->context, &files);
    return status;
}
