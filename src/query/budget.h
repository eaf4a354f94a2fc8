// Questions with a time limit: the best answer that can be had in time.
//
// They go down a ladder of errors, powers of two, from the coarsest to the one that is asked for:
// each answer is complete, and what is finished when the time ends is the answer. So it is that of
// a question with the error that it says. Nothing waits for a page: where one is not in the cache,
// a thread is told to load it, and the answer is the coarser one; the coarsest cuts stay in the
// cache.
#ifndef GZ_BUDGET_H
#define GZ_BUDGET_H

#include "model/page_loader.h"
#include "query/query_scratch.h"

// What a question on a rung knows of the time.
typedef struct gz_budget {
    uint64_t deadline;                  // of gz_clock_ns
    bool late;                          // the time ended
    bool missing;                       // a page was not there
    gz_page_key keys[GZ_LOADER_KEYS];   // that were not, each once
    uint16_t slots[2 * GZ_LOADER_KEYS]; // a hash table: the number of a key, from 1 on
    uint32_t key_count;
    uint64_t miss_count; // pages that were not there; above the size of the list some count twice
} gz_budget;

void gz_budget_miss(gz_budget *budget, gz_page_key key);
bool gz_budget_is_late(gz_budget *budget); // and notes it

graze_status gz_budget_collide(graze_query *query, graze_posed a, graze_posed b,
                               const graze_collide_def *def, graze_answer *answer);
graze_status gz_budget_distance(graze_query *query, graze_posed a, graze_posed b,
                                const graze_distance_def *def, graze_distance *out);
void gz_budget_free(graze_query *query);

#endif
