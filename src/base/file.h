// Files: read at any offset, or written aside and renamed when complete.
#ifndef GZ_FILE_H
#define GZ_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "graze/base.h"

// Every file that graze alone understands begins so; a byte that tells them apart, and a zero
// follow.
#define GZ_OWN_MARK "graze\n"
// Of scene files: those who read models and meshes know what they are, too, to say so.
#define GZ_SCENE_MAGIC GZ_OWN_MARK "C"

// An input: a regular file, a pipe, bytes in memory, or a window of one of these. Plain data; zero
// is closed.
typedef struct gz_file {
    graze_context *context;
    const char *path;      // for messages; lives as long as the caller's string
    const uint8_t *memory; // not NULL: the content itself
    int descriptor;
    bool seekable;       // false for pipes: only gz_file_read_next works
    bool direct;         // reads go past the system's memory, in whole blocks
    bool borrowed;       // the descriptor is another one's
    uint64_t base;       // of a window: where it begins in the file that has the path
    uint64_t byte_count; // 0 if not seekable
    uint64_t cursor;     // of gz_file_read_next
} gz_file;

// Refuses directories and what cannot be read, with a sentence.
graze_status gz_file_open(graze_context *context, const char *path, gz_file *file);
void gz_file_open_memory(graze_context *context, const char *name, const void *bytes,
                         uint64_t byte_count, gz_file *file);
void gz_file_close(gz_file *file);
// A stretch of a file that can be read at any place, as a file of its own, which ends before that
// one. Only gz_file_read_at works.
gz_file gz_file_window(const gz_file *whole, uint64_t base, uint64_t byte_count);

// From here on reads do not go through the system's memory, for measuring; gz_file_read_at alone is
// to be used then. Fails, with a sentence, where the file system has no such thing.
#define GZ_DIRECT_BYTES                                                                            \
    4096u // direct reads begin and end at multiples of it, in the file and in memory
graze_status gz_file_make_direct(gz_file *file);

// Reads up to `bytes` bytes; *got is less only at the end of the file.
graze_status gz_file_read_next(gz_file *file, void *out, uint64_t bytes, uint64_t *got);
// Reads exactly `bytes` bytes at `offset`; an end of file before that is GRAZE_ERROR_FORMAT.
graze_status gz_file_read_at(gz_file *file, uint64_t offset, void *out, uint64_t bytes);

// An output: bytes go to a file in the target's folder, which takes the target's name in
// gz_output_commit. Where the file system has files without names (O_TMPFILE: ext4, XFS, Btrfs,
// tmpfs), it has none before that, so that a process that is killed leaves nothing; but where the
// target exists, Linux knows no single call that puts the new file in its place, and a process that
// is killed between two of them leaves the whole new file as `.NAME.graze-part`. On other file
// systems the file has that name from the beginning. The next output to the same target removes it.
// gz_output_abandon leaves no trace. Buffered; writes larger than the buffer go straight through.
#define GZ_OUTPUT_PART ".graze-part"
typedef struct gz_output gz_output;

graze_status gz_output_create(graze_context *context, const char *path, gz_output **output);
// Two that have no path, and are never committed: in a file without a name in the context's
// temporary folder, and in memory.
graze_status gz_output_create_temporary(graze_context *context, gz_output **output);
graze_status gz_output_create_memory(graze_context *context, gz_output **output);
// Of the latter: all that was written, until something else is; and forgetting it.
const uint8_t *gz_output_bytes(const gz_output *output);
void gz_output_clear(gz_output *output);
graze_status gz_output_write(gz_output *output, const void *bytes, uint64_t byte_count);
uint64_t gz_output_tell(const gz_output *output);
// Hands over to the file what was written so far, so that it can be read.
graze_status gz_output_flush(gz_output *output);
// Bytes that were written and flushed. Any number of threads, while none writes.
graze_status gz_output_read(const gz_output *output, uint64_t offset, void *out,
                            uint64_t byte_count);
// Overwrites bytes that were written before, such as a count in a header.
graze_status gz_output_patch(gz_output *output, uint64_t offset, const void *bytes,
                             uint64_t byte_count);
// Flushes, syncs, renames, and frees the output whatever happens.
graze_status gz_output_commit(gz_output *output);
void gz_output_abandon(gz_output *output); // accepts NULL
// What was written and flushed, as a file to be read, which ends before the output.
gz_file gz_output_file(const gz_output *output);
// The same of a temporary output: the file has its descriptor now, and the output ends.
gz_file gz_output_take_file(gz_output *output);

// A file without a name in the context's temporary folder; it ends with the process at the latest.
graze_status gz_temporary_file(graze_context *context, int *descriptor);
// Whole writes and reads at an offset of a temporary file, with fault injection and sentences.
graze_status gz_temporary_write(graze_context *context, int descriptor, uint64_t offset,
                                const void *bytes, uint64_t byte_count);
graze_status gz_temporary_read(graze_context *context, int descriptor, uint64_t offset, void *out,
                               uint64_t byte_count);

// Whether a regular file begins with these bytes.
bool gz_file_begins(const char *path, const void *bytes, uint64_t byte_count);

#endif
