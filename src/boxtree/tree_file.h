// Trees in files: what was built once need not be built again. docs/format.md has the bytes.
#ifndef GZ_TREE_FILE_H
#define GZ_TREE_FILE_H

#include "boxtree/tree.h"

#define GZ_SHAPE_VERSION 5 // of the format; docs/format.md

graze_status gz_tree_save(const gz_tree *tree, const char *path);

bool gz_tree_recognise(const char *path); // whether a file says that it is a saved tree

// Believes nothing: sizes are compared with the file's, the checksum is computed, and the whole
// tree is walked. The tree is empty if it fails.
graze_status gz_tree_load(graze_context *context, const char *path, gz_tree *tree);
// The same from bytes in memory, called `name` in messages.
graze_status gz_tree_load_memory(graze_context *context, const char *name, const void *bytes,
                                 uint64_t byte_count, gz_tree *tree);

// For tests: gives a changed file the checksums that belong to it.
void gz_tree_file_seal(uint8_t *bytes, uint64_t byte_count);

#endif
