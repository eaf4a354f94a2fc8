// A mesh file as one frame: its objects, placed, each as triangle arrays of its own.
#ifndef GRAZE_CMD_FRAME_OBJECTS_H
#define GRAZE_CMD_FRAME_OBJECTS_H

#include "graze/mesh.h"
#include "session.h"

typedef struct frame_objects {
    uint32_t count;
    graze_mesh_view *views;
    char **names; // the groups and the name; no two are the same
    uint64_t triangle_count;
    double metres_per_unit; // of the coordinates; 0: unknown
    graze_mesh_losses losses;

    graze_mesh *mesh;
    uint32_t *corners;   // counted from the first vertex of each object
    void *positions;     // where objects have vertices all over the file: those of each triangle
    uint64_t most_bytes; // for these two, which no context counts; 0: no limit
} frame_objects;

// Reads a file. With `metres` above 0, a file in another unit is brought to this one.
graze_status read_frame_objects(cmd_session *session, const cmd_arguments *arguments,
                                const char *path, double metres, frame_objects *frame);
void free_frame_objects(frame_objects *frame); // what it was read into may be used again

#endif
