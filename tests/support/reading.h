// What tests of readers and writers have in common: a log that counts, good inputs, refused ones.
#ifndef GZ_TEST_READING_H
#define GZ_TEST_READING_H

#include "record.h"

// A context that counts its messages. The last error is in test_last_error, as always.
graze_context *counting_context(void);
graze_context *counting_context_of(uint32_t threads); // 0: one for each core
extern uint32_t test_error_count, test_warning_count;
extern char test_last_warning[2048];
extern char test_warnings[8192]; // all of them, each with a line end behind it

// A file of a format, in memory.
typedef struct test_input {
    const char *name; // in messages
    graze_format format;
    const void *bytes;
    uint64_t byte_count;
} test_input;

// Fails the test with the sentence if the input cannot be read.
void read_good(const test_input *input, record *out);
// Fails the test unless the input is refused with exactly this sentence.
void check_refused(const test_input *input, const char *sentence);
// Fails every allocation and read in turn: at least so many of them.
void check_faults(const test_input *input, uint64_t least);

// Reads every file of a folder of broken files: what is refused, at least `refused` of them, gets
// one sentence with the file's name and the byte.
void check_corpus(const char *folder, graze_format format, uint32_t refused);

// The corner's coordinates; fails the test where there is no such corner.
const double *record_corner(const record *r, uint64_t triangle, uint32_t corner);

#endif
