// What convert and make share: a mesh streams into a file, is counted on its way, and is reported.
#ifndef GRAZE_CMD_OUTPUT_H
#define GRAZE_CMD_OUTPUT_H

#include "graze/model.h"
#include "session.h"

typedef struct cmd_output {
    cmd_session *session;
    const char *path;
    graze_mesh_writer *writer;
    graze_mesh_sink sink; // give this one to the stream
    graze_mesh_sink file; // the writer's own
    uint64_t vertex_count, triangle_count, object_count;
    graze_mesh_losses losses;                     // of the mesh that was read, if one was
    const graze_model_detail *detail;             // of a model: how far it is from the original
    uint64_t vertices_to_come, triangles_to_come; // in all, if known
    bool making;                                  // nobody else reports progress
} cmd_output;

// Opens the file that --output names; without one, says so. Returns the exit code, 0 is good.
int output_open(cmd_output *output, cmd_session *session, const cmd_arguments *arguments,
                graze_mesh_order order, bool making);

// Finishes the file, or leaves no trace of it if `status` is a failure. Says what was written.
int output_close(cmd_output *output, const cmd_arguments *arguments, graze_status status);

#endif
