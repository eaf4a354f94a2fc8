// What commands about scenes share: how much of --memory a scene may use, and names of files.
#ifndef GRAZE_CMD_SCENE_FILES_H
#define GRAZE_CMD_SCENE_FILES_H

#include "graze/scene.h"
#include "session.h"

// --memory is about the whole process: its code, and what the C library keeps of freed memory, come
// first. What the context may use of it; 0: no limit. Says what is wrong, with `what` takes the
// memory, and returns the exit code; 0 is good.
int share_memory(const cmd_arguments *arguments, const char *what, uint64_t *share);

// The name of a file without its folder and its ending; "pipes" for "parts/pipes.obj.gz". NULL: out
// of memory; else it is to be freed.
char *file_stem(const char *path);

// Whether a mesh file has more than one object. Reads no farther than it takes to know, and keeps
// nothing; says nothing of a file that cannot be read, which seems to have none.
bool has_several_objects(cmd_session *session, const char *path);

// A scene of one source.
graze_status open_scene(graze_context *context, const char *path, graze_scene **scene);

// Commands that ask about one model or mesh are not for scenes. Says so if the file is one.
graze_status refuse_scene(cmd_session *session, const char *operand);

// Objects without triangles touch nothing, which may not be what somebody thinks.
void warn_of_empty_objects(const cmd_session *session, const graze_scene *scene);

#endif
