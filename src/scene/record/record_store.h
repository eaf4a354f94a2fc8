// What a record is inside, and what its files share: rows as they are stored, and the steps of a
// run. See graze/clash_record.h.
#ifndef GZ_RECORD_STORE_H
#define GZ_RECORD_STORE_H

#include "base/memory.h"
#include "graze/clash_record.h"
#include "scene/clash_places.h"
#include "scene/record/record_sql.h"

struct graze_record {
    graze_context *context;
    gz_sql sql;
    graze_record_use use;
};

// --- Words

// The status of a word of graze_record_status_text; 0 if it is none.
graze_record_status gz_record_status_of(const char *word);

// A failure of what is stored: something that graze never writes.
graze_status gz_record_damaged(const graze_record *record, const char *table, const char *what);

// --- What is known of a pair, as bytes

#define GZ_ANSWER_BYTES(places) (144u + 48u * (places))
#define GZ_ANSWER_MOST          GZ_ANSWER_BYTES(GZ_PLACES_MOST)

typedef struct gz_answer {
    graze_clash clash; // without objects and rule; a is the object with the lower number
    bool detailed;     // of touching: with places
    gz_places places;
} gz_answer;

// Returns how many bytes there are.
uint32_t gz_answer_pack(const gz_answer *answer, uint8_t bytes[GZ_ANSWER_MOST]);
// False if the bytes are none that gz_answer_pack has made.
bool gz_answer_unpack(int64_t kind, const void *bytes, int byte_count, gz_answer *answer);
// The same clash with a and b exchanged.
void gz_clash_swap(graze_clash *clash);

void gz_pack_doubles(uint8_t *bytes, const double *values, int count);
void gz_unpack_doubles(const uint8_t *bytes, double *values, int count);

// --- Ids

// 22 characters and a zero: as IFC writes 128 bits.
void gz_id_short(const uint8_t bits[16], char out[23]);
// 36 characters and a zero: a GUID.
void gz_id_long(const uint8_t bits[16], char out[37]);
// 128 bits of many bytes: two checksums with different seeds. Zero is the empty one.
typedef struct gz_digest {
    uint64_t low, high;
} gz_digest;
void gz_digest_add(gz_digest *digest, const void *bytes, uint64_t byte_count);
void gz_digest_text(gz_digest *digest, const char *text);
void gz_digest_end(const gz_digest *digest, uint8_t bits[16]);
// The GlobalId at the end of a name that comes from IFC; NULL if there is none.
const char *gz_ifc_id(const char *name);

// --- Objects of a run

// An object that the record knows. Its texts are of the list's own.
typedef struct gz_known_object {
    uint32_t number;
    char *path, *name, *group, *file_id; // file_id: NULL if there is none
    uint64_t hash, triangle_count;
    uint8_t pose[96], box[48];
    bool present; // in the run, once objects were recognised; before that, in the run before
    bool matched; // with an object of the scene
    uint32_t scene_number; // in the order of the scene, if it is present
} gz_known_object;

typedef struct gz_record_objects {
    GZ_LIST(gz_known_object) known; // by number - 1
    uint32_t *numbers;              // of the scene's objects, in its order
    uint32_t scene_count;
    uint64_t same, moved, changed, made, gone, renamed;
} gz_record_objects;

// Recognises the objects of a scene, and writes what is new of them. Within a transaction.
graze_status gz_record_objects_take(graze_record *record, uint32_t run, graze_scene *scene,
                                    gz_record_objects *objects);
void gz_record_objects_free(graze_record *record, gz_record_objects *objects);

// --- Pairs of a run

// A pair that a run has settled, by looking or by proof: objects and rule by their numbers in the
// record, as gz_sort_records has it, then the kind, and whether this run looked.
typedef struct gz_settled_pair {
    uint8_t bytes[16];
} gz_settled_pair;
#define GZ_SETTLED_KEY 12u // bytes that tell pairs apart
typedef GZ_LIST(gz_settled_pair) gz_settled_list;

typedef struct gz_merge {
    graze_record *record;
    uint32_t run;
    const gz_settled_pair *pairs; // sorted
    uint64_t pair_count;
    // Of a complete run; NULL: nothing is known of pairs that are not listed.
    const gz_record_objects *objects;
    // Would the run ask about two objects by this rule, if they were near each other?
    bool (*asks)(void *user, uint32_t a, uint32_t b, uint32_t rule);
    void *user;
    graze_record_totals *totals;
} gz_merge;

// What a run found becomes clashes, occurrences and statuses. Within a transaction.
graze_status gz_record_merge(const gz_merge *merge);
// The same for what a partial run has found, when it will not go on. Within a transaction.
graze_status gz_record_merge_partial(graze_record *record, uint32_t run);
// Puts clashes that are one problem together. Within a transaction.
graze_status gz_record_find_problems(graze_record *record);

#endif
