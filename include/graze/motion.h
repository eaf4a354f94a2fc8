/// @file motion.h  Things that move through a scene: what do they touch, step after step?
///
/// Some objects of a scene are made movers. In each step they are given new poses, and the answer
/// tells what each of them is in contact with, among all other objects, movers included. From step
/// to step it is remembered which objects are near, and what questions about them left; pages that
/// a mover comes near to are read ahead. All of that is a cache: answers do not depend on it.
///
/// Lifetime:    graze_motion_create -> graze_motion_add -> steps -> graze_motion_free, before the
///              scene. Lists in an answer belong to the motion and end with its next step.
/// Concurrency: a motion is for one thread at a time. Objects of the scene may be added, moved or
///              removed between steps, by graze_scene_add, _move and _remove.
/// Units:       lengths are those of the scene.
#ifndef GRAZE_MOTION_H
#define GRAZE_MOTION_H

#include "graze/clash.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct graze_motion graze_motion;

typedef struct graze_motion_def {
    uint32_t struct_size; ///< set by graze_motion_def_default; leave alone
    double tolerance;     ///< contact means: at most this far apart; 0: sharing a point
    double distance;      ///< above 0: also how far each mover is from what is nearest to it, up to
                          ///< this; infinity: however far
    uint32_t kinds;       ///< 1: what two objects are to each other, as a clash check tells, with
                          ///< the tolerance as clearance
    double touch;      ///< for kinds, as in graze_clash_def, of the scene as it is when the motion
                       ///< is made
    double look_ahead; ///< pages are read ahead for so many steps, going on as in the last one;
                       ///< 0: none are
} graze_motion_def;

static inline graze_motion_def graze_motion_def_default(void)
{
    graze_motion_def def = GRAZE_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.touch = -1;
    def.look_ahead = 4;
    return def;
}

/// @param def  NULL for the defaults.
GRAZE_API graze_status graze_motion_create(graze_scene *scene, const graze_motion_def *def,
                                           graze_motion **motion);
GRAZE_API void graze_motion_free(graze_motion *motion); ///< Accepts NULL.

/// Makes an object a mover, or an ordinary one again. On failure all is as it was. A mover that is
/// removed from the scene has to be removed here, too.
/// @return GRAZE_OK, GRAZE_ERROR_ARGUMENT (no such object, or it is a mover already, or none),
///         GRAZE_ERROR_MEMORY.
GRAZE_API graze_status graze_motion_add(graze_motion *motion, graze_object_id mover);
GRAZE_API graze_status graze_motion_remove(graze_motion *motion, graze_object_id mover);

/// A mover and another object. Of two movers the first is the one that was added to the scene
/// first.
typedef struct graze_motion_contact {
    graze_object_id mover, other;
    graze_clash clash; ///< a is the mover, b the other. With `kinds`: all of it; else the kind is
                       ///< GRAZE_CLASH_NONE
} graze_motion_contact;

typedef struct graze_motion_nearest {
    graze_object_id mover;
    graze_object_id other; ///< none: nothing is within the distance that was asked for
    graze_distance distance;
} graze_motion_nearest;

typedef struct graze_motion_answer {
    uint64_t contact_count;
    const graze_motion_contact *contacts; ///< by mover, then by other, as the scene has them
    uint64_t nearest_count;               ///< one for each mover, if distances are asked for
    const graze_motion_nearest *nearest;
    uint64_t near_count;     ///< pairs whose boxes are near
    graze_counters counters; ///< of all questions but those about kinds
} graze_motion_answer;

/// The scene as it stands now: move the movers with graze_scene_move, then ask. A step that fails
/// may be asked again.
/// @param answer  filled in for GRAZE_OK.
/// @return GRAZE_OK, GRAZE_ERROR_ARGUMENT (a mover was removed from the scene), or as
///         graze_query_collide.
GRAZE_API graze_status graze_motion_step(graze_motion *motion, graze_motion_answer *answer);

#ifdef __cplusplus
}
#endif
#endif
