// What a scene is inside: objects in slots, in order and by path. See graze/scene.h.
#ifndef GZ_SCENE_STORE_H
#define GZ_SCENE_STORE_H

#include "base/memory.h"
#include "scene/path_table.h"
#include "scene/scene_file.h"

// Where shapes come from: a scene file, or a model, which is one shape.
typedef struct gz_scene_origin {
    gz_scene_file *file;
    graze_model *model;
    graze_shape *shape; // of the model
} gz_scene_origin;

#define GZ_OWN_SHAPE UINT32_MAX // no origin: a shape of the user's

typedef struct gz_scene_slot {
    uint32_t generation;
    bool taken;
    uint64_t turn;            // the later it was added, the larger
    uint32_t before1, after1; // slots and 1, in the order of objects; 0: none. Free ones: after1
    uint32_t next_number;     // to try for the next object of this path
    uint32_t origin, body;    // body: of a scene file
    const graze_shape *shape; // of the user, or of a model; NULL: to be pinned
    char *name, *group, *path;
    graze_pose pose;
    graze_box box; // in the world
    uint64_t triangle_count, hash;
    bool wide; // coordinates are double
} gz_scene_slot;

// Slots that changed last, for those who follow a scene: change number n is at n %
// GZ_SCENE_CHANGES.
#define GZ_SCENE_CHANGES 256u

struct graze_scene {
    graze_context *context;
    uint64_t change_count, turn_count;
    uint32_t changes[GZ_SCENE_CHANGES];
    GZ_LIST(gz_scene_slot) slots;
    uint32_t first1, last1, free1;
    uint64_t object_count;
    gz_path_table paths;
    GZ_LIST(gz_scene_origin) origins;
    double metres_per_unit;
    graze_mesh_losses losses;
};

// The slot of an object; NULL if there is none of that name any more.
gz_scene_slot *gz_scene_slot_of(const graze_scene *scene, graze_object_id id);
static inline graze_object_id gz_scene_id(const graze_scene *scene, uint32_t index1)
{
    graze_object_id none = {0, 0};
    return index1 == 0 ? none
                       : (graze_object_id){index1, scene->slots.items[index1 - 1].generation};
}

// What touching means where nobody says: see graze_clash_def.
double gz_scene_touch(const graze_scene *scene);

graze_box gz_scene_own_box(const graze_scene *scene, const gz_scene_slot *slot); // in its own frame

// Pins the shape of a slot. Any thread.
graze_status gz_scene_pin_slot(graze_scene *scene, const gz_scene_slot *slot,
                               const graze_shape **shape);
void gz_scene_unpin_slot(graze_scene *scene, const gz_scene_slot *slot);

// An object that is about to be added: of an origin (its body, if that is a scene file), or a shape
// of the user's.
typedef struct gz_new_object {
    const char *name, *group;
    uint32_t origin, body;
    const graze_shape *shape;
    graze_pose pose;
    graze_box own_box;
    uint64_t triangle_count, hash;
    bool wide;
} gz_new_object;
graze_status gz_scene_add_entry(graze_scene *scene, const gz_new_object *entry,
                                graze_object_id *id);

#endif
