// Scenes: objects are added, moved, removed, and found. See graze/scene.h.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/def.h"
#include "geometry/pose.h"
#include "model/page_cache.h"
#include "query/closed.h"
#include "scene/scene_store.h"

static graze_status out_of_memory(const graze_scene *scene)
{
    return gz_fail(scene->context, GRAZE_ERROR_MEMORY, "out of memory for the objects of a scene");
}

graze_status graze_scene_create(graze_context *context, graze_scene **scene)
{
    if (scene != NULL)
        *scene = NULL;
    if (context == NULL || scene == NULL)
        return gz_fail_null(context, "graze_scene_create");
    graze_scene *made = gz_allocate(context, sizeof *made);
    if (made == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "graze_scene_create: out of memory");
    *made = (graze_scene){.context = context};
    *scene = made;
    return GRAZE_OK;
}

static void free_texts(graze_context *context, gz_scene_slot *slot)
{
    gz_string_free(context, slot->name);
    gz_string_free(context, slot->group);
    gz_string_free(context, slot->path);
    slot->name = slot->group = slot->path = NULL;
}

void graze_scene_free(graze_scene *scene)
{
    if (scene == NULL)
        return;
    graze_context *context = scene->context;
    for (uint64_t i = 0; i < scene->slots.count; ++i)
        free_texts(context, &scene->slots.items[i]);
    for (uint64_t i = 0; i < scene->origins.count; ++i) {
        gz_scene_origin *origin = &scene->origins.items[i];
        gz_scene_file_free(origin->file);
        graze_shape_free(origin->shape);
        graze_model_free(origin->model);
    }
    gz_list_free(context, &scene->slots);
    gz_list_free(context, &scene->origins);
    gz_path_table_free(context, &scene->paths);
    gz_release(context, scene, sizeof *scene);
}

gz_scene_slot *gz_scene_slot_of(const graze_scene *scene, graze_object_id id)
{
    if (id.index1 == 0 || id.index1 > scene->slots.count)
        return NULL;
    gz_scene_slot *slot = &scene->slots.items[id.index1 - 1];
    return slot->taken && slot->generation == id.generation ? slot : NULL;
}

// --- Paths

// Group and name, and a number where that is taken. NULL when out of memory.
static char *make_path(const graze_scene *scene, const char *group, const char *name)
{
    uint64_t room = strlen(group) + strlen(name) + 16;
    char *text = gz_allocate(scene->context, room);
    if (text == NULL)
        return NULL;
    uint64_t length = (uint64_t)snprintf(text, (size_t)room, "%s%s%s", group,
                                         *group != 0 && *name != 0 ? "/" : "", name);
    uint32_t taken_by = gz_path_find(&scene->paths, text);
    if (taken_by != GZ_PATH_NONE) {
        gz_scene_slot *first = &scene->slots.items[taken_by];
        uint32_t number = first->next_number;
        do
            snprintf(text + length, (size_t)(room - length), "#%" PRIu32, number++);
        while (gz_path_find(&scene->paths, text) != GZ_PATH_NONE);
        first->next_number = number;
    }
    char *path = gz_string_copy(scene->context, text);
    gz_release(scene->context, text, room);
    return path;
}

// --- Slots

static bool take_slot(graze_scene *scene, uint32_t *index1)
{
    if (scene->free1 != 0) {
        *index1 = scene->free1;
        scene->free1 = scene->slots.items[*index1 - 1].after1;
        return true;
    }
    if (scene->slots.count >= UINT32_MAX - 1)
        return false;
    gz_scene_slot *slot = gz_list_push(scene->context, &scene->slots, 1);
    if (slot == NULL)
        return false;
    *slot = (gz_scene_slot){.generation = 1};
    *index1 = (uint32_t)scene->slots.count;
    return true;
}

static void give_slot(graze_scene *scene, uint32_t index1)
{
    gz_scene_slot *slot = &scene->slots.items[index1 - 1];
    *slot = (gz_scene_slot){.generation = slot->generation + 1, .after1 = scene->free1};
    // A slot whose numbers are used up stays empty for ever.
    if (slot->generation != UINT32_MAX)
        scene->free1 = index1;
}

