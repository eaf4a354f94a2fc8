// Things that move: a pyramid goes through a scene of others, step by step. What does it hit?
//   moving_object [FILE]
#include <stdio.h>

#include "graze/graze.h"

static graze_status add(graze_scene *scene, const graze_shape *shape, const char *name, double x,
                        graze_object_id *id)
{
    graze_pose pose = graze_pose_identity();
    pose.translation[0] = x;
    graze_object_def def = graze_object_def_default();
    def.name = name;
    def.shape = shape;
    def.pose = &pose;
    return graze_scene_add(scene, &def, id);
}

static const char *path_of(const graze_scene *scene, graze_object_id id)
{
    graze_scene_object object;
    return graze_scene_get(scene, id, &object) == GRAZE_OK ? object.path : "?";
}

static graze_status walk(graze_scene *scene, graze_object_id mover)
{
    graze_motion *motion = NULL;
    graze_motion_def def = graze_motion_def_default();
    def.tolerance = 0.125;
    def.distance = 10; // also the nearest object, up to here
    graze_status status = graze_motion_create(scene, &def, &motion);
    if (status == GRAZE_OK)
        status = graze_motion_add(motion, mover);
    for (int step = 0; step < 8 && status == GRAZE_OK; ++step) {
        graze_pose pose = graze_pose_identity();
        graze_motion_answer answer;
        pose.translation[0] = 0.75 * step - 2;
        status = graze_scene_move(scene, mover, &pose);
        if (status == GRAZE_OK)
            status = graze_motion_step(motion, &answer);
        if (status != GRAZE_OK)
            break;
        printf("step %d: nearest is %s, %.3f away;", step, path_of(scene, answer.nearest[0].other),
               answer.nearest[0].distance.distance);
        for (uint64_t i = 0; i < answer.contact_count; ++i)
            printf(" contact with %s", path_of(scene, answer.contacts[i].other));
        puts(answer.contact_count == 0 ? " no contact" : "");
    }
    graze_motion_free(motion);
    return status;
}

int main(int count, char **words)
{
    graze_context *context = NULL;
    graze_shape *shape = NULL;
    graze_scene *scene = NULL;
    graze_object_id mover = {0, 0};
    graze_status status = graze_context_create(NULL, &context);
    if (status == GRAZE_OK)
        status = graze_shape_read(context, count > 1 ? words[1] : "pyramid.ply", NULL, &shape);
    if (status == GRAZE_OK)
        status = graze_scene_create(context, &scene);

    // The pyramid is 1 wide.
    if (status == GRAZE_OK)
        status = add(scene, shape, "red", 0, NULL);
    if (status == GRAZE_OK)
        status = add(scene, shape, "bent", 1.5, NULL);
    if (status == GRAZE_OK)
        status = add(scene, shape, "wanderer", -2, &mover);
    if (status == GRAZE_OK)
        status = walk(scene, mover);

    graze_scene_free(scene);
    graze_shape_free(shape);
    graze_context_destroy(context);
    return status == GRAZE_OK ? 0 : 1;
}
