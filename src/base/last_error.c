// Keeps the last sentence of a thread. See last_error.h.
#include "base/last_error.h"

#include <string.h>

static _Thread_local struct {
    const graze_context *context;
    gz_error_relay *relay;
    char sentence[GZ_SENTENCE_BYTES];
} last;

void gz_error_remember(const graze_context *context, const char *sentence)
{
    size_t length = strlen(sentence);
    length = length < GZ_SENTENCE_BYTES ? length : GZ_SENTENCE_BYTES - 1;
    last.context = context;
    memcpy(last.sentence, sentence, length);
    last.sentence[length] = '\0';
    gz_error_relay *relay = last.relay;
    if (relay != NULL && !atomic_exchange(&relay->taken, true)) {
        relay->context = context;
        memcpy(relay->sentence, last.sentence, length + 1);
    }
}

void gz_error_forget(const graze_context *context)
{
    if (last.context == context)
        last.sentence[0] = '\0';
}

gz_error_relay *gz_error_relay_set(gz_error_relay *relay)
{
    gz_error_relay *before = last.relay;
    last.relay = relay;
    return before;
}

const char *graze_context_error(const graze_context *context)
{
    return last.context == context ? last.sentence : "";
}