static void link_last(graze_scene *scene, uint32_t index1)
{
    gz_scene_slot *slot = &scene->slots.items[index1 - 1];
    slot->before1 = scene->last1;
    slot->after1 = 0;
    if (scene->last1 == 0)
        scene->first1 = index1;
    else
        scene->slots.items[scene->last1 - 1].after1 = index1;
    scene->last1 = index1;
    scene->object_count++;
}

static void unlink_slot(graze_scene *scene, const gz_scene_slot *slot)
{
    if (slot->before1 == 0)
        scene->first1 = slot->after1;
    else
        scene->slots.items[slot->before1 - 1].after1 = slot->after1;
    if (slot->after1 == 0)
        scene->last1 = slot->before1;
    else
        scene->slots.items[slot->after1 - 1].before1 = slot->before1;
    scene->object_count--;
}

static void note_change(graze_scene *scene, uint32_t slot)
{
    scene->changes[scene->change_count++ % GZ_SCENE_CHANGES] = slot;
}

static graze_box world_box(const graze_box *own, const graze_pose *pose, uint64_t triangle_count)
{
    return triangle_count == 0 ? graze_box_empty() : graze_box_posed(own, pose);
}

// What questions would refuse has no place in a scene.
static bool is_too_far(const graze_box *own, const graze_pose *pose, uint64_t triangle_count)
{
    return triangle_count != 0 && gz_pose_might_overflow(pose, own->min, own->max);
}

graze_status gz_scene_add_entry(graze_scene *scene, const gz_new_object *entry, graze_object_id *id)
{
    uint32_t index1 = 0;
    if (is_too_far(&entry->own_box, &entry->pose, entry->triangle_count))
        return gz_fail(scene->context, GRAZE_ERROR_ARGUMENT,
                       "object \"%s\": its place is beyond the range of double", entry->name);
    if (!take_slot(scene, &index1))
        return out_of_memory(scene);
    gz_scene_slot made = {
        .generation = scene->slots.items[index1 - 1].generation,
        .taken = true,
        .turn = scene->turn_count++,
        .next_number = 2,
        .origin = entry->origin,
        .body = entry->body,
        .shape = entry->shape,
        .name = gz_string_copy(scene->context, entry->name),
        .group = gz_string_copy(scene->context, entry->group),
        .path = make_path(scene, entry->group, entry->name),
        .pose = entry->pose,
        .box = world_box(&entry->own_box, &entry->pose, entry->triangle_count),
        .triangle_count = entry->triangle_count,
        .hash = entry->hash,
        .wide = entry->wide,
    };
    if (made.name == NULL || made.group == NULL || made.path == NULL ||
        !gz_path_put(scene->context, &scene->paths, made.path, index1 - 1)) {
        free_texts(scene->context, &made);
        give_slot(scene, index1);
        return out_of_memory(scene);
    }
    scene->slots.items[index1 - 1] = made;
    link_last(scene, index1);
    note_change(scene, index1 - 1);
    if (id != NULL)
        *id = gz_scene_id(scene, index1);
    return GRAZE_OK;
}

graze_status graze_scene_add(graze_scene *scene, const graze_object_def *given, graze_object_id *id)
{
    static const char who[] = "graze_scene_add";
    if (id != NULL)
        *id = (graze_object_id){0, 0};
    if (scene == NULL || given == NULL)
        return gz_fail_null(scene == NULL ? NULL : scene->context, who);
    graze_object_def room = graze_object_def_default();
    const graze_object_def *def = gz_def_known(scene->context, who, given, &room, sizeof room);
    if (def == NULL)
        return GRAZE_ERROR_ARGUMENT;
    if (def->shape == NULL)
        return gz_fail(scene->context, GRAZE_ERROR_ARGUMENT, "%s: the object has no shape", who);
    if (def->shape->context != scene->context)
        return gz_fail(scene->context, GRAZE_ERROR_ARGUMENT, "%s: the shape is of another context",
                       who);
    graze_pose pose = def->pose == NULL ? graze_pose_identity() : *def->pose;
    if (!gz_pose_sound(&pose))
        return gz_fail(scene->context, GRAZE_ERROR_ARGUMENT,
                       "%s: the pose is not a rotation and a translation", who);
    gz_new_object entry = {
        .name = def->name == NULL ? "" : def->name,
        .group = def->group == NULL ? "" : def->group,
        .origin = GZ_OWN_SHAPE,
        .shape = def->shape,
        .pose = pose,
        .own_box = graze_shape_get_info(def->shape).box,
        .triangle_count = gz_shape_triangle_count(def->shape),
        .wide = def->shape->tree.precision == GRAZE_FLOAT64,
    };
    return gz_scene_add_entry(scene, &entry, id);
}

