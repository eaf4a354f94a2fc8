// Opens files that another file names, such as the buffers of a glTF: never anything outside the
// folder of the file that names them.
#ifndef GZ_BENEATH_H
#define GZ_BENEATH_H

#include "base/file.h"

// `beside` is a path in the folder; `relative` the name as the file gives it, already decoded;
// `path` stands for the file in later messages and outlives it. Refused are absolute paths, "..",
// anything that looks like a scheme ("http:"), symbolic links on the way or at its end (where they
// lead can change between looking and opening), and all but regular files. Logs nothing: *problem
// receives a phrase such as "leads out of the folder" or "No such file or directory".
// @return GRAZE_OK, GRAZE_ERROR_FORMAT (the name is refused), GRAZE_ERROR_IO.
graze_status gz_file_open_beneath(graze_context *context, const char *beside, const char *relative,
                                  const char *path, gz_file *file, const char **problem);

#endif
