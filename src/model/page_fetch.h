// Pages on their way: what questions will need soon is read while they do something else, by
// threads that do nothing but read. Neighbours in the file come by one read.
//
// It is only a help. What cannot be started, or fails, is forgotten here, and read once more by
// those who need it, who then say what is wrong. So an error is reported if it matters, and once.
//
// Rules: the cache's lock is held in all calls, and some give it up meanwhile. Bytes of pages, of
// those that are there and those that are not yet, never exceed the limit. A run of pages ends when
// its last page was taken, or when whoever wanted it gives it up; not before its read has ended,
// nor while somebody uses it.
#ifndef GZ_PAGE_FETCH_H
#define GZ_PAGE_FETCH_H

#include "model/model_file.h"
#include "model/page_key.h"

#define GZ_FETCH_RUNS    128u
#define GZ_FETCH_READERS 4u
#define GZ_FETCH_WISHES  512u // looked at in one call

typedef enum gz_fetch_state { GZ_FREE, GZ_QUEUED, GZ_READING, GZ_THERE, GZ_FAILED } gz_fetch_state;

// Some pages of a model, one behind the other in its file.
typedef struct gz_fetch_run {
    gz_fetch_state state;
    graze_model *model;
    const void *owner; // who wanted it
    uint64_t turn;     // the order in which they are needed
    uint32_t first, count;
    uint64_t waiting; // bit i: nobody has taken page first + i
    uint32_t users;   // who wait for it or unpack its pages
    uint8_t *block;
    uint64_t block_bytes;
    uint8_t *start;              // in the block, of bytes from `offset` of the file on
    uint64_t offset, byte_count; // to be read
    uint64_t least, done;        // up to the end of the last page; read so far
} gz_fetch_run;

typedef struct gz_fetch {
    graze_context *context;
    pthread_mutex_t *lock; // the cache's, and what tells of changes
    pthread_cond_t *change;
    uint64_t limit, bytes; // of blocks
    uint64_t read_count, bytes_read, turn;
    uint32_t active; // runs
    bool off;        // nothing is read ahead
    pthread_t readers[GZ_FETCH_READERS];
    uint32_t reader_count;
    pthread_cond_t work;
    bool stop;
    gz_fetch_run runs[GZ_FETCH_RUNS];
} gz_fetch;

void gz_fetch_init(gz_fetch *fetch, graze_context *context, pthread_mutex_t *lock,
                   pthread_cond_t *change, uint64_t limit);
// Without the lock, when all models were forgotten.
void gz_fetch_end(gz_fetch *fetch);

// Whether it is time to ask for more: half of it is free.
bool gz_fetch_has_room(const gz_fetch *fetch);
bool gz_fetch_has(gz_fetch *fetch, const graze_model *model, uint32_t page);
// The bytes that pages take at most. The list is cut where there is no more room.
uint64_t gz_fetch_measure(const gz_fetch *fetch, const gz_page_key *wishes, uint32_t *count);
// Starts reading pages for which there is room, and which are not on their way yet; the list is
// sorted here. A page may be there twice.
void gz_fetch_start(gz_fetch *fetch, const void *owner, gz_page_key *wishes, uint32_t count);

// The run that has a page, NULL if there is none. From here to gz_fetch_unpin it stays.
gz_fetch_run *gz_fetch_pin(gz_fetch *fetch, graze_model *model, uint32_t page);
// The bytes of a page, NULL where reading failed. Gives up the lock while they are not there.
const uint8_t *gz_fetch_wait(gz_fetch *fetch, gz_fetch_run *run, uint32_t page);
void gz_fetch_unpin(gz_fetch *fetch, gz_fetch_run *run, uint32_t page);

// For GZ_VALIDATE: counts and bytes of runs add up.
bool gz_fetch_is_sound(const gz_fetch *fetch);

// Gives up what somebody wanted and nobody has taken.
void gz_fetch_drop(gz_fetch *fetch, const void *owner);
// Gives up all of a model, and waits for reads that are under way.
void gz_fetch_forget(gz_fetch *fetch, const graze_model *model);

#endif