static graze_status gone(const graze_scene *scene, const char *who)
{
    return gz_fail(scene->context, GRAZE_ERROR_ARGUMENT,
                   "%s: there is no object of this id, or not any more", who);
}

graze_status graze_scene_move(graze_scene *scene, graze_object_id id, const graze_pose *pose)
{
    static const char who[] = "graze_scene_move";
    if (scene == NULL || pose == NULL)
        return gz_fail_null(scene == NULL ? NULL : scene->context, who);
    gz_scene_slot *slot = gz_scene_slot_of(scene, id);
    if (slot == NULL)
        return gone(scene, who);
    if (!gz_pose_sound(pose))
        return gz_fail(scene->context, GRAZE_ERROR_ARGUMENT,
                       "%s: the pose is not a rotation and a translation", who);
    graze_box own = gz_scene_own_box(scene, slot);
    if (is_too_far(&own, pose, slot->triangle_count))
        return gz_fail(scene->context, GRAZE_ERROR_ARGUMENT,
                       "object \"%s\": its place is beyond the range of double", slot->path);
    slot->pose = *pose;
    slot->box = world_box(&own, pose, slot->triangle_count);
    note_change(scene, id.index1 - 1);
    return GRAZE_OK;
}

graze_status graze_scene_remove(graze_scene *scene, graze_object_id id)
{
    static const char who[] = "graze_scene_remove";
    if (scene == NULL)
        return gz_fail_null(NULL, who);
    gz_scene_slot *slot = gz_scene_slot_of(scene, id);
    if (slot == NULL)
        return gone(scene, who);
    unlink_slot(scene, slot);
    gz_path_remove(&scene->paths, slot->path);
    free_texts(scene->context, slot);
    give_slot(scene, id.index1);
    note_change(scene, id.index1 - 1);
    return GRAZE_OK;
}

graze_object_id graze_scene_next(const graze_scene *scene, graze_object_id id)
{
    if (scene == NULL)
        return (graze_object_id){0, 0};
    if (id.index1 == 0)
        return gz_scene_id(scene, scene->first1);
    const gz_scene_slot *slot = gz_scene_slot_of(scene, id);
    return gz_scene_id(scene, slot == NULL ? 0 : slot->after1);
}

graze_object_id graze_scene_find(const graze_scene *scene, const char *path)
{
    uint32_t found =
        scene == NULL || path == NULL ? GZ_PATH_NONE : gz_path_find(&scene->paths, path);
    return found == GZ_PATH_NONE ? (graze_object_id){0, 0} : gz_scene_id(scene, found + 1);
}

// --- What is known of objects

static graze_knowledge known_closed(const graze_scene *scene, const gz_scene_slot *slot)
{
    if (slot->shape != NULL)
        return gz_shape_known_closed(slot->shape);
    return gz_scene_file_body(scene->origins.items[slot->origin].file, slot->body).closed
               ? GRAZE_YES
               : GRAZE_NO;
}

graze_box gz_scene_own_box(const graze_scene *scene, const gz_scene_slot *slot)
{
    if (slot->shape != NULL)
        return graze_shape_get_info(slot->shape).box;
    return gz_scene_file_body(scene->origins.items[slot->origin].file, slot->body).box;
}

graze_status graze_scene_get(const graze_scene *scene, graze_object_id id,
                             graze_scene_object *object)
{
    if (scene == NULL || object == NULL)
        return gz_fail_null(scene == NULL ? NULL : scene->context, "graze_scene_get");
    const gz_scene_slot *slot = gz_scene_slot_of(scene, id);
    if (slot == NULL)
        return gone(scene, "graze_scene_get");
    *object = (graze_scene_object){.name = slot->name,
                                   .group = slot->group,
                                   .path = slot->path,
                                   .pose = slot->pose,
                                   .box = slot->box,
                                   .triangle_count = slot->triangle_count,
                                   .hash = slot->hash,
                                   .closed = known_closed(scene, slot)};
    return GRAZE_OK;
}

