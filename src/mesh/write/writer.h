// The writers. Each takes a checked view and fills a packer, which compresses where the name asks
// for it. writer.c chooses among them, warns of what a format cannot hold, and applies matrices.
#ifndef GZ_WRITER_H
#define GZ_WRITER_H

#include "base/file.h"
#include "graze/mesh.h"

typedef enum gz_packing { GZ_PACKING_NONE, GZ_PACKING_GZIP, GZ_PACKING_ZSTD } gz_packing;

// What a path's last extension says; *bare_length is the path's length without it.
gz_packing gz_packing_of(const char *path, size_t *bare_length);

// Bytes on their way to a file, packed or not.
typedef struct gz_packer gz_packer;
graze_status gz_packer_open(graze_context *context, const char *path, gz_packer **packer);
graze_status gz_packer_write(gz_packer *packer, const void *bytes, uint64_t byte_count);
graze_status gz_packer_commit(gz_packer *packer);    // frees the packer whatever happens
void gz_packer_abandon(gz_packer *packer);           // accepts NULL
const char *gz_packer_path(const gz_packer *packer); // for messages

// Checks a def (NULL: the defaults) and sets its format by the path where it is not given.
graze_status gz_writer_take_def(graze_context *context, const char *path,
                                const graze_mesh_write_def *given, graze_mesh_write_def *def);

graze_status gz_write_ply(gz_packer *packer, graze_context *context, const graze_mesh_view *view,
                          const graze_mesh_write_def *def);
graze_status gz_write_stl(gz_packer *packer, graze_context *context, const graze_mesh_view *view,
                          const graze_mesh_write_def *def);
graze_status gz_write_obj(gz_packer *packer, graze_context *context, const graze_mesh_view *view,
                          const graze_mesh_write_def *def);
graze_status gz_write_glb(gz_packer *packer, graze_context *context, const graze_mesh_view *view,
                          const graze_mesh_write_def *def);

#endif
