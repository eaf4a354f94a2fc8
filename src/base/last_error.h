// The last sentence of each thread, for programs without a log callback. See graze_context_error.
//
// It is kept per thread, like errno, and nothing but that function reads it. A loop on several
// threads hands the sentence of a worker on to the thread that began the loop.
#ifndef GZ_LAST_ERROR_H
#define GZ_LAST_ERROR_H

#include <stdatomic.h>
#include <stdbool.h>

#include "graze/base.h"

#define GZ_SENTENCE_BYTES 2048

void gz_error_remember(const graze_context *context, const char *sentence);
void gz_error_forget(const graze_context *context); // where this thread's is of that context

// What a parallel loop hands on: the sentence of the first task that failed.
typedef struct gz_error_relay {
    const graze_context *context;
    _Atomic bool taken;
    char sentence[GZ_SENTENCE_BYTES];
} gz_error_relay;

// While a relay is set, this thread's sentences go there, too. Returns the one before.
gz_error_relay *gz_error_relay_set(gz_error_relay *relay);

#endif