graze_status gz_scene_pin_slot(graze_scene *scene, const gz_scene_slot *slot,
                               const graze_shape **shape)
{
    *shape = slot->shape;
    if (slot->shape != NULL)
        return GRAZE_OK;
    return gz_scene_file_pin(scene->origins.items[slot->origin].file, slot->body, shape);
}

void gz_scene_unpin_slot(graze_scene *scene, const gz_scene_slot *slot)
{
    if (slot->shape == NULL)
        gz_scene_file_unpin(scene->origins.items[slot->origin].file, slot->body);
}

graze_status graze_scene_pin(graze_scene *scene, graze_object_id id, const graze_shape **shape)
{
    if (shape != NULL)
        *shape = NULL;
    if (scene == NULL || shape == NULL)
        return gz_fail_null(scene == NULL ? NULL : scene->context, "graze_scene_pin");
    const gz_scene_slot *slot = gz_scene_slot_of(scene, id);
    return slot == NULL ? gone(scene, "graze_scene_pin") : gz_scene_pin_slot(scene, slot, shape);
}

void graze_scene_unpin(graze_scene *scene, graze_object_id id)
{
    const gz_scene_slot *slot = scene == NULL ? NULL : gz_scene_slot_of(scene, id);
    if (slot != NULL)
        gz_scene_unpin_slot(scene, slot);
}

// Triangles and number of the shapes of origins, and of those of the user, once each.
static void count_shapes(const graze_scene *scene, graze_scene_info *info)
{
    for (uint64_t i = 0; i < scene->origins.count; ++i) {
        const gz_scene_origin *origin = &scene->origins.items[i];
        if (origin->file == NULL) {
            graze_model_info model = graze_model_get_info(origin->model);
            info->shape_count++;
            info->stored_count += model.triangle_count;
            info->file_bytes += model.file_bytes;
            info->resident_bytes += model.resident_bytes;
            continue;
        }
        gz_scene_file_info file = gz_scene_file_get_info(origin->file);
        info->shape_count += file.body_count;
        info->stored_count += file.stored_count;
        info->file_bytes += file.file_bytes;
        info->resident_bytes += file.resident_bytes;
    }
}

graze_scene_info graze_scene_get_info(const graze_scene *scene)
{
    graze_scene_info info = {.box = graze_box_empty()};
    if (scene == NULL)
        return info;
    info.object_count = scene->object_count;
    info.metres_per_unit = scene->metres_per_unit;
    info.losses = scene->losses;
    info.resident_bytes = sizeof *scene + scene->slots.capacity * sizeof(gz_scene_slot) +
                          scene->paths.slot_count * sizeof(gz_path_slot);
    count_shapes(scene, &info);
    for (uint32_t at = scene->first1; at != 0; at = scene->slots.items[at - 1].after1) {
        const gz_scene_slot *slot = &scene->slots.items[at - 1];
        info.triangle_count += slot->triangle_count;
        info.box = graze_box_join(&info.box, &slot->box);
        info.resident_bytes += strlen(slot->name) + strlen(slot->group) + strlen(slot->path) + 3;
        if (slot->origin == GZ_OWN_SHAPE) {
            info.shape_count++;
            info.stored_count += slot->triangle_count;
        }
    }
    return info;
}

double gz_scene_touch(const graze_scene *scene)
{
    graze_scene_info info = graze_scene_get_info(scene);
    if (info.metres_per_unit > 0.0)
        return 1e-4 / info.metres_per_unit;
    double longest = 0.0;
    for (int axis = 0; axis < 3; ++axis)
        longest = fmax(longest, info.box.max[axis] - info.box.min[axis]); // an empty box is below 0
    return 1e-6 * longest;
}

graze_cache_use graze_scene_cache_use(const graze_scene *scene)
{
    graze_cache_use none = {0};
    return scene == NULL || scene->context->cache == NULL ? none
                                                          : gz_cache_get_use(scene->context->cache);
}
