// Contacts: for each pair of triangles that were found, where it is. See graze/query.h.
#include "query/contacts.h"

#include "base/context.h"
#include "base/sort.h"
#include "base/threads.h"
#include "geometry/fpu.h"

#define BLOCK 4096 // contacts between two looks at the cancel callback
#define TASK  64   // contacts that a thread takes at once

// A pair as its place in the order, and where it is.
typedef struct gz_contact_record {
    uint8_t pair[8]; // big-endian
    gz_pair_place place;
} record;
_Static_assert(sizeof(record) == 24, "no gaps");
_Static_assert(sizeof(graze_contact) >= sizeof(record), "contacts lend their memory for sorting");

static bool sort_places(graze_query *query)
{
    graze_pair *pairs = query->pairs.pairs.items;
    gz_pair_place *places = query->pairs.places.items;
    uint64_t count = query->pairs.pairs.count;
    if (!gz_list_reserve(query->context, &query->records, count) ||
        !gz_list_reserve(query->context, &query->contacts, count))
        return false;
    record *records = query->records.items;
    for (uint64_t i = 0; i < count; ++i) {
        gz_put_number(records[i].pair, pairs[i].a, 4);
        gz_put_number(records[i].pair + 4, pairs[i].b, 4);
        records[i].place = places[i];
    }
    gz_sort_records(query->pairs.wish.shared ? query->context : NULL, records, count,
                    sizeof *records, 0,
                    gz_arena_over(query->contacts.items, count * sizeof(graze_contact)));
    for (uint64_t i = 0; i < count; ++i) {
        pairs[i] = (graze_pair){(uint32_t)gz_get_number(records[i].pair, 4),
                                (uint32_t)gz_get_number(records[i].pair + 4, 4)};
        places[i] = records[i].place;
    }
    return true;
}

// A block of contacts, which threads may share.
typedef struct block {
    graze_query *query;
    uint64_t first, end;
} block;

static void make_some(void *data, uint32_t number)
{
    const block *b = data;
    const gz_pair_query *found = &b->query->pairs;
    const gz_pair_place *places = found->places.items;
    graze_contact *contacts = b->query->contacts.items;
    uint64_t first = b->first + (uint64_t)number * TASK;
    gz_fpu_state state = gz_fpu_enter();
    for (uint64_t i = first; i < b->end && i < first + TASK; ++i) {
        graze_triangle t, u;
        gz_frames_triangles(&found->frames, places[i].leaf_a, places[i].slot_a, places[i].leaf_b,
                            places[i].slot_b, &t, &u);
        contacts[i].pair = ((const graze_pair *)found->pairs.items)[i];
        gz_contact_of(&t, &u, &contacts[i]);
    }
    gz_fpu_leave(state);
}

graze_status gz_contacts_list(graze_query *query, graze_answer *answer)
{
    uint64_t count = query->pairs.pairs.count;
    if (!sort_places(query))
        return GRAZE_ERROR_MEMORY;
    for (uint64_t first = 0; first < count; first += BLOCK) {
        block b = {query, first, count - first < BLOCK ? count : first + BLOCK};
        uint32_t tasks = (uint32_t)((b.end - first + TASK - 1) / TASK);
        if (query->pairs.wish.shared)
            gz_parallel(query->context, tasks, make_some, &b);
        for (uint32_t i = 0; i < tasks && !query->pairs.wish.shared; ++i)
            make_some(&b, i);
        if (b.end < count &&
            gz_checkpoint(query->context, "locating", "contacts", b.end, count) != GRAZE_OK)
            return GRAZE_ERROR_CANCELLED;
    }
    answer->pairs = query->pairs.pairs.items;
    answer->contacts = query->contacts.items;
    return GRAZE_OK;
}

void gz_contacts_free(graze_query *query)
{
    gz_list_free(query->context, &query->records);
    gz_list_free(query->context, &query->contacts);
}
