// The readers. Each takes a source (or a file, for formats that jump about) and fills a stream.
// reader.c chooses among them by content, then by name.
#ifndef GZ_READER_H
#define GZ_READER_H

#include "mesh/read/source.h"
#include "mesh/stream.h"

graze_status gz_read_ply(gz_source *source, const graze_mesh_read_def *def, gz_stream *stream);
graze_status gz_read_stl(gz_source *source, const graze_mesh_read_def *def, gz_stream *stream);
graze_status gz_read_obj(gz_source *source, const graze_mesh_read_def *def, gz_stream *stream);
graze_status gz_read_off(gz_source *source, const graze_mesh_read_def *def, gz_stream *stream);
// glTF jumps about in its buffers. The source holds the .gltf or .glb from its first byte, possibly
// unpacked from gzip or zstd; `file` is the same file as it lies on disk.
graze_status gz_read_gltf(gz_source *source, gz_file *file, const graze_mesh_read_def *def,
                          gz_stream *stream);
// GRAZE_ERROR_UNSUPPORTED where assimp is not installed.
graze_status gz_read_assimp(gz_file *file, const graze_mesh_read_def *def, gz_stream *stream);

// Reads an open file into a sink: what graze_mesh_stream does.
graze_status gz_mesh_stream_file(gz_file *file, const graze_mesh_read_def *def,
                                 const graze_mesh_sink *sink);

// "binary, gzip" from "binary" and a source that unpacks gzip; for graze_mesh_header.encoding.
#define GZ_ENCODING_BYTES 64
const char *gz_encoding_text(const gz_source *source, const char *plain,
                             char out[GZ_ENCODING_BYTES]);

#endif
