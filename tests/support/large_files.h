// Large mesh files for tests of bounded memory, and a process of its own whose address space is
// capped.
#ifndef GZ_TEST_LARGE_FILES_H
#define GZ_TEST_LARGE_FILES_H

#include <stdbool.h>

#include "test.h"

#define LARGE_CAPPED (!TEST_SANITIZED) // sanitizers need far more address space

// Writes a shape of generators/. Shuffled: neighbours in the file are far apart on the shape, which
// is the worst for looking up vertices; of shapes with one object.
void large_make(const char *kind, uint64_t triangle_count, graze_precision precision, bool shuffled,
                const char *path);

// Runs in a child with an address space of so many bytes, and sends a result home. Fails the test
// unless it comes.
void large_run_capped(uint64_t space_bytes, void (*run)(const void *task, void *result),
                      const void *task, void *result, size_t result_bytes);

#endif
