// Fails the 1st allocation, then the 2nd, until the call succeeds; the same for reads and writes.
#ifndef GZ_FAULTS_H
#define GZ_FAULTS_H

#include "test.h"

// `run` does the whole call and gives back everything it made. It gets a fresh context each time.
typedef graze_status test_run(graze_context *context, void *data);

// Returns how many of the three kinds of faults were tried. Each failing run must return one of
// GRAZE_ERROR_MEMORY, _IO and _SPACE, say a sentence, and leak nothing. A run may also succeed in
// spite of the fault; the sweep ends when the fault is not reached any more. A step of 1 tries all;
// another one each so many, beside the first and the last ones.
uint64_t test_all_faults(test_run *run, void *data, uint64_t step);

#endif
